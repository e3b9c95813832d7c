"""Transmission of motion by linkages: transmission angles at their pins, mechanical advantage between two of their
quantities."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.machine.named import by_name
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model import TIME, Distance, Joint, Model, Point, PointOnLine, Revolute, Translational
from linkwright.model import component as component_of
from linkwright.model import rate as rate_of
from linkwright.model.names import suggestion
from linkwright.results import Configuration, Result
from linkwright.words import an

_COINCIDE = 1e-9  # of the linkage's size: pins nearer than this are one


@by_name
def transmission_angle(result: Result | Configuration, joint: Joint | str) -> np.ndarray:
    """Give the transmission angle at a pin of a planar linkage: pi/2 is best, 0 a dead point.

    It is the angle between the two links that meet at the pin, the line of a link running to its other pin; of a slider the
    normal of its guide takes the place of the line. Of a massless link (`Distance`) it is the angle at its second end.

    Parameters
    ----------
    result : Result or Configuration
        Where the linkage is.
    joint : Joint or str
        The pin, or the massless link.

    Returns
    -------
    numpy.ndarray
        The angle over time [rad], in [0, pi/2].

    Raises
    ------
    ModelError
        A link has no line, or several.

    Examples
    --------
    >>> m = lw.PlanarModel("slider-crank")
    >>> crank, slider = m.body("crank", position=(0.1, 0)), m.body("slider", position=(0.5, 0))
    >>> A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0)))
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    >>> rod = m.add(lw.Distance("rod", crank.at(0.1, 0), slider.at(0, 0), length=0.4))
    >>> motor = m.add(lw.Driver("motor", A.angle, "t"))
    >>> k = lw.kinematics(m, t_eval=[0.0])
    >>> lw.transmission_angle(k, "rod").round(6)
    array([1.570796])
    """
    model = _model(result)
    pin = _joint(model, joint)
    if isinstance(pin, Distance):
        ends = _line(result, pin.Q, pin.P), _follower(result, model, pin, pin.Q)
    elif isinstance(pin, Revolute):
        ends = _follower(result, model, pin, pin.P), _follower(result, model, pin, pin.Q)
    else:
        raise ModelError(
            f"{an(type(pin).__name__)} has no transmission angle", element=pin.name, remedy="give a Revolute or a Distance"
        )
    (ux, uy), (vx, vy) = ends
    return np.asarray(np.arctan2(np.abs(ux * vy - uy * vx), np.abs(ux * vx + uy * vy)))


@by_name
def mechanical_advantage(result: Result, effort: Expr | str, load: Expr | str) -> np.ndarray:
    """Give load over effort of a machine without losses, forces along two quantities (torques along angles).

    Power is conserved, F_effort v_effort = F_load v_load: the advantage is v_effort/v_load. It is infinite where the load
    stands still while the effort moves (dead centres), not a number where both stand still.

    Parameters
    ----------
    result : Result
        A motion.
    effort, load : Expr or str
        The quantities along which they act.

    Returns
    -------
    numpy.ndarray
        The advantage over time.

    Examples
    --------
    >>> m = lw.PlanarModel("gears")
    >>> a, b = m.body("a"), m.body("b", position=(0.3, 0))
    >>> A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    >>> B = m.add(lw.Revolute("B", m.ground.at(0.3, 0), b.at(0, 0)))
    >>> mesh = m.add(lw.Gear("mesh", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2)))
    >>> motor = m.add(lw.Driver("motor", A.angle, "t"))
    >>> lw.mechanical_advantage(lw.kinematics(m, t_eval=[0.0, 1.0]), A.angle, B.angle).round(9)
    array([-2., -2.])
    """
    model = _model(result)
    v_effort, v_load = (np.asarray(result[rate_of(_quantity(model, x))]) for x in (effort, load))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(v_effort / v_load)


# -- the parts of a linkage ---------------------------------------------------------------------------------------------


def _follower(result: Result | Configuration, model: Model, pin: Joint, at: Point) -> tuple[np.ndarray, np.ndarray]:
    """The line of the body of `at`: to its other pin, or the normal of its guide."""
    pins, guides = [], []
    for e in model.elements.values():
        if e is pin or not isinstance(e, Joint):
            continue
        for P in (x for x in vars(e).values() if isinstance(x, Point) and x.body.name == at.body.name):
            if isinstance(e, Revolute | Distance) or (isinstance(e, PointOnLine) and P is e.point):
                pins.append(P)
            elif isinstance(e, Translational | PointOnLine):
                guides.append(P)
    value = model.value
    places = np.array([[value(x) for x in P.s] for P in pins]).reshape(-1, 2) - [value(x) for x in at.s]
    size = np.abs(places).max(initial=0.0)
    others = [k for k, d in enumerate(places) if np.hypot(*d) > _COINCIDE * size]
    first = [k for k in others if not any(np.hypot(*(places[k] - places[j])) < _COINCIDE * size for j in others if j < k)]
    if len(first) == 1:
        return _line(result, at, pins[first[0]])
    if not first and guides:
        c, s = _axis(result, guides[0])
        return -s, c
    cause = f"{at.body.name} has {len(first)} pins besides {pin.name}: it has no line of its own"
    raise ModelError(
        cause, element=(pin.name, at.body.name), remedy="transmission angles need links with two pins, or sliders"
    )


def _line(result: Result | Configuration, P: Point, Q: Point) -> tuple[np.ndarray, np.ndarray]:
    """The components of the vector from P to Q over time."""
    x, y = (np.asarray(_place(result, Q, c) - _place(result, P, c)) for c in "xy")
    return x, y


def _place(result: Result | Configuration, P: Point, channel: str) -> Any:
    own = P.s["xy".index(channel)]
    return P.body.model.value(own) if P.body.is_ground else result[component_of(P, channel)]


def _axis(result: Result | Configuration, P: Point) -> tuple[np.ndarray, np.ndarray]:
    """The direction of a directed point."""
    own = 0.0 if P.angle is None else P.body.model.value(P.angle)
    phi = own + (0.0 if P.body.is_ground else np.asarray(result[f"{P.body.name}.angle"]))
    return np.cos(phi), np.sin(phi)


# -- names ----------------------------------------------------------------------------------------------------------------


def _model(result: Result | Configuration) -> Model:
    model = result._source
    if model is None:
        raise ModelError("this result does not know its model", remedy="use a result as computed, not one read from a file")
    if model.dimension != 2:
        raise ModelError(
            "transmission angles are for planar linkages only", element=model.name, remedy="describe it as a PlanarModel"
        )
    return model


def _joint(model: Model, joint: Joint | str) -> Joint:
    name = joint if isinstance(joint, str) else joint.name
    found = model.elements.get(name)
    if not isinstance(found, Joint):
        joints = [other for other, e in model.elements.items() if isinstance(e, Joint)]
        raise ModelError(f"there is no joint {name!r}", element=name, remedy=suggestion(name, joints))
    return found


def _quantity(model: Model, quantity: Expr | str) -> Expr:
    found = model.trace(quantity, {"t": TIME})
    if not isinstance(found, Expr) or model.order(found) != 0:
        raise ModelError(f"{quantity!r} is no position", remedy="give coordinates, angles or displacements, such as A.angle")
    return found
