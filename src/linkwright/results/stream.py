"""Long runs go to disk as they are computed: blocks of rows appended to a NetCDF file, in bounded memory."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from linkwright.arguments import typed
from linkwright.atomic import STREAM, ResultFileError, beside, put, unwritable
from linkwright.calls import Answering
from linkwright.model import Model
from linkwright.model.channel_units import unit_of
from linkwright.results import files, netcdf
from linkwright.results.channels import Audit
from linkwright.results.classic import GrowingTable
from linkwright.results.provenance import Provenance, to_json
from linkwright.results.result import Result

FREE = 1 << 16  # bytes kept for what is known at the end: the audit and the events; more of them cost a move of the rows
HELD = 1 << 20  # bytes of rows that are kept before they are written
ENDED = "the run was interrupted: this is what it had computed"
KILLED = "the run was killed: this is what it had written"


class ResultStream(metaclass=Answering):
    """Write a result block by block to a NetCDF file, in bounded memory.

    The file appears under its name when the `with` block ends well. If it ends by an error or Ctrl-C, or the disk is full,
    what was written so far is kept as NAME.partial.nc, a complete file of its own, and NAME.nc is not touched; after a kill,
    `lw.load_result` of NAME.partial.nc finds it. `written` is the path of the file there is, or None.

    Parameters
    ----------
    path : path
        The file, which ends in .nc.
    model : str
        Name of the machine.
    channels : sequence of str
        Names of the channels.
    source : Model, optional
        The model, by which the machine can be drawn from the file.
    audit : Audit, optional
        How the values were computed.
    options : mapping, optional
        The options of the analysis.
    units : mapping from str to str, optional
        Units that do not follow from the names of channels.
    places : mapping, optional
        Where joints act, by name.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.nc"
    >>> with lw.ResultStream(path, "pendulum", ["bob.x", "bob.y"]) as out:
    ...     out.append([0.0, 0.1], [(1.0, 0.0), (0.9, 0.1)])
    >>> lw.load_result(path)["bob.x"]
    array([1. , 0.9])
    """

    @typed
    def __init__(
        self,
        path: str | os.PathLike[str],
        model: str,
        channels: Sequence[str],
        *,
        source: Model | None = None,
        audit: Audit | None = None,
        options: Mapping[str, Any] | None = None,
        units: Mapping[str, str] | None = None,
        places: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = Path(path)
        self.written: Path | None = None
        if self.path.suffix.lower() != ".nc":
            raise ResultFileError(f"{self.path}: a stream is written as NetCDF", remedy="choose a name that ends in .nc")
        self.channels = list(channels)
        self.audit = audit or Audit()
        self._units = {c: (units or {}).get(c) or unit_of(c, self.channels) for c in self.channels}
        empty: dict[str, np.ndarray] = {c: np.zeros(0) for c in self.channels}
        about = Result(
            model, np.zeros(0), empty, self.audit, source=source, provenance=Provenance(options=dict(options or {}))
        )
        self.events: list[Any] = []
        texts = files.header(about) | ({} if places is None else {"places": to_json(places)})
        killed = replace(self.audit, notes=[*self.audit.notes, KILLED])
        self._buffer = np.empty((max(1, HELD // (8 * (1 + len(self.channels)))), 1 + len(self.channels)))
        self._held = 0
        files.rescued(self.path)
        self._temporary = beside(self.path, STREAM)
        try:
            head = netcdf.header_of(self.channels, self._units, texts | {"audit": to_json(vars(killed))})
            self._table = GrowingTable(self._temporary, head, FREE)
        except BaseException as error:
            self._remove()
            if isinstance(error, OSError):
                raise unwritable(self.path, error) from error
            raise
        self._open = True

    @property
    def rows(self) -> int:
        """How many rows are in the file."""
        return self._table.header.rows

    def append(self, t: ArrayLike, values: ArrayLike | Mapping[str, ArrayLike]) -> None:
        """Add rows.

        Parameters
        ----------
        t : number or numbers
            The times [s].
        values : numbers, or mapping from str to numbers
            A row of channels for each time, or the values by channel.
        """
        times = np.atleast_1d(np.asarray(t, dtype=float))
        if isinstance(values, Mapping):
            values = np.column_stack([np.atleast_1d(values[c]) for c in self.channels])
        block = np.asarray(values, dtype=float).reshape(len(times), len(self.channels))
        at = 0
        while at < len(times):
            n = min(len(times) - at, len(self._buffer) - self._held)
            rows = self._buffer[self._held : self._held + n]
            rows[:, 0], rows[:, 1:] = times[at : at + n], block[at : at + n]
            self._held, at = self._held + n, at + n
            if self._held == len(self._buffer):
                self._flush()

    def _flush(self) -> None:
        held, self._held = self._held, 0
        try:
            self._table.append(self._buffer[:held])
        except OSError as error:
            raise unwritable(self.path, error) from error

    def close(self, complete: bool = True) -> Path | None:
        """Finish the file and put it in its place.

        Parameters
        ----------
        complete : bool
            Whether the run has ended as it should; else the file is NAME.partial.nc.

        Returns
        -------
        pathlib.Path or None
            Where the file is.
        """
        if not self._open:
            return self.written
        self._open = False
        try:
            try:
                self._flush()
            except ResultFileError:
                self._finish(complete=False)
                raise
            self._finish(complete)
        finally:
            self._table.close()
            self._remove()
        return self.written

    def _finish(self, complete: bool) -> None:
        """The texts, then the name. What has no row is not kept as a part."""
        if not complete:
            if not self.rows:
                return
            self.audit.notes.append(ENDED)
            self.audit.points = self.rows
        try:
            self._table.seal({"audit": to_json(vars(self.audit)), "events": to_json(self.events)})
        except OSError:  # no room even for that: events are the long part
            self.audit.notes.append("the disk had no room for the list of events")
            with suppress(OSError):
                self._table.seal({"audit": to_json(vars(self.audit))})
        final = self.path if complete else files.partial(self.path)
        if sys.platform == "win32":  # there a file that is open keeps its name
            self._table.close()
        try:
            put(self._temporary, final)
        except ResultFileError as error:
            self._elsewhere(error)
        self.written = final

    def _elsewhere(self, error: ResultFileError) -> NoReturn:
        """Its folder has gone or takes no file any more: what was computed is still open, and is put elsewhere."""
        with suppress(OSError, ValueError):  # ValueError: it is closed
            self._table.file.seek(0)
            with tempfile.NamedTemporaryFile(prefix=f"{self.path.stem}.", suffix=files.PARTIAL, delete=False) as copy:
                shutil.copyfileobj(self._table.file, copy)
            self.written = Path(copy.name)
        kept = f"; what was computed is {self.written}" if self.written else ""
        raise ResultFileError(error.cause + kept, element=error.element, remedy=error.remedy) from error

    def _remove(self) -> None:
        with suppress(OSError):
            self._temporary.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close(complete=kind is None)
        except ResultFileError as trouble:
            if error is None:
                raise
            error.add_note(str(trouble))  # the first error is the one that is told
