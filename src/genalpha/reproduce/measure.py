"""Measurements on solutions: errors, orders, condition numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.method import SOI2, GeneralizedAlpha
from genalpha.problems import Problem
from genalpha.run.solve import solve
from genalpha.solution.solution import Solution
from genalpha.step.state import A_0, KEEP_EXACT, MU0, Q0, STEP_SIZE, V0, VDOT0

QUANTITIES = ("q", "v", "lam", "psi")
WITH_A = ("q", "v", "a", "lam", "psi")
SYMBOL = {"q": "q", "v": "v", "a": "a", "lam": "λ", "psi": "ψ"}


def solve_problem(problem: Problem, method: GeneralizedAlpha | SOI2 | None = None, **options) -> Solution:
    """Solve a problem with its own method, interval and step size, unless others are given."""
    options = {"h": problem.h, "t_span": problem.t_span, **options}
    t_span = options.pop("t_span")
    return solve(problem.system(), t_span, problem.q0, problem.v0, method or problem.method, **options)


class Convergence(NamedTuple):
    """Errors over step sizes, by quantity."""

    h: NDArray[np.float64]
    errors: dict[str, NDArray[np.float64]]  # (nh,) each

    def order(self, quantity: str, first: int = -3, last: int | None = None) -> float:
        """Slope of log error over log h, fitted to the three smallest steps."""
        h, error = self.h[first:last], self.errors[quantity][first:last]
        return float(np.polyfit(np.log(h), np.log(error), 1)[0])

    def orders(self, quantity: str) -> NDArray[np.float64]:
        """Order between each step size and the next, (nh − 1,)."""
        return np.diff(np.log(self.errors[quantity])) / np.diff(np.log(self.h))


def convergence(
    problem: Problem, method: GeneralizedAlpha | SOI2, h: float, halvings: int = 4, quantities=QUANTITIES
) -> Convergence:
    """Relative errors against the reference for h, h/2, h/4, ..., at the times of the largest step.

    The largest error on the second half of the interval over the largest value there: a start with a0 = v̇0 leaves an
    error O(h) in the multipliers of formulation P, which decays by rho_inf per step and is no part of the order. The
    algorithmic acceleration a is compared at t + (α_m − α_f) h. The largest step is moved to divide the interval.
    """
    t0, t1 = problem.t_span
    n = max(2, round((t1 - t0) / h))
    half = n // 2
    steps = (t1 - t0) / n / 2.0 ** np.arange(halvings + 1)
    t = np.linspace(t0, t1, n + 1)[half:]
    reference, exact_a = problem.reference(t), []
    if "a" in quantities:
        exact_a = _accelerations(problem, [t + method.shift * step for step in steps])
    present = [name for name in quantities if name == "a" or getattr(reference, name).shape[1]]
    errors = {name: np.empty(halvings + 1) for name in present}
    for i, step in enumerate(steps):
        sol = solve_problem(problem, method, h=step, save_every=2**i)
        for name in present:
            exact = exact_a[i] if name == "a" else getattr(reference, name)
            errors[name][i] = np.abs(getattr(sol, name)[half:] - exact).max() / np.abs(exact).max()
    return Convergence(steps, errors)


def convergence_at_the_end(
    problem: Problem, method: GeneralizedAlpha | SOI2, h: float, halvings: int = 4, pattern=(1.0,)
) -> Convergence:
    """Errors in the 2-norm at the end of the interval for h, h/2, h/4, ..., as Jay and Negrut and Jay plot them.

    Each h is divided into steps as ``pattern`` says, (1/3, 2/3) for instance; a is compared at t + (α_m − α_f) h_last.
    """
    t0, t1 = problem.t_span
    h_all = h / 2.0 ** np.arange(halvings + 1)
    exact = problem.reference(t1)
    exact_a = _accelerations(problem, [[t1 + method.shift * pattern[-1] * h] for h in h_all])
    present = [name for name in WITH_A if name == "a" or getattr(exact, name).shape[1]]
    errors = {name: np.empty(halvings + 1) for name in present}
    for i, h in enumerate(h_all):
        steps = np.tile(h * np.array(pattern), round((t1 - t0) / h))
        sol = solve_problem(problem, method, h=steps, save_every=steps.size)
        for name in present:
            expected = exact_a[i] if name == "a" else getattr(exact, name)
            errors[name][i] = np.linalg.norm(getattr(sol, name)[-1] - expected[0])
    return Convergence(h_all, errors)


def _accelerations(problem, times):
    """v̇ of the reference at several groups of times; the reference is computed once."""
    sizes = np.cumsum([len(group) for group in times])[:-1]
    return np.split(problem.reference(np.concatenate(times)).vdot, sizes)


def condition_number(problem: Problem, h: float, method: GeneralizedAlpha | None = None) -> float:
    """Condition number (2-norm) of the matrix of the first Newton iteration at the initial state."""
    from genalpha.math.linear import Leaves
    from genalpha.step.diagnose import iteration_matrix
    from genalpha.step.initial import initial_state
    from genalpha.step.schemes.alpha import advance
    from genalpha.step.setup import make_setup

    t0 = problem.t_span[0]
    contract = replace(problem.system(), compile=False).contract(t0, problem.q0, problem.v0)
    setup, state = make_setup(contract, method or problem.method), initial_state(contract, t0, problem.q0, problem.v0)
    arrays = setup.arrays
    arrays.counts[KEEP_EXACT] = 1
    arrays.Q[Q0], arrays.V[V0], arrays.V[VDOT0], arrays.V[A_0] = state.q, state.v, state.vdot, state.vdot
    arrays.L[MU0], arrays.memory[STEP_SIZE] = np.concatenate([state.lam, state.psi]), h
    advance(contract.evaluators, Leaves, contract.data, setup.sizes, setup.scheme, arrays, t0 + h, h)
    return float(np.linalg.cond(iteration_matrix(setup)))
