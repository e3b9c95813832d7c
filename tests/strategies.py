"""Random things for property tests: numbers, unit quaternions, and small programs of arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from linkwright.graph import Table

# Multiples of 2^-10: exact in every arithmetic, and no denormal numbers that only test the tester.
numbers = st.integers(-2048, 2048).map(lambda k: k / 1024)


def vectors(n: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(numbers, min_size=n, max_size=n).map(np.array)


# Euler parameters (e0, e1, e2, e3) of unit length
unit_quaternions = vectors(4).filter(lambda p: np.linalg.norm(p) > 0.1).map(lambda p: p / np.linalg.norm(p))
# A seed for numpy where the structure of the example does not matter
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)

_x = np.linspace(-2.0, 2.0, 9)
TABLES = (
    Table.through(_x, np.cos(1.3 * _x), kind="linear"),
    Table.through(_x, np.exp(0.4 * _x) + 0.1 * _x**3),
    Table.through(_x, np.cos(np.pi * _x) + 0.3 * np.sin(0.5 * np.pi * _x), periodic=True),
)

# What one step of a program does: m holds the arithmetic, a and b are earlier values, k a small whole number. Sines
# keep the arguments where the function is smooth: |u| <= 0.9 for the inverse sine, 0.5 <= p <= 2.5 for a logarithm.
STEPS: dict[str, Callable[[Any, Any, Any, int], Any]] = {
    "add": lambda m, a, b, k: m.add(a, b),
    "subtract": lambda m, a, b, k: m.sub(a, b),
    "multiply": lambda m, a, b, k: m.mul(a, b),
    "divide": lambda m, a, b, k: m.div(a, _positive(m, b)),
    "shift": lambda m, a, b, k: m.add(a, k / 4),
    "scale": lambda m, a, b, k: m.mul((k - 3) / 4, a),
    "by number": lambda m, a, b, k: m.div(a, k + 1.5),
    "number by": lambda m, a, b, k: m.div(k - 2.0, _positive(m, a)),
    "negate": lambda m, a, b, k: m.neg(a),
    "power": lambda m, a, b, k: m.power(a, k % 5),
    "inverse power": lambda m, a, b, k: m.power(_positive(m, a), -1 - k % 4),
    "half power": lambda m, a, b, k: m.power(_positive(m, a), k - 2.5),
    "odd power": lambda m, a, b, k: m.power(_positive(m, a), 0.3 * k - 1.0),
    "power of both": lambda m, a, b, k: m.power(_positive(m, a), m.sin(b)),
    "sin": lambda m, a, b, k: m.sin(a),
    "cos": lambda m, a, b, k: m.cos(a),
    "tan": lambda m, a, b, k: m.tan(m.sin(a)),
    "asin": lambda m, a, b, k: m.asin(m.mul(0.9, m.sin(a))),
    "acos": lambda m, a, b, k: m.acos(m.mul(0.9, m.cos(a))),
    "atan": lambda m, a, b, k: m.atan(a),
    "atan2 right": lambda m, a, b, k: m.atan2(a, _positive(m, b)),
    "atan2 up": lambda m, a, b, k: m.atan2(_positive(m, a), b),
    "sqrt": lambda m, a, b, k: m.sqrt(_positive(m, a)),
    "exp": lambda m, a, b, k: m.exp(m.sin(a)),
    "log": lambda m, a, b, k: m.log(_positive(m, a)),
    "abs": lambda m, a, b, k: m.absolute(a),
    "sign": lambda m, a, b, k: m.mul(m.sign(a), b),
    "floor": lambda m, a, b, k: m.add(m.floor(a), b),
    "min": lambda m, a, b, k: m.minimum(a, b),
    "max": lambda m, a, b, k: m.maximum(m.mul(a, 0.5), b),
    "tanh": lambda m, a, b, k: m.tanh(m.sin(a)),
    "where": lambda m, a, b, k: m.where(m.less(a, b), m.sin(a), m.mul(b, b)),
    "where and": lambda m, a, b, k: m.where(m.less(a, 0.5) & ~m.less(b, k - 2.0), m.exp(m.sin(a)), b),
    "where or": lambda m, a, b, k: m.where(m.less_equal(b, a) | m.less(a, k - 3.0), a, m.cos(b)),
    "table": lambda m, a, b, k: m.table(TABLES[k % 3], a),
}


def _positive(m: Any, a: Any) -> Any:
    return m.add(1.5, m.sin(a))


@dataclass(frozen=True)
class Program:
    """A random function of n numbers, to be run in any arithmetic."""

    n: int
    steps: tuple[tuple[str, int, int, int], ...]
    outputs: int

    def __call__(self, m: Any, inputs: list[Any]) -> list[Any]:
        values = list(inputs)
        for name, i, j, k in self.steps:
            # newer values are likelier: the last one is what the program is about
            a, b = values[-1 - i % min(3, len(values))], values[j % len(values)]
            values.append(STEPS[name](m, a, b, k))
        return values[-self.outputs :]


@st.composite
def programs(draw: st.DrawFn, min_steps: int = 4, max_steps: int = 12) -> Program:
    step = st.tuples(st.sampled_from(list(STEPS)), st.integers(0, 2), st.integers(0, 12), st.integers(0, 6))
    steps = draw(st.lists(step, min_size=min_steps, max_size=max_steps))
    return Program(draw(st.integers(1, 4)), tuple(steps), draw(st.integers(1, 2)))
