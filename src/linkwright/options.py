"""The words that options may be, as types: one place for signatures, type checkers, editors and messages."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

# analyses
Analysis = Literal["dynamics", "kinematics", "inverse_dynamics"]
StudyAnalysis = Literal["dynamics", "kinematics", "inverse_dynamics", "equilibrium", "assemble", "linearize"]
PageAnalysis = Literal["kinematics", "dynamics", "inverse_dynamics", "equilibrium"]
SearchMethod = Literal["slsqp", "trust-constr", "differential-evolution"]
Method = Literal["auto", "rk4", "dopri5", "dop853", "adams", "radau", "generalized-alpha", "hht"]
Formulation = Literal["newton-euler", "euler-parameters", "mixed", "kane", "joint"]
AnyFormulation = Literal["newton-euler", "euler-parameters", "mixed", "kane", "joint", "auto"]
Constraints = Literal[
    "projection", "partitioning", "stabilization", "direct", "hybrid", "augmented", "ggl", "index-3"
]  # fmt: skip
EquilibriumMethod = Literal["potential", "equations", "continuation", "settling", "relaxation"]
TextRows = Literal["polynomial", "haug", "nikravesh", "me751"]
Drivers = Literal["free", "held"]
Direction = Literal[-1, 0, 1]

# answers
SingularityKind = Literal["lock-up", "bifurcation"]
Stability = Literal["stable", "unstable", "neutral", ""]

# elements, shapes and tables
Axis = Literal["x", "y", "z"]
AxesOfPins = Literal["parallel", "orthogonal"]
BushingForm = Literal["auto", "axes", "twist", "rotation vector", "cardan"]
ContactLaw = Literal["linear", "hertz", "hunt-crossley", "lankarani-nikravesh"]
CurveForm = Literal["polar", "parametric"]
ForceFrame = Literal["ground", "body"]
Surface = Literal["plane", "sphere"]
TableKind = Literal["cubic", "linear"]
FileForm = Literal["yaml", "json"]


def words(name: str) -> tuple[Any, ...]:
    """The words of the option type of this name; none where there is no such type."""
    found = globals().get(name)
    return get_args(found) if get_origin(found) is Literal else ()
