"""Events: quantities watched for zeros, and what is to happen there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from linkwright.analyses.assembly.closure import Closure, weights
from linkwright.analyses.dynamics.contact.impact import struck
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.bounds import shown
from linkwright.calls import Answering
from linkwright.errors import LinkwrightError, ModelError
from linkwright.graph import Expr, free_symbols, symbol
from linkwright.model import TIME, Model
from linkwright.model.given import QuantityLike
from linkwright.model.names import suggestion
from linkwright.model.quantities import Rate
from linkwright.model.tracing import Scope
from linkwright.model.values import about, parameter_name
from linkwright.options import Direction
from linkwright.regularisation import SHARE
from linkwright.solve.nearest import nearest
from linkwright.solve.rank import analyse
from linkwright.system.coordinates import Coordinates
from linkwright.system.mechanics import OUTPUT

Change = Callable[["Snapshot"], Mapping[str, float] | None]


@dataclass(frozen=True)
class Watch(metaclass=Answering):
    """An event of `dynamics`: a quantity passes zero.

    Parameters
    ----------
    quantity : Expr, str or function
        An expression of quantities, a text, or a function of the channels, accelerations and reactions included:
        ``body.x - 0.5``, ``"pin.fy - 10"``, ``lambda s: s["pin.fy"] - 10 * s["bar.omega"]``.
    direction : {0, 1, -1}
        1 rising, -1 falling, 0 both.
    stop : bool
        Whether the run ends there.
    change : function, optional
        Gives new values by channel from the state at the event, such as ``lambda s: {"ball.vy": -0.8 * s["ball.vy"]}``;
        the others follow as the joints require. Where it gives None, the integration is restarted with the same state.
    name : str
        Its name; `dynamics` takes the key of `events`.

    Examples
    --------
    >>> m = lw.PlanarModel("fall", gravity=(0, -10))
    >>> ball = m.body("ball", mass=1.0, inertia=0.1, position=(0, 5))
    >>> d = lw.dynamics(m, t_end=2.0, steps=10, events={"floor": lw.Watch(ball.y, direction=-1, stop=True)})
    >>> [(round(t, 6), name) for t, name in d.events]
    [(1.0, 'floor')]
    """

    quantity: QuantityLike
    direction: Direction = 0
    stop: bool = False
    change: Change | None = None
    name: str = ""

    @classmethod
    def of(cls, name: str, given: Watch | QuantityLike) -> Watch:
        """Give the event of this name.

        Parameters
        ----------
        name : str
            Its name.
        given : Watch, Expr, str or function
            An event, or a quantity.

        Returns
        -------
        Watch
            The event.
        """
        watch = given if isinstance(given, Watch) else cls(given)
        direction: Any = watch.direction  # a user may give anything
        stop: Any = watch.stop
        if not isinstance(direction, Real) or direction not in (-1, 0, 1):
            raise ModelError(f"direction is {shown(direction)}", element=name, remedy="1 rising, -1 falling, 0 both")
        if not isinstance(stop, bool | np.bool_):
            raise ModelError(f"stop is {shown(stop)}", element=name, remedy="True ends the run there, False does not")
        return replace(watch, name=name)

    @property
    def terminal(self) -> int:
        """The number of times it may happen until the integration pauses; 0: it never pauses."""
        return int(self.stop or self.change is not None)

    def asked(self, machine: LoadedMachine) -> Expr:
        """The quantity in terms of quantities of the model and `output_symbols` of its system."""
        return self.of_outputs(machine.model, machine.system.output_symbols)

    def of_outputs(self, model: Model, outputs: Mapping[str, Expr]) -> Expr:
        """The quantity in terms of quantities of the model and the symbols of these outputs, by channel."""
        with about(self.name):
            quantity = self._read(model, outputs)
            _check_rates(model, {s.data for s in outputs.values()}, quantity)
        return quantity

    def traced(self, machine: LoadedMachine) -> Expr:
        """The quantity in terms of coordinates, velocities and `output_symbols` of the system."""
        found = machine.resolve([self.asked(machine)])[0]
        assert type(found) is Expr
        return found

    def of_states(self, model: Model) -> Expr | None:
        """The quantity in terms of quantities of the model, where positions, velocities and time are all it asks for; else
        None."""
        asked = _AnyOutput(model)
        with about(self.name):
            quantity = self._read(model, asked)
            return None if asked.some or model.order(quantity) > 1 else quantity

    def _read(self, model: Model, outputs: Mapping[str, Expr]) -> Expr:
        arguments: Mapping[str, Any] = outputs if isinstance(self.quantity, str) else {"s": Channels(model, outputs)}
        quantity = model.trace(self.quantity, arguments)
        if type(quantity) is not Expr:
            raise ModelError("an event must depend on the machine", remedy="give a quantity")
        return quantity


class _AnyOutput(Mapping[str, Expr]):
    """Stands for the outputs of a model before they are traced: every name that is none of its quantities. `some`: whether
    one was asked for."""

    def __init__(self, model: Model) -> None:
        self._quantities, self.some = set(Scope(model, {}).known()), False

    def __contains__(self, name: object) -> bool:
        return name not in self._quantities

    def __getitem__(self, name: str) -> Expr:
        self.some = True
        return symbol(OUTPUT + name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Channels(Mapping[str, Expr]):
    """The argument of a function that is watched: traced scalars by the names that a result has, and the time `t`."""

    t = TIME

    def __init__(self, model: Model, outputs: Mapping[str, Expr]) -> None:
        self._scope = Scope(model, outputs)

    def __getitem__(self, name: str) -> Expr:
        found = self.find(name)
        if found is None:
            raise ModelError(f"there is no channel {name!r}", remedy=suggestion(name, list(self)))
        return found

    def find(self, name: str) -> Expr | None:
        """The quantity of a channel; None where there is no such channel."""
        try:
            found = self._scope.value(name)
        except KeyError:
            return None
        return found if type(found) is Expr else None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._scope.known() if "." in name)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _check_rates(model: Model, outputs: Collection[str], value: Expr, order: int = 0) -> None:
    """Accelerations have no rates here, nor have reactions."""
    for s in free_symbols([value]):
        if s is TIME or parameter_name(s):
            continue
        found = None if s.data in outputs else model.definition(s)
        if order and (found is None or order + found.order > 2):
            raise ModelError(
                "the rate of an acceleration or of a reaction is not known", remedy="watch what it is the rate of"
            )
        if isinstance(found, Rate):
            _check_rates(model, outputs, found.of, order + 1)


def check_unique(machine: LoadedMachine, watches: Sequence[Watch], q: np.ndarray, t: float) -> None:
    """Refuses events of reactions that are not unique: the rows of some joints are dependent."""
    used = {s.data for s in free_symbols(machine.system.told([w.traced(machine) for w in watches]))}
    if not any(x.data in used for x in machine.system.lam):
        return
    left = np.abs(analyse(machine.Phi_and_J(q, t)[1], machine.scale).left)
    many = (left > SHARE * left.max(initial=1e-300)).any(axis=1)
    for w in watches:
        used = {s.data for s in free_symbols(machine.system.told([w.traced(machine)]))}
        rows = [row for row, x, of_many in zip(machine.system.rows, machine.system.lam, many, strict=True)
                if of_many and x.data in used]  # fmt: skip
        if rows:
            raise not_unique(w, [row.element.name for row in rows])


def not_unique(watch: Watch, elements: Sequence[str]) -> ModelError:
    names = ", ".join(dict.fromkeys(elements))
    return ModelError(
        f"it depends on reactions that are not unique, those of {names}: they hold the same thing twice",
        element=watch.name, remedy="take out what lw.check calls redundant",
    )  # fmt: skip


class Snapshot(Mapping[str, float]):
    """Coordinates, velocities and states by channel name at time `t`."""

    def __init__(
        self, c: Coordinates, t: float, q: np.ndarray, v: np.ndarray, states: Mapping[str, float] | None = None
    ) -> None:
        self.t = t
        self._values = dict(zip([*c.q_names, *c.v_names], [*map(float, q), *map(float, v)], strict=True))
        self._values |= states or {}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def changed(machine: MovingMachine, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
    """The state y = (q, v, turns, work) after the change of an event.

    States: those named get their values. Positions: assembled again with those named. Velocities: those named, too, by an
    impulse along them; the joints hold, and all else changes as the masses say. The energy that came in counts as work.
    """
    c, y = machine.system.coordinates, y.copy()
    q, v, turns = machine.split(y)
    states = {name: k for k, name in enumerate(machine.state_names) if name}
    new = _asked(watch, Snapshot(c, t, q, v, {name: float(turns[k]) for name, k in states.items()}))
    if not new:
        return y
    for name in [name for name in new if name in states]:
        turns[states[name]] = new.pop(name)
    before = machine.energy(t, y)
    number = {name: k for k, name in enumerate(c.q_names)}
    speed = {name: k for k, name in enumerate(c.v_names)}
    places = {number[name]: value for name, value in new.items() if name in number}
    machine.take(turns)
    if places:
        q = _moved(machine, watch, t, q, places)
        turns = machine.state_turns
    y = np.concatenate([q, v, turns, y[-1:]])
    v = struck(machine, y, t, {speed[name]: value for name, value in new.items() if name not in number}, watch.name)
    y[machine.nq : machine.nq + machine.nv] = v
    y[-1] += machine.energy(t, y) - before
    return y


def _asked(watch: Watch, state: Snapshot) -> dict[str, float]:
    assert watch.change is not None
    try:
        given = watch.change(state)
        new = {str(name): float(value) for name, value in (given or {}).items()}
    except LinkwrightError:
        raise
    except Exception as error:
        raise ModelError(
            f"its change raised {type(error).__name__}: {error}", element=watch.name,
            remedy="it takes the state and returns new values by channel name",
        ) from error  # fmt: skip
    for name, value in new.items():
        if name not in state or not np.isfinite(value):
            raise ModelError(
                f"its change sets {name!r} to {value}", element=watch.name,
                remedy=f"finite values of coordinates and velocities: {', '.join(list(state)[:6])}, ...",
            )  # fmt: skip
    return new


def _moved(machine: MovingMachine, watch: Watch, t: float, q: np.ndarray, places: Mapping[int, float]) -> np.ndarray:
    c = machine.system.coordinates
    wanted = q.copy()
    wanted[list(places)] = list(places.values())
    found = nearest(Closure(machine, t, {c.q[k]: value for k, value in places.items()}), wanted, weights(machine))
    if not found.closed:
        raise ModelError(
            f"the joints do not allow the positions {', '.join(c.q_names[k] for k in places)} that its change asks for",
            element=watch.name, remedy="ask for fewer positions, or such as agree with the joints",
        )  # fmt: skip
    machine.settle(found.q, t)
    return found.q
