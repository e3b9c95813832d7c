"""A small part of Python as LLVM assembly: numbers, arrays, loops, branches, calls.

It is there for the loops around traced programs (integrators, Newton's method, linear algebra), which must not return
to Python at every step. The same source runs as plain Python on numpy arrays: that is its reference.
"""

from __future__ import annotations

import ast

from linkwright.compile.translate_values import TYPES, Values, aligned
from linkwright.compile.written import Value


class Translator(Values):
    """One function: its statements; `Values` writes the expressions in them."""

    def translate(self) -> str:
        for k, (name, kind) in enumerate(self.parameters):
            self.store_local(name, (kind, f"%a{k}"))
        self.block(self.tree.body)
        if self.result == "None":
            self.lines.append("  ret void")
        elif returns(self.tree.body):
            self.lines.append("  unreachable")
        else:
            self.fail(self.tree.body[-1], "the function may end without a result")
        arguments = ", ".join(f"{TYPES[kind]} %a{k}" for k, (_, kind) in enumerate(self.parameters))
        head = f"define internal {self.llvm(self.result)} @{self.name}({arguments}) #0 {{\nentry:"
        return "\n".join([head, *self.allocas, *self.lines, "}"])

    # -- statements -----------------------------------------------------------------------------------------------
    def do_Assign(self, s: ast.Assign) -> None:
        value = self.value(s.value)
        for target in s.targets:
            self.assign(target, value)

    def do_AnnAssign(self, s: ast.AnnAssign) -> None:
        kind = self.annotation(s.annotation)
        if s.value is None:
            self.fail(s, "a declaration needs a value")
        self.assign(s.target, (kind, self.convert(self.value(s.value), kind)))

    def do_AugAssign(self, s: ast.AugAssign) -> None:
        if isinstance(s.target, ast.Subscript):  # the place is found once
            kind, address = self.element(s.target)
            old = kind, self.new(f"load {TYPES[kind]}, ptr {address}{aligned(kind)}")
            new = self.convert(self.binary(s, s.op, old, self.value(s.value)), kind)
            self.lines.append(f"  store {TYPES[kind]} {new}, ptr {address}{aligned(kind)}")
        else:
            self.assign(s.target, self.binary(s, s.op, self.value(s.target), self.value(s.value)))

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store_local(target.id, value)
        elif isinstance(target, ast.Subscript):
            kind, address = self.element(target)
            self.lines.append(f"  store {TYPES[kind]} {self.convert(value, kind)}, ptr {address}{aligned(kind)}")
        else:
            self.fail(target, "only variables and elements of arrays can be assigned")

    def do_Return(self, s: ast.Return) -> None:
        given = s.value is not None and not (isinstance(s.value, ast.Constant) and s.value.value is None)
        if given != (self.result != "None"):
            self.fail(s, f"the function is declared to return {self.result}")
        if s.value is None or self.result == "None":
            self.lines.append("  ret void")
        else:
            value = self.convert(self.value(s.value), self.result, "the result")
            self.lines.append(f"  ret {TYPES[self.result]} {value}")
        self.place(self.label("after"))

    def do_If(self, s: ast.If) -> None:
        yes, no, end = self.label("then"), self.label("else"), self.label("end")
        self.branch(self.condition(s.test), yes, no)
        self.place(yes)
        self.block(s.body)
        self.jump(end)
        self.place(no)
        self.block(s.orelse)
        self.jump(end)
        self.place(end)

    def do_While(self, s: ast.While) -> None:
        if s.orelse:
            self.fail(s, "a loop has no else")
        test, body, end = self.label("while"), self.label("body"), self.label("end")
        self.jump(test)
        self.place(test)
        self.branch(self.condition(s.test), body, end)
        self.place(body)
        self.loops.append((test, end))
        self.block(s.body)
        self.loops.pop()
        self.jump(test)
        self.place(end)

    def do_For(self, s: ast.For) -> None:
        call = s.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            self.fail(s, "a loop runs over range(...)")
        if not isinstance(s.target, ast.Name) or s.orelse:
            self.fail(s, "a loop needs one variable and has no else")
        if not 1 <= len(call.args) <= 3:
            self.fail(s, "a range takes one to three numbers")
        bounds = [self.convert(self.value(a), "i64") for a in call.args]
        start, stop = ("0", bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = 1
        if len(bounds) == 3:
            try:
                step = ast.literal_eval(call.args[2])
            except ValueError:
                step = 0
            if type(step) is not int or step == 0:
                self.fail(s, "the step of a range must be a number that is not zero")
        counter = f"{s.target.id}.counter{self.label('')}"
        self.store_local(counter, ("i64", start))
        test, body, after, end = self.label("for"), self.label("body"), self.label("next"), self.label("end")
        self.jump(test)
        self.place(test)
        k = self.local(counter)[1]
        self.branch(self.new(f"icmp {'slt' if step > 0 else 'sgt'} i64 {k}, {stop}"), body, end)
        self.place(body)
        self.store_local(s.target.id, ("i64", k))
        self.loops.append((after, end))
        self.block(s.body)
        self.loops.pop()
        self.jump(after)
        self.place(after)
        self.store_local(counter, ("i64", self.new(f"add i64 {self.local(counter)[1]}, {step}")))
        self.jump(test)
        self.place(end)

    def do_Break(self, s: ast.Break) -> None:
        self.jump(self.loops[-1][1])
        self.place(self.label("after"))

    def do_Continue(self, s: ast.Continue) -> None:
        self.jump(self.loops[-1][0])
        self.place(self.label("after"))


def returns(body: list[ast.stmt]) -> bool:
    """Whether every way through the statements ends in a return."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return returns(last.body) and returns(last.orelse)
    if isinstance(last, ast.While) and ast.unparse(last.test) == "True":
        return not any(isinstance(n, ast.Break) for n in ast.walk(last))
    return isinstance(last, ast.Return)
