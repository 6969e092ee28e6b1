"""Prescribed motions: their derivatives in any unit of time, and models that follow them from the start."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.leaves.drives import time_scale


def crank(motion, spin=0.0, rod_velocity=(0.0, 0.0), **derivatives):
    """A driven crank with a rod on a slider: one loop."""
    model = ga.Model("crank", planar=True)
    body = model.add(ga.RigidBody("crank", mass=1.0, inertia=0.1, position=(0.0, 0.5), orientation=np.pi / 2,
                                  velocity=(-0.5 * spin, 0.0), angular_velocity=spin))  # fmt: skip
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=0.2, position=(1.0, 0.5), velocity=rod_velocity))
    pin = model.add(ga.Revolute("pin", model.ground, body, at=(0.0, 0.0)))
    model.add(ga.Revolute("wrist", body, rod, at=(0.0, 1.0)))
    model.add(ga.PointOnLine("slide", model.ground, rod, at=(2.0, 0.0), axis=(1.0, 0.0)))
    model.add(ga.Drive("drive", pin, motion, **derivatives))
    return model


def s_curve(duration):
    """From rest to rest; its jerk jumps at both ends."""

    def motion(t):
        x = min(max(t / duration, 0.0), 1.0)
        return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)

    return motion


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_derivatives_know_no_unit_of_time(unit):
    model = ga.Model("one", planar=True)
    body = model.add(ga.RigidBody("body", mass=1.0, inertia=1.0))
    pin = model.add(ga.Revolute("pin", model.ground, body, at=(0.0, 0.0)))
    model.add(ga.Drive("drive", pin, lambda t: np.sin(5.0 * t / unit)))
    system = model.assemble()
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    drive = list(contract.names["g"]).index("drive.angle")
    for t in np.linspace(0.0, 3.0 * unit, 7):
        rate = -contract.evaluate("g_t", t, system.q0)[drive] * unit
        second = -contract.evaluate("g_bias", t, system.q0, system.v0)[drive] * unit**2
        np.testing.assert_allclose(rate, 5.0 * np.cos(5.0 * t / unit), atol=5e-11)
        np.testing.assert_allclose(second, -25.0 * np.sin(5.0 * t / unit), atol=1e-7)


def test_the_time_scale_of_a_motion():
    for unit in (1e-9, 1.0, 1e9):
        assert 0.05 < time_scale(lambda t, unit=unit: np.sin(t / unit), 0.0) / unit < 4.0
        assert 0.03 < time_scale(s_curve(unit), 0.0) / unit < 1.0
        assert 0.05 < time_scale(lambda t, unit=unit: 1.0 - np.cos(t / unit), 0.0) / unit < 16.0  # round-off at first
        assert 0.05 < time_scale(lambda t, unit=unit: s_curve(unit)(t - 5.0 * unit), 0.0) / unit < 5.0
        assert time_scale(lambda t, unit=unit: 3.0 * t / unit, 0.0) == 1.0  # a polynomial has none


def table(t):
    if t > 2.0:
        raise ValueError("the table ends here")
    return t**2


def test_a_motion_that_is_known_for_a_while_only():
    assert time_scale(table, 0.0) == 1.0


@pytest.mark.parametrize("duration", [1e-2, 0.35])
def test_a_motion_that_starts_at_rest(duration):
    """Differences across its start are off by a third of the jump of the fourth derivative, times the step cubed."""
    model = crank(s_curve(duration))
    state = ga.consistent_initial_state(model, 0.0)
    assert not np.any(state.v)


def test_a_constant_speed_starts_by_itself():
    """The velocities are those of the mechanism: ω × r of the crank; the rod translates at its upper dead centre."""
    sol = ga.solve(crank(lambda t: 3.0 * t), (0.0, 0.2), h=1e-2)
    np.testing.assert_allclose(sol["crank"].velocity[0], [-1.5, 0.0, 0.0], atol=1e-10)
    np.testing.assert_allclose(sol["crank"].angular_velocity[0], [0.0, 0.0, 3.0], atol=1e-10)
    np.testing.assert_allclose(sol["rod"].velocity[0], [-3.0, 0.0, 0.0], atol=1e-10)
    assert sol.stats.max_gdot < 1e-9
    # the same where the velocities are given
    given = ga.solve(crank(lambda t: 3.0 * t, 3.0, (-3.0, 0.0)), (0.0, 0.2), h=1e-2)
    np.testing.assert_allclose(given.q, sol.q, atol=1e-9)


def test_what_is_given_is_kept_and_what_is_not_follows():
    state = ga.consistent_initial_state(crank(lambda t: 3.0 * t, 3.0), 0.0)
    np.testing.assert_allclose(state.v, [-1.5, 0.0, 3.0, -3.0, 0.0, 0.0], atol=1e-10)


def test_velocities_that_contradict_a_drive_are_refused():
    model = crank(lambda t: 3.0 * t, 2.0, (-2.0, 0.0))
    words = r"Drive 'drive': motion and model differ by 1 in velocity .* or pass project=True"
    with pytest.raises(ga.InconsistentInitialState, match=words):
        ga.consistent_initial_state(model, 0.0)
    with pytest.raises(ga.InconsistentInitialState, match=r"differ by 3 in velocity"):
        ga.consistent_initial_state(crank(lambda t: 3.0 * t), 0.0, v0=np.zeros(6))


def test_a_model_without_drives_is_not_set_going():
    model = ga.Model("rolling", planar=True)
    body = model.add(ga.RigidBody("body", mass=1.0, inertia=1.0, position=(1.0, 0.0), velocity=(1.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, body, at=(0.0, 0.0)))
    with pytest.raises(ga.InconsistentInitialState, match="its points move apart"):
        ga.consistent_initial_state(model, 0.0)
