"""What was traced is kept on disk: a new process traces and compiles nothing and gives the same numbers, bit for bit.

Run as a program, this file answers questions about the machines below and prints what each answer took, and a digest of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent.parent))

import benchmark_machines
import linkwright as lw
from linkwright.analyses.machine import kept
from linkwright.compile import cache, function
from linkwright.examples import EXAMPLES
from linkwright.system import System, snapshots
from linkwright.system.mechanics import Mechanics

SHORT = {"t_end": 0.03, "steps": 10}
MACHINES = (
    "slider-crank", "four-bar", "quick-return", "valve-lifter", "spatial-slider-crank", "governor", "jansen", "bicycle",
    "bouncing-ball", "latch", "gear-slider",
)  # fmt: skip


def four_bar(r: float = 0.3, gravity: float = -9.81, law=lambda a, w, t: -0.1 * w, drop: bool = False) -> lw.Model:
    m = lw.PlanarModel("bar", gravity=(0, gravity))
    length = m.parameter("r", r)
    crank = m.body("crank", mass=1.0, inertia=0.02, position=(0.1, 0.1), angle=0.9)
    rod = m.body("rod", mass=2.0, inertia=0.02, position=(0.6, 0.4), angle=0.2)
    rocker = m.body("rocker", mass=1.5, inertia=0.02, position=(0.9, 0.3), angle=1.2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-length / 2, 0)))
    m.add(lw.Revolute("B", crank.at(length / 2, 0), rod.at(-0.4, 0)))
    m.add(lw.Revolute("C", rod.at(0.4, 0), rocker.at(0.3, 0)))
    m.add(lw.Revolute("D", m.ground.at(0.8, 0), rocker.at(-0.3, 0)))
    m.add(lw.Force("drag", m["A"].angle, law))
    return m.without("C") if drop else m


def rubbing() -> lw.Model:
    """Friction, a stop without stiffness and one with, and a cable that is slack at times."""
    m = lw.PlanarModel("rubbing", gravity=(0, -9.81))
    bob = m.body("bob", mass=1.0, inertia=0.1, position=(1, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-1, 0)))
    m.add(lw.Friction("dry", "pin", mu=0.2, radius=0.05, stick=False))
    m.add(lw.Stop("floor", pin.angle, lower=-0.002, k=0, restitution=0.6))
    m.add(lw.Stop("soft", pin.angle, lower=-0.5, k=1e4, c=10.0))
    m.add(lw.Spring("cable", m.ground.at(2, 0), bob.at(0, 0), force="where(l > 1.001, 50 * (l - 1.001), 0)"))
    return m


def motor() -> lw.Model:
    """A state beside the mechanics: the current of a motor on a pendulum."""
    m = lw.PlanarModel("motor", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.5, 0)))
    current = m.state("current", lambda i, t: (24 - 0.5 * pin.omega - 2 * i) / 0.1, start=0.0)
    m.add(lw.Torque("drive", pin, lambda a, w, t: 0.5 * current))
    return m


def screw() -> lw.Model:
    """Turns are counted, a gear finds its phase, a motion is tabulated."""
    m = lw.SpatialModel("screw", gravity=(0, 0, -9.81))
    shaft = m.body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.05), position=(0, 0, 0))
    nut = m.body("nut", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.2))
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    m.add(lw.Screw("thread", shaft.at(0, 0, 0), nut.at(0, 0, -0.2), pitch=0.01))
    m.add(lw.ParallelAxes("no turn", m.ground.at(0, 0, 0), nut.at(0, 0, 0)))
    m.add(lw.Revolute("axle", m.ground.at(0.3, 0, 0), wheel.at(0, 0, 0)))
    m.add(lw.Gear("mesh", shaft.at(0, 0, 0), wheel.at(0, 0, 0), radii=(0.1, 0.2)))
    m.add(lw.Driver("motor", pin.angle, lw.Table([0.0, 0.5, 1.0, 2.0], [0.0, 1.0, 3.0, 9.0])))
    return m


def questions() -> dict[str, object]:
    """Each gives an answer."""
    out: dict[str, object] = {}
    for name in MACHINES:
        example = EXAMPLES[name]
        for analysis in ("dynamics", "inverse_dynamics", "kinematics") if example.analysis != "dynamics" else ("dynamics",):
            out[f"{name}: {analysis}"] = lambda e=example, a=analysis: getattr(lw, a)(e.load(), **SHORT)
        out[f"{name}: assemble"] = lambda e=example: lw.assemble(e.load())
    for make in (benchmark_machines.bricard, benchmark_machines.flyball, benchmark_machines.squeezer):
        out[make.__name__] = lambda make=make: lw.dynamics(make(), **SHORT)
    bar = {
        "joint": {"formulation": "joint"}, "kane": {"formulation": "kane"}, "stiff": {"method": "radau"},
        "second order": {"method": "generalized-alpha"}, "partitioned": {"constraints": "partitioning"},
        "stabilised": {"constraints": "stabilization"}, "watched": {"events": {"speed": "crank.omega", "pull": "A.fx"}},
    }  # fmt: skip
    for name, options in bar.items():
        out[f"four-bar, {name}"] = lambda options=options: lw.dynamics(four_bar(), **SHORT, **options)
    out["rubbing"] = lambda: lw.dynamics(rubbing(), **SHORT)
    out["equilibrium"] = lambda: lw.equilibrium(four_bar())
    out["motor"] = lambda: lw.dynamics(motor(), **SHORT)
    out["screw"] = lambda: lw.dynamics(screw(), **SHORT)
    out["many points"] = lambda: lw.kinematics(EXAMPLES["four-bar"].load(), t_end=1.0, steps=2000)
    return out


def digest(answer) -> str:
    h = hashlib.sha256()
    for name in sorted(answer):
        h.update(name.encode() + np.ascontiguousarray(answer[name]).tobytes())
    return h.hexdigest()


def main() -> None:
    found = {}
    for name, ask in questions().items():
        answer = ask()
        found[name] = [answer.audit.trace_seconds, answer.audit.compile_seconds, digest(answer)]
    print(json.dumps(found))


def process(folder: Path) -> dict[str, list]:
    """The answers of a new process with this cache."""
    environment = {**os.environ, "LINKWRIGHT_CACHE": str(folder)}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_new_process_traces_and_compiles_nothing(tmp_path):
    first, second = process(tmp_path), process(tmp_path)
    assert {name: took for name, (*took, _) in second.items() if took != [0, 0]} == {}
    assert {name for name in first if first[name][2] != second[name][2]} == set()
    # nothing is there before the first one; its questions share functions, so not all of them trace
    assert sum(trace for trace, *_ in first.values()) > 0
    assert sum(seconds for _, seconds, _ in first.values()) > 0


# -- in one process: a snapshot is what is left when everything that was kept in memory is forgotten ---------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of this test alone, with snapshots in it."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "code"))
    monkeypatch.setattr(snapshots, "ENABLED", True)
    monkeypatch.setattr(kept, "_KEPT", {})
    return tmp_path / "code"


def anew(m: lw.Model, **options) -> lw.Result:
    """The answer of a process that knows only what is on disk."""
    kept._KEPT.clear()
    function._LOADED.clear()
    return lw.dynamics(m, **{**SHORT, **options})


def entries(folder: Path) -> set[Path]:
    return set(folder.glob("*.o")) if folder.exists() else set()


def snapshot(m: lw.Model, kind: type[System] = Mechanics) -> str | None:
    return snapshots.key_of(kind, m, m.structure(), kind.decided(m))


def test_values_are_those_of_the_model_at_hand(folder):
    """The snapshot of one machine gives another one of its structure what it has without any."""
    anew(four_bar())
    kinds = [{"r": 0.29}, {"gravity": -1.62}, {}]
    found = [anew(four_bar(**kind)) for kind in kinds]
    assert [d.audit.trace_seconds for d in found] == [0, 0, 0]
    snapshots.ENABLED = False
    for kind, d in zip(kinds, found, strict=True):
        alone = anew(four_bar(**kind))
        assert alone.audit.trace_seconds > 0
        assert digest(d) == digest(alone)


def test_what_is_asked_later_is_added(folder):
    """One snapshot grows: with it a process has all that the processes before have traced."""
    anew(four_bar())
    assert anew(four_bar(), formulation="joint").audit.trace_seconds > 0
    assert anew(four_bar()).audit.trace_seconds == 0
    assert anew(four_bar(), formulation="joint").audit.trace_seconds == 0
    read_channels(anew(four_bar()))  # traced when they are read
    kept._keep_all()  # the process ends
    again = anew(four_bar())
    before = kept.CLOCK.traced
    read_channels(again)
    assert kept.CLOCK.traced == before


def read_channels(answer: lw.Result) -> None:
    answer["A.fx"], answer["drag.force"], answer["sin(rocker.angle) + crank.x"]


def test_code_that_is_gone_is_compiled_from_the_snapshot(folder):
    expected = anew(four_bar())
    name = snapshot(four_bar())
    for path in entries(folder):
        if path.stem != name:
            path.unlink()
    again = anew(four_bar())
    assert again.audit.trace_seconds == 0 < again.audit.compile_seconds
    assert digest(again) == digest(expected)


def test_without_a_cache_everything_is_traced(folder, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    assert snapshot(four_bar()) is None
    assert anew(four_bar()).audit.trace_seconds > 0
    assert anew(four_bar()).audit.trace_seconds > 0


# -- keys ----------------------------------------------------------------------------------------------------------------


def test_a_key_tells_structures_apart(folder):
    name = snapshot(four_bar())
    assert name is not None
    assert name == snapshot(four_bar(r=0.4, gravity=-1.0))  # values are inputs
    assert name == snapshot(four_bar(law="-0.1*v"))  # a law is what it means
    assert name != snapshot(four_bar(law="-0.2*v"))
    assert name != snapshot(four_bar(drop=True))
    assert name != snapshot(four_bar(gravity=0.0))
    assert name != snapshot(four_bar(), System)


def test_tables_are_told_by_their_points(folder):
    def driven(last: float) -> lw.Model:
        m = four_bar()
        m.add(lw.Driver("motor", m["A"].angle, lw.Table([0.0, 1.0, 2.0], [0.9, 1.0, last])))
        return m

    assert snapshot(driven(1.2)) == snapshot(driven(1.2)) != snapshot(driven(1.3))


def test_a_law_that_cannot_be_traced_is_not_kept(folder):
    def law(a, w, t):
        return -0.1 * w if w > 0 else -0.2 * w

    m = four_bar(law=law)
    assert snapshot(m) is None
    for _ in range(2):
        with pytest.warns(UserWarning, match="cannot be traced"):
            found = anew(m)
        assert found.audit.trace_seconds > 0


def test_an_element_that_is_not_ours_is_not_kept(folder):
    class Hinge(lw.Revolute):
        """Whoever traces it may change."""

    m = lw.PlanarModel("other")
    bob = m.body("bob", mass=1.0, inertia=0.1)
    m.add(Hinge("pin", m.ground.at(0, 0), bob.at(-1, 0)))
    assert snapshot(m) is None


def test_a_key_changes_with_the_sources(tmp_path, monkeypatch):
    """Also where only the content of a file changes, neither its size nor its time."""
    for name in ("graph", "system"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("x = 1")
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setattr(snapshots.linkwright, "__file__", str(tmp_path / "__init__.py"))
    sources = snapshots._sources.__wrapped__
    first = sources()
    assert first == sources()
    changed = tmp_path / "system" / "a.py"
    stat = changed.stat()
    changed.write_text("x = 2")
    os.utime(changed, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    second = sources()
    assert second != first
    (tmp_path / "graph" / "b.py").write_text("")
    assert sources() not in (first, second)


# -- entries that are not what they should be ------------------------------------------------------------------------------


def other_machine(folder: Path, path: Path) -> bytes:
    anew(rubbing())
    return (folder / f"{snapshot(rubbing())}.o").read_bytes()


DAMAGE = {
    "flipped": lambda folder, path: path.read_bytes()[:-9] + bytes([path.read_bytes()[-9] ^ 4]) + path.read_bytes()[-8:],
    "cut": lambda folder, path: path.read_bytes()[:-100],
    "empty": lambda folder, path: b"",
    "exchanged": other_machine,
    "newer": lambda folder, path: b"LINKWRT9" + path.read_bytes()[8:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_snapshot_is_traced_anew(folder, damage):
    expected = digest(anew(four_bar()))
    path = folder / f"{snapshot(four_bar())}.o"
    path.write_bytes(DAMAGE[damage](folder, path))
    again = anew(four_bar())
    assert again.audit.trace_seconds > 0
    assert digest(again) == expected
    healed = anew(four_bar())  # it was written over
    assert healed.audit.trace_seconds == 0
    assert digest(healed) == expected


def test_a_whole_entry_that_holds_something_else_is_traced_anew(folder):
    """Under the right name, with the right checksum: another object, a snapshot of a machine with other bodies, noise."""
    expected = digest(anew(four_bar()))
    anew(rubbing())
    name = snapshot(four_bar())
    other = cache.load(snapshot(rubbing()))
    for content in (snapshots.written("a text"), other, b"noise", b""):
        cache.store(name, content)
        again = anew(four_bar())
        assert again.audit.trace_seconds > 0
        assert digest(again) == expected


if __name__ == "__main__":
    main()


def test_first_answers_wait_neither_for_imports_nor_for_the_garbage_collector():
    """Masked arrays, numpy's random numbers and the whole of scipy take longer to import than a first answer from the cache
    takes without them; the turning of a driver, a kink and dependent rows used to ask for one each. What modules hold is in
    the collector's last generation when a name of the package has been imported, and it may free it."""
    code = (
        "import gc, sys, linkwright as lw\n"
        "lw.dynamics\n"
        "print(*gc.get_count()[1:], gc.get_freeze_count())\n"
        "from linkwright.examples import EXAMPLES\n"
        "for name in ('four-bar', 'shaper', 'bennett'):\n"
        "    lw.dynamics(EXAMPLES[name].build(), t_end=0.01)\n"
        "print(*sorted({'numpy.ma', 'numpy.random', 'scipy', 'scipy.linalg'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == ["0 0 0", ""]
