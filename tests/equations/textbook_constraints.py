"""Basic constraints between two bodies: traced by ours, and as the textbooks write them, corrected for misprints.

Haug (1989) 9.4.3-9.4.16, Table 9.4.1, 9.6.20-9.6.28; Nikravesh Table 11.1; ME751 DP1, DP2, D, CD.
"""

from types import SimpleNamespace

import numpy as np
from spatial_setting import (
    HomogeneousPose,
    Symbols,
    evaluate,
    parameter_form,
    rotation_form,
    tilde,
)

from linkwright import graph
from linkwright.equations import basic_constraints as basic
from linkwright.equations.rotations import B, Pose

BODIES = (Symbols("i"), Symbols("j"))
VECTORS = {name: graph.symbols(name, 3) for name in ("ai", "aj", "si", "sj", "c")}
C = graph.symbol("C")
SAMPLES = 6


def geometry(pose_i, pose_j):
    """The global vectors of the constraints, traced."""
    g = SimpleNamespace(c=VECTORS["c"], C=C)
    g.a_i, g.a_j = pose_i.vector(VECTORS["ai"]), pose_j.vector(VECTORS["aj"])
    g.P_i, g.P_j = pose_i.point(VECTORS["si"]), pose_j.point(VECTORS["sj"])
    g.d = basic.between(g.P_i, g.P_j)
    return g


PRIMITIVES = {
    "d1": lambda g: [basic.dp1(g.a_i, g.a_j)],
    "d2": lambda g: [basic.dp2(g.a_i, g.d)],
    "s": lambda g: basic.spherical(g.P_i, g.P_j),
    "ss": lambda g: [basic.distance(g.P_i, g.P_j, g.C)],
    "cd": lambda g: [basic.cd(g.c, g.d)],
    "point": lambda g: [basic.absolute_coordinate(g.P_i, k, g.c[k]) for k in range(3)],
    # Nikravesh's, with their three rows of rank two and the opposite sign of the spherical joint
    "n_p1": lambda g: list(np.cross(g.a_i, g.a_j)),
    "n_p2": lambda g: list(np.cross(g.a_i, g.d)),
    "n_s": lambda g: [-x for x in basic.spherical(g.P_i, g.P_j)],
}


def numbers_of(i, j, data):
    """Everything the textbooks' formulas speak of, as plain arrays."""
    x = SimpleNamespace(i=i, j=j, Ai=i.A, Aj=j.A, wi=i.om, wj=j.om, **{k + "_b": v for k, v in data.items()})
    x.c, x.C = x.c_b, x.C_b
    x.ai, x.si, x.aj, x.sj = i.A @ x.ai_b, i.A @ x.si_b, j.A @ x.aj_b, j.A @ x.sj_b
    x.aid, x.sid, x.ajd, x.sjd = np.cross(i.om, x.ai), np.cross(i.om, x.si), np.cross(j.om, x.aj), np.cross(j.om, x.sj)
    x.aidd, x.sidd = np.cross(i.om, x.aid), np.cross(i.om, x.sid)  # omega x (omega x a)
    x.ajdd, x.sjdd = np.cross(j.om, x.ajd), np.cross(j.om, x.sjd)
    x.d = j.r + x.sj - i.r - x.si
    x.dd = j.rd + x.sjd - i.rd - x.sid
    return x


def rows(*blocks):
    return np.hstack([np.atleast_2d(b) for b in blocks])


Z, I3 = np.zeros((1, 3)), np.eye(3)

# Haug: Phi, [Phi_ri, Phi_pi_i, Phi_rj, Phi_pi_j] by global virtual rotations, gamma#
HAUG = {
    "d1": lambda x: (
        x.ai @ x.aj,
        rows(Z, np.cross(x.ai, x.aj), Z, -np.cross(x.ai, x.aj)),
        -x.aj @ x.aidd - x.ai @ x.ajdd - 2 * x.aid @ x.ajd,
    ),
    "d2": lambda x: (
        x.ai @ x.d,
        rows(-x.ai, np.cross(x.ai, x.d + x.si), x.ai, np.cross(x.sj, x.ai)),
        -x.d @ x.aidd - 2 * x.dd @ x.aid - x.ai @ (x.sjdd - x.sidd),
    ),
    "s": lambda x: (x.d, rows(-I3, tilde(x.si), I3, -tilde(x.sj)), x.sidd - x.sjdd),
    "ss": lambda x: (
        x.d @ x.d - x.C**2,
        rows(-2 * x.d, -2 * np.cross(x.si, x.d), 2 * x.d, 2 * np.cross(x.sj, x.d)),
        -2 * x.dd @ x.dd - 2 * x.d @ (x.sjdd - x.sidd),
    ),
    "cd": lambda x: (x.c @ x.d, rows(-x.c, x.c @ tilde(x.si), x.c, -x.c @ tilde(x.sj)), -x.c @ (x.sjdd - x.sidd)),
    "point": lambda x: (x.i.r + x.si - x.c, rows(I3, -tilde(x.si), 0 * I3, 0 * I3), -x.sidd),
}

# Haug's body forms, Table 9.4.1: Phi_pi'_i, Phi_pi'_j (d1 with a_j' leading, the printed a_i' is a slip)
HAUG_BODY = {
    "d1": lambda x: (-x.aj_b @ x.Aj.T @ x.Ai @ tilde(x.ai_b), -x.ai_b @ x.Ai.T @ x.Aj @ tilde(x.aj_b)),
    "d2": lambda x: (x.ai_b @ tilde(x.si_b) - x.d @ x.Ai @ tilde(x.ai_b), -x.ai_b @ x.Ai.T @ x.Aj @ tilde(x.sj_b)),
    "s": lambda x: (x.Ai @ tilde(x.si_b), -x.Aj @ tilde(x.sj_b)),
    "ss": lambda x: (2 * x.d @ x.Ai @ tilde(x.si_b), -2 * x.d @ x.Aj @ tilde(x.sj_b)),
    "point": lambda x: (-x.Ai @ tilde(x.si_b), np.zeros((3, 3))),
}

# Nikravesh Table 11.1: Phi_ri, Phi_pi L^T / 2, Phi_rj, Phi_pj L^T / 2 (his L is Haug's G), gamma#
NIKRAVESH = {
    "d1": lambda x: (
        rows(Z, -x.aj @ tilde(x.ai) @ x.Ai, Z, -x.ai @ tilde(x.aj) @ x.Aj),
        -2 * x.aid @ x.ajd + x.aid @ tilde(x.wi) @ x.aj + x.ajd @ tilde(x.wj) @ x.ai,
    ),
    "d2": lambda x: (
        rows(-x.ai, -(x.d + x.si) @ tilde(x.ai) @ x.Ai, x.ai, -x.ai @ tilde(x.sj) @ x.Aj),
        -2 * x.dd @ x.aid - x.d @ tilde(x.wi) @ x.aid + x.ai @ (tilde(x.wi) @ x.sid - tilde(x.wj) @ x.sjd),
    ),
    "n_p1": lambda x: (
        rows(0 * I3, tilde(x.aj) @ tilde(x.ai) @ x.Ai, 0 * I3, -tilde(x.ai) @ tilde(x.aj) @ x.Aj),
        -2 * tilde(x.aid) @ x.ajd + tilde(x.aj) @ tilde(x.wi) @ x.aid - tilde(x.ai) @ tilde(x.wj) @ x.ajd,
    ),
    "n_p2": lambda x: (
        rows(
            -tilde(x.ai),
            (tilde(x.ai) @ tilde(x.si) + tilde(x.d) @ tilde(x.ai)) @ x.Ai,
            tilde(x.ai),
            -tilde(x.ai) @ tilde(x.sj) @ x.Aj,
        ),
        -2 * tilde(x.aid) @ x.dd
        + tilde(x.ai) @ (tilde(x.wi) @ x.sid - tilde(x.wj) @ x.sjd)
        + tilde(x.d) @ tilde(x.wi) @ x.aid,
    ),
    "n_s": lambda x: (
        rows(I3, -tilde(x.si) @ x.Ai, -I3, tilde(x.sj) @ x.Aj),
        -tilde(x.wi) @ x.sid + tilde(x.wj) @ x.sjd,
    ),
    "ss": lambda x: (
        rows(-2 * x.d, 2 * x.d @ tilde(x.si) @ x.Ai, 2 * x.d, -2 * x.d @ tilde(x.sj) @ x.Aj),
        -2 * x.dd @ x.dd + 2 * x.d @ (tilde(x.wi) @ x.sid - tilde(x.wj) @ x.sjd),
    ),
}


def me751(x):
    """Phi_pi, Phi_pj and gamma_H by B(p, s)."""
    Bi, Bj = lambda s: B(x.i.p, s), lambda s: B(x.j.p, s)
    ci, cj = (lambda s: B(x.i.pd, s) @ x.i.pd), (lambda s: B(x.j.pd, s) @ x.j.pd)
    ai, aj, si, sj = x.ai_b, x.aj_b, x.si_b, x.sj_b
    return {
        "d1": (x.aj @ Bi(ai), x.ai @ Bj(aj), -x.aj @ ci(ai) - x.ai @ cj(aj) - 2 * x.aid @ x.ajd),
        "d2": (
            x.d @ Bi(ai) - x.ai @ Bi(si),  # the slide prints B(p_i, s_i) in the first term, too: a slip
            x.ai @ Bj(sj),
            -x.ai @ cj(sj) + x.ai @ ci(si) - x.d @ ci(ai) - 2 * x.aid @ x.dd,
        ),
        "ss": (-2 * x.d @ Bi(si), 2 * x.d @ Bj(sj), -2 * x.d @ (cj(sj) - ci(si)) - 2 * x.dd @ x.dd),
        "cd": (-x.c @ Bi(si), x.c @ Bj(sj), x.c @ (ci(si) - cj(sj))),
        "s": (-Bi(si), Bj(sj), ci(si) - cj(sj)),
    }


def batch(cases):
    columns = {}
    for i, j, data in cases:
        row = {**BODIES[0].values(i), **BODIES[1].values(j), C: data["C"]}
        row.update({s: v for name, symbols in VECTORS.items() for s, v in zip(symbols, data[name], strict=True)})
        for symbol, number in row.items():
            columns.setdefault(symbol, []).append(number)
    return {symbol: np.array(numbers) for symbol, numbers in columns.items()}


def derive(equation, values):
    poses = [Pose(b.r, b.p) for b in BODIES]
    Phi = equation(geometry(*poses))
    Phi_h = equation(geometry(*(HomogeneousPose(b.r, b.p) for b in BODIES)))
    J, rate, gamma = rotation_form(Phi, BODIES, poses)
    J_n, _, gamma_n = parameter_form(Phi, BODIES)
    J_h, _, gamma_h = parameter_form(Phi_h, BODIES)
    names = {
        "Phi": Phi,
        "J": J,
        "rate": rate,
        "gamma": gamma,
        "J_n": J_n,
        "gamma_n": gamma_n,
        "J_h": J_h,
        "gamma_h": gamma_h,
    }
    return {name: evaluate(roots, values) for name, roots in names.items()}


def body_columns(J, x):
    """Columns by global virtual rotations -> by those in body axes."""
    out = np.array(J, dtype=float)
    out[:, 3:6] = out[:, 3:6] @ x.Ai
    out[:, 9:12] = out[:, 9:12] @ x.Aj
    return out
