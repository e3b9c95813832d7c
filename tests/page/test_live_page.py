"""The machine in the page, in a real browser: numbers as the analyses here give them, sliders, locks, links, undo."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from loaded_machines import random_machine
from page.conftest import Opened

pytestmark = pytest.mark.browser
Show = Callable[..., Opened]
# of the largest value of a channel; channels below the second number are rounding of others
SAME, NOTHING = 1e-9, 1e-3


def solved(opened: Opened) -> Opened:
    opened.page.evaluate("linkwright.ready")
    assert opened.complaints == []
    return opened


def put(opened: Opened, **values: float) -> str:
    """What the page says after these values were set."""
    said: str = opened.page.evaluate("async (x) => { await linkwright.set(x); return linkwright.message; }", values)
    return said


def channels(opened: Opened) -> dict[str, np.ndarray]:
    found = opened.page.evaluate(
        "Object.fromEntries(linkwright.channels.map((c) => [c, Array.from(linkwright.channel(c))]))"
    )
    return {name: np.array(values) for name, values in found.items()}


def assert_same(opened: Opened, result: Any) -> None:
    """Every channel of the result, to 1e-9."""
    assert np.allclose(opened.page.evaluate("Array.from(linkwright.times)"), result.t, rtol=0, atol=1e-15)
    own = channels(opened)
    assert set(own) == set(result.channels)
    for name, values in own.items():
        native = np.asarray(result[name])
        assert np.abs(values - native).max() <= SAME * max(np.abs(native).max(), NOTHING), name


def crank(driven: bool = False) -> lw.PlanarModel:
    """A slider-crank let go with a speed, on a spring that is only there beyond a place: a law that switches."""
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, l = m.parameter("r", 0.2), m.parameter("l", 0.5)  # noqa: E741
    wheel = m.body("crank", mass=1.0, inertia=0.01, position=(r / 2, 0.0))
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(r + l / 2, 0.0))
    slider = m.body("slider", mass=1.0, position=(r + l, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(-r / 2, 0)))
    m.add(lw.Revolute("B", wheel.at(r / 2, 0), rod.at(-l / 2, 0)))
    m.add(lw.Revolute("C", rod.at(l / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Force("buffer", slider.x, lambda x, v, t: lw.where(x < 0.45, 2000 * (0.45 - x), 0.0)))
    if driven:
        m.add(lw.Driver("motor", pin.angle, "0.3 + 2*pi*t"))
    else:
        m.fix(pin.angle, 0.7)
        m.fix(wheel.omega, 12.0)
    return m


def test_simulation_with_a_law_that_switches(show: Show) -> None:
    m = crank()
    opened = solved(show(lw.page(m, t_end=1.0)))
    assert_same(opened, lw.dynamics(m, t_end=1.0, steps=200))
    assert put(opened, r=0.23, l=0.6) == ""
    m.set(r=0.23, l=0.6)
    assert_same(opened, lw.dynamics(m, t_end=1.0, steps=200))


def test_start_values(show: Show) -> None:
    """What is fixed at the start may be moved as well; the model itself is not changed."""
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.5, steps=50, rtol=1e-7)))
    assert put(opened, **{"crank.omega": -4.0}) == ""
    assert opened.page.evaluate("linkwright.state") == {"crank.omega": -4.0}
    m.fix(m["crank"].omega, -4.0)
    assert_same(opened, lw.dynamics(m, t_end=0.5, steps=50, rtol=1e-7))


def test_a_driven_machine_simulated(show: Show) -> None:
    """Drivers in a simulation: all is held, and the work rules the steps, too."""
    m = crank(driven=True)
    opened = solved(show(lw.page(m, analysis="dynamics", t_end=1.0, steps=100)))
    assert_same(opened, lw.dynamics(m, t_end=1.0, steps=100))


@pytest.mark.parametrize(("name", "change"), [("four-bar", {"l": 3.3}), ("jansen", {"m": 0.14, "a": 0.39})])
def test_kinematics_of_examples(show: Show, name: str, change: dict[str, float]) -> None:
    m = EXAMPLES[name].load()
    page = lw.page(m, t_end=1.0)
    assert len(page.text) < 250_000
    opened = solved(show(page))
    assert_same(opened, lw.kinematics(m, t_end=1.0, steps=200))
    assert put(opened, **change) == ""
    m.set(**change)
    assert_same(opened, lw.kinematics(m, t_end=1.0, steps=200))


def test_the_governor(show: Show) -> None:
    """In space, with loops, laws in time that switch, and velocities that are fixed."""
    m = EXAMPLES["governor"].load()
    page = lw.page(m, t_end=1.5, steps=100)
    assert len(page.text) < 1_200_000
    opened = solved(show(page))
    assert_same(opened, lw.dynamics(m, t_end=1.5, steps=100))
    assert put(opened, k=1100.0) == ""
    m.set(k=1100.0)
    assert_same(opened, lw.dynamics(m, t_end=1.5, steps=100))


@pytest.mark.parametrize("name", ["valve-lifter", "spatial-slider-crank", "bicycle"])
def test_other_examples(show: Show, name: str) -> None:
    """Cams, whose contacts are searched for; angles in space; wheels that roll."""
    m = EXAMPLES[name].load()
    t_end = min(EXAMPLES[name].t_end, 1.0)
    opened = solved(show(lw.page(m, t_end=t_end, steps=100)))
    assert_same(opened, getattr(lw, EXAMPLES[name].analysis)(m, t_end=t_end, steps=100))


def pendulum(name: str) -> tuple[lw.PlanarModel, Any]:
    m = lw.PlanarModel(name, gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    return m, m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))


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
    """A planar four-bar in space: three equations too many."""
    return lw.embed(EXAMPLES["four-bar"].load().without("motor"))


MAKERS = {
    "motor": with_motor, "friction": with_friction, "soft ground": on_soft_ground, "dependent rows": with_dependent_rows,
    "random, plane": lambda: random_machine(2, np.random.default_rng(7)),
    "random, space": lambda: random_machine(3, np.random.default_rng(8)),
}  # fmt: skip


@pytest.mark.parametrize("kind", MAKERS)
def test_simulations_of_many_kinds(show: Show, kind: str) -> None:
    """Channels that are rounding are judged by the largest of their kind."""
    m = MAKERS[kind]()
    opened = solved(show(lw.page(m, t_end=0.5, steps=25)))
    assert opened.page.evaluate("linkwright.message") == ""
    native, own = lw.dynamics(m, t_end=0.5, steps=25), channels(opened)
    assert set(own) == set(native.channels)
    most = {unit: max(np.abs(native[c]).max() for c in own if native.unit(c) == unit) for unit in map(native.unit, own)}
    for name, values in own.items():
        assert np.abs(values - native[name]).max() <= SAME * max(most[native.unit(name)], NOTHING), name


def test_a_thread_of_its_own(show: Show) -> None:
    """What takes long is solved aside: the same numbers, the same words, and the page stays awake."""
    m = crank()
    text = lw.page(m, t_end=0.4, steps=40).text
    assert '"heavy":60' in text
    spy = "window.threads = 0; window.Worker = class extends Worker { constructor(...x) { super(...x); threads++; } };"
    opened = solved(show(text.replace('"heavy":60', '"heavy":0').replace("<style>", f"<script>{spy}</script><style>", 1)))
    assert put(opened, r=0.23) == ""
    assert opened.page.evaluate("threads") == 1
    m.set(r=0.23)
    assert_same(opened, lw.dynamics(m, t_end=0.4, steps=40))
    assert "not with what you fixed" in put(opened, l=0.03)
    assert put(opened, l=0.5) == ""
    assert opened.page.evaluate("threads") == 1
    assert opened.complaints == []


def test_inverse_dynamics(show: Show) -> None:
    """Efforts and reactions; what is zero but for rounding is judged by the largest of its kind."""
    m = crank(driven=True)
    opened = solved(show(lw.page(m, analysis="inverse_dynamics", t_end=1.0, steps=60)))
    m.set(r=0.21)
    assert put(opened, r=0.21) == ""
    native, own = lw.inverse_dynamics(m, t_end=1.0, steps=60), channels(opened)
    assert set(own) == set(native.channels)
    most = {unit: max(np.abs(native[c]).max() for c in own if native.unit(c) == unit) for unit in map(native.unit, own)}
    for name, values in own.items():
        assert np.abs(values - native[name]).max() <= SAME * most[native.unit(name)], name


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


def test_a_result_as_a_live_page(show: Show) -> None:
    m = crank()
    d = lw.dynamics(m, t_eval=np.linspace(0, 0.4, 30) ** 1.0, rtol=1e-7)
    opened = solved(show(d.animate(live=True)))
    assert_same(opened, d)
    with pytest.raises(lw.ModelError, match=r"options of its own \(method\)"):
        lw.dynamics(m, t_end=0.1, method="radau").animate(live=True)
    with pytest.raises(lw.ModelError, match="takes no 'check'"):
        d.animate(live=True, check=lw.check(m))


def test_wrong_arguments() -> None:
    m = crank()
    for given, said in (
        ({"analysis": "statics"}, "no page of"),
        ({"parameters": ["q"]}, "no parameter 'q'"),
        ({"parameters": "r"}, "give names"),
        ({"parameters": {"r": (1, 0)}}, "no range"),
        ({"t_end": -1}, "growing"),
        ({"channels": ["crank.q"]}, "crank.q"),
    ):
        with pytest.raises(lw.LinkwrightError) as caught:
            lw.page(m, **given)
        assert said in str(caught.value)


# -- what cannot be ----------------------------------------------------------------------------------------------------


def tied(a: float = 0.8) -> lw.PlanarModel:
    """A bob on two rods, whose pins are 1 m apart."""
    m = lw.PlanarModel("two rods", gravity=(0, -9.81))
    first = m.parameter("a", a)
    bob = m.body("bob", mass=1.0, inertia=0.1, position=(0.4, -0.5))
    m.add(lw.Distance("first", m.ground.at(0, 0), bob.at(0, 0), length=first))
    m.add(lw.Distance("second", m.ground.at(1, 0), bob.at(0, 0), length=0.6))
    return m


def test_what_does_not_close_is_said(show: Show) -> None:
    opened = solved(show(lw.page(tied(), t_end=0.2, steps=20)))
    before = channels(opened)
    said = put(opened, a=0.3)
    with pytest.raises(lw.AssemblyError) as caught:
        lw.dynamics(tied(0.3), t_end=0.2)
    words = str(caught.value.cause).split(" (")[0]  # residuals follow: those of the place where the search ended
    assert words.startswith("the joints cannot be closed")
    assert words in said
    assert "stay open wherever the bodies are put" in said
    assert opened.page.locator("#trouble").is_visible()
    assert "The picture is older" in opened.page.locator("#trouble").inner_text()
    assert all((values == before[name]).all() for name, values in channels(opened).items())  # the last picture
    assert put(opened, a=0.8) == ""
    assert not opened.page.locator("#trouble").is_visible()


def test_what_drivers_and_fixes_ask_for_in_vain(show: Show) -> None:
    driven = solved(show(lw.page(crank(driven=True), t_end=0.2, steps=20)))
    assert "your drivers ask for what cannot be reached at t = 0: motor" in put(driven, l=0.03)
    fixed = solved(show(lw.page(crank(), t_end=0.2, steps=20)))
    assert "the machine can be assembled, but not with what you fixed" in put(fixed, l=0.03)


def test_a_lock_up_is_said_with_its_time(show: Show) -> None:
    m = crank(driven=True)
    opened = solved(show(lw.page(m)))
    m.set(r=0.5, l=0.42)
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, t_end=1.0, steps=200)
    said = put(opened, r=0.5, l=0.42)
    assert "the machine locks up at t = " in said
    time = float(said.partition("t = ")[2].partition(":")[0])
    assert time == pytest.approx(caught.value.time, abs=1e-6)


def test_wrong_names_and_values(show: Show) -> None:
    opened = solved(show(lw.page(crank(), t_end=0.1, steps=10)))
    assert 'no parameter or start value "q"' in put(opened, q=1.0)
    assert "must be a finite number" in opened.page.evaluate(
        "async () => { await linkwright.set({ r: NaN }); return linkwright.message; }"
    )
    assert put(opened, r=0.21) == ""


def test_impacts_are_refused_by_name(show: Show) -> None:
    """A machine that a page cannot simulate is shown as it was recorded, with a sentence why."""
    m = lw.PlanarModel("ball", gravity=(0, -10))
    m.parameter("h", 1.25)
    ball = m.body("ball", mass=1.0, inertia=1.0, position=(0, 1.25))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.8))
    opened = show(lw.page(m, t_end=1.0, steps=50))
    opened.page.evaluate("linkwright.ready")
    assert "impacts are not simulated in a page (floor)" in opened.page.locator("#refused").inner_text()
    assert "impacts" in opened.page.evaluate("linkwright.message")
    d = lw.dynamics(m, t_end=1.0, steps=50)
    assert np.allclose(opened.page.evaluate("Array.from(linkwright.channel('ball.y'))"), d["ball.y"], atol=1e-6)  # float32


def test_what_a_page_refuses_by_name() -> None:
    """A sentence each; the motion is in the page as it was recorded."""

    def why(m: Any, **options: Any) -> str:
        text = lw.page(m, t_end=0.1, steps=5, **options).text
        refused: str = json.loads(text.partition('id="data">')[2].partition("</script>")[0])["machine"]["refused"]
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


# -- dragging ------------------------------------------------------------------------------------------------------------


def pull(opened: Opened, body: str, by: tuple[float, float], wait: int = 0) -> tuple[float, float]:
    """Take a body at its mass centre and move the mouse; where the mouse is then, still pressed."""
    at = opened.page.evaluate("(b) => linkwright.place(b)", body)
    mouse = opened.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, 9):
        mouse.move(at["x"] + by[0] * k / 8, at["y"] + by[1] * k / 8)
        opened.page.wait_for_timeout(20)
    opened.page.wait_for_timeout(wait)
    return at["x"] + by[0], at["y"] + by[1]


def test_time_follows_the_mouse_where_a_machine_is_driven(show: Show) -> None:
    """The slider dragged as far as it goes: the time is that at which it is there."""
    m = crank(driven=True)
    opened = solved(show(lw.page(m, t_end=1.0, autoplay=False)))
    k = lw.kinematics(m, t_end=1.0, steps=200)
    pull(opened, "slider", (-900, 0))
    opened.page.mouse.up()
    assert opened.time() == pytest.approx(float(k.t[k["slider.x"].argmin()]), abs=1e-9)


def test_a_spring_pulls_what_is_let_go(show: Show) -> None:
    """The arm of a pendulum held level, against gravity, while time passes; then it falls, and play shows the run."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0, -0.5), angle=-np.pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    opened = solved(show(lw.page(m, t_end=2.0, steps=50, autoplay=False)))
    pin = opened.spot("A")
    reach = opened.page.evaluate("linkwright.place('arm')")["y"] - pin[1]
    pull(opened, "arm", (reach, -reach), wait=300)

    def angle() -> float:
        at = opened.page.evaluate("linkwright.place('arm')")
        return float(np.arctan2(pin[1] - at["y"], at["x"] - pin[0]))

    opened.until(f"Math.abs(linkwright.place('arm').y - {pin[1]}) < 20")  # the weight stretches the spring by g/30^2
    assert abs(angle()) < 0.2
    opened.page.mouse.up()
    opened.until(f"linkwright.place('arm').y - {pin[1]} > 30")
    opened.page.locator("#play").click()
    opened.until("document.getElementById('play').ariaLabel === 'Pause'")
    assert opened.complaints == []


def test_the_start_is_placed_by_assembly(show: Show) -> None:
    """The slider put elsewhere: all joints close there, and the run begins there, as it does here from that place."""
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.3, steps=30, autoplay=False)))
    opened.page.locator("#drags").select_option("place")
    mouse = pull(opened, "slider", (-60, 0))
    at = opened.page.evaluate("linkwright.place('slider')")
    assert at["x"] == pytest.approx(mouse[0], abs=1.0)
    opened.page.mouse.up()
    opened.until("'slider.x' in linkwright.state")
    opened.page.evaluate("linkwright.set({})")
    m.fix(m["A"].angle, opened.page.evaluate("linkwright.state['A.angle']"))
    assert_same(opened, lw.dynamics(m, t_end=0.3, steps=30))


# -- state ---------------------------------------------------------------------------------------------------------------


def test_sliders_links_undo_and_reset(show: Show) -> None:
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.2, steps=20)))
    slider = opened.page.locator('.tune input[type="range"][data-name="r"]')
    slider.evaluate("(e) => { e.value = 0.25; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); }")
    opened.until("linkwright.channel('crank.x')[0] > 0 && linkwright.state.r === 0.25")
    assert opened.page.evaluate("linkwright.parameters") == {"r": 0.25, "l": 0.5}
    assert opened.page.evaluate("location.hash") == "#r=0.25"
    put(opened, l=0.6)
    moved = channels(opened)
    # whoever opens the link sees the same machine
    other = Opened(opened.page.context.new_page())
    other.page.goto(opened.page.url)
    other.page.evaluate("linkwright.ready")
    assert other.page.evaluate("linkwright.state") == {"r": 0.25, "l": 0.6}
    assert all((values == moved[name]).all() for name, values in channels(other).items())
    opened.page.locator("#undo").click()
    opened.until("linkwright.parameters.l === 0.5")
    opened.page.evaluate("linkwright.reset()")
    assert opened.page.evaluate("[linkwright.state, location.hash]") == [{}, ""]
    assert opened.page.locator('.tune input[type="number"][data-name="r"]').input_value() == "0.2"


def test_files(show: Show, tmp_path: Any) -> None:
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.2, steps=20), accept_downloads=True))
    put(opened, r=0.22)
    for kind in ("csv", "yaml", "svg", "png"):
        with opened.page.expect_download() as download:
            opened.page.locator("#export").select_option(kind)
        download.value.save_as(tmp_path / f"file.{kind}")
    lines = (tmp_path / "file.csv").read_text().splitlines()
    assert lines[0].split(",")[:2] == ["t", "crank.x"]
    assert len(lines) == 22
    assert lw.load(tmp_path / "file.yaml").parameters == {"r": 0.22, "l": 0.5}
    assert (tmp_path / "file.svg").read_text().startswith("<svg")
    assert (tmp_path / "file.png").read_bytes().startswith(b"\x89PNG")


def test_hostile_names_inject_nothing(show: Show) -> None:
    """Markup in every name: it is shown as text; a link with markup for values does nothing."""
    evil = "</script><img src=x onerror=alert(1)>"
    m = lw.PlanarModel(evil, gravity=(0, -9.81))
    m.parameter("__proto__", 1.0)
    l = m.parameter("l", 0.5)  # noqa: E741
    arm = m.body(evil, mass=1.0, inertia=0.1, position=(l, 0))
    m.add(lw.Revolute('A"><svg onload=alert(1)>', m.ground.at(0, 0), arm.at(-l, 0)))
    opened = solved(show(lw.page(m, t_end=0.3, steps=20)))
    opened.page.on("dialog", lambda d: opened.complaints.append(d.message))
    opened.page.evaluate("location.hash = 'l=<img src=x onerror=alert(2)>&nothing=1'")
    assert opened.page.locator("img").count() == 0
    assert put(opened, l=0.4) == ""
    assert any(evil in name for name in channels(opened))
    assert opened.page.evaluate("({}).polluted === undefined")
    assert opened.complaints == []


def test_in_a_frame_of_a_notebook(show: Show) -> None:
    """No address there, and no right to much else: it solves all the same."""
    frame = lw.page(crank(), t_end=0.2, steps=20)._repr_html_()
    opened = show(f"<!DOCTYPE html><title>notebook</title>{frame}")
    inner = opened.page.frames[1]
    inner.evaluate("linkwright.ready")
    assert inner.evaluate("async () => { await linkwright.set({ r: 0.21 }); return linkwright.message; }") == ""


def test_content_security_policy() -> None:
    """As strict as that of a recorded page, but for what WebAssembly and workers need."""
    text = lw.page(crank(), t_end=0.1, steps=5).text
    policy = text.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy == (
        "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data: blob:"
    )
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["machine"]["refused"] == ""
