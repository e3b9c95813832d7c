"""A machine that fails made smaller: elements and bodies are taken away, numbers made plain, as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from fuzz.sketch import Part, Sketch


def smaller(sketch: Sketch, fails: Callable[[Sketch], bool]) -> Sketch:
    """The least machine found that fails still; `fails` says False also where it cannot be run."""
    again = True
    while again:
        again = False
        for candidate in _candidates(sketch):
            if fails(candidate):
                sketch, again = candidate, True
                break
    return sketch


def _candidates(s: Sketch) -> Iterator[Sketch]:
    for x in s.items:
        if not any(x.name in other.of for other in s.items):
            yield s.without(x.name)
    used = {body for x in s.items for body in x.bodies}
    for p in s.parts:
        if p.name not in used and len(s.parts) > 1:
            yield replace(s, parts=tuple(q for q in s.parts if q is not p))
    if s.gravity.any():
        yield replace(s, gravity=np.zeros(3))
    for p in s.parts:
        for plain in _plainer(p):
            yield replace(s, parts=tuple(plain if q is p else q for q in s.parts))


def _plainer(p: Part) -> Iterator[Part]:
    zero = np.zeros(3)
    if p.com.any():
        yield replace(p, com=zero)
    if p.v.any() or p.w.any():
        yield replace(p, v=zero, w=zero)
    if np.abs(p.inertia - np.eye(3) * p.inertia[0, 0]).max() > 0:
        yield replace(p, inertia=np.eye(3) * p.inertia[2, 2])
