"""Elements beside the joints themselves, in joint coordinates and by Kane: the same motion as with all multipliers.

Tolerance 1e-9 of the largest value of a channel's kind (lengths, forces, ...): runs at rtol 1e-11 over a tenth of a second,
whose local errors differ.
"""

import numpy as np
import pytest

import linkwright as lw

ALONG_Y = ((1, 0, 0), np.pi / 2)  # the z axis of a frame turned into -y
ALONG_X = ((0, 1, 0), np.pi / 2)
KINDS = {
    "length": "x y z displacement", "velocity": "vx vy vz", "rate": "wx wy wz omega", "acceleration": "ax ay az",
    "angular acceleration": "alphax alphay alphaz alpha", "force": "fx fy fz force", "torque": "tx ty tz torque",
}  # fmt: skip


def kind(channel):
    last = channel.rpartition(".")[2]
    return next((k for k, names in KINDS.items() if last in names.split()), channel)


def agree(make, t_end=0.1):
    told = {"t_eval": [0.0, 0.5 * t_end, t_end], "rtol": 1e-11, "atol": 1e-13}
    base = lw.dynamics(make(), **told)
    sizes = {}
    for c in base.channels:
        sizes[kind(c)] = max(sizes.get(kind(c), 1e-3), np.abs(base[c]).max())  # 1e-3: zero but for rounding
    for formulation in ("joint", "kane"):
        run = lw.dynamics(make(), formulation=formulation, **told)
        assert run.audit.formulation == formulation
        assert list(run.channels) == list(base.channels)
        for c in base.channels:
            assert np.abs(run[c] - base[c]).max() < 1e-9 * sizes[kind(c)], (formulation, c)
        assert run.audit.energy_error < 1e-9
    return base


def arm():
    """Two bars in space on pins along y, mass centres off the origins."""
    m = lw.SpatialModel("arm", gravity=(0.3, 0.2, -9.81))
    before, off = m.ground, (0, 0, 0)
    for k in range(2):
        b = m.body(
            f"b{k}", 1 + 0.2 * k, (0.1, 0.2, 0.15), com=(0.05, 0.02, 0.03), position=(0.5 + k, 0, 0), omega=(0, -1.0, 0)
        )
        m.add(lw.Revolute(f"J{k}", before.at(*off, rotation=ALONG_Y), b.at(-0.5, 0, 0, rotation=ALONG_Y)))
        before, off = b, (0.5, 0, 0)
    return m


def bushing():
    m = arm()
    tip = m.body("tip", 1.0, (0.1, 0.2, 0.3), position=(2.5, 0, 0), omega=(1, 0.5, -0.3))
    m.add(
        lw.Bushing("soft", m["b1"].at(0.5, 0, 0), tip.at(-0.5, 0, 0), (500, 400, 300, 20, 30, 40), (5, 4, 3, 0.2, 0.3, 0.4))
    )
    return m


def bead_on_a_moving_rail():
    m = arm()
    rail = lw.Curve.parametric("alpha", "0.2*sin(3*alpha)", "0.1*alpha*alpha", start=-3, end=3, closed=False)
    bead = m.body("bead", 1.0, (0.1, 0.1, 0.1), position=(1.7, 0.1, 0))
    m.add(lw.PointFollower("bead on rail", bead.at(0.1, 0, 0), m["b1"].curve(rail), estimate=0.3))
    return m


def bevel_gears():
    """Many turns a second, so that whole turns count."""
    m = lw.SpatialModel("bevel", gravity=(0, 1, -9.81))
    a = m.body("a", 1.0, (0.1, 0.1, 0.2), com=(0.1, 0, 0), omega=(0, 0, 40.0))
    b = m.body("b", 1.0, (0.1, 0.1, 0.2), com=(0, 0.05, 0), position=(1, 0, 1), orientation=ALONG_X)
    m.add(lw.Revolute("A", a.at(0, 0, 0), m.ground.at(0, 0, 0)))
    m.add(lw.Revolute("B", m.ground.at(1, 0, 1, rotation=ALONG_X), b.at(0, 0, 0)))
    m.add(lw.Gear("gears", a.at(0, 0, 0), b.at(0, 0, 0), radii=(1, 1)))
    return m


def rack():
    m = lw.SpatialModel("rack", gravity=(1, -9.81, 0))
    rack = m.body("rack", 1.0, (0.1, 0.1, 0.1))
    pinion = m.body("pinion", 1.0, (0.1, 0.1, 0.1), position=(0.2, 0.3, 0), omega=(0, 0, 30.0))
    m.add(lw.Translational("guide", rack.at(0, 0, 0, rotation=ALONG_X), m.ground.at(0, 0, 0, rotation=ALONG_X)))
    m.add(lw.Revolute("pin", pinion.at(0, 0, 0), m.ground.at(0.2, 0.3, 0)))
    m.add(lw.RackPinion("teeth", rack.at(0, 0, 0), pinion.at(0, 0, 0), 0.3))
    return m


def tyre():
    m = lw.SpatialModel("wheel")
    frame = m.body("frame", 30.0, (5, 6, 7), position=(0, 0, 0.3), velocity=(10, 0.5, 0))
    wheel = m.body("wheel", 15.0, (0.5, 0.9, 0.5), position=(0, 0, 0.3), velocity=(10, 0.5, 0), omega=(0, 33, 0))
    m.add(lw.Revolute("hub", frame.at(0, 0, 0, rotation=ALONG_Y), wheel.at(0, 0, 0, rotation=ALONG_Y)))
    m.add(lw.Tyre("tyre", wheel.at(0, 0, 0, rotation=ALONG_Y), radius=0.31, k=2e4, c=1e2, cornering=3e3))
    return m


def basic_constraints():
    """Bodies that no joint of a tree carries."""
    m = lw.SpatialModel("basic", gravity=(1, 2, -9.81))
    a = m.body("a", 1.0, (0.1, 0.2, 0.3), position=(1, 0, 0))
    b = m.body("b", 2.0, (0.1, 0.2, 0.3), position=(2, 1, 0))
    m.add(lw.DP1("turn", a.vector(1, 0, 0), m.ground.vector(0, 1, 0), f="0.1*sin(t)"))
    m.add(lw.DP2("level", a.vector(0, 0, 1), a.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.D("rod", a.at(0, 0, 0.1), b.at(0, 0.2, 0), f=1 + 1.2**2 + 0.1**2))
    m.add(lw.CD("lift", (0, 0, 1), m.ground.at(0, 0, 0), b.at(0, 0, 0), f="0.1*t"))
    m.add(lw.Constraint("product", a.x * b.y, 1.0))
    return m


def antiparallel_slide_with_a_cross():
    """A slide assembled upside down is no joint of the tree; what hangs on it is."""
    m = lw.SpatialModel("upside down", gravity=(1, -9.81, 2))
    a = m.body("a", 1.0, (0.1, 0.2, 0.3), com=(0.1, 0.2, 0.1), orientation=((1, 0, 0), np.pi))
    b = m.body("b", 1.0, (0.1, 0.2, 0.3), position=(1.5, 0, 0))
    m.add(lw.Translational("slide", a.at(0, 0, 0), m.ground.at(0, 0, 0)))
    m.add(lw.Universal("cross", a.at(0.5, 0, 0), b.at(-1, 0, 0, rotation=ALONG_Y)))
    return m


def massless_rod():
    """Between a crank and a slide in space."""
    m = lw.SpatialModel("massless rod")
    P, Q = np.array([0, 0.1, 0.2]), np.array([1.0, 0, 0])
    length = float(np.linalg.norm(Q - P))
    across = np.cross([1.0, 0, 0], Q - P)
    turn = (across, float(np.arcsin(np.linalg.norm(across) / length)))
    crank = m.body("crank", 1.0, (0.1, 0.1, 0.1), omega=(5, 0, 0))
    rod = m.body("rod", position=(P + Q) / 2, orientation=turn)
    block = m.body("block", 1.0, (0.1, 0.1, 0.1), position=Q)
    m.add(lw.Revolute("pin", m.ground.at(0, 0, 0, rotation=ALONG_X), crank.at(0, 0, 0, rotation=ALONG_X)))
    m.add(lw.Translational("slide", m.ground.at(0, 0, 0, rotation=ALONG_X), block.at(0, 0, 0, rotation=ALONG_X)))
    m.add(lw.Spherical("ball", crank.at(*P), rod.at(-length / 2, 0, 0)))
    m.add(lw.Universal("cross", block.at(0, 0, 0), rod.at(length / 2, 0, 0, rotation=ALONG_Y)))
    return m


@pytest.mark.parametrize(
    "make",
    [
        bushing, bead_on_a_moving_rail, bevel_gears, rack, tyre, basic_constraints, antiparallel_slide_with_a_cross,
        massless_rod,
    ],
)  # fmt: skip
def test_the_same_in_joint_coordinates_and_by_kane(make):
    agree(make)
