"""Laws of plain Python get the arguments that they name, as traced ones do: a law of t has the time, whatever its other
arguments would be, and a torque that is a function of omega alone has the speed."""

from math import cos

import numpy as np
import pytest

import linkwright as lw

pytestmark = pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
# what each is: in plain Python, and traced
LAWS = {
    "a rate of time": (lambda t: cos(float(t)), lambda t: lw.cos(t)),
    "a rate of time and state": (lambda t, z: cos(float(t)) - float(z), lambda t, z: lw.cos(t) - z),
    "a torque of speed": (lambda omega: -cos(float(omega)), lambda omega: -lw.cos(omega)),
    "a torque of time and angle": (lambda t, theta: cos(float(t)) - float(theta), lambda t, theta: lw.cos(t) - theta),
    "a spring of speed": (lambda v: cos(float(v)), lambda v: lw.cos(v)),
    "a spring of time and length": (lambda t, l: cos(float(t)) - float(l), lambda t, l: lw.cos(t) - l),  # noqa: E741
    "a force of speed": (lambda v: -cos(float(v)), lambda v: -lw.cos(v)),
    "a force of time and place": (lambda t, s: cos(float(t)) - float(s), lambda t, s: lw.cos(t) - s),
}


def machine(kind, law, others):
    m = lw.PlanarModel("m", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0.0), velocity=(0.3, 0.0), omega=0.7)
    if "rate" in kind:
        m.state("law", law, start=0.5)
    elif "torque" in kind:
        m.add(lw.TorsionSpring("law", b.angle, torque=law))
    elif "spring" in kind:
        m.add(lw.Spring("law", m.ground.at(0, 0), b.at(0, 0), force=law))
    else:
        m.add(lw.Force("law", b.x, law))
    for k in range(others):
        m.body(f"o{k}", mass=1.0, inertia=1.0)
    return m


@pytest.mark.parametrize("others", [0, 60], ids=["as a whole", "in loops"])
@pytest.mark.parametrize("kind", LAWS)
def test_plain_laws_are_the_traced_ones(kind, others):
    runs = [lw.dynamics(machine(kind, law, others), t_end=1.0, steps=4) for law in LAWS[kind]]
    channels = ["b.x", "b.angle", *(["law"] if "rate" in kind else [])]
    assert "loops" in str(runs[0].audit) or not others
    for channel in channels:  # both at the default tolerance of 1e-8
        assert runs[0][channel] == pytest.approx(runs[1][channel], abs=1e-6), channel
    if kind == "a rate of time":
        assert runs[0]["law"] == pytest.approx(0.5 + np.sin(runs[0].t), abs=1e-7)


def test_what_a_law_raises_names_its_arguments():
    m = lw.PlanarModel("m", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0)
    m.state("law", lambda z, t: 1 / 0 if t > 0.5 else float(t), start=0.5)
    with pytest.raises(lw.IntegrationError, match=r"the function raised ZeroDivisionError: .* \(with z = 0\.\d+, t = 0\.5"):
        lw.dynamics(m, t_end=1.0, steps=4)
