"""Entries that are exchanged, damaged, foreign, or cannot be kept, in real processes: made anew, never run.

A process that runs the machine code of another function does not fail an assertion, it dies or answers wrongly. So every
process here compares each value with the one that the same formula gives in Python's arithmetic.
"""

import shutil
import subprocess
import sys

import pytest
from processes import finish, run, start

COUNT = 20  # functions, an entry each

# Functions with other numbers of inputs and outputs: one that runs in place of another reads and writes elsewhere.
FUNCTIONS = """
import math, os, random, sys
from pathlib import Path
from linkwright.compile import Function, cache, function
from linkwright.graph import sin, symbols

made = []
make = function.to_object
function.to_object = lambda *args, **more: made.append(1) or make(*args, **more)


def right(k):
    n = k % 5 + 1
    q = symbols("q", n)
    f = Function("f", {"q": q}, {"y": [sin(x) * (k + 1) + j for j, x in enumerate(q)], "z": [q[0] * k]})
    x = [0.1 * (j + 1) for j in range(n)]
    y, z = f(x)
    # sine is good to 2 units in the last place, the product and the sum to one each
    assert all(math.isclose(a, math.sin(b) * (k + 1) + j, rel_tol=1e-14) for j, (a, b) in enumerate(zip(y, x))), (k, y)
    assert math.isclose(z[0], 0.1 * k, rel_tol=1e-14), (k, z)


def compiled(count):
    made.clear()
    for k in range(count):
        right(k)
    return len(made)
"""

DAMAGE = (
    FUNCTIONS
    + """
count, rounds = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(int(sys.argv[3]))
folder = Path(os.environ["LINKWRIGHT_CACHE"])


def swap(a, b):
    c = a.with_suffix(".held")
    a.rename(c), b.rename(a), c.rename(b)


def cut(a, b):
    os.truncate(a, rng.randrange(a.stat().st_size))


def flip(a, b):
    content = bytearray(a.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    a.write_bytes(content)


def copy(a, b):
    a.write_bytes(b.read_bytes())


def link(a, b):
    a.unlink(), a.symlink_to(b.name)


def head(a, b):
    '''The header of one before the code of another.'''
    a.write_bytes(a.read_bytes()[: cache._HEADER] + b.read_bytes()[cache._HEADER :])


def newer(a, b):
    a.write_bytes(b"LINKWRT3" + a.read_bytes()[8:])


def longer(a, b):
    a.write_bytes(a.read_bytes() + bytes(rng.randrange(1, 5000)))


def hole(a, b):
    content = bytearray(a.read_bytes())
    k = rng.randrange(len(content))
    content[k : k + 512] = bytes(len(content[k : k + 512]))  # a block that never reached the disk
    changed = bytes(content) != a.read_bytes()
    a.write_bytes(content if changed else content + b"x")


compiled(count)
done = 0
for _ in range(rounds):
    entries = sorted(folder.glob("*.o"))
    assert len(entries) == count, len(entries)
    rng.shuffle(entries)
    hurt = set()
    for a, b in zip(entries[::2], entries[1::2]):
        damage = rng.choice([swap, cut, flip, copy, link, head, newer, longer, hole])
        damage(a, b)
        hurt |= {a, b} if damage is swap else {a}
        other = rng.choice([cut, flip, newer, longer])  # alone: what the first one linked to must stay what it was
        if damage not in (swap, link):
            other(b, a)
            hurt.add(b)
    done += len(hurt)
    assert compiled(count) == len(hurt), (len(made), len(hurt))
    assert compiled(count) == 0
print(done)
"""
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "code"))
    monkeypatch.delenv("LINKWRIGHT_CACHE_MB", raising=False)
    return tmp_path / "code"


def test_two_hundred_entries_damaged_in_every_way(folder, tmp_path):
    """Each is compiled anew, once, and none of the others is; every value stays right."""
    places = [str(tmp_path / name) for name in "ab"]
    both = [start(DAMAGE, str(COUNT), "7", str(seed), LINKWRIGHT_CACHE=p) for seed, p in enumerate(places)]
    assert sum(int(finish(p)) for p in both) >= 200


def test_entries_of_another_computer_or_compiler_are_not_run(folder, tmp_path):
    """Copied under this computer's names, as a folder that is shared by the wrong means would have them."""
    foreign = """
count = int(sys.argv[1])
kind = sys.argv[2]
if kind == "cpu":
    from dataclasses import replace
    own = function.host()
    function.host = lambda: replace(own, cpu="another")
else:
    function.versions = lambda: "llvmlite 0.1 llvm 1"
function.to_object = lambda *args, **more: bytes(64)  # what that one compiled; it cannot be loaded here
class Nothing:
    pass
function.Loaded = lambda *args: Nothing()
for k in range(count):
    try:
        right(k)
    except AttributeError:
        pass
"""
    for kind in ("cpu", "llvm"):
        other = tmp_path / kind
        run(FUNCTIONS + foreign, "6", kind, LINKWRIGHT_CACHE=str(other))
        shutil.rmtree(folder, ignore_errors=True)
        again = FUNCTIONS + "print(compiled(6))"
        assert run(again) == "6\n"
        own, made_elsewhere = sorted(folder.iterdir()), sorted(other.iterdir())
        assert len(made_elsewhere) == 6
        assert not {p.name for p in own} & {p.name for p in made_elsewhere}  # the names alone keep them apart
        for here, there in zip(own, made_elsewhere, strict=True):
            shutil.copy(there, here)
        assert run(again) == "6\n"
        assert run(again) == "0\n"


def test_processes_at_work_on_one_cache_while_it_is_damaged(folder):
    """Two use it, a third exchanges, cuts and removes entries under their hands."""
    work = FUNCTIONS + "print(sum(compiled(12) for _ in range(12)))"
    storm = """
import os, random, select, sys
from pathlib import Path
folder, rng = Path(os.environ["LINKWRIGHT_CACHE"]), random.Random(1)
while not select.select([sys.stdin], [], [], 0.002)[0]:
    entries = list(folder.glob("*.o"))
    if len(entries) < 2:
        continue
    a, b = rng.sample(entries, 2)
    try:
        rng.choice([lambda: os.replace(a, b), lambda: os.truncate(a, 300), lambda: a.unlink(), lambda: b.rename(a)])()
    except OSError:
        pass
"""
    damaging = subprocess.Popen([sys.executable, "-c", storm], stdin=subprocess.PIPE)
    try:
        both = [start(work) for _ in range(2)]
        remade = sum(int(finish(p)) for p in both)
    finally:
        damaging.stdin.close()
        assert damaging.wait(20) == 0
    assert remade > 24  # the storm was felt


# -- places that cannot be written ------------------------------------------------------------------------------------


def mounted(options, script, place, *args):
    """Run Python with a file system of its own at the place; skip where that is not allowed."""
    place.mkdir(parents=True)
    mount = f"mount -t tmpfs -o {options} tmpfs {place}"
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("this computer lets nobody mount file systems")
    command = ["unshare", "-rm", "sh", "-c", f'{mount} && exec "$0" -c "$1" "$2"', sys.executable, script, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


TWICE = FUNCTIONS + "print(compiled(12), compiled(12), len(list(Path(sys.argv[1]).rglob('*'))))"


def test_a_folder_that_can_only_be_read(folder):
    done = mounted("ro", TWICE, folder, str(folder))
    assert done.stdout.split() == ["12", "12", "0"]
    assert done.stderr == ""


def test_a_home_that_can_only_be_read(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("LINKWRIGHT_CACHE")
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    done = mounted("ro", TWICE, home, str(home))
    assert done.stdout.split() == ["12", "12", "0"]
    assert done.stderr == ""


def test_a_full_disk(folder):
    """Of 300 kB: some entries are kept, the others are made again, and nothing is left in halves."""
    script = FUNCTIONS + (
        "Path(sys.argv[1], 'of others').write_bytes(bytes(250_000))\n"
        "first, second = compiled(40), compiled(40)\n"
        "print(first, second, len(list(Path(sys.argv[1]).glob('*.o'))), len(list(Path(sys.argv[1]).glob('*.tmp'))))"
    )
    done = mounted("size=300k", script, folder, str(folder))
    assert done.stderr == ""
    first, second, kept, halves = map(int, done.stdout.split())
    assert first == 40
    assert 0 < kept < 40
    assert second == 40 - kept
    assert halves == 0


def test_files_that_may_not_grow(folder):
    """As a full disk, where none can be mounted: the limit of a process."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    script = limited + FUNCTIONS + "print(compiled(8), compiled(8))"
    assert run(script) == "8 8\n"
    assert list(folder.iterdir()) == []


def test_a_file_in_place_of_the_folder_or_of_one_above_it(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "code"):
        assert run(FUNCTIONS + "print(compiled(4), compiled(4))", LINKWRIGHT_CACHE=str(place)) == "4 4\n"
    assert (tmp_path / "file").read_text() == "mine"
