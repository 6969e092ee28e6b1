"""Order of convergence of every variable, for every formulation, start and coefficient set: 2, by halving h."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems


def errors(problem, method, h, variables, t_end):
    """Largest error over the second half of the run, where the transient of the start has decayed."""
    system = problem.system()
    sol = ga.solve(system, (problem.t_span[0], t_end), problem.q0, problem.v0, method, h=h)
    late = sol.t >= 0.5 * t_end
    exact = problem.reference(sol.t[late])
    return [np.abs(getattr(sol, name)[late] - getattr(exact, name)).max() for name in variables]


def orders(problem, method, steps, variables, t_end=1.0):
    table = np.log2([errors(problem, method, t_end / n, variables, t_end) for n in steps])
    return table[:-1] - table[1:]


@pytest.mark.parametrize("formulation", ["P", "V", "PV", "PVA"])
@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.9])
def test_pendulum(formulation, rho_inf):
    method = ga.GeneralizedAlpha(rho_inf=rho_inf, formulation=formulation)
    measured = orders(problems.get("pendulum"), method, (2000, 4000), "q v lam".split())
    np.testing.assert_allclose(measured, 2.0, atol=0.05)


@pytest.mark.parametrize("formulation", ["P", "PVA"])
def test_skate_with_nonholonomic_rows(formulation):
    method = ga.GeneralizedAlpha(rho_inf=0.8, formulation=formulation)
    measured = orders(problems.get("skate"), method, (200, 400), "q v psi".split())
    np.testing.assert_allclose(measured[:, :2], 2.0, atol=0.05)
    # with P the leading error of psi vanishes in this problem: order 3
    np.testing.assert_allclose(measured[:, 2], 3.0 if formulation == "P" else 2.0, atol=0.05)


@pytest.mark.parametrize("start", ["a0", "lunk-simeon", "shifted"])
@pytest.mark.parametrize("formulation", ["P", "PVA"])
def test_starts(start, formulation):
    method = ga.GeneralizedAlpha(rho_inf=0.6, formulation=formulation, start=start)
    measured = orders(problems.get("cartesian_pendulum"), method, (400, 800), "q v lam".split())
    np.testing.assert_allclose(measured, 2.0, atol=0.05)


@pytest.mark.parametrize(
    ("coefficients", "order"),
    [
        (ga.Coefficients.trapezoidal(), 2),
        (ga.Coefficients.hht(-0.1), 2),
        (ga.Coefficients.wbz(-0.2), 2),
        (ga.Coefficients.chung_hulbert(0.3), 2),
    ],
)
def test_coefficients_on_the_oscillator(coefficients, order):
    method = ga.GeneralizedAlpha(coefficients=coefficients)
    measured = orders(problems.get("oscillator"), method, (200, 400), "q v".split())
    np.testing.assert_allclose(measured, order, atol=0.05)


def test_coefficients_that_are_not_second_order_are_first_order():
    with pytest.warns(ga.OrderWarning):
        coefficients = ga.Coefficients.newmark(0.36, 0.7)
    measured = orders(problems.get("oscillator"), ga.GeneralizedAlpha(coefficients=coefficients), (200, 400), "qv")
    np.testing.assert_allclose(measured, 1.0, atol=0.1)


@pytest.mark.parametrize("formulation", ["V", "PV", "PVA"])
def test_alternating_steps_keep_the_order(formulation):
    """Steps h/3, 2h/3, ...: a is moved to the new step size; without that lam would be first order (001 sec. 7).

    The index-3 form P loses an order in lam with variable steps whatever one does.
    """
    problem, method = problems.get("pendulum"), ga.GeneralizedAlpha(rho_inf=0.5, formulation=formulation)

    def error(n):
        steps = np.tile([1 / (3 * n), 2 / (3 * n)], n)
        sol = ga.solve(problem.system(), (0.0, 1.0), problem.q0, problem.v0, method, h=steps)
        exact = problem.reference(sol.t[n:])
        return [np.abs(getattr(sol, x)[n:] - getattr(exact, x)).max() for x in ("q", "v", "lam")]

    measured = np.log2(np.array(error(800)) / np.array(error(1600)))
    np.testing.assert_allclose(measured, 2.0, atol=0.1)


@pytest.mark.parametrize(("start", "low", "high"), [("a0", 0.9, 1.1), ("lunk-simeon", 1.9, 2.3), ("shifted", 1.9, 2.3)])
def test_error_of_the_first_acceleration(start, low, high):
    """001 sec. 2.1: the error of a after one step, at t1 + (α_m − α_f) h, is O(h) with a0 and O(h²) with (10)."""
    problem, method = problems.get("oscillator"), ga.GeneralizedAlpha(rho_inf=0.2, start=start)
    shift, t0 = method.coefficients_used.shift, 0.3
    begin = problem.reference([t0])
    error = []
    for h in (1 / 80, 1 / 160):
        sol = ga.solve(problem.system(), (t0, t0 + h), begin.q[0], begin.v[0], method, h=h)
        near = problem.reference(t0 + (1.0 + shift) * h + 1e-5 * np.array([-1.0, 1.0]))
        error.append(abs(sol.a[-1, 0] - np.diff(near.v[:, 0])[0] / 2e-5))
    assert low < np.log2(error[0] / error[1]) < high


def test_chain_of_sixteen_links():
    """48 coordinates and 32 constraints, sparse: the same order."""
    measured = orders(
        problems.get("chain16"), ga.GeneralizedAlpha(rho_inf=0.8), (400, 800), "q v lam".split(), t_end=0.5
    )
    np.testing.assert_allclose(measured, 2.0, atol=0.1)
