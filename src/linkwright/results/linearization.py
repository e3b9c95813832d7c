"""The answer of `linearize`: matrices, eigenvalues, modes, transfer from inputs to outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from linkwright.errors import ModelError

MOST = 20  # eigenvalues that are printed


@dataclass(frozen=True, repr=False)
class Linearization:
    """M xddot + C xdot + K x = B_u u for small displacements x of `coordinates`, u a change of the force `inputs`.

    eigenvalues: of A, the state (x, xdot); frequencies [Hz]: of the undamped machine, smallest first, 0 where nothing brings
    it back (its eigenvalues say whether it falls); modes: a column each, by displacements of all bodies (`displacements`),
    largest entry one. C_y, D_y: changes of the `outputs`, y = C_y (x, xdot) + D_y u.

    About a motion C has gyroscopic terms (its antisymmetric part, which stays in the undamped machine), modes are complex:
    real parts of them times exp(i omega t) are the whirl. Displacements are then along the axes that ground and bodies have
    at this instant, turning with `turning` [rad/s, ground axes] and not with the bodies.
    """

    coordinates: list[str]
    displacements: list[str]
    inputs: list[str]
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    A: np.ndarray
    B: np.ndarray
    eigenvalues: np.ndarray
    frequencies: np.ndarray
    modes: np.ndarray
    residual: float  # the largest force that disturbs: zero in an equilibrium, and in a steady motion
    outputs: list[str]
    C_y: np.ndarray
    D_y: np.ndarray
    t: float = 0.0
    turning: np.ndarray = field(default_factory=lambda: np.zeros(0))
    # How much the coefficients change in a radian of the motion, relative to themselves. Not small: there are no axes in
    # which they are constant, and eigenvalues tell of this instant only, not of stability.
    varying: float = 0.0
    respond: Callable[[str, Any, np.ndarray], np.ndarray] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        pairs = [(x, z) for x, z in zip(self.eigenvalues + 0.0, self.damping_ratios + 0.0, strict=True) if x.imag >= 0]
        rows = [f"  eigenvalue {x.real: .6g} {x.imag:+.6g}i 1/s, damping ratio {z:.4g}" for x, z in pairs]
        frequencies = ", ".join(f"{x:.6g}" for x in self.frequencies)
        head = f"small motions of {', '.join(self.coordinates) or 'nothing'}: undamped frequencies [{frequencies}] Hz"
        return "\n".join([head, *rows[:MOST], *([f"  and {len(rows) - MOST} more"] if len(rows) > MOST else [])])

    @property
    def state_space(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(A, B, C, D) of zdot = A z + B u, y = C z + D u, z = (x, xdot): for scipy.signal.StateSpace and its like."""
        return self.A, self.B, self.C_y, self.D_y

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re/|.| of each eigenvalue."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0))

    def frequency_response(self, input: str, output: Any, omega: Any) -> Any:  # noqa: A002
        """The complex amplitude of `output` (a channel such as "slider.x" or "A.fx", or a quantity) for an `input` of
        amplitude one at the angular frequency omega [rad/s], a number or an array: more of a force element's force or
        torque, or more of a driver's motion."""
        if self.respond is None:
            raise ModelError("there is no machine to ask", remedy="linearise it in this process")
        values = np.asarray(omega, dtype=float)
        if not np.isfinite(values).all():
            raise ModelError(f"omega = {omega!r} is no angular frequency", remedy="give finite numbers [rad/s]")
        found = self.respond(input, output, values.reshape(-1)).reshape(values.shape)
        return complex(found[()]) if values.ndim == 0 else found

    def bode(self, input: str, output: Any, omega: Any = None, ax: Any = None, **options: Any) -> Any:  # noqa: A002
        """Magnitude and phase over the frequency, by matplotlib; the two axes. Without omega: a decade to both sides of the
        natural frequencies."""
        return import_module("linkwright.view.plots").bode(self, input, output, omega, ax, **options)
