"""JAX on the CPU, float64. Three forms of the function; the fastest of them, for a call and for a batch, is reported.

- "replay": the traced graph, operation by operation. XLA's time to compile grows fast with it, hence a limit on N.
- "dense":  rows vectorised over the joints, the whole matrix [M B^T; B 0] filled and solved by jnp.linalg.solve.
- "scan":   rows vectorised over the joints, the block-tridiagonal B M^-1 B^T solved by a scan over the bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.chain import GRAVITY, HALF, INERTIA, MASS, ROWS, STATE, Chain
from benchmarks.peers.common import Peer, fastest
from benchmarks.replay import replay
from benchmarks.timing import clock

jax.config.update("jax_enable_x64", True)
REPLAY_LIMIT = 3  # bodies; for 10 XLA had not finished compiling after seven minutes
CHUNK = 250  # machines at once in a batch of a form with dense matrices: keeps them in the cache

MASSES = jnp.array([MASS, MASS, MASS, *INERTIA])
EX, EY, EZ = np.eye(3)


def _rotation_matrix(p: Any) -> Any:
    e0, e, e_tilde = p[0], p[1:], jnp.cross(jnp.eye(3), p[1:])
    return (2 * e0 * e0 - 1) * jnp.eye(3) + 2 * jnp.outer(e, e) + 2 * e0 * e_tilde


def _moved(A: Any, s: np.ndarray) -> Any:
    """The derivative of A s by a virtual rotation in body axes: -A s~."""
    return A @ np.cross(np.eye(3), s).T


def _joint(A: Any, w: Any, A0: Any, w0: Any) -> tuple[Any, Any, Any]:
    """Rows of a revolute joint by body, by the body before it, and gamma (Haug 9.4.3, 9.4.4 by textbook rules)."""

    def turning(A: Any, w: Any, s: np.ndarray) -> tuple[Any, Any, Any, Any]:
        return A @ s, _moved(A, s), A @ jnp.cross(w, s), A @ jnp.cross(w, jnp.cross(w, s))

    _, D, _, dd = turning(A, w, -HALF * EX)
    _, D0, _, dd0 = turning(A0, w0, HALF * EX)
    rows, rows0 = [jnp.hstack([jnp.eye(3), D])], [jnp.hstack([-jnp.eye(3), -D0])]
    gamma = [dd0 - dd]
    u, Du, du, ddu = turning(A, w, EY)
    for axis in (EX, EZ):
        c, Dc, dc, ddc = turning(A0, w0, axis)
        rows.append(jnp.hstack([jnp.zeros(3), c @ Du])[None])
        rows0.append(jnp.hstack([jnp.zeros(3), u @ Dc])[None])
        gamma.append(-(ddu @ c + 2 * du @ dc + u @ ddc)[None])
    return jnp.vstack(rows), jnp.vstack(rows0), jnp.hstack(gamma)


def _equations(n: int, x: Any) -> tuple[Any, Any, Any, Any]:
    x = x.reshape(n, STATE)
    A, w = jax.vmap(_rotation_matrix)(x[:, 3:7]), x[:, 10:13]
    A0 = jnp.concatenate([jnp.eye(3)[None], A[:-1]])
    w0 = jnp.concatenate([jnp.zeros((1, 3)), w[:-1]])
    B, B0, gamma = jax.vmap(_joint)(A, w, A0, w0)
    torque = -jnp.cross(w, INERTIA * w)
    Q = jnp.hstack([jnp.broadcast_to(jnp.array([0, 0, -MASS * GRAVITY]), (n, 3)), torque])
    return B, B0.at[0].set(0.0), gamma, Q


def dense(n: int, x: Any) -> Any:
    B, B0, gamma, Q = _equations(n, x)
    k = jnp.arange(n)
    full = jnp.zeros((n, ROWS, n, 6)).at[k, :, k].add(B).at[k, :, k - 1].add(B0).reshape(ROWS * n, 6 * n)
    matrix = jnp.block([[jnp.diag(jnp.tile(MASSES, n)), full.T], [full, jnp.zeros((ROWS * n, ROWS * n))]])
    return jnp.linalg.solve(matrix, jnp.concatenate([Q.ravel(), gamma.ravel()]))


def scan(n: int, x: Any) -> Any:
    B, B0, gamma, Q = _equations(n, x)
    W, W0 = B / MASSES, B0 / MASSES
    before = jnp.concatenate([jnp.zeros((1, 6)), Q[:-1]])
    S = jnp.einsum("iac,ibc->iab", W, B) + jnp.einsum("iac,ibc->iab", W0, B0)
    C = jnp.einsum("iac,ibc->iab", W0, jnp.concatenate([jnp.zeros_like(B[:1]), B[:-1]]))
    b = jnp.einsum("iac,ic->ia", W, Q) + jnp.einsum("iac,ic->ia", W0, before) - gamma

    def forward(carry: Any, joint: Any) -> Any:
        F, y = carry  # D^-1 of the joint before (as a matrix), and its right-hand side
        S, C, b = joint
        CF = C @ F
        F, y = jnp.linalg.inv(S - CF @ C.T), b - CF @ y
        return (F, y), (F, y)

    def backward(lam: Any, joint: Any) -> Any:
        F, y, C_next = joint
        lam = F @ (y - C_next.T @ lam)
        return lam, lam

    _, (F, y) = lax.scan(forward, (jnp.zeros((ROWS, ROWS)), jnp.zeros(ROWS)), (S, C, b))
    C_next = jnp.concatenate([C[1:], jnp.zeros((1, ROWS, ROWS))])
    _, lam = lax.scan(backward, jnp.zeros(ROWS), (F, y, C_next), reverse=True)
    force = jnp.einsum("iac,ia->ic", B, lam)
    force = force.at[:-1].add(jnp.einsum("iac,ia->ic", B0[1:], lam[1:]))
    return jnp.concatenate([((Q - force) / MASSES).ravel(), lam.ravel()])


class Jax(Peer):
    rows_first = True

    def __init__(self, chain: Chain) -> None:
        def replayed(x: Any) -> Any:
            return jnp.stack(replay(chain.outputs, chain.inputs, list(x)))

        forms: dict[str, Callable[[Any], Any]] = {"scan": partial(scan, chain.n), "dense": partial(dense, chain.n)}
        if chain.n <= REPLAY_LIMIT:
            forms["replay"] = replayed
        x = jnp.zeros(STATE * chain.n).reshape(chain.n, STATE).at[:, 3].set(1.0).ravel()
        compiled, seconds = {}, {}
        for name, form in forms.items():
            start = clock()
            compiled[name] = jax.jit(form).lower(x).compile()
            seconds[name] = clock() - start
        name = fastest({name: partial(_finish, f, x) for name, f in compiled.items()})
        self.compile_seconds = seconds[name]
        self._call = compiled[name]
        self._loop = jax.jit(lambda x, k: lax.fori_loop(0, k, lambda _, x: x + 1e-30 * forms[name](x)[0], x))
        self._forms, self._call_form = forms, name
        self._batch: Callable[[Any], Any] | None = None
        self.note = f"'{name}' for a call"

    def call(self, x: Any) -> Any:
        return self._call(x).block_until_ready()

    def device(self, x: np.ndarray) -> Any:
        return jnp.asarray(x)

    def batch(self, X: Any) -> Any:
        if self._batch is None:
            self._batch = self._fastest_batch(X)
        return self._batch(X).block_until_ready()

    def _fastest_batch(self, X: Any) -> Callable[[Any], Any]:
        batches = {f"'{name}' (all at once)": jax.jit(jax.vmap(f)) for name, f in self._forms.items() if name != "dense"}
        for name, form in self._forms.items():
            batches[f"'{name}' (in chunks)"] = jax.jit(partial(lax.map, form, batch_size=CHUNK))
        name = fastest({name: partial(_finish, f, X) for name, f in batches.items()}, repetitions=1)
        self.note += f", {name} for a batch"
        return batches[name]

    def native_loop(self, x: Any, count: int) -> float:
        self._loop(x, 1).block_until_ready()
        start = clock()
        self._loop(x, count).block_until_ready()
        return clock() - start


def _finish(f: Callable[[Any], Any], x: Any) -> None:
    f(x).block_until_ready()


def build(chain: Chain) -> Peer:
    return Jax(chain)
