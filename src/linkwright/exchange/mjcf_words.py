"""The words of MJCF: which attributes and tags there are, so that what is misspelt is told from what is not used here."""

from __future__ import annotations

ORIENTATION = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
_PLACE = ("pos", *ORIENTATION)
_COMMON = ("name", "class", "group", "user")
_LIMITS = (
    "limited", "range", "margin", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "actuatorfrclimited",
    "actuatorfrcrange",
)  # fmt: skip
WORDS = {  # of tags in bodies
    "body": (*_PLACE, "name", "childclass", "mocap", "gravcomp", "user", "sleep", "fuse", "simple"),
    "frame": (*_PLACE, "name", "childclass"),
    "inertial": (*_PLACE, "mass", "diaginertia", "fullinertia"),
    "joint": (*_COMMON, *_LIMITS, "type", "pos", "axis", "springdamper", "stiffness", "actuatorgravcomp", "ref", "springref",
              "springyield", "armature", "damping", "frictionloss"),
    "freejoint": ("name", "group", "align"),
    "geom": (*_COMMON, *_PLACE, "type", "contype", "conaffinity", "condim", "priority", "size", "material", "rgba",
             "friction", "mass", "density", "shellinertia", "solmix", "solref", "solimp", "margin", "gap", "fromto",
             "hfield", "mesh", "fitscale", "fluidshape", "fluidcoef", "adhesion", "castshadow", "surfacevel"),
}  # fmt: skip
CHILDREN = {
    "body": ("inertial", "joint", "freejoint", "geom", "site", "camera", "light", "body", "frame", "plugin", "replicate",
             "composite", "flexcomp", "attach", "include"),
    "mujoco": ("compiler", "option", "size", "statistic", "asset", "worldbody", "contact", "deformable", "equality",
               "tendon", "actuator", "sensor", "keyframe", "visual", "default", "custom", "extension", "include"),
}  # fmt: skip
CHILDREN["worldbody"] = CHILDREN["frame"] = CHILDREN["body"]
# They make bodies: leaving them out would be another machine.
UNREAD = {
    "composite": "it makes a cable or cloth of many small bodies",
    "flexcomp": "it makes a body that bends, and all bodies here are rigid",
    "plugin": "it is a program of its own",
}

_TENDON = (*_COMMON, *_LIMITS, "springlength", "springyield", "stiffness", "damping", "frictionloss", "armature")
_EQUALITY = ("name", "class", "active", "solref", "solimp")
SECTIONS = {  # of tags in other sections
    "compiler": ("angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "boundmass", "boundinertia",
                 "balanceinertia", "settotalmass", "meshdir", "assetdir", "texturedir", "strippath", "coordinate",
                 "alignfree", "conflict", "discardvisual", "fitaabb", "fusestatic", "passthrough", "savecanonical",
                 "savecompiled", "saveinertial", "usethread", "convexhull", "exactmeshinertia"),
    "option": ("gravity", "timestep", "density", "viscosity", "wind", "magnetic", "integrator", "cone", "jacobian",
               "solver", "iterations", "tolerance", "ls_iterations", "ls_tolerance", "noslip_iterations",
               "noslip_tolerance", "ccd_iterations", "ccd_tolerance", "mpr_iterations", "mpr_tolerance",
               "sdf_iterations", "sdf_initpoints", "sleep_tolerance", "impratio", "o_margin", "o_solref", "o_solimp",
               "o_friction", "apirate", "collision", "actuatorgroupdisable"),
    "fixed": _TENDON,
    "spatial": (*_TENDON, "material", "rgba", "width"),
    "connect": (*_EQUALITY, "body1", "body2", "anchor", "site1", "site2"),
    "weld": (*_EQUALITY, "body1", "body2", "anchor", "relpose", "site1", "site2", "torquescale"),
    "equality joint": (*_EQUALITY, "joint1", "joint2", "polycoef"),
    "equality tendon": (*_EQUALITY, "tendon1", "tendon2", "polycoef"),
}  # fmt: skip
_ACTUATOR = (
    *_COMMON, "nsample", "interp", "delay", "ctrllimited", "forcelimited", "actlimited", "ctrlrange", "forcerange",
    "actrange", "lengthrange", "gear", "damping", "armature", "cranklength", "joint", "jointinparent", "tendon", "cranksite",
    "slidersite", "site", "refsite", "body", "actdim", "actearly",
)  # fmt: skip
_LAWS = {
    "general": ("dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "ffrange", "inheritrange", "input",
                "velrange"),
    "position": ("kp", "kv", "dampratio", "timeconst", "inheritrange"), "velocity": ("kv",), "motor": (),
    "intvelocity": ("kp", "kv", "dampratio", "inheritrange"), "damper": ("kv",),
    "cylinder": ("timeconst", "area", "diameter", "bias"),
    "pid": ("kp", "ki", "kv", "dampratio", "imax", "slewmax", "posrange", "velrange", "ffrange", "inheritrange", "input"),
    "dcmotor": ("motorconst", "resistance", "inductance", "nominal", "saturation", "thermal", "lugre", "cogging",
                "controller", "input"),
}  # fmt: skip
LAWS = {kind: (*_ACTUATOR, *own) for kind, own in _LAWS.items()}  # actuators that may be carried over
ACTUATORS = (*LAWS, "orientation", "muscle", "adhesion", "plugin")
