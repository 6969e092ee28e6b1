"""Impacts create no energy, at any step, in any units; contacts do not pull; forces and impulses are apart."""

import sys
from pathlib import Path

import numpy as np
import pytest

import genalpha as ga

sys.path.insert(0, str(Path(__file__).parents[1]))
from collisions import FREE, METHODS, UNITS, collision, judge


def require(verdict, gain=1e-12):
    assert verdict.work < 1e-12
    assert verdict.gain < gain
    assert verdict.pull < 1e-12
    assert verdict.balance < 1e-12


@pytest.mark.parametrize("h", [None, 3e-3, 5e-2])
@pytest.mark.parametrize("family", FREE)
def test_no_impact_creates_energy(family, h):
    """Random bodies, masses and e: the work of every impact with one normal, and the energy of the motion."""
    for seed, units in enumerate(UNITS):
        require(judge(collision(family, seed, h, units))[0])


@pytest.mark.parametrize("method", [name for name in METHODS if name != "PVA"])
def test_no_method_creates_energy(method):
    for family in ("chain", "discs", "arena"):
        for seed in (4, 5):
            require(judge(collision(family, seed), METHODS[method])[0])


def test_pairs_that_come_and_go_create_no_energy():
    """Piles are regularised: what they gain is of that size."""
    for seed in (1, 3):
        require(judge(collision("gas", seed, h=4e-2))[0], gain=1e-10)


def discs(e):
    return ga.System(
        M=np.eye(4), f=lambda t, q, v: np.zeros(4), f_q=0, f_v=0, e=e,
        gap=lambda t, q: np.array([np.sqrt((q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2) - 0.2]),
    )  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("h", [3e-2, 1e-2, 1e-3])
def test_two_discs_keep_their_energy(h, method):
    """The normal turns in the step of the impact: with that of its beginning, 8 % were gained at h = 1e-2."""
    sol = ga.solve(discs(1.0), (0.0, 0.15), [0.0, 0.0, 0.5, 0.14357618], [4.0, 0.0, 0.0, 0.0], METHODS[method], h=h)
    assert len(sol.impacts.time) == 1
    np.testing.assert_allclose(0.5 * (sol.v**2).sum(axis=1), 8.0, rtol=1e-13)


def test_error_control_keeps_the_energy_of_two_discs():
    sol = ga.solve(discs(1.0), (0.0, 0.15), [0.0, 0.0, 0.5, 0.14357618], [4.0, 0.0, 0.0, 0.0], h_max=1e-2)
    assert len(sol.impacts.time) == 1
    np.testing.assert_allclose(0.5 * (sol.v**2).sum(axis=1), 8.0, rtol=1e-13)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "Moreau"])
def test_a_contact_that_opens_and_is_hit_through_another(method):
    """It leaves as fast as it came, and has its own impact a step later; Newton's law for all at once gains 9 %."""
    line = ga.System(
        M=np.eye(2), f=lambda t, q, v: np.zeros(2), gap=lambda t, q: np.array([q[0], q[1] - q[0]]), e=[0.5, 1.0]
    )
    sol = ga.solve(line, (0.0, 0.05), [0.0, 0.0], [0.1, -1.0], METHODS[method], h=1e-2)
    np.testing.assert_allclose(sol.v[1:3], [[-0.1, 1.0], [0.05, 1.0]], atol=1e-14)
    np.testing.assert_allclose(sol.impacts.approach, [0.1, -1.1, -0.1], atol=1e-14)
    np.testing.assert_allclose(sol.impacts.departure, [-0.1, 1.1, 0.05], atol=1e-14)


def test_the_printed_criterion_keeps_newtons_law_to_the_letter():
    sol = ga.solve(
        discs(1.0), (0.0, 0.15), [0.0, 0.0, 0.5, 0.14357618], [4.0, 0.0, 0.0, 0.0],
        ga.GeneralizedAlpha(criterion="printed"), h=1e-2,
    )  # fmt: skip
    k = np.searchsorted(sol.t, sol.impacts.time[0])
    line = sol.q[k - 1, 2:] - sol.q[k - 1, :2]
    before = (sol.v[k - 1, 2:] - sol.v[k - 1, :2]) @ line / np.linalg.norm(line)
    assert sol.impacts.approach[0] == pytest.approx(before, rel=1e-12)
    assert 0.5 * (sol.v[-1] ** 2).sum() == pytest.approx(8.0 * 1.08, rel=0.01)


# ---------------------------------------------------------------- under gravity


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_under_gravity_a_late_impact_costs_and_never_gains(side):
    """A floor and a ceiling, e = 1: up to m g h |v| at each impact is lost."""
    system = ga.System(
        M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), gap=lambda t, q: side * q, e=1.0,
        energy=lambda t, q, v: (0.5 * v @ v, 9.81 * q[0]),
    )  # fmt: skip
    for h in (1e-2, 3e-3):
        sol = ga.solve(system, (0.0, 1.0), [0.5 * side], [-4.0 * side], h=h)
        loss = -np.diff(sol.energy.sum(axis=1))
        assert len(sol.impacts.time) > 0
        assert loss.min() > -1e-12
        assert loss.max() < 1.1 * 9.81 * h * np.abs(sol.v).max()


@pytest.mark.parametrize("method", METHODS)
def test_impulses_and_forces_are_the_momentum(method):
    """A stack of three with its own e each: m Δv = −m g T + impulses, none negative; forces do not grow as 1/h."""
    stack = ga.System(
        M=np.eye(3), f=lambda t, q, v: np.full(3, -9.81), f_q=0, f_v=0, e=[0.4, 0.0, 0.6],
        gap=lambda t, q: np.array([q[0], q[1] - q[0], q[2] - q[1]]),
    )  # fmt: skip
    largest = []
    for h in (2e-3, 1e-3):
        sol = ga.solve(stack, (0.0, 1.2), [0.0, 0.05, 0.3], np.zeros(3), METHODS[method], h=h)
        given = sol.contact_force[1:].sum(axis=0) * h
        np.add.at(given, sol.impacts.contact, sol.impacts.impulse)
        np.testing.assert_allclose(given, sol.impulse.sum(axis=0), rtol=1e-12)
        momentum = given - np.append(given[1:], 0.0) - 9.81 * 1.2
        np.testing.assert_allclose(sol.v[-1] - sol.v[0], momentum, atol=1e-9)
        assert sol.contact_force.min() >= -1e-12
        assert sol.impulse.min() >= -1e-12
        assert np.abs(sol.contact_force[-1] - 9.81 * np.array([3.0, 2.0, 1.0])).max() < 1e-3
        largest.append(sol.contact_force.max())
    assert max(largest) < 100.0


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.8, 0.9, 1.0])
def test_nothing_is_left_of_a_force_after_the_release(rho_inf):
    """A mass is pulled off the floor at t = 0.5: from the next step on nothing pulls or pushes, and flight is exact."""
    system = ga.System(
        M=np.eye(1), f=lambda t, q, v: np.array([-9.81 if t < 0.5 else 9.81]), f_q=0, f_v=0, gap=lambda t, q: q, e=0.0
    )
    sol = ga.solve(system, (0.0, 1.0), [0.0], [0.0], ga.GeneralizedAlpha(rho_inf=rho_inf), h=1e-2)
    assert sol.contact_force.min() >= 0.0
    assert not sol.contact_force[sol.t > 0.515].any()
    assert sol.contact_force[10, 0] == pytest.approx(9.81, rel=1e-12)


def test_forces_of_divided_steps_are_means_of_their_parts():
    verdict, sol = judge(collision("arena", 28, units="mm t s", gravity=9.81), METHODS["rho1"])
    assert sol.stats.retries > 0
    assert verdict.balance < 1e-12
    assert verdict.pull < 1e-12
