"""Questions that an analysis asks on its own behalf: what was found, or why nothing was."""

import pytest

import linkwright as lw
from linkwright.analyses.machine.ask import ask


def pushed_rod() -> lw.PlanarModel:
    """The end of a rod of one metre is pushed from x = 0.6 at 1 m/s: at x = 1 it locks."""
    m = lw.PlanarModel("rod")
    bob = m.body("bob", position=(0.6, 0.8))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Constraint("level", bob.angle))
    m.add(lw.Driver("push", bob.x, "0.6 + t"))
    return m


def test_what_is_found_and_why_nothing_is():
    found = ask(lw.kinematics, pushed_rod(), t_end=0.2, steps=2)
    assert found.wrong is None
    assert found.found is not None
    assert found.found["bob.y"][-1] == pytest.approx(0.6, abs=1e-12)  # 0.8^2 + 0.6^2 = 1
    none = ask(lw.kinematics, pushed_rod(), t_end=1.0, steps=10)
    assert none.found is None
    assert isinstance(none.wrong, lw.SingularityError)
    assert none.wrong.time == pytest.approx(0.4, abs=1e-6)


def test_faults_that_are_no_answers_come_out():
    with pytest.raises(ZeroDivisionError):
        ask(lambda: 1 / 0)
    with pytest.raises(KeyboardInterrupt):
        ask(lambda: (_ for _ in ()).throw(KeyboardInterrupt))
