"""What a run needs before it begins is kept while the model stays what it was, and no longer: a run after any change gives
the very numbers that a new model gives."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics import prepared


def crank(**given):
    numbers = {"r": 0.2, "mass": 1.0, "omega": 3.0, "g": -9.81} | given
    m = lw.PlanarModel("slider-crank", gravity=(0, numbers["g"]))
    r = m.parameter("r", numbers["r"])
    c = m.body("crank", numbers["mass"], 0.01, position=(r / 2, 0), omega=numbers["omega"])
    rod = m.body("rod", 2.0, 0.05, position=(0.45, 0))
    slider = m.body("slider", 1.0, 0.01, position=(0.7, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), c.at(-r / 2, 0)))
    m.add(lw.Revolute("B", c.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    return m


def run(m, **more):
    return lw.dynamics(m, t_end=0.2, steps=4, **more)


def same(a, b):
    return all(np.array_equal(a[name], b[name]) for name in b)


CHANGES = {
    "parameter": (lambda m: m.set(r=0.25), lambda: crank(r=0.25)),
    "mass": (lambda m: setattr(m["crank"], "mass", 2.0), lambda: crank(mass=2.0)),
    "estimate": (lambda m: m["crank"].guess(omega=4.0), lambda: crank(omega=4.0)),
    "gravity": (lambda m: setattr(m, "gravity", (0, -1.6)), lambda: crank(g=-1.6)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_model_is_prepared_anew(change):
    m, (make, another) = crank(), CHANGES[change]
    before = run(m)
    make(m)
    after = run(m)
    assert same(after, run(another()))
    assert not same(after, before)


def test_an_element_or_an_exact_value_that_is_added_counts():
    m, n = crank(), crank()
    run(m)
    for model in (m, n):
        model.add(lw.Torque("drive", model["crank"], 0.5))
    d = run(m)
    assert same(d, run(n))
    for model in (m, n):
        model.fix(model["crank"].omega, 2.0)
    assert same(run(m), run(n))
    assert not same(run(m), d)


def test_a_function_whose_numbers_change_is_read_again():
    m, torque = crank(), [0.5]
    m.add(lw.Torque("drive", m["crank"], lambda t: torque[0]))
    first = run(m)
    torque[0] = 0.0
    plain = crank()
    plain.add(lw.Torque("drive", plain["crank"], 0.0))
    second = run(m)
    assert not same(first, second)
    assert np.allclose(second["crank.omega"], run(plain)["crank.omega"], rtol=1e-12)


def test_runs_of_an_unchanged_model_give_the_same_bits_whatever_was_asked_between():
    m = crank()
    first = run(m)
    run(m, formulation="joint")
    run(m, rtol=1e-5, t_start=0.05)
    lw.dynamics(m, t_end=0.7, steps=9)
    assert same(run(m), first)


def test_nothing_is_assembled_again_for_an_unchanged_model(monkeypatch):
    m = crank()
    run(m)

    def again(*_):
        raise AssertionError("assembled again")

    monkeypatch.setattr(prepared, "initial_state", again)
    run(m)


def test_a_run_that_failed_leaves_nothing_behind():
    m = crank()
    first = run(m)
    with pytest.raises(lw.IntegrationError):
        run(m, max_steps=3)
    assert same(run(m), first)


def test_a_large_machine_begins_where_it_began():
    def chain(g=-9.81):
        m = lw.PlanarModel("chain", gravity=(0, g))
        before, end = m.ground, (0.0, 0.0)
        for k in range(30):
            rod = m.body(f"rod{k}", 1.0, 1 / 12, position=(k + 0.5, 0))
            m.add(lw.Revolute(f"J{k}", before.at(*end), rod.at(-0.5, 0)))
            before, end = rod, (0.5, 0.0)
        return m

    m = chain()
    first = run(m)
    assert same(run(m), first)
    m.gravity = (0, -1.6)
    assert same(run(m), run(chain(-1.6)))


def test_a_prepared_run_is_that_of_a_model_with_the_values():
    m = crank()
    ready = lw.prepare(m, t_end=0.2, steps=4)
    assert same(ready(r=0.25), run(crank(r=0.25)))
    assert same(ready({"crank.omega": 4.0}), run(crank(omega=4.0)))  # and r is what it was
    assert same(ready(), run(m))
    assert m.parameters["r"] == 0.2


def test_what_cannot_vary_is_named():
    ready = lw.prepare(crank(), "assemble")
    with pytest.raises(lw.ModelError, match="there is nothing called 'rr'"):
        ready(rr=1.0)
    with pytest.raises(lw.ModelError, match="is no analysis"):
        lw.prepare(crank(), "dynamic")
