"""Public benchmarks solved with the default settings, or tight ones where digits are to be met.

Digits are published ones, or those of `benchmark_references`: the same machines in one or two coordinates, written by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import benchmark_references as reference
import linkwright as lw
from benchmark_machines import (
    bricard,
    car_axis,
    equal_links,
    falling_slider_crank,
    flyball,
    four_bars,
    heavy_top,
    pendulum,
    squeezer,
    unit_pendulum,
)

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def test_pendulum():
    """IFToMM A01: six published digits; no drift of energy."""
    d = lw.dynamics(pendulum(), t_eval=[0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5])
    x = [-0.391049, 0.884132, -0.996334, 0.999914, -0.963293, 0.665293, 0.051195, -0.727459, 0.975626, -0.999992]
    y = [-0.920370, -0.467237, -0.085544, -0.013142, -0.268452, -0.746583, -0.998689, -0.686151, -0.219440, -0.004021]
    assert d["bob.x"][1:] == pytest.approx(x, abs=1.1e-6)  # half a digit, and an error of the phase after ten swings
    assert d["bob.y"][1:] == pytest.approx(y, abs=1.1e-6)
    assert np.abs(d.energy.total).max() < 1e-6
    d = lw.dynamics(pendulum(), t_eval=[0, 5, 10], **TIGHT)
    assert np.array([d["bob.x"], d["bob.y"]]) == pytest.approx(reference.swinging_bar(d.t), abs=1e-9)


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_index_three_pendulum(method):
    """m = g = L = 1: places, speeds and the multiplier, by elliptic functions."""
    d = lw.dynamics(unit_pendulum(), t_eval=[0, 1, 2.5, 5], rtol=1e-10, atol=1e-12, method=method)
    x, y, u, v, lam = reference.unit_pendulum(d.t)
    for channel, expected in {"bob.x": x, "bob.y": y, "bob.vx": u, "bob.vy": v, "bar.force": -lam}.items():
        assert d[channel] == pytest.approx(expected, abs=2e-9), channel


@pytest.mark.parametrize("method", ["dop853", "adams", "radau"])
def test_car_axis(method):
    """IVP test set, t = 3: published digits. Distances prescribed, springs stiff against the masses."""
    d = lw.dynamics(car_axis(), t_eval=[0, 3], rtol=1e-10, atol=1e-12, method=method)
    ends = [d[c][-1] for c in ("l.x", "l.y", "r.x", "r.y")]
    assert ends == pytest.approx([0.04934557843, 0.49698946023, 1.04174252489, 0.37391102727], abs=2e-9)
    rates = [d[c][-1] for c in ("l.vx", "l.vy", "r.vx", "r.vy")]
    assert rates == pytest.approx([-0.07705836840, 0.00744686659, 0.01755681575, 0.77034104378], abs=2e-7)
    # lam of the test set has the sign of the effort along the quantity; of the bar, whose length is 1, that is its square
    bar = sum((d[f"r.{c}"][-1] - d[f"l.{c}"][-1]) * d[f"bar.f{c}"][-1] for c in "xy") / 2
    assert [d["axis.force"][-1], bar] == pytest.approx([-0.00473688659, -0.00110468033], rel=1e-6)


def test_squeezer():
    """IVP test set, Andrews, t = 0.03: published angles, rates, accelerations and multipliers."""
    d = lw.dynamics(squeezer(), t_eval=[0, 0.03], rtol=1e-10, atol=1e-12)
    beta, gamma, delta, epsilon = (d[f"{b}.angle"][-1] for b in ("OF", "BDE", "AG", "AH"))
    # as many digits as the test set has right
    assert beta == pytest.approx(15.8107712, rel=3e-9)
    assert d["FE.angle"][-1] - beta == pytest.approx(-15.7563711, rel=4e-9)
    assert gamma == pytest.approx(0.0408222401, rel=2e-9)
    assert d["GE.angle"][-1] - delta == pytest.approx(-0.534730116, rel=2e-9)
    assert [delta, epsilon] == pytest.approx([0.524409966, 1.04808074], rel=4e-9)
    rates = [d[f"{b}.omega"][-1] for b in ("OF", "BDE", "AG", "AH")]
    assert rates == pytest.approx([1139.920, 11.03291, 0.573570, 0.323179], rel=2e-6)
    second = [d[f"{b}.alpha"][-1] for b in ("OF", "BDE", "AG", "AH")]
    assert second == pytest.approx([-24631.8, 324103, 16743.6, 9826.5], rel=5e-6)
    assert d["OF.alpha"][0] == pytest.approx(14222.4439199541, rel=1e-12)  # exact, given with the start

    def forces(k):
        """At E on the ends of the two links from A, and on the body from B: the multipliers of the test set."""
        at = {e: np.array([d[f"{e}.fx"][k], d[f"{e}.fy"][k]]) for e in ("E2", "E4", "E6")}
        return np.concatenate([-at["E2"] - at["E4"] - at["E6"], at["E4"], at["E6"]])

    assert forces(0) == pytest.approx([98.5668703962411, -6.12268834425566, 0, 0, 0, 0], abs=1e-10)
    assert forces(1) == pytest.approx([199.175, -29.7553, 23.0665, 31.4527, 22.6425, 11.6174], rel=3e-6)


def test_squeezer_of_the_library():
    """IFToMM A03: beta = -0.062 at the start, the rest assembled; 0.05 s with all work accounted for."""
    d = lw.dynamics(squeezer(-0.062), t_eval=[0, 0.025, 0.05], rtol=1e-10, atol=1e-12)
    start = [d[f"{b}.angle"][0] for b in ("BDE", "AG", "AH")]
    assert start == pytest.approx([0.45527981210037022, 0.4873649811406328, 1.2305474391566008], abs=1e-14)
    assert d["FE.angle"][0] - d["OF.angle"][0] == pytest.approx(2.145868537995153e-4, abs=1e-14)
    torque = 0.033 * (d["OF.angle"] - d["OF.angle"][0])
    stored = 0.5 * 4530 * (d["spring.length"] - 0.07785) ** 2
    assert d.energy.kinetic + stored - stored[0] == pytest.approx(torque, abs=1e-9 * torque.max())


@pytest.mark.parametrize("n", [1, 2, 5])
def test_windows_pass_their_singular_positions(n):
    """IFToMM A02: whenever the cranks are horizontal the machine could fold; it stays a row of parallelograms."""
    d = lw.dynamics(four_bars(n), t_eval=np.linspace(0, 10, 41))
    energy = ((n + 1) / 3 + n) / 2 + ((n + 1) / 2 + n) * 9.81
    assert d.energy.total == pytest.approx(np.full(41, energy), rel=1e-7)
    assert d["c0.angle"] == pytest.approx(d[f"c{n}.angle"], abs=1e-9)
    assert d["k0.angle"] == pytest.approx(np.zeros(41), abs=1e-9)
    assert d["c0.angle"][-1] < -25  # it went round and round
    # one degree of freedom: the same motion as a single crank with all inertia
    assert d["c0.angle"] == pytest.approx(reference.windows(d.t, n), abs=1e-6)  # tolerance 1e-8, five turns


@pytest.mark.parametrize("slider", [0.0, 1.0])
def test_equal_links_pass_on_the_right_branch(slider):
    d = lw.dynamics(equal_links(slider), t_eval=np.linspace(0, 10, 41))
    assert d["slider.x"] == pytest.approx(2 * np.cos(d["crank.angle"]), abs=1e-9)
    assert d["crank.angle"][-1] > 30
    assert d["crank.angle"] == pytest.approx(reference.equal_links(d.t, slider), abs=1e-6)  # tolerance 1e-8
    assert d.audit.energy_error < 1e-7


@pytest.mark.parametrize("thin", [False, True])
def test_bricard_ring(thin):
    """IFToMM A04: one constraint too many, all of them kept; thin rods have no moment about their axes."""
    m = bricard(thin)
    P3 = m["rod2"].at(0, -0.5, 0)
    d = lw.dynamics(m, t_eval=[0, 1, 5], **TIGHT)
    assert np.array([d[lw.component(P3, c)] for c in "xyz"]) == pytest.approx(reference.bricard(d.t, thin), abs=2e-8)
    assert d.audit.energy_error < 1e-8
    assert d.violation.position.max() < 1e-9
    assert "not unique" in str(d.audit)


def test_flyball_governor():
    """IFToMM A05 with default settings: found to be stiff on the way, and solved to ten digits of the slider's height."""
    d = lw.dynamics(flyball(), t_eval=[0, 0.1, 1, 2])
    assert d["slider.z"] == pytest.approx(reference.flyball(d.t)[1], abs=1e-9)
    assert d.audit.method == "radau"


def test_falling_slider_crank():
    """IFToMM: initial velocities as given there, 2.5 s against energy conservation in one coordinate."""
    d = lw.dynamics(falling_slider_crank(), t_eval=[0, 1, 2.5], **TIGHT)
    assert d["slider.vx"][0] == pytest.approx(0.24, abs=1e-13)
    assert [d[f"rod.v{c}"][0] for c in "xyz"] == pytest.approx([0.12, -0.24, 0], abs=1e-13)
    p = [d[f"rod.e{k}"][0] for k in range(4)]
    w = lw.moment_global(lw.moment_star([d[f"rod.w{c}"][0] for c in "xyz"], p), p)  # turned as a moment is
    assert np.array(w, dtype=float) == pytest.approx([1.92, -0.96, 0.48], abs=1e-12)
    theta, s = reference.spatial_slider_crank(d.t)
    assert d["A.angle"] == pytest.approx(theta, abs=1e-8)
    assert d["slider.x"] == pytest.approx(s, abs=1e-9)


def test_heavy_top():
    """The axis by Lagrange's equations; energy, vertical angular momentum and the spin about the axis stay."""
    d = lw.dynamics(heavy_top(), t_end=2.0, steps=8, rtol=1e-10, atol=1e-11)
    assert d["top.wy"] == pytest.approx(np.full(9, 150.0), rel=1e-12)
    assert d.energy.total == pytest.approx(np.full(9, d.energy.total[0]), rel=1e-9)
    p = np.array([d[f"top.e{k}"] for k in range(4)])
    axis = [2 * (p[1] * p[2] - p[0] * p[3]), 2 * (p[0] ** 2 + p[2] ** 2) - 1, 2 * (p[2] * p[3] + p[0] * p[1])]
    assert np.array(axis) == pytest.approx(reference.heavy_top(d.t), abs=2e-9)
    J = np.diag([0.234375 + 15, 0.46875, 0.234375 + 15])
    momentum = []
    for k in range(9):
        p = [d[f"top.e{i}"][k] for i in range(4)]
        w = np.array([d[f"top.w{c}"][k] for c in "xyz"])
        momentum.append(np.array(lw.moment_global(lw.moment_star(J @ w, p), p), dtype=float)[2])
    assert momentum == pytest.approx(np.full(9, momentum[0]), rel=1e-9)
