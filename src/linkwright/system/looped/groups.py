"""Groups of elements of one shape, and the equations of a group: traced and compiled once, called for every member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Scalar, along, free_symbols, symbols
from linkwright.model import TIME, Body, Contact, Element, Friction, Gear, Joint, Model, RackPinion, Stop
from linkwright.model.values import is_some, parameter_name, parameter_symbol
from linkwright.system.constraints import Traced
from linkwright.system.coordinates import Coordinates
from linkwright.system.forces import Callback, Loads
from linkwright.system.geometry import Geometry
from linkwright.system.looped.shapes import Reading, Standin, joints_of, read, read_body
from linkwright.system.mass import inertia
from linkwright.system.quantities import resolve
from linkwright.system.switches import Flags, distinct, found
from linkwright.system.system import curve_parameters

# Joints of one kind in more variants than this (by which of their numbers are zero) share one function.
VARIANTS = 8


@dataclass(frozen=True, eq=False)
class Group:
    """Members of one shape: their places in the model's list, their numbers (a row each), their moving bodies."""

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

    def adopt(self, model: Model) -> None:
        """Take another model of the same structure for the one it was made of."""
        object.__setattr__(self, "model", model)
        for own in self.bodies:
            own[:] = [model.bodies[b.name] for b in own]

    def reread(self) -> np.ndarray:
        """The numbers for the parameters as they are now."""
        if self.element is None:
            readings = [read_body(self.model, bodies[0]) for bodies in self.bodies]
        else:
            readings = [read(self.model, self.model.elements[name]) for name in self.names]
        return _numbers(readings, self.columns)

    # -- symbols -----------------------------------------------------------------------------------------------------
    @cached_property
    def coordinates(self) -> Coordinates:
        own = self.standin.own
        return Coordinates.of(own, [name for e in own.elements.values() for name in curve_parameters(e)])

    @cached_property
    def parts(self) -> list[tuple[slice, slice]]:
        """What a member moves, in q and in v: its bodies, then each parameter of a curve."""
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
        """How many moving bodies a member has."""
        return len(self.bodies[0])

    @cached_property
    def traced(self) -> Traced:
        traced = Traced(self.geometry)
        if self.element is not None:
            traced.add(self.element)
        return traced

    @cached_property
    def loads(self) -> Loads:
        return Loads(self.geometry)

    @cached_property
    def residuals(self) -> list[Scalar]:
        return [row.residual for row in self.traced.rows]

    @property
    def row_names(self) -> list[str]:
        """What follows the member's name in the names of its rows."""
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
        """References of multi-turn angles: those of a joint in space are followed, whether something needs them or not."""
        self.residuals, self.loads  # noqa: B018  find them
        if self.element is not None and self.model.dimension == 3:
            resolve(self.geometry, [self.element.coordinate(c) for c in self.element.channels if c.startswith("angle")])
        return [reference for reference, _ in self.geometry.turns.values()]

    def called(self, inside: str, m: int) -> str:
        """The machine's name of a number of the m-th member, "joint.angle"; "" where it belongs to no element."""
        owner, _, channel = inside.rpartition(".")
        return f"{self._real[m][owner]}.{channel}" if owner in self._real[m] else ""

    @cached_property
    def _real(self) -> list[dict[str, str]]:
        """Of each member: the machine's names of the elements of the stand-in."""
        if self.element is None:
            return [{made.name: name for name, made in self.standin.joints.items()}] * len(self.members)
        joints = [joints_of(self.model, self.model.elements[name]) for name in self.names]
        inside = [self.standin.joints[name].name for name in joints[0]]
        own = zip(self.names, joints, strict=True)
        return [{**dict(zip(inside, others, strict=True)), self.element.name: name} for name, others in own]

    @cached_property
    def flags(self) -> Flags:
        """Of laws that switch, and of motions that change at certain times; see `linkwright.system.switches`."""
        if not self.flagged or self.element is None:
            return Flags([])
        in_time = [
            s for s in found("motion", self._gamma) if all(x is TIME or parameter_name(x) for x in free_symbols([s.g]))
        ]
        return Flags(distinct([*self.loads.switches, *in_time]))

    def inputs(self, *, right: bool = False) -> dict[str, np.ndarray]:
        """q and v of each of `parts`, t, constants, references; flags and values of laws in Python where it has any.

        `right`: the right-hand side of each part, to be added to."""
        out: dict[str, np.ndarray] = {}
        out.update({f"q{k}": self.coordinates.q[at] for k, (at, _) in enumerate(self.parts)})
        out.update({f"v{k}": self.coordinates.v[at] for k, (_, at) in enumerate(self.parts)})
        out |= {"t": _array([TIME]), "b": _array(self.constants), "turns": _array(self.turns)}
        if self.flags.switches:
            out["flags"] = self.flags.symbols
        if self.calls:
            out["calls"] = _array([c.symbol for c in self.calls])
        if right:
            out.update({f"right{k}": symbols(f"right{k}:", at.stop - at.start) for k, (_, at) in enumerate(self.parts)})
        return out

    def function(
        self, name: str, outputs: dict[str, Any], *, right: bool = False, more: Mapping[str, np.ndarray] | None = None
    ) -> Function:
        """`more`: further inputs, after the others."""
        inserted = {k: self.flags.inserted(x) for k, x in outputs.items()} if self.flags.switches else outputs
        return Function(f"{type(self.element).__name__} {name}", {**self.inputs(right=right), **(more or {})}, inserted)

    # -- constraints ---------------------------------------------------------------------------------------------------
    @cached_property
    def J(self) -> list[list[Scalar]]:
        """Phi_v, a block for each of `parts`, by rows."""
        entries = self.coordinates.jacobian(self.residuals).entries
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
        return self.function("velocity", {"nu": [-d for d in along(self.residuals, {TIME: 1.0})]})

    @cached_property
    def _gamma(self) -> list[Scalar]:
        rates = {**self.coordinates.rates, TIME: 1.0}
        return [-d for d in along(along(self.residuals, rates), rates)]

    @cached_property
    def acceleration(self) -> Function:
        """gamma, then the blocks of Phi_v."""
        return self.function("acceleration", {"gamma": self._gamma, **self._blocks()})

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
        return self.function("drift", {"Phidot": along(self.residuals, {**self.coordinates.rates, TIME: 1.0})})

    @cached_property
    def driven(self) -> bool:
        """Whether its equations depend on time."""
        return any(s is TIME for s in free_symbols(self.residuals))

    @cached_property
    def turning(self) -> Function:
        """The rates of the multi-turn angles."""
        angles = [angle for _, angle in self.geometry.turns.values()]
        return self.function("turning", {"rates": along(angles, {**self.coordinates.rates, TIME: 1.0})})

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
        """Of the forces that have no potential."""
        return self.function("power", {"P": [self.loads.power]})

    # -- laws in plain Python ----------------------------------------------------------------------------------------
    @property
    def calls(self) -> list[Callback]:
        """Each of its laws that cannot be traced."""
        return self.loads.callbacks if self.laws else []

    @cached_property
    def arguments(self) -> Function:
        """Of these laws, one after the other."""
        return self.function("arguments of laws", {"x": [x for c in self.calls for x in c.arguments]})

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
        """Of a contact without stiffness."""
        return self.function("gap", {"gap": [i.gap for i in self.loads.impacts]})

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
        return Function("gaps", {**self.inputs(), "vdot": vdot}, outputs)

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


def _array(xs: Sequence[Expr]) -> np.ndarray:
    out = np.empty(len(xs), dtype=object)
    out[:] = xs
    return out


def groups(model: Model, flagged: bool = False) -> list[Group]:
    """All elements of a model, by shape; `flagged`: with flags for laws that switch."""
    elements = list(model.elements.values())
    readings = [read(model, e) for e in elements]
    for e, r in zip(elements, readings, strict=True):
        if isinstance(e, Gear) and model.dimension == 3:  # their equations depend on where they are
            r.shape = (r.shape, e.name)
    mergeable = [isinstance(e, Joint) for e in elements]
    made = []
    for members, special in by_shape(readings, mergeable):
        first = elements[members[0]]
        made.append(_group(model, members, [elements[k].name for k in members], readings, special, first, flagged))
    return made


def follows_from_multipliers(e: Element | None) -> bool:
    """Whether an element does what its rows do not say: friction, gears that push each other apart."""
    return isinstance(e, Friction) or (isinstance(e, Gear | RackPinion) and is_some(e.pressure_angle) and not e.elastic)


def is_impact(e: Element | None) -> bool:
    """A contact without stiffness."""
    return isinstance(e, Contact | Stop) and e.strikes


def body_groups(model: Model, bodies: Iterable[Body]) -> list[Group]:
    """All moving bodies, by which of their mass properties are zero."""
    bodies = list(bodies)
    readings = [read_body(model, b) for b in bodies]
    return [
        _group(model, members, [bodies[k].name for k in members], readings, special, None)
        for members, special in by_shape(readings, [True] * len(bodies))
    ]


def by_shape(readings: list[Reading], mergeable: list[bool]) -> list[tuple[list[int], list[float | None]]]:
    """Members of each shape, and the numbers that all of them share."""
    shapes: dict[Any, dict[Any, list[int]]] = {}
    for k, r in enumerate(readings):
        shapes.setdefault(r.shape, {}).setdefault(tuple(r.special), []).append(k)
    out: list[tuple[list[int], list[float | None]]] = []
    for variants in shapes.values():
        if len(variants) > VARIANTS and mergeable[next(iter(variants.values()))[0]]:
            members = sorted(k for some in variants.values() for k in some)
            columns = zip(*[readings[k].special for k in members], strict=True)
            out.append((members, [c[0] if len(set(c)) == 1 else None for c in columns]))
        else:
            out += [(members, list(special)) for special, members in variants.items()]
    return out


def _group(
    model: Model,
    members: list[int],
    names: list[str],
    readings: list[Reading],
    special: list[float | None],
    e: Element | None,
    flagged: bool = False,
) -> Group:
    first = readings[members[0]]
    free = [k for k, x in enumerate(special) if x is None]
    numbers = _numbers([readings[k] for k in members], free)
    if e is None:
        standin = _body_standin(model, first, special)
        element = None
    else:
        standin = Standin(model, first.bodies, first.numbers, special)
        element = standin.element(e)
    bodies, laws = [readings[k].bodies for k in members], [readings[k].laws for k in members]
    own = laws if any(laws) else ()
    return Group(model, members, names, free, numbers, bodies, standin, element, flagged, own)


def _numbers(readings: Sequence[Reading], columns: Sequence[int]) -> np.ndarray:
    return np.array([[r.numbers[c] for c in columns] for r in readings]).reshape(len(readings), len(columns))


def _body_standin(model: Model, first: Reading, special: list[float | None]) -> Standin:
    """A model of one body with its mass properties and gravity."""
    standin = Standin(model, [], first.numbers, special)
    body = first.bodies[0]
    inertia = body.inertia if isinstance(body.inertia, tuple) else ((body.inertia,),)
    mass, com, J, gravity = (standin.value(x) for x in (body.mass, body.com, inertia, model.gravity))
    standin.own.body("0", mass=mass, com=com, inertia=J if isinstance(body.inertia, tuple) else J[0][0])
    standin.own.gravity = gravity
    standin.own.gravity_is_input = False  # what differs among members is an input by itself
    return standin
