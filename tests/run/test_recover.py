"""What is tried when a step has failed."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.model import as_system
from genalpha.run.recover import rows_depend
from genalpha.run.solve import make_run
from genalpha.step.schedule import make_schedule
from genalpha.step.state import N_SETS, Q1, V1

SHAPES = {"capsule": ga.Capsule(radius=0.1, length=0.2), "box": ga.Box(size=(0.2, 0.2, 0.2))}


@pytest.mark.parametrize(("shape", "depend"), [("capsule", False), ("box", True)])
@pytest.mark.parametrize("singular", [False, True])
def test_rows_depend_by_themselves_and_not_by_an_iterate(shape, depend, singular):
    """The law of impact is another one from then on: a matrix that is singular by accident must not choose it."""
    model = ga.Model("body", gravity=(0.0, 0.0, -9.81))
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0) if shape == "capsule" else (1.0, 0.0, 0.0, 0.0)
    body = ga.RigidBody(
        "body", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, 0.3), orientation=lying,
        velocity=(0.0, 0.0, -1.0), shape=SHAPES[shape],
    )  # fmt: skip
    model.add(ga.Contact("floor", model.add(body), ga.Plane()))
    system, q0, v0 = as_system(model, None, None)
    run = make_run(system, ga.GeneralizedAlpha(), make_schedule((0.0, 0.1), 1e-2), q0, v0)
    run.start(q0, v0, False)
    arrays = run.setup.arrays
    arrays.Q[Q1], arrays.V[V1], arrays.S[:N_SETS] = q0, v0, 1
    assert rows_depend(run, 0.01, 0.01, singular) == depend
    arrays.Q[Q1], arrays.V[V1] = 1e20 * q0, 1e20
    assert not rows_depend(run, 0.01, 0.01, singular)
    arrays.S[:N_SETS] = 0
    assert rows_depend(run, 0.01, 0.01, singular) == singular
