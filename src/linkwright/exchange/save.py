"""`model.save` in formats of other programs."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.atomic import ResultFileError
from linkwright.errors import ModelError
from linkwright.exchange.write_mjcf import write_mjcf
from linkwright.exchange.write_urdf import write_urdf
from linkwright.model import Model


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """As URDF, or as MJCF by the endings .xml and .mjcf. ModelError, with the element's name, for what cannot be said."""
    path = Path(path)
    try:
        (write_urdf if path.suffix.lower() == ".urdf" else write_mjcf)(model, path)
    except ResultFileError as error:
        raise ModelError(error.cause, element=error.element, remedy=error.remedy) from error
