"""Wrong arguments and wrong names are answered in Python as in files: by what is wrong and the nearest right word."""

import inspect
import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright.calls import Answering, answers
from linkwright.model import Model

# What users get from Linkwright and do not make or call by hand: no way in to a machine.
MADE_FOR_THEM = {"Result", "Configuration", "Model", "Study", "Spread", "Optimum", "Fit", "Steady", "RootLocus"}
ERRORS = {name for name in lw.__all__ if isinstance(c := getattr(lw, name), type) and issubclass(c, BaseException)}


def plane():
    m = lw.PlanarModel("m")
    return m, m.body("b", mass=1.0, inertia=1.0)


def told(call):
    with pytest.raises(lw.ArgumentError) as caught:
        call()
    assert isinstance(caught.value, lw.ModelError)
    assert isinstance(caught.value, TypeError)
    return caught.value


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("damping", "'c'"),
        ("stiffness", "'k'"),
        ("free_length", "'length'"),
        ("lenght", "'length'"),
        ("rest_length", "'length'"),
    ],
)
def test_words_of_other_programs_for_the_data_of_a_spring(wrong, right):
    m, b = plane()
    error = told(lambda: lw.Spring("s", m.ground.at(0, 0), b.at(0, 0), **{wrong: 2.0}))
    assert error.element == ("s",)
    assert error.cause == f"Spring() has no argument {wrong!r}"
    assert error.remedy == (
        f"did you mean {right}? write Spring(name, P, Q, k=0.0, length=0.0, c=0.0, force=0.0)"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("dt", "'steps' or 't_eval'"), ("tend", "'t_end'"), ("duration", "'t_end'"), ("tol", "'rtol'"), ("solver", "'method'")],
)
@pytest.mark.parametrize("analysis", ["dynamics", "kinematics", "inverse_dynamics"])
def test_words_of_other_programs_for_the_times_of_a_run(analysis, wrong, right):
    m, _ = plane()
    error = told(lambda: getattr(lw, analysis)(m, **{wrong: 1.0}))
    assert error.cause == f"{analysis}() has no argument {wrong!r}"
    known = inspect.signature(getattr(lw, analysis)).parameters
    if all(word.strip("'") in known for word in right.split(" or ")):
        assert error.remedy.startswith(f"did you mean {right}? write {analysis}(model, ")


def test_what_is_missing_too_many_or_twice():
    m, _ = plane()
    assert told(lambda: lw.Revolute("A")).cause == "Revolute() needs 'P', 'Q' too"
    assert told(lambda: lw.dynamics()).cause == "dynamics() needs 'model' too"
    assert told(lambda: lw.dynamics(m, 1, 2, 3)).cause == "dynamics() takes at most 3 arguments without a name, not 4"
    assert told(lambda: lw.dynamics(m, 1.0, t_end=2.0)).cause == (
        "dynamics() was given 't_end' twice, by its place and by its name"
    )
    assert told(lambda: lw.distance(1, 2, 3)).cause == "distance() takes at most 2 arguments, not 3"
    two = told(lambda: lw.Spring("s", stiffness=1, damping=1))
    assert two.cause == "Spring() has no argument 'stiffness', 'damping'"
    assert two.remedy.startswith("stiffness: did you mean 'k'? damping: did you mean 'c'? ")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"t_end": float("nan")}, "t_end"), ({"t_end": 1e60}, "t_end"), ({"t_end": 10**400}, "t_end"),
        ({"t_end": 1.0, "rtol": 1j}, "rtol"), ({"t_end": 1.0, "dense_output": 2}, "dense_output"),
        ({"t_end": 1.0, "progress": "loud"}, "progress"), ({"t_end": 1.0, "max_step": np.array([1j])}, "max_step"),
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_calculated_with_are_told_by_name(words, name):
    """Usual arguments are not looked at one by one: these are not usual."""
    m, _ = plane()
    with pytest.raises(lw.ModelError) as caught:
        lw.dynamics(m, **words)
    assert caught.value.element == (name,)


def test_methods_of_models_bodies_and_results():
    m, b = plane()
    assert told(lambda: m.body("c", mas=1)).remedy.startswith("did you mean 'mass'? ")
    assert told(lambda: m.body("c", orientation=1)).remedy.startswith("did you mean 'angle'? ")
    assert told(lambda: b.at(0, 0, angel=1)).remedy.startswith("did you mean 'angle'? ")
    assert told(lambda: b.guess(pos=(1, 2))).remedy.startswith("did you mean 'position'? ")
    assert told(lambda: lw.Curve.polar("1", stop=1)).cause == "polar() has no argument 'stop'"
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(0, 0)))
    d = lw.dynamics(m, t_end=0.1, steps=1)
    assert told(lambda: d.reaction("A", body="b")).cause == "reaction() has no argument 'body'"
    assert told(lambda: d.animate(heigth=3)).cause == "animate() has no argument 'heigth'"
    assert told(lambda: lw.record(m, "x.nc", t_end=1.0, steps=1, formulatoin="kane")).remedy.startswith(
        "did you mean 'formulation'?"
    )
    assert told(lambda: lw.shapes.box(1, 2, 3, rho=7800)).remedy.startswith("did you mean 'density'? ")


def test_errors_from_within_come_out_as_they_are():
    def law(x, v, t):
        raise TypeError("mine")

    m, b = plane()
    with pytest.raises(lw.ModelError, match="the function raised TypeError: mine"):
        m.add(lw.Force("f", b.x, law))

    class Odd:
        def __float__(self):
            raise TypeError("odd")

    with pytest.raises(TypeError, match="odd") as caught:
        lw.shapes.point(mass=1.0).moved(Odd())
    assert not isinstance(caught.value, lw.ArgumentError)


def public_callables():
    """Every function and class of `lw`, its modules, and every public method of the classes."""
    for name in lw.__all__:
        thing = getattr(lw, name)
        if name in lw._MODULES:
            yield from ((f"{name}.{n}", f) for n, f in vars(thing).items() if _own(f, thing.__name__) and n[0] != "_")
        elif isinstance(thing, type):
            if name not in MADE_FOR_THEM | ERRORS:
                yield name, thing
            for cls in thing.__mro__ if name not in ERRORS else ():
                unasked = getattr(cls, "_unasked", ())
                for n, f in vars(cls).items():
                    f = getattr(f, "__func__", f)
                    if inspect.isfunction(f) and n[0] != "_" and n not in unasked and f.__module__.startswith("linkwright"):
                        yield f"{name}.{n}", f
        elif inspect.isfunction(thing):
            yield name, thing


def _own(f, module):
    return inspect.isfunction(f) and f.__module__ == module


def test_everything_public_answers():
    silent = [n for n, f in public_callables() if not (isinstance(f, Answering) if isinstance(f, type) else answers(f))]
    assert silent == []


def test_what_is_left_out_for_speed_is_not_for_users():
    """They are called many thousand times while equations are traced."""
    assert set(Model._unasked) == {
        "definition", "number", "order", "parameter_values", "quantity", "rates_of_states_in",
        "scalar", "scope", "trace", "traced", "value",
    }  # fmt: skip


def test_signatures_stay_as_they_are_written():
    assert str(inspect.signature(lw.Revolute)).startswith("(name: 'str', P: 'OnPoint', Q: 'OnPoint')")
    assert list(inspect.signature(lw.kinematics).parameters)[:3] == ["model", "t_end", "steps"]
    assert list(inspect.signature(lw.PlanarModel.body).parameters)[:3] == ["self", "name", "mass"]
    assert list(inspect.signature(lw.atan2).parameters) == ["y", "x"]
    assert lw.dynamics.__doc__
    assert lw.dynamics.__name__ == "dynamics"


def test_functions_and_classes_can_still_be_sent_to_other_processes():
    for thing in (lw.dynamics, lw.distance, lw.sin, lw.Spring, lw.equations):
        assert pickle.loads(pickle.dumps(thing)) is thing


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Pin", "Revolute"), ("Hinge", "Revolute"), ("Slider", "Translational"), ("Prismatic", "Translational"),
        ("Weld", "Fixed"), ("Ball", "Spherical"), ("Cardan", "Universal"), ("Damper", "Spring"), ("Motion", "Driver"),
        ("Moment", "Torque"), ("simulate", "dynamics"), ("statics", "equilibrium"), ("arctan2", "atan2"),
        ("Revolut", "Revolute"), ("revolute", "Revolute"),
    ],
)  # fmt: skip
def test_names_of_other_programs(wrong, right):
    with pytest.raises(lw.UnknownNameError) as caught:
        getattr(lw, wrong)
    error = caught.value
    assert isinstance(error, lw.ModelError)
    assert isinstance(error, AttributeError)
    assert error.cause == f"linkwright has no {wrong!r}"
    assert error.remedy.startswith(f"did you mean {right!r}?")
    assert not hasattr(lw, wrong)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_names_that_tools_look_for_are_plainly_not_there():
    with pytest.raises(AttributeError) as caught:
        lw._ipython_display_  # noqa: B018
    assert not isinstance(caught.value, lw.LinkwrightError)


def test_files_know_the_same_words(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("linkwright: 1\nmodel: planar\nbodies: {b: {mass: 1}}\nelements:\n  A: {type: Hinge, P: ground, Q: b}\n")
    with pytest.raises(lw.FileError) as caught:
        lw.load(path)
    assert caught.value.remedy == "did you mean 'Revolute'?"
    path.write_text(
        path.read_text().replace("{type: Hinge, P: ground, Q: b}", "{type: Spring, P: ground, Q: b, damping: 2}")
    )
    with pytest.raises(lw.FileError) as caught:
        lw.load(path)
    assert caught.value.remedy == "did you mean 'c'?"


@pytest.mark.parametrize(
    ("wrong", "right"), [("simulate", "dynamics"), ("statics", "equilibrium"), ("kinematic", "kinematics")]
)
def test_the_command_line_knows_the_same_words(wrong, right, capsys):
    from linkwright.cli.parser import build

    with pytest.raises(SystemExit):
        build().parse_args(["run", "four-bar", "--analysis", wrong])
    assert f"{wrong!r} is not known; did you mean {right!r}?" in capsys.readouterr().err
