"""Assembly: the configuration nearest to the estimates in which all joints close (Haug 3.6.1, 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter

import numpy as np

from linkwright.analyses.channels import configuration
from linkwright.analyses.contacts import improve_contacts
from linkwright.analyses.machine import Machine
from linkwright.compile import Function
from linkwright.errors import AssemblyError
from linkwright.graph import Scalar
from linkwright.model import Model
from linkwright.results import Configuration
from linkwright.solve.blas import single_threaded
from linkwright.solve.nearest import Found, nearest, polish, solutions
from linkwright.solve.nearest import close as close_equations


class Closure:
    """The equations of a machine at a time as a problem of `solve.nearest`; fixed quantities are further equations."""

    def __init__(self, machine: Machine, t: float, fixed: Mapping[Scalar, float] | None = None) -> None:
        self.machine, self.t, self.scale = machine, t, machine.scale
        self.rows = np.flatnonzero(machine.active)
        self.names = [machine.system.rows[k].name for k in self.rows]
        self._fixed = _Fixed(machine, fixed or {}) if fixed else None
        if self._fixed:
            self.names += self._fixed.names

    def equations(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Phi, J = self.machine.Phi_and_J(q, self.t)
        Phi, J = Phi[self.rows], J[self.rows]
        if self._fixed:
            more, rows = self._fixed.equations(q, self.t)
            return np.concatenate([Phi, more]), np.vstack([J, rows])
        return Phi, J

    def curvature(self, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """By differences of J^T lam: it only steers Newton, so eight digits do, and no second derivatives are compiled."""
        h = 1e-5
        H = np.empty((len(self.scale), len(self.scale)))
        for k, size in enumerate(self.scale):
            d = np.zeros(len(self.scale))
            d[k] = h * size
            ahead, behind = (self.equations(self.retract(q, side * d))[1].T @ lam for side in (1, -1))
            H[k] = (ahead - behind) / (2 * h * size)
        return np.asarray(0.5 * (H + H.T))

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        return self.machine.retract(q, d)

    def tangent(self, q: np.ndarray) -> np.ndarray:
        return self.machine.tangent(q)


class _Fixed:
    """Estimates that are to be exact: quantity - value = 0."""

    def __init__(self, machine: Machine, fixed: Mapping[Scalar, float]) -> None:
        system = machine.system
        self.machine = machine
        self.names = [f"fix({q!r})" for q in fixed]
        residuals = [r - v for r, v in zip(system.resolve(list(fixed)), fixed.values(), strict=True)]
        J = system.coordinates.jacobian(residuals)
        self.function = Function("fixed", system.inputs, {"Phi": residuals, "J": J.dense()})

    def equations(self, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        Phi, J = self.function(*self.machine._args(q, t))
        return Phi, J


def assemble(model: Model, t: float = 0.0) -> Configuration:
    """The configuration nearest to the estimates in which every joint closes and every driver is where it should be.

    Lengths and angles are weighed as they are, in metres and radians, times the weight of the body. What `model.fix`
    fixes is met exactly. AssemblyError: `.residuals` by element, `.feasible` False where no estimate helps.
    """
    start = perf_counter()
    machine = Machine(model, t)
    found = close(machine, t)
    out = configuration(machine, found.q, t, "assembly")
    out.audit.notes += [*found.notes, *wrong_roots(machine, found.q, t)]
    out.audit.wall_seconds = perf_counter() - start
    return out


def close(machine: Machine, t: float, q0: np.ndarray | None = None) -> Found:
    """Assemble from the estimates, or from q0, and take the result as the machine's present configuration."""
    q0 = machine.system.estimate() if q0 is None else q0
    q0 = improve_contacts(machine, q0, t)
    problem = Closure(machine, t, position_fixes(machine.model))
    found = nearest(problem, q0, weights(machine))
    if not found.closed:
        found = _elsewhere(machine, problem, q0) or found
    if not found.closed:
        raise _failure(problem, found)
    machine.settle(found.q, t)
    return found


@single_threaded
def _elsewhere(machine: Machine, problem: Closure, q0: np.ndarray) -> Found | None:
    """From other estimates, and back toward the given one as far as the joints let it."""
    weight = weights(machine)
    others = solutions(problem, lambda k: random_start(machine, q0, k), 24, same_configuration(machine))
    if not others:
        return None
    best = min(others, key=lambda q: float(weight @ (q - q0) ** 2))
    found = polish(problem, best, q0, weight)
    found = found if found.closed else close_equations(problem, best)
    return replace(found, notes=("the joints do not close from the estimates: assembled from others, compare the result",))


def position_fixes(model: Model) -> dict[Scalar, float]:
    """Fixed positions by quantity."""
    return {q: model.value(v) for q, v in model.fixed.items() if model.order(q) == 0}


def weights(machine: Machine) -> np.ndarray:
    """How much each coordinate's estimate counts. Curve parameters count little: nobody knows them.

    Euler parameters change by half the angle: with four times the weight a turn counts in radians, as in the plane.
    """
    one = [1.0, 1.0, 1.0] + ([4.0] * 4 if machine.model.dimension == 3 else [])
    bodies = [b.estimate.weight * w for b in machine.system.coordinates.bodies for w in one]
    return np.array([*bodies, *[1e-4] * len(machine.system.coordinates.extra)]) + 1e-9


def residuals_by_element(problem: Closure, residual: np.ndarray) -> dict[str, float]:
    """The largest residual of each element."""
    out: dict[str, float] = {}
    for name, value in zip(problem.names, residual, strict=True):
        element = name if name.startswith("fix(") else name.rsplit(".", 1)[0] if "." in name else name
        out[element] = max(out.get(element, 0.0), abs(float(value)))
    return out


def _failure(problem: Closure, found: Found) -> AssemblyError:
    """Neither from the estimates nor from many others: the design is at fault."""
    residuals = residuals_by_element(problem, found.residual)
    worst = sorted(residuals, key=lambda name: -residuals[name])
    open_ones = [name for name in worst if residuals[name] > 1e-6 * max(residuals.values())]
    listed = ", ".join(f"{name} ({residuals[name]:.3g})" for name in open_ones[:5])
    cause = f"the joints cannot be closed: {listed} stay open wherever the bodies are put"
    remedy = "lengths or places do not fit together (or drivers ask for what cannot be reached): change the design"
    return AssemblyError(cause, residuals=residuals, feasible=False, element=open_ones, remedy=remedy)


def random_start(machine: Machine, q0: np.ndarray, k: int) -> np.ndarray:
    """The k-th other estimate: the given one, displaced more and more."""
    if k == 0:
        return q0
    rng = np.random.default_rng(k)
    size = 0.3 * (1 + k % 8)
    return machine.retract(q0, rng.normal(size=machine.nv) * size * machine.scale)


def same_configuration(machine: Machine):  # type: ignore[no-untyped-def]
    """Compares configurations up to whole turns and the sign of Euler parameters."""
    extra = len(machine.system.coordinates.extra)

    def same(a: np.ndarray, b: np.ndarray) -> bool:
        per = machine.system.coordinates.per_body[0]
        n = machine.model.dimension
        for k in range(len(machine.system.coordinates.bodies)):
            x, y = a[k * per : (k + 1) * per], b[k * per : (k + 1) * per]
            if np.abs(x[:n] - y[:n]).max() > 1e-6 * machine.length:
                return False
            if n == 2:
                turn = abs((x[2] - y[2] + np.pi) % (2 * np.pi) - np.pi)
            else:
                turn = min(np.abs(x[3:] - y[3:]).max(), np.abs(x[3:] + y[3:]).max())
            if turn > 1e-6:
                return False
        return not extra or bool(np.abs(a[-extra:] - b[-extra:]).max() < 1e-6)

    return same


def assemblies(model: Model, t: float = 0.0, tries: int = 120) -> list[Configuration]:
    """The distinct ways to assemble the machine that are found from many estimates, the nearest to the user's first.

    With degrees of freedom left every try ends elsewhere: drive the machine, or fix quantities, first.
    """
    machine = Machine(model, t)
    q0 = improve_contacts(machine, machine.system.estimate(), t)
    problem = Closure(machine, t, position_fixes(model))
    found = solutions(problem, lambda k: random_start(machine, q0, k), tries, same_configuration(machine))
    found.sort(key=lambda q: float(np.sum((q - q0) ** 2)))
    out = [configuration(machine, q, t, "assembly") for q in found]
    for c in out:
        c.audit.notes += wrong_roots(machine, c.q, t)
    return out


def wrong_roots(machine: Machine, q: np.ndarray, t: float) -> list[str]:
    """Elements that satisfy their equations the other way round: axes antiparallel, a gear meshing from behind."""
    notes = []
    for name, sense in machine.senses(q, t).items():
        if sense < 0:
            kind = type(machine.model.elements[name]).__name__
            what = "its axes are antiparallel" if machine.model.dimension == 3 else _WRONG.get(kind, "on the other root")
            notes.append(f"{name} ({kind}) is assembled the other way round: {what}")
    return notes


_WRONG = {
    "Translational": "the body is turned by half a turn",
    "Gear": "the gears mesh on the far side",
    "CamFollower": "the outlines overlap",
}
