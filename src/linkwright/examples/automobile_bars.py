"""The automobile with stabiliser bars (Haug 1989, section 12.5, model 2): in the same lane change it rolls half as much."""

import linkwright as lw
from linkwright.examples import automobile

STANDING: automobile.Places = {
    "chassis": (0, 0, 0.5436674895, -0.0026503331, 0, 0),
    "rack": (0, 1.265495511, 0.1621541842, -0.0026503331, 0, 0),
    "front": (0.6016467399, 1.178775003, 0.3437289425, -0.0006682161, -0.0034320693, -6.33722e-05),
    "rear": (0.5800268383, -1.289109959, 0.2622513768, -0.0106339599, -0.0021392306, 5.6697e-06),
    "front bar": (0, 1.059255493, 0.2117480865, 0.00126672, 0, 0),
    "rear bar": (0, -1.408441234, 0.3698306979, -0.0303960532, 0, 0),
}


def build() -> lw.SpatialModel:
    return automobile.build(STANDING, bars=True)
