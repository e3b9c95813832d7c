"""The equations themselves, as arrays with names, in the notation of the books."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.machine.mechanical import LoadedMachine, Terms
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.matrices.equations_at import EquationsAt, by_rates
from linkwright.analyses.matrices.symbolic import Symbolic, symbolic, symbolic_in_joints
from linkwright.analyses.matrices.tree_equations import TreeEquationsAt
from linkwright.arguments import typed
from linkwright.calls import Answering
from linkwright.compile import Function
from linkwright.errors import ModelError
from linkwright.model import Model
from linkwright.options import Formulation, TextRows
from linkwright.results import Result
from linkwright.system.formulations import FORMULATIONS, ON_TREES, coordinate_rows, diagonal_rates
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.words import choices

ROWS = ("polynomial", "haug", "nikravesh", "me751")


@by_name
def equations(model: Model, formulation: Formulation = "newton-euler", rows: TextRows = "polynomial") -> Equations:
    """Give the equations of motion of a machine in one of the formulations, to be read at a state.

    Parameters
    ----------
    model : Model
        The machine.
    formulation : {"newton-euler", "euler-parameters", "mixed", "kane", "joint"}
        Which unknowns they have; see `Equations`.
    rows : {"polynomial", "haug", "nikravesh", "me751"}
        Whose derivatives by Euler parameters `Phi_q` and `gamma` hold; see `Equations`.

    Returns
    -------
    Equations
        `.at(state, t)` gives Phi, Phi_q, nu, gamma, M, Q, matrix, rhs, ... as arrays with names.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> arm = m.body("arm", mass=2.0, inertia=0.1, position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> here = lw.equations(m).at()
    >>> here.M.diagonal(), here.M.columns
    (array([2. , 2. , 0.1]), ['arm.x', 'arm.y', 'arm.angle'])
    """
    return Equations(model, formulation, rows)


class Equations(metaclass=Answering):
    """The equations of motion of a machine, to be read at a state by `at`.

    Formulations:

    "newton-euler": unknown rddot, omega' dot, lam (Haug 11.3.11; Nikravesh III, 11.49 with lam of the other sign);
    "euler-parameters": rddot, pddot, lam, and a multiplier of each body's normalisation (Haug 11.3.29; Nikravesh I, 11.42);
    "mixed": rddot, pddot, lam, not symmetric (Nikravesh II, 11.45). In the plane all are Haug 6.3.18;
    "kane", "joint": on a spanning tree, udot of its speeds, lam of what closes loops or drives: see `TreeEquationsAt`.

    `rows`: whose derivatives by Euler parameters `Phi_q` and `gamma` hold. The texts agree on virtual rotations
    (`Phi_rotation`, `gamma_sharp`), but continue A(p) in different ways off p.p = 1. Rows by p then differ by multiples of
    p^T, and gamma by as many of pdot.pdot; motion, lam and p.pddot = -pdot.pdot are the same.

    "polynomial": the derivative of Phi as it is computed here, A = (2 e0^2 - 1) I + 2 (e e^T + e0 e~) (Haug 9.3.6). No
    text prints these rows; they are what differences of Phi give;
    "haug": Phi_p = 2 Phi_pi' G (9.6.6), along the sphere: Phi_p p = 0, and gamma is gamma_sharp;
    "nikravesh", "me751": A homogeneous, (e0^2 - e.e) I + 2 (e e^T + e0 e~), so that DP1 has Phi_p = a_j^T B(p, a_i') with
    ME751's B(p, s), and gamma = gamma# - sum w^2 Phi_p p / 4 (Nikravesh 11.47 and 11.48).

    Parameters
    ----------
    model : Model
        The machine.
    formulation : {"newton-euler", "euler-parameters", "mixed", "kane", "joint"}
        Which unknowns they have.
    rows : {"polynomial", "haug", "nikravesh", "me751"}
        Whose derivatives by Euler parameters `Phi_q` and `gamma` hold.
    """

    def __init__(self, model: Model, formulation: Formulation = "newton-euler", rows: TextRows = "polynomial") -> None:
        known = (*FORMULATIONS, *ON_TREES)
        if formulation not in known:
            remedy = choices(str(formulation), known)
            raise ModelError(f"there is no formulation {formulation!r}", element="formulation", remedy=remedy)
        if rows not in ROWS:
            raise ModelError(f"there are no rows {rows!r} by Euler parameters", remedy=choices(str(rows), ROWS))
        self.model, self.formulation, self.rows = model, formulation, rows
        self.machine = LoadedMachine(model)

    def __repr__(self) -> str:
        s = self.machine.system
        return f"<equations of {self.model.name!r}, {self.formulation}: {len(s.rows)} constraints, {s.nv} velocities>"

    @cached_property
    def _coordinate_rows(self) -> Function:
        s = self.machine.system
        Phi_q, gamma = coordinate_rows(s)
        return s.function("equations by coordinates", Phi_q=Phi_q.dense(), gamma=gamma)

    @cached_property
    def _diagonal_rates(self) -> Function:
        s = self.machine.system
        return s.function("rows by a common change of the diagonals", tau=np.array(diagonal_rates(s), dtype=object))

    def _by_text(self, q: np.ndarray, v: np.ndarray, t: float, terms: Terms) -> tuple[np.ndarray, np.ndarray]:
        """Phi_q and gamma of the text that was asked for."""
        machine = self.machine
        s, args = machine.system, machine._args(q, t, v)
        if self.model.dimension == 3 and self.rows == "haug":
            return terms.J @ by_rates(s, q), terms.gamma
        Phi_q, gamma = self._coordinate_rows(*args)
        if self.model.dimension == 2 or self.rows == "polynomial" or not len(gamma):
            return Phi_q, gamma
        tau = self._diagonal_rates(*args)[0]
        Phi_q, gamma = Phi_q.copy(), gamma.copy()
        for k, (at_q, at_v) in enumerate(s.coordinates.body_slices().values()):
            p, w = q[at_q][3:], v[at_v][3:]
            Phi_q[:, at_q.start + 3 : at_q.stop] -= 2 * np.outer(tau[:, k], p)
            gamma += 2 * tau[:, k] * (0.25 * w @ w)  # p.pddot = -pdot.pdot
        return Phi_q, gamma

    @typed
    def at(self, state: Mapping[str, Any] | tuple[ArrayLike, ArrayLike] | None = None, t: float = 0.0) -> EquationsAt:
        """Give the equations at a state.

        Parameters
        ----------
        state : Configuration, Result, mapping or pair (q, v), optional
            The state, by channel or in the order of the equations; what it does not have (velocities) is zero. Of a result
            that at its time t. By default the estimates of the model.
        t : float
            The time [s].

        Returns
        -------
        EquationsAt
            Phi, Phi_q, nu, gamma, M, Q, matrix, rhs, ... as arrays with names.
        """
        machine = self.machine
        state = _at_time(state, t) if isinstance(state, Result) else state
        q, v = self._state(state)
        machine.wind(state)
        machine.settle(q, t)
        terms = machine.terms(q, v, t)
        Phi_q, gamma = self._by_text(q, v, t, terms)
        if self.formulation in ON_TREES:
            return TreeEquationsAt(self, q, v, t, terms, Phi_q, gamma)
        return EquationsAt(self, q, v, t, terms, Phi_q, gamma)

    @typed
    def symbolic(self, coordinates: Literal["bodies", "joints"] = "bodies") -> Symbolic:
        """Give the equations of a small machine as SymPy expressions; a notebook shows them as LaTeX.

        Angles that count turns and laws that call Python have no expression.

        Parameters
        ----------
        coordinates : {"bodies", "joints"}
            Those of all bodies, with all joints as constraints; or those of the joints of a spanning tree, the fewest for
            a machine without loops, with what closes loops as constraints.

        Returns
        -------
        Symbolic
            M, h, Q, Phi, Phi_q, nu, gamma as matrices of SymPy.

        Raises
        ------
        ModelError
            The machine is too large to be read, or something in it has no counterpart.
        """
        if coordinates == "bodies":
            return symbolic(self.machine.system)
        if coordinates != "joints":
            raise ModelError(
                f"coordinates is {coordinates!r}", element="coordinates",
                remedy=choices(str(coordinates), ("bodies", "joints")),
            )  # fmt: skip
        system, model = self.machine.system, self.machine.model
        return symbolic_in_joints(system, JointCoordinates(system, initial_state(self.machine, 0.0).q, model))

    def _state(self, state: Any) -> tuple[np.ndarray, np.ndarray]:
        s = self.machine.system
        if state is None:
            return s.estimate(self.machine.model), s.velocity_estimate(self.machine.model)
        if isinstance(state, tuple) and len(state) == 2:
            q, v = (np.array(x, dtype=float).reshape(-1) for x in state)
            if len(q) != s.nq or len(v) != s.nv:
                raise ModelError(
                    f"the state has {len(q)} coordinates and {len(v)} velocities, not {s.nq} and {s.nv}",
                    remedy="give (q, v) in the order of Phi_q.columns and M.columns",
                )
            return q, v
        q, v = s.estimate(self.machine.model), np.zeros(s.nv)
        if not isinstance(state, Mapping):
            raise ModelError(
                f"{state!r} is no state", element="state", remedy="give a configuration, values by channel, or a pair (q, v)"
            )
        for names, target in ((s.coordinates.q_names, q), (s.coordinates.v_names, v)):
            for k, name in enumerate(names):
                if name in state:
                    target[k] = float(np.asarray(state[name]).reshape(-1)[0])
        return q, v


def _at_time(result: Result, t: float) -> dict[str, float]:
    """All channels at a time of the output."""
    nearest = float(result.t[np.argmin(np.abs(result.t - t))])
    if abs(nearest - t) > 1e-9 * max(abs(t), float(np.ptp(result.t))):
        raise ModelError(
            f"there is no state at t = {t:g} in the result, the nearest is at {nearest:g}", element="t",
            remedy="ask for that time by t_eval=, or take one of `.t`",
        )  # fmt: skip
    return result.at(t)
