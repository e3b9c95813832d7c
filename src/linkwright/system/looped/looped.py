"""Equations of motion of large machines: element functions compiled once, called in a native loop over the elements.

    [ M    J^T ] [ vdot ]   [ Q - h ]
    [ J    0   ] [ lam  ] = [ gamma ]

The blocks go from the elements straight into a sparse block LDL^T (`linkwright.solve.block_ldl`). Building, memory and one
evaluation grow with the number of bodies and joints; compiling with the number of different shapes among them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compile import Array, Codes, Function, Ints, Pointers, i64, native
from linkwright.compile.bound import Bound
from linkwright.equations import rotations
from linkwright.errors import CompileError
from linkwright.graph import symbols
from linkwright.model import Driver, Model
from linkwright.solve.block_ldl import BlockLDL, least
from linkwright.solve.script import Arena, Script, play
from linkwright.system.looped.assembled import Assembled
from linkwright.system.looped.groups import Group, body_groups, groups
from linkwright.system.looped.order import waiting

# Below this relative pivot the block factors are not trusted: rows depend on each other, or a body has no inertia.
DOUBTFUL = 1e-10


class LoopedSystem:
    """A machine by its elements. One object is one set of numbers: not to be used by two threads at once.

    q, v: as in `Coordinates`; rows in the order of the model's elements. `CompileError` for machines with curves or with
    laws that cannot be traced.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.bodies = [b for b in model.bodies.values() if not b.is_ground]
        if not self.bodies:
            raise CompileError("there is no body to move", element=model.name, remedy="add one")
        self.per_body = (3, 3) if model.dimension == 2 else (7, 6)
        self.nq, self.nv = (n * len(self.bodies) for n in self.per_body)
        self._number = {id(b): k for k, b in enumerate(self.bodies)}
        self.masses = body_groups(model, self.bodies)
        self.groups = groups(model)
        self._number_rows()
        self._claim()
        self._write_scripts()
        self._set_constants()

    # -- layout --------------------------------------------------------------------------------------------------------
    def _number_rows(self) -> None:
        """Rows and blocks of multipliers, in the order of the model's elements."""
        kinds = sorted((k, g, m) for g, group in enumerate(self.groups) for m, k in enumerate(group.members))
        self.ends: list[list[int]] = []  # of each block of multipliers: its bodies
        self.row_names: list[str] = []
        self._node: dict[tuple[int, int], int] = {}
        self.sizes = [self.per_body[1]] * len(self.bodies)
        for _, g, m in kinds:
            group = self.groups[g]
            if group.residuals:
                self._node[g, m] = len(self.sizes)
                self.sizes.append(len(group.residuals))
                self.ends.append([self._number[id(b)] for b in group.bodies[m]])
                self.row_names += [group.names[m] + name for name in group.row_names]

    @property
    def rows(self) -> int:
        return len(self.row_names)

    def _claim(self) -> None:
        self.arena = arena = Arena()
        self._t = arena.claim(1)
        self._y = arena.claim(self.nq + self.nv)
        self._b = [[arena.claim(len(g.constants)) for _ in g.members] for g in [*self.masses, *self.groups]]
        self._turns = [[arena.claim(len(g.turns)) for _ in g.members] for g in [*self.masses, *self.groups]]
        self._ydot = arena.claim(self.nq)
        count = len(self.bodies)
        multiplier = [False] * count + [True] * len(self.ends)
        pattern = [(count + e, k) for e, around in enumerate(self.ends) for k in around]
        waits = waiting(count, self.per_body[1], self.ends, self.sizes[count:])
        after = {count + e: moving for e, moving in enumerate(waits)}
        self.ldl = BlockLDL(arena, self.sizes, multiplier, pattern, after)
        self._Phi = arena.claim(self.rows)
        self._nu = arena.claim(self.rows)

    def _places(self, g: int, m: int, group: Group) -> list[int]:
        """The inputs of a member: q and v of its bodies, t, constants, references."""
        bodies = [self._number[id(b)] for b in group.bodies[m]]
        n, k = self.per_body
        q, v = [self._y + n * b for b in bodies], [self._y + self.nq + k * b for b in bodies]
        return [*q, *v, self._t, self._b[g][m], self._turns[g][m]]

    # -- scripts -------------------------------------------------------------------------------------------------------
    def _write_scripts(self) -> None:
        names = ("rates", "elements", "factor", "back", "position", "velocity", "turned")
        self.scripts = {name: Script(self.arena) for name in names}
        self._references: list[tuple[int, int, int]] = []  # (where it is, where `turned` puts the new one, how many)
        self._phases: list[tuple[int, int, int]] = []
        self._driven: list[tuple[int, int, int]] = []  # (reference, angle, Phi) of drivers of angles
        ldl, offset = self.ldl, len(self.masses)
        for g, group in enumerate(self.masses):
            for m, k in enumerate(group.members):
                outs = [ldl.diagonal[k].next(), ldl.right[k].next()]
                self.scripts["elements"].add(group.mass, self._places(g, m, group), outs)
        for g, group in enumerate(self.groups):
            for m in range(len(group.members)):
                self._add_element(g, m, group, self._places(offset + g, m, group))
        self.assembled = Assembled(self.arena, self.sizes, ldl)  # where things are before elimination
        ldl.build(self.scripts["factor"], self.scripts["back"])
        self._add_rates()

    def _add_element(self, g: int, m: int, group: Group, ins: list[int]) -> None:
        ldl, scripts = self.ldl, self.scripts
        bodies = [self._number[id(b)] for b in group.bodies[m]]
        row = 0
        if group.residuals:
            node = self._node[g, m]
            row = self.ldl.x[node] - self.ldl.x[len(self.bodies)]
            J = [ldl.blocks[node, k].next() for k in bodies]
            scripts["elements"].add(group.acceleration, ins, [ldl.right[node].next(), *J])
            scripts["position"].add(group.position, ins, [self._Phi + row, *J])
            scripts["velocity"].add(group.velocity, ins, [self._nu + row])
        if group.has_force:
            right = [ldl.right[k] for k in bodies]
            scripts["elements"].add(group.force, [*ins, *[r.at() for r in right]], [r.next() for r in right])
        angles, phases = len(group.turns), len(group.traced.phases)
        if angles or phases:
            new, constants = self.arena.claim(angles + phases), ins[-2] + len(group.constants) - phases
            scripts["turned"].add(group.turned, ins, [new, new + angles])
            self._references.append((ins[-1], new, angles))
            self._phases.append((constants, new + angles, phases))
            if isinstance(self.model.elements[group.names[m]], Driver) and angles:
                self._driven.append((ins[-1], new, self._Phi + row))

    def _add_rates(self) -> None:
        if self.model.dimension == 2:
            return
        q, v = symbols("q", 7), symbols("v", 6)
        f = Function("rates", {"q": q, "v": v}, {"qdot": [*v[:3], *rotations.euler_rates(q[3:], v[3:])]})
        for k in range(len(self.bodies)):
            self.scripts["rates"].add(f, [self._y + 7 * k, self._y + self.nq + 6 * k], [self._ydot + 7 * k])

    # -- numbers -------------------------------------------------------------------------------------------------------
    def _set_constants(self, *, anew: bool = False) -> None:
        for group, places in zip([*self.masses, *self.groups], self._b, strict=True):
            numbers = group.reread() if anew else group.numbers
            at = np.array(places, dtype=np.int64)[:, None] + np.arange(numbers.shape[1])
            self.arena.numbers[at.ravel()] = numbers.ravel()

    def refresh(self) -> None:
        """Take over the present values of the model's parameters."""
        self._set_constants(anew=True)

    def _set(self, q: Any, v: Any = None, t: float = 0.0) -> None:
        y = self.arena.view(self._y, self.nq + self.nv)
        y[: self.nq] = q
        y[self.nq :] = 0.0 if v is None else v
        self.arena.numbers[self._t] = t

    def settle(self, q: Any, t: float = 0.0, *, phases: bool = False, first: bool = False) -> None:
        """Take a configuration as the present one: references of multi-turn angles follow; with `phases` the constants of
        gears and couplers that are not given, too. `first`: driven angles start near what their drivers say."""
        self._set(q, None, t)
        numbers = self.arena.numbers
        if first and self._driven:
            self.scripts["turned"].run()
            self.scripts["position"].run()
            for reference, angle, Phi in self._driven:
                numbers[reference] = numbers[angle] - numbers[Phi]
        self.scripts["turned"].run()
        for old, new, n in [*self._references, *(self._phases if phases else [])]:
            numbers[old : old + n] = numbers[new : new + n]

    # -- questions -----------------------------------------------------------------------------------------------------
    def Phi(self, q: Any, t: float = 0.0) -> np.ndarray:
        """Position equations, zero where they hold."""
        self._set(q, None, t)
        self.scripts["position"].run()
        return self.arena.view(self._Phi, self.rows).copy()

    def Phi_v(self, q: Any, t: float = 0.0) -> Any:
        """Their derivative by displacements (dr, virtual rotation), sparse."""
        self._set(q, None, t)
        self.scripts["position"].run()
        return self.assembled.J()

    def nu(self, q: Any, t: float = 0.0) -> np.ndarray:
        """-Phi_t."""
        self._set(q, None, t)
        self.scripts["velocity"].run()
        return self.arena.view(self._nu, self.rows).copy()

    def terms(self, q: Any, v: Any, t: float = 0.0) -> tuple[Any, Any, np.ndarray, np.ndarray]:
        """M and J (sparse), Q - h, gamma."""
        self._set(q, v, t)
        self.scripts["elements"].run()
        right = self.assembled.right()
        return self.assembled.M(), self.assembled.J(), right[: self.nv], right[self.nv :]

    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray, float]:
        """vdot, lam, and a measure: the smallest pivot relative to what it was made of.

        Below `DOUBTFUL` rows depend on each other or a body has no inertia: the answer is then from sparse LU with pivoting
        (`Assembled.solve`). M vdot + J^T lam = Q - h.
        """
        self._set(q, v, t)
        for name in ("elements", "factor", "back"):
            self.scripts[name].run()
        x = self.arena.view(self.ldl.x[0], self.nv + self.rows).copy()
        measure = self.ldl.worst
        if measure < DOUBTFUL:
            self.scripts["elements"].run()
            x, _ = self.assembled.solve()
        return x[: self.nv], x[self.nv :], measure

    # -- back onto the constraints -------------------------------------------------------------------------------------
    def nearest(self, q: Any, t: float, f: Any, gamma: Any) -> tuple[np.ndarray, np.ndarray]:
        """x and mu of M x + J^T mu = f, J x = gamma at q: the least change in the sense of kinetic energy if f = 0."""
        self._set(q, None, t)
        self.scripts["elements"].run()
        self.assembled.set_right(f, gamma)
        for name in ("factor", "back"):
            self.scripts[name].run()
        x = self.arena.view(self.ldl.x[0], self.nv + self.rows).copy()
        if self.ldl.worst < DOUBTFUL:
            self.scripts["elements"].run()
            self.assembled.set_right(f, gamma)
            x, _ = self.assembled.solve()
        return x[: self.nv], x[self.nv :]

    def project_position(self, q: Any, t: float = 0.0, tolerance: float = 1e-12, most: int = 20) -> tuple[np.ndarray, int]:
        """q moved until |Phi| <= tolerance, by Newton's method; and how many steps it took. At most `most`."""
        q = np.array(q, dtype=float)
        for step in range(most):
            Phi = self.Phi(q, t)
            if np.abs(Phi).max(initial=0.0) <= tolerance:
                return q, step
            q = self.retract(q, self.nearest(q, t, 0.0, -Phi)[0])
        return q, most

    def project_velocity(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """v changed so that J v = nu."""
        v = np.asarray(v, dtype=float)
        gap = self.nu(q, t) - self.Phi_v(q, t) @ v
        return np.asarray(v + self.nearest(q, t, 0.0, gap)[0])

    @cached_property
    def _retract(self) -> Function:
        one = self.masses[0].coordinates
        d = one.displacement_symbols()
        return Function("retract", {"q": one.q, "d": d}, {"q": one.retracted(d)})

    def retract(self, q: Any, d: Any) -> np.ndarray:
        """q displaced by d, body by body."""
        count = len(self.bodies)
        bodies, moves = (np.asarray(x, dtype=float).reshape(count, -1).T for x in (q, d))
        (new,) = self._retract.batch(bodies, moves, threads=1)
        return np.ascontiguousarray(new.T).ravel()

    # -- for integrators -----------------------------------------------------------------------------------------------
    @cached_property
    def code(self) -> Bound:
        """[t, y] -> ydot and the measure, y = (q, v), as machine code for integrators; they must watch the measure."""
        whole = Script(self.arena)
        for name in ("rates", "elements", "factor", "back"):
            whole.extend(self.scripts[name])
        n = self.nq + self.nv
        numbers = self.arena.numbers
        turning = 1 if self.model.dimension == 3 else 0
        fixed = [
            n,
            self.nq,
            turning,
            len(self.sizes),
            numbers,
            self._t,
            self._y,
            self._ydot,
            self.ldl.growth,
            *whole.arguments,
        ]
        return Bound(_motion, fixed, {"t": (1,), "y": (n,)}, {"ydot": (n,), "measure": (1,)})


@native
def _motion(
    ins: Pointers, outs: Pointers, n: i64, nq: i64, turning: i64, blocks: i64, numbers: Array, t: i64, y: i64, ydot: i64,
    growth: i64, count: i64, codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    given = ins[1]
    result = outs[0]
    numbers[t] = ins[0][0]
    for i in range(n):
        numbers[y + i] = given[i]
    play(count, codes, in_at, out_at, in_table, out_table)
    if turning == 0:
        for i in range(nq):
            numbers[ydot + i] = given[nq + i]
    for i in range(n):
        result[i] = numbers[ydot + i]
    outs[1][0] = least(blocks, numbers[growth:])
