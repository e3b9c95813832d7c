"""Sparse elimination against dense solution: random systems, signs of pivots, no fill along a tree, a real chain."""

import numpy as np
import pytest
from euler_oracle import matrix
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwright.errors import CompileError
from linkwright.graph import (
    Sparse,
    along,
    evaluate,
    frame,
    jacobian,
    ldl,
    operations,
    rotation_jacobian,
    rotation_rates,
    symbol,
    symbols,
)
from strategies import seeds


def traced(A, upper=False):
    """A symbol for every nonzero of a symmetric matrix, and its value."""
    entries, values = {}, {}
    for i, j in zip(*np.nonzero(A), strict=True):
        s = symbol(f"A[{max(i, j)},{min(i, j)}]")
        values[s] = A[i, j]
        if (i <= j) if upper else (i >= j):
            entries[int(i), int(j)] = s
    return entries, values


def numbers_of(roots, values):
    return np.array(evaluate(roots, values), dtype=float)


def check_solution(A, b, **options):
    """x of A x = b through the graph against numpy's, to the conditioning; returns the factors and the pivots."""
    entries, values = traced(A)
    rhs = symbols("b", len(b))
    values.update(zip(rhs, b, strict=True))
    factors = ldl(entries, len(b), **options)
    x = numbers_of(factors.solve(list(rhs)), values)
    expected = np.linalg.solve(A, b)
    # without pivoting by size the pivots may be worse conditioned than the matrix: hence the square
    np.testing.assert_allclose(x, expected, atol=1e-15 * np.linalg.cond(A) ** 2 * np.abs(expected).max() + 1e-13)
    return factors, numbers_of(factors.pivots, values)


# -- random systems ------------------------------------------------------------------------------------------------------


@given(seeds, st.integers(1, 12), st.floats(0.05, 1.0))
def test_sparse_positive_definite(random, n, density):
    A = random.normal(size=(n, n)) * (random.uniform(size=(n, n)) < density)
    A = A + A.T
    np.fill_diagonal(A, 1.0 + np.abs(A).sum(axis=1))  # diagonally dominant
    factors, pivots = check_solution(A, random.normal(size=n))
    assert (pivots > 0).all()
    assert sorted(factors.order) == list(range(n))
    # L D L^T is A, permuted
    _, values = traced(A)
    L = np.eye(n)
    for (i, k), value in factors.L.items():
        L[i, k] = numbers_of([value], values)[0]
    np.testing.assert_allclose(L @ np.diag(pivots) @ L.T, A, atol=1e-13 * np.abs(A).max())


@given(seeds, st.integers(2, 8))
def test_both_triangles_and_sparse_matrices_are_accepted(random, n):
    A = random.normal(size=(n, n))
    A = A @ A.T + n * np.eye(n)
    lower, _ = traced(A)
    upper, _ = traced(A, upper=True)
    rhs = list(symbols("b", n))
    reference = ldl(lower, n).solve(rhs)
    for given_entries in (upper, {**lower, **upper}):
        assert all(a is b for a, b in zip(ldl(given_entries, n).solve(rhs), reference, strict=True))
    assert all(a is b for a, b in zip(ldl(Sparse((n, n), lower)).solve(rhs), reference, strict=True))


@st.composite
def machines(draw):
    """Masses of bodies with three coordinates and constraints along a random tree: (M, B, the joint's outer body)."""
    random = draw(seeds)
    bodies = draw(st.integers(1, 6))
    n = 3 * bodies
    M, rows, outer = np.zeros((n, n)), [], []
    for k in range(bodies):
        R = random.normal(size=(3, 3))
        M[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = R @ R.T + 2 * np.eye(3)
        parent = draw(st.integers(-1, k - 1))
        for _ in range(draw(st.integers(1, 2))):
            row = np.zeros(n)
            row[3 * k : 3 * k + 3] = random.normal(size=3)
            if parent >= 0:
                row[3 * parent : 3 * parent + 3] = random.normal(size=3)
            rows.append(row)
            outer.append(k)
    B = np.array(rows)
    K = np.block([[M, B.T], [B, np.zeros((len(B), len(B)))]])
    assume(np.linalg.cond(K) < 1e3)
    return K, n, outer, random


@given(machines())
def test_equations_of_motion_in_either_order(machine):
    K, n, outer, random = machine
    b = random.normal(size=len(K))
    after = {n + row: range(3 * k, 3 * k + 3) for row, k in enumerate(outer)}
    eigenvalues = np.linalg.eigvalsh(K)
    for options in ({}, {"after": after}):
        factors, pivots = check_solution(K, b, **options)
        # Sylvester: as many of each sign as eigenvalues; more than that, masses positive and multipliers negative
        assert (pivots[:n] > 0).all()
        assert (pivots[n:] < 0).all()
        assert (eigenvalues > 0).sum() == n
        step = {k: s for s, k in enumerate(factors.order)}
        if options:
            assert all(step[i] < step[row] for row, waits in after.items() for i in waits)
        else:  # a multiplier waits for all coordinates its row touches
            assert all(step[i] < step[n + r] for r, i in zip(*np.nonzero(K[n:, :n]), strict=True))


@given(machines(), st.randoms(use_true_random=False))
def test_a_prescribed_order_is_kept(machine, shuffle):
    K, n, _, random = machine
    order = list(range(n))
    shuffle.shuffle(order)
    order += range(n, len(K))
    factors, _ = check_solution(K, random.normal(size=len(K)), order=order)
    assert factors.order == order


def test_a_zero_on_the_right_costs_nothing():
    A = {(k, k): symbol(f"d{k}") for k in range(4)} | {(k + 1, k): symbol(f"e{k}") for k in range(3)}
    f = ldl(A, 4)
    assert f.solve([0.0] * 4) == [0.0] * 4
    assert operations(f.solve([0.0, 0.0, 0.0, symbol("b")])) < operations(f.solve(list(symbols("b", 4))))


def test_numbers_alone_give_numbers():
    f = ldl({(0, 0): 4.0, (1, 0): 2.0, (1, 1): 3.0})
    assert f.solve([8.0, 8.0]) == pytest.approx([1.0, 2.0])
    assert f.pivots == [4.0, 2.0]  # ties go to the smaller number: 4, then 3 - 2 * 2 / 4


# -- what cannot be solved ------------------------------------------------------------------------------------------------


def test_an_unknown_without_equation():
    with pytest.raises(CompileError, match=r"structurally singular.*\[2\]") as info:
        ldl({(0, 0): symbol("a"), (1, 0): symbol("b"), (1, 1): symbol("c")}, 3)
    assert info.value.remedy


def test_multipliers_that_touch_only_each_other():
    with pytest.raises(CompileError, match=r"no pivot for unknowns \[1, 2\]"):
        ldl({(0, 0): symbol("a"), (2, 1): symbol("b")}, 3)


def test_a_repeated_equation_with_constant_coefficients_is_found_while_tracing():
    """The same row twice: B M^-1 B^T is singular, and with numbers for coefficients the zero is seen at once."""
    entries = {(0, 0): 2.0, (1, 0): 1.0, (2, 0): 1.0}
    with pytest.raises(CompileError, match="unknown 2 has no pivot"):
        ldl(entries, 3)


def test_an_order_that_starts_at_a_multiplier_is_refused():
    entries = {(0, 0): symbol("m"), (1, 0): symbol("b")}
    with pytest.raises(CompileError, match="unknown 1 has no pivot") as info:
        ldl(entries, 2, order=[1, 0])
    assert "another order" in info.value.remedy


def test_waiting_for_each_other_is_refused():
    entries = {(0, 0): symbol("a"), (1, 1): symbol("b"), (1, 0): symbol("c")}
    with pytest.raises(CompileError, match=r"\[0, 1\]"):
        ldl(entries, 2, after={0: [1], 1: [0]})


# -- a chain of bodies on revolute joints, from its position equations -----------------------------------------------------

MASS, INERTIA, GRAVITY = 1.3, np.array([0.01, 0.07, 0.09]), np.array([0.0, 0.0, -9.81])
INNER, OUTER = np.array([-0.5, 0.1, 0.0]), np.array([0.4, 0.0, 0.2])  # the joints' points on each body
AXIS = np.array([0.0, 1.0, 0.0])  # the joints' axis on the outer body; perpendicular to x and z of the inner one


class Chain:
    """N bodies, the first on the ground: rows, gamma and the solved equations of motion, all derived."""

    def __init__(self, N):
        self.N, self.state = N, symbols("x", N, 13)
        r, self.v, self.w = self.state[:, :3], self.state[:, 7:10], self.state[:, 10:]
        A = [frame(matrix(p)) for p in self.state[:, 3:7]]
        Phi = []
        for i in range(N):
            point = r[i - 1] + A[i - 1] @ OUTER if i else np.zeros(3)
            inner = A[i - 1] if i else np.eye(3)
            Phi += [*(r[i] + A[i] @ INNER - point), (A[i] @ AXIS) @ inner[:, 0], (A[i] @ AXIS) @ inner[:, 2]]
        rates = {}
        for i in range(N):
            rates.update(zip(r[i], self.v[i], strict=True))
            rates.update(rotation_rates(A[i], self.w[i]))
        self.B = rotation_jacobian(Phi, r, A)
        self.gamma = [-d for d in along(along(Phi, rates), rates)]

    def solve(self, **options):
        n, N = 6 * self.N, self.N
        entries = {(k, k): m for k, m in enumerate([MASS, MASS, MASS, *INERTIA] * N)}
        entries.update({(n + i, k): value for (i, k), value in self.B.entries.items()})
        Q = [f for w in self.w for f in (*(MASS * GRAVITY), *-np.cross(w, INERTIA * w))]
        factors = ldl(entries, n + 5 * N, **options)
        return factors, factors.solve(Q + self.gamma)

    def tree_order(self):
        n = 6 * self.N
        return {n + 5 * i + c: range(6 * i, 6 * i + 6) for i in range(self.N) for c in range(5)}


def textbook_rows(state):
    """B and gamma of the same chain as written in the book, by numbers.

    Spherical joint: d = r_i + A_i s_i' - r_h - A_h s_h'; d d = dr_i - A_i s_i'~ dpi_i - ..., gamma from A w'~ w'~ s'.
    Dot product of a_i = A_i a_i' and a_h: a_h . da_i + a_i . da_h, da = -A a'~ dpi (Haug 9.4.3 and 9.6, Table 9.6.1).
    """
    N = len(state)
    B, gamma = np.zeros((5 * N, 6 * N)), np.zeros(5 * N)
    skew = lambda a: np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])  # noqa: E731
    A = [matrix(x[3:7]).astype(float) for x in state]
    W = [skew(x[10:]) for x in state]
    for i in range(N):
        row, me, other = 5 * i, 6 * i, 6 * (i - 1)
        B[row : row + 3, me : me + 3] = np.eye(3)
        B[row : row + 3, me + 3 : me + 6] = -A[i] @ skew(INNER)
        gamma[row : row + 3] = -A[i] @ W[i] @ W[i] @ INNER
        Ah, Wh = (A[i - 1], W[i - 1]) if i else (np.eye(3), np.zeros((3, 3)))
        if i:
            B[row : row + 3, other : other + 3] = -np.eye(3)
            B[row : row + 3, other + 3 : other + 6] = Ah @ skew(OUTER)
            gamma[row : row + 3] += Ah @ Wh @ Wh @ OUTER
        y = A[i] @ AXIS
        for c, x_h in enumerate((np.array([1.0, 0, 0]), np.array([0, 0, 1.0]))):
            a = Ah @ x_h
            B[row + 3 + c, me + 3 : me + 6] = -a @ A[i] @ skew(AXIS)
            if i:
                B[row + 3 + c, other + 3 : other + 6] = -y @ Ah @ skew(x_h)
            gamma[row + 3 + c] = -(
                a @ A[i] @ W[i] @ W[i] @ AXIS + y @ Ah @ Wh @ Wh @ x_h + 2 * (A[i] @ W[i] @ AXIS) @ (Ah @ Wh @ x_h)
            )
    return B, gamma


def random_state(N, random):
    state = random.normal(size=(N, 13))
    state[:, 3:7] /= np.linalg.norm(state[:, 3:7], axis=1)[:, None]
    return state


@pytest.mark.parametrize("N", [1, 2, 4])
def test_chain_from_position_equations_equals_the_textbook_rows(N):
    chain = Chain(N)
    after = {"after": chain.tree_order()}
    solutions = [chain.solve(**options)[1] for options in ({}, after)]
    for seed in range(5):
        state = random_state(N, np.random.default_rng(seed))
        values = dict(zip(chain.state.flat, state.flat, strict=True))
        B, gamma = textbook_rows(state)
        # entries of order one, sums of some ten products each
        np.testing.assert_allclose(numbers_of(list(chain.B.dense().flat), values).reshape(B.shape), B, atol=1e-14)
        np.testing.assert_allclose(numbers_of(chain.gamma, values), gamma, atol=1e-13 * (1 + np.abs(gamma).max()))
        M = np.diag([MASS, MASS, MASS, *INERTIA] * N)
        Q = np.concatenate([np.concatenate([MASS * GRAVITY, -np.cross(w, INERTIA * w)]) for w in state[:, 10:]])
        K = np.block([[M, B.T], [B, np.zeros((5 * N, 5 * N))]])
        expected = np.linalg.solve(K, np.concatenate([Q, gamma]))
        for solution in solutions:
            # random orientations violate the joints, which costs conditioning: 1e-16 * cond(K)^2, cond up to 1e4
            tolerance = 1e-16 * np.linalg.cond(K) ** 2 * np.abs(expected).max()
            np.testing.assert_allclose(numbers_of(solution, values), expected, atol=tolerance)


def test_no_fill_along_a_chain():
    """In the tree's order every further body costs the same: operations and entries of L are linear in N."""
    counts = []
    for N in (4, 6, 8, 10):
        chain = Chain(N)
        factors, solution = chain.solve(after=chain.tree_order())
        counts.append((operations(solution), len(factors.L)))
    steps = np.diff(counts, axis=0)
    assert (steps == steps[0]).all()
    # and it is cheaper than to wait for both bodies of every joint
    chain = Chain(10)
    assert operations(chain.solve(after=chain.tree_order())[1]) < operations(chain.solve()[1])


def test_structure_of_the_derived_rows():
    """A joint's rows touch its two bodies only, and the derivative by positions of a direction is no entry at all."""
    chain = Chain(5)
    for i, k in chain.B.pattern:
        joint, body = i // 5, k // 6
        assert body in (joint, joint - 1)
        assert i % 5 < 3 or k % 6 >= 3
    assert jacobian(chain.gamma, [chain.state[0, 0]]).pattern == []  # gamma does not depend on where the chain is


@given(seeds)
def test_a_part_of_the_right_side_that_comes_late_is_added(seed):
    """x of A x = b + more against numpy's; solved again with other numbers for `more` of the last unknown, what does not
    follow from it costs nothing: its forward sum is one product, the rest is the way back."""
    rng = np.random.default_rng(seed)
    n = 6
    root = rng.normal(size=(n, n))
    A = root @ root.T + n * np.eye(n)
    entries, values = traced(A)
    b, late = symbols("b", n), symbols("late", 2)
    known = rng.normal(size=n + 2)
    values.update(zip([*b, *late], known, strict=True))
    factors = ldl(entries, n, order=range(n))
    first, again = (factors.solve(b, {n - 1: 2.0 * x}) for x in late)
    for x, own in ((first, known[n]), (again, known[n + 1])):
        wanted = np.linalg.solve(A, known[:n] + 2.0 * own * np.eye(n)[n - 1])
        np.testing.assert_allclose(numbers_of(x, values), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    way_back = n * (n - 1)  # a product and a difference for each entry of L
    assert operations([*first, *again]) - operations(first) <= way_back + 3  # and 2 late, its sum, a pivot
