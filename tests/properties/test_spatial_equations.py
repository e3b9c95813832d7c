"""The derived equations of random spatial machines against differences, and their two flavours against each other."""

import numpy as np
import pytest
from hypothesis import given, settings

import linkwright as lw
from fuzz.linkages import AMPLITUDE, linkage, tangle
from fuzz.render import model
from linkwright.analyses.machine.machine import Machine
from strategies import seeds

# central differences of order 8: first and second derivative
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
H = 2e-3


def motion(rng, machine, q):
    """A smooth random motion through q at time 0: q(t), and velocity and acceleration at 0."""
    bodies = machine.system.coordinates.body_slices()
    v, a = rng.normal(size=machine.nv), rng.normal(size=machine.nv)
    G = {n: 2 * machine.tangent(q)[s][3:, w.start + 3 : w.stop].T for n, (s, w) in bodies.items()}

    def at(t):
        out = np.array(q)
        for n, (s, w) in bodies.items():
            out[s][:3] += v[w][:3] * t + a[w][:3] * t * t / 2
            omega, alpha, p = v[w][3:], a[w][3:], q[s][3:]
            # p'' = G^T alpha/2 - |omega|^2 p/4; brought back to length one this changes nothing up to second order
            new = p + 0.5 * G[n].T @ omega * t + (0.5 * G[n].T @ alpha - 0.25 * omega @ omega * p) * t * t / 2
            out[s][3:] = new / np.linalg.norm(new)
        return out

    return at, v, a


def machine_of(sketch):
    machine = Machine(model(sketch))
    q = machine.estimate()
    machine.settle(q, 0.0)
    return machine, q


@settings(max_examples=8)
@given(seeds)
def test_rows_nu_and_gamma_are_derivatives(rng):
    """Phi' = Phi_v v - nu and Phi'' = Phi_v vdot - gamma along any motion, on and off the constraints."""
    machine, q = machine_of(tangle(rng))
    assert np.abs(machine.Phi_and_J(q, 0.0)[0]).max() < 1e-12  # the sketch closes
    # somewhere else too
    q = machine.retract(q, 0.2 * rng.normal(size=machine.nv))
    machine.settle(q, 0.0)
    at, v, a = motion(rng, machine, q)
    J = machine.Phi_and_J(q, 0.0)[1]
    values = np.array([machine.Phi_and_J(at(k * H), k * H)[0] for k in range(-4, 5)])
    size = 1 + np.abs(values).max()
    # order 8 with steps of 2e-3: rounding 1e-16/h and 1e-16/h^2
    np.testing.assert_allclose(J @ v - machine.nu(q, 0.0), FIRST @ values / H, atol=2e-11 * size)
    np.testing.assert_allclose(J @ a - machine.gamma(q, v, 0.0), SECOND @ values / H**2, atol=2e-8 * size)


@settings(max_examples=3)
@given(seeds)
def test_drivers_with_time(rng):
    """nu and gamma of drivers: f' and f''."""
    machine, q = machine_of(linkage(rng))
    t = 0.7
    driver = machine.is_driver
    nu = machine.nu(q, t)
    assert np.all(nu[~driver] == 0)
    assert nu[driver] == pytest.approx(AMPLITUDE * np.cos(t), rel=1e-14)
    rest = machine.gamma(q, np.zeros(machine.nv), t)
    assert np.all(rest[~driver] == 0)
    assert rest[driver] == pytest.approx(-AMPLITUDE * np.sin(t), rel=1e-14)


@settings(max_examples=6)
@given(seeds)
def test_both_flavours(rng):
    """By (r, p) and by (r, virtual rotation): Phi_rotation = Phi_q dq/dpi, gamma# = gamma + |omega|^2 Phi_p p/4."""
    m = model(tangle(rng))
    e = lw.equations(m)
    machine = e.machine
    q, v = machine.estimate(), rng.normal(size=machine.nv)
    at = e.at((q, v))
    Phi_q, Phi_rotation = np.asarray(at.Phi_q), np.asarray(at.Phi_rotation)
    N = machine.tangent(q)
    np.testing.assert_allclose(Phi_q @ N, Phi_rotation, atol=1e-12)
    shift = np.zeros(len(Phi_q))
    for s, w in machine.system.coordinates.body_slices().values():
        omega = v[w][3:]
        shift += 0.25 * omega @ omega * (Phi_q[:, s][:, 3:] @ q[s][3:])
    np.testing.assert_allclose(np.asarray(at.gamma_sharp), np.asarray(at.gamma) + shift, atol=1e-11 * (1 + v @ v))
    # the derivative by one coordinate itself, off the unit sphere too
    k = int(rng.integers(len(q)))
    values = []
    for n in range(-4, 5):
        moved = np.array(q)
        moved[k] += n * H
        values.append(machine.Phi_and_J(moved, 0.0)[0])
    np.testing.assert_allclose(FIRST @ np.array(values) / H, Phi_q[:, k], atol=1e-10)


@settings(max_examples=6)
@given(seeds)
def test_consistent_virtual_displacements(rng):
    """A basis of the null space of the Jacobian in both flavours; they map onto each other by dp = G^T dpi/2."""
    m = model(tangle(rng, bodies=3, joints=3))
    e = lw.equations(m)
    machine = e.machine
    q = machine.estimate()
    at = e.at((q, np.zeros(machine.nv)))
    Z, Zq = np.asarray(at.null_space_rotation), np.asarray(at.null_space_q)
    J, Phi_q = np.asarray(at.Phi_rotation), np.asarray(at.Phi_q)
    assert Z.shape[1] == machine.nv - np.linalg.matrix_rank(J, tol=1e-8)
    assert np.linalg.matrix_rank(Z, tol=1e-8) == Z.shape[1] == Zq.shape[1]
    assert np.abs(J @ Z).max(initial=0) < 1e-12
    assert np.abs(Phi_q @ Zq).max(initial=0) < 1e-12
    for s, w in machine.system.coordinates.body_slices().values():
        p = q[s][3:]
        np.testing.assert_allclose(p @ Zq[s][3:], 0, atol=1e-14)  # normalisation: p . dp = 0
        G = np.array([[-p[1], p[0], p[3], -p[2]], [-p[2], -p[3], p[0], p[1]], [-p[3], p[2], -p[1], p[0]]])
        np.testing.assert_allclose(Zq[s][3:], 0.5 * G.T @ Z[w][3:], atol=1e-14)
        np.testing.assert_allclose(2 * G @ Zq[s][3:], Z[w][3:], atol=1e-14)  # and back
