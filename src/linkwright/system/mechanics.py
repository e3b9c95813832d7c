"""A machine under forces: mass, loads, friction and the equations of motion, traced and compiled."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Same, Scalar, Sparse, exp, jacobian, log, sqrt, substitute, symbol, symbols
from linkwright.model import Gear, Model, RackPinion
from linkwright.model.quantities import ACCELERATIONS
from linkwright.system.changes import Changes
from linkwright.system.drives import carried_along
from linkwright.system.forces import Loads
from linkwright.system.friction import JointFriction, frictions, on_displacements
from linkwright.system.load import Setpoint
from linkwright.system.mass import Inertia, inertia, massless, slight
from linkwright.system.matrices import Matrices
from linkwright.system.quantities import state_symbol
from linkwright.system.reactions import Reactions, has_place
from linkwright.system.saddle import compliance_of
from linkwright.system.slots import Slot, directions, slots, square
from linkwright.system.switches import Switch
from linkwright.system.system import System
from linkwright.system.tree import Tree

OUTPUT = "output:"  # what the names of symbols of outputs begin with


class Mechanics(System):
    """M vdot + h + Phi_v^T lam = Q, Phi_v vdot = gamma (Haug 6.3.18, 11.3.11): v has body-frame angular velocities.

    Compiled functions take `load_inputs`: those of `System` and the values of laws that cannot be traced.
    """

    @staticmethod
    def decided(model: Model) -> tuple[Any, ...]:
        """The numbers that decide about equations; also which bodies have next to no inertia."""
        massive = tuple(model.value(b.mass) > 0 for b in model.bodies.values())
        return (*System.decided(model), massive, tuple(slight(model).items()))

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.loads = Loads(self.geometry)
        self.frictions: list[JointFriction] = frictions(self)
        self.slots: list[Slot] = slots(self)

    @cached_property
    def inertia(self) -> Inertia:
        return inertia(self.model, self.coordinates, self.carried)

    @cached_property
    def inertia_of_bodies(self) -> Inertia:
        """The inertia without what is carried along quantities."""
        return inertia(self.model, self.coordinates) if self.carried else self.inertia

    @cached_property
    def carried(self) -> list[tuple[Scalar, Scalar]]:
        """Inertia along quantities: (s, J)."""
        return carried_along(self.geometry, self.model.elements.values())

    @cached_property
    def carried_rows(self) -> list[tuple[dict[int, Scalar], Scalar]]:
        """The inertia along quantities, each as its derivative by displacements, and J."""
        rows = self.coordinates.jacobian([s for s, _ in self.carried]).by_row()
        return [(row, J) for row, (_, J) in zip(rows, self.carried, strict=True)]

    @cached_property
    def massless(self) -> list[int]:
        """Displacements whose inertia is not sure: constraints must hold them."""
        return massless(self.model, self.coordinates)

    @cached_property
    def typical_mass(self) -> Scalar:
        """The geometric mean of the masses; traced where they are, so that other values need no other code."""
        found = [b.mass for b in self.coordinates.bodies if self.model.value(b.mass) > 0]
        return exp(sum((log(x) for x in found), start=0.0) / len(found)) if found else 1.0

    def compliances_of(self, rows: Sequence[Mapping[int, Scalar]]) -> list[Scalar]:
        """The compliance of each row, a derivative by displacements of bodies: the scale by which pivots are measured.

        In the speeds of a tree a loop's row may vanish by itself, at change points, and its pivot with it.
        """
        mass = {i: x for (i, j), x in self.inertia.M.entries.items() if i == j}
        mass |= dict.fromkeys(self.massless, self.typical_mass)
        return [compliance_of(row, mass) for row in rows]

    @cached_property
    def tree(self) -> Tree:
        return Tree(self)

    @cached_property
    def lam(self) -> np.ndarray:
        """Symbols of the multipliers, one a row."""
        return symbols("lam", len(self.rows))

    @cached_property
    def vdot(self) -> np.ndarray:
        """Symbols of the accelerations."""
        return symbols("vdot", self.nv)

    @property
    def on_speeds(self) -> set[int]:
        """Rows that say nothing of positions: their places are those of a start, or of an event."""
        return set(self.of_velocities)

    # -- compiled ------------------------------------------------------------------------------------------------------
    @cached_property
    def calls(self) -> np.ndarray:
        out = np.empty(len(self.loads.callbacks), dtype=object)
        out[:] = [c.symbol for c in self.loads.callbacks]
        return out

    @cached_property
    def load_inputs(self) -> dict[str, np.ndarray]:
        return {**self.inputs, "calls": self.calls}

    def load_function(self, name: str, outputs: dict[str, Any], **more: np.ndarray) -> Function:
        return Function(f"{self.model.name}: {name}", {**self.load_inputs, **more}, outputs)

    def load_matrices(self, name: str, matrices: dict[str, Sparse]) -> Matrices:
        return Matrices(f"{self.model.name}: {name}", self.load_inputs, matrices)

    @cached_property
    def call_arguments(self) -> Function:
        """The arguments of all laws that cannot be traced, one after the other."""
        return self.function("arguments of laws", x=[a for c in self.loads.callbacks for a in c.arguments.values()])

    @cached_property
    def M_pattern(self) -> tuple[np.ndarray, np.ndarray]:
        return self.inertia.M.places

    @cached_property
    def terms(self) -> Function:
        """The nonzeros of M and of Phi_v, h, Q (friction apart), gamma, nu, Phi; the kinetic and the potential energy, the
        power of forces that have no potential (friction apart); the points of joints."""
        M, reactions = self.inertia.M, Reactions(self, list(self.lam))
        return self.load_function("terms", {
            "M": M.values, "h": self.inertia.h, "Q": self.loads.Q,
            "Phi_v": self.Phi_v.values, "gamma": self.gamma, "nu": self.nu,
            "Phi": self.residuals, "energy": [self.inertia.kinetic_energy, self.loads.potential, self.loads.power],
            "points": [x for name in self.joints for x in reactions.place(self.model.elements[name])],
        })  # fmt: skip

    @cached_property
    def derivatives(self) -> Matrices:
        """dQ/dd and dQ/dv of the applied forces (friction apart), by displacements and velocities."""
        Q = self.loads.Q
        return self.load_matrices("derivatives of forces", {
            "K": self.coordinates.jacobian(Q), "C": jacobian(Q, list(self.coordinates.v)),
        })  # fmt: skip

    @cached_property
    def turning_rows(self) -> Matrices:
        """d(A^T lam) by displacements of the rows A on velocities, at multipliers `lam`: their forces turn with the machine.
        Not symmetric: there is no Phi that it would be the second derivative of."""
        force: list[Scalar] = [0.0] * self.nv
        rows = list(self.of_velocities)
        self.Phi_v.of_rows(rows).add_transposed_times(self.lam[rows], force)
        inputs = {**self.load_inputs, "lam": self.lam}
        return Matrices(f"{self.model.name}: rows that turn", inputs, {"K": self.coordinates.jacobian(force)})

    @cached_property
    def state_rates(self) -> Function:
        """The rates of the machine's states."""
        return self.load_function("rates of states", {"rates": list(self.geometry.state_rates.values())})

    @cached_property
    def state_changes(self) -> Matrices:
        """The derivatives of forces by the states (Q_z), and of the states' rates by displacements, velocities and
        states."""
        z, rates = list(self.geometry.state_rates), list(self.geometry.state_rates.values())
        return self.load_matrices("derivatives by states", {
            "Q_z": jacobian(self.loads.Q, z), "r_d": self.coordinates.jacobian(rates),
            "r_v": jacobian(rates, list(self.coordinates.v)), "r_z": jacobian(rates, z),
        })  # fmt: skip

    @cached_property
    def changes(self) -> Changes:
        """The equations differentiated where the machine moves."""
        return Changes(self)

    @cached_property
    def damping(self) -> Matrices:
        """dQ/dv of viscous friction."""
        Q: list[Scalar] = [0.0] * self.nv
        for f in self.frictions:
            for k, d in f.direction.items():
                Q[k] = Q[k] + f.viscous * d
        return self.load_matrices("damping of friction", {"C": jacobian(Q, list(self.coordinates.v))})

    @property
    def switches(self) -> list[Switch]:
        """The places where laws change their form."""
        return self.loads.switches

    @cached_property
    def gaps(self) -> Function:
        """The numbers of all impacts: the gap, its derivative by displacements, its rate, its second rate at accelerations
        `vdot`, the restitution."""
        vdot = symbols("vdot", self.nv)
        gaps = [i.gap for i in self.loads.impacts]
        rates = self.rates(gaps)
        return self.load_function("gaps", {
            "gap": gaps, "G": self.coordinates.jacobian(gaps).dense(), "rate": rates,
            "second": self.rates(rates, list(vdot)), "restitution": [i.restitution for i in self.loads.impacts],
        }, vdot=vdot)  # fmt: skip

    @cached_property
    def actuators(self) -> dict[str, dict[int, Scalar]]:
        """The generalised force of one unit of each force element that has a single effort: a newton (or newton metre)
        more, of a motor a volt more."""
        return {load.name: load.unit for load in self.loads.all if load.is_input}

    @cached_property
    def units(self) -> Matrices:
        """Columns, by `actuators`: the generalised forces of a unit, and the rates of states."""
        z, n = {x: k for k, x in enumerate(self.geometry.state_rates)}, len(self.actuators)
        loads = [load for load in self.loads.all if load.is_input]
        units = {(k, j): x for j, load in enumerate(loads) for k, x in load.unit.items()}
        rates = {(z[s], j): x for j, load in enumerate(loads) for s, x in load.rates.items()}
        return self.load_matrices("inputs", {"U": Sparse((self.nv, n), units), "R": Sparse((len(z), n), rates)})

    @cached_property
    def units_at_once(self) -> Matrices:
        """The immediate effects of the units on channels of their elements: by `effort_channels`, and by `actuators`."""
        rows, loads = list(self.effort_channels), [load for load in self.loads.all if load.is_input]
        found = {(rows.index(f"{x.name}.{c}"), j): d for j, x in enumerate(loads) for c, d in x.at_once.items()}
        return self.load_matrices("inputs at once", {"D": Sparse((len(rows), len(loads)), found)})

    @cached_property
    def setpoints(self) -> dict[str, Setpoint]:
        """The targets of controllers, by name."""
        return {load.name: load.setpoint for load in self.loads.all if load.setpoint is not None}

    @cached_property
    def setpoint_numbers(self) -> Function:
        """The numbers of all controllers, a row each: the effects of their targets on efforts, of the targets' rates on
        efforts, and of the targets on the rates of states."""
        z = list(self.geometry.state_rates)
        rows = [[x.by, x.by_rate, *[x.rates.get(s, 0.0) for s in z]] for x in self.setpoints.values()]
        return self.load_function("setpoints", {"x": np.array(rows, dtype=object).reshape(len(rows), 2 + len(z))})

    @cached_property
    def joints(self) -> list[str]:
        """The elements whose reactions are a force and a torque at a point."""
        names = dict.fromkeys(row.element.name for row in self.rows)
        return [name for name in names if has_place(self.model.elements[name])]

    @cached_property
    def friction(self) -> Function:
        """Generalised forces of friction under the multipliers lam."""
        F = [f.force for f in self.frictions]
        return self.load_function("friction", {"Q": on_displacements(self, self.frictions), "F": F}, lam=self.lam)

    @cached_property
    def pushing(self) -> Function | None:
        """Generalised forces of gears that push each other apart under the multipliers lam; None without any."""
        gears = [f for f in self.frictions if isinstance(f.element, Gear | RackPinion)]
        return self.load_function("pushing", {"Q": on_displacements(self, gears)}, lam=self.lam) if gears else None

    @cached_property
    def smooth_friction(self) -> Function:
        """Generalised forces of friction by the smooth law under the multipliers lam; of those that `dry` marks by one
        none."""
        is_dry = symbols("dry", len(self.frictions))
        F = [(1.0 - d) * f.force for f, d in zip(self.frictions, is_dry, strict=True)]
        Q = on_displacements(self, self.frictions, F)
        return self.load_function("smooth friction", {"Q": Q}, lam=self.lam, dry=is_dry)

    @cached_property
    def slot_numbers(self) -> Function:
        """The numbers of all slots, a row each: the coefficients at the present speed and at rest, the level, the viscous
        coefficient, the speed of capture; and their coordinates."""
        rows, places = self.numbers_of_slots
        return self.load_function("numbers of slots", {"x": np.array(rows, dtype=object).reshape(-1, 5), "s": places})

    @property
    def numbers_of_slots(self) -> tuple[list[list[Scalar]], list[Scalar]]:
        rows = []
        for s in self.slots:
            v = s.speeds[0] if s.size == 1 else sqrt(square(s.speeds))
            rows.append([s.sliding(1.0, v) - s.level, s.static, s.level, s.viscous, s.rest])
        return rows, [0.0 if s.coordinate is None else s.coordinate for s in self.slots]

    @cached_property
    def slot_rows(self) -> Function:
        """The generalised force of a unit along each speed of all slots, a row each."""
        along = [row for slot in self.slots for row in directions(self, slot)]
        return self.load_function(
            "directions of slots",
            {"D": np.array([[row.get(k, 0.0) for k in range(self.nv)] for row in along], dtype=object)},
        )

    @cached_property
    def reaction_channels(self) -> dict[str, Scalar]:
        return Reactions(self, list(self.lam)).channels()

    @cached_property
    def effort_channels(self) -> dict[str, Scalar]:
        """The forces of the force elements, by channel."""
        out = {f"{load.name}.{c}": x for load in self.loads.all for c, x in load.effort.items()}
        for name in self.model.states:
            z = state_symbol(name)
            out |= {name: z, f"{name}.rate": self.geometry.state_rates[z]}
        out |= {f"{s.element.name}.{c}": 0.0 for s in self.slots if s.impact is not None for c in s.channels}
        for f in self.frictions:
            for c, x in f.effort.items():
                name = f"{f.element.name}.{c}"
                out[name] = out.get(name, 0.0) + x
        return out

    @cached_property
    def outputs(self) -> dict[str, Scalar]:
        """The outputs of a result beside positions and velocities, by channel, at accelerations `vdot` and multipliers
        `lam`: accelerations of bodies, reactions of joints and drivers, forces of force elements."""
        out: dict[str, Scalar] = {}
        for name, (_, at) in self.coordinates.body_slices().items():
            own = [f"{name}.{c}" for c in ACCELERATIONS[self.model.dimension]]
            out.update(zip(own, self.vdot[at], strict=True))
        return {**out, **self.reaction_channels, **self.effort_channels}

    @cached_property
    def output_symbols(self) -> dict[str, Expr]:
        """A symbol for each of `outputs`, by channel: how they stand in expressions of a user."""
        return {name: symbol(OUTPUT + name) for name in self.outputs}

    def told(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Expressions of quantities and of `output_symbols` in terms of q, v, t, `vdot`, `lam`."""

        def found() -> list[Scalar]:
            known = {s: self.outputs[name] for name, s in self.output_symbols.items()}
            return substitute(self.resolve(values), known)

        return list(self.once("told", Same(values), found)) if values else []

    @cached_property
    def channel_names(self) -> list[str]:
        """The channels of reactions and of force elements."""
        return [*self.reaction_channels, *self.effort_channels]

    @cached_property
    def reactions(self) -> Function:
        """The channels of reactions and of force elements, at given multipliers."""
        values = [*self.reaction_channels.values(), *self.effort_channels.values()]
        return self.load_function("reactions", {"x": values}, lam=self.lam)


def own_channels(element: str, channels: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The channels of one element, by what stands after its name: nothing of a state; none of what has no name."""
    own = ((channel_of(name, (element,)), x) for name, x in channels.items()) if element else ()
    return {channel: x for (owner, channel), x in own if owner}


def channel_of(name: str, owners: Container[str]) -> tuple[str, str]:
    """The owner of a channel, an element or a body, "" if there is none; and what stands after its name."""
    owner, channel = name, ""
    while owner and owner not in owners:
        owner, _, last = owner.rpartition(".")
        channel = f"{last}.{channel}" if channel else last
    return owner, channel


def channel_name(owner: str, channel: str) -> str:
    """The name of a channel in results: that of a state is the state's own."""
    return f"{owner}.{channel}" if channel else owner
