"""Public benchmarks solved with the default settings, or tight ones where published digits are to be met."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import bricard, car_axis, equal_links, four_bars, heavy_top, pendulum, squeezer


def test_pendulum():
    """IFToMM A01: six published digits; no drift of energy."""
    d = lw.dynamics(pendulum(), t_eval=[0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5])
    x = [-0.391049, 0.884132, -0.996334, 0.999914, -0.963293, 0.665293, 0.051195, -0.727459, 0.975626, -0.999992]
    y = [-0.920370, -0.467237, -0.085544, -0.013142, -0.268452, -0.746583, -0.998689, -0.686151, -0.219440, -0.004021]
    assert d["bob.x"][1:] == pytest.approx(x, abs=1.1e-6)  # half a digit, and an error of the phase after ten swings
    assert d["bob.y"][1:] == pytest.approx(y, abs=1.1e-6)
    assert np.abs(d.energy.total).max() < 1e-6


@pytest.mark.parametrize("method", ["dop853", "adams", "radau"])
def test_car_axis(method):
    """IVP test set, t = 3: published digits. Distances prescribed, springs stiff against the masses."""
    d = lw.dynamics(car_axis(), t_eval=[0, 3], rtol=1e-10, atol=1e-12, method=method)
    ends = [d[c][-1] for c in ("l.x", "l.y", "r.x", "r.y")]
    assert ends == pytest.approx([0.04934557843, 0.49698946023, 1.04174252489, 0.37391102727], abs=2e-9)
    rates = [d[c][-1] for c in ("l.vx", "l.vy", "r.vx", "r.vy")]
    assert rates == pytest.approx([-0.07705836840, 0.00744686659, 0.01755681575, 0.77034104378], abs=2e-7)
    # lam of the test set has the sign of the effort along the quantity
    assert [d["axis.force"][-1], d["bar.force"][-1]] == pytest.approx([-0.00473688659, -0.00110468033], rel=1e-6)


def test_squeezer():
    """IVP test set, Andrews, t = 0.03: published angles and rates."""
    d = lw.dynamics(squeezer(), t_eval=[0, 0.03], rtol=1e-10, atol=1e-12)
    beta, gamma, delta, epsilon = (d[f"{b}.angle"][-1] for b in ("OF", "BDE", "AG", "AH"))
    assert beta == pytest.approx(15.8107712, rel=3e-8)
    assert d["FE.angle"][-1] - beta == pytest.approx(-15.7563711, rel=3e-8)
    assert gamma == pytest.approx(0.0408222401, rel=1e-7)
    assert d["GE.angle"][-1] - delta == pytest.approx(-0.534730116, rel=1e-7)
    assert [delta, epsilon] == pytest.approx([0.524409966, 1.04808074], rel=1e-8)
    assert d["OF.omega"][-1] == pytest.approx(1139.920, rel=1e-6)
    assert d["BDE.omega"][-1] == pytest.approx(11.03291, rel=1e-5)
    assert d["OF.alpha"][0] == pytest.approx(14222.4439199541, rel=1e-8)  # given with the start


@pytest.mark.parametrize("n", [1, 2, 5])
def test_windows_pass_their_singular_positions(n):
    """IFToMM A02: whenever the cranks are horizontal the machine could fold; it stays a row of parallelograms."""
    d = lw.dynamics(four_bars(n), t_eval=np.linspace(0, 10, 41))
    energy = ((n + 1) / 3 + n) / 2 + ((n + 1) / 2 + n) * 9.81
    assert d.energy.total == pytest.approx(np.full(41, energy), rel=1e-7)
    assert d["c0.angle"] == pytest.approx(d[f"c{n}.angle"], abs=1e-9)
    assert d["k0.angle"] == pytest.approx(np.zeros(41), abs=1e-9)
    assert d["c0.angle"][-1] < -25  # it went round and round
    # one degree of freedom: the same motion as a single crank with all inertia, by energy conservation at each time
    inertia, w = (n + 1) / 3 + n, ((n + 1) / 2 + n) * 9.81
    assert d["c0.omega"] ** 2 == pytest.approx(2 * (energy - w * np.sin(d["c0.angle"])) / inertia, rel=1e-6)


@pytest.mark.parametrize("slider", [0.0, 1.0])
def test_equal_links_pass_on_the_right_branch(slider):
    d = lw.dynamics(equal_links(slider), t_eval=np.linspace(0, 10, 41))
    assert d["slider.x"] == pytest.approx(2 * np.cos(d["crank.angle"]), abs=1e-9)
    assert d["crank.angle"][-1] > 30
    assert d.audit.energy_error < 1e-7


def test_bricard_ring():
    """IFToMM A04: one constraint too many, all of them kept; energy conserved, joints closed, reactions not unique."""
    d = lw.dynamics(bricard(), t_eval=np.linspace(0, 10, 21), rtol=1e-9)
    assert d.audit.energy_error < 1e-6
    assert d.violation.position.max() < 1e-9
    assert "not unique" in str(d.audit)
    tight = lw.dynamics(bricard(), t_eval=[0, 5, 10], rtol=1e-11, atol=1e-12)
    assert d["rod2.x"][[0, 10, 20]] == pytest.approx(tight["rod2.x"], abs=1e-5)


def test_heavy_top():
    """Energy, vertical angular momentum and the spin about the axis stay."""
    d = lw.dynamics(heavy_top(), t_end=2.0, steps=8, rtol=1e-10, atol=1e-11)
    assert d["top.wy"] == pytest.approx(np.full(9, 150.0), rel=1e-12)
    assert d.energy.total == pytest.approx(np.full(9, d.energy.total[0]), rel=1e-9)
    J = np.diag([0.234375 + 15, 0.46875, 0.234375 + 15])
    momentum = []
    for k in range(9):
        p = [d[f"top.e{i}"][k] for i in range(4)]
        w = np.array([d[f"top.w{c}"][k] for c in "xyz"])
        momentum.append(np.array(lw.moment_global(lw.moment_star(J @ w, p), p), dtype=float)[2])
    assert momentum == pytest.approx(np.full(9, momentum[0]), rel=1e-9)
