"""The collection: every problem is what it says, its derivatives are right, its reference solves it."""

from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems

pytestmark = pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")  # Bricard's loop
EVERY = problems.all()
ALL = tuple(problem for problem in EVERY if not problem.has_contacts)  # for the others see test_impact_problems.py
DERIVATIVES = ("g_q", "g_t", "g_bias", "k_v", "k_q", "k_t")


def is_model(problem):
    """Is it made of bodies and joints? Then it always runs compiled, and its derivatives are not given by functions."""
    return not isinstance(problem.system(), ga.System)


def over(problems):
    return pytest.mark.parametrize("problem", problems, ids=lambda problem: problem.name)


each = over(ALL)
each_known = over([problem for problem in ALL if problem.has_reference])
each_of_functions = over([problem for problem in ALL if not is_model(problem)])
each_model = over([problem for problem in ALL if is_model(problem)])


def plain(problem, **changes):
    """The system of a problem, in plain Python if it is made of functions."""
    return problem.system() if is_model(problem) else replace(problem.system(), compile=False, **changes)


def interpreted(problem, **changes):
    """The contract of a problem."""
    return plain(problem, **changes).contract(problem.t_span[0], problem.q0, problem.v0)


def motion(problem, t, q, v):
    """v̇ and (lam, psi) that the equations of motion give for a state."""
    state = ga.consistent_initial_state(plain(problem), t, q, v)
    return state.vdot, np.concatenate([state.lam, state.psi])


def moved(contract, q, delta):
    """q ∘ exp(Δ)."""
    q1 = np.zeros(contract.nq)
    contract.evaluators.update(np.ascontiguousarray(q), np.ascontiguousarray(delta), contract.data, q1)
    return q1


def rate(contract, q, v, d=1e-5):
    """q̇ that belongs to v, by differences of fourth order along q ∘ exp(τ v)."""
    one, two = (moved(contract, q, k * d * v) - moved(contract, q, -k * d * v) for k in (1, 2))
    return (8.0 * one - two) / (12.0 * d)


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
    assert problems.names() == tuple(problem.name for problem in EVERY)
    assert len(set(problems.names())) == len(EVERY)


@each
def test_get_gives_the_same(problem):
    again = problems.get(problem.name)
    assert again.t_span == problem.t_span
    assert np.array_equal(again.q0, problem.q0)


def test_nearest_names():
    with pytest.raises(ga.InputError, match=r"no problem 'pendulm'; did you mean 'pendulum', 'pendulum3d'"):
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
    assert len(problem.names["q"]) == problem.q0.size == contract.nq
    assert problem.v0.size == contract.nv
    assert len(problem.names.get("g", ())) == contract.ng
    assert len(problem.names.get("k", ())) == contract.nk
    assert problem.name in repr(problem)


# ---------------------------------------------------------------- derivatives


@each_of_functions
def test_constraint_derivatives(problem):
    """The given derivatives equal complex steps."""
    t, q, v = generic_state(problem)
    given = interpreted(problem)
    found = interpreted(problem, **dict.fromkeys(DERIVATIVES))
    for name, states in (("G", (t, q)), ("K", (t, q, v))):
        assert given.matrix(name, *states) == pytest.approx(found.matrix(name, *states), abs=1e-13)
    for name, states in (("g_t", (t, q)), ("g_bias", (t, q, v)), ("k_bias", (t, q, v))):
        assert given.evaluate(name, *states) == pytest.approx(found.evaluate(name, *states), abs=1e-9)


@each_model
def test_constraint_derivatives_of_models(problem):
    """G v is the rate of g along any motion, and g_bias the rest of its second derivative, by differences."""
    contract, random = interpreted(problem), np.random.default_rng(3)
    q, step = moved(contract, problem.q0, random.uniform(-0.2, 0.2, contract.nv)), 1e-3
    v = random.uniform(-1.0, 1.0, contract.nv)
    around = np.array([contract.evaluate("g", 0.0, moved(contract, q, k * step * v)) for k in (-2, -1, 0, 1, 2)])
    first, second = np.array([1, -8, 0, 8, -1]) / (12 * step), np.array([-1, 16, -30, 16, -1]) / (12 * step**2)
    assert first @ around == pytest.approx(contract.times("G", v, 0.0, q), abs=1e-10)
    assert second @ around == pytest.approx(contract.evaluate("g_bias", 0.0, q, v), abs=1e-7)


@each_of_functions
@pytest.mark.parametrize("name", ["f_q", "f_v", "f_lam", "f_psi"])
def test_force_derivatives(problem, name):
    """The given derivatives of the force equal differences."""
    system, (t, q, v), n = problem.system(), generic_state(problem), problem.q0.size
    states = {"q": q, "v": v}
    if system.multipliers_in_f:
        states.update(lam=np.full(system.ng or 0, 0.7), psi=np.full(system.nk or 0, 1.3))
    given, varied = getattr(system, name), name[2:]
    if given is None or varied not in states:
        return
    exact = fill(system, given, (n, states[varied].size), t, *states.values())
    for j, d in enumerate(1e-5 * np.eye(states[varied].size)):
        moved = [{**states, varied: states[varied] + sign * d}.values() for sign in (1, -1)]
        forward, backward = (fill(system, system.f, (n,), t, *values) for values in moved)
        assert (forward - backward) / 2e-5 == pytest.approx(exact[:, j], abs=1e-6)


def fill(system, function, shape, *states):
    """What a function gives, whether it returns it, fills it, or is a constant."""
    if not callable(function):
        return np.zeros(shape) + function
    out = np.zeros(shape)
    try:
        function(*states, *system.arguments(), out)
    except TypeError:
        return function(*states, *system.arguments())
    return out


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


@each_known
def test_reference_starts_at_the_initial_state(problem):
    reference = problem.reference(problem.t_span[0])
    assert reference.q[0] == pytest.approx(problem.q0, abs=1e-14)
    assert reference.v[0] == pytest.approx(problem.v0, abs=1e-14)
    initial = ga.consistent_initial_state(plain(problem), 0.0, problem.q0, problem.v0)
    assert reference.lam[0] == pytest.approx(initial.lam, abs=1e-11)
    assert reference.psi[0] == pytest.approx(initial.psi, abs=1e-11)


@each_known
def test_reference_in_any_order(problem):
    t = times(problem)
    forth, back = problem.reference(t), problem.reference(t[::-1])
    assert forth.q == pytest.approx(back.q[::-1], abs=1e-12)


@each_known
def test_reference_satisfies_constraints_and_dynamics(problem):
    """g = 0, ġ = 0, k = 0, and the multipliers are those of M v̇ = f + Gᵀλ + Kᵀψ."""
    contract, t = interpreted(problem), times(problem)
    reference = problem.reference(t)
    for i, ti in enumerate(t):
        q, v = reference.q[i], reference.v[i]
        assert contract.evaluate("g", ti, q) == pytest.approx(0.0, abs=1e-13)
        gdot = contract.matrix("G", ti, q) @ v + contract.evaluate("g_t", ti, q)
        assert gdot == pytest.approx(np.zeros(contract.ng), abs=1e-12)
        assert contract.evaluate("k", ti, q, v) == pytest.approx(0.0, abs=1e-13)
        _, mu = motion(problem, ti, q, v)
        size = 1.0 + np.abs(mu).max(initial=0.0)
        assert np.concatenate([reference.lam[i], reference.psi[i]]) == pytest.approx(mu, abs=1e-10 * size)


@each_known
def test_reference_moves_as_its_velocities_say(problem):
    """q̇ is that of v, and v̇ is the acceleration of the equations of motion, by differences of eighth order."""
    step = 2e-4 * min(problem.t_span[1] - problem.t_span[0], 1.0)
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / step
    contract = interpreted(problem)
    for t in times(problem)[1:-1:3]:
        around = problem.reference(t + step * np.arange(-4, 5))
        q, v = around.q[4], around.v[4]
        vdot, _ = motion(problem, t, q, v)
        assert around.vdot[4] == pytest.approx(vdot, abs=1e-9 * (1.0 + np.abs(vdot).max()))
        assert weights @ around.q == pytest.approx(rate(contract, q, v), abs=1e-7 * (1.0 + np.abs(v).max()))
        assert weights @ around.v == pytest.approx(vdot, abs=1e-6 * (1.0 + np.abs(vdot).max()))


@over([problem for problem in ALL if problem.conserves_energy and problem.has_reference])
def test_reference_keeps_its_energy(problem):
    reference, t = problem.reference(times(problem)), times(problem)
    energy = np.array([problem.energy(*state) for state in zip(t, reference.q, reference.v, strict=True)])
    drift = np.abs(energy.sum(axis=1) - energy[0].sum()).max()
    assert drift <= 1e-9 * np.abs(energy).max()


@pytest.mark.parametrize("name", ["jay", "jay_negrut"])
def test_no_energy(name):
    assert not problems.get(name).conserves_energy
    with pytest.raises(ga.InputError, match="has no energy function"):
        problems.get(name).energy(0.0, [1.0, 1.0], [1.0, -2.0])


def test_the_printed_disk_does_not_keep_its_energy():
    """003 (7.2): the power of all forces changes T + U unless −I2 z3 z5 cos(y3) is in f4."""
    disk = problems.get("rolling_disk")
    t, exact, d = 3.0, disk.reference(3.0), 1e-6
    q, v, vdot = exact.q[0], exact.v[0], exact.vdot[0]
    rate = [sum(disk.energy(t, q + s * d * v, v + s * d * vdot)) for s in (1, -1)]
    assert (rate[0] - rate[1]) / (2 * d) == pytest.approx(0.0, abs=1e-7)
    missing = 2.0 * v[2] * v[4] * np.cos(q[2])
    assert abs(missing * v[3]) > 1e-4


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
    assert sol.success
    if problem.has_reference:
        reference = problem.reference(sol.t)
        assert sol.q == pytest.approx(reference.q, abs=2e-3)
        assert sol.v == pytest.approx(reference.v, abs=2e-2)
    assert sol.stats.max_g < 1e-12
    assert sol.stats.max_gdot < 1e-11
    if isinstance(problem.method, ga.GeneralizedAlpha):
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
