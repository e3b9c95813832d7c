"""Matrices that cannot be factorised, told by the names of what they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from linkwright.arguments import typed
from linkwright.bounds import is_real
from linkwright.errors import ArgumentError, LinkwrightError, asked_of
from linkwright.graph import Expr
from linkwright.linear import LinAlgError, NotFiniteError
from linkwright.model import Body, Element, Model, Point, Vector

P = ParamSpec("P")
R = TypeVar("R")
UNUSUAL = 1e12  # [SI] numbers of a machine are rarely larger: stiffnesses, moduli
ALIKE = 1e-3  # of the largest number: also named


def by_name(analysis: Callable[P, R]) -> Callable[P, R]:
    """The analysis of a model, its first argument, whose errors of linear algebra name elements, and those of arguments that
    its signature does not allow the arguments. Every error remembers the model, so that its `findings` can be asked for."""
    asked = typed(analysis)

    @wraps(analysis)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        model: Any = args[0] if args else kwargs.get("model")
        try:
            return asked(*args, **kwargs)
        except LinAlgError as error:
            if getattr(error, "element", ()) or not isinstance(model, Model):
                raise
            names = suspects(model) or (model.name,)
            again: LinkwrightError
            if isinstance(error, NotFiniteError):
                again = NotFiniteError(error.cause, element=names, remedy=error.remedy, partial=error.partial)
            else:
                cause = "it has no answer here: it may lock up, hold something twice, or have no mass where it moves"
                again = LinkwrightError(cause, element=names, remedy="look at what check says of the machine")
            _remember(again, model, kwargs)
            raise again from error
        except LinkwrightError as error:
            _remember(error, model, kwargs)
            raise

    return told


def _remember(error: LinkwrightError, model: Any, options: dict[str, Any]) -> None:
    if isinstance(model, Model) and not isinstance(error, ArgumentError):
        t: Any = options.get("t_start", options.get("t", 0.0))
        t_end: Any = options.get("t_end")
        asked_of(error, model, float(t) if is_real(t) else 0.0, float(t_end) if is_real(t_end) else None)


def suspects(model: Model) -> tuple[str, ...]:
    """The bodies, elements and parameters whose numbers are unusually large, if any are."""
    sizes = {name: abs(value) for name, value in model.parameters.items()}
    owners: list[Body | Element] = [*model.bodies.values(), *model.elements.values()]
    for owner in owners:
        sizes[owner.name] = max(_sizes(model, _parts(owner)), default=0.0)
    most = max(sizes.values(), default=0.0)
    return tuple(name for name, size in sizes.items() if size >= ALIKE * most) if most > UNUSUAL else ()


def _parts(owner: Body | Element) -> list[Any]:
    if isinstance(owner, Body):
        e = owner.estimate
        return [owner.mass, owner.inertia, owner.com, e.position, e.velocity, e.omega]
    return list(vars(owner).values())


def _sizes(model: Model, parts: Iterable[Any]) -> Iterator[float]:
    for x in parts:
        if isinstance(x, tuple):
            yield from _sizes(model, x)
        elif isinstance(x, Point):
            yield from _sizes(model, x.s)
        elif isinstance(x, Vector):
            yield from _sizes(model, x.components)
        elif isinstance(x, Expr | float):
            value = model.number(x)
            if value is not None:  # else it depends on time or on the machine
                yield abs(value)
