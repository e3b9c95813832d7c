"""Derivatives of random programs against differences with 60 digits, and where a derivative is special."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from precise import Reference, Traced, UnfitError, assert_close

from linkwright.errors import TraceError
from linkwright.graph import (
    absolute,
    along,
    evaluate,
    exp,
    floor,
    gradient,
    hessian_vector,
    hold,
    hypot,
    jacobian,
    maximum,
    minimum,
    operations,
    sign,
    sin,
    sqrt,
    symbol,
    symbols,
    tanh,
    topological,
    where,
)
from linkwright.graph.derive import sweep_costs
from strategies import Program, numbers, programs

x, y, z = symbol("x"), symbol("y"), symbol("z")


class Example:
    """A program at a point, traced, and its reference; `check` leaves out examples at kinks."""

    def __init__(self, program: Program, at: list[float]) -> None:
        self.q = list(symbols("q", program.n))
        self.at = dict(zip(self.q, at, strict=True))
        self.roots = program(Traced, self.q)
        self.reference = Reference(program, at)

    def __repr__(self) -> str:
        return f"{self.reference.program} at {list(self.at.values())}"

    def values(self, roots):
        return evaluate(roots, self.at)


@st.composite
def examples(draw):
    program = draw(programs())
    at = [draw(numbers) for _ in range(program.n)]
    example = Example(program, at)
    try:
        example.reference.values()
    except UnfitError:
        assume(False)
    return example


def unit(n, i):
    return [float(k == i) for k in range(n)]


@given(examples())
def test_values_against_many_digits(example):
    assert_close(example.values(example.roots), example.reference.values())


@given(examples(), st.lists(numbers, min_size=4, max_size=4))
def test_along_once_and_twice(example, v):
    v = v[: len(example.q)]
    rates = dict(zip(example.q, v, strict=True))
    first = along(example.roots, rates)
    assert_close(example.values(first), example.reference.derivative(v))
    assert_close(example.values(along(first, rates)), example.reference.second(v, v))


@given(examples())
def test_jacobian_is_the_same_in_every_mode_and_right(example):
    n = len(example.q)
    columns = [example.reference.derivative(unit(n, j)) for j in range(n)]
    for mode in ("forward", "reverse", "auto"):
        J = jacobian(example.roots, example.q, mode)
        assert J.shape == (len(example.roots), n)
        dense = J.dense()
        for j in range(n):
            assert_close(example.values(list(dense[:, j])), columns[j])
    by_rows = [gradient(root, example.q) for root in example.roots]
    reverse = jacobian(example.roots, example.q, "reverse")
    column = {w: j for j, w in enumerate(example.q)}
    assert {(i, column[w]) for i, g in enumerate(by_rows) for w in g} == set(reverse.entries)


@given(examples(), st.lists(numbers, min_size=4, max_size=4))
def test_hessian_vector(example, v):
    n = len(example.q)
    v = v[:n]
    found = example.values(hessian_vector(example.roots[-1], example.q, v))
    expected = [example.reference.second(unit(n, i), v)[-1] for i in range(n)]
    assert_close(found, expected)


@given(examples(), st.lists(numbers, min_size=4, max_size=4))
def test_derivative_of_a_rate_by_a_parameter(example, v):
    """The last variable stands still during the motion: a design parameter. d/db of the rate along the others."""
    n = len(example.q)
    v = [*v[: n - 1], 0.0]
    rates = dict(zip(example.q[:-1], v[:-1], strict=True))
    by_parameter = jacobian(along(example.roots, rates), example.q[-1:], "reverse").dense()[:, 0]
    assert_close(example.values(list(by_parameter)), example.reference.second(v, unit(n, n - 1)))


# -- structure -------------------------------------------------------------------------------------------------------


def test_what_does_not_depend_has_no_entry():
    J = jacobian([x * y, sin(y), 3.0, z - z], [x, y, z])
    assert J.pattern == [(0, 0), (0, 1), (1, 1)]
    assert J.entries[0, 0] is y
    assert J.entries[0, 1] is x
    assert gradient(sin(y), [x]) == {}
    assert gradient(2.0, [x]) == {}
    assert along([y, 2.0], {x: 1.0}) == [0.0, 0.0]


def test_second_rate_of_a_linear_function_vanishes_structurally():
    rates = {x: symbol("vx"), y: symbol("vy")}
    first = along([3 * x - y / 4 + 1], rates)
    assert along(first, rates) == [0.0]


def test_auto_takes_the_cheaper_mode():
    q = list(symbols("q", 30))
    one = [sum(a * a for a in q)]
    many = [sin(x) * a for a in q]
    assert sweep_costs(one, q)[1] < sweep_costs(one, q)[0]
    assert sweep_costs(many, [x])[0] <= sweep_costs(many, [x])[1]
    # and the entries are the derivatives whatever it took
    assert all(jacobian(one, q).entries[0, k] is q[k] + q[k] for k in range(30))


def test_reverse_mode_costs_a_small_multiple_of_the_function():
    """The cheap-gradient principle: a gradient by n variables costs a few evaluations, not n."""
    q = list(symbols("q", 40))
    f = q[0]
    for a in q[1:]:
        f = sin(f * a) + exp(a * f)
    g = gradient(f, q)
    # each of sin, exp, *, + costs at most 5 operations in the reverse sweep (Griewank's bound)
    assert operations([f, *g.values()]) <= 5 * operations([f])


@pytest.mark.parametrize(
    "choose",
    [
        lambda f, a: where(a > 0.1, sin(f), f),
        lambda f, a: where(a > 0.1, tanh(f) + f, sign(f) * f),
        lambda f, a: minimum(sin(f), f),
    ],
)
def test_branches_on_top_of_branches_do_not_multiply(choose):
    """Both branches lead to the same earlier value; differentiated apart each time, 60 of them would cost 2^60."""
    f = x
    for k in range(60):
        f = choose(f, f + 0.01 * k)
    g = gradient(f, [x])[x]
    assert operations([f, g]) < 8 * operations([f])
    at = {x: 0.3}
    assert evaluate([g], at)[0] == pytest.approx(evaluate(along([f], {x: 1.0}), at)[0], rel=1e-12)


def test_a_derivative_stops_at_what_is_held():
    h = hold(x * x)
    f = h * x
    assert gradient(f, [h, x])[h] is x
    assert gradient(f, [h, x])[x] is h
    # with only x as variable it goes through
    assert evaluate([gradient(f, [x])[x]], {x: 2.0}) == [12.0]
    assert evaluate(along([f], {x: 1.0}), {x: 2.0}) == [12.0]


def test_derivative_by_an_expression_is_refused():
    for ask in (lambda: gradient(x * x, [x * x]), lambda: along([x], {x + 1: 1.0}), lambda: jacobian([x], [2 * x])):
        with pytest.raises(TraceError, match="neither a symbol nor held") as info:
            ask()
        assert "hold()" in info.value.remedy


# -- branches, kinks, powers ------------------------------------------------------------------------------------------


def all_derivatives(f, value):
    """By forward, by reverse, and the second one, at x = value."""
    first = along([f], {x: 1.0})
    roots = [*first, gradient(f, [x]).get(x, 0.0), *along(first, {x: 1.0}), *hessian_vector(f, [x], [1.0])]
    return np.array([float(v) for v in evaluate(roots, {x: value})])


@pytest.mark.parametrize("value", [0.0, -1.0])
@pytest.mark.parametrize(
    "f",
    [
        where(x > 0, sqrt(x), 0.0),
        3 * where(x > 0, x * sqrt(x) / x, 0.0) ** 2,
        where(x > 0, sin(sqrt(x)) + where(x > 1, 1 / x, sqrt(x)), 0.0),
        sin(where((x > 0) & (x < 5), sqrt(x), 2.0)),
        where(~(x > 0), 1.0, x**0.3),
        maximum(where(x > 0, sqrt(x), 0.0), 7.0),
    ],
)
def test_the_branch_not_taken_leaks_nothing(f, value):
    """At and left of zero the square root has an infinite derivative or none; the branch taken is constant."""
    assert (all_derivatives(f, value) == 0.0).all()


def test_two_masked_contributions_to_one_value_leak_nothing():
    """sqrt(x) is used under two different conditions; neither holds, and 0 * inf would be NaN."""
    root = sqrt(x)
    f = where(x > 1, root, 0.0) + where(y > 1, sin(root), 0.0)
    at = {x: 0.0, y: 0.0}
    g = gradient(f, [x, y])
    assert evaluate([g[x], g.get(y, 0.0)], at) == [0.0, 0.0]
    # and if one holds, only that one counts
    expected = np.cos(2.0) / 4
    at = {x: 4.0, y: 0.0}
    assert evaluate([g[x]], at)[0] == 0.25
    assert evaluate([gradient(where(x > 5, root, 0.0) + where(y > 1, sin(root), 0.0), [x])[x]], {x: 4.0, y: 2.0})[
        0
    ] == pytest.approx(expected, rel=1e-15)


def test_the_value_not_chosen_by_max_leaks_nothing():
    """d sqrt(x) at 0 is infinite, but 0.1 is the larger."""
    assert (all_derivatives(maximum(sqrt(x), 0.1), 0.0)[:2] == 0.0).all()
    assert (all_derivatives(minimum(-sqrt(x), x + 1), -1.0)[:2] != 0.0).all()


def test_kinks_take_the_documented_value():
    assert (all_derivatives(absolute(x), 0.0) == 0.0).all()
    assert list(all_derivatives(absolute(x), -2.0)[:2]) == [-1.0, -1.0]
    for step in (sign(x), floor(x)):  # structurally zero, not merely zero
        assert gradient(step, [x]) == {}
        assert along([step], {x: 1.0}) == [0.0]


def test_a_constant_exponent_needs_no_logarithm():
    """log(x) of x <= 0 is not a number; the derivative of x^b by x is one."""
    b = 2.6
    f = where(x < 0, 0.0, x) ** b
    for d in (along([f], {x: 1.0}), list(gradient(f, [x]).values()), along(along([f], {x: 1.0}), {x: 1.0})):
        assert all(n.op != "log" for n in topological(d))
        assert evaluate(d, {x: 0.0}) == [0.0]
    assert (all_derivatives(x**3, -2.0) == [12.0, 12.0, -12.0, -12.0]).all()
    assert (all_derivatives(x**65.0, -1.0) == [65.0, 65.0, -4160.0, -4160.0]).all()


def test_a_moving_exponent():
    f = x**y
    g = gradient(f, [x, y])
    found = evaluate([g[x], g[y]], {x: 3.0, y: 1.7})
    assert found == pytest.approx([1.7 * 3.0**0.7, 3.0**1.7 * np.log(3.0)], rel=1e-15)


def test_length_of_a_vector():
    found = evaluate(list(gradient(hypot(x, y), [x, y]).values()), {x: 3.0, y: -4.0})
    assert found == pytest.approx([0.6, -0.8], rel=1e-15)


def test_gradient_of_a_truth_value_is_empty():
    assert gradient(x < y, [x]) == {}


@pytest.mark.parametrize("exponent", [1.5, 2.5, 7.5, 1.7])
def test_powers_have_their_derivative_at_zero(exponent):
    """b x^(b-1) is zero there, not zero times infinity; nor is the force of a contact that is open."""
    (x,) = symbols("x", 1)
    for y in (x**exponent, maximum(x, 0.0) ** exponent):
        slope = gradient(y, [x])[x]
        assert evaluate([y, slope, *along([y], {x: 1.0})], {x: 0.0}) == [0.0, 0.0, 0.0]
    assert evaluate([gradient(maximum(x, 0.0) ** exponent, [x])[x]], {x: -1.0}) == [0.0]
    slope = evaluate([gradient(x**exponent, [x])[x]], {x: 4.0})[0]
    assert slope == pytest.approx(exponent * 4.0 ** (exponent - 1), rel=1e-15)
