"""URDF that example-robot-data ships, against Pinocchio's own reader (dependency group `peers`), to 1e-9 of the largest
value; every one of them by `python -m benchmarks --only robots`."""

import numpy as np
import pytest

import linkwright as lw
from robots_of_others import WRONG, against_pinocchio, urdf_files

pin = pytest.importorskip("pinocchio", reason="Pinocchio is a peer, installed by `pip install --group peers`")
FEW = {"panda", "ur5_robot", "solo12", "double_pendulum", "icub_reduced", "alex_psyonic_hands", "tiago_pro", "baxter"}
FILES = [f for f in urdf_files() if f.stem in FEW]
pytestmark = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_a_robot_moves_as_in_pinocchio(file):
    if file.name in WRONG:
        with pytest.raises(lw.FileError, match=WRONG[file.name]):
            lw.load(file)
        return
    assert max(against_pinocchio(file).values()) < 1e-9


@pytest.mark.parametrize("name", ["panda.urdf", "tiago_pro.urdf", "baxter.urdf"])
def test_mimics_tie_joints_as_in_pinocchio(name):
    """The mass matrix of the joints that move by themselves: G^T M G with the rates G of the couplers."""
    file = next(f for f in FILES if f.name == name)
    model, other = lw.load(file), pin.buildModelFromUrdf(str(file), mimic=True)
    ties = [e for e in model.elements.values() if isinstance(e, lw.Coupler)]
    js = lw.joint_space(model.without(*(e.name for e in ties)))
    at = {name: k for k, name in enumerate(js.names)}
    G, free = np.eye(js.nv), list(range(js.nv))
    for e in ties:
        (own, _), (master, factor) = ((q.data.rpartition(".")[0], f) for q, f in e.terms)
        G[at[own]] = -factor * G[at[master]]
        free.remove(at[own])
    ours = G[:, free].T @ js.M(js.neutral()) @ G[:, free]
    numbers = {n.replace(".", "_"): other.joints[other.getJointId(n)] for n in other.names}
    order = [numbers[js.names[k]].idx_v for k in free]
    data = other.createData()
    M = np.array(pin.crba(other, data, pin.neutral(other)))
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(ours, M[np.ix_(order, order)], rtol=0, atol=1e-9 * np.abs(M).max())
