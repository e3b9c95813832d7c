"""Velocity constraints that can be integrated, some or all, in small machines and beside many bodies: free positions counted
by `check` against the theorem of Frobenius on dense matrices, and against growth vectors that are known."""

import numpy as np
import pytest

import linkwright as lw
from frobenius import can_be_integrated


def circle(m):
    """x xdot + y ydot = 0: one position, as one velocity."""
    b = m.body("b", 1.0, 1.0, position=(1, 0.3))
    m.add(lw.Constraint("round", b.x * b.vx + b.y * b.vy))


def blade(m, name="b", at=(0, 0)):
    b = m.body(name, 1.0, 1.0, position=at)
    m.add(lw.Constraint(f"edge of {name}", -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy))
    return b


def turning_edge(m):
    """A blade that turns as time goes by: at each time it leaves one direction, over time both."""
    m.body("b", 1.0, 1.0)
    m.add(lw.Constraint("edge", "-sin(t)*b.vx + cos(t)*b.vy"))


def circle_beside_blade(m):
    circle(m)
    blade(m, "c")


def geared_to_blade(m):
    """One that can be integrated and one that cannot, of bodies that a joint connects."""
    b, c = blade(m), m.body("c", 1.0, 1.0, position=(0.1, 0.2))
    m.add(lw.Revolute("A", b.at(0.3, 0.1), c.at(0, 0)))
    m.add(lw.Constraint("turns", c.omega + 2 * b.omega))


def two_wheels(m):
    """Of a cart with two driven wheels neither can be integrated, their difference is the turn of the cart."""
    b = blade(m)
    c, s = lw.cos(b.angle), lw.sin(b.angle)
    for name, side in (("left", 0.3), ("right", -0.3)):
        w = m.body(name, 1.0, 1.0)
        m.add(lw.Revolute(f"axle {name}", b.at(0, 0), w.at(0, 0)))
        m.add(lw.Constraint(f"roll {name}", c * b.vx + s * b.vy - side * b.omega + 0.1 * w.omega))


def trailers(m):
    """A car with two trailers goes everywhere: (2, 3, 4, 5) (Jean, The car with n trailers, 1996)."""
    last = blade(m)
    for k in (1, 2):
        b = blade(m, f"b{k}", (-k, 0))
        m.add(lw.Revolute(f"A{k}", last.at(0, 0), b.at(1, 0)))
        last = b


def ball(m):
    b = m.body("b", 1.0, (1, 1, 1), position=(0, 0, 0.5))
    m.add(lw.Rolling("floor", b.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5, ball=True))
    return b


def straight_ball(m):
    b, along_y = ball(m), ((1, 0, 0), -np.pi / 2)
    m.add(lw.ParallelAxes("straight", m.ground.at(0, 0, 0, rotation=along_y), b.at(0, 0, 0, rotation=along_y)))


def cart_in_space(m, driven=False):
    b = m.body("b", 1.0, (1, 1, 1), position=(0, 0, 0.5))
    m.add(lw.Planar("level", m.ground.at(0, 0, 0.5), b.at(0, 0, 0)))
    across = ((1, 0, 0), np.pi / 2)
    for name, side in (("left", 0.3), ("right", -0.3)):
        w = m.body(name, 1.0, (1, 1, 2), position=(0, side, 0.5), orientation=across)
        axle = m.add(lw.Revolute(f"axle {name}", b.at(0, side, 0, rotation=across), w.at(0, 0, 0)))
        m.add(lw.Rolling(f"roll {name}", w.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
        if driven and side > 0:
            m.add(lw.Driver("drive", axle.angle, "sin(3*t)"))


def driven_cart(m):
    cart_in_space(m, driven=True)


KNOWN = {
    circle: (2, 2), blade: (2, 3), turning_edge: (2, 3), circle_beside_blade: (4, 5), geared_to_blade: (2, 3),
    two_wheels: (2, 4), trailers: (2, 5), ball: (3, 5), straight_ball: (1, 1), cart_in_space: (2, 4), driven_cart: (1, 3),
}  # fmt: skip
SPATIAL = (ball, straight_ball, cart_in_space, driven_cart)


def machine(build, further=0):
    """Beside so many bodies on pins of their own, each with one freedom."""
    m = (lw.SpatialModel if build in SPATIAL else lw.PlanarModel)("m")
    build(m)
    for k in range(further):
        place, spin = ((10 + k, 0, 5), (1, 1, 1)) if build in SPATIAL else ((10 + k, 0), 1.0)
        b = m.body(f"far{k}", 1.0, spin, position=place)
        m.add(lw.Revolute(f"pin{k}", m.ground.at(*place), b.at(*(0 * np.array(place)))))
    return m


@pytest.mark.parametrize(
    ("build", "further"),
    [*((f, n) for f in KNOWN for n in (0, 60)), *((f, 300) for f in (circle, blade, two_wheels, straight_ball))],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_free_positions_are_counted_beside_any_number_of_bodies(build, further):
    """Beyond 600 speeds, or 20 freedoms, all velocity constraints were held for such that cannot be integrated; where one
    could not be, none was."""
    report = lw.check(machine(build, further))
    assert (report.ok, report.dof - further, report.position_dof - further) == (True, *KNOWN[build])


@pytest.mark.parametrize("links", [5, 300])
def test_constraints_at_the_end_of_a_chain(links):
    """What they allow goes through all joints: a blade, and a turn against the link before."""
    m = lw.PlanarModel("chain")
    tip = m.ground.at(0, 0)
    for k in range(links):
        b = m.body(f"b{k}", 1.0, 1.0, position=(k + 0.5, 0))
        m.add(lw.Revolute(f"A{k}", tip, b.at(-0.5, 0)))
        tip, last = b.at(0.5, 0), tip.body
    m.add(lw.Constraint("edge", -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy))
    m.add(lw.Constraint("turns", b.omega + 2 * last.omega))
    report = lw.check(m)
    assert (report.dof, report.position_dof) == (links - 2, links - 1)


def drawn(rng, space, held):
    """Two bodies on a rod, with two constraints on velocities: `held` of them rates of functions, times a factor, the others
    combinations of velocities by chance."""
    m = (lw.SpatialModel if space else lw.PlanarModel)("drawn")
    at = rng.normal(size=(2, 3 if space else 2))
    a, b = (
        m.body(
            n, 1.0, (1, 1, 1) if space else 1.0, position=x, **({"orientation": (rng.normal(size=3), 1.0)} if space else {})
        )
        for n, x in zip("ab", at, strict=True)
    )
    points = [x.at(*rng.normal(size=at.shape[1])) for x in (a, b)]
    m.add(lw.Distance("rod", *points, length=float(rng.uniform(0.5, 1.5))))
    places = [lw.component(P, c) for P in points for c in "xyz"[: at.shape[1]]]
    rates = [lw.component(P, f"v{c}") for P in points for c in "xyz"[: at.shape[1]]]

    if not space:
        places, rates = [a.angle, b.angle, *places], [a.omega, b.omega, *rates]

    def function():
        x, (c, d) = rng.permutation(len(places)), rng.normal(size=(2, 4))
        return sum(float(c[k]) * places[x[k]] * (1 + float(d[k]) * places[x[k - 1]]) for k in range(4))

    for k in range(2):
        factor = lw.exp(0.3 * function())
        if k < held:
            m.add(lw.Constraint(f"held{k}", factor * lw.rate(function())))
        else:
            m.add(lw.Constraint(f"free{k}", sum(function() * v for v in rates)))
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("held", [2, 1, 0])
@pytest.mark.parametrize("seed", range(3))
def test_drawn_constraints(space, held, seed):
    """Against the theorem on dense matrices; each rate of a function holds a position more, combinations by chance none."""
    m = drawn(np.random.default_rng(seed), space, held)
    report = lw.check(m)
    assert can_be_integrated(m) == (held == 2) == (report.position_dof == report.dof)
    assert report.position_dof - report.dof == 2 - held
