"""Every robot that other programs ship: whether it loads, and how far masses, places, forces and accelerations at a random
state are from those of its own program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import robots_of_others as robots


@dataclass(frozen=True)
class Row:
    """`why`: the reason where the file does not load here, `theirs`: where it does not load there."""

    kind: str
    name: str
    off: dict[str, float] = field(default_factory=dict)
    why: str = ""
    theirs: str = ""


def rows() -> Iterator[Row]:
    kinds: tuple[tuple[str, list[Path], Callable[[Path], dict[str, float]]], ...] = (
        ("URDF", robots.urdf_files(), robots.against_pinocchio),
        ("MJCF", robots.mjcf_files(), robots.against_mujoco),
    )
    for kind, files, against in kinds:
        for file in files:
            name = "/".join(file.parts[-3:])
            try:
                off = against(file)
                if kind == "MJCF" and off.get("accelerations", 0.0) > 1e-9:  # given our axes of inertia it must agree
                    off |= {f"{n} with our axes": x for n, x in robots.against_mujoco(file, axes=True).items()
                            if n in ("accelerations", "inertia")}  # fmt: skip
                yield Row(kind, name, off)
            except lw.LinkwrightError as error:
                line = getattr(error, "line", 0)
                yield Row(kind, name, why=f"line {line}: {error.cause}", theirs=_theirs(kind, file))
            except (ValueError, RuntimeError) as error:  # of the other program
                yield Row(kind, name, theirs=str(error).splitlines()[0])


def _theirs(kind: str, file: Path) -> str:
    """What the other program says of the file."""
    try:
        if kind == "URDF":
            import pinocchio

            pinocchio.buildModelFromUrdf(str(file))
        else:
            import mujoco

            mujoco.MjModel.from_xml_path(str(file))
    except (ValueError, RuntimeError) as error:
        return " ".join(str(error).split())[:100]
    return ""


def table(found: list[Row]) -> str:
    """What was found: the largest differences, and every file that does not load."""
    out = []
    for kind in ("URDF", "MJCF"):
        own = [r for r in found if r.kind == kind]
        loaded = [r for r in own if r.off]
        what = dict.fromkeys(k for r in loaded for k in r.off)
        worst: dict[str, Any] = {k: max(loaded, key=lambda r, k=k: r.off.get(k, 0.0)) for k in what}
        told = ", ".join(f"{k} {r.off[k]:.1e} ({r.name.rpartition('/')[2]})" for k, r in worst.items())
        out.append(f"{kind}: {len(own)} files, {len(loaded)} compared; largest differences: {told}")
        beyond = [r for r in loaded if max(r.off.values()) > 1e-9]
        out += [f"  beyond 1e-9: {r.name}, {', '.join(f'{k} {x:.1e}' for k, x in r.off.items())}" for r in beyond]
        out += [
            f"  {r.name}: {r.why or 'loads here'}; there: {r.theirs or 'loads'}" for r in own if not r.off
        ]  # fmt: skip
    return "\n".join(out)
