"""States between rows: order, rotations, impacts; times that are asked for; chosen columns."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.solution.dense import interpolate

FALL = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-10.0]), f_q=0, f_v=0)
BALL = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-10.0]), gap=lambda t, q: q, e=0.5)


def pendulum(n, **options):
    problem = problems.get("pendulum")
    return ga.solve(problem.system(), (0.0, 1.0), problem.q0, problem.v0, h=1.0 / n, **options)


def test_polynomials_are_exact():
    """Between rows v is the cubic through v and v̇, and q its integral: exact for q of degree four."""
    t = np.array([0.0, 0.7, 1.0])
    q = np.stack([t**4 - t, 2.0 * t**3], axis=1)
    rows = {
        "t": t,
        "q": q,
        "v": np.stack([4 * t**3 - 1, 6 * t**2], axis=1),
        "vdot": np.stack([12 * t**2, 12 * t], axis=1),
    }
    at = np.linspace(0.0, 1.0, 23)
    found = interpolate(rows, ("q", "v"), at, np.zeros(0))
    np.testing.assert_allclose(found["q"], np.stack([at**4 - at, 2 * at**3], axis=1), atol=1e-14)
    np.testing.assert_allclose(found["v"], np.stack([4 * at**3 - 1, 6 * at**2], axis=1), atol=1e-14)


def test_second_order_between_rows():
    problem, at = problems.get("pendulum"), np.linspace(0.0, 1.0, 345)
    exact = problem.reference(at)
    errors = {name: [] for name in ("q", "v", "lam")}
    for n in (100, 200, 400):
        state = pendulum(n)(at)
        for name, values in errors.items():
            values.append(np.abs(getattr(state, name) - getattr(exact, name)).max())
    for name, values in errors.items():
        assert np.polyfit(np.log([1, 2, 4]), -np.log(values), 1)[0] > 1.9, name


def test_rows_are_met_exactly():
    sol = pendulum(100)
    state = sol(sol.t)
    np.testing.assert_allclose(state.q, sol.q, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(state.v, sol.v, rtol=1e-14, atol=1e-15)
    assert sol(0.5).q.shape == (3,)


def top():
    model = ga.Model("top", gravity=(0.0, 0.0, -9.81))
    body = model.add(ga.RigidBody("body", mass=1.0, inertia=(0.1, 0.12, 0.03), position=(1.0, 0.0, 0.0),
                                  velocity=(0.0, 3.0, 0.0), angular_velocity=(0.0, 0.0, 3.0)))  # fmt: skip
    model.add(ga.Spherical("pin", model.ground, body, at=(0.0, 0.0, 0.0)))
    return model


def test_rotations_stay_rotations():
    """Quaternions between rows have the length one, and the joint holds to the order of the interpolation."""
    at, model = np.linspace(0.0, 1.0, 333), top()
    fine = ga.solve(model, (0.0, 1.0), h=2e-4)(at)
    lengths, errors = [], []
    for h in (2e-2, 1e-2):
        state = ga.solve(model, (0.0, 1.0), h=h)(at)
        lengths.append(np.abs(np.linalg.norm(state.q[:, 3:], axis=1) - 1.0).max())
        errors.append(np.abs(state.q - fine.q).max())
    assert lengths[0] < 1e-7
    assert lengths[0] / lengths[1] > 30.0  # sixth order
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_impacts_are_one_sided():
    sol = ga.solve(BALL, (0.0, 1.0), [1.0], [0.0], h=1e-2)
    t = sol.impacts.time[0]
    before, after = sol(t, side="left"), sol(t)
    assert before.v[0] == pytest.approx(-10.0 * t, rel=1e-9)
    assert after.v[0] == pytest.approx(-0.5 * before.v[0], rel=0.05)
    np.testing.assert_array_equal(sol(t).q, sol.q[np.searchsorted(sol.t, t)])
    early = sol(t - 1e-3)
    assert early.v[0] == pytest.approx(-10.0 * (t - 1e-3), rel=1e-9)
    assert sol(t + 1e-3).v[0] == pytest.approx(after.v[0] - 1e-2, rel=1e-3)


def test_wide_rows_with_impacts_between_them():
    sol = ga.solve(BALL, (0.0, 1.0), [1.0], [0.0], h=1e-3, save_every=100)
    t = sol.impacts.time[0]
    assert sol(t - 1e-3).v[0] == pytest.approx(-10.0 * (t - 1e-3), rel=1e-9)
    assert sol(t + 1e-3).v[0] > 0.0


def test_the_times_that_are_asked_for():
    at = [0.0, 0.1234, 0.5, 0.77, 1.0]
    sol, full = pendulum(100, t_eval=at), pendulum(100)
    np.testing.assert_array_equal(sol.t, at)
    np.testing.assert_allclose(sol.q, full(at).q, atol=1e-15)
    np.testing.assert_allclose(sol.lam, full(at).lam, atol=1e-12)


def test_impulses_of_sampled_rows_add_up():
    options = {"h": 1e-2}
    full = ga.solve(BALL, (0.0, 1.0), [1.0], [0.0], **options)
    for thin in (
        {"t_eval": np.linspace(0.0, 1.0, 7)},
        {"save_every": 9},
        {"save_every": 9, "events": lambda t, q, v, lam: 1.0},
    ):
        sol = ga.solve(BALL, (0.0, 1.0), [1.0], [0.0], **options, **thin)
        assert sol.impulse.sum() == pytest.approx(full.impulse.sum(), rel=1e-13)
        np.testing.assert_array_equal(sol.impacts.time, full.impacts.time)


def test_chosen_columns():
    sol = pendulum(100, save=("q", "lam"))
    np.testing.assert_array_equal(sol.q, pendulum(100).q)
    np.testing.assert_array_equal(sol.lam, pendulum(100).lam)
    with pytest.raises(ga.InputError, match="v was not saved, only t, q, lam were"):
        sol.v  # noqa: B018
    with pytest.raises(ga.InputError, match="there is no 'p'; choose among t, q, v"):
        pendulum(100, save="p")
    without = pendulum(100, save=("q", "v", "lam", "psi", "lam_n"))
    np.testing.assert_allclose(without(0.333).q, pendulum(100)(0.333).q, atol=1e-5)


@pytest.mark.parametrize(
    ("t_eval", "words"),
    [([0.5, 0.4], "must increase"), ([2.0], "outside of t_span"), ("x", "vector of times"), ([[0.1]], "shape")],
)
def test_bad_times(t_eval, words):
    with pytest.raises(ga.InputError, match=words):
        pendulum(10, t_eval=t_eval)
    with pytest.raises(ga.InputError, match=r"within 0 .. 1, where the solution is"):
        pendulum(10)(1.5)
    with pytest.raises(ga.InputError, match="side = 'up'"):
        pendulum(10)(0.5, side="up")
