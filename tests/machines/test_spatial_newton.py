"""Newton's method by Euler parameters, conditioning, and singular points of machines in space.

The book counts ground as a body; here its six columns follow from the others, for no joint notices a motion of the whole.
"""

import numpy as np
import pytest
from spatial_machines import compressor, four_bar, slider_crank

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from planar_machines import five_bar


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def states(m, k):
    """The machine, and its coordinates at all times of a result."""
    machine = Machine(m)
    return machine, np.array([k[name] for name in machine.system.coordinates.q_names]).T


def with_ground(machine, q, t):
    """Velocity matrix of the bodies and ground; ground is held by x, y, z, e1, e2, e3, whose rows at rest are 1 and 1/2."""
    J = machine.Phi_and_J(q, t)[1]
    whole = np.zeros((machine.nv, 6))
    for at_q, at_v in machine.system.coordinates.body_slices().values():
        A = np.asarray(rotations.A(q[at_q][3:]), dtype=float)
        whole[at_v] = np.block([[np.eye(3), -tilde(q[at_q][:3])], [np.zeros((3, 3)), A.T]])
    return np.block([[J, -J @ whole], [np.zeros((6, machine.nv)), np.diag([1, 1, 1, 0.5, 0.5, 0.5])]])


# -- by Euler parameters ------------------------------------------------------------------------------------------------


def by_parameters(machine, q):
    """Phi and its tangent derivative 2 Phi_pi' G by (r, p), with a row of normalisation for each body (Haug 9.6.6)."""
    Phi, J = machine.Phi_and_J(q, 0.0)
    bodies = machine.system.coordinates.body_slices().values()
    F = np.array([*Phi, *(q[s][3:] @ q[s][3:] - 1 for s, _ in bodies)])
    K = np.zeros((len(F), machine.nq))
    for n, (s, w) in enumerate(bodies):
        p = q[s][3:]
        K[: len(Phi), s] = np.hstack([J[:, w][:, :3], 2 * J[:, w][:, 3:] @ np.asarray(rotations.G(p), dtype=float)])
        K[len(Phi) + n, s.start + 3 : s.stop] = 2 * p
    return F, K


def residuals(m, renormalised, steps=6):
    machine = Machine(m)
    q, seen = machine.estimate(), []
    for _ in range(steps):
        F, K = by_parameters(machine, q)
        seen.append(np.abs(F).max())
        q = q - np.linalg.solve(K, F)
        if renormalised:
            for s, _ in machine.system.coordinates.body_slices().values():
                q[s.start + 3 : s.stop] /= np.linalg.norm(q[s.start + 3 : s.stop])
    return np.array(seen)


def test_parameters_of_length_one_keep_newton_quadratic():
    """Tangent derivatives with p brought back to length one at each step: three steps from the book's estimates.

    Left at any length, every second step is spent on the length alone and halves the error only.
    """
    m = slider_crank(driver="pi/2")
    good, poor = residuals(m, True), residuals(m, False)
    assert good[3] < 1e-14
    assert (good[2] / good[1] ** 2, good[1] / good[0] ** 2) == pytest.approx((1, 1), rel=0.8)  # quadratic
    assert poor[4] > 1e-12
    assert (poor[2] / poor[1], poor[4] / poor[3]) == pytest.approx((0.5, 0.5), rel=1e-3)


def test_assembly_keeps_parameters_at_length_one():
    for m in (slider_crank(), four_bar(), compressor()):
        c = lw.assemble(m)
        p = np.array([[c[f"{b}.e{k}"] for k in range(4)] for b in m.bodies if b != "ground"])
        np.testing.assert_allclose(np.linalg.norm(p, axis=1), 1, atol=4e-16)


@pytest.mark.parametrize("make", [slider_crank, four_bar])
def test_both_flavours_are_singular_together(make):
    """|det Phi_q| = 2^(4 nb) |det [Phi_r Phi_pi']|, for the tangent derivative and for the true one."""
    m = make()
    k = lw.kinematics(m, t_eval=[0, 0.1])
    machine, q = states(m, k)
    J = machine.Phi_and_J(q[0], 0.0)[1]
    K = by_parameters(machine, q[0])[1]
    wanted = 2.0 ** (4 * 3) * abs(np.linalg.det(J))
    assert abs(np.linalg.det(K)) == pytest.approx(wanted, rel=1e-10)
    true = np.array(K)
    true[: machine.nv] = np.asarray(lw.equations(m).at((q[0], np.zeros(machine.nv))).Phi_q)
    assert np.abs(true - K).max() > 1e-3  # they do differ
    assert abs(np.linalg.det(true)) == pytest.approx(wanted, rel=1e-10)


# -- how near to singular -------------------------------------------------------------------------------------------------


def test_four_bar_is_nearly_singular():
    """Smallest singular value of the 24 x 24 velocity matrix 0.0332 at t = 0.435; link 2 comes to 19.57 degrees of h1."""
    m = four_bar()
    k = lw.kinematics(m, t_end=2, steps=400)
    machine, q = states(m, k)
    smallest = [np.linalg.svd(with_ground(machine, x, t), compute_uv=False)[-1] for x, t in zip(q, k.t, strict=True)]
    assert min(smallest) == pytest.approx(0.0332, abs=5e-5)
    assert k.t[np.argmin(smallest)] == pytest.approx(0.435, abs=0.0026)
    cosine = k[lw.dot(m["one"].vector(0.750, -0.662, 0), m["two"].vector(0, 1, 0))] / np.hypot(0.750, 0.662)
    apart = np.degrees(np.arccos(np.abs(cosine)))
    assert apart.min() == pytest.approx(19.57, abs=0.005)
    assert k.t[apart.argmin()] == pytest.approx(0.65, abs=0.0026)


@pytest.mark.parametrize(("L", "condition"), [(0.30, 34), (0.27, 47)])
def test_slider_crank_at_the_end_of_its_stroke(L, condition):
    m = slider_crank(L)
    k = lw.kinematics(m, t_end=1, steps=400)
    machine, q = states(m, k)
    n = k["slider.x"].argmin()
    assert np.linalg.cond(with_ground(machine, q[n], k.t[n])) == pytest.approx(condition, abs=0.5)


# -- singular points ------------------------------------------------------------------------------------------------------


def cosine_driven(f):
    """A crank driven by the cosine of its angle: DP1 with f(t)."""
    m = lw.SpatialModel("cosine")
    crank = m.body("crank", orientation=((0, 0, 1), 0.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    m.add(lw.DP1("drive", m.ground.vector(1, 0, 0), crank.vector(1, 0, 0), f=f))
    return m


def test_a_driven_cosine_cannot_pass_its_ends():
    """At -1 the crank may go on or turn back; beyond 1 there is nothing: not for full turns."""
    for steps in (7, 70, 71):  # wherever the grid lies: no silent jump
        with pytest.raises(lw.SingularityError) as stop:
            lw.kinematics(cosine_driven("cos(t)"), t_start=0.5, t_end=4, steps=steps)
        assert stop.value.kind == "bifurcation"
        assert stop.value.time == pytest.approx(np.pi, abs=1e-9)
        np.testing.assert_allclose([b["crank.wz"] for b in stop.value.branches], [1, -1], atol=1e-8)
    for branch, end in ((0, 4.0), (1, 2 * np.pi - 4.0)):
        k = lw.kinematics(cosine_driven("cos(t)"), t_start=0.5, t_end=4, steps=70, branch=branch)
        assert k["A.angle"][-1] % (2 * np.pi) == pytest.approx(end, abs=1e-9)
    with pytest.raises(lw.SingularityError) as stop:
        lw.kinematics(cosine_driven("cos(0.5) + 0.1*t"), t_end=4, steps=70)
    assert stop.value.kind == "lock-up"
    assert stop.value.time == pytest.approx((1 - np.cos(0.5)) / 0.1, abs=1e-9)
    # begun at its end
    m = cosine_driven("-cos(t)")
    m["crank"].guess(orientation=((0, 0, 1), np.pi))
    with pytest.raises(lw.SingularityError) as stop:
        lw.kinematics(m, t_end=1, steps=10)
    assert (stop.value.kind, stop.value.time) == ("bifurcation", 0)
    assert any(f.code == "singular-start" for f in lw.check(m).findings)


def test_branches_of_a_planar_machine_in_space():
    """The five-bar of example 5.1.1 put into space: the same bifurcation, the same two ways on."""
    m = lw.embed(five_bar(1.0))
    with pytest.raises(lw.SingularityError) as stop:
        lw.kinematics(m, t_start=0.5, t_end=2.5, steps=50)
    assert stop.value.kind == "bifurcation"
    assert stop.value.time == pytest.approx(np.pi / 2, abs=1e-6)
    np.testing.assert_allclose(sorted(b["b3.wz"] for b in stop.value.branches), [-1, 1], atol=1e-8)
    k = lw.kinematics(m, t_start=0.5, t_end=2.5, steps=50, branch=0)
    np.testing.assert_allclose(k["b3.wz"][-10:], 1, atol=1e-9)
