"""Answers: named channels over time, or in one configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from typing import Any, Self

import numpy as np

from linkwright.arguments import typed
from linkwright.calls import answering_methods
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.model.quantities import short
from linkwright.results.missing import not_there
from linkwright.results.provenance import Provenance, model_text
from linkwright.results.units import unit_of

Evaluate = Callable[[Expr | str], np.ndarray]
MOST = 40  # values that are printed


@dataclass(repr=False)
class Audit:
    """How a result came about; shown, it is a line for each entry that says something."""

    analysis: str = ""
    method: str = ""
    points: int = 0
    refined: int = 0  # how often a step had to be made smaller
    position_error: float = 0.0  # largest residual of any position equation, relative to its row
    trace_seconds: float = 0.0  # of tracing and compiling: none where a machine of this structure was met before
    compile_seconds: float = 0.0
    wall_seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        rows = [
            f"{name.replace('_', ' ')}: {f'{value:.3g}' if isinstance(value, float) else value}"
            for name, value in vars(self).items()
            if name != "notes" and value
        ]
        return "\n".join([*rows, *self.notes])

    __repr__ = __str__


class Channels(Mapping[str, Any]):
    """Values by channel name ("crank.x", "motor.torque"), by a quantity of the model or by the text of a formula of such.

    `source` is the model they were computed from, as it was then; with it (or with a `drawing` made from it) the machine
    can be shown and kept in a file. `units` says what the names of channels do not. `derived`: channels that are computed
    when they are read.
    """

    def __init__(
        self,
        model: str,
        channels: Mapping[str, np.ndarray],
        audit: Audit,
        evaluate: Evaluate | None = None,
        *,
        source: Model | None = None,
        drawing: dict[str, Any] | None = None,
        provenance: Provenance | None = None,
        options: Mapping[str, Any] | None = None,
        units: Mapping[str, str] | None = None,
        derived: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.model = model
        self._channels = channels
        self._derived: Mapping[str, np.ndarray] = derived or {}
        self._evaluate = evaluate
        self.audit = audit
        self.provenance = Provenance(options=dict(options or {})) if provenance is None else provenance
        self._units = dict(units or {})
        self._drawing = drawing
        self._source = source
        # A model may be given other parameters later; the drawing is made of those it had.
        self._parameters = {} if source is None else dict(source.parameters)

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        answering_methods(cls)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: the channels and the drawing, as in a file; not the compiled machine, which other quantities need."""
        drawing = self.drawing
        own = {"_channels": {**self._channels, **self._derived}, "_derived": {}}
        return {**self.__dict__, **own, "_drawing": drawing, "_evaluate": None, "_source": None}

    def __copy__(self) -> Self:
        """In this process the machine stays at hand."""
        new = self.__class__.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = memo[id(self)] = self.__copy__()
        new._channels = deepcopy(self._channels, memo)
        return new

    @property
    def channels(self) -> list[str]:
        return [*self._channels, *self._derived]

    @typed
    def unit(self, key: str | Expr) -> str:
        """The unit of a channel; "" where it is not known."""
        name = self.label(key)
        return self._units.get(name) or unit_of(name, self)

    def label(self, key: str | Expr) -> str:
        """The name of a channel or quantity."""
        return short(key) if isinstance(key, Expr) else key

    @property
    def drawing(self) -> dict[str, Any] | None:
        """What the page needs to draw the machine, as plain data; None if the result has no model."""
        if self._drawing is None and self._source is not None:
            self.describe(self._source, self._parameters)
        return self._drawing

    @typed
    def describe(self, model: Model, parameters: Mapping[str, float] | None = None) -> None:
        """Take the drawing and the text of the machine from a model."""
        self._drawing = _view("drawing").draw(model, parameters)
        self.provenance.model = self.provenance.model or model_text(model)

    def __getitem__(self, key: str | Expr) -> Any:
        name = key.data if type(key) is Expr and key.op == "symbol" else key
        if isinstance(name, str):
            for known in (self._channels, self._derived):
                if name in known:
                    return known[name]
        if self._evaluate is not None and (type(key) is Expr or _is_formula(key)):
            return self._evaluate(key)
        raise not_there(self, str(name))

    def reaction(self, name: str, on: Any = None, at: Any = None, frame: Any = "ground") -> Any:
        """The force and torque of a joint; only analyses of forces have them, see `MotionResult.reaction`."""
        raise not_there(self, f"{name}.fx")

    def __contains__(self, key: object) -> bool:
        return key in self._channels or key in self._derived

    def __iter__(self) -> Iterator[str]:
        return chain(self._channels, self._derived)

    def __len__(self) -> int:
        return len(self._channels) + len(self._derived)


def _is_formula(key: Any) -> bool:
    """Whether a text is more than a name: names of bodies and elements may hold all but these."""
    return isinstance(key, str) and any(c in key for c in "(`*/+")


answering_methods(Channels)


def _view(module: str) -> Any:
    """A module of pictures, loaded when a picture is asked for: results themselves know none."""
    return import_module(f"linkwright.view.{module}")


class Result(Channels):
    """Channels over time. `events`: time and name of what happened on the way."""

    @typed
    def __init__(
        self,
        model: str,
        t: np.ndarray,
        channels: Mapping[str, np.ndarray],
        audit: Audit,
        evaluate: Evaluate | None = None,
        *,
        events: Iterable[Any] = (),
        **about: Any,
    ) -> None:
        super().__init__(model, channels, audit, evaluate, **about)
        self.t = t
        self.events = list(events)

    @typed
    def at(self, time: float) -> dict[str, float]:
        """All channels at the stored time nearest to `time`."""
        k = int(np.argmin(np.abs(self.t - time)))
        return {name: float(self[name][k]) for name in self}

    # -- as tables and files ------------------------------------------------------------------------------------------
    def to_xarray(self) -> Any:
        """An xarray.Dataset over t; units and provenance are its attributes."""
        from linkwright.results.tables import to_xarray

        return to_xarray(self)

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame, a column a channel, indexed by t."""
        from linkwright.results.tables import to_dataframe

        return to_dataframe(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all: NetCDF (.nc), Parquet (.parquet) or CSV (.csv); `load_result` reads it."""
        from linkwright.results.files import save

        save(self, path)

    # -- as pictures --------------------------------------------------------------------------------------------------
    def plot(self, *channels: Any, ax: Any = None, **options: Any) -> Any:
        """Channels over time by matplotlib; one panel a unit. Returns the axes (an array if there are several)."""
        return _view("plots").plot(self, *channels, ax=ax, **options)

    def plot_phase(self, x: Any, y: Any, ax: Any = None, **options: Any) -> Any:
        """One channel over another. Returns the axes."""
        return _view("plots").plot_phase(self, x, y, ax=ax, **options)

    def animate(self, path: str | os.PathLike[str] | None = None, *, model: Model | None = None, **options: Any) -> Any:
        """The machine in motion as one HTML file that needs nothing else; without path, to show in a notebook.

        `model`: the machine, where the result does not carry its drawing. `trace`: points to follow, such as
        [rod.at(0.1, 0.2)]; `check`: a check report to show; `channels`: what to plot first.
        """
        if model is not None:
            self.describe(model)
        return _view("animation").animate(self, path, **options)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} ... {self.t[-1]:g}" if len(self.t) else "empty"
        return f"<{self.audit.analysis} of {self.model!r}: {len(self.t)} points, {span}, {len(self)} channels>"


class Configuration(Channels):
    """Channels at one instant, as plain numbers."""

    def __init__(
        self,
        model: str,
        t: float,
        channels: Mapping[str, np.ndarray],
        audit: Audit,
        q: np.ndarray,
        evaluate: Evaluate | None = None,
        **about: Any,
    ) -> None:
        super().__init__(model, channels, audit, evaluate, **about)
        self.t = t
        self.q = q

    def __getitem__(self, key: str | Expr) -> float:
        return float(np.asarray(super().__getitem__(key)).reshape(-1)[0])

    def as_result(self) -> Result:
        """The same as a result of a single time, to be shown or kept."""
        channels = {name: np.array([self[name]]) for name in self}
        return Result(
            self.model, np.array([self.t]), channels, self.audit, self._evaluate,
            source=self._source, drawing=self._drawing, provenance=self.provenance, units=self._units,
        )  # fmt: skip

    def animate(self, path: str | os.PathLike[str] | None = None, *, model: Model | None = None, **options: Any) -> Any:
        """The machine as it stands, as a page; see `Result.animate`."""
        return self.as_result().animate(path, model=model, **options)

    def __repr__(self) -> str:
        return f"<configuration of {self.model!r} at t = {self.t:g}: {len(self)} channels>"

    def __str__(self) -> str:
        """With the values, as many as fit a page."""
        width = max((len(name) for name in self.channels), default=0)
        shown = self.channels[:MOST]
        rows = [f"  {name:<{width}} {self[name] + 0.0: .6g} {self.unit(name).replace('1', '')}".rstrip() for name in shown]
        more = [f"  and {len(self) - len(shown)} more"] if len(self) > len(shown) else []
        return "\n".join([repr(self)[1:-1], *rows, *more, *(f"  {note}" for note in self.audit.notes)])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For notebooks."""
        printer.text(repr(self) if cycle else str(self))
