"""The options of a run, and the treatments of constraints they name."""

from dataclasses import FrozenInstanceError, replace

import pytest

import linkwright as lw
from linkwright.analyses.dynamics.options import CONSTRAINTS, SECOND_ORDER_CONSTRAINTS, Options
from linkwright.analyses.dynamics.whole.treatment import Treatment
from linkwright.analyses.machine.times import Times


def test_options_and_treatments_do_not_change():
    options = Options(Times.of(1.0, 1, 0.0, None))
    with pytest.raises(FrozenInstanceError):
        options.rtol = 1.0
    with pytest.raises(FrozenInstanceError):
        Treatment.of(options).name = "other"


def test_every_treatment_that_can_be_asked_for_is_in_the_table():
    """Those that do nothing about errors are judged by no more than that joints have not come apart."""
    options = Options(Times.of(1.0, 1, 0.0, None), gains=(5.0, 5.0))
    found = {name: Treatment.of(replace(options, constraints=name)) for name in (*CONSTRAINTS, *SECOND_ORDER_CONSTRAINTS)}
    corrected = {name: (x.allowed(1e-8, 1).positions, x.allowed(1e-8, 1).velocities) for name, x in found.items()}
    assert [name for name, levels in corrected.items() if levels == (False, False)] == ["stabilization", "direct"]
    assert [name for name, levels in corrected.items() if levels == (True, False)] == ["index-3"]
    assert [name for name, x in found.items() if x.gains] == ["stabilization", "hybrid"]
    assert found["hybrid"].pure().gains == ()


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ({"constraints": "stabilisation"}, "stabilization"),
        ({"formulation": "kanes"}, "kane"),
        ({"method": "dopri"}, "dopri5"),
    ],
)
def test_a_misspelt_option_is_told_the_nearest_word_and_all_there_are(asked, nearest):
    m = lw.PlanarModel("point", gravity=(0, -9.81))
    m.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(lw.ModelError) as caught:
        lw.dynamics(m, t_end=1.0, **asked)
    assert caught.value.element == tuple(asked)
    assert caught.value.remedy.startswith(f"did you mean {nearest!r}? it may be one of ")
