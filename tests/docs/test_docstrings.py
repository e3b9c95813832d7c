"""Every public name is documented in numpydoc's form: its sections parse, name the signature's parameters, and run."""

import doctest
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
import reference
import sections

NAMES = [name for name in lw.__all__ if name != "__version__"]
MODULES = [name for name in NAMES if inspect.ismodule(getattr(lw, name))]


def methods(cls):
    """Public methods that users call, with the class that has them; not those that the package itself uses for speed."""
    for name, found in inspect.getmembers_static(cls):
        if name.startswith("_") or name in getattr(cls, "_unasked", ()) or not _ours(cls, name):
            continue
        found = getattr(found, "__func__", found)
        if inspect.isfunction(found) and not _inherited_hook(cls, name):
            yield name, found


def _ours(cls, name):
    owner = next(c for c in cls.__mro__ if name in vars(c))
    return owner.__module__.startswith("linkwright")


def _inherited_hook(cls, name):
    """What elements, motions and events offer to the rest of the package: no user calls it."""
    from linkwright.model import Element, Motion

    return issubclass(cls, Element | Motion | lw.Watch) and name != "of"


def functions():
    """(where, function or class) of all that must be documented with sections."""
    for name in NAMES:
        thing = getattr(lw, name)
        if inspect.ismodule(thing):
            inner = getattr(thing, "__all__", None) or [n for n, f in vars(thing).items() if _defined(thing, n, f)]
            yield from ((f"{name}.{n}", getattr(thing, n)) for n in inner)
            continue
        yield name, thing
        if isinstance(thing, type) and not issubclass(thing, BaseException):
            yield from ((f"{name}.{n}", f) for n, f in methods(thing))


def answers():
    """Classes of what analyses give, and their methods."""
    for path in reference.ANSWERS:
        thing = reference.found(path)
        yield thing.__name__, thing
        yield from ((f"{thing.__name__}.{n}", f) for n, f in methods(thing))


def _defined(module, name, found):
    return inspect.isfunction(found) and found.__module__ == module.__name__ and not name.startswith("_")


DOCUMENTED = dict(functions()) | dict(answers())


def signature_of(thing):
    """Names of the parameters that a user gives."""
    if isinstance(thing, type):
        known = inspect.signature(thing.__init__ if issubclass(thing, BaseException) else thing)
    else:
        known = inspect.signature(thing)
    return [p for p in known.parameters if p not in ("self", "cls")]


@pytest.mark.parametrize("where", DOCUMENTED)
def test_sections_parse_and_name_the_parameters_of_the_signature(where):
    thing = DOCUMENTED[where]
    doc = sections.parse(thing.__doc__)
    assert not doc.faults
    if isinstance(thing, type) and "Attributes" in doc.sections:  # an answer, which no user makes
        annotated = {name for c in thing.__mro__ for name in vars(c).get("__annotations__", ())}
        assert set(doc.names("Attributes")) <= {*dir(thing), *signature_of(thing), *annotated}
    else:
        assert doc.parameters == signature_of(thing)
    if not isinstance(thing, type) and inspect.signature(thing).return_annotation not in ("None", None):
        assert doc.entries("Returns"), "what does it give?"
    if where in NAMES:
        assert ">>> " in doc.sections.get("Examples", "")


@pytest.mark.parametrize("where", [n for n, thing in DOCUMENTED.items() if isinstance(thing, type)])
def test_public_properties_have_a_docstring(where):
    cls = DOCUMENTED[where]
    found = [n for n, p in inspect.getmembers_static(cls) if isinstance(p, property) and n[0] != "_"]
    assert not [n for n in found if not any(getattr(vars(c).get(n), "__doc__", "") for c in cls.__mro__)]


@pytest.mark.parametrize("where", MODULES)
def test_public_modules_have_an_example(where):
    assert ">>> " in sections.parse(getattr(lw, where).__doc__).sections["Examples"]


EXAMPLES = {w: t for w, t in {**DOCUMENTED, **{m: getattr(lw, m) for m in MODULES}}.items() if ">>>" in (t.__doc__ or "")}


@pytest.mark.parametrize("where", EXAMPLES)
def test_examples_run(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if where == "work_precision":
        pytest.importorskip("matplotlib").use("Agg")
    doc = inspect.cleandoc(EXAMPLES[where].__doc__)
    example = doctest.DocTestParser().get_doctest(doc, {"lw": lw}, where, None, 0)
    told = []
    # arrays are shown as numpy does by default, whatever a test before has set
    with np.printoptions(precision=8, suppress=False):
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=told.append)
    assert not told, "".join(told)


def test_what_is_wrong_with_a_docstring_is_found():
    wrong = "Give\nsomething\n\nReturns\n-------\nint\n    It.\n\nParameters\n----------\nx : int\n\nSeen\n----\nyes\n"
    faults = " ".join(sections.parse(wrong).faults)
    for part in ("not one line", "order of sections", "x has no text", "'Seen' is not known"):
        assert part in faults
