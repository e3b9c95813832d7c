"""A group of elements of one shape, and its equations: traced and compiled once, called for every member."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.errors import LinkwrightError
from linkwright.graph import Expr, Scalar, along, free_symbols, substitute, symbols
from linkwright.model import TIME, Body, Element, Model
from linkwright.model.values import is_some, parameter_name, parameter_symbol
from linkwright.system.constraints import Traced
from linkwright.system.coordinates import Coordinates
from linkwright.system.drives import carried_along
from linkwright.system.forces import Callback, Loads
from linkwright.system.geometry import Geometry
from linkwright.system.looped.shapes import Reading, Standin, joints_of, read, read_body
from linkwright.system.mass import carried_alone, inertia
from linkwright.system.quantities import rate_of, resolve, state_symbol
from linkwright.system.rows import Rows
from linkwright.system.switches import Flags, distinct, found
from linkwright.system.system import curve_parameters


@dataclass(frozen=True, eq=False)
class Group:
    """The members of one shape: their places in the model's list, their numbers (a row each), their moving bodies."""

    model: Model
    members: list[int]
    names: list[str]
    columns: list[int]  # which of a reading's numbers are constants here; the others are the same for all
    numbers: np.ndarray  # members x constants
    bodies: list[list[Body]]
    standin: Standin
    element: Element | None  # of the stand-in model; None: bodies
    flagged: bool = False  # whether laws that switch have flags for their conditions
    laws: Sequence[Sequence[Callable[..., Any]]] = ()  # in plain Python, of each member
    needs: Sequence[Sequence[str]] = ()  # states of the machine that laws depend on, of each member

    def adopt(self, model: Model) -> None:
        """Take another model of the same structure for the one it was made of."""
        object.__setattr__(self, "model", model)
        for own in self.bodies:
            own[:] = [model.bodies[b.name] for b in own]

    def reread(self) -> np.ndarray:
        """The numbers of all members for the parameters as they are now."""
        if self.element is None:
            readings = [read_body(self.model, bodies[0]) for bodies in self.bodies]
        else:
            readings = [read(self.model, self.model.elements[name]) for name in self.names]
        return numbers_of(readings, self.columns)

    # -- symbols -----------------------------------------------------------------------------------------------------
    @cached_property
    def coordinates(self) -> Coordinates:
        own = self.standin.own
        return Coordinates.of(own, [name for e in own.elements.values() for name in curve_parameters(e)])

    @cached_property
    def parts(self) -> list[tuple[slice, slice]]:
        """The parts that a member moves, as slices of q and of v: its bodies, then each parameter of a curve."""
        c = self.coordinates
        nq, nv = (len(x) - len(c.extra) for x in (c.q, c.v))
        curves = [(slice(nq + k, nq + k + 1), slice(nv + k, nv + k + 1)) for k in range(len(c.extra))]
        return [*c.body_slices().values(), *curves]

    def curves(self, m: int) -> list[str]:
        """The machine's names of the parameters of curves that the m-th member has."""
        return [self.called(name, m) for name in self.coordinates.extra]

    @cached_property
    def geometry(self) -> Geometry:
        return Geometry(self.standin.own, self.coordinates)

    @property
    def width(self) -> int:
        """The number of moving bodies that a member has."""
        return len(self.bodies[0])

    @cached_property
    def traced(self) -> Traced:
        traced = Traced(self.geometry)
        if self.element is not None:
            with self.naming():
                traced.add(self.element)
        return traced

    @cached_property
    def loads(self) -> Loads:
        with self.naming():
            return Loads(self.geometry)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """A context in which errors are about the first member, by the machine's names."""
        try:
            yield
        except LinkwrightError as error:
            error.element = tuple(self._real[0].get(name, name) for name in error.element)
            raise

    @cached_property
    def of_rows(self) -> Rows:
        """The rows of a member, differentiated."""
        return Rows(self.coordinates, self.traced.rows)

    @property
    def residuals(self) -> list[Scalar]:
        return self.of_rows.residuals

    @property
    def row_names(self) -> list[str]:
        """The names of the rows of a member, without the name of the member before them."""
        assert self.element is not None
        return [row.name.removeprefix(self.element.name) for row in self.traced.rows]

    @property
    def has_force(self) -> bool:
        return self.element is not None and bool(self.loads.all) and bool(self.parts)

    @cached_property
    def constants(self) -> list[Expr]:
        """Parameters of the stand-in, then phases."""
        phases = [p.symbol for p in self.traced.phases.values()]
        return [parameter_symbol(name) for name in self.standin.own.parameters] + phases

    @cached_property
    def turns(self) -> list[Expr]:
        """The references of multi-turn angles: those of a joint in space are followed, whether something needs them or
        not."""
        self.residuals, self.loads, self.carried  # noqa: B018  find them
        if self.element is not None and self.model.dimension == 3:
            resolve(self.geometry, [self.element.coordinate(c) for c in self.element.channels if c.startswith("angle")])
        return [reference for reference, _ in self.geometry.turns.values()]

    def called(self, inside: str, m: int) -> str:
        """The machine's name of a number of the m-th member, "joint.angle"; "" where it belongs to no element."""
        if inside in self._real[m]:  # a state
            return self._real[m][inside]
        owner, _, channel = inside.rpartition(".")
        return f"{self._real[m][owner]}.{channel}" if owner in self._real[m] else ""

    @cached_property
    def _real(self) -> list[dict[str, str]]:
        """The machine's names of the elements of the stand-in, for each member."""
        if self.element is None:
            return [{made.name: name for name, made in self.standin.joints.items()}] * len(self.members)
        joints = [joints_of(self.model, self.model.elements[name]) for name in self.names]
        inside = [self.standin.joints[name].name for name in joints[0]]
        own = zip(self.names, joints, strict=True)
        return [{**dict(zip(inside, others, strict=True)), self.element.name: name} for name, others in own]

    @cached_property
    def needed(self) -> list[Expr]:
        """The symbols of `needs`."""
        return [state_symbol(inside) for inside in self.standin.states.values()]

    @cached_property
    def flags(self) -> Flags:
        """The flags of laws that switch, and of motions that change at certain times; see `linkwright.system.switches`."""
        if not self.flagged or self.element is None:
            return Flags([])
        moved = found("motion", self.of_rows.gamma)
        in_time = [s for s in moved if all(x is TIME or parameter_name(x) for x in free_symbols([s.g]))]
        features = [s for i in self.loads.impacts for s in found(i.element, [i.gap])]  # where others of a shape touch
        return Flags(distinct([*self.loads.switches, *in_time, *features]))

    def inputs(self, *, right: bool = False) -> dict[str, np.ndarray]:
        """The inputs of functions: q and v of each of `parts`, t, constants, references and own states; flags, values of
        laws in Python and states of others where it has any.

        `right`: whether the right-hand side of each part, to be added to, is an input, too.
        """
        out: dict[str, np.ndarray] = {}
        out.update({f"q{k}": self.coordinates.q[at] for k, (at, _) in enumerate(self.parts)})
        out.update({f"v{k}": self.coordinates.v[at] for k, (_, at) in enumerate(self.parts)})
        array = partial(np.array, dtype=object)
        out |= {"t": array([TIME]), "b": array(self.constants), "turns": array(self.turns)}
        if self.flags.switches:
            out["flags"] = self.flags.symbols
        if self.calls:
            out["calls"] = array([c.symbol for c in self.calls])
        out.update({f"z{k}": array([z]) for k, z in enumerate(self.needed)})
        if right:
            out.update({f"right{k}": symbols(f"right{k}:", at.stop - at.start) for k, (_, at) in enumerate(self.parts)})
        return out

    def function(
        self, name: str, outputs: dict[str, Any], *, right: bool = False, more: Mapping[str, np.ndarray] | None = None
    ) -> Function:
        """A compiled function of a member. `more`: further inputs, after the others."""
        inserted = {k: self.flags.inserted(x) for k, x in outputs.items()} if self.flags.switches else outputs
        return Function(f"{type(self.element).__name__} {name}", {**self.inputs(right=right), **(more or {})}, inserted)

    def without_turns(self, values: Sequence[Scalar], geometry: Geometry, reference: Scalar = 0.0) -> list[Scalar]:
        """Values in which `reference` takes the place of the references of those turns that no input of the group counts."""
        other: dict[Expr, Scalar] = {r: reference for r, _ in geometry.turns.values() if r not in set(self.turns)}
        return substitute(list(values), other) if other else list(values)

    # -- constraints ---------------------------------------------------------------------------------------------------
    @cached_property
    def J(self) -> list[list[Scalar]]:
        """Phi_v, a block for each of `parts`, by rows."""
        entries = self.of_rows.Phi_v.entries
        rows = range(len(self.residuals))
        return [[entries.get((i, j), 0.0) for i in rows for j in range(at.start, at.stop)] for _, at in self.parts]

    def _blocks(self) -> dict[str, Any]:
        return {f"J{k}": block for k, block in enumerate(self.J)}

    @cached_property
    def position(self) -> Function:
        """Phi, then the blocks of Phi_v."""
        return self.function("position", {"Phi": self.residuals, **self._blocks()})

    @cached_property
    def velocity(self) -> Function:
        return self.function("velocity", {"nu": self.of_rows.nu})

    @cached_property
    def acceleration(self) -> Function:
        """gamma, then the blocks of Phi_v."""
        return self.function("acceleration", {"gamma": self.of_rows.gamma, **self._blocks()})

    @cached_property
    def turned(self) -> Function:
        """The multi-turn angles as new references, and what phases are in this configuration."""
        return self.function(
            "turned",
            {
                "turns": [angle for _, angle in self.geometry.turns.values()],
                "phases": [p.value for p in self.traced.phases.values()],
            },
        )

    @cached_property
    def drift(self) -> Function:
        """d/dt of the position equations, Phi_v v + Phi_t."""
        return self.function("drift", {"Phidot": self.of_rows.rates})

    @cached_property
    def driven(self) -> bool:
        """Whether its rows depend on time, so that nu is not zero."""
        return any(map(is_some, self.of_rows.nu))

    @cached_property
    def turning(self) -> Function:
        """The rates of the multi-turn angles, and of states."""
        angles = [angle for _, angle in self.geometry.turns.values()]
        return self.function("turning", {"rates": rate_of(self.geometry, angles)})

    # -- forces and bodies -------------------------------------------------------------------------------------------
    @cached_property
    def force(self) -> Function:
        """The right-hand sides of `parts` with the generalised forces added."""
        Q, inputs = self.loads.Q, self.inputs(right=True)
        outputs = {f"Q{k}": [x + f for x, f in zip(inputs[f"right{k}"], Q[at], strict=True)]
                   for k, (_, at) in enumerate(self.parts)}  # fmt: skip
        return self.function("force", outputs, right=True)

    @cached_property
    def has_power(self) -> bool:
        return self.has_force and type(self.loads.power) is Expr

    @cached_property
    def power(self) -> Function:
        """The power of the forces that have no potential."""
        return self.function("power", {"P": [self.loads.power]})

    # -- laws in plain Python ----------------------------------------------------------------------------------------
    @property
    def calls(self) -> list[Callback]:
        """Each of its laws that cannot be traced."""
        return self.loads.callbacks if self.laws else []

    @cached_property
    def arguments(self) -> Function:
        """The arguments of these laws, one after the other."""
        return self.function("arguments of laws", {"x": [x for c in self.calls for x in c.arguments.values()]})

    def own_laws(self, m: int) -> list[Callable[..., Any]]:
        """The laws of the m-th member, as `calls` are."""
        return [self.laws[m][c.function.number] for c in self.calls]  # type: ignore[attr-defined]

    # -- laws that switch --------------------------------------------------------------------------------------------
    @cached_property
    def switched(self) -> Function:
        """The functions whose signs the flags are."""
        return self.function("switches", {"g": self.flags.g})

    @cached_property
    def remembered(self) -> Function:
        """Depths and speeds of contacts that remember the speed of their impact."""
        memories = self.loads.memories
        return self.function("memories", {"depth": [x.depth for x in memories], "speed": [x.speed for x in memories]})

    # -- impacts -----------------------------------------------------------------------------------------------------
    @cached_property
    def gap(self) -> Function:
        """The gap of a contact without stiffness; whichever features are the nearest ones."""
        return Function("gap", self.inputs(), {"gap": [i.gap for i in self.loads.impacts]})

    @cached_property
    def gaps(self) -> Function:
        """Gaps, their derivatives by displacements, their rates, their second rates at accelerations, restitutions."""
        gaps = [i.gap for i in self.loads.impacts]
        c, vdot = self.coordinates, symbols("vdot", len(self.coordinates.v))
        rates = along(gaps, {**c.rates, TIME: 1.0})
        outputs = {
            "gap": gaps, "G": c.jacobian(gaps).dense(), "rate": rates,
            "second": along(rates, {**c.rates, **dict(zip(c.v, vdot, strict=True)), TIME: 1.0}),
            "restitution": [i.restitution for i in self.loads.impacts],
        }  # fmt: skip
        inputs = {name: x for name, x in self.inputs().items() if name != "flags"}
        return Function("gaps", {**inputs, "vdot": vdot}, outputs)

    @cached_property
    def carried(self) -> list[tuple[Scalar, Scalar]]:
        """The inertia along quantities, as pairs of quantity and inertia."""
        return [] if self.element is None else carried_along(self.geometry, [self.element])

    def carrying(self, turned: tuple[bool, ...]) -> Function:
        """A function that adds this inertia to the mass matrix and the right-hand side: of each of `parts` its diagonal
        block (lower triangle by rows) and right-hand side, then the blocks of each two; `turned`: which of these have the
        second's rows."""
        if turned not in self._carrying:
            self._carrying[turned] = self._carried_by(turned)
        return self._carrying[turned]

    @cached_property
    def _carrying(self) -> dict[tuple[bool, ...], Function]:
        return {}

    def _carried_by(self, turned: tuple[bool, ...]) -> Function:
        own, places = carried_alone(self.coordinates, self.carried), [range(at.start, at.stop) for _, at in self.parts]
        M, more, outputs = own.M.entries, dict[str, np.ndarray](), dict[str, list[Scalar]]()

        def add(name: str, values: list[Scalar]) -> None:
            more[name] = symbols(f"{name}:", len(values))
            outputs[f"new {name}"] = [x + y for x, y in zip(more[name], values, strict=True)]

        for k, at in enumerate(places):
            add(f"M{k}", [M.get((i, j), 0.0) for i in at for j in at if j <= i])
            add(f"right{k}", [-own.h[i] for i in at])
        for k, ((a, b), swapped) in enumerate(zip(combinations(places, 2), turned, strict=True)):
            rows, columns = (b, a) if swapped else (a, b)
            add(f"block{k}", [M.get((i, j), 0.0) for i in rows for j in columns])
        return self.function("inertia", outputs, more=more)

    @cached_property
    def mass(self) -> Function:
        """The mass matrix (lower triangle by rows), and gravity less velocity terms."""
        own = inertia(self.standin.own, self.coordinates)
        M = own.M.entries
        n = self.coordinates.per_body[1]
        right = [Q - h for Q, h in zip(self.loads.Q, own.h, strict=True)]
        return Function(
            "body", self.inputs(), {"M": [M.get((i, j), 0.0) for i in range(n) for j in range(i + 1)], "right": right}
        )


def numbers_of(readings: Sequence[Reading], columns: Sequence[int]) -> np.ndarray:
    return np.array([[r.numbers[c] for c in columns] for r in readings]).reshape(len(readings), len(columns))
