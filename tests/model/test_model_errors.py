"""The errors carry their parts, through pickling too."""

import pickle

import pytest

from linkwright.errors import AssemblyError, IntegrationError, LinkwrightError, ModelError, SingularityError
from linkwright.model import GrammarError
from linkwright.model.grammar import read


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (
            ModelError("why", element="A", remedy="how"),
            {"element": ("A",), "cause": "why", "remedy": "how", "partial": None},
        ),
        (
            AssemblyError("why", residuals={"A": 0.1}, feasible=False, element=["A", "B"], partial=3),
            {"residuals": {"A": 0.1}, "feasible": False, "element": ("A", "B"), "partial": 3},
        ),
        (
            SingularityError("why", kind="lock-up", time=0.5, driver="motor", branches=[{"A.angle": 1.0}]),
            {"kind": "lock-up", "time": 0.5, "driver": "motor", "branches": [{"A.angle": 1.0}]},
        ),
        (IntegrationError("why", time=1.0, partial=[1]), {"time": 1.0, "partial": [1]}),
    ],
)
def test_parts(error, parts):
    for e in (error, pickle.loads(pickle.dumps(error))):
        assert type(e) is type(error)
        assert isinstance(e, LinkwrightError)
        assert {k: getattr(e, k) for k in parts} == parts
        assert "why" in str(e)


def test_a_grammar_error_says_where():
    with pytest.raises(GrammarError) as caught:
        read("1 + nope", {"t": 0.0}, element="motor")
    e = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(e, ModelError)
    assert (e.column, e.text, e.element) == (5, "1 + nope", ("motor",))
    assert str(e).startswith("motor: the name 'nope' is not known, at column 5 of '1 + nope'")
