"""The derivative of the motion y' = f(t, y), exact, as parts of a linear system: nothing is eliminated symbolically.

Accelerations and multipliers z = (vdot, lam) are given by E(y, z) = 0, with

    E = (M vdot + h + Phi_v^T lam - Q,  Phi_v vdot - gamma),    dz/dy = -E_z^-1 E_y

and the other rates of the state, qdot, those of turns and of the work, by D(y, lam). E_z, E_y and the derivatives of D are
compiled by their nonzeros; a loop solves for dz/dy (see `solve.motion_derivative`).
"""

from __future__ import annotations

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, Sparse, jacobian
from linkwright.system.motion import Flow, Residuals


class Derivative:
    """The derivative of a flow. Its functions take the inputs of the flow's functions, and vdot, lam."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.residuals = Residuals(flow)
        self.z = np.concatenate([self.residuals.vdot, self.residuals.lam])

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The numbers in q, v, lam, y."""
        s = self.flow.system
        return s.nq, s.nv, len(self.flow.rows), len(self.flow.y)

    @cached_property
    def _E(self) -> list[Scalar]:
        flow, r = self.flow, self.residuals
        rows: list[Scalar] = [-x for x in flow.held_gamma]
        r._J.add_times(r.vdot, rows)
        for k, e in enumerate(flow.form.compliances):
            rows[k] = rows[k] - e * r.lam[k]
        return [*r.forces, *flow.flags.inserted(rows)]

    @cached_property
    def _D(self) -> list[Scalar]:
        flow, s = self.flow, self.flow.system
        qdot = [s.coordinates.rates[x] for x in s.coordinates.q]
        turning = s.rates([angle for _, angle in s.geometry.turns.values()])
        return flow.flags.inserted([*qdot, *turning, flow.power_of(list(self.residuals.lam))])

    @cached_property
    def E_z(self) -> Sparse:
        return jacobian(self._E, list(self.z))

    @cached_property
    def E_y(self) -> Sparse:
        return jacobian(self._E, list(self.flow.y))

    @cached_property
    def D_y(self) -> Sparse:
        """The derivative of D by y, then by lam."""
        return jacobian(self._D, [*self.flow.y, *self.residuals.lam])

    @cached_property
    def D_rows(self) -> list[int]:
        """Which rate of the state each row of D is."""
        nq, nv, _, ny = self.sizes
        return [*range(nq), *range(nq + nv, ny)]

    @cached_property
    def patterns(self) -> list[list[tuple[int, int]]]:
        """The places of the nonzeros of E_z, E_y, D_y."""
        return [list(matrix.pattern) for matrix in (self.E_z, self.E_y, self.D_y)]

    @cached_property
    def parts(self) -> Function:
        """The nonzeros of E_z, E_y, D_y, in the order of their patterns."""
        inputs = {**self.flow.inputs, "vdot": self.residuals.vdot, "lam": self.residuals.lam}
        outputs = {"E_z": self.E_z.values, "E_y": self.E_y.values, "D": self.D_y.values}
        return Function(f"{self.flow.system.model.name}: derivatives of the motion", inputs, outputs)
