"""A formula as a row of tokens, and where in it something is wrong."""

from __future__ import annotations

import re
from typing import NoReturn

from linkwright.errors import ModelError

LONGEST_TEXT = 4000
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*|°)|(?P<quoted>`[^`]*`)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/()<>,.&|~]|\^)"
)


class GrammarError(ModelError):
    """A formula cannot be read: ``text`` and ``column`` (from 1) say where."""

    def __init__(self, cause: str, *, text: str, column: int, element: str = "", remedy: str = "") -> None:
        shown = text if len(text) <= 60 else text[:57] + "..."
        super().__init__(f"{cause}, at column {column} of {shown!r}", element=element or (), remedy=remedy)
        self.text = text
        self.column = column


class Tokens:
    """The token at hand: what `kind` it is, in which `column` it begins."""

    def __init__(self, text: str, element: str) -> None:
        self.text, self.element = text, element
        if len(text) > LONGEST_TEXT:
            self.column = LONGEST_TEXT + 1
            self.fail(
                f"the formula is longer than {LONGEST_TEXT} characters", remedy="split it, or use a table or a function"
            )
        self.place = 0
        self.advance()

    def advance(self) -> None:
        text, place = self.text, self.place
        while place < len(text) and text[place].isspace():
            place += 1
        self.column = place + 1
        if place == len(text):
            self.kind, self.token, self.place = "end", "", place
            return
        match = _TOKEN.match(text, place)
        if match is None:
            self.kind, self.token = "bad", text[place]
            self.fail(f"{text[place]!r} has no meaning here", remedy="only numbers, names, + - * / ** ( ) , and comparisons")
        self.kind, self.token, self.place = str(match.lastgroup), match.group(), match.end()

    def accept(self, *tokens: str) -> str:
        """Take the token if it is one of these; "" if not."""
        if self.kind in ("sign", "name") and self.token in tokens:
            token = self.token
            self.advance()
            return token
        return ""

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.fail(f"{token!r} was expected, not {self.shown}", remedy="check the brackets and commas")

    @property
    def shown(self) -> str:
        return "the end" if self.kind == "end" else repr(self.token)

    def fail(self, cause: str, *, column: int = 0, remedy: str = "") -> NoReturn:
        raise GrammarError(cause, text=self.text, column=column or self.column, element=self.element, remedy=remedy)
