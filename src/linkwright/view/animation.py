"""The animated page: one HTML file with data, style, scripts and, for space, three.js inside."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from linkwright.arguments import whole
from linkwright.atomic import write_text
from linkwright.calls import answering
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.model import Point
from linkwright.model.names import check_name
from linkwright.results import Result
from linkwright.results.provenance import plain
from linkwright.view import frames, three

# In this order: each may use what stands before it.
SCRIPTS = (
    "data", "followed", "player", "svg", "margins", "labels", "arrows", "legend", "plots", "inspector", "teller", "pins",
    "ropes", "gears", "travel", "stage",
)  # fmt: skip
PLANE = ("camera", "bodies2d", "wheels2d", "springs2d", "glyphs2d", "contacts2d", "extent2d", "forces2d", "stage2d")
SPACE = ("orbit", "forms3d", "parts3d", "glyphs3d", "links3d", "batch3d", "travel3d", "floor3d", "arrows3d", "stage3d")


Followed = Sequence[Point] | Mapping[str, Point]  # by name where they have one
# The channels of a point that is followed, which the page computes.
OF_POINTS = {2: ("x", "y", "vx", "vy", "speed", "ax", "ay"), 3: ("x", "y", "z", "vx", "vy", "vz", "speed", "ax", "ay", "az")}


class Animation:
    """A page; in a notebook it shows itself."""

    def __init__(self, text: str, title: str, height: int = 640) -> None:
        self.text, self.title, self.height = text, title, whole(height, "height")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_text(path, self.text)

    def _repr_html_(self) -> str:
        """In a frame of its own, which cannot touch the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" title="{html.escape(self.title)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{self.height}px;border:0;border-radius:8px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<animation of {self.title!r}, {len(self.text) / 1e6:.1f} MB>"


def kept(page: Animation, path: str | os.PathLike[str] | None) -> Animation:
    """The page, written to a file where one is given."""
    if path is not None:
        page.save(Path(path))
    return page


@answering
def animate(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    channels: Sequence[str] | None = None,
    trace: Followed = (),
    check: Any = None,
    autoplay: bool = True,
    most_frames: int = frames.MOST_FRAMES,
    height: int = 640,
) -> Animation:
    """The machine of a result in motion; see `Result.animate`."""
    data = page_data(result, channels=channels, trace=trace, check=check, autoplay=autoplay, most_frames=most_frames)
    return kept(Animation(page_text(data), result.model, height), path)


def page_data(
    result: Result,
    *,
    channels: Sequence[str] | None = None,
    trace: Followed = (),
    check: Any = None,
    autoplay: bool = True,
    most_frames: int = frames.MOST_FRAMES,
) -> dict[str, Any]:
    """All that the page of a result shows."""
    drawing = result.drawing
    if drawing is None:
        raise ModelError(
            "the result does not know what its machine looks like", element=result.model,
            remedy="give the model: result.animate(path, model=m)",
        )  # fmt: skip
    if check is not None:
        result.provenance.check = str(check)
    return {
        **moving_data(result, drawing, most_frames),
        **about(result, drawing, channels, trace),
        "check": result.provenance.check,
        "model": result.provenance.model,
        "autoplay": autoplay,
    }


def about(
    result: Result, drawing: dict[str, Any], channels: Sequence[str] | None = None, trace: Followed = (),
    value: Callable[[Scalar], float] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Title, plots and traces of a page, checked; `value`: of a number of the model."""
    traces = followed(result.model, drawing, trace, value)
    own = {f"{p['name']}.{c}" for p in traces if "name" in p for c in OF_POINTS[drawing["dimension"]]}
    for name in () if channels is None else channels:
        if name not in own:
            result[name]  # a wrong name is refused here, with the nearest right one
    return {
        "title": result.model,
        "plots": list(channels) if channels is not None else first_channels(result, drawing),
        "traces": traces,
    }


def followed(
    model: str, drawing: Mapping[str, Any], trace: Followed, value: Callable[[Scalar], float] | None = None
) -> list[dict[str, Any]]:
    """Points of bodies as a page has them; the page names those that have no name."""
    out = []
    taken = {
        part["name"]: what for what, parts in (("a body", "bodies"), ("an element", "elements")) for part in drawing[parts]
    }
    given: Iterable[tuple[Any, Any]] = trace.items() if isinstance(trace, Mapping) else ((None, P) for P in trace)
    for name, P in given:
        if not isinstance(P, Point):
            remedy = 'give trace=[rod.at(0.1, 0)], or {"P": rod.at(0.1, 0)}'
            raise ModelError(f"{P!r} is no point to follow", element=model, remedy=remedy)
        if name is not None and check_name(name, "point") in taken:
            raise ModelError(
                f"{taken[name]} has the name of a point that is followed", element=name, remedy="call the point otherwise"
            )
        called = {} if name is None else {"name": name}
        out.append({"body": P.body.name, "at": [(value or P.body.model.value)(x) for x in P.s], **called})
    return out


def moving_data(result: Result, drawing: dict[str, Any], most_frames: int = frames.MOST_FRAMES) -> dict[str, Any]:
    """What the page needs of one run; another run of the same machine may take its place."""
    return {
        "drawing": drawing,
        "motion": frames.motion(result, drawing, most_frames),
        "analysis": result.audit.analysis,
        "audit": str(result.audit),
    }


STANDS = 1e-9  # of its distance from the origin: a place that changes less is rounding


def first_channels(result: Result, drawing: dict[str, Any]) -> list[str]:
    """What to plot if nothing is asked: the place and speed of the body that slides, else of the last one; if it only turns,
    its angle (in space its components of angular velocity)."""
    sliding = [b for e in drawing["elements"] if e["kind"] == "Translational" for b in e["bodies"] if b != "ground"]
    moving = [b["name"] for b in drawing["bodies"] if b["name"] != "ground"]
    if not moving:
        return []
    body = (sliding or moving)[-1]
    spread = {c: float(abs(result[c] - result[c][0]).max()) for c in (f"{body}.{k}" for k in "xyz") if c in result}
    if not spread:
        return []
    place = max(spread, key=lambda c: spread[c])
    if spread[place] <= STANDS * max(float(abs(result[c]).max()) for c in spread) + 1e-15:
        turning = [f"{body}.{c}" for c in ("angle", "omega", "wx", "wy", "wz")]
        return [c for c in turning if c in result] or [place]
    speed = place.replace(f"{body}.", f"{body}.v")
    return [c for c in (place, speed) if c in result]


def asset(name: str) -> str:
    return (files("linkwright.view") / "page" / name).read_text(encoding="utf-8")


def policy(live: bool = False, computes: bool = False) -> str:
    """What the page may do: run what is in it; a live one may also ask its server; one that computes may compile
    WebAssembly, and have workers, which it brings along."""
    script = "'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:" if computes else "'unsafe-inline'"
    return f"default-src 'none'; script-src {script}; style-src 'unsafe-inline'; img-src data: blob:" + (
        "; connect-src 'self'" if live else ""
    )


def lean(script: str) -> str:
    """Without comments, two blanks before them or on lines of their own, and indentation: a fifth of the bytes."""
    lines = (line.partition("  // ")[0].strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def bare(style: str) -> str:
    """A sheet of styles without comments, and without blanks where none is needed."""
    words = " ".join(re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL).split())
    return re.sub(r"(?<=:) | ?([{};,]) ?", r"\1", words)


def page_text(
    data: dict[str, Any], more: Sequence[str] = (), allowed: str | None = None,
    pack: Callable[[str, str], tuple[str, str]] | None = None,
) -> str:  # fmt: skip
    """The whole page around its data; with data["live"] it has sliders, and asks the server it came from. `more`: further
    scripts, with what they are allowed to do. `pack`: of its script and its data, parts of the page that hold them and a
    script that puts them there."""
    space, live = data["drawing"]["dimension"] == 3, "live" in data
    served = [*(["sliders"] if live or "machine" in data else []), *(["remedies"] if live or data.get("server") else [])]
    scripts = [*SCRIPTS, *(SPACE if space else PLANE), "app", *served, *(["live"] if live else ())]
    script = lean("\n".join([*(asset(f"{name}.js") for name in scripts), *more]))
    # "<" never stands in the data as such: nothing in it can end the script
    told = json.dumps(plain(data), separators=(",", ":")).replace("<", "\\u003c")
    parts, script, told = (*pack(script, told), "") if pack else ("", script, told)
    return Template(asset("page.html")).substitute(
        policy=allowed or policy(live),
        title=html.escape(data["title"]),
        style=bare(asset("style.css")),
        data=told,
        library=(f"<script>{three.library()}</script>" if space else "") + parts,
        script=lean(script),
    )
