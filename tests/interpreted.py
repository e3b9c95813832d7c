"""Programs without a compiler: the oracle of what makes them shorter or orders them anew."""

import numpy as np

from linkwright.graph.arithmetic import NUMPY


def evaluated(program, *arrays):
    """By numpy, instruction after instruction: a row of each output array."""
    values = []
    for i in program.instructions:
        if i.op == "const":
            values.append(i.data)
        elif i.op == "input":
            values.append(arrays[i.data[0]][i.data[1]])
        elif i.op == "fma":
            values.append(values[i.args[0]] * values[i.args[1]] + values[i.args[2]])
        else:
            values.append(NUMPY[i.op](*[values[a] for a in i.args]))
    return [np.array([values[k] for k in out], dtype=float) for out in program.outputs]
