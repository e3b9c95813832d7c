"""Impacts during a run: one after another where several are due at once, and where they end: in contacts that are held.

Impacts of a restitution below one follow each other without end in a time that does end (Zeno). Where what is left of them
is too small to be seen the contact is closed: its gap becomes an equation, until the bodies would have to pull. It rests
from the limit of their times on, the sum of a geometric series.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwright.analyses.assembly.overlaps import within
from linkwright.analyses.dynamics.contact.collision import Collision, collision
from linkwright.analyses.dynamics.contact.impact import LOW, STILL, Gaps, Responses, flight, jump
from linkwright.analyses.dynamics.contact.modes import Modes
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.errors import IntegrationError
from linkwright.graph import Scalar
from linkwright.system.forces import LEVELS
from linkwright.system.held import Mode

RESTING = 1e-9  # a flight between two impacts that takes less than this part of the span is none
CROWD, CROWD_SPAN = 60, 1e-7  # so many impacts within this part of the span have no end
RUBS, RUB_SPAN = 40, 1e-4  # so many changes of dry friction within this part of the span: it would go on for hours
FEW = 4  # slots: of more that rub changes are as many more
MOST_RUBS, MOST_SPAN = 300, 1e-2  # the same of faster motions that count as rest: it would go on for many minutes
LATE = 1e-8  # an impact that was missed is seen when the bodies overlap by so much
OVERLAP = 1e-6  # more than this the bodies are within each other
SLIGHT = 1e-5  # so they may be where a gap comes to zero as a square: its zero is known to the root of its rounding
GRAZES = 5  # so often bodies touch at one time without an impact: their gap is zero but for rounding
MOMENT = 1e-6  # of the span: the state hardly changes
STUCK_STEP = 1.0  # s: 1e-16 of gravity over 100 s in such steps is 1e-13 m
STEADY_STEP = 4.0  # / alpha, of stabilised rows: where stability ends (6, DOP853) rounding grows to the tolerance
AT_ONE_TIME = 100  # impacts, and of contacts that close and open, at one time


@dataclass
class Bounces:
    """The impacts of a run; `events` is the run's list of what happened, `modes` says what is closed and what sticks.
    held: contacts that are closed now, by the numbers of their impacts; `machine` is the one in which they are, `base` that
    without."""

    base: MovingMachine
    events: list[tuple[float, str]]
    span: float = 0.0
    recent: list[tuple[float, str]] = field(default_factory=list)
    rubbed: list[float] = field(default_factory=list)  # when dry friction has changed lately
    rubs: list[float] = field(default_factory=list)  # the same of the last MOST_RUBS
    accelerate: Callable[[float, np.ndarray], np.ndarray | None] | None = None  # a fast way to accelerations, if it may
    mass: np.ndarray | None = None
    rough: dict[str, None] = field(default_factory=dict)  # elements of impacts whose friction is not quite Coulomb's
    judged: set[int] = field(default_factory=set)  # contacts that touch, of which it is known whether they press
    limits: dict[int, float] = field(default_factory=dict)  # when impacts end of contacts that are to be closed
    grazes: tuple[int, float, int] = -1, 0.0, 0  # the last contact that touched without an impact, when, how often
    flown: float = np.inf  # the shortest flight after the last impact
    modes: Modes = field(init=False)

    def __post_init__(self) -> None:
        self.modes = Modes(self.base, self.events)

    @property
    def machine(self) -> Any:
        return self.modes.machine

    def use(self, base: MovingMachine) -> None:
        """Other equations of the same machine, with nothing closed."""
        self.base = self.modes.base = self.modes.machine = base

    @property
    def mode(self) -> Mode:
        return self.modes.mode

    @property
    def held(self) -> tuple[int, ...]:
        return self.modes.mode.closed

    def watched(self, y: np.ndarray, t: float) -> list[Scalar]:
        """Functions that fall through zero where bodies meet: the gaps, and again a little later, and later still.

        Two crossings within a moment are not seen as such: bodies that are about to rest could slip through each other.
        Of contacts that are closed: the force, which falls through zero where they open. Then those of slots, see `Modes`.
        """
        if not self.base.impacts:
            return self.modes.watched()
        m = self.machine
        gaps = [i.gap for i in m.system.loads.impacts]
        out = [gap + float(x) for own in self.levels(t, y) for gap, x in zip(gaps, own, strict=True)]
        for k in self.held:
            out[k :: len(gaps)] = [m.system.press(k), 1.0, 1.0]
        for k in self.mode.idle:  # its gap is zero but for rounding
            out[k] = 1.0
        return [*out, *self.modes.watched()]

    def longest(self, step: float, gains: tuple[float, ...]) -> float:
        """The largest step: what sticks by its speeds has no place to go back to, and rounding of accelerations moves it by
        the square of a step. gains: of rows that are stabilised."""
        step = min(step, STEADY_STEP / max(gains)) if self.mode.stuck and gains else step
        return min(step, STUCK_STEP) if any(self.base.slots[k].coordinate is None for k in self.mode.stuck) else step

    def levels(self, t: float, y: np.ndarray) -> np.ndarray:
        """What is added to the gaps, a row a level."""
        size = self._gaps(t, y).size
        size = 10 ** np.round(np.log10(np.where(size > 0, size, self.base.length)))  # round: the code is the same next time
        return np.outer([0.0, LATE, OVERLAP], size)

    def after(self, t: float, y: np.ndarray, k: int | None = None) -> tuple[np.ndarray, float]:
        """The state after the impact that the k-th of `watched` tells of, and after all that follow at once; the shortest
        flight after one of them. Contacts may have closed, and opened, meanwhile: see `held`.

        Raises where the bodies are within each other, or impacts have no end.
        """
        flight, count = np.inf, len(self.base.impacts)
        self.judged.clear()
        if k is None:
            self._part(t, y)
        elif k >= LEVELS * count:
            return self._rubbed(t, y, k - LEVELS * count), flight
        else:
            level, k = divmod(k, count)
            if k in self.held:
                self._hold(t, [x for x in self.held if x != k])
                return self._with_friction(t, y), flight
            if level == LEVELS - 1:
                raise trouble.rests(t, [self.element(k)])
            y, flight = self._struck(t, y, k)
        for _ in range(AT_ONE_TIME):
            due = self._due(t, y)
            if due is None:
                return self._with_friction(t, y), flight
            if isinstance(due, list):
                y = self._rest(t, y, due)
            else:
                y, last = self._struck(t, y, due)
                flight = min(flight, last)
        raise trouble.rests(t, self._crowd())

    def _with_friction(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state with what sticks and slides as it does now."""
        if not self.modes.slots:
            return y
        before = self.held
        y = self.modes.settle(t, y, self.modes.touching)
        self._tell(t, before)
        return y

    def _rubbed(self, t: float, y: np.ndarray, k: int) -> np.ndarray:
        """The state after the event of a slot."""
        self.rubbed = [x for x in self.rubbed if t - x < RUB_SPAN * self.span] + [t]
        many = max(1.0, self.modes.slots / FEW)
        self.rubs = [*self.rubs[-int(MOST_RUBS * many) :], t]
        without_end = len(self.rubs) > MOST_RUBS * many and t - self.rubs[0] < MOST_SPAN * self.span
        if len(self.rubbed) > RUBS * many or without_end:
            if without_end or not self.modes.coarsen():
                raise trouble.rubs(t, self.base.slots[k].element.name)
            self.rubbed = [t]
        elif len(self.rubbed) == 1:
            self.modes.coarse = 1.0
        before = self.held
        y = self.modes.settle(t, y, self._touching(t, y), k)
        self._tell(t, before)
        return y

    def _touching(self, t: float, y: np.ndarray) -> list[int]:
        """Contacts that press, or may: also those that have just parted by rounding, and do not move. On two of its corners
        alone a box would stand, and not for long."""
        if not self.base.impacts:
            return self.modes.touching
        return sorted({*self.modes.touching, *np.flatnonzero(self._gaps(t, y).at_rest).tolist()})

    # -- impacts -------------------------------------------------------------------------------------------------------
    def _struck(self, t: float, y: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        """The state after an impact, which all contacts that touch take part in (`collision`), and the shortest flight that
        follows; none, where it was the last that could be seen."""
        now = self._gaps(t, y)
        near, rate, still = now.near, now.rate, now.still
        near[[k, *self.held]] = True
        if rate[k] >= -still[k]:  # they touch, but for rounding
            self._grazed(t, k)
            return self._last(t, y, [k], k) if now.gap[k] < 0 and now.e[k] < 1 else (y, np.inf)
        if rate[k] >= -SLIGHT / STILL * still[k] and self.element(k) in map(self.element, self.held):
            return self._handed_over(t, y, k), np.inf
        at = np.flatnonzero(near)
        self.judged.clear()
        y, found = self._collided(t, y, at, now)
        self._count(t, [int(at[j]) for j in found.order])
        parted = [int(c) for c, r in zip(at, found.rates, strict=True) if r > still[c]]
        self._hold(t, [c for c in self.held if c not in parted])
        y = self._pressed(t, y, [int(c) for c in at if c not in parted and c not in self.held])
        return self._last(t, y, parted, k)

    def _grazed(self, t: float, k: int) -> None:
        """Bodies that touch and do not strike. Where they do so again and again at one time, their gap is rounding, and is
        not watched until something happens; an overlap would still be seen."""
        last, at, count = self.grazes
        self.grazes = k, t, count + 1 if last == k and t - at <= MOMENT**2 * self.span else 1
        if self.grazes[2] > GRAZES and k not in self.held:
            self.modes.use(replace(self.mode, idle=tuple(sorted({*self.mode.idle, k}))))

    def _handed_over(self, t: float, y: np.ndarray, k: int) -> np.ndarray:
        """The state where a shape touches with another feature, which the closed ones lead to without a blow: a corner that
        has come to the end of an edge. Which of them press is asked a moment later: here they are the same."""
        before, touching, h = self.held, sorted({*self.modes.touching, k}), MOMENT * self.span
        nq, nv = self.base.nq, self.base.nv
        v, vdot = y[nq : nq + nv], self._accelerations(t, y)
        later = np.concatenate([self.base.retract(y[:nq], h * v + 0.5 * h * h * vdot), v + h * vdot, y[nq + nv :]])
        known = len(self.events)
        self.modes.settle(t + h, later, touching, strikes=False)
        self.events[known:] = [(t, name) for _, name in self.events[known:]]
        self.judged |= set(touching)
        self._tell(t, before)
        led = self.element(k) in map(self.element, self.held)
        still = self.machine if led else self.base.holding(replace(self.mode, closed=tuple(sorted([*self.held, k]))))
        return jump(still, y, t).of(self.machine, y)

    def _pressed(self, t: float, y: np.ndarray, still: list[int]) -> np.ndarray:
        """The state where contacts that do not move are closed, if something presses them."""
        pressed = [c for c in still if self._presses(t, y)[c]] if still else []
        return self._rest(t, y, pressed) if pressed else y

    def _last(self, t: float, y: np.ndarray, parted: list[int], k: int) -> tuple[np.ndarray, float]:
        """Contacts whose flight after an impact is too short or too low to be seen are closed: each may bring down others
        that it carries. The state, and the shortest flight of the others; k: the contact whose impact it was."""
        crowded = len(self.recent) > CROWD
        while parted:
            now = self._gaps(t, y, self._accelerations(t, y))
            e, flights = now.e, {c: flight(max(float(now.rate[c]), 0.0), float(now.second[c])) for c in parted}
            # nor is a flight seen that ends below zero, where the gap has come as another contact was closed
            lowest = {c: max(LOW * now.size[c], -now.gap[c] if e[c] < 1 else 0.0) for c in flights}
            low = {c for c, (time, height) in flights.items() if time < RESTING * self.span or height < lowest[c]}
            low = {c for c in low | ({k} if crowded else set()) if c in flights and np.isfinite(flights[c][0])}
            if endless := [c for c in low if e[c] >= 1]:
                raise trouble.rests(t, list(dict.fromkeys(self.element(c) for c in endless)))
            if not low:
                if crowded and k in flights:
                    raise trouble.rests(t, self._crowd())
                self.flown = min(time for time, _ in flights.values())
                return y, self.flown
            self.limits |= {c: t + flights[c][0] / (1 - (e[c] or self._shrinks(flights[c][0]))) for c in low}
            y = self._rest(t, y, sorted(low))
            parted = [c for c in parted if c not in low]
        return y, np.inf

    def _shrinks(self, time: float) -> float:
        """Of plastic contacts that lift each other, as the edges of a block that rocks: a flight by the one before it."""
        return time / self.flown if time < self.flown < np.inf else 0.0

    def _count(self, t: float, struck: list[int]) -> None:
        new = [(t, self.name(c)) for c in struck]
        self.events += new
        self.recent = [x for x in self.recent if t - x[0] < CROWD_SPAN * self.span] + new

    def _crowd(self) -> list[str]:
        """The elements of the last impacts."""
        names = {self.name(k): self.element(k) for k in range(len(self.base.impacts))}
        return list(dict.fromkeys(names[n] for _, n in self.recent[-CROWD:]))

    def _collided(self, t: float, y: np.ndarray, at: np.ndarray, now: Gaps) -> tuple[np.ndarray, Collision]:
        """The state after impulses along the gaps of the contacts `at`, and across where they rub; joints answer by impulses
        of their own."""
        across, rubs = self.modes.across(t, y, list(at))
        v = self.base.split(y)[1]
        responses = Responses(self.base, y, t, np.vstack([now.G[at], across]))
        locked = responses.locked(self._mass(t, y))[: len(at)]
        stuck = [int(c) for c, is_held in zip(at, locked, strict=True) if is_held and now.rate[c] < 0]
        if stuck:
            raise trouble.jammed(t, self.element(stuck[0]), responses.holding_drivers(list(at).index(stuck[0])))
        found = collision(responses.W, np.concatenate([now.rate[at], across @ v]), now.e[at], rubs)
        if not found.obeyed:
            self.rough |= dict.fromkeys(self.element(int(c)) for c in at)
        return responses.after(found.p).of(self.machine, y), found

    def _due(self, t: float, y: np.ndarray) -> int | list[int] | None:
        """An impact that is due now: bodies that touch and close in on each other, no event tells of it; or contacts that
        close, as bodies that touch are pressed together."""
        now = self._gaps(t, y)
        gap, rate, still, size = now.gap, now.rate, now.still, now.size
        if (gap < -10 * OVERLAP * size).any():
            k = int(np.argmin(gap / np.where(size > 0, size, 1.0)))
            raise within(self.base, t, self.element(k), float(-gap[k]))
        near = now.near
        near[[*self.held, *self.mode.idle]] = False
        if not near.any():
            return None
        known = np.isin(np.arange(len(gap)), list(self.judged))
        closing = np.flatnonzero(near & (rate < np.where(known, SLIGHT / STILL, 1.0) * -still))
        if len(closing):
            return int(closing[np.argmin(rate[closing])])
        slow = [int(k) for k in np.flatnonzero(near & (rate <= still))]
        fresh = [k for k in slow if k not in self.judged]
        return slow if fresh and self._presses(t, y)[fresh].any() else None

    # -- contacts that are closed ----------------------------------------------------------------------------------------
    def _rest(self, t: float, y: np.ndarray, more: list[int]) -> np.ndarray:
        """The state with further contacts closed, as far as they press."""
        before, touching = self.held, sorted({*self.modes.touching, *more})
        y = self.modes.settle(t, y, touching)
        self.judged |= set(touching)
        self._tell(t, before)
        return y

    def check(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state where laws have changed: contacts that pull open, slots that cannot hold slip."""
        before = self.held
        y = self.modes.check(t, y)
        self._tell(t, before)
        return y

    def _part(self, t: float, y: np.ndarray) -> None:
        """After a change of the state: contacts whose bodies are apart, or part, are open."""
        if self.held:
            at_rest = self._gaps(t, y).at_rest
            self._hold(t, [k for k in self.held if at_rest[k]])

    def mode_before(self, t: float, y: np.ndarray) -> Mode:
        """Of a state at which a blow is due at once: contacts that strike press as yet nothing, friction is against the
        speeds that are to end. Of others the mode there is."""
        if not self.base.impacts:
            return self.mode
        now = self._gaps(t, y)
        if not (now.near & (now.rate < -now.still)).any():
            return self.mode
        own = Modes(self.base, [], atol=self.modes.atol)
        own.rtol = self.modes.rtol
        found = own.settled(t, y, np.flatnonzero(now.at_rest).tolist())
        return self.mode if isinstance(found, IntegrationError) else own.mode  # no forces agree with a motion that is over

    def _hold(self, t: float, held: list[int]) -> None:
        before = self.held
        self.modes.close(held)
        self._tell(t, before)

    def _tell(self, t: float, before: tuple[int, ...]) -> None:
        """Where impacts that are not seen any more precede, contacts rest at the limit of their times: flights that follow
        shrink as a geometric series does."""
        for k in self.held:
            if k not in before:
                self.events.append((float(max(self.limits.get(k, t), t)), f"{self.name(k)} rests"))
        self.limits.clear()
        self.events += [(t, f"{self.name(k)} parts") for k in before if k not in self.held]

    # -- numbers -----------------------------------------------------------------------------------------------------------
    def _gaps(self, t: float, y: np.ndarray, vdot: np.ndarray | None = None) -> Gaps:
        return Gaps.of(self.base, t, y, self.span, vdot)

    def _mass(self, t: float, y: np.ndarray) -> np.ndarray:
        """By displacement, roughly: it is looked at once."""
        if self.mass is None:
            own = self.base.masses_and_rows(t, y)[0].diagonal()
            self.mass = np.where(own > 0, own, float(own.max(initial=0.0)) or 1.0)
        return self.mass

    def _presses(self, t: float, y: np.ndarray) -> np.ndarray:
        """By contact, whether accelerations bring the bodies together, more than by rounding."""
        vdot = self._accelerations(t, y)
        now = self._gaps(t, y, vdot)
        return np.asarray(now.second < -STILL * now.size * np.abs(vdot / self.base.scale).max(initial=0.0))

    def _accelerations(self, t: float, y: np.ndarray) -> np.ndarray:
        quick = None if self.accelerate is None else self.accelerate(t, y)
        return self.machine.solved(t, y).vdot if quick is None else quick

    def name(self, k: int) -> str:
        """Of its events."""
        return self.base.impacts[k]

    def element(self, k: int) -> str:
        """The contact or stop it belongs to."""
        return self.base.element_of_impact(k)

    def watched_name(self, k: int) -> str:
        """Of the k-th of `watched`."""
        count = len(self.base.impacts)
        return self.name(k % count) if k < LEVELS * count else self.base.slots[k - LEVELS * count].name
