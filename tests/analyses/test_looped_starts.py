"""Where runs of large machines begin, and the turns that angles have made: as of machines compiled as a whole."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from looped_runs import chain, rope, simulated, span

FORMULATIONS = ["newton-euler", "joint"]


@pytest.fixture
def both(monkeypatch):
    """A run of a small machine as a whole, and in loops."""

    def run(*args, **options):
        out = []
        for large in (10**9, 1):
            monkeypatch.setattr(size_policy, "LOOPED", large)
            own = dict(options) if large == 1 else {k: x for k, x in options.items() if k != "formulation"}
            out.append(lw.dynamics(*args, rtol=1e-11, **own))
        assert "compiled in loops" in out[1].audit.why
        return out

    return run


def same(whole, found, tolerance=1e-9):
    """Of the largest value of each channel: steps at 1e-11 leave some 1e-10."""
    assert list(found.channels) == list(whole.channels)
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < tolerance * (1 + np.abs(whole[name]).max()), name


def coupled(m):
    m.add(lw.Coupler("C", {m["J0"].angle: 1, m["J1"].angle: 0.5}, value=None))


def fixed(m):
    m.fix(m["J1"].angle, 0.3)
    m.fix(lw.rate(m["J1"].angle), 2.0)
    m.fix(m["b0"].wz, 0.5)


def driven(m):
    m.add(lw.Driver("one", m["J0"].angle, "0.2*t"))
    m.add(lw.Driver("other", m["J1"].angle + m["J2"].angle, "0.1*sin(t)"))


@pytest.mark.parametrize("more", [coupled, fixed, driven])
def test_velocities_where_some_are_given(both, more):
    """One body's speed is given, nothing of the others: rows of couplers, fixes and drivers are met all the same."""
    m = chain(3)
    m["b0"].guess(omega=(0.0, -0.2, 0.5))
    more(m)
    same(*both(m, 0.05, 2))


def test_a_motion_by_points_of_a_table(both):
    """The points of a table are no parameters of its shape."""
    m = rope(3)
    for k in range(2):
        m.add(lw.Driver(f"D{k}", m[f"J{k}"].angle, lw.Table([0, 0.1, 0.2, 0.4], [0, 0.1 * k, 0.15, 0.3])))
    same(*both(m, 0.2, 4))


def rotor():
    """Wound up by many turns: a shaft that drags another one, springs that bring both back."""
    m = lw.SpatialModel("rotor")
    a = m.body("a", 1.0, (0.1, 0.1, 0.1), com=(0.1, 0, 0), omega=(0, 0, 30.0))
    b = m.body("b", 1.0, (0.1, 0.2, 0.1), position=(0, 0, 1), omega=(0, 0, 20.0))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(0, 0, 0)))
    m.add(lw.Cylindrical("B", a.at(0, 0, 0), b.at(0, 0, -1)))
    m.add(lw.TorsionSpring("k", m["A"], k=0.2))
    m.add(lw.TorsionSpring("k2", m["B"].angle, k=0.1, angle=1.0))
    m.add(lw.Coupler("C", {m["A"].angle: 0.01, m["B"].displacement: 1.0}, value=None))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_turns_in_space_are_counted_between_outputs_and_kept_by_the_next_run(both, formulation):
    """Several turns from output to output, and a second run that goes on from the first with springs as they are wound."""
    m = rotor()
    whole, found = both(m, 1.0, 2, formulation=formulation)
    assert whole["A.angle"].max() > 20  # rad: turns between outputs
    same(whole, found)
    twice = 2 * m["A"].angle + m["b"].z
    assert found[twice] == pytest.approx(2 * whole["A.angle"] + whole["b.z"], abs=1e-8)
    on = [x for start in (whole, found) for x in [both(m, 1.5, 2, t_start=1.0, start=start, formulation=formulation)[1]]]
    one = both(rotor(), t_eval=[0.0, 1.5], formulation=formulation)[0]
    for d in on:
        assert d["A.angle"][0] == pytest.approx(whole["A.angle"][-1], abs=1e-8)
        assert d["A.angle"][-1] == pytest.approx(one["A.angle"][-1], abs=1e-7)


def test_all_that_needs_an_angle_has_the_turns_that_its_driver_says(both):
    """Six turns at the start: a torsion spring on the driven joint is wound by them."""
    m = chain(2)
    m.add(lw.Driver("motor", m["J0"].angle, "12*pi + 3*t"))
    m.add(lw.TorsionSpring("coil", m["J0"], k=2.0))
    whole, found = both(m, 0.1, 2)
    same(whole, found)
    assert found["coil.torque"][0] == pytest.approx(24 * np.pi, rel=1e-9)  # on the first body


def test_joints_between_the_same_bodies_are_told_apart(both):
    """Trammels with forces that look alike; but one has one joint twice, the other both joints of its body."""
    m = lw.PlanarModel("trammels", gravity=(0, -9.81))
    for k in range(2):
        b = m.body(f"b{k}", 1.0, 0.1, position=(3 * k - 0.4, 0.3), angle=np.arctan2(0.6, 0.8))
        m.add(lw.PointOnLine(f"P{k}", m.ground.at(3 * k, 0, angle=0), b.at(-0.5, 0)))
        m.add(lw.PointOnLine(f"Q{k}", m.ground.at(3 * k, 0, angle=np.pi / 2), b.at(0.5, 0)))
    for k, other in enumerate(("P0", "Q1")):
        slide = m[other].displacement
        m.add(lw.Force(f"F{k}", m[f"P{k}"].displacement, lambda s, slide=slide: 1 - 3 * s - 2 * slide))
    whole, found = both(m, 0.1, 2)
    same(whole, found)
    assert found["F0.force"][0] == pytest.approx(1 + 5 * 0.8, abs=1e-12)
    assert found["F1.force"][0] == pytest.approx(1 + 3 * 0.8 - 2 * 0.6, abs=1e-12)


def test_nothing_to_go_on_from(monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    with pytest.raises(lw.ModelError, match="there is no machine to go on from in 5") as error:
        lw.dynamics(rope(2), 0.1, 1, start=5)
    assert error.value.element == ("start",)


def test_a_nut_stays_where_it_is_estimated():
    """Six turns up the thread, with a spring that is wound as much: as of small machines."""
    m = lw.SpatialModel("screw", gravity=(0, 0, -9.81))
    nut = m.body("nut", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.05 * 12 * np.pi + 1e-3))
    screw = m.add(lw.Screw("S", m.ground.at(0, 0, 0), nut.at(0, 0, 0), pitch=0.05))
    m.add(lw.TorsionSpring("coil", screw, k=0.01))
    found, wanted = simulated(m, span(0.2, 2)), lw.dynamics(m, 0.2, 2, rtol=1e-10)
    assert found["S.angle"][0] == pytest.approx(12 * np.pi, abs=0.03)
    for name in wanted.channels:
        assert np.abs(found[name] - wanted[name]).max() < 1e-8 * (1 + np.abs(wanted[name]).max()), name


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e6])
def test_machines_in_millimetres_close(unit, monkeypatch):
    """Squares of distances of a thousand millimetres are rounded to 1e-10: they are closed by the machine's size."""
    m = lw.PlanarModel("rods", gravity=(0, -9.81 * unit))
    at = np.array([1.1, 0.7]) * unit
    a = m.body("a", 1.0, 0.1 * unit**2, position=tuple(at))
    m.add(
        lw.Distance(
            "rod", m.ground.at(0.1 * unit, 0), a.at(0.3 * unit, -0.2 * unit), length=float(np.hypot(1.3, 0.5)) * unit
        )
    )
    small = lw.dynamics(m, 0.3, 3, rtol=1e-9)
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    assert lw.dynamics(m, 0.3, 3, rtol=1e-9)["a.x"] == pytest.approx(small["a.x"], rel=1e-7)
