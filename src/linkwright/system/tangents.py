"""The equations of a machine differentiated by everything that a motion depends on: state, design, time.

With accelerations vdot and multipliers lam given,

    R = M vdot + h + Phi_v^T lam - Q,    Phi,    Phi' = Phi_v v - nu,    Phi'' = Phi_v vdot - gamma,    z' of the states z

are differentiated by displacements (d), velocities (v), states (z) and by the columns of `design`: constants, and time as
the last one. Conditions of switched laws are flags, an input, so that within a stretch of a motion all is smooth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.graph import Expr, Scalar, Sparse, jacobian
from linkwright.model import TIME
from linkwright.system.changes import unbalanced
from linkwright.system.friction import generalised, on_displacements
from linkwright.system.mechanics import Mechanics
from linkwright.system.switches import Flags


class Blocks:
    """A compiled function of many rows of inputs whose outputs are arrays and matrices, these by their nonzeros."""

    def __init__(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Sparse | Sequence[Scalar]]) -> None:
        self.shapes = {k: x.shape if isinstance(x, Sparse) else (len(x),) for k, x in outputs.items()}
        self.places = {k: np.array(x.places) for k, x in outputs.items() if isinstance(x, Sparse)}
        values = {k: x.values if isinstance(x, Sparse) else list(x) for k, x in outputs.items()}
        self.function = Function(name, inputs, values)

    def dense(self, found: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """The values of the function, a row a point, as dense arrays by name."""
        out = {}
        for (name, shape), values in zip(self.shapes.items(), found, strict=True):
            if name in self.places:
                i, j = self.places[name]
                matrix = np.zeros((len(values), *shape))
                matrix[:, i, j] = values
                out[name] = matrix
            else:
                out[name] = values
        return out


class Tangents:
    """The derivatives of one system, for flags and the constants of `design`. Functions take `load_inputs`, flags, and (but
    `balance`) vdot and lam."""

    def __init__(self, system: Mechanics, flags: Flags, design: Sequence[Expr]) -> None:
        self.system, self.flags, self.design = system, flags, [*design, TIME]
        self.memories = [x.symbol for x in system.loads.memories]
        self.z = [*system.geometry.state_rates, *self.memories]
        self.rows = range(len(system.rows))
        self.balance = self._balance()
        self.matrices = self._matrices()
        self.friction = self._friction() if system.frictions else None

    @property
    def inputs(self) -> dict[str, Any]:
        return {**self.system.load_inputs, "flags": self.flags.symbols}

    @property
    def all_inputs(self) -> dict[str, Any]:
        return {**self.inputs, "vdot": self.system.vdot, "lam": self.system.lam}

    @property
    def z_places(self) -> list[int]:
        """The places of z among the references of angles, which hold it."""
        held = list(self.system.inputs["turns"])
        return [next(k for k, x in enumerate(held) if x is z) for z in self.z]

    def _named(self, what: str) -> str:
        return f"{self.system.model.name}: {what}"

    def _balance(self) -> Blocks:
        """The terms from which accelerations and multipliers follow, friction apart."""
        s, put = self.system, self.flags.inserted
        f = put([q - h for q, h in zip(s.loads.Q, s.inertia.h, strict=True)])
        return Blocks(self._named("balance"), self.inputs, {
            "M": s.inertia.M, "J": s.Phi_v, "f": f, "gamma": put(s.gamma),
            "z_rate": put([s.geometry.state_rates.get(z, 0.0) for z in self.z]),
        })  # fmt: skip

    def _friction(self) -> Blocks:
        """Generalised forces of friction under the multipliers, and their derivatives by these."""
        s = self.system
        values = self.flags.inserted(on_displacements(s, s.frictions))
        inputs = {**self.inputs, "lam": s.lam}
        return Blocks(self._named("friction"), inputs, {"Q": values, "Q_lam": jacobian(values, list(s.lam))})

    def _matrices(self) -> Blocks:
        s, put, c = self.system, self.flags.inserted, self.system.coordinates
        R = unbalanced(s, self.rows)
        if s.frictions:
            for k, Q in generalised(s.frictions, [f.force for f in s.frictions]).items():
                R[k] = R[k] - Q
        rates = s.row_rates(self.rows)
        second = put(s.rates(rates, list(s.vdot)))
        R, rates = put(R), put(rates)
        z_rate = put([s.geometry.state_rates.get(z, 0.0) for z in self.z])
        v = list(c.v)
        return Blocks(self._named("tangents"), self.all_inputs, {
            "R_d": c.jacobian(R), "R_v": jacobian(R, v), "R_z": jacobian(R, self.z), "R_b": jacobian(R, self.design),
            "Phi_b": jacobian(s.residuals, self.design),
            "rate_d": c.jacobian(rates), "rate_b": jacobian(rates, self.design),
            "second_d": c.jacobian(second), "second_v": jacobian(second, v), "second_b": jacobian(second, self.design),
            "z_d": c.jacobian(z_rate), "z_v": jacobian(z_rate, v), "z_z": jacobian(z_rate, self.z),
            "z_b": jacobian(z_rate, self.design),
        })  # fmt: skip

    def readout(self, values: Sequence[Scalar]) -> Blocks:
        """Expressions of the machine (of quantities, accelerations, multipliers) and their derivatives by all."""
        s, c = self.system, self.system.coordinates
        x = self.flags.inserted(values)
        return Blocks(self._named("readout"), self.all_inputs, {
            "x": x, "x_d": c.jacobian(x), "x_v": jacobian(x, list(c.v)), "x_z": jacobian(x, self.z),
            "x_b": jacobian(x, self.design), "x_a": jacobian(x, list(s.vdot)), "x_l": jacobian(x, list(s.lam)),
        })  # fmt: skip
