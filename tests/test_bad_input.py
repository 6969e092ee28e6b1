"""Bad input: every mistake gets an exception that says what, where, how far and what to do."""

import numpy as np
import pytest
import scipy.sparse as sp

import genalpha as ga

SPAN, Q0, V0 = (0.0, 1.0), [1.0, 0.0], [0.0, 0.0]


def gravity(t, q, v):
    return np.array([0.0, -9.81])


def pendulum(**given):
    given = {"M": np.eye(2), "f": gravity, "g": lambda t, q: q @ q - 1.0} | given
    return ga.System(**given)


def particle(**given):
    return ga.System(**({"M": np.eye(2), "f": gravity} | given))


def solve(system, q0=Q0, v0=V0, method=None, h=0.01, **options):
    return ga.solve(system, SPAN, q0, v0, method, h=h, **options)


# ---------------------------------------------------------------- shapes and values of functions and constants

SHAPES = [
    (particle(f=lambda t, q, v: q[:1]), r"f returned shape \(1,\) at t = 0, expected \(2,\)"),
    (particle(M=lambda t, q: np.eye(3)), r"M returned shape \(3, 3\) at t = 0, expected \(2, 2\)"),
    (particle(M=np.eye(3)), r"M has shape \(3, 3\), expected \(2, 2\)"),
    (particle(M=[1.0, 2.0]), r"M has shape \(2,\), expected \(2, 2\); use np.diag or np.eye"),
    (particle(M=2.0), r"M has shape \(\), expected \(2, 2\); use np.diag or np.eye"),
    (particle(M=sp.eye_array(3)), r"M has shape \(3, 3\), expected \(2, 2\)"),
    (particle(f_q=np.ones(3)), r"f_q has shape \(3,\), expected \(2, 2\)"),
    (pendulum(g_q=lambda t, q: [[q[0], q[1], 0.0]]), r"g_q returned shape \(1, 3\) at t = 0, expected \(1, 2\)"),
    (pendulum(g=lambda t, q: np.r_[q, 0.0], g_q=lambda t, q: np.eye(2, 3)), r"expected \(3, 2\); it looks transposed"),
    (pendulum(g_t=lambda t, q: q), r"g_t returned shape \(2,\) at t = 0, expected \(1,\)"),
    (pendulum(g_bias=lambda t, q, v: q), r"g_bias returned shape \(2,\) at t = 0, expected \(1,\)"),
    (pendulum(g=lambda t, q: q, ng=1), r"g returned shape \(2,\) at t = 0, expected \(1,\)"),
    (particle(k=lambda t, q, v: v[:1], k_v=[[1.0]]), r"k_v has shape \(1, 1\), expected \(1, 2\)"),
    (particle(f_v=ga.Sparse(lambda t, q, v: q, [0], [0])), r"f_v returned shape \(2,\) at t = 0, expected \(1,\)"),
    (particle(f_v=ga.Sparse(gravity, [0, 2], [0, 1])), r"pattern of f_v has an entry \(2, 1\) outside of the shape"),
    (particle(f_v=lambda t, q, v: sp.eye_array(3)), r"f_v returned shape \(3, 3\) at t = 0, expected \(2, 2\)"),
    (particle(f=lambda t, q, v: sp.eye_array(2)), r"f returns a scipy.sparse matrix, expected a vector"),
]


@pytest.mark.parametrize(("system", "message"), SHAPES)
def test_shapes(system, message):
    with pytest.raises(ga.ShapeError, match=message):
        solve(system)


def fills_and_returns(t, q, v, out):
    return -q


def spoils(t, q, v):
    q[0] = 0.0
    return -q


VALUES = [
    (particle(f=lambda t, q, v: None), "f returned None at t = 0, expected real numbers; is its return statement miss"),
    (particle(f=lambda t, q, v: 1j * q), "f returned numbers of type complex128 at t = 0, expected real numbers"),
    (particle(f=lambda t, q, v: "ab"), "f returned 'ab' at t = 0, expected real numbers"),
    (particle(f=lambda t, q, v: [[1.0], [1.0, 2.0]]), r"f returned \[\[1.0\], \[1.0, 2.0\]\] at t = 0"),
    (particle(M="heavy"), r"M has shape \(\), expected"),
    (particle(f=fills_and_returns), "f has an argument out, which it must fill, but it returns an array"),
    (particle(f=spoils), r"f changes its argument q; let it work on a copy, q.copy\(\)"),
    (pendulum(g=lambda t, q, out: None), r"g fills its argument out: say how long it is, System\(..., ng=...\)"),
    (pendulum(names={"g": ["a", "b"]}), r"names\['g'\] has 2 names for 1 entries"),
    (pendulum(names={"q": ["x"]}), r"names\['q'\] has 1 names for 2 entries"),
]


@pytest.mark.parametrize(("system", "message"), VALUES)
def test_values(system, message):
    with pytest.raises(ga.InputError, match=message):
        solve(system)


STATES = [
    (dict(q0=[1.0], v0=V0), r"q0 \(1,\) and v0 \(2,\) must be vectors of the same length"),
    (dict(q0=[], v0=[]), r"q0 \(0,\) and v0 \(0,\)"),
    (dict(q0=[[1.0, 0.0]], v0=V0), r"q0 has shape \(1, 2\); it must be a vector"),
    (dict(q0=["a", "b"], v0=V0), "q0 must be a vector of real numbers, not list"),
    (dict(q0=[1j, 0.0], v0=V0), "q0 must be a vector of real numbers"),
    (dict(q0=Q0, v0=[0.0, np.nan]), r"v0\[1\] = nan is not a finite number"),
    (dict(q0=Q0, v0=[0.0, np.inf]), r"v0\[1\] = inf is not a finite number"),
]


@pytest.mark.parametrize(("state", "message"), STATES)
def test_initial_vectors(state, message):
    with pytest.raises(ga.InputError, match=message):
        solve(particle(), **state)


# ---------------------------------------------------------------- initial states and constraints


@pytest.mark.parametrize(
    ("q0", "v0", "message"),
    [
        ([1.1, 0.0], V0, r"'rod': \|g\| = 0.21 exceeds 2e-08 at t0 = 0; correct q0 or pass project=True"),
        (Q0, [0.5, 0.0], r"'rod': \|ġ\| = 1 exceeds 4e-08 at t0 = 0; correct v0 or pass project=True"),
        (Q0, [0.0, 0.5], r"'blade': \|k\| = 0.5 exceeds 2e-08 at t0 = 0; correct v0 or pass project=True"),
    ],
)
def test_inconsistent_states(q0, v0, message):
    system = pendulum(k=lambda t, q, v: v[1], names={"g": ["rod"], "k": ["blade"]})
    with pytest.raises(ga.InconsistentInitialState, match=message):
        solve(system, q0, v0)


def test_how_many_rows_are_inconsistent():
    with pytest.raises(ga.InconsistentInitialState, match=r"'g\[1\]': \|g\| = 2 .* \(and 1 more rows\)"):
        solve(pendulum(g=lambda t, q: q - [0.0, 2.0]))


def test_positions_that_contradict():
    system = particle(g=lambda t, q: [q[0] - 1.0, q[0] - 2.0])
    with pytest.raises(ga.ContradictoryConstraints, match=r"no position near q0 .* \|g\| = \d.* left in 'g\[[01]\]'"):
        solve(system, project=True)


def test_velocities_that_contradict():
    system = particle(k=lambda t, q, v: [v[0] - 1.0, v[0] - 2.0])
    with pytest.raises(
        ga.ContradictoryConstraints, match=r"no velocity near v0 .* left in the velocity of 'k\[[01]\]'"
    ):
        solve(system, project=True)


def test_accelerations_that_contradict():
    system = particle(g=lambda t, q: [q[0] - t * t, q[0] - 2.0 * t * t])
    message = r"at t = 0: 'g\[0\]' and 'g\[1\]' depend on each other but demand accelerations that differ by 2; remove"
    with pytest.raises(ga.ContradictoryConstraints, match=message):
        solve(system, [0.0, 0.0])


@pytest.mark.parametrize(
    ("M", "names"),
    [(np.diag([1.0, 0.0]), "'y'"), (np.ones((2, 2)), "'x', 'y'"), (np.zeros((2, 2)), "'[xy]'")],
)
def test_singular_mass(M, names):
    message = (
        rf"mass matrix is singular at t = 0: a motion of {names} that the constraints allow has no inertia; give it"
    )
    with pytest.raises(ga.SingularMassError, match=message):
        solve(particle(M=M, names={"q": ["x", "y"]}))


# ---------------------------------------------------------------- NaN and exceptions, at first and midway


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (particle(f=lambda t, q, v: [0.0, np.nan]), r"f gives nan in entry \[1\] at t = 0; look at what it divides by"),
        (particle(M=lambda t, q: np.diag([1.0, np.inf])), r"M gives inf in entry \[1, 1\] at t = 0"),
        (particle(M=np.diag([1.0, np.nan])), r"M gives nan in entry \[1, 1\]"),
        (pendulum(g_q=lambda t, q: [np.nan, 0.0]), r"g_q gives nan in entry \[0, 0\]"),
        (particle(f_v=ga.Sparse([np.inf], [0], [0])), r"f_v gives inf in entry \[0\]"),
    ],
)
def test_nan_at_first(system, message):
    with pytest.raises(ga.NonFiniteError, match=message), np.errstate(all="ignore"):
        solve(system)


def late(value):
    return lambda t, q, v: value(q) if t > 0.5 else -q


def test_nan_midway():
    with pytest.raises(ga.NonFiniteError, match=r"f gives NaN or inf at t = 0.51 .*step 51 to t = 0.51") as caught:
        solve(particle(f=late(lambda q: np.nan * q)))
    partial = caught.value.solution
    np.testing.assert_allclose(partial.t, 0.01 * np.arange(51))
    assert not partial.success


@pytest.mark.parametrize("n", [1, 3, 4, 9])
@pytest.mark.parametrize("formulation", ["P", "PVA"])
def test_nan_midway_in_one_coordinate_of_many(n, formulation):
    """Wherever it stands: the numbers that are well do not hide it."""
    for i in range(n):

        def f(t, q, v, i=i):
            return np.where((t > 0.5) & (np.arange(n) == i), np.nan, -q)

        method = ga.GeneralizedAlpha(formulation=formulation)
        with pytest.raises(ga.NonFiniteError, match=r"f gives NaN or inf at t = 0.51") as caught:
            solve(ga.System(M=np.eye(n), f=f), np.ones(n), np.zeros(n), method)
        assert len(caught.value.solution.t) == 51
        assert np.all(np.isfinite(caught.value.solution.q))


def test_an_exception_at_first():
    with pytest.raises(ZeroDivisionError) as caught:
        solve(particle(f=lambda t, q, v: q / (1 // 0)))
    assert caught.value.__notes__ == ["raised by f at t = 0, the initial state"]


def test_an_exception_midway():
    with pytest.raises(ZeroDivisionError) as caught:
        solve(particle(f=late(lambda q: 1 // 0)))
    assert caught.value.__notes__[0] == "raised by f at t = 0.51"
    assert "the run had reached t = 0.5" in caught.value.__notes__[1]
    assert caught.value.solution.t[-1] == pytest.approx(0.5)
    assert caught.value.solution.status == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (lambda q: q[:1], ga.ShapeError, r"f returned shape \(1,\) at t = 0.51, expected \(2,\)"),
        (lambda q: None, ga.InputError, r"f returned None at t = 0.51"),
        (lambda q: 1j * q, ga.InputError, r"f returned numbers of type complex128 at t = 0.51"),
    ],
)
def test_another_kind_of_value_midway(value, error, message):
    with pytest.raises(error, match=message) as caught:
        solve(particle(f=late(value), f_q=0, f_v=0))
    assert caught.value.solution.t[-1] == pytest.approx(0.5)


def test_a_failed_run_may_return_what_it_has():
    sol = solve(particle(f=late(lambda q: 1 // 0)), throw=False)
    assert (sol.success, sol.status) == (False, "ZeroDivisionError")
    assert "ZeroDivisionError: integer division" in sol.message
    assert sol.t[-1] == pytest.approx(0.5)


def test_a_pattern_that_grows():
    def f_q(t, q, v):
        return -sp.eye_array(2) if t < 0.5 else sp.csr_array(-np.ones((2, 2)))

    with pytest.raises(
        ga.ShapeError, match=r"f_q has an entry \(0, 1\) at t = 0.\d+ that it did not have before; store"
    ):
        solve(particle(f_q=f_q), method=ga.GeneralizedAlpha(jacobian="step"))


# ---------------------------------------------------------------- steps and methods


@pytest.mark.parametrize("h", [0.0, -1.0, [0.5, 0.4]])
def test_steps_are_refused_before_anything_is_called(h):
    with pytest.raises(ga.InputError, match="h"):
        solve(particle(f=lambda t, q, v: 1 // 0), h=h)


@pytest.mark.parametrize("rho_inf", [-0.1, 1.1, np.nan])
def test_spectral_radius(rho_inf):
    with pytest.raises(ga.InputError, match="rho_inf"):
        ga.GeneralizedAlpha(rho_inf=rho_inf)


def test_coefficients_of_first_order():
    with pytest.warns(ga.OrderWarning, match="gamma"):
        ga.GeneralizedAlpha(coefficients=ga.Coefficients(0.5, 0.5, 0.25, 0.6))


def test_a_step_that_does_not_converge():
    system = pendulum(f=lambda t, q, v: -1e5 * np.sin(50.0 * q), names={"q": ["x", "y"], "g": ["rod"]})
    method = ga.GeneralizedAlpha(max_iter=3)
    with pytest.raises(ga.ConvergenceError) as caught:
        solve(system, [0.6, 0.8], method=method, h=0.2)
    text = str(caught.value)
    for part in ("to t = 0.2", "with h = 0.2", "in 3 iterations", "dynamics", "g ", "'rod'", "smaller h", "ga.check"):
        assert part in text
    assert caught.value.solution.status == "ConvergenceError"
    assert len(caught.value.solution.t) == 1


def test_nan_midway_with_constraints_is_located_too():
    """NaN in f spoils the whole iterate; the function is found at the beginning of the step."""
    rod = {"g": lambda t, q: np.array([q @ q - 1.0]), "f": lambda t, q, v: np.array([0.0, np.sqrt(0.505 - t)])}
    with np.errstate(invalid="ignore"), pytest.raises(ga.NonFiniteError, match=r"f gives NaN or inf at t = 0.51"):
        ga.solve(ga.System(M=np.eye(2), **rod), (0.0, 1.0), [1.0, 0.0], [0.0, 0.0], h=0.01)


def test_an_explicit_scheme_cannot_hold_positions_by_multipliers():
    with pytest.raises(ga.InputError, match='formulation "P" needs beta > 0'):
        ga.GeneralizedAlpha(formulation="P", coefficients=ga.Coefficients.stoermer())


@pytest.mark.parametrize("formulation", ["P", "V", "PV", "PVA"])
def test_rows_that_contradict_later(formulation):
    """Two equal rows of which one begins to differ at t = 0.5: the run ends there, and not with a compromise."""

    def g(t, q):
        late = np.where(np.real(t) > 0.5, t - 0.5, 0.0) ** 3
        return np.array([q[0] - 1.0 + t, q[0] - 1.0 + t + late])

    system = ga.System(M=np.eye(2), f=lambda t, q, v: np.array([0.0, -1.0]), g=g)
    with pytest.warns(ga.RedundantConstraintsWarning), pytest.raises(ga.ConvergenceError, match="contradict") as caught:
        ga.solve(system, (0.0, 2.0), [1.0, 0.0], [-1.0, 0.0], ga.GeneralizedAlpha(formulation=formulation), h=1e-2)
    assert caught.value.solution.t[-1] == pytest.approx(0.5, abs=0.02)
