"""Nothing is left out: every element has a page, every public name a reference, every code and error an explanation."""

import ast
import re
import sys
from pathlib import Path

import pytest

import linkwright as lw
from linkwright import errors
from linkwright.analyses.diagnosis.check import SERIOUS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
import describe  # noqa: E402
import living  # noqa: E402
import picture  # noqa: E402

ELEMENTS = {name: group for group, names in describe.groups().items() for name in names}


def page(name):
    return (DOCS / "elements" / f"{describe.page_of(name)}.md").read_text(encoding="utf-8")


def test_every_element_has_a_page_and_every_page_an_element():
    pages = {p.stem for p in (DOCS / "elements").glob("*.md")} - {"index"}
    assert pages == set(map(describe.page_of, ELEMENTS))


def test_all_classes_of_elements_are_public():
    """A class that a model takes and no page knows would be missed by the test above."""
    from linkwright import model
    from linkwright.model import Element, Joint, Motion, Rise

    classes = {n for n in model.__all__ if isinstance(c := getattr(model, n), type) and issubclass(c, Element | Motion)}
    assert classes - {c.__name__ for c in (Element, Joint, Motion, Rise)} == set(ELEMENTS)


@pytest.mark.parametrize("name", ELEMENTS)
def test_page_of_an_element(name):
    text = page(name)
    assert text.startswith(f"# {name}\n\n```{{element}} {name}\n```\n")
    wanted = ["Law" if ELEMENTS[name] == "forces" else "Equation"]
    wanted += ["Example"] if ELEMENTS[name] == "motions" else ["Singular cases", "Example"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == wanted
    example = text.partition("## Example")[2]
    assert f"lw.{name}(" in example
    assert "assert" in example
    assert re.search(r"^```\{(picture|plot)\}", example, re.MULTILINE)


def test_data_of_a_page_comes_from_the_class():
    text = describe.element("Screw")
    assert "linkwright.Screw(name, P, Q, pitch, start=0.0)" in text
    assert "| `pitch` | a number, or an expression of parameters | it must be given |" in text
    assert "**Where** space. **Coordinates** `.angle`, `.displacement`" in text


def test_equations_named_below_a_picture():
    m = lw.PlanarModel("m")
    m.add(lw.Revolute("A", m.ground.at(0, 0), m.body("arm").at(0, 0)))
    assert picture.rows(m, "Revolute") == ["A.x", "A.y"]
    assert picture.rows(m, "Driver") == []


def test_picture_has_the_place_of_a_joint():
    """Two pins 1 m apart fill the width of the sheet, within its margins."""
    m = lw.PlanarModel("m")
    bar = m.body("bar", position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(-0.5, 0)))
    m.add(lw.Revolute("B", m.ground.at(1, 0), bar.at(0.5, 0)))
    places = {float(x) for x in re.findall(r'class="pin" cx="([\d.]+)"', picture.svg(m))}
    assert places == {picture.MARGIN, picture.WIDTH - picture.MARGIN}


def test_every_public_name_is_in_the_reference():
    text = living.expand((DOCS / "api.md").read_text(encoding="utf-8"), "api.md")
    described = set(re.findall(r"\{py:\w+\} linkwright\.(\w+)", text))
    assert described >= set(lw.__all__) - set(ELEMENTS) - {"__version__"} - set(lw._MODULES)
    assert all(f"## lw.{module}\n" in text for module in lw._MODULES)


def codes():
    """The codes of findings in the source: literals given to `Finding`, or to a variable `code` on the way to it."""
    found = set()
    for path in (*(ROOT / "src/linkwright/analyses").rglob("*.py"), ROOT / "src/linkwright/model/findings.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                found |= texts(node.args[0])
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "code":
                found |= texts(node.value)
    return found


def texts(node):
    branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    return {b.value for b in branches if isinstance(b, ast.Constant)}


def test_every_code_has_a_page_with_a_machine_that_is_drawn_and_serious_ones_are_marked():
    """The block `broken` draws the machine and a mended one; it fails where there is no remedy to draw."""
    pages = {p.stem: p.read_text(encoding="utf-8") for p in (DOCS / "codes").glob("*.md")}
    listed = pages.pop("index")
    assert set(pages) == codes() | {"free"}
    assert {code for code, text in pages.items() if text.startswith(f"# {code}\n\n**Serious.**")} == set(SERIOUS)
    assert {code for code, text in pages.items() if f"```{{broken}} {code}\n```" in text} == set(pages) - {"stopped"}
    assert all(f"\n{code}\n" in listed for code in pages)


def test_every_error_is_explained():
    text = (DOCS / "diagnosis.md").read_text(encoding="utf-8")
    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.LinkwrightError)]
    missing = {e.__name__ for e in kinds} - set(re.findall(r"^### (\w+)$", text, re.MULTILINE))
    assert missing == {"LinkwrightError"}  # the base, named above them


def test_docstrings_as_markdown():
    assert describe.escape("the sum of a*b in `x*y`, |d| [m]") == r"the sum of a\*b in `x*y`, \|d\| \[m\]"
    assert describe.paragraphs("words\n\n    a = b\n    c = d") == "words\n\n```text\na = b\nc = d\n```"
