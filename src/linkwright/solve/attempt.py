"""A step of an explicit Runge-Kutta method as one attempt of many runs side by side, in the language of `compile.lanes`.

The text is made for a method and for what is kept of a run. It does what `runge_kutta.step` and `stepping.first_step` do:
the same first step, the same estimate of the error and the same control of the step, so that a lane takes the steps that
the run would take alone. Each lane has a step of its own; those whose error is small accept it. What is shown within a step
comes from the method's interpolant, is projected, and goes into reductions at once or to its place in a history.

Its arrays and tables are told in `lane_form`, what it shows on the way in `lane_output`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.solve import lane_form as of
from linkwright.solve.lane_form import Form, combination, indented, parts
from linkwright.solve.lane_output import inside_dop853, output, reduction
from linkwright.solve.runge_kutta import GROWN, LEAST_APART, LOOKS, STIFF_DOP853, WITHIN_BY, WITHIN_LEAST
from linkwright.solve.stepping import EPSILON, LEAST_ERROR

LOG_LEAST = float(np.log(LEAST_ERROR))


def sources(form: Form) -> str:
    """``begin`` and ``attempt``, which take the arguments of.ARGUMENTS."""
    attempt = _fixed(form) if form.method.fixed else _adaptive(form)
    return _begin(form) + "\n\n" + attempt


# -- norms ------------------------------------------------------------------------------------------------------------------
def _runs(weights: Sequence[float]) -> list[tuple[int, int]]:
    """The ranges [begin, end) of numbers in a row whose error is measured."""
    measured = np.asarray(weights) > 0
    measured, work = measured[:-1], bool(measured[-1])  # the work has a tolerance of its own
    edges = np.flatnonzero(np.diff(np.concatenate([[0], measured, [0]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)] + ([(len(measured), len(measured) + 1)] if work else [])


def _norms(form: Form, size: str, errors: dict[str, str]) -> str:
    """Weighted root mean squares of the `errors`, by the scale of numbers of this size."""
    out = "".join(f"{name} = each(0.0)\n" for name in errors)
    total = sum(form.weights)
    even = len({w for w in form.weights if w > 0}) == 1
    for begin, end in _runs(form.weights):
        out += f"for i in range({begin}, {end}):\n"
        atol = f"lane[{of.ATOL}]" if begin == form.n - 1 else "tol[i]"
        out += f"    per = 1.0 / max({atol} + tol[n + i] * min({size}, tol[3 * n + i]), 1e-300)\n"
        for name, error in errors.items():
            out += f"    e = ({error}) * per\n    {name} += {'' if even else 'tol[2 * n + i] * '}e * e\n"
    by = float(1.0 / max(sum(w > 0 for w in form.weights) if even else total, 1e-300))
    return out + "".join(f"{name} = sqrt({name} * {by!r})\n" for name in errors)


# -- output -----------------------------------------------------------------------------------------------------------------


def _begin(form: Form) -> str:
    """The state of a fresh lane: its first derivative, its first step, what is shown of its start."""
    first = f"lane[{of.H}] = each(run[{of.FIRST_STEP}])\n" if form.method.fixed else _first_step(form)
    initial = "".join(f"acc[{r.at}] = each({of.AT_FIRST[r.op]!r})\n" for r in form.reduced if r.op != "history")
    registers = {
        of.T: f"run[{of.T_START}]", of.LOG_OLD: repr(LOG_LEAST), of.NEXT_T: "times[0]", of.LEFT: repr(float(form.patience)),
        of.LOOK_T: f"run[{of.T_START}]", of.HEALTH: "1e308", of.SIZE: "-1.0",
    }  # fmt: skip
    set_up = "".join(f"lane[{k}] = each({registers.get(k, '0.0')})\n" for k in range(of.REGISTERS) if k not in of.GIVEN)
    body = f"""
{set_up}{initial}
tau = lane[{of.T}]
time[0] = tau
motion(time, y, {of.INPUTS}, K)
{first}
for i in range(n):
    x[i] = y[i]
due = lane[{of.T}] < 1e308
{reduction(form)}
"""
    return f"def begin({of.ARGUMENTS}):\n" + indented(body)


def _first_step(form: Form) -> str:
    """Hairer, Norsett, Wanner I, II.4, as `stepping.first_step`."""
    exponent, given = 1.0 / (form.method.error_order + 1), f"run[{of.FIRST_STEP}]"
    return f"""
span = run[{of.T_END}] - run[{of.T_START}]
{_norms(form, "abs(y[i])", {"d0": "y[i]", "d1": "K[i]"})}
small = d0 < 1e-5 or d1 < 1e-5
h0 = min(where(small, 1e-6, 0.01 * d0 / max(d1, 1e-300)), span)
for i in range(n):
    x[i] = y[i] + h0 * K[i]
time[0] = run[{of.T_START}] + h0
motion(time, x, {of.INPUTS}, z)
total = each(0.0)
for i in range(n):
    total += abs(z[i])
{_norms(form, "abs(y[i])", {"d2": "z[i] - K[i]"})}
fine = isfinite(total)
d2 = where(fine, d2 / h0, 0.0)
h0 = where(fine, h0, 0.01 * h0)
steep = max(d1, d2)
h1 = where(steep > 1e-15, exp({exponent!r} * log(0.01 / max(steep, 1e-300))), max(1e-6, h0 * 1e-3))
lane[{of.H}] = where(each({given}) > 0.0, {given}, min(min(100.0 * h0, h1), min(span, run[{of.MAX_STEP}])))
"""


# -- steps ------------------------------------------------------------------------------------------------------------------


def _stages(form: Form) -> str:
    """The text of all stages after the first, and of the new state z."""
    C, A, B, _ = parts(form.method)
    out = ""
    for m in range(1, form.stages):
        out += f"""
for i in range(n):
    x[i] = y[i] + h * ({combination(A[m, :m])})
time[0] = t + {float(C[m])!r} * h
motion(time, x, {of.INPUTS}, K[{m} * n:])"""
    return (
        out
        + f"""
for i in range(n):
    z[i] = y[i] + h * ({combination(B)})
"""
    )


def _arrive(form: Form) -> str:
    """The new state projected, and its derivative."""
    last = f"K[{form.stages} * n:]"
    project = f"""
for i in range(n):
    x[i] = z[i]
arrive(time, x, {of.INPUTS}, z, {last})
"""
    return f"""
time[0] = t1
{project if form.projects else f"motion(time, z, {of.INPUTS}, {last})"}
"""


def _estimate(form: Form) -> str:
    """The error, and which lanes accept; the state z is projected where that is so."""
    s, (_, _, _, rest) = form.stages, parts(form.method)
    size = "max(abs(y[i]), abs(z[i]))"
    if form.method.name == "dopri5":
        errors = {"error": f"h * ({combination(rest[: s + 1])})"}
        return f"{_arrive(form)}{_norms(form, size, errors)}\ngood = running and error < 1.0\n"
    errors = {
        "first": f"h * ({combination(rest[:s])})", "second": f"h * ({combination(rest[s + 1 : 2 * s + 1])})"
    }  # fmt: skip
    last = form.stages + 4  # a row that is free until the interpolant is prepared
    return f"""
{_norms(form, size, errors)}
error = first * first / sqrt(first * first + 0.01 * second * second + 1e-300)
good = running and error < 1.0
if any(good):
    for i in range(n):
        K[{last} * n + i] = x[i]
{indented(_arrive(form))}
{indented(_ruled(form, last, size))}
"""


def _ruled(form: Form, last: int, size: str) -> str:
    """Steps that stability rules and those that have grown are judged by their interpolant, too, as in `runge_kutta.step`.
    last: the row of the state of the last stage."""
    s, (prepare, missed) = form.stages, inside_dop853(form)
    return f"""
above = each(0.0)
below = each(0.0)
extent = each(0.0)
for i in range(n):
    steep = K[{s} * n + i] - K[{s - 1} * n + i]
    apart = z[i] - K[{last} * n + i]
    above += steep * steep
    below += apart * apart
    extent += z[i] * z[i]
stable = good and below > {LEAST_APART**2!r} * extent and h * h * above > {STIFF_DOP853**2!r} * below
grown = good and lane[{of.LAST}] > 0.0 and h > {GROWN!r} * lane[{of.LAST}]
judged = (stable or grown) and lane[{of.MISSED}] < {LOOKS - 0.5!r}
if any(judged):
{indented(prepare)}
{indented(_norms(form, size, {"within": missed}))}
    within *= {1.0 / WITHIN_BY!r}
    error = where(judged and not within <= {WITHIN_LEAST!r}, max(error, within), error)
    lane[{of.MISSED}] += where(judged and within >= 1.0, 1.0, 0.0)
    good = good and error < 1.0
lane[{of.LAST}] = where(good, h, lane[{of.LAST}])
lane[{of.MISSED}] = where(good, 0.0, lane[{of.MISSED}])
"""


def _adaptive(form: Form) -> str:
    """The text of one attempt of `runge_kutta.step`."""
    m = form.method
    exponent = 1.0 / (m.error_order + 1)
    body = f"""
running = lane[{of.OUTCOME}] == 0.0
t = lane[{of.T}]
left = run[{of.T_END}] - t
size = min(lane[{of.H}], run[{of.MAX_STEP}])
h = where(1.01 * size >= left and left <= {1.0 + 1e-9!r} * run[{of.MAX_STEP}], left, size)
t1 = where(h == left, run[{of.T_END}], t + h)
least = {10.0 * EPSILON!r} * abs(t) + 1e-26 * (run[{of.T_END}] - run[{of.T_START}])
lane[{of.OUTCOME}] = where(running and h < least, {float(of.STUCK)}, lane[{of.OUTCOME}])
running = lane[{of.OUTCOME}] == 0.0
{_stages(form)}
{_estimate(form)}
total = error
for i in range(n):
    total += abs(z[i]) + abs(K[{form.stages} * n + i])
fine = isfinite(error) and (isfinite(total) or not good)
good = good and fine
size = log(max(error, {LEAST_ERROR!r}))
power = where(good, {0.75 * m.beta - exponent!r} * size + {m.beta!r} * lane[{of.LOG_OLD}], {-exponent!r} * size)
factor = max({m.least!r}, min({m.most!r}, {m.safety!r} * exp(min(power, 600.0))))
factor = where(lane[{of.HELD}] > 0.5 or not good, min(factor, 1.0), factor)
factor = where(fine, factor, 0.25)
lane[{of.LOG_OLD}] = where(good, size, lane[{of.LOG_OLD}])
lane[{of.HELD}] = where(good, 0.0, 1.0)
lane[{of.H}] = h * factor
lane[{of.REJECTED}] += where(running and not good, 1.0, 0.0)
{_finish(form)}
"""
    return f"def attempt({of.ARGUMENTS}):\n" + indented(body)


def _fixed(form: Form) -> str:
    """The text of `runge_kutta.fixed_step`: times are of.T_START + k h, so that they do not drift."""
    body = f"""
running = lane[{of.OUTCOME}] == 0.0
t = lane[{of.T}]
size = min(lane[{of.H}], run[{of.MAX_STEP}])
t1 = run[{of.T_START}] + size * (lane[{of.STEPS}] + 1.0)
t1 = where(run[{of.T_END}] - t1 < 1e-6 * size, run[{of.T_END}], t1)
h = t1 - t
{_stages(form)}
{_arrive(form)}
total = each(0.0)
for i in range(n):
    total += abs(z[i]) + abs(K[{form.stages} * n + i])
good = running and isfinite(total)
lane[{of.OUTCOME}] = where(running and not good, {float(of.NO_NUMBER)}, lane[{of.OUTCOME}])
{_finish(form)}
"""
    return f"def attempt({of.ARGUMENTS}):\n" + indented(body)


def _finish(form: Form) -> str:
    """Output within the step, then the new state becomes the state."""
    outcome = f"lane[{of.OUTCOME}]"
    look = f"""
lane[{of.LEFT}] -= where(good, 1.0, 0.0)
look = good and lane[{of.LEFT}] < 0.5
stiff = look and {float(form.patience)} * (run[{of.T_END}] - t1) >= {float(form.worth)} * (t1 - lane[{of.LOOK_T}])
lane[{of.OUTCOME}] = where(stiff, {float(of.LOOK)}, lane[{of.OUTCOME}])
lane[{of.LEFT}] = where(look, {float(form.patience)}, lane[{of.LEFT}])
lane[{of.LOOK_T}] = where(look, t1, lane[{of.LOOK_T}])
"""
    return f"""
due = good and lane[{of.NEXT_T}] <= t1
if any(due):
{indented(output(form))}
for i in range(n):
    K[i] = where(good, K[{form.stages} * n + i], K[i])
    y[i] = where(good, z[i], y[i])
lane[{of.T}] = where(good, t1, t)
lane[{of.STEPS}] += where(good, 1.0, 0.0)
{look if form.patience else ""}
long = lane[{of.STEPS}] + lane[{of.REJECTED}] >= run[{of.MOST_STEPS}] and lane[{of.T}] < run[{of.T_END}]
lane[{of.OUTCOME}] = where(running and long, {float(of.TOO_LONG)}, lane[{of.OUTCOME}])
{outcome} = where({outcome} == 0.0 and lane[{of.T}] >= run[{of.T_END}], {float(of.DONE)}, {outcome})
"""


# -- interpolants ---------------------------------------------------------------------------------------------------------
