"""Andrews' squeezing mechanism (IVP test set; IFToMM benchmark A03): seven bodies that move within hundredths of a second.

A constant torque turns the crank; the spring works against it. Data and start are those of the test set.
"""

from math import cos, sin

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("Andrews' squeezer")
    beta, gamma, phi = -0.0617138900142765, 0.45527981916307, 0.222668390165886
    delta, epsilon = 0.487364979543843, 1.23054744454982
    A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
    F = (0.007 * cos(beta), 0.007 * sin(beta))
    G = (A[0] + 0.04 * cos(delta), A[1] + 0.04 * sin(delta))
    H = (A[0] + 0.04 * sin(epsilon), A[1] - 0.04 * cos(epsilon))
    b1 = m.body("OF", 0.04325, 2.194e-6, com=(0.00092, 0), angle=beta)
    b2 = m.body("FE", 0.00365, 4.410e-7, com=(-0.0115, 0), position=F, angle=beta)
    b3 = m.body("BDE", 0.02373, 5.255e-6, com=(0.01043, -0.01874), position=B, angle=gamma)
    b5 = m.body("AG", 0.07050, 1.169e-5, com=(0.02308, 0.00916), position=A, angle=delta)
    b4 = m.body("GE", 0.00706, 5.667e-7, com=(0, -0.00579), position=G, angle=phi + delta)
    b7 = m.body("AH", 0.05498, 1.912e-5, com=(-0.00449, -0.01228), position=A, angle=epsilon)
    b6 = m.body("HE", 0.00706, 5.667e-7, com=(0.00579, 0), position=H, angle=epsilon - phi)
    E = b3.at(0, -0.035)
    for name, P, Q in [
        ("O", m.ground.at(0, 0), b1.at(0, 0)), ("F", b1.at(0.007, 0), b2.at(0, 0)), ("B", m.ground.at(*B), b3.at(0, 0)),
        ("A5", m.ground.at(*A), b5.at(0, 0)), ("G", b5.at(0.04, 0), b4.at(0, 0)), ("A7", m.ground.at(*A), b7.at(0, 0)),
        ("H", b7.at(0, -0.04), b6.at(0, 0)), ("E2", E, b2.at(-0.028, 0)), ("E4", E, b4.at(0, -0.02)),
        ("E6", E, b6.at(0.02, 0)),
    ]:  # fmt: skip
        m.add(lw.Revolute(name, P, Q))
    m.add(lw.Spring("spring", m.ground.at(*C), b3.at(0.02, -0.018), k=4530, length=0.07785))
    m.add(lw.Torque("drive", b1, 0.033))
    m.fix(b1.angle, beta)
    return m
