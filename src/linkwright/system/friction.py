"""Friction in joints, driven by the joints' own reactions.

The reaction makes the friction, the friction changes the reaction. The equations of motion are linear in forces, so the
multipliers are lam = lam_0 + sum_j F_j s_j with the effect s_j of a unit of friction j; what remains are as many scalar
equations F_j = law(N_j(lam)) as there are joints with friction. They are solved by repeated insertion with Steffensen's
acceleration, unrolled, or where friction is dry by Newton's method. It converges where mu times the leverage of the joint is
below one; a joint beyond that is self-locking, and no solution need exist.

The laws under given multipliers are `under` and `generalised`, whoever iterates: straight-line code as said (`settled`),
arrays of states by `solve.fixed_point`, large machines within their proximal iteration (`looped.solving`); methods that
solve for the multipliers themselves take the laws as part of the residual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import model as m
from linkwright.equations import forces
from linkwright.equations.rotations import dot
from linkwright.graph import Scalar, absolute, jacobian, sqrt, substitute, symbols, where
from linkwright.graph.gauss import gauss
from linkwright.model.quantities import JointCoordinate
from linkwright.system.load import Generalised, total
from linkwright.system.quantities import ends, rate_of, resolve
from linkwright.system.reactions import Reactions
from linkwright.system.saddle import Answers

if TYPE_CHECKING:
    from linkwright.system.formulations import NewtonEuler
    from linkwright.system.mechanics import Mechanics

ITERATIONS = 4  # of Steffensen's acceleration: the error is squared each time
# Of Newton's method, where friction is dry: N is linear in multipliers, or the length of a vector that is, all but linear.
ITERATIONS_NEWTON, MOST_BY_NEWTON = 3, 8


@dataclass(frozen=True, eq=False)
class JointFriction:
    """A generalised force `force` times `direction`, with `force` as an expression of the multipliers.

    Along a coordinate s of the joint `direction` is ds/dq; in a ball it is a torque as large as the relative angular
    velocity. `effort`: what a user calls its force, by channel. `viscous`: the part of `force` that is proportional to the
    speed. Gears that push each other apart are among them: their force follows from a multiplier, too.
    """

    element: m.Friction | m.Contact | m.Gear | m.RackPinion
    direction: Generalised
    force: Scalar
    effort: dict[str, Scalar]
    viscous: Scalar


def frictions(system: Mechanics) -> list[JointFriction]:
    rubbing = [f for e in system.model.elements.values() if isinstance(e, m.Friction) for f in _friction(system, e)]
    return [*rubbing, *_meshing(system)]


def _meshing(system: Mechanics) -> list[JointFriction]:
    """The forces that push rigid gears and racks with a pressure angle apart."""
    reactions = Reactions(system, list(system.lam))
    toothed = [e for e in system.model.elements.values() if isinstance(e, m.Gear | m.RackPinion) and not e.elastic]
    found = [(e, reactions.apart(e)) for e in toothed]
    return [JointFriction(e, x.direction, F, {}, 0.0) for e, (x, F) in ((e, y) for e, y in found if y is not None)]


def _friction(system: Mechanics, e: m.Friction) -> list[JointFriction]:
    joint: Any = system.model.elements[e.joint]
    pivot, turning = getattr(joint, "pivot", ""), turns_in(system, e)
    N = pressing(system, e, turning)
    static = e.mu if e.mu_static is None else e.mu_static
    law = (N, e.mu, static, e.level, e.viscous, e.transition)
    if pivot == "ball":
        return [_in_ball(system, e, joint, law)]
    if pivot == "cross":
        return _in_cross(system, e, joint, law)
    s = coordinate_of(system, e)
    speed = rate_of(system.geometry, [s])[0]
    force = -forces.friction(speed, *law)
    effort = {"torque" if turning else "force": force}
    return [JointFriction(e, system.loads.along(s, 1.0), force, effort, -e.viscous * speed)]


def turns_in(system: Mechanics, e: m.Friction) -> bool:
    """Whether it rubs as a pin does: a torque against an angular velocity."""
    joint: Any = system.model.elements[e.joint]
    has = joint.channels
    return bool(joint.pivot) or ("angle" in has and (e.radius is not None or "displacement" not in has))


def coordinate_of(system: Mechanics, e: m.Friction) -> Scalar:
    """The joint's coordinate along which it rubs."""
    coordinate = JointCoordinate(e.joint, "angle" if turns_in(system, e) else "displacement")
    return resolve(system.geometry, [system.model.quantity(coordinate)])[0]


def pressing(system: Mechanics, e: m.Friction, turning: bool) -> Scalar:
    """The size of the joint's reaction force, times the radius of a pin or ball."""
    if type(e.mu) is float and e.mu == 0 and e.mu_static is None:
        return 0.0
    F = Reactions(system, list(system.lam)).wrench(e.joint).components[: system.model.dimension]
    square = dot(F, F)
    return where(square > 0.0, sqrt(where(square > 0.0, square, 1.0)), 0.0) * (e.radius if turning else 1.0)  # type: ignore[no-any-return]


def _in_ball(system: Mechanics, e: m.Friction, joint: m.Joint, law: tuple[Scalar, ...]) -> JointFriction:
    """A torque against the relative angular velocity."""
    omega = relative_turn(system, joint)
    force = -forces.drag(dot(omega, omega), *law)
    effort = dict(zip(("tx", "ty", "tz"), force * omega, strict=True))
    return JointFriction(e, _couple(system, joint, omega), force, effort, -e.viscous)


def _in_cross(system: Mechanics, e: m.Friction, joint: m.Joint, law: tuple[Scalar, ...]) -> list[JointFriction]:
    """omega_j - omega_i = alphadot h_i + betadot h_j (see `universal_angles`), h_i and h_j at right angles: two pins."""
    omega, out = relative_turn(system, joint), []
    for P, channel in zip(ends(joint), ("torque_i", "torque_j"), strict=True):
        h = system.geometry.frame(P).h
        speed = dot(h, omega)
        force = -forces.friction(speed, *law)
        out.append(JointFriction(e, _couple(system, joint, h), force, {channel: force}, -e.viscous * speed))
    return out


def relative_turn(system: Mechanics, joint: m.Joint) -> np.ndarray:
    """omega_j - omega_i of a joint's bodies, in ground axes."""
    first, second = (system.geometry.spin(body) for body in joint.bodies)
    return np.asarray(second - first)


def _couple(system: Mechanics, joint: m.Joint, n: np.ndarray) -> Generalised:
    """A torque n (ground axes) on the second body and -n on the first."""
    poses = system.coordinates.poses
    first, second = joint.bodies
    on = [system.loads.turning(b, sign * (poses[b.name].A.T @ n)) for b, sign in ((first, -1.0), (second, 1.0))]
    return total(*on)


def under(system: Mechanics, lam: Mapping[int, Scalar]) -> list[Scalar]:
    """The forces of all frictions under multipliers by row; zero for rows that are left out."""
    return substitute([f.force for f in system.frictions], {x: lam.get(row, 0.0) for row, x in enumerate(system.lam)})


def generalised(frictions: Sequence[JointFriction], forces: Sequence[Scalar]) -> Generalised:
    """The generalised forces of frictions on the displacements of bodies, by displacement."""
    out: Generalised = {}
    for f, F in zip(frictions, forces, strict=True):
        for k, d in f.direction.items():
            out[k] = out.get(k, 0.0) + F * d
    return out


def on_displacements(
    system: Mechanics, frictions: Sequence[JointFriction], forces: Sequence[Scalar] | None = None
) -> list[Scalar]:
    """The generalised forces of frictions on every displacement of the machine; by default with the forces that the
    frictions have themselves."""
    Q = generalised(frictions, [f.force for f in frictions] if forces is None else forces)
    return [Q.get(k, 0.0) for k in range(system.nv)]


def settled(
    system: Mechanics, form: NewtonEuler, saddle: Answers, a: list[Scalar], lam: list[Scalar], rows: Sequence[int]
) -> tuple[list[Scalar], list[Scalar]]:
    """Accelerations and multipliers with friction, from those without."""
    effects = []
    for f in system.frictions:
        Q: list[Scalar] = [f.direction.get(k, 0.0) for k in range(system.nv)]
        effects.append(saddle.solve(form.force(Q), [0.0] * len(saddle.gamma)))

    def moved(F: Sequence[Scalar], which: int) -> list[Scalar]:
        out = list((a, lam)[which])
        for x, effect in zip(F, effects, strict=True):
            out = [o + x * e for o, e in zip(out, effect[which], strict=True)]
        return out

    def pressed(F: Sequence[Scalar]) -> list[Scalar]:
        return under(system, dict(zip(rows, form.lam(moved(F, 1)), strict=True)))

    rubbing = sum(not isinstance(f.element, m.Gear | m.RackPinion) for f in system.frictions)

    def laws(F: Sequence[Scalar]) -> list[Scalar]:
        """Gears first, so that friction alone goes from one iteration to the next: what pushes gears apart has a corner
        where the tangential force changes its sign, and two sequences that feed each other do not converge as one does."""
        if not 0 < rubbing < len(F):
            return pressed(F)
        meshing = pressed(F)[rubbing:]
        return [*pressed([*F[:rubbing], *meshing])[:rubbing], *meshing]

    F = laws([0.0] * len(effects))
    if system.slots and len(F) <= MOST_BY_NEWTON:
        F = _by_newton(laws, F)
        return moved(F, 0), moved(F, 1)
    for _ in range(ITERATIONS):
        once = laws(F)
        twice = laws(once)
        F = [_accelerated(x, y, z) for x, y, z in zip(F, once, twice, strict=True)]
    return moved(F, 0), moved(F, 1)


def _by_newton(laws: Callable[[Sequence[Scalar]], list[Scalar]], F: list[Scalar]) -> list[Scalar]:
    """F = laws(F) by Newton's method: exact in a step where loads are multipliers themselves, as those of contacts."""
    n = len(F)
    given = list(symbols("friction", n))
    values = laws(given)
    slopes = jacobian(values, given).entries
    for _ in range(ITERATIONS_NEWTON):
        at = dict(zip(given, F, strict=True))
        now = substitute([*values, *slopes.values()], at)
        A: dict[tuple[int, int], Scalar] = {(k, k): 1.0 for k in range(n)}
        for ij, slope in zip(slopes, now[n:], strict=True):
            A[ij] = A.get(ij, 0.0) - slope
        (step,) = gauss(A, [[x - f for x, f in zip(now[:n], F, strict=True)]], tuple((k, k) for k in range(n)))
        F = [f + d for f, d in zip(F, step, strict=True)]
    return F


def _accelerated(x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    """Steffensen's limit of x, y, z, ...; z itself where they have met, or do not approach each other."""
    bend = z - 2.0 * y + x
    size = absolute(z) + absolute(y)
    good = (1e-12 * size < absolute(bend)) & (absolute(z - y) < absolute(y - x))
    step = (z - y) * (z - y) / where(good, bend, 1.0)
    return where(good, z - step, z)  # type: ignore[no-any-return]
