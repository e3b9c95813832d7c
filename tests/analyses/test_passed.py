"""Forces that act within a short way: a magnet that a body passes within a millisecond is felt, whatever the steps were."""

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy

SHORT_WAY = 1e-3  # of a force 100 N high, at speeds of 1 m/s in a run of 3 s


def slide(law, space=False):
    """A body of 1 kg at 1 m/s."""
    model, zero = (lw.SpatialModel, (0, 0, 0)) if space else (lw.PlanarModel, (0, 0))
    m = model("slide", gravity=zero)
    b = m.body("b", mass=1.0, inertia=(1, 1, 1) if space else 1.0, velocity=(1, *zero[1:]))
    frame = {"rotation": ((0, 1, 0), math.pi / 2)} if space else {"angle": 0}
    m.add(lw.Translational("rail", m.ground.at(*zero, **frame), b.at(*zero, **frame)))
    m.add(lw.Force("magnet", b.x, law))
    return m


def bump(exp, most):
    return lambda s, v, t: -100.0 * exp(-most(((s - 0.5031) / SHORT_WAY) ** 2))


TRACED = bump(lw.exp, lambda x: x)
PLAIN = bump(math.exp, lambda x: min(x, 700.0))
# its work is the integral of the force: 100 w sqrt(pi)
SLOWED = math.sqrt(1 - 2 * 100 * SHORT_WAY * math.sqrt(math.pi))


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("how", [{}, {"method": "radau"}, {"method": "adams"}, {"formulation": "joint"}], ids=str)
def test_a_magnet_is_felt(how, space):
    """To the tolerance of 1e-8 over the steps that pass it."""
    d = lw.dynamics(slide(TRACED, space), t_end=3.0, steps=2, **how)
    assert d["b.vx"][-1] == pytest.approx(SLOWED, rel=1e-6)
    assert "magnet changes within" in d.audit.why
    assert "which longer ones passed over" in d.audit.why


def test_a_magnet_is_felt_by_methods_of_order_two():
    d = lw.dynamics(slide(TRACED), t_end=3.0, steps=2, method="generalized-alpha")
    assert d["b.vx"][-1] == pytest.approx(SLOWED, rel=2e-4)  # of their tolerance of 1e-5, over twenty steps


def test_a_magnet_is_felt_by_a_large_machine(monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    d = lw.dynamics(slide(TRACED), t_end=3.0, steps=2)
    assert d["b.vx"][-1] == pytest.approx(SLOWED, rel=1e-6)
    assert "which longer ones passed over" in d.audit.why


def test_a_magnet_between_two_points_is_felt():
    """A spring whose actuator pulls within a short way: its length is the way."""
    m = lw.PlanarModel("pulled")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1, 0), velocity=(1, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Spring("magnet", m.ground.at(0, 0), b.at(0, 0), force=lambda x, v, t: -TRACED(x - 1, v, t)))
    d = lw.dynamics(m, t_end=3.0, steps=2)
    assert d["b.vx"][-1] == pytest.approx(SLOWED, rel=1e-6)


@pytest.mark.filterwarnings("ignore:the law of magnet cannot be traced")
@pytest.mark.parametrize(
    ("law", "after", "method", "rel"),
    [
        (PLAIN, SLOWED, "auto", 1e-6),
        # constant over a millimetre, or a millisecond: jumps that are not located are known to the tolerance all the same
        (lambda s, v, t: -100.0 if 0.503 < s < 0.504 else 0.0, math.sqrt(0.8), "adams", 1e-5),
        (lambda s, v, t: -100.0 if 0.503 < t < 0.504 else 0.0, 0.9, "adams", 1e-5),
    ],
    ids=["magnet", "place", "time"],
)
def test_plain_python_is_asked_along_the_motion(law, after, method, rel):
    d = lw.dynamics(slide(law), t_end=1.0, steps=2, method=method, rtol=1e-7)
    assert d["b.vx"][-1] == pytest.approx(after, rel=rel)
    assert "which longer ones passed over" in d.audit.why


def swing(**more):
    """A pendulum that passes a magnet at its lowest place again and again."""
    m = lw.PlanarModel("swing", gravity=(0, -9.81))
    b = m.body("b", mass=1.0, inertia=0.1, position=(1, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-1, 0)))
    m.add(lw.Force("magnet", pin.angle, lambda a, v, t: -20.0 * v * lw.exp(-(((a + math.pi / 2) / 2e-3) ** 2))))
    return lw.dynamics(m, t_end=8.0, steps=8, **more)


def test_a_magnet_that_is_passed_again_and_again():
    """Against steps that cannot pass over it."""
    d, e = swing(), swing(max_step=1e-3)
    assert d["A.omega"] == pytest.approx(e["A.omega"], abs=1e-5)


@pytest.mark.parametrize(
    "law",
    [
        lambda s, v, t: -4.0 * s - 0.1 * v,
        lambda s, v, t: lw.exp(-s),  # all along
        lambda s, v, t: -lw.tanh(v / 0.1),
        lambda s, v, t: lw.where(s > 0.5, lw.where(s < 0.501, -100.0, 0.0), 0.0),  # conditions are events
        lambda s, v, t: lw.where(s > 0.9, -1e6 * (s - 0.9), 0.0),  # and so is the start of a contact
    ],
)
def test_other_laws_are_integrated_once(law):
    d = lw.dynamics(slide(law), t_end=2.0, steps=2)
    assert "passed over" not in d.audit.why


def test_what_steps_have_met_is_left_as_it_is():
    """The stretch around is integrated again, and ends where it did."""
    d = lw.dynamics(slide(TRACED), t_end=3.0, steps=2, max_step=1e-2)
    assert d["b.vx"][-1] == pytest.approx(SLOWED, rel=1e-6)
    assert np.abs(d.energy.balance).max() < 1e-6
