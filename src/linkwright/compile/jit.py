"""LLVM assembly to machine code, and machine code into this process."""

from __future__ import annotations

import ctypes
import sys
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from linkwright.compile.clock import CLOCK
from linkwright.errors import CompileError

_lock = threading.RLock()
# Constants beside the code are read in the instruction that uses them; by default code that is loaded into a process finds
# each by an address of 64 bits, which takes two instructions and a register. JITLink maps an object as one block, so that
# both are near each other however scattered the free memory is; LLVM's older loader, which other systems have, maps them
# one by one, and ends the process where they come to lie more than 2 GiB apart.
_CODE_MODEL = {"codemodel": "small"} if sys.platform.startswith("linux") else {}


@dataclass(frozen=True)
class Target:
    """What code is made for. The back ends differ in nothing else: the program and the emitter are the same."""

    triple: str
    cpu: str
    features: str

    @property
    def lanes(self) -> int:
        """Doubles in a vector that serve best: 8 where the machine has them (measured), else 4; 1 on a GPU's thread."""
        if self.triple.startswith("nvptx"):
            return 1
        if self.triple.startswith("wasm"):
            return 2
        return 8 if "+avx512f" in self.features else 4

    def machine(self, level: int) -> Any:
        return _machine(self, level)


@cache
def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@cache
def _machine(target: Target, level: int) -> Any:
    _initialise()
    here = target.triple == host().triple
    found = llvm.Target.from_triple(target.triple)
    options = {"jit": True, "reloc": "pic", **_CODE_MODEL} if here else {}
    return found.create_target_machine(cpu=target.cpu, features=target.features, opt=level, **options)


@cache
def host() -> Target:
    """This machine."""
    features = llvm.get_host_cpu_features().flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


# No reference types and no multiple values: what every browser since 2021 has.
_WASM = "+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals,-reference-types,-call-indirect-overlong,-multivalue"
WASM = Target("wasm32-unknown-unknown", "generic", f"+simd128,{_WASM}")
WASM_SCALAR = Target("wasm32-unknown-unknown", "generic", _WASM)  # one machine at a time


def nvptx(cpu: str = "sm_90") -> Target:
    """An NVIDIA GPU of the given generation."""
    return Target("nvptx64-nvidia-cuda", cpu, "")


def versions() -> str:
    """Of everything that decides about the bytes besides the program and the target."""
    model = _CODE_MODEL.get("codemodel", "default")
    return f"llvmlite {llvmlite.__version__} llvm {'.'.join(map(str, llvm.llvm_version_info))} {model} code"


def parse(assembly: str, target: Target, *, optimise: bool, compact: bool = False) -> Any:
    _initialise()
    if target != host():  # sizes of pointers and alignments are decided while the text is read
        assembly = f'target datalayout = "{target.machine(2).target_data}"\n{assembly}'
    try:
        module = llvm.parse_assembly(assembly)
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"LLVM refused the generated code: {error}", remedy="please report this") from None
    module.triple = target.triple
    if optimise:
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        if compact:
            options.loop_unrolling = options.slp_vectorization = False
            options.inlining_threshold = 0
        builder = llvm.create_pass_builder(target.machine(2), options)
        builder.getModulePassManager().run(module, builder)
    return module


def _in_registers(module: Any, target: Target) -> None:
    """Local variables into registers, and what follows from that: a tenth of the time of all optimisations."""
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(target.machine(2), llvm.create_pipeline_tuning_options(speed_level=1))
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def to_object(
    assembly: str, target: Target | None = None, *, optimise: bool = False, quick: bool = False, dense: str = ""
) -> bytes:
    """Machine code as an object file.

    A traced program needs no optimiser (its subexpressions are shared, its constants folded; LLVM's passes took
    half as long again and gained nothing measurable); code with loops and local variables does. `quick`: made in a sixth of
    the time and a quarter slower, products and sums not fused. `dense`: another module that belongs to it and is optimised,
    but no call is inlined and no loop unrolled; of the first one only local variables are brought into registers.
    """
    target = target or host()
    with _lock, CLOCK.on("compiling"):
        module = parse(assembly, target, optimise=optimise)
        if dense:
            _in_registers(module, target)
            module.link_in(parse(dense, target, optimise=True, compact=True))
        return bytes(target.machine(2 if optimise else 0 if quick else 1).emit_object(module))


def to_assembly(assembly: str, target: Target, *, optimise: bool = False) -> str:
    """Machine code as text: PTX for a GPU."""
    with _lock:
        return str(target.machine(2).emit_assembly(parse(assembly, target, optimise=optimise)))


class Loaded:
    """Machine code in this process; it stays as long as this object does."""

    _engine: Any = None
    _count = 0

    def __init__(self, code: bytes, symbols: list[str]) -> None:
        with _lock:
            _initialise()
            if Loaded._engine is None:
                Loaded._engine = llvm.create_lljit_compiler(use_jit_link=bool(_CODE_MODEL))
            Loaded._count += 1
            library = llvm.JITLibraryBuilder().add_object_img(code)
            for name in symbols:
                library = library.export_symbol(name)
            try:
                self._tracker = library.add_current_process().link(Loaded._engine, f"linkwright{Loaded._count}")
            except RuntimeError as error:
                raise CompileError(f"the machine code could not be loaded: {error}") from None
            self.address: dict[str, int] = {name: self._tracker[name] for name in symbols}

    def function(self, name: str, *argtypes: Any, result: Any = None) -> Any:
        """A C function; calling it lets other threads of Python run."""
        return ctypes.CFUNCTYPE(result, *argtypes)(self.address[name])
