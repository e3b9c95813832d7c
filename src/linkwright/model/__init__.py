"""Machines as plain, validated data with names. Knows nothing of how anything is solved."""

from linkwright.model.balance import Balance
from linkwright.model.bodies import Body
from linkwright.model.body_numbers import Estimate
from linkwright.model.changes import Fix
from linkwright.model.composite_joints import RevoluteCylindrical, RevoluteSpherical, RevoluteTranslational, Strut
from linkwright.model.constraints import CD, DP1, DP2, Constraint, D, Driver
from linkwright.model.contacts import Contact, Stop, Tyre
from linkwright.model.curves import Curve
from linkwright.model.drives import PID, Inertia, Motor, State
from linkwright.model.elements import Element, Joint, kinds
from linkwright.model.findings import Finding
from linkwright.model.forces import Attraction, Bushing, Force, Friction, PointForce, Spring, Torque, TorsionSpring
from linkwright.model.joints import (
    Distance,
    Fixed,
    Orientation,
    PointOnLine,
    Revolute,
    RevoluteRevolute,
    Translational,
)
from linkwright.model.model import Model, a_model
from linkwright.model.models import PlanarModel, SpatialModel
from linkwright.model.motions import Cycloid, Harmonic, ModifiedSine, Motion, Polynomial, Rise, Table
from linkwright.model.pairs import CamFlat, CamFollower, Coupler, Gear, PointFollower, RackPinion, Rolling
from linkwright.model.points import CurveOn, Point, Vector
from linkwright.model.quantities import angle, component, distance, dot, rate
from linkwright.model.ropes import Belt, Rope
from linkwright.model.spatial_joints import (
    ConstantVelocity,
    Cylindrical,
    ParallelAxes,
    PerpendicularAxes,
    Planar,
    PointOnPlane,
    Screw,
    Spherical,
    Universal,
)
from linkwright.model.tokens import GrammarError
from linkwright.model.values import TIME

__all__ = [
    "CD",
    "DP1",
    "DP2",
    "PID",
    "TIME",
    "Attraction",
    "Balance",
    "Belt",
    "Body",
    "Bushing",
    "CamFlat",
    "CamFollower",
    "ConstantVelocity",
    "Constraint",
    "Contact",
    "Coupler",
    "Curve",
    "CurveOn",
    "Cycloid",
    "Cylindrical",
    "D",
    "Distance",
    "Driver",
    "Element",
    "Estimate",
    "Finding",
    "Fix",
    "Fixed",
    "Force",
    "Friction",
    "Gear",
    "GrammarError",
    "Harmonic",
    "Inertia",
    "Joint",
    "Model",
    "ModifiedSine",
    "Motion",
    "Motor",
    "Orientation",
    "ParallelAxes",
    "PerpendicularAxes",
    "Planar",
    "PlanarModel",
    "Point",
    "PointFollower",
    "PointForce",
    "PointOnLine",
    "PointOnPlane",
    "Polynomial",
    "RackPinion",
    "Revolute",
    "RevoluteCylindrical",
    "RevoluteRevolute",
    "RevoluteSpherical",
    "RevoluteTranslational",
    "Rise",
    "Rolling",
    "Rope",
    "Screw",
    "SpatialModel",
    "Spherical",
    "Spring",
    "State",
    "Stop",
    "Strut",
    "Table",
    "Torque",
    "TorsionSpring",
    "Translational",
    "Tyre",
    "Universal",
    "Vector",
    "a_model",
    "angle",
    "component",
    "distance",
    "dot",
    "kinds",
    "rate",
]  # fmt: skip
