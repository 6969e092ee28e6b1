"""The collection: every problem is what it says, its derivatives are right, its reference solves it."""

from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.step.initial import accelerations

ALL = problems.all()
DERIVATIVES = ("g_q", "g_t", "g_bias", "k_v", "k_q", "k_t")

each = pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.name)


def interpreted(problem, **changes):
    """The contract of a problem, in plain Python."""
    system = replace(problem.system(), compile=False, **changes)
    return system.contract(problem.t_span[0], problem.q0, problem.v0)


def times(problem, n=9):
    """Some times, the first and the last among them."""
    t0, t1 = problem.t_span
    return np.linspace(t0, t1, n)


def generic_state(problem):
    """A state that satisfies nothing in particular."""
    random = np.random.default_rng(7)
    return 0.3, *(x + random.uniform(-0.5, 0.5, x.size) for x in (problem.q0, problem.v0))


# ---------------------------------------------------------------- the collection


def test_names():
    assert problems.names() == tuple(problem.name for problem in ALL)
    assert len(set(problems.names())) == len(ALL)


@each
def test_get_gives_the_same(problem):
    again = problems.get(problem.name)
    assert again.t_span == problem.t_span
    assert np.array_equal(again.q0, problem.q0)


def test_nearest_names():
    with pytest.raises(ga.InputError, match=r"no problem 'pendulm'; did you mean 'pendulum', 'double_pendulum'"):
        problems.get("pendulm")
    with pytest.raises(ga.InputError, match="there are 'oscillator', 'pendulum'"):
        problems.get("x")


def test_wrong_parameters():
    with pytest.raises(ga.InputError, match=r"problem 'skate': .*'size'"):
        problems.get("skate", size=3)
    with pytest.raises(ga.InputError, match="0 <= zeta < 1"):
        problems.get("oscillator", zeta=1.0)
    with pytest.raises(ga.InputError, match="omega != 0"):
        problems.get("skate", omega=0.0)
    with pytest.raises(ga.InputError, match="at least one link"):
        problems.get("chain16", links=0)


@each
def test_fields(problem):
    assert all(isinstance(text, str) and text for text in (problem.title, problem.summary, problem.source))
    assert problem.system().compiled
    contract = interpreted(problem)
    assert len(problem.names["q"]) == problem.q0.size == problem.v0.size == contract.nv
    assert len(problem.names.get("g", ())) == contract.ng
    assert len(problem.names.get("k", ())) == contract.nk
    assert problem.name in repr(problem)


# ---------------------------------------------------------------- derivatives


@each
def test_constraint_derivatives(problem):
    """The given derivatives equal complex steps."""
    t, q, v = generic_state(problem)
    given = interpreted(problem)
    found = interpreted(problem, **dict.fromkeys(DERIVATIVES))
    for name, states in (("G", (t, q)), ("K", (t, q, v))):
        assert given.matrix(name, *states) == pytest.approx(found.matrix(name, *states), abs=1e-13)
    for name, states in (("g_t", (t, q)), ("g_bias", (t, q, v)), ("k_bias", (t, q, v))):
        assert given.evaluate(name, *states) == pytest.approx(found.evaluate(name, *states), abs=1e-9)


@each
@pytest.mark.parametrize("name", ["f_q", "f_v"])
def test_force_derivatives(problem, name):
    system, (t, q, v), contract = problem.system(), generic_state(problem), interpreted(problem)
    given, n, p = getattr(system, name), q.size, np.atleast_1d(0.0 if system.params is None else system.params)
    exact = given(t, q, v, p) if callable(given) else np.zeros((n, n))
    for j in range(n):
        d = 1e-5 * np.eye(n)[j]
        dq, dv = (d, 0 * d) if name == "f_q" else (0 * d, d)
        forward, backward = (contract.evaluate("f", t, q + s * dq, v + s * dv) for s in (1, -1))
        assert (forward - backward) / 2e-5 == pytest.approx(exact[:, j], abs=1e-6)


def test_double_pendulum_twice():
    """The plain system has the same functions."""
    module, problem = problems.double_pendulum, problems.get("double_pendulum")
    t, q, v = generic_state(problem)
    plain, given = module.plain_system().contract(0.0, problem.q0, problem.v0), interpreted(problem)
    assert not module.plain_system().compiled
    for name, states in (("f", (t, q, v)), ("g", (t, q)), ("g_bias", (t, q, v))):
        assert plain.evaluate(name, *states) == pytest.approx(given.evaluate(name, *states), abs=1e-9)
    assert plain.matrix("M", t, q) == pytest.approx(given.matrix("M", t, q))


# ---------------------------------------------------------------- references


@each
def test_reference_starts_at_the_initial_state(problem):
    reference = problem.reference(problem.t_span[0])
    assert reference.q[0] == pytest.approx(problem.q0, abs=1e-14)
    assert reference.v[0] == pytest.approx(problem.v0, abs=1e-14)
    initial = ga.consistent_initial_state(replace(problem.system(), compile=False), 0.0, problem.q0, problem.v0)
    assert reference.lam[0] == pytest.approx(initial.lam, abs=1e-11)
    assert reference.psi[0] == pytest.approx(initial.psi, abs=1e-11)


@each
def test_reference_in_any_order(problem):
    t = times(problem)
    forth, back = problem.reference(t), problem.reference(t[::-1])
    assert forth.q == pytest.approx(back.q[::-1], abs=1e-12)


@each
def test_reference_satisfies_constraints_and_dynamics(problem):
    """g = 0, ġ = 0, k = 0, and the multipliers are those of M v̇ = f + Gᵀλ + Kᵀψ."""
    contract, t = interpreted(problem), times(problem)
    reference = problem.reference(t)
    for i, ti in enumerate(t):
        q, v = reference.q[i], reference.v[i]
        assert contract.evaluate("g", ti, q) == pytest.approx(0.0, abs=1e-13)
        assert contract.matrix("G", ti, q) @ v == pytest.approx(np.zeros(contract.ng), abs=1e-12)
        assert contract.evaluate("k", ti, q, v) == pytest.approx(0.0, abs=1e-13)
        _, mu, _ = accelerations(contract, ti, q, v)
        size = 1.0 + np.abs(mu).max(initial=0.0)
        assert np.concatenate([reference.lam[i], reference.psi[i]]) == pytest.approx(mu, abs=1e-10 * size)


@each
def test_reference_moves_as_its_velocities_say(problem):
    """q̇ = v, and v̇ is the acceleration of the equations of motion, by differences of eighth order."""
    contract, step = interpreted(problem), 2e-4
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / step
    for t in times(problem)[1:-1:3]:
        around = problem.reference(t + step * np.arange(-4, 5))
        q, v = around.q[4], around.v[4]
        vdot, _, _ = accelerations(contract, t, q, v)
        assert weights @ around.q == pytest.approx(v, abs=1e-7 * (1.0 + np.abs(v).max()))
        assert weights @ around.v == pytest.approx(vdot, abs=1e-6 * (1.0 + np.abs(vdot).max()))


@each
def test_reference_keeps_its_energy(problem):
    reference, t = problem.reference(times(problem)), times(problem)
    energy = np.array([problem.energy(*state) for state in zip(t, reference.q, reference.v, strict=True)])
    drift = np.abs(energy.sum(axis=1) - energy[0].sum()).max()
    assert problem.conserves_energy
    assert drift <= 1e-9 * np.abs(energy).max()


def test_damped_oscillator():
    damped = problems.get("oscillator", zeta=0.2, v0=1.0)
    reference = damped.reference([0.0, 5.0])
    assert not damped.conserves_energy
    assert reference.v[0] == pytest.approx([1.0])
    assert abs(reference.q[1, 0]) < 0.01
    sol = ga.solve(replace(damped.system(), compile=False), (0.0, 1.0), damped.q0, damped.v0, h=0.005)
    assert sol.q == pytest.approx(damped.reference(sol.t).q, abs=1e-3)


# ---------------------------------------------------------------- runs


@each
def test_runs_compiled(problem):
    """A short run with the problem's own settings stays near the reference."""
    t1 = problem.t_span[0] + 100 * problem.h
    sol = ga.solve(problem.system(), (problem.t_span[0], t1), problem.q0, problem.v0, problem.method, h=problem.h)
    reference = problem.reference(sol.t)
    assert sol.success
    assert sol.q == pytest.approx(reference.q, abs=2e-3)
    assert sol.v == pytest.approx(reference.v, abs=2e-2)
    assert sol.stats.max_g < 1e-12
    assert sol.stats.max_gdot < 1e-11
    assert sol.stats.max_gddot < 1e-9
    assert sol.stats.max_k < 1e-12


@pytest.mark.agreement
@pytest.mark.parametrize("name", ["chain16", "skate"])
def test_interpreted_is_compiled(name):
    """The sparse and the nonholonomic path give the same numbers both ways."""
    problem = problems.get(name)
    span = (0.0, 20 * problem.h)
    runs = [
        ga.solve(replace(problem.system(), compile=compiled), span, problem.q0, problem.v0, problem.method, h=problem.h)
        for compiled in (None, False)
    ]
    for quantity in ("q", "v", "vdot", "lam", "psi"):
        one, other = (getattr(sol, quantity) for sol in runs)
        assert one == pytest.approx(other, abs=1e-11 * (1.0 + np.abs(one).max(initial=0.0)))
