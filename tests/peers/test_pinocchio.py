"""An outside oracle, where it is installed (dependency group `peers`): Pinocchio on the same random trees."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.equations.spatial_vectors import mass_centre_inertia, place

pin = pytest.importorskip("pinocchio", reason="Pinocchio is a peer, installed by `pip install --group peers`")


def random_tree(rng, count):
    m = lw.SpatialModel("tree", gravity=(0.3, -0.2, -9.81))
    bodies = [m.ground]
    for k in range(count):
        b = m.body(f"b{k}", mass=rng.uniform(0.5, 2), inertia=rng.uniform(0.5, 1, 3), com=rng.normal(size=3))
        ends = [
            x.at(*rng.normal(size=3), rotation=(rng.normal(size=3), rng.uniform(-3, 3)))
            for x in (bodies[rng.integers(k + 1)], b)
        ]
        m.add((lw.Revolute, lw.Translational, lw.Spherical)[rng.integers(3)](f"J{k}", *ends))
        bodies.append(b)
    return m


def as_pinocchio(tree):
    """The same tree; Pinocchio's quaternions are scalar last, its motion vectors linear first."""
    model = pin.Model()
    model.gravity.linear = np.array(tree.gravity)
    kinds = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ, "spherical": pin.JointModelSpherical}
    for k, joint in enumerate(tree.joint):
        E, r = (np.asarray(x, dtype=float) for x in place(tree.Xtree[k]))
        number = model.addJoint(tree.parent[k] + 1, kinds[joint.name](), pin.SE3(E.T, r), f"J{k}")
        mass, c, J = mass_centre_inertia(np.asarray(tree.inertia[k], dtype=float))
        model.appendBodyToJoint(
            number, pin.Inertia(float(mass), np.asarray(c, float), np.asarray(J, float)), pin.SE3.Identity()
        )
    return model


def test_forward_inverse_and_mass_matrix_agree():
    """To 1e-9 of the largest entry: both are right to rounding times the condition of the mass matrix."""
    rng = np.random.default_rng(8)
    for _ in range(5):
        js = lw.joint_space(random_tree(rng, 6))
        model = as_pinocchio(js.tree)
        data = model.createData()
        q, theirs = [], []
        for joint in js.tree.joint:
            own = rng.normal(size=joint.nq)
            if joint.name == "spherical":
                own /= np.linalg.norm(own)
            q += list(own)
            theirs += [*own[1:], own[0]] if joint.name == "spherical" else list(own)
        q, theirs, v, u = np.array(q), np.array(theirs), rng.normal(size=js.nv), rng.normal(size=js.nv)
        # its crba wants bodies numbered depth first, ours are breadth first: columns by its Newton-Euler instead
        still = np.zeros(js.nv)
        h = np.array(pin.rnea(model, data, theirs, still, still))
        M = np.column_stack([np.array(pin.rnea(model, data, theirs, still, e)) - h for e in np.eye(js.nv)])
        for ours, other in (
            (js.M(q), M),
            (js.forward(q, v, u), pin.aba(model, data, theirs, v, u)),
            (js.inverse(q, v, u), pin.rnea(model, data, theirs, v, u)),
        ):
            assert np.allclose(ours, other, rtol=0, atol=1e-9 * np.abs(other).max())
