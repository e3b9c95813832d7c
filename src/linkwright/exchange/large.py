"""Robots of many bodies, made so that they run: what sticks or comes to rest is compiled as a whole, which takes minutes
for a machine that loops over its elements do in seconds. Friction is smooth there, and limits are soft."""

from __future__ import annotations

from dataclasses import replace

from linkwright import size_policy
from linkwright.exchange.pose_inertia import PoseInertia
from linkwright.model import Friction, SpatialModel, Stop
from linkwright.model.changes import put_element

TRANSITION = 1e-2  # [rad/s, m/s] below which friction grows with the speed: ten times wider is ten times less stiff
REACTION = 0.02  # [s] the time constant of limits, as that of constraints in MuJoCo
_WHEN = f"in machines of {size_policy.LOOPED} bodies and more"
SMOOTH = f"friction is smooth, it creeps where it would stick, {_WHEN} (give the elements stick=True for stiction)"
SOFT = f"limits are soft, with a time constant of {REACTION:g} s, {_WHEN} (give the elements restitution=0 for hard ones)"
LEFT = f"limits that are not of a joint are not carried over {_WHEN}"


def eased(model: SpatialModel) -> list[tuple[str, str]]:
    """The model changed, and of what: a sentence, and a name."""
    if not size_policy.is_looped(len(model.bodies) - 1):
        return []
    told = []
    for name, e in list(model.elements.items()):
        if isinstance(e, Friction) and e.stick:
            put_element(model, replace(e, stick=False, transition=TRANSITION))
            told.append((SMOOTH, name))
    stops = [e for e in model.elements.values() if isinstance(e, Stop) and e.restitution is not None]
    inertia = PoseInertia(model) if stops else None
    for e in stops:
        J = 0.0
        if inertia is not None and e.quantity.op == "symbol":
            J = inertia.moved(str(e.quantity.data).rpartition(".")[0])
        if J > 0:
            put_element(model, replace(e, k=J / REACTION**2, c=2 * J / REACTION, restitution=None))
        else:
            del model._elements[e.name]
        told.append((SOFT if J > 0 else LEFT, e.name))
    return told
