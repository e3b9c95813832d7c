"""Where a motion begins, differentiated by parameters and by what a user says of the start.

Positions are those nearest to the estimates (`FirstAssembly`). Velocities are an ordered least-squares problem
(`least_change`): of all v with C v = c those nearest to the estimate w in what counts first (weights W1), of these the
nearest in the rest (W2). With multipliers that is linear,

    C v = c,    W1 v + C^T mu = W1 w,    W2 v + C^T nu + W1 kappa = W2 w,    C kappa = 0,

and its changes solve the same equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import begun_from
from linkwright.analyses.assembly.found_constants import FirstAssembly, by_parameter
from linkwright.analyses.assembly.start import Start, velocity_weights
from linkwright.analyses.machine.mechanical import LoadedMachine, over_rows
from linkwright.analyses.machine.sizes import typical_coordinate
from linkwright.errors import ModelError
from linkwright.graph import Expr, Same, Scalar, jacobian
from linkwright.model.quantities import POSITIONS, VELOCITIES
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.least_change import CHOSEN
from linkwright.solve.rank import analyse, scaled
from linkwright.system.tangents import Blocks

SAME = 1e-7  # relative: the start that is differentiated is the one of the run


@dataclass(frozen=True)
class Begun:
    """How the start changes, a column for each name: displacements, velocities, all references of angles and states, all
    constants."""

    d: np.ndarray
    v: np.ndarray
    turns: np.ndarray
    b: np.ndarray


@dataclass(frozen=True)
class Named:
    """What one name varies: constants, estimates of positions and velocities, values that are fixed (positions,
    velocities)."""

    e: np.ndarray
    q: np.ndarray
    v: np.ndarray
    fixed: np.ndarray
    fixed_v: np.ndarray
    counts: int | None = None  # the velocity whose estimate it is
    length: float = 0.0  # how the typical length of the machine changes, by which velocities are weighed


class Beginning:
    """The start of a run, from the estimates or from `given`, a state to go on from."""

    def __init__(self, machine: LoadedMachine, start: Start, given: Any = None) -> None:
        self.machine, self.start, self.given = machine, start, given
        model = machine.model
        q0 = begun_from(machine, start.t) if given is None else machine.going_on(given)
        machine.settle(start.q, start.t)  # going on has read the references of angles
        self.first = FirstAssembly(machine, start.q, q0, start.t, fixed=given is None)
        fixed = {q: x for q, x in model.fixed.items() if model.order(q) == 1} if given is None else {}
        self.fixed_v, self.values_v = list(fixed), list(fixed.values())
        self.longest = typical_coordinate(model)

    def by(self, names: Sequence[str]) -> Begun:
        named = [self._named(name) for name in names]
        d, b = self._positions(named)
        return Begun(d, self._velocities(named, d, b), self._turns(names), b)

    def constants(self, names: Sequence[str]) -> Begun:
        """Without velocities: of a motion that is prescribed, or of a machine that stands."""
        d, b = self._positions([self._named(name) for name in names])
        return Begun(d, np.zeros_like(d), self._turns(names), b)

    def _positions(self, named: Sequence[Named]) -> tuple[np.ndarray, np.ndarray]:
        """Displacements, and changes of all constants."""
        found = [self.first.along(x.e, x.q, x.fixed) for x in named]
        b = np.stack([x.e for x in named], axis=1)
        if self.machine.system.phases:
            b[len(b) - len(self.machine.system.phases) :] = np.stack([x for _, x in found], axis=1)
        return np.stack([x for x, _ in found], axis=1), b

    # -- what a name is ----------------------------------------------------------------------------------------------------
    def _named(self, name: str) -> Named:
        m, model = self.machine, self.machine.model
        if name in model.parameters:
            e, q, fixed = self.first.by_parameter(name)
            if self.given is not None:
                q = np.zeros(m.nq)
            v = by_parameter(model, m.system.velocity_estimates(model), name) if self.given is None else np.zeros(m.nv)
            return Named(e, q, v, fixed, by_parameter(model, self.values_v, name), None, self._longer(name))
        if self.given is not None:
            raise ModelError(
                "a run that goes on from a state does not begin at the estimates", element=name, remedy="leave out start="
            )
        return self._estimate(name)

    def _estimate(self, name: str) -> Named:
        """One of a body's channels at the start, or a state, which begins beside the mechanics."""
        m = self.machine
        c, zero = m.system.coordinates, np.zeros
        out = Named(zero(len(m.b)), zero(m.nq), zero(m.nv), zero(len(self.first.fixed)), zero(len(self.fixed_v)))
        if name in m.model.states:
            return out
        owner, _, channel = name.rpartition(".")
        at_q, at_v = c.body_slices()[owner]
        quantity = m.model.bodies[owner].coordinate(channel)
        for fixed, target in ((self.first.fixed, out.fixed), (self.fixed_v, out.fixed_v)):
            at = [k for k, own in enumerate(fixed) if own is quantity]  # by identity: to compare them would be traced
            if at:
                target[at] = 1.0
                return out
        n = m.model.dimension
        if channel in POSITIONS[n]:
            out.q[at_q.start + POSITIONS[n].index(channel)] = 1.0
            return replace(out, length=self._longer(name))
        k = at_v.start + VELOCITIES[n].index(channel)
        out.v[k] = 1.0
        return replace(out, counts=k)

    def _longer(self, name: str) -> float:
        model = self.machine.model
        channel, x = self.longest
        rate = by_parameter(model, [x], name)[0] if name in model.parameters else float(channel == name)
        return float(np.sign(model.value(x)) * rate)

    def _turns(self, names: Sequence[str]) -> np.ndarray:
        """States begin at values that may depend on parameters; a state to go on from has its own."""
        model, out = self.machine.model, np.zeros((len(self.machine.turns), len(names)))
        for k, turn in enumerate(self.machine.system.turn_names):
            if turn in model.states and not (self.given is not None and turn in self.given):
                for j, name in enumerate(names):
                    if name == turn:
                        out[k, j] = 1.0
                    elif name in model.parameters:
                        out[k, j] = by_parameter(model, [model.states[turn]], name)[0]
        return out

    # -- velocities --------------------------------------------------------------------------------------------------------
    def _velocities(self, named: Sequence[Named], d: np.ndarray, b: np.ndarray) -> np.ndarray:
        """An estimate of zero that is varied counts first, where others of zero do not."""
        target, first = self._estimates()
        rows, out = self._rows(), np.empty((self.machine.nv, len(named)))
        more = [None if x.counts is None or first[x.counts] else x.counts for x in named]
        for own in dict.fromkeys(more):
            chosen = first if own is None else first | (np.arange(len(first)) == own)
            some = [k for k, x in enumerate(more) if x == own]
            out[:, some] = self._completed(rows, target, chosen, [named[k] for k in some], d[:, some], b[:, some])
        return out

    def _estimates(self) -> tuple[np.ndarray, np.ndarray]:
        """Of velocities, and which of them count first."""
        m = self.machine
        if self.given is None:
            target = m.system.velocity_estimate(m.model)
            return target, np.asarray(target != 0)
        told = m.system.coordinates.v_names
        first = np.array([x in self.given for x in told], dtype=bool)
        return np.array([float(np.ravel(self.given[x])[-1]) if x in self.given else 0.0 for x in told]), first

    def _completed(
        self, rows: _Rows, target: np.ndarray, first: np.ndarray, named: Sequence[Named], d: np.ndarray, b: np.ndarray
    ) -> np.ndarray:
        m, v = self.machine, self.start.v
        weight, C = velocity_weights(m) / m.scale**2, rows.by_v
        problem = _Ordered(C, np.where(first, weight, 0.0), np.where(first, 0.0, weight), m.scale)
        begun, mu, kappa, nu = problem.solve(-rows.at_rest, problem.W1 * target, problem.W2 * target, np.zeros(len(C)))
        if np.abs((begun - v) / m.scale).max(initial=0.0) > SAME * np.abs(v / m.scale).max(initial=1.0):
            names = [m.system.coordinates.v_names[k.counts] for k in named if k.counts is not None]
            raise ModelError(
                "the start jumps with it: an estimate of zero counts after the others", element=names or m.model.name,
                remedy="give it a value that is not zero",
            )  # fmt: skip
        out = np.empty((m.nv, len(named)))
        off, is_length = begun - target, m.scale == m.length
        for k, one in enumerate(named):
            dC, drest = rows.along(d[:, k], b[:, k])
            drest[len(drest) - len(one.fixed_v) :] -= one.fixed_v
            wider = np.where(is_length, -2 * one.length / m.length, 0.0)  # how the weights change, relative
            first_part = problem.W1 * (one.v - wider * off) - dC.T @ mu
            second_part = problem.W2 * (one.v - wider * off) - problem.W1 * wider * kappa - dC.T @ nu
            out[:, k] = problem.solve(-(dC @ begun + drest), first_part, second_part, -dC @ kappa)[0]
        return out

    def _rows(self) -> _Rows:
        """Equations on velocities, affine in them: those of the constraints, and what is fixed."""
        m, start = self.machine, self.start
        asked = m.resolve(self.fixed_v)
        blocks = m.system.once("rows of velocities", Same(asked), lambda: _traced(m, asked))
        units = np.concatenate([np.zeros((1, m.nv)), np.eye(m.nv)])
        args = m.load_args(start.q, start.v, start.t)
        given = [np.tile(x, (len(units), 1)) if k != 1 else units for k, x in enumerate(args)]
        found = blocks.dense(over_rows(blocks.function, given))
        values = np.array([m.model.value(x) for x in self.values_v])
        found["x"] = found["x"] - np.concatenate([np.zeros(found["x"].shape[1] - len(values)), values])
        return _Rows(found)


class _Rows:
    """Values x and derivatives x_d, x_b at v = 0 and at unit velocities."""

    def __init__(self, found: dict[str, np.ndarray]) -> None:
        self.found = found
        self.at_rest = found["x"][0]
        self.by_v = (found["x"][1:] - found["x"][0]).T

    def along(self, d: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How the matrix and the values at rest change."""
        change = self.found["x_d"] @ d + self.found["x_b"] @ b
        return (change[1:] - change[0]).T, change[0].copy()


def _traced(machine: LoadedMachine, asked: list[Scalar]) -> Blocks:
    s = machine.system
    rows = [*s.row_rates(range(len(s.rows))), *asked]
    constants: list[Expr] = list(s.constants)
    outputs: dict[str, Any] = {"x": rows, "x_d": s.coordinates.jacobian(rows), "x_b": jacobian(rows, constants)}
    return Blocks(f"{s.model.name}: rows of velocities", s.load_inputs, outputs)


class _Ordered:
    """The equations above for (v, mu, kappa, nu), in null spaces, as `least_change` solves them: Z1 spans what the first
    numbers choose, Z2 what is left to the rest."""

    def __init__(self, C: np.ndarray, W1: np.ndarray, W2: np.ndarray, scale: np.ndarray) -> None:
        self.W1, self.W2 = W1, W2
        S, lengths = scaled(C, scale)
        self.inverse = scale[:, None] * linear.pinv(S, rcond=LEAST_SQUARES) / lengths
        Z = analyse(C, scale).right
        least = CHOSEN * np.linalg.norm(np.sqrt(W1 + W2)[:, None] * Z, axis=0).max(initial=0.0)
        self.Z1, Z = _chosen(Z, np.sqrt(W1), least)
        self.Z2, _ = _chosen(Z, np.sqrt(W2), least)

    def solve(self, one: np.ndarray, two: np.ndarray, three: np.ndarray, four: np.ndarray) -> tuple[np.ndarray, ...]:
        """v, mu, kappa, nu by the right-hand sides."""
        v, kappa = self.inverse @ one, self.inverse @ four
        v = v + self.Z1 @ (self.Z1.T @ (two - self.W1 * v))
        v = v + self.Z2 @ (self.Z2.T @ (three - self.W2 * v - self.W1 * kappa))
        kappa = kappa + self.Z1 @ (self.Z1.T @ (three - self.W2 * v - self.W1 * kappa))
        mu, nu = (two - self.W1 * v) @ self.inverse, (three - self.W2 * v - self.W1 * kappa) @ self.inverse
        return v, mu, kappa, nu


def _chosen(Z: np.ndarray, trust: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """What weights choose of directions, each of weight one, and the directions that they leave open."""
    if not Z.shape[1]:
        return Z, Z
    _, size, Vt = linear.svd(trust[:, None] * Z)
    r = int((size > least).sum())
    return Z @ Vt[:r].T / size[:r], Z @ Vt[r:].T
