"""A large machine as `LoadedMachine` is a small one: positions by shapes of elements, accelerations in loops over them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics.looped.outputs import Energies
from linkwright.analyses.machine.machine import reader
from linkwright.analyses.machine.moving import MovingMachine, Response, Solution
from linkwright.errors import LinkwrightError
from linkwright.model import Model
from linkwright.system.bushings import SEAM, seams
from linkwright.system.held import Mode
from linkwright.system.looped import LoopedSystem
from linkwright.words import listed


class RestsInLoopsError(LinkwrightError):
    """The end of a run in loops, as `Run` returns it: contacts stay closed from here on, which whole machines have."""


class LoopedMachine(MovingMachine):
    """`looped`: its equations of motion. States have the references of all that follows an angle, one for each element:
    `turns` are those of the position equations among them."""

    def __init__(self, model: Model, t: float, looped: LoopedSystem) -> None:
        super().__init__(model, t, by_shapes=True)
        self.looped, self._first = looped, self
        self._made: dict[object, Any] = {}  # one for all of them

    def using(self, looped: LoopedSystem) -> LoopedMachine:
        """The same with other equations of motion of the same states."""
        out = copy(self)
        out.looped = looped
        out.__dict__.pop("energies", None)
        return out

    def stands(self, q: np.ndarray, look: Callable[[], bool]) -> bool:
        """All that have its numbers share the answer."""
        return super().stands(q, look) if self._first is self else self._first.stands(q, look)

    def tell(self, found: Start, start: Any) -> None:
        """The loops know where the machine begins: what was decided on the way, turns and phases."""
        read, wound = reader(start), seams(self.model, reader(start))
        known = dict(zip(self.system.turn_names, self.turns.tolist(), strict=True))
        begun = {name: self.model.value(x) for name, x in self.model.states.items()}
        names = self.looped.at.turn_names
        told = ((wound.get if name.endswith(SEAM) else read)(name) for name in names)
        given = [begun.get(name, 0.0) if x is None else x for name, x in zip(names, told, strict=True)]
        self.looped.turns[:] = [known.get(name, x) for name, x in zip(names, given, strict=True)]
        self.looped.settle(found.q, found.t, phases=True, known=self.phases)

    # -- states --------------------------------------------------------------------------------------------------------
    @cached_property
    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the position equations' references those that states have, and where."""
        at = self.looped.at.turn_places
        own = [(k, at[name]) for k, name in enumerate(self.system.turn_names) if name in at]
        mine, places = np.array(own, dtype=np.int64).reshape(-1, 2).T
        return mine, places

    def take(self, turns: np.ndarray) -> None:
        """References as a state has them."""
        self.looped.turns[:] = turns
        mine, places = self._places
        self.turns = self.turns.copy()
        self.turns[mine] = turns[places]

    def settle(self, q: np.ndarray, t: float) -> None:
        super().settle(q, t)
        self.looped.settle(q, t)

    @property
    def state_turns(self) -> np.ndarray:
        return self.looped.turns.copy()

    @property
    def state_names(self) -> list[str]:
        known = self.looped.at.states
        return [name if name in known else "" for name in self.looped.at.turn_names]

    def rates_of_states(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> np.ndarray:
        self.looped.turns[:] = turns
        return self.looped.turning(q, v, t)[list(self.looped.at.states.values())]

    # -- equations of motion -------------------------------------------------------------------------------------------
    def masses_and_rows(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> tuple[Any, Any, np.ndarray]:
        self.looped.turns[:] = turns
        M, J, *_ = self.looped.terms(q, v, t)
        return M, J, self.looped.nu(q, t)

    def response(self, q: np.ndarray, t: float, turns: np.ndarray, f: np.ndarray) -> Response:
        self.looped.turns[:] = turns
        return *self.looped.nearest(q, t, f, 0.0), self.looped.nu(q, t)

    def solve(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> Solution:
        if turns is not None:
            self.looped.turns[:] = turns
        vdot, lam, _ = self.looped.accelerations(q, v, t)
        return Solution(vdot, lam, len(lam), not self.looped.held)

    @property
    def row_elements(self) -> list[str]:
        return list(self.looped.at.row_elements)

    @cached_property
    def energies(self) -> Energies:
        return Energies(self.looped)

    def energy(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> float:
        return self.energies(t, np.concatenate([q, v, turns, [0.0]]))

    @property
    def impacts(self) -> list[str]:
        return self.looped.at.impacts

    def gaps(
        self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray, vdot: np.ndarray | None = None
    ) -> tuple[np.ndarray, ...]:
        self.looped.turns[:] = turns
        return self.looped.gaps(q, v, t, np.zeros(self.nv) if vdot is None else vdot)

    def holding(self, mode: Mode) -> LoopedMachine:
        if not mode.closed:
            return self
        names = list(dict.fromkeys(self.impacts[k] for k in mode.closed))
        raise RestsInLoopsError(f"bodies that come to rest on each other ({listed(names, 5)}): not available in loops")
