"""A machine on the bench: solved again for other values of its parameters, which are written to its file on request, and
mended by the remedies that `check` has tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from linkwright.bounds import REMEDY, trouble
from linkwright.errors import LinkwrightError, ModelError

if TYPE_CHECKING:
    from linkwright.analyses.diagnosis.report import Report
    from linkwright.examples import Example
    from linkwright.model import Fix, Model
    from linkwright.results import Result

Bench: TypeAlias = "tuple[Model, ModelFile | None, str]"


class Workbench:
    """One model and, unless it is an example, the one file it came from. May be used from several threads."""

    def __init__(
        self, model: Model, file: str | None, found: Example | None = None, t_end: float | None = None,
        steps: int | None = None, here: bool = True,
    ) -> None:  # fmt: skip
        """here: solved by this process, else by the page itself where it can."""
        self.found, self.here = found, here
        t_end = t_end if t_end is not None else found.t_end if found else 1.0
        steps = steps if steps is not None else found.steps if found else 200
        self.times = t_end, steps
        self.origin = Path(file or (found.name if found else "machine"))
        self._lock = Lock()
        self._before: list[Bench] = []  # the machines that remedies were made of
        self._fixes: list[Fix] = []  # by number less one, as the page was told them
        self._put(model, None if file is None else ModelFile(Path(file)), "")

    def _put(self, model: Model, file: ModelFile | None, mended: str) -> None:
        """This machine is on the bench now; `mended`: by what."""
        self.model, self.file, self.mended = model, file, mended
        self.values = dict(model.parameters)  # as in the file
        self._analyse = solver(model, *self.times)
        self._report: Report | None = None

    def page(self, name: str) -> str:
        """The live page with the values of the file; it will call itself by this name."""
        return (None if self.here else self._own_page(name)) or self._page_of_here(name)

    def _own_page(self, name: str) -> str | None:
        """A page that solves the machine itself; None where it cannot."""
        from linkwright.live.page import Wanted, made

        with self._lock:
            self.model.set(**self.values)
            told = self._told()
            if self._report is None or not self._report.closed:
                return None
            wanted = Wanted.of(self.model, None, *self.times, None, None)
            found = self.found
            server = {"page": name, **told}
            plots, traces = (list(found.plot), found.points(self.model)) if found else (None, [])
            text, refused = made(self.model, wanted, plots, traces, True, server)
            return None if refused else text

    def _page_of_here(self, name: str) -> str:
        """A page that asks this process for solutions."""
        from linkwright.live.first import as_estimated, slider
        from linkwright.results.provenance import model_text
        from linkwright.view import animation

        with self._lock:
            clock = perf_counter()
            result, error = self._run(self.values)
            solved = result is not None
            if result is None:
                result = as_estimated(self.model)
            drawing = self._drawing()
            live = {
                "page": name,
                "parameters": [{"name": n, "value": v, **slider(v)} for n, v in self.values.items()],
                **self._told(),
                "error": error,
                "solved": solved,
                "milliseconds": 1e3 * (perf_counter() - clock),
            }
            found = self.found
            plots = [c for c in found.plot if c in result] if found else animation.first_channels(result, drawing)
            traces = [] if found is None else found.points(self.model)
            data = {
                **animation.moving_data(result, drawing),
                "title": self.model.name,
                "plots": plots,
                "traces": animation.followed(self.model.name, drawing, traces),
                "check": live["check"] if solved else "",  # else the page says why not
                "model": result.provenance.model or model_text(self.model),
                "autoplay": True,
                "live": live,
            }
            return animation.page_text(data)

    def solve(self, values: Mapping[str, float]) -> dict[str, Any]:
        """The machine in motion for these values of parameters (the others as in the file), or what is wrong with it."""
        from linkwright.view.animation import moving_data

        with self._lock:
            clock = perf_counter()
            result, error = self._run({**self.values, **values})
            answer: dict[str, Any] = {} if result is None else moving_data(result, self._drawing())
            if error is not None:
                answer["error"] = error
            return {**answer, "milliseconds": 1e3 * (perf_counter() - clock)}

    def _run(self, values: Mapping[str, float]) -> tuple[Result | None, dict[str, Any] | None]:
        from linkwright.live.first import recorded

        return recorded(lambda: self._analyse(values))

    def _drawing(self) -> dict[str, Any]:
        from linkwright.view.drawing import draw

        return draw(self.model)

    def _told(self) -> dict[str, Any]:
        """What the page is told of the file, and of what `check` finds with the values of the file."""
        from linkwright.cli.check import objecting

        self._report = self._report or self._checked()
        return {
            "file": None if self.file is None else self.file.path.name,
            "why_not": self._why_not,
            "check": "" if self._report is None else str(self._report),
            "findings": [] if self._report is None else objecting(self._report),
            "mended": self.mended,
            "mended_file": self._mended_file().name if self.mended and self.file is None else "",
        }

    def _checked(self) -> Report | None:
        from linkwright.cli.sources import public

        try:
            report: Report = public("check", "check")(self.model)
        except LinkwrightError:
            return None  # the page says it as the error of the motion
        return report

    @property
    def _why_not(self) -> str:
        if self.mended:
            return "Save the mended machine first: it has no file yet."
        return f"This is an example: {self._own_file} makes a file of your own."

    @property
    def _own_file(self) -> str:
        return f"linkwright new NAME --from {self.found.name if self.found else 'EXAMPLE'}"

    def save(self, values: Mapping[str, float]) -> dict[str, Any]:
        """Write these values to the file: the numbers change, nothing else in it does."""
        with self._lock:
            if self.file is None and self.mended:
                raise ModelError("the mended machine has no file yet", remedy="save the mended machine first")
            if self.file is None:
                raise ModelError("an example has no file to save to", remedy=f"{self._own_file} makes one")
            for name, value in values.items():
                if wrong := trouble(value):
                    raise ModelError(f"the value of a parameter {wrong}", element=name, remedy=REMEDY)
            self.file.revise({n: v for n, v in values.items() if v != self.values[n]})
            self.values.update(values)
            self._report = None
            return {"saved": dict(self.values)}

    # -- remedies ----------------------------------------------------------------------------------------------------------
    def check(self, values: Mapping[str, float]) -> dict[str, Any]:
        """What is wrong with the machine with these values, and the remedies that were tried, by number."""
        from linkwright.cli.check import listed, objecting

        with self._lock:
            self.model.set(**{**self.values, **values})
            report = self._checked()
            self._fixes = [] if report is None else listed(report, every=False)
            return {"findings": [] if report is None else objecting(report, tried=True)}

    def mend(self, values: Mapping[str, float], number: int) -> dict[str, Any]:
        """Put a copy with one of the remedies on the bench; nothing is written."""
        with self._lock:
            if not 1 <= number <= len(self._fixes):
                raise ModelError(f"there is no remedy {number}", remedy="look for remedies again")
            self.model.set(**{**self.values, **values})
            fix = self._fixes[number - 1]
            model = fix.apply(self.model)
            self._before.append((self.model, self.file, self.mended))
            self._fixes = []
            self._put(model, None, fix.text)
            return {"mended": fix.text}

    def undo(self, values: Mapping[str, float]) -> dict[str, Any]:
        """The machine before the last remedy."""
        with self._lock:
            if self._before:
                self._fixes = []
                self._put(*self._before.pop())
            return {"mended": self.mended}

    def keep(self, values: Mapping[str, float]) -> dict[str, Any]:
        """Write the mended machine to a file of its own, beside the one it comes from."""
        with self._lock:
            if not self.mended:
                raise ModelError("no remedy was made: there is nothing to save", remedy="choose one first")
            path = self._mended_file()
            self.model.set(**{**self.values, **values})
            self.model.save(path)
            self._put(self.model, ModelFile(path), self.mended)
            return {"saved": path.name}

    def _mended_file(self) -> Path:
        """NAME-mended.yaml; with a number where there is one already."""
        names = (f"{self.origin.stem}-mended{f'-{n}' * (n > 1)}.yaml" for n in count(1))
        return next(path for path in map(self.origin.with_name, names) if not path.exists())


class ModelFile:
    """A model file as it was read; it is replaced only while it still is so on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()  # a link stays a link: what it leads to is replaced
        self.bytes = self.path.read_bytes()

    def revise(self, values: Mapping[str, float]) -> None:
        from linkwright.atomic import replacing
        from linkwright.model.files import revise

        try:
            same = self.path.read_bytes() == self.bytes
        except OSError:
            same = False
        if not same:
            raise ModelError(
                f"{self.path.name} has changed on the disk since it was read: nothing is written",
                remedy="run linkwright view again to see it as it is",
            )
        if not values:
            return
        text = self.bytes.decode("utf-8-sig")
        mark = self.bytes[: len(self.bytes) - len(text.encode())]
        new = mark + revise(text, values, self.path.name).encode()
        with replacing(self.path) as temporary:
            temporary.write_bytes(new)
        self.bytes = new


def solver(model: Model, t_end: float, steps: int) -> Callable[[Mapping[str, float]], Result]:
    """Kinematics of a driven machine, else a simulation."""
    from linkwright.cli.sources import public
    from linkwright.model import Driver

    if any(isinstance(e, Driver) for e in model.elements.values()):
        from linkwright.analyses.motion.kinematics import Repeated

        again = Repeated(model, t_end, steps)
        return lambda values: again(**values)
    dynamics = public("dynamics", "dynamics")

    def simulate(values: Mapping[str, float]) -> Result:
        model.set(**values)
        result: Result = dynamics(model, t_end=t_end, steps=steps)
        return result

    return simulate
