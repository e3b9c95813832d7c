"""Machines in Exudyn: rigid bodies in the plane or in space, generic joints, its implicit solver at index 3."""

from __future__ import annotations

import re
from typing import Any

import exudyn as exu
import exudyn.utilities as eu
import numpy as np
from exudyn.solver import ComputeSystemDegreeOfFreedom

from benchmarks.broken.plain import InexpressibleError, Plain, PlainJoint

PLANE = {"Revolute": [1, 1, 0, 0, 0, 0], "Fixed": [1, 1, 0, 0, 0, 1], "Translational": [0, 1, 0, 0, 0, 1]}
SPACE = {
    "Revolute": [1, 1, 1, 1, 1, 0], "Fixed": [1, 1, 1, 1, 1, 1], "Translational": [1, 1, 0, 1, 1, 1],
    "Cylindrical": [1, 1, 0, 1, 1, 0], "Spherical": [1, 1, 1, 0, 0, 0],
}  # fmt: skip
STEP = 1e-3


def said(machine: Plain, t_end: float) -> dict[str, Any]:
    """What happens: `text` is what the solver raises; `redundant` what its own count of redundant constraints says."""
    mbs = exu.SystemContainer().AddSystem()
    try:
        build(mbs, machine)
        mbs.Assemble()
    except (RuntimeError, ValueError) as error:
        return {"outcome": "refused", "text": _short(error)}
    try:
        redundant = int(ComputeSystemDegreeOfFreedom(mbs)["redundantConstraints"])
    except Exception as error:  # its own count may fail as well
        redundant = f"its count failed: {_short(error)}"
    try:
        done = mbs.SolveDynamic(settings(t_end), solverType=exu.DynamicSolverType.GeneralizedAlpha, showHints=False)
    except (RuntimeError, ValueError) as error:
        return {"outcome": "stopped", "text": _short(error), "redundant": redundant}
    return {"outcome": "ran" if done is not False else "stopped", "text": "", "redundant": redundant}


def build(mbs: Any, machine: Plain) -> None:
    ground = mbs.AddObject(eu.ObjectGround(referencePosition=[0, 0, 0]))
    objects, nodes = {"": ground}, {}
    coms = {"": np.zeros(3)}
    for b in machine.bodies:
        r = b.place + b.rotation @ b.com
        if machine.dimension == 2:
            angle = float(np.arctan2(b.rotation[1, 0], b.rotation[0, 0]))
            nodes[b.name] = mbs.AddNode(eu.NodeRigidBody2D(name=b.name, referenceCoordinates=[r[0], r[1], angle]))
            objects[b.name] = mbs.AddObject(eu.ObjectRigidBody2D(
                name=b.name, physicsMass=b.mass, physicsInertia=b.inertia[2, 2], nodeNumber=nodes[b.name]))  # fmt: skip
        else:
            inertia = eu.RigidBodyInertia(mass=b.mass, com=[0, 0, 0], inertiaTensor=b.inertia)
            made = mbs.CreateRigidBody(
                name=b.name, referencePosition=list(r), referenceRotationMatrix=b.rotation, inertia=inertia,
                gravity=list(machine.gravity), returnDict=True)  # fmt: skip
            nodes[b.name], objects[b.name] = made["nodeNumber"], made["bodyNumber"]
        if machine.dimension == 2 and machine.gravity.any():
            mass = mbs.AddMarker(eu.MarkerBodyMass(bodyNumber=objects[b.name]))
            mbs.AddLoad(eu.LoadMassProportional(markerNumber=mass, loadVector=list(machine.gravity)))
        coms[b.name] = b.com
    for j in machine.joints:
        _joint(mbs, machine, j, objects, nodes, coms)


def _joint(mbs: Any, machine: Plain, j: PlainJoint, objects: Any, nodes: Any, coms: Any) -> None:
    def marker(side: int, rigid: bool) -> int:
        body = j.bodies[side]
        kind = eu.MarkerBodyRigid if rigid else eu.MarkerBodyPosition
        return int(mbs.AddMarker(kind(bodyNumber=objects[body], localPosition=list(j.points[side] - coms[body]))))

    axes = (PLANE if machine.dimension == 2 else SPACE).get(j.kind)
    if axes is not None:
        mbs.AddObject(eu.GenericJoint(
            name=j.name, markerNumbers=[marker(0, True), marker(1, True)], constrainedAxes=axes,
            rotationMarker0=j.frames[0], rotationMarker1=j.frames[1]))  # fmt: skip
    elif j.kind == "Distance":
        mbs.AddObject(eu.DistanceConstraint(name=j.name, markerNumbers=[marker(0, False), marker(1, False)],
                                            distance=j.number))  # fmt: skip
    elif j.kind == "Spring":
        mbs.AddObject(eu.SpringDamper(name=j.name, markerNumbers=[marker(0, False), marker(1, False)],
                                      referenceLength=j.number, stiffness=j.more["k"], damping=j.more["c"]))  # fmt: skip
    elif j.kind == "Driver":
        body, k = j.coordinate
        fixed = mbs.AddMarker(eu.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(eu.NodePointGround()), coordinate=0))
        own = mbs.AddMarker(eu.MarkerNodeCoordinate(nodeNumber=nodes[body], coordinate=k))
        first = mbs.GetNode(nodes[body])["referenceCoordinates"][k]
        arm = next(b for b in machine.bodies if b.name == body)
        shift = (arm.rotation @ arm.com)[k] if k < 2 else 0.0
        if k < 2 and np.any(arm.com):
            raise InexpressibleError("a driver of a point away from the mass centre")
        mbs.AddObject(eu.CoordinateConstraint(
            name=j.name, markerNumbers=[fixed, own],
            offsetUserFunction=lambda mbs, t, item, offset: j.motion(t) + shift - first))  # fmt: skip
    elif j.kind == "Gear" and machine.dimension == 2 and all(j.bodies):
        pair = [mbs.AddMarker(eu.MarkerNodeCoordinate(nodeNumber=nodes[b], coordinate=2)) for b in j.bodies]
        mbs.AddObject(eu.CoordinateConstraint(name=j.name, markerNumbers=pair, factorValue1=-j.more["j"] / j.more["i"]))
    else:
        raise InexpressibleError(j.kind)


def settings(t_end: float) -> Any:
    s = exu.SimulationSettings()
    s.timeIntegration.endTime, s.timeIntegration.numberOfSteps = t_end, round(t_end / STEP)
    s.timeIntegration.verboseMode = 1
    s.solutionSettings.writeSolutionToFile = False
    s.displayStatistics = s.displayComputationTime = False
    s.parallel.numberOfThreads = 1
    return s


def _short(error: Exception) -> str:
    lines = [x.strip() for x in str(error).splitlines() if x.strip() and not set(x.strip()) <= set("=*-")]
    return re.sub(r"\s*\[(Python )?file[^\]]*\]", "", " ".join(lines))[:600]
