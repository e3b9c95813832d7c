"""Nothing is refused for the number of bodies: what small machines have, large ones have, with the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from looped_runs import chain, rope

import linkwright as lw
from linkwright.analyses.dynamics import dynamics as module
from linkwright.analyses.dynamics.looped import simulate as looped


def both(monkeypatch, build, t_end=0.1, steps=4, **options):
    """The same run compiled as a whole, and in loops."""
    whole = lw.dynamics(build(), t_end, steps, **options)
    with monkeypatch.context() as patch:
        patch.setattr(module.looped, "is_large", lambda model: True)
        found = lw.dynamics(build(), t_end, steps, **options)
    assert "compiled in loops" in found.audit.why
    return whole, found


def same(whole, found, tolerance=1e-7):
    """Every channel to a part of its largest value."""
    assert list(found.channels) == list(whole.channels)
    for name in whole.channels:
        size = 1 + np.abs(whole[name]).max()
        assert np.abs(found[name] - whole[name]).max() < tolerance * size, name


@pytest.mark.parametrize("constraints", ["augmented", "stabilization", "direct"])
@pytest.mark.parametrize("build", [lambda: rope(4), lambda: chain(3)], ids=["plane", "space"])
def test_treatments_of_constraints(constraints, build, monkeypatch):
    whole, found = both(monkeypatch, build, constraints=constraints, rtol=1e-9)
    same(whole, found)
    assert found.audit.constraints == whole.audit.constraints == constraints


def test_baumgarte_terms_pull_back(monkeypatch):
    """Loose tolerances: what direct integration leaves open, stabilisation closes (as of small machines)."""
    errors = {}
    for how in ("direct", "stabilization", "projection"):
        _, found = both(monkeypatch, lambda: rope(4), 2.0, constraints=how, rtol=1e-4, atol=1e-6, method="dopri5")
        errors[how] = found.violation.position[-1]
    assert errors["direct"] > 3 * errors["stabilization"] > 1e3 * errors["projection"]


@pytest.mark.parametrize("formulation", ["kane", "euler-parameters", "mixed"])
def test_formulations_by_name_of_very_large_machines(formulation, monkeypatch):
    """They write the same equations: the motion is that of the bodies' own, and the audit says what was taken instead."""
    monkeypatch.setattr(looped, "FORMULATED", 50)
    d = lw.dynamics(rope(60), 0.05, 2, formulation=formulation)
    assert f"newton-euler in loops in place of {formulation}" in d.audit.why
    plain = lw.dynamics(rope(60), 0.05, 2)
    assert all(np.array_equal(d[name], plain[name]) for name in plain.channels)


def stops(n=4):
    """A rope over a floor of stiff springs: reactions jump where a link meets it."""
    m = rope(n)
    for k in range(1, n):
        m.add(lw.Force(f"floor{k}", m[f"b{k}"].y, lambda s: lw.where(s < -0.02, -1e3 * (s + 0.02), 0.0)))
    m.add(lw.Force("kick", m["b0"].y, lambda s, v, t: lw.where(t > 0.03, 50.0, 0.0)))
    return m


FORCES = {
    "down": "b2.ay + 5",
    "torn": "J0.fy - 20",
    "turns": lambda s: s["b1.alpha"] + 3 * s["b1.omega"],
    "push": "floor3.force - 1",
}


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_events_of_accelerations_and_reactions(formulation, monkeypatch):
    whole, found = both(monkeypatch, stops, 0.2, events=FORCES, rtol=1e-10, formulation=formulation)
    assert len(whole.events) >= 4
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    assert [t for t, _ in found.events] == pytest.approx([t for t, _ in whole.events], abs=1e-7)
    same(whole, found)


def test_events_of_reactions_of_a_large_machine():
    """Two hundred links: the run ends where the first pin holds as much as asked."""
    m = rope(200)
    d = lw.dynamics(m, 1.0, 2, events={"enough": lw.Watch("J0.fy - 1.05*9.81", stop=True)})
    assert "compiled in loops" in d.audit.why
    assert d["J0.fy"][-1] == pytest.approx(1.05 * 9.81, rel=1e-7)


def one_sided(c):
    return lambda s, v, t: -c * v if v > 0 else -2 * c * v


def braked(n=3, space=False):
    """Laws in plain Python: one that branches on its speed, and one of a spring, of several members."""
    m = chain(n) if space else rope(n)
    for k in range(n):
        m.add(lw.Force(f"brake{k}", m[f"b{k}"].z if space else m[f"b{k}"].y, one_sided(0.2 + 0.1 * k)))
    last, third = m[f"b{n - 1}"], (0,) if space else ()
    m.add(
        lw.Spring("cord", m.ground.at(n, 1, *third), last.at(0, 0, *third), k=lambda s: 30.0 if s > 1.0 else 0.0, length=1)
    )
    return m


@pytest.mark.filterwarnings("ignore:the law of")
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
@pytest.mark.parametrize("space", [False, True])
def test_laws_in_plain_python(space, formulation, monkeypatch):
    whole, found = both(monkeypatch, lambda: braked(space=space), formulation=formulation, rtol=1e-9)
    same(whole, found)
    assert np.abs(found.energy.work - whole.energy.work).max() < 1e-7


@pytest.mark.filterwarnings("ignore:the law of")
def test_laws_in_plain_python_of_a_large_machine():
    """Two hundred links with a brake each: the energy that is lost is the brakes' work."""
    d = lw.dynamics(braked(200), 0.05, 2, rtol=1e-6)
    assert "compiled in loops over 200 bodies" in d.audit.why
    assert d.energy.work[-1] < -1e-4
    assert d.audit.energy_error < 1e-6


@pytest.mark.filterwarnings("ignore:the law of")
def test_what_a_law_raises_ends_the_run(monkeypatch):
    def law(s, v, t):
        if type(t) is float and t > 0.05:
            raise ValueError("no such force")
        return 1.0 if s > 0 else 2.0

    m = rope(3)
    m.add(lw.Force("law", m["b1"].y, law))
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    with pytest.raises(lw.IntegrationError, match="no such force") as caught:
        lw.dynamics(m, 0.2, 4)
    assert caught.value.element == ("law",)
    assert 0.04 < caught.value.time < 0.06
