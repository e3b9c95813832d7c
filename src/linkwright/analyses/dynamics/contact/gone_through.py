"""Whether bodies went through each other that a contact of shapes is to keep apart.

Contacts measure their gaps at corners and faces: edges in space that cross, and bodies pressed deeper into each other than
to their nearest sides, are not stopped. Here their overlap is measured apart from that, at the states that the run visited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from linkwright.analyses.assembly.overlaps import OVERLAP, within
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import States
from linkwright.analyses.machine.penetration import Convex, Placed, outlines, sides
from linkwright.errors import IntegrationError
from linkwright.model import Contact, Element, Point, Spring
from linkwright.results.motion import MotionResult
from linkwright.results.places import fixed_point
from linkwright.system import touch

GROSS = 0.02  # of the thinner body: deeper than what any force tells of, and it is on its way through
ASKED = 8  # states at which the law of a soft contact is asked how deep its bodies are
MORE = {2: "", 3: " Edges that cross are no contacts: let one body have spheres or capsules along them."}


def gone_through(machine: Machine, states: States, looked: np.ndarray) -> tuple[list[str], IntegrationError | None]:
    """Notes for the audit, and the error that the run is to end in. looked: the states at which little counts."""
    notes: list[str] = []
    if error := _within_outlines(machine, states):
        return notes, error
    shaped = [(e, s) for e in machine.model.elements.values() if isinstance(e, Contact) and (s := sides(machine, e))]
    placed = Placed(machine, states.q) if shaped else None
    for e, (first, second) in shaped:
        if not first or not second or placed is None:
            continue
        mild, gross = _limits(machine, first, second)
        depth = placed.depths(first, second)
        deep = np.flatnonzero(depth > gross)
        if not e.strikes and len(deep):
            deep = deep[depth[deep] > gross + placed.at(deep).cornered(first, second)]
            most = np.unique(np.linspace(0, len(deep) - 1, min(ASKED, len(deep))).astype(int))
            deep = np.array([k for k in deep[most] if depth[k] > gross + _felt(machine, e, states.at(slice(k, k + 1)))])
        if len(deep):
            return notes, _lost(machine, e, states, int(deep[0]), float(depth[deep[0]]))
        if e.strikes and (off := np.flatnonzero(looked & (depth > mild))).size:
            k = off[0]
            notes.append(f"the bodies of {e.name} are within each other by {depth[off].max():.3g} m, first at t = "
                         f"{states.t[k]:.6g}: its corners and faces do not tell of that")  # fmt: skip
    return notes, None


def _within_outlines(machine: Machine, states: States) -> IntegrationError | None:
    """The error of a corner, or of the middle of what is round, inside a polygon where one of both is hollow: the law of an
    outline says how far it is away, not on which side, and has pushed on whatever came through."""
    for e in [e for e in machine.model.elements.values() if isinstance(e, Contact)]:
        for outline, c, radius in outlines(machine, e):
            depth = Placed(machine, states.q).within(outline, c)
            if len(deep := np.flatnonzero(depth > OVERLAP * machine.length)):
                return _lost(machine, e, states, int(deep[0]), float(depth[deep[0]]) + radius)
    return None


def _limits(machine: Machine, first: list[Convex], second: list[Convex]) -> tuple[float, float]:
    """(mild, gross) overlaps: sharp corners are rounded where they meet others."""
    rounded = sum(touch.SHARP * max(x.shortest for x in side) for side in (first, second))
    mild = OVERLAP * machine.length + rounded
    widths = [x.width for x in (*first, *second) if x.width > 0]
    return mild, max(GROSS * min(widths, default=0.0), 2 * mild)


def _felt(machine: Machine, e: Contact, at: States) -> float:
    """The overlap that its force is of, at one state."""
    gaps = machine.made(("gaps of", e.name), lambda: [p.gap for p in touch.pairs(machine.geometry, e)])
    return -float(Motion(machine, at.t, at.q, at.turns).evaluate(gaps).min())


def _lost(machine: Machine, e: Contact, states: States, k: int, depth: float) -> IntegrationError:
    """The error at the k-th state; none can go through before the first one."""
    t = float(states.t[k])
    if k == 0 and e.strikes:
        return within(machine, t, e.name, depth)
    soft = "" if e.strikes else ": more than its force is of"
    more = "a larger k, or restitution= without k" if not e.strikes else "smaller steps (max_step)"
    return IntegrationError(
        f"the bodies of {e.name} went through each other: at t = {t:.6g} they are within each other by {depth:.3g} m{soft}",
        time=t, element=e.name, remedy=f"{more}.{MORE[machine.model.dimension]} `.partial` is the motion so far",
    )  # fmt: skip


# Springs whose ends pass through each other: the direction of their force jumps there, and no real spring does that.
#
# A run steps over the jump: the step is made smaller until its error is within the tolerance, but some of it is left.
# Nothing is watched for it, which would cost every machine with a spring on a slide; what was seen at the times of output
# is told.

Value = Callable[[Any], float]
STRAIGHT = 1e-8  # directions that differ by less are one


def passed_through(elements: Iterable[Element], value: Value, result: MotionResult) -> list[str]:
    """Notes on springs that turned around between two times of output, along the line they lie and move on. value: of
    expressions of parameters."""
    notes = []
    for e in elements:
        if not isinstance(e, Spring) or _regular(value, e) or f"{e.name}.length" not in result:
            continue
        (P, vP), (Q, vQ) = _moving(value, result, e.P), _moving(value, result, e.Q)
        d, ddot = Q - P, vQ - vP
        apart = np.flatnonzero(np.linalg.norm(d, axis=1) > 1e-12 * np.abs(d).max(initial=0.0))
        a, b = apart[:-1], apart[1:]
        on_line = _along(d, ddot)
        turned = (np.einsum("ti,ti->t", d[a], d[b]) < 0) & on_line[a] & on_line[b] & _along(d[a], d[b])
        if turned.any():
            k = int(np.argmax(turned))
            notes.append(
                f"the ends of {e.name} pass through each other, first between t = {result.t[a[k]]:.6g} and "
                f"{result.t[b[k]]:.6g}: the direction of its force jumps there, and some error of the steps over the jump "
                "is left; no real spring does that"
            )
    return notes


def _regular(value: Value, e: Spring) -> bool:
    """k d and a damper need no direction."""
    return value(e.length) == 0 and type(e.force) is float and e.force == 0


def _along(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Row by row, whether v is along u, in either sense; also where it is zero."""
    size = np.linalg.norm(u, axis=1)
    unit = u / np.where(size > 0, size, 1.0)[:, None]
    across = v - np.einsum("ti,ti->t", unit, v)[:, None] * unit
    out: np.ndarray = np.linalg.norm(across, axis=1) <= STRAIGHT * np.linalg.norm(v, axis=1)
    return out


def _moving(value: Value, result: MotionResult, P: Point) -> tuple[np.ndarray, np.ndarray]:
    """A point of a body and its velocity over time, ground axes."""
    s, body = np.array([value(x) for x in P.s]), P.body.name
    place = fixed_point(result, body, s)
    assert place is not None
    if P.body.is_ground:
        return place, np.zeros_like(place)
    A, n = result._axes(body, len(s)), len(s)
    v = np.stack([result[f"{body}.{c}"] for c in ("vx", "vy", "vz")[:n]], axis=1)
    arm = np.einsum("tij,j->ti", A, s)
    if n == 2:
        return place, v + result[f"{body}.omega"][:, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    omega = np.einsum("tij,tj->ti", A, np.stack([result[f"{body}.w{c}"] for c in "xyz"], axis=1))
    return place, v + np.cross(omega, arm)
