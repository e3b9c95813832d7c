"""Haug 10.3: the spatial four-bar in both its models, against 12-digit references."""

import numpy as np
import pytest
from spatial_machines import four_bar, short_four_bar

import linkwright as lw

CLOSE = {"rtol": 2e-11, "atol": 3e-11}  # the references have 12 digits, lengths are of order 10
TIMES = [0, 0.25, 0.5]
# z, zdot, zddot of link 3
Z3 = {
    "explicit": [
        (3.26236543783, -2.81807373282, -1.83289008758), (2.67035812056, -1.25663860082, 14.3743045953),
        (2.94536918049, 3.51760202432, 12.8793823444),
    ],
    "composite": [
        (3.26877774968, -2.79837362516, -1.86467041398), (2.68124128936, -1.24005082704, 14.3482246481),
        (2.95689705312, 3.49365719781, 12.6074944758),
    ],
}  # fmt: skip
THREE = {
    "x y z": [(-5.74555771891, -8.5, 3.26236543783), (-6.56109107764, -8.5, 2.67035812056)],
    "e0 e1 e2 e3": [
        (0.606583126303, -0.363396355078, 0.363396355078, -0.606583126303),
        (0.650420398231, -0.277404588219, 0.277404588219, -0.650420398231),
    ],
    "vx vy vz": [(-5.26684752247, 0, -2.81807373282), (-1.31025215058, 0, -1.25663860082)],
    "wx wy wz": [(1.61442598104, 0, 0), (0.490665330799, 0, 0)],
    "ax ay az": [(17.0155731854, 0, -1.83289008758), (16.2744865415, 0, 14.3743045953)],
    "alphax alphay alphaz": [(-3.8211543042, 0, 0), (-5.86359463407, 0, 0)],
}
TWO = {
    "x y z": [(-3.74555771891, -4.25, 4.26236543783), (-4.56109107764, -4.95710678119, 3.37746490174)],
    "e0 e1 e2 e3": [
        (0.918634782277, -0.176603349292, 0.0668639852933, -0.347059939032),
        (0.854970715806, -0.058762787609, 0.2437748113, -0.454032874672),
    ],
    "vx vy vz": [(-5.26684752247, -3.14159265359, -2.81807373282), (-1.31025215058, -2.22144146908, -3.4780800699)],
    "wx wy wz": [
        (0.497737632456, 1.93033869813, -0.988136005969), (0.00674507672282, 1.63181922456, -0.451362253664),
    ],
    "ax ay az": [(17.0155731854, 0, -11.7024944887), (16.2744865415, 6.97886419964, 7.3954403957)],
    "alphax alphay alphaz": [
        (-0.0007093016346, -0.560134047959, 3.05297256149), (-3.71652934445, -2.94966483342, 0.910524429291),
    ],
}  # fmt: skip


def columns(result, body, names):
    return np.array([result[f"{body}.{c}"] for c in names.split()]).T


@pytest.mark.parametrize(("machine", "wanted"), [(four_bar, Z3["explicit"]), (short_four_bar, Z3["composite"])])
def test_rocker(machine, wanted):
    k = lw.kinematics(machine(), t_eval=TIMES)
    np.testing.assert_allclose(columns(k, "three", "z vz az"), wanted, **CLOSE)


def test_models_agree_for_one_length():
    """12.19 in one table, 2 x 6.1 in the other: with the same length the two models move alike."""
    a, b = (lw.kinematics(m, t_end=2, steps=200) for m in (four_bar(), short_four_bar(12.2)))
    for c in ("x", "z", "vz", "az", "wx", "alphax"):
        np.testing.assert_allclose(a[f"three.{c}"], b[f"three.{c}"], rtol=1e-10, atol=1e-10)


def test_links():
    k = lw.kinematics(four_bar(), t_eval=TIMES[:2])
    for body, table in (("two", TWO), ("three", THREE)):
        for names, wanted in table.items():
            got = columns(k, body, names)
            if names.startswith("e0"):
                got *= np.sign(got[:, :1])
            np.testing.assert_allclose(got, wanted, err_msg=f"{body} {names}", **CLOSE)


@pytest.mark.parametrize(("machine", "bodies"), [(four_bar, 3), (short_four_bar, 2)])
def test_freedom(machine, bodies):
    report = lw.check(machine(driver=None))
    assert (report.equations, report.rank, report.dof) == (6 * bodies - 1, 6 * bodies - 1, 1)
    assert report.redundant == []


def test_assembled_as_printed():
    """Table 10.3.6, five digits of a penalty method."""
    c = lw.assemble(four_bar(driver="0"))
    book = {"three.x": -5.75300, "three.y": -8.50010, "three.z": 3.25530, "three.e0": 0.60687, "three.e1": -0.36245,
            "three.e2": 0.36247, "three.e3": -0.60684, "two.x": -3.75300, "two.y": -4.25020, "two.z": 4.25530}  # fmt: skip
    np.testing.assert_allclose([c[n] for n in book], list(book.values()), atol=1e-2)


def test_close_to_lock_up():
    """The smallest singular value of the velocity matrix over a cycle is 0.033 at t = 0.435: the motion goes on."""
    k = lw.kinematics(four_bar(), t_end=4, steps=800)
    np.testing.assert_allclose(k["three.z"][:401], k["three.z"][400:], atol=1e-10)  # two turns, twice the same
    assert k.audit.position_error < 1e-11
