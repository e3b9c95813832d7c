"""Machines of Haug's chapters 3 to 5, built through the public interface. Numbers to compare with are in the tests."""

from __future__ import annotations

from math import atan2, pi, sqrt
from typing import Any

import linkwright as lw


def slider_crank(r: Any = 2.0, L: Any = 3.5, motion: Any = "pi/4 + 2*pi*t", parameters: bool = False) -> lw.PlanarModel:
    """Section 5.2, model 1: crank, rod with its origin in the middle, slider."""
    m = lw.PlanarModel("slider-crank")
    if parameters:
        r, L = m.parameter("r", r), m.parameter("l", L)
    crank = m.body("crank", position=(-0.5, 0), angle=0.5)
    rod = m.body("rod", position=(3, 1), angle=-0.4)
    slider = m.body("slider", position=(5, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(r, 0), rod.at(-L / 2, 0)))
    m.add(lw.Revolute("C", rod.at(L / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    if motion is not None:
        m.add(lw.Driver("motor", A.angle, motion))
    return m


def slider_crank_massless_rod(r: float = 2.0, L: float = 3.5, motion: Any = "pi/4 + 2*pi*t") -> lw.PlanarModel:
    """Section 5.2, model 2: absolute constraints for crank and slider, a distance for the rod."""
    m = lw.PlanarModel("slider-crank 2")
    crank, slider = m.body("crank", angle=0.5), m.body("slider", position=(5, 0))
    m.add(lw.Constraint("x1", crank.x))
    m.add(lw.Constraint("y1", crank.y))
    m.add(lw.Constraint("y2", slider.y))
    m.add(lw.Constraint("phi2", slider.angle))
    m.add(lw.RevoluteRevolute("rod", crank.at(r, 0), slider.at(0, 0), L))
    m.add(lw.Driver("motor", crank.angle, motion))
    return m


def four_bar(L: Any = 3.0, motion: Any = "pi/2 + 2*pi*t", parameters: bool = False) -> lw.PlanarModel:
    """Section 5.3, model 1: crank 2, coupler 4, follower L, frames at mid-link; D at (4, 2 - L)."""
    m = lw.PlanarModel("four-bar")
    if parameters:
        L = m.parameter("l", L)
    crank = m.body("crank", position=(0.5, 0.5), angle=1.3)
    coupler = m.body("coupler", position=(2.1, 1.9), angle=0.1)
    follower = m.body("follower", position=(4.2, 0), angle=1.4)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-1, 0)))
    m.add(lw.Revolute("B", crank.at(1, 0), coupler.at(-2, 0)))
    m.add(lw.Revolute("C", coupler.at(2, 0), follower.at(L / 2, 0)))
    m.add(lw.Revolute("D", follower.at(-L / 2, 0), m.ground.at(4, 2 - L)))
    if motion is not None:
        m.add(lw.Driver("motor", A.angle, motion))
    return m


def four_bar_massless_follower(L: float = 3.0, motion: Any = "pi/2 + 2*pi*t") -> lw.PlanarModel:
    """Section 5.3, model 2: crank frame at B, coupler frame at C, the follower a distance."""
    m = lw.PlanarModel("four-bar 2")
    crank = m.body("crank", position=(0, 2), angle=1.4)
    coupler = m.body("coupler", position=(4, 2), angle=0.1)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-2, 0)))
    m.add(lw.Revolute("B", crank.at(0, 0), coupler.at(-4, 0)))
    m.add(lw.RevoluteRevolute("follower", coupler.at(0, 0), m.ground.at(4, 2 - L), L))
    m.add(lw.Driver("motor", A.angle, motion))
    return m


def quick_return(r: float = 1.5, motion: Any = "0.44 + 2*pi*t") -> lw.PlanarModel:
    """Section 5.4, model 1: rocker, crank, slide block, link, ram."""
    m = lw.PlanarModel("quick-return")
    g = m.ground
    rocker = m.body("rocker", position=(0.92, 1.77), angle=1.1)
    crank = m.body("crank", position=(0, 2), angle=0.44)
    block = m.body("block", position=(1.36, 2.62), angle=1.1)
    link = m.body("link", position=(0.92, 3.77), angle=-0.24)
    ram = m.body("ram", position=(0, 4))
    m.add(lw.Revolute("A", g.at(0, 0), rocker.at(-2, 0)))
    B = m.add(lw.Revolute("B", g.at(0, 2), crank.at(0, 0)))
    m.add(lw.Revolute("C", crank.at(r, 0), block.at(0, 0)))
    m.add(lw.Revolute("D", rocker.at(2, 0), link.at(0.95, 0)))
    m.add(lw.Revolute("E", link.at(-0.95, 0), ram.at(0, 0)))
    m.add(lw.Translational("slide", rocker.frame((0, 0), (1, 0)), block.frame((0, 0), (1, 0))))
    m.add(lw.Translational("F", g.frame((-3, 4), (-2, 4)), ram.frame((0, 0), (1, 0))))
    if motion is not None:
        m.add(lw.Driver("motor", B.angle, motion))
    return m


def quick_return_composite(r: float = 1.5, motion: Any = "0.44 + 2*pi*t") -> lw.PlanarModel:
    """Section 5.4, model 2: the block a pin in a slot, the link a distance."""
    m = lw.PlanarModel("quick-return 2")
    g = m.ground
    rocker = m.body("rocker", position=(0.92, 1.77), angle=1.1)
    crank = m.body("crank", position=(0, 2), angle=0.44)
    ram = m.body("ram", position=(0, 4))
    m.add(lw.Revolute("A", g.at(0, 0), rocker.at(-2, 0)))
    B = m.add(lw.Revolute("B", g.at(0, 2), crank.at(0, 0)))
    m.add(lw.PointOnLine("C", rocker.frame((0, 0), (1, 0)), crank.at(r, 0)))
    m.add(lw.RevoluteRevolute("DE", ram.at(0, 0), rocker.at(2, 0), 1.9))
    m.add(lw.Translational("F", g.frame((-3, 4), (-2, 4)), ram.frame((0, 0), (1, 0))))
    m.add(lw.Driver("motor", B.angle, motion))
    return m


def gear_slider(theta: float = 0.0, given_phases: bool = True) -> lw.PlanarModel:
    """Section 5.5: three gears, a link that sets the machine, a ram; phases of the book's reference angles, or found."""
    m = lw.PlanarModel("gear-slider")
    g = m.ground
    gears = [m.body("gear2"), m.body("gear3", position=(0.3, 0)), m.body("gear4", position=(0.6, 0.4))]
    if theta:
        gears[1].guess(position=(0.285, 0.094), angle=0.95)
        gears[2].guess(position=(0.68, 0.4), angle=-0.59)
    link = m.body("link", position=(0.6, -0.4), angle=theta)
    ram = m.body("ram", position=(1.5, 0.2))
    A = m.add(lw.Revolute("A", g.at(0, 0), gears[0].at(0, 0)))
    m.add(lw.Revolute("B", gears[2].at(0, 0), link.at(0, 0.8)))
    m.add(lw.Revolute("C", link.at(0, 0), g.at(0.6, -0.4)))

    def phase(Ri: float, ti: float, Rj: float, tj: float) -> float | None:
        return (Ri * ti + Rj * (tj - pi)) / (Ri + Rj) if given_phases else None

    tilt = atan2(4, 3)
    m.add(lw.Gear("gears 2-3", gears[0].at(0, 0), gears[1].at(0, 0), (0.2, 0.1), phase(0.2, 0, 0.1, pi)))
    m.add(lw.Gear("gears 3-4", gears[1].at(0, 0), gears[2].at(0, 0), (0.1, 0.4), phase(0.1, tilt, 0.4, pi + tilt)))
    m.add(lw.Distance("d23", gears[0].at(0, 0), gears[1].at(0, 0), 0.3))
    m.add(lw.Distance("d34", gears[1].at(0, 0), gears[2].at(0, 0), 0.5))
    m.add(lw.Distance("rod", gears[2].at(0.2, 0.2), ram.at(0, 0), 0.8))
    m.add(lw.Translational("slide", ram.frame((0, 0), (1, 0)), g.frame((0, 0.2), (1, 0.2))))
    m.add(lw.Driver("motor", A.angle, "4*pi*t"))
    m.add(lw.Driver("setting", link.angle, theta))
    return m


def valve_lifter(e: float = 0.25) -> lw.PlanarModel:
    """Section 5.6, in cm: eccentric circular cam, flat-faced follower, rocker, valve stem."""
    m = lw.PlanarModel("valve lifter")
    g = m.ground
    cam = m.body("cam", position=(0, -0.25))
    follower = m.body("follower", position=(0, 16), angle=pi / 2)
    rocker = m.body("rocker", position=(6, 31))
    stem = m.body("stem", position=(12, 23.5), angle=-pi / 2)
    B = m.add(lw.Revolute("B", g.at(0, e - 0.25), cam.at(0, e)))
    m.add(lw.Revolute("C", rocker.at(0, 0), g.at(6, 31)))
    m.add(lw.Translational("D", g.frame((0, 16), (0, 17)), follower.frame((0, 0), (1, 0))))
    m.add(lw.Translational("E", g.frame((12, 23.5), (12, 22.5)), stem.frame((0, 0), (1, 0))))
    m.add(lw.PointOnLine("F", rocker.frame((-6, 0), (-5, 0)), follower.at(15, 0)))
    m.add(lw.PointOnLine("G", rocker.frame((6, 0), (7, 0)), stem.at(-7.5, 0)))
    m.add(lw.CamFlat("contact", cam.curve(lw.Curve.polar(1.25)), follower.frame((-15, 0), (-15, 1)), estimate=pi / 2))
    m.add(lw.Driver("motor", B.angle, "40*pi*t"))
    return m


def five_bar(l3: float = 1.0, joint: str = "slot", motion: Any = "t", start: float = 0.5) -> lw.PlanarModel:
    """Section 5.1: three cross-bars on the bar; the third by a revolute (one equation too many) or by a pin in a slot."""
    m = lw.PlanarModel("five-bar")
    bar = m.body("bar", position=(0.9, 0.5))
    for i in range(3):
        own = m.body(f"b{i + 1}", position=(i, 0), angle=start)
        m.add(lw.Revolute(f"G{i + 1}", m.ground.at(i, 0), own.at(0, 0)))
        tip = own.at(l3 if i == 2 else 1.0, 0)
        if i == 2 and joint == "slot":
            m.add(lw.PointOnLine("T3", bar.at(0, 0, angle=0), tip))
        else:
            m.add(lw.Revolute(f"T{i + 1}", tip, bar.at(i, 0)))
    if motion is not None:
        m.add(lw.Driver("motor", m["b1"].angle, motion))
    return m


def film_follower() -> lw.PlanarModel:
    """Project 5.1, in metres, at 1000 rpm: crank AB, follower BC with the point P, rocker CD."""
    m = lw.PlanarModel("film follower")
    crank = m.body("crank", position=(0, 0))
    follower = m.body("follower", position=(0, 0.05), angle=1.88)
    rocker = m.body("rocker", position=(-0.015, 0.046), angle=0.09)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(0.015, 0), follower.at(-0.05, 0)))
    m.add(lw.Revolute("C", follower.at(0, 0), rocker.at(0.015, 0)))
    m.add(lw.Revolute("D", rocker.at(-0.015, 0), m.ground.at(-0.03, 0.045)))
    m.add(lw.Driver("motor", A.angle, "100*pi/3*t"))
    return m


def cam_A(motion: Any = "t", pair: str = "roller") -> lw.PlanarModel:
    """Examples 3.4.3 to 3.4.5: a cam with one lobe, under a roller of radius 1/4, a flat face, or with a pin in its slot."""
    m = lw.PlanarModel(f"cam A, {pair}")
    cam, follower = m.body("cam"), m.body("follower", position=(0, 1.6))

    def rho(a: Any) -> Any:
        return lw.where(a < 2 * pi / 3, 5 / 4 - lw.cos(3 * a) / 4, 1.0)

    outline = cam.curve(lw.Curve.polar(rho))
    pin = m.add(lw.Revolute("pivot", m.ground.at(0, 0), cam.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=pi / 2), follower.at(0, 0, angle=pi / 2)))
    if pair == "roller":
        m.add(lw.CamFollower("contact", outline, follower.curve(lw.Curve.polar(0.25)), estimate=(pi / 3, -pi / 2)))
    elif pair == "face":
        m.add(lw.CamFlat("contact", outline, follower.at(0, 0, angle=pi), estimate=pi / 3))
    else:
        m.add(lw.PointFollower("contact", follower.at(0, 0), outline, estimate=pi / 3))
    m.add(lw.Driver("motor", pin.angle, motion))
    return m


def dyad(L: float = 2.0, motion: Any = "t", driven: str = "crank") -> lw.PlanarModel:
    """Example 3.1.2: crank of length 1 about the origin, coupler with s' = (0, L) whose origin is on the x axis."""
    m = lw.PlanarModel("two-body slider-crank")
    crank = m.body("crank", angle=0.7)
    coupler = m.body("coupler", position=(2.5, 0), angle=1.2)
    m.add(lw.Revolute("O", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("P", crank.at(1, 0), coupler.at(0, L)))
    m.add(lw.Constraint("line", coupler.y))
    m.add(lw.Driver("motor", crank.angle if driven == "crank" else coupler.x, motion))
    return m


def haug_four_bar(model: int = 1, motion: Any = "pi/3 + pi*t", a: float = 4.0, b: float = 6.0) -> lw.PlanarModel:
    """Example 3.3.2: crank a, coupler and follower b, ground a, as 3, 2 (two ways) or 1 bodies with frames at mid-link."""
    m = lw.PlanarModel(f"four-bar, model {model}")
    g = m.ground
    if model != 4:
        b1 = m.body("b1", position=(a / 4, 0.43 * a), angle=1.0)
        A = m.add(lw.Revolute("A", g.at(0, 0), b1.at(-a / 2, 0)))
    if model != 2:
        b2 = m.body("b2", position=(0.82 * b, 0.66 * b), angle=0.18)
    if model in (1, 2):
        b3 = m.body("b3", position=(b, 0.4 * b), angle=0.86)
        m.add(lw.Revolute("D", b3.at(-b / 2, 0), g.at(a, 0)))
    if model in (1, 3):
        m.add(lw.Revolute("B", b1.at(a / 2, 0), b2.at(-b / 2, 0)))
    if model == 1:
        m.add(lw.Revolute("C", b2.at(b / 2, 0), b3.at(b / 2, 0)))
    if model == 2:
        m.add(lw.Distance("coupler", b1.at(a / 2, 0), b3.at(b / 2, 0), b))
    if model == 3:
        m.add(lw.Distance("follower", b2.at(b / 2, 0), g.at(a, 0), b))
    if model == 4:
        m.add(lw.Distance("crank", b2.at(-b / 2, 0), g.at(0, 0), a))
        m.add(lw.Distance("follower", b2.at(b / 2, 0), g.at(a, 0), b))
    if motion is not None:
        m.add(lw.Driver("motor", A.angle, motion))
    return m


def excavator(second: str = "cylinder") -> lw.PlanarModel:
    """Example 3.5.3 (two driven lengths) and 3.5.4 (the second a driven angle)."""
    m = lw.PlanarModel("excavator")
    b1, b2 = m.body("b1", angle=0.7), m.body("b2", position=(2.7, 2.2), angle=0.5)
    m.add(lw.Revolute("O", m.ground.at(0, 0), b1.at(0, 0)))
    J = m.add(lw.Revolute("J", b1.at(2 * sqrt(3), 0), b2.at(0, 0)))
    m.add(lw.Driver("A", lw.distance(m.ground.at(0.5, -0.5), b1.at(sqrt(3), 0)), "1.8 + t/5"))
    if second == "cylinder":
        m.add(lw.Driver("B", lw.distance(b1.at(sqrt(3), 1), b2.at(0, 0.5)), "1.9 + t/10"))
    else:
        m.add(lw.Driver("B", J.angle, "t/10"))
    return m


def double_pendulum(motion: str = "5*pi/3 + pi*t/6") -> lw.PlanarModel:
    """Example 3.6.2: two unit links, origins at their far ends, the tip on y = -1."""
    m = lw.PlanarModel("double pendulum")
    b1 = m.body("b1", position=(0.5, -0.8660), angle=5 * pi / 3)
    b2 = m.body("b2", position=(1.5, -1), angle=6.14)
    m.add(lw.Revolute("O", m.ground.at(0, 0), b1.at(-1, 0)))
    m.add(lw.Revolute("J", b1.at(0, 0), b2.at(-1, 0)))
    m.add(lw.Constraint("tip", b2.y, -1))
    m.add(lw.Driver("motor", b1.angle, motion))
    return m


def parallelogram(phi: float) -> lw.PlanarModel:
    """Example 4.6.1: a unit parallelogram with one more unit link parallel to its cranks: one equation too many."""
    m = lw.PlanarModel("parallelogram")
    g = m.ground
    b1, b3 = m.body("b1", angle=phi), m.body("b3", position=(1, 0), angle=phi)
    from math import cos, sin

    b2 = m.body("b2", position=(cos(phi), sin(phi)))
    m.add(lw.Revolute("O1", g.at(0, 0), b1.at(0, 0)))
    m.add(lw.Revolute("O3", g.at(1, 0), b3.at(0, 0)))
    m.add(lw.Revolute("P", b1.at(1, 0), b2.at(0, 0)))
    m.add(lw.Revolute("Q", b3.at(1, 0), b2.at(1, 0)))
    m.add(lw.Distance("AB", g.at(0.5, 0), b2.at(0.5, 0), 1.0))
    return m


def rocker():
    """A driven four-bar that locks up."""
    m = lw.PlanarModel("rocker")
    a = m.body("a", 1.0, 0.1, position=(0, 0.5), angle=pi / 2)
    b = m.body("b", 1.0, 0.1, position=(0.5, 1))
    c = m.body("c", 1.0, 0.1, position=(1, 0.5), angle=pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.Revolute("C", b.at(0.5, 0), c.at(0.7, 0)))
    m.add(lw.Revolute("D", c.at(-0.5, 0), m.ground.at(1.1, 0)))
    m.add(lw.Driver("motor", m["A"].angle, "pi/2 + 2*t"))
    return m
