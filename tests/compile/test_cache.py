"""Compiled code on disk: kept, shared between processes, never trusted blindly, bounded."""

import os
import signal
import time

import numpy as np
import pytest
from processes import finish, run, start

from linkwright.compile import Function, cache, function, native
from linkwright.compile.native import Array, f64, i64
from linkwright.graph import cos, sin, symbols

MODEL = """
import sys, time
import numpy as np
from linkwright.compile import Function, function
from linkwright.graph import cos, sin, symbols
q = symbols("q", 3)
y = q[0]
for k in range(150):
    y = sin(y) * q[1] + cos(q[2] + k)
f = Function("model", {"q": q}, {"y": y})
made = []
make = function.to_object
function.to_object = lambda *args, **more: made.append(1) or make(*args, **more)
start = time.perf_counter()
value = f([0.1, 0.2, 0.3])[0]
seconds = time.perf_counter() - start
f.batch(np.full((3, 9), 0.5))
print(len(made), float(value).hex(), seconds)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of this test alone."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "code"))
    monkeypatch.delenv("LINKWRIGHT_CACHE_MB", raising=False)
    return tmp_path / "code"


@pytest.fixture
def made(monkeypatch):
    """The programs that were compiled, not read, one item each."""
    found = []
    compile_ = function.to_object
    monkeypatch.setattr(function, "to_object", lambda *args, **more: found.append(1) or compile_(*args, **more))
    return found


def model(k=1.0):
    q = symbols("q", 2)
    return Function("model", {"q": q}, {"y": [sin(q[0]) * k + q[1], cos(q[1])]})


def value(f):
    return f([0.3, 0.4])[0].tolist()


def entry(folder):
    (path,) = folder.iterdir()
    return path


# -- kept -------------------------------------------------------------------------------------------------------------


def test_a_second_process_compiles_nothing(folder):
    first, second = run(MODEL).split(), run(MODEL).split()
    assert first[0] == "2"  # one lane, and several
    assert second[0] == "0"
    assert first[1] == second[1]
    # some 10000 instructions take half a second to compile; reading and linking them a few milliseconds
    assert float(second[2]) < 0.2 * float(first[2])
    assert sorted(p.suffix for p in folder.iterdir()) == [".o", ".o"]


def test_the_same_model_in_one_process_is_compiled_once(folder, made):
    expected = value(model())
    assert value(model()) == expected
    assert len(made) == 1
    value(model(2.0))  # another number is another program
    assert len(made) == 2


def test_native_functions_are_kept(folder):
    @native
    def scaled(n: i64, a: f64, x: Array) -> None:
        for i in range(n):
            x[i] *= a

    x = np.ones(3)
    scaled(3, 2.0, x)
    assert x.tolist() == [2.0, 2.0, 2.0]
    stamp = entry(folder).stat().st_ino
    again = native(scaled.python)
    again(3, 2.0, x)
    assert x.tolist() == [4.0, 4.0, 4.0]
    assert entry(folder).stat().st_ino == stamp  # read, not written anew


def test_two_processes_writing_at_once(folder):
    processes = [start(MODEL) for _ in range(2)]
    outputs = [finish(p).split() for p in processes]
    assert outputs[0][1] == outputs[1][1]
    assert sorted(p.suffix for p in folder.iterdir()) == [".o", ".o"]
    assert run(MODEL).split()[0] == "0"


# -- damaged ----------------------------------------------------------------------------------------------------------


def flipped(position):
    def damage(content):
        k = position % len(content)
        return content[:k] + bytes([content[k] ^ 0x10]) + content[k + 1 :]

    return damage


DAMAGE = {
    "empty": lambda c: b"",
    "header cut": lambda c: c[:20],
    "code cut": lambda c: c[:-1],
    "half": lambda c: c[: len(c) // 2],
    "header alone": lambda c: c[:80],
    "longer": lambda c: c + b"\0",
    "an older format": lambda c: b"LINKWRT1" + c[8:],
    "a newer format": lambda c: b"LINKWRT3" + c[8:],
    "zeros": lambda c: bytes(len(c)),
    "length": flipped(9),
    "key": flipped(30),
    "checksum": flipped(60),
    "first of the code": flipped(80),
    "middle of the code": flipped(1032),
    "last of the code": flipped(-1),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_replaced(folder, made, damage):
    expected = value(model())
    path = entry(folder)
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    assert cache.load(path.stem) is None
    assert not path.exists()  # gone at once
    path.write_bytes(DAMAGE[damage](whole))
    assert value(model()) == expected
    assert len(made) == 2
    assert entry(folder).read_bytes() == whole


def test_a_folder_in_place_of_an_entry(folder, made):
    expected = value(model())
    path = entry(folder)
    path.unlink()
    path.mkdir()
    assert value(model()) == expected
    assert len(made) == 2
    assert [p for p in folder.iterdir() if p.suffix == ".tmp"] == []


def twice(model):
    """Whether a machine says the same once more, with code that is not taken from what is in use."""
    first = value(model())
    function._LOADED.clear()
    return value(model()) == first


# -- switched off, not writable ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "none"])
def test_off(folder, made, monkeypatch, word):
    monkeypatch.setenv("LINKWRIGHT_CACHE", word)
    monkeypatch.chdir(folder.parent)
    assert twice(model)
    assert len(made) == 2
    assert list(folder.parent.iterdir()) == []


def test_a_file_in_place_of_the_folder(folder, made):
    folder.write_text("mine")
    assert twice(model)
    assert len(made) == 2
    assert folder.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(folder, made):
    folder.mkdir(mode=0o500)
    assert twice(model)
    assert len(made) == 2


# -- bounded ----------------------------------------------------------------------------------------------------------


def used(path, seconds_ago):
    then = time.time() - seconds_ago
    os.utime(path, (then, then))


def test_the_entries_used_longest_ago_go_first(folder, monkeypatch):
    size = 1000 + 80
    monkeypatch.setenv("LINKWRIGHT_CACHE_MB", str(4 * size / 1e6))
    for k in range(4):
        cache.store(f"e{k}", bytes([k]) * 1000)
        used(folder / f"e{k}.o", 100 - k)
    assert cache.load("e0") == bytes(1000)  # used now: the oldest is e1
    cache.store("e4", b"x" * 1000)
    assert sorted(p.stem for p in folder.iterdir()) == ["e0", "e2", "e3", "e4"]
    cache.store("e5", b"x" * 1000)
    assert sorted(p.stem for p in folder.iterdir()) == ["e0", "e3", "e4", "e5"]


def test_the_folder_stays_within_its_bound(folder, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE_MB", "0.01")
    for k in range(60):
        cache.store(f"e{k}", bytes(100 * (k % 7)))
        assert sum(p.stat().st_size for p in folder.iterdir()) <= 10_000


def test_a_full_folder_is_not_looked_at_for_every_entry(folder, monkeypatch):
    """Looking at ten thousand entries takes longer than compiling a small function."""
    monkeypatch.setenv("LINKWRIGHT_CACHE_MB", "0.1")
    for k in range(1000):
        cache.store(f"e{k}", bytes(60))
    looks, trim = [], cache.trim
    monkeypatch.setattr(cache, "trim", lambda *args: looks.append(1) or trim(*args))
    for k in range(1000, 1100):
        cache.store(f"e{k}", bytes(60))
    assert 0 < len(looks) < 30
    assert sum(p.stat().st_size for p in folder.iterdir()) <= 100_000


@pytest.mark.parametrize(("text", "bytes_"), [("1.5", 1_500_000), ("many", 256_000_000), ("inf", 256_000_000), ("0", 0)])
def test_the_bound(monkeypatch, text, bytes_):
    monkeypatch.setenv("LINKWRIGHT_CACHE_MB", text)
    assert cache.limit() == bytes_


def test_code_too_large_for_the_bound_still_runs(folder, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE_MB", "0")
    assert value(model()) == value(model())
    assert list(folder.iterdir()) == []


def test_files_of_others_stay(folder):
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    used(folder / "notes.txt", 1e6)
    cache.trim(folder, 0)
    assert (folder / "notes.txt").exists()


# -- killed writers ---------------------------------------------------------------------------------------------------

WRITER = """
from linkwright.compile import cache
code = bytes(range(256)) * 40000
for k in range(10**6):
    cache.store(f"e{k % 5}", code)
    if k == 0:
        print("ready", flush=True)
"""


def test_a_killed_writer_leaves_no_half_entry(folder):
    code = bytes(range(256)) * 40000
    for delay in (0.02, 0.05, 0.11):
        process = start(WRITER)
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        entries = [p for p in folder.iterdir() if p.suffix == ".o"]
        assert entries
        assert all(cache.load(p.stem) == code for p in entries)
    left = folder / "left.tmp"
    left.write_bytes(b"half")
    for path in folder.glob("*.tmp"):
        used(path, 4000)
    fresh = folder / "fresh.tmp"  # may belong to a writer at work
    fresh.write_bytes(b"half")
    cache.store("next", b"code")
    assert list(folder.glob("*.tmp")) == [fresh]
