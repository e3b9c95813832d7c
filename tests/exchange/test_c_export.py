"""The equations of motion as C: compiled by the C compiler at hand, equal to `lw.dynamics`."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import linkwright as lw

cc = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
compiled = pytest.mark.skipif(cc is None, reason="there is no C compiler")


def slider_crank():
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r = m.parameter("r", 0.2)
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0), omega=2.0)
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, inertia=0.1, position=(0.7, 0.0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-r / 2, 0)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Force("gas", slider.x, lambda x, v, t: -5 * lw.exp(-x) - 0.2 * v + lw.sin(t)))
    return m


def spatial():
    """A ball joint, a motor with inductance, a table, a law that switches, an angle of many turns."""
    m = lw.SpatialModel("arm", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.3, 0, 0))
    b = m.body("b", mass=0.5, inertia=(0.02, 0.03, 0.04), position=(0.9, 0, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), a.at(-0.3, 0, 0)))
    m.add(lw.Spherical("ball", a.at(0.3, 0, 0), b.at(-0.3, 0, 0)))
    table = lw.Table([0, 0.3, 0.6, 1.2], [0, 6.0, 3.0, 0.0])
    m.add(lw.Motor("motor", pin, voltage=lambda s, v, t: 2 + table(t), k=0.2, resistance=1.0, inductance=0.05))
    m.add(lw.Force("drag", b.z, lambda z, v, t: lw.where(v > 0, -0.3 * v, -0.1 * v)))
    return m


class Compiled:
    """A C file of ours, as functions of numpy."""

    def __init__(self, model, folder, outputs=()):
        model.export(folder / "machine.c", outputs=list(outputs))
        flags = ["-O1", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run([cc, *flags, "-o", str(folder / "m.so"), str(folder / "machine.c"), "-lm"], check=True)
        self.library = ctypes.CDLL(str(folder / "m.so"))
        text = (folder / "machine.c").read_text()
        self.ny, self.np, self.no = (
            int(text.split(f"#define MACHINE_{w} ")[1].split()[0]) for w in ("STATES", "PARAMETERS", "OUTPUTS")
        )
        self.y0, self.p = (
            np.array((ctypes.c_double * n).in_dll(self.library, f"machine_{w}"))
            for w, n in (("start", self.ny), ("parameters", max(self.np, 1)))
        )
        self.names = [x.decode() for x in (ctypes.c_char_p * self.ny).in_dll(self.library, "machine_state_names")]

    def __call__(self, function, t, y, size):
        out = np.zeros(max(size, 1))
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (np.ascontiguousarray(y), self.p, out)]
        getattr(self.library, f"machine_{function}")(ctypes.c_double(t), *pointers)
        return out[:size]

    def run(self, t_end, steps):
        """Runge-Kutta of fourth order, each step brought back to the joints."""
        y, h, out = self.y0.copy(), t_end / steps, []
        for n in range(steps + 1):
            t = n * h
            out.append((self("outputs", t, y, self.no), y))
            k1 = self("rates", t, y, self.ny)
            k2 = self("rates", t + h / 2, y + h / 2 * k1, self.ny)
            k3 = self("rates", t + h / 2, y + h / 2 * k2, self.ny)
            k4 = self("rates", t + h, y + h * k3, self.ny)
            y = self("project", t + h, y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), self.ny)
        return out


@compiled
def test_a_linkage_in_c_moves_as_dynamics(tmp_path):
    m = slider_crank()
    outputs = ["slider.x", "crank.omega", "A.fx", "slider.ax"]
    c = Compiled(m, tmp_path, outputs)
    d = lw.dynamics(m, t_end=0.5, steps=1, rtol=1e-11)
    out = c.run(0.5, 500)
    for k, name in enumerate(outputs):
        np.testing.assert_allclose([out[0][0][k], out[-1][0][k]], d[name][[0, -1]], rtol=1e-8, atol=1e-9)  # h^4 = 1e-12
    assert c.names[:3] == ["crank.x", "crank.y", "crank.angle"]


@compiled
def test_a_machine_in_space_with_states_tables_and_switches(tmp_path):
    m = spatial()
    outputs = ["pin.angle", "b.z", "b.wx", "motor.current", "ball.fz"]
    d = lw.dynamics(m, t_end=0.4, steps=1, rtol=1e-10)
    out = Compiled(m, tmp_path, outputs).run(0.4, 400)
    for k, name in enumerate(outputs):
        np.testing.assert_allclose(out[-1][0][k], d[name][-1], rtol=1e-6, atol=1e-7)  # a kink within a step costs h^2


def test_what_is_no_equation_is_refused_by_name(tmp_path):
    path = tmp_path / "m.c"
    m = slider_crank()
    m.add(lw.Stop("stop", m["slider"].x, upper=1.0, restitution=0.0))
    with pytest.raises(lw.ModelError, match="an impact is an event") as caught:
        m.export(path)
    assert caught.value.element == ("stop",)
    m = slider_crank()
    m.add(lw.Force("odd", m["slider"].x, lambda x, v, t: float(np.sinh(float(x)))))
    with pytest.raises(lw.ModelError):
        m.export(path)
    for options, text in (
        ({"inputs": ["gaz"]}, "there is no input 'gaz'"),
        ({"inputs": ["A"]}, "a Revolute takes no input"),
        ({"outputs": ["slider.q"]}, "slider"),
        ({"outputs": "slider.x"}, "outputs is"),
        ({"t_step": -1.0}, "t_step is"),
        ({"fmi": 1}, "there is no FMI 1"),
        ({"inputs": ["r", "r"]}, "twice in inputs"),
    ):
        with pytest.raises(lw.ModelError, match=text):
            slider_crank().export(path, **options)
    with pytest.raises(lw.ModelError, match="not exported as"):
        slider_crank().export(tmp_path / "m.cc")
    assert not path.exists()


@compiled
def test_long_functions_keep_their_values_in_memory(tmp_path, monkeypatch):
    """So that a compiler need not find registers for thousands of them at once; what they give is the same to the bit."""
    m = spatial()
    (tmp_path / "plain").mkdir()
    plain = Compiled(m, tmp_path / "plain", ["pin.angle"])
    assert "volatile" not in (tmp_path / "plain" / "machine.c").read_text()
    monkeypatch.setattr("linkwright.exchange.c_code.LONG", 20)
    monkeypatch.setattr("linkwright.exchange.c_code.FAR", 3)
    long = Compiled(m, tmp_path, ["pin.angle"])
    assert (tmp_path / "machine.c").read_text().count("volatile double w[") >= 2
    y = plain.y0 + 0.01 * np.arange(len(plain.y0))
    for function in ("rates", "project"):
        np.testing.assert_array_equal(long(function, 0.4, y, long.ny), plain(function, 0.4, y, plain.ny))
