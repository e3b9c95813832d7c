"""A system with numbers in it: what the analyses ask questions of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Self

import numpy as np

from linkwright import size_policy
from linkwright.analyses.machine.kept import kept
from linkwright.analyses.machine.sizes import largest_point, typical_length
from linkwright.analyses.machine.start_names import check_start
from linkwright.bounds import is_real, shown
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, evaluate
from linkwright.later import sparse
from linkwright.linear import NotFiniteError
from linkwright.model import TIME, Body, Driver, Gear, Model, Screw, a_model
from linkwright.system import System
from linkwright.system.bushings import SEAM, seams
from linkwright.system.constraints import UNSTRAINED, Traced
from linkwright.system.estimates import advance
from linkwright.system.geometry import Geometry
from linkwright.system.meshes import FIRST
from linkwright.system.once import Made, Once
from linkwright.system.quantities import resolve
from linkwright.system.shaped import ShapedSystem
from linkwright.system.whole_turns import said_turns

Read = tuple[Expr | str, Scalar, int, list[str]]  # what was asked; the quantity, how often it is differentiated, its states
MOST_OUTPUTS = 256  # expressions of quantities whose functions a machine keeps


class Machine(Once):
    """The equations of a model at its present parameters.

    ``turns``: references of the multi-turn angles; ``phases``: constants decided by the first assembly, by element.
    """

    equations: ClassVar[type[System]] = System
    shaped: ClassVar[type[ShapedSystem]] = ShapedSystem

    def __init__(self, model: Model, t: float = 0.0, *, by_shapes: bool = False, points: int = 0) -> None:
        """by_shapes: a large machine is evaluated shape by shape, which compiles little but has no native code of the
        whole: for analyses of a few configurations. points: of a motion; after some the whole is worth compiling."""
        if not is_real(t):
            raise ModelError(f"t = {shown(t)} is no time", remedy="give a number [s]")
        self.model = a_model(model)
        model.validate()
        self.system = _system(self.equations, model, self.shaped if by_shapes else None, points)
        self.restart(t)

    def follows(self, values: Sequence[Scalar]) -> bool:
        """Whether the turns of all angles in these expressions are counted."""
        found = Geometry(self.model, self.system.coordinates)
        resolve(found, values)
        return found.turns.keys() <= set(self.system.turn_names)

    def follow(self, values: Sequence[Scalar], t: float) -> None:
        """Count the turns of the angles in these expressions, too, from a restart on."""
        if self.follows(values):
            return
        self.system = self.equations(self.model)  # another: functions that were made know of the angles of before
        self.system.resolve(values)
        for name in ("asked", "readable", "_outputs", "geometry", "bodies", "is_driver"):
            self.__dict__.pop(name, None)
        self.restart(t)

    def restart(self, t: float = 0.0) -> None:
        """Begin again with the parameters as the model has them now: the equations stay, what was decided is forgotten."""
        self.phases: dict[str, float] = {}
        self.b = self.system.b(self.model)
        # what is read of a result later is of the model as it is now
        self.elements, self._constants = tuple(self.model.elements.values()), self.model.parameter_values()
        self.turns = self._first_turns(t)
        for name in ("active", "length", "scale", "_sizes", "_joints", "_standing"):
            self.__dict__.pop(name, None)

    @property
    def constants(self) -> Mapping[Expr, float]:
        """The values of parameters that it has."""
        return self._constants

    def numbered_as(self, other: Machine) -> Self:
        """The same with the parameters and phases of another: its model may have been given other values since. What is
        made of either is of both."""
        for name in ("asked", "readable", "_outputs"):
            getattr(self, name)
        self.__dict__.setdefault("_made", {})
        out = copy(self)
        out._constants = dict(other.constants)
        out.b = self.system.numbers(other.constants.values(), other.phases)
        return out

    def value(self, x: Scalar) -> float:
        """The number that an expression of parameters has in this machine, whatever the model has been given since."""
        return float(x) if type(x) is not Expr else float(evaluate([x], self._constants)[0])

    def estimate(self) -> np.ndarray:
        """The configuration in which the user thinks the machine is."""
        return self.system.estimate(self.model)

    @cached_property
    def bodies(self) -> list[Body]:
        """The bodies that move, with this model's numbers."""
        return [self.model.bodies[name] for name in self.system.coordinates.body_slices()]

    @cached_property
    def geometry(self) -> Geometry:
        """The geometry of this model, with its own values: the system may have been traced for another one of the same
        structure."""
        return Geometry(self.model, self.system.coordinates)

    def resolve(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Quantities of this model in terms of coordinates, velocities, time and constants of the system."""
        return resolve(self.asked, values)

    def output(self, values: Sequence[Scalar], made: Callable[[], Made], *how: object) -> Made:
        """The function that was made of these expressions of quantities, once; they are held, so that no other has their
        id."""
        key = *map(id, values), *how
        if key not in self._outputs:
            if len(self._outputs) >= MOST_OUTPUTS:
                self._outputs.clear()
            self._outputs[key] = list(values), made()
        found: Made = self._outputs[key][1]
        return found

    @cached_property
    def _outputs(self) -> dict[tuple[object, ...], tuple[list[Scalar], Any]]:
        return {}

    @cached_property
    def readable(self) -> dict[int, Read]:
        """The quantities of results that were read, by the id of what was asked."""
        return {}

    def remember(self, read: Read) -> None:
        if len(self.readable) >= MOST_OUTPUTS:
            self.readable.clear()
        self.readable[id(read[0])] = read

    @cached_property
    def asked(self) -> Geometry:
        """The geometry of what is asked of this machine beside its equations: further angles that are found there stay
        here."""
        whole = self.system.whole
        own = Geometry(self.model, whole.coordinates)
        own.turns = dict(whole.geometry.turns)
        return own

    # -- sizes -------------------------------------------------------------------------------------------------------
    @property
    def nq(self) -> int:
        return self.system.nq

    @property
    def nv(self) -> int:
        return self.system.nv

    @property
    def is_sparse(self) -> bool:
        """Whether matrices are sparse: here it is decided which solvers are used."""
        return self.nv > size_policy.SPARSE

    @cached_property
    def active(self) -> np.ndarray:
        """Rows that positions must satisfy and whose constants are known; some wait for the first assembly."""
        known = [r.rate is None and (not r.phase or r.phase in self.phases) for r in self.system.rows]
        return np.array(known, dtype=bool)

    @cached_property
    def states(self) -> np.ndarray:
        """Which of `turns` are states of the machine: they have rates of their own."""
        known = self.model.states
        return np.array([name in known for name in self.system.turn_names], dtype=bool)

    @cached_property
    def is_driver(self) -> np.ndarray:
        return np.array([r.driver for r in self.system.rows], dtype=bool)

    @cached_property
    def length(self) -> float:
        """A typical length [m]: lengths are measured by it, angles by radians, when they are compared."""
        return typical_length(self.model)

    def measure(self, length: float) -> None:
        """Take another typical length."""
        self.__dict__["length"] = length
        self.__dict__.pop("scale", None)

    def size_at(self, q: np.ndarray) -> float:
        """How large it is at a configuration; infinite if it has no size of its own: all its joints are at origins."""
        own = largest_point(self.model)
        n = self.model.dimension
        places = [float(np.abs(q[at][:n]).max()) for at, _ in self.system.coordinates.body_slices().values()]
        return max([own, *places]) if own > 0 else inf

    @cached_property
    def scale(self) -> np.ndarray:
        """The size of each displacement: a length, or one radian."""
        n = self.model.dimension
        body = [self.length] * n + [1.0] * (1 if n == 2 else 3)
        return np.array(body * len(self.system.coordinates.bodies) + [1.0] * len(self.system.coordinates.extra))

    # -- equations ---------------------------------------------------------------------------------------------------
    def _args(
        self, q: np.ndarray, t: float, v: np.ndarray | None = None, d: np.ndarray | None = None
    ) -> tuple[np.ndarray, ...]:
        zero = np.zeros(self.nv)
        return q, zero if v is None else v, np.array([t]), self.b, self.turns, zero if d is None else d

    def Phi_and_J(self, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Phi and Phi_v (dense), all rows."""
        Phi, entries = self.system.position(*self._args(q, t))
        J = np.zeros((len(Phi), self.nv))
        J[self.system.pattern] = entries
        return Phi, J

    def rows_at(self, q: np.ndarray, t: float) -> tuple[np.ndarray, Any]:
        """Phi and Phi_v, all rows; of a large machine sparse."""
        Phi, entries = self.system.position(*self._args(q, t))
        return Phi, self.matrix(entries)

    def matrix(self, entries: np.ndarray) -> Any:
        """Phi_v from its nonzeros, a sparse array where the machine is large."""
        shape = len(self.system.rows), self.nv
        if self.is_sparse:
            return sparse.csr_array((entries, self.system.pattern), shape=shape)
        J = np.zeros(shape)
        J[self.system.pattern] = entries
        return J

    def nu(self, q: np.ndarray, t: float) -> np.ndarray:
        return self.system.velocity(*self._args(q, t))[0]

    def gamma(self, q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        return self.system.acceleration(*self._args(q, t, v))[0]

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        return self.system.retract(*self._args(q, 0.0, d=d))[0]

    def curvature(self, q: np.ndarray, t: float, lam: np.ndarray) -> Any:
        """sum of lam_k Phi_k'' by displacements, symmetric part; sparse where the machine is evaluated by shapes."""
        H = self.system.curvature(*self._args(q, t), lam)
        return 0.5 * (H + H.T)

    @cached_property
    def shapes(self) -> ShapedSystem | None:
        """The same equations by shapes of elements; None where it holds what has no shape."""
        found = self.system if isinstance(self.system, ShapedSystem) else kept(ShapedSystem, self.model)
        return None if found.lacks else found

    def tangent(self, q: np.ndarray) -> np.ndarray:
        """dq/dd: how coordinates change with displacements."""
        if self.model.dimension == 2:
            return np.eye(self.nq, self.nv)
        N, blocks = np.zeros((self.nq, self.nv)), self._tangents(q)
        for k, block in enumerate(blocks):
            N[7 * k : 7 * k + 7, 6 * k : 6 * k + 6] = block
        N[7 * len(blocks) :, 6 * len(blocks) :] = np.eye(self.nq - 7 * len(blocks))
        return N

    def tangent_at(self, q: np.ndarray) -> Any:
        """The same, of a large machine sparse."""
        if not self.is_sparse:
            return self.tangent(q)
        if self.model.dimension == 2:
            return sparse.eye_array(self.nq, self.nv, format="csr")
        blocks, extra = self._tangents(q), len(self.system.coordinates.extra)
        bodies: Any = sparse.bsr_array((blocks, np.arange(len(blocks)), np.arange(len(blocks) + 1)))
        return sparse.block_diag([bodies, sparse.eye_array(extra)], format="csr") if extra else bodies.tocsr()

    def _tangents(self, q: np.ndarray) -> np.ndarray:
        """The tangents of each body in space."""
        p = q[: self.nq - len(self.system.coordinates.extra)].reshape(-1, 7)[:, 3:].T
        G = np.array([[-p[1], p[0], p[3], -p[2]], [-p[2], -p[3], p[0], p[1]], [-p[3], p[2], -p[1], p[0]]])
        blocks = np.zeros((p.shape[1], 7, 6))
        blocks[:, :3, :3] = np.eye(3)
        blocks[:, 3:, 3:] = 0.5 * G.transpose(2, 1, 0)
        return blocks

    def bend(self, q: np.ndarray, g: np.ndarray) -> np.ndarray:
        """The diagonal of sum g_k q_k'' by displacements: Euler parameters stay of length one, p'' = -p |turn|^2 / 4."""
        out = np.zeros(self.nv)
        if self.model.dimension == 3:
            bodies, extra = len(self.bodies), len(self.system.coordinates.extra)
            p, own = (x[: self.nq - extra].reshape(bodies, 7)[:, 3:] for x in (q, g))
            out[: 6 * bodies].reshape(bodies, 6)[:, 3:] = -0.25 * (p * own).sum(axis=1)[:, None]
        return out

    # -- state that follows the motion ---------------------------------------------------------------------------------
    def _first_turns(self, t: float) -> np.ndarray:
        """Angles start near what drivers and the like say (`said_turns`), those of screws near what the estimated advance
        says, the others within half a turn of zero."""
        names = self.system.turn_names
        driven = said_turns(self.system.coordinates, self.model, self.estimate(), t, fixed=True)
        begun = {n: self.model.value(x) for n, x in self.model.states.items()}
        turns = np.array([begun[n] if n in begun else driven.get(n, 0.0) for n in names])
        screws = {f"{e.name}.angle": e for e in self.model.elements.values() if isinstance(e, Screw)}
        free = [(k, screws[n]) for k, n in enumerate(names) if n in screws and n not in driven]
        phased = [f"{e.name}.{FIRST}" for e in self.model.elements.values() if isinstance(e, Gear) and e.phase is not None]
        meshing = [k for k, n in enumerate(names) if n in phased]
        if free or meshing:
            zero = np.zeros(self.nv)
            args = self.estimate(), zero, np.array([t]), self.b, turns, zero
            Phi, angles = self.system.position(*args)[0], self.system.turned(*args)[0]
            turns[meshing] = angles[meshing]  # they mesh from where they are estimated
            for k, e in free:
                own = [x for x, row in zip(Phi, self.system.rows, strict=True) if row.element.name == e.name]
                turns[k] = angles[k] + advance(own, self.model.value(e.pitch))
        return turns

    def driver_value(self, driver: Driver, t: float) -> float:
        """f(t) of a driver."""
        return float(self.driver_values(driver, np.array([t]))[0])

    def driver_values(self, driver: Driver, times: np.ndarray) -> np.ndarray:
        """f at many times."""
        f = Traced(self.geometry).motion(driver.motion)
        values = evaluate([f], {TIME: times, **self.model.parameter_values()})[0]
        return np.broadcast_to(np.asarray(values, dtype=float), times.shape)

    def going_on(self, start: Any) -> np.ndarray:
        """Coordinates at a configuration, or at the end of a result, by channel names.

        Angles keep the whole turns they have made; those that are driven have the turns their drivers say.
        """
        q = self.estimate()
        check_start(self.model, start, self.system.coordinates.q_names)
        driven = {e.quantity.data for e in self.model.elements.values() if isinstance(e, Driver)}
        for names, target in ((self.system.coordinates.q_names, q), (self.system.turn_names, self.turns)):
            for k, name in enumerate(names):
                if name in start and not (target is self.turns and name in driven):
                    target[k] = last_value(start, name)
        told = {name: f"{name}.{UNSTRAINED}" for name in self.system.phases}
        self.phases |= {name: last_value(start, channel) for name, channel in told.items() if channel in start}
        self.b = self.system.b(self.model, self.phases)
        self.wind(start)
        return q

    def wind(self, state: Any) -> None:
        """Bushings in the plane are wound up as a state tells; else they begin within half a turn where this is settled."""
        told = seams(self.model, reader(state))
        for k, name in enumerate(self.system.turn_names):
            if name.endswith(SEAM):
                self.turns[k] = told.get(name, 0.0)

    def settle(self, q: np.ndarray, t: float) -> None:
        """Take a configuration as the present one: references of angles, and phases that were not known."""
        turns, phases, _ = self.system.turned(*self._args(q, t))
        self.turns = turns
        for name, value in zip(self.system.phases, phases, strict=True):
            if name not in self.phases:
                if not np.isfinite(value):
                    raise NotFiniteError(
                        f"{name} has no value where the machine is put together, so that its length or phase is not known",
                        element=name, remedy="keep its ends and pulleys apart by more than their radii, or give that",
                    )  # fmt: skip
                self.phases[name] = float(value)
        b = self.system.b(self.model, self.phases)
        self.b = np.concatenate([b, self.b[len(b) :]])  # the numbers of a mode stay
        self.__dict__.pop("active", None)

    def senses(self, q: np.ndarray, t: float) -> dict[str, float]:
        """The sense in which each element is assembled: positive as described, negative on the other root of its
        equations."""
        return dict(zip(self.system.senses, self.system.turned(*self._args(q, t))[2], strict=True))


def reader(state: Any) -> Callable[[str], float | None]:
    """The values of channels of a state, None of those it does not tell."""
    known: Any = state if isinstance(state, Mapping) else {}
    return lambda name: last_value(known, name) if name in known else None


def last_value(start: Any, name: str) -> float:
    """The last value of a channel of what a run goes on from."""
    try:
        values = np.asarray(start[name]).reshape(-1)
    except ValueError:  # rows of different lengths
        values = np.zeros(0)
    if not len(values) or not is_real(values[-1]):
        raise ModelError(f"{shown(start[name])} is no value to start from", element=name, remedy="give a number")
    return float(values[-1])


def _system(equations: type[System], model: Model, shaped: type[ShapedSystem] | None = None, points: int = 0) -> System:
    """The equations of the model; of a large one by shapes if these are given and it has them, and not moved too often."""
    if shaped is not None and size_policy.is_looped(len(model.bodies) - 1):
        system = kept(shaped, model)
        system.moved += points
        if not system.lacks and (not points or system.moved <= size_policy.FEW_POINTS):
            return system
    return kept(equations, model)
