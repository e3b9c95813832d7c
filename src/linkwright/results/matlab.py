"""MATLAB's files (.mat), for other programs: a variable a channel, without its dots; units and what was done as texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.atomic import ResultFileError, replacing

LONGEST = 63  # characters of a name there


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    from scipy.io import savemat

    names = variables(["t", *columns])
    data = dict(zip(names, [t, *columns.values()], strict=True))
    about: dict[str, Any] = {
        "names": np.array(list(columns), dtype=object),
        "units": np.array([units[n] for n in columns], dtype=object),
    }
    about["variables"] = np.array(names[1:], dtype=object)
    about |= {k: texts.get(k, "") for k in ("title", "created", "model", "audit")}
    with replacing(path) as temporary:
        try:
            savemat(
                str(temporary),
                {**data, "about": about},
                long_field_names=True,
                oned_as="column",
                do_compression=True,
                appendmat=False,
            )
        except ValueError as error:  # more than its format holds
            raise ResultFileError(
                f"MATLAB's format cannot hold it: {error}", element=str(path), remedy="choose .nc"
            ) from error


def variables(names: list[str]) -> list[str]:
    """As MATLAB can call them: crank.x is crank_x; each once."""
    out: list[str] = []
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = (plain if plain[:1].isalpha() else f"x{plain}")[: LONGEST - 4]
        free, number = plain, 2
        while free in out or free == "about":
            free, number = f"{plain}_{number}", number + 1
        out.append(free)
    return out
