"""What a gradient by ten parameters costs, in runs: simulations short and long, with events, of few bodies and more.

    python -m benchmarks.gradients

Both times are of the processor, the best of some calls with values that no call had before; the run is `lw.dynamics` with a
history read, as a search asks for it. The last column: what carrying changes forward costs in place of a sweep back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

import linkwright as lw
from benchmarks.many_runs import chain, four_bar, slider_crank
from linkwright.analyses.variations import backward
from linkwright.results.reductions import Reduction

REPEATS = 5
HEAD = ["machine", "degrees of freedom", "of", "steps", "events", "run [ms]", "gradient by 10 [ms]", "runs", "forward"]


def pushed(m: Any, body: str) -> Any:
    """With as many loads, next to nothing, as make ten parameters."""
    for k in range(10 - len(m.parameters)):
        p = m.parameter(f"p{k}", 1e-3)
        m.add(lw.Force(f"push{k}", m[body].x, lambda x, v, t, p=p, k=k: p * lw.cos((k + 1) * t)))
    return m


def rubbing(*, stick: bool) -> Any:
    m = slider_crank()
    m.add(lw.Friction("F", m.elements["D"], mu=0.1, stick=stick))
    return m


def ball() -> Any:
    m = lw.PlanarModel("bouncing ball", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=1.0, position=(0, 1.25))
    m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), restitution=m.parameter("e", 0.9)))
    return m


CASES: list[tuple[str, Callable[[], Any], Reduction, dict[str, Any]]] = [
    ("b", ball, lw.final("b.y"), {"t_end": 2.0, "steps": 100}),
    ("slider", slider_crank, lw.final("slider.x"), {"t_end": 1.0, "steps": 100}),
    ("slider", slider_crank, lw.rms("A.fx"), {"t_end": 1.0, "steps": 100}),
    ("slider", slider_crank, lw.final("slider.x"), {"t_end": 10.0, "steps": 1000}),
    ("slider", slider_crank, lw.rms("slider.x"), {"t_end": 10.0, "steps": 1000}),
    ("slider", slider_crank, lw.final("slider.x"), {"t_end": 100.0, "steps": 1000}),
    ("slider", lambda: rubbing(stick=False), lw.final("slider.x"), {"t_end": 10.0, "steps": 100}),
    ("slider", lambda: rubbing(stick=True), lw.final("slider.x"), {"t_end": 10.0, "steps": 100}),
    ("slider", slider_crank, lw.final("slider.x"), {"t_end": 10.0, "steps": 100, "method": "radau"}),
    ("follower", four_bar, lw.final("follower.x"), {"t_end": 1.0, "steps": 100}),
    ("b2", lambda: chain(3), lw.final("b2.x"), {"t_end": 1.0, "steps": 100}),
    ("b2", lambda: chain(3), lw.final("b2.x"), {"t_end": 20.0, "steps": 100}),
    ("b9", lambda: chain(10), lw.final("b9.x"), {"t_end": 1.0, "steps": 100}),
    ("b9", lambda: chain(10), lw.mean("b9.x"), {"t_end": 1.0, "steps": 100}),
    ("b9", lambda: chain(10), lw.final("b9.x"), {"t_end": 10.0, "steps": 100}),
]


def what(m: Any, options: dict[str, Any]) -> str:
    rubs = [f"friction that {'sticks' if e.stick else 'slides'}" for e in m.elements.values() if isinstance(e, lw.Friction)]
    return ", ".join([m.name, *rubs, *[options[k] for k in ("method",) if k in options]])


def cost(m: Any, call: Callable[[], Any], repeats: int = REPEATS) -> float:
    took = []
    for k in range(repeats):
        m.set(**{list(m.parameters)[-1]: 1e-3 * (1 + k)})
        begin = time.process_time()
        call()
        took.append(time.process_time() - begin)
    return float(np.min(took))


def main() -> None:
    print("| " + " | ".join(HEAD) + " |")
    print("|" + " --- |" * len(HEAD))
    for body, make, number, options in CASES:
        m = pushed(make(), body)
        names = list(m.parameters)
        d = lw.dynamics(m, **options)
        run = cost(m, lambda m=m, o=options, c=number.of: lw.dynamics(m, **o)[c])  # type: ignore[misc]
        by = cost(m, lambda m=m, o=options, c=number, n=names: lw.gradient(m, c, n, **o))  # type: ignore[misc]
        with patch.object(backward, "can", lambda path: False):
            forward = cost(m, lambda m=m, o=options, c=number, n=names: lw.gradient(m, c, n, **o), 2)  # type: ignore[misc]
        cells = [
            f"{what(m, options)}, {options['t_end']:g} s", f"{lw.check(m).dof}", str(number), f"{d.audit.steps}",
            f"{len(d.events)}", f"{run * 1e3:.1f}", f"{by * 1e3:.1f}", f"{by / run:.1f}", f"{forward / run:.1f}",
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
