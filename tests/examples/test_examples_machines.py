"""The ready machines: file and program are one machine, the numbers are the published ones."""

import ast
import json

import jsonschema
import numpy as np
import pytest

import linkwright as lw
from linkwright.corpus.scores import SAID
from linkwright.errors import ModelError
from linkwright.examples import EXAMPLES, example
from linkwright.model.files import dumps, loads, schema
from linkwright.view.drawing import draw

NAMES = list(EXAMPLES)


def moved(name, **values):
    chosen = example(name)
    model = chosen.load()
    model.set(**values)
    return model, lw.kinematics(model, t_end=chosen.t_end, steps=chosen.steps)


@pytest.mark.parametrize("name", NAMES)
def test_file_and_program_are_the_same_machine(name):
    chosen = example(name)
    assert chosen.load() == chosen.build()
    assert loads(dumps(chosen.build())) == chosen.load()
    jsonschema.Draft202012Validator(schema()).validate(json.loads(dumps(chosen.load(), "json")))
    said = ast.get_docstring(ast.parse(chosen.python)).splitlines()[0]
    assert chosen.text.splitlines()[0] == f"# {said}"  # both begin with the same sentence


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wrong_with_them(name):
    model = example(name).load()
    report = lw.check(model)
    assert report.ok, str(report)
    too_many = {"bricard": 1, "bennett": 3}  # hinges that repeat each other
    assert len(report.redundant) == too_many.get(name, 0)
    # the others' numbers are those of their texts
    odd = {
        "bricard": {"redundant"}, "bennett": {"redundant"}, "flywheel": {"gravity"},
        "automobile-bars": {"inertia-implausible"},
    }  # fmt: skip
    assert {f.code for f in report.findings} & SAID == odd.get(name, set())
    own = {
        "flywheel": 1, "shaper": 1, "coil-spring": 7, "coil-spring-surge": 6, "air-compressor-free": 1, "automobile": 10,
        "automobile-bars": 12, "governor": 2, "two-bodies": 7, "six-bodies": 36, "double-pendulum": 2, "pendulum": 1,
        "four-bar-windows": 1, "andrews": 1, "bricard": 1, "flyball": 4, "falling-slider-crank": 1, "car-axis": 2,
        "heavy-top": 3, "bicycle": 3, "bouncing-ball": 3, "newtons-cradle": 5, "geneva": 1, "latch": 2, "ratchet": 2,
        "gripper": 4, "rolling-ball": 3, "tipping-block": 3, "escapement": 2,
    }  # fmt: skip
    assert report.dof == own.get(name, 0)


def test_an_unknown_example_is_answered_with_the_nearest():
    with pytest.raises(ModelError, match="no example 'four_bra'") as caught:
        example("four_bra")
    assert caught.value.remedy == "did you mean 'four-bar'?"


# Haug 1989, recomputed in closed form to the digits given; kinematics converges every point far below them.
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def test_slider_crank_has_the_published_motion():
    _, k = moved("slider-crank")
    row = [k[c][20] for c in ("slider.x", "slider.vx", "slider.ax", "rod.angle", "rod.omega", "rod.alpha")]  # t = 0.1
    expected = [3.2021399398, -13.7556722207, 39.003408138, -0.5996981710, -0.6803838954, 26.674652353]
    np.testing.assert_allclose(row, expected, **CLOSE)


def test_slider_crank_with_a_short_rod_locks_up_when_it_must():
    with pytest.raises(lw.SingularityError) as caught:
        moved("slider-crank", l=1.9)
    assert caught.value.kind == "lock-up"
    assert caught.value.time == pytest.approx(0.074458687948, abs=1e-9)  # (asin 0.95 - pi/4)/(2 pi)


def test_four_bar_has_the_published_motion():
    _, k = moved("four-bar")
    row = [k[c][50] for c in ("coupler.angle", "follower.angle", "follower.omega", "follower.alpha")]  # t = 0.25
    np.testing.assert_allclose(row, [0.2761577549, 2.3705528573, 1.3188062976, -18.39555126], **CLOSE)


def test_quick_return_has_the_published_motion_and_the_work_of_its_cut():
    model, k = moved("quick-return")
    row = [k[c][80] for c in ("ram.x", "ram.vx", "ram.ax", "rocker.angle")]  # t = 0.2
    np.testing.assert_allclose(row, [-2.1155670339, -10.7467758815, 2.52444529, 1.6247164325], rtol=1e-9, atol=1e-8)
    s, v, t = lw.model.values.argument_symbol("s"), lw.model.values.argument_symbol("v"), lw.model.TIME
    law = model.trace(model["cut"].law, {"s": s, "v": v, "t": t})
    x = np.linspace(-4.4, 1.8, 62001)  # the corners of the trapezoid are points of the grid
    from linkwright.graph import evaluate

    force = evaluate([law], {**model.parameter_values(), s: x, v: -np.ones_like(x)})[0]
    assert np.trapezoid(force, x) == pytest.approx(1.04e6, rel=1e-9)
    assert not np.any(evaluate([law], {**model.parameter_values(), s: x, v: np.ones_like(x)})[0])


def test_valve_lifter_follows_its_closed_form():
    model, k = moved("valve-lifter")
    e = model.parameters["e"]
    phi = 40 * np.pi * k.t
    lift = e * (1 - np.cos(phi))
    np.testing.assert_allclose(k["valve.y"], 0.235 - lift, atol=1e-12)
    np.testing.assert_allclose(k["follower.y"], 0.16 + lift, atol=1e-12)
    np.testing.assert_allclose(np.tan(k["rocker.angle"]), -lift / 0.06, atol=1e-11)
    np.testing.assert_allclose(k["valve.ay"], -e * (40 * np.pi) ** 2 * np.cos(phi), atol=1e-8)
    spring = lw.distance(model.ground.at(0.12, 0.25), model["valve"].at(-0.075, 0))
    assert lw.assemble(model)[spring] == pytest.approx(0.06, abs=1e-12)  # as its comment says


def test_spatial_slider_crank_has_the_published_motion():
    _, k = moved("spatial-slider-crank")
    x, v, a = (k[f"slider.{c}"] for c in ("x", "vx", "ax"))
    # The motor starts at 90 degrees, the published table at 0: its t = 0.25 is our 0, its t = 0.5 our 0.25.
    np.testing.assert_allclose([x[0], v[0], a[0]], [0.2, 0.251327412287, 1.57913670417], **CLOSE)
    np.testing.assert_allclose([x[50], v[50], a[50]], [0.274226184016, 0.219959225139, -1.32813503154], **CLOSE)
    np.testing.assert_allclose(
        [x.min(), x.max()], [0.184951888439, 0.290159954099], atol=1e-5
    )  # extremes lie between points
    p = [k[f"rod.e{n}"][0] for n in range(4)]
    np.testing.assert_allclose(p, [0.888450709334, -0.209734762061, 0.397327236146, -0.093796237043], **CLOSE)


def test_governor_starts_in_its_steady_state():
    c = lw.assemble(example("governor").load())
    assert c["collar.z"] == pytest.approx(0.05, abs=1e-12)
    arm = np.arctan2(0.2 - c["ball 1.z"], c["ball 1.x"])
    assert np.degrees(arm) == pytest.approx(45.001447900882, abs=1e-9)


def test_the_bicycle_keeps_itself_upright():
    d = lw.dynamics(example("bicycle").load(), t_end=6.0, steps=120)
    lean = np.arcsin(2 * (d["frame.e2"] * d["frame.e3"] + d["frame.e0"] * d["frame.e1"]))
    assert np.abs(lean).max() > 0.02
    # the slowest of its small motions, capsize, decays by exp(-0.32 t)
    assert np.abs(lean[-20:]).max() < 0.3 * np.abs(lean).max()
    assert d.energy.error < 1e-6


def test_jansens_feet_walk_flat_and_mirror_each_other():
    chosen = example("jansen")
    model, k = moved("jansen")
    left, right = chosen.points(model)
    x, y = k[lw.component(left, "x")], k[lw.component(left, "y")]
    down = y < y.min() + 0.01
    assert 0.4 < down.mean() < 0.6  # on the ground for half a turn
    assert np.ptp(x[down]) > 0.6 * np.ptp(x)  # and most of its way
    # the mirror image of a crank at theta is one at pi - theta: right at t is left at 1/2 - t (200 points a turn)
    turn = np.arange(200)
    np.testing.assert_allclose(k[lw.component(right, "x")][turn], -x[(100 - turn) % 200], atol=1e-9)
    np.testing.assert_allclose(k[lw.component(right, "y")][turn], y[(100 - turn) % 200], atol=1e-9)


def test_every_shape_can_be_drawn():
    for chosen in EXAMPLES.values():
        assert len(draw(chosen.load())["bodies"]) == len(chosen.load().bodies)


def test_slider_crank_needs_the_published_torque():
    chosen = example("slider-crank")
    i = lw.inverse_dynamics(chosen.load(), t_end=1.0, steps=20)
    torque = [i["motor.torque"][k] for k in (2, 10, 12, 15)]  # t = 0.1, 0.5, 0.6, 0.75; the gas acts from 0.375 on
    np.testing.assert_allclose(torque, [-3420.5402021, 5544.6576125, 39789.3386948, 282775.1838040], rtol=1e-9)


def test_governor_settles_as_published():
    model = example("governor").load()
    model.gravity = (0, 0, -9.8)  # that of the reference, a simulation of two coordinates to 13 digits
    d = lw.dynamics(model, t_end=10.0, steps=20)
    for k, z, speed in [(3, 0.0498367854803, 10.958132534448), (6, 0.0478828842126, 10.553150409068),
                        (20, 0.0466810270989, 10.292410365167)]:  # fmt: skip
        assert d["collar.z"][k] == pytest.approx(z, abs=1e-9)  # the simulation's tolerance is 1e-8
        assert d["spindle.wz"][k] == pytest.approx(speed, abs=1e-7)


@pytest.mark.parametrize("name", ["quick-return", "slider-crank"])
def test_a_motor_does_the_work_of_a_turn(name):
    """Kinetic energy is the same after a turn: what the motor gives, the tool or the gas takes."""
    model = example(name).load()
    i = lw.inverse_dynamics(model, t_end=1.0, steps=400)
    given = np.trapezoid(i["motor.torque"] * 2 * np.pi, i.t)
    taken = 1.04e6 if name == "quick-return" else -np.trapezoid(i["gas.force"] * i["slider.vx"], i.t)
    assert given == pytest.approx(taken, rel=1e-5)  # the corners of the cut lie between points


def test_the_valve_spring_keeps_the_follower_on_its_cam():
    v = lw.inverse_dynamics(example("valve-lifter").load(), t_end=0.05, steps=50)
    assert v["contact.fy"].min() > 50  # a flat face is pushed, never pulled
    np.testing.assert_allclose(v["spring.force"], 2500 * (0.06 - 0.09 - (0.235 - v["valve.y"])), rtol=1e-9)
    np.testing.assert_allclose(v["spring.force"][0], -75, rtol=1e-12)


def test_the_governor_lets_the_speed_fall_less_than_without_feedback():
    """A load of 25 N m slows 50 kg m^2 by half a radian a second each second; the engine makes up for it."""
    speeds = []
    for C in (7500, 0):
        model = example("governor").load()
        model.set(C=C)
        speeds.append(lw.dynamics(model, t_end=8.0, steps=4)["spindle.wz"][-1])
    assert speeds[0] == pytest.approx(10.3, abs=0.05)
    # spindle, balls and collar about the axis: 50 + 0.125 + 2 (0.1 + 0.113^2) kg m^2; 25 N m from 1.5 s on, in effect
    free = 11.0174 - 25 * 6.5 / (50.325 + 2 * 0.113**2)
    assert speeds[1] == pytest.approx(free, rel=2e-3)  # the balls come in, the inertia falls a little


def off_their_shapes(drawing):
    """How far places of joints lie beside the shapes of their bodies, by body and place."""
    found = {}
    for body in drawing["bodies"]:
        for k, place in enumerate(body["points"] if body["shapes"] and body["name"] != "ground" else []):
            found[body["name"], k] = min(beside(np.array(place), s) for s in body["shapes"])
    return found


def beside(p, shape):
    p, size, kind = p - shape["at"], shape["size"], shape["kind"]
    if len(p) == 2:
        c, s = np.cos(shape["angle"]), np.sin(shape["angle"])
        p = np.array([c * p[0] + s * p[1], c * p[1] - s * p[0]])
    if kind in ("circle", "sphere"):
        return max(0.0, np.linalg.norm(p) - size[0])
    if kind == "box":
        return np.linalg.norm(np.maximum(np.abs(p) - np.array(size) / 2, 0.0))
    if kind == "cylinder":
        axis = np.array(shape["axis"]) / np.linalg.norm(shape["axis"])
        along = p @ axis
        return np.hypot(max(0.0, abs(along) - size[1] / 2), max(0.0, np.linalg.norm(p - along * axis) - size[0]))
    corners, inside, nearest = np.array(size), False, np.inf
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if (a[1] > p[1]) != (b[1] > p[1]):
            inside ^= p[0] < a[0] + (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1])
        nearest = min(nearest, np.linalg.norm(p - a - np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1) * (b - a)))
    return 0.0 if inside else nearest


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bicycle"])  # whose frame is drawn as it is built
def test_shapes_follow_the_parameters(name):
    """Whoever moves a slider sees joints where they were on their bodies: to a hundredth of the machine."""
    model = example(name).load()
    drawing = draw(model)
    places = np.array([p for b in drawing["bodies"] for p in b["points"]])
    was, size = off_their_shapes(drawing), np.ptp(places, axis=0).max()
    for parameter, value in model.parameters.items():
        try:
            now = off_their_shapes(draw(model, {**model.parameters, parameter: 1.1 * value}))
        except lw.ModelError:  # three sides that make no triangle
            continue
        assert {key for key in was if now.get(key, 0.0) > was[key] + 0.01 * size} == set(), parameter
