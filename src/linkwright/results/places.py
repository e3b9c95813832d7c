"""Where joints act, in files: most points are fixed on a body and are kept as such, moving ones (cams) as columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.results.motion import JointPlace, MotionResult

MARK = "place."  # columns NAME: place.cam.x, place.cam.y


def held(result: MotionResult, as_columns: bool = False) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The places of a result as plain data, and columns of those that are fixed on neither body (or of all).

    In a piece of a run a place may look fixed that moves later: all as columns.
    """
    about: dict[str, Any] = {}
    columns: dict[str, np.ndarray] = {}
    for name, place in result.places.items():
        data: dict[str, Any] = {"first": place.first, "second": place.second, "unique": place.unique}
        if place.opposite is not None:
            data["opposite"] = place.opposite
        on = () if as_columns else (place.second, place.first)
        fixed = next(filter(None, (_on(result, body, place.point) for body in on)), None)
        if fixed is None:
            columns |= {f"{MARK}{name}.{c}": place.point[:, k] for k, c in enumerate("xyz"[: place.point.shape[1]])}
        about[name] = data | (fixed or {})
    return about, columns


def _on(result: MotionResult, body: str, point: np.ndarray) -> dict[str, Any] | None:
    """The body and the place on it, if the point does not move there."""
    if not len(point) or (body != "ground" and f"{body}.x" not in result):
        return None
    n = point.shape[1]
    r = np.zeros((len(point), n)) if body == "ground" else np.stack([result[f"{body}.{c}"] for c in "xyz"[:n]], axis=1)
    s = np.einsum("tji,tj->ti", result._axes(body), point - r)
    size = 1.0 + float(np.abs(point).max())
    return {"body": body, "at": s[0].tolist()} if float(np.abs(s - s[0]).max()) <= 1e-11 * size else None


def restored(result: MotionResult, about: dict[str, Any], columns: dict[str, np.ndarray]) -> dict[str, JointPlace]:
    """The places again; those of joints whose channels were not read are left out."""
    out = {}
    for name, data in about.items():
        point = _moving(name, columns) if "body" not in data else fixed_point(result, data["body"], np.array(data["at"]))
        if point is not None and f"{name}.fx" in result:
            opposite = tuple(data["opposite"]) if "opposite" in data else None
            out[name] = JointPlace(data["first"], data["second"], point, data["unique"], opposite)
    return out


def _moving(name: str, columns: dict[str, np.ndarray]) -> np.ndarray | None:
    found = [columns[c] for c in (f"{MARK}{name}.{x}" for x in "xyz") if c in columns]
    return np.stack(found, axis=1) if len(found) > 1 else None


def fixed_point(result: MotionResult, body: str, s: np.ndarray) -> np.ndarray | None:
    """The place s of a body over time, ground axes; None where the body's channels are not there."""
    needed = () if body == "ground" else ("x", "y", "angle" if len(s) == 2 else "e3")
    return None if any(f"{body}.{c}" not in result for c in needed) else result._on_body(body, s)
