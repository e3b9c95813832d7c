"""What is saved comes back: every number, unit and word, in every format."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import netcdf_file

import linkwright as lw
from linkwright.examples import example
from linkwright.results import Audit, Result, ResultFileError, ResultStream, files, load_result
from linkwright.results.motion import MotionResult
from results.sample_results import small

ENDINGS = ("nc", "parquet", "csv")
number = st.floats(allow_nan=True, allow_infinity=True, width=64)
name = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="`."), min_size=1, max_size=12)


@pytest.mark.parametrize("ending", ENDINGS)
def test_everything_comes_back(ending: str, tmp_path: Path) -> None:
    result = small()
    result.provenance.options = {"rtol": 1e-9, "method": "adams"}
    result.provenance.check = "all is well"
    result.events = [(0.5, "touch"), (1.5, "end")]
    result.audit.steps = 17  # type: ignore[attr-defined]  # an audit of an analysis that knows more
    result.save(tmp_path / f"run.{ending}")
    back = load_result(tmp_path / f"run.{ending}")
    assert back.channels == result.channels
    np.testing.assert_array_equal(back.t, result.t)
    for channel in result:
        np.testing.assert_array_equal(back[channel], result[channel])
        assert back.unit(channel) == result.unit(channel)
    assert back.model == "pendulum"
    assert vars(back.audit) == vars(result.audit)
    assert back.provenance == result.provenance
    assert back.events == result.events


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(number, number), min_size=1, max_size=8),
    names=st.lists(name, min_size=2, max_size=2, unique=True),
)
def test_any_number_and_any_name_comes_back(
    ending: str, rows: list[tuple[float, float]], names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    # All bits of a number, also of nan, infinities, -0 and the smallest; names with slashes, quotes and commas.
    path = tmp_path_factory.mktemp("r") / f"run.{ending}"
    values = np.array(rows)
    result = small(np.arange(len(rows), dtype=float), **{f"{n}.x": values[:, k] for k, n in enumerate(names)})
    result.save(path)
    back = load_result(path)
    assert back.channels == result.channels
    for channel in result:
        a, b = result[channel], back[channel]
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


@pytest.mark.parametrize("ending", ENDINGS)
def test_some_channels_and_some_times_of_a_long_file(ending: str, tmp_path: Path) -> None:
    result = small(np.arange(100.0))
    result.save(tmp_path / f"run.{ending}")
    back = load_result(tmp_path / f"run.{ending}", channels=["bob.y"], every=10)
    assert back.channels == ["bob.y"]
    np.testing.assert_array_equal(back.t, np.arange(0, 100, 10.0))
    np.testing.assert_array_equal(back["bob.y"], result["bob.y"][::10])
    with pytest.raises(ResultFileError, match=r"no channel bob\.z"):
        load_result(tmp_path / f"run.{ending}", channels=["bob.z"])


def test_other_programs_read_the_files(tmp_path: Path) -> None:
    """Each called as most people call it."""
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    result = small()
    result.provenance.model = "a pendulum of größe 1"
    for ending in ENDINGS:
        result.save(tmp_path / f"run.{ending}")
    with xarray.open_dataset(tmp_path / "run.nc") as data:
        assert data["bob.x"].dims == ("t",)
        assert data["bob.x"].attrs["units"] == "m"
        np.testing.assert_array_equal(data["t"], result.t)
        np.testing.assert_array_equal(data["bob.x"].values, result["bob.x"])
        assert (data.attrs["title"], data.attrs["model"]) == ("pendulum", "a pendulum of größe 1")  # texts are texts
        assert "by hand" in data.attrs["audit"]
    with netcdf_file(tmp_path / "run.nc", mmap=False) as file:  # scipy's
        assert file.variables["bob.y"].units == b"m"
        np.testing.assert_array_equal(file.variables["bob.y"][:], result["bob.y"])
    table = pandas.read_parquet(tmp_path / "run.parquet")
    assert list(table.columns) == ["t", *result.channels]
    np.testing.assert_array_equal(table["pin.fx"], result["pin.fx"])
    table = pandas.read_csv(tmp_path / "run.csv")
    assert list(table.columns) == ["t [s]", "bob.x [m]", "bob.y [m]", "bob.angle [rad]", "pin.fx [N]"]
    assert len(table) == len(result.t)
    assert {kind.name for kind in table.dtypes} == {"float64"}
    # pandas' own reader of CSV is off by a last digit
    np.testing.assert_allclose(table["pin.fx [N]"], result["pin.fx"], rtol=1e-15)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)[:, 4], result["pin.fx"])


def test_numbers_that_are_none_stay_numbers_for_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    x = np.array([np.nan, np.inf, -np.inf, -0.0])
    small(np.arange(4.0), **{"a.x": x}).save(tmp_path / "run.csv")
    np.testing.assert_array_equal(pandas.read_csv(tmp_path / "run.csv")["a.x [m]"], x)


def test_a_csv_without_its_metadata_has_its_numbers_and_says_so(tmp_path: Path) -> None:
    path, beside = tmp_path / "run.csv", tmp_path / "run.csv-metadata.json"
    odd = small(
        np.arange(3.0), **{"a.x": np.arange(3.0), "b [m]": np.arange(3.0), 'c "[":, x': np.ones(3), "r.e0": np.ones(3)}
    )
    odd.save(path)
    whole = beside.read_text()
    small(np.arange(4.0)).save(tmp_path / "other.csv")
    for text, why in (
        (None, "not beside it"),
        ("{", "cannot be read"),
        ("{}", "cannot be read"),
        ("other", "of another result"),
    ):
        beside.unlink(missing_ok=True)
        if text is not None:
            beside.write_text((tmp_path / "other.csv-metadata.json").read_text() if text == "other" else text)
        back = load_result(path)
        assert back.channels == odd.channels
        assert [back.unit(c) for c in back] == [odd.unit(c) for c in odd]
        np.testing.assert_array_equal(back["b [m]"], np.arange(3.0))
        assert why in str(back.audit)
        with pytest.raises(lw.ModelError, match="does not know what its machine looks like"):
            back.animate()
    beside.write_text(whole)
    assert load_result(path).model == "pendulum"


def test_the_metadata_of_a_csv_follow_the_recommendation(tmp_path: Path) -> None:
    """W3C, Metadata Vocabulary for Tabular Data: @context, url relative to the file, titles as in the line of names."""
    small().save(tmp_path / "run.csv")
    about = json.loads((tmp_path / "run.csv-metadata.json").read_text())
    assert about["@context"] == "http://www.w3.org/ns/csvw"
    assert about["url"] == "run.csv"
    titles = [column["titles"] for column in about["tableSchema"]["columns"]]
    assert (tmp_path / "run.csv").read_text().splitlines()[0] == ",".join(titles)


OLDER = """# format: "1"
# title: "pendulum"
# created: "2026-01-01T00:00:00+00:00"
# model: "a bob"
# check: ""
# options: "{}"
# versions: "{}"
# audit: "{\\"analysis\\":\\"dynamics\\",\\"notes\\":[]}"
# events: "[]"
# drawing: "null"
# units: "{\\"bob.x\\": \\"m\\"}"
t,bob.x
0.0,1.5
0.5,2.5
"""


def test_files_of_older_versions_are_read(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(OLDER)
    back = load_result(tmp_path / "run.csv")
    assert (back.channels, back.unit("bob.x"), back.provenance.model) == (["bob.x"], "m", "a bob")
    np.testing.assert_array_equal(back["bob.x"], [1.5, 2.5])
    assert "whether its last rows are missing cannot be seen" in str(back.audit)
    for cut in (1, 2, 5):  # inside a number what is missing is seen
        (tmp_path / "run.csv").write_text(OLDER[:-cut])
        with pytest.raises(ResultFileError):
            load_result(tmp_path / "run.csv")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "run.nc", "w") as file:
        texts = {"format": "1", "title": "pendulum", "audit": '{"notes":[]}', "channels": '["a_b.x"]'}
        for name, text in texts.items():
            file[f"linkwright/{name}"] = np.frombuffer(text.encode(), dtype=np.uint8)
        file["t"], file["a_b.x"] = np.arange(6.0), np.arange(6.0) ** 2
        file["a_b.x"].attrs.update(units="m", long_name="a/b.x")
    back = load_result(tmp_path / "run.nc", every=2)
    assert (back.model, back.channels, back.unit("a/b.x")) == ("pendulum", ["a/b.x"], "m")
    np.testing.assert_array_equal(back["a/b.x"], [0, 4, 16])


def test_the_model_is_in_the_file(tmp_path: Path) -> None:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    length = m.parameter("length", 0.7)
    bob = m.body("bob", mass=1, inertia=0.1)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(0, length)))
    t = np.linspace(0, 1, 3)
    result = Result("pendulum", t, {"bob.x": t, "bob.y": t, "bob.angle": t}, Audit(), source=m)
    m.set(length=0.9)  # later: the result is of 0.7
    result.save(tmp_path / "run.nc")
    back = load_result(tmp_path / "run.nc")
    assert back.drawing is not None
    assert back.drawing["elements"][0]["ends"][1]["at"] == [0.0, 0.7]
    assert back.drawing == json.loads(json.dumps(result.drawing))
    assert "pin" in back.provenance.model


def test_long_texts_are_kept_whole(tmp_path: Path) -> None:
    result = small()
    result.provenance.model = "é" * 100_000
    result.save(tmp_path / "run.nc")
    assert load_result(tmp_path / "run.nc").provenance.model == "é" * 100_000


def test_errors_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match=r"not kept in \.xls") as caught:
        small().save(tmp_path / "run.xls")
    assert ".nc, .parquet, .csv" in caught.value.remedy
    with pytest.raises(ResultFileError, match="there is no such file"):
        load_result(tmp_path / "none.nc")
    with pytest.raises(ResultFileError, match="cannot be written"):
        small().save(tmp_path / "nowhere" / "run.csv")
    for ending in ENDINGS:
        (tmp_path / f"bad.{ending}").write_text("a,b\n1,2\n")
        with pytest.raises(ResultFileError, match="no result of Linkwright"):
            load_result(tmp_path / f"bad.{ending}")
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"bad.{e}" for e in sorted(ENDINGS)]  # nothing half-written
    for ending in ENDINGS:
        path = tmp_path / f"run.{ending}"
        small().save(path)
        data = path.read_bytes()
        path.write_bytes(data[:200] + b"\xff" * 200 + data[400:])  # damage inside
        with pytest.raises(ResultFileError, match="no result of Linkwright"):
            load_result(path)


def test_one_channel_by_its_name_and_whole_numbers_of_times(tmp_path: Path) -> None:
    small().save(tmp_path / "run.csv")
    name = small().channels[0]
    assert load_result(tmp_path / "run.csv", channels=name).channels == [name]
    for every in (0, 1.5):
        with pytest.raises(ResultFileError, match="cannot be read"):
            load_result(tmp_path / "run.csv", every=every)  # type: ignore[arg-type]


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    for ending in ENDINGS[:2]:
        path = tmp_path / f"run.{ending}"
        with pytest.MonkeyPatch.context() as newer:
            newer.setattr(files, "FORMAT", 2)
            small().save(path)
        with pytest.raises(ResultFileError, match="is of format 2"):
            load_result(path)


def test_tables() -> None:
    pytest.importorskip("pandas")
    result = small()
    data, frame = result.to_xarray(), result.to_dataframe()
    np.testing.assert_array_equal(data["bob.x"], result["bob.x"])
    assert data["pin.fx"].attrs["units"] == "N"
    assert data.attrs["title"] == "pendulum"
    assert float(data["bob.y"].sel(t=1.0, method="nearest")) == -math.cos(1.0)
    assert frame.index.name == "t"
    np.testing.assert_array_equal(frame["bob.angle"], result.t)
    assert frame.attrs["units"]["bob.x"] == "m"


@pytest.mark.parametrize("stream", [False, True])
def test_a_file_of_many_channels_is_quick(stream: bool, tmp_path: Path) -> None:
    """13,000 channels, a machine of a thousand bodies; in NetCDF 4 xarray did not end. Counted in processor time,
    for machines are shared: less than 1 s to write and read, and 3 s for xarray on the computer this was written on."""
    xarray = pytest.importorskip("xarray")
    path, t, channels = tmp_path / "run.nc", np.linspace(0, 1, 3), [f"body {k}.x" for k in range(13_000)]
    values = {c: k * t for k, c in enumerate(channels)}
    start = time.process_time()
    if stream:
        with ResultStream(path, "pendulum", channels) as out:
            out.append(t, values)
    else:
        small(t, **values).save(path)
    back = load_result(path)
    assert time.process_time() - start < 5
    assert back.channels == channels
    np.testing.assert_array_equal(back["body 199.x"], 199 * t)
    assert path.stat().st_size < 200 * len(channels)
    start = time.process_time()
    with xarray.open_dataset(path) as data:
        np.testing.assert_array_equal(data["body 12999.x"], 12999 * t)
        assert dict(data.sizes) == {"t": 3}
    assert time.process_time() - start < 30


# -- results with forces ------------------------------------------------------------------------------------------------


def lifted() -> MotionResult:
    chosen = example("valve-lifter")  # pins, guides, points on lines, and a cam whose contact wanders
    return lw.inverse_dynamics(chosen.load(), t_end=0.05, steps=20)


def fallen() -> MotionResult:
    m = lw.SpatialModel("chain", gravity=(0, 0, -9.81))
    a = m.body("a", 1, (0.1, 0.2, 0.3), position=(0.5, 0, 0))
    b = m.body("b", 1, (0.1, 0.2, 0.3), position=(1.5, 0, 0))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), a.at(-0.5, 0, 0)))
    m.add(lw.Revolute("B", a.frame((0.5, 0, 0), (0.5, 1, 0), (1, 0, 0)), b.frame((-0.5, 0, 0), (-0.5, 1, 0), (1, 0, 0))))
    return lw.dynamics(m, t_end=0.5, steps=20)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("made", [lifted, fallen])
def test_reactions_come_back_without_the_model(made: Callable[[], MotionResult], ending: str, tmp_path: Path) -> None:
    result = made()
    result.save(tmp_path / f"run.{ending}")
    back = load_result(tmp_path / f"run.{ending}")
    assert isinstance(back, MotionResult)
    assert back.channels == result.channels
    assert list(back.places) == list(result.places)
    n = result.places[next(iter(result.places))].point.shape[1]
    for joint, place in result.places.items():
        assert (back.places[joint].first, back.places[joint].second) == (place.first, place.second)
        options: list[dict[str, Any]] = [{}, {"on": place.first, "at": (0.3,) * n}, {"frame": place.second}]
        for wish in options:
            expected, got = result.reaction(joint, **wish), back.reaction(joint, **wish)
            size = max(float(np.abs(x).max()) for x in expected.values())
            for component in expected:  # forces are the same bits; places on bodies are found to rounding
                np.testing.assert_allclose(got[component], expected[component], rtol=0, atol=1e-10 * size)
    assert str(back.audit) == str(result.audit)
    if result.energy is not None and result.violation is not None:
        assert back.energy is not None
        assert back.violation is not None
        np.testing.assert_array_equal(back.energy.balance, result.energy.balance)
        np.testing.assert_array_equal(back.violation.velocity, result.violation.velocity)
    again = back.animate()  # and it can be shown
    assert again.text.count('"role":"joint"') == len(result.places)


def test_how_it_was_asked_for_is_in_the_file(tmp_path: Path) -> None:
    result = lifted()
    result.save(tmp_path / "run.nc")
    options = load_result(tmp_path / "run.nc").provenance.options
    assert options == {"t_end": 0.05, "steps": 20, "t_start": 0.0}
    m = example("slider-crank").load()
    m.set(l=1.9)
    with pytest.raises(lw.SingularityError) as locked:
        lw.kinematics(m, t_end=1.0, steps=200)
    assert locked.value.partial.provenance.options["t_end"] == 1.0  # what is kept of a run that failed, too
    assert lw.assemble(m, t=0.01).provenance.options["t"] == 0.01


def test_reactions_of_some_channels(tmp_path: Path) -> None:
    result = fallen()
    result.save(tmp_path / "run.nc")
    some = [c for c in result.channels if c.startswith(("b.", "B."))]
    back = load_result(tmp_path / "run.nc", channels=some, every=5)
    assert isinstance(back, MotionResult)
    assert list(back.places) == ["B"]
    np.testing.assert_allclose(
        back.reaction("B", at=(0, 0, 0))["ty"], result.reaction("B", at=(0, 0, 0))["ty"][::5], atol=1e-10
    )
