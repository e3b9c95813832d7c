"""Changes of state at events of large machines: the same rules as of small ones (`watch`), sparsely solved."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.looped.held import scale
from linkwright.analyses.dynamics.looped.outputs import Energies
from linkwright.analyses.dynamics.looped.start import nearest
from linkwright.analyses.dynamics.watch import Snapshot, Watch, _asked
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.later import sparse
from linkwright.model.quantities import POSITIONS
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.assembled import held_solution


def changed(system: LoopedSystem, watch: Watch, t: float, y: np.ndarray, energy: Energies) -> np.ndarray:
    """The state y = (q, v, turns, work) after the change of an event.

    Positions: assembled again with those named. Velocities: those named get their values, by an impulse along them; the
    joints hold, and all else changes as the masses say. The energy that came in counts as work.
    """
    nq, nv = system.nq, system.nv
    q, v = y[:nq], y[nq : nq + nv]
    c = system.coordinates
    machine: Any = SimpleNamespace(system=SimpleNamespace(coordinates=c))  # the part of a machine that tells names
    new = _asked(machine, watch, Snapshot(machine, t, q, v))
    if not new:
        return y
    before = energy(t, y)
    number = {name: k for k, name in enumerate(c.q_names)}
    speed = {name: k for k, name in enumerate(c.v_names)}
    places = {number[name]: value for name, value in new.items() if name in number}
    y = y.copy()
    if places:
        y[:nq] = _moved(system, watch, t, y, places)
        y[nq + nv : -1] = system.turns
    rates = {speed[name]: value for name, value in new.items() if name not in number}
    y[nq : nq + nv] = _struck(system, watch, t, y, rates)
    y[-1] += energy(t, y) - before
    return y


def _moved(system: LoopedSystem, watch: Watch, t: float, y: np.ndarray, places: Mapping[int, float]) -> np.ndarray:
    system.turns[:] = y[system.nq + system.nv : -1]
    q = y[: system.nq].copy()
    q[list(places)] = list(places.values())
    found = nearest(system, q, t, {_coordinate(system, k): value for k, value in places.items()})
    if found is None:
        names = [system.coordinates.q_names[k] for k in places]
        raise ModelError(
            f"the joints do not allow the positions {', '.join(names)} that its change asks for", element=watch.name,
            remedy="ask for fewer positions, or such as agree with the joints",
        )  # fmt: skip
    system.settle(found, t)
    return found


def _coordinate(system: LoopedSystem, k: int) -> Expr:
    """The k-th coordinate as a quantity of the model."""
    if k >= system.nq - len(system.at.extra):
        name, _, channel = system.coordinates.q_names[k].rpartition(".")
        return system.model.elements[name].coordinate(channel)
    channels = POSITIONS[system.model.dimension]
    return system.at.bodies[k // len(channels)].coordinate(channels[k % len(channels)])


def _struck(system: LoopedSystem, watch: Watch, t: float, y: np.ndarray, rates: Mapping[int, float]) -> np.ndarray:
    """Impulses along some velocities that give them the values asked for."""
    v = y[system.nq : system.nq + system.nv]
    G = sparse.csr_array((np.ones(len(rates)), (np.arange(len(rates)), list(rates))), shape=(len(rates), system.nv))
    after, left = jump(system, t, y, G, np.array([x - v[j] for j, x in rates.items()]))
    if left > 1e-9:
        names = [system.coordinates.v_names[j] for j in rates]
        raise ModelError(
            f"the joints do not allow the velocities {', '.join(names)} that its change asks for", element=watch.name,
            remedy="ask for fewer velocities, or such as agree with the joints",
        )  # fmt: skip
    return after


def jump(system: LoopedSystem, t: float, y: np.ndarray, G: Any, change: np.ndarray) -> tuple[np.ndarray, float]:
    """v+ of M (v+ - v) + J^T Lam + G^T p = 0, J v+ = nu, G (v+ - v) = change; and what is left of these, relative."""
    nq, nv = system.nq, system.nv
    q, v = y[:nq], y[nq : nq + nv]
    system.turns[:] = y[nq + nv : -1]
    M, J, *_ = system.terms(q, v, t)
    B: Any = sparse.vstack([J, G]).tocsc()
    gap = np.concatenate([system.nu(q, t) - J @ v, change])
    step = held_solution(M, B)(np.concatenate([np.zeros(nv), gap]))[0][:nv]
    size = scale(system)
    lengths = np.sqrt(np.asarray(B.multiply(B) @ size**2).ravel())
    lengths = np.where(lengths > 0, lengths, 1.0)
    left = np.abs((B @ step - gap) / lengths).max(initial=0.0)
    whole = np.abs(gap / lengths).max(initial=0.0) + np.abs(v / size).max(initial=0.0)
    return np.asarray(v + step), float(left / whole) if whole > 0 else 0.0
