"""Flat bodies: their largest inertia is the sum of the other two, but for rounding."""

import warnings

import numpy as np
import pytest

import genalpha as ga
from genalpha.math import so3


def spun(inertia, **options):
    model = ga.Model("plate")
    model.add(ga.RigidBody("plate", mass=1.0, inertia=inertia, angular_velocity=(0.1, 0.2, 3.0), **options))
    return model.assemble()


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("excess", [1e-7, 0.9e-3])
def test_rounded_inertias_are_accepted_with_a_warning(unit, excess):
    with pytest.warns(ga.GenalphaWarning, match="RigidBody 'plate': its largest principal inertia exceeds the sum"):
        spun(unit * np.array([1.0, 1.0, 2.0 * (1.0 + excess)]))


def test_rounded_inertias_of_turned_axes():
    R = so3.matrix(np.array([0.6, 0.0, 0.64, 0.48]))
    with pytest.warns(ga.GenalphaWarning, match="any_inertia=True if it is meant"):
        spun(R @ np.diag([1.0, 1.0, 2.0000001]) @ R.T)


def test_more_is_refused_unless_it_is_meant():
    with pytest.raises(ga.InputError, match=r"violate the triangle inequality.* or pass any_inertia=True"):
        spun((1.0, 1.0, 2.01))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spun((1.0, 1.0, 2.5), any_inertia=True)
        spun((1.0, 1.0, 2.0))
        spun((1.0, 1.0, 1.5))


def test_planar_models_do_not_mind():
    model = ga.Model("plane", planar=True)
    model.add(ga.RigidBody("body", mass=1.0, inertia=2.0))
    model.assemble()
