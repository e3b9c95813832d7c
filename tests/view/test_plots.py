"""Plots: the right numbers under the right labels."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import Audit, Result
from linkwright.view import work_precision

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture
def result() -> Result:
    t = np.linspace(0, 1, 21)
    return Result("swing", t, {"bob.x": np.sin(t), "bob.y": np.cos(t), "bob.vx": np.cos(t)}, Audit())


def test_one_channel(result: Result) -> None:
    ax = result.plot("bob.x")
    (line,) = ax.get_lines()
    np.testing.assert_array_equal(line.get_ydata(), result["bob.x"])
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("t [s]", "bob.x [m]", "swing")


def test_a_panel_for_each_unit(result: Result) -> None:
    metres, speeds = result.plot("bob.x", "bob.vx", "bob.y")
    assert [t.get_text() for t in metres.get_legend().get_texts()] == ["bob.x", "bob.y"]
    assert (metres.get_ylabel(), speeds.get_ylabel()) == ("[m]", "bob.vx [m/s]")


def test_axes_of_the_user_are_used_and_kept(result: Result) -> None:
    _, ax = pyplot.subplots()
    ax.set_title("mine")
    assert result.plot("bob.x", "bob.vx", ax=ax, color="k") is ax
    assert [line.get_color() for line in ax.get_lines()] == ["k", "k"]
    assert ax.get_title() == "mine"


def test_phase_portrait(result: Result) -> None:
    ax = result.plot_phase("bob.x", "bob.vx")
    line, start = ax.get_lines()
    np.testing.assert_array_equal(np.hypot(line.get_xdata(), line.get_ydata()).round(12), 1.0)
    assert (start.get_xdata()[0], start.get_ydata()[0]) == (0.0, 1.0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("bob.x [m]", "bob.vx [m/s]")


def test_a_quantity_of_the_model_can_be_plotted() -> None:
    m = lw.PlanarModel("swing")
    bob = m.body("bob", mass=1)
    t = np.linspace(0, 1, 5)
    result = Result("swing", t, {"bob.x": t}, Audit(), evaluate=lambda e: 2 * t)
    ax = result.plot(2 * bob.x)
    np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), 2 * t)
    assert "bob.x" in ax.get_ylabel()


def test_wrong_names_draw_nothing(result: Result) -> None:
    before = pyplot.get_fignums()  # of other tests
    with pytest.raises(lw.ModelError, match="no channel"):
        result.plot("bob.x", "bob.q")
    with pytest.raises(lw.ModelError, match="nothing to plot"):
        result.plot()
    assert pyplot.get_fignums() == before


def test_work_precision() -> None:
    ax = work_precision({"rk": [(1e-6, 0.5), (1e-3, 0.01)], "adams": [(1e-6, 0.1)]}, work="evaluations")
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylabel()) == ("log", "log", "evaluations")
    assert ax.get_lines()[0].get_xdata().tolist() == [1e-6, 1e-3]  # in order
    with pytest.raises(lw.ModelError, match="must be positive"):
        work_precision({"broken": [(0.0, 1.0)]})
    with pytest.raises(lw.ModelError, match="nothing to plot"):
        work_precision({})
