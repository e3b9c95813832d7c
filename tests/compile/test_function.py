"""A compiled function: what it accepts, what it refuses, threads, pickles."""

import copy
import pickle
import re
import threading

import numpy as np
import pytest
from processes import run

from linkwright.compile import Function
from linkwright.errors import ArgumentError, CompileError
from linkwright.graph import Table, cos, sin, symbol, symbols

x, y, t = symbol("x"), symbol("y"), symbol("t")
TABLE = Table.through([0, 1, 2, 3], [0, 1, 0, 2])


@pytest.fixture(scope="module")
def plane():
    """A rotation of a vector: arrays of one and two dimensions, and a scalar."""
    s = symbols("s", 2)
    A = np.array([[cos(t), -sin(t)], [sin(t), cos(t)]])
    return Function("plane", {"t": t, "s": s}, {"A": A, "r": A @ s, "size": s @ s})


def expected(angle, s):
    A = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return A, A @ s, np.asarray(s @ s)


def assert_same(found, wanted):
    for f, w in zip(found, wanted, strict=True):
        assert f.shape == w.shape
        assert np.abs(f - w).max(initial=0.0) < 1e-15  # one rounding: the numbers are below one


# -- what it accepts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "s",
    [
        [0.25, 0.5],
        (0.25, 0.5),
        np.array([0.25, 9.0, 0.5])[::2],
        np.array([0.5, 0.25])[::-1],
        np.array([0.25, 0.5], dtype=np.float32),
        np.array([0.25, 0.5], dtype=">f8"),
        np.frombuffer(b"\0" + np.array([0.25, 0.5]).tobytes(), offset=1),  # read-only and not aligned
    ],
)
def test_arrays_of_any_layout(plane, s):
    assert_same(plane(0.3, s), expected(0.3, np.array([0.25, 0.5])))
    batch = plane.batch(np.full(3, 0.3), np.stack([s] * 3, axis=-1))
    assert_same([r[..., 2] for r in batch], expected(0.3, np.array([0.25, 0.5])))


def test_whole_numbers_and_truth_values(plane):
    assert_same(plane(1, [True, False]), expected(1.0, np.array([1.0, 0.0])))
    assert_same(plane(np.int8(1), np.array([0, 1])), expected(1.0, np.array([0.0, 1.0])))


def test_transposed_batches(plane):
    s = np.random.default_rng(0).uniform(-0.5, 0.5, (20, 2))
    _, r, _ = plane.batch(np.full(40, 0.1)[::2], s.T)
    assert np.abs(r.T - [expected(0.1, row)[1] for row in s]).max() < 1e-15


def test_results_are_the_callers_own(plane):
    first = plane(0.3, [1.0, 0.0])
    kept = [r.copy() for r in first]
    plane(0.9, [0.0, 1.0])
    assert all(map(np.array_equal, first, kept))
    first[0][...] = 7.0
    assert_same(plane(0.3, [1.0, 0.0]), expected(0.3, np.array([1.0, 0.0])))


def test_arguments_are_left_alone(plane):
    s = np.array([0.25, 0.5])
    s.flags.writeable = False
    plane(0.3, s)
    assert s.tolist() == [0.25, 0.5]


def test_no_outputs():
    f = Function("nothing", {"x": x}, {})
    assert f(1.0) == ()
    assert f.batch(np.ones(3)) == ()


def test_constants_inputs_and_repeated_outputs():
    f = Function("plain", {"v": [x, y]}, {"c": [[1.5, -0.0]], "x": x, "both": [y, y], "n": np.nan, "empty": []})
    c, first, both, n, empty = f([3.0, 4.0])
    assert c.tolist() == [[1.5, 0.0]]
    assert np.signbit(c[0, 1])
    assert (first, both.tolist(), empty.shape) == (3.0, [4.0, 4.0], (0,))
    assert np.isnan(n)
    c, first, both, n, _ = f.batch(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert c.shape == (1, 2, 3)
    assert (c[0, 0] == 1.5).all()
    assert first.tolist() == [1.0, 2.0, 3.0]
    assert both[1].tolist() == [4.0, 5.0, 6.0]
    assert np.isnan(n).all()


def test_no_inputs_and_unused_inputs():
    assert Function("constant", {}, {"c": [2.0]})()[0].tolist() == [2.0]
    assert Function("unused", {"x": x, "none": [], "y": y}, {"c": 2 * y})(1.0, [], 4.0)[0] == 8.0


def test_three_dimensions():
    v = symbols("v", 2, 3, 4)
    f = Function("cube", {"v": v}, {"w": v.transpose(2, 0, 1) * 2.0, "sum": v.sum()})
    at = np.arange(24.0).reshape(2, 3, 4)
    w, total = f(at)
    assert np.array_equal(w, at.transpose(2, 0, 1) * 2)
    assert total == 276
    w, _ = f.batch(np.stack([at, -at], axis=-1))
    assert np.array_equal(w[..., 1], -2 * at.transpose(2, 0, 1))


def test_repr(plane):
    assert re.fullmatch(r"<plane: \(t, s\[2\]\) -> \(A\[2, 2\], r\[2\], size\), \d+ operations>", repr(plane))


# -- what it refuses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "takes 2 arrays (t, s), got 0"),
        ((0.3,), "takes 2 arrays (t, s), got 1"),
        ((0.3, [1.0, 2.0], 1.0), "got 3"),
        ((0.3, [1.0, 2.0, 3.0]), "'s' must have shape (2,), got (3,)"),
        (([0.3], [1.0, 2.0]), "'t' must have shape (), got (1,)"),
        ((0.3, [[1.0, 2.0]]), "'s' must have shape (2,), got (1, 2)"),
        ((0.3, [1.0, 2j]), "'s' holds complex128"),
        ((0.3, ["a", "b"]), "'s' holds <U1"),
        ((None, [1.0, 2.0]), "'t' holds object"),
        ((0.3, [[1.0], [1.0, 2.0]]), "'s' is no array"),
    ],
)
def test_wrong_arguments(plane, args, words):
    with pytest.raises(ArgumentError, match=re.escape(words)) as caught:
        plane(*args)
    assert caught.value.element == ("plane",)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (([0.3],), "takes 2 arrays (t, s), got 1"),
        ((0.3, [[1.0], [2.0]]), "needs (t: (B,), s: (2, B)) with one B; got ((), (2, 1))"),
        (([0.3, 0.4], [[1.0], [2.0]]), "one B; got ((2,), (2, 1))"),
        (([0.3, 0.4], [1.0, 2.0]), "'s' must have shape (2, 2), got (2,)"),
        (([0.3], [[1j], [2.0]]), "'s' holds complex128"),
        (([0.3], [[1.0], [2.0, 3.0]]), "'s' is no array"),
    ],
)
def test_wrong_batches(plane, args, words):
    with pytest.raises(ArgumentError, match=re.escape(words)) as caught:
        plane.batch(*args)
    assert caught.value.element == ("plane",)


def test_a_refused_call_changes_nothing(plane):
    good = plane(0.3, [1.0, 2.0])
    with pytest.raises(ArgumentError):
        plane(0.9, [1.0])
    assert all(map(np.array_equal, plane(0.3, [1.0, 2.0]), good))


def test_a_symbol_that_is_no_input():
    with pytest.raises(CompileError, match="'y', which is no input") as caught:
        Function("f", {"x": x}, {"z": [x * y]})
    assert caught.value.element == ("y",)
    assert "input" in caught.value.remedy


def test_a_symbol_twice():
    with pytest.raises(CompileError, match="twice") as caught:
        Function("f", {"a": [x, y], "b": x}, {"z": x})
    assert caught.value.element == ("f.b",)
    assert "'a'" in caught.value.cause


def test_an_input_that_is_no_symbol():
    for wrong in (x + 1, 2.0, "x"):
        with pytest.raises(CompileError, match="no symbol") as caught:
            Function("f", {"a": [wrong]}, {"z": 1.0})
        assert caught.value.element == ("f.a",)


def test_an_output_that_is_no_number():
    for wrong in (x < y, "x", None, 1j, np.complex128(1)):
        with pytest.raises(CompileError, match="no number") as caught:
            Function("f", {"a": [x, y]}, {"z": [wrong]})
        assert caught.value.element == ("f.z",)


# -- threads, pickles ---------------------------------------------------------------------------------------------------


def fresh(name):
    return Function(name, {"x": x, "t": [t]}, {"z": [sin(x) * t, TABLE(x), x / t]})


def test_eight_threads_at_once():
    f, results, start = fresh("threads"), {}, threading.Barrier(8)

    def work(k):
        start.wait()  # the first call, which compiles, at the same time, too
        at = [np.array([k + 0.25 * i, 1.0 + i]) for i in range(300)]
        one = np.array([f(a[0], a[1:])[0] for a in at])
        many = f.batch(np.array([a[0] for a in at]), np.array([a[1:] for a in at]).T)[0]
        results[k] = one, many.T

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        alone = np.array([f(k + 0.25 * i, [1.0 + i])[0] for i in range(300)])
        assert np.array_equal(results[k][0], alone)
        assert np.array_equal(results[k][1], alone)


def test_pickle_and_copy():
    f = fresh("pickled")
    f(0.5, [2.0])
    for other in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert repr(other) == repr(f)
        assert other.program.digest == f.program.digest
        assert np.array_equal(other(0.5, [2.0])[0], f(0.5, [2.0])[0])


def test_pickle_to_another_process(tmp_path):
    f = fresh("travels")
    (tmp_path / "f").write_bytes(pickle.dumps(f))
    script = "import pickle, sys; f = pickle.load(open(sys.argv[1], 'rb')); print([v.hex() for v in f(0.5, [3.0])[0]])"
    assert run(script, str(tmp_path / "f")).strip() == str([float(v).hex() for v in f(0.5, [3.0])[0]])


def test_the_address_serves_native_code(plane):
    import ctypes

    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(plane.address)
    ins, outs = [np.array(0.3), np.array([0.25, 0.5])], [np.empty((2, 2)), np.empty(2), np.empty(())]
    pointers = [(ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays]) for arrays in (ins, outs)]
    call(*pointers)
    assert all(map(np.array_equal, outs, plane(*ins)))
