"""Long runs go to disk as they are computed: blocks of rows appended to a NetCDF file, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from linkwright.model import Model
from linkwright.results import files, netcdf
from linkwright.results.atomic import ResultFileError, beside, put
from linkwright.results.provenance import Provenance, to_json
from linkwright.results.result import Audit, Result
from linkwright.results.units import unit_of

LATER = ("audit", "events")  # texts that are known at the end


class ResultStream:
    """Writes a result row by row or block by block:

        with ResultStream("run.nc", "pendulum", ["bob.x", "bob.y"]) as out:
            out.append(t, block)                # t: n times, block: n rows of channels, or a mapping by name

    The file appears under its name when the block ends well. If it ends by an error or Ctrl-C, what was written so far
    is kept as run.partial.nc, a complete file of its own, and run.nc is not touched. `written`: which of them; `rows`: how
    many rows it has.
    """

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
        self.path = self.written = Path(path)
        if self.path.suffix.lower() != ".nc":
            raise ResultFileError(f"{self.path}: a stream is written as NetCDF", remedy="choose a name that ends in .nc")
        self.channels = list(channels)
        self.audit = audit or Audit()
        self.rows = 0
        self._units = {c: (units or {}).get(c) or unit_of(c, self.channels) for c in self.channels}
        empty: dict[str, np.ndarray] = {c: np.zeros(0) for c in self.channels}
        about = Result(
            model, np.zeros(0), empty, self.audit, source=source, provenance=Provenance(options=dict(options or {}))
        )
        self.events: list[Any] = []
        self._texts = files.header(about) | ({} if places is None else {"places": to_json(places)})
        # rows kept before they are written
        self._buffer = np.empty((4 * netcdf.chunk_of(len(self.channels)), 1 + len(self.channels)))
        self._held = 0
        self._temporary = beside(self.path)
        try:
            self._file, self._variables = netcdf.create(self._temporary, self.channels, self._units, self._known())
        except BaseException:
            self._temporary.unlink()
            raise
        self._open = True

    def append(self, t: Any, values: Any) -> None:
        """Add rows; see the class."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        if isinstance(values, Mapping):
            values = np.column_stack([np.atleast_1d(values[c]) for c in self.channels])
        values = np.asarray(values, dtype=float).reshape(len(t), len(self.channels))
        at = 0
        while at < len(t):
            n = min(len(t) - at, len(self._buffer) - self._held)
            rows = self._buffer[self._held : self._held + n]
            rows[:, 0], rows[:, 1:] = t[at : at + n], values[at : at + n]
            self._held, at = self._held + n, at + n
            if self._held == len(self._buffer):
                self._flush()

    def _flush(self) -> None:
        first, self.rows = self.rows, self.rows + self._held
        rows = self._buffer[: self._held]
        netcdf.append(self._variables, first, {name: rows[:, k] for k, name in enumerate(self._variables)})
        self._held = 0

    def _known(self) -> dict[str, str]:
        return {name: text for name, text in self._texts.items() if name not in LATER}

    def close(self, complete: bool = True) -> Path:
        """Finish the file and put it in its place; where it is."""
        if not self._open:
            return self.written
        self._open = False
        self._flush()
        if not complete:
            self.audit.notes.append("the run was interrupted: this is what it had computed")
        self._file.close()
        netcdf.write_texts(self._temporary, {"audit": to_json(vars(self.audit)), "events": to_json(self.events)})
        self.written = self.path if complete else self.path.with_suffix(".partial.nc")
        put(self._temporary, self.written)
        return self.written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close(complete=kind is None)
        finally:
            with suppress(FileNotFoundError):
                self._temporary.unlink()
