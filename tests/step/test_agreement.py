"""One source, two ways to run it: interpreted = compiled, dense = sparse, and chunks change no bit."""

import dataclasses

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.run import run
from genalpha.run import solve as driver

pytestmark = pytest.mark.agreement


def both(problem, method, h, n_steps):
    system, t0 = problem.system(), problem.t_span[0]
    for compiled in (True, False):
        run = dataclasses.replace(system, compile=compiled)
        yield ga.solve(run, (t0, t0 + n_steps * h), problem.q0, problem.v0, method, h=h)


@pytest.mark.parametrize("formulation", ["P", "PVA"])
@pytest.mark.parametrize("name", ["pendulum", "skate", "chain16"])
def test_interpreted_and_compiled_agree(name, formulation):
    n_steps = 100 if name == "chain16" else 1000
    method = ga.GeneralizedAlpha(rho_inf=0.8, formulation=formulation)
    compiled, interpreted = both(problems.get(name), method, 1e-3, n_steps)
    for variable in ("t", "q", "v"):
        expected = getattr(interpreted, variable)
        np.testing.assert_allclose(getattr(compiled, variable), expected, rtol=1e-12, atol=1e-12)
    scale = 1.0 + np.abs(interpreted.lam).max(initial=0.0)
    np.testing.assert_allclose(compiled.lam, interpreted.lam, atol=1e-8 * scale)
    assert compiled.stats.newton == interpreted.stats.newton


@pytest.mark.parametrize("compiled", [True, False])
def test_the_length_of_a_chunk_changes_no_bit(monkeypatch, compiled):
    problem = problems.get("pendulum")
    system = dataclasses.replace(problem.system(), compile=compiled)
    rows = []
    for first in (1, 7, 1000):
        monkeypatch.setattr(run, "first_chunk", lambda *_, first=first: first)
        monkeypatch.setattr(run, "CHUNK_SECONDS", 0.0)
        rows.append(ga.solve(system, (0.0, 0.1), problem.q0, problem.v0, h=1e-3))
    for other in rows[1:]:
        for variable in ("t", "q", "v", "vdot", "a", "lam"):
            np.testing.assert_array_equal(getattr(rows[0], variable), getattr(other, variable))


def test_dense_and_sparse_matrices_agree():
    """The pendulum with full patterns (dense LU) and with the patterns found by sampling (static LU)."""
    problem = problems.get("double_pendulum")
    thin = ga.solve(problem.system(), (0.0, 0.2), problem.q0, problem.v0, h=1e-3)
    full = _without_sampling(problem)
    np.testing.assert_allclose(thin.q, full.q, atol=1e-12)


def _without_sampling(problem):
    from genalpha.run.recover import keep_all_entries
    from genalpha.step.schedule import make_schedule

    schedule = make_schedule((0.0, 0.2), 1e-3)
    whole = driver.make_run(problem.system(), ga.GeneralizedAlpha(), schedule, problem.q0, problem.v0)
    whole.start(problem.q0, problem.v0, False)
    keep_all_entries(whole)
    return whole.go(True)
