"""The problems in Pinocchio: it has no integrator of its own, so scipy's DOP853 calls its articulated-body algorithm, and
loops go by its proximal constrained dynamics in a fixed-step Runge-Kutta method, as its users write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from benchmarks.programs.problems import G, Problem
from benchmarks.programs.setting import Run, Setting

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
STEPS = (1e-2, 5e-3, 2e-3, 1e-3)
PROXIMAL = 1e-10  # of the constraint's regularisation


def _chain(n: int) -> pin.Model:
    model = pin.Model()
    model.gravity.linear = np.array([0, -G, 0])
    rod = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([1e-3, 1 / 12, 1 / 12]))
    joint = 0
    for k in range(n):
        place = pin.SE3(np.eye(3), np.array([float(k > 0), 0, 0]))
        joint = model.addJoint(joint, pin.JointModelRZ(), place, f"rod{k}")
        model.appendBodyToJoint(joint, rod, pin.SE3.Identity())
    return model


def _bricard() -> pin.Model:
    model = pin.Model()
    model.gravity.linear = np.array([0, -G, 0])
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    kinds = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    joint = 0
    for k, axis in enumerate("yzxyz"):
        along = P[k + 1] - P[k]
        J = np.diag(np.where(along != 0, 0.01 / 6, 1.01 / 12))
        joint = model.addJoint(joint, kinds[axis](), pin.SE3(np.eye(3), P[k] - (P[k - 1] if k else 0)), f"rod{k}")
        model.appendBodyToJoint(joint, pin.Inertia(1.0, along / 2, J), pin.SE3.Identity())
    return model


def settings(problem: Problem) -> Iterator[Setting]:
    if problem.name.startswith("chain") and problem.name != "chain-1000":  # a thousand joints did not build in ten minutes
        n = int(problem.name.split("-")[1])
        for rtol in TOLERANCES:
            yield Setting("Pinocchio", f"aba, scipy DOP853 rtol {rtol:.0e}", _tree(n, problem.span, rtol))
    elif problem.name == "bricard":
        for h in STEPS:
            yield Setting("Pinocchio", f"constraintDynamics, RK4 h={h:g}", _ring(problem.span, h))


def _tree(n: int, span: float, rtol: float) -> Callable[[], Run]:
    def prepare() -> Run:
        model = _chain(n)
        data = model.createData()
        none = np.zeros(n)

        def rates(_: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], none)])

        def run() -> np.ndarray:
            end = solve_ivp(rates, (0, span), np.zeros(2 * n), method="DOP853", rtol=rtol, atol=0.1 * rtol).y[:, -1]
            pin.forwardKinematics(model, data, end[:n])
            return data.oMi[min(5, n)].act(np.array([1.0, 0, 0]))[:2]

        return run

    return prepare


def _ring(span: float, h: float) -> Callable[[], Run]:
    def prepare() -> Run:
        model = _bricard()
        data = model.createData()
        P6 = np.array([0.0, 0, 1])
        last = model.njoints - 1
        here = pin.SE3(np.eye(3), np.array([0.0, 1.0, 0.0]))  # P6 in the last rod
        # two points of the last axis on ground: a hinge, one equation too many
        contacts = [
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, model, last, here * pin.SE3(np.eye(3), shift), 0, pin.SE3(np.eye(3), P6 + shift),
                pin.ReferenceFrame.LOCAL,
            )
            for shift in (np.zeros(3), np.array([1.0, 0, 0]))
        ]  # fmt: skip
        for c in contacts:
            c.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(100.0, 20.0))
        contacts, known = (
            pin.StdVec_RigidConstraintModel(contacts),
            pin.StdVec_RigidConstraintData([c.createData() for c in contacts]),
        )
        pin.initConstraintDynamics(model, data, contacts, known)
        settings = pin.ProximalSettings(1e-12, PROXIMAL, 10)
        none, n = np.zeros(5), round(span / h)

        def rates(y: np.ndarray) -> np.ndarray:
            vdot = pin.constraintDynamics(model, data, y[:5], y[5:], none, contacts, known, settings)
            return np.concatenate([y[5:], vdot])

        def run() -> np.ndarray:
            y = np.zeros(10)
            for _ in range(n):
                a = rates(y)
                b = rates(y + 0.5 * h * a)
                c = rates(y + 0.5 * h * b)
                d = rates(y + h * c)
                y = y + h / 6 * (a + 2 * b + 2 * c + d)
            pin.forwardKinematics(model, data, y[:5])
            return data.oMi[2].act(np.array([0.0, -1.0, 0.0]))

        return run

    return prepare
