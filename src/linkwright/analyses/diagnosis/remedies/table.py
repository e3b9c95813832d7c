"""Which candidates a code has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.remedies import bodies, closing, drivers, joints
from linkwright.model import Finding, Fix

Candidates: TypeAlias = Callable[[Case, Finding], Iterator[Fix]]


def candidates(case: Case, finding: Finding) -> Iterator[Fix]:
    """Of a finding of a machine; none are looked for before one is asked for."""
    if finding.code in CANDIDATES:
        yield from CANDIDATES[finding.code](case, finding)


CANDIDATES: dict[str, Candidates] = {
    "free": drivers.free,
    "redundant": joints.redundant,
    "redundant-driver": drivers.redundant_driver,
    "contradiction": closing.contradiction,
    "not-closing": closing.not_closing,
    "estimates": closing.estimates,
    "wrong-root": joints.turned_round,
    "antiparallel": joints.turned_round,
    "spin": joints.spin,
    "singular-start": drivers.singular_start,
    "locked-start": drivers.locked_start,
    "gear-distance": joints.gear_distance,
    "exact-fit": closing.contradiction,
    "undefined": closing.undefined,
    "just-reaches": bodies.just_reaches,
    "overlap": bodies.overlap,
    "island": bodies.island,
    "no-inertia": bodies.no_inertia,
    "inertia-implausible": bodies.implausible,
    "cam-concave": bodies.concave,
    "roller-too-large": bodies.hollow,
}
