"""Contacts whose bodies are within each other where a machine begins: an impact cannot part them."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.errors import AssemblyError, IntegrationError
from linkwright.model import Contact, Model, Stop
from linkwright.model.touching import Part, ShapeOn
from linkwright.system import touch
from linkwright.system.forces import stop_gaps
from linkwright.system.reactions import effort_name

OVERLAP = 1e-5  # of the machine's length: less is taken as touching


def overlaps(machine: Machine, q: np.ndarray, t: float) -> list[tuple[str, float]]:
    """The depths of overlaps by name: of contacts and stops without stiffness, as others are pressed."""
    found = depths(machine, np.array([t]), q[None], machine.turns[None])
    return [(name, float(d[0])) for name, d in found.items() if d[0] > OVERLAP * machine.length]


def depths(machine: Machine, t: np.ndarray, q: np.ndarray, turns: np.ndarray) -> dict[str, np.ndarray]:
    """The same at all times, negative where they are apart."""
    elements = machine.model.elements
    own = [e for e in (elements[name] for name in striking(machine)) if isinstance(e, Contact | Stop)]
    if not own:
        return {}
    g, motion = machine.system.geometry, Motion(machine, t, q, turns)
    gaps = [stop_gaps(g, e) if isinstance(e, Stop) else [p.gap for p in touch.pairs(g, e)] for e in own]
    places = [touch.in_hollows(g, e) if isinstance(e, Contact) else [] for e in own]
    flat = [*[x for one in gaps for x in one], *[x for one in places for p, c in one for y in (p, *c) for x in y]]
    values = iter(motion.evaluate(flat))
    found = [np.max([-next(values) for _ in one], axis=0) for one in gaps]
    for k, one in enumerate(places):
        for _, corners in one:
            x, *outline = (np.stack([next(values), next(values)], axis=-1) for _ in range(len(corners) + 1))
            for i, place in enumerate(x):
                around = np.array([c[i] for c in outline])
                if _is_inside(place, around):
                    found[k][i] = max(found[k][i], min(float(np.linalg.norm(place - c)) for c in around))
    return {e.name: d for e, d in zip(own, found, strict=True)}


def refuse_overlaps(machine: Machine, q: np.ndarray, t: float) -> None:
    """IntegrationError for what impacts do not see: a circle whose centre is within a hollow outline is off its edges."""
    if any(p.chains for e in machine.model.elements.values() for x in vars(e).values() for p in _parts(x)):
        for name, depth in overlaps(machine, q, t):
            raise within(machine, t, name, depth)


def refuse_beyond(machine: Machine, q: np.ndarray, t: float, what: str = "forces balance") -> None:
    """AssemblyError for an answer in which bodies are within each other: what strikes bears nothing that is pressed."""
    for name, depth in overlaps(machine, q, t):
        raise AssemblyError(
            f"{what} where {deep(machine, name, depth)}: without a stiffness it bears nothing there", element=name,
            remedy="begin elsewhere, give it a stiffness k, or let `dynamics` come to rest",
        )  # fmt: skip


def striking(machine: Machine) -> list[str]:
    """Contacts and stops without stiffness: they act by impacts alone, and are constraints where something rests."""
    return [e.name for e in machine.model.elements.values() if isinstance(e, Contact | Stop) and e.strikes]


def deep(machine: Machine, name: str, depth: float) -> str:
    """How far a contact or stop is passed, in words."""
    if isinstance(e := machine.model.elements[name], Stop):
        return f"the quantity of {name} is {depth:.3g} {unit_of_stop(machine.model, e)} beyond its end"
    return f"the bodies of {name} are within each other by {depth:.3g} m"


def unit_of_stop(model: Model, e: Stop) -> str:
    return "rad" if effort_name(model, e) == "torque" else "m"


def within(machine: Machine, t: float, name: str, depth: float) -> IntegrationError:
    apart = "within its ends" if isinstance(machine.model.elements[name], Stop) else "with them apart"
    return IntegrationError(
        f"{deep(machine, name, depth)} at t = {t:.9g}", time=t, element=name,
        remedy=f"begin {apart}, or give it a stiffness k",
    )  # fmt: skip


def _parts(value: object) -> tuple[Part, ...]:
    return value.parts if isinstance(value, ShapeOn) else ()


def _is_inside(x: np.ndarray, corners: np.ndarray) -> bool:
    """Whether a point is inside, by the crossings of a ray to the right."""
    a, b = corners, np.roll(corners, -1, axis=0)
    spans = (a[:, 1] > x[1]) != (b[:, 1] > x[1])
    rise = np.where(spans, b[:, 1] - a[:, 1], 1.0)
    at = a[:, 0] + (x[1] - a[:, 1]) / rise * (b[:, 0] - a[:, 0])
    return bool((spans & (x[0] < at)).sum() % 2)
