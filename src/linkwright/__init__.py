"""Linkwright: machines made of rigid bodies, assembled, moved, balanced, driven and simulated.

Everything a user needs is here; it is imported when first used, so that starting is quick.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from types import FunctionType
from typing import Any

from linkwright.calls import answering, answering_module, answers
from linkwright.errors import UnknownNameError
from linkwright.words import question

__version__ = "0.2.0"

# name -> module; one line a room
_ROOMS = {
    "linkwright.errors": (
        "LinkwrightError ModelError AssemblyError SingularityError IntegrationError TraceError CompileError ArgumentError "
        "UnknownNameError Interrupted"
    ),
    "linkwright.graph": (
        "absolute acos acosh asin asinh atan atan2 atanh cos cosh exp floor hypot log maximum minimum power sign sin sinh "
        "spline sqrt tan tanh where"
    ),
    "linkwright.model": (
        "PlanarModel SpatialModel Model Body Point Vector Curve Finding Fix rate "
        "Revolute Translational Fixed Distance Cylindrical Spherical Universal ConstantVelocity Screw Planar PointOnLine "
        "PointOnPlane ParallelAxes PerpendicularAxes RevoluteSpherical RevoluteRevolute RevoluteCylindrical "
        "RevoluteTranslational Strut Orientation Gear RackPinion CamFollower CamFlat PointFollower Coupler Rolling "
        "DP1 DP2 D CD Constraint Driver Polynomial Harmonic Cycloid ModifiedSine Table "
        "Spring TorsionSpring Force PointForce Torque Bushing Friction Contact Stop Tyre distance angle dot component "
        "Motor PID Inertia State Belt Rope Attraction Balance"
    ),
    "linkwright.model.files": "FileError",
    "linkwright.exchange.load": "load",
    "linkwright.exchange.tables": "read_table",
    "linkwright.model.embedding": "embed",
    "linkwright.analyses.assembly.assemble": "assemble assemblies",
    "linkwright.analyses.diagnosis.check": "check",
    "linkwright.analyses.motion.kinematics": "kinematics",
    "linkwright.analyses.motion.linkage": "transmission_angle mechanical_advantage",
    "linkwright.analyses.matrices.equations": "equations",
    "linkwright.analyses.motion.inverse_dynamics": "inverse_dynamics",
    "linkwright.analyses.dynamics.dynamics": "dynamics Watch",
    "linkwright.analyses.record": "record",
    "linkwright.analyses.statics.equilibrium": "equilibrium",
    "linkwright.analyses.small_motions.linearize": "linearize",
    "linkwright.analyses.small_motions.steady": "steady",
    "linkwright.analyses.matrices.joint_space": "joint_space",
    "linkwright.analyses.matrices.apparent_inertia": "apparent_inertia",
    "linkwright.analyses.variations.sensitivity": "sensitivity",
    "linkwright.studies.prepare": "prepare Ready",
    "linkwright.studies.sweep": "sweep",
    "linkwright.studies.family": "family",
    "linkwright.studies.root_locus": "root_locus",
    "linkwright.studies.monte_carlo": "monte_carlo",
    "linkwright.studies.optimize": "optimize",
    "linkwright.studies.fit": "fit",
    "linkwright.studies.gradient": "gradient",
    "linkwright.studies.distributions": "Normal Uniform Triangular",
    "linkwright.results.reductions": "peak highest lowest span mean rms integral final",
    "linkwright.results.study": "Study",
    "linkwright.results.motion": "Steady",
    "linkwright.results.root_locus": "RootLocus",
    "linkwright.results.spread": "Spread",
    "linkwright.results.optimum": "Optimum Fit",
    "linkwright.equations.rotations": "moment_star moment_star_of_global moment_body moment_global",
    "linkwright.results": "Result Configuration load_result ResultStream ResultFileError",
    "linkwright.live.page": "page",
    "linkwright.view": "report work_precision",
}
_MODULES = {
    "two_body": "linkwright.equations.two_body",
    "kamman": "linkwright.system.kamman",
    "inertia": "linkwright.equations.inertia",
    "shapes": "linkwright.equations.shapes",
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOME), *sorted(_MODULES)]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
        answering_module(value)
    elif name in _HOME:
        value = _answering(getattr(import_module(_HOME[name]), name))
    elif name.startswith("_"):  # Python and its tools look for many
        raise AttributeError(f"module 'linkwright' has no attribute {name!r}")
    else:
        raise UnknownNameError(f"linkwright has no {name!r}", element=name, remedy=_remedy(name))
    globals()[name] = value
    _grown_old()
    return value


def _grown_old() -> None:
    """What modules hold lives as long as the process. The garbage collector takes it for old from here on and does not
    go through it in the middle of the first answer, which takes 10 to 15 ms. Nothing is kept from it for good."""
    if hasattr(gc, "freeze") and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def _answering(value: Any) -> Any:
    """A function as users call it: it answers wrong arguments. It is put where it came from, for `pickle` looks there."""
    if type(value) is FunctionType and not answers(value):
        value = answering(value)
        setattr(sys.modules[value.__module__], value.__name__, value)
    return value


def _remedy(name: str) -> str:
    return f"{question(name, __all__)} `dir(lw)` lists everything".strip()


def __dir__() -> list[str]:
    return __all__


# `lw.equations` is the analysis; the package has a folder of the same name. Python binds a folder's name here when it first
# imports the folder, and never again: that is done now, and the name is given free for `__getattr__`.
import_module("linkwright.equations")
del globals()["equations"]
