"""The equations of motion of a machine, ready to be written as C: y' = f(t, y, p), outputs, the projection onto the joints.

The state y holds coordinates and velocities of the bodies, states of elements, and references of angles that count turns.
The parameters p are the model's, then what forces have as inputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import model as lw
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.errors import ModelError
from linkwright.exchange.c_code import Writer, numbers, texts
from linkwright.graph import Expr, Scalar, along, evaluate, substitute
from linkwright.model import TIME
from linkwright.model.values import parameter_name
from linkwright.system.motion import Flow
from linkwright.system.slots import has_slots
from linkwright.system.switches import Flags
from linkwright.words import an, suggestion

STABILISED = 10.0  # [1/s] alpha and beta of the constraints: nothing where they hold
Functions = dict[str, tuple[str, dict[str, Sequence[Scalar]], list[str]]]  # by name: what it is, what it gives, names


@dataclass(eq=False)
class EquationsInC:
    """inputs: parameters, or names of forces, torques, motors and drivers, which then act as their input says."""

    model: lw.Model
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.model = self.model.copy()
        self.model.validate()
        self.given = made(self.model, self.inputs)
        self._refuse()
        self.machine = LoadedMachine(self.model)
        loads = self.machine.system.loads
        if loads.callbacks:
            raise ModelError(
                "a law calls Python, which no C file can",
                element=loads.callbacks[0].element,
                remedy="write it with lw.sin, lw.where, ...",
            )
        if loads.memories:
            raise ModelError(
                "the law of the contact remembers the speed of an impact, which is no equation",
                element=loads.memories[0].element,
                remedy="give it the law hunt-crossley",
            )
        start = initial_state(self.machine, 0.0)
        kept, _ = self.machine.kept_rows(start.q, start.t)
        self.machine.solve(start.q, start.v, start.t)  # names what nothing determines
        self.flow = self._flow([int(k) for k in kept])
        self.y0 = np.concatenate([start.q, start.v, self.machine.turns])

    def _flow(self, rows: list[int]) -> Flow:
        flow = Flow(self.machine.system, rows, stabilised=len(rows) > 0)
        flow.flags = Flags([])  # conditions of laws are what they are: whoever integrates looks for kinks
        return flow

    def _refuse(self) -> None:
        for e in self.model.elements.values():
            if getattr(e, "restitution", None) is not None and self.model.value(getattr(e, "k", 0.0)) == 0:
                raise ModelError(
                    "an impact is an event, not an equation",
                    element=e.name,
                    remedy="export an FMU, give the contact a stiffness k=, or leave it out",
                )
        self._refuse_sticking()

    def _refuse_sticking(self) -> None:
        if sticks := has_slots(self.model):
            raise ModelError("friction that sticks is an event, not an equation", element=sticks, remedy="give stick=False")

    # -- the pieces ----------------------------------------------------------------------------------------------------
    @property
    def names(self) -> list[str]:
        """Of the state."""
        c = self.machine.system.coordinates
        return [*c.q_names, *c.v_names, *(f"turns of {n}" for n in self.machine.system.turn_names)]

    @cached_property
    def clocks(self) -> list[str]:
        """Parameters that tell when the inputs of a driver were given."""
        return list(dict.fromkeys(x.clock for x in self.given if x.clock))

    @cached_property
    def parameters(self) -> list[str]:
        """In the order of p: what the user may set, then the clocks."""
        return [*(n for n in self.model.parameters if n not in self.clocks), *self.clocks]

    @cached_property
    def _symbols(self) -> dict[str, Sequence[Expr]]:
        x = self.flow.inputs
        return {"t": list(x["t"]), "y": list(x["y"][:-1]), "p": self._p, "gain": list(x["gains"])}

    @cached_property
    def _p(self) -> list[Expr]:
        by_name = {parameter_name(s): s for s in self.machine.system.inputs["b"] if parameter_name(s)}
        return [by_name[name] for name in self.parameters]

    @cached_property
    def _rest(self) -> dict[Expr, float]:
        """Constants that are numbers in the file."""
        own = set(map(id, self._p))
        b = zip(self.machine.system.inputs["b"], self.machine.b, strict=True)
        return {s: float(x) for s, x in b if id(s) not in own}

    def _fixed(self, values: Sequence[Scalar]) -> list[Scalar]:
        known: dict[Expr, Scalar] = dict(self._rest)
        known |= dict.fromkeys(self._symbols["gain"], STABILISED)
        return substitute(self.flow._in_state(values), known)

    @cached_property
    def rates(self) -> list[Scalar]:
        vdot, _ = self.flow.solution
        return self._fixed([*self.flow._moving(vdot), *self.flow._turning])

    @cached_property
    def told(self) -> list[Scalar]:
        asked = [Watch.of(name, name).asked(self.machine) for name in self.outputs]
        return self._fixed(self.flow.watched(asked)) if asked else []

    @cached_property
    def projected(self) -> list[Scalar]:
        """y brought back to the joints."""
        if not self.flow.rows:
            return list(self._symbols["y"])
        return self._fixed(self._projection())

    def _projection(self) -> list[Scalar]:
        s, c = self.machine.system, self.machine.system.coordinates
        zero: list[Scalar] = [0.0] * self.flow.saddle.n
        d = self.flow._least([-s.residuals[k] for k in self.flow.rows], zero)
        step = s.inputs["d"]
        q = substitute(list(c.retracted(step)), dict(zip(step, d, strict=True)))
        at = dict(zip(c.q, q, strict=True))
        w = self.flow._least([-x for x in substitute(self.flow._rates, at)], zero)
        turns = substitute([angle for _, angle in s.geometry.turns.values()], at)
        return [*q, *(x + y for x, y in zip(c.v, w, strict=True)), *turns]

    # -- the file ------------------------------------------------------------------------------------------------------
    @property
    def functions(self) -> Functions:
        near = "The state a step nearer to what the joints allow (once after a step of an integrator is enough)."
        return {
            "rates": ("The rates of the state.", {"ydot": self.rates}, [f"{n}'" for n in self.names]),
            "project": (near, {"out": self.projected}, self.names),
            "outputs": ("The outputs.", {"out": self.told}, list(self.outputs)),
        }

    @property
    def arguments(self) -> dict[str, Sequence[Expr]]:
        """Of all functions."""
        return {k: self._symbols[k] for k in ("t", "y", "p")}

    def text(self, prefix: str) -> str:
        """The C file."""
        writer = Writer(prefix)
        names = self.names
        functions = [
            f"/* {what} */\n" + writer.function(name, self.arguments | self.seeds.get(name, {}), given, told)
            for name, (what, given, told) in self.functions.items()
        ]
        head = HEAD.format(name=self.model.name.replace("*/", "* /"), prefix=prefix, PREFIX=prefix.upper(), ny=len(names),
                           np=len(self.parameters), no=len(self.outputs))  # fmt: skip
        data = DATA.format(
            prefix=prefix, ny=len(names), states=texts(names), parameters=texts(self.parameters) or "0",
            outputs=texts(list(self.outputs)) or "0", np=max(len(self.parameters), 1), no=max(len(self.outputs), 1),
            y0=numbers(self.y0), p0=numbers([self.model.parameters[n] for n in self.parameters]) or "0",
        )  # fmt: skip
        return "\n".join([head, data, writer.table_functions(), *functions])

    @property
    def seeds(self) -> dict[str, dict[str, Sequence[Expr]]]:
        """Further arguments, by function."""
        return {}


HEAD = """/* The equations of motion of {name}. Made by Linkwright; needs the C library only.

   y     the state: coordinates and velocities of all bodies (SI units, radians), {prefix}_state_names
   p     the parameters, {prefix}_parameter_names
   ydot  its rates

   Rates hold the joints' constraints; what a step of an integrator leaves of them is brought back by {prefix}_project. */

#include <math.h>

#define {PREFIX}_STATES {ny}
#define {PREFIX}_PARAMETERS {np}
#define {PREFIX}_OUTPUTS {no}
"""

DATA = """const char *const {prefix}_state_names[{ny}] = {{{states}}};
const char *const {prefix}_parameter_names[{np}] = {{{parameters}}};
const char *const {prefix}_output_names[{no}] = {{{outputs}}};

/* Where it begins, and the values of the parameters there. */
const double {prefix}_start[{ny}] = {{{y0}}};
const double {prefix}_parameters[{np}] = {{{p0}}};
"""


# What another program sets while it runs: parameters, forces, motors, and the motions of drivers.

LAWS = {lw.Force: "law", lw.Motor: "voltage", lw.Torque: "torque", lw.Spring: "force", lw.TorsionSpring: "torque"}
RATES = ("", ".rate", ".acceleration")


@dataclass(frozen=True)
class Input:
    """name: as the user calls it; parameter: what it is in the equations; clock: of a driver, the parameter that tells when
    the input was given."""

    name: str
    parameter: str
    clock: str = ""


def made(model: lw.Model, names: Sequence[str]) -> list[Input]:
    """The inputs of these names; elements of the model get parameters as their laws."""
    return [x for name in names for x in _made(model, name)]


def _made(model: lw.Model, name: str) -> Iterator[Input]:
    if name in model.parameters:
        yield Input(name, name)
        return
    if name not in model.elements:
        takers = (n for n, e in model.elements.items() if type(e) in LAWS or isinstance(e, lw.Driver))
        raise ModelError(f"there is no input {name!r}", element=name, remedy=suggestion(name, [*model.parameters, *takers]))
    element = model.elements[name]
    if isinstance(element, lw.Driver):
        yield from _driven(model, element)
        return
    if type(element) not in LAWS or isinstance(getattr(element, LAWS[type(element)]), tuple):
        raise ModelError(
            f"{an(type(element).__name__)} takes no input", element=name,
            remedy="inputs are parameters, forces along one quantity, motors and drivers: use a parameter in its law",
        )  # fmt: skip
    parameter = _parameter(model, name, 0.0)
    _change(model, element, LAWS[type(element)], parameter)
    yield Input(name, parameter_name(parameter))


def _driven(model: lw.Model, element: lw.Driver) -> Iterator[Input]:
    """The motion u + w (t - T) + a (t - T)^2 / 2 of three inputs that were given at T: a constraint needs its rate and its
    acceleration, and both agree with the value until the inputs are given anew."""
    f = model.trace(element.motion, {"t": TIME})
    rate = along([f], {TIME: 1.0})
    start = evaluate([f, *rate, *along(rate, {TIME: 1.0})], {**model.parameter_values(), TIME: 0.0})
    words = ("", "_rate", "_acceleration")
    u, w, a = (_parameter(model, element.name, float(x), word) for x, word in zip(start, words, strict=True))
    T = _parameter(model, element.name, 0.0, "_time")
    since = TIME - T
    _change(model, element, "motion", u + since * (w + since * (0.5 * a)))
    for word, x in zip(RATES, (u, w, a), strict=True):
        yield Input(element.name + word, parameter_name(x), parameter_name(T))


def _parameter(model: lw.Model, name: str, value: float, word: str = "") -> Expr:
    free = own = "input_" + re.sub(r"\W", "_", name) + word
    number = 2
    while free in model:
        free, number = f"{own}_{number}", number + 1
    return model.parameter(free, value)


def _change(model: lw.Model, element: Any, field: str, value: Expr) -> None:
    changed: Any = {field: value}
    new = replace(element, **changed)
    model._elements[element.name] = new
    new.settle(model)
