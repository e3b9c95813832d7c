"""The systems compared. Each module gives `build(chain) -> Peer`; a package that is not installed is left out."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from benchmarks.chain import Chain
from benchmarks.peers.common import Peer

# label: (package to import, function that builds the peer)
PEERS = {
    "Linkwright": ("linkwright", "build"),
    "heyoka cfunc": ("heyoka", "build"),
    "heyoka, fast math": ("heyoka", "build_fast_math"),
    "SymEngine LLVM": ("symengine", "build"),
    "CasADi VM": ("casadi", "build"),
    "JAX": ("jax", "build"),
    "numba by hand": ("numba", "build"),
}


def find(label: str) -> Callable[[Chain], Peer] | None:
    """How to build a peer, or None if its package is not installed."""
    package, function = PEERS[label]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name == package:
            return None
        raise
    build: Callable[[Chain], Peer] = getattr(import_module(f"benchmarks.peers.{package}"), function)
    return build
