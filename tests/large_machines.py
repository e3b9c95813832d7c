"""Machines of any number of bodies."""

import numpy as np

import linkwright as lw


def loops(n, driven=True, off=0.0):
    """A crank, and n times a coupler with a rocker that drives the next. off: how far the estimates are off."""
    m = lw.SpatialModel("chain of loops")
    before = m.body("crank", orientation=((0, 0, 1), off))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), before.at(0, 0, 0)))
    local, start = (0.3, 0, 0), np.array([0.3, 0, 0])
    for k in range(n):
        pivot = np.array([2.0 * (k + 1), 0, 0.2 * (k % 2 + 1)])
        tip = pivot + np.array([0, 1, 0])
        length = float(np.linalg.norm(tip - start))
        x = (tip - start) / length
        y = np.cross((0, 0, 1), x)
        y /= np.linalg.norm(y)
        coupler = m.body(f"coupler{k}", position=start + off, orientation=np.array([x, y, np.cross(x, y)]).T)
        rocker = m.body(f"rocker{k}", position=pivot - off, orientation=((0, 0.6, 0.8), off))
        m.add(lw.Spherical(f"B{k}", before.at(*local), coupler.at(0, 0, 0)))
        m.add(lw.Universal(f"C{k}", coupler.frame((length, 0, 0), (length, 1, 0)), rocker.at(0, 1, 0)))
        m.add(lw.Revolute(f"D{k}", m.ground.at(*pivot), rocker.at(0, 0, 0)))
        before, local, start = rocker, (0, 1, 0), tip
    if driven:
        m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    return m


def chain(n, dimension):
    """Open, on revolute joints, stretched out; in space with skew axes."""
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("chain")
    before, at = m.ground, (0.0,) * dimension
    for k in range(n):
        body = m.body(f"b{k}", position=(k + 0.5, *at[1:]))
        turn = {"rotation": ((1, 0, 0), 0.3 + 0.5 * (k % 2))} if dimension == 3 else {}
        m.add(lw.Revolute(f"j{k}", before.at(*at, **turn), body.at(-0.5, *at[1:], **turn)))
        before, at = body, (0.5, *at[1:])
    return m


def windows(n, angle=0.0):
    """A row of n parallelograms in space, 2 n + 1 bars; the posts lean by the angle."""
    m, tip = lw.SpatialModel("windows"), np.array([-np.sin(angle), np.cos(angle), 0])
    posts = [m.body(f"post{k}", position=(k, 0, 0), orientation=((0, 0, 1), angle)) for k in range(n + 1)]
    for k, post in enumerate(posts):
        m.add(lw.Revolute(f"A{k}", m.ground.at(k, 0, 0), post.at(0, 0, 0)))
    for k in range(n):
        beam = m.body(f"beam{k}", position=(tip[0] + k, *tip[1:]))
        m.add(lw.Revolute(f"B{k}", posts[k].at(0, 1, 0), beam.at(0, 0, 0)))
        m.add(lw.Revolute(f"C{k}", posts[k + 1].at(0, 1, 0), beam.at(1, 0, 0)))
    return m
