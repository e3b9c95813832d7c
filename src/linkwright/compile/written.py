"""The text of a function of a native language as it grows: what both languages, `translate` and `lanes`, share."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import NoReturn

Value = tuple[str, str]  # (kind, LLVM value)
WHOLE = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
COMPARE = {ast.Lt: ("olt", "slt"), ast.LtE: ("ole", "sle"), ast.Gt: ("ogt", "sgt"), ast.GtE: ("oge", "sge"),
           ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne")}  # fmt: skip


class Written(ABC):
    """Lines of LLVM assembly. Local variables live in stack slots, which LLVM turns into registers."""

    statement: ast.AST  # the one at hand, for messages

    def __init__(self) -> None:
        self.slots: dict[str, Value] = {}
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    @abstractmethod
    def fail(self, node: ast.AST, text: str) -> NoReturn:
        """What is wrong at a place of the function."""

    @abstractmethod
    def value(self, e: ast.expr) -> Value:
        """An expression."""

    def new(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement = statement
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                self.fail(statement, f"{type(statement).__name__} is not in the language")
            method(statement)

    def do_Pass(self, s: ast.Pass) -> None:  # noqa: B027 - nothing is written for it
        pass

    def do_Expr(self, s: ast.Expr) -> None:
        if not isinstance(s.value, ast.Constant):  # a docstring
            self.value(s.value)
