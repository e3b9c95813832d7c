"""Newton and Euler for each body alone, joints as they are described, energy and momentum: in plain numpy."""

from __future__ import annotations

import numpy as np

from fuzz import rare, touching
from fuzz.loads import LAWS, table
from fuzz.motion import Answer, wrench
from fuzz.pairs import RESIDUALS, coordinate
from fuzz.places import Place, turn
from fuzz.sketch import Item

STRIKING = ("Impact", "Bumper", "Rubbing", "Shapes")  # between which nothing happens but blows, and rest
ROUNDING = 1e-9  # of the largest force in the machine: sums of some tens of terms through matrices of condition 1e5


def newton_euler(a: Answer) -> list[str]:
    """m a = F and (J w)' = M about the mass centre, with reactions, drivers, loads and gravity."""
    said = []
    for k in range(len(a.t)):
        F = {n: np.zeros(3) for n in a.bodies}
        M = {n: np.zeros(3) for n in a.bodies}  # about the origins of the bodies
        size, arm = 1e-3 * a.sketch.units.of(1, 1, -2), a.sketch.units.L  # nothing may act at all
        # a node without mass is solved for with the others, by factors as of a mass like theirs: so its acceleration counts
        masses = np.array([p.mass for p in a.sketch.parts])
        nodes = [float(np.abs(a.bodies[p.name].a[k]).max()) for p in a.sketch.parts if not p.mass]
        size = max([size, *[float(masses.sum() / np.count_nonzero(masses)) * acceleration for acceleration in nodes]])
        for x in a.sketch.items:
            for body, f, at, n in _wrenches(a, x, k):
                F[body] = F[body] + f
                M[body] = M[body] + n + np.cross(at - a.bodies[body].r[k], f)
                size = max(size, float(np.abs(f).max()), float(np.abs(n).max()) / arm)
        off = {}
        for p in a.sketch.parts:
            b = a.bodies[p.name]
            c = b.R[k] @ p.com
            _, _, ac = b.at(k, p.com)
            J = b.R[k] @ p.inertia @ b.R[k].T
            needed = p.mass * (ac - a.sketch.gravity)
            spin = J @ b.alpha[k] + np.cross(b.w[k], J @ b.w[k]) + np.cross(c, needed)
            if a.sketch.dimension == 2:
                spin[:2] = 0.0
            here = max(
                size,
                float(np.abs(needed).max()),
                p.mass * float(np.abs(a.sketch.gravity).max()),
                float(np.abs(spin).max()) / arm,
            )
            size = max(size, here)
            left = F[p.name] - needed, M[p.name] - spin
            off[p.name] = left[0], left[1] + np.cross(b.r[k], left[0])
        said += _unbalanced(a, k, off, size)
    return said


def _unbalanced(a: Answer, k: int, off: dict[str, tuple[np.ndarray, np.ndarray]], size: float) -> list[str]:
    """What is left of each body: force, and moment about the world's origin. Bodies whose shapes touch do so at places, and
    along normals, that are not told: what is left of both together, and of one on the ground the size of the force."""
    said, L, flat = [], a.sketch.units.L, a.sketch.dimension == 2
    for x in a.sketch.of_kind("Shapes"):
        i, j = x.bodies
        if j == "ground":
            parts = [n for n in a.result.channels if n.startswith(f"{x.name}.force_")] or [f"{x.name}.force"]
            pressing = [p for p in (float(a.result[n][k]) for n in parts) if abs(p) > ROUNDING * size]
            (F, M), rubs = off.pop(i), "mu" in x.numbers
            if not pressing:
                off[i] = F, M
            elif len(pressing) == 1 and not rubs and not abs(np.linalg.norm(F) - pressing[0]) <= ROUNDING * size:
                said.append(f"{x.name} presses {i} by {pressing[0]:.6g} at t[{k}], which needs {np.linalg.norm(F):.6g}")
        else:
            (F, M), (G, N) = off.pop(i), off.pop(j)
            off[f"{i} and {j}"] = F + G, M + N
    reach = L + max(float(np.abs(b.r[k]).max()) for b in a.bodies.values())  # moments about the origin
    for name, (F, M) in off.items():
        M = M * (0, 0, 1) if flat else M
        if not max(float(np.abs(F).max()), float(np.abs(M).max()) / reach) <= ROUNDING * size:
            said.append(
                f"{name} at t[{k}]: force off by {np.abs(F).max():.3g}, moment by {np.abs(M).max():.3g}, of {size:.3g}"
            )
    return said


def _wrenches(a: Answer, x: Item, k: int) -> list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    if x.kind in LAWS:
        return LAWS[x.kind](a, x, k)
    if x.name not in a.result.places:  # an elastic pair: told of its second body, at the centre of that
        (i, _), (j, Q) = x.ends
        f, n = ([float(a.result[c][k]) if c in a.result else 0.0 for c in names] for names in _told(x, a.sketch.dimension))
        at = a.end(k, j, Q).r
        return [(i, -np.array(f), at, -np.array(n)), (j, np.array(f), at, np.array(n))]
    out = []
    for body in dict.fromkeys(x.bodies[:2]):
        f, n = wrench(a, x.name, body)
        out.append((body, f[k], np.zeros(3), n[k]))
    return out


def _told(x: Item, dimension: int) -> tuple[list[str], list[str]]:
    """Channels of a force and a torque."""
    turns = [f"{x.name}.torque" if dimension == 2 and c == "z" else f"{x.name}.t{c}" for c in "xyz"]
    return [f"{x.name}.f{c}" for c in "xyz"], turns


def closed(a: Answer) -> list[str]:
    """Joints hold in position, velocity and acceleration, by differences of their own residuals along the motion."""
    said, L, T = [], a.sketch.units.L, a.sketch.units.T
    for x in a.sketch.items:
        if x.kind not in RESIDUALS:
            continue
        for k in range(len(a.t)):
            h = 1e-3 * T / (1 + _speed(a, x, k) * T)
            zero, first, second = _differences(a, x, k, h)
            lengths = x.value("f") ** 0.5 * 2 if x.kind == "D" else 1.0
            size = L if np.abs(lengths) == 1 else L * lengths
            size = max(size, 1.0) if L < 1 else size  # rows may be angles: both are asked in the larger unit
            fast = (1 + _speed(a, x, k) * T) ** 2
            for what, off, tol in (
                ("position", zero, 1e-7),
                ("velocity", first * T, 1e-5),
                ("acceleration", second * T * T, 1e-3),
            ):
                if not np.abs(off).max() <= tol * size * fast:
                    said.append(f"{x.name} ({x.kind}) {what} off by {np.abs(off).max():.3g} at t[{k}]")
    return said


def _speed(a: Answer, x: Item, k: int) -> float:
    """The largest rate of the bodies of an element [1/s]."""
    L = a.sketch.units.L
    found = [np.abs(b.w[k]).max() + np.abs(b.v[k]).max() / L for b in (a.bodies[n] for n in x.bodies)]
    rates = [np.abs(b.alpha[k]).max() ** 0.5 + (np.abs(b.a[k]).max() / L) ** 0.5 for b in (a.bodies[n] for n in x.bodies)]
    return float(max(found + rates))


def _differences(a: Answer, x: Item, k: int, h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    def residual(e: float) -> np.ndarray:
        ends = [a.bodies[body].ahead(k, e) @ a.own(body, drawn) for body, drawn in x.ends[:2]]
        return np.array(RESIDUALS[x.kind](x, *ends, a.sketch.dimension))

    minus, zero, plus = residual(-h), residual(0.0), residual(h)
    return zero, (plus - minus) / (2 * h), (plus - 2 * zero + minus) / (h * h)


def workless(a: Answer) -> list[str]:
    """What a joint exerts lies in the span of its equations' gradients: no torque about a hinge, no force along a slide."""
    said, L, n = [], a.sketch.units.L, a.sketch.dimension
    directions = [0, 1, 5] if n == 2 else list(range(6))
    for x in a.sketch.items:
        if x.kind not in RESIDUALS or x.kind == "Constraint" or len(set(x.bodies[:2])) < 2:
            continue
        if x.kind == "CD" and x.bodies[1] == "ground":  # which also takes the couple
            continue
        F, M = wrench(a, x.name, x.bodies[1])
        for k in range(len(a.t)):
            P, Q = (a.end(k, *end) for end in x.ends[:2])
            columns = []
            for m in directions:  # the second body displaced about Q
                e = np.zeros(6)
                e[m] = 1e-5
                pair = [RESIDUALS[x.kind](x, P, Place(turn(s * e[3:]) @ Q.R, Q.r + s * e[:3] * L), n) for s in (1, -1)]
                columns.append((np.array(pair[0]) - np.array(pair[1])) / 2e-5)
            G = np.array(columns).T
            G /= np.linalg.norm(G, axis=1, keepdims=True)
            full = np.concatenate([F[k] * L, M[k] - np.cross(Q.r, F[k])])[directions]
            lam = np.linalg.lstsq(G.T, full, rcond=1e-12)[0]
            off = float(np.abs(G.T @ lam - full).max())
            if not off <= 1e-7 * max(float(np.abs(full).max()), _weight(a) * L):
                said.append(f"{x.name} ({x.kind}) works: {off:.3g} of {np.abs(full).max():.3g} at t[{k}]")
    return said


def _weight(a: Answer) -> float:
    """The scale of forces: weights and inertia forces."""
    accelerations = [p.mass * (np.abs(a.bodies[p.name].a).max() + np.abs(a.sketch.gravity).max()) for p in a.sketch.parts]
    return float(max(accelerations)) + a.sketch.units.of(1, 1, -2)


def coordinates(a: Answer) -> list[str]:
    """Joint coordinates are what the frames say, whole turns apart; drivers hold."""
    said = []
    for x in a.sketch.items:
        if len(x.ends) == 2 and x.kind in RESIDUALS:
            for channel in ("angle", "displacement"):
                name = f"{x.name}.{channel}"
                if name not in a.result or x.kind in ("RevoluteCylindrical", "RevoluteTranslational"):
                    continue
                for k in range(len(a.t)):
                    want = coordinate(channel, *(a.end(k, *end) for end in x.ends), a.sketch.dimension)
                    off = float(a.result[name][k]) - want
                    size = 1.0 if channel == "angle" else a.sketch.units.L
                    if channel == "angle":
                        off -= 2 * np.pi * round(off / (2 * np.pi))
                    if not abs(off) <= 1e-7 * size:
                        said.append(f"{name} is {a.result[name][k]:.9g} at t[{k}], by its frames {want:.9g}")
        if x.kind == "Driver":
            name = f"{x.of[0]}.{x.words['channel']}"
            c0, c1, c2 = (x.value(f"c{k}") for k in range(3))
            t, w = a.t, x.value("w")
            shape = table(x, w * t) if x.words["motion"] == "table" else np.sin(w * t)
            shape = rare.rise(x, t) if "duration" in x.numbers else shape
            want = c0 + c1 * t + c2 * t * t if x.words["motion"] == "polynomial" else c0 + c1 / w * shape
            size = a.sketch.units.L if x.words["channel"] == "displacement" else 1.0
            if not np.abs(np.asarray(a.result[name]) - want).max() <= 1e-7 * size:
                said.append(f"{x.name}: {name} is not as driven")
    return said


def energy(a: Answer) -> list[str]:
    """The balance that the run tells, and the kinetic energy and the weight's potential by themselves."""
    d, said = a.result, []
    T, V = np.zeros(len(a.t)), np.zeros(len(a.t))
    for p in a.sketch.parts:
        b = a.bodies[p.name]
        for k in range(len(a.t)):
            r, v, _ = b.at(k, p.com)
            w = b.R[k].T @ b.w[k]
            J = p.inertia
            T[k] += 0.5 * p.mass * v @ v + 0.5 * (J[2, 2] * w[2] ** 2 if a.sketch.dimension == 2 else w @ J @ w)
            V[k] -= p.mass * a.sketch.gravity @ r
    T += [sum(touching.spin(a, x, k) for x in a.sketch.of_kind("Motor", "Inertia")) for k in range(len(a.t))]
    size = np.abs(T).max() + np.ptp(d.energy.potential) + np.abs(d.energy.work).max() + a.sketch.units.of(2, 1, -2)
    if not np.abs(T - d.energy.kinetic).max() <= 1e-9 * size:
        said.append(f"kinetic energy is {d.energy.kinetic}, by the bodies {T}")
    stored = {"Spring", "TorsionSpring", "Force", "PointForce", "Torque", "Bushing", "Contact", "Stop", "TableForce", "Tyre"}
    stored |= {"Wheel", "Motor", "PID", "Maxwell", "Attraction", "PlainForce"}
    if not any(x.kind in stored or "k" in x.numbers for x in a.sketch.items):
        off = np.abs((V - V[0]) - (d.energy.potential - d.energy.potential[0])).max()
        if not off <= 1e-8 * (size + np.abs(V).max()):
            said.append(f"potential energy changes as {d.energy.potential}, by the bodies {V}")
        # loads of inclined teeth do no work in a motion that the joints allow, and steps leave those by their tolerance
        inclined = any(x.numbers.keys() & {"pressure_angle", "helix_angle"} for x in a.sketch.of_kind("Gear", "RackPinion"))
        work = float(np.abs(d.energy.work).max())
        if not a.sketch.of_kind("Driver", "Friction", "DryFriction", *STRIKING) and work > 1e-8 * size * inclined:
            said.append(f"work of nothing: {work:.3g}")
        if not a.sketch.of_kind("Driver") and not (np.diff(d.energy.kinetic + d.energy.potential) <= 1e-7 * size).all():
            said.append(f"energy grows: {d.energy.kinetic + d.energy.potential}")
    balance = np.abs(d.energy.balance).max()
    # the work of a contact that damps is integrated beside the motion, without error control
    damped = any("k" in x.numbers and "c" in x.numbers for x in a.sketch.of_kind("Shapes", "Rope", "Belt", "Gear"))
    touches = damped or a.sketch.of_kind("Contact", "Stop", "Tyre", "Wheel")
    # and so is that of motors and states; where the run tells of it by itself, some of that is no fault
    told = any("the energy balance is off by" in note for note in d.audit.notes)
    if not balance <= (1e-3 if touches else 1e-5 if told else 1e-6) * size:
        said.append(f"energy balance {balance:.3g} of {size:.3g}")
    return said


def momentum(a: Answer) -> list[str]:
    """Of a machine that nothing holds: the mass centre moves as weight and outer forces say; inner forces cancel."""
    s = a.sketch
    outer = {"PointForce", "Torque", "CD", "Tyre", "Wheel", "Skate"}
    held = any("ground" in x.bodies for x in s.items) or any(x.kind in outer for x in s.items)
    if held:
        return []
    count = len(a.t)
    P, H, C = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    mass = sum(p.mass for p in s.parts)
    for k in range(count):
        for p in s.parts:
            b = a.bodies[p.name]
            r, v, _ = b.at(k, p.com)
            J = b.R[k] @ p.inertia @ b.R[k].T
            P[k] += p.mass * v
            H[k] += J @ b.w[k] + np.cross(r, p.mass * v)
            C[k] += p.mass * r
    t = a.t[:, None] - a.t[0]
    # about the world's origin: P = P0 + m g t, H' = C x g
    C0, P0 = C[0], P[0]
    want_P = P0 + mass * s.gravity * t
    want_C = C0 + P0 * t + 0.5 * mass * s.gravity * t * t
    integral = np.array([C0 * x + P0 * x * x / 2 + mass * s.gravity * x**3 / 6 for x in t[:, 0]])
    want_H = H[0] + np.cross(integral, s.gravity)
    said = []
    L, M, T = s.units
    sizes = (
        M * L / T * (1 + np.abs(P).max() * T / (M * L)),
        M * L * L / T * (1 + np.abs(H).max() * T / (M * L * L)),
        M * L * (1 + np.abs(C).max() / (M * L)),
    )
    rows = (slice(0, 2), slice(2, 3), slice(0, 2)) if s.dimension == 2 else (slice(None),) * 3
    for what, have, want, size, part in zip(
        ("momentum", "moment of momentum", "mass centre"), (P, H, C), (want_P, want_H, want_C), sizes, rows, strict=True
    ):
        off = np.abs(have - want)[:, part].max()
        if not off <= 3e-7 * size:
            said.append(f"{what} off by {off:.3g} of {size:.3g}")
    return said
