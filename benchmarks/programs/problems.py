"""The problems that every program is given: what moves, for how long, which number is looked at, and its true value.

The references share nothing with any of the programs: one or two coordinates written by hand, or published digits. The
machines of Linkwright are those of the tests.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_banded

from benchmarks import dynamics

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
import benchmark_references as references

G = 9.81
CAR_AXIS = np.array([0.04934557843, 0.49698946023, 1.04174252489, 0.37391102727])  # IVP test set, release 2006


@dataclass(frozen=True)
class Problem:
    """`reference` gives the numbers looked at when the time is `span`."""

    name: str
    span: float
    looked_at: str
    reference: Callable[[], np.ndarray]

    def error(self, found: np.ndarray) -> float:
        return float(np.abs(np.asarray(found) - self.reference()).max())


def chain_end(n: int, span: float) -> np.ndarray:
    """x, y of the end of rod min(5, n) of n rods of 1 m and 1 kg that fall from the horizontal.

    The state is the angles; accelerations and joint forces come from one banded matrix of all bodies' equations and joints,
    which loses no digits where its Schur complement would.
    """
    kept, band = min(5, n), 7

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        theta, w = y[:n], y[n:]
        c, s = 0.5 * np.cos(theta), 0.5 * np.sin(theta)
        # unknowns of rod k: joint force fx, fy at 5k, then x'', y'', theta''; row r and column j are at [band + r - j, j]
        ab, right = np.zeros((2 * band + 1, 5 * n)), np.zeros(5 * n)

        def put(r: np.ndarray, j: np.ndarray, value: np.ndarray | float) -> None:
            ab[band + r - j, j] = value

        at = 5 * np.arange(n)
        put(at + 2, at + 2, 1.0), put(at + 3, at + 3, 1.0), put(at + 4, at + 4, 1 / 12)
        put(at + 2, at, -1.0), put(at + 3, at + 1, -1.0)  # force at the near end
        put(at + 4, at, -s), put(at + 4, at + 1, c)
        put(at[:-1] + 2, at[1:], 1.0), put(at[:-1] + 3, at[1:] + 1, 1.0)  # minus that on the next rod, at the far end
        put(at[:-1] + 4, at[1:], -s[:-1]), put(at[:-1] + 4, at[1:] + 1, c[:-1])
        right[at + 3] = -G
        (
            put(at, at + 2, 1.0),
            put(at, at + 4, s),
            put(at + 1, at + 3, 1.0),
            put(at + 1, at + 4, -c),
        )  # near end: a of this rod
        put(at[1:], at[:-1] + 2, -1.0), put(at[1:], at[:-1] + 4, s[:-1])  # less that of the far end of the rod before
        put(at[1:] + 1, at[:-1] + 3, -1.0), put(at[1:] + 1, at[:-1] + 4, -c[:-1])
        right[at], right[at + 1] = -c * w**2, -s * w**2
        right[at[1:]] -= (c * w**2)[:-1]
        right[at[1:] + 1] -= (s * w**2)[:-1]
        return np.concatenate([w, solve_banded((band, band), ab, right)[4::5]])

    run = solve_ivp(rates, (0, span), np.zeros(2 * n), method="DOP853", rtol=1e-12, atol=1e-13)
    theta = run.y[:kept, -1]
    return np.array([np.cos(theta).sum(), np.sin(theta).sum()])


def _chain(n: int) -> Problem:
    span = 10.0 if n == 1 else 1.0
    return Problem(f"chain-{n}", span, f"end of rod {min(5, n)}", cache(lambda: chain_end(n, span)))


def _windows(n: int) -> Problem:
    return Problem(f"four-bars-{n}", 10.0, "crank angle", cache(lambda: references.windows(np.array([0, 10.0]), n)[-1:]))


def _at(f: Callable[[np.ndarray], np.ndarray], span: float) -> Callable[[], np.ndarray]:
    return cache(lambda: np.atleast_2d(f(np.linspace(0, span, 3)))[:, -1])


PROBLEMS = {
    p.name: p
    for p in (
        *(_chain(n) for n in (1, 10, 100, 1000)),
        Problem("slider-crank", 10.0, "crank angle", cache(lambda: np.array([dynamics.exact()]))),
        _windows(1), _windows(40),
        Problem("andrews", 0.03, "beta (published)", lambda: np.array([15.8107711941])),
        Problem("car axis", 3.0, "both masses (published)", lambda: CAR_AXIS),
        Problem("bricard", 9.5, "P3", _at(references.bricard, 9.5)),
        Problem("flyball", 10.0, "height of the slider", _at(lambda t: references.flyball(t)[1:], 10.0)),
        Problem("spatial slider-crank", 5.0, "slider", _at(lambda t: references.spatial_slider_crank(t)[1:], 5.0)),
    )
}  # fmt: skip
