"""Wheels with teeth on the page: as many teeth as the radii say, and teeth of one wheel are never inside the other."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example

pytestmark = pytest.mark.browser
Show = Callable[..., Any]

# Of each body with a wheel (and of ground) the last of its outlines as it is on the screen: the path, the matrix it has.
OUTLINES = """() => Object.fromEntries(
    [...document.querySelectorAll('g.body .solid.inner, [data-layer=ground] .solid.inner')].map(p => {
        const m = p.getCTM(), name = p.closest('[data-name]')?.dataset.name ?? 'ground';
        return [name, [p.getAttribute('d'), [m.a, m.b, m.c, m.d, m.e, m.f]]];
    }))"""
# The first of them.
FIRST = OUTLINES.replace(".map(p", ".reverse().map(p")


def outlines(found: dict[str, Any]) -> dict[str, np.ndarray]:
    """Points of the first closed line of each path: of a wheel its teeth."""
    out = {}
    for name, (d, (a, b, c, e, x, y)) in found.items():
        points = np.array([[float(v) for v in pair.split()] for pair in re.split("[ML]", d.split("Z")[0])[1:]])
        out[name] = points @ np.array([[a, b], [c, e]]) + [x, y]
    return out


def inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Whether each point is inside: a line from it to the right meets the polygon an odd number of times."""
    (x, y), a, b = points.T[:, :, None], polygon, np.roll(polygon, -1, axis=0)
    crosses = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    counted: np.ndarray = (crosses & (x < at)).sum(axis=1) % 2 == 1
    return counted


def teeth(outline: np.ndarray) -> int:
    """How often the distance from the middle passes its mean, on the way out."""
    r = np.linalg.norm(outline - outline.mean(axis=0), axis=1)
    far = r > (r.min() + r.max()) / 2
    return int((far & ~np.roll(far, 1)).sum())


def depth(points: np.ndarray, polygon: np.ndarray) -> float:
    """How deep the deepest of the points that are inside lies under the outline."""
    within = points[inside(points, polygon)]
    if not len(within):
        return 0.0
    a, d = polygon, np.roll(polygon, -1, axis=0) - polygon
    s = np.clip(((within[:, None] - a) * d).sum(axis=2) / np.maximum((d * d).sum(axis=1), 1e-30), 0, 1)
    return float(np.linalg.norm(within[:, None] - a - s[:, :, None] * d, axis=2).min(axis=1).max())


def pair(ratio: float) -> lw.PlanarModel:
    m = lw.PlanarModel("pair")
    pinion, wheel = m.body("pinion"), m.body("wheel", position=(0.1 * (1 + ratio), 0), shape={"circle": 0.1 * ratio})
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), pinion.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.1 * (1 + ratio), 0), wheel.at(0, 0)))
    m.add(lw.Gear("mesh", pinion.at(0, 0), wheel.at(0, 0), radii=(0.1, 0.1 * ratio)))
    m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    return m


# 1.6180... is the ratio that whole numbers come nearest to least.
@pytest.mark.parametrize("ratio", [2.0, 1.5, (1 + math.sqrt(5)) / 2])
def test_teeth_go_into_the_gaps(ratio: float, show: Show) -> None:
    m = pair(ratio)
    r = lw.kinematics(m, t_end=1.0, steps=60)
    opened = show(r.animate(model=m, autoplay=False))
    counts = set()
    for (found,) in opened.along(r.t[::7], OUTLINES):
        wheels = outlines(found)
        counts.add((teeth(wheels["pinion"]), teeth(wheels["wheel"])))
        size = np.ptp(wheels["pinion"][:, 0])  # of a tooth a pinion of at least 14 has at most a ninth
        assert depth(wheels["pinion"], wheels["wheel"]) < 0.002 * size
        assert depth(wheels["wheel"], wheels["pinion"]) < 0.002 * size
        # they do reach into each other: the pitch circles touch
        assert np.linalg.norm(wheels["pinion"][:, None] - wheels["wheel"][None], axis=2).min() < 0.03 * size
    ((few, many),) = counts
    assert few >= 14
    assert many == round(ratio * few)


def test_planets_run_between_sun_and_ring(show: Show) -> None:
    """The ring has its teeth inside. The model says of one planet that it runs in the ring; the others do as well."""
    m = example("planetary-gear").load()
    r = lw.kinematics(m, t_end=1.0, steps=40)
    opened = show(r.animate(model=m, autoplay=False))
    for (found,) in opened.along(r.t[::9], OUTLINES):
        wheels = outlines(found)
        counted = [teeth(wheels[name]) for name in ("sun", "planet 1", "planet 2", "ground")]
        assert counted[1:] == [1.5 * counted[0], 1.5 * counted[0], 4 * counted[0]]
        for planet in ("planet 1", "planet 2", "planet 3"):
            assert depth(wheels[planet], wheels["sun"]) < 0.002 * np.ptp(wheels["sun"][:, 0])
            assert inside(wheels[planet], wheels["ground"]).all()


def test_a_pinion_rolls_on_the_teeth_of_its_rack(show: Show) -> None:
    m = lw.PlanarModel("rack")
    rack, pinion = m.body("rack"), m.body("pinion", position=(0, 0.1))
    m.add(lw.Translational("way", m.ground.at(0, 0, angle=0), rack.at(0, 0, angle=0)))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0.1), pinion.at(0, 0)))
    m.add(lw.RackPinion("teeth", rack.at(0, 0, angle=0), pinion.at(0, 0), radius=0.1))
    m.add(lw.Driver("motor", pin.angle, "2*t"))
    r = lw.kinematics(m, t_end=1.0, steps=40)
    opened = show(r.animate(model=m, autoplay=False))
    for (found,) in opened.along(r.t[::9], FIRST):
        both = outlines(found)
        assert depth(both["pinion"], both["rack"]) < 0.002 * np.ptp(both["pinion"][:, 0])
        assert depth(both["rack"], both["pinion"]) < 0.002 * np.ptp(both["pinion"][:, 0])
