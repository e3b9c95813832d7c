"""The equations of a small machine as SymPy expressions, to be read and taught."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, jacobian, substitute
from linkwright.graph.expr import as_node
from linkwright.graph.walk import topological
from linkwright.model import Revolute
from linkwright.results.optional import needed
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_elimination import loops
from linkwright.system.mechanics import Mechanics

MOST = 20_000  # operations: beyond, nobody reads it
_CALLS = {
    "sqrt": "sqrt", "abs": "Abs", "floor": "floor", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos",
    "atan": "atan", "exp": "exp", "log": "log", "tanh": "tanh", "sinh": "sinh", "cosh": "cosh", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "min": "Min", "max": "Max", "atan2": "atan2", "lt": "StrictLessThan",
    "le": "LessThan", "eq": "Eq", "ne": "Ne", "and": "And", "or": "Or", "not": "Not",
}  # fmt: skip

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": lambda a: -a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "pow": lambda a, b: a**b,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Symbolic:
    """The equations of motion in SymPy: M a + Phi_q^T lam = Q - h, Phi_q a = gamma, Phi = 0.

    Attributes
    ----------
    q, v, a, lam : sympy.Matrix
        Symbols of coordinates, velocities, accelerations and multipliers, called as channels: Symbol("crank.x").
    M, h, Q : sympy.Matrix
        Mass matrix, velocity terms, applied forces, by displacements.
    Phi, Phi_q, nu, gamma : sympy.Matrix
        The position equations, their derivative by displacements, and the right-hand sides.
    parameters : dict
        The symbols of parameters by name, gravity among them.
    """

    q: Any
    v: Any
    a: Any
    lam: Any
    M: Any
    h: Any
    Q: Any
    Phi: Any
    Phi_q: Any
    nu: Any
    gamma: Any
    parameters: Mapping[str, Any]

    @property
    def equations(self) -> Any:
        """M a + h + Phi_q^T lam - Q and Phi_q a - gamma, which are zero."""
        sympy = needed("sympy", "symbolic()")
        return sympy.Matrix.vstack(
            self.M * self.a + self.h + self.Phi_q.T * self.lam - self.Q, self.Phi_q * self.a - self.gamma
        )

    def _repr_latex_(self) -> str:
        sympy = needed("sympy", "symbolic()")
        symbols = {x for pair in self._pairs() for side in pair for x in getattr(side, "free_symbols", ())}
        words = {x: word for x in symbols if (word := _word(str(x)))}
        rows = [" &= ".join(sympy.latex(side, symbol_names=words) for side in pair) for pair in self._pairs()]
        return "$$\\begin{aligned}" + " \\\\ ".join(rows) + "\\end{aligned}$$"

    def latex(self) -> str:
        """Give the equations as LaTeX, one line each, as a notebook shows them.

        Returns
        -------
        str
            The text.
        """
        return self._repr_latex_()

    def _pairs(self) -> list[tuple[Any, Any]]:
        left, right = self.M * self.a + self.Phi_q.T * self.lam, self.Q - self.h
        pairs = [(left[k], right[k]) for k in range(len(self.v))]
        held = self.Phi_q * self.a
        return pairs + [(held[k], self.gamma[k]) for k in range(len(self.lam))]


def _word(name: str) -> str:
    """A name as LaTeX: channels upright, their rates with a dot, gravity as g; "" for what SymPy writes well by itself."""
    if name.startswith("gravity["):
        return f"g_{'xyz'[int(name[8])]}"
    if name.endswith("'"):
        return rf"\dot{{{_word(name[:-1]) or name[:-1]}}}"
    if name.replace("_", "").isalnum() and name.isascii():
        return ""
    return r"\mathrm{" + re.sub(r"[#$%&_{}]", r"\\\g<0>", name.replace("\\", "/")).replace(" ", r"\ ") + "}"


@dataclass(frozen=True, eq=False)
class _Terms:
    """The terms that are written: coordinates with their names, and the equations in them."""

    q: Sequence[Expr]
    v: Sequence[Expr]
    q_names: Sequence[str]
    v_names: Sequence[str]
    rows: Sequence[str]
    M: Mapping[tuple[int, int], Scalar]
    J: Mapping[tuple[int, int], Scalar]
    vectors: Sequence[Sequence[Scalar]]  # h, Q, then Phi, nu, gamma of the rows


def symbolic(system: Mechanics) -> Symbolic:
    """The equations of a machine as it is traced; numbers of the model stay numbers, its parameters and gravity symbols."""
    c, s = system.coordinates, system
    return _written(_Terms(
        list(c.q), list(c.v), c.q_names, c.v_names, s.row_names, s.inertia.M.entries, s.Phi_v.entries,
        (s.inertia.h, s.loads.Q, s.residuals, s.nu, s.gamma),
    ))  # fmt: skip


def symbolic_in_joints(system: Mechanics, joints: JointCoordinates) -> Symbolic:
    """The equations in the coordinates theta and speeds u of a spanning tree: v = B u, so that B^T M B udot + B^T (h + M B'
    u) is B^T Q, less the multipliers of what closes loops."""
    s, nv = system, joints.nv
    B: dict[int, list[tuple[int, Scalar]]] = {}
    moving = substitute(list(s.coordinates.v), joints.cartesian)
    for (i, k), x in jacobian(moving, joints.v).entries.items():
        B.setdefault(i, []).append((k, x))
    drift = joints.rates_of_v([0.0] * nv)
    rows = loops(s, joints, range(len(s.rows)))
    M: dict[tuple[int, int], Scalar] = {}
    h, Q = [0.0] * nv, [0.0] * nv
    inertial: list[Scalar] = list(s.inertia.h)
    for (i, j), x in s.inertia.M.entries.items():
        inertial[i] = inertial[i] + x * drift[j]
        for k, b in B.get(i, ()):
            for n, d in B.get(j, ()):
                M[k, n] = M.get((k, n), 0.0) + b * x * d
    for i, own in B.items():
        for k, b in own:
            h[k], Q[k] = h[k] + b * inertial[i], Q[k] + b * s.loads.Q[i]
    J: dict[tuple[int, int], Scalar] = {}
    gamma = [s.gamma[r] for r in rows]
    number = {r: n for n, r in enumerate(rows)}
    for (r, j), x in s.Phi_v.entries.items():
        if r not in number:
            continue
        gamma[number[r]] = gamma[number[r]] - x * drift[j]
        for k, b in B.get(j, ()):
            J[number[r], k] = J.get((number[r], k), 0.0) + x * b
    vectors = (h, Q, [s.residuals[r] for r in rows], [s.nu[r] for r in rows], gamma)
    q_names, v_names = joint_names(joints)
    placed = [substitute(x, joints.cartesian) for x in (list(M.values()), list(J.values()), *vectors)]
    return _written(_Terms(
        joints.q, joints.v, q_names, v_names, [s.row_names[r] for r in rows],
        dict(zip(M, placed[0], strict=True)), dict(zip(J, placed[1], strict=True)), placed[2:],
    ))  # fmt: skip


def joint_names(joints: JointCoordinates) -> tuple[list[str], list[str]]:
    """The names of coordinates and speeds, as channels where a joint has one of each."""
    elements, q, v = joints.system.model.elements, list[str](), list[str]()
    for joint, name, body in zip(joints.tree.joint, joints.spanning.joints, joints.spanning.bodies, strict=True):
        turns = isinstance(elements.get(name), Revolute)
        if joint.nv == 1:
            q.append(f"{name}.{'angle' if turns else 'displacement'}")
            v.append(f"{name}.{'omega' if turns else 'velocity'}")
        else:
            q += [f"{name or body.name}.q{k}" for k in range(joint.nq)]
            v += [f"{name or body.name}.u{k}" for k in range(joint.nv)]
    c, extra = joints.system.coordinates, joints.extra
    return [*q, *c.q_names[len(c.q_names) - extra :]], [*v, *c.v_names[len(c.v_names) - extra :]]


def _written(x: _Terms) -> Symbolic:
    sympy = needed("sympy", "symbolic()")
    names = {id(s): n for s, n in zip((*x.q, *x.v), (*x.q_names, *x.v_names), strict=True)}
    writer = _Writer(sympy, names)
    q, v = (sympy.Matrix([writer.symbol(s) for s in xs]) for xs in (x.q, x.v))
    a = sympy.Matrix([sympy.Symbol(f"{n}'") for n in x.v_names])
    lam = sympy.Matrix([sympy.Symbol(f"lam({n})") for n in x.rows]) if x.rows else sympy.zeros(0, 1)
    M, J = sympy.zeros(len(v), len(v)), sympy.zeros(len(x.rows), len(v))
    found = iter(writer.all([*x.M.values(), *x.J.values(), *(value for xs in x.vectors for value in xs)]))
    for at in x.M:
        M[at] = next(found)
    for at in x.J:
        J[at] = next(found)
    vectors = [sympy.Matrix([next(found) for _ in xs]) if len(xs) else sympy.zeros(0, 1) for xs in x.vectors]
    h, Q, Phi, nu, gamma = vectors
    return Symbolic(q, v, a, lam, M, h, Q, Phi, J, nu, gamma, writer.parameters)


class _Writer:
    def __init__(self, sympy: Any, names: Mapping[int, str]) -> None:
        self.sympy, self.names = sympy, names
        self.parameters: dict[str, Any] = {}

    def symbol(self, x: Expr) -> Any:
        name = self.names.get(id(x), str(x.data))
        if name.startswith("parameter:"):
            name = name.removeprefix("parameter:")
            return self.parameters.setdefault(name, self.sympy.Symbol(name, real=True))
        return self.sympy.Symbol(name, real=True)

    def all(self, values: Sequence[Scalar]) -> list[Any]:
        order = topological([as_node(x) for x in values])
        if len(order) > MOST:
            raise ModelError(
                f"the equations have {len(order)} operations", remedy="take a smaller machine: at() gives numbers of any"
            )
        done: dict[int, Any] = {}
        for n in order:
            done[id(n)] = self._node(n, [done[id(a)] for a in n.args])
        return [done[id(as_node(x))] if type(x) is Expr else self._number(float(x)) for x in values]

    def _number(self, x: float) -> Any:
        """Short decimals are what somebody wrote: exact fractions of them."""
        return self.sympy.Rational(repr(x)) if len(repr(x)) <= 12 else self.sympy.Float(x, 17)

    def _node(self, n: Expr, args: list[Any]) -> Any:
        if n.op == "const":
            return self._number(float(n.data))
        if n.op == "symbol":
            return self.symbol(n)
        if n.op in _CALLS:
            return getattr(self.sympy, _CALLS[n.op])(*args)
        if n.op == "hold":
            return args[0]
        if n.op == "where":
            return self.sympy.Piecewise((args[1], args[0]), (args[2], True))
        if n.op not in _OPERATIONS:
            raise ModelError(f"{n.op!r} has no counterpart in SymPy", remedy="leave out the element that needs it")
        return _OPERATIONS[n.op](*args)
