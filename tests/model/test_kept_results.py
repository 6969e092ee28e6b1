"""Results by name are computed once for a solution: one object for a part, one evaluation of G and K for a row."""

import dataclasses
import gc
import pickle
import weakref

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.results import part
from genalpha.model.system import ModelSystem
from genalpha.problems import chain

JOINTS = 8


@pytest.fixture(scope="module")
def hanging():
    problem = chain.make(JOINTS)
    return ga.solve(problem.system(), (0.0, 0.15), problem.q0, problem.v0, problem.method, h=problem.h)


@pytest.fixture
def sol(hanging):
    """The solution, as if nobody had asked for anything yet."""
    return dataclasses.replace(hanging)


@pytest.fixture(scope="module")
def ball():
    """Rows of g and rows of k at once: a ball that rolls, with a smaller one inside."""
    model, spin = ga.Model("ball", gravity=(0.0, 0.0, -9.81)), (-2.0, 0.0, 0.0)
    for name, mass, height in (("ball", 2.0, 0.3), ("core", 0.5, 0.1)):
        speed = 2.0 * height
        model.add(ga.RigidBody(
            name, mass=mass, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, height), velocity=(0.0, speed, 0.0),
            angular_velocity=spin,
        ))  # fmt: skip
    model.add(ga.RollingSphere("floor", model.ground, "ball", radius=0.3))
    model.add(ga.Fixed("hub", "ball", "core", at=(0.0, 0.0, 0.3)))
    return model.assemble()


@pytest.mark.parametrize("part", ["ball3", "rod3"])
def test_a_part_has_one_object_of_results(sol, part):
    assert sol[part] is sol[part]
    assert sol[sol.system.model.parts[part]] is sol[part]


def count_evaluations(monkeypatch, name):
    """The times of all evaluations of G or K from now on, of any number of rows without compiled code."""
    times, contract = [], ModelSystem.contract
    monkeypatch.setattr(part, "FEW", np.inf)

    def counted(self, t0, q0, v0, compiled=True):
        made = contract(self, t0, q0, v0, compiled)
        evaluate = getattr(made.evaluators, name)

        def counting(t, *arguments):
            times.append(t)
            evaluate(t, *arguments)

        return dataclasses.replace(made, evaluators=made.evaluators._replace(**{name: counting}))

    monkeypatch.setattr(ModelSystem, "contract", counted)
    return times


def test_reactions_of_all_joints_take_one_evaluation_per_row(sol, monkeypatch):
    names = [f"ball{i}" for i in range(JOINTS)]
    assert len(sol) > part.FEW
    compiled = {name: (sol[name].force, sol[name].torque) for name in names}
    times, sol = count_evaluations(monkeypatch, "G"), dataclasses.replace(sol)
    for name in names:
        assert sol[name].force == pytest.approx(compiled[name][0], rel=1e-14, abs=1e-14)
        assert sol[name].torque == pytest.approx(compiled[name][1], rel=1e-14, abs=1e-14)
    assert times == sol.t.tolist()


def test_velocity_rows_too(ball, monkeypatch):
    sol = ga.solve(ball, (0.0, 0.15), h=1e-3)
    compiled = sol["floor"].force
    times, sol = count_evaluations(monkeypatch, "K"), dataclasses.replace(sol)
    for name in ("floor", "hub"):
        assert np.all(np.isfinite(sol[name].torque))
    assert sol["floor"].force == pytest.approx(compiled, rel=1e-14, abs=1e-14)
    assert times == sol.t.tolist()


def test_weights_of_a_chain_hang_on_its_joints(sol):
    """Newton's law of all that hangs on a joint: its force is Σ m (a − g), which no row of G is needed for."""
    model, gravity = sol.system.model, np.array([0.0, 0.0, -9.81])
    pulls = [model.parts[f"rod{i}"].mass_used * (sol[f"rod{i}"].acceleration - gravity) for i in range(JOINTS)]
    size = max(np.abs(pull).max() for pull in pulls)
    for i in range(JOINTS):
        assert sol[f"ball{i}"].force == pytest.approx(sum(pulls[i:]), abs=1e-7 * size)
        assert sol[f"ball{i}"].torque == pytest.approx(np.zeros((len(sol), 3)), abs=1e-7 * size)


def test_rows_that_are_added_are_in_the_results():
    problem = chain.make(1)
    sol = ga.solve(problem.system(), (0.0, 0.01), problem.q0, problem.v0, problem.method, h=problem.h)
    before = sol["ball0"].force
    sol.rows.append({name: sol.rows[name][-1:] for name in sol.origin.columns.chosen})
    assert np.array_equal(sol["ball0"].force, np.vstack([before, before[-1:]]))


def test_results_stay_where_they_were_made(sol):
    there = pickle.loads(pickle.dumps(sol))
    assert sol["ball0"] is not there["ball0"]
    size = len(pickle.dumps(sol))
    assert np.array_equal(sol["ball0"].force, there["ball0"].force)
    assert len(pickle.dumps(sol)) == size


def test_results_keep_no_solution_alive():
    """Neither do they lose theirs: what holds a result holds its rows, and without any the memory is free at once."""
    problem = chain.make(1)
    sol = ga.solve(problem.system(), (0.0, 0.01), problem.q0, problem.v0, problem.method, h=problem.h)
    found, expected = sol["ball0"], sol["ball0"].force
    rows = weakref.ref(sol.rows)
    gc.disable()
    try:
        del sol
        assert found.lam.shape == expected.shape
        del found
        assert rows() is None
    finally:
        gc.enable()
