"""What drivers ask for over time: refused where it has no value, followed where its speed jumps."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.prescribed import check_prescribed


def arm(motion) -> lw.PlanarModel:
    m = lw.PlanarModel("arm")
    body = m.body("arm")
    m.add(lw.Revolute("A", m.ground.at(0, 0), body.at(0, 0)))
    m.add(lw.Driver("motor", body.angle, motion))
    return m


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        ("log(t - 1)", "the motion has no finite value at t = 0"),
        ("sqrt(t)", "the first derivative of the motion has no finite value at t = 0"),
        ("sqrt(0.5 - t)", "the motion has no finite value at t = 0.501"),
        ("1/(t - 0.5)", "the motion has no finite value at t = 0.5"),
        ("abs(t - 0.5)**1.5", "derivative of the motion has no finite value at t = 0.5"),
        ("1/(t - 0.5003)", "the motion jumps at t = 0.5003"),
        (lambda t: lw.where(t > 0.52, 1.0, 0.0), "the motion jumps at t = 0.52, from 0 to 1"),
    ],
)
def test_motions_that_cannot_be_followed(motion, said):
    with pytest.raises(lw.ModelError, match=said) as caught:
        lw.kinematics(arm(motion), t_end=1.0, steps=10)
    assert caught.value.element == ("motor",)
    assert caught.value.remedy


@pytest.mark.parametrize("large", [10**9, 1])
@pytest.mark.parametrize(
    ("motion", "said"),
    [
        ("1/(t - 0.5003)", "the motion jumps at t = 0.5003"),
        ("tan(pi*t)", "the motion jumps at t = 0.5"),
        (lambda t: lw.where(t > 0.52, 1.0, 0.0), "the motion jumps at t = 0.52, from 0 to 1"),
    ],
)
def test_nor_moved_by_forces_beside_them(motion, said, large, monkeypatch):
    """Told before the run, of large machines too: a pole was approached by ever shorter steps, a jump stepped over."""
    monkeypatch.setattr(size_policy, "LOOPED", large)
    m = arm(motion)
    m.add(lw.Revolute("B", m["arm"].at(1, 0), m.body("tip", 1.0, 0.1, position=(1, 0)).at(0, 0)))
    with pytest.raises(lw.ModelError, match=said) as caught:
        lw.dynamics(m, t_end=1.0, steps=10)
    assert caught.value.element == ("motor",)


@pytest.mark.parametrize("motion", ["0.1*sin(3000*t)", "tanh(1e4*(t - 0.5))", lambda t: lw.where(t > 0.5, t, 0.5)])
def test_fast_motions_are_no_jumps(motion):
    """Sampled a thousand times a second, they look like some."""
    m = arm(motion)
    d = lw.dynamics(m, t_eval=[0, 1e-3])
    assert d["arm.angle"][-1] == pytest.approx(lw.kinematics(m, t_eval=[0, 1e-3])["arm.angle"][-1], abs=1e-9)
    geometry = LoadedMachine(m).system.geometry
    check_prescribed(geometry, np.linspace(0, 1, 11))


@pytest.mark.parametrize("large", [10**9, 1])
@pytest.mark.parametrize(
    ("motion", "said"), [("abs(t - 0.5)", "t = 0.5, from -1 to 1"), ("2*max(t - 0.31, 0)", "t = 0.31, from 0 to 2")]
)
def test_no_force_changes_a_speed_at_once(motion, said, large, monkeypatch):
    """Positions follow a corner; simulation refuses it by name; forces of the motion are those beside it."""
    monkeypatch.setattr(size_policy, "LOOPED", large)
    m = arm(motion)
    m.add(lw.Revolute("B", m["arm"].at(1, 0), m.body("tip", 1.0, 0.1, position=(1, 0)).at(0, 0)))
    with pytest.raises(lw.ModelError, match=f"its prescribed speed jumps at {said}: no finite force") as caught:
        lw.dynamics(m, t_end=1.0, steps=10)
    assert caught.value.element == ("motor",)
    assert lw.dynamics(m, t_end=0.3, steps=1)["arm.angle"].shape == (2,)  # before the corner there is nothing to refuse
    driven = arm(motion)
    k, i = lw.kinematics(driven, t_end=1.0, steps=10), lw.inverse_dynamics(driven, t_end=1.0, steps=10)
    assert k["arm.angle"] == pytest.approx(i["arm.angle"], abs=1e-12)
    assert f"motor: its prescribed speed jumps at {said}: forces are those beside it" in i.audit.notes


def test_assembly_says_so_too():
    with pytest.raises(lw.ModelError, match="no finite value at t = 0"):
        lw.assemble(arm("log(t - 1)"))


def test_a_prescribed_square_of_a_distance_stays_positive():
    m = lw.PlanarModel("slide")
    block = m.body("block", position=(1, 0))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.D("rod", m.ground.at(0, 0), block.at(0, 0), "1 - t"))
    with pytest.raises(lw.ModelError, match="rod: the driven distance reaches 0 at t = 1"):
        lw.kinematics(m, t_end=2.0, steps=10)


def test_corners_of_a_motion_are_no_lock_up():
    # straight lines between points: speeds jump at 0.33 and 0.71, on no time of the grid
    x, y = [0, 0.33, 0.71, 1], [0, 50, -100, 100]
    k = lw.kinematics(arm(lw.Table(x, y, kind="linear")), t_end=1.0, steps=10)
    np.testing.assert_allclose(k["arm.angle"], np.interp(k.t, x, y), atol=1e-12)
    slopes = np.diff(y) / np.diff(x)
    np.testing.assert_allclose(k["arm.omega"], slopes[np.searchsorted(x[1:-1], k.t)], rtol=1e-12)
    assert [note for note in k.audit.notes if "jumps" in note] == [
        "t = 0.33: the speed of motor jumps", "t = 0.71: the speed of motor jumps",
    ]  # fmt: skip


def test_a_lock_up_behind_a_corner_is_found():
    # crank 1, rod 1/2: locks at the angle pi/6, here turned to at speed 1 until t = 0.1, at speed 20 from there on
    m = lw.PlanarModel("slider-crank")
    crank, block = m.body("crank"), m.body("block", position=(1.5, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Distance("rod", crank.at(1, 0), block.at(0, 0), length=0.5))
    m.add(lw.Driver("motor", A.angle, lw.Table([0, 0.1, 1.1], [0, 0.1, 20.1], kind="linear")))
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, t_end=1.0, steps=7)
    assert caught.value.kind == "lock-up"
    assert caught.value.time == pytest.approx(0.1 + (np.pi / 6 - 0.1) / 20, abs=1e-9)


def test_past_the_end_of_a_table_is_said():
    table = lw.Table([0, 1, 2], [0, 1, 4])
    assert lw.kinematics(arm(table), t_end=2.0, steps=4).audit.notes == []
    k = lw.kinematics(arm(table), t_end=3.0, steps=4)
    assert k.audit.notes == ["motor: its table is from t = 0 to 2; outside its last piece goes on"]


def test_past_the_end_of_a_slot_is_said():
    m = lw.PlanarModel("slot")
    block = m.body("block")
    m.add(lw.Constraint("level", block.angle))
    slot = m.ground.curve(lw.Curve.parametric("alpha", "alpha**2", start=-1, end=1))
    m.add(lw.PointFollower("pin", block.at(0, 0), slot, estimate=0))
    m.add(lw.Driver("push", block.x, "2*t"))
    assert lw.kinematics(m, t_end=0.5, steps=10).audit.notes == []
    k = lw.kinematics(m, t_end=1.0, steps=10)
    assert k.audit.notes == ["pin: past the end of its curve from t = 0.6 on; its formula goes on there"]


def test_an_equation_without_a_value_at_the_estimates():
    m = lw.PlanarModel("block")
    block = m.body("block")
    m.add(lw.Constraint("root", lw.sqrt(block.x - 1000), 1))
    with pytest.raises(lw.AssemblyError, match="root has no value where you estimate the bodies") as caught:
        lw.assemble(m)
    assert caught.value.element == ("root",)
    block.guess(position=(1000.5, 0))
    assert lw.assemble(m)["block.x"] == pytest.approx(1001, rel=1e-12)


@pytest.mark.parametrize(
    "analysis",
    [
        lw.check, lw.assemble, lw.assemblies, lw.equilibrium, lw.linearize, lw.sensitivity, lw.equations, lw.joint_space,
        lw.embed,
        lambda m: lw.kinematics(m, t_end=1.0, steps=10),
        lambda m: lw.inverse_dynamics(m, t_end=1.0, steps=10),
        lambda m: lw.dynamics(m, t_end=1.0, steps=10),
        lambda m: lw.record(m, "never.nc", t_end=1.0, steps=10),
        lambda m: lw.apparent_inertia(m, "body"),
    ],
)  # fmt: skip
def test_what_is_no_model(analysis):
    with pytest.raises(lw.ModelError, match=r"this is no model: 'machine\.yaml'"):
        analysis("machine.yaml")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda m: lw.kinematics(m, t_end=1, steps=2, start="x"), "no machine to go on from in 'x'"),
        (lambda m: lw.kinematics(m, t_end=1, steps=2, start=3), "no machine to go on from in 3"),
        (lambda m: lw.kinematics(m, t_end=1, steps=2, start=lw.assemble(lw.PlanarModel("other"))), "no body of 'arm'"),
        (lambda m: lw.kinematics(m, t_end=1, steps=2, branch="left"), "branch: 'left' is not a whole number"),
        (lambda m: lw.assemble(m, t="now"), "t: 'now' is not a number"),
        (lambda m: lw.check(m, t=float("nan")), "t: nan is not a number"),
        (lambda m: lw.sensitivity(m, t=float("nan")), "t: nan is not a number"),
        (lambda m: lw.kinematics(m), "kinematics needs to know until when"),
        (lambda m: lw.inverse_dynamics(m), "inverse dynamics needs to know until when"),
        (lambda m: lw.dynamics(m), "^dynamics needs to know until when"),
        (lambda m: lw.transmission_angle(lw.assemble(m), "motor"), "there is no joint 'motor'"),
    ],
)
def test_questions_that_make_no_sense(ask, said):
    with pytest.raises(lw.ModelError, match=said) as caught:
        ask(arm("t"))
    assert caught.value.remedy


def spinning(motion, large=False):
    m = lw.PlanarModel("rotor")
    rotor = m.body("rotor", 1.0, 0.1)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), rotor.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, motion))
    for k in range(60 if large else 0):
        m.body(f"b{k}", 1.0, 0.1, position=(k, 1))
    return m


ANALYSES = [lw.kinematics, lw.inverse_dynamics, lw.dynamics]


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("motion", ["1e16*t", "1e45*t", "1e12*sin(1e3*t)"])
def test_motions_that_turn_too_often_are_refused_at_once(analysis, motion):
    """1e16 rad/s are 1.59e13 turns in a hundredth of a second."""
    with pytest.raises(lw.ModelError, match="times between the outputs") as caught:
        analysis(spinning(motion), t_end=1.0, steps=100)
    assert caught.value.element == ("motor",)
    if motion == "1e16*t":
        assert "turns 1.59e+13 times" in str(caught.value)


def test_large_machines_that_turn_too_often():
    with pytest.raises(lw.ModelError, match=r"turns 1\.59e") as caught:
        lw.dynamics(spinning("1e16*t", large=True), t_end=1.0, steps=100)
    assert caught.value.element == ("motor",)


@pytest.mark.parametrize("analysis", ANALYSES)
def test_turns_between_outputs_are_noted(analysis):
    """100 rad/s, outputs a second apart: 15.9 turns. Of one output a turn nothing is said."""
    d = analysis(spinning("100*t"), t_end=2.0, steps=2)
    assert "motor turns 15.9 times between the outputs at t = 0 and 1" in d.audit.notes
    assert d["rotor.angle"][-1] == pytest.approx(200.0, abs=1e-8)
    assert not [x for x in analysis(spinning("2*pi*t"), t_end=3.0, steps=3).audit.notes if "turns" in x]


def test_many_turns_of_a_simulation_are_told_at_once():
    with pytest.warns(UserWarning, match=r"motor turns 1\.59e"):
        lw.dynamics(spinning("1e4*t"), t_end=1.0, steps=1, rtol=1e-4)
    with pytest.raises(lw.ModelError, match=r"turns 1\.59e"):
        lw.kinematics(spinning("1e4*t"), t_end=1.0, steps=1)


def test_displacements_do_not_turn():
    m = lw.PlanarModel("sled")
    sled = m.body("sled", 1.0, 0.1)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), sled.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", sled.x, "1e4*t"))
    assert not [x for x in lw.kinematics(m, t_end=1.0, steps=2).audit.notes if "turns" in x]
