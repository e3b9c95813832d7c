"""Compiled programs against many digits: one lane, several lanes, several threads, split programs, tables."""

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from precise import Reference, Traced, UnfitError, assert_close

from linkwright.compile import Function, emit, function
from linkwright.compile.jit import host, to_object
from linkwright.graph import (
    Table,
    absolute,
    along,
    cos,
    evaluate,
    exp,
    floor,
    maximum,
    minimum,
    sign,
    sin,
    sqrt,
    symbols,
    where,
)
from strategies import TABLES, numbers, programs, seeds

LANES = host().lanes
EXAMPLES = settings.default.max_examples  # compiling one takes some 20 ms: a part of them


@pytest.fixture
def split_small(monkeypatch):
    """Programs are split into pieces of a few instructions; the cache, whose entries are whole programs, is off."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(emit, "WHOLE", 5)

    def into(chunk):
        monkeypatch.setattr(emit, "CHUNK", chunk)

    return into


# -- random programs ----------------------------------------------------------------------------------------------


def fit_points(program, random, count):
    """Random points away from kinks and jumps, each with its reference."""
    found = []
    for _ in range(count):
        at = random.integers(-2048, 2049, program.n) / 1024
        reference = Reference(program, at)
        try:
            found.append((at, reference, reference.values()))
        except UnfitError:
            continue
    return found


def check_program(program, random, count):
    points = fit_points(program, random, count)
    assume(points)
    q = symbols("q", program.n)
    roots = program(Traced, list(q))
    f = Function("random", {"q": q}, {"y": roots})
    at = np.array([x for x, _, _ in points]).T
    (batch,) = f.batch(at)
    oracle = [np.broadcast_to(y, len(points)) for y in evaluate(roots, dict(zip(q, at, strict=True)))]
    for k, (x, _, expected) in enumerate(points):
        assert_close(f(x)[0], expected)
        assert_close(batch[:, k], expected)
        assert_close([y[k] for y in oracle], expected)


@settings(max_examples=EXAMPLES // 2)
@given(programs(), seeds, st.integers(1, 2 * LANES + 1))
def test_random_programs(program, random, count):
    check_program(program, random, count)


@settings(max_examples=EXAMPLES // 3)
@given(programs(), seeds, st.lists(numbers, min_size=4, max_size=4))
def test_derivatives_of_random_programs(program, random, v):
    points = fit_points(program, random, 1)
    assume(points)
    ((at, reference, _),) = points
    q, v = symbols("q", program.n), v[: program.n]
    rates = dict(zip(q, v, strict=True))
    first = along(program(Traced, list(q)), rates)
    f = Function("derivatives", {"q": q}, {"first": first, "second": along(first, rates)})
    found = f(at)
    assert_close(found[0], reference.derivative(v))
    assert_close(found[1], reference.second(v, v))


@pytest.mark.parametrize("chunk", [2, 9, 40])
def test_random_programs_in_pieces(split_small, chunk):
    split_small(chunk)

    @settings(max_examples=EXAMPLES // 8)
    @given(programs(max_steps=14), seeds)
    def check(program, random):
        check_program(program, random, 3)

    check()


def test_logical_values_and_inputs_cross_pieces(split_small):
    a, b, c = q = symbols("q", 3)
    low, high = a < b, b <= c
    filler = a
    for k in range(30):  # pushes the uses of the comparisons into later pieces
        filler = filler + b * (k + 1.0)
    y = [where(low & ~high, filler, c), where(low | high, a, filler), where(high, 1.0, filler)]
    values = np.array(list(product([-1.0, 0.0, 2.0, np.nan], repeat=3))).T
    for chunk in (1, 2, 3, 10):
        split_small(chunk)
        f = Function("crossing", {"q": q}, {"y": y})
        expected = np.array([np.broadcast_to(e, 64) for e in evaluate(y, dict(zip(q, values, strict=True)))])
        # small whole numbers: no rounding, hence equal
        assert np.array_equal(f.batch(values)[0], expected, equal_nan=True)
        assert all(np.array_equal(f(values[:, k])[0], expected[:, k], equal_nan=True) for k in range(64))


# -- batches ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wave():
    """Of products and one sum each: the same bits in one lane and in several."""
    x, p = symbols("x", 2), symbols("p", 3)
    return Function("wave", {"x": x, "p": p}, {"y": [[sin(x[0]) * p[0], exp(x[1])], [x[0] - p[1], sqrt(p[2])]], "z": [p[2]]})


def inputs_of_wave(count):
    random = np.random.default_rng(count)
    return random.normal(size=(2, count)), random.uniform(1, 2, (3, count))


@pytest.mark.parametrize("count", [0, *range(1, 2 * LANES + 2), 3 * LANES - 1, 100])
def test_any_batch_size_gives_the_bits_of_single_calls(wave, count):
    x, p = inputs_of_wave(count)
    y, z = wave.batch(x, p)
    assert y.shape == (2, 2, count)
    assert z.shape == (1, count)
    for k in range(count):
        single = wave(x[:, k], p[:, k])
        assert np.array_equal(y[..., k], single[0])
        assert np.array_equal(z[..., k], single[1])


@pytest.mark.parametrize("count", [255, 256, 511, 512, 513, 1024 + LANES - 1, 3000])
def test_threads_change_nothing(wave, count):
    x, p = inputs_of_wave(count)
    alone = wave.batch(x, p, threads=1)
    for threads in (2, 3, 5, None):
        assert all(map(np.array_equal, wave.batch(x, p, threads=threads), alone))


# -- infinity and NaN -----------------------------------------------------------------------------------------------

a, b = symbols("s", 2)
ELEMENTARY = {
    "add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "neg": -a, "abs": absolute(a), "sqrt": sqrt(a),
    "floor": floor(a), "min": minimum(a, b), "max": maximum(a, b), "sign": sign(a), "by number": a / 3.0, "cube": a**3,
    "lt": where(a < b, 1.0, 0.0), "le": where(a <= b, 1.0, 0.0), "eq": where(a == b, 1.0, 0.0),
    "ne": where(a != b, 1.0, 0.0), "not": where(~(a < b), a, b), "and": where((a < b) & (b < 1.0), a, b),
    "or": where((a < b) | (b < 1.0), a, b), "inverse": 1.0 / a, "whole power": a**-2, "half power": absolute(a) ** 0.5,
}  # fmt: skip


@pytest.fixture(scope="module")
def elementary():
    return Function("elementary", {"s": [a, b]}, ELEMENTARY)


def test_infinity_and_nan_propagate_as_in_numpy(elementary):
    special = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324, 1e308]
    grid = np.array(list(product(special, repeat=2))).T
    found = elementary.batch(grid)
    expected = evaluate(list(ELEMENTARY.values()), {a: grid[0], b: grid[1]})
    for name, y, e in zip(ELEMENTARY, found, expected, strict=True):
        assert np.array_equal(y, e, equal_nan=True), name  # of single operations: correctly rounded in both
    for k in range(grid.shape[1]):
        single = elementary(grid[:, k])
        assert all(np.array_equal(s, y[k], equal_nan=True) for s, y in zip(single, found, strict=True))


def test_powers_of_halves_at_their_ends():
    """Products and a root: a rounding each, so at most 2 ulp; zero, infinity and NaN as numpy has them."""
    x = np.array([0.0, 1.0, 1.5, 0.3, 7.1, 1e-200, 1e308, np.inf, -1.5, -np.inf, np.nan])
    (y,) = Function("half", {"s": [a]}, {"y": [a**1.5]}).batch(x[None])
    with np.errstate(all="ignore"):
        expected = np.power(x, 1.5)
    np.testing.assert_array_equal(np.isfinite(y[0]), np.isfinite(expected))
    np.testing.assert_array_equal(np.isnan(y[0]), np.isnan(expected))
    np.testing.assert_array_max_ulp(y[0][np.isfinite(expected)], expected[np.isfinite(expected)], maxulp=2)


# -- tables ---------------------------------------------------------------------------------------------------------


def places(table):
    """Knots, their neighbours, between, outside, many periods away."""
    knots, length = table.breaks, table.breaks[-1] - table.breaks[0]
    x = [knots, np.nextafter(knots, -np.inf), np.nextafter(knots, np.inf)]
    x.append(np.random.default_rng(1).uniform(knots[0] - 0.3 * length, knots[-1] + 0.3 * length, 60))
    x.append(knots[0] + length * np.array([-1e6, -1000.25, -3.0, -1.0, 1.0, 2.0, 7.125, 1e3 + 0.3, 1e6 + 0.7]))
    return np.concatenate(x)


def size_of_terms(table, x, derivative):
    """The sum of |c_k d^k|: what the rounding of the polynomial is proportional to."""
    if table.periodic:
        x = x - (table.breaks[-1] - table.breaks[0]) * np.floor((x - table.breaks[0]) / (table.breaks[-1] - table.breaks[0]))
    i = np.clip(np.searchsorted(table.breaks, x, side="right") - 1, 0, len(table.breaks) - 2)
    d = np.abs(x - table.breaks[i])
    return sum(np.abs(c[i]) * d**k for k, c in enumerate(emit.derived(table.coefficients, derivative)))


@pytest.mark.parametrize("table", TABLES, ids=["linear", "cubic", "periodic"])
def test_tables_and_their_derivatives(table):
    (x,) = symbols("x", 1)
    f = Function("table", {"x": x}, {"y": [table.at(x, order) for order in range(4)]})
    at = places(table)
    (y,) = f.batch(at)
    singles = np.array([f(t)[0] for t in at]).T
    assert np.array_equal(singles, y)
    for order in range(4):
        error = np.abs(y[order] - table.evaluate(at, order))
        assert (error <= 4 * np.finfo(float).eps * size_of_terms(table, at, order)).all()


@pytest.mark.parametrize("table", TABLES, ids=["linear", "cubic", "periodic"])
def test_a_table_hands_on_nan(table):
    (x,) = symbols("x", 1)
    f = Function("table", {"x": x}, {"y": [table.at(x, order) for order in range(table.degree + 1)]})
    assert np.isnan(f(np.nan)[0]).all()
    assert np.isnan(f.batch(np.full(LANES + 1, np.nan))[0]).all()


@pytest.mark.parametrize("intervals", [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 100])
def test_the_right_interval_is_found(intervals):
    (x,) = symbols("x", 1)
    breaks = np.cumsum(np.random.default_rng(intervals).uniform(0.1, 2, intervals + 1))
    table = Table(breaks, [np.arange(intervals)])  # its value is the number of the interval
    at = np.concatenate([breaks, np.nextafter(breaks, -np.inf), [breaks[0] - 9, breaks[-1] + 9]])
    f = Function("intervals", {"x": x}, {"y": table(x)})
    assert np.array_equal(f.batch(at)[0], table.evaluate(at))
    assert [f(t)[0] for t in at] == list(table.evaluate(at))


# -- size -------------------------------------------------------------------------------------------------------------


def large_program(operations):
    """Averages and products of earlier values, far and near; every value stays in [-1, 1], no error grows."""
    random = np.random.default_rng(operations)
    q = symbols("q", 5)
    values = [cos(q[0]), *q[1:]]
    near, far, kind = random.integers(1, 5, operations), random.random(operations), random.random(operations)
    for k in range(operations // 2):
        u, v = values[-near[k]], values[int(far[k] * len(values))]
        values.append(u * v if kind[k] < 0.2 else where(u < v, u, v) if kind[k] < 0.3 else (u + v) * 0.5)
    return q, values[-5:], values


@pytest.mark.parametrize("operations", [1000, 10_000, 40_000])
def test_large_programs(operations):
    q, outputs, _ = large_program(operations)
    f = Function("large", {"q": q}, {"y": outputs})
    at = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    expected = np.array(evaluate(outputs, dict(zip(q, at, strict=True))))
    # an average halves the errors of both; 1e-12 is some thousand roundings
    assert np.abs(f(at[:, 0])[0] - expected[:, 0]).max() < 1e-12
    if operations <= 10_000:
        assert np.abs(f.batch(at)[0] - expected).max() < 1e-12


def test_time_to_compile_is_nearly_linear():
    def seconds(operations):
        q, _, values = large_program(operations)
        program = Function("large", {"q": q}, {"y": values[5::7]}).program
        assembly = emit.emit_module(program, "f", 1)
        start = time.process_time()
        to_object(assembly)
        return (time.process_time() - start) / program.operations

    seconds(500)
    # measured: 1.1 times as long for an operation; in one function it is 7 times
    assert seconds(24_000) < 3 * seconds(3000)


def test_many_constant_outputs_are_written_in_pieces(split_small):
    """Constants with an input and a result among them: their stores are spread over functions, whatever their number."""
    x = symbols("x", 2)
    values = [0.0, 1.0] * 350
    values[3], values[650], values[699] = x[1], sin(x[0]), x[0]
    f = Function("sparse", {"x": x}, {"y": values, "z": [1.0, x[0] * x[1]]})
    text = emit.emit_module(f.program, "f", 4)
    stores = [part.count("store <4 x double>") for part in text.split("define ")]
    assert sum(stores) >= 702
    assert max(stores) <= 2 * emit.CHUNK
    y, z = f([0.5, 2.0])
    expected = np.tile([0.0, 1.0], 350)
    expected[[3, 650, 699]] = 2.0, np.sin(0.5), 0.5
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(z, [1.0, 1.0])
    lanes = f.batch(np.array([[0.5] * 5, [2.0] * 5]))
    np.testing.assert_array_equal(lanes[0], np.tile(expected[:, None], 5))


def test_zeros_of_a_matrix_cost_no_code():
    """A diagonal of 300 among 90,000 entries: a loop writes each run of zeros, in one lane and in several."""
    x = symbols("x", 300)
    D = np.zeros((300, 300), dtype=object)
    D[np.arange(300), np.arange(300)] = [2 * a for a in x]
    f = Function("diagonal", {"x": x}, {"D": D})
    assert emit.emit_module(f.program, "f", 1).count("store double") <= 2 * 300
    at = np.random.default_rng(1).normal(size=(300, 5))
    np.testing.assert_array_equal(f(at[:, 0])[0], np.diag(2 * at[:, 0]))
    np.testing.assert_array_equal(f.batch(at)[0][..., 4], np.diag(2 * at[:, 4]))


# -- quick code -----------------------------------------------------------------------------------------------------


def test_random_programs_compiled_quickly(monkeypatch):
    """What long programs get where they are called from Python: held to the same digits."""
    monkeypatch.setattr(function, "LONG", 0)

    @settings(max_examples=EXAMPLES // 8)
    @given(programs(), seeds)
    def check(program, random):
        check_program(program, random, 3)

    check()


def test_long_programs_are_compiled_quickly_for_calls_and_well_for_loops(monkeypatch):
    quick = []
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(function, "to_object", lambda *a, **more: quick.append(more["quick"]) or to_object(*a, **more))
    q, outputs, _ = large_program(1000)
    f = Function("large", {"q": q}, {"y": outputs})
    monkeypatch.setattr(function, "LONG", 500)
    at = np.random.default_rng(0).uniform(-1, 1, (5, 1001))
    few, many, one = f.batch(at[:, :1000])[0], f.batch(at)[0], f(at[:, 0])[0]
    assert f.address
    assert quick == [True, False, True, False]
    monkeypatch.setattr(function, "VERY_LONG", 500)
    function._LOADED.clear()
    again = Function("large", {"q": q}, {"y": outputs})
    assert again.address
    assert quick[4:] == [True]
    # an average halves the errors of both; 1e-12 is some thousand roundings
    assert np.abs(many[:, :1000] - few).max() < 1e-12
    assert np.abs(few[:, 0] - one).max() < 1e-12
