"""Modes as motions, and the page on which they swing."""

import numpy as np
import pytest

import linkwright as lw


def double_pendulum():
    """Two equal rods of unit length."""
    m = lw.PlanarModel("double pendulum", gravity=(0, -9.81))
    upper = m.body("upper", mass=1.0, inertia=1 / 12, position=(0, -0.5))
    lower = m.body("lower", mass=1.0, inertia=1 / 12, position=(0, -1.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0), upper.at(0, 0.5)))
    m.add(lw.Revolute("B", upper.at(0, -0.5), lower.at(0, 0.5)))
    return m


def test_a_mode_moves_along_its_shape_in_its_period():
    """M xddot + K x = 0 of the angles to the vertical: M = (8 3; 3 2)/6, K = g diag(3, 1)/2; the joints stay closed."""
    lin = lw.linearize(double_pendulum())
    M, K = np.array([[8, 3], [3, 2]]) / 6, 9.81 * np.diag([1.5, 0.5])
    squares, shapes = np.linalg.eig(np.linalg.solve(M, K))
    for k, own in enumerate(np.argsort(squares)):
        r = lin.mode(k, amplitude=1e-4, frames=8)
        assert r.t[-1] == pytest.approx(2 * np.pi / np.sqrt(squares[own]), rel=1e-9)
        ratio = r["lower.angle"][0] / r["upper.angle"][0]
        assert ratio == pytest.approx(shapes[1, own] / shapes[0, own], rel=1e-6)
        assert r["upper.angle"] == pytest.approx(r["upper.angle"][0] * np.cos(2 * np.pi * r.t / r.t[-1]), abs=1e-9)
        wide = lin.mode(k, amplitude=0.5, frames=8)
        x = wide["upper.x"] + 0.5 * np.sin(wide["upper.angle"]) - wide["lower.x"] + 0.5 * np.sin(wide["lower.angle"])
        assert np.abs(x).max() < 1e-9  # at B, however far it swings


def test_a_whirl_goes_round_in_a_circle():
    """A fast rotor on springs against tilting: precession and nutation have complex shapes, its axis goes round."""
    m = lw.SpatialModel("rotor")
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.2), omega=(0, 0, 50.0))
    for axis in (b.x, b.y, b.z):
        m.add(lw.Force(f"k{len(m.elements)}", axis, "-400*s"))
    for k, tilt in enumerate(
        (lw.dot(b.vector(0, 0, 1), m.ground.vector(1, 0, 0)), lw.dot(b.vector(0, 0, 1), m.ground.vector(0, 1, 0)))
    ):
        m.add(lw.Force(f"t{k}", tilt, "-40*s"))
    lin = lw.linearize(m, lw.assemble(m))
    shapes = [lin.mode(k, amplitude=1e-3, frames=16) for k in range(len(lin.frequencies)) if lin.frequencies[k] > 1e-6]
    tilts = [
        np.array([s["b.e1"] * s["b.e0"] + s["b.e2"] * s["b.e3"], s["b.e2"] * s["b.e0"] - s["b.e1"] * s["b.e3"]])
        for s in shapes
    ]
    round_ones = [t for t in tilts if np.linalg.norm(t, axis=0).max() > 1e-4]
    assert len(round_ones) == 2  # precession and nutation
    for t in round_ones:
        assert np.ptp(np.linalg.norm(t, axis=0)) < 1e-6


def test_the_page_swings_the_mode_that_is_picked(show):
    lin = lw.linearize(double_pendulum())
    opened = show(lin.animate(amplitude=0.3))
    page = opened.page
    assert page.locator("#modes button").all_inner_texts() == [lin.mode_name(0), lin.mode_name(1)]
    for k in (1, 0):
        page.locator("#modes button").nth(k).click()
        if page.locator("#play").get_attribute("aria-label") == "Pause":
            page.locator("#play").click()
        r = lin.mode(k, amplitude=0.3)
        assert lin.mode_name(k) in page.locator("#subtitle").inner_text()
        for row in (0, 12, 30):
            opened.go(float(r.t[row]))
            assert opened.place("lower") == pytest.approx((r["lower.x"][row], r["lower.y"][row]), abs=1e-6)  # seven digits
    assert opened.complaints == []


def test_modes_in_space_are_a_page_too(tmp_path):
    lin = lw.linearize(lw.embed(double_pendulum()))
    page = lin.animate(tmp_path / "modes.html", mode=1)
    assert (tmp_path / "modes.html").read_text() == page.text
    assert '"first_mode":1' in page.text


@pytest.mark.parametrize(("ask", "words"), [
    ({"k": 2}, "there is no mode 2"), ({"k": -1}, "there is no mode -1"), ({"k": 0.5}, "there is no mode 0.5"),
    ({"amplitude": 0}, "the amplitude is 0"), ({"frames": 1}, "1 frames are no cycle"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(ask, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.linearize(double_pendulum()).mode(**ask)
