"""A large machine as `LoadedMachine` is a small one: positions by shapes of elements, accelerations in loops over them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics.looped.outputs import Energies
from linkwright.analyses.machine.contact_space import Felt
from linkwright.analyses.machine.machine import reader
from linkwright.analyses.machine.moving import MovingMachine, Response, Solution
from linkwright.model import Model
from linkwright.regularisation import own_compliances
from linkwright.system.bushings import SEAM, seams
from linkwright.system.held import Mode
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.groups import follows_from_multipliers
from linkwright.system.looped.over_states import responses
from linkwright.system.slots import Slot


class LoopedMachine(MovingMachine):
    """`looped`: its equations of motion. States have the references of all that follows an angle, one for each element:
    `turns` are those of the position equations among them. `mode`: in which it answers; its rows are then those of the
    machine, and those that hold in the mode."""

    def __init__(self, model: Model, t: float, looped: LoopedSystem) -> None:
        super().__init__(model, t, by_shapes=True)
        self.looped, self._first, self.mode = looped, self, looped.at.modes.none()
        self._made: dict[object, Any] = {}  # one for all of them

    def using(self, looped: LoopedSystem) -> LoopedMachine:
        """The same with other equations of motion of the same states."""
        out = copy(self)
        out.looped = looped
        out.__dict__.pop("energies", None)
        return out

    def shares(self, other: MovingMachine) -> bool:
        """Whether both have the same equations of motion."""
        return isinstance(other, LoopedMachine) and other.looped is self.looped

    def stands(self, q: np.ndarray, look: Callable[[], bool]) -> bool:
        """Whether the ground holds the machine at a configuration; all machines with these numbers share the answer."""
        return super().stands(q, look) if self._first is self else self._first.stands(q, look)

    def tell(self, found: Start, start: Any) -> None:
        """Tell the loops where the machine begins: what was decided on the way, turns and phases."""
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
        """The references of the position equations that states have, by number, and their places in states."""
        at = self.looped.at.turn_places
        own = [(k, at[name]) for k, name in enumerate(self.system.turn_names) if name in at]
        mine, places = np.array(own, dtype=np.int64).reshape(-1, 2).T
        return mine, places

    def take(self, turns: np.ndarray) -> None:
        """Take the references of angles from a state."""
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

    def _placed(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and v of a state, whose references of angles the loops have from here on."""
        q, v, self.looped.turns[:] = self.split(y)
        return q, v

    # -- equations of motion -------------------------------------------------------------------------------------------
    @cached_property
    def _held(self) -> np.ndarray:
        """The rows of this machine, by number among all rows of the loops."""
        return np.array([*range(self.own_rows), *self.looped.at.modes.rows(self.mode)], dtype=np.int64)

    @property
    def own_rows(self) -> int:
        return self.looped.at.own_rows

    def masses_and_rows(self, t: float, y: np.ndarray) -> tuple[Any, Any, np.ndarray]:
        q, v = self._placed(y)
        with self.looped.within(self.mode):
            M, J, *_ = self.looped.terms(q, v, t)
            return M, J[self._held], self.looped.nu(q, t)[self._held]

    def response(self, t: float, y: np.ndarray, f: np.ndarray) -> Response:
        q, _ = self._placed(y)
        with self.looped.within(self.mode):
            w, mu = self.looped.nearest(q, t, f, 0.0)
            return w, mu[self._held], self.looped.nu(q, t)[self._held]

    def solve(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> Solution:
        if turns is not None:
            self.looped.turns[:] = turns
        with self.looped.within(self.mode):
            vdot, lam, _ = self.looped.accelerations(q, v, t)
        return Solution(vdot, lam[self._held], len(self._held), not self.looped.held)

    @property
    def row_elements(self) -> list[str]:
        return [self.looped.at.row_elements[k] for k in self._held]

    @cached_property
    def energies(self) -> Energies:
        return Energies(self.looped)

    def energy(self, t: float, y: np.ndarray) -> float:
        return self.energies(t, y)

    @property
    def impacts(self) -> list[str]:
        return self.looped.at.impacts

    def gaps(self, t: float, y: np.ndarray, vdot: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        q, v = self._placed(y)
        return self.looped.gaps(q, v, t, np.zeros(self.nv) if vdot is None else vdot)

    def holding(self, mode: Mode) -> LoopedMachine:
        out = copy(self)
        out.mode = mode
        out.__dict__.pop("_held", None)
        return out

    # -- friction that sticks ------------------------------------------------------------------------------------------
    @property
    def slots(self) -> list[Slot]:
        return self.looped.at.modes.slots

    def felt(self, every: LoopedMachine, t: float, y: np.ndarray) -> Felt:
        q, v, turns = self.split(y)
        system, modes = self.looped, self.looped.at.modes
        own = self.own_rows
        rows = modes.rows(every.mode)
        with system.within(every.mode):
            system.turns[:] = turns
            system.load(q, v, t)
            J, right = system.assembled.J(), system.assembled.right()
            mass = system.assembled.M().diagonal()
            nu = system.nu(q, t)
        usual = float(np.median(mass[mass > 0])) if (mass > 0).any() else 1.0
        mass = np.where(mass > 0, mass, usual)

        def respond(f: np.ndarray, gamma: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
            columns = f.T if f.ndim > 1 else f[None]
            right = np.zeros((len(columns), system.rows))
            right[:, :own] = 0.0 if gamma is None else gamma
            system.turns[:] = turns
            with system.within(modes.none()):
                found = responses(system, q, t, columns, right).T
            a, lam = found[: system.nv], found[system.nv :][:own]
            return (a, lam) if f.ndim > 1 else (a[:, 0], lam[:, 0])

        G, gamma = J[rows].toarray(), right[system.nv :]
        own_compliance = own_compliances(J[:own], mass)
        return Felt(G, nu[rows], gamma[rows], right[: system.nv], gamma[:own], own_compliance, mass, respond)

    def slot_numbers(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.looped.place(*self._placed(y), t)
        return self.looped.slot_numbers()

    def slot_rows(self, t: float, y: np.ndarray) -> np.ndarray:
        modes, (q, _) = self.looped.at.modes, self._placed(y)
        with self.looped.within(modes.every()):
            J = self.looped.Phi_v(q, t)
        return np.asarray(J[np.concatenate([np.zeros(0, dtype=np.int64), *modes.sticks])].toarray())

    def slot_forces(self, t: float, y: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with self.looped.within(self.mode):
            self.looped.place(*self._placed(y), t)
            return self.looped.slots(self._spread(lam))

    def _spread(self, lam: np.ndarray) -> np.ndarray:
        """The multipliers of all rows of the loops: zero for those that do not hold."""
        out = np.zeros(self.looped.rows)
        out[self._held] = lam
        return out

    def rubs_beside(self, dry: set[str]) -> bool:
        names = (name for g in self.looped.at.groups if follows_from_multipliers(g.element) for name in g.names)
        return any(name not in dry for name in names)

    def smooth_friction(self, t: float, y: np.ndarray, lam: np.ndarray, dry: set[str]) -> np.ndarray:
        modes = self.looped.at.modes
        smooth = tuple(k for k, s in enumerate(modes.slots) if s.element.name not in dry)
        still = Mode(stuck=tuple(k for k in range(len(modes.slots)) if k not in smooth), smooth=smooth)
        with self.looped.within(still):
            self.looped.place(*self._placed(y), t)
            return self.looped.smooth_friction(np.concatenate([lam, np.zeros(self.looped.rows - self.own_rows)]))
