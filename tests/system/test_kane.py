"""Kane's equations against those with all multipliers: accelerations and multipliers of random machines."""

import numpy as np
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright.analyses.assemble import close
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.compile import Function
from linkwright.solve.rank import independent_rows
from linkwright.system.kane import Kane

KINDS = (lw.Revolute, lw.Translational, lw.Cylindrical, lw.Spherical, lw.Universal, lw.Planar, lw.Fixed)


def random_machine(rng, count, loop):
    """A tree of bodies that fits as estimated, perhaps with a rod and a driver that close loops."""
    m = lw.SpatialModel("machine", gravity=(0.5, 0.2, -9.81))
    bodies = [m.ground]
    for k in range(count):
        b = m.body(
            f"b{k}",
            mass=rng.uniform(1, 2),
            inertia=rng.uniform(0.5, 1, 3),
            com=rng.normal(size=3) * 0.3,
            position=rng.normal(size=3),
        )
        parent = bodies[rng.integers(k + 1)]
        axis, P = (rng.normal(size=3), rng.uniform(-3, 3)), rng.normal(size=3)
        here = np.array([m.value(x) for x in parent.estimate.position]) if k and not parent.is_ground else np.zeros(3)
        there = np.array([m.value(x) for x in b.estimate.position])
        kind = KINDS[rng.integers(len(KINDS))]
        ends = [parent.at(*(P - here), rotation=axis), b.at(*(P - there), rotation=axis)]
        if kind is lw.Universal:  # the second arm across the first
            turned = Rotation.from_rotvec(np.array(axis[0]) / np.linalg.norm(axis[0]) * axis[1]) * Rotation.from_euler(
                "x", 90, degrees=True
            )
            ends[1] = b.at(*(P - there), rotation=turned.as_matrix())
        if rng.random() < 0.4:
            ends.reverse()
        m.add(kind(f"J{k}", *ends))
        bodies.append(b)
    if loop:
        last = bodies[-1]
        place = np.array([m.value(x) for x in last.estimate.position])
        m.add(
            lw.Distance(
                "rod", m.ground.at(0.3, -0.4, 0.2), last.at(0, 0, 0), float(np.linalg.norm(place - [0.3, -0.4, 0.2]))
            )
        )
    return m


def test_kane_equals_multipliers():
    """1e-9 of the largest entry: rounding times the condition of the equations of motion, up to some 1e5 here."""
    rng = np.random.default_rng(4)
    for case in range(8):
        model = random_machine(rng, 4, loop=case % 2 == 1)
        machine = LoadedMachine(model)
        q = close(machine, 0.0).q
        s = machine.system
        tree = set(Kane(s, []).spanning.joints)
        mask = np.array([r.element.name in tree for r in s.rows])
        kept, _ = independent_rows(machine.Phi_and_J(q, 0.0)[1], machine.scale, mask)
        kane = Kane(s, list(kept))
        Q = [x - h for x, h in zip(s.loads.Q, s.inertia.h, strict=True)]
        vdot, lam = kane.solve(Q)
        f = Function("kane", s.load_inputs, {"R": kane.R, "vdot": vdot, "lam": lam})
        still = machine.load_args(q, np.zeros(s.nv), 0.0)
        v = f(*still)[0] @ rng.normal(size=kane.R.shape[1])
        J = machine.Phi_and_J(q, 0.0)[1]
        v -= np.linalg.lstsq(J, J @ v, rcond=None)[0]  # what the loop allows
        _, found, multipliers = f(*machine.load_args(q, v, 0.0))
        expected = machine.solve(q, v, 0.0)
        assert np.abs(found - expected.vdot).max() < 1e-9 * (1 + np.abs(expected.vdot).max())
        forces = J[kept].T @ multipliers
        assert np.abs(forces - J.T @ expected.lam).max() < 1e-8 * (1 + np.abs(forces).max())
