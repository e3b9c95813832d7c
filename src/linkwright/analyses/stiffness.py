"""Stiffness recognised on the way: an explicit method whose steps are ruled by stability gives way to an implicit one.

Each step of the embedded pairs estimates the largest rate of the motion (Hairer and Wanner II, IV.2); steps at the limit of
stability are counted. An implicit step costs some ten times an explicit one, and its functions have to be compiled: a run
that is nearly over, or short, ends as it began.
"""

from __future__ import annotations

from linkwright.solve.solution import Solution

SHARE = 0.5  # of the steps of a stretch at the limit of stability
ENOUGH = 100  # steps that tell
WORTH = 5000  # explicit steps still to come that make the change pay
LARGEST = 600  # numbers in a state: the factors of the implicit method are dense
STIFF_METHOD = "radau"


def stiff(solution: Solution) -> bool:
    """Whether stability ruled most steps of a stretch."""
    return solution.steps >= ENOUGH and solution.stiff > SHARE * solution.steps


def reason(solution: Solution, begin: float, end: float) -> str:
    """Why an implicit method should go on after the stretch from `begin`, or nothing."""
    t, n = solution.t_last, len(solution.y_last)
    if not stiff(solution) or n > LARGEST or t <= begin:
        return ""
    ahead = solution.steps * (end - t) / (t - begin)
    if ahead < WORTH:
        return ""
    return (
        f"{STIFF_METHOD} from t = {t:.6g} on: the machine is stiff, {solution.stiff} of {solution.steps} steps were at the "
        f"limit of stability, {ahead:.0f} more would have been needed"
    )
