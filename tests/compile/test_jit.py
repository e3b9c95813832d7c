"""Other targets are other back ends: the same program, the same emitter."""

import re
import sys

import numpy as np
import processes
import pytest

from linkwright.compile import Function, jit
from linkwright.compile.emit import emit_module
from linkwright.errors import CompileError
from linkwright.graph import Table, exp, floor, minimum, sin, sqrt, symbols, where


@pytest.fixture(scope="module")
def program():
    x, y = q = symbols("q", 2)
    table = Table.through([0, 1, 2], [0, 1, 3], kind="linear")
    z = [sin(x) * y + sqrt(y) / x, where(x < y, exp(x), floor(y)), table(x), minimum(x, y)]
    return Function("f", {"q": q}, {"z": z}).program


@pytest.mark.parametrize("cpu", ["sm_70", "sm_80", "sm_90"])
def test_ptx(program, cpu):
    target = jit.nvptx(cpu)
    text = jit.to_assembly(emit_module(program, "f", target.lanes), target)
    assert f".target {cpu}" in text
    assert ".visible .func f(" in text
    assert re.search(r"fma\.rn\.f64", text)
    assert re.search(r"div\.rn\.f64", text)
    assert re.search(r"sqrt\.rn\.f64", text)
    assert ".extern" not in text  # nothing that a library would have to supply


def test_web_assembly(program):
    for lanes in (1, jit.WASM.lanes):
        code = jit.to_object(emit_module(program, "f", lanes), jit.WASM)
        assert code.startswith(b"\0asm")


def test_web_assembly_uses_vectors(program):
    text = jit.to_assembly(emit_module(program, "f", jit.WASM.lanes), jit.WASM)
    assert "f64x2.mul" in text


def test_lanes():
    assert jit.nvptx().lanes == 1
    assert jit.WASM.lanes == 2
    assert jit.host().lanes in (4, 8)


def test_code_is_needed_from_no_library(program):
    """Every function is arithmetic: the object asks for nothing, so it may be linked and kept anywhere."""
    for lanes in (1, 4, 8):
        code = jit.to_object(emit_module(program, "f", lanes))
        for name in (b"\0sin\0", b"\0exp\0", b"\0fma\0", b"\0floor\0", b"\0memcpy\0", b"\0sqrt\0", b"\0fmin"):
            assert name not in code


def test_refused_assembly():
    with pytest.raises(CompileError, match="LLVM refused"):
        jit.to_object("define void @f( {")
    with pytest.raises(CompileError, match="LLVM refused"):
        jit.to_object("define double @f(i64 %x) {\n  ret i64 %x\n}")


def test_lanes_of_any_width(program):
    """Vectors wider than the machine's are several of its own: the emitter does not care."""
    import ctypes

    at = np.random.default_rng(0).uniform(0.1, 2, (2, 32))
    results = []
    for lanes in (2, 4, 8, 16):
        loaded = jit.Loaded(jit.to_object(emit_module(program, "f", lanes)), ["f"])
        call = loaded.function("f", *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3)
        out = np.empty((4, 32))
        call((ctypes.c_void_p * 1)(at.ctypes.data), (ctypes.c_void_p * 1)(out.ctypes.data), 0, 32, 32)
        results.append(out)
    assert all(np.allclose(r, results[0], rtol=1e-15, atol=0) for r in results)


SCATTERED = """
import mmap, numpy as np
from linkwright.compile import Function
from linkwright.graph import sin, symbols
pages = [mmap.mmap(-1, mmap.PAGESIZE) for _ in range(9000)]
between = mmap.mmap(-1, (3 << 30) + mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for page in pages[::2]:
    page.close()
q = symbols("q", 40)
f = Function("f", {"q": q}, {"z": [sin(3.25 * x) + 0.1875 * x for x in q]})
at = np.linspace(0, 1, 40)
print(np.abs(f(at)[0] - np.sin(3.25 * at) - 0.1875 * at).max())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="constants are near the code on Linux only")
def test_code_in_scattered_memory(tmp_path):
    """Free memory in holes of one page, and beyond 3 GiB: a function of several pages does not fit into the holes, its
    constants do. 4e-16: two roundings of numbers below two."""
    assert float(processes.run(SCATTERED, XDG_CACHE_HOME=str(tmp_path))) < 4e-16
