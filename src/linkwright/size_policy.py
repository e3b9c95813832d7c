"""How large is large: what is compiled as a whole or in loops, and where sparse factors take over from dense ones.

All such limits are here, each with what it was measured by (seconds of one core), and are read when they are needed: whoever
wants a small machine treated as a large one, as tests do, changes them here and nowhere else.

Compiled as a whole (fused: traced, eliminated, made native code) a machine takes a time that grows with its bodies. By kinds
of elements, and run in loops over their members (looped), it takes as long as its kinds, however many members they have; an
evaluation is slower. Chains of n links, seconds until the first result, and for 500 evaluations after that:

          plane: fused    looped         space: fused    looped
    25    2.1, 0.01       1.4, 0.05      4.7, 0.03       1.7, 0.10
    50    4.0, 0.03       1.6, 0.06      9.6, 0.08       1.7, 0.11
    100   6.7, 0.07       1.6, 0.08      18.4, 0.28      1.9, 0.16
"""

from __future__ import annotations

# -- fused or looped: bodies that move -------------------------------------------------------------------------------------
LOOPED = 50
# Each set of joints and contacts that stick and rest is compiled as a whole by itself; in loops it is numbers. A chain of n
# links that falls, all joints of which stick, seconds of processor time from an empty cache, and of the second run:
#     n = 4: fused 1.5, 0.07, looped 2.7, 0.08;    n = 6: fused 3.3, 0.13, looped 3.0, 0.22;    n = 12: looped 4, 1.2.
# Of the looped ones 2.4 s are the same for all machines and are kept on disk.
LOOPED_SLOTS = 6
# The same by all speeds of what may stick, of which boxes on boxes have many. Boxes that slide as one, seconds as above:
#     2 in space, 48 speeds: fused not begun after 40, looped 8.6, 0.2;
#     6 in the plane, 44: fused 4.6, 0.03, looped 7.1, 0.05.
LOOPED_SPEEDS = 40
# Kinematics evaluates positions alone, which compile in a quarter of that time: it goes over to loops later, and for so few
# points only. As a whole a machine takes 20 ms a body before its first point, and 0.1 ms a body less for each.
LOOPED_MOTION, FEW_POINTS = 100, 200
# What loops do not have is compiled as a whole, of any number of bodies; from WHOLE on, some ten seconds, the cost is told.
# A formulation that was asked for by name is written down up to WHOLE_BY_NAME bodies: its user knows what to wait for.
# Beyond, the bodies' own equations give the same motion.
WHOLE, WHOLE_BY_NAME = 150, 300
# Operations of Kane's projected elimination from which on it is not tried. A tower of 10 four-bars has 12,000: its code
# takes three times as long to make, and to run, as that of the bodies' own equations, and grows with the cube.
PROJECTED_OPERATIONS = 20_000
# Unknowns of a planar linkage whose Newton steps are written out as straight-line code for all points at once.
SWEPT = 40

# -- dense or sparse: columns, rows, numbers in a state --------------------------------------------------------------------
# Columns of a Jacobian beyond which sparse factors are used where they can tell: less than those of LOOPED bodies in the
# plane, so that what is evaluated by shapes is never made dense.
SPARSE = 149
# Columns beyond which dependences are found by sparse factors and random samples: singular values take 0.1 s here, and are
# asked for a dozen times by a check.
SPARSE_RANK = 600
# Rows and columns up to which singular values are found at all, 0.4 s; beyond, orthogonal elimination with pivots takes an
# eighth of their time.
SINGULAR_VALUES = 1000
# Rows of one connected part of a large matrix up to which singular values tell its dependences: 0.02 s.
PART = 300
# Unknowns up to which a dense factorisation is faster than a sparse one: in the native loop, and from Python.
DENSE, DENSE_CALLS = 24, 90
# Free motions beyond which eigenvalues and least squares are avoided where elimination tells the same.
FREE_MOTIONS = 200
# Numbers in a state: up to STIFF all its eigenvalues are looked at where steps are short, 0.2 s; up to IMPLICIT implicit
# methods run in joint coordinates with dense factors, beyond in the bodies' coordinates with sparse ones: a stiff chain of
# 300 links in space, 1,200 joint coordinates and speeds, takes 5.7 s with the first and 0.8 s with the second.
STIFF, IMPLICIT = 600, 400
# Bodies beyond which a machine that turns out stiff goes on so.
STIFF_BODIES = 100
# Numbers at most that the events of a step may take; most of the memory is never touched.
EVENT_ROOM = 250_000_000

# -- one by one or all at once: points of a motion -------------------------------------------------------------------------
# Up to so many a function is called for one after the other, which compiles nothing new: some 0.1 ms each from Python, while
# code for batches takes some 0.3 s to make.
SINGLE_CALLS = 3000


def is_looped(bodies: int) -> bool:
    """Whether a machine with so many bodies that move is compiled in loops."""
    return bodies >= LOOPED


def sticks_in_loops(elements: int, speeds: int) -> bool:
    """Whether a machine is, so many elements of which may stick, at so many speeds."""
    return elements >= LOOPED_SLOTS or speeds >= LOOPED_SPEEDS


def is_looped_motion(bodies: int, points: int) -> bool:
    """Whether a motion by kinematics over so many points is."""
    return bodies >= LOOPED_MOTION and points <= FEW_POINTS


def cost_as_a_whole(bodies: int) -> str:
    """What compiling as a whole costs, where that is worth a word."""
    return f" (a machine of {bodies} bodies takes some {0.1 * bodies:.0f} s for it)" if bodies > WHOLE else ""


def why_looped(bodies: int) -> str:
    if not is_looped(bodies):
        many = f"from {LOOPED_SLOTS} elements or {LOOPED_SPEEDS} speeds that may stick on"
        return f"compiled in loops, with all sets of what sticks at once ({many})"
    return f"compiled in loops over {bodies} bodies (from {LOOPED} on that takes less time than to compile them as a whole)"
