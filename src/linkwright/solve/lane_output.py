"""The output of a step in lanes: the interpolants of the methods, reductions and histories."""

from __future__ import annotations

from linkwright.solve import lane_form as of
from linkwright.solve.lane_form import Form, combination, indented, parts


def reduction(form: Form) -> str:
    """The text that adds the state x at the time tau to the reductions, for the lanes of the mask `due`."""
    out = f"""
time[0] = tau
shown(time, x, {of.INPUTS}, out, more)
total = abs(more[0]) + abs(more[1]) + abs(more[2])
for i in range(shown_numbers):
    total += abs(out[i])
lane[{of.OUTCOME}] = where(due and not isfinite(total), {float(of.NO_NUMBER)}, lane[{of.OUTCOME}])
fresh = due and lane[{of.SIZE}] < 0.0
lane[{of.KINETIC}] = where(fresh, more[1], lane[{of.KINETIC}])
lane[{of.POTENTIAL}] = where(fresh, more[2], lane[{of.POTENTIAL}])
gained = more[1] - lane[{of.KINETIC}]
lifted = more[2] - lane[{of.POTENTIAL}]
lane[{of.HEALTH}] = where(due, min(lane[{of.HEALTH}], more[0]), lane[{of.HEALTH}])
lane[{of.OFF}] = where(due, max(lane[{of.OFF}], abs(gained + lifted - x[n - 1])), lane[{of.OFF}])
lane[{of.SIZE}] = where(due, max(lane[{of.SIZE}], more[1] + abs(x[n - 1]) + abs(lifted)), lane[{of.SIZE}])
"""
    return out + _kept(form)


def _kept(form: Form) -> str:
    out = f"asked = due and tau >= lane[{of.NEXT_T}]\n"
    for r in form.reduced:
        if r.op == "history":
            out += (
                f"scatter(hist, lane[{of.ROW}] + lane[{of.NEXT}] + {float(r.at * form.points)}, out[{r.quantity}], asked)\n"
            )
        else:
            new = of.REDUCE[r.op].format(a=r.at, q=r.quantity, SEEN=of.SEEN, TAU=of.TAU)
            out += f"acc[{r.at}] = where(asked, {new}, acc[{r.at}])\n"
    return (
        out
        + f"""
lane[{of.TAU}] = where(asked, tau, lane[{of.TAU}])
lane[{of.SEEN}] = where(asked, 1.0, lane[{of.SEEN}])
lane[{of.NEXT}] += where(asked, 1.0, 0.0)
lane[{of.NEXT_T}] = gather(times, lane[{of.NEXT}])
"""
    )


def output(form: Form) -> str:
    prepare, interpolate = {"dopri5": _of_dopri5, "dop853": _of_dop853}.get(form.method.name, _of_hermite)(form)
    project = f"""
    for i in range(n):
        out_of[i] = x[i]
    projection(time, out_of, {of.INPUTS}, x)
""".replace("out_of", f"K[{form.rows} * n:]")
    return f"""
inside = due and lane[{of.NEXT_T}] < t1
if any(inside):
{indented(prepare)}
while any(due):
    tau = lane[{of.NEXT_T}]
    inside = due and tau < t1
    if any(inside):
        time[0] = tau
        theta = (tau - t) / h
{indented(interpolate, 8)}
{indented(project, 4) if form.projects else ""}
        for i in range(n):
            x[i] = where(inside, x[i], z[i])
    if not any(inside):
        for i in range(n):
            x[i] = z[i]
{indented(reduction(form))}
    due = due and lane[{of.NEXT_T}] <= t1
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
    P = parts(form.method)[3][s + 1 :].reshape(s + 1, 4)
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
    """Hairer's polynomial of order 7."""
    shown = f"""
rest = 1.0 - theta
for i in range(n):
    x[i] = y[i] + {_polynomial(form)}
"""
    return inside_dop853(form)[0], shown


def inside_dop853(form: Form) -> tuple[str, str]:
    """Three more stages and the coefficients of the polynomial; by what it misses the last of those stages, x."""
    s = form.stages
    rest = parts(form.method)[3][2 * (s + 1) :]
    C, A, D = rest[:3], rest[3 : 3 + 48].reshape(3, 16), rest[51 : 51 + 64].reshape(4, 16)
    out = ""
    for m in range(3):
        out += f"""
for i in range(n):
    x[i] = y[i] + h * ({combination(A[m])})
time[0] = t + {float(C[m])!r} * h
motion(time, x, {of.INPUTS}, K[{s + 1 + m} * n:])"""
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
    return out, f"x[i] - (y[i] + {_polynomial(form, repr(float(C[2])), repr(1.0 - float(C[2])))})"


def _polynomial(form: Form, theta: str = "theta", rest: str = "rest") -> str:
    F = form.stages + 4
    nested = f"K[{F + 6} * n + i] * {theta}"
    for k in range(5, -1, -1):
        nested = f"({nested} + K[{F + k} * n + i]) * {rest if k % 2 else theta}"
    return nested
