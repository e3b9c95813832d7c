"""The answer of `linearize`: matrices, eigenvalues, modes, transfer from inputs to outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.arguments import Axes, check_number, check_numbers, typed, whole
from linkwright.bounds import shown
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.results.channels import view
from linkwright.results.result import Result

MOST = 20  # eigenvalues that are printed
MOST_FRAMES = 1000  # of a cycle


@dataclass(frozen=True, repr=False)
class Linearization:
    """The answer of `linearize`: M xddot + C xdot + K x = B_u u for small displacements x, u a change of inputs.

    About a motion C has gyroscopic terms (its antisymmetric part, which stays in the undamped machine), modes are complex:
    real parts of them times exp(i omega t) are the whirl. Displacements are then along the axes that ground and bodies have
    at this instant, turning with `turning` and not with the bodies.

    Attributes
    ----------
    coordinates, displacements : list of str
        Names of the entries of x, and of the displacements of all bodies.
    inputs, outputs : list of str
        Names of the entries of u, forces or torques and the voltages of motors, and of y.
    M, C, K : numpy.ndarray
        The reduced mass, damping and stiffness matrices.
    A, B, C_y, D_y : numpy.ndarray
        The state space: zdot = A z + B u, y = C_y z + D_y u, z = (x, xdot, states).
    eigenvalues : numpy.ndarray
        Of A [1/s].
    frequencies : numpy.ndarray
        Of the undamped machine [Hz], smallest first; 0 without stiffness (the eigenvalues tell whether it falls).
    modes : numpy.ndarray
        A column each, by `displacements`, largest entry one.
    residual : float
        The largest unbalanced force: zero in an equilibrium, and in a steady motion.
    t : float
        The time [s].
    turning : numpy.ndarray
        The angular velocity of the axes [rad/s, ground axes].
    varying : float
        How much the coefficients change in a radian of the motion, relative to themselves. Where it is not small there are
        no axes in which they are constant, and eigenvalues hold at this instant only: they do not judge stability.
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
    residual: float
    outputs: list[str]
    C_y: np.ndarray
    D_y: np.ndarray
    t: float = 0.0
    turning: np.ndarray = field(default_factory=lambda: np.zeros(0))
    varying: float = 0.0
    respond: Callable[[str, Any, np.ndarray], np.ndarray] | None = field(default=None, repr=False, compare=False)
    swing: Callable[[np.ndarray, float, float, int, str], Result] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        pairs = [(x, z) for x, z in zip(self.eigenvalues + 0.0, self.damping_ratios + 0.0, strict=True) if x.imag >= 0]
        rows = [f"  eigenvalue {x.real: .6g} {x.imag:+.6g}i 1/s, damping ratio {z:.4g}" for x, z in pairs]
        frequencies = ", ".join(f"{x:.6g}" for x in self.frequencies)
        head = f"small motions of {', '.join(self.coordinates) or 'nothing'}: undamped frequencies [{frequencies}] Hz"
        return "\n".join([head, *rows[:MOST], *([f"  and {len(rows) - MOST} more"] if len(rows) > MOST else [])])

    @property
    def state_space(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The matrices (A, B, C, D) of zdot = A z + B u, y = C z + D u, z = (x, xdot), as scipy.signal takes them."""
        return self.A, self.B, self.C_y, self.D_y

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re/|.| of each eigenvalue."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0))

    @typed
    def mode_name(self, k: int) -> str:
        """Tell a mode by number, frequency and damping ratio.

        Parameters
        ----------
        k : int
            Which of `frequencies`, from 0.

        Returns
        -------
        str
            Such as "mode 1: 0.4985 Hz, damping 0.02".
        """
        k = self._known_mode(k)
        omega = 2 * np.pi * abs(float(self.frequencies[k]))
        nearest = int(np.argmin(np.abs(np.abs(self.eigenvalues) - omega))) if omega else -1
        damped = f"damping {self.damping_ratios[nearest] + 0.0:.2g}" if omega else "no stiffness"
        return f"mode {k + 1}: {self.frequencies[k]:.4g} Hz, {damped}"

    def mode(self, k: int = 0, amplitude: float = 0.1, frames: int = 48) -> Result:
        """Give one cycle of a mode as a motion: the machine swung along its shape, with its joints closed.

        Parameters
        ----------
        k : int
            Which of `frequencies`, from 0.
        amplitude : float
            The largest displacement, in lengths of the machine and in radians.
        frames : int
            How many parts the cycle has.

        Returns
        -------
        Result
            Positions of the bodies and coordinates of the joints.

        Examples
        --------
        >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> bob = m.body("bob", mass=1.0, position=(0, -1))
        >>> rod = m.add(lw.Revolute("A", m.ground.at(0, 0), bob.at(0, 1)))
        >>> swing = lw.linearize(m).mode(0)
        >>> round(float(swing.t[-1]), 4)  # a period, 2 pi sqrt(l/g)
        2.0061
        """
        if self.swing is None:
            raise ModelError("there is no machine to swing", remedy="linearise it in this process")
        k = self._known_mode(k)
        if not isinstance(amplitude, int | float | np.number) or not 0 < amplitude <= 1:
            raise ModelError(f"the amplitude is {amplitude!r}", element="amplitude", remedy="give 0 to 1, such as 0.1")
        if not isinstance(frames, int | np.integer) or not 2 <= frames <= MOST_FRAMES:
            raise ModelError(f"{frames!r} frames are no cycle", element="frames", remedy=f"give 2 to {MOST_FRAMES}")
        return self.swing(self.modes[:, k], float(self.frequencies[k]), float(amplitude), int(frames), self.mode_name(k))

    def _known_mode(self, k: Any) -> int:
        count = len(self.frequencies)
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 0 <= k < count:
            cause = f"there is no mode {shown(k)}"
            raise ModelError(
                cause, element="k", remedy=f"give a number from 0 to {count - 1}" if count else "nothing swings"
            )
        return int(k)

    @typed
    def animate(
        self, path: str | os.PathLike[str] | None = None, *, mode: int = 0, amplitude: float = 0.1, most: int = 12
    ) -> Any:  # fmt: skip
        """Make a page on which the modes swing: a list of them with frequencies and damping ratios, one shown at a time.

        Parameters
        ----------
        path : path, optional
            Where it is written; without it the page is shown in a notebook.
        mode : int
            Which is shown first.
        amplitude : float
            As of `mode`.
        most : int
            How many modes the page has at most, those of the lowest frequencies.

        Returns
        -------
        Page
            The page, with its `text`.
        """
        mode = self._known_mode(mode)
        chosen = sorted({*range(min(len(self.frequencies), whole(most, "most"))), mode})
        swings = [(self.mode_name(k), self.mode(k, amplitude)) for k in chosen]
        return view("family").modes_page(swings, path, first=chosen.index(mode))

    @typed
    def frequency_response(self, input: str, output: str | Expr, omega: ArrayLike) -> Any:  # noqa: A002
        """Give the complex amplitude of an output for an input of amplitude one.

        Parameters
        ----------
        input : str
            Name of a force element, whose force or torque varies, of a motor, whose voltage varies, or of a driver, whose
            motion varies; "NAME.target" of a controller, whose target varies.
        output : str or Expr
            A channel such as "slider.x" or "A.fx", or a quantity.
        omega : number or numbers
            The angular frequency [rad/s].

        Returns
        -------
        complex, or numpy.ndarray
            The response, for each omega.
        """
        if self.respond is None:
            raise ModelError("there is no machine to ask", remedy="linearise it in this process")
        if isinstance(omega, Sequence | np.ndarray) and np.ndim(omega):
            values = check_numbers("omega", np.ravel(np.asarray(omega))).reshape(np.shape(omega))
        else:
            values = np.array(check_number("omega", omega))
        found = self.respond(input, output, values.reshape(-1)).reshape(values.shape)
        return complex(found[()]) if values.ndim == 0 else found

    @typed
    def bode(self, input: str, output: str | Expr, omega: ArrayLike | None = None, ax: Axes = None, **options: Any) -> Any:  # noqa: A002
        """Plot magnitude and phase over the frequency; needs matplotlib.

        Parameters
        ----------
        input, output : str
            As of `frequency_response`.
        omega : numbers, optional
            The angular frequencies [rad/s]; by default from a decade below the natural frequencies to one above.
        ax : pair of matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib's `plot`.

        Returns
        -------
        numpy.ndarray
            The two axes.
        """
        return view("plots").bode(self, input, output, omega, ax, **options)
