"""Small machines whose answers are known in closed form."""

import linkwright as lw


def oscillator():
    """x(t) = x0 exp(-c t / 2m) (cos w t + ...): a mass on a spring and a damper along x."""
    m = lw.PlanarModel("oscillator", gravity=(0, 0))
    k, c = m.parameter("k", 100.0), m.parameter("c", 0.5)
    b = m.body("b", mass=1.0, inertia=1.0, position=(0.1, 0.0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("spring", b.x, lambda x, v, t: -k * x - c * v))
    return m


def slider_crank():
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, k = m.parameter("r", 0.2), m.parameter("k", 100.0)
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0), omega=3.0)
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, inertia=0.1, position=(0.7, 0.0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-r / 2, 0)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Spring("return", m.ground.at(1, 0), slider.at(0, 0), k=k, length=0.3, c=2))
    return m


def triangle():
    """Two rods from the ground's points (0, 0) and (1, 0) that meet: cos(angle of a) = (a^2 + 1 - b^2) / 2a."""
    m = lw.PlanarModel("triangle", gravity=(0, 0))
    a, b = m.parameter("a", 0.8), m.parameter("b", 0.9)
    first = m.body("first", mass=1.0, inertia=1.0, position=(0.2, 0.4), angle=1.0)
    second = m.body("second", mass=1.0, inertia=1.0, position=(0.8, 0.4), angle=2.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), first.at(-a / 2, 0)))
    m.add(lw.Revolute("B", m.ground.at(1, 0), second.at(-b / 2, 0)))
    m.add(lw.Revolute("C", first.at(a / 2, 0), second.at(b / 2, 0)))
    return m
