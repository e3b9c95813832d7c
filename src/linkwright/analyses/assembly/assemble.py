"""Assembly: the configuration nearest to the estimates in which all joints close (Haug 3.6.1, 4.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.analyses.assembly.closure import Closure, farthest, position_fixes, random_start, same_configuration, search
from linkwright.analyses.assembly.locked import locked_start
from linkwright.analyses.assembly.misfit import resolve_misfit
from linkwright.analyses.assembly.standing import check_estimates, check_standing
from linkwright.analyses.machine.channels import configuration
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.prescribed import check_finite
from linkwright.analyses.machine.recorded import recorded
from linkwright.arguments import whole
from linkwright.equations import rotations
from linkwright.model import CamFollower, Fixed, Model, Orientation, Point
from linkwright.results import Configuration
from linkwright.solve.nearest import Found, counted
from linkwright.system.system import curve_parameters
from linkwright.system.whole_turns import unwound

MOST_TRIES = 1_000_000
SAME_SIZE = 1e-9  # of an estimate: a machine that is smaller is not closed well enough by the estimate's measure


@by_name
@recorded
def assemble(model: Model, t: float = 0.0) -> Configuration:
    """Give the configuration nearest to the estimates in which every joint closes and every driver is at its value.

    Lengths and angles are weighed as they are, in metres and radians, times the weight of the body. What `model.fix`
    fixes holds exactly. The notes of the audit say where the joints close only far from the estimates, and where drivers
    cannot move the machine from there.

    Parameters
    ----------
    model : Model
        The machine.
    t : float
        The time of the drivers [s].

    Returns
    -------
    Configuration
        Positions by channel.

    Raises
    ------
    AssemblyError
        The joints do not close: `.residuals` by element, `.feasible`, `.partial`.

    References
    ----------
    Haug, sections 3.6.1, 4.3.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum")
    >>> arm = m.body("arm", position=(0.4, 0.1))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> c = lw.assemble(m)
    >>> round(c["arm.x"] ** 2 + c["arm.y"] ** 2, 9)
    0.25
    """
    machine = Machine(model, t, by_shapes=True)
    found = close(machine, t)
    out = configuration(machine, found.q, t, "assembly")
    locked = locked_start(machine, found.q, t)
    out.audit.notes += [*found.notes, *wrong_roots(machine, found.q, t), *([locked.text] if locked else [])]
    return out


def close(machine: Machine, t: float, q0: np.ndarray | None = None) -> Found:
    """Assemble from the estimates, or from q0, and take the result as the machine's present configuration.

    What is fixed holds where a motion begins; a state to go on from has left it.
    """
    check_finite(machine.geometry, np.array([t]))
    fixes = position_fixes(machine.model) if q0 is None else {}
    q0 = begun_from(machine, t) if q0 is None else improve_contacts(machine, q0, t)
    check_estimates(machine, t, fixes, q0)
    problem = Closure(machine, t, fixes)
    found = search(problem, q0)
    if not found.closed:
        found = resolve_misfit(problem, found, q0)
    found = _welded(problem, found, q0)
    found = _at_its_size(problem, found, q0)
    machine.settle(found.q, t)
    check_standing(machine, found.q)
    return found


def begun_from(machine: Machine, t: float) -> np.ndarray:
    """The estimates as the search takes them: angles with the whole turns that are said of them, contacts where they are
    likely."""
    q0 = unwound(machine.geometry, machine.estimate(), t, position_fixes(machine.model))
    return improve_contacts(machine, q0, t)


def _at_its_size(problem: Closure, found: Found, q0: np.ndarray) -> Found:
    """The same closed to the precision of the machine's own size, where an estimate is farther away than it is large: what
    is rounding beside an estimate of 1e40 m is a fault beside the joints."""
    machine = problem.machine
    if not found.closed or machine.size_at(found.q) >= SAME_SIZE * machine.length:
        return found
    body = farthest(machine, q0, found.q)[0]
    while found.closed and (own := machine.size_at(found.q)) < SAME_SIZE * machine.length:
        machine.measure(own)
        problem = Closure(machine, problem.t, problem.fixed)
        found = search(problem, found.q)
    if not found.closed:
        found = resolve_misfit(problem, found, found.q)
    note = f"the estimates are at fault: that of {body} is far beyond the size of the machine ({own:.3g} m)"
    return replace(found, notes=(*found.notes, note))


def _welded(problem: Closure, found: Found, q0: np.ndarray) -> Found:
    """The same with welds that are half a turn off put right, one after the other: turning a body may bring in the next."""
    machine, t, turned = problem.machine, problem.t, list[str]()
    for _ in machine.model.elements:
        wrong = half_turned(machine, found.q, t)
        if not wrong:
            break
        q0 = turned_back(machine, q0, found.q, wrong[0])
        better = search(problem, q0)
        if not better.closed:
            break
        found, turned = better, [*turned, wrong[0].name]
    if not turned:
        return found
    note = f"the estimates were half a turn from where {', '.join(dict.fromkeys(turned))} can be: bodies were turned"
    return replace(found, notes=(*found.notes, note))


class Assemblies(list[Configuration]):
    """The answer of `assemblies`: a list of configurations, the nearest to the estimates first.

    Attributes
    ----------
    tries : int
        How many searches were made.
    met : list of int
        How often each configuration was found.
    unmet : int
        An estimate of how many more there are at least, from those found only once (Chao 1984).
    note : str
        Whether others are likely.
    """

    def __init__(self, found: list[Configuration], met: list[int], tries: int) -> None:
        super().__init__(found)
        self.met, self.tries = met, tries

    @property
    def unmet(self) -> int:
        """An estimate of how many more there are at least (Chao 1984)."""
        once, twice = self.met.count(1), self.met.count(2)
        return round(once * (once - 1) / (2 * (twice + 1)))

    @property
    def note(self) -> str:
        """What can be said of the list as a whole: never that it is complete."""
        head = f"{len(self)} assembl{'ies' if len(self) != 1 else 'y'} found in {self.tries} tries; there may be others"
        once = self.met.count(1)
        if not once:
            return head
        likely = f", {self.unmet} more at least are likely" if self.unmet else ""
        return f"{head}: {once} of them were found only once{likely}; give more tries"

    def __repr__(self) -> str:
        return "\n".join(
            [self.note, *(f"  {n}: {c!r}, found {met} times" for n, (c, met) in enumerate(zip(self, self.met, strict=True)))]
        )


@by_name
def assemblies(model: Model, t: float = 0.0, tries: int = 120) -> Assemblies:
    """Give the distinct assembly modes that are found from many random estimates, the nearest to the user's first.

    The list may be incomplete: a random search cannot tell that nothing is missing. Of the 40 assemblies of Dietmaier's
    Stewart platform 120 tries find about 25, 1,000 tries 34, 4,000 tries 39. With degrees of freedom left every try ends
    elsewhere: drive the machine, or fix quantities, first.

    Parameters
    ----------
    model : Model
        The machine.
    t : float
        The time of the drivers [s].
    tries : int
        How many searches to make.

    Returns
    -------
    Assemblies
        A list of configurations; `.met` is how often each was found, `.note` whether others are likely.

    Examples
    --------
    >>> m = lw.PlanarModel("two rods")
    >>> bob = m.body("bob", position=(0.5, 0.6))
    >>> a = m.add(lw.Distance("a", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    >>> b = m.add(lw.Distance("b", m.ground.at(1, 0), bob.at(0, 0), length=1.0))
    >>> level = m.add(lw.Constraint("level", bob.angle))
    >>> [round(c["bob.y"], 6) for c in lw.assemblies(m, tries=20)]
    [0.866025, -0.866025]
    """
    tries = whole(tries, "tries", most=MOST_TRIES)
    machine = Machine(model, t)
    fixes = position_fixes(model)
    q0 = begun_from(machine, t)
    problem = Closure(machine, t, fixes)
    found = counted(problem, lambda k: random_start(machine, q0, k), tries, same_configuration(machine))
    found.sort(key=lambda one: float(np.sum((one[0] - q0) ** 2)))
    out = Assemblies([configuration(machine, q, t, "assembly") for q, _ in found], [met for _, met in found], tries)
    for c in out:
        c.audit.notes += wrong_roots(machine, c.q, t)
    return out


def wrong_roots(machine: Machine, q: np.ndarray, t: float) -> list[str]:
    """Elements that satisfy their equations, but not as described: axes antiparallel, a gear meshing from behind."""
    return [the_other_way_round(machine.model, name) for name, sense in machine.senses(q, t).items() if sense < 0]


def the_other_way_round(model: Model, name: str) -> str:
    kind = type(model.elements[name]).__name__
    what = WRONG_SPACE.get(kind, "its axes are antiparallel") if model.dimension == 3 else _WRONG.get(kind, "")
    return f"{name} ({kind}) is assembled the other way round: {what}"


WRONG_SPACE = {
    **dict.fromkeys(("Fixed", "Orientation"), "the frames are half a turn apart"),
    "RackPinion": "the z axes of its frames, along the pinion's axis, are not parallel; the pitch line is the rack's x axis",
}
_WRONG = {
    "Translational": "the body is turned by half a turn",
    "Gear": "the gears mesh on the far side",
    "CamFollower": "the outlines overlap",
}


# The contact points of curves at the estimates: nobody knows the parameters of a contact, so they are searched for.

_GRID = 96


def improve_contacts(machine: Machine, q0: np.ndarray, t: float) -> np.ndarray:
    """q0 with the parameters of every contact whose estimate is not given at the best of a grid."""
    q = np.array(q0)
    names = machine.system.coordinates.q_names
    for element in machine.model.elements.values():
        own = curve_parameters(element)
        if own and element.estimate is None:  # type: ignore[attr-defined]
            places = [names.index(name) for name in own]
            q[places] = _best(machine, element, q, places, t)
    return q


def _best(machine: Machine, element: Any, q: np.ndarray, places: list[int], t: float) -> np.ndarray:
    curves = [element.curve_i, element.curve_j] if isinstance(element, CamFollower) else [element.curve]
    axes = [np.linspace(c.curve.start, c.curve.end, _GRID, endpoint=not c.curve.closed) for c in curves]
    grid = np.array([m.ravel() for m in np.meshgrid(*axes, indexing="ij")])
    batch = np.repeat(q[:, None], grid.shape[1], axis=1)
    batch[places] = grid
    Phi, senses = machine.system.own_rows(element.name, batch, *machine._args(q, t)[1:])
    # directions count less than places: they are met last
    sizes = np.abs(Phi)
    cost = (sizes / np.maximum(sizes.mean(axis=1, keepdims=True), 1e-300)).sum(axis=0)
    if senses is not None:
        cost = np.where(senses < 0, cost + 10 * cost.max(), cost)
    best: np.ndarray = grid[:, int(np.argmin(cost))]
    return best


# Welds in space: frames that should coincide satisfy their equations also half a turn apart. That is another machine, so
# the estimate is turned.


def half_turned(machine: Machine, q: np.ndarray, t: float) -> list[Fixed | Orientation]:
    """The welds that are closed half a turn from where they should be."""
    if machine.model.dimension == 2:
        return []  # angles of the plane are no dot products: there is one root
    elements = machine.model.elements
    welds = [elements[name] for name, sense in machine.senses(q, t).items() if sense < 0]
    return [e for e in welds if isinstance(e, Fixed | Orientation)]


def turned_back(machine: Machine, q0: np.ndarray, q: np.ndarray, weld: Fixed | Orientation) -> np.ndarray:
    """q0 with the second body of a weld (the first, if that is ground) turned to where it belongs beside the other in q."""
    stays, turns = (weld.Q, weld.P) if weld.Q.body.is_ground else (weld.P, weld.Q)
    at = machine.system.coordinates.body_slices()[turns.body.name][0]
    out = np.array(q0)
    # A_j C_j = A_i C_i: the frames coincide
    A = _frame(machine, q, stays) @ _own(machine, turns).T
    out[at][3:] = rotations.euler_parameters(A, near=q0[at][3:])
    return out


def _own(machine: Machine, P: Point) -> np.ndarray:
    """The axes of a frame in body axes, as columns."""
    return np.eye(3) if P.rotation is None else np.array([[machine.model.value(x) for x in row] for row in P.rotation])


def _frame(machine: Machine, q: np.ndarray, P: Point) -> np.ndarray:
    """The axes of a frame in ground axes, as columns."""
    if P.body.is_ground:
        return _own(machine, P)
    at = machine.system.coordinates.body_slices()[P.body.name][0]
    return np.asarray(rotations.A(q[at][3:]) @ _own(machine, P), dtype=float)
