"""The problems in Simbody, by OpenSim: pins, sliders and point constraints, its default integrator with error
control (Runge-Kutta-Merson), states kept on the constraints by its projection. It has no damped spring between points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import opensim as osim

from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Run, Setting
from benchmarks.programs.trees import TREES, WORLD, Tree, Vector, kept, rotation

ACCURACIES = (1e-4, 1e-6, 1e-8, 1e-10)

osim.Logger.setLevelString("Off")


def _vec(x: Vector) -> Any:
    return osim.Vec3(*(float(a) for a in x))


def _angles(R: np.ndarray) -> Any:
    """Body-fixed x-y-z angles of a rotation."""
    b = np.arcsin(np.clip(R[0, 2], -1, 1))
    return osim.Vec3(float(np.arctan2(-R[1, 2], R[2, 2])), float(b), float(np.arctan2(-R[0, 1], R[0, 0])))


def _to_axis(axis: Vector, slides: bool) -> np.ndarray:
    """A frame whose z (of pins) or x (of sliders) is the axis."""
    e = np.array(axis)
    other = np.eye(3)[int(np.argmin(np.abs(e)))]
    f = np.cross(e, other)
    f /= np.linalg.norm(f)
    columns = [e, f, np.cross(e, f)] if slides else [f, np.cross(e, f), e]
    return np.column_stack(columns)


def built(tree: Tree) -> tuple[Any, dict[str, Any]]:
    model = osim.Model()
    model.setGravity(_vec(tree.gravity))
    frames: dict[str, Any] = {WORLD: model.getGround()}
    for link in tree.links:
        body = frames[link.name] = osim.Body(link.name, link.mass, _vec(link.com), osim.Inertia(*link.J))
        model.addBody(body)
        A = _to_axis(link.axis, link.slides)
        ends = (frames[link.parent], _vec(link.at), _angles(rotation(link.turn) @ A), body, osim.Vec3(0), _angles(A))
        kind = osim.SliderJoint if link.slides else osim.PinJoint
        model.addJoint(kind(f"{link.name}_joint", *ends))
    for k, pin in enumerate(tree.pins):
        constraint = osim.PointConstraint(frames[pin.a], _vec(pin.P), frames[pin.b], _vec(pin.Q))
        constraint.setName(f"pin{k}")
        model.addConstraint(constraint)
    model.finalizeConnections()
    return model, frames


def settings(problem: Problem) -> Iterator[Setting]:
    name = problem.name
    if name not in TREES or name in ("chain-100", "chain-1000") or TREES[name]().springs:  # minutes to build
        return
    for accuracy in ACCURACIES if name != "four-bars-40" else ACCURACIES[:2]:
        setting = f"Runge-Kutta-Merson, accuracy {accuracy:.0e}"
        yield Setting("Simbody", setting, _prepared(TREES[name], problem.span, accuracy))


def _prepared(build: Callable[[], Tree], span: float, accuracy: float) -> Callable[[], Run]:
    def prepare() -> Run:
        tree = build()
        model, frames = built(tree)
        begin = model.initSystem()
        for link in tree.links:
            joint = model.getJointSet().get(f"{link.name}_joint")
            joint.get_coordinates(0).setSpeedValue(begin, link.rate)
        seen, joint = frames[tree.link], model.getJointSet().get(f"{tree.link}_joint")
        y, t = begin.getY(), begin.getTime()

        coordinates = {link.name: model.getJointSet().get(f"{link.name}_joint").get_coordinates(0) for link in tree.links}
        ended: dict[str, tuple[float, float]] = {}  # read at once: the state dies with its manager

        def run() -> np.ndarray:
            begin.setY(y)
            begin.setTime(t)
            manager = osim.Manager(model)
            manager.setWriteToStorage(False)
            manager.setPerformAnalyses(False)
            manager.setRecordStatesTrajectory(False)
            manager.setIntegratorMethod(osim.Manager.IntegratorMethod_RungeKuttaMerson)
            manager.setIntegratorAccuracy(accuracy)
            manager.initialize(begin)
            end = manager.integrate(span)
            ended.update({k: (c.getValue(end), c.getSpeedValue(end)) for k, c in coordinates.items()})
            if tree.P is None:
                return np.array([joint.get_coordinates(0).getValue(end) + tree.offset])
            model.realizePosition(end)
            place = seen.findStationLocationInGround(end, _vec(tree.P))
            return np.array([place.get(i) for i in tree.which])

        return Run(run, lambda: kept(tree, ended))

    return prepare
