"""Formulas as text: what is read, what is refused and where, and that writing and reading are inverse."""

from math import exp, inf, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import graph
from linkwright.errors import ModelError
from linkwright.graph import Expr, evaluate, symbol
from linkwright.model import GrammarError
from linkwright.model.grammar import DEEPEST, FUNCTIONS, read, read_scalar
from linkwright.model.tokens import LONGEST_TEXT
from linkwright.model.writing import write

t, k, x = symbol("t"), symbol("k"), symbol("x")
NAMES = {"t": t, "k": k, "x": x, "crank.x": symbol("crank.x"), "crank-rod.x": symbol("crank-rod.x")}


def attempt(build):
    """What build() gives, and None; or None and the ModelError it raises."""
    try:
        return build(), None
    except ModelError as error:
        return None, error


def value(text, **numbers):
    return evaluate([read(text, NAMES)], {symbol(n): v for n, v in numbers.items()})[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*pi*t", 2 * pi * 0.3),
        ("k*(x - 0.5)", 7 * (2 - 0.5)),
        ("where(t<1, sin(t), 0)", sin(0.3)),
        ("where(t > 1, 1/0.5, -x)", -2.0),
        ("-2**2", -4.0),
        ("(-2)**2", 4.0),
        ("2**3**2", 512.0),
        ("2**-1", 0.5),
        ("8/4/2", 1.0),
        ("8 - 4 - 2", 2.0),
        ("1 - -x", 3.0),
        ("+x", 2.0),
        ("1e-3 + .5 + 2.", 2.501),
        ("exp(-x)*sqrt(k)", exp(-2) * 7**0.5),
        ("min(x, k) + max(x, k) + abs(-x) + floor(2.7) + round(2.6)", 2 + 7 + 2 + 2 + 3),
        ("atan2(x, k) + hypot(3, 4) + sign(-x) + tanh(0)", np.arctan2(2, 7) + 5 - 1),
        ("sinh(asinh(x)) + cosh(acosh(x)) + tanh(atanh(1/k)) - 4", 1 / 7),
        ("where((t > 0) & (t < 1) and not (x < 0) | ~(k > 0), 1, 2)", 1.0),
        ("where(x == 2, 5, 6) + where(x != 2, 5, 6) + where(x >= 2, 1, 0) + where(x <= 1, 1, 0)", 5 + 6 + 1),
        ("x**0.5*x**1.5", 4.0),
        ("x**t", 2**0.3),
        (" \t2 *\n3 ", 6.0),
    ],
)
def test_value(text, expected):
    # The same few operations in another order of rounding.
    assert value(text, t=0.3, k=7.0, x=2.0) == pytest.approx(expected, rel=1e-15)


def test_dotted_and_quoted_names():
    assert read("crank.x", NAMES) is symbol("crank.x")
    assert read("`crank-rod`.x*2", NAMES) is symbol("crank-rod.x") * 2


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "not the end"),
        ("2*", 3, "not the end"),
        ("2 3", 3, "'3' was not expected"),
        ("(t", 3, "')' was expected"),
        ("t)", 2, "')' was not expected"),
        ("sin t", 1, "'sin' is not known"),
        ("sin()", 1, "takes 1 arguments, not 0"),
        ("sin(t, t)", 1, "takes 1 arguments, not 2"),
        ("sni(t)", 1, "function 'sni' is not known"),
        ("1 + tt", 5, "'tt' is not known"),
        ("t^2", 2, "'^' has no meaning"),
        ("0 < t < 1", 7, "cannot be chained"),
        ("where(t, 1, 2)", 1, "must be a comparison"),
        ("(t < 1) + 1", 1, "needs numbers, but a comparison"),
        ("t & k", 6, "joins comparisons"),
        ("~t", 1, "negates a comparison"),
        ("1/0", 1, "division by zero"),
        ("1e999", 1, "not a finite number"),
        ("2**1e9", 1, "exponent 1e+09 is too large"),
        ("9**9**9", 1, "too large"),
        ("x**65", 1, "exponent 65 is too large"),
        ("1e300*1e300", 1, "is 1e+300: beyond 1e+50"),
        ("1e40*1e40", 1, "is 1e+80: beyond 1e+50"),
        ("log(0)", 1, "not a finite number"),
        ("sqrt(-1)", 1, "not a finite number"),
        ("t;k", 2, "';' has no meaning"),
        ("t = 1", 3, "'=' has no meaning"),
        ("crank.", 7, "a name was expected"),
        ("1 if t else 2", 3, "'if' was not expected"),
        # hostile: there is nothing to reach
        ("__import__('os')", 12, "has no meaning"),
        ("__import__(os)", 12, "'os' is not known"),
        ("().__class__", 2, "'(' was expected, not ')'"),
        ("t.__class__", 1, "'t.__class__' is not known"),
        ("sin(t).__class__", 7, "there is no '__class__'"),
        ("sin.__globals__", 1, "is not known"),
        ("x[0]", 2, "'[' has no meaning"),
        ("lambda: 0", 7, "':' has no meaning"),
        ("{}", 1, "'{' has no meaning"),
        ('"a"*9', 1, "has no meaning"),
        ("\0", 1, "has no meaning"),
        ("`", 1, "has no meaning"),
        ("eval(t)", 1, "function 'eval' is not known"),
        ("٣", 1, "has no meaning"),  # a digit to Python's int(), none to us
    ],
)
def test_refused(text, column, words):
    with pytest.raises(GrammarError) as caught:
        read(text, NAMES)
    assert words in caught.value.cause
    assert caught.value.column == column
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "t" + ")" * 5000,
        "(" * (DEEPEST + 1) + "t" + ")" * (DEEPEST + 1),
        "-" * 3000 + "t",
        "~" * 3000 + "(t<1)",
        "2**" * 1000 + "2",
        "sin(" * 900 + "t" + ")" * 900,
        "t+" * LONGEST_TEXT + "t",
        " " * 10_000_000,
    ],
)
def test_large_input_ends_soon(text):
    with pytest.raises(GrammarError, match=r"nested deeper|longer than|too large"):
        read(text, NAMES)


def test_as_deep_and_as_long_as_allowed():
    assert read("(" * DEEPEST + "t" + ")" * DEEPEST, NAMES) is t
    n = LONGEST_TEXT // 2
    assert value("t+" * (n - 1) + "t", t=1.0) == n


def test_nearest_word():
    for text, word in (("crnak.x", "crank.x"), ("sine(t)", "sin"), ("wehre(t<1, 0, 1)", "where"), ("Pi", "pi")):
        with pytest.raises(GrammarError) as caught:
            read(text, NAMES)
        assert f"did you mean {word!r}?" in caught.value.remedy


TOKENS = ["t", "k", "x", "2", "1e9", ".5", "+", "-", "*", "/", "**", "(", ")", ",", ".", "<", "==", "&", "~", "not", "sin(",
          "where(", "min(", "crank", "crank.x", "`", " ", "e", "pi", "__class__", "[", "'", "\\"]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=20).map("".join) | st.text(max_size=30))
def test_any_text_is_read_or_refused_with_its_place(text):
    _, error = attempt(lambda: read(text, NAMES))
    if error is not None:
        assert isinstance(error, GrammarError)
        assert 1 <= error.column <= len(text) + 1
        assert error.remedy


def test_a_comparison_is_no_number():
    with pytest.raises(GrammarError, match="not a number"):
        read_scalar("t < 1", NAMES)


# -- writing -----------------------------------------------------------------------------------------------------------

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
leaves = st.one_of(numbers, st.sampled_from([t, k, x]))
UNARY = [graph.sin, graph.cos, graph.exp, graph.tanh, graph.absolute, graph.sign, graph.floor, graph.atan, lambda a: -a]
BINARY = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, graph.minimum, graph.maximum, graph.atan2, graph.hypot,
    lambda a, b: a / (1.5 + b * b), lambda a, b: (1 + a * a) ** b if isinstance(b, Expr) else a * b,
]  # fmt: skip
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda f, a: f(a), st.sampled_from(UNARY), inner),
        st.builds(lambda f, a, b: f(a, b), st.sampled_from(BINARY), inner, inner),
        st.builds(lambda a, b, c, d: graph.where((a < b) & ~(c == a) | (c != d), c, d), inner, inner, inner, inner),
        st.builds(lambda a, n: a**n, inner, st.integers(0, 4)),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(expressions)
def test_what_is_written_reads_back_as_the_same_expression(e):
    if not isinstance(e, Expr) and not np.isfinite(e):
        return
    again, error = attempt(lambda: read(write(e), NAMES))
    if error is not None:  # a constant folded to infinity, or too long: said, not written wrongly
        assert any(word in error.cause for word in ("finite", "inf", "nan", "long", "beyond"))
        return
    point = {t: 0.37, k: -1.9, x: 2.3}
    a, b = evaluate([e, again], point)
    np.testing.assert_array_equal(a, b)  # the very same operations, so the very same number, NaN included


def test_written_form():
    assert write(2 * t + 1) == "t * 2 + 1" or write(2 * t + 1) == "1 + t * 2"
    assert write(-(t * k)) == "-(t * k)" or write(-(t * k)) == "-(k * t)"
    assert write(t - (k - x)) == "t - (k - x)"
    assert write(1.5) == "1.5"
    assert write(-3) == "-3"


def test_what_cannot_be_written():
    table = graph.spline([0, 1, 2], [0, 1, 4])
    with pytest.raises(ModelError, match="cannot hold a table"):
        write(table(t))
    with pytest.raises(ModelError, match="inf"):
        write(inf)
    e = t
    for _ in range(40):  # shared subexpressions: the graph is small, the text would have 2**40 words
        e = graph.sin(e) + graph.cos(e)
    with pytest.raises(ModelError, match="too long"):
        write(e)


def test_every_function_reads_and_writes():
    for name, (_, least, _) in FUNCTIONS.items():
        if name not in ("where", "sign", "hypot"):  # these are made of others
            text = f"{name}({', '.join(['t', 'k'][:least])})"
            assert sorted(write(read(text, NAMES))) == sorted(text)  # min and max order their arguments
