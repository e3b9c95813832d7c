"""Large machines under forces, evaluated shape by shape: the same numbers as of the machine traced as a whole."""

from itertools import pairwise

import numpy as np
import pytest
from looped_machines import add_body, state, turned
from scipy.sparse import coo_array

import linkwright as lw
from linkwright.graph import Sparse
from linkwright.system.mechanics import Mechanics
from linkwright.system.shaped_mechanics import ShapedMechanics

# Both sides round differently, some ten operations deep.
TOLERANCE = 1e-12


def loaded(dimension):
    """A chain with a spring on every joint, forces of other kinds, a driver and a joint the springs do not know."""
    rng = np.random.default_rng(dimension)
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("loaded", gravity=(0.3, -9.81, 0.1)[:dimension])
    bodies = [m.ground, *[add_body(m, k, rng) for k in range(4)]]
    for k, (one, other) in enumerate(pairwise(bodies)):
        turns = [{"rotation": turned(rng)} if dimension == 3 else {} for _ in range(2)]
        P, Q = (b.at(*rng.normal(size=dimension), **t) for b, t in zip((one, other), turns, strict=True))
        m.add(lw.Revolute(f"j{k}", P, Q))
        m.add(lw.TorsionSpring(f"t{k}", m[f"j{k}"], k=2.0 + k, angle=0.1, c=0.3 if k else 0.0))
    m.add(lw.Spring("spring", bodies[0].at(*[1.0] * dimension), bodies[4].at(*[0.2] * dimension), k=5.0, length=0.3, c=0.2))
    m.add(
        lw.Spring(
            "other", bodies[1].at(*[0.1] * dimension), bodies[3].at(*[0.4] * dimension), k="3 + l**2", force="sin(t)*v"
        )
    )
    m.add(lw.Force("push", bodies[2].x, "2*s - t"))
    m.add(lw.PointForce("blow", bodies[3].at(*[0.3] * dimension), force=(1.0, "t", 0.5)[:dimension]))
    m.add(lw.Driver("motor", m["j1"].angle, "0.2*t"))
    return m


def _close(mine, theirs):
    assert mine.shape == theirs.shape
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=TOLERANCE * (1 + np.abs(theirs).max(initial=0.0)))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_same_as_of_the_whole(dimension):
    m = loaded(dimension)
    whole, shaped, rng = Mechanics(m), ShapedMechanics(m), np.random.default_rng(1)
    assert shaped.turn_names == whole.turn_names
    assert [(x.name, x.V is None) for x in shaped.loads.all] == [(x.name, x.V is None) for x in whole.loads.all]
    q, v = state(m, rng)
    b, turns = whole.b(whole.model), rng.normal(size=len(whole.turn_names))
    args = q, v, np.array([0.4]), b, turns, np.zeros(whole.nv), np.zeros(0)
    lam = rng.normal(size=len(whole.rows))
    mine, theirs = shaped.terms(*args), whole.terms(*args)
    patterns = {0: [s.M_pattern for s in (shaped, whole)], 3: [s.pattern for s in (shaped, whole)]}
    for k, (own, other) in enumerate(zip(mine, theirs, strict=True)):
        if k in patterns:
            own, other = (coo_array(x).toarray() for x in zip((own, other), patterns[k], strict=True))
        _close(own, other)
    assert list(shaped.terms.outputs.values()) == [x.shape for x in mine]
    for own, other in zip(shaped.derivatives(*args), whole.derivatives(*args), strict=True):
        _close(own.toarray(), other)
    _close(shaped.curvature(*args[:6], lam).toarray(), whole.curvature(*args[:6], lam))
    for channels in ("reaction_channels", "effort_channels", "actuators"):
        assert list(getattr(shaped, channels)) == list(getattr(whole, channels))
    _close(shaped.reactions(*args, lam)[0], whole.reactions(*args, lam)[0])
    units = {(k, j): x for j, unit in enumerate(whole.actuators.values()) for k, x in unit.items()}
    U = whole.load_matrices("units", {"U": Sparse((whole.nv, len(whole.actuators)), units)})
    _close(shaped.actuator_units(*args), U(*args)[0])


@pytest.mark.parametrize(
    "add",
    [
        lambda m, j: lw.Force("more", m["b"].angle, lambda s: 1.0 if s > 0 else 2.0),
        lambda m, j: lw.Friction("more", j, mu=0.2, radius=0.01),
        lambda m, j: lw.Stop("more", j.angle, lower=-1.0, restitution=0.5),
    ],
)
def test_what_has_no_shape_is_refused(add):
    """Laws in plain Python, friction, impacts: such a machine is taken as a whole."""
    m = lw.PlanarModel("more")
    joint = m.add(lw.Revolute("j", m.ground.at(0, 0), m.body("b", mass=1, inertia=1).at(0, 0)))
    m.add(add(m, joint))
    assert ShapedMechanics(m).lacks == "more"
