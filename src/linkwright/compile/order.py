"""Orders of a program's instructions with few values alive at once: a GPU's thread has 255 registers, and what does not fit
goes through memory."""

from __future__ import annotations

import heapq

from linkwright.compile.lanes import needed
from linkwright.compile.program import Instruction, Program


def ordered(program: Program, wanted: int = 1) -> Program:
    """The first `wanted` outputs, in the order with fewest values alive at once."""
    orders = (needed(program, wanted), _depth_first(program, wanted), _greedy(program, wanted))
    return min((_reordered(program, order, wanted) for order in orders), key=alive)


def alive(program: Program) -> int:
    """The most values alive at once; constants and inputs are free."""
    last = list(range(program.length))
    for k, i in enumerate(program.instructions):
        for a in i.args:
            last[a] = k
    change = [0] * (program.length + 1)
    for k, i in enumerate(program.instructions):
        if i.args:
            change[k] += 1
            change[last[k]] -= 1
    most = now = 0
    for c in change:
        now += c
        most = max(most, now)
    return most


def _reordered(program: Program, order: list[int], wanted: int) -> Program:
    place = {k: at for at, k in enumerate(order)}
    made = [program.instructions[k] for k in order]
    instructions = tuple(Instruction(i.op, tuple(place[a] for a in i.args), i.data) for i in made)
    outputs = tuple(tuple(place[k] for k in out) for out in program.outputs[:wanted])
    return Program(instructions, outputs, program.input_sizes, program.tables)


def _depth_first(program: Program, wanted: int) -> list[int]:
    """From each output down, the argument that needs more registers first."""
    made = program.instructions
    need: dict[int, int] = {}
    for k in needed(program, wanted):
        sub = sorted((need[a] for a in set(made[k].args)), reverse=True)
        need[k] = max([1, *[x + i for i, x in enumerate(sub)]]) if made[k].args else 0
    order, seen = list[int](), set[int]()
    for root in [k for out in program.outputs[:wanted] for k in out]:
        stack = [(root, False)]
        while stack:
            k, ready = stack.pop()
            if k in seen:
                continue
            if ready:
                seen.add(k)
                order.append(k)
                continue
            stack.append((k, True))
            stack += [(a, False) for a in sorted(set(made[k].args), key=lambda a: need[a]) if a not in seen]
    return order


def _greedy(program: Program, wanted: int) -> list[int]:
    """Of the instructions that can be written now, the one that frees most values; of these that with the youngest
    arguments."""
    made, nodes = program.instructions, needed(program, wanted)
    users: dict[int, list[int]] = {k: [] for k in nodes}
    for k in nodes:
        for a in set(made[k].args):
            users[a].append(k)
    left = {k: len(set(made[k].args)) for k in nodes}
    open_uses = {k: len(users[k]) for k in nodes}
    outputs = {k for out in program.outputs[:wanted] for k in out}
    born: dict[int, int] = {}

    def gain(k: int) -> tuple[int, int, int]:
        frees = sum(open_uses[a] == 1 and a not in outputs and bool(made[a].args) for a in set(made[k].args))
        age = max((born.get(a, 0) for a in made[k].args if made[a].args), default=-1)
        return (k not in outputs) - frees, -age, k

    order = [k for k in nodes if not made[k].args]
    for k in order:
        born[k] = 0
        for u in users[k]:
            left[u] -= 1
    heap = [gain(k) for k in nodes if made[k].args and left[k] == 0]
    heapq.heapify(heap)
    done = set[int]()
    while heap:
        found = heapq.heappop(heap)
        k = found[2]
        if k in done:
            continue
        now = gain(k)
        if now[0] != found[0]:
            heapq.heappush(heap, now)
            continue
        done.add(k)
        born[k] = len(order)
        order.append(k)
        for a in set(made[k].args):
            open_uses[a] -= 1
            if open_uses[a] == 1:
                for u in users[a]:
                    if left[u] == 0 and u not in done:
                        heapq.heappush(heap, gain(u))
        for u in users[k]:
            left[u] -= 1
            if left[u] == 0:
                heapq.heappush(heap, gain(u))
    return order
