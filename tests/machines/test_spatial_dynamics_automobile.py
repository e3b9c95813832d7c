"""Haug 12.5: an automobile on struts, trailing arms and simple tyres.

The reference is another program's model of the same tables, with the same repairs and the same chosen tyres; its runs at
two tolerances differ by less than 1e-9. All digits are met: bounds are half of the last one, or the integration's error.
"""

from __future__ import annotations

import numpy as np
import pytest
from chapter12_machines import SPEED, automobile, driving, yaw_and_roll

import linkwright as lw


@pytest.fixture(scope="module")
def car():
    m = automobile()
    return m, lw.equilibrium(m)


def test_at_rest(car):
    """Newton's method with three directions in which nothing holds the car: tyres have no lateral force at rest."""
    m, e = car
    assert [e["chassis.z"], e["chassis.e1"], e["rack.z"]] == pytest.approx([0.54382047, -0.00265548, 0.16229414], abs=6e-9)
    assert -e["spring right.force"] == pytest.approx(3396.98087, abs=2e-5)  # pressed
    assert -e["rear spring right.force"] == pytest.approx(2922.61390, abs=2e-5)
    assert [e["front tyre left.fz"], e["rear tyre left.fz"]] == pytest.approx([3565.823142, 3344.340858], abs=3e-6)
    there = driving(e, m, 0.0)
    front = [there[f"front right.{c}"] for c in ("x", "y", "z", "e1", "e2", "e3")]
    assert front == pytest.approx([0.60165492, 1.17877754, 0.34375547, -0.00068915, -0.00340779, -0.00006213], abs=6e-9)
    rear = [there[f"rear right.{c}"] for c in ("x", "y", "z", "e1", "e2", "e3")]
    assert rear == pytest.approx([0.58002651, -1.28911238, 0.2622783, -0.01045542, -0.00209001, 0.00000555], abs=6e-9)
    # the slip is that of the wheel's centre while the force acts at the road (12.5): a standing wheel that tilts is fed
    # energy by that, as runs from here show, which grow by a factor of e^10 in a second
    assert e.stability == "unstable"
    assert any("small motions grow by a factor e every 0.0995 s, swinging at 13 Hz" in note for note in e.audit.notes)
    names = list(e.neutral[0])
    free = np.array([[d[n] for n in names] for d in e.neutral])
    assert len(free) == 3
    # they are the level displacements and the turn about the vertical: the chassis neither rises nor tilts
    still = [names.index(f"chassis.{c}") for c in ("vz", "wx")]
    assert np.abs(free[:, still]).max() < 1e-2 * np.abs(free).max()


def compare(d, k, x, y, yaw, roll, vx, vy, close=1e-8):
    found = [d[f"chassis.{c}"][k] for c in ("x", "y")] + [a[k] for a in yaw_and_roll(d)]
    found += [d[f"chassis.{c}"][k] for c in ("vx", "vy")]
    assert found == pytest.approx([x, y, yaw, roll, vx, vy], abs=close)


def test_lane_change(car):
    """55 mph, rack by 2 mm to either side: the ready machine as it comes, from its equilibrium to ten digits."""
    m, e = car
    m.set(lane=0.002, turn=0.0, v=SPEED)
    d = lw.dynamics(m, t_eval=[0, 1, 1.5, 2], rtol=1e-9)
    compare(d, 1, 0.014599188, 24.58710146, -0.0088240169, -0.0136502624, 0.14296140, 24.58574371)
    compare(d, 2, 0.320493621, 36.87148480, -0.0620349655, -0.0279783508, 1.17240188, 24.54048160)
    compare(d, 3, 0.966791373, 49.13702651, -0.0315962775, 0.0304463474, 1.04020163, 24.53877857)
    m.set(Izz=139.9)  # as printed: no body has such moments
    d = lw.dynamics(m, t_eval=[0, 2], start=driving(e, m, SPEED), rtol=1e-9)
    m.set(Izz=1399.0)
    yaw, roll = yaw_and_roll(d)
    assert [d["chassis.x"][1], yaw[1], roll[1]] == pytest.approx([1.086315841, -0.0188212366, 0.0399165992], abs=1e-8)
    codes = [f.code for f in lw.inertia.implausible(1247.5, (1240.1, 209.6, 139.9))]
    assert codes == ["triangle-inequality"]


def test_into_a_circle(car):
    """20 and 40 mph: the tyres stay below their limit."""
    m, e = car
    m.set(lane=0.0, turn=0.006)
    d = lw.dynamics(m, t_eval=[0, 4], start=driving(e, m, SPEED * 20 / 55), rtol=1e-9)
    compare(d, 1, 6.985801854, 34.43290669, -0.5157983434, -0.0209286610, 4.48572275, 7.66632884)
    d = lw.dynamics(m, t_eval=[0, 4], start=driving(e, m, SPEED * 40 / 55), rtol=1e-9)
    compare(d, 1, 20.77249928, 64.1466781, -0.924543391, -0.072013252, 13.3279609, 10.6585610, close=1e-7)


def test_stabiliser_bars_hold_the_roll():
    """Model 2 in the same lane change at 1 s: the roll is 38 % less."""
    m = automobile(bars=True)
    m.set(lane=0.002, v=SPEED)
    d = lw.dynamics(m, t_eval=[0, 1], rtol=1e-9)
    compare(d, 1, 0.015248320, 24.58709788, -0.0088378053, -0.0084904283, 0.14905850, 24.58568489)
    assert 1 - yaw_and_roll(d)[1][1] / -0.0136502624 == pytest.approx(0.38, abs=0.005)


def test_it_settles_from_rest(car):
    """Wheels that stand move across their heading as the springs give: no slip of a right angle, no force that jumps.
    What was let go 4 mm off comes to the equilibrium's height within the damping of a second, and does not drive away."""
    m, e = car
    m.set(lane=0.0, turn=0.0, v=0.0)
    raised = {**driving(e, m, 0.0), "chassis.z": e["chassis.z"] + 4e-3}
    d = lw.dynamics(m, t_end=1.0, steps=10, max_steps=2000, start=raised)
    assert abs(d["chassis.z"][-1] - e["chassis.z"]) < 4e-3
    assert np.abs([d["chassis.x"], d["chassis.y"]]).max() < 2e-3
    assert np.abs(d["chassis.vy"][-1]) < 1e-2
