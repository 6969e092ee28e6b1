"""Problems with impacts: derivatives, initial states, energies, references, and short runs."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import bar, bouncing_ball, bouncing_pendulum, cradle, flexible_pendulum, pendulum, stops
from genalpha.problems.links import Links
from genalpha.system.functions import Sparse

NAMES = ("bouncing_ball", "bouncing_pendulum", "bar", "flexible_pendulum", "cradle", "stops")
ALL = tuple(problems.get(name) for name in NAMES)
each = pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.name)
with_reference = pytest.mark.parametrize(
    "problem", [problem for problem in ALL if problem.has_reference], ids=lambda problem: problem.name
)
TINY = 1e-30
SQRT_I = np.exp(0.25j * np.pi)


def value(problem, name, t, q, v, shape):
    """A function or a constant of the system as an array; complex if the state is."""
    system = problem.system()
    given, takes_v = getattr(system, name), name in {"f", "f_q", "f_v", "g_bias", "gap_bias"}
    pattern = (given.rows, given.cols) if isinstance(given, Sparse) else None
    given = given.function if pattern else given
    out = np.zeros(len(pattern[0]) if pattern else shape, dtype=np.result_type(t, q, v))
    if callable(given):
        given(*((t, q, v) if takes_v else (t, q)), *system.arguments(), out)
    else:
        out[:] = given
    if pattern is None:
        return out
    dense = np.zeros(shape, dtype=out.dtype)
    dense[pattern] = out
    return dense


def generic_state(problem):
    """A state near the initial one that satisfies nothing in particular."""
    random = np.random.default_rng(7)
    return 0.3, *(x + random.uniform(-0.2, 0.2, x.size) for x in (problem.q0, problem.v0))


def gradient(problem, name, t, q, v, size, in_velocity=False):
    """By complex step."""
    columns = []
    for j in range(q.size):
        d = 1j * TINY * np.eye(q.size)[j]
        state = (q, v + d) if in_velocity else (q + d, v)
        columns.append(value(problem, name, t, *state, (size,)).imag / TINY)
    return np.stack(columns, axis=1)


def sizes(problem):
    system = problem.system()
    return problem.q0.size, system.ng or 0, system.nc


def accelerations(problem, t, q, v):
    """v̇ and lam of the smooth motion with open contacts."""
    n, ng, _ = sizes(problem)
    left, right = np.zeros((n + ng, n + ng)), np.zeros(n + ng)
    left[:n, :n] = value(problem, "M", t, q, v, (n, n))
    right[:n] = value(problem, "f", t, q, v, (n,))
    if ng:
        G = value(problem, "g_q", t, q, v, (ng, n))
        left[:n, n:], left[n:, :n] = -G.T, G
        right[n:] = -value(problem, "g_bias", t, q, v, (ng,))
    solution = np.linalg.solve(left, right)
    return solution[:n], solution[n:]


# ---------------------------------------------------------------- definitions


@each
def test_fields(problem):
    n, ng, nc = sizes(problem)
    assert all(isinstance(text, str) and text for text in (problem.title, problem.summary, problem.source))
    assert problem.system().compiled
    assert len(problem.names["q"]) == n == problem.v0.size
    assert len(problem.names.get("g", ())) == ng
    assert len(problem.names["gap"]) == nc
    assert np.all((np.atleast_1d(problem.system().e) >= 0.0) & (np.atleast_1d(problem.system().e) <= 1.0))


def test_all_are_registered():
    functions = [problem for problem in problems.all() if isinstance(problem.system(), ga.System)]
    frictionless = [problem for problem in functions if not problem.system().has_friction]
    assert {problem.name for problem in frictionless if problem.has_contacts} == set(NAMES)
    assert {problem.name for problem in ALL if not problem.has_reference} == {"bar", "flexible_pendulum"}


@each
def test_gap_derivatives(problem):
    t, q, v = generic_state(problem)
    n, _, nc = sizes(problem)
    N = gradient(problem, "gap", t, q, v, nc)
    assert value(problem, "gap_q", t, q, v, (nc, n)) == pytest.approx(N, abs=1e-14)
    assert value(problem, "gap_t", t, q, v, (nc,)) == pytest.approx(0.0)
    step = 1e-3 * SQRT_I
    forth, back = (value(problem, "gap", t + s * step, q + s * step * v, v + 0j, (nc,)) for s in (1.0, -1.0))
    assert value(problem, "gap_bias", t, q, v, (nc,)) == pytest.approx((forth + back).imag / 1e-6, abs=1e-8)


@each
def test_force_derivatives(problem):
    t, q, v = generic_state(problem)
    n = q.size
    for name, in_velocity in (("f_q", False), ("f_v", True)):
        computed = gradient(problem, "f", t, q, v, n, in_velocity)
        size = 1.0 + np.abs(computed).max()
        assert value(problem, name, t, q, v, (n, n)) == pytest.approx(computed, abs=1e-14 * size)


@each
def test_constraint_derivatives(problem):
    t, q, v = generic_state(problem)
    n, ng, _ = sizes(problem)
    if ng:
        assert value(problem, "g_q", t, q, v, (ng, n)) == pytest.approx(gradient(problem, "g", t, q, v, ng), abs=1e-14)
        step = 1e-3 * SQRT_I
        forth, back = (value(problem, "g", t, q + s * step * v, v + 0j, (ng,)) for s in (1.0, -1.0))
        assert value(problem, "g_bias", t, q, v, (ng,)) == pytest.approx((forth + back).imag / 1e-6, abs=1e-8)


@each
def test_energy(problem):
    """½ vᵀM v, and a potential whose slope is minus the force."""
    t, q, v = generic_state(problem)
    n = q.size
    kinetic, _ = problem.energy(t, q, v)
    assert kinetic == pytest.approx(0.5 * v @ value(problem, "M", t, q, v, (n, n)) @ v, rel=1e-13)
    direction = np.random.default_rng(3).uniform(-1.0, 1.0, n)
    forth, back = (problem.energy(t, q + s * 1e-5 * direction, v)[1] for s in (1.0, -1.0))
    power = value(problem, "f", t, q, v, (n,)) @ direction
    assert (forth - back) / 2e-5 == pytest.approx(-power, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", ["bouncing_ball", "bouncing_pendulum", "bar", "flexible_pendulum", "cradle"])
def test_energy_of_many_states(name):
    """Columns of states give an array of energies."""
    problem = problems.get(name)
    t, q, v = generic_state(problem)
    states = [(q, v), (problem.q0, problem.v0), (q, 2.0 * v)]
    q, v = (np.stack(columns, axis=1) for columns in zip(*states, strict=True))
    kinetic, potential = problem.system().energy(np.full(3, t), q, v, *problem.system().arguments())
    one_by_one = np.array([problem.energy(t, *state) for state in states])
    assert np.stack([kinetic, potential], axis=1) == pytest.approx(one_by_one, rel=1e-13, abs=1e-13)


@each
def test_initial_state(problem):
    t, q, v = problem.t_span[0], problem.q0, problem.v0
    n, ng, nc = sizes(problem)
    gaps = value(problem, "gap", t, q, v, (nc,))
    assert np.all(gaps >= -1e-15)
    if ng:
        assert value(problem, "g", t, q, v, (ng,)) == pytest.approx(0.0, abs=1e-15)
        assert value(problem, "g_q", t, q, v, (ng, n)) @ v == pytest.approx(np.zeros(ng), abs=1e-15)
    M = value(problem, "M", t, q, v, (n, n))
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0


@each
def test_functions_compile(problem):
    """The marked functions run in compiled code and give the same."""
    from genalpha.system.compiling import jitted

    t, q, v = generic_state(problem)
    n, _, nc = sizes(problem)
    system = problem.system()
    for name, shape in (("f", (n,)), ("gap", (nc,)), ("f_q", (n, n)), ("gap_q", (nc, n))):
        given = getattr(system, name)
        if not callable(given):
            continue
        out, states = np.zeros(shape), (t, q, v) if name in {"f", "f_q"} else (t, q)
        jitted(given.py_func)(*states, *system.arguments(), out)
        expected = value(problem, name, t, q, v, shape)
        assert out == pytest.approx(expected, abs=1e-13 * (1.0 + np.abs(expected).max()))


# ---------------------------------------------------------------- references


@with_reference
def test_reference_between_impacts(problem):
    """g = 0, ġ = 0, gap ≥ 0, q̇ = v, v̇ and multipliers those of the open contacts, away from impacts."""
    _, ng, nc = sizes(problem)
    hits = problem.impact_times()
    edges = np.concatenate([[problem.t_span[0]], hits[:4]])
    step = 1e-4
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / step
    for t in 0.5 * (edges[1:] + edges[:-1]):
        around = problem.reference(t + step * np.arange(-4, 5))
        q, v = around.q[4], around.v[4]
        vdot, lam = accelerations(problem, t, q, v)
        assert np.all(value(problem, "gap", t, q, v, (nc,)) >= -1e-15)
        assert weights @ around.q == pytest.approx(v, abs=1e-7)
        assert weights @ around.v == pytest.approx(vdot, abs=1e-6)
        assert around.lam[4] == pytest.approx(lam, abs=1e-9)
        if ng:
            assert value(problem, "g", t, q, v, (ng,)) == pytest.approx(0.0, abs=1e-13)


@with_reference
def test_reference_obeys_newtons_law(problem):
    """At an impact one gap is closed, and velocities jump by M⁻¹Nᵀ and M⁻¹Gᵀ times impulses."""
    n, ng, nc = sizes(problem)
    e = np.broadcast_to(problem.system().e, nc)
    for t in problem.impact_times()[:4]:
        before, after = problem.reference(t - 1e-9), problem.reference(t + 1e-9)
        q = after.q[0]
        N = value(problem, "gap_q", t, q, q, (nc, n))
        hit = np.argmin(value(problem, "gap", t, q, q, (nc,)) + (N @ before.v[0] >= 0.0))
        assert value(problem, "gap", t, q, q, (nc,))[hit] == pytest.approx(0.0, abs=1e-7)
        assert N[hit] @ after.v[0] == pytest.approx(-e[hit] * (N[hit] @ before.v[0]), abs=1e-6)
        rows = N if nc == 2 and problem.name == "cradle" else N[hit : hit + 1]
        if ng:
            rows = np.concatenate([rows, value(problem, "g_q", t, q, q, (ng, n))])
        impulse = value(problem, "M", t, q, q, (n, n)) @ (after.v[0] - before.v[0])
        assert rows.T @ np.linalg.lstsq(rows.T, impulse)[0] == pytest.approx(impulse, abs=1e-6)


@with_reference
def test_reference_begins_at_the_initial_state(problem):
    reference = problem.reference([problem.t_span[1], problem.t_span[0]])
    assert reference.q[1] == pytest.approx(problem.q0, abs=1e-15)
    assert reference.v[1] == pytest.approx(problem.v0, abs=1e-15)


# ---------------------------------------------------------------- runs


@each
def test_runs_compiled(problem):
    """To the first impact and a little further with the problem's own settings."""
    first = (
        problem.impact_times()[0] if problem.impact_times else {"bar": 0.5, "flexible_pendulum": 0.32702}[problem.name]
    )
    t1 = first + 10.5 * problem.h
    sol = ga.solve(problem.system(), (0.0, t1), problem.q0, problem.v0, problem.method, h=problem.h)
    assert sol.success
    assert sol.stats.retries == sol.stats.stagnated == 0
    assert sol.impacts.time[0] == pytest.approx(first, abs=2.0 * problem.h)
    assert sol.impacts.approach[0] < 0.0
    assert np.all(sol.impacts.approach <= 0.0)  # 0 of those that are hit through others
    assert sol.stats.penetration < 1e-12
    assert max(sol.stats.max_g, sol.stats.max_gdot) < 1e-11
    if problem.has_reference:
        assert sol.q == pytest.approx(problem.reference(sol.t).q, abs=20.0 * problem.h)


def test_bouncing_ball_comes_to_rest():
    problem = ALL[0]
    ((begin, _),) = problem.contact_intervals[0]
    assert begin == pytest.approx(4.0637, abs=5e-5)
    assert problem.impact_times()[-1] <= begin + 1e-12
    assert problem.reference(4.1).q[0, 0] == problem.reference(4.1).v[0, 0] == 0.0
    hits = problem.impact_times()[:6]
    energies = [sum(problem.energy(t, *(x[0] for x in problem.reference(t)[:2]))) for t in hits]
    assert energies == pytest.approx([9.81 * 0.8 ** (2 * n) for n in range(1, 7)], rel=1e-12)


def test_bouncing_pendulum_impacts():
    problem = ALL[1]
    assert problem.impact_times()[:5] == pytest.approx([0.35119, 0.94474, 1.44342, 1.85830, 2.20005], abs=5e-6)
    assert problem.impact_times()[-1] == pytest.approx(3.6302, abs=5e-5)
    rest = problem.reference(3.9)
    assert rest.v[0] == pytest.approx(0.0)
    assert rest.lam[0] == pytest.approx([-10.0, -10.0], abs=1e-9)
    assert rest.q[0, 0] == pytest.approx(np.sqrt(0.5), abs=1e-15)
    assert problem.system().f is pendulum.f


def test_bar_is_the_continuous_one():
    problem = ALL[2]
    ((begin, end),) = problem.contact_intervals[0]
    assert (begin, end) == pytest.approx((0.5, 0.5 + 2.0 / 3.0))
    assert problem.contact_force == pytest.approx(300.0)
    assert sum(problem.energy(0.0, problem.q0, problem.v0)) == pytest.approx(500.0)
    assert problem.contact_force * (end - begin) == pytest.approx(2.0 * 10.0 * 10.0)


def test_flexible_pendulum_does_not_strain_in_rotation():
    problem = ALL[3]
    p, angle = np.array(problem.system().params), 0.7
    q = problem.q0.copy()
    q[2::3], q[1::3] = q[1::3] * np.sin(angle), q[1::3] * np.cos(angle)
    q[0], q[3::3] = angle, angle
    strains = np.array([flexible_pendulum.strains(q, i, p[5])[:3] for i in range(4)])
    assert strains == pytest.approx(0.0, abs=1e-15)
    weight = value(problem, "f", 0.0, q, q, (13,))
    assert weight[2::3] == pytest.approx(-0.78 * 10.0 * 0.25 * np.array([1, 1, 1, 0.5]), abs=1e-8)


def test_cradle():
    touching, separate = cradle.make(), cradle.make(apart=0.01)
    assert touching.reference(0.9).v[0] == pytest.approx([-1 / 3, 2 / 3, 2 / 3])
    assert separate.reference(0.9).v[0] == pytest.approx([0.0, 0.0, 1.0])
    assert separate.impact_times() == pytest.approx([0.305, 0.315])
    for problem in (touching, separate):
        reference = problem.reference(np.linspace(0.0, 1.0, 41))
        assert (reference.v**2).sum(axis=1) == pytest.approx(1.0)
        assert np.all(np.diff(reference.q, axis=1) >= 0.1 - 1e-15)


def test_stops_keep_their_energy_if_elastic():
    problem = stops.make(e=1.0)
    t = np.linspace(0.0, 1.0, 21)
    reference = problem.reference(t)
    energy = [sum(problem.energy(*state)) for state in zip(t, reference.q, reference.v, strict=True)]
    assert len(problem.impact_times()) > 2
    assert energy == pytest.approx(energy[0] * np.ones(21), rel=1e-10)


def test_hit_reverses_a_velocity():
    rods, theta, omega = Links(2, 1.0, 1.0, 0.1, 9.81), np.array([0.3, -0.4]), np.array([1.0, 2.0])
    gradient = np.array([0.5, -0.7])
    assert gradient @ rods.hit(theta, omega, gradient, 0.6) == pytest.approx(-0.6 * gradient @ omega)


@pytest.mark.parametrize(
    ("make", "parameters", "message"),
    [
        (bouncing_ball.make, {"height": -1.0}, "height"),
        (bouncing_ball.make, {"e": 1.2}, "e = 1.2"),
        (bouncing_pendulum.make, {"x_min": 2.0}, "in front of the wall"),
        (bar.make, {"elements": 0}, "at least one element"),
        (flexible_pendulum.make, {"elements": 0}, "at least one element"),
        (cradle.make, {"balls": 1}, "at least two balls"),
        (stops.make, {"width": 0.01}, "between the stops"),
    ],
)
def test_wrong_parameters(make, parameters, message):
    with pytest.raises(ga.InputError, match=message):
        make(**parameters)
