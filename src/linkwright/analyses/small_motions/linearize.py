"""Small motions about a configuration at rest or about a motion: mass, damping, stiffness, modes, state space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import linear, size_policy
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.trouble import law_without_value
from linkwright.analyses.small_motions.about_motion import Moment, Small, about_motion
from linkwright.analyses.small_motions.inputs import Inputs, inputs_of
from linkwright.analyses.small_motions.moving_start import state_of, time_of
from linkwright.analyses.small_motions.nonholonomic import freer
from linkwright.analyses.small_motions.response import Response, StateResponse, label, slopes
from linkwright.analyses.small_motions.turning import Axes, candidates
from linkwright.analyses.statics.equilibrium import equilibrium
from linkwright.analyses.statics.reduced import Reduced, Slopes, reduced, slopes_of_states, state_matrix
from linkwright.analyses.statics.resting import held, pressing
from linkwright.errors import AssemblyError, ModelError
from linkwright.graph import Expr
from linkwright.model import Driver, Model
from linkwright.results import Audit, Result
from linkwright.results.linearization import Linearization
from linkwright.solve import nearest
from linkwright.solve.blas import single_threaded

ZERO = (
    1e-6  # frequencies below this part of the largest are zero: eigenvalues at zero come in pairs, known to half the digits
)


@by_name
@single_threaded
def linearize(
    model: Model,
    at: Mapping[str, Any] | None = None,
    t: float | None = None,
    *,
    coordinates: Sequence[str] | None = None,
    outputs: Sequence[str | Expr] = (),
    turning: ArrayLike | None = None,
) -> Linearization:
    """Linearise the equations of motion about an equilibrium, a configuration or a motion.

    At rest drivers are held where they are at t. Of friction in joints that do not move the viscous part counts: Coulomb's
    has no derivative at rest. About a motion the axes are those in which it is steady, and `.residual` tells how far from
    steady it is. Contacts and stops without stiffness that press there are constraints: what moves, moves along them.

    Parameters
    ----------
    model : Model
        The machine.
    at : Channels, optional
        An equilibrium; a configuration, with the velocities that the model's bodies are given; or a result, with its
        velocities. By default the equilibrium is computed.
    t : float, optional
        The time [s]; of a result the nearest of its times, by default the last.
    coordinates : sequence of str, optional
        Which displacements the reduced matrices are for, such as ["crank.angle"]; by default a well-conditioned choice.
    outputs : sequence of str or Expr
        Quantities, formulas, accelerations, reactions and efforts ("slider.ax", "A.fx"), for C_y and D_y.
    turning : number, or three, optional
        The angular velocity of the axes [rad/s], in the plane or in space; by default it is found.

    Returns
    -------
    Linearization
        M, C, K, eigenvalues, frequencies, modes, A, B, ...

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.body("bob", mass=1.0, position=(0, -1))
    >>> rod = m.add(lw.Revolute("A", m.ground.at(0, 0), bob.at(0, 1)))
    >>> lw.linearize(m).frequencies.round(6)  # sqrt(g/l)/(2 pi)
    array([0.498488])
    """
    at, t = (equilibrium(model, t or 0.0), t or 0.0) if at is None else time_of(at, t)
    machine = LoadedMachine(model, t, by_shapes=True)
    q = close(machine, t, machine.going_on(at)).q
    v = state_of(machine, at, q, t)
    machine = held(machine, pressing(machine, q, v, t))
    names = None if coordinates is None else [str(c) for c in coordinates]
    if machine.system.of_velocities:
        return _freer(machine, q, v, t, names, list(outputs), _axes(machine, turning))
    if v.any():
        return _in_motion(machine, q, v, t, names, list(outputs), _axes(machine, turning))
    return _at_rest(machine, q, t, names, list(outputs))


def _axes(machine: LoadedMachine, turning: Any) -> np.ndarray | None:
    """The angular velocity that was given."""
    if turning is None:
        return None
    size = 1 if machine.model.dimension == 2 else 3
    try:
        found = np.asarray(turning, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.size != size or not np.isfinite(found).all():
        wanted = "a number [rad/s]" if size == 1 else "three numbers [rad/s], in ground axes"
        raise ModelError(f"{turning!r} is no angular velocity", element="turning", remedy=f"give {wanted}")
    return found


# -- at rest -----------------------------------------------------------------------------------------------------------


def _at_rest(machine: LoadedMachine, q: np.ndarray, t: float, names: list[str] | None, outputs: list[Any]) -> Linearization:
    r = reduced(machine, q, t, names)
    if not (np.isfinite(r.K).all() and np.isfinite(r.C).all() and np.isfinite(r.force).all()):
        raise law_without_value(machine, q, t, r.force)
    n = len(r.coordinates)
    _check_free(machine, n)
    machine.check_inertia(r.M, r.Z)
    inverse = linear.inv(r.M)
    z = slopes_of_states(machine, q, np.zeros(machine.nv), t)
    A = r.with_states(z)
    squares, vectors = _modes(r.K, r.M)
    order = np.argsort(squares.real)
    squares, shapes = squares[order].real, (r.Z @ vectors[:, order]).real
    squares = np.where(np.abs(squares) <= ZERO**2 * max(float(np.abs(squares).max()), 1e-300), 0.0, squares)
    moment = Moment(machine, q, np.zeros(machine.nv), t, (np.zeros(machine.nv), r.lam))
    none, still = np.zeros_like(r.Z), np.zeros_like(z[0])
    X, W = np.hstack([r.Z, none, still]), np.hstack([none, r.Z, still])
    inputs = inputs_of(moment)
    B = inverse @ r.Z.T @ inputs.forces
    C_y, D_y = _outputs(moment, outputs, (X, W, r.Z @ A[n : 2 * n]), r.Z @ B, inputs, _unbalanced_at_rest(r, z))
    axes = Axes(machine, np.zeros(1 if machine.model.dimension == 2 else 3))
    return Linearization(
        r.coordinates, machine.system.coordinates.v_names, inputs.names, r.M, r.C, r.K, A, _by_inputs(n, B, inputs),
        _eigenvalues(A, r.C, squares), np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi), _normalised(machine, shapes),
        float(np.abs(r.f).max()), [label(y) for y in outputs], C_y, D_y, t, axes.Omega, 0.0, Response(moment, axes, r.Z),
        swung(machine, q, t),
    )  # fmt: skip


def _unbalanced_at_rest(r: Reduced, z: Slopes) -> np.ndarray:
    """The forces on all bodies, inertia apart, by the state."""
    _, damping, stiffness = r.every
    return np.hstack([np.asarray(stiffness @ r.Z), np.asarray(damping @ r.Z), -z[0]])


def _by_inputs(displacements: int, B: np.ndarray, inputs: Inputs) -> np.ndarray:
    """B of the state: displacements do not change at once, accelerations by B, states at their rates."""
    return np.vstack([np.zeros((displacements, B.shape[1])), B, inputs.rates])


def _check_free(machine: LoadedMachine, n: int) -> None:
    if not n:
        cause = "nothing can move: there is nothing to linearise"
        drivers = [e.name for e in machine.model.elements.values() if isinstance(e, Driver)]
        if drivers:
            remedy = f"remove {' or '.join(drivers[:3])}, or let a force act in its place"
        else:
            remedy = "look at what check says: joints hold all of it, so let one of them hold less"
        raise ModelError(cause, element=machine.model.name, remedy=remedy)


def _modes(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the angular frequencies, and shapes. Of many coordinates with symmetric stiffness by the method for such,
    which is some fifty times faster."""
    if len(K) > size_policy.FREE_MOTIONS and np.abs(K - K.T).max() <= 1e-12 * np.abs(K).max():
        squares, vectors = linear.generalized_eigh(0.5 * (K + K.T), M)
        return squares, vectors
    squares, vectors = linear.generalized_eig(K, M)
    return squares, vectors


def _eigenvalues(A: np.ndarray, C: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The eigenvalues of A. Of many coordinates without damping they are the roots of -omega^2."""
    if len(C) > size_policy.FREE_MOTIONS and not C.any() and len(A) == 2 * len(C):
        roots = np.sqrt(-squares.astype(complex))
        return np.concatenate([roots, -roots])
    return np.asarray(linear.eigvals(A))


def _normalised(machine: LoadedMachine, shapes: np.ndarray) -> np.ndarray:
    """Columns with their largest entry one."""
    largest = np.argmax(np.abs(shapes / machine.scale[:, None]), axis=0)
    return np.asarray(shapes / shapes[largest, np.arange(shapes.shape[1])])


# -- in motion ---------------------------------------------------------------------------------------------------------


def _in_motion(
    machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, names: list[str] | None, outputs: list[Any],
    turning: np.ndarray | None,
) -> Linearization:  # fmt: skip
    s, coordinates, varying = about_motion(machine, q, v, t, names, turning)
    n = len(coordinates)
    _check_free(machine, n)
    K, C = -s.M @ s.accelerations[:, :n], -s.M @ s.accelerations[:, n:]
    frequencies, vectors = _whirl(s.M, C, K)
    moment = s.moment
    inputs = inputs_of(moment)
    B = linear.solve(s.M, s.L @ inputs.forces)
    z = slopes_of_states(machine, q, v, t)
    by_states, still = linear.solve(s.M, s.L @ z[0]), np.zeros_like(z[0])
    A = state_matrix(s.accelerations, by_states, s.X, s.W, z)
    state = np.hstack([s.X, still]), np.hstack([s.W, still]), np.hstack([s.V, s.Z @ by_states])
    C_y, D_y = _outputs(moment, outputs, state, s.Z @ B, inputs, np.hstack([_unbalanced_in_motion(s), -z[0]]))
    return Linearization(
        coordinates, machine.system.coordinates.v_names, inputs.names, s.M, C, K, A, _by_inputs(n, B, inputs),
        np.asarray(linear.eigvals(A)), frequencies, _normalised(machine, s.Z @ vectors), s.unsteady,
        [label(y) for y in outputs], C_y, D_y, t, s.axes.Omega, varying, Response(moment, s.axes, s.Z),
        swung(machine, q, t),
    )  # fmt: skip


def _unbalanced_in_motion(s: Small) -> np.ndarray:
    c = s.moment.changes
    return np.asarray(c["R_d"] @ s.X + c["R_v"] @ s.W)


def _whirl(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and shapes with gyroscopic forces, the antisymmetric part of C, and without the damping in the rest:
    of each pair of eigenvalues the one that turns forward in time, of real ones those that grow."""
    n = len(M)
    inverse = linear.inv(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ K, -inverse @ (0.5 * (C - C.T))]])
    values, vectors = linear.eig(A)
    zero = ZERO * max(float(np.abs(values).max()), 1e-300)
    swinging = [k for k in np.argsort(np.abs(values.imag)) if values[k].imag > zero]
    others = [k for k in np.argsort(-values.real) if abs(values[k].imag) <= zero]
    order = [*others[: n - len(swinging)], *swinging]
    omega = np.where(np.abs(values.imag) > zero, values.imag, 0.0)[order]
    return omega / (2 * np.pi), vectors[:n, order]


# -- with constraints on velocities --------------------------------------------------------------------------------------


def _freer(
    machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, names: list[str] | None, outputs: list[Any],
    turning: np.ndarray | None,
) -> Linearization:  # fmt: skip
    """The state is (xi, eta, z), of displacements, of the fewer velocities and of states; K has a column for each
    displacement."""
    moment = Moment(machine, q, v, t)
    found = [np.zeros(1 if machine.model.dimension == 2 else 3)]
    if turning is not None or v.any():
        found = candidates(machine, q, v, moment.vdot) if turning is None else [turning]
    tried = [freer(moment, Axes(machine, w), names) for w in found]
    rounding = 1e-9 * float(np.abs(moment.terms.Q).max(initial=0.0))
    least = min(x.unsteady for x in tried) + rounding
    best = next(k for k, x in enumerate(tried) if x.unsteady <= least)  # the slowest axes in which the motion is steady
    s, axes = tried[best], Axes(machine, found[best])
    n, extra = len(s.coordinates), s.displacements
    _check_free(machine, n)
    inputs = inputs_of(moment)
    B = linear.solve(s.M, s.L @ inputs.forces)

    def read(asked: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        return _outputs(moment, asked, (s.X, s.W, s.V), s.Z @ B, inputs, s.forces)

    C_y, D_y = read(outputs)
    by_input, by_velocity = _by_inputs(extra, B, inputs), slice(extra, extra + n)
    values, vectors = linear.eig(s.A)
    swinging = [k for k in np.argsort(np.abs(values.imag)) if values[k].imag > ZERO * np.abs(values).max()]
    return Linearization(
        s.coordinates, machine.system.coordinates.v_names, inputs.names, s.M, -s.M @ s.A[by_velocity, by_velocity],
        -s.M @ s.A[by_velocity, :extra], s.A, by_input, values,
        values[swinging].imag / (2 * np.pi), _normalised(machine, s.X @ vectors[:, swinging]), s.unsteady,
        [label(y) for y in outputs], C_y, D_y, t, axes.Omega, 0.0, StateResponse(moment, s.A, by_input, read),
        swung(machine, q, t),
    )  # fmt: skip


# -- outputs -----------------------------------------------------------------------------------------------------------


def _outputs(
    at: Moment, outputs: list[Any], state: tuple[np.ndarray, ...], accelerations: np.ndarray, inputs: Inputs,
    forces: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """C_y and D_y. state: displacements, velocities, accelerations of all bodies by (x, xdot); `forces`, inertia apart; the
    accelerations by the inputs."""
    by_d, by_v, by_a, by_lam, by_z = slopes(at, outputs)
    X, W, V = state
    C, D = by_d @ X + by_v @ W + by_a @ V, by_a @ accelerations + inputs.at_once(outputs)
    C[:, C.shape[1] - by_z.shape[1] :] += by_z
    if by_lam.any():
        C = C - by_lam @ at.pressing(forces + at.M @ V)
        D = D + by_lam @ at.pressing(inputs.forces - at.M @ accelerations)
    return C, D


# A mode as a motion that can be looked at: the machine swung along its shape, joints kept closed, once around.

Swing = Callable[[np.ndarray, float, float, int, str], Result]


def swung(machine: LoadedMachine, q: np.ndarray, t: float) -> Swing:
    """The motion of a shape (a column of `modes`) with a frequency [Hz] and an amplitude, about q."""

    def swing(shape: np.ndarray, frequency: float, amplitude: float, frames: int, name: str) -> Result:
        period = 1.0 / abs(frequency) if frequency else 1.0
        phases = 2 * np.pi * np.arange(frames + 1) / frames
        unit = amplitude / float(np.abs(shape / machine.scale).max(initial=0.0) or 1.0)
        places, turned, kept = [], [], machine.turns
        machine.turns = kept.copy()
        try:
            for phase in phases:
                found = nearest.close(Closure(machine, t), machine.retract(q, unit * (shape * np.exp(1j * phase)).real))
                if not found.closed:
                    raise _too_far(machine, name, amplitude)
                machine.settle(found.q, t)
                places.append(found.q)
                turned.append(machine.turns.copy())
        finally:
            machine.turns = kept
        times, rows = phases / (2 * np.pi) * period, np.array(places)
        motion = Motion(machine, times, rows, np.array(turned))
        channels = {**body_channels(machine, rows, None, None), **motion.joint_channels()}
        audit = Audit(name, f"shape times {amplitude:g}, joints closed", len(times))
        return Result(machine.model.name, times, channels, audit, motion.evaluator(), source=machine.model)

    return swing


def _too_far(machine: LoadedMachine, name: str, amplitude: float) -> AssemblyError:
    return AssemblyError(
        f"{name}: swung by {amplitude:g} of its size the machine does not close", element=machine.model.name,
        remedy="give a smaller amplitude",
    )  # fmt: skip
