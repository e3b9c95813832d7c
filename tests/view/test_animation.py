"""The page as a file: one, whole, with everything inside."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import MissingPackageError, load_result
from linkwright.view import report, three
from linkwright.view.animation import first_channels
from view.sample_machines import slider_crank, spatial_slider_crank


def data_of(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    m = spatial_slider_crank()
    lw.kinematics(m, t_end=1.0, steps=10).animate(tmp_path / "run.html", model=m)
    text = (tmp_path / "run.html").read_text()
    assert not re.search(r"""(src|href)=["'](?!data:)|@import|url\(["']?http""", text.split('id="data"')[0])
    assert "Three.js Authors" in text  # with its licence line
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]


def test_the_plane_needs_no_library() -> None:
    m = slider_crank()
    text = lw.kinematics(m, t_end=1.0, steps=10).animate(model=m).text
    assert "Three.js" not in text
    assert len(text) < 150_000


def test_data_cannot_leave_its_script() -> None:
    m = lw.PlanarModel("</script><b>&")
    arm = m.body("<!--<script>", mass=1)
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-1, 0)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    page = lw.kinematics(m, t_end=1.0, steps=4).animate(model=m)
    data = data_of(page.text)
    assert data["title"] == "</script><b>&"
    assert data["drawing"]["bodies"][1]["name"] == "<!--<script>"
    assert "<title>&lt;/script&gt;&lt;b&gt;&amp;</title>" in page.text


def test_a_notebook_shows_it_in_a_frame_of_its_own() -> None:
    m = slider_crank()
    page = lw.kinematics(m, t_end=1.0, steps=10).animate(model=m)
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown
    inside = re.search(r'srcdoc="([^"]*)"', shown)
    assert inside
    assert unescape(inside[1]) == page.text


def test_a_loaded_result_gives_the_same_page(tmp_path: Path) -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=50)
    first = data_of(r.animate(model=m, check="fine").text)
    r.save(tmp_path / "run.nc")
    again = data_of(load_result(tmp_path / "run.nc").animate().text)
    assert again == first


def test_a_configuration_stands_still() -> None:
    m = slider_crank()
    page = lw.assemble(m).animate(model=m)
    assert data_of(page.text)["motion"]["stored"] == 1


def test_what_is_plotted_first_is_the_slide() -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=10)
    r.describe(m)
    assert r.drawing is not None
    assert first_channels(r, r.drawing) == ["slider.x", "slider.vx"]
    with pytest.raises(lw.ModelError, match=r"slider\.q"):
        r.animate(channels=["slider.q"])
    with pytest.raises(lw.ModelError, match="'rod' is no point"):
        r.animate(trace=["rod"])


def test_of_a_wheel_the_angle_is_plotted_first() -> None:
    m = lw.PlanarModel("gears")
    one, two = m.body("one", mass=1, inertia=1), m.body("two", mass=1, inertia=1, position=(3, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(3, 0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), radii=(1, 2)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    r = lw.kinematics(m, t_end=1.0, steps=5)
    r.describe(m)
    assert r.drawing is not None
    assert first_channels(r, r.drawing) == ["two.angle", "two.omega"]


def test_the_library_in_space_is_the_tested_one_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is another, one that is not there, a package that is not installed."""
    text = three.library()
    assert "Three.js Authors" in text[:100]
    remedy = "python -m pip install jupyter-threejs-sage==130"
    with monkeypatch.context() as patch:
        for name, value, words in [
            ("FILE", "static/r123/three.min.js", "another file static/r123"),
            ("FILE", "none.js", "no file none.js"),
            ("PACKAGE", "linkwright_none", "no file none.js"),
        ]:
            patch.setattr(three, name, value)
            three.library.cache_clear()
            with pytest.raises(MissingPackageError, match=words) as caught:
                three.library()
            assert remedy in caught.value.remedy
    three.library.cache_clear()
    assert three.library() == text


def test_a_report_joins_all(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=50)
    report(r, tmp_path / "report.html", model=m, check="one <degree> of freedom", channels=["slider.x", "rod.angle"])
    text = (tmp_path / "report.html").read_text()
    for part in (
        "one &lt;degree&gt; of freedom",
        "slider.x over time",
        "rod.angle over time",
        "analysis: kinematics",
        "numpy",
    ):
        assert part in text
    assert text.count("<figure") == 2
    assert "<svg" in text
    assert "srcdoc=" in text


def test_a_report_of_a_simulation_has_its_energies_and_events(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", 1, 0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.5, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=20, events={"hangs": pin.angle + np.pi / 2})
    report(d, tmp_path / "report.html", model=m)
    text = (tmp_path / "report.html").read_text()
    assert text.count('aria-label="energy over time"') == 1
    assert re.search(r"<h2>Events</h2><pre>t = 0\.\d+  hangs</pre>", text)
    assert "rtol" not in text.split("<h2>Options</h2>")[1].split("</section>")[0]  # what was left open is not made up
    assert "t_end = 1.0" in text
