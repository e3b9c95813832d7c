"""Design sensitivity: how position, velocity and acceleration change with the parameters (Haug 3.7.11-12).

Along a change db of the parameters the machine is displaced by d, its velocity changes by dv, its acceleration by da.
Differentiating Phi = 0, Phi' = 0 and Phi'' = 0 in that direction, with the same matrix each time:

    Phi_v d  = -Phi_b db,    Phi_v dv = -(Phi')_(d, db),    Phi_v da = -(Phi'')_(d, dv, db).

Of a simulation, see `simulation`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.assembly.found_constants import constant_rates
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.channels import ACCELERATIONS
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Run, refuse_velocities
from linkwright.analyses.variations.simulation import VariedRun
from linkwright.analyses.variations.standing import VariedMotion
from linkwright.analyses.variations.varied import CannotCloseError, Varied
from linkwright.bounds import shown
from linkwright.compile import Function
from linkwright.errors import ModelError
from linkwright.graph import along, symbols
from linkwright.model import TIME, Model, a_model
from linkwright.model.quantities import POSITIONS, VELOCITIES
from linkwright.options import Analysis
from linkwright.regularisation import LEAST_SQUARES, SHARE
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import scaled
from linkwright.words import choices

# A row that depends on others opens: by this part of what usually changes, and of its length where the parameter is changed
# by its own size; parameters below SMALL have none.
OPENS, ROUNDING, SMALL = 1e-9, 1e-12, 1e-6
LOADED = ("dynamics", "inverse_dynamics")


class Sensitivity(Mapping[tuple[str, str], float]):
    """The answer of `sensitivity`: d channel / d parameter at one time, s["slider.x", "r"].

    Attributes
    ----------
    model : str
        Name of the machine.
    t : float
        The time [s].
    impossible : mapping
        Parameters that cannot be changed alone, and the elements that hold each of them: joints that are dependent close for
        special values only.
    """

    def __init__(
        self, model: str, t: float, values: dict[tuple[str, str], float], impossible: Mapping[str, Sequence[str]]
    ) -> None:
        self.model, self.t, self._values, self.impossible = model, t, values, impossible

    def __getitem__(self, key: tuple[str, str]) -> float:
        if isinstance(key, tuple) and len(key) == 2 and key[1] in self.impossible:
            names = self.impossible[key[1]]
            raise ModelError(
                f"nothing can be said of another {key[1]}: {', '.join(names)} depend on each other, and would not close",
                element=list(names), remedy="change it together with others: make them expressions of one parameter",
            )  # fmt: skip
        if not isinstance(key, tuple) or key not in self._values:
            raise ModelError(f"there is no sensitivity {shown(key)}", remedy='ask for s["body.channel", "parameter"]')
        return self._values[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._values)

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(parameter for _, parameter in self._values))
        return f"<sensitivity of {self.model!r} at t = {self.t:g}: d channel / d {names or 'nothing'}>"

    def __len__(self) -> int:
        return len(self._values)


@by_name
@single_threaded
def sensitivity(
    model: Model, t: float = 0.0, parameters: Sequence[str] | None = None, t_start: float = 0.0, *,
    analysis: Analysis = "kinematics", **options: Any,
) -> Sensitivity:  # fmt: skip
    """Give the derivatives of coordinates, velocities and accelerations of a moving machine by its parameters.

    The machine is assembled at t_start and moved to t, with each value of a parameter anew: constants that the assembly
    finds, such as the phase of a gear, change with the parameters and the estimates, and so does the start of a simulation.
    Of parameters that dependent joints do not let change alone there is no derivative (`.impossible`).

    Parameters
    ----------
    model : Model
        The machine.
    t : float
        The time [s].
    parameters : sequence of str, optional
        Names of the parameters; by default all.
    t_start : float
        The time at which the machine is assembled, from which it moves to t [s].
    analysis : {"kinematics", "dynamics", "inverse_dynamics"}
        How it moves. Of "dynamics" and "inverse_dynamics" there are derivatives of reactions and efforts, too.
    **options
        Of the analysis, such as rtol.

    Returns
    -------
    Sensitivity
        By channel and parameter: s["slider.x", "r"].

    Raises
    ------
    SingularityError
        The motion is singular.
    ModelError
        There is no derivative: an event only grazes zero, a contact just touches at the start, a law cannot be traced.

    References
    ----------
    Haug (3.7.11), (3.7.12).

    Examples
    --------
    >>> m = lw.PlanarModel("crank")
    >>> r = m.parameter("r", 0.5)
    >>> crank = m.body("crank", position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-r, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, "t"))
    >>> round(lw.sensitivity(m, t=1.0)["crank.x", "r"], 6)  # cos(1)
    0.540302
    """
    names = list(a_model(model).parameters) if parameters is None else list(parameters)
    for name in names:
        if name not in model.parameters:
            raise ModelError(
                f"there is no parameter {name!r}", remedy=f"the model has {', '.join(model.parameters) or 'none'}"
            )
    if analysis not in ("kinematics", *LOADED):
        raise ModelError(
            f"{analysis!r} is no motion", element="analysis", remedy=choices(str(analysis), ["kinematics", *LOADED])
        )
    if np.ndim(t):
        raise ModelError(f"{shown(t)} is not one time", element="t", remedy="ask for one time after the other")
    Times.of(None, None, t_start, [t])  # are they times?
    if analysis in LOADED:
        return _loaded(model, t, names, analysis, {**options, "t_start": t_start, "t_eval": [t]})
    if options:
        raise ModelError(
            "kinematics has no such option", element=list(options), remedy="options are of 'dynamics': rtol and the like"
        )
    return _driven(model, t, names, t_start)


def _loaded(model: Model, t: float, names: list[str], analysis: str, options: dict[str, Any]) -> Sensitivity:
    """With the forces; of parameters that cannot be changed alone the elements that hold them."""
    system = LoadedMachine(model, float(options["t_start"])).system
    n = model.dimension
    kinds = POSITIONS[n], VELOCITIES[n], ACCELERATIONS[n]
    keys = [f"{body}.{c}" for body in system.coordinates.body_slices() for kind in kinds for c in kind]
    dependent = len(LoadedMachine(model, float(options["t_start"])).kept_rows(system.estimate(model), t)[1]) > 0
    keys += [] if dependent else system.channel_names
    values: dict[tuple[str, str], float] = {}
    impossible: dict[str, list[str]] = {}

    def add(some: list[str]) -> None:
        varied: Varied = (
            VariedRun(model, some, keys, options) if analysis == "dynamics" else VariedMotion(model, some, analysis, options)
        )
        found = varied.slopes(keys, np.array([len(varied.answer.t) - 1]))[0]
        values.update({(key, name): float(found[i, j]) for i, key in enumerate(keys) for j, name in enumerate(some)})

    def refused(some: list[str]) -> CannotCloseError | None:
        wrong = ask(add, some).wrong
        if wrong is None or isinstance(wrong, CannotCloseError):
            return wrong
        raise wrong

    for name in names if refused(names) else ():
        if wrong := refused([name]):
            impossible[name] = list(wrong.element)
    return Sensitivity(model.name, t, values, impossible)


def _driven(model: Model, t: float, names: list[str], t_start: float) -> Sensitivity:
    times = Times.of(None, None, t_start, [t])
    machine = Machine(model, t_start)
    refuse_velocities(machine)
    run = Run(machine, times)
    q0 = close(machine, t_start).q
    constants = constant_rates(machine, q0, t_start, names)
    point = run.over(q0)[-1].point()
    f = _directional(machine)
    J = run.follower.matrix(point.q, t, point.turns)[1].toarray()
    chosen = run.follower.chosen
    S, lengths = scaled(machine.Phi_and_J(point.q, t)[1], machine.scale)
    values: dict[tuple[str, str], float] = {}
    impossible: dict[str, list[str]] = {}
    zero = np.zeros(machine.nv)
    for k, name in enumerate(names):
        e = np.zeros(len(machine.b))
        e[list(model.parameters).index(name)] = 1.0
        e[len(e) - len(constants) :] = constants[:, k]
        state = [point.q, point.v, np.array([t]), machine.b, point.turns, zero, point.a]
        own = f(*state, zero, zero, e)[0]
        d = linear.solve(J, -own[chosen])
        moved = f(*state, d, zero, e)
        opened = _opened(own / lengths, moved[0] / lengths, d / machine.scale, model.parameters[name], run.dropped)
        if len(opened):
            impossible[name] = _dependent(machine, S, opened, chosen)
            continue
        dv = linear.solve(J, -moved[1][chosen])
        da = linear.solve(J, -f(*state, d, dv, e)[2][chosen])
        dq = machine.tangent(point.q) @ d
        n = model.dimension
        for body, (at_q, at_v) in machine.system.coordinates.body_slices().items():
            rows = zip((POSITIONS, VELOCITIES, ACCELERATIONS), (dq[at_q], dv[at_v], da[at_v]), strict=True)
            for channels, change in rows:
                values.update({(f"{body}.{c}", name): float(x) for c, x in zip(channels[n], change, strict=True)})
    return Sensitivity(model.name, t, values, impossible)


def _opened(own: np.ndarray, moved: np.ndarray, d: np.ndarray, value: float, dropped: np.ndarray) -> np.ndarray:
    """Of the rows that were left out those that do not hold with another value, though the others do. `own`: what a change
    of the parameter does to each row, `moved`: what is left when the machine is displaced by d."""
    usual = np.abs(own).max(initial=0.0) + np.abs(d).max(initial=0.0)
    least = ROUNDING / max(abs(value), SMALL)  # of a parameter that changes nothing there is rounding only
    return np.asarray(dropped[np.abs(moved[dropped]) > max(OPENS * usual, least)])


def _dependent(machine: Machine, S: np.ndarray, opened: np.ndarray, chosen: np.ndarray) -> list[str]:
    """The elements of rows that a change opens, and of those they depend on."""
    parts = np.abs(linear.lstsq(S[chosen].T, S[opened].T, rcond=LEAST_SQUARES)[0]).max(axis=1)
    rows = [*opened, *chosen[parts > SHARE]]
    return list(dict.fromkeys(machine.system.rows[k].element.name for k in sorted(rows)))


def _directional(machine: Machine) -> Function:
    """The derivatives of Phi, Phi' and Phi'' along a change of the state and the parameters."""
    system = machine.system
    c = system.coordinates
    a, d, dv = (symbols(name, system.nv) for name in ("vdot", "dd", "dv"))
    e = symbols("db", len(system.constants))
    displaced = c.displaced(d)
    design = dict(zip(system.constants, e, strict=True))
    motion = {**c.rates, TIME: 1.0}
    Phi = system.residuals
    first = along(Phi, motion)
    second = along(first, {**motion, **dict(zip(c.v, a, strict=True))})
    outputs = {
        "Phi": along(Phi, {**displaced, **design}),
        "Phi1": along(first, {**displaced, **design}),
        "Phi2": along(second, {**displaced, **design, **dict(zip(c.v, dv, strict=True))}),
    }
    return Function(f"{machine.model.name}: sensitivity", {**system.inputs, "vdot": a, "dd": d, "dv": dv, "db": e}, outputs)
