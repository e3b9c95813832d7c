"""The names at the top: every one is there, and starting costs little."""

import subprocess
import sys

import linkwright as lw


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_every_public_name_exists():
    for name in lw.__all__:
        assert getattr(lw, name) is not None, name


def test_importing_linkwright_imports_nothing_heavy():
    loaded = run("import sys, linkwright; print(' '.join(sys.modules))").split()
    assert not {"numpy", "scipy", "llvmlite", "matplotlib"} & set(loaded)


def test_equations_is_an_analysis_whatever_was_imported_before():
    """It is also the name of a folder, which the import of any of its modules puts in the analysis's place."""
    machine = (
        "m = lw.PlanarModel('p'); b = m.body('b', mass=1.0, inertia=1.0)\n"
        "m.add(lw.Revolute('A', m.ground.at(0, 0), b.at(0, 0)))\n"
        "print(type(lw.equations(m)).__name__)"
    )
    for first in ("", "import linkwright.equations.plane\n", "lw.kinematics\n"):
        code = "import linkwright as lw\n" + first + machine
        assert run(code).strip() == "Equations"
