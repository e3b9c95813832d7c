"""Mass properties of homogeneous shapes, in the plane (Haug table 6.1.1) and in space (table 11.2.1), and of meshes.

Each shape takes its dimensions [m] and either mass= [kg] or density= [kg/m^3; kg/m^2 in the plane; kg/m of rods]; all but
polygon and mesh may be expressions of parameters.
The place of the frame's origin is given with each shape; `MassProperties.moved` puts it elsewhere. In space: point, rod,
box, cylinder, tube, sphere, hollow_sphere, hemisphere, cone, mesh. In the plane: bar, rectangle, isosceles, polygon,
disc, semidisc, ring.

Examples
--------
>>> m = lw.PlanarModel("m")
>>> rod = m.body("rod", lw.shapes.bar(0.5, mass=2.0))
>>> round(rod.inertia, 6)
0.041667
"""

from __future__ import annotations

from linkwright.equations.meshes import mesh
from linkwright.equations.plates import bar, disc, isosceles, polygon, rectangle, ring, semidisc
from linkwright.equations.solids import box, cone, cylinder, hemisphere, hollow_sphere, point, rod, sphere, tube

__all__ = [
    "bar",
    "box",
    "cone",
    "cylinder",
    "disc",
    "hemisphere",
    "hollow_sphere",
    "isosceles",
    "mesh",
    "point",
    "polygon",
    "rectangle",
    "ring",
    "rod",
    "semidisc",
    "sphere",
    "tube",
]  # fmt: skip
