"""A tree of bodies in joint coordinates: M(q) a + h(q, v) = tau, and the algorithms of Featherstone behind it, compiled."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analyses.machine.named import by_name
from linkwright.arguments import typed
from linkwright.calls import Answering
from linkwright.compile import Function
from linkwright.equations import tree as algorithms
from linkwright.equations.joint_models import neutral
from linkwright.equations.spatial_vectors import inverse, place
from linkwright.errors import CompileError, ModelError
from linkwright.graph import symbols
from linkwright.model import Model, a_model
from linkwright.results import Configuration
from linkwright.system.joint_reading import across, body_transform, coordinates
from linkwright.system.spanning_tree import Spanning, spanning_tree

UNIT = 1e-3  # by how much Euler parameters may miss the unit length


class JointSpace(metaclass=Answering):
    """The answer of `joint_space`: M(q) a + h(q, v) = tau of a tree, compiled.

    The order of q, v and tau is that of `names` (a spherical joint has four q, three v). Gravity is part of h; other forces
    of the model are not: pass their generalised forces at the joints as tau.

    Attributes
    ----------
    names : list of str
        Names of the velocities.
    nq, nv : int
        How many coordinates and velocities there are.
    """

    def __init__(self, spanning: Spanning, model: str) -> None:
        self.spanning, self.model = spanning, model
        self.tree = spanning.tree

    def __repr__(self) -> str:
        return f"<joint space of {self.model!r}: {', '.join(self.names)}>"

    @property
    def names(self) -> list[str]:
        """Names of the velocities."""
        return self.spanning.names

    @property
    def nq(self) -> int:
        """How many coordinates there are."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """How many velocities there are."""
        return self.tree.nv

    def neutral(self) -> np.ndarray:
        """Give q with no joint moved.

        Returns
        -------
        numpy.ndarray
            q.
        """
        return np.concatenate([neutral(j) for j in self.tree.joint]) if self.tree.joint else np.zeros(0)

    # -- the questions -------------------------------------------------------------------------------------------------
    def M(self, q: ArrayLike) -> np.ndarray:
        """Give the joint-space mass matrix, by composite rigid bodies.

        Parameters
        ----------
        q : numbers
            The joint coordinates.

        Returns
        -------
        numpy.ndarray
            M(q).
        """
        return self._asked(self._mass, q)

    def h(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Give Coriolis, centrifugal and gravity forces: tau that leaves all accelerations zero.

        Parameters
        ----------
        q : numbers
            The joint coordinates.
        v : numbers
            The joint velocities.

        Returns
        -------
        numpy.ndarray
            h(q, v).
        """
        return self.inverse(q, v, np.zeros(self.nv))

    def inverse(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> np.ndarray:
        """Give tau of given accelerations, by the recursive Newton-Euler algorithm.

        Parameters
        ----------
        q : numbers
            The joint coordinates.
        v : numbers
            The joint velocities.
        a : numbers
            The joint accelerations.

        Returns
        -------
        numpy.ndarray
            tau.
        """
        return self._asked(self.inverse_function, q, v, a)

    def forward(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> np.ndarray:
        """Give the accelerations under tau, by the articulated-body algorithm.

        Parameters
        ----------
        q : numbers
            The joint coordinates.
        v : numbers
            The joint velocities.
        tau : numbers
            The generalised forces at the joints.

        Returns
        -------
        numpy.ndarray
            The joint accelerations.
        """
        return self._asked(self.forward_function, q, v, tau)

    def rates(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Give qdot, which is v but for spherical and free joints.

        Parameters
        ----------
        q : numbers
            The joint coordinates.
        v : numbers
            The joint velocities.

        Returns
        -------
        numpy.ndarray
            qdot.
        """
        return self._asked(self._rates, q, v)

    def poses(self, q: ArrayLike) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Give position and rotation matrix of every body.

        Parameters
        ----------
        q : numbers
            The joint coordinates.

        Returns
        -------
        dict
            (r, A) by the name of the body.
        """
        self._asked(self._rates, q, np.zeros(self.nv))  # looks at q
        Xup, _, _ = algorithms.joints(self.tree, np.asarray(q, dtype=float), np.zeros(self.nv))
        X: list[np.ndarray] = []
        out = {}
        for k, low in enumerate(self.tree.parent):
            X.append(Xup[k] if low < 0 else Xup[k] @ X[low])
            E, r = place(np.asarray(inverse(self.spanning.frames[k]) @ X[k], dtype=float))
            out[self.spanning.bodies[k].name] = (np.asarray(r, dtype=float), E.T)
        return out

    @typed
    def configuration(self, cartesian: Configuration) -> np.ndarray:
        """Give q of a configuration of the machine.

        Parameters
        ----------
        cartesian : Configuration
            Positions of the bodies.

        Returns
        -------
        numpy.ndarray
            q.
        """
        from linkwright.model.quantities import POSITIONS

        space = self.spanning.bodies[0].model.dimension == 3
        X: list[np.ndarray] = []
        q: list[float] = []
        for k, body in enumerate(self.spanning.bodies):
            values = [cartesian[f"{body.name}.{c}"] for c in POSITIONS[3 if space else 2]]
            X.append(self.spanning.frames[k] @ body_transform(values, space))
            own = coordinates(self.tree.joint[k], across(self.spanning, X, k))
            if own is None:
                raise ModelError(
                    f"a {self.tree.joint[k].name} joint cannot be as this configuration has it",
                    element=self.spanning.joints[k],
                    remedy="assemble the machine first",
                )
            q += [float(x) for x in own]
        return np.array(q)

    def _asked(self, function: Function, q: Any, *more: Any) -> np.ndarray:
        """The function's answer; ModelError where an argument or a body without inertia leaves none."""
        out = function(q, *more)[0]
        for joint, name, at in zip(self.tree.joint, self.spanning.joints, self.tree.configuration(), strict=True):
            if joint.nq > joint.nv and not abs(np.linalg.norm(np.asarray(q, dtype=float)[at][:4]) - 1) < UNIT:
                raise ModelError(
                    "its first four coordinates are Euler parameters, of unit length", element=name or self.model,
                    remedy="divide them by their length",
                )  # fmt: skip
        if not np.isfinite(out).all():
            if all(np.isfinite(np.asarray(x, dtype=float)).all() for x in (q, *more)):
                raise self._light()
            raise ModelError("not all numbers given are finite", element=self.model, remedy="check the arguments")
        return out

    def _light(self) -> ModelError:
        return ModelError(
            "a joint carries nothing that has inertia", element=self.model, remedy="give the bodies mass and inertia"
        )

    # -- compiled --------------------------------------------------------------------------------------------------------
    @cached_property
    def _rates(self) -> Function:
        q, v, _ = self._symbols
        return Function(f"{self.model}: rates", {"q": q, "v": v}, {"qdot": algorithms.rates(self.tree, q, v)})

    @cached_property
    def _symbols(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return symbols("q", self.nq), symbols("v", self.nv), symbols("u", self.nv)

    @cached_property
    def _mass(self) -> Function:
        q, _, _ = self._symbols
        return Function(f"{self.model}: M", {"q": q}, {"M": algorithms.crba(self.tree, q)})

    @cached_property
    def inverse_function(self) -> Function:
        """(q, v, a) -> tau, compiled."""
        q, v, u = self._symbols
        return Function(f"{self.model}: inverse", {"q": q, "v": v, "a": u}, {"tau": algorithms.rnea(self.tree, q, v, u)})

    @cached_property
    def forward_function(self) -> Function:
        """(q, v, tau) -> a, compiled."""
        q, v, u = self._symbols
        try:
            a = algorithms.aba(self.tree, q, v, u)
        except (CompileError, np.linalg.LinAlgError):  # a pivot is structurally zero
            raise self._light() from None
        return Function(f"{self.model}: forward", {"q": q, "v": v, "tau": u}, {"a": a})


@by_name
def joint_space(model: Model) -> JointSpace:
    """Give the equations of a tree of bodies in joint coordinates: M(q) a + h(q, v) = tau.

    Parameters
    ----------
    model : Model
        The machine.

    Returns
    -------
    JointSpace
        `.M(q)`, `.h(q, v)`, `.inverse(q, v, a)`, `.forward(q, v, tau)`, compiled.

    Raises
    ------
    ModelError
        The machine is no tree; what closes loops or drives it is named.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> arm = m.body("arm", mass=2.0, inertia=0.1, position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> tree = lw.joint_space(m)
    >>> tree.M([0.0]), tree.h([0.0], [0.0])  # J + m l^2 and m g l
    (array([[0.6]]), array([9.81]))
    """
    a_model(model).validate()
    spanning = spanning_tree(model)
    if spanning.loops:
        names = [e.name for e in spanning.loops]
        raise ModelError(
            f"the machine is no tree: {', '.join(names)} close loops or drive it",
            element=names,
            remedy="leave them out: lw.joint_space(m.without(...))",
        )
    return JointSpace(spanning, model.name)
