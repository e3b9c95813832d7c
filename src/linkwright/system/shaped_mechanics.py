"""A large machine under forces, evaluated shape by shape: mass, loads, their derivatives, reactions, for analyses at rest.

As `Mechanics`, in whose order all numbers are; matrices are sparse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, Sparse, jacobian
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.system.changes import NAMES, changes, unbalanced
from linkwright.system.load import Load
from linkwright.system.looped.group import Group
from linkwright.system.looped.groups import body_groups, follows_from_multipliers, groups, is_impact
from linkwright.system.looped.told import Tells
from linkwright.system.mechanics import Mechanics
from linkwright.system.patient import Evaluation, PatientFunction
from linkwright.system.shape import Shape
from linkwright.system.shaped import Numbers, ShapedSystem


class LoadedShape(Tells, Shape):
    """A shape of elements, or of bodies, and what it does."""

    kind = Mechanics
    system: Mechanics

    @property
    def is_body(self) -> bool:
        return self.group.element is None

    @cached_property
    def loads(self) -> list[Load]:
        return [] if not self.is_body and not self.system.loads.all else self.system.loads.all

    @cached_property
    def M(self) -> Sparse:
        return self.system.inertia.M

    @cached_property
    def mass(self) -> PatientFunction:
        """The nonzeros of M, h and the kinetic energy."""
        found = self.system.inertia
        return self.function("mass", {"M": found.M.values, "h": found.h, "T": [found.kinetic_energy]})

    @cached_property
    def forces(self) -> PatientFunction:
        """Generalised forces, potential, power of what has none."""
        loads = self.system.loads
        return self.function("forces", {"Q": loads.Q, "V": [loads.potential], "P": [loads.power]})

    @cached_property
    def slopes(self) -> tuple[Sparse, Sparse]:
        """dQ by displacements and by velocities."""
        Q, c = self.system.loads.Q, self.system.coordinates
        return c.jacobian(Q), jacobian(Q, list(c.v))

    @cached_property
    def derivatives(self) -> PatientFunction:
        K, C = self.slopes
        return self.function("derivatives", {"K": K.values, "C": C.values})

    @cached_property
    def slopes_in_motion(self) -> dict[str, Sparse]:
        """See `changes`; rows are those of the shape's own equations."""
        R = unbalanced(self.system, self.own, self.is_body)
        return changes(self.system, self.own, R)

    @cached_property
    def changes(self) -> PatientFunction:
        outputs = {name: m.values for name, m in self.slopes_in_motion.items()}
        return self.function("changes", outputs, lam=self.lam, vdot=self.system.vdot)

    @cached_property
    def told(self) -> PatientFunction:
        """Reactions and efforts."""
        outputs = [*self.reactions.values(), *self.efforts.values()]
        return self.function("reactions", {"x": outputs}, lam=self.lam)

    @cached_property
    def points(self) -> PatientFunction:
        return self.function("place", {"point": self.place})

    @cached_property
    def unit(self) -> dict[int, Scalar]:
        """The generalised force of one unit of its effort."""
        found = [load.unit for load in self.loads if load.name == self.name]
        return found[0] if found else {}

    @cached_property
    def units(self) -> PatientFunction:
        return self.function("unit", {"U": list(self.unit.values())})


@dataclass
class AllLoads:
    """The part of `Loads` that is asked of a machine: who the loads are, and whether each has a potential."""

    all: list[Load] = field(default_factory=list)
    callbacks: list[Any] = field(default_factory=list)
    impacts: list[Any] = field(default_factory=list)
    memories: list[Any] = field(default_factory=list)


class ShapedMechanics(ShapedSystem, Mechanics):
    """A `Mechanics` that is evaluated by shapes. It lacks friction, impacts, laws in plain Python and laws that remember:
    what they do is not told by equations of their own; and states, inertia along quantities, constraints on velocities."""

    shape = LoadedShape
    shapes: list[LoadedShape]  # type: ignore[assignment]

    def __init__(self, model: Model) -> None:
        more = (e.name for e in model.elements.values() if follows_from_multipliers(e) or is_impact(e) or e.states)
        self.lacks = next(more, "")
        if self.lacks:
            return
        super().__init__(model)
        for s in self.shapes:
            own = s.system.loads
            if own.callbacks or own.memories or s.system.of_velocities or (s.system.carried and not s.is_body):
                self.lacks = s.group.names[0]
        if self.lacks:
            return
        self.frictions, self.slots = [], []
        weight = [Load("gravity", {}, 0.0)] if any(s.is_body and s.loads for s in self.shapes) else []
        by_name = {n: load for s in self.shapes if not s.is_body for load in s.loads for n in s.group.names}
        loads = [Load(n, {}, load.V, unit=load.unit) for n in model.elements if (load := by_name.get(n)) is not None]
        self.loads: Any = AllLoads([*weight, *loads])

    def _groups(self) -> list[Group]:
        return [*groups(self.model), *body_groups(self.model, self.coordinates.bodies)]

    # -- patterns --------------------------------------------------------------------------------------------------------
    @cached_property
    def M_pattern(self) -> tuple[np.ndarray, np.ndarray]:
        return self._square(lambda s: s.M if s.is_body else None)

    @cached_property
    def _patterns(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The places of the nonzeros of dQ by displacements and by velocities."""
        return [self._square(lambda s, k=k: s.slopes[k] if s.loads else None) for k in (0, 1)]  # type: ignore[misc]

    # -- evaluated -------------------------------------------------------------------------------------------------------
    @cached_property
    def terms(self) -> Any:
        """The terms of the equations of motion as in `Mechanics`."""
        sizes = len(self.M_pattern[0]), self.nv, self.nv, len(self.pattern[0]), *[len(self.rows)] * 3, 3
        names = ("M", "h", "Q", "Phi_v", "gamma", "nu", "Phi", "energy")
        outputs: dict[str, tuple[int, ...]] = {n: (size,) for n, size in zip(names, sizes, strict=True)}
        outputs["points"] = (len(self.joints) * self.model.dimension,)
        return Evaluation(outputs, self._terms)

    def _terms(self, *args: np.ndarray) -> Numbers:
        h, Q, energy = np.zeros(self.nv), np.zeros(self.nv), np.zeros(3)
        masses = self.over_shapes(lambda s: s.mass if s.is_body else None, args)
        forces = self.over_shapes(lambda s: s.forces if s.loads else None, args)
        for s, mass, force in zip(self.shapes, masses, forces, strict=True):
            if mass is not None:
                h[s.v], energy[0] = mass[1], energy[0] + mass[2].sum()
            if force is not None:
                np.add.at(Q, s.v, force[0])
                energy[1:] += force[1].sum(), force[2].sum()
        M = np.concatenate([np.zeros(0), *[x[0].ravel() for x in masses if x is not None]])
        Phi, J = self.position(*args)
        gamma, nu = self.acceleration(*args)[0], self.velocity(*args)[0]
        return M, h, Q, J, gamma, nu, Phi, energy, self._points(args)

    def _points(self, args: Sequence[np.ndarray]) -> np.ndarray:
        number, out = {name: k for k, name in enumerate(self.joints)}, np.zeros((len(self.joints), self.model.dimension))
        for s, x in zip(self.shapes, self.over_shapes(lambda s: s.points if s.place else None, args), strict=True):
            if x is not None:
                out[[number[n] for n in s.group.names]] = x[0].T
        return out.ravel()

    @cached_property
    def derivatives(self) -> Any:
        """The derivatives of forces as in `Mechanics`, sparse."""

        def both(*args: np.ndarray) -> tuple[Any, Any]:
            found = self.over_shapes(lambda s: s.derivatives if s.loads else None, args)
            return self._matrix(self._patterns[0], found, 0), self._matrix(self._patterns[1], found, 1)

        return both

    @cached_property
    def changes(self) -> Any:
        """The changes of the motion as in `Mechanics`, sparse; without what friction and laws in plain Python add."""

        def found(*args: np.ndarray) -> dict[str, Any]:
            vdot, lam = args[7], args[8]
            values = self.over_shapes(lambda s: s.changes, args, lam, vdot)
            return {name: self._placed(name, k, values) for k, name in enumerate(NAMES)}

        return found

    def _placed(self, name: str, which: int, values: Sequence[Numbers | None]) -> Any:
        """A matrix of changes from its nonzeros, shape by shape."""
        places, entries = [np.zeros((2, 0), dtype=np.int64)], [np.zeros(0)]
        for s, at, x in zip(self.shapes, self._rows, values, strict=True):
            assert x is not None
            i, j = s.slopes_in_motion[name].places
            places.append(np.stack([(s.v if name.startswith("R") else at)[i].ravel(), s.v[j].ravel()]))
            entries.append(x[which].ravel())
        rows = self.nv if name.startswith("R") else len(self.rows)
        return sparse.csr_array((np.concatenate(entries), tuple(np.concatenate(places, axis=1))), shape=(rows, self.nv))

    # -- told ------------------------------------------------------------------------------------------------------------
    @cached_property
    def reaction_channels(self) -> dict[str, Scalar]:
        return self._channels(lambda s: s.reactions)

    @cached_property
    def effort_channels(self) -> dict[str, Scalar]:
        return self._channels(lambda s: s.efforts)

    def _channels(self, of: Callable[[LoadedShape], dict[str, Scalar]]) -> dict[str, Scalar]:
        """Channels by name, in the order of the model's elements."""
        shapes = {n: s for s in self.shapes if not s.is_body for n in s.group.names}
        return {f"{n}.{c}": x for n in self.model.elements for c, x in of(shapes[n]).items()}

    @cached_property
    def reactions(self) -> Any:
        names = [*self.reaction_channels, *self.effort_channels]
        number = {name: k for k, name in enumerate(names)}

        def told(*args: np.ndarray) -> Numbers:
            out = np.zeros(len(names))
            found = self.over_shapes(lambda s: s.told if s.reactions or s.efforts else None, args, args[-1])
            for s, x in zip(self.shapes, found, strict=True):
                if x is not None:
                    channels = [*s.reactions, *s.efforts]
                    out[[[number[f"{n}.{c}"] for n in s.group.names] for c in channels]] = x[0]
            return (out,)

        return Evaluation({"x": (len(names),)}, told)

    @cached_property
    def actuators(self) -> dict[str, dict[int, Scalar]]:
        return {load.name: load.unit for load in self.loads.all if load.unit}

    def actuator_units(self, *args: np.ndarray) -> np.ndarray:
        """Columns: the generalised force of one unit of each of `actuators`."""
        number, out = {name: k for k, name in enumerate(self.actuators)}, np.zeros((self.nv, len(self.actuators)))
        for s, x in zip(self.shapes, self.over_shapes(lambda s: s.units if s.unit else None, args), strict=True):
            if x is not None:
                out[s.v[list(s.unit)], [number[n] for n in s.group.names]] = x[0]
        return out
