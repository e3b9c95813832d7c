"""Random machines through files and back, and as C: the same machine each time."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.exchange.test_c_export import Compiled, cc
from tests.exchange.test_round_trips import random_tree, same_motion

import linkwright as lw

KINDS = (lw.Revolute, lw.Translational, lw.Fixed)
few = settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@few
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 5), form=st.sampled_from(["urdf", "xml"]))
def test_trees_come_back_from_files(seed, count, form):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, KINDS, count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"tree.{form}"
        m.save(path)
        again = lw.load(path)
        same_motion(m, again, rng)
        again.save(path)  # and once more: nothing creeps in
        same_motion(m, lw.load(path), rng)


@pytest.mark.skipif(cc is None, reason="there is no C compiler")
@settings(few, max_examples=2)
@given(seed=st.integers(0, 2**32 - 1))
def test_rates_in_c_are_those_of_dynamics(seed):
    """Accelerations at the start, from a random state that the joints allow: both are right to rounding."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, (lw.Revolute, lw.Translational), 2)
    for joint in ("J0", "J1"):
        speed = m[joint].omega if isinstance(m[joint], lw.Revolute) else m[joint].velocity
        m.fix(speed, float(rng.normal()))
    d = lw.dynamics(m, t_end=1e-4, steps=1)
    with tempfile.TemporaryDirectory() as folder:
        c = Compiled(m, Path(folder))
        rates = dict(zip(c.names, c("rates", 0.0, c.y0, c.ny), strict=True))
    for b in ("b0", "b1"):
        for x in "xyz":
            assert rates[f"{b}.v{x}"] == pytest.approx(d[f"{b}.a{x}"][0], rel=1e-8, abs=1e-8)


@pytest.mark.skipif(cc is None, reason="there is no C compiler")
@pytest.mark.filterwarnings("ignore")
@settings(few, max_examples=2)
@given(seed=st.integers(0, 2**32 - 1), fmi=st.sampled_from([2, 3]))
def test_fmus_move_as_dynamics(seed, fmi):
    """From a random start that the joints allow; co-simulation in its own steps, model exchange by FMPy's CVode."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy runs the FMUs; it is of the dependency group `test`")
    rng = np.random.default_rng(seed)
    m, end = lw.PlanarModel("chain", gravity=rng.uniform(-10, 10, 2)), None
    for k in range(2):  # in the plane: C of it is compiled in a second
        b = m.body(f"b{k}", *rng.uniform(0.5, 2, 2), com=rng.normal(size=2), position=rng.normal(size=2))
        ends = [x.at(*rng.normal(size=2), angle=rng.uniform(-3, 3)) for x in (end or m.ground, b)]
        joint = m.add((lw.Revolute, lw.Translational)[rng.integers(2)](f"J{k}", *ends))
        m.fix(joint.omega if isinstance(joint, lw.Revolute) else joint.velocity, float(rng.normal()))
        end = b
    outputs = [f"{b}.{x}" for b in ("b0", "b1") for x in ("x", "y", "angle", "vx")]
    d = lw.dynamics(m, t_end=0.2, steps=4, rtol=1e-11)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "m.fmu")
        m.export(path, outputs=outputs, t_step=0.05, fmi=fmi)
        # co-simulation has our tolerance of 1e-8; in model exchange constraints are stabilised, not projected
        for kind, within, options in (("CoSimulation", 1e-7, {"step_size": 0.05}), ("ModelExchange", 1e-5, {})):
            r = fmpy.simulate_fmu(
                path, stop_time=0.2, fmi_type=kind, output_interval=0.05, relative_tolerance=1e-9, **options
            )  # fmt: skip
            for name in outputs:
                np.testing.assert_allclose(r[name], d[name], rtol=0, atol=within * max(1, np.abs(d[name]).max()))
