"""The units of channels, from what their names say. Everything is SI, angles are radians."""

from __future__ import annotations

from collections.abc import Container

# What follows the last dot of a channel's name.
UNITS = {
    "m": "x y z displacement displacement_x displacement_y length",
    "rad": "angle angle_i angle_j angle_x angle_y",
    "1": "e0 e1 e2 e3 alpha_i alpha_j",
    "m/s": "vx vy vz velocity",
    "rad/s": "omega wx wy wz",
    "m/s^2": "ax ay az",
    "rad/s^2": "alpha alphax alphay alphaz",
    "N": "fx fy fz force",
    "N m": "tx ty tz torque torque_i torque_j",
    "J": "energy kinetic potential work",
    "W": "power",
}
_BY_CHANNEL = {channel: unit for unit, channels in UNITS.items() for channel in channels.split()}
_BY_FUNCTION = {"distance": "m", "component": "m", "angle": "rad"}


def unit_of(channel: str, among: Container[str] = ()) -> str:
    """The unit of a channel, "" where its name does not tell; `among`: the channels it stands with.

    NAME.alpha is the angular acceleration of a body, but the parameter of the curve in a cam: a body also has NAME.x.
    """
    if "(" in channel:
        return _BY_FUNCTION.get(channel.partition("(")[0], "")
    owner, _, kind = channel.rpartition(".")
    if owner == "violation":  # of equations of many units
        return ""
    if kind == "alpha" and f"{owner}.x" not in among:
        return "1"
    return _BY_CHANNEL.get(kind, "")


def labelled(channel: str, unit: str) -> str:
    """For the axis of a plot: "slider.x [m]"."""
    return f"{channel} [{unit}]" if unit not in ("", "1") else channel
