"""Many machines, in child processes that may hang or die; a seed with every failure; a summary."""

from __future__ import annotations

import collections
import multiprocessing
import os
import sys
import time
import traceback
import warnings
from multiprocessing.connection import Connection, wait
from typing import Any

HANG = 240.0  # seconds of processor time for one machine: laws in plain Python are asked up to a million times
ASLEEP = 900.0  # seconds without an answer, whatever was done
SHOWN = 2  # failures of one invariant in one structure that are printed; all are counted
NUMBERS = 16  # sets of numbers for each structure
STARTS = 10  # other starts of each of them, in the plane; a third as many in space


def machine(structure: Any, count: int, say: Any, only: str = "", starts: int = STARTS) -> None:
    """Run one machine and say what was found: ("checked", invariant), ("failed", invariant, text), ("error", kind, text)."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the law of .* cannot be traced")  # it is meant to be plain Python
        warnings.filterwarnings("ignore", ".* at this pace it takes")  # towards a dead point; the run ends soon
        _machine(structure, count, say, only, starts)


def _machine(structure: Any, count: int, say: Any, only: str, starts: int) -> None:
    import linkwright as lw
    from fuzz.cases import Case
    from fuzz.invariants import asked

    case = Case(structure, count)
    try:
        case.base  # noqa: B018
    except lw.LinkwrightError as error:
        say("error", f"{type(error).__name__} {getattr(error, 'kind', '') or ''}".strip(), str(error))
        return
    except Exception as error:
        say("failed", "exception", _told(error))
        return
    questions = asked(case, only, starts)
    while True:
        name = "another start"
        try:
            name, holds = next(questions)
            said = holds()
        except StopIteration:
            return
        except lw.LinkwrightError as error:
            if name == "another start":
                say("error", f"another start: {type(error).__name__}", str(error))
                continue
            said = [f"exception {_told(error)}"]
        except Exception as error:
            said = [f"exception {_told(error)}"]
        say("checked", name)
        if said:
            say("failed", name, "; ".join(said[:4]))


def _told(error: Exception) -> str:
    where = [f"{x.filename.rpartition('/')[2]}:{x.lineno}" for x in traceback.extract_tb(error.__traceback__)[-3:]]
    return f"{type(error).__name__}: {' '.join(str(error).split())[:400]} ({', '.join(where)})"


def worker(pipe: Connection, seeds: list[int], numbers: int, starts: int, only: str) -> None:
    """Structures one after the other; each message begins with where it is."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    warnings.simplefilter("error")
    sys.unraisablehook = lambda x: pipe.send((*here, "failed", "exception ignored", f"{x.exc_type}: {x.exc_value}"))
    from fuzz.cases import Structure

    here, refused = (-1, -1), 0

    def say(*what: str) -> None:
        nonlocal refused
        refused += what[0] == "error" and not what[1].startswith("another")
        pipe.send((*here, *what))

    for seed in seeds:
        structure, refused = Structure(seed), 0
        for count in range(numbers):
            here = (seed, count)
            pipe.send((*here, "begin"))
            machine(structure, count, say, only, starts)
            pipe.send((*here, "end"))
            if refused == count + 1 == 2:  # drivers that contradict each other: so it will be with all numbers
                break
    pipe.send((*here, "finished"))


class Campaign:
    """What was found so far."""

    def __init__(self) -> None:
        self.machines = self.structures = 0
        self.checks: collections.Counter[str] = collections.Counter()
        self.errors: dict[str, list[str]] = collections.defaultdict(list)
        self.failures: dict[str, list[str]] = collections.defaultdict(list)
        self.begun = time.monotonic()

    def take(self, seed: int, count: int, what: str, *more: str) -> None:
        if what == "end":
            self.machines += 1
            self.structures += count == 0
        elif what == "checked":
            self.checks[more[0]] += 1
        elif what == "error":
            self.errors[more[0]].append(f"{seed}:{count} {more[1]}")
        elif what == "failed":
            self.failures[more[0]].append(f"{seed}:{count}")
            if sum(x.startswith(f"{seed}:") for x in self.failures[more[0]]) <= SHOWN:
                print(f"FAIL {seed}:{count} {more[0]}: {more[1]}", flush=True)

    def summary(self) -> str:
        lines = [
            f"{self.machines + self.checks['another start']} machines ({self.structures} structures, {self.machines} sets "
            f"of numbers, the rest other starts of these), {sum(self.checks.values())} checks in "
            f"{time.monotonic() - self.begun:.0f} s",
            "checked: " + ", ".join(f"{n} {k}" for n, k in self.checks.items()),
        ]
        for kind, where in sorted(self.errors.items()):
            lines.append(f"ended in a {kind}: {len(where)}, such as {where[0][:200]!r}")
        for kind, where in sorted(self.failures.items()):
            seeds = list(dict.fromkeys(x.split(":")[0] for x in where))
            lines.append(f"FAILED {kind}: {len(where)} machines of {len(seeds)} structures: {', '.join(where[:8])}")
        if not self.failures:
            lines.append("no failures")
        return "\n".join(lines)


class Child:
    """A process with a list of seeds and what it does now."""

    def __init__(self, seeds: list[int], numbers: int, starts: int, only: str) -> None:
        self.seeds = seeds
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe(duplex=False)
        self.process = context.Process(target=worker, args=(end, seeds, numbers, starts, only), daemon=True)
        self.process.start()
        end.close()
        self.at, self.since, self.used = (-1, -1), time.monotonic(), 0.0

    def heard(self) -> None:
        self.since, self.used = time.monotonic(), self.worked

    @property
    def worked(self) -> float:
        """Seconds of processor time of the child, where the system tells them; else all its time."""
        try:
            with open(f"/proc/{self.process.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return time.monotonic()

    @property
    def late(self) -> bool:
        return self.worked - self.used > HANG or time.monotonic() - self.since > ASLEEP

    def rest(self) -> list[int]:
        """Seeds that are not begun."""
        return self.seeds[self.seeds.index(self.at[0]) + 1 :] if self.at[0] in self.seeds else self.seeds

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def campaign(
    seconds: float, seed: int, jobs: int, numbers: int, starts: int = STARTS, only: str = "", batch: int = 40
) -> Campaign:
    """Structures seed, seed + 1, ... until the time is over."""
    found, children, following = Campaign(), [], seed
    for _ in range(jobs):
        children.append(Child(list(range(following, following + batch)), numbers, starts, only))
        following += batch
    told = time.monotonic()
    while time.monotonic() - found.begun < seconds and children:
        ready = wait([c.pipe for c in children], timeout=5.0)
        for child in list(children):
            again: list[int] | None = None
            if child.pipe in ready:
                try:
                    message = child.pipe.recv()
                    child.at = message[:2]
                    if message[2] in ("begin", "end"):
                        child.heard()
                    found.take(*message)
                    if message[2] == "finished":
                        again = []
                except EOFError:
                    found.take(*child.at, "failed", "process died", f"exit code {child.process.exitcode}")
                    again = child.rest()
            elif child.late:
                found.take(*child.at, "failed", "hang", "killed")
                again = child.rest()
            if again is not None:
                child.kill()
                children.remove(child)
                if not again:
                    again, following = list(range(following, following + batch)), following + batch
                children.append(Child(again, numbers, starts, only))
        if time.monotonic() - told > 300:
            told = time.monotonic()
            print(f"-- {found.summary().splitlines()[0]}", flush=True)
    for child in children:
        child.kill()
    return found
