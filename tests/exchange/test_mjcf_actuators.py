"""Actuators of MJCF: forces, states, motors and controllers with their inputs and ranges."""

from math import cos

import numpy as np
import pytest
from mjcf_scenes import scene

import linkwright as lw


def disc(tmp_path, actuators, joint="", more=""):
    """A disc of J = 2 about z, with actuators."""
    geom = '<geom type="box" size="1 1 1" mass="3" contype="0" conaffinity="0"/>'
    body = f'<body name="b"><joint name="j" {joint}/>{geom}</body>'
    text = f'<option gravity="0 0 0"/><worldbody>{body}</worldbody>{more}<actuator>{actuators}</actuator>'
    return scene(tmp_path, text)


@pytest.mark.parametrize(
    ("actuator", "force"),  # what it gives the joint at s = 0, v = 0.1 and ctrl = 0.5
    [
        ('<motor name="a" joint="j" gear="5"/>', 5 * 0.5),
        ('<motor name="a" joint="j" gear="5" ctrlrange="-1 0.2"/>', 5 * 0.2),
        ('<motor name="a" joint="j" gear="5" ctrlrange="-1 0.2" ctrllimited="false"/>', 5 * 0.5),
        ('<motor name="a" joint="j" gear="5" forcerange="-1 0.3"/>', 5 * 0.3),
        ('<motor name="a" joint="j" gear="5" damping="0.2"/>', 5 * 0.5 - 25 * 0.2 * 0.1),
        ('<motor name="a" joint="j" armature="1" gear="2"/>', 2 * 0.5 * 2 / (2 + 4)),
        ('<position name="a" joint="j" kp="10" kv="2" gear="3"/>', 3 * (10 * 0.5 - 2 * 3 * 0.1)),
        # of kp and the inertia behind the gear, J/9
        ('<position name="a" joint="j" kp="10" dampratio="0.7" gear="3"/>', 15 - 9 * 0.7 * 2 * (10 * 2 / 9) ** 0.5 * 0.1),
        ('<position name="a" joint="j" kp="10" inheritrange="0.5"/>', 10 * 0.35),  # half of the range, +-0.7
        ('<velocity name="a" joint="j" kv="4"/>', 4 * (0.5 - 0.1)),
        ('<damper name="a" joint="j" kv="4" ctrlrange="0 1"/>', -4 * 0.1 * 0.5),
        ('<general name="a" joint="j" gainprm="2" biastype="affine" biasprm="1 0 -3"/>', 2 * 0.5 + 1 - 3 * 0.1),
        ('<general name="a" joint="j" gaintype="affine" gainprm="2 0 5"/>', (2 + 5 * 0.1) * 0.5),
        ('<dcmotor name="a" joint="j" motorconst="0.2 0.8" resistance="2" gear="3"/>', 3 * 0.4 * (0.5 - 0.4 * 0.3) / 2),
        ('<pid name="a" joint="j" kp="10" ki="3" kv="2"/>', 10 * 0.5 - 2 * 0.1),
        ('<motor name="a" joint="j" gear="100"/>', 7.0),  # all that the joint allows
    ],
)
def test_actuators_are_forces_with_a_parameter(tmp_path, actuator, force):
    m = disc(tmp_path, actuator, joint='range="-0.7 0.7" actuatorfrcrange="-7 7"' if 'gear="100' in actuator else _RANGE)
    m.set(ctrl_a=0.5)
    m["b"].guess(omega=(0, 0, 0.1))
    assert not m.notes
    assert lw.dynamics(m, t_end=1e-3, steps=1)["j.alpha"][0] == pytest.approx(force / 2, rel=1e-9)


_RANGE = 'range="-40.107045659 40.107045659"'  # +-0.7 rad


def test_actuators_whose_force_follows_the_control_signal(tmp_path):
    """A filter, u' = (ctrl - u)/T, and an integrator, u' = ctrl up to its range, with a joint that is held."""
    actuators = (
        '<cylinder name="c" joint="j" timeconst="0.5" area="2"/><intvelocity name="i" joint="j" kp="3" actrange="-9 0.04"/>'
    )
    m = disc(tmp_path, actuators)
    m.add(lw.Driver("held", m["j"].angle, 0.0))
    m.set(ctrl_c=0.4, ctrl_i=0.1)
    d = lw.inverse_dynamics(m, t_end=1.0, steps=4)
    u = 0.4 * (1 - np.exp(-d.t / 0.5))
    np.testing.assert_allclose(d["held.torque"], -(2 * u + 3 * np.minimum(0.1 * d.t, 0.04)), atol=1e-6)
    assert not m.notes


def test_an_activation_at_the_end_of_its_range_comes_back_at_once(tmp_path):
    """u' = ctrl, of which the control signal is a sine here: it does not wind up beyond the range."""
    m = disc(tmp_path, '<intvelocity name="i" joint="j" kp="3" actrange="-1 0.5"/>')
    assert not m.notes
    rate = m["act_i"].rate
    m = m.without("j", "i", "act_i")
    u = m.state("act_i", rate.replace("ctrl_i", "sin(t)"))
    d = lw.dynamics(m, t_eval=[0.5, 2.0, np.pi, 4.0])
    held = 0.5  # from acos(0.5) to pi; then it falls
    np.testing.assert_allclose(d[u], [1 - cos(0.5), held, held, held - 1 - cos(4.0)], atol=1e-6)


def test_thrust_at_a_site_and_weight_that_is_compensated(tmp_path):
    """A drone: force along and torque about the z axis of a site, which is the body's x; a part of the weight is carried."""
    body = '<body name="b" gravcomp="0.25"><freejoint/><geom type="box" size="1 1 1" mass="3"/>'
    site = '<site name="s" pos="0 0.1 0" zaxis="1 0 0"/></body>'
    thrust = '<motor name="rotor" site="s" gear="0 0 2 0 0 0.5"/>'
    m = scene(tmp_path, f"<worldbody>{body}{site}</worldbody><actuator>{thrust}</actuator>")
    m.set(ctrl_rotor=3)
    d = lw.dynamics(m, t_end=1e-3, steps=1)
    found = [d[f"b.{c}"][0] for c in ("ax", "ay", "az", "alphax", "alphay", "alphaz")]
    np.testing.assert_allclose(found, [2.0, 0, -0.75 * 9.81, 1.5 / 2, 0, -0.6 / 2], atol=1e-12)


def test_ranges_of_several_actuators_of_a_joint(tmp_path):
    """Their sum is kept within it; told where a share is not known."""
    motors = '<motor name="a" joint="j" gear="3"/><motor name="c" joint="j" gear="-1"/>'
    m = disc(tmp_path, motors, joint='actuatorfrcrange="-1 0.8"')
    assert not m.notes
    for a, b, force in ((0.5, 0.2, 0.8), (0.1, 0.2, 0.1), (-0.4, 0.2, -1.0)):
        m.set(ctrl_a=a, ctrl_c=b)
        assert lw.dynamics(m, t_end=1e-3, steps=1)["j.alpha"][0] == pytest.approx(force / 2, rel=1e-9)
    m = disc(tmp_path, f'{motors}<muscle joint="j"/>', joint='actuatorfrcrange="-1 1"')
    assert m.notes == [
        "actuators with other laws (muscles, adhesion, plugins, ...) are not carried over: actuator 3",
        "the range of what all actuators give a joint or tendon (actuatorfrcrange) is not carried over: j",
    ]


def test_springs_told_by_a_time_constant(tmp_path):
    """Of the inertia that the joint feels, with what is armature elsewhere: here of an actuator, J = 2 + 9 * 0.5."""
    m = disc(tmp_path, '<motor joint="j" gear="3" armature="0.5"/>', joint='springdamper="0.1 0.5"')
    spring, J = m["j spring"], 6.5
    assert (spring.k, spring.c) == pytest.approx((J / (0.1 * 0.5) ** 2, 2 * J / 0.1))
