"""SOI2: the figures of papers 001 and 003, an independent implementation, and what the theorems say about a."""

import dataclasses

import numpy as np
import pytest
from soi2_reference import Equations, integrate, no_constraint

import genalpha as ga
from genalpha import problems
from genalpha.reproduce.measure import convergence_at_the_end

ALTERNATING = (1 / 3, 2 / 3)
NAMES = ("q", "v", "a", "lam", "psi")


def equations(problem):
    """The functions of a problem as the independent implementation takes them."""
    system, n = problem.system(), problem.q0.size
    ng, nk, p = system.ng or 0, system.nk or 0, system.arguments()

    def filled(function, *shape):
        def call(*states):
            out = np.zeros(shape, dtype=np.result_type(*map(np.asarray, states)))
            function(*states, *p, out)
            return out

        return call

    M, f = filled(system.M, n, n), filled(system.f, n)
    G = filled(system.g_q, ng, n) if ng else lambda t, y: np.zeros((0, n))
    K = filled(system.k_v, nk, n) if nk else lambda t, y, z: np.zeros((0, n))

    def additive(t, y, z, lam, psi):
        return f(t, y, z) + G(t, y).T @ lam + K(t, y, z).T @ psi

    return Equations(
        M=M,
        f=f if system.multipliers_in_f else additive,
        g=filled(system.g, ng) if ng else no_constraint,
        gdot=(lambda t, y, z: G(t, y) @ z) if ng else no_constraint,
        k=filled(system.k, nk) if nk else no_constraint,
        n=n,
        ng=ng,
        nk=nk,
    )


def solve(problem, method, steps, **options):
    steps = np.asarray(steps, dtype=float)
    span = (problem.t_span[0], problem.t_span[0] + steps.sum())
    return ga.solve(problem.system(), span, problem.q0, problem.v0, method, h=steps, **options)


# ---------------------------------------------------------------- published figures


def test_errors_of_jay_and_negrut():
    """001 Fig. 1: second order in everything, and the errors at h = 1/160 to 1 %."""
    result = convergence_at_the_end(problems.get("jay_negrut"), ga.SOI2(rho_inf=0.2), 1 / 160, 1, ALTERNATING)
    published = {"q": 1.734e-5, "v": 1.759e-5, "a": 4.507e-5, "lam": 4.844e-6, "psi": 1.054e-6}
    assert {name: result.errors[name][0] for name in NAMES} == pytest.approx(published, rel=0.01)
    assert min(result.orders(name)[0] for name in NAMES) >= 1.95


def test_without_adjustment():
    """001 Fig. 2: without (15) and (16), a, λ and ψ are first order."""
    method = ga.SOI2(rho_inf=0.2, adjust=False)
    result = convergence_at_the_end(problems.get("jay_negrut"), method, 1 / 160, 1, ALTERNATING)
    assert min(result.orders(name)[0] for name in "qv") >= 1.95
    assert all(0.9 <= result.orders(name)[0] <= 1.15 for name in ("a", "lam", "psi"))


def test_adjustment_changes_nothing_if_steps_are_equal():
    problem, steps = problems.get("jay_negrut"), np.full(10, 1 / 40)
    one, other = (solve(problem, ga.SOI2(rho_inf=0.2, adjust=adjust), steps) for adjust in (True, False))
    for name in NAMES:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("carry", "orders"), [("evaluate", (1.95, 2.1)), ("matrix", (0.9, 1.2))])
def test_other_carries(carry, orders):
    """M(t_α, y0 + hα z0) is second order in λ and ψ too; the matrix of the step before is first order."""
    problem, c = problems.get("jay_negrut"), ga.Coefficients.chung_hulbert(0.2)
    exact, error = problem.reference(1.0), []
    for n in (60, 120):
        steps = np.tile(np.array(ALTERNATING) / n, n)
        last = integrate(equations(problem), c, 0.0, steps, problem.q0, problem.v0, carry=carry)
        pairs = ((last.y, exact.q), (last.z, exact.v), (last.lam, exact.lam), (last.psi, exact.psi))
        error.append([np.linalg.norm(x[-1] - y[0]) for x, y in pairs])
    measured = np.log2(np.array(error[0]) / error[1])
    assert measured[:2].min() >= 1.95
    assert orders[0] <= measured[2:].min()
    assert measured[2:].max() <= orders[1]


@pytest.mark.parametrize(("start", "low", "high"), [("a0", 0.9, 1.1), ("lunk-simeon", 1.9, 2.1)])
def test_error_of_the_first_acceleration(start, low, high):
    """001 sec. 2.1: a after one step is first order from a0 and second order from (10)."""
    problem, method = problems.get("jay_negrut"), ga.SOI2(rho_inf=0.2, start=start)
    error = []
    for h in (1 / 40, 1 / 80, 1 / 160):
        sol = solve(problem, method, [h])
        exact = problem.reference((1.0 + method.coefficients_used.shift) * h).vdot[0]
        error.append(np.linalg.norm(sol.a[-1] - exact))
    orders = np.log2(np.array(error[:-1]) / error[1:])
    assert low <= orders.min()
    assert orders.max() <= high


def test_orders_of_jay():
    """003 Fig. 7.1."""
    result = convergence_at_the_end(problems.get("jay"), ga.SOI2(rho_inf=0.2), 1 / 160, 1)
    assert set(result.errors) == {"q", "v", "a", "psi"}
    assert min(result.orders(name)[0] for name in result.errors) >= 1.95


def test_orders_of_the_rolling_disk():
    """003 (7.2) with f4 corrected."""
    disk = problems.get("rolling_disk")
    result = convergence_at_the_end(disk, ga.SOI2(rho_inf=1.0), 0.025, 1)
    assert [result.orders(name)[0] for name in ("q", "v", "psi")] == pytest.approx([2.0] * 3, abs=0.05)


@pytest.mark.parametrize("rho_inf", [0.2, 1.0])
@pytest.mark.parametrize("name", ["rolling_disk", "jay", "jay_negrut"])
def test_constraints_hold(name, rho_inf):
    problem = problems.get(name)
    sol = solve(problem, ga.SOI2(rho_inf=rho_inf), np.full(100, problem.h))
    assert max(sol.stats.max_k, sol.stats.max_g, sol.stats.max_gdot) < 1e-12


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum", "skate"])
@pytest.mark.parametrize("rho_inf", [0.3, 0.9])
def test_orders_of_mechanical_problems(name, rho_inf):
    """Second order beyond the problems of the papers, with variable steps."""
    problem = problems.get(name)
    problem = dataclasses.replace(problem, t_span=(0.0, 0.8))
    result = convergence_at_the_end(problem, ga.SOI2(rho_inf=rho_inf), 1 / 500, 1, ALTERNATING)
    assert min(result.orders(quantity)[0] for quantity in result.errors) >= 1.9


def test_energy_of_the_reference_of_the_disk():
    """With f4 as printed it would change by 5e-3."""
    disk, t = problems.get("rolling_disk"), np.linspace(0.0, 10.0, 41)
    exact = disk.reference(t)
    energy = [sum(disk.energy(*state)) for state in zip(t, exact.q, exact.v, strict=True)]
    assert np.ptp(energy) < 1e-10


# ---------------------------------------------------------------- agreement


@pytest.mark.parametrize("name", ["jay_negrut", "jay", "rolling_disk", "pendulum"])
@pytest.mark.parametrize("start", ["a0", "lunk-simeon"])
@pytest.mark.parametrize("adjust", [True, False])
def test_independent_implementation(name, start, adjust):
    """20 steps of random size give the numbers of the implementation in plain NumPy."""
    problem, random = problems.get(name), np.random.default_rng(3)
    steps = (0.002 if name == "pendulum" else 0.02) * random.uniform(0.3, 1.0, 20)
    method = ga.SOI2(rho_inf=0.4, start=start, adjust=adjust, tol=1e-13)
    sol = solve(problem, method, steps)
    carry = "vector" if adjust else "nothing"
    other = integrate(
        equations(problem), method.coefficients_used, 0.0, steps, problem.q0, problem.v0, carry=carry, start=start
    )
    for ours, theirs in (("q", "y"), ("v", "z"), ("a", "a"), ("lam", "lam"), ("psi", "psi")):
        expected = getattr(other, theirs)[1:]
        # the round-off of positions over h² is what accelerations and multipliers can have
        tolerance = (1e-11 if ours in "qv" else 1e-9) * (1.0 + np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(getattr(sol, ours)[1:], expected, rtol=0, atol=tolerance)


def with_multipliers(problem):
    """The same system with the constraint forces written into f."""
    f = equations(problem).f
    return dataclasses.replace(
        problem.system(),
        f=lambda t, q, v, lam, psi, *p: f(t, q, v, lam, psi),
        f_q=None,
        f_v=None,
        multipliers_in_f=True,
    )


@pytest.mark.parametrize("name", ["rolling_disk", "pendulum", "double_pendulum", "skate"])
def test_additive_form(name):
    """f + Gᵀλ + Kᵀψ by the package, or written by the user into f(t, q, v, λ, ψ)."""
    problem = problems.get(name)
    method, steps = ga.SOI2(rho_inf=0.6, tol=1e-13), np.tile([1e-3, 2e-3], 10)
    additive = solve(problem, method, steps)
    written = solve(dataclasses.replace(problem, system=lambda: with_multipliers(problem)), method, steps)
    assert written.system.multipliers_in_f
    for quantity in NAMES:
        expected = getattr(additive, quantity)
        tolerance = (1e-12 if quantity in "qv" else 1e-9) * (1.0 + np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(getattr(written, quantity), expected, rtol=0, atol=tolerance)


@pytest.mark.agreement
@pytest.mark.parametrize("name", ["jay_negrut", "jay", "rolling_disk", "pendulum"])
def test_interpreted_and_compiled_agree(name):
    problem = problems.get(name)
    steps = np.tile(0.5 * problem.h * np.array(ALTERNATING), 50)
    systems = [dataclasses.replace(problem.system(), compile=compiled) for compiled in (None, False)]
    one, other = (
        solve(dataclasses.replace(problem, system=lambda s=system: s), ga.SOI2(rho_inf=0.2), steps)
        for system in systems
    )
    for quantity in ("t", "q", "v"):
        np.testing.assert_allclose(getattr(one, quantity), getattr(other, quantity), rtol=1e-12, atol=1e-12)
    for quantity in ("a", "lam", "psi"):
        expected = getattr(other, quantity)
        np.testing.assert_allclose(
            getattr(one, quantity), expected, rtol=0, atol=1e-8 * (1.0 + np.abs(expected).max(initial=0.0))
        )
    assert one.stats.newton == other.stats.newton


# ---------------------------------------------------------------- the decay of a perturbed a0


@pytest.mark.parametrize("rho_inf", [0.2, 0.6, 0.9])
def test_decay_of_a_perturbed_acceleration(rho_inf):
    """003 Theorem 6.1: by r_γ per step across the constraint, by r_αm along it; ψ by the slower of r_γ and r_αf."""
    system = ga.System(M=np.eye(2), f=np.zeros(2), k=lambda t, q, v: v[:1])
    method = ga.SOI2(rho_inf=rho_inf, start="a0", tol=1e-14)
    c, n = method.coefficients_used, 6
    sol = ga.solve(system, (0.0, n * 0.1), [0.0, 0.0], [0.0, 0.0], method, h=0.1, vdot0=[1.0, 1.0])
    across, along = np.abs(sol.a).T
    rates = np.arange(n + 1)
    assert c.r_gamma < 1
    assert c.r_alpha_m < 1
    assert c.r_alpha_f < 1
    np.testing.assert_allclose(across, c.r_gamma**rates, atol=1e-12)
    np.testing.assert_allclose(along, c.r_alpha_m**rates, atol=1e-12)
    bound = 4.0 * n * max(c.r_gamma, c.r_alpha_f) ** rates
    assert np.all(np.abs(sol.psi[:, 0]) <= bound)


def test_decay_on_the_disk():
    """The same on a nonlinear problem, down to the O(h) that is left: the slowest of the rates, per step."""
    disk, h, n = problems.get("rolling_disk"), 1e-5, 8
    method = ga.SOI2(rho_inf=0.6, start="a0", tol=1e-14)
    exact = disk.reference(0.0).vdot[0]
    steps, push = np.full(n, h), np.array([1.0, -1.0, 0.5, 0.2, 1.0])
    perturbed = solve(disk, method, steps, vdot0=exact + push)
    difference = np.linalg.norm(perturbed.a - solve(disk, method, steps).a, axis=1)
    c = method.coefficients_used
    slowest = max(c.r_gamma, c.r_alpha_m)
    assert difference[0] == pytest.approx(np.linalg.norm(push))
    assert (difference[-1] / difference[2]) ** (1 / (n - 2)) == pytest.approx(slowest, rel=0.1)
