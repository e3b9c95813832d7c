"""The language with lanes against the same text run as Python on numpy arrays."""

import ctypes

import numpy as np
import pytest

from lanes_in_numpy import numpy_function
from linkwright.compile import Function
from linkwright.compile.emit import table_data
from linkwright.compile.jit import Loaded, host, to_object
from linkwright.compile.lanes import ATTRIBUTES, library, traced_arrays, translated
from linkwright.errors import CompileError
from linkwright.graph import sin, symbols
from linkwright.graph.table import Table

TEXT = """
def work(x: Array, y: Array, table: Table, out: Table):
    '''Everything that the language has.'''
    small = x[0] < 0.3 or not x[1] > 0.5
    total = each(0.0)
    for i in range(n):
        total += abs(x[i]) * (1 + i) / 2.0
    for i in range(1, n):
        y[i] = where(small, -total, max(x[i], min(x[i - 1], 0.25)))
    left = total
    while any(left > 1.0 and isfinite(left)):
        left = where(left > 1.0, left - 1.0, left)
    y[0] = total
    if any(small):
        y[0] = where(small, exp(log(sqrt(total) + 1.0)) + left, total)
    else:
        pass
    other(x, y[n:])
    k = gather(table, where(small, 2.0, 5.0))
    scatter(out, k, x[2], small)
    y[2 * n] = k
"""
N = 3


def other():
    """A traced function with a table in it."""
    x = symbols("x", N)
    knots = np.linspace(-1.0, 2.0, 7)
    spline = Table(knots, np.stack([np.cos(knots[:-1]), knots[:-1], 0 * knots[:-1], 0 * knots[:-1]]))
    return Function("other", {"x": x}, {"y": [sin(x[0] * x[1]), spline(x[2]) - x[0]]})


def compiled(lanes):
    f = other()
    lines = [*library(lanes), *(line.replace("@table", "@other.table") for line in table_data(f.program.tables))]
    lines += traced_arrays(f.program, "other", lanes, 1) + translated(TEXT, lanes, {"n": N})
    args = ["ptr %x", "ptr %y", "ptr %t", "ptr %o"]
    call = [f"define void @f({', '.join(args)}) #0 {{", f"  call void @work({', '.join(args)})", "  ret void", "}"]
    loaded = Loaded(to_object("\n".join([*lines, *call, *ATTRIBUTES]), host(), optimise=True), ["f"])
    run = loaded.function("f", *[ctypes.c_void_p] * 4)
    run.keep = loaded  # the code stays as long as this does
    return run


def arrays(lanes):
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 2, (N, 8))[:, :lanes].copy()
    return x, np.zeros((2 * N + 2, lanes)), np.arange(10.0) * 3 % 10, np.zeros(10)


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_lanes_compute_what_numpy_does(lanes):
    run = compiled(lanes)
    got, wanted = arrays(lanes), arrays(lanes)
    run(*(a.ctypes.data for a in got))
    f = other()

    def traced(x, y):
        y[:2] = f.batch(np.ascontiguousarray(x))[0]

    numpy_function(TEXT, "work", {"n": N, "other": traced})(*wanted)
    for a, b in zip(got, wanted, strict=True):
        assert np.allclose(a, b, rtol=1e-14, atol=1e-15)  # fused products, and numpy's own exp and log


def test_a_lane_does_not_depend_on_its_neighbours():
    """Bits of eight lanes are those of each alone."""
    wide = arrays(8)
    eight, run = compiled(8), compiled(1)
    eight(*(a.ctypes.data for a in wide))
    for lane in range(8):
        x, _, table, out = arrays(8)
        one = np.ascontiguousarray(x[:, lane : lane + 1]), np.zeros((2 * N + 2, 1)), table, out
        run(*(a.ctypes.data for a in one))
        assert np.array_equal(one[1][:, 0], wide[1][:, lane])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("if x[0] > 0.0:\n        pass", "a branch on mask; write any"),
        ("while x[0] > 0.0:\n        pass", "a branch on mask; write any"),
        ("y = where(1 < 2, x[0], 0.0)", "where(mask, ...) of bool"),
        ("y = x[0] ** 2", "not in the language"),
        ("y = nobody", "the name is not known"),
        ("return", "Return is not in the language"),
        ("y = any(x[0])", "any(mask) of f64"),
        ("y = x[0] < 1.0 < 2.0", "one comparison at a time"),
        ("other(1.0)", "a traced function takes arrays"),
        ("for i in x:\n        pass", "a loop runs over range"),
    ],
)
def test_what_lanes_cannot_do_is_refused(line, why):
    with pytest.raises(CompileError) as caught:
        translated(f"def f(x: Array):\n    {line}\n", 4, {})
    assert why in str(caught.value)
