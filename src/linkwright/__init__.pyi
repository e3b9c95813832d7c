"""What type checkers and editors read: the names that `__init__.py` imports when they are first used."""

# ruff: noqa: I001, RUF022
# fmt: off
from linkwright.analyses.assembly.assemble import assemble, assemblies
from linkwright.analyses.diagnosis.check import check
from linkwright.analyses.dynamics.dynamics import Watch, dynamics
from linkwright.analyses.matrices.apparent_inertia import apparent_inertia
from linkwright.analyses.matrices.equations import equations
from linkwright.analyses.matrices.joint_space import joint_space
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.analyses.motion.linkage import mechanical_advantage, transmission_angle
from linkwright.analyses.record import record
from linkwright.analyses.small_motions.linearize import linearize
from linkwright.analyses.small_motions.steady import steady
from linkwright.analyses.statics.equilibrium import equilibrium
from linkwright.analyses.variations.sensitivity import sensitivity
from linkwright.equations import inertia, shapes, two_body
from linkwright.equations.rotations import moment_body, moment_global, moment_star, moment_star_of_global
from linkwright.errors import (
    ArgumentError, AssemblyError, CompileError, IntegrationError, Interrupted, LinkwrightError, ModelError,
    SingularityError, TraceError, UnknownNameError,
)
from linkwright.graph import (
    absolute, acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, exp, floor, hypot, log, maximum, minimum, power,
    sign, sin, sinh, spline, sqrt, tan, tanh, where,
)
from linkwright.live.page import page
from linkwright.model import (
    Body, Bushing, CD, CamFlat, CamFollower, ConstantVelocity, Constraint, Contact, Coupler, Curve, Cycloid,
    Cylindrical, D, DP1, DP2, Distance, Driver, Finding, Fix, Fixed, Force, Friction, Gear, Harmonic, Inertia, Model,
    ModifiedSine, Motor, Orientation, PID, ParallelAxes, PerpendicularAxes, Planar, PlanarModel, Point, PointFollower,
    PointForce, PointOnLine, PointOnPlane, Polynomial, RackPinion, Revolute, RevoluteCylindrical, RevoluteRevolute,
    RevoluteSpherical, RevoluteTranslational, Rolling, Screw, SpatialModel, Spherical, Spring, State, Stop, Strut,
    Table, Torque, TorsionSpring, Translational, Tyre, Universal, Vector, angle, component, distance, dot, rate,
)
from linkwright.model import Belt, Rope
from linkwright.model import Attraction, Balance
from linkwright.model.embedding import embed
from linkwright.exchange.load import load
from linkwright.exchange.tables import read_table
from linkwright.model.files import FileError
from linkwright.results import Configuration, Result, ResultFileError, ResultStream, load_result
from linkwright.results.optimum import Fit, Optimum
from linkwright.results.reductions import final, highest, integral, lowest, mean, peak, rms, span
from linkwright.results.root_locus import RootLocus
from linkwright.results.spread import Spread
from linkwright.results.motion import Steady
from linkwright.results.study import Study
from linkwright.studies.distributions import Normal, Triangular, Uniform
from linkwright.studies.fit import fit
from linkwright.studies.gradient import gradient
from linkwright.studies.family import family
from linkwright.studies.monte_carlo import monte_carlo
from linkwright.studies.optimize import optimize
from linkwright.studies.root_locus import root_locus
from linkwright.studies.prepare import Ready, prepare
from linkwright.studies.sweep import sweep
from linkwright.system import kamman
from linkwright.view import report, work_precision

__version__: str

__all__ = [
    "__version__", "ArgumentError", "AssemblyError", "Attraction", "Balance", "Belt", "Body", "Bushing", "CD", "CamFlat",
    "CamFollower", "CompileError", "Configuration", "ConstantVelocity", "Constraint", "Contact", "Coupler", "Curve",
    "Cycloid", "Cylindrical", "D", "DP1", "DP2", "Distance", "Driver", "FileError", "Finding", "Fit", "Fix", "Fixed",
    "Force", "Friction", "Gear", "Harmonic", "Inertia", "IntegrationError", "Interrupted", "LinkwrightError", "Model",
    "ModelError", "ModifiedSine", "Motor", "Normal", "Optimum", "Orientation", "PID", "ParallelAxes",
    "PerpendicularAxes", "Planar", "PlanarModel", "Point", "PointFollower", "PointForce", "PointOnLine", "PointOnPlane",
    "Polynomial", "RackPinion", "Ready", "Result", "ResultFileError", "ResultStream", "Revolute", "RevoluteCylindrical",
    "RevoluteRevolute", "RevoluteSpherical", "RevoluteTranslational", "Rolling", "RootLocus", "Rope", "Screw",
    "SingularityError", "SpatialModel", "Spherical", "Spread", "Spring", "State", "Steady", "Stop", "Strut", "Study",
    "Table", "Torque", "TorsionSpring", "TraceError", "Translational", "Triangular", "Tyre", "Uniform", "Universal",
    "UnknownNameError", "Vector", "Watch", "absolute", "acos", "acosh", "angle", "apparent_inertia", "asin", "asinh",
    "assemble", "assemblies", "atan", "atan2", "atanh", "check", "component", "cos", "cosh", "distance", "dot",
    "dynamics", "embed", "equations", "equilibrium", "exp", "family", "final", "fit", "floor", "gradient", "highest",
    "hypot", "integral", "inverse_dynamics", "joint_space", "kinematics", "linearize", "load", "load_result", "log",
    "lowest", "maximum", "mean", "mechanical_advantage", "minimum", "moment_body", "moment_global", "moment_star",
    "moment_star_of_global", "monte_carlo", "optimize", "page", "peak", "power", "prepare", "rate", "read_table",
    "record", "report", "rms", "root_locus", "sensitivity", "sign", "sin", "sinh", "span", "spline", "sqrt", "steady",
    "sweep", "tan", "tanh", "transmission_angle", "where", "work_precision", "inertia", "kamman", "shapes", "two_body",
]
