"""Every error Linkwright raises on purpose: what it concerns, why it happened, what mends it.

The text of an error is written where it is raised; its parts are kept as attributes, so that a program
can read them: ``element`` (names), ``cause``, ``remedy`` and ``partial`` (what was computed so far, if anything). Errors of
analyses also have ``findings``, as `check` gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from linkwright.options import SingularityKind


class LinkwrightError(Exception):
    """Base of the errors that Linkwright raises.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> try:
    ...     lw.PlanarModel("m")["crank"]
    ... except lw.LinkwrightError as error:
    ...     print(error.element, error.cause)
    ('crank',) there is no 'crank' in 'm'
    """

    def __init__(
        self,
        cause: str,
        *,
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        names = (element,) if isinstance(element, str) else tuple(element)
        self.element: tuple[str, ...] = tuple(map(str, names))  # a user may have given anything for a name
        self.cause = cause
        self.remedy = remedy
        self.partial = partial
        super().__init__(cause)

    @property
    def told(self) -> str:
        """The cause, with the names of the elements that it is about before it."""
        where = ", ".join(self.element)
        return f"{where}: {self.cause}" if where else self.cause

    def __str__(self) -> str:
        return f"{self.told}\n  Remedy: {self.remedy}" if self.remedy else self.told

    @property
    def findings(self) -> list[Any]:
        """What `check` says of the machine whose analysis this error ended: findings with why, effect and remedies. They are
        found when they are asked for first; none where the error is not about a machine as a whole."""
        known: list[Any] | None = self.__dict__.get("_findings")
        if known is None:
            asked = self.__dict__.pop("_asked", None)
            # by name: errors are at the bottom of the house, who explains them at its top
            known = [] if asked is None else import_module("linkwright.analyses.diagnosis.explain").explain(self, *asked)
            self._findings = known
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), {name: x for name, x in self.__dict__.items() if name != "_asked"})


def asked_of(error: LinkwrightError, model: Any, t: float, t_end: float | None) -> None:
    """Let an error remember of which machine and times something was asked, the innermost question first."""
    error.__dict__.setdefault("_asked", (model, t, t_end))


def _rebuild(kind: type[LinkwrightError], state: dict[str, Any]) -> LinkwrightError:
    error = kind.__new__(kind)
    Exception.__init__(error, state["cause"])
    error.__dict__.update(state)
    return error


def read_again(kind: str, cause: str, element: Sequence[str], remedy: str) -> LinkwrightError:
    """An error as a file tells of it: of the kind that was raised, as far as its text goes."""
    found = globals().get(kind)
    known: type[LinkwrightError] = LinkwrightError
    if isinstance(found, type) and issubclass(found, LinkwrightError):
        known = found
    error = known.__new__(known)
    LinkwrightError.__init__(error, cause, element=element, remedy=remedy)
    return error


class ModelError(LinkwrightError):
    """The description of a machine is wrong.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> try:
    ...     m.body("b", mass=-1)
    ... except lw.ModelError as error:
    ...     print(error)
    b: the mass is -1
      Remedy: give zero or more
    """


class AssemblyError(LinkwrightError):
    """No configuration satisfies the joints.

    Parameters
    ----------
    cause : str
        What is wrong.
    residuals : mapping from str to float, optional
        The residuals that remain, by element.
    feasible : bool, optional
        False where the design is at fault; True where only estimates that were made exact are (`partial` is then the
        nearest configuration without them); None where that is not known.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> m = lw.PlanarModel("two rods")
    >>> bob = m.body("bob")
    >>> a = m.add(lw.Distance("a", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    >>> b = m.add(lw.Distance("b", m.ground.at(3, 0), bob.at(0, 0), length=1.0))
    >>> try:
    ...     lw.assemble(m)
    ... except lw.AssemblyError as error:
    ...     print(error.feasible, sorted(error.residuals))
    False ['a', 'b']
    """

    def __init__(
        self,
        cause: str,
        *,
        residuals: Mapping[str, float] | None = None,
        feasible: bool | None = None,
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        super().__init__(cause, element=element, remedy=remedy, partial=partial)
        self.residuals = dict(residuals or {})
        self.feasible = feasible


class SingularityError(LinkwrightError):
    """The motion meets a singular configuration.

    Parameters
    ----------
    cause : str
        What is wrong.
    kind : {"lock-up", "bifurcation"}
        What kind of singularity.
    time : float, optional
        When [s].
    driver : str or sequence of str
        The driver that moves the machine there.
    branches : sequence of mappings
        The tangents along which a bifurcation goes on, each from channel to rate.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> m = lw.PlanarModel("rod")
    >>> bob = m.body("bob", position=(0.6, 0.8))
    >>> rod = m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    >>> level = m.add(lw.Constraint("level", bob.angle))
    >>> push = m.add(lw.Driver("push", bob.x, "0.6 + t"))
    >>> try:
    ...     lw.kinematics(m, t_end=1.0, steps=10)
    ... except lw.SingularityError as error:
    ...     print(error.kind, round(error.time, 6))
    lock-up 0.4
    """

    def __init__(
        self,
        cause: str,
        *,
        kind: str,
        time: float | None = None,
        driver: str | Sequence[str] = "",
        branches: Sequence[Mapping[str, float]] = (),
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        super().__init__(cause, element=element, remedy=remedy, partial=partial)
        self.kind = cast("SingularityKind", kind)
        self.time = time
        self.driver = driver
        self.branches = [dict(b) for b in branches]


class IntegrationError(LinkwrightError):
    """A simulation cannot go on.

    Parameters
    ----------
    cause : str
        What is wrong.
    time : float, optional
        When it stopped [s].
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> m = lw.PlanarModel("blow-up")
    >>> bob = m.body("bob", mass=1.0, inertia=1.0, position=(1, 0))
    >>> push = m.add(lw.Force("push", bob.x, "1/(1 - t)**2"))
    >>> try:
    ...     lw.dynamics(m, t_end=2.0, steps=10)
    ... except lw.IntegrationError as error:
    ...     print(round(error.time, 3), len(error.partial.t) > 1)
    1.0 True
    """

    def __init__(
        self,
        cause: str,
        *,
        time: float | None = None,
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        super().__init__(cause, element=element, remedy=remedy, partial=partial)
        self.time = time


class Interrupted(KeyboardInterrupt):
    """An analysis was interrupted by Ctrl-C, or by a progress function that raised KeyboardInterrupt.

    It is no `Exception`: a loop that catches the errors of many machines is interrupted nevertheless.

    Parameters
    ----------
    time : float
        When it was interrupted [s of the simulation].
    partial : Result
        The result so far.

    Examples
    --------
    >>> issubclass(lw.Interrupted, KeyboardInterrupt), issubclass(lw.Interrupted, Exception)
    (True, False)
    >>> lw.Interrupted(0.5, partial=None).time
    0.5
    """

    def __init__(self, time: float, partial: Any) -> None:
        when = f" at t = {time:.9g}" if time == time else ""
        super().__init__(f"interrupted{when}; what was computed is in `.partial`")
        self.time = time
        self.partial = partial


class TraceError(LinkwrightError):
    """A traced value was used in a way that no graph can express: a branch on it, a conversion to a number.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> try:
    ...     float(m.body("b").x)
    ... except lw.TraceError as error:
    ...     print("lw.where" in error.remedy or error.remedy != "")
    True
    """


class CompileError(LinkwrightError):
    """A graph cannot be compiled as asked.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> issubclass(lw.CompileError, lw.LinkwrightError)
    True
    """


class ArgumentError(ModelError, TypeError):
    """A call with wrong arguments: one that the function does not have, one that is missing, or one of a wrong shape.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> try:
    ...     m.body("b", weigth=1.0)
    ... except lw.ArgumentError as error:
    ...     print(error.cause)
    body() has no argument 'weigth'
    """


class UnknownNameError(ModelError, AttributeError):
    """Linkwright has no public name like this; the remedy tells the nearest.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> try:
    ...     lw.Pin
    ... except lw.UnknownNameError as error:
    ...     print(error.remedy)
    did you mean 'Revolute'? `dir(lw)` lists everything
    """
