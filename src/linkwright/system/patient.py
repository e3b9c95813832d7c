"""Functions of many members that are compiled when they have been called often enough to pay for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import evaluate

# Calls before a function is compiled: of a few hundred operations a call by numpy takes a millisecond or two, compiling 50.
PATIENCE = 30


@dataclass(frozen=True)
class Evaluation:
    """A function of arrays that is called as a `Function` is, but has no code of its own."""

    outputs: dict[str, tuple[int, ...]]
    call: Callable[..., tuple[np.ndarray, ...]]

    def __call__(self, *args: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.call(*args)


class PatientFunction:
    """A `Function` for `batch` alone, whose first calls are evaluated by numpy."""

    def __init__(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        self.name, self.inputs = name, inputs
        self.results = {k: list(v) for k, v in outputs.items()}
        self.calls = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "calls": 0}  # what a process computes does not depend on what others have asked before

    @cached_property
    def function(self) -> Function:
        return Function(self.name, self.inputs, self.results)

    def batch(self, *args: np.ndarray) -> tuple[np.ndarray, ...]:
        """The last axis of every argument and result counts members."""
        self.calls += 1
        if self.calls > PATIENCE:
            return self.function.batch(*args)
        values = {
            x: row for symbols, rows in zip(self.inputs.values(), args, strict=True)
            for x, row in zip(symbols, rows, strict=True)
        }  # fmt: skip
        count = args[0].shape[-1]
        found = iter(evaluate([x for roots in self.results.values() for x in roots], values))
        out = []
        for roots in self.results.values():
            result = np.empty((len(roots), count))
            for row in result:
                row[:] = next(found)
            out.append(result)
        return tuple(out)
