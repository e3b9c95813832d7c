"""Forces of contacts in a page: where bodies touch, pressing and rubbing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.examples import EXAMPLES
from linkwright.live.bundle import Bundle
from linkwright.live.drawn import Touches
from page.live_pages import Show, solved

G = 9.81


def acting(m: lw.Model, r: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Places and forces of all pairs of contacts, over time, by what a page has of them."""
    touches, bundle, n = Touches(Machine(m)), Bundle(), m.dimension
    touches.put_into(bundle)
    coordinates = ("x", "y", "angle") if n == 2 else ("x", "y", "z", "e0", "e1", "e2", "e3")
    q = np.stack([r[f"{b}.{c}"] for b in m.bodies if b != "ground" for c in coordinates], axis=1)
    told, b = bundle.functions["touching"], touches.machine.b
    rows = np.array([told(x, np.array([t]), b)[0] for x, t in zip(q, r.t, strict=True)]).reshape(len(r.t), -1, n + 1, n)
    arrows = touches.arrows(lambda channel: channel in r)
    sizes = [np.stack([r[c] for c in a["sizes"]], axis=1) for a in arrows]
    along = [rows[:, a["touch"], 1 : 1 + len(a["sizes"])] for a in arrows]
    return [(rows[:, a["touch"], 0], np.einsum("tk,tki->ti", s, d)) for a, s, d in zip(arrows, sizes, along, strict=True)]


def test_they_move_what_they_act_on() -> None:
    """Newton and Euler: of a block that is pushed over, with three contacts that stick, slip and part."""
    m = EXAMPLES["tipping-block"].load()
    r = lw.dynamics(m, t_end=2.5, steps=100)
    found, mass, inertia = acting(m, r), m.value(m["block"].mass), m.value(m["block"].inertia)
    place, a = (np.stack([r["block.x"], r["block.y"]], axis=1), np.stack([r["block.ax"], r["block.ay"]], axis=1))
    assert len(found) == 3
    assert all(np.abs(F).max() > 1 for _, F in found)
    push = r["push.force"]  # at its middle, along x
    total = sum(F for _, F in found) + np.stack([push, np.full_like(push, -mass * G)], axis=1)
    largest = np.abs([F for _, F in found]).max()
    np.testing.assert_allclose(total, mass * a, rtol=0, atol=1e-9 * largest)  # what positions are held to
    moment = sum((p - place)[:, 0] * F[:, 1] - (p - place)[:, 1] * F[:, 0] for p, F in found)
    np.testing.assert_allclose(moment, inertia * r["block.alpha"], rtol=0, atol=1e-9 * largest)


def test_so_they_do_in_space() -> None:
    """A ball that slides and rolls: two directions of friction, and the moment about its middle."""
    m = lw.SpatialModel("ball", gravity=(0, 0, -G))
    ball = m.body("ball", mass=2.0, inertia=(0.02, 0.02, 0.02), position=(0, 0, 0.1), velocity=(1.0, 0.5, 0))
    m.add(lw.Contact("floor", ball.at(0, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), k=1e5, c=200, mu=0.3))
    r = lw.dynamics(m, t_end=0.2, steps=40)
    ((place, F),) = acting(m, r)
    a, alpha = (np.stack([r[f"ball.{c}{x}"] for x in "xyz"], axis=1) for c in ("a", "alpha"))
    middle = np.stack([r[f"ball.{x}"] for x in "xyz"], axis=1)
    np.testing.assert_allclose(F + np.array([0, 0, -2 * G]), 2 * a, rtol=0, atol=1e-9 * np.abs(F).max())
    np.testing.assert_allclose(np.cross(place - middle, F), 0.02 * alpha, rtol=0, atol=1e-9 * np.abs(F).max())


@pytest.mark.browser
def test_the_page_draws_them_where_bodies_touch(show: Show) -> None:
    """The pads of the gripper push along the ground, and hold the part up: each arrow begins at the part's rim, and has the
    slope of friction to pressing force."""
    m = EXAMPLES["gripper"].load()
    times = {"t_end": 0.8, "steps": 16}
    opened = solved(show(lw.page(m, analysis="dynamics", autoplay=False, **times), 900, 700))
    opened.go(0.75)
    r = lw.dynamics(m, **times)
    corner = opened.page.locator("#view").bounding_box()
    seen = {b: opened.page.evaluate("(b) => linkwright.place(b)", b) for b in ("part", "left", "right")}
    middle = np.array([seen["part"]["x"] - corner["x"], seen["part"]["y"] - corner["y"]])
    pixels = (seen["right"]["x"] - seen["left"]["x"]) / (r["right.x"][15] - r["left.x"][15])  # a metre
    rim = np.array([0.04 * pixels, 0])
    for pad, side in (("left pad", -1), ("right pad", 1)):
        d = opened.page.locator(f'path.force[data-name="{pad}"]').get_attribute("d")
        start, tip = (np.array(p.split(), dtype=float) for p in d.removeprefix("M").split("M")[0].split("L"))
        np.testing.assert_allclose(start, middle + side * rim, rtol=0, atol=0.02)  # hundredths of a pixel
        across, up = tip - start
        assert across * side < 0
        slope = abs(r[f"{pad}.friction"][15]) / r[f"{pad}.force"][15]
        assert -up / abs(across) == pytest.approx(slope, abs=0.02 / abs(across))
    assert r.unit("left pad.friction") == "N"
