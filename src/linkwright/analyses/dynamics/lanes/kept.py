"""What is kept of runs in lanes: quantities as functions of the integrated state, reductions as registers of a lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.dynamics.whole.charts import FlowChart
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.compile import Function
from linkwright.graph import Expr
from linkwright.results.reductions import Reduction, label
from linkwright.solve.lane_form import Reduced
from linkwright.solve.many import Ran
from linkwright.system.geometry import Geometry
from linkwright.system.quantities import resolve

Kept = str | Expr | Reduction
# The registers that each reduction needs; an integral has the last value after it.
_OPS = {
    "peak": ("largest",), "highest": ("highest",), "lowest": ("lowest",), "span": ("highest", "lowest"),
    "mean": ("integral", "last"), "rms": ("square", "last"), "integral": ("integral", "last"), "final": ("last",),
}  # fmt: skip


def quantity(machine: LoadedMachine, key: str | Expr) -> Expr:
    """A channel or quantity in terms of coordinates, velocities and `output_symbols`; ModelError where there is none."""
    return Watch.of(label(key), key).traced(machine)


def counts_turns(machine: LoadedMachine, keys: Sequence[str | Expr]) -> bool:
    """Whether they depend on angles whose turns nobody counts in a run: results unwrap them over the output times."""
    found = Geometry(machine.model, machine.system.coordinates)
    resolve(found, [Watch.of(label(key), key).asked(machine) for key in keys])
    return not found.turns.keys() <= set(machine.system.turn_names)


@dataclass(frozen=True, eq=False)
class Keeping:
    """What is kept, in order."""

    keep: tuple[Kept, ...]

    @cached_property
    def keys(self) -> list[str | Expr]:
        """The distinct quantities."""
        known: dict[str, str | Expr] = {}
        for kept in self.keep:
            key = kept.of if isinstance(kept, Reduction) else kept
            known.setdefault(label(key), key)
        return list(known.values())

    @cached_property
    def _number(self) -> dict[str, int]:
        return {label(key): k for k, key in enumerate(self.keys)}

    @cached_property
    def reduced(self) -> tuple[Reduced, ...]:
        """In the order of `keep`; a history is numbered among the histories."""
        out: list[Reduced] = []
        at = histories = 0
        for kept in self.keep:
            number = self._number[label(kept.of if isinstance(kept, Reduction) else kept)]
            if not isinstance(kept, Reduction):
                out.append(Reduced("history", number, histories))
                histories += 1
                continue
            for op in _OPS[kept.kind]:
                out.append(Reduced(op, number, at))
                at += 1
        return tuple(out)

    @property
    def only_last(self) -> bool:
        """Whether nothing but the last time of output counts."""
        return all(isinstance(k, Reduction) and k.kind == "final" for k in self.keep)

    def shown(self, machine: LoadedMachine, chart: FlowChart) -> Function:
        """The quantities at a state of the chart, and what a lane watches: see `attempt.EXTRA`."""
        flow, s = chart.flow, machine.system
        values = flow.watched([quantity(machine, key) for key in self.keys])
        health = flow.elimination.health if hasattr(flow, "elimination") else flow.saddle.health
        return flow.function("kept", True, kept=values, more=[health, s.inertia.kinetic_energy, s.loads.potential])

    def values(self, ran: Ran, times: np.ndarray) -> tuple[np.ndarray, ...]:
        """For each that is kept an array, a row a run."""
        span = float(times[-1] - times[0])
        out: list[np.ndarray] = []
        at = histories = 0
        for kept in self.keep:
            if not isinstance(kept, Reduction):
                out.append(ran.hist[:, histories])
                histories += 1
                continue
            own = ran.acc[:, at : at + len(_OPS[kept.kind])]
            at += own.shape[1]
            out.append(_value(kept.kind, own, span))
        return tuple(out)


def _value(kind: str, own: np.ndarray, span: float) -> np.ndarray:
    if kind == "span":
        return np.asarray(own[:, 0] - own[:, 1])
    if kind in ("mean", "rms"):
        mean: Any = own[:, 0] / span if span > 0 else own[:, 1] ** (2 if kind == "rms" else 1)
        return np.asarray(np.sqrt(mean) if kind == "rms" else mean)
    return own[:, 0]
