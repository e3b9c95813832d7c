"""Haug 10.4: the six-piston air compressor, against 12-digit references."""

import numpy as np
import pytest
from spatial_machines import compressor

import linkwright as lw

# (time, piston): y, ydot, yddot, for the axis as in table 10.4.1
TABLE = {
    (0.00, 1): (-0.89927924784, 0, -305.266685227), (0.00, 2): (-0.949819358786, 4.78526267719, -135.516249599),
    (0.01, 1): (-0.915005205795, -3.22758982283, -351.348309457),
    (0.01, 2): (-0.910542295105, 2.81993123551, -285.860840279),
    (0.02, 1): (-0.964862117347, -6.59079703788, -248.336307646),
    (0.02, 2): (-0.900661580122, -1.21113659415, -493.881918572),
}  # fmt: skip
DEGREES_20 = {
    0.00: (-0.931450470965, 0, -240.554042916), 0.02: (-0.977644976214, -4.26989185821, -117.420795212),
    0.03: (-1.02235238213, -4.26747144014, 118.744049761),
}  # fmt: skip
DISK = {  # p, omega', omegadot'
    0.00: ((0.965924182488, -0.258825179775, 0, 0), (0, 0, 31.4166911748), (1709.49869493, 0, 0)),
    0.01: ((0.965386990417, -0.214350399009, 0.0322100147211, 0.145066812642),
           (16.7310788989, -5.14445726408, 26.5909661963), (1583.70918889, -973.914986622, -996.472380758)),
    0.02: ((0.965682125398, -0.0854710803022, 0.0216231126662, 0.244305481145),
           (29.4145853465, -15.9007324658, 11.0358802669), (775.98175832, -838.949670176, -2068.27014296)),
}  # fmt: skip
CLOSE = {"rtol": 2e-11, "atol": 2e-10}  # 12 digits; zeros beside accelerations of 300


@pytest.fixture(scope="module")
def motion():
    return lw.kinematics(compressor(), t_eval=[0, 0.01, 0.02])


def test_pistons(motion):
    for (t, k), wanted in TABLE.items():
        at = motion.at(t)
        np.testing.assert_allclose([at[f"piston{k}.{c}"] for c in ("y", "vy", "ay")], wanted, **CLOSE)


def test_disk(motion):
    for t, (p, w, alpha) in DISK.items():
        at = motion.at(t)
        got = np.array([at[f"disk.e{k}"] for k in range(4)])
        np.testing.assert_allclose(got * np.sign(got[0]), p, **CLOSE)
        np.testing.assert_allclose([at[f"disk.w{c}"] for c in "xyz"], w, **CLOSE)
        np.testing.assert_allclose([at[f"disk.alpha{c}"] for c in "xyz"], alpha, **CLOSE)


def test_assembled_as_printed():
    """Table 10.4.5 carries the error of its penalty, 3.2e-3."""
    c = lw.assemble(compressor())
    exact = (-0.899279247840, -0.949819358786, -0.949819358786, -1.04982155886, -1.04982155886, -1.09928364798)
    book = (-0.90244, -0.95243, -0.95243, -1.05130, -1.05130, -1.10110)
    y = [c[f"piston{k}.y"] for k in range(1, 7)]
    np.testing.assert_allclose(y, exact, atol=1e-11)
    np.testing.assert_allclose(y, book, atol=3.3e-3)


def test_offset_of_20_degrees():
    beta = np.radians(20)
    k = lw.kinematics(compressor((np.cos(beta), -np.sin(beta))), t_eval=np.linspace(0, 0.1, 5001))
    for t, wanted in DEGREES_20.items():
        at = k.at(t)
        np.testing.assert_allclose([at[f"piston1.{c}"] for c in ("y", "vy", "ay")], wanted, **CLOSE)
    # 5000 samples a turn: an extremum is missed by less than (pi/5000)^2/2, some 2e-7
    y, v, a = (k[f"piston1.{c}"] for c in ("y", "vy", "ay"))
    assert y.max() - y.min() == pytest.approx(0.13680805733, rel=1e-6)
    assert np.abs(v).max() == pytest.approx(4.57379555188, rel=1e-6)
    assert k.t[v.argmax()] == pytest.approx(0.0749998, abs=2e-5)  # a step of the samples; on the way down at a quarter turn
    assert (a.min(), a.max()) == pytest.approx((-240.554043, 237.173783), rel=1e-6)


def test_stroke_grows_with_the_offset():
    strokes = []
    for degrees in (20, 30, 40):
        b = np.radians(degrees)
        y = lw.kinematics(compressor((np.cos(b), -np.sin(b))), t_end=0.1, steps=200)["piston1.y"]
        strokes.append(y.max() - y.min())
    assert strokes[0] < strokes[1] < strokes[2]


def test_freedom():
    report = lw.check(compressor(driver=None))
    assert (report.coordinates, report.equations, report.rank) == (48, 47, 47)
    assert (report.dof, report.redundant) == (1, [])
