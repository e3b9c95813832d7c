"""Whatever is given, the answer is an answer or an error of ours that says what is wrong: soon, and without warnings.

The calls are made from the signatures of everything public, so that what is added to the package is covered by itself.
"""

import faulthandler
import inspect
import tempfile
from functools import cache
from pathlib import Path

import hostile
import numpy as np
import pytest
from hostile import HUGE, NO_NUMBER, element_calls, element_classes, function_calls, good_fields, setting, trouble

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.model import fields, plain_fields
from linkwright.model.elements import Element, kinds
from linkwright.results import Audit


@pytest.fixture(autouse=True)
def nothing_hangs(tmp_path, monkeypatch):
    """Native code that does not end cannot be interrupted: the process ends, and says where it was."""
    monkeypatch.chdir(tmp_path)
    faulthandler.dump_traceback_later(300, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def complaints(calls):
    found = [(what, wrong) for what, _, _, call in calls if (wrong := trouble(call))]
    return "\n".join(f"{what}: {wrong}" for what, wrong in found)


# -- elements ---------------------------------------------------------------------------------------------------------

CASES = [(c, d) for c in element_classes() for d in (2, 3) if d in c.dimensions]
of_elements = pytest.mark.parametrize(("element", "dimension"), CASES, ids=[f"{c.__name__}-{d}" for c, d in CASES])


@of_elements
def test_fields_of_elements(element, dimension):
    m = setting(dimension)
    m.add(element("e", **good_fields(element, m)))  # what the others are given is right
    assert not complaints(element_calls(element, dimension))


@of_elements
def test_numbers_beyond_the_bound_are_refused_by_name(element, dimension):
    numbers = (plain_fields.NumberKind, fields.MotionKind, fields.LawKind)
    for what, field, bad, call in element_calls(element, dimension):
        if bad in HUGE | NO_NUMBER and isinstance(kinds(element).get(field), numbers):
            with pytest.raises(lw.ModelError) as error:
                call()
            assert error.value.element == ("e",), what
            assert field in error.value.cause, what


# -- functions --------------------------------------------------------------------------------------------------------


def pendulum(driven=False):
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    r = m.parameter("r", 0.5)
    b = m.body("b", mass=1, inertia=0.1, position=(0.5, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-r, 0)))
    if driven:
        m.add(lw.Driver("drive", A.angle, "t"))
    return m


KEPT, RUN = [lw.final("b.x")], {"t_end": 0.01, "steps": 2}


def _saved(m):
    path = Path(tempfile.mkdtemp()) / "m.yaml"
    m.save(path)
    return path


@cache
def good_arguments():
    """What functions take, by their names; "" for all. A function that is not here gets None for what it needs."""
    free, driven = pendulum(), pendulum(driven=True)
    b, ground = free["b"], free.ground
    result = lw.kinematics(driven, t_end=0.1, steps=4)
    audit, moments = Audit("x"), {"n_b": (1, 0, 0), "n": (1, 0, 0), "n_star": (1, 0, 0, 0), "p": (1, 0, 0, 0)}
    rise, table = {"height": 1.0, "duration": 1.0}, {"x": [0, 1, 2], "y": [0, 1, 0.0]}
    vectors = {"u": b.vector(1, 0), "v": ground.vector(1, 0)}
    two = {"m1": 1.0, "m2": 1.0, "I1": np.eye(3), "I2": np.eye(3), "r1": (1, 0, 0), "r2": (0, 1, 0), "s": (0, 0, 1)}
    two |= dict.fromkeys(("f", "n", "a1", "a2", "wd1", "wd2"), (1.0, 0.0, 0.0)) | {"alpha": 1.0}
    return {
        "": {"model": free, "t_end": 0.01, "steps": 2, "name": "new"},
        "kinematics": {"model": driven}, "inverse_dynamics": {"model": driven}, "sensitivity": {"model": driven},
        "assemblies": {"model": driven, "tries": 3},
        "transmission_angle": {"result": result, "joint": "A"},
        "mechanical_advantage": {"result": result, "effort": "drive", "load": "b.x"},
        "report": {"result": result, "path": "r.html", "model": driven},
        "record": {"path": "x.nc"},
        "load_result": {"path": "x.nc"},
        "load": {"path": _saved(free)},
        "root_locus": {"name": "r", "values": [0.4, 0.5]},
        "sweep": {"values": {"r": [0.4, 0.5]}, "keep": KEPT, "**": RUN},
        "monte_carlo": {"spread": {"r": lw.Normal(0.5, 0.01)}, "samples": 4, "keep": KEPT, "**": RUN},
        "gradient": {"reduction": KEPT[0], "names": ["r"], "**": RUN}, "prepare": {"**": RUN},
        "optimize": {"bounds": {"r": (0.4, 0.6)}, "minimize": KEPT[0], "max_iterations": 1, "**": RUN},
        "fit": {"data": {"t": [0, 0.01], "b.x": [0.5, 0.5]}, "bounds": {"r": (0.4, 0.6)}, "max_iterations": 1, "**": RUN},
        "apparent_inertia": {"body": "b"},
        "distance": {"P": b.at(0, 0), "Q": ground.at(1, 0)},
        "dot": vectors, "angle": vectors,
        "component": {"P": b.at(0, 0), "channel": "x"},
        "rate": {"quantity": b.x},
        **{kind: {"model": "m", "axes": {}, "arrays": {}, "audit": audit} for kind in ("Study", "Spread")},
        "Result": {"model": "m", "t": np.zeros(2), "channels": {}, "audit": audit},
        "Configuration": {"model": "m", "t": 0.0, "channels": {}, "audit": audit, "q": np.zeros(1)},
        "ResultStream": {"path": "s.nc", "model": "m", "channels": ["b.x"]},
        "Cycloid": rise, "ModifiedSine": rise,
        "Harmonic": {"amplitude": 1.0, "omega": 1.0},
        "Table": table, "spline": table,
        "Curve.polar": {"rho": 1.0},
        "Curve.parametric": {"x": "alpha", "y": 0.0},
        "Curve.table": {"x": [0, 1, 2], "y": [0, 1, 0]},
        "Watch": {"quantity": b.x},
        **{f"moment_{k}": moments for k in ("star", "star_of_global", "body", "global")},
        **{f"two_body.{k}": two for k, f in vars(lw.two_body).items() if callable(f)},
        **{f"shapes.{k}": SIZES for k, f in vars(lw.shapes).items() if callable(f)},
    }  # fmt: skip


SIZES = {**dict.fromkeys("abc", 1.0), **dict.fromkeys(("radius", "height", "length", "base", "outer"), 1.0), "inner": 0.5}
SIZES |= {"mass": 1.0, "corners": [(0, 0), (1, 0), (0, 1)]}


def public_functions():
    """Label and function of everything public that is called: functions, classes, and what their modules hold."""
    for name in lw.__all__:
        o = getattr(lw, name)
        if inspect.ismodule(o):
            for inner, f in vars(o).items():
                if not inner.startswith("_") and callable(f) and str(getattr(f, "__module__", "")).endswith("." + name):
                    yield f"{name}.{inner}", f
        elif callable(o) and not (isinstance(o, type) and issubclass(o, BaseException | Element)):
            yield name, o
    for inner in ("polar", "parametric", "table"):
        yield f"Curve.{inner}", getattr(lw.Curve, inner)


FUNCTIONS = dict(public_functions())
WRITE = ("report", "record", "ResultStream", "page")  # files
MANY = ("sweep", "monte_carlo", "gradient", "optimize", "fit")  # runs


@pytest.mark.parametrize("label", FUNCTIONS)
def test_arguments_of_functions(label):
    known = good_arguments()
    good = known[""] | known.get(label, {})
    assert not complaints(function_calls(label, FUNCTIONS[label], good, few=label in WRITE + MANY))


@pytest.mark.parametrize("label", [name for name in FUNCTIONS if name[0].islower()])
def test_truth_values_and_texts_are_no_numbers(label, monkeypatch, tmp_path):
    """`steps=True` was a run of one step, `rtol="a"` of a page was let pass where nothing asked for it."""
    monkeypatch.chdir(tmp_path)
    function, known = FUNCTIONS[label], good_arguments()
    parameters = inspect.signature(function).parameters
    good = known[""] | known.get(label, {})
    given = {name: x for name, x in good.items() if name in parameters} | good.get("**", {})
    for name, p in parameters.items():
        if str(p.annotation).removesuffix(" | None") in ("float", "int"):
            for bad in (True, np.bool_(True), "", "a text"):
                with pytest.raises(lw.ModelError):
                    function(**{**given, name: bad})


# -- models and bodies ------------------------------------------------------------------------------------------------

METHODS = {
    "model": ("parameter", "fix", "body", "add", "set", "without", "save", "definition", "__getitem__"),
    "body": ("at", "frame", "vector", "curve", "coordinate", "guess"),
}


@pytest.mark.parametrize(("owner", "method"), [(o, m) for o, names in METHODS.items() for m in names])
@pytest.mark.parametrize("dimension", [2, 3])
def test_arguments_of_methods(owner, method, dimension):
    m = setting(dimension)
    target = m if owner == "model" else m["b"]
    good = {
        "P": (0.0,) * dimension,
        "Q": (1.0,) * dimension,
        "quantity": m["b"].x,
        "curve": lw.Curve.polar(1.0),
        "name": "A",
    }
    assert not complaints(function_calls(f"{owner}.{method}", getattr(target, method), good, few=method == "save"))


@cache
def answers():
    """What analyses and studies of a machine give, of each kind one, and the machine with its parts."""
    m, kept, run = pendulum(), [lw.final("b.x")], {"t_end": 0.02, "steps": 2}
    m["b"].guess(position=(0, -0.5), angle=-np.pi / 2)
    return {
        "model": m, "body": m["b"], "point": m["b"].at(0, 0), "joint": m["A"], "steady": lw.steady(m),
        "result": lw.inverse_dynamics(pendulum(driven=True), t_end=0.1, steps=2), "motion": lw.dynamics(m, **run),
        "configuration": lw.equilibrium(m), "findings": lw.check(m), "linearization": lw.linearize(m),
        "study": lw.sweep(m, {"r": [0.4, 0.5]}, keep=kept, **run), "locus": lw.root_locus(m, "r", [0.4, 0.5]),
        "spread": lw.monte_carlo(m, {"r": lw.Normal(0.5, 0.01)}, samples=8, keep=kept, **run),
        "optimum": lw.optimize(m, {"r": (0.4, 0.6)}, minimize=kept[0], max_iterations=2, **run),
        "ready": lw.prepare(m, **run), "equations": lw.equations(m),
    }  # fmt: skip


OWNERS = (
    "model", "body", "point", "joint", "result", "motion", "configuration", "findings", "linearization", "steady",
    "study", "locus", "spread", "optimum", "ready", "equations",
)  # fmt: skip
DRAWN_OR_WRITTEN = ("plot", "save", "export", "animate", "page", "report", "bode", "campbell", "parallel", "tornado")


@pytest.mark.parametrize("owner", OWNERS)
def test_arguments_of_all_methods(owner):
    """Of every public one, but for those that are called many thousand times while equations are traced."""
    target = answers()[owner]
    good = {"name": "b.x", "path": "x.csv", "t": 0.01, "P": (0.0, 0.0), "quantity": target, "channel": "b.x", "k": 0}
    known = [n for n in dir(type(target)) if n[0] != "_" and n not in getattr(type(target), "_unasked", ())]
    for method in known:
        if inspect.isfunction(getattr(type(target), method, None)):
            few = method in DRAWN_OR_WRITTEN
            assert not complaints(function_calls(f"{owner}.{method}", getattr(target, method), good, few=few))


@pytest.mark.parametrize("dimension", [2, 3])
def test_numbers_of_bodies_and_parameters_are_bounded(dimension):
    m = setting(dimension)
    for bad in (*HUGE.values(), *NO_NUMBER.values()):
        for field in ("mass", "inertia", "omega", "angle") if dimension == 2 else ("mass",):
            with pytest.raises(lw.ModelError, match="new"):
                m.body("new", **{field: bad})
        for field in ("position", "velocity", "com"):
            with pytest.raises(lw.ModelError, match="new"):
                m.body("new", **{field: (bad,) * dimension})
        for ask in (lambda bad=bad: m.parameter("new", bad), lambda bad=bad: m.set(p=bad)):
            with pytest.raises(lw.ModelError, match=r"^(new|p): the value of a parameter is"):
                ask()
    assert m.parameters["p"] == 2.0
    assert "new" not in m


def test_numbers_that_become_huge_by_arithmetic_are_refused_where_they_are_evaluated():
    m = setting(2)
    p = m["p"]
    m.add(lw.Distance("rod", m["b"].at(0, 0), m["c"].at(0, 0), p**6))
    m.add(lw.Driver("drive", m["joint"].angle, lambda t: p**6 * t))
    with pytest.raises(lw.ModelError, match=r"rod: length: .* is 1e\+60: beyond 1e\+50"):
        m.set(p=1e10)
    m = m.without("rod")
    m.set(p=1e10)
    with pytest.raises(lw.ModelError, match=r"drive: .*the motion is 1e\+60: beyond 1e\+50"):
        lw.kinematics(m, t_end=1.0, steps=2)


def test_laws_hold_no_huge_constants():
    m = setting(2)
    for law in (lambda x, v, t: 1e200 * x, lambda x, v, t: x * float("nan"), "1e200*s", "s*1e999"):
        with pytest.raises(LinkwrightError, match=r"e: law: .*(beyond 1e\+50|not a finite)"):
            m.add(lw.Force("e", m["b"].x, law))


def test_values_inside_of_arguments():
    """Starts, events, gains, options, times, outputs that hold what makes no sense."""
    free, driven = pendulum(), pendulum(driven=True)
    b = free["b"]

    def run(**more):
        return lambda: lw.dynamics(free, **({} if "t_eval" in more else {"t_end": 0.01, "steps": 1}), **more)

    def calls():
        for name, bad in hostile.bad_values():
            asked = {
                "start": run(start={"b.x": bad}),
                "start of a motion": lambda bad=bad: lw.kinematics(driven, t_end=0.01, steps=1, start={"b.x": bad}),
                "start of a search": lambda bad=bad: lw.equilibrium(free, start={"b.x": bad}),
                "event": run(events={"e": bad}),
                "direction": run(events={"e": lw.Watch(b.x, direction=bad)}),
                "stop": run(events={"e": lw.Watch(b.x, stop=bad)}),
                "gains": run(constraints="stabilisation", gains=(bad, bad)),
                "options": run(method="generalized-alpha", options={"rho": bad}),
                "times": run(t_eval=[0, bad]),
                "a place": lambda bad=bad: lw.linearize(free, {"b.x": bad}),
                "outputs": lambda bad=bad: lw.linearize(free, outputs=[bad]),
            }
            yield from ((f"{what}: {name}", what, name, call) for what, call in asked.items())

    run()()  # compiled
    assert not complaints(calls())
