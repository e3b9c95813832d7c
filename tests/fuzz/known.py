"""What is known not to hold yet, so that a campaign does not tell it again and again: take a line away when it is mended."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.sketch import Sketch

CURVES = ("PointFollower", "CamFollower", "CamFlat")

KNOWN: dict[str, Callable[[Sketch], bool]] = {
    # the rate of a contact's parameter is not in a result, and takes a part of the velocities at a restart
    "restart": lambda s: bool(s.of_kind(*CURVES)),
    # embed: normals of planes, bushings
    "in space": lambda s: bool(s.of_kind("Contact", "Bushing")),
}
