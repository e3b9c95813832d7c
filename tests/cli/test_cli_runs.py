"""What runs leave behind: files of long and of stopped runs, pages and numbers of a machine at rest."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import threading
from html import unescape
from time import process_time

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.cli import run as running
from linkwright.examples import example
from terminal import all_of

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
    os.close(terminal)
    rest = []
    reader = threading.Thread(target=lambda: rest.append(all_of(screen)))  # a full terminal would stop the program
    reader.start()
    out, _ = process.communicate(timeout=120)
    reader.join()
    os.close(screen)
    return process.returncode, out, seen + rest[0]


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
    assert re.search(r"dynamics, t = [\d.e+]+ s  \[", seen)
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


def test_long_inverse_dynamics_goes_to_its_file(here, monkeypatch, capsys):
    monkeypatch.setattr(running, "LONG", 100)
    words = ["run", "slider-crank", "--analysis", "inverse-dynamics", "--steps", "5000", "--out", "run.nc", "--json"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["files"], said["audit"]["points"], said["points"] < 5001) == (["run.nc"], 5001, True)
    kept = lw.load_result("run.nc", channels=["motor.torque", "A.torque"])
    assert len(kept.t) == 5001
    assert np.ptp(kept["motor.torque"]) > 1e5 > 1e-6 > np.ptp(kept["A.torque"])


def test_a_recorded_run_that_is_interrupted_says_so_once(pendulum, monkeypatch, capsys):
    def stopped(t, part):
        raise KeyboardInterrupt

    def record(model, analysis, options, path):
        return lw.record(model, path, analysis, progress=stopped, **options)

    monkeypatch.setattr(running, "LONG", 100)
    monkeypatch.setattr(running, "record", record)
    assert main(["run", "p.yaml", "--t-end", "2", "--steps", "5000", "--out", "run.nc"]) == 130
    said = capsys.readouterr().out
    assert said.count("the run was interrupted") == 1
    assert "written: run.partial.nc" in said


def test_a_long_run_that_fails_leaves_its_part(here, monkeypatch, capsys):
    monkeypatch.setattr(running, "LONG", 100)
    assert main(["run", "slider-crank", "--set", "l=1.9", "--steps", "2000", "--out", "run.nc"]) == 4
    said = capsys.readouterr()
    assert "written: run.partial.nc" in said.out
    assert "locks up at t = 0.0744" in said.err
    assert lw.load_result("run.partial.nc").t[-1] == pytest.approx(0.074)
    assert not (here / "run.nc").exists()


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("number", ["1e155", "-1e300", "1e999", "nan", "1" + "0" * 400])
def test_numbers_beyond_the_bound_are_refused_by_name(here, capsys, command, number):
    (here / "far.yaml").write_text(f"""linkwright: 1
model: planar
bodies:
  b: {{mass: 1, inertia: 1, position: [{number}, 0]}}
""")

    def seconds():
        begin = process_time()
        if command == "run":
            assert main([command, "slider-crank", "--set", f"r={number}"]) == 2
            assert capsys.readouterr().err.startswith("linkwright: r: the value of a parameter is ")
        assert main([command, "far.yaml"]) == 2
        said = capsys.readouterr().err
        assert "far.yaml:4:" in said
        return process_time() - begin

    # within a second; the clock counts garbage collection and other tests' threads too, so one try of three is enough
    assert any(seconds() < 1 for _ in range(3))


def test_a_law_without_a_value_is_named_and_nothing_else_is_said(pendulum, capsys):
    m = lw.load("p.yaml")
    m.add(lw.Torque("push", m["arm"], "1/t"))
    m.save("p.yaml")
    assert main(["run", "p.yaml"]) == 5
    assert capsys.readouterr().err.startswith("linkwright: push: the law of push grows without bound near t = 0\n  Remedy: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--t-end", "-1"], "no time after zero"),
        (["--t-end", "nan"], "no time after zero"),
        (["--steps", "inf"], "no whole number"),
        (["--steps", "nan"], "no whole number"),
        (["--steps", "1e15"], "more steps than can be computed"),
        (["--steps", "1e300"], "more steps than can be computed"),
        (["--t-end", "1e155"], "no time after zero"),
        (["--set", "longth=2"], "there is no parameter 'longth'"),
        (["--plot", "slider.xx"], "did you mean 'slider.x'?"),
    ],
)
def test_wrong_use_has_exit_code_1(here, capsys, words, said):
    assert main(["run", "slider-crank", *words]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--out", "no/run.nc"], ["--out", "no/run.csv"], ["--report", "no/page.html"], ["--report", "."]]
)
def test_what_cannot_be_written_is_said_before_the_run(here, capsys, monkeypatch, words):
    monkeypatch.setattr(running, "analyse", lambda *_: pytest.fail("it ran"))
    assert main(["run", "slider-crank", *words]) == 1
    assert f"{words[1]}: cannot be written" in capsys.readouterr().err
    assert not list(here.iterdir())


@pytest.mark.parametrize(("out", "package"), [("run.parquet", "pyarrow"), ("page.html", "matplotlib")])
def test_a_missing_package_is_said_before_the_run(here, capsys, monkeypatch, out, package):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    monkeypatch.setattr(running, "analyse", lambda *_: pytest.fail("it ran"))
    assert main(["run", "slider-crank", "--report" if out.endswith("html") else "--out", out]) == 1
    said = capsys.readouterr().err
    assert f"needs the package {package}" in said
    assert 'pip install "linkwright[full]"' in said


@pytest.mark.parametrize("out", ["run.nc", "run.csv"])
def test_the_base_install_writes_and_reads_results(here, capsys, monkeypatch, out):
    for package in ("h5py", "h5netcdf", "netCDF4", "xarray", "pandas", "pyarrow", "matplotlib"):
        monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    assert main(["run", "slider-crank", "--steps", "20", "--out", out, "--plot"]) == 0
    assert f"written: {out}" in capsys.readouterr().out
    back = lw.load_result(out)
    assert len(back.t) == 21
    assert "<html" in back.animate().text


@pytest.mark.parametrize("name", ["press", "my: press", "12", "null", "#x", 'a"b', "it's"])
def test_a_new_file_may_have_any_name(here, capsys, name):
    assert main(["new", name]) == 0
    assert f"run {shlex.quote(name + '.yaml')} --plot" in capsys.readouterr().out
    assert lw.load(f"{name}.yaml").name == name
    assert main(["new", name, "--python"]) == 0
    assert f"PlanarModel({json.dumps(name)}, " in (here / f"{name}.py").read_text()
    assert main(["new", ""]) == main(["new", "./"]) == 1


def test_an_example_as_json_is_the_machine(here, capsys):
    assert main(["examples", "four-bar", "--json"]) == 0
    said = capsys.readouterr().out
    assert json.loads(said)["linkwright"] == 1
    (here / "m.json").write_text(said)
    assert lw.load("m.json") == example("four-bar").load()
    assert main(["examples", "six-bar"]) == 1


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
    assert main(["run", "four-bar", "--analysis", "inverse_dynamics", "--steps", "50", "--report", "page.html"]) == 0
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
