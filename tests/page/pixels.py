"""Pictures of the screen as arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image


def pixels(locator: Any) -> np.ndarray:
    """What an element shows, (rows, columns, 3)."""
    return decoded(locator.screenshot())


def decoded(picture: bytes) -> np.ndarray:
    """A file, (rows, columns, 3)."""
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)


def inked(picture: np.ndarray) -> float:
    """The share of pixels that clearly differ from the commonest colour, the background."""
    flat = picture.reshape(-1, 3)
    codes = flat @ [65536, 256, 1]
    common = flat[np.bincount(codes).argmax() == codes][0]
    return float((np.abs(flat - common).max(axis=1) > 40).mean())


def changed(a: np.ndarray, b: np.ndarray) -> float:
    """The share of pixels that clearly differ."""
    return float((np.abs(a - b).max(axis=2) > 40).mean())
