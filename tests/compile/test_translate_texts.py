"""The native language, functions written as text: what is refused, with its line; random programs against Python."""

import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_translate import agree

from linkwright.compile import Native, f64, native
from linkwright.errors import CompileError

# -- what is not in the language --------------------------------------------------------------------------------------------


def refused(source: str, result: str = "f64") -> str:
    """The message for a function of these lines, the first of which is its line 3, after the decorator and the head."""
    with pytest.raises(CompileError) as caught:
        made(source, result)
    assert "wrong" in caught.value.element[0]
    return caught.value.cause


def made(source: str, result: str, name: str = "wrong", arguments: str = "x: Array, a: f64, k: i64") -> Native:
    lines = [f"    {line}" for line in source.splitlines()]
    text = "\n".join(["from test_translate import *", "", "@native", f"def {name}({arguments}) -> {result}:", *lines, ""])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(text)
        spec = spec_from_file_location(name, path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        function = getattr(module, name)
        function.signature, function._loaded  # noqa: B018  the source is read now, while it is there
    return function


REFUSED = {
    "import": ("import math\nreturn a", "Import is not in the language", 3),
    "with": ("with x:\n    pass\nreturn a", "With is not in the language", 3),
    "two targets": ("a, b = 1.0, 2.0\nreturn a", "Tuple is not in the language", 3),
    "list": ("return [a]", "List is not in the language", 3),
    "text": ("b = 'text'\nreturn a", "is no number", 3),
    "attribute": ("return math.sin(a)", "names a function", 3),
    "keyword": ("return early(x=a)", "by position", 3),
    "loop over an array": ("for v in x:\n    a += v\nreturn a", "range", 3),
    "loop with else": ("for i in range(3):\n    pass\nelse:\n    a = 1.0\nreturn a", "else", 3),
    "while with else": ("while a < 1.0:\n    a += 1.0\nelse:\n    a = 1.0\nreturn a", "else", 3),
    "step zero": ("for i in range(0, 3, 0):\n    pass\nreturn a", "step", 3),
    "step unknown": ("for i in range(0, 3, k):\n    pass\nreturn a", "step", 3),
    "four numbers": ("for i in range(0, 3, 1, 1):\n    pass\nreturn a", "one to three", 3),
    "another type": ("b = 1\nif a > 0.0:\n    b = a\nreturn a", "f64 where i64", 5),
    "real index": ("b = 1.0\nreturn x[a]", "index is f64", 4),
    "negative index": ("return x[-1]", "negative", 3),
    "negative slice": ("b = x[-k:]\nreturn a", "negative", 3),
    "slice from the start": ("b = x[:2]\nreturn a", "slice", 3),
    "element of a number": ("return a[0]", "a is no array", 3),
    "slice of a number": ("b = a[1:]\nreturn a", "a is no array", 3),
    "number as condition": ("return 1.0 if a else 0.0", "comparison", 3),
    "or of numbers": ("b = k or 5\nreturn a", "BoolOp is not in the language", 3),
    "shift": ("b = k << 2\nreturn a", "LShift of i64 and i64", 3),
    "floor of real": ("return a // 2.0", "FloorDiv of f64 and f64", 3),
    "is": ("return 1.0 if k is a else 0.0", "comparison", 3),
    "no result": ("if a > 0.0:\n    return a", "without a result", 3),
    "empty return": ("if a > 0.0:\n    return\nreturn a", "declared to return f64", 4),
    "two arguments": ("return sqrt(a, a)", "sqrt takes 1", 3),
    "wrong call": ("return early(a, a)", "early takes 1 arguments, got 2", 3),
    "array for number": ("return early(x)", "Array where f64", 3),
    "plain function": ("return agree(a)", "not a native function", 3),
    "no value": ("b: f64\nreturn a", "needs a value", 3),
    "calling a number": ("return a(x, x)", "f(ins, outs)", 3),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    source, words, line = REFUSED[case]
    message = refused(source)
    assert words in message
    assert f"(line {line} of the function at " in message


def test_refused_results_names_and_types():
    assert "declared to return None" in refused("return a", "None")
    assert "'unknown' is not known" in refused("return unknown + a")
    assert "unknown type 'str'" in refused("b: str = a\nreturn a")
    assert "unknown type 'complex'" in refused("return a", "complex")


def test_two_functions_of_one_name():
    def make(k):
        @native
        def constant(a: f64) -> f64:
            return a * k

        return constant

    two, three = make(2.0), make(3.0)
    assert (two(1.0), three(1.0)) == (2.0, 3.0)

    @native
    def both(a: f64) -> f64:
        return two(a) + three(a)

    with pytest.raises(CompileError, match="two native functions are called"):
        both(1.0)

    @native
    def inner(a: f64) -> f64:
        return two(a)

    @native
    def outer(a: f64) -> f64:
        return inner(a) + three(a)

    with pytest.raises(CompileError, match="two native functions are called"):
        outer(1.0)


# -- random programs ----------------------------------------------------------------------------------------------------

VARIABLES = ["a", "b", "c"]


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*VARIABLES, "x[a % 4]", "x[(b + 1) % 4]", "1", "7", "-3"]))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    condition = draw(conditions(depth=depth - 1)) if draw(st.booleans()) else "a < b"
    return draw(
        st.sampled_from(
            [f"({left} + {right})", f"({left} - {right})", f"({left} * {right}) % 1009", f"({left}) // (abs({right}) + 1)",
             f"({left}) % -(abs({right}) + 2)", f"min({left}, {right})", f"max({left}, {right}, 2)", f"abs({left})",
             f"({left} if {condition} else {right})", f"({condition}) * 1"]
        )
    )  # fmt: skip


@st.composite
def conditions(draw, depth=1):
    one, two = draw(expressions(depth=0)), draw(expressions(depth=0))
    simple = f"{one} {draw(st.sampled_from(['<', '<=', '==', '!=', '>', '>=']))} {two}"
    if depth <= 0 or draw(st.booleans()):
        return simple
    other = draw(conditions(depth=depth - 1))
    return draw(st.sampled_from([f"({simple} and {other})", f"({simple} or not {other})", f"{one} < {two} <= 5"]))


@st.composite
def blocks(draw, depth=2):
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 6 if depth else 2))
        name = draw(st.sampled_from(VARIABLES))
        if kind == 0:
            lines.append(f"{name} {draw(st.sampled_from(['+=', '-=', '=']))} {draw(expressions())}")
        elif kind in (1, 2):
            lines.append(f"x[{name} % 4] = ({draw(expressions())}) % 65536")
        elif kind in (3, 4):
            lines += [f"if {draw(conditions())}:", *indented(draw(blocks(depth=depth - 1)))]
            lines += ["else:", *indented(draw(blocks(depth=depth - 1)))] if draw(st.booleans()) else []
        elif kind == 5:
            leave = draw(st.sampled_from(["break", "continue", "pass"]))
            body = [f"if {draw(conditions())}:", f"    {leave}", *draw(blocks(depth=depth - 1))]
            lines += [f"for i{depth} in range({draw(st.integers(0, 4))}):", *indented(body)]
        else:
            body = [f"n{depth} += 1", *draw(blocks(depth=depth - 1))]
            lines += [f"n{depth} = 0", f"while n{depth} < 3 and {draw(conditions())}:", *indented(body)]
        lines.append(f"{name} = {name} % 100003")  # Python's numbers have no end
    return lines


def indented(lines):
    return [f"    {line}" for line in lines]


@settings(max_examples=settings.default.max_examples // 2)
@given(blocks(), *[st.integers(-50, 50)] * 3)
def test_random_functions(lines, a, b, c):
    source = "\n".join([*lines, "return a + 3 * b + 7 * c"])
    function = made(source, "i64", "random_function", "x: Ints, a: i64, b: i64, c: i64")
    agree(function, np.arange(4), a, b, c)
