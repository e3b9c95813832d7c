"""Nearly singular, just reaching, on the other branch: machines that close and are close to trouble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.closure import Closure, random_start, same_configuration
from linkwright.analyses.assembly.freedom import good_drivers
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.numbers import Suspicion
from linkwright.analyses.diagnosis.remedies.drivers import begun
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.prescribed import follows_time
from linkwright.model import TIME, Driver, Finding, Fix, Joint, Point, Revolute
from linkwright.model.changes import Put
from linkwright.regularisation import RANK
from linkwright.solve.nearest import close, solutions
from linkwright.solve.rank import dense, free_motions, scaled

NEAR = 2e-3  # relative: singular values below this, with drivers, come near to a dead point
USUAL = 20.0  # times as large must they be without drivers: else it is the joints that are slender
CLEAR = 0.15  # sine between two links from which on a pin is clearly bent to one side
MOVES = 0.02  # radians, or of the machine's length: how far a free motion is followed
SAME = 1e-3  # of the machine's length: a regular configuration this near is the same one, found less exactly
TRIES = 16  # other assemblies that are looked for
CHOICES = 3


def oddities(case: Case, J: Any) -> Iterator[Suspicion]:
    """Of a machine that closes, with the derivatives of all its equations."""
    if case.machine.nv > size_policy.SPARSE:
        return
    yield from near_dead_point(case, J)
    yield from other_branch(case)


def near_dead_point(case: Case, J: Any) -> Iterator[Suspicion]:
    machine = case.machine
    if not machine.is_driver.any() or case.report.dof or case.report.redundant or case.locked:
        return
    S, _ = scaled(dense(J), machine.scale)
    U, s, _ = linear.svd(S)
    joints = linear.singular_values(S[~machine.is_driver])
    least = float(s[-1] / s[0])
    if not RANK < least < NEAR or joints[-1] / joints[0] < USUAL * least:
        return
    share = np.abs(U[:, -1])
    rows = [r for r, x in zip(machine.system.rows, share, strict=True) if x > 0.1 * share.max()]
    elements = tuple(dict.fromkeys(r.element.name for r in rows))
    drivers = [n for n in elements if isinstance(case.model.elements[n], Driver)]
    text = f"the machine starts a hair ({least:.1g} of its size) from a dead point: {' and '.join(drivers)} hardly moves it"
    fixes = []
    for name in drivers:
        for other in good_drivers(machine, case.q, case.t)[:CHOICES] or _others(case, name):
            value = float(f"{case.values([other])[0]:.12g}")
            changes = (Put(name, "quantity", case.formula(other)), Put(name, "motion", value + TIME))
            fixes.append(Fix(f"let {name} drive {other}", changes))
    away = _away(case)
    if away is not None:
        fixes.append(begun(case, away, "start farther away from there"))
    yield Finding("near-dead-point", elements, text, "start farther away from it, or drive something else"), fixes


def _others(case: Case, driver: str) -> list[str]:
    """What is good to drive without a driver."""
    copy = Stand.assembled(case.model.without(driver), case.t)
    return good_drivers(copy.machine, copy.q, case.t)[:CHOICES]


def _away(case: Case) -> np.ndarray | None:
    """A closure of the joints a good deal away, drivers aside."""
    machine = case.machine
    problem = Closure(machine, case.t, drivers=False)
    free = free_motions(problem.equations(case.q)[1], machine.scale)
    if not free.shape[1]:
        return None
    d = free[:, 0] / np.abs(free[:, 0] / machine.scale).max()
    for size in (0.3, -0.3, 0.1):
        found = close(problem, machine.retract(case.q, size * d))
        if found.closed:
            return found.q
    return None


def just_reaches(case: Case, here: int, degenerate: list[Finding]) -> bool:
    """Whether a machine that could move by its rank does not: wherever its free motions lead it comes back, for its lengths
    just reach. here: the rank where it stands."""
    machine = case.machine
    if machine.nv > size_policy.SPARSE or any(follows_time(e) for e in case.model.elements.values()):
        return False
    if not all(isinstance(case.model.elements[n], Joint) for f in degenerate for n in f.elements):
        return False  # coordinates of the user's own may be singular where nothing is long or short
    if here < case.report.rank:
        return bool(np.abs(case.general - case.q).max() < SAME * min(machine.length, 1.0))
    if not case.report.redundant or not case.report.dof:
        return False
    problem = Closure(machine, case.t)
    free = free_motions(problem.equations(case.q)[1], machine.scale)
    for k in range(min(free.shape[1], 6)):
        d = free[:, k] / max(float(np.abs(free[:, k] / machine.scale).max()), 1e-300)
        found = close(problem, machine.retract(case.q, MOVES * d))
        moved = float(np.abs(found.q - case.q).max()) if found.closed else 0.0
        if moved > 0.2 * MOVES * min(machine.length, 1.0):
            return False
    return True


# -- the other branch ------------------------------------------------------------------------------------------------------


def other_branch(case: Case) -> Iterator[Suspicion]:
    """Pins that are bent to one side in the estimates, and to the other in the assembled machine."""
    if case.model.dimension != 2 or case.report.dof:  # what can move may come to the other side by itself
        return
    before, after = (bends(Stand(case.machine, q)) for q in (case.machine.estimate(), case.q))
    flipped = [n for n in before if before[n] * after.get(n, 0.0) < 0 and min(abs(before[n]), abs(after[n])) > CLEAR]
    if not flipped or not _in_loops(case, flipped):
        return
    as_meant = _assembled_as(case, before)
    if as_meant is None:
        return
    text = f"{' and '.join(flipped)} is bent to the other side than you estimated: this is the other branch of the linkage"
    remedy = "estimate the bodies where they are in the branch you mean; fix(...) an angle of it"
    meant, found = (case.values([f"{flipped[0]}.angle"], q)[0] for q in (case.machine.estimate(), case.q))
    why = f"you estimate {flipped[0]}.angle at {meant:.4g} rad, and it closes at {found:.4g} rad"
    yield (
        Finding("other-branch", tuple(flipped), text, remedy, why),
        [Fix("estimate the bodies on the branch that you meant", case.estimates(as_meant))],
    )


def bends(stand: Stand) -> dict[str, float]:
    """By pin: the sine of the turn from one link to the other, each from the pin to its farthest other point."""
    points: dict[str, list[Point]] = {}
    for e in stand.model.elements.values():
        for P in (x for x in vars(e).values() if isinstance(x, Point)) if isinstance(e, Joint) else ():
            points.setdefault(P.body.name, []).append(P)
    found = {}
    for e in stand.model.elements.values():
        if isinstance(e, Revolute) and not any(b.is_ground for b in e.bodies):
            u, v = (_arm(stand, P, points[P.body.name]) for P in (e.P, e.Q))
            if u is not None and v is not None:
                found[e.name] = float(u[0] * v[1] - u[1] * v[0])
    return found


def _arm(stand: Stand, P: Point, others: list[Point]) -> np.ndarray | None:
    """The direction from a point of a body to the farthest other one."""
    arms = [stand.place(Q) - stand.place(P) for Q in others]
    lengths = [float(np.linalg.norm(a)) for a in arms]
    most = max(lengths)
    first = next(k for k, x in enumerate(lengths) if x > most * (1 - 1e-6) or not most)  # the same one wherever it stands
    return arms[first] / most if most > 0 else None


def _in_loops(case: Case, pins: list[str]) -> bool:
    """Whether bodies of a flipped pin are held at another pin as well: a free arm may hang to either side."""
    count: dict[str, int] = {}
    for e in case.model.elements.values():
        for b in e.bodies if isinstance(e, Joint) else ():
            count[b.name] = count.get(b.name, 0) + 1
    return all(count.get(b.name, 0) > 1 for n in pins for b in case.model.elements[n].bodies)


def _assembled_as(case: Case, before: dict[str, float]) -> np.ndarray | None:
    """An assembly with every pin bent as estimated."""
    machine = case.machine
    start = machine.estimate()
    found = solutions(
        Closure(machine, case.t), lambda k: random_start(machine, start, k), TRIES, same_configuration(machine)
    )
    for q in sorted(found, key=lambda x: float(np.sum((x - start) ** 2))):
        there = bends(Stand(machine, q))
        if all(before[n] * there.get(n, 0.0) > 0 for n in before if abs(before[n]) > CLEAR):
            return q
    return None
