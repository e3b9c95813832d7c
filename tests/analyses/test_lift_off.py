"""Cams that would have to pull at their followers: found for every outline that says where its matter is, by the formula of
the acceleration at the crest."""

from math import pi

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.corpus.pairs import ellipse, turned, wave
from linkwright.corpus.parts import EARTH, follower

MASS, G = 0.5, 9.81  # of the tappet of the corpus


def pulled(m, **options):
    """The largest pull that the audit tells, in newtons."""
    [note] = [n for n in lw.inverse_dynamics(m, **options).audit.notes if "pulls, by up to" in n]
    return float(note.split("by up to ")[1].split(" N")[0])


def test_flat_face_on_an_ellipse():
    """Its height is sqrt(a^2 cos^2 + b^2 sin^2) of the angle; at a its second derivative is -(a^2 - b^2)/a."""
    m = turned(follower(ellipse()), 10.0)
    force = MASS * (100 * (1.1**2 - 0.9**2) / 1.1 - G)
    # the largest height is at a quarter turn; the audit tells three digits
    assert pulled(m, t_eval=np.linspace(0, 0.2 * pi, 41)) == pytest.approx(force, rel=5e-3)


def test_a_roller_on_a_profile_that_slides():
    """The centre's path over a crest of curvature c has c/(1 + c r)."""
    force = MASS * (36 * 0.4 / (1 + 0.4 * 0.3) - G)
    assert pulled(wave(6.0), t_eval=[0.0, 0.01]) == pytest.approx(force, rel=5e-3)
    assert not any("pulls" in n for n in lw.inverse_dynamics(wave(4.0), t_end=0.5, steps=20).audit.notes)


@pytest.mark.parametrize("looped", [False, True])
def test_points_given_clockwise_in_a_simulation(looped, monkeypatch):
    """A roller begins on the nose of an ellipse that turns by itself, as in the first test; large machines tell it too."""
    a = -np.linspace(0, 2 * pi, 33)
    m = follower(lw.Curve.table(0.9 * np.cos(a), 1.1 * np.sin(a)), roller=0.2, height=1.3)
    m.fix(m["disc"].angle, 0.0)
    m.fix(m["disc"].omega, 10.0)
    if looped:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    else:
        assert not [f for f in lw.check(m).findings if f.code == "wrong-root"]
    d = lw.dynamics(m, t_end=0.01, steps=1)
    assert ("in loops over" in d.audit.why) is looped
    assert any("contact pulls" in n for n in d.audit.notes)


def test_silent_where_nobody_says_which_side_is_solid():
    m = lw.PlanarModel("wave", gravity=EARTH)
    plate, tappet = m.body("plate", 1.0, 0.5), m.body("tappet", 0.5, 0.1, position=(0, 0.1))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), plate.at(0, 0, angle=0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle="pi/2"), tappet.at(0, 0, angle="pi/2")))
    profile = lw.Curve.parametric("alpha", "0.1*cos(2*alpha)", start=-1, end=1)
    m.add(lw.CamFlat("contact", plate.curve(profile), tappet.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", plate.x, 0.0))
    i = lw.inverse_dynamics(m, t_end=0.1, steps=1)
    assert not any("pulls" in n for n in i.audit.notes)
