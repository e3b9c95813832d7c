"""Random planar machines that close in a known configuration.

A recipe is plain data, drawn by hypothesis; `build` turns it into a model, in several equivalent ways: moved as a whole,
bodies and elements in another order, joints with their ends exchanged, body origins elsewhere.

A tree of bodies hangs on ground by revolutes and slides; further joints close loops, each removing one or two freedoms;
all their data are taken from the known configuration, so it satisfies every equation. Drivers take up the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.graph import evaluate

TREE = ("revolute", "translational")
LOOPS = ("distance", "point on line", "gear", "cam", "flat cam", "pin in slot", "coupler", "rack", "constraint")


@dataclass(frozen=True)
class Recipe:
    """parents: of each body, -1 for ground; kinds of the tree's joints; loops: (kind, body, body); data by a seed."""

    parents: tuple[int, ...]
    joints: tuple[str, ...]
    loops: tuple[tuple[str, int, int], ...]
    seed: int
    turn: float = 0.0  # of the whole machine
    shift: tuple[float, float] = (0.0, 0.0)
    shuffled: bool = False
    swapped: bool = False
    origins: bool = False  # body origins (and axes) elsewhere
    doubled: bool = False  # the first tree joint twice


@st.composite
def recipes(draw: st.DrawFn, most: int = 4) -> Recipe:
    n = draw(st.integers(2, most))
    parents = tuple(draw(st.integers(-1, k - 1)) for k in range(n))
    joints = tuple(draw(st.sampled_from(("revolute", "revolute", "translational"))) for _ in range(n))
    count = draw(st.integers(0, n - 1))
    pairs = st.tuples(st.sampled_from(LOOPS), st.integers(0, n - 1), st.integers(-1, n - 1))
    loops = tuple(x for x in draw(st.lists(pairs, min_size=count, max_size=count)) if x[1] != x[2])
    return Recipe(parents, joints, loops, draw(st.integers(0, 10**6)))


def rotation(a: float) -> np.ndarray:
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


class Builder:
    """The known configuration and the model made from it."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.rng = np.random.default_rng(recipe.seed)
        n = len(recipe.parents)
        self.r = self.rng.uniform(-2, 2, (n, 2))
        self.phi = self.rng.uniform(-1.5, 1.5, n)
        self.offset = self.rng.uniform(-0.7, 0.7, (n, 2)) if recipe.origins else np.zeros((n, 2))
        self.twist = self.rng.uniform(-1, 1, n) if recipe.origins else np.zeros(n)
        if not recipe.origins:
            self.rng.uniform(size=3 * n)  # the same numbers afterwards, whatever the origins
        self.model = lw.PlanarModel("random", gravity=tuple(rotation(recipe.turn) @ (0.0, -9.81)))
        self.bodies: dict[int, Any] = {-1: self.model.ground}
        order = np.random.default_rng(7).permutation(n) if recipe.shuffled else np.arange(n)
        for k in order:
            r, phi = self.pose(int(k))
            com = rotation(-self.twist[k]) @ -self.offset[k]  # at the origin of the truth
            self.bodies[int(k)] = self.model.body(
                f"b{k}", 1.0 + 0.3 * k, 0.5 + 0.2 * k, com=tuple(com), position=tuple(r), angle=float(phi)
            )

    # -- the configuration: truth first, then as this recipe describes it -------------------------------------------
    def world(self, P: np.ndarray) -> np.ndarray:
        return rotation(self.recipe.turn) @ P + self.recipe.shift

    def pose(self, k: int) -> tuple[np.ndarray, float]:
        r = self.r[k] + rotation(self.phi[k]) @ self.offset[k]
        return self.world(r), self.phi[k] + self.twist[k] + self.recipe.turn

    def at(self, k: int, P: np.ndarray, angle: float | None = None) -> Any:
        """The point of body k that is at P of the truth, with a global direction."""
        P = self.world(np.asarray(P, dtype=float))
        r, phi = (np.zeros(2), 0.0) if k < 0 else self.pose(k)
        own = rotation(-phi) @ (P - r)
        return self.bodies[k].at(*own, **({} if angle is None else {"angle": angle + self.recipe.turn - phi}))

    # -- elements ------------------------------------------------------------------------------------------------------
    def elements(self) -> list[Any]:
        found: list[Any] = []
        for k, (parent, kind) in enumerate(zip(self.recipe.parents, self.recipe.joints, strict=True)):
            P, angle = self.rng.uniform(-2, 2, 2), float(self.rng.uniform(-3, 3))
            found.append(self.tree_joint(f"J{k}", kind, parent, k, P, angle))
            if self.recipe.doubled and k == 0:
                found.append(self.tree_joint("J0 again", kind, parent, k, P, angle))
        for j, (kind, a, b) in enumerate(self.recipe.loops):
            found.append(self.loop(f"L{j}", kind, a, b))
        if self.recipe.shuffled:
            found = [found[k] for k in np.random.default_rng(5).permutation(len(found))]
        return found

    def tree_joint(self, name: str, kind: str, i: int, j: int, P: np.ndarray, angle: float) -> Any:
        if kind == "revolute":
            ends = self.at(i, P), self.at(j, P)
            return lw.Revolute(name, *(reversed(ends) if self.recipe.swapped else ends))
        along = P + 0.8 * np.array([np.cos(angle), np.sin(angle)])
        ends = self.at(i, P, angle), self.at(j, along, angle)
        return lw.Translational(name, *(reversed(ends) if self.recipe.swapped else ends))

    def loop(self, name: str, kind: str, a: int, b: int) -> Any:
        rng, swap = self.rng, self.recipe.swapped
        P, Q, angle = rng.uniform(-2, 2, 2), rng.uniform(-2, 2, 2), float(rng.uniform(-3, 3))
        size = float(np.linalg.norm(P - Q))
        u = np.array([np.cos(angle), np.sin(angle)])
        A, B = self.bodies[a], self.bodies[b]
        if kind == "distance":
            ends = self.at(a, P), self.at(b, Q)
            return lw.Distance(name, *(reversed(ends) if swap else ends), size)
        if kind == "point on line":
            return lw.PointOnLine(name, self.at(a, P, angle), self.at(b, P + size * u))
        if kind == "gear":
            Ri = size * 0.3
            ends, radii = (self.at(a, P), self.at(b, Q)), (Ri, size - Ri)
            return lw.Gear(name, *(reversed(ends) if swap else ends), tuple(reversed(radii)) if swap else radii)
        if kind == "rack":
            R = 0.5 * size
            centre = P + 0.4 * u + R * np.array([-u[1], u[0]])
            return lw.RackPinion(name, self.at(a, P, angle), self.at(b, centre), R)
        if kind == "cam":  # an ellipse on a, a circle on b, touching where the ellipse's parameter is 0.4
            c = self.curve(a, P, angle, lw.Curve.parametric("1.2*cos(alpha)", "0.8*sin(alpha)"))
            p = np.array([1.2 * np.cos(0.4), 0.8 * np.sin(0.4)])
            g = np.array([-1.2 * np.sin(0.4), 0.8 * np.cos(0.4)])
            normal = np.array([g[1], -g[0]]) / np.linalg.norm(g)
            centre = P + rotation(angle) @ (p + 0.5 * normal)
            roller = self.curve(b, centre, 0.0, lw.Curve.polar(0.5))
            towards = rotation(angle) @ -normal
            return lw.CamFollower(name, c, roller, estimate=(0.4, float(np.arctan2(towards[1], towards[0]))))
        if kind == "flat cam":
            c = self.curve(a, P, angle, lw.Curve.polar("1 + 0.1*cos(2*alpha)"))
            beta = 0.9
            p = (1 + 0.1 * np.cos(2 * beta)) * np.array([np.cos(beta), np.sin(beta)])
            g = -0.2 * np.sin(2 * beta) * np.array([np.cos(beta), np.sin(beta)]) + np.linalg.norm(p) * np.array(
                [-np.sin(beta), np.cos(beta)]
            )
            slope = angle + float(np.arctan2(g[1], g[0]))
            contact = P + rotation(angle) @ p
            return lw.CamFlat(
                name, c, self.at(b, contact + 0.3 * np.array([np.cos(slope), np.sin(slope)]), slope), estimate=beta
            )
        if kind == "pin in slot":
            slot = self.curve(a, P, angle, lw.Curve.parametric("alpha", "0.5*sin(2*alpha)", start=-3, end=3, closed=False))
            pin = P + rotation(angle) @ np.array([0.7, 0.5 * np.sin(1.4)])
            return lw.PointFollower(name, self.at(b, pin), slot, estimate=0.7)
        if kind == "coupler":
            if b < 0:
                return lw.Coupler(name, {A.angle: 1.0, lw.component(self.at(a, P), "x"): 0.0 + 0.5}, value=None)
            return lw.Coupler(name, {A.angle: 1.0, B.angle: -1.7}, value=None)
        # a user's constraint that does not depend on where the machine stands: a dot product of two directions
        v, w = self.at(a, P, angle).axis(), self.at(b, P, angle + 1.0).axis()
        return lw.Constraint(name, lw.dot(v, w), float(np.cos(1.0)))

    def curve(self, k: int, P: np.ndarray, angle: float, curve: Any) -> Any:
        point = self.at(k, P, angle)
        return self.bodies[k].curve(curve, at=point.s, angle=point.angle)


def build(recipe: Recipe) -> lw.PlanarModel:
    """The model, without drivers."""
    builder = Builder(recipe)
    for element in builder.elements():
        builder.model.add(element)
    return builder.model


def variants(recipe: Recipe) -> dict[str, Recipe]:
    """The same machine, described otherwise."""
    return {
        "moved": replace(recipe, turn=0.7, shift=(3.0, -2.0)),
        "renumbered": replace(recipe, shuffled=True),
        "swapped": replace(recipe, swapped=True),
        "origins": replace(recipe, origins=True),
        "doubled": replace(recipe, doubled=True),
    }


def driven(recipe: Recipe) -> tuple[Builder, bool]:
    """With joints of the tree driven slowly from where the machine stands, as many as are independent; is that enough?"""
    builder = Builder(recipe)
    m = builder.model
    for element in builder.elements():
        m.add(element)
    machine = Machine(m)
    q = machine.estimate()
    machine.settle(q, 0.0)
    J = machine.Phi_and_J(q, 0.0)[1]
    coordinates = machine.system.coordinates
    here = dict(zip(coordinates.q, q, strict=True))
    sense = -1 if recipe.swapped else 1
    for k, kind in enumerate(recipe.joints):  # the same order in every variant
        joint = m[f"J{k}"]
        quantity = joint.angle if kind == "revolute" else joint.displacement
        formula = machine.system.resolve([quantity])
        row = np.array(evaluate(list(coordinates.jacobian(formula).dense()[0]), here), dtype=float)[None]
        if _rank(np.vstack([J, row])) > _rank(J):
            J = np.vstack([J, row])
            start = float(evaluate(formula, here)[0])
            m.add(lw.Driver(f"D{k}", quantity, lw.Polynomial((start, sense * 0.05))))
    return builder, _rank(J) == machine.nv


def _rank(J: np.ndarray) -> int:
    # singular values: far from singular, so that what is compared is well conditioned
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > 1e-2).sum()) if len(s) else 0


def poses(result: Any, builder: Builder, k: int) -> dict[str, np.ndarray]:
    """Truth coordinates of the bodies at time k: undo the turn, shift and the choice of origins."""
    recipe, found = builder.recipe, {}
    back = np.array([[np.cos(recipe.turn), np.sin(recipe.turn)], [-np.sin(recipe.turn), np.cos(recipe.turn)]])
    for j in range(len(recipe.parents)):
        phi = result[f"b{j}.angle"][k] - recipe.turn - builder.twist[j]
        r = back @ (np.array([result[f"b{j}.x"][k], result[f"b{j}.y"][k]]) - recipe.shift)
        c, s = np.cos(phi), np.sin(phi)
        r = r - np.array([[c, -s], [s, c]]) @ builder.offset[j]
        found[f"b{j}"] = np.array([*r, phi, result[f"b{j}.omega"][k], result[f"b{j}.alpha"][k]])
    return found
