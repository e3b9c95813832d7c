"""sin, exp, ... of the compiled code against 200 bits, and numpy's at infinity, NaN and zero."""

from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf, workprec

from linkwright import graph
from linkwright.compile import Function
from linkwright.graph import symbol

BITS = 200
COUNT = 1500
# As stated in the docstrings of `compile.kernels`,
ULP = {"sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "exp": 1, "log": 1, "atan": 2, "atan2": 2, "power": 2}
ULP |= {"sinh": 1, "cosh": 1, "tanh": 2, "asinh": 1, "acosh": 1, "atanh": 1}  # and of `compile.hyperbolic`
MP = {name: getattr(mp, name) for name in ULP}
_functions: dict[str, Function] = {}


def compiled(name: str) -> Function:
    if name not in _functions:
        arguments = [symbol("a"), symbol("b")][: 2 if name in ("atan2", "power") else 1]
        inputs = {str(x.data): x for x in arguments}
        _functions[name] = Function(name, inputs, {"y": getattr(graph, name)(*arguments)})
    return _functions[name]


def error_in_ulp(found: float, exact) -> float:
    rounded = float(exact)
    if np.isinf(rounded):
        return 0.0 if found == rounded else np.inf
    return float(abs(mpf(float(found)) - exact) / mpf(float(np.spacing(abs(rounded)))))


def check(name: str, *arguments: np.ndarray) -> None:
    f = compiled(name)
    (found,) = f.batch(*arguments)
    scalar = [f(*[a[k] for a in arguments])[0] for k in range(0, len(found), 5)]
    assert np.array_equal(scalar, found[::5]), "one lane and several give other bits"
    with workprec(BITS):
        errors = [error_in_ulp(y, MP[name](*[mpf(float(x)) for x in xs])) for y, *xs in zip(found, *arguments, strict=True)]
    worst = int(np.argmax(errors))
    assert errors[worst] <= ULP[name], (name, errors[worst], [a[worst] for a in arguments])


def spread(low: float, high: float, count: int = COUNT, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, count)


def both_signs(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x, -x])


def around(x: np.ndarray) -> np.ndarray:
    """The numbers and their neighbours."""
    return np.concatenate([np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf)])


def near_quarter_turns() -> np.ndarray:
    """The doubles nearest to k pi/2, where the reduced angle is what the rounding of k pi/2 left."""
    k = np.concatenate([np.arange(1, 200), np.random.default_rng(3).integers(200, 63_662, 200)])
    with workprec(BITS):
        exact = np.array([float(int(i) * mp.pi / 2) for i in k])
    return around(exact)


def closest_quarter_turns() -> np.ndarray:
    """Of all k pi/2 up to 2^30 those that a double comes closest to: numerators of the continued fraction of pi/2."""
    with workprec(BITS):
        x, p, q, found = mp.pi / 2, (1, 0), (0, 1), []
        for _ in range(16):
            a = int(mp.floor(x))
            p, q = (a * p[0] + p[1], p[0]), (a * q[0] + q[1], q[0])
            x = 1 / (x - a)
            found += [float(p[0] * s) for s in (1, 2, 3, 4, 5)] if p[0] < 2**27 else []
    return np.array(found)


TINY = np.concatenate([10.0 ** spread(-323, -1, 200), [5e-324, 1.5e-323, 2.0**-1022, np.nextafter(2.0**-1022, 0)]])
NEAR_ONE = 1 - 10.0 ** spread(-16, -1, 300)
ANGLES = {
    "large": lambda: spread(-1e5, 1e5),
    "turns": lambda: spread(-7, 7),
    "beyond": lambda: spread(-(2.0**30), 2.0**30, 200),
    "quarter turns": near_quarter_turns,
    "worst": closest_quarter_turns,
    "eighths": lambda: around(np.arange(-41, 42, 2) * np.pi / 4),
    "tiny": lambda: both_signs(TINY),
}
SLOPES = {
    "all": lambda: spread(-1, 1),
    "one": lambda: both_signs(NEAR_ONE),
    "half": lambda: around(both_signs(np.array([0.5, 1.0 - 2**-53]))),
    "tiny": lambda: both_signs(TINY),
}
HYPERBOLIC = {
    "whole range": lambda: spread(-710.4, 710.4),
    "middle": lambda: spread(-3, 3, 2 * COUNT),
    "border": lambda: both_signs(around(np.array([1.0, np.log(2), 1.5 * np.log(2), 22.0, 709.78, 710.4758600739439]))),
    "tiny": lambda: both_signs(TINY),
}
ONE_ARGUMENT = {
    "sin": ANGLES,
    "cos": ANGLES,
    "tan": ANGLES,
    "asin": SLOPES,
    "acos": SLOPES,
    "atan": {
        "large": lambda: spread(-1e5, 1e5),
        "borders": lambda: spread(0.3, 3, 2 * COUNT),
        "worst": lambda: spread(0.41, 0.45, 2 * COUNT),
        "tiny": lambda: both_signs(TINY),
    },
    "exp": {
        "whole range": lambda: spread(-745, 709.7),
        "small": lambda: spread(-1, 1),
        "subnormal": lambda: spread(-745.2, -708),
        "ends": lambda: around(np.array([709.782712893384, -708.3964185322641, -745.1332191019411, -744.44])),
        "tiny": lambda: both_signs(TINY),
    },
    "log": {
        "whole range": lambda: 10.0 ** spread(-307, 308),
        "near one": lambda: np.concatenate([1 + both_signs(10.0 ** spread(-16, -1, 300)), around(np.array([1.0]))]),
        "middle": lambda: spread(0.5, 2),
        "large": lambda: spread(0, 1e5),
        "tiny": lambda: TINY,
    },
    "tanh": {
        "all": lambda: spread(-20, 20),
        "small": lambda: spread(-0.6, 0.6),
        "large": lambda: np.array([19.0, 25.0, 25.1, 400.0, 1e5, -1e5]),
        "tiny": lambda: both_signs(TINY),
    },
    "sinh": HYPERBOLIC,
    "cosh": HYPERBOLIC,
    "asinh": {
        "middle": lambda: spread(-3, 3),
        "whole range": lambda: both_signs(10.0 ** spread(-20, 308, 500)),
        "border": lambda: both_signs(around(np.array([2.0**28, 1.7e308]))),
        "tiny": lambda: both_signs(TINY),
    },
    "acosh": {
        "near one": lambda: 1 + 10.0 ** spread(-16, 0, 500),
        "middle": lambda: spread(1, 40),
        "whole range": lambda: 10.0 ** spread(0, 308, 500),
        "border": lambda: np.append(around(np.array([2.0**28, 1.7e308])), [1.0, np.nextafter(1.0, 2.0)]),
    },
    "atanh": SLOPES,
}


@pytest.mark.parametrize(("name", "where"), [(n, w) for n, places in ONE_ARGUMENT.items() for w in places])
def test_one_argument(name, where):
    check(name, ONE_ARGUMENT[name][where]())


@pytest.mark.parametrize("quadrant", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_atan2(quadrant):
    slope = np.concatenate([spread(0.3, 3), 10.0 ** spread(-20, 20, seed=1), spread(0.41, 0.45, seed=2)])
    size = 10.0 ** spread(-5, 5, slope.size)
    check("atan2", quadrant[0] * slope * size, quadrant[1] * size)


def test_atan2_of_the_largest_and_smallest():
    big, small = spread(0.1, 1.79, 200) * 1e308, TINY
    check("atan2", big, big[::-1].copy())
    check("atan2", small, np.roll(small, 7))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (spread(0, 1e5), spread(-60, 60, seed=1)),
        (spread(0.5, 2), spread(-1000, 1000, seed=1)),
        (1 + both_signs(10.0 ** spread(-15, -2)), np.tile(10.0 ** spread(0, 8, seed=2), 2)),  # nearly 1 to a high power
        (10.0 ** spread(-300, 300), spread(-2, 2, seed=1)),
        (TINY, spread(-3, 3, TINY.size)),
        (spread(0.5, 0.51), spread(1022, 1080, seed=4)),  # down to and below the least number
        (-spread(0, 9), np.rint(spread(-99, 99, seed=5))),
    ],
)
def test_power(a, b):
    check("power", a, b)


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.0**-1022, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 2.5,
           1.5e308, -1.7976931348623157e308, 1.0000000000000002, 0.9999999999999999, 2.0**53 + 2, 1e22]  # fmt: skip
NUMPY = {"power": np.power, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2}
NUMPY |= {"asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh}


@pytest.mark.parametrize("name", sorted(ULP))
def test_special_values_are_numpys(name):
    f = compiled(name)
    grid = np.array(list(product(SPECIAL, repeat=len(f.inputs)))).T
    with np.errstate(all="ignore"):
        expected = NUMPY.get(name, getattr(np, name, None))(*grid)
    if name in ("sin", "cos", "tan"):
        expected = np.where(np.abs(grid[0]) < 2.0**30, expected, np.nan)  # as documented
    (batch,) = f.batch(*grid)
    single = np.array([f(*column)[0] for column in grid.T])
    for found in (batch, single):
        agree = (found == expected) & (np.signbit(found) == np.signbit(expected)) | (np.isnan(found) & np.isnan(expected))
        with np.errstate(all="ignore"):  # two roundings apart: ours and numpy's
            agree |= np.isfinite(found) & (np.abs(found - expected) <= 3 * np.spacing(np.abs(expected)))
        assert agree.all(), [(grid[:, k], found[k], expected[k]) for k in np.flatnonzero(~agree)]


def test_sin_and_cos_of_one_angle_share_their_work():
    x = symbol("x")
    alone = Function("s", {"x": x}, {"y": graph.sin(x)}).program.operations
    both = Function("sc", {"x": x}, {"y": [graph.sin(x), graph.cos(x)]}).program.operations
    assert both < 1.3 * alone
