"""A machine as data: parameters, bodies, elements, all by name, checked as they come."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from importlib import import_module
from os import PathLike
from typing import Any, Self, TypeVar

from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.bodies import Body
from linkwright.model.channel_units import unit_of
from linkwright.model.content import model_content, model_structure
from linkwright.model.drives import State, coupled, is_declared, refuse_states
from linkwright.model.elements import Element
from linkwright.model.findings import Finding, implausible
from linkwright.model.given import Components, Law, QuantityLike, Value
from linkwright.model.grammar import RESERVED
from linkwright.model.marks import Lately
from linkwright.model.named import Named, check_kind, plain_value
from linkwright.model.names import ELSEWHERE, GROUND, check_name, suggestion
from linkwright.model.overview import overview
from linkwright.model.tracing import QUANTITIES
from linkwright.model.values import TIME, about, is_sequence, parameter_symbol

E = TypeVar("E", bound=Element)

# Analyses ask for them again and again; to read all of a large model takes longer than many an answer.
_STRUCTURES: Lately[tuple[Any, ...]] = Lately(16)
_FINDINGS: Lately[list[Finding]] = Lately(16)


class Model(Named):
    """Base of `PlanarModel` and `SpatialModel`, by which a model is made.

    Names are unique over parameters, bodies and elements together.

    Parameters
    ----------
    name : str
        Name of the machine.
    gravity : numbers or expressions of parameters, optional
        The acceleration of free fall [m/s^2]; zero unless given.

    Examples
    --------
    >>> m = lw.PlanarModel("crank")
    >>> r = m.parameter("r", 0.2)
    >>> crank = m.body("crank", position=(r / 2, 0))
    >>> isinstance(m, lw.Model), list(m), m["crank"] is crank
    (True, ['ground', 'crank', 'r'], True)
    """

    def __init__(self, name: str = "machine", gravity: Components | None = None) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"the name of a model must be text, not {name!r}", remedy="give its name first")
        self.name = name
        super().__init__()
        self.notes: list[str] = []  # of a model that was read from another program's file: what has no counterpart
        self._bodies[GROUND] = Body(self, GROUND)
        self.gravity = gravity

    # -- building ---------------------------------------------------------------------------------------------------
    def parameter(self, name: str, value: Value) -> Expr:
        """Add a design parameter, a symbol that may stand wherever a number may.

        Parameters
        ----------
        name : str
            Its name, an identifier.
        value : number or text
            Its value; a text may have a unit: "20 mm".

        Returns
        -------
        Expr
            The symbol.

        Examples
        --------
        >>> m = lw.PlanarModel("m")
        >>> r = m.parameter("r", "20 mm")
        >>> m.value(2 * r)
        0.04
        """
        self._claim(name, "parameter")
        with about(name):
            self._parameters[name], said = plain_value(value)
        self.said_units[name] = said if said is not None and said.said else None
        return parameter_symbol(name)

    def set(self, **values: Value) -> None:
        """Give parameters new values; where the machine is wrong with them, nothing changes.

        Parameters
        ----------
        **values : number or text
            New values by the names of parameters.

        Raises
        ------
        ModelError
            A name is not known, or the machine is wrong with these values.

        Examples
        --------
        >>> m = lw.PlanarModel("m")
        >>> r = m.parameter("r", 0.2)
        >>> m.set(r=0.25)
        >>> m.parameters["r"]
        0.25
        """
        plain = {}
        for name, value in values.items():
            if name not in self._parameters:
                raise ModelError(f"there is no parameter {name!r}", element=name, remedy=suggestion(name, self._parameters))
            with about(name):
                plain[name], said = plain_value(value)
                check_kind(self, name, said)
        before = dict(self._parameters)
        self._parameters.update(plain)
        try:
            self.validate()
        except ModelError:
            self._parameters = before
            raise

    def _claim(self, name: Any, what: str) -> None:
        check_name(name, what, identifier=what == "parameter")
        if (what != "element" and name in RESERVED) or (what == "body" and name in QUANTITIES):
            raise ModelError(f"{name!r} has a meaning of its own in formulas", element=name, remedy="choose another name")
        if what == "element" and is_declared(self._elements.get(name)):
            del self._elements[name]
        if name in self:
            taken = "a body" if name in self._bodies else "a parameter" if name in self._parameters else "an element"
            remedy = "it is always there: m.ground" if name == GROUND else "choose another name; names are unique in a model"
            raise ModelError(f"the name {name!r} is taken by {taken}", element=name, remedy=remedy)

    def _add_body(self, name: str, **data: Any) -> Body:
        self._claim(name, "body")
        with about(name):
            body = self._bodies[name] = Body(self, name, **data)
        return body

    def add(self, element: E) -> E:
        """Check an element and add it.

        Parameters
        ----------
        element : Element
            A joint, driver, force, ...

        Returns
        -------
        Element
            The same element.

        Raises
        ------
        ModelError
            Its data is wrong, or its name is taken.

        Examples
        --------
        >>> m = lw.PlanarModel("m")
        >>> m.add(lw.Revolute("A", m.ground.at(0, 0), m.body("arm").at(0, 0)))
        Revolute('A', ground(0, 0), arm(0, 0))
        """
        if not isinstance(element, Element):
            raise ModelError(f"this is no element: {element!r}", remedy="add joints, drivers, forces, such as Revolute(...)")
        self._claim(element.name, "element")
        self._elements[element.name] = element  # its own law may name it
        try:
            element.settle(self)
        except BaseException:
            del self._elements[element.name]
            raise
        return element

    def state(self, name: str | Sequence[str], rate: Law | Sequence[Law], start: Value | Sequence[Value] = 0.0) -> Any:
        """Add a state, a first-order equation beside the mechanics: zdot = rate(z, t).

        Parameters
        ----------
        name : str, or several
            Of the state and of its channel; its rate is the channel NAME.rate. Several: states that depend on each other.
        rate : law of z, t
            zdot; other quantities may occur in it, and a text may call z by its name. Of several a law each, or one function
            of all of them and t that gives all rates.
        start : number or expression of parameters
            z when a motion begins; of several states one, or one each.

        Returns
        -------
        Expr
            z, which may stand in laws, events, outputs and other states; several in their order.

        Examples
        --------
        >>> m = lw.PlanarModel("m")
        >>> block = m.body("block", mass=1.0, inertia=1.0)
        >>> z = m.state("z", lambda z, t: -2 * z, start=1.0)
        >>> round(float(lw.dynamics(m, t_end=1.0, steps=1)["z"][-1]), 6)  # exp(-2)
        0.135335
        """
        if is_sequence(name):
            return coupled(self, name, rate, start)
        return self.add(State(name, rate, start)).value(self)  # type: ignore[arg-type]  # texts are read when it is added

    def fix(self, quantity: QuantityLike, value: Value) -> None:
        """Make an estimate exact: the quantity has this value at the start.

        Parameters
        ----------
        quantity : expression of positions or velocities
            What is fixed, such as `crank.angle` or `crank.omega`.
        value : number or expression of parameters
            Its value at the start.

        Raises
        ------
        ModelError
            The quantity is an acceleration, or does not depend on the machine.

        Examples
        --------
        >>> m = lw.PlanarModel("m")
        >>> arm = m.body("arm")
        >>> m.fix(arm.omega, 3.0)
        >>> m.fixed
        mappingproxy({arm.omega: 3.0})
        """
        with about(str(quantity)):
            along = self.trace(quantity, {"t": TIME})
            if type(along) is not Expr or (order := self.order(along)) < 0:
                raise ModelError(
                    "it does not depend on the machine", remedy="fix a quantity, such as crank.x or crank.omega"
                )
            refuse_states(self, along, "what is fixed")
            if order > 1:
                raise ModelError(
                    "it is an acceleration, which follows from the forces", remedy="fix positions or velocities"
                )
            takes = unit_of(along.data) if along.op == "symbol" else ""
            self._fixed[along] = self.scalar(value, "the value", takes)

    # -- as a whole -----------------------------------------------------------------------------------------------------
    def validate(self) -> list[Finding]:
        """Check everything for the present values of the parameters.

        Returns
        -------
        list of Finding
            What is odd, but no error.

        Raises
        ------
        ModelError
            Something is wrong.
        """
        return list(_FINDINGS.made(self, None, self._checked))

    def _checked(self) -> list[Finding]:
        for body in self._bodies.values():
            with about(body.name):
                body.check()
        for element in self._elements.values():
            element.settle(self)
        for quantity, value in self._fixed.items():
            self.order(quantity)
            self.value(value)
        return [f for body in self._bodies.values() for f in implausible(body)]

    def copy(self) -> Self:
        """Copy the model; Python functions of laws are shared.

        Returns
        -------
        Model
            An independent model, whose bodies and elements are found by name: copy["crank"].
        """
        return deepcopy(self)

    @typed
    def without(self, *names: str) -> Self:
        """Copy the model without some of its elements.

        Parameters
        ----------
        *names : str
            Names of the elements that are left out.

        Returns
        -------
        Model
            The copy.
        """
        new = self.copy()
        for name in names:
            del new._elements[new._element(name).name]
        new.validate()
        return new

    def save(self, path: str | PathLike[str]) -> None:
        """Write a model file, which `lw.load` reads.

        Parameters
        ----------
        path : path
            Where to; the ending chooses the format: .yaml, .json, or .urdf and .xml, .mjcf (MJCF) where they can say all
            of it.

        Raises
        ------
        ModelError
            Something cannot be written, such as a Python function that cannot be traced; it is named.
        """
        from linkwright.model.files import save

        if str(path).lower().endswith(ELSEWHERE):
            import_module("linkwright.exchange.export").save(self, path)
        else:
            save(self, path)

    @typed
    def export(
        self, path: str | PathLike[str], *, inputs: Sequence[str] = (), outputs: Sequence[str] = (), t_step: float = 0.01,
        fmi: int = 2,
    ) -> None:  # fmt: skip
        """Write the equations of motion for other programs: a C file, or an FMU.

        A C file needs nothing but the C library. An FMU serves co-simulation and model exchange, holds native code for the
        machine that it is made on (a C compiler must be there) and its source, and needs no Python to run.

        Parameters
        ----------
        path : path
            Where to; the ending, .c or .fmu, chooses the format.
        inputs : list of str
            Parameters, or names of forces and torques along a quantity, of motors and of drivers, which then do as their
            input says. A driver takes three: its value, and NAME.rate and NAME.acceleration.
        outputs : list of str
            Channels, as results have them.
        t_step : float
            Of an FMU: the step that it proposes [s]; within one it chooses its own by the error.
        fmi : {2, 3}
            Of an FMU: the version of the interface.

        Raises
        ------
        ModelError
            Something has no equation of its own, such as an impact in a C file; it is named.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> m = lw.PlanarModel("fall", gravity=(0, -10))
        >>> ball = m.body("ball", mass=1.0, inertia=1.0)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "fall.c"
        >>> m.export(path, outputs=["ball.y"])
        >>> "void fall_rates(double t, const double *y, const double *p, double *ydot)" in path.read_text()
        True
        """
        import_module("linkwright.exchange.export").export(self, path, inputs, outputs, t_step, fmi)

    def content(self) -> tuple[Any, ...]:
        """Give everything the model holds as nested tuples.

        Returns
        -------
        tuple
            Equal for equal models.
        """
        return model_content(self)

    def structure(self) -> tuple[Any, ...]:
        """Give what the equations depend on as nested tuples: the key of what was traced and compiled.

        Returns
        -------
        tuple
            Equal for models with the same equations; values of parameters, gravity and estimates are not part of it.
        """
        return _STRUCTURES.made(self, None, lambda: model_structure(self))

    def __eq__(self, other: object) -> bool:
        return self.content() == other.content() if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self._bodies) - 1} bodies, {len(self._elements)} elements>"

    def __str__(self) -> str:
        return "\n".join([repr(self)[1:-1], *overview(self)])


def a_model(given: Any) -> Model:
    """What an analysis is given, which may be anything."""
    if not isinstance(given, Model):
        raise ModelError(f"this is no model: {given!r}", remedy="give a PlanarModel or SpatialModel; lw.load reads one")
    return given
