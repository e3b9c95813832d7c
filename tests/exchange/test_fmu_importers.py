"""FMUs in programs that have nothing to do with FMPy: ecos (its own reader of FMI 2 and 3), libcosim (Modelon's FMI
Library)."""

import ctypes
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
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
