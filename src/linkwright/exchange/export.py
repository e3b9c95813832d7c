"""`model.export`: the equations of a machine for other programs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from linkwright.atomic import ResultFileError, write_text
from linkwright.errors import ModelError
from linkwright.exchange.equations_c import EquationsInC
from linkwright.exchange.events_c import EquationsWithEvents
from linkwright.exchange.fmu import write_fmu
from linkwright.exchange.write_mjcf import write_mjcf
from linkwright.exchange.write_urdf import write_urdf
from linkwright.model import Model
from linkwright.words import suggestion

SUFFIXES = (".c", ".fmu")


def export(
    model: Model, path: str | os.PathLike[str], inputs: Sequence[str], outputs: Sequence[str], t_step: float, fmi: int
) -> None:
    """As `Model.export`."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        remedy = suggestion(path.suffix or "?", SUFFIXES)
        raise ModelError(f"machines are not exported as {path.name!r}", element=str(path), remedy=remedy)
    if fmi not in (2, 3):
        raise ModelError(f"there is no FMI {fmi!r} here", element="fmi", remedy="give 2 or 3")
    if not t_step > 0:
        raise ModelError(f"t_step is {t_step!r}", element="t_step", remedy="give a positive time [s]")
    for what, names in (("inputs", inputs), ("outputs", outputs)):
        if isinstance(names, str) or not all(isinstance(n, str) for n in names):
            raise ModelError(f"{what} is {names!r}", element=what, remedy="give a list of names")
        if len(set(names)) < len(names):
            raise ModelError(f"a name is twice in {what}", element=what, remedy="give each once")
    given = model, tuple(inputs), tuple(outputs)
    try:
        if path.suffix.lower() == ".fmu":
            write_fmu(EquationsWithEvents(*given), path, float(t_step), fmi)
        else:
            prefix = re.sub(r"\W", "_", path.stem)
            write_text(path, EquationsInC(*given).text(prefix if prefix[:1].isalpha() else f"machine_{prefix}"))
    except ResultFileError as error:
        raise ModelError(error.cause, element=error.element, remedy=error.remedy) from error


# `model.save` in formats of other programs.


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """As URDF, or as MJCF by the endings .xml and .mjcf. ModelError, with the element's name, for what cannot be said."""
    path = Path(path)
    try:
        (write_urdf if path.suffix.lower() == ".urdf" else write_mjcf)(model, path)
    except ResultFileError as error:
        raise ModelError(error.cause, element=error.element, remedy=error.remedy) from error
