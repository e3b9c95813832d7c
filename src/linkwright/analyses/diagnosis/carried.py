"""How many constraints on velocities cannot be integrated, where some combinations of them can.

Along a motion X that they allow, a combination c w of the forms that holds a position is carried along by what X does to it:
there are c' and multipliers of the other rows with

    c i_X dw + c' w + mu Phi_v = 0        (Cartan: L_X w = i_X dw, since w X = 0),

and what does not fit excludes c. Forms can be integrated that nothing excludes along a motion which turns everywhere: almost
every motion tells what all tell (Sontag, Universal nonsingular controls, 1992).
"""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.diagnosis.velocity_forms import VelocityForms
from linkwright.solve.smallest import Smallest

MOVE, STEPS = 6.0, 48  # rad, and of the length of the forms' levers: what Runge and Kutta's method goes to 1e-9
TURN = 0.5  # rad, by which its direction turns over one of it: what goes straight on may come to an end
CARRIED = 5e-9  # of a row: less is its error


def never_integrated(forms: VelocityForms, open_: np.ndarray, q: np.ndarray, t: float) -> int:
    """Of the parts of the machine with these numbers."""
    motion = _Motion(forms, open_)
    C = [np.eye(len(own)) for own in motion.own]
    off = [np.zeros((len(own), 0)) for own in motion.own]
    for s in np.arange(STEPS + 1) * MOVE / STEPS:
        try:
            x, G, E = motion.rates(q, t, s)
            off = [_with(a, c @ e) for a, c, e in zip(off, C, E, strict=True)]
            q, t, C = _stepped(motion, q, t, s, C, (x, G))
        except linear.NotFiniteError:  # it leaves the place where its formulas have values
            break
    return sum(int((linear.singular_values(a) > CARRIED).sum()) for a in off)


def _stepped(
    motion: _Motion, q: np.ndarray, t: float, s: float, C: list[np.ndarray], first: tuple[np.ndarray, list[np.ndarray]]
) -> tuple[np.ndarray, float, list[np.ndarray]]:
    """The classical method of Runge and Kutta, in displacements from the step's beginning, in which turns do not add up
    (Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8)."""
    h, unit = MOVE / STEPS, motion.forms.unit
    moves, turns = [first[0]], [[-c @ g for c, g in zip(C, first[1], strict=True)]]
    for part in (0.5, 0.5, 1.0):
        d = part * h * moves[-1]
        x, G, _ = motion.rates(motion.moved(q, d), t + part * h * unit, s + part * h)
        turns.append([-(c + part * h * turn) @ g for c, turn, g in zip(C, turns[-1], G, strict=True)])
        moves.append(motion.displacing(d, x))
    weights = np.array([1, 2, 2, 1]) * h / 6
    C = [c + np.tensordot(weights, stages, 1) for c, *stages in zip(C, *turns, strict=True)]
    return motion.moved(q, weights @ moves), t + h * unit, C


def _with(off: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Columns that exclude the same combinations as these and those, as few as can be."""
    U, s, _ = linear.svd(np.hstack([off, more]), full_matrices=False)
    return np.asarray(U * s)


class _Motion:
    """A motion of the open parts, and what it does to their forms: `own` of each part."""

    def __init__(self, forms: VelocityForms, open_: np.ndarray) -> None:
        self.forms, self.machine = forms, forms.machine
        of_row, of_column = forms.parts[0][forms.kept], forms.parts[1]
        self.rows, self.columns = np.flatnonzero(np.isin(of_row, open_)), np.flatnonzero(np.isin(of_column, open_))
        of_form = forms.parts[0][forms.rows]
        self.own = [np.flatnonzero(of_form == p) for p in open_]
        self.own_rows = [np.flatnonzero(of_row[self.rows] == p) for p in open_]
        self.own_columns = [np.flatnonzero(of_column[self.columns] == p) for p in open_]
        # where the forms are among the rows
        self.among = [np.searchsorted(forms.kept[self.rows], forms.rows[own]) for own in self.own]
        x = np.random.default_rng(4).normal(size=(2, len(self.columns)))
        self.toward = x / np.abs(x).max()
        self.turns = np.zeros((0, 3), dtype=np.int64)
        if self.machine.model.dimension == 3:
            first = [at.start + 3 for _, at in self.machine.system.coordinates.body_slices().values()]
            self.turns = np.array(first, dtype=np.int64)[:, None] + np.arange(3)

    def rates(self, q: np.ndarray, t: float, s: float) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
        """The displacements of the motion; by part, c' = -c G, and by form what does not fit."""
        at = self.forms.at(q, t)
        S, late = at.S[self.rows][:, self.columns], at.late[self.rows]
        fit = Smallest(S)
        toward = self.toward[0] * np.cos(TURN * s) + self.toward[1] * np.sin(TURN * s)
        x = np.zeros(self.machine.nv)
        x[self.columns] = toward - S.T @ fit(toward) + fit.reaching(late)
        inserted = at.inserted(np.append(x, 1.0))
        # parts share neither rows nor columns: the n-th forms of all are fitted at once
        K = np.zeros((len(self.columns), max(map(len, self.own))))
        for own, columns in zip(self.own, self.own_columns, strict=True):
            K[columns, : len(own)] = inserted[own][:, self.columns[columns]].toarray().T
        y = fit(K)
        rest = K - S.T @ y
        G, E = [], []
        for own, rows, columns, among in zip(self.own, self.own_rows, self.own_columns, self.among, strict=True):
            n = len(own)
            by_time = inserted[own][:, [-1]].toarray()[:, 0] + late[rows] @ y[rows, :n]
            G.append(y[among, :n].T)
            E.append(np.column_stack([rest[columns, :n].T, by_time]))
        return x, G, E

    def moved(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        return self.machine.retract(q, d * self.forms.scale)

    def displacing(self, d: np.ndarray, x: np.ndarray) -> np.ndarray:
        """d' of displacements d at velocities x, which turn with the bodies: d/2 is the tangent of half the turn."""
        out, a, b = x.copy(), d[self.turns], x[self.turns]
        out[self.turns] += 0.5 * np.cross(a, b) + 0.25 * a * (a * b).sum(axis=1, keepdims=True)
        return out
