"""Ready machines, each as a model file and as Python: `linkwright examples` lists them, `example(name)` loads one."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwright.model import Model


@dataclass(frozen=True)
class Example:
    """A machine, and what is worth looking at: analysis, how long, channels to plot, points to follow (as formulas)."""

    name: str
    title: str
    analysis: str
    t_end: float
    steps: int
    plot: tuple[str, ...]
    trace: tuple[str, ...] = ()

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


_ALL = (
    Example("slider-crank", "slider-crank compressor with gas force", "kinematics", 1.0, 200, ("slider.x", "slider.vx")),
    Example("four-bar", "crank-rocker four-bar with a coupler curve", "kinematics", 1.0, 200,
            ("follower.angle", "follower.omega"), ("coupler(0, 1.3)",)),
    Example("quick-return", "quick-return shaper with its cutting force", "kinematics", 1.0, 400, ("ram.x", "ram.vx"),
            ("rocker(2, 0)",)),
    Example("valve-lifter", "cam, flat follower, rocker and valve", "kinematics", 0.1, 200, ("valve.y", "rocker.angle")),
    Example("spatial-slider-crank", "slider-crank in space", "kinematics", 1.0, 200, ("slider.x", "slider.vx"),
            ("rod(0, 0, 0)",)),
    Example("governor", "fly-ball governor that holds an engine's speed", "dynamics", 10.0, 500, ("spindle.wz", "collar.z"),
            ("`ball 1`(0, 0, 0)",)),
    Example("jansen", "Theo Jansen's walking legs", "kinematics", 2.0, 400, ("left shank.x", "left shank.y"),
            ("`left shank`(-0.0775, 0.4838)", "`right shank`(-0.0775, -0.4838)")),
    Example("bicycle", "bicycle that keeps itself upright", "dynamics", 4.0, 400, ("steer.angle", "frame.wx"),
            ("`front wheel`(0, 0, 0)",)),
    Example("bouncing-ball", "ball that bounces and comes to rest", "dynamics", 4.0, 400, ("ball.y", "floor.force"),
            ("ball(0, 0)",)),
    Example("newtons-cradle", "Newton's cradle: the last ball leaves", "dynamics", 4.0, 400,
            ("ball 1.angle", "ball 5.angle")),
    Example("geneva", "Geneva drive: a quarter turn, then rest", "dynamics", 2.0, 400, ("wheel.angle", "wheel.omega")),
    Example("latch", "door that latches", "dynamics", 2.0, 400, ("door.angle", "slide.displacement", "catch.force")),
    Example("ratchet", "ratchet and pawl: one way only", "dynamics", 0.6, 300, ("wheel.angle", "teeth.force")),
)  # fmt: skip
EXAMPLES = {e.name: e for e in _ALL}


def example(name: str) -> Example:
    """The example of this name; ModelError with the nearest one if there is none."""
    if name not in EXAMPLES:
        from linkwright.errors import ModelError
        from linkwright.model.names import suggestion

        raise ModelError(f"there is no example {name!r}", element=name, remedy=suggestion(name, EXAMPLES))
    return EXAMPLES[name]


__all__ = ["EXAMPLES", "Example", "example"]
