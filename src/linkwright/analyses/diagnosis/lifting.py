"""Cams that their followers leave: a driven machine is followed, and the finding says where a cam would have to pull."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.lift_off import Pull, pulls
from linkwright.graph import substitute
from linkwright.model import TIME, CamFlat, CamFollower, Driver, Finding, Fix, PointForce
from linkwright.model.changes import Add, At, Put
from linkwright.model.motions import Motion

STEPS = 120  # of the motion that is followed
SLOWER = (0.5, 0.25, 0.1)
MORE = (1.2, 2.0)  # of the largest pull: how hard the follower is pressed on


def leaving(case: Case, t_end: float) -> list[tuple[Finding, Iterator[Fix]]]:
    """Cams that would pull between t and t_end, each with candidates for its remedy."""
    model = case.model
    cams = any(isinstance(e, CamFlat | CamFollower) for e in model.elements.values())
    if not cams or not any(model.value(b.mass) for b in model.bodies.values() if not b.is_ground):
        return []
    r = ask(inverse_dynamics, model, t_end=t_end, t_start=case.t, steps=STEPS).found
    if r is None:
        return []  # what stops the motion is said already
    found = []
    for pull in pulls(model, r.t, r):
        text = (
            f"{pull.name} loses contact at t = {pull.time:.4g} s: the follower would have to be pulled, by up to "
            f"{pull.force:.3g} N"
        )
        remedy = "turn the cam slower, press the follower on by a spring or a force, or make it lighter"
        found.append((Finding("lift-off", (pull.name,), text, remedy), _candidates(case, pull)))
    return found


def _candidates(case: Case, pull: Pull) -> Iterator[Fix]:
    """The follower pressed on harder; drivers that run slower."""
    e = case.model.elements[pull.name]
    assert isinstance(e, CamFlat | CamFollower)
    body, place = (e.face.body, e.face.s) if isinstance(e, CamFlat) else (e.curve_j.body, e.curve_j.at)
    for more in MORE if not body.is_ground else ():
        size = _round_up(more * pull.force)
        force = tuple(round(float(-size * x), 6) + 0.0 for x in pull.direction)
        given = (("point", At(body.name, tuple(map(case.model.value, place)))), ("force", force))
        yield Fix(f"press {body.name} on by {size:g} N", (Add(f"{pull.name} press", PointForce, given),))
    drivers = [d for d in case.model.elements.values() if isinstance(d, Driver) and not isinstance(d.motion, Motion)]
    for factor in SLOWER if drivers else ():
        slow = {TIME: case.t + factor * (TIME - case.t)}
        motions = substitute([case.model.trace(d.motion, {"t": TIME}) for d in drivers], slow)
        changes = tuple(Put(d.name, "motion", f) for d, f in zip(drivers, motions, strict=True))
        yield Fix(f"let {' and '.join(d.name for d in drivers)} run {1 / factor:g} times slower", changes)


def _round_up(x: float) -> float:
    """To two digits."""
    unit = 10.0 ** (np.floor(np.log10(max(x, 1e-300))) - 1)
    return float(f"{ceil(x / unit) * unit:.6g}")
