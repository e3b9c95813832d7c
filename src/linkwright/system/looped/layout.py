"""The layout of a looped machine: the places of its numbers in memory, and the scripts that compute them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from linkwright.compile.block_ldl import BlockLDL
from linkwright.compile.clock import traced_property as cached_property
from linkwright.compile.script import Arena, Script
from linkwright.errors import CompileError
from linkwright.graph import Scalar
from linkwright.model import Model
from linkwright.model.quantities import ACCELERATIONS
from linkwright.system.forces import LEVELS
from linkwright.system.looped.assembled import Assembled
from linkwright.system.looped.group import Group
from linkwright.system.looped.groups import body_groups, follows_from_multipliers, groups, is_impact
from linkwright.system.looped.kinematics import write_kinematics
from linkwright.system.looped.laws import write_calls
from linkwright.system.looped.modes import Modes, Place
from linkwright.system.looped.resting import Resting, rests
from linkwright.system.looped.simple import copied, nothing, weighted, zeros
from linkwright.system.looped.told import Telling
from linkwright.system.looped.watched import Watched, watched
from linkwright.system.mechanics import channel_of
from linkwright.system.system import curve_parameters
from linkwright.system.tree import waiting

SCRIPTS = (
    "rates", "velocity", "masses", "elements", "factor", "back", "position", "drift", "turned", "retract", "again",
    "switches", "memories", "watched", "friction", "called", "told", "slots", "numbers",
)  # fmt: skip


MEMORY = 5  # iterations of friction that are looked back on


class Layout:
    """A machine's elements in groups, its unknowns numbered, its scripts written.

    The state is y = (q, v, turns, work), as of `linkwright.system.motion`: coordinates, velocities, references of multi-turn
    angles (an element has its own), and the work of all that has no potential.

    Scripts: "rates" (qdot, rates of turns, power), "velocity" (nu), "masses" and "elements" (M; J, Q - h, gamma), "factor",
    "back" (the solution), "position" (Phi, J), "drift" (Phi'), "turned" (new references, phases), "retract" (q moved by x).
    "position" after "masses" may take the place of "elements"; the right-hand sides must then be set. "again" (where `held`,
    see `BlockLDL`): another right-hand side. "switches" (where laws that switch are `flagged`): the functions whose signs
    the flags are; "memories": depths and speeds of contacts that remember; "watched": quantities by name, and gaps;
    "friction": generalised forces that follow from the multipliers in `sum`, those of the iteration before. "called": the
    values of laws in plain Python; "told": what watched quantities take from the solution, accelerations and multipliers;
    "slots": what dry friction does, bears and has left under the solution; "numbers": its coefficients, and where it is.

    Rows that hold in some modes only (`resting`) come after all others: `own_rows` of these.
    """

    def __init__(
        self, model: Model, held: bool = False, flagged: bool = False, quantities: Mapping[str, Scalar] | None = None
    ) -> None:
        self.model = model
        self.held = held or any(map(follows_from_multipliers, model.elements.values()))  # friction is found by iteration
        self.bodies = [b for b in model.bodies.values() if not b.is_ground]
        if not self.bodies:
            raise CompileError("there is no body to move", element=model.name, remedy="add one")
        self.per_body = (3, 3) if model.dimension == 2 else (7, 6)
        self.held |= any(map(rests, model.elements.values()))
        self.extra = [name for e in model.elements.values() for name in curve_parameters(e)]
        self.held |= bool(self.extra)  # they have no inertia
        self.nq, self.nv = (n * len(self.bodies) + len(self.extra) for n in self.per_body)
        self._number = {id(b): k for k, b in enumerate(self.bodies)}
        self._curve = {name: len(self.bodies) + k for k, name in enumerate(self.extra)}
        self.masses = body_groups(model, self.bodies)
        self.groups = groups(model, flagged)
        self.all_groups = [*self.masses, *self.groups]
        self.watched = watched(model, quantities or {})
        self.every: list[Group] = [*self.all_groups, *self.watched]
        self.resting = {g: Resting(group) for g, group in enumerate(self.groups) if rests(group.element)}
        self._number_rows()
        self._claim()
        self._write_scripts()

    def adopt(self, model: Model) -> None:
        """Take another model of the same structure for the one it was made of."""
        self.model = model
        self.bodies = [model.bodies[b.name] for b in self.bodies]
        self._number = {id(b): k for k, b in enumerate(self.bodies)}
        for group in self.every:
            group.adopt(model)

    # -- numbering -----------------------------------------------------------------------------------------------------
    def moving(self, group: Group, m: int) -> list[int]:
        """The numbers of what a member of a group moves: bodies, then parameters of curves, which come after all bodies."""
        return [*[self._number[id(b)] for b in group.bodies[m]], *[self._curve[name] for name in group.curves(m)]]

    @property
    def movable(self) -> int:
        """The number of blocks of displacements: of bodies and of parameters of curves."""
        return len(self.bodies) + len(self.extra)

    def starts(self, k: int) -> tuple[int, int]:
        """Where the k-th of these blocks begins in q and in v."""
        n, bodies = self.per_body, len(self.bodies)
        return tuple(x * min(k, bodies) + max(k - bodies, 0) for x in n)  # type: ignore[return-value]

    def _number_rows(self) -> None:
        """Rows and blocks of multipliers, in the order of the model's elements."""
        kinds = sorted((k, g, m) for g, group in enumerate(self.groups) for m, k in enumerate(group.members))
        self.ends: list[list[int]] = []  # of each block of multipliers: its bodies
        self.row_names: list[str] = []
        self.row_elements: list[str] = []
        self._node: dict[tuple[int, int], int] = {}
        self.sizes = [self.per_body[1]] * len(self.bodies) + [1] * len(self.extra)
        for _, g, m in kinds:
            group = self.groups[g]
            if group.residuals:
                self._node[g, m] = len(self.sizes)
                self.sizes.append(len(group.residuals))
                self.ends.append(self.moving(group, m))
                self.row_names += [group.names[m] + name for name in group.row_names]
                self.row_elements += [group.names[m]] * len(group.residuals)
        self.own_rows, self._own_ends = len(self.row_names), len(self.ends)
        self._rest_nodes: dict[tuple[int, int], list[int]] = {}
        self._rest_rows: dict[tuple[int, int], int] = {}
        for _, g, m in kinds:
            if g in self.resting:
                group, own = self.groups[g], self.resting[g]
                self._rest_nodes[g, m] = [len(self.sizes) + n for n in range(len(own.nodes))]
                self._rest_rows[g, m] = len(self.row_names)
                self.sizes += [len(node) for node in own.nodes]
                self.ends += [self.moving(group, m)] * len(own.nodes)
                self.row_names += [group.names[m] + name for name in own.row_names]
                self.row_elements += [group.names[m]] * len(own.rows)

    @property
    def rows(self) -> int:
        return len(self.row_names)

    @property
    def of_velocities(self) -> list[str]:
        """The elements that constrain velocities."""
        return [name for group in self.groups if group.of_rows.of_velocities for name in group.names]

    def _claim(self) -> None:
        self.arena = arena = Arena()
        self.t = arena.claim(1)
        self.nturns = sum(len(g.turns) * len(g.members) for g in self.every)
        self.ny = self.nq + self.nv + self.nturns + 1
        self.y = arena.claim(self.ny)
        self.b = [[arena.claim(len(g.constants)) for _ in g.members] for g in self.every]
        self._turns = _numbered([(len(g.turns), len(g.members)) for g in self.every])
        self._flags = _numbered([(len(g.flags.switches), len(g.members)) for g in self.every])
        self.nflags = sum(len(g.flags.switches) * len(g.members) for g in self.groups)
        self.flags = arena.claim(self.nflags)
        self.looks = 1 + max((g.flags.nested for g in self.groups), default=0)  # until all conditions are known
        self._calls = _numbered([(len(g.calls), len(g.members)) for g in self.every])
        self.calls = arena.claim(sum(len(g.calls) * len(g.members) for g in self.groups))
        self.npower = sum(g.has_power * len(g.members) for g in self.groups)
        self.power, self.turning, self.turned = (arena.claim(n) for n in (self.npower, self.nturns, self.nturns))
        self.qdot = arena.claim(self.nq)
        count, bodies = self.movable, len(self.bodies)
        multiplier = [False] * count + [True] * len(self.ends)
        pattern = [(count + e, k) for e, around in enumerate(self.ends) for k in around] + self._coupled()
        # rows of curves, and those that hold in some modes, wait for all they touch: they are no edges of the tree
        curved = [any(k >= bodies for k in around) or e >= self._own_ends for e, around in enumerate(self.ends)]
        plain = [[] if with_curve else around for with_curve, around in zip(curved, self.ends, strict=True)]
        waits = waiting(bodies, self.per_body[1], plain, self.sizes[count:])
        after = {count + e: self.ends[e] if curved[e] else moving for e, moving in enumerate(waits)}
        self.ldl = BlockLDL(arena, self.sizes, multiplier, pattern, after, self.held)
        self.x = self.ldl.x[0]  # vdot, then lam
        self.Phi, self.nu, self.drift = (arena.claim(self.rows) for _ in range(3))
        self.moved = arena.claim(self.nq)
        self.striking = [(g, m) for g, e in enumerate(self.groups) if is_impact(e.element) for m in range(len(e.names))]
        self.striking.sort(key=lambda x: self.groups[x[0]].members[x[1]])  # in the order of the model's elements
        self.impacts = [
            f"{self.groups[g].names[m]}.{i.part}" if i.part else self.groups[g].names[m]
            for g, m in self.striking
            for i in self.groups[g].loads.impacts
        ]
        self.gap, self.levels = arena.claim(len(self.impacts)), arena.claim(LEVELS * len(self.impacts))
        self.switches, self.seen = arena.claim(self.nflags), arena.claim(len(self.watched))
        self.sum = arena.claim(2 * self.nv + self.rows if self.held else 0)
        self.modes = Modes.of(self)

    def _coupled(self) -> list[tuple[int, int]]:
        """The pairs of blocks that have common inertia, the larger number first."""
        members = [(group, m) for group in self.groups if group.carried for m in range(len(group.members))]
        pairs = [(max(two), min(two)) for group, m in members for two in combinations(self.moving(group, m), 2)]
        return list(dict.fromkeys(pairs))

    @property
    def turns(self) -> int:
        """The place of the references of multi-turn angles."""
        return self.y + self.nq + self.nv

    @cached_property
    def turn_names(self) -> list[str]:
        """The machine's name of the angle of each reference, which several references may share; "" where it has none."""
        members = [(group, m) for group in self.every for m in range(len(group.members))]
        return [group.called(name, m) for group, m in members for name in group.geometry.turns]

    @cached_property
    def jumping(self) -> list[int]:
        """The watched quantities that may jump while the state does not."""
        return [k for k, quantity in enumerate(self.watched) if quantity.jumps(self.groups)]

    @cached_property
    def states(self) -> dict[str, int]:
        """The places of the machine's states among the references, by name."""
        known = self.model.states
        return {name: k for k, name in enumerate(self.turn_names) if name in known}

    @cached_property
    def turn_places(self) -> dict[str, int]:
        """The place of the first reference of each name."""
        return {name: k for k, name in reversed(list(enumerate(self.turn_names)))}

    def _places(self, g: int, m: int, group: Group) -> list[int]:
        """The inputs of a member, as of `Group.inputs`."""
        places = [self.starts(k) for k in self.moving(group, m)]
        q, v = [self.y + at for at, _ in places], [self.y + self.nq + at for _, at in places]
        flags = [self.flags + self._flags[g][m]] if group.flags.switches else []
        calls = [self.calls + self._calls[g][m]] if group.calls else []
        states = [self.turns + self.states[name] for name in group.needs[m]]
        return [*q, *v, self.t, self.b[g][m], self.turns + self._turns[g][m], *flags, *calls, *states]

    # -- scripts -------------------------------------------------------------------------------------------------------
    def _write_scripts(self) -> None:
        self.scripts = {name: Script(self.arena) for name in SCRIPTS}
        self.phases: list[tuple[str, int, int]] = []  # (element, where its constant is, where "turned" puts a new one)
        self.memories: list[tuple[int, int, int, list[int]]] = []  # (reference, depth, speed, the switches it begins with)
        self.switched: list[str] = []  # elements, by flag
        self.kinks: list[bool] = []  # likewise: whether there is no condition
        self.rubs: list[tuple[int, int]] = []  # of friction: (first displacement of a body, where its force is)
        self.rubbing: dict[int, list[int]] = {}  # by group: the blocks of multipliers that friction depends on
        self._powers = 0
        ldl = self.ldl
        for g, group in enumerate(self.masses):
            for m, k in enumerate(group.members):
                outs = [ldl.diagonal[k].next(), ldl.right[k].next()]
                self.scripts["masses"].add(group.mass, self._places(g, m, group), outs)
        for k in range(len(self.bodies), self.movable):
            self.scripts["masses"].add(nothing(), [self.t], [ldl.diagonal[k].next(), ldl.right[k].next()])
        self._add_carried()
        for g, group in enumerate(self.groups):
            for m in range(len(group.members)):
                ins = self._places(len(self.masses) + g, m, group)
                if group.residuals:
                    self._add_rows(self._node[g, m], m, group, ins)
                if group.has_force:
                    self._add_force(m, group, ins)
                if group.turns or group.traced.phases:
                    self._add_turns(len(self.masses) + g, m, group, ins)
                self._add_switches(len(self.masses) + g, m, group, ins)
        for place in self.modes.places:
            self._add_rest(place)
        self._add_friction()
        # of friction: what was used and how it changed, of the last iterations, too; shares and equations for them
        self.mixed = self.arena.claim(len(self.rubs) * self.per_body[1] * (2 + 2 * MEMORY) + MEMORY * (MEMORY + 1))
        calling = [(g, m) for g, group in enumerate(self.groups) if group.calls for m in range(len(group.names))]
        given = [(self.groups[g], m, self._places(len(self.masses) + g, m, self.groups[g])) for g, m in calling]
        self.laws = write_calls(self.scripts["called"], given, self.t, self.calls)
        at = self.gap
        for g, m in self.striking:
            self.scripts["watched"].add(self.groups[g].gap, self._places(len(self.masses) + g, m, self.groups[g]), [at])
            at += len(self.groups[g].loads.impacts)
        for k, quantity in enumerate(self.watched):
            g = len(self.all_groups) + k
            ins = self._places(g, 0, quantity)
            self.scripts["watched"].add(quantity.watched, [*ins, *self._add_told(quantity)], [self.seen + k])
            if quantity.turns:
                self._add_turns(g, 0, quantity, ins)
        self.assembled = Assembled(self.arena, self.sizes, ldl)  # where things are before elimination
        ldl.build(self.scripts["factor"], self.scripts["back"], self.scripts["again"])
        write_kinematics(self)

    def _add_carried(self) -> None:
        """Inertia along quantities."""
        ldl, script = self.ldl, self.scripts["masses"]
        for key in self._coupled():
            script.add(zeros(self.sizes[key[0]] * self.sizes[key[1]]), [self.t], [ldl.blocks[key].next()])
        for g, group in enumerate(self.groups):
            for m in range(len(group.members)) if group.carried else ():
                moving = self.moving(group, m)
                cells = [cell for k in moving for cell in (ldl.diagonal[k], ldl.right[k])]
                pairs = list(combinations(moving, 2))
                cells += [ldl.blocks[max(two), min(two)] for two in pairs]
                ins = [*self._places(len(self.masses) + g, m, group), *[cell.at() for cell in cells]]
                script.add(group.carrying(tuple(i < j for i, j in pairs)), ins, [cell.next() for cell in cells])

    def _add_rows(self, node: int, m: int, group: Group, ins: list[int]) -> None:
        row = self.ldl.x[node] - self.ldl.x[self.movable]
        J = [self.ldl.blocks[node, k].next() for k in self.moving(group, m)]
        self.scripts["elements"].add(group.acceleration, ins, [self.ldl.right[node].next(), *J])
        self.scripts["position"].add(group.position, ins, [self.Phi + row, *J])
        self.scripts["drift"].add(group.drift, ins, [self.drift + row])
        if group.driven:
            self.scripts["velocity"].add(group.velocity, ins, [self.nu + row])

    def _add_force(self, m: int, group: Group, ins: list[int]) -> None:
        right = [self.ldl.right[k] for k in self.moving(group, m)]
        self.scripts["elements"].add(group.force, [*ins, *[r.at() for r in right]], [r.next() for r in right])
        if group.has_power:
            self.scripts["rates"].add(group.power, ins, [self.power + self._powers])
            self._powers += 1

    def _add_switches(self, g: int, m: int, group: Group, ins: list[int]) -> None:
        switches, memories = group.flags.switches, group.loads.memories if group.element is not None else []
        first = self._flags[g][m]
        if switches:
            self.scripts["switches"].add(group.switched, ins, [self.switches + first])
            self.switched += [group.names[m]] * len(switches)
            self.kinks += [s.condition is None for s in switches]
        if memories:
            depth, speed = self.arena.claim(len(memories)), self.arena.claim(len(memories))
            self.scripts["memories"].add(group.remembered, ins, [depth, speed])
            names = list(group.geometry.turns)
            for k, memory in enumerate(memories):
                at = self._turns[g][m] + names.index(memory.name)
                begins = [first + j for j, s in enumerate(switches) if s.g is memory.depth]
                self.memories.append((at, depth + k, speed + k, begins))

    def _add_friction(self) -> None:
        node = {self.groups[g].names[m]: k for (g, m), k in self._node.items()}
        for g, group in enumerate(self.groups):
            if not follows_from_multipliers(group.element):
                continue
            self.rubbing[g] = [node[getattr(self.model.elements[name], "joint", name)] for name in group.names]
            if g in self.resting:
                continue
            force = Telling(group).friction
            for m, joint in enumerate(self.rubbing[g]):
                places = self._places(len(self.masses) + g, m, group)
                outs = [self.arena.claim(2 * self.per_body[1]) for _ in group.bodies[m]]
                bodies = [self._number[id(b)] for b in group.bodies[m]]
                self.rubs += [(self.per_body[1] * b, at) for b, at in zip(bodies, outs, strict=True)]
                self.scripts["friction"].add(force, [*places, self.sum + self.ldl.x[joint] - self.x], outs)

    def _add_rest(self, place: Place) -> None:
        own, moving = place.resting, self.moving(place.resting.group, place.member)
        J = [self.ldl.blocks[node, k].next() for node in place.nodes for k in moving]
        right = [self.ldl.right[node].next() for node in place.nodes]
        first = place.rows[0]
        self.scripts["elements"].add(own.acceleration, place.inputs, [*right, *J])
        self.scripts["position"].add(own.position, place.inputs, [self.Phi + first, *J])
        self.scripts["drift"].add(own.drift, place.inputs, [self.drift + first])
        self.scripts["velocity"].add(own.velocity, place.inputs, [self.nu + first])
        if not own.slots:
            return
        bodies, n = moving[: own.group.width], self.per_body[1]
        outs = [self.arena.claim(2 * n) for _ in bodies]
        self.rubs += [(n * b, at) for b, at in zip(bodies, outs, strict=True)]
        self.scripts["friction"].add(own.force, [*place.inputs, *place.multipliers(self.sum - self.x)], outs)
        told = [self.modes.F + self.modes.speeds[place.slot], self.modes.N + place.slot, self.modes.margin + place.slot]
        self.scripts["slots"].add(own.told, [*place.inputs, *place.multipliers()], told)
        numbers = [self.modes.numbers + 5 * place.slot, self.modes.at + place.slot]
        self.scripts["numbers"].add(own.numbers, place.inputs, numbers)

    def _add_told(self, quantity: Watched) -> list[int]:
        """The places at which a watched quantity finds accelerations of its bodies and outputs of elements, if it asks for
        any."""
        nv, script = self.per_body[1], self.scripts["told"]
        places = [self.x + self.starts(k)[1] for k in self.moving(quantity, 0)] if quantity.accelerates else []
        if not quantity.outputs:
            return places
        where = self.arena.claim(len(quantity.outputs))
        for k, name in enumerate(quantity.outputs):
            owner, channel = channel_of(name, {**self.model.elements, **self.model.bodies})
            number = next((j for j, b in enumerate(self.bodies) if b.name == owner), -1)
            if number >= 0:
                at = self.x + nv * number + ACCELERATIONS[self.model.dimension].index(channel)
                script.add(copied(), [at], [where + k])
                continue
            g, m = next((g, e.names.index(owner)) for g, e in enumerate(self.groups) if owner in e.names)
            if g in self.resting and (own := self.modes.told(self.groups[g], m, channel, self.x + self.nv)):
                script.add(weighted(tuple(factor for _, factor in own)), [at for at, _ in own], [where + k])
                continue
            told = Telling(self.groups[g])
            joint = self.rubbing[g][m] if g in self.rubbing else self._node.get((g, m), -1)
            lam = self.ldl.x[joint] if joint >= 0 else self.x
            script.add(told.of(channel), [*self._places(len(self.masses) + g, m, self.groups[g]), lam], [where + k])
        return [*places, where]

    def _add_turns(self, g: int, m: int, group: Group, ins: list[int]) -> None:
        at, phases = self._turns[g][m], len(group.traced.phases)
        new = self.arena.claim(phases)
        self.scripts["turned"].add(group.turned, ins, [self.turned + at, new])
        if group.turns:
            self.scripts["rates"].add(group.turning, ins, [self.turning + at])
        if phases:  # an element has one at most
            self.phases.append((group.names[m], self.b[g][m] + len(group.constants) - 1, new))


def _numbered(counts: list[tuple[int, int]]) -> list[list[int]]:
    """The places of the numbers of each member of each group, group after group; counts: (numbers of a member, members)."""
    out, at = [], 0
    for size, members in counts:
        out.append([at + m * size for m in range(members)])
        at += size * members
    return out
