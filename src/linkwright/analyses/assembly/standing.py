"""Discs that roll must stand: one that lies flat touches its plane everywhere, and nothing says where it is pressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from linkwright.analyses.assembly.closure import Closure, search
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.errors import IntegrationError, ModelError
from linkwright.graph import Scalar
from linkwright.model import Point, Rolling

FLAT = 1e-6  # sine of the angle between axle and normal: the point of contact is known to rounding divided by it
STUCK = 1e-2  # the same of a run that went wrong
NEARLY = 0.3  # below this a disc may lie flat at the next look, if it goes on turning down as it does


def check_standing(machine: Machine, q: np.ndarray) -> None:
    """ModelError for a rolling disc whose axle is along the normal of its plane in this configuration."""
    for e in _flat(machine, q):
        raise ModelError(
            "its disc lies flat: the axle, the z axis of the wheel's frame, is along the normal of the plane",
            element=e.name, remedy="estimate an orientation in which it stands, turn the frame, or give ball=True",
        )  # fmt: skip


def check_estimates(machine: Machine, t: float, fixed: Mapping[Scalar, float], q0: np.ndarray) -> None:
    """The same for an estimate that the joints without the discs leave flat: any way it is tipped is as near as another."""
    if flat := {e.name for e in _flat(machine, q0)}:
        others = search(Closure(machine, t, fixed, without=flat), q0)
        check_standing(machine, others.q if others.closed else q0)


def fallen(machine: Machine, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> IntegrationError | None:
    """The error of a disc that falls flat on the way of a run that went wrong, by its states. There its rim strikes the
    plane all around, which rolling does not know: a run is stuck, or goes on with less energy."""
    for e in _discs(machine):
        leans = _leans(machine, e, q)
        sine = np.linalg.norm(leans, axis=1)
        for k in np.flatnonzero(sine < NEARLY):
            lean, ahead = leans[k], t[k + 1] - t[k] if k + 1 < len(t) else 0.0
            change = _leans(machine, e, machine.retract(q[k], ahead * v[k])[None])[0] - lean
            radial = -(change @ lean) / max(float(sine[k]), 1e-300)
            across = np.linalg.norm(change + radial * lean / max(float(sine[k]), 1e-300))
            if sine[k] < STUCK or (radial > sine[k] and across < NEARLY * radial):
                return IntegrationError(
                    f"its disc falls flat near t = {t[k]:.6g}: the axle comes to lie along the normal of the plane",
                    time=float(t[k]), element=e.name,
                    remedy="end the run before, by a Watch; what falls flat is a body with a shape and a Contact",
                )  # fmt: skip
    return None


def _leans(machine: Machine, e: Rolling, q: np.ndarray) -> np.ndarray:
    """Of each configuration: how the axle leans away from the normal, along the plane; as long as the sine of the angle."""
    axle, normal = z_axis(machine, e.wheel, q), z_axis(machine, e.plane, q)
    cosine = (axle * normal).sum(axis=-1, keepdims=True)
    return np.asarray(axle * np.sign(cosine) - normal * np.abs(cosine))


def _flat(machine: Machine, q: np.ndarray) -> Iterator[Rolling]:
    for e in _discs(machine):
        if np.linalg.norm(np.cross(z_axis(machine, e.wheel, q), z_axis(machine, e.plane, q))) < FLAT:
            yield e


def _discs(machine: Machine) -> list[Rolling]:
    rolling = [e for e in machine.model.elements.values() if isinstance(e, Rolling) and not e.ball]
    return rolling if machine.model.dimension == 3 else []


def z_axis(machine: Machine, P: Point, q: np.ndarray) -> np.ndarray:
    """The z axis of a frame, in ground axes; of one configuration or of a row each."""
    value = machine.model.value
    axis = np.array([0.0, 0.0, 1.0] if P.rotation is None else [value(row[2]) for row in P.rotation])
    if P.body.is_ground:
        return axis
    at, _ = machine.system.coordinates.body_slices()[P.body.name]
    A = np.asarray(rotations.A(q[..., at][..., 3:].T), dtype=float)
    return np.asarray(np.einsum("ij...,j->...i", A, axis))
