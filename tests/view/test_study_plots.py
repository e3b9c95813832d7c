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
