"""What is odd about a machine that closes: bodies nobody holds, rotations without inertia, cams that cannot touch."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine import inertia
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.graph import Expr, along, evaluate, free_symbols, symbol
from linkwright.later import csgraph, sparse
from linkwright.model import TIME, CamFlat, CamFollower, CurveOn, Driver, Finding
from linkwright.regularisation import NO_INERTIA
from linkwright.solve.rank import analyse, dense
from linkwright.words import listed

SAMPLES = 721  # points of an outline: every half degree of a cam
SHOWN = 6  # bodies that are named


def objections(machine: Machine, q: np.ndarray, t: float, J: Any) -> list[Finding]:
    """At an assembled configuration with all equations' derivatives J."""
    return [*islands(machine), *no_inertia(machine, q, J), *concave(machine), *hollows(machine)]


# -- bodies --------------------------------------------------------------------------------------------------------------


def islands(machine: Machine) -> list[Finding]:
    """Bodies that are joined to each other, but neither joined to the ground nor held by any force from it."""
    number = {name: k + 1 for k, name in enumerate(machine.system.coordinates.body_slices())}  # the ground is 0
    joined = _together(machine, number)
    ground = len(number) + len(machine.system.rows) + 1
    alone = [(0, b) for b in _held_alone(joined, ground)]
    ties = [(number.get(x, 0), number.get(y, 0)) for e in machine.model.elements.values() for x, y in _ends(e)]
    parts, held = _parts(ground, joined), _parts(ground, [*joined, *alone, *ties])
    groups: dict[int, list[str]] = {}
    for name, k in number.items():
        if held[k] != held[0]:
            groups.setdefault(int(parts[k]), []).append(name)
    found = []
    for names in (x for x in groups.values() if len(x) > 1 and not (len(x) == len(number) and _flies(machine))):
        text = f"{listed(names, SHOWN)} are joined to each other, but to nothing else: together they drift freely"
        remedy = "join one of them to the ground if that was forgotten; a machine that flies is meant to"
        free = 3 if machine.model.dimension == 2 else 6
        why = f"they move in {free} ways more than the joints between them leave"
        found.append(Finding("island", tuple(names), text, remedy, why))
    return found


def _flies(machine: Machine) -> bool:
    """Whether a machine that is joined to nothing is meant to be so, as a satellite: masses, no weight, no driver."""
    model = machine.model
    driven = any(isinstance(e, Driver) for e in model.elements.values())
    weightless = not any(model.value(g) for g in model.gravity)
    return weightless and not driven and all(model.value(b.mass) > 0 for b in machine.bodies)


def _together(machine: Machine, number: dict[str, int]) -> list[tuple[int, int]]:
    """(equation, body) wherever a body is in an equation; equations are numbered after the bodies."""
    of_column = np.zeros(machine.nv, dtype=int)
    for name, (_, at) in machine.system.coordinates.body_slices().items():
        of_column[at] = number[name]
    rows, columns = (np.asarray(x, dtype=int) for x in machine.system.pattern)
    bodies = of_column[columns]
    own = bodies > 0  # parameters of curves belong to no body
    pairs = np.unique(np.stack([len(number) + 1 + rows[own], bodies[own]]), axis=1)
    return [(int(r), int(b)) for r, b in pairs.T]


def _held_alone(joined: list[tuple[int, int]], size: int) -> list[int]:
    """Bodies that are in an equation by themselves: it holds them to the ground."""
    count = np.zeros(size, dtype=int)
    for r, _ in joined:
        count[r] += 1
    return [b for r, b in joined if count[r] == 1]


def _parts(size: int, edges: list[tuple[int, int]]) -> np.ndarray:
    a, b = np.array(edges, dtype=int).reshape(-1, 2).T
    return np.asarray(
        csgraph.connected_components(sparse.coo_array((np.ones(len(a)), (a, b)), shape=(size, size)), directed=False)[1]
    )


def _ends(e: Any) -> list[tuple[str, str]]:
    """The bodies an element acts between, in pairs, "" for the ground: it may act on a body alone, or along a quantity."""
    bodies = [b.name for b in e.bodies]
    quantity = getattr(e, "quantity", None)
    along = [s.data.split(".")[0].split("(")[-1] for s in free_symbols([quantity])] if type(quantity) is Expr else []
    return [*pairwise(bodies), *((b, "") for b in (bodies if len(bodies) == 1 else along))]


def no_inertia(machine: Machine, q: np.ndarray, J: Any) -> list[Finding]:
    """Free motions in which nothing with inertia moves, of a machine some of which has mass: `dynamics` refuses them."""
    model = machine.model
    bodies = machine.bodies
    masses = [(model.value(b.mass), linear.eigvalsh(b.inertia_matrix())[0]) for b in bodies]
    if (
        machine.nv > size_policy.SINGULAR_VALUES
        or all(m > 0 and least > 0 for m, least in masses)
        or not any(m for m, _ in masses)
    ):
        return []
    Z = analyse(dense(J), machine.scale).right
    if not Z.shape[1]:
        return []
    energies, vectors = linear.eigh(inertia.beyond_rounding(_kinetic(machine, q, Z), Z, inertia.uncancelled(machine)))
    still = vectors[:, energies <= NO_INERTIA * max(energies[-1], 1e-300)]
    if not still.shape[1]:
        return []
    share = np.linalg.norm(Z @ still, axis=1) / machine.scale
    names = machine.system.coordinates.v_names
    moving = inertia.turns_alone([name for name, x in zip(names, share, strict=True) if x > 0.1 * share.max()], model)
    own = tuple(dict.fromkeys(name.rsplit(".", 1)[0] for name in moving))
    text = f"{listed(moving, SHOWN)} can move freely without any inertia: dynamics cannot tell how fast"
    remedy = f"give {' and '.join(own[:SHOWN])} a moment of inertia, or mass, or drive it"
    return [Finding("no-inertia", own, text, remedy, _given(machine, own[0]))]


def _given(machine: Machine, body: str) -> str:
    """What a body has of mass and moments of inertia."""
    b = machine.model.bodies[body]
    moments = ", ".join(f"{x:.3g}" for x in np.diag(np.atleast_2d(b.inertia_matrix())))
    return f"you give {body} {machine.model.value(b.mass):.3g} kg and {moments} kg m^2"


def _kinetic(machine: Machine, q: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Z^T M Z, from masses, mass centres and moments of inertia."""
    model, n = machine.model, machine.model.dimension
    out = np.zeros((Z.shape[1], Z.shape[1]))
    for b in machine.bodies:
        at_q, at = machine.system.coordinates.body_slices()[b.name]
        com, v, w = np.array([model.value(x) for x in b.com]), Z[at][:n], Z[at][n:]
        if n == 2:
            c, s = np.cos(q[at_q][2]), np.sin(q[at_q][2])
            arm = np.array([-s * com[0] - c * com[1], c * com[0] - s * com[1]])
            v = v + np.outer(arm, w[0])
        else:
            v = v - np.asarray(rotations.A(q[at_q][3:]), dtype=float) @ np.cross(com, np.eye(3)).T @ w
        out += model.value(b.mass) * v.T @ v + w.T @ b.inertia_matrix() @ w
    return out


def turns_about_one_axis(machine: Machine, body: str, places: list[np.ndarray], t: float) -> bool:
    """Whether the joints let a body turn about one axis of its own at most, the same in all of these configurations: other
    moments of inertia than that about it then do not matter."""
    if machine.nv > size_policy.SINGULAR_VALUES:
        return False
    at = machine.system.coordinates.body_slices()[body][1]
    rates = []
    for q in places:
        J = dense(machine.rows_at(q, t)[1])[~machine.is_driver]
        rates.append(analyse(J, machine.scale).right[at][3:])
    s = linear.singular_values(np.hstack(rates)) if any(r.shape[1] for r in rates) else np.zeros(3)
    return bool(len(s) < 2 or s[1] <= 1e-6 * max(s[0], 1e-300))


# -- outlines -------------------------------------------------------------------------------------------------------------


def curvature(machine: Machine, on: CurveOn) -> np.ndarray | None:
    """Of a planar outline at many places, positive where it is convex; None where it is not closed or has no value."""
    if not on.curve.closed:
        return None
    alpha = symbol("alpha of an outline")
    path = list(machine.system.geometry.path(on)(alpha))
    first = along(path, {alpha: 1.0})
    second = along(first, {alpha: 1.0})
    at = np.linspace(on.curve.start, on.curve.end, SAMPLES)[:-1] + 1e-9
    given = {alpha: at, TIME: 0.0, **machine.model.parameter_values()}
    with np.errstate(all="ignore"):
        x, y, dx, dy, ddx, ddy = (np.broadcast_to(np.asarray(v, dtype=float), at.shape) for v in evaluate(
            [*path, *first, *second], given))  # fmt: skip
        bent = (dx * ddy - dy * ddx) / np.hypot(dx, dy) ** 3
        area = float(np.sum(x * dy - y * dx))
    return np.asarray(bent * np.sign(area)) if np.isfinite(bent).all() and area else None


def concave(machine: Machine) -> list[Finding]:
    """Flat faces on outlines with hollows: a plane does not reach into one, whatever the equations say."""
    found = []
    for e in machine.model.elements.values():
        bent = curvature(machine, e.curve) if isinstance(e, CamFlat) else None
        if bent is not None and bent.min() < -1e-6 * np.abs(bent).max():
            text = (
                f"the outline of {e.name} is hollow on {np.mean(bent < 0):.0%} of it, down to a radius of "
                f"{-1 / bent.min():.3g} m: a flat face does not reach into it"
            )
            remedy = "make the outline convex, or follow it with a roller (CamFollower) or a point (PointFollower)"
            found.append(Finding("cam-concave", (e.name,), text, remedy))
    return found


def hollows(machine: Machine) -> list[Finding]:
    """Outlines that touch from outside, one of them with a hollow in which no part of the other fits."""
    found = []
    for e in machine.model.elements.values():
        if not isinstance(e, CamFollower):
            continue
        pair = [curvature(machine, on) for on in (e.curve_i, e.curve_j)]
        for one, other in (pair, pair[::-1]):
            if one is None or other is None or one.min() >= 0 or one.min() + other.max() >= 0:
                continue
            hollow, roller = -1 / one.min(), (1 / other.max() if other.max() > 0 else np.inf)
            text = (
                f"the hollow of {e.name} has a radius of {hollow:.3g} m, what should roll in it one of {roller:.3g} m at "
                "least: it cuts into the outline there"
            )
            remedy = f"give the roller a radius below {hollow:.3g} m, or make the hollow wider"
            found.append(Finding("roller-too-large", (e.name,), text, remedy))
    return found
