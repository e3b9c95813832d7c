"""In what order the bodies and multipliers of a machine are eliminated: who must wait for whom."""

from __future__ import annotations

from collections.abc import Sequence


def waiting(bodies: int, size: int, ends: Sequence[Sequence[int]], rows: Sequence[int]) -> list[list[int]]:
    """For each element, the bodies that must be eliminated before its multipliers.

    ``ends[e]``: the moving bodies of element e (`size` velocities each), ``rows[e]``: how many equations it has.

    In the spanning tree from ground a joint waits for the body on its far side alone; all others, which close loops, for
    all their bodies. The rows of all elements along one edge of the tree may not be more than the far body's freedoms:
    their pivot would be singular.
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


def _spanning_tree(bodies: int, ends: Sequence[Sequence[int]]) -> list[int]:
    """The parent of each body by breadth first search from ground; -1 for those on ground, and one of each floating part."""
    neighbours: list[list[int]] = [[] for _ in range(bodies)]
    grounded: dict[int, None] = {}
    for around in ends:
        if len(around) == 1:
            grounded[around[0]] = None
        elif len(around) == 2:
            a, b = around
            neighbours[a].append(b)
            neighbours[b].append(a)
    parent: dict[int, int] = {}
    for roots in [list(grounded), *[[k] for k in range(bodies)]]:
        queue = [k for k in roots if k not in parent]
        parent.update(dict.fromkeys(queue, -1))
        for a in queue:
            for b in neighbours[a]:
                if b not in parent:
                    parent[b] = a
                    queue.append(b)
    return [parent[k] for k in range(bodies)]
