"""Ctrl-C is heard soon, whatever is computed: no call of native code takes long."""

import signal
import subprocess
import sys
import time

import pytest

MACHINE = """
import sys
import numpy as np
import linkwright as lw
m = lw.PlanarModel("m", gravity=(0, -9.81))
b = m.body("b", mass=1, inertia=0.1, position=(0.5, 0))
A = m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-0.5, 0)))
if "driven" in sys.argv:
    m.add(lw.Driver("drive", A.angle, "t"))
def ready():
    print("ready", flush=True)
"""
WORK = {
    "a simulation": ("lw.dynamics(m, t_end=0.1); ready(); lw.dynamics(m, t_end=1e6, steps=10)", "free"),
    "a motion": ("lw.kinematics(m, t_end=0.1); ready(); lw.kinematics(m, t_end=1e3, steps=4 * 10**6)", "driven"),
    "a motion of several bodies": (
        """
for k in range(1, 12):
    c = m.body(f"c{k}", position=(0.5 + k, 0))
    joint = m.add(lw.Revolute(f"J{k}", m.bodies[f"c{k - 1}" if k > 1 else "b"].at(0.5, 0), c.at(-0.5, 0)))
    m.add(lw.Driver(f"D{k}", joint.angle, f"sin({k}*t)"))
lw.kinematics(m, t_end=0.1)
ready()
lw.kinematics(m, t_end=1e4, steps=10**6)
""",
        "driven",
    ),
    "many assemblies": ("lw.check(m); ready(); lw.assemblies(m, tries=10**6)", "driven"),
    "a batch": (
        """
from linkwright.compile import Function
from linkwright.graph import sin, symbols
q = symbols("q", 1)
y = q[0]
for k in range(300):
    y = sin(y) * q[0] + k
f = Function("f", {"q": q}, {"y": y})
f.batch(np.zeros((1, 64)), threads=int(sys.argv[2]))
ready()
f.batch(np.zeros((1, 10**7)), threads=int(sys.argv[2]))
""",
        "free",
    ),
}


@pytest.mark.parametrize(("what", "threads"), [(w, "1") for w in WORK] + [("a batch", "2")])
def test_ctrl_c_is_heard_soon(what, threads):
    code, kind = WORK[what]
    process = subprocess.Popen(
        [sys.executable, "-c", MACHINE + code, kind, threads], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(4.0 if "bodies" in what else 0.3)  # it is at work
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        begin = time.perf_counter()
        _, errors = process.communicate(timeout=30)
        took = time.perf_counter() - begin
    finally:
        process.kill()
        process.communicate()
    # The slices take a twentieth of a second; the rest is for the result so far, the end of Python and a busy computer.
    assert took < 5
    assert "KeyboardInterrupt" in errors or "Interrupted" in errors
    assert process.returncode != -signal.SIGSEGV
