"""Shapes of elements: position equations of all elements of one kind, traced once and called for every one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, Sparse, free_symbols, symbols
from linkwright.system.coordinates import hessian
from linkwright.system.looped.group import Group
from linkwright.system.looped.told import TellsCoordinates
from linkwright.system.patient import PatientFunction
from linkwright.system.system import System


class Shape(TellsCoordinates):
    """The equations of a group, and where the numbers of its members are among those of the machine: tables of places have
    a row a number and a column a member."""

    kind: ClassVar[type[System]] = System

    def __init__(self, group: Group, number: dict[int, int], curves: Mapping[str, int]) -> None:
        """number: of bodies; curves: those of their parameters, after all bodies."""
        self.group, self.name = group, "" if group.element is None else group.element.name
        with group.naming():
            self.system: System = self.kind(group.standin.own)
        self.own = [k for k, row in enumerate(self.system.rows) if row.element.name == self.name]
        nq, nv = self.system.coordinates.per_body
        bodies = np.array([[number[id(b)] for b in own] for own in group.bodies], dtype=np.int64).reshape(self.count, -1)
        own = np.array([[curves[name] for name in group.curves(m)] for m in range(self.count)], dtype=np.int64)
        own = own.reshape(self.count, -1).T
        self.q, self.v = (np.vstack([places_of(bodies, n), own + n * len(number)]) for n in (nq, nv))

    @property
    def count(self) -> int:
        return len(self.group.members)

    @property
    def turn_names(self) -> list[str]:
        return list(self.system.geometry.turns)

    @cached_property
    def row_turns(self) -> list[str]:
        """The multi-turn angles that its own equations have."""
        used = {s.data for s in free_symbols(self.residuals)}
        return [name for name, (reference, _) in self.system.geometry.turns.items() if reference.data in used]

    @cached_property
    def residuals(self) -> list[Scalar]:
        return [self.system.residuals[k] for k in self.own]

    # -- functions -----------------------------------------------------------------------------------------------------
    def function(self, name: str, outputs: dict[str, Any], **more: Any) -> PatientFunction:
        inputs = {n: x for n, x in self.system.inputs.items() if n != "d"}
        return PatientFunction(f"{type(self.group.element).__name__} {name}", {**inputs, **more}, outputs)

    @cached_property
    def J(self) -> Sparse:
        return self.system.Phi_v.of_rows(self.own)

    @cached_property
    def position(self) -> PatientFunction:
        """Phi and the nonzeros of Phi_v."""
        return self.function("Phi", {"Phi": self.residuals, "J": self.J.values})

    @cached_property
    def velocity(self) -> PatientFunction:
        return self.function("nu", {"nu": [self.system.nu[k] for k in self.own]})

    @cached_property
    def acceleration(self) -> PatientFunction:
        return self.function("gamma", {"gamma": [self.system.gamma[k] for k in self.own]})

    @cached_property
    def lam(self) -> np.ndarray:
        """The multipliers of its own equations."""
        return np.asarray(symbols("lam", len(self.system.rows))[self.own])

    @cached_property
    def hessian(self) -> Sparse:
        return hessian(self.system.coordinates, self.residuals, self.lam)

    @cached_property
    def curvature(self) -> PatientFunction:
        H = self.hessian
        return self.function("curvature", {"H": H.values}, lam=self.lam)

    @cached_property
    def turned(self) -> PatientFunction:
        """Multi-turn angles, the constants that it decides, its sense."""
        s, name = self.system, self.name
        angles = [angle for _, angle in s.geometry.turns.values()]
        phases = [s.phases[name].value] if name in s.phases else []
        return self.function("turned", {
            "turns": angles, "phases": phases, "senses": [s.senses[name]] if name in s.senses else [],
        })  # fmt: skip

    @cached_property
    def gradients(self) -> Sparse:
        return self.system.coordinates.jacobian(list(self.joint_coordinates.values()))

    @cached_property
    def coordinates(self) -> PatientFunction:
        """Joint coordinates and their derivatives by displacements."""
        return self.function("coordinates", {"x": list(self.joint_coordinates.values()), "J": self.gradients.values})


def places_of(owners: np.ndarray, n: int) -> np.ndarray:
    """Numbers of owners that have n each: owners is members x how many; a column a member."""
    return np.asarray((owners[:, :, None] * n + np.arange(n)).reshape(len(owners), -1).T)
