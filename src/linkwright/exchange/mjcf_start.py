"""Where a model from MJCF begins: at a keyframe, or in the pose of the file.

Joints move their bodies one after the other, as MuJoCo's forward kinematics does; the pose of the file, in which equalities
and springs are told, stays what it is.
https://mujoco.readthedocs.io/en/stable/XMLreference.html#keyframe
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwright.errors import ModelError
from linkwright.exchange.mjcf import Mjcf
from linkwright.exchange.places import HERE, Place, numbers, quaternion, turn
from linkwright.exchange.xml import Tag
from linkwright.model import Body
from linkwright.words import suggestion

SIZES = {"hinge": (1, 1), "slide": (1, 1), "ball": (4, 3), "free": (7, 6)}  # numbers in qpos and qvel
WORDS = ("name", "time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat")
POSE = "give lw.load(..., keyframe=...) to begin at a keyframe"


@dataclass(frozen=True, eq=False)
class Moving:
    """A body: its place, and the velocity of the point of it that is at the origin, with its angular velocity."""

    place: Place = HERE
    v: np.ndarray = field(default_factory=lambda: np.zeros(3))
    omega: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def by(self, place: Place, v: np.ndarray, omega: np.ndarray) -> Moving:
        return Moving(place, self.v + v, self.omega + omega)


class Start:
    """The numbers of a keyframe, given out in the order of the file; without one those of the pose of the file."""

    def __init__(self, file: Mjcf, asked: str | int | None) -> None:
        self.keys = file.section("keyframe")
        for tag in self.keys:
            if tag.name != "key":
                tag.fail(f"<keyframe> has no tag {tag.name!r}", suggestion(tag.name, ("key",)))
            tag.look(WORDS, ())
        self.tag = None if asked is None else self._find(asked)
        words, key = ("qpos", "qvel", "act", "ctrl"), self.tag
        self.left: dict[str, list[float]] = {
            word: [] if key is None else list(key.numbers(word, None, ())) for word in words
        }
        self.told = {word for word, values in self.left.items() if values}
        self.bodies: list[tuple[Body, Moving]] = []

    def _find(self, asked: str | int) -> Tag:
        names = [tag.get("name") for tag in self.keys]
        if isinstance(asked, str) and asked in names:
            return self.keys[names.index(asked)]
        if isinstance(asked, int) and not isinstance(asked, bool) and 0 <= asked < len(names):
            return self.keys[asked]
        known = f"there are {len(names)}, counted from 0"
        raise ModelError(
            f"the file has no keyframe {asked!r}", element="keyframe",
            remedy=suggestion(asked, names) if isinstance(asked, str) and any(names) else known,
        )  # fmt: skip

    def take(self, word: str, size: int, default: Sequence[float]) -> list[float]:
        """The next numbers of qpos, qvel, act or ctrl."""
        if word not in self.told:
            return list(default)
        out, self.left[word] = self.left[word][:size], self.left[word][size:]
        if len(out) < size:
            assert self.tag is not None
            self.tag.fail(f"{word!r} has too few numbers", "give one for each coordinate of the model", self.tag.get("name"))
        return out

    def forget(self, word: str) -> bool:
        """Leave its numbers out; whether there were any."""
        self.left[word] = []
        known = word in self.told
        self.told.discard(word)
        return known

    # -- bodies --------------------------------------------------------------------------------------------------------
    def moved(self, before: Moving, kind: str, axis: np.ndarray, at: np.ndarray, ref: float) -> tuple[Moving, float]:
        """A body beyond one more of its joints, with axis and place in its own frame; and the joint's coordinate."""
        nq, nv = SIZES[kind]
        P = before.place
        r, A = P.r, P.A
        rest = {"ball": [1.0, 0, 0, 0], "free": [*r, *(float(e) for e in P.orientation)]}.get(kind, [ref])
        q, v = self.take("qpos", nq, rest), self.take("qvel", nv, [0.0] * nv)
        if kind == "free":
            P = Place(np.array(q[:3]), quaternion(q[3:]))
            omega = P.A @ v[3:]
            return before.by(P, v[:3] - np.cross(omega, P.r), omega), 0.0
        if kind == "slide":
            return before.by(Place(r + A @ axis * (q[0] - ref), A), A @ axis * v[0], np.zeros(3)), q[0]
        R = quaternion(q) if kind == "ball" else turn(axis, q[0] - ref)
        anchor = P.r + P.A @ at
        omega = A @ R @ v if kind == "ball" else A @ axis * v[0]
        P = Place(anchor - A @ R @ at, A @ R)
        return before.by(P, np.cross(anchor, omega), omega), q[0]

    def begin(self, body: Body, moving: Moving) -> None:
        if self.tag is not None:
            self.bodies.append((body, moving))

    # -- at the end ----------------------------------------------------------------------------------------------------
    def close(self) -> list[str]:
        """Bodies as they begin; names of the keyframes that are not taken."""
        if self.tag is not None:
            for word in ("qpos", "qvel", "act", "ctrl"):
                if self.left[word]:
                    self.tag.fail(f"{word!r} has {len(self.left[word])} numbers too many",
                                  "give one for each coordinate of the model", self.tag.get("name"))  # fmt: skip
        for body, m in self.bodies:
            r, A = m.place.r, m.place.A
            body.guess(position=numbers(r), orientation=m.place.orientation, velocity=numbers(m.v + np.cross(m.omega, r)),
                       omega=numbers(A.T @ m.omega))  # fmt: skip
        return [tag.get("name") or f"number {k}" for k, tag in enumerate(self.keys) if tag is not self.tag]
