"""Random planar machines: derivatives, and that the answer does not depend on how the machine is described."""

import numpy as np
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from random_planar import Recipe, build, driven, poses, recipes, variants

COSTLY = (Phase.explicit, Phase.generate)  # every example compiles a machine: a failing one is not made smaller


def ready(recipe: Recipe) -> tuple[Machine, np.ndarray]:
    """The machine with its phases known, at the configuration it was made from."""
    machine = Machine(build(recipe))
    q = machine.estimate()
    machine.settle(q, 0.0)
    return machine, q


@given(recipes())
@settings(max_examples=25, phases=COSTLY)
def test_known_configuration_satisfies_all_equations(recipe):
    machine, q = ready(recipe)
    Phi, _ = machine.Phi_and_J(q, 0.0)
    assert np.abs(Phi).max(initial=0.0) < 1e-12


@given(recipes(), st.integers(0, 10**6))
@settings(max_examples=25, phases=COSTLY)
def test_jacobian_nu_and_gamma_against_differences(recipe, seed):
    m = build(recipe)
    m.add(lw.Driver("drive", m["b0"].angle + 0.3 * m["b1"].x, "sin(2*t) + 0.1*t**2"))
    machine = Machine(m)
    machine.settle(machine.estimate(), 0.0)
    rng = np.random.default_rng(seed)
    # off the manifold: the complete formulas hold everywhere
    q = machine.estimate() + rng.normal(size=machine.nq) * 0.05
    v = rng.normal(size=machine.nv)
    t = 0.4

    def Phi(e: float) -> np.ndarray:
        return machine.Phi_and_J(q + e * v, t + e)[0]

    _, J = machine.Phi_and_J(q, t)
    # Phi_v v - nu is the first derivative along (q + e v, t + e), minus gamma the second: five-point differences
    h = 1e-3
    first = (8 * (Phi(h) - Phi(-h)) - (Phi(2 * h) - Phi(-2 * h))) / (12 * h)
    second = (16 * (Phi(h) + Phi(-h)) - (Phi(2 * h) + Phi(-2 * h)) - 30 * Phi(0)) / (12 * h * h)
    size = 1 + np.abs(J).max() * np.abs(v).max()
    # truncation h^4/30 of fifth derivatives (some tens), rounding 1e-16/h and 1e-16/h^2
    np.testing.assert_allclose(J @ v - machine.nu(q, t), first, atol=1e-9 * size)
    np.testing.assert_allclose(-machine.gamma(q, v, t), second, atol=1e-7 * size**2)


def run(recipe: Recipe, steps: int = 2):
    builder, enough = driven(recipe)
    assume(enough)
    try:
        return builder, lw.kinematics(builder.model, t_end=0.2, steps=steps)
    except lw.SingularityError:
        assume(False)


@given(recipes(most=3))
@settings(max_examples=3, phases=COSTLY)
def test_description_does_not_matter(recipe):
    builder, plain = run(recipe)
    reference = poses(plain, builder, 2)
    # far from singular: there small differences grow
    assume(max(np.abs(x).max() for x in reference.values()) < 1e2)
    couplers = [b for kind, _, b in recipe.loops if kind == "coupler"]
    for what, other in variants(recipe).items():
        if (what == "moved" and -1 in couplers) or (what == "origins" and couplers):
            continue  # a coupler of body coordinates does depend on them
        again, result = run(other)
        for name, values in poses(result, again, 2).items():
            np.testing.assert_allclose(values, reference[name], rtol=1e-6, atol=1e-7, err_msg=f"{what}: {name}")


@given(recipes(most=3))
@settings(max_examples=5, phases=COSTLY)
def test_a_doubled_joint_changes_the_report_only(recipe):
    plain, twice = lw.check(build(recipe)), lw.check(build(variants(recipe)["doubled"]))
    assert (twice.rank, twice.dof, twice.mobility) == (plain.rank, plain.dof, plain.mobility)
    assert twice.redundant_count == plain.redundant_count + 2
    named = {name for group in twice.redundant for name in group}
    assert {n for n in named if n.startswith("J0 again.")}


@given(recipes(most=3))
@settings(max_examples=4, phases=COSTLY)
def test_rates_are_time_derivatives(recipe):
    builder, k = run(recipe, 40)
    assume(all(np.abs(k[c]).max() < 1e2 for c in k.channels if "alpha" in c))
    coarse = lw.kinematics(builder.model, t_end=0.2, steps=4)
    h, inner = 0.2 / 40, slice(2, -2)
    for b in range(len(recipe.parents)):
        for position, velocity, acceleration in (("x", "vx", "ax"), ("y", "vy", "ay"), ("angle", "omega", "alpha")):
            x, v, a = (k[f"b{b}.{c}"] for c in (position, velocity, acceleration))
            # the grid does not matter
            np.testing.assert_allclose(coarse[f"b{b}.{acceleration}"], a[::10], rtol=1e-7, atol=1e-8)
            # fourth-order differences: h^4 times derivatives that grow like powers of the acceleration
            slope, bend = ((8 * (y[3:-1] - y[1:-3]) - (y[4:] - y[:-4])) / (12 * h) for y in (x, v))
            size = 1 + np.abs(a).max()
            np.testing.assert_allclose(slope, v[inner], atol=1e-7 * size**3)
            np.testing.assert_allclose(bend, a[inner], atol=1e-6 * size**3)
