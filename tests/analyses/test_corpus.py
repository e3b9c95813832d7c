"""The corpus of broken machines: every cause and every culprit is named, and nothing is said of healthy machines."""

import pytest

import linkwright as lw
from linkwright.analyses.diagnosis.effects import EFFECTS
from linkwright.analyses.diagnosis.report import ODD, SERIOUS
from linkwright.corpus import entries
from linkwright.corpus.entries import GROUPS
from linkwright.corpus.scores import SAID, one
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


LONGEST = {"text": 160, "remedy": 130, "why": 220, "effect": 110}  # characters


def _badly_told(f):
    """Fields of a finding that are missing, long, or in words of solvers."""
    for name, most in LONGEST.items():
        text = getattr(f, name)
        if not text or len(text) > most or SOLVER_WORDS.search(text):
            yield f"{f.code}: {name}: {text}"


@pytest.mark.parametrize("group", GROUPS)
def test_causes_and_culprits(group):
    wrong = []
    for e in (e for e in ENTRIES if e.group == group):
        findings = lw.check(e.build(), t_end=e.t_end).findings
        wrong += [(e.name, said) for f in findings for said in _badly_told(f)]
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


def test_units_do_not_matter_for_rank():
    """The same machine a thousand times larger: the same rank, groups, and singular values on either side of it."""

    def door(size):
        m = lw.SpatialModel("door")
        leaf = m.body("leaf")
        for name, z in (("low", -0.5), ("high", 0.5)):
            m.add(lw.Revolute(name, m.ground.at(0, 0, z * size), leaf.at(0, 0, z * size)))
        return lw.check(m)

    metres, millimetres = door(1.0), door(1000.0)
    assert metres.redundant == millimetres.redundant
    assert metres.singular_values[0] == pytest.approx(millimetres.singular_values[0], rel=1e-9)
    assert metres.singular_values[1] < 1e-12 < 1e-2 < metres.singular_values[0]
    assert "rank decided between relative singular values" in str(metres)
