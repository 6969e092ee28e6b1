"""Systems from Lagrangians: the same as from functions, exact derivatives, parameters, quantities, what they print."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from sympy import Eq, Function, Symbol, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import genalpha as ga
from genalpha import problems
from genalpha.problems import lagrangians
from genalpha.symbolic import lagrange

t = dynamicsymbols._t
x, y = dynamicsymbols("x y")
m, c, a = symbols("m c a")
PARTICLE = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * a * y
NUMBERS = {m: 2.0, a: 9.81}


def solved(problem, system, **changes):
    """A solution with a new Jacobian in every step, so that two systems go through the same iterations."""
    method = dataclasses.replace(problem.method, jacobian="step")
    return ga.solve(system, problem.t_span, problem.q0, problem.v0, method, h=problem.h, **changes)


def test_pendulum_is_that_from_functions():
    problem = problems.get("pendulum")
    ours, theirs = (solved(problem, s) for s in (lagrangians.pendulum().system(), problem.system()))
    for name in ("q", "v", "vdot", "a", "lam"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=0, atol=1e-12)
    assert max(ours.stats.max_g, ours.stats.max_gdot, ours.stats.max_gddot) < 1e-13
    np.testing.assert_allclose(ours.energy, theirs.energy, atol=1e-12)


def test_bouncing_pendulum_has_the_impacts_of_the_one_from_functions():
    problem = problems.get("bouncing_pendulum")
    ours, theirs = (solved(problem, s) for s in (lagrangians.pendulum(wall=True).system(), problem.system()))
    np.testing.assert_array_equal(ours.impacts.time, theirs.impacts.time)
    np.testing.assert_allclose(ours.impacts.departure, theirs.impacts.departure, atol=1e-12)
    assert ours.contact_intervals == theirs.contact_intervals
    assert ours.stats.penetration < 1e-15
    assert abs(ours.impacts.time[:5] - problem.impact_times()[:5]).max() < 2e-3


def test_rolling_disk_is_7_2_corrected():
    """T and U of 003 give M and f of (7.2) with the term that is missing in f4."""
    problem, ours = problems.get("rolling_disk"), lagrangians.rolling_disk().system()
    random = np.random.default_rng(0)
    for _ in range(5):
        q, v, vdot = random.uniform(-1.0, 1.0, (3, 5))
        mu = random.uniform(-1.0, 1.0, 2)
        contracts = [system.contract(0.0, q, v) for system in (ours, problem.system())]
        for name, arguments in {
            "M": (0.0, q), "K": (0.0, q, v), "stiffness": (0.0, q, v, vdot, mu), "damping": (0.0, q, v, vdot, mu)
        }.items():  # fmt: skip
            one, two = (contract.matrix(name, *arguments) for contract in contracts)
            np.testing.assert_allclose(one, two, atol=1e-6 if name == "stiffness" else 1e-13)
        for name in ("f", "k", "k_bias"):
            one, two = (contract.evaluate(name, 0.0, q, v) for contract in contracts)
            np.testing.assert_allclose(one, two, atol=1e-13)


def test_a_chain_in_angles_and_in_absolute_coordinates():
    problem = problems.get("chain16", links=4)
    rest = np.zeros(4)
    angles = ga.solve(lagrangians.links(4, 0.25, 0.25).system(), (0.0, 0.5), rest, rest, h=5e-4)
    joints = ga.solve(lagrangians.jointed_links(4, 0.25, 0.25).system(), (0.0, 0.5), problem.q0, problem.v0, h=5e-4)
    exact = problem.reference(angles.t)
    assert abs(angles.q - exact.q[:, 2::3]).max() < 2e-4
    assert abs(joints.q - exact.q).max() < 2e-4
    assert abs(joints.lam - exact.lam).max() < 5e-3


# derivatives


def everything():
    """A system in which every block of the contract is there and depends on all it may depend on."""
    q = dynamicsymbols("q1:5")
    v = [item.diff(t) for item in q]
    p = symbols("a b d")
    T = sum((1 + cos(q[(i + 1) % 4]) ** 2 / 4) * v[i] ** 2 for i in range(4)) / 2 + sin(q[0]) * v[1] * v[2] / 5
    L = T + t * v[3] * q[0] - p[0] * cos(q[0] - q[1]) * q[2] ** 2 / (2 + q[3] ** 2)
    return lagrange(
        L, q,
        g=[q[0] ** 2 + sin(t) * q[1] - p[1], Eq(q[2] * q[3], q[0])],
        k=[v[0] * sin(q[3]) + v[2] ** 2 * q[0] - t * p[2]],
        gaps=[q[1] + cos(q[2]) * t], e=[p[2] / 4],
        forces={q[2]: -p[1] * v[2] * abs(v[2]) + q[1] * t}, dissipation=p[2] * (v[0] - v[1]) ** 2 * q[3] / 2,
    )  # fmt: skip


def test_every_evaluator_against_the_functions_door():
    """Stiffness, damping and all the others against the derivatives that a System of functions computes by itself."""
    system = everything().system({"a": 1.3, "b": 0.7, "d": 0.9}, compile=False)
    q, v, vdot, mu = np.array([0.4, -0.3, 0.8, 1.2]), *np.random.default_rng(1).uniform(-1, 1, (3, 4))

    def dense(given):
        def matrix(t, q, *rest):
            values = np.zeros(given.rows.size, dtype=q.dtype)
            given.function(t, q, *rest[:-1], values)
            rest[-1][given.rows, given.cols] = values

        return matrix

    plain = ga.System(
        M=dense(system.M), f=system.f, g=system.g, k=system.k, k_v=dense(system.k_v), gap=system.gap, ng=2, nk=1, nc=1,
        params=system.params, inplace=True, compile=False,
    )  # fmt: skip
    with pytest.warns(ga.DerivativeWarning, match="f cannot be differentiated by complex step"):
        computed = plain.contract(0.6, q, v)
    exact = system.contract(0.6, q, v)
    state, all_states = (0.6, q, v), (0.6, q, v, vdot, mu)
    for name in ("M", "G", "N"):
        np.testing.assert_allclose(exact.matrix(name, 0.6, q), computed.matrix(name, 0.6, q), atol=1e-12)
    np.testing.assert_allclose(exact.matrix("K", *state), computed.matrix("K", *state), atol=1e-12)
    for name in ("stiffness", "damping"):
        np.testing.assert_allclose(exact.matrix(name, *all_states), computed.matrix(name, *all_states), atol=2e-6)
    for name in ("g_t", "gap_t"):
        np.testing.assert_allclose(exact.evaluate(name, 0.6, q), computed.evaluate(name, 0.6, q), atol=1e-12)
    for name in ("g_bias", "k_bias", "gap_bias"):
        np.testing.assert_allclose(exact.evaluate(name, *state), computed.evaluate(name, *state), atol=1e-9)
    assert system.e == pytest.approx([0.225])
    assert not exact.scleronomic


def test_force_against_sympy():
    """The force from the program against Lagrange's equations written out."""
    equations = everything()
    values = {Symbol("a"): 1.3, Symbol("b"): 0.7, Symbol("d"): 0.9, t: 0.6}
    q, v = np.array([0.4, -0.3, 0.8, 1.2]), np.array([0.5, 0.2, -0.7, 0.1])
    at = {**dict(zip(equations.v, v, strict=True)), **dict(zip(equations.q, q, strict=True)), **values}
    contract = equations.system({"a": 1.3, "b": 0.7, "d": 0.9}, compile=False).contract(0.6, q, v)
    expected = np.array([[float(row.xreplace(at).evalf())] for row in equations.f])[:, 0]
    np.testing.assert_allclose(contract.evaluate("f", 0.6, q, v), expected, atol=1e-13)
    expected = np.array(equations.M.xreplace(at).evalf(), dtype=float)
    np.testing.assert_allclose(contract.matrix("M", 0.6, q), expected, atol=1e-14)


@pytest.mark.agreement
def test_interpreted_is_compiled():
    problem, equations = problems.get("bouncing_pendulum"), lagrangians.pendulum(wall=True)
    runs = [
        ga.solve(equations.system(compile=compile), (0.0, 0.5), problem.q0, problem.v0, h=1e-3)
        for compile in (None, False)
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-12)
    np.testing.assert_allclose(runs[0].lam, runs[1].lam, atol=1e-9)


def test_check_finds_nothing_wrong():
    problem = problems.get("pendulum")
    report = ga.check(lagrangians.pendulum().system(), 0.0, problem.q0, problem.v0)
    assert report.ok
    assert {derivative.name for derivative in report.derivatives} >= {"g_q", "g_bias"}


def test_a_constant_mass_matrix_is_known_and_sparse():
    contract = lagrangians.jointed_links(4).system(compile=False).contract(0.0, np.zeros(12), np.zeros(12))
    np.testing.assert_allclose(contract.constant_M, np.tile([1.0, 1.0, 1.0 / 12.0], 4))
    assert contract.patterns["G"].size == 4 * 4 + 4 * 3
    assert contract.patterns["stiffness"].size == 4
    assert contract.scleronomic


# parameters, states, quantities


def test_a_sweep_compiles_nothing(monkeypatch):
    problem, system = problems.get("pendulum"), lagrangians.pendulum().system()
    solved(problem, system)
    monkeypatch.setattr("numba.core.dispatcher.Dispatcher.compile", None)
    other = system.with_params({"gravity": 5.0, Symbol("J"): 0.2})
    expected = problems.get("pendulum", gravity=5.0, J=0.2).reference(np.array([problem.t_span[1]]))
    assert abs(solved(problem, other).q[-1] - expected.q[0]).max() < 1e-2
    np.testing.assert_array_equal(system.params, [0.1, 1.0, 10.0, 1.0])
    np.testing.assert_array_equal(system.with_params([0.3, 1.0, 2.0, 3.0]).params, [0.3, 1.0, 2.0, 3.0])


def test_restitution_may_be_a_parameter():
    equations = lagrange(PARTICLE, [x, y], gaps={"floor": y}, e=c)
    system = equations.system({**NUMBERS, c: 0.5}, compile=False)
    assert system.e == pytest.approx([0.5])
    assert system.with_params({c: 0.25}).e == pytest.approx([0.25])
    assert system.with_params([9.81, 0.3, 2.0]).e == pytest.approx([0.3])  # a, c, m
    sol = ga.solve(system, (0.0, 1.0), {x: 0.0, y: 1.0}, {x: 1.0, y: 0.0}, h=1e-3)
    assert sol.impacts.departure[0] == pytest.approx(-0.5 * sol.impacts.approach[0])
    np.testing.assert_array_equal(sol["floor"], sol.gap[:, 0])


def test_states_and_quantities_by_symbol():
    length = symbols("l")
    system = lagrange(PARTICLE, [x, y], g={"rod": x**2 + y**2 - length**2}).system(
        {**NUMBERS, length: 1}, compile=False
    )
    sol = ga.solve(system, (0.0, 0.1), {x: 1.0, "y": 0.0}, {x.diff(t): 0.0, y: 0.5}, h=1e-2)
    np.testing.assert_array_equal(sol.q[0], [1.0, 0.0])
    np.testing.assert_array_equal(sol.v[0], [0.0, 0.5])
    np.testing.assert_array_equal(sol[x], sol.q[:, 0])
    np.testing.assert_array_equal(sol["y"], sol.q[:, 1])
    np.testing.assert_array_equal(sol[y.diff(t)], sol.v[:, 1])
    np.testing.assert_array_equal(sol[y.diff(t, 2)], sol.vdot[:, 1])
    np.testing.assert_array_equal(sol["rod"], sol.lam[:, 0])
    np.testing.assert_allclose(sol[m * a * y + t], 2.0 * 9.81 * sol.q[:, 1] + sol.t)
    np.testing.assert_array_equal(sol[m], np.full(len(sol), 2.0))
    initial = ga.consistent_initial_state(system, 0.0, {x: 0.0, y: -1.0}, {x: 0.0, y: 0.0})
    assert initial.lam == pytest.approx([-9.81])
    assert ga.check(system, 0.0, {x: 0.0, y: -1.0}, {x: 0.0, y: 0.0}).ok


def test_energy_is_jacobis_integral():
    """A bead on a rotating hoop: T2 + V - T0 is conserved, T + V is not."""
    theta, (R, w) = dynamicsymbols("theta"), symbols("R omega")
    L = R**2 * (theta.diff(t) ** 2 + w**2 * sin(theta) ** 2) / 2 + a * R * cos(theta) + w * R * theta.diff(t)
    system = lagrange(L, [theta]).system({R: 1.0, w: 3.0, a: 9.81}, compile=False)
    sol = ga.solve(system, (0.0, 2.0), [1.0], [0.5], h=1e-3)
    total = sol.energy.sum(axis=1)
    assert abs(total - total[0]).max() < 1e-5
    assert abs(sol.energy[:, 0] - 0.5 * sol.v[:, 0] ** 2).max() < 1e-12


# what they print


def test_printing():
    text = str(lagrangians.pendulum(wall=True).equations)
    assert text.splitlines() == [
        "3 coordinates, 2 holonomic constraints, 1 contact; parameters J, L, gravity, m, xₘᵢₙ",
        "  m*ẍ = lam0 + lam_n",
        "  m*ÿ = gravity*m + lam1",
        "  J*θ̈ = L*(lam0*sin(θ) - lam1*cos(θ))",
        "  0 = -L*cos(θ) + x    (pin.x: lam0)",
        "  0 = -L*sin(θ) + y    (pin.y: lam1)",
        "  0 ≤ x - xₘᵢₙ    (wall: lam_n, e = 0.8)",
    ]
    latex = lagrangians.pendulum().equations._repr_latex_()
    assert r"J \ddot{\theta} &= L" in latex
    assert "θ̇₁^2*sin(θ₁ - θ₂)" in str(lagrangians.links(2).equations)
    assert "too long to print" in str(lagrangians.links(9).equations)
    assert "def stiffness(t, q, v, vdot, mu, p, out):" in lagrangians.pendulum().equations.source()
    assert repr(lagrangians.links(2).equations) == "Equations(n = 2, ng = 0, nk = 0, nc = 0, params = g, l, m)"


def test_functions_of_another_time():
    tau = symbols("tau")
    z = Function("z")(tau)
    system = lagrange(z.diff(tau) ** 2 / 2 - 2 * z**2, [z]).system(compile=False)
    sol = ga.solve(system, (0.0, np.pi), [1.0], [0.0], h=1e-3)
    assert sol[z][-1] == pytest.approx(1.0, abs=1e-5)


def test_the_key_on_disk_is_that_of_the_content():
    """The same Lagrangian is found again by another process, whatever the order of its hashes."""
    code = (
        "from genalpha.problems import lagrangians\n"
        "from genalpha.symbolic import code\n"
        "print(code._file(lagrangians.links(3).equations._mechanics).name)"
    )
    names = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout
        for environment in ({"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)} for seed in "12")
    }
    assert len(names) == 1
