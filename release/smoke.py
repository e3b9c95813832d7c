"""Whether an installed Linkwright works: run by `release/check.sh` in environments that hold nothing of the repository.

With the word "full" also what linkwright[full] brings: tables, files and plots through other packages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import linkwright as lw


def full(d: lw.Result, folder: Path) -> None:
    """Results through every package of the extra."""
    for name in ("run.nc", "run.parquet", "run.csv"):
        d.save(folder / name)
        again = lw.load_result(folder / name)
        assert np.allclose(again["arm.omega"], d["arm.omega"], rtol=1e-12), name
    assert d.to_dataframe()["arm.omega"].iloc[-1] == d["arm.omega"][-1]
    assert float(d.to_xarray()["arm.omega"][-1]) == d["arm.omega"][-1]
    import matplotlib

    matplotlib.use("agg")
    d.plot("arm.angle")


def main() -> None:
    assert "site-packages" in lw.__file__, f"not the installed package: {lw.__file__}"
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=1 / 12, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=50)
    # released from the horizontal: omega^2 = 3 g sin(angle)/L
    assert np.allclose(d["arm.omega"] ** 2, -3 * 9.81 * np.sin(d["arm.angle"]), atol=1e-6)
    assert lw.check(m).dof == 1
    with tempfile.TemporaryDirectory() as folder:
        page, table = Path(folder, "page.html"), Path(folder, "run.csv")
        d.animate(page)
        assert page.read_text().lstrip().lower().startswith("<!doctype html>")
        command = [sys.executable, "-m", "linkwright", "run", "governor", "--out", str(table)]
        subprocess.run(command, check=True, capture_output=True)
        assert table.read_text().startswith("t [s],")
        if "full" in sys.argv[1:]:
            full(d, Path(folder))
    print(f"linkwright {lw.__version__} works: Python {sys.version.split()[0]}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
