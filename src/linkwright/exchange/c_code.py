"""A graph as C: one function, straight down, an intermediate value a line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.errors import ModelError
from linkwright.graph.expr import LOGICAL, Expr, Scalar, as_node
from linkwright.graph.table import Table, derived
from linkwright.graph.walk import topological

_CALLS = {
    "sqrt": "sqrt", "abs": "fabs", "floor": "floor", "rint": "rint", "sin": "sin", "cos": "cos", "tan": "tan",
    "asin": "asin", "acos": "acos", "atan": "atan", "exp": "exp", "log": "log", "tanh": "tanh", "sinh": "sinh",
    "cosh": "cosh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "min": "fmin", "max": "fmax", "atan2": "atan2",
    "pow": "pow", "copysign": "copysign", "fma": "fma",
}  # fmt: skip
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "strict_add": "+", "strict_sub": "-", "lt": "<", "le": "<=",
          "eq": "==", "ne": "!=", "and": "&&", "or": "||"}  # fmt: skip
LONG, FAR = 1000, 40  # lines: of a function that is long for a compiler, and between a value and its last use
_VALUE, _FOUND = re.compile(r"\bx([0-9]+)\b"), re.compile(r"    const double x([0-9]+) =")
LONGEST = 60  # of what is written into the line that uses it

Inputs = Mapping[str, Sequence[Expr]]


class Writer:
    """Functions of one file; tables are written once."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.tables: dict[Table, str] = {}
        self.scalars: set[str] = {"t"}

    def function(self, name: str, inputs: Inputs, outputs: Mapping[str, Sequence[Scalar]], names: Sequence[str] = ()) -> str:
        """void PREFIX_name(inputs, outputs); `names` are comments at the first output."""
        place = {
            id(x): array if array in self.scalars else f"{array}[{k}]"
            for array, xs in inputs.items()
            for k, x in enumerate(xs)
        }
        roots = [as_node(x) for xs in outputs.values() for x in xs]
        rows, text = self._body(roots, place)
        at, comments = iter(roots), [""] * len(rows)
        for array, xs in outputs.items():
            for k in range(len(xs)):
                comment = (
                    f"  /* {names[k].replace('*/', '* /')} */" if array == next(iter(outputs)) and k < len(names) else ""
                )
                rows.append(f"    {array}[{k}] = {text[id(next(at))]};")
                comments.append(comment)
        rows = _kept(rows)
        rows = [row + comment for row, comment in zip(rows, [*[""] * (len(rows) - len(comments)), *comments], strict=True)]
        arguments = [f"double {a}" if a in self.scalars else f"const double *{a}" for a in inputs]
        arguments += [f"double *{a}" for a in outputs]
        unused = "".join(f"    (void){a};\n" for a in (*inputs, *(a for a, xs in outputs.items() if not xs)))
        return f"void {self.prefix}_{name}({', '.join(arguments)})\n{{\n{unused}" + "\n".join(rows) + "\n}\n"

    def _body(self, roots: list[Expr], place: Mapping[int, str]) -> tuple[list[str], dict[int, str]]:
        order = topological(roots)
        uses: dict[int, int] = {}
        for n in order:
            for a in n.args:
                uses[id(a)] = uses.get(id(a), 0) + 1
        for r in roots:
            uses[id(r)] = uses.get(id(r), 0) + 1
        rows: list[str] = []
        text: dict[int, str] = {}
        for n in order:
            written = self._node(n, [text[id(a)] for a in n.args], place)
            if n.op in ("const", "symbol", "hold") or (uses[id(n)] == 1 and len(written) <= LONGEST):
                text[id(n)] = written
                continue
            kind = "int" if n.op in LOGICAL else "double"
            rows.append(f"    const {kind} x{len(rows)} = {_bare(written)};")
            text[id(n)] = f"x{len(rows) - 1}"
        return rows, text

    def _node(self, n: Expr, args: list[str], place: Mapping[int, str]) -> str:
        if n.op == "const":
            return repr(float(n.data)) if n.data >= 0 else f"({float(n.data)!r})"
        if n.op == "symbol":
            if id(n) not in place:
                raise ModelError(f"the equations need {n.data!r}, which no C file has", remedy="leave out what needs it")
            return place[id(n)]
        if n.op == "hold":
            return args[0]
        if n.op in _INFIX:
            return f"({args[0]} {_INFIX[n.op]} {args[1]})"
        if n.op in _CALLS:
            return f"{_CALLS[n.op]}({', '.join(_bare(a) for a in args)})"
        if n.op == "neg":
            return f"(-{args[0]})"
        if n.op == "not":
            return f"(!{args[0]})"
        if n.op == "where":
            return f"({args[0]} ? {args[1]} : {args[2]})"
        if n.op == "mul_add":
            return f"({args[0]} * {args[1]} + {args[2]})"
        if n.op == "table":
            table, derivative = n.data
            return f"{self._table(table)}({args[0]}, {derivative})"
        raise ModelError(f"the operation {n.op!r} cannot be written in C", remedy="leave out what needs it")

    def _table(self, table: Table) -> str:
        return self.tables.setdefault(table, f"{self.prefix}_table{len(self.tables)}")

    def table_functions(self) -> str:
        """To stand before the functions."""
        return "".join(_table_function(name, table) for table, name in self.tables.items())


def _kept(rows: list[str]) -> list[str]:
    """The lines of a long function, with values that are used far from where they are found in memory. A compiler that has
    thousands of them in view at once takes minutes to find registers for all."""
    if len(rows) < LONG:
        return rows
    last = {k: i for i, row in enumerate(rows) for k in _VALUE.findall(row)}
    found = ((i, _FOUND.match(row)) for i, row in enumerate(rows))
    far = [m[1] for i, m in found if m is not None and last[m[1]] - i > FAR]
    place = {k: f"w[{j}]" for j, k in enumerate(far)}
    out = [f"    volatile double w[{len(far)}];"] if far else []
    for row in rows:
        m = _FOUND.match(row)
        start = f"    {place[m[1]]} =" if m is not None and m[1] in place else ""
        rest = row[m.end() :] if m is not None and start else row
        out.append(start + _VALUE.sub(lambda v: place.get(v[1], v[0]), rest))
    return out


def _bare(text: str) -> str:
    """Without brackets around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if k == len(text) - 1 else text
    return text


def numbers(values: Sequence[float] | np.ndarray) -> str:
    return ", ".join(repr(float(x)) for x in values)


def texts(values: Sequence[str]) -> str:
    return ", ".join('"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"' for v in values)


def _table_function(name: str, table: Table) -> str:
    """Piecewise polynomials, their derivatives by number."""
    n = len(table.breaks) - 1
    rows = [derived(table.coefficients, d) for d in range(table.degree + 1)]
    data = "".join(f"        {{{numbers(np.vstack([r, np.zeros((4 - len(r), n))]).T.reshape(-1))}}},\n" for r in rows)
    wrap = "x -= (b[N] - b[0]) * floor((x - b[0]) / (b[N] - b[0]));" if table.periodic else ""
    return f"""static double {name}(double x, int derivative)
{{
    enum {{ N = {n} }};
    static const double b[N + 1] = {{{numbers(table.breaks)}}};
    static const double c[{len(rows)}][4 * N] = {{
{data}    }};
    int low = 0, high = N;
    {wrap}
    while (high - low > 1) {{
        const int middle = (low + high) / 2;
        if (x >= b[middle]) low = middle; else high = middle;
    }}
    const double *k = c[derivative] + 4 * low, d = x - b[low];
    return ((k[3] * d + k[2]) * d + k[1]) * d + k[0];
}}

"""
