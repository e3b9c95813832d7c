"""What users are told: short, to them, in words of machines and not of solvers. Errors and findings, as they are written
in the source, and as they come out for the corpus of broken machines (tests/analyses/test_corpus.py)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import linkwright

# A machine does not converge, and has no rank: whoever builds one should not have to know what these mean.
SOLVER_WORDS = re.compile(
    r"\b(jacobians?|residuals?|newton's method|singular\w*|rank|rank-\w+|lapack|blas|svd|null ?space|"
    r"(does not |no )?converge\w*|iterat\w+|multipliers?|eigen\w+|ill-condition\w*|condition numbers?|hessian|pivots?|"
    r"factori[sz]\w*|degenerate|regulari[sz]\w*|homotopy|drift(s|ed)? of constraints|constraint drift|underflow\w*|"
    r"least squares|right-hand side|Phi\w*|DAE|ODE|users?)\b",
    re.IGNORECASE,
)
LONGEST = 250  # characters, numbers and names apart
# Rooms that no machine is described in: for whoever works with graphs and matrices themselves.
OTHERS = ("graph", "compile", "analyses/matrices", "solve/integrate.py", "solve/follower.py")
NAMES = {"text", "remedy", "cause", "why", "told", "said", "note", "notes", "wrong", "what", "effect", "words"}
# Functions that make them.
TELLING = {"note", "notes", "told", "said", "why", "remedy", "cause", "text", "words", "wrong", "the_other_way_round"}
TROUBLE = re.compile(r"new Trouble\((.*)\)")  # of the page, one to a line
QUOTED = re.compile(r"`([^`]*)`|\"([^\"]*)\"")
SOURCE = Path(linkwright.__file__).parent


def words(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts below a node, with what is filled in left out."""
    inside: set[int] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.JoinedStr):
            inside |= {id(x) for x in ast.walk(n)}
            yield n.lineno, "".join(str(v.value) if isinstance(v, ast.Constant) else "..." for v in n.values)
    for n in ast.walk(node):
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in inside:
            yield n.lineno, n.value


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Of errors, findings and remedies, and of what is made for them under the usual names."""
    for n in ast.walk(tree):
        if isinstance(n, ast.Call):
            name = n.func.attr if isinstance(n.func, ast.Attribute) else getattr(n.func, "id", "")
            if name.endswith("Error") or name in ("Finding", "Fix"):
                own = [*n.args, *(k.value for k in n.keywords if k.arg not in ("kind", "element"))]
                yield from (x for a in own for x in words(a))
            elif name == "append" and _is_notes(getattr(n.func, "value", None)):
                yield from words(n)
        elif isinstance(n, ast.Assign | ast.AugAssign) and _tells(n):
            yield from words(n.value)
        elif isinstance(n, ast.FunctionDef) and n.name.strip("_") in TELLING:
            yield from (x for r in ast.walk(n) if isinstance(r, ast.Return | ast.Yield) and r.value for x in words(r.value))


def _tells(n: ast.Assign | ast.AugAssign) -> bool:
    """Whether what is assigned is told."""
    if isinstance(n, ast.AugAssign):
        return _is_notes(n.target)
    return any(isinstance(t, ast.Name) and t.id in NAMES for t in n.targets)


def _is_notes(node: ast.AST | None) -> bool:
    """Whether this is the list of notes of an audit, or of a model."""
    return getattr(node, "attr", getattr(node, "id", "")) == "notes"


@cache
def all_messages() -> list[tuple[str, str]]:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if not place.startswith(OTHERS):
            own = set(messages(ast.parse(path.read_text(encoding="utf-8"))))
            found += [(f"{place}:{line}", text) for line, text in sorted(own) if " " in text]
    return found


def test_no_message_has_words_of_solvers():
    from linkwright.solve.solution import MESSAGES

    every = [*all_messages(), *((f"solve/solution.py: {k}", text) for k, text in MESSAGES.items())]
    assert len(every) > 1000  # else they are not found
    assert [(place, text) for place, text in every if SOLVER_WORDS.search(text)] == []


def test_no_message_of_the_page_has_words_of_solvers():
    found = []
    for path in sorted((SOURCE / "live" / "script").glob("*.js")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for call in TROUBLE.findall(line):
                texts = [a or b for a, b in QUOTED.findall(call)]
                found += [(f"{path.name}:{number}", re.sub(r"\$\{[^}]*\}", "...", x)) for x in texts if " " in x]
    assert len(found) > 30  # else they are not found
    assert [x for x in found if SOLVER_WORDS.search(x[1]) or len(x[1]) > LONGEST] == []


def test_messages_are_short():
    assert [(place, text) for place, text in all_messages() if len(text) > LONGEST] == []


def test_effects_speak_to_the_reader():
    from linkwright.analyses.diagnosis.effects import EFFECTS

    for text in EFFECTS.values():
        assert not SOLVER_WORDS.search(text)
        assert len(text) <= 120
