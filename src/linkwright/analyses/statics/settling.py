"""Equilibrium by motion: a machine let go from rest comes to rest again when its kinetic energy is taken away (Haug 7.5).

Time stands still meanwhile: drivers and laws of time keep the values they have at the given time.
"""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.statics.reduced import reduced
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.solve.integrate import Control, Events, Integrator
from linkwright.solve.stepping import EVENT
from linkwright.system.motion import Flow

PEAKS = 400  # of the kinetic energy, at most
LONG, STEADY = 20, 0.999  # stretches after which a speed that is still so much of what it was will not go down
STILL = 1e-7  # velocities below this part of the largest ones: the rest is left to Newton's method


def settled(machine: LoadedMachine, q: np.ndarray, t: float) -> np.ndarray:
    """Strongly damped motion: a drag in proportion to mass slows the machine down until it hardly moves."""
    flow, rate = _released(machine, q, t)
    integrator = _integrator(machine, flow, q, t, drag=rate)
    speeds: list[float] = []
    for _ in range(PEAKS):
        solution = integrator.run(integrator.t + 5.0 / rate)
        speeds.append(_speed(machine, solution.y_last))
        if not solution.success or speeds[-1] < STILL * rate:
            break
        if len(speeds) > LONG and speeds[-1] > STEADY * speeds[-LONG] > 0:  # something keeps it going: a motor, a wind
            break
    return _end(machine, solution.y_last, t)


def relaxed(machine: LoadedMachine, q: np.ndarray, t: float) -> np.ndarray:
    """Kinetic relaxation: motion from rest, stopped wherever the kinetic energy has a peak, and released again.

    At a peak the machine passes the bottom of a valley, or its wall: it comes down also from afar, and on rough ground.
    """
    flow, rate = _released(machine, q, t)
    power: Scalar = 0.0
    for Q, v in zip(flow.system.loads.Q, flow.system.coordinates.v, strict=True):
        power = power + Q * v
    events = Events(flow.events([power]), [-1], [1])
    integrator = _integrator(machine, flow, q, t, drag=0.0, events=events)
    largest = 0.0
    y = integrator.y.copy()
    for _ in range(PEAKS):
        solution = integrator.run(integrator.t + 1e3 / rate)
        y = solution.y_last.copy()
        if solution.status != EVENT:
            break
        speed = _speed(machine, y)
        largest = max(largest, speed)
        y[machine.nq : machine.nq + machine.nv] = 0.0
        if speed <= STILL * largest:
            break
        integrator.restart(solution.t_last, y, fired=[0])
    return _end(machine, y, t)


def _released(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[Flow, float]:
    """The motion, and a natural rate [1/s]: the mean of its modes, or that of a fall through the machine's own size.

    The drag for the stiffest mode would make the soft ones crawl; and at the start nothing may be stiff yet.
    """
    if machine.system.loads.callbacks:
        raise ModelError(
            "a law in plain Python cannot be part of a motion toward rest",
            element=[c.element for c in machine.system.loads.callbacks],
            remedy="write it with where(), minimum(), ...; or use method='potential'",
        )
    kept, _ = machine.kept_rows(q, t)
    flow = Flow(machine.system, kept.tolist(), settling=True)
    now = reduced(machine, q, t)
    if not now.Z.shape[1]:
        return flow, 1.0
    machine.check_inertia(now.M, now.Z)
    rates = np.sqrt(np.abs(linear.eigvals(linear.solve(now.M, now.K))))
    falling = np.abs(now.Z @ linear.solve(now.M, now.f) / machine.scale).max()
    return flow, max(float(np.exp(np.mean(np.log(np.maximum(rates, 1e-3))))), float(np.sqrt(falling)))


def _integrator(
    machine: LoadedMachine, flow: Flow, q: np.ndarray, t: float, drag: float, events: Events | None = None
) -> Integrator:
    y = np.concatenate([q, np.zeros(machine.nv), machine.turns, [0.0]])
    weight = np.ones(len(y))
    weight[machine.nq + machine.nv : -1], weight[-1] = machine.states, 0.0
    calls, flags = np.zeros(len(machine.system.loads.callbacks)), np.zeros(len(flow.flags.symbols))
    return Integrator(
        flow.motion, y, t, method="dopri5", control=Control(1e-5, 1e-8, weight), project=flow.projection, events=events,
        parameters=[machine.b, calls, flags, np.array([t, drag])],
    )  # fmt: skip


def _speed(machine: LoadedMachine, y: np.ndarray) -> float:
    v = y[machine.nq : machine.nq + machine.nv] / machine.scale
    return float(np.abs(v).max(initial=0.0))


def _end(machine: LoadedMachine, y: np.ndarray, t: float) -> np.ndarray:
    q = y[: machine.nq].copy()
    machine.turns = y[machine.nq + machine.nv : -1].copy()
    machine.settle(q, t)
    return q
