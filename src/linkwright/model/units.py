"""Units in formulas: 30 deg, 12 mm, 3 kN/m, 1500 rpm. A unit is a number, what one of it is in SI units and radians.

What the units of a text say of its dimension is in `dimensions`. A unit of one letter stands behind a number only, "3 m":
alone, as in "m*g", it would hide that a parameter is missing.
"""

from __future__ import annotations

from math import pi

_WHOLE = {"m": 1.0, "s": 1.0, "N": 1.0, "Pa": 1.0, "J": 1.0, "W": 1.0, "Hz": 1.0, "g": 1e-3, "V": 1.0, "A": 1.0}
_PREFIXED = {
    "m": "k c m u µ", "s": "m u µ", "N": "k M m", "Pa": "k M G", "J": "k M m", "W": "k M m", "Hz": "k", "g": "k m",
}  # fmt: skip
_PREFIX = {"G": 1e9, "M": 1e6, "k": 1e3, "c": 1e-2, "m": 1e-3, "u": 1e-6, "µ": 1e-6}

UNITS: dict[str, float] = {
    "rad": 1.0, "deg": pi / 180, "°": pi / 180, "rev": 2 * pi, "rpm": 2 * pi / 60, "mrad": 1e-3,
    **_WHOLE,
    **{p + unit: _PREFIX[p] * _WHOLE[unit] for unit, prefixes in _PREFIXED.items() for p in prefixes.split()},
    "kg": 1.0,  # not a thousand times a rounded thousandth
    "Nm": 1.0, "kNm": 1e3, "Nmm": 1e-3, "h": 3600.0, "inch": 0.0254, "in": 0.0254, "ft": 0.3048, "lb": 0.45359237,
    "lbf": 4.4482216152605,
}  # fmt: skip

# What a body takes, in the plane and in space.
OF_BODIES = {
    "mass": "kg", "inertia": "kg m^2", "com": "m", "position": "m", "angle": "rad", "velocity": "m/s", "omega": "rad/s",
}  # fmt: skip

# What may stand alone in a formula, as pi does.
ALONE = frozenset(unit for unit in UNITS if len(unit) > 1)
