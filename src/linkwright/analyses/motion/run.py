"""A prescribed motion followed along the times of the output, past corners and through singular positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly import singular
from linkwright.analyses.assembly.freedom import good_to_drive
from linkwright.analyses.assembly.locked import locked_start
from linkwright.analyses.assembly.mending import mend
from linkwright.analyses.assembly.overlaps import OVERLAP, deep, depths
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.prescribed import check_finite, speed_jumps
from linkwright.analyses.machine.row_lengths import jacobian, usual_entries
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.sweep import sweep
from linkwright.errors import ModelError, SingularityError
from linkwright.model import CamFollower, Driver, Table
from linkwright.results import Audit, Result
from linkwright.solve import path
from linkwright.solve.follower import Follower, Point, Track
from linkwright.solve.rank import full_rank, independent_rows
from linkwright.system.system import curve_parameters

Progress = Callable[[float, float], None]
BLOCK = 100_000  # coordinates times points between two calls of progress: some hundredths of a second
UNASKED = 1_000_000  # the same where nobody watches: Ctrl-C is heard in between


class Run:
    """A machine on its way: chooses the equations, follows them, handles what happens."""

    def __init__(self, machine: Machine, times: Times, branch: int | None = None, rates: bool = True) -> None:
        refuse_velocities(machine)
        self.machine, self.times, self.branch, self.rates = machine, times, branch, rates
        self.dropped: np.ndarray = np.zeros(0, dtype=int)
        self.follower: Follower
        self.usual: np.ndarray  # the largest entry of each row of Phi_v, as it usually is
        self.notes: list[str] = []
        self.choices = 0  # how often redundant equations had to be exchanged
        self.tracks: list[Track] = []  # the motion so far
        self.states: np.ndarray | None = None  # of the machine at the output times, where somebody integrated them

    def prepare(self, q: np.ndarray, t: float) -> None:
        """Choose as many independent equations as there are coordinates; joints before drivers."""
        machine = self.machine
        self.usual = usual_entries(machine, q, t, machine.turns)
        kept, dropped = independent_rows(jacobian(machine, q, t, self.usual), machine.scale, ~machine.is_driver)
        if len(kept) < machine.nv:
            kept, dropped = self._near(q, t, kept, dropped)
        self.dropped = dropped
        self.follower = Follower(machine.system, kept, machine.scale, machine.b, self.usual[kept])

    def _near(self, q: np.ndarray, t: float, kept: np.ndarray, dropped: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Too few equations here: too few anywhere, or a singular place to start from?"""
        machine = self.machine
        J = machine.Phi_and_J(singular.elsewhere(machine, q, t), t)[1]
        more, less = independent_rows(J, machine.scale, ~machine.is_driver)
        if len(more) < machine.nv:
            locked = locked_start(machine, q, t)
            raise locked.error() if locked else self._not_driven(q, t, machine.nv - len(more), less)
        return more, less

    def _not_driven(self, q: np.ndarray, t: float, free: int, dropped: np.ndarray) -> ModelError:
        """Drivers are missing, or drive what the joints decide."""
        machine = self.machine
        idle = list(dict.fromkeys(r.name for r in (machine.system.rows[k] for k in dropped) if r.driver))
        useless = f"; {' and '.join(idle)} drive{'s' * (len(idle) == 1)} what the joints already hold" if idle else ""
        remove = f", and remove {' and '.join(idle)}" if idle else ""
        return ModelError(
            f"{free} degree{'s' if free > 1 else ''} of freedom of {machine.model.name!r} "
            f"{'are' if free > 1 else 'is'} not driven{useless}",
            element=[machine.model.name, *idle],
            remedy=f"add a Driver for each{remove}; {good_to_drive(machine, q, t)}",
        )

    # -- along the times ---------------------------------------------------------------------------------------------
    def over(self, q: np.ndarray, progress: Progress | None = None) -> list[Track]:
        """The motion at all times, as stretches; SingularityError with what there is where it cannot go on."""
        times, t0, done, tracks = self.times.path, self.times.start, 0, self.tracks
        self.prepare(q, t0)
        if self._is_singular(q, t0):
            point, done = self._cross(Point(t0, q, np.zeros(0), np.zeros(0), self.machine.turns), tracks, times, done)
        else:
            point, done = self.follower.point(q, t0, self.machine.turns), 1
            tracks.append(_single(point))
        block = max(50, (UNASKED if progress is None else BLOCK) // max(self.machine.nv, 1))
        while done < len(times):
            point, done = self._block(point, times[: done + block], done)
            if progress is not None:
                progress(point.t, (point.t - t0) / (float(times[-1]) - t0))
        return tracks

    def _block(self, point: Point, times: np.ndarray, done: int) -> tuple[Point, int]:
        """To the end of the times, many points at once if that can be; also how many are done then."""
        many = sweep(self.machine, self.follower, point, np.concatenate([[point.t], times[done:]]), self.rates)
        if many is not None:
            self._check_dropped(many)
            point = self.follower.point(many.q[-1], float(many.t[-1]), point.turns)
            self.tracks[:] = [many] if done == 1 else [*self.tracks, _after_first(many)]  # whole arrays need no joining
            done += len(many) - 1
        while done < len(times):
            track = self.follower.run(point, np.concatenate([[point.t], times[done:]]))
            self._check_dropped(track)
            self.tracks.append(_after_first(track))
            done += len(track) - 1
            point = track.point()
            if done < len(times):
                point, done = self._on(point, self.tracks, times, done)
        return point, done

    def _on(self, start: Point, tracks: list[Track], times: np.ndarray, done: int) -> tuple[Point, int]:
        """To the next time with smaller steps, or past what is in the way; also how many times are done then."""
        point, reason = self.follower.reach(start, float(times[done]))
        while reason != path.FINE and (beyond := self._past_corner(point, float(times[done]))) is not None:
            point, reason = self.follower.reach(beyond, float(times[done]))
        if reason != path.FINE:
            return self._cross(point, tracks, times, done)
        single = _single(point)
        mend(self.machine, self.dropped, single)
        tracks.append(single)
        return point, done + 1

    def _past_corner(self, point: Point, target: float) -> Point | None:
        """The point just behind a corner of a driver, where speeds jump but nothing is singular; None if there is none."""
        t = min(point.t + 1e-9 * max(abs(point.t), target - point.t), target)
        jumping = speed_jumps(self.machine.geometry, point.t, t)
        if not jumping:
            return None
        q, reason, _ = self.follower.correct(point.q, t, point.turns)
        if reason != path.FINE or self._is_singular(q, t):
            return None
        beyond = self.follower.point(q, t, point.turns)
        if beyond.sign != point.sign:
            return None
        self.notes.append(f"t = {point.t:.9g}: the speed of {', '.join(jumping)} jumps")
        return beyond

    def _is_singular(self, q: np.ndarray, t: float) -> bool:
        return not full_rank(jacobian(self.machine, q, t, self.usual)[self.follower.chosen], self.machine.scale)

    def _cross(self, point: Point, tracks: list[Track], times: np.ndarray, done: int) -> tuple[Point, int]:
        """What is it that stops the motion near this point? Go on along the chosen branch, or say."""
        check_finite(self.machine.geometry, times[done : done + 1], derivatives=2)
        found = singular.diagnose(self.machine, self.follower, point, float(times[done]))
        if found.kind == "choice" and self.choices < 50:
            return self._choose_again(found, point, tracks, times, done)
        number = 0 if len(found.velocities) == 1 else self.branch  # where there is one way only, that is it
        if found.kind == "bifurcation" and number is not None:
            if not 0 <= number < len(found.velocities):
                raise ModelError(
                    f"there is no branch {number} at t = {found.time:.9g}: {len(found.velocities)} were found",
                    remedy=f"choose one of 0 ... {len(found.velocities) - 1}",
                )
            self.notes.append(f"t = {found.time:.9g}: branch {number} of {len(found.velocities)} followed")
            v = found.velocities[number]
            at = Point(found.time, found.q, v, found.acceleration(v), found.turns)
            after = singular.step_off(self.follower, found, at)
            passed = int(np.searchsorted(times, after.t, side="right"))
            tracks += [_single(self._beside(found, at, after, float(t))) for t in times[done:passed]]
            return after, passed
        raise self._error(found, tracks)

    def _beside(self, found: singular.Singularity, at: Point, after: Point, t: float) -> Point:
        """The point at a time near a bifurcation: from the regular point after it if that can be, else by its tangent."""
        h = t - found.time
        near = 1e-10 * max(abs(t), 1.0)
        if h * float(np.abs(at.v / self.machine.scale).max()) > 1e-5:  # nearer to it the tangent is more exact
            point, reason = self.follower.reach(after, t)
            if reason == path.FINE:
                return point
        if h < -near:  # still before it, on the branch that comes in
            v = found.velocities[0]
            at = Point(found.time, found.q, v, found.acceleration(v), found.turns)
        q = self.machine.retract(at.q, h * at.v + 0.5 * h * h * at.a)
        return Point(t, q, at.v + h * at.a, at.a, at.turns)

    def _choose_again(
        self, found: singular.Singularity, point: Point, tracks: list[Track], times: np.ndarray, done: int
    ) -> tuple[Point, int]:
        """Redundant equations: those chosen degenerate here, others do not. Go on with others."""
        self.choices += 1
        refined, turns = self.follower.refined, self.machine.turns
        self.machine.turns = found.turns
        self.prepare(found.q, found.time)
        self.machine.turns = turns
        self.follower.refined = refined
        start = self.follower.point(point.q, point.t, point.turns)
        if len(point.v):
            return self._on(start, tracks, times, done)
        tracks.append(_single(start))
        return start, done + 1

    def _error(self, found: singular.Singularity, tracks: list[Track]) -> SingularityError:
        drivers = [r.name for r in self.machine.system.rows if r.driver]
        if found.kind == "lock-up":
            if not tracks and (locked := locked_start(self.machine, found.q, found.time)) is not None:
                return locked.error()
            cause = f"the machine locks up at t = {found.time:.9g}: the motion cannot go on"
            remedy = "end the motion before, or change the lengths; a driver elsewhere may pass here"
        else:
            cause = f"the motion has {len(found.velocities) or 'no regular'} branches at t = {found.time:.9g}"
            remedy = "choose one: kinematics(..., branch=0) goes on as before; `.branches` lists their rates"
            if not found.velocities:
                remedy = "change a length a little, or end the motion before"
        partial = self.result(tracks) if tracks else None
        return SingularityError(
            cause, kind=found.kind, time=found.time, driver=drivers[0] if len(drivers) == 1 else drivers,
            branches=[dict(zip(self.machine.system.coordinates.v_names, v.tolist(), strict=True)) for v in found.velocities],
            element=found.elements, remedy=remedy, partial=partial,
        )  # fmt: skip

    def _check_dropped(self, track: Track) -> None:
        """Equations left out as dependent must go on to hold."""
        if not np.isfinite(track.a).all():
            check_finite(self.machine.geometry, track.t, derivatives=2)
        if not len(self.dropped) or not len(track):
            return
        system = self.machine.system
        Phi = self._residuals(track.t, track.q, track.turns)[self.dropped]
        worst = np.abs(Phi).max(axis=1)
        bad = worst > 1e-7 * self.machine.length
        if bad.any():
            rows = [system.rows[k] for k in self.dropped[bad]]
            names = [r.name for r in rows]
            at = track.t[int(np.argmax(np.abs(Phi[bad]).max(axis=0) > 1e-7 * self.machine.length))]
            raise ModelError(
                f"{', '.join(names)} no longer holds at t = {at:.6g}: at the start it followed from the others, now it "
                "contradicts them",
                element=list(dict.fromkeys(r.element.name for r in rows)),
                remedy="a driver or joint too many: remove one of them",
            )
        mend(self.machine, self.dropped, track)

    def _residuals(self, t: np.ndarray, q: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Phi of all equations, a column a time."""
        if self.machine.nv > size_policy.SPARSE:  # compiling for batches would take longer than calling
            position = self.machine.system.position
            return np.array([position(*self.follower._inputs(x, 0 * self.machine.scale, s, r))[0]
                             for x, s, r in zip(q, t, turns, strict=True)]).T  # fmt: skip
        b = np.repeat(self.machine.b[:, None], len(t), axis=1)
        return self.machine.system.residual_function.batch(*map(np.ascontiguousarray, (q.T, t[None], b, turns.T)))[0]

    def _worst(self, t: np.ndarray, q: np.ndarray, turns: np.ndarray) -> float:
        """The largest |Phi| of any equation at any time."""
        if self.machine.nv > size_policy.SPARSE:
            return float(np.abs(self._residuals(t, q, turns)).max(initial=0.0))
        b = np.repeat(self.machine.b[:, None], len(t), axis=1)
        args = map(np.ascontiguousarray, (q.T, t[None], b, turns.T))
        return float(self.machine.system.worst_residual.batch(*args)[0].max(initial=0.0))

    def shown(self, tracks: list[Track]) -> Callable[[str], np.ndarray]:
        """What tracks have under a name, at the output times; at the last time before a failure where there are none yet."""
        t = _joined([x.t for x in tracks])
        rows = self.times.is_shown(t)
        every = bool(rows.all())
        rows[-1] |= not rows.any()

        def select(name: str) -> np.ndarray:
            whole = _joined([getattr(x, name) for x in tracks])
            return whole if every else whole[rows]

        return select

    def result(self, tracks: list[Track]) -> Result:
        machine, shown = self.machine, self.shown(tracks)
        t, q, turns = (shown(f) for f in ("t", "q", "turns"))
        v, a = (shown(f) if self.rates else None for f in "va")
        motion = Motion(machine, t, q, turns, v, a)
        channels = {**body_channels(machine, q, v, a), **motion.joint_channels()}
        audit = Audit("kinematics", "Newton, predicted by velocity and acceleration", len(t), self.follower.refined)
        audit.notes += [*self.notes, *past_ends(machine, t, q, turns)]
        audit.position_error = self._worst(t, q, turns)
        rates = motion.rates_of_joints(channels)
        return Result(machine.model.name, t, channels, audit, motion.evaluator(), source=machine.model, derived=rates)


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _after_first(track: Track) -> Track:
    t, q, v, a, turns = (x[1:] for x in (track.t, track.q, track.v, track.a, track.turns))
    return Track(t, q, v, a, turns, track.reason, track.sign)


def _single(point: Point) -> Track:
    t = np.array([point.t])
    return Track(t, point.q[None], point.v[None], point.a[None], point.turns[None], path.FINE, point.sign)


# Motions that run past the ends of what was given: a driver's table, an open curve. They go on there, so it is said.

_HAIR = 1e-9  # of the length of table or curve


def past_ends(machine: Machine, t: np.ndarray, q: np.ndarray, turns: np.ndarray) -> list[str]:
    """Notes on a motion, a row of q and of turns a time."""
    notes = []
    for name, depth in depths(machine, t, q, turns).items():
        if (beyond := depth > OVERLAP * machine.length).any():
            notes.append(f"{deep(machine, name, float(depth.max()))}, from t = {t[np.argmax(beyond)]:.6g} on: what is "
                         "prescribed goes through it, and it bears nothing")  # fmt: skip
    names = machine.system.coordinates.q_names
    for e in machine.model.elements.values():
        if isinstance(e, Driver) and isinstance(e.motion, Table) and not e.motion.periodic:
            ends = e.motion.x[0], e.motion.x[-1]
            if _first_outside(t, *ends) is not None:
                notes.append(f"{e.name}: its table is from t = {ends[0]:g} to {ends[1]:g}; outside its last piece goes on")
        own = curve_parameters(e)
        curves = [e.curve_i, e.curve_j] if isinstance(e, CamFollower) else [getattr(e, "curve", None)]
        for name, on_body in zip(own, curves, strict=False):
            curve = on_body.curve  # type: ignore[union-attr]
            if curve.closed:
                continue
            k = _first_outside(q[:, names.index(name)], curve.start, curve.end)
            if k is not None:
                notes.append(f"{e.name}: past the end of its curve from t = {t[k]:.6g} on; its formula goes on there")
    return notes


def _first_outside(x: np.ndarray, start: float, end: float) -> int | None:
    outside = np.abs(x - 0.5 * (start + end)) > (0.5 + _HAIR) * (end - start)
    return int(np.argmax(outside)) if outside.any() else None


# Refusals of motions that drivers prescribe and this analysis cannot answer for: the answer would be wrong.


def refuse_velocities(machine: Machine) -> None:
    """ModelError where constraints are on velocities alone: positions do not follow from time then."""
    if rolling := [row.element.name for row in machine.system.rows if row.rate is not None]:
        raise ModelError(
            "constraints on velocities do not say where a machine is", element=list(dict.fromkeys(rolling)),
            remedy="lw.dynamics moves it; with a driver for every freedom it gives the driving forces, too; an equation "
            "that can be integrated may be given of positions",
        )  # fmt: skip
