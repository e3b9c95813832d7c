"""How constraints are kept: projection, partitioning, stabilisation, Park's hybrid, augmented, index 3 and GGL."""

from __future__ import annotations

import pytest

import linkwright as lw
from linkwright.analyses.dynamics.whole import partition
from linkwright.errors import ModelError
from loaded_machines import bar_pendulum, slider_crank, spatial_slider_crank

# C11 by elliptic functions, at t = 1, 2, 10
ANGLES = [8.97621720837182, 13.9729216040128, 50.9516358533416]


def test_baumgarte_keeps_errors_small_and_direct_integration_lets_them_grow():
    loose = {"t_eval": [0, 5.0], "rtol": 1e-5, "atol": 1e-7, "method": "dopri5"}
    errors = {
        how: lw.dynamics(bar_pendulum(), constraints=how, **loose).violation.position[-1]
        for how in ("direct", "stabilization", "projection")
    }
    assert errors["direct"] > 10 * errors["stabilization"] > 1e3 * errors["projection"]
    assert errors["projection"] < 1e-12


@pytest.mark.parametrize("method", ["dop853", "adams"])
def test_partitioning(method):
    """Generalised coordinates, chosen anew as the pendulum goes round: x and y cannot stay independent (Haug 7.3.2)."""
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 1, 2, 10], rtol=1e-10, atol=1e-12, constraints="partitioning", method=method)
    assert d["bar.angle"][1:] == pytest.approx([8.97621720837182, 13.9729216040128, 50.9516358533416], abs=1e-6)
    assert d.violation.position.max() < 1e-11
    m = spatial_slider_crank(driven=False)
    m["crank"].guess(omega=(-6.0, 0, 0))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1], rtol=1e-10, atol=1e-12, constraints="partitioning", method=method)
    assert d["slider.x"][1:] == pytest.approx([0.233861953919, 0.281725564639], abs=1e-8)
    assert d.violation.position.max() < 1e-11


def test_dependent_joints():
    """A door on two hinges swings as on one; the audit says what was left out, reactions are the smallest."""
    m = lw.SpatialModel("door", gravity=(0, -9.81, 0))
    leaf = m.body("leaf", 10.0, (1.0, 2.0, 3.0), position=(0.5, 0, 1))
    m.add(lw.Revolute("low", m.ground.at(0, 0, 0.5), leaf.at(-0.5, 0, -0.5)))
    m.add(lw.Revolute("high", m.ground.at(0, 0, 1.5), leaf.at(-0.5, 0, 0.5)))
    d = lw.dynamics(m, t_eval=[0, 0.5], rtol=1e-10)
    one = lw.dynamics(m.without("high"), t_eval=[0, 0.5], rtol=1e-10)
    assert d["leaf.x"] == pytest.approx(one["leaf.x"], abs=1e-9)
    assert d["low.fy"] == pytest.approx(d["high.fy"])
    assert d["low.fy"] + d["high.fy"] == pytest.approx(one["low.fy"], rel=1e-8)
    assert "not unique" in str(d.audit)


@pytest.mark.parametrize("method", ["dop853", "adams"])
def test_hybrid_corrects_where_errors_exceed_the_tolerance(method):
    """Haug 7.3.5: within the tolerance nothing is solved; the motion is the same whatever the tolerance."""
    told = {"t_eval": [0, 1, 2, 10], "rtol": 1e-10, "atol": 1e-12, "constraints": "hybrid", "method": method}
    corrected = []
    for tolerance in (1e-12, 1e-6):
        d = lw.dynamics(bar_pendulum(), constraint_tol=tolerance, **told)
        assert d["bar.angle"][1:3] == pytest.approx(ANGLES[:2], abs=1e-6 + tolerance)
        assert d["bar.angle"][3] == pytest.approx(ANGLES[2], abs=1e-5 + 10 * tolerance)  # the phase, after seven turns
        assert d["pin.fx"][1] == pytest.approx(-27.3768367115663, abs=1e-4)  # some 50 N/rad times the angle's error
        assert d.violation.position.max() <= tolerance
        assert d.violation.velocity.max() <= tolerance
        note = next(n for n in d.audit.notes if n.startswith("hybrid"))
        corrected.append([int(x) for x in note.split() if x.isdigit()])
    (often, of), (rarely, _) = corrected
    assert often > 0.8 * of
    assert rarely < 0.1 * of


def test_hybrid_in_space():
    """Haug 12.2 by energy quadrature."""
    m = spatial_slider_crank(driven=False)
    m["crank"].guess(omega=(-6.0, 0, 0))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1], rtol=1e-10, atol=1e-12, constraints="hybrid")
    assert d["slider.x"][1:] == pytest.approx([0.233861953919, 0.281725564639], abs=1e-8)
    assert d.violation.position.max() <= 1e-8
    assert d.audit.constraints == "hybrid"


def test_hybrid_gives_up_stabilisation_where_equations_are_ill_conditioned(monkeypatch):
    """Haug 7.3.5: it goes back to pure partitioning. The limit is set so that any pivot is below it."""
    monkeypatch.setattr(partition, "ILL", 2.0)
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 1, 2, 10], rtol=1e-10, atol=1e-12, constraints="hybrid")
    assert d["bar.angle"][1:] == pytest.approx(ANGLES, abs=1e-6)
    assert "pure partitioning from t = " in d.audit.why
    assert d.violation.position[1:].max() < 1e-12  # every state is corrected from then on


@pytest.mark.parametrize("how", ["partitioning", "hybrid"])
def test_a_driven_machine_has_no_independent_coordinates(how):
    """Nothing is left to integrate: the motion is that of the driver."""
    d = lw.dynamics(slider_crank(), t_end=0.5, steps=4, constraints=how)
    k = lw.kinematics(slider_crank(), t_end=0.5, steps=4)
    assert d["slider.x"] == pytest.approx(k["slider.x"], abs=1e-8)


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_index_three_leaves_velocities_to_the_order_of_the_method(method):
    """GGL holds positions and velocities to Newton's tolerance, index 3 positions only; both err by the method's order."""
    options = {"adaptive": False}
    runs = {
        how: lw.dynamics(bar_pendulum(), t_eval=[0, 1], method=method, constraints=how, first_step=5e-3, options=options)
        for how in ("ggl", "index-3")
    }
    for d in runs.values():
        assert d["bar.angle"][1] == pytest.approx(ANGLES[0], abs=5e-3)
        assert d.violation.position[1] < 1e-8
    assert runs["ggl"].violation.velocity[1] < 1e-6 < 1e-5 < runs["index-3"].violation.velocity[1] < 1e-2
    assert "GGL" in runs["ggl"].audit.constraints
    assert runs["index-3"].audit.constraints == "index 3"


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_index_three_chooses_its_steps(method):
    """Its velocities miss their equations a little, whatever the step: the error that rules the steps is that of positions.

    The order in the displacement is 2, that of the local error 3: the angle errs by some rtol^(2/3).
    """
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 1, 2], method=method, constraints="index-3", rtol=1e-6)
    assert d["bar.angle"][1:] == pytest.approx(ANGLES[:2], abs=10 * 1e-6 ** (2 / 3))
    assert d.violation.position.max() < 1e-10
    assert d.audit.steps < 4000


def test_the_limit_of_steps_is_of_the_whole_run():
    with pytest.raises(lw.IntegrationError, match="steps") as caught:
        lw.dynamics(bar_pendulum(), t_end=1, steps=100, method="hht", max_steps=50)
    assert caught.value.partial.audit.steps == 50


def test_words_that_do_not_go_together():
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 0.01], constraints="ggl")
    assert d.audit.method == "generalized-alpha"
    assert "ggl" in d.audit.why
    with pytest.raises(ModelError, match="radau") as caught:
        lw.dynamics(bar_pendulum(), t_end=1.0, method="radau", constraints="ggl")
    assert caught.value.element == ("constraints",)
    assert "generalized-alpha" in caught.value.remedy
    with pytest.raises(ModelError, match="own treatment"):
        lw.dynamics(bar_pendulum(), t_end=1.0, method="hht", constraints="hybrid")
    with pytest.raises(ModelError, match="one formulation"):
        lw.dynamics(bar_pendulum(), t_end=1.0, method="hht", formulation="euler-parameters")
    with pytest.raises(lw.ArgumentError, match="no option 'rho_inf'"):
        lw.dynamics(bar_pendulum(), t_end=1.0, method="dop853", options={"rho_inf": 0.5})
