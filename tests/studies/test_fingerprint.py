"""Which call is which study: the same in every process, another where anything counts that is another."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.studies.fingerprint import fingerprint
from linkwright.studies.points import Task
from studies.study_machines import oscillator, slider_crank

pytestmark = pytest.mark.filterwarnings("ignore:the law of drag cannot be traced")
FACTOR = 0.1


def drag(x, v, t):
    return -FACTOR * strength(float(v)) if t not in {"never", "ever"} else 0.0


def strength(v):
    return v * abs(v)


def told(drag=drag, keep="b.x", k=(1.0, 2.0), **options):
    m = oscillator()
    m.add(lw.Force("drag", m["b"].x, drag))
    return fingerprint(Task(m, "dynamics", (keep, lw.peak(m["b"].x * 2)), options), {"k": np.array(k)}, False)


def halved(s):
    return {"b.vx": 0.5 * s["b.vx"]}


def calls():
    """Studies, no two of them alike."""
    m, factor = oscillator(), 0.5
    times = np.linspace(0, 1, 3001)
    moved = np.where(np.arange(3001) == 1500, times + 1e-6, times)
    m.set(k=50.0)
    one = lw.dynamics(m, t_end=1.0, steps=10)
    m.set(k=70.0)
    other = lw.dynamics(m, t_end=1.0, steps=10)
    return [
        {}, {"keep": "b.vx"}, {"k": (1.0, 2.0 + 1e-15)}, {"t_eval": times}, {"t_eval": moved}, {"start": one},
        {"start": other},
        {"drag": lambda x, v, t: -0.1 * float(v)}, {"drag": lambda x, v, t: -0.2 * float(v)},
        {"drag": lambda x, v, t, c=0.1: -c * float(v)}, {"drag": lambda x, v, t, c=0.2: -c * float(v)},
        {"drag": lambda x, v, t: -factor * float(v)}, {"drag": strength},
        {"events": {"half": lw.Watch("b.x", change=halved)}},
        {"events": {"half": lw.Watch("b.x", change=lambda s: {"b.vx": 0.0})}},
    ]  # fmt: skip


def test_another_call_is_another_study():
    found = [told(**call) for call in calls()]
    assert len(set(found)) == len(found)
    assert found == [told(**call) for call in calls()]


def test_values_of_the_module_of_a_law_count(monkeypatch):
    before = told()
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 0.2)
    assert told() != before
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 0.1)
    assert told() == before
    monkeypatch.setattr(sys.modules[__name__], "strength", lambda v: v)
    assert told() != before


def test_another_process_knows_them():
    """What a kill has left goes on, laws in Python or not; sets of texts have another order there."""
    code = "import warnings; warnings.simplefilter('ignore'); from studies.test_fingerprint import *\n"
    code += "print(*[told(**call) for call in calls()], sep='\\n')"
    path = ":".join([str(Path(__file__).parents[1]), *sys.path])
    env = {"PYTHONPATH": path, "PYTHONHASHSEED": "7"}
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout.split()
    assert there == [told(**call) for call in calls()]


def test_long_quantities_have_names_of_their_own():
    """However much of a formula its name leaves out."""
    m = slider_crank()
    x, a = m["slider"].x, m["crank"].angle
    both = [lw.sin(a + 2 * x + 3 * a * x + 4 * lw.cos(a * x + k) + lw.sin(x**3) + 5 * a**3) + lw.exp(x) for k in (1, 2)]
    keep = [lw.final(q) for q in both]
    s = lw.sweep(m, {"k": [100.0]}, keep=keep, t_end=0.1, steps=2)
    d = lw.dynamics(m, t_end=0.1, steps=2)
    assert len(s) == 2
    assert [s[red][0] for red in keep] == [d[q][-1] for q in both]
    assert keep[0] == lw.final(both[0]) != keep[1]
