"""`lw.page`: one HTML file with the machine in it, to be moved and solved by whoever opens it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, get_args

from linkwright.analyses.diagnosis.check import check
from linkwright.analyses.dynamics.dynamics import dynamics
from linkwright.analyses.dynamics.options import size_of
from linkwright.analyses.dynamics.whole.equations import REGULARISED
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.analyses.statics.equilibrium import equilibrium
from linkwright.bounds import LARGEST, shown
from linkwright.errors import LinkwrightError, ModelError
from linkwright.live.bundle import START, TOLD, Bundle, machine_bytes, tag
from linkwright.live.described import sources
from linkwright.live.drawn import Touches, function, told_forces, traced, tracing
from linkwright.live.dynamic import simulated
from linkwright.live.first import as_estimated, recorded, slider
from linkwright.live.kinematic import balanced, moved
from linkwright.live.limits import limits
from linkwright.model import Driver, Model, a_model
from linkwright.options import PageAnalysis
from linkwright.results import Result
from linkwright.results.provenance import model_text
from linkwright.view import animation
from linkwright.view.animation import Animation, Followed, kept
from linkwright.view.drawing import drawn_by
from linkwright.view.frames import MOST_FRAMES
from linkwright.words import choices

ANALYSES = get_args(PageAnalysis)
# What computes has names of its own: it is one function, which a worker can be given, too.
SOLVER = ("linear", "wasm", "assembly", "misfit", "forces")
SIMULATION = ("forms", "engine", "dynamics")
SCRIPTS = ("movie", "files", "keeper", "panel", "loads", "ghost", "drag", "bench")
STEPS = 200
# Of options of analyses, what a page does as well.
USUAL = {
    "method": "auto", "formulation": "newton-euler", "constraints": "projection", "constraint_tol": 1e-8,
    "max_step": float("inf"), "dense_output": False, "rates": True,
}  # fmt: skip
HEAVY = 60  # ms: a solution that takes longer is given up, and left to a thread of its own
FRAMES = 100  # of the motion that is shown until the page has solved the machine itself
Range = tuple[float, float]


@dataclass(frozen=True)
class Wanted:
    """What a page is asked for, checked."""

    analysis: str
    times: Times
    rtol: float | None
    ranges: dict[str, Range | None]  # by parameter that has a slider

    @classmethod
    def of(cls, model: Model, analysis: Any, t_end: Any, steps: Any, rtol: Any, parameters: Any) -> Wanted:
        driven = any(isinstance(e, Driver) for e in model.elements.values())
        chosen = ("kinematics" if driven else "dynamics") if analysis is None else analysis
        if chosen not in ANALYSES:
            remedy = choices(str(analysis), ANALYSES)
            raise ModelError(f"there is no page of {shown(analysis)}", element="analysis", remedy=remedy)
        times = Times.of(1.0 if t_end is None else t_end, STEPS if steps is None else steps, 0.0, None, chosen)
        checked = None if rtol is None else size_of("rtol", rtol, 0.0)
        return cls(chosen, times, checked, _ranges(model, parameters))


def _ranges(model: Model, parameters: Any) -> dict[str, Range | None]:
    if parameters is None:
        return dict.fromkeys(model.parameters)
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        raise ModelError(
            f"they are {shown(parameters)}", element="parameters", remedy='give names, or ranges: {"r": (0.1, 0.3)}'
        )
    out: dict[str, Range | None] = {}
    for name in parameters:
        if not isinstance(name, str) or name not in model.parameters:
            known = ", ".join(model.parameters) or "it has none"
            raise ModelError(f"the model has no parameter {shown(name)}", element="parameters", remedy=f"there are: {known}")
        out[name] = _range(name, parameters[name]) if isinstance(parameters, Mapping) else None
    return out


def _range(name: str, given: Any) -> Range:
    try:
        low, high = (float(x) for x in given)
    except (TypeError, ValueError, OverflowError):
        low = high = 0.0
    if not -LARGEST <= low < high <= LARGEST:
        raise ModelError(f"{shown(given)} is no range", element=name, remedy="give the least and the largest value")
    return low, high


@by_name
def page(
    model: Model,
    path: str | os.PathLike[str] | None = None,
    *,
    analysis: PageAnalysis | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    parameters: Iterable[str] | Mapping[str, Sequence[float]] | None = None,
    rtol: float | None = None,
    channels: Sequence[str] | None = None,
    trace: Followed = (),
    autoplay: bool = True,
    height: int = 640,
) -> Animation:
    """Write a page with the machine in it: one HTML file that solves the machine anew in the browser as it is moved.

    Sliders and number fields change parameters and start values. The page assembles, moves and simulates the machine
    itself, compiled to WebAssembly, with the same steps and to the same tolerances as `kinematics` and `dynamics` here; no
    server is asked, nothing is fetched. Where the machine does not close or locks up, the page says so and keeps the last
    picture. What a page cannot compute is shown as it was recorded, and the page says why. Scripts find it as
    `window.linkwright`.

    Parameters
    ----------
    model : Model
        The machine.
    path : path, optional
        The file to write.
    analysis : {"kinematics", "dynamics", "inverse_dynamics", "equilibrium"}, optional
        By default kinematics of a machine with drivers, else dynamics.
    t_end : float, optional
        The end of the run [s]; by default 1.
    steps : int, optional
        Output at steps + 1 even times; by default 200.
    parameters : names or mapping, optional
        The parameters that get a slider, by default all; a mapping gives their least and largest values.
    rtol : float, optional
        Relative tolerance of a simulation; by default 1e-8.
    channels : list of str, optional
        What is plotted at first.
    trace : list of Point, or mapping from str to Point
        Points that are followed: their paths are drawn, and the page has their places, speeds and accelerations as channels
        by their names (`trace={"P": rod.at(0.1, 0.05)}`: "P.x", ..., "P.vx", ..., "P.speed", "P.ax", ...); those without a
        name get a letter, from P on.
    autoplay : bool
        Whether the machine moves when the page opens.
    height : int
        In a notebook [pixels].

    Returns
    -------
    Animation
        The page; in a notebook it shows itself.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> l = m.parameter("l", 0.5)
    >>> arm = m.body("arm", mass=1.0, inertia=0.1, position=(l, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-l, 0)))
    >>> lw.page(m, t_end=2.0)
    <animation of 'pendulum', 0.1 MB>
    """
    wanted = Wanted.of(a_model(model), analysis, t_end, steps, rtol, parameters)
    return kept(Animation(page_text(model, wanted, channels, trace, autoplay), model.name, height), path)


def of_result(result: Result, path: str | os.PathLike[str] | None = None, **options: Any) -> Animation:
    """The live page of a result: its machine, its analysis, its times; see `Result.animate`."""
    model, asked = result._source, result.provenance.options
    analysis = result.audit.analysis.replace(" ", "_")
    if model is None:
        raise ModelError(
            "a result from a file has no machine that could be solved", element=result.model,
            remedy="lw.page(model, ...) makes a live page of a model",
        )  # fmt: skip
    other = [
        n for n, x in asked.items() if n not in ("t_end", "steps", "t_start", "t_eval", "rtol") and x != USUAL.get(n, x)
    ]
    if analysis not in ANALYSES or other or asked.get("start") is not None:
        what = f"options of its own ({', '.join(other)})" if other else f"a result of {result.audit.analysis}"
        raise ModelError(
            f"a live page cannot have {what}",
            element=result.model,
            remedy="lw.page(model, ...) with what it takes, or live=False",
        )
    times = Times.of(float(result.t[-1]), None, float(result.t[0]), result.t, analysis)
    unknown = [n for n in options if n not in ("channels", "trace", "autoplay", "height", "parameters")]
    if unknown:
        raise ModelError(f"a live page takes no {unknown[0]!r}", element=result.model, remedy="leave it out")
    ranges = _ranges(model, options.pop("parameters", None))
    height = options.pop("height", 640)
    wanted = Wanted(analysis, times, asked.get("rtol"), ranges)
    return kept(Animation(page_text(model, wanted, **options), model.name, height), path)


def page_text(
    model: Model, wanted: Wanted, channels: Sequence[str] | None = None, trace: Followed = (), autoplay: bool = True,
    server: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """The whole page. `server`: what it is told of the one it comes from, which keeps the model's file."""
    return made(model, wanted, channels, trace, autoplay, server)[0]


def made(
    model: Model, wanted: Wanted, channels: Sequence[str] | None, trace: Followed, autoplay: bool,
    server: Mapping[str, Any] | None,
) -> tuple[str, str]:  # fmt: skip
    """The same, and why the machine is not solved in it; "" where it is."""
    found, error = recorded(lambda: _analysed(model, wanted))
    result = as_estimated(model) if found is None else found
    pen = tracing(model)
    drawing = drawn_by(pen)
    touches = Touches(Machine(model))
    forces = told_forces(result, drawing, touches)
    about = animation.about(result, drawing, channels, trace, pen.value)
    numbers = traced({"drawing": drawing, "traces": about["traces"], **forces})
    machine = {**compiled(model, wanted, result, numbers, touches), **forces, "error": error}
    computes = not machine["refused"] and error is None
    moving = animation.moving_data(result, drawing, FRAMES if computes else MOST_FRAMES)
    if computes:  # the page has them as soon as it has solved the machine; a browser that cannot shows the motion
        for channel in moving["motion"]["channels"]:
            channel["data"] = ""
        moving["motion"] |= {"arrows": [], "torques": []}
    data = {
        **moving,
        **about,
        "check": server["check"] if server and "check" in server else _checked(model),
        "model": result.provenance.model or model_text(model),
        "autoplay": autoplay,
        "machine": {k: machine[k] for k in TOLD if k in machine},
        "server": server,
    }
    solver = "\n".join(["function solverScope() {", *map(script, solvers(machine)), "return { load };", "}"])
    own = ["(() => {", solver, *map(script, SCRIPTS), "})();"]  # its names are no others' of the page
    allowed = animation.policy(live=server is not None, computes=True)
    text = animation.page_text(data, own, allowed, lambda whole, told: _packed(whole, told, machine))
    return text, machine["refused"] or ("" if error is None else str(error["cause"]))


def _packed(whole: str, told: str, machine: Mapping[str, Any]) -> tuple[str, str]:
    """What stands in the page for its script and its data, and the script that unpacks them."""
    parts = {"script": whole.encode(), "data": told.encode(), "machine": machine_bytes(machine)}
    return "".join(tag(name, content) for name, content in parts.items()), script("inflate") + START


def solvers(machine: Mapping[str, Any]) -> tuple[str, ...]:
    """The scripts that solve a machine; those that it has no use for are left out."""
    own = {"dynamics": SIMULATION, "equilibrium": ("balance",)}.get(machine["analysis"], ("kinematics",))
    impacts: tuple[str, ...] = ("collision", "bounces") if machine.get("impacts") or machine.get("dry") else ()
    impacts += ("dry_numbers", "cones", "dry_modes", "dry_space", "stick") if machine.get("dry") else ()
    stiff = ("stiffness",) if machine.get("stiff") or machine.get("later") else ()
    chart = ("joint_chart",) if machine.get("joint") or machine.get("later") else ()
    if impacts and machine["analysis"] == "dynamics":
        own += ("computed",)
    return (*SOLVER, *impacts, *stiff, *chart, *own, "channels", "solver")


def script(name: str) -> str:
    return (files("linkwright.live") / "script" / f"{name}.js").read_text(encoding="utf-8")


def _analysed(model: Model, wanted: Wanted) -> Result:
    times = wanted.times
    if wanted.analysis == "kinematics":
        return kinematics(model, t_eval=times.shown)
    if wanted.analysis == "inverse_dynamics":
        return inverse_dynamics(model, t_eval=times.shown)
    if wanted.analysis == "equilibrium":
        return equilibrium(model, times.start).as_result()
    return dynamics(model, t_eval=times.shown, rtol=wanted.rtol)


def _checked(model: Model) -> str:
    try:
        return str(check(model))
    except LinkwrightError as error:
        return str(error)


def compiled(
    model: Model, wanted: Wanted, result: Result, numbers: list[tuple[list[Any], Any]], touches: Touches
) -> dict[str, Any]:
    """The machine as the script takes it; with a `refused` that says why where it cannot be solved in a page."""
    bundle, values = Bundle(), model.parameters
    told = {
        "analysis": wanted.analysis,
        "heavy": HEAVY,
        "largest": LARGEST,
        "sliders": [{"name": n, "value": values[n], **_limits(values[n], own)} for n, own in wanted.ranges.items()],
    }
    try:
        if wanted.analysis == "equilibrium":
            data, natives, refused = balanced(model, wanted.times, bundle)
        elif wanted.analysis == "dynamics":
            stiff, regular = "radau" in result.audit.method, REGULARISED in getattr(result.audit, "why", "")
            data, natives, refused = simulated(model, wanted.times, wanted.rtol, bundle, stiff, regular)
        else:
            data, natives, refused = moved(model, wanted.times, bundle, loaded=wanted.analysis == "inverse_dynamics")
    except LinkwrightError as error:  # it does not close as it is: nothing can be prepared
        return {**told, "refused": f"the machine cannot be solved as it is described: {error.cause}"}
    if refused:
        return {**told, "refused": refused}
    for name, told_of in (("drawing", numbers), ("limits", bounds := limits(model))):
        if told_of:
            bundle.add(name, function(model, name, Machine(model).system.inputs["b"], [x for _, x in told_of]))
    touches.put_into(bundle)
    reactions = {name: ("reactions", k) for k, name in enumerate(data.get("reactions", ()))}
    found = sources(data, result.channels, {**{n: ("joints", k) for n, k in data["joints"].items()}, **reactions})
    return {
        **told, **bundle.data(natives), **data, "refused": "", "drawn": [path for path, _ in numbers],
        "limits": [x for x, _ in bounds],
        "channels": [[*source, result.unit(source[0])] for source in found],
    }  # fmt: skip


def _limits(value: float, own: Range | None) -> dict[str, float]:
    return slider(value) if own is None else {"low": own[0], "high": own[1]}
