"""Consistent initial values: accelerations, multipliers, projections, redundant rows, large systems."""

import time
import warnings

import numpy as np
import pytest
import rover as r
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from rover import rover

import genalpha as ga
from genalpha.math.saddle import condition_number, solve_saddle

repeatable = settings(derandomize=True, deadline=None, max_examples=40)
GRAVITY = np.array([0.0, -9.81])


def pendulum(**given):
    given = {"M": np.diag([1.0, 2.0]), "f": lambda t, q, v: GRAVITY, "g": lambda t, q: [q @ q - 1.0]} | given
    return ga.System(**given)


def repeated(*factors):
    """The pendulum with its constraint written several times."""
    return pendulum(g=lambda t, q: np.array(factors) * (q @ q - 1.0))


def rows(contract, state):
    q, v = state.q, state.v
    B = np.vstack([contract.matrix("G", state.t, q), contract.matrix("K", state.t, q, v)])
    return B, np.concatenate([contract.evaluate(name, state.t, q, v) for name in ("g_bias", "k_bias")])


# ---------------------------------------------------------------- accelerations


def test_equations_of_motion_and_of_the_constraints():
    system = rover(compile=False)
    contract = system.contract(0.0, r.Q0, r.V0)
    state = ga.consistent_initial_state(system, 0.0, r.Q0, r.V0)
    B, bias = rows(contract, state)
    mu = np.concatenate([state.lam, state.psi])
    f = contract.evaluate("f", 0.0, state.q, state.v)
    np.testing.assert_allclose(contract.matrix("M", 0.0, state.q) @ state.vdot, f + B.T @ mu, atol=1e-13)
    np.testing.assert_allclose(B @ state.vdot + bias, 0.0, atol=1e-13)
    assert state.redundant == ()


def test_hanging_pendulum():
    state = ga.consistent_initial_state(pendulum(), 0, [0, -1], [3, 0])  # integers are numbers, too
    # m v²/r = 2 * 9: the string carries weight and centripetal force
    np.testing.assert_allclose(state.lam, [-(9.81 + 2 * 9.0) / 2], rtol=1e-14)
    np.testing.assert_allclose(state.vdot, [0.0, 9.0], atol=1e-13)


matrices = st.integers(0, 10**6).map(np.random.default_rng)


@repeatable
@given(matrices, st.integers(1, 8), st.integers(0, 6), st.booleans())
def test_saddle_point_problems(random, n, m, sparse):
    """M x − Bᵀμ = f, B x + b = 0 for nonsymmetric M over ten orders of magnitude and redundant, consistent rows."""
    m = min(n, m)
    d = 10.0 ** random.uniform(-5, 5, n)
    M = (np.eye(n) + 0.3 * random.uniform(-1, 1, (n, n)) / n) * np.sqrt(d[:, None] * d)
    B = random.uniform(-1, 1, (m, n))
    if m > 1:
        B[-1] = B[0] - B[-2] * (m > 2)
    B *= 10.0 ** random.uniform(-3, 3, (m, 1))
    b, f = -B @ random.uniform(-1, 1, n), random.uniform(-1, 1, n) * d
    if sparse:
        s = solve_saddle(sp.csc_array(M), sp.csc_array(B), f, b)
    else:
        s = solve_saddle(M, B, f, b)
    assert s.idle is None
    assert len(s.redundant) == (m > 1)
    force = np.abs(M) @ np.abs(s.x) + np.abs(B.T) @ np.abs(s.mu) + np.abs(f)
    assert np.all(np.abs(M @ s.x - B.T @ s.mu - f) <= 1e-8 * force)
    assert np.all(np.abs(s.miss) <= 1e-8 * s.scale)


def test_condition_number():
    M = np.diag([1.0, 10.0, 1000.0])
    assert condition_number(M) == pytest.approx(1000.0)
    assert condition_number(sp.csc_array(M)) == pytest.approx(1000.0)
    assert condition_number(sp.csc_array(np.zeros((2, 2)))) == np.inf


# ---------------------------------------------------------------- redundant rows


@pytest.mark.parametrize("factor", [1.0, 3.0, 1000.0])
def test_redundant_rows_are_named_and_their_multipliers_have_minimum_norm(factor):
    with pytest.warns(
        ga.RedundantConstraintsWarning,
        match=r"1 of 2 constraint rows depend on the others \(g\[1\] depends on g\[0\]\)",
    ):
        state = ga.consistent_initial_state(repeated(1.0, factor), 0.0, [0.6, -0.8], [0.8, 0.6])
    single = ga.consistent_initial_state(pendulum(), 0.0, [0.6, -0.8], [0.8, 0.6])
    G = np.array([[1.2, -1.6], [1.2 * factor, -1.6 * factor]])
    force = np.diag([1.0, 2.0]) @ state.vdot - GRAVITY
    np.testing.assert_allclose(G.T @ state.lam, force, rtol=1e-12)
    # each row exerts the same force, whatever its factor is
    np.testing.assert_allclose(state.lam, single.lam / 2.0 / np.array([1.0, factor]), rtol=1e-12)
    np.testing.assert_allclose(state.vdot, single.vdot, rtol=1e-12)


@pytest.mark.parametrize("formulation", ["PVA", "PV", "P"])
def test_a_run_with_redundant_rows(formulation):
    method = ga.GeneralizedAlpha(formulation=formulation, tol=1e-13)  # multipliers are compared
    with pytest.warns(ga.RedundantConstraintsWarning):
        sol = ga.solve(repeated(1.0, 1.0, 2.0), (0.0, 0.3), [1.0, 0.0], [0.0, 0.0], method, h=0.01)
    single = ga.solve(pendulum(), (0.0, 0.3), [1.0, 0.0], [0.0, 0.0], method, h=0.01)
    assert sol.stats.max_g < 1e-13
    np.testing.assert_allclose(sol.q, single.q, atol=1e-9)
    # minimum norm, by forces: each copy exerts the same
    np.testing.assert_allclose(sol.lam[-1], single.lam[-1, 0] / 3.0 / np.array([1.0, 1.0, 2.0]), rtol=1e-9)


def test_a_row_that_is_zero_is_redundant():
    with pytest.warns(ga.RedundantConstraintsWarning, match=r"\(idle is zero\)"):
        ga.consistent_initial_state(
            pendulum(g=lambda t, q: [0.0 * q[0], q @ q - 1.0], names={"g": ["idle", "rod"]}),
            0.0,
            [0.0, 1.0],
            [0.0, 0.0],
        )


# ---------------------------------------------------------------- a mass matrix that is singular, or harmlessly so


def test_no_mass_is_needed_where_constraints_rule():
    """The second coordinate follows the first one and has no mass of its own."""
    system = ga.System(M=np.diag([2.0, 0.0]), f=lambda t, q, v: [6.0, 0.0], g=lambda t, q: q[1] - 3.0 * q[0])
    state = ga.consistent_initial_state(system, 0.0, [0.0, 0.0], [1.0, 3.0])
    np.testing.assert_allclose(state.vdot, [3.0, 9.0], rtol=1e-12)
    np.testing.assert_allclose(
        ga.solve(system, (0.0, 1.0), [0.0, 0.0], [1.0, 3.0], h=0.1).q[-1], [2.5, 7.5], rtol=1e-12
    )


# ---------------------------------------------------------------- projection


def test_projection_of_positions_is_orthogonal_in_the_mass_metric():
    M, q0 = np.diag([1.0, 2.0]), np.array([0.9, -0.8])
    state = ga.consistent_initial_state(pendulum(), 0.0, q0, [0.0, 0.0], project=True)
    assert abs(state.q @ state.q - 1.0) < 1e-15
    # M (q − q0) = Gᵀν at the projected point
    force = M @ (state.q - q0)
    assert abs(force[0] * state.q[1] - force[1] * state.q[0]) < 1e-14
    # no other point of the circle is nearer
    circle = np.stack([np.cos(a := np.linspace(0, 2 * np.pi, 2000)), np.sin(a)], axis=1) - q0
    assert (state.q - q0) @ force <= np.min(np.sum(circle @ M * circle, axis=1))


def test_projection_from_far_away_lands_somewhere():
    state = ga.consistent_initial_state(pendulum(), 0.0, [7.0, 3.0], [0.0, 0.0], project=True)
    assert abs(state.q @ state.q - 1.0) < 1e-14


def test_projection_of_velocities_is_orthogonal_in_the_mass_metric():
    system = rover(compile=False)
    v0 = np.array([1.0, 2.0, 3.0])
    state = ga.consistent_initial_state(system, 0.0, r.Q0, v0, project=True)
    contract = system.contract(0.0, r.Q0, v0)
    B, _ = rows(contract, state)
    gdot = contract.times("G", state.v, 0.0, state.q) + contract.evaluate("g_t", 0.0, state.q)
    np.testing.assert_allclose(gdot, 0.0, atol=1e-14)
    np.testing.assert_allclose(contract.evaluate("k", 0.0, state.q, state.v), 0.0, atol=1e-13)
    force = contract.matrix("M", 0.0, state.q) @ (state.v - v0)
    mu = np.linalg.lstsq(B.T, force, rcond=None)[0]
    np.testing.assert_allclose(B.T @ mu, force, atol=1e-13)


def test_a_consistent_state_is_its_own_projection():
    state = ga.consistent_initial_state(rover(compile=False), 0.0, r.Q0, r.V0, project=True)
    np.testing.assert_allclose(state.q, r.Q0, atol=1e-15)
    np.testing.assert_allclose(state.v, r.V0, atol=1e-14)


# ---------------------------------------------------------------- large systems


def string(n, redundant=0):
    """A string of beads with springs, whose every third bead is held; some of the constraints twice."""
    held = np.concatenate([np.arange(0, n, 3), np.arange(0, n, 3)[:redundant]])
    K = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tocoo()
    return ga.System(
        M=sp.diags_array([0.25, 1.0, 0.25], offsets=[-1, 0, 1], shape=(n, n)),
        f=lambda t, q, v: 1.0 - (2 * q - np.r_[0.0, q[:-1]] - np.r_[q[1:], 0.0]),
        f_q=ga.Sparse(-K.data, K.row, K.col),
        f_v=0,
        g=lambda t, q: q[held] - 0.1 * np.sin(t),
        g_q=ga.Sparse(np.ones(held.size), np.arange(held.size), held),
        names={"g": [f"pin {i}" for i in range(held.size)]},
    )


@pytest.mark.parametrize("redundant", [0, 2])
def test_large_systems_are_sparse(redundant):
    n, m = 3000, 1000
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        q0 = 0.01 * np.sin(np.arange(n))
        state = ga.consistent_initial_state(string(n, redundant), 0.0, q0, np.zeros(n), project=True)
    assert time.perf_counter() - start < 5.0
    assert len(caught) == (redundant > 0)
    assert len(state.redundant) == redundant
    np.testing.assert_allclose(state.q[::3], 0.0, atol=1e-15)
    np.testing.assert_allclose(state.v[::3], 0.1, atol=1e-13)
    np.testing.assert_allclose(state.vdot[::3], 0.0, atol=1e-12)
    system = string(n)
    M, f = system.M.tocsc(), system.f(0.0, state.q, state.v)
    force = np.zeros(n)
    force[::3] = state.lam[:m]
    force[: 3 * redundant : 3] += state.lam[m:]
    np.testing.assert_allclose(M @ state.vdot, f + force, atol=1e-10)
    np.testing.assert_allclose(state.lam[:redundant], state.lam[m:], rtol=1e-6)


def test_dense_and_sparse_algebra_agree():
    from genalpha.step import initial

    system, n = string(60, 2), 60
    states = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ga.RedundantConstraintsWarning)
        for limit in (1500, 10):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(initial, "DENSE_LIMIT", limit)
                q0 = 0.01 * np.sin(np.arange(n))
                states.append(ga.consistent_initial_state(system, 0.0, q0, np.zeros(n), project=True))
    for name in ("q", "v", "vdot", "lam"):
        np.testing.assert_allclose(getattr(states[0], name), getattr(states[1], name), atol=1e-9, err_msg=name)
    assert len(states[0].redundant) == len(states[1].redundant) == 2


def test_a_structure_that_cannot_move_is_projected_to_rest():
    """Without forces only v0 says what a velocity is: what projections leave of it is round-off."""
    rows = np.array([[0.6, 0.7], [0.1, -0.3]])
    system = ga.System(M=np.eye(2), f=np.zeros(2), g=lambda t, q: rows @ (q - 1.0))
    state = ga.consistent_initial_state(system, 0.0, [1.0, 1.0], [0.3, -2.0], project=True)
    np.testing.assert_array_equal(state.v, 0.0)
