"""Whether an installed Linkwright works: run by `release/check.sh` in environments that hold nothing of the repository."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import linkwright as lw


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
    print(f"linkwright {lw.__version__} works: Python {sys.version.split()[0]}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
