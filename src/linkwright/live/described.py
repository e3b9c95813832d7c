"""What the script of a page must know of a machine: sizes, rows, estimates, channels; expressions of parameters as
functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.analyses.assembly.closure import weights
from linkwright.analyses.assembly.fixes import Fixes
from linkwright.analyses.assembly.start import velocity_weights
from linkwright.analyses.machine.channels import joint_coordinates
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.sizes import size_expressions
from linkwright.compile import Function
from linkwright.graph import Expr, Scalar, symbols
from linkwright.live.bundle import Bundle
from linkwright.model import CamFollower
from linkwright.model.quantities import ACCELERATIONS, JointCoordinate
from linkwright.system.estimates import estimate_expressions
from linkwright.system.system import curve_parameters
from linkwright.system.whole_turns import position_fixes, unwound

SYSTEM = ("position", "velocity", "acceleration", "retract", "turned")


def calls_python(machine: LoadedMachine) -> str:
    """Why a page cannot compute the forces of laws in plain Python; "" where there are none."""
    names = ", ".join(dict.fromkeys(c.element for c in machine.system.loads.callbacks))
    return f"laws in plain Python cannot run in a page ({names})" if names else ""


def described(machine: Machine, t: float, bundle: Bundle) -> dict[str, Any]:
    """The machine at rest: how it is assembled. Its functions go into the bundle."""
    s, model = machine.system, machine.model
    for name in SYSTEM:
        bundle.add(name, getattr(s, name))
    c = s.coordinates
    fixes = _fixes(machine, 0, bundle), _fixes(machine, 1, bundle)
    start = {
        "q": estimate_expressions(model, c),
        "v": _velocities(machine),
        "sizes": size_expressions(model),
        "fixed": [model.fixed[q] for q in fixes[0]],
        "fixed_v": [model.fixed[q] for q in fixes[1]],
        "mass": [sum((b.mass for b in model.bodies.values()), 0.0)],
        "gravity": list(model.traced_gravity()),
        "states": [model.states[n] for n in s.turn_names if n in model.states],
    }  # fmt: skip
    bundle.add("start", Function(f"{model.name}: start", {"b": s.inputs["b"]}, {k: list(v) for k, v in start.items()}))
    estimate = machine.estimate()
    return {
        "dimension": model.dimension, "nq": machine.nq, "nv": machine.nv, "extra": len(c.extra),
        "q": c.q_names, "v": c.v_names,
        "bodies": {name: [at.start, av.start] for name, (at, av) in c.body_slices().items()},
        "b": list(model.parameter_values().values()), "phases": len(s.phases),
        "parameters": list(model.parameters),
        "rows": [
            {"name": r.name, "element": r.element.name, "form": r.form, "driver": r.driver, "rate": r.rate is not None}
            for r in s.rows
        ],
        "row_phases": [list(s.phases).index(r.phase) if r.phase else -1 for r in s.rows],
        "pattern": [x.tolist() for x in s.pattern],
        "weights": weights(machine).tolist(), "velocity_weights": velocity_weights(machine).tolist(),
        # whole turns by which estimates are moved, and references of angles: as the model has them when the page is made
        "unwound": (unwound(machine.geometry, estimate, t, position_fixes(model)) - estimate).tolist(),
        "turns": machine.turns.tolist(), "state_at": [k for k, n in enumerate(s.turn_names) if n in model.states],
        "fixes": [_told(machine, f) for f in fixes],
        "contacts": _contacts(machine),
        "senses": list(s.senses), "starts": _starts(machine, fixes),
    }  # fmt: skip


def _velocities(machine: Machine) -> list[Scalar]:
    out: list[Scalar] = []
    for name in machine.system.coordinates.body_slices():
        e = machine.model.bodies[name].estimate
        out += [*e.velocity, *(e.omega if isinstance(e.omega, tuple) else (e.omega,))]
    return [*out, *[0.0] * len(machine.system.coordinates.extra)]


def _fixes(machine: Machine, order: int, bundle: Bundle) -> list[Any]:
    """The quantities of an order that are fixed; their equations go into the bundle."""
    model = machine.model
    found = [q for q in model.fixed if model.order(q) == order]
    if found:
        made = Fixes(machine, {q: model.value(model.fixed[q]) for q in found}, order)
        outputs = {"values": list(made.inside), "entries": list(made.entries)}
        bundle.add(("fixes", "fixes_v")[order], Function(f"{model.name}: fixes", machine.system.inputs, outputs))
    return found


def _told(machine: Machine, found: Sequence[Any]) -> dict[str, Any]:
    if not found:
        return {"names": [], "pattern": [[], []]}
    made = Fixes(machine, dict.fromkeys(found, 0.0), machine.model.order(found[0]))
    return {"names": made.names, "pattern": made.pattern.tolist()}


def _contacts(machine: Machine) -> list[dict[str, Any]]:
    """Contacts on curves whose parameters are searched for where bodies are estimated."""
    names, s, out = machine.system.coordinates.q_names, machine.system, []
    for e in machine.model.elements.values():
        own: Any = e
        if curve_parameters(e) and own.estimate is None:
            curves = [own.curve_i, own.curve_j] if isinstance(e, CamFollower) else [own.curve]
            out.append({
                "places": [names.index(n) for n in curve_parameters(e)],
                "curves": [[float(c.curve.start), float(c.curve.end), bool(c.curve.closed)] for c in curves],
                "rows": [k for k, r in enumerate(s.rows) if r.element.name == e.name],
                "sense": list(s.senses).index(e.name) if e.name in s.senses else -1,
            })  # fmt: skip
    return out


def _starts(machine: Machine, fixes: tuple[list[Any], list[Any]]) -> list[dict[str, Any]]:
    """Start values that may be moved: what is fixed, where that is a plain number; estimates of coordinates, which have no
    slider but may be placed by hand."""
    model, out = machine.model, dict[str, dict[str, Any]]()
    for order, found in enumerate(fixes):
        for k, q in enumerate(found):
            if type(model.fixed[q]) is not Expr:
                out[repr(q)] = {
                    "name": repr(q),
                    "value": float(model.fixed[q]),
                    "kind": ("fixed", "fixed_v")[order],
                    "at": k,
                }
    names = machine.system.coordinates.q_names
    for k, (name, x) in enumerate(zip(names, machine.estimate(), strict=True)):
        if name not in out:
            out[name] = {"name": name, "value": float(x), "kind": "q", "at": k, "hidden": True}
    return list(out.values())


def with_forces(machine: LoadedMachine, bundle: Bundle) -> dict[str, Any]:
    """What reactions and energies follow from."""
    s = machine.system
    bundle.add("terms", s.terms)
    if s.channel_names:
        bundle.add("reactions", s.reactions)
    return {
        "reactions": s.channel_names, "joint_points": list(s.joints), "M_pattern": [x.tolist() for x in s.M_pattern],
    }  # fmt: skip


# -- channels -------------------------------------------------------------------------------------------------------------


def joints(machine: Machine, bundle: Bundle) -> dict[str, int]:
    """The coordinates of joints and their rates, by name: which output of the function "joints" each is."""
    model, count = machine.model, len(machine.turns)
    own = joint_coordinates(machine)
    if not own:
        return {}
    s = machine.system.whole
    roots = machine.resolve([model.quantity(JointCoordinate(e.name, c)) for e, c in own])
    vdot = symbols("vdot", s.nv)
    orders = [roots, s.rates(roots), s.rates(s.rates(roots), list(vdot))]
    places = {(e.name, c): k for k, (e, c) in enumerate(own)}
    turned = machine.asked.turns.values()
    references, late = [r for r, _ in turned], [angle for _, angle in turned][count:]
    inputs = {name: s.inputs[name] for name in ("q", "v", "t", "b")}
    inputs |= {"all turns": np.array(references, dtype=object), "vdot": vdot}
    bundle.add("joints", Function(f"{model.name}: joints", inputs, {"values": [x for o in orders for x in o], "late": late}))
    out = {f"{e}.{c}": k for (e, c), k in places.items()}
    for e, _ in own:
        for name, (coordinate, order) in e.rates.items():
            if (e.name, coordinate) in places:
                out[f"{e.name}.{name}"] = order * len(roots) + places[e.name, coordinate]
    return out


def sources(data: Mapping[str, Any], names: Sequence[str], more: Mapping[str, tuple[str, int]]) -> list[list[Any]]:
    """Where the values of channels come from: an array of the run, and a column of it."""
    known: dict[str, tuple[str, int]] = {name: ("q", k) for k, name in enumerate(data["q"])}
    known |= {name: ("v", k) for k, name in enumerate(data["v"])}
    for body, (_, at) in data["bodies"].items():
        known |= {f"{body}.{channel}": ("a", at + k) for k, channel in enumerate(ACCELERATIONS[data["dimension"]])}
    known |= more
    return [[name, *known[name]] for name in names if name in known]
