"""The problems in Drake: trees by its error-controlled integrators on a continuous plant; loops by ball constraints, which
only its discrete plant has (the SAP solver, of first order)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    LinearSpringDamper,
    PrismaticJoint,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
)  # fmt: skip
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig

from benchmarks.programs.problems import Problem
from benchmarks.programs.setting import Run, Setting
from benchmarks.programs.trees import TREES, WORLD, Tree, kept, rotation

ACCURACIES = (1e-3, 1e-5, 1e-7, 1e-9)
STEPS = (1e-2, 1e-3, 1e-4)


def built(tree: Tree, h: float) -> MultibodyPlant:
    plant = MultibodyPlant(h)
    if tree.pins:
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    bodies: dict[str, Any] = {WORLD: plant.world_body()}
    for link in tree.links:
        about = RotationalInertia(*link.J)
        inertia = SpatialInertia.MakeFromCentralInertia(link.mass, np.array(link.com), about)
        body = bodies[link.name] = plant.AddRigidBody(link.name, inertia)
        place = RigidTransform(RotationMatrix(rotation(link.turn)), np.array(link.at))
        frame = plant.AddFrame(FixedOffsetFrame(f"{link.name} joint", bodies[link.parent].body_frame(), place))
        kind = PrismaticJoint if link.slides else RevoluteJoint
        plant.AddJoint(kind(link.name, frame, body.body_frame(), np.array(link.axis)))
    for pin in tree.pins:
        plant.AddBallConstraint(bodies[pin.a], np.array(pin.P), bodies[pin.b], np.array(pin.Q))
    for s in tree.springs:
        plant.AddForceElement(
            LinearSpringDamper(bodies[s.a], np.array(s.P), bodies[s.b], np.array(s.Q), s.length, s.k, s.c)
        )  # fmt: skip
    plant.mutable_gravity_field().set_gravity_vector(np.array(tree.gravity))
    plant.Finalize()
    return plant


def settings(problem: Problem) -> Iterator[Setting]:
    name = problem.name
    if name not in TREES or name in ("chain-1000", "bricard"):  # minutes a run; SAP ends in a segmentation fault (1.51)
        return
    tree = TREES[name]
    if tree().pins:
        for h in STEPS:
            if name != "four-bars-40" or h > 1e-3:
                yield Setting("Drake", f"discrete plant, SAP, h={h:g}", _prepared(tree, problem.span, h))
        return
    stiff = name == "flyball"
    for method in ("implicit_euler", "radau3") if stiff else ("runge_kutta3",):
        for accuracy in ACCURACIES[: 2 if stiff else 4]:  # finer ones take minutes
            yield Setting(
                "Drake", f"{method}, accuracy {accuracy:.0e}", _prepared(tree, problem.span, 0.0, method, accuracy)
            )


def _prepared(
    build: Callable[[], Tree], span: float, h: float, method: str = "runge_kutta3", accuracy: float = 1e-3
) -> Callable[[], Run]:
    def prepare() -> Run:
        tree = build()
        plant = built(tree, h)
        simulator = Simulator(plant)
        config = SimulatorConfig(integration_scheme=method, accuracy=accuracy, max_step_size=1.0, use_error_control=True)
        ApplySimulatorConfig(config, simulator)
        begin = plant.CreateDefaultContext()
        for link in tree.links:
            joint = plant.GetJointByName(link.name)
            (joint.set_translation_rate if link.slides else joint.set_angular_rate)(begin, link.rate)
        joint, body = plant.GetJointByName(tree.link), plant.GetBodyByName(tree.link)

        def run() -> np.ndarray:
            context = simulator.get_mutable_context()
            context.SetTimeStateAndParametersFrom(begin)
            simulator.Initialize()
            simulator.AdvanceTo(span)
            if tree.P is None:
                return np.array([joint.GetOnePosition(context) + tree.offset])
            return plant.EvalBodyPoseInWorld(context, body).multiply(np.array(tree.P))[list(tree.which)]

        def state() -> dict[str, tuple[float, float]]:
            context = simulator.get_context()
            joints = {link.name: plant.GetJointByName(link.name) for link in tree.links}
            return {k: (j.GetOnePosition(context), j.GetOneVelocity(context)) for k, j in joints.items()}

        integrator = simulator.get_integrator()
        return Run(run, lambda: kept(tree, state()), None if h else integrator.get_num_derivative_evaluations)

    return prepare
