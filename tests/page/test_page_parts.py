"""Parts that look like what they are: driven legs, dampers; machines that travel; the finer light of a graphics card."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.view.animation import Animation
from page.pixels import inked, pixels

pytestmark = pytest.mark.browser
Show = Callable[..., Any]

# Places on the screen: of the ends of the parts of an element, in the order they are drawn.
ENDS = """() => [...document.querySelectorAll('g.joint[data-name="NAME"] path')].map(p => {
    const b = p.getBBox(), m = p.getCTM(), put = (x) => [m.a * x + m.e, m.b * x + m.f];
    return [p.getAttribute('class'), put(b.x), put(b.x + b.width)];
})"""


def lifted(kind: str) -> lw.PlanarModel:
    """A weight that is moved up and down by a cylinder, or hangs on a damper beside which it is moved."""
    m = lw.PlanarModel("lift")
    table = m.body("table", mass=1.0, position=(0, 1))
    way = m.add(lw.Translational("way", m.ground.at(0, 0, angle="pi/2"), table.at(0, 0, angle="pi/2")))
    if kind == "leg":
        m.add(lw.Driver("leg", lw.distance(m.ground.at(0, 0), table.at(0, 0)), "1 + 0.2*sin(2*pi*t)"))
    else:
        m.add(lw.Spring("leg", m.ground.at(0, 0), table.at(0, 0), c=3.0, k=50.0 if kind == "both" else 0.0, length=1.0))
        m.add(lw.Driver("lift", way.displacement, "1 + 0.2*sin(2*pi*t)"))
    return m


@pytest.mark.parametrize(("kind", "coil"), [("leg", False), ("damper", False), ("both", True)])
def test_cylinders_stretch_and_their_tubes_do_not(kind: str, coil: bool, show: Show) -> None:
    m = lifted(kind)
    r = lw.kinematics(m, t_end=1.0, steps=8)
    opened = show(r.animate(model=m, autoplay=False))
    tubes, wholes = set(), []
    for (parts,) in opened.along(r.t, ENDS.replace("NAME", "leg")):
        by = {name: (np.array(a), np.array(b)) for name, a, b in parts}
        foot, mouth = by["tube"]
        neck, head = by["stem"]
        tubes.add(round(float(np.linalg.norm(mouth - foot)), 1))
        wholes.append(float(np.linalg.norm(head - foot)))
        # the piston is in its tube, and the stem comes out of it
        assert np.linalg.norm(neck - foot) < np.linalg.norm(mouth - foot) < np.linalg.norm(head - foot)
        assert ("spring" in by) == coil
        if coil:
            assert np.linalg.norm(by["spring"][1] - by["spring"][0]) == pytest.approx(wholes[-1], rel=1e-6)
    assert len(tubes) == 1
    # as long as the distance is: 1 + 0.2 sin
    assert np.allclose(np.array(wholes) / wholes[0], 1 + 0.2 * np.sin(2 * math.pi * r.t), atol=1e-4)


def blue(opened: Any) -> float:
    """How much of the picture the first body takes: it is blue."""
    picture = pixels(opened.page.locator("#view canvas")).astype(int)
    return float((picture[:, :, 2] - picture[:, :, 0] > 60).mean())


def metal(picture: np.ndarray) -> float:
    """How much of it is grey and dark, as legs are; shadows on a light floor are brighter."""
    return float(((np.ptp(picture, axis=2) < 40) & (picture.max(axis=2) < 150)).mean())


def test_a_machine_that_travels_stays_in_sight(show: Show) -> None:
    m = lw.SpatialModel("cart", gravity=(0, 0, -9.81))
    cart = m.body("cart", mass=1.0, inertia=(1.0, 1.0, 1.0), shape={"box": (0.6, 0.4, 0.3)})
    way = m.add(
        lw.Translational("way", m.ground.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), cart.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)))
    )
    m.add(lw.Driver("pull", way.displacement, "50*t"))
    r = lw.kinematics(m, t_end=1.0, steps=10)
    opened = show(r.animate(model=m, autoplay=False), 700, 500)
    opened.page.locator("#names").uncheck()
    seen = []
    for time in (0.0, 0.5, 1.0):
        opened.go(time)
        seen.append(blue(opened))
    assert min(seen) > 0.03  # fitted to its way of 50 m it would be a hundredth of that
    assert max(seen) < 1.2 * min(seen)
    assert opened.complaints == []


def test_legs_of_a_platform_are_drawn(show: Show) -> None:
    """They are drivers along distances: without them there is the plate alone."""
    m = example("stewart-platform").load()
    page = lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False)
    with_legs = show(page, 600, 500)
    without = show(Animation(page.text.replace('"between":', '"was":'), "plate"), 600, 500)
    for opened in (with_legs, without):
        opened.page.locator("#names").uncheck()
        opened.page.locator("#traces").uncheck()
    seen, alone = (metal(pixels(opened.page.locator("#view canvas"))) for opened in (with_legs, without))
    assert seen > 0.01
    assert seen > 3 * alone


def test_with_a_graphics_card_there_are_surroundings_and_soft_shadows(show: Show) -> None:
    """The finer materials are drawn; without a card there are simpler ones, so this page is told that it has one."""
    m = example("spatial-slider-crank").load()
    page = lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False)
    opened = show(Animation(page.text.replace("/swiftshader|llvmpipe|software|basic render/", "/none/"), "fine"), 420, 480)
    opened.page.locator("#names").uncheck()
    picture = pixels(opened.page.locator("#view canvas")).astype(int)
    assert inked(picture) > 0.02
    saturated = np.ptp(picture, axis=2) > 60  # painted bodies: neither black nor washed out
    assert saturated.mean() > 0.02
    assert np.median(picture[saturated].max(axis=1)) > 120
    opened.page.locator("#theme").click()
    assert opened.complaints == []
