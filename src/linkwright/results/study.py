"""Answers of many runs: for each of what was kept an array over the values that were varied."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from linkwright.arguments import Axes, typed
from linkwright.atomic import ResultFileError, replacing
from linkwright.bounds import shown
from linkwright.calls import answering_methods
from linkwright.errors import LinkwrightError, ModelError, read_again
from linkwright.graph import Expr
from linkwright.model.channel_units import integrated, unit_of
from linkwright.model.names import suggestion
from linkwright.results.channels import Audit, view
from linkwright.results.classic import SUM, DamagedError
from linkwright.results.optional import needed
from linkwright.results.reductions import KINDS, Reduction, label

FORMAT = "linkwright study 1"


def check_sum(about: str, columns: Mapping[str, np.ndarray]) -> str:
    """Of what a file of a study holds, so that a file that is damaged is known."""
    total = crc32(about.encode())
    for name in sorted(columns):
        values = np.ascontiguousarray(columns[name], dtype=">f8")
        total = crc32(values.tobytes(), crc32(f"{name} {values.shape}".encode(), total))
    return f"{total:08x}"


@dataclass(frozen=True)
class Failed:
    """A point that gave nothing: its place in the arrays, its values, and why."""

    index: tuple[int, ...]
    values: dict[str, float]
    error: LinkwrightError

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {x:.6g}" for name, x in self.values.items())
        return f"at {at}: {self.error}"


class Study(Mapping[str, np.ndarray]):
    """The answer of a study: arrays by name, over the grid of values or over the rows of a paired study.

    Histories have time as their last axis. Where a point failed there is NaN.

    Attributes
    ----------
    axes : dict
        What was varied: for each name its values along its axis (of a paired study those of every row).
    paired : bool
        Whether there is one run for each row rather than for each point of the grid.
    t : array or None
        Output times of histories.
    failed : list of Failed
        Which points failed, and why.

    Examples
    --------
    >>> m = lw.PlanarModel("rod")
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", position=(0.5, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> s = lw.sweep(m, {"length": [0.5, 0.8]}, "assemble", keep=["bob.x"])
    >>> s["bob.x"].round(9), s.shape
    (array([0.5, 0.8]), (2,))
    """

    @typed
    def __init__(
        self, model: str, axes: Mapping[str, np.ndarray], arrays: Mapping[str, np.ndarray], audit: Audit, *,
        paired: bool = False, t: np.ndarray | None = None, failed: Sequence[Failed] = (),
    ) -> None:  # fmt: skip
        self.model, self.axes, self.audit = model, dict(axes), audit
        self.paired, self.t, self.failed = paired, t, list(failed)
        self._arrays = dict(arrays)

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        answering_methods(cls)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the points: the lengths of the axes, or the number of rows."""
        sizes = tuple(len(v) for v in self.axes.values())
        return sizes[:1] if self.paired else sizes

    def __getitem__(self, key: Any) -> np.ndarray:
        name = key if isinstance(key, str) else str(label(key)) if isinstance(key, Reduction | Expr) else shown(key)
        if name in self._arrays:
            return self._arrays[name]
        if name in self.axes:
            return self._spread(name)
        known = [*self._arrays, *self.axes]
        raise ModelError(
            f"the study kept no {name!r}", element=str(name),
            remedy=suggestion(str(name), known) or f"it has {', '.join(known)}; name it in keep=",
        )  # fmt: skip

    def _spread(self, name: str) -> np.ndarray:
        """The values of what was varied, one for each point."""
        if self.paired:
            return self.axes[name]
        k = list(self.axes).index(name)
        return np.broadcast_to(self.axes[name].reshape([-1 if j == k else 1 for j in range(len(self.shape))]), self.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        points = int(np.prod(self.shape))
        return f"<study of {self.model!r}: {points} points, {len(self.failed)} failed, {', '.join(self._arrays)}>"

    @typed
    def unit(self, name: str | Expr | Reduction) -> str:
        """Give the unit of what was kept or varied.

        Parameters
        ----------
        name : str, Expr or Reduction
            Of what was kept, or varied.

        Returns
        -------
        str
            "" where the name does not tell it.
        """
        key = label(name)
        self[key]  # a wrong name is refused
        kind, _, inner = key.partition("(")
        if kind not in KINDS or not inner.endswith(")"):
            return unit_of(key)
        own = unit_of(inner[:-1])
        return integrated(own) if kind == "integral" else own

    # -- as tables and files ------------------------------------------------------------------------------------------
    def _dimensions(self, name: str) -> tuple[str, ...]:
        own = ("sample",) if self.paired else tuple(self.axes)
        more = self._arrays[name].ndim - len(own)
        last = "t" if self.t is not None and more == 1 and self._arrays[name].shape[-1] == len(self.t) else f"{name}_entry"
        return (*own, *([last] if more else []))

    def to_xarray(self) -> Any:
        """Give the arrays as a dataset; needs xarray.

        Returns
        -------
        xarray.Dataset
            Over what was varied (of a paired study over `sample`), and over t for histories.
        """
        xarray = needed("xarray", "to_xarray()")
        about = {"title": self.model, "analysis": self.audit.analysis, "failed": len(self.failed)}
        data = {name: (self._dimensions(name), values, {"units": self.unit(name)}) for name, values in self.items()}
        coords: dict[str, Any] = {n: ("sample" if self.paired else n, v) for n, v in self.axes.items()}
        if self.t is not None:
            coords["t"] = ("t", self.t, {"units": "s"})
        return xarray.Dataset(data, coords=coords, attrs=about)

    def to_dataframe(self) -> Any:
        """Give the numbers of each point as a table; needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each point; what was varied, and what is one number for a point, as columns.
        """
        return needed("pandas", "to_dataframe()").DataFrame(self.table())

    def table(self) -> dict[str, np.ndarray]:
        """Give the numbers of each point, a column each: what was varied, and what is one number for a point.

        Returns
        -------
        dict
            Arrays by name, a row for each point.
        """
        single = {name: v.reshape(-1) for name, v in self.items() if v.ndim == len(self.shape)}
        return {**{n: self._spread(n).reshape(-1) for n in self.axes}, **single}

    @typed
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a NetCDF file, whole or not at all; `lw.load_result` reads it.

        Parameters
        ----------
        path : path
            Where to; the name ends in .nc.

        Raises
        ------
        ResultFileError
            It cannot be written.
        """
        from scipy.io import netcdf_file

        ending = Path(path).suffix.lower()
        if ending != ".nc":
            raise ResultFileError(
                f"studies are not kept in {ending or 'files without ending'}", element=os.fspath(path),
                remedy="choose a name that ends in .nc; .to_dataframe() is a table, for .to_csv(...) and .to_excel(...)",
            )  # fmt: skip
        with replacing(Path(path)) as new, netcdf_file(new, "w", version=2) as file:
            setattr(file, "format", FORMAT)  # noqa: B010 - an attribute of the file, unknown to the type
            about, columns = json.dumps(self._about()), self._columns()
            setattr(file, "about", about)  # noqa: B010
            setattr(file, SUM, check_sum(about, columns))
            for n in sorted({n for values in columns.values() for n in values.shape}):
                file.createDimension(f"n{n}", n)
            for name, values in columns.items():
                entry = file.createVariable(name, "f8", tuple(f"n{n}" for n in values.shape))
                entry[...] = values

    def _columns(self) -> dict[str, np.ndarray]:
        out = {f"v{k}": np.asarray(v, dtype=float) for k, v in enumerate(self.axes.values())}
        out |= {f"a{k}": np.asarray(v, dtype=float) for k, v in enumerate(self._arrays.values())}
        return out if self.t is None else out | {"time": np.asarray(self.t, dtype=float)}

    def _about(self) -> dict[str, Any]:
        return {
            "kind": type(self).__name__,
            "model": self.model, "analysis": self.audit.analysis, "method": self.audit.method,
            "notes": self.audit.notes, "paired": self.paired,
            "values": list(self.axes), "arrays": list(self._arrays),
            "failed": [[f.index, f.values, type(f.error).__name__, f.error.cause, f.error.element, f.error.remedy]
                       for f in self.failed],
        }  # fmt: skip

    # -- as pictures ----------------------------------------------------------------------------------------------------
    @typed
    def plot(self, *names: Any, ax: Axes = None, **options: Any) -> Any:
        """Plot over one parameter lines, over two a contour, over more parallel coordinates; of histories all curves.

        Parameters
        ----------
        *names : str or Reduction
            What was kept.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        return view("study_plots").plot(self, *names, ax=ax, **options)

    @typed
    def parallel(self, *names: Any, ax: Axes = None, **options: Any) -> Any:
        """Plot parallel coordinates: a line for each point through what was varied and what was kept.

        Parameters
        ----------
        *names : str or Reduction
            What was kept; by default all single numbers.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        return view("study_plots").parallel(self, *names, ax=ax, **options)


answering_methods(Study)


# Studies read from files.

UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, MemoryError)  # what damage does to a reader
HEAD = 4096  # bytes: in a study the attribute follows a dimension for each length of its arrays, which are few


def is_study(path: Path) -> bool:
    """Whether a file holds a study. A result may hold the same words in its model's text: only the attribute counts."""
    if path.suffix.lower() != ".nc":
        return False
    with open(path, "rb") as file:
        if FORMAT.encode() not in file.read(HEAD):
            return False
    from scipy.io import netcdf_file

    try:
        with netcdf_file(path, "r", mmap=False) as file:
            return bool(getattr(file, "format", b"") == FORMAT.encode())
    except UNREADABLE:  # a study that is damaged; whoever reads it says so
        return True


def read_study(path: Path) -> Study:
    """The study that a file holds; DamagedError if it is not as it was written."""
    from scipy.io import netcdf_file

    try:
        with netcdf_file(path, "r", mmap=False) as file:
            text: str = getattr(file, "about").decode()  # noqa: B009
            held = {name: np.array(v.data, dtype=np.float64) for name, v in file.variables.items()}
            known = getattr(file, SUM, b"").decode()
    except UNREADABLE as error:
        raise DamagedError("the study in it is cut or damaged") from error
    if known and known != check_sum(text, held):
        raise DamagedError(f"it is damaged, or was changed: it does not have the check sum of its attribute {SUM}")
    about = json.loads(text)
    failed = []
    for index, values, kind, cause, element, remedy in about["failed"]:
        failed.append(Failed(tuple(index), values, read_again(kind, cause, element, remedy)))
    audit = Audit(about["analysis"], method=about.get("method", ""), notes=list(about["notes"]))
    values = {name: held[f"v{k}"] for k, name in enumerate(about["values"])}
    arrays = {name: held[f"a{k}"] for k, name in enumerate(about["arrays"])}
    kind = import_module("linkwright.results.spread").Spread if about["kind"] == "Spread" else Study
    found: Study = kind(about["model"], values, arrays, audit, paired=about["paired"], t=held.get("time"), failed=failed)
    return found
