"""What the spatial tests share: random states of two bodies, evaluation in batches, a small Newton solver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwright import graph
from linkwright.equations import rotations
from linkwright.equations.rotations import Pose
from linkwright.graph.rotation import frame_entries


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=float)


def Rx(x):
    return np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])


def Ry(x):
    return np.array([[np.cos(x), 0, np.sin(x)], [0, 1, 0], [-np.sin(x), 0, np.cos(x)]])


def Rz(x):
    return np.array([[np.cos(x), -np.sin(x), 0], [np.sin(x), np.cos(x), 0], [0, 0, 1]])


def unit(a):
    return np.asarray(a, dtype=float) / np.linalg.norm(a)


def random_rotation(rng):
    return rotations.A(unit(rng.normal(size=4)))


def close(got, expected, tolerance=1e-12):
    """Equal within the tolerance times the size of the numbers (at least 1): rounding of a few hundred operations."""
    expected = np.asarray(expected, dtype=float)
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(np.asarray(got, dtype=float), expected, rtol=0, atol=tolerance * scale)


def evaluate(roots, values):
    """Scalars in an array of any shape, evaluated; the batch is the last axis if the values have one."""
    roots = np.asarray(roots, dtype=object)
    numbers = graph.evaluate(list(roots.flat), values)
    shape = np.broadcast_shapes(*(np.shape(v) for v in values.values())) if values else ()
    return np.array([np.broadcast_to(x, shape) for x in numbers], dtype=float).reshape(roots.shape + shape)


class HomogeneousPose(Pose):
    """A body with the homogeneous A_h(p) in place of A(p)."""

    @cached_property
    def A(self):
        return graph.frame(rotations.A_h(self.p))


@dataclass(frozen=True)
class Symbols:
    """A body's symbols: position, Euler parameters, velocity, angular velocity, rates of p."""

    name: str

    def __getattr__(self, kind):
        if kind not in ("r", "p", "rd", "w", "pd"):
            raise AttributeError(kind)
        return graph.symbols(f"{self.name}.{kind}", 4 if kind in ("p", "pd") else 3)

    @property
    def q(self):
        return [*self.r, *self.p]

    def values(self, state):
        pairs = [(self.r, state.r), (self.p, state.p), (self.rd, state.rd), (self.w, state.w), (self.pd, state.pd)]
        return {s: x for symbols, numbers in pairs for s, x in zip(symbols, numbers, strict=True)}


@dataclass(frozen=True)
class State:
    """A body's numbers; w is the angular velocity in body components, om in global ones."""

    r: np.ndarray
    p: np.ndarray
    rd: np.ndarray
    w: np.ndarray

    @property
    def A(self):
        return rotations.A(self.p).astype(float)

    @property
    def om(self):
        return self.A @ self.w

    @property
    def pd(self):
        return rotations.euler_rates(self.p, self.w)

    @classmethod
    def random(cls, rng):
        return cls(rng.normal(size=3), unit(rng.normal(size=4)), rng.normal(size=3), rng.normal(size=3))


def rotation_jacobian(Phi, bodies, poses):
    """By (r, virtual rotation) of equations of A and of p itself: dp = G^T dpi/2."""
    J = graph.rotation_jacobian(Phi, [b.r for b in bodies], [p.A for p in poses]).dense()
    for k, (body, pose) in enumerate(zip(bodies, poses, strict=True)):
        held = [x for _, _, x in frame_entries(pose.A)]
        by_p = graph.jacobian(Phi, [*body.p, *held]).dense()[:, :4]  # A aside
        J[:, 6 * k + 3 : 6 * k + 6] += 0.5 * by_p @ rotations.G(body.p).T
    return J


def rotation_form(Phi, bodies, poses):
    """Jacobian by (r, virtual rotation), rate, and gamma#, derived."""
    rates = {}
    for body, pose in zip(bodies, poses, strict=True):
        rates.update(zip(body.r, body.rd, strict=True))
        rates.update(zip(body.p, rotations.euler_rates(body.p, body.w), strict=True))
        rates.update(graph.rotation_rates(pose.A, body.w))
    J = rotation_jacobian(Phi, bodies, poses)
    rate = graph.along(Phi, rates)
    return J, rate, [-x for x in graph.along(rate, rates)]


def parameter_form(Phi, bodies):
    """Jacobian by (r, p), rate, and gamma at constant pdot, derived."""
    rates = {}
    for body in bodies:
        rates.update(zip(body.q, [*body.rd, *body.pd], strict=True))
    J = graph.jacobian(Phi, [x for b in bodies for x in b.q]).dense()
    rate = graph.along(Phi, rates)
    return J, rate, [-x for x in graph.along(rate, rates)]


class Machine:
    """Bodies and equations, solved by Newton in (r, virtual rotation), Euler parameters renormalised at each step.

    `equations(poses, t)` gives as many residuals as there are unknowns; t is a symbol.
    """

    def __init__(self, n, equations):
        self.bodies = [Symbols(f"b{k}") for k in range(n)]
        self.t = graph.symbol("t")
        poses = [Pose(b.r, b.p) for b in self.bodies]
        Phi = list(equations(poses, self.t))
        rates = {self.t: 1.0}
        for body, pose in zip(self.bodies, poses, strict=True):
            rates.update(zip(body.r, body.rd, strict=True))
            rates.update(zip(body.p, rotations.euler_rates(body.p, body.w), strict=True))
            rates.update(graph.rotation_rates(pose.A, body.w))
        self.Phi = Phi
        self.J = rotation_jacobian(Phi, self.bodies, poses)
        self.nu = [-x for x in graph.along(Phi, {self.t: 1.0})]
        self.gamma = [-x for x in graph.along(graph.along(Phi, rates), rates)]

    def values(self, states, t):
        values = {self.t: t}
        for body, state in zip(self.bodies, states, strict=True):
            values.update(body.values(state))
        return values

    def solve(self, t, placement):
        """States with positions and velocities, and the accelerations (rdd, wd) of each body; from (r, A) of each."""
        zero = np.zeros(3)
        states = [State(np.array(r, float), rotations.euler_parameters(A), zero, zero) for r, A in placement]
        for _ in range(20):
            values = self.values(states, t)
            step = np.linalg.solve(evaluate(self.J, values), -evaluate(self.Phi, values)).reshape(-1, 6)
            states = [
                State(s.r + x[:3], unit(s.p + rotations.euler_rates(s.p, x[3:])), zero, zero)
                for s, x in zip(states, step, strict=True)
            ]
            if np.abs(step).max() < 1e-13:
                break
        else:
            raise AssertionError("Newton did not converge")
        J = evaluate(self.J, self.values(states, t))
        v = np.linalg.solve(J, evaluate(self.nu, self.values(states, t))).reshape(-1, 6)
        states = [State(s.r, s.p, x[:3], x[3:]) for s, x in zip(states, v, strict=True)]
        a = np.linalg.solve(J, evaluate(self.gamma, self.values(states, t))).reshape(-1, 6)
        return states, [(x[:3], x[3:]) for x in a]
