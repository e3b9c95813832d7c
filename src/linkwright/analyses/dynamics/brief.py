"""Brief changes of laws and motions: a blow of a millisecond in a run of seconds must not fall between two steps.

The step control of an integrator knows of a force only what its stages have met. A machine that moves smoothly is led by
steps that grow, and a blow that begins and ends within one of them leaves no trace: not in the error estimate, and not in
the energy balance either. What laws and prescribed motions say of time can be asked beforehand, at fixed places and speeds:
where it changes in a small part of the run only, and within a time that steps might pass over, steps are bounded. Jumps are
no concern of this: they are events, and are located.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.laws_of_time import OfTime, laws_of, of_time
from linkwright.model import Model
from linkwright.model.marks import Lately

LOOKS = 10_001  # times at which laws are asked, evenly over the run; then as many where they change most
SHORT = 1 / 20  # of the run: what takes longer is met by the steps themselves
RARE = 0.1  # of the run: what changes more often than that is, too
STEEP = 0.1  # of the steepest change: where a law changes
# The nodes of dop853 leave gaps of 0.27 of a step: of steps of so many widths no change is passed over.
WIDTHS = 4.0
FEWEST = 1e-6  # of the run: steps are not bounded further

AROUND = np.linspace(-2.0, 2.0, 9)  # widths from a change at which the run is audited


@dataclass(frozen=True)
class Brief:
    """bound: the longest step that sees every brief change of a law or motion, infinite where there is none; why; around:
    times in and beside those changes, whose energies the audit would miss otherwise."""

    bound: float = np.inf
    why: str = ""
    around: tuple[float, ...] = ()


_NONE = Brief()
_KEPT: Lately[Brief] = Lately(16)


def unhurried(model: Model, options: Options) -> Options:
    """The options with steps bounded such that no brief change of a law is passed over; the audit says so, and looks
    there."""
    brief = brief_changes(model, options.times.start, options.times.end)
    if not brief.why:
        return options
    options = replace(options, times=replace(options.times, also=brief.around))
    return replace(options, max_step=brief.bound).because(brief.why) if brief.bound < options.max_step else options


def brief_changes(model: Model, start: float, end: float) -> Brief:
    """The brief changes of all laws and motions of a model between two times."""
    if not any(True for e in model.elements.values() for _ in laws_of(e)):
        return _NONE
    return _KEPT.made(model, (start, end), lambda: _brief_changes(model, start, end))


def _brief_changes(model: Model, start: float, end: float) -> Brief:
    found = Brief()
    for e in model.elements.values():
        for f in of_time(model, e):
            t, width = briefest(f, start, end)
            if width < np.inf:
                around = (*found.around, *(t + width * AROUND).tolist())
                bound, why = (
                    max(WIDTHS * width, FEWEST * (end - start)),
                    f"{e.name} changes within {width:.2g} s at t = {t:.6g}",
                )
                shorter = bound < found.bound
                found = (
                    Brief(bound, f"steps of at most {bound:.2g} s: {why}", around)
                    if shorter
                    else replace(found, around=around)
                )
    return found


def briefest(f: OfTime, start: float, end: float, looks: int = LOOKS) -> tuple[float, float]:
    """(when, within which time) f changes at its steepest; infinite where that is neither short nor rare, or a jump."""
    t = np.linspace(start, end, looks)
    at = f(t)
    change = np.abs(np.diff(at))
    if not np.isfinite(at).all() or not change.max() > 1e-9 * np.abs(at).max():
        return start, np.inf
    k, size = int(np.argmax(change)), float(np.ptp(at))
    width = size / change[k] * (t[1] - t[0])
    if width > SHORT * (end - start) or np.mean(change > STEEP * change[k]) > RARE:
        return start, np.inf
    near = np.linspace(t[max(k - 1, 0)], t[min(k + 2, looks - 1)], looks)
    fine = np.abs(np.diff(f(near)))
    if not fine.max() < 0.1 * change[k]:  # all at once
        return start, np.inf
    return float(t[k]), min(width, size / float(fine.max()) * (near[1] - near[0]))
