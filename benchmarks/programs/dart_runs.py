"""The problems in DART: semi-implicit Euler with constraints by velocities, the one integrator it has; no springs between
points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import dartpy as dart
import numpy as np

from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Run, Setting
from benchmarks.programs.trees import TREES, WORLD, Tree, kept, rotation

STEPS = (1e-2, 1e-3, 1e-4)


def built(tree: Tree, h: float) -> tuple[Any, dict[str, Any]]:
    world = dart.simulation.World()
    world.setGravity(np.array(tree.gravity))
    world.setTimeStep(h)
    nodes: dict[str, Any] = {WORLD: None}
    skeletons: dict[str, Any] = {}
    for link in tree.links:
        # links on ground begin a tree of their own; all trees of one skeleton would do as well, but no loop closes there
        skeleton = skeletons[link.name] = skeletons.get(link.parent) or dart.dynamics.Skeleton(link.name)
        slides = dart.dynamics.PrismaticJointProperties() if link.slides else dart.dynamics.RevoluteJointProperties()
        slides.mName, slides.mAxis = link.name, np.array(link.axis)
        place = dart.math.Isometry3()
        place.set_rotation(rotation(link.turn))
        place.set_translation(np.array(link.at))
        slides.mT_ParentBodyToJoint = place
        make = skeleton.createPrismaticJointAndBodyNodePair if link.slides else skeleton.createRevoluteJointAndBodyNodePair
        joint, node = make(nodes[link.parent], slides)
        node.setInertia(dart.dynamics.Inertia(link.mass, np.array(link.com), np.diag(link.J)))
        joint.setVelocity(0, link.rate)
        nodes[link.name] = node
    for skeleton in dict.fromkeys(skeletons.values()):
        world.addSkeleton(skeleton)
    for pin in tree.pins:
        place = nodes[pin.a].getTransform().multiply(np.array(pin.P))
        ends = (nodes[pin.a],) if nodes[pin.b] is None else (nodes[pin.a], nodes[pin.b])
        world.getConstraintSolver().addConstraint(dart.constraint.BallJointConstraint(*ends, place))
    return world, nodes


def settings(problem: Problem) -> Iterator[Setting]:
    name = problem.name
    if name not in TREES or name in ("chain-1000", "four-bars-40") or TREES[name]().springs:
        return
    for h in STEPS:
        yield Setting("DART", f"semi-implicit Euler, h={h:g}", _prepared(TREES[name], problem.span, h))


def _prepared(build: Callable[[], Tree], span: float, h: float) -> Callable[[], Run]:
    def prepare() -> Run:
        tree = build()
        world, nodes = built(tree, h)
        joints = [(nodes[link.name].getParentJoint(), link.rate) for link in tree.links]
        seen = nodes[tree.link]

        def run() -> np.ndarray:
            for joint, rate in joints:
                joint.setPosition(0, 0.0)
                joint.setVelocity(0, rate)
            for _ in range(round(span / h)):
                world.step()
            if tree.P is None:
                return np.array([seen.getParentJoint().getPosition(0) + tree.offset])
            return seen.getTransform().multiply(np.array(tree.P))[list(tree.which)]

        def state() -> dict[str, tuple[float, float]]:
            ends = {link.name: nodes[link.name].getParentJoint() for link in tree.links}
            return {k: (j.getPosition(0), j.getVelocity(0)) for k, j in ends.items()}

        return Run(run, lambda: kept(tree, state()), lambda: round(span / h))

    return prepare
