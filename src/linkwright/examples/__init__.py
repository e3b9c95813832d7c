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
    """A machine, and what is worth looking at: analysis, how long, channels to plot, points to follow (as formulas), where
    it comes from: the book by sections."""

    name: str
    title: str
    analysis: str
    t_end: float
    steps: int
    plot: tuple[str, ...]
    trace: tuple[str, ...] = ()
    source: str = ""  # where it is described

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
    Example("slider-crank", "slider-crank compressor with gas force", "kinematics", 1.0, 200, ("slider.x", "slider.vx"),
            source="Haug 5.2, 8.2"),
    Example("four-bar", "crank-rocker four-bar with a coupler curve", "kinematics", 1.0, 200,
            ("follower.angle", "follower.omega"), ("coupler(0, 1.3)",), source="Haug 5.3"),
    Example("quick-return", "quick-return shaper with its cutting force", "kinematics", 1.0, 400, ("ram.x", "ram.vx"),
            ("rocker(2, 0)",), source="Haug 5.4, 8.3"),
    Example("valve-lifter", "cam, flat follower, rocker and valve", "kinematics", 0.1, 200, ("valve.y", "rocker.angle"),
            source="Haug 5.6, 8.5"),
    Example("spatial-slider-crank", "slider-crank in space", "kinematics", 1.0, 200, ("slider.x", "slider.vx"),
            ("rod(0, 0, 0)",), source="Haug 10.2, 12.2"),
    Example("governor", "fly-ball governor that holds an engine's speed", "dynamics", 10.0, 500, ("spindle.wz", "collar.z"),
            ("`ball 1`(0, 0, 0)",), source="Haug 12.6"),
    Example("jansen", "Theo Jansen's walking legs", "kinematics", 2.0, 400, ("left shank.x", "left shank.y"),
            ("`left shank`(-0.0775, 0.4838)", "`right shank`(-0.0775, -0.4838)")),
    Example("bicycle", "bicycle that keeps itself upright", "dynamics", 4.0, 400, ("steer.angle", "frame.wx"),
            ("`front wheel`(0, 0, 0)",), source="Meijaard et al. 2007"),
    Example("bouncing-ball", "ball that bounces and comes to rest", "dynamics", 4.0, 400, ("ball.y", "floor.force"),
            ("ball(0, 0)",)),
    Example("newtons-cradle", "Newton's cradle: the last ball leaves", "dynamics", 4.0, 400,
            ("ball 1.angle", "ball 5.angle")),
    Example("geneva", "Geneva drive: a quarter turn, then rest", "dynamics", 2.0, 400, ("wheel.angle", "wheel.omega")),
    Example("latch", "door that latches", "dynamics", 2.0, 400, ("door.angle", "slide.displacement", "catch.force")),
    Example("ratchet", "ratchet and pawl: one way only", "dynamics", 0.6, 300, ("wheel.angle", "teeth.force")),
    Example("gear-slider", "gears that drive a ram, with a stroke that is set", "kinematics", 1.0, 200, ("ram.x", "ram.vx"),
            source="Haug 5.5"),
    Example("film-follower", "claw that pulls a film strip", "kinematics", 0.06, 200, ("follower.x", "follower.y"),
            ("follower(0.02, 0)",), source="Haug 5.8"),
    Example("coil-spring", "coil spring that is struck: a wave runs along it", "dynamics", 10.0, 400,
            ("coil 1.x", "coil 6.x", "block.x"), source="Haug 8.4"),
    Example("spatial-four-bar", "four-bar in space", "kinematics", 2.0, 200, ("D.angle", "link.x"), ("link(0, 0, 0)",),
            source="Haug 10.3"),
    Example("air-compressor", "air compressor with a wobbling disk", "kinematics", 0.1, 200, ("piston 1.y", "piston 6.y"),
            source="Haug 10.4"),
    Example("andrews", "Andrews' squeezing mechanism", "dynamics", 0.03, 300, ("OF.angle", "BDE.angle"),
            source="IFToMM A03, IVP test set"),
    Example("bricard", "Bricard's ring of six hinges", "dynamics", 10.0, 400, ("rod 2.x", "rod 2.y", "rod 2.z"),
            ("`rod 2`(0, -0.5, 0)",), source="IFToMM A04"),
    Example("flyball", "stiff fly-ball governor", "dynamics", 10.0, 400, ("slider.z",), source="IFToMM A05"),
    Example("heavy-top", "fast top that precesses", "dynamics", 2.0, 400, ("top.e1", "top.wz"), ("top(0, 1, 0)",),
            source="multibody literature"),
    Example("peaucellier", "Peaucellier's cell: an exact straight line", "kinematics", 1.0, 200,
            ("far upper.x", "far upper.y"),
            ("`far upper`(a/2, 0)",)),
    Example("planetary-gear", "planetary gear: five turns in, one out", "kinematics", 5.0, 200,
            ("carrier.angle", "sun.angle")),
    Example("stewart-platform", "Stewart platform on six legs", "kinematics", 1.0, 100, ("plate.z", "plate.x"),
            ("plate(0, 0, 0)",)),
    Example("delta-robot", "Delta robot: moves everywhere, never turns", "kinematics", 1.0, 100, ("plate.x", "plate.z"),
            ("plate(0, 0, 0)",)),
    Example("v6-engine", "V6 engine at 3000 rpm", "inverse_dynamics", 0.04, 240, ("motor.torque", "piston 1.y")),
    Example("wishbone", "double wishbone suspension", "inverse_dynamics", 1.0, 100,
            ("upright.z", "upright.e1", "spring.force")),
)  # fmt: skip
EXAMPLES = {e.name: e for e in _ALL}


def example(name: str) -> Example:
    """The example of this name, or of this section of the book, such as "8.4"; ModelError with the nearest one if there is
    none."""
    by_section = [e for e in EXAMPLES.values() if name in e.source.replace(",", "").split()[1:]]
    if name not in EXAMPLES and by_section:
        return by_section[0]
    if name not in EXAMPLES:
        from linkwright.errors import ModelError
        from linkwright.model.names import suggestion

        raise ModelError(f"there is no example {name!r}", element=name, remedy=suggestion(name, EXAMPLES))
    return EXAMPLES[name]


__all__ = ["EXAMPLES", "Example", "example"]
