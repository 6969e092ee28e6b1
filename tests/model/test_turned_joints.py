"""A model that is turned as a whole moves alike, also where formulation V lets joints drift apart."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.math import so3


def sprung_chain(turn):
    """Two hinged bodies with a spring about the second hinge, turned as a whole."""
    R = so3.matrix(turn)

    def placed(*x):
        return tuple(R @ np.array(x))

    model = ga.Model("chain", gravity=placed(0.0, 0.0, -9.81))
    for name, x in (("one", 0.5), ("two", 1.5)):
        model.add(
            ga.RigidBody(name, mass=1.0, inertia=(0.02, 0.1, 0.09), position=placed(x, 0.0, 0.0), orientation=turn)
        )
    model.add(ga.Revolute("a", "ground", "one", at=(0.0, 0.0, 0.0), axis=placed(0.3, 1.0, 0.2)))
    model.add(ga.Revolute("b", "one", "two", at=placed(1.0, 0.0, 0.0), axis=placed(0.1, 0.2, 1.0)))
    model.add(ga.TorsionSpring("spring", "b", stiffness=4.0, rest=0.8))
    return model, R


@pytest.mark.parametrize("formulation", ["V", "PVA"])
def test_turned_models_move_alike(formulation):
    method = ga.GeneralizedAlpha(rho_inf=0.9, formulation=formulation)
    found = []
    for turn in ((1.0, 0.0, 0.0, 0.0), so3.exp(np.array([0.3, 0.4, -1.2]))):
        model, R = sprung_chain(np.asarray(turn))
        sol = ga.solve(model, (0.0, 1.0), method=method, h=0.01)
        found.append(sol["two"].position @ R)
    assert np.abs(found[1] - found[0]).max() <= 1e-11
