"""Outputs of a machine that moves a little: by its state, and by inputs that swing.

In axes in which coefficients are constant (see `about_motion`) everything goes as exp(s t): w = (s + Omega x) x and
a = (s + Omega x - omega_b x) w. Displacements are x = Z xi, and p u where u is the change of a driver's motion: Phi_v p = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.small_motions.about_motion import Moment
from linkwright.analyses.small_motions.inputs import Target, inputs_of, target_of, targets
from linkwright.analyses.small_motions.turning import Axes, spinning
from linkwright.analyses.statics.reduced import slopes_of_states
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, jacobian
from linkwright.model.quantities import short
from linkwright.regularisation import SADDLE
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import dense
from linkwright.system.matrices import Matrices


def label(output: Any) -> str:
    return output if isinstance(output, str) else short(output) if isinstance(output, Expr | float) else repr(output)


def slopes(at: Moment, outputs: list[Any]) -> list[np.ndarray]:
    """The derivatives of outputs (quantities, formulas of them, channels of accelerations, reactions and efforts) by
    displacements, velocities, accelerations, multipliers, states."""
    machine = at.machine
    whole: Any = machine.system.whole
    if not outputs:
        sizes = machine.nv, machine.nv, machine.nv, len(machine.system.rows), int(machine.states.sum())
        return [np.zeros((0, n)) for n in sizes]
    known = whole.output_symbols
    values: list[Scalar] = [
        known[y] if isinstance(y, str) and y in known else machine.model.trace(y, {}) for y in outputs
    ]  # fmt: skip
    told = whole.told(values)
    c = whole.coordinates
    found = {
        "d": c.jacobian(told), "v": jacobian(told, list(c.v)), "a": jacobian(told, list(whole.vdot)),
        "l": jacobian(told, list(whole.lam)), "z": jacobian(told, list(whole.geometry.state_rates)),
    }  # fmt: skip
    f = Matrices("outputs", {**whole.load_inputs, "vdot": whole.vdot, "lam": whole.lam}, found)
    return list(f(*machine.load_args(at.q, at.v, at.t), at.vdot, at.lam))


def _answer(D: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """D x = right; where D is singular, as at no frequency where a machine can turn freely, the least x. None where there is
    no answer: an undamped resonance."""
    if not len(D):
        return np.zeros(0)
    size = np.sqrt(np.outer(np.abs(D).max(axis=1), np.abs(D).max(axis=0)))
    if linear.cond(D / np.where(size > 0, size, 1.0)) < 1e12:
        return np.asarray(linear.solve(D, right))
    x = linear.lstsq(D, right, rcond=SADDLE)[0]
    left = np.abs(D @ x - right).max()
    return None if left > 1e-9 * max(float(np.abs(right).max()), 1e-300) else np.asarray(x)


@dataclass(frozen=True)
class _Input:
    """The effects of a unit of an input: the force on all bodies, their displacement, rates of states, the part of the
    output that it is; and the effects of a unit of its rate."""

    force: np.ndarray
    moved: np.ndarray
    rates: np.ndarray
    at_once: float
    force_by_rate: np.ndarray | float = 0.0
    at_once_by_rate: float = 0.0


class Response:
    """Called with an input, an output and angular frequencies."""

    def __init__(self, at: Moment, axes: Axes, Z: np.ndarray) -> None:
        self.at, self.axes, self.Z = at, axes, Z

    @cached_property
    def _matrices(self) -> tuple[np.ndarray, ...]:
        """S_Omega, S_omega, and those of s^2, s, 1 in the equations of motion of all bodies."""
        at, c = self.at, self.at.changes
        S, S_w = dense(self.axes.turning(at.q)), dense(spinning(at.machine, at.v))
        M, R_d, R_v = dense(at.M), dense(c["R_d"]), dense(c["R_v"])
        return S, S_w, M, M @ (2 * S - S_w) + R_v, M @ (S - S_w) @ S + R_v @ S + R_d

    def _input(self, name: str, output: Any) -> _Input:
        """By a unit of an input."""
        at, system, none = self.at, self.at.machine.system, np.zeros(self.at.machine.nv)
        inputs = inputs_of(at)
        names = inputs.names
        if name in names:
            j = names.index(name)
            return _Input(inputs.forces[:, j], none, inputs.rates[:, j], float(inputs.at_once([output])[0, j]))
        if (target := target_of(at, name, inputs)) is not None:
            unit, own = inputs.forces[:, target.number], float(inputs.at_once([output])[0, target.number])
            of_output = own * target.by + target.channels.get(output if isinstance(output, str) else "", 0.0)
            return _Input(unit * target.by, none, target.rates, of_output, unit * target.by_rate, own * target.by_rate)
        driven = [k for k, row in enumerate(system.rows) if row.driver and row.element.name == name]
        if driven:
            right = np.zeros(len(system.rows))
            right[driven] = 1.0
            return _Input(none, at.reach(right), np.zeros(len(inputs.rates)), 0.0)
        known = [*names, *targets(at), *dict.fromkeys(row.element.name for row in system.rows if row.driver)]
        raise ModelError(
            f"{name!r} is no input: no force with a single effort, no driver", element=str(name),
            remedy=f"choose among {', '.join(known)}" if known else "add a Force, Torque or Driver",
        )  # fmt: skip

    @single_threaded
    def __call__(self, name: str, output: Any, omega: np.ndarray) -> np.ndarray:
        at, Z, (S, S_w, D2, D1, D0) = self.at, self.Z, self._matrices
        L, given = at.along(Z), self._input(name, output)
        p, faster = given.moved, given.rates
        o_d, o_v, o_a, o_l, o_z = (x[0] for x in slopes(at, [output]))
        Q_z, r_d, r_v, r_z = slopes_of_states(at.machine, at.q, at.v, at.t)
        out = np.empty(len(omega), dtype=complex)
        n = Z.shape[1]
        for k, s in enumerate(1j * omega):
            # motion and states at once: s z = r_d x + r_v w + r_z z + faster
            D, follow = s * s * D2 + s * D1 + D0, r_d + r_v @ (s * np.eye(len(S)) + S)
            force = given.force + s * given.force_by_rate
            both = np.block([[L @ D @ Z, -L @ Q_z], [-follow @ Z, s * np.eye(len(r_z)) - r_z]])
            found = _answer(both, np.concatenate([L @ (force - D @ p), faster + follow @ p]))
            if found is None:
                out[k] = np.inf
                continue
            xi, z = found[:n], found[n:]
            pushed = force + Q_z @ z
            x = p + Z @ xi
            w = s * x + S @ x
            a = s * w + S @ w - S_w @ w
            out[k] = o_d @ x + o_v @ w + o_a @ a + o_z @ z + given.at_once + s * given.at_once_by_rate
            if o_l.any():
                out[k] += o_l @ at.pressing(pushed - D @ x)
        return out


class StateResponse:
    """The same by the state space, of machines with constraints on velocities: y = C (s - A)^-1 B u + D u. `read` gives C
    and D of outputs."""

    def __init__(
        self, at: Moment, A: np.ndarray, B: np.ndarray, read: Callable[[list[Any]], tuple[np.ndarray, ...]]
    ) -> None:
        self.at, self.A, self.B, self.read = at, A, B, read

    @single_threaded
    def __call__(self, name: str, output: Any, omega: np.ndarray) -> np.ndarray:
        inputs = inputs_of(self.at)
        names, target = inputs.names, target_of(self.at, name, inputs)
        if target is not None:
            return self._by_target(target, output, omega)
        if name not in names:
            raise ModelError(
                f"{name!r} is no input of a machine with constraints on velocities: no force with a single effort",
                element=str(name), remedy=f"choose among {', '.join(names)}" if names else "add a Force or Torque",
            )  # fmt: skip
        j = names.index(name)
        C, D = self.read([output])
        states = [_answer(s * np.eye(len(self.A)) - self.A, self.B[:, j].astype(complex)) for s in 1j * omega]
        return np.array([np.inf if z is None else C[0] @ z + D[0, j] for z in states], dtype=complex)

    def _by_target(self, target: Target, output: Any, omega: np.ndarray) -> np.ndarray:
        """As by its effort, of which a target is some, and by what the integral grows."""
        (C,), (D,) = self.read([output])
        b, grows = self.B[:, target.number], np.zeros(len(self.A))
        grows[len(self.A) - len(target.rates) :] = target.rates
        at_once = target.channels.get(output if isinstance(output, str) else "", 0.0)
        out = []
        for s in 1j * omega:
            effort = target.by + s * target.by_rate
            z = _answer(s * np.eye(len(self.A)) - self.A, b * effort + grows)
            out.append(np.inf if z is None else C @ z + D[target.number] * effort + at_once)
        return np.array(out, dtype=complex)
