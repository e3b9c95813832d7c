"""The drawing says where everything is, as plain data."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import linkwright as lw
from linkwright.view.drawing import draw
from view.sample_machines import gears_and_cam, slider_crank, spatial_slider_crank


def element(drawing: dict, name: str) -> dict:
    return next(e for e in drawing["elements"] if e["name"] == name)


def test_bodies_know_the_points_that_joints_touch() -> None:
    drawing = draw(slider_crank())
    points = {b["name"]: b["points"] for b in drawing["bodies"]}
    assert points["crank"] == [[0, 0], [2, 0]]
    assert points["rod"] == [[-1.75, 0], [1.75, 0]]
    assert points["slider"] == [[0, 0]]  # of a pin, a slide and a spring, once
    assert points["ground"] == [[0, 0], [7.5, 0]]


def test_elements_know_their_kind_their_ends_and_what_they_drive() -> None:
    drawing = draw(slider_crank())
    guide = element(drawing, "guide")
    assert (guide["kind"], guide["role"], guide["bodies"]) == ("Translational", "joint", ["ground", "slider"])
    assert guide["ends"][0] == {"body": "ground", "at": [0.0, 0.0], "angle": 0.0}
    assert element(drawing, "motor")["role"] == "driver"
    assert element(drawing, "motor")["joint"] == "A"
    assert element(drawing, "return")["length"] == 2.0


def test_every_drawing_is_json() -> None:
    for make in (slider_crank, gears_and_cam, spatial_slider_crank):
        drawing = draw(make())
        assert json.loads(json.dumps(drawing)) == drawing


def test_parameters_are_those_asked_for() -> None:
    m = lw.PlanarModel("arm")
    length = m.parameter("length", 1.0)
    arm = m.body("arm", mass=1)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-length / 2, 0)))
    assert draw(m)["bodies"][1]["points"] == [[-0.5, 0.0], [0.0, 0.0]]  # its mass centre too
    assert draw(m, {"length": 3.0})["bodies"][1]["points"] == [[-1.5, 0.0], [0.0, 0.0]]


def test_a_cam_is_sampled_on_its_outline() -> None:
    (curve,) = draw(gears_and_cam())["curves"]
    points = np.array(curve["points"])
    assert curve["body"] == "wheel"
    assert curve["closed"]
    # an eccentric circle of radius 0.06 about (0.03, 0); points are kept to 1e-9
    np.testing.assert_allclose(np.hypot(points[:, 0] - 0.03, points[:, 1]), 0.06, atol=2e-9)


def test_a_curve_is_put_where_its_body_has_it() -> None:
    m = lw.PlanarModel("turned")
    cam, arm = m.body("cam", mass=1), m.body("arm", mass=1)
    outline = lw.Curve.parametric("2*cos(alpha)", "sin(alpha)", start=0, end=2 * math.pi, closed=True)
    m.add(lw.PointFollower("tip", arm.at(0, 0), cam.curve(outline, at=(5, 0), angle=math.pi / 2)))
    points = np.array(draw(m)["curves"][0]["points"])
    np.testing.assert_allclose(points[0], [5, 2], atol=1e-9)  # its x axis is turned up
    assert points[:, 0].max() == pytest.approx(6, abs=1e-9)


def test_axes_in_space_are_the_columns_of_the_frame() -> None:
    A = element(draw(spatial_slider_crank()), "A")
    assert A["ends"][0]["at"] == [0, 0.1, 0.12]
    np.testing.assert_allclose(A["ends"][0]["axes"], [[0, 0, 1], [0, -1, 0], [1, 0, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "cause"),
    [
        ("round", "is not known"),
        ({"sphere": 1}, "is not known"),
        ({"box": (1, -2)}, "must be positive"),
        ({"box": (1, 2, 3)}, "2 finite numbers"),
        ({"circle": "big"}, "could not convert"),
        ({"polygon": [(0, 0), (1, 1)]}, "three corners"),
        ({"polygon": [(0, 0), (1, 1), (0, float("nan"))]}, "finite"),
    ],
)
def test_what_is_no_shape_is_refused_by_the_bodys_name(shape: object, cause: str) -> None:
    m = lw.PlanarModel("shapes")
    with pytest.raises(lw.ModelError, match=cause) as caught:  # at once: not when a long run is to be written
        m.body("wheel", mass=1, shape=shape)
    assert caught.value.element == ("wheel",)


def test_shapes_take_parameters() -> None:
    m = lw.PlanarModel("shapes")
    r = m.parameter("r", 0.5)
    m.body("wheel", mass=1, shape=[{"circle": r, "at": np.array([r / 2, 0])}, {"box": (0.1, 2 * r), "angle": r}])
    circle, box = draw(m)["bodies"][1]["shapes"]
    assert (circle["size"], circle["at"]) == ([0.5], [0.25, 0.0])
    assert (box["size"], box["angle"]) == ([0.1, 1.0], 0.5)
    assert draw(m, {"r": 0.25})["bodies"][1]["shapes"][0]["size"] == [0.25]
    with pytest.raises(lw.ModelError, match="must be positive"):
        m.set(r=-1.0)
    assert m.parameters["r"] == 0.5


def test_shapes_in_the_plane_and_in_space() -> None:
    m = lw.PlanarModel("shapes")
    m.body("wheel", mass=1, shape=[{"circle": 0.5, "at": (1, 0)}, {"box": (0.2, 0.1), "angle": 0.3}])
    circle, box = draw(m)["bodies"][1]["shapes"]
    assert circle == {"kind": "circle", "at": [1.0, 0.0], "angle": 0.0, "size": [0.5]}
    assert box["size"] == [0.2, 0.1]
    s = lw.SpatialModel("shapes")
    tetrahedron = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    s.body("stone", mass=1, inertia=(1, 1, 1), shape={"mesh": tetrahedron})
    assert draw(s)["bodies"][1]["shapes"][0]["size"]["faces"][3] == [1, 2, 3]
    with pytest.raises(lw.ModelError, match="none of the 4"):
        s.body("bad", mass=1, inertia=(1, 1, 1), shape={"mesh": (tetrahedron[0], [(0, 1, 7)])})
