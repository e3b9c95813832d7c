"""linkwright demo: legs that walk, in the terminal and as a page."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from pathlib import Path
from time import perf_counter
from typing import Any

from linkwright.cli import codes
from linkwright.cli.canvas import Sketch
from linkwright.examples import EXAMPLES

FRAMES = 60


def demo(args: Namespace) -> int:
    clock = perf_counter()
    chosen = EXAMPLES["jansen"]
    from linkwright.analyses.motion.kinematics import kinematics
    from linkwright.model import files  # noqa: F401  (its start counts as the libraries')

    clocks = [perf_counter() - clock]
    clock = perf_counter()
    model = chosen.load()
    clocks.append(perf_counter() - clock)
    clock = perf_counter()
    result = kinematics(model, t_end=chosen.t_end, steps=chosen.steps)
    clocks.append(perf_counter() - clock)

    points = chosen.points(model)
    moving = sys.stdout.isatty() and not args.still
    _show(Sketch(model, result, points), result, moving)
    foot = Sketch.path(points[0], result, model)
    down = foot[1] < foot[1].min() + 0.01
    print(f"""
{chosen.title}: {len(model.bodies) - 1} bodies, {len(model.elements) - 1} joints, one motor.
A foot steps {foot[0].max() - foot[0].min():.2f} m, lifts {foot[1].max() - foot[1].min():.2f} m and is on the ground \
for {100 * down.mean():.0f} % of a turn.

  start of Python's libraries  {clocks[0]:6.2f} s
  read the model file          {clocks[1]:6.2f} s
  equations, compile, solve    {clocks[2]:6.2f} s   ({len(result.t)} positions, velocities and accelerations of each body)
""")
    _page(args, model, points)
    print("Next:  linkwright examples        linkwright run four-bar --plot        linkwright new mymachine")
    return codes.OK


def _show(sketch: Sketch, result: Any, moving: bool) -> None:
    if not moving:
        print("\n".join(row.rstrip() for row in sketch.at(0)))
        return
    count = len(result.t)
    for frame in range(FRAMES):
        rows = sketch.at(frame * (count - 1) // FRAMES)
        if frame:
            sys.stdout.write(f"\x1b[{len(rows)}A")
        sys.stdout.write("\n".join(row + "\x1b[K" for row in rows) + "\n")
        sys.stdout.flush()
        time.sleep(0.05)


def _page(args: Namespace, model: Any, points: list[Any]) -> None:
    """The page with the machine in it."""
    from linkwright.live.page import page

    clock, chosen = perf_counter(), EXAMPLES["jansen"]
    page(model, args.out, t_end=chosen.t_end, steps=chosen.steps, channels=list(chosen.plot), trace=points)
    path, seconds = Path(args.out).resolve(), perf_counter() - clock
    print(f"The machine, solved by its page, written in {seconds:.2f} s; open it in a browser:\n  {path.as_uri()}\n")
    if args.open:
        import webbrowser

        webbrowser.open(path.as_uri())
