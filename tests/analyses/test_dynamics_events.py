"""Events: located, stopping, changing the state; impacts; switched laws; laws in plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import linkwright as lw
from chapter8_machines import struck_coil
from linkwright.errors import IntegrationError, ModelError
from loaded_machines import bar_pendulum


@pytest.mark.parametrize("method", ["auto", "dopri5", "adams", "rk4", "radau"])
def test_events_are_located_and_may_stop(method):
    """A free fall from 1 m passes 0.5 m at sqrt(1/g), the floor at sqrt(2/g)."""
    m = lw.PlanarModel("fall", gravity=(0, -9.81))
    ball = m.body("ball", 1.0, 1.0, position=(0, 1))
    events = {"half": ball.y - 0.5, "floor": lw.Watch(ball.y, -1, stop=True)}
    step = {"first_step": 0.03} if method == "rk4" else {}
    d = lw.dynamics(m, t_end=2.0, steps=20, method=method, events=events, **step)
    assert [name for _, name in d.events] == ["half", "floor"]
    assert [t for t, _ in d.events] == pytest.approx([np.sqrt(1 / 9.81), np.sqrt(2 / 9.81)], abs=1e-10)
    assert d.t[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)


@pytest.mark.parametrize("method", ["dopri5", "dop853", "adams", "radau"])
def test_the_quantity_is_zero_in_the_state_where_it_stops(method):
    """Joints hold there, and the quantity is zero to rounding, whatever the tolerance: the place of a swinging bar's tip."""
    m = bar_pendulum()
    stop = lw.Watch(m["bar"].y + 0.4, stop=True)
    d = lw.dynamics(m, t_end=2.0, steps=2, method=method, rtol=1e-5, events={"pass": stop})
    assert abs(d["bar.y"][-1] + 0.4) < 1e-14
    assert d.violation.position[-1] < 1e-14
    assert d.events[-1] == (d.t[-1], "pass")


def test_impact_and_chatter_of_the_coil_spring():
    """Haug 8.4, k = 50, contact stiffness 1e5: switch times by exact modal propagation."""
    m = struck_coil(k=50, contact=1e5)
    gap = m["block"].x - m["b6"].x
    d = lw.dynamics(m, t_eval=[0, 0.5, 1.0, 2.0], rtol=1e-10, atol=1e-12, events={"gap": gap})
    times = [0.0155189147, 0.4949456405, 0.5105474369, 1.0452382227, 1.0608185341, 1.6115488740, 1.6271148581]
    assert [t for t, _ in d.events if t > 1e-6] == pytest.approx(times, abs=1e-8)
    assert d["b6.x"][1:] == pytest.approx([1.1528792532, 1.1028568399, 1.0100782954], abs=1e-8)
    assert d["block.vx"][1:] == pytest.approx([-0.0938051784, -0.0895746142, -0.0790524134], abs=1e-8)


def test_a_bouncing_ball():
    """Restitution 0.8: impacts at sqrt(2h/g) (1 + 2 e + 2 e^2 + ...), heights fall by e^2; the loss is accounted for."""
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball = m.body("ball", 2.0, 1.0, position=(0, 1.25 + 0.1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), restitution=0.8))
    d = lw.dynamics(m, t_eval=[0, 0.5, 0.9, 1.3, 2.0])
    assert [t for t, _ in d.events] == pytest.approx([0.5, 1.3, 1.94], abs=1e-9)
    assert d["ball.y"][2] == pytest.approx(0.1 + 1.25 * 0.64, abs=1e-9)  # the top of the first bounce
    assert d["ball.vy"][4] == pytest.approx(5 * 0.8**3 - 10 * 0.06, abs=1e-8)
    assert d.audit.energy_error < 1e-9
    d = lw.dynamics(m, t_end=6.0, steps=6)
    assert d.events[-1][1] == "floor rests"
    assert d.events[-1][0] == pytest.approx(0.5 + 2 * 0.5 * 0.8 / 0.2, rel=1e-5)  # the sum of all flights


def test_an_impact_with_joints_keeps_them():
    """A bar on a pin strikes a stop: the pin holds, the rate turns round times the restitution."""
    m = lw.PlanarModel("bar")
    bar = m.body("bar", 3.0, 1.0, position=(1, 0), omega=-2.0)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    m.add(lw.Stop("stop", pin.angle, lower=-0.5, restitution=0.5))
    d = lw.dynamics(m, t_eval=[0, 0.2, 0.3])
    assert d.events == [(pytest.approx(0.25, abs=1e-10), "stop")]
    assert d["bar.omega"] == pytest.approx([-2, -2, 1])
    assert d.violation.velocity.max() < 1e-12
    assert d["pin.angle"][2] == pytest.approx(-0.45, abs=1e-9)


def test_an_impact_between_two_moving_bodies():
    """A ball strikes the tip of a hinged bar: momentum about the pin stays, speeds part by the restitution times the old."""
    m = lw.PlanarModel("strike")
    v, e, mass, J, L = 2.0, 0.6, 0.5, 4 / 3, 1.0  # J of the bar about its pin
    bar = m.body("bar", 4.0, 1 / 3, position=(0.5, 0))
    ball = m.body("ball", mass, 0.01, position=(1.0, 1.0), velocity=(0, -v))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0)))
    m.add(lw.Contact("hit", ball.at(0, 0), bar.at(0.5, 0), radii=(0.1, 0.1), on="sphere", restitution=e))
    d = lw.dynamics(m, t_eval=[0, 0.4 + 1e-9, 0.5])
    assert d.events == [(pytest.approx(0.8 / v, abs=1e-10), "hit")]
    omega = (1 + e) * mass * v * L / (J + mass * L**2)
    assert d["bar.omega"][1:] == pytest.approx([-omega, -omega], rel=1e-9)
    assert d["ball.vy"][1] == pytest.approx(-v + J * omega / (mass * L), rel=1e-9)
    assert d.violation.velocity.max() < 1e-12
    lost = 0.5 * mass * v**2 - 0.5 * J * omega**2 - 0.5 * mass * d["ball.vy"][1] ** 2
    assert d.energy.work[1] == pytest.approx(-lost, rel=1e-9)


def test_a_law_in_plain_python_gives_the_same_motion():
    def model(law):
        m = lw.PlanarModel("oscillator")
        block = m.body("block", 1.0, 1.0, position=(1, 0))
        m.add(lw.Force("law", block.x, law))
        return m

    with pytest.warns(UserWarning, match="cannot be traced"):
        plain = lw.dynamics(model(lambda s, v, t: -4.0 * s if abs(s) < 10 else 0.0), t_eval=[0, np.pi / 2], rtol=1e-9)
    traced = lw.dynamics(model(lambda s, v, t: -4.0 * s), t_eval=[0, np.pi / 2], rtol=1e-9)
    assert plain["block.x"][1] == pytest.approx(-1, abs=1e-7)
    assert plain["block.x"] == pytest.approx(traced["block.x"], abs=1e-7)


def test_the_price_of_plain_python_is_told_once():
    """Once a run, though the law is called hundreds of times; the warning names the element."""
    m = lw.PlanarModel("oscillator")
    block = m.body("block", 1.0, 1.0, position=(1, 0))
    calls = []

    def law(s, v, t):
        calls.append(t)
        return -4.0 * s if s < 10 else 0.0

    m.add(lw.Force("law", block.x, law))
    with pytest.warns(UserWarning, match="law of law cannot be traced.*called from Python") as caught:
        lw.dynamics(m, t_eval=[0, 1.0], rtol=1e-6)
    assert len([w for w in caught if "cannot be traced" in str(w.message)]) == 1
    assert len(calls) > 100


# -- changes of the state -------------------------------------------------------------------------------------------------


def test_a_change_of_velocity_bounces_a_ball():
    """As a contact with restitution 0.8 would: impacts at 0.5, 1.3, 1.94 s (g = 10, height 1.25)."""
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball = m.body("ball", 2.0, 1.0, position=(0, 1.25))
    floor = lw.Watch(ball.y, -1, change=lambda s: {"ball.vy": -0.8 * s["ball.vy"]})
    d = lw.dynamics(m, t_eval=[0, 0.9, 2.0], events={"floor": floor})
    assert [t for t, _ in d.events] == pytest.approx([0.5, 1.3, 1.94], abs=1e-10)
    assert d["ball.y"][1] == pytest.approx(1.25 * 0.64, abs=1e-9)
    assert d.energy.work[1] == pytest.approx(-2.0 * 10 * 1.25 * 0.36, rel=1e-9)  # what the bounce took


def test_a_change_keeps_the_joints():
    """A blow that stops the tip of a double bar: momenta about the free directions change only by the blow's impulse."""
    m = lw.PlanarModel("double")
    a = m.body("a", 1.0, 1 / 12, position=(0.5, 0), omega=1.0)
    b = m.body("b", 2.0, 1 / 6, position=(1.5, 0), omega=1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    blow = lw.Watch(a.angle - 0.5, change=lambda s: {"b.omega": 0.0})
    d = lw.dynamics(m, t_eval=[0, 0.4, 0.5 + 1e-9, 0.8], rtol=1e-11, atol=1e-12, events={"blow": blow})
    assert d.events == [(pytest.approx(0.5, abs=1e-10), "blow")]
    assert d["b.omega"][2] == pytest.approx(0.0, abs=1e-7)
    # of a straight double bar: M22 dw2 + M12 dw1 = p, M11 dw1 + M12 dw2 = 0, M11 = 1/3 + 2, M12 = 2 l1 l2/2 = 1
    assert d["a.omega"][2] == pytest.approx(1.0 + 1.0 / (1 / 3 + 2), rel=1e-7)
    assert d.violation.velocity.max() < 1e-12
    assert d.audit.energy_error < 1e-9


def test_a_change_of_position_is_assembled():
    """The pendulum is lifted to a new angle whenever it passes its lowest point: the pin holds, energy is accounted for."""
    m = bar_pendulum(omega=1.0)
    low = lw.Watch(m["bar"].angle - 1.5 * np.pi, -1, change=lambda s: {"bar.angle": 1.5 * np.pi + 0.2, "bar.omega": 0.0})
    d = lw.dynamics(m, t_end=2.0, steps=40, events={"low": low})
    after = np.searchsorted(d.t, d.events[0][0])
    assert len(d.events) > 1
    assert d["bar.angle"][after:].max() <= 1.5 * np.pi + 0.2 + 1e-9
    assert d["bar.x"] == pytest.approx(np.cos(d["bar.angle"]), abs=1e-11)
    assert d.audit.energy_error < 1e-8


def test_a_change_may_only_restart_or_stop():
    m = bar_pendulum()
    plain = lw.dynamics(m, t_eval=[0, 1.0], rtol=1e-11, atol=1e-12)
    seen = []
    again = lw.Watch(m["bar"].omega - 4.0, change=lambda s: seen.append((s.t, s["bar.omega"])))
    d = lw.dynamics(m, t_eval=[0, 1.0], rtol=1e-11, atol=1e-12, events={"again": again})
    assert d["bar.angle"][1] == pytest.approx(plain["bar.angle"][1], abs=1e-9)
    assert [t for t, _ in seen] == [t for t, _ in d.events]
    assert [w for _, w in seen] == pytest.approx([4.0] * len(seen), abs=1e-9)
    last = lw.Watch(m["bar"].omega - 4.0, stop=True, change=lambda s: {"bar.omega": 0.0})
    d = lw.dynamics(m, t_eval=[0, 1.0], events={"last": last})
    assert d.t[-1] == pytest.approx(seen[0][0], abs=1e-9)
    assert d["bar.omega"][-1] == pytest.approx(0.0, abs=1e-12)


def test_wrong_changes_are_named():
    def run(change):
        m = bar_pendulum()
        lw.dynamics(m, t_end=1.0, steps=10, events={"kick": lw.Watch(m["bar"].omega - 4.0, change=change)})

    with pytest.raises(ModelError, match=r"sets 'bar\.speed'") as caught:
        run(lambda s: {"bar.speed": 1.0})
    assert caught.value.element == ("kick",)
    assert len(caught.value.partial.t) > 1  # what was computed until then
    with pytest.raises(ModelError, match="raised ZeroDivisionError"):
        run(lambda s: {"bar.omega": 1 / 0})
    with pytest.raises(ModelError, match=r"do not allow the velocities bar\.vx, bar\.omega"):
        run(lambda s: {"bar.vx": 5.0, "bar.omega": 0.0})
    with pytest.raises(ModelError, match=r"do not allow the positions bar\.x"):
        run(lambda s: {"bar.x": 1e3})
    with pytest.raises(ModelError, match="direction"):
        lw.dynamics(bar_pendulum(), t_end=1.0, events={"x": lw.Watch(bar_pendulum()["bar"].x, direction=2)})


# -- methods of second order ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_events_of_second_order_methods(method):
    """Located on the interpolant; a free fall is met exactly by the methods."""
    m = lw.PlanarModel("fall", gravity=(0, -9.81))
    ball = m.body("ball", 1.0, 1.0, position=(0, 1))
    events = {"half": ball.y - 0.5, "floor": lw.Watch(ball.y, -1, stop=True)}
    d = lw.dynamics(m, t_end=2.0, steps=20, events=events, method=method)
    assert [name for _, name in d.events] == ["half", "floor"]
    assert [t for t, _ in d.events] == pytest.approx([np.sqrt(1 / 9.81), np.sqrt(2 / 9.81)], abs=1e-9)
    assert d.t[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)


SECOND_ORDER = [("generalized-alpha", "ggl"), ("hht", "ggl"), ("generalized-alpha", "index-3")]


@pytest.mark.parametrize(("method", "constraints"), SECOND_ORDER)
def test_impacts_of_second_order_methods(method, constraints):
    """A free fall is met exactly by the methods: a ball falls 1.25 m in 0.5 s, flies up and down again at 4/5 of its speed,
    and again; one that hardly bounces comes to rest, and then weighs on the floor."""
    m = ball_above(1.25, 0.0, restitution=0.8)
    d = lw.dynamics(m, t_eval=[0, 0.9, 1.5], method=method, constraints=constraints)
    assert [t for t, _ in d.events] == pytest.approx([0.5, 1.3], abs=1e-9)
    assert d["ball.y"][1:] == pytest.approx([4 * 0.4 - 5 * 0.4**2, 3.2 * 0.2 - 5 * 0.2**2], abs=1e-9)
    assert d["ball.vy"][1:] == pytest.approx([4 - 10 * 0.4, 3.2 - 10 * 0.2], abs=1e-8)
    m = ball_above(0.05, 0.0, restitution=0.1)
    d = lw.dynamics(m, t_eval=[0, 1.0], method=method, constraints=constraints)
    assert d.events[-1][1] == "floor rests"
    assert d["floor.force"][-1] == pytest.approx(10.0, abs=1e-9)
    assert d["ball.ay"][-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("method", "constraints"), SECOND_ORDER)
def test_laws_that_switch_are_met_by_second_order_methods(method, constraints):
    """A force of 3 N to the left of the origin, of -1 N to its right: parabolas from the very place where it changes."""
    m = lw.PlanarModel("block")
    block = m.body("block", 1.0, 1.0, position=(-1.5, 0))
    m.add(lw.Force("field", block.x, lambda x, v, t: lw.where(x > 0, -1.0, 3.0)))
    d = lw.dynamics(m, t_eval=[0, 1.0, 4.0, 8.0], method=method, constraints=constraints)
    # at the origin after 1 s with 3 m/s, back there after 6 s more, then to the left for a second
    assert d["block.x"][1:] == pytest.approx([0.0, 4.5, -1.5], abs=1e-8)
    assert d["block.vx"][1:] == pytest.approx([3.0, 0.0, 0.0], abs=1e-8)
    assert d.energy.work[1:] == pytest.approx([4.5, 0.0, 0.0], abs=1e-8)  # up to the very place where the law changes
    assert d.audit.switches == 2


@pytest.mark.filterwarnings("ignore:the law of")
@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_changes_of_state_and_laws_in_plain_python_of_second_order_methods(method):
    m = lw.PlanarModel("block")
    block = m.body("block", 2.0, 1.0, velocity=(1.0, 0))
    m.add(lw.Force("push", block.x, lambda x, v, t: 2.0 if t < 5 else 0.0))  # a plain function of numbers
    stop = lw.Watch(block.x - 1.5, 1, change=lambda s: {"block.vx": 0.5 * s["block.vx"]})
    d = lw.dynamics(m, t_eval=[0, 2.0], method=method, events={"wall": stop})
    assert d.events[0][0] == pytest.approx(1.0, abs=1e-9)  # x = t + t^2/2; there 2 m/s become 1 m/s
    assert d["block.x"][-1] == pytest.approx(1.5 + 1.0 + 0.5, abs=1e-9)
    assert d.audit.energy_error < 1e-9  # what the change took is counted as work


@pytest.mark.filterwarnings("ignore:the law of")
def test_accelerations_that_follow_from_laws_in_plain_python_are_watched_by_second_order_methods():
    m = lw.PlanarModel("block")
    block = m.body("block", 2.0, 1.0, velocity=(1.0, 0))
    m.add(lw.Force("push", block.x, lambda x, v, t: 3.0 - float(t)))
    d = lw.dynamics(m, t_eval=[0, 4.0], method="hht", events={"half": "block.ax - 0.5", "none": "block.ax"})
    assert [t for t, _ in d.events] == pytest.approx([2.0, 3.0], abs=1e-9)


@pytest.mark.filterwarnings("ignore:the law of")
def test_errors_of_laws_in_plain_python_in_second_order_methods():
    m = bar_pendulum()

    def law(s, v, t):
        return 1.0 / 0.0 if t > 0.3 else 0.0

    m.add(lw.Force("law", m["bar"].x, law))
    with pytest.raises(lw.IntegrationError, match="ZeroDivisionError") as caught:
        lw.dynamics(m, t_end=1.0, steps=10, method="generalized-alpha")
    assert caught.value.element == ("law",)
    assert caught.value.time == pytest.approx(0.3, abs=1e-6)


def ball_above(height, speed, **contact):
    m = lw.PlanarModel("ball", gravity=(0, -10.0))
    ball = m.body("ball", 1.0, 1.0, position=(0, height), velocity=(0, speed))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), **contact))
    return m


def test_an_impact_at_the_start_is_not_missed():
    """Thrown down from the floor itself at 1 m/s, restitution 1/2: up at 1/2 m/s, the next impact after 0.1 s."""
    d = lw.dynamics(ball_above(0.0, -1.0, restitution=0.5), t_end=0.08, steps=2)
    assert [t for t, _ in d.events] == [0.0]
    assert d["ball.y"][1:] == pytest.approx([0.5 * t - 5 * t * t for t in (0.04, 0.08)], abs=1e-12)
    assert lw.dynamics(ball_above(0.0, 0.0, restitution=0.5), t_end=1.0, steps=1).events == [(0.0, "floor rests")]
    with pytest.raises(IntegrationError, match=r"within each other by 0\.1") as caught:
        lw.dynamics(ball_above(-0.1, 0.0, restitution=0.5), t_end=1.0, steps=1)
    assert caught.value.element == ("floor",)


def test_a_blow_goes_on_to_the_last_of_three_balls():
    """Newton's cradle: the second and the third touch from the start; of equal masses the last takes all of the velocity."""
    m = lw.PlanarModel("cradle")
    balls = [m.body(f"b{k}", 1.0, 1.0, position=(x, 0)) for k, x in enumerate((-1.0, 0.2, 0.4))]
    balls[0].guess(velocity=(1.0, 0.0))
    for ball in balls:
        m.add(lw.Translational(f"rail {ball.name}", m.ground.at(0, 0, angle=0), ball.at(0, 0, angle=0)))
    for a, b in pairwise(balls):
        m.add(lw.Contact(f"{a.name} {b.name}", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.1), on="sphere", restitution=1.0))
    d = lw.dynamics(m, t_end=2.0, steps=1)
    assert [d[f"b{k}.vx"][-1] for k in range(3)] == pytest.approx([0, 0, 1], abs=1e-12)
    assert [name for _, name in d.events] == ["b0 b1", "b1 b2"]


@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
def test_impacts_that_come_to_rest_between_two_contacts(rtol):
    """Two links caught by the floor and by a stop of their joint: impacts on either follow faster and faster, until both
    stay closed, and push."""
    m = lw.PlanarModel("links", gravity=(0, -9.81))
    a = m.body("a", 1.0, 0.05, com=(0.5, 0))
    b = m.body("b", 0.5, 0.02, com=(0.3, 0), position=(1, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    pin = m.add(lw.Revolute("B", a.at(1, 0), b.at(0, 0)))
    tip = m.add(lw.Contact("floor", b.at(0.6, 0), m.ground.at(0, -1.2, angle=0), restitution=0.7))
    m.add(lw.Stop("stop", pin.angle, lower=-0.5, upper=0.5, restitution=0.7))
    d = lw.dynamics(m, t_end=1.5, t_eval=np.linspace(0, 1.5, 151), rtol=rtol)
    rests = {name: t for t, name in d.events if name.endswith("rests")}
    assert max(rests.values()) == pytest.approx(1.238, abs=2e-3)
    assert (d[lw.component(tip.P, "y")] > -1.2 - 1e-6).all()
    assert (np.abs(d["B.angle"]) < 0.5 + 1e-6).all()
    assert d["floor.force"].min() >= 0
    assert d["floor.force"][-1] > 0
    assert d["stop.force"][-1] != 0
    assert [d["a.omega"][-1], d["b.omega"][-1]] == pytest.approx([0, 0], abs=1e-9)
    assert max(np.abs(x).max() for x in d.imbalance.values()) < 1e-8


@pytest.mark.parametrize("law", ["linear", "hunt-crossley"])
def test_the_energy_of_a_damped_contact_is_accounted_for(law):
    """Potential while it is pressed, lost by the damper; the balance is as good as the motion, through touch and release."""
    m = ball_above(0.05, -1.0, k=1e4, c=60.0, law=law)
    balance = {}
    for rtol in (1e-7, 1e-10):
        d = lw.dynamics(m, t_end=0.3, steps=300, rtol=rtol)
        balance[rtol] = d.audit.energy_error
        pressed = np.maximum(-d["ball.y"], 0.0)
        n = 1.0 if law == "linear" else 1.5
        assert d.energy.potential == pytest.approx(10 * d["ball.y"] + 1e4 * pressed ** (n + 1) / (n + 1), abs=1e-12)
    assert balance[1e-7] < 1e-5
    assert balance[1e-10] < 1e-8


@pytest.mark.parametrize("method", ["auto", "dopri5", "radau", "generalized-alpha"])
def test_crowded_events_are_all_found(method):
    """A pendulum let go from the horizontal passes a zero of sin(500 pi angle) at every angle of 2 mrad, down and up."""
    d = lw.dynamics(bar_pendulum(), t_end=1.0, steps=1000, method=method, events={"tick": "sin(500*pi*pin.angle + 0.3)"})
    phase = np.floor((500 * np.pi * d["pin.angle"] + 0.3) / np.pi)
    assert len(d.events) == np.abs(np.diff(phase)).sum() > 1000
    assert not [note for note in d.audit.notes if "missed" in note]


@pytest.mark.parametrize("large", [False, True])
def test_events_too_crowded_to_be_counted_are_told(large):
    m = lw.PlanarModel("many", gravity=(0, -9.81))
    for k in range(60 if large else 1):
        m.body(f"b{k}", 1.0, 0.1, velocity=(0.0, 1.0 + k))
    d = lw.dynamics(m, t_end=0.1, steps=1, events={"tick": "sin(1e8*b0.y)", "slow": "b0.y - 0.01"})
    assert [note for note in d.audit.notes if "missed" in note and note.endswith("tick; give a smaller max_step")]
    assert "slow" in [name for _, name in d.events]


@pytest.mark.parametrize("others", [0, 59])
def test_thousands_of_impacts(others):
    """A sled between two elastic walls, alone and in a large machine: an impact a second, a step each but for a few."""
    m = lw.PlanarModel("walls")
    sled = m.body("sled", 1.0, 0.1, position=(0.5, 0), velocity=(1.0, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), sled.at(0, 0, angle=0)))
    m.add(lw.Stop("walls", sled.x, lower=0.0, upper=1.0, restitution=1.0))
    for k in range(others):
        m.body(f"b{k}", 1.0, 0.1, position=(k, 1))
    count = 500 if others else 2000
    d = lw.dynamics(m, t_end=float(count), steps=4)
    # each is located to four roundings of the time, and those add up
    assert [t for t, _ in d.events] == pytest.approx(np.arange(count) + 0.5, abs=4 * 2.2e-16 * count * count)
    assert np.abs(d["sled.vx"]) == pytest.approx(1.0, abs=1e-12)
    assert d.audit.steps < 1.1 * count
    assert d.audit.evaluations < 18 * count  # one step of the method, and what its first step takes


@pytest.mark.parametrize("method", ["dopri5", "hht"])
def test_the_limit_of_steps_counts_across_events(method):
    often = lw.Watch(lambda s: lw.sin(20 * s["bar.angle"]), change=lambda s: None)
    with pytest.raises(lw.IntegrationError, match="steps") as caught:
        lw.dynamics(bar_pendulum(), t_end=2.0, steps=100, method=method, max_steps=60, events={"often": often})
    assert caught.value.partial.audit.steps == 60
    assert len(caught.value.partial.events) > 2
