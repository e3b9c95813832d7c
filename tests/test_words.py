"""Words of a few: however capitals, hyphens, underscores and blanks are put; and what is said of others."""

import pytest

import linkwright as lw
from linkwright import model
from linkwright.model.elements import kinds
from linkwright.model.plain_fields import ChoiceKind
from linkwright.words import an, spelled


def crank():
    m = lw.PlanarModel("crank", gravity=(0, -9.81))
    r = m.parameter("r", 0.5)
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(-r, 0)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    return m


RUN = {"t_end": 0.1, "steps": 2}
ASKED = {
    "page": lambda w: lw.page(crank(), analysis=w, **RUN),
    "sweep": lambda w: lw.sweep(crank(), {"r": [0.5]}, w, keep=["b.x"], **RUN),
    "monte_carlo": lambda w: lw.monte_carlo(crank(), {"r": lw.Uniform(0.4, 0.5)}, w, samples=2, keep=["b.x"], **RUN),
    "prepare": lambda w: lw.prepare(crank(), analysis=w, **RUN),
    "gradient": lambda w: lw.gradient(crank(), lw.final("b.x"), ["r"], analysis=w, **RUN),
    "sensitivity": lambda w: lw.sensitivity(crank(), t=0.1, analysis=w),
    "family": lambda w: lw.family(crank(), {"r": [0.5]}, analysis=w, **RUN),
}


@pytest.mark.parametrize("call", ASKED)
def test_an_analysis_as_the_command_line_names_it(call):
    """`linkwright run --analysis inverse-dynamics` is `inverse_dynamics` in Python: either is taken everywhere."""
    ASKED[call]("inverse-dynamics")
    ASKED[call]("Inverse dynamics")
    for wrong in ("inverse_dynamic", "inverse"):
        with pytest.raises(lw.ModelError) as caught:
            ASKED[call](wrong)
        assert caught.value.element == ("analysis",)
        assert "did you mean 'inverse_dynamics'? it may be one of " in caught.value.remedy


def test_recorded_runs(tmp_path):
    assert len(lw.record(crank(), tmp_path / "r.nc", "inverse-dynamics", **RUN).t) == 3


@pytest.mark.parametrize(
    ("option", "word", "wrong", "right"),
    [
        ("formulation", "Newton Euler", "newton_eulers", "newton-euler"),
        ("formulation", "euler_parameters", "eulerparameter", "euler-parameters"),
        ("constraints", "INDEX 3", "baumgarte", "stabilization"),
        ("constraints", "GGL", "coordinate-partitioning", "partitioning"),
        ("method", "Generalized alpha", "newmark", "generalized-alpha"),
        ("method", "DOP 853", "ode45", "dopri5"),
        ("method", "Radau", "BDF", "radau"),
    ],
)
def test_ways_to_solve(option, word, wrong, right):
    m = lw.PlanarModel("falling", gravity=(0, -10))
    m.body("b", mass=1.0, inertia=1.0)
    assert lw.dynamics(m, **RUN, **{option: word})["b.y"][-1] == pytest.approx(-0.05, rel=1e-6)  # g t^2 / 2
    with pytest.raises(lw.ModelError) as caught:
        lw.dynamics(m, **RUN, **{option: wrong})
    assert caught.value.element == (option,)
    assert caught.value.remedy.startswith(f"did you mean {right!r}? it may be one of ")


def test_forms_of_elements():
    """Every field that is one of a few words, of every element."""
    classes = [c for c in vars(model).values() if isinstance(c, type) and issubclass(c, model.Element)]
    found = {kind for c in classes for kind in kinds(c).values() if isinstance(kind, ChoiceKind)}
    assert found
    for kind in found:
        for word in kind.words:
            for other in (word.upper(), word.replace("-", "_"), word.replace(" ", "-"), word.replace("-", " ")):
                assert kind.take(other) == word
        with pytest.raises(lw.ModelError, match="it cannot be 'Xx'") as caught:
            kind.take("Xx")
        assert caught.value.remedy == f"it may be one of {', '.join(kind.words)}"


def test_forms_of_elements_in_files(tmp_path):
    m = lw.SpatialModel("m")
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.add(lw.Bushing("soft", m.ground.at(0, 0, 0), b.at(0, 0, 0), k=[1.0] * 6, form="rotation-vector"))
    m.save(tmp_path / "m.yaml")
    text = (tmp_path / "m.yaml").read_text()
    assert "form: rotation vector" in text
    (tmp_path / "m.yaml").write_text(text.replace("rotation vector", "Rotation_Vector"))
    assert lw.load(tmp_path / "m.yaml").elements["soft"].form == "rotation vector"


def test_tables_and_shapes():
    x, y = [0, 1, 3], [0, 1, 0]
    assert lw.spline(x, y, kind="Linear")(2.0) == 0.5
    with pytest.raises(lw.LinkwrightError) as caught:
        lw.spline(x, y, kind="liner")
    assert caught.value.remedy == "did you mean 'linear'? it may be one of cubic, linear"
    assert lw.shapes.rod(1.0, mass=1.0, axis="Y").inertia[1][1] == 0.0
    with pytest.raises(lw.ModelError, match="no axis 'xy'"):
        lw.SpatialModel("m").ground.at(0, 0, 0).axis("xy")


def test_only_the_spelling_is_forgiven():
    assert spelled("a b", ["a-b", "a_b"]) == "a b"  # which of them?
    assert spelled("a_b", ["a-b", "a_b"]) == "a_b"
    assert spelled("-", ["a"]) == "-"
    assert spelled(3, ["a"]) == 3


def test_nouns_have_the_article_that_they_are_spoken_with():
    assert [an(n) for n in ("Inertia", "Universal", "optimize", "box")] == [
        "an Inertia",
        "a Universal",
        "an optimize",
        "a box",
    ]
