"""The ready machines whose bodies touch: facts of each in closed form."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example

G = 9.81


def run(name, t_end=None, t_eval=None, **values):
    chosen = example(name)
    model = chosen.load()
    model.set(**values)
    if t_eval is not None:
        return model, lw.dynamics(model, t_eval=t_eval)
    return model, lw.dynamics(model, t_end=t_end or chosen.t_end, steps=chosen.steps)


def at(d, name):
    return [t for t, n in d.events if n == name]


def test_a_bouncing_ball_comes_to_rest_in_time():
    """At sqrt(2 h/g) (1 + e)/(1 - e), as near as impacts are located."""
    for e in (0.8, 0.6):
        _, d = run("bouncing-ball", e=e)
        end = np.sqrt(2 * 0.5 / G) * (1 + e) / (1 - e)
        assert at(d, "floor rests") == pytest.approx([end], abs=1e-8)
        lies = d.t > end
        assert d["ball.y"][lies] == pytest.approx(0.05, abs=1e-10)
        assert d["floor.force"][lies] == pytest.approx(0.1 * G, rel=1e-10)
        assert d["ball.x"] == pytest.approx(0.2 * d.t, abs=1e-9)
        assert d.audit.energy_error < 1e-8


def test_the_last_ball_of_the_cradle_leaves():
    """By as much as the first was lifted, and back; those in between stand. A pendulum of the inertia J + m L^2 has the
    period 4 K(sin(lift/2)) sqrt((J + m L^2)/(m g L)): after half of it the last ball is at its highest."""
    from scipy.special import ellipk

    lift, m, L, J = np.radians(40), 0.25, 0.3, 4e-5
    T = 4 * ellipk(np.sin(lift / 2) ** 2) * np.sqrt((J + m * L**2) / (m * G * L))
    _, d = run("newtons-cradle", t_eval=[0, T / 2, T])
    assert [d[f"ball {k}.angle"][1] for k in range(1, 6)] == pytest.approx([0, 0, 0, 0, lift], abs=1e-6)
    assert [d[f"ball {k}.angle"][2] for k in range(1, 6)] == pytest.approx([-lift, 0, 0, 0, 0], abs=1e-6)
    assert at(d, "touch 1") == pytest.approx([T / 4, 3 * T / 4], abs=1e-8)
    assert d.audit.energy_error < 1e-7


def test_the_geneva_wheel_turns_by_quarters():
    """Within the play of the pin, which is 2e-5 m at 0.03 m from the wheel's axle where the slot drives last. In between the
    wheel points to the pin: tan = a sin/(C - a cos)."""
    _, d = run("geneva", t_end=1.0)
    play, C, a = 2e-5, 0.1, round(0.1 * np.sin(np.pi / 4), 6)
    assert d["wheel.angle"][0] == 0
    assert d["wheel.angle"][-1] == pytest.approx(-np.pi / 2, abs=10 * play / (C - a))
    assert abs(d["wheel.omega"][-1]) < 0.05 * np.abs(d["wheel.omega"]).max()
    turn = d["crank.angle"] - 2 * np.pi
    inside = np.abs(turn) < np.pi / 4 - 0.05
    line = np.arctan2(a * np.sin(turn), C - a * np.cos(turn))
    assert d["wheel.angle"][inside] == pytest.approx(-np.pi / 4 - line[inside], abs=play / (C - a) + 1e-4)
    times = [t for t, _ in d.events]
    assert [times[0], times[-1]] == pytest.approx([0.375, 0.625], abs=0.01)  # an eighth of a turn about the middle


def test_the_latch_holds_the_door():
    """The bolt is pushed in by no more than the bevel is wide, snaps back, and then holds the door by its square back:
    force times the arm of the edge is the torque that opens."""
    _, d = run("latch")
    bolt = d["slide.displacement"]
    assert 0.015 < bolt.max() < 0.03
    after = d.t > 1.5
    assert bolt[after] == pytest.approx(0, abs=1e-9)
    assert np.ptp(d["door.angle"][after]) < 1e-9
    assert 0 < d["door.angle"][-1] < 0.05
    assert d["catch.force"][after] * 0.8 * np.cos(d["door.angle"][after]) == pytest.approx(2.0, rel=1e-9)
    assert d["out.force"][-1] == pytest.approx(200 * (0.16 - 0.13), rel=1e-9)  # the spring; the door does not push the bolt
    _, d = run("latch", t_end=1.5, k=0.001)  # a bolt that does not snap back holds nothing
    assert d["door.angle"][-1] > 0.1


def test_the_ratchet_turns_one_way():
    """Forward by two teeth and more, back by less than one; then the moments of the pawl on the wheel are the torque."""
    model, d = run("ratchet")
    angle = d["wheel.angle"]
    tooth = 2 * np.pi / 10
    assert angle.min() < -2 * tooth + 0.3
    assert angle[-1] - angle.min() < tooth
    assert np.ptp(angle[d.t > 0.5]) < 1e-9
    assert pawl_moment(model, d) == pytest.approx(-0.06, rel=1e-6)


def test_the_ball_slides_then_rolls():
    """Friction mu m g slows it down by mu g and spins it up by 5/2 mu g/r, until v = r omega at 5/7 of its speed."""
    _, d = run("rolling-ball")
    assert at(d, "lane sticks") == pytest.approx([2 * 7 / (7 * 0.2 * G)], abs=1e-9)
    slides = d.t < at(d, "lane sticks")[0]
    assert d["ball.vx"][slides] == pytest.approx(7 - 0.2 * G * d.t[slides], abs=1e-9)
    assert d["ball.vx"][-1] == pytest.approx(5.0, rel=1e-9)
    assert d["ball.omega"][-1] == pytest.approx(-5.0 / 0.11, rel=1e-9)


def test_the_block_tips_or_slides():
    """By mu against b/h = 0.4. Tipping begins at m g b/h, sliding at mu m g, the force being 50 t."""
    _, d = run("tipping-block", t_end=1.6)
    assert at(d, "left parts") == pytest.approx([10 * G * 0.4 / 50], abs=1e-8)
    assert d["block.angle"][-1] < -1.0  # over
    _, d = run("tipping-block", t_end=1.0, mu=0.3)
    start = 10 * G * 0.3 / 50
    assert at(d, "left slips") == at(d, "right slips") == pytest.approx([start], abs=1e-8)
    assert not at(d, "left parts")
    assert d["block.angle"] == pytest.approx(0.0, abs=1e-12)
    late = np.maximum(d.t - start, 0)
    assert d["block.x"] == pytest.approx(50 * late**3 / 6 / 10, abs=1e-8)


def test_the_block_rocks_to_rest():
    """Pushed for less time it falls back and rocks from edge to edge. Each impact leaves 1 - 3/2 sin^2 of its speed, with
    the angle of the diagonal, sin^2 = b^2/(b^2 + h^2) (Housner 1963); small flights go as the speed: a geometric series."""
    _, d = run("tipping-block", t_end=2.5, until=1.0)
    hits = [t for t, n in d.events if n in ("left", "right")]
    flights = np.diff(hits)
    ratio = 1 - 1.5 * 0.04 / 0.29
    assert len(hits) > 30
    assert flights[21:30] / flights[20:29] == pytest.approx(ratio, abs=1e-5)
    assert max(at(d, "left rests")[-1], at(d, "right rests")[-1]) == pytest.approx(
        hits[-1] + flights[-1] * ratio / (1 - ratio), abs=1e-7
    )
    assert np.abs(d["block.omega"][d.t > 1.7]).max() < 1e-12
    assert d["left.force"][-1] + d["right.force"][-1] == pytest.approx(10 * G, rel=1e-9)


def test_the_gripper_holds_what_friction_can():
    """It holds while mu F > m (g + a), a = 2 pi lift/T^2 of the cycloid; else the part stays where it is, and the pads slide
    until the hand stops: at 1.5 s, where their speed touches zero and changes no sign."""
    m, g_and_a = 2.0, G + 2 * np.pi * 0.2
    assert m * g_and_a < 0.5 * 60
    _, d = run("gripper")
    assert not at(d, "left pad slips")
    up = d.t > 0.1
    assert d["part.y"][up] - d["hand.y"][up] == pytest.approx(-0.16, abs=1e-8)
    assert d["right pad.friction"][-1] == pytest.approx(m * G / 2, rel=1e-9)
    assert d["left pad.force"][-1] == pytest.approx(30.0, rel=1e-9)
    _, d = run("gripper", mu=0.3)
    assert m * G > 0.3 * 60
    assert d["part.y"][-1] == pytest.approx(0.04, abs=1e-9)
    assert at(d, "left pad sticks")[1:] == at(d, "right pad sticks")[1:] == pytest.approx([1.5], abs=1e-9)
    assert d.events[-1][1] == "right pad sticks"


def test_the_escapement_lets_a_tooth_pass_at_each_swing():
    """From one passage of the balance to the next it is a tooth, pi/4. What the barrel gives over that angle keeps it
    swinging; locked teeth press through its pivot, so that its own period is nearly kept."""
    m = example("escapement").load()
    d = lw.dynamics(m, t_end=1.7, steps=340, events={"middle": lw.Watch(m["pivot"].angle, 1)})
    passed = at(d, "middle")
    assert len(passed) == 3
    own = 2 * np.pi * np.sqrt(1e-4 / 0.0158)
    assert np.diff(passed) == pytest.approx(own, rel=0.01)
    angles = np.interp(passed, d.t, d["wheel.angle"])
    assert np.diff(angles) == pytest.approx(np.pi / 4, abs=5e-3)
    assert d["balance.angle"][-100:].max() == pytest.approx(0.106, abs=1e-3)  # a swing as large as the first
    assert d.audit.energy_error < 1e-7


def pawl_moment(model, d):
    """Of the forces of the pawl's tip on the wheel at the end, by the edges that it touches."""
    P, Q = (model["teeth"].P.parts[0], model["teeth"].Q.parts[0])
    a, b = d["pawl.angle"][-1], d["wheel.angle"][-1]
    tip = np.array([d["pawl.x"][-1], d["pawl.y"][-1]]) + P.at[0] * np.array([np.cos(a), np.sin(a)])
    corners = np.array(Q.size) @ np.array([[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]])
    moment = 0.0
    for k, chain in enumerate(Q.chains.split()):
        force = d[f"teeth.force_{k + 1}"][-1]
        first, count = map(int, chain.replace("+", ":").split(":"))
        for j in range(first, first + count):
            p, q = corners[j % len(corners)], corners[(j + 1) % len(corners)]
            u = (q - p) / np.linalg.norm(q - p)
            normal, along = np.array([u[1], -u[0]]), u @ (tip - p)
            if force > 0 and abs(normal @ (tip - p) - P.size[0]) < 1e-8 and 0 < along < np.linalg.norm(q - p):
                place = tip - P.size[0] * normal
                moment -= force * (place[0] * normal[1] - place[1] * normal[0])
    return moment
