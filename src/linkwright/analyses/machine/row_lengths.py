"""The usual lengths of the rows of Phi_v, so that one that vanishes is seen.

Rows are divided by their lengths where units are mixed. A row that vanishes by itself, as that of a driven cosine at its
ends, would be blown up to length one and look regular. It is compared with its length in configurations nearby instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.machine.machine import Machine

NEARBY = 0.3  # displacements of the samples: lengths by the machine's, angles in radians
SAMPLES = 4
# A row this short against its usual length is zero. Places are known to 1e-10 and better.
VANISHED = 1e-8


def usual_lengths(machine: Machine, q: np.ndarray, t: float, turns: np.ndarray) -> np.ndarray:
    """The greatest length of each row, by relative displacements, here and in a few configurations nearby."""
    squares = np.zeros((1 + SAMPLES, len(machine.system.rows)))
    for own, entries in zip(squares, _entries(machine, q, t, turns), strict=True):
        np.add.at(own, machine.system.pattern[0], (entries * machine.scale[machine.system.pattern[1]]) ** 2)
    return _positive(np.sqrt(squares))


def usual_entries(machine: Machine, q: np.ndarray, t: float, turns: np.ndarray) -> np.ndarray:
    """The greatest entry of each row, likewise."""
    largest = np.zeros((1 + SAMPLES, len(machine.system.rows)))
    for own, entries in zip(largest, _entries(machine, q, t, turns), strict=True):
        with np.errstate(invalid="ignore"):  # a formula may have no value there
            np.maximum.at(own, machine.system.pattern[0], np.abs(entries))
    return _positive(largest)


def _entries(machine: Machine, q: np.ndarray, t: float, turns: np.ndarray) -> list[np.ndarray]:
    """The nonzeros of Phi_v here and nearby."""
    rng, zero = np.random.default_rng(2), np.zeros(machine.nv)
    places = [q, *(machine.retract(q, NEARBY * rng.normal(size=machine.nv) * machine.scale) for _ in range(SAMPLES))]
    return [machine.system.position(x, zero, np.array([t]), machine.b, turns, zero)[1] for x in places]


def _positive(sizes: np.ndarray) -> np.ndarray:
    longest: np.ndarray = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=0)
    return np.where(longest > 0, longest, 1.0)


def jacobian(machine: Machine, q: np.ndarray, t: float, usual: np.ndarray | None = None) -> Any:
    """Phi_v with rows that have vanished as zeros: what its rank is asked of. usual: `usual_entries` where known. Of a large
    machine it is sparse."""
    entries = machine.system.position(*machine._args(q, t))[1]
    usual = usual_entries(machine, q, t, machine.turns) if usual is None else usual
    rows, largest = machine.system.pattern[0], np.zeros(len(usual))
    np.maximum.at(largest, rows, np.abs(entries))
    return machine.matrix(np.where((largest < VANISHED * usual)[rows], 0.0, entries))
