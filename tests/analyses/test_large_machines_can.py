"""The table of what dynamics can, on a machine beyond the size from which on machines run in loops: nothing is refused for
the number of bodies, and the motion is that of the machine compiled as a whole."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from looped_runs import chain, rope

LIMIT = 4  # bodies, in place of the size policy's 50: the same code, and compiled in a second


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", LIMIT)


def moving(d):
    """Places and speeds of all bodies at the end."""
    names = [c for c in d.channels if c.rpartition(".")[2] in ("x", "y", "z", "angle", "vx", "vy", "vz", "omega", "wx")]
    return np.array([d[c][-1] for c in names if not c.startswith("J")])


@pytest.fixture(scope="module")
def motions():
    """Of both machines compiled as a whole, once: errors of 1e-10 a step."""
    found, known = {}, size_policy.LOOPED
    size_policy.LOOPED = 10**9
    try:
        for n, m in ((2, rope(5)), (3, chain(5))):
            found[n] = moving(lw.dynamics(m, 0.1, 2, rtol=1e-10))
    finally:
        size_policy.LOOPED = known
    return found


WAYS = [
    *[{"formulation": f} for f in ("newton-euler", "joint", "auto", "kane", "euler-parameters", "mixed")],
    *[{"constraints": c} for c in ("projection", "partitioning", "stabilization", "direct", "hybrid", "augmented")],
    *[{"method": m} for m in ("dopri5", "dop853", "adams", "radau")],
    {"method": "rk4", "first_step": 1e-3},
    *[{"method": m, "constraints": c} for m in ("generalized-alpha", "hht") for c in ("ggl", "index-3")],
]


@pytest.mark.parametrize("options", WAYS, ids=lambda o: "-".join(map(str, o.values())))
@pytest.mark.parametrize("n", [2, 3])
def test_every_way_leads_to_the_motion(n, options, motions):
    """To 1e-8 a step, in tens of steps; methods of order two to 1e-4 a step."""
    second = options.get("method") in ("generalized-alpha", "hht")
    d = lw.dynamics(rope(5) if n == 2 else chain(5), 0.1, 2, rtol=1e-4 if second else 1e-8, **options)
    assert "loops" in d.audit.why  # compiled in loops, or why not
    assert np.abs(moving(d) - motions[n]).max() < (1e-2 if second else 1e-6)


def laden(kind, n=5):
    """A rope with what is to be shown."""
    m = rope(n)
    last = m[f"b{n - 1}"]
    if kind == "a law in plain Python":
        m.add(lw.Force("brake", last.y, lambda s, v, t: -0.2 * v if v > 0 else -0.4 * v))
    elif kind == "friction in dependent joints":
        pins = [m["J1"], m.add(lw.Revolute("again", m["b0"].at(0.5, 0), m["b1"].at(-0.5, 0)))]
        for k, pin in enumerate(pins):
            m.add(lw.Friction(f"f{k}", pin, mu=0.3, radius=0.05, transition=0.2, stick=False))
    elif kind == "friction that sticks":
        m.add(lw.Friction("rub", m["J0"], level=0.5))
    elif kind == "a contact that rests":
        m.add(lw.Contact("floor", last.at(0.5, 0), m.ground.at(0, -0.02, angle=0), restitution=0.0))
    elif kind == "a curve":
        rail = lw.Curve.parametric(lambda s: s, lambda s: 0.1 * s * s, start=-9.0, end=9.0)
        bead = m.body("bead", 1.0, 0.1, position=(0.5, 1.0))
        m.add(lw.PointFollower("on", bead.at(0, 0), m.ground.curve(rail, at=(0, 1)), estimate=0.5))
    elif kind == "a motor with a state":
        m.add(lw.Motor("motor", m["J0"].angle, voltage=6.0, k=0.5, resistance=1.0, inductance=0.1))
    elif kind == "a law that switches":
        m.add(lw.Force("net", last.y, lambda s: lw.where(s < -0.01, -500.0 * (s + 0.01), 0.0)))
    return m


KINDS = [
    "a law in plain Python", "friction in dependent joints", "friction that sticks", "a contact that rests", "a curve",
    "a motor with a state", "a law that switches",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:the law of")
def test_every_kind_of_machine(kind, monkeypatch):
    """With events of an acceleration and of a reaction, at the same times as of the machine as a whole."""
    options = {"t_end": 0.15, "steps": 2, "rtol": 1e-9, "events": {"slow": "b1.ay + 9", "torn": "J0.fy - 2"}}
    d = lw.dynamics(laden(kind), **options)
    assert "loops" in d.audit.why
    monkeypatch.setattr(size_policy, "LOOPED", 10**9)
    whole = lw.dynamics(laden(kind), **options)
    assert "loops" not in whole.audit.why
    assert [name for _, name in d.events] == [name for _, name in whole.events]
    assert [t for t, _ in d.events] == pytest.approx([t for t, _ in whole.events], abs=1e-6)
    assert np.abs(moving(d) - moving(whole)).max() < 1e-6
    assert d.audit.energy_error < 1e-6
    residual = max(np.abs(x).max() for x in d.imbalance.values())
    assert residual < 1e-6 * max(np.abs(d["J0.fy"]).max(), 1.0)  # every body is in balance
