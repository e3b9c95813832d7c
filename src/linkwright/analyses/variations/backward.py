"""Simulations differentiated backward: how a few numbers of a run depend on any number of names, in one sweep from its end
to its start.

What is carried are covectors, what a number of the run gains by a change of the state: of displacements, velocities and
states (d, v, z), as events, outputs and the start have them; within stretches of the state y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.analyses.dynamics.course import Break
from linkwright.analyses.variations.elements import Element, Step
from linkwright.analyses.variations.events import Events
from linkwright.analyses.variations.nodes import Nodes
from linkwright.analyses.variations.varied import Key, readout
from linkwright.compile import Function
from linkwright.solve import backward as native
from linkwright.solve.methods import method as find_method

if TYPE_CHECKING:
    from linkwright.analyses.variations.simulation import Path

HEALTHY = 1e-7  # pivots below this: the compiled solution has lost half of its digits
CLOSE = 1.0  # of rtol^(2/3): how far results of orders 5 and 8 may be apart, of which the latter is then exact to rtol
AT_ONCE = 64  # elements beside events
SHORT = 0.1  # of an element: stages of it may come so far beyond its end
CHUNK = 1024  # steps at a time, between which Python hears Ctrl-C
MOST_OPERATIONS = 40_000  # of an evaluation of the motion: more would take longer to compile than to run


@dataclass
class Covector:
    """Of displacements, velocities and states, and of the design, a row for each number of the run."""

    d: np.ndarray
    v: np.ndarray
    z: np.ndarray
    b: np.ndarray


def can(path: Path) -> bool:
    """Whether a run can be gone through backward: by explicit steps, with friction that neither sticks nor breaks away."""
    machine, run = path.machine, path.run
    if find_method(run.equations.method).implicit or machine.slots:
        return False
    if any(any(stretch.mode.key) for stretch in path.course.stretches):
        return False
    return path.flow.motion.program.operations <= MOST_OPERATIONS


class Sweep:
    """weights: of the outputs in each number, a matrix (numbers, times) for each key; lasts: of the last time, in each."""

    def __init__(self, path: Path, keys: Sequence[Key], weights: Sequence[np.ndarray], lasts: Sequence[np.ndarray]) -> None:
        self.path, self.machine, self.tangents = path, path.machine, path.base.tangents
        self.which = np.flatnonzero(np.any([w.any(axis=0) for w in weights], axis=0))
        self.elements = path.elements(self.which)
        self.number = sum(len(w) for w in weights)
        self.last = np.concatenate(lasts)
        self.by_names = np.zeros((self.number, len(path.varied.names)))  # what is known by name, not by constants
        self.seeds = self._seeds(keys, weights)

    def slopes(self) -> np.ndarray | None:
        """Of each number by each name; None where it is better to go forward."""
        path, course = self.path, self.path.course
        breaks = list(course.breaks)
        self._begin()
        at = [sum(broken.t <= e.a for broken in breaks) for e in self.elements]
        after = self._nothing()
        while breaks and course.stopped is not None and len(breaks) > max(at, default=0):
            broken = breaks.pop()
            if broken.fired < len(path.run.watches):
                after = self.seeds.pop(len(path.t) - 1, after)
            after = self._through(broken, after)
        groups = [(k, [e for _, e in own]) for k, own in groupby(zip(at, self.elements, strict=True), lambda x: x[0])]
        beside = self._beside(groups)
        for k, own in reversed(groups):
            while len(breaks) > k:
                after = self._through(breaks.pop(), after)
            for is_beside, some in reversed([(x, list(y)) for x, y in groupby(own, lambda e: e in beside)]):
                if is_beside:
                    for e in reversed(some):
                        after = self._across(beside[e], self._with_seeds(e, after))
                else:
                    after = self._over(some, after)
        while breaks:
            after = self._through(breaks.pop(), after)
        first = self.seeds.pop(0, self._nothing())
        d, v, z = path.first
        out = (after.d + first.d) @ d + (after.v + first.v) @ v + (after.z + first.z) @ z
        out += (after.b + first.b)[:, :-1] @ path.design[:-1] + self.by_names
        sound = self.motion.real[native.HEALTH] > HEALTHY and np.isfinite(out).all()
        return out if sound else None

    # -- beside events -----------------------------------------------------------------------------------------------------
    def _beside(self, groups: list[tuple[int, list[Element]]]) -> dict[Element, list[Step]]:
        """Elements next to events, solved as changes forward are, at nodes inside them: stages of explicit steps come to
        where laws change their form, or beyond, and have the derivatives of either side by chance."""
        path, chosen = self.path, []
        for k, own in groups:
            if k > 0:
                chosen += _first(own)
            if k < len(path.course.breaks):
                chosen += _first(own[::-1])
        found: dict[Element, list[Step]] = {}
        every = sorted(set(chosen), key=lambda e: e.a)
        for first in range(0, len(every), AT_ONCE):
            part = every[first : first + AT_ONCE]
            steps = path.solved(part)
            for e in part:
                found[e] = [step for half, step in steps if e.a <= half.a and half.b <= e.b]
        return found

    def _with_seeds(self, e: Element, after: Covector) -> Covector:
        own = [after, *[self.seeds.pop(x) for x in e.outputs if x in self.seeds]]
        return Covector(*(sum(getattr(c, name) for c in own) for name in ("d", "v", "z", "b")))

    def _across(self, steps: Sequence[Step], after: Covector) -> Covector:
        """The map of changes over an element, transposed."""
        for step in reversed(steps):
            up, n = step.lifted, len(step.P)
            by = after.d @ up.d + after.v @ up.v + after.z @ up.z  # by (u, names)
            self.by_names += by[:, n:] + by[:, :n] @ step.r
            before = by[:, :n] @ step.P
            a, b = len(step.B_p), len(step.B_p) + len(step.B_v)
            after = Covector(before[:, :a] @ step.B_p, before[:, a:b] @ step.B_v, before[:, b:], after.b)
        return after

    def _nothing(self) -> Covector:
        m, n = self.machine, self.number
        sizes = m.nv, m.nv, len(self.tangents.z), len(self.tangents.design)
        return Covector(*(np.zeros((n, size)) for size in sizes))

    # -- outputs -----------------------------------------------------------------------------------------------------------
    def _seeds(self, keys: Sequence[Key], weights: Sequence[np.ndarray]) -> dict[int, Covector]:
        """What the numbers gain by changes at each output."""
        if not len(self.which):
            return {}
        path, f = self.path, readout(self.machine, self.tangents, keys)
        nodes = path.nodes_at(self.which, self.elements)
        of_forces = any(f.places[x].size for x in ("x_a", "x_l"))
        given = (nodes.vdot, nodes.lam) if of_forces else (np.zeros((len(nodes), k)) for k in self._sizes)
        x = nodes.ask(f, *given)
        w = np.zeros((len(nodes), self.number, len(keys)))
        row = 0
        for k, own in enumerate(weights):
            w[:, row : row + len(own), k] = own[:, self.which].T
            row += len(own)
        d, v, z, b = (w @ x[name] for name in ("x_d", "x_v", "x_z", "x_b"))
        if of_forces:
            d, v, z, b = self._by_forces(nodes, w @ x["x_a"], w @ x["x_l"], d, v, z, b)
        return {int(k): Covector(*own) for k, *own in zip(self.which, d, v, z, b, strict=True)}

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.machine.nv, len(self.machine.system.rows)

    def _by_forces(
        self, nodes: Nodes, a: np.ndarray, lam: np.ndarray, d: np.ndarray, v: np.ndarray, z: np.ndarray, b: np.ndarray
    ) -> list[np.ndarray]:
        """With what is gained by changes of accelerations and multipliers, which follow from the others."""
        by, kept = nodes.tangent, nodes.kept
        p, r = nodes.solve_back(np.swapaxes(a, 1, 2), np.swapaxes(lam[:, :, kept], 1, 2))
        p, r = np.swapaxes(p, 1, 2), np.swapaxes(r, 1, 2)
        out = [x - p @ by[f"R_{name}"] for name, x in (("d", d), ("v", v), ("z", z), ("b", b))]
        for k, name in ((0, "d"), (1, "v"), (3, "b")):
            out[k] = out[k] - r @ by[f"second_{name}"][:, kept]
        return out

    # -- along stretches ---------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        path, m = self.path, self.machine
        flow, back = path.flow, path.backward
        n = len(flow.y)
        size, fast = np.ones(n), np.zeros(n)
        size[m.nq : m.nq + m.nv], fast[m.nq : m.nq + m.nv] = m.scale, 1.0
        for at_q, _ in m.system.coordinates.body_slices().values():
            size[at_q][: m.model.dimension] = m.length
        rtol = path.run.options.rtol
        real = np.zeros(native.REGISTERS)
        real[[native.TOLERANCE, native.ERROR, native.HEALTH]] = CLOSE * rtol ** (2 / 3), rtol, 1.0
        count = len(self.tangents.design)
        self.ins = [np.zeros(1), np.zeros(n), m.b, np.zeros(0), np.zeros(len(path.course.flags)), np.zeros(0), np.zeros(n)]
        self.largest = np.zeros((self.number, count))
        functions: list[Any] = [flow.motion, back.rates, back.projection]
        self.motion = native.Motion._make([
            *functions, self.ins, *map(_room, functions), n, count, self.number, size, fast, native.coefficients(), real,
            np.zeros(native.room(n, count, self.number)),
        ])  # fmt: skip

    def _over(self, elements: list[Element], after: Covector) -> Covector:
        """From after the last of these elements to before the first: no event between them."""
        path = self.path
        y = np.concatenate([
            path.course.stretches[k].states(np.array([[e.a for e in own], [e.b for e in own]]).T.ravel())
            for k, own in ((k, list(own)) for k, own in groupby(elements, lambda e: e.stretch))
        ]).reshape(len(elements), 2, -1)  # fmt: skip
        g = np.ascontiguousarray(after.b)
        mu = self._on_state(y[-1:, 1], after.d[None], after.v[None], after.z[None])[0]
        seeds = np.zeros((len(elements), *mu.shape))
        places = [(k, self.seeds.pop(x)) for k, e in enumerate(elements) for x in e.outputs if x in self.seeds]
        if places:
            at = np.array([k for k, _ in places])
            d, v, z = (np.stack([getattr(own, name) for _, own in places]) for name in ("d", "v", "z"))
            np.add.at(seeds, at, self._on_state(y[at, 1], d, v, z))
            g += sum(own.b for _, own in places)
        for first in reversed(_cuts(elements)):
            part = slice(*first)
            own = elements[part]
            self.motion.real[native.SINCE] = native.LOOKS  # another stretch, with other laws
            t, h = np.array([e.a for e in own]), np.array([e.b - e.a for e in own])
            self.ins[4][:] = path.course.stretches[own[0].stretch].flags
            native.sweep(self.motion, len(own), t, h, np.ascontiguousarray(y[part, 0]), seeds[part], mu, g, self.largest)
        return self._on_changes(y[0, 0, : self.machine.nq], mu, g)

    def _on_state(self, y: np.ndarray, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Covectors of y at states, a row each: the same of all changes of coordinates that displacements make."""
        m = self.machine
        out = np.zeros((*d.shape[:2], y.shape[1]))
        out[:, :, m.nq : m.nq + m.nv] = v
        out[:, :, m.nq + m.nv + np.array(self.tangents.z_places, dtype=int)] = z
        if m.model.dimension == 2:
            out[:, :, : m.nq] = d
            return out
        for k, q in enumerate(y[:, : m.nq]):
            N = m.tangent(q)
            out[k, :, : m.nq] = (d[k] / (N * N).sum(axis=0)) @ N.T
        return out

    def _on_changes(self, q: np.ndarray, mu: np.ndarray, g: np.ndarray) -> Covector:
        m = self.machine
        z = mu[:, m.nq + m.nv + np.array(self.tangents.z_places, dtype=int)]
        return Covector(mu[:, : m.nq] @ m.tangent(q), mu[:, m.nq : m.nq + m.nv], z, g)

    # -- events ------------------------------------------------------------------------------------------------------------
    def _through(self, broken: Break, after: Covector) -> Covector:
        """Before an event: the map of changes through it, by all of them, transposed."""
        path, (nv, nz, nb) = self.path, (self.machine.nv, len(self.tangents.z), len(self.tangents.design))
        count = 2 * nv + nz
        every = np.concatenate([np.eye(count), np.zeros((count, nb - 1))], axis=1)
        design = np.zeros((nb, count + nb - 1))
        design[:-1, count:] = np.eye(nb - 1)
        passed = Events(path.run, path.frames, design).through(broken, every[:nv], every[nv : 2 * nv], every[2 * nv :])
        by = after.d @ passed.d + after.v @ passed.v + after.z @ passed.z
        if broken.fired < len(path.run.watches):  # it ends the run: the last output is when it happens
            by = by + np.outer(after.b[:, -1] + self.last, passed.time)
        b = after.b.copy()
        b[:, :-1] += by[:, count:]
        return Covector(by[:, :nv], by[:, nv : 2 * nv], by[:, 2 * nv : count], b)


def _first(elements: Sequence[Element]) -> list[Element]:
    """The first of them, with those that follow on a short one."""
    out: list[Element] = []
    length = 0.0
    for e in elements:
        if out and length > SHORT * (e.b - e.a):
            break
        out.append(e)
        length += e.b - e.a
    return out


def _room(f: Function) -> list[np.ndarray]:
    return [np.zeros(max(int(np.prod(shape)), 1)) for shape in f.outputs.values()]


def _cuts(elements: list[Element]) -> list[tuple[int, int]]:
    """Where parts begin and end that are of one stretch and not too many."""
    out: list[tuple[int, int]] = []
    for k, e in enumerate(elements):
        if not out or elements[out[-1][0]].stretch != e.stretch or k - out[-1][0] >= CHUNK:
            out.append((k, k))
        out[-1] = out[-1][0], k + 1
    return out
