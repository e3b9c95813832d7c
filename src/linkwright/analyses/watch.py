"""Events: quantities watched for zeros, and what is to happen there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.analyses.closure import Closure, weights
from linkwright.analyses.impact import struck
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.errors import LinkwrightError, ModelError
from linkwright.graph import Expr
from linkwright.solve.nearest import nearest

Change = Callable[["Snapshot"], Mapping[str, float] | None]


@dataclass(frozen=True)
class Watch:
    """An event: a quantity that passes zero. direction: 1 rising, -1 falling, 0 both.

    stop: the run ends there. change: a function of the state at the event that returns new values by channel, such as
    ``lambda s: {"ball.vy": -0.8 * s["ball.vy"]}``; the others follow as the joints ask. It may return None: the
    integration starts anew there with the state as it is.
    """

    quantity: Any
    direction: int = 0
    stop: bool = False
    change: Change | None = None
    name: str = ""

    @classmethod
    def of(cls, name: str, given: Any) -> Watch:
        watch = given if isinstance(given, Watch) else cls(given)
        if watch.direction not in (-1, 0, 1):
            raise ModelError(f"direction is {watch.direction!r}", element=name, remedy="1 rising, -1 falling, 0 both")
        return replace(watch, name=name)

    @property
    def terminal(self) -> int:
        """How often it may happen until the integration pauses; 0: it never pauses."""
        return int(self.stop or self.change is not None)

    def traced(self, machine: LoadedMachine) -> Expr:
        quantity = machine.model.trace(self.quantity, {})
        if type(quantity) is not Expr:
            raise ModelError("an event must depend on the machine", element=self.name, remedy="give a quantity")
        return quantity


class Snapshot(Mapping[str, float]):
    """Coordinates and velocities by channel name at time `t`."""

    def __init__(self, machine: LoadedMachine, t: float, q: np.ndarray, v: np.ndarray) -> None:
        c = machine.system.coordinates
        self.t = t
        self._values = dict(zip([*c.q_names, *c.v_names], [*map(float, q), *map(float, v)], strict=True))

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def changed(machine: LoadedMachine, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
    """The state y = (q, v, turns, work) after the change of an event.

    Positions: assembled again with those named. Velocities: those named get their values, by an
    impulse along them; the joints hold, and all else changes as the masses say. The energy that came in counts as work.
    """
    nq, nv = machine.nq, machine.nv
    q, v = y[:nq], y[nq : nq + nv]
    new = _asked(machine, watch, Snapshot(machine, t, q, v))
    if not new:
        return y
    before = machine.terms(q, v, t, y[nq + nv : -1]).energy
    c = machine.system.coordinates
    places = {name: value for name, value in new.items() if name in c.q_names}
    rates = {name: value for name, value in new.items() if name not in places}
    if places:
        q = _moved(machine, watch, t, q, places)
    v = struck(machine, q, v, t, {c.v_names.index(name): value for name, value in rates.items()}, watch.name)
    y = np.concatenate([q, v, machine.turns if places else y[nq + nv : -1], y[-1:]])
    after = machine.terms(q, v, t, y[nq + nv : -1]).energy
    y[-1] += after[0] + after[1] - before[0] - before[1]
    return y


def _asked(machine: LoadedMachine, watch: Watch, state: Snapshot) -> dict[str, float]:
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


def _moved(machine: LoadedMachine, watch: Watch, t: float, q: np.ndarray, places: Mapping[str, float]) -> np.ndarray:
    c = machine.system.coordinates
    wanted = q.copy()
    wanted[[c.q_names.index(name) for name in places]] = list(places.values())
    fixed = {c.q[c.q_names.index(name)]: value for name, value in places.items()}
    found = nearest(Closure(machine, t, fixed), wanted, weights(machine))
    if not found.closed:
        raise ModelError(
            f"the joints do not allow the positions {', '.join(places)} that its change asks for", element=watch.name,
            remedy="ask for fewer positions, or such as agree with the joints",
        )  # fmt: skip
    machine.settle(found.q, t)
    return found.q
