"""The course's exercises: right answers are right, wrong ones are answered by what they look like."""

from math import asin, pi, sqrt

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.examples.course import asked, check

WEIGHT = 2 * 9.81

RIGHT = {
    1: (9, 8, 1),
    2: (2.6160254, 1.9330127),
    4: (asin(0.9) - pi / 4) / (2 * pi),
    5: 1.25,  # the rocker's pin is 4 from its pivot, the crank's 2: 4 r
    6: 2.5 * WEIGHT,
    7: 16,
    9: (0.5, 0.5, 0.5, 0.5),
    10: 0.08 + sqrt(0.0244),
    11: 1.4715,
}
WRONG = {
    (1, (9, 4, 5)): "A pin in the plane is two equations",
    (1, (9, 8, 2)): "look again at the third",
    (2, (3, 1.5)): "in axes of the body",
    (2, (3.1160254, 0.9330127)): "transposed",
    (4, asin(0.9) / (2 * pi)): "at pi/4 already",
    (4, -RIGHT[4]): "the sign is not",
    (4, RIGHT[4] * 180 / pi): "in degrees",
    (5, 1.4): "too long",
    (5, "a crank"): "a length between",
    (6, WEIGHT): "That is its weight",
    (6, 3 * WEIGHT): "point mass",
    (7, 32): "twice as many",
    (7, 3): "too small",
    (9, (0.5, 0.866, 0.866, 0.866)): "unit vector",
    (9, (1, 1, 1, 1)): "add up to 4.000",
    (9, (0.5, 0.5)): "The answer is 4 numbers",
    (10, sqrt(0.0244)): "the pin goes round it",
    (10, float("nan")): "The answer is a number",
    (11, 1 / 1.4715): "Upside down",
}


@pytest.mark.parametrize("lesson", RIGHT)
def test_right_answers(lesson):
    verdict = check(lesson, RIGHT[lesson])
    assert verdict
    assert str(verdict).startswith("Right. ")
    assert len(asked(lesson)) > 30


@pytest.mark.parametrize(("lesson", "answer"), WRONG)
def test_wrong_answers_are_told_what_they_look_like(lesson, answer):
    verdict = check(lesson, answer)
    assert not verdict
    assert WRONG[lesson, answer] in verdict.text


def test_other_ways_to_say_it():
    assert check(1, (12, 11, 1))  # as the book counts
    assert check(9, (-0.5, -0.5, -0.5, -0.5))  # the same attitude
    assert check(10, np.float64(0.2362))


def four_bar(*pins):
    m = lw.PlanarModel("four-bar")
    a, b, c = m.body("a"), m.body("b", position=(0, 0.5)), m.body("c", position=(1, 1), angle=0.2)
    ends = {"A": (m.ground.at(0, 0), a.at(0, 0)), "B": (a.at(0, 0.5), b.at(0, 0)), "C": (b.at(1, 0), c.at(0, 0)),
            "D": (m.ground.at(1.2, 0), c.at(0, -0.8)), "E": (m.ground.at(0, 0.5), a.at(0, 0.5))}  # fmt: skip
    for pin in pins:
        m.add(lw.Revolute(pin, *ends[pin]))
    return m


def test_a_model_is_looked_at():
    assert check(3, four_bar(*"ABCD"))
    driven = four_bar(*"ABCD")
    driven.add(lw.Driver("motor", driven["A"].angle, "0.1*t"))
    assert check(3, driven)
    assert "a pin is missing" in check(3, four_bar(*"ABC")).text
    assert "not int" in check(3, 3).text
    assert "here are 0" in check(3, lw.PlanarModel("empty")).text
    too_many = four_bar(*"ABCD")
    too_many.add(lw.Distance("twice", too_many.ground.at(0, 0), too_many["a"].at(0, 0.5), 0.5))
    assert "twice" in check(3, too_many).text


def test_the_flywheel_is_tried():
    assert "must be heavier" in check(8, 225).text
    assert "lighter will do" in check(8, 450).text
    assert check(8, 265)
    assert "moment of inertia" in check(8, None).text


def test_the_gain_is_tried():
    assert "the limit is lower" in check(12, 17500).text
    assert check(12, 10500)


def test_halving_the_step_of_runge_kutta():
    """What lesson 7 asks for, measured on the pendulum."""
    m = example("pendulum").load()
    exact = lw.dynamics(m, t_eval=[0, 1.0], rtol=1e-12, atol=1e-12)["bob.x"][-1]
    off = [abs(lw.dynamics(m, t_eval=[0, 1.0], method="rk4", first_step=h)["bob.x"][-1] - exact) for h in (0.02, 0.01)]
    assert check(7, off[0] / off[1])


def test_an_unknown_lesson():
    with pytest.raises(lw.ModelError, match="no lesson 13"):
        check(13, 1)
