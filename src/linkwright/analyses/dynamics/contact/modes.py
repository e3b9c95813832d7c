"""The mode of a run: which contacts press, which slots of dry friction stick or slide, and how that is decided.

It is decided where something happens: at the start, after impacts and changes of the state, where a contact would pull,
where a slot comes to rest or cannot hold any more. Gaps that touch and slots at rest make a small complementarity problem
(`solve.dry_modes`); its answer is the mode until the next event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.contact.impact import Jump, jump
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.contact_space import ContactSpace, mechanism
from linkwright.errors import IntegrationError
from linkwright.graph import Scalar
from linkwright.solve.dry_problem import HELD, Found, Inconsistent, Rubbing, answers, mobility
from linkwright.solve.impulses import Cone
from linkwright.system.held import NO_MODE, Mode

STILL = 1e-10  # speeds of slots below this part of the machine's velocities are none
SLOWEST = 1e-13  # nor are those below this part of the machine's lengths a second: rounding of velocities
STAYS = 1e4  # times that: a slot that sticks is at rest all the same; a change of the state may have moved it
PASSES = 20  # in which slots come to rest because others do
IMMOBILE = 1e-10  # of the compliance it has by itself: a slot with less is moved by drivers alone, or not at all
HELPED = 4  # times that contacts which stick at once share their forces anew: more come to no end
BEGINNING = 3.0  # times the speed of capture: how fast a motion with several speeds begins, so that it has a direction
TIGHT = 1e-9  # by how much of its bound friction may exceed it for rounding
BEYOND = 1e-5  # the same, of forces that are not unique: more is no rounding
PULL = 1e-12  # of the largest reaction: a contact that pulls by less is at zero, but for rounding
CAPTURE = 10.0  # times the tolerance: slower motions with several speeds are not resolved
COARSER, COARSEST = 10.0, 1e4  # times that, step by step, where slots stick and slip without end


class Modes:
    """`events` is the run's list of what happened; `count` counts what sticks and slips."""

    def __init__(
        self, base: Any, events: list[tuple[float, str]], count: dict[str, int] | None = None, atol: float = 0.0
    ) -> None:
        self.base, self.events, self.atol, self.rtol = base, events, atol, 0.0
        self.count = {"sticks": 0, "slips": 0} if count is None else count
        self.machine: Any = base
        self.started, self.helped, self.coarse = False, 0, 1.0
        self.shared: dict[str, None] = {}  # names of slots whose friction is not unique
        self.mode = NO_MODE
        if slots := base.slots:
            n, speeds = len(slots), sum(s.size for s in slots)
            self.mode = Mode(senses=(0.0,) * speeds, anchors=(0.0,) * n, rest=(0.0,) * n, smooth=tuple(range(n)))
            self.machine = base.holding(self.mode)

    @property
    def slots(self) -> int:
        return len(self.base.slots)

    @property
    def touching(self) -> list[int]:
        """Contacts that press, or may."""
        return sorted([*self.mode.closed, *self.mode.idle])

    def watched(self) -> list[Scalar]:
        """Functions that fall through zero where a slot slips or comes to rest."""
        return [self.machine.system.margin(k) for k in range(self.slots)]

    # -- changes -----------------------------------------------------------------------------------------------------------
    def use(self, mode: Mode) -> bool:
        """Whether it is another than before."""
        if mode == self.mode:
            return False
        self.mode, self.machine = mode, self.base.holding(mode)
        return True

    def close(self, closed: list[int]) -> None:
        """These contacts are closed; slots of others do not rub."""
        gone = [k for k, s in enumerate(self.base.slots) if s.impact is not None and s.impact not in closed]
        left = tuple(k for k in self.mode.stuck if k not in gone)
        idle = tuple(k for k in self.mode.idle if k not in closed)
        self.use(replace(self.mode, closed=tuple(sorted(closed)), stuck=left, idle=idle))

    def frictionless(self, closed: tuple[int, ...]) -> Any:
        """The machine with these contacts closed and nothing that sticks: how it answers to impulses."""
        everything = tuple(range(self.slots))
        return self.base.holding(replace(self.mode, closed=closed, stuck=(), full=(), smooth=everything))

    def _closed(self, t: float, y: np.ndarray, touching: tuple[int, ...], fired: int | None) -> Jump:
        """Velocities with which these contacts stay closed. What sticks does so while others close: a block that has rocked
        on two edges would else end with a motion along the floor, and rock on."""
        machine = self.frictionless(touching)
        stuck = {k for k in self.mode.stuck if k != fired}
        if not stuck or set(touching) <= set(self.mode.closed):
            return jump(machine, y, t)
        space = ContactSpace(self.base, t, y, list(touching))
        rows = [i for k in sorted(stuck & self._resting(space, set())) for i in space.rows_of(k)]
        return jump(machine, y, t, space.G[rows], -space.rate[rows])

    def settle(
        self, t: float, y: np.ndarray, touching: list[int], fired: int | None = None, strikes: bool = True
    ) -> np.ndarray:  # fmt: skip
        """The state in the mode that is right here, see `settled`."""
        found = self.settled(t, y, touching, fired, strikes)
        if isinstance(found, IntegrationError):
            raise found
        return found

    def settled(
        self, t: float, y: np.ndarray, touching: list[int], fired: int | None = None, strikes: bool = True
    ) -> np.ndarray | IntegrationError:
        """The state in the mode that is right here, or why there is none. `touching`: contacts that may press. `fired`: a
        slot that cannot hold any more, or has come to rest. `strikes`: else the gaps' rates are taken for none."""
        before, asked = self.mode, (t, y, touching, fired, strikes)
        if touching and strikes:
            y = self._closed(t, y, tuple(sorted(touching)), fired).of(self.base, y)
        if not self.slots and not touching:
            self.use(Mode())
            return y
        breaking = fired if fired in before.stuck else None
        captured = set() if fired is None or breaking is not None else {fired}
        resting: set[int] | None = None
        for _ in range(PASSES):
            space = ContactSpace(self.base, t, y, sorted(touching))
            if held := space.held_by_joints(IMMOBILE):
                touching = [k for k in touching if k not in held]
                space = ContactSpace(self.base, t, y, sorted(touching))
            if resting is None and captured:
                captured |= self._slow(space)
            now = self._resting(space, captured)
            if now == resting:
                break
            resting = now
            decided = self._decided(space, t, resting, breaking)
            if isinstance(decided, IntegrationError):
                return decided
            found, smooth = decided
            self.use(self._mode(space, found, smooth, before))
            y = self._projected(t, y, space, found)
            touching, breaking = self.touching, None if breaking in found.begun else breaking
            captured |= set(found.begun) | set(found.stuck)
        # what sticks beside a contact makes its force one of many, too, where the least of them would pull
        many = not found.unique or bool(self.mode.stuck and self.mode.closed)
        beyond = (many or (self.slots and self.mode.closed)) and self._beyond(t, y, many)
        if beyond:
            return beyond if isinstance(beyond, IntegrationError) else self._coarser(before, *asked)
        self._tell(t, before, set(found.begun))
        return y

    def _coarser(self, before: Mode, t: float, y: np.ndarray, *asked: Any) -> np.ndarray | IntegrationError:
        """The same where slow motions count as rest. A box that slides and turns to rest stops as a whole; which corner is
        the slowest there is rounding, and that one alone would have to hold more than it can."""
        usual, stuck = self.coarse, self.mode.stuck
        try:
            if not self.coarsen():
                return trouble.open_friction(t, self._elements(stuck))
            self.use(before)
            return self.settled(t, y, *asked)
        finally:
            self.coarse = usual

    def _beyond(self, t: float, y: np.ndarray, many: bool) -> bool | IntegrationError:
        """Whether the forces that the equations of motion take of many exceed what slots hold: others would not, but are not
        found. The error where contacts that slide would pull, as no forces agree with the motion."""
        lam = self.machine.solved(t, y).lam
        if many and self.mode.stuck:
            F, N = self.machine.slot_forces(t, y, lam)
            if self._exceeds(t, y, F, N, BEYOND):
                return True
        press = -lam[self.base.own_rows :][: len(self.mode.closed)]
        pulls = {k for k, n in zip(self.mode.closed, press, strict=True) if n < -BEYOND * np.abs(lam).max(initial=0.0)}
        slides = [k for k, s in enumerate(self.base.slots) if s.impact in pulls and k not in self.mode.stuck]
        if slides and (sliding := self._fast(ContactSpace(self.base, t, y, self.touching), slides)):
            return trouble.paradox(t, self._elements(sliding))
        return False

    def _fast(self, space: ContactSpace, slots: list[int]) -> list[int]:
        """Those of the slots whose motion has a direction that lasts: one as slow as it begins may turn at once, and what
        is decided then is another thing."""
        least = 2 * BEGINNING
        return [
            k for k in slots if float(np.linalg.norm(space.rate[space.rows_of(k)])) > least * self._slowest(space, k)
        ]  # fmt: skip

    def check(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state in another mode, where this one is none any more: laws have changed."""
        if (sliding := self._sliding()) and sliding & self._resting(ContactSpace(self.base, t, y, self.touching), set()):
            return self.settle(t, y, self.touching)  # what drives it ended smoothly: a speed that touches zero is no event
        if not self.mode.closed and not self.mode.stuck:
            return y
        lam = self.machine.solved(t, y).lam
        first = self.base.own_rows if self.slots else len(lam) - len(self.mode.closed)
        press = -lam[first : first + len(self.mode.closed)]
        wrong = press.min(initial=0.0) < -PULL * np.abs(lam).max(initial=0.0)
        if self.mode.stuck:
            F, N = self.machine.slot_forces(t, y, lam)
            wrong = wrong or self._exceeds(t, y, F, N)
        return self.settle(t, y, self.touching) if wrong else y

    def is_at_edge(self, t: float, y: np.ndarray) -> bool:
        """Whether something sticks by all it can hold, which may be nothing: loads that grow from zero may grow faster than
        what holds them, and a margin that begins at zero does not fall through it."""
        if not self.mode.stuck:
            return False
        F, N = self.machine.slot_forces(t, y, self.machine.solved(t, y).lam)
        return any(force >= (1 - TIGHT) * most for force, most in self._held(t, y, F, N))

    def _exceeds(self, t: float, y: np.ndarray, F: np.ndarray, N: np.ndarray, part: float = TIGHT) -> bool:
        rounding = TIGHT * float(N.max(initial=0.0)) * (part > TIGHT)
        return any(force > (1 + part) * most + rounding for force, most in self._held(t, y, F, N))

    def _held(self, t: float, y: np.ndarray, F: np.ndarray, N: np.ndarray) -> list[tuple[float, float]]:
        """Of what sticks the size of its force, and of what it can hold."""
        numbers = self.base.slot_numbers(t, y)[0]
        at = np.cumsum([0, *[s.size for s in self.base.slots]])
        most = numbers[:, 1] * N + numbers[:, 2]
        return [(float(np.linalg.norm(F[at[k] : at[k + 1]])), float(most[k])) for k in self.mode.stuck]

    def across(self, t: float, y: np.ndarray, at: list[int]) -> tuple[np.ndarray, list[Cone]]:
        """For impacts of the contacts `at`: rows of the speeds at which those slide that rub, and whose they are: numbers
        within `at`, numbers of rows behind it."""
        own = [k for k, s in enumerate(self.base.slots) if s.impact is not None and s.impact in at]
        if not own:
            return np.zeros((0, self.base.nv)), []
        D, numbers = self.base.slot_rows(t, y), self.base.slot_numbers(t, y)[0]
        first = np.cumsum([0, *[s.size for s in self.base.slots]])
        rows: list[int] = []
        cones = []
        for k in own:
            slip = range(len(at) + len(rows), len(at) + len(rows) + self.base.slots[k].size)
            cones.append(Cone(at.index(self.base.slots[k].impact), tuple(slip), float(numbers[k, 0])))
            rows += range(first[k], first[k + 1])
        return D[rows], cones

    # -- decisions ---------------------------------------------------------------------------------------------------------
    def _resting(self, space: ContactSpace, captured: set[int]) -> set[int]:
        """The slots at rest: those that are so by their speeds, and those that are known to be."""
        still = (STILL * space.speed + SLOWEST) * space.sizes
        out = set()
        for k, slot in enumerate(self.base.slots):
            rows = space.rows_of(k)
            if slot.impact is not None and slot.impact not in space.touching:
                continue
            speed = np.abs(space.rate[rows])
            if slot.size > 1:
                rests = float(np.linalg.norm(speed)) <= self._slowest(space, k)
            else:
                rests = bool((speed <= still[rows]).all())
            stuck = (k in self.mode.stuck or k in self.mode.full) and bool((speed <= STAYS * still[rows]).all())
            if rests or stuck or k in captured:
                out.add(k)
        return out

    def _sliding(self) -> set[int]:
        """The slots that rub by their speed."""
        rests = {*self.mode.stuck, *self.mode.full, *self.mode.smooth}
        return {k for k, s in enumerate(self.base.slots) if k not in rests and s.impact in (None, *self.mode.closed)}

    def _slow(self, space: ContactSpace) -> set[int]:
        """Those of one speed that slide more slowly than tolerances resolve: they come to rest with the one that just has,
        as both pads of a gripper do. One after the other, the first to stick would drag its body along the second."""
        speeds = {k: np.abs(space.rate[space.rows_of(k)]) for k in self._sliding()}
        return {k for k, x in speeds.items() if len(x) == 1 and x[0] <= self._slowest(space, k)}

    def _slowest(self, space: ContactSpace, k: int) -> float:
        """The speed below which slots with several speeds are at rest, and others may be: the tolerances resolve no less."""
        size = float(space.sizes[space.rows_of(k)].max())
        return self.coarse * max(float(space.numbers[k, 4]), CAPTURE * (self.atol + self.rtol * space.speed * size))

    def coarsen(self) -> bool:
        """Where slots with several speeds stick and slip without end: faster motions count as rest from here on. Whether
        they may."""
        self.coarse *= COARSER
        return self.coarse <= COARSEST and any(s.size > 1 for s in self.base.slots)

    def _decided(
        self, space: ContactSpace, t: float, resting: set[int], breaking: int | None
    ) -> tuple[Found, tuple[int, ...]] | IntegrationError:
        """What the complementarity problem says, and the slots that nothing but drivers can move."""
        rubbing: dict[int, Rubbing] = {}
        smooth = []
        for k, slot in enumerate(self.base.slots):
            rows = space.rows_of(k)
            if slot.impact is not None and slot.impact not in space.touching:
                continue
            if slot.impact is None and self._is_immobile(space, rows, k in resting):
                smooth.append(k)
                continue
            speed, numbers = space.rate[rows], space.numbers[k]
            press = -1 if slot.impact is None else space.touching.index(slot.impact)
            slides = None if k in resting else speed / np.linalg.norm(speed)
            rubbing[k] = Rubbing(rows, numbers[0], numbers[1], numbers[2], press, slides, -numbers[3] * speed)
        numbered = list(rubbing)
        forced, spent = {}, frozenset[int]()
        if breaking is not None and breaking in numbered:
            if self._moves_alone(space, breaking):
                out = self._way_out(space, t, breaking)
                forced = {numbered.index(k): u for k, u in self._taken_along(space, breaking, out).items() if k in numbered}
            else:
                spent = frozenset({numbered.index(breaking)})
        found = space.solved(rubbing, tuple(smooth), forced, spent)
        if isinstance(found, Inconsistent):
            return trouble.paradox(t, self._elements(numbered[k] for k in found.slots))
        found = found.numbered(numbered)
        self.helped += bool(found.offsets)
        if self.helped > HELPED:
            return trouble.open_friction(t, self._elements(found.stuck))
        if not found.unique:
            self.shared |= dict.fromkeys(self.base.slots[k].element.name for k in [*found.stuck, *found.full])
            self.shared |= dict.fromkeys(self.base.element_of_impact(space.touching[i]) for i in found.closed)
        return found, tuple(smooth)

    def _moves_alone(self, space: ContactSpace, k: int) -> bool:
        """Whether a slot can move while all others that stick hold."""
        return bool(mobility(space.W, space.own, space.rows_of(k), self._held_but(space, k)).max() > HELD)

    def _held_but(self, space: ContactSpace, k: int) -> np.ndarray:
        """The rows of what is closed and of all slots that stick, but for one."""
        rows = [space.rows_of(j) for j in self.mode.stuck if j != k]
        closed = [i for i, x in enumerate(space.touching) if x in self.mode.closed]
        return np.array([*closed, *[i for own in rows for i in own]], dtype=int)

    def _taken_along(self, space: ContactSpace, k: int, way: np.ndarray) -> dict[int, np.ndarray]:
        """A slot that breaks away, and those that have given all they have already and move with it: the other foot of a
        block."""
        out = {k: way}
        if not self.mode.full:
            return out
        rate = answers(space.W, space.own, space.rows_of(k), self._held_but(space, k)) @ way
        for j in self.mode.full:
            own = rate[space.rows_of(j)]
            if len(own) == 1 and abs(own[0]) > HELD * np.sqrt(space.own[space.rows_of(j)[0]]):
                out[j] = np.sign(own)
        return out

    def _is_immobile(self, space: ContactSpace, rows: np.ndarray, rests: bool) -> bool:
        """Whether forces do not move a slot: it follows drivers, or is held by joints."""
        if not (np.diag(space.W)[rows] <= IMMOBILE * space.own[rows]).all():
            return False
        none = 1e-9 * np.sqrt(space.own[rows]) * max(space.largest, space.free)
        return not rests or bool((np.abs(space.r0[rows]) <= none).all())

    def _way_out(self, space: ContactSpace, t: float, k: int) -> np.ndarray:
        """The motion that begins where a slot breaks away: against the friction that held it."""
        m, y = self.machine, space.y
        F = m.slot_forces(t, y, m.solved(t, y).lam)[0]
        at = sum(s.size for s in self.base.slots[:k])
        force = F[at : at + self.base.slots[k].size]
        return np.asarray(-force / (np.linalg.norm(force) or 1.0))

    def _elements(self, slots: Iterable[int]) -> list[str]:
        return list(dict.fromkeys(self.base.slots[k].element.name for k in slots))

    # -- what follows ------------------------------------------------------------------------------------------------------
    def _mode(self, space: ContactSpace, found: Found, smooth: tuple[int, ...], before: Mode) -> Mode:
        senses, anchors, rest = [], [], []
        for k, slot in enumerate(self.base.slots):
            speed = space.rate[space.rows_of(k)]
            way = found.begun.get(k, found.full.get(k, speed))
            if k in found.stuck:
                senses += found.offsets.get(k, np.zeros(slot.size)).tolist()
            else:
                senses += np.sign(way).tolist() if slot.size == 1 and k not in found.full else way.tolist()
            anchors.append(before.anchors[k] if k in before.stuck and k in found.stuck else float(space.places[k]))
            rest.append(self._slowest(space, k))
        closed = tuple(space.touching[row] for row in found.closed)
        idle = tuple(space.touching[row] for row in found.idle)
        stuck, full = tuple(found.stuck), tuple(sorted(found.full))
        weights = tuple(found.weights.get(k, 0.0) for k in range(self.slots))
        return Mode(closed, stuck, full, smooth, idle, tuple(senses), tuple(anchors), tuple(rest), weights)

    def _projected(self, t: float, y: np.ndarray, space: ContactSpace, found: Found) -> np.ndarray:
        """The state: what sticks has no speed, what begins to move in several directions has a first one."""
        if self.mode.stuck:
            y = jump(self.machine, y, t).of(self.base, y)
        begun = {k: u for k, u in found.begun.items() if len(u) > 1}
        if begun:
            rows = np.concatenate([space.rows_of(k) for k in begun])
            speed = BEGINNING * min(self.mode.rest[k] for k in begun)
            way = mechanism(space, found, list(begun.values()), [space.rows_of(k) for k in begun])
            y = jump(self.machine, y, t, space.G[rows], speed * way).of(self.base, y)
        return y

    def _tell(self, t: float, before: Mode, begun: set[int]) -> None:
        if not self.started:  # how a machine begins is no event
            return
        names = [s.name for s in self.base.slots]
        rested, rest = {*before.stuck, *before.full}, {*self.mode.stuck, *self.mode.full}
        sticks, slips = sorted(rest - rested), sorted(rested & begun)
        self.count["sticks"] += len(sticks)
        self.count["slips"] += len(slips)
        self.events += [(t, f"{names[k]} sticks") for k in sticks] + [(t, f"{names[k]} slips") for k in slips]
