"""Motions through singular positions: machines that are not driven pass them, whatever the method and the treatment."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import bricard, four_bars
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.safety import Allowed, Kept, infinite, judged

SECOND_ORDER = [("generalized-alpha", "ggl"), ("hht", "ggl"), ("generalized-alpha", "index-3"), ("hht", "index-3")]


def parallelogram(torque: float = 0.0) -> lw.PlanarModel:
    """Cranks of one length: all joints lie on one line twice a turn, and there the coupler may stay parallel or not. A
    torque on the second crank makes the forces of the joints infinite there, though the motion is smooth."""
    m = lw.PlanarModel("parallelogram", gravity=(0, -9.81))
    a = m.body("a", 1.0, 0.1, position=(0, 0.5), angle=np.pi / 2, omega=-8.0)
    b = m.body("b", 2.0, 0.5, position=(1, 1))
    c = m.body("c", 1.0, 0.1, position=(2, 0.5), angle=np.pi / 2)
    m.add(lw.Revolute("O", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("A", a.at(0.5, 0), b.at(-1, 0)))
    m.add(lw.Revolute("B", b.at(1, 0), c.at(0.5, 0)))
    m.add(lw.Revolute("C", c.at(-0.5, 0), m.ground.at(2, 0)))
    m.add(lw.Torque("load", c, torque))
    return m


@pytest.mark.parametrize(("method", "constraints"), SECOND_ORDER)
@pytest.mark.parametrize("torque", [0.0, 4.0])
def test_a_parallelogram_passes_its_change_points(method, constraints, torque):
    """The coupler stays parallel, and energy tells the speed of the cranks."""
    m = parallelogram(torque)
    d = lw.dynamics(m, t_end=1.0, steps=20, method=method, constraints=constraints)
    reference = lw.dynamics(m, t_end=1.0, steps=20, rtol=1e-10, atol=1e-12)
    assert np.ptp(d["a.angle"]) > np.pi  # past two change points at least
    assert d["b.angle"] == pytest.approx(np.zeros(21), abs=1e-9)
    # the cranks turn about their pins, 0.1 + 0.25 each; the coupler, 2 kg, moves with their ends: 2.7 w^2/2, g 3 sin(angle)
    w, s, turned = d["a.omega"], np.sin(d["a.angle"]), d["a.angle"] - d["a.angle"][0]
    energy = 1.35 * w**2 + 9.81 * 3 * s - torque * turned
    # order two at rtol 1e-5, and steps at index 3 err more: 1e-3 of the energy 116 is theirs
    assert energy == pytest.approx(np.full(21, 1.35 * 64 + 9.81 * 3), rel=1e-3)
    assert d["a.angle"] == pytest.approx(reference["a.angle"], abs=5e-3)


@pytest.mark.parametrize(("method", "constraints"), SECOND_ORDER[:3])
def test_rows_that_were_independent_at_the_start(method, constraints):
    """Bricard's ring is redundant: the row that was left out at the start is needed at t = 1.2465."""
    d = lw.dynamics(bricard(), t_end=1.5, steps=3, method=method, constraints=constraints)
    reference = lw.dynamics(bricard(), t_end=1.5, steps=3)
    assert d["rod3.z"] == pytest.approx(reference["rod3.z"], abs=1e-3 if constraints == "index-3" else 2e-5)


def test_the_benchmark_of_the_four_bar():
    """IFToMM A02: energy is kept past ten singular positions. Index 2, rtol 1e-5."""
    d = lw.dynamics(four_bars(1), t_end=3.0, steps=10, method="hht")
    assert d.audit.energy_error < 1e-4
    assert d.violation.position.max() < 1e-9


def test_rod_with_a_brace():
    """A folding rod, one end on a pin, the other on a line; a brace from its middle to the pin, half as long: redundant."""
    m = lw.PlanarModel("folding", gravity=(0, -9.81))
    a = m.body("a", 1.0, 0.1, position=(0.4, 0.3), angle=np.arctan2(3, 4))
    b = m.body("b", 1.0, 0.1, position=(1.2, 0.3), angle=-np.arctan2(3, 4))
    m.add(lw.Revolute("O", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("A", a.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.PointOnLine("guide", m.ground.at(0, 0, angle=0), b.at(0.5, 0)))
    m.add(lw.Coupler("brace", {a.angle: 1, b.angle: 1}))
    reference = lw.dynamics(m, t_end=1.5, steps=15)
    for method, constraints in SECOND_ORDER[:2]:
        d = lw.dynamics(m, t_end=1.5, steps=15, method=method, constraints=constraints)
        assert d["a.angle"] == pytest.approx(reference["a.angle"], abs=1e-4)


def test_what_is_told_of_a_machine_that_is_not_driven():
    """Where a run does end there, no prescribed motion is spoken of: there is none."""
    m = parallelogram()
    error = trouble.lock_up(m, 0.5, ["O", "A"])
    assert (error.kind, error.driver) == ("bifurcation", "")
    assert "prescribed" not in str(error)
    assert "lock" not in str(error)
    m.add(lw.Driver("motor", m["O"].angle, "t"))
    error = trouble.lock_up(m, 0.5, ["O", "A", "motor"])
    assert (error.kind, error.driver) == ("lock-up", "motor")
    assert str(error).count("motor") == 1  # elements are named once


def test_a_run_that_creeps_towards_a_dead_point_ends_there():
    """A machine in space, in micrometres and micrograms, whose drivers lead it to a dead point: careful steps went on for
    minutes, each a part of what was left of the way. Its numbers are those of a random machine."""
    from fuzz.cases import options
    from fuzz.grow import grow
    from fuzz.render import model

    drawn = grow(61000027, 6, later=3)
    with pytest.raises(lw.SingularityError, match=r"locks up at t = 0\.00064068") as caught:
        lw.dynamics(model(drawn), **options(drawn))
    assert caught.value.kind == "lock-up"
    assert set(caught.value.element) == {"J0", "J1", "C3", "D7", "D8"}


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_output_where_a_prescribed_motion_branches(method):
    """Driven through its change point at t = 0.5 the parallelogram has no state there but by its neighbours: with
    output at that very time the run came apart, or had numbers that are none in it, and nobody was told why."""
    m = parallelogram()
    m.add(lw.Driver("motor", m["O"].angle, "0.5 - t"))
    with pytest.raises(lw.SingularityError, match=r"2 branches at t = 0\.5") as caught:
        lw.dynamics(m, t_eval=[0, 0.5, 0.8], method=method)
    assert caught.value.kind == "bifurcation"
    assert [f.code for f in caught.value.findings] == ["bifurcation"]
    assert caught.value.partial.t.tolist() == [0.0]  # nothing from there on
    d = lw.dynamics(m, t_eval=[0, 0.5, 0.8], constraints="augmented")  # as the remedy has it
    assert d["c.angle"] == pytest.approx(0.5 - d.t, abs=1e-6)


@pytest.mark.parametrize("bodies", [0, 50])
def test_what_was_computed_before_a_motion_branches(bodies):
    """Of small machines and of large ones, and from a given start: the states before, and none of those behind. What the
    joints hold may be kept to rounding there all the same, as from a given start of the large one: its speeds were wrong."""
    m = parallelogram()
    m.add(lw.Driver("motor", m["O"].angle, "0.5 - t"))
    for k in range(bodies):
        arm = m.body(f"arm{k}", 1.0, 0.1, position=(3 + k, 0))
        m.add(lw.Constraint(f"still{k}", arm.angle))
        m.add(lw.Revolute(f"pin{k}", m.ground.at(3 + k, 0), arm.at(0, 0)))
    for start in (None, lw.assemble(m)):
        with pytest.raises(lw.SingularityError, match=r"2 branches at t = 0\.5, and output") as caught:
            lw.dynamics(m, t_end=1.0, steps=20, start=start)
        assert caught.value.element == ("O", "A", "B", "C")
        d = caught.value.partial
        assert d.t == pytest.approx(np.arange(10) / 20)
        assert d["c.angle"] == pytest.approx(0.5 - d.t, abs=1e-9)
        assert np.abs(d["motor.torque"]).max() < 40  # the weights of 4 kg at 1 m: no more


def test_what_is_no_number_is_no_motion():
    kept = Kept(*np.zeros((4, 3)), np.array([0.0, np.nan, 0.0]), np.zeros(3), np.zeros(3, dtype=int))
    assert "come apart" in judged(kept, ["rod.length"], Allowed(1e-8, 100))[1].cause
    error = infinite(np.arange(3.0), np.array([[0.0], [1.0], [np.inf]]))
    assert (error.time, infinite(np.arange(3.0), np.zeros((3, 2)))) == (2.0, None)


def test_a_motion_goes_straight_on_whatever_steps_end_near_a_flat_position():
    """Four-bars that pass flat positions 24 times in 10 s. At one or two of a hundred tolerances a step ended so near to one
    that the run was refused there; it is made again with other steps. The energy lost is that of a hundred steps."""
    why = []
    for rtol in 10.0 ** -np.arange(10.0, 12.0, 0.02):
        d = lw.dynamics(four_bars(1), t_end=10.0, rtol=rtol)
        assert d.audit.energy_error < 1e4 * rtol
        why.append(d.audit.why)
    assert sum("a step ended where motions may branch" in x for x in why) < 10
