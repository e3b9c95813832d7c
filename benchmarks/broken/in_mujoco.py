"""Machines in MuJoCo: bodies that move freely, joints as equality constraints of sites; a guide of the ground is a slide."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks.broken.plain import InexpressibleError, Plain, PlainBody, PlainJoint

ROD = 0.1  # along a hinge: where its second point is held
TREE = ("Translational", "Cylindrical")  # made by the joints of a body, which must be the ground's


def said(machine: Plain, t_end: float) -> dict[str, Any]:
    """What happens: `text` is all that is told, `open` how far joints are open at the end [m, rad]."""
    try:
        model = mujoco.MjModel.from_xml_string(xml(machine))
    except ValueError as error:
        return {"outcome": "refused", "text": str(error)}
    data = mujoco.MjData(model)
    start(machine, model, data)
    steps = round(t_end / model.opt.timestep)
    for _ in range(steps):
        drive(machine, model, data)
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    warnings = [mujoco.mju_warningText(k, w.lastinfo) for k, w in enumerate(data.warning) if w.number]
    # joints and rods: a driver of a machine that starts at rest must lag at first
    held = [model.equality(j.name).id for j in machine.joints if j.kind in ("Revolute", "Spherical", "Fixed", "Distance")]
    rows = (data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY) & np.isin(data.efc_id, held)
    off = float(np.abs(data.efc_pos[rows]).max(initial=0.0))
    return {"outcome": "warned" if warnings else "ran", "text": "; ".join(warnings), "open": off}


def xml(machine: Plain) -> str:
    sites: dict[str, list[str]] = {}
    equality, tendons = [], []
    guides: dict[str, PlainJoint] = {}
    for j in sorted(machine.joints, key=lambda j: j.kind not in TREE):
        if j.kind in TREE:
            own = [b for b in j.bodies if b]
            if len(own) != 1 or own[0] in guides:
                raise InexpressibleError(f"{j.kind} between bodies" if len(own) == 2 else f"a second {j.kind}")
            guides[own[0]] = j
            continue
        for side, (body, point) in enumerate(zip(j.bodies, j.points, strict=True)):
            if j.kind not in ("Driver", "Gear"):
                own_sites = sites.setdefault(body, [])
                own_sites.append(f'<site name="{j.name} {side}" pos="{_text(point)}"/>')
                axis = point + ROD * j.frames[side][:, 2]
                own_sites.append(f'<site name="{j.name} {side} axis" pos="{_text(axis)}"/>')
        equality += _equality(machine, j, guides)
        if j.kind in ("Distance", "Spring"):
            law = f'stiffness="{j.more["k"]}" damping="{j.more["c"]}" springlength="{j.number}"' if j.more else ""
            path = f'<site site="{j.name} 0"/><site site="{j.name} 1"/>'
            tendons.append(f'<spatial name="{j.name}" {law}>{path}</spatial>')
    bodies = "".join(_body(machine, b, guides.get(b.name), sites.get(b.name, [])) for b in machine.bodies)
    return (
        f'<mujoco><option gravity="{_text(machine.gravity)}" timestep="0.001"/><worldbody>{"".join(sites.get("", []))}'
        f"{bodies}</worldbody><equality>{''.join(equality)}</equality><tendon>{''.join(tendons)}</tendon></mujoco>"
    )


def _body(machine: Plain, b: PlainBody, guide: PlainJoint | None, sites: list[str]) -> str:
    J = b.inertia
    full = f"{J[0, 0]} {J[1, 1]} {J[2, 2]} {J[0, 1]} {J[0, 2]} {J[1, 2]}"
    own = f'<inertial pos="{_text(b.com)}" mass="{b.mass}" fullinertia="{full}"/>{"".join(sites)}'
    if guide is not None:
        side = guide.bodies.index(b.name)
        axis = guide.frames[side][:, 0 if machine.dimension == 2 else 2]
        joints = f'<joint name="{b.name} slide" type="slide" axis="{_text(axis)}"/>'
        if guide.kind == "Cylindrical":
            joints += f'<joint name="{b.name} angle" type="hinge" axis="{_text(axis)}" pos="{_text(guide.points[side])}"/>'
        return f'<body name="{b.name}" pos="{_text(b.place)}" quat="{_quat(b.rotation)}">{joints}{own}</body>'
    if machine.dimension == 3:
        return f'<body name="{b.name}" pos="{_text(b.place)}" quat="{_quat(b.rotation)}"><freejoint/>{own}</body>'
    joints = (
        f'<joint name="{b.name} 0" type="slide" axis="1 0 0"/><joint name="{b.name} 1" type="slide" axis="0 1 0"/>'
        f'<joint name="{b.name} 2" type="hinge" axis="0 0 1"/>'
    )
    return f'<body name="{b.name}" pos="{_text(b.place)}">{joints}{own}</body>'


def _equality(machine: Plain, j: PlainJoint, guides: dict[str, PlainJoint]) -> list[str]:
    ends = f'site1="{j.name} 0" site2="{j.name} 1"'
    if j.kind in ("Revolute", "Spherical"):
        out = [f'<connect name="{j.name}" {ends}/>']
        if j.kind == "Revolute" and machine.dimension == 3:
            out.append(f'<connect name="{j.name} axis" site1="{j.name} 0 axis" site2="{j.name} 1 axis"/>')
        return out
    if j.kind == "Fixed":
        return [f'<weld name="{j.name}" {ends}/>']
    if j.kind == "Distance":
        return [f'<tendon name="{j.name}" tendon1="{j.name}" polycoef="0 0 0 0 0"/>']
    if j.kind == "Driver":
        body, k = j.coordinate
        own = f"{body} {k}"
        if body in guides:
            side = guides[body].bodies.index(body)
            if k == 2 or abs(guides[body].frames[side][k, 0]) < 1 - 1e-9:
                raise InexpressibleError("a driver across a slide")
            own = f"{body} slide"
        return [f'<joint name="{j.name}" joint1="{own}" polycoef="0 0 0 0 0"/>']
    if j.kind == "Gear":
        if machine.dimension == 3 or not all(j.bodies):
            raise InexpressibleError("Gear")
        ratio = -j.more["i"] / j.more["j"]
        return [f'<joint name="{j.name}" joint1="{j.bodies[1]} 2" joint2="{j.bodies[0]} 2" polycoef="0 {ratio} 0 0 0"/>']
    return []


def start(machine: Plain, model: Any, data: Any) -> None:
    """The angles of bodies of the plane; lengths of rods against those at the places where bodies are put."""
    if machine.dimension == 2:
        for b in machine.bodies:
            try:
                at = model.joint(f"{b.name} 2").qposadr[0]
            except KeyError:
                continue  # on a guide
            data.qpos[at] = np.arctan2(b.rotation[1, 0], b.rotation[0, 0])
    for j in machine.joints:
        if j.kind == "Distance":
            model.eq_data[model.equality(j.name).id, 0] = j.number - model.tendon_length0[model.tendon(j.name).id]


def drive(machine: Plain, model: Any, data: Any) -> None:
    places = {b.name: b.place for b in machine.bodies}
    for j in machine.joints:
        if j.kind == "Driver":
            body, k = j.coordinate
            model.eq_data[model.equality(j.name).id, 0] = j.motion(data.time) - (places[body][k] if k < 2 else 0.0)


def _text(x: np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in x)


def _quat(A: np.ndarray) -> str:
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, A.reshape(-1))
    return _text(q)
