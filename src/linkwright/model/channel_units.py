"""The units of channels, from what their names say. Everything is SI, angles are radians."""

from __future__ import annotations

import re
from collections.abc import Container

# What follows the last dot of a channel's name.
UNITS = {
    "m": "x y z displacement displacement_x displacement_y length",
    "rad": "wrap angle angle_i angle_j angle_x angle_y",
    "1": "e0 e1 e2 e3 alpha_i alpha_j",
    "m/s": "vx vy vz velocity velocity_x velocity_y impact_speed",
    "rad/s": "omega omega_i omega_j omega_x omega_y wx wy wz",
    "m/s^2": "ax ay az acceleration acceleration_x acceleration_y",
    "rad/s^2": "alpha alphax alphay alphaz alpha_x alpha_y",
    "N": "fx fy fz force friction friction_x friction_y tangential radial axial tension",
    "N m": "tx ty tz torque torque_i torque_j",
    "J": "energy kinetic potential work",
    "W": "power",
}
_BY_CHANNEL = {channel: unit for unit, channels in UNITS.items() for channel in channels.split()}
_RATE = re.compile(r"rate\(((?:`[^`]*`|\w+)\.\w+)\)")  # of one channel
_ONE_OF = re.compile(r"_\d+$")  # of several strands, or places that touch
_RATES = {"m": "m/s", "rad": "rad/s", "m/s": "m/s^2", "rad/s": "rad/s^2", "1": "1/s"}
_BY_FUNCTION = {"distance": "m", "component": "m", "angle": "rad"}


def unit_of(channel: str, among: Container[str] = ()) -> str:
    """The unit of a channel, "" where its name does not tell; `among`: the channels it stands with.

    NAME.alpha is the angular acceleration of a body or of a joint, but the parameter of the curve in a cam: a body also has
    NAME.x, a joint NAME.angle.
    """
    if rate := _RATE.fullmatch(channel):
        return _RATES.get(unit_of(rate[1]), "")
    if "(" in channel:
        return _BY_FUNCTION.get(channel.partition("(")[0], "")
    owner, _, kind = channel.rpartition(".")
    if owner in ("", "violation"):  # states of the machine, and equations of many units
        return ""
    if kind in ("alpha", "alpha_i", "alpha_j"):
        turning = f"{owner}.{kind.replace('alpha', 'angle')}"
        return "rad/s^2" if f"{owner}.x" in among or turning in among else "1"
    if kind == "force" and f"{owner}.torque" in among:  # the same along an angle
        return "N m"
    return _BY_CHANNEL.get("wrap" if kind.startswith("wrap_") else _ONE_OF.sub("", kind), "")  # one of several pulleys


def integrated(unit: str) -> str:
    """The unit of an integral over time."""
    return next((own for own, rate in _RATES.items() if rate == unit), f"{unit} s") if unit else ""


def labelled(channel: str, unit: str) -> str:
    """For the axis of a plot: "slider.x [m]"."""
    return f"{channel} [{unit}]" if unit not in ("", "1") else channel
