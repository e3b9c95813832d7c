"""Some machines of the campaign in every run of the tests: the same ones each time."""

from __future__ import annotations

import pytest

import linkwright as lw
from fuzz.campaign import STARTS, machine
from fuzz.cases import Case, Structure
from fuzz.grow import grow
from fuzz.invariants import asked
from fuzz.render import model

# structures that are quick to compile and, together, ask every invariant of plane and space; each with a few sets of numbers
FIRST = (2003, 2006, 2010, 2012, 2016, 2018, 2023, 2024, 2028, 2038, 2046, 2050, 2051, 2055, 2025, 2040, 2043, 2054)
# the same of impacts, tables, a tyre, a rail in space, fixed starts
MORE = (2100, 2136, 2148, 2201, 2270, 2323, 2373)
# and of what rolls, skates and is controlled; what sticks, touches, has ropes, belts, motors and states is among those above
MORE += (2463, 2489, 2702)
NUMBERS = dict.fromkeys(FIRST, 2) | dict.fromkeys(MORE, 1)


@pytest.mark.parametrize("seed", NUMBERS)
def test_invariants(seed):
    structure, failed, checks = Structure(seed), [], 0
    for count in range(NUMBERS[seed]):

        def say(what, *more, count=count):
            nonlocal checks
            checks += what == "checked"
            if what == "failed":
                failed.append((f"{seed}:{count}", *more))

        machine(structure, count, say)
    assert not failed
    assert checks


def test_a_machine_is_its_seed():
    """The same seed gives the same machine, another count of numbers the same structure."""
    one, again, other = grow(2001, 4), grow(2001, 4), grow(2001, 5)
    assert model(one).content() == model(again).content()
    assert [(x.kind, x.name, x.bodies) for x in one.items] == [(x.kind, x.name, x.bodies) for x in other.items]
    assert model(one).content() != model(other).content()


def test_a_wrong_number_is_found():
    """The invariants can fail: a body that weighs more than the analysis was told, a spring that pulls otherwise."""
    from dataclasses import replace

    from fuzz.balance import energy, newton_euler

    case = Case(Structure(2001), 0)
    heavier = tuple(replace(p, mass=p.mass * 1.001) for p in case.drawn.parts)
    wrong = replace(case.base, sketch=replace(case.drawn, parts=heavier))
    assert newton_euler(case.base) == []
    assert newton_euler(wrong)
    assert energy(wrong)


def test_an_error_in_another_start_ends_that_start_alone():
    """Other starts are asked for one by one, each run where it is checked: an error there leaves those that follow."""
    case = Case(Structure(1), 0)
    questions = [holds for name, holds in asked(case, "energy") if name == "another start"]
    assert len(questions) == STARTS
    case.structure.kept["model"].set(n0=float("1e30"))  # gravity: no run from here on
    with pytest.raises(lw.LinkwrightError):
        questions[0]()
    case.structure.model(case.drawn)  # as it was
    assert questions[1]() == []


def test_friction_beyond_its_bound_is_no_answer():
    """A contact that joints let only open or close: its friction is not unique, and what is told may exceed the bound. A run
    whose last stretch is one step is looked at, too."""
    failed = []
    machine(Structure(1200106), 14, lambda what, *more: failed.append(more) if what == "failed" else None, "dry friction", 6)
    assert not failed
