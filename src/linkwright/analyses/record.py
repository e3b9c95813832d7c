"""Long runs: computed piece by piece and written to a file as they come, in bounded memory."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.dynamics import dynamics
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.analyses.motion.run import Progress
from linkwright.bounds import is_real
from linkwright.calls import answering
from linkwright.errors import Interrupted, LinkwrightError, ModelError
from linkwright.model import Model
from linkwright.options import Analysis
from linkwright.results import Audit, Result, ResultStream, files, places
from linkwright.results.motion import MotionResult
from linkwright.words import choices

PIECE = 400_000  # numbers in a piece; a run needs some hundred bytes for each
CLEAN = 4  # pieces until those that were written are thrown away: they hold on to themselves, and Python is late to see it
SHOWN = 2000  # times of what is returned
ANALYSES: dict[str, Callable[..., Result]] = {f.__name__: answering(f) for f in (dynamics, kinematics, inverse_dynamics)}


@by_name
def record(
    model: Model,
    path: str | os.PathLike[str],
    analysis: Analysis = "dynamics",
    *,
    t_end: float,
    steps: int,
    t_start: float = 0.0,
    progress: Progress | None = None,
    **options: Any,
) -> Result:
    """Run an analysis into a NetCDF file, in bounded memory.

    The run is made of pieces, each begun from the end of the one before. Where it cannot go on, or is interrupted, what was
    computed is kept as NAME.partial.nc, and is the error's `.partial`, thinned.

    Parameters
    ----------
    model : Model
        The machine.
    path : path
        The file, which ends in .nc.
    analysis : {"dynamics", "kinematics", "inverse_dynamics"}
        Which analysis.
    t_end : float
        The end of the run [s].
    steps : int
        Output at steps + 1 even times.
    t_start : float
        The begin of the run [s].
    progress : function, optional
        Called as progress(t, part) a few times a second, part from 0 to 1.
    **options
        Options of the analysis.

    Returns
    -------
    Result
        The result, thinned to some 2000 times; `lw.load_result(path, channels=, every=)` reads parts of the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.nc"
    >>> m = lw.PlanarModel("m")
    >>> bob = m.body("bob", mass=1.0, inertia=1.0, velocity=(1, 0))
    >>> lw.record(m, path, "dynamics", t_end=1.0, steps=4)["bob.x"].round(9)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if analysis not in ANALYSES:
        remedy = choices(str(analysis), list(ANALYSES))
        raise ModelError(f"{analysis!r} is not recorded", element="analysis", remedy=remedy)
    if "t_eval" in options:
        raise ModelError("a recorded run has even steps", element="t_eval", remedy="give t_end= and steps=")
    clock = perf_counter()
    pieces = _pieces(model, ANALYSES[analysis], _Span(t_start, t_end, steps, progress), options)
    first = next(pieces)
    asked = {"t_end": t_end, "steps": steps, "t_start": t_start, **options}
    held = _columns(first)
    about = places.held(first, as_columns=True)[0] if isinstance(first, MotionResult) else None
    out = ResultStream(path, model.name, list(held), source=model, audit=first.audit, options=asked, places=about)
    try:
        with out:
            out.append(first.t, held)
            out.events += first.events
            for number, piece in enumerate(pieces):
                if number % CLEAN == 0:
                    gc.collect()
                work = held.get("energy.work", np.zeros(1))[-1]
                held = {name: values[1:] for name, values in _columns(piece).items()}
                if "energy.work" in held:
                    held["energy.work"] = held["energy.work"] + work  # since the start of the run, not of the piece
                out.append(piece.t[1:], held)
                out.events += piece.events
                _join(out.audit, piece.audit)
            out.audit.wall_seconds = perf_counter() - clock
    except LinkwrightError as error:
        error.partial = _kept(out)
        raise
    except KeyboardInterrupt as stop:
        if (partial := _kept(out)) is None:
            raise
        raise Interrupted(float(partial.t[-1]), partial) from stop
    return files.thinned(path, SHOWN)


class _Span:
    """The times of a run, and how far it has come."""

    def __init__(self, start: float, end: float, steps: int, progress: Progress | None) -> None:
        if not (is_real(start) and is_real(end) and is_real(steps) and end > start and steps >= 1 and steps % 1 == 0):
            raise ModelError("the times must be finite and growing", remedy="check t_start, t_end and steps, a whole number")
        self.start, self.end, self.steps, self.progress, self.told = start, end, int(steps), progress, start

    def times(self, first: int, last: int) -> np.ndarray:
        return self.start + (self.end - self.start) * np.arange(first, last + 1) / self.steps

    def tell(self, t: float, part: float = 0.0) -> None:
        """Takes the place of a piece's own progress."""
        if self.progress is not None and t > self.told:
            self.told = t
            self.progress(t, (t - self.start) / (self.end - self.start))


def _pieces(model: Model, analyse: Callable[..., Result], span: _Span, options: dict[str, Any]) -> Iterator[Result]:
    """Results one after the other; each begins at the last time of the one before. An error comes after what it kept."""
    done, rows = 0, 1  # the first is short: it tells how many channels there are
    while done < span.steps:
        last = min(span.steps, done + rows)
        try:
            times = span.times(done, last)
            piece = analyse(model, t_start=times[0], t_eval=times, progress=span.tell, **options)
        except (LinkwrightError, Interrupted) as error:
            if done and error.partial is not None:
                yield error.partial
            raise
        yield piece
        span.tell(float(piece.t[-1]))
        if len(piece.t) <= last - done:  # an event has ended it
            return
        done, rows = last, max(1, PIECE // len(piece.channels))
        options = {**options, "start": piece}


def _columns(piece: Result) -> dict[str, np.ndarray]:
    more = places.held(piece, as_columns=True)[1] if isinstance(piece, MotionResult) else {}
    return files.columns(piece) | more


def _join(audit: Audit, piece: Audit) -> None:
    """Join the audits of pieces: what is counted adds up, errors are the largest of all pieces; notes are told once."""
    for name, value in vars(piece).items():
        if name == "notes":
            audit.notes += [n for n in value if n not in audit.notes]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            join = max if name.endswith("_error") else min if name.startswith("smallest") else sum
            setattr(audit, name, join([getattr(audit, name, 0), value]))
    audit.points -= 1  # the first of a piece is the last of the one before


def _kept(out: ResultStream) -> Result | None:
    return None if out.written is None else files.thinned(out.written, SHOWN)
