"""When rows of equations depend on each other, and what is done about it: one rule, and each number with where it is from.

Rows have length one, and columns are multiplied by the size of their displacement, before they are judged: all numbers here
are relative. Rounding is 1e-16, and positions are assembled to some 1e-11.

Where rows may be dependent, or bodies have no inertia, the equations of motion are regularised,

    [ M + delta   J^T  ] [ a   ]   [ f     ]
    [ J          -eps  ] [ lam ] = [ gamma ]

with eps a small part of the compliance of a row by itself, its acceleration by a unit force, sum of J_j^2/m_j, and delta of
a body's inertia. A proximal iteration (the augmented Lagrangian) takes the error out again: it solves for the residual of
the true equations until nothing changes. J a = gamma is then met to rounding, and lam stays zero along what the rows say
twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# -- rank ------------------------------------------------------------------------------------------------------------------
# Singular values, and pivots, below this are zero: rows assembled to 1e-11 show a dependence at some 1e-11, and a machine a
# part in 1e8 away from singular is singular for every practical purpose.
RANK = 1e-8
# A configuration that was followed or searched for is singular from here on: its place along the motion is known less well.
SINGULAR = 10 * RANK
# Singular values left out of least squares: what counts as independent must not be cut off, so less than RANK.
LEAST_SQUARES = 0.1 * RANK
# The same of a whole matrix [M J^T; J 0]: rounding by its condition. Rows that are nearly dependent enter it squared.
SADDLE = 1e-12
# Rows with a smaller share in a combination that vanishes take no part in it: null vectors are known to rounding by RANK.
SHARE = 10 * 1e-16 / RANK
# Inertia along a motion, by the largest, that is none: what rounding leaves of moments and masses that cancel.
NO_INERTIA = 1e-12

# -- eps: the part of the compliance of a row by itself -----------------------------------------------------------------
# In straight-line code with its two iterations. More costs digits near singular positions, where they converge slowly,
# less where rows are dependent: motions of doors on two hinges agree to 1e-9 with this, to 1e-8 with a tenth of it.
COMPLIANCE = 1e-8
# In loops, which iterate until nothing changes: the smaller, the fewer iterations long loops take; but pivots of dependent
# rows are known to 1e-16 of that only. The first of these with which the iteration converges is taken.
COMPLIANCES_IN_LOOPS = (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
# The same for the output of machines that stick and rest: more rows than hold the bodies share forces, which are known to
# rounding by this part. On the way rows that come to contradict each other, as a contact opens, must be felt at once.
COMPLIANCE_TOLD = 1e-5
# Where joints are open by a part of the machine's size, as a multiple of that part (see `system.saddle`): more costs digits
# of rows that are needed, less of those that are not. In straight-line code only rows that are not needed are eased so: with
# 10 doors on two hinges keep a tolerance of 1e-10 but for a digit, with 100 they do. In loops all rows do.
EASED, EASED_IN_LOOPS = 100.0, 10.0
# In Newton's matrix of generalised alpha. Where the velocity equations are held (GGL), rounding of Phi is magnified by its
# inverse; at index 3 by its root only, and multipliers with a pole there can be followed.
COMPLIANCE_GGL, COMPLIANCE_INDEX_3 = 1e-7, 1e-10
# Rows of length one against displacements of one: delta and eps alike. The condition is then 1/1e-6, and singular values
# from 1e-5 on are taken in some ten iterations.
SMALLEST = 1e-6
# A single Newton step on rows of length one, with no iteration after it: as little as the factors bear.
HAIR = 1e-13

# -- delta: the part of a usual inertia that bodies without any are given --------------------------------------------------
LIGHT = 1e-9
# The same of the parameter of a curve, as of a mass that moves along it: rows across the curve are known to 1e-16 by this
# part only, and the smaller it is, the fewer iterations it takes.
CURVE = 1e-6

# -- proximal iteration ----------------------------------------------------------------------------------------------------
ITERATIONS_UNROLLED = 2  # after the first solution, in straight-line code
ITERATIONS = 12  # at most in loops; two or three are usual
ITERATIONS_FRICTION = 80  # the same with friction: each takes its error times mu and the leverage of the joint
ITERATIONS_SMALLEST = 100  # at most for the smallest multipliers, from singular values near SMALLEST on
SETTLED = 1e-13  # a change of accelerations this small, by the largest, is the last
LOST = 1e-9  # a last change above this: digits are missing


def own_compliances(J: Any, mass: np.ndarray) -> np.ndarray:
    """By row: its acceleration by a unit force if nothing else held its bodies, sum of J_j^2/m_j; one for empty rows."""
    squares = J.multiply(J) if hasattr(J, "multiply") else J**2
    own = np.asarray(squares @ (1 / mass)).ravel()
    return np.where(own > 0, own, 1.0)
