"""The machine in the page, in a real browser: numbers as the analyses here give them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from loaded_machines import random_machine
from page.live_pages import SAME, Show, assert_alike, assert_same, channels, crank, numbers, pendulum, pull, put, solved

pytestmark = pytest.mark.browser


def test_simulation_with_a_law_that_switches(show: Show) -> None:
    """Other parameters, and other start values; the model itself is not changed."""
    m = crank()
    opened = numbers(show, m, t_end=1.0, steps=100)
    assert_same(opened, lw.dynamics(m, t_end=1.0, steps=100))
    assert put(opened, r=0.23, l=0.6, **{"crank.omega": -4.0}) == ""
    assert opened.page.evaluate("linkwright.state") == {"r": 0.23, "l": 0.6, "crank.omega": -4.0}
    m.set(r=0.23, l=0.6)
    m.fix(m["crank"].omega, -4.0)
    assert_same(opened, lw.dynamics(m, t_end=1.0, steps=100))


def test_a_driven_machine_simulated(show: Show) -> None:
    """Drivers in a simulation: all is held, and the work rules the steps, too."""
    m = crank(driven=True)
    opened = numbers(show, m, analysis="dynamics", t_end=1.0, steps=100)
    assert_same(opened, lw.dynamics(m, t_end=1.0, steps=100))


@pytest.mark.parametrize(("name", "change"), [("four-bar", {"l": 3.3}), ("jansen", {"m": 0.14, "a": 0.39})])
def test_kinematics_of_examples(show: Show, name: str, change: dict[str, float]) -> None:
    m = EXAMPLES[name].load()
    page = lw.page(m, t_end=1.0, autoplay=False)
    assert len(page.text) < 250_000
    opened = solved(show(page, 480, 360))
    assert_same(opened, lw.kinematics(m, t_end=1.0, steps=200))
    assert put(opened, **change) == ""
    m.set(**change)
    assert_same(opened, lw.kinematics(m, t_end=1.0, steps=200))


def test_the_governor(show: Show) -> None:
    """In space, with loops, laws in time that switch, and velocities that are fixed."""
    m = EXAMPLES["governor"].load()
    page = lw.page(m, t_end=1.5, steps=100, autoplay=False)
    assert len(page.text) < 1_200_000
    opened = solved(show(page, 480, 360))
    assert_same(opened, lw.dynamics(m, t_end=1.5, steps=100))
    assert put(opened, k=1100.0) == ""
    m.set(k=1100.0)
    assert_same(opened, lw.dynamics(m, t_end=1.5, steps=100))


@pytest.mark.parametrize("name", ["valve-lifter", "spatial-slider-crank", "bicycle"])
def test_other_examples(show: Show, name: str) -> None:
    """Cams, whose contacts are searched for; angles in space; wheels that roll."""
    m = EXAMPLES[name].load()
    t_end = min(EXAMPLES[name].t_end, 1.0)
    opened = numbers(show, m, t_end=t_end, steps=100)
    assert_same(opened, getattr(lw, EXAMPLES[name].analysis)(m, t_end=t_end, steps=100))


def test_a_state_that_is_held_at_its_limit(show: Show) -> None:
    """The event puts it at the limit but for rounding, above or below."""
    m = lw.PlanarModel("limiter", gravity=(0, 0))
    m.body("b", 1.0, 1.0)
    limit = m.parameter("L", 0.5)
    m.state("u", lambda u, t: lw.where((u >= limit) & (lw.sin(t) > 0), 0.0, lw.sin(t)), start=0.0)
    opened = numbers(show, m, t_end=4.0, steps=8)
    for L in (0.5, 0.7, 0.9, 1.1, 1.3):
        assert put(opened, L=L) == ""
        m.set(L=L)
        assert_same(opened, lw.dynamics(m, t_end=4.0, steps=8))


def with_motor() -> lw.PlanarModel:
    """A state beside the mechanics."""
    m, pin = pendulum("motor")
    m.add(lw.Motor("M", pin, voltage=12, k=0.5, resistance=1.0, inductance=0.01))
    return m


def with_friction() -> lw.PlanarModel:
    """A force that follows from a reaction."""
    m, pin = pendulum("friction")
    m.add(lw.Friction("f", pin, mu=0.2, radius=0.05, stick=False))
    return m


def on_soft_ground() -> lw.PlanarModel:
    """A contact that closes and opens, drag with a kink."""
    m = lw.PlanarModel("soft", gravity=(0, -9.81))
    ball = m.body("ball", mass=1.0, inertia=0.1, velocity=(3, 1))
    m.add(lw.Force("air", ball.x, lambda x, v, t: -0.5 * v * lw.absolute(v)))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, -0.2, angle=0), k=1e4, c=10.0))
    return m


def with_dependent_rows() -> lw.Model:
    """A planar four-bar in space, three equations too many, under a law that switches: it is run in joint coordinates."""
    m = lw.embed(EXAMPLES["four-bar"].load().without("motor"))
    m.add(lw.Force("buffer", m["follower"].y, lambda x, v, t: lw.where(x > 0.475, -2000 * (x - 0.475), 0.0)))
    return m


MAKERS = {
    "motor": with_motor, "friction": with_friction, "soft ground": on_soft_ground, "dependent rows": with_dependent_rows,
    "random, plane": lambda: random_machine(2, np.random.default_rng(7)),
    "random, space": lambda: random_machine(3, np.random.default_rng(8)),
}  # fmt: skip


@pytest.mark.parametrize("kind", MAKERS)
def test_simulations_of_many_kinds(show: Show, kind: str) -> None:
    m = MAKERS[kind]()
    opened = numbers(show, m, t_end=0.5, steps=25)
    assert opened.page.evaluate("linkwright.message") == ""
    d = lw.dynamics(m, t_end=0.5, steps=25)
    assert d.audit.formulation == ("joint" if kind == "dependent rows" else "newton-euler")  # the page takes the same
    assert_alike(opened, d)
    told = opened.page.locator("#audit").text_content()
    assert f"{d.audit.steps} steps, {d.audit.evaluations} evaluations" in told


def test_a_thread_of_its_own(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long is solved aside: the same numbers, the same words, and the page stays awake."""
    monkeypatch.setattr("linkwright.live.page.HEAVY", 0)
    m = crank()
    text = lw.page(m, t_end=0.4, steps=40).text
    spy = "window.threads = 0; window.Worker = class extends Worker { constructor(...x) { super(...x); threads++; } };"
    opened = solved(show(text.replace("<style>", f"<script>{spy}</script><style>", 1)))
    assert put(opened, r=0.23) == ""
    assert opened.page.evaluate("threads") == 1
    m.set(r=0.23)
    assert_same(opened, lw.dynamics(m, t_end=0.4, steps=40))
    assert "not with what you fixed" in put(opened, l=0.03)
    assert put(opened, l=0.5) == ""
    assert opened.page.evaluate("threads") == 1
    assert opened.complaints == []


def test_a_long_run_leaves_the_page_awake(show: Show) -> None:
    """After 60 ms the page gives a run up, one of some hundreds here, and leaves it to a thread. Whatever that takes (its
    answer is held back here), the recorded motion is played and moved meanwhile."""
    m = crank()
    text = lw.page(m, t_end=400.0, steps=50, autoplay=False).text
    spy = """window.threads = 0; window.released = new Promise((done) => { window.release = done; });
    window.Worker = class extends Worker {
      constructor(...x) { super(...x); threads++; }
      set onmessage(f) { super.onmessage = async (event) => { if (event.data.found) await released; f(event); }; }
    };"""
    opened = show(text.replace("<style>", f"<script>{spy}</script><style>", 1))
    opened.until("threads === 1")
    before = opened.place("slider")
    opened.go(30.0)
    opened.page.evaluate("async () => { for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame); }")
    assert opened.place("slider") != before
    assert opened.page.evaluate("document.getElementById('stage').ariaBusy") == "true"
    opened.page.evaluate("release()")
    solved(opened)
    assert opened.page.evaluate("[linkwright.message, linkwright.times.length]") == ["", 51]


def test_inverse_dynamics(show: Show) -> None:
    """Efforts and reactions; what is zero but for rounding is judged by the largest of its kind."""
    m = crank(driven=True)
    opened = numbers(show, m, analysis="inverse_dynamics", t_end=1.0, steps=60)
    m.set(r=0.21)
    assert put(opened, r=0.21) == ""
    assert_alike(opened, lw.inverse_dynamics(m, t_end=1.0, steps=60))


def test_equilibrium(show: Show) -> None:
    """At rest under gravity and springs, for other parameters, too; what was dragged comes back to rest."""
    m = lw.PlanarModel("lamp", gravity=(0, -9.81))
    k = m.parameter("k", 60.0)
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    lamp = m.body("lamp", mass=0.5, inertia=0.01, position=(1.2, 0.1), angle=0.4)
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.Revolute("B", arm.at(0.5, 0), lamp.at(-0.2, 0)))
    m.add(lw.Spring("spring", m.ground.at(0, 0.8), arm.at(0.3, 0), k=k, length=0.4))
    opened = solved(show(lw.page(m, analysis="equilibrium", autoplay=False)))
    for value in (60.0, 75.0):
        assert put(opened, k=value) == ""
        m.set(k=value)
        rest = lw.equilibrium(m)
        own = channels(opened)
        assert set(own) == set(rest.channels)
        for name, values in own.items():
            assert abs(values[0] - rest[name]) <= SAME * max(abs(rest[name]), 1.0), name
    pull(opened, "arm", (0, 60))
    opened.page.mouse.up()
    opened.until("'arm.y' in linkwright.state && document.getElementById('stage').ariaBusy === 'false'")
    assert channels(opened)["arm.y"][0] == pytest.approx(rest["arm.y"], abs=1e-9)  # the same rest from another start


@pytest.mark.parametrize("name", ["heavy-top", "four-bar-windows", "coil-spring"])
def test_equilibria_of_examples(show: Show, name: str) -> None:
    """One that may turn about the vertical, which nothing holds; one that begins upright, on top of a hill; one with a force
    without potential."""
    m = EXAMPLES[name].load()
    opened = numbers(show, m, analysis="equilibrium")
    assert opened.page.evaluate("linkwright.message") == ""
    assert_alike(opened, lw.equilibrium(m).as_result())


@pytest.mark.parametrize("values", [{"lean": -0.5}, {"push": 3.0}], ids=str)
def test_what_never_rests_is_told_in_the_words_of_the_product(show: Show, values: dict[str, float]) -> None:
    """A bead that nothing holds on a level rail rests where it is; not where the rail goes down, nor where it is pushed."""
    m = lw.PlanarModel("rail", gravity=(0, -9.81))
    lean, push = m.parameter("lean", 0.0), m.parameter("push", 0.0)
    bead = m.body("bead", mass=1.0, inertia=0.1, position=(0.2, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=lean), bead.at(0, 0, angle=0)))
    m.add(lw.PointForce("hand", bead.at(0, 0), (push, 0)))
    opened = numbers(show, m, analysis="equilibrium")
    assert opened.page.evaluate("linkwright.message") == ""
    m.set(**values)
    with pytest.raises(lw.LinkwrightError) as caught:
        lw.equilibrium(m)
    assert caught.value.cause in put(opened, **values)


def test_a_result_as_a_live_page(show: Show) -> None:
    m = crank()
    d = lw.dynamics(m, t_eval=np.linspace(0, 0.4, 30) ** 1.0, rtol=1e-7)
    opened = solved(show(d.animate(live=True)))
    assert_same(opened, d)
    with pytest.raises(lw.ModelError, match=r"options of its own \(method\)"):
        lw.dynamics(m, t_end=0.1, method="radau").animate(live=True)
    with pytest.raises(lw.ModelError, match="takes no 'check'"):
        d.animate(live=True, check=lw.check(m))
