"""The corpus of broken machines: every cause and every culprit is named, and nothing is said of healthy machines."""

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright import linear
from linkwright.analyses.diagnosis.effects import EFFECTS
from linkwright.analyses.diagnosis.report import ODD, SERIOUS
from linkwright.analyses.machine.machine import Machine
from linkwright.corpus import entries
from linkwright.corpus.entries import GROUPS
from linkwright.corpus.parts import four_bar, gear_pair, slider_crank
from linkwright.corpus.scores import SAID, one
from linkwright.solve.rank import dense, dependent_groups, rank_of, scaled
from test_messages import SOLVER_WORDS

ENTRIES = entries()


def test_the_corpus_is_large_and_covers_every_code():
    assert len(ENTRIES) >= 100
    assert {e.group for e in ENTRIES} == set(GROUPS)
    assert sum(not e.code for e in ENTRIES) >= 25
    assert {e.code for e in ENTRIES} - {""} == set(EFFECTS) - {"stopped"}
    assert {*SERIOUS, *ODD} <= set(EFFECTS)
    spatial = [e for e in ENTRIES if e.build().dimension == 3]
    assert 25 <= len(spatial) <= len(ENTRIES) - 50


# half a turn, a line, or a formula: what they are about has no number
WITHOUT_NUMBERS = ("wrong-root", "antiparallel", "spin", "undefined", "just-reaches", "redundant-driver", "estimates")
LONGEST = {"text": 160, "remedy": 130, "why": 220, "effect": 110}  # characters


def _badly_told(f):
    """Fields of a finding that are missing, long, or in words of solvers."""
    for name, most in LONGEST.items():
        text = getattr(f, name)
        if not text or len(text) > most or SOLVER_WORDS.search(text):
            yield f"{f.code}: {name}: {text}"
    if f.code not in WITHOUT_NUMBERS and not re.search(r"\d", f"{f.text} {f.why}"):
        yield f"{f.code}: no number: {f.why}"


# By how much the last element of a conflict misses, from the builders' numbers; in the units of what is missed.
GAPS = {
    "two pins in two places": "0.1 m", "held at two heights": "0.3 m", "two lengths between the same points": "0.2 m",
    "welded to two places": "0.3 m", "guides at an angle and turned": "0.2 rad", "driver across a guide": "0.1 m",
    "motors that ask for different angles": "0.5 rad", "rod that does not reach": "1.5 m",
    "four bar with a base too long": "1 m", "slider guide out of reach": "0.2 m", "two rods too short to meet": "1 m",
    "four bar a tenth too short": "0.1 m",  # 6.1 less 1 + 3 + 2
    "cranks with a bar too long": "0.2 m",  # 1.6 less 0.2 + 1 + 0.2
    "piston offset beyond its rod": "0.09 m",  # 0.22 less 0.03 + 0.1
    "welded at two angles": "0.1 rad",
    "tie that is too long": "4.7 m",  # 12 less 4.803 + 2.5, from A to the far side of the rocker and along the coupler
    "hinges rounded to four digits": "4.71e-05 m",  # (1, 1)/30000
    "heights that differ in the fifth digit": "6.78e-06 m",  # sqrt(1/2) - 0.7071
    "four bar in space with a pin that leans": "0.0001 rad",
}  # fmt: skip


@pytest.mark.parametrize("group", GROUPS)
def test_causes_and_culprits(group):
    wrong = []
    for e in (e for e in ENTRIES if e.group == group):
        findings = lw.check(e.build(), t_end=e.t_end).findings
        wrong += [(e.name, said) for f in findings for said in _badly_told(f)]
        if e.name in GAPS and f" by {GAPS[e.name]}" not in next(f.text for f in findings if f.code == e.code):
            wrong.append((e.name, GAPS[e.name]))
        said = {f.code for f in findings} & (SAID | {e.code})
        named = {n for f in findings if f.code == e.code for n in f.elements}
        if not said <= {e.code} | e.also or (e.code and e.code not in said) or named != e.elements:
            wrong.append((e.name, said, named))
    assert wrong == []


# remedies of all of them are scored by `linkwright bench diagnosis`, in two minutes; the manual has one of each code
@pytest.mark.parametrize(
    "name",
    [
        "pin said twice", "heights that differ in the fifth digit", "flat kite", "bob driven past its rod",
        "motor on a welded body", "last link without mass", "block turned round in its guide", "inertia in kg mm2",
        "gear on a slide", "motor that jumps", "stone that flies",
    ],
)  # fmt: skip
def test_remedies(name):
    [entry] = [e for e in ENTRIES if e.name == name]
    scored = one(entry)
    assert scored.right, scored.said


def _sized(size):
    """Machines of the corpus and their like with lengths in another unit."""
    door = lw.SpatialModel("door")
    leaf = door.body("leaf")
    for name, z in (("low", -0.5), ("high", 0.5)):
        door.add(lw.Revolute(name, door.ground.at(0, 0, z * size), leaf.at(0, 0, z * size)))
    yield door
    yield lw.embed(four_bar(size, 3 * size, 2.5 * size, 3 * size))
    yield four_bar(size, 2 * size, size, 2 * size, angle=0.0, motion="t")
    yield lw.embed(slider_crank(0.2 * size, 0.5 * size))
    yield slider_crank(0.2 * size, 0.5 * size, angle=2e-4, motion="2e-4 + t")
    yield gear_pair(0.3 * size, (0.1 * size, 0.2 * size))


def _told_of(report):
    """Moments of inertia stay as they are: they are odd in a machine of another size."""
    found = [(f.code, f.elements) for f in report.findings if f.code != "inertia-units"]
    return report.rank, report.dof, report.redundant, found


def test_units_do_not_matter_for_rank():
    """The same machines a million times smaller and larger: the same rank, groups and findings, with a wide gap."""
    metres = list(map(lw.check, _sized(1.0)))
    for size in (1e-6, 1e-3, 1e3, 1e6):
        for plain, other in zip(metres, map(lw.check, _sized(size)), strict=True):
            assert _told_of(plain) == _told_of(other)
            for report in (plain, other):  # at a place nearby, which is not the same one in both
                assert report.singular_values[1] < 1e-12 < 1e-3 < report.singular_values[0]
            assert ("rank decided between relative singular values" in str(plain)) == bool(plain.redundant)


@pytest.mark.parametrize("unit", [1e3, 1e-3, 1e6])
def test_units_do_not_matter_for_rank_in_the_corpus(unit):
    """The equations of every machine that is singular or held twice, written in another unit of length."""
    for e in (e for e in ENTRIES if e.group in ("redundant", "singular", "drivers")):
        machine = Machine(e.build())
        J, lengths = dense(machine.rows_at(machine.estimate(), 0.0)[1]), np.zeros(machine.nv, dtype=bool)
        for _, at in machine.system.coordinates.body_slices().values():
            lengths[at.start : at.start + machine.model.dimension] = True
        other = unit * J / np.where(lengths, unit, 1.0)  # rows of lengths; those of angles are scaled to length one anyway
        scale = np.where(lengths, unit * machine.scale, 1.0)
        assert rank_of(other, scale) == rank_of(J, machine.scale), e.name
        values = [linear.singular_values(scaled(x, by)[0]) for x, by in ((J, machine.scale), (other, scale))]
        assert values[0] == pytest.approx(values[1], abs=1e-12 * values[0][0]), e.name
        # where several groups could be told the same ones are
        assert dependent_groups(other, scale) == dependent_groups(J, machine.scale), e.name
