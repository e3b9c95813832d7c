"""The traced motions of a system, kept with it: a second run of the same machine traces nothing."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.system.derivative import Derivative
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow, Residuals

_MOST = 8


def flow_of(
    system: Mechanics, rows: Sequence[int], formulation: str = "newton-euler", stabilised: bool = False,
    yielding: bool = False, partitioned: bool = False,
) -> Flow:  # fmt: skip
    """As `Flow(...)`."""
    kept: dict[object, Flow] = vars(system).setdefault("_flows", {})
    key = (tuple(int(k) for k in rows), formulation, stabilised, yielding, partitioned)
    flow = kept.pop(key, None) or Flow(system, rows, formulation, stabilised, yielding=yielding, partitioned=partitioned)
    kept[key] = flow
    while len(kept) > _MOST:
        del kept[next(iter(kept))]
    return flow


def derivative_of(flow: Flow) -> Derivative:
    found: Derivative = vars(flow).setdefault("_derivative", None) or Derivative(flow)
    vars(flow)["_derivative"] = found
    return found


def residuals_of(flow: Flow) -> Residuals:
    """With conditions of laws evaluated as they come."""
    found: Residuals = vars(flow).setdefault("_residuals", None) or Residuals(flow, flagged=False)
    vars(flow)["_residuals"] = found
    return found
