"""The problems in SymPy and PyDy: Kane's equations derived symbolically, compiled by Cython as its manual recommends, in
scipy's DOP853. Loops have velocities that depend on one, and coordinates that drift. What takes it minutes is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from pydy.codegen.ode_function_generators import generate_ode_function
from scipy.integrate import solve_ivp
from sympy.physics import mechanics as me

from benchmarks import dynamics
from benchmarks.programs.problems import G as GRAVITY
from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Run, Setting
from benchmarks.programs.trees import TREES, kept

G = sp.Symbol("g")  # generated functions take at least one constant
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
State = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Kane:
    """The equations, their start, what is looked at in a state, and the joints' coordinates and rates in it."""

    equations: Any
    start: np.ndarray
    seen: Callable[[np.ndarray], np.ndarray]
    joints: Callable[[np.ndarray], State]


def chain(n: int) -> Kane:
    """Absolute angles: their equations are the shortest."""
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, 0)
    bodies, loads = [], []
    for k in range(n):
        A = N.orientnew(f"A{k}", "Axis", (q[k], N.z))
        A.set_ang_vel(N, u[k] * N.z)
        C, E = P.locatenew(f"C{k}", 0.5 * A.x), P.locatenew(f"E{k}", 1.0 * A.x)
        C.v2pt_theory(P, N, A)
        E.v2pt_theory(P, N, A)
        bodies.append(me.RigidBody(f"rod{k}", C, A, 1, (sp.Rational(1, 12) * me.outer(A.z, A.z), C)))
        loads.append((C, -G * N.y))
        P = E
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=[u[k] - q[k].diff() for k in range(n)])
    kane.kanes_equations(bodies, loads)
    seen = min(5, n)

    def joints(y: np.ndarray) -> State:
        q, rates = np.diff(y[:n], prepend=0.0), np.diff(y[n:], prepend=0.0)
        return {f"rod{k}": (float(q[k]), float(rates[k])) for k in range(n)}

    return Kane(kane, np.zeros(2 * n), lambda y: np.array([np.cos(y[:seen]).sum(), np.sin(y[:seen]).sum()]), joints)


def slider_crank() -> Kane:
    r, L, w = dynamics.CRANK, dynamics.ROD, dynamics.OMEGA
    a, b, x, ua, ub, ux = me.dynamicsymbols("a b x ua ub ux")
    N, O = me.ReferenceFrame("N"), me.Point("O")  # noqa: E741  the origin
    O.set_vel(N, 0)
    A, B = N.orientnew("A", "Axis", (a, N.z)), N.orientnew("B", "Axis", (b, N.z))
    A.set_ang_vel(N, ua * N.z)
    B.set_ang_vel(N, ub * N.z)
    Ca, P = O.locatenew("Ca", r / 2 * A.x), O.locatenew("P", r * A.x)
    Ca.v2pt_theory(O, N, A)
    P.v2pt_theory(O, N, A)
    Cb, Q = P.locatenew("Cb", L / 2 * B.x), P.locatenew("Q", L * B.x)
    Cb.v2pt_theory(P, N, B)
    Q.v2pt_theory(P, N, B)
    S = O.locatenew("S", x * N.x)
    S.set_vel(N, ux * N.x)
    bodies = [
        me.RigidBody("crank", Ca, A, 1, (0.01 * me.outer(A.z, A.z), Ca)),
        me.RigidBody("rod", Cb, B, 2, (0.05 * me.outer(B.z, B.z), Cb)),
        me.Particle("slider", S, 1),
    ]
    gap, rate = Q.pos_from(S), Q.vel(N) - S.vel(N)
    kane = me.KanesMethod(
        N, q_ind=[a], q_dependent=[b, x], u_ind=[ua], u_dependent=[ub, ux],
        kd_eqs=[ua - a.diff(), ub - b.diff(), ux - x.diff()],
        configuration_constraints=[me.dot(gap, N.x), me.dot(gap, N.y)],
        velocity_constraints=[me.dot(rate, N.x), me.dot(rate, N.y)],
    )  # fmt: skip
    kane.kanes_equations(bodies, [(Ca, -G * N.y), (Cb, -2 * G * N.y), (S, -G * N.y)])
    beta = -np.arcsin(r / L)
    begin = np.array([np.pi / 2, beta, L * np.cos(beta), w, 0.0, -w * r])

    def joints(y: np.ndarray) -> State:
        a, b, x = y[:3] - begin[:3]
        return {"crank": (a, y[3]), "rod": (b - a, y[4] - y[3]), "slider": (x, y[5])}

    return Kane(kane, begin, lambda y: y[:1], joints)


MACHINES: dict[str, Callable[[], Kane]] = {
    "chain-1": lambda: chain(1), "chain-10": lambda: chain(10), "slider-crank": slider_crank,
}  # fmt: skip


def settings(problem: Problem) -> Iterator[Setting]:
    if problem.name in MACHINES:
        for rtol in TOLERANCES:
            setting = f"Kane, Cython, scipy DOP853 rtol {rtol:.0e}"
            yield Setting("PyDy", setting, _prepared(problem, rtol))


def _prepared(problem: Problem, rtol: float) -> Callable[[], Run]:
    def prepare() -> Run:
        machine, tree = MACHINES[problem.name](), TREES[problem.name]()
        kane, start = machine.equations, machine.start
        constants = np.array([GRAVITY])
        rates = generate_ode_function(
            kane.forcing_full, kane.q, kane.u, [G], mass_matrix=kane.mass_matrix_full, generator="cython", time_first=True
        )

        ended, count = [start], [0]

        def run() -> np.ndarray:
            moves = lambda t, y: rates(t, y, constants)  # noqa: E731
            solved = solve_ivp(moves, (0, problem.span), start, method="DOP853", rtol=rtol, atol=0.1 * rtol)
            ended[0], count[0] = solved.y[:, -1], solved.nfev
            return machine.seen(ended[0])

        return Run(run, lambda: kept(tree, machine.joints(ended[0])), lambda: count[0])

    return prepare
