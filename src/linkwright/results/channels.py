"""What all answers share: values by the names of channels, and the audit of how they were computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from time import time
from typing import Any, Self

import numpy as np

from linkwright.arguments import typed
from linkwright.calls import answering_methods
from linkwright.graph import Expr
from linkwright.model import Body, Model, Point
from linkwright.model.channel_units import unit_of
from linkwright.model.quantities import short
from linkwright.results.missing import not_there
from linkwright.results.provenance import Provenance, model_text, text_of

Evaluate = Callable[[Expr | str], np.ndarray]


@dataclass(repr=False)
class Audit:
    """How a result was computed; printed, a line for each entry that is not zero.

    Attributes
    ----------
    analysis, method : str
        Which.
    points : int
        Output times.
    refined : int
        How often a step had to be made smaller.
    position_error : float
        The largest residual of any position equation, relative to its row.
    trace_seconds, compile_seconds : float
        Times of tracing and compiling: none where a machine of this structure was compiled before.
    wall_seconds : float
        The time of all of it.
    notes : list of str
        What is worth knowing besides.
    """

    analysis: str = ""
    method: str = ""
    points: int = 0
    refined: int = 0
    position_error: float = 0.0
    trace_seconds: float = 0.0
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

    Parameters
    ----------
    model : str
        Name of the machine.
    channels : mapping from str to numpy.ndarray
        The values.
    audit : Audit
        How they were computed.
    evaluate : function, optional
        Gives the values of quantities and formulas.
    source : Model, optional
        The model they were computed from, by which the machine can be drawn.
    drawing : dict, optional
        The drawing of the machine as plain data, in place of the source.
    provenance : Provenance, optional
        Model, options and versions.
    options : mapping, optional
        The options of the analysis, where there is no provenance.
    units : mapping from str to str, optional
        Units that do not follow from the names of channels.
    derived : mapping from str to numpy.ndarray, optional
        Channels that are computed when they are read.
    """

    # what few results have, or are asked for
    _completed: Callable[[Any], None] | None = None
    _drawing: dict[str, Any] | None = None
    _provenance: Provenance | None = None
    _asked: Callable[[], dict[str, Any]] | None = None
    _seconds: tuple[float, float, float] | None = None

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
        self._derived: Mapping[str, np.ndarray] = {} if derived is None else derived
        self._evaluate = evaluate
        self._audit = audit
        self._created = time()
        self._provenance = Provenance(options=dict(options)) if options and provenance is None else provenance
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
        drawing, audit = self.drawing, self.audit
        own = {"_channels": {**self._channels, **self._derived}, "_derived": {}, "_audit": audit, "_completed": None}
        own |= {"_provenance": self.provenance, "_asked": None}
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
    def audit(self) -> Audit:
        """How it was computed; what takes time to tell is found out when it is read."""
        if self._completed is not None:
            self._completed(self)
        audit = self._audit
        if self._seconds is not None:
            audit.wall_seconds, audit.trace_seconds, audit.compile_seconds = self._seconds
            self._seconds = None
        return audit

    @audit.setter
    def audit(self, audit: Audit) -> None:
        self._audit, self._completed, self._seconds = audit, None, None

    @property
    def provenance(self) -> Provenance:
        """Model, options and versions."""
        if self._provenance is None:
            self._provenance = Provenance(created=text_of(self._created))
        if self._asked is not None:
            self._provenance.options, self._asked = self._asked(), None
        return self._provenance

    def _noted(self, asked: Callable[[], dict[str, Any]], seconds: tuple[float, float, float]) -> None:
        """asked: gives the options of the analysis; seconds: all of it, tracing, compiling."""
        self._asked, self._seconds = asked, seconds

    @property
    def channels(self) -> list[str]:
        """The names of all channels."""
        return [*self._channels, *self._derived]

    @typed
    def unit(self, key: str | Expr) -> str:
        """Give the unit of a channel.

        Parameters
        ----------
        key : str or Expr
            A channel, or a quantity.

        Returns
        -------
        str
            The unit; "" where it is not known.
        """
        name = self.label(key)
        return self._units.get(name) or unit_of(name, self)

    def label(self, key: str | Expr) -> str:
        """Give the name of a channel or quantity.

        Parameters
        ----------
        key : str or Expr
            A channel, or a quantity.

        Returns
        -------
        str
            How it is written.
        """
        return short(key) if isinstance(key, Expr) else key

    @property
    def drawing(self) -> dict[str, Any] | None:
        """The drawing of the machine as plain data; None if the result has no model."""
        if self._drawing is None and self._source is not None:
            self.describe(self._source, self._parameters)
        return self._drawing

    @typed
    def describe(self, model: Model, parameters: Mapping[str, float] | None = None) -> None:
        """Take the drawing and the text of the machine from a model.

        Parameters
        ----------
        model : Model
            The machine.
        parameters : mapping from str to float, optional
            Values of its parameters other than the present ones.
        """
        self._drawing = view("drawing").draw(model, parameters)
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

    def reaction(
        self,
        name: str,
        on: Body | str | None = None,
        at: Point | Sequence[float] | np.ndarray | None = None,
        frame: Body | str | None = "ground",
    ) -> Mapping[str, np.ndarray]:
        """Give the force and torque of a joint: results of dynamics, inverse dynamics and equilibrium have them.

        Parameters
        ----------
        name : str
            Name of the joint.
        on, at, frame : optional
            See `MotionResult.reaction`.

        Returns
        -------
        Reaction
            Arrays by name.

        Raises
        ------
        ModelError
            The analysis does not compute forces.
        """
        raise not_there(self, f"{name}.fx")

    def __contains__(self, key: object) -> bool:
        return key in self._channels or key in self._derived

    def __iter__(self) -> Iterator[str]:
        return chain(self._channels, self._derived)

    def __len__(self) -> int:
        return len(self._channels) + len(self._derived)


def _is_formula(key: Any) -> bool:
    """Whether a text is more than a name: names of bodies and elements may hold all but these; a hyphen, too, but one that
    stands alone is a minus."""
    return isinstance(key, str) and (any(c in key for c in "(`*/+") or " - " in key or key.startswith("-"))


answering_methods(Channels)


def view(module: str) -> Any:
    """A module of pictures, loaded when a picture is asked for: results themselves know none."""
    return import_module(f"linkwright.view.{module}")
