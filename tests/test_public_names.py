"""The names at the top: every one is there, and starting costs little."""

import ast
import subprocess
import sys
from pathlib import Path

import linkwright as lw
from linkwright import options
from linkwright.analyses.dynamics.options import CONSTRAINTS, SECOND_ORDER_CONSTRAINTS
from linkwright.analyses.matrices.equations import ROWS
from linkwright.analyses.record import ANALYSES
from linkwright.analyses.statics.equilibrium import METHODS as EQUILIBRIUM_METHODS
from linkwright.solve.methods import METHODS
from linkwright.studies.points import ANALYSES as STUDY_ANALYSES
from linkwright.system.formulations import FORMULATIONS, ON_TREES


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


def test_type_checkers_see_the_names_where_they_are():
    """The stub beside `__init__.py` has every public name, from the module that it is imported from."""
    stub = ast.parse((Path(lw.__file__).parent / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: node.module for node in imports for alias in node.names}
    homes = lw._HOME | {name: home.removesuffix(f".{name}") for name, home in lw._MODULES.items()}
    assert seen == homes
    public = next(n for n in stub.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    assert sorted(ast.literal_eval(public.value)) == sorted(lw.__all__)


def test_option_types_have_the_words_that_are_understood():
    assert set(options.words("Method")) == {"auto", *METHODS}
    assert set(options.words("Formulation")) == {*FORMULATIONS, *ON_TREES}
    assert set(options.words("AnyFormulation")) == {*FORMULATIONS, *ON_TREES, "auto"}
    assert set(options.words("Constraints")) == {*CONSTRAINTS, *SECOND_ORDER_CONSTRAINTS}
    assert set(options.words("EquilibriumMethod")) == set(EQUILIBRIUM_METHODS)
    assert set(options.words("Analysis")) == set(ANALYSES)
    assert set(options.words("StudyAnalysis")) == set(STUDY_ANALYSES)
    assert set(options.words("TextRows")) == set(ROWS)
    assert options.words("Any") == ()
