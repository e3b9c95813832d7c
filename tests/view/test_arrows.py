"""Arrows of forces start where the forces act and point where they push."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.view.animation import moving_data
from linkwright.view.arrows import arrows
from linkwright.view.drawing import draw


def found(result: lw.Result, name: str) -> dict[str, Any]:
    return next(a for a in arrows(result, result.drawing or {}) if a["element"] == name)


def test_a_reaction_acts_at_its_joint() -> None:
    i = lw.inverse_dynamics(example("slider-crank").load(), t_end=1.0, steps=20)
    B = found(i, "B")
    assert (B["applied"], B["names"]) == (False, ["B.fx", "B.fy"])
    assert B["body"] == "rod"
    np.testing.assert_allclose(B["at"], [-1.75, 0], atol=1e-11)


def test_the_force_of_a_cam_acts_where_it_touches() -> None:
    i = lw.inverse_dynamics(example("valve-lifter").load(), t_end=0.05, steps=20)
    contact = found(i, "contact")
    phi = 40 * np.pi * i.t
    # the eccentric's middle is at 0.0025 (sin, -cos) of its turn; a level face touches it 0.0125 above the middle
    middle = 0.0025 * np.stack([np.sin(phi), -np.cos(phi)], axis=1)
    np.testing.assert_allclose(contact["points"], middle + np.array([0, 0.0125]), atol=1e-9)


def test_gas_pushes_along_x_and_springs_along_themselves() -> None:
    i = lw.inverse_dynamics(example("slider-crank").load(), t_end=1.0, steps=20)
    gas = found(i, "gas")
    assert (gas["applied"], gas["size"], gas["body"], gas["axis"], gas["of"]) == (
        True, "gas.force", "slider", [1.0, 0.0], "ground",
    )  # fmt: skip
    v = lw.inverse_dynamics(example("valve-lifter").load(), t_end=0.05, steps=20)
    spring = found(v, "spring")
    assert (spring["body"], spring["toward"]["body"], spring["sign"]) == ("valve", "ground", 1)


def test_given_forces_and_contacts_have_arrows() -> None:
    m = lw.PlanarModel("ball", gravity=(0, -9.81))
    ball = m.body("ball", 1, 0.1, position=(0, 0.1), angle=np.pi / 2)
    m.add(lw.PointForce("push", ball.at(0, 0), (3, 0), frame="body"))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.12, 0), k=1e4, c=10, mu=0.3))
    m.add(lw.Contact("rim", ball.at(0, 0), m.ground.at(0, 0), radii=(0.12, -0.3), on="sphere", k=1e4, c=10))
    d = lw.dynamics(m, t_end=0.01, steps=4)
    push, floor, rim = found(d, "push"), found(d, "floor"), found(d, "rim")
    assert (floor["ahead"], floor["rubs"]) == (-0.12, "floor.friction")  # under its middle
    assert (rim["toward"]["body"], rim["sign"], rim["ahead"]) == ("ground", 1, -0.12)  # held by a ring: pushed to its middle
    assert push["names"] == ["push.fx", "push.fy"]
    assert push["body"] == "ball"
    np.testing.assert_allclose([d["push.fx"][0], d["push.fy"][0]], [0, 3], atol=1e-12)  # body x is up at the start
    assert (floor["body"], floor["of"]) == ("ball", "ground")
    np.testing.assert_allclose(floor["axis"], [0, 1], atol=1e-12)
    assert d["floor.force"][0] > 0


def test_the_arrows_of_a_cylindrical_joint_are_all_that_moves_its_body() -> None:
    """Newton's law, with the forces as they are drawn; what turns about the axis pushes nowhere."""
    m = lw.SpatialModel("plunger", gravity=(0, 0, -9.81))
    body = m.body("body", 2.0, (0.3, 0.2, 0.1))
    pin = m.add(lw.Cylindrical("C", *(b.frame((0, 0, 0), (1, 2, 2), (1, 0, 0)) for b in (m.ground, body))))
    m.add(lw.Driver("rotate", pin.angle, "t**2"))
    m.add(lw.Driver("lift", pin.displacement, "0.1*t + 0.3*t**2"))
    m.add(lw.Force("push", pin.displacement, "5 - v"))
    m.add(lw.Force("twist", pin.angle, "0.3"))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=4)
    force = np.zeros((5, 3)) - [0, 0, 2 * 9.81]
    for a in arrows(i, draw(m)):
        components = [i[n] for n in a["names"]] if "names" in a else [a["sign"] * i[a["size"]] * x for x in a["axis"]]
        force += np.column_stack(components)
    acceleration = np.column_stack([i[f"body.a{c}"] for c in "xyz"])
    np.testing.assert_allclose(acceleration, np.tile(0.6 * np.array([1, 2, 2]) / 3, (5, 1)), atol=1e-12)
    np.testing.assert_allclose(force, 2 * acceleration, atol=1e-9)


def test_the_force_of_the_road_is_told_whole() -> None:
    """Newton's law of a wheel that slips sideways: road and weight are all there is."""
    m = lw.SpatialModel("wheel", gravity=(0, 0, -9.81))
    wheel = m.body("wheel", 20.0, (0.3, 0.6, 0.3), position=(0, 0, 0.298), velocity=(5, 0.5, 0))
    m.add(lw.Tyre("tyre", wheel.frame((0, 0, 0), (0, 1, 0), (1, 0, 0)), radius=0.3, k=1e5, c=100, cornering=1e3))
    d = lw.dynamics(m, t_end=0.05, steps=5)
    (road,) = arrows(d, draw(m))
    force = np.column_stack([d[c] for c in road["names"]])
    assert (np.abs(force[:, 1]) > 10).all()
    acceleration = np.column_stack([d[f"wheel.a{c}"] for c in "xyz"])
    np.testing.assert_allclose(force - [0, 0, 20 * 9.81], 20 * acceleration, atol=1e-9)


def test_arrows_need_the_channels_that_are_on_the_page() -> None:
    result = lw.inverse_dynamics(example("slider-crank").load(), t_end=1.0, steps=20)
    drawing = result.drawing or {}
    assert [a["element"] for a in moving_data(result, drawing)["motion"]["arrows"]] == ["A", "B", "C", "guide", "gas"]
    kinematic = lw.kinematics(example("slider-crank").load(), t_end=1.0, steps=20)
    assert moving_data(kinematic, drawing)["motion"]["arrows"] == []


@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        ({"cylinder": (0.1, 2.0)}, (-0.1, -0.1, -1), (0.1, 0.1, 1)),
        ({"cylinder": (0.1, 2.0), "axis": (1, 0, 0), "at": (1, 0, 0)}, (0, -0.1, -0.1), (2, 0.1, 0.1)),
        ({"sphere": 0.5}, (-0.5,) * 3, (0.5,) * 3),
        ({"box": (2, 4, 6)}, (-1, -2, -3), (1, 2, 3)),
    ],
)
def test_shapes_reach_as_far_as_they_do(shape: dict[str, Any], low: Any, high: Any) -> None:
    m = lw.SpatialModel("one")
    m.body("body", shape=shape)
    t = np.array([0.0])
    channels = {f"body.{c}": 0 * t for c in ("x", "y", "z", "e1", "e2", "e3")} | {"body.e0": 1 + 0 * t}
    data = moving_data(lw.Result("one", t, channels, lw.assemble(m).audit), draw(m))
    np.testing.assert_allclose(data["motion"]["box"], [low, high], atol=1e-12)
