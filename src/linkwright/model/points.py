"""Places and directions on bodies: points, directed points, frames, vectors and curves, in body axes.

Made by the body's methods (`body.at`, `body.frame`, `body.vector`, `body.curve`), which check them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from linkwright import graph
from linkwright.arguments import typed
from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.model.names import quoted
from linkwright.model.orientation import Matrix
from linkwright.model.quantities import written

if TYPE_CHECKING:
    from linkwright.model.bodies import Body
    from linkwright.model.curves import Curve


@dataclass(frozen=True, eq=False, repr=False)
class Point(metaclass=Answering):
    """A point of a body, made by `body.at` or `body.frame`.

    In the plane a point with an angle is a directed point: a line through it. In space every point carries a frame.

    Parameters
    ----------
    body : Body
        The body it is fixed to.
    s : numbers or expressions of parameters
        Its place in body axes [m].
    angle : number or expression of parameters, optional
        The direction of a directed point of the plane [rad].
    rotation : rows of a 3 x 3 matrix, optional
        The matrix whose columns are the axes of the frame in body axes; None: along the axes of the body.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> guide = m.ground.at(0.1, 0, angle=0.5)
    >>> guide.s, guide.directed
    ((0.1, 0.0), True)
    """

    body: Body
    s: tuple[Scalar, ...]
    angle: Scalar | None = None
    rotation: Matrix | None = None

    @property
    def directed(self) -> bool:
        """Whether it has a direction of its own: always in space, with an angle in the plane."""
        return len(self.s) == 3 or self.angle is not None

    @typed
    def axis(self, name: Literal["", "x", "y", "z"] = "") -> Vector:
        """Give an axis of its frame as a vector.

        Parameters
        ----------
        name : {"", "x", "y", "z"}
            Which; by default the direction: x in the plane, z in space.

        Returns
        -------
        Vector
            The axis.
        """
        names = "xyz"[: len(self.s)]
        name = name or ("x" if len(self.s) == 2 else "z")
        if name not in list(names) or not self.directed:
            raise ModelError(
                f"{self!r} has no axis {name!r}", remedy=f"it may be one of {', '.join(names)}; give angle= in the plane"
            )
        k = names.index(name)
        if self.angle is not None:
            c, s = graph.cos(self.angle), graph.sin(self.angle)
            return Vector(self.body, ((c, s), (-s, c))[k])
        C = self.rotation or ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        return Vector(self.body, tuple(row[k] for row in C))

    @property
    def text(self) -> str:
        """As a formula writes it: crank(0.1, 0); the direction is left out."""
        return f"{quoted(self.body.name)}({', '.join(map(written, self.s))})"

    def __repr__(self) -> str:
        more = "" if self.angle is None else f", angle={written(self.angle)}"
        return self.text[:-1] + more + (", rotation=..." if self.rotation else "") + ")"


@dataclass(frozen=True, eq=False, repr=False)
class Vector(metaclass=Answering):
    """A vector fixed in a body, made by `body.vector`.

    Parameters
    ----------
    body : Body
        The body it is fixed to.
    components : numbers or expressions of parameters
        Its components in body axes.

    Examples
    --------
    >>> m = lw.SpatialModel("m")
    >>> m.ground.vector(0, 0, 1)
    vector(ground, 0, 0, 1)
    """

    body: Body
    components: tuple[Scalar, ...]

    @property
    def text(self) -> str:
        """As a formula writes it."""
        return f"vector({quoted(self.body.name)}, {', '.join(map(written, self.components))})"

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False, repr=False)
class CurveOn(metaclass=Answering):
    """A curve fixed in a body, its origin `at` a point and turned by an angle (plane) or a rotation (space)."""

    body: Body
    curve: Curve
    at: tuple[Scalar, ...]
    angle: Scalar = 0.0
    rotation: Matrix | None = None

    def __repr__(self) -> str:
        return f"{self.body.name}.curve({self.curve!r}, at=({', '.join(map(written, self.at))}))"


def joint_frame(
    P: Sequence[Scalar], Q: Sequence[Scalar], R: Sequence[Scalar] | None, value: Callable[[Scalar], float]
) -> Matrix:
    """C = [f, g, h] from the joint definition points (Haug 9.4.1): h from P to Q, f in the half plane of R, g = h x f.

    R need not be at a right angle; without it f is made from the body axis that is farthest from h.
    """
    p, q = np.array(P, dtype=object), np.array(Q, dtype=object)
    h = _unit(q - p, value, "the points P and Q coincide: they define no axis")
    numbers = [value(x) for x in h]
    if R is None:
        r = np.zeros(3, dtype=object)
        r[int(np.argmin(np.abs(numbers)))] = 1.0
    else:
        r = _unit(np.array(R, dtype=object) - p, value, "the points P and R coincide: they define no x axis")
    across = r - (r @ h) * h
    if np.linalg.norm([value(x) for x in across]) < 1e-9:  # r and h are unit vectors
        raise ModelError("the points P, Q and R lie on one line: they define no x axis", remedy="move R off the axis P-Q")
    f = _unit(across, value, "")
    # numpy 1 has no cross product of arrays of different types
    g = [h[1] * f[2] - h[2] * f[1], h[2] * f[0] - h[0] * f[2], h[0] * f[1] - h[1] * f[0]]
    return tuple((f[k], g[k], h[k]) for k in range(3))


def _unit(v: np.ndarray, value: Callable[[Scalar], float], cause: str) -> np.ndarray:
    if np.linalg.norm([value(x) for x in v]) == 0:
        raise ModelError(cause, remedy="give different points")
    unit: np.ndarray = v / graph.sqrt(v @ v)
    return unit
