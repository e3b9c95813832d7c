"""The position equations of a large machine with one traced function a shape of element, called for all members at once.

`System` traces and compiles the machine as a whole, which takes long for hundreds of bodies. Here elements of one shape
(`looped.groups`) share the functions of a stand-in with one element; numbers of the members go in and out by tables of
places. What is not evaluated that way is asked of `whole`, which is traced when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from linkwright import linear
from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Scalar, Sparse
from linkwright.later import sparse
from linkwright.model import Body, Element, Model
from linkwright.system.constraints import Row
from linkwright.system.coordinates import Coordinates
from linkwright.system.geometry import Geometry
from linkwright.system.looped.group import Group
from linkwright.system.looped.groups import groups
from linkwright.system.patient import Evaluation, PatientFunction
from linkwright.system.quantities import resolve
from linkwright.system.shape import Shape, places_of
from linkwright.system.system import System, curve_parameters

Numbers = tuple[np.ndarray, ...]


class ShapedSystem(System):
    """A `System` that is evaluated by shapes. lacks: an element that has no shape; such a machine has to be taken as a
    whole."""

    lacks = ""
    shape: ClassVar[type[Shape]] = Shape
    of_structure = False
    moved = 0  # points of motions that were asked of it

    def __init__(self, model: Model) -> None:
        self.model = model
        self.coordinates = Coordinates.of(model, [name for e in model.elements.values() for name in curve_parameters(e)])
        self.geometry = Geometry(model, self.coordinates)
        number = {id(b): k for k, b in enumerate(self.coordinates.bodies)}
        curves = {name: k for k, name in enumerate(self.coordinates.extra)}
        self.shapes = [self.shape(g, number, curves) for g in self._groups()]
        order = sorted(
            (k, s, m)
            for s, shape in enumerate(self.shapes) if shape.group.element is not None
            for m, k in enumerate(shape.group.members)
        )  # fmt: skip
        self._number_rows(order)
        self._name_turns(order)

    def _groups(self) -> list[Group]:
        return groups(self.model)  # friction and impacts have no rows

    def _number_rows(self, order: Sequence[tuple[int, int, int]]) -> None:
        """Rows, phases and senses in the order of the model's elements."""
        self.rows = []
        self.phases, self.senses = {}, {}
        starts = [np.zeros(shape.count, dtype=np.int64) for shape in self.shapes]
        for _, s, m in order:
            shape, starts[s][m] = self.shapes[s], len(self.rows)
            name, system = shape.group.names[m], shape.system
            e: Element = self.model.elements[name]
            for k in shape.own:
                row = system.rows[k]
                label, phase = name + row.name.removeprefix(shape.name), name if row.phase else ""
                self.rows.append(Row(label, e, np.nan, phase, row.rate))
            if shape.name in system.phases:
                self.phases[name] = system.phases[shape.name]
            if shape.name in system.senses:
                self.senses[name] = system.senses[shape.name]
        self._rows = [places_of(start[:, None], 1) + np.arange(len(s.own))[:, None]
                      for start, s in zip(starts, self.shapes, strict=True)]  # fmt: skip
        first = len(self.model.parameter_values())
        at = {name: first + k for k, name in enumerate(self.phases)}
        self._phases = [
            np.array([[at[n] for n in s.group.names]] if s.name in s.system.phases else [], dtype=np.int64).reshape(
                -1, s.count
            )
            for s in self.shapes
        ]

    def _name_turns(self, order: Sequence[tuple[int, int, int]]) -> None:
        """The multi-turn angles, in the order in which `System` finds them: those of equations, then all of joints."""
        found: dict[str, None] = {}
        for _, s, m in order:
            found.update(dict.fromkeys(x for name in self.shapes[s].row_turns if (x := self.shapes[s].called(name, m))))
        for e in self.model.elements.values() if self.model.dimension == 3 else ():
            found.update(dict.fromkeys(f"{e.name}.{c}" for c in e.channels if c.startswith("angle")))
        fixed = Geometry(self.model, self.coordinates)
        resolve(fixed, list(self.model.fixed) if self.model.dimension == 3 else [])
        self._fixed_angles = {name: angle for name, (_, angle) in fixed.turns.items() if name not in found}
        self._turn_names = [*found, *self._fixed_angles]
        at = {name: k for k, name in enumerate(found)}
        for shape in self.shapes:
            if any(shape.called(name, 0) not in at for name in shape.turn_names):  # an angle that no joint follows
                self.lacks = shape.group.names[0]
                return
        self._turns = [
            np.array([[at[s.called(name, m)] for m in range(s.count)] for name in s.turn_names], dtype=np.int64)
            .reshape(len(s.turn_names), s.count)
            for s in self.shapes
        ]  # fmt: skip

    # -- as a whole ----------------------------------------------------------------------------------------------------
    @cached_property
    def whole(self) -> System:
        """Traced as a whole, for what is not evaluated by shapes."""
        found = self.shape.kind(self.model)
        assert list(found.geometry.turns) == self._turn_names
        return found

    @property
    def turn_names(self) -> list[str]:
        return self._turn_names

    @cached_property
    def inputs(self) -> dict[str, np.ndarray]:
        return self.whole.inputs

    @property
    def residuals(self) -> list[Scalar]:
        return self.whole.residuals

    def resolve(self, values: Sequence[Scalar]) -> list[Scalar]:
        return self.whole.resolve(values)

    def read_by_rates(self, rows: Sequence[int]) -> list[list[int]]:
        found: dict[int, list[int]] = {}
        for shape, at in zip(self.shapes, self._rows, strict=True):
            for k, row in enumerate(shape.own):
                if shape.system.rows[row].rate is not None:
                    found |= {int(r): shape.v[:, m].tolist() for m, r in enumerate(at[k])}
        return [found[int(k)] for k in rows]

    def row_rates(self, rows: Sequence[int]) -> list[Scalar]:
        return self.whole.row_rates(rows)

    def rates(self, values: Sequence[Scalar], vdot: Sequence[Expr] | None = None) -> list[Scalar]:
        return self.whole.rates(values, vdot)

    # -- by shapes -----------------------------------------------------------------------------------------------------
    def _constants(self, b: np.ndarray) -> list[np.ndarray]:
        """The constants of the members of each shape: their numbers, for the parameters in b, and phases."""
        given = tuple(b[: len(self.model.parameters)])
        if self._read is None or self._read[0] != given:
            self._read = given, [np.ascontiguousarray(s.group.reread().T) for s in self.shapes]
        return [np.vstack([numbers, b[at]]) for numbers, at in zip(self._read[1], self._phases, strict=True)]

    _read: tuple[tuple[float, ...], list[np.ndarray]] | None = None

    def over_shapes(
        self, functions: Callable[[Any], PatientFunction | None], args: Sequence[np.ndarray], lam: np.ndarray | None = None,
        vdot: np.ndarray | None = None,
    ) -> list[Numbers | None]:  # fmt: skip
        """The values of a function of each shape, a column a member. args: as of all functions of a `System`; lam:
        multipliers of all rows, for functions that take those of their own; vdot: accelerations, likewise."""
        q, v, t, b, turns = args[:5]
        out: list[Numbers | None] = []
        for shape, constants, at, rows in zip(self.shapes, self._constants(b), self._turns, self._rows, strict=True):
            f = functions(shape)
            time = np.full((1, shape.count), t[0])
            more = [*([] if lam is None else [lam[rows]]), *([] if vdot is None else [vdot[shape.v]])]
            out.append(None if f is None else f.batch(q[shape.q], v[shape.v], time, constants, turns[at], *more))
        return out

    @cached_property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for shape, at in zip(self.shapes, self._rows, strict=True):
            i, j = shape.J.places
            rows.append(at[i].ravel())
            columns.append(shape.v[j].ravel())
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def position(self) -> Any:
        """Phi and the nonzeros of Phi_v, by `pattern`, as in `System`."""
        return Evaluation({"Phi": (len(self.rows),), "Phi_v": self.pattern[0].shape}, self._position)

    def _position(self, *args: np.ndarray) -> Numbers:
        found = self.over_shapes(lambda s: s.position if s.own else None, args)
        return self._by_rows(found), np.concatenate([np.zeros(0), *[x[1].ravel() for x in found if x is not None]])

    def _by_rows(self, found: Sequence[Numbers | None]) -> np.ndarray:
        out = np.zeros(len(self.rows))
        for at, x in zip(self._rows, found, strict=True):
            if x is not None:
                out[at] = x[0]
        return out

    @cached_property
    def velocity(self) -> Any:
        return lambda *args: (self._by_rows(self.over_shapes(lambda s: s.velocity if s.own else None, args)),)

    @cached_property
    def acceleration(self) -> Any:
        return lambda *args: (self._by_rows(self.over_shapes(lambda s: s.acceleration if s.own else None, args)),)

    @cached_property
    def turned(self) -> Any:
        """Multi-turn angles, phases, senses, as in `System`."""
        sizes = {"turns": self._turn_names, "phases": self.phases, "senses": self.senses}
        return Evaluation({name: (len(x),) for name, x in sizes.items()}, self._turned)

    @cached_property
    def _fixed_turned(self) -> Any:
        return self.quick(list(self._fixed_angles.values()))

    def _turned(self, *args: np.ndarray) -> Numbers:
        turns, phases = np.zeros(len(self._turn_names)), np.zeros(len(self.phases))
        senses = dict.fromkeys(self.senses, 0.0)
        first = len(self.model.parameter_values())
        if self._fixed_angles:
            turns[-len(self._fixed_angles) :] = self._fixed_turned(*args)
        found = self.over_shapes(lambda s: s.turned, args)
        for shape, x, at, own in zip(self.shapes, found, self._turns, self._phases, strict=True):
            assert x is not None
            turns[at], phases[own - first] = x[0], x[1]
            if len(x[2]):
                senses.update(zip(shape.group.names, x[2][0].tolist(), strict=True))
        return turns, phases, np.array(list(senses.values()))

    def _square(self, places: Callable[[Any], Sparse | None]) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros of a matrix by displacements, shape by shape."""
        found = [np.zeros((2, 0), dtype=np.int64)]
        for s in self.shapes:
            matrix = places(s)
            if matrix is not None:
                i, j = matrix.places
                found.append(np.stack([s.v[i].ravel(), s.v[j].ravel()]))
        rows, columns = np.concatenate(found, axis=1)
        return rows, columns

    def _matrix(self, pattern: tuple[np.ndarray, np.ndarray], found: Sequence[Numbers | None], k: int) -> Any:
        entries = np.concatenate([np.zeros(0), *[x[k].ravel() for x in found if x is not None]])
        return sparse.csr_array((entries, pattern), shape=(self.nv, self.nv))

    @cached_property
    def _curved(self) -> tuple[np.ndarray, np.ndarray]:
        return self._square(lambda s: s.hessian if s.own else None)

    def _curvatures(self, args: Sequence[np.ndarray]) -> list[Numbers | None]:
        """By shapes; rows without a multiplier have no part in it, also where they have no value."""
        found, lam = self.over_shapes(lambda s: s.curvature if s.own else None, args, args[-1]), args[-1]
        return [
            None if x is None else (np.where((lam[rows] != 0).any(axis=0), x[0], 0.0),)
            for x, rows in zip(found, self._rows, strict=True)
        ]

    def curvature(self, *args: np.ndarray) -> Any:
        """The curvature as in `System`, sparse."""
        found = self._curvatures(args)
        return self._matrix(self._curved, found, 0)

    def convex_curvature(self, scale: np.ndarray, *args: np.ndarray) -> Any:
        """The curvature by displacements relative to `scale`, of each element without what makes it bend down: where the sum
        of all is no minimum this is a model that has one."""
        found = self._curvatures(args)
        entries, places = [np.zeros(0)], [np.zeros((2, 0), dtype=np.int64)]
        for s, x in zip(self.shapes, found, strict=True):
            if x is not None:
                n, size = len(s.v), scale[s.v].T
                H = np.zeros((s.count, n, n))
                H[(slice(None), *s.hessian.places)] = x[0].T
                values, vectors = linear.eigh(0.5 * (H + H.transpose(0, 2, 1)) * size[:, :, None] * size[:, None, :])
                entries.append(((vectors * np.maximum(values, 0.0)[:, None]) @ vectors.transpose(0, 2, 1)).ravel())
                places.append(np.stack([np.repeat(s.v.T, n), np.tile(s.v.T, (1, n)).ravel()]))
        at = np.concatenate(places, axis=1)
        return sparse.csr_array((np.concatenate(entries), tuple(at)), shape=(self.nv, self.nv))

    @cached_property
    def retract(self) -> Any:
        """The displaced configuration as in `System`, of all bodies at once."""
        one = Coordinates.of(_one_body(self.model))
        d = one.displacement_symbols()
        f = Function("retract", {"q": one.q, "d": d}, {"q": one.retracted(d)})
        nq, nv = self.coordinates.per_body
        bodies = len(self.coordinates.bodies)

        def retracted(*args: np.ndarray) -> Numbers:
            (q, s), (d, ds) = (np.split(x, [n * bodies]) for x, n in ((args[0], nq), (args[5], nv)))
            moved = f.batch(q.reshape(-1, nq).T, d.reshape(-1, nv).T)[0].T
            return (np.concatenate([moved.ravel(), s + ds]),)

        return retracted

    def own_rows(self, element: str, q: np.ndarray, *args: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The rows of an element as in `System`, by its shape alone."""
        t, b, turns = args[1:4]
        found = zip(self.shapes, self._constants(b), self._turns, strict=True)
        shape, constants, at = next(x for x in found if x[0].group.element is not None and element in x[0].group.names)
        m, count = shape.group.names.index(element), q.shape[1]
        fixed = [np.zeros(len(shape.v)), t, constants[:, m], turns[at[:, m]]]
        given = [q[shape.q[:, m]], *[np.repeat(x[:, None], count, axis=1) for x in fixed]]
        senses = shape.turned.batch(*given)[2]
        return shape.position.batch(*given)[0], senses[0] if len(senses) else None

    def joint_coordinates(self, *args: np.ndarray) -> tuple[list[str], np.ndarray, Numbers]:
        """Names and values of all coordinates of joints, in the model's order; and the nonzeros of their derivatives by
        displacements: rows, columns, values."""
        found = self.over_shapes(lambda s: s.coordinates if s.joint_coordinates else None, args)
        names = [f"{e.name}.{c}" for e in self.model.elements.values() for c in e.channels
                 if c.startswith(("angle", "displacement"))]  # fmt: skip
        number = {name: k for k, name in enumerate(names)}
        values, entries = np.zeros(len(names)), [np.zeros((3, 0))]
        for shape, x in zip(self.shapes, found, strict=True):
            if x is not None:
                at = np.array(
                    [[number[f"{n}.{c}"] for n in shape.group.names] for c in shape.joint_coordinates], dtype=np.int64
                )
                i, j = shape.gradients.places
                values[at] = x[0]
                entries.append(np.stack([at[i].ravel(), shape.v[j].ravel(), x[1].ravel()]))
        rows, columns, slopes = np.concatenate(entries, axis=1)
        return names, values, (rows.astype(np.int64), columns.astype(np.int64), slopes)


def _one_body(model: Model) -> Any:
    kind: Any = type(model)
    own = kind("one body")
    body: Body = own.body("0")
    assert not body.is_ground
    return own
