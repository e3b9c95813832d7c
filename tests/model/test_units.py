"""Units in formulas: what they are, how far they bind, and that no parameter takes their place unnoticed."""

import re
from math import pi
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.graph import evaluate, symbol
from linkwright.model import GrammarError
from linkwright.model.dimensions import UNIT_POWERS
from linkwright.model.elements import kinds
from linkwright.model.fields import ComponentsKind, LawKind, MotionKind
from linkwright.model.files import dumps, loads, revise
from linkwright.model.files.classes import ELEMENTS
from linkwright.model.grammar import read
from linkwright.model.plain_fields import MatrixKind, NumberKind, NumbersKind
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


def machine():
    m = lw.PlanarModel("m")
    a, b = m.body("a"), m.body("b", position=(1, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), a.at(0, 0)))
    slide = m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.parameter("load", "3 kg")
    m.parameter("any", 3.0)
    return m, a, b, pin, slide


def rod(length):
    m, a, b, *_ = machine()
    return m.add(lw.Distance("rod", a.at(1, 0), b.at(0, 0), length)).length


def test_a_unit_of_another_kind_is_refused_by_name():
    with pytest.raises(lw.ModelError) as caught:
        rod("12 deg")
    assert caught.value.element == ("rod",)
    assert caught.value.cause == "length: it is in m, but this is an angle, at column 1 of '12 deg'"
    assert caught.value.remedy == "give it in m, km, cm, mm, um, µm, inch, in, ft, or as a number in m"


@pytest.mark.parametrize(
    ("length", "kind"),
    [("12 kg", "a mass"), ("2*12 kg", "a mass"), ("0.5*12 kg", "a mass"), ("22.5*deg", "an angle"), ("3 m^2", "an area"),
     ("load", "a mass"), ("2*load", "a mass"), ("max(1 N, 2 N)", "a force"), ("1/(2 m)", "a quantity in m^-1")],
)  # fmt: skip
def test_formulas_of_another_kind(length, kind):
    with pytest.raises(lw.ModelError, match=re.escape(f"length: it is in m, but this is {kind}, at")):
        rod(length)


@pytest.mark.parametrize("text", ["12 mm + 3 kg", "where(any < 1, 1 m, 2 deg)"])
def test_what_cannot_be_added(text):
    with pytest.raises(lw.ModelError, match=r"length: a length and (a mass|an angle) stand together"):
        rod(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2*12 mm + 0.1", 0.124), ("20 mm*90 deg", 0.01 * pi), ("sqrt(4 m^2)", 2.0), ("0.1*90 deg", 0.05 * pi),
     ("2 m*sin(30 deg)", 1.0), ("load/any", 1.0), ("any*2 mm", 0.006), ("hypot(3 mm, 4 mm)", 0.005)],
)  # fmt: skip
def test_formulas_that_may_be_lengths(text, value):
    length = rod(text)
    m = machine()[0]
    assert m.value(length) == pytest.approx(value, rel=1e-15)


REFUSED = [
    (lambda m, a, b, pin, slide: lw.Spring("e", a.at(0, 0), b.at(0, 0), k="3 Nm"), "k: it is in N/m"),
    (lambda m, a, b, pin, slide: lw.TorsionSpring("e", pin, k="3 kN/m"), "k: it is in N m/rad"),
    (lambda m, a, b, pin, slide: lw.Stop("e", pin.angle, upper="12 mm", k=1), "upper: it is in rad"),
    (lambda m, a, b, pin, slide: lw.Stop("e", slide.displacement, upper="12 deg", k=1), "upper: it is in m,"),
    (lambda m, a, b, pin, slide: lw.Stop("e", pin.angle, upper="9 deg", k="1 N/m"), "k: it is in N m/rad"),
    (lambda m, a, b, pin, slide: lw.Driver("e", pin.angle, "5 mm*t"), "motion: it is in rad"),
    (lambda m, a, b, pin, slide: lw.Driver("e", pin.angle, "10 Hz*t"), "motion: it is in rad, but this is a frequency"),
    (lambda m, a, b, pin, slide: lw.Driver("e", a.angle - b.angle, "5 mm"), "motion: it is in rad"),
    (lambda m, a, b, pin, slide: lw.Force("e", slide, "3 Nm"), "law: it is in N,"),
    (lambda m, a, b, pin, slide: lw.Torque("e", a, "3 N"), "torque: it is in N m"),
    (lambda m, a, b, pin, slide: lw.PointForce("e", a.at(0, 0), ("3 N", "3 kg")), "force: it is in N"),
    (lambda m, a, b, pin, slide: lw.Inertia("e", pin, "3 kg"), "J: it is in kg m^2"),
    (lambda m, a, b, pin, slide: lw.Motor("e", pin, "12 V", k="3 Nm/A", resistance="3 kg"), "resistance: it is in ohm"),
    (lambda m, a, b, pin, slide: lw.Friction("e", pin, mu="3 deg"), "mu: it takes a plain number"),
    (lambda m, a, b, pin, slide: lw.Friction("e", pin, level="3 N"), "level: it is in N m"),
    (lambda m, a, b, pin, slide: lw.Bushing("e", a.at(0, 0), b.at(0, 0), k=("1 kg", 1, 1)), "k: it is in N/m, N m/rad"),
    (lambda m, a, b, pin, slide: lw.PID("e", slide, "1 m", kp=1, limits=("-3 N", "3 Nm")), "limits: it is in N,"),
    (lambda m, a, b, pin, slide: lw.Distance("e", a.at(0, 0), b.at(0, 0), m["load"]), "length: it is in m"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_fields_of_elements(make, said):
    parts = machine()
    with pytest.raises(lw.ModelError, match=re.escape(said)) as caught:
        parts[0].add(make(*parts))
    assert caught.value.element == ("e",)


def test_fields_that_may_be_of_several_kinds():
    m, a, b, pin, slide = machine()
    m.add(lw.TorsionSpring("back", pin, k="3 Nm", c="2 Nm s"))  # the radian is left out
    m.add(lw.Stop("ends", pin, upper="120 deg", k="3 Nm/deg"))
    m.add(lw.Stop("bump", slide, upper="12 mm", k="1 N/m^1.5", law="hertz"))
    m.add(lw.Stop("mixed", b.x + 0.1 * a.angle, upper="12 deg", k=1))
    m.add(lw.Inertia("rack", slide, "3 kg"))
    m.add(lw.Force("pull", slide, "2 N - 100*slide.velocity"))
    m.add(lw.Motor("motor", pin, "12 V", k="3 V*s", resistance="3 V/A"))
    m.add(lw.Driver("turn", pin.angle, "2*pi*10 Hz*t + 30 deg*t**2"))
    assert m["ends"].k == pytest.approx(3 * 180 / pi)


BODIES = [
    ("mass", "3 m", "the mass is in kg"), ("inertia", "3 kg", "the inertia is in kg m^2"),
    ("angle", "3 mm", "the angle is in rad"),
    ("position", (0, "3 deg"), "a component of position is in m,"), ("com", ("1 kg", 0), "a component of com is in m,"),
    ("velocity", ("3 m", 0), "a component of velocity is in m/s"), ("omega", "10 Hz", "omega is in rad/s"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "given", "said"), BODIES, ids=[field for field, *_ in BODIES])
def test_fields_of_bodies(field, given, said):
    m = lw.PlanarModel("m")
    with pytest.raises(lw.ModelError, match=re.escape(said)) as caught:
        m.body("crank", **{field: given})
    assert caught.value.element == ("crank",)


def test_other_places_in_python():
    m, a, _, pin, _ = machine()
    s = lw.SpatialModel("s")
    for make, said in (
        (lambda: m.__class__("n", gravity=(0, "-9.81 m/s")), "a component is in m/s^2"),
        (lambda: a.at("3 kg", 0), "a component of a point is in m"),
        (lambda: a.at(0, 0, angle="3 mm"), "the angle is in rad"),
        (lambda: a.guess(velocity=("3 rpm", 0)), "a component of velocity is in m/s"),
        (lambda: a.surface({"circle": "3 kg"}), "the radius of a circle is in m"),
        (lambda: m.fix(pin.omega, "30 deg"), "the value is in rad/s"),
        (lambda: m.fix(a.vx, "30 mm"), "the value is in m/s"),
        (lambda: m.set(load="3 m"), "it was given as a mass, but this is a length"),
        (lambda: s.body("b", inertia=(1, 1, "1 kg")), "a moment of inertia is in kg m^2"),
        (lambda: s.body("b", orientation=((0, 0, 1), "30 mm")), "the angle is in rad"),
    ):
        with pytest.raises(lw.ModelError, match=re.escape(said)):
            make()
    m.set(load="4000 g", any="3 m")
    assert m.parameters["load"] == 4.0


WRONG_IN_FILES = [
    ("500 g", "500 mm", "500 mm", "mass is in kg"),
    ("[r/2, 0]", "[0, 3 kg]", "3 kg", "position is in m"),
    ("45 deg", "45 mm", "45 mm", "angle: it is in rad"),
    ("170 deg", "17 mm", "17 mm", "upper: it is in rad"),
    ("-r/2, 0", "3 kg, 0", "3 kg", "a coordinate is in m"),
    ("kNm", "kN/m", "1 kN/m", "k: it is in N m/rad"),
    ("20 mm", "20 kg", "r/2", "position is in m"),
]


@pytest.mark.parametrize(("right", "given", "at", "said"), WRONG_IN_FILES, ids=[x[1] for x in WRONG_IN_FILES])
def test_files_say_where_a_unit_is_wrong(right, given, at, said):
    text = FILE.replace(right, given)
    with pytest.raises(lw.FileError, match=re.escape(said)) as caught:
        loads(text)
    assert text.splitlines()[caught.value.line - 1][caught.value.column - 1 :].startswith(at)


def test_motions_in_files_are_in_the_unit_of_what_they_drive():
    motion = "  motor: {type: Driver, motion: {type: Harmonic, amplitude: 30 deg, omega: 300 rpm}, quantity: A.angle}\n"
    text = FILE.replace("fixed:", motion + "fixed:")
    assert loads(text)["motor"].motion.amplitude == pytest.approx(pi / 6)
    for right, given, said in (("30 deg,", "30 mm,", "amplitude is in rad"), ("300 rpm", "3 kg", "omega is in rad/s")):
        with pytest.raises(lw.FileError, match=re.escape(said)):
            loads(text.replace(right, given))


def test_a_value_on_the_command_line_is_of_the_kind_of_its_parameter():
    from linkwright.cli.parser import build

    given = build().parse_args(["run", "machine.yaml", "--set", "r=3 kg"])
    with pytest.raises(lw.ModelError, match="it was given as a length, but this is a mass"):
        loads(FILE).set(**dict(given.set))


def test_every_unit_has_a_dimension():
    assert set(UNIT_POWERS) == set(UNITS)


def test_docstrings_say_what_fields_are_in():
    """Nothing else does, so a bracket that is lost would be a check that is lost: these are all fields without one."""
    numbers = (NumberKind, NumbersKind, MatrixKind, LawKind, MotionKind, ComponentsKind)
    bare = {
        f"{name}.{f}" for name, e in ELEMENTS.items() for f, k in kinds(e).items() if isinstance(k, numbers) and not k.takes
    }
    assert bare == {
        "CamFollower.estimate", "CamFlat.estimate", "PointFollower.estimate",  # of whatever the curve's parameter is
        "Coupler.value", "DP1.f", "CD.c", "State.rate", "State.start",
    }  # fmt: skip


def test_a_study_keeps_the_kinds_of_parameters(tmp_path):
    from linkwright.studies.files import StudyFile

    (study := tmp_path / "study.yaml").write_text("values:\n  r: [30 mm, 2 kg]\n", encoding="utf-8")
    with pytest.raises(lw.FileError, match="r: it was given as a length, but this is a mass") as caught:
        StudyFile(study, loads(FILE))
    assert (caught.value.line, caught.value.column) == (2, 14)
