"""What the page gets of a motion is the motion."""

from __future__ import annotations

from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright.results import Audit, Result
from linkwright.view import frames
from linkwright.view.drawing import draw
from view.sample_machines import gears_and_cam, slider_crank, spatial_slider_crank


@given(st.lists(st.floats(1e-6, 10), min_size=1, max_size=400), st.integers(2, 50))
def test_chosen_times_are_stored_ones_from_first_to_last(gaps: list[float], most: int) -> None:
    t = np.cumsum(gaps)
    chosen = frames.choose(t, most)
    assert len(chosen) <= max(most, 1)
    assert (np.diff(chosen) > 0).all()
    assert (chosen[0], chosen[-1]) == (0, len(t) - 1)


def test_ground_stands_still_and_bodies_carry_their_points() -> None:
    pose = np.array([[1.0, 2.0, np.pi / 2]])
    np.testing.assert_allclose(frames.carry(pose, [1, 0]), [[1, 3]], atol=1e-15)
    np.testing.assert_allclose(frames.carry(pose, [1, 0], turn_only=True), [[0, 1]], atol=1e-15)
    assert frames.carry(None, [4, 5]).tolist() == [[4, 5]]
    h = np.sqrt(0.5)
    quarter = np.array([[0, 0, 1, h, 0, 0, h]])  # a quarter turn about z
    np.testing.assert_allclose(frames.carry(quarter, [1, 0, 0]), [[0, 1, 1]], atol=1e-15)


def test_the_pin_of_the_rod_stays_on_the_slider_in_space() -> None:
    m = spatial_slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=40)
    drawing = draw(m)
    poses = frames.poses(r, drawing, np.arange(len(r.t)))
    # closed joint: far below a pixel
    np.testing.assert_allclose(frames.carry(poses["rod"], [0.15, 0, 0]), poses["slider"][:, :3], atol=1e-9)
    # Haug 10.2 with the crank at 90 degrees: the slider is at x = 0.2 exactly
    np.testing.assert_allclose(poses["slider"][0, :3], [0.2, 0, 0], atol=1e-9)


def test_the_box_holds_the_whole_motion() -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=400)
    data = frames.motion(r, draw(m))
    (x0, y0), (x1, y1) = data["box"]
    # crank radius 2 about the origin; the spring hangs at x = 7.5. 400 steps miss the extremes by less than 1e-3.
    np.testing.assert_allclose([x0, x1, y0, y1], [-2, 7.5, -2, 2], atol=1e-3)
    # stroke of the slider (published): 1.5 to 5.5
    span = data["spans"]["guide"]
    assert span["line"] == 0
    np.testing.assert_allclose([span["from"], span["to"]], [1.5, 5.5], atol=1e-3)


def test_gears_are_inside_the_box() -> None:
    m = gears_and_cam()
    r = lw.kinematics(m, t_end=1.0, steps=20)
    (x0, y0), (x1, _) = frames.motion(r, draw(m))["box"]
    np.testing.assert_allclose([x0, y0, x1], [-0.1, -0.2, 0.5], atol=1e-12)


def test_numbers_are_encoded_as_little_endian_floats() -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=50)
    data = frames.motion(r, draw(m))
    np.testing.assert_array_equal(np.frombuffer(b64decode(data["t"]), "<f8"), r.t)
    found = {c["name"]: c for c in data["channels"]}
    assert found["slider.vx"]["unit"] == "m/s"
    values = np.frombuffer(b64decode(found["slider.vx"]["data"]), "<f4")
    np.testing.assert_array_equal(values, r["slider.vx"].astype("f4"))


def test_long_results_are_thinned_and_many_channels_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=500)
    data = frames.motion(r, draw(m), most=100)
    assert len(b64decode(data["t"])) == 8 * 100
    assert data["stored"] == 501
    monkeypatch.setattr(frames, "MOST_NUMBERS", 100 * (12 + 5))
    data = frames.motion(r, draw(m), most=100)
    assert len(data["channels"]) == 5
    assert data["left_out"] == len(r.channels) - 5


def test_what_cannot_be_shown_is_said() -> None:
    m = slider_crank()
    t = np.linspace(0, 1, 3)
    with pytest.raises(lw.ModelError, match="does not hold its coordinates") as caught:
        frames.motion(Result("m", t, {"crank.x": t}, Audit()), draw(m))
    assert caught.value.element == ("crank",)
    with pytest.raises(lw.ModelError, match="empty"):
        frames.motion(Result("m", t[:0], {}, Audit()), draw(m))
