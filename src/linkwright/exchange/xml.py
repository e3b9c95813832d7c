"""XML of other programs as a tree of tags with their places. A file is hostile until it is read: no document type and so no
entities, and bounds on size, depth and count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from linkwright.bounds import LARGEST
from linkwright.model.files import FileError
from linkwright.words import meant

LARGEST_FILE = 32_000_000  # bytes
DEEPEST = 100
MOST_TAGS = 500_000
_LATE = re.compile(rb"(\s+)(<\?xml[^>]{0,200}\?>)")  # a declaration behind blanks
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(slots=True, eq=False)
class Tag:
    """One tag of a file: its attributes as texts, the tags within it, and its place."""

    name: str
    attributes: dict[str, str]
    file: str
    line: int
    column: int
    children: list[Tag] = field(default_factory=list)
    text: str = ""

    # -- what is wrong in it ---------------------------------------------------------------------------------------------
    def fail(self, cause: str, remedy: str = "", element: Any = ()) -> NoReturn:
        raise FileError(cause, file=self.file, line=self.line, column=self.column, element=element, remedy=remedy)

    def look(self, attributes: Iterable[str], children: Iterable[str] | None) -> list[str]:
        """Words in it that are not known: those that are much like a known one are errors, others are given back.

        `children` None: any.
        """
        strange = []
        for given, known, what in (
            (list(self.attributes), list(attributes), "attribute"),
            ([c.name for c in self.children], None if children is None else list(children), "tag"),
        ):
            for word in given:
                if known is None or word in known or ":" in word:
                    continue
                near = meant(word, known)
                if near and _alike(word, near[0]):
                    place = next((c for c in self.children if c.name == word), self) if what == "tag" else self
                    place.fail(f"<{self.name}> has no {what} {word!r}", f"did you mean {near[0]!r}?")
                strange.append(f"<{word}>" if what == "tag" else word)
        return strange

    # -- what is in it ---------------------------------------------------------------------------------------------------
    def all(self, name: str) -> list[Tag]:
        return [c for c in self.children if c.name == name]

    def one(self, name: str) -> Tag | None:
        """The child of this name, of which there may be one; said twice in the same words it is one, too."""
        found = self.all(name)
        if any(c.attributes != found[0].attributes or c.children or found[0].children for c in found[1:]):
            found[1].fail(f"<{self.name}> has a second <{name}>", f"the first is in line {found[0].line}: remove one")
        return found[0] if found else None

    def need(self, name: str) -> Tag:
        found = self.one(name)
        if found is None:
            near = meant(name, [c.name for c in self.children])
            self.fail(f"<{self.name}> has no <{name}>", f"is it {near[0]!r}?" if near else f"add <{name} ...>")
        return found

    def get(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, default)

    def word(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            near = meant(name, self.attributes)
            self.fail(
                f"<{self.name}> has no {name!r}",
                f"{near[0]!r} is here: is it meant?" if near else f'write <{self.name} {name}="...">',
            )
        return self.attributes[name]

    def choice(self, name: str, known: Sequence[str], default: str) -> str:
        found = self.get(name, default)
        if found not in known:
            near = meant(found, known)
            self.fail(
                f"{name!r} of <{self.name}> is {found!r}",
                f"did you mean {near[0]!r}?" if near else f"give one of {', '.join(known)}",
            )
        return found

    def number(self, name: str, default: float | None = None) -> float:
        if default is not None and name not in self.attributes:
            return default
        return self._number(name, self.word(name).strip())

    def numbers(self, name: str, size: int | None, default: Sequence[float] | None = None) -> list[float]:
        """Numbers parted by blanks; `size` None: any number of them, at least one."""
        if default is not None and name not in self.attributes:
            return list(default)
        words = self.word(name).split()
        if size is not None and len(words) != size:
            self.fail(f"{name!r} of <{self.name}> has {len(words)} numbers, not {size}", "part them by blanks")
        if not words:
            self.fail(f"{name!r} of <{self.name}> is empty", "give a number, or leave it out")
        return [self._number(name, w) for w in words]

    def _number(self, name: str, text: str) -> float:
        value = float(text) if _NUMBER.fullmatch(text) else None
        if value is None or abs(value) > LARGEST:
            self.fail(
                f"{name!r} of <{self.name}> is {text[:40]!r}, no number that can be used", "give a plain number in SI units"
            )
        return value


def _alike(word: str, known: str) -> bool:
    """Whether one is most likely a misspelling of the other, not a word of another program."""
    from difflib import SequenceMatcher

    near = SequenceMatcher(None, word.lower(), known.lower()).ratio() >= 0.75
    return near and abs(len(word) - len(known)) <= 2


def read(path: Path) -> Tag:
    """The tree of a file; FileError for whatever is no plain XML."""
    name = str(path)

    def refuse(cause: str, remedy: str) -> NoReturn:
        raise FileError(cause, file=name, line=1, column=1, remedy=remedy)

    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        refuse(f"the file cannot be read: {error.strerror or error}", "check the name")
    if len(data) > LARGEST_FILE:
        refuse(f"the file is larger than {LARGEST_FILE // 1_000_000} MB", "is it a model?")
    return parse(data, name)


def parse(data: bytes | str, file: str = "<text>") -> Tag:
    """The tree of a text."""
    return _Builder(file).build(data)


class _Builder:
    """Turns the parser's calls into tags."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.parser = expat.ParserCreate()
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype
        self.parser.ExternalEntityRefHandler = self.doctype
        self.open: list[Tag] = []
        self.root: Tag | None = None
        self.count = 0

    def fail(self, cause: str, remedy: str, line: int = 0, column: int = 0) -> NoReturn:
        p = self.parser
        raise FileError(
            cause,
            file=self.file,
            line=line or p.CurrentLineNumber,
            column=column or p.CurrentColumnNumber + 1,
            remedy=remedy,
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_TAGS:
            self.fail(f"the file has more than {MOST_TAGS} tags", "is it a model?")
        if len(self.open) >= DEEPEST:
            self.fail(f"the file is nested deeper than {DEEPEST}", "is it a model?")
        tag = Tag(name, attributes, self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        if self.open:
            self.open[-1].children.append(tag)
        else:
            self.root = tag
        self.open.append(tag)

    def end(self, name: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        if self.open and text.strip():
            self.open[-1].text += text

    def doctype(self, *_: Any) -> NoReturn:
        self.fail("document types and entities are not read", "remove <!DOCTYPE ...>: a model is plain data")

    def build(self, data: bytes | str) -> Tag:
        raw = data.encode() if isinstance(data, str) else data
        if late := _LATE.match(raw):  # others forgive it; lines stay what they are
            raw = late[2] + late[1] + raw[late.end() :]
        try:
            self.parser.Parse(raw, True)
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code)
            self.fail(f"this is no XML: {why}", "check the brackets <, > and the quotes", error.lineno, error.offset + 1)
        except (ValueError, LookupError, UnicodeError) as error:  # an encoding that is none
            self.fail(f"this is no XML: {error}", "save it in UTF-8")
        if self.root is None:
            self.fail("the file is empty", "is it a model?")
        return self.root
