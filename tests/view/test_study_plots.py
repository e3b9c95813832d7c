"""Pictures of studies: every point where it belongs."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.results.channels import Audit
from linkwright.results.spread import Spread
from linkwright.results.study import Study

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")


def test_parallel_coordinates_have_a_line_for_each_point_that_works():
    axes = {"r": np.array([1.0, 2.0]), "k": np.array([10.0, 20.0, 40.0]), "c": np.array([5.0])}
    y = np.array([[[0.0], [1.0], [4.0]], [[2.0], [3.0], [np.nan]]])
    study = Study("m", axes, {"peak(A.fx)": y}, Audit())
    ax = study.plot()  # over three parameters
    assert [label.get_text() for label in ax.get_xticklabels()] == ["r", "k", "c", "peak(A.fx)"]
    lines = [line.get_ydata() for line in ax.lines if len(line.get_xdata()) == 4]
    assert len(lines) == 5
    assert any(np.allclose(line, [0, 1, 0.5, 1]) for line in lines)  # r = 1, k = 40, c does not vary, the largest
    with pytest.raises(lw.ModelError, match="no place"):
        Study("m", {"r": axes["r"]}, {"A.x": np.zeros((2, 3))}, Audit()).parallel()


def test_a_tornado_has_the_largest_share_on_top():
    a, b = (x.ravel() for x in np.meshgrid(np.linspace(-1, 1, 20), np.linspace(-1, 1, 20)))  # not correlated at all
    spread = Spread("m", {"a": a, "b": b}, {"y": 3 * a + 4 * b}, Audit(), paired=True)
    bars = spread.tornado("y").patches
    assert [bar.get_width() for bar in bars] == pytest.approx([36, 64], abs=1)  # 9 and 16 of 25
    with pytest.raises(lw.ModelError, match="cannot be"):
        spread.interval(1.5)
    with pytest.raises(lw.ModelError, match="cannot be"):
        spread.interval(0.5, confidence=2)


def test_axes_have_units():
    """A parameter's is not told by its name; the integral of a speed is a length."""
    kept = {name: np.ones((2, 3)) for name in ("peak(A.fx)", "integral(b.vx)", "integral(A.fx)", "rate(b.x)", "span(k)")}
    study = Study("m", {"k": np.array([1.0, 2.0]), "b.omega": np.array([1.0, 2.0, 3.0])}, kept, Audit())
    assert {name: study.unit(name) for name in [*kept, *study.axes]} == {
        "peak(A.fx)": "N", "integral(b.vx)": "m", "integral(A.fx)": "N s", "rate(b.x)": "m/s", "span(k)": "",
        "k": "", "b.omega": "rad/s",
    }  # fmt: skip
    ax = study.plot("peak(A.fx)")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("k", "b.omega [rad/s]")
    assert ax.figure.axes[-1].get_ylabel() == "peak(A.fx) [N]"


def test_a_histogram_has_as_many_bars_as_its_samples_fill():
    x = np.random.default_rng(0).normal(size=(1, 1000))[0]
    for count, bars in ((60, 7), (1000, 20)):
        spread = Spread("m", {"a": x[:count]}, {"peak(A.fx)": x[:count]}, Audit(), paired=True)
        ax = spread.plot()
        assert len(ax.patches) == bars  # twice the cube root
        assert sum(bar.get_height() for bar in ax.patches) == count
        assert ax.get_xlabel() == "peak(A.fx) [N]"
