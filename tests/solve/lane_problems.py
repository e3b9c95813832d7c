"""A pendulum in Cartesian coordinates, whose states are projected onto its circle: for tests of runs in lanes."""

import numpy as np

from linkwright.compile import Function
from linkwright.graph import sin, sqrt, symbol, symbols
from linkwright.solve import lane_form, many
from linkwright.solve.integrate import Control, Integrator
from linkwright.solve.lane_form import Form, Reduced
from linkwright.solve.methods import method

TIMES = np.linspace(0.0, 2.0, 9)
LENGTH = 1.3


def functions():
    """motion, projection, shown: y = (x, y, vx, vy, work), b = (g, shake); the shaking force does the work."""
    t, y, b = symbol("t"), symbols("y", 5), symbols("b", 2)
    px, py, vx, vy, _ = y
    empty = symbols("none", 0)
    inputs = {"t": [t], "y": y, "b": b, "calls": empty, "flags": empty, "gains": empty}
    push = b[1] * sin(3.0 * t)
    # m = 1; gravity along -y, push along x, tension along the rod so that the rod's length stays
    lam = (vx * vx + vy * vy + push * px - b[0] * py) / (px * px + py * py)
    ydot = [vx, vy, push - lam * px, -b[0] - lam * py, push * vx]
    r = LENGTH / sqrt(px * px + py * py)
    x1, y1 = r * px, r * py
    out = (vx * x1 + vy * y1) / LENGTH**2
    motion = Function("motion", inputs, {"ydot": np.array(ydot, dtype=object)})
    projection = Function("projection", inputs, {"y": np.array([x1, y1, vx - out * x1, vy - out * y1, y[4]], dtype=object)})
    kept = {"kept": [px, vx * vy], "more": [1.0 + 0.0 * px, 0.5 * (vx * vx + vy * vy), b[0] * py]}
    shown = Function("shown", inputs, {k: np.array(v, dtype=object) for k, v in kept.items()})
    return motion, projection, shown


REDUCED = (
    Reduced("history", 0, 0), Reduced("history", 1, 1), Reduced("largest", 0, 0), Reduced("highest", 1, 1),
    Reduced("lowest", 1, 2), Reduced("integral", 0, 3), Reduced("last", 0, 4),
    Reduced("square", 1, 5), Reduced("last", 1, 6),
)  # fmt: skip
CONTROL = Control(rtol=1e-7, atol=1e-9, weight=np.array([1.0, 1.0, 1.0, 1.0, 0.0]), cap=np.array([0.5, *[np.inf] * 4]))


def form(name, **options):
    return Form(method(name), 5, tuple(CONTROL.weight), True, REDUCED, len(TIMES), **options)


def numbers(first_step=0.0, times=TIMES, most=1e6):
    run = np.zeros(lane_form.NUMBERS)
    run[[lane_form.T_START, lane_form.T_END]] = 0.0, 2.0
    run[[lane_form.MAX_STEP, lane_form.FIRST_STEP, lane_form.MOST_STEPS]] = np.inf, first_step, most
    return many.Numbers(CONTROL.array(5), run, times)


def runs(count, seed=3):
    """From rest and in motion, small and large swings."""
    rng = np.random.default_rng(seed)
    angle, speed = rng.uniform(-3, 3, count), rng.uniform(-6, 6, count)
    y = np.zeros((count, 5))
    y[:, 0], y[:, 1] = LENGTH * np.sin(angle), -LENGTH * np.cos(angle)
    y[:, 2], y[:, 3] = LENGTH * speed * np.cos(angle), LENGTH * speed * np.sin(angle)
    b = np.stack([rng.uniform(5, 15, count), rng.uniform(0, 4, count)], axis=1)
    return many.Runs(y, b, np.zeros((count, 0)), np.full(count, CONTROL.atol))


def alone(name, y, b, first_step=None):
    """The same run by the integrator of single runs."""
    from dataclasses import replace

    motion, projection, _ = functions()
    control = replace(CONTROL, first_step=first_step)
    empty = np.zeros(0)
    it = Integrator(motion, y, 0.0, method=name, control=control, project=projection, parameters=[b, empty, empty, empty])
    return it.run(2.0, t_eval=TIMES)
