"""The loop around a method's steps: events, output at wanted times, every step or a whole interpolant, projection.

It runs in native code for as many steps as it is given and returns between steps, so that Python can store a full block,
show progress, or be interrupted.
"""

from __future__ import annotations

from linkwright.compile import Array, Code, Ints, Native, Pointers, f64, i64, native, outlined
from linkwright.solve.events import scanner
from linkwright.solve.stepping import (
    BUDGET,
    DENSE,
    DENSE_ROWS,
    DENSE_WRITTEN,
    ENDED,
    EVENT,
    EVENT_ROWS,
    EVENT_WRITTEN,
    EVENTS,
    EVERY,
    FINE,
    FINISHED,
    FULL,
    GLANCES,
    H_LAST,
    LOOK,
    LOOKS,
    NEXT,
    NEXT_GLANCE,
    PREPARED,
    ROWS,
    STARTED,
    T_END,
    T_OLD,
    T_SHOWN,
    UNSURE,
    WANTED,
    WATCHED,
    WITHIN,
    WRITTEN,
    T,
    settle,
)  # fmt: skip

# Most events a part of a step can have, for each function: two in each of seven intervals.
EVENTS_A_STEP = 14
# Events within this part of a step happen at one time: their places are known no better.
TOGETHER = 1e-10
# A sign that says: this event has just fired, its function is zero but for rounding.
FIRED = 2


def blender(interpolate: Native) -> Native:
    """The method's interpolant, corrected so that it meets the states at both ends of the step.

    It misses them by what a projection moved the state, or (Adams) by what the corrector left; the corrections fade in
    along theta^2 (3 - 2 theta) and are as small as the error of the step.
    """

    @outlined
    def blend(
        f: Code, jac: Code, project: Code, ins: Pointers, outs: Pointers, jouts: Pointers, pouts: Pointers, n: i64,
        theta: f64, y: Array, real: Array, count: Ints, coef: Array, work: Array, result: Array,
    ) -> None:  # fmt: skip
        first = work[n:]
        last = work[2 * n :]
        if count[PREPARED] == 0:
            interpolate(f, jac, project, ins, outs, jouts, pouts, n, 0.0, y, real, count, coef, work, result)
            for i in range(n):
                first[i] = work[i] - result[i]
            interpolate(f, jac, project, ins, outs, jouts, pouts, n, 1.0, y, real, count, coef, work, result)
            for i in range(n):
                last[i] = y[i] - result[i]
            count[PREPARED] = 1
        interpolate(f, jac, project, ins, outs, jouts, pouts, n, theta, y, real, count, coef, work, result)
        fade = theta * theta * (3.0 - 2.0 * theta)
        for i in range(n):
            result[i] += (1.0 - fade) * first[i] + fade * last[i]

    return blend


def loops(begin: Native, step: Native, interpolate: Native) -> tuple[Native, Native]:
    """The loop of a method, and the same for problems without events, which takes half the time to compile; see `stepping`
    for the arguments they share with all of them."""
    blend = blender(interpolate)
    show = shower(blend)
    return loop(begin, step, blend, show, watcher(blend, show)), loop(begin, step, blend, show, nothing)


@outlined
def nothing(
    f: Code, jac: Code, project: Code, g: Code, ins: Pointers, outs: Pointers, jouts: Pointers, pouts: Pointers,
    gouts: Pointers, n: i64, y: Array, real: Array, count: Ints, coef: Array, work: Array, G: Array, spare: Array,
    signs: Ints, directions: Ints, left: Ints, event_t: Array, event_k: Ints, event_y: Array,
) -> i64:  # fmt: skip
    """In place of what `watcher` makes, where there are no events."""
    return -1


def shower(blend: Native) -> Native:
    """The state at a time within the last step."""

    @outlined
    def show(
        f: Code, jac: Code, project: Code, ins: Pointers, outs: Pointers, jouts: Pointers, pouts: Pointers, n: i64, t: f64,
        y: Array, real: Array, count: Ints, coef: Array, work: Array, row: Array,
    ) -> None:  # fmt: skip
        """The state at a time within the last step, projected as the states of the steps are."""
        if t == real[T]:
            for i in range(n):
                row[i] = y[i]
        else:
            theta = (t - real[T_OLD]) / real[H_LAST]
            blend(f, jac, project, ins, outs, jouts, pouts, n, theta, y, real, count, coef, work, row)
            settle(project, ins, pouts, n, t, row, count)

    return show


def watcher(blend: Native, show: Native) -> Native:
    """The events of the last step."""
    scan = scanner(blend)

    @outlined
    def watch(
        f: Code, jac: Code, project: Code, g: Code, ins: Pointers, outs: Pointers, jouts: Pointers, pouts: Pointers,
        gouts: Pointers, n: i64, y: Array, real: Array, count: Ints, coef: Array, work: Array, G: Array, spare: Array,
        signs: Ints, directions: Ints, left: Ints, event_t: Array, event_k: Ints, event_y: Array,
    ) -> i64:  # fmt: skip
        """Record the events of the next part of the last step; at a terminal one the run ends with the state there."""
        found = spare[n:]
        number = scan(
            f, jac, project, g, ins, outs, jouts, pouts, gouts, n, y, real, count, coef, work, spare, G, signs, directions,
            found,
        )  # fmt: skip
        for m in range(number):
            theta = found[2 * m]
            k = int(found[2 * m + 1])
            t = real[T] if theta == 1.0 else real[T_OLD] + theta * real[H_LAST]
            at = count[EVENT_WRITTEN]
            state = event_y[at * n :]
            show(f, jac, project, ins, outs, jouts, pouts, n, t, y, real, count, coef, work, state)
            event_t[at] = t
            event_k[at] = k
            count[EVENT_WRITTEN] += 1
            left[k] -= 1
            if left[k] == 0:
                # those at the same time that come before it in order happen too; one of them may end the run itself
                i = at - 1
                while i >= 0 and abs(event_t[i] - t) <= TOGETHER * abs(real[H_LAST]):
                    event_t[i] = t
                    i -= 1
                last = at
                for j in range(m + 1, number):
                    other = int(found[2 * j + 1])
                    if found[2 * j] - theta <= TOGETHER and other < k:
                        at = count[EVENT_WRITTEN]
                        event_t[at] = t
                        event_k[at] = other
                        for i in range(n):
                            event_y[at * n + i] = event_y[last * n + i]
                        count[EVENT_WRITTEN] += 1
                        left[other] -= 1
                        if left[other] == 0 and other < event_k[last]:
                            last = at
                at = count[EVENT_WRITTEN] - 1  # the one that ends the run is the last; times and states are the same
                other = event_k[at]
                event_k[at] = event_k[last]
                event_k[last] = other
                return at  # type: ignore[no-any-return]
        return -1

    return watch


def loop(begin: Native, step: Native, blend: Native, show: Native, watch: Native) -> Native:
    @native
    def run(
        f: Code, jac: Code, project: Code, g: Code, ins: Pointers, outs: Pointers, jouts: Pointers, pouts: Pointers,
        gouts: Pointers, n: i64, y: Array, tol: Array, real: Array, count: Ints, coef: Array, work: Array, pivots: Ints,
        wanted: Array, shown_t: Array, shown_y: Array, nodes: Array, dense_t: Array, dense_y: Array, G: Array,
        spare: Array, signs: Ints, directions: Ints, left: Ints, event_t: Array, event_k: Ints, event_y: Array,
    ) -> i64:  # fmt: skip
        """Up to count[BUDGET] steps. FINE: call again; FULL: empty the blocks and call again; else see `stepping`."""
        sense = 1.0 if real[T_END] >= real[T] else -1.0
        if count[STARTED] == 0:
            real[T_SHOWN] = real[T]
            status = begin(f, jac, project, ins, outs, jouts, pouts, n, y, tol, real, count, coef, work, pivots)
            if status != FINE:
                return status  # type: ignore[no-any-return]
            count[STARTED] = 1
            count[UNSURE] = 0
            count[WITHIN] = 0
            real[LOOK] = -1.0
            if count[EVENTS] > 0:
                ins[0][0] = real[T]
                for i in range(n):
                    ins[1][i] = y[i]
                g(ins, gouts)
                for k in range(count[EVENTS]):
                    G[k] = gouts[0][k]
                    fired = signs[k] == FIRED
                    signs[k] = 0 if fired or G[k] == 0.0 else (1 if G[k] > 0.0 else -1)
                    if signs[k] == 0:
                        count[UNSURE] = 1
        taken = 0
        while True:
            while count[NEXT] < count[WANTED] and sense * (wanted[count[NEXT]] - real[T_SHOWN]) <= 0.0:
                if count[WRITTEN] >= count[ROWS]:
                    return FULL
                t = wanted[count[NEXT]]
                at = count[WRITTEN]
                shown_t[at] = t
                show(f, jac, project, ins, outs, jouts, pouts, n, t, y, real, count, coef, work, shown_y[at * n :])
                count[WRITTEN] += 1
                count[NEXT] += 1
            glances = wanted[count[WANTED] :]
            passed = 0
            while count[NEXT_GLANCE] < count[GLANCES] and sense * (glances[count[NEXT_GLANCE]] - real[T_SHOWN]) <= 0.0:
                if count[WRITTEN] >= count[ROWS]:
                    return FULL
                passed = 1
                count[NEXT_GLANCE] += 1
            if passed:
                at = count[WRITTEN]
                shown_t[at] = real[T_SHOWN]
                for i in range(n):
                    shown_y[at * n + i] = y[i]
                count[WRITTEN] += 1
            if count[ENDED] != FINE:
                return count[ENDED]  # type: ignore[no-any-return]
            if count[WITHIN] == 0 and real[T] == real[T_END]:
                return FINISHED
            if count[WITHIN] == 0 and taken >= count[BUDGET]:
                return FINE
            if count[EVERY] and count[WRITTEN] >= count[ROWS]:
                return FULL
            if count[DENSE] > 0 and count[DENSE_WRITTEN] >= count[DENSE_ROWS]:
                return FULL
            if count[WITHIN] == 0:
                status = step(f, jac, project, ins, outs, jouts, pouts, n, y, tol, real, count, coef, work, pivots)
                if status != FINE:
                    return status  # type: ignore[no-any-return]
                taken += 1
                count[PREPARED] = 0
                count[WITHIN] = 1
                count[LOOKS] = 0
                real[WATCHED] = 0.0
            t_end = real[T]
            at = -1
            while count[EVENTS] > 0 and at < 0 and real[WATCHED] < 1.0:
                if count[EVENT_WRITTEN] + EVENTS_A_STEP * count[EVENTS] > count[EVENT_ROWS]:
                    return FULL
                at = watch(
                    f, jac, project, g, ins, outs, jouts, pouts, gouts, n, y, real, count, coef, work, G, spare, signs,
                    directions, left, event_t, event_k, event_y,
                )  # fmt: skip
            count[WITHIN] = 0
            if at >= 0:
                t_end = event_t[at]
                count[ENDED] = EVENT
            if count[DENSE] > 0:
                row = count[DENSE_WRITTEN]
                width = count[DENSE]
                dense_t[2 * row] = real[T_OLD]
                dense_t[2 * row + 1] = t_end
                for j in range(width):
                    theta = nodes[j] * ((t_end - real[T_OLD]) / real[H_LAST])
                    blend(
                        f, jac, project, ins, outs, jouts, pouts, n, theta, y, real, count, coef, work,
                        dense_y[(row * width + j) * n :],
                    )  # fmt: skip
                count[DENSE_WRITTEN] += 1
            if at >= 0:  # what is shown later of this step comes from the interpolant, prepared before
                for i in range(n):
                    y[i] = event_y[at * n + i]
                real[T] = t_end
            real[T_SHOWN] = t_end
            if count[EVERY]:
                shown_t[count[WRITTEN]] = t_end
                for i in range(n):
                    shown_y[count[WRITTEN] * n + i] = y[i]
                count[WRITTEN] += 1

    # 0.5 s instead of 1.1 s to compile, 3 % more time a step of twenty numbers: most of a step are calls of f
    run.compact = True
    return run
