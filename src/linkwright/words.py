"""The nearest right word for a wrong one: by what other programs and textbooks call the same thing, then by spelling.

One table for Python, files and the command line; a word is proposed only where it is known there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

# right word: what it is called elsewhere, in small letters without - and _
_CALLED = {
    # elements
    "Revolute": "pin hinge pivot rotary rotational revolutejoint pinjoint hingejoint turning",
    "Translational": "slider slide prismatic prismaticjoint sliderjoint guide linear sliding",
    "Fixed": "weld rigid lock bolt glue weldjoint fixedjoint rigidconnection clamp",
    "Spherical": "ball balljoint ballandsocket socket sphericaljoint",
    "Universal": "cardan hooke ujoint universaljoint cross",
    "ConstantVelocity": "cv cvjoint rzeppa homokinetic",
    "Cylindrical": "cylinder cylindricaljoint",
    "Screw": "helical leadscrew screwjoint nut",
    "Distance": "rod link rigidlink massless",
    "PointOnLine": "inline slot pininslot",
    "PointOnPlane": "inplane",
    "Spring": "damper dashpot tsda springdamper linearspring actuator",
    "TorsionSpring": "rsda rotationalspring rotationspring torsional torsionbar torsiondamper",
    "Driver": "motion prescribed",
    "PointForce": "load pointload externalforce appliedforce",
    "Torque": "moment couple",
    "Tyre": "tire wheel",
    "CamFollower": "cam",
    "RackPinion": "rack pinion rackandpinion",
    "Coupler": "ratio",
    "Attraction": "pointgravity gravitation newtongravity inversesquare",
    "Belt": "chain timingbelt vbelt beltdrive chaindrive",
    "Rope": "cable tendon string cord winch hoist tackle pulley",
    "Contact": "collision touching",
    "Stop": "endstop bumper limit",
    "Harmonic": "sine sinusoid",
    "Table": "spline interpolation lookup",
    # functions
    "PlanarModel": "model2d planar mechanism machine system world multibody",
    "SpatialModel": "model3d spatial mechanism machine system world multibody",
    "dynamics": "simulate simulation integrate solve run forwarddynamics transient",
    "kinematics": "kinematic positions",
    "inverse_dynamics": "id kinetostatics inverse",
    "equilibrium": "statics static rest balance",
    "linearize": "linearise linear modal modes eigen eigenvalues vibration",
    "assemble": "assembly close initialise initialize",
    "load": "read open import fromfile loadmodel",
    "load_result": "readresult openresult",
    "component": "coordinate point",
    "rate": "derivative diff dt ddt",
    "absolute": "abs fabs",
    "minimum": "min",
    "maximum": "max",
    "power": "pow",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "where": "ifelse piecewise cond",
    # arguments
    "k": "stiffness springconstant springrate rate spring kt",
    "c": "damping damper viscosity dampingcoefficient d",
    "length": "freelength restlength naturallength l l0 unstretched",
    "angle": "freeangle restangle theta theta0 phi rotation orientation",
    "orientation": "angle rotation quaternion euler rpy rot",
    "steps": "dt step stepsize timestep h n num points samples nsteps numsteps",
    "t_eval": "dt times t tspan ts time outputtimes",
    "t_end": "tend end duration until stop tf tfinal tmax tstop time stoptime endtime finaltime",
    "t_start": "tstart t0 begin starttime",
    "rtol": "tol tolerance reltol accuracy",
    "atol": "abstol",
    "method": "solver integrator scheme",
    "start": "initial init state from",
    "mass": "m weight",
    "inertia": "j i izz momentofinertia moments tensor moi",
    "com": "cog cg center centre centerofmass centreofmass masscenter masscentre",
    "position": "pos location place origin xy xyz at",
    "velocity": "vel v speed",
    "omega": "w angularvelocity wx spin rpm",
    "shape": "geometry visual solid mesh drawing",
    "gravity": "g",
    "density": "rho",
    "pitch": "lead",
    "radii": "ratio teeth r1",
    "radius": "r diameter",
    "mu": "friction coefficient frictioncoefficient",
    "restitution": "e bounce",
    "motion": "function law f profile value",
    "law": "function motion f force value",
    "value": "f target",
    "P": "parent first a body1 point1 i bodyi pointi",
    "Q": "child second b body2 point2 j bodyj pointj",
    # ways to solve
    "newton-euler": "newton euler cartesian maximal lagrange lagrangian",
    "joint": "relative minimal reduced recursive featherstone aba",
    "stabilization": "baumgarte stabilisation",
    "partitioning": "coordinatepartitioning generalizedcoordinates",
    "projection": "project",
    "ggl": "gear gearguptaleimkuhler stabilizedindex2 index2",
    "index-3": "dae",
    "dopri5": "rk45 ode45 dormandprince rungekutta",
    "dop853": "ode89 ode78",
    "adams": "ode113 multistep abm",
    "radau": "bdf lsoda ode15s stiff implicit ida cvode rosenbrock",
    "generalized-alpha": "newmark alpha generalisedalpha",
    # channels
    "displacement": "s position translation x",
    "alpha": "angularacceleration omegadot",
    "acceleration": "a accel",
    "torque": "moment t mz tz effort",
    "force": "f effort tension",
}  # fmt: skip


def _plain(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "").replace(" ", "")


_RIGHT: dict[str, list[str]] = {}
for _right, _others in _CALLED.items():
    for _other in _others.split():
        _RIGHT.setdefault(_other, []).append(_right)


def an(noun: str) -> str:
    """With its article: an Inertia, a Universal."""
    return f"{'an' if noun[:1] in tuple('AEIOaeio') else 'a'} {noun}"


def meant(word: str, known: Iterable[str]) -> list[str]:
    """The known words that may have been meant, best first; none if nothing is like it."""
    from difflib import get_close_matches

    known = list(dict.fromkeys(known))
    synonyms = [right for right in _RIGHT.get(_plain(word), ()) if right in known]
    by_lower = {k.lower(): k for k in known}
    if synonyms and word.lower() not in by_lower:
        return synonyms
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    if not found and len(word) > 1:  # cut short: pos, dir
        longer = [k for k in by_lower if k.startswith(word.lower())]
        found = longer if len(longer) == 1 else []
    return [by_lower[x] for x in found]


def spelled(word: Any, known: Iterable[Any]) -> Any:
    """The known word that differs from this one by capitals, hyphens, underscores and blanks alone; else the word itself."""
    if not isinstance(word, str) or word in (known := list(known)):
        return word
    alike = [k for k in known if isinstance(k, str) and _plain(k) == _plain(word)]
    return alike[0] if len(alike) == 1 and _plain(word) else word


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like this one, "" if none is."""
    return next(iter(meant(word, known)), "")


def question(word: str, known: Iterable[str]) -> str:
    """A question after what was meant, "" if nothing is like it."""
    found = meant(word, known)
    return f"did you mean {' or '.join(map(repr, found))}?" if found else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """A remedy for an unknown word: the nearest one, or the first few there are."""
    known = list(dict.fromkeys(known))
    if asked := question(word, known):
        return asked
    if not known:
        return "there is nothing to name yet"
    listed = ", ".join(known[:12])
    return f"known are: {listed}" + (", ..." if len(known) > 12 else "")


def choices(word: str, known: Sequence[str]) -> str:
    """A remedy for a word of a short list: the nearest one, and all there are."""
    asked = question(word, known)
    return (f"{asked} " if asked else "") + f"it may be one of {', '.join(known)}"


def listed(names: Sequence[str], most: int) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
