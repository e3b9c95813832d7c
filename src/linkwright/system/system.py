"""A machine as equations: the rows of all its elements, their derivatives, compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import CLOCK
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import (
    Expr,
    Same,
    Scalar,
    Sparse,
    absolute,
    along,
    free_symbols,
    maximum,
    symbol,
    symbols,
)
from linkwright.model import TIME, CamFlat, CamFollower, Gear, Model, PointFollower
from linkwright.system.constraints import Row, Traced
from linkwright.system.coordinates import Coordinates, hessian
from linkwright.system.estimates import axes_are_parallel, estimates
from linkwright.system.geometry import Geometry
from linkwright.system.patient import PatientFunction
from linkwright.system.quantities import rate_of, resolve
from linkwright.system.rows import Rows

Made = TypeVar("Made")


class System:
    """The position equations Phi(q, t) = 0 of a model and what follows from them (Haug 3.6, 9.6):

    Phi_v: derivative by displacements; velocity: Phi_v v = nu; acceleration: Phi_v vdot = gamma.

    All compiled functions take the same inputs, see `inputs`: coordinates q, velocities v, time t, constants b
    (parameters and phases), references of multi-turn angles, a displacement d.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.coordinates = Coordinates.of(model, [name for e in model.elements.values() for name in curve_parameters(e)])
        self.geometry = Geometry(model, self.coordinates)
        traced = Traced(self.geometry)
        for element in model.elements.values():
            traced.add(element)
        self.rows: list[Row] = traced.rows
        self._count_turns()
        self.phases = traced.phases
        self.senses = traced.senses
        self.constants = [*model.parameter_values(), *[p.symbol for p in self.phases.values()]]

    def _count_turns(self) -> None:
        """Follow the multi-turn angles. In space angles are known up to whole turns only: those of all joints are followed,
        driven or not, and those that are fixed at the start."""
        if self.coordinates.dimension == 3:
            for e in self.model.elements.values():
                for channel in e.channels:
                    if channel.startswith("angle"):
                        resolve(self.geometry, [e.coordinate(channel)])
            resolve(self.geometry, list(self.model.fixed))

    # -- sizes ---------------------------------------------------------------------------------------------------------
    @property
    def nq(self) -> int:
        return len(self.coordinates.q)

    @property
    def nv(self) -> int:
        return len(self.coordinates.v)

    @property
    def row_names(self) -> list[str]:
        return [r.name for r in self.rows]

    of_structure: ClassVar[bool] = True  # whether all models of a structure share it; else it reads numbers of its own one

    @staticmethod
    def decided(model: Model) -> tuple[Any, ...]:
        """The decisions in the equations that are made by numbers which are no part of the model's structure."""
        gears = [e for e in model.elements.values() if isinstance(e, Gear)] if model.dimension == 3 else []
        return tuple(axes_are_parallel(model, e) for e in gears)

    @property
    def turn_names(self) -> list[str]:
        """The multi-turn angles of the equations; further ones may be found later, in what somebody asks for."""
        return list(self.geometry.turns)[: len(self.inputs["turns"])]

    @property
    def whole(self) -> System:
        """The equations traced as a whole: these."""
        return self

    # -- inputs --------------------------------------------------------------------------------------------------------
    @cached_property
    def inputs(self) -> dict[str, np.ndarray]:
        """The inputs of every compiled function, in this order."""
        array = functools.partial(np.array, dtype=object)
        c = self.coordinates
        self.residuals  # noqa: B018  finds the multi-turn angles
        return {
            "q": c.q, "v": c.v, "t": array([TIME]), "b": array(self.constants),
            "turns": array([reference for reference, _ in self.geometry.turns.values()]), "d": c.displacement_symbols(),
        }  # fmt: skip

    def b(self, model: Model, phases: Mapping[str, float] | None = None) -> np.ndarray:
        """The constants as a model of this structure has them: parameters, gravity, phases (zero where not known yet)."""
        return self.numbers(model.parameter_values().values(), phases)

    def numbers(self, parameters: Iterable[float], phases: Mapping[str, float] | None = None) -> np.ndarray:
        """The constants with these values of all parameters."""
        known = phases or {}
        return np.array([*parameters, *[known.get(name, 0.0) for name in self.phases]], dtype=float)

    def estimate(self, model: Model) -> np.ndarray:
        """The estimate of q that the user of a model of this structure gave."""
        return estimates(model, self.coordinates)

    def velocity_estimate(self, model: Model) -> np.ndarray:
        return np.array([model.value(x) for x in self.velocity_estimates(model)])

    def velocity_estimates(self, model: Model) -> list[Scalar]:
        """The estimates of velocities as they were given: numbers, or expressions of parameters."""
        out: list[Scalar] = []
        for name in self.coordinates.body_slices():
            e = model.bodies[name].estimate
            omega = e.omega if isinstance(e.omega, tuple) else (e.omega,)
            out += [*e.velocity, *omega]
        return out + [0.0] * len(self.coordinates.extra)

    # -- equations -----------------------------------------------------------------------------------------------------
    @functools.cached_property  # nothing is traced before its parts are asked for
    def of_rows(self) -> Rows:
        """The rows, differentiated."""
        return Rows(self.coordinates, self.rows)

    @property
    def residuals(self) -> list[Scalar]:
        """Phi."""
        return self.of_rows.residuals

    @property
    def Phi_v(self) -> Sparse:
        return self.of_rows.Phi_v

    @property
    def of_velocities(self) -> dict[int, Scalar]:
        """The expressions that must be zero, by number, of the rows that constrain velocities alone."""
        return self.of_rows.of_velocities

    def read_by_rates(self, rows: Sequence[int]) -> list[list[int]]:
        """The displacements that change what constraints on velocities say, of each of these rows."""
        out: list[list[int]] = [[] for _ in rows]
        for i, j in self.coordinates.jacobian([self.of_velocities[k] for k in rows]).entries:
            out[i].append(j)
        return out

    def row_rates(self, rows: Sequence[int]) -> list[Scalar]:
        """d/dt of rows; of those on velocities what must be zero itself."""
        rates = self.rates([self.residuals[k] for k in rows])
        return [self.of_velocities.get(k, rate) for k, rate in zip(rows, rates, strict=True)]

    @cached_property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros of Phi_v."""
        return self.Phi_v.places

    @property
    def nu(self) -> list[Scalar]:
        """-Phi_t."""
        return self.of_rows.nu

    @property
    def gamma(self) -> list[Scalar]:
        """-(d/dt)^2 Phi at zero vdot."""
        return self.of_rows.gamma

    # -- compiled ------------------------------------------------------------------------------------------------------
    def function(self, name: str, **outputs: Any) -> Function:
        return Function(f"{self.model.name}: {name}", self.inputs, outputs)

    @cached_property
    def position(self) -> Function:
        """Phi and the nonzeros of Phi_v."""
        return self.function("position", Phi=self.residuals, Phi_v=self.Phi_v.values)

    @cached_property
    def residual_function(self) -> Function:
        """Phi alone, of q, t, b and the references of angles."""
        inputs = {name: self.inputs[name] for name in ("q", "t", "b", "turns")}
        return Function(f"{self.model.name}: residuals", inputs, {"Phi": self.residuals})

    @cached_property
    def worst_residual(self) -> Function:
        """The largest |Phi|, of the same inputs."""
        inputs = {name: self.inputs[name] for name in ("q", "t", "b", "turns")}
        worst: Scalar = 0.0
        for residual in self.residuals:
            worst = maximum(worst, absolute(residual))
        return Function(f"{self.model.name}: worst residual", inputs, {"worst": [worst]})

    @cached_property
    def velocity(self) -> Function:
        return self.function("velocity", nu=self.nu)

    @cached_property
    def acceleration(self) -> Function:
        return self.function("acceleration", gamma=self.gamma)

    @cached_property
    def retract(self) -> Function:
        """q displaced by d."""
        return self.function("retract", q=self.coordinates.retracted(self.inputs["d"]))

    @cached_property
    def turned(self) -> Function:
        """The multi-turn angles, as new references; and what phases are in this configuration."""
        return self.function(
            "turned",
            turns=[angle for _, angle in self.geometry.turns.values()][: len(self.inputs["turns"])],
            phases=[p.value for p in self.phases.values()],
            senses=list(self.senses.values()),
        )

    @cached_property
    def _curvature(self) -> tuple[Function, tuple[np.ndarray, np.ndarray]]:
        """The nonzeros of the Hessian of lam . Phi by displacements, and where they are."""
        lam = symbols("lam", len(self.rows))
        found = hessian(self.coordinates, self.residuals, lam)
        f = Function(f"{self.model.name}: curvature", {**self.inputs, "lam": lam}, {"H": found.values})
        return f, found.places

    def curvature(self, *args: np.ndarray) -> np.ndarray:
        """sum over rows of lam_k times the second derivative of Phi_k by displacements; lam follows the inputs."""
        f, places = self._curvature
        H = np.zeros((self.nv, self.nv))
        (H[places],) = f(*args)
        return H

    def own_rows(self, element: str, q: np.ndarray, *args: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Phi of an element, and its sense if it has one, at many q (a column each) and the same of all other inputs."""
        given = [q, *[np.repeat(a[:, None], q.shape[1], axis=1) for a in args]]
        own = [k for k, r in enumerate(self.rows) if r.element.name == element]
        senses = None
        if element in self.senses:
            senses = self.turned.batch(*given)[2][list(self.senses).index(element)]
        return self.position.batch(*given)[0][own], senses

    # -- kept with it --------------------------------------------------------------------------------------------------
    def once(self, kind: str, key: object, make: Callable[[], Made], most: int = 64) -> Made:
        """A thing that was traced of this system, made once for a key; of each kind the last few are kept."""
        kept: dict[object, Any] = self.__dict__.setdefault("kept", {}).setdefault(kind, {})
        found: Made | None = kept.pop(key, None)
        if found is None:
            with CLOCK.on("tracing"):
                found = make()
        kept[key] = found
        while len(kept) > most:
            kept.pop(next(iter(kept)), None)  # another thread may have been faster
        return found

    # -- quantities ----------------------------------------------------------------------------------------------------
    def resolve(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Quantities in terms of coordinates, velocities, time and constants."""
        return resolve(self.geometry, values)

    def quick(self, roots: Sequence[Scalar]) -> Callable[..., np.ndarray]:
        """A function of `inputs` for a few expressions; it takes what these depend on, of a large machine little."""
        c = self.coordinates
        references = [symbol(f"turn:{name}") for name in self.turn_names]
        known = [*c.q, *c.v, TIME, *self.model.parameter_values()]
        place = {s: k for k, s in enumerate(known)} | {s: k - len(references) for k, s in enumerate(references)}
        used = list(free_symbols(list(roots)))
        at = np.array([place[s] for s in used], dtype=np.int64)
        f = self.once(
            "asked", Same(roots), lambda: PatientFunction(f"{self.model.name}: asked", {"x": used}, {"y": list(roots)})
        )

        def quick(q: np.ndarray, v: np.ndarray, t: np.ndarray, b: np.ndarray, turns: np.ndarray, *_: Any) -> np.ndarray:
            y: np.ndarray = f.batch(np.concatenate([q, v, t, b, turns])[at, None])[0][:, 0]
            return y

        return quick

    def rates(self, values: Sequence[Scalar], vdot: Sequence[Expr] | None = None) -> list[Scalar]:
        """d/dt of expressions of q (and of v, if the symbols of vdot are given)."""
        if vdot is None:
            return rate_of(self.geometry, values)
        moving = dict(zip(self.coordinates.v, vdot, strict=True))
        return along(values, {**self.coordinates.rates, **moving, **self.geometry.state_rates, TIME: 1.0})


def curve_parameters(element: Any) -> list[str]:
    """The names of the unknown curve parameters of an element."""
    if isinstance(element, CamFollower | CamFlat | PointFollower):
        return [f"{element.name}.{channel}" for channel in element.channels]
    return []
