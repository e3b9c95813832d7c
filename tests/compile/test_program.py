"""The same model gives the same program and the same bytes, whatever else the process did."""

import pytest
from processes import finish, start

from linkwright.compile import Function
from linkwright.graph import Table, hold, symbol, where

SCRIPT = """
import hashlib, sys
if sys.argv[1] == "busy":  # other symbols and the same ones in other expressions, some kept, some dropped
    from linkwright.graph import cos, exp, symbols
    u = symbols("q", 4)
    kept = [cos(u[3] * u[1]) + exp(u[0] * u[2]) for _ in range(3)]
    [symbols("w", 50) @ symbols("w", 50) for _ in range(3)]
from linkwright.compile.emit import emit_module
from linkwright.compile.function import Function
from linkwright.compile.jit import to_object
from linkwright.graph import Table, atan2, hessian_vector, jacobian, sin, symbols, where
import numpy as np
q, v = symbols("q", 4), symbols("v", 4)
table = Table.through(np.linspace(0, 3, 8), np.sin(np.arange(8.0)))
y = [sin(q[0] * q[1]) + atan2(q[2], q[3]), where(q[0] < q[3], q[1] * q[2] + q[3], table(q[0])), q[0] / (q[1] + q[2] * q[3])]
J = jacobian(y, list(q))
f = Function("model", {"q": q, "v": v}, {"y": y, "J": J.dense(), "h": hessian_vector(sum(y), list(q), list(v))})
for lanes in (1, 4):
    code = to_object(emit_module(f.program, "f", lanes))
    print(f.program.digest, len(code), hashlib.sha256(code).hexdigest())
"""


def test_the_same_bytes_in_every_process():
    runs = [("alone", "0"), ("alone", "1"), ("busy", "12345"), ("busy", "random")]
    processes = [start(SCRIPT, name, PYTHONHASHSEED=seed) for name, seed in runs]
    outputs = [finish(p) for p in processes]
    assert len(outputs[0].split()) == 6
    assert outputs == [outputs[0]] * 4


x, y = symbol("x"), symbol("y")


def digest(outputs, inputs=(x, y)):
    return Function("f", {"q": list(inputs)}, {"y": outputs}).program.digest


@pytest.mark.parametrize(
    "other",
    [[x * y + 2.0], [x * y - 1.0], [x / y + 1.0], [x * y + 1.0, x], [x * x + 1.0], [where(x < y, x * y + 1.0, 0.0)], [0.0]],
)
def test_another_program_has_another_digest(other):
    assert digest([x * y + 1.0]) != digest(other)


def test_what_the_digest_depends_on():
    assert digest([x - y]) != digest([x - y], (y, x))
    assert digest([0.0]) != digest([-0.0])
    tables = [Table.through([0, 1, 2], [0, 1, k]) for k in (2, 3)]
    assert digest([tables[0](x)]) != digest([tables[1](x)])
    assert digest([tables[0].at(x, 0)]) != digest([tables[0].at(x, 1)])
    a = Function("a", {"q": [x, y]}, {"u": [x], "v": [y]})
    b = Function("b", {"q": [x, y]}, {"u": [x, y], "v": []})
    assert a.program.digest != b.program.digest


def test_the_compiler_looks_through_hold():
    f = Function("f", {"q": [x, y]}, {"z": [hold(x * y) + 1.0, hold(hold(x * y) + 1.0)]})
    assert f.program.operations == 2
    assert f([2.0, 3.0])[0].tolist() == [7.0, 7.0]


def test_shared_subexpressions_are_computed_once():
    f = Function("f", {"q": [x, y]}, {"z": [(x + y) * (y + x), (y + x) - 1.0, (x + y) ** 2 / y]})
    assert f.program.operations == 4  # the sum, its square, less one, by y
    assert f([1.0, 2.0])[0].tolist() == [9.0, 2.0, 4.5]
