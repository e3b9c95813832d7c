"""Bad input of what rolls, rubs, touches and has states: told with element, cause and remedy, by program and by file."""

import pytest

import linkwright as lw

HEAD = "linkwright: 1\nmodel: {dimension}\nname: bad\n"
PLANE = HEAD.format(dimension="planar") + "gravity: [0, -10]\nbodies:\n  b: {mass: 1, inertia: 0.1, position: [0, 1]}\n"
SLIDE = "  slide: {type: Translational, P: {body: ground, at: [0, 1], angle: 0}, Q: {body: b, angle: 0}}\n"


def plane(position=(0, 1)):
    m = lw.PlanarModel("bad", gravity=(0, -10))
    return m, m.body("b", mass=1.0, inertia=0.1, position=position)


def on_slide():
    m, b = plane()
    return m, m.add(lw.Translational("slide", m.ground.at(0, 1, angle=0), b.at(0, 0, angle=0)))


def from_file(tmp_path, text):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    return lw.load(path)


def refused(element, cause, ask, kind=lw.ModelError):
    """The error that names the element, says the cause and has a remedy."""
    with pytest.raises(kind, match=cause) as caught:
        ask()
    assert caught.value.element == (element,)
    assert caught.value.remedy
    return caught.value


NEGATIVE, INVERTED = {"mu": -0.1}, {"mu": 0.3, "mu_static": 0.2}


@pytest.mark.parametrize(("kind", "law"), [
    ("Friction", NEGATIVE), ("Contact", NEGATIVE), ("soft Contact", NEGATIVE), ("Tyre", NEGATIVE),
    ("Friction", INVERTED), ("Contact", INVERTED), ("soft Contact", INVERTED),
])  # fmt: skip
def test_mu_below_zero_and_mu_static_below_mu(tmp_path, law, kind):
    cause = "mu_static is less than mu" if "mu_static" in law else "zero or more"
    given = ", ".join(f"{name}: {x}" for name, x in law.items())
    if kind == "Friction":
        m, slide = on_slide()
        refused("f", cause, lambda: m.add(lw.Friction("f", slide, **law)))
        text = PLANE + "elements:\n" + SLIDE + f"  f: {{type: Friction, joint: slide, {given}}}\n"
    elif kind == "Tyre":
        m = lw.SpatialModel("bad")
        wheel = m.body("b", mass=1.0, inertia=(1, 1, 1))
        refused("f", cause, lambda: m.add(lw.Tyre("f", wheel.at(0, 0, 0), radius=0.3, k=1e4, **law)))
        text = HEAD.format(dimension="spatial") + "bodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\nelements:\n"
        text += f"  f: {{type: Tyre, wheel: [b, 0, 0, 0], radius: 0.3, k: 1e4, {given}}}\n"
    else:
        m, b = plane()
        own = {"restitution": 0.0} if kind == "Contact" else {"k": 1e4}
        refused("f", cause, lambda: m.add(lw.Contact("f", b.at(0, 0), m.ground.at(0, 0, angle=0), **own, **law)))
        extra = "".join(f"{name}: {x}, " for name, x in own.items())
        text = PLANE + f"elements:\n  f: {{type: Contact, P: [b, 0, 0], Q: {{body: ground, angle: 0}}, {extra}{given}}}\n"
    error = refused("f", cause, lambda: from_file(tmp_path, text))
    assert "bad.yaml" in str(error)


@pytest.mark.parametrize("text", ["b.vx*b.vy", "sin(b.vx)", "sqrt(b.vx**2 + b.vy**2) - 1", "b.x*b.omega**2"])
def test_a_constraint_that_is_not_linear_in_velocities(tmp_path, text):
    m, b = plane()
    own = {"b.vx*b.vy": b.vx * b.vy, "sin(b.vx)": lw.sin(b.vx)}
    m.add(lw.Constraint("c", own.get(text, text)))
    file = PLANE + f"elements:\n  c: {{type: Constraint, quantity: {text}}}\n"
    for machine in (m, from_file(tmp_path, file)):
        for ask in (lw.check, lw.assemble, lambda n: lw.dynamics(n, t_end=0.1, steps=1)):
            refused("c", "it is not linear in velocities", lambda n=machine, f=ask: f(n))


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_contact_that_starts_penetrated(tmp_path, mu):
    """A finding of `check`, an error of `dynamics` and of `equilibrium`; with a stiffness it is pressed apart."""
    m, b = plane((0, 0.05))
    m.add(lw.Contact("c", b.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.2, 0), restitution=0.5, mu=mu))
    m.save(tmp_path / "bad.yaml")
    for machine in (m, lw.load(tmp_path / "bad.yaml")):
        [found] = [f for f in lw.check(machine).findings if f.code == "overlap"]
        assert found.elements == ("c",)
        assert "within each other by 0.15" in found.text
        assert "stiffness k" in found.remedy
        assert not lw.check(machine).ok
        run = lambda n=machine: lw.dynamics(n, t_end=0.1, steps=1)  # noqa: E731
        refused("c", "within each other by 0.15", run, lw.IntegrationError)
        refused("c", "within each other by 0.15", lambda n=machine: lw.equilibrium(n), lw.IntegrationError)


def test_a_stop_that_starts_beyond_its_end():
    m, slide = on_slide()
    m.add(lw.Stop("stop", slide.displacement, lower=0.5, restitution=0.5))
    assert [f.elements for f in lw.check(m).findings if f.code == "overlap"] == [("stop",)]
    refused(
        "stop",
        "the quantity of stop is 0.5 m beyond its end",
        lambda: lw.dynamics(m, t_end=0.1, steps=1),
        lw.IntegrationError,
    )


def test_an_axle_along_the_normal(tmp_path):
    m = lw.SpatialModel("flat", gravity=(0, 0, -10))
    disc = m.body("disc", mass=1.0, inertia=(1, 1, 2))
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    m.save(tmp_path / "bad.yaml")
    for machine in (m, lw.load(tmp_path / "bad.yaml")):
        for ask in (lw.check, lw.assemble, lambda n: lw.dynamics(n, t_end=0.1, steps=1)):
            error = refused("roll", "its disc lies flat: the axle", lambda n=machine, f=ask: f(n))
            assert "ball=True" in error.remedy


def test_an_axle_estimated_along_the_normal():
    """Above the plane the disc can be tipped so that it stands, any way as well as another: nobody meant that."""
    m = lw.SpatialModel("flat", gravity=(0, 0, -10))
    disc = m.body("disc", mass=1.0, inertia=(1, 1, 2), position=(0, 0, 0.5))
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    for ask in (lw.check, lw.assemble):
        refused("roll", "its disc lies flat: the axle", lambda f=ask: f(m))
    disc.guess(orientation=((1, 0, 0), 1.5))
    assert lw.check(m).ok


def test_an_axle_estimated_along_the_normal_that_its_joint_turns_up():
    """The axle is held level by a fork, which says how the disc stands; the estimate of its turn is the default one."""
    m = lw.SpatialModel("cart", gravity=(0, 0, -10))
    cart = m.body("cart", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.5))
    disc = m.body("disc", mass=1.0, inertia=(1, 1, 2), position=(0, 0, 0.5))
    m.add(lw.PointOnPlane("road", m.ground.at(0, 0, 0.5), cart.at(0, 0, 0)))
    m.add(lw.ParallelAxes("level", m.ground.at(0, 0, 0), cart.at(0, 0, 0)))
    m.add(lw.Revolute("axle", cart.at(0, 0, 0, rotation=((1, 0, 0), 1.5707963267948966)), disc.at(0, 0, 0)))
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    found = lw.assemble(m)
    assert found["disc.z"] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("rate", ["log(z)", "1/z", "sqrt(b.x - 1)"])
def test_a_rate_that_is_not_finite_where_it_begins(tmp_path, rate):
    """Told by every analysis that needs it; no NaN comes out."""
    start = -1.0 if rate == "log(z)" else 0.0
    m, _ = on_slide()
    m.state("s", rate, start=start)
    m.save(tmp_path / "bad.yaml")
    for machine in (m, lw.load(tmp_path / "bad.yaml")):
        [found] = [f for f in lw.check(machine).findings if f.code == "undefined"]
        assert found.elements == ("s",)
        assert found.remedy
        at = lw.assemble(machine)
        cause = "the rate of s has no finite value"
        refused("s", cause, lambda n=machine: lw.dynamics(n, t_end=0.1, steps=1), lw.IntegrationError)
        refused("s", cause, lambda n=machine, at=at: lw.linearize(n, at))
        refused("s", cause, lambda n=machine: lw.equilibrium(n))


@pytest.mark.parametrize(("rate", "end"), [("1/(1 - t)", 1.0), ("z**2", 1.0), ("1/sqrt(0.25 - t)", 0.25)])
def test_a_rate_that_ceases_to_be_finite_on_the_way(rate, end):
    m, _ = on_slide()
    m.state("s", rate, start=1.0)
    error = refused("s", "s", lambda: lw.dynamics(m, t_end=2.0, steps=4), lw.IntegrationError)
    assert error.time == pytest.approx(end, abs=1e-6)
    assert error.partial is not None


def test_a_rate_that_is_no_number(tmp_path):
    m, _ = on_slide()
    for given in (float("nan"), float("inf"), lambda z, t: float("nan")):
        refused("s", "not a finite number", lambda x=given: m.state("s", x))
    text = PLANE + "elements:\n" + SLIDE + "  s: {type: State, rate: 1e999}\n"
    refused("s", "too large for a number", lambda: from_file(tmp_path, text))


def test_the_rate_of_a_controller_is_named_by_the_controller():
    m, slide = on_slide()
    m.add(lw.PID("pid", slide, "0", kp=1.0, ki=1.0))
    m.add(lw.Force("f", slide, "log(-1 - pid.integral**2)"))
    error = refused("f", "not finite", lambda: lw.dynamics(m, t_end=0.1, steps=1), lw.IntegrationError)
    assert error.time == 0
