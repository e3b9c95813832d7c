"""Records of the native language: arguments that go together, as machine code and as plain Python."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from linkwright.compile import Array, Code, Function, Ints, Pointers, f64, i64, native
from linkwright.errors import CompileError
from linkwright.graph import symbols


class Sums(NamedTuple):
    """A function, its places, what is summed."""

    f: Code
    ins: Pointers
    outs: Pointers
    n: i64
    total: Array
    count: Ints


@native
def called(s: Sums, x: f64) -> f64:
    """f(x), counted."""
    s.ins[0][0] = x
    s.f(s.ins, s.outs)
    s.count[0] += 1
    return s.outs[0][0]


@native
def summed(first: f64, s: Sums, step: f64) -> f64:
    """Between other arguments, and handed on."""
    for k in range(s.n):
        s.total[k] = called(s, first + k * step)
    return s.total[s.n - 1]


def given():
    x = symbols("x", 1)
    return Sums(Function("square", {"x": x}, {"y": [x[0] * x[0]]}), [np.zeros(1)], [np.zeros(1)], 3, np.zeros(3),
                np.zeros(1, dtype=np.int64))  # fmt: skip


def test_fields_are_arguments():
    """1, 1.5 and 2 squared; the record travels through both functions, and stands among other arguments."""
    for run in (summed, summed.prepared):
        own = given()
        found = run(1.0, own, 0.5)
        assert (found if run is summed else found()) == 4.0
        assert own.total.tolist() == [1.0, 2.25, 4.0]
        assert own.count[0] == 3
    assert summed.signature == (["f64", "Code", "Pointers", "Pointers", "i64", "Array", "Ints", "f64"], "f64")


def test_plain_python_takes_the_record_itself():
    def square(ins, outs):
        outs[0][0] = ins[0][0] ** 2

    own = given()._replace(f=square)
    assert called.python(own, 3.0) == 9.0
    assert own.count[0] == 1


@native
def wrong(s: Sums) -> i64:
    return s.missing


def test_a_field_that_is_not_there_is_told():
    with pytest.raises(CompileError, match=r"s\.missing is no field of a record"):
        wrong(given())


@native
def squared(x: f64) -> f64:
    return x * x


scales = ModuleType("scales")
scales.FACTOR, scales.squared = 2.0, squared


@native
def scaled(x: f64) -> f64:
    return scales.FACTOR * scales.squared(x)


def test_what_stands_in_a_module_is_named_with_it(monkeypatch):
    """Numbers and functions alike; another number there is another machine code."""
    assert scaled(3.0) == scaled.python(3.0) == 18.0
    before = scaled.fingerprint()
    monkeypatch.setattr(scales, "FACTOR", 3.0)
    assert scaled.fingerprint() != before
