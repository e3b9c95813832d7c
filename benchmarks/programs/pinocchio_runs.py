"""The problems in Pinocchio: it has no integrator of its own, so scipy's DOP853 calls its articulated-body algorithm, and
loops go by its proximal constrained dynamics in a fixed-step Runge-Kutta method, as its users write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Run, Setting
from benchmarks.programs.trees import TREES, WORLD, Tree, kept, rotation

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
STEPS = (1e-2, 5e-3, 2e-3, 1e-3)
PROXIMAL = 1e-10  # of the constraint's regularisation


def built(tree: Tree) -> tuple[pin.Model, dict[str, int]]:
    model, numbers = pin.Model(), {WORLD: 0}
    model.gravity.linear = np.array(tree.gravity)
    for link in tree.links:
        kind = (pin.JointModelPrismaticUnaligned if link.slides else pin.JointModelRevoluteUnaligned)(np.array(link.axis))
        place = pin.SE3(rotation(link.turn), np.array(link.at))
        numbers[link.name] = model.addJoint(numbers[link.parent], kind, place, link.name)
        inertia = pin.Inertia(link.mass, np.array(link.com), np.diag(link.J))
        model.appendBodyToJoint(numbers[link.name], inertia, pin.SE3.Identity())
    return model, numbers


def settings(problem: Problem) -> Iterator[Setting]:
    name = problem.name
    if name not in TREES or name == "chain-1000":  # a thousand joints did not build in ten minutes
        return
    tree = TREES[name]
    if tree().springs:
        return
    if not tree().pins:
        for rtol in TOLERANCES:
            yield Setting("Pinocchio", f"aba, scipy DOP853 rtol {rtol:.0e}", _prepared(tree, problem.span, rtol=rtol))
    elif name != "four-bars-40":  # minutes
        for h in STEPS:
            yield Setting("Pinocchio", f"constraintDynamics, RK4 h={h:g}", _prepared(tree, problem.span, h=h))


def _loops(model: pin.Model, data: Any, tree: Tree, numbers: dict[str, int]) -> Callable[[np.ndarray], np.ndarray]:
    place = lambda p: pin.SE3(np.eye(3), np.array(p))  # noqa: E731
    loops = [
        pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, numbers[p.a], place(p.P), numbers[p.b], place(p.Q), pin.ReferenceFrame.LOCAL
        )
        for p in tree.pins
    ]
    for c in loops:
        c.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(100.0, 20.0))
    known = pin.StdVec_RigidConstraintData([c.createData() for c in loops])
    loops = pin.StdVec_RigidConstraintModel(loops)
    pin.initConstraintDynamics(model, data, loops, known)
    proximal, none, n = pin.ProximalSettings(1e-12, PROXIMAL, 10), np.zeros(model.nv), model.nv

    def rates(y: np.ndarray) -> np.ndarray:
        vdot = pin.constraintDynamics(model, data, y[:n], y[n:], none, loops, known, proximal)
        return np.concatenate([y[n:], vdot])

    return rates


def _prepared(build: Callable[[], Tree], span: float, rtol: float = 0.0, h: float = 0.0) -> Callable[[], Run]:
    def prepare() -> Run:
        tree = build()
        model, numbers = built(tree)
        data, n = model.createData(), model.nv
        none = np.zeros(n)
        start = np.concatenate([none, [link.rate for link in tree.links]])
        at = numbers[tree.link]
        rates = _loops(model, data, tree, numbers) if tree.pins else None

        def moves(_: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], none)])

        ended, count = [start], [4 * round(span / h) if h else 0]

        def run() -> np.ndarray:
            if rates is None:
                solved = solve_ivp(moves, (0, span), start, method="DOP853", rtol=rtol, atol=0.1 * rtol)
                y, count[0] = solved.y[:, -1], solved.nfev
            else:
                y = start
                for _ in range(round(span / h)):
                    a = rates(y)
                    b = rates(y + 0.5 * h * a)
                    c = rates(y + 0.5 * h * b)
                    d = rates(y + h * c)
                    y = y + h / 6 * (a + 2 * b + 2 * c + d)
            ended[0] = y
            if tree.P is None:
                return y[at - 1 : at] + tree.offset
            pin.forwardKinematics(model, data, y[:n])
            return data.oMi[at].act(np.array(tree.P))[list(tree.which)]

        def state() -> dict[str, tuple[float, float]]:
            places = {k: model.joints[i].idx_q for k, i in numbers.items() if k != WORLD}
            return {k: (float(ended[0][i]), float(ended[0][n + i])) for k, i in places.items()}

        return Run(run, lambda: kept(tree, state()), lambda: count[0])

    return prepare
