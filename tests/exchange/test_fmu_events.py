"""What happens on the way in FMUs: laws that switch, impacts, contacts that press and part; motions from outside; exact
derivatives. Equal to `lw.dynamics`."""

import shutil

import numpy as np
import pytest

import linkwright as lw

fmpy = pytest.importorskip("fmpy", reason="FMPy runs the FMUs; it is of the dependency group `test`")
pytestmark = [
    pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"),
    pytest.mark.filterwarnings("ignore"),
]
STRUCK = ["A.angle", "A.omega", "stop.force", "A.fy", "ball.y", "ball.vy", "floor.force"]


def struck_machine():
    """A pendulum that strikes a stop and comes to rest on it, through a region of drag; a ball that bounces faster and
    faster, rests, and is lifted when a force sets in."""
    m = lw.PlanarModel("struck", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.Stop("stop", pin.angle, -0.8, 2.0, restitution=0.6))
    m.add(lw.Force("drag", pin.angle, lambda a, w, t: lw.where(a < -0.4, -0.5 * w, 0.0)))
    ball = m.body("ball", mass=2.0, inertia=0.1, position=(3, 1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.5))
    m.add(lw.Force("lift", ball.y, lambda y, v, t: lw.where(t > 2.03, 25.0, 0.0)))
    return m


@pytest.fixture(scope="module")
def struck(tmp_path_factory):
    m, folder = struck_machine(), tmp_path_factory.mktemp("struck")
    paths = {fmi: str(folder / f"m{fmi}.fmu") for fmi in (2, 3)}
    for fmi, path in paths.items():
        m.export(path, outputs=STRUCK, t_step=0.1, fmi=fmi)
    return paths, lw.dynamics(m, t_end=2.5, steps=25, rtol=1e-10)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(("kind", "within"), [("CoSimulation", 1e-7), ("ModelExchange", 1e-5)])  # CVode of FMPy, rtol 1e-9
def test_impacts_rest_and_switches(struck, fmi, kind, within):
    from fmpy.validation import validate_fmu

    paths, d = struck
    assert [n for _, n in d.events if n.endswith(("rests", "parts"))] == ["stop rests", "floor rests", "floor parts"]
    assert validate_fmu(paths[fmi]) == []
    options = {"step_size": 0.1} if kind == "CoSimulation" else {}
    r = fmpy.simulate_fmu(
        paths[fmi], stop_time=2.5, fmi_type=kind, output_interval=0.1, relative_tolerance=1e-9, **options
    )  # fmt: skip
    rows = [np.flatnonzero(np.abs(r["time"] - t) < 1e-9)[-1] for t in d.t]
    for name in STRUCK:
        np.testing.assert_allclose(r[name][rows], d[name], rtol=0, atol=within * max(1, np.abs(d[name]).max()))


def opened(path, exchange=True, fmi=2):
    """An FMU 2 of FMPy after its initialisation, references by name, and the folder it is in."""
    from fmpy.fmi2 import FMU2Model, FMU2Slave

    description = fmpy.read_model_description(path)
    where = fmpy.extract(path)
    which = description.modelExchange if exchange else description.coSimulation
    fmu = (FMU2Model if exchange else FMU2Slave)(
        guid=description.guid, unzipDirectory=where, modelIdentifier=which.modelIdentifier, instanceName="m"
    )
    fmu.instantiate()
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    return fmu, {v.name: v.valueReference for v in description.modelVariables}, where


def closed(fmu, where):
    fmu.terminate()
    fmu.freeInstance()
    shutil.rmtree(where, ignore_errors=True)


def differences(fmu, refs, known, unknown, h=1e-6):
    """Central differences of the FMU itself."""
    base = fmu.getReal([refs[known]])[0]
    out = []
    for x in (base + h, base - h):
        fmu.setReal([refs[known]], [x])
        out.append(np.array(fmu.getReal([refs[n] for n in unknown])))
    fmu.setReal([refs[known]], [base])
    return (out[0] - out[1]) / (2 * h)


def test_directional_derivatives_are_exact_also_where_contacts_press(struck):
    """Against differences of the functions themselves, good to h^2 = 1e-12 and rounding / h."""
    fmu, refs, where = opened(struck[0][2], exchange=False)
    unknown = ["der(arm.x)", "der(arm.omega)", "A.fy", "stop.force", "floor.force", "der(ball.vy)"]
    for end in (0.3, 1.9):  # in flight; both at rest
        fmu.doStep(currentCommunicationPoint=0.0 if end == 0.3 else 0.3, communicationStepSize=end if end == 0.3 else 1.6)
        for known in ("arm.angle", "arm.omega", "ball.y", "ball.vy"):
            exact = fmu.getDirectionalDerivative([refs[n] for n in unknown], [refs[known]], [1.0])
            np.testing.assert_allclose(exact, differences(fmu, refs, known, unknown), rtol=1e-6, atol=1e-6)
    assert fmu.getReal([refs["floor.force"]])[0] == pytest.approx(2 * 9.81, rel=1e-6)
    closed(fmu, where)


def test_a_state_that_was_saved_knows_what_presses(struck):
    fmu, refs, where = opened(struck[0][2], exchange=False)
    at = [refs[n] for n in ("ball.y", "A.angle", "floor.force", "stop.force")]
    fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=1.8)
    state, before = fmu.getFMUState(), fmu.getReal(at)
    fmu.doStep(currentCommunicationPoint=1.8, communicationStepSize=0.5)
    later = fmu.getReal(at)
    assert before[2] > 19
    assert later[2] == 0
    fmu.setFMUState(state)
    assert fmu.getReal(at) == before
    fmu.doStep(currentCommunicationPoint=1.8, communicationStepSize=0.5)
    assert fmu.getReal(at) == later
    closed(fmu, where)


def driven_machine(motion="0.6*sin(3*t)"):
    m = lw.PlanarModel("driven", gravity=(0, -9.81))
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0))
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, inertia=0.1, position=(0.7, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0)))
    m.add(lw.Revolute("B", crank.at(0.1, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", pin.angle, motion))
    pendulum = m.body("pendulum", mass=0.5, inertia=0.02, position=(0.7, -0.3))  # moves by itself
    m.add(lw.Revolute("D", slider.at(0, 0), pendulum.at(0, 0.3)))
    return m


def test_a_motion_from_outside(tmp_path):
    """Value, rate and acceleration of a driver at every step: as the motion itself. Between two steps it goes on with the
    acceleration that was given: which is h f''' = 0.16 off at most, its rate h^2 f''' / 2 = 8e-4. The crank and what it
    moves have 0.06 kg m^2. FMPy gives inputs in model exchange no more often, where nothing but stabilisation takes back
    what they lack: every half a millisecond, then."""
    m = driven_machine()
    outputs = ["slider.x", "pendulum.omega", "motor.torque"]
    m.export(tmp_path / "m.fmu", inputs=["motor"], outputs=outputs, t_step=0.01)
    d = lw.dynamics(m, t_end=0.5, steps=10, rtol=1e-10)
    t = np.linspace(0, 0.5, 1001)
    given = np.rec.fromarrays(
        [t, 0.6 * np.sin(3 * t), 1.8 * np.cos(3 * t), -5.4 * np.sin(3 * t)],
        names=["time", "motor", "motor.rate", "motor.acceleration"],
    )
    for kind, step, options in (("CoSimulation", 0.01, {"step_size": 0.01}), ("ModelExchange", 5e-4, {})):
        r = fmpy.simulate_fmu(
            str(tmp_path / "m.fmu"), stop_time=0.5, fmi_type=kind, output_interval=step, relative_tolerance=1e-8,
            input=given, output=outputs, **options,
        )  # fmt: skip
        rows = [np.flatnonzero(np.abs(r["time"] - t) < 1e-9)[-1] for t in d.t]
        for name, off in zip(outputs, [1e-5, 8e-4, 0.06 * 0.16], strict=True):
            np.testing.assert_allclose(r[name][rows], d[name], rtol=0, atol=off)


def test_a_motion_that_nothing_sets_goes_on_as_it_began(tmp_path):
    """The start values are those of the model's own motion, here with constant acceleration: nothing is lost."""
    m = driven_machine("0.2 + 0.5*t + 0.8*t**2")
    m.export(tmp_path / "m.fmu", inputs=["motor"], outputs=["slider.x"])
    r = fmpy.simulate_fmu(
        str(tmp_path / "m.fmu"), stop_time=0.4, output_interval=0.1, step_size=0.1, relative_tolerance=1e-9
    )
    d = lw.dynamics(m, t_end=0.4, steps=4, rtol=1e-10)
    np.testing.assert_allclose(r["slider.x"], d["slider.x"], rtol=0, atol=1e-8)


def test_several_bodies_strike_at_once(tmp_path):
    """Newton's cradle of three balls: the first one stops and the last one leaves with its speed."""
    m = lw.PlanarModel("cradle")
    balls = [m.body(f"b{k}", mass=1.0, inertia=1.0, position=(0.2 * k, 0)) for k in range(3)]
    balls[0].guess(position=(-0.3, 0), velocity=(1.0, 0))
    for k, b in enumerate(balls):
        m.add(lw.Translational(f"g{k}", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    for k in range(2):
        m.add(lw.Stop(f"s{k}", balls[k + 1].x - balls[k].x, 0.2, 5.0, restitution=1.0))
    m.export(tmp_path / "m.fmu", outputs=["b0.vx", "b1.vx", "b2.vx"])
    r = fmpy.simulate_fmu(str(tmp_path / "m.fmu"), stop_time=1.0, output_interval=0.5, step_size=0.5)
    np.testing.assert_allclose([r[f"b{k}.vx"][-1] for k in range(3)], [0, 0, 1], atol=1e-9)
    d = lw.dynamics(m, t_end=1.0, steps=2)
    np.testing.assert_allclose([d[f"b{k}.vx"][-1] for k in range(3)], [0, 0, 1], atol=1e-9)


def test_what_an_fmu_cannot_do_is_refused_by_name(tmp_path):
    m = struck_machine()
    m.add(lw.Friction("dry", m["A"], mu=0.1, radius=0.02))
    with pytest.raises(lw.ModelError, match="friction that sticks") as caught:
        m.export(tmp_path / "m.fmu")
    assert caught.value.element == ("dry",)
    m = struck_machine()
    m.add(lw.Friction("dry", m["A"], mu=0.1, radius=0.02, stick=False))
    with pytest.raises(lw.ModelError, match="does not go with impacts") as caught:
        m.export(tmp_path / "m.fmu")
    assert set(caught.value.element) == {"dry", "stop", "floor"}
    m = lw.PlanarModel("ball", gravity=(0, -9.81))
    ball = m.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), k=1e5, restitution=0.5, law="lankarani-nikravesh"))
    for suffix in ("fmu", "c"):
        with pytest.raises(lw.ModelError, match="remembers the speed") as caught:
            m.export(tmp_path / f"m.{suffix}")
        assert caught.value.element == ("floor",)
    assert not list(tmp_path.iterdir())
