"""A spanning tree of bodies: which body each hangs on."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Body = TypeVar("Body", bound=Hashable)


def parents(links: Mapping[Body, Iterable[Body]], ground: Body, bodies: Iterable[Body]) -> dict[Body, Body]:
    """The body below each, in the order in which they are found: breadth first from the ground, so that branches are short.

    ``links``: the neighbours of each body, in the order in which they are taken. A part of the machine that nothing joins to
    the ground hangs on it by the first of ``bodies`` that belongs to the part.
    """
    found: dict[Body, Body] = {}
    for root in (ground, *bodies):
        if root in found:
            continue
        if root != ground:
            found[root] = ground
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for other in links.get(body, ()):
                if other not in found and other != ground:
                    found[other] = body
                    queue.append(other)
    return found
