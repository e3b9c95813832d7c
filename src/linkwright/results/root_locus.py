"""Eigenvalues over a parameter: where they go, and where a machine becomes unstable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.arguments import Axes, check_numbers, typed
from linkwright.calls import answering_methods
from linkwright.results.channels import view
from linkwright.results.study import Failed


@dataclass(frozen=True, eq=False, repr=False)
class RootLocus:
    """Eigenvalues of small motions at each value of a parameter.

    Attributes
    ----------
    name : str
        What was varied.
    values : array
        Its values.
    eigenvalues : array of complex numbers
        A row for each value; a column follows one eigenvalue. NaN where a value failed.
    failed : list of Failed
        Which, and why.

    Examples
    --------
    >>> m = lw.PlanarModel("oscillator")
    >>> k = m.parameter("k", 1.0)
    >>> disc = m.body("disc", mass=1.0, inertia=1.0)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), disc.at(0, 0)))
    >>> spring = m.add(lw.TorsionSpring("spring", pin, k=k))
    >>> locus = lw.root_locus(m, "k", [1.0, 4.0])
    >>> abs(locus.eigenvalues.imag).max(axis=1).round(6)  # sqrt(k/J)
    array([1., 2.])
    """

    name: str
    values: np.ndarray
    eigenvalues: np.ndarray
    failed: list[Failed]

    @property
    def frequencies(self) -> np.ndarray:
        """|Im| / 2 pi [Hz]."""
        return np.asarray(np.abs(self.eigenvalues.imag) / (2 * np.pi))

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re / |s|; NaN of what is zero."""
        size = np.abs(self.eigenvalues)
        return np.asarray(-self.eigenvalues.real / np.where(size > 0, size, np.nan))

    @property
    def stable(self) -> np.ndarray:
        """At which values no eigenvalue is to the right of the imaginary axis, by more than rounding."""
        size = np.abs(self.eigenvalues).max(axis=1)
        return np.asarray((self.eigenvalues.real <= 1e-6 * size[:, None]).all(axis=1))

    @typed
    def plot(self, ax: Axes = None, **options: Any) -> Any:
        """Plot the eigenvalues in the complex plane, coloured by the parameter; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        return view("study_plots").locus(self, ax, **options)

    @typed
    def campbell(self, ax: Axes = None, orders: ArrayLike = (1.0,), **options: Any) -> Any:
        """Plot Campbell's diagram: frequencies over the parameter, an angular velocity [rad/s]; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        orders : numbers
            Multiples of the speed that are drawn as lines.
        **options
            Options of matplotlib.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        multiples = check_numbers("orders", orders)
        return view("study_plots").campbell(self, ax, multiples, **options)

    def __repr__(self) -> str:
        return f"<root locus over {self.name}: {len(self.values)} values, {self.eigenvalues.shape[1]} eigenvalues>"


answering_methods(RootLocus)
