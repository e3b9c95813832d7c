"""All analyses of a machine begin in one configuration, whatever its size: that which `assemble` finds."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.assembly.start import initial_velocity
from linkwright.analyses.machine.machine import Machine
from linkwright.solve import rank
from linkwright.solve.least_change import least_change
from looped_runs import chain, rope

NEWTON = 1e-10  # relative to the largest coordinate: Newton's method ends when steps are shorter, or by rounding


def loops(n, dimension=2):
    """A row of four-bars, driven at the first where `dimension` is 2; in space on spheres and a universal joint."""
    m = lw.PlanarModel("loops", gravity=(0, -9.81)) if dimension == 2 else lw.SpatialModel("loops", gravity=(0, 0, -9.81))
    lift = (0.0,) * (dimension - 2)
    inertia = 0.1 if dimension == 2 else (0.1, 0.1, 0.1)
    for k in range(n):
        x = 3.0 * k
        a = m.body(f"a{k}", 1.0, inertia, position=(x, 0.5, *lift))
        b = m.body(f"b{k}", 1.0, inertia, position=(x + 0.5, 1.0, *lift))
        c = m.body(f"c{k}", 1.0, inertia, position=(x + 1.0, 0.5, *lift))
        kind = lw.Revolute if dimension == 2 else lw.Spherical
        m.add(lw.Revolute(f"A{k}", m.ground.at(x, 0, *lift), a.at(0, -0.5, *lift)))
        m.add(kind(f"B{k}", a.at(0, 0.5, *lift), b.at(-0.5, 0, *lift)))
        m.add(kind(f"C{k}", b.at(0.5, 0, *lift), c.at(0, 0.5, *lift)))
        m.add(lw.Revolute(f"D{k}", m.ground.at(x + 1.0, 0, *lift), c.at(0, -0.5, *lift)))
    return m


def shaken(m, size, seed=0):
    """Estimates that are off by about `size` metres and radians, some of which count more."""
    rng = np.random.default_rng(seed)
    for k, b in enumerate(b for b in m.bodies.values() if not b.is_ground):
        place = np.array([m.value(x) for x in b.estimate.position]) + size * rng.normal(size=m.dimension)
        turn = {"angle": m.value(b.estimate.rotation) + size * rng.normal()} if m.dimension == 2 else {}
        if m.dimension == 3:
            turn = {"orientation": (tuple(rng.normal(size=3)), size)}
        b.guess(position=tuple(place), weight=10.0 ** (k % 3), **turn)
    return m


def knotted(m):
    m.fix(m["b3"].angle if m.dimension == 2 else m["J3"].angle, 0.4)
    m.fix(lw.distance(m.ground.at(*[0.0] * m.dimension), m["b7"].at(*[0.1] * m.dimension)), 6.5)
    return m


def apart(one, other):
    names = [c for c in one.channels if c in other.channels]
    assert len(names) > 100
    size = 1 + max(abs(float(one[c])) for c in names)
    return max(abs(float(one[c]) - float(np.ravel(other[c])[0])) for c in names) / size


@pytest.mark.parametrize(
    "machine",
    [
        lambda: shaken(rope(60), 0.1),
        lambda: shaken(chain(60), 0.3, seed=1),
        lambda: shaken(loops(20), 0.2),
        lambda: shaken(loops(20, dimension=3), 0.2),
        lambda: knotted(shaken(rope(60), 0.1)),
        lambda: knotted(shaken(chain(60), 0.1)),
        lambda: shaken(rope(1000), 0.1),
    ],
    ids=["rope", "chain", "loops", "loops in space", "fixed", "fixed in space", "a thousand"],
)
def test_dynamics_begins_where_the_machine_is_assembled(machine):
    m = machine()
    assert apart(lw.assemble(m), lw.dynamics(m, 1e-9, 1)) < NEWTON


def test_motions_and_equilibria_begin_there_too():
    """A driven row of four-bars: no freedom is left, and what is driven says where everything is."""
    m = shaken(loops(20), 0.2)
    for k in range(20):
        m.add(lw.Driver(f"M{k}", m[f"A{k}"].angle, f"0.3 + {1 + k} * t"))
    c = lw.assemble(m)
    assert apart(c, lw.kinematics(m, t_end=1e-3, steps=1)) < NEWTON
    assert apart(c, lw.dynamics(m, 1e-9, 1)) < NEWTON
    assert apart(c, lw.equilibrium(m)) < NEWTON  # driven: it stays there


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_sparse_and_dense_factors_find_the_same(monkeypatch, dimension, seed):
    """Random machines below the size from which on matrices are sparse, and as if they were beyond."""
    m = shaken(loops(3, dimension) if seed % 2 else (rope(6) if dimension == 2 else chain(6)), 0.15, seed)
    found = []
    for large in (10**6, 0):
        monkeypatch.setattr(size_policy, "SPARSE", large)
        machine = Machine(m)
        assert rank.is_sparse(machine.rows_at(machine.estimate(), 0.0)[1]) == (large == 0)
        found.append(lw.assemble(m).q)
        v = np.random.default_rng(seed).normal(size=machine.nv) * np.array([k % 4 == 0 for k in range(machine.nv)])
        found.append(initial_velocity(machine, found[0], 0.0, v, {})[0])
    assert np.abs(found[0] - found[2]).max() < 1e-9  # Newton's tolerance, 1e-10 of a length of some metres
    assert np.abs(found[1] - found[3]).max() < 1e-8  # the proximal iteration ends at 1e-14 of dependent velocities


def test_least_change_by_both_ways():
    """Ordered least squares: rows that depend on each other, some numbers that count before the others."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(2)
    C = rng.normal(size=(3, 8))
    C = np.vstack([C, C[0] - C[1]])
    target, first = rng.normal(size=8), np.arange(8) < 3
    c, weight, scale = C @ rng.normal(size=8), rng.uniform(0.5, 2.0, 8), rng.uniform(0.5, 2.0, 8)
    dense, sparse = (least_change(x, c, target, weight, first, scale) for x in (C, csr_array(C)))
    assert C @ dense == pytest.approx(c, abs=1e-12)
    # five numbers are left free by three equations: those that count first are met exactly
    assert dense[first] == pytest.approx(target[first], abs=1e-12)
    assert sparse == pytest.approx(dense, abs=1e-10)


def test_nothing_is_estimated():
    """All bodies of a long chain at the origin: they are laid out along the joints."""
    m = rope(80)
    for b in m.bodies.values():
        if not b.is_ground:
            b.guess(position=(0.0, 0.0))
    c = lw.assemble(m)
    assert c.audit.position_error < 1e-9
    assert any("estimates are at fault" in note for note in c.audit.notes)
    assert apart(c, lw.dynamics(m, 1e-9, 1)) < NEWTON


@pytest.mark.parametrize("large", [10**9, 1])
def test_turns_are_kept_where_an_event_changes_positions(monkeypatch, large):
    """A shaft that has turned three times when it is moved along its axis: at 20 rad/s its angle goes on as 20 t."""
    monkeypatch.setattr(size_policy, "LOOPED", large)
    m = lw.SpatialModel("shaft", gravity=(0, 0, 0))
    b = m.body("b", 1.0, (0.1, 0.1, 0.1), omega=(0, 0, 20.0))
    m.add(lw.Cylindrical("A", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.TorsionSpring("coil", m["A"].angle, k=0.0))
    moved = lw.Watch(m["A"].angle - 20.0, change=lambda s: {"b.z": 0.5})
    d = lw.dynamics(m, t_eval=[0.0, 0.5, 1.5], events={"moved": moved}, rtol=1e-10)
    assert d.events[0][0] == pytest.approx(1.0, abs=1e-9)
    assert d["A.angle"] == pytest.approx([0.0, 10.0, 30.0], abs=1e-6)
    assert d["b.z"] == pytest.approx([0.0, 0.0, 0.5], abs=1e-9)
