"""Pages of many motions: a machine with others of its family as ghosts; the modes of a machine, each of which swings at a
click."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.results import Result
from linkwright.view import frames
from linkwright.view.animation import Animation, asset, kept, lean, moving_data, page_data, page_text


def family_page(
    result: Result, others: Mapping[str, Result], *, channels: Sequence[str] | None = None, notes: Sequence[str] = ()
) -> Animation:
    """`others`: by what tells them apart. In the plane."""
    data = page_data(result, channels=channels)
    if data["drawing"]["dimension"] != 2:
        raise ModelError(
            "families of motions are drawn in the plane", element=result.model, remedy="plot them: sweep(...).plot()"
        )
    most = max(50, frames.MOST_FRAMES // (1 + len(others)))
    data["ghosts"] = [_ghost(label, other, data["plots"], most) for label, other in others.items()]
    data["motion"]["box"] = _around(data["motion"]["box"], *(g.pop("box") for g in data["ghosts"]))
    data["audit"] = "\n".join([data["audit"], *notes])
    return Animation(page_text(data, [lean(asset("ghosts2d.js"))]), result.model)


def _ghost(label: str, result: Result, plotted: Sequence[str], most: int) -> dict[str, Any]:
    drawing = result.drawing
    assert drawing is not None  # it is of the same analysis as the machine that is shown
    chosen = frames.choose(np.asarray(result.t), most)
    moved = frames.poses(result, drawing, chosen)
    return {
        "label": label,
        "drawing": {key: drawing[key] for key in ("dimension", "bodies", "curves", "elements")},
        "box": frames.box(drawing, moved),
        "motion": {
            "t": frames.encode(np.asarray(result.t)[chosen], "<f8"),
            "poses": {name: frames.encode(pose) for name, pose in moved.items()},
            "channels": [
                {"name": n, "unit": result.unit(n), "data": frames.encode(np.asarray(result[n], dtype=float)[chosen])}
                for n in plotted
            ],
        },
    }


def modes_page(
    modes: Sequence[tuple[str, Result]], path: str | os.PathLike[str] | None = None, *, first: int = 0
) -> Animation:
    """`modes`: what tells them, and their motions; `first`: the one that is shown first."""
    data = page_data(modes[first][1])
    drawing = data["drawing"]
    data["modes"] = [{"label": label, **moving_data(result, drawing)} for label, result in modes]
    around = _around(*(m["motion"]["box"] for m in data["modes"]))
    for motion in (data["motion"], *(m["motion"] for m in data["modes"])):  # the picture does not jump between them
        motion["box"] = around
    for m in data["modes"]:
        del m["drawing"]
    data["first_mode"] = first
    return kept(Animation(page_text(data, [lean(asset("modes.js"))]), modes[0][1].model), path)


def _around(*boxes: list[list[float]]) -> list[list[float]]:
    """The box around boxes."""
    corners = np.array(boxes)
    return [corners[:, 0].min(axis=0).tolist(), corners[:, 1].max(axis=0).tolist()]
