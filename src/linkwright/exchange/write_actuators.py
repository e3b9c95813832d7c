"""Forces, motors and controllers along joints as actuators of MJCF.

A force is said as <general> where it is affine in s, v and one control signal, gear (gain u + a + b gear s + c gear v), with
u, the force and what the joint gets within ranges: the form in which actuators are read. Control signals are parameters
called ctrl_NAME; their values are in the keyframe "start".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from linkwright import model as lw
from linkwright.exchange.write_tree import CONTROL, Tree
from linkwright.exchange.write_urdf import floats
from linkwright.graph import Expr, Scalar, free_symbols, substitute, symbol
from linkwright.graph.derive import gradient
from linkwright.graph.walk import topological
from linkwright.model.values import parameter_name

Range = tuple[float, float]


@dataclass
class Actuator:
    """Words of a tag, and the parameter that is its control signal, "" for none."""

    kind: str
    name: str
    words: dict[str, str]
    control: str = ""

    def tag(self, joint: str) -> str:
        words = {"name": self.name, "joint": joint, **self.words}
        return f"    <{self.kind} " + " ".join(f"{k}={quoteattr(v)}" for k, v in words.items()) + "/>"


class Actuators:
    """The actuators of a tree, by the name of their joint; ModelError where one cannot be said."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.model = tree, tree.model
        self.found: list[tuple[str, Actuator]] = []
        self.ranges: dict[str, Range] = {}  # of all that acts on a joint
        for e in tree.driven:
            joint = tree.joint_of(e, e.quantity).joint.name
            if isinstance(e, lw.Motor):
                made = self._motor(e)
            else:
                made = self._pid(e) if isinstance(e, lw.PID) else self._force(e, joint)
            self.found.append((joint, made))
        joints = [joint for joint, _ in self.found]
        for joint in self.ranges:
            if joints.count(joint) > 1:
                raise tree.refuse(tree.driven[joints.index(joint)], f"{joint!r} has several actuators, one within a range")

    def text(self) -> str:
        if not self.found:
            return ""
        rows = "\n".join(made.tag(joint) for joint, made in self.found)
        values = [self.model.parameters[made.control] if made.control else 0.0 for _, made in self.found]
        key = f'  <keyframe>\n    <key name="start" ctrl="{floats(values)}"/>\n  </keyframe>\n' if any(values) else ""
        return f"  <actuator>\n{rows}\n  </actuator>\n{key}"

    # -- each kind -----------------------------------------------------------------------------------------------------
    def _motor(self, e: lw.Motor) -> Actuator:
        u, control, limits = self._signal(e, self._traced(e.voltage))
        value = self.model.value
        words = {"gear": repr(value(e.ratio)), "motorconst": repr(value(e.k)), "resistance": repr(value(e.resistance))}
        if value(e.inductance):
            words["inductance"] = repr(value(e.inductance))
        if value(e.rotor):
            words["armature"] = repr(value(e.rotor))
        if not control or u is not _U:
            raise self.tree.refuse(e, f"in MJCF its voltage is a control signal: a parameter called {CONTROL}...")
        return Actuator("dcmotor", e.name, words | _range("ctrlrange", limits), control)

    def _pid(self, e: lw.PID) -> Actuator:
        u, control, limits = self._signal(e, self._traced(e.target))
        factor = gradient(u, [_U]).get(_U, 0.0) if type(u) is Expr else 0.0
        if not control or type(factor) is Expr or not factor or substitute([u], {_U: 0.0})[0] != 0 or e.limits is not None:
            raise self.tree.refuse(
                e, f"in MJCF its target is a control signal, a parameter called {CONTROL}..., without limits"
            )
        gear = 1 / float(factor)  # target u/gear; gains of gear s
        gains = {w: repr(self.model.value(x) / gear**2) for w, x in (("kp", e.kp), ("ki", e.ki), ("kv", e.kd))}
        return Actuator("pid", e.name, {"gear": repr(gear), **gains} | _range("ctrlrange", limits), control)

    def _force(self, e: Any, joint: str) -> Actuator:
        law, control, within = self._signal(e, self._traced(e.law))
        law, whole = _peeled(law)
        gear, law = _factor(law)
        law, limits = _peeled(law)
        if limits is None:  # one range only: of the force
            limits, whole = (None, None) if whole is None else ((whole[0] / gear, whole[1] / gear), None)
            limits = limits if limits is None or gear > 0 else (limits[1], limits[0])
        gain, b, c, a = self._affine(e, law)
        if gain == -b / gear and c > 0 and gain:
            raise self.tree.refuse(e, "MJCF would take its negative damping for a damping ratio")
        if whole is not None:
            self.ranges[joint] = whole
        words = {"gear": repr(gear), "gainprm": repr(gain)}
        if a or b or c:
            words |= {"biastype": "affine", "biasprm": floats([a, b / gear, c / gear])}
        return Actuator("general", e.name, words | _range("ctrlrange", within) | _range("forcerange", limits), control)

    # -- laws ----------------------------------------------------------------------------------------------------------
    def _traced(self, law: Any) -> Scalar:
        return self.model.trace(law, {"s": _S, "v": _V, "t": _T})

    def _signal(self, e: Any, law: Scalar) -> tuple[Scalar, str, Range | None]:
        """The law with _U in place of its control signal, which parameter that is, and the range that it is kept in; all
        other parameters are numbers."""
        values = dict(self.model.parameter_values())
        controls = [x for x in values if parameter_name(x).startswith(CONTROL)]
        present = {id(x) for x in free_symbols([law])} if type(law) is Expr else set()
        used = [x for x in controls if id(x) in present]
        signals = {id(x) for x in used}
        if len(used) > 1:
            raise self.tree.refuse(e, "an actuator of MJCF has one control signal")
        law = substitute([law], {x: y for x, y in values.items() if id(x) not in signals})[0]
        if not used:
            return law, "", None
        limits: Range | None = None
        for node in topological([law]) if type(law) is Expr else ():
            inner, found = _peeled(node)
            if found is not None and inner is used[0]:
                law, limits = substitute([law], {node: _U})[0], found
                break
        return substitute([law], {used[0]: _U})[0], parameter_name(used[0]), limits

    def _affine(self, e: Any, law: Scalar) -> tuple[float, float, float, float]:
        """Slopes by u, s and v, and the constant."""
        if type(law) is not Expr:
            return 0.0, 0.0, 0.0, float(law)
        slopes = gradient(law, [_U, _S, _V])
        if any(type(x) is Expr for x in slopes.values()) or {id(x) for x in free_symbols([law])} - {id(_U), id(_S), id(_V)}:
            raise self.tree.refuse(
                e, f"its law is not affine in s, v and a control signal (a parameter called {CONTROL}...)"
            )
        gain, b, c = (float(slopes.get(x, 0.0)) for x in (_U, _S, _V))
        return gain, b, c, float(substitute([law], {_U: 0.0, _S: 0.0, _V: 0.0})[0])


_U, _S, _V, _T = (symbol(f"own {x}") for x in "usvt")


def _range(word: str, limits: Sequence[float] | None) -> dict[str, str]:
    return {} if limits is None else {word: floats(limits)}


def _peeled(law: Scalar) -> tuple[Scalar, Range | None]:
    """x and (low, high) of min(max(x, low), high)."""
    for inner, high in _beside(law, "min"):
        for x, low in _beside(inner, "max"):
            return x, (low, high)
    return law, None


def _beside(law: Scalar, op: str) -> list[tuple[Scalar, float]]:
    """An operand, and the other one where that is a number."""
    if type(law) is not Expr or law.op != op:
        return []
    a, b = law.args
    return [(x, float(y.data)) for x, y in ((a, b), (b, a)) if y.op == "const"]


def _factor(law: Scalar) -> tuple[float, Scalar]:
    """A constant factor before a range, and the rest; 1 where there is none."""
    for x, factor in _beside(law, "mul"):
        if _peeled(x)[1] is not None and factor:
            return factor, x
    return 1.0, law
