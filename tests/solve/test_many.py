"""Runs in lanes: the steps of single runs, the same bits for any number of lanes, threads and runs in a block."""

import re
from dataclasses import replace

import numpy as np
import pytest

from lanes_in_numpy import numpy_function
from linkwright.compile.jit import host
from linkwright.solve import attempt, lane_form, many
from linkwright.solve.many import Many
from solve.lane_problems import TIMES, alone, form, functions, numbers, runs

FIELDS = ("registers", "acc", "hist", "y")


def same_bits(a, b):
    return all(np.array_equal(getattr(a, f), getattr(b, f), equal_nan=True) for f in FIELDS)


@pytest.mark.parametrize(("name", "first"), [("dopri5", 0.0), ("dop853", 0.0), ("rk4", 0.01)])
def test_the_bits_do_not_depend_on_lanes_blocks_and_threads(name, first, monkeypatch):
    given, problem = runs(21), functions()
    one, four, eight, sixteen = (Many(*problem, form(name), lanes=L) for L in (1, 4, 8, 16))
    wanted = one.run(given, numbers(first))
    assert wanted.done.all()
    for lanes in (four, eight, sixteen):
        assert same_bits(lanes.run(given, numbers(first)), wanted)
    order = np.random.default_rng(0).permutation(21)
    mixed = eight.run(given.at(order), numbers(first))
    assert np.array_equal(mixed.y, wanted.y[order])
    assert np.array_equal(mixed.hist, wanted.hist[order])
    monkeypatch.setattr(many, "BLOCK", 5)
    pieces = eight.run(given, numbers(first), threads=3)
    assert np.array_equal(pieces.y, wanted.y)
    assert np.array_equal(pieces.acc, wanted.acc)
    assert np.array_equal(pieces.hist, wanted.hist)


@pytest.mark.parametrize("vectors", ["avx512f", "avx2"])
def test_the_bits_do_not_depend_on_the_vectors_of_a_processor(vectors, monkeypatch):
    """Code for processors whose vectors are of four and of two numbers, as far as this one can run it."""
    here = host()
    if f"+{vectors}" not in here.features:
        pytest.skip(f"this processor has no {vectors}")
    given, problem = runs(9), functions()
    wanted = Many(*problem, form("dopri5")).run(given, numbers())
    without = [re.sub(rf"\+({'avx512' if vectors == 'avx512f' else 'avx'}\w*)", r"-\1", f) for f in here.features.split(",")]
    monkeypatch.setattr(many, "host", lambda: replace(here, cpu="x86-64-v3", features=",".join(without)))
    assert same_bits(Many(*problem, form("dopri5"), lanes=4).run(given, numbers()), wanted)


def test_more_lanes_for_many_runs_of_short_functions():
    problem = functions()
    few = Many(*problem, form("dopri5"))
    assert few.of(1000) is few
    assert few.of(many.WIDER_FROM).lanes == 2 * few.lanes
    large = Many(*problem, replace(form("dopri5"), n=45))  # its stages would not stay in the first cache
    assert large.of(many.WIDER_FROM) is large


@pytest.mark.parametrize(("name", "first"), [("dopri5", 0.0), ("dop853", 0.0), ("rk4", 0.01), ("dopri5", 0.02)])
def test_a_run_in_a_lane_takes_the_steps_it_takes_alone(name, first):
    given = runs(8, seed=5)
    ran = Many(*functions(), form(name)).run(given, numbers(first))
    for k in range(8):
        single = alone(name, given.y[k], given.b[k], first or None)
        assert tuple(ran.registers[k, [lane_form.STEPS, lane_form.REJECTED]]) == (single.steps, single.rejected)
        # rounding, some hundred steps of 1e-16 that grow with the motion
        assert np.abs(ran.y[k] - single.y_last).max() < 1e-11
        x, product = single.y[:, 0], single.y[:, 2] * single.y[:, 3]
        assert np.abs(ran.hist[k, 0] - x).max() < 1e-11
        assert np.abs(ran.hist[k, 1] - product).max() < 1e-10
        dt = np.diff(TIMES)
        wanted = [
            np.abs(x).max(), product.max(), product.min(), np.sum(0.5 * dt * (x[1:] + x[:-1])), x[-1],
            np.sum(0.5 * dt * (product[1:] ** 2 + product[:-1] ** 2)), product[-1],
        ]  # fmt: skip
        assert ran.acc[k] == pytest.approx(wanted, rel=1e-11, abs=1e-11)


def test_energy_is_watched():
    """Of a pendulum that is pushed the balance of energies with the work of the push, at the output times."""
    ran = Many(*functions(), form("dopri5")).run(runs(21), numbers())
    r = ran.registers
    assert (r[:, lane_form.OFF] < 1e-4 * r[:, lane_form.SIZE]).all()
    wrong = runs(21)
    loose = replace(numbers(), tol=numbers().tol * np.repeat([1e4, 1e4, 1.0, 1.0], 5))
    bad = Many(*functions(), form("dopri5")).run(wrong, loose).registers
    assert (bad[:, lane_form.OFF] > 10 * r[:, lane_form.OFF]).all()


def test_the_same_text_runs_on_numpy_arrays():
    """The reference: every lane of `begin` and of ten attempts, with the traced functions called in batches."""
    motion, projection, shown = functions()
    many_ = Many(motion, projection, shown, form("dopri5"), lanes=8)
    given, n = runs(8), numbers()

    def traced(function, wanted):
        def call(*arrays):
            found = function.batch(*[np.ascontiguousarray(a[:k]) for a, k in zip(arrays, function.program.input_sizes)])  # noqa: B905
            for target, value in zip(arrays[6:], found[:wanted], strict=True):
                target[: len(value)] = value

        return call

    names = {name: traced(f, wanted) for name, (f, wanted) in many_.functions.items()}

    def arrive(*arrays):
        names["projection"](*arrays[:7])
        names["motion"](arrays[0], arrays[6], *arrays[2:6], arrays[7])

    names["arrive"] = arrive
    text = attempt.sources(many_.form)
    begin, step = (numpy_function(text, name, {**many_.known, **names}) for name in ("begin", "attempt"))
    hist = np.full((8, 2, len(TIMES)), np.nan)
    rooms = {name: np.zeros((size, 8)) for name, size in many_.sizes.items()}
    rooms["y"][:], rooms["b"][:] = given.y.T, many_.designs(given).T
    rooms["lane"][lane_form.ROW], rooms["lane"][lane_form.ATOL] = np.arange(8) * hist[0].size, given.atol
    args = [*rooms.values(), *n.tables, hist.reshape(-1)]
    begin(*args)
    with np.errstate(all="ignore"):
        for _ in range(200):
            step(*args)
    ran = many_.run(given, n)
    assert np.array_equal(rooms["lane"][lane_form.OUTCOME], np.ones(8))
    assert np.array_equal(rooms["lane"][lane_form.STEPS], ran.registers[:, lane_form.STEPS])
    assert np.abs(rooms["y"].T - ran.y).max() < 1e-10
    assert np.abs(hist - ran.hist).max() < 1e-10


def test_runs_that_lanes_cannot_finish_are_told():
    problem, given = functions(), runs(5)
    short = Many(*problem, form("dopri5")).run(given, numbers(most=10))
    assert (short.registers[:, lane_form.OUTCOME] == lane_form.TOO_LONG).all()
    stiff = Many(*problem, form("dopri5", patience=10, worth=3)).run(given, numbers())
    assert (stiff.registers[:, lane_form.OUTCOME] == lane_form.LOOK).all()
    lost = given.y.copy()
    lost[2] = np.nan
    some = Many(*problem, form("dopri5")).run(replace(given, y=lost), numbers())
    assert some.done.tolist() == [True, True, False, True, True]
    assert some.registers[2, lane_form.OUTCOME] in lane_form.OUTCOMES
