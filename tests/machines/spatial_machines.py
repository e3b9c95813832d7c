"""The machines of Haug's chapter 10 in space, by the tables of the book: joint definition points P, Q, R in body axes.

Lengths in metres. Book's estimates are x, y, z, e1, e2, e3 with e0 from the normalisation.
"""

import numpy as np

import linkwright as lw


def euler(e1, e2, e3):
    """Euler parameters of the book's estimate, e0 > 0."""
    e = np.array([e1, e2, e3])
    return (np.sqrt(1 - e @ e), *e)


def slider_crank(L=0.3, driver="2*pi*t", perpendicular=False):
    """10.2: crank, rod of length L, slider; revolute, spherical, revolute-cylindrical, translational, distance."""
    m = lw.SpatialModel("spatial slider-crank")
    g = m.ground
    crank = m.body("crank", position=(0, 0.1, 0.12), orientation=euler(0.71, 0, 0))
    rod = m.body("rod", position=(0.1, 0.05, 0.1), orientation=euler(-0.21, 0.40, -0.1))
    slider = m.body("slider", position=(0.2, 0, 0))
    A = m.add(lw.Revolute("A", g.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12)),
                          crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))  # fmt: skip
    m.add(lw.Spherical("B", crank.frame((0, 0.08, 0), (0, 0.08, 1), (1, 0.08, 0)), rod.at(-L / 2, 0, 0)))
    m.add(lw.RevoluteCylindrical("C", rod.frame((L / 2, 0, 0), (L / 2, 1, 0), (1 + L / 2, 0, 0)),
                                 slider.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))))  # fmt: skip
    ends = slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)), g.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))
    if perpendicular:  # the letter of 9.4.24: x axes at right angles
        m.add(lw.Cylindrical("D", *ends))
        m.add(lw.DP1("Dx", ends[0].axis("x"), ends[1].axis("x")))
    else:
        m.add(lw.Translational("D", *ends))
    m.add(lw.Distance("E", rod.at(L / 2, 0, 0), slider.at(1, 0, 0), 1.0))
    if driver is not None:
        m.add(lw.Driver("motor", A.angle, driver))
    return m


def short_slider_crank(L=0.3, driver="2*pi*t"):
    """Problem 10.1: the rod as a spherical-spherical composite joint."""
    m = lw.SpatialModel("slider-crank without rod")
    g = m.ground
    crank = m.body("crank", position=(0, 0.1, 0.12), orientation=euler(0.71, 0, 0))
    slider = m.body("slider", position=(0.2, 0, 0))
    A = m.add(lw.Revolute("A", g.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12)),
                          crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))  # fmt: skip
    m.add(lw.Distance("rod", crank.at(0, 0.08, 0), slider.at(0, 0, 0), L))
    m.add(lw.Translational("D", slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)),
                           g.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))))  # fmt: skip
    if driver is not None:
        m.add(lw.Driver("motor", A.angle, driver))
    return m


def four_bar(driver="pi*t"):
    """10.3, model 1: two cranks on skew revolutes, a link with a universal and a spherical joint."""
    m = lw.SpatialModel("spatial four-bar")
    g = m.ground
    one = m.body("one")
    two = m.body("two", position=(-3.75, -4.25, 4.25), orientation=euler(-0.29, -0.27, -0.26))
    three = m.body("three", position=(-5.75, -8.5, 3.25), orientation=euler(-0.36, 0.36, -0.61))
    A = m.add(lw.Revolute("A", g.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), one.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    m.add(
        lw.Universal(
            "B", one.frame((0, 0, 2), (0.750, -0.662, 2), (0.244, 0.277, 2.929)), two.frame((0, 6.1, 0), (0, 6.1, 1))
        )
    )  # fmt: skip  R equals P in the table
    m.add(lw.Spherical("C", two.at(0, -6.1, 0), three.at(0, -3.7, 0)))
    _rocker(m, three)
    if driver is not None:
        m.add(lw.Driver("motor", A.angle, driver))
    return m


def short_four_bar(length=12.19, driver="pi*t"):
    """10.3, model 2: the link as a spherical-spherical composite joint."""
    m = lw.SpatialModel("four-bar without link")
    g = m.ground
    one = m.body("one")
    three = m.body("three", position=(-5.75, -8.5, 3.25), orientation=euler(-0.36, 0.36, -0.61))
    A = m.add(lw.Revolute("A", g.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), one.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    m.add(lw.Distance("link", one.at(0, 0, 2), three.at(0, -3.7, 0), length))
    _rocker(m, three)
    if driver is not None:
        m.add(lw.Driver("motor", A.angle, driver))
    return m


def _rocker(m, three):
    m.add(lw.Revolute("D", three.frame((0, 3.7, 0), (1, 3.7, 0), (0, 2.7, 0)),
                      m.ground.frame((-4, -8.5, 0), (-4, -9.5, 0), (-3, -8.5, 0))))  # fmt: skip


PISTONS = ((0, 0.2), (0.1732, 0.1), (-0.1732, 0.1), (0.1732, -0.1), (-0.1732, -0.1), (0, -0.2))


def compressor(axis=(0.8660, -0.5), driver="62.832*t"):
    """10.4: rotor, wobbling disk, six pistons on rods of length 0.5. axis: (y, z) of the disk's axis on the rotor."""
    m = lw.SpatialModel("air compressor")
    g = m.ground
    rotor = m.body("rotor")
    disk = m.body("disk", position=(0, -0.5, 0), orientation=euler(-0.26, 0, 0))
    own = ((0, 0, 0), (0, 1, 0), (1, 0, 0))
    A = m.add(lw.Revolute("A", g.frame(*own), rotor.frame(*own)))
    m.add(lw.Revolute("B", rotor.frame((0, -0.5, 0), (0, -0.5 + axis[0], axis[1]), (1, -0.5, 0)), disk.frame(*own)))
    for k, (X, Z) in enumerate(PISTONS, 1):
        piston = m.body(f"piston{k}", position=(np.sign(X) * 0.17, -1, Z))
        m.add(lw.Translational(f"T{k}", g.frame((X, -1, Z), (X, 0, Z), (X + 1, -1, Z)), piston.frame(*own)))
        m.add(lw.Distance(f"rod{k}", disk.at(X, 0, Z), piston.at(0, 0, 0), 0.5))
    m.add(lw.Constraint("slot", lw.component(disk.at(0, 0, 0.2), "x")))
    if driver is not None:
        m.add(lw.Driver("motor", A.angle, driver))
    return m
