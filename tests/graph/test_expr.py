"""Traced scalars: one object for one expression, simplification, numpy, what they refuse."""

import copy
import gc
import math
import pickle
import re
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precise import Traced

from linkwright.errors import TraceError
from linkwright.graph import (
    Expr,
    evaluate,
    gradient,
    is_number,
    maximum,
    minimum,
    power,
    sin,
    sqrt,
    symbol,
    symbols,
    topological,
    where,
)
from linkwright.graph import arithmetic as arithmetic_module
from linkwright.graph import expr as expr_module
from linkwright.graph.arithmetic import neg
from linkwright.graph.expr import hold, node
from strategies import programs

x, y, z = symbol("x"), symbol("y"), symbol("z")
finite = st.floats(allow_nan=False, allow_infinity=False)


def is_zero(value):
    return type(value) is float and value == 0.0


# -- one object for one expression --------------------------------------------------------------------------------------


def test_built_twice_is_the_same_object():
    assert symbol("x") is x
    assert sin(x * y) + 2 is sin(x * y) + 2
    assert symbol("x") is not symbol("X")


@given(programs())
def test_a_program_traced_twice_is_the_same_graph(program):
    q = list(symbols("q", program.n))
    again = program(Traced, q)
    assert all(a is b if type(a) is Expr else a == b for a, b in zip(again, program(Traced, q), strict=True))


def test_order_of_commuting_arguments_does_not_matter():
    assert x + y is y + x
    assert x * y is y * x
    assert minimum(x, y) is minimum(y, x)
    assert maximum(x, y) is maximum(y, x)
    assert (x == y) is (y == x)
    assert ((x < 1) & (y < 2)) is ((y < 2) & (x < 1))
    assert x - y is not y - x
    assert x / y is not y / x


def test_constants_that_differ_only_in_sign_or_type():
    assert x * 2 is x * 2.0
    assert x * np.float64(2) is x * 2.0
    assert node("const", (), 0.0) is not node("const", (), -0.0)
    assert node("const", (), math.nan) is node("const", (), math.nan)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64, np.int64, np.float32, np.float16, int, bool])
def test_every_kind_of_number_counts_as_its_value(kind):
    """An unsigned 1 must not turn into 255 when it changes sign."""
    one = kind(1)
    assert x - one is x - 1.0
    assert one - x is 1.0 - x
    assert -x * one is -x
    assert one / -x is -1.0 / x
    three = kind(3)
    assert -x * three is x * -float(three)


def test_memory_is_given_back():
    gc.collect()
    before = len(expr_module._interned)
    q = symbols("temporary", 200)
    f = sum(sin(a) * b for a, b in zip(q, q[::-1], strict=True))
    g = gradient(f, list(q))
    assert len(expr_module._interned) > before + 800
    del f, g, q
    gc.collect()
    assert len(expr_module._interned) == before


# -- simplification ---------------------------------------------------------------------------------------------------


def test_structural_zeros_are_the_number_zero():
    for value in (x - x, x * 0, 0 * x, 0 / x, sin(x) - sin(x), (x + y) * 0.0, np.float64(0) * x):
        assert is_zero(value), value


def test_neutral_elements():
    for same in (x * 1, 1 * x, x + 0, 0 + x, x - 0, x / 1, x**1, neg(neg(x)), +x, x * -1 * -1, 0.0 - (-x)):
        assert same is x
    assert x**0 == 1.0
    assert is_number(x**0)


def test_signs_move_outward():
    assert x + (-y) is x - y
    assert (-x) + y is y - x
    assert x - (-y) is x + y
    assert (-x) * (-y) is x * y
    assert (-x) / (-y) is x / y
    assert -(x - y) is y - x
    assert (-x) * y is -(x * y)


@pytest.mark.parametrize("name", list("abcdefghij"))
def test_constants_merge_whatever_the_hash_order(name):
    s = symbol(name)
    assert (s + 1) + 2 is s + 3
    assert 2 + (1 + s) is s + 3
    assert (s - 1) - 2 is s - 3
    assert 2 * (3 * s) is s * 6
    assert (s * 3) * -2 is s * -6
    assert -(3 * s) is -3 * s


def test_constants_do_not_merge_into_overflow_or_underflow():
    assert evaluate([(x * 1e200) * 1e200], {x: 0.0}) == [0.0]
    assert evaluate([(x * 1e-200) * 1e-200], {x: 1e300}) == [pytest.approx(1e-100, rel=1e-15)]
    assert evaluate([x / 1e-320], {x: 0.0}) == [0.0]


def test_whole_and_half_powers_are_products_and_roots():
    assert x**2 is x * x
    assert x**0.5 is sqrt(x)
    assert x**-1 is 1 / x
    assert x**-1.5 is 1 / x**1.5
    assert x**-0.5 is 1 / sqrt(x)
    # x^n takes at most 2 log2 n multiplications
    assert sum(n.op == "mul" for n in topological([x**31])) <= 8
    assert (x**2.3).op == "pow"


@given(st.integers(-12, 12), st.floats(0.25, 4.0))
def test_powers_are_powers(n, value):
    # n - 1 multiplications at most, each rounded: 12 * 1.1e-16
    assert float(evaluate([x**n], {x: value})[0]) == pytest.approx(value**n, rel=3e-15)
    assert float(evaluate([x ** (n / 2)], {x: value})[0]) == pytest.approx(value ** (n / 2), rel=3e-15)


@given(finite, finite)
def test_numbers_fold_as_numpy_does(a, b):
    with np.errstate(all="ignore"):
        for ours, theirs in (
            (arithmetic_module.div, np.divide),
            (power, np.power),
            (minimum, np.minimum),
            (arithmetic_module.add, np.add),
        ):
            found = ours(a, b)
            assert type(found) is float
            np.testing.assert_equal(found, float(theirs(np.float64(a), np.float64(b))))


def test_hold_hides_its_argument():
    h = hold(x - y)
    assert not is_zero(h - (x - y))
    assert hold(h) is h
    assert hold(x) is x
    assert hold(2.0) == 2.0


# -- conditions ---------------------------------------------------------------------------------------------------------


def test_where_with_a_known_condition_takes_the_branch():
    assert where(True, x, y) is x
    assert where(np.bool_(False), x, y) is y
    assert where(x > 0, y, y) is y
    assert where(x > 0, 2.0, 2.0) == 2.0


def test_known_and_traced_conditions_mix():
    c = x > 0
    assert (c & True) is c
    assert (True & c) is c
    assert (c | False) is c
    assert (c & False) is False
    assert (True | c) is True
    assert (c & c) is c


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
def test_not_of_a_condition_that_turned_out_known():
    """A parameter that is a plain number makes `a > 0` Python's True, and ~True is -2, which is true to Python."""
    a = 2.0
    assert where(~(a > 0), x, y) is y
    assert where(~(a < 0), x, y) is x
    assert where(~(a > 0) & (x > 0), x, y) is y
    assert where(~(a > 0) | (x > 0), x, y) is where(x > 0, x, y)


def test_where_refuses_a_number_as_condition():
    with pytest.raises(TraceError, match="is a number, not a comparison") as info:
        where(x, 1.0, 2.0)
    assert "where(x > 0, a, b)" in info.value.remedy
    with pytest.raises(TraceError, match="'and' was applied to a traced number"):
        _ = x & (y > 0)
    with pytest.raises(TraceError, match="'not' was applied to a traced number"):
        _ = ~x


# -- what a traced value refuses ----------------------------------------------------------------------------------------


def test_if_names_the_users_line_and_the_remedy():
    def law(v):
        if v > 0:
            return v
        return 0.0

    with pytest.raises(TraceError, match="truth of a traced value") as info:
        law(x)
    line = law.__code__.co_firstlineno + 1
    assert f"at {__file__}:{line};" in str(info.value)
    assert "where(condition, a, b)" in info.value.remedy


def test_if_inside_numpy_names_the_users_line():
    with pytest.raises(TraceError) as info:
        np.sort(np.array([x, y], dtype=object))
    line = test_if_inside_numpy_names_the_users_line.__code__.co_firstlineno + 2
    assert f"at {__file__}:{line};" in str(info.value)


@pytest.mark.parametrize(
    "branch", [lambda: min(x, y), lambda: x > 0 and y > 0, lambda: not x, lambda: 0 < x < 1, lambda: x in [y]]
)
def test_hidden_branches_are_refused(branch):
    with pytest.raises(TraceError, match="truth of a traced value"):
        branch()


@pytest.mark.parametrize(
    "use",
    [
        lambda: float(x),
        lambda: int(x),
        lambda: complex(x),
        lambda: math.sin(x),
        lambda: [0, 1][x],
        lambda: np.array([x], dtype=float),
    ],
)
def test_a_traced_value_is_not_a_number(use):
    with pytest.raises(TraceError, match="used as a plain number") as info:
        use()
    assert f"{__file__}:" in str(info.value)
    assert "math" in info.value.remedy


def test_unknown_attributes_and_operands():
    with pytest.raises(AttributeError, match="no attribute 'lenght'"):
        _ = x.lenght
    for wrong in (lambda: x + "1", lambda: x * None, lambda: [1] - x, lambda: x < "a"):
        with pytest.raises(TypeError):
            wrong()
    assert (x == None) is False  # noqa: E711
    assert (x != "x") is True


# -- copying, pickling, depth -------------------------------------------------------------------------------------------


def test_copies_are_the_expression_itself():
    f = sin(x) * y
    assert copy.copy(f) is f
    assert copy.deepcopy([f])[0] is f


@given(programs())
def test_unpickled_is_the_same_object(program):
    roots = program(Traced, list(symbols("q", program.n)))
    again = pickle.loads(pickle.dumps(roots))
    assert all(a is b if type(a) is Expr else a == b for a, b in zip(again, roots, strict=True))


def test_a_deep_graph_needs_no_deep_stack():
    """A chain of 100 000 operations: built, walked, differentiated, pickled, written and dropped."""
    n = 100_000
    gc.collect()
    before = len(expr_module._interned)
    f = symbol("deep")
    for _ in range(n):
        f = sin(f)
    assert sys.getrecursionlimit() < n
    assert len(topological([f])) == n + 1
    value = evaluate([f], {symbol("deep"): 0.3})[0]
    assert 0 < value < 1
    again = pickle.loads(pickle.dumps(f))
    assert again is f
    assert len(repr(f)) < 1000
    del f, again
    gc.collect()
    assert len(expr_module._interned) == before


def test_a_deep_graph_is_differentiated():
    n = 5_000
    f = x
    for _ in range(n):
        f = f * 0.999 + 0.001 * (f - y)
    g = gradient(f, [x])[x]
    # every step multiplies by 0.999 + 0.001
    assert evaluate([g], {x: 1.0, y: 0.5})[0] == pytest.approx(1.0, rel=1e-11)


def test_text_is_readable_and_short():
    assert repr(x - y / z) == "(x - (y / z))"
    assert repr(-sin(x)) == "-sin(x)"
    long = x
    for k in range(100):
        long = sin(long) * symbol(f"c{k}")
    assert "..." in repr(long)
    assert len(repr(long)) < 500


def test_a_package_whose_name_begins_like_ours_is_the_users():
    neighbour = f"{Path(expr_module.__file__).parents[1]}_models/law.py"
    with pytest.raises(TraceError, match=re.escape(f"at {neighbour}:3;")):
        exec(compile("\n\nif x > 0:\n    pass\n", neighbour, "exec"), {"x": x})


@given(st.floats(-50, 50), st.sampled_from([0.3, 2.0, -1.5]))
def test_remainders_as_in_python(value, divisor):
    """A law that repeats: x % period. Where a rounding decides on which side of a multiple x lies, either is right."""
    parts = evaluate([x // divisor, x % divisor, np.remainder(x, divisor), divisor % (x * x + 1)], {x: value})
    assert parts[0] * divisor + parts[1] == pytest.approx(value, abs=1e-13)
    assert parts[1] is parts[2] or parts[1] == parts[2]
    assert -1e-13 <= parts[1] / divisor <= 1 + 1e-13
    assert parts[3] == pytest.approx(divisor % (value * value + 1), abs=1e-12)


def test_functions_of_numpy_that_are_not_known_are_named_with_the_line():
    with pytest.raises(TraceError, match=r"numpy\.cbrt of a traced value, at .*test_expr\.py"):
        np.cbrt(x)


def test_threads_that_make_and_drop_the_same_expressions(monkeypatch):
    """An expression that one thread drops while another makes it anew is forgotten once, and never the new one."""
    wrong: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", wrong.append)

    class Hesitant(dict):
        """Lets other threads run after every look."""

        def get(self, key, default=None):
            found = super().get(key, default)
            time.sleep(0)
            return found

    x = symbol("x")
    monkeypatch.setattr(expr_module, "_interned", Hesitant(expr_module._interned))

    def work():
        for _ in range(1000):
            held = -x
            if held is not -x:
                wrong.append(held)
            del held

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
