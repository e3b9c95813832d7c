"""The planar problems by SUNDIALS' IDA on equations written by hand, stabilised to index 2 (Gear, Gupta and Leimkuhler):
q' = v - G^T mu, M v' = f - G^T lam, g = 0, G v = 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from sksundae.ida import IDA

from benchmarks.programs.problems import Problem
from benchmarks.programs.scipy_runs import PLANAR, Planar
from benchmarks.programs.setting import Kept, Run, Setting

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
AXLE = 10 * 0.01**2 / 2  # mass of each end of the axle


Parts = Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]


def car_axis(t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Forces, constraints, their Jacobian and their rates (IVP test set)."""
    yb, yb1 = 0.1 * np.sin(10 * t), np.cos(10 * t)
    xb = np.sqrt(1 - yb * yb)
    left, right, d = q[:2], q[2:] - [xb, yb], q[:2] - q[2:]
    Ll, Lr = np.hypot(*left), np.hypot(*right)
    f = np.concatenate([(0.5 - Ll) / Ll * left, (0.5 - Lr) / Lr * right]) - [0, AXLE, 0, AXLE]
    G = -np.array([[xb, yb, 0, 0], [2 * d[0], 2 * d[1], -2 * d[0], -2 * d[1]]])
    rate = G @ v - [q[0] * -yb * yb1 / xb + q[1] * yb1, 0]
    return f, np.array([q[0] * xb + q[1] * yb, d @ d - 1]), G, rate


def settings(problem: Problem) -> Iterator[Setting]:
    if problem.name in ("slider-crank", "andrews", "car axis"):
        for rtol in TOLERANCES:
            yield Setting("SUNDIALS", f"IDA, index 2, rtol {rtol:.0e}", _prepared(problem, rtol))


def _axle_kept(y: np.ndarray) -> Kept:
    """The axle's ends are 1 m apart; the road feeds energy in."""
    return Kept(abs(float(np.hypot(*(y[:2] - y[2:4]))) - 1), None)


def _planar(problem: Problem) -> tuple[np.ndarray, np.ndarray, Parts, slice, Callable[[np.ndarray], Kept]]:
    """Masses, the start q, v, lam, the parts, where what is looked at is, and what judges the end."""
    build, crank = PLANAR[problem.name]
    p = Planar(build())
    q, v = p.start
    f, _, G, gamma = p.parts(q, v)
    A = np.block([[np.diag(p.mass), G.T], [G, np.zeros((len(G), len(G)))]])
    lam = np.linalg.solve(A, np.concatenate([f, gamma]))[len(q) :]
    at = 3 * p.number[crank] + 2

    def parts(t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        f, g, G, _ = p.parts(q, v)
        return f, g, G, G @ v

    return p.mass, np.concatenate([q, v, lam]), parts, slice(at, at + 1), p.kept


def _prepared(problem: Problem, rtol: float) -> Callable[[], Run]:
    def prepare() -> Run:
        if problem.name == "car axis":
            start = np.array([0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, 0])
            mass, parts, seen, kept = np.full(4, AXLE), car_axis, slice(0, 4), _axle_kept
        else:
            mass, start, parts, seen, kept = _planar(problem)
        n = len(mass)
        m = len(start) - 2 * n

        def residual(t: float, y: np.ndarray, yp: np.ndarray, res: np.ndarray) -> None:
            f, g, G, rate = parts(t, y[:n], y[n : 2 * n])
            res[:n] = yp[:n] - y[n : 2 * n] + G.T @ y[2 * n + m :]
            res[n : 2 * n] = mass * yp[n : 2 * n] - f + G.T @ y[2 * n : 2 * n + m]
            res[2 * n : 2 * n + m] = g
            res[2 * n + m :] = rate

        f, _, G, _ = parts(0.0, start[:n], start[n : 2 * n])
        y = np.concatenate([start, np.zeros(m)])
        yp = np.concatenate([start[n : 2 * n], (f - G.T @ start[2 * n :]) / mass, np.zeros(2 * m)])
        # multipliers are left out of the error control: they have no memory
        atol = np.concatenate([np.full(2 * n, 0.1 * rtol), np.full(2 * m, 1e3)])

        ended = [y]

        def run() -> np.ndarray:
            solver = IDA(residual, algebraic_idx=range(2 * n, 2 * n + 2 * m), rtol=rtol, atol=atol, max_num_steps=200_000)
            ended[0] = solver.solve(np.array([0.0, problem.span]), y, yp).y[-1]
            return ended[0][seen]

        return Run(run, lambda: kept(ended[0]))

    return prepare
