"""One machine: what is run, what is checked, and how large a difference may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

import linkwright as lw
from fuzz.compare import SAME, Change, differences
from fuzz.grow import grow
from fuzz.motion import Answer, answer, started
from fuzz.render import model
from fuzz.sketch import Sketch, Units

SPAN = 0.3  # of the machine's unit of time


@dataclass
class Structure:
    """What the machines of one structure share."""

    seed: int
    kept: dict[str, Any] = field(default_factory=dict)

    def model(self, sketch: Sketch) -> Any:
        """The structure's one model with these numbers in it: what was traced and compiled for others is used again."""
        fresh, old = model(sketch), self.kept.get("model")
        if old is None or old.structure() != fresh.structure():  # zeros are no parameters: others may be zero now
            self.kept["model"] = fresh
            return fresh
        old.set(**fresh.parameters)
        return old

    def lot(self, of: int) -> np.random.Generator:
        """Decides what is checked of this structure; a stream of its own for each choice, anew the same at each call."""
        return np.random.default_rng([self.seed, 0, of])


@dataclass
class Case:
    structure: Structure
    count: int

    @cached_property
    def drawn(self) -> Sketch:
        return grow(self.structure.seed, self.count)

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.structure.seed, self.count + 1, 78])

    @cached_property
    def base(self) -> Answer:
        """The motion as the analysis gives it by itself."""
        return run(self.drawn, self.structure.model(self.drawn))

    @cached_property
    def sketch(self) -> Sketch:
        """The machine with the velocities it really starts with."""
        return started(self.base)

    @cached_property
    def again(self) -> Answer:
        return replace(self.base, sketch=self.sketch)

    @cached_property
    def anew(self) -> Answer:
        """The motion of a model that is made for these numbers, from the velocities it really starts with."""
        return run(self.sketch)

    def other_starts(self, count: int) -> Iterator[Callable[[], Answer]]:
        """Runs of the same model from other states: positions it has passed, velocities drawn anew. Each may end in an
        error, which is no reason not to ask for the next."""
        if self.drawn.of_kind("Driver"):  # positions belong to times
            return
        m, d = self.structure.model(self.drawn), self.base.result
        n, (L, _, T) = self.drawn.dimension, self.drawn.units
        places, rates = ("x y angle", "vx vy omega") if n == 2 else ("x y z e0 e1 e2 e3", "vx vy vz wx wy wz")
        for k in range(count):
            at = k % len(d.t)
            state = {}
            for p in self.drawn.parts:
                state |= {f"{p.name}.{c}": float(d[f"{p.name}.{c}"][at]) for c in places.split()}
                state |= {f"{p.name}.{c}": self.rng.normal() * (L / T if c[0] == "v" else 1 / T) for c in rates.split()}
            for x in self.drawn.items:
                state |= {
                    c: float(d[c][at]) for c in d.channels if c.startswith(f"{x.name}.a")
                }  # angles and curve parameters
            yield partial(run, self.drawn, m, start=state)

    @cached_property
    def growth(self) -> float:
        """How much a change of the start by a part in 1e7 is enlarged, at the worst."""
        parts = [
            replace(
                p,
                v=p.v * (1 + 1e-7) + 1e-7 * self.sketch.units.of(1, 0, -1),
                w=p.w * (1 + 1e-7) + 1e-7 / self.sketch.units.T,
            )
            for p in self.sketch.parts
        ]
        if self.sketch.dimension == 2:
            parts = [replace(p, v=p.v * (1, 1, 0), w=p.w * (0, 0, 1)) for p in parts]
        try:
            other = run(replace(self.sketch, parts=tuple(parts)))
        except lw.LinkwrightError:
            return np.inf
        return max(float(x.max()) for x in differences(self.base, other).values()) / 1e-7

    def compare(
        self, other: Answer, change: Change = SAME, tol: float = 1e-6, reactions: bool = True, to: Answer | None = None
    ) -> list[str]:
        """What differs by more than the tolerance, times the growth of errors in this machine."""
        found = differences(to or self.again, other, change, reactions)
        off = {what: x for what, x in found.items() if not x.max() <= tol}
        if not off:
            return []
        allowed = tol * max(1.0, 10 * self.growth)
        return [
            f"{what} differs by {np.array2string(x, precision=2)} (allowed {allowed:.1g})"
            for what, x in off.items()
            if not x.max() <= allowed
        ]


def options(sketch: Sketch, tight: float = 1e-9) -> dict[str, Any]:
    smallest = min(1.0, sketch.units.L, sketch.units.L / sketch.units.T, 1 / sketch.units.T)
    return {"t_end": SPAN * sketch.time, "steps": 2, "rtol": tight, "atol": 1e-2 * tight * smallest}


def run(sketch: Sketch, m: Any = None, **more: Any) -> Answer:
    return answer(sketch, lw.dynamics(model(sketch) if m is None else m, **{**options(sketch), **more}))


__all__ = ["SPAN", "Case", "Structure", "Units", "options", "run"]
