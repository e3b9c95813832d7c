"""The equations of motion with what happens on the way, for an FMU: laws that switch, impacts, contacts that press.

Further arguments d of all functions: flags of the laws' conditions (see `switches`), then the forces of the contacts. With
contacts open the forces are zero. A contact that presses is held by the force that keeps its gap closed; as accelerations
are affine in the forces, whoever calls finds it from `contacts`: second + W f = 0. An impulse p along the gaps changes
velocities by V p.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from linkwright import model as lw
from linkwright.errors import ModelError
from linkwright.exchange.equations_c import STABILISED, EquationsInC, Functions
from linkwright.graph import Expr, Scalar, along, substitute, symbols
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow


class Pressed(Flow):
    """The motion under forces along the gaps of all contacts."""

    def __init__(self, system: Mechanics, rows: Sequence[int]) -> None:
        super().__init__(system, rows, stabilised=len(rows) > 0)
        self.forces = list(symbols("contact force", len(system.loads.impacts)))

    @property
    def applied(self) -> list[Scalar]:
        Q = super().applied
        for f, impact in zip(self.forces, self.system.loads.impacts, strict=True):
            for k, x in self.system.loads.along(impact.gap, f).items():
                Q[k] = Q[k] + x
        return Q

    def watched(self, quantities: Sequence[Scalar]) -> list[Scalar]:
        """With the forces of contacts in their channels."""
        told: dict[str, Scalar] = {}
        for f, impact in zip(self.forces, self.system.loads.impacts, strict=True):
            for name in impact.forces:
                told[name] = told.get(name, 0.0) + impact.sense * f
        s = self.system
        known = {x: told.get(name, s.outputs[name]) for name, x in s.output_symbols.items()}
        return substitute(substitute(s.resolve(quantities), known), self.response)


class EquationsWithEvents(EquationsInC):
    """As `EquationsInC`, and what an FMU needs beyond."""

    flow: Pressed

    def _flow(self, rows: list[int]) -> Flow:
        return Pressed(self.machine.system, rows)

    def _refuse(self) -> None:
        self._refuse_sticking()
        frictions = [e.name for e in self.model.elements.values() if isinstance(e, lw.Friction) and e.mu != 0]
        impacts = [
            e.name
            for e in self.model.elements.values()
            if getattr(e, "restitution", None) is not None and self.model.value(getattr(e, "k", 0.0)) == 0
        ]
        if frictions and impacts:
            raise ModelError(
                "friction that follows the reactions does not go with impacts in an FMU",
                element=[*frictions, *impacts],
                remedy="give the contacts a stiffness k=, or the friction a level in place of mu",
            )

    @property
    def arguments(self) -> dict[str, Sequence[Expr]]:
        return super().arguments | {"d": [*self.flow.flags.symbols, *self.flow.forces]}

    @cached_property
    def switches(self) -> list[Scalar]:
        """Functions that change their sign where a law changes its form."""
        return self._fixed([s.g for s in self.flow.flags.switches])

    @property
    def switch_names(self) -> list[str]:
        return [s.element for s in self.flow.flags.switches]

    @property
    def contact_names(self) -> list[str]:
        return [i.name for i in self.machine.system.loads.impacts]

    @cached_property
    def contacts(self) -> dict[str, Sequence[Scalar]]:
        s, flow = self.machine.system, self.flow
        gaps = [i.gap for i in s.loads.impacts]
        rate = s.rates(gaps)
        vdot = symbols("vdot", s.nv)
        found = substitute(s.rates(rate, list(vdot)), dict(zip(vdot, flow.solution[0], strict=True)))
        # what is left of a closed gap dies out as that of the joints does
        second = [a + 2 * STABILISED * r + STABILISED**2 * g for a, r, g in zip(found, rate, gaps, strict=True)]
        by_force = [along([*second, *flow.solution[0]], {f: 1.0}) for f in flow.forces]
        n = len(gaps)
        return {
            "gap": self._fixed(gaps), "rate": self._fixed(rate), "second": self._fixed(second),
            "restitution": self._fixed([i.restitution for i in s.loads.impacts]),
            "W": self._fixed([x[k] for k in range(n) for x in by_force]),
            "V": self._fixed([v for x in by_force for v in x[n:]]),
        }  # fmt: skip

    @cached_property
    def _seeds(self) -> dict[str, Sequence[Expr]]:
        given = self.arguments
        return {f"d{k}": list(symbols(f"seed of {k}", len(given[k]))) for k in ("y", "p", "d")}

    @property
    def seeds(self) -> dict[str, dict[str, Sequence[Expr]]]:
        return {"tangent": dict(self._seeds)}

    @cached_property
    def tangent(self) -> dict[str, Sequence[Scalar]]:
        """How rates, outputs and the second rates of gaps change with the arguments."""
        given = self.arguments
        moving = {x: s for k in ("y", "p", "d") for x, s in zip(given[k], self._seeds[f"d{k}"], strict=True)}
        second = self.contacts["second"]
        found = along([*self.rates, *self.told, *second], moving)
        at, end = len(self.rates), len(self.rates) + len(self.told)
        return {"rates": found[:at], "out": found[at:end], "second": found[end:]}

    @property
    def functions(self) -> Functions:
        return {
            **super().functions,
            "switches": ("Functions that change their sign where a law changes its form.", {"g": self.switches},
                         self.switch_names),
            "contacts": ("Gaps of contacts that strike or press, their rates and second rates (with what is left of them "
                         "dying out), restitution, and what forces along them do.", self.contacts, self.contact_names),
            "tangent": ("How rates, outputs and second rates of gaps change.", self.tangent, []),
        }  # fmt: skip
