"""Factorisations refuse what is not finite: some of LAPACK's iterations would never end on it."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csc_array

import linkwright
import linkwright as lw
from linkwright import linear
from linkwright.linear import NotFiniteError

SQUARE = {
    "is_positive": lambda a: linear.is_positive(csc_array(a)),
    "solve": lambda a: linear.solve(a, np.ones(3)),
    "right-hand side": lambda a: linear.lstsq(np.eye(3), a),
    "lstsq": lambda a: linear.lstsq(a, np.ones(3)),
    "inv": linear.inv,
    "cond": linear.cond,
    "pinv": linear.pinv,
    "svd": linear.svd,
    "singular_values": linear.singular_values,
    "eig": linear.eig,
    "eigvals": linear.eigvals,
    "eigh": linear.eigh,
    "eigvalsh": linear.eigvalsh,
    "det": linear.det,
    "slogdet": linear.slogdet,
    "matrix_rank": lambda a: linear.matrix_rank(a, 1e-9),
    "pivoted_qr": linear.pivoted_qr,
    "pivoted_qr, economic": lambda a: linear.pivoted_qr(a, mode="economic"),
    "pivoted_qr_raw": linear.pivoted_qr_raw,
    "solve_triangular": lambda a: linear.solve_triangular(a, np.ones(3)),
    "cholesky": linear.cholesky,
    "solve_positive": lambda a: linear.solve_positive(a, np.ones(3)),
    "is_well_conditioned": lambda a: linear.is_well_conditioned(a, 1e-9),
    "solve_regular": lambda a: linear.solve_regular(a, np.ones(3), 1e-9),
    "generalized_eigh": lambda a: linear.generalized_eigh(a, np.eye(3)),
    "generalized_eig": lambda a: linear.generalized_eig(a, np.eye(3)),
    "roots": lambda a: linear.roots(a[2]),
    "splu": lambda a: linear.splu(scipy.sparse.csc_matrix(a)),
}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", SQUARE)
def test_what_is_not_finite_is_refused(name, bad):
    a = np.eye(3)
    a[1, 2] = a[2, 1] = bad
    with pytest.raises(NotFiniteError):
        SQUARE[name](a)
    SQUARE[name](2 * np.eye(3))


def test_all_functions_are_tried():
    own = {name for name, f in vars(linear).items() if callable(f) and getattr(f, "__module__", "") == linear.__name__}
    public = {name for name in own if not name.startswith("_")}
    assert public - {"finite", "NotFiniteError"} <= set(SQUARE)


def test_who_can_go_on_where_a_matrix_is_singular_can_go_on_here():
    for kind in (lw.LinkwrightError, np.linalg.LinAlgError, RuntimeError):
        assert issubclass(NotFiniteError, kind)


def test_every_factorisation_goes_through_the_guard():
    """Norms may be taken anywhere: they iterate over nothing."""
    direct = re.compile(
        r"(np|numpy|scipy|sp)\.linalg\.(?!norm|LinAlgError)\w+|scipy\.(sparse\.)?linalg import|linalg\.lapack"
        r"|later import .*(lapack|scipy_linalg)"
    )
    found = []
    for path in Path(linkwright.__file__).parent.rglob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if direct.search(line) and path.name not in ("linear.py", "later.py"):
                found.append(f"{path.name}:{number}: {line.strip()}")
    assert not found, "call linkwright.linear instead"
