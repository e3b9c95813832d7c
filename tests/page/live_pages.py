"""What tests of live pages share: a page that has solved its machine, its channels beside those of an analysis here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import linkwright as lw
from page.conftest import Opened
from shaken import a_rounding, by_channel

Show = Callable[..., Opened]
# of the largest value of a channel; channels below the second number are rounding of others
SAME, NOTHING = 1e-9, 1e-3
ROUNDINGS = 4  # a step


def solved(opened: Opened) -> Opened:
    opened.page.evaluate("linkwright.ready")
    assert opened.complaints == []
    return opened


def numbers(show: Show, model: lw.Model, **options: Any) -> Opened:
    """A page of which numbers are asked for: small, and at rest, so that the picture costs little."""
    return solved(show(lw.page(model, autoplay=False, **options), 480, 360))


def put(opened: Opened, **values: float) -> str:
    """What the page says after these values were set."""
    said: str = opened.page.evaluate("async (x) => { await linkwright.set(x); return linkwright.message; }", values)
    return said


def channels(opened: Opened) -> dict[str, np.ndarray]:
    found = opened.page.evaluate(
        "Object.fromEntries(linkwright.channels.map((c) => [c, Array.from(linkwright.channel(c))]))"
    )
    return {name: np.array(values) for name, values in found.items()}


def assert_same(opened: Opened, result: Any) -> None:
    """Every channel of the result, to 1e-9 of its largest value."""
    own = _at_its_times(opened, result)
    for name, values in own.items():
        native = np.asarray(result[name])
        assert np.abs(values - native).max() <= SAME * max(np.abs(native).max(), NOTHING), name


def assert_alike(opened: Opened, result: Any, first: int = 0) -> None:
    """The same, where channels that are rounding are judged by the largest of their unit; from the sample `first` on."""
    own = _at_its_times(opened, result)
    most = {unit: max(np.abs(result[c]).max() for c in own if result.unit(c) == unit) for unit in map(result.unit, own)}
    for name, values in own.items():
        assert np.abs(values - result[name])[first:].max() <= SAME * max(most[result.unit(name)], NOTHING), name


def assert_one_motion(opened: Opened, m: lw.Model, **options: Any) -> None:
    """Every channel of `lw.dynamics` with these options, to 1e-9 of the largest of its unit, or to its condition (what a
    rounding of the start does to it here) times a few roundings, times the steps: each of them rounds anew."""
    assert opened.page.evaluate("linkwright.message") == ""
    d = lw.dynamics(m, **options)
    off = by_channel(_at_its_times(opened, d).__getitem__, d)
    far = [name for name, x in off.items() if x > SAME]
    if far:
        condition = a_rounding(m, d, **options)
        beyond = {name: off[name] for name in far if off[name] > ROUNDINGS * d.audit.steps * condition[name]}
        assert not beyond


def _at_its_times(opened: Opened, result: Any) -> dict[str, np.ndarray]:
    assert np.allclose(opened.page.evaluate("Array.from(linkwright.times)"), result.t, rtol=0, atol=1e-15)
    own = channels(opened)
    assert set(own) == set(result.channels)
    return own


def crank(driven: bool = False) -> lw.PlanarModel:
    """A slider-crank let go with a speed, on a spring that is only there beyond a place: a law that switches."""
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, l = m.parameter("r", 0.2), m.parameter("l", 0.5)  # noqa: E741
    wheel = m.body("crank", mass=1.0, inertia=0.01, position=(r / 2, 0.0))
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(r + l / 2, 0.0))
    slider = m.body("slider", mass=1.0, position=(r + l, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(-r / 2, 0)))
    m.add(lw.Revolute("B", wheel.at(r / 2, 0), rod.at(-l / 2, 0)))
    m.add(lw.Revolute("C", rod.at(l / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Force("buffer", slider.x, lambda x, v, t: lw.where(x < 0.45, 2000 * (0.45 - x), 0.0)))
    if driven:
        m.add(lw.Driver("motor", pin.angle, "0.3 + 2*pi*t"))
    else:
        m.fix(pin.angle, 0.7)
        m.fix(wheel.omega, 12.0)
    return m


def pendulum(name: str) -> tuple[lw.PlanarModel, Any]:
    m = lw.PlanarModel(name, gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    return m, m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))


def pull(opened: Opened, body: str, by: tuple[float, float]) -> tuple[float, float]:
    """Take a body at its mass centre and move the mouse; where the mouse is then, still pressed."""
    at = opened.page.evaluate("(b) => linkwright.place(b)", body)
    mouse = opened.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    mouse.move(at["x"] + by[0], at["y"] + by[1], steps=8)
    return at["x"] + by[0], at["y"] + by[1]
