"""What bodies touch each other with: shapes fixed to a body, in the words in which a body's `shape=` is given.

    circle      its radius (plane)                     sphere    its radius (space)
    box         its sides along x, y (and z)           capsule   (length between the centres of its ends, radius)
    polygon     its corners (plane), convex or not     segment   its two ends (plane)

with `at` (its middle, or its origin), `angle` (plane) or `axis` (space: of a capsule), and `radius`, by which the edges of
box, polygon and segment are rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.model.plates import area
from linkwright.model.values import as_scalar, exactly, is_sequence
from linkwright.words import an

if TYPE_CHECKING:
    from linkwright.model.bodies import Body

WORDS = {2: ("circle", "box", "polygon", "capsule", "segment"), 3: ("sphere", "box", "capsule")}
OTHERS = {"cylinder": "capsule, or Rolling", "mesh": "box or several spheres", "circle": "sphere"}
STRAIGHT = 1e-9  # the turn at a corner that is none
MOST = 2.0  # rad: by which a chain turns; less than half a turn


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """One shape. size: as its kind has it; chains: of a polygon with hollow corners the convex parts of its outline, as
    "first corner:edges", see `chains`; "" of a convex one."""

    kind: str
    size: tuple[Any, ...]
    at: tuple[Scalar, ...]
    angle: Scalar = 0.0
    axis: tuple[Scalar, ...] | None = None
    radius: Scalar = 0.0
    chains: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class ShapeOn(metaclass=Answering):
    """Shapes of a body that others touch, made by `body.surface`; own: those that the body itself has."""

    body: Body
    parts: tuple[Part, ...]
    own: bool = False

    def __repr__(self) -> str:
        return f"{self.body.name}.surface({', '.join(p.kind for p in self.parts)})"


def read_parts(
    given: Any,
    dimension: int,
    scalar: Callable[[Any, str, str], Scalar],
    value: Callable[[Scalar], float],
    drawn: bool = False,
) -> tuple[Part, ...]:
    """The parts of shapes as a user gives them; ModelError for what is none. drawn: other words are for pictures."""
    several = given if isinstance(given, list | tuple) else [given]
    if not several:
        raise ModelError("there is no shape", remedy='give one, such as {"circle": 0.1}')
    return tuple(_part(one, dimension, _Numbers(scalar, value), drawn) for one in several)


def _part(given: Any, n: int, numbers: _Numbers, drawn: bool) -> Part:
    kind = next((w for w in WORDS[n] if isinstance(given, dict) and w in given), None)
    if kind is None:
        other = next((w for w in OTHERS if isinstance(given, dict) and w in given), None)
        remedy = f"give {OTHERS[other]}" if other else f"give one of {', '.join(WORDS[n])}"
        raise ModelError(f"a contact does not know the shape {given!r}", remedy=remedy)
    known = (kind, "at", "radius", "angle" if n == 2 else "axis")
    if not drawn and (extra := [w for w in given if w not in known]):
        raise ModelError(f"the shape {kind} of a contact has no {extra[0]!r}", remedy=f"it may have {', '.join(known[1:])}")
    value = numbers.value
    at = numbers.several(given.get("at", (0.0,) * n), n, "at")
    angle = numbers.one(given.get("angle", 0.0), "the angle", "rad")
    axis = numbers.several(given["axis"], 3, "the axis", "") if "axis" in given else None
    if axis is not None and kind == "box":
        raise ModelError("a box of a contact lies along the axes of its body", remedy="leave axis out, or turn the body")
    if axis is not None and not any(value(x) for x in axis):
        raise ModelError("its axis has no length", remedy="give a direction")
    radius = numbers.one(given.get("radius", 0.0), "the radius")
    if value(radius) < 0:
        raise ModelError("its radius is negative", remedy="give zero or more")
    size, chains = numbers.size(kind, given[kind], n)
    return Part(kind, size, at, angle, axis if kind == "capsule" else None, radius, chains)


@dataclass(frozen=True)
class _Numbers:
    scalar: Callable[[Any, str, str], Scalar]
    value: Callable[[Scalar], float]

    def one(self, given: Any, what: str, takes: str = "m") -> Scalar:
        return self.scalar(as_scalar(given, what) if not isinstance(given, str) else given, what, takes)

    def several(self, given: Any, n: int, what: str, takes: str = "m") -> tuple[Scalar, ...]:
        return tuple(self.one(x, what, takes) for x in exactly(given, n, what))

    def positive(self, given: Any, what: str) -> Scalar:
        out = self.one(given, what)
        if not self.value(out) > 0:
            raise ModelError(f"{what} is {self.value(out):g}", remedy="give positive sizes")
        return out

    def size(self, kind: str, given: Any, n: int) -> tuple[tuple[Any, ...], str]:
        if kind in ("circle", "sphere"):
            return (self.positive(given, f"the radius of {an(kind)}"),), ""
        if kind in ("box", "capsule"):
            count = n if kind == "box" else 2
            return tuple(self.positive(x, f"a size of the {kind}") for x in exactly(given, count, kind)), ""
        least = 2 if kind == "segment" else 3
        if not is_sequence(given) or len(given) < least or (kind == "segment" and len(given) != 2):
            raise ModelError(f"{an(kind)} needs {'two ends' if least == 2 else 'three corners or more'}",
                             remedy="give places of two numbers each")  # fmt: skip
        corners = [self.several(x, 2, "a corner") for x in given]
        plain = np.array([[self.value(x) for x in c] for c in corners])
        if kind == "segment":
            if not np.ptp(plain, axis=0).any():
                raise ModelError("the ends of a segment are the same", remedy="give a circle")
            return tuple(corners), ""
        return _polygon(corners, plain)


def _polygon(corners: list[tuple[Scalar, ...]], plain: np.ndarray) -> tuple[tuple[Any, ...], str]:
    """Counter-clockwise, without corners that are none; and its chains."""
    if area(plain) < 0:
        corners, plain = corners[::-1], plain[::-1]
    keep = np.abs(turns(plain)) > STRAIGHT
    corners, plain = [c for c, k in zip(corners, keep, strict=True) if k], plain[keep]
    if len(corners) > 3 and _crosses(plain):
        raise ModelError("the outline of a polygon crosses itself", remedy="give its corners in order")
    if len(corners) < 3 or area(plain) <= 0:
        raise ModelError("the corners of a polygon lie on a line", remedy="give three that do not")
    return tuple(corners), chains(plain)


def turns(corners: np.ndarray) -> np.ndarray:
    """The angle by which the outline turns at each corner, to the left; zero where corners coincide."""
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return np.asarray(np.arctan2(cross, (before * after).sum(axis=1)))


def chains(corners: np.ndarray) -> str:
    """Where a polygon is hollow it falls into convex chains, which meet at hollow corners. One that turns by more than
    `MOST` could be touched at two places, in the notch where it begins and ends: it is cut, and goes on as another,
    "first+edges"."""
    turn, n = turns(corners), len(corners)
    hollow = np.flatnonzero(turn < 0).tolist()
    out = []
    for start, end in zip(hollow, [*hollow[1:], hollow[0] + n] if hollow else [], strict=True):
        first, mark, bent = start, ":", 0.0
        for k in range(start + 1, end):
            bent += float(turn[k % n])
            if bent > MOST:
                out.append(f"{first % n}{mark}{k - first}")
                first, mark, bent = k, "+", float(turn[k % n])
        out.append(f"{first % n}{mark}{end - first}")
    return " ".join(out)


def _crosses(corners: np.ndarray) -> bool:
    """Whether two edges that are no neighbours meet."""
    n, after = len(corners), np.roll(corners, -1, axis=0)

    def side(a: Any, b: Any, c: Any) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    def meet(i: int, j: int) -> bool:
        a, b, c, d = corners[i], after[i], corners[j], after[j]
        return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0

    return any(meet(i, j) for i in range(n) for j in range(i + 2, n) if (j + 1) % n != i)


def written(part: Part, scalar: Callable[[Any], Any]) -> dict[str, Any]:
    """The words of a shape again; `scalar` writes a number."""

    def nested(x: Any) -> Any:
        return [nested(y) for y in x] if isinstance(x, tuple) else scalar(x)

    size = nested(part.size)
    out = {part.kind: size[0] if part.kind in ("circle", "sphere") else size}
    more: Sequence[tuple[str, Any]] = (("at", part.at), ("angle", part.angle), ("axis", part.axis), ("radius", part.radius))
    for word, x in more:
        if x is not None and any(type(y) is not float or y != 0 for y in (x if isinstance(x, tuple) else (x,))):
            out[word] = nested(x)
    return out


def check_parts(parts: Sequence[Part], value: Callable[[Scalar], float]) -> None:
    """With the parameters as they are now: sizes are positive, a polygon is hollow where it was."""
    for part in parts:
        for x in (*part.at, part.angle, *(part.axis or ())):
            value(x)
        if value(part.radius) < 0:
            raise ModelError(f"the radius of its {part.kind} is negative", remedy="check the parameters it depends on")
        if part.kind in ("polygon", "segment"):
            plain = np.array([[value(x) for x in c] for c in part.size])
            if part.kind == "polygon" and (area(plain) <= 0 or chains(plain) != part.chains or _crosses(plain)):
                raise ModelError(
                    "its polygon has other hollow corners than when the contact was made",
                    remedy="make the contact with these values of the parameters",
                )
        elif not min(value(x) for x in part.size) > 0:
            raise ModelError(f"a size of its {part.kind} is not positive", remedy="check the parameters it depends on")


def check_sharp(P: Any, Q: Any, radii: tuple[float, float], at_plane: bool, value: Callable[[Scalar], float]) -> None:
    """What has no inside (a segment, a hollow outline) is touched by something with a radius only: a sharp corner, or a
    point, would have no side."""

    def reach(on: Any, more: float) -> float:
        """The smallest radius of its features."""
        own = [value(p.size[-1]) if p.kind in ("circle", "sphere", "capsule") else 0.0 for p in getattr(on, "parts", ())]
        own = [x + value(p.radius) for x, p in zip(own, getattr(on, "parts", ()), strict=True)]
        return more + min(own, default=0.0)

    def thin(on: Any) -> bool:
        return any(p.kind in ("segment", "capsule") or p.chains for p in getattr(on, "parts", ()))

    if not at_plane and (thin(P) or thin(Q)) and not reach(P, radii[0]) + reach(Q, radii[1]) > 0:
        raise ModelError(
            "a segment or a hollow polygon is touched by a sharp corner: nothing says on which side it is",
            remedy="give one of them a radius, or make hollow polygons of convex ones",
        )
