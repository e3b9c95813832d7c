"""Simulations in loops over elements against those of the machine compiled as a whole, and of a thousand bodies."""

import time
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.dynamics.looped import simulate as looped
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.times import Times
from looped_runs import agree, chain, rope, simulated, span


def test_spatial_chain_with_a_motor_and_springs():
    """Driver, damper, torsion spring and point force beside the joints; the driven angle starts past a turn."""
    m = chain(5)
    first = m.elements["J0"]
    m.add(lw.Driver("motor", first.angle, "2*pi + 3*t"))
    m.add(lw.TorsionSpring("coil", m.elements["J2"], k=5.0, c=0.3))
    m.add(lw.Spring("strut", m.ground.at(0, 0, 1), m["b3"].at(0, 0, 0.1), k=50.0, length=3.0, c=1.0))
    m.add(lw.PointForce("wind", m["b4"].at(0.2, 0, 0), (0, "3*t", 1.0)))
    _, found = agree(m, 0.2, 1e-9)
    assert found["J0.angle"][0] == pytest.approx(2 * np.pi, abs=1e-9)
    assert found["b4.y"] == pytest.approx(found[m["b4"].y + 0 * m["b3"].x], abs=1e-12)  # any quantity on request


def test_planar_loops():
    """A tower of parallelograms that falls over; the speed of one body is given, those of all others follow."""
    m = lw.PlanarModel("tower", gravity=(0, -9.81))
    left, right, x, y = m.ground.at(0, 0), m.ground.at(1, 0), 0.0, 0.0
    for k in range(3):
        place = {"mass": 1.0 + k, "inertia": 0.1}
        ex, ey, turn = 0.5 * np.sin(0.2), 0.5 * np.cos(0.2), -0.2
        a = m.body(f"a{k}", position=(x + ex, y + ey), angle=turn, omega=-1.5 * (k == 0), **place)
        c = m.body(f"c{k}", position=(x + 1 + ex, y + ey), angle=turn, **place)
        x, y = x + 2 * ex, y + 2 * ey
        r = m.body(f"r{k}", position=(x + 0.5, y), **place)
        m.add(lw.Revolute(f"A{k}", left, a.at(0, -0.5)))
        m.add(lw.Revolute(f"C{k}", right, c.at(0, -0.5)))
        m.add(lw.Revolute(f"B{k}", a.at(0, 0.5), r.at(-0.5, 0)))
        m.add(lw.Revolute(f"D{k}", c.at(0, 0.5), r.at(0.5, 0)))
        left, right = r.at(-0.5, 0), r.at(0.5, 0)
    whole, found = agree(m, 0.3, 1e-9)
    assert found["a0.omega"][0] == pytest.approx(-1.5, abs=1e-12)
    assert found["a2.omega"][0] == pytest.approx(whole["a2.omega"][0], abs=1e-11)


def test_accelerations_and_reactions_at_one_state():
    """Loops and straight-line code at the same state: 1e-10, nothing but rounding between them."""
    m = chain(9)
    whole, found = (
        lw.dynamics(m, 0.0, 0, t_eval=[0.0]),
        simulated(m, Options(Times.of(None, None, 0.0, [0.0]))),
    )
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < 1e-10 * (1 + np.abs(whole[name]).max()), name


def test_a_thousand_bodies_out_of_the_box():
    """Built, compiled and run within seconds of the processor; energy kept; a free tip falls, the root's hinge holds.

    At rest and stretched out, the total of all bodies' momentum changes by weight and the first hinge's reaction alone."""
    m = chain(1000)
    start = time.process_time()
    d = lw.dynamics(m, 0.02, 2)
    assert time.process_time() - start < 20.0
    assert "compiled in loops over 1000 bodies" in d.audit.why
    assert d.audit.energy_error < 1e-9
    masses = np.array([1 + 0.1 * (k % 3) for k in range(1000)])
    for axis, gravity in zip("xyz", (0, 0, -9.81), strict=True):
        rate = masses @ np.array([d[f"b{k}.a{axis}"][-1] for k in range(1000)])
        held = d[f"J0.f{axis}"][-1]
        assert rate == pytest.approx(masses.sum() * gravity + held, abs=1e-8 * masses.sum() * 9.81)


def test_estimates_that_do_not_close_are_laid_out_along_the_tree():
    """All bodies at one place: Newton fails from there, and the joints tell where bodies must be."""
    m = lw.PlanarModel("heap", gravity=(0, -9.81))
    end = m.ground.at(0, 0)
    for k in range(60):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        m.add(lw.Revolute(f"J{k}", end, b.at(-0.5, 0)))
        end = b.at(0.5, 0)
    d = lw.dynamics(m, 0.01, 1)
    assert d.audit.position_error < 1e-9


def test_what_loops_cannot_do_is_said(monkeypatch):
    """Compiled as a whole, with the reason, and what that costs."""
    found, why = looped.attempt(rope(2), replace(span(0.01, 1), formulation="kane"), None)
    assert found is None
    assert why == "compiled as a whole: what formulation asks for: not available in loops"
    monkeypatch.setattr(size_policy, "WHOLE", 50)
    _, why = looped.attempt(rope(60), replace(span(0.01, 1), formulation="kane"), None)
    assert "a machine of 60 bodies takes some 6 s for it" in why
    monkeypatch.setattr(size_policy, "IMPLICIT", 10)
    m = rope(60)
    m.add(lw.Friction("f", m.elements["J0"], mu=0.1, radius=0.01, stick=False))
    d = lw.dynamics(m, 0.001, 1, method="radau")
    assert "the factors of radau are dense: of 121 numbers" in d.audit.why


def test_laws_that_switch_too_many_to_be_located(monkeypatch):
    """Steps lead over them, as the energy balance shows; the note names them."""
    monkeypatch.setattr(size_policy, "EVENT_ROOM", 100)
    m = rope(4)
    m.add(lw.Force("floor", m["b3"].y, lambda s: lw.where(s < -0.01, -1e3 * (s + 0.01), 0.0)))
    found = simulated(m, span(0.1, 2, rtol=1e-8))
    assert any("too many to be located as events" in note and "floor" in note for note in found.audit.notes)
    assert found["floor.force"][-1] > 10.0
    assert found.audit.switches == 0
    assert found.audit.energy_error < 1e-6


def test_open_joints_are_named():
    m = lw.PlanarModel("impossible")
    a = m.body("a", mass=1, inertia=1)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Distance("rod", m.ground.at(3, 0), a.at(1, 0), 1.0))  # at least two metres away
    with pytest.raises(lw.AssemblyError, match="cannot be closed") as error:
        simulated(m, span(0.01, 1))
    assert "rod" in error.value.element


def rough(dimension):
    """Four bodies of very different mass, estimates off by some centimetres, one that counts a hundred times as much."""
    rng = np.random.default_rng(5)
    space = dimension == 3
    m = lw.SpatialModel("rough") if space else lw.PlanarModel("rough")
    before, at = m.ground, (0.0,) * dimension
    for k in range(4):
        turn = {"orientation": (tuple(rng.normal(size=3)), 0.05)} if space else {"angle": float(0.05 * rng.normal())}
        place = np.array([k + 0.5, *at[1:]]) + 0.04 * rng.normal(size=dimension)
        b = m.body(f"b{k}", 10.0**k, (0.1,) * 3 if space else 0.1, position=place, weight=100.0 if k == 2 else 1.0, **turn,
                   omega=((0.3, 0.2, 1.0) if space else 1.0) if k == 1 else (0.0, 0.0, 0.0) if space else 0.0)  # fmt: skip
        kind = lw.Spherical if space else lw.Revolute
        m.add(kind(f"J{k}", before.at(*at), b.at(-0.5, *at[1:])))
        before, at = b, (0.5, *at[1:])
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_starts_where_the_machine_as_a_whole_does(dimension):
    """Rough estimates are closed by the same measure as `assemble` has, not by masses; the note says so. 1e-9: steps end at
    1e-11 of lengths. A configuration to start from tells no velocities: those of the model stay."""
    m = rough(dimension)
    wanted, found = lw.assemble(m), simulated(m, span(0.01, 1))
    for name in (c for c in wanted.channels if c.startswith("b")):
        assert found[name][0] == pytest.approx(float(wanted[name]), abs=1e-9), name
    assert any(note.startswith("initial positions changed so that the joints close") for note in found.audit.notes)
    whole = lw.dynamics(m, 0.01, 1)
    again = simulated(m, span(0.01, 1), wanted)
    for name in (c for c in whole.channels if c.startswith("b") and c.split(".")[1] in ("vx", "vy", "omega", "wz")):
        assert found[name][0] == pytest.approx(whole[name][0], abs=1e-7), name
        assert again[name][0] == pytest.approx(whole[name][0], abs=1e-7), name


def test_too_few_steps_are_told_with_what_was_computed():
    few = Options(Times.of(1.0, 100, 0.0, None), max_steps=5)
    with pytest.raises(lw.IntegrationError, match="allowed number of steps is used up") as error:
        simulated(rope(2), few)
    assert error.value.remedy == "give more max_steps, or looser tolerances"
    assert 0.0 < error.value.partial.t[-1] < error.value.time + 1e-12


@pytest.mark.parametrize("make", [rope, chain])
def test_a_force_without_a_value_is_named(make):
    """sqrt(0.05 - t) is no number from t = 0.05 on; steps get shorter until they are rounding, so the time is that."""
    m = make(4)
    m.add(lw.Force("law", m["b3"].x, "sqrt(0.05 - t)"))
    m.add(lw.Force("other", m["b1"].x, "2 + t"))
    with pytest.raises(lw.IntegrationError, match=r"the law of law is not finite near t = 0\.05") as caught:
        simulated(m, span(0.3, 10))
    assert caught.value.element == ("law",)
    assert caught.value.time == pytest.approx(0.05, abs=1e-9)
    assert caught.value.partial.t[-1] == pytest.approx(0.03)


def test_reactions_of_a_constant_velocity_joint_in_loops(monkeypatch):
    """Its row has the sign of Euler parameters of frames, which conditions of their numbers choose: the same everywhere."""
    own, here, there = (  # of the frames neither the first parameter is the largest, nor the last
        (0.70479773, 0.63452721, -0.05573569, 0.31229619), (0.32873371, -0.87061931, 0.28079201, -0.23475948),
        (0.41256432, 0.76351752, -0.44663005, 0.21760806),
    )  # fmt: skip
    m = lw.SpatialModel("cv", gravity=(0, 0, -9.81))
    shaft = m.body("shaft", 1.0, (0.2, 0.3, 0.1), position=(0.3, 0, -0.2), orientation=own, omega=(3, 1, 0))
    m.add(lw.ConstantVelocity("cv", m.ground.at(0, 0, 0, rotation=here), shaft.at(-0.3, 0, 0.2, rotation=there)))
    m.add(lw.Torque("twist", shaft, (0.3, 0.5, 0.2)))
    whole = lw.dynamics(m, t_end=0.1, steps=2)
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    loops = lw.dynamics(m, t_end=0.1, steps=2)
    for c in ("cv.fx", "cv.tx", "cv.ty", "cv.tz"):
        assert loops[c] == pytest.approx(whole[c], abs=1e-9)


def test_slow_curves_are_as_exact_in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bead on the x axis on a spring. Where its wire u^3 + u/10^4 hardly moves with u the row along it all but vanishes,
    and each round of the iteration leaves most of the error: the motion was off by 1e-5 there, without a note. 1e-8: both
    take the same steps, so that what differs is to be well below the tolerance of the integration, 1e-7."""

    def bead() -> lw.PlanarModel:
        m = lw.PlanarModel("bead")
        b = m.body("b", mass=1.0, inertia=1.0, position=(-1.0, 0.0))
        wire = m.ground.curve(lw.Curve.parametric(lambda u: u**3 + 1e-4 * u, lambda u: 0 * u, start=-2.0, end=2.0))
        m.add(lw.PointFollower("wire", b.at(0, 0), wire))
        m.add(lw.Force("spring", b.x, lambda x, v, t: -x))
        return m

    whole = lw.dynamics(bead(), t_end=3.0, steps=10)
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    np.testing.assert_allclose(lw.dynamics(bead(), t_end=3.0, steps=10)["b.x"], whole["b.x"], rtol=0, atol=1e-8)
