"""What runs leave behind: files of long and of stopped runs, pages and numbers of a machine at rest."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from html import unescape

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.cli import run as running

PROGRAM = [sys.executable, "-m", "linkwright.cli"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def pendulum(here):
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", 1, 0.1, position=(0.5, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.save(here / "p.yaml")
    return here


def interrupted(words, folder):
    """Ctrl-C when the progress line is there: exit code, output, what the terminal showed."""
    screen, terminal = pty.openpty()
    process = subprocess.Popen([*PROGRAM, *words], cwd=folder, stdout=subprocess.PIPE, stderr=terminal, text=True)
    seen = ""
    while "left" not in seen:
        assert process.poll() is None, seen
        seen += os.read(screen, 1000).decode()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    seen += os.read(screen, 1000).decode()
    os.close(screen)
    os.close(terminal)
    return process.returncode, out, seen


def test_a_long_motion_shows_its_progress_and_ctrl_c_keeps_what_was_computed(here):
    words = ["run", "spatial-slider-crank", "--steps", "4000000", "--t-end", "4000"]
    code, out, seen = interrupted(words, here)
    assert code == 130
    assert re.search(r"kinematics, t = [\d.]+ s  \[#*\.*\] +\d+ %  [\d. mins]+ left", seen)
    points, end = re.search(r"kinematics, (\d+) points, t = 0 \.\.\. ([\d.]+) s", out).groups()
    assert float(end) == pytest.approx(1e-3 * (int(points) - 1), rel=1e-5)
    assert 0 < float(end) < 4000
    assert "interrupted; what was computed is kept" in seen


def test_an_interrupted_simulation_leaves_its_file(pendulum):
    code, out, seen = interrupted(["run", "p.yaml", "--t-end", "1e6", "--steps", "1000000", "--out", "run.csv"], pendulum)
    assert code == 130
    assert re.search(r"dynamics, t = [\d.]+ s  \[", seen)
    assert "written: run.csv" in out
    kept = lw.load_result(pendulum / "run.csv")
    assert 0 < kept.t[-1] < 1e6
    np.testing.assert_allclose(np.diff(kept.t), 1.0)
    assert "interrupted" in kept.audit.notes[-1]
    assert kept.provenance.options["t_end"] == 1e6
    arm = kept.reaction("pin", at=(0, 0))
    np.testing.assert_allclose(arm["torque"], 0, atol=1e-6)  # a pin holds no torque


def test_beyond_so_many_steps_a_run_goes_to_its_file(pendulum, monkeypatch, capsys):
    monkeypatch.setattr(running, "LONG", 100)
    assert main(["run", "p.yaml", "--t-end", "2", "--steps", "5000", "--out", "run.nc", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["files"] == ["run.nc"]
    assert said["audit"]["points"] == 5001
    assert len(lw.load_result("run.nc").t) == 5001
    assert said["points"] < 5001  # what is told is thinned


def test_a_long_run_that_fails_leaves_its_part(here, monkeypatch, capsys):
    monkeypatch.setattr(running, "LONG", 100)
    assert main(["run", "slider-crank", "--set", "l=1.9", "--steps", "2000", "--out", "run.nc"]) == 4
    said = capsys.readouterr()
    assert "written: run.partial.nc" in said.out
    assert "locks up at t = 0.0744" in said.err
    assert lw.load_result("run.partial.nc").t[-1] == pytest.approx(0.074)
    assert not (here / "run.nc").exists()


def test_a_machine_at_rest_is_written_and_shown(pendulum, capsys):
    words = ["run", "p.yaml", "--analysis", "equilibrium", "--out", "rest.csv", "--report", "rest.html", "--json"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["stability"] == "stable"
    assert said["values"]["pin.angle"] == pytest.approx(-np.pi / 2)
    assert said["files"] == ["rest.csv", "rest.html"]
    assert lw.load_result("rest.csv")["pin.angle"] == pytest.approx([-np.pi / 2])
    assert "no objection" in (pendulum / "rest.html").read_text()
    assert main(["run", "p.yaml", "--analysis", "linearize", "--report", "modes.html"]) == 1
    assert "no motion to write" in capsys.readouterr().err


def test_a_report_joins_everything(here):
    assert main(["run", "four-bar", "--analysis", "inverse-dynamics", "--steps", "50", "--report", "page.html"]) == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    for section in ("Plots", "Check", "Audit", "Options", "Machine", "Versions"):
        assert f"<h2>{section}</h2>" in page
    parts = ("follower.angle over time", "motor.torque over time", "no objection", "Phi_v^T lam", "type: Driver", "numpy")
    for part in parts:
        assert part in page
    animation = unescape(re.search(r'srcdoc="([^"]*)"', page)[1])
    data = json.loads(re.search(r'id="data">(.*?)</script', animation)[1])
    assert data["traces"] == [{"body": "coupler", "at": [0.0, 1.3]}]
    assert [a["element"] for a in data["motion"]["arrows"]] == ["A", "B", "C", "D"]
