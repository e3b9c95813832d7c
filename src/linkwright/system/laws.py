"""Laws in plain Python, which cannot be traced: their values, and what is said of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from linkwright.compile.called_back import UnusableError
from linkwright.errors import ModelError
from linkwright.model.tracing import call


def value_of(function: Callable[..., Any], element: str, names: Iterable[str], given: Iterable[float]) -> float:
    """A law at its arguments; errors name the element and the arguments. It is not asked where they are no numbers, of which
    whoever moves the machine tells: what it would give there is none either."""
    names, values = list(names), [float(x) for x in given]
    if not np.isfinite(values).all():
        return np.nan
    try:
        out = float(call(function, names, values))
        if not np.isfinite(out):
            raise UnusableError(f"its law gave {out}", remedy="return a finite number")
        return out
    except ModelError as error:
        kind = UnusableError if isinstance(error, UnusableError) else ModelError
        at_values = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, values, strict=True))
        remedy = error.remedy if "finite" in error.remedy else "mend the law, or end the run before"
        raise kind(f"{error.cause} (with {at_values})", element=element, remedy=remedy) from error
    except (TypeError, ValueError) as error:
        raise ModelError(f"its law gave no number: {error}", element=element, remedy="return a float") from error


def tell(elements: Iterable[str]) -> None:
    """Warn that laws of these elements are called from Python, and slow."""
    names = ", ".join(dict.fromkeys(elements))
    warnings.warn(
        f"the law of {names} cannot be traced (it branches on its arguments, or calls what is not linkwright's); it "
        "is called from Python at every evaluation, some hundred times slower. Use where(), minimum(), ... in it.",
        stacklevel=3,
    )
