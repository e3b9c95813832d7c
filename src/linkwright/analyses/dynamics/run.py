"""A run from event to event: switched laws, impacts, watched quantities. What is integrated in between its equations say."""

from __future__ import annotations

from functools import partial
from typing import Generic, TypeVar
from weakref import proxy

import numpy as np

from linkwright.analyses.assembly.standing import fallen
from linkwright.analyses.dynamics.chart import Charted, Idle
from linkwright.analyses.dynamics.course import NO_WAY, Break, Continuous, Course, Piece, Stretch
from linkwright.analyses.dynamics.equations import PATIENCE, Equations
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine import laws_of_time, trouble
from linkwright.errors import LinkwrightError
from linkwright.solve.blas import single_threaded
from linkwright.solve.drive import FIRED
from linkwright.solve.integrate import INTERRUPTED, TOO_MANY
from linkwright.solve.solution import Solution
from linkwright.solve.stepping import EVENT
from linkwright.system.held import Mode

# So many changes of laws within this part of the whole span: the machine chatters, it makes no way. A law may also begin
# where it switches, and stay there by less than rounding: so many longer and longer steps are tried, at the end of which it
# has a form.
CHATTER, CHATTER_SPAN, LEAPS, LONGER = 60, 1e-7, 6, 4.0
STOPPED = LinkwrightError("an event ended the run")

E = TypeVar("E", bound=Equations)
Over = LinkwrightError | None  # why a run is over


class Run(Generic[E]):
    """Runs once; afterwards `course` has the output and what happened, `equations` are the last ones."""

    def __init__(self, equations: E, course: Course, y: np.ndarray, idle: Idle | None = None) -> None:
        """idle: where an integrator of these equations from this state may wait, and is left for the next run."""
        self.equations = self._first = equations
        self.idle = Idle() if idle is None else idle
        self.options, self.watches, self.course, self.y0 = equations.options, equations.watches, course, y
        own = proxy(self)  # in a cycle a run and its output would live until the collector comes
        self.bounces = equations.bounces(course, lambda t, y: own._accelerations(t, y))
        self.sol = Continuous(equations.names) if self.options.dense_output else None
        self.recent: list[float] = []  # changes of laws
        self.leaps = 0
        self.told: list[Charted] = []  # integrators whose output it took, one after the other

    @single_threaded
    def run(self) -> Over:
        """To the end; what went wrong, if something did."""
        times, course = self.course.times, self.course
        t, self.end, self.span = times.start, times.end, times.span
        self.bounces.span = self.span
        if course.stiffness is not None:
            course.stiffness.end = self.end
        self.moment = 1e-6 * self.span if self.span else 1e-9
        self.switching = self.equations.switching(self.moment)
        course.flags = np.zeros(self.equations.switches)
        y = self.switching.remembered(t, self.y0, course.flags)
        try:
            y0, y = y, self._struck(t, y)
            y = self._begun(t, y)
            self.bounces.modes.started = True
            if y is not y0:
                self._broke(t, -1, y0, y, (course.flags, self.bounces.mode))
            self._put(t, y0, None if y is y0 else self.bounces.mode_before(t, y0))
            if self.bounces.held or self.equations.slots:
                self._touch(t, y)
                course.flags = np.zeros(self.equations.switches)
            course.flags = self.switching.after(t, y, course.flags)
            if self.span:
                self._begin(t, y)
                self._skip_zeros(t, y)
                return self._stretches(t, y)
        except LinkwrightError as error:  # a law or a change of state
            return error
        except KeyboardInterrupt:
            course.interrupted = True
        finally:
            if not course.pieces:
                self._put(t, y)
            self.idle.leave()
        return None

    def _accelerations(self, t: float, y: np.ndarray) -> np.ndarray | None:
        return self.equations.accelerations(t, y, self.course.flags, self.bounces.machine)

    # -- stretches ---------------------------------------------------------------------------------------------------------
    def _begin(self, t: float, y: np.ndarray) -> None:
        """With the integrator that waits for these equations, where one does."""
        known = self.idle.taken() if self.equations is self._first else None
        if known is None:
            self._integrate(t, y)
            self.idle.take(self.course.integrator)
        else:
            known.again(self.course.flags)
            self.course.integrator = known

    def _integrate(self, t: float, y: np.ndarray) -> None:
        """From here on, with the equations as they are now."""
        self.course.integrator = self.equations.integrator(self.course, self.bounces, t, y)

    def _use(self, equations: E, t: float, y: np.ndarray) -> None:
        """Other equations from here on."""
        if equations is not self.equations:
            self.equations = equations
            self.switching = equations.switching(self.moment)
            self._integrate(t, y)

    def _skip_zeros(self, t: float, y: np.ndarray) -> None:
        """Watched quantities that begin at zero have no sign yet."""
        jumps, it = self.equations.jumps, self.course.integrator
        if jumps is not None and jumps.which and self.equations.is_compiled:
            it.signs[jumps.begin(*self.switching.soon(it.watching, t, y, self.course.flags))] = FIRED

    def _stretches(self, t: float, y: np.ndarray) -> Over:
        """From event to event, with a look at the integrator's health every so many steps."""
        while t < self.end:
            solution, undecided = self._stretch(*self.course.times.after(t))
            if undecided:  # each value of a flag leads to the other: both laws push back
                return trouble.chatters(t, undecided)
            singular = not solution.success and self.equations.is_singular(self.course, solution)
            fall = self._fallen(solution) if singular or self._hardly_went_on(solution, t) else None
            if singular and fall is None:
                # from the start of the stretch: near a singular configuration digits were lost
                self._use(self.equations.regularised(self.course, t, y, solution.t_last), t, y)
                continue
            if fall is None and self.equations.spoiled(self.course, solution, t):
                first = 0.25 * (solution.t_last - t) / max(solution.steps, 1)
                self.course.integrator.restart(t, y, fired=self.course.fired, first_step=first)
                continue
            begin, t, y = t, solution.t_last, solution.y_last
            self._collect(solution)
            if solution.status == INTERRUPTED or isinstance(self._raised, KeyboardInterrupt):
                self.course.interrupted = True
                return None
            over = self._broken(t, y)
            if over is None and solution.status == EVENT and solution.terminal is not None:
                over, y = self._event(solution, t, y)
                if over is None:
                    self._review(t, y)
            elif over is None and not solution.success:
                over = fall or self._went_wrong(solution, begin)
            if over is not None:
                return None if over is STOPPED else over
        if self.options.tick is not None:
            self.options.tick(t)
        return None

    def _stretch(self, ahead: np.ndarray, looks: np.ndarray) -> tuple[Solution, str]:
        """To the next change of a law; where flags turn out wrong from the start, once more with the right ones. ahead,
        looks: times of output, and of looks of the audit.

        Also the element whose flag is wrong either way, if there is one.
        """
        it, course = self.course.integrator, self.course
        it.limit(self.equations.left(course))
        if not len(it.missed):  # nothing is watched
            course.fired = []
            return self._until(ahead, looks), ""
        t, y = it.t, it.y.copy()
        course.fired = np.flatnonzero(it.signs == FIRED).tolist()
        for _ in range(6):
            solution = self._until(ahead, looks)
            fired_now = -1 if solution.terminal is None else solution.terminal - self.equations.first_switch
            lasted = solution.t_last - t
            wrong = self.switching.mistaken(solution.t_last, solution.y_last, course.flags, fired_now, lasted)
            if not np.any(wrong):
                return solution, ""
            course.flags = np.where(wrong, 1.0 - course.flags, course.flags)
            it.set_flags(course.flags)
            it.restart(t, y, fired=course.fired)
        return solution, self.switching.element(int(np.argmax(wrong)))

    def _until(self, ahead: np.ndarray, looks: np.ndarray) -> Solution:
        """To the end, or the next event."""
        it, how = self.course.integrator, {"tick": self.options.tick, "dense_output": self.sol is not None}
        if it.raised is None:
            return it.run(self.end, ahead, looks, **how)
        with it.raised.listening():
            return it.run(self.end, ahead, looks, **how)

    def _went_wrong(self, solution: Solution, begin: float) -> Over:
        """None where other equations, another method or just more steps may do."""
        found, t = self.equations.after(self.course, solution, begin), solution.t_last
        if isinstance(found, LinkwrightError):
            return self._fallen(solution) or laws_of_time.ended(self.equations.machine.model, t) or found
        if self._hardly_went_on(solution, begin) and (ended := laws_of_time.ended(self.equations.machine.model, t)):
            return ended
        self._go_on(found, t, solution.y_last)
        return None

    def _review(self, t: float, y: np.ndarray) -> None:
        """After an event: where they come so fast that no stretch lasts to its review, all the way since the last counts."""
        way, it = self.course.way(t), self.course.integrator
        if way.steps >= PATIENCE:
            self._go_on(self.equations.if_stiff(self.course, way, y), t, y)
            self.course.integrator.signs[it.signs == FIRED] = FIRED

    def _go_on(self, found: E, t: float, y: np.ndarray) -> None:
        self._use(found, t, y)
        fastest = partial(self.equations.fastest, t, y) if self.options.tick is None else None
        self.course.review(t, self.equations.machine.model.name, fastest)

    def _hardly_went_on(self, solution: Solution, begin: float) -> bool:
        """Whether it used up its steps for next to no time."""
        return solution.status == TOO_MANY and solution.t_last - begin < NO_WAY * self.span

    def _fallen(self, solution: Solution) -> Over:
        """The error of a disc that lies flat at the end of a stretch. Steps by steps of rounding a run may get over that
        place, and go on with any energy."""
        m, y = self.equations.machine, solution.y_last[None]
        return fallen(m, np.array([solution.t_last]), y[:, : m.nq], y[:, m.nq : m.nq + m.nv])

    def _collect(self, solution: Solution) -> None:
        it, course = self.course.integrator, self.course
        if not self.told or self.told[-1] is not it:
            self.told.append(it)
        course.pieces.append(Piece(solution.t, solution.y, self.bounces.mode, it.chart, it.own))
        course.count(solution)
        if self.sol is not None and solution.sol is not None:
            self.sol.add(solution.sol, it.chart.told)
            course.stretches.append(
                Stretch(solution.sol, it.chart.told, course.flags.copy(), self.bounces.mode, solution.t_last)
            )
        if not len(it.missed):
            return
        course.missed |= dict.fromkeys(self._event_name(int(k)) for k in np.flatnonzero(it.missed))
        course.happened([(float(t), w.name) for k, w in enumerate(self.watches) for t in solution.t_events[k]])

    @property
    def _raised(self) -> BaseException | None:
        """By laws in plain Python."""
        raised = self.course.integrator.raised
        return None if raised is None else raised.error

    def _broken(self, t: float, y: np.ndarray) -> Over:
        raised = self._raised
        if raised is None:
            return self.equations.broken(t, y)
        if isinstance(raised, LinkwrightError):
            return trouble.of_a_law(t, raised)
        raise raised

    # -- events ------------------------------------------------------------------------------------------------------------
    def _event_name(self, k: int) -> str:
        """Of the k-th function that the integrator watches."""
        if k < len(self.watches):
            return self.watches[k].name
        if k < self.equations.first_switch:
            return self.bounces.watched_name(k - len(self.watches))
        return self.switching.element(k - self.equations.first_switch)

    def _event(self, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        """What a terminal event does: (None, the state after it), or STOPPED or an error where the run is over. Also the
        events that the jump of accelerations and reactions makes."""
        before, y0, was = self._watched(t, y), y, (self.course.flags.copy(), self.bounces.mode)
        over, y = self._happened(solution, t, y)
        self._broke(t, solution.terminal or 0, y0, y, was)
        jumps = self.equations.jumps
        for k in jumps.passed(before, self._watched(t, y)) if over is None and jumps is not None else ():
            if over is None and t not in solution.t_events[k]:
                self.course.events.append((t, self.watches[k].name))
                over, y = self._asked(self.watches[k], solution, t, y)
        return over, y

    def _broke(self, t: float, fired: int, before: np.ndarray, after: np.ndarray, was: tuple[np.ndarray, Mode]) -> None:
        """What ended a stretch is kept where its motion is."""
        if self.sol is not None:
            now = self.course.flags.copy(), self.bounces.mode
            self.course.breaks.append(Break(t, fired, before, after, (was[0], now[0]), (was[1], now[1])))

    def _watched(self, t: float, y: np.ndarray) -> np.ndarray:
        """The functions of events, where some of them may jump; contacts that close may let others jump than before."""
        jumps = self.equations.jumps
        if jumps is None or not (jumps.which or (self.watches and self.equations.impacts)):
            return np.zeros(0)
        return np.array(self.course.integrator.watching(*self.equations.inputs(t, y, self.course.flags))[0])

    def _happened(self, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        fired = solution.terminal
        assert fired is not None
        if fired < len(self.watches):
            return self._asked(self.watches[fired], solution, t, y)
        k = fired - self.equations.first_switch
        if k < 0:
            return self._bounce(fired - len(self.watches), t, y, solution)
        self.course.counters["switches"] += 1
        y = self.switching.across(t, self.switching.remembered(t, y, self.course.flags, k), self.course.flags, k)
        self.course.flags = self.switching.after(t, y, self.course.flags, k)
        return self._restart(t, y, solution, self.switching.element(k)), y

    def _asked(self, watch: Watch, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        """What a watched quantity asks for at its event."""
        mode = self.bounces.mode
        if watch.change is not None:
            y = self._struck(t, self.equations.changed(watch, t, y))
        if watch.stop:
            self._stop_at(t, y)
            return STOPPED, y
        if self._anew_after(mode, t, y):
            return None, y
        self.course.flags = self.switching.after(t, y, self.course.flags)
        return self._restart(t, y, solution), y

    def _touch(self, t: float, y: np.ndarray) -> None:
        """Contacts have closed or opened: other equations from here on."""
        self.equations = self.equations.touching(self.course, self.bounces, t, y)
        self.switching = self.equations.switching(self.moment)

    def _anew_after(self, before: Mode, t: float, y: np.ndarray) -> bool:
        """Where the mode is another than `before`: the integrator begins anew with its equations."""
        if self.bounces.mode == before:
            return False
        self._touch(t, y)
        self.course.flags = self.switching.after(t, y, np.zeros(self.equations.switches))
        self._integrate(t, y)
        opened = [k for k in before.closed if k not in self.bounces.held]
        first = self.equations.first_switch - self.equations.slots
        sliding = [first + k for k in range(self.equations.slots) if k not in self.bounces.mode.stuck]
        self.course.integrator.signs[[*(len(self.watches) + k for k in opened), *sliding]] = FIRED
        return True

    def _restart(self, t: float, y: np.ndarray, solution: Solution, law: str = "") -> Over:
        """Begin anew after an event; the error that ends the run where it makes no way."""
        self.recent = [x for x in self.recent if t - x < CHATTER_SPAN * self.span] + [t]
        makes_no_way = len(self.recent) > CHATTER
        if makes_no_way and (not law or self.leaps >= LEAPS):
            return trouble.chatters(t, law or self.watches[solution.terminal or 0].name)
        mode = self.bounces.mode
        y = self._checked(t, y)
        if self._anew_after(mode, t, y):
            return None
        it = self.course.integrator
        it.set_flags(self.course.flags)
        also = [j for j in range(len(self.watches)) if t in solution.t_events[j]]
        fired = [solution.terminal or 0, *also]
        if not makes_no_way or not self._leaps(t, y, fired):
            it.restart(t, y, fired=fired)
        return None

    def _leaps(self, t: float, y: np.ndarray, fired: list[int]) -> bool:
        """Whether it begins anew with a step after which laws that are zero but for rounding have a form."""
        if self.leaps >= LEAPS:
            return False
        self.leaps, self.recent, it = self.leaps + 1, [], self.course.integrator
        laws = range(self.equations.first_switch, len(it.signs))
        it.restart(t, y, fired=[*fired, *laws], first_step=CHATTER_SPAN * self.span * LONGER**self.leaps)
        return True

    def _checked(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state where laws have changed: they may pull at a contact, or break away what sticks. It is asked a moment
        later: here conditions are at their edge, and say by rounding whether the laws are the old ones or the new."""
        if not self.equations.switches or not (self.bounces.held or self.equations.slots):
            return self.bounces.check(t, y)
        return self._checked_later(t, y)

    def _checked_later(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state in the mode that is right a moment later."""
        later, events = self.switching.moved(t, y, self.course.flags, self.moment), self.course.events
        known = len(events)
        after = self.bounces.check(t + self.moment, later)
        events[known:] = [(t, name) for _, name in events[known:]]
        return y if after is later else np.asarray(y + (after - later))

    def _struck(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state after impacts that are due at once, in the mode that is right then."""
        return self.bounces.after(t, y)[0] if self.equations.impacts or self.equations.slots else y

    def _begun(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state where a run begins with friction at its edge: which way it goes is asked a moment later."""
        if not self.span or not self.bounces.modes.is_at_edge(t, y):
            return y
        self._touch(t, y)
        self.course.flags = self.switching.after(t, y, np.zeros(self.equations.switches))
        return self._checked_later(t, y)

    def _bounce(self, k: int, t: float, y: np.ndarray, solution: Solution) -> tuple[Over, np.ndarray]:
        """The state after an impact."""
        mode, before = self.bounces.mode, y
        y, flight = self.bounces.after(t, y, k)
        if self._anew_after(mode, t, y):
            return None, y
        if y is before:  # they touch, but for rounding
            self.course.integrator.go_on([solution.terminal or 0])
            return None, y
        self.course.flags = self.switching.after(t, y, self.course.flags)
        it = self.course.integrator
        it.set_flags(self.course.flags)
        it.restart(t, y, fired=[solution.terminal or 0], first_step=min(0.05 * flight, 1e-2 * self.span))
        return None, y

    def _stop_at(self, t: float, y: np.ndarray) -> None:
        """The place where an event ended the run is part of the output, in place of the audit's look at what was before."""
        self.course.stopped = t
        last = self.course.pieces[-1]
        if len(last.t) and last.t[-1] == t and not self.course.times.is_shown(last.t[-1:])[0]:
            self.course.pieces[-1] = last.without_last()
        if self.course.visited()[0][-1] < t:
            self._put(t, y)

    def _put(self, t: float, y: np.ndarray, mode: Mode | None = None) -> None:
        """A state that is none of the integrator's; mode: where it is another than now."""
        self.course.pieces.append(Piece(np.array([t]), y[None], self.bounces.mode if mode is None else mode))
