"""Loads of inclined teeth on bearings against the formulas of texts on machine design; elastic teeth and backlash.

Spur, helical: radial F tan(phi_n)/cos(psi), axial F tan(psi) (Shigley, chapter 13); bevel: radial F tan(phi) cos(delta),
axial F tan(phi) sin(delta), with the tangential force F and the angle delta of the pitch cone.
"""

from math import atan2, cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.times import Times
from looped_runs import simulated

PHI, PSI, T = radians(20), radians(25), 50.0


def pair(space=False, radii=(0.1, 0.2), driven=True, loaded=True, **gear):
    """Two gears on their bearings A and B, the first driven, a torque T on the second."""
    m = lw.SpatialModel("pair") if space else lw.PlanarModel("pair")
    z, E = ((0,), abs(sum(radii))) if space else ((), abs(sum(radii)))
    inertia = (0.1, 0.1, 0.2) if space else 0.2
    a, b = m.body("a", 1.0, inertia), m.body("b", 2.0, inertia, position=(E, 0, *z))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, *z), a.at(0, 0, *z)))
    m.add(lw.Revolute("B", m.ground.at(E, 0, *z), b.at(0, 0, *z)))
    m.add(lw.Gear("mesh", a.at(0, 0, *z), b.at(0, 0, *z), radii=radii, **gear))
    if loaded:
        m.add(lw.Torque("load", b, (0, 0, T) if space else T))
    if driven:
        m.add(lw.Driver("motor", A.angle, "3*t"))
    return m


@pytest.mark.parametrize("sense", [1, -1])
def test_spur_gears_are_pushed_apart_whichever_flank_presses(sense):
    m = pair(pressure_angle="20 deg")
    m.add(lw.Torque("more", m["b"], (sense - 1) * T))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=2)
    F = T / 0.2
    assert np.allclose(i["mesh.tangential"], -sense * F, rtol=1e-12)
    assert np.allclose(i["mesh.radial"], F * tan(PHI), rtol=1e-12)
    assert np.allclose([i["A.fx"], i["B.fx"]], [[F * tan(PHI)] * 3, [-F * tan(PHI)] * 3], rtol=1e-12)  # on the shafts
    assert np.allclose([i["A.fy"], i["B.fy"]], [[sense * F] * 3, [-sense * F] * 3], rtol=1e-12)
    assert np.allclose(i["motor.torque"], sense * T / 2, rtol=1e-12)  # no part of the motion
    assert np.allclose([i["mesh.fx"], i["mesh.torque"]], [[F * tan(PHI)] * 3, [-sense * T] * 3], rtol=1e-12)


@pytest.mark.parametrize("radii", [(-0.3, 0.1), (0.1, -0.3)])
@pytest.mark.parametrize("space", [False, True])
def test_a_pinion_in_a_ring_is_pushed_off_the_teeth(radii, space):
    """Toward its own centre: the ring's centre is at 0 or at 0.2, the pinion's at the other."""
    i = lw.inverse_dynamics(pair(space, radii, pressure_angle=PHI), t_end=0.1, steps=2)
    F = T / abs(radii[1])
    assert np.allclose(np.abs(i["mesh.tangential"]), F, rtol=1e-12)
    assert np.allclose([i["A.fx"], i["B.fx"]], [[-F * tan(PHI)] * 3, [F * tan(PHI)] * 3], rtol=1e-9)


@pytest.mark.parametrize("helix", [PSI, -PSI])
def test_helical_gears(helix):
    """The right hand says where the thrust goes: on a right-handed driver along the thumb, fingers as it turns."""
    i = lw.inverse_dynamics(pair(True, pressure_angle=PHI, helix_angle=helix), t_end=0.1, steps=2)
    F = T / 0.2
    assert np.allclose(i["A.fx"], F * tan(PHI) / cos(PSI), rtol=1e-9)
    assert np.allclose(i["mesh.radial"], F * tan(PHI) / cos(PSI), rtol=1e-9)
    # the load turns b forward, which turns a back; the driver holds it: b drives, a turns against its motor's torque
    thrust = F * tan(helix)  # of the teeth on the first gear, which feels a negative torque
    assert np.allclose([i["A.fz"], i["B.fz"]], [[-thrust] * 3, [thrust] * 3], rtol=1e-9)
    assert np.allclose(i["mesh.axial"], -thrust, rtol=1e-9)
    # thrust at the pitch point tilts the shafts: the bearings bear r x F, r = (R, 0, 0)
    assert np.allclose([i["A.ty"], i["B.ty"]], [[0.1 * thrust] * 3, [0.2 * thrust] * 3], rtol=1e-9)
    assert np.allclose(i["motor.torque"], T / 2, rtol=1e-9)


def test_a_helical_gear_that_slides_turns_its_mate():
    """As a screw: a shift z along the axis turns the mate by z tan(psi)/R."""
    m = lw.SpatialModel("slide")
    a, b = m.body("a", 1.0, (1, 1, 1)), m.body("b", 1.0, (1, 1, 1), position=(0.3, 0, 0))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, 0), a.at(0, 0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(0.3, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Gear("mesh", a.at(0, 0, 0), b.at(0, 0, 0), radii=(0.1, 0.2), helix_angle=PSI))
    m.add(lw.Driver("push", rail.displacement, "0.05*t"))
    k = lw.kinematics(m, t_end=1.0, steps=4)
    assert np.allclose(k[B.angle], 0.05 * k.t * tan(PSI) / 0.2, rtol=1e-9)


@pytest.mark.parametrize("shaft_angle", [pi / 2, 1.2])
def test_bevel_gears(shaft_angle):
    """Pitch cones with their apex at the origin; the force acts where the pitch circles touch."""
    R_i, R_j = 0.1, 0.2
    h_j = np.array([sin(shaft_angle), 0, cos(shaft_angle)])
    e_i, e_j = np.array([1.0, 0, 0]), np.array([-cos(shaft_angle), 0, sin(shaft_angle)])  # toward the other gear
    delta = atan2(R_i * sin(shaft_angle), R_j + R_i * cos(shaft_angle))
    c_i, c_j = np.array([0, 0, R_i / tan(delta)]), h_j * R_j / tan(shaft_angle - delta)
    m = lw.SpatialModel("bevel")
    a, b = m.body("a", 1.0, (1, 1, 1), position=c_i), m.body("b", 1.0, (1, 1, 1), position=c_j)
    A = m.add(lw.Revolute("A", m.ground.at(*c_i), a.at(0, 0, 0)))
    m.add(lw.Revolute("B", m.ground.frame(c_j, c_j + h_j, c_j + e_j), b.frame((0, 0, 0), h_j, e_j)))
    m.add(lw.Gear("mesh", a.at(0, 0, 0), b.frame((0, 0, 0), h_j, e_j), radii=(R_i, R_j), pressure_angle=PHI))
    m.add(lw.Torque("load", b, T * h_j))
    m.add(lw.Driver("motor", A.angle, "3*t"))
    i = lw.inverse_dynamics(m, t_end=0.01, steps=1)
    F = T / R_j
    on_a = -np.array([i[f"A.f{c}"][0] for c in "xyz"])  # of the teeth, as the bearing bears it
    assert np.allclose(on_a, [-F * tan(PHI) * cos(delta), -F, F * tan(PHI) * sin(delta)], rtol=1e-9)
    on_b = -np.array([i[f"B.f{c}"][0] for c in "xyz"])
    other = shaft_angle - delta
    assert np.allclose([on_b @ h_j, on_b @ e_j], [F * tan(PHI) * sin(other), -F * tan(PHI) * cos(other)], rtol=1e-9)
    # in moments about the centres: the force at the pitch point
    pitch = c_i + R_i * e_i
    assert np.allclose(pitch, c_j + R_j * e_j)
    for name, at, force in (("A", c_i, on_a), ("B", c_j, on_b)):
        moment = np.array([i[f"{name}.t{c}"][0] for c in "xyz"])
        axis = np.array([0, 0, 1.0]) if name == "A" else h_j
        expected = -np.cross(pitch - at, force)
        assert np.allclose(moment, expected - (expected @ axis) * axis, atol=1e-9 * F)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(lw.ModelError, match="pressure_angle is 20 rad"):
        pair(pressure_angle=20)
    with pytest.raises(lw.ModelError, match="rigid teeth have no backlash"):
        pair(backlash=1e-4)
    m = lw.SpatialModel("bevel")
    a, b = m.body("a"), m.body("b")
    m.add(lw.Gear("mesh", a.at(0, 0, 0), b.frame((0, 0, 0), (1, 0, 0)), radii=(1, 1), helix_angle=0.3))
    with pytest.raises(lw.ModelError, match="bevel gears with spiral teeth"):
        lw.check(m)


def test_friction_in_bearings_feels_the_radial_load():
    """F R_b = T + mu r F/cos(phi) where friction and load both hold the second gear, which turns backward."""
    mu, r = 0.2, 0.03
    m = pair(pressure_angle=PHI)
    m.add(lw.Friction("rub", "B", mu=mu, radius=r, transition=1e-6, stick=False))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=2)
    F = T / (0.2 - mu * r / cos(PHI))
    assert np.allclose(np.abs(i["mesh.tangential"]), F, rtol=1e-9)
    assert np.allclose(i["rub.torque"], mu * r * np.abs(i["mesh.tangential"]) / cos(PHI), rtol=1e-9)


def train(n, **gear):
    """A row of gears that begins at speed, turned by a torque and held back by a spring; friction in one bearing."""
    m = lw.PlanarModel("train", gravity=(0, -9.81))
    wheels = [m.body(f"w{k}", 1.0, 0.01 + 0.001 * k, position=(0.2 * k, 0), omega=(-1) ** k * 2.0) for k in range(n)]
    pins = [m.add(lw.Revolute(f"P{k}", m.ground.at(0.2 * k, 0), w.at(0, 0))) for k, w in enumerate(wheels)]
    for k in range(n - 1):
        m.add(lw.Gear(f"G{k}", wheels[k].at(0, 0), wheels[k + 1].at(0, 0), radii=(0.1, 0.1), **gear))
    m.add(lw.Torque("drive", wheels[0], "1 + cos(20*t)"))
    m.add(lw.TorsionSpring("coil", pins[-1], k=2.0))
    m.add(lw.Friction("rub", pins[1], mu=0.2, radius=0.02, transition=0.05, stick=False))
    return m


def test_loads_in_loops_and_in_all_forms():
    m = train(4, pressure_angle=PHI)
    whole = lw.dynamics(m, 0.3, 6, rtol=1e-10, formulation="newton-euler")
    span = Options(Times.of(0.3, 6, 0.0, None), rtol=1e-10, atol=1e-12, formulation="newton-euler")
    others = [simulated(m, span), lw.dynamics(m, 0.3, 6, rtol=1e-10, formulation="joint"),
              lw.dynamics(m, 0.3, 6, rtol=1e-8, method="radau")]  # fmt: skip
    assert whole.audit.energy_error < 1e-8
    for d, tolerance in zip(others, (1e-8, 1e-8, 1e-6), strict=True):
        for name in ("w0.omega", "P1.fx", "P2.fx", "G1.fx", "G1.tangential", "rub.torque"):
            assert np.allclose(d[name], whole[name], rtol=0, atol=tolerance * (1 + np.abs(whole[name]).max())), name
    between = whole["G0.radial"] - whole["G1.radial"]  # what the bearing in the middle bears
    assert np.allclose(whole["P1.fx"], -between, atol=1e-9 * np.abs(between).max())


def test_equilibrium_tells_the_loads_and_refuses_gears_that_nothing_keeps_together():
    m = pair(driven=False, pressure_angle=PHI)
    m.add(lw.TorsionSpring("coil", m["A"], k=200.0))
    e = lw.equilibrium(m)
    assert abs(e["A.fx"] - T / 0.2 * tan(PHI)) < 1e-6
    m = lw.PlanarModel("loose")
    a, b = m.body("a", 1.0, 1.0), m.body("b", 1.0, 1.0, position=(0.3, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Bushing("B", m.ground.at(0.3, 0), b.at(0, 0), k=(1e5, 1e5, 0)))
    m.add(lw.Gear("mesh", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2), pressure_angle=PHI))
    m.add(lw.Torque("load", b, T))
    m.add(lw.TorsionSpring("coil", A, k=200.0))
    with pytest.raises(lw.ModelError, match="pushes them apart") as error:
        lw.equilibrium(m)
    assert error.value.element == ("mesh",)


@pytest.mark.parametrize("space", [False, True])
def test_elastic_teeth(space):
    """Two inertias on a spring along the pitch line; the bearings bear what rigid gears would load them with."""
    k, J = 1e6, 0.2
    gear = {"pressure_angle": PHI, "k": k, **({"helix_angle": PSI} if space else {})}
    lin = lw.linearize(pair(space, driven=False, loaded=False, **gear))
    assert np.allclose(lin.frequencies[-1], sqrt(k * (0.1**2 + 0.2**2) / J) / (2 * pi), rtol=1e-6)
    m = pair(space, driven=False, **gear)
    m.add(lw.TorsionSpring("coil", m["A"], k=200.0))
    e = lw.equilibrium(m)
    F = T / 0.2
    slip = 0.1 * e["A.angle"] + 0.2 * e["B.angle"]
    assert abs(slip - F / k) < 1e-6 * F / k
    radial = F * tan(PHI) / (cos(PSI) if space else 1)
    assert np.allclose([e["A.fx"], e["mesh.fx"]], radial, rtol=1e-4)  # the line of centres is as it was to slip/E
    if space:
        assert np.allclose([e["B.fz"], -e["mesh.axial"]], -e["A.fz"], rtol=1e-6)
        assert abs(abs(e["B.fz"]) - F * tan(PSI)) < 1e-4 * F


def test_backlash():
    """The second gear turns freely through the play, then is carried along; in play nothing presses."""
    m = lw.PlanarModel("play")
    a, b = m.body("a", 1.0, 0.1, omega=1.0), m.body("b", 1.0, 0.3, position=(0.3, 0))
    m.fix(a.omega, 1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.3, 0), b.at(0, 0)))
    m.add(lw.Gear("mesh", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2), pressure_angle=PHI, k=1e5, backlash=0.02))
    d = lw.dynamics(m, t_end=0.3, steps=300, rtol=1e-9)
    assert d.audit.switches == 2
    free = d.t < 0.1 - 1e-9  # 10 mm at 0.1 m/s
    assert not d["mesh.tangential"][free].any()
    assert np.allclose(d["A.omega"][free], 1.0)
    assert abs(d["mesh.tangential"][~free][1]) > 1
    # an elastic blow between reduced masses J/R^2 = 10 and 7.5, at 0.1 m/s
    after = d.t > 0.2  # half a period of sqrt(k (1/10 + 1/7.5)) is 21 ms
    u_a = (10 - 7.5) / (10 + 7.5) * 0.1
    assert np.allclose(d["A.omega"][after][:5], u_a / 0.1, rtol=1e-6)
    assert d.audit.energy_error < 1e-8


def test_files_and_large_machines_take_elastic_teeth():
    m = train(4, pressure_angle=PHI, k=1e4, c=2.0, backlash=1e-5)
    whole = lw.dynamics(m, 0.05, 4, rtol=1e-10, formulation="newton-euler")
    loops = simulated(m, Options(Times.of(0.05, 4, 0.0, None), rtol=1e-10, atol=1e-12, formulation="newton-euler"))
    assert list(loops.channels) == list(whole.channels)
    for name in ("w3.omega", "P1.fx", "G1.fx", "G1.torque"):
        assert np.allclose(loops[name], whole[name], rtol=0, atol=1e-6 * (1 + np.abs(whole[name]).max())), name
    assert whole.audit.energy_error < 1e-7


def rack_and_pinion(radius=0.1, sense=1, **more):
    """A rack on a slide along x, a pinion above it (below: a negative radius) on a bearing; a torque on the pinion."""
    m = lw.SpatialModel("rack")
    rack = m.body("rack", 3.0, (0.1, 0.1, 0.1))
    pinion = m.body("pinion", 1.0, (0.01, 0.01, 0.02), position=(0, radius, 0))
    along = ((0, 1, 0), pi / 2)  # z along x
    slide = m.add(lw.Translational("slide", m.ground.at(0, 0, 0, rotation=along), rack.at(0, 0, 0, rotation=along)))
    m.add(lw.Revolute("bearing", m.ground.at(0, radius, 0), pinion.at(0, 0, 0)))
    m.add(lw.RackPinion("mesh", rack.at(0, 0, 0), pinion.at(0, 0, 0), radius=radius, **more))
    m.add(lw.Torque("load", pinion, (0, 0, sense * T)))
    return m, slide


@pytest.mark.parametrize("radius", [0.1, -0.1])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_pinion_is_pushed_off_its_rack_whichever_flank_presses(radius, sense):
    """Along the rack T/R, off it T/R tan(phi), into the bearing; the motion is that without."""
    m, slide = rack_and_pinion(radius, sense, pressure_angle="20 deg")
    m.add(lw.Driver("hold", slide.displacement, "0.1*t"))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=2)
    F = T / abs(radius)
    assert np.allclose(i["mesh.radial"], F * tan(PHI), rtol=1e-12)
    assert np.allclose(np.abs(i["mesh.tangential"]), F, rtol=1e-12)
    assert np.allclose(i["bearing.fy"], -np.sign(radius) * F * tan(PHI), rtol=1e-12)  # on the pinion, back to the rack
    assert np.allclose(i["bearing.fx"], -i["mesh.tangential"], rtol=1e-12)
    assert np.allclose(i["slide.fy"], np.sign(radius) * F * tan(PHI), rtol=1e-12)  # the slide bears the other end
    assert np.allclose(i["mesh.fy"], np.sign(radius) * F * tan(PHI), rtol=1e-12)
    assert np.allclose(np.abs(i["hold.force"]), F, rtol=1e-12)


def test_racks_in_motion_in_all_forms_and_in_files(tmp_path):
    """(m + J/R^2) a = T/R; the tangential force is what moves the rack, and friction in the slide feels the push."""
    m, slide = rack_and_pinion(pressure_angle=PHI)
    m.add(lw.Friction("rub", slide, mu=0.1, stick=False, transition=1e-6))
    m.add(lw.Force("start", slide, 0.0))
    m.save(tmp_path / "rack.yaml")
    runs = [lw.dynamics(x, 0.2, 4, rtol=1e-9, **o) for x, o in (
        (m, {"formulation": "newton-euler"}), (m, {"formulation": "joint"}), (lw.load(tmp_path / "rack.yaml"), {}),
    )]  # fmt: skip
    looped = simulated(m, Options(Times.of(0.2, 4, 0.0, None), rtol=1e-9, atol=1e-11, formulation="newton-euler"))
    # F = T/R - J a/R^2 along the rack, mu F tan(phi) against it
    ratio = 1 - 0.1 * tan(PHI)
    a = ratio * T / 0.1 / (3 + ratio * 0.02 / 0.01)
    for d in (*runs, looped):
        assert np.abs(d["rack.vx"][-1]) == pytest.approx(a * 0.2, rel=1e-5)  # friction is smooth below 1e-6 m/s
        assert np.abs(d["mesh.radial"][-1]) == pytest.approx((T / 0.1 - 2 * a) * tan(PHI), rel=1e-5)


def test_racks_that_make_no_sense_are_refused():
    with pytest.raises(lw.ModelError, match="its pressure_angle is 20 rad"):
        rack_and_pinion(pressure_angle=20)
    m = lw.PlanarModel("plane")
    pinion = m.body("pinion", position=(0, 0.1))
    with pytest.raises(lw.ModelError, match="the pair keeps the distance itself") as error:
        m.add(lw.RackPinion("rack", m.ground.at(0, 0, angle=0), pinion.at(0, 0), radius=0.1, pressure_angle=PHI))
    assert error.value.element == ("rack",)
