"""Answers: named channels over time, or in one configuration."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from linkwright.arguments import Axes, typed
from linkwright.errors import ArgumentError
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.results.channels import Audit, Channels, Evaluate, view
from linkwright.results.optional import needed

MOST = 40  # values that are printed


class Result(Channels):
    """Channels over time, as analyses of motion give them; it is read like a mapping.

    Parameters
    ----------
    model : str
        Name of the machine.
    t : numpy.ndarray
        The times [s].
    channels : mapping from str to numpy.ndarray
        The values over time.
    audit : Audit
        How they were computed: method, counts, errors, seconds, notes.
    evaluate : function, optional
        Gives the values of quantities and formulas.
    events : iterable of (time, name)
        What happened during the run.
    **about
        Further arguments of `Channels`: source, drawing, provenance, options, units, derived.

    Examples
    --------
    >>> m = lw.PlanarModel("crank")
    >>> crank = m.body("crank")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, "t**2"))
    >>> k = lw.kinematics(m, t_end=1.0, steps=2)
    >>> k
    <kinematics of 'crank': 3 points, t = 0 ... 1, 12 channels>
    >>> k["crank.angle"], k.unit("crank.omega")
    (array([0.  , 0.25, 1.  ]), 'rad/s')
    """

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
    def at(self, t: float | None = None, *, time: float | None = None) -> dict[str, float]:
        """Give all channels at one time.

        Parameters
        ----------
        t : float
            The time [s]; the nearest of `.t` is taken.
        time : float, optional
            Former name of t.

        Returns
        -------
        dict from str to float
            The values.
        """
        asked = t if time is None else time
        if asked is None:
            raise ArgumentError("at() needs 't' too", element=self.model, remedy="give a time [s], such as result.at(0.5)")
        k = int(np.argmin(np.abs(self.t - asked)))
        return {name: float(self[name][k]) for name in self}

    # -- as tables and files ------------------------------------------------------------------------------------------
    def to_xarray(self) -> Any:
        """Give the channels as a dataset; needs xarray.

        Returns
        -------
        xarray.Dataset
            Over t; units and provenance are attributes.
        """
        xarray = needed("xarray", "to_xarray()")
        time = xarray.Variable("t", np.asarray(self.t), {"units": "s", "long_name": "time"})
        variables = {
            name: xarray.Variable("t", np.asarray(self[name]), {"units": self.unit(name), "long_name": name})
            for name in self.channels
        }
        about = self.provenance
        attributes = {
            "title": self.model,
            "analysis": self.audit.analysis,
            "audit": str(self.audit),
            "created": about.created,
            "source": ", ".join(f"{name} {version}" for name, version in about.versions.items()),
        }
        return xarray.Dataset(variables, coords={"t": time}, attrs=attributes)

    def to_dataframe(self) -> Any:
        """Give the channels as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A column for each channel, indexed by t.
        """
        pandas = needed("pandas", "to_dataframe()")
        columns = {name: np.asarray(self[name]) for name in self.channels}
        frame = pandas.DataFrame(columns, index=pandas.Index(np.asarray(self.t), name="t"))
        frame.attrs["units"] = {name: self.unit(name) for name in self.channels}
        frame.attrs["title"] = self.model
        return frame

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all; `lw.load_result` reads it.

        Parameters
        ----------
        path : path
            Where to; the ending chooses NetCDF (.nc), Parquet (.parquet), CSV (.csv), MATLAB (.mat) or Excel
            (.xlsx); the last two are for other programs, and are not read again.

        Raises
        ------
        ResultFileError
            It cannot be written.
        """
        from linkwright.results.files import save

        save(self, path)

    # -- as pictures --------------------------------------------------------------------------------------------------
    @typed
    def plot(self, *channels: str | Expr, ax: Axes = None, **options: Any) -> Any:
        """Plot channels over time; needs matplotlib.

        Parameters
        ----------
        *channels : str or Expr
            Channels or quantities; those of one unit share a panel.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib's `plot`.

        Returns
        -------
        matplotlib axes
            An array of them if there are several panels.
        """
        return view("plots").plot(self, *channels, ax=ax, **options)

    @typed
    def plot_phase(self, x: str | Expr, y: str | Expr, ax: Axes = None, **options: Any) -> Any:
        """Plot one channel over another; needs matplotlib.

        Parameters
        ----------
        x, y : str or Expr
            Channels or quantities.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib's `plot`.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        return view("plots").plot_phase(self, x, y, ax=ax, **options)

    @typed
    def animate(self, path: str | os.PathLike[str] | None = None, *, model: Model | None = None, **options: Any) -> Any:
        """Make a page with the machine in motion, one HTML file that needs nothing else.

        Parameters
        ----------
        path : path, optional
            Where it is written; without it the page is shown in a notebook.
        model : Model, optional
            The machine, where the result does not carry its drawing.
        **options
            trace: points to follow, such as [rod.at(0.1, 0.2)], or by name, {"P": rod.at(0.1, 0.2)}; check: a check report
            to show; channels: what to plot first; live=True: the machine is solved anew in the page as its parameters are
            moved, as by `lw.page`.

        Returns
        -------
        Page
            The page, with its `text`.
        """
        if model is not None:
            self.describe(model)
        if options.pop("live", False):
            return import_module("linkwright.live.page").of_result(self, path, **options)
        return view("animation").animate(self, path, **options)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} ... {self.t[-1]:g}" if len(self.t) else "empty"
        return f"<{self.audit.analysis} of {self.model!r}: {len(self.t)} points, {span}, {len(self)} channels>"


class Configuration(Channels):
    """Channels at one instant, as plain numbers; it is read like a mapping.

    Parameters
    ----------
    model : str
        Name of the machine.
    t : float
        The time [s].
    channels : mapping from str to numpy.ndarray
        The values.
    audit : Audit
        How they were computed.
    q : numpy.ndarray
        The coordinates, in the order of the equations.
    evaluate : function, optional
        Gives the values of quantities and formulas.
    **about
        Further arguments of `Channels`: source, drawing, provenance, options, units, derived.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> bob = m.body("bob", position=(0.3, 0.4))
    >>> c = lw.assemble(m)
    >>> c
    <configuration of 'm' at t = 0: 3 channels>
    >>> c["bob.y"], round(c[lw.sqrt(bob.x**2 + bob.y**2)], 9)
    (0.4, 0.5)
    """

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
        """Give the same as a result of one time, to be shown or written to a file.

        Returns
        -------
        Result
            With one entry in `t`.
        """
        channels = {name: np.array([self[name]]) for name in self}
        return Result(
            self.model, np.array([self.t]), channels, self.audit, self._evaluate,
            source=self._source, drawing=self._drawing, provenance=self.provenance, units=self._units,
        )  # fmt: skip

    @typed
    def animate(self, path: str | os.PathLike[str] | None = None, *, model: Model | None = None, **options: Any) -> Any:
        """Make a page with the machine as it stands.

        Parameters
        ----------
        path : path, optional
            Where it is written; without it the page is shown in a notebook.
        model : Model, optional
            The machine, where the configuration does not carry its drawing.
        **options
            As of `Result.animate`.

        Returns
        -------
        Page
            The page, with its `text`.
        """
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
