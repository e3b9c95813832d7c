"""Spatial kinematics: a position-velocity-acceleration point of the book's machines, and of chains of 1 to 100 loops."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass

import numpy as np

import linkwright as lw
from benchmarks.timing import Figure, clock, measure
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.motion.run import Run

LOOPS = (1, 10, 100)


@dataclass(frozen=True)
class Row:
    """point: seconds for one point in the native loop; first: from the model to the first point, nothing compiled before;
    again: the same with the machine code on disk; error: the largest residual along the motion."""

    machine: str
    bodies: int
    unknowns: int
    point: Figure
    first: float
    again: float
    error: float


def slider_crank() -> lw.SpatialModel:
    """Haug 10.2, rod of 0.3 m."""
    m = lw.SpatialModel("spatial slider-crank")
    g, L = m.ground, 0.3
    crank = m.body("crank", position=(0, 0.1, 0.12))
    rod = m.body("rod", position=(0.1, 0.05, 0.1), orientation=((-0.46, 0.87, -0.22), 0.956))
    slider = m.body("slider", position=(0.2, 0, 0))
    A = m.add(lw.Revolute("A", g.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12)),
                          crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))  # fmt: skip
    m.add(lw.Spherical("B", crank.at(0, 0.08, 0), rod.at(-L / 2, 0, 0)))
    m.add(lw.RevoluteCylindrical("C", rod.frame((L / 2, 0, 0), (L / 2, 1, 0), (1 + L / 2, 0, 0)),
                                 slider.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))))  # fmt: skip
    m.add(lw.Translational("D", slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)),
                           g.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))))  # fmt: skip
    m.add(lw.Distance("E", rod.at(L / 2, 0, 0), slider.at(1, 0, 0), 1.0))
    m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    return m


def compressor() -> lw.SpatialModel:
    """Haug 10.4: rotor, wobbling disk, six pistons; one turn a second."""
    m = lw.SpatialModel("air compressor")
    g = m.ground
    rotor, disk = m.body("rotor"), m.body("disk", position=(0, -0.5, 0), orientation=((-1, 0, 0), 0.52))
    own = ((0, 0, 0), (0, 1, 0), (1, 0, 0))
    A = m.add(lw.Revolute("A", g.frame(*own), rotor.frame(*own)))
    m.add(lw.Revolute("B", rotor.frame((0, -0.5, 0), (0, 0.366, -0.5), (1, -0.5, 0)), disk.frame(*own)))
    for k, (X, Z) in enumerate(((0, 0.2), (0.1732, 0.1), (-0.1732, 0.1), (0.1732, -0.1), (-0.1732, -0.1), (0, -0.2))):
        piston = m.body(f"piston{k}", position=(X, -1, Z))
        m.add(lw.Translational(f"T{k}", g.frame((X, -1, Z), (X, 0, Z), (X + 1, -1, Z)), piston.frame(*own)))
        m.add(lw.Distance(f"rod{k}", disk.at(X, 0, Z), piston.at(0, 0, 0), 0.5))
    m.add(lw.Constraint("slot", lw.component(disk.at(0, 0, 0.2), "x")))
    m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    return m


def loops(n: int, driven: bool = True, off: float = 0.0) -> lw.SpatialModel:
    """A crank, and n times a coupler (ball and universal joint) with a rocker, which drives the next: 1 + 2 n bodies.

    off: how far the estimates are off.
    """
    m = lw.SpatialModel(f"{n} loop{'s' * (n > 1)}")
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


def first_answer(model: lw.SpatialModel) -> float:
    """Seconds from the model to its first point."""
    begin = clock()
    lw.kinematics(model, t_end=0.005, steps=1)
    return clock() - begin


def row(model: lw.SpatialModel, dt: float = 0.005) -> Row:
    """dt: time between points, of a machine that turns once a second."""
    with tempfile.TemporaryDirectory() as empty:
        before = os.environ.get("LINKWRIGHT_CACHE")
        os.environ["LINKWRIGHT_CACHE"] = empty
        try:
            first, again = first_answer(model), first_answer(model)
        finally:
            os.environ.pop("LINKWRIGHT_CACHE") if before is None else os.environ.update(LINKWRIGHT_CACHE=before)
    machine = Machine(model)
    run = Run(machine)
    q = close(machine, 0.0).q
    run.prepare(q, 0.0)
    start = run.follower.point(q, 0.0, machine.turns)

    def timed(count: int) -> float:
        times = dt * np.arange(count + 1)
        begin = clock()
        reached = len(run.follower.run(start, times))
        seconds = clock() - begin
        if reached != count + 1:
            raise RuntimeError(f"{model.name}: only {reached} of {count} points")
        return seconds

    error = lw.kinematics(model, t_end=1, steps=200).audit.position_error
    return Row(model.name, len(model.bodies) - 1, machine.nv, measure(timed), first, again, error)


def rows(counts: tuple[int, ...] = LOOPS) -> list[Row]:
    lw.kinematics(loops(1), t_end=0.01, steps=1)  # the native loop itself is compiled once for all machines
    return [row(slider_crank()), row(compressor()), *(row(loops(n)) for n in counts)]


def table(found: list[Row]) -> str:
    lines = [
        "| machine | bodies | unknowns | a point | a point and body | first answer | from cache | residual |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in found:
        us, spread = 1e6 * r.point.median, 100 * r.point.spread
        lines.append(
            f"| {r.machine} | {r.bodies} | {r.unknowns} | {us:.1f} us ({spread:.0f}%) | {us / r.bodies:.2f} us "
            f"| {r.first:.2f} s | {r.again:.2f} s | {r.error:.0e} |"
        )
    return "\n".join(lines)
