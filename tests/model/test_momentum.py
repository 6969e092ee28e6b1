"""Linear momentum in free flight: exact on R³ × SO(3), of second order on SE(3), with the constant of the book."""

import numpy as np
import pytest

import genalpha as ga

VELOCITY, INERTIA = (1.0, 2.0, -0.5), np.diag([1.0, 2.0, 2.5])


def flight(group, h, spin=(3.0, 2.0, 1.0), t1=1.0, rho_inf=0.9, where=(0.0, 0.0, 0.0), map="exponential", v=VELOCITY):
    model = ga.Model("flight", map=map)
    model.add(
        ga.RigidBody(
            "body",
            mass=2.0,
            inertia=INERTIA,
            position=where,
            velocity=v,
            angular_velocity=spin,
            group=group,
        )
    )
    return ga.solve(model, (0.0, t1), h=h, method=ga.GeneralizedAlpha(rho_inf=rho_inf))


def drift(*args, **options):
    """The largest change of the velocity."""
    velocity = flight(*args, **options)["body"].velocity
    return np.abs(velocity - velocity[0]).max()


def test_momentum_in_space_is_kept():
    assert drift("R3xSO3", 0.02) == 0.0


@pytest.mark.parametrize("map", ["exponential", "cayley"])
@pytest.mark.parametrize("rho_inf", [0.0, 0.9, 1.0])
def test_momentum_on_se3_is_of_second_order(rho_inf, map):
    """A tumbling body."""
    errors = np.array([drift("SE3", h, rho_inf=rho_inf, map=map) for h in (0.01, 0.005, 0.0025)])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(2.0, abs=0.1)
    assert 1e-5 < errors[0] < 5e-3


def test_momentum_does_not_depend_on_the_origin():
    assert drift("SE3", 0.01, where=(1e3, -2e3, 5e2)) == pytest.approx(drift("SE3", 0.01), rel=1e-6)


@pytest.mark.parametrize(("rho_inf", "c"), [(1.0, 1 / 12), (0.5, 5 / 36), (0.0, 7 / 12)])
@pytest.mark.parametrize(("map", "less"), [("exponential", 0.0), ("cayley", 1 / 12)])
def test_momentum_of_a_spinning_body_turns(rho_inf, c, map, less):
    """By (c − less) h² Ω³ t, once the first steps are over; c is the constant of e_v, theory (15)."""
    h, spin = 5e-3, 5.0
    sol = flight("SE3", h, (0.0, 0.0, spin), 4.0, rho_inf, map=map, v=(1.0, 0.0, 0.0))
    angle = np.unwrap(np.arctan2(*sol["body"].velocity.T[[1, 0]]))
    half = len(sol.t) // 2
    rate = (angle[-1] - angle[half]) / (sol.t[-1] - sol.t[half])
    assert rate / (h**2 * spin**3) == pytest.approx(c - less, abs=2e-3)
    size = np.linalg.norm(sol["body"].velocity, axis=1)
    assert -1e-13 < size[0] - size[-1] < 4.0 * spin * (h * spin) ** 2 + 1e-14
