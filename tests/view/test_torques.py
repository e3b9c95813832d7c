"""Arrows of torques: which there are, where they are drawn, about what axis and which way round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.view.animation import moving_data
from linkwright.view.arrows import arrows, least_force, torques
from linkwright.view.drawing import draw
from linkwright.view.frames import carry


def named(result: lw.Result) -> dict[str, dict[str, Any]]:
    drawing = result.drawing or {}
    return {a["element"]: a for a in moving_data(result, drawing)["motion"]["torques"]}


def test_motors_and_guides_have_torques_and_pins_only_rounding() -> None:
    i = lw.inverse_dynamics(example("quick-return").load(), t_end=1.0, steps=20)
    found = named(i)
    assert list(found) == ["slot", "motor"]  # all that acts on the ram acts at its origin: its guide has none
    assert (found["slot"]["names"], found["slot"]["applied"]) == (["slot.torque"], False)
    motor = found["motor"]
    assert (motor["applied"], motor["size"], motor["sign"]) == (True, "motor.torque", 1)
    assert motor["body"] in ("ground", "crank")
    np.testing.assert_allclose(motor["at"], [0, 0] if motor["body"] == "crank" else [0, 2], atol=1e-9)
    assert np.abs(i["A.torque"]).max() < 1e-6  # newton metres of meganewtons: no arrow of it


def test_a_machine_of_pins_alone_has_none() -> None:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", mass=1, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.5, 0)))
    assert named(lw.dynamics(m, t_end=0.1, steps=4)) == {}


@pytest.fixture(scope="module")
def arm() -> lw.Result:
    """An arm 0.3 rad ahead of what its spring wants, with a given torque, a law along its angle, and friction."""
    m = lw.PlanarModel("arm")
    body = m.body("arm", mass=2.0, inertia=0.3, angle=0.3, com=(0.2, 0.1))
    pin = m.add(lw.Revolute("pin", m.ground.at(1, 2), body.at(-0.5, 0)))
    m.add(lw.TorsionSpring("spring", pin, k=10.0, angle=0.0))
    m.add(lw.Torque("given", body, -4.0))
    m.add(lw.Force("law", pin.angle, lambda s, v, t: 2.5 + 0 * t))
    m.add(lw.Force("straight", body.angle, lambda s, v, t: 1.5 + 0 * t))
    m.add(lw.Friction("rub", "pin", mu=0.0, level=0.1))
    m.add(lw.Driver("motor", pin.angle, "0.3 + t"))
    return lw.inverse_dynamics(m, t_end=0.1, steps=2)


def test_each_is_drawn_where_it_turns_and_the_way_it_turns(arm: lw.Result) -> None:
    found = named(arm)
    assert list(found) == ["spring", "given", "law", "straight", "rub", "motor"]
    pin = {name: (a["body"], a["at"]) for name, a in found.items() if name not in ("given", "straight")}
    for body, at in pin.values():
        np.testing.assert_allclose(at, [1, 2] if body == "ground" else [-0.5, 0], atol=1e-9)
    for name in ("given", "straight"):  # a torque on a body: at its mass centre
        assert (found[name]["body"], found[name]["at"]) == ("arm", [0.2, 0.1])

    def turning(name: str) -> float:
        a = found[name]
        return float(a.get("sign", 1) * arm[(a.get("names") or [a["size"]])[0]][0])

    assert turning("spring") == pytest.approx(-3.0, rel=1e-12)  # pulls back
    assert (turning("given"), turning("law"), turning("straight")) == (-4.0, 2.5, 1.5)
    assert turning("rub") < 0  # against the motion
    # all about the pin together: no acceleration, so they leave nothing
    assert sum(map(turning, found)) == pytest.approx(0.0, abs=1e-9)


def test_in_space_they_are_along_axes() -> None:
    m = lw.SpatialModel("disc")
    disc = m.body("disc", mass=1.0, inertia=(1.0, 1.0, 2.0), com=(0, 0, 0.1), orientation=((0, 1, 0), np.pi / 2))
    pin = m.add(lw.Revolute("pin", m.ground.frame((0, 0, 0), (1, 0, 0), (0, 0, -1)), disc.at(0, 0, 0)))
    m.add(lw.Torque("engine", disc, (0, 0, 5.0), frame="body"))
    m.add(lw.Torque("tilt", disc, (0, 3.0, 0)))
    m.add(lw.Driver("motor", pin.angle, 0))
    i = lw.inverse_dynamics(m, t_end=0.1, steps=2)
    found = named(i)
    assert list(found) == ["pin", "engine", "tilt", "motor"]
    assert (found["engine"]["names"], found["engine"]["body"]) == (["engine.tx", "engine.ty", "engine.tz"], "disc")
    np.testing.assert_allclose(found["engine"]["at"], [0, 0, 0.1])
    # channels are along ground axes: the disc's z is ground's x
    np.testing.assert_allclose([i[f"engine.t{c}"][0] for c in "xyz"], [5, 0, 0], atol=1e-12)
    np.testing.assert_allclose([i[f"tilt.t{c}"][0] for c in "xyz"], [0, 3, 0], atol=1e-12)
    assert i.unit("engine.tx") == "N m"
    np.testing.assert_allclose(found["motor"]["axis"], [1, 0, 0], atol=1e-12)
    assert found["motor"]["of"] == "ground"
    assert i["motor.torque"][0] == pytest.approx(-5.0, rel=1e-9)
    np.testing.assert_allclose([i[f"pin.t{c}"][0] for c in "xyz"], [0, -3, 0], atol=1e-9)


def test_angles_between_directions_turn_the_second_body() -> None:
    m = lw.SpatialModel("lever")
    lever = m.body("lever", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), lever.at(0, 0, 0)))
    angle = lw.angle(m.ground.vector(1, 0, 0), lever.vector(1, 0, 0), m.ground.vector(0, 0, 2))
    m.add(lw.TorsionSpring("spring", angle, k=3.0, angle=-0.5))
    m.add(lw.Stop("stop", angle, upper=1.0, k=10.0))
    found = named(lw.dynamics(m, t_end=0.01, steps=2))
    assert list(found) == ["spring"]  # the stop is not reached
    spring = found["spring"]
    assert (spring["body"], spring["axis"], spring["of"], spring["sign"]) == ("lever", [0, 0, 1], "ground", -1)


def test_friction_of_balls_and_crosses_is_at_the_joint() -> None:
    m = lw.SpatialModel("rubbing")
    a = m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0), omega=(0, 0, 2.0))
    m.add(lw.Spherical("ball", m.ground.at(1, 0, 0), a.at(0.5, 0, 0)))
    m.add(lw.Friction("rub", "ball", level=0.5))
    b = m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), omega=(1.0, 0, 0))
    arms = m.ground.frame((0, 3, 0), (1, 3, 0), (0, 4, 0)), b.frame((0, 0, 0), (0, 1, 0), (1, 0, 0))
    m.add(lw.Universal("cross", *arms))
    m.add(lw.Friction("pins", "cross", level=0.5))
    drawing = (d := lw.dynamics(m, t_end=0.001, steps=1)).drawing or {}
    rub, *pins = [x for x in torques(d, drawing) if x["applied"]]
    assert (rub["element"], rub["names"]) == ("rub", ["rub.tx", "rub.ty", "rub.tz"])
    np.testing.assert_allclose(rub["at"], [1, 0, 0] if rub["body"] == "ground" else [0.5, 0, 0], atol=1e-9)
    assert d["rub.tz"][0] < 0  # against the turn
    assert [(x["size"], x["of"]) for x in pins] == [("pins.torque_i", "ground")]  # about the other pin nothing turns
    np.testing.assert_allclose(pins[0]["axis"], [1, 0, 0], atol=1e-12)


def test_old_drawings_tell_the_joint() -> None:
    """Files written before angles were told in the drawing: the joint alone says where."""
    i = lw.inverse_dynamics(example("slider-crank").load(), t_end=1.0, steps=10)
    drawing = dict(i.drawing or {})
    drawing["elements"] = [{k: x for k, x in e.items() if k != "about"} for e in drawing["elements"]]
    assert [a["element"] for a in torques(i, drawing, least=5.0 * least_force(i, drawing, arrows(i, drawing)))] == ["motor"]


@pytest.mark.parametrize("dimension", [2, 3])
def test_what_a_bushing_does_is_told_and_drawn_on_its_second_body(dimension: int) -> None:
    """Newton's and Euler's laws of a tumbling block, with the force and the torque as they are drawn."""
    stiff = (900.0, 700.0, 40.0) if dimension == 2 else (900.0, 700.0, 500.0, 40.0, 30.0, 50.0)
    if dimension == 2:
        m: Any = lw.PlanarModel("block", gravity=(0, -9.81))
        block = m.body("block", 2.0, 0.3, position=(0.4, 0.1), velocity=(1, 0), omega=5.0)
        inertia, arm = np.array([0.3]), np.array([-0.5, 0.1])
    else:
        m = lw.SpatialModel("block", gravity=(0, 0, -9.81))
        inertia, arm = np.array([0.3, 0.2, 0.25]), np.array([-0.5, 0.1, 0.2])
        block = m.body("block", 2.0, tuple(inertia), position=(0.4, 0.1, 0.0), velocity=(1, 0, 0), omega=(4.0, -3.0, 5.0))
    m.add(lw.Bushing("mount", m.ground.at(*np.zeros(dimension)), block.at(*arm), k=stiff, c=tuple(0.02 * x for x in stiff)))
    d = lw.dynamics(m, t_end=0.5, steps=10)
    (force,) = arrows(d, draw(m))
    (torque,) = torques(d, draw(m))
    assert force["body"] == torque["body"] == "block"
    assert force["at"] == torque["at"] == pytest.approx(arm)
    F = np.column_stack([d[c] for c in force["names"]])
    n = np.column_stack([d[c] for c in torque["names"]])
    weight = 2.0 * np.array(m.gravity)
    np.testing.assert_allclose(F + weight, 2.0 * np.column_stack([d[f"block.a{c}"] for c in "xyz"[:dimension]]), atol=1e-9)
    if dimension == 2:
        c, s = np.cos(d["block.angle"]), np.sin(d["block.angle"])
        moment = (c * arm[0] - s * arm[1]) * F[:, 1] - (s * arm[0] + c * arm[1]) * F[:, 0]
        np.testing.assert_allclose(moment + n[:, 0], 0.3 * d["block.alpha"], atol=1e-9)
        return
    pose = np.column_stack([d[f"block.{c}"] for c in ("x", "y", "z", "e0", "e1", "e2", "e3")])
    axes = np.stack([carry(pose, e, turn_only=True) for e in np.eye(3)], axis=2)
    w, wdot = (np.column_stack([d[f"block.{name}{c}"] for c in "xyz"]) for name in ("w", "alpha"))
    total = np.einsum("tji,tj->ti", axes, n) + np.cross(arm, np.einsum("tji,tj->ti", axes, F))  # in body axes
    np.testing.assert_allclose(total, wdot * inertia + np.cross(w, w * inertia), atol=1e-9)
    assert np.abs(pose[:, 3]).min() < np.cos(np.radians(20))  # it has turned by more than 40 degrees
