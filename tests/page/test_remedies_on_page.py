"""Remedies on the served page, in a real browser: what is wrong is listed, tried remedies are chosen, undone and saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import linkwright as lw
from linkwright.cli.live import LiveServer
from linkwright.cli.workbench import Workbench
from page.conftest import PATIENCE, Opened

pytestmark = pytest.mark.browser


@contextmanager
def served(file: Path, here: bool) -> Iterator[LiveServer]:
    server = LiveServer(Workbench(lw.load(file), str(file), steps=20, here=here), grace=PATIENCE)
    server.start()
    try:
        yield server
    finally:
        server.close()


def click(opened: Opened, what: str) -> None:
    """A button after which the page is loaded anew."""
    with opened.page.expect_navigation():
        opened.page.locator(what).first.click()
    opened.until("document.getElementById('clock')?.textContent")


def test_a_machine_that_does_not_close_is_mended_on_the_page(tmp_path: Path, visit: Any) -> None:
    """A rod too short between an arm and the ground; the page shows the estimates, and after the remedy a motion."""
    m = lw.PlanarModel("rod", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.Distance("rod", arm.at(0.5, 0), m.ground.at(3, 0), length=0.5))
    m.save(tmp_path / "arm.yaml")
    with served(tmp_path / "arm.yaml", here=False) as server:
        opened = visit(server)
        page = opened.page
        assert page.locator("#trouble").is_visible()
        assert page.locator('.finding[data-code="contradiction"]').is_visible()
        assert page.locator(".fix").count() == 0  # trying takes a while: it is done when asked for
        page.locator("#look").click()
        page.locator(".fix").first.wait_for()
        page.locator(".culprits button", has_text="rod").first.click()
        assert "rod" in page.locator("#selection").inner_text()
        told = page.locator(".fix", has_text="length").first.inner_text()
        click(opened, f".fix:text-is('{told}')")
        assert page.locator("#trouble").is_hidden()
        assert told in page.locator("#remedies-said").inner_text()
        assert page.locator('.finding[data-code="contradiction"]').count() == 0
        assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.yaml"]  # shown, not yet saved
        click(opened, "#keep")
        mended = lw.load(tmp_path / "arm-mended.yaml")
        assert lw.check(mended).closed
        assert "saved to arm-mended.yaml" in page.locator("#remedies-said").inner_text()
        assert not lw.check(lw.load(tmp_path / "arm.yaml")).closed  # as it was
        click(opened, "#unmend")
        assert page.locator('.finding[data-code="contradiction"]').is_visible()
        assert opened.complaints == []


def test_a_machine_that_moves_with_something_odd_is_mended_where_the_page_solves_it(tmp_path: Path, visit: Any) -> None:
    """Gravity points up: the pendulum stands still upside down; with the remedy it hangs."""
    m = lw.PlanarModel("pendulum", gravity=(0, 9.81))
    length = m.parameter("l", 0.5)
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(length, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-length, 0)))
    m.save(tmp_path / "pendulum.yaml")
    with served(tmp_path / "pendulum.yaml", here=False) as server:
        opened = visit(server)
        opened.page.evaluate("window.linkwright.ready")
        up = opened.page.evaluate("window.linkwright.channel('arm.y').reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a)")
        opened.page.evaluate("window.linkwright.set({l: 0.6})")
        opened.page.locator("#look").click()
        opened.page.locator(".fix").first.wait_for()
        click(opened, ".fix")
        opened.page.evaluate("window.linkwright.ready")
        down = opened.page.evaluate("window.linkwright.channel('arm.y').reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a)")
        assert up > 0.01
        assert down < -0.01
        assert opened.page.locator("#remedies-box summary").inner_text() == "Mended"
        assert opened.page.evaluate("window.linkwright.parameters.l") == 0.6  # as it was seen when it was mended
        assert opened.complaints == []


def test_a_machine_that_nothing_is_wrong_with_has_no_such_panel(tmp_path: Path, visit: Any) -> None:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.save(tmp_path / "pendulum.yaml")
    with served(tmp_path / "pendulum.yaml", here=True) as server:
        opened = visit(server)
        assert opened.page.locator("#remedies-box").count() == 0
