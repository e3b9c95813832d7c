"""Answers of searches: the best design, or the values that fit what was measured; and every point looked at on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwright.results.study import Study


@dataclass(frozen=True, repr=False)
class Optimum:
    """The best design that was found.

    Attributes
    ----------
    parameters : dict
        Values by name; the model is not changed: `m.set(**o.parameters)`.
    value : float
        Of what was minimised (or maximised).
    constraints : dict
        What was bounded, by name.
    history : Study
        A row for each point looked at, NaN where a design does not work.
    message : str
        How the search ended.
    success : bool
        Whether it converged to a design that keeps all bounds.

    Examples
    --------
    >>> m = lw.PlanarModel("rod")
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", position=(0.5, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> o = lw.optimize(m, {"length": (0.5, 2.0)}, minimize=lw.final("bob.x"), analysis="assemble")
    >>> round(o.parameters["length"], 6), o.success
    (0.5, True)
    """

    parameters: dict[str, float]
    value: float
    constraints: dict[str, float]
    history: Study
    message: str
    success: bool

    def __repr__(self) -> str:
        at = ", ".join(f"{name} = {x:.6g}" for name, x in self.parameters.items())
        return f"<optimum {self.value:.6g} at {at}; {self.message}>"


@dataclass(frozen=True, repr=False)
class Fit:
    """Values that fit measured data best.

    Attributes
    ----------
    parameters, std : dict
        Values by name, and their standard deviations from the residuals.
    residual : float
        Root mean square of the weighted differences.
    residuals : dict
        Computed less measured, by channel.
    correlation : array
        Of the parameters, in their order; near to -1 or 1 where the data determine them only together.
    notes : list of str
        What the data do not determine.
    message : str
        How the search ended.
    success : bool
        Whether it converged.

    Examples
    --------
    >>> m = lw.PlanarModel("slide")
    >>> F = m.parameter("F", 1.0)
    >>> b = m.body("b", mass=2.0, inertia=1.0)
    >>> push = m.add(lw.Force("push", b.x, lambda x, v, t: F))
    >>> t = [0.0, 0.5, 1.0]
    >>> f = lw.fit(m, {"t": t, "b.x": [0.75 * x**2 for x in t]}, {"F": (0.0, 10.0)})
    >>> round(f.parameters["F"], 6), bool(f.residual < 1e-6)
    (3.0, True)
    """

    parameters: dict[str, float]
    std: dict[str, float]
    residual: float
    residuals: dict[str, np.ndarray]
    correlation: np.ndarray
    message: str
    success: bool
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        at = ", ".join(f"{name} = {x:.6g} +- {self.std[name]:.2g}" for name, x in self.parameters.items())
        return "\n".join([f"<fit {at}; residual {self.residual:.3g}; {self.message}>", *self.notes])
