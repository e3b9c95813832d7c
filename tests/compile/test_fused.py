"""Products that are taken into sums before LLVM sees them."""

import numpy as np

from linkwright.compile.fused import fused
from linkwright.compile.program import linearise
from linkwright.graph import symbols


def ops(*outputs):
    x = symbols("x", 4)
    program = fused(linearise([list(x)], [[f(*x) for f in outputs]]), 1)
    return [i.op for i in program.instructions if i.op not in ("input", "const")]


def test_a_sum_takes_in_a_product_that_nobody_else_wants():
    assert ops(lambda a, b, c, d: a * b + c) == ["fma"]
    assert sorted(ops(lambda a, b, c, d: c - a * b)) == ["fma", "neg"]
    assert sorted(ops(lambda a, b, c, d: a * b - c)) == ["fma", "neg"]
    assert sorted(ops(lambda a, b, c, d: a * b + c * d)) == ["fma", "mul"]
    assert sorted(ops(lambda a, b, c, d: a * b + c, lambda a, b, c, d: a * b + d)) == ["add", "add", "mul"]
    assert sorted(ops(lambda a, b, c, d: a * b + c, lambda a, b, c, d: a * b)) == ["add", "mul"]


def test_what_no_output_needs_is_left_out():
    x = symbols("x", 2)
    program = linearise([list(x)], [[x[0] * x[1]], [x[0] / x[1]]])
    assert [i.op for i in fused(program, 1).instructions] == ["input", "input", "mul"]
    assert np.array_equal(fused(program, 2).output_sizes, [1, 1])
