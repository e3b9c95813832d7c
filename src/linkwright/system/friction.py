"""Friction in joints, driven by the joints' own reactions.

The reaction makes the friction, the friction changes the reaction. The equations of motion are linear in forces, so the
multipliers are lam = lam_0 + sum_j F_j s_j with the effect s_j of a unit of friction j; what remains are as many scalar
equations F_j = law(N_j(lam)) as there are joints with friction. They are solved by repeated insertion with Steffensen's
acceleration, unrolled. It converges where mu times the leverage of the joint is below one; a joint beyond that is
self-locking, and no solution need exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright import model as m
from linkwright.equations import forces
from linkwright.errors import ModelError
from linkwright.graph import Scalar, absolute, sqrt, substitute, where
from linkwright.model.quantities import JointCoordinate
from linkwright.system.quantities import rate_of, resolve
from linkwright.system.reactions import Reactions
from linkwright.system.saddle import Saddle

if TYPE_CHECKING:
    from linkwright.system.formulations import NewtonEuler
    from linkwright.system.kane import Kane
    from linkwright.system.mechanics import Mechanics

ROUNDS = 4  # of Steffensen's acceleration: the error is squared each round


@dataclass(frozen=True, eq=False)
class JointFriction:
    """`direction`: ds/dq of the joint's coordinate; `force` along it as an expression of the multipliers."""

    element: m.Friction
    channel: str
    direction: dict[int, Scalar]
    force: Scalar


def frictions(system: Mechanics) -> list[JointFriction]:
    return [_friction(system, e) for e in system.model.elements.values() if isinstance(e, m.Friction)]


def _friction(system: Mechanics, e: m.Friction) -> JointFriction:
    joint: Any = system.model.elements[e.joint]
    turning = "angle" in joint.channels and (e.radius is not None or "displacement" not in joint.channels)
    rubs = type(e.mu) is not float or e.mu != 0 or e.mu_static is not None
    if turning and rubs and e.radius is None:
        raise ModelError(
            "friction in a turning joint needs the radius of its pin", element=e.name, remedy="give radius=, in metres"
        )
    channel = "angle" if turning else "displacement"
    s = resolve(system.geometry, [system.model.quantity(JointCoordinate(e.joint, channel))])[0]
    speed = rate_of(system.geometry, [s])[0]
    N: Scalar = 0.0
    if rubs:
        F = Reactions(system, list(system.lam)).wrench(e.joint).components[: system.model.dimension]
        square = sum((x * x for x in F), 0.0)
        N = where(square > 0.0, sqrt(where(square > 0.0, square, 1.0)), 0.0) * (e.radius if turning else 1.0)
    static = e.mu if e.mu_static is None else e.mu_static
    force = -forces.friction(speed, N, e.mu, static, e.level, e.viscous, e.transition)
    direction = {k: d for (_, k), d in system.coordinates.jacobian([s]).entries.items()}
    return JointFriction(e, "torque" if turning else "force", direction, force)


def settled(
    system: Mechanics, form: NewtonEuler, saddle: Saddle | Kane, a: list[Scalar], lam: list[Scalar], rows: Sequence[int]
) -> tuple[list[Scalar], list[Scalar]]:
    """Accelerations and multipliers with friction, from those without."""
    effects = []
    for f in system.frictions:
        Q: list[Scalar] = [f.direction.get(k, 0.0) for k in range(system.nv)]
        effects.append(saddle.solve(form.force(Q), [0.0] * len(saddle.gamma)))

    def under(F: Sequence[Scalar], which: int) -> list[Scalar]:
        out = list((a, lam)[which])
        for x, effect in zip(F, effects, strict=True):
            out = [o + x * e for o, e in zip(out, effect[which], strict=True)]
        return out

    def laws(F: Sequence[Scalar]) -> list[Scalar]:
        values = dict.fromkeys(system.lam, 0.0)
        values.update({system.lam[row]: x for row, x in zip(rows, form.lam(under(F, 1)), strict=True)})
        return substitute([f.force for f in system.frictions], values)

    F = laws([0.0] * len(effects))
    for _ in range(ROUNDS):
        once = laws(F)
        twice = laws(once)
        F = [_accelerated(x, y, z) for x, y, z in zip(F, once, twice, strict=True)]
    return under(F, 0), under(F, 1)


def _accelerated(x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    """Steffensen's limit of x, y, z, ...; z itself where they have met."""
    bend = z - 2.0 * y + x
    size = absolute(z) + absolute(y)
    good = 1e-12 * size < absolute(bend)
    step = (z - y) * (z - y) / where(good, bend, 1.0)
    return where(good, z - step, z)  # type: ignore[no-any-return]
