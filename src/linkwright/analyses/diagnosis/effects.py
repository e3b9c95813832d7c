"""What each kind of finding does to results, in words for its reader."""

from __future__ import annotations

EFFECTS: dict[str, str] = {
    "free": "dynamics moves it freely; kinematics needs a driver for each freedom",
    "redundant": "the motion is right; forces in these joints are not unique, and only their sum means something",
    "redundant-driver": "no analysis can follow both: kinematics stops, and efforts of the drivers mean nothing",
    "contradiction": "the machine cannot be put together, so there is no result",
    "not-closing": "the machine cannot start from what you fixed, so there is no result",
    "estimates": "results are those of an assembly that you may not have meant",
    "wrong-root": "results are those of another mechanism",
    "antiparallel": "angles of this joint count about the first body's axis, the other way than you may think",
    "spin": "the body turns as it likes about that line; nothing else depends on it",
    "singular-start": "the motion may go on along either branch from here",
    "locked-start": "nothing can move from here, so kinematics and dynamics stop at once",
    "gear-distance": "the gears turn as if they meshed, which they do not",
    "inertia-implausible": "a body that turns freely moves as no real one does",
    "no-inertia": "dynamics has no answer; kinematics and equilibrium do",
    "island": "these bodies drift away, or fall",
    "cam-concave": "the computed motion has the face inside the cam in places",
    "lock-up": "the motion stops there; results end before it",
    "bifurcation": "the motion may go on in more than one way; which one is yours to say",
    "stopped": "there is no result beyond this",
    "roller-too-large": "the computed motion has the roller inside the cam in places",
    "overlap": "dynamics does not begin: no impact parts what is within each other",
}
