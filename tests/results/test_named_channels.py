"""Results as analyses make them and people read them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import Audit, Configuration, MissingPackageError, Result
from linkwright.results.optional import needed
from results.sample_results import small


def test_a_wrong_name_is_answered_by_the_nearest_right_one() -> None:
    with pytest.raises(lw.ModelError, match=r"no channel 'bob\.w'") as caught:
        small()["bob.w"]
    assert "bob.x" in caught.value.remedy


def test_units_given_by_an_analysis_win() -> None:
    result = Result("m", np.zeros(1), {"a.x": np.zeros(1), "b": np.zeros(1)}, Audit(), units={"b": "Pa"})
    assert (result.unit("a.x"), result.unit("b")) == ("m", "Pa")


def test_without_a_model_there_is_no_drawing_and_the_error_says_so() -> None:
    assert small().drawing is None
    with pytest.raises(lw.ModelError, match="does not know what its machine looks like") as caught:
        small().animate()
    assert "model=m" in caught.value.remedy


def test_a_configuration_is_read_as_numbers_and_can_become_a_result() -> None:
    c = Configuration("m", 0.5, {"a.x": np.array([3.0])}, Audit(), np.zeros(1))
    assert c["a.x"] == 3.0
    assert c.as_result()["a.x"].tolist() == [3.0]
    assert c.as_result().t.tolist() == [0.5]


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(MissingPackageError, match="needs the package no_such_package") as caught:
        needed("no_such_package.inside", "a picture")
    assert "linkwright[full]" in caught.value.remedy
    assert isinstance(caught.value, ImportError)


def test_results_travel_between_processes() -> None:
    """A pickled result is what a file keeps: channels, reactions, audit and drawing; copies in this process keep all."""
    m = lw.PlanarModel("pendulum", gravity=(0, -10))
    bar = m.body("bar", 2.0, 0.1, com=(0.5, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(0, 0)))
    m.add(lw.Force("drag", pin.angle, lambda s, v, t: -v))  # a function that cannot travel
    d = lw.dynamics(m, t_end=1.0, steps=4, dense_output=True)
    there = pickle.loads(pickle.dumps(d))
    assert (there["bar.angle"] == d["bar.angle"]).all()
    assert (there.reaction("A", on="bar")["fy"] == d.reaction("A", on="bar")["fy"]).all()
    assert (there.energy.total == d.energy.total).all()
    assert there.audit == d.audit
    assert there.drawing == d.drawing
    assert there.sol(0.3)["bar.angle"] == d.sol(0.3)["bar.angle"]
    e = lw.equilibrium(m)
    assert pickle.loads(pickle.dumps(e))["bar.angle"] == e["bar.angle"]
    for same in (copy.copy(d), copy.deepcopy(d)):
        assert (same[2.0 * bar.x] == d[2.0 * bar.x]).all()


def test_reactions_are_about_points_only() -> None:
    m = lw.PlanarModel("pendulum", gravity=(0, -10))
    bar = m.body("bar", 2.0, 0.1, com=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(0, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=1)
    assert d.reaction("A", at=(1, 0))["torque"] == pytest.approx(-d["A.fy"])
    for wrong in ("bar", (1, 2, 3), 5.0):
        with pytest.raises(lw.ModelError, match="is no point") as caught:
            d.reaction("A", at=wrong)
        assert "2 coordinates" in caught.value.remedy


def slider() -> lw.PlanarModel:
    m = lw.PlanarModel("slider")
    b = m.body("b", mass=1.0, inertia=1.0, position=(2, 0))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(0, 0), b.at(0, 0), k=3.0, length=1.0))
    m.add(lw.Driver("motor", b.x, "2 + t"))
    return m


def told(ask: Callable[[], object]) -> lw.ModelError:
    with pytest.raises(lw.ModelError) as caught:
        ask()
    return caught.value


def test_forces_that_an_analysis_has_not_are_told_with_the_one_that_has() -> None:
    k = lw.kinematics(slider(), t_end=1.0, steps=1)
    for ask in (lambda: k["motor.force"], lambda: k["guide.fy"], lambda: k["spring.force"], lambda: k.reaction("guide")):
        error = told(ask)
        assert error.cause.endswith(": kinematics computes no forces")
        assert error.remedy.startswith("lw.inverse_dynamics(m, ...)")
    assert told(lambda: lw.assemble(slider())["motor.force"]).cause.endswith(": assembly computes no forces")
    assert told(lambda: k["motr.force"]).cause == "there is no channel 'motr.force'"  # no such element


def test_reactions_of_what_is_no_joint_name_the_channel() -> None:
    i = lw.inverse_dynamics(slider(), t_end=1.0, steps=1)
    assert told(lambda: i.reaction("spring")).remedy == 'read d["spring.force"]'
    assert told(lambda: i.reaction("motor")).remedy == 'read d["motor.force"]'
    assert told(lambda: i.reaction("guid")).remedy == "did you mean 'guide'? there are: guide"


def test_words_of_other_programs_for_channels() -> None:
    i = lw.inverse_dynamics(slider(), t_end=1.0, steps=1)
    assert told(lambda: i["b.theta"]).remedy.startswith("did you mean 'b.angle'? there are b.x, b.y, b.angle, b.vx")
    assert told(lambda: i["spring.tension"]).remedy.startswith("did you mean 'spring.force'?")
    assert told(lambda: i["guide.speed"]).remedy.startswith("did you mean 'guide.velocity'?")
    assert told(lambda: i["bb.x"]).remedy == "did you mean 'b.x'?"


def test_a_result_at_a_time_is_read_by_t_and_by_its_former_name() -> None:
    result = lw.Result("m", np.array([0.0, 0.5, 1.0]), {"x": np.array([1.0, 2.0, 3.0])}, Audit())
    assert result.at(0.6) == result.at(t=0.6) == result.at(time=0.6) == {"x": 2.0}
    with pytest.raises(lw.ArgumentError, match=r"at\(\) needs 't' too"):
        result.at()


@pytest.mark.parametrize("machine", ["plane", "space"])
def test_accelerations_of_bodies_stand_in_formulas_and_events(machine: str) -> None:
    """A pendulum let go from the level: alpha = -m g l/(J + m l^2) = -15/7, ax = -l omega^2 and ay = l alpha."""
    plane = machine == "plane"
    m = lw.PlanarModel("m", gravity=(0, -10)) if plane else lw.SpatialModel("m", gravity=(0, -10, 0))
    arm = m.body("arm", mass=3.0, inertia=2.0 if plane else (1, 1, 2), position=(0.5, 0) if plane else (0.5, 0, 0))
    ends = (m.ground.at(0, 0), arm.at(-0.5, 0)) if plane else (m.ground.at(0, 0, 0), arm.at(-0.5, 0, 0))
    m.add(lw.Revolute("A", *ends))
    alpha = "arm.alpha" if plane else "arm.alphaz"
    d = lw.dynamics(m, t_end=0.5, steps=2, events={"sways": "2*arm.ax + 1"})
    by_hand = -10 * 3.0 * 0.5 / (2.0 + 3.0 * 0.5**2)
    assert d[f"2*{alpha}"][0] == pytest.approx(2 * by_hand, rel=1e-12)
    assert np.allclose(d[f"arm.ay - 0.5*{alpha}"][0], 0, atol=1e-12)
    assert np.array_equal(d[arm.alpha if plane else arm.alphaz], d[lw.rate(arm.omega if plane else arm.wz)])
    at = next(t for t, name in d.events if name == "sways")
    assert lw.dynamics(m, t_end=at, steps=1)["arm.ax"][-1] == pytest.approx(-0.5, abs=1e-5)
    with pytest.raises(lw.ModelError, match="acceleration"):
        m.add(lw.Driver("motor", "arm.ax", "t"))
