"""How far multipliers are off: with error control, and by the tolerance of Newton's iteration."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems


def errors_of_lam(method, tolerances):
    """Largest errors of λ over the largest λ, for each rtol."""
    problem, found = problems.get("pendulum"), []
    for rtol in tolerances:
        sol = ga.solve(problem.system(), problem.t_span, problem.q0, problem.v0, method=method, rtol=rtol)
        exact = problem.reference(sol.t).lam
        found.append(np.abs(sol.lam - exact).max() / np.abs(exact).max())
    return np.array(found)


def exponent(errors, tolerances):
    return np.polyfit(np.log(tolerances), np.log(errors), 1)[0]


def test_lam_of_pva_follows_the_trajectory():
    """As rtol^(2/3), as q and v."""
    tolerances = np.array([1e-4, 1e-5, 1e-6])
    errors = errors_of_lam(ga.GeneralizedAlpha(rho_inf=0.9), tolerances)
    assert exponent(errors, tolerances) == pytest.approx(2 / 3, abs=0.1)
    assert errors[-1] < 1e-3


def test_lam_of_p_suffers_where_steps_vary():
    """Within first order, rtol^(1/3), and for some steps far above that of PVA: changes of the step shake λ."""
    tolerances = 10.0 ** -np.arange(4.0, 7.1, 0.5)
    errors, smooth = (errors_of_lam(ga.GeneralizedAlpha(formulation=name), tolerances) for name in ("P", "PVA"))
    assert np.all(errors < 2.0 * tolerances ** (1 / 3))
    assert np.max(errors / smooth) > 5.0
    assert exponent(errors, tolerances) < 0.6 < exponent(smooth, tolerances)


def slider(speed):
    """A pendulum on a slider that moves fast."""
    model = ga.Model("slider", gravity=(0.0, 0.0, -9.81))
    J = np.diag([0.1, 0.2, 0.25])
    a = model.add(ga.RigidBody("a", mass=1.0, inertia=J, velocity=(speed, 0.0, 0.0)))
    b = model.add(ga.RigidBody("b", mass=1.0, inertia=J, position=(0.5, 0.0, 0.0), velocity=(speed, 0.0, 0.0)))
    model.add(ga.Prismatic("guide", "ground", a, at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0)))
    model.add(ga.Revolute("pin", a, b, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return model.assemble()


def balance(system, sol):
    """The largest |M v̇ − f − Gᵀλ|, and |g|."""
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    forces, rows = [], []
    for i in range(0, len(sol.t), 5):
        t, q, v = sol.t[i], sol.q[i], sol.v[i]
        force = contract.evaluate("f", t, q, v) + contract.matrix("G", t, q).T @ sol.lam[i]
        forces.append(np.abs(contract.matrix("M", t, q) @ sol.vdot[i] - force).max())
        rows.append(np.abs(contract.evaluate("g", t, q)).max())
    return max(forces), max(rows)


@pytest.mark.parametrize("formulation", ["PVA", "P"])
@pytest.mark.parametrize("speed", [4.7, 470.0])
def test_tolerance_of_the_iteration(formulation, speed):
    """Forces balance to tol m v/h, and P holds g to tol h v: both are below that, for every tol."""
    system, h = slider(speed), 1e-2
    for tol in (1e-6, 1e-8, 1e-10):
        method = ga.GeneralizedAlpha(formulation=formulation, tol=tol)
        sol = ga.solve(system, (0.0, 0.5), h=h, method=method)
        force, row = balance(system, sol)
        assert force < 2.0 * tol * speed / h + 1e-12 * speed / h
        assert row < tol * h * speed + 1e-14 * (1.0 + 0.5 * speed)


def test_tolerance_with_error_control():
    """There tol is a tenth of rtol, and g = 0, ġ = 0 hold to round-off all the same."""
    system = slider(4.7)
    for rtol in (1e-3, 1e-5):
        sol = ga.solve(system, (0.0, 0.5), rtol=rtol)
        force, row = balance(system, sol)
        assert force < 2.0 * 0.1 * rtol * np.abs(sol.v).max() / np.diff(sol.t).min()
        assert row < 1e-13
