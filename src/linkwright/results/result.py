"""Answers: named channels over time, or in one configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.graph import Expr

Evaluate = Callable[[Expr], np.ndarray]


@dataclass
class Audit:
    """How a result came about."""

    analysis: str = ""
    method: str = ""
    points: int = 0
    refined: int = 0  # how often a step had to be made smaller
    position_error: float = 0.0  # largest residual of any position equation, relative to its row
    compile_seconds: float = 0.0
    wall_seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        rows = [f"{name.replace('_', ' ')}: {value}" for name, value in vars(self).items() if name != "notes" and value]
        return "\n".join([*rows, *self.notes])


class Channels(Mapping[str, Any]):
    """Values by channel name ("crank.x", "motor.torque") or by a quantity of the model."""

    def __init__(self, model: str, channels: dict[str, np.ndarray], audit: Audit, evaluate: Evaluate | None = None) -> None:
        self.model = model
        self._channels = channels
        self._evaluate = evaluate
        self.audit = audit

    @property
    def channels(self) -> list[str]:
        return list(self._channels)

    def __getitem__(self, key: str | Expr) -> Any:
        name = key.data if type(key) is Expr and key.op == "symbol" else key
        if isinstance(name, str) and name in self._channels:
            return self._channels[name]
        if type(key) is Expr and self._evaluate is not None:
            return self._evaluate(key)
        if isinstance(key, str) and self._evaluate is not None and "(" in key:
            from linkwright.graph import symbol

            return self._evaluate(symbol(key))
        near = get_close_matches(str(name), self._channels, n=3)
        raise ModelError(
            f"there is no channel {name!r}",
            element=str(name),
            remedy=f"did you mean {' or '.join(near)}?" if near else "`.channels` lists them",
        )

    def __contains__(self, key: object) -> bool:
        return key in self._channels

    def __iter__(self) -> Iterator[str]:
        return iter(self._channels)

    def __len__(self) -> int:
        return len(self._channels)


class Result(Channels):
    """Channels over time."""

    def __init__(
        self, model: str, t: np.ndarray, channels: dict[str, np.ndarray], audit: Audit, evaluate: Evaluate | None = None
    ) -> None:
        super().__init__(model, channels, audit, evaluate)
        self.t = t

    def at(self, time: float) -> dict[str, float]:
        """All channels at the stored time nearest to `time`."""
        k = int(np.argmin(np.abs(self.t - time)))
        return {name: float(values[k]) for name, values in self._channels.items()}

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} ... {self.t[-1]:g}" if len(self.t) else "empty"
        return f"<{self.audit.analysis} of {self.model!r}: {len(self.t)} points, {span}, {len(self)} channels>"


class Configuration(Channels):
    """Channels at one instant, as plain numbers."""

    def __init__(
        self,
        model: str,
        t: float,
        channels: dict[str, np.ndarray],
        audit: Audit,
        q: np.ndarray,
        evaluate: Evaluate | None = None,
    ) -> None:
        super().__init__(model, channels, audit, evaluate)
        self.t = t
        self.q = q

    def __getitem__(self, key: str | Expr) -> float:
        return float(np.asarray(super().__getitem__(key)).reshape(-1)[0])

    def __repr__(self) -> str:
        return f"<configuration of {self.model!r} at t = {self.t:g}: {len(self)} channels>"
