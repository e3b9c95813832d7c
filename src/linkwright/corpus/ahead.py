"""Motions that lock up or branch on the way."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken, healthy
from linkwright.corpus.parts import crank_and_rod, four_bar, parallel_cranks, plane, slider_crank


@broken("lock-up", "A B C push", "at most", t_end=1.0, on=lambda: slider_crank(angle=0.5))
def press_pushed_beyond_its_stroke(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, "0.66 + 0.1*t"))


@broken("lock-up", "A B C D motor", "", t_end=3.0)
def crank_of_a_double_rocker_driven_round() -> Any:
    """No link can turn fully: the longest and the shortest are together longer than the others."""
    return four_bar(2.0, 2.5, 2.0, 4.0, angle=1.0, motion="1 - t")


@broken("lock-up", "rod drive", "", t_end=2.0, on=plane("rod"))
def bob_driven_past_its_rod(m: Any) -> None:
    bob = m.body("bob", 1.0, 0.1, position=(0.6, 0.8))
    m.add(lw.Constraint("level", bob.angle))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Driver("drive", bob.x, "0.6 + 0.5*t"))


@broken("bifurcation", "A B C D motor", "", t_end=1.5)
def parallelogram_turned_through_flat() -> Any:
    return four_bar(1, 2, 1, 2, angle=1.0, motion="1 - t")


@healthy(t_end=1.0)
def crank_rocker_turned_round() -> Any:
    return four_bar(1, 3, 2.5, 3, angle=1.0, motion="1 + 2*pi*t")


@healthy(t_end=1.0)
def slider_crank_turned_round() -> Any:
    return slider_crank(angle=1.0, motion="1 + 2*pi*t")


@healthy(t_end=1.0, on=lambda: slider_crank(angle=0.5))
def press_within_its_stroke(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, f"0.66 + 0.02*sin({2 * pi}*t)"))


@broken("lock-up", "A rod push", "at most", t_end=1.0, on=lambda: crank_and_rod(0.5))
def slider_in_space_pushed_beyond_its_stroke(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, f"{lw.assemble(m)['slider.x']!r} + 0.1*t"))


@broken("bifurcation", "A B coupler motor", "", t_end=1.5)
def parallel_cranks_in_space_turned_through_flat() -> Any:
    return parallel_cranks(1.0, "1 - t")


@healthy(t_end=1.0, on=lambda: crank_and_rod(0.5))
def crank_in_space_turned_round(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "0.5 + 2*pi*t"))


@broken("lock-up", "A cylinder", "at most", t_end=2.0, on=plane("boom"))
def cylinder_that_runs_out(m: Any) -> None:
    boom = m.body("boom", 10.0, 1.0, angle=pi / 4)
    m.add(lw.Revolute("A", m.ground.at(0, 0), boom.at(0, 0)))
    m.add(lw.Driver("cylinder", lw.distance(m.ground.at(0.5, -0.2), boom.at(0.9, 0)), "0.9 + 0.5*t"))
