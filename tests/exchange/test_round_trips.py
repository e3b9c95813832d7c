"""Random trees written as URDF and MJCF and read again: the same machine; what a format cannot say is refused by name."""

import numpy as np
import pytest

import linkwright as lw


def random_tree(rng, kinds, count=5, offset=True):
    m = lw.SpatialModel("random tree", gravity=(0, 0, -9.81))
    bodies = [m.ground]
    for k in range(count):
        J = np.diag(rng.uniform(0.5, 1, 3)) + 0.1
        b = m.body(f"b{k}", mass=rng.uniform(0.5, 2), inertia=J, com=rng.normal(size=3), shape={"box": (0.1, 0.2, 0.3)})
        below = bodies[rng.integers(k + 1)]
        ends = [
            x.at(*(rng.normal(size=3) * (offset or x is below)), rotation=(rng.normal(size=3), rng.uniform(-3, 3)))
            for x in (below, b)
        ]
        if rng.random() < 0.3:
            ends.reverse()  # counted from the child
        j = m.add(kinds[rng.integers(len(kinds))](f"J{k}", *ends))
        if isinstance(j, lw.Revolute):
            m.add(lw.TorsionSpring(f"J{k} damping", j, c=rng.uniform(0.1, 1)))
        bodies.append(b)
    js = lw.joint_space(m)
    for name, (r, A) in js.poses(rng.uniform(-1, 1, js.nq)).items():
        m[name].guess(position=r, orientation=A)
    return m


def same_motion(a, b, rng):
    """M and h of both at one state, by the names of the joints."""
    one, two = lw.joint_space(a), lw.joint_space(b)
    assert sorted(one.names) == sorted(two.names)
    state = {name: (rng.uniform(-1, 1), rng.normal()) for name in one.names}
    M, h = [], []
    for js in (one, two):
        q, v = js.neutral(), np.zeros(js.nv)
        for k, (joint, name) in enumerate(zip(js.tree.joint, js.spanning.joints, strict=True)):
            if joint.nv == 1:
                q[js.tree.configuration()[k]], v[js.tree.speeds()[k]] = state[name]
        order = [js.names.index(n) for n in one.names]
        M.append(js.M(q)[np.ix_(order, order)])
        h.append(js.h(q, v)[order])
    np.testing.assert_allclose(M[0], M[1], rtol=0, atol=1e-12 * np.abs(M[0]).max(initial=0))
    np.testing.assert_allclose(h[0], h[1], rtol=0, atol=1e-12 * max(1, np.abs(h[0]).max(initial=0)))


@pytest.mark.parametrize("seed", range(2))
def test_urdf(tmp_path, seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, (lw.Revolute, lw.Translational, lw.Fixed))
    m.save(tmp_path / "tree.urdf")
    again = lw.load(tmp_path / "tree.urdf")
    same_motion(m, again, rng)
    assert {n: e.c for n, e in m.elements.items() if n.endswith("damping")} == {
        n: e.c for n, e in again.elements.items() if n.endswith("damping")
    }


@pytest.mark.parametrize("seed", range(2))
def test_mjcf(tmp_path, seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, (lw.Revolute, lw.Translational, lw.Fixed))
    wheel = next(e for e in m.elements.values() if isinstance(e, lw.Revolute | lw.Translational))
    m.add(lw.Inertia("rotor", wheel, 0.7))
    m.save(tmp_path / "tree.xml")
    again = lw.load(tmp_path / "tree.xml")
    same_motion(m, again, rng)
    assert again[f"{wheel.name} armature"].J == 0.7
    a, b = lw.assemble(m), lw.assemble(again)
    for name in (f"b{k}.{c}" for k in range(5) for c in "xyz"):
        assert a[name] == pytest.approx(b[name], abs=1e-9)


def test_loops_mimics_and_limits(tmp_path):
    m = lw.SpatialModel("loop", gravity=(0, 0, -9.81))
    a, b = (m.body(n, mass=1.0, inertia=(1, 1, 1), position=(x, 0, 0)) for n, x in (("a", 0.0), ("b", 2.0)))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(0, 0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(2, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Coupler("belt", {B.angle: 1, A.angle: -2}, 0.0))
    m.add(lw.Stop("ends", A.angle, -1.0, 1.0, restitution=0.0))
    for form in ("urdf", "xml"):
        m.save(tmp_path / f"m.{form}")
        again = lw.load(tmp_path / f"m.{form}")
        assert lw.check(again).dof == 1
        assert (again["A limits"].lower, again["A limits"].upper) == (-1, 1)
        again.add(lw.Driver("d", again["A"].angle, 0.25))
        assert lw.assemble(again)["B.angle"] == pytest.approx(0.5, abs=1e-12)
    m.add(lw.Spherical("ball", a.at(1, 0, 0), b.at(-1, 0, 0)))
    m.save(tmp_path / "m.xml")
    assert type(lw.load(tmp_path / "m.xml")["ball"]) is lw.Spherical
    with pytest.raises(lw.ModelError, match="it closes a loop") as caught:
        m.save(tmp_path / "m.urdf")
    assert caught.value.element == ("ball",)


@pytest.mark.parametrize(
    ("change", "element", "urdf_only"),
    [
        (lambda m, a: m.add(lw.Spring("s", m.ground.at(0, 0, 1), a.at(0, 0, 0), k=1)), "s", False),
        (lambda m, a: m.add(lw.Driver("d", m["A"].angle, "t")), "d", False),
        (lambda m, a: m.add(lw.Torque("u", m["A"], lambda s, v, t: lw.sin(s))), "u", False),
        (
            lambda m, a: m.add(lw.Cylindrical("c", a.at(0, 0, 0), m.body("b", mass=1.0, inertia=(1, 1, 1)).at(0, 0, 0))),
            "c",
            False,
        ),
        (lambda m, a: m.add(lw.TorsionSpring("k", m["A"], k=2.0)), "A", True),
        (lambda m, a: setattr(m, "gravity", (0, 0, -1.62)), "gravity", True),
    ],
)
def test_what_cannot_be_said_is_refused_by_name(tmp_path, change, element, urdf_only):
    m = lw.SpatialModel("m", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(0, 0, 0)))
    change(m, a)
    for form in ("urdf",) if urdf_only else ("urdf", "xml"):
        with pytest.raises(lw.ModelError) as caught:
            m.save(tmp_path / f"m.{form}")
        assert caught.value.element == (element,)
        assert not (tmp_path / f"m.{form}").exists()
    if urdf_only:
        m.save(tmp_path / "m.xml")
        assert lw.load(tmp_path / "m.xml").gravity == m.gravity
    with pytest.raises(lw.ModelError, match="in the plane"):
        lw.PlanarModel("p").save(tmp_path / "p.urdf")


@pytest.mark.parametrize(
    ("actuator", "joint"),
    [
        ('<motor name="a" joint="j" gear="-5"/>', ""),
        ('<motor name="a" joint="j" gear="5" ctrlrange="-1 0.2" forcerange="-2 0.1"/>', ""),
        ('<position name="a" joint="j" kp="10" dampratio="0.7" gear="3" forcerange="-1 0.5"/>', ""),
        ('<general name="a" joint="j" gainprm="2" biastype="affine" biasprm="1 2 -3" gear="-2"/>', ""),
        ('<motor name="a" joint="j" gear="100" forcerange="-1 1"/>', 'actuatorfrcrange="-7 7"'),
        ('<dcmotor name="a" joint="j" motorconst="0.4" resistance="2" inductance="0.1" armature="0.1" gear="3"/>', ""),
        ('<pid name="a" joint="j" kp="10" ki="3" kv="2" gear="2" ctrlrange="-1 0.3"/>', ""),
    ],
)
def test_actuators_come_back(tmp_path, actuator, joint):
    """Told anew, they do the same: with a signal beyond its range, and in a motion from rest."""
    one, two = tmp_path / "one.xml", tmp_path / "two.xml"
    body = f'<body name="b"><joint name="j" {joint}/><geom type="box" size="1 1 1" mass="3"/></body>'
    one.write_text(f"<mujoco><worldbody>{body}</worldbody><actuator>{actuator}</actuator></mujoco>")
    m = lw.load(one)
    m.set(ctrl_a=0.5)
    m.save(two)
    assert '<key name="start" ctrl="0.5"/>' in two.read_text()
    again = lw.load(two)
    again.set(ctrl_a=0.5)
    a, b = (lw.dynamics(x, t_end=0.3, steps=3)["j.angle"] for x in (m, again))
    np.testing.assert_allclose(a, b, rtol=1e-9)
    assert abs(a[-1]) > 1e-3


def test_weight_that_is_compensated_comes_back(tmp_path):
    m = lw.SpatialModel("m", gravity=(1, 2, -9))
    a = m.body("a", mass=2.0, inertia=(1, 1, 1), com=(0.1, 0.2, 0.3))
    m.add(lw.PointForce("lift", a.at(0.1, 0.2, 0.3), (-0.5, -1, 4.5)))
    m.save(tmp_path / "m.xml")
    again = lw.load(tmp_path / "m.xml")
    assert again["a gravcomp"].force == pytest.approx((-0.5, -1, 4.5))
    m.add(lw.PointForce("push", a.at(0, 0, 0), (-0.5, -1, 4.5)))  # it turns the body, too
    with pytest.raises(lw.ModelError) as caught:
        m.save(tmp_path / "m.xml")
    assert caught.value.element == ("push",)


def test_laws_that_no_actuator_has_are_refused(tmp_path):
    m = lw.SpatialModel("m")
    a = m.body("a", mass=1.0, inertia=(1, 1, 1))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(0, 0, 0)))
    m.parameter("ctrl_a", 1.0)
    for element in (
        lw.Motor("e", A, voltage=12.0, k=1.0, resistance=1.0),
        lw.PID("e", A, "sin(t)", kp=1.0),
        lw.Force("e", A, "ctrl_a*s"),
        lw.Force("e", A, "2*sin(t)"),
    ):
        n = m.copy()
        n.add(element)
        with pytest.raises(lw.ModelError, match="control signal") as caught:
            n.save(tmp_path / "m.xml")
        assert caught.value.element == ("e",)
    m.add(lw.Force("push", A, 3.0))  # a bias alone
    m.save(tmp_path / "m.xml")
    assert lw.dynamics(lw.load(tmp_path / "m.xml"), t_end=1.0, steps=1)["A.angle"][-1] == pytest.approx(1.5, rel=1e-7)


def test_endings_say_what_is_written_and_read(tmp_path):
    m = lw.SpatialModel("ball")
    m.body("ball", mass=1.0, inertia=(1, 1, 1))
    m.save(tmp_path / "ball.mjcf")
    assert list(lw.load(tmp_path / "ball.mjcf").bodies) == ["ground", "ball"]
    with pytest.raises(lw.ModelError, match=r"does not say what it is to be") as caught:
        m.save(tmp_path / "ball.sdf")
    assert ".urdf" in caught.value.remedy
    for name in ("robot.xacro", "robot.sdf"):
        with pytest.raises(lw.ModelError, match="is not read"):
            lw.load(tmp_path / name)
    with pytest.raises(lw.ModelError, match="t_step: 'a' is not a number"):
        m.export(tmp_path / "m.fmu", t_step="a")
