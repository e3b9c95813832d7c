"""Random spatial machines: the same machine described in another way moves in the same way."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.spatial.transform import Rotation
from spatial_sketch import Place, Sketch, linkage

import linkwright as lw
from strategies import seeds

EXAMPLES = settings(max_examples=4)  # each machine is compiled
T_END, STEPS = 2.0, 20


def moved(sketch: Sketch, **how):
    """The motion, or None where the random machine locks up on the way."""
    try:
        return lw.kinematics(sketch.model(**how), t_end=T_END, steps=STEPS)
    except (lw.SingularityError, lw.AssemblyError):
        return None


def tame(sketch: Sketch):
    """The motion of a machine that is far from singular: numbers of moderate size."""
    k = moved(sketch)
    assume(k is not None and all(np.abs(k[c]).max() < 50 for c in k.channels))
    return k


def places(k, body):
    R = Rotation.from_quat(np.array([k[f"{body}.{c}"] for c in ("e1", "e2", "e3", "e0")]).T)
    return R, np.array([k[f"{body}.{c}"] for c in "xyz"]).T


def vectors(k, body, names):
    return np.array([k[f"{body}.{c}"] for c in names.split()]).T


def close(a, b, what=""):
    # lengths of order one, values up to 50; near a singular configuration rounding grows
    np.testing.assert_allclose(a, b, atol=1e-8, rtol=1e-8, err_msg=what)


def same_motion(sketch, k, other, move=None, origins=None):
    """Positions, velocities and accelerations of the bodies as they were, seen through the change of description."""
    T = move or Place(Rotation.identity(), np.zeros(3))
    for body in sketch.bodies:
        own = (origins or {}).get(body, Place(Rotation.identity(), np.zeros(3)))
        (R, r), (R2, r2) = places(k, body), places(other, body)
        close((R2 * own.R.inv()).as_matrix(), (T.R * R).as_matrix(), body)
        close(r2 - (R2 * own.R.inv()).apply(own.r), T.r + T.R.apply(r), body)
        w, w2 = vectors(k, body, "wx wy wz"), vectors(other, body, "wx wy wz")
        alpha, alpha2 = (vectors(x, body, "alphax alphay alphaz") for x in (k, other))
        close(own.R.apply(w2), w, body)
        close(own.R.apply(alpha2), alpha, body)
        # the new origin is a point of the old body: v + A (w x s), a + A (alpha x s + w x (w x s))
        v, a = vectors(k, body, "vx vy vz"), vectors(k, body, "ax ay az")
        s = own.r
        v = v + R.apply(np.cross(w, s))
        a = a + R.apply(np.cross(alpha, s) + np.cross(w, np.cross(w, s)))
        close(vectors(other, body, "vx vy vz"), T.R.apply(v), body)
        close(vectors(other, body, "ax ay az"), T.R.apply(a), body)


@EXAMPLES
@given(seeds)
def test_the_same_machine_described_otherwise(rng):
    """Moved as a whole; bodies and joints in another order; other origins and axes of bodies; joints' ends exchanged."""
    sketch = linkage(rng)
    k = tame(sketch)
    move = Place.random(rng)
    same_motion(sketch, k, moved(sketch, move=move), move=move)
    origins = {body: Place.random(rng, 0.5) for body in sketch.bodies}
    same_motion(sketch, k, moved(sketch, origins=origins, order=rng), origins=origins)
    other = moved(sketch, swapped=tuple(link.name for link in sketch.links))  # all its joints are symmetric
    same_motion(sketch, k, other)
    for link in sketch.links:
        if f"{link.name}.angle" in k:
            close(other[f"{link.name}.angle"], -k[f"{link.name}.angle"])


@EXAMPLES
@given(seeds)
def test_a_doubled_joint(rng):
    """Is redundant, and said to be, equation by equation; the motion stays."""
    sketch = linkage(rng)
    k = tame(sketch)
    double = sketch.links[-1].name
    model = sketch.model(doubled=(double,))
    report = lw.check(model)
    assert (report.dof, report.redundant_count) == (0, 5)
    for group in report.redundant:
        assert {f"{double} again", double} <= {name.rsplit(".", 1)[0] for name in group}
    same_motion(sketch, k, moved(sketch, doubled=(double,)))


@settings(max_examples=2)
@given(seeds)
def test_one_freedom_and_back_again(rng):
    """Gruebler is right for these machines; and what is driven to and fro comes back."""
    sketch = linkage(rng, loops=2)
    k = tame(sketch)
    free = lw.check(Sketch(sketch.bodies, sketch.links).model())
    assert (free.dof, free.redundant) == (1, [])
    assert k.audit.position_error < 1e-9
    end = lw.kinematics(sketch.model(), t_eval=[0, 1, np.pi / 2, np.pi - 1, np.pi])
    for c in ("out1.x", "out1.y", "out1.z"):
        assert end[c][-1] == pytest.approx(end[c][0], abs=1e-9)
        assert end[c][1] == pytest.approx(end[c][3], abs=1e-9)


@EXAMPLES
@given(seeds)
def test_velocities_are_derivatives_of_positions(rng):
    """At machine level: order-8 differences of the computed motion."""
    sketch = linkage(rng)
    tame(sketch)
    h = 1e-3
    k = lw.kinematics(sketch.model(), t_eval=np.concatenate([[0.0], 0.5 + h * np.arange(-4, 5)]))
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    for body in sketch.bodies:
        for x, v, a in zip("xyz", ("vx", "vy", "vz"), ("ax", "ay", "az"), strict=True):
            # positions converge to 1e-11 of lengths of order one, times 1/h
            assert first @ k[f"{body}.{x}"][1:] == pytest.approx(k[f"{body}.{v}"][5], rel=1e-7, abs=1e-7)
            assert first @ k[f"{body}.{v}"][1:] == pytest.approx(k[f"{body}.{a}"][5], rel=1e-6, abs=1e-6)
        R, _ = places(k, body)
        turn = (R[5].inv() * R[1:]).as_rotvec()
        close(first @ turn, vectors(k, body, "wx wy wz")[5])
        assert first @ k[f"{body}.wx"][1:] == pytest.approx(k[f"{body}.alphax"][5], rel=1e-6, abs=1e-6)
