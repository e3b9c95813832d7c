"""Shapes that touch: their gaps against the definition, and machines with known answers."""

from itertools import product

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.errors import ModelError
from linkwright.graph import evaluate
from linkwright.model.files import dumps, loads
from linkwright.system.touch import count_pairs, pairs

G = 9.81
HOLLOW = [(0, 0), (0.5, 0), (0.5, 0.5), (0.3, 0.1), (0, 0.4)]  # one hollow corner
SHAPES = {
    2: {
        "circle": {"circle": 0.1, "at": (0.05, 0)},
        "box": {"box": (0.4, 0.2), "angle": 0.3},
        "rounded": {"box": (0.4, 0.2), "radius": 0.05, "at": (0.1, 0)},
        "polygon": {"polygon": [(0, 0), (0.3, 0.1), (0, 0.4)]},
        "capsule": {"capsule": (0.3, 0.05), "angle": 1.0},
        "segment": {"segment": [(-0.2, 0), (0.2, 0.1)], "radius": 0.02},
        "hollow": {"polygon": HOLLOW, "radius": 0.01},
    },
    3: {
        "sphere": {"sphere": 0.1, "at": (0.05, 0, 0)},
        "box": {"box": (0.4, 0.2, 0.3)},
        "capsule": {"capsule": (0.3, 0.05), "axis": (1, 1, 0)},
    },
}


def pair(n, one, other, pose, **more):
    """Two bodies with these shapes, the second at a pose."""
    m = lw.PlanarModel("pair") if n == 2 else lw.SpatialModel("pair")
    J = 0.1 if n == 2 else (0.1,) * 3
    a, b = m.body("a", 1.0, J), m.body("b", 1.0, J)
    place, turn = pose
    b.guess(position=place, **({"angle": turn} if n == 2 else {"orientation": turn}))
    m.add(lw.Contact("c", a.surface(SHAPES[n][one]), b.surface(SHAPES[n][other]), **(more or {"restitution": 0.5})))
    return m


def cloud(n, shape):
    """Many points of the surface of a shape, in its body's axes, and its radius."""
    at = np.array(shape.get("at", (0.0,) * n))
    radius = shape.get("radius", 0.0)
    c, s = np.cos(shape.get("angle", 0.0)), np.sin(shape.get("angle", 0.0))
    A = np.array([[c, -s], [s, c]]) if n == 2 else np.eye(3)
    if "circle" in shape or "sphere" in shape:
        return at[None], radius + shape.get("circle", shape.get("sphere"))
    line = np.linspace(0, 1, 200)[:, None]
    if "capsule" in shape:
        length, r = shape["capsule"]
        axis = np.array(shape.get("axis", (1.0, 0.0)))
        return at + (line - 0.5) * length * (axis / np.linalg.norm(axis)) @ A.T, radius + r
    if "box" in shape and n == 3:
        x = np.linspace(-0.5, 0.5, 15)
        grid = np.array([p for p in product(x, x, x) if max(np.abs(p)) > 0.499])
        return at + grid * shape["box"], radius
    if "box" in shape:
        corners = 0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * shape["box"]
    else:
        corners = np.array(shape.get("polygon", shape.get("segment")))
    ends = np.roll(corners, -1, axis=0) if "segment" not in shape else corners[[1, 0]]
    return at + np.vstack([a + line * (b - a) for a, b in zip(corners, ends, strict=True)]) @ A.T, radius


def nearest(n, one, other, poses):
    """The least distance of points of both, less the radii."""
    found = []
    for shape, (place, A) in zip((one, other), poses, strict=True):
        own, r = cloud(n, SHAPES[n][shape])
        found.append((own @ A.T + place, r))
    (p, r), (s, t) = found
    return np.linalg.norm(s[:, None] - p[None], axis=2).min() - r - t


def poses(n, rng):
    if n == 2:
        phi = rng.uniform(-np.pi, np.pi)
        return (np.add(rng.uniform(-1, 1, 2), (1.2, 0)), phi), np.array(
            [[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]]
        )
    axis, phi = rng.normal(size=3), rng.uniform(0, np.pi)
    axis /= np.linalg.norm(axis)
    K = np.cross(np.eye(3), axis)
    A = np.eye(3) + np.sin(phi) * K + (1 - np.cos(phi)) * K @ K
    return (np.add(rng.uniform(-0.5, 0.5, 3), (1.0, 0, 0)), (tuple(axis), phi)), A


CORNERED = {(3, "box", "box"), (3, "box", "capsule"), (3, "capsule", "box")}  # edges that cross are not seen
PAIRS = [(n, a, b) for n in (2, 3) for a in SHAPES[n] for b in SHAPES[n] if (n, a, b) not in CORNERED]


def gaps_of(m):
    """Gaps and normals of the contact as a function of coordinates, by numpy: compiling all pairs would take long."""
    machine = Machine(m)
    found = pairs(machine.system.geometry, m["c"])
    values = [x for p in found for x in (p.gap, *p.normal)]

    def at(q):
        own = dict(zip(machine.system.inputs["q"], q, strict=True))
        return np.array(evaluate(values, own), dtype=float).reshape(len(found), -1)

    return at


@pytest.mark.parametrize(("n", "one", "other"), PAIRS)
def test_the_gap_is_the_distance_of_the_surfaces(n, one, other):
    """The least of a contact's gaps; along its normal, by which the first body moves, it grows by as much."""
    rng = np.random.default_rng(len(one) + 7 * len(other))
    m = pair(n, one, other, poses(n, rng)[0])
    gaps = gaps_of(m)
    for _ in range(3):
        pose, A = poses(n, rng)
        m["b"].guess(position=pose[0], **{"angle" if n == 2 else "orientation": pose[1]})
        q = Machine(m).estimate()
        found = gaps(q)
        far = nearest(n, one, other, [(np.zeros(n), np.eye(n)), (np.array(pose[0]), A)])
        if far < 0.02:
            continue
        assert found[:, 0].min() == pytest.approx(far, abs=2e-3)  # points of edges are 2 mm apart, those of faces 3 cm
        k, h = int(np.argmin(found[:, 0])), 1e-6
        moved = q.copy()
        moved[:n] += h * found[k, 1:]
        assert np.linalg.norm(found[k, 1:]) == pytest.approx(1.0, abs=1e-9)
        assert gaps(moved)[k, 0] - found[k, 0] == pytest.approx(h, rel=1e-4)


def test_corners_of_boxes_in_space_touch_faces():
    """A box above another, tilted: its lowest corner, sqrt of what turns it by 30 degrees about x."""
    m = pair(3, "box", "box", ((0, 0, 0.6), ((1, 0, 0), np.pi / 6)))
    low = 0.6 - 0.1 * np.sin(np.pi / 6) - 0.15 * np.cos(np.pi / 6)
    assert gaps_of(m)(Machine(m).estimate())[:, 0].min() == pytest.approx(
        low - 0.15, abs=1e-6
    )  # the edge that it is next to is rounded by 0.2 mm


# -- motions ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("v", [0.3, 0.9])
def test_a_ball_leaves_the_corner_of_a_table(v):
    """Without friction it goes about the corner at the distance r and leaves where its weight no longer turns it:
    cos = (2 g r + v^2)/(3 g r)."""
    r = 0.1
    m = lw.PlanarModel("table", gravity=(0, -G))
    ball = m.body("ball", 1.0, 0.1, position=(-0.3, 0.1 + r), velocity=(v, 0))
    m.add(lw.Contact("table", ball.surface({"circle": r}), m.ground.surface({"box": (1.0, 0.2)}), restitution=0.0))
    d = lw.dynamics(m, t_eval=[0, 4.0], rtol=1e-10, atol=1e-12)
    [off] = [t for t, n in d.events if n == "table parts"]
    end = lw.dynamics(m, t_eval=[0, off], rtol=1e-10, atol=1e-12)
    cos = (2 * G * r + v**2) / (3 * G * r)
    assert end["ball.y"][-1] - 0.1 == pytest.approx(r * cos, rel=1e-7)
    assert end["ball.x"][-1] - 0.5 == pytest.approx(r * np.sqrt(1 - cos**2), rel=1e-6)


@pytest.mark.parametrize("v", [0.3, 2.0])
def test_a_corner_leaves_the_end_of_a_capsule(v):
    """It slides along the straight part, which then hands it over to the round end: about it as above, or off at once where
    v^2/r is more than g."""
    r = 0.1
    m = lw.PlanarModel("capsule", gravity=(0, -G))
    b = m.body("b", 1.0, 0.1, position=(-0.2, r), velocity=(v, 0))
    m.add(lw.Orientation("upright", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    point = b.surface({"polygon": [(0, 0), (0.2, 0.2), (0.1, 0.2)]})
    m.add(lw.Contact("c", point, m.ground.surface({"capsule": (0.6, r)}), restitution=0.0))
    d = lw.dynamics(m, t_eval=[0, 4.0], rtol=1e-10, atol=1e-12)
    off = max(t for t, n in d.events if n.endswith(" parts"))
    end = lw.dynamics(m, t_eval=[0, off], rtol=1e-10, atol=1e-12)
    cos = min((2 * G * r + v**2) / (3 * G * r), 1.0)
    assert end["b.y"][-1] == pytest.approx(r * cos, rel=1e-7)
    assert end["b.x"][-1] - 0.3 == pytest.approx(r * np.sqrt(1 - cos**2), rel=1e-6, abs=1e-7)
    assert d.audit.energy_error < 1e-9


def test_a_step_over_the_edge_of_a_table_is_projected_onto_the_face_it_began_on():
    """All methods and charts let a loaded ball leave the corner at the same time, with all of its energy: what a step does
    behind the edge, before its event is found, is that of the face, projection included."""
    m = lw.PlanarModel("loaded ball", gravity=(0, -G))
    ball = m.body("ball", 1.0, 0.004, position=(-0.3, 0.3), velocity=(1.2, 0))
    arm = m.body("arm", 0.5, 0.02, position=(-0.3, 0.5))
    m.add(lw.Revolute("pin", arm.at(0, -0.2), ball.at(0, 0)))
    m.add(lw.Contact("table", ball.surface({"circle": 0.1}), m.ground.surface({"box": (1.0, 0.4)}), restitution=0.0))
    left = []
    for how in (
        {"method": "dopri5"},
        {"method": "dop853"},
        {"method": "adams"},
        {"formulation": "joint", "method": "dop853"},
    ):
        d = lw.dynamics(m, t_end=0.8, steps=8, rtol=1e-8, **how)
        assert [name for _, name in d.events] == ["table rests", "table parts"]
        assert d.audit.energy_error < 1e-8  # the tolerance; 1e-4 where the projection took the corner
        left.append(d.events[-1][0])
    assert np.ptp(left) < 1e-7  # the force falls at 10 to 100 times its size a second


def test_a_block_slides_over_the_edge_of_a_table():
    """Its front corner leaves the table, which then touches its face; it tips where its centre passes the edge."""
    m = lw.PlanarModel("off", gravity=(0, -G))
    b = m.body("b", 1.0, 0.02, position=(0.1, 0.1), velocity=(0.5, 0), shape={"box": (0.4, 0.2)})
    m.add(lw.Contact("t", b, m.ground.surface({"box": (1.0, 0.2), "at": (0, -0.1)}), restitution=0.0))
    d = lw.dynamics(m, t_end=1.0, steps=50)
    # the rounding of 0.2 mm begins there: at this speed the corner would have to be pulled along it
    assert [d.events[2][0], d.events[2][1]] == [pytest.approx((0.5 - 2e-4 - 0.3) / 0.5, abs=1e-9), "t.2 parts"]
    flat = d["b.x"] < 0.49  # its centre is not yet above the edge
    assert flat.sum() > 30
    assert np.abs(d["b.angle"][flat]).max() < 0.01  # it hops by a millimetre where corner passes corner
    assert d["b.angle"][-1] < -0.1
    assert d.audit.energy_error < 1e-6


def test_a_ball_in_a_notch_of_a_polygon():
    """The same as between two planes: N0 sin a0 = N1 sin a1, N0 cos a0 + N1 cos a1 = m g."""
    m = lw.PlanarModel("notch", gravity=(0, -G))
    b = m.body("b", 1.0, 0.1, position=(0.1, 1.0))
    notch = [(-2, -0.5), (2, -0.5), (2, 2 * np.tan(0.5)), (0, 0), (-2, 2 * np.tan(0.7))]
    m.add(lw.Contact("v", b.surface({"circle": 0.1}), m.ground.surface({"polygon": notch}), restitution=0.3))
    d = lw.dynamics(m, t_end=2.5, steps=3)
    forces = sorted(d[f"v.force_{k}"][-1] for k in range(1, 6))
    want = sorted([G * np.sin(0.7) / np.sin(1.2), G * np.sin(0.5) / np.sin(1.2)])
    assert forces == pytest.approx([0, 0, 0, *want], abs=1e-7)
    assert d["v.force"][-1] == pytest.approx(sum(want), rel=1e-9)


def test_a_ball_swings_in_a_hollow_circle():
    """Without friction as a pendulum of the length R - r does; pressed by the weight and the centrifugal force."""
    R, r, a = 1.0, 0.2, 0.02
    m = lw.PlanarModel("bowl", gravity=(0, -G))
    b = m.body("b", 1.0, 0.1, position=((R - r) * np.sin(a), -(R - r) * np.cos(a)))
    m.add(lw.Contact("bowl", b.at(0, 0), m.ground.at(0, 0), radii=(r, -R), on="sphere", restitution=0.0))
    T = 2 * np.pi * np.sqrt((R - r) / G) * (1 + a**2 / 16)
    d = lw.dynamics(m, t_eval=[0, T / 4, T / 2, T], rtol=1e-10, atol=1e-12)
    assert d["b.x"] == pytest.approx([(R - r) * np.sin(a) * x for x in (1, 0, -1, 1)], abs=1e-7)
    assert d["bowl.force"][1] == pytest.approx(G * (3 - 2 * np.cos(a)), rel=1e-7)


def test_a_box_stands_on_four_corners_in_space():
    """Dropped flat: it rests after sqrt(2h/g) (1 + e)/(1 - e); forces are not unique, the smallest are told."""
    m = lw.SpatialModel("box", gravity=(0, 0, -G))
    b = m.body("b", lw.shapes.box(0.4, 0.3, 0.2, mass=1.0), position=(0, 0, 0.3), shape={"box": (0.4, 0.3, 0.2)})
    m.add(lw.Contact("floor", b, m.ground.at(0, 0, 0), restitution=0.4))
    d = lw.dynamics(m, t_end=1.0, steps=4)
    rests = [t for t, n in d.events if n.endswith("rests")]
    assert rests == pytest.approx([np.sqrt(0.4 / G) * 1.4 / 0.6] * 4, abs=1e-5)
    assert sorted(d[f"floor.force_{k}"][-1] for k in range(1, 9)) == pytest.approx([0] * 4 + [G / 4] * 4, abs=1e-9)


def test_a_capsule_lies_on_a_plane_and_on_another():
    """Its ends carry the halves of its weight; across another capsule, which is fixed, it stands at the sum of the radii."""
    m = lw.SpatialModel("capsules", gravity=(0, 0, -G))
    b = m.body("b", 1.0, (0.1,) * 3, position=(0, 0, 0.2))
    m.add(lw.Contact("floor", b.surface({"capsule": (0.6, 0.1), "axis": (1, 0, 0)}), m.ground.at(0, 0, 0), restitution=0.0))
    d = lw.dynamics(m, t_end=0.5, steps=4)
    assert [d["floor.force_1"][-1], d["floor.force_2"][-1]] == pytest.approx([G / 2, G / 2], rel=1e-9)
    assert d["b.z"][-1] == pytest.approx(0.1, abs=1e-9)
    m = lw.SpatialModel("crossed", gravity=(0, 0, -G))
    b = m.body("b", 1.0, (0.1,) * 3, position=(0, 0, 0.5))
    log = m.ground.surface({"capsule": (2.0, 0.15), "axis": (0, 1, 0)})
    m.add(lw.Contact("log", b.surface({"capsule": (0.6, 0.1), "axis": (1, 0, 0)}), log, restitution=0.0))
    d = lw.dynamics(m, t_end=0.5, steps=4)
    assert d["b.z"][-1] == pytest.approx(0.25, abs=1e-9)
    assert d["log.force"][-1] == pytest.approx(G, rel=1e-9)


def test_stiff_boxes_press_on_each_other():
    """A box on a fixed one, with a stiffness at each pair: two corners of the upper, two of the lower which is as wide carry
    the weight, each pressed by m g/(4 k)."""
    m = lw.PlanarModel("stack", gravity=(0, -G))
    b = m.body("b", 2.0, 0.1, position=(0.1, 0.39))
    guide = m.add(lw.Translational("guide", m.ground.at(0.1, 0, angle=np.pi / 2), b.at(0, 0, angle=np.pi / 2)))
    assert guide
    m.add(lw.Contact("on", b.surface({"box": (0.6, 0.4)}), m.ground.surface({"box": (0.6, 0.4)}), k=1e4))
    e = lw.equilibrium(m)
    assert e["b.y"] == pytest.approx(0.4 - 2 * G / (2 * 1e4), abs=1e-9)  # one corner of each is beyond the other box


@pytest.mark.parametrize("shift", [0.0, -1e-15, 3e-4, 1e-3])
def test_a_box_stands_on_one_as_wide(shift):
    """Corners above corners, and a little beside them: it stays at its height to rounding and bears on the other with all of
    its weight. It fell through, along the sides."""
    m = lw.PlanarModel("stack", gravity=(0, -G))
    b = m.body("b", 2.0, 0.1, position=(shift, 0.4), shape={"box": (0.6, 0.4)})
    m.add(lw.Contact("on", b, m.ground.surface({"box": (0.6, 0.4)}), restitution=0.0, mu=0.3))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    assert np.abs(d["b.y"] - 0.4).max() < 1e-12
    assert np.abs(d["b.x"] - shift).max() < 1e-12
    assert d["on.force"][-1] == pytest.approx(2 * G, rel=1e-9)


def test_boxes_of_one_size_stack_in_space():
    """Each bears the weight of those above it, dropped and set down."""
    for drop in (0.0, 1e-3):
        m = lw.SpatialModel("stack", gravity=(0, 0, -G))
        below = m.ground.at(0, 0, 0)
        for k in range(2):
            place = (0, 0, 0.1 + 0.2 * k + drop * (k + 1))
            box = m.body(f"b{k}", 1.0, (0.011, 0.017, 0.021), position=place, shape={"box": (0.4, 0.3, 0.2)})
            m.add(lw.Contact(f"c{k}", box, below, restitution=0.0))
            below = box
        d = lw.dynamics(m, t_end=0.1, steps=1)
        assert [d["b0.z"][-1], d["b1.z"][-1]] == pytest.approx([0.1, 0.3], abs=1e-12)
        assert [d["c0.force"][-1], d["c1.force"][-1]] == pytest.approx([2 * G, G], rel=1e-9)


def test_boxes_that_slide_together_run_in_loops():
    """Each set of the 24 corners that may touch would be compiled by itself, for minutes. The lowest slides with all: those
    on it stick at four corners each, and one of many distributions of their forces holds them."""
    m = lw.SpatialModel("sledge", gravity=(4.0, 0, -G))
    below = m.ground.at(0, 0, 0)
    for k, mu in enumerate((0.3, 0.6, 0.6)):
        b = m.body(f"b{k}", 1.0, (0.011, 0.017, 0.021), position=(0, 0, 0.1 + 0.2 * k), shape={"box": (0.4, 0.3, 0.2)})
        m.add(lw.Contact(f"c{k}", b, below, restitution=0.0, mu=mu))
        below = b.at(0, 0, 0.1)
    d = lw.dynamics(m, t_end=0.4, steps=2)
    assert "40 speeds that may stick" in d.audit.why
    far = 0.5 * (4 - 0.3 * G) * 0.16  # to 1e-8: it begins at 3 times the speed of capture
    assert [d[f"b{k}.x"][-1] for k in range(3)] == pytest.approx([far] * 3, abs=1e-8)
    assert {name.split()[-1] for _, name in d.events} == {"rests"}  # none of them slips, at any time


def test_pairs_are_counted_as_they_are_made():
    for n in (2, 3):
        for one, other in product(SHAPES[n], repeat=2):
            if "hollow" not in (one, other):
                m = pair(n, one, other, ((3.0,) * n, 0.0 if n == 2 else ((0, 0, 1), 0.0)))
                assert count_pairs(m["c"]) == len(pairs(Machine(m).system.geometry, m["c"])), (one, other)


@pytest.mark.parametrize("k", [1e3, 1e5])
def test_soft_boxes_of_one_size_bear_on_each_other(k):
    """Two corners of each press: m g/(4 k), whether that is more or less than what corners are rounded by, 0.4 mm."""
    m = lw.PlanarModel("stack", gravity=(0, -G))
    b = m.body("b", 2.0, 0.1, position=(0, 0.4), shape={"box": (0.6, 0.4)})
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=np.pi / 2), b.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Contact("on", b, m.ground.surface({"box": (0.6, 0.4)}), k=k))
    e = lw.equilibrium(m)
    assert e["b.y"] == pytest.approx(0.4 - 2 * G / (4 * k), abs=1e-9)


@pytest.mark.parametrize(
    ("n", "one", "other"), [(2, "rounded", "rounded"), (2, "rounded", "capsule"), (3, "box", "capsule")]
)
def test_it_does_not_matter_which_end_of_a_contact_is_told_first(n, one, other):
    """Corners on corners, pressed together by a good part of their radii: the same motion, 1e-9 beside rtol 1e-11."""

    def met(swapped):
        m, J = (lw.PlanarModel("met"), 0.1) if n == 2 else (lw.SpatialModel("met"), (0.1, 0.12, 0.08))
        place, turn = ((-0.5, -0.25), {"angle": 0.2}) if n == 2 else ((-0.37, -0.24, -0.25), {})
        b = m.body("b", 1.0, J, position=place, velocity=(1.0, 0.6, 0.5)[:n], **turn)
        box = {**SHAPES[n][one], "radius": 0.05, "at": (0, 0, 0)[:n]}
        upper, lower = b.surface(box), m.ground.surface(SHAPES[n][other])
        m.add(lw.Contact("c", *((upper, lower) if swapped else (lower, upper)), k=3e3))
        return lw.dynamics(m, t_end=0.4, steps=40, rtol=1e-11)

    d, again = met(False), met(True)
    assert d["c.force"].max() > 20
    for name in (c for c in d.channels if c.startswith("b.")):
        assert again[name] == pytest.approx(d[name], abs=1e-9 * (1 + np.abs(d[name]).max())), name


def test_many_boxes_in_loops():
    """Sixty boxes on springy corners, each as one alone."""

    def boxes(count):
        m = lw.PlanarModel("boxes", gravity=(0, -G))
        for k in range(count):
            b = m.body(f"b{k}", 1.0, 0.02, position=(2.0 * k, 0.3), angle=0.3)
            m.add(lw.Contact(f"c{k}", b.surface({"box": (0.4, 0.2)}), m.ground.at(0, 0, angle=0), k=2e3, c=5.0))
        return lw.dynamics(m, t_end=0.5, steps=5, rtol=1e-9)

    one, many = boxes(1), boxes(60)
    for channel in ("y", "angle"):
        assert many[f"b31.{channel}"] == pytest.approx(one[f"b0.{channel}"], abs=1e-6)
    assert many["c31.force"] == pytest.approx(one["c0.force"], abs=1e-3)


@pytest.mark.parametrize("height", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("part", [1e-3, 1e-2, 0.1])
def test_small_balls_do_not_fall_through_each_other(height, part):
    """Within a single long step they would: the first impact is at sqrt(2 (h - 2 r)/g)."""
    r = part * height
    m = lw.PlanarModel("fall", gravity=(0, -G))
    b = m.body("b", 1.0, 0.1, position=(0, height))
    m.add(lw.Contact("hit", b.surface({"circle": r}), m.ground.surface({"circle": r}), restitution=0.5))
    first = np.sqrt(2 * (height - 2 * r) / G)
    d = lw.dynamics(m, t_end=1.5 * first, steps=2)
    assert d.events[0] == (pytest.approx(first, abs=1e-7 * first), "hit")


# -- bad input -------------------------------------------------------------------------------------------------------------


def one_body():
    m = lw.PlanarModel("m", gravity=(0, -G))
    return m, m.body("b", 1.0, 0.1, position=(0.2, 0.2))


def test_what_is_no_shape_is_told():
    m, b = one_body()
    for given, said in (
        ({"cylinder": (1, 1)}, "does not know the shape"),
        ({"circle": -1}, "the radius of a circle is -1"),
        ({"circle": 0.1, "raduis": 0.2}, "has no 'raduis'"),
        ({"polygon": [(0, 0), (1, 1)]}, "three corners or more"),
        ({"polygon": [(0, 0), (1, 1), (2, 2)]}, "lie on a line"),
        ({"polygon": [(0, 0), (1, 1), (1, 0), (0, 1)]}, "crosses itself"),
        ({"segment": [(1, 1), (1, 1)]}, "are the same"),
        ({"box": (1, 1), "radius": -0.1}, "radius is negative"),
        ({"box": (1, "x")}, "x"),
        ([], "no shape"),
        (3, "does not know the shape"),
    ):
        with pytest.raises(ModelError, match=said) as caught:
            b.surface(given)
        assert caught.value.element == ("b",)
    with pytest.raises(ModelError, match="no shape of its own"):
        lw.Contact("c", b, m.ground.at(0, 0, angle=0))


def test_sharp_corners_on_what_has_no_inside_are_refused():
    m, b = one_body()
    hollow, box = {"polygon": HOLLOW}, {"box": (0.1, 0.1), "at": (3, 3)}
    with pytest.raises(ModelError, match="nothing says on which side") as caught:
        m.add(lw.Contact("c", b.surface(box), m.ground.surface(hollow), restitution=0.5))
    assert "radius" in caught.value.remedy
    m.add(lw.Contact("c", b.surface({**box, "radius": 0.01}), m.ground.surface(hollow), restitution=0.5))


def test_a_polygon_whose_corners_turn_hollow_by_a_parameter():
    m, b = one_body()
    h = m.parameter("h", 1.0)
    m.add(
        lw.Contact("c", b.surface({"polygon": [(0, 0), (1, 0), (0.5, h), (0.4, 0.5)]}), m.ground.at(0, -1, angle=0), k=1.0)
    )
    with pytest.raises(ModelError, match="other hollow corners"):
        m.set(h=0.1)


@pytest.mark.parametrize("where", [(0.2, 0.05), (0.2, -0.05)])
@pytest.mark.parametrize("shape", [{"box": (1, 0.2)}, {"polygon": [(-1, -1), (1, -1), (1, 0.1), (0.9, 0), (-1, 0.1)]}])
def test_bodies_that_begin_within_each_other(where, shape):
    """Found by `check`, refused by `dynamics`: at the edge, and where the centre is inside."""
    m, b = one_body()
    b.guess(position=where)
    m.add(lw.Contact("c", b.surface({"circle": 0.1}), m.ground.surface(shape), restitution=0.5))
    [found] = [f for f in lw.check(m).findings if f.code == "overlap"]
    assert found.elements == ("c",)
    assert not lw.check(m).ok
    with pytest.raises(lw.IntegrationError, match="the bodies of c are within each other") as caught:
        lw.dynamics(m, t_end=1.0, steps=2)
    assert caught.value.element == ("c",)
    b.guess(position=(0.2, 0.5))
    assert lw.check(m).ok


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("own", [False, True])
def test_files_keep_shapes(n, own):
    m = lw.PlanarModel("m") if n == 2 else lw.SpatialModel("m")
    r = m.parameter("r", 0.1)
    a, b = m.body("a"), m.body("b", position=(3.0,) * n)
    for k, (name, shape) in enumerate(SHAPES[n].items()):
        given = {**shape, "radius": r + 0.1}
        if own:
            b.shape = given
        m.add(lw.Contact(f"c{k}", a.surface(given), b if own else b.surface([given, given]), k=1.0))
        assert name
        if own:
            break
    again = loads(dumps(m))
    assert again == m
    assert dumps(again) == dumps(m)


def test_planar_shapes_in_space():
    m, b = one_body()
    m.add(lw.Contact("c", b.surface([{"circle": 0.1}, {"capsule": (0.2, 0.1)}]), m.ground.at(0, 0, angle=0), k=1e3))
    b.guess(position=(0.2, 0.05))
    plane, space = lw.dynamics(m, t_end=0.2, steps=3), lw.dynamics(lw.embed(m), t_end=0.2, steps=3)
    assert space["b.y"] == pytest.approx(plane["b.y"], abs=1e-7)
    m.add(lw.Contact("d", b.surface({"box": (0.2, 0.1)}), m.ground.at(0, 0, angle=0), k=1e3))
    with pytest.raises(ModelError, match="a box that touches"):
        lw.embed(m)
