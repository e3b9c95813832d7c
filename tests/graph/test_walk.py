"""Walking a graph: order, substitution, evaluation, and the same bytes in every process."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precise import Traced

from linkwright.graph import (
    Expr,
    Table,
    evaluate,
    free_symbols,
    hold,
    operations,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
    topological,
    where,
)
from linkwright.graph.walk import flatten, release, unflatten_all
from strategies import numbers, programs

x, y, z = symbol("x"), symbol("y"), symbol("z")


@given(programs())
def test_arguments_come_before_users_and_once(program):
    order = topological(program(Traced, list(symbols("q", program.n))))
    place = {id(n): k for k, n in enumerate(order)}
    assert len(place) == len(order)
    assert all(place[id(a)] < place[id(n)] for n in order for a in n.args)


@given(programs(), st.lists(numbers, min_size=4, max_size=4))
def test_evaluation_of_arrays_is_evaluation_of_each(program, at):
    q = list(symbols("q", program.n))
    roots = program(Traced, q)
    points = [np.array([v, -v, 0.5 * v]) for v in at[: program.n]]
    together = evaluate(roots, dict(zip(q, points, strict=True)))
    for k in range(3):
        alone = evaluate(roots, {s: p[k] for s, p in zip(q, points, strict=True)})
        for a, b in zip(together, alone, strict=True):
            # numpy's loops over arrays may differ from its scalars in the last digits; sums amplify that
            np.testing.assert_allclose(np.broadcast_to(a, 3)[k], b, rtol=1e-9, atol=1e-9)


def test_evaluate_names_the_missing_symbol():
    with pytest.raises(KeyError, match="'y'"):
        evaluate([x + y], {x: 1.0})


def test_evaluate_with_another_meaning_of_an_operation():
    table = Table.through([0, 1, 2], [0, 1, 0], kind="linear")
    assert evaluate([sin(x) + 1], {x: 2.0}, {"sin": lambda v: 10 * v}) == [21.0]
    assert evaluate([table(x)], {x: 0.5}, {"table": lambda t, v, order: (t, v, order)}) == [(table, 0.5, 0)]


def test_evaluate_takes_given_nodes_as_known():
    inner = sin(x)
    assert evaluate([inner * 2 + 1], {inner: 3.0, x: 0.0}) == [7.0]


def test_what_is_shared_is_counted_once():
    s = sin(x)
    assert operations([s * s + s]) == 3
    assert operations([hold(s) * s]) == 2  # holding costs nothing
    assert operations([2.0, x]) == 0
    assert [f.data for f in free_symbols([y * 1.0, sin(x) - y])] == ["y", "x"]


@given(programs(), st.lists(numbers, min_size=4, max_size=4))
def test_substituting_numbers_evaluates(program, at):
    q = list(symbols("q", program.n))
    roots = program(Traced, q)
    values = dict(zip(q, at, strict=False))
    found = substitute(roots, values)
    assert not any(type(f) is Expr for f in found)
    # the order of merged constants may differ from the order of evaluation
    np.testing.assert_allclose(found, evaluate(roots, values), rtol=1e-9, atol=1e-9)


def test_substitution_simplifies_and_is_simultaneous():
    assert substitute([x * y + z], {x: 0.0})[0] is z
    assert substitute([x - y], {x: y, y: x})[0] is y - x
    assert substitute([where(x > 0, y, z)], {x: 1.0})[0] is y
    assert substitute([where((x > 0) & ~(y > 1), y, z)], {y: 2.0})[0] is z
    assert substitute([sin(x)], {y: 1.0})[0] is sin(x)
    assert substitute([sqrt(x)], {x: 4.0}) == [2.0]


def test_release_simplifies_across_the_place():
    assert release([hold(x - y) - (x - y)]) == [0.0]


@given(programs())
def test_written_flat_and_read_back(program):
    roots = program(Traced, list(symbols("q", program.n)))
    again = unflatten_all(*flatten(roots))
    assert all(a is b if type(a) is Expr else a == b for a, b in zip(again, roots, strict=True))


# -- determinism ----------------------------------------------------------------------------------------------------------

MODEL = """
import hashlib
import numpy as np
from linkwright.graph import *
from linkwright.graph.walk import flatten

for k in range(JUNK):  # unrelated tracing: other ages and addresses
    junk = [sin(symbol(f"j{k}")) * symbol("q[0]"), symbol("q[1]") * k]

def model():
    q, v = symbols("q", 5), symbols("v", 5)
    cam = Table.through(np.linspace(0, 1, 6), [0, 1, 3, 2, 1, 0], periodic=True)
    branch = where(q[4] > 0, q[0] * q[1] * q[2], sin(q[3]) + q[4])
    Phi = [hypot(q[0] - q[1], q[2]) - cam(q[3]), branch, maximum(q[1], q[2] * 3)]
    rates = dict(zip(q, v))
    J = jacobian(Phi, list(q))
    A = {(5 + i, j): e for (i, j), e in J.entries.items()} | {(k, k): 1.0 + k for k in range(5)}
    return [*Phi, *J.entries.values(), *along(along(Phi, rates), rates), *ldl(A, 8).solve([*v, 1.0, 2.0, 3.0])]

def written():
    flat, roots = flatten(model())
    rows = [(op, (data[0].digest, data[1]) if op == "table" else data, *args) for op, data, *args in flat]
    return repr(rows) + repr(roots)
"""


def test_the_same_model_gives_the_same_graph_after_other_tracing_and_in_other_processes():
    code = "JUNK = {}" + MODEL + "\nprint(hashlib.sha256(written().encode()).hexdigest())"
    digests = set()
    for junk, seed in ((0, "1"), (500, "2")):
        command = [sys.executable, "-c", code.replace("{}", str(junk), 1)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        digests.add(run.stdout.strip())
    space: dict = {"JUNK": 100}
    exec(MODEL, space)
    digests.add(hashlib.sha256(space["written"]().encode()).hexdigest())
    assert len(digests) == 1
