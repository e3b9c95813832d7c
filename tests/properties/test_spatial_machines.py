"""Random linkages in space: joints given twice, freedoms, velocities as derivatives. That a machine described otherwise
moves in the same way is asked of all random machines (`fuzz.agreement`)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.spatial.transform import Rotation

import linkwright as lw
from fuzz.compare import differences
from fuzz.linkages import linkage
from fuzz.motion import answer
from fuzz.render import model
from strategies import seeds

EXAMPLES = settings(max_examples=4)  # each machine is compiled
T_END, STEPS = 2.0, 20


def tame(sketch):
    """The motion of a machine that is far from singular: numbers of moderate size."""
    try:
        k = lw.kinematics(model(sketch), t_end=T_END, steps=STEPS)
    except (lw.SingularityError, lw.AssemblyError):
        k = None
    assume(k is not None and all(np.abs(k[c]).max() < 50 for c in k.channels))
    return k


@EXAMPLES
@given(seeds)
def test_a_doubled_joint(rng):
    """Is redundant, and said to be, equation by equation; the motion stays."""
    sketch = linkage(rng)
    k = tame(sketch)
    double = sketch["D0"]
    twice = sketch.extended(replace(double, name="D0 again"))
    report = lw.check(model(twice))
    assert (report.dof, report.redundant_count) == (0, 5)
    for group in report.redundant:
        assert {"D0 again", "D0"} <= {name.rsplit(".", 1)[0] for name in group}
    other = lw.kinematics(model(twice), t_end=T_END, steps=STEPS)
    # lengths of order one, values up to 50; near a singular configuration rounding grows
    for what, off in differences(answer(sketch, k), answer(sketch, other), reactions=False).items():
        assert off.max() < 1e-8, what


@settings(max_examples=2)
@given(seeds)
def test_one_freedom_and_back_again(rng):
    """Gruebler is right for these machines; and what is driven to and fro comes back."""
    sketch = linkage(rng, loops=2)
    k = tame(sketch)
    free = lw.check(model(sketch.without("motor")))
    assert (free.dof, free.redundant) == (1, [])
    assert k.audit.position_error < 1e-9
    end = lw.kinematics(model(sketch), t_eval=[0, 1, np.pi / 2, np.pi - 1, np.pi])
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
    k = lw.kinematics(model(sketch), t_eval=np.concatenate([[0.0], 0.5 + h * np.arange(-4, 5)]))
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    for name, b in answer(sketch, k).bodies.items():
        # positions converge to 1e-11 of lengths of order one, times 1/h
        assert first @ b.r[1:] == pytest.approx(b.v[5], rel=1e-7, abs=1e-7), name
        assert first @ b.v[1:] == pytest.approx(b.a[5], rel=1e-6, abs=1e-6), name
        turns = Rotation.from_matrix(b.R[1:] @ b.R[5].T).as_rotvec()
        assert first @ turns == pytest.approx(b.w[5], rel=1e-8, abs=1e-8), name
        assert first @ b.w[1:] == pytest.approx(b.alpha[5], rel=1e-6, abs=1e-6), name
