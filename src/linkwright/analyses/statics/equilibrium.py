"""Equilibrium: where a machine stays at rest (Haug 6.5, 7.5), and whether it stays there when it is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import close, wrong_roots
from linkwright.analyses.assembly.overlaps import overlaps, refuse_beyond, striking, within
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.inertia import has_inertia
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.machine.slack import slack
from linkwright.analyses.statics.reduced import NEUTRAL, Reduced, eigen, slopes_of_states
from linkwright.analyses.statics.resting import rested
from linkwright.analyses.statics.search import Found, Search
from linkwright.analyses.statics.settling import relaxed, settled
from linkwright.errors import ModelError
from linkwright.model import Balance, Model, a_model
from linkwright.options import EquilibriumMethod, Stability
from linkwright.results import Audit
from linkwright.results.motion import Equilibrium
from linkwright.words import choices

# what the answer says of each way
METHODS = {
    "potential": "by descent of the potential energy from {start}",
    "equations": "by Newton's method from {start}",
    "continuation": "by homotopy from {start}, where the unbalanced forces were held back",
    "settling": "by strongly damped motion from {start}",
    "relaxation": "by kinetic relaxation from {start}: motion stopped at every peak of the kinetic energy",
}


@by_name
@recorded
def equilibrium(
    model: Model, t: float = 0.0, *, method: EquilibriumMethod = "potential", start: Mapping[str, Any] | None = None
) -> Equilibrium:
    """Give the machine at rest at time t, near the estimates, with drivers held where they are.

    Contacts and stops without stiffness that press hold their gap at zero, and tell their force.

    Parameters
    ----------
    model : Model
        The machine.
    t : float
        The time of the drivers and laws [s].
    method : {"potential", "equations", "continuation", "settling", "relaxation"}
        "potential": descent of the potential energy (of forces without potential, of their work along the path), to a
        stable equilibrium; "equations": Newton's method, which finds stable and unstable equilibria alike, as a rule the
        nearest; "continuation": a homotopy from the start, where unbalanced forces are held back, to the full forces, taken
        also where Newton's method does not converge; "settling": strongly damped motion; "relaxation": kinetic
        (dynamic) relaxation, motion that is stopped at every peak of the kinetic energy, for starts far from any
        equilibrium. All end with Newton's method.
    start : Channels, optional
        A configuration, or a result whose end it begins at, in place of the estimates.

    Returns
    -------
    Equilibrium
        Positions and reactions by channel; `.stability` is judged by the reduced stiffness, and by the eigenvalues of small
        motions where something feeds energy in; `.branch` tells which equilibrium it is.

    Raises
    ------
    AssemblyError
        No equilibrium was found.

    References
    ----------
    Haug, sections 6.5, 7.5.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> e = lw.equilibrium(m)
    >>> e.stability, round(e["arm.y"], 9), round(e["A.fy"], 9)
    ('stable', -0.5, 9.81)
    """
    if method not in METHODS:
        raise ModelError(f"there is no method {method!r}", element="method", remedy=choices(method, list(METHODS)))
    # nodes without mass are free here: that they are in balance follows, and whether they stay so is asked
    free = a_model(model).without(*[e.name for e in model.elements.values() if isinstance(e, Balance)])
    machine = LoadedMachine(free, t, by_shapes=method not in ("settling", "relaxation"))  # those move it as a whole
    first = q = close(machine, t, None if start is None else machine.going_on(start)).q
    for name, depth in overlaps(machine, q, t):
        raise within(machine, t, name, depth)
    downhill = not machine.states.any()  # what moves the states has no potential
    if method == "potential" and not downhill:
        method = "equations"
    search, found, turns = Search(machine, t), Found(q, 0), machine.turns
    hard = bool(striking(machine))
    if not hard or method != "potential":
        method, found = _searched(search, q, method)
    if hard and (method == "potential" or found.wrong or overlaps(machine, found.q, t)):
        machine.turns = turns
        method = "potential" if downhill else "equations"
        search, found = rested(machine, first, t, downhill)
    if found.wrong:
        raise found.wrong
    q, used = found.q, found.steps
    refuse_beyond(machine, q, t)
    closed = [machine.element_of_impact(k) for k in search.closed]
    machine = search.machine
    out = _result(machine, q, t, search.at(q))
    where = "the estimates" if start is None else "the given start"
    out.branch = _branch(machine, first, q, METHODS[method].format(start=where), out.stability)
    out.audit.notes.append(out.branch)
    out.audit.method = f"{method}, {used} steps"
    out.audit.notes += wrong_roots(machine, q, t)
    if closed:
        out.audit.notes.append(f"it rests on {', '.join(dict.fromkeys(closed))}, as on a joint; friction holds nothing")
    return out


def _searched(search: Search, q: np.ndarray, method: EquilibriumMethod) -> tuple[EquilibriumMethod, Found]:
    """The method by which it was found, and what was found, by whatever has a stiffness."""
    machine, first, t = search.machine, q, search.t
    turns = machine.turns
    if method in ("settling", "relaxation"):
        q = (settled if method == "settling" else relaxed)(machine, q, t)
    down = search.downhill(q) if method == "potential" else Found(q, 0)
    found = search.newton(down.q) if method != "continuation" else search.continued(down.q)
    if found.wrong and method == "equations":
        method = "settling" if machine.states.any() else "continuation"  # states may be at limits that they leave by moving
        machine.turns = turns
        other = search.newton(settled(machine, first, t)) if method == "settling" else search.continued(first)
        found = found if other.wrong else other
    return method, replace(found, steps=down.steps + found.steps)


def _result(machine: LoadedMachine, q: np.ndarray, t: float, now: Reduced) -> Equilibrium:
    still = np.zeros((1, machine.nv))
    states = States(np.array([t]), q[None], still, machine.turns[None])
    motion = Motion(machine, states.t, states.q, states.turns, still, still)
    forces = Forces(machine, states, still)
    channels = {**body_channels(machine, q[None], None, None), **motion.joint_channels(), **forces.channels()}
    Phi, _ = forces.violation()
    audit = Audit("equilibrium", points=1, position_error=float(np.abs(Phi).max(initial=0.0)), notes=forces.notes())
    audit.notes += slack(machine.elements, t, channels)
    out = Equilibrium(machine.model.name, t, channels, audit, q, motion.evaluator(), source=machine.model)
    out.places = forces.places()
    if all(load.V is not None for load in machine.system.loads.all):
        out.potential = float(forces.energy[0, 1])
    else:
        names = [load.name for load in machine.system.loads.all if load.V is None]
        audit.notes.append(f"forces without a potential take part as they are at rest: {', '.join(names)}")
    judge(out, machine, now)
    return out


def _branch(machine: LoadedMachine, first: np.ndarray, q: np.ndarray, how: str, stability: str) -> str:
    """A sentence about which equilibrium it is: by which method it was found, and what moved most."""
    moved = np.abs(q - first) / np.maximum(abs(machine.tangent_at(first)) @ machine.scale, 1e-300)
    k = int(np.argmax(moved)) if len(moved) else -1
    if k < 0 or moved[k] < 1e-6:
        return f"{stability} equilibrium where the search began"
    name = machine.system.coordinates.q_names[k]
    return f"{stability} equilibrium, found {how}; {name} moved most, from {first[k]:.6g} to {q[k]:.6g}"


# Whether a machine at rest stays there when it is touched.

STANDING = 1e-7  # eigenvalues below this part of the largest count as zero: double ones are known to half the digits
FED = 1e-9  # of the largest damping or stiffness: less is rounding


def judge(out: Equilibrium, machine: LoadedMachine, now: Reduced) -> None:
    """The verdict: by the signs of the reduced stiffness; by the eigenvalues of small motions where there are states, or
    where something feeds energy in."""
    if machine.states.any():
        machine.check_inertia(now.M, now.Z)
        slopes = slopes_of_states(machine, out.q, np.zeros(machine.nv), out.t)
        out.stability = _by_eigenvalues(now.with_states(slopes), out.audit)
        return
    if not now.Z.shape[1]:
        out.stability = "stable"
        return
    W, values, _ = eigen(now, machine.scale)
    size = max(float(np.abs(values).max()), 1e-300)
    weights = np.abs(now.force) @ machine.scale  # a machine without any stiffness is neutral, not stable by rounding
    zero = NEUTRAL * max(size, 1e-6 * weights)
    names = machine.system.coordinates.v_names

    def directions(chosen: np.ndarray) -> tuple[dict[str, float], ...]:
        return tuple(dict(zip(names, d.tolist(), strict=True)) for d in (now.Z @ W[:, chosen]).T)

    out.stiffness = values
    out.falling = directions(values < -zero)
    out.neutral = directions(np.abs(values) <= zero)
    out.stability = "unstable" if out.falling else "neutral" if out.neutral else "stable"
    if _is_fed(now) and has_inertia(now.M):
        none = slopes_of_states(machine, out.q, np.zeros(machine.nv), out.t)
        out.stability = _by_eigenvalues(now.with_states(none), out.audit)


def _by_eigenvalues(A: np.ndarray, audit: Audit) -> Stability:
    """The verdict by the eigenvalues of small motions; how fast they grow is noted."""
    values = linear.eigvals(A)
    zero = STANDING * max(float(np.abs(values).max(initial=0.0)), 1e-300)
    grows = values[int(np.argmax(values.real))]
    if grows.real > zero:
        swinging = f", swinging at {abs(grows.imag) / (2 * np.pi):.3g} Hz" if abs(grows.imag) > zero else ""
        audit.notes.append(f"small motions grow by a factor e every {1 / grows.real:.3g} s{swinging}")
        return "unstable"
    return "neutral" if (np.abs(values) <= zero).any() else "stable"


def _is_fed(now: Reduced) -> bool:
    """Whether signs of the stiffness do not decide: something feeds energy in, by speed or by the way round."""
    K, C = now.K, now.C
    turning = float(np.abs(K - K.T).max(initial=0.0)) > FED * float(np.abs(K).max(initial=0.0))
    D = np.sqrt(np.maximum(np.abs(np.diag(now.M)), 1e-300))
    values = linear.eigh(0.5 * (C + C.T) / np.outer(D, D))[0] if C.any() else np.zeros(1)
    return turning or bool(values[0] < -FED * np.abs(values).max(initial=0.0))
