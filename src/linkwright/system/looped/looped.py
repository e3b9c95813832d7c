"""Equations of motion of large machines: element functions compiled once, called in a native loop over the elements.

    [ M    J^T ] [ vdot ]   [ Q - h ]
    [ J    0   ] [ lam  ] = [ gamma ]

The blocks go from the elements straight into a sparse block LDL^T (`linkwright.compile.block_ldl`). Building, memory and one
evaluation grow with the number of bodies and joints; compiling with the number of different shapes among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compile.called_back import Raised
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar
from linkwright.model import Model
from linkwright.model.marks import marks
from linkwright.regularisation import COMPLIANCES_IN_LOOPS
from linkwright.system.coordinates import Coordinates
from linkwright.system.held import Mode
from linkwright.system.looped.assembled import Assembled, holds, of_curves, usual_mass
from linkwright.system.looped.layout import Layout
from linkwright.system.looped.solving import Loops, loops, solved
from linkwright.system.once import Once

# Below this relative pivot the block factors are not trusted: rows depend on each other, or a body has no inertia.
DOUBTFUL = 1e-10


class LoopedSystem(Once):
    """A machine by its elements. One object is one set of numbers: not to be used by two threads at once.

    q, v: as in `Coordinates`; rows in the order of the model's elements. What integrators run is in
    `linkwright.system.looped.flow`.
    """

    def __init__(
        self, model: Model, held: bool = False, flagged: bool = False, watched: Mapping[str, Scalar] | None = None
    ) -> None:
        """`held`: rows may depend on each other and bodies lack inertia, see `linkwright.system.looped.solving`; `hold` must
        be called then before anything is solved. `flagged`: laws that switch have flags; they are inputs of what integrators
        run, and what the conditions say elsewhere. `watched`: quantities that events are made of, by name."""
        self.model, self.held, self.flagged, self.watched = model, held, flagged, dict(watched or {})
        self.at = Layout(model, held, flagged, self.watched)
        self.arena, self.ldl = self.at.arena, self.at.ldl
        self.nq, self.nv, self.rows = self.at.nq, self.at.nv, self.at.rows
        self.assembled: Assembled = self.at.assembled
        self._hold = np.zeros(self.nv + 2 * self.rows + 1)
        self._compliances, self._part, self._length = np.ones(self.rows - self.at.own_rows), 1.0, 1.0
        self.rest = 0.0  # of a held machine: what the proximal method would change of accelerations next, relative
        self.noted: dict[object, Any] = {}  # what was found of its model as it is, until it is another
        self._marks = marks(model)
        self._values = values_of(model)
        self._set_constants()
        self.mode = self.at.modes.none()
        self.take(self.mode)

    @property
    def row_names(self) -> list[str]:
        return self.at.row_names

    @cached_property
    def coordinates(self) -> Coordinates:
        """The coordinates of all bodies, by name, and of curves."""
        return Coordinates.of(self.model, self.at.extra)

    # -- numbers -------------------------------------------------------------------------------------------------------
    def _set_constants(self, *, anew: bool = False) -> None:
        for group, places in zip(self.at.every, self.at.b, strict=True):
            if anew:
                group.numbers[:] = group.reread()
            numbers = group.numbers
            at = np.array(places, dtype=np.int64)[:, None] + np.arange(numbers.shape[1])
            self.arena.numbers[at.ravel()] = numbers.ravel()

    def adopt(self, model: Model) -> None:
        """Begin anew as the same machine with the numbers of another model of its structure, or of this one as it is now."""
        seen, self._marks = self._marks, marks(model)
        if model is not self.model or seen is None or self._marks is None or not seen.still(model):
            self.noted.clear()
        if model is not self.model or any(model.bodies[b.name] is not b for b in self.at.bodies):
            self.model = model
            self.at.adopt(model)
            if "coordinates" in self.__dict__:
                self.__dict__["coordinates"] = replace(self.coordinates, bodies=tuple(self.at.bodies))
        values, self.rest = values_of(model), 0.0
        self.arena.numbers[:] = 0.0
        self._hold[:] = 0.0
        self._set_constants(anew=values != self._values)
        self._compliances[:], self._part = 1.0, 1.0
        self.take(self.at.modes.none())
        self._values = values
        if self.at.laws is not None:
            self.at.laws.raised = Raised()

    def like(self, other: LoopedSystem) -> None:
        """Take over constants, phases and references from the same machine, held or not."""
        end = self.at.power  # all that comes before has its place in both
        self.arena.numbers[:end] = other.arena.numbers[:end]

    @cached_property
    def native(self) -> Loops:
        """The arguments of native functions after (ins, outs). All machine code is made here."""
        return loops(self.at, self._hold)

    def hold(self, q: Any, t: float = 0.0, part: float = COMPLIANCES_IN_LOOPS[-1], length: float = 1.0) -> None:
        """Set the regularisation of a held machine, from its rows and masses in a configuration; `part`, `length`: see
        `holds`."""
        with self.within(self.at.modes.every()):
            self.place(q, None, t)
            self._run("masses", "elements")
            delta, compliances, eases = holds(self.assembled, self.model.dimension, part, length)
        self._hold[:-1] = np.concatenate([delta, compliances, eases])
        self.assembled.set_compliances(compliances)
        self._compliances[:], self._part, self._length = compliances[self.at.own_rows :], part, length
        self.take(self.mode)

    def hold_here(self, q: Any, t: float, part: float | None = None) -> None:
        """Set the regularisation anew in another configuration: how dependent rows share forces depends on where they
        are."""
        if self.held and (self.mode.closed or self.mode.stuck):
            self.hold(q, t, self._part if part is None else part, self._length)

    # -- modes ---------------------------------------------------------------------------------------------------------
    def take(self, mode: Mode) -> None:
        """Go over to a mode: which contacts are closed, which slots stick, how the others slide."""
        self.mode, modes, own = mode, self.at.modes, self.at.own_rows
        if not modes.places:
            return
        modes.write(mode, self.arena.numbers)
        compliances = self._compliances.copy()
        for k, weight in enumerate(mode.weights):
            if weight > 0:
                compliances[modes.sticks[k] - own] = self._part * weight
        self._hold[self.nv + own : self.nv + self.rows] = compliances
        if self.held or self.at.held:
            self.assembled.set_compliances(self._hold[self.nv : self.nv + self.rows])

    @contextmanager
    def within(self, mode: Mode) -> Iterator[None]:
        """A context in which the machine is in this mode."""
        before = self.mode
        if before == mode:
            yield
            return
        self.take(mode)
        try:
            yield
        finally:
            self.take(before)

    def slots(self, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The forces of slots along their speeds, and their loads, at the last state under these multipliers of all rows."""
        modes = self.at.modes
        self.arena.view(self.at.x + self.nv, self.rows)[:] = lam
        self._run("slots")
        return tuple(self.arena.view(at, n).copy() for at, n in ((modes.F, modes.speeds[-1]), (modes.N, len(modes.slots))))  # type: ignore[return-value]

    def smooth_friction(self, lam: np.ndarray) -> np.ndarray:
        """The generalised forces of friction at the last state under these multipliers of all rows."""
        self.arena.view(self.at.sum + self.nv, self.rows)[:] = lam
        self._run("friction")
        return self.friction()

    def slot_numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of all slots at the last state, see `Mechanics.slot_numbers`."""
        modes, n = self.at.modes, len(self.at.modes.slots)
        self._run("numbers")
        return self.arena.view(modes.numbers, 5 * n).reshape(-1, 5).copy(), self.arena.view(modes.at, n).copy()

    def place(self, q: Any, v: Any = None, t: float = 0.0) -> None:
        """Take a state; flags become what the conditions of the laws say, unless `switched` gives them."""
        y = self.arena.view(self.at.y, self.nq + self.nv)
        y[: self.nq] = q
        y[self.nq :] = 0.0 if v is None else v
        self.arena.numbers[self.at.t] = t
        if self.at.nflags:
            flags = self.arena.view(self.at.flags, self.at.nflags)
            if self._flags is not None:
                flags[:] = self._flags
                return
            flags[:] = 0.0
            for _ in range(self.at.looks):
                self._run("switches")
                flags[:] = self.arena.view(self.at.switches, self.at.nflags) > 0

    _flags: np.ndarray | None = None

    @contextmanager
    def switched(self, flags: np.ndarray) -> Iterator[None]:
        """A context in which laws that switch have these forms, whatever their conditions say."""
        self._flags = flags
        try:
            yield
        finally:
            self._flags = None

    def load(self, q: Any, v: Any, t: float) -> None:
        """Evaluate M, J, Q - h, gamma at a state; raise what a law in plain Python raises."""
        self.place(q, v, t)
        with nullcontext() if self.at.laws is None else self.at.laws.aloud():
            self._run("called")
        self._run("masses", "elements")

    def _run(self, *names: str) -> None:
        for name in names:
            self.at.scripts[name].run()

    @property
    def turns(self) -> np.ndarray:
        """References of the multi-turn angles, to be read and written."""
        return self.arena.view(self.at.turns, self.at.nturns)

    def settle(self, q: Any, t: float = 0.0, *, phases: bool = False, known: Mapping[str, float] | None = None) -> None:
        """Take a configuration as the present one: references of multi-turn angles follow; with `phases` the constants of
        gears and couplers that are not given, too: by element as they are known, else as they are here."""
        self.place(q, None, t)
        self._run("turned")
        self.turns[:] = self.arena.view(self.at.turned, self.at.nturns)
        numbers = self.arena.numbers
        for element, old, new in self.at.phases if phases else []:
            numbers[old] = (known or {}).get(element, numbers[new])

    def turning(self, q: Any, v: Any, t: float) -> np.ndarray:
        """The rates of the multi-turn angles, and of states."""
        self.place(q, v, t)
        self._run("called", "rates")
        return self.arena.view(self.at.turning, self.at.nturns).copy()

    def memories(self, y: np.ndarray, t: float) -> np.ndarray:
        """All numbers of the machine, with the speeds that contacts remember up to date for this state."""
        self.turns[:] = y[self.nq + self.nv : -1]
        self.place(y[: self.nq], y[self.nq : self.nq + self.nv], t)
        self._run("memories")
        return self.arena.numbers

    def gaps(self, q: np.ndarray, v: np.ndarray, t: float, vdot: np.ndarray) -> tuple[np.ndarray, ...]:
        """The gaps of all impacts, see `Mechanics.gaps`: gap, its derivative by displacements (a row each), rate, second
        rate, restitution."""
        at, (nq, nv) = self.at, self.at.per_body
        number = {id(b): k for k, b in enumerate(at.bodies)}
        parts = [[np.zeros((0, self.nv) if k == 1 else 0)] for k in range(5)]
        for g, m in at.striking:
            group, place = at.groups[g], len(at.masses) + g
            bodies = [number[id(b)] for b in group.bodies[m]]
            own = np.array([nv * i + j for i in bodies for j in range(nv)], dtype=np.int64)
            turns = self.turns[at._turns[place][m] :][: len(group.turns)]
            found = group.gaps(
                *[q[nq * i : nq * i + nq] for i in bodies], *[v[nv * i : nv * i + nv] for i in bodies], np.array([t]),
                self.arena.view(at.b[place][m], len(group.constants)), turns, vdot[own],
            )  # fmt: skip
            G = np.zeros((len(found[0]), self.nv))
            G[:, own] = found[1]
            for part, x in zip(parts, (found[0], G, *found[2:]), strict=True):
                part.append(x)
        return tuple(np.concatenate(part) for part in parts)

    # -- questions -----------------------------------------------------------------------------------------------------
    def Phi(self, q: Any, t: float = 0.0) -> np.ndarray:
        """The position equations, zero where they hold."""
        self.place(q, None, t)
        self._run("position")
        return self.arena.view(self.at.Phi, self.rows).copy()

    def Phi_v(self, q: Any, t: float = 0.0) -> Any:
        """The derivative of the position equations by displacements (dr, virtual rotation), sparse."""
        self.place(q, None, t)
        self._run("position")
        return self.assembled.J()

    def row_lengths(self, q: Any, t: float, size: np.ndarray) -> np.ndarray:
        """The lengths of the rows of Phi_v, by displacements of these sizes; one for rows of zeros."""
        self.place(q, None, t)
        self._run("position")
        return self.assembled.row_lengths(size)

    def nu(self, q: Any, t: float = 0.0) -> np.ndarray:
        """-Phi_t."""
        self.place(q, None, t)
        self._run("velocity")
        return self.arena.view(self.at.nu, self.rows).copy()

    def drift(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """d/dt of the position equations: J v - nu."""
        self.place(q, v, t)
        self._run("drift")
        return self.arena.view(self.at.drift, self.rows).copy()

    def terms(self, q: Any, v: Any, t: float = 0.0) -> tuple[Any, Any, np.ndarray, np.ndarray]:
        """M and J (sparse), Q - h, gamma."""
        self.load(q, v, t)
        right = self.assembled.right()
        return self.assembled.M(), self.assembled.J(), right[: self.nv], right[self.nv :]

    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray, float]:
        """vdot, lam, and a measure: the smallest pivot relative to what it was made of.

        Below `DOUBTFUL` rows depend on each other or a body has no inertia: the answer is then from sparse LU with pivoting
        (`Assembled.solve`), unless the machine is held. M vdot + J^T lam = Q - h.
        """
        self.load(q, v, t)
        x, measure = self._solved(loaded=True)
        if measure < DOUBTFUL and not self.held:
            self._run("masses", "elements")
            x = self.assembled.solve()
        return x[: self.nv], x[self.nv :], measure

    def friction(self) -> np.ndarray:
        """The generalised forces of friction in the accelerations that were found last."""
        to, places = self.made("rubs", self._rubs)
        return np.bincount(to, self.arena.numbers[places], minlength=self.nv)

    def _rubs(self) -> tuple[np.ndarray, np.ndarray]:
        """The displacements of bodies on which friction acts, and the places of these forces."""
        at, width = np.array(self.at.rubs, dtype=np.int64).reshape(-1, 2), np.arange(self.at.per_body[1])
        return (at[:, :1] + width).ravel(), (at[:, 1:] + width).ravel()

    def _solved(self, loaded: bool = False) -> tuple[np.ndarray, float]:
        """The solution of the equations as they are loaded, with friction where `loaded`, and the measure of
        `accelerations`."""
        if self.at.extra and not self._hold[: self.nv].any():  # curves are held however the machine is
            self._hold[: self.nv] = self._curves_held()
        if self.at.held:
            self.rest = float(solved(int(loaded), self.native))
        else:
            self._run("factor", "back")
        return self.arena.view(self.at.x, self.nv + self.rows).copy(), self.ldl.worst

    def _curves_held(self) -> np.ndarray:
        """The delta of all displacements: zero but for parameters of curves."""
        bodies = self.nv - len(self.at.extra)
        return np.concatenate([np.zeros(bodies), of_curves(self.assembled.J(), bodies, usual_mass(self.assembled))])

    # -- back onto the constraints -------------------------------------------------------------------------------------
    def nearest(self, q: Any, t: float, f: Any, gamma: Any) -> tuple[np.ndarray, np.ndarray]:
        """x and mu of M x + J^T mu = f, J x = gamma at q: the least change in the sense of kinetic energy if f = 0."""
        self.place(q, None, t)
        self._run("masses", "elements")
        self.assembled.set_right(f, gamma)
        x, measure = self._solved()
        if measure < DOUBTFUL and not self.held:
            self._run("masses", "elements")
            self.assembled.set_right(f, gamma)
            x = self.assembled.solve()
        return x[: self.nv], x[self.nv :]

    def retract(self, q: Any, d: Any) -> np.ndarray:
        """q displaced by d, body by body."""
        self.place(q)
        self.arena.view(self.at.x, self.nv)[:] = d
        self._run("retract")
        return self.arena.view(self.at.moved, self.nq).copy()


def values_of(model: Model) -> tuple[float, ...]:
    """The numbers of a model that its equations depend on and its structure does not."""
    return (*model.parameter_values().values(), *map(model.value, model.gravity))
