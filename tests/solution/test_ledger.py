"""Where the energy of a run goes: against closed forms, in other units, and what is left is second order in h."""

import numpy as np
import pytest

import genalpha as ga

TRAPEZOIDAL = ga.GeneralizedAlpha(rho_inf=1.0)
STIFFNESS, DAMPING = 4.0, 0.4


def oscillator(kind, unit=1.0):
    """Mass 1, q0 = 1 and v0 = 0, so that the energy is 2 J at first; ``unit`` is that of energy."""
    if kind == "functions":
        return ga.System(
            M=unit * np.eye(1),
            f=lambda t, q, v: unit * (-STIFFNESS * q - DAMPING * v),
            energy=lambda t, q, v: (0.5 * unit * v[0] ** 2, 0.5 * unit * STIFFNESS * q[0] ** 2),
        )
    model = ga.Model("oscillator", planar=True)
    mass = model.add(ga.PointMass("mass", mass=unit, position=(3.0, 0.0)))
    spring = ga.SpringDamper("spring", model.ground, mass, unit * STIFFNESS, unit * DAMPING, length=2.0)
    model.add(spring)
    return model


def run(system, h, t_end=5.0, **options):
    state = ([1.0], [0.0]) if isinstance(system, ga.System) else ()
    return ga.solve(system, (0.0, t_end), *state, h=h, method=TRAPEZOIDAL, **options)


def exact_energy(t):
    """T + V of q̈ + 0.4 q̇ + 4 q = 0 from q = 1."""
    d, w = 0.5 * DAMPING, np.sqrt(STIFFNESS - 0.25 * DAMPING**2)
    q = np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    v = -np.exp(-d * t) * STIFFNESS / w * np.sin(w * t)
    return 0.5 * v**2 + 0.5 * STIFFNESS * q**2


@pytest.mark.parametrize(("kind", "name"), [("functions", "forces"), ("model", "dampers")])
def test_a_damped_oscillator_loses_nothing_numerically(kind, name):
    left = []
    for h in (0.04, 0.02):
        sol = run(oscillator(kind), h)
        ledger = sol.ledger
        np.testing.assert_allclose(sum(ledger), 2.0, rtol=1e-12)
        np.testing.assert_allclose(getattr(ledger, name), 2.0 - exact_energy(sol.t), atol=4.0 * h**2)
        left.append(np.abs(ledger.numerical).max())
    assert getattr(ledger, name)[-1] > 1.7
    assert left[1] < 1e-3
    assert 3.5 < left[0] / left[1] < 4.6  # second order
    others = {"drives", "motors", "dampers", "forces", "impacts"} - {name}
    assert not any(np.any(getattr(ledger, other)) for other in others)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_other_units(unit):
    one, other = run(oscillator("functions"), 0.05).ledger, run(oscillator("functions", unit), 0.05).ledger
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(b / unit, a, atol=1e-10)


def test_numerical_damping_is_numerical():
    free = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q, energy=lambda t, q, v: (0.5 * v[0] ** 2, 2.0 * q[0] ** 2))
    ledger = ga.solve(free, (0.0, 5.0), [1.0], [0.0], h=0.3, method=ga.GeneralizedAlpha(rho_inf=0.2)).ledger
    np.testing.assert_allclose(ledger.forces, 0.0, atol=1e-8)
    assert ledger.numerical[-1] > 0.1


def test_a_mass_that_changes_with_the_configuration():
    """A bead on a parabola y = q², without friction: nothing is lost, and nothing has gone to forces."""
    bead = ga.System(
        M=lambda t, q: np.array([[1.0 + 4.0 * q[0] ** 2]]),
        f=lambda t, q, v: np.array([-4.0 * q[0] * v[0] ** 2 - 2.0 * 9.81 * q[0]]),
        energy=lambda t, q, v: (0.5 * (1.0 + 4.0 * q[0] ** 2) * v[0] ** 2, 9.81 * q[0] ** 2),
    )
    ledger = run(bead, 0.005, 2.0).ledger
    assert np.abs(ledger.forces).max() < 1e-8
    assert np.abs(ledger.numerical).max() < 1e-2


def test_thinned_rows_do_not_know_what_went_numerically():
    ledger = run(oscillator("functions"), 0.02, save_every=10).ledger
    assert np.all(np.isnan(ledger.numerical))
    assert ledger.forces[-1] == pytest.approx(2.0 - exact_energy(5.0), rel=1e-3)


def test_an_energy_that_is_not_that_of_the_mass_matrix():
    scaled = ga.System(
        M=2.0 * np.eye(1), f=lambda t, q, v: -8.0 * q, energy=lambda t, q, v: (0.5 * v[0] ** 2, 2.0 * q[0] ** 2)
    )
    assert np.all(np.isnan(run(scaled, 0.05).ledger.numerical))


def test_a_constraint_that_moves_does_work():
    """A mass on a carrier with q1 = t²/2: it gains v²/2, and the constraint gives it."""
    carried = ga.System(
        M=np.eye(2), f=np.zeros(2), g=lambda t, q: np.array([q[0] - 0.5 * t**2]),
        energy=lambda t, q, v: (0.5 * v @ v, 0.0),
    )  # fmt: skip
    ledger = ga.solve(carried, (0.0, 2.0), [0.0, 0.0], [0.0, 1.0], h=0.02).ledger
    np.testing.assert_allclose(ledger.drives[-1], -2.0, rtol=1e-9)
    np.testing.assert_allclose(ledger.numerical, 0.0, atol=1e-9)


def arm(part):
    model = ga.Model("arm", planar=True)
    body = model.add(ga.RigidBody("arm", mass=2.0, inertia=0.5, position=(1.0, 0.0)))
    pin = model.add(ga.Revolute("pin", model.ground, body, at=(0.0, 0.0)))
    model.add(part(pin))
    return model


def test_a_driven_arm_gets_its_energy_from_the_drive():
    """½ J ω² with J = 2.5 and ω = sin t, from rest."""
    sol = ga.solve(arm(lambda pin: ga.Drive("drive", pin, lambda t: 1.0 - np.cos(t))), (0.0, 2.0), h=0.01)
    ledger = sol.ledger
    np.testing.assert_allclose(-ledger.drives, 1.25 * np.sin(sol.t) ** 2, atol=2e-4)
    np.testing.assert_allclose(ledger.numerical, 0.0, atol=2e-4)
    assert not np.any(ledger.motors)


def test_a_motor_gives_torque_times_rate():
    """A torque of 5 N m on J = 2.5: ω = 2 t, E = 5 t²."""
    sol = ga.solve(arm(lambda pin: ga.Motor("motor", pin, lambda t, angle, rate: 5.0)), (0.0, 1.0), h=0.01)
    np.testing.assert_allclose(-sol.ledger.motors, 5.0 * sol.t**2, atol=2e-4)
    np.testing.assert_allclose(sol.ledger.numerical, 0.0, atol=1e-3)


def test_loads_and_forces_of_the_users():
    """A push and a torque, constant, of time, and of the state, on a free body: what they give is its energy."""
    model = ga.Model("body")
    body = model.add(ga.RigidBody("body", mass=2.0, inertia=(1.0, 2.0, 2.5), group="SE3"))
    model.add(ga.PointForce("push", body, (1.0, 0.5, 0.0), on=(0.0, 0.3, 0.0), follows=True))
    model.add(ga.Torque("turn", body, lambda t: (0.0, 0.4, t)))
    model.add(ga.UserForce("drag", [body], lambda t, s: np.hstack([-0.3 * s.velocity, -0.2 * s.angular_velocity])))
    ledger = ga.solve(model, (0.0, 2.0), h=0.01).ledger
    assert ledger.kinetic[-1] > 0.5
    np.testing.assert_allclose(ledger.kinetic + ledger.forces, 0.0, atol=1e-4)
    np.testing.assert_allclose(ledger.numerical, 0.0, atol=1e-4)


def test_an_impact_takes_its_share():
    """A ball with e = 1/2 from 1 m: the first impact takes 3/4 of m g h, whatever the air takes is among the forces."""
    ball = ga.System(
        M=np.eye(1), f=lambda t, q, v: np.array([-9.81]) - 0.1 * v, gap=lambda t, q: q, e=0.5,
        energy=lambda t, q, v: (0.5 * v[0] ** 2, 9.81 * q[0]),
    )  # fmt: skip
    ledger = ga.solve(ball, (0.0, 0.6), [1.0], [0.0], h=1e-4).ledger
    before = ledger.kinetic[np.argmax(ledger.impacts > 0.0) - 1]
    assert ledger.impacts[-1] == pytest.approx(0.75 * before, rel=2e-3)
    assert np.abs(ledger.numerical).max() < 5e-3
    assert 0.05 < ledger.forces[-1] < 0.5
