"""What is asked of a result and is not in it: why, and where it is to be had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from linkwright.errors import ModelError
from linkwright.words import meant, question

if TYPE_CHECKING:
    from linkwright.results.channels import Channels

FORCES = frozenset(("fx", "fy", "fz", "tx", "ty", "tz", "force", "torque", "torque_i", "torque_j", "power"))
RATES = frozenset((
    "vx", "vy", "vz", "omega", "wx", "wy", "wz", "ax", "ay", "az", "alpha", "alphax", "alphay", "alphaz",
    "velocity", "velocity_x", "velocity_y", "acceleration", "acceleration_x", "acceleration_y",
    "omega_i", "omega_j", "omega_x", "omega_y", "alpha_i", "alpha_j", "alpha_x", "alpha_y",
))  # fmt: skip


def not_there(result: Channels, name: str) -> ModelError:
    """The error for a channel that is not there."""
    owner, dot, channel = name.rpartition(".")
    own = _own(result, owner) if dot else []
    analysis = result.audit.analysis
    cause, remedy = f"there is no channel {name!r}", ""
    has_forces = any(x.rpartition(".")[2] in FORCES for x in result)
    if _is_there(result, owner, own) and channel in FORCES and not has_forces:
        cause = f"{cause}: {analysis or 'this analysis'} computes no forces"
        remedy = (
            "lw.inverse_dynamics(m, ...) gives those that make the motion, lw.dynamics and lw.equilibrium also have them"
        )
    elif _is_there(result, owner, own) and channel in RATES and not any(c in RATES for c in own):
        cause = f"{cause}: {analysis or 'this analysis'} has positions only"
        remedy = "lw.kinematics (with its rates) and lw.dynamics give speeds and accelerations"
    elif own:
        near = meant(channel, own)
        asked = [f"did you mean {' or '.join(repr(f'{owner}.{c}') for c in near)}?"] if near else []
        remedy = " ".join([*asked, f"there are {', '.join(f'{owner}.{c}' for c in own)}"])
    else:
        known = list(dict.fromkeys(x.rpartition(".")[0] for x in result))
        near = meant(owner, known) if dot else []
        full = [f"{x}.{channel}" for x in near if f"{x}.{channel}" in result]
        remedy = f"did you mean {full[0]!r}?" if full else question(name, result) or "`.channels` lists them"
    return ModelError(cause, element=name, remedy=remedy)


def no_reaction(result: Channels, name: str, joints: Mapping[str, object]) -> ModelError:
    """The error for an element that is asked for its reaction and has none."""
    own = [c for c in _own(result, name) if c in FORCES]
    if own:
        return ModelError(
            f"{name!r} is no joint: what it does is a number along a line or an angle, not a force and a torque at a point",
            element=name, remedy="read " + ", ".join(f'd["{name}.{c}"]' for c in own),
        )  # fmt: skip
    known = ", ".join(joints) or "none"
    asked = question(name, [*joints, *(x.rpartition(".")[0] for x in result if x.rpartition(".")[2] in FORCES)])
    return ModelError(
        f"there is no joint {name!r} with a reaction", element=name, remedy=f"{asked} there are: {known}".strip()
    )


def _own(result: Iterable[str], owner: str) -> list[str]:
    """What follows the name of a body or an element in the channels it has."""
    head = f"{owner}."
    return [x.removeprefix(head) for x in result if x.startswith(head)]


def _is_there(result: Channels, owner: str, own: list[str]) -> bool:
    """Whether the machine has it, as far as the result knows."""
    source = result._source
    return bool(own) or (source is not None and owner in source.elements)
