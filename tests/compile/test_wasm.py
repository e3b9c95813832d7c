"""WebAssembly: the same functions and the same loops in a browser as here, to rounding."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import linkwright as lw
from compile.wasm_machine import Web
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.whole.charts import arguments, motion_jacobian
from linkwright.analyses.dynamics.whole.flows import derivative_of
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Run
from linkwright.compile import Array, Code, Function, Ints, Pointers, f64, i64, jit, native, power
from linkwright.compile.emit import emit_module
from linkwright.compile.program import Instruction, Program
from linkwright.compile.wasm import encoded, unfused
from linkwright.graph import Expr, Table, functions, gradient, symbols, where
from linkwright.solve import path
from linkwright.solve import stepping as s
from linkwright.solve.blocks import Blocks
from linkwright.solve.integrate import Control, Events, Integrator
from linkwright.solve.motion_derivative import motion_derivative
from linkwright.system.motion import Flow
from loaded_machines import random_machine

EPSILON = 2.0**-52


def of_one(f, **tables):
    x, *_ = q = symbols("q", 1)
    return Function("f", {"q": q}, {"z": [f(x)]}).program


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("sin", -1e4, 1e4), ("cos", -1e4, 1e4), ("tan", -1e3, 1e3), ("asin", -1, 1), ("acos", -1, 1), ("atan", -50, 50),
        ("exp", -700, 700), ("log", 1e-9, 1e9), ("sinh", -20, 20), ("cosh", -20, 20), ("tanh", -3, 3), ("asinh", -9, 9),
        ("acosh", 1, 9), ("atanh", -1, 1), ("sin", -1e6, 1e6),
    ],
)  # fmt: skip
def test_kernels_without_fma(name, low, high):
    """To a unit in the last place; half a unit more where tanh rounds products twice, and two units for angles beyond 1e4,
    as `unfused` says of its reduction."""
    most = {("tanh", 3): 1.5, ("sin", 1e6): 2.0}.get((name, high), 1.0)
    at = np.random.default_rng(0).uniform(low, high, 200)
    web = Web({"f": of_one(getattr(functions, name))})
    with mpmath.workprec(120):
        for x in at:
            exact = getattr(mpmath, name)(mpmath.mpf(float(x)))
            error = abs(mpmath.mpf(float(web("f", [x])[0][0])) - exact)
            assert error <= most * math.ulp(float(exact)), x


def test_both_kinds_of_fma():
    """`fma` rounds once, so that what is left of a product beside it is exact; `mul_add` is a product and a sum."""
    inputs = [Instruction("input", (), (0, k)) for k in range(3)]
    web = Web({op: Program((*inputs, Instruction(op, (0, 1, 2))), ((3,),), (3,), ()) for op in ("fma", "mul_add")})
    rng = np.random.default_rng(4)
    for a, b in rng.normal(size=(200, 2)) * 10.0 ** rng.integers(-9, 9, (200, 2)):
        a, b = float(a), float(b)
        rest = Fraction(a) * Fraction(b) - Fraction(a * b)
        assert web("fma", [a, b, -a * b])[0][0] == float(rest)
        assert web("mul_add", [a, b, -a * b])[0][0] == 0.0
        c = float(rng.normal()) * a * b
        exact = float(Fraction(a) * Fraction(b) + Fraction(c))
        assert abs(web("fma", [a, b, c])[0][0] - exact) <= math.ulp(exact)
        assert web("mul_add", [a, b, c])[0][0] == a * b + c
    assert web("fma", [1e300, 1e5, -1e304])[0][0] == 1e300 * 1e5 - 1e304  # where the parts of a product overflow


def test_powers_and_special_values():
    x, y = q = symbols("q", 2)
    here = Function("f", {"q": q}, {"z": [functions.power(x, y), functions.atan2(x, y), functions.exp(x)]})
    web = Web({"f": here.program})
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 700.0, 1e-310, 1e300, math.inf, -math.inf, math.nan]
    for a in numbers:
        for b in numbers:
            assert np.allclose(web("f", [a, b])[0], here([a, b])[0], rtol=4 * EPSILON, atol=0, equal_nan=True), (a, b)


def test_no_fused_operation_is_left_for_angles():
    program = unfused(of_one(lambda x: functions.sin(x) * functions.cos(-x) * functions.tan(2 - x)))
    ops = [i.op for i in program.instructions]
    assert "mul_add" not in ops
    assert ops.count("fma") == 1  # of the quotient of a tangent


@pytest.mark.parametrize("f", [lambda x: functions.sin(-x), lambda x: functions.cos(1 - x), lambda x: functions.tan(-3 * x)])
def test_angles_with_another_sign(f):
    x, *_ = q = symbols("q", 1)
    here, web = Function("f", {"q": q}, {"z": [f(x)]}), Web({"f": of_one(f)})
    for at in np.random.default_rng(5).uniform(-30, 30, 50):
        assert web("f", [at])[0] == pytest.approx(here([at])[0], rel=8 * EPSILON, abs=1e-16)


@pytest.mark.parametrize("kind", ["cubic", "linear"])
@pytest.mark.parametrize("periodic", [False, True])
def test_tables(kind, periodic):
    rng = np.random.default_rng(1)
    at = np.cumsum(rng.uniform(0.1, 1.0, 13))
    values = rng.normal(size=13)
    values[-1] = values[0]
    table = Table.through(at, values, periodic=periodic, kind=kind)
    x, *_ = q = symbols("q", 1)
    z = [table(x)]
    for _ in range(3):
        z.append(gradient(z[-1], [x]).get(x, 0.0) if isinstance(z[-1], Expr) else 0.0)
    f = Function("f", {"q": q}, {"z": z})
    web = Web({"f": f.program})
    for x0 in [*at, *rng.uniform(-5, 15, 60), math.nan]:  # a break, an interval, outside
        assert np.allclose(web("f", [x0])[0], f([x0])[0], rtol=1e-13, atol=1e-13, equal_nan=True)


def test_conditions_that_are_used_often():
    x, y = q = symbols("q", 2)
    c = x < y
    z = [where(c, x, y), where(c, y * y, x), where((x > 0) & c | (y > 3), 1.0, 2.0), -x, x]
    f = Function("f", {"q": q}, {"z": z, "none": []})
    web = Web({"f": f.program})
    for a in np.random.default_rng(2).normal(size=(20, 2)) * 3:
        assert (web("f", a)[0] == f(a)[0]).all()


def test_deep_graphs():
    """No limit of Python's recursion."""
    x, *_ = q = symbols("q", 1)
    z = x
    for k in range(1500):
        z = functions.sqrt(z * z + k)
    f = Function("f", {"q": q}, {"z": [z]})
    assert np.allclose(Web({"f": f.program})("f", [1.5])[0], f([1.5])[0], rtol=1e-12)


# -- loops ------------------------------------------------------------------------------------------------------------


@native
def second_of(p: Pointers, n: i64, out: Array, whole: Ints) -> f64:
    total = 0.0
    for i in range(n):
        out[i] = p[1][i] + power(2.0, float(i))
        whole[i] = whole[i] * 3 // 2
        total += out[i]
    return total


@native
def repeated(f: Code, ins: Pointers, outs: Pointers, n: i64) -> f64:
    for _ in range(n):
        f(ins, outs)
        ins[0][0] = outs[0][0]
    return ins[0][0]


def test_loops_read_pointers_of_four_bytes():
    web = Web({}, {"second_of": second_of})
    a, b = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])
    out, whole = np.zeros(3), np.array([1, -2, 3])
    p, o, i = web.pointers([web.array(a), web.array(b)]), web.array(out), web.array(whole)
    assert web.run("second_of", p, 3, o, i) == second_of([a, b], 3, out, whole) == 67.0
    assert (web.read(o, 3) == out).all()
    assert (web.read(i, 3, np.int64) == [1, -3, 4]).all()


def test_loops_call_functions():
    x, *_ = q = symbols("q", 1)
    f = Function("f", {"q": q}, {"z": [functions.cos(x)]})
    web = Web({"f": f.program}, {"repeated": repeated})
    _, _, ins, outs = web.room["f"]
    assert web.run("repeated", web.slot["f"], ins, outs, 100) == pytest.approx(0.7390851332151607, abs=1e-15)


def test_objects_of_llvm_know_the_size_of_pointers():
    """The layout of data is the target's while passes run: the second pointer of a list is four bytes on."""
    text = jit.to_assembly(emit_module(of_one(functions.sqrt), "f", 1), jit.WASM)
    assert "i32.load" in text
    made = jit.to_object(second_of.assembly().replace("@llvm.fma.f64(", "@fma("), jit.WASM_SCALAR, optimise=True)
    assert made.startswith(b"\0asm")


# -- machines ---------------------------------------------------------------------------------------------------------


def machines():
    from linkwright.examples import example

    for name in ("quick-return", "valve-lifter", "governor"):  # laws that switch, cams, loops in space
        yield example(name).build()
    for seed in range(4):  # random trees and joints, in the plane and in space
        yield random_machine(2 + seed % 2, np.random.default_rng(seed))


def test_every_function_of_machines():
    """Positions, rates, forces, motion and projection: the same to rounding, at states near the estimates. Ill-conditioned
    sums lose digits in both: the bound is of the largest number of each output, times operations."""
    rng = np.random.default_rng(3)
    for m in machines():
        machine = LoadedMachine(m, 0.0)
        begin = initial_state(machine, 0.0)
        e = machine.system
        flow = Flow(e, machine.kept_rows(begin.q, 0.0)[0].tolist())
        y = np.concatenate([begin.q, begin.v + rng.normal(size=machine.nv), machine.turns, [0.0]])
        y[: machine.nq] *= 1 + 1e-3 * rng.normal(size=machine.nq)
        q, v = y[: machine.nq], y[machine.nq : machine.nq + machine.nv]
        args = (q, v, np.array([0.3]), machine.b, machine.turns, 1e-2 * rng.normal(size=machine.nv))
        state = (np.array([0.3]), y, machine.b, np.zeros(0), np.ones(len(flow.flags.switches)), np.zeros(0))
        every = {
            "position": (e.position, args), "velocity": (e.velocity, args), "acceleration": (e.acceleration, args),
            "retract": (e.retract, args), "turned": (e.turned, args), "terms": (e.terms, (*args, np.zeros(0))),
            "motion": (flow.motion, state), "projection": (flow.projection, state),
        }  # fmt: skip
        web = Web({name: f.program for name, (f, _) in every.items()})
        for name, (f, given) in every.items():
            for mine, theirs in zip(web(name, *given), f(*given), strict=True):
                theirs = np.ravel(theirs)
                bound = 1e-10 * max(1.0, np.abs(theirs).max(initial=0.0))
                assert np.abs(mine - theirs).max(initial=0.0) <= bound, (m.name, name)


def in_memory(web, it, blocks):
    """The arguments of an integrator's loop, as `Integrator._call` has them, copied into the memory."""
    addresses = {}

    def place(x):
        if id(x) not in addresses:
            addresses[id(x)] = web.pointers([place(a) for a in x]) if isinstance(x, list) else web.array(x)
        return addresses[id(x)]

    arrays = [it.ins, it.outs, it.jouts, it.pouts, it.gouts], [
        it.y, it.tol, it.real, it.count, it.coef, it.work, it.pivots, blocks.wanted, *blocks.output, it.values, it.spare,
        it._signs, it.directions, blocks.left, *blocks.happened,
    ]  # fmt: skip
    return [place(x) for x in arrays[0]], [place(x) for x in arrays[1]]


@pytest.mark.parametrize("method", ["dop853", "dopri5", "radau"])
def test_runs_take_the_same_steps(method):
    """Dense output, projection and an event; steps, evaluations and the time of the event as in native code. Radau is given
    df/dy by a loop, one more function of the same inputs."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    machine = LoadedMachine(m, 0.0)
    begin = initial_state(machine, 0.0)
    flow = Flow(machine.system, machine.kept_rows(begin.q, 0.0)[0].tolist())
    y0 = np.concatenate([begin.q, begin.v, machine.turns, [0.0]])
    seen = flow.events([machine.resolve([arm.x])[0]])  # it passes below the pin

    def made(y0=y0):
        return Integrator(
            flow.motion, y0, 0.0, method=method, control=Control(1e-8, 1e-10), project=flow.projection,
            events=Events(seen, [-1], [2]), parameters=[machine.b, np.zeros(0), np.zeros(0), np.zeros(0)],
            jac=motion_jacobian(flow) if method == "radau" else None,
        )  # fmt: skip

    times = np.linspace(0.05, 5.0, 100)
    here = made().run(5.0, t_eval=times)
    it = made()
    it.real[s.T_END], it.real[s.MAX_STEP], it.real[s.SPAN] = 5.0, np.inf, 5.0
    blocks = Blocks(it, 5.0, times, False, None)
    it.count[s.BUDGET] = 100000
    programs = {"motion": flow.motion.program, "projection": flow.projection.program, "events": seen.program}
    programs |= {"parts": derivative_of(flow).parts.program} if method == "radau" else {}
    web = Web(programs, {"run": it.method.run, "derivative": motion_derivative})
    jac = 0
    if method == "radau":
        given = [web.slot["motion"], web.slot["parts"], web.room["motion"][3], *web.room["parts"][2:]]
        jac = web.close("derivative", motion_derivative, [*given, *[web.array(x) for x in arguments(flow)]])
    pointers, arrays = in_memory(web, it, blocks)
    code = [web.slot["motion"], jac, web.slot["projection"], web.slot["events"]]
    assert web.run("run", *code, *pointers, it.n, *arrays) == s.EVENT == here.status
    count, real = web.read(arrays[3], s.COUNTS, np.int64), web.read(arrays[2], s.REALS)
    assert (count[s.STEPS], count[s.NFEV], count[s.NJEV]) == (here.steps, here.nfev, here.njev)
    assert real[s.T] == pytest.approx(here.t_last, abs=1e-12)
    shown = web.read(arrays[9], len(here.t) * it.n).reshape(-1, it.n)
    nudged = made(y0 + 1e-15 * np.eye(it.n)[5]).run(5.0, t_eval=times)  # what rounding grows to over two swings
    assert np.abs(shown - here.y).max() < max(1e-11, 2 * np.abs(nudged.y - here.y).max())


def test_paths_are_followed_alike():
    from linkwright.examples import example

    machine = Machine(example("four-bar").build(), 0.0)
    times = Times.of(1.0, 100, 0.0, None)
    q = close(machine, 0.0).q
    run = Run(machine, times)
    run.prepare(q, 0.0)
    f = run.follower
    start = f.point(q, 0.0, machine.turns)
    track, plan = f.run(start, times.path), f._new_plan(start)
    names, e = ("position", "velocity", "acceleration", "retract", "turned"), machine.system
    programs = {n: getattr(e, n).program for n in names}
    web = Web(programs, {"follow": path.follow})
    n, nq, nt, count = f.n, len(q), len(machine.turns), len(times.path)
    first = [np.zeros((count, k)) for k in (nq, n, n, max(nt, 1))]
    for array, x in zip(first, (start.q, start.v, start.a, start.turns), strict=True):
        array[0, : len(x)] = x
    Q, V, W, T = (web.array(x) for x in first)
    outs = [web.room[n][3] for n in names]
    ins = web.pointers([web.array(x) for x in f._inputs(q, np.zeros(n), 0.0, machine.turns)])
    made = [web.array(x) for x in (f.rows, f.columns, f.chosen)]
    work = [
        web.array(x)
        for x in (np.zeros(plan.size + 3 * n + 4), np.zeros(n, dtype=np.int64), np.array([0.0, 0.0, start.sign]))
    ]
    state = web.array(np.zeros(1, dtype=np.int64))
    done = web.run(
        "follow", *[web.slot[n] for n in names], ins, *outs, n, nq, nt, len(f.rows), *made, plan.size, web.array(plan.ints),
        count, web.array(times.path), Q, V, W, T, web.array(f.scale), *work, state, web.array(f.usual),
    )  # fmt: skip
    assert done == count == len(track)
    assert np.abs(web.read(Q, count * nq).reshape(-1, nq) - track.q).max() < 1e-13
    assert np.abs(web.read(W, count * n).reshape(-1, n) - track.a).max() < 1e-11 * np.abs(track.a).max()


def test_an_unknown_operation_is_refused():
    with pytest.raises(lw.LinkwrightError, match="'gamma' is not known in WebAssembly"):
        encoded({"f": Program((Instruction("input", (), (0, 0)), Instruction("gamma", (0,))), ((1,),), (1,), ())})
