"""Changes of a motion through its events: saltation.

An event takes place where g(t, x, b) = 0, so its time changes by dt = -(g_x dx + g_b) / g'. On the event's own surface the
state changes by dx + x' dt, which a map h takes to the state after (the identity where a law changes its form, an impact
where velocities jump); at a fixed time after the event it has moved on by the rates there:

    dx+ = h_x (dx + x'- dt) + h_b + h_t dt - x'+ dt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.dynamics.course import Break
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.whole import Whole
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.variations.nodes import Change, Nodes
from linkwright.analyses.variations.varied import readout_of
from linkwright.errors import ModelError
from linkwright.graph import Scalar, Sparse, jacobian, substitute, symbols
from linkwright.system.forces import LEVELS
from linkwright.system.tangents import Blocks, Tangents

GRAZING = 1e-6  # of the speed of the machine: an event's function that passes zero slower may not at other values
ONE = 1e-8  # relative: velocities after an impact that are those of this impact alone


@dataclass(frozen=True)
class Passed:
    """Displacements, velocities and states after an event, and the change of its time, by columns."""

    d: np.ndarray
    v: np.ndarray
    z: np.ndarray
    time: np.ndarray


class Events:
    """Of one run. design: changes of constants, and of time, by columns."""

    def __init__(self, run: Run[Whole], tangents: Tangents, kept: np.ndarray, design: np.ndarray) -> None:
        self.run, self.tangents, self.kept, self.design = run, tangents, kept, design
        self.machine: LoadedMachine = run.equations.base
        self.watches = run.watches
        self.impacts = self.machine.system.loads.impacts

    def through(self, broken: Break, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> Passed:
        """The changes after it."""
        self._refuse(broken)
        before = self._at(broken, 0)
        change = before.answered(d[None], v[None], z[None], self.design)
        own = before.moving()
        time = self._time(broken, before, change, own)
        d, v, z = (x[0] + y[0] * time for x, y in ((change.d, own.d), (change.v, own.v), (change.z, own.z)))
        b = self.design.copy()
        b[-1] = time
        number = broken.fired - len(self.watches)
        if 0 <= number < LEVELS * len(self.impacts):
            v = self._struck(broken, before, number % len(self.impacts), d, v, b)
        elif number >= 0:
            z = self._remembered(broken, before, d, v, z, b)
        if broken.fired < len(self.watches):  # the run ends there
            return Passed(d, v, z, time)
        after = self._at(broken, 1).moving()
        return Passed(d - after.d[0] * time, v - after.v[0] * time, z - after.z[0] * time, time)

    def _at(self, broken: Break, side: int) -> Nodes:
        y = (broken.before, broken.after)[side]
        states = States.of(self.machine, np.array([broken.t]), y[None])
        return Nodes(self.machine, self.tangents, self.kept, states, broken.flags[side][None])

    # -- what cannot be differentiated ------------------------------------------------------------------------------------
    def _refuse(self, broken: Break) -> None:
        t, fired = broken.t, broken.fired
        if fired < 0 or any(broken.held):
            names = sorted({self.machine.impacts[k] for held in broken.held for k in held}) or self.machine.impacts
            raise ModelError(
                f"bodies that touch rest, or part, at t = {t:.6g}: no derivative goes through there", element=names,
                remedy="end before that, or give the contact a stiffness k",
            )  # fmt: skip
        if fired < len(self.watches) and self.watches[fired].change is not None:
            raise ModelError(
                f"its change at t = {t:.6g} is a function in Python, which has no derivative",
                element=self.watches[fired].name, remedy="use an element: a contact with restitution, a law with where()",
            )  # fmt: skip

    def name(self, broken: Break) -> str:
        return self.run._event_name(broken.fired)

    # -- when --------------------------------------------------------------------------------------------------------------
    def _time(self, broken: Break, before: Nodes, change: Change, own: Change) -> np.ndarray:
        readout = self._function(broken.fired)
        dg = before.read(readout, change)[1][0, 0]
        rate = float(before.read(readout, own)[1][0, 0, 0])
        if abs(rate) <= GRAZING * self._speed(before.ask(readout, before.vdot, before.lam), own):
            raise ModelError(
                f"its event at t = {broken.t:.6g} only grazes zero: with other values it may not happen, and nothing has a "
                "derivative there", element=self.name(broken), remedy="change the design or the span",
            )  # fmt: skip
        return np.asarray(-dg / rate)

    def _speed(self, by: dict[str, np.ndarray], own: Change) -> float:
        """How fast an event's function could change where the machine moves as fast as it does, whatever its direction."""
        scale, size = self.machine.scale, np.linalg.norm
        pairs = (("x_d", own.d), ("x_v", own.v), ("x_a", own.a))
        found = sum(float(size(by[name][0] * scale) * size(x[0, :, 0] / scale)) for name, x in pairs)
        found += float(size(by["x_z"][0]) * size(own.z[0]) + size(by["x_l"][0]) * size(own.lam[0]))
        return found + abs(float(by["x_b"][0, 0, -1]))

    def _function(self, fired: int) -> Blocks:
        system, first = self.machine.system, self.run.equations.first_switch
        g: Scalar
        if fired < len(self.watches):
            g = system.told([self.watches[fired].traced(self.machine)])[0]
        elif fired < first:
            g = self.impacts[(fired - len(self.watches)) % len(self.impacts)].gap
        else:
            g = self.tangents.flags.switches[fired - first].g
        return readout_of(self.tangents, [g])

    # -- what happens ------------------------------------------------------------------------------------------------------
    def _remembered(
        self, broken: Break, before: Nodes, d: np.ndarray, v: np.ndarray, z: np.ndarray, b: np.ndarray
    ) -> np.ndarray:
        """A law may remember the speed at which it began."""
        switch = self.tangents.flags.switches[broken.fired - self.run.equations.first_switch]
        z, states = z.copy(), len(self.tangents.z) - len(self.tangents.memories)
        for k, memory in enumerate(self.machine.system.loads.memories):
            if switch.g is memory.depth and not np.array_equal(broken.before, broken.after):
                change = before.answered(d[None], v[None], z[None], b)
                z[states + k] = before.read(readout_of(self.tangents, [memory.speed]), change)[1][0, 0]
        return z

    def _struck(
        self, broken: Break, before: Nodes, k: int, d: np.ndarray, v: np.ndarray, b: np.ndarray
    ) -> np.ndarray:  # fmt: skip
        """Velocities after the k-th impact: M (v+ - v) = J^T Lam + G^T p, J v+ = nu, G v+ + g_t = -e (G v + g_t)."""
        m, kept = self.machine, self.kept
        q, old, turns = m.split(broken.before)
        G, rate, restitution = (x[k] for x in (m.gaps(q, old, broken.t, turns)[j] for j in (1, 2, 4)))
        M, J = before.balance["M"][0], before.J[0, kept]
        n, r = m.nv, len(kept)
        K = np.zeros((n + r + 1, n + r + 1))
        K[:n, :n], K[:n, n : n + r], K[:n, -1] = M, -J.T, -G
        K[n : n + r, :n], K[-1, :n] = J, G
        right = np.concatenate([M @ old, m.nu(q, broken.t)[kept], [G @ old - (1 + restitution) * rate]])
        x = linear.solve(K, right)
        new = m.split(broken.after)[1]
        if np.abs((x[:n] - new) / m.scale).max() > ONE * np.abs(np.array([old, new]) / m.scale).max():
            raise ModelError(
                f"more than one impact happens at t = {broken.t:.6g}: with other values they come one after another, and "
                "nothing has a derivative there", element=self.name(broken), remedy="change the design or the span",
            )  # fmt: skip
        Lam = np.zeros(len(m.system.rows))
        Lam[kept] = x[n : n + r]
        f = _impact(self.tangents, k)
        by = before.ask(f, x[None, :n], Lam[None], x[None, -1:])
        F = (by["F_d"] @ d + by["F_v"] @ v + by["F_b"] @ b)[0]
        return np.asarray(linear.solve(K, -np.concatenate([F[:n], F[n:-1][kept], F[-1:]]))[:n])


def _impact(tangents: Tangents, k: int) -> Blocks:
    found: Blocks = tangents.system.once("impacts", (tangents, k), lambda: _traced_impact(tangents, k))
    return found


def _traced_impact(tangents: Tangents, k: int) -> Blocks:
    """The equations of an impact, differentiated: balance, rows, restitution."""
    s, c = tangents.system, tangents.system.coordinates
    new, Lam, p = symbols("after", s.nv), symbols("impulse", len(s.rows)), symbols("blow", 1)
    later = dict(zip(c.v, new, strict=True))
    impact = s.loads.impacts[k]
    G: Sparse = c.jacobian([impact.gap])
    F: list[Scalar] = [0.0] * s.nv
    for (i, j), x in s.inertia.M.entries.items():
        F[i] = F[i] + x * (new[j] - c.v[j])
    for (row, j), x in s.Phi_v.entries.items():
        F[j] = F[j] - x * Lam[row]
    for (_, j), x in G.entries.items():
        F[j] = F[j] - x * p[0]
    rates = substitute(s.row_rates(tangents.rows), later)
    rate = s.rates([impact.gap])
    F = [*F, *rates, substitute(rate, later)[0] + impact.restitution * rate[0]]
    inputs: dict[str, Any] = {**tangents.inputs, "after": new, "impulse": Lam, "blow": p}
    outputs: dict[str, Any] = {
        "F_d": c.jacobian(F), "F_v": jacobian(F, list(c.v)), "F_b": jacobian(F, tangents.design),
    }  # fmt: skip
    return Blocks(f"{s.model.name}: impact", inputs, outputs)
