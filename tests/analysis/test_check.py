"""The checker: what it reports, and that it reports instead of raising."""

import dataclasses

import numpy as np
import pytest
import rover as r
import scipy.sparse as sp
from rover import rover

import genalpha as ga


def pendulum(**given):
    given = {"M": np.eye(2), "f": lambda t, q, v: -q - 0.1 * v, "g": lambda t, q: q @ q - 1.0} | given
    return ga.System(**given)


GIVEN = dict(
    g_q=lambda t, q, p: r.G(t, q),
    g_t=lambda t, q, p: r.g_t(t, q),
    g_bias=lambda t, q, v, p: r.g_bias(t, q, v),
    k_v=lambda t, q, v, p: r.K(t, q, v),
    k_q=lambda t, q, v, p: [[v[0] * v[1], 0.0, 0.0]],
    k_t=lambda t, q, v, p: 0.1 * np.sin(t),
    f_q=ga.Sparse(lambda t, q, v, p: [-3 * p[0] * q[0] ** 2, np.sin(t)], [0, 1], [0, 1]),
    f_v=lambda t, q, v, p: np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [v[2], 0.0, v[0]]]),
)


def test_a_good_system():
    report = ga.check(rover(**GIVEN), 0.0, r.Q0, r.V0)
    assert report.ok
    assert (report.n, report.ng, report.nk, report.rank, report.mobility) == (3, 1, 1, 2, 1)
    assert {derivative.name for derivative in report.derivatives} == set(GIVEN)
    assert all(derivative.error < 1e-10 and derivative.how == "complex step" for derivative in report.derivatives)
    assert [(row.level, row.name) for row in report.violations] == [("g", "ring"), ("ġ", "ring"), ("k", "blade")]
    assert all(row.ok for row in report.violations)
    assert report.notes == ("M is not symmetric",)


def test_it_reads_well():
    text = str(ga.check(pendulum(g_q=lambda t, q: 2.0 * q), 0.0, [0.6, 0.8], [0.8, -0.6]))
    assert text.splitlines() == [
        "System at t = 0: 2 coordinates, 1 holonomic constraint",
        "  runs interpreted, because not marked with @ga.evaluator: f, g, g_q",
        "  rank of the constraints 1 of 1, degrees of freedom 1",
        "  condition of M 1.0e+00",
        "  fastest frequency 0.159 Hz, period 6.28 s; h = 0.1 s gives it 63 steps",
        "  largest |g| 0.0e+00 in 'g[0]', allowed 2.1e-08",
        "  largest |ġ| 0.0e+00 in 'g[0]', allowed 2.1e-08",
        "  g_q: relative error 0.0e+00 against complex step",
        "  ok",
    ]


@pytest.mark.parametrize(
    ("system", "compiled", "why"),
    [
        (rover(), True, "compiled, because all functions are marked"),
        (rover(compile=False), False, "interpreted, by compile=False"),
        (pendulum(compile=True), True, "compiled, by compile=True"),
        (
            ga.System(M=np.eye(2), f=[0.0, 0.0]),
            False,
            "interpreted, because not marked with @ga.evaluator: any function",
        ),
    ],
)
def test_how_it_runs(system, compiled, why):
    n = 3 if system.params is not None else 2
    report = ga.check(system, 0.0, np.ones(n), np.zeros(n))
    assert (report.compiled, report.why) == (compiled, why)


@pytest.mark.parametrize("name", GIVEN)
def test_wrong_derivatives_are_found(name):
    right = GIVEN[name]
    if isinstance(right, ga.Sparse):
        wrong = ga.Sparse(lambda *x: np.multiply(right.function(*x), [1.0, 1.001]), right.rows, right.cols)
    else:
        wrong = lambda *x: 1.001 * np.asarray(right(*x))  # noqa: E731
    report = ga.check(rover(**{**GIVEN, name: wrong}), 0.3, r.Q0, r.V0)
    (bad,) = [derivative for derivative in report.derivatives if not derivative.ok]
    assert bad.name == name
    assert 1e-5 < bad.error < 1.1e-3
    assert not report.ok
    assert any(problem.startswith(f"{name}: relative error") for problem in report.problems)


def test_the_worst_entry_is_named():
    system = pendulum(f_v=[[-0.1, 0.0], [0.5, -0.1]], names={"q": ["x", "y"]})
    (bad,) = ga.check(system, 0.0, [0.6, 0.8], [0.8, -0.6]).derivatives
    assert (bad.entry, bad.given, bad.computed) == ("('y', 'x')", 0.5, 0.0)


def test_an_entry_that_a_pattern_misses():
    system = pendulum(f=lambda t, q, v: [q[1] ** 2, 0.0], f_q=ga.Sparse(lambda t, q, v: [0.0], [0], [0]), f_v=0)
    (bad,) = [d for d in ga.check(system, 0.0, [0.6, 0.8], [0.8, -0.6]).derivatives if not d.ok]
    assert bad.entry == "('q[0]', 'q[1]')"


def test_a_zero_that_is_right():
    """Round-off around a second derivative that vanishes is no error."""
    system = pendulum(g=lambda t, q: q[0] - 3.0 * q[1] + np.pi, g_bias=0, g_t=0, f_q=-np.eye(2))
    assert all(derivative.ok for derivative in ga.check(system, 0.0, [0.6, 0.8], [30.0, 10.0]).derivatives)


def test_fast_drives():
    drive = dict(g=lambda t, q: q[0] - np.sin(300.0 * t), g_bias=lambda t, q, v: 9e4 * np.sin(300.0 * t))
    assert all(d.ok for d in ga.check(pendulum(**drive), 0.2, [0.6, 0.8], [1.0, 1.0]).derivatives)


# ---------------------------------------------------------------- problems are reported, not raised


def test_inconsistent_states():
    report = ga.check(pendulum(names={"q": ["x", "y"], "g": ["rod"]}), 0.0, [0.6, 0.9], [1.0, 0.0])
    assert report.problems == (
        "constraint 'rod': |g| = 0.17 exceeds 3e-08",
        "constraint 'rod': |ġ| = 1.2 exceeds 3e-08",
    )
    assert "  2 problem(s)" in str(report)


def test_singular_mass():
    report = ga.check(pendulum(M=np.diag([1.0, 0.0]), g=None, names={"q": ["x", "y"]}), 0.0, [1.0, 0.0], [0.0, 0.0])
    assert report.condition == np.inf
    assert "a motion of 'y'" in report.problems[0]


def test_negative_mass():
    report = ga.check(pendulum(M=np.diag([1.0, -2.0]), names={"q": ["x", "y"]}), 0.0, [1.0, 0.0], [0.0, 0.0])
    assert report.problems == ("the mass of 'y' is negative: -2",)


def test_redundant_and_contradictory_rows():
    twice = pendulum(g=lambda t, q: [q @ q - 1.0, 2.0 * (q @ q - 1.0)])
    report = ga.check(twice, 0.0, [1.0, 0.0], [0.0, 0.0])
    assert (report.ok, report.rank, report.mobility, report.redundant) == (True, 1, 1, ("g[1]",))
    assert report.notes == ("1 of 2 constraint rows depend on the others: g[1] depends on g[0]",)
    never = pendulum(g=lambda t, q: [q[0] - t**2, q[0] + t**2])
    report = ga.check(never, 0.0, [0.0, 0.0], [0.0, 0.0])
    assert "'g[0]' and 'g[1]' depend on each other" in report.problems[0]


def test_complex_safety_is_a_note():
    report = ga.check(pendulum(f=lambda t, q, v: -np.abs(v) * v), 0.0, [1.0, 0.0], [0.0, 1.0])
    assert report.ok
    assert report.notes[0].startswith("f cannot be differentiated by complex step")


def test_differences_where_complex_numbers_fail():
    system = pendulum(f=lambda t, q, v: -np.abs(v) * v, f_q=0, f_v=lambda t, q, v: np.diag(-2.0 * np.abs(v)))
    report = ga.check(system, 0.0, [1.0, 0.0], [0.0, 1.0])
    assert [derivative.how for derivative in report.derivatives] == ["differences"] * 2
    assert report.ok
    assert report.notes == ()  # the run does not need them


def test_functions_that_cannot_be_called_still_raise():
    with pytest.raises(ga.ShapeError, match="g_q returned shape"):
        ga.check(pendulum(g_q=lambda t, q: np.eye(2)), 0.0, [1.0, 0.0], [0.0, 0.0])
    with pytest.raises(ga.InputError, match="system must be a System or a Model, not dict"):
        ga.check({}, 0.0, [1.0], [0.0])


def test_a_report_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ga.check(pendulum(), 0.0, [1.0, 0.0], [0.0, 0.0]).n = 3


def test_large_systems():
    n = 2000
    K = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tocoo()
    system = ga.System(
        M=sp.eye_array(n),
        f=lambda t, q, v: -(K @ q),
        f_q=ga.Sparse(-K.data, K.row, K.col),
        f_v=0,
        g=lambda t, q: q[:3] ** 2,
        g_q=ga.Sparse(lambda t, q: 2.0 * q[:3], [0, 1, 2], [0, 1, 3]),
    )
    report = ga.check(system, 0.0, np.zeros(n), np.zeros(n))
    (bad,) = [derivative for derivative in report.derivatives if not derivative.ok]
    assert (bad.name, bad.entry) == ("g_q", "'g[2]'")
    assert report.redundant == ("g[0]", "g[1]", "g[2]")
    assert report.condition == pytest.approx(1.0)


def spring(k=4.0, c=0.0):
    return ga.System(M=np.eye(2), f=lambda t, q, v: -k * q - c * v)


def test_the_fastest_frequency():
    """ω/2π of an oscillator, the rate of decay of one that creeps, that of a pendulum on its constraint."""
    assert ga.check(spring(), 0.0, [1.0, 0.0], [0.0, 0.0]).frequency == pytest.approx(2.0 / (2.0 * np.pi), rel=1e-6)
    creeping = ga.check(spring(c=10.0), 0.0, [1.0, 0.0], [0.0, 0.0])
    assert creeping.frequency == pytest.approx((5.0 + np.sqrt(21.0)) / (2.0 * np.pi), rel=1e-6)
    weight = ga.System(M=np.eye(2), f=lambda t, q, v: np.array([0.0, -9.81]), g=lambda t, q: np.array([q @ q - 1.0]))
    hanging = ga.check(weight, 0.0, [0.0, -1.0], [0.0, 0.0])
    assert hanging.frequency == pytest.approx(np.sqrt(9.81) / (2.0 * np.pi), rel=1e-5)
    assert hanging.h == 0.05
    assert "h = 0.05 s gives it 40 steps" in str(hanging)


def test_a_step_size_without_vibrations():
    falling = ga.check(ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.0])), 0.0, [0.0], [0.0])
    assert falling.frequency == 0.0
    assert falling.pace == pytest.approx(1.0 / 3.0)
    assert falling.h == 0.002
    drifting = ga.check(ga.System(M=np.eye(1), f=lambda t, q, v: 0.0 * q), 0.0, [1.0], [4.0])
    assert drifting.pace == pytest.approx(0.25)
    resting = ga.check(ga.System(M=np.eye(1), f=lambda t, q, v: 0.0 * q), 0.0, [1.0], [0.0])
    assert resting.h is None
    assert "no motion: choose h by what is to come" in str(resting)


def test_contacts_are_counted():
    ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), gap=lambda t, q: q)
    assert "1 coordinate, 1 contact\n" in str(ga.check(ball, 0.0, [1.0], [0.0]))


def test_a_model():
    model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0.0, 0.0, -1.0)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    report = ga.check(model)
    assert report.ok
    assert (report.n, report.rank, report.mobility) == (6, 5, 1)
    assert report.frequency == pytest.approx(np.sqrt(9.81 / 1.1) / (2.0 * np.pi), rel=1e-5)
    assert "runs compiled, as all models do" in str(report)
