"""Axes in which a steady motion stands still: those of the ground, or axes that turn with the machine.

A rotor that spins in its bearings is steady as seen from the ground; a governor is steady in axes that turn with its shaft,
a top that precesses in axes that precess. In a steady motion all velocities turn with the axes: vdot = Omega x v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.equations import rotations
from linkwright.later import sparse

STEADY = 1e-6  # accelerations below this part of speed times speed are not those of a turning motion


@dataclass(frozen=True)
class Axes:
    """Omega [rad/s], in ground axes: three numbers in space, one in the plane."""

    machine: LoadedMachine
    Omega: np.ndarray

    def turning(self, q: np.ndarray) -> Any:
        """The matrix S with S x = Omega x x for displacements x: translations in ground axes, rotations in body axes."""
        return _blocks(self.machine, [(self.Omega, A.T @ self.Omega) for A in orientations(self.machine, q)])

    def turned(self, q: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Omega x x, of all bodies at once; curve parameters do not turn."""
        machine, n = self.machine, len(self.machine.bodies)
        out = np.zeros(len(x))
        if machine.model.dimension == 2:
            own = x[: 3 * n].reshape(n, 3)
            out[: 3 * n] = (self.Omega[0] * np.column_stack([-own[:, 1], own[:, 0], np.zeros(n)])).ravel()
            return out
        own = x[: 6 * n].reshape(n, 6)
        A = np.asarray(rotations.A(q[: 7 * n].reshape(n, 7)[:, 3:].T), dtype=float)
        about = np.einsum("ji...,j->...i", A, self.Omega)
        out[: 6 * n] = np.hstack([np.cross(self.Omega, own[:, :3]), np.cross(about, own[:, 3:])]).ravel()
        return out

    def since(self, q: np.ndarray, q0: np.ndarray, h: float) -> Any:
        """The matrix that takes displacements at q to the axes which h before were those of the bodies at q0."""
        machine = self.machine
        if machine.model.dimension == 2:
            c, s = np.cos(self.Omega[0] * h), np.sin(self.Omega[0] * h)
            own = [_planar(np.array([[c, s], [-s, c]]), 1.0)] * len(machine.bodies)
        else:
            R = _rotation(h * self.Omega)
            pairs = zip(orientations(machine, q), orientations(machine, q0), strict=True)
            own = [_in_blocks(R.T, (R @ A0).T @ A) for A, A0 in pairs]
        return _diagonal(machine, own, 1.0)


def _rotation(theta: np.ndarray) -> np.ndarray:
    """The rotation by |theta| about theta (Rodrigues)."""
    angle = float(np.linalg.norm(theta))
    K = _tilde(theta / angle) if angle > 0 else np.zeros((3, 3))
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)


def _in_blocks(*blocks: np.ndarray) -> np.ndarray:
    """A dense matrix with these, which are square, on its diagonal; asked for thousands of times."""
    out, at = np.zeros((sum(map(len, blocks)),) * 2), 0
    for block in blocks:
        out[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return out


def spinning(machine: LoadedMachine, v: np.ndarray) -> Any:
    """The matrix of omega_b x on the rotations of bodies: by it rates in body axes differ from rates in axes that stand."""
    _, omega = body_velocities(machine, v)
    return _blocks(machine, [(np.zeros_like(w), w) for w in omega])


def candidates(machine: LoadedMachine, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> list[np.ndarray]:
    """Angular velocities of axes in which this motion may be steady, the slowest first: what accelerations say; where they
    leave a direction open, as a rotor's do about its own axis, what axes of symmetry say, and that of each body about it."""
    bodies = [_body(machine, k, q, v, vdot) for k in range(len(machine.bodies))]
    B, b = (np.concatenate([x[k] for x in bodies]) for k in (0, 1))
    of_axes, turned = (np.concatenate([x[k] for x in bodies]) for k in (2, 3))
    omega = [x[4] for x in bodies]
    speed = max(float(np.abs(B).max(initial=0.0)), max(float(np.abs(w).max()) for w in omega))
    found, left = np.zeros(B.shape[1]), np.eye(B.shape[1])
    if np.abs(b).max(initial=0.0) > STEADY * speed**2:
        found, left = _fitting(B, b, STEADY * speed)
    out = [found]
    if left.shape[1]:
        out += [found + left @ _fitting(of_axes @ left, turned - of_axes @ found, STEADY)[0]] if len(turned) else []
        out += [found + left @ (left.T @ (w - found)) for w in omega]
    out.append(_fitting(B, b, 1e-12 * speed)[0])
    distinct: list[np.ndarray] = []
    for x in out:
        if all(np.abs(x - y).max() > 1e-9 * speed for y in distinct):
            distinct.append(x)
    return distinct


def _body(machine: LoadedMachine, k: int, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> tuple[np.ndarray, ...]:
    """What a body says of Omega: (B, b) with B Omega = b from the accelerations of its mass centre and of its rotation, the
    same from its axis of symmetry, if it has one, and its angular velocity; all in ground axes."""
    body = machine.bodies[k]
    at_q, at_v = machine.system.coordinates.body_slices()[body.name]
    c, own, rate, length = np.array([machine.model.value(x) for x in body.com]), v[at_v], vdot[at_v], machine.length
    if machine.model.dimension == 2:
        angle, w = q[at_q][2], own[2]
        s = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ c
        v_c = own[:2] + w * np.array([-s[1], s[0]])
        a_c = rate[:2] + rate[2] * np.array([-s[1], s[0]]) - w * w * s
        return np.array([[-v_c[1]], [v_c[0]]]) / length, a_c / length, np.zeros((0, 1)), np.zeros(0), own[2:]
    A = np.asarray(rotations.A(q[at_q][3:]), dtype=float)
    s, w, alpha = A @ c, A @ own[3:], A @ rate[3:]
    v_c, a_c = own[:3] + np.cross(w, s), rate[:3] + np.cross(alpha, s) + np.cross(w, np.cross(w, s))
    B, b = np.vstack([-_tilde(v_c) / length, -_tilde(w)]), np.concatenate([a_c / length, alpha])
    sizes, axes = linear.eigh(body.inertia_matrix())
    same = 1e-9 * sizes[-1]
    single = [k for k in range(3) if min(abs(sizes[k] - sizes[j]) for j in range(3) if j != k) > same]
    if len(single) != 1:
        return B, b, np.zeros((0, 3)), np.zeros(0), w
    e = A @ axes[:, single[0]]
    return B, b, -_tilde(e), np.cross(w, e), w


def _fitting(B: np.ndarray, b: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """The smallest x with B x nearest b, and a basis of the directions that B leaves open."""
    U, s, Vt = linear.svd(B, full_matrices=True)
    rank = int((s > least).sum())
    return Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank]), Vt[rank:].T


def body_velocities(machine: LoadedMachine, v: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The velocities of all bodies: of the origin, and the angular velocity, as v has them."""
    n, slices = machine.model.dimension, machine.system.coordinates.body_slices().values()
    return [v[at][:n] for _, at in slices], [v[at][n:] for _, at in slices]


def orientations(machine: LoadedMachine, q: np.ndarray) -> list[np.ndarray]:
    """A of all bodies; in the plane, where displacements are scalars but for translations, nothing is turned."""
    slices = machine.system.coordinates.body_slices().values()
    if machine.model.dimension == 2:
        return [np.ones((1, 1)) for _ in slices]
    return [np.asarray(rotations.A(q[at][3:]), dtype=float) for at, _ in slices]


def _blocks(machine: LoadedMachine, own: list[tuple[np.ndarray, np.ndarray]]) -> Any:
    """The cross products of two angular velocities by body, with translations and with rotations."""
    if machine.model.dimension == 2:
        return _diagonal(machine, [_planar(np.array([[0.0, -w[0]], [w[0], 0.0]]), 0.0) for w, _ in own])
    return _diagonal(machine, [_in_blocks(_tilde(a), _tilde(b)) for a, b in own])


def _diagonal(machine: LoadedMachine, own: list[np.ndarray], rest: float = 0.0) -> Any:
    """Blocks of bodies, and `rest` for curve parameters, which do not turn. Sparse where the machine is large."""
    extra = [np.full((1, 1), rest)] * len(machine.system.coordinates.extra)
    return sparse.block_diag([*own, *extra], format="csr") if machine.nv > size_policy.SPARSE else _in_blocks(*own, *extra)


def _planar(turn: np.ndarray, angle: float) -> np.ndarray:
    return _in_blocks(turn, np.array([[angle]]))


def _tilde(a: np.ndarray) -> np.ndarray:
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
