"""Lock-up, bifurcation, redundancy: found, told apart, followed."""

from math import acos, asin, pi, sqrt

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine
from planar_machines import double_pendulum, dyad, five_bar, parallelogram, slider_crank


def small(L: float, motion="t", angle=0.5) -> lw.PlanarModel:
    """Crank 1 and rod l (example 3.7.1), on the slider's right side."""
    m = dyad(L, motion)
    m["crank"].guess(angle=angle)
    m["coupler"].guess(position=(np.cos(angle) + sqrt(L**2 - np.sin(angle) ** 2), 0), angle=acos(np.sin(angle) / L))
    return m


def stopped(m, **options) -> lw.SingularityError:
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, **options)
    return caught.value


@pytest.mark.parametrize(("end", "steps"), [(1.0, 7), (1.0, 100), (pi / 6, 10), (3.0, 4), (1.0, 1)])
def test_lock_up_time(end, steps):
    # examples 3.7.1-5: l = 1/2 locks at asin(l), wherever the grid lies, also when t* is on it
    error = stopped(small(0.5, angle=0.0), t_end=end, steps=steps)
    assert error.kind == "lock-up"
    assert error.driver == "motor"
    assert error.branches == []
    assert error.time == pytest.approx(pi / 6, abs=1e-9)
    assert set(error.element) == {"O", "P", "line", "motor"}
    grid = np.linspace(0, end, steps + 1)
    np.testing.assert_array_equal(error.partial.t, grid[grid < pi / 6 - 1e-9])
    t = error.partial.t
    np.testing.assert_allclose(error.partial["coupler.x"], np.cos(t) + np.sqrt(np.cos(t) ** 2 - 0.75), rtol=1e-10)
    # the law near it: (x2 - x2*)^2 ~ 0.8660254 (t* - t)
    near = small(0.5, angle=0.0)
    k = lw.kinematics(near, t_eval=[0, pi / 6 - 1e-6])
    assert (k["coupler.x"][1] - sqrt(0.75)) ** 2 == pytest.approx(0.8660254 * 1e-6, rel=3e-3)


def test_near_miss_is_no_singularity():
    # l slightly above 1: huge accelerations, but regular
    k = lw.kinematics(small(1.000001), t_eval=sorted([*np.linspace(0.5, 2.5, 100), pi / 2]))
    np.testing.assert_allclose(k["coupler.x"], np.cos(k.t) + np.sqrt(1.000001**2 - np.sin(k.t) ** 2), rtol=1e-8, atol=1e-10)
    assert k["coupler.ax"].max() == pytest.approx(1 / sqrt(1.000001**2 - 1), rel=1e-6)


@pytest.mark.parametrize("short", [1e-4, 1e-6, 1e-8])
def test_lock_up_next_to_a_crossing(short):
    # a rod a hair too short: where l = 1 has a crossing the branches part and each turns back, at asin(l)
    error = stopped(small(1 - short), t_start=0.5, t_end=2.5, steps=100)
    assert (error.kind, error.branches) == ("lock-up", [])
    assert error.time == pytest.approx(asin(1 - short), abs=1e-9)


def pushed(motion: str, angle: float) -> lw.PlanarModel:
    """Crank 4, rod 6 (problem 3.7.1), the slider driven."""
    m = lw.PlanarModel("slider-driven")
    crank, block = m.body("crank", angle=angle), m.body("block", position=(10, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Distance("rod", crank.at(4, 0), block.at(0, 0), length=6))
    m.add(lw.Driver("push", guide.displacement, motion))
    return m


def test_turning_back_at_a_dead_point():
    # the driver stops where crank and rod are in line; the crank goes on or returns: 10 - x = 4 (1 + 4/6) phi^2/2 = (t-2)^2
    error = stopped(pushed("10 - (t - 2)**2", 1.2), t_end=4, steps=40)
    assert (error.kind, error.time) == ("bifurcation", pytest.approx(2, abs=1e-10))
    found = [[b[x] for x in ("crank.omega", "block.vx")] for b in error.branches]
    np.testing.assert_allclose(found, [[-sqrt(0.3), 0], [sqrt(0.3), 0]], atol=1e-8)


def test_starting_at_a_dead_point():
    # the driver stands there: how fast the machine leaves is told by what follows, 4 (1 + 4/6) phi^2/2 = 4 t^2/2
    error = stopped(pushed("6 + 4*cos(t)", 0.1), t_end=2, steps=10)
    found = [[b[x] for x in ("crank.omega", "crank.vx", "block.vx")] for b in error.branches]
    np.testing.assert_allclose(found, [[-sqrt(0.6), 0, 0], [sqrt(0.6), 0, 0]], atol=1e-12)


def test_branches():
    error = stopped(small(1.0), t_start=0.5, t_end=2.5, steps=100)
    assert error.kind == "bifurcation"
    assert error.time == pytest.approx(pi / 2, abs=1e-9)
    # example 3.7.1: slider branch [1, -2, -1], pendulum branch [1, 0, 1]; the present one first
    found = [[b[x] for x in ("crank.omega", "coupler.vx", "coupler.omega")] for b in error.branches]
    np.testing.assert_allclose(found, [[1, -2, -1], [1, 0, 1]], atol=1e-8)
    assert error.partial.t[-1] < pi / 2


GRIDS = {
    "beside": np.linspace(0.5, 2.5, 101),
    "on": np.linspace(0, pi, 101),
    "on and coarse": np.linspace(0, pi, 9),
    "just before and after": np.array([0.5, 1.5, *(pi / 2 + np.array([-1e-6, -1e-8, -1e-9, 0, 1e-9, 1e-8, 1e-6, 1e-4])), 2]),
}


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("branch", [0, 1])
def test_following_a_branch(grid, branch):
    t = GRIDS[grid]
    k = lw.kinematics(small(1.0, angle=t[0]), t_eval=t, branch=branch)
    np.testing.assert_array_equal(k.t, t)  # every time is there, the bifurcation's too
    assert k.audit.notes == [f"t = {pi / 2:.9g}: branch {branch} of 2 followed"]
    before = t < pi / 2
    x = np.where(before | (branch == 0), 2 * np.cos(t), 0.0)
    v = np.where(before | (branch == 0), -2 * np.sin(t), 0.0)
    a = np.where(before | (branch == 0), -2 * np.cos(t), 0.0)
    # Rounding grows by 1/e from positions to velocities to accelerations at a distance e from the point
    np.testing.assert_allclose(k["coupler.x"], x, atol=1e-9)
    np.testing.assert_allclose(k["coupler.vx"], v, atol=1e-7)
    far = np.abs(t - pi / 2) > 1e-5
    np.testing.assert_allclose(k["coupler.ax"][far], a[far], atol=1e-6)
    np.testing.assert_allclose(k["coupler.ax"][~far], a[~far], atol=1e-2)
    phi2 = np.where(before | (branch == 0), pi / 2 - t, t - pi / 2)
    np.testing.assert_allclose(k["coupler.angle"], phi2, atol=1e-9)


def test_acceleration_at_the_bifurcation():
    # nonuniform drive through it: x2 = 2 cos f(t), with f' = 1.5, f'' = 1 at t = 1
    k = lw.kinematics(small(1.0, "pi/2 + 1.5*(t - 1) + 0.5*(t - 1)**2", angle=pi / 2 - 1), t_eval=[0, 0.5, 1, 1.5], branch=0)
    assert k["coupler.vx"][2] == pytest.approx(-3, abs=1e-9)
    assert k["coupler.ax"][2] == pytest.approx(-2, abs=1e-8)
    assert k["coupler.alpha"][2] == pytest.approx(-1, abs=1e-8)
    pendulum = lw.kinematics(
        small(1.0, "pi/2 + 1.5*(t - 1) + 0.5*(t - 1)**2", angle=pi / 2 - 1), t_eval=[0, 0.5, 1, 1.5], branch=1
    )
    assert pendulum["coupler.alpha"][2] == pytest.approx(1, abs=1e-8)
    assert pendulum["coupler.ax"][2] == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e4])
def test_branches_at_any_speed(speed):
    m = small(1.0, f"0.5 + {speed}*t")
    error = stopped(m, t_end=2 / speed, steps=10)
    assert error.time == pytest.approx((pi / 2 - 0.5) / speed, rel=1e-9)
    found = np.array([[b[x] for x in ("crank.omega", "coupler.vx", "coupler.omega")] for b in error.branches]) / speed
    np.testing.assert_allclose(found, [[1, -2, -1], [1, 0, 1]], atol=1e-8)


def test_starting_at_a_bifurcation():
    m = small(1.0, "pi/2 + t", angle=pi / 2)
    error = stopped(m, t_end=1, steps=10)
    assert error.kind == "bifurcation"
    assert error.time == 0
    assert error.partial is None
    assert len(error.branches) == 2
    ends = set()
    for branch in (0, 1):
        k = lw.kinematics(m, t_end=1, steps=10, branch=branch)
        assert len(k.t) == 11
        assert k["coupler.x"][0] == pytest.approx(0, abs=1e-12)
        ends.add(round(k["coupler.x"][-1], 9))
    assert ends == {0.0, round(2 * np.cos(pi / 2 + 1), 9)}


def test_unknown_branch():
    with pytest.raises(lw.ModelError, match="no branch 2"):
        lw.kinematics(small(1.0), t_start=0.5, t_end=2, steps=10, branch=2)


def test_determinant_signs():
    # problem 3.7.4: along a branch the determinant changes its sign; a silent change of branch would not show in it
    def determinant(t, x, phi):
        machine = Machine(small(1.0, angle=0.5), 0.0)
        close(machine, 0.5)
        q = np.array([0, 0, t, x, 0, phi])
        Phi, J = machine.Phi_and_J(q, t)
        assert np.abs(Phi).max() < 1e-12
        return np.linalg.det(J)

    low, high = np.radians([85, 95])
    slider = [determinant(t, 2 * np.cos(t), pi / 2 - t) for t in (low, high)]
    pendulum = [determinant(t, 0, t - pi / 2) for t in (low, high)]
    np.testing.assert_allclose(np.abs(slider), 0.087155742747658, rtol=1e-12)
    np.testing.assert_allclose(pendulum, [slider[1], slider[0]], rtol=1e-12)
    assert slider[0] * slider[1] < 0


@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01])
@pytest.mark.parametrize("steps", [3, 10, 100])
def test_no_silent_jump(offset, steps):
    # a grid time just behind the bifurcation: both branches are near the predicted point
    t = np.linspace(0.5, pi / 2 + offset, steps + 1)
    t = np.append(t, 2.5)
    error = stopped(small(1.0), t_eval=t)
    assert error.kind == "bifurcation"
    assert error.time == pytest.approx(pi / 2, abs=1e-9)


def test_lock_up_at_the_ends_of_the_stroke():
    # problems 3.7.1-2: crank 4, rod 6, the slider driven; singular where crank and rod are in line
    for motion, angle in (("8 + t", 0.8), ("4 - t", 1.9)):
        m = slider_crank(4.0, 6.0, None)
        m["crank"].guess(angle=angle, position=(0, 0))
        m["rod"].guess(position=(5, 1.5), angle=-0.5)
        m.add(lw.Driver("push", m["D"].displacement, motion))
        error = stopped(m, t_end=3, steps=30)
        assert error.kind == "lock-up"
        assert error.time == pytest.approx(2, abs=1e-9)
        if motion == "8 + t":
            k = lw.kinematics(m, t_eval=[0, 1.99])
            np.testing.assert_allclose(k["crank.angle"][0], 0.812755561369, rtol=1e-10)
            np.testing.assert_allclose(k["crank.omega"], [-0.225924028529, -2.74032652244], rtol=1e-9)
            assert k["crank.alpha"][0] == pytest.approx(-0.0348747805943, rel=1e-8)


@pytest.mark.parametrize("steps", [3, 7, 40, 300])
def test_double_pendulum_locks(steps):
    # example 3.6.2 run on: t = 2, phi1 = 2 pi, phi2 = 3 pi/2
    error = stopped(double_pendulum(), t_end=3, steps=steps)
    assert error.kind == "lock-up"
    assert error.time == pytest.approx(2, abs=1e-9)
    if steps == 300:
        assert error.partial.t[-1] == pytest.approx(1.99)
        assert error.partial["b2.omega"][-1] == pytest.approx(-5.123285821503, rel=1e-9)
        k = lw.kinematics(double_pendulum(), t_eval=[0, 1.999])
        assert k["b2.omega"][-1] == pytest.approx(-16.1823324906, rel=1e-9)


def test_rack_locks():
    # example 3.4.2 with x1 decreasing: lock-up at x1 = 0.2
    m = lw.PlanarModel("rack and pinion")
    rack, pinion = m.body("rack", position=(0.8, 0), angle=-0.25), m.body("pinion")
    m.add(lw.Revolute("centre", m.ground.at(0, 0), pinion.at(0, 0)))
    m.add(lw.Constraint("on axis", rack.y))
    m.add(lw.RackPinion("mesh", rack.frame((-1, 0), (-2, 0)), pinion.at(0, 0), 0.2))
    m.add(lw.Driver("push", rack.x, "0.8 - 0.3*t"))
    error = stopped(m, t_end=3, steps=50)
    assert error.kind == "lock-up"
    assert error.time == pytest.approx(2, abs=1e-9)


def test_design_at_a_lock_up():
    # example 3.7.6: at phi1 = pi/6 a rod of 0.51 closes in two ways, one of 0.49 in none
    found = lw.assemblies(small_fixed(0.51))
    x = sorted({round(c["coupler.x"], 9) for c in found})
    np.testing.assert_allclose(x, [0.7655266475732, 0.9665241599956], atol=1e-9)
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(small_fixed(0.49))
    assert caught.value.feasible is False


def small_fixed(L):
    m = dyad(L, "pi/6")
    m["crank"].guess(angle=pi / 6)
    m["coupler"].guess(position=(0.9, 0), angle=0.2)
    return m


# -- five-bar: redundancy, bifurcation, lock-up ----------------------------------------------------------------------


def test_five_bar_branches():
    error = stopped(five_bar(1.0), t_start=0.5, t_end=2.5, steps=100)
    assert error.kind == "bifurcation"
    assert error.time == pytest.approx(pi / 2, abs=1e-9)
    # the third bar goes on with the others, or back
    np.testing.assert_allclose([b["b3.omega"] for b in error.branches], [1, -1], atol=1e-8)
    for branch, end in ((0, 2.5), (1, pi - 2.5)):
        k = lw.kinematics(five_bar(1.0), t_start=0.5, t_end=2.5, steps=100, branch=branch)
        assert k["b3.angle"][-1] == pytest.approx(end, abs=1e-9)


def test_five_bar_lock_up():
    error = stopped(five_bar(0.9), t_start=0.5, t_end=2.5, steps=100)
    assert error.kind == "lock-up"
    assert error.time == pytest.approx(asin(0.9), abs=1e-9)


def test_five_bar_with_a_redundant_joint_has_no_branches():
    # six revolutes: the joint too many forbids the other branch. The equations chosen at the start degenerate at pi/2
    k = lw.kinematics(five_bar(1.0, "pin"), t_start=0.5, t_end=5.5, steps=200)
    for body in ("b1", "b2", "b3"):
        np.testing.assert_allclose(k[f"{body}.angle"], k.t, atol=1e-9)
    np.testing.assert_allclose(k["bar.ax"], -np.cos(k.t), atol=1e-8)
    assert k.audit.position_error < 1e-10
    # flat at the start, rank lower by one more, but one way to go
    k = lw.kinematics(five_bar(1.0, "pin", start=0.0), t_end=1, steps=10)
    np.testing.assert_allclose(k["b3.angle"], k.t, atol=1e-9)
    np.testing.assert_allclose(k["bar.x"], np.cos(k.t), atol=1e-9)


def test_flat_parallelogram_branches():
    # cranks and coupler in line at phi = pi: parallelogram and antiparallelogram meet
    m = parallelogram(2.5).without("AB")
    m["b3"].guess(position=(2, 0))
    m = lw.PlanarModel("parallelogram")
    b1, b2, b3 = m.body("b1", angle=2.5), m.body("b2", position=(-0.8, 0.6)), m.body("b3", position=(2, 0), angle=2.5)
    m.add(lw.Revolute("O1", m.ground.at(0, 0), b1.at(0, 0)))
    m.add(lw.Revolute("O3", m.ground.at(2, 0), b3.at(0, 0)))
    m.add(lw.Revolute("P", b1.at(1, 0), b2.at(0, 0)))
    m.add(lw.Revolute("Q", b3.at(1, 0), b2.at(2, 0)))
    m.add(lw.Driver("motor", b1.angle, "2.5 + t"))
    error = stopped(m, t_end=1, steps=20)
    assert error.kind == "bifurcation"
    assert error.time == pytest.approx(pi - 2.5, abs=1e-9)
    # cranks 1, coupler and ground 2, at phi = pi: b3 turns with b1, or the other way by (2 - 1)/(2 + 1)
    rates = [b["b3.omega"] for b in error.branches]
    assert rates[0] == pytest.approx(1, abs=1e-8)
    assert rates[1] == pytest.approx(-1 / 3, abs=1e-8) or rates[1] == pytest.approx(-3, abs=1e-8)
    for branch in (0, 1):
        k = lw.kinematics(m, t_end=1, steps=20, branch=branch)
        after = k.t > pi - 2.5 + 0.01
        same = np.abs(k["b3.angle"] - k["b1.angle"]) < 1e-9
        assert same[after].all() if branch == 0 else not same[after].any()


# -- an equation whose row vanishes ------------------------------------------------------------------------------------


def driven_by_its_cosine(f):
    """cos phi = f(t): the row of the driver vanishes at phi = pi, rows beside it are as long as ever."""
    m = lw.PlanarModel("cosine")
    b = m.body("b", angle=0.5)
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(0, 0)))
    m.add(lw.Driver("drive", lw.cos(b.angle), f))
    return m


@pytest.mark.parametrize(
    "t",
    [np.linspace(0.5, 4, 8), np.linspace(0.5, 4, 72), np.linspace(0.5, 4, 1201), [0.5, 3, pi, 4], [0.5, 3, pi + 1e-6, 4],
     [0.5, 3, *(pi + 1e-9 * np.arange(-5, 6)), 4], [0.5, 3, *(pi + 1e-7 * np.arange(-4.5, 5)), 4]],
)  # fmt: skip
def test_a_row_that_vanishes(t):
    error = stopped(driven_by_its_cosine("cos(t)"), t_start=0.5, t_eval=t)
    assert error.kind == "bifurcation"
    assert error.time == pytest.approx(pi, abs=1e-9)
    np.testing.assert_allclose([b["b.omega"] for b in error.branches], [1, -1], atol=1e-8)
    assert (error.partial["b.angle"] <= pi).all()
    np.testing.assert_allclose(error.partial["b.angle"], error.partial.t, atol=1e-8)
    for branch, end in ((0, 4.0), (1, 2 * pi - 4.0)):
        k = lw.kinematics(driven_by_its_cosine("cos(t)"), t_start=0.5, t_eval=t, branch=branch)
        assert k["b.angle"][-1] == pytest.approx(end, abs=1e-9)
        np.testing.assert_array_equal(k.t, t)


def test_a_row_that_vanishes_with_the_motion_locked():
    error = stopped(driven_by_its_cosine("cos(0.5) + 0.1*t"), t_end=4, steps=70)
    assert error.kind == "lock-up"
    assert error.time == pytest.approx((1 - np.cos(0.5)) / 0.1, abs=1e-9)
    # slowly, or fast, it is the same
    for speed in (1e-4, 1e3):
        error = stopped(driven_by_its_cosine(f"cos(0.5 + {speed}*t)"), t_end=4 / speed, steps=50)
        assert error.kind == "bifurcation"
        assert error.time == pytest.approx((pi - 0.5) / speed, rel=1e-9)
