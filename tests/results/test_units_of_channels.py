"""Units follow from the names of channels."""

import pytest

from linkwright.model.channel_units import labelled, unit_of


@pytest.mark.parametrize(
    ("channel", "unit"),
    [
        ("slider.x", "m"), ("crank.angle", "rad"), ("crank.omega", "rad/s"), ("rod.wz", "rad/s"), ("rod.e0", "1"),
        ("A.fx", "N"), ("A.torque", "N m"), ("A.tx", "N m"), ("motor.force", "N"), ("guide.displacement", "m"),
        ("rod.ay", "m/s^2"), ("rod.alphaz", "rad/s^2"), ("energy.kinetic", "J"), ("violation.velocity", ""),
        ("distance(crank(0.1, 0), ground(1, 0))", "m"), ("angle(a.x, b.x)", "rad"), ("something", ""),
        ("joint.angle_i", "rad"),
        ("plate.displacement_x", "m"),
        ("rub.torque_j", "N m"), ("pad.friction", "N"), ("box.friction_x_3", "N"), ("teeth.force_12", "N"),
        ("belt.tension_2", "N"), ("rope.wrap_1", "rad"), ("ball.impact_speed_2", "m/s"),
    ],
)  # fmt: skip
def test_units(channel: str, unit: str) -> None:
    assert unit_of(channel) == unit


def test_alpha_of_a_body_is_an_acceleration_and_of_a_cam_a_parameter() -> None:
    among = {"crank.x", "crank.alpha", "cam.alpha"}
    assert unit_of("crank.alpha", among) == "rad/s^2"
    assert unit_of("cam.alpha", among) == "1"


def test_labels() -> None:
    assert labelled("slider.x", "m") == "slider.x [m]"
    assert labelled("rod.e0", "1") == "rod.e0"
