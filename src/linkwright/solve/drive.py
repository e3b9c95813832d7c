"""The loop around a method's steps: events, output at wanted times, every step or a whole interpolant, projection.

It runs in native code for as many steps as it is given and returns between steps, so that Python can store a full block,
show progress, or be interrupted.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwright.compile import Array, Ints, Native, copy, f64, i64, native, seldom
from linkwright.solve import stepping as s
from linkwright.solve.events import scanner

# Most events a part of a step can have, for each function: two in each of seven intervals.
EVENTS_A_STEP = 14
# Events within this part of a step happen at one time: their places are known no better.
TOGETHER = 1e-10
# A step across a kink that lies beyond this part of it is taken again, to end there.
BEGINNING = 1e-6
# A sign that says: this event has just fired, its function is zero but for rounding.
FIRED = 2


class Watched(NamedTuple):
    """The functions that are watched. G: values at the samples of a part of a step; spare: a state, events as they are
    found, the state at the end of the step of an event; signs: since when, how often one was not resolved, which are kinks;
    directions: that count; left: how often each may yet happen; t, k, y: what happened, when, and the state there."""

    G: Array
    spare: Array
    signs: Ints
    directions: Ints
    left: Ints
    t: Array
    k: Ints
    y: Array


class Shown(NamedTuple):
    """Output: times that are wanted, and the states there; nodes of a whole interpolant within each step, and its values."""

    wanted: Array
    t: Array
    y: Array
    nodes: Array
    dense_t: Array
    dense_y: Array


def blender(interpolate: Native) -> Native:
    """The method's interpolant, corrected so that it meets the states at both ends of the step.

    It misses them by what a projection moved the state, or (Adams) by what the corrector left; the corrections fade in
    along theta^2 (3 - 2 theta) and are as small as the error of the step.
    """

    @seldom
    def blend(ode: s.Ode, theta: f64, result: Array) -> None:
        n = ode.n
        first = ode.work[n:]
        last = ode.work[2 * n :]
        if ode.count[s.PREPARED] == 0:
            interpolate(ode, 0.0, result)
            for i in range(n):
                first[i] = ode.work[i] - result[i]
            interpolate(ode, 1.0, result)
            for i in range(n):
                last[i] = ode.y[i] - result[i]
            ode.count[s.PREPARED] = 1
        interpolate(ode, theta, result)
        fade = theta * theta * (3.0 - 2.0 * theta)
        for i in range(n):
            result[i] += (1.0 - fade) * first[i] + fade * last[i]

    return blend


@seldom
def never(ode: s.Ode, t: f64) -> i64:
    """The last step cannot be taken again."""
    return 0


def loops(begin: Native, step: Native, interpolate: Native, again: Native = never) -> tuple[Native, Native]:
    """The loop of a method, and the same for problems without events, which takes half the time to compile; see `stepping`
    for the arguments they share with all of them. again: takes the last step again, to end within it."""
    blend = blender(interpolate)
    show = shower(blend)
    return loop(begin, step, blend, show, watcher(blend, show), again), loop(begin, step, blend, show, nothing, never)


@seldom
def nothing(ode: s.Ode, events: Watched) -> i64:
    """Watch nothing, in place of what `watcher` makes, where there are no events."""
    return -1


def shower(blend: Native) -> Native:
    """The function that shows the state at a time within the last step."""

    @seldom
    def show(ode: s.Ode, t: f64, row: Array) -> None:
        """The state at a time within the last step, projected as the states of the steps are."""
        if t == ode.real[s.T]:
            copy(ode.n, ode.y, row)
        else:
            theta = (t - ode.real[s.T_OLD]) / ode.real[s.H_LAST]
            blend(ode, theta, row)
            s.settle(ode, t, row)

    return show


def watcher(blend: Native, show: Native) -> Native:
    """The function that finds the events of the last step."""
    scan = scanner(blend)

    @seldom
    def watch(ode: s.Ode, events: Watched) -> i64:
        """Record the events of the next part of the last step; at a terminal one the run ends with the state there."""
        n = ode.n
        found = events.spare[n:]
        number = scan(ode, events.spare, events.G, events.signs, events.directions, found)
        for m in range(number):
            theta = found[2 * m]
            k = int(found[2 * m + 1])
            t = ode.real[s.T] if theta == 1.0 else ode.real[s.T_OLD] + theta * ode.real[s.H_LAST]
            at = ode.count[s.EVENT_WRITTEN]
            state = events.y[at * n :]
            show(ode, t, state)
            events.t[at] = t
            events.k[at] = k
            ode.count[s.EVENT_WRITTEN] += 1
            events.left[k] -= 1
            if events.left[k] == 0:
                # those at the same time that come before it in order happen too; one of them may end the run itself
                i = at - 1
                while i >= 0 and abs(events.t[i] - t) <= TOGETHER * abs(ode.real[s.H_LAST]):
                    events.t[i] = t
                    i -= 1
                last = at
                for j in range(m + 1, number):
                    other = int(found[2 * j + 1])
                    if found[2 * j] - theta <= TOGETHER and other < k:
                        at = ode.count[s.EVENT_WRITTEN]
                        events.t[at] = t
                        events.k[at] = other
                        copy(n, events.y[last * n :], events.y[at * n :])
                        ode.count[s.EVENT_WRITTEN] += 1
                        events.left[other] -= 1
                        if events.left[other] == 0 and other < events.k[last]:
                            last = at
                at = ode.count[s.EVENT_WRITTEN] - 1  # the one that ends the run is the last; times and states are the same
                other = events.k[at]
                events.k[at] = events.k[last]
                events.k[last] = other
                return at  # type: ignore[no-any-return]
        return -1

    return watch


@seldom
def sense_signs(ode: s.Ode, events: Watched) -> None:
    """Values and signs of all functions at (real[T], y). One that has just fired is zero but for rounding: it has none."""
    ode.ins[0][0] = ode.real[s.T]
    copy(ode.n, ode.y, ode.ins[1])
    ode.g(ode.ins, ode.gouts)
    ode.count[s.UNSURE] = 0
    for k in range(ode.count[s.EVENTS]):
        events.G[k] = ode.gouts[0][k]
        fired = events.signs[k] == FIRED
        events.signs[k] = 0 if fired or events.G[k] == 0.0 else (1 if events.G[k] > 0.0 else -1)
        if events.signs[k] == 0:
            ode.count[s.UNSURE] = 1


@native
def end_of_step(ode: s.Ode, events: Watched) -> Array:
    """Where the state at the end of the step of an event is kept."""
    return events.spare[ode.n + 2 * EVENTS_A_STEP * ode.count[s.EVENTS] :]


def loop(begin: Native, step: Native, blend: Native, show: Native, watch: Native, again: Native) -> Native:
    """The loop of a method in native code."""

    @native
    def run(ode: s.Ode, shown: Shown, events: Watched) -> i64:
        """Up to count[BUDGET] steps. FINE: call again; FULL: empty the blocks and call again; else see `stepping`."""
        n = ode.n
        sense = 1.0 if ode.real[s.T_END] >= ode.real[s.T] else -1.0
        if ode.count[s.STARTED] == 0:
            ode.real[s.T_SHOWN] = ode.real[s.T]
            status = begin(ode)
            if status != s.FINE:
                return status  # type: ignore[no-any-return]
            ode.count[s.STARTED] = 1
            ode.count[s.UNSURE] = 0
            ode.count[s.WITHIN] = 0
            ode.real[s.LOOK] = -1.0
            if ode.count[s.EVENTS] > 0:
                sense_signs(ode, events)
        elif ode.count[s.GOES_ON]:
            sense_signs(ode, events)
            ode.real[s.LOOK] = -1.0
            ode.real[s.T_FROM] = ode.real[s.T]
            ode.real[s.WATCHED] = (ode.real[s.T] - ode.real[s.T_OLD]) / ode.real[s.H_LAST]
            ode.count[s.WITHIN] = 1 if ode.real[s.T] != ode.real[s.T_STEP] else 0
            ode.real[s.T] = ode.real[s.T_STEP]
            copy(n, end_of_step(ode, events), ode.y)
        ode.count[s.GOES_ON] = 0
        taken = 0
        while True:
            while (
                ode.count[s.NEXT] < ode.count[s.WANTED]
                and sense * (shown.wanted[ode.count[s.NEXT]] - ode.real[s.T_SHOWN]) <= 0.0
            ):
                if ode.count[s.WRITTEN] >= ode.count[s.ROWS]:
                    return s.FULL
                t = shown.wanted[ode.count[s.NEXT]]
                at = ode.count[s.WRITTEN]
                shown.t[at] = t
                show(ode, t, shown.y[at * n :])
                ode.count[s.WRITTEN] += 1
                ode.count[s.NEXT] += 1
            glances = shown.wanted[ode.count[s.WANTED] :]
            passed = 0
            so_far = ode.real[s.T_SHOWN]
            while (
                ode.count[s.NEXT_GLANCE] < ode.count[s.GLANCES]
                and sense * (glances[ode.count[s.NEXT_GLANCE]] - so_far) <= 0.0
            ):
                if ode.count[s.WRITTEN] >= ode.count[s.ROWS]:
                    return s.FULL
                passed = 1
                ode.count[s.NEXT_GLANCE] += 1
            if passed:
                at = ode.count[s.WRITTEN]
                shown.t[at] = ode.real[s.T_SHOWN]
                copy(n, ode.y, shown.y[at * n :])
                ode.count[s.WRITTEN] += 1
            if ode.count[s.ENDED] != s.FINE:
                return ode.count[s.ENDED]  # type: ignore[no-any-return]
            if ode.count[s.WITHIN] == 0 and ode.real[s.T] == ode.real[s.T_END]:
                return s.FINISHED
            if ode.count[s.WITHIN] == 0 and taken >= ode.count[s.BUDGET]:
                return s.FINE
            if ode.count[s.EVERY] and ode.count[s.WRITTEN] >= ode.count[s.ROWS]:
                return s.FULL
            if ode.count[s.DENSE] > 0 and ode.count[s.DENSE_WRITTEN] >= ode.count[s.DENSE_ROWS]:
                return s.FULL
            if ode.count[s.WITHIN] == 0:
                status = step(ode)
                if status != s.FINE:
                    return status  # type: ignore[no-any-return]
                taken += 1
                ode.count[s.PREPARED] = 0
                ode.count[s.WITHIN] = 1
                ode.count[s.LOOKS] = 0
                ode.real[s.WATCHED] = 0.0
                ode.real[s.T_FROM] = ode.real[s.T_OLD]
            t_end = ode.real[s.T]
            at = -1
            while ode.count[s.EVENTS] > 0 and at < 0 and ode.real[s.WATCHED] < 1.0:
                if ode.count[s.EVENT_WRITTEN] + EVENTS_A_STEP * ode.count[s.EVENTS] > ode.count[s.EVENT_ROWS]:
                    return s.FULL
                at = watch(ode, events)
            ode.count[s.WITHIN] = 0
            if at >= 0:
                t_end = events.t[at]
                ode.count[s.ENDED] = s.EVENT
                within = (t_end - ode.real[s.T_OLD]) / ode.real[s.H_LAST]
                is_kink = events.signs[2 * ode.count[s.EVENTS] + events.k[at]]
                if is_kink and within > BEGINNING and within < 1.0 and again(ode, t_end):
                    ode.count[s.PREPARED] = 0
                    copy(n, ode.y, events.y[at * n :])
            if ode.count[s.DENSE] > 0:
                row = ode.count[s.DENSE_WRITTEN]
                width = ode.count[s.DENSE]
                shown.dense_t[2 * row] = ode.real[s.T_FROM]
                shown.dense_t[2 * row + 1] = t_end
                before = (ode.real[s.T_FROM] - ode.real[s.T_OLD]) / ode.real[s.H_LAST]
                for j in range(width):
                    theta = before + shown.nodes[j] * ((t_end - ode.real[s.T_FROM]) / ode.real[s.H_LAST])
                    blend(ode, theta, shown.dense_y[(row * width + j) * n :])
                ode.count[s.DENSE_WRITTEN] += 1
            if at >= 0:  # what is shown later of this step comes from the interpolant, prepared before
                ode.real[s.T_STEP] = ode.real[s.T]
                copy(n, ode.y, end_of_step(ode, events))
                copy(n, events.y[at * n :], ode.y)
                ode.real[s.T] = t_end
            ode.real[s.T_SHOWN] = t_end
            if ode.count[s.EVERY]:
                shown.t[ode.count[s.WRITTEN]] = t_end
                for i in range(n):
                    shown.y[ode.count[s.WRITTEN] * n + i] = ode.y[i]
                ode.count[s.WRITTEN] += 1

    # 0.5 s instead of 1.1 s to compile, 3 % more time a step of twenty numbers: most of a step are calls of f
    run.compact = run.seldom = True
    return run
