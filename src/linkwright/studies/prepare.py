"""One analysis of one machine, made ready to be called again and again with other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwright.arguments import check_number, typed
from linkwright.bounds import shown
from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.model import Model, a_model
from linkwright.options import StudyAnalysis
from linkwright.studies.points import ANALYSES, check_analysis
from linkwright.studies.variations import check_names, vary


class Ready(metaclass=Answering):
    """An analysis that `lw.prepare` made ready: call it with values of parameters, or of a body's start.

    Parameters
    ----------
    model : Model
        The machine.
    analysis : str
        The name of the analysis.
    options : mapping
        Its options.

    Examples
    --------
    >>> m = lw.PlanarModel("fall", gravity=(0, -10))
    >>> ball = m.body("ball", mass=1.0, inertia=1.0)
    >>> run = lw.prepare(m, t_end=1.0, steps=1)
    >>> isinstance(run, lw.Ready), f"{run({'ball.vy': 6.0})['ball.y'][-1]:.9f}"
    (True, '1.000000000')
    """

    def __init__(self, model: Model, analysis: StudyAnalysis, options: Mapping[str, Any]) -> None:
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise ModelError(f"they are {shown(options)}", element="options", remedy='give them by name: {"t_end": 1.0}')
        self.analysis, self.options = check_analysis(analysis), dict(options)
        self._first, self._own = a_model(model).copy(), model.copy()
        self._varied: set[str] = set()

    def __call__(self, values: Mapping[str, Any] | None = None, **more: Any) -> Any:
        """Run it; what is not given is as it was when it was prepared.

        Parameters
        ----------
        values : mapping, optional
            Numbers by name, of parameters or of a body's start, such as "crank.omega".
        **more
            Values of parameters by keyword.

        Returns
        -------
        Result
            The answer of the analysis.
        """
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(f"they are {shown(values)}", element="values", remedy='give them by name: {"crank.omega": 3.0}')
        given = {**(values or {}), **more}
        check_names(self._own, given)
        numbers = {name: check_number(name, value) for name, value in given.items()}
        if not self._varied <= set(numbers):
            self._own, self._varied = self._first.copy(), set()
        vary(self._own, numbers)
        self._varied |= set(numbers)
        return ANALYSES[self.analysis](self._own, **self.options)


@typed
def prepare(model: Model, analysis: StudyAnalysis = "dynamics", **options: Any) -> Ready:
    """Make an analysis ready to be called thousands of times: it is traced, compiled and tried here, once.

    Parameters
    ----------
    model : Model
        The machine; it is not changed, and later changes of it do not matter.
    analysis : str
        "dynamics", "kinematics", "inverse_dynamics", "equilibrium", "assemble" or "linearize".
    **options
        Of the analysis: t_end, steps, rtol and the like.

    Returns
    -------
    Ready
        Called with values of parameters or of a body's start it gives the answer of the analysis.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> run = lw.prepare(m, "assemble")
    >>> float(run()["bob.x"]), float(run(length=0.8)["bob.x"])
    (1.0, 0.8)
    """
    ready = Ready(model, analysis, options)
    ready()
    return ready
