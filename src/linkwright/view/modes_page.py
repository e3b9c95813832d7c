"""The page of the modes of a machine: each swings at a click, with its frequency and damping beside it."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from linkwright.results import Result
from linkwright.view.animation import Animation, asset, kept, lean, moving_data, page_data, page_text


def modes_page(
    modes: Sequence[tuple[str, Result]], path: str | os.PathLike[str] | None = None, *, first: int = 0, height: int = 640
) -> Animation:
    """`modes`: what tells them, and their motions; `first`: the one that is shown first."""
    data = page_data(modes[first][1])
    drawing = data["drawing"]
    data["modes"] = [{"label": label, **moving_data(result, drawing)} for label, result in modes]
    boxes = np.array([m["motion"]["box"] for m in data["modes"]])
    for motion in (data["motion"], *(m["motion"] for m in data["modes"])):  # the picture does not jump between them
        motion["box"] = [boxes[:, 0].min(axis=0).tolist(), boxes[:, 1].max(axis=0).tolist()]
    for m in data["modes"]:
        del m["drawing"]
    data["first_mode"] = first
    return kept(Animation(page_text(data, [lean(asset("modes.js"))]), modes[0][1].model, height), path)
