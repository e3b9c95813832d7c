"""Answers of analyses that know forces: reactions, energy, constraint errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import time
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from linkwright.arguments import typed
from linkwright.bounds import shown
from linkwright.errors import ModelError
from linkwright.model import CD, Body, Element, Model, Point
from linkwright.options import Stability
from linkwright.results.balances import Energy, Violation
from linkwright.results.channels import Audit, Evaluate
from linkwright.results.computed import Later, Parts
from linkwright.results.missing import no_reaction
from linkwright.results.result import Configuration, Result


@dataclass(frozen=True)
class JointPlace:
    """Between which bodies an element acts and where its point is over time, for `reaction`.

    opposite: the place on the first body, in its axes, where the opposite force acts, if not at `point`. The two forces are
    a couple then, which ground takes: their direction is fixed there.
    """

    first: str
    second: str
    point: np.ndarray  # (times, dimension), ground axes
    unique: bool = True
    opposite: tuple[float, ...] | None = None

    @classmethod
    def of(cls, value: Callable[[Any], float], element: Element, point: np.ndarray, unique: bool) -> Self:
        """Of an element between two bodies. Where one of them is ground, it also takes the couple, and all is told.
        value: of expressions of parameters."""
        first, second = element.bodies
        couple = isinstance(element, CD) and not first.is_ground and not second.is_ground
        opposite = tuple(value(x) for x in element.P.s) if couple else None  # type: ignore[attr-defined]
        return cls(first.name, second.name, point, unique, opposite)

    @property
    def bodies(self) -> list[str]:
        """On which it acts."""
        return [self.first, self.second, *([] if self.opposite is None else ["ground"])]


class Reaction(dict[str, np.ndarray]):
    """Components of a joint's force [N] and torque [N m] over time, by name.

    Attributes
    ----------
    convention : str
        On which body they act, about which point, along which axes; also printed.
    """

    def __init__(self, components: dict[str, np.ndarray], convention: str) -> None:
        super().__init__(components)
        self.convention = convention

    def __str__(self) -> str:
        rows = [f"{name}: {np.array2string(x, precision=6, threshold=6, edgeitems=2)}" for name, x in self.items()]
        return "\n".join([self.convention, *rows])


class MotionResult(Result):
    """The answer of `dynamics` and `inverse_dynamics`: a `Result` with reactions.

    Attributes
    ----------
    energy : Energy or None
        The energies over time, of dynamics.
    violation : Violation or None
        The constraint errors over time.
    sol : function or None
        Channels at any time, of a run with dense_output.
    places : dict
        Where joints act, by name.
    imbalance : mapping
        The free-body residual, inertia less applied forces less reactions, of each body over time, by "crank.fx",
        "crank.fy", "crank.torque" (in space fx ... tz, torques in body axes, about the body's origin).
    """

    _later: Parts | None = None
    _audit = Later[Audit](Audit())
    _channels = Later[Mapping[str, np.ndarray]](MappingProxyType({}))
    _derived = Later[Mapping[str, np.ndarray]](MappingProxyType({}))
    _evaluate = Later[Evaluate | None](None)
    energy = Later[Energy | None](None)
    violation = Later[Violation | None](None)
    sol: Any = None  # of a run with dense_output: channels at any time
    places = Later[dict[str, JointPlace]]({})
    imbalance = Later[Mapping[str, np.ndarray]](MappingProxyType({}))

    @classmethod
    def _made_of(cls, model: Model, t: np.ndarray, parts: Parts, complete: Callable[[Self], None] | None = None) -> Self:
        """Of a model, all but the times computed when it is read; complete: what is to be done with it when the audit is."""
        out = cls.__new__(cls)
        out.__dict__ = {
            "model": model.name, "t": t, "events": [], "_later": parts, "_completed": complete, "_units": {},
            "_source": model, "_parameters": dict(model.parameters), "_created": time(),
        }  # fmt: skip
        return out

    def _compute_now(self) -> None:
        """What was to be computed later."""
        for name in self._later or ():
            getattr(self, name)
        self.audit  # noqa: B018  it is completed

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: what was to be computed later is computed now."""
        self._compute_now()
        return {**super().__getstate__(), "_later": None}

    @typed
    def reaction(
        self,
        name: str,
        on: Body | str | None = None,
        at: Point | Sequence[float] | np.ndarray | None = None,
        frame: Body | str | None = "ground",
    ) -> Reaction:
        """Give the force and torque of a joint on one of its bodies, by component.

        Printed, the answer tells its sign convention.

        Parameters
        ----------
        name : str
            Name of the joint.
        on : Body or str, optional
            The body they act on, by default the joint's second; of a `CD` between two bodies also ground, which takes the
            couple of the two forces.
        at : Point or numbers, optional
            The point that the torque is about, of a body or in ground coordinates; by default the joint's point.
        frame : Body or str, optional
            The axes of the components: "ground", or a body.

        Returns
        -------
        Reaction
            Arrays by name: fx, fy, torque in the plane; fx, fy, fz, tx, ty, tz in space [N, N m].
        """
        place = self._place(name)
        space = place.point.shape[1] == 3
        F = np.stack([self[f"{name}.{c}"] for c in ("fx", "fy", "fz")[: 3 if space else 2]], axis=1)
        T = np.stack([self[f"{name}.{c}"] for c in ("tx", "ty", "tz")], axis=1) if space else self[f"{name}.torque"][:, None]
        body = place.second if on is None else getattr(on, "name", on)
        if body not in place.bodies:
            raise ModelError(
                f"{name!r} does not act on {body!r}", element=name, remedy=f"it joins {place.first} and {place.second}"
            )
        if body == place.first:
            F, T = -F, -T
        if place.opposite is not None and body != place.second:
            arm = self._on_body(place.first, np.array(place.opposite)) - place.point
            F, T = (F, T + _moment(arm, F)) if body == place.first else (np.zeros_like(F), _moment(arm, F))
        if at is not None:
            T = T + _moment(place.point - self._position(at), F)
        axes = self._axes(frame)
        F = np.einsum("tji,tj->ti", axes, F)
        if space:
            T = np.einsum("tji,tj->ti", axes, T)
        names = ("fx", "fy", "fz", "tx", "ty", "tz") if space else ("fx", "fy", "torque")
        components = dict(zip(names, np.hstack([F, T]).T, strict=True))
        return Reaction(components, self._convention(name, place, body, at, getattr(frame, "name", frame)))

    @staticmethod
    def _convention(name: str, place: JointPlace, body: str, at: Any, frame: Any) -> str:
        other = place.first if body == place.second else place.second
        about = "the joint's point" if at is None else getattr(at, "text", None) or str(at)
        unique = "" if place.unique else "; not unique: the smallest of many, constraints are dependent"
        who = f"that {other} exerts on {body} through the joint (on {other} they are the opposite)"
        if place.opposite is not None:
            who = f"on {body} (their direction is fixed in ground, which takes the couple of the two forces)"
        return (
            f"{name}: force [N] and torque [N m] {who}, "
            f"torque about {about}, components along the axes of {frame or 'ground'}{unique}"
        )

    def _place(self, name: str) -> JointPlace:
        if name not in self.places:
            raise no_reaction(self, str(name), self.places)
        return self.places[name]

    def _position(self, at: Any) -> np.ndarray:
        """A point of a body, or ground coordinates, over time."""
        if not hasattr(at, "body"):
            return self._coordinates(at)
        return self._on_body(at.body.name, np.array([at.body.model.value(x) for x in at.s]))

    def _on_body(self, body: str, s: np.ndarray) -> np.ndarray:
        """The place s of a body over time, ground axes."""
        if body == "ground":
            return np.broadcast_to(s, (len(self.t), len(s)))
        origin = np.stack([self[f"{body}.{c}"] for c in "xyz"[: len(s)]], axis=1)
        out: np.ndarray = origin + np.einsum("tij,j->ti", self._axes(body, len(s)), s)
        return out

    def _coordinates(self, at: Any) -> np.ndarray:
        size = next(iter(self.places.values())).point.shape[1]
        try:
            if np.iscomplexobj(at):
                raise TypeError
            return np.broadcast_to(np.asarray(at, dtype=float).reshape(size), (len(self.t), size))
        except (TypeError, ValueError, OverflowError):
            raise ModelError(
                f"{shown(at)} is no point",
                element="at",
                remedy=f"give a point of a body, or {size} coordinates in ground axes",
            ) from None

    def _axes(self, frame: Any, dimension: int | None = None) -> np.ndarray:
        """Rotation matrices of a body, or of ground, over time."""
        body = getattr(frame, "name", frame)
        count = len(self.t)
        space = dimension == 3 if dimension else any(p.point.shape[1] == 3 for p in self.places.values())
        if body in (None, "ground"):
            return np.broadcast_to(np.eye(3 if space else 2), (count, 3 if space else 2, 3 if space else 2))
        if f"{body}.angle" in self and not space:
            c, s = np.cos(self[f"{body}.angle"]), np.sin(self[f"{body}.angle"])
            return np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)
        if f"{body}.e0" not in self:
            raise ModelError(f"there is no body {body!r}", element=str(body), remedy='give frame="ground" or a body')
        e0, e1, e2, e3 = (self[f"{body}.e{k}"] for k in range(4))
        rows = [
            [2 * (e0 * e0 + e1 * e1) - 1, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 2 * (e0 * e0 + e2 * e2) - 1, 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 2 * (e0 * e0 + e3 * e3) - 1],
        ]
        return np.moveaxis(np.array(rows), 2, 0)


def _moment(arm: np.ndarray, F: np.ndarray) -> np.ndarray:
    """arm x F over time: three components in space, in the plane one."""
    return np.cross(arm, F) if arm.shape[1] == 3 else (arm[:, 0] * F[:, 1] - arm[:, 1] * F[:, 0])[:, None]


@dataclass(repr=False)
class MotionAudit(Audit):
    """How a simulation was computed, and how accurate it is: an `Audit` with more entries.

    Attributes
    ----------
    formulation, constraints : str
        As chosen.
    why : str
        What was chosen automatically, and the reason.
    steps, rejected, evaluations, jacobians : int
        Counts of the integrator.
    events : int
        How many there are in `events` of the result.
    switches : int
        Changes of laws at which the integration was restarted.
    sticks, slips : int
        How often a joint or a contact with dry friction came to rest, and broke away.
    velocity_error : float
        The largest residual of any velocity equation.
    energy_error : float
        The largest energy balance, relative to the energies at hand.
    smallest_pivot : float
        Of the equations of motion, relative: small near singular configurations.
    """

    formulation: str = ""
    constraints: str = ""
    why: str = ""
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    jacobians: int = 0
    events: int = 0
    switches: int = 0
    sticks: int = 0
    slips: int = 0
    velocity_error: float = 0.0
    energy_error: float = 0.0
    smallest_pivot: float = 1.0


class WithReactions(Configuration):
    """A configuration with the reactions there. places: where joints act, by name."""

    places: dict[str, JointPlace]

    def reaction(
        self,
        name: str,
        on: Body | str | None = None,
        at: Point | Sequence[float] | np.ndarray | None = None,
        frame: Body | str | None = "ground",
    ) -> Reaction:
        """Give the force and torque of a joint on one of its bodies, by component.

        Parameters
        ----------
        name : str
            Name of the joint.
        on, at, frame : optional
            See `MotionResult.reaction`.

        Returns
        -------
        Reaction
            Arrays of one entry, by name.
        """
        channels = {key: np.asarray(values, dtype=float).reshape(-1)[:1] for key, values in self._channels.items()}
        still = MotionResult(self.model, np.array([self.t]), channels, self.audit)
        still.places = self.places
        return still.reaction(name, on, at, frame)


class Equilibrium(WithReactions):
    """The answer of `equilibrium`: a `Configuration` at rest, with the reactions there.

    Attributes
    ----------
    stability : {"stable", "unstable", "neutral"}
        Judged by the reduced stiffness; where damping has the wrong sign, forces follow the bodies or there are states, by
        the eigenvalues of small motions.
    branch : str
        Which equilibrium it is, and by which method it was found, in words.
    places : dict
        Where joints act, by name.
    potential : float or None
        The potential energy of gravity and springs [J]; None where some force has no potential.
    stiffness : numpy.ndarray
        The eigenvalues of the reduced stiffness, smallest first.
    neutral, falling : tuple of dict
        Directions without stiffness, and those along which the machine falls, by channel.
    """

    stability: Stability = ""
    branch: str = ""
    potential: float | None = None
    stiffness: np.ndarray = np.zeros(0)
    neutral: tuple[dict[str, float], ...] = ()
    falling: tuple[dict[str, float], ...] = ()

    def __repr__(self) -> str:
        return f"<{self.stability} equilibrium of {self.model!r} at t = {self.t:g}: {len(self)} channels>"


# Answers about motions that do not change.


class Steady(WithReactions):
    """The answer of `steady`: positions, velocities, accelerations and reactions of a steady motion at one instant.

    Attributes
    ----------
    places : dict
        Where joints act, by name.
    turning : number, or numpy.ndarray
        The angular velocity of the axes in which nothing changes [rad/s]: a number in the plane, three in space.
    residual : float
        The largest acceleration in these axes, as radians or lengths of the machine by s^2.

    Examples
    --------
    >>> m = lw.PlanarModel("rotor")
    >>> disc = m.body("disc", mass=1.0, inertia=0.5, omega=3.0)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), disc.at(0, 0)))
    >>> s = lw.steady(m, {pin.omega: 3.0})
    >>> round(s["disc.omega"], 9), bool(s.residual < 1e-9)
    (3.0, True)
    """

    turning: Any = 0.0
    residual: float = 0.0
