"""What a page cannot do, and says: machines that do not close or lock up, wrong values, laws that cannot run there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from linkwright.live.bundle import part
from page.live_pages import Show, channels, crank, numbers, pendulum, put
from page.test_live_numbers import with_friction, with_motor

pytestmark = pytest.mark.browser


def test_wrong_arguments() -> None:
    m = crank()
    for given, said in (
        ({"analysis": "statics"}, "no page of"),
        ({"parameters": ["q"]}, "no parameter 'q'"),
        ({"parameters": "r"}, "give names"),
        ({"parameters": {"r": (1, 0)}}, "no range"),
        ({"t_end": -1}, "goes nowhere"),
        ({"channels": ["crank.q"]}, "crank.q"),
    ):
        with pytest.raises(lw.LinkwrightError) as caught:
            lw.page(m, **given)
        assert said in str(caught.value)


def test_values_that_cannot_be_calculated_with_are_said(show: Show) -> None:
    """`set(null)` ended in a bare TypeError; 1e300 was told as branches of the motion, or as a dead point."""
    opened = numbers(show, crank(), t_end=0.2, steps=20)
    for x in ("null", "undefined", "3", "'abc'", "[1]"):
        said = opened.page.evaluate(f"async () => {{ await linkwright.set({x}); return linkwright.message; }}")
        assert said.startswith("set takes values by name, such as set({ ")
    for name in ("r", "crank.x"):
        assert (
            put(opened, **{name: 1e300})
            == f"{name} is 1e+300: beyond 1e+50 numbers cannot be calculated with; check its unit"
        )
    assert put(opened, r=float("nan")) == "r must be a finite number, not NaN"
    opened.page.evaluate("location.hash = 'r=1e300'")
    opened.page.evaluate("linkwright.ready")
    assert opened.page.evaluate("linkwright.state") == {}
    assert opened.page.evaluate("linkwright.parameters.r") == 0.2
    box = opened.page.locator("input[type=number][data-name=r]")
    box.fill("1e200")
    assert opened.page.evaluate("linkwright.message").startswith("r is 1e+200: beyond 1e+50")
    assert opened.page.evaluate("linkwright.parameters.r") == 0.2
    assert put(opened, r=0.21) == ""


def tied(a: float = 0.8) -> lw.PlanarModel:
    """A bob on two rods, whose pins are 1 m apart."""
    m = lw.PlanarModel("two rods", gravity=(0, -9.81))
    first = m.parameter("a", a)
    bob = m.body("bob", mass=1.0, inertia=0.1, position=(0.4, -0.5))
    m.add(lw.Distance("first", m.ground.at(0, 0), bob.at(0, 0), length=first))
    m.add(lw.Distance("second", m.ground.at(1, 0), bob.at(0, 0), length=0.6))
    return m


def test_what_does_not_close_is_said(show: Show) -> None:
    opened = numbers(show, tied(), t_end=0.2, steps=20)
    before = channels(opened)
    said = put(opened, a=0.3)
    with pytest.raises(lw.AssemblyError) as caught:
        lw.dynamics(tied(0.3), t_end=0.2)
    for words in (caught.value.cause, said):  # how far each is open follows from where a search ended
        assert "the joints cannot be closed: " in words
        assert " m stay open at best, from your estimates and from " in words
    assert opened.page.locator("#trouble").is_visible()
    assert not opened.page.locator("#scale").is_visible()  # it is where the trouble is told
    assert "The picture is older" in opened.page.locator("#trouble").inner_text()
    assert all((values == before[name]).all() for name, values in channels(opened).items())  # the last picture
    assert put(opened, a=0.8) == ""
    assert not opened.page.locator("#trouble").is_visible()
    assert opened.page.locator("#scale").is_visible()


def test_a_driven_machine_that_does_not_close(show: Show) -> None:
    m = crank(driven=True)
    opened = numbers(show, m, t_end=1.0, steps=50)
    assert "your drivers ask for what cannot be reached at t = 0: motor" in put(opened, l=0.03)


@pytest.mark.parametrize("analysis", ["kinematics", "dynamics"])
def test_a_machine_that_locks_up_is_told_in_the_words_of_the_product(show: Show, analysis: str) -> None:
    """Whose equations depend on each other, why, the remedy; the time is where steps ended, just before the dead point."""
    m = crank(driven=True)
    opened = numbers(show, m, analysis=analysis, t_end=1.0, steps=50)
    m.set(r=0.5, l=0.42)
    with pytest.raises(lw.SingularityError) as caught:
        getattr(lw, analysis)(m, t_end=1.0, steps=50)
    assert_said(put(opened, r=0.5, l=0.42), caught.value)


def test_a_law_that_chatters_is_told_in_the_words_of_the_product(show: Show) -> None:
    """With half of its flywheel the compressor comes back, and its gas law switches with the velocity."""
    m = EXAMPLES["flywheel"].load()
    opened = numbers(show, m, t_end=0.2, steps=20)
    m.set(J=225)
    with pytest.raises(lw.IntegrationError) as caught:
        lw.dynamics(m, t_end=0.2, steps=20)
    assert_said(put(opened, J=225), caught.value)


def assert_said(said: str, error: Any) -> None:
    """But for digits of the time."""
    time = re.compile(r"(?<= t = )[\d.e-]*\d")
    assert time.sub("T", said) == time.sub("T", f"{', '.join(error.element)}: {error.cause}; remedy: {error.remedy}")
    assert float(time.findall(said)[0]) == pytest.approx(error.time, abs=1e-6)


def test_estimates_that_do_not_close_are_told(show: Show) -> None:
    """Some other assembly is found from others: which is a matter of chance, that it is so is not."""
    m = EXAMPLES["jansen"].load()
    opened = numbers(show, m, t_end=0.05, steps=5)
    assert put(opened, a=0.57) == ""
    m.set(a=0.57)
    (note,) = lw.kinematics(m, t_end=0.05, steps=5).audit.notes
    told = opened.page.locator("#audit").text_content()
    for words in ("the estimates are at fault: from them left K, ", " cannot be closed, from others they can; ", " rad off"):
        assert words in note
        assert words in told
    assert put(opened, a=0.38) == ""
    assert "fault" not in opened.page.locator("#audit").text_content()


def test_what_is_fixed_in_vain_and_wrong_names_and_values(show: Show) -> None:
    opened = numbers(show, crank(), t_end=0.1, steps=10)
    assert "the machine can be assembled, but not with what you fixed" in put(opened, l=0.03)
    assert 'no parameter or start value "q"' in put(opened, q=1.0)
    assert "must be a finite number" in opened.page.evaluate(
        "async () => { await linkwright.set({ r: NaN }); return linkwright.message; }"
    )
    assert put(opened, r=0.21, l=0.5) == ""


def test_what_a_page_refuses_by_name() -> None:
    """A sentence each; the motion is in the page as it was recorded."""

    def why(m: Any, **options: Any) -> str:
        text = lw.page(m, t_end=0.1, steps=5, **options).text
        refused: str = json.loads(part(text, "data"))["machine"]["refused"]
        return refused

    python, _ = pendulum("law")
    python.add(lw.Force("law", python["arm"].x, lambda x, v, t: float(x) if x > 0 else 0.0))
    with pytest.warns(UserWarning, match="cannot be traced"):
        assert "laws in plain Python cannot run in a page (law)" in why(python)
    moved = with_motor()
    moved.add(lw.Driver("drive", moved["A"].angle, "t"))
    assert "states are not followed along a motion in a page (M.current)" in why(moved, analysis="inverse_dynamics")
    rubbing = with_friction()
    rubbing.add(lw.Driver("drive", rubbing["A"].angle, "t"))
    assert "friction under reactions is not balanced in a page (f)" in why(rubbing, analysis="inverse_dynamics")


def no_machine() -> lw.PlanarModel:
    """A ball on a floor, all of whose numbers may be wrong."""
    m = lw.PlanarModel("ball", gravity=(0, -9.81))
    M, J, e, mu = (m.parameter(n, x) for n, x in {"M": 1.0, "J": 0.1, "e": 0.9, "mu": 0.2}.items())
    ball = m.body("ball", mass=M, inertia=J, position=(0, 0.3))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=e, mu=mu, mu_static=0.3))
    return m


def test_values_that_make_no_machine(show: Show) -> None:
    """They are refused in the words in which the model refuses them, and the last picture stays."""
    opened = numbers(show, no_machine(), t_end=0.3, steps=10)
    before = opened.page.evaluate("Array.from(linkwright.channel('ball.y'))")
    for name, value in (("e", 1.5), ("e", -0.1), ("M", -1.0), ("J", -0.5), ("mu", -0.2), ("mu", 0.5)):
        with pytest.raises(lw.ModelError) as caught:
            no_machine().set(**{name: value})
        said = f"{', '.join(caught.value.element)}: {caught.value.cause}; remedy: {caught.value.remedy}"
        assert put(opened, **{name: value}) == said
        assert opened.page.evaluate("Array.from(linkwright.channel('ball.y'))") == before
        assert put(opened, M=1.0, J=0.1, e=0.9, mu=0.2) == ""


def rounded() -> lw.PlanarModel:
    """A ball over a plane, and one over a ball that is fixed."""
    m = lw.PlanarModel("balls", gravity=(0, -10))
    radius, edge, other = m.parameter("radius", 0.2), m.parameter("edge", 0.01), m.parameter("other", 0.1)
    for name, x in (("ball", 0.0), ("second", 2.0)):
        m.body(name, mass=1.0, inertia=0.1, position=(x, 1))
    m.add(lw.Contact("floor", m["ball"].at(0, 0), m.ground.at(0, 0, angle=0), radii=(radius, edge), k=1e4, c=10))
    m.add(lw.Contact("bump", m["second"].at(0, 0), m.ground.at(2, 0), radii=(other, 0.3), on="sphere", k=1e4, c=10))
    return m


def test_negative_radii_make_no_contact(show: Show) -> None:
    """Of a ball on a plane or on a ball; zero is a point."""
    opened = numbers(show, rounded(), t_end=0.1, steps=5)
    for name, value in (("radius", -0.1), ("edge", -0.02), ("other", -0.2)):
        with pytest.raises(lw.ModelError) as caught:
            rounded().set(**{name: value})
        said = f"{', '.join(caught.value.element)}: {caught.value.cause}; remedy: {caught.value.remedy}"
        assert put(opened, **{name: value}) == said
        assert put(opened, radius=0.2, edge=0.01, other=0.1) == ""
    assert put(opened, radius=0.0, edge=0.0, other=0.0) == ""
