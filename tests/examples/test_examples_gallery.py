"""The machines of the gallery do what they are known for."""

import numpy as np

import linkwright as lw
from linkwright.examples import EXAMPLES, example, of_section

EXACT = {"rtol": 0, "atol": 1e-10}  # kinematics converges far below


def moved(name, steps=None, **values):
    chosen = example(name)
    m = chosen.load()
    m.set(**values)
    return m, getattr(lw, chosen.analysis)(m, t_end=chosen.t_end, steps=steps or chosen.steps)


def test_a_section_of_the_book_finds_its_machines():
    """Every machine of chapters 5, 8, 10 and 12, and of their projects."""
    found = {s: [e.name for e in of_section(s)] for s in ("5.5", "8.2", "8.4", "12.5", "P5.2", "A03", "9.9")}
    assert found == {
        "5.5": ["gear-slider"], "8.2": ["slider-crank", "flywheel"], "8.4": ["coil-spring", "coil-spring-surge"],
        "12.5": ["automobile", "automobile-bars"], "P5.2": ["web-cutter"], "A03": [], "9.9": [],
    }  # fmt: skip
    assert example("8.4").name == "coil-spring"  # the first of them
    sections = {s for e in EXAMPLES.values() for s in e.sections}
    book = {f"{c}.{n}" for c, last in ((5, 6), (8, 5), (10, 4), (12, 6)) for n in range(1, last + 1)}
    assert book - sections == {"8.1", "10.1", "12.1"}  # introductions
    projects = {"P5.1", "P5.2", "P5.3", "P8.1", "P8.2", "P8.3", "P10.1", "P10.2", "P12.1", "P12.2"}
    assert sections - book == projects


def test_peaucelliers_cell_draws_a_straight_line():
    m, k = moved("peaucellier", 40)
    Q = m["far upper"].at(m["a"] / 2, 0)
    # inversion: the circle through O of diameter 2 r becomes the line at (L^2 - a^2)/(2 r)
    np.testing.assert_allclose(k[lw.component(Q, "x")], (1 - 0.25) / 0.7, **EXACT)
    assert np.ptp(k[lw.component(Q, "y")]) > 0.5


def test_the_carrier_turns_once_for_five_turns_of_the_sun():
    _, k = moved("planetary-gear", 20)
    np.testing.assert_allclose(k["sun.angle"], 2 * np.pi * k.t, **EXACT)
    np.testing.assert_allclose(k["carrier.angle"], k["sun.angle"] / 5, **EXACT)  # Willis: 1 + 0.08/0.02
    np.testing.assert_allclose(k["planet 3.omega"], -k["carrier.omega"] * 0.05 / 0.03, **EXACT)  # it rolls in the ring


def test_the_legs_of_the_platform_are_as_long_as_they_are_driven():
    m, k = moved("stewart-platform", 10)
    for n in range(6):
        quantity = m[f"leg {n + 1}"].quantity
        np.testing.assert_allclose(k[quantity], 0.64 + 0.04 * np.sin(2 * np.pi * k.t + n * np.pi / 3), **EXACT)
    assert np.ptp(k["plate.x"]) > 0.01


def test_the_plate_of_the_delta_robot_never_turns():
    _, k = moved("delta-robot", 20)
    for e in ("e1", "e2", "e3"):
        np.testing.assert_allclose(k[f"plate.{e}"], 0, **EXACT)
    # each rod keeps its length from the elbow, arm 1 being at the angle of its motor below the horizontal
    a = 0.2 + 0.25 * np.sin(2 * np.pi * k.t)
    elbow = np.array([0.15 + 0.3 * np.cos(a), 0 * a, -0.3 * np.sin(a)])
    ball = np.array([k["plate.x"] + 0.05, k["plate.y"], k["plate.z"]])
    np.testing.assert_allclose(np.linalg.norm(ball - elbow, axis=0), 0.7, **EXACT)


def test_the_forces_of_six_pistons_cancel():
    """Of first and second order: throws at 60 degrees and banks at 60 degrees make both sums zero in the plane."""
    _, k = moved("v6-engine", 48)
    total = np.array([sum(k[f"piston {n}.{c}"] for n in range(1, 7)) for c in ("ax", "ay")])
    single = np.hypot(k["piston 1.ax"], k["piston 1.ay"]).max()
    # orders above the second are (r/L)^3 of the first and less
    assert np.abs(total).max() < 6 * (0.045 / 0.15) ** 3 * single
    period = k["motor.torque"][:16], k["motor.torque"][16:32]  # the torque repeats every 60 degrees: each 8 of 48 points
    np.testing.assert_allclose(*period, atol=1e-6 * np.abs(k["motor.torque"]).max())


def test_the_wheel_of_the_suspension_tilts_with_its_travel():
    _, f = moved("wishbone", 8)
    np.testing.assert_allclose(f["upright.z"], 0.33 + 0.06 * np.sin(2 * np.pi * f.t), **EXACT)
    camber = 2 * f["upright.e1"]  # small angles
    assert camber[2] * camber[6] < 0  # up and down tilt it to either side
    assert np.abs(np.degrees(camber)).max() < 5


def test_six_pistons_of_the_compressor_go_in_turn():
    _, k = moved("air-compressor", 60)
    top = [int(np.argmax(k[f"piston {n}.y"][:-1])) for n in range(1, 7)]
    assert sorted(top) == sorted(set(top))  # no two at one time


def test_the_spring_gives_the_block_its_speed_back():
    _, d = moved("coil-spring", 200)
    apart = d["block.x"] - d["coil 6.x"]
    assert apart[-1] > 0  # thrown off
    assert d["block.vx"][-1] > 0
    assert d["block.vx"].max() < 0.1  # what is left swings in the coil
    assert d.energy.error < 1e-6


def test_the_ring_keeps_its_energy_and_closes():
    _, d = moved("bricard", 20)
    assert d.energy.error < 1e-7
    assert d.violation.position.max() < 1e-8


def test_andrews_has_the_published_digits():
    _, d = moved("andrews", 3)
    published = [15.8107712, 0.0408222401, 0.524409966, 1.04808074]  # IVP test set, at 0.03 s
    np.testing.assert_allclose([d[f"{b}.angle"][-1] for b in ("OF", "BDE", "AG", "AH")], published, atol=2e-7)
