"""Progress and pictures in the terminal."""

import io
import subprocess
import sys

import numpy as np
import pytest

from linkwright.cli import progress
from linkwright.cli.canvas import Canvas, plot
from linkwright.cli.progress import Progress, line, span, watched
from linkwright.errors import ModelError


def test_the_line_says_time_part_and_what_is_left():
    assert line(2.5, 0.25, 3.0) == "t = 2.5 s  [######..................]  25 %  9.0 s left"
    assert line(0.0, 0.0, 3.0).endswith("  0 %  ...")
    assert line(10.0, 1.0, 3.0).endswith("[########################] 100 %  0.0 s left")


@pytest.mark.parametrize(
    ("seconds", "text"), [(4.21, "4.2 s"), (59.9, "59.9 s"), (185, "3 min 05 s"), (3600, "1 h 00 min"), (7800, "2 h 10 min")]
)
def test_durations_for_people(seconds, text):
    assert span(seconds) == text


def test_progress_is_silent_for_a_second_then_shows_a_line_and_wipes_it(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    stream = io.StringIO()
    p = Progress("dynamics", stream, always=True)
    for now[0] in (0.2, 0.6, 0.99):
        p(now[0], now[0] / 10)
        p.show()
    assert stream.getvalue() == ""
    now[0] = 2.0
    p(4.0, 0.2)
    p.show()
    assert stream.getvalue() == "\rdynamics, t = 4 s  [####....................]  20 %  8.0 s left"
    written = len(stream.getvalue())
    p.close()
    wiped = stream.getvalue()[written:]
    assert wiped.strip() == ""
    assert len(wiped) == written + 1
    p.close()
    assert len(stream.getvalue()) == written + len(wiped)


def test_before_the_first_report_the_line_says_how_long_it_takes(monkeypatch):
    """Equations are made and compiled before time begins to run."""
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    p = Progress("equilibrium", io.StringIO(), always=True)
    now[0] = 3.2
    p.show()
    assert p.stream.getvalue() == "\requilibrium, 3.2 s ..."


def test_what_is_left_counts_from_the_first_report(monkeypatch):
    """Ten seconds of compiling are no part of the rate."""
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    p = Progress("dynamics", io.StringIO(), always=True)
    now[0] = 10.0
    p(0.0, 0.1)
    now[0] = 12.0
    p(1.0, 0.2)  # a tenth in two seconds: eight tenths are left
    p.show()
    assert p.stream.getvalue().endswith(" 20 %  16.0 s left")


def test_progress_is_silent_where_nobody_looks():
    stream = io.StringIO()
    p = Progress("dynamics", stream)
    p.start -= 100
    p(1.0, 0.5)
    p.show()
    assert stream.getvalue() == ""


def test_work_that_is_watched_hands_over_its_value_or_its_error():
    assert watched(lambda: 6 * 7, Progress("run", io.StringIO())) == 42
    with pytest.raises(ModelError, match="wrong"):
        watched(lambda: _raise(ModelError("wrong")), Progress("run", io.StringIO()))


def _raise(error):
    raise error


INTERRUPTED = """
import os, signal, threading, time
started = threading.Event()
from linkwright.cli.progress import Progress, watched

progress, computed = Progress("run"), []

def work():
    try:
        for k in range(1000):
            progress(k, k / 1000)
            computed.append(k)
            if k == 5:
                started.set()
            time.sleep(0.01)
    except KeyboardInterrupt as stop:
        stop.partial = list(computed)
        raise

threading.Thread(target=lambda: started.wait() and os.kill(os.getpid(), signal.SIGINT)).start()
try:
    watched(work, progress)
except KeyboardInterrupt as stop:
    print(len(stop.partial) > 3, stop.partial == computed)
"""


def test_ctrl_c_stops_the_work_at_its_next_report_and_keeps_what_it_has():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert done.stdout == "True True\n", done.stderr


def dots(canvas):
    """(column, row) of every dot."""
    bits = {0x01: (0, 0), 0x02: (0, 1), 0x04: (0, 2), 0x40: (0, 3), 0x08: (1, 0), 0x10: (1, 1), 0x20: (1, 2), 0x80: (1, 3)}
    return {
        (2 * c + dc, 4 * r + dr)
        for r, row in enumerate(canvas.cells) for c, cell in enumerate(row) for bit, (dc, dr) in bits.items() if cell & bit
    }  # fmt: skip


def test_a_line_on_the_canvas_is_connected_and_has_its_ends():
    canvas = Canvas(10, 5, (0.0, 1.0, 0.0, 1.0))
    canvas.line([0, 1], [0, 1])
    found = dots(canvas)
    assert {(0, 19), (19, 0)} <= found
    assert len(found) == 20  # a diagonal of 20 x 20 dots
    assert all(
        any((c + a, r + b) in found for a in (0, 1) for b in (0, -1) if (a, b) != (0, 0)) for c, r in found - {(19, 0)}
    )


def test_what_lies_outside_is_left_out():
    canvas = Canvas(4, 2, (0.0, 1.0, 0.0, 1.0))
    canvas.line([5.0], [5.0])
    assert dots(canvas) == set()
    canvas.line([0.5], [0.5])
    assert len(dots(canvas)) == 1


def test_a_plot_has_its_range_its_name_and_its_time():
    t = np.linspace(0, 2, 101)
    text = plot(t, np.sin(np.pi * t), "crank.y", columns=40, rows=6)
    rows = text.splitlines()
    assert "crank.y" in rows[0]
    assert rows[1].startswith(" 1 |")
    assert rows[6].startswith("-1 |")
    assert rows[-1].endswith("t = 2 s")
    flat = plot(t, np.full(101, 3.0), "constant")
    assert "4.5 |" in flat
    assert "1.5 |" in flat
