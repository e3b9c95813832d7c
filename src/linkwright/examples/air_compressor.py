"""An air compressor (Haug 1989, sections 10.4 and 12.4): a tilted disk wobbles on the rotor and drives six pistons.

The disk does not turn: a slot holds its rim. With a distance for each rod it has nine bodies, counting ground. Gas pushes
on a piston while it goes down; the printed law lacks a length, and is read as Boyle's at a ratio of five. Where the slot
is, is lost.
"""

from math import pi
from typing import Any

import linkwright as lw

PLACES = ((0, 0.2), (0.1732, 0.1), (-0.1732, 0.1), (0.1732, -0.1), (-0.1732, -0.1), (0, -0.2))
OWN = ((0, 0, 0), (0, 1, 0), (1, 0, 0))


def wobbler(m: lw.SpatialModel, omega: Any = 0.0) -> tuple[Any, Any]:
    """Rotor, disk and six pistons in their cylinders, without rods; gives the rotor's hinge and the disk."""
    g = m.ground
    tilt = m.parameter("tilt", "30 deg")  # of the disk on the rotor
    rotor = m.body(
        "rotor", 10, (0.1, 0.01, 0.1), omega=(0, omega, 0),
        shape={"cylinder": (0.03, 0.5), "at": (0, -0.25, 0), "axis": (0, 1, 0)},
    )  # fmt: skip
    disk = m.body(
        "disk", 2, (0.04, 0.08, 0.04), position=(0, -0.5, 0), orientation=((1, 0, 0), -0.5236),
        shape={"cylinder": (0.24, 0.03), "axis": (0, 1, 0)},
    )  # fmt: skip
    A = m.add(lw.Revolute("A", g.frame(*OWN), rotor.frame(*OWN)))
    axis = rotor.frame((0, -0.5, 0), (0, -0.5 + lw.cos(tilt), -lw.sin(tilt)), (1, -0.5, 0))
    m.add(lw.Revolute("B", axis, disk.frame(*OWN)))
    for k, (x, z) in enumerate(PLACES, 1):
        piston = m.body(
            f"piston {k}",
            1.5,
            (0.002, 0.002, 0.002),
            position=(x, -1, z),
            shape={"cylinder": (0.05, 0.1), "axis": (0, 1, 0)},
        )
        m.add(lw.Translational(f"cylinder {k}", g.frame((x, -1, z), (x, 0, z), (x + 1, -1, z)), piston.frame(*OWN)))
    m.add(lw.Constraint("slot", lw.component(disk.at(0, 0, 0.2), "x")))
    return A, disk


def rods(m: lw.SpatialModel, disk: Any) -> None:
    """Each a distance."""
    for k, (x, z) in enumerate(PLACES, 1):
        m.add(lw.Distance(f"rod {k}", disk.at(x, 0, z), m[f"piston {k}"].at(0, 0, 0), 0.5))


def gas(m: lw.SpatialModel) -> None:
    """Pushes on pistons that go down: squeezed to a fifth, then let out."""
    psi = m.parameter("psi", 250)  # largest pressure; a piston has 78.5 cm^2
    largest = psi * 6894.757293168 * pi * 0.05**2
    stroke = 0.2 * lw.sin(m["tilt"])
    opens = 0.4 * stroke  # way that is left when the valve opens

    def law(y: Any, v: Any, t: Any) -> Any:
        left = y + 1 + stroke
        squeezed = largest * opens / lw.maximum(left, opens) - largest / 5
        released = 0.4 * largest * (1 - lw.cos(pi * left / opens))
        return lw.where((v < 0) & (y < stroke - 1), lw.where(left >= opens, squeezed, released), 0.0)

    for k in range(1, 7):
        m.add(lw.Force(f"gas {k}", m[f"piston {k}"].y, law))


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("air compressor")
    A, disk = wobbler(m)
    rods(m, disk)
    gas(m)
    m.add(lw.Driver("motor", A.angle, "20*pi*t"))
    return m
