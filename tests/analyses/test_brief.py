"""Blows that are short beside the run: steps that grow must not pass over them."""

import math
from time import perf_counter

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy


def slide(law, **more):
    m = lw.PlanarModel("slide")
    b = m.body("b", mass=2.0, inertia=1.0, **more)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("blow", b.x, law))
    return m


def gauss(width, at=0.7):
    return lambda x, v, t: 3.0 / width * lw.exp(-(((t - at) / width) ** 2))


@pytest.mark.parametrize("method", ["auto", "dopri5", "adams", "radau"])
@pytest.mark.parametrize("width", [1e-2, 1e-3, 1e-4])
def test_a_blow_is_felt(width, method):
    """Its impulse is 3 sqrt(pi): the speed after it, to the tolerance of 1e-8 over the steps of the blow."""
    d = lw.dynamics(slide(gauss(width)), t_end=2.0, steps=2, method=method)
    assert d["b.vx"][-1] == pytest.approx(3 * np.sqrt(np.pi) / 2, rel=1e-6)
    assert "blow changes within" in d.audit.why
    assert d.audit.energy_error < 1e-6


def test_a_blow_is_felt_by_a_large_machine(monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    d = lw.dynamics(slide(gauss(1e-3)), t_end=2.0, steps=2)
    assert d["b.vx"][-1] == pytest.approx(3 * np.sqrt(np.pi) / 2, rel=1e-6)


@pytest.mark.parametrize("pause", [0.0, 2e-4])
def test_a_blow_in_plain_python_is_felt(pause):
    """It is asked once for each time, and a slow one less often: of 0.2 s and 1,000 looks two are within the blow."""

    def law(t):
        if pause:
            end = perf_counter() + pause
            while perf_counter() < end:
                pass
        return 300.0 * math.exp(-(((float(t) - 0.7) / 1e-2) ** 2))

    with pytest.warns(UserWarning, match="cannot be traced"):
        d = lw.dynamics(slide(law), t_end=2.0, steps=2, rtol=1e-5 if pause else 1e-8)
    assert d["b.vx"][-1] == pytest.approx(3 * np.sqrt(np.pi) / 2, rel=1e-3 if pause else 1e-6)
    assert "blow changes within" in d.audit.why


@pytest.mark.filterwarnings("ignore:the law of blow cannot be traced")
def test_a_function_that_fails_later_is_told_where_the_run_meets_it():
    def law(t):
        if float(t) > 1.5:
            raise ValueError("no data")
        return 1.0

    m = slide(law)
    d = lw.dynamics(m, t_end=1.4, steps=2)
    assert d["b.vx"][-1] == pytest.approx(0.7, rel=1e-9)
    with pytest.raises(lw.IntegrationError, match=r"blow: at t = 1.5: the function raised ValueError: no data") as caught:
        lw.dynamics(m, t_end=2.0, steps=20)
    assert 1.4 < caught.value.partial.t[-1] <= 1.5


def test_a_quick_motion_is_followed():
    """A driver that goes from -1 to 1 within a tenth of a millisecond: forces give the energy that it takes."""
    m = lw.PlanarModel("quick")
    arm = m.body("arm", mass=1.0, inertia=0.1)
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "tanh(1e4*(t - 0.5))"))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    assert d["arm.angle"] == pytest.approx([-1, 0, 1], abs=1e-9)
    assert d["arm.omega"][1] == pytest.approx(1e4, rel=1e-9)
    assert d.audit.energy_error < 1e-6


def test_studies_feel_it_too():
    """The blow is short at some values of a parameter only; lanes leave it to single calls."""
    m = lw.PlanarModel("slide")
    width = m.parameter("width", 1e-3)
    b = m.body("b", mass=2.0, inertia=1.0)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("blow", b.x, lambda x, v, t: 3 / width * lw.exp(-(((t - 0.7) / width) ** 2))))
    s = lw.sweep(m, {"width": [1e-4, 1e-3, 1e-2, 1e-1]}, t_end=2.0, steps=2, keep=[lw.final("b.vx")], threads=1)
    assert s["final(b.vx)"] == pytest.approx(3 * np.sqrt(np.pi) / 2, rel=1e-6)


@pytest.mark.parametrize(
    "law",
    [
        lambda x, v, t: lw.sin(300 * t),  # all the time: steps meet it
        lambda x, v, t: lw.where(t > 0.5, 1.0, 0.0),  # a jump is an event
        lambda x, v, t: -x - v,
        "2*t",
        lambda x, v, t: -x * t**2,
    ],
)
def test_other_laws_bound_no_steps(law):
    d = lw.dynamics(slide(law), t_end=2.0, steps=2)
    assert "steps of at most" not in d.audit.why
