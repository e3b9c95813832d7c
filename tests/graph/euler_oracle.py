"""Euler parameters as in the textbook, scalar first: what the derivatives by rotations are held against."""

import numpy as np


def matrix(p):
    """A(p) of unit Euler parameters (Haug 9.3.19)."""
    e0, e1, e2, e3 = p
    half = [
        [e0 * e0 + e1 * e1 - 0.5, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
        [e1 * e2 + e0 * e3, e0 * e0 + e2 * e2 - 0.5, e2 * e3 - e0 * e1],
        [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0 * e0 + e3 * e3 - 0.5],
    ]
    return 2 * np.array(half, dtype=object)


def G(p):
    """The 3 x 4 matrix with omega' = 2 G p'."""
    e0, e1, e2, e3 = p
    return np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
