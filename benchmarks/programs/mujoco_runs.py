"""The problems in MuJoCo: nested bodies on hinges, loops closed by `connect` at the stiffest setting that stays stable.

Its default constraints are soft (a slider-crank is 17 rad off after 10 s), so a time constant of two steps and an impedance
of 0.9999 are taken throughout; `mj_step` runs all steps in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np

import benchmark_machines as machines
from benchmarks import dynamics
from benchmarks.programs.problems import G, Problem
from benchmarks.programs.setting import Run, Setting

Read = Callable[[Any, Any], np.ndarray]
METHODS = ("RK4", "implicitfast")
STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
STIFF = 'solref="{two_h} 1" solimp="0.9999 0.9999 0.001"'


def _text(bodies: str, h: float, method: str, gravity: str = f"0 {-G} 0", equality: str = "", more: str = "") -> str:
    return f"""<mujoco><compiler angle="radian" inertiafromgeom="false" autolimits="true"/>
      <option timestep="{h}" integrator="{method}" gravity="{gravity}" tolerance="1e-14" iterations="200">
      <flag contact="disable"/></option><worldbody>{bodies}</worldbody>
      <equality>{equality.replace("STIFF", STIFF.format(two_h=2 * h))}</equality>{more}</mujoco>"""


def _vector(x: Any) -> str:
    return " ".join(repr(float(a)) for a in x)


def _body(name: str, pos: Any, com: Any, mass: float, J: Any, inside: str, axis: str = "0 0 1", joint: str = "hinge") -> str:
    return f"""<body name="{name}" pos="{_vector(pos)}"><joint name="{name}" type="{joint}" axis="{axis}"/>
      <inertial pos="{_vector(com)}" mass="{mass}" diaginertia="{_vector(J)}"/>{inside}</body>"""


def _connect(a: str, b: str, anchor: Any) -> str:
    """The anchor is a point of body a."""
    return f'<connect body1="{a}" body2="{b}" anchor="{_vector(anchor)}" STIFF/>'


def chain(n: int, h: float, method: str) -> tuple[Any, dict[str, float], Read]:
    spec = mujoco.MjSpec.from_string(_text("", h, method))
    body = spec.worldbody
    for k in range(n):
        body = body.add_body(
            name=f"rod{k}", pos=[float(k > 0), 0, 0], mass=1.0, ipos=[0.5, 0, 0], inertia=[1e-3, 1 / 12, 1 / 12]
        )
        body.explicitinertial = True
        body.add_joint(name=f"rod{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    last = min(4, n - 1)

    def tip(m: Any, d: Any) -> np.ndarray:
        k = m.body(f"rod{last}").id
        return (d.xpos[k] + d.xmat[k].reshape(3, 3)[:, 0])[:2]

    return spec.compile(), {}, tip


def slider_crank(h: float, method: str) -> tuple[Any, dict[str, float], Read]:
    r, L = dynamics.CRANK, dynamics.ROD
    beta = np.arcsin(r / L)
    rod = f"""<body name="rod" pos="0 {r} 0" euler="0 0 {-beta}"><joint name="rod" axis="0 0 1"/>
      <inertial pos="{L / 2} 0 0" mass="2" diaginertia="0.05 0.05 0.05"/></body>"""
    crank = _body("crank", (0, 0, 0), (0, r / 2, 0), 1.0, (0.01,) * 3, rod)
    slider = _body("slider", (L * np.cos(beta), 0, 0), (0, 0, 0), 1.0, (0.01,) * 3, "", axis="1 0 0", joint="slide")
    m = mujoco.MjModel.from_xml_string(_text(crank + slider, h, method, equality=_connect("rod", "slider", (L, 0, 0))))
    # at the start the rod does not turn (the crank is upright), the slider moves as the pin does
    start = {"crank": dynamics.OMEGA, "rod": -dynamics.OMEGA, "slider": -dynamics.OMEGA * r}
    return m, start, lambda m, d: d.joint("crank").qpos + np.pi / 2


def four_bars(n: int, h: float, method: str) -> tuple[Any, dict[str, float], Read]:
    J = (1e-3, 1 / 12, 1 / 12)
    coupler = """<body name="k{i}" pos="0 1 0"><joint name="k{i}" axis="0 0 1"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="{J}"/></body>"""
    bodies, joined, start = "", "", {}
    for i in range(n + 1):
        inside = coupler.format(i=i, J=_vector(J)) if i < n else ""
        bodies += _body(f"c{i}", (i, 0, 0), (0, 0.5, 0), 1.0, (1 / 12, 1e-3, 1 / 12), inside)
        start[f"c{i}"] = -1.0
        if i < n:
            joined += _connect(f"k{i}", f"c{i + 1}", (1, 0, 0))
            start[f"k{i}"] = 1.0
    m = mujoco.MjModel.from_xml_string(_text(bodies, h, method, equality=joined))
    return m, start, lambda m, d: d.joint("c0").qpos + np.pi / 2


def bricard(h: float, method: str) -> tuple[Any, dict[str, float], Read]:
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    inside, axes = "", "yzxyz"
    for k in range(4, -1, -1):
        along = P[k + 1] - P[k]
        J = np.where(along != 0, 0.01 / 6, 1.01 / 12)
        inside = _body(
            f"rod{k}",
            P[k] - (P[k - 1] if k else 0),
            along / 2,
            1.0,
            J,
            inside,
            axis=_vector(np.eye(3)["xyz".index(axes[k])]),
        )
    joined = _connect("rod4", "world", (0, 1, 0)) + _connect("rod4", "world", (1, 1, 0))
    m = mujoco.MjModel.from_xml_string(_text(inside, h, method, equality=joined))

    def place(m: Any, d: Any) -> np.ndarray:
        k = m.body("rod1").id
        return d.xpos[k] + d.xmat[k].reshape(3, 3) @ (P[2] - P[1])

    return m, {}, place


def flyball(h: float, method: str) -> tuple[Any, dict[str, float], Read]:
    model = machines.flyball()
    c = 5.15 / 5.3
    hung = ""
    for name, side in (("right", 1), ("left", -1)):
        turn = np.pi / 6 if side > 0 else np.pi - np.pi / 6
        J = [model.value(row[i]) for i, row in enumerate(model[name].inertia)]
        hung += f"""<body name="{name}" pos="{0.05 * side} 0 0.5" euler="0 {turn} 0"><joint name="{name}" axis="0 1 0"/>
          <inertial pos="{c} 0 0" mass="5.3" diaginertia="{_vector(J)}"/><site name="m{name}" pos="0.5 0 0"/></body>"""
    sites = '<site name="sright" pos="0.05 0 0"/><site name="sleft" pos="-0.05 0 0"/>'
    slider = _body("slider", (0, 0, 0), (0, 0, 0), 3.0, (0.005,) * 3, sites, axis="0 0 1", joint="slide")
    J = (0.3 * 1.0001 / 12, 0.3 * 1.0001 / 12, 0.3 * 2e-4 / 12)
    shaft = _body("shaft", (0, 0, 0.5), (0, 0, 0), 0.3, J, slider + hung)
    springs = "".join(
        f'<spatial name="t{s}" stiffness="8e5" damping="4e4" springlength="0.5"><site site="s{s}"/>'
        f'<site site="m{s}"/></spatial>'
        for s in ("right", "left")
    )
    m = mujoco.MjModel.from_xml_string(_text(shaft, h, method, gravity=f"0 0 {-G}", more=f"<tendon>{springs}</tendon>"))
    return m, {"shaft": 2 * np.pi}, lambda m, d: 0.5 + d.joint("slider").qpos


MACHINES: dict[str, Callable[[float, str], tuple[Any, dict[str, float], Read]]] = {
    **{f"chain-{n}": (lambda h, method, n=n: chain(n, h, method)) for n in (1, 10, 100)},
    "slider-crank": slider_crank,
    "four-bars-1": lambda h, method: four_bars(1, h, method),
    "four-bars-40": lambda h, method: four_bars(40, h, method),
    "bricard": bricard,
    "flyball": flyball,
}


def settings(problem: Problem) -> Iterator[Setting]:
    if problem.name not in MACHINES:
        return
    for method in METHODS:
        for h in STEPS:
            if problem.name == "four-bars-40" and h < 1e-3:
                continue  # minutes, and its error at 1e-3 is not of the step
            yield Setting("MuJoCo", f"{method} h={h:g}", _prepared(MACHINES[problem.name], problem.span, h, method))


def _prepared(build: Callable, span: float, h: float, method: str) -> Callable[[], Run]:
    def prepare() -> Run:
        m, start, read = build(h, method)
        d = mujoco.MjData(m)

        def run() -> np.ndarray:
            mujoco.mj_resetData(m, d)
            for joint, rate in start.items():
                d.joint(joint).qvel = rate
            mujoco.mj_step(m, d, nstep=round(span / h))
            mujoco.mj_forward(m, d)
            return np.asarray(read(m, d)).copy()

        return run

    return prepare
