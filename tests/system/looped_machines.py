"""Machines for loops over elements, and the same compiled as a whole to compare with."""

import numpy as np

import linkwright as lw
from linkwright.graph import evaluate
from linkwright.system import System
from linkwright.system.forces import Loads
from linkwright.system.looped import LoopedSystem
from linkwright.system.mass import inertia
from linkwright.system.system import curve_parameters

# Both sides round differently; the random machines' matrices have condition numbers up to about 1e4.
TOLERANCE = 1e-10


def whole(model, q, v, t):
    """Phi, Phi_v, nu, M, Q - h, gamma of the whole system, node by node, with nothing compiled; and the whole matrix."""
    s = System(model)
    mass, loads = inertia(model, s.coordinates), Loads(s.geometry)
    inputs = dict(zip(s.inputs, (q, v, [t], s.b(s.model), np.zeros(len(s.inputs["turns"])), np.zeros(s.nv)), strict=True))
    given = {x: float(y) for k, a in s.inputs.items() for x, y in zip(a, inputs[k], strict=True)}
    wanted = (s.residuals, s.Phi_v.dense(), s.nu, mass.M.dense(), mass.h, loads.Q, s.gamma)
    flat = [np.ravel(np.asarray(x, dtype=object)) for x in wanted]
    values = np.array(evaluate([x for part in flat for x in part], given), dtype=float)
    parts = np.split(values, np.cumsum([len(x) for x in flat])[:-1])
    Phi, J, nu, M, h, Q, gamma = (x.reshape(np.shape(w)) for x, w in zip(parts, wanted, strict=True))
    m = len(gamma)
    K = np.block([[M, J.T], [J, np.zeros((m, m))]])
    return s.row_names, Phi, J, nu, M, Q - h, gamma, K


def close(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    if a.size:
        assert np.abs(a - b).max() <= TOLERANCE * (1 + np.abs(b).max())


def agree(model, q, v, t=0.3):
    names, Phi, J, nu, M, right, gamma, K = whole(model, q, v, t)
    x = np.linalg.solve(K, np.concatenate([right, gamma]))
    looped = LoopedSystem(model)
    assert looped.row_names == names
    close(looped.Phi(q, t), Phi)
    close(looped.Phi_v(q, t).toarray(), J)
    close(looped.nu(q, t), nu)
    own = looped.terms(q, v, t)
    for mine, theirs in zip((own[0].toarray(), own[1].toarray(), *own[2:]), (M, J, right, gamma), strict=True):
        close(mine, theirs)
    vdot, lam, _ = looped.accelerations(q, v, t)
    close(np.concatenate([vdot, lam]), x)
    # twice: nothing of an evaluation stays behind
    again, lam_again, _ = looped.accelerations(q, v, t)
    assert np.array_equal(vdot, again)
    assert np.array_equal(lam, lam_again)
    return looped


def state(model, rng):
    n = sum(not b.is_ground for b in model.bodies.values())
    extra = sum(len(curve_parameters(e)) for e in model.elements.values())
    if model.dimension == 2:
        return rng.normal(size=3 * n + extra), rng.normal(size=3 * n + extra)
    q = rng.normal(size=(n, 7))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    return np.concatenate([q.ravel(), rng.normal(size=extra)]), rng.normal(size=6 * n + extra)


def turned(rng):
    return (tuple(rng.normal(size=3)), float(rng.normal()))


def curves(dimension, seed=7):
    """Every pair with a curve, some with other numbers, some with another outline; laws and a driver of a parameter."""
    rng = np.random.default_rng(seed)
    m = lw.PlanarModel("curves") if dimension == 2 else lw.SpatialModel("curves")
    bodies = [m.ground, *[add_body(m, k, rng) for k in range(4)]]
    r = m.parameter("r", 1.2)
    wave = lw.Curve.table(alpha=[0, 0.5, 1.0, 1.5, 2.0], x=[0, 0.6, 1, 1.4, 2], y=[0, 0.3, 0.1, -0.2, 0.4])
    outlines = [lw.Curve.polar(lambda a: r + 0.1 * lw.cos(a)), lw.Curve.polar(lambda a: 2 * r + 0.3 * lw.cos(a)), wave]
    for k, outline in enumerate(outlines):
        i, j = bodies[1 + k], bodies[k]
        if dimension == 2:
            on = i.curve(outline, at=tuple(rng.normal(size=2)), angle=0.3 * k)
            if k < 2:
                m.add(lw.CamFollower(f"roller{k}", on, j.curve(lw.Curve.polar(0.1 + 0.1 * k), at=(0.2, 0.1 * k))))
            if k > 0:
                m.add(lw.CamFlat(f"flat{k}", on, j.at(*rng.normal(size=2), angle=0.5)))
        else:
            on = i.curve(outline, at=tuple(rng.normal(size=3)), rotation=turned(rng))
        m.add(lw.PointFollower(f"pin{k}", j.at(*rng.normal(size=dimension)), on))
        m.add(lw.Force(f"law{k}", m.elements[f"pin{k}"].alpha, lambda s, v, t, c=k + 1.5: -c * s - v))
    m.add(lw.Driver("motor", m.elements["pin0"].alpha, "0.3*t"))
    return m


def add_body(m, k, rng):
    mass = 1 + rng.random()
    com = tuple(rng.normal(size=m.dimension) * (k % 3 > 0))
    if m.dimension == 2:
        return m.body(f"b{k}", mass=mass, inertia=1 + rng.random(), com=com)
    X = rng.normal(size=(3, 3))
    J = np.diag(1 + rng.random(3)) if k % 2 else X @ X.T + np.eye(3)
    return m.body(f"b{k}", mass=mass, inertia=((J + J.T) / 2).tolist(), com=com)


SPATIAL = ["Revolute", "Translational", "Cylindrical", "Spherical", "Universal", "ConstantVelocity", "Planar", "Fixed",
           "Orientation", "ParallelAxes", "PerpendicularAxes", "RevoluteCylindrical", "RevoluteTranslational", "Strut",
           "PointOnLine", "PointOnPlane"]  # fmt: skip


def spatial_joint(kind, name, P, Q):
    if kind in ("Distance", "RevoluteSpherical", "RevoluteRevolute"):
        return getattr(lw, kind)(name, P, Q, length=0.7)
    if kind == "Screw":
        return lw.Screw(name, P, Q, pitch=0.02)
    return getattr(lw, kind)(name, P, Q)


def chain(N, seed=1, spread=0.3):
    """An open chain of revolute joints about y and z in turn, in a random assembled state."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    m = lw.SpatialModel("chain", gravity=(0, 0, -9.81))
    before, A = m.ground, Rotation.identity()
    end, end_v, omega, q, v = np.zeros(3), np.zeros(3), np.zeros(3), [], []
    for k in range(N):
        axis = np.array([0, 1, 0] if k % 2 == 0 else [0, 0, 1])
        omega = omega + A.apply(axis) * rng.normal() * spread
        A = A * Rotation.from_rotvec(axis * rng.normal() * spread)
        arm = A.apply([0.5, 0, 0])
        p = A.as_quat(scalar_first=True)
        body = m.body(f"b{k}", mass=1 + rng.random(), inertia=tuple(0.1 + 0.05 * rng.random(3)))
        C = ((1, 0, 0), -np.pi / 2) if k % 2 == 0 else ((1, 0, 0), 0.0)
        m.add(lw.Revolute(f"j{k}", before.at(0.5 if k else 0.0, 0, 0, rotation=C), body.at(-0.5, 0, 0, rotation=C)))
        q += [*(end + arm), *p]
        v += [*(end_v + np.cross(omega, arm)), *A.inv().apply(omega)]
        end, end_v, before = end + 2 * arm, end_v + 2 * np.cross(omega, arm), body
    return m, np.array(q), np.array(v)
