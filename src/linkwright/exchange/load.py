"""`lw.load`: a model from any file that describes one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.exchange import xml
from linkwright.model import Model
from linkwright.model.files import load as load_own
from linkwright.model.names import ELSEWHERE

OTHERS = {  # formats that are not read, and what leads to one that is
    ".xacro": ("a program that makes a URDF", "run it first: xacro robot.xacro > robot.urdf"),
    ".sdf": ("a scene of Gazebo", "write it as URDF or MJCF first"),
    ".usd": ("a scene of Omniverse", "write it as URDF or MJCF first"),
    ".usda": ("a scene of Omniverse", "write it as URDF or MJCF first"),
}  # fmt: skip


@typed
def load(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    package_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    limits: bool = True,
    keyframe: str | int | None = None,
) -> Model:
    """Read a model from a file: of Linkwright (YAML, JSON), or of another program (URDF, MJCF).

    Of a URDF every link becomes a body in the link's frame and every joint a joint, under the names of the file; gravity is
    (0, 0, -9.81). Of MJCF so does every body; an actuator NAME is a force with the parameter ctrl_NAME. What has no
    counterpart is told in `model.notes`.

    Parameters
    ----------
    path : path
        The file; its ending tells the format.
    floating : bool
        Of a URDF: whether the root is free; by default it is fixed to the ground.
    package_dirs : path or several
        Of URDF and MJCF: folders from which meshes and other files may be read, beside the file's own; those in which
        the packages of package:// lie.
    limits : bool
        Of URDF and MJCF: whether limits of joints become stops (`Stop` without rebound).
    keyframe : str or int, optional
        Of MJCF: the name or number (from 0) of the keyframe at which it begins; by default in the pose of the file.

    Returns
    -------
    Model
        The model.

    Raises
    ------
    FileError
        Something is wrong in the file: `.file`, `.line` and `.column` are the place.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "machine.yaml"
    >>> lw.PlanarModel("pendulum").save(path)
    >>> lw.load(path)
    <PlanarModel 'pendulum': 0 bodies, 0 elements>
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in OTHERS:
        what, remedy = OTHERS[suffix]
        raise ModelError(f"this is {what}, which is not read", element=str(path), remedy=remedy)
    folders = [package_dirs] if isinstance(package_dirs, str | os.PathLike) else list(package_dirs)
    if suffix not in ELSEWHERE:
        _only_robots(floating=floating, package_dirs=bool(folders), keyframe=keyframe is not None)
        return load_own(path)
    root = xml.read(path)
    if root.name == "mujoco":
        from linkwright.exchange.mjcf_model import load_mjcf

        _only_robots(floating=floating)
        return load_mjcf(path, root, [Path(f) for f in folders], limits, keyframe)
    _only_robots(keyframe=keyframe is not None)
    from linkwright.exchange.urdf_model import load_urdf

    return load_urdf(path, root, floating, [Path(f) for f in folders], limits)


def _only_robots(**given: Any) -> None:
    for name, value in given.items():
        if value:
            kind = {"floating": "URDF", "keyframe": "MJCF"}.get(name, "URDF and MJCF")
            raise ModelError(f"{name}= is for {kind}", element=name, remedy="leave it out")
