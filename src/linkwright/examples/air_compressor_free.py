"""The air compressor driven by a constant torque (Haug 1989, section 12.4.3): started too slowly, it stalls.

The torque does the work of the gas in a turn. The printed speeds are 60, 70 and 80 rad/s, one of which stalls; the pressure
is not printed. At 250 psi it takes 67 rad/s to get through the first compression.
"""

import linkwright as lw
from linkwright.examples.air_compressor import gas, rods, wobbler


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("air compressor on a constant torque")
    w0 = m.parameter("w0", 80)  # first speed of the rotor [rad/s]
    T = m.parameter("T", 625.4085650542)  # torque [N m]
    A, disk = wobbler(m, w0)
    rods(m, disk)
    gas(m)
    m.add(lw.Torque("engine", m["rotor"], (0, T, 0)))
    m.fix(A.angle, 0)
    m.fix(A.omega, w0)
    return m
