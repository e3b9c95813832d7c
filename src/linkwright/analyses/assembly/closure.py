"""The equations of a machine at one time as a problem of `solve.nearest`, and the search for a place where they hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.fixes import Fixes
from linkwright.analyses.machine.machine import Machine
from linkwright.equations.joint_models import neutral
from linkwright.equations.rotations import euler_parameters
from linkwright.equations.spatial_vectors import inverse, place
from linkwright.graph import Scalar
from linkwright.linear import NotFiniteError
from linkwright.solve.blas import single_threaded
from linkwright.solve.nearest import Found, close, nearest, polish, solutions
from linkwright.system.constraints import Form
from linkwright.system.spanning_tree import spanning_tree
from linkwright.system.whole_turns import position_fixes as position_fixes

TRIES = 24  # other estimates, before the design is held at fault
FEW_TRIES = 3  # where the answer is only whether something helps
NOTHING = 1e-12  # of a length or of a radian: rounding, told as zero
_tries: ContextVar[int] = ContextVar("tries", default=TRIES)


@contextmanager
def impatient() -> Iterator[None]:
    """Searches inside give up after few tries: for copies of a machine that may mend it, of which there are many."""
    before = _tries.set(FEW_TRIES)
    try:
        yield
    finally:
        _tries.reset(before)


class Closure:
    """Phi and its derivatives; fixed quantities are further equations, drivers and elements by name may be left out."""

    def __init__(
        self, machine: Machine, t: float, fixed: Mapping[Scalar, float] | None = None, drivers: bool = True,
        without: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.machine, self.t, self.scale, self.fixed = machine, t, machine.scale, fixed or {}
        active = machine.active if drivers else machine.active & ~machine.is_driver
        if without:
            active = active & [row.element.name not in without for row in machine.system.rows]
        self.rows = np.flatnonzero(active)
        self.names = [machine.system.rows[k].name for k in self.rows]
        self.forms: list[Form] = [machine.system.rows[k].form for k in self.rows]
        self._fixed = Fixes(machine, fixed) if fixed else None
        if self._fixed:
            self.names += self._fixed.names
            self.forms += ["plain"] * len(self._fixed.names)

    def equations(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        """Phi and Phi_v, which is sparse where the machine is large."""
        Phi, J = self.machine.rows_at(q, self.t)
        if len(self.rows) < len(Phi):
            Phi, J = Phi[self.rows], J[self.rows]
        return self._fixed.joined(Phi, J, q, self.t) if self._fixed else (Phi, J)

    def curvature(self, q: np.ndarray, lam: np.ndarray) -> Any:
        """The curvature by differences of J^T lam: it only steers Newton, so eight digits do, and no second derivatives are
        compiled. That of a large machine is exact, by shapes of elements; None where it has none."""
        if self.machine.is_sparse:
            return self._curvature_by_shapes(q, lam)
        h = 1e-5
        H = np.empty((len(self.scale), len(self.scale)))
        for k, size in enumerate(self.scale):
            d = np.zeros(len(self.scale))
            d[k] = h * size
            ahead, behind = (self.equations(self.retract(q, side * d))[1].T @ lam for side in (1, -1))
            H[k] = (ahead - behind) / (2 * h * size)
        return 0.5 * (H + H.T)

    def _curvature_by_shapes(self, q: np.ndarray, lam: np.ndarray) -> Any:
        machine, joints = self.machine, len(self.rows)
        if machine.shapes is None:
            return None
        H = machine.shapes.curvature(*machine._args(q, self.t), self._every(lam))
        H = 0.5 * (H + H.T)
        return H + self._fixed.curvature(q, self.t, lam[joints:]) if self._fixed else H

    def convex_curvature(self, q: np.ndarray, lam: np.ndarray) -> Any:
        assert self.machine.shapes is not None
        return self.machine.shapes.convex_curvature(self.scale, *self.machine._args(q, self.t), self._every(lam))

    def _every(self, lam: np.ndarray) -> np.ndarray:
        """The values of all rows, with zeros for those that are left out."""
        out = np.zeros(len(self.machine.system.rows))
        out[self.rows] = lam[: len(self.rows)]
        return out

    def sizes(self, J: np.ndarray) -> np.ndarray:
        """The sizes that make each equation one of lengths, or of angles: how fast it changes with the place of a body, at
        most, or with its turn where no place matters."""
        place, any_way = self._by_place(J), np.linalg.norm(J, axis=1)
        size = np.where(place > 1e-9, place, any_way)
        return np.where(size > 1e-9, size, 1.0)

    def gaps(self, q: np.ndarray) -> tuple[list[float], list[str]]:
        """How far each equation is off at q, and the unit of that: metres or radians."""
        Phi, J = self.equations(q)
        J = J.toarray() if hasattr(J, "toarray") else np.asarray(J)
        by_place, sizes = self._by_place(J), self.sizes(J)
        found = [_gap(*x) for x in zip(self.forms, Phi, by_place, sizes, strict=True)]
        units = ["m" if f == "square" or x > 1e-9 else "rad" for f, x in zip(self.forms, by_place, strict=True)]
        return found, units

    def _by_place(self, J: np.ndarray) -> np.ndarray:
        n = self.machine.model.dimension
        bodies = self.machine.system.coordinates.body_slices().values()
        return np.asarray(np.max([np.linalg.norm(J[:, at][:, :n], axis=1) for _, at in bodies], axis=0))

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        return self.machine.retract(q, d)

    def tangent(self, q: np.ndarray) -> Any:
        return self.machine.tangent_at(q)

    def bend(self, q: np.ndarray, g: np.ndarray) -> np.ndarray:
        return self.machine.bend(q, g)


def _gap(form: Form, residual: float, by_place: float, size: float) -> float:
    """How far one equation is off, from its residual and how fast that changes with the place of a body, or at all."""
    if form == "square":  # the length that there is, is half of how fast its square changes
        length = 0.5 * by_place
        return abs(float(length - np.sqrt(max(length**2 - residual, 0.0))))
    if form == "sine":
        return float(np.arcsin(min(abs(residual), 1.0)))
    return float(abs(residual) / size)


def tries(machine: Machine) -> int:
    """Random estimates that are tried. Chance finds no way into a large machine; into a very large one no second try is
    worth its time."""
    most = _tries.get()
    return most if machine.nv <= size_policy.SPARSE else most // 6 if machine.nv <= size_policy.SPARSE_RANK else 1


@single_threaded
def search(problem: Closure, q0: np.ndarray) -> Found:
    """The closure nearest to q0; if there is none on the way from q0, that from other estimates, and back toward q0 as far
    as the joints let it."""
    weight = weights(problem.machine)
    found = nearest(problem, q0, weight)
    if found.closed:
        return found
    machine = problem.machine

    def start(k: int) -> np.ndarray:
        return laid_out(machine, q0) if k == 0 else random_start(machine, q0, k - 1)

    others = solutions(problem, start, 1 + tries(machine), same_configuration(machine))
    if not others:
        return found
    best = min(others, key=lambda q: float(weight @ (q - q0) ** 2))
    try:
        better = polish(problem, best, q0, weight)
    except NotFiniteError:  # at the edge of where a formula has a value: it stays where it was found
        better = close(problem, best)
    better = better if better.closed else close(problem, best)
    return replace(better, notes=(_estimates_at_fault(problem, q0, found, better.q),))


class Homotopy:
    """The homotopy from a configuration to a solution: Phi(q) - s Phi(q0), with s (`granted`) from one to zero."""

    def __init__(self, problem: Closure, q: np.ndarray) -> None:
        self.problem, self.scale = problem, problem.scale
        self.off, self.granted = problem.equations(q)[0], 1.0

    def equations(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        Phi, J = self.problem.equations(q)
        return Phi - self.granted * self.off, J

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        return self.problem.retract(q, d)


@single_threaded
def bring(problem: Closure, q: np.ndarray) -> tuple[np.ndarray, bool]:
    """Follow the homotopy from where the joints close to where everything holds: where it ends, and whether all holds there.

    Unlike a search it does not leave the motion that the machine can make, so where it stops there is a dead point.
    """
    homotopy, step = Homotopy(problem, q), 0.1
    length = problem.machine.length
    while homotopy.granted > 0 and step > 1e-4:
        before, homotopy.granted = homotopy.granted, max(homotopy.granted - step, 0.0)
        end = close(homotopy, q)
        _, place, turn = farthest(problem.machine, q, end.q)
        if end.closed and place / length + turn < 0.5:
            q, step = end.q, min(2 * step, 0.25)
        else:
            homotopy.granted, step = before, 0.5 * step
    return q, homotopy.granted == 0


def _estimates_at_fault(problem: Closure, q0: np.ndarray, dead_end: Found, q: np.ndarray) -> str:
    open_ones = worst_first(residuals_by_element(problem, dead_end.residual))
    body, place, turn = farthest(problem.machine, q0, q)
    # a formula without a value has left no names: then all that was asked is told
    open_ones = open_ones or list(dict.fromkeys(map(_element_of, problem.names)))
    place, turn = (x if x > NOTHING * size else 0.0 for x, size in ((place, problem.machine.length), (turn, 1.0)))
    return (
        f"the estimates are at fault: from them {', '.join(open_ones[:3])} cannot be closed, from others they can; "
        f"{body} is then {place:.3g} m and {turn:.3g} rad off"
    )


def farthest(machine: Machine, q0: np.ndarray, q: np.ndarray) -> tuple[str, float, float]:
    """The body that is farthest from where q0 has it, how far, and by which angle it is turned."""
    off = {name: _apart(machine, q0[at], q[at]) for name, (at, _) in machine.system.coordinates.body_slices().items()}
    body = max(off, key=lambda name: off[name][0] / machine.length + off[name][1])
    return body, *off[body]


def _apart(machine: Machine, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Distance and angle between two poses of a body."""
    n = machine.model.dimension
    half = abs(np.sin(0.5 * (b[2] - a[2]))) if n == 2 else np.sqrt(max(1 - float(a[3:] @ b[3:]) ** 2, 0.0))
    return float(np.linalg.norm(b[:n] - a[:n])), 2 * float(np.arcsin(min(half, 1.0)))


def weights(machine: Machine) -> np.ndarray:
    """How much each coordinate's estimate counts.

    Euler parameters change by half the angle: with four times the weight a turn counts in radians, as in the plane.
    """
    return body_weights(machine, [1.0, 1.0, 1.0] + ([4.0] * 4 if machine.model.dimension == 3 else []))


def body_weights(machine: Machine, one: Sequence[float] | np.ndarray) -> np.ndarray:
    """How much the estimates of bodies count, one after the other, times the numbers `one`. Curve parameters count little:
    nobody knows them."""
    c = machine.system.coordinates
    own = [machine.model.bodies[name].estimate.weight for name in c.body_slices()]
    return np.concatenate([np.outer(own, one).ravel(), np.full(len(c.extra), 1e-4)]) + 1e-9


def residuals_by_element(problem: Closure, residual: np.ndarray) -> dict[str, float]:
    """The largest residual of each element."""
    out: dict[str, float] = {}
    for name, value in zip(problem.names, residual, strict=True):
        element = _element_of(name)
        out[element] = max(out.get(element, 0.0), abs(float(value)))
    return out


def openings(problem: Closure, q: np.ndarray) -> dict[str, str]:
    """How far each element is open at q, in metres or radians; the widest first, closed ones left out."""
    found: dict[str, tuple[float, str]] = {}
    for name, own, unit in zip(problem.names, *problem.gaps(q), strict=True):
        element = _element_of(name)
        if own > found.get(element, (0.0, ""))[0]:
            found[element] = own, unit
    ordered = worst_first({name: own for name, (own, _) in found.items()})
    return {name: f"{found[name][0]:.3g} {found[name][1]}" for name in ordered}


def _element_of(row: str) -> str:
    return row if row.startswith("fix(") else row.rsplit(".", 1)[0] if "." in row else row


def worst_first(residuals: Mapping[str, float]) -> list[str]:
    """The elements that stay open, the widest first."""
    largest = max(residuals.values(), default=0.0)
    return sorted((name for name in residuals if residuals[name] > 1e-6 * largest), key=lambda name: -residuals[name])


def random_start(machine: Machine, q0: np.ndarray, k: int) -> np.ndarray:
    """The k-th other estimate: the given one, displaced more and more."""
    if k == 0:
        return q0
    rng = np.random.default_rng(k)
    size = 0.3 * (1 + k % 8)
    return machine.retract(q0, rng.normal(size=machine.nv) * size * machine.scale)


def same_configuration(machine: Machine) -> Callable[[np.ndarray, np.ndarray], bool]:
    """Compares configurations up to whole turns and the sign of Euler parameters."""
    extra = len(machine.system.coordinates.extra)

    def same(a: np.ndarray, b: np.ndarray) -> bool:
        per = machine.system.coordinates.per_body[0]
        n = machine.model.dimension
        for k in range(len(machine.bodies)):
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


# An estimate that knows no estimates: bodies laid out along a spanning tree, with no joint moved.


def laid_out(machine: Machine, q: np.ndarray) -> np.ndarray:
    """q with all bodies moved to where the joints of the tree close."""
    spanning, n = spanning_tree(machine.model), machine.model.dimension
    slices, out = machine.system.coordinates.body_slices(), np.array(q)
    X: list[np.ndarray] = []
    for k, low in enumerate(spanning.tree.parent):
        joint = spanning.tree.joint[k]
        up = joint.model(neutral(joint), np.zeros(joint.nv))[0] @ spanning.tree.Xtree[k]
        X.append(np.asarray(up if low < 0 else up @ X[low], dtype=float))
        E, r = (np.asarray(x, dtype=float) for x in place(inverse(spanning.frames[k]) @ X[k]))
        turn = euler_parameters(E.T) if n == 3 else [np.arctan2(E[0, 1], E[0, 0])]
        out[slices[spanning.bodies[k].name][0]] = [*r[:n], *turn]
    return out
