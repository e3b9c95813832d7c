"""Packages that are asked for only where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from linkwright.errors import LinkwrightError


class MissingPackageError(LinkwrightError, ImportError):
    """What was asked needs a package that is not installed."""


def needed(module: str, purpose: str) -> Any:
    """The module; MissingPackageError with the remedy if its package is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackageError(
            f"{purpose} needs the package {package}, which cannot be imported ({error})",
            element=package,
            remedy='python -m pip install "linkwright[full]"',
        ) from error
