"""Tyres: forces of a level road on a wheel, with states of their own where they relax."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwright import model as m
from linkwright.equations import forces, tyres
from linkwright.equations.rotations import dot
from linkwright.graph import Expr, Scalar, atan2, sqrt
from linkwright.model.values import is_some
from linkwright.system import switches
from linkwright.system.load import Load
from linkwright.system.quantities import rate_of, state_symbol

if TYPE_CHECKING:
    from linkwright.system.forces import Loads


def load(t: Loads, e: m.Tyre) -> Load:
    """The force of the road, where it touches the wheel: below its centre."""
    frame = t.g.frame(e.wheel)
    centre = frame.origin
    velocity = rate_of(t.g, list(centre))
    depth = e.height + e.radius - centre[2]
    N = forces.contact("linear", depth, -velocity[2], e.k, e.c, 1.0)
    heading, side = tyres.directions(frame.h)
    forward, across = dot(heading, velocity), dot(side, velocity)
    road = [centre[0], centre[1], e.height]
    rim: Scalar = forward + (centre[2] - e.height) * _spin(t, e.wheel, frame.h) if is_some(e.longitudinal) else 0.0
    told: dict[str, Scalar] = {}
    if is_some(e.relaxation):
        # where the force acts: slip at the centre would feed energy to a standing wheel that leans to and fro
        foot = across - (centre[2] - e.height) * _lean(t, e.wheel, heading)
        along, aside = _relaxed(t, e, (rim, foot), forward, N, told)
    else:
        crawl = e.radius if e.crawl is None else e.crawl  # a radian a second
        along, aside = tyres.steady(forward, across, rim, crawl, (e.longitudinal, e.cornering), e.mu * N)
        told["slip"] = tyres.slip_angle(forward, across, crawl)
        if is_some(e.longitudinal):
            told["slip_ratio"] = -rim / tyres.headway(forward, crawl)
    F = [along * heading[0] + aside * side[0], along * heading[1] + aside * side[1], N]
    t.switches += switches.found(e.name, [x for x in F if type(x) is Expr], [*frame.h, *velocity, depth])
    return Load(e.name, t.at(e.wheel.body, road, F), None, {"fx": F[0], "fy": F[1], "fz": F[2], **told})


def _spin(t: Loads, wheel: m.Point, axle: np.ndarray) -> Scalar:
    """How fast a wheel turns about the level line beside its axle [rad/s]: mostly its speed about the axle itself, in
    body axes: the slip of a wheel that spins has nothing of the rounding of where its body has turned to."""
    if wheel.body.is_ground:
        return 0.0
    c = t.g.coordinates
    omega = c.v[c.body_slices()[wheel.body.name][1]][3:]
    own = (0.0, 0.0, 1.0) if wheel.rotation is None else [row[2] for row in wheel.rotation]
    size, level = sqrt(dot(axle, axle)), sqrt(axle[0] * axle[0] + axle[1] * axle[1])
    return (dot(own, omega) * size - axle[2] * t.g.spin(wheel.body)[2]) / level  # type: ignore[no-any-return]


def _lean(t: Loads, wheel: m.Point, heading: np.ndarray) -> Scalar:
    """How fast a wheel leans over, about its heading [rad/s]."""
    return dot(heading, t.g.spin(wheel.body))  # type: ignore[no-any-return]


def _relaxed(
    t: Loads, e: m.Tyre, speeds: tuple[Scalar, Scalar], forward: Scalar, N: Scalar, told: dict[str, Scalar]
) -> tuple[Scalar, Scalar]:
    """(along, across); the states are the slips that the tyre feels, forces by their stiffness."""
    stiffness = e.longitudinal, e.cornering
    names = [name.rpartition(".")[2] for name in e.states]
    felt = {name: state_symbol(f"{e.name}.{name}") for name in names}
    f = tuple(C * felt[name] if name in felt else 0.0 for C, name in zip(stiffness, SLIPS, strict=True))
    rates = tyres.relaxing((f[0], f[1]), speeds, forward, stiffness, e.relaxation, e.mu * N)
    for C, name, rate in zip(stiffness, SLIPS, rates, strict=True):
        if name in felt:
            t.g.state_rates[felt[name]] = rate / C
    if "relaxed_across" in felt:
        told["slip"] = atan2(felt["relaxed_across"], 1.0)
    if "relaxed_along" in felt:
        told["slip_ratio"] = -felt["relaxed_along"]
    damped = e.c / e.k
    return tyres.limited(f[0] + damped * rates[0], f[1] + damped * rates[1], e.mu * N)


SLIPS = ("relaxed_along", "relaxed_across")
