"""A live page as a user has it: `linkwright view` in a process of its own, or its server in this one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.cli.live import LiveServer
from linkwright.cli.workbench import Workbench
from linkwright.examples import EXAMPLES

FOUR_BAR = """\
# a four-bar; the comments are the designer's
linkwright: 1
model: planar
name: four-bar

parameters:
  a: 2.0      # crank [m]
  c:   3      # follower [m]

bodies:
  crank: {position: [0.5, 0.9], angle: 1.3}
  coupler: {position: [2.1, 1.9], angle: 0.1}
  follower: {position: [4.2, 0.5], angle: 1.4}

elements:
  A: {type: Revolute, P: ground, Q: [crank, -a/2, 0]}
  B: {type: Revolute, P: [crank, a/2, 0], Q: [coupler, -2, 0]}
  C: {type: Revolute, P: [coupler, 2, 0], Q: [follower, c/2, 0]}
  D: {type: Revolute, P: [follower, -c/2, 0], Q: [ground, 4, -1]}
  motor: {type: Driver, quantity: A.angle, motion: pi/2 + 2*pi*t}
"""


@dataclass
class Live:
    """A running server: its process, address and link."""

    process: Any  # None within this process
    port: int
    link: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.link}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """One request on a connection of its own: status, headers, body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def home(self) -> str:
        """Use the link; where the page is from then on."""
        status, headers, _ = self.ask("GET", self.link)
        assert status == 303
        return headers["Location"]

    def stop(self) -> tuple[int, str, str]:
        """Ctrl-C; exit code, output, errors."""
        self.process.send_signal(signal.SIGINT)
        out, errors = self.process.communicate(timeout=120)
        return self.process.returncode, out, errors


@contextmanager
def served(what: Path | str, steps: int) -> Iterator[Live]:
    """The same server within this process, of a file or of an example: it starts at once."""
    found = EXAMPLES[what] if isinstance(what, str) else None
    model = found.load() if found else lw.load(what)
    server = LiveServer(Workbench(model, None if found else str(what), found, None, steps))
    server.start()
    try:
        yield Live(None, server.port, f"/{server.link}/")
    finally:
        server.close()


@contextmanager
def serving(*words: str | Path, here: bool = True) -> Iterator[Live]:
    """here: the server solves the machine, else the page itself does."""
    process = subprocess.Popen(
        [sys.executable, "-m", "linkwright.cli", "view", *map(str, words), "--no-open", *(["--here"] if here else [])],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        link = None
        for row in process.stdout:
            link = re.search(r"http://127\.0\.0\.1:(\d+)(/[\w-]+/)", row)
            if link:
                break
        assert link, process.stderr.read()
        process.stdout.readline()  # what ends it
        yield Live(process, int(link[1]), link[2])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
