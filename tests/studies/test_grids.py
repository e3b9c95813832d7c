"""Sweeps: the numbers of single calls, failures told apart, files that survive a kill."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from damaged import damaged
from linkwright.studies import pool
from linkwright.studies.journal import Journal, journal_of
from studies.study_machines import oscillator, slider_crank, triangle

SPAN = {"t_end": 0.5, "steps": 20}


def test_a_grid_has_the_numbers_of_single_calls():
    m = slider_crank()
    crank = m["crank"]
    red = lw.span(crank.omega * 2)
    values = {"r": [0.15, 0.2, 0.25], "k": [50.0, 200.0]}
    s = lw.sweep(m, values, keep=["slider.x", crank.omega, lw.peak("A.fx"), red, lw.final("crank.omega")], **SPAN)
    assert s["slider.x"].shape == (3, 2, 21)
    assert s["peak(A.fx)"].shape == (3, 2)
    assert not s.failed
    assert m.parameters == {"r": 0.2, "k": 100.0}  # the model is not changed
    for i, r in enumerate(values["r"]):
        for j, k in enumerate(values["k"]):
            m.set(r=r, k=k)
            d = lw.dynamics(m, **SPAN)
            assert np.array_equal(s["slider.x"][i, j], d["slider.x"])
            assert np.array_equal(s.t, d.t)
            assert np.array_equal(s[crank.omega][i, j], d["crank.omega"])
            assert s["peak(A.fx)"][i, j] == np.abs(d["A.fx"]).max()
            assert s[red][i, j] == np.ptp(2 * d["crank.omega"])
            assert s[lw.final("crank.omega")][i, j] == d["crank.omega"][-1]


def test_reductions_are_numpys():
    rng = np.random.default_rng(1)
    t = np.sort(rng.random(50))
    x = rng.normal(size=50)
    area = np.sum(np.diff(t) * (x[1:] + x[:-1]) / 2)
    square = np.sum(np.diff(t) * (x[1:] ** 2 + x[:-1] ** 2) / 2)
    wanted = {
        lw.peak: np.abs(x).max(), lw.highest: x.max(), lw.lowest: x.min(), lw.span: np.ptp(x), lw.integral: area,
        lw.mean: area / np.ptp(t), lw.rms: np.sqrt(square / np.ptp(t)), lw.final: x[-1],
    }  # fmt: skip
    for reduction, value in wanted.items():
        assert reduction("a")(t, x) == pytest.approx(value, rel=1e-14)  # sums of 50 numbers


def test_reductions_by_their_names():
    """As in files."""
    m, k, call = oscillator(), {"k": [50.0, 200.0]}, {"t_end": 0.5, "steps": 10}
    s = lw.sweep(m, k, keep=["peak(b.vx)", " final( b.x ) "], **call)
    assert np.array_equal(s["peak(b.vx)"], lw.sweep(m, k, keep=[lw.peak("b.vx")], **call)["peak(b.vx)"])
    assert lw.gradient(m, "final(b.x)", ["k"], **call) == lw.gradient(m, lw.final("b.x"), ["k"], **call)
    o = lw.optimize(m, {"k": (50.0, 200.0)}, maximize="peak(b.vx)", subject_to={"peak(b.vx)": (None, 1.2)}, **call)
    assert o.value == pytest.approx(1.2, rel=1e-6)


def test_rows_of_a_paired_study_and_start_values():
    m = oscillator()
    s = lw.sweep(m, {"b.x": [0.1, 0.2, 0.3], "k": [50.0, 100.0, 150.0]}, paired=True, keep=["b.x"], **SPAN)
    assert s["b.x"].shape == (3, 21)
    assert np.allclose(s["b.x"][:, 0], [0.1, 0.2, 0.3], rtol=0, atol=1e-12)
    assert np.array_equal(s["k"], [50.0, 100.0, 150.0])
    m.fix(m["b"].vx, 1.0)  # what was made exact is varied as such
    s = lw.sweep(m, {"b.vx": [1.0, 2.0]}, keep=["b.vx"], **SPAN)
    assert np.allclose(s["b.vx"][:, 0], [1.0, 2.0], rtol=0, atol=1e-12)


def test_points_that_cannot_be_assembled_are_told_apart():
    m = triangle()
    s = lw.sweep(m, {"a": [0.8, 3.0, 0.9]}, "assemble", keep=["first.angle", "first.x"])
    assert [f.index for f in s.failed] == [(1,)]
    assert s.failed[0].values == {"a": 3.0}
    assert isinstance(s.failed[0].error, lw.AssemblyError)
    assert np.isnan(s["first.angle"][1])
    a, b = np.array([0.8, 0.9]), 0.9
    assert s["first.angle"][[0, 2]] == pytest.approx(np.arccos((a**2 + 1 - b**2) / (2 * a)), abs=1e-12)
    assert "1 points failed" in s.audit.notes[0]


@pytest.mark.parametrize(("analysis", "keep"), [("equilibrium", "b.x"), ("linearize", "frequencies")])
def test_other_analyses(analysis, keep):
    s = lw.sweep(oscillator(), {"k": [25.0, 100.0], "c": [0.0]}, analysis, keep=[keep])
    expected = [[0.0], [0.0]] if analysis == "equilibrium" else np.sqrt([[[25.0]], [[100.0]]]) / (2 * np.pi)
    assert s[keep] == pytest.approx(np.array(expected), abs=1e-9)


def test_cores_give_the_same(monkeypatch):
    monkeypatch.setattr(pool, "WORTH", 0.0)
    m, values = oscillator(), {"k": np.linspace(50, 100, 8)}
    alone, both = (lw.sweep(m, values, keep=["b.x", lw.peak("rail.fy")], threads=n, **SPAN) for n in (1, 2))
    assert np.array_equal(alone["b.x"], both["b.x"])
    assert not both.failed


@pytest.mark.filterwarnings("ignore:the law of deadly cannot be traced")
def test_a_point_that_kills_its_process_is_the_only_one_missing(monkeypatch):
    main = os.getpid()

    def deadly(x, v, t):
        if x > 0.25 and os.getpid() != main:
            os.kill(os.getpid(), signal.SIGKILL)
        return -0.1 * float(x)

    m = oscillator()
    m.add(lw.Force("deadly", m["b"].x, deadly))
    monkeypatch.setattr(pool, "WORTH", 0.0)
    s = lw.sweep(m, {"b.x": [0.1, 0.11, 0.12, 0.3, 0.13, 0.14]}, keep=[lw.final("b.x")], threads=2, t_end=0.1, steps=4)
    assert [f.index for f in s.failed] == [(3,)]
    assert "the process that computed it died" in str(s.failed[0].error)
    assert np.isfinite(s["final(b.x)"]).tolist() == [True, True, True, False, True, True]


def test_interrupted_studies_give_what_is_there():
    def stop(done, part):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted, match="interrupted; what was computed") as caught:
        lw.sweep(oscillator(), {"k": np.linspace(50, 100, 6)}, keep=[lw.final("b.x")], progress=stop, threads=1, **SPAN)
    assert np.isfinite(caught.value.partial["final(b.x)"]).sum() == 3


SCRIPT = """
    import multiprocessing, sys, time
    sys.path.insert(0, {tests!r})
    import numpy as np, linkwright as lw
    from linkwright.studies import pool
    from studies.study_machines import oscillator
    pool.WORTH, pool.CHUNK = 0.0, 1e-6
    def told(done, part):
        print(done, *[p.pid for p in multiprocessing.active_children()], flush=True)
        time.sleep({pause})
    s = lw.sweep(oscillator(), {{"k": np.linspace(50, 100, 12)}}, keep=["b.x", lw.peak("rail.fy")], t_end=0.5, steps=20,
                 out={out!r}, progress=told, threads=2)
    print("whole", flush=True)
"""


def start_study(out, pause):
    code = textwrap.dedent(SCRIPT.format(tests=str(Path(__file__).parents[1]), out=str(out), pause=pause))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_killed_study_goes_on_where_it_was(tmp_path):
    """At once: the processes that it has left do not hold its file, and end soon."""
    out = tmp_path / "study.nc"
    killed = start_study(out, 0.05)
    done, *workers = [killed.stdout.readline() for _ in range(5)][-1].split()
    assert done == "5"
    assert len(workers) == 2
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not out.exists()
    assert journal_of(out).exists()
    with journal_of(out).open("ab") as file:  # and a record that the kill has cut
        file.write(b"\x40\x00\x00\x00abc")
    again = start_study(out, 0.0).communicate()[0].splitlines()
    assert int(again[0].split()[0]) >= 6
    assert again[-1] == "whole"
    for _ in range(600):
        if not any(map(is_alive, workers)):
            break
        time.sleep(0.1)
    assert not any(map(is_alive, workers))
    killed.communicate()
    assert not journal_of(out).exists()
    s = lw.load_result(out)
    whole = lw.sweep(oscillator(), {"k": np.linspace(50, 100, 12)}, keep=["b.x", lw.peak("rail.fy")], **SPAN)
    assert np.array_equal(s["b.x"], whole["b.x"])
    assert np.array_equal(s["k"], whole["k"])
    assert np.array_equal(s.t, whole.t)


def test_two_writers_and_two_studies_of_one_name(tmp_path):
    out = tmp_path / "study.nc"
    first = start_study(out, 0.2)
    assert first.stdout.readline() == "1\n"

    def inside(done, part):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], out=tmp_path / "own.nc", **SPAN)

    with pytest.raises(lw.ResultFileError, match="another study of this process writes it"):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], out=tmp_path / "own.nc", progress=inside, **SPAN)
    assert len(lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], out=tmp_path / "own.nc", **SPAN)["b.x"]) == 1
    with pytest.raises(lw.ResultFileError, match="another process writes this study"):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], out=out, **SPAN)
    first.kill()
    first.communicate()
    with pytest.raises(lw.ResultFileError, match="beginning of another study"):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], out=out, **SPAN)


@pytest.mark.parametrize("held", [b"hello", b"no journal at all\n" * 20])
def test_what_is_no_journal_stays(tmp_path, held):
    out = tmp_path / "study.nc"
    journal_of(out).write_bytes(held)
    with pytest.raises(lw.ResultFileError, match=r"study\.nc\.journal beside it is no journal of a study"):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], out=out, **SPAN)
    assert journal_of(out).read_bytes() == held
    assert not out.exists()


def test_a_kill_after_the_last_point(tmp_path):
    out, model, values = tmp_path / "study.nc", oscillator(), {"k": [1.0]}

    def stop(done, part):
        raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted):
        lw.sweep(model, values, keep=["b.x"], out=out, progress=stop, **SPAN)
    s = lw.sweep(model, values, keep=["b.x"], out=out, **SPAN)
    assert s.audit.method == "done before, read from the journal"
    assert np.array_equal(s["b.x"], lw.sweep(model, values, keep=["b.x"], **SPAN)["b.x"])


def test_a_journal_that_a_kill_has_cut_in_its_first_record(tmp_path):
    out, model, values = tmp_path / "study.nc", oscillator(), {"k": [1.0]}

    def stop(done, part):
        raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted):
        lw.sweep(model, values, keep=["b.x"], out=out, progress=stop, **SPAN)
    with journal_of(out).open("rb+") as file:
        file.truncate(20)
    assert np.isfinite(lw.sweep(model, values, keep=["b.x"], out=out, **SPAN)["b.x"]).all()
    assert not journal_of(out).exists()


def test_a_second_writer_where_there_is_no_fcntl(tmp_path, monkeypatch):
    """Windows locks a byte behind the end, and open files cannot go."""
    locked, unlink = [], Path.unlink

    def locking(number, mode, count):
        if locked:
            raise PermissionError("locked")
        locked.append((os.lseek(number, 0, os.SEEK_CUR), mode, count))

    def refusing(path, **more):
        if not journal._file.closed:
            raise PermissionError("open")
        unlink(path, **more)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    with Journal(tmp_path / "a.nc", "key") as journal:
        assert locked == [(2**30, 2, 1)]
        with pytest.raises(lw.ResultFileError, match="another process writes this study"):
            Journal(tmp_path / "b.nc", "key")
        monkeypatch.setattr(Path, "unlink", refusing)
    assert not (tmp_path / "a.nc.journal").exists()


def test_where_a_state_begins_varies():
    """z = z0 exp(-a t), x = z0 (t/a - (1 - exp(-a t))/a^2)."""
    m = lw.PlanarModel("tank", gravity=(0, 0))
    a, b = m.parameter("a", 2.0), m.body("b", mass=1.0, inertia=1.0)
    z = m.state("z", lambda z, t: -a * z, start=1.0)
    m.add(lw.Force("push", b.x, lambda x, v, t: z))
    s = lw.sweep(m, {"z": [0.5, 2.0], "a": [1.0, 2.0]}, "dynamics", t_end=1.0, steps=2, keep=[lw.final("z")])
    assert s["final(z)"] == pytest.approx(np.outer([0.5, 2.0], np.exp([-1.0, -2.0])), rel=1e-7)
    assert m.states["z"] == 1.0
    by = lw.gradient(m, lw.final("b.x"), ["z", "a"], t_end=1.0)[1]
    assert by["z"] == pytest.approx(0.5 - (1 - np.exp(-2.0)) / 4, rel=1e-8)
    o = lw.optimize(m, {"z": (0.1, 5.0)}, minimize=lw.final("b.x"), subject_to={lw.final("z"): (0.3, None)}, t_end=1.0)
    assert o.parameters["z"] == pytest.approx(0.3 * np.exp(2.0), rel=1e-6)


def test_a_file_is_a_study_by_its_attribute(tmp_path):
    """However many arrays it has; and a result whose model speaks of studies is none."""
    m = triangle()
    many = [f"first.x + {k}*first.y" for k in range(150)]
    lw.sweep(m, {"a": [0.8, 0.9]}, "assemble", keep=many).save(tmp_path / "many.nc")
    assert lw.load_result(tmp_path / "many.nc")[many[-1]].shape == (2,)
    named = lw.PlanarModel("linkwright study 1")
    named.body("b", mass=1.0, inertia=1.0)
    lw.dynamics(named, t_end=0.1, steps=1).save(tmp_path / "named.nc")
    assert isinstance(lw.load_result(tmp_path / "named.nc"), lw.Result)
    before = (tmp_path / "named.nc").read_bytes()
    (tmp_path / "folder.nc").mkdir()
    for name in ("named.nc", "folder.nc"):  # what a study would take the place of
        with pytest.raises(lw.ResultFileError, match="what is there is no study"):
            lw.sweep(m, {"a": [0.8]}, "assemble", keep="first.x", out=tmp_path / name)
    assert (tmp_path / "named.nc").read_bytes() == before
    assert len(lw.sweep(m, {"a": [0.8]}, "assemble", keep="first.x", out=tmp_path / "many.nc")["first.x"]) == 1


def test_formulas_with_a_minus_are_kept():
    """A hyphen may be part of a name; one that stands alone is a minus."""
    m = lw.PlanarModel("two")
    for name in ("a-b", "a"):
        m.body(name, mass=1.0, inertia=1.0, position=(0.5, 0.25))
    s = lw.sweep(m, {"a.x": [1.0]}, "assemble", keep=["a-b.x", "a.x - 0.5", lw.final("-a.y"), "2 - a.x"])
    assert [float(s[name][0]) for name in s] == [0.5, 0.5, -0.25, 1.0]


def test_a_damaged_file_is_refused(tmp_path):
    """Bare errors came out of it, or other numbers in three quarters of such files; what is read has the right ones."""
    m, path, refused = oscillator(), tmp_path / "s.nc", 0
    whole = lw.sweep(m, {"k": [50, 75, 100]}, keep=["b.x", lw.peak("b.vx")], t_end=0.5, steps=10, out=path)
    for bad in damaged(path.read_bytes(), 200):
        path.write_bytes(bad)
        try:
            found = lw.load_result(path)
        except lw.LinkwrightError:
            refused += 1
            continue
        assert all(np.array_equal(found[name], whole[name]) for name in ("b.x", "peak(b.vx)"))
        assert np.array_equal(found.axes["k"], whole.axes["k"])
    assert refused > 100


def test_files_and_tables(tmp_path):
    s = lw.sweep(triangle(), {"a": [0.8, 3.0], "b": [0.7, 0.9, 1.0]}, "assemble", keep=["first.angle", "first.x"])
    s.save(tmp_path / "s.nc")
    with pytest.raises(lw.ResultFileError, match=r"s\.csv: studies are not kept in \.csv"):
        s.save(tmp_path / "s.csv")
    read = lw.load_result(tmp_path / "s.nc")
    assert np.array_equal(read["first.x"], s["first.x"], equal_nan=True)
    assert read.shape == (2, 3)
    assert [(f.index, f.values, str(f.error), type(f.error)) for f in read.failed] == [
        (f.index, f.values, str(f.error), type(f.error)) for f in s.failed
    ]
    table = s.to_dataframe()
    assert list(table.columns) == ["a", "b", "first.angle", "first.x"]
    assert len(table) == 6
    assert s.to_xarray()["first.x"].sel(a=0.8, b=0.9) == s["first.x"][0, 1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": {"kk": [1.0]}}, "nothing called 'kk'"),
        ({"values": {}}, "nothing varies"),
        ({"values": {"k": []}}, "k: it has no values"),
        ({"values": {"k": [1.0, np.nan]}}, "k: a value is nan, not a finite number"),
        ({"values": {"k": ["many"]}}, "k: 'many' is no number"),
        ({"values": {"k": 3.0}}, "k: 3.0 is no list of values"),
        ({"values": {"k": np.array(3.0)}}, r"k: array\(3.\) is no list of values"),
        ({"values": {"k": np.ones((2, 2))}}, "k: (?s:.*) is no list of values"),
        ({"values": {"k": np.array([1.0, np.nan])}}, "k: a value is nan, not a finite number"),
        ({"values": {"k": np.arange(1e5), "c": np.arange(1e5)}}, r"its grid has 1e\+10 points"),
        ({"threads": 0}, "threads: 0 is not a whole number"),
        ({"threads": 1.5}, "threads: 1.5 is not a whole number"),
        ({"values": {"k": [1, 2], "c": [1]}, "paired": True}, "not of one length"),
        ({"keep": []}, "nothing is kept"),
        ({"keep": [3]}, "3 cannot be kept"),
        ({"keep": ["b.xx"]}, "b.xx"),
        ({"keep": ["maximum(b.x)"]}, "there is no reduction .maximum.(?s:.*)the reductions are peak, highest"),
        ({"analysis": "dynamic"}, "'dynamic' is no analysis"),
        ({"out": "study.csv"}, "studies are kept as NetCDF"),
        ({"t_ende": 1.0}, "t_ende"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(change, words):
    call = {"values": {"k": [1.0]}, "analysis": "dynamics", "keep": ["b.x"], **SPAN, **change}
    with pytest.raises(lw.LinkwrightError, match=words):
        lw.sweep(oscillator(), call.pop("values"), call.pop("analysis"), **call)
