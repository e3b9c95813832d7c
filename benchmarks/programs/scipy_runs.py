"""The planar problems as someone without a program writes them: bodies' coordinates, constraints differentiated by hand, one
dense solve an evaluation (index 1), scipy's DOP853 around it. Nothing brings states back onto the constraints; singular
positions are not passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import benchmark_machines as machines
import linkwright as lw
from benchmarks import dynamics
from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Kept, Run, Setting

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)


PLANAR = {
    "slider-crank": (dynamics.slider_crank, "crank"),
    "four-bars-1": (lambda: machines.four_bars(1), "c0"),
    "four-bars-40": (lambda: machines.four_bars(40), "c0"),
    "andrews": (machines.squeezer, "OF"),
}


class Planar:
    """Revolute and translational joints (along x, on ground), springs, one torque; origins at mass centres."""

    def __init__(self, model: Any) -> None:
        value = model.value
        bodies = [b for b in model.bodies.values() if not b.is_ground]
        self.number = {"ground": -1} | {b.name: k for k, b in enumerate(bodies)}
        self.mass = np.array([[value(b.mass), value(b.mass), value(b.inertia)] for b in bodies]).ravel()
        self.g = np.tile([*(value(x) for x in model.gravity), 0.0], len(bodies)) * self.mass
        com = {b.name: np.array([value(x) for x in b.com]) for b in model.bodies.values()}
        begin = lw.dynamics(model, t_end=1e-9, steps=1)
        rows = [[float(begin[f"{b.name}.{c}"][0]) for c in ("x", "y", "angle", "vx", "vy", "omega")] for b in bodies]
        q, v = [], []
        for b, (x, y, a, vx, vy, w) in zip(bodies, rows, strict=True):
            arm = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ com[b.name]
            q += [x + arm[0], y + arm[1], a]
            v += [vx - w * arm[1], vy + w * arm[0], w]
        self.start = np.array([q, v])

        def end(P: Any) -> tuple[int, np.ndarray]:
            return self.number[P.body.name], np.array([value(x) for x in P.s]) - com[P.body.name]

        of = lambda kind: [e for e in model.elements.values() if type(e).__name__ == kind]  # noqa: E731
        self.pins = [(*end(e.P), *end(e.Q)) for e in of("Revolute")]
        self.guides = [self.number[e.Q.body.name] for e in of("Translational")]
        self.springs = [(*end(e.P), *end(e.Q), value(e.k), value(e.length)) for e in of("Spring")]
        self.torques = [(self.number[e.body.name], 0.033) for e in of("Torque")]

    def parts(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Forces f, constraints g, their Jacobian G, and gamma of G v' = gamma."""
        n = len(self.mass)
        c, s = np.cos(q[2::3]), np.sin(q[2::3])

        def arm(k: int, p: np.ndarray) -> tuple[float, float]:
            return (p[0], p[1]) if k < 0 else (c[k] * p[0] - s[k] * p[1], s[k] * p[0] + c[k] * p[1])

        count = 2 * len(self.pins) + 2 * len(self.guides)
        f, g, G, gamma = self.g.copy(), np.zeros(count), np.zeros((count, n)), np.zeros(count)
        row = 0
        for i, p, j, r in self.pins:
            for k, at, sign in ((i, p, 1.0), (j, r, -1.0)):
                x, z = arm(k, at)
                g[row : row + 2] += sign * np.array([x, z])
                if k < 0:
                    continue
                g[row : row + 2] += sign * q[3 * k : 3 * k + 2]
                G[row, 3 * k] = G[row + 1, 3 * k + 1] = sign
                G[row, 3 * k + 2], G[row + 1, 3 * k + 2] = -sign * z, sign * x
                w2 = v[3 * k + 2] ** 2
                gamma[row] += sign * x * w2
                gamma[row + 1] += sign * z * w2
            row += 2
        for k in self.guides:
            G[row, 3 * k + 1] = G[row + 1, 3 * k + 2] = 1.0
            g[row : row + 2] = q[3 * k + 1 : 3 * k + 3]
            row += 2
        for i, p, j, r, k, length in self.springs:
            d, arms = np.zeros(2), {}
            for b, at, sign in ((i, p, -1.0), (j, r, 1.0)):
                x, z = arms[b] = arm(b, at)
                d += sign * (np.array([x, z]) + (q[3 * b : 3 * b + 2] if b >= 0 else 0.0))
            pull = k * (1 - length / np.hypot(*d)) * d
            for b, sign in ((i, 1.0), (j, -1.0)):
                if b >= 0:
                    x, z = arms[b]
                    f[3 * b : 3 * b + 3] += sign * np.array([pull[0], pull[1], x * pull[1] - z * pull[0]])
        for k, torque in self.torques:
            f[3 * k + 2] += torque
        return f, g, G, gamma

    def kept(self, y: np.ndarray) -> Kept:
        n = len(self.mass)
        gaps = self.parts(y[:n], y[n : 2 * n])[1][: 2 * len(self.pins)].reshape(-1, 2)
        return Kept(float(np.hypot(*gaps.T).max()), abs(self.energy(y) - self.energy(self.start.ravel())))

    def energy(self, y: np.ndarray) -> float:
        n = len(self.mass)
        q, v = y[:n], y[n : 2 * n]
        found = 0.5 * v @ (self.mass * v) - self.g @ q - sum(torque * q[3 * k + 2] for k, torque in self.torques)
        for i, p, j, r, k, length in self.springs:
            a, b = ((q[3 * m : 3 * m + 2] + _turned(q[3 * m + 2], at)) if m >= 0 else at for m, at in ((i, p), (j, r)))
            found += 0.5 * k * (np.hypot(*(b - a)) - length) ** 2
        return float(found)

    def rates(self, _: float, y: np.ndarray) -> np.ndarray:
        n = len(self.mass)
        f, _, G, gamma = self.parts(y[:n], y[n:])
        A = np.block([[np.diag(self.mass), G.T], [G, np.zeros((len(G), len(G)))]])
        return np.concatenate([y[n:], np.linalg.solve(A, np.concatenate([f, gamma]))[:n]])


def _turned(angle: float, s: np.ndarray) -> np.ndarray:
    c, d = np.cos(angle), np.sin(angle)
    return np.array([c * s[0] - d * s[1], d * s[0] + c * s[1]])


def settings(problem: Problem) -> Iterator[Setting]:
    if problem.name in ("slider-crank", "andrews"):
        build, crank = PLANAR[problem.name]
        for rtol in TOLERANCES:
            yield Setting("scipy by hand", f"index 1, DOP853 rtol {rtol:.0e}", _prepared(build, crank, problem.span, rtol))


def _prepared(build: Callable[[], Any], crank: str, span: float, rtol: float) -> Callable[[], Run]:
    def prepare() -> Run:
        p = Planar(build())
        at = 3 * p.number[crank] + 2

        ended, count = [p.start.ravel()], [0]

        def run() -> np.ndarray:
            solved = solve_ivp(p.rates, (0, span), p.start.ravel(), method="DOP853", rtol=rtol, atol=rtol * 1e-2)
            ended[0], count[0] = solved.y[:, -1], solved.nfev
            return ended[0][at : at + 1]

        return Run(run, lambda: p.kept(ended[0]), lambda: count[0])

    return prepare
