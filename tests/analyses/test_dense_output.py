"""The motion between the times of output: coordinates and velocities at any time of a run."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.chart import STOPS
from linkwright.analyses.dynamics.whole.charts import FlowOfJoints
from loaded_machines import bar_pendulum


@pytest.mark.parametrize("method", ["dop853", "dopri5", "adams", "radau", "generalized-alpha"])
def test_continuous_motion(method):
    """C11 by elliptic functions at times that are no output."""
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 2.0], rtol=1e-9, atol=1e-11, method=method, dense_output=True)
    s = d.sol(np.array([0.25, 0.5, 1.0]))
    near = 1e-5 if method == "generalized-alpha" else 1e-7  # of order two, of order three between steps
    assert s["bar.angle"] == pytest.approx([6.17811273926706, 7.24705462564183, 8.97621720837182], abs=near)
    assert s["bar.omega"] == pytest.approx([5.12900741327221, 3.56040018475420, 4.28742073245006], abs=10 * near)
    assert s["bar.x"] == pytest.approx(np.cos(s["bar.angle"]), abs=near)
    assert d.sol(2.0)["bar.angle"] == pytest.approx(d["bar.angle"][-1], abs=1e-13)
    with pytest.raises(lw.ArgumentError, match="from 0 to 2"):
        d.sol(2.5)


def test_continuous_motion_in_joint_coordinates():
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 2.0], rtol=1e-9, atol=1e-11, formulation="joint", dense_output=True)
    assert d.sol(0.5)["bar.angle"] == pytest.approx(7.24705462564183, abs=1e-7)
    assert d.sol(0.5)["bar.y"] == pytest.approx(np.sin(7.24705462564183), abs=1e-7)


def test_joint_coordinates_are_kept_of_output_and_of_the_last_stops_only(monkeypatch):
    """Events on the way, and looks at the motion afterwards, take no memory for good; to and fro no digit is lost."""
    made, stopped = set(), FlowOfJoints.stopped
    monkeypatch.setattr(FlowOfJoints, "stopped", lambda self, *x: made.add(self) or stopped(self, *x))
    often = lw.Watch(lambda s: lw.sin(20 * s["bar.angle"]), change=lambda s: None)
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 1.0, 2.0], formulation="joint", dense_output=True, events={"often": often})
    assert len(d.events) > 40
    s = d.sol(np.linspace(0, 2, 50))
    assert s["bar.x"] == pytest.approx(np.cos(s["bar.angle"]), abs=1e-12)
    (chart,) = made
    assert len(chart._stops) <= STOPS
    x = np.array([40.0, 0.3, 0.0])  # more than six turns, a speed, no work
    assert (chart.own(chart.stopped(x).copy()) == x).all()


def test_across_an_event_that_changes_the_state():
    """A ball that bounces: each flight is a parabola to its very ends."""
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball = m.body("ball", 2.0, 1.0, position=(0, 1.25))
    floor = lw.Watch(ball.y, -1, change=lambda s: {"ball.vy": -0.8 * s["ball.vy"]})
    d = lw.dynamics(m, t_eval=[0, 1.2], events={"floor": floor}, dense_output=True)
    t = np.array([0.1, 0.4999999, 0.5000001, 0.9, 1.1])
    exact = np.where(t < 0.5, -10 * t, 4 - 10 * (t - 0.5))
    assert d.sol(t)["ball.vy"] == pytest.approx(exact, abs=1e-9)
    assert lw.dynamics(m, t_eval=[0, 1.0]).sol is None
