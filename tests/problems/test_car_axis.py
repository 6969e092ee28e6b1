"""The car axis: constraints of time, and published values."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import car_axis


def test_car_axis():
    """The published values at t = 3, by the reference to round-off and by PVA with order 2, in one iteration a step.

    The road makes entries of G vanish at t0 alone: they belong to the factorised matrices all the same.
    """
    problem = problems.get("car_axis")
    reference = problem.reference(3.0)
    known = np.concatenate([reference.q[0], reference.v[0], reference.lam[0]])
    assert known == pytest.approx(car_axis.PUBLISHED, abs=1e-10)
    errors = []
    for h in (5e-4, 2.5e-4):
        sol = ga.solve(problem.system(), problem.t_span, problem.q0, problem.v0, problem.method, h=h, save_every=10**5)
        errors.append(np.linalg.norm(np.concatenate([sol.q[-1], sol.v[-1], sol.lam[-1]]) - known))
        assert sol.stats.max_gddot < 1e-12
        assert sol.stats.newton < 1.1 * sol.stats.steps
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
