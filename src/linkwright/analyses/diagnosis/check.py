"""What is right and wrong with a machine, before anything moves: counted, and by rank, with names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly import singular
from linkwright.analyses.assembly.assemble import WRONG_SPACE, close, wrong_roots
from linkwright.analyses.assembly.closure import farthest
from linkwright.analyses.assembly.freedom import good_to_drive
from linkwright.analyses.assembly.locked import locked_start
from linkwright.analyses.assembly.overlaps import overlaps
from linkwright.analyses.diagnosis.ahead import ahead
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.effects import EFFECTS
from linkwright.analyses.diagnosis.integrable import is_integrable
from linkwright.analyses.diagnosis.objections import objections, turns_about_one_axis
from linkwright.analyses.diagnosis.remedies.table import candidates
from linkwright.analyses.diagnosis.report import SERIOUS, Report
from linkwright.analyses.diagnosis.trial import offered
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.row_lengths import jacobian
from linkwright.equations.basic_constraints import between
from linkwright.equations.higher_pairs import gear_gap
from linkwright.equations.rotations import dot
from linkwright.equations.row_names import meaning
from linkwright.equations.spatial_pairs import rack_side
from linkwright.errors import AssemblyError
from linkwright.graph import Scalar
from linkwright.model import Distance, Driver, Finding, Fix, Gear, Joint, Model, Point, RackPinion, Spherical, a_model
from linkwright.model.findings import offering
from linkwright.solve.nearest import Found
from linkwright.solve.rank import analyse, dense, dependent_groups, is_sparse, left_null, rank_of, scaled


@by_name
def check(model: Model, t: float = 0.0, *, t_end: float | None = None) -> Report:
    """Assemble the machine and examine its equations there and nearby.

    Parameters
    ----------
    model : Model
        The machine.
    t : float
        The time of the drivers [s].
    t_end : float, optional
        A driven machine is followed until then [s]: what it runs into is reported, too.

    Returns
    -------
    Report
        Degrees of freedom, redundancy, contradictions, drivers: `.ok`, `.dof`, `.redundant`, `.findings`, ...; printed, it
        explains.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum")
    >>> arm = m.body("arm", position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> report = lw.check(m)
    >>> report.ok, report.dof, report.redundant
    (True, 1, [])
    """
    findings = list(a_model(model).validate())
    machine = Machine(model, t, by_shapes=True)
    rows = machine.system.rows
    open_: tuple[str, ...] = ()  # elements that contradict each other
    try:
        found = close(machine, t)
        q, closed = found.q, True
        findings += _estimates(machine, found)
    except AssemblyError as error:
        findings.append(_not_closing(error))
        open_ = () if error.feasible else error.element
        q = machine.estimate() if error.partial is None else error.partial.q
        closed = False
    J = jacobian(machine, q, t)
    here = rank_of(J, machine.scale)
    joints = ~machine.is_driver
    large = machine.nv > size_policy.SPARSE_RANK  # each rank takes long there: none is asked for twice
    locked = locked_start(machine, q, t) if closed else None
    q_general = locked.other if locked else q
    if closed and not locked:
        q_general = singular.elsewhere(machine, q, t, here if large and joints.all() else None)
    J_general = jacobian(machine, q_general, t)
    groups = dependent_groups(J_general, machine.scale, joints) if large else []
    general = len(rows) - len(groups) if large else here if q_general is q else rank_of(J_general, machine.scale)
    rank_joints = general if joints.all() else rank_of(J_general[joints], machine.scale)
    rank = max(here, general)
    if general < here or not large:
        groups = dependent_groups(J_general if general >= here else J, machine.scale, joints)
    report = Report(
        model.name, closed, machine.nv, len(rows), rank, machine.nv - rank, machine.nv - rank_joints,
        int(machine.is_driver.sum()), [[rows[k].name for k in g] for g in groups], closed=closed,
    )  # fmt: skip
    held = np.array([row.rate is None for row in rows], dtype=bool)
    integrable = held.all() or (not large and closed and is_integrable(machine, q_general, t))
    report.position_dof = report.dof if integrable else machine.nv - rank_of(J_general[held], machine.scale)
    fighting = [g for g in groups if open_ and _contradict(machine, g, open_, q, t)]
    findings = [_with_rows(machine, f, fighting) if f.code == "contradiction" else f for f in findings]
    findings += _redundancies(machine, [g for g in groups if g not in fighting], open_)
    if closed:
        if locked:
            findings.append(Finding("locked-start", locked.elements, locked.text, locked.remedy))
        elif here < general:
            findings.append(_singular_here(machine, J, here, general))
        findings += [*_wrong_roots(machine, q, t), *_gear_gaps(machine, q, t), *objections(machine, q, t, J)]
        findings += _overlaps(machine, q, t)
        findings = [f for f in findings if not _about_one_axis(machine, f, [q, q_general], t)]
    if report.dof > 0:
        findings += _spins(machine, J_general)
        # what is good to drive where it starts is good: elsewhere only where that is singular
        findings.append(_free(machine, q if here >= general else q_general, t, report.dof))
    report.ok = closed and not any(f.code in SERIOUS for f in findings)
    case = Case(machine, q, q_general, t, report, lambda copy: check(copy, t, t_end=t_end), locked)
    report.findings = [_told(case, f, candidates(case, f)) for f in findings]
    if t_end is not None and report.ok and not report.dof and report.drivers:
        report.findings += [_told(case, f, fixes) for f, fixes in ahead(case, t_end)]
    report.ok = closed and not any(f.code in SERIOUS for f in report.findings)
    report.rows = _names(machine, groups)
    return report


def _told(case: Case, found: Finding, fixes: Iterator[Fix]) -> Finding:
    """A finding with why, with what it does to results, and with what finds its remedies."""
    f = replace(found, why=found.why or found.text, effect=EFFECTS[found.code])
    return offering(f, lambda: offered(case, f, fixes))


def _about_one_axis(machine: Machine, f: Finding, places: list[np.ndarray], t: float) -> bool:
    """Whether moments of inertia are odd that do not matter, as of a rotor of which only that about its axis is known."""
    return f.code == "inertia-implausible" and turns_about_one_axis(machine, f.elements[0], places, t)


def _names(machine: Machine, groups: list[list[int]]) -> dict[str, str]:
    """What the names of dependent equations mean."""
    rows = [machine.system.rows[k] for group in groups for k in group]
    own = {r.name[len(r.element.name) + 1 :] for r in rows}
    meanings = {name: meaning(name, machine.model.dimension) for name in sorted(own)}
    return {name: said for name, said in meanings.items() if said}


HARMLESS = "harmless for the motion, but forces in these joints are not unique; a joint with fewer equations mends it"


def _not_closing(error: AssemblyError) -> Finding:
    """The design is at fault, or only what is fixed."""
    code = "not-closing" if error.feasible else "contradiction"
    return Finding(code, error.element, error.cause, error.remedy)


def _estimates(machine: Machine, found: Found) -> list[Finding]:
    """Where the joints did not close by Newton's method from the estimates."""
    if not found.notes:
        return []
    body = farthest(machine, machine.estimate(), found.q)[0]
    remedy = f"look whether this assembly is the one that is meant; if not, mend the estimates, first that of {body}"
    return [Finding("estimates", (body,), note, remedy) for note in found.notes]


def _redundancies(machine: Machine, groups: list[list[int]], open_: tuple[str, ...]) -> list[Finding]:
    """Dependent equations; `open_`: elements that contradict each other, nothing about which is harmless."""
    found = []
    for group in groups:
        members = [machine.system.rows[k] for k in group]
        names = ", ".join(r.name for r in members)
        elements = tuple(dict.fromkeys(r.element.name for r in members))
        drivers = [r.name for r in members if r.driver]
        if drivers and len(drivers) > 1:
            text = f"the drivers {', '.join(drivers)} prescribe the same freedom ({names})"
            found.append(Finding("redundant-driver", elements, text, f"remove one of {', '.join(drivers)}"))
        elif drivers:
            text = f"the driver {drivers[0]} prescribes what the joints already decide ({names})"
            found.append(Finding("redundant-driver", elements, text, f"remove {drivers[0]}, or free what it should drive"))
        else:
            text = f"one of these equations follows from the others: {names}"
            remedy = HARMLESS if not set(elements) & set(open_) else "mend first what contradicts: this may go with it"
            found.append(Finding("redundant", elements, text, remedy))
    return found


def _contradict(machine: Machine, group: list[int], open_: tuple[str, ...], q: np.ndarray, t: float) -> bool:
    """Whether the combination of these rows that vanishes is asked to be something else, in a machine that stays open."""
    members = [machine.system.rows[k] for k in group]
    if any(r.driver for r in members) or not {r.element.name for r in members} & set(open_):
        return False
    Phi, J = machine.rows_at(q, t)
    S, lengths = scaled(dense(J[group]), machine.scale)
    combination = linear.svd(S)[0][:, -1]
    return bool(abs(combination @ (Phi[group] / lengths)) > 1e-9)


def _with_rows(machine: Machine, f: Finding, fighting: list[list[int]]) -> Finding:
    said = "".join(f"; {', '.join(machine.system.rows[k].name for k in group)} cannot hold together" for group in fighting)
    return replace(f, text=f.text + said)


def _singular_here(machine: Machine, J: Any, here: int, general: int) -> Finding:
    left = left_null(J, machine.scale)
    share = np.abs(left).max(axis=1) > 0.05 * np.abs(left).max()
    elements = tuple(dict.fromkeys(r.element.name for r, yes in zip(machine.system.rows, share, strict=True) if yes))
    text = (
        f"the assembled configuration is singular: rank {here} there, {general} nearby ({', '.join(elements)}). "
        "The motion may branch here"
    )
    return Finding("singular-start", elements, text, "start elsewhere, or choose a branch in kinematics(..., branch=n)")


def _wrong_roots(machine: Machine, q: np.ndarray, t: float) -> list[Finding]:
    space = machine.model.dimension == 3
    notes = wrong_roots(machine, q, t)
    remedy = "turn the estimate of one of its bodies, or exchange the ends of an axis"
    # antiparallel axes are legal in space (angles then count about the first axis); elsewhere it is another mechanism
    found = []
    for name, note in zip((name for name, sense in machine.senses(q, t).items() if sense < 0), notes, strict=True):
        legal = space and type(machine.model.elements[name]).__name__ not in WRONG_SPACE
        found.append(Finding("antiparallel" if legal else "wrong-root", (name,), note, remedy))
    return found


def _spins(machine: Machine, J: Any) -> list[Finding]:
    """Bodies held at points of one line only: each turns about it on its own, whatever the others do."""
    found = []
    joints: dict[str, list[Joint]] = {}
    for joint in (e for e in machine.model.elements.values() if isinstance(e, Joint)):
        for name in dict.fromkeys(b.name for b in joint.bodies):
            joints.setdefault(name, []).append(joint)
    J = J.tocsc() if is_sparse(J) else J
    for body, (_, at) in machine.system.coordinates.body_slices().items() if machine.model.dimension == 3 else ():
        held = joints.get(body, [])
        if len(held) < 2 or not all(_is_ball(e, body) for e in held):
            continue
        columns = dense(J[:, at])
        own = columns[np.abs(columns).any(axis=1)]
        if analyse(own, machine.scale[at]).rank == 5:
            text = f"{body} turns freely about the line of {' and '.join(e.name for e in held)}"
            remedy = (
                "harmless for the others; a Universal joint instead of a ball, or a Distance instead of the body, ends it"
            )
            found.append(Finding("spin", (body, *(e.name for e in held)), text, remedy))
    return found


def _is_ball(e: Joint, body: str) -> bool:
    """Whether a joint holds no more than a point of the body."""
    end = getattr(e, "point", None)  # of a composite joint: the end with the ball
    return type(e) in (Spherical, Distance) or (isinstance(end, Point) and end.body.name == body)


def _gear_gaps(machine: Machine, q: np.ndarray, t: float) -> list[Finding]:
    """Gears whose centres are not as far apart as their radii say, and racks in space: the pairs themselves do not care."""
    model = machine.model
    motion = Motion(machine, np.array([t]), q[None], machine.turns[None])
    gears = {e.name: _centres_apart(machine, e) for e in model.elements.values() if isinstance(e, Gear)}
    apart = iter(motion.evaluate([x for own in gears.values() for x in own]).reshape(-1, 2)) if gears else iter(())
    found = []
    for e in model.elements.values():
        if isinstance(e, Gear):
            wanted = abs(model.value(e.radii[0] + e.radii[1]))
            square, parallel = next(apart)
            if abs(parallel) > 0.999 and abs(square - wanted**2) > 1e-6 * wanted**2:  # bevel gears have other rules
                text = f"the centres of {e.name} are {np.sqrt(max(square, 0.0)):.6g} apart, its radii ask for {wanted:.6g}"
                remedy = "other joints must keep that distance: mend them, or the radii"
                found.append(Finding("gear-distance", (e.name,), text, remedy))
        elif isinstance(e, RackPinion) and model.dimension == 3:
            i, j = machine.system.geometry.frame(e.rack), machine.system.geometry.frame(e.centre)
            side, parallel = motion.evaluate([rack_side(i, j), dot(i.h, j.h)]).reshape(-1)
            if parallel > 0.999:  # else the frames do not fit, which is a wrong root
                found += _rack_gap(e.name, float(side), model.value(e.radius))
    return found


def _rack_gap(name: str, side: float, radius: float) -> list[Finding]:
    if abs(side - radius) <= 1e-6 * abs(radius):
        return []
    text = (
        f"the pinion's axis of {name} is {side:.6g} from the rack's pitch line, along its y axis, the radius is {radius:.6g}"
    )
    if abs(side + radius) <= 1e-6 * abs(radius):
        remedy = f"the pinion is on the other side of the rack and would turn the wrong way: give radius={-radius:.6g}"
    else:
        remedy = "other joints must keep that distance: mend them, the rack's point, or the radius"
    return [Finding("gear-distance", (name,), text, remedy)]


def _centres_apart(machine: Machine, e: Gear) -> list[Scalar]:
    """The square of the distance of the centres, in space of the axes; and the cosine between the axes."""
    g = machine.system.geometry
    if machine.model.dimension == 2:
        R_i, R_j = e.radii
        return [gear_gap(g.point(e.centre_i), R_i, g.point(e.centre_j), R_j) + (R_i + R_j) ** 2, 1.0]
    i, j = g.frame(e.centre_i), g.frame(e.centre_j)
    d = between(i.origin, j.origin)
    return [dot(d, d) - dot(i.h, d) ** 2, dot(i.h, j.h)]


def _overlaps(machine: Machine, q: np.ndarray, t: float) -> list[Finding]:
    """Contacts with restitution alone that begin within each other: `dynamics` refuses them."""
    return [
        Finding("overlap", (name,), f"the bodies of {name} are within each other by {depth:.3g} where the machine begins",
                "begin with them apart, or give the contact a stiffness k")
        for name, depth in overlaps(machine, q, t)
    ]  # fmt: skip


def _free(machine: Machine, q: np.ndarray, t: float, dof: int) -> Finding:
    driven = any(isinstance(e, Driver) for e in machine.model.elements.values())
    text = f"{dof} degree{'s' * (dof != 1)} of freedom {'are' if dof != 1 else 'is'} {'still ' if driven else ''}free"
    return Finding("free", (), text, f"for kinematics add as many drivers; {good_to_drive(machine, q, t)}")
