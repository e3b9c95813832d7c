"""The oracle of exact derivatives: central differences of runs of tight tolerance, extrapolated (Richardson)."""

import numpy as np

from linkwright.studies.points import ANALYSES
from linkwright.studies.variations import vary


def richardson(f, x, h):
    """f'(x): of order four, from four values."""
    near, far = ((f(x + k * h) - f(x - k * h)) / (2 * k * h) for k in (1, 2))
    return (4 * near - far) / 3


def value_of(model, name):
    """A parameter's, or that of an estimate."""
    if name in model.parameters:
        return model.parameters[name]
    body, channel = name.rsplit(".", 1)
    e = model.bodies[body].estimate
    flat = {"x": e.position[0], "y": e.position[1], "angle": e.rotation, "vx": e.velocity[0], "vy": e.velocity[1]}
    if model.dimension == 3:
        flat |= {"z": e.position[2], "vz": e.velocity[2], **dict(zip(("wx", "wy", "wz"), e.omega, strict=True))}
    else:
        flat["omega"] = e.omega
    return model.value(flat[channel])


def differences(model, keep, name, analysis="dynamics", h=1e-3, **options):
    """d keep / d name of single calls; `keep`: channels (their histories) or reductions."""

    def values(x):
        own = model.copy()
        vary(own, {name: x})
        answer = ANALYSES[analysis](own, **options)
        t = getattr(answer, "t", 0.0)
        return np.concatenate([np.atleast_1d(k(t, answer[k.of]) if hasattr(k, "of") else answer[k]) for k in keep])

    x = value_of(model, name)
    return richardson(values, x, h * max(abs(x), 0.1))


def exact(model, keep, names, analysis="dynamics", **options):
    """The same by the exact way: an array, a column for each name."""
    from linkwright.studies.gradient import sloped
    from linkwright.studies.points import Task

    return sloped(Task(model, analysis, tuple(keep), options), model.copy(), names).slopes


TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def agree(model, keep, names, tolerance=1e-7, analysis="dynamics", h=1e-3, **options):
    """Whether exact slopes are those of differences, relative to the largest of each number that is kept."""
    tight = TIGHT if analysis == "dynamics" else {}
    found = exact(model, keep, names, analysis, **({"rtol": 1e-10} if tight else {}), **options)
    for k, name in enumerate(names):
        by = differences(model, keep, name, analysis, h, **tight, **options)
        size = np.abs(by).max()
        assert np.abs(found[:, k] - by).max() <= tolerance * max(size, 1e-9), (name, found[:, k], by)
