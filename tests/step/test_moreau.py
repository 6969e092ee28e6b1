"""The Moreau-Jean θ-scheme: the baseline against which the nonsmooth generalized-α method is compared."""

from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems

PENDULUM = problems.get("bouncing_pendulum")


def run(problem, t1, h, theta=0.5, **options):
    method = ga.MoreauJean(theta=theta)
    return ga.solve(problem.system(), (problem.t_span[0], t1), problem.q0, problem.v0, method, h=h, **options)


def test_first_impacts_of_the_pendulum():
    """002 sec. 6.1: the same impacts as the other methods find."""
    sol = run(PENDULUM, 2.5, 1e-3)
    np.testing.assert_allclose(sol.impacts.time[:5], [0.35119, 0.94474, 1.44342, 1.85830, 2.20005], atol=7e-3)
    np.testing.assert_allclose(sol.impacts.departure[:5], -0.8 * sol.impacts.approach[:5], rtol=1e-9)


def test_velocities_hold_and_positions_do_not():
    """All constraints are at the velocity level: contacts penetrate by O(h), joints drift by O(h²)."""
    coarse, fine = run(PENDULUM, 3.0, 2e-3), run(PENDULUM, 3.0, 1e-3)
    assert max(coarse.stats.max_gdot, fine.stats.max_gdot) < 1e-9
    assert 1e-5 < fine.stats.penetration < coarse.stats.penetration < 1e-2
    assert 3.0 < coarse.stats.max_g / fine.stats.max_g < 5.0


def test_energy_of_the_elastic_bar():
    """Without damping (θ = ½) only the impact itself, e = 0, takes energy; the contact force is that of the bar."""
    bar = problems.get("bar")
    sol = run(bar, 2.5, 2e-3)
    energy = np.array([sum(bar.energy(t, q, v)) for t, q, v in zip(sol.t, sol.q, sol.v, strict=True)])
    assert energy[0] == pytest.approx(500.0)
    assert energy[-1] == pytest.approx(498.05, abs=0.05)
    assert np.diff(energy).max() < 1e-9
    closed = (sol.t > 0.6) & (sol.t < 1.1)
    assert sol.contact_force[closed, 0].mean() == pytest.approx(300.0, abs=1.0)


@pytest.mark.parametrize(("theta", "order"), [(0.5, 2.0), (1.0, 1.0)])
def test_order_without_constraints(theta, order):
    problem = problems.get("oscillator")
    errors = []
    for h in (2e-3, 1e-3):
        sol = run(problem, 1.0, h, theta)
        errors.append(np.abs(sol.q - problem.reference(sol.t).q).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_nonholonomic_constraints_hold():
    assert run(problems.get("skate"), 2.0, 1e-2).stats.max_k < 1e-12


def test_interpreted_and_compiled_agree():
    compiled = run(PENDULUM, 0.5, 1e-3)
    system = replace(PENDULUM.system(), compile=False)
    plain = ga.solve(system, (0.0, 0.5), PENDULUM.q0, PENDULUM.v0, ga.MoreauJean(), h=1e-3)
    np.testing.assert_allclose(plain.q, compiled.q, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(plain.v, compiled.v, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("theta", [0.0, -0.5, 1.5, float("nan")])
def test_theta_is_refused(theta):
    with pytest.raises(ga.InputError, match="theta"):
        ga.MoreauJean(theta=theta)


def test_multipliers_in_f_are_refused():
    problem = problems.get("jay_negrut")
    with pytest.raises(ga.InputError, match="SOI2"):
        run(problem, 0.1, 1e-2)


def test_units_of_mass_do_not_matter():
    """A box that rebounds and turns within a step: an impulse is compared with its velocity by the mass it meets."""
    x, y = 0.13814, 0.22919
    corners, ends = np.array([[x, y], [x, -y], [-x, y], [-x, -y]]), []
    for unit in (1.0, 1e-3, 1e3):
        system = ga.System(
            M=unit * np.diag([0.249067, 0.249067, 7.872e-4]), f=unit * np.array([0.0, -2.44335, 0.0]), e=1.0,
            gap=lambda t, q: q[1] + corners[:, 0] * np.sin(q[2]) + corners[:, 1] * np.cos(q[2]),
        )  # fmt: skip
        sol = ga.solve(
            system, (0.0, 0.425), [0.0, 0.570075, 0.07971], [3.69, 1.122887, 15.72676], ga.MoreauJean(), h=5e-3
        )
        ends.append(sol.q[-1])
        assert len(sol.impacts.time) > 1
    np.testing.assert_allclose(ends, [ends[0]] * 3, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::genalpha.RedundantConstraintsWarning")
@pytest.mark.parametrize("seed", range(10, 20))
def test_one_of_two_walls_presses(seed):
    """A ball that fits between two walls is pressed against one of them, and is hit by another ball."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0.0, 2.0 * np.pi)
    wall, force, line = np.array([np.cos(angle), np.sin(angle), 0.0]), *random.standard_normal((2, 3))
    line /= np.linalg.norm(line)
    system = ga.System(
        M=np.diag([2.0, 2.0, 2.0, 1.0, 1.0, 1.0]), f=np.append(force, np.zeros(3)), e=1.0,
        gap=lambda t, q: np.array([wall @ q[:3], -wall @ q[:3], np.sqrt(np.sum((q[3:] - q[:3]) ** 2)) - 0.2]),
    )  # fmt: skip
    v0 = np.append(np.cross(wall, line), -2.0 * line + 0.3 * random.standard_normal(3))
    sol = ga.solve(system, (0.0, 0.05), np.append(0.0 * line, 0.201 * line), v0, ga.MoreauJean(theta=1.0), h=1e-2)
    assert len(sol.impacts.time) > 0
    assert sol.contact_force.min() >= 0.0
    assert sol.impacts.impulse.min() >= 0.0
    momentum = 2.0 * sol.v[:, :3] + sol.v[:, 3:]
    carried = np.outer(sol.impulse[1:, 0] - sol.impulse[1:, 1], wall) + np.outer(np.diff(sol.t), force)
    np.testing.assert_allclose(np.diff(momentum, axis=0), carried, atol=1e-12)
