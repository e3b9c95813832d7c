"""What a `CD` between two bodies exerts: its direction is fixed in ground, which takes the couple of the two forces."""

import numpy as np
import pytest

import linkwright as lw
from looped_runs import simulated, span

C = np.array([0.6, 0.8, 0.0])


def rafts(n: int) -> tuple[lw.Model, lw.Body]:
    """Two bodies that nothing but the CD holds, its ends away from their origins and mass centres."""
    if n == 2:
        m = lw.PlanarModel("rafts", gravity=(0, -9.81))
        more = [{"inertia": 0.1, "angle": 0.4}, {"inertia": 0.3, "angle": -0.7, "velocity": (1.0, 0.5)}]
    else:
        m = lw.SpatialModel("rafts", gravity=(0, -9.81, 0))
        more = [{"inertia": (1, 2, 3), "orientation": ((1, 2, 3), 0.4)}, {"inertia": (2, 3, 4), "omega": (1, 2, -1)}]
    a = m.body("a", mass=1.0, com=(0.2, 0.1, 0.3)[:n], **more[0])
    b = m.body("b", mass=2.0, position=(1.0, 0.5, -0.3)[:n], **more[1])
    m.add(lw.CD("level", tuple(C[:n]), a.at(*(0.3, -0.2, 0.1)[:n]), b.at(*(-0.1, 0.4, 0.2)[:n]), f="0.8 + 0.1*sin(t)"))
    m.add(lw.PointForce("lift", b.at(*(0.0,) * n), (0.0, 9.0, 0.0)[:n]))
    return m, a


def moment(arm: np.ndarray, F: np.ndarray) -> np.ndarray:
    full = [np.hstack([x, np.zeros((len(x), 3 - x.shape[1]))]) for x in (arm, F)]
    return np.cross(*full)[:, 2:] if arm.shape[1] == 2 else np.cross(*full)


@pytest.mark.parametrize("n", [2, 3])
def test_each_body_moves_as_its_force_says(n: int, tmp_path) -> None:
    m, a = rafts(n)
    d = lw.dynamics(m, t_end=0.3, steps=3)
    d.save(tmp_path / "run.nc")
    for x in (d, lw.load_result(tmp_path / "run.nc"), simulated(m, span(0.3, 3))):
        P, Q = (np.stack([d[lw.component(p, c)] for c in "xyz"[:n]], axis=1) for p in (m["level"].P, m["level"].Q))
        names = ("fx", "fy", "fz")[:n], ("tx", "ty", "tz") if n == 3 else ("torque",)
        told = {body: x.reaction("level", on=body, at=(0.0,) * n) for body in ("a", "b", "ground")}
        F, T = ({k: np.stack([r[c] for c in own], axis=1) for k, r in told.items()} for own in names)
        # the mass centre of a is moved by its weight and this force alone
        acceleration = np.stack([d[lw.component(a.at(*(0.2, 0.1, 0.3)[:n]), f"a{c}")] for c in "xyz"[:n]], axis=1)
        assert F["a"] == pytest.approx(acceleration - np.array(m.gravity), abs=1e-8)
        assert F["b"] == pytest.approx(-F["a"], abs=1e-8)
        assert F["ground"] == pytest.approx(0.0 * F["a"])
        for body, point in (("a", P), ("b", Q)):  # a force at its end, and no torque there
            assert T[body] == pytest.approx(moment(point, F[body]), abs=1e-7)
        assert sum(T.values()) == pytest.approx(0.0 * T["a"], abs=1e-7)
    assert np.abs(T["ground"]).max() > 0.1
    assert "couple" in str(d.reaction("level", on="a"))


def test_with_ground_at_one_end_ground_takes_all() -> None:
    m = lw.PlanarModel("float", gravity=(0, -9.81))
    raft = m.body("raft", mass=2.0, inertia=0.1, position=(1.0, 0.5))
    m.add(lw.CD("level", (0, 1), raft.at(0, 0), m.ground.at(0, 0), f=-0.5))
    d = lw.dynamics(m, t_end=0.1, steps=1)
    assert d.reaction("level", on="raft")["fy"] == pytest.approx(2 * 9.81)
    assert d.reaction("level", on="ground", at=(0, 0))["torque"] == pytest.approx(-2 * 9.81)  # the force at (1, 0.5)
    assert d.reaction("level", on="raft", at=raft.at(0, 0))["torque"] == pytest.approx(0.0, abs=1e-12)


def test_the_place_on_the_first_body_may_be_made_of_parameters() -> None:
    """Two machines of one structure, each with its own values; no torque at the place where the force acts."""
    for arm in (0.1, 0.4):
        m = lw.PlanarModel("arms", gravity=(0, -9.81))
        at = m.parameter("at", arm)
        a, b = m.body("a", mass=1, inertia=0.1), m.body("b", mass=2, inertia=0.1, position=(1, 0.5))
        m.add(lw.CD("level", (0, 1), a.at(at, 0), b.at(0, 0), f=0.5))
        m.add(lw.PointForce("lift", b.at(0, 0), (0, 9.0)))
        told = lw.dynamics(m, t_end=0.1, steps=1)
        m.set(at=0.2)  # of no consequence to a result that is there
        r = told.reaction("level", on="a", at=(arm, 0.0))
        assert abs(r["fy"][0]) > 1
        assert r["torque"][0] == pytest.approx(0.0, abs=1e-12)
