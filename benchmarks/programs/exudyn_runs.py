"""The problems in Exudyn: chains as a kinematic tree with its explicit Dormand-Prince solver, loops by its implicit solvers
(generalised alpha at index 3, trapezoidal rule at index 2), as its manual recommends for constrained systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import exudyn as exu
import exudyn.utilities as eu
import numpy as np

import linkwright as lw
from benchmarks.programs.problems import G, Problem
from benchmarks.programs.scipy_runs import PLANAR, Planar
from benchmarks.programs.setting import Kept, Run, Setting
from benchmarks.programs.trees import TREES, kept

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
STEPS = (1e-2, 1e-3, 1e-4)


@dataclass(frozen=True)
class Built:
    """`seen`: the numbers looked at; `kept`: how well the state that the system is in keeps joints and energy."""

    mbs: Any
    seen: Callable[[], np.ndarray]
    kept: Callable[[], Kept]


def chain(n: int) -> Built:
    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(eu.NodeGenericODE2(
        referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n, initialCoordinates_t=[0.0] * n,
        numberOfODE2Coordinates=n))  # fmt: skip
    offsets, coms, rotations, inertias = exu.Vector3DList(), exu.Vector3DList(), exu.Matrix3DList(), exu.Matrix3DList()
    for k in range(n):
        offsets.Append([float(k > 0), 0, 0])
        coms.Append([0.5, 0, 0])
        inertias.Append(np.diag([1e-3, 1 / 12, 1 / 12]))
        rotations.Append(np.eye(3))
    mbs.AddObject(eu.ObjectKinematicTree(
        nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * n, linkParents=list(range(-1, n - 1)),
        jointTransformations=rotations, jointOffsets=offsets, linkInertiasCOM=inertias,
        linkCOMs=coms, linkMasses=[1.0] * n, baseOffset=[0.0, 0, 0], gravity=[0, -G, 0]))  # fmt: skip
    mbs.Assemble()

    def coordinates(kind: Any) -> np.ndarray:
        return np.array(mbs.GetNodeOutput(node, kind)).reshape(-1)

    def tip() -> np.ndarray:
        theta = np.cumsum(coordinates(exu.OutputVariableType.Coordinates))[: min(5, n)]
        return np.array([np.cos(theta).sum(), np.sin(theta).sum()])

    def ended() -> Kept:
        q, v = (coordinates(k) for k in (exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t))
        return kept(TREES[f"chain-{n}"](), {f"rod{k}": (float(q[k]), float(v[k])) for k in range(n)})

    return Built(mbs, tip, ended)


def planar(model: Any, crank: str) -> Built:
    """Any of the planar machines of revolute and translational joints, with springs and a torque."""
    mbs = exu.SystemContainer().AddSystem()
    value = model.value
    ground = mbs.AddObject(eu.ObjectGround(referencePosition=[0, 0, 0]))
    objects, nodes = {"ground": ground}, {}
    g = [value(x) for x in model.gravity]
    begin = lw.dynamics(model, t_end=1e-9, steps=1)  # consistent velocities, which Exudyn does not complete
    centre = {"ground": np.zeros(2)}
    for name, b in model.bodies.items():
        if b.is_ground:
            continue
        x, y, angle, vx, vy, w = (float(begin[f"{name}.{c}"][0]) for c in ("x", "y", "angle", "vx", "vy", "omega"))
        s = np.array([value(x) for x in b.com])
        arm = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ s
        r, v = np.array([x, y]) + arm, np.array([vx - w * arm[1], vy + w * arm[0]])
        nodes[name] = mbs.AddNode(eu.NodeRigidBody2D(
            referenceCoordinates=[*r, angle], initialVelocities=[*v, w]))  # fmt: skip
        mass = max(value(b.mass), 1e-12)
        objects[name] = mbs.AddObject(eu.ObjectRigidBody2D(
            physicsMass=mass, physicsInertia=max(value(b.inertia), 1e-12), nodeNumber=nodes[name]))  # fmt: skip
        if any(g):
            m = mbs.AddMarker(eu.MarkerBodyMass(bodyNumber=objects[name]))
            mbs.AddLoad(eu.LoadMassProportional(markerNumber=m, loadVector=[*g, 0]))
        centre[name] = s

    def marker(P: Any, rigid: bool = False) -> int:
        s = np.array([value(x) for x in P.s]) - centre[P.body.name]
        kind = eu.MarkerBodyRigid if rigid else eu.MarkerBodyPosition
        return mbs.AddMarker(kind(bodyNumber=objects[P.body.name], localPosition=[*s, 0]))

    for e in model.elements.values():
        kind = type(e).__name__
        if kind == "Revolute":
            mbs.AddObject(eu.ObjectJointRevolute2D(markerNumbers=[marker(e.P), marker(e.Q)]))
        elif kind == "Translational":
            mbs.AddObject(eu.ObjectJointPrismatic2D(markerNumbers=[marker(e.P, True), marker(e.Q, True)],
                                                    axisMarker0=[1, 0, 0], normalMarker1=[0, 1, 0]))  # fmt: skip
        elif kind == "Spring":
            mbs.AddObject(eu.ObjectConnectorSpringDamper(
                markerNumbers=[marker(e.P), marker(e.Q)], stiffness=value(e.k), damping=value(e.c),
                referenceLength=value(e.length)))  # fmt: skip
        elif kind == "Torque":
            m = mbs.AddMarker(eu.MarkerBodyRigid(bodyNumber=objects[e.body.name]))
            mbs.AddLoad(eu.LoadTorqueVector(markerNumber=m, loadVector=[0, 0, 0.033]))
        else:
            raise NotImplementedError(kind)
    mbs.Assemble()
    by_hand = Planar(model)

    def coordinates(kind: Any) -> np.ndarray:
        return np.concatenate([mbs.GetNodeOutput(nodes[b], kind) for b in by_hand.number if b != "ground"])

    def angle() -> np.ndarray:
        turned = mbs.GetNodeOutput(nodes[crank], exu.OutputVariableType.Coordinates)[2]
        return np.array([turned + by_hand.start[0, 3 * by_hand.number[crank] + 2]])

    def ended() -> Kept:
        moved, v = (coordinates(k) for k in (exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t))
        return by_hand.kept(np.concatenate([by_hand.start[0] + moved, v]))

    return Built(mbs, angle, ended)


def settings(problem: Problem) -> Iterator[Setting]:
    name = problem.name
    if name in ("chain-1", "chain-10", "chain-100"):
        n = int(name.split("-")[1])
        for tol in TOLERANCES:
            yield Setting("Exudyn", f"kinematic tree, DOPRI5 {tol:.0e}", _explicit(n, problem.span, tol))
    if name in PLANAR:
        build, crank = PLANAR[name]
        for h in STEPS if name != "andrews" else (1e-4, 1e-5, 1e-6):
            if name == "four-bars-40" and h < 1e-3:
                continue
            yield Setting("Exudyn", f"generalised alpha, index 3, h={h:g}", _implicit(build, crank, problem.span, h))
            if not name.startswith("four-bars"):  # it does not pass their singular positions
                yield Setting("Exudyn", f"trapezoidal, index 2, h={h:g}", _implicit(build, crank, problem.span, h, True))


def _quiet(span: float) -> Any:
    s = exu.SimulationSettings()
    s.timeIntegration.endTime = span
    s.timeIntegration.verboseMode = 0
    s.solutionSettings.writeSolutionToFile = False
    s.solutionSettings.sensorsWritePeriod = span
    s.displayStatistics = s.displayComputationTime = False
    s.parallel.numberOfThreads = 1
    return s


def _explicit(n: int, span: float, tol: float) -> Callable[[], Run]:
    def prepare() -> Run:
        built = chain(n)
        s = _quiet(span)
        s.timeIntegration.numberOfSteps = 1
        s.timeIntegration.explicitIntegration.dynamicSolverType = exu.DynamicSolverType.DOPRI5
        s.timeIntegration.absoluteTolerance, s.timeIntegration.relativeTolerance = 0.1 * tol, tol

        def run() -> np.ndarray:
            built.mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.DOPRI5, updateInitialValues=False)
            return built.seen()

        return Run(run, built.kept)

    return prepare


def _implicit(build: Callable[[], Any], crank: str, span: float, h: float, trapezoidal: bool = False) -> Callable[[], Run]:
    def prepare() -> Run:
        model = build()
        built = planar(model, crank)
        s = _quiet(span)
        s.timeIntegration.numberOfSteps = round(span / h)
        s.timeIntegration.newton.useModifiedNewton = True
        if len(model.bodies) > 30:
            s.linearSolverType = exu.LinearSolverType.EigenSparse
        kind = exu.DynamicSolverType.TrapezoidalIndex2 if trapezoidal else exu.DynamicSolverType.GeneralizedAlpha
        s.timeIntegration.generalizedAlpha.spectralRadius = 0.9

        def run() -> np.ndarray:
            built.mbs.SolveDynamic(s, solverType=kind, updateInitialValues=False)
            return built.seen()

        return Run(run, built.kept)

    return prepare
