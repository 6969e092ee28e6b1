"""Error control where loops fold: spatial parallelograms lie in line for an instant, and constraints lose rank."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.problems import four_bar
from genalpha.problems.minimal import angle_pendulum

TURNED = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
INERTIA = (1e-3, four_bar.INERTIA, four_bar.INERTIA)


def parallelograms(loops):
    """The planar linkage with spatial bodies: every loop has three rows too many."""
    model = ga.Model("linkage", gravity=(0.0, -four_bar.GRAVITY, 0.0))
    for i in range(loops + 1):
        post = ga.RigidBody(f"post{i}", mass=1.0, inertia=INERTIA, position=(i, 0.5, 0.0), orientation=TURNED,
                            velocity=(0.5, 0.0, 0.0), angular_velocity=(0.0, 0.0, -1.0))  # fmt: skip
        model.add(post)
        model.add(ga.Revolute(f"A{i}", model.ground, post, at=(i, 0.0, 0.0), axis=(0, 0, 1)))
    for i in range(loops):
        model.add(ga.RigidBody(f"bar{i}", mass=1.0, inertia=INERTIA, position=(i + 0.5, 1.0, 0.0), velocity=(1, 0, 0)))
        model.add(ga.Revolute(f"B{i}", f"post{i}", f"bar{i}", at=(i, 1.0, 0.0), axis=(0, 0, 1)))
        model.add(ga.Revolute(f"C{i}", f"bar{i}", f"post{i + 1}", at=(i + 1, 1.0, 0.0), axis=(0, 0, 1)))
    return model


@pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")
@pytest.mark.parametrize("loops", [4, 8])
def test_steps_pass_a_fold(loops):
    """No step converges that ends near the fold: it is passed by one that ends behind it, and not crept up to."""
    sol = ga.solve(parallelograms(loops), (0.0, 1.0), rtol=1e-4)
    theta, _ = angle_pendulum([1.0], 0.5 * np.pi, -1.0, four_bar.acceleration(loops))
    tip = 0.5 * np.array([np.cos(theta[0]), np.sin(theta[0])])
    np.testing.assert_allclose(sol["post0"].position[-1, :2], tip, atol=5e-3)
    assert sol.stats.steps < 100
    assert sol.stats.max_g < 1e-12


@pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")
@pytest.mark.parametrize("loops", [3, 5, 8])
def test_folds_are_passed_with_tight_tolerances(loops):
    """Three and more loops ended at the fold in numbers that overflow, before rows were brought to one size."""
    theta, _ = angle_pendulum([1.0], 0.5 * np.pi, -1.0, four_bar.acceleration(loops))
    tip = 0.5 * np.array([np.cos(theta[0]), np.sin(theta[0])])
    for rtol, error in ((1e-5, 1e-3), (1e-6, 2e-4)):
        sol = ga.solve(parallelograms(loops), (0.0, 1.0), rtol=rtol, max_steps=500)
        np.testing.assert_allclose(sol["post0"].position[-1, :2], tip, atol=error)
        assert sol.stats.max_g < 1e-12
