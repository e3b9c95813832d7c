"""The functions of a machine that integrators need: y' = f(t, y), the projection onto the constraints, events, residuals.

The state is y = (q, v, turns, work): coordinates, velocities, the references of multi-turn angles (they follow their angles,
so that turns are counted), and the work of all forces that have no potential. All functions take (t, y, b, calls, flags,
gains): constants, the values of laws that cannot be traced, flags of switched laws, Baumgarte's alpha and beta followed by
the regularisation of rows and by the marks of dependent displacements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import CLOCK
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Same, Scalar, Sparse, free_symbols, jacobian, operations, substitute, symbol, symbols
from linkwright.model import TIME
from linkwright.system.formulations import NewtonEuler, traced_formulation
from linkwright.system.friction import generalised, on_displacements, settled, under
from linkwright.system.kane import Kane
from linkwright.system.mechanics import Mechanics
from linkwright.system.saddle import Saddle, eased, of_marked
from linkwright.system.switches import Flags, distinct, found

MOST_EVENTS = 16  # sets of watched quantities whose functions are kept


class Flow:
    """The motion of a machine held by the given rows, which must be independent (or regularised)."""

    def __init__(
        self, system: Mechanics, rows: Sequence[int], formulation: str = "newton-euler", stabilised: bool = False,
        settling: bool = False, compliant: bool = False, partitioned: bool = False,
    ) -> None:  # fmt: skip
        """`settling`: time stands still at gains[0], and a drag gains[1] M v slows the machine down. `compliant`: the
        rows may be dependent and are regularised, see `saddle` and `eased`; by how much is an input. `partitioned`: a
        projection changes only displacements that an input marks by 1 among zeros, as many as rows (generalised coordinate
        partitioning, Haug 7.3.2); by default all of them."""
        self.system, self.rows, self.stabilised, self.settling = system, [int(k) for k in rows], stabilised, settling
        self.of_kane = formulation == "kane"
        self.dependent = symbols("dependent", system.nv if partitioned and self.rows else 0)
        self.compliances = symbols("compliance", 3 * len(self.rows) if compliant else 0)
        eased_compliances = eased(list(self.compliances), [system.residuals[k] for k in self.rows]) if compliant else []
        self.form: NewtonEuler = traced_formulation(system, formulation, self.rows, eased_compliances)
        in_time = [s for s in found("motion", system.gamma) if _of_time(s.g)]
        # a machine that settles may be smeared: it needs no flags, conditions are what they are
        self.flags = Flags([] if settling else distinct([*system.switches, *in_time]))
        self._events: dict[Same, Function] = {}

    # -- inputs ----------------------------------------------------------------------------------------------------------
    @cached_property
    def y(self) -> np.ndarray:
        x = self.system.inputs
        return np.concatenate([x["q"], x["v"], x["turns"], np.array([symbol("work")], dtype=object)])

    @cached_property
    def gains(self) -> np.ndarray:
        return symbols("gain", 2 if self.stabilised or self.settling else 0)

    @cached_property
    def inputs(self) -> dict[str, np.ndarray]:
        x = self.system.inputs
        return {
            "t": x["t"], "y": self.y, "b": x["b"], "calls": self.system.calls, "flags": self.flags.symbols,
            "gains": np.concatenate([self.gains, self.compliances, self.dependent]),
        }  # fmt: skip

    def function(self, name: str, often: bool | None = None, **outputs: Sequence[Scalar]) -> Function:
        return self._function(name, self.inputs, outputs, often)

    def _function(
        self, name: str, inputs: dict[str, np.ndarray], outputs: Mapping[str, Sequence[Scalar]], often: bool | None = None
    ) -> Function:
        results = {k: self._in_state(v) for k, v in outputs.items()}
        return Function(f"{self.system.model.name}: {name}", inputs, results, often=often)

    def _in_state(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Expressions of the machine as functions of the inputs."""
        found = self.flags.inserted(values)
        return substitute(found, {TIME: self.gains[0]}) if self.settling else found

    # -- equations -------------------------------------------------------------------------------------------------------
    @cached_property
    def saddle(self) -> Saddle | Kane:
        return self.form.saddle()

    @cached_property
    def loops(self) -> list[int]:
        """The rows that are solved for: of a tree's joints there are none among them."""
        if self.of_kane and isinstance(self.saddle, Kane):  # of others nothing has to be traced to know them
            return self.saddle.loop_rows
        return self.rows

    @cached_property
    def _rates(self) -> list[Scalar]:
        """d/dt of the position equations: Phi_v v + Phi_t."""
        return self.system.row_rates(self.rows)

    @cached_property
    def _gamma(self) -> list[Scalar]:
        gamma = list(self.saddle.gamma)
        return [*self._stabilised(gamma[: len(self.rows)]), *gamma[len(self.rows) :]]

    @property
    def held_gamma(self) -> list[Scalar]:
        """The right-hand side of Phi_v vdot = gamma, whatever the unknowns of the formulation are."""
        return self._stabilised([self.system.gamma[k] for k in self.rows])

    def _stabilised(self, gamma: list[Scalar]) -> list[Scalar]:
        """The right-hand side with -2 alpha Phi' - beta^2 Phi where stabilised (Haug 7.3.8)."""
        if not self.stabilised:
            return gamma
        alpha, beta = self.gains
        held = [self.system.residuals[k] for k in self.rows]
        return [g - 2 * alpha * r - beta * beta * x for g, r, x in zip(gamma, self._rates, held, strict=True)]

    @cached_property
    def solution(self) -> tuple[list[Scalar], list[Scalar]]:
        """(vdot, lam of the rows)."""
        s, Q = self.system, self.applied
        if self.settling:
            for (i, j), x in s.inertia.M.entries.items():
                Q[i] = Q[i] - self.gains[1] * x * s.coordinates.v[j]
        a, lam = self.saddle.solve(self.form.force(Q), self._gamma if self.stabilised else None)
        if s.frictions:
            a, lam = settled(s, self.form, self.saddle, a, lam, self.rows)
        return self.form.vdot(a), self.form.lam(lam)

    @property
    def applied(self) -> list[Scalar]:
        """Applied forces less the velocity terms, Q - h."""
        return [q - h for q, h in zip(self.system.loads.Q, self.system.inertia.h, strict=True)]

    @cached_property
    def operations(self) -> int:
        """The operations of one evaluation of the accelerations."""
        return operations(self.solution[0])

    @cached_property
    def power(self) -> Scalar:
        """The power of forces without potential, of friction, and of the drivers: -lam . nu (from M vdot + Phi_v^T lam =
        Q)."""
        return self.power_of(self.solution[1])

    def power_of(self, lam: Sequence[Scalar]) -> Scalar:
        """The power with these multipliers of the rows."""
        return self._power(dict(zip(self.rows, lam, strict=True)))

    def _power(self, lam: Mapping[int, Scalar]) -> Scalar:
        """The power with multipliers by row: zero for those that are left out."""
        s = self.system
        total: Scalar = s.loads.power
        for row, x in lam.items():
            total = total - x * s.nu[row]
        if s.frictions:
            for k, Q in generalised(s.frictions, under(s, lam)).items():
                total = total + Q * s.coordinates.v[k]
        return total

    @cached_property
    def motion(self) -> Function:
        """y', lam of the rows, health (see `saddle`)."""
        vdot, lam = self.solution
        ydot = [*self._moving(vdot), *self._turning, self.power]
        return self.function("motion", True, ydot=ydot, lam=lam, health=[self.saddle.health]).unless_long()

    @cached_property
    def rates_at(self) -> Function:
        """y' but for the work, at accelerations that are given: one more input, `vdot`."""
        vdot = self.system.vdot
        rates = [*self._moving(list(vdot)), *self._turning]
        return self._function("rates", {**self.inputs, "vdot": vdot}, {"rates": rates})

    @cached_property
    def forms(self) -> Function:
        """What laws and motions decide, in the form they have: Q without friction, gamma, nu, Phi, the power. Asked with the
        inputs of `Mechanics.terms` and the flags."""
        s, put = self.system, self.flags.inserted
        outputs = {"Q": s.loads.Q, "gamma": s.gamma, "nu": s.nu, "Phi": s.residuals, "power": [s.loads.power]}
        formed = {name: put(values) for name, values in outputs.items()}
        return s.load_function("forms of laws", formed, flags=self.flags.symbols)

    @cached_property
    def friction(self) -> Function:
        """Generalised forces of friction under the multipliers `lam`, likewise."""
        s = self.system
        Q = self.flags.inserted(on_displacements(s, s.frictions))
        return s.load_function("forms of friction", {"Q": Q}, flags=self.flags.symbols, lam=s.lam)

    @property
    def _turning(self) -> list[Scalar]:
        """The rates of multi-turn angles."""
        return self.system.rates([angle for _, angle in self.system.geometry.turns.values()])

    def _moving(self, vdot: list[Scalar]) -> list[Scalar]:
        """The rates of coordinates and velocities."""
        c = self.system.coordinates
        return [*[c.rates[x] for x in c.q], *vdot]

    # -- projection --------------------------------------------------------------------------------------------------------
    @property
    def _held_and_rates(self) -> tuple[list[Scalar], list[Scalar]]:
        """The rows and their rates with flags for conditions, to be asked elsewhere than at the state: conditions of other
        coordinates are others, and would not be found any more."""
        both = self.flags.inserted([*[self.system.residuals[k] for k in self.rows], *self._rates])
        return both[: len(self.rows)], both[len(self.rows) :]

    @cached_property
    def projection(self) -> Function:
        """y brought back to Phi = 0 and Phi_v v = nu by the least displacement in the metric of the mass matrix.

        Newton's method with the factors at the given y: two steps for positions, two for velocities. A step leaves the
        square of the error before, which is what a step of an integrator makes.
        """
        return self._projection("projection", 2)

    @cached_property
    def short_projection(self) -> Function:
        """The projection with one step each, for errors whose square is next to nothing."""
        return self._projection("short projection", 1)

    def _projection(self, name: str, iterations: int) -> Function:
        s = self.system
        zero: list[Scalar] = [0.0] * self.saddle.n
        c = s.coordinates
        held, rates = self._held_and_rates
        step = s.inputs["d"]
        moved = list(c.retracted(step))
        q = list(c.q)
        for _ in range(iterations):
            at = dict(zip(c.q, q, strict=True))
            d = self._least([-x for x in substitute(held, at)], zero)
            q = substitute(moved, {**at, **dict(zip(step, d, strict=True))})
        at = dict(zip(c.q, q, strict=True))
        v = list(c.v)
        for _ in range(iterations):
            values = {**at, **dict(zip(c.v, v, strict=True))}
            w = self._least([-x for x in substitute(rates, values)], zero)
            v = [x + y for x, y in zip(v, w, strict=True)]
        turns = substitute([angle for _, angle in s.geometry.turns.values()], at)
        return self.function(name, False, y=[*q, *v, *turns, self.y[-1]])  # once a step

    def _least(self, right: list[Scalar], zero: list[Scalar]) -> list[Scalar]:
        """The displacement of least kinetic energy with Phi_v d = right; that of the dependent ones alone in a partition."""
        if len(self.dependent):
            return self._partition.solve([0.0] * len(self.dependent), right)[0]
        more = [0.0] * (len(self.saddle.gamma) - len(right))  # normalisations of Euler parameters hold as they are
        return self.form.vdot(self.saddle.solve(zero, [*right, *more])[0])

    @cached_property
    def _partition(self) -> Saddle:
        """Phi_u d = right: the least displacement of those marked, of which there is but one."""
        J = self.system.Phi_v.of_rows(self.rows).entries
        return of_marked(J, list(self.dependent), len(self.rows))

    @cached_property
    def errors(self) -> Function:
        """Phi of the rows, and its rate."""
        return self.function("errors", Phi=[self.system.residuals[k] for k in self.rows], rate=self._rates)

    # -- events ------------------------------------------------------------------------------------------------------------
    def events(self, quantities: Sequence[Scalar]) -> Function:
        """The given quantities, then the functions of switches; made once for the same ones."""
        key = Same(quantities)
        if key not in self._events:
            while len(self._events) >= MOST_EVENTS:
                del self._events[next(iter(self._events))]
            with CLOCK.on("tracing"):
                self._events[key] = self.function("events", False, g=[*self.watched(quantities), *self.flags.g])
        return self._events[key]

    def watched(self, quantities: Sequence[Scalar]) -> list[Scalar]:
        """Quantities and outputs (see `Mechanics.told`) as functions of the state."""
        values = self.system.told(quantities)
        return substitute(values, self.response) if follows_from_forces(self.system, values) else values

    @property
    def response(self) -> dict[Expr, Scalar]:
        """Accelerations and multipliers of all rows: zero for those that are left out."""
        vdot, lam = self.solution
        s = self.system
        held = {s.lam[row]: x for row, x in zip(self.rows, lam, strict=True)}
        return {**dict(zip(s.vdot, vdot, strict=True)), **dict.fromkeys(s.lam, 0.0), **held}

    def events_at(self, quantities: Sequence[Scalar]) -> Function:
        """The functions of `events` at accelerations and multipliers that are given: two more inputs, `vdot` and `lam`."""
        s = self.system
        g = [*s.told(quantities), *self.flags.g]
        return self._function("events", {**self.inputs, "vdot": s.vdot, "lam": s.lam}, {"g": g})


class Residuals:
    """The residuals of methods that solve for accelerations and multipliers at once: state (q, v, z, vdot, z', lam) with the
    machine's states z, inputs (t, y, d, b, turns, calls, flags). States among the turns, and what d has for states, are not
    looked at."""

    def __init__(self, flow: Flow) -> None:
        self.flow, self.system, self.rows = flow, flow.system, flow.rows
        self.vdot = symbols("vdot", self.system.nv)
        self.lam = symbols("multiplier", len(self.rows))
        x, rates = self.system.inputs, self.system.geometry.state_rates
        self.z, self.zdot = np.array(list(rates), dtype=object), symbols("rate of state", len(rates))
        self.nu = self.system.nv + len(rates)  # velocities and states
        turns = [symbol(f"not asked {k}") if s in rates else s for k, s in enumerate(x["turns"])]
        self.inputs = {
            "t": x["t"], "y": np.concatenate([x["q"], x["v"], self.z, self.vdot, self.zdot, self.lam]),
            "d": np.concatenate([x["d"], symbols("d of state", len(rates))]), "b": x["b"],
            "turns": np.array(turns, dtype=object), "calls": self.system.calls, "flags": flow.flags.symbols,
        }  # fmt: skip

    @cached_property
    def _J(self) -> Sparse:
        return Sparse((len(self.rows), self.nu), self.system.Phi_v.of_rows(self.rows).entries)

    @cached_property
    def forces(self) -> list[Scalar]:
        """M vdot + h + Phi_v^T lam - Q."""
        s = self.system
        out = [h - q for h, q in zip(s.inertia.h, s.loads.Q, strict=True)]
        s.inertia.M.add_times(self.vdot, out)
        self._J.add_transposed_times(self.lam, out)
        if s.frictions:
            for k, Q in generalised(s.frictions, under(s, dict(zip(self.rows, self.lam, strict=True)))).items():
                out[k] = out[k] - Q
        return self.flow.flags.inserted(out)

    @cached_property
    def _R(self) -> list[Scalar]:
        """The forces, then z' less the rates of states."""
        rates = self.system.geometry.state_rates.values()
        return [*self.forces, *self.flow.flags.inserted([x - rate for x, rate in zip(self.zdot, rates, strict=True)])]

    def _function(self, name: str, **outputs: Sequence[Scalar]) -> Function:
        return Function(f"{self.system.model.name}: {name}", self.inputs, dict(outputs))

    @cached_property
    def residual(self) -> Function:
        held, put = [self.system.residuals[k] for k in self.rows], self.flow.flags.inserted
        return self._function("residual", R=self._R, Phi=put(held), rate=put(self.system.row_rates(self.rows)))

    @cached_property
    def matrices(self) -> Function:
        s, shape = self.system, (self.nu, self.nu)
        M = {**s.inertia.M.entries, **{(k, k): 1.0 for k in range(s.nv, self.nu)}}
        C = jacobian(self._R, [*s.coordinates.v, *self.z])
        return self._function(
            "matrices", M=list(Sparse(shape, M).dense().reshape(-1)), C=list(C.dense().reshape(-1)),
            K=list(Sparse(shape, s.coordinates.jacobian(self._R).entries).dense().reshape(-1)),
            Phi_v=self.flow.flags.inserted(list(self._J.dense().reshape(-1))),
        )  # fmt: skip

    def events(self, quantities: Sequence[Scalar], flow: Flow) -> Function:
        """The functions of `Flow.events`; what follows from forces is as the flow has it."""
        return self._function("events", g=[*self.flow.flags.inserted(flow.watched(quantities)), *self.flow.flags.g])

    @cached_property
    def retract(self) -> Function:
        return self._function("retract", q=list(self.system.coordinates.retracted(self.system.inputs["d"])))


def follows_from_forces(system: Mechanics, values: Sequence[Scalar]) -> bool:
    """Whether expressions hold accelerations, multipliers, or laws that cannot be traced."""
    used = {s.data for s in free_symbols(values)}
    return any(s.data in used for s in (*system.vdot, *system.lam, *system.calls))


def _of_time(g: Scalar) -> bool:
    return all(x is TIME or x.data.startswith("parameter:") for x in free_symbols([g]))
