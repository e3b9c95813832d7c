"""Types of what users may give: looser than what models keep, which is checked and made plain as it is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from linkwright.graph import Expr, Scalar

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation as ScipyRotation

# A number, an expression of parameters, or a text: "r/2", "20 mm".
Value: TypeAlias = Expr | float | str
# Two such in the plane, three in space.
Components: TypeAlias = Sequence[Value] | np.ndarray
# Euler parameters, a 3 x 3 matrix, (axis, angle), or a Rotation of scipy.
RotationLike: TypeAlias = "Sequence[Any] | np.ndarray | ScipyRotation"
# A function of the law's arguments, traced or plain; or a value that does not depend on them.
Law: TypeAlias = Expr | float | str | Callable[..., Any]
# A quantity of the machine, or how it is written.
QuantityLike: TypeAlias = Expr | str | Callable[..., Any]
# What a body is drawn as: see docs/shapes.md.
Drawn: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]


class Solid(Protocol):
    """Mass, mass centre and inertia together, such as `lw.shapes` gives."""

    @property
    def mass(self) -> Scalar: ...
    @property
    def com(self) -> np.ndarray: ...
    @property
    def inertia(self) -> Any: ...
