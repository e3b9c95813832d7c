"""Programs made shorter: zeros left out, one after another, what does not change in a run computed before it."""

import numpy as np

from interpreted import evaluated
from linkwright.compile.fused import fused
from linkwright.compile.joined import Ahead, followed, without
from linkwright.compile.program import linearise
from linkwright.graph import sqrt, symbols

RNG = np.random.default_rng(4)


def test_factors_of_zero_are_left_out():
    x, e = symbols("x", 3), symbols("e", 2)
    outputs = [x[0] + e[0] * sqrt(1.0 + x[1] * x[1]), x[2] - e[1] * x[0], (x[0] - e[0]) * x[1], e[1] - x[2], e[0] * x[1]]
    program = linearise([list(x), list(e)], [outputs])
    short = fused(without(program, {(1, 0)}), 1)
    assert "sqrt" not in {i.op for i in short.instructions}
    for _ in range(5):
        given = RNG.normal(size=3), np.array([0.0, RNG.normal()])
        assert np.allclose(evaluated(short, *given)[0], evaluated(program, *given)[0], rtol=1e-15, atol=1e-15)
    assert without(program, ()) is program


def test_what_two_programs_share_is_computed_once():
    x, b = symbols("x", 2), symbols("b", 2)
    first = linearise([list(x), list(b)], [[x[0] / sqrt(x[0] ** 2 + b[0]), x[1] + sqrt(b[0] * b[1])]])
    second = linearise([list(x), list(b)], [[sqrt(x[0] ** 2 + b[0]) * x[1], sqrt(b[1] * b[0])]])
    both = followed(first, second, 0)
    # of the second's roots one is of the first's outputs, the other of what both are given
    assert sum(i.op == "sqrt" for i in both.instructions) == 3
    for _ in range(5):
        given = RNG.uniform(0.5, 2, 2), RNG.uniform(0.5, 2, 2)
        (z,) = evaluated(first, *given)
        found = evaluated(both, *given)
        assert np.array_equal(found[0], z)
        assert np.allclose(found[1], evaluated(second, z, given[1])[0], rtol=1e-15)


def test_what_does_not_change_is_computed_ahead():
    x, b, e = symbols("x", 2), symbols("b", 2), symbols("e", 1)
    inputs = [list(x), list(b), list(e)]
    one = linearise(inputs, [[x[0] * (b[0] / b[1]) + sqrt(b[0] * e[0]), b[0] + b[1]]])
    two = linearise(inputs, [[x[1] - b[0] / b[1]]])
    ahead = Ahead({"one": one, "two": two}, (1, 2), 1)
    ops = {name: {i.op for i in fused(p, 1).instructions} for name, p in ahead.programs.items()}
    assert not {"div", "sqrt"} & (ops["one"] | ops["two"])
    rows = {1: RNG.uniform(0.5, 2, (6, 2)), 2: RNG.uniform(0.5, 2, (6, 1))}
    more = np.concatenate([rows[1], ahead(rows)], axis=1)
    assert more.shape[1] == ahead.programs["one"].input_sizes[1] == 2 + 3
    for k in range(6):
        state = RNG.normal(size=2)
        for name, program in (("one", one), ("two", two)):
            (wanted,) = evaluated(program, state, rows[1][k], rows[2][k])
            (found,) = evaluated(ahead.programs[name], state, more[k], rows[2][k])
            assert np.array_equal(found, wanted)
