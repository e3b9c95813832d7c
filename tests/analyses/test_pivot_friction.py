"""Friction in joints that turn about a point: spherical, constant-velocity and universal."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.dynamics.whole.charts import motion_jacobian
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.compile import Code, Pointers, native
from linkwright.equations import forces
from linkwright.system.motion import Flow

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
# z axes along y of the ground: half way round the diagonal of y and z
ALONG_Y, ALONG_X = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)), (0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5))


def hung(kind, omega=(0.0, 2.0, 0.0), com=0.3, inertia=(0.5, 0.4, 0.3), gravity=(0, 0, -10), **friction):
    """A body of 3 kg under a joint of the kind, its mass centre `com` metres below."""
    m = lw.SpatialModel("hung", gravity=gravity)
    body = m.body("body", 3.0, inertia, com=(0, 0, -com), omega=omega)
    axes = {"Revolute": (ALONG_Y, ALONG_Y), "Universal": (ALONG_Y, ALONG_X)}.get(kind, ((1, 0, 0, 0), (1, 0, 0, 0)))
    P, Q = (b.at(0, 0, 0, rotation=r) for b, r in zip((m.ground, body), axes, strict=True))
    m.add(getattr(lw, kind)("joint", P, Q))
    m.add(lw.Friction("rub", "joint", **{"mu": 0.2, "radius": 0.1, "stick": False, **friction}))
    return m


def vector(d, name, channels):
    return np.array([d[f"{name}.{c}"] for c in channels]).T


def test_a_ball_on_its_bearing_slows_down():
    """A sphere that spins about its centre: |omega|' = -mu N r/I, in a direction that stays."""
    m = hung("Spherical", (1.0, 2.0, 2.0), com=0.0, inertia=(0.5, 0.5, 0.5), transition=1e-6)
    d = lw.dynamics(m, t_eval=[0, 1.0, 2.0], **TIGHT)
    slope = 0.2 * 30 * 0.1 / 0.5
    assert vector(d, "body", ("wx", "wy", "wz")) == pytest.approx(
        np.outer(1 - slope * d.t / 3, (1, 2, 2)), rel=1e-9
    )  # the tolerance of the run
    torque = vector(d, "rub", ("tx", "ty", "tz"))
    assert np.linalg.norm(torque, axis=1) == pytest.approx(0.2 * 30 * 0.1, rel=1e-12)
    assert d.energy.work[-1] == pytest.approx(0.25 * (0.6**2 - 3**2), rel=1e-9)


def test_viscous_friction_and_a_level_need_no_radius():
    """omega' = -(level + c omega)/I: omega = (omega_0 + level/c) exp(-c t/I) - level/c."""
    m = hung("Spherical", (0, 0, 3.0), inertia=(0.5,) * 3, mu=0.0, radius=None, level=0.3, viscous=0.2, transition=1e-6)
    d = lw.dynamics(m, t_eval=[0, 1.0], **TIGHT)
    assert d["body.wz"][1] == pytest.approx(4.5 * np.exp(-0.2 / 0.5) - 1.5, rel=1e-9)


@pytest.fixture(scope="module")
def pin():
    return lw.dynamics(hung("Revolute"), t_end=1.0, steps=5, **TIGHT)


@pytest.mark.parametrize("kind", ["Spherical", "ConstantVelocity", "Universal"])
def test_in_a_plane_it_is_a_pin(kind, pin):
    """A pendulum swings about y: motion, reactions and friction are those on a pin of the same radius. 1e-8: two runs."""
    d = lw.dynamics(hung(kind), t_end=1.0, steps=5, **TIGHT)
    for name in ("body.x", "body.e2", "body.wy", "body.alphay", "joint.fx", "joint.fz"):
        assert d[name] == pytest.approx(pin[name], abs=1e-8 * (1 + np.abs(pin[name]).max())), name
    assert d.energy.work == pytest.approx(pin.energy.work, abs=1e-8)
    own = d["rub.torque_i" if kind == "Universal" else "rub.ty"]
    assert own == pytest.approx(pin["rub.torque"], abs=1e-8)
    assert np.abs(own).min() > 0.1


@pytest.mark.parametrize("kind", ["Spherical", "ConstantVelocity", "Universal"])
def test_it_takes_energy_whatever_the_motion(kind):
    """The power of friction is negative at every time; its work is what energy the machine loses."""
    d = lw.dynamics(hung(kind, (1.5, 2.0, 0.0), mu_static=0.3, viscous=0.02), t_end=1.5, steps=30, **TIGHT)
    A = np.array([rotation(e) for e in vector(d, "body", ("e0", "e1", "e2", "e3"))])
    omega = np.einsum("tij,tj->ti", A, vector(d, "body", ("wx", "wy", "wz")))
    N = np.linalg.norm(vector(d, "joint", ("fx", "fy", "fz")), axis=1)
    if kind == "Universal":
        rates = np.stack([omega[:, 1], np.einsum("ti,ti->t", A[:, :, 0], omega)], axis=1)  # about y and the body's x
        power = vector(d, "rub", ("torque_i", "torque_j")) * rates
        expected = -forces_law(rates, N[:, None]) * rates
    else:
        power = np.einsum("ti,ti->t", vector(d, "rub", ("tx", "ty", "tz")), omega)
        speed = np.linalg.norm(omega, axis=1)
        expected = -forces_law(speed, N) * speed
    assert power == pytest.approx(expected, rel=1e-8)
    assert (power < 0).all()
    assert (np.diff(d.energy.work) < 0).all()
    assert d.audit.energy_error < 1e-9
    assert d.audit.notes == []


def forces_law(v, N, v_t=1e-3):
    """The law of the page of friction, with the numbers of the test above."""
    return (0.2 + 0.1 * np.exp(-((v / (10 * v_t)) ** 2))) * N * 0.1 * np.tanh(v / v_t) + 0.02 * v


def rotation(e):
    e0, e1, e2, e3 = e
    return 2 * np.array([
        [e0**2 + e1**2 - 0.5, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
        [e1 * e2 + e0 * e3, e0**2 + e2**2 - 0.5, e2 * e3 - e0 * e1],
        [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0**2 + e3**2 - 0.5],
    ])  # fmt: skip


def test_a_ball_sticks_below_its_friction_at_rest():
    """A torque of the part p of mu N r creeps at v_t artanh(p) along itself; the body hardly turns meanwhile."""
    v_t, torque = 1e-4, np.array([0.2, 0.1, 0.2])
    m = hung("Spherical", (0, 0, 0), com=0.0, inertia=(0.5,) * 3, transition=v_t)
    m.add(lw.Torque("load", m["body"], tuple(torque)))
    d = lw.dynamics(m, t_eval=[0, 0.1, 1.0])
    creep = v_t * np.arctanh(0.3 / 0.6) * torque / 0.3
    # stiff: an explicit method at the edge of its stability leaves some 1e-9 of these speeds of 2e-5 and more
    assert vector(d, "body", ("wx", "wy", "wz"))[1:] == pytest.approx(np.array([creep] * 2), rel=1e-3)
    assert vector(d, "rub", ("tx", "ty", "tz"))[1:] == pytest.approx(np.array([-torque] * 2), rel=1e-3)


def test_the_pins_of_a_cross_stick_on_their_own():
    """A torque beyond the friction about one arm, below it about the other: one turns, the other creeps."""
    v_t = 1e-4
    m = hung("Universal", (0, 0, 0), com=0.0, inertia=(0.5,) * 3, transition=v_t)
    m.add(lw.Torque("load", m["body"], (0.3, 1.1, 0.0)))  # about the second arm x, and about the first, y
    d = lw.dynamics(m, t_eval=[0, 0.02])
    assert d["body.wy"][1] == pytest.approx((1.1 - 0.6) / 0.5 * 0.02, rel=1e-2)  # less what the start took
    assert d["rub.torque_i"][1] == pytest.approx(-0.6, rel=1e-9)
    assert d["rub.torque_j"][1] == pytest.approx(-0.3, rel=1e-3)
    assert abs(d["body.wx"][1]) < v_t


@pytest.fixture(scope="module")
def run_of_chain():
    return lw.dynamics(chain(), t_end=0.1, steps=2)


@pytest.mark.parametrize("formulation", ["kane", "joint"])
def test_formulations_agree(formulation, run_of_chain):
    """Two bodies, a ball and a cross, whose frictions change each other's reactions; 1e-10 of the largest."""
    other = lw.dynamics(chain(), t_eval=[0, 1e-3], formulation=formulation)
    accelerations = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
    names = [f"{body}.{c}" for body in ("upper", "lower") for c in accelerations]
    for name in (*names, "rub.tx", "hook.torque_i", "hook.torque_j"):
        base = run_of_chain[name][0]
        assert other[name][0] == pytest.approx(base, abs=1e-10 * (1 + abs(base))), name


def chain():
    m = lw.SpatialModel("chain", gravity=(0, 0, -10))
    upper = m.body("upper", 2.0, (0.2, 0.3, 0.1), position=(0, 0, -0.5), omega=(1.0, -2.0, 0.5))
    lower = m.body("lower", 1.0, (0.1, 0.1, 0.05), position=(0, 0, -1.5), velocity=(1.0, 0.5, 0), omega=(-1.0, 1.0, 2.0))
    m.add(lw.Spherical("ball", m.ground.at(0, 0, 0), upper.at(0, 0, 0.5)))
    m.add(lw.Universal("cross", upper.at(0, 0, -0.5, rotation=ALONG_Y), lower.at(0, 0, 0.5, rotation=ALONG_X)))
    m.add(lw.Friction("rub", "ball", mu=0.3, radius=0.2, mu_static=0.4, stick=False))
    m.add(lw.Friction("hook", "cross", mu=0.2, radius=0.1, level=0.1, stick=False))
    return m


def test_generalized_alpha_takes_it(run_of_chain):
    """Of order two: as the other methods do, to the tolerance of its steps."""
    d = lw.dynamics(chain(), t_end=0.1, steps=2, method="generalized-alpha", rtol=1e-6)
    for name in ("upper.wx", "lower.wy", "lower.x"):
        assert d[name] == pytest.approx(run_of_chain[name], abs=1e-3), name


@pytest.mark.parametrize("speed", [0.0, 0.02])
def test_derivative_of_the_motion_of_a_ball(speed):
    """Exact against differences, also at rest, where the direction of the motion is none."""
    machine = LoadedMachine(hung("Spherical", transition=0.05, mu_static=0.3, viscous=0.1))
    q = close(machine, 0.0).q
    flow = Flow(machine.system, machine.kept_rows(q, 0.0)[0].tolist())
    y = np.concatenate([q, [0, 0, 0], speed * np.array([1, -2, 0.5]), machine.turns, [0.0]])
    inputs = [np.array([0.0]), y, machine.b, np.zeros(0), np.zeros(len(flow.flags.symbols)), np.zeros(0)]
    J = np.empty(len(y) ** 2)
    call(motion_jacobian(flow), inputs, [J])
    h = 1e-6
    for k, column in enumerate(J.reshape(len(y), -1).T):
        e = h * np.eye(len(y))[k]
        forth, back = (flow.motion(inputs[0], y + s * e, *inputs[2:])[0] for s in (1, -1))
        # differences of a law that bends within 0.05: h^2 times its third derivative, 1/0.05^3
        assert column == pytest.approx((forth - back) / (2 * h), abs=1e-7 * (1 + np.abs(column).max())), k


@native
def call(f: Code, ins: Pointers, outs: Pointers) -> None:
    f(ins, outs)


@pytest.mark.parametrize("kind", ["Revolute", "Spherical", "Universal"])
def test_small_motions_are_damped_by_the_viscous_part(kind):
    """A pendulum of 3 kg, 0.3 m below its joint: J s^2 + c s + m g h = 0 about each of its axes; mu has no part in it."""
    modes = lw.linearize(hung(kind, (0, 0, 0), viscous=0.2))
    found = sorted((s for s in modes.eigenvalues if s.imag > 1e-6), key=lambda s: s.imag)
    J = {"Revolute": [0.4], "Universal": [0.5, 0.4]}.get(kind, [0.5, 0.4])
    expected = [np.roots([x + 3 * 0.3**2, 0.2, 3 * 10 * 0.3])[0] for x in J]
    assert [abs(s.real) for s in found] == pytest.approx([abs(s.real) for s in expected], rel=1e-9)
    assert [s.imag for s in found] == pytest.approx([abs(s.imag) for s in expected], rel=1e-9)


def test_drivers_of_the_angles_of_a_cross_give_torques():
    """At constant speeds about both arms from the straight position each driver holds the friction of its own pin."""
    m = hung("Universal", com=0.0)
    for name, angle, speed in (("one", m["joint"].angle_i, 0.2), ("two", m["joint"].angle_j, -0.1)):
        m.add(lw.Driver(name, angle, f"{speed}*t"))
    i = lw.inverse_dynamics(m, t_eval=[0.0])
    assert [i["one.torque"][0], i["two.torque"][0]] == pytest.approx([0.6, -0.6], rel=1e-3)  # less gyroscopic torques
    assert [i["rub.torque_i"][0], i["rub.torque_j"][0]] == pytest.approx([-0.6, 0.6], rel=1e-9)


def test_drag_is_friction_over_speed():
    """At rest its limit; elsewhere the law divided by the speed."""
    law = (7.0, 0.3, 0.5, 0.2, 0.1, 1e-3)
    assert forces.drag(0.0, *law) == pytest.approx((0.5 * 7 + 0.2) / 1e-3 + 0.1, rel=1e-14)
    for v in (1e-9, 1e-3, 0.1, 3.0):
        assert forces.drag(v * v, *law) == pytest.approx(forces.friction(v, *law) / v, rel=1e-12)


def test_a_file_holds_it(tmp_path, run_of_chain):
    """Saved and loaded it is the same model with the same forces."""
    chain().save(tmp_path / "chain.yaml")
    loaded = lw.load(tmp_path / "chain.yaml")
    assert loaded == chain()
    assert "joint: cross" in (tmp_path / "chain.yaml").read_text()
    assert lw.dynamics(loaded, t_end=0.1, steps=2)["hook.torque_i"] == pytest.approx(
        run_of_chain["hook.torque_i"], rel=1e-12
    )


def test_what_is_refused():
    with pytest.raises(lw.ModelError, match="needs the radius of its pin") as error:
        hung("Spherical", radius=None)
    assert error.value.element == ("rub",)
    m = hung("Spherical")
    body = m["body"]
    other = m.body("other", 1.0, (1, 1, 1))
    m.add(lw.Distance("rod", body.at(0, 0, 0), other.at(0, 0, 1), 1.0))
    with pytest.raises(lw.ModelError, match=r"'rod' \(Distance\) has no coordinate") as error:
        m.add(lw.Friction("more", "rod", mu=0.1, stick=False))
    assert "spherical, universal" in error.value.remedy


@pytest.mark.parametrize("radius", [0.3, 0.5])
@pytest.mark.parametrize("turning", [1.0, -1.0])
def test_strong_friction_agrees_with_the_reaction_it_makes(radius, turning):
    """A ball joint beside the mass centre, mu r times the leverage m l/(I + m l^2) up to 0.28: the balance of forces of the
    body, m (a - g), is the reaction; mu r times it is the torque; it is what the balance of moments needs."""
    m = lw.SpatialModel("arm", gravity=(0, 0, -9.81))
    b = m.body("b", 2.0, (0.3, 0.3, 0.3), position=(0.1, 0, 0), velocity=(0, 0, -0.1 * turning), omega=(0, turning, 0))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), b.at(-0.1, 0, 0)))
    m.add(lw.Friction("f", "S", mu=0.9, radius=radius, stick=False))
    d = lw.dynamics(m, 1e-3, 1)
    F = 2.0 * np.stack([d["b.ax"], d["b.ay"], d["b.az"] + 9.81])
    np.testing.assert_allclose([d["S.fx"], d["S.fy"], d["S.fz"]], F, atol=1e-11)
    np.testing.assert_allclose(d["f.ty"], -turning * 0.9 * radius * np.linalg.norm(F, axis=0), rtol=1e-12)
    np.testing.assert_allclose(0.3 * d["b.alphay"], d["f.ty"] + 0.1 * d["S.fz"], atol=1e-4)  # turned by 1 mrad
    assert d.audit.notes == []


def test_coasting_under_friction_is_no_trouble():
    """Without gravity there are no forces to compare with but inertia: rounding is not told as disagreement."""
    d = lw.dynamics(hung("Universal", omega=(1.0, 2.0, 0.0), gravity=(0, 0, 0)), 0.3, 6)
    assert d.energy.kinetic[-1] < 0.99 * d.energy.kinetic[0]
    assert d.audit.notes == []


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_methods_of_second_order_refuse_friction_by_reactions_that_are_not_unique(method):
    """A door on two hinges: 5 conditions too many. The other methods take the smallest reactions; these would share them as
    their steps have it, so that the door came to rest sooner or later. On one hinge they agree with the others."""

    def door(hinges):
        m = lw.SpatialModel("door", gravity=(0, 0, -9.81))
        leaf = m.body("leaf", mass=20.0, inertia=(5.0, 5.0, 4.0), position=(0.5, 0, 0), omega=(0, 0, 2.0))
        for k in range(hinges):
            z = k - 0.5 * (hinges - 1)
            m.add(lw.Revolute(f"H{k}", m.ground.at(0, 0, z), leaf.at(-0.5, 0, z)))
        m.add(lw.Friction("rub", "H0", mu=0.2, radius=0.02, stick=False))
        return m

    with pytest.raises(lw.ModelError, match="friction in joints that have such is not determined") as caught:
        lw.dynamics(door(2), t_end=0.5, steps=2, method=method)
    assert caught.value.element == ("rub",)
    assert lw.dynamics(door(2), t_end=0.5, steps=2)["leaf.wz"][-1] < 2.0
    slowed = [lw.dynamics(door(1), t_end=0.5, steps=2, **o)["leaf.wz"][-1] for o in ({}, {"method": method, "rtol": 1e-6})]
    assert slowed[1] == pytest.approx(slowed[0], rel=1e-4)  # of order two
