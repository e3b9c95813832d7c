"""Studies from the command line: the same numbers as from Python, and files that are wrong told by line."""

import json

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import codes, main
from linkwright.cli.progress import Progress


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    m = lw.PlanarModel("oscillator", gravity=(0, 0))
    k = m.parameter("k", 100.0)
    b = m.body("b", mass=1.0, inertia=1.0, position=(0.1, 0.0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("spring", b.x, -k * b.x))
    m.save(tmp_path / "o.yaml")
    return tmp_path


def test_a_sweep_and_its_file(here, capsys):
    (here / "s.yaml").write_text(
        "values: {k: {from: 50, to: 100, count: 3}}\nkeep: [b.x, final(b.x)]\noptions: {t_end: 500 ms, steps: 10}\n"
    )
    assert main(["study", "o.yaml", "s.yaml", "--out", "s.nc", "--json", "--page", "s.html"]) == codes.OK
    assert "k = 75" in (here / "s.html").read_text()
    told = json.loads(capsys.readouterr().out)
    s = lw.load_result("s.nc")
    expected = lw.sweep(lw.load("o.yaml"), {"k": [50, 75, 100]}, keep=["b.x"], t_end=0.5, steps=10)
    assert np.array_equal(s["b.x"], expected["b.x"])
    assert told["values"]["final(b.x)"] == s["b.x"][:, -1].tolist()
    assert told["axes"] == {"k": [50, 75, 100]}
    assert told["failed"] == []


def test_tolerances_and_the_best(here, capsys):
    (here / "c.yaml").write_text(
        "spread: {k: {normal: [100, 1]}}\nsamples: 40\nseed: 2\nthreads: 1\n"
        "keep: peak(b.vx)\noptions: {t_end: 1, steps: 200}\n"
    )
    drawn = ["--picture", "shares.svg", "--draw", "tornado", "--table", "c.csv"]
    assert main(["study", "o.yaml", "c.yaml", *drawn]) == codes.OK
    told = capsys.readouterr().out
    assert "99 % are below" in told
    assert "shares of its variance: k 1.0" in told  # nothing else varies
    assert "<svg" in (here / "shares.svg").read_text()
    head, *rows = (here / "c.csv").read_text().splitlines()
    k, v = np.array([row.split(",") for row in rows], dtype=float).T
    assert (head, len(rows)) == ("k,peak(b.vx)", 40)
    assert v == pytest.approx(0.1 * np.sqrt(k), rel=1e-3)  # the output times miss the peak by less than (w dt)^2/8 of it
    (here / "best.yaml").write_text(
        "bounds: {k: [50, 200]}\nmaximize: peak(b.vx)\noptions: {t_end: 1, steps: 200}\n"
        "subject_to: {peak(b.vx): [null, 1.2]}\nmax_iterations: 50\n"
    )
    assert main(["optimize", "o.yaml", "best.yaml", "--json"]) == codes.OK
    told = json.loads(capsys.readouterr().out)
    assert told["success"]
    # v = 0.1 sqrt(k) at most, but for the output times, which miss the peak by less than (w dt)^2/8 = 5e-4 of it
    assert told["parameters"]["k"] == pytest.approx(144, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- 1\n", "s.yaml:1:1: it is a list"),
        ("keep: [b.x]\n", "it does not say what varies"),
        ("values: {k: {from: 1, to: 2, count: 2.5}}\nkeep: b.x\n", "s.yaml:1:37: 2.5 is no whole number from 1 on"),
        ("values: {k: {from: 1, to: 2, count: -1}}\nkeep: b.x\n", "-1 is no whole number from 1 on"),
        ("values: {k: [1]}\nkeeps: [b.x]\n", "s.yaml:2:8: there is no 'keeps' in a sweep"),
        ("values: {k: {form: 1}}\nkeep: [b.x]\n", "s.yaml:1:13: these are no values"),
        ("values: {k: [a]}\nkeep: [b.x]\n", "'a'"),
        ("values: 3\nkeep: [b.x]\n", "s.yaml:1:9: here is 3"),
        ("spread: {k: normal(1 2)}\nkeep: [b.x]\n", "{normal: [0.2, 0.001]}"),
        ("spread: {k: {gauss: [1, 2]}}\nsamples: 3\nkeep: [b.x]\n", "s.yaml:1:13: this is no distribution"),
        ("bounds: {k: [1, 2]}\nminimize: peak(b.x)\n", "linkwright optimize runs it"),
        ("spread: {k: {normal: [1, 2]}}\ncorrelation: [[k, 0.5]]\n", "s.yaml:2:15: this is no correlation"),
        ("spread: {k: {normal: [1, -2]}}\nsamples: 3\nkeep: [b.x]\n", "s.yaml:1:13: k: a spread of -2 is negative"),
        ("values: {k: [1]}\n", "s.yaml:1:1: a sweep needs keep\n  Remedy: give a line such as keep: [slider.x, peak(A.fx)]"),
        ("spread: {k: {normal: [1, 2]}}\nkeep: b.x\n", "s.yaml:1:1: a monte_carlo needs samples"),
        ("values: {k: [1, .nan]}\nkeep: b.x\n", "s.yaml:1:17: k: a number, a name or '(' was expected, not '.'"),
        ("values: {k: [1]}\nspread: {k: {normal: [1, 2]}}\n", "s.yaml:2:9: it says values: and spread:, which are studies"),
        ("values: {k: [1]}\nkeep: b.x\noptions: {values: {k: [3]}}\n", "s.yaml:3:19: values is no option of an analysis"),
        ("values: {k: [1]}\nkeep: b.x\noptions: {keep: b.y}\n", "s.yaml:3:17: keep is no option of an analysis"),
        ("values: {k: [1]}\nkeep: b.x\noptions: {t_end: 100 mm}\n", "s.yaml:3:18: t_end is in s, but this is a length"),
        ("values: {k: {from: 1, to: 2, count: 1000000000000}}\nkeep: b.x\n", "s.yaml:1:37: 1e+12 are more than can be"),
        ("values: {k: [1]}\nkeep: b.x\nthreads: two\n", "s.yaml:3:10: the name 'two' is not known"),
        ("values: {k: [1]}\nkeep: b.x\noptions: {t_end: 1}\non: moon\n", "does not run on 'moon'"),
    ],
)
def test_a_wrong_file_is_told_by_line(here, capsys, text, words):
    (here / "s.yaml").write_text(text)
    assert main(["study", "o.yaml", "s.yaml"]) in (codes.MODEL, codes.USAGE)
    assert words in capsys.readouterr().err


def test_a_value_that_the_study_varies_cannot_be_set(here, capsys):
    """It was overridden without a word. In a search it is where it begins."""
    run = "keep: final(b.x)\noptions: {t_end: 0.1, steps: 2}\n"
    (here / "s.yaml").write_text(f"values: {{k: [50, 100]}}\n{run}")
    (here / "c.yaml").write_text(f"spread: {{k: {{normal: [100, 1]}}}}\nsamples: 4\n{run}")
    for study in ("s.yaml", "c.yaml"):
        assert main(["study", "o.yaml", study, "--set", "k=5"]) == codes.USAGE
        assert f"{study}: the study varies k itself: --set would change nothing" in capsys.readouterr().err
    (here / "b.yaml").write_text("bounds: {k: [50, 200]}\nmaximize: peak(b.vx)\noptions: {t_end: 0.1, steps: 2}\n")
    assert main(["optimize", "o.yaml", "b.yaml", "--set", "k=60"]) == codes.OK


def test_limits_may_have_units(here, capsys):
    m = lw.PlanarModel("rod")
    length = m.parameter("length", "1 m")
    tip = m.body("tip", position=(0.5, 0.0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), tip.at(-length, 0)))
    m.save(here / "rod.yaml")
    text = "bounds: {length: [200 mm, 2 m]}\nmaximize: final(tip.x)\nanalysis: assemble\n"
    text += "subject_to: {final(tip.x): [null, 50 cm]}\n"
    (here / "best.yaml").write_text(text)
    assert main(["optimize", "rod.yaml", "best.yaml", "--json"]) == codes.OK
    assert json.loads(capsys.readouterr().out)["parameters"]["length"] == pytest.approx(0.5, rel=1e-6)
    for wrong, words in (("[200 mm, 2 kn]", "best.yaml:1:27: length: "), ("[1, 2, 3]", "no bounds"), ("3", "no bounds")):
        (here / "best.yaml").write_text(text.replace("[200 mm, 2 m]", wrong))
        assert main(["optimize", "rod.yaml", "best.yaml"]) == codes.MODEL
        assert words in capsys.readouterr().err


def test_few_points_are_told_one_by_one(here, capsys):
    (here / "s.yaml").write_text("values: {k: [100, 400]}\nkeep: [final(b.x)]\noptions: {t_end: 0.5, steps: 1}\n")
    assert main(["study", "o.yaml", "s.yaml"]) == codes.OK
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert head == ["k", "final(b.x)"]
    for k, row in zip((100, 400), rows, strict=True):
        assert list(map(float, row)) == pytest.approx([k, 0.1 * np.cos(0.5 * np.sqrt(k))], rel=1e-5)
    assert main(["study", "o.yaml", "s.yaml", "--picture", "x.png", "--draw", "tornado"]) == codes.USAGE
    assert "Monte Carlo" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["--table", "--picture", "--page"])
def test_places_that_are_none_are_told_before_anything_runs(here, capsys, asked):
    (here / "s.yaml").write_text("values: {k: [100, 400]}\nkeep: [final(b.x)]\noptions: {t_end: 0.5, steps: 1}\n")
    assert main(["study", "o.yaml", "s.yaml", "--out", "s.nc", asked, "nowhere/x.svg"]) != codes.OK
    assert "nowhere/x.svg: cannot be written" in capsys.readouterr().err
    assert not (here / "s.nc").exists()
    assert main(["study", "o.yaml", "s.yaml", "--out", "s.nc", "--picture", "x.png", "--draw", "tornado"]) == codes.USAGE
    assert not (here / "s.nc").exists()


def test_what_was_computed_is_told_where_a_file_cannot_be_made(here, capsys):
    """Nothing of an equilibrium moves: it has no page."""
    text = "values: {k: [100, 400]}\nkeep: [final(b.x)]\nanalysis: equilibrium\n"
    (here / "s.yaml").write_text(text)
    assert main(["study", "o.yaml", "s.yaml", "--page", "x.html"]) != codes.OK
    told = capsys.readouterr()
    assert "study of 'oscillator': 2 points" in told.out
    assert "has no motion" in told.err


def test_an_interrupted_study_tells_what_there_is(here, capsys, monkeypatch):
    def pressed(self, points, part):
        self.at = (points, part)
        if points == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "__call__", pressed)
    (here / "s.yaml").write_text("values: {k: [50, 60, 70, 80]}\nkeep: final(b.x)\noptions: {t_end: 0.5}\nthreads: 1\n")
    assert main(["study", "o.yaml", "s.yaml", "--out", "s.nc", "--table", "s.csv", "--json"]) == codes.INTERRUPTED
    told = capsys.readouterr()
    assert [x is None for x in json.loads(told.out)["values"]["final(b.x)"]] == [False, False, False, True]
    assert "goes on from there, by s.nc.journal" in told.err
    assert [row.endswith(",") for row in (here / "s.csv").read_text().splitlines()[1:]] == [False, False, False, True]
    (here / "best.yaml").write_text(
        "bounds: {k: [50, 200]}\nmaximize: peak(b.vx)\nsubject_to: {peak(b.vx): [null, 1.2]}\noptions: {t_end: 0.5}\n"
    )
    assert main(["optimize", "o.yaml", "best.yaml", "--json"]) == codes.INTERRUPTED
    told = json.loads(capsys.readouterr().out)
    assert told["points"] == 3
    assert told["message"].startswith("interrupted")
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert main(["study", "o.yaml", "s.yaml", "--out", "s.nc"]) == codes.OK


def test_a_picture_and_correlated_values(here, capsys):
    (here / "c.yaml").write_text(
        "spread: {k: {normal: [100, 1]}, b.x: {uniform: [0.1, 0.2]}}\ncorrelation: [[k, b.x, 0.9]]\nsamples: 40\n"
        "keep: peak(b.vx)\noptions: {t_end: 0.2, steps: 5}\n"
    )
    assert main(["study", "o.yaml", "c.yaml", "--out", "c.nc", "--picture", "c.png"]) == codes.OK
    assert (here / "c.png").read_bytes().startswith(b"\x89PNG")
    c = lw.load_result("c.nc")
    assert np.corrcoef(c.axes["k"], c.axes["b.x"])[0, 1] > 0.7
    assert main(["study", "o.yaml", "c.yaml", "--picture", "c.doc"]) == codes.USAGE
    assert "give a name such as study.png" in capsys.readouterr().err
