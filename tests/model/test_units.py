"""Units in formulas: what they are, how far they bind, and that no parameter takes their place unnoticed."""

import re
from math import pi
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.graph import evaluate, symbol
from linkwright.model import GrammarError
from linkwright.model.files import dumps, loads, revise
from linkwright.model.grammar import read
from linkwright.model.units import ALONE, UNITS

t, k = symbol("t"), symbol("k")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30 deg", pi / 6), ("30*deg", pi / 6), ("-30 deg", -pi / 6), ("45°", pi / 4), ("12mm", 0.012), ("12 mm", 0.012),
        ("3 kN/m", 3000.0), ("1500 rpm", 1500 * 2 * pi / 60), ("9.81 m/s**2", 9.81), ("9.81 m/s^2", 9.81),
        ("36 km/h", 10.0), ("2 N mm", 0.002), ("2 N*mm", 0.002), ("5 g", 0.005), ("5 kg", 5.0), ("7 N s/m", 7.0),
        ("2 cm^2", 2e-4), ("2 mm**-1", 2000.0), ("(1/2) mm", 0.0005), ("1/(2 mm)", 500.0), ("0.5 rev", pi),
        ("1 inch", 0.0254), ("(k + 1) mm", 0.003), ("k*deg", pi / 90), ("1500 rpm*t", 50 * pi * 3), ("3 mm*k", 0.006),
        ("10 m/s*t + 2 m", 32.0), ("sin(90 deg)*k", 2.0), ("1/sin(90 deg)", 1.0), ("1/k*4 mm", 0.002),
        ("2 kN/m**2 * t", 6000.0), ("3 kN/k", 1500.0), ("where(t < 4 s, 1 mm, 2 mm)", 0.001),
    ],
)  # fmt: skip
def test_values(text, expected):
    (value,) = evaluate([read(text, {"t": t, "k": k})], {t: 3.0, k: 2.0})
    assert value == pytest.approx(expected, rel=1e-15)


def wrong(text, **names):
    with pytest.raises(GrammarError) as caught:
        read(text, {"t": t, **names})
    return caught.value


def test_what_could_be_read_in_two_ways_is_refused():
    for text in ("1/2 mm", "t/2 mm", "2**3 mm"):
        assert "can be read in two ways" in wrong(text).cause
        assert wrong(text).remedy == "use brackets: (1/2) mm, or 1/(2 mm)"


def test_wrong_units_are_answered_by_the_nearest():
    assert wrong("30 dgr").remedy.startswith("did you mean 'deg'?")
    assert wrong("30*degr").remedy == "did you mean 'deg'?"
    assert wrong("2 Kn").remedy.startswith("did you mean 'kN'?")
    assert wrong("2 t").remedy == "is an operator missing before it, or a bracket?"
    assert wrong("k^2", k=k).remedy == "write ** for a power"
    assert "a number was expected" in wrong("2 m**t").cause


def test_units_of_one_letter_do_not_hide_a_missing_parameter():
    for text in ("m*9.81", "2*m", "s"):
        error = wrong(text)
        assert error.cause.startswith(f"the name {'s' if text == 's' else 'm'!r} is not known")
        assert "stands behind a number" in error.remedy
    assert read("2*m", {"m": 3.0}) == 6.0


@pytest.mark.parametrize(("text", "name"), [("3 kN/m", "m"), ("3 km", "km"), ("2 s", "s"), ("5 N*s", "s")])
def test_a_parameter_does_not_take_the_place_of_a_unit_unnoticed(text, name):
    error = wrong(text, **{name: symbol(name)})
    assert error.cause.startswith(f"{name!r} is a unit, and also the name of something else")
    assert f"`{name}`" in error.remedy


def test_with_an_operator_or_in_back_ticks_it_is_the_parameter():
    turning = read("2*pi*rpm/60*t", {"rpm": 30.0, "t": 1.0})  # as machines have it that are older than units
    assert turning == pytest.approx(pi)
    assert read("3*`km`", {"km": 5.0}) == 15.0
    assert read("3 kN/`m`", {"m": 5.0}) == 600.0


def test_parameters_that_are_called_like_units_read_back():
    m = lw.PlanarModel("m")
    km = m.parameter("km", 2.0)
    g = m.parameter("g", 9.81)
    m.body("mm", mass=km * g, inertia=1.0)
    again = loads(dumps(m))
    assert again == m
    assert again.value(again["mm"].mass) == pytest.approx(19.62)


def test_bodies_may_be_called_like_units():
    m = lw.PlanarModel("m")
    rad = m.body("rad")
    m.add(lw.Revolute("A", m.ground.at(0, 0), rad.at(0, 0)))
    m.add(lw.Driver("d", "angle(vector(ground, 1, 0), vector(rad, 1, 0))", "90 deg*t"))
    assert lw.kinematics(m, t_end=1.0, steps=1)["rad.angle"][-1] == pytest.approx(pi / 2)


FILE = """linkwright: 1
model: planar
gravity: [0, -9.81 m/s^2]
parameters:
  r: 20 mm   # the crank
  speed: "1500 rpm"
bodies:
  crank: {mass: 500 g, inertia: 2 kg cm**2, position: [r/2, 0], angle: 30 deg}
elements:
  A: {type: Revolute, P: ground, Q: [crank, -r/2, 0]}
  back: {type: TorsionSpring, quantity: A.angle, k: 3 Nm, angle: 45 deg}
  stop: {type: Stop, quantity: A.angle, upper: 170 deg, k: 1 kNm}
fixed:
  A.omega: speed
"""


def test_files_have_units_everywhere():
    m = loads(FILE)
    assert m.parameters == {"r": 0.02, "speed": pytest.approx(50 * pi)}
    crank = m["crank"]
    assert (crank.mass, crank.inertia) == (0.5, pytest.approx(2e-4))
    assert crank.estimate.rotation == pytest.approx(pi / 6)
    assert m["stop"].upper == pytest.approx(170 * pi / 180)
    assert loads(dumps(m)) == m
    import jsonschema

    from linkwright.model.files import schema

    jsonschema.validate({"linkwright": 1, "model": "planar", "parameters": {"r": "20 mm"}}, schema())


def test_values_of_parameters_with_units_can_be_revised():
    text = revise(FILE, {"r": 0.03, "speed": 100.0})
    assert "  r: 0.03   # the crank" in text
    assert loads(text).parameters == {"r": 0.03, "speed": 100.0}


def test_errors_in_files_say_where():
    with pytest.raises(lw.FileError) as caught:
        loads(FILE.replace("r: 20 mm", "r: 20 mmm"))
    assert (caught.value.line, caught.value.column) == (5, 9)
    assert caught.value.remedy.startswith("did you mean 'mm'?")


def test_parameters_in_python():
    m = lw.PlanarModel("m")
    m.parameter("r", "20 mm")
    m.set(r="3 cm")
    assert m.parameters["r"] == pytest.approx(0.03)
    m.body("b", position=("12 mm", "r"), angle="30 deg")
    assert m.value(m["b"].estimate.position[0]) == 0.012


def test_table_of_units():
    assert {u: UNITS[u] for u in ("mm", "kN", "MPa", "GPa", "ms", "kg", "mg", "kW", "µm", "um")} == {
        "mm": 1e-3, "kN": 1e3, "MPa": 1e6, "GPa": 1e9, "ms": 1e-3, "kg": 1.0, "mg": 1e-6, "kW": 1e3, "µm": 1e-6, "um": 1e-6,
    }  # fmt: skip
    assert not any(len(u) == 1 for u in ALONE)
    assert not set(UNITS) & {"t", "min", "max", "pi", "and", "or", "not"}


def test_the_manual_lists_all_of_them():
    page = (Path(__file__).resolve().parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = page.partition("| of | units |")[2].partition("\n\n")[0].splitlines()[2:]
    listed = [unit for row in rows for unit in re.sub(r"[`,|]", " ", row.split("|")[2]).split()]
    assert sorted(listed) == sorted(UNITS)


def test_values_on_the_command_line():
    from linkwright.cli.parser import build

    given = build().parse_args(["run", "slider-crank", "--set", "r=20 mm", "--set", "l=0.5"])
    assert given.set == [("r", pytest.approx(0.02)), ("l", 0.5)]
