"""MJCF written out: what is replicated is there as often as it is asked for, models that are attached are put in. Names get
the suffix or prefix that MuJoCo gives them, and so does whatever refers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from linkwright.exchange import xml
from linkwright.exchange.places import HERE, Place, numbers
from linkwright.exchange.xml import Tag
from linkwright.words import suggestion

if TYPE_CHECKING:
    from linkwright.exchange.mjcf import Mjcf

# kinds of things that have names of their own, and the attributes that refer to them
NAMED = {
    "body": ("body", "body1", "body2", "target"), "joint": ("joint", "joint1", "joint2", "jointinparent"),
    "geom": ("geom", "geom1", "geom2", "sidesite"), "site": ("site", "site1", "site2", "refsite", "slidersite", "cranksite"),
    "tendon": ("tendon", "tendon1", "tendon2"), "actuator": ("actuator",),
}  # fmt: skip
KIND = {"body": "body", "joint": "joint", "freejoint": "joint", "geom": "geom", "site": "site"}
SECTIONS = ("tendon", "equality", "actuator", "sensor", "contact")  # each may refer to those before
OPTIONS = ("angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "boundmass", "boundinertia")
Names = dict[str, set[str]]  # by kind


def expanded(file: Mjcf) -> None:
    """<replicate> and <attach> of a file put in place."""
    _Expander(file).all()


class _Expander:
    def __init__(self, file: Mjcf) -> None:
        self.file, self.root = file, file.root
        self.count = 0

    def all(self) -> None:
        for world in self.root.all("worldbody"):
            world.children = list(self._inside(world))

    def _inside(self, tag: Tag) -> Iterator[Tag]:
        for child in tag.children:
            if child.name == "attach":
                yield from self._attached(child)
                continue
            child.children = list(self._inside(child))
            if child.name == "replicate":
                yield from self._replicated(child)
            else:
                yield child

    # -- replicate -----------------------------------------------------------------------------------------------------
    def _replicated(self, tag: Tag) -> Iterator[Tag]:
        tag.look(("count", "sep", "offset", "euler"), None)
        count = int(tag.number("count"))
        if count < 1:
            tag.fail(f"'count' of <replicate> is {count}", "give one or more")
        self.count += count * sum(1 for _ in _every(tag))
        if self.count > xml.MOST_TAGS:
            tag.fail(f"what is replicated has more than {xml.MOST_TAGS} tags", "is it a model?")
        names = _names(tag)
        step = Place(self.file.vector(tag, "offset"), self.file.orientation(tag))
        ways = [f"{tag.get('sep')}{k:0{len(str(count))}d}" for k in range(count)]
        self._refer(names, [_suffixed(way) for way in ways])
        place = HERE
        for way in ways:
            x, y = place.A[:, 0], place.A[:, 1]
            at = {"pos": _text(place.r), "xyaxes": _text([*x, *y])}
            children = [_renamed(c, names, _suffixed(way)) for c in tag.children]
            yield Tag("frame", at, tag.file, tag.line, tag.column, children)
            place = place @ step

    def _refer(self, names: Names, ways: list[Callable[[str], str]]) -> None:
        """What refers to one of the names is there for each new one."""
        for word in SECTIONS:
            for section in self.root.all(word):
                out: list[Tag] = []
                for tag in section.children:
                    if not _refers(tag, names):
                        out.append(tag)
                        continue
                    own = tag.get("name")
                    if own and word in NAMED:
                        names.setdefault(word, set()).add(own)
                    for way in ways:
                        new = _renamed(tag, names, way)
                        if own:
                            new.attributes["name"] = way(own)
                        out.append(new)
                section.children = out

    # -- attach --------------------------------------------------------------------------------------------------------
    def _attached(self, tag: Tag) -> Iterator[Tag]:
        tag.look(("model", "body", "prefix"), ())
        models = {asset_name(a): a for a in self.file.section("asset") if a.name == "model"}
        name, prefix = tag.word("model"), tag.get("prefix")
        if name not in models:
            tag.fail(f"there is no model {name!r} among the assets", suggestion(name, models))
        other = self._read(models[name])
        expanded(other)
        world = [c for w in other.root.all("worldbody") for c in w.children]
        if "body" in tag.attributes:
            bodies = {b.get("name"): b for c in world for b in _every(c) if b.name == "body"}
            if tag.get("body") not in bodies:
                tag.fail(f"the model {name!r} has no body {tag.get('body')!r}", suggestion(tag.get("body"), bodies))
            world = [bodies[tag.get("body")]]
        holder = Tag("frame", {"childclass": f"{prefix}main"}, tag.file, tag.line, tag.column, world)
        names = _names(holder)
        self._take(other, names, prefix)
        yield _prefixed(_renamed(holder, names, lambda x: prefix + x), prefix, top=True)

    def _read(self, asset: Tag) -> Mjcf:
        name = asset.word("file")
        try:
            path = self.file.folders.find(name)
        except LookupError as why:
            asset.fail(f"the file {name!r} is {why}", "models are attached from below the folder of the file only")
        if path in self.file.opened or len(self.file.opened) > 20:
            asset.fail(f"the file {name!r} attaches itself", "remove one of both")
        other = type(self.file).read(path, xml.read(path), self.file.folders.packages, [*self.file.opened, path])
        for word in OPTIONS:
            given = [{t.get(word) for t in f.root.all("compiler") if word in t.attributes} for f in (self.file, other)]
            if given[0] != given[1] and given[1] != {_DEFAULT.get(word)}:
                asset.fail(
                    f"the model that is attached has another {word!r} of <compiler>: {sorted(given[1]) or 'none'}",
                    "write the same <compiler> in both files",
                )
        return other

    def _take(self, other: Mjcf, names: Names, prefix: str) -> None:
        """Default classes, meshes, and what refers to bodies and joints that were attached."""
        for name, kinds in other.classes.items():
            self.file.classes[prefix + name] = kinds
        assets = [a for a in other.section("asset") if a.name == "mesh"]
        new = [
            _prefixed(replace(a, attributes=a.attributes | {"name": prefix + asset_name(a)}), prefix, top=True)
            for a in assets
        ]
        for a in new:
            if "file" in a.attributes:
                a.attributes["file"] = str(other.folders.home / other.compiler.meshdir / a.get("file"))
        self._add("asset", new)
        for word in SECTIONS:
            found = [t for t in other.section(word) if _refers(t, names)]
            for t in found:
                if word in NAMED and t.get("name"):
                    names.setdefault(word, set()).add(t.get("name"))
            renamed = [_prefixed(_renamed(t, names, lambda x: prefix + x), prefix, top=True) for t in found]
            for t in renamed:
                if t.get("name"):
                    t.attributes["name"] = prefix + t.get("name").removeprefix(prefix)
            self._add(word, renamed)

    def _add(self, section: str, tags: list[Tag]) -> None:
        if tags:
            self.root.children.append(Tag(section, {}, self.root.file, self.root.line, self.root.column, tags))


_DEFAULT = {"angle": "degree", "eulerseq": "xyz", "autolimits": "true", "inertiafromgeom": "auto"}


def _suffixed(suffix: str) -> Callable[[str], str]:
    return lambda name: name + suffix


def _text(x: object) -> str:
    return " ".join(repr(v) for v in numbers(x))


def asset_name(asset: Tag) -> str:
    """The name of an asset: that of its file, where it has none of its own."""
    return asset.get("name") or asset.get("file").replace("\\", "/").rpartition("/")[2].rpartition(".")[0]


def _every(tag: Tag) -> Iterator[Tag]:
    yield tag
    for child in tag.children:
        yield from _every(child)


def _names(tag: Tag) -> Names:
    out: Names = {}
    for t in _every(tag):
        if t.name in KIND and t.get("name"):
            out.setdefault(KIND[t.name], set()).add(t.get("name"))
    return out


def _refers(tag: Tag, names: Names) -> bool:
    return any(
        t.get(word) in names.get(kind, ()) for t in _every(tag) for kind, words in NAMED.items() for word in words
    )  # fmt: skip


def _renamed(tag: Tag, names: Names, way: Callable[[str], str]) -> Tag:
    """A copy with other names, of those that are known."""
    attributes = dict(tag.attributes)
    kind = KIND.get(tag.name)
    if kind and attributes.get("name") in names.get(kind, ()):
        attributes["name"] = way(attributes["name"])
    for of, words in NAMED.items():
        for word in words:
            if attributes.get(word) in names.get(of, ()):
                attributes[word] = way(attributes[word])
    return replace(tag, attributes=attributes, children=[_renamed(c, names, way) for c in tag.children])


def _prefixed(tag: Tag, prefix: str, top: bool = False) -> Tag:
    """With the names of classes and meshes that an attached model has."""
    attributes = dict(tag.attributes)
    for word in ("class", "childclass", "mesh"):
        if word in attributes and not (word == "childclass" and top and attributes[word] == f"{prefix}main"):
            attributes[word] = prefix + attributes[word]
    if top and tag.name not in ("frame", "body") and "class" not in attributes:
        attributes["class"] = f"{prefix}main"
    return replace(tag, attributes=attributes, children=[_prefixed(c, prefix) for c in tag.children])
