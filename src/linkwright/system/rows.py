"""Rows of a machine or of a stand-in, differentiated: equations of positions, and such between velocities alone."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, Sparse, along, jacobian, substitute
from linkwright.model import TIME
from linkwright.system.constraints import Row
from linkwright.system.coordinates import Coordinates


class Rows:
    """`residuals`: Phi; `of_velocities`: of rows that constrain velocities alone what must be zero, by number."""

    def __init__(self, coordinates: Coordinates, rows: Sequence[Row]) -> None:
        self.coordinates = coordinates
        self.residuals: list[Scalar] = [row.residual for row in rows]
        self.of_velocities: dict[int, Scalar] = {k: row.rate for k, row in enumerate(rows) if row.rate is not None}

    @cached_property
    def Phi_v(self) -> Sparse:
        """The derivative by displacements; of rows that constrain velocities, the derivative by these."""
        found = self.coordinates.jacobian(self.residuals)
        if not self.of_velocities:
            return found
        rows = list(self.of_velocities)
        more = jacobian([self.of_velocities[k] for k in rows], list(self.coordinates.v)).entries
        entries = {**found.entries, **{(rows[i], j): d for (i, j), d in more.items()}}
        return Sparse(found.shape, dict(sorted(entries.items())))

    @cached_property
    def nu(self) -> list[Scalar]:
        """-Phi_t."""
        found = [-d for d in along(self.residuals, {TIME: 1.0})]
        still = dict.fromkeys(self.coordinates.v, 0.0)
        for k, rate in self.of_velocities.items():
            found[k] = -substitute([rate], still)[0]
        return found

    @cached_property
    def rates(self) -> list[Scalar]:
        """The rates of Phi; of rows that constrain velocities, what must be zero itself."""
        found = along(self.residuals, {**self.coordinates.rates, TIME: 1.0})
        return [self.of_velocities.get(k, rate) for k, rate in enumerate(found)]

    @cached_property
    def gamma(self) -> list[Scalar]:
        """-(d/dt)^2 Phi at zero vdot (Haug 3.6.11; in space with virtual rotations, gamma# of Nikravesh 11.48)."""
        rates = {**self.coordinates.rates, TIME: 1.0}
        found = [-d for d in along(along(self.residuals, rates), rates)]
        for k, rate in self.of_velocities.items():
            found[k] = -along([rate], rates)[0]
        return found
