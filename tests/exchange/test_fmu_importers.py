"""FMUs in programs that have nothing to do with FMPy: ecos (its own reader of FMI 2 and 3), libcosim (Modelon's FMI
Library)."""

import ctypes
import importlib.util
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.exchange.test_c_export import slider_crank
from tests.exchange.test_fmu_events import struck_machine

import linkwright as lw

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler")


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """A linkage under an input, and a machine of impacts, with their motions."""
    folder, m = tmp_path_factory.mktemp("fmu"), slider_crank()
    m.export(folder / "linkage2.fmu", inputs=["gas"], outputs=["slider.x", "A.fx"], t_step=0.05)
    m.export(folder / "linkage3.fmu", inputs=["gas"], outputs=["slider.x", "A.fx"], t_step=0.05, fmi=3)
    pushed = m.without("gas")
    pushed.add(lw.Force("gas", pushed["slider"].x, 3.0))
    struck = struck_machine()
    struck.export(folder / "struck2.fmu", outputs=["ball.y", "A.angle", "stop.force"])
    return folder, lw.dynamics(pushed, t_end=0.5, steps=1, rtol=1e-11), lw.dynamics(struck, t_end=2.5, steps=1, rtol=1e-10)


def same(found, d, channels):
    np.testing.assert_allclose(found, [d[n][-1] for n in channels], rtol=1e-6, atol=1e-7)  # their tolerance is ours, 1e-8


def test_ecos(machines):
    tbb = Path(sys.prefix) / "lib" / "libtbb.so.12"  # of the package tbb, which ecos needs but does not ask for
    if tbb.exists():
        ctypes.CDLL(str(tbb), mode=ctypes.RTLD_GLOBAL)
    ecos = pytest.importorskip(
        "ecospy", reason="a second importer, of the dependency group `test`", exc_type=(ImportError, OSError)
    )
    folder, pushed, struck = machines
    for path, inputs, d, steps, channels in (
        ("linkage2.fmu", {"m::gas": 3.0}, pushed, 10, ["slider.x", "A.fx"]),
        ("linkage3.fmu", {"m::gas": 3.0}, pushed, 10, ["slider.x", "A.fx"]),
        ("struck2.fmu", {}, struck, 50, ["ball.y", "A.angle", "stop.force"]),
    ):
        with ecos.EcosSimulationStructure() as structure:
            structure.add_model("m", str(folder / path))
            structure.add_parameter_set("start", inputs)
            with ecos.EcosSimulation(structure=structure, step_size=0.05) as run:
                run.init(parameter_set="start")
                run.step(steps)
                assert run.get_time() == pytest.approx(d.t[-1])
                same([run.get_real(f"m::{n}") for n in channels], d, channels)


def test_libcosim(machines, capfd):
    """It complains of whatever is not as the standard has it."""
    pytest.importorskip("libcosimpy", reason="a second importer, of the dependency group `test`")
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    folder, pushed, struck = machines
    for path, inputs, d, steps, channels in (
        ("linkage2.fmu", {"gas": 3.0}, pushed, 10, ["slider.x", "A.fx"]),
        ("struck2.fmu", {}, struck, 50, ["ball.y", "A.angle", "stop.force"]),
    ):
        run, observer = CosimExecution.from_step_size(50_000_000), CosimObserver.create_last_value()
        slave = run.add_local_slave(CosimLocalSlave(fmu_path=str(folder / path), instance_name="m"))
        refs = {v.name.decode(): v.reference for v in run.slave_variables(slave)}
        run.add_observer(observer)
        for name, value in inputs.items():
            run.real_initial_value(slave, refs[name], value)
        run.step(steps)
        same([observer.last_real_values(slave, [refs[n]])[0] for n in channels], d, channels)
        del observer, run
    told = capfd.readouterr()
    assert "rror" not in told.out + told.err


class Event(ctypes.Structure):
    _fields_ = (
        *((n, ctypes.c_int) for n in ("again", "ends", "nominals", "values", "planned")),
        ("next", ctypes.c_double),
    )  # fmt: skip


class ModelExchange:
    """An FMU for model exchange by the FMI Library, which libcosim has in it: states, derivatives, indicators of events."""

    def __init__(self, library, path, folder):
        self.c, text = ctypes.CDLL(library), lambda x: str(x).encode()
        for name in ("jm_get_default_callbacks", "fmi_import_allocate_context", "fmi2_import_parse_xml",
                     "fmi2_import_get_variable_by_name"):  # fmt: skip
            getattr(self.c, name).restype = ctypes.c_void_p
        context = ctypes.c_void_p(
            self.c.fmi_import_allocate_context(ctypes.c_void_p(self.c.jm_get_default_callbacks()))
        )  # fmt: skip
        assert self.c.fmi_import_get_fmi_version(context, text(path), text(folder)) == 2
        self.fmu = ctypes.c_void_p(self.c.fmi2_import_parse_xml(context, text(folder), None))
        assert self.c.fmi2_import_create_dllfmu(self.fmu, 1, None) == 0  # 1: model exchange
        assert self.c.fmi2_import_instantiate(self.fmu, b"m", 0, None, 0) == 0
        self.nx, self.nz = (
            getattr(self.c, f"fmi2_import_get_number_of_{n}")(self.fmu) for n in ("continuous_states", "event_indicators")
        )
        self("setup_experiment", 0, ctypes.c_double(0), ctypes.c_double(0), 0, ctypes.c_double(0))

    def __call__(self, name, *args):
        assert getattr(self.c, f"fmi2_import_{name}")(self.fmu, *args) == 0, name

    def got(self, name, size):
        out = (ctypes.c_double * size)()
        self(f"get_{name}", out, ctypes.c_size_t(size))
        return np.array(out)

    def reference(self, name):
        found = ctypes.c_void_p(self.c.fmi2_import_get_variable_by_name(self.fmu, name.encode()))
        return (ctypes.c_uint * 1)(self.c.fmi2_import_get_variable_vr(found))

    def real(self, name, value=None):
        x = (ctypes.c_double * 1)(value or 0.0)
        self("get_real" if value is None else "set_real", self.reference(name), ctypes.c_size_t(1), x)
        return x[0]

    def events(self):
        """Until nothing changes any more; then on in time."""
        event = Event(again=1)
        while event.again:
            self("new_discrete_states", ctypes.byref(event))
        self("enter_continuous_time_mode")

    def begin(self):
        self("enter_initialization_mode")
        self("exit_initialization_mode")
        self.events()
        return self.got("continuous_states", self.nx)

    def put(self, t, x):
        self("set_time", ctypes.c_double(t))
        self("set_continuous_states", (ctypes.c_double * self.nx)(*x), ctypes.c_size_t(self.nx))

    def rates(self, t, x):
        self.put(t, x)
        return self.got("derivatives", self.nx)

    def indicators(self, t, x):
        self.put(t, x)
        return self.got("event_indicators", self.nz)

    def step(self, t, x):
        """A step has been accepted; whether the machine wants an event."""
        self.put(t, x)
        enter, end = ctypes.c_int(0), ctypes.c_int(0)
        self("completed_integrator_step", 1, ctypes.byref(enter), ctypes.byref(end))
        if enter.value:
            self("enter_event_mode")
            self.events()
        return self.got("continuous_states", self.nx)

    def run(self, t_end):
        """By scipy's integrator, from event to event."""
        t, x = 0.0, self.begin()
        while t < t_end:
            z = np.sign(self.indicators(t, x))
            crossed = [_crossing(self, k) for k in range(self.nz) if z[k]]
            r = solve_ivp(self.rates, (t, t_end), x, method="DOP853", rtol=1e-10, atol=1e-10, events=crossed)
            t, x = r.t[-1], r.y[:, -1]
            if r.status == 1:  # a little beyond, so that the sign has changed
                t += 1e-9
                x = x + 1e-9 * self.rates(r.t[-1], x)
                self.put(t, x)
                self("enter_event_mode")
                self.events()
                x = self.got("continuous_states", self.nx)
            else:
                x = self.step(t, x)
        self.put(t, x)


def _crossing(fmu, k):
    def at(t, x):
        return fmu.indicators(t, x)[k]

    at.terminal = True
    return at


def test_model_exchange_by_the_fmi_library(machines, tmp_path):
    """Modelon's library, which PyFMI and others stand on, with an integrator of scipy."""
    found = importlib.util.find_spec("libcosimpy")
    if found is None:
        pytest.skip("a second importer, of the dependency group `test`")
    library = next(Path(found.origin).parent.glob("libcosimc/libcosimc.*"))
    folder, pushed, struck = machines
    for path, inputs, d, channels in (
        ("linkage2.fmu", {"gas": 3.0}, pushed, ["slider.x", "A.fx"]),
        ("struck2.fmu", {}, struck, ["ball.y", "A.angle", "stop.force"]),
    ):
        (tmp_path / path).mkdir()
        fmu = ModelExchange(library, folder / path, tmp_path / path)
        for name, value in inputs.items():
            fmu.real(name, value)
        fmu.run(d.t[-1])
        same([fmu.real(n) for n in channels], d, channels)
