"""Models with contacts of the collection, each with a number."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import clearance, slider_crank
from genalpha.problems.spheres import RADIUS


def solved(problem, t1=None, h=None, **options):
    span = (0.0, problem.t_span[1] if t1 is None else t1)
    return ga.solve(problem.system(), span, method=problem.method, h=h or problem.h, **options)


def test_stops_through_both_doors():
    """The double pendulum between stops: rods, joints and planes give the motion of the functions to 1e-10."""
    model, functions = problems.get("stops_model"), problems.get("stops")
    one = solved(model, 1.0)
    two = ga.solve(functions.system(), (0.0, 1.0), functions.q0, functions.v0, model.method, h=model.h)
    assert np.abs(one.q - two.q).max() < 1e-10
    assert np.array_equal(one.impacts.time, two.impacts.time)
    assert one["left"].gap == pytest.approx(two.gap[:, 0], abs=1e-10)


def test_clearance():
    """The pin stays in its eye; a hundredth of the play makes a hundredth of the difference to a tight joint."""
    errors = []
    for play in (1e-3, 1e-5):
        sol = solved(problems.get("clearance", clearance=play), 0.2)
        assert clearance.play(sol).max() <= play * (1.0 + 1e-9)
        assert len(sol["bearing"].impacts.time) > 0
        tight = problems.get("slider_crank").reference(sol.t[::100])
        errors.append(np.abs(sol["crank"].angle[::100] - tight.q[:, 2]).max())
    assert errors[0] < 0.05
    assert errors[1] < 0.05 * errors[0]
    assert slider_crank.CRANK == 0.3


def test_spheres():
    """A stack that has fallen: nothing penetrates, energy does not grow, forces carry the weight."""
    problem = problems.get("spheres", n=27, width=3, e=0.0)
    sol = solved(problem, 0.6)
    energy = sol.energy.sum(axis=1)
    assert sol.stats.penetration <= 1e-10 * RADIUS
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-6 * energy[0]
    stack = sol["stack"]
    names = {pair for pair in stack.pairs if "floor" in pair}
    force = sum(stack[pair].force for pair in names)
    weight = 9.81 * sum(body.mass_used for body in problem.system().model.bodies)
    assert np.mean(force[-200:]) == pytest.approx(weight, rel=0.05)
    assert len(stack.impacts.time) == len(sol.impacts.time)
    near = next(pair for pair in stack.pairs if "floor" not in pair)
    gap = stack[near].gap
    assert np.nanmin(gap) > -1e-10 * RADIUS
