"""Why a simulation cannot go on: time, names and a remedy for everything that happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.machine import rates_of_states
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.prescribed import follows_time
from linkwright.analyses.machine.safety import APART, contradicts
from linkwright.compile.called_back import Raised
from linkwright.errors import IntegrationError, LinkwrightError, ModelError, SingularityError
from linkwright.model import Balance, Belt, Bushing, Driver, Model, Rope, Tyre
from linkwright.solve.blas import single_threaded
from linkwright.solve.integrate import TOO_MANY
from linkwright.solve.rank import dense, scaled
from linkwright.solve.solution import Solution
from linkwright.solve.stepping import NO_CONVERGENCE, NOT_FINITE, PROJECTION, UNDERFLOW
from linkwright.solve.stepping import SINGULAR as SINGULAR_MATRIX

RULED_STEPS = 5000  # fewer are quickly done, whatever rules them
SINGULAR = 1e-4  # pivots below this: steps get small
DEPENDENT = 2e-3  # smallest singular value of the rows, relative: a machine that is stuck there has locked
LOOSE = 3e-2  # singular value of what holds a node, relative: one at which a run is stuck is let go
OFF = 1e-6  # of the machine's length: a row that no longer holds
STUCK = (UNDERFLOW, NOT_FINITE, PROJECTION, NO_CONVERGENCE, SINGULAR_MATRIX)
IMPLICIT = ("radau", "generalized-alpha", "hht")


def failure(
    machine: LoadedMachine, solution: Solution, kept: np.ndarray, method: str, raised: Raised | None = None
) -> LinkwrightError:
    """`kept`: the rows that were independent at the start; `raised`: by laws that are called from Python."""
    t, y = solution.t_last, solution.y_last
    if raised is not None and raised.last is not None and solution.status in STUCK:
        return of_a_law(t, raised.last)
    if solution.status == TOO_MANY:
        stiff = solution.stiff > 0.3 * solution.steps
        why = "; stability limits the steps: the machine is stiff" if stiff else ""
        way = "method='radau' or 'auto'" if stiff else "more max_steps, or looser tolerances"
        names = fastest(machine, t, y) if stiff else ()
        return IntegrationError(f"{solution.message}{why}", time=t, element=names, remedy=f"give {way}")
    sizes = machine.nq, machine.nv
    infinite = not_finite(machine.model, lambda t, y: _forces(machine, t, y), machine.retract, sizes, t, y)
    stuck = solution.status in STUCK
    infinite = infinite or rates_of_states.ended(machine, t, y, stuck)
    if infinite is not None:
        return infinite
    wrong = contradicted(machine, t, y[: machine.nq], kept) if stuck else None
    loose = _loose(machine, t, y[: machine.nq]) if stuck and wrong is None else None
    locked = _locked(machine, t, y[: machine.nq], kept) if stuck and wrong is None else None
    return wrong or loose or locked or _other(machine, solution, method)


def contradicted(machine: LoadedMachine, t: float, q: np.ndarray, kept: np.ndarray) -> IntegrationError | None:
    """A row that followed from the others at the start, where it and they cannot hold together any more: it is off, and no
    small displacement closes all rows. Where joints have only drifted apart, one does but for squares."""
    Phi, J = machine.Phi_and_J(q, t)
    out = np.setdiff1d(np.arange(len(machine.system.rows)), kept)
    off = np.abs(Phi[out])
    if not len(out) or not np.isfinite(Phi).all() or off.max() <= OFF * machine.length:
        return None
    S, lengths = scaled(dense(J), machine.scale)
    wanted = Phi / lengths
    left = wanted - S @ linear.lstsq(S, wanted, rcond=DEPENDENT)[0]
    if np.abs(left).max() < 0.1 * np.abs(wanted[out]).max():
        return None
    return contradicts(machine.system.row_names[int(out[int(np.argmax(off))])], t)


def crawls(machine: LoadedMachine, t: float, q: np.ndarray, kept: np.ndarray) -> LinkwrightError:
    """The error of a run that makes no way although its steps succeed: towards a dead point velocities grow without bound,
    and each step is a part of what is left of the way."""
    return _loose(machine, t, q) or _locked(machine, t, q, kept) or makes_no_way(t)


def _loose(machine: LoadedMachine, t: float, q: np.ndarray) -> IntegrationError | None:
    return let_loose(machine.model, machine.system, machine.Phi_and_J(q, t)[1], t)


def of_a_law(t: float, error: LinkwrightError) -> IntegrationError:
    """The error for what a law in plain Python raised, or gave, in a run."""
    out = IntegrationError(f"at t = {t:.9g}: {error.cause}", time=t, element=error.element, remedy=error.remedy)
    first: BaseException = error
    while isinstance(first, LinkwrightError) and first.__cause__ is not None:  # what was raised, not what we said of it
        first = first.__cause__
    out.__cause__ = first
    return out


def _other(machine: LoadedMachine, solution: Solution, method: str) -> IntegrationError:
    t, y = solution.t_last, solution.y_last
    if solution.status == NOT_FINITE:
        way = "the motion grows without bound there, or a law does: look at the last states in `.partial`"
    elif method in IMPLICIT:
        way = (
            "look at the last states in `.partial`; laws that jump must be written with where(), looser tolerances may help"
        )
    else:
        way = "look at the last states in `.partial`; if a law is very stiff there, give method='radau' or 'auto'"
    return IntegrationError(solution.message, time=t, element=largest(_forces(machine, t, y)), remedy=way)


@single_threaded
def nearest_dependence(machine: LoadedMachine, t: float, q: np.ndarray, kept: np.ndarray) -> float:
    """The distance from dependence of the rows that were independent: their least singular value, relative to the largest.
    Rows left out count: they may hold where others do not."""
    S, _ = scaled(machine.Phi_and_J(q, t)[1], machine.scale)
    if not len(kept) or not np.isfinite(S).all():
        return 1.0
    s = linear.singular_values(S)
    return float(s[len(kept) - 1] / s[0])


@single_threaded
def _locked(machine: LoadedMachine, t: float, q: np.ndarray, kept: np.ndarray) -> SingularityError | None:
    """The error at a singular position: the combination of rows that vanishes names the elements."""
    if nearest_dependence(machine, t, q, kept) > DEPENDENT:
        return None
    S, _ = scaled(machine.Phi_and_J(q, t)[1][kept], machine.scale)
    part = np.abs(linear.svd(S, full_matrices=False)[0][:, -1])
    rows = [int(k) for k, x in zip(kept, part, strict=True) if x > 0.1 * part.max()]
    return lock_up(machine.model, t, list(dict.fromkeys(machine.system.rows[k].element.name for k in rows)))


def let_loose(model: Model, system: Any, J: Any, t: float) -> IntegrationError | None:
    """A node without mass whose springs or dampers come to hold it in one direction less: it would jump. J: the rows of the
    system, dense or sparse."""
    for e in [e for e in model.elements.values() if isinstance(e, Balance)]:
        own = [(k, name) for k, name in enumerate(system.row_names) if name.rpartition(".")[0] == e.name]
        if not own:
            continue
        rows, node = [k for k, _ in own], e.node.body.name
        at = system.coordinates.body_slices()[node][1]
        part = J[rows][:, at.start : at.start + len(rows)]
        block = np.asarray(part.toarray() if hasattr(part, "toarray") else part)
        if any(".across" in name for _, name in own):  # rows of springs and of dampers
            block = block / np.linalg.norm(block, axis=1)[:, None]
        held = linear.singular_values(block)
        if held[-1] <= LOOSE * held[0]:
            return IntegrationError(
                f"at t = {t:.9g} what meets at the node {node}, which has no mass, holds it in one direction less: it jumps",
                time=t, element=node, remedy=f"give it a mass, m.point({node!r}, ...), or dampers in other directions",
            )  # fmt: skip
    return None


def makes_no_way(t: float) -> IntegrationError:
    """The error of a run that takes ever smaller steps, for no reason that is known."""
    return IntegrationError(
        f"at t = {t:.9g} it makes no way: a dead point is near", time=t,
        remedy="look at the last states in `.partial`; change a length a little, or end the run before",
    )  # fmt: skip


def lock_up(model: Model, t: float, names: list[str]) -> SingularityError:
    """Dependent equations: a motion that is prescribed ends there; one that is free comes to where motions cross."""
    elements = [model.elements[name] for name in names]
    drivers = [e.name for e in elements if isinstance(e, Driver)]
    if any(follows_time(e) for e in elements):
        return SingularityError(
            f"the machine locks up at t = {t:.9g}: the prescribed motion cannot go on",
            kind="lock-up", time=t, driver=drivers[0] if drivers else "", element=names,
            remedy="end the run before, change the lengths, or let a force drive the machine instead of a prescribed motion",
        )  # fmt: skip
    return SingularityError(
        f"the machine comes to where motions may branch, at t = {t:.9g}",
        kind="bifurcation", time=t, element=names,
        remedy="method='auto' and constraints='augmented' pass where the motion goes straight on; else end the run before, "
        "or change a length a little",
    )  # fmt: skip


def apart(machine: LoadedMachine, t: float, y: np.ndarray) -> IntegrationError | None:
    """The error of joints that have come apart: without projection errors grow, and a machine may leave its joints where
    they lock."""
    q, _, time, b, _, d = machine._args(y[: machine.nq], t)
    v, turns = y[machine.nq : machine.nq + machine.nv], y[machine.nq + machine.nv : -1]
    Phi, _ = machine.system.position(q, v, time, b, turns, d)
    return come_apart(Phi, machine.system.row_names, machine.length, t)


def come_apart(Phi: np.ndarray, names: Sequence[str], length: float, t: float) -> IntegrationError | None:
    """The error where the rows of these names are off by more than they may be in a machine of this length."""
    worst = int(np.argmax(np.abs(Phi))) if len(Phi) else 0
    if not len(Phi) or abs(Phi[worst]) <= APART * max(length, 1e-300):
        return None
    name = names[worst]
    return IntegrationError(
        f"the joints have come apart at t = {t:.9g}: {name} is off by {abs(Phi[worst]):.3g}", time=t,
        element=name.rsplit(".", 1)[0], remedy="constraints='projection', or tighter tolerances",
    )  # fmt: skip


def _forces(machine: LoadedMachine, t: float, y: np.ndarray) -> dict[str, np.ndarray]:
    """The generalised forces of each element at a state."""
    m, s = machine, machine.system
    if not s.loads.all:
        return {}
    by_element: dict[str, list[Any]] = {}  # a belt has a load for each of its strands
    for load in s.loads.all:
        by_element.setdefault(load.name, []).extend(load.Q.values())
    f = s.load_function("forces", by_element)
    values = f(*m.load_args(y[: m.nq], y[m.nq : m.nq + m.nv], t, y[m.nq + m.nv : -1]))
    return dict(zip(by_element, values, strict=True))


@single_threaded
def fastest(machine: LoadedMachine, t: float, y: np.ndarray) -> tuple[str, ...]:
    """The elements whose forces answer fastest to a disturbance of one coordinate: at c/m or sqrt(k/m)."""
    m, nv = machine, machine.nv
    mass = np.diag(m.terms(y[: m.nq], y[m.nq : m.nq + nv], t, y[m.nq + nv : -1]).M)
    before = _forces(m, t, y)
    rates = dict.fromkeys(before, 0.0)
    for k in np.flatnonzero(mass > 0):
        for moved in (True, False):
            near, step = y.copy(), 1e-7 * (m.scale[k] if moved else 1.0)
            if moved:
                near[: m.nq] = m.retract(y[: m.nq], step * np.eye(nv)[k])
            else:
                near[m.nq + k] += step
            for name, x in _forces(m, t, near).items():
                rate = np.abs(x - before[name]).max(initial=0.0) / step / mass[k]
                rates[name] = max(rates[name], np.sqrt(rate) if moved else rate)
    most = max(rates.values(), default=0.0)
    return tuple(name for name, x in rates.items() if x > 0.3 * most)


def not_finite(
    model: Model, forces: Callable[[float, np.ndarray], dict[str, np.ndarray]],
    retract: Callable[[np.ndarray, np.ndarray], np.ndarray], sizes: tuple[int, int], t: float, y: np.ndarray,
) -> IntegrationError | None:  # fmt: skip
    """The error where forces are not finite at the last state y = (q, v, ...), or a little later: it names their
    elements."""
    nq, nv = sizes
    for ahead in (0.0, 1e-12, 1e-9, 1e-6):
        dt = ahead * max(1.0, abs(t))
        q = retract(y[:nq], dt * y[nq : nq + nv])
        found = [name for name, x in forces(t + dt, np.concatenate([q, y[nq:]])).items() if not np.isfinite(x).all()]
        if found:
            return no_force(model, t, found)
    return None


def no_force(model: Model, t: float, found: Sequence[str]) -> IntegrationError:
    """The error of elements whose forces are not finite at a time."""
    turned = [name for name in found if isinstance(model.elements.get(name), Bushing)]
    if turned:
        return IntegrationError(
            f"{turned[0]} is turned by {_farthest(model, turned[0])} at t = {t:.9g}: there its law ends", time=t,
            element=turned,
            remedy="form='twist' counts any number of turns about the z axis of its frames; or end the run before",
        )  # fmt: skip
    ropes = [name for name in found if isinstance(model.elements.get(name), Rope | Belt)]
    if ropes:
        return IntegrationError(
            f"{ropes[0]} is drawn into a pulley at t = {t:.9g}: an end or the next pulley comes within its radius", time=t,
            element=ropes, remedy="end the run before, or keep them apart by a Stop or a Contact",
        )  # fmt: skip
    if found and all(isinstance(model.elements.get(name), Tyre) for name in found):
        return IntegrationError(
            f"the axle of {found[0]} is upright near t = {t:.9g}: a wheel that lies flat has no heading", time=t,
            element=found, remedy="turn the frame of the wheel so that its z axis is the axle, or end the run before",
        )  # fmt: skip
    return IntegrationError(
        f"forces are not finite near t = {t:.9g}", time=t, element=found,
        remedy="check these laws: a division by zero, a root of a negative number, an overflow",
    )  # fmt: skip


def _farthest(model: Model, name: str) -> str:
    """How far a bushing's form reaches."""
    cardan = getattr(model.elements[name], "form", "") == "cardan"
    return "a quarter turn about y, or half a turn" if cardan else "half a turn"


def law_ended(machine: LoadedMachine, t: float, y: np.ndarray) -> IntegrationError:
    """The error where forces are not finite at a state y = (q, v, turns, work)."""
    found = [name for name, x in _forces(machine, t, y).items() if not np.isfinite(x).all()]
    return no_force(machine.model, t, found)


def law_without_value(machine: LoadedMachine, q: np.ndarray, t: float, force: np.ndarray) -> LinkwrightError:
    """The error of a machine at rest at q whose forces, or their derivatives, are not finite there."""
    names, model = machine.system.coordinates.v_names, machine.model
    ended = law_ended(machine, t, np.concatenate([q, np.zeros(machine.nv), machine.turns, [0.0]]))
    if any(isinstance(model.elements.get(name), Bushing) for name in ended.element):
        return ended
    bad = ended.element or [names[k].rpartition(".")[0] for k in np.flatnonzero(~np.isfinite(force))]
    return ModelError(
        "forces or their derivatives are not finite where the machine stands",
        element=list(dict.fromkeys(bad))[:3] or model.name,
        remedy="look at the laws that act there: roots and logarithms of negative numbers, divisions by zero",
    )


def largest(forces: dict[str, np.ndarray]) -> tuple[str, ...]:
    """The elements whose forces stand out."""
    sizes = {name: float(np.abs(x).max(initial=0.0)) for name, x in forces.items()}
    most = max(sizes.values(), default=0.0)
    names = tuple(name for name, x in sizes.items() if x > 0.1 * most)
    return names if most > 0 and (len(names) < len(sizes) or len(names) == 1) else ()


def ruled(method: str, counters: Mapping[str, int]) -> list[str]:
    """A note where stability ruled most steps, unless the run has gone over to `method` for that."""
    if method == "radau" or counters["steps"] <= RULED_STEPS or counters["stiff"] <= 0.5 * counters["steps"]:
        return []
    return [f"stability limited the steps of {method}: the machine is stiff, method='radau' may take fewer"]


def missed(names: Iterable[str]) -> list[str]:
    """A note where functions swing so often within a step that zeros may lie between two looks."""
    told = ", ".join(names)
    return (
        [f"events may have been missed, some ten thousand lie within a step: {told}; give a smaller max_step"]
        if told
        else []
    )


def chatters(t: float, element: str) -> IntegrationError:
    return IntegrationError(
        f"the law of {element} changes again and again at t = {t:.9g}: the machine sticks there, or chatters",
        time=t,
        element=element,
        remedy="a force that switches with a velocity needs a band around zero (tanh(v/v0)), or end the run at rest: "
        "events={...: Watch(quantity, stop=True)}",
    )


def rubs(t: float, element: str) -> IntegrationError:
    return IntegrationError(
        f"{element} sticks and slips again and again at t = {t:.9g}: a body turns about a point where it rubs, too slowly "
        "to tell whether it moves",
        time=t,
        element=element,
        remedy="let fewer points rub, give friction with stick=False, or looser tolerances",
    )


def open_friction(t: float, elements: list[str]) -> IntegrationError:
    return IntegrationError(
        f"at t = {t:.9g} more contacts stick at once than hold the bodies, and which of them give way first depends on what "
        "is not told: their friction is not unique",
        time=t,
        element=elements,
        remedy="let fewer contacts rub, or give their friction to one of them",
    )


def paradox(t: float, elements: list[str]) -> IntegrationError:
    return IntegrationError(
        f"at t = {t:.9g} no forces of contacts and dry friction agree with the motion (Painleve's paradox)",
        time=t,
        element=elements,
        remedy="give less mu, a contact with stiffness k, or friction with stick=False",
    )


def rests(t: float, elements: list[str]) -> IntegrationError:
    names = " and ".join(elements)
    return IntegrationError(
        f"the bodies of {names} come to rest on each other at t = {t:.9g}: impacts follow each other without end",
        time=t,
        element=elements,
        remedy="give the contact a stiffness k (and a damping c), or end the run before",
    )


def jammed(t: float, element: str, drivers: list[str]) -> IntegrationError:
    """Bodies that meet and cannot give way, for joints and drivers hold both."""
    if drivers:
        several = len(drivers) > 1
        who = f"the drivers {' and '.join(drivers)} push" if several else f"the driver {drivers[0]} pushes"
        cause = f"{who} the bodies of {element} into each other at t = {t:.9g}: nothing can give way"
        remedy = "end the motion there, drive by a force (Force, Motor, PID), or give the contact a stiffness k"
    else:
        cause = f"the bodies of {element} meet at t = {t:.9g}, and joints hold both: nothing can give way"
        remedy = "leave the contact out, or free one of the bodies"
    return IntegrationError(cause, time=t, element=[element, *drivers], remedy=remedy)
