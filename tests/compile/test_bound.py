"""Native functions with fixed arguments, and arrays of codes."""

import numpy as np
import pytest

from linkwright.compile import Array, Codes, Function, Ints, Pointers, f64, i64, native
from linkwright.compile.bound import Bound
from linkwright.compile.script import Arena, Cell, Script, play
from linkwright.errors import ArgumentError
from linkwright.graph import sin, symbols
from linkwright.solve.integrate import integrate


@native
def scaled(ins: Pointers, outs: Pointers, n: i64, factor: f64, weights: Array) -> None:
    for i in range(n):
        outs[0][i] = factor * weights[i] * ins[1][i]


def test_a_bound_function_is_code_for_an_integrator():
    weights = np.array([1.0, -2.0])
    f = Bound(scaled, [2, 0.5, weights], {"t": (1,), "y": (2,)}, {"ydot": (2,)})
    y = integrate(f, (0, 1), [1.0, 1.0], method="rk4", first_step=0.01).y_last
    assert y == pytest.approx(np.exp([0.5, -1.0]), rel=1e-9)  # y' = w y / 2 after one second; RK4's h^4
    weights[0] = 0.0  # fixed is the array, not its content
    assert integrate(f, (0, 1), [1.0, 1.0], method="rk4", first_step=0.01).y_last[0] == 1.0


def test_a_bound_function_needs_all_its_arguments():
    with pytest.raises(ArgumentError, match="3 more arguments, got 1"):
        Bound(scaled, [2], {}, {})


def functions():
    x = symbols("x", 2)
    return (
        Function("sum", {"x": x}, {"y": [x[0] + x[1], x[0]]}),
        Function("wave", {"x": x}, {"y": [sin(x[0]), x[1] * x[1]]}),
    )


def test_codes_are_called_one_after_the_other():
    f, g = functions()
    a, b, c = np.array([2.0, 3.0]), np.zeros(2), np.zeros(2)
    at = np.array([0, 1])
    play(2, [f, g], at, at, [a, b], [b, c])
    assert list(b) == [5.0, 2.0]
    assert c == pytest.approx([np.sin(5.0), 4.0], rel=1e-15)
    addresses = np.array([x.ctypes.data for x in (a, b, c)], dtype=np.uintp)
    a[:] = 1.0
    play(2, [f, g], at, at, addresses[:2].copy(), addresses[1:].copy())
    assert list(b) == [2.0, 1.0]

    @native
    def first(codes: Codes, which: Ints, ins: Pointers, outs: Pointers) -> None:
        chosen = codes[which[0]]
        chosen(ins, outs)

    first([f, g], np.array([1]), [a], [b])
    assert b == pytest.approx([np.sin(1.0), 1.0], rel=1e-15)


def test_cells_never_overlap_within_a_call_and_are_taken_again():
    f, _ = functions()
    arena = Arena()
    script, cell = Script(arena), Cell(arena, 2)
    start = cell.next()
    for _ in range(6):
        before = cell.at()
        after = cell.next()
        assert before != after
        script.add(f, [before], [after])
    assert arena.size == 4  # two places take turns
    arena.view(start, 2)[:] = 1.0
    script.run()
    assert list(arena.view(cell.at(), 2)) == [21.0, 13.0]  # Fibonacci
