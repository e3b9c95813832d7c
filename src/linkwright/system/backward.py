"""The derivative of a motion y' = f(t, y, b), transposed: what a covector of y' is as one of y, of the design and of time.

Accelerations and multipliers x = (vdot, lam) are given by K x = (Q - h, gamma), that is E(y, x, b) = 0, with a symmetric K;
so that the sweep back through the elimination is one more solution with the same factors:

    mu . dvdot = -w . (E_y dy + E_b db),      K w = (mu, 0),

and the derivative of w . E at constant w and x is one sweep back through the residuals, which nothing is eliminated from.
Forces F_j(lam) of friction along G_j make E_x = K - G F_lam unsymmetric; transposed it is K w = (mu, F_lam^T s) with as many
more unknowns s = G^T w as there are frictions.
"""

from __future__ import annotations

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Scalar, gradient, jacobian, substitute, symbols
from linkwright.graph.gauss import gauss
from linkwright.system.derivative import Derivative
from linkwright.system.friction import under
from linkwright.system.motion import Flow
from linkwright.system.tangents import Tangents


class Backward:
    """The derivative of a flow backward in time, by the bodies' accelerations, for the states and the design of `tangents`.
    Functions take the inputs of the flow, then the covector `mu` of a state y = (q, v, turns, work)."""

    def __init__(self, flow: Flow, tangents: Tangents) -> None:
        self.flow, self.tangents = flow, tangents
        self.mu = symbols("mu", len(flow.y))

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        return {**self.flow.inputs, "mu": self.mu}

    @property
    def _parts(self) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """mu of coordinates, of velocities, of the rest but the work."""
        s, mu = self.flow.system, list(self.mu)
        return mu[: s.nq], mu[s.nq : s.nq + s.nv], mu[s.nq + s.nv : -1]

    def _solved(self, right: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """w of K w = (right, 0)."""
        saddle = self.flow.saddle
        return saddle.solve(right, [0.0] * len(saddle.gamma))

    def _transposed(self, right: list[Scalar], multipliers: np.ndarray) -> list[Scalar]:
        """w of E_x^T w = (right, 0)."""
        flow, saddle, frictions = self.flow, self.flow.saddle, self.flow.system.frictions
        w = [x for part in self._solved(right) for x in part]
        if not frictions:
            return w
        laws = jacobian(under(flow.system, dict(zip(flow.rows, multipliers, strict=True))), list(multipliers)).entries

        def along(j: int, x: list[Scalar]) -> Scalar:
            total: Scalar = 0.0
            for k, direction in frictions[j].direction.items():
                total = total + direction * x[k]
            return total

        count = range(len(frictions))
        effects = []
        for j in count:
            pressed = [laws.get((j, k), 0.0) for k in range(len(saddle.gamma))]
            effects.append([x for part in saddle.solve([0.0] * saddle.n, pressed) for x in part])
        A = {(i, j): (1.0 if i == j else 0.0) - along(i, effects[j]) for i in count for j in count}
        (s,) = gauss(A, [[along(i, w) for i in count]], tuple((i, i) for i in count))
        for x, effect in zip(s, effects, strict=True):
            w = [y + x * e for y, e in zip(w, effect, strict=True)]
        return w

    @cached_property
    def rates(self) -> Function:
        """mu . f_y and mu . f_b."""
        d = Derivative(self.flow)
        of_q, of_v, of_turns = self._parts
        w = symbols("w", len(d.z))
        total: Scalar = 0.0
        for x, e in zip(w, d._E, strict=True):
            total = total - x * e
        for x, e in zip([*of_q, *of_turns], d._D[:-1], strict=True):
            total = total + x * e
        slopes = self._by_all(total)
        a, lam = self.flow.solution
        at = dict(zip(d.z, [*a, *lam], strict=True))
        known = at | dict(zip(w, substitute(self._transposed(of_v, d.residuals.lam), at), strict=True))
        return self._function("rates back", substitute(slopes, known), [self.flow.saddle.health])

    @cached_property
    def projection(self) -> Function:
        """The covector that says the same of all changes that leave the constraints closed, and nothing of others: what the
        projection of states does to changes of them, transposed."""
        flow = self.flow
        of_q, of_v, _ = self._parts
        Phi, rates = flow._held_and_rates
        lam = self._solved(of_v)[1]
        held = symbols("held", len(lam))
        down: Scalar = 0.0
        for x, rate in zip(held, rates, strict=True):
            down = down - x * rate
        by = substitute(self._by_all(down), dict(zip(held, lam, strict=True)))
        own = self._solved(self._on_displacements([x + y for x, y in zip(of_q, by, strict=False)]))[1]
        less: Scalar = 0.0
        for x, row in zip(held, Phi, strict=True):
            less = less - x * row
        further = substitute(self._by_all(less), dict(zip(held, own, strict=True)))
        mu: list[Scalar] = list(self.mu)
        total = [x + y + z for x, y, z in zip([*mu, *[0.0] * (len(by) - len(mu))], by, further, strict=True)]
        return self._function("projection back", total)

    def _on_displacements(self, of_q: list[Scalar]) -> list[Scalar]:
        """A covector of coordinates as one of displacements: these change coordinates as velocities do, linearly."""
        c = self.flow.system.coordinates
        total: Scalar = 0.0
        for x, q in zip(of_q, c.q, strict=True):
            total = total + x * c.rates[q]
        by = gradient(total, list(c.v))
        return [by.get(x, 0.0) for x in c.v]

    def _by_all(self, total: Scalar) -> list[Scalar]:
        """Derivatives by y (zero by references of angles, which only count turns), then by the design, time the last."""
        moving = {*self.flow.system.inputs["q"], *self.flow.system.inputs["v"], *self.tangents.z}
        wrt: list[Expr] = [*[x for x in self.flow.y if x in moving], *self.tangents.design]
        by = gradient(total, wrt)
        return [*[by.get(x, 0.0) for x in self.flow.y], *[by.get(x, 0.0) for x in self.tangents.design]]

    def _function(self, name: str, by: list[Scalar], health: list[Scalar] | None = None) -> Function:
        n, put = len(self.flow.y), self.flow.flags.inserted
        outputs = {"y": put(by[:n]), "b": put(by[n:]), **({"health": put(health)} if health else {})}
        return Function(f"{self.flow.system.model.name}: {name}", self.inputs, outputs, often=True)
