"""Files that are cut, damaged or changed are refused, or say so: no other numbers without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from damaged import damaged
from linkwright.results import ResultFileError, load_result
from results.sample_results import small

ENDINGS = ("nc", "parquet", "csv")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_cut_file_is_refused_wherever_it_is_cut(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.{ending}"
    small(np.linspace(0, 1, 57)).save(path)
    data = path.read_bytes()
    cuts = {*np.random.default_rng(4).integers(0, len(data), 300).tolist(), 0, 1, len(data) - 1, len(data) - 2}
    for cut in cuts:
        path.write_bytes(data[:cut])
        with pytest.raises(ResultFileError) as caught:
            load_result(path)
        assert caught.value.element == (str(path),)
        assert caught.value.remedy
    path.write_bytes(data)
    assert len(load_result(path).t) == 57


@pytest.mark.parametrize("ending", ["nc", "parquet"])
def test_a_damaged_file_is_refused(ending: str, tmp_path: Path) -> None:
    """More than half of such files came back with other numbers. What hits texts alone may be read: with its numbers."""
    path, refused = tmp_path / f"run.{ending}", 0
    small(np.linspace(0, 1, 57)).save(path)
    whole = load_result(path)
    for bad in damaged(path.read_bytes(), 200):
        path.write_bytes(bad)
        try:
            found = load_result(path)
        except ResultFileError:
            refused += 1
            continue
        assert list(found.channels) == list(whole.channels)
        assert all(np.array_equal(found[c], whole[c], equal_nan=True) for c in whole.channels)
        assert np.array_equal(found.t, whole.t)
    assert refused > 100


def test_some_rows_of_a_damaged_file_are_looked_at_by_their_times(tmp_path: Path) -> None:
    """There is no check sum of a part."""
    path = tmp_path / "run.nc"
    small(np.linspace(0, 1, 57)).save(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))
    with pytest.raises(ResultFileError, match="it is damaged: its times do not grow"):
        load_result(path, every=2)


def test_a_file_that_another_program_has_changed_says_so(tmp_path: Path) -> None:
    """It keeps the attributes of the file that it has read, the check sum among them; without that it is read."""
    xarray = pytest.importorskip("xarray")
    small(np.linspace(0, 1, 57)).save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as held:
        channel = next(iter(held.data_vars))
        changed = held.assign({channel: held[channel].copy(data=2 * held[channel].values)}).load()
    changed.to_netcdf(tmp_path / "other.nc", engine="scipy", format="NETCDF3_64BIT", unlimited_dims=["t"])
    with pytest.raises(ResultFileError, match="do not have the check sum of its attribute linkwright_crc32"):
        load_result(tmp_path / "other.nc")
    del changed.attrs["linkwright_crc32"]
    changed.to_netcdf(tmp_path / "other.nc", engine="scipy", format="NETCDF3_64BIT", unlimited_dims=["t"])
    assert len(load_result(tmp_path / "other.nc").t) == 57


def test_a_row_with_too_many_values_is_refused(tmp_path: Path) -> None:
    """The first of them were read, and some belong to other columns."""
    path = tmp_path / "run.csv"
    small(np.linspace(0, 1, 57)).save(path)
    lines = path.read_bytes().splitlines(keepends=True)
    cells = lines[20].split(b",")
    path.write_bytes(b"".join([*lines[:20], b",".join([*cells[:2], b"0.5", *cells[2:]]), *lines[21:]]))
    with pytest.raises(ResultFileError, match=f"row 20 has {len(cells) + 1} values, not the {len(cells)}"):
        load_result(path)


def test_a_cut_file_says_how_many_rows_are_left(tmp_path: Path) -> None:
    for ending in ("nc", "csv"):
        path = tmp_path / f"run.{ending}"
        small(np.linspace(0, 1, 57)).save(path)
        data = path.read_bytes()
        # after the 20th row, 40 bytes each; after the 20th line
        path.write_bytes(data[: -37 * 40] if ending == "nc" else b"".join(data.splitlines(keepends=True)[:21]))
        with pytest.raises(ResultFileError, match=r"is cut: it has 20 (of 57|whole) rows"):
            load_result(path)
