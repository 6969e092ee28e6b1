"""From functions to the contract: forms of functions, patterns, derivatives, interpreted and compiled."""

import numba
import numpy as np
import pytest
import rover as r
import scipy.sparse as sp
from rover import rover

import genalpha as ga
from genalpha.math.differences import store

T, Q, V = 0.3, np.array([0.4, -0.7, 1.1]), np.array([0.9, 0.2, -0.5])
VDOT, MU = np.array([1.3, -0.4, 0.8]), np.array([0.7, -1.2])


def residual(contract, t, q, v, vdot, mu):
    B = np.vstack([contract.matrix("G", t, q), contract.matrix("K", t, q, v)])
    return contract.matrix("M", t, q) @ vdot - contract.evaluate("f", t, q, v) - B.T @ mu


def central(function, x, h=1e-6):
    return np.stack([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(x.size)], axis=1)


# ---------------------------------------------------------------- the mathematics of the contract


def test_levels_of_the_constraints():
    contract = rover(compile=False).contract(0.0, r.Q0, r.V0)
    assert (contract.nv, contract.ng, contract.nk) == (3, 1, 1)
    np.testing.assert_allclose(contract.matrix("G", T, Q), r.G(T, Q), rtol=1e-14)
    np.testing.assert_allclose(contract.evaluate("g_t", T, Q), r.g_t(T, Q), rtol=1e-14)
    np.testing.assert_allclose(contract.evaluate("g_bias", T, Q, V), r.g_bias(T, Q, V), rtol=1e-11)
    np.testing.assert_allclose(contract.matrix("K", T, Q, V), r.K(T, Q, V), rtol=1e-14)
    np.testing.assert_allclose(contract.evaluate("k_bias", T, Q, V), r.k_bias(T, Q, V), rtol=1e-14)
    np.testing.assert_allclose(contract.times("G", V, T, Q), r.G(T, Q) @ V, rtol=1e-14)


def test_biases_against_a_trajectory():
    """g̈ = G v̇ + g_bias and k̇ = K v̇ + k_bias along q(t) = Q + V s + v̇ s²/2."""
    contract, h = rover(compile=False).contract(0.0, r.Q0, r.V0), 1e-4

    def at(s):
        return T + s, Q + V * s + VDOT * s**2 / 2, V + VDOT * s

    g = [contract.evaluate("g", *at(s)[:2]) for s in (-h, 0.0, h)]
    gddot = contract.times("G", VDOT, T, Q) + contract.evaluate("g_bias", T, Q, V)
    np.testing.assert_allclose(gddot, (g[0] - 2 * g[1] + g[2]) / h**2, rtol=1e-6)
    k = [contract.evaluate("k", *at(s)) for s in (-h, h)]
    kdot = contract.times("K", VDOT, T, Q, V) + contract.evaluate("k_bias", T, Q, V)
    np.testing.assert_allclose(kdot, (k[1] - k[0]) / (2 * h), rtol=1e-6)


GIVEN = dict(
    g_q=lambda t, q, p: r.G(t, q)[0],
    g_t=lambda t, q, p: r.g_t(t, q),
    g_bias=lambda t, q, v, p: r.g_bias(t, q, v),
    k_v=lambda t, q, v, p: np.array([[q[0] * v[1], q[0] * v[0], 1.0]]),
    k_q=lambda t, q, v, p: [[v[0] * v[1], 0.0, 0.0]],
    k_t=lambda t, q, v, p: 0.1 * np.sin(t),
    f_q=ga.Sparse(lambda t, q, v, p: [-3 * p[0] * q[0] ** 2, np.sin(t)], [0, 1], [0, 1]),
    f_v=lambda t, q, v, p: np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [v[2], 0.0, v[0]]]),
)


@pytest.mark.parametrize("given", [[], ["g_q", "k_v"], ["k_q", "k_t"], list(GIVEN)])
def test_given_and_computed_derivatives_are_the_same(given):
    computed = rover(compile=False).contract(0.0, r.Q0, r.V0)
    contract = rover(compile=False, **{name: GIVEN[name] for name in given}).contract(0.0, r.Q0, r.V0)
    for name, arguments in [("g_t", (T, Q)), ("g_bias", (T, Q, V)), ("k_bias", (T, Q, V))]:
        np.testing.assert_allclose(contract.evaluate(name, *arguments), computed.evaluate(name, *arguments), rtol=1e-11)
    for name, arguments in [("G", (T, Q)), ("K", (T, Q, V))]:
        np.testing.assert_allclose(contract.matrix(name, *arguments), computed.matrix(name, *arguments), rtol=1e-13)


@pytest.mark.parametrize("given", [[], ["g_q", "k_v"], ["g_q", "k_v", "f_v"]])
def test_stiffness_and_damping_are_the_tangent_of_the_residual(given):
    contract = rover(compile=False, **{name: GIVEN[name] for name in given}).contract(0.0, r.Q0, r.V0)
    S = contract.matrix("stiffness", T, Q, V, VDOT, MU)
    np.testing.assert_allclose(S, central(lambda q: residual(contract, T, q, V, VDOT, MU), Q), atol=1e-6)
    # the part of Kᵀψ is left out of the damping where it would cost a second difference
    mu = MU if "k_v" in given else MU * [1.0, 0.0]
    C = contract.matrix("damping", T, Q, V, VDOT, mu)
    np.testing.assert_allclose(C, central(lambda v: residual(contract, T, Q, v, VDOT, mu), V), atol=1e-6)


# ---------------------------------------------------------------- forms of functions and constants

R3 = np.array([[2.0, 0.3, 0.0], [0.0, 3.0, 0.0], [0.1, 0.0, 4.0]])

MASSES = {
    "array": R3,
    "list": R3.tolist(),
    "function": lambda t, q: R3,
    "nested lists": lambda t, q: R3.tolist(),
    "Fortran order": lambda t, q: np.asfortranarray(R3),
    "not contiguous": lambda t, q: np.repeat(R3, 2, axis=1)[:, ::2],
    "sparse": sp.csr_array(R3),
    "sparse matrix": sp.coo_matrix(R3),
    "function of sparse": lambda t, q: sp.csc_array(R3),
    "pattern": ga.Sparse(lambda t, q: R3[R3 != 0], *np.nonzero(R3)),
    "constant pattern": ga.Sparse(R3[R3 != 0], *np.nonzero(R3)),
}


@pytest.mark.parametrize("form", MASSES)
def test_forms_of_the_mass_matrix(form):
    contract = ga.System(M=MASSES[form], f=lambda t, q, v: -q).contract(0.0, [1, 2, 3], [0, 0, 0])
    np.testing.assert_array_equal(contract.matrix("M", 0.0, Q), R3)
    np.testing.assert_array_equal(contract.matrix("M", 0.0, Q, sparse=True).toarray(), R3)


def fill(t, q, v, out):
    out[1] = -q[0]  # only what is not zero


FORCES = {
    "array": lambda t, q, v: np.array([0.0, -q[0]]),
    "list": lambda t, q, v: [0, -q[0]],
    "integers": lambda t, q, v: np.array([0, -1]),
    "column": lambda t, q, v: np.array([[0.0], [-q[0]]]),
    "strided": lambda t, q, v: np.array([0.0, 9.0, -q[0], 9.0])[::2],
    "filled": fill,
    "constant": [0, -1],
    "works in place on a copy of its own": lambda t, q, v: np.multiply(q.copy(), [0.0, -1.0])[::1] * q[0],
}


@pytest.mark.parametrize("form", FORCES)
def test_forms_of_the_force(form):
    contract = ga.System(M=np.eye(2), f=FORCES[form]).contract(0.0, [1, 1], [0, 0])
    np.testing.assert_array_equal(contract.evaluate("f", 0.0, np.ones(2), np.zeros(2)), [0.0, -1.0])


@pytest.mark.parametrize("compiled", [False, True])
def test_one_coordinate_in_scalars(compiled):
    given = dict(f_q=lambda t, q, v, p: -p, f_v=0, g_q=1, g_t=-1.0, g_bias=0)
    system = ga.System(
        M=2, f=lambda t, q, v, p: -p * q[0], g=lambda t, q, p: q[0] - t, params=3, compile=compiled, **given
    )
    contract = system.contract(0, 1, 0)
    one = np.ones(1)
    assert contract.matrix("M", 0.0, one) == 2.0
    assert contract.evaluate("f", 0.0, one, one) == -3.0
    assert (contract.matrix("G", 0.0, one), contract.evaluate("g_t", 0.0, one)) == (1.0, -1.0)
    assert contract.names == {"q": ["q[0]"], "g": ["g[0]"], "k": [], "gap": []}


def test_zero_says_that_something_does_not_depend():
    given = dict(f_q=0, f_v=0, g_q=np.array([[1.0, 0.0]]), g_t=0, g_bias=0)
    contract = ga.System(M=np.eye(2), f=lambda t, q, v: [0.0, -9.81], g=lambda t, q: q[0], **given)
    contract = contract.contract(0.0, [0.0, 1.0], [0.0, 0.0])
    assert contract.patterns["stiffness"].size == contract.patterns["damping"].size == 0
    assert contract.patterns["G"].size == 1
    assert not contract.numerical_tangent


@pytest.mark.parametrize("system", [
    ga.System(M=np.eye(2), f=fill),
    ga.System(M=np.eye(2), f=fill, g=lambda t, q, out: out.fill(0.0), ng=1),
    ga.System(M=np.eye(2), f=fill, k=lambda t, q, v: v[0]),
    ga.System(M=np.eye(2), f=fill, k=lambda t, q, v: v[0], k_v=[1, 0], k_q=0, k_t=0),
    ga.System(M=np.eye(2), f=fill, g=lambda t, q: q[0], k=lambda t, q, v: v[1]),
])  # fmt: skip
def test_blocks_may_be_absent(system):
    contract = system.contract(0.0, [0.0, 1.0], [0.0, 0.0])
    q, v = np.zeros(2), np.zeros(2)
    assert contract.evaluate("g", 0.0, q).shape == contract.evaluate("g_bias", 0.0, q, v).shape == (contract.ng,)
    assert contract.evaluate("k", 0.0, q, v).shape == contract.evaluate("k_bias", 0.0, q, v).shape == (contract.nk,)
    assert contract.matrix("G", 0.0, q).shape == (contract.ng, 2)
    if system.ng is None:  # that constraint is 0 = 0
        sol = ga.solve(system, (0.0, 0.1), [0.0, 1.0], [0.0, 0.0], h=0.01)
        assert sol.success
        assert (sol.lam.shape, sol.psi.shape) == ((11, contract.ng), (11, contract.nk))
        assert max(sol.stats.max_g, sol.stats.max_k) < 1e-14


# ---------------------------------------------------------------- compiled


@numba.njit
def stored(x, out):
    """How many forms of results are stored as they should be."""
    good = 0
    good += store(x, out)
    good += store(x[::-1][::-1], out)
    good += store(x.reshape(2, 2).T.copy().T, out)
    good += store([x[0], x[1], x[2], x[3]], out)
    good += store([[x[0], x[1]], [x[2], x[3]]], out)
    good += store((x[0], 1, x[2], 1j.real), out)
    good += store(((x[0], x[1]), (x[2], x[3])), out)
    good += store((x[:2], x[2:]), out)
    good += store(np.arange(4), out)
    good += store(x[0], out[:1])
    good += store(np.array(x[0]), out[:1])
    good += not store(x, out[:3])
    good += not store(x[:3], out)
    good += not store(x[0], out)
    return good


@pytest.mark.agreement
def test_compiled_functions_may_return_anything_like_an_array():
    out = np.zeros(4)
    assert stored(np.arange(4.0), out) == 14
    np.testing.assert_array_equal(out, np.arange(4.0))


@pytest.mark.agreement
def test_interpreted_is_compiled():
    interpreted = rover(compile=False).contract(0.0, r.Q0, r.V0)
    compiled = rover().contract(0.0, r.Q0, r.V0)
    assert compiled.compiled
    everything = (T, Q, V, VDOT, MU)
    for name, n in dict(M=2, f=3, stiffness=5, damping=5, g=2, G=2, g_t=2, g_bias=3, k=3, K=3, k_bias=3).items():
        a, b = (contract.evaluate(name, *everything[:n]) for contract in (interpreted, compiled))
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14, err_msg=name)
    first = ga.solve(rover(compile=False), (0.0, 0.1), r.Q0, r.V0, h=0.01)
    second = ga.solve(rover(), (0.0, 0.1), r.Q0, r.V0, h=0.01)
    np.testing.assert_allclose(first.q, second.q, rtol=1e-12)
    np.testing.assert_allclose(first.lam, second.lam, rtol=1e-9)
    assert max(first.stats.max_g, first.stats.max_gdot, first.stats.max_gddot, first.stats.max_k) < 1e-12


def test_a_sweep_compiles_once():
    from genalpha.compiled import jit

    system = rover()
    ga.solve(system, (0.0, 0.1), r.Q0, r.V0, h=0.01)
    known, ends = len(jit._compiled), []
    for stiffness in (1.0, 10.0):
        ends.append(ga.solve(system.with_params([stiffness, 0.0]), (0.0, 0.1), r.Q0, r.V0, h=0.01).q[-1])
    assert len(jit._compiled) == known
    contracts = [system.with_params([c, 0.0]).contract(0.0, r.Q0, r.V0) for c in (1.0, 10.0)]
    assert all(a is b for a, b in zip(*(contract.evaluators for contract in contracts), strict=True))
    assert np.abs(ends[0] - ends[1]).max() > 1e-3


def read_inside(t, q):
    return np.array([sum(x - t for x in q)])


@pytest.mark.parametrize(
    ("g", "rests"),
    [
        (lambda t, q: q[:1] - 1.0, True),
        (ga.evaluator(lambda t, q: q[:1] - 1.0), True),
        (lambda t, q: q[:1] - t, False),
        (lambda time, q: q[:1] - np.sin(time), False),
        (lambda t, q: q[:1] - locals()["t"], False),
        (lambda *arguments: arguments[1][:1] - arguments[0], False),
        (read_inside, False),
    ],
)
def test_a_constraint_that_never_reads_t_rests(g, rests):
    system = ga.System(M=np.eye(2), f=lambda t, q, v: -q, g=g, compile=False)
    contract = system.contract(0.5, np.array([1.0, 2.0]), np.zeros(2))
    assert contract.scleronomic == rests
    step = 1e-6
    expected = (g(0.5 + step, np.array([1.0, 2.0])) - g(0.5 - step, np.array([1.0, 2.0]))) / (2.0 * step)
    np.testing.assert_allclose(contract.evaluate("g_t", 0.5, np.array([1.0, 2.0])), expected, atol=1e-8)
