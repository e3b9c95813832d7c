"""What the units in a text say of its dimension, and whether a field can take that.

A dimension is known where a unit was said. A whole number multiplies as what it is; another number without a unit may stand
for a length, a time or an angle that is in SI units, "0.5*2 kg*0.1**2", but for no mass: what it may stand for is left open.
Where a name stands that is not of known dimension nothing is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from linkwright.model.units import UNITS

_BASE = ("m", "kg", "s", "rad", "A", "turn")
_M, _KG, _S, _RAD, _A, _TURN = range(6)
Powers = tuple[float, ...]
_PURE: Powers = (0.0,) * 6


@dataclass(frozen=True)
class Dimension:
    """powers: of metre, kilogram, second, radian, ampere and full turn; said: whether a unit said them; open: which of them
    may be others, too."""

    powers: Powers = _PURE
    said: bool = False
    open: frozenset[int] = frozenset()


PURE = Dimension()
DECIMAL = Dimension(open=frozenset((_M, _S, _RAD, _TURN)))
TIME = Dimension(open=frozenset((_S,)))  # "30 deg*t" is 30 deg a second
PI = Dimension(open=frozenset((_RAD, _TURN)))  # "2*pi*10 Hz"
Known = Dimension | None


def _powers(m: float = 0, kg: float = 0, s: float = 0, rad: float = 0, A: float = 0, turn: float = 0) -> Powers:
    return (float(m), float(kg), float(s), float(rad), float(A), float(turn))


_NEWTON, _METRE, _KILOGRAM, _SECOND = _powers(1, 1, -2), _powers(1), _powers(0, 1), _powers(0, 0, 1)
_JOULE, _WATT, _ANGLE, _AMPERE = _powers(2, 1, -2), _powers(2, 1, -3), _powers(rad=1), _powers(A=1)
_HERTZ, _VOLT = _powers(s=-1, turn=1), _powers(2, 1, -3, 0, -1)
_PASCAL = _powers(-1, 1, -2)
_LISTED: dict[Powers, str] = {
    _ANGLE: "rad mrad deg ° rev", _powers(0, 0, -1, 1): "rpm", _METRE: "m km cm mm um µm inch in ft",
    _SECOND: "s ms us µs h", _HERTZ: "Hz kHz", _KILOGRAM: "kg g mg lb", _NEWTON: "N kN MN mN lbf",
    _PASCAL: "Pa kPa MPa GPa", _JOULE: "Nm kNm Nmm J kJ MJ mJ", _WATT: "W kW MW mW", _VOLT: "V", _AMPERE: "A",
}  # fmt: skip
UNIT_POWERS = {unit: powers for powers, units in _LISTED.items() for unit in units.split()}
_OTHERS = {"ohm": _powers(2, 1, -3, 0, -2), "H": _powers(2, 1, -2, 0, -2), "1": _PURE}  # of fields, not in texts

_WORDS: dict[Powers, str] = {
    _PURE: "a plain number", _ANGLE: "an angle", _METRE: "a length", _SECOND: "a time", _HERTZ: "a frequency",
    _KILOGRAM: "a mass", _NEWTON: "a force", _PASCAL: "a pressure", _JOULE: "a torque or an energy", _WATT: "a power",
    _VOLT: "a voltage", _AMPERE: "a current", _powers(0, 0, -1, 1): "a speed of turning", _powers(1, 0, -1): "a speed",
    _powers(1, 0, -2): "an acceleration", _powers(2): "an area", _powers(3): "a volume", _powers(2, 1): "an inertia",
    _powers(0, 1, -2): "a stiffness", _powers(2, 1, -2, -1): "a stiffness of turning", _powers(0, 1, -1): "a damping",
    _powers(2, 1, -1, -1): "a damping of turning", _powers(-3, 1): "a density",
}  # fmt: skip


# -- arithmetic ---------------------------------------------------------------------------------------------------------
def unit(name: str, power: float = 1.0) -> Dimension:
    """That of a unit in a text."""
    return Dimension(tuple(power * p for p in UNIT_POWERS[name]), said=True)


def product(a: Known, b: Known) -> Known:
    if a is None or b is None:
        return None
    powers = tuple(p + q for p, q in zip(a.powers, b.powers, strict=True))
    return Dimension(powers, a.said or b.said, a.open | b.open)


def power(a: Known, exponent: float) -> Known:
    return None if a is None else replace(a, powers=tuple(exponent * p for p in a.powers))


def alike(a: Known, b: Known) -> bool:
    """Whether they can be added and compared."""
    if a is None or b is None or not (a.said and b.said):
        return True
    return _fits(a.powers, b) or _fits(b.powers, a)


def together(*all_of: Known) -> Known:
    """That of a sum: any that was said says it."""
    for one in all_of:
        if one is not None and one.said:
            return one
    if any(one is None for one in all_of):
        return None
    return Dimension(open=frozenset().union(*(one.open for one in all_of if one is not None)))


# -- fields -------------------------------------------------------------------------------------------------------------
def _fits(wanted: Powers, given: Dimension) -> bool:
    """A radian may be left out: N m for N m/rad; an angle times a length is an arc. An angle is no plain number, though, and
    no frequency is a speed of turning."""
    off = [p - q if k not in given.open else 0.0 for k, (p, q) in enumerate(zip(given.powers, wanted, strict=True))]
    if any(abs(off[k]) > 1e-9 for k in (_M, _KG, _S, _A)):
        return False
    if abs(off[_TURN]) > 1e-9 and wanted[_RAD]:
        return False
    if abs(off[_RAD]) <= 1e-9 or not given.powers[_RAD]:
        return True
    return given.powers[_RAD] > 0 and wanted[_RAD] == 0 and bool(wanted[_M] or wanted[_KG])


_FACTOR = re.compile(r"\s*([*/]?)\s*([^\W\d]+|1)(?:\^(-?\d+))?")


@lru_cache
def _of_unit(text: str) -> Powers | None:
    """The powers of "N s/m"; None for what is no unit, as "0, pi"."""
    found, place = PURE, 0
    while place < len(text.rstrip()):
        factor = _FACTOR.match(text, place)
        powers = UNIT_POWERS.get(factor[2], _OTHERS.get(factor[2])) if factor else None
        if factor is None or powers is None:
            return None
        sign = -1 if factor[1] == "/" else 1
        found = product(found, power(Dimension(powers), sign * float(factor[3] or 1))) or PURE
        place = factor.end()
    return found.powers


def is_unit(text: str) -> bool:
    """Whether it says what a field takes: "N/m", "m or rad", "N/m, N m/rad"."""
    return bool(text) and all(_of_unit(one) is not None for one in _alternatives(text))


def _alternatives(takes: str) -> list[str]:
    return [one.strip() for one in re.split(r" or |,|=", takes)]


def along(takes: str, of: str) -> str:
    """Of "N or N m", which a field takes along a length or along an angle, that along a quantity of this unit; "" where it
    is not known. A field in "m or rad" takes whatever the quantity is in."""
    if " or " not in takes:
        return takes
    if of in ("m", "rad"):
        return _alternatives(takes)[of == "rad"]
    return of if takes == "m or rad" else ""


def trouble(given: Known, takes: str) -> tuple[str, str] | None:
    """What is wrong with this dimension in a field that takes one of these units; and what to do about it."""
    if given is None or not given.said or not is_unit(takes):
        return None
    wanted = [p for one in _alternatives(takes) if (p := _of_unit(one)) is not None]
    if any(_fits(p, given) for p in wanted):
        return None
    if set(wanted) == {_PURE}:
        return f"takes a plain number, but this is {name(given)}", "leave the unit out"
    units = [u for u in UNITS if UNIT_POWERS[u] in wanted]
    listed = f"give it in {', '.join(units)}" if units else f"give it in units that make {takes}"
    return f"is in {takes}, but this is {name(given)}", f"{listed}, or as a number in {takes}"


def name(d: Dimension) -> str:
    """In words: an angle, a length, a quantity in kg m^2/s."""
    if d.powers in _WORDS:
        return _WORDS[d.powers]
    parts = [(b, p) for b, p in zip(_BASE, d.powers, strict=True) if p]
    return "a quantity in " + " ".join(b if p == 1 else f"{b}^{p:g}" for b, p in parts)


class Measured(float):
    """A number that a text gave, which knows in what dimension."""

    dimension: Known = None

    @classmethod
    def of(cls, value: float, dimension: Known) -> Measured:
        made = cls(value)
        made.dimension = dimension
        return made
