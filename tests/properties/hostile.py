"""Arguments that make no sense, and the calls that are given them, which are made from signatures."""

import dataclasses
import inspect
import math
import sys
import time
import warnings

import numpy as np

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.model import body_fields, fields, plain_fields
from linkwright.model.elements import Element, kinds


def raises(*args, **more):
    raise ZeroDivisionError("a law that fails")


HUGE = {"1e155": 1e155, "-1e300": -1e300, "10**400": 10**400, "numpy 1e200": np.float64(1e200)}
NO_NUMBER = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "numpy nan": np.float64("nan")}
BAD = {
    **HUGE,
    **NO_NUMBER,
    "None": None,
    "empty text": "",
    "text": "text",
    "1/0": "1/0",
    "1e999 as text": "1e999",
    "bytes": b"bytes",
    "empty list": [],
    "empty mapping": {},
    "object": object(),
    "a law that fails": raises,
    "too many": [1.0] * 7,
    "ragged": [[1.0], [2.0, 3.0]],
    "list of nan": [math.nan, math.nan, math.nan],
    "list of huge": [1e200, 1e200, 1e200],
    "list of None": [None, None],
    "complex": 1 + 2j,
    "numpy complex": np.complex128(1 + 1j),
    "True": True,
    "numpy truth": np.bool_(True),
    "negative": -1.0,
    "negative integer": -3,
    "zero": 0,
    "numpy int": np.int64(-2),
    "numpy float32": np.float32(-0.5),
    "numpy matrix": np.ones((2, 2)),
    "numpy cube": np.zeros((2, 2, 2)),
    "numpy scalar array": np.array(math.nan),
    "numpy objects": np.array([object(), None]),
    "numpy texts": np.array(["a", "b"]),
    "numpy nothing": np.zeros(0),
    "a type": int,
    "a set": {1, 2},
    "a generator": "generator",  # made anew for each call
    "a file that is none": "/nowhere/of/this/name",
}
SECOND = 1.0
# for calls that take long where they are let pass: they write files
FEW = (
    "1e155",
    "10**400",
    "nan",
    "None",
    "text",
    "bytes",
    "empty list",
    "empty mapping",
    "object",
    "complex",
    "numpy matrix",
)
MORE = {
    **{element: {"k": 1.0} for element in (lw.Rope, lw.Belt, lw.Gear)},
    lw.Stop: {"lower": 0.0, "upper": 1.0, "k": 1.0},
    lw.Contact: {"k": 1.0},
    lw.PID: {"kp": 1.0},
}


def bad_values(few=False):
    for name, value in BAD.items():
        if few and name not in FEW:
            continue
        yield name, ((x for x in (1, "a")) if name == "a generator" else value)


def trouble(call, within=SECOND):
    """What is wrong with how a call takes its arguments: anything but an answer or an error of ours, in silence and `within`
    so many seconds of processor time. A call that takes longer is made twice more: garbage collection and threads of other
    tests are counted by the same clock."""
    wrong, used = tried(call)
    for _ in range(2):
        if wrong or used <= within:
            return wrong
        wrong, used = tried(call)
    return wrong or (f"took {used:.1f} s" if used > within else "")


def tried(call):
    """What is wrong with a call, and the seconds of processor time that it used."""
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = call()
            if hasattr(made, "__exit__"):  # a file that was opened
                made.__exit__(None, None, None)
        wrong = ""
    except LinkwrightError as error:
        wrong = "" if str(error) and error.cause else "an error without a cause"
    except ZeroDivisionError as error:  # of a function that a user gave: it comes out as it is
        wrong = "" if "a law that fails" in str(error) else repr(error)
    except Exception as error:
        inner = error.__traceback__
        while inner.tb_next is not None:
            inner = inner.tb_next
        place = f"{inner.tb_frame.f_code.co_filename.rpartition('linkwright/')[2]}:{inner.tb_lineno}"
        wrong = f"{type(error).__name__}: {str(error)[:100]} ({place})"
    finally:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    return wrong, time.process_time() - begin


# -- elements ---------------------------------------------------------------------------------------------------------


def setting(dimension):
    """A model with a body on a joint, and a second one."""
    if dimension == 2:
        m = lw.PlanarModel("m", gravity=(0, -9.81))
        b, c = (m.body(n, mass=1, inertia=1, position=(x, 0.0)) for n, x in (("b", 1.0), ("c", 2.0)))
        m.add(lw.Revolute("joint", m.ground.at(0, 0), b.at(-1, 0)))
        m.add(lw.Revolute("other", b.at(1, 0), c.at(0, 0)))
    else:
        m = lw.SpatialModel("m", gravity=(0, 0, -9.81))
        b, c = (m.body(n, mass=1, inertia=(1, 1, 1), position=(x, 0.0, 0.0)) for n, x in (("b", 1.0), ("c", 2.0)))
        m.add(lw.Revolute("joint", m.ground.at(0, 0, 0), b.at(-1, 0, 0)))
        m.add(lw.Revolute("other", b.at(1, 0, 0), c.at(0, 0, 0)))
    m.body("node")
    m.parameter("p", 2.0)
    return m


def good_field(kind, m, body):
    """A value that the field of an element takes."""
    n = m.dimension
    point = body.at(*[0.5] * n, **({"angle": 0.0} if n == 2 else {}))
    b, c = m["b"], m["c"]
    table = {
        plain_fields.NumberKind: lambda: 1.0,
        plain_fields.NumbersKind: lambda: (1.0,) * (2 if kind.size < 0 else kind.size or n),
        plain_fields.MatrixKind: lambda: (1.0,) * (3 if n == 2 else 6),
        plain_fields.ChoiceKind: lambda: kind.words[0],
        body_fields.PointKind: lambda: point,
        body_fields.TouchKind: lambda: point,
        body_fields.PointsKind: lambda: [m["b"].at(*[0.5] * n), m["c"].at(*[0.0] * n)],
        body_fields.VectorKind: lambda: body.vector(*[1.0] * n),
        body_fields.CurveKind: lambda: body.curve(lw.Curve.polar(1.0)),
        body_fields.BodyKind: lambda: b,
        fields.QuantityKind: lambda: b.x,
        fields.AngleKind: lambda: m["joint"].angle,
        fields.TermsKind: lambda: {b.x: 1.0, c.x: 2.0},
        fields.MotionKind: lambda: 1.0,
        fields.LawKind: lambda: 1.0,
        fields.ComponentsKind: lambda: 1.0 if kind.torque and n == 2 else (1.0,) * n,
        fields.JointKind: lambda: "joint",
    }
    return table[type(kind)]()


def element_classes():
    found = [getattr(lw, name) for name in lw.__all__]
    return [c for c in found if inspect.isclass(c) and issubclass(c, Element)]


def good_fields(element, m):
    """Arguments that the element takes: what it needs, its first points on one body, the last one on another."""
    if element is lw.Balance:
        return {"node": m["node"].at(*[0.0] * m.dimension)}
    required = {f.name for f in dataclasses.fields(element) if f.default is dataclasses.MISSING}
    places = [f for f, kind in kinds(element).items() if isinstance(kind, body_fields.OnBodyKind)]
    out = {}
    for field, kind in kinds(element).items():
        if field in required:
            out[field] = good_field(kind, m, m["c"] if [field] == places[-1:] else m["b"])
    return out | MORE.get(element, {})


def element_calls(element, dimension):
    """(what, field, bad value's name, call) for each field and each bad value."""
    m = setting(dimension)
    good = {"name": "e", **good_fields(element, m)}
    for field in good | kinds(element):
        for name, value in bad_values():

            def call(given={**good, field: value}):  # noqa: B006  read only
                e = element(**given)
                try:
                    m.add(e)
                    repr(e)
                finally:
                    m._elements.pop(e.name, None)  # one machine serves all

            yield f"{element.__name__}({field}={name})", field, name, call


# -- functions --------------------------------------------------------------------------------------------------------


def function_calls(label, function, good, few=False):
    """(what, parameter, bad value's name, call): one parameter bad, the others as `good` has them, or left out; "**": what
    is given besides."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return
    for p in parameters:
        if p.kind is p.VAR_KEYWORD or (few and p.annotation == "Any"):
            continue
        for name, value in bad_values(few):
            if p.name == "progress" and name == "a type":
                continue  # it can be called, and what it raises is the user's
            if p.kind is p.VAR_POSITIONAL:
                for count in (1, 2, 3):
                    yield f"{label}({name} x {count})", p.name, name, lambda c=count, v=value: function(*[v] * c)
                yield f"{label}(1.0, {name})", p.name, name, lambda v=value: function(1.0, v)
                continue
            others = {q.name: good[q.name] for q in parameters if q.name in good and q.kind is not q.POSITIONAL_ONLY}
            needed = {
                q.name: None for q in parameters
                if q.default is q.empty and q.kind in (q.POSITIONAL_OR_KEYWORD, q.KEYWORD_ONLY) and q.name not in others
            }  # fmt: skip
            given = {**good.get("**", {}), **needed, **others, p.name: value}
            yield f"{label}({p.name}={name})", p.name, name, lambda g=given: function(**g)
