"""The language with lanes as Python on arrays of numpy: the oracle of what is compiled."""

import ast

import numpy as np


def numpy_function(source, name, known):
    """A function of the text as Python on arrays of numpy, lanes along the last axis; `known`: also traced functions."""
    names = {
        "where": np.where, "any": np.any, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "isfinite": np.isfinite,
        "min": lambda a, b: np.where(b < a, b, a), "max": lambda a, b: np.where(b > a, b, a), "each": np.float64,
        "gather": lambda table, k: table[np.asarray(k, dtype=np.int64)], "scatter": _scatter,
        **dict.fromkeys(("f64", "real", "i64", "Array", "Table")), **known,
    }  # fmt: skip
    tree = ast.parse(source)
    exec(compile(_vectorised(tree), f"<{name}>", "exec"), names)  # a text of ours
    return names[name]


def _scatter(table, index, x, mask):
    at = np.asarray(index, dtype=np.int64)
    table[at[mask]] = np.broadcast_to(x, mask.shape)[mask]


_SIGN = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


class _Masks(ast.NodeTransformer):
    """and, or, not of masks as numpy writes them; what is read of an array is a value, not a view."""

    def visit_Subscript(self, e: ast.Subscript) -> ast.expr:
        e.value, e.slice = self.visit(e.value), self.visit(e.slice)
        if isinstance(e.ctx, ast.Store) or isinstance(e.slice, ast.Slice):
            return e
        return ast.Call(ast.Attribute(e, "copy", ast.Load()), [], [])

    def visit_AugAssign(self, s: ast.AugAssign) -> ast.stmt:
        """Not in place: another name may have the same array."""
        value = ast.parse(f"{ast.unparse(s.target)} {_SIGN[type(s.op)]} ({ast.unparse(s.value)})", mode="eval").body
        return ast.Assign([s.target], self.visit(value))

    def visit_BoolOp(self, e: ast.BoolOp) -> ast.expr:
        op = ast.BitAnd() if isinstance(e.op, ast.And) else ast.BitOr()
        parts = [self.visit(x) for x in e.values]
        out = parts[0]
        for x in parts[1:]:
            out = ast.BinOp(out, op, x)
        return out

    def visit_UnaryOp(self, e: ast.UnaryOp) -> ast.expr:
        e.operand = self.visit(e.operand)
        return ast.Call(ast.Name("where", ast.Load()), [e.operand, ast.Constant(False), ast.Constant(True)], []) if (
            isinstance(e.op, ast.Not)
        ) else e  # fmt: skip


def _vectorised(tree: ast.Module) -> ast.Module:
    return ast.fix_missing_locations(_Masks().visit(tree))
