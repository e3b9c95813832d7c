"""Remedies that change what is driven, or where a motion begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from linkwright.analyses.assembly.freedom import good_drivers
from linkwright.analyses.diagnosis.case import Case
from linkwright.model import TIME, Driver, Finding, Fix, Motion, Polynomial, Table
from linkwright.model.changes import Add, Change, Put, Remove

CHOICES = 4  # quantities to drive that are offered


def free(case: Case, finding: Finding) -> Iterator[Fix]:
    """As many drivers as there are freedoms, each holding its quantity where it is; where one will do, each of the best."""
    place = case.q if case.report.ok else case.general
    names = good_drivers(case.machine, place, case.t)
    if case.report.dof == 1:
        for name in names[:CHOICES]:
            yield Fix(f"drive {name}", _drivers(case, [name]))
    elif case.report.dof <= 12:
        chosen = _independent(case, names)
        yield Fix(f"drive {', '.join(chosen)}", _drivers(case, chosen))


def _independent(case: Case, names: list[str]) -> list[str]:
    """So many of them that each tells a freedom of its own, the best first."""
    chosen: list[str] = []
    dof = case.report.dof
    for name in names[:60]:
        if len(chosen) == case.report.dof:
            break
        copy = Fix("", _drivers(case, [*chosen, name])).apply(case.model)
        left = case.again(copy).dof
        if left < dof:
            chosen, dof = [*chosen, name], left
    return chosen


def _drivers(case: Case, names: list[str]) -> tuple[Change, ...]:
    values = case.values(names)
    taken = set(case.model)
    out: list[Change] = []
    for name, value in zip(names, values, strict=True):
        label = next(x for k in count(1) if (x := f"drive {name}" + (f" {k}" if k > 1 else "")) not in taken)
        label = "".join(c if c not in ".()," else " " for c in label).strip()
        taken.add(label)
        out.append(Add(label, Driver, (("quantity", case.formula(name)), ("motion", float(f"{value:.12g}")))))
    return tuple(out)


def redundant_driver(case: Case, finding: Finding) -> Iterator[Fix]:
    for name in [n for n in finding.elements if isinstance(case.model.elements[n], Driver)][::-1]:
        yield Fix(f"remove {name}", (Remove(name),))


def singular_start(case: Case, finding: Finding) -> Iterator[Fix]:
    """Estimates a little away from where it is singular, and motions that begin there."""
    yield begun(case, case.general, "start a little away from there")


def locked_start(case: Case, finding: Finding) -> Iterator[Fix]:
    """The same of a machine that is locked; or something else that is driven."""
    if case.locked is not None:
        yield begun(case, case.locked.other, "start where it is not locked")
    drivers = [n for n in finding.elements if isinstance(case.model.elements[n], Driver)]
    for driver in drivers:
        for name in good_drivers(case.machine, case.q, case.t)[:CHOICES]:
            value = float(f"{case.values([name])[0]:.12g}")
            changes: tuple[Change, ...] = (Put(driver, "quantity", case.formula(name)), Put(driver, "motion", value + TIME))
            yield Fix(f"let {driver} drive {name}", changes)
        yield Fix(f"remove {driver}", (Remove(driver),))


def begun(case: Case, q: np.ndarray, text: str) -> Fix:
    """Estimates at q, and every driver shifted so that its motion begins there."""
    changes: list[Change] = list(case.estimates(q))
    drivers = [e for e in case.model.elements.values() if isinstance(e, Driver)]
    values = case.values([e.quantity for e in drivers], q) if drivers else []
    for e, value in zip(drivers, values, strict=True):
        shift = value - case.machine.driver_value(e, case.t)
        if abs(shift) > 1e-12:
            changes.append(Put(e.name, "motion", shifted(case, e.motion, shift)))
    return Fix(text, tuple(changes))


def shifted(case: Case, motion: Any, shift: float) -> Any:
    """A motion from another beginning; those with a name only where they have an offset of their own."""
    shift = float(f"{shift:.12g}")
    if isinstance(motion, Polynomial):
        return replace(motion, coefficients=(motion.coefficients[0] + shift, *motion.coefficients[1:]))
    if isinstance(motion, Table):
        return replace(motion, y=tuple(y + shift for y in motion.y))
    if isinstance(motion, Motion):
        return replace(motion, offset=motion.offset + shift)  # type: ignore[attr-defined, call-arg]
    return case.model.trace(motion, {"t": TIME}) + shift


def scaled_motion(case: Case, motion: Any, factor: float, start: float) -> Any:
    """A motion that goes so far of its way from where it starts; None for those that are more than a formula."""
    if isinstance(motion, Motion):
        return None
    return start + factor * (case.model.trace(motion, {"t": TIME}) - start)
