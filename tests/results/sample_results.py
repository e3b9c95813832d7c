"""Results without a machine behind them."""

from __future__ import annotations

import numpy as np

from linkwright.results import Audit, Result


def small(t: np.ndarray | None = None, **channels: np.ndarray) -> Result:
    t = np.linspace(0.0, 2.0, 11) if t is None else t
    given = channels or {"bob.x": np.sin(t), "bob.y": -np.cos(t), "bob.angle": t, "pin.fx": 1e3 * t}
    return Result("pendulum", t, given, Audit(analysis="dynamics", method="by hand", points=len(t), notes=["a note"]))
