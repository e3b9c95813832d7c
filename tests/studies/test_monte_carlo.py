"""Tolerances: means, deviations, quantiles and shares of machines whose answers are linear or known in closed form."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import Audit
from linkwright.studies.distributions import draw
from studies.study_machines import oscillator, triangle

N = 400
SPREAD = {"a": lw.Normal(0.8, 2e-3), "b": lw.Uniform(0.895, 0.905)}


@pytest.fixture(scope="module")
def study():
    return lw.monte_carlo(triangle(), SPREAD, "assemble", samples=N, seed=1, keep=["first.angle", "second.angle"])


def angle(a, b):
    return np.arccos((a**2 + 1 - b**2) / (2 * a))


def test_samples_are_those_of_the_machines(study):
    rows = draw(SPREAD, N, 1)
    assert np.array_equal(study["a"], rows[:, 0])
    assert np.array_equal(study["b"], rows[:, 1])
    assert study["first.angle"] == pytest.approx(angle(*rows.T), abs=1e-12)  # Newton's last step is below this
    assert study.mean["first.angle"] == np.mean(study["first.angle"])
    assert study.std["first.angle"] == np.std(study["first.angle"], ddof=1)
    assert study.quantile(0.9)["first.angle"] == np.quantile(study["first.angle"], 0.9)
    assert study.fraction(lambda s: s["first.angle"] > 1.0) == np.mean(study["first.angle"] > 1.0)
    low, high = study.interval(0.5)["first.angle"]
    assert low < np.median(study["first.angle"]) < high


def test_shares_say_who_makes_the_error(study):
    """To first order the angle is linear: share of a = (d angle/d a std a)^2 over the sum; the estimate's own scatter is
    about 2 sqrt(S (1 - S) / N) = 0.05."""
    h = 1e-6
    da = (angle(0.8 + h, 0.9) - angle(0.8 - h, 0.9)) / (2 * h) * 2e-3
    db = (angle(0.8, 0.9 + h) - angle(0.8, 0.9 - h)) / (2 * h) * 0.01 / np.sqrt(12)
    wanted = {"a": da**2 / (da**2 + db**2), "b": db**2 / (da**2 + db**2)}
    assert study.share["first.angle"] == pytest.approx(wanted, abs=0.05)


def test_what_only_acts_together_has_no_share_of_its_own():
    """y = x1 x2 of independent values with mean zero: both first-order shares are 0."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2, 4000))
    s = lw.Spread("y", {"x1": x[0], "x2": x[1]}, {"y": x[0] * x[1]}, Audit(), paired=True)
    assert max(s.share["y"].values()) < 0.01  # adjusted for what noise explains; the rest scatters by 1/N


def test_shares_of_what_goes_up_and_down():
    """Ishigami's function: D1 = 1/2 (1 + pi^4/50)^2, D2 = 49/8, D3 = 0; the scatter with 20,000 samples is some 0.01."""
    x = draw(dict.fromkeys("abc", lw.Uniform(-np.pi, np.pi)), 20_000, 1)
    y = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    share = lw.Spread("m", dict(zip("abc", x.T, strict=True)), {"y": y}, Audit(), paired=True).share["y"]
    first, second = 0.5 * (1 + np.pi**4 / 50) ** 2, 49 / 8
    whole = first + second + np.pi**8 * (1 / 18 - 1 / 50) / 100
    assert [share[n] for n in "abc"] == pytest.approx([first / whole, second / whole, 0.0], abs=0.02)


@pytest.mark.parametrize(("p", "count"), [(0.5, 20), (0.9, 100), (0.99, 100), (0.01, 100)])
def test_intervals_hold_the_quantile_as_often_as_they_say(p, count):
    """Of 1000 studies of exponential samples 95 % or more, to their own scatter of 3 sqrt(0.05 0.95 / 1000) = 2 %. The
    largest of 100 samples is below the 0.99 quantile too often: there is no upper end."""
    x = np.random.default_rng(1).exponential(size=(count, 1000))
    low, high = lw.Spread("m", {"a": x[:, 0]}, {"y": x}, Audit(), paired=True).interval(p)["y"]
    wanted = -np.log(1 - p)
    assert np.mean((low <= wanted) & (wanted <= high)) >= 0.93
    assert np.isinf(high).all() == (p == 0.99)
    assert np.isinf(low).all() == (p == 0.01)


def test_what_is_kept_or_interrupted_has_statistics(tmp_path):
    def stop(done, part):
        if done == 3:
            raise KeyboardInterrupt

    call = {"samples": 6, "seed": 1, "keep": ["first.angle"], "out": tmp_path / "c.nc", "threads": 1}
    with pytest.raises(lw.Interrupted) as caught:
        lw.monte_carlo(triangle(), SPREAD, "assemble", progress=stop, **call)
    partial = caught.value.partial
    assert partial.mean["first.angle"] == np.mean(partial["first.angle"][:3])
    c = lw.monte_carlo(triangle(), SPREAD, "assemble", **call)
    assert lw.load_result(tmp_path / "c.nc").mean == c.mean
    with pytest.raises(lw.ModelError, match="none for 'other'"):
        c.mean["other"]
    nothing = lw.Spread("m", {"a": np.zeros(2)}, {"y": np.full(2, np.nan)}, Audit(), paired=True)
    assert np.isnan([nothing.mean["y"], nothing.std["y"], nothing.quantile(0.5)["y"]]).all()


def test_distributions_have_their_moments():
    """Sobol' points integrate smooth functions to better than 1e-3 with 4096 points."""
    spread = {"n": lw.Normal(2.0, 0.5), "u": lw.Uniform(1.0, 4.0), "t": lw.Triangular(0.0, 1.0, 4.0)}
    x = draw(spread, 4096, 3, sobol=True)
    a, c, b = 0.0, 1.0, 4.0
    triangle_std = np.sqrt((a * a + b * b + c * c - a * b - a * c - b * c) / 18)
    assert x.mean(axis=0) == pytest.approx([2.0, 2.5, 5 / 3], abs=1e-3)
    assert x.std(axis=0) == pytest.approx([0.5, 3 / np.sqrt(12), triangle_std], abs=2e-3)
    y = draw({"p": lw.Normal(0, 1), "q": lw.Normal(0, 2)}, 20_000, 4, correlation={("p", "q"): 0.8})
    assert np.corrcoef(y.T)[0, 1] == pytest.approx(0.8, abs=0.01)  # scatter (1 - r^2)/sqrt(n) = 0.0025


def test_histories_have_means_at_each_time():
    c = lw.monte_carlo(oscillator(), {"k": lw.Uniform(90, 110)}, samples=30, seed=5, keep=["b.x"], t_end=0.2, steps=4)
    assert c["b.x"].shape == (30, 5)
    assert np.array_equal(c.mean["b.x"], c["b.x"].mean(axis=0))
    again = lw.monte_carlo(oscillator(), {"k": lw.Uniform(90, 110)}, samples=30, seed=5, keep=["b.x"], t_end=0.2, steps=4)
    assert np.array_equal(again["b.x"], c["b.x"])


def test_a_file_keeps_it(tmp_path, study):
    study.save(tmp_path / "c.nc")
    read = lw.load_result(tmp_path / "c.nc")
    assert read.mean["first.angle"] == study.mean["first.angle"]
    assert read.share["first.angle"] == study.share["first.angle"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lw.Normal(0, -1), "Normal: a spread of -1 is negative"),
        (lambda: lw.Normal(0, np.inf), "Normal.std"),
        (lambda: lw.Uniform(2, 1), "Uniform: its limits are not in order"),
        (lambda: lw.Triangular(0, 3, 2), "Triangular: its limits are not in order"),
        (
            lambda: lw.monte_carlo(triangle(), {"a": 0.1}, "assemble", samples=5, keep=["first.x"]),
            "0.1 is no distribution",
        ),
        (lambda: lw.monte_carlo(triangle(), {"z": lw.Normal(1, 1)}, "assemble", samples=5, keep=["first.x"]), "'z'"),
        (
            lambda: lw.monte_carlo(triangle(), {"a": lw.Normal(1, 1)}, "assemble", samples=0, keep=["first.x"]),
            "samples: 0 is not",
        ),
        (lambda: draw(SPREAD, 5, 0, correlation={("a", "b"): 1.0}), "no quantities can be correlated"),
        (lambda: draw(SPREAD, 5, 0, correlation={("a", "z"): 0.1}), "not two names"),
        (lambda: draw(SPREAD, 5, 0, correlation={("a", "a"): 0.1}), "not two names"),
        (lambda: draw(SPREAD, 5, 0, correlation={"ab": 0.1}), "not two names"),
        (lambda: draw(SPREAD, 5, 0, correlation={("a", "b"): 0.1, ("b", "a"): 0.2}), "of a and b two are given"),
        (
            lambda: lw.monte_carlo(triangle(), SPREAD, "assemble", samples=5, seed=-1, keep=["first.x"]),
            "seed: -1 is not a whole number",
        ),
        (lambda: lw.monte_carlo(triangle(), SPREAD, "assemble", samples=5, keep=["first.x"]).fraction(3), "no condition"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()
