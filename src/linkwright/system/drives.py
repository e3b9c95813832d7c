"""Motors and controllers: efforts along a quantity, with states of their own where the law has memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from linkwright import model as m
from linkwright.graph import Expr, Scalar, maximum, minimum, where
from linkwright.model.values import is_some
from linkwright.system import switches
from linkwright.system.constraints import Traced
from linkwright.system.geometry import Geometry
from linkwright.system.load import Load, Setpoint
from linkwright.system.quantities import rate_of, resolve, state_symbol
from linkwright.system.reactions import effort_name

if TYPE_CHECKING:
    from linkwright.system.forces import Loads

HALT = 1e-4  # of the range between a controller's limits: the band beyond a limit over which its integral comes to a halt


def carried_along(g: Geometry, elements: Iterable[m.Element]) -> list[tuple[Scalar, Scalar]]:
    """(s, J) of `Inertia` and of motors' rotors."""
    found: list[tuple[Scalar, Scalar]] = []
    for e in elements:
        if isinstance(e, m.Inertia):
            found.append((resolve(g, [e.quantity])[0], e.J))
        elif isinstance(e, m.Motor) and is_some(e.rotor):
            found.append((resolve(g, [e.quantity])[0], e.rotor * e.ratio * e.ratio))
    return found


def motor(t: Loads, e: m.Motor) -> Load:
    """A direct-current motor: L di/dt = V - R i - k ratio sdot, effort ratio k i. Its input is the voltage."""
    s = resolve(t.g, [e.quantity])[0]
    v = t.rate(s)
    V = t.law(e, e.voltage, {"s": s, "v": v, "t": m.TIME})
    back = e.k * e.ratio * v
    name, gain = effort_name(t.g.model, e), e.ratio * e.k
    if e.states:
        i = state_symbol(f"{e.name}.current")
        t.g.state_rates[i] = (V - e.resistance * i - back) / e.inductance
        told: dict[str, Scalar] = {name: gain * i, "current": i, "power": V * i}
        faster = 1 / e.inductance
        through = {"power": i, "current.rate": faster}
        return Load(e.name, t.along(s, gain * i), None, told, rates={i: faster}, through=through)
    current = (V - back) / e.resistance
    told = {name: gain * current, "current": current, "power": V * current}
    by_volt = {name: gain / e.resistance, "current": 1 / e.resistance, "power": current + V / e.resistance}
    return Load(e.name, t.along(s, told[name]), None, told, t.along(s, by_volt[name]), through=by_volt)


def _fading(beyond: Scalar) -> Scalar:
    """One up to a limit, zero a band beyond it, without a corner there: an integral that all but stands still does so near
    that end, and would come to it and go back at every step."""
    part: Scalar = minimum(maximum(1.0 - beyond, 0.0), 1.0)
    return part**4


def pid(t: Loads, e: m.PID) -> Load:
    """A controller: kp e + ki (integral of e) + kd edot, kept within its limits. The integral stands still while the effort
    that is asked for lies beyond a limit and the error would drive it further.

    It slows down over a narrow band beyond the limit. A sudden halt would have no solution where the effort falls back to
    the limit while the integral stands and leaves it again while the integral grows: it would switch without end.
    """
    s = resolve(t.g, [e.quantity])[0]
    target = Traced(t.g).motion(e.target)
    error = target - s
    told: dict[str, Scalar] = {"error": error}
    effort = e.kp * error + e.kd * rate_of(t.g, [error])[0]
    integral: Any = None
    if e.states:
        integral = told["integral"] = state_symbol(f"{e.name}.integral")
        effort = effort + e.ki * integral
    kept, growing, within, grows = effort, error, 1.0, 1.0
    if e.limits is not None:
        low, high = e.limits
        kept = minimum(maximum(effort, low), high)
        band = HALT * (high - low)
        up = where(e.ki < 0, minimum(error, 0.0), maximum(error, 0.0))  # the part of the error that raises the effort
        rises, falls = _fading((effort - high) / band), _fading((low - effort) / band)
        growing, grows = up * rises + (error - up) * falls, where(e.ki * error > 0, rises, falls)
        within = where((effort > high) | (effort < low), 0.0, 1.0)
    if integral is not None:
        t.g.state_rates[integral] = growing
    t.switches += switches.found(e.name, [x for x in (kept, growing) if type(x) is Expr], [effort])
    setpoint = Setpoint(e.kp * within, e.kd * within, {} if integral is None else {integral: grows})
    told = {effort_name(t.g.model, e): kept, **told}
    return Load(e.name, t.along(s, kept), None, told, t.along(s, 1.0), setpoint=setpoint)
