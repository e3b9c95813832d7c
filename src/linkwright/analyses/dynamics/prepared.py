"""What a run needs before it begins: the machine at its start, and its equations. Kept as long as nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from linkwright import size_policy
from linkwright.analyses.assembly.overlaps import refuse_overlaps
from linkwright.analyses.assembly.start import Start, initial_state
from linkwright.analyses.dynamics.again import Again
from linkwright.analyses.dynamics.chart import Idle, Waiting
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.stiffness import Stiffness
from linkwright.analyses.dynamics.whole.equations import Whole, first_state
from linkwright.analyses.dynamics.whole.formulation import cheapest
from linkwright.analyses.dynamics.whole.second_order import SecondOrder
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.prescribed import SIMULATED, check_prescribed, check_turns, follows_time, refuse_corners
from linkwright.model import Model
from linkwright.model.marks import Lately
from linkwright.results.motion import MotionResult


@dataclass(frozen=True)
class Prepared:
    """Never changed by a run. why, ahead, stiffness: of the course that a run begins with."""

    machine: LoadedMachine
    begin: Start
    equations: Whole
    why: Sequence[str]
    ahead: int
    stiffness: Stiffness | None
    waiting: Waiting = field(default_factory=Waiting)

    @classmethod
    def of(cls, model: Model, options: Options, start: Any, follow: Sequence[Any] = ()) -> Self:
        """follow: further quantities whose angles are counted."""
        times, watches = options.times, options.watches
        machine = LoadedMachine(model, times.start)
        machine.follow([*[w.asked(machine) for w in watches], *follow], times.start)
        check_prescribed(machine.geometry, times.path)  # before anything is solved
        begin = initial_state(machine, times.start, start)
        refuse_overlaps(machine, begin.q, begin.t)
        course = Course(times)
        if options.formulation == "auto" and not options.second_order:
            options = options.formulated(*cheapest(machine, begin.q, begin.t))
        kind = SecondOrder if options.second_order else Whole
        equations: Whole = kind.of(machine, begin, options, course)
        return cls(machine, begin, equations, [*course.why, *options.why], course.ahead, course.stiffness)

    def over(self, run: Run[Whole], notes: Sequence[str]) -> None:
        """A run is over, and was right: how it is made again."""
        if self.waiting.smooth:
            self.waiting.again = Again.of(self.waiting, run, notes)

    def run(self, options: Options) -> tuple[Run[Whole], list[str]]:
        """With these output times; and what is to be said of them."""
        notes: list[str] = []
        if self.machine.made(follows_time, lambda: any(map(follows_time, self.machine.elements))):
            if options.times is not self.equations.options.times:  # these were looked at before anything was solved
                check_prescribed(self.machine.geometry, options.times.path)
            refuse_corners(self.machine.geometry, options.times.path)
            notes = check_turns(self.machine.geometry, options.times.path, SIMULATED)
        course = Course(
            options.times, why=list(self.why), ahead=self.ahead, stiffness=self.stiffness and self.stiffness.anew()
        )
        own, y = self.equations.options, first_state(self.machine, self.begin)
        idle = Idle(self.waiting, self.waiting.taken())
        if idle.known is None:
            chart = self.equations.chart.begun(y)
        else:
            chart = idle.known.chart  # type: ignore[assignment]
            chart.again()
        last = self.waiting.last
        if last is None or last.chart is not chart or last.options.times is not options.times or options.tick is not None:
            last = replace(self.equations, chart=chart, options=replace(own, times=options.times, tick=options.tick))
            self.waiting.last = last if options.tick is None else None
        return Run(last, course, y, idle), [*notes, *self.begin.notes]


_KEPT: Lately[Prepared] = Lately(16)


def made_again(model: Model, options: Options) -> MotionResult | None:
    """The last run of this model with these options and output times, made again, if it was smooth."""
    asked = options.decisive
    ready = None if asked is None else _KEPT.found(model, asked)
    again: Again | None = None if ready is None else ready.waiting.again
    if again is None or again.equations.options.times is not options.times or size_policy.is_looped(again.bodies):
        return None
    return again.result()


def prepared(model: Model, options: Options, start: Any) -> Prepared:
    """Of the last few models; made anew where one of them, or what is asked of it, is not what it was."""
    asked = options.decisive if start is None else None
    if asked is None:
        return Prepared.of(model, options, start)
    return _KEPT.made(model, asked, lambda: Prepared.of(model, options, start))
