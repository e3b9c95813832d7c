"""Mass, mass centre and inertia: moving, turning and combining bodies, principal axes, plausibility.

In space an inertia is the 3 x 3 matrix J = -int s~ s~ dm (Haug 11.1.17): its off-diagonal entries are MINUS the
product integrals, J_xy = -int x y dm. In the plane it is the one number int |s|^2 dm. Units kg, m, kg m^2.

Examples
--------
>>> rod = lw.shapes.rod(1.0, mass=12.0)
>>> lw.inertia.parallel_axes(rod.inertia, rod.mass, (0.5, 0, 0)).diagonal()  # about its end
array([0., 4., 4.])
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.arguments import any_numbers, numeric
from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Scalar


@dataclass(frozen=True)
class MassProperties(metaclass=Answering):
    """Mass, mass centre and inertia of a body in some frame.

    Parameters
    ----------
    mass : number or expression of parameters
        The mass [kg].
    com : numpy.ndarray
        The mass centre [m]: two numbers in the plane, three in space.
    inertia : number, or 3 x 3 matrix
        The inertia about the mass centre in the axes of the frame [kg m^2]: a number in the plane, a matrix in space.
    drawn : mapping, optional
        The shape of a body in space that is made of it.
    """

    mass: Scalar
    com: np.ndarray
    inertia: Any
    drawn: Any = field(default=None, compare=False, repr=False)

    @property
    def planar(self) -> bool:
        """Whether it is of a body in the plane."""
        return len(self.com) == 2

    def about(self, point: Any) -> Any:
        """Give the inertia about a point of the frame (parallel axes).

        Parameters
        ----------
        point : numbers
            The point [m].

        Returns
        -------
        number, or 3 x 3 matrix
            The inertia [kg m^2].
        """
        return parallel_axes(self.inertia, self.mass, self.com - np.asarray(point, dtype=float))

    def moved(self, position: Any = None, rotation: Any = None) -> MassProperties:
        """Give the same body as seen from a frame in which its own frame has this position and rotation.

        Parameters
        ----------
        position : numbers, optional
            The position [m].
        rotation : 3 x 3 matrix, or angle, optional
            The matrix from the body's axes to the other ones; in the plane an angle [rad].

        Returns
        -------
        MassProperties
            Mass, mass centre and inertia in that frame.
        """
        com, J = self.com, self.inertia
        if rotation is not None:
            A = _plane_rotation(rotation) if self.planar else np.asarray(rotation, dtype=float)
            com = A @ com
            J = J if self.planar else rotate(J, A)
        if position is not None:
            com = com + np.asarray(position, dtype=float)
        return MassProperties(self.mass, com, J)

    def __neg__(self) -> MassProperties:
        """The body as a void: to be cut out of another in `composite`."""
        return MassProperties(-self.mass, self.com, -self.inertia)


def _plane_rotation(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


@numeric
def parallel_axes(J: Any, m: Scalar, rho: Any) -> Any:
    """Give the inertia about a point from the one about the mass centre.

    In the plane J + m |rho|^2, in space J + m (rho.rho 1 - rho rho^T). With -m the way is back from the point to the mass
    centre.

    Parameters
    ----------
    J : number, or 3 x 3 matrix
        The inertia about the mass centre [kg m^2].
    m : number
        The mass [kg].
    rho : numbers
        The vector from the mass centre to the point [m].

    Returns
    -------
    number, or 3 x 3 matrix
        The inertia about the point [kg m^2].

    References
    ----------
    Haug (6.1.22), (11.2.7).

    Examples
    --------
    >>> lw.inertia.parallel_axes(1.0, 2.0, (3, 4))
    51.0
    """
    rho = np.asarray(rho, dtype=float)
    if len(rho) == 2:
        return J + m * float(rho @ rho)
    return np.asarray(J, dtype=float) + m * (rho @ rho * np.eye(3) - np.outer(rho, rho))


@numeric
def rotate(J: Any, A: Any) -> np.ndarray:
    """Give the inertia in other axes: A J A^T.

    Parameters
    ----------
    J : 3 x 3 matrix
        The inertia [kg m^2].
    A : 3 x 3 matrix
        The rotation matrix from the old components to the new.

    Returns
    -------
    numpy.ndarray
        The inertia in the new axes [kg m^2].

    References
    ----------
    Haug (11.2.6), A = C^T.

    Examples
    --------
    >>> lw.inertia.rotate([[1, 0, 0], [0, 2, 0], [0, 0, 3]], [[0, -1, 0], [1, 0, 0], [0, 0, 1]]).diagonal()
    array([2., 1., 3.])
    """
    A = np.asarray(A, dtype=float)
    return np.asarray(A @ np.asarray(J, dtype=float) @ A.T)


@numeric
def composite(parts: Iterable[MassProperties]) -> MassProperties:
    """Give the body that is made of parts in one frame.

    Parameters
    ----------
    parts : iterable of MassProperties
        The parts; a void is -part.

    Returns
    -------
    MassProperties
        The whole.

    References
    ----------
    Haug (6.1.23) to (6.1.25), (11.2.18) to (11.2.20).

    Examples
    --------
    >>> disc, hole = lw.shapes.disc(2.0, density=1.0), lw.shapes.disc(1.0, density=1.0)
    >>> ring = lw.inertia.composite([disc, -hole])
    >>> round(ring.mass, 6)  # 3 pi
    9.424778
    """
    parts = list(parts)
    if not parts:
        raise ModelError("a composite body needs at least one part", remedy="give the parts")
    if len({part.planar for part in parts}) > 1:
        raise ModelError(
            "planar and spatial parts cannot be one body", remedy="describe all parts in the plane or all in space"
        )
    m = sum(part.mass for part in parts)
    if not m > 0:
        raise ModelError(
            f"the parts of the composite body have a mass of {m:g} together",
            remedy="a void must be smaller than the part it is cut from, and of the same density",
        )
    com = np.sum([part.mass * part.com for part in parts], axis=0) / m
    return MassProperties(m, com, sum(part.about(com) for part in parts))


@numeric
def principal_axes(J: Any) -> tuple[np.ndarray, np.ndarray]:
    """Give the principal moments of inertia and the principal axes.

    Axes of equal moments are not unique.

    Parameters
    ----------
    J : 3 x 3 matrix
        The inertia [kg m^2].

    Returns
    -------
    moments : numpy.ndarray
        The principal moments, largest first [kg m^2].
    A : numpy.ndarray
        The matrix whose columns are the principal axes, right-handed: A^T J A is diagonal.

    References
    ----------
    Haug (11.2.13) to (11.2.17), A = C^T.

    Examples
    --------
    >>> lw.inertia.principal_axes([[2, 1, 0], [1, 2, 0], [0, 0, 2]])[0].round(9)
    array([3., 2., 1.])
    """
    moments, A = linear.eigh(_symmetric(J))
    moments, A = moments[::-1], A[:, ::-1].copy()
    for k in range(2):  # a definite sign: the largest component of an axis is positive
        A[:, k] *= np.sign(A[np.argmax(np.abs(A[:, k])), k])
    A[:, 2] = np.cross(A[:, 0], A[:, 1])
    return moments, A


def _symmetric(J: Any) -> np.ndarray:
    J = np.asarray(J, dtype=float)
    return np.asarray(0.5 * (J + J.T))


# -- plausibility ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with the mass properties of a body.

    Parameters
    ----------
    code : str
        What kind of finding, for programs.
    text : str
        What was found.
    remedy : str
        What would mend it.
    elements : tuple of str
        The names of what it concerns.
    """

    code: str
    text: str
    remedy: str
    elements: tuple[str, ...] = field(default=())


# Relative to the largest moment. Tables of thin plates, for which the triangle inequality is an equality, are
# rounded to three or four digits.
TOLERANCE = 1e-3


@any_numbers
def implausible(mass: float, inertia: Any, name: str = "", tolerance: float = TOLERANCE) -> list[Finding]:
    """Give what no real body can have.

    Zero mass and zero moments are plausible (points, thin rods). Codes of findings: "not-finite", "negative-mass",
    "inertia-shape", "not-symmetric", "negative-inertia", "triangle-inequality".

    Parameters
    ----------
    mass : float
        The mass [kg].
    inertia : number, three numbers, or 3 x 3 matrix
        The inertia about the mass centre [kg m^2].
    name : str
        Name of the body, for the findings.
    tolerance : float
        Relative to the largest moment.

    Returns
    -------
    list of Finding
        Empty for a plausible body.

    Examples
    --------
    >>> [finding.code for finding in lw.inertia.implausible(1.0, (1, 1, 5))]
    ['triangle-inequality']
    """
    J = np.asarray(inertia, dtype=float)
    who = (name,) if name else ()
    if not np.isfinite(mass) or not np.isfinite(J).all():
        return [Finding("not-finite", "mass or inertia is infinite or not a number", "give finite numbers", who)]
    found = []
    if mass < 0:
        text = f"the mass is negative ({mass:g} kg)"
        found.append(Finding("negative-mass", text, "only a void within a composite body has a negative mass", who))
    if J.ndim == 0:
        if J < 0:
            text = f"the moment of inertia is negative ({J:g} kg m^2)"
            found.append(Finding("negative-inertia", text, "give the moment about the mass centre, zero or more", who))
        return found
    if J.shape not in ((3,), (3, 3)):
        text = f"the inertia has the shape {J.shape}"
        return [*found, Finding("inertia-shape", text, "give a number, three moments, or a 3 x 3 matrix", who)]
    if J.ndim == 1:
        J = np.diag(J)
    return found + _implausible_matrix(J, who, tolerance)


def _implausible_matrix(J: np.ndarray, who: tuple[str, ...], tolerance: float) -> list[Finding]:
    small = tolerance * float(np.abs(J).max())
    if np.abs(J - J.T).max() > small:
        row, col = divmod(int(np.argmax(np.abs(J - J.T))), 3)
        ij = "xyz"[row] + "xyz"[col]
        text = f"the inertia matrix is not symmetric: J_{ij} = {J[row, col]:g}, J_{ij[::-1]} = {J[col, row]:g}"
        return [Finding("not-symmetric", text, "make the two equal", who)]
    diagonal = np.abs(J - np.diag(np.diag(J))).max() <= small
    if diagonal:
        moments, names = np.diag(J), ["J_xx", "J_yy", "J_zz"]
    else:
        moments, names = principal_axes(J)[0], [f"principal moment {k}" for k in (1, 2, 3)]
    least = int(np.argmin(moments))
    if moments[least] < -small:
        text = f"{names[least]} is negative ({moments[least]:g} kg m^2)"
        remedy = "off-diagonal entries are J_xy = -int x y dm; moments are taken about the mass centre"
        return [Finding("negative-inertia", text, remedy, who)]
    most = int(np.argmax(moments))
    others = [k for k in range(3) if k != most]
    excess = moments[most] - moments[others].sum()
    if excess <= small:
        return []
    i, j = others
    text = (
        f"{names[most]} = {moments[most]:g} is more than {names[i]} + {names[j]} = {moments[i]:g} + {moments[j]:g}: "
        "no distribution of mass has such moments"
    )
    return [Finding("triangle-inequality", text, _mended(moments, names, least), who)]


def _mended(moments: np.ndarray, names: list[str], least: int) -> str:
    """The range the smallest moment, the likeliest to be missing or mistyped, would have to be in."""
    a, b = sorted(np.delete(moments, least))
    text = f"with the other two as given, {names[least]} lies between {b - a:g} and {a + b:g}"
    if b - a <= 10 * moments[least] <= a + b:
        text += f" (a slipped decimal point? {10 * moments[least]:g} would do)"
    return text
