"""Kernels for a GPU, without one: they assemble, and run on the processor as the kernels of one thread."""

import ctypes
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

from gpu_on_processor import Processor, use_processor
from interpreted import evaluated
from linkwright.compile import gpu as driver
from linkwright.compile.lanes import needed
from linkwright.compile.order import alive, ordered
from linkwright.errors import CompileError
from linkwright.solve import lane_form, many_gpu
from linkwright.solve.many import Many, prepared
from linkwright.solve.many_gpu import ManyOnGpu
from solve.lane_problems import form, functions, numbers, runs


@pytest.mark.parametrize(
    ("name", "first", "written_out"), [("dopri5", 0.0, True), ("dopri5", 0.0, False), ("rk4", 0.01, True)]
)
def test_kernels_give_what_lanes_give(name, first, written_out, monkeypatch):
    monkeypatch.setattr(many_gpu, "WRITTEN_OUT", (130, 1000) if written_out else (0, 0))
    given, problem = runs(9), Many(*functions(), form(name))
    wanted = problem.run(given, numbers(first))
    use_processor(monkeypatch)
    got = ManyOnGpu(problem).run(given, numbers(first))
    assert got.done.all()
    assert np.array_equal(got.registers[:, lane_form.STEPS], wanted.registers[:, lane_form.STEPS])
    # another order of instructions: products and sums are fused elsewhere
    assert np.abs(got.y - wanted.y).max() < 1e-10
    assert np.abs(got.hist - wanted.hist).max() < 1e-9
    assert got.acc == pytest.approx(wanted.acc, rel=1e-9, abs=1e-9)


def test_runs_that_do_not_fit_go_in_several_launches(monkeypatch):
    given, problem = runs(2500), Many(*functions(), form("rk4"))
    use_processor(monkeypatch)
    one = ManyOnGpu(problem)
    each = 8 * (sum(problem.sizes[k] for k in ("y", "b", "tune", "lane", "acc")) + 5 + 2 * len(numbers().times))
    monkeypatch.setattr(Processor, "memory", int(1100 * each / many_gpu.SHARE))
    launches = []
    monkeypatch.setattr(
        ManyOnGpu, "_launched", lambda self, device, part, n: (launches.append(len(part)), problem.run(part, n))[1]
    )
    ran = one.run(given, numbers(0.1))
    assert launches == [1100, 1100, 300]
    assert np.array_equal(ran.y, problem.run(given, numbers(0.1)).y)


@pytest.mark.parametrize(("name", "written_out"), [("dopri5", True), ("dop853", False)])
def test_ptx_assembles(name, written_out, monkeypatch, tmp_path):
    monkeypatch.setattr(many_gpu, "WRITTEN_OUT", (130, 1000) if written_out else (0, 0))
    problem = ManyOnGpu(Many(*functions(), form(name)))
    text = problem.ptx("sm_90")
    assert ".target sm_90" in text
    assert ".visible .entry run_runs(" in text
    assert ".visible .entry begin_runs(" in text
    assert "fma.rn.f64" in text
    assert (".local" in text) is not written_out  # all is in registers, or stages are in the thread's own memory
    assert problem.threads == (256 if written_out else 128)
    if assembler := shutil.which("ptxas"):  # NVIDIA's own, where it is at hand
        (tmp_path / "kernels.ptx").write_text(text)
        subprocess.run([assembler, "-arch=sm_90", "kernels.ptx", "-o", "kernels.cubin"], cwd=tmp_path, check=True)
        assert (tmp_path / "kernels.cubin").stat().st_size > 0


def test_orders_compute_the_same_with_fewer_values_alive():
    motion, projection, _ = functions()
    for f in (motion, projection):
        program = ordered(f.program)
        assert alive(program) <= alive(f.program)
        assert len(program.instructions) == len(needed(f.program, 1))
    args = runs(1)
    inputs = [np.array([0.3]), args.y[0], args.b[0], np.zeros(0), np.zeros(0), np.zeros(0)]
    assert np.allclose(evaluated(ordered(projection.program), *inputs)[0], projection(*inputs)[0], rtol=1e-13, atol=1e-15)


def test_without_a_gpu_the_error_says_so():
    with pytest.raises(CompileError, match="there is no NVIDIA driver on this computer") as caught:
        driver.Gpu("no-such-library.so")
    assert 'on="cores"' in str(caught.value)


def test_what_the_driver_refuses_is_told():
    """A library that answers every call with an error."""
    gpu = object.__new__(driver.Gpu)

    def text(status, place):
        ctypes.cast(place, ctypes.POINTER(ctypes.c_char_p))[0] = b"no CUDA-capable device is detected"

    gpu._library = SimpleNamespace(cuInit=lambda flags: 100, cuGetErrorString=text)
    with pytest.raises(CompileError, match="refused cuInit: no CUDA-capable device is detected"):
        gpu.call("cuInit", 0)


def test_registers_and_histories_are_prepared_alike():
    given = runs(4)
    registers, hist = prepared(given, form("dopri5"))
    assert np.array_equal(registers[:, lane_form.ROW], np.arange(4) * hist[0].size)
    assert np.isnan(hist).all()
