"""Driving torques and reactions of the book's machines; balance of every body; redundant drivers and joints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.reactions import Forces
from linkwright.errors import ModelError
from loaded_machines import random_machine, slider_crank, spatial_slider_crank

# t, torque, A on crank, C on slider, guide on slider; recomputed by hand for Haug 8.2 (omega = 2 pi, no gravity)
WITHOUT_GAS = """
0.00 5702.5026140 -3554.3687297 477.9095384 -1516.0751422 -1454.9505264
0.10 -3420.5402021 1441.4923660 -1831.5970079 975.0852034 466.8639608
0.20 -3788.6682637 3299.5836391 -2303.1680581 1571.9321825 1072.0245903
0.40 297.4559631 2832.9531230 298.1138003 863.6588682 -81.9613205
0.50 2159.4798187 3145.3409020 1618.3580784 1275.4705377 -641.3170904
0.60 4977.7441280 2923.6807993 2549.3958314 1592.6637173 -1184.6627843
0.70 -1330.7221695 -1001.8947298 500.7454037 -220.3504712 730.3980640
0.75 -5702.5026140 -3554.3687297 -477.9095384 -1516.0751422 1454.9505264
0.80 -6213.4487178 -5501.8488487 -683.4262534 -2512.1796359 1310.7251822
0.90 2627.8592329 -6525.2163425 296.8151760 -3035.5784091 -512.9676558
"""
WITH_GAS = """
0.40 317.6142972 2981.6375003 311.4582871 1012.3432455 -95.3058072
0.50 5544.6576125 7432.9892982 3512.3243010 5563.1189339 -2535.2833131
0.60 39789.3386948 22686.4879661 16061.1045986 21355.4708842 -14696.3715515
0.70 168327.2344348 72153.6126535 43776.8579096 72935.1569121 -42545.7144418
0.75 282775.1838040 137931.9563628 62020.2936563 139970.2499503 -61043.2526683
0.80 226274.2878121 162157.8072275 44353.2554402 165147.4764404 -43725.9565114
0.90 2627.8592329 -6525.2163425 296.8151760 -3035.5784091 -512.9676558
"""


@pytest.mark.parametrize(("gas", "table"), [(False, WITHOUT_GAS), (True, WITH_GAS)])
def test_slider_crank(gas, table):
    rows = np.array([list(map(float, row.split())) for row in table.split("\n") if row])
    i = lw.inverse_dynamics(slider_crank(gas), t_eval=rows[:, 0])
    for channel, column in zip(["motor.torque", "A.fx", "A.fy", "C.fx", "D.fy"], rows.T[1:], strict=True):
        assert i[channel] == pytest.approx(column, rel=1e-8), channel  # as many digits as the table has


def test_four_times_the_forces_at_twice_the_speed():
    fast = slider_crank(driven=False)
    fast.add(lw.Driver("motor", fast["A"].angle, f"{np.pi / 4} + 4*pi*t"))
    slow = lw.inverse_dynamics(slider_crank(), t_eval=[0.1, 0.8])
    twice = lw.inverse_dynamics(fast, t_eval=[0.05, 0.4])
    for channel in ("motor.torque", "A.fx", "C.fy", "D.fy"):
        assert twice[channel] == pytest.approx(4 * slow[channel], rel=1e-10), channel


@pytest.mark.parametrize(
    ("length", "g", "torque"),
    [
        (0.3, 9.81, {0: 0.131902130626, 0.05: 0.178593934657, 0.1: 0.140432853821, 0.15: 0.072311629876,
                     0.3: 0.153837429883, 0.5: 0.043229663510, 0.7: -0.176904329459}),
        (0.3, 0.0, {0: 0.131902130626, 0.05: 0.117964800361, 0.1: 0.025109387321, 0.15: -0.086417504420,
                    0.3: -0.032759858614, 0.5: 0.043229663510, 0.7: 0.009692959038}),
        (0.27, 9.81, {0.05: 0.275511146380, 0.1: 0.165625663184, 0.15: -0.007598361827, 0.5: 0.070826944608}),
    ],
)  # fmt: skip
def test_spatial_slider_crank(length, g, torque):
    """Haug 12.2; the torque on the crank about +x. The driven angle goes from crank to ground: its effort is opposite."""
    i = lw.inverse_dynamics(spatial_slider_crank(length, g), t_end=0.7, steps=14)
    at = [round(t / 0.05) for t in torque]
    assert -i["motor.torque"][at] == pytest.approx(list(torque.values()), abs=2e-12)  # 12 decimals are given


def test_spatial_reactions():
    """Haug 12.2, l = 0.3, g = 9.81: on the crank at A, and on the rod at B; a ball carries no torque."""
    i = lw.inverse_dynamics(spatial_slider_crank(), t_eval=[0, 0.25, 0.5])
    A = i.reaction("A", on="crank")
    expected = {
        "fx": [3.5530575844, 2.5072162534, -3.3044471412], "fy": [-1.6487766328, -2.4884306557, 0.5403707939],
        "fz": [-0.1535957159, 2.3031505259, 5.9305528667], "tx": [0, 0, 0], "ty": [0.2842446068, 0, 0.2643557713],
        "tz": [0, -0.2005773003, 0],
    }  # fmt: skip
    for channel, values in expected.items():
        assert A[channel] == pytest.approx(values, abs=1e-10), channel
        assert i[f"A.{channel}"] == pytest.approx(-np.array(values), abs=1e-10)  # the channel acts on the second, ground
    B = i.reaction("B", on="rod")
    assert B["fz"][0] == pytest.approx(-1.3307957159, abs=1e-10)
    assert max(np.abs(B[c]).max() for c in ("tx", "ty", "tz")) < 1e-14


def test_reactions_elsewhere_and_in_other_axes():
    """Moved to another point the torque grows by the arm; turned into body axes the size stays."""
    m = spatial_slider_crank()
    i = lw.inverse_dynamics(m, t_eval=[0, 0.1])
    at_joint, moved = i.reaction("A", on="crank"), i.reaction("A", on="crank", at=(0.5, 0.1, 0.12))
    F = np.stack([at_joint[c] for c in ("fx", "fy", "fz")], axis=1)
    T = np.stack([at_joint[c] for c in ("tx", "ty", "tz")], axis=1)
    assert np.stack([moved[c] for c in ("tx", "ty", "tz")], axis=1) == pytest.approx(T + np.cross([-0.5, 0, 0], F))
    turned = i.reaction("A", on="crank", frame="crank")
    assert np.sqrt(sum(turned[c] ** 2 for c in ("fx", "fy", "fz"))) == pytest.approx(np.linalg.norm(F, axis=1))
    assert turned["fx"] == pytest.approx(F[:, 0])  # the crank turns about x
    same = i.reaction("A", on="crank", at=m["crank"].at(0, 0, 0))
    assert same["ty"] == pytest.approx(at_joint["ty"])
    with pytest.raises(ModelError, match="does not act on 'rod'"):
        i.reaction("A", on="rod")
    with pytest.raises(ModelError, match="no joint 'X'"):
        i.reaction("X")


def test_the_sign_convention_is_printed():
    i = lw.inverse_dynamics(slider_crank(), t_eval=[0, 0.1])
    A = i.reaction("A")
    assert A["fx"] == pytest.approx([-3554.3687297, 1441.4923660], rel=1e-9)
    assert str(A).startswith(
        "A: force [N] and torque [N m] that ground exerts on crank through the joint (on ground they are the opposite), "
        "torque about the joint's point, components along the axes of ground\nfx: [-3554."
    )
    there = str(i.reaction("B", on="crank", at=i._source["crank"].at(1, 0), frame="rod"))
    assert there.startswith("B: force [N] and torque [N m] that rod exerts on crank")
    assert "torque about crank(1, 0), components along the axes of rod" in there


def test_free_body_residual():
    """Inertia less all forces of each body: zero to rounding, of forces of thousands."""
    for model in (slider_crank(gas=True), spatial_slider_crank()):
        i = lw.inverse_dynamics(model, t_eval=[0, 0.05, 0.4])
        largest = max(np.abs(i[c]).max() for c in i.channels if c.endswith((".fx", ".fy", ".fz")))
        assert max(np.abs(x).max() for x in i.imbalance.values()) < 1e-12 * largest
    assert list(i.imbalance)[:6] == [f"crank.{c}" for c in ("fx", "fy", "fz", "tx", "ty", "tz")]


def test_constraint_errors_and_notes_of_the_motion():
    m = lw.PlanarModel("crank")
    crank = m.body("crank", mass=1, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Driver("motor", pin.angle, lw.Table([0, 1, 2], [0, 1, 4])))
    i = lw.inverse_dynamics(m, t_end=2.5, steps=25)
    k = lw.kinematics(m, t_end=2.5, steps=25)
    assert i.violation.position.shape == i.violation.velocity.shape == i.t.shape
    # the same motion, hence the same residuals, to rounding of angles of some radians and lengths of some metres
    assert i.audit.position_error == i.violation.position.max()
    assert i.audit.position_error == pytest.approx(k.audit.position_error, abs=1e-15)
    assert i.violation.velocity.max() < 1e-13
    assert k.audit.notes  # the table has an end
    assert i.audit.notes == k.audit.notes


def test_reactions_at_rest():
    """A bar on a pin held by a driver: the pin carries the weight; about the bar's centre its force has a moment."""
    m = lw.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.body("bar", 2.0, 1.0, position=(1, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    m.add(lw.Driver("hold", pin.angle, 0.0))
    e = lw.equilibrium(m)
    on_bar = e.reaction("pin", at=bar.at(0, 0))
    assert [on_bar[c][0] for c in ("fx", "fy", "torque")] == pytest.approx([0, 19.62, -19.62], abs=1e-12)
    assert e.reaction("pin", on="ground")["fy"][0] == pytest.approx(-19.62)


def test_pendulum_of_the_book():
    """C18: m = 2, l = 1, phi = 3 pi/2 + 2 pi t: pin force -lam, driving torque m g l cos(phi)."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", 2.0, 2.0 / 3, position=(0, -1), angle=1.5 * np.pi)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    m.add(lw.Driver("motor", pin.angle, "1.5*pi + 2*pi*t"))
    i = lw.inverse_dynamics(m, t_eval=[0, 0.1, 0.25])
    assert i["pin.fx"][1:] == pytest.approx([-46.4096633033697, -78.9568352087149], rel=1e-13)
    assert i["pin.fy"][1:] == pytest.approx([83.4974215059125, 19.62], rel=1e-13)
    assert i["motor.torque"][1:] == pytest.approx([11.5323466499783, 19.62], rel=1e-13)
    along_bar = i.reaction("pin", frame="bar")
    assert along_bar["fx"][1] == pytest.approx(-94.8297486383513, rel=1e-13)
    assert along_bar["fy"][1] == pytest.approx(11.5323466499783, rel=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_every_body_is_in_balance(dimension, seed):
    """m a = applied + reactions for each body, with reactions as the channels tell them, moved to the mass centre."""
    model = random_machine(dimension, np.random.default_rng(seed), com=False)
    machine = LoadedMachine(model)
    q = close(machine, 0.0).q
    v = np.linalg.lstsq(machine.Phi_and_J(q, 0.0)[1], np.zeros(len(machine.system.rows)), rcond=None)[0]
    solution = machine.solve(q, v, 0.0)
    states = States(np.zeros(1), q[None], v[None], machine.turns[None])
    forces = Forces(machine, states, solution.vdot[None])
    channels, places = forces.channels(), forces.places()
    size = max(np.abs(x).max() for name, x in channels.items() if name.split(".")[1] in ("fx", "fy", "fz"))
    terms = machine.terms(q, v, 0.0)
    assert np.abs(forces.residual()).max() < 1e-12 * size * 10
    for name, (at_q, at_v) in machine.system.coordinates.body_slices().items():
        total = terms.Q[at_v][:dimension].copy()
        moment = np.zeros(1 if dimension == 2 else 3)
        for joint, place in places.items():
            if name not in (place.first, place.second):
                continue
            sign = 1.0 if name == place.second else -1.0
            F = sign * np.array([channels[f"{joint}.{c}"][0] for c in ("fx", "fy", "fz")[:dimension]])
            total += F
            arm = place.point[0] - q[at_q][:dimension]
            if dimension == 2:
                moment += sign * channels[f"{joint}.torque"] + arm[0] * F[1] - arm[1] * F[0]
            else:
                moment += sign * np.array([channels[f"{joint}.{c}"][0] for c in ("tx", "ty", "tz")]) + np.cross(arm, F)
        body = model[name]
        assert model.value(body.mass) * solution.vdot[at_v][:dimension] == pytest.approx(total, abs=1e-12 * size)
        if dimension == 2:
            applied = terms.Q[at_v][2]
            assert model.value(body.inertia) * solution.vdot[at_v][2] == pytest.approx(applied + moment[0], abs=1e-11 * size)


def test_what_is_not_unique_is_said():
    """A door on two hinges, driven: the motion and the torque are sure, the hinge forces are the smallest."""
    m = lw.SpatialModel("door", gravity=(0, 0, -9.81))
    leaf = m.body("leaf", 10.0, (1.0, 2.0, 3.0), position=(0.5, 0, 1))
    low = m.add(lw.Revolute("low", m.ground.at(0, 0, 0.5), leaf.at(-0.5, 0, -0.5)))
    m.add(lw.Revolute("high", m.ground.at(0, 0, 1.5), leaf.at(-0.5, 0, 0.5)))
    m.add(lw.Driver("arm", low.angle, "t*t"))
    i = lw.inverse_dynamics(m, t_eval=[0, 0.5])
    assert "low, high" in str(i.audit)
    assert not i.places["low"].unique
    assert i["arm.torque"] == pytest.approx([2 * (3.0 + 10 * 0.25)] * 2, rel=1e-12)
    assert i["low.fz"] + i["high.fz"] == pytest.approx([98.1, 98.1], rel=1e-12)


def test_friction_adds_to_the_driving_torque():
    """A pin of radius rho that carries N needs mu rho N more torque; here N is the weight."""
    m = lw.PlanarModel("wheel", gravity=(0, -10))
    wheel = m.body("wheel", 3.0, 0.5)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "5*t"))
    m.add(lw.Friction("rub", pin, mu=0.2, radius=0.1, viscous=0.01, level=0.3, transition=1e-3))
    i = lw.inverse_dynamics(m, t_eval=[0, 1.0])
    assert i["motor.torque"] == pytest.approx([0.2 * 30 * 0.1 + 0.3 + 0.05] * 2, rel=1e-12)
    assert i["rub.torque"] == pytest.approx(-i["motor.torque"])


def test_too_few_drivers_are_named():
    """Under-actuation: what can still move, and what to do."""
    with pytest.raises(ModelError, match="not driven") as caught:
        lw.inverse_dynamics(slider_crank(driven=False), t_end=1.0)
    assert caught.value.remedy


def test_too_many_drivers_share_the_load():
    """Over-actuation: two motors on one shaft that agree; each gives half, and the audit says that this is a choice."""
    m = slider_crank()
    m.add(lw.Driver("second", m["crank"].angle, f"{np.pi / 4} + 2*pi*t"))
    one, two = lw.inverse_dynamics(slider_crank(), t_eval=[0, 0.1]), lw.inverse_dynamics(m, t_eval=[0, 0.1])
    assert two["motor.torque"] + two["second.torque"] == pytest.approx(one["motor.torque"], rel=1e-12)
    assert two["motor.torque"] == pytest.approx(two["second.torque"], rel=1e-9)
    assert two["A.fx"] == pytest.approx(one["A.fx"], rel=1e-9)  # the bearing does not care
    notes = str(two.audit)
    assert "not unique" in notes
    assert "motor, second" in notes
    assert "A," not in notes.split("not unique")[1]
