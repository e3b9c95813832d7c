"""What the commands work on: models from files or examples, and analyses by their public names."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from linkwright.cli.codes import UsageError
from linkwright.examples import EXAMPLES, Example

MODELS = (".yaml", ".json", ".urdf", ".xml")  # endings of files that may have been meant

if TYPE_CHECKING:
    from linkwright.model import Model


def is_result(file: str) -> bool:
    """Whether this is the name of a result, not of a model."""
    from linkwright.model.files import RESULTS

    return Path(file).suffix.lower() in RESULTS


def open_model(file: str, values: list[tuple[str, float]] | None = None) -> tuple[Model, Example | None]:
    """The model of a file, or of an example if there is no such file, with other values of parameters."""
    path = Path(file)
    found = None
    if is_result(file):
        raise UsageError(
            "this is a result, not a model", element=file, remedy=f"linkwright view {quote(file)} shows the motion in it"
        )
    if not path.exists() and file in EXAMPLES:
        found = EXAMPLES[file]
        model = found.load()
    elif not path.exists():
        from linkwright.model.names import nearest

        near = nearest(file, [*EXAMPLES, *(p.name for kind in MODELS for p in Path().glob(f"*{kind}"))])
        remedy = f"did you mean {near!r}?" if near else "check the name; `linkwright examples` lists ready machines"
        raise UsageError(f"there is no file {file!r}", remedy=remedy)
    else:
        from linkwright.exchange.load import load

        model = load(path)
        for note in model.notes:
            print(f"linkwright: note: {note}", file=sys.stderr)
    if values:
        for name, _ in values:
            if name not in model.parameters:
                from linkwright.model.names import suggestion

                raise UsageError(f"there is no parameter {name!r}", element=name, remedy=suggestion(name, model.parameters))
        model.set(**dict(values))
    return model, found


def span(args: Namespace, found: Example | None) -> tuple[float, int]:
    """t_end and steps, as they are asked for, or as the example has them."""
    t_end = args.t_end if args.t_end is not None else found.t_end if found else 1.0
    return t_end, args.steps if args.steps is not None else found.steps if found else 200


def public(name: str, what: str) -> Callable[..., Any]:
    """A function of Linkwright by its public name; UsageError where this version has it not."""
    import linkwright

    try:
        found: Callable[..., Any] = getattr(linkwright, name)
    except (AttributeError, ModuleNotFoundError) as error:
        if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("linkwright"):
            raise
        raise UsageError(f"{what} is not available in this version", remedy="install a newer Linkwright") from None
    return found
