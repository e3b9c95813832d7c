"""Forces that are rounding have no arrows; small ones that are loads have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.view.animation import moving_data
from linkwright.view.arrows import arrows
from linkwright.view.drawing import draw


def moving(result: lw.Result) -> dict[str, Any]:
    return moving_data(result, result.drawing or {})["motion"]


def turning(gravity: tuple[float, float] = (0.0, 0.0), mass: float = 1.0, com: float = 0.0) -> lw.PlanarModel:
    """A wheel that turns evenly about its mass centre: nothing loads its bearing but its weight."""
    m = lw.PlanarModel("wheel", gravity=gravity)
    wheel = m.body("wheel", mass=mass, inertia=0.1, com=(com, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0.3, 0.2), wheel.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "5*t"))
    return m


def test_a_wheel_in_balance_has_no_arrows() -> None:
    i = lw.inverse_dynamics(turning(), t_end=1.0, steps=10)
    assert len(arrows(i, i.drawing or {})) == 1  # its bearing has channels
    found = moving(i)
    assert found["loaded"]
    assert found["arrows"] == found["torques"] == []


def test_a_wheel_out_of_balance_has_one() -> None:
    """A micrometre: m e omega^2 = 25 micronewtons, which is small but no rounding."""
    i = lw.inverse_dynamics(turning(com=1e-6), t_end=1.0, steps=10)
    assert np.hypot(i["pin.fx"], i["pin.fy"]).max() == pytest.approx(25e-6, rel=1e-6)
    assert [a["element"] for a in moving(i)["arrows"]] == ["pin"]


def test_beside_a_weight_a_billionth_is_rounding() -> None:
    m = turning(gravity=(0, -9.81))
    body = m.body("block", mass=0, position=(2, 0))
    m.add(lw.Fixed("hold", m.ground.at(2, 0), body.at(0, 0)))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=10)
    faint = {"hold.fx": 0 * i.t + 1e-30, "hold.fy": 0 * i.t}
    held = lw.Result(m.name, i.t, {**{c: i[c] for c in i}, **faint}, i.audit, source=m)
    assert [a["element"] for a in moving(held)["arrows"]] == ["pin"]


@pytest.mark.parametrize("mass", [0.0, 1.0])
def test_where_nothing_loads_the_machine_all_is_rounding(mass: float) -> None:
    m = turning(mass=mass)
    k = lw.kinematics(m, t_end=1.0, steps=4)
    faint = {"pin.fx": 0 * k.t + 1e-30, "pin.fy": 0 * k.t, "motor.torque": 0 * k.t - 1e-31}
    held = lw.Result(m.name, k.t, {**{c: k[c] for c in k}, **faint}, k.audit, source=m)
    found = moving_data(held, draw(m))["motion"]
    assert (found["loaded"], found["arrows"], found["torques"]) == (True, [], [])


def test_times_without_a_value_do_not_count() -> None:
    i = lw.inverse_dynamics(turning(gravity=(0, -9.81)), t_end=1.0, steps=4)
    gap = {"pin.fx": np.where(i.t == 0, np.nan, i["pin.fx"]), "pin.fy": np.where(i.t == 0, np.nan, i["pin.fy"])}
    held = lw.Result("wheel", i.t, {**{c: i[c] for c in i}, **gap}, i.audit, drawing=i.drawing)
    assert [a["element"] for a in moving(held)["arrows"]] == ["pin"]
