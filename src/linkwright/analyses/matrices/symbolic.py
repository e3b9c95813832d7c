"""The equations of a small machine as SymPy expressions, to be read and taught."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.graph.expr import as_node
from linkwright.graph.walk import topological
from linkwright.results.optional import needed
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
        rows = [f"{sympy.latex(left)} &= {sympy.latex(right)}" for left, right in self._pairs()]
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


def symbolic(system: Mechanics) -> Symbolic:
    """Of a machine as it is traced; numbers of the model stay numbers, its parameters and gravity symbols."""
    sympy = needed("sympy", "symbolic()")
    c, s = system.coordinates, system
    names = {id(x): n for x, n in zip(c.q, c.q_names, strict=True)} | {id(x): n for x, n in zip(c.v, c.v_names, strict=True)}
    writer = _Writer(sympy, names)
    held = s.rows
    q, v = (sympy.Matrix([writer.symbol(x) for x in xs]) for xs in (c.q, c.v))
    a = sympy.Matrix([sympy.Symbol(f"{n}'") for n in c.v_names])
    lam = sympy.Matrix([sympy.Symbol(f"lam({n})") for n in s.row_names]) if held else sympy.zeros(0, 1)
    M, J = sympy.zeros(len(v), len(v)), sympy.zeros(len(held), len(v))
    parts = [
        *s.inertia.M.entries.values(),
        *s.Phi_v.entries.values(),
        *s.inertia.h,
        *s.loads.Q,
        *s.residuals,
        *s.nu,
        *s.gamma,
    ]
    found = iter(writer.all(parts))
    for at in s.inertia.M.entries:
        M[at] = next(found)
    for at in s.Phi_v.entries:
        J[at] = next(found)
    h, Q = (sympy.Matrix([next(found) for _ in xs]) for xs in (s.inertia.h, s.loads.Q))
    Phi, nu, gamma = (
        sympy.Matrix([next(found) for _ in xs]) if held else sympy.zeros(0, 1) for xs in (s.residuals, s.nu, s.gamma)
    )
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
