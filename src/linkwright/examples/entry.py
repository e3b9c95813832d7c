"""A ready machine: its file, its program, what is worth looking at."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwright.model import Model


@dataclass(frozen=True)
class Example:
    """A machine, and what is worth looking at: analysis, how long, channels to plot, points to follow (as formulas), where
    it comes from: the book by sections and projects (P5.1)."""

    name: str
    title: str
    analysis: str
    t_end: float
    steps: int
    plot: tuple[str, ...]
    trace: tuple[str, ...] = ()
    source: str = ""  # where it is described

    @property
    def sections(self) -> list[str]:
        """Of the book: "5.2", "P10.1"."""
        words = self.source.replace(",", "").split()
        return words[1:] if words[:1] == ["Haug"] else []

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    @property
    def text(self) -> str:
        """The model file."""
        return (files(__package__) / f"{self.module}.yaml").read_text(encoding="utf-8")

    @property
    def python(self) -> str:
        """The program that makes the same machine."""
        return (files(__package__) / f"{self.module}.py").read_text(encoding="utf-8")

    def load(self) -> Model:
        """The machine, from the model file."""
        from linkwright.model.files import loads

        return loads(self.text, f"{self.module}.yaml")

    def build(self) -> Model:
        """The machine, made by the program."""
        made: Model = import_module(f"{__package__}.{self.module}").build()
        return made

    def points(self, model: Model) -> list[Any]:
        """The points worth following, on a model of this example."""
        from linkwright.model import grammar

        return [grammar.read(text, model.scope()) for text in self.trace]
