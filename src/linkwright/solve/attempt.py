"""A step of an explicit Runge-Kutta method as one attempt of many runs side by side, in the language of `compile.lanes`.

The text is made for a method and for what is kept of a run. It does what `runge_kutta.step` and `stepping.first_step` do:
the same first step, the same estimate of the error and the same control of the step, so that a lane takes the steps that
the run would take alone. Each lane has a step of its own; those whose error is small accept it. What is shown within a step
comes from the method's interpolant, is projected, and goes into reductions at once or to its place in a history.

Arrays of a lane: y the state; b, tune inputs of the traced functions; K the stages and after them the interpolant; z, x
states; out, more what `shown` gives; acc the reductions; lane the registers below. Tables: tol (atol, rtol, weight, cap),
run (numbers of the run, below), times (of output, an infinite one after the last), hist (histories of all runs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.solve.methods import Method
from linkwright.solve.stepping import EPSILON

# Registers of a lane.
T, H, LOG_OLD, HELD, STEPS, REJECTED, OUTCOME, NEXT, NEXT_T, LEFT, LOOK_T, TAU, SEEN, ROW, ATOL = range(15)
HEALTH, KINETIC, POTENTIAL, OFF, SIZE = range(15, 20)  # the smallest pivot; energies at first, their balance, their size
REGISTERS = 20
GIVEN = (H, ROW, ATOL)  # set before a lane begins: where its histories are, the tolerance of the work
# Numbers of a run.
T_START, T_END, MAX_STEP, FIRST_STEP, MOST_STEPS = range(5)
NUMBERS = 5
# Outcomes; negative: the run is left to the integrator that can tell why, or go on.
RUNNING, DONE, STUCK, NO_NUMBER, LOOK, TOO_LONG = 0, 1, -1, -2, -3, -4
OUTCOMES = {
    STUCK: "the step became too small", NO_NUMBER: "a quantity was no number", LOOK: "it may be stiff",
    TOO_LONG: "it took too many steps",
}  # fmt: skip

ARGUMENTS = (
    "y: Array, b: Array, none: Array, tune: Array, lane: Array, K: Array, z: Array, x: Array, time: Array, out: Array, "
    "more: Array, acc: Array, tol: Table, run: Table, times: Table, hist: Table"
)
ARRAYS = ("y", "b", "none", "tune", "lane", "K", "z", "x", "time", "out", "more", "acc")
TABLES = ("tol", "run", "times", "hist")
INPUTS = "b, none, none, tune"  # of traced functions, after time and state: no values of laws in Python, no flags
LOG_LEAST = float(np.log(1e-4))
EXTRA = ("health", "kinetic", "potential")  # what `shown` gives in `more`


@dataclass(frozen=True)
class Reduced:
    """What becomes of a quantity at the times of output: `op` is one of REDUCE, or "history"; `at`: where in `acc`, or the
    number of the history."""

    op: str
    quantity: int
    at: int


REDUCE = {
    "largest": "max(acc[{a}], abs(out[{q}]))", "highest": "max(acc[{a}], out[{q}])", "lowest": "min(acc[{a}], out[{q}])",
    "integral": "acc[{a}] + where(lane[{SEEN}] > 0.5, 0.5 * (out[{q}] + acc[{a} + 1]) * (tau - lane[{TAU}]), 0.0)",
    "square": "acc[{a}] + where(lane[{SEEN}] > 0.5, 0.5 * (out[{q}] * out[{q}] + acc[{a} + 1] * acc[{a} + 1]) "
    "* (tau - lane[{TAU}]), 0.0)",
    "last": "out[{q}]",
}  # fmt: skip
# Before the first output; integrals have the last value after them.
AT_FIRST = {"largest": 0.0, "highest": -1e308, "lowest": 1e308, "integral": 0.0, "square": 0.0, "last": 0.0}


@dataclass(frozen=True)
class Form:
    """What the text depends on. n: numbers of a state; weights: of the error, a positive one each where it is measured;
    projects: states are; patience, worth: after so many steps a run leaves that has so many more to go, or never."""

    method: Method
    n: int
    weights: tuple[float, ...]
    projects: bool
    reduced: tuple[Reduced, ...]
    points: int
    patience: int = 0
    worth: int = 0

    @property
    def stages(self) -> int:
        return self.method.stages

    @property
    def rows(self) -> int:
        """Of K: stages with that at the new state, further ones of the interpolant, its coefficients."""
        return self.stages + 1 + {"dopri5": 1, "dop853": 10}.get(self.method.name, 0)

    @property
    def histories(self) -> int:
        return sum(r.op == "history" for r in self.reduced)

    @property
    def room(self) -> int:
        """Of `acc`."""
        return 1 + max((r.at for r in self.reduced if r.op != "history"), default=0)


def combination(weights: Sequence[float] | np.ndarray, row: str = "K") -> str:
    """sum of w_j k_j, of the i-th number."""
    terms = [f"{float(w)!r} * {row}[{j} * n + i]" for j, w in enumerate(weights) if w != 0.0]
    return " + ".join(terms)


def sources(form: Form) -> str:
    """``begin`` and ``attempt``, which take the arguments ARGUMENTS."""
    attempt = _fixed(form) if form.method.fixed else _adaptive(form)
    return _begin(form) + "\n\n" + attempt


def _indented(text: str, by: int = 4) -> str:
    return "".join(f"{' ' * by}{line}\n" if line else "\n" for line in text.strip("\n").splitlines())


# -- norms ------------------------------------------------------------------------------------------------------------------
def _runs(weights: Sequence[float]) -> list[tuple[int, int]]:
    """Where the error is measured: [begin, end) of numbers in a row."""
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
        atol = f"lane[{ATOL}]" if begin == form.n - 1 else "tol[i]"
        out += f"    per = 1.0 / max({atol} + tol[n + i] * min({size}, tol[3 * n + i]), 1e-300)\n"
        for name, error in errors.items():
            out += f"    e = ({error}) * per\n    {name} += {'' if even else 'tol[2 * n + i] * '}e * e\n"
    by = float(1.0 / max(sum(w > 0 for w in form.weights) if even else total, 1e-300))
    return out + "".join(f"{name} = sqrt({name} * {by!r})\n" for name in errors)


# -- output -----------------------------------------------------------------------------------------------------------------
def _reduce(form: Form) -> str:
    """What the state x at the time tau, shown by the lanes of the mask `due`, leaves."""
    out = f"""
time[0] = tau
shown(time, x, {INPUTS}, out, more)
total = abs(more[0]) + abs(more[1]) + abs(more[2])
for i in range(shown_numbers):
    total += abs(out[i])
lane[{OUTCOME}] = where(due and not isfinite(total), {float(NO_NUMBER)}, lane[{OUTCOME}])
fresh = due and lane[{SIZE}] < 0.0
lane[{KINETIC}] = where(fresh, more[1], lane[{KINETIC}])
lane[{POTENTIAL}] = where(fresh, more[2], lane[{POTENTIAL}])
gained = more[1] - lane[{KINETIC}]
lifted = more[2] - lane[{POTENTIAL}]
lane[{HEALTH}] = where(due, min(lane[{HEALTH}], more[0]), lane[{HEALTH}])
lane[{OFF}] = where(due, max(lane[{OFF}], abs(gained + lifted - x[n - 1])), lane[{OFF}])
lane[{SIZE}] = where(due, max(lane[{SIZE}], more[1] + abs(x[n - 1]) + abs(lifted)), lane[{SIZE}])
"""
    return out + _kept(form)


def _kept(form: Form) -> str:
    out = f"asked = due and tau >= lane[{NEXT_T}]\n"
    for r in form.reduced:
        if r.op == "history":
            out += f"scatter(hist, lane[{ROW}] + lane[{NEXT}] + {float(r.at * form.points)}, out[{r.quantity}], asked)\n"
        else:
            new = REDUCE[r.op].format(a=r.at, q=r.quantity, SEEN=SEEN, TAU=TAU)
            out += f"acc[{r.at}] = where(asked, {new}, acc[{r.at}])\n"
    return (
        out
        + f"""
lane[{TAU}] = where(asked, tau, lane[{TAU}])
lane[{SEEN}] = where(asked, 1.0, lane[{SEEN}])
lane[{NEXT}] += where(asked, 1.0, 0.0)
lane[{NEXT_T}] = gather(times, lane[{NEXT}])
"""
    )


def _begin(form: Form) -> str:
    """The state of a fresh lane: its first derivative, its first step, what is shown of its start."""
    first = f"lane[{H}] = each(run[{FIRST_STEP}])\n" if form.method.fixed else _first_step(form)
    initial = "".join(f"acc[{r.at}] = each({AT_FIRST[r.op]!r})\n" for r in form.reduced if r.op != "history")
    registers = {
        T: f"run[{T_START}]", LOG_OLD: repr(LOG_LEAST), NEXT_T: "times[0]", LEFT: repr(float(form.patience)),
        LOOK_T: f"run[{T_START}]", HEALTH: "1e308", SIZE: "-1.0",
    }  # fmt: skip
    set_up = "".join(f"lane[{k}] = each({registers.get(k, '0.0')})\n" for k in range(REGISTERS) if k not in GIVEN)
    body = f"""
{set_up}{initial}
tau = lane[{T}]
time[0] = tau
motion(time, y, {INPUTS}, K)
{first}
for i in range(n):
    x[i] = y[i]
due = lane[{T}] < 1e308
{_reduce(form)}
"""
    return f"def begin({ARGUMENTS}):\n" + _indented(body)


def _first_step(form: Form) -> str:
    """Hairer, Norsett, Wanner I, II.4, as `stepping.first_step`."""
    exponent = 1.0 / (form.method.error_order + 1)
    return f"""
span = run[{T_END}] - run[{T_START}]
{_norms(form, "abs(y[i])", {"d0": "y[i]", "d1": "K[i]"})}
small = d0 < 1e-5 or d1 < 1e-5
h0 = min(where(small, 1e-6, 0.01 * d0 / max(d1, 1e-300)), span)
for i in range(n):
    x[i] = y[i] + h0 * K[i]
time[0] = run[{T_START}] + h0
motion(time, x, {INPUTS}, z)
total = each(0.0)
for i in range(n):
    total += abs(z[i])
{_norms(form, "abs(y[i])", {"d2": "z[i] - K[i]"})}
fine = isfinite(total)
d2 = where(fine, d2 / h0, 0.0)
h0 = where(fine, h0, 0.01 * h0)
steep = max(d1, d2)
h1 = where(steep > 1e-15, exp({exponent!r} * log(0.01 / max(steep, 1e-300))), max(1e-6, h0 * 1e-3))
lane[{H}] = where(each(run[{FIRST_STEP}]) > 0.0, run[{FIRST_STEP}], min(min(100.0 * h0, h1), min(span, run[{MAX_STEP}])))
"""


# -- steps ------------------------------------------------------------------------------------------------------------------
def _parts(method: Method) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """C, A, B and what follows."""
    c, s = method.coefficients(), method.stages
    return c[:s], c[s : s + s * s].reshape(s, s), c[s + s * s : s + s * s + s], c[s + s * s + s :]


def _stages(form: Form) -> str:
    """All after the first, and the new state z."""
    C, A, B, _ = _parts(form.method)
    out = ""
    for m in range(1, form.stages):
        out += f"""
for i in range(n):
    x[i] = y[i] + h * ({combination(A[m, :m])})
time[0] = t + {float(C[m])!r} * h
motion(time, x, {INPUTS}, K[{m} * n:])"""
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
arrive(time, x, {INPUTS}, z, {last})
"""
    return f"""
time[0] = t1
{project if form.projects else f"motion(time, z, {INPUTS}, {last})"}
"""


def _estimate(form: Form) -> str:
    """The error, and which lanes accept; the state z is projected where that is so."""
    s, (_, _, _, rest) = form.stages, _parts(form.method)
    size = "max(abs(y[i]), abs(z[i]))"
    if form.method.name == "dopri5":
        errors = {"error": f"h * ({combination(rest[: s + 1])})"}
        return f"{_arrive(form)}{_norms(form, size, errors)}\ngood = running and error < 1.0\n"
    errors = {
        "first": f"h * ({combination(rest[:s])})", "second": f"h * ({combination(rest[s + 1 : 2 * s + 1])})"
    }  # fmt: skip
    return f"""
{_norms(form, size, errors)}
error = first * first / sqrt(first * first + 0.01 * second * second + 1e-300)
good = running and error < 1.0
if any(good):
{_indented(_arrive(form))}
"""


def _adaptive(form: Form) -> str:
    """As `runge_kutta.step`, one attempt."""
    m = form.method
    exponent = 1.0 / (m.error_order + 1)
    body = f"""
running = lane[{OUTCOME}] == 0.0
t = lane[{T}]
left = run[{T_END}] - t
size = min(lane[{H}], run[{MAX_STEP}])
h = where(1.01 * size >= left and left <= {1.0 + 1e-9!r} * run[{MAX_STEP}], left, size)
t1 = where(h == left, run[{T_END}], t + h)
least = {10.0 * EPSILON!r} * abs(t) + 1e-26 * (run[{T_END}] - run[{T_START}])
lane[{OUTCOME}] = where(running and h < least, {float(STUCK)}, lane[{OUTCOME}])
running = lane[{OUTCOME}] == 0.0
{_stages(form)}
{_estimate(form)}
total = error
for i in range(n):
    total += abs(z[i]) + abs(K[{form.stages} * n + i])
fine = isfinite(error) and (isfinite(total) or not good)
good = good and fine
size = log(max(error, 1e-300))
power = where(good, {0.75 * m.beta - exponent!r} * size + {m.beta!r} * lane[{LOG_OLD}], {-exponent!r} * size)
factor = max({m.least!r}, min({m.most!r}, {m.safety!r} * exp(min(power, 600.0))))
factor = where(lane[{HELD}] > 0.5 or not good, min(factor, 1.0), factor)
factor = where(fine, factor, 0.25)
lane[{LOG_OLD}] = where(good, max(size, {LOG_LEAST!r}), lane[{LOG_OLD}])
lane[{HELD}] = where(good, 0.0, 1.0)
lane[{H}] = h * factor
lane[{REJECTED}] += where(running and not good, 1.0, 0.0)
{_finish(form)}
"""
    return f"def attempt({ARGUMENTS}):\n" + _indented(body)


def _fixed(form: Form) -> str:
    """As `runge_kutta.fixed_step`: times are T_START + k h, so that they do not drift."""
    body = f"""
running = lane[{OUTCOME}] == 0.0
t = lane[{T}]
size = min(lane[{H}], run[{MAX_STEP}])
t1 = run[{T_START}] + size * (lane[{STEPS}] + 1.0)
t1 = where(run[{T_END}] - t1 < 1e-6 * size, run[{T_END}], t1)
h = t1 - t
{_stages(form)}
{_arrive(form)}
total = each(0.0)
for i in range(n):
    total += abs(z[i]) + abs(K[{form.stages} * n + i])
good = running and isfinite(total)
lane[{OUTCOME}] = where(running and not good, {float(NO_NUMBER)}, lane[{OUTCOME}])
{_finish(form)}
"""
    return f"def attempt({ARGUMENTS}):\n" + _indented(body)


def _finish(form: Form) -> str:
    """Output within the step, then the new state becomes the state."""
    look = f"""
lane[{LEFT}] -= where(good, 1.0, 0.0)
look = good and lane[{LEFT}] < 0.5
stiff = look and {float(form.patience)} * (run[{T_END}] - t1) >= {float(form.worth)} * (t1 - lane[{LOOK_T}])
lane[{OUTCOME}] = where(stiff, {float(LOOK)}, lane[{OUTCOME}])
lane[{LEFT}] = where(look, {float(form.patience)}, lane[{LEFT}])
lane[{LOOK_T}] = where(look, t1, lane[{LOOK_T}])
"""
    return f"""
due = good and lane[{NEXT_T}] <= t1
if any(due):
{_indented(_show(form))}
for i in range(n):
    K[i] = where(good, K[{form.stages} * n + i], K[i])
    y[i] = where(good, z[i], y[i])
lane[{T}] = where(good, t1, t)
lane[{STEPS}] += where(good, 1.0, 0.0)
{look if form.patience else ""}
long = lane[{STEPS}] + lane[{REJECTED}] >= run[{MOST_STEPS}] and lane[{T}] < run[{T_END}]
lane[{OUTCOME}] = where(running and long, {float(TOO_LONG)}, lane[{OUTCOME}])
lane[{OUTCOME}] = where(lane[{OUTCOME}] == 0.0 and lane[{T}] >= run[{T_END}], {float(DONE)}, lane[{OUTCOME}])
"""


# -- interpolants ---------------------------------------------------------------------------------------------------------
def _show(form: Form) -> str:
    prepare, interpolate = {"dopri5": _of_dopri5, "dop853": _of_dop853}.get(form.method.name, _of_hermite)(form)
    project = f"""
    for i in range(n):
        out_of[i] = x[i]
    projection(time, out_of, {INPUTS}, x)
""".replace("out_of", f"K[{form.rows} * n:]")
    return f"""
inside = due and lane[{NEXT_T}] < t1
if any(inside):
{_indented(prepare)}
while any(due):
    tau = lane[{NEXT_T}]
    inside = due and tau < t1
    if any(inside):
        time[0] = tau
        theta = (tau - t) / h
{_indented(interpolate, 8)}
{_indented(project, 4) if form.projects else ""}
        for i in range(n):
            x[i] = where(inside, x[i], z[i])
    if not any(inside):
        for i in range(n):
            x[i] = z[i]
{_indented(_reduce(form))}
    due = due and lane[{NEXT_T}] <= t1
"""


def _of_hermite(form: Form) -> tuple[str, str]:
    last = f"K[{form.stages} * n + i]"
    return (
        "pass",
        f"""
a = theta * theta * (3.0 - 2.0 * theta)
c = h * theta * (1.0 - theta) * (1.0 - theta)
d = h * theta * theta * (theta - 1.0)
for i in range(n):
    x[i] = y[i] + a * (z[i] - y[i]) + c * K[i] + d * {last}
""",
    )


def _of_dopri5(form: Form) -> tuple[str, str]:
    """Shampine's polynomial, and what it misses the projected state by, fading in."""
    s = form.stages
    P = _parts(form.method)[3][s + 1 :].reshape(s + 1, 4)
    missed = f"""
for i in range(n):
    K[{s + 1} * n + i] = z[i] - (y[i] + h * ({combination(P.sum(axis=1))}))
"""
    used = [j for j in range(s + 1) if P[j].any()]
    terms = [
        f"p{j} = theta * ({float(P[j, 0])!r} + theta * ({float(P[j, 1])!r} + theta * ({float(P[j, 2])!r} + theta * "
        f"{float(P[j, 3])!r})))" for j in used
    ]  # fmt: skip
    total = " + ".join(f"p{j} * K[{j} * n + i]" for j in used)
    return (
        missed,
        "\n".join(terms)
        + f"""
fade = theta * theta * (3.0 - 2.0 * theta)
for i in range(n):
    x[i] = y[i] + h * ({total}) + fade * K[{s + 1} * n + i]
""",
    )


def _of_dop853(form: Form) -> tuple[str, str]:
    """Hairer's polynomial of order 7, from three more stages."""
    s = form.stages
    rest = _parts(form.method)[3][2 * (s + 1) :]
    C, A, D = rest[:3], rest[3 : 3 + 48].reshape(3, 16), rest[51 : 51 + 64].reshape(4, 16)
    out = ""
    for m in range(3):
        out += f"""
for i in range(n):
    x[i] = y[i] + h * ({combination(A[m])})
time[0] = t + {float(C[m])!r} * h
motion(time, x, {INPUTS}, K[{s + 1 + m} * n:])"""
    F = s + 4
    out += f"""
for i in range(n):
    difference = z[i] - y[i]
    K[{F} * n + i] = difference
    K[{F + 1} * n + i] = h * K[i] - difference
    K[{F + 2} * n + i] = 2.0 * difference - h * (K[{s} * n + i] + K[i])
"""
    for m in range(4):
        out += f"    K[{F + 3 + m} * n + i] = h * ({combination(D[m])})\n"
    nested = f"K[{F + 6} * n + i] * theta"
    for k in range(5, -1, -1):
        nested = f"({nested} + K[{F + k} * n + i]) * {'(1.0 - theta)' if k % 2 else 'theta'}"
    return out, f"\nrest = 1.0 - theta\nfor i in range(n):\n    x[i] = y[i] + {nested.replace('(1.0 - theta)', 'rest')}\n"
