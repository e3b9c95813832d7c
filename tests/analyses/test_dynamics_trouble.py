"""Bad machines and bad input: what went wrong, when, where, what mends it, and the result until then."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import IntegrationError, ModelError, SingularityError
from loaded_machines import bar_pendulum


def test_a_force_that_becomes_infinite_is_named():
    m = lw.PlanarModel("pole")
    body = m.body("body", 1.0, 1.0, position=(1, 0))
    m.add(lw.Force("pull", body.x, lambda s, v, t: -1.0 / s**2))
    with pytest.raises(IntegrationError) as caught:
        lw.dynamics(m, t_end=5.0, steps=50)
    fall = np.pi / (2 * np.sqrt(2))  # time of a fall into the pole from rest at distance 1
    assert caught.value.time == pytest.approx(fall, rel=1e-4)
    assert len(caught.value.partial.t) == np.sum(np.linspace(0, 5, 51) < caught.value.time)


def test_a_force_that_becomes_infinite_beside_a_belt_is_named():
    """An elastic belt has a load for each of its strands, under one name."""
    m = lw.PlanarModel("belt", gravity=(0, 0))
    a, b = m.body("a", 1.0, 0.2), m.body("b", 1.0, 0.2, position=(1, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(1, 0), b.at(0, 0)))
    m.add(lw.Belt("belt", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2), k=1e3))
    m.add(lw.Torque("pole", a, "1/(t - 0.05)"))
    with pytest.raises(IntegrationError) as caught:
        lw.dynamics(m, t_end=0.1, steps=10)
    assert caught.value.element == ("pole",)


def controlled(target, count=1, **gains):
    """Links on a pin each, the first held by a controller."""
    m = lw.PlanarModel("controlled", gravity=(0, -9.81))
    for k in range(count):
        b = m.body(f"b{k}", mass=1.0, inertia=0.1, position=(k, 0))
        m.add(lw.Revolute(f"A{k}", m.ground.at(k, 0), b.at(0, 0)))
    m.add(lw.PID("control", m.elements["A0"], target, **gains))
    return m


GAINS = [{"kp": 10.0, "kd": 2.0}, {"ki": 3.0}, {"kp": 10.0, "ki": 1.0, "kd": 1.0, "limits": (-5, 5)}]


@pytest.mark.parametrize("gains", GAINS, ids=["kd", "ki", "limits"])
@pytest.mark.parametrize("target", ["1/(0.5 - t)", "tan(pi*t)", "sqrt(0.5 - t)", "1/(0.5 - t)**2"])
@pytest.mark.parametrize("method", ["auto", "radau", "generalized-alpha"])
def test_a_target_that_ends_is_named(method, target, gains):
    """A pole, and a root of what becomes negative: the step became too small, a state grew without bound, forces were not
    finite, or a run at a double pole took its steps without end, and nothing said whose target it was. A double pole turns
    the link ever faster: it is told some 1e-4 s before."""
    with pytest.raises(IntegrationError, match=r"^control: the target of control (is not finite|grows without)") as caught:
        lw.dynamics(controlled(target, **gains), t_end=1.0, steps=10, method=method)
    assert caught.value.element == ("control",)
    assert caught.value.time == pytest.approx(0.5, abs=1e-3)
    assert 0.4 <= caught.value.partial.t[-1] <= 0.5


def test_a_target_that_ends_is_named_in_a_large_machine_and_by_check():
    with pytest.raises(IntegrationError, match="the target of control"):
        lw.dynamics(controlled("1/(0.5 - t)", 60, kp=10.0, kd=2.0), t_end=1.0, steps=10)
    found = lw.check(controlled("sqrt(0.5 - t)", kp=10.0)).findings
    assert [(f.code, f.elements) for f in found if f.code != "free"] == [("undefined", ("control",))]
    assert lw.dynamics(controlled("where(t > 0.5, 1.0, 0.0)", kp=10.0), t_end=1.0, steps=2).t[-1] == 1.0  # a jump is none


def test_a_machine_that_sticks_is_told_to():
    m = lw.PlanarModel("block", gravity=(0, -9.81))
    block = m.body("block", 1.0, 1.0, velocity=(1, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Force("rub", block.x, lambda s, v, t: lw.where(v > 0, -2.0, 2.0)))
    with pytest.raises(IntegrationError, match="sticks") as caught:
        lw.dynamics(m, t_end=2.0, steps=20)
    assert caught.value.element == ("rub",)
    assert caught.value.time == pytest.approx(0.5, abs=1e-6)


def test_unknown_words():
    with pytest.raises(ModelError, match="formulation"):
        lw.dynamics(bar_pendulum(), t_end=1.0, formulation="lagrange")
    with pytest.raises(ModelError, match="constraints"):
        lw.dynamics(bar_pendulum(), t_end=1.0, constraints="glue")


def block(law):
    """A block on a rail under a law, and under a harmless one."""
    m = lw.PlanarModel("block")
    body = m.body("block", 1.0, 1.0, position=(1, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
    m.add(lw.Force("bad", body.x, law))
    m.add(lw.Force("good", body.x, lambda s, v, t: -0.1 * s))
    return m


METHODS = ["auto", "adams", "radau", "generalized-alpha", "rk4"]


@pytest.mark.parametrize("method", METHODS)
def test_a_law_that_stops_being_a_number(method):
    step = {"first_step": 0.01} if method == "rk4" else {}
    with pytest.raises(IntegrationError, match="not finite") as caught:
        lw.dynamics(block(lambda s, v, t: lw.sqrt(0.55 - t)), t_end=1.0, steps=10, method=method, **step)
    error = caught.value
    assert error.element == ("bad",)
    assert error.time == pytest.approx(0.55, abs=1e-2 if method == "rk4" else 1e-9)
    assert "root" in error.remedy
    assert error.partial.t == pytest.approx(np.linspace(0, 0.5, 6))
    assert np.isfinite(error.partial["block.x"]).all()


@pytest.mark.parametrize("method", ["auto", "adams", "radau", "hht"])
def test_a_force_that_grows_without_bound_at_a_time(method):
    with pytest.raises(IntegrationError, match=r"the law of bad is not finite near t = 0\.55") as caught:
        lw.dynamics(block(lambda s, v, t: 1 / (t - 0.55)), t_end=1.0, steps=10, method=method)
    assert caught.value.element == ("bad",)
    assert caught.value.time == pytest.approx(0.55, abs=1e-8)
    assert len(caught.value.partial.t) == 6


def test_a_motion_that_escapes_in_finite_time():
    """x'' = x^3 - 0.1 x from rest at 1: by energy, infinity is reached in a finite time."""
    with pytest.raises(IntegrationError, match="step became too small") as caught:
        lw.dynamics(block(lambda s, v, t: s**3), t_end=5.0, steps=10)
    # t = integral from 1 to infinity of dx/sqrt((x^4 - 1)/2 - 0.1 (x^2 - 1)); x = 1/cos(theta), midpoints in theta
    u = np.cos((np.arange(200) + 0.5) * np.pi / 400)
    time = np.pi / 400 * np.sum(np.sqrt(1 - u**2) / np.sqrt((1 - u**4) / 2 - 0.1 * (u**2 - u**4)))
    assert caught.value.time == pytest.approx(time, rel=1e-6)
    assert "grow" in caught.value.cause


@pytest.mark.parametrize("wrong", ["raises", "nan"])
def test_a_python_law_that_fails_on_the_way(wrong):
    def law(s, v, t):
        if t > 0.35:
            if wrong == "nan":
                return float("nan")
            raise RuntimeError("no more data")
        return -s if s > 0 else s

    with pytest.warns(UserWarning, match="cannot be traced"), pytest.raises(IntegrationError) as caught:
        lw.dynamics(block(law), t_end=1.0, steps=10, rtol=1e-6)
    error = caught.value
    assert error.element == ("bad",)
    assert error.time == pytest.approx(0.35, abs=1e-9)
    assert ("gave nan" if wrong == "nan" else "RuntimeError: no more data") in error.cause
    assert "t = 0.35" in error.cause
    assert error.partial.t == pytest.approx([0, 0.1, 0.2, 0.3])


def test_a_stiff_machine_given_to_an_explicit_method():
    law = {"law": lambda s, v, t: -1e6 * (v - lw.cos(t))}
    with pytest.raises(IntegrationError, match="stiff") as caught:
        lw.dynamics(block(**law), t_end=10.0, steps=10, method="dopri5", max_steps=2000)
    assert "radau" in caught.value.remedy
    assert caught.value.element == ("bad",)
    assert caught.value.partial.audit.steps == 2000
    d = lw.dynamics(block(**law), t_end=10.0, steps=10, method="radau")
    assert d["block.vx"][1:] == pytest.approx(np.cos(d.t[1:]), abs=2e-6)  # lags by the time constant


def test_too_few_steps_allowed():
    with pytest.raises(IntegrationError, match="number of steps") as caught:
        lw.dynamics(block(lambda s, v, t: -100 * s), t_end=100.0, steps=1000, max_steps=30)
    partial = caught.value.partial
    assert "max_steps" in caught.value.remedy
    assert partial.audit.steps == 30
    assert 0 < partial.t[-1] <= caught.value.time < partial.t[-1] + 0.1
    assert partial["block.x"] == pytest.approx(np.cos(np.sqrt(100.1) * partial.t), abs=1e-6)


def locking(driven=True):
    """A slider-crank whose rod is shorter than its crank: it locks where the crank's pin is 0.8 above the rail."""
    m = lw.PlanarModel("locks")
    phi = 0.3
    beta = np.arcsin(np.sin(phi) / 0.8)
    x = np.cos(phi) + 0.8 * np.cos(beta)
    crank = m.body("crank", 1.0, 0.1, angle=phi)
    rod = m.body("rod", 1.0, 0.1, position=((np.cos(phi) + x) / 2, np.sin(phi) / 2), angle=-beta)
    slider = m.body("slider", 1.0, 0.1, position=(x, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(1, 0), rod.at(-0.4, 0)))
    m.add(lw.Revolute("C", rod.at(0.4, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", pin.angle, "0.3 + t"))
    return m


@pytest.mark.parametrize(
    "how",
    [{}, {"method": "adams"}, {"method": "radau"}, {"method": "generalized-alpha"}, {"constraints": "partitioning"},
     {"constraints": "hybrid"}, {"constraints": "augmented"}],
)  # fmt: skip
def test_a_driven_machine_that_locks(how):
    with pytest.raises(SingularityError, match="locks up") as caught:
        lw.dynamics(locking(), t_end=2.0, steps=20, **how)
    error = caught.value
    assert error.kind == "lock-up"
    assert error.driver == "motor"
    assert set(error.element) == {"A", "B", "C", "D", "motor"}
    # the smallest singular value goes as the root of twice the time that is left: 2e-3, where it counts as locked, is 2e-6 s
    assert error.time == pytest.approx(np.arcsin(0.8) - 0.3, abs=2e-6)
    assert error.partial.t == pytest.approx(np.linspace(0, 0.6, 7))
    assert error.partial["crank.angle"] == pytest.approx(0.3 + error.partial.t, abs=1e-7)


@pytest.mark.parametrize("how", ["direct", "stabilization"])
def test_joints_that_come_apart_are_told(how):
    """Without projection nothing holds a machine that should lock: the run ends with an error, not with a wrong motion."""
    with pytest.raises(IntegrationError, match="come apart") as caught:
        lw.dynamics(locking(), t_end=2.0, steps=20, constraints=how)
    assert caught.value.time > np.arcsin(0.8) - 0.3
    assert "projection" in caught.value.remedy


@pytest.mark.parametrize(
    ("options", "element"),
    [({"max_step": 0.0}, "max_step"), ({"max_step": float("nan")}, "max_step"), ({"first_step": -0.1}, "first_step"),
     ({"rtol": -1e-3}, "rtol"), ({"rtol": float("nan")}, "rtol"), ({"atol": float("inf")}, "rtol"),
     ({"method": "rk4"}, "rk4"), ({"constraints": "stabilization", "gains": (-5.0, 5.0)}, "gains"),
     ({"method": "euler"}, "method")],
)  # fmt: skip
def test_wrong_numbers_are_refused_at_once(options, element):
    with pytest.raises(lw.LinkwrightError) as caught:
        lw.dynamics(bar_pendulum(), t_end=1.0, **options)
    assert caught.value.element == (element,)


def test_many_turns_are_no_error_of_the_joints():
    """Angles in space are followed through their whole turns, without projection too."""
    m = lw.SpatialModel("wheel")
    wheel = m.body("wheel", mass=1.0, inertia=(1, 1, 1))
    axle = m.add(lw.Revolute("axle", m.ground.at(0, 0, 0), wheel.at(0, 0, 0)))
    m.add(lw.Driver("motor", axle.angle, "2*pi*t"))
    d = lw.dynamics(m, t_end=2.5, steps=5, constraints="direct")
    assert d["axle.angle"][-1] == pytest.approx(5 * np.pi, abs=1e-6)  # rtol 1e-8 over a few turns


@pytest.mark.parametrize(
    ("wrong", "element"),
    [
        ({"rtol": "x"}, "rtol"),
        ({"rtol": -1}, "rtol"),
        ({"atol": float("nan")}, "atol"),
        ({"max_step": "x"}, "max_step"),
        ({"max_steps": 2.5}, "max_steps"),
        ({"gains": (1,), "constraints": "stabilization"}, "gains"),
        ({"gains": 5, "constraints": "stabilization"}, "gains"),
        ({"events": ["bar.x"]}, "events"),
        ({"events": "bar.x"}, "events"),
        ({"start": 3}, "start"),
        ({"start": {}}, "start"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(wrong, element):
    with pytest.raises(ModelError) as caught:
        lw.dynamics(bar_pendulum(), t_end=1.0, steps=1, **wrong)
    assert caught.value.element == (element,)
    assert caught.value.remedy


@pytest.mark.parametrize("Model", [lw.PlanarModel, lw.SpatialModel])
def test_a_machine_without_a_body(Model, tmp_path):
    for asked in (lambda m: lw.dynamics(m, t_end=1.0, steps=1), lw.steady):
        with pytest.raises(ModelError, match="no body that can move") as caught:
            asked(Model("bare"))
        assert caught.value.element == ("bare",)
    lw.page(Model("bare"), tmp_path / "bare.html", analysis="dynamics", t_end=1.0)  # the page says so itself


def test_velocities_that_contradict_each_other_are_named():
    m = bar_pendulum()
    m.fix(m["bar"].omega, 1.0)
    m.fix(m["bar"].vx, 50.0)
    with pytest.raises(ModelError, match="no velocity satisfies") as caught:
        lw.dynamics(m, t_end=1.0, steps=1)
    assert "fix(bar.omega)" in caught.value.element
    assert set(caught.value.element) <= {"fix(bar.omega)", "fix(bar.vx)", *m.elements}
