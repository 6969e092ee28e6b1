"""When the quick way fails: redundant rows, zero pivots, patterns that sampling missed, large fill."""

import dataclasses
import warnings

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.math import plan


def pendulum_with_redundant_rows():
    """The pendulum of 002 with its first row given twice and a sum of both rows."""
    problem = problems.get("pendulum")
    simple = problem.system()
    L, m, J, gravity = simple.params

    def g(t, q):
        g1, g2 = q[0] - L * np.cos(q[2]), q[1] - L * np.sin(q[2])
        return np.array([g1, g2, 2.0 * g1, g1 + g2])

    names = {"g": ["pin.x", "pin.y", "twice", "sum"]}
    return problem, ga.System(M=np.diag([m, m, J]), f=lambda t, q, v: np.array([0, m * gravity, 0]), g=g, names=names)


@pytest.mark.parametrize("formulation", ["P", "PV", "PVA"])
def test_redundant_rows_are_named_and_the_run_goes_on(formulation):
    problem, system = pendulum_with_redundant_rows()
    method = ga.GeneralizedAlpha(rho_inf=0.9, formulation=formulation)
    with pytest.warns(ga.RedundantConstraintsWarning, match="2 of 4 constraint rows"):
        sol = ga.solve(system, (0.0, 0.5), problem.q0, problem.v0, method, h=1e-3)
    simple = ga.solve(problem.system(), (0.0, 0.5), problem.q0, problem.v0, method, h=1e-3)
    assert sol.stats.max_g < 1e-13
    np.testing.assert_allclose(sol.q, simple.q, atol=1e-9)
    # the reactions agree, and the multipliers are those of minimum norm, each counted by the force that its row exerts
    G = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(sol.lam @ G, simple.lam, atol=1e-9 * np.abs(simple.lam).max())
    L, m, J, _ = problem.system().params
    for q, lam, least in list(zip(sol.q, sol.lam, simple.lam, strict=True))[::50]:
        rows = G @ np.array([[1.0, 0.0, L * np.sin(q[2])], [0.0, 1.0, -L * np.cos(q[2])]])
        sizes = np.sqrt((rows**2) @ [1.0 / m, 1.0 / m, 1.0 / J])
        smallest = np.linalg.pinv((G / sizes[:, None]).T) @ least / sizes
        np.testing.assert_allclose(lam, smallest, atol=1e-6 * np.abs(smallest).max())


def test_a_zero_pivot_is_taken_over_by_superlu():
    """A regular mass matrix with a zero diagonal, of equations in another order, needs pivoting."""
    n = 60
    M = np.kron(np.eye(n // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    system = ga.System(M=M, f=lambda t, q, v: -(M @ q), f_q=-M, f_v=0)
    q0 = np.linspace(1.0, 2.0, n)
    sol = ga.solve(system, (0.0, 0.1), q0, np.zeros(n), h=1e-2)
    assert sol.stats.rescues > 0
    np.testing.assert_allclose(sol.q[-1], q0 * np.cos(0.1), rtol=1e-4)


def test_an_entry_that_sampling_missed_costs_time_only():
    """A spring between the masses that exists only far from the initial state."""

    def system(found):
        def f(t, q, v):
            stretch = np.maximum(q[0] - 5.0, 0.0)
            return np.array([10.0 - 1e4 * stretch - 200.0 * v[0], -q[1] + 1e3 * stretch])

        def f_q(t, q, v):
            far = 1.0 if q[0] > 5.0 else 0.0
            return np.array([[-1e4 * far, 0.0], [1e3 * far, -1.0]]) + (0.0 if not found else 1e-30)

        return ga.System(M=np.eye(2), f=f, f_q=f_q, f_v=np.diag([-200.0, 0.0]))

    missed, seen = (
        ga.solve(
            system(found), (0.0, 1.0), [4.99, 1.0], [0.0, 0.0], h=1e-2, method=ga.GeneralizedAlpha(jacobian="step")
        )
        for found in (False, True)
    )
    np.testing.assert_allclose(missed.q, seen.q, atol=1e-8)


def test_large_fill_runs_on_superlu(monkeypatch):
    problem = problems.get("chain16")
    usual = ga.solve(problem.system(), (0.0, 0.02), problem.q0, problem.v0, h=1e-3)
    monkeypatch.setattr(plan, "OPERATION_LIMIT", 100)
    sparse = ga.solve(problem.system(), (0.0, 0.02), problem.q0, problem.v0, h=1e-3)
    np.testing.assert_allclose(sparse.q, usual.q, atol=1e-12)


def test_nothing_is_warned_about_a_regular_system():
    problem = problems.get("pendulum")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sol = ga.solve(
            dataclasses.replace(problem.system(), compile=False), (0.0, 0.01), problem.q0, problem.v0, h=1e-3
        )
    assert sol.stats.rescues == 0
