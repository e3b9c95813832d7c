"""Dynamics: the motion of a machine under forces (Haug 6.3, 7.3, 11.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from numpy.typing import ArrayLike

from linkwright.analyses.dynamics.brief import unhurried
from linkwright.analyses.dynamics.ending import finished
from linkwright.analyses.dynamics.looped import simulate as looped
from linkwright.analyses.dynamics.options import SETTINGS, USUAL, Options, Settings
from linkwright.analyses.dynamics.passed import closer, suspects
from linkwright.analyses.dynamics.prepared import Prepared, made_again, prepared
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.dynamics.whole.equations import Whole
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.recorded import recorded
from linkwright.arguments import with_settings
from linkwright.errors import IntegrationError, ModelError, SingularityError
from linkwright.model import Model, a_model
from linkwright.model.given import QuantityLike
from linkwright.model.names import suggestion
from linkwright.options import AnyFormulation, Method
from linkwright.results.motion import MotionResult
from linkwright.solve.blas import single_threaded

SHORTER = 0.7, 0.5  # of its tolerances: those of a second and a third try


@by_name
@recorded
@with_settings(Settings, SETTINGS)
def dynamics(
    model: Model,
    t_end: float | None = None,
    steps: int | None = None,
    *,
    t_eval: ArrayLike | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    method: Method = "auto",
    formulation: AnyFormulation | None = None,
    start: Mapping[str, Any] | None = None,
    events: Mapping[str, Watch | QuantityLike] | None = None,
    **settings: Unpack[Settings],
) -> MotionResult:
    """Simulate the motion of a machine under forces.

    Initial positions are assembled, initial velocities completed: those given are kept as far as the joints allow, and
    `model.fix` makes them exact. Machines of 50 bodies and more are compiled in loops over their elements; the audit says
    so. Where an option or an element asks for the machine as a whole, it is compiled so, some 0.1 s a body, and the audit
    says why. Beyond 300 bodies a formulation asked for by name is answered by the bodies' own equations, which give the same
    motion.

    Parameters
    ----------
    model : Model
        The machine.
    t_end : float, optional
        The end of the run [s]; by default the last of `t_eval`.
    steps : int, optional
        Output at steps + 1 even times; by default 100.
    t_eval : numbers, optional
        The output times [s], in place of `steps`.
    rtol, atol : float, optional
        Relative and absolute tolerance of the step control; by default 1e-8 and 1e-10, for generalized-alpha and hht, whose
        order is two, 1e-5 and 1e-7.
    method : {"auto", "rk4", "dopri5", "dop853", "adams", "radau", "generalized-alpha", "hht"}
        The integrator. "auto" begins with an explicit method and changes to "radau" where the machine turns out stiff; the
        audit says so. "rk4" has the fixed step `first_step`.
    formulation : {"newton-euler", "euler-parameters", "mixed", "kane", "joint", "auto"}, optional
        The equations of motion: by default newton-euler; joint where the machine turns out stiff and joint coordinates
        cost less, and in space where constraints are dependent and few close its loops. "kane": Kane's equations on a
        spanning tree of joints; "joint": the tree's joint coordinates, with loops and drivers as constraints on them;
        "auto": of newton-euler and joint the one with fewer operations.
    start : Configuration, Equilibrium, Result or mapping, optional
        Where to go on from: positions and velocities by channel. Velocities it has are kept as far as the joints allow;
        the others are completed after them. Where it tells none, as `assemble`, they are the model's; an equilibrium is
        at rest.
    events : mapping, optional
        Names, and quantities to watch for zeros, accelerations ("bar.ax") and reactions ("pin.fy") included, or `Watch`es;
        `.events` lists when they passed zero.
    t_start : float
        The begin of the run [s], whatever the output times are.
    constraints : {"projection", "partitioning", "stabilization", "direct", "hybrid", "augmented", "ggl", "index-3"}
        How constraint drift is treated. "projection": states are projected onto the constraints after each step;
        "partitioning": independent coordinates are integrated, the others follow; "stabilization": Baumgarte's, with
        `gains`; "direct": not at all; "hybrid": Park's, stabilised with small gains and corrected where an error exceeds
        `constraint_tol`; "augmented": projection with an augmented Lagrangian, for rank-deficient constraints and singular
        positions, chosen where these occur. Of generalized-alpha and hht: "ggl" (positions and velocities hold; their
        default), "index-3" (positions only).
    gains : (float, float), optional
        alpha and beta of "stabilization" and "hybrid" [1/s].
    constraint_tol : float
        The constraint error from which "hybrid" corrects.
    max_step : float
        The largest step [s].
    first_step : float, optional
        The first step [s].
    max_steps : int, optional
        The most steps.
    options : dict, optional
        Options of the method, such as {"rho_inf": 0.9} of generalized-alpha.
    dense_output : bool
        Whether `.sol(t)` gives coordinates and velocities by channel at any time of the run.
    progress : function, optional
        Called as progress(t, part) a few times a second and at the end, part from 0 to 1.

    Returns
    -------
    MotionResult
        Channels over time, with reactions, energy, constraint errors, events and an audit.

    Raises
    ------
    IntegrationError
        The simulation cannot go on; `.partial` is the result so far.
    Interrupted
        Ctrl-C, or a KeyboardInterrupt of `progress`; `.partial` is the result so far.

    References
    ----------
    Haug, sections 6.3, 7.3, 11.3.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> d = lw.dynamics(m, t_end=1.0, steps=100)
    >>> d
    <dynamics of 'pendulum': 101 points, t = 0 ... 1, 15 channels>
    >>> bool(d.audit.energy_error < 1e-7)
    True
    """
    run_options = Options.asked({
        "t_end": t_end, "steps": steps, "t_eval": t_eval, "rtol": rtol, "atol": atol, "method": method,
        "formulation": formulation, "events": events, **settings,
    })  # fmt: skip
    if start is None and (again := made_again(model, run_options)) is not None:
        return again
    if looped.is_large(a_model(model)):
        found, reason = looped.attempt(model, run_options, start)
        if found is not None:
            return found
        run_options = run_options.because(reason)
    return simulated(model, run_options, start).result


def asked_options(t_end: float | None = None, steps: int | None = None, **asked: Any) -> Options:
    """Options of a run, by the arguments of `dynamics`; others are as there."""
    for name in asked:
        if name not in USUAL:
            raise ModelError(
                f"dynamics has no option {name!r}", element=name, remedy=suggestion(name, USUAL) or "see help(lw.dynamics)"
            )
    return Options.asked({**USUAL, **asked, "t_end": t_end, "steps": steps})


@dataclass(frozen=True)
class Simulated:
    """A run that is over, with all it was made of."""

    ready: Prepared
    run: Run[Whole]
    result: MotionResult


@single_threaded
def simulated(
    model: Model, options: Options, start: Any, follow: Callable[[LoadedMachine], Sequence[Any]] | None = None
) -> Simulated:
    """The motion of a machine that is compiled as a whole. follow: gives quantities that will be asked for, of the machine:
    angles in them are counted."""
    options = unhurried(model, options)
    found = _straight_on(model, options, start, follow)
    if passing := suspects(found.run):
        bounded = closer(found.run, passing, options, lambda own, begin: _simulated(model, own, begin, None).run)
        found = found if bounded is None else _simulated(model, bounded, start, follow)
    return found


def _straight_on(
    model: Model, options: Options, start: Any, follow: Callable[[LoadedMachine], Sequence[Any]] | None
) -> Simulated:
    """The run; where it came to a place at which motions may branch once more, with steps that are a little shorter. A
    motion that goes straight on there is lost only where a step ends there but for rounding, as few do."""
    first = last = ask(_simulated, model, options, start, follow)
    for part in SHORTER:
        if not (isinstance(last.wrong, SingularityError) and last.wrong.kind == "bifurcation"):
            break
        at = f"at {options.rtol:g} a step ended where motions may branch, at t = {last.wrong.time:.6g}"
        own = replace(
            options, rtol=part * options.rtol, atol=part * options.atol,
            why=(*options.why, f"rtol = {part * options.rtol:.3g}, for {at}"),
        )  # fmt: skip
        last = ask(_simulated, model, own, start, follow)
    if last.found is None:
        assert first.wrong is not None
        raise first.wrong
    return last.found


def _simulated(
    model: Model, options: Options, start: Any, follow: Callable[[LoadedMachine], Sequence[Any]] | None
) -> Simulated:
    ready = prepared(model, options, start)
    if follow is not None and not ready.machine.follows(more := follow(ready.machine)):
        ready = Prepared.of(model, options, start, more)
    run, notes = ready.run(options)
    found = finished(run, run.run(), notes, start)
    ready.over(run, notes)
    return Simulated(ready, run, found)


__all__ = ["IntegrationError", "Watch", "dynamics"]
