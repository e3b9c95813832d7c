"""`lw.equations(m, rows=...)`: the rows and right-hand sides by Euler parameters as Haug, Nikravesh and ME751 print them."""

import numpy as np
import pytest
from spatial_setting import State, close
from textbook_constraints import HAUG, body_columns, me751, numbers_of

import linkwright as lw
from linkwright.equations import rotations
from linkwright.errors import ModelError

# the state of the table of test vectors in `test_basic_constraints`, in rational numbers
I = State(*map(np.array, ([0.1, -0.2, 0.3], [0.8, 0.2, 0.4, 0.4], [0.5, -1, 0.25], [1, -0.5, 2])))  # noqa: E741
J = State(*map(np.array, ([1, 0.5, -0.4], np.array([2, 4, -5, 6]) / 9, [-0.3, 0.7, 1.1], [-0.6, 0.9, 0.4])))
DATA = {k: np.array(x) for k, x in {
    "ai": [1, 2, -1], "aj": [0.5, -1, 2], "si": [0.2, -0.1, 0.3], "sj": [-0.4, 0.6, 0.1], "c": [0.3, -0.7, 0.2], "C": 1.5,
}.items()}  # fmt: skip


def two_bodies(i, j, data):
    """ME751's four basic constraints, and the spherical joint, between two bodies."""
    m = lw.SpatialModel("pair")
    one, two = (
        m.body(name, 1.0, (1, 1, 1), position=b.r, orientation=b.p, velocity=b.rd, omega=b.w)
        for name, b in (("i", i), ("j", j))
    )
    P, Q = one.at(*data["si"]), two.at(*data["sj"])
    m.add(lw.DP1("d1", one.vector(*data["ai"]), two.vector(*data["aj"])))
    m.add(lw.DP2("d2", one.vector(*data["ai"]), P, Q))
    m.add(lw.D("ss", P, Q, float(data["C"]) ** 2))
    m.add(lw.CD("cd", data["c"], P, Q))
    m.add(lw.Spherical("s", P, Q))
    return m


def cases():
    rng = np.random.default_rng(3)
    yield I, J, DATA
    for _ in range(2):
        yield State.random(rng), State.random(rng), {k: rng.normal(size=np.shape(x)) for k, x in DATA.items()}


NAMES = {"d1": ["d1"], "d2": ["d2"], "ss": ["ss"], "cd": ["cd"], "s": ["s.x", "s.y", "s.z"]}


@pytest.mark.parametrize("text", ["nikravesh", "me751"])
def test_rows_by_b_of_p(text):
    """Phi_p = a_j^T B(p_i, a_i') and its like, gamma by B(pdot, s) pdot: the oracle writes them out by hand."""
    for i, j, data in cases():
        at = lw.equations(two_bodies(i, j, data), rows=text).at()
        for name, (by_i, by_j, gamma) in me751(numbers_of(i, j, data)).items():
            rows = np.array([at.Phi_q[row] for row in NAMES[name]])
            close(rows[:, 3:7], np.atleast_2d(by_i))
            close(rows[:, 10:14], np.atleast_2d(by_j))
            close([at.gamma[row] for row in NAMES[name]], np.atleast_1d(gamma))


def test_rows_of_haug():
    """Phi_p = 2 Phi_pi' G (9.6.6), and gamma is that of virtual rotations (Table 9.4.1, 9.6.20 and on)."""
    for i, j, data in cases():
        x = numbers_of(i, j, data)
        at = lw.equations(two_bodies(i, j, data), rows="haug").at()
        for name, names in NAMES.items():
            _, by_rotations, gamma = HAUG[name](x)
            body = body_columns(by_rotations, x)
            G = [2 * np.asarray(rotations.G(b.p), dtype=float) for b in (i, j)]
            expected = np.hstack([body[:, :3], body[:, 3:6] @ G[0], body[:, 6:9], body[:, 9:] @ G[1]])
            close([at.Phi_q[row] for row in names], expected)
            close([at.gamma[row] for row in names], np.atleast_1d(gamma))
        close(at.gamma, np.asarray(at.gamma_sharp))
        p = np.zeros((14, 2))
        p[3:7, 0], p[10:14, 1] = i.p, j.p
        close(np.asarray(at.Phi_q) @ p, np.zeros((len(at.Phi), 2)))


def test_published_numbers():
    """DP1 at the rational state: gamma# = -44.2575802469, gamma of ME751 -28.0878395062, rows to all printed digits."""
    m = two_bodies(I, J, DATA)
    at = {text: lw.equations(m, rows=text).at() for text in ("polynomial", "haug", "nikravesh")}
    assert at["nikravesh"].gamma["d1"] == pytest.approx(-44.2575802469 + 0.25 * (5.25 + 1.33) * 2 * 4.91481481481, abs=1e-9)
    assert at["nikravesh"].gamma["d1"] == pytest.approx(-28.0878395062, abs=1e-9)
    assert at["haug"].gamma["d1"] == pytest.approx(-44.2575802469, abs=1e-9)
    assert at["nikravesh"].Phi_q["d1"][3:7] == pytest.approx(
        [-9.92592592593, 2.8962962963, -3.24444444444, -2.92592592593], abs=1e-10
    )
    assert at["haug"].Phi_q["d1"][3:7] == pytest.approx(
        [-2.06222222222, 4.86222222222, 0.687407407407, 1.00592592593], abs=1e-10
    )
    # rows of all texts act alike on what keeps p.p = 1
    for x in at.values():
        qdot = np.concatenate([I.rd, I.pd, J.rd, J.pd])
        close(np.asarray(x.Phi_q) @ qdot, np.asarray(x.Phi_rotation) @ x.v)


@pytest.mark.parametrize("formulation", ["euler-parameters", "mixed"])
def test_motion_and_multipliers_are_the_same_with_every_text(formulation):
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    bar = m.body("bar", 2.0, (0.02, 0.03, 0.025), com=(0.1, 0.3, -0.2), omega=(1.0, 2.0, 3.0), position=(-0.2, 0, 0))
    m.add(lw.Universal("cross", m.ground.at(0, 0, 0), bar.at(0.2, 0, 0, rotation=((1, 0, 0), np.pi / 2))))
    found = [lw.equations(m, formulation, rows=text).at() for text in ("polynomial", "haug", "me751")]
    for x in found[1:]:
        close(x.accelerations(), found[0].accelerations())
        close(x.multipliers(), np.asarray(found[0].multipliers()))


def test_curves_angles_and_couplings_too():
    """Whatever a row is made of: Phi_q = 2 Phi_pi' G + (Phi_p p) p^T for each text, gamma = gamma# - sum w^2 Phi_p p / 4."""
    m = lw.SpatialModel("mixed bag")
    a = m.body("a", 1.0, (1, 1, 1), position=(0.1, 0.2, 0.3), orientation=(0.8, 0.2, 0.4, 0.4), omega=(1, -2, 0.5))
    b = m.body("b", 1.0, (1, 1, 1), position=(1, 0.1, -0.4), orientation=(0.5, -0.5, 0.1, 0.7), omega=(0.3, 1, 2))
    pin = m.add(lw.Revolute("pin", a.at(0.1, 0, 0), b.at(0, 0.2, 0)))
    m.add(lw.Coupler("couple", {pin.angle: 1, a.x: 2}))
    m.add(lw.Constraint("e1", a.e1 * b.x, 0.1))
    m.add(lw.PointFollower("follow", b.at(0, 0, 0.1), a.curve(lw.Curve.parametric(lw.cos, lw.sin, lambda u: 0.2 * u))))
    for text in ("polynomial", "haug", "me751"):
        e = lw.equations(m, rows=text)
        at = e.at()
        T, shift, Phi_q = np.asarray(at.Phi_rotation) @ at._N, np.zeros(len(at.Phi)), np.asarray(at.Phi_q)
        for at_q, at_v in e.machine.system.coordinates.body_slices().values():
            p, w = at.q[at_q][3:], at.v[at_v][3:]
            along_p = Phi_q[:, at_q][:, 3:] @ p
            T[:, at_q.start + 3 : at_q.stop] += np.outer(along_p, p)
            shift += 0.25 * (w @ w) * along_p
        close(Phi_q, T)
        close(at.gamma, np.asarray(at.gamma_sharp) - shift)


def test_the_plane_has_one_kind_and_errors_tell():
    m = lw.PlanarModel("bar")
    bar = m.body("bar", 1.0, 1.0, omega=2.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(1, 0)))
    rows = [np.asarray(lw.equations(m, rows=text).at().Phi_q) for text in ("polynomial", "haug", "nikravesh", "me751")]
    assert all((x == rows[0]).all() for x in rows)
    with pytest.raises(ModelError, match="no rows 'nikravish'") as caught:
        lw.equations(m, rows="nikravish")
    assert "nikravesh" in caught.value.remedy
