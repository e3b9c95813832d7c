"""The order in which the bodies and multipliers of a machine are eliminated in loops.

`system.tree` orders what is written out as straight-line code, where a row that closes a loop waits for all of the loop: a
pivot that turns out small cannot be mended there. Here another compliance of the rows is taken then, and a row may go as
soon as its own bodies are gone. Both span the bodies by `breadth_first`.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.system.breadth_first import parents

GROUND = -1


def waiting(bodies: int, size: int, ends: Sequence[Sequence[int]], rows: Sequence[int]) -> list[list[int]]:
    """The bodies that must be eliminated before the multipliers of each element.

    ``ends[e]``: the moving bodies of element e (`size` velocities each), ``rows[e]``: how many equations it has.

    In the spanning tree from ground a joint waits for the body on its far side alone; all others, which close loops, for all
    their bodies. The rows of all elements along one edge of the tree may not be more than the far body's freedoms: their
    pivot would be singular.
    """
    parent = _spanning_tree(bodies, ends)
    free = [size] * bodies
    out: list[list[int]] = []
    for e, around in enumerate(ends):
        moving = list(around)
        if len(moving) == 2:
            a, b = moving
            child = b if parent[b] == a else a if parent[a] == b else -1
            if child >= 0 and free[child] >= rows[e]:
                free[child] -= rows[e]
                moving = [child]
        out.append(moving)
    return out


def _spanning_tree(bodies: int, ends: Sequence[Sequence[int]]) -> dict[int, int]:
    """The parent of each body in a spanning tree; GROUND for those on the ground, and for one of each floating part."""
    links: dict[int, list[int]] = {}
    for around in ends:
        if len(around) in (1, 2):
            a, b = around if len(around) == 2 else (GROUND, around[0])
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
    return parents(links, GROUND, range(bodies))
