"""Random scenes as MJCF, with every kind of joint, geom, spring, tendon and actuator that is carried over."""

from __future__ import annotations

import numpy as np

ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis", "")
SIZES = {"sphere": 1, "box": 3, "capsule": 2, "cylinder": 2, "ellipsoid": 3}
BEGIN = """<default><geom contype="0" conaffinity="0"/><joint damping="0.05"/>
<default class="damped"><joint damping="0.7"/></default><default class="heavy"><geom density="4000"/></default></default>"""


def scene(seed: int) -> str:
    return _Scene(seed).text()


def _numbers(*x) -> str:
    return " ".join(f"{v:.6g}" for v in np.ravel(x))


class _Scene:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.degrees = bool(self.rng.random() < 0.5)
        self.turn = 180 / np.pi if self.degrees else 1.0  # what a radian is in the file
        self.bodies, self.joints, self.sites = 0, [], []
        self.ranged = bool(self.rng.random() < 0.4)  # sums of actuators: then of those only whose shares are known

    def text(self) -> str:
        rng = self.rng
        world = "".join(self.body(0) for _ in range(rng.integers(1, 3)))
        tendons = self.tendons()
        self.drawn = [f"t{k}" for k, t in enumerate(tendons) if t.startswith("<fixed") or not self.ranged]
        actuators = "".join(self.actuator(k) for k in range(rng.integers(0, 4)))
        order = rng.choice(["xyz", "XYZ", "zyx", "XYX", "yzy"])
        return (
            f'<mujoco><compiler angle="{"degree" if self.degrees else "radian"}" eulerseq="{order}"/>'
            f'<option gravity="{_numbers(rng.uniform(-5, 5, 3))}"/>{BEGIN}'
            f'<asset><mesh name="hull" vertex="{_numbers(rng.uniform(-0.2, 0.2, 24))}"/></asset>'
            f"<worldbody>{world}</worldbody><tendon>{''.join(tendons)}</tendon><actuator>{actuators}</actuator></mujoco>"
        )

    # -- words ---------------------------------------------------------------------------------------------------------
    def some(self, share: float, word: str, low: float, high: float, size: int = 1) -> str:
        """An attribute, in so many of all cases."""
        return f' {word}="{_numbers(self.rng.uniform(low, high, size))}"' if self.rng.random() < share else ""

    def place(self, reach: float = 0.3) -> str:
        rng, word = self.rng, self.rng.choice(ORIENTATIONS)
        x = {
            "quat": rng.normal(size=4), "euler": rng.uniform(-1, 1, 3) * self.turn, "xyaxes": rng.normal(size=6),
            "axisangle": [*rng.normal(size=3), rng.uniform(-1, 1) * self.turn], "zaxis": rng.normal(size=3),
        }.get(word)  # fmt: skip
        turned = f' {word}="{_numbers(x)}"' if word else ""
        return f' pos="{_numbers(rng.uniform(-reach, reach, 3))}"{turned}'

    # -- bodies --------------------------------------------------------------------------------------------------------
    def body(self, depth: int) -> str:
        rng, name = self.rng, f"b{self.bodies}"
        self.bodies += 1
        kind = rng.choice(["free", "ball", "hinge", "hinge", "slide"] if depth == 0 else ["ball", "hinge", "hinge", "slide"])
        joint = f'<freejoint name="j {name}"/>' if kind == "free" else self.joint(f"j {name}", kind)
        mass = self.inertial() if rng.random() < 0.3 else "".join(self.geom() for _ in range(rng.integers(1, 3)))
        if "inertial" not in mass and rng.random() < 0.3:
            mass = f"<frame{self.place(0.1)}>{mass}</frame>"
        self.sites.append(f"s {name}")
        site = f'<site name="s {name}"{self.place(0.2)}/>'
        inner = "".join(self.body(depth + 1) for _ in range(rng.integers(0, 3)) if depth < 2 and self.bodies < 5)
        return f'<body name="{name}"{self.place(0.4)}{self.some(0.2, "gravcomp", 0.2, 1)}>{joint}{mass}{site}{inner}</body>'

    def joint(self, name: str, kind: str) -> str:
        unit = self.turn if kind == "hinge" else 1.0
        words = self.some(0.5, "pos", -0.2, 0.2, 3) + self.some(0.5, "damping", 0.1, 2)
        if kind != "ball":
            self.joints.append(name)
            words += f' axis="{_numbers(self.rng.normal(size=3))}"' + self.some(0.4, "ref", -0.5 * unit, 0.5 * unit)
            if by_time := self.some(0.15, "springdamper", 0.1, 0.9, 2):
                words += by_time
            else:
                words += self.some(0.5, "stiffness", 1, 20)
            words += self.some(0.5, "springref", -unit, unit) + self.some(0.5, "armature", 0.01, 0.3)
            words += self.rng.choice(["", ' actuatorfrcrange="-0.8 0.5"']) if self.ranged else ""
        else:
            words += self.some(0.6, "stiffness", 1, 20)
        words += self.rng.choice(["", "", ' class="damped"'])
        return f'<joint name="{name}" type="{kind}"{words}/>'

    def inertial(self) -> str:
        points = self.rng.normal(size=(5, 3)) * 0.2
        J = sum(a @ a * np.eye(3) - np.outer(a, a) for a in points)
        full = _numbers([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        at = f'pos="{_numbers(self.rng.uniform(-0.2, 0.2, 3))}" mass="1.5"'
        return f'<inertial {at} fullinertia="{full}"/>' if self.rng.random() < 0.5 else self.principal()

    def principal(self) -> str:
        return f'<inertial{self.place(0.2)} mass="0.8" diaginertia="0.03 0.04 0.05"/>'

    def geom(self) -> str:
        rng, kind = self.rng, self.rng.choice([*SIZES, "mesh"])
        size, place = rng.uniform(0.05, 0.2, SIZES.get(kind, 0)), self.place()
        if kind in ("capsule", "cylinder") and rng.random() < 0.5:
            size, place = size[:1], f' fromto="{_numbers(rng.uniform(-0.3, 0.3, 6))}"'
        shape = ' mesh="hull"' if kind == "mesh" else f' size="{_numbers(size)}"'
        mass = self.some(0.3, "mass", 0.5, 2) or self.some(0.4, "density", 500, 3000)
        return f'<geom type="{kind}"{shape}{place}{mass}/>'

    # -- what acts -----------------------------------------------------------------------------------------------------
    def tendons(self) -> list[str]:
        rng, out = self.rng, []
        if self.joints and rng.random() < 0.5:
            parts = "".join(f'<joint joint="{j}" coef="{rng.uniform(-2, 2):.4g}"/>' for j in {*rng.choice(self.joints, 2)})
            rest = rng.choice(["", ' springlength="0.4"', ' springlength="0.1 0.6"'])
            rest += rng.choice(["", ' frictionloss="0.4" solreffriction="1e-6 1"', ' actuatorfrcrange="-0.3 0.2"'])
            out.append(f'<fixed name="t0" stiffness="5"{self.some(0.6, "damping", 0.1, 1)}{rest}>{parts}</fixed>')
        if len(self.sites) > 1 and rng.random() < 0.5:
            sites = "".join(f'<site site="{s}"/>' for s in self.sites[:2])
            out.append(f'<spatial name="t{len(out)}" stiffness="3" damping="0.3" springlength="0.2">{sites}</spatial>')
        return out

    def actuator(self, k: int) -> str:
        rng = self.rng
        kind = rng.choice([*SHARED, "motor"] if self.ranged else [*LAWS, "motor", "site"])
        gear, ranges = rng.uniform(-3, 3, 1), ""
        if kind == "site":
            kind, at = "motor", f'site="{rng.choice(self.sites)}"'
            gear = rng.normal(size=6) * rng.integers(0, 2, 6)
        elif self.drawn and rng.random() < 0.3:
            at = f'tendon="{self.drawn.pop()}"'
        elif self.joints:
            at = f'joint="{rng.choice(self.joints)}"{self.some(0.2, "armature", 0.01, 0.1)}'
        else:
            return ""
        if kind not in ("damper", "dcmotor"):
            ranges = rng.choice(["", "", ' ctrlrange="-0.3 0.4"'])
            ranges += rng.choice(["", "", ' forcerange="-2 3"']) if kind != "pid" else ""
        law = LAWS.get(kind, [""])
        return f'<{kind} name="a{k}" {at} gear="{_numbers(gear)}"{ranges} {law[rng.integers(len(law))]}/>'


_AFFINE = 'gaintype="affine" gainprm="1.5 -0.7 0.3" biastype="affine" biasprm="0.4 -1.1 -0.6"'
LAWS = {
    "position": ['kp="8" kv="0.7"', 'kp="8" dampratio="0.8"', 'kp="8" kv="0.7" timeconst="0.3"'],
    "velocity": ['kv="1.3"'],
    "damper": ['kv="1.3" ctrlrange="0 2"'],
    "cylinder": ['timeconst="0.4" diameter="0.8" bias="0.5 -0.6 0.7"'],
    "pid": ['kp="8" ki="2" kv="0.7"'],
    "dcmotor": ['motorconst="0.2 0.4" resistance="1.5"', 'motorconst="0.3" resistance="1.5" inductance="0.1"'],
    "general": [
        _AFFINE,
        _AFFINE + ' dyntype="integrator" actrange="-0.4 0.3"',
        _AFFINE + ' dyntype="filter" dynprm="0.5"',
    ],
}
SHARED = [kind for kind in LAWS if kind not in ("pid", "dcmotor")]
