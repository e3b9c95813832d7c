"""Named channels from coordinates over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from linkwright import size_policy
from linkwright.analyses.machine.joint_rates import JointRates, rate_places
from linkwright.analyses.machine.machine import Machine
from linkwright.compile import Function
from linkwright.compile.rows import at_each
from linkwright.errors import ModelError
from linkwright.graph import Expr, Same, Scalar, free_symbols, symbols
from linkwright.model import TIME, Element, Model
from linkwright.model.quantities import ACCELERATIONS as ACCELERATIONS
from linkwright.model.quantities import POSITIONS, VELOCITIES, JointCoordinate, short
from linkwright.results import Audit, Configuration
from linkwright.results.channels import Evaluate
from linkwright.system.patient import PatientFunction
from linkwright.system.shaped import ShapedSystem


def body_channels(machine: Machine, q: np.ndarray, v: np.ndarray | None, a: np.ndarray | None) -> dict[str, np.ndarray]:
    """Coordinates, velocities and accelerations of every body; arrays have a row a time."""
    n = machine.model.dimension
    out: dict[str, np.ndarray] = {}
    for name, (at_q, at_v) in machine.system.coordinates.body_slices().items():
        out.update(_columns(name, POSITIONS[n], q[:, at_q]))
        if v is not None:
            out.update(_columns(name, VELOCITIES[n], v[:, at_v]))
        if a is not None:
            out.update(_columns(name, ACCELERATIONS[n], a[:, at_v]))
    c = machine.system.coordinates
    for values, names in ((q, c.q_names), (v, c.v_names)):  # of contacts on curves: a run that goes on needs the rates, too
        if values is not None:
            out.update({names[k]: values[:, k] for k in range(len(names) - len(c.extra), len(names))})
    return out


Layout = dict[str, tuple[str, int | None]]


def body_layout(machine: Machine) -> Layout:
    """The places of `body_channels`, in their order: in q, v or a, and in which column."""
    n, c, out = machine.model.dimension, machine.system.coordinates, Layout()
    for name, (at_q, at_v) in c.body_slices().items():
        for group, channels, at in (("q", POSITIONS[n], at_q), ("v", VELOCITIES[n], at_v), ("a", ACCELERATIONS[n], at_v)):
            out.update({f"{name}.{channel}": (group, at.start + k) for k, channel in enumerate(channels)})
    for group, names in (("q", c.q_names), ("v", c.v_names)):
        out.update({names[k]: (group, k) for k in range(len(names) - len(c.extra), len(names))})
    return out


def joint_coordinates(machine: Machine) -> list[tuple[Element, str]]:
    """The coordinates of all joints."""
    return [(e, c) for e in machine.elements for c in e.channels if c.startswith(("angle", "displacement"))]


def joint_names(machine: Machine) -> list[str]:
    return [f"{e.name}.{c}" for e, c in joint_coordinates(machine)]


def _columns(body: str, channels: tuple[str, ...], values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{body}.{c}": values[:, k] for k, c in enumerate(channels)}


@dataclass(frozen=True)
class Output:
    """Values of expressions. rates: which of v and vdot the function takes; late: angles that were not followed."""

    function: Function | PatientFunction
    rates: tuple[str, ...]
    late: int


class Motion:
    """The state over time, from which any quantity can be had: rows are times."""

    def __init__(
        self, machine: Machine, t: np.ndarray, q: np.ndarray, turns: np.ndarray,
        v: np.ndarray | None = None, a: np.ndarray | Callable[[], np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        """a: accelerations, or what gives them when they are needed."""
        self.machine, self.t, self.q, self.turns, self.v, self._a = machine, t, q, turns, v, a

    @property
    def a(self) -> np.ndarray | None:
        return self._a() if callable(self._a) else self._a

    @property
    def orders(self) -> int:
        """How often quantities can be differentiated."""
        return 0 if self.v is None else 1 if self._a is None else 2

    def evaluate(self, values: list[Scalar]) -> np.ndarray:
        """Expressions of quantities, one row each."""
        return self._of(self.machine.output(values, lambda: self._output(self.machine.resolve(values)), len(self.t) == 1))

    def rates(self, values: list[Scalar], times: int = 1) -> np.ndarray:
        """Their first or second derivatives by time."""
        system = self.machine.system
        vdot = symbols("vdot", system.nv)
        resolved = self.machine.resolve(values)
        for _ in range(times):
            resolved = system.rates(resolved, list(vdot))
        return self._of(self._output(resolved))

    def _output(self, roots: list[Scalar]) -> Output:
        """The function of these expressions of the system."""
        system = self.machine.system.whole
        turned = self.machine.asked.turns.values()
        references, late = [r for r, _ in turned], [angle for _, angle in turned][self.turns.shape[1] :]
        used = {s.data for s in free_symbols([*roots, *late])}
        rates = {"v": system.inputs["v"], "vdot": symbols("vdot", system.nv)}
        rates = {name: own for name, own in rates.items() if any(x.data in used for x in own)}
        inputs = {"q": system.inputs["q"], "t": system.inputs["t"], "b": system.inputs["b"]}
        inputs |= {"turns": np.array(references, dtype=object), **rates}
        kind = PatientFunction if len(self.t) == 1 else Function  # numpy has one configuration before anything is compiled
        function = system.once(
            "outputs", (kind, Same(roots), Same(late)),
            lambda: kind(f"{self.machine.model.name}: outputs", inputs, {"y": roots, "late": late}),
        )  # fmt: skip
        return Output(function, tuple(rates), len(late))

    def _of(self, output: Output) -> np.ndarray:
        """A row for each expression."""
        if not output.late:
            return self._at(output, self.turns)[0]
        # nobody followed these angles while the machine moved: from time to time they change by less than half a turn
        turns = np.hstack([self.turns, np.zeros((len(self.t), output.late))])
        turns[:, self.turns.shape[1] :] = np.unwrap(self._at(output, turns)[1], axis=1).T
        return self._at(output, turns)[0]

    def _at(self, output: Output, turns: np.ndarray) -> tuple[np.ndarray, ...]:
        count, rates = len(self.t), [self.v if name == "v" else self.a for name in output.rates]
        more = [np.zeros((count, self.machine.nv)) if x is None else x for x in rates]
        if type(output.function) is Function and count <= size_policy.SINGLE_CALLS:
            y, angles = at_each(output.function, [self.q, self.t, self.machine.b, turns, *more])
            return y.T, angles.T
        args = [self.q, self.t[:, None], np.tile(self.machine.b, (count, 1)), turns, *more]
        found: tuple[np.ndarray, ...] = output.function.batch(*[np.ascontiguousarray(np.asarray(a).T) for a in args])
        return found

    def joint_channels(self) -> dict[str, np.ndarray]:
        """The coordinates of all joints."""
        model, system = self.machine.model, self.machine.system
        if isinstance(system, ShapedSystem):
            return self._by_shapes(system)
        found = [model.quantity(JointCoordinate(e.name, c)) for e, c in joint_coordinates(self.machine)]
        return dict(zip(joint_names(self.machine), self.evaluate(list(found)), strict=True)) if found else {}

    def _by_shapes(self, system: ShapedSystem) -> dict[str, np.ndarray]:
        every, names = np.empty((len(self.t), 0)), list[str]()
        for k, (t, q, turns) in enumerate(zip(self.t, self.q, self.turns, strict=True)):
            still = np.zeros(self.machine.nv)
            names, values, _ = system.joint_coordinates(q, still, np.array([t]), self.machine.b, turns, still)
            every = np.empty((len(self.t), len(names))) if k == 0 else every
            every[k] = values
        return dict(zip(names, every.T, strict=True))

    def evaluator(self) -> Evaluate:
        """For results: any quantity on request."""
        return evaluator(self.machine.model, lambda: self)

    def rates_of_joints(self, channels: Mapping[str, np.ndarray]) -> JointRates | None:
        """For results: speeds and accelerations of joints, where those of bodies are known."""
        if not self.orders:
            return None
        places = self.machine.made(("rates", self.orders), lambda: rate_places(self.machine.elements, self.orders))
        return JointRates(self.machine.model, self.t, channels, places, self.machine.constants)


def evaluator(model: Model, motion: Callable[[], Motion]) -> Evaluate:
    """A function for results that evaluates any quantity on request."""

    def evaluate(asked: Expr | str) -> np.ndarray:
        found = motion()
        known = found.machine.readable.get(id(asked))
        if known is None or known[0] is not asked:
            quantity = model.trace(asked, {"t": TIME})
            known = asked, quantity, model.order(quantity), model.states_in(quantity)
            found.machine.remember(known)
        _, quantity, order, states = known
        if order > found.orders:
            raise ModelError(
                f"{short(quantity)} needs {'velocities' if order == 1 else 'accelerations'}, not computed by this analysis",
                remedy="lw.kinematics and lw.dynamics give them",
            )
        if still := [name for name in states if name not in found.machine.system.turn_names]:
            raise ModelError(
                f"the state {still[0]!r} has no value here: it moves with the forces", element=still[0],
                remedy="lw.dynamics and lw.equilibrium give it",
            )  # fmt: skip
        values: np.ndarray = found.evaluate([quantity])[0]
        return values

    return evaluate


def configuration(machine: Machine, q: np.ndarray, t: float, analysis: str) -> Configuration:
    """One configuration as channels."""
    motion = Motion(machine, np.array([t]), q[None], machine.turns[None])
    channels = {**body_channels(machine, q[None], None, None), **motion.joint_channels()}
    Phi, _ = machine.rows_at(q, t)
    error = float(np.abs(Phi[machine.active]).max(initial=0.0))
    audit = Audit(analysis=analysis, method="nearest to the estimates", points=1, position_error=error)
    return Configuration(machine.model.name, t, channels, audit, q, motion.evaluator(), source=machine.model)
