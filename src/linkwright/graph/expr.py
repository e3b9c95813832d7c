"""Traced scalars: ordinary arithmetic that builds a graph in which each distinct expression exists once.

Numbers stay numbers: a constant is a Python ``float`` and never an ``Expr``, and whatever folds to a constant
becomes one. Hence a structural zero is the float ``0.0`` and vanishes from everything it is multiplied with.

Expressions are interned weakly: building one twice gives the same object, dropping the last reference frees
it. The arguments of commutative operations are ordered by a hash of their structure, not by age or address,
so that the same model gives the same graph whatever was traced before it.
"""

from __future__ import annotations

import struct
import threading
import weakref
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from linkwright.errors import TraceError
from linkwright.graph.place import users_line

if TYPE_CHECKING:
    from collections.abc import Callable

Scalar: TypeAlias = "Expr | float"

# Operations by arity. "Logical" ones give a truth value, which `where` and the logical ones take.
UNARY = ("neg", "sqrt", "abs", "floor", "rint", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "tanh")
BINARY = ("add", "sub", "mul", "div", "min", "max", "atan2", "pow")
COMPARISON = ("lt", "le", "eq", "ne")
LOGICAL = (*COMPARISON, "and", "or", "not")
# What the compiler's kernels of sin, exp, ... are made of besides the above: a fused multiply-add, sums that are
# neither simplified nor fused (their rounding is made use of), the size of one number with the sign of another,
# 2**n of a whole n, the exponent and mantissa (in [1, 2)) of a positive normal number.
PRIMITIVE = ("fma", "mul_add", "strict_add", "strict_sub", "copysign", "pow2", "exponent", "mantissa")
# New operations come last: the numbers of the others decide about the order of terms, and so about the last digits.
HYPERBOLIC = ("sinh", "cosh", "asinh", "acosh", "atanh")
# Of the bits of a number: of two the second where its last bit is set; of one the negative where its last but one is.
BITS = ("by_last_bit", "by_half_turn")
OPERATIONS = ("const", "symbol", "hold", *UNARY, *BINARY, *LOGICAL, "where", "table", *PRIMITIVE, *HYPERBOLIC, *BITS)
COMMUTATIVE = frozenset(("add", "mul", "min", "max", "eq", "ne", "and", "or"))
CODE = {op: code for code, op in enumerate(OPERATIONS)}

_interned: dict[tuple[Any, ...], _KeyedRef] = {}
# The same thread may come again: what is made while it is held may set off the collection of what is to be forgotten.
_lock = threading.RLock()


class _KeyedRef(weakref.ref["Expr"]):
    __slots__ = ("key",)
    key: tuple[Any, ...]


def _forget(ref: weakref.ref[Any]) -> None:
    key = ref.key  # type: ignore[attr-defined]
    with _lock:  # between look and deletion another thread may have made the expression anew
        if _interned.get(key) is ref:
            del _interned[key]


class Expr:
    """A node of the graph. Made by arithmetic on symbols, never directly."""

    __slots__ = ("__weakref__", "args", "data", "op", "order")

    op: str
    args: tuple[Expr, ...]
    data: Any  # the number of a "const", the name of a "symbol", (table, derivative order) of a "table"
    order: int  # hash of the structure: the same in every process

    # -- arithmetic -----------------------------------------------------------------------------------
    def __add__(self, other: Any) -> Any:
        return arithmetic.add(self, other) if _scalar(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return arithmetic.add(other, self) if _scalar(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return arithmetic.sub(self, other) if _scalar(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return arithmetic.sub(other, self) if _scalar(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return arithmetic.mul(self, other) if _scalar(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return arithmetic.mul(other, self) if _scalar(other) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        return arithmetic.div(self, other) if _scalar(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return arithmetic.div(other, self) if _scalar(other) else NotImplemented

    def __pow__(self, other: Any) -> Any:
        return arithmetic.power(self, other) if _scalar(other) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        return arithmetic.power(other, self) if _scalar(other) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        return arithmetic.floor_divide(self, other) if _scalar(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return arithmetic.floor_divide(other, self) if _scalar(other) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        return arithmetic.remainder(self, other) if _scalar(other) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        return arithmetic.remainder(other, self) if _scalar(other) else NotImplemented

    def __neg__(self) -> Scalar:
        return arithmetic.neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Any:
        return arithmetic.apply("abs", self)

    # -- comparison: traced, hence `a == b` is an expression; identity is `a is b` -------------------------
    def __lt__(self, other: Any) -> Any:
        return arithmetic.apply("lt", self, other) if _scalar(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return arithmetic.apply("le", self, other) if _scalar(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return arithmetic.apply("lt", other, self) if _scalar(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return arithmetic.apply("le", other, self) if _scalar(other) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        return arithmetic.apply("eq", self, other) if _scalar(other) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return arithmetic.apply("ne", self, other) if _scalar(other) else NotImplemented

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Any:
        return arithmetic.logical("and", self, other)

    def __or__(self, other: Any) -> Any:
        return arithmetic.logical("or", self, other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Any:
        return arithmetic.logical("not", self)

    # -- what a traced value cannot do ------------------------------------------------------------------
    def __bool__(self) -> NoReturn:
        raise TraceError(
            f"the truth of a traced value was asked for (`if`, `and`, `or`, `min`, ...) at {users_line()}; "
            "it is not known before the machine runs",
            remedy="write linkwright.where(condition, a, b); combine conditions with & | ~; "
            "for min, max, abs, sign of traced values use linkwright.minimum, maximum, abs, sign",
        )

    def __float__(self) -> NoReturn:
        raise TraceError(
            f"a traced value was used as a plain number at {users_line()}",
            remedy="use the functions of linkwright (or numpy's on the scalar), not those of `math`",
        )

    __int__ = __index__ = __complex__ = __float__

    # -- numpy ------------------------------------------------------------------------------------------
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from linkwright.graph.functions import UFUNCS, over_elements

        function = UFUNCS.get(ufunc.__name__)
        if function is None and method == "__call__":
            raise TraceError(
                f"numpy.{ufunc.__name__} of a traced value, at {users_line()}, is not known",
                remedy=f"write it in terms of these: {', '.join(sorted(UFUNCS))}",
            )
        if function is None or method != "__call__" or set(kwargs) - {"out"}:
            return NotImplemented
        if any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
            result = over_elements(function, *inputs)
        else:
            result = function(*(x.item() if isinstance(x, np.generic | np.ndarray) else x for x in inputs))
        for target in kwargs.get("out", ()):  # a += x
            target[...] = result
            return target
        return result

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # numpy calls x.sin(), x.arctan2(y), ... on the elements of object arrays
        from linkwright.graph.functions import UFUNCS

        function = UFUNCS.get(name)
        if function is None:
            raise AttributeError(f"a traced value has no attribute {name!r}")
        return lambda *more: function(self, *more)

    # -- the rest -----------------------------------------------------------------------------------------
    def __reduce__(self) -> tuple[Any, ...]:
        from linkwright.graph.walk import flatten, unflatten

        return unflatten, (flatten([self]),)

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: Any) -> Expr:
        return self

    def __repr__(self) -> str:
        from linkwright.graph.walk import text

        return text(self)


_NUMBERS = (float, int, np.floating, np.integer)


def _scalar(x: Any) -> bool:
    return type(x) is Expr or isinstance(x, _NUMBERS)


def is_number(x: Any) -> bool:
    """Whether a scalar is a plain number, not traced."""
    return type(x) is not Expr


def _order(op: str, args: tuple[Expr, ...], data: Any) -> int:
    if data is None:
        return hash((CODE[op], *[a.order for a in args]))
    if op == "const":
        return hash((CODE[op], int.from_bytes(struct.pack("<d", data), "little")))
    if op == "symbol":
        return hash((CODE[op], int.from_bytes(blake2b(data.encode(), digest_size=8).digest(), "little")))
    table, derivative = data
    return hash((CODE[op], args[0].order, int.from_bytes(table.digest[:8], "little"), derivative))


def _data_key(op: str, data: Any) -> Any:
    if op == "const":
        return struct.pack("<d", data)  # tells 0.0 from -0.0 and finds NaN again
    if op == "table":
        return data[0].digest, data[1]
    return data


def node(op: str, args: tuple[Expr, ...] = (), data: Any = None) -> Expr:
    """The one node with this operation, arguments and data; no simplification."""
    key: tuple[Any, ...]
    n = len(args)
    if data is not None:
        key = (op, _data_key(op, data), *map(id, args))
    elif n == 2:
        a, b = args
        if op in COMMUTATIVE and a.order > b.order:
            a, b = args = b, a
        key = (op, id(a), id(b))
    else:
        key = (op, *map(id, args))
    ref = _interned.get(key)
    if ref is not None:
        found = ref()
        if found is not None:
            return found
    new = object.__new__(Expr)
    new.op, new.args, new.data = op, args, data
    new.order = _order(op, args, data)
    ref = _KeyedRef(new, _forget)
    ref.key = key
    with _lock:
        old = _interned.get(key)
        found = old() if old is not None else None
        if found is not None:
            return found
        _interned[key] = ref
    return new


def symbol(name: str) -> Expr:
    """A free variable. Two symbols of one name are one symbol."""
    return node("symbol", (), str(name))


def symbols(prefix: str, *shape: int) -> np.ndarray:
    """An object array of symbols ``prefix[0], prefix[1], ...`` (``prefix[0,0]``, ... in two dimensions)."""
    out = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        out[index] = symbol(f"{prefix}[{','.join(map(str, index))}]")
    return out


class Same(tuple[Scalar, ...]):
    """Scalars as a key: equal to those that are the same. (As elements of a tuple they might be compared, which is traced.)
    It keeps them, so that no others have their places in memory."""

    __slots__ = ()

    def _key(self) -> tuple[Any, ...]:
        return tuple([("", id(x)) if type(x) is Expr else x for x in self])

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._key() == other._key()

    def __ne__(self, other: object) -> bool:
        return not self == other


def hold(x: Scalar) -> Scalar:
    """x as a variable of its own: simplification does not look into it, so that a derivative may be taken by it.

    The compiler looks through it again.
    """
    return node("hold", (x,)) if type(x) is Expr and x.op not in ("symbol", "hold") else x


def as_node(x: Scalar) -> Expr:
    """The node of a scalar: itself, or the constant's."""
    return x if type(x) is Expr else node("const", (), float(x))


def value_of(x: Expr) -> Scalar:
    """The other way round: the number of a constant's node, else the node itself."""
    return x.data if x.op == "const" else x


# The operators above are these functions; they in turn need `Expr`, so they come in last.
from linkwright.graph import arithmetic  # noqa: E402
