"""Long runs in files: the pieces make one run, what was computed is kept, memory is bounded."""

import subprocess
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses import record as recording
from linkwright.examples import example


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(recording, "PIECE", 1000)


def wound():
    """A body in space on a torsion spring: the angle goes beyond half a turn, the damper takes energy."""
    m = lw.SpatialModel("wound")
    b = m.body("b", 1, (1, 1, 1), omega=(0, 0, 8.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.TorsionSpring("s", pin, k=1.0, c=0.2))
    m.fix(b.wz, 8.0)
    m.fix(pin.angle, 0.0)
    return m


def test_pieces_of_dynamics_make_one_run(tmp_path, small_pieces):
    told = []
    d = lw.record(wound(), tmp_path / "run.nc", t_end=3.0, steps=100, progress=lambda t, part: told.append((t, part)))
    whole = lw.dynamics(wound(), t_end=3.0, steps=100)
    np.testing.assert_allclose(d.t, whole.t, rtol=1e-15)
    # x'' = -x - 0.2 x': the underdamped oscillation; tolerances of the runs are 1e-8 of some radians
    w = np.sqrt(0.99)
    np.testing.assert_allclose(d["A.angle"], 8 / w * np.exp(-0.1 * d.t) * np.sin(w * d.t), atol=3e-6)
    assert d["A.angle"].max() > np.pi  # no turn is forgotten between two pieces
    np.testing.assert_allclose(d["A.angle"], whole["A.angle"], atol=3e-6)
    np.testing.assert_allclose(d.energy.work, whole.energy.work, atol=2e-5)
    assert np.abs(d.energy.balance).max() < 2e-5  # of 32 J
    assert d.audit.points == 101
    assert d.audit.steps >= 100 // (1000 // len(whole.channels))
    assert d.provenance.options == {"t_end": 3.0, "steps": 100, "t_start": 0.0}
    np.testing.assert_allclose(d.reaction("A", at=(1, 0, 0))["ty"], 0, atol=1e-6)
    t, part = np.array(told).T
    assert (np.diff(t) > 0).all()
    np.testing.assert_allclose(part, t / 3)


def test_pieces_of_kinematics_make_one_run(tmp_path, small_pieces):
    m = example("spatial-slider-crank").load()
    k = lw.record(m, tmp_path / "run.nc", "kinematics", t_end=3.0, steps=60)
    whole = lw.kinematics(m, t_end=3.0, steps=60)
    assert k.channels == whole.channels
    for channel in whole:  # each point is converged to rounding
        np.testing.assert_allclose(k[channel], whole[channel], rtol=1e-8, atol=1e-8 * (1 + np.abs(whole[channel]).max()))
    assert k["A.angle"][-1] == pytest.approx(6.5 * np.pi, abs=1e-9)


def test_pieces_of_inverse_dynamics_make_one_run(tmp_path, small_pieces):
    """Also where the contact of a cam wanders: its place is in the file, for moments about other points."""
    m = example("valve-lifter").load()
    i = lw.record(m, tmp_path / "run.nc", "inverse_dynamics", t_end=0.1, steps=60)
    whole = lw.inverse_dynamics(m, t_end=0.1, steps=60)
    assert i.channels == whole.channels
    assert i.violation.position.shape == whole.violation.position.shape
    for channel in whole:  # each point is converged to rounding, forces come from accelerations
        np.testing.assert_allclose(i[channel], whole[channel], rtol=1e-7, atol=1e-7 * (1 + np.abs(whole[channel]).max()))
    about = [r.reaction("contact", at=(0.01, 0.02))["torque"] for r in (i, whole)]
    np.testing.assert_allclose(*about, rtol=1e-7, atol=1e-7 * np.abs(about[1]).max())
    assert (i.audit.analysis, i.audit.points) == ("inverse dynamics", 61)


def test_forces_up_to_a_lock_up_are_kept(tmp_path, small_pieces):
    m = example("slider-crank").load()
    m.set(l=1.9)
    with pytest.raises(lw.SingularityError) as locked:
        lw.record(m, tmp_path / "run.nc", "inverse_dynamics", t_end=1.0, steps=200)
    kept = lw.load_result(tmp_path / "run.partial.nc")
    assert len(locked.value.partial.t) == len(kept.t) == 15  # to 0.07 s, as the motion alone
    with pytest.raises(lw.SingularityError) as whole:
        lw.inverse_dynamics(m, t_end=1.0, steps=200)
    torque = whole.value.partial["motor.torque"]
    np.testing.assert_allclose(kept["motor.torque"], torque, rtol=1e-6, atol=1e-6 * np.abs(torque).max())


def test_what_was_computed_is_kept_beside(tmp_path, small_pieces):
    m = example("slider-crank").load()
    m.set(l=1.9)
    with pytest.raises(lw.SingularityError) as locked:
        lw.record(m, tmp_path / "run.nc", "kinematics", t_end=1.0, steps=200)
    assert [p.name for p in tmp_path.iterdir()] == ["run.partial.nc"]
    assert len(locked.value.partial.t) == len(lw.load_result(tmp_path / "run.partial.nc").t) == 15  # to 0.07 s

    def stop(t, part):
        if part > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted) as stopped:
        lw.record(wound(), tmp_path / "swing.nc", t_end=3.0, steps=100, progress=stop)
    assert 1.5 < stopped.value.partial.t[-1] < 3
    assert "interrupted" in lw.load_result(tmp_path / "swing.partial.nc").audit.notes[-1]


def test_an_event_that_stops_the_run_ends_the_file(tmp_path, small_pieces):
    m = wound()
    stop = lw.Watch(m["A"].angle - 6.0, stop=True)
    d = lw.record(m, tmp_path / "run.nc", t_end=3.0, steps=100, events={"six": stop})
    whole = lw.dynamics(m, t_end=3.0, steps=100, events={"six": stop})
    assert [name for _, name in d.events] == ["six"]
    assert d.events[0][0] == pytest.approx(whole.events[0][0], abs=1e-6)
    assert len(d.t) == len(whole.t)
    assert d["A.angle"][-1] == pytest.approx(6.0, abs=1e-6)


def test_only_what_can_be_recorded(tmp_path):
    with pytest.raises(lw.ModelError, match="'equilibrium' is not recorded"):
        lw.record(wound(), tmp_path / "run.nc", "equilibrium", t_end=1.0, steps=10)
    with pytest.raises(lw.ModelError, match="finite and growing"):
        lw.record(wound(), tmp_path / "run.nc", t_end=0.0, steps=10)
    with pytest.raises(lw.ModelError, match="finite and growing") as caught:
        lw.record(wound(), tmp_path / "run.nc", t_end=1.0, steps=10.5)
    assert "whole number" in caught.value.remedy
    with pytest.raises(lw.ModelError, match="even steps"):
        lw.record(wound(), tmp_path / "run.nc", t_end=1.0, steps=10, t_eval=[0, 1])


def test_an_event_in_the_first_step_is_kept(tmp_path):
    m = wound()
    events = {"early": lw.Watch(m["A"].angle - 1.0)}
    d = lw.record(m, tmp_path / "run.nc", t_end=3.0, steps=3, events=events)
    whole = lw.dynamics(m, t_end=3.0, steps=3, events=events)
    assert whole.events[0][0] < 1.0  # in the first of three steps
    assert [name for _, name in d.events] == [name for _, name in whole.events]


LONG = """
import sys
import linkwright as lw
m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
bob = m.body("bob", 1, 0.1, position=(0.5, 0))
m.add(lw.Revolute("A", m.ground.at(0, 0), bob.at(-0.5, 0)))
lw.record(m, sys.argv[1], t_end=float(sys.argv[2]) / 1000, steps=int(sys.argv[2]))
# the peak of this program alone; getrusage's also holds that of the process it was started from
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_longer_run_takes_no_more_memory(tmp_path):
    """Ten million steps in 500 MB are promised; the longer of these runs has 35 MB of numbers more than the other."""
    peaks = []
    for steps in (60_000, 260_000):
        words = [sys.executable, "-c", LONG, str(tmp_path / "run.nc"), str(steps)]
        peaks.append(float(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
    assert peaks[1] < peaks[0] + 25
    assert peaks[1] < 500
