"""Python in a process of its own."""

import os
import subprocess
import sys


def start(script: str, *args: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", script, *args],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen) -> str:
    """What it wrote; its error if it failed."""
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out


def run(script: str, *args: str, **environment: str) -> str:
    return finish(start(script, *args, **environment))
