"""Machines of any number of bodies."""

import numpy as np
from benchmarks.spatial import loops

import linkwright as lw


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


__all__ = ["chain", "loops", "windows"]
