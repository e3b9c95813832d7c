"""Robots that come with other programs, against those programs: what differs at a random state, of the largest value.

Of a URDF Pinocchio tells masses, positions, bias forces and accelerations; of MJCF MuJoCo does, without its constraints,
springs and dampers. Both sides are right to rounding times the condition of the mass matrix.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np

import linkwright as lw

WRONG = {  # files that are not right, and why not
    "alex_psyonic_hands.urdf": "there is no joint 'index_q1'",
    "romeo_laas_small.urdf": "a principal moment of inertia is negative",
    "ur3.urdf": "the robot has no <link>",
}
LIGHT = {"romeo.urdf"}  # joints that carry nothing: no program gives accelerations


def urdf_files():
    found = importlib.util.find_spec("pinocchio")
    if found is None:
        return []
    folder = Path(found.origin).parents[4] / "share" / "example-robot-data" / "robots"
    return sorted(folder.glob("**/*.urdf"))


def mjcf_files():
    """Of every package that is at hand, whole scenes and parts of scenes."""
    out = []
    for package in ("gymnasium", "dm_control", "mujoco"):
        found = importlib.util.find_spec(package)
        for path in sorted(Path(found.origin).parent.glob("**/*.xml")) if found else ():
            with path.open("rb") as stream:
                if b"<mujoco" in stream.read(4000):
                    out.append(path)
    return out


def _off(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.abs(ours - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0)))


# -- URDF and Pinocchio --------------------------------------------------------------------------------------------------


def against_pinocchio(file):
    """By what is compared, the difference."""
    import pinocchio as pin

    model, other = lw.load(file), pin.buildModelFromUrdf(str(file))
    ties = [n for n, e in model.elements.items() if isinstance(e, lw.Coupler | lw.Constraint)]  # it takes mimics for free
    js, data = lw.joint_space(model.without(*ties)), other.createData()
    rng = np.random.default_rng(1)
    q, v, u = np.zeros(js.nq), np.zeros(js.nv), np.zeros(js.nv)
    theirs_q, theirs_v, theirs_u = pin.neutral(other).copy(), np.zeros(other.nv), np.zeros(other.nv)
    order = np.zeros(js.nv, dtype=int)
    for k, number in _joints(js, other, model):
        own, speed, joint = js.tree.configuration()[k], js.tree.speeds()[k], other.joints[number]
        x, v[speed], u[speed] = rng.uniform(-2, 2), rng.normal(), rng.normal()
        q[own] = x
        theirs_q[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
        order[speed] = joint.idx_v
    theirs_v[order], theirs_u[order] = v, u
    masses = sum(model.value(b.mass) for b in model.bodies.values())
    pin.framesForwardKinematics(other, data, theirs_q)
    poses, places = js.poses(q), 0.0
    for frame in (f for f in other.frames if f.type == pin.FrameType.BODY):
        place = data.oMf[other.getFrameId(frame.name, pin.FrameType.BODY)]
        r, A = poses[{"ground": "ground_link"}.get(frame.name, frame.name.replace(".", "_"))]
        places = max(places, _off(r, place.translation), _off(A, place.rotation))
    h = np.array(pin.rnea(other, data, theirs_q, theirs_v, np.zeros(other.nv)))[order]
    out = {"mass": _off(masses, sum(x.mass for x in other.inertias)), "places": places, "forces": _off(js.h(q, v), h)}
    if Path(file).name not in LIGHT:
        a = np.array(pin.aba(other, data, theirs_q, theirs_v, theirs_u))[order]
        out["accelerations"] = _off(js.forward(q, v, u), a)
    return out


def _joints(js, other, model):
    """Pinocchio's number of each joint of ours; a name with a dot, or that a link has, too, is another one here."""
    names = {}
    for name in other.names:
        ours = name.replace(".", "_")
        names[f"{ours}_joint" if ours in model.bodies else ours] = other.getJointId(name)
    return [(k, names[name]) for k, name in enumerate(js.spanning.joints) if js.tree.joint[k].nv]


# -- MJCF and MuJoCo -----------------------------------------------------------------------------------------------------


def against_mujoco(file, axes=False):
    """By what is compared, the difference; nothing where there is nothing that moves. axes: MuJoCo is given our principal
    axes and moments of inertia, and how far they are from its own is told."""
    import mujoco

    model = lw.load(file, package_dirs=_above(file))
    before = Path.cwd()
    os.chdir(Path(file).parent)  # some files include others by that
    try:
        other = mujoco.MjModel.from_xml_path(str(file))
    finally:
        os.chdir(before)
    masses = sum(model.value(b.mass) for b in model.bodies.values())
    out = {"mass": _off(masses, other.body_mass.sum())}
    if not other.nv:
        return out
    if axes:
        out["inertia"] = _with_our_axes(mujoco, model, other)
    js, data = lw.joint_space(model.without(*ties(model))), mujoco.MjData(other)
    q, v, T, bias, used = js.neutral(), np.zeros(js.nv), np.zeros((other.nv, js.nv)), np.zeros(other.nv), set()
    rng = np.random.default_rng(1)
    for k, joint in enumerate(js.tree.joint):
        if not joint.nv:
            continue
        number = _number(mujoco, other, js.spanning.joints[k], js.spanning.bodies[k].name, used)
        used.add(number)
        at_q, at_v, own = other.jnt_qposadr[number], other.jnt_dofadr[number], js.tree.speeds()[k]
        v[own] = rng.normal(size=joint.nv)
        p = rng.normal(size=4)
        p /= np.linalg.norm(p)
        if joint.nv == 1:
            q[js.tree.configuration()[k]] = data.qpos[at_q] = rng.uniform(-1, 1)
            T[at_v, own] = 1
        elif joint.name == "spherical":
            q[js.tree.configuration()[k]] = data.qpos[at_q : at_q + 4] = p
            T[at_v : at_v + 3, own] = np.eye(3)
        else:  # its velocities are in ground axes, ours in those of the body
            r, A = rng.normal(size=3), np.zeros(9)
            mujoco.mju_quat2Mat(A, p)
            A = A.reshape(3, 3)
            q[js.tree.configuration()[k]] = [*p, *r]
            data.qpos[at_q : at_q + 7] = [*r, *p]
            T[at_v : at_v + 3, own.start + 3 : own.stop], T[at_v + 3 : at_v + 6, own.start : own.start + 3] = A, np.eye(3)
            bias[at_v : at_v + 3] = A @ np.cross(v[own][:3], v[own][3:])
    data.qvel[:] = T @ v
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONSTRAINT, off.mjDSBL_ACTUATION, off.mjDSBL_SPRING, off.mjDSBL_DAMPER):
        other.opt.disableflags |= int(flag)
    other.opt.density = other.opt.viscosity = 0
    other.body_gravcomp[:] = 0
    other.tendon_armature[:] = 0
    for k in range(other.njnt):  # of balls it is told in the notes
        if other.jnt_type[k] == mujoco.mjtJoint.mjJNT_BALL:
            other.dof_armature[other.jnt_dofadr[k] : other.jnt_dofadr[k] + 3] = 0
    mujoco.mj_forward(other, data)
    poses, out["places"] = js.poses(q), 0.0
    for k in range(1, other.nbody):
        if (name := other.body(k).name) in poses:
            r, A = poses[name]
            out["places"] = max(out["places"], _off(r, data.xpos[k]), _off(A, data.xmat[k].reshape(3, 3)))
    M = js.M(q)
    for e in model.elements.values():
        if isinstance(e, lw.Inertia) and e.quantity.op == "symbol":
            k = js.names.index(e.quantity.data.rpartition(".")[0])
            M[k, k] += e.J
    a = T @ np.linalg.solve(M, -js.h(q, v)) + bias
    return out | {"accelerations": _off(a, data.qacc)}


def _with_our_axes(mujoco, model, other):
    """The largest difference of a body's inertia, of its largest entry."""
    worst = 0.0
    for k in range(1, other.nbody):
        if (name := other.body(k).name) in model.bodies and other.body_mass[k] > 0:
            ours, A, p = model.bodies[name].inertia_matrix(), np.zeros(9), np.zeros(4)
            mujoco.mju_quat2Mat(A, other.body_iquat[k])
            theirs = A.reshape(3, 3) * other.body_inertia[k] @ A.reshape(3, 3).T
            worst = max(worst, float(np.abs(ours - theirs).max() / np.abs(ours).max()))
            moments, V = np.linalg.eigh(ours)
            mujoco.mju_mat2Quat(p, np.ascontiguousarray(V * np.linalg.det(V)).ravel())
            other.body_iquat[k], other.body_inertia[k] = p, moments
    return worst


def _above(file):
    """Some files have their meshes beside their folder."""
    return next((p for p in Path(file).parents if p.name == "site-packages"), Path(file).parent)


def _number(mujoco, other, name, body, used):
    """MuJoCo's joint: by name; one without by its body, in order."""
    for word in (name, name.removesuffix("_joint"), name.replace("_", "/"), name.replace("_", ".")):
        if word and (k := mujoco.mj_name2id(other, mujoco.mjtObj.mjOBJ_JOINT, word)) >= 0 and k not in used:
            return k
    body = name.rsplit(" ", 1)[0] if name else body
    if mujoco.mj_name2id(other, mujoco.mjtObj.mjOBJ_BODY, body) < 0:  # "body 3": the third of those without a name
        nameless = [k for k in range(other.nbody) if not other.body(k).name]
        owner = other.body(nameless[int(body.split(" ")[1]) - 1])
    else:
        owner = other.body(body)
    return next(k for k in range(owner.jntadr[0], owner.jntadr[0] + owner.jntnum[0]) if k not in used)


def ties(model):
    """Elements that are no joints of the tree; equalities that have no name are called so."""
    return [n for n, e in model.elements.items() if isinstance(e, lw.Coupler | lw.Constraint) or n.startswith("equality")]
