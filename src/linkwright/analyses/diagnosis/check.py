"""What is right and wrong with a machine, before anything moves: counted, and by rank, with names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly import singular
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.assembly.closure import farthest, impatient
from linkwright.analyses.assembly.freedom import good_to_drive
from linkwright.analyses.assembly.locked import locked_start
from linkwright.analyses.assembly.overlaps import deep, overlaps, striking, within
from linkwright.analyses.diagnosis import bodies, laws, nearly
from linkwright.analyses.diagnosis.ahead import ahead
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.conflicts import conflict
from linkwright.analyses.diagnosis.effects import EFFECTS
from linkwright.analyses.diagnosis.integrable import unheld
from linkwright.analyses.diagnosis.lifting import leaving
from linkwright.analyses.diagnosis.nearly import just_reaches
from linkwright.analyses.diagnosis.numbers import Suspicion, degrees, mixed_units, suspicions
from linkwright.analyses.diagnosis.objections import objections, turns_about_one_axis
from linkwright.analyses.diagnosis.pairs import gear_gaps, spins, wrong_ways
from linkwright.analyses.diagnosis.remedies.table import candidates
from linkwright.analyses.diagnosis.report import ODD, SERIOUS, Report
from linkwright.analyses.diagnosis.spans import cannot_span
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.diagnosis.structure import (
    contradict,
    finite_place,
    gap,
    lost_reactions,
    names_of,
    no_velocity,
    redundancies,
    singular_here,
    with_rows,
)
from linkwright.analyses.dynamics.contact.gone_through import gone_through
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.prescribed import check_finite
from linkwright.analyses.machine.row_lengths import jacobian
from linkwright.errors import AssemblyError, ModelError
from linkwright.linear import NotFiniteError
from linkwright.model import Driver, Finding, Fix, Model, a_model
from linkwright.model.findings import offering
from linkwright.solve.nearest import Found
from linkwright.solve.rank import dense, dependent_groups, rank_of

EXACT = 2e-4  # of the machine's length: gaps below this are digits that are missing


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
    q, closed, more, open_ = _put_together(machine, t)
    findings += more
    q = finite_place(machine, q, t)
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
        if len(groups) < len(rows) - max(general, here):  # rows just short of dependent elsewhere: they are so here
            groups = dependent_groups(J, machine.scale, joints)
    report = Report(
        model.name, closed, machine.nv, len(rows), rank, machine.nv - rank, machine.nv - rank_joints,
        int(machine.is_driver.sum()), [[rows[k].name for k in g] for g in groups], closed=closed,
        singular_values=gap(machine, J_general if general >= here else J, rank),
    )  # fmt: skip
    held = np.array([row.rate is None for row in rows], dtype=bool)
    if held.all() or closed:
        report.position_dof = report.dof + (0 if held.all() else unheld(machine, q_general, t))
    else:
        report.position_dof = machine.nv - rank_of(J_general[held], machine.scale)
    fighting = [g for g in groups if open_ and contradict(machine, g, open_, q, t)]
    findings = [with_rows(machine, f, fighting) if f.code in ("contradiction", "exact-fit") else f for f in findings]
    case = Case(machine, q, q_general, t, report, lambda copy: check(copy, t, t_end=t_end), locked)
    asked = [no_velocity(machine, g, q, t) if closed and not locked else None for g in groups]
    findings += [f for f in asked if f]
    rest = [g for g, f in zip(groups, asked, strict=True) if g not in fighting and not f]
    lost = lost_reactions(Stand(machine, q_general if general >= here else q), J_general if general >= here else J, rest)
    twice = [f for f in redundancies(machine, rest, open_, lost) if not _is_said(f, findings)]
    degenerate = twice or ([singular_here(machine, J, here, general)] if here < general else [])
    reaches = closed and just_reaches(case, here, degenerate)
    if reaches:
        findings.append(_just_reaches(degenerate))
    else:
        findings += twice
    if closed:
        if locked:
            findings.append(Finding("locked-start", locked.elements, locked.text, locked.remedy, locked.where))
        elif here < general and not reaches:
            findings.append(singular_here(machine, J, here, general))
        findings += [*wrong_ways(machine, q, t), *gear_gaps(machine, q, t), *objections(machine, q, t, J)]
        findings += _overlaps(machine, q, t)
        # moments of inertia may be odd that do not matter, as of a rotor of which only that about its axis is known
        findings = [f for f in findings if f.code != "inertia-implausible"
                    or not turns_about_one_axis(machine, f.elements[0], [q, q_general], t)]  # fmt: skip
    if report.dof > 0 and not reaches:
        findings += spins(machine, J_general)
        # what is good to drive where it starts is good: elsewhere only where that is singular
        findings.append(_free(machine, q if here >= general else q_general, t, report.dof))
    report.ok = closed and not any(f.code in SERIOUS for f in findings)
    report.findings = [_told(case, f, candidates(case, f)) for f in findings]
    _suspected(case, J)
    if t_end is not None and report.ok and not report.dof and report.drivers:
        report.findings += [_told(case, f, fixes) for f, fixes in [*ahead(case, t_end), *leaving(case, t_end)]]
    report.ok = closed and not any(f.code in SERIOUS for f in report.findings)
    report.rows = names_of(machine, groups)
    return report


def _put_together(machine: Machine, t: float) -> tuple[np.ndarray, bool, list[Finding], tuple[str, ...]]:
    """Where the machine was assembled or came nearest to that, whether it closes, what is to be said of that, and which
    elements contradict each other."""
    try:
        check_finite(machine.geometry, np.array([t]))
    except ModelError as error:
        return machine.estimate(), False, [Finding("undefined", error.element, error.told, error.remedy)], ()
    try:
        found = close(machine, t)
    except NotFiniteError as error:
        return machine.estimate(), False, [_no_slope(machine, t, error)], ()
    except AssemblyError as error:
        q = machine.estimate() if error.partial is None else error.partial.q
        return q, False, [_not_closing(machine, q, t, error)], () if error.feasible else error.element
    return found.q, True, _estimates(machine, found), ()


def _no_slope(machine: Machine, t: float, error: NotFiniteError) -> Finding:
    """A formula that has a value at the estimates and no finite slope, such as a root at zero."""
    with np.errstate(all="ignore"):
        J = dense(machine.rows_at(machine.estimate(), t)[1])
    rows = [r for r, own in zip(machine.system.rows, J, strict=True) if not np.isfinite(own).all()]
    names = tuple(dict.fromkeys(r.element.name for r in rows)) or tuple(error.element)
    text = f"{' and '.join(names)} changes at an infinite rate where you estimate the bodies, or has no value there"
    return Finding("undefined", names, text, "estimate positions at which the formula is smooth")


def _suspected(case: Case, J: Any) -> None:
    """Puts what is odd about numbers, formulas and places into the report: where the machine does not close, first, since
    that may be why."""
    known = {f.code for f in case.report.findings}
    odd: list[Suspicion] = []
    if case.report.closed:
        odd += [*suspicions(case), *laws.oddities(case), *bodies.oddities(case)]
        if not known & {"wrong-root", "singular-start", "estimates"}:
            odd += nearly.oddities(case, J)
    else:
        odd += [*degrees(case), *mixed_units(case)]
    # a formula without a value is told once, and an angle in degrees not as whole turns, too
    odd = [(f, fixes) for f, fixes in odd if not (f.code == "undefined" and "undefined" in known)]
    wrong = {n for f, _ in odd if f.code == "degrees" for n in f.elements}
    odd = [(f, fixes) for f, fixes in odd if f.code != "whole-turns" or not wrong & set(f.elements)]
    made = [_told(case, f, iter(fixes)) for f, fixes in odd]
    found = case.report.findings
    free = [f for f in found if f.code == "free"]
    case.report.findings = [*(f for f in found if f.code != "free"), *made, *free] if case.report.closed else [*made, *found]


def _is_said(twice: Finding, findings: list[Finding]) -> bool:
    """Whether a machine that stays open has a driver among what contradicts: where it is nearest to closing links are in
    line as a rule, and conditions dependent that are not elsewhere."""
    open_ = [set(f.elements) for f in findings if f.code in ("contradiction", "exact-fit")]
    return twice.code == "redundant-driver" and any(set(twice.elements) <= own for own in open_)


def _just_reaches(twice: list[Finding]) -> Finding:
    elements = tuple(dict.fromkeys(n for f in twice for n in f.elements))
    text = f"the lengths just reach: {', '.join(elements)} close in this one position only, in line"
    return Finding("just-reaches", elements, text, "make one of the lengths a little longer or shorter")


def _told(case: Case, found: Finding, fixes: Iterator[Fix]) -> Finding:
    """A finding with why, with what it does to results, and with what finds its remedies."""
    f = replace(found, why=found.why or found.text, effect=EFFECTS[found.code])
    return offering(f, lambda: offered(case, f, fixes))


def _not_closing(machine: Machine, q: np.ndarray, t: float, error: AssemblyError) -> Finding:
    """What is fixed is at fault, a formula, or the design: then who of it, and by how much."""
    if error.feasible:
        return Finding("not-closing", error.element, error.cause, error.remedy)
    if any(np.isinf(x) for x in error.residuals.values()):
        return Finding("undefined", error.element, error.told, error.remedy)
    found = conflict(machine, q, t, error.element)
    if found is None:
        return Finding("contradiction", error.element, error.cause, error.remedy)
    if found.gap < EXACT * machine.length:
        text = (
            f"{', '.join(found.elements)} close only with exact numbers, and yours are off by {found.gap:.3g} {found.unit}"
        )
        remedy = "give the numbers as formulas, or a joint with play in that direction"
        return Finding("exact-fit", found.elements, text, remedy, found.told)
    span = cannot_span(machine, found.elements)
    text = f"you ask for too much at once: {found.told}"
    why = f"{span}; {error.cause}" if span else error.cause
    return Finding("contradiction", found.elements, text, error.remedy, why)


def _estimates(machine: Machine, found: Found) -> list[Finding]:
    """Where the joints did not close by Newton's method from the estimates."""
    if not found.notes:
        return []
    body = farthest(machine, machine.estimate(), found.q)[0]
    remedy = f"look whether this assembly is the one you mean; if not, mend the estimates, first that of {body}"
    return [Finding("estimates", (body,), note, remedy) for note in found.notes]


def _overlaps(machine: Machine, q: np.ndarray, t: float) -> list[Finding]:
    """Contacts with restitution alone that begin within each other: `dynamics` refuses them."""
    found = [
        Finding("overlap", (name,), f"{deep(machine, name, depth)} where the machine begins",
                within(machine, t, name, depth).remedy)
        for name, depth in overlaps(machine, q, t)
    ]  # fmt: skip
    if not found and (strikes := striking(machine)):  # shapes may be so deep within each other that no gap tells of it
        here = States(np.array([t]), q[None], np.zeros((1, machine.nv)), machine.turns[None])
        wrong = gone_through(machine, here, np.zeros(1, dtype=bool))[1]
        if wrong is not None and wrong.element[0] in strikes:
            found = [Finding("overlap", wrong.element, wrong.cause, wrong.remedy)]
    return found


def _free(machine: Machine, q: np.ndarray, t: float, dof: int) -> Finding:
    driven = any(isinstance(e, Driver) for e in machine.model.elements.values())
    text = f"{dof} degree{'s' * (dof != 1)} of freedom {'are' if dof != 1 else 'is'} {'still ' if driven else ''}free"
    return Finding("free", (), text, f"for kinematics add as many drivers; {good_to_drive(machine, q, t)}")


# Remedies are tried before they are offered: each on a copy of the model, which `check` must then find mended.

MOST_OFFERED = 5
OPEN = ("contradiction", "exact-fit")  # a machine that does not close is to move when it does
MOST_TRIED, MOST_TRIED_LARGE = 40, 4  # a trial costs a check; of a large machine that is a second


def offered(case: Case, finding: Finding, candidates: Iterator[Fix]) -> list[Fix]:
    """Those of the candidates that mend the finding, the best first: those that leave fewest objections, a machine that
    moves, and fewest redundant equations; then those that were thought of first. Findings about the same have the same."""
    key = finding.code, finding.elements
    if key not in case.offered:
        case.offered[key] = _offered(case, finding, candidates)
    return case.offered[key]


def _offered(case: Case, finding: Finding, candidates: Iterator[Fix]) -> list[Fix]:
    found: list[tuple[tuple[int, ...], Fix]] = []
    for k, fix in enumerate(islice(candidates, MOST_TRIED_LARGE if case.large else MOST_TRIED)):
        if any(fix.text == known.text for _, known in found):
            continue
        after = tried(case, fix)
        if after is not None and mended(case.report, finding, after):
            more = after.redundant_count - (0 if finding.code == "redundant" else case.report.redundant_count)
            stuck = 0 if after.mobility or finding.code not in OPEN else 1
            found.append(((len(objecting(after)), stuck, max(more, 0), k), replace(fix, outcome=after.summary)))
            if sum(not any(key[:3]) for key, _ in found) >= MOST_OFFERED:
                break
    return [fix for _, fix in sorted(found, key=lambda x: x[0])[:MOST_OFFERED]]


def tried(case: Case, fix: Fix) -> Report | None:
    """What `check` says of a copy with the remedy; None where it cannot be made."""
    with impatient():
        return ask(lambda: case.again(fix.apply(case.model))).found


def objecting(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.code in SERIOUS or f.code in ODD]


def mended(before: Report, finding: Finding, after: Report) -> bool:
    """Whether the finding is gone and nothing worse has come in its place."""
    if before.closed and not after.closed:
        return False
    if finding.code == "free":
        return after.dof < before.dof and not after.redundant_count > before.redundant_count and not _new(before, after)
    if finding.code == "redundant":
        same_freedom = (after.mobility, after.dof) == (before.mobility, before.dof)
        return same_freedom and after.redundant_count < before.redundant_count and not _new(before, after)
    same = {f.elements for f in before.findings if f.code == finding.code}
    remaining = [f for f in after.findings if f.code == finding.code]
    gone = len(remaining) < len(same) or (len(same) == 1 and not remaining)
    return gone and not any(f.elements == finding.elements for f in remaining) and not _new(before, after)


def _new(before: Report, after: Report) -> bool:
    """Whether there are objections of another kind, or more of a kind, than before. What was hidden while the machine did
    not close does not count, unless it is serious."""
    known: dict[str, int] = {}
    for f in before.findings:
        known[f.code] = known.get(f.code, 0) + 1
    seen: dict[str, int] = {}
    for f in objecting(after) if before.closed else [f for f in after.findings if f.code in SERIOUS]:
        seen[f.code] = seen.get(f.code, 0) + 1
    return any(count > known.get(code, 0) for code, count in seen.items())
