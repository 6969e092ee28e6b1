"""Constraints at every step, energy, scaling, the augmented Lagrangian."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.run.solve import make_run
from genalpha.step.diagnose import iteration_matrix
from genalpha.step.schedule import make_schedule
from genalpha.step.state import KEEP_EXACT

PENDULUM = problems.get("pendulum")


def run(problem, formulation="PVA", h=None, t_end=None, rho_inf=0.9, **options):
    span = (problem.t_span[0], t_end or problem.t_span[1])
    keep = {key: options.pop(key) for key in ("vdot0", "project", "save_every") if key in options}
    method = ga.GeneralizedAlpha(rho_inf=rho_inf, formulation=formulation, **options)
    return ga.solve(problem.system(), span, problem.q0, problem.v0, method, h=h or problem.h, **keep)


def acceleration_constraint(problem, sol):
    """g̈ along a solution, (nt, ng)."""
    contract = problem.system().contract(sol.t[0], problem.q0, problem.v0)
    return np.array(
        [
            contract.matrix("G", t, q) @ vdot + contract.evaluate("g_bias", t, q, v)
            for t, q, v, vdot in zip(sol.t, sol.q, sol.v, sol.vdot, strict=True)
        ]
    )


def test_p_holds_positions():
    assert run(PENDULUM, "P").stats.max_g < 1e-13


def test_pva_holds_all_levels():
    stats = run(PENDULUM, "PVA").stats
    assert stats.max_g < 1e-12
    assert stats.max_gdot < 1e-12
    assert stats.max_gddot <= 1e-8


def test_disturbed_accelerations_do_not_reach_pva():
    """002 sec. 5.3: from v̇0 = a0 = 0, P oscillates for the whole run and PVA not at all."""
    start = {"vdot0": np.zeros(3)}
    p, pva = run(PENDULUM, "P", **start), run(PENDULUM, "PVA", **start)
    assert np.abs(acceleration_constraint(PENDULUM, p)[1:]).max() > 50.0
    assert pva.stats.max_g < 1e-12
    assert pva.stats.max_gdot < 1e-12
    assert pva.stats.max_gddot <= 1e-8


def test_statistics_are_what_the_saved_rows_say():
    sol = run(PENDULUM, "P")
    assert np.abs(acceleration_constraint(PENDULUM, sol)[1:]).max() == pytest.approx(sol.stats.max_gddot, rel=1e-9)


@pytest.mark.parametrize("formulation", ["P", "V", "PV", "PVA"])
def test_nonholonomic_rows_hold_at_every_step(formulation):
    assert run(problems.get("skate"), formulation).stats.max_k < 1e-12


def test_chain_holds_all_levels():
    stats = run(problems.get("chain16"), t_end=0.5, h=1e-3).stats
    assert stats.max_g < 1e-12
    assert stats.max_gdot < 1e-11
    assert stats.max_gddot < 1e-9


@pytest.mark.parametrize("formulation", ["V", "PV", "PVA"])
def test_energy_error_is_second_order_without_damping(formulation):
    drift = []
    for h in (2e-3, 1e-3):
        energy = run(PENDULUM, formulation, h=h, rho_inf=1.0, save_every=10).energy.sum(axis=1)
        drift.append(np.abs(energy - energy[0]).max())
    assert drift[0] < 1e-2
    assert np.log2(drift[0] / drift[1]) == pytest.approx(2.0, abs=0.2)


def test_p_needs_damping():
    """The index-3 form is weakly unstable for rho_inf = 1 (Cardona and Géradin 1989), and the others are not."""
    p = run(PENDULUM, "P", rho_inf=1.0, t_end=0.8)
    pva = run(PENDULUM, "PVA", rho_inf=1.0, t_end=0.8)
    assert np.abs(p.lam).max() > 10.0 * np.abs(pva.lam).max()


@pytest.mark.parametrize("h", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_scaling_makes_the_condition_number_independent_of_h(h):
    """004 sec. 4.1: 34 at every h; without scaling it grows as h⁻²."""

    def condition(scaling):
        system, schedule = PENDULUM.system(), make_schedule((0.0, 3 * h), h)
        method = ga.GeneralizedAlpha(rho_inf=0.9, formulation="P", scaling=scaling)
        process = make_run(system, method, schedule, PENDULUM.q0, PENDULUM.v0)
        process.start(PENDULUM.q0, PENDULUM.v0, False)
        process.setup.arrays.counts[KEEP_EXACT] = 1
        process.go(True)
        return np.linalg.cond(iteration_matrix(process.setup))

    assert condition(True) == pytest.approx(34.0, abs=1.0)
    assert condition(False) > 0.1 / h**2


def test_the_augmented_lagrangian_changes_nothing_but_the_way():
    plain, augmented = run(PENDULUM, "P"), run(PENDULUM, "P", augmented=True)
    np.testing.assert_allclose(augmented.q, plain.q, atol=1e-9)
    np.testing.assert_allclose(augmented.lam, plain.lam, atol=1e-5)


def test_scaling_changes_nothing_but_the_way():
    plain, unscaled = run(PENDULUM, "PVA"), run(PENDULUM, "PVA", scaling=False)
    np.testing.assert_allclose(unscaled.q, plain.q, atol=1e-10)


def test_units_do_not_matter():
    """The same pendulum in millimetres and tonnes gives the same motion: tolerances know no units."""
    big = problems.get("pendulum")
    small = pendulum_in_millimetres()
    a, b = run(big), ga.solve(small.system(), small.t_span, small.q0, small.v0, small.method, h=small.h)
    np.testing.assert_allclose(b.q[:, 0] / 1000.0, a.q[:, 0], atol=1e-8)


def pendulum_in_millimetres():
    from genalpha.problems.pendulum import make

    reference = make()
    gravity = reference.system().params[3]
    return make(L=1000.0, m=1e-3, J=0.1e-3 * 1e6, gravity=1000.0 * gravity)


def test_an_explicit_scheme_keeps_the_constraints_too():
    """Störmer's rule, β = 0, with formulation PVA: positions are explicit up to their correction U."""
    method = ga.GeneralizedAlpha(coefficients=ga.Coefficients.stoermer())
    sol = ga.solve(PENDULUM.system(), (0.0, 0.5), PENDULUM.q0, PENDULUM.v0, method, h=1e-3)
    assert max(sol.stats.max_g, sol.stats.max_gdot, sol.stats.max_gddot) < 1e-12
    assert np.abs(sol.q - PENDULUM.reference(sol.t).q).max() < 1e-3


def test_what_is_not_watched_is_not_reported():
    system = PENDULUM.system()
    both = [
        ga.solve(system, (0.0, 0.1), PENDULUM.q0, PENDULUM.v0, ga.GeneralizedAlpha(formulation="P", watch=w), h=1e-3)
        for w in ("all", "enforced")
    ]
    np.testing.assert_array_equal(both[0].q, both[1].q)
    assert both[0].stats.max_g == both[1].stats.max_g
    assert both[0].stats.max_gdot > 0.0
    assert np.isnan([both[1].stats.max_gdot, both[1].stats.max_gddot]).all()
    pva = ga.solve(system, (0.0, 0.1), PENDULUM.q0, PENDULUM.v0, ga.GeneralizedAlpha(watch="enforced"), h=1e-3)
    assert pva.stats.max_gddot < 1e-12
