"""Events, laws that switch and fixed estimates of large machines, against those compiled as a whole."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.times import Times
from looped_runs import chain, rope, simulated, span


def run(m, t_end, events, **more):
    watches = [Watch.of(name, w) for name, w in events.items()]
    return simulated(m, Options(Times.of(t_end, 4, 0.0, None), rtol=1e-11, atol=1e-13, watches=watches, **more))


def both(m, t_end, events=None, tolerance=1e-8, count=True, **more):
    """The same run as a whole and in loops: times and names of events, number of switches, every channel, energies; in
    joint coordinates, too."""
    events = events or {}
    whole, found = lw.dynamics(m, t_end, 4, rtol=1e-11, events=events, **more), run(m, t_end, events, **more)
    for x in (run(m, t_end, events, formulation="joint", **more), found):
        compare(whole, x, tolerance, count)
    return whole, found


def compare(whole, found, tolerance, count):
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    assert np.array([t for t, _ in found.events]) == pytest.approx(np.array([t for t, _ in whole.events]), abs=1e-8)
    assert found.audit.switches == whole.audit.switches or not count
    assert found.t == pytest.approx(whole.t, abs=1e-8)
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < tolerance * (1 + np.abs(whole[name]).max()), name
    assert np.abs(found.energy.work - whole.energy.work).max() < 1e-8 * (1 + np.abs(whole.energy.work).max())
    assert found.audit.energy_error < 1e-8


def test_a_law_that_switches_is_located():
    """A floor of stiffness below the tip: it goes in and out of it."""
    m = rope(2)
    m.add(lw.Force("floor", m["b1"].y, lambda s: lw.where(s < -0.3, -2e3 * (s + 0.3), 0.0)))
    _, found = both(m, 0.6)
    assert found.audit.switches >= 2


def test_a_contact_remembers_its_speed():
    """Lankarani and Nikravesh: the damping follows from the speed at which the bodies met."""
    m = rope(2)
    m.add(lw.Contact("floor", m["b1"].at(0.5, 0), m.ground.at(0, -0.4, angle=0), k=3e3, restitution=0.6,
                     law="lankarani-nikravesh"))  # fmt: skip
    _, found = both(m, 0.5, count=False)  # force and depth are zero at one time: rounding says which of them is an event
    assert found.audit.switches >= 2


def test_a_motor_that_stops_at_a_time():
    """Its speed is zero from a tenth of a second on: no step leads over the jump of its acceleration."""
    m = rope(2)
    m.add(lw.Driver("motor", m.elements["J0"].angle, lambda t: lw.where(t < 0.1, 50 * t * t * (0.3 - 2 * t), 0.05)))
    _, found = both(m, 0.2)
    assert found.audit.switches == 1


def test_watched_quantities():
    """An angle of more than half a turn, a velocity, a time; one direction alone; the last one ends the run."""
    m = rope(2)
    b = m["b1"]
    events = {
        "angle": m.elements["J1"].angle + 0.4,
        "speed": Watch(b.coordinate("omega") - 2.0, direction=1),
        "late": "t - 0.31",
        "text": "b0.angle + 0.7",
        "low": Watch(b.y + 1.2, stop=True),
    }
    _, found = both(m, 1.0, events)
    assert found.t[-1] < 1.0
    assert found.events[-1][1] == "low"
    assert {name for _, name in found.events} >= {"late", "text", "low"}


def test_changes_of_state():
    """Velocities that jump at an event, by an impulse; a body that is put elsewhere."""
    m = rope(2)
    back = Watch(m["b0"].coordinate("angle") + 0.5, change=lambda s: {"b0.omega": -0.5 * s["b0.omega"]})
    both(m, 0.7, {"back": back})
    put = Watch(m["b1"].coordinate("angle") + 0.3, direction=-1, change=lambda s: {"b1.angle": 0.1} if s.t < 0.5 else None)
    both(m, 0.4, {"put": put})


def test_changes_that_joints_do_not_allow():
    m = rope(2)
    for change, text in (({"b0.omega": 1.0, "b0.vx": 5.0}, "velocities"), ({"b0.x": 7.0}, "positions")):
        wrong = Watch("t - 0.1", change=lambda s, change=change: change)
        with pytest.raises(lw.ModelError, match=f"do not allow the {text} .* that its change asks for") as error:
            run(m, 0.2, {"wrong": wrong})
        assert error.value.element == ("wrong",)
        assert error.value.partial.t[-1] == pytest.approx(0.1, abs=1e-12)


def test_the_run_between_output_times():
    whole, found = both(rope(2), 0.3, dense_output=True)
    for t in (0.05, 0.2):
        assert found.sol(t)["b1.angle"] == pytest.approx(whole.sol(t)["b1.angle"], abs=1e-9)


def test_fixed_estimates():
    """Positions and velocities of which some must be exact: one coordinate, one angle between bodies, a velocity."""
    m = chain(3)
    m.fix(m.elements["J1"].angle, 0.3)
    m.fix(m["b2"].coordinate("z"), -0.2)
    m.fix(m["b2"].coordinate("wx"), 0.7)
    m.fix(m["b0"].coordinate("wz"), 0.2)
    whole, found = lw.dynamics(m, 0.05, 1, rtol=1e-11), simulated(m, span(0.05, 1, 1e-11))
    assert found["J1.angle"][0] == pytest.approx(0.3, abs=1e-10)
    assert found["b2.z"][0] == pytest.approx(-0.2, abs=1e-10)
    assert found["b2.wx"][0] == pytest.approx(0.7, abs=1e-10)
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < 1e-7 * (1 + np.abs(whole[name]).max()), name


def test_fixed_estimates_that_contradict_are_named():
    m = rope(2)
    m.fix(m["b0"].coordinate("omega"), 1.0)
    m.fix(m["b0"].coordinate("vy"), 3.0)
    with pytest.raises(lw.ModelError, match="no velocity satisfies") as error:
        simulated(m, span(0.01, 1))
    assert any("b0.vy" in name for name in error.value.element)


def test_a_large_machine_has_all_of_it():
    """Beyond what is compiled as a whole: a floor under every tenth link, an event that changes, one that ends the run."""
    m = rope(size_policy.WHOLE + 10)
    for k in range(0, size_policy.WHOLE, 10):
        m.add(lw.Force(f"floor{k}", m[f"b{k}"].y, lambda s: lw.where(s < -0.01, -1e3 * (s + 0.01), 0.0)))
    m.fix(m["b0"].coordinate("omega"), -0.1)
    seen = []
    d = lw.dynamics(m, 0.2, 2, events={
        "jolt": Watch("t - 0.05", change=lambda s: seen.append(s["b5.y"])),
        "end": Watch(m["b9"].y + 0.02, stop=True),
    })  # fmt: skip
    assert d["b0.omega"][0] == pytest.approx(-0.1, abs=1e-12)
    assert [name for _, name in d.events] == ["jolt", "end"]
    assert d["b9.y"][-1] == pytest.approx(-0.02, abs=1e-12)
    assert seen[0] < 0
    assert d.audit.switches > 5
    assert d.audit.energy_error < 1e-9
