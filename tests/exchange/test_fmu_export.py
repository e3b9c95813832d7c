"""FMUs: valid, and equal to `lw.dynamics`, in both versions and both kinds."""

import shutil

import numpy as np
import pytest
from scipy.linalg import expm
from tests.exchange.test_c_export import slider_crank

import linkwright as lw

fmpy = pytest.importorskip("fmpy", reason="FMPy runs the FMUs; it is of the dependency group `test`")
pytestmark = [
    pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"),
    pytest.mark.filterwarnings("ignore"),
]
OUTPUTS = ["slider.x", "crank.omega", "A.fx"]


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The FMUs of both versions, and the motion."""
    folder, m = tmp_path_factory.mktemp("fmu"), slider_crank()
    paths = {}
    for fmi in (2, 3):
        paths[fmi] = str(folder / f"m{fmi}.fmu")
        m.export(paths[fmi], inputs=["gas"], outputs=OUTPUTS, t_step=0.05, fmi=fmi)
    return paths, m.without("gas")


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(("kind", "within"), [("CoSimulation", 1e-7), ("ModelExchange", 1e-4)])  # CVode of FMPy, rtol 1e-9
def test_it_is_valid_and_moves_as_dynamics(machine, fmi, kind, within):
    from fmpy.validation import validate_fmu

    paths, m = machine
    assert validate_fmu(paths[fmi]) == []
    m = m.copy()
    force = m.parameter("F", 3.0)
    m.add(lw.Force("gas", m["slider"].x, force))
    d = lw.dynamics(m, t_end=0.5, steps=10, rtol=1e-11)
    options = {"step_size": 0.05} if kind == "CoSimulation" else {}
    r = fmpy.simulate_fmu(
        paths[fmi],
        stop_time=0.5,
        fmi_type=kind,
        output_interval=0.05,
        relative_tolerance=1e-9,
        start_values={"gas": 3.0},
        **options,
    )
    assert set(OUTPUTS) <= set(r.dtype.names)
    np.testing.assert_allclose(r["time"], d.t, atol=1e-12)
    for name in OUTPUTS:
        np.testing.assert_allclose(r[name], d[name], rtol=0, atol=within * max(1, np.abs(d[name]).max()))


def test_the_voltage_of_a_motor_is_an_input(tmp_path):
    """J w' = k i, L i' = u - R i - k w, of a voltage that is reversed on the way: the exponential of the matrix."""
    J, k, R, L = 0.2, 0.5, 2.0, 0.1
    m = lw.SpatialModel("disc")
    disc = m.body("disc", mass=1.0, inertia=(1.0, 1.0, J))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), disc.at(0, 0, 0)))
    m.add(lw.Motor("motor", pin, voltage=1.0, k=k, resistance=R, inductance=L))
    m.export(tmp_path / "disc.fmu", inputs=["motor"], outputs=["pin.omega", "motor.current"], t_step=0.1, fmi=3)
    u = np.array([(0.0, 12.0), (0.3, 12.0), (0.3, -6.0), (0.6, -6.0)], dtype=[("time", float), ("motor", float)])
    r = fmpy.simulate_fmu(str(tmp_path / "disc.fmu"), stop_time=0.6, output_interval=0.1, step_size=0.1, input=u)
    A, x = np.array([[0, k / J], [-k / L, -R / L]]), np.zeros(2)
    for volts in (12.0, -6.0):
        rest = np.linalg.solve(-A, [0, volts / L])
        x = rest + expm(0.3 * A) @ (x - rest)
    np.testing.assert_allclose([r["pin.omega"][-1], r["motor.current"][-1]], x, rtol=1e-6)


def test_parameters_close_the_machine_anew(machine):
    """A longer crank: its middle is r/2 from the pin, and stays there."""
    r = fmpy.simulate_fmu(
        machine[0][2], stop_time=0.2, output_interval=0.1, step_size=0.1, start_values={"r": 0.24},
        output=["crank.x", "crank.y", "slider.y", "r"],
    )  # fmt: skip
    np.testing.assert_allclose(np.hypot(r["crank.x"], r["crank.y"]), 0.12, rtol=1e-11)
    np.testing.assert_allclose(r["slider.y"], 0, atol=1e-12)
    assert r["r"][0] == 0.24


def test_states_are_saved_and_instances_are_apart(machine):
    from fmpy.fmi2 import FMU2Slave

    paths, _ = machine
    description = fmpy.read_model_description(paths[2])
    where = fmpy.extract(paths[2])
    refs = {v.name: v.valueReference for v in description.modelVariables}

    def made(name):
        fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=where,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        fmu.instantiate()
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        return fmu

    one, two = made("one"), made("two")
    two.setReal([refs["gas"]], [50.0])
    for fmu in (one, two):
        fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.1)
    at = [refs["slider.x"], refs["crank.omega"]]
    first, other = one.getReal(at), two.getReal(at)
    assert abs(first[1] - other[1]) > 1e-2
    state = one.getFMUState()
    kept = one.serializeFMUState(state)
    one.doStep(currentCommunicationPoint=0.1, communicationStepSize=0.1)
    later = one.getReal(at)
    one.setFMUState(state)
    assert one.getReal(at) == first
    one.doStep(currentCommunicationPoint=0.1, communicationStepSize=0.1)
    assert one.getReal(at) == later
    two.setFMUState(two.deserializeFMUState(kept))
    assert two.getReal(at) == first
    one.reset()
    assert one.getReal([refs["slider.x"]]) == [pytest.approx(0.7, abs=1e-12)]
    for fmu in (one, two):
        fmu.terminate()
        fmu.freeInstance()
    shutil.rmtree(where, ignore_errors=True)
