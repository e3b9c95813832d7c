"""Random machines under forces, closed at their estimates; and the book's machines with their masses."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.equations import rotations
from linkwright.model import Body, Model


def turned(body: Body) -> np.ndarray:
    """The rotation matrix of a body at its estimate."""
    value = body.model.value
    if body.model.dimension == 3:
        p = body.estimate.rotation if not body.is_ground else (1.0, 0.0, 0.0, 0.0)
        return np.array(rotations.A([value(x) for x in p]), dtype=float)
    phi = value(body.estimate.rotation)
    return np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])


def local(body: Body, X: np.ndarray) -> np.ndarray:
    """Body coordinates of a place."""
    r = np.array([body.model.value(x) for x in body.estimate.position])
    return turned(body).T @ (X - r)


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Of random points: always possible."""
    points = rng.normal(size=(5, 3)) * 0.3
    points -= points.mean(axis=0)
    return sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points) * rng.uniform(0.5, 2.0)


def random_machine(
    dimension: int, rng: np.random.Generator, bodies: int = 3, loop: bool = True, damping: bool = True, com: bool = True
) -> Model:
    """A chain of bodies with a loop back to ground (or to the middle), springs, a law, an applied force; closed as it is."""
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("random", gravity=[0.0] * (dimension - 1) + [-9.81])
    for k in range(bodies):
        centre = rng.normal(size=dimension) * 0.2 if com else np.zeros(dimension)
        where = np.arange(1, dimension + 1) * 0.4 * (k + 1) + rng.normal(size=dimension) * 0.2
        if dimension == 2:
            m.body(f"b{k}", rng.uniform(0.5, 3), rng.uniform(0.1, 1), com=centre, position=where, angle=rng.uniform(-3, 3))
        else:
            p = rng.normal(size=4)
            J = random_inertia(rng)
            m.body(f"b{k}", rng.uniform(0.5, 3), J.tolist(), com=centre, position=where, orientation=p / np.linalg.norm(p))
    chain = [m.ground, *[m[f"b{k}"] for k in range(bodies)]]
    for k in range(bodies):
        kind = ["Revolute", "Revolute", "Spherical", "Universal"][rng.integers(4)] if dimension == 3 else "Revolute"
        _join(m, f"J{k}", kind, chain[k], chain[k + 1], rng)
    if loop and bodies > 2:
        X = rng.normal(size=dimension) + 1.0
        a, b = chain[-1], chain[0]
        Y = X + rng.normal(size=dimension)
        m.add(lw.Distance("loop", a.at(*local(a, X)), b.at(*local(b, Y)), float(np.linalg.norm(X - Y))))
    for k in range(bodies):
        a, b = chain[k + 1], chain[rng.integers(k + 1)]
        c = rng.uniform(0.1, 2) if damping else 0.0
        s, t = rng.normal(size=(2, dimension)) * 0.5
        m.add(lw.Spring(f"S{k}", a.at(*s), b.at(*t), k=rng.uniform(5, 50), length=rng.uniform(0.2, 1.0), c=c))
    if damping:
        last = chain[-1]
        m.add(lw.Force("law", last.x, lambda s, v, t: -3.0 * s * s - 0.2 * v + lw.sin(t)))
        m.add(lw.PointForce("push", last.at(*rng.normal(size=dimension)), tuple(rng.normal(size=dimension)), frame="body"))
    return m


def _join(m: Model, name: str, kind: str, a: Body, b: Body, rng: np.random.Generator) -> None:
    n = m.dimension
    X = np.array([m.value(x) for x in b.estimate.position]) + rng.normal(size=n) * 0.3
    if n == 2 or kind == "Spherical":
        m.add(getattr(lw, kind)(name, a.at(*local(a, X)), b.at(*local(b, X))))
        return
    h = rng.normal(size=3)
    other = rng.normal(size=3)
    k = np.cross(h, other) if kind == "Universal" else h  # arms of a universal joint are at right angles
    ends = [(a, h), (b, k)]
    frames = [body.frame(local(body, X), local(body, X + axis), local(body, X + other + 0.1)) for body, axis in ends]
    m.add(getattr(lw, kind)(name, *frames))


def admissible(machine: LoadedMachine, q: np.ndarray, rng: np.random.Generator, t: float = 0.0) -> np.ndarray:
    """A random velocity that the constraints allow."""
    _, J = machine.Phi_and_J(q, t)
    v = rng.normal(size=machine.nv)
    return v + np.linalg.lstsq(J, machine.nu(q, t) - J @ v, rcond=1e-10)[0]


def slider_crank(
    gas: bool = False, driven: bool = True, gravity: tuple[float, float] = (0.0, 0.0), J1: float = 450.0
) -> Model:
    """Haug 8.2: flywheel crank r = 2, rod 3.5, slider; gas pressure while the slider moves out."""
    m = lw.PlanarModel("slider-crank", gravity=gravity)
    crank = m.body("crank", 200.0, J1, angle=np.pi / 4)
    rod = m.body("rod", 35.0, 35.0, position=(3.0, 0.7), angle=-0.4)
    slider = m.body("slider", 25.0, 0.02, position=(4.6, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(2, 0), rod.at(-1.75, 0)))
    m.add(lw.Revolute("C", rod.at(1.75, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    if gas:
        m.add(lw.Force("gas", slider.x, gas_force))
    if driven:
        m.add(lw.Driver("motor", pin.angle, f"{np.pi / 4} + 2*pi*t"))
    return m


def gas_force(x, v, t):
    """Haug 8.2: compression up to x = 5, release beyond; only while the slider moves out."""
    compressed = lw.where(x >= 1.5, -282857 / (6 - x) + 62857, 0.0)
    released = -110000 * (1 - lw.sin(2 * np.pi * (x - 5.25)))
    return lw.where(v > 0, lw.where(x <= 5, compressed, released), 0.0)


def spatial_slider_crank(length: float = 0.3, g: float = 9.81, driven: bool = True) -> Model:
    """Haug 12.2."""
    m = lw.SpatialModel("spatial slider-crank", gravity=(0, 0, -g))
    crank = m.body("crank", 0.12, (1e-4, 1e-5, 1e-4), position=(0, 0.1, 0.12), orientation=((1, 0, 0), np.pi / 2))
    rod = m.body("rod", 0.5, (0.004, 0.0004, 0.004), position=(0.1, 0.05, 0.1),
                 orientation=(0.888450709334, -0.209734762061, 0.397327236146, -0.093796237043))  # fmt: skip
    slider = m.body("slider", 2.0, (1e-4, 1e-4, 1e-4), position=(0.2, 0, 0))
    G, h = m.ground, length / 2
    pin = m.add(
        lw.Revolute(
            "A", crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), G.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12))
        )
    )
    m.add(lw.Spherical("B", crank.at(0, 0.08, 0), rod.at(-h, 0, 0)))
    m.add(lw.RevoluteCylindrical(
        "C", rod.frame((h, 0, 0), (h, 1, 0), (1 + h, 0, 0)), slider.frame((.2, 0, 0), (1.2, 0, 0), (.2, 1, 0))))  # fmt: skip
    m.add(lw.Translational(
        "D", slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)), G.frame((.2, 0, 0), (1.2, 0, 0), (.2, 1, 0))))  # fmt: skip
    m.add(lw.Distance("E", rod.at(h, 0, 0), slider.at(1, 0, 0), 1.0))
    if driven:
        m.add(lw.Driver("motor", pin.angle, lambda t: -np.pi / 2 + 2 * np.pi * t))
    return m


def bar_pendulum(mass: float = 2.0, omega: float = 2 * np.pi, half: float = 1.0, J: float | None = None) -> Model:
    """A bar of length 2 l on a pin, hanging; angle 3 pi/2 (Haug 6.3.4)."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    J = mass * half**2 / 3 if J is None else J
    bar = m.body("bar", mass, J, position=(0, -half), angle=1.5 * np.pi, omega=omega)
    m.add(lw.Revolute("pin", bar.at(-half, 0), m.ground.at(0, 0)))
    return m
