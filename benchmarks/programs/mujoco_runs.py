"""The problems in MuJoCo: nested bodies on hinges, loops closed by `connect` at the stiffest setting that stays stable.

Its default constraints are soft (a slider-crank is 17 rad off after 10 s), so a time constant of two steps and an impedance
of 0.9999 are taken throughout; `mj_step` runs all steps in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np

from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Run, Setting
from benchmarks.programs.trees import TREES, WORLD, Tree, kept

METHODS = ("RK4", "implicitfast")
STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)


def built(tree: Tree, h: float, method: str) -> Any:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep, spec.option.gravity = h, tree.gravity
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{method.upper()}")
    spec.option.tolerance, spec.option.iterations = 1e-14, 200
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    bodies = {WORLD: spec.worldbody}
    for link in tree.links:
        angle, axis = link.turn
        quat = [np.cos(angle / 2), *(np.sin(angle / 2) * np.array(axis))]
        body = bodies[link.parent].add_body(
            name=link.name, pos=link.at, quat=quat, mass=link.mass, ipos=link.com, inertia=link.J, explicitinertial=True
        )
        kind = mujoco.mjtJoint.mjJNT_SLIDE if link.slides else mujoco.mjtJoint.mjJNT_HINGE
        body.add_joint(name=link.name, type=kind, axis=link.axis)
        bodies[link.name] = body
    for pin in tree.pins:
        e = spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, name1=pin.a, name2=pin.b, objtype=mujoco.mjtObj.mjOBJ_BODY,
            solref=[2 * h, 1], solimp=[0.9999, 0.9999, 0.001, 0.5, 2],
        )  # fmt: skip
        e.data[:3] = pin.P
    for i, s in enumerate(tree.springs):
        tendon = spec.add_tendon(name=f"t{i}", stiffness=s.k, damping=s.c, springlength=[s.length, s.length])
        for end, (body, at) in {"a": (s.a, s.P), "b": (s.b, s.Q)}.items():
            bodies[body].add_site(name=f"{end}{i}", pos=at)
            tendon.wrap_site(f"{end}{i}")
    return spec.compile()


def settings(problem: Problem) -> Iterator[Setting]:
    if problem.name not in TREES or problem.name == "chain-1000":  # its dense factors take minutes a run
        return
    for method in METHODS:
        for h in STEPS:
            if problem.name == "four-bars-40" and h < 1e-3:
                continue  # minutes, and its error at 1e-3 is not of the step
            yield Setting("MuJoCo", f"{method} h={h:g}", _prepared(TREES[problem.name], problem.span, h, method))


def _prepared(build: Callable[[], Tree], span: float, h: float, method: str) -> Callable[[], Run]:
    def prepare() -> Run:
        tree = build()
        m = built(tree, h, method)
        d = mujoco.MjData(m)
        seen = m.body(tree.link).id

        def run() -> np.ndarray:
            mujoco.mj_resetData(m, d)
            d.qvel[:] = [0.0] * m.nv
            for link in tree.links:
                if link.rate:
                    d.joint(link.name).qvel = link.rate
            mujoco.mj_step(m, d, nstep=round(span / h))
            mujoco.mj_forward(m, d)
            if tree.P is None:
                return d.joint(tree.link).qpos + tree.offset
            return (d.xpos[seen] + d.xmat[seen].reshape(3, 3) @ np.array(tree.P))[list(tree.which)]

        def state() -> dict[str, tuple[float, float]]:
            joints = {link.name: d.joint(link.name) for link in tree.links}
            return {k: (float(j.qpos[0]), float(j.qvel[0])) for k, j in joints.items()}

        stages = 4 if method == "RK4" else 1
        return Run(run, lambda: kept(tree, state()), lambda: stages * round(span / h))

    return prepare
