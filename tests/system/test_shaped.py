"""Large machines evaluated shape by shape: the same numbers as of the machine traced as a whole, element by element."""

import numpy as np
import pytest
from looped_machines import SPATIAL, add_body, curves, spatial_joint, state, turned

import linkwright as lw
from linkwright.system import System
from linkwright.system.shaped import ShapedSystem

# Both sides round differently, some ten operations deep, on numbers of size one to ten.
TOLERANCE = 1e-12


def _close(mine, theirs):
    assert mine.shape == theirs.shape
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=TOLERANCE * (1 + np.abs(theirs).max(initial=0.0)))


def _dense(s, entries):
    J = np.zeros((len(s.rows), s.nv))
    J[s.pattern] = entries
    return J


def agree(m, t=0.3, seed=0):
    rng = np.random.default_rng(seed)
    whole, shaped = System(m), ShapedSystem(m)
    assert shaped.row_names == whole.row_names
    assert [(r.element, r.driver, r.phase) for r in shaped.rows] == [(r.element, r.driver, r.phase) for r in whole.rows]
    assert shaped.turn_names == whole.turn_names
    assert (list(shaped.phases), list(shaped.senses)) == (list(whole.phases), list(whole.senses))
    np.testing.assert_array_equal(shaped.estimate(shaped.model), whole.estimate(whole.model))
    q, v = state(m, rng)
    b = whole.b(whole.model, {name: rng.normal() for name in whole.phases})
    args = (q, v, np.array([t]), b, rng.normal(size=len(whole.turn_names)), 0.1 * rng.normal(size=whole.nv))
    (Phi, J), (Phi_w, J_w) = shaped.position(*args), whole.position(*args)
    _close(Phi, Phi_w)
    _close(_dense(shaped, J), _dense(whole, J_w))
    f = whole.function("the rest", nu=whole.nu, gamma=whole.gamma, retracted=whole.coordinates.retracted(whole.inputs["d"]),
                       turns=[angle for _, angle in whole.geometry.turns.values()],
                       phases=[p.value for p in whole.phases.values()], senses=list(whole.senses.values()))  # fmt: skip
    mine = [x for name in ("velocity", "acceleration", "retract", "turned") for x in getattr(shaped, name)(*args)]
    for own, theirs in zip(mine, f(*args), strict=True):
        _close(own, theirs)
    return shaped, whole, args


def test_all_joints_of_space():
    rng = np.random.default_rng(2)
    m = lw.SpatialModel("all joints")
    bodies = [m.ground, *[add_body(m, k, rng) for k in range(6)]]
    for k, kind in enumerate([*SPATIAL, *SPATIAL, "Screw", "Distance", "RevoluteSpherical", "RevoluteRevolute"]):
        i, j = rng.choice(len(bodies), 2, replace=False)
        ends = [bodies[x].at(*rng.normal(size=3), rotation=turned(rng)) for x in (i, j)]
        m.add(spatial_joint(kind, f"e{k}", *ends))
    m.add(lw.Driver("motor", m["e0"].angle, "0.3*sin(2*t)"))
    m.add(lw.Coupler("coupled", [(m["e0"].angle, 2.0), (m[f"e{len(SPATIAL)}"].angle, -1.0)]))
    shaped, whole, args = agree(m)
    names, values, (i, j, slopes) = shaped.joint_coordinates(*args)
    resolved = whole.resolve([m.elements[n.split(".")[0]].coordinate(n.split(".")[1]) for n in names])
    f = whole.function("coordinates", x=resolved, J=whole.coordinates.jacobian(resolved).dense())
    _close(values, f(*args)[0])
    J = np.zeros((len(names), whole.nv))
    J[i, j] = slopes
    _close(J, f(*args)[1])


@pytest.mark.parametrize("dimension", [2, 3])
def test_curves(dimension):
    m = curves(dimension)
    shaped, whole, args = agree(m)
    grid = np.linspace(0, 1, 5)
    batch = np.repeat(args[0][:, None], 5, axis=1)
    batch[-1] = grid
    name = list(m.elements)[-2].replace("law", "pin")
    for mine, theirs in zip(shaped.own_rows(name, batch, *args[1:]), whole.own_rows(name, batch, *args[1:]), strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            _close(mine, theirs)


def test_the_plane_with_parameters_that_change():
    rng = np.random.default_rng(3)
    m = lw.PlanarModel("plane")
    length = m.parameter("length", 0.7)
    bodies = [m.ground, *[add_body(m, k, rng) for k in range(5)]]
    kinds = [lw.Revolute, lw.Translational, lw.Fixed, lw.Orientation, lw.PointOnLine] * 2
    for k, kind in enumerate(kinds):
        i, j = rng.choice(len(bodies), 2, replace=False)
        P, Q = (bodies[x].at(*rng.normal(size=2), angle=float(rng.normal())) for x in (i, j))
        m.add(kind(f"e{k}", P, Q))
    m.add(lw.Distance("rod", m["b0"].at(0, 0), m["b1"].at(0.1, 0.2), length))
    m.add(lw.Gear("gear", m["b2"].at(0, 0), m["b3"].at(0, 0), radii=(0.2, 0.3)))
    m.add(lw.Driver("motor", m["e0"].angle, "2*t"))
    m.add(lw.Friction("rubbing", m["e0"], mu=0.2, radius=0.01))  # without equations of position
    m.add(lw.Stop("end", m["e5"].angle, lower=-1.0, restitution=0.5))
    shaped, whole, args = agree(m)
    m.set(length=0.9)
    later = (*args[:3], whole.b(whole.model, dict.fromkeys(whole.phases, 0.2)), *args[4:])
    _close(shaped.position(*later)[0], whole.position(*later)[0])


def test_what_has_no_shape_is_refused():
    m = lw.SpatialModel("two vectors")
    b = m.body("b")
    m.add(lw.Driver("turn", lw.angle(m.ground.vector(1, 0, 0), b.vector(1, 0, 0), m.ground.vector(0, 0, 1)), "t"))
    assert ShapedSystem(m).lacks == "turn"


def test_formulas_that_differ_in_their_constants_alone_share_a_shape():
    """Factors and summands are numbers of a member; exponents stay what they are, and so do zeros and ones."""
    m = lw.PlanarModel("drivers")
    for k in range(6):
        arm = m.body(f"arm{k}", position=(k + 2, 0))
        joint = m.add(lw.Revolute(f"J{k}", m.ground.at(k + 2, 0), arm.at(0.1, 0)))
        m.add(lw.Driver(f"D{k}", joint.angle, f"{0.1 + k} + {0.3 + k}*sin({2.5 + k}*t)/{1.7 + k} + t**{2 + k % 2}"))
        m.add(lw.Constraint(f"C{k}", arm.x * (2.5 + k) + lw.cos(arm.angle) ** 2 / (3.0 + k), 0.3))
    shaped, _, _ = agree(m)
    drivers = [s.group for s in shaped.shapes if type(s.group.element) is lw.Driver]
    assert [g.names for g in drivers] == [["D0", "D2", "D4"], ["D1", "D3", "D5"]]
    assert len(shaped.shapes) == 4  # and the joints, the constraints
