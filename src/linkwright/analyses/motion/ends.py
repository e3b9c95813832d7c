"""Motions that run past the ends of what was given: a driver's table, an open curve. They go on there, so it is said."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.assembly.overlaps import OVERLAP, deep, depths
from linkwright.analyses.machine.machine import Machine
from linkwright.model import CamFollower, Driver, Table
from linkwright.system.system import curve_parameters

_HAIR = 1e-9  # of the length of table or curve


def past_ends(machine: Machine, t: np.ndarray, q: np.ndarray, turns: np.ndarray) -> list[str]:
    """Notes on a motion, a row of q and of turns a time."""
    notes = []
    for name, depth in depths(machine, t, q, turns).items():
        if (beyond := depth > OVERLAP * machine.length).any():
            notes.append(f"{deep(machine, name, float(depth.max()))}, from t = {t[np.argmax(beyond)]:.6g} on: what is "
                         "prescribed goes through it, and it bears nothing")  # fmt: skip
    names = machine.system.coordinates.q_names
    for e in machine.model.elements.values():
        if isinstance(e, Driver) and isinstance(e.motion, Table) and not e.motion.periodic:
            ends = e.motion.x[0], e.motion.x[-1]
            if _first_outside(t, *ends) is not None:
                notes.append(f"{e.name}: its table is from t = {ends[0]:g} to {ends[1]:g}; outside its last piece goes on")
        own = curve_parameters(e)
        curves = [e.curve_i, e.curve_j] if isinstance(e, CamFollower) else [getattr(e, "curve", None)]
        for name, on_body in zip(own, curves, strict=False):
            curve = on_body.curve  # type: ignore[union-attr]
            if curve.closed:
                continue
            k = _first_outside(q[:, names.index(name)], curve.start, curve.end)
            if k is not None:
                notes.append(f"{e.name}: past the end of its curve from t = {t[k]:.6g} on; its formula goes on there")
    return notes


def _first_outside(x: np.ndarray, start: float, end: float) -> int | None:
    outside = np.abs(x - 0.5 * (start + end)) > (0.5 + _HAIR) * (end - start)
    return int(np.argmax(outside)) if outside.any() else None
