"""Limits of size and numbers of regularisation: what must hold between them, and one rule for what a row yields."""

import ast
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from linkwright import regularisation, size_policy
from linkwright.solve.alpha_matrix import own_compliance
from linkwright.system.saddle import compliance_of


def test_limits_follow_each_other():
    p = size_policy
    assert p.SPARSE < 3 * p.LOOPED  # what is evaluated by shapes is never made dense, in the plane neither
    assert p.LOOPED <= p.LOOPED_MOTION <= p.WHOLE <= p.WHOLE_BY_NAME
    assert p.DENSE <= p.DENSE_CALLS <= p.SPARSE <= p.SPARSE_RANK <= p.SINGULAR_VALUES
    assert p.IMPLICIT <= p.STIFF  # implicit methods have sparse factors long before stiffness is no longer looked for


def test_one_limit_decides(monkeypatch):
    assert [size_policy.is_looped(n) for n in (49, 50)] == [False, True]
    assert [size_policy.is_looped_motion(100, n) for n in (200, 201)] == [True, False]
    monkeypatch.setattr(size_policy, "LOOPED", 3)
    assert [size_policy.is_looped(n) for n in (2, 3)] == [False, True]
    assert "from 3 on" in size_policy.why_looped(7)


def test_rounding_lies_below_what_is_judged():
    r = regularisation
    assert r.SADDLE < r.LEAST_SQUARES < r.RANK < r.SINGULAR
    assert abs(r.SHARE - 1e-7) < 1e-9
    assert list(r.COMPLIANCES_IN_LOOPS) == sorted(r.COMPLIANCES_IN_LOOPS, reverse=True)


def test_a_row_has_the_same_compliance_for_all_who_ask():
    """Dense, sparse, traced, and in the native loop of generalised alpha."""
    rng = np.random.default_rng(1)
    J, mass = rng.normal(size=(4, 6)) * (rng.random((4, 6)) < 0.6), rng.uniform(0.5, 2, 6)
    J[3] = 0.0
    expected = [sum(x * x / m for x, m in zip(row, mass, strict=True)) or 1.0 for row in J]
    for matrix in (J, scipy.sparse.csr_array(J)):
        np.testing.assert_allclose(regularisation.own_compliances(matrix, mass), expected, rtol=1e-14)
    diagonal = dict(enumerate(mass))
    np.testing.assert_allclose([compliance_of(dict(enumerate(row)), diagonal) for row in J[:3]], expected[:3], rtol=1e-14)
    native = [own_compliance.python(6, k, J.ravel(), (J / mass).ravel()) for k in range(4)]
    np.testing.assert_allclose(native, expected, rtol=1e-14)


SOURCES = sorted(Path(size_policy.__file__).parent.rglob("*.py"))


@pytest.fixture(scope="module")
def nodes():
    """All of the source, with the files that it is in."""
    return [(path, node) for path in SOURCES for node in ast.walk(ast.parse(path.read_text()))]


def test_nobody_keeps_things_in_the_objects_of_others(nodes):
    """What was made of an object is kept by that object's own store (`once`, `made`), never written into its dictionary
    from outside; the exceptions write into objects of a class of their own module."""
    own = {"self", "instance"}
    allowed = {"errors.py", "later.py", "findings.py", "program.py", "channels.py", "machine.py", "mechanical.py"}
    found = []
    for path, node in nodes:
        if path.name not in allowed:
            base = _dictionary_of(node)
            if base is not None and base not in own:
                found.append(f"{path.name}: {ast.unparse(node)}")
    assert not found


def _dictionary_of(node):
    """Whose dictionary a node writes into, if it does."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        target = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("setdefault", "update"):
        target = node.func.value
    else:
        return None
    if isinstance(target, ast.Attribute) and target.attr == "__dict__":
        return ast.unparse(target.value)
    is_vars = isinstance(target, ast.Call) and isinstance(target.func, ast.Name) and target.func.id == "vars"
    return ast.unparse(target.args[0]) if is_vars else None


MOST_ARGUMENTS, MOST_LINES = 11, 430
QUESTIONS = {"dynamics", "monte_carlo"}  # whose arguments are what a user may say


def test_functions_take_few_arguments(nodes):
    """What goes together is a record or a class; native functions, too."""
    found = []
    for path, node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name not in QUESTIONS:
            given = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            if len(given) - (given[:1] in (["self"], ["cls"])) > MOST_ARGUMENTS:
                found.append(f"{path.name}: {node.name} takes {len(given)}")
    assert not found


def test_modules_are_short():
    assert not [path.name for path in SOURCES if path.read_text().count("\n") > MOST_LINES]


def test_nobody_asks_for_the_class_of_a_chart(nodes):
    """A chart answers; runs, lanes and pages go by what it says."""
    charts = ("Chart", "OfBodies", "OfJoints", "InJoints", "LoopedBodies")
    found = [
        f"{path.name}: {ast.unparse(node)}"
        for path, node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "issubclass")
        and ast.unparse(node.args[1]).endswith(charts)
    ]
    assert not found
