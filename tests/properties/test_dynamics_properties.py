"""Random machines under forces: energy, work, time reversal, free bodies, and that the description does not matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import linkwright as lw
from loaded_machines import random_machine, slider_crank
from random_planar import Builder, Recipe, poses

COSTLY = (Phase.explicit, Phase.generate)  # every example compiles a machine: a failing one is not made smaller
SEEDS = st.integers(0, 10**6)
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


@pytest.mark.parametrize("dimension", [2, 3])
@settings(max_examples=2, phases=COSTLY)
@given(seed=SEEDS)
def test_energy_is_conserved_and_time_can_be_reversed(dimension, seed):
    """Springs and gravity only. With all velocities turned round the machine goes back to where it was."""
    model = random_machine(dimension, np.random.default_rng(seed), damping=False)
    d = lw.dynamics(model, t_end=0.5, steps=5, **TIGHT)
    assert np.abs(d.energy.work).max() == 0
    assert d.audit.energy_error < 1e-8
    assert d.violation.position.max() < 1e-10
    assert d.violation.velocity.max() < 1e-9
    rates = ("vx", "vy", "vz", "wx", "wy", "wz", "omega")
    end = {c: d[c][-1] * (-1 if c.split(".")[-1] in rates else 1) for c in d.channels if c.startswith("b")}
    back = lw.dynamics(model, t_end=0.5, steps=5, start=end, **TIGHT)
    for c in end:
        name = c.split(".")[-1]
        if name in ("x", "y", "z", "angle", *rates):
            # errors at the tolerance grow as neighbouring motions part: two more decades
            sign = -1 if name in rates else 1
            assert back[c] == pytest.approx(sign * d[c][::-1], abs=1e-7 * (1 + np.abs(d[c]).max())), c


@settings(max_examples=2, phases=COSTLY)
@given(seed=SEEDS)
def test_work_is_accounted_for(seed):
    """With dampers, laws of time and follower forces: kinetic + potential - work stays."""
    d = lw.dynamics(random_machine(2, np.random.default_rng(seed)), t_end=0.5, steps=5, **TIGHT)
    assert np.abs(d.energy.work).max() > 0
    assert d.audit.energy_error < 1e-7


@pytest.mark.parametrize("dimension", [2, 3])
@settings(max_examples=2, phases=COSTLY)
@given(seed=SEEDS)
def test_every_body_is_in_balance(dimension, seed):
    """Newton and Euler for each body alone, with the reactions of its joints and gravity; reactions come in pairs."""
    model = random_machine(dimension, np.random.default_rng(seed), damping=False, com=False)
    model = model.without(*[name for name in model.elements if name.startswith("S")])
    d = lw.dynamics(model, t_end=0.3, steps=3, **TIGHT)
    axes = "xyz"[:dimension]
    for body in model.bodies.values():
        if body.is_ground:
            continue
        acceleration = np.stack([d[f"{body.name}.a{c}"] for c in axes], axis=1)
        needed = model.value(body.mass) * (acceleration - model.gravity)
        F, T, size = np.zeros_like(needed), 0.0, np.abs(needed).max()
        for name, place in d.places.items():
            pair = [d.reaction(name, on=x, at=body.at(*[0] * dimension)) for x in (place.first, place.second)]
            for c in pair[0]:
                assert np.abs(pair[0][c] + pair[1][c]).max() <= 1e-12 * (1 + np.abs(pair[0][c]).max()), (name, c)
            if body.name in (place.first, place.second):
                own = pair[place.second == body.name]
                F = F + np.stack([own[f"f{c}"] for c in axes], axis=1)
                torque = own["torque"] if dimension == 2 else np.stack([own[f"t{c}"] for c in axes], axis=1)
                T = T + torque
                size = max(size, np.abs(F).max(), np.abs(torque).max())
        assert np.abs(F - needed).max() < 1e-12 * size
        assert np.abs(T - spin(d, model, body)).max() < 1e-12 * size


def spin(d, model, body):
    """The rate of the moment of momentum about the mass centre, in ground axes."""
    if model.dimension == 2:
        return model.value(body.inertia) * d[f"{body.name}.alpha"]
    J = np.array([[model.value(x) for x in row] for row in body.inertia])
    w, dw = (np.stack([d[f"{body.name}.{p}{c}"] for c in "xyz"], axis=1) for p in ("w", "alpha"))
    own = dw @ J.T + np.cross(w, w @ J.T)
    return np.einsum("tij,tj->ti", d._axes(body.name), own)


@settings(max_examples=2, phases=COSTLY)
@given(a=st.floats(-50, 50), b=st.floats(-50, 50))
def test_inverse_dynamics_returns_the_torque_that_made_the_motion(a, b):
    """A crank under the torque a sin 3t + b t; its motion, prescribed by a driver, asks for the same torque."""
    free = slider_crank(driven=False, J1=50.0)
    free.fix(free["crank"].angle, np.pi / 4)
    free["crank"].guess(omega=2.0)
    free.add(lw.Torque("T", free["crank"], lambda t: a * lw.sin(3 * t) + b * t))
    times = np.linspace(0, 1, 1001)
    d = lw.dynamics(free, t_eval=times, **TIGHT)
    driven = slider_crank(driven=False, J1=50.0)
    driven.add(lw.Driver("motor", driven["A"].angle, lw.spline(times, d["crank.angle"])))
    i = lw.inverse_dynamics(driven, t_eval=times[100:-100:100])
    # accelerations of the spline: h^2/12 of the fourth derivative, and 1e-10 h^-2 of the angles, times some 100 kg m^2
    assert i["motor.torque"] == pytest.approx(a * np.sin(3 * i.t) + b * i.t, abs=2e-2)


def test_description_does_not_matter():
    """Moved, renumbered, joints with their ends exchanged, other origins, a joint twice: the same motion and energy."""
    recipe = Recipe((-1, 0, 1), ("revolute", "revolute", "translational"), (("distance", 2, -1),), seed=5)
    builder, plain = run(recipe)
    reference = poses(plain, builder, 1)
    for other in (
        replace(recipe, turn=0.7, shift=(3.0, -2.0), swapped=True), replace(recipe, origins=True, shuffled=True),
        replace(recipe, doubled=True),
    ):  # fmt: skip
        again, d = run(other)
        for name, values in poses(d, again, 1).items():
            size = 1 + np.abs(reference[name]).max()
            np.testing.assert_allclose(values, reference[name], rtol=0, atol=1e-7 * size, err_msg=f"{other}: {name}")
        assert np.ptp(d.energy.potential) == pytest.approx(np.ptp(plain.energy.potential), rel=1e-7, abs=1e-9)


def run(recipe):
    builder = Builder(recipe)
    for element in builder.elements():
        builder.model.add(element)
    return builder, lw.dynamics(builder.model, t_eval=[0, 0.1], **TIGHT)


@settings(max_examples=1, phases=COSTLY)
@given(seed=SEEDS)
def test_a_planar_machine_moves_in_space_as_in_the_plane(seed):
    plane = random_machine(2, np.random.default_rng(seed), bodies=2, damping=False)
    d = lw.dynamics(plane, t_end=0.3, steps=3, **TIGHT)
    s = lw.dynamics(lw.embed(plane), t_end=0.3, steps=3, **TIGHT)
    for c in [c for c in d.channels if c.startswith("b") and c.split(".")[-1] in ("x", "y", "vx", "vy", "ax", "ay")]:
        assert s[c] == pytest.approx(d[c], abs=1e-7 * (1 + np.abs(d[c]).max())), c
    assert s.energy.total - s.energy.total[0] == pytest.approx(np.zeros(4), abs=1e-8 * np.abs(d.energy.potential).max())
