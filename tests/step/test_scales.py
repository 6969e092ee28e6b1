"""Tolerances come from the system's own scales: the same steps and errors in all units of length, mass and time."""

import numpy as np
import pytest

import genalpha as ga

OMEGA = 5.0


def oscillator(size, rate=1.0, mass=1.0):
    return ga.System(M=mass * np.eye(1), f=lambda t, q, v: -mass * (OMEGA * rate) ** 2 * q)


def error(sol, exact, size):
    return np.abs(sol.q[:, 0] - exact).max() / size


@pytest.mark.parametrize("size", [2.0**-30, 1e-9, 1e-3, 1e9])
def test_an_oscillator_of_any_size(size):
    one, other = (ga.solve(oscillator(s), (0.0, 4.0), [s], [0.0], rtol=1e-3) for s in (1.0, size))
    errors = [error(sol, s * np.cos(OMEGA * sol.t), s) for sol, s in ((one, 1.0), (other, size))]
    assert errors[1] == pytest.approx(errors[0], rel=1e-6)
    if size == 2.0**-30:
        np.testing.assert_array_equal(one.t, other.t)


@pytest.mark.parametrize(("rate", "mass"), [(2.0**-20, 1.0), (2.0**20, 1.0), (2.0**10, 2.0**-10)])
def test_units_of_time_and_of_mass(rate, mass):
    one = ga.solve(oscillator(1.0), (0.0, 4.0), [1.0], [0.0], rtol=1e-3)
    other = ga.solve(oscillator(1.0, rate, mass), (0.0, 4.0 / rate), [1.0], [0.0], rtol=1e-3)
    np.testing.assert_allclose(other.t * rate, one.t, rtol=1e-12)
    np.testing.assert_allclose(other.q, one.q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("force", [np.cos, np.sin])
@pytest.mark.parametrize("stiffness", [OMEGA**2, 0.0])
@pytest.mark.parametrize(("size", "rate"), [(1e-9, 1.0), (1e9, 2.0**20)])
def test_a_motion_that_starts_from_nothing(force, stiffness, size, rate):
    """q0 = v0 = 0, and with a sine v̇0 = 0 too: what is to come sets the scale."""

    def run(s, c):
        system = ga.System(M=np.eye(1), f=lambda t, q, v: c**2 * (s * force(3.0 * c * t) - stiffness * q))
        return ga.solve(system, (0.0, 3.0 / c), [0.0], [0.0], rtol=1e-3)

    one, other = run(1.0, 1.0), run(size, rate)
    assert one.stats.steps < 400
    assert np.abs(one.q).max() > 0.05
    np.testing.assert_allclose(other.t * rate, one.t, rtol=1e-9)
    np.testing.assert_allclose(other.q / size, one.q, rtol=0, atol=1e-9)


def pair(length=1.0, angle=1.0, mass=1.0):
    """A mass on a spring that turns a wheel, in units of its own for the length, the angle and the mass."""
    M, K = mass * np.diag([1.0 / length**2, 0.01 / angle**2]), np.array([[40.0, -3.0], [-3.0, 0.5]])
    unit = np.array([1.0 / length, 1.0 / angle])
    system = ga.System(M=M, f=lambda t, q, v: -mass * unit * (K @ (unit * q)) - mass * unit * np.sin(unit[1] * q[1]))
    return ga.solve(system, (0.0, 1.0), [0.3 * length, 1.0 * angle], [0.0, 0.0], rtol=1e-6)


@pytest.mark.parametrize("units", [(2.0**10, 1.0, 2.0**-10), (1.0, 2.0**6, 1.0)])
def test_units_of_single_coordinates(units):
    """As far as Newton's iteration goes: it stops by the largest velocity, a tenth of rtol."""
    one, other = pair(), pair(*units)
    assert other.stats.steps == one.stats.steps
    np.testing.assert_allclose(other.t, one.t, rtol=1e-4)
    np.testing.assert_allclose(other.q / units[:2], one.q, rtol=0, atol=1e-4)


def pendulum(length, mass, gravity):
    return ga.System(
        M=mass * np.eye(2),
        f=lambda t, q, v: np.array([0.0, -mass * gravity]),
        g=lambda t, q: q @ q - length**2,
    )


def test_millimetres_and_tonnes():
    """Powers of two for thousands: the same numbers but for the last bits."""
    k = 2.0**10
    metres = ga.solve(pendulum(1.0, 1.0, 9.81), (0.0, 2.0), [1.0, 0.0], [0.0, 0.0], rtol=1e-3)
    other = ga.solve(pendulum(k, 1.0 / k, k * 9.81), (0.0, 2.0), [k, 0.0], [0.0, 0.0], rtol=1e-3)
    np.testing.assert_allclose(other.t, metres.t, rtol=1e-9)
    np.testing.assert_allclose(other.q / k, metres.q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1.0, 1e6])
def test_an_initial_state_that_is_off_by_a_hundredth(size):
    rod, options = pendulum(size, 1.0, 9.81 * size), {"h": 0.01}
    with pytest.raises(ga.InconsistentInitialState, match=r"'g\[0\]': \|g\|"):
        ga.solve(rod, (0.0, 0.1), [1.01 * size, 0.0], [0.0, 0.0], **options)
    with pytest.raises(ga.InconsistentInitialState, match=r"'g\[0\]': \|ġ\|"):
        ga.solve(rod, (0.0, 0.1), [size, 0.0], [0.01 * size, 0.0], **options)
    assert ga.solve(rod, (0.0, 0.1), [0.6 * size, -0.8 * size], [0.0, 0.0], **options).success
    projected = ga.consistent_initial_state(rod, 0.0, [1.01 * size, 0.0], [0.01 * size, 0.0], project=True)
    assert abs(projected.q @ projected.q / size**2 - 1.0) < 1e-14
    assert abs(projected.v[0]) < 1e-14 * size
    ball = ga.System(M=np.eye(2), f=np.array([0.0, -size]), gap=lambda t, q: q[1:] - size)
    with pytest.raises(ga.InconsistentInitialState, match=r"'gap\[0\]'.*penetrates"):
        ga.solve(ball, (0.0, 0.1), [0.0, 0.99 * size], [0.0, 0.0], **options)
    assert ga.solve(ball, (0.0, 0.1), [0.0, size], [0.0, 0.0], **options).contact_force[-1, 0] > 0.0
