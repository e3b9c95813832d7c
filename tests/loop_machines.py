"""Machines of few and of many loops."""

import numpy as np

import linkwright as lw


def chain(n, closed=False):
    """Bars of one metre in the plane, each hinged to the one before; closed: the last to the ground, too."""
    m = lw.PlanarModel("chain", gravity=(0.3, -9.81))
    before = m.ground
    for k in range(n):
        turn = 2 * np.pi * k / n
        place = np.array([np.sin(turn), 1 - np.cos(turn)]) / (2 * np.sin(np.pi / n))  # a regular polygon from the origin on
        heading = turn + np.pi / n
        bar = m.body(
            f"b{k}", mass=1 + 0.1 * k, inertia=0.1, position=place + 0.5 * np.array([np.cos(heading), np.sin(heading)]),
            angle=heading,
        )  # fmt: skip
        m.add(lw.Revolute(f"J{k}", before.at(0.5, 0) if k else before.at(0, 0), bar.at(-0.5, 0)))
        before = bar
    if closed:
        m.add(lw.Revolute("last", m.ground.at(0, 0), before.at(0.5, 0)))
    return m


def four_bars(count, tower=True, lean=0.0):
    """Each on the one below, or all on the ground; the legs lean [rad]."""
    m = lw.PlanarModel("four-bars", gravity=(0.3, -9.81))
    low, up = [m.ground.at(0, 0), m.ground.at(1, 0)], np.array([-np.sin(lean), np.cos(lean)])
    for k in range(count):
        foot = k * up if tower else np.array([0.0, k])
        a, b = (
            m.body(f"{x}{k}", 1.0, 0.1, position=foot + 0.5 * up + [float(x == "b"), 0], angle=np.pi / 2 + lean)
            for x in "ab"
        )
        c = m.body(f"c{k}", 1.0, 0.1, position=foot + up + [0.5, 0])
        for leg, foot, end in zip((a, b), low, (c.at(-0.5, 0), c.at(0.5, 0)), strict=True):
            m.add(lw.Revolute(f"{leg.name}_foot", foot, leg.at(-0.5, 0)))
            m.add(lw.Revolute(f"{leg.name}_head", leg.at(0.5, 0), end))
        low = [c.at(-0.5, 0), c.at(0.5, 0)] if tower else [m.ground.at(0, k + 1), m.ground.at(1, k + 1)]
    return m


def spatial_loops(count):
    """Rods on balls, two of them carry a third across, on which the next two stand: each loop has three rows."""
    m = lw.SpatialModel("loops in space", gravity=(0, 0.3, -9.81))
    low, up = [m.ground.at(0, 0, 0), m.ground.at(1, 0, 0)], ((0, 1, 0), -np.pi / 2)
    for k in range(count):
        a, b = (
            m.body(f"{x}{k}", 1.0, (0.1, 0.1, 0.1), position=(float(x == "b"), 0, 0.5 + k), orientation=up) for x in "ab"
        )
        c = m.body(f"c{k}", 1.0, (0.1, 0.1, 0.1), position=(0.5, 0, 1 + k))
        for leg, foot, end in zip((a, b), low, (c.at(-0.5, 0, 0), c.at(0.5, 0, 0)), strict=True):
            m.add(lw.Spherical(f"{leg.name}_foot", foot, leg.at(-0.5, 0, 0)))
            m.add(lw.Spherical(f"{leg.name}_head", leg.at(0.5, 0, 0), end))
        low = [c.at(-0.5, 0, 0), c.at(0.5, 0, 0)]
    return m
