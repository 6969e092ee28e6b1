"""Contacts in unusual company: other constraints, moving and redundant gaps, rest, lift-off, crowds, failures."""

import numpy as np
import pytest
import scipy.sparse as sp

import genalpha as ga
from genalpha.step.integrator import Impact
from genalpha.step.schemes import impact
from genalpha.step.state import NOT_CONVERGED

G = 9.81


def ball(**given):
    """A unit mass above a floor."""
    system = {
        "M": np.eye(1), "f": lambda t, q, v: np.array([-G]), "f_q": 0, "f_v": 0, "e": 0.5,
        "gap": lambda t, q: q[:1], "gap_q": [[1.0]], "gap_t": 0, "gap_bias": 0, "names": {"gap": ["floor"]},
        "energy": lambda t, q, v: (0.5 * v @ v, G * q[0]),
    }  # fmt: skip
    return ga.System(**(system | given))


def solve(system, q0, v0, t_end=1.0, h=1e-2, rho_inf=0.9, **options):
    keep = {key: options.pop(key) for key in ("save_every", "project", "throw") if key in options}
    return ga.solve(system, (0.0, t_end), q0, v0, ga.GeneralizedAlpha(rho_inf=rho_inf, **options), h=h, **keep)


# ---------------------------------------------------------------- contacts that rest


def pressed(t):
    return 5.0 + 4.0 * np.sin(3.0 * t)


PRESSED = ball(f=lambda t, q, v: np.array([-pressed(t)]), energy=None)
STEPS = {"constant": 1e-2, "alternating": np.tile([1 / 300, 2 / 300], 100), "callable": lambda t: 0.01 + 0.004 * t}


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("start", ["a0", "lunk-simeon", "shifted"])
def test_a_contact_that_rests_from_the_first_on(steps, start):
    """The contact force is known exactly; nothing moves, so only the forces give a scale."""
    sol = solve(PRESSED, [0.0], [0.0], h=STEPS[steps], start=start)
    np.testing.assert_allclose(sol.lam_n[:, 0], pressed(sol.t), rtol=1e-12)
    np.testing.assert_allclose(sol.q, 0.0, atol=1e-20)
    assert sol.contact_intervals == ([(0.0, 1.0)],)
    assert sol.stats.newton < 1.05 * sol.stats.steps
    assert sol.stats.retries == 0
    # the mean force of a step, taken a little before its end
    shift = np.abs(sol.contact_force[1:, 0] - pressed(sol.t[1:]))
    assert shift.max() < 12.0 * np.diff(sol.t).max()


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize(
    "options", [{"strategy": 2}, {"strategy": 1}, {"formulation": "PVV"}, {"residuals": (1e-9, 1e-12, 1e-11)}]
)
def test_impulses_add_up_to_the_same_momentum(steps, options):
    """Whatever part of a contact force belongs to λ or to Λ: v stays 0, so the impulses are those of the force."""
    one, two = (solve(PRESSED, [0.0], [0.0], h=STEPS[steps], **kind) for kind in ({}, options))
    np.testing.assert_allclose(two.impulse[1:], one.impulse[1:], rtol=1e-9)
    exact = 5.0 + 4.0 * (1.0 - np.cos(3.0)) / 3.0
    assert one.impulse.sum() == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_units_of_mass_do_not_matter(mass):
    """Effective masses are found for contacts that close in the middle of an iteration, too."""
    n = 4
    q0 = 0.1001 * np.arange(n)
    q0[0] -= 0.0305
    system = ga.System(
        M=mass * np.eye(n), f=np.zeros(n), gap=lambda t, q: np.diff(q) - 0.1, gap_bias=0, gap_t=0,
        gap_q=np.eye(n - 1, n, 1) - np.eye(n - 1, n), e=1.0,
    )  # fmt: skip
    sol = solve(system, q0, np.eye(n)[0], t_end=0.3)
    np.testing.assert_allclose(sol.v[-1], [-0.5, 0.5, 0.5, 0.5], atol=1e-12)
    assert sol.stats.retries == 0


def box(**given):
    """A plate 2 x 1 that stands on two corners: (x, y, θ), mass 3, centre at height 0.5."""

    def gap(t, q):
        return np.array([q[1] - 0.5 * np.cos(q[2]) - s * np.sin(q[2]) for s in (1.0, -1.0)])

    system = {
        "M": np.diag([3.0, 3.0, 1.25]), "f": lambda t, q, v: np.array([0.0, -3.0 * G, 0.0]), "gap": gap, "e": 0.0,
        "names": {"gap": ["right", "left"]},
        "energy": lambda t, q, v: (0.5 * v @ (v * [3.0, 3.0, 1.25]), 3.0 * G * q[1]),
    }  # fmt: skip
    return ga.System(**(system | given))


def test_a_box_stands_on_two_corners():
    sol = solve(box(), [0.0, 0.5, 0.0], np.zeros(3))
    np.testing.assert_allclose(sol.lam_n, 1.5 * G, rtol=1e-9)
    np.testing.assert_allclose(sol.q[-1], [0.0, 0.5, 0.0], atol=1e-12)
    assert sol.contact_intervals == ([(0.0, 1.0)], [(0.0, 1.0)])
    assert len(sol.impacts.time) == 0


def test_a_box_falls_on_a_corner_and_comes_to_rest():
    sol = solve(box(e=0.3), [0.0, 0.9, 0.2], np.zeros(3), t_end=2.0, h=2e-3)
    np.testing.assert_allclose(sol.q[-1, 1:], [0.5, 0.0], atol=1e-9)
    np.testing.assert_allclose(sol.contact_force[-1], 1.5 * G, rtol=1e-6)
    assert sol.stats.penetration < 1e-11
    assert np.diff(sol.energy.sum(axis=1)).max() < 1e-4
    assert sol.stats.newton < 3 * sol.stats.steps


@pytest.mark.filterwarnings("ignore::genalpha.RedundantConstraintsWarning")
@pytest.mark.parametrize(
    "options", [{}, {"newton": "coupled"}, {"newton": "decoupled"}, {"formulation": "PVV"}, {"strategy": 1}]
)
@pytest.mark.parametrize("height", [0.0, 1.0])
def test_two_identical_contacts_share_the_force(options, height):
    twice = {"gap": lambda t, q: np.array([q[0], q[0]]), "gap_q": [[1.0], [1.0]], "names": {"gap": ["a", "b"]}}
    sol, alone = (solve(s, [height], [0.0], t_end=2.0, **options) for s in (ball(**twice), ball()))
    np.testing.assert_allclose(sol.contact_force[-1], 0.5 * G, rtol=1e-6)
    np.testing.assert_allclose(sol.q, alone.q, atol=1e-9)
    assert sol.stats.penetration < 1e-11


def test_redundant_contacts_are_counted_among_all_rows():
    twice = {"gap": lambda t, q: np.array([q[0], q[0]]), "gap_q": [[1.0], [1.0]], "names": {"gap": ["a", "b"]}}
    with pytest.warns(
        ga.RedundantConstraintsWarning, match=r"1 of 2 constraint rows depend on the others \(b depends on a\)"
    ):
        solve(ball(**twice), [0.0], [0.0], t_end=0.1)


# ---------------------------------------------------------------- contacts that open, and intervals


def test_a_contact_that_opens_smoothly():
    """Lifted by 20 t − 1 N: it opens at t = 0.05 and follows (t − 0.05)³ 10/3."""
    sol = solve(ball(f=lambda t, q, v: np.array([20.0 * t - 1.0]), e=0.0), [0.0], [0.0], t_end=0.5, h=2e-3)
    ((begin, end),) = sol.contact_intervals[0]
    assert (begin, end) == pytest.approx((0.0, 0.05), abs=0.004)
    exact = np.maximum(sol.t - 0.05, 0.0) ** 3 * 10.0 / 3.0
    np.testing.assert_allclose(sol.q[:, 0], exact, atol=1e-3)
    assert len(sol.impacts.time) == 0


def test_a_contact_that_opens_at_once_and_comes_back():
    """Closed at t0 with no force: the interval begins when it returns, not at t0."""
    lift = ball(f=lambda t, q, v: np.array([5.0 if t < 0.5 else -G]), e=0.0)
    sol = solve(lift, [0.0], [0.0], t_end=2.0)
    returns = 0.5 + (2.5 + np.sqrt(2.5**2 + 2.0 * G * 0.625)) / G
    ((begin, end),) = sol.contact_intervals[0]
    assert (begin, end) == pytest.approx((returns, 2.0), abs=0.02)


def test_a_contact_closed_at_first_without_force():
    sol = solve(ball(f=lambda t, q, v: np.zeros(1)), [0.0], [0.0])
    np.testing.assert_array_equal(sol.q, 0.0)
    assert sol.success
    assert sol.stats.newton <= 2 * sol.stats.steps


def test_solutions_without_contacts_have_empty_ones():
    sol = ga.solve(ga.System(M=np.eye(1), f=lambda t, q, v: -q), (0.0, 0.1), [1.0], [0.0], h=0.01)
    for name in ("lam_n", "gap", "contact_force", "impulse"):
        assert getattr(sol, name).shape == (11, 0)
    assert sol.contact_intervals == ()
    assert all(len(column) == 0 for column in sol.impacts)
    assert sol.stats.penetration == 0.0


# ---------------------------------------------------------------- moving gaps


TABLE = {"gap": lambda t, q: np.array([q[0] - 0.1 * np.sin(8.0 * t)]), "gap_t": None, "gap_bias": None}
TABLE_GIVEN = TABLE | {
    "gap_t": lambda t, q: np.array([-0.8 * np.cos(8.0 * t)]),
    "gap_bias": lambda t, q, v: np.array([6.4 * np.sin(8.0 * t)]),
}


def table_speed(t):
    return 0.8 * np.cos(8.0 * t)


def test_a_ball_on_an_oscillating_table():
    """Newton's law in relative velocities, momentum of every impact, and the same with derivatives given or not."""
    sol, given = (solve(ball(e=0.6, **t), [0.5], [0.0], t_end=3.0, h=1e-3) for t in (TABLE, TABLE_GIVEN))
    np.testing.assert_allclose(given.q, sol.q, atol=1e-9)
    assert sol.stats.penetration < 1e-11
    hits = sol.impacts
    assert len(hits.time) > 5
    np.testing.assert_allclose(hits.departure, -0.6 * hits.approach, atol=1e-9)
    rows = np.searchsorted(sol.t, hits.time)
    np.testing.assert_allclose(sol.v[rows, 0] - table_speed(sol.t[rows]), hits.departure, atol=1e-9)
    # the smaller approach of both ends of the step
    slowest = np.minimum(table_speed(sol.t[rows - 1]), table_speed(sol.t[rows]))
    np.testing.assert_allclose(sol.v[rows - 1, 0] - slowest, hits.approach, atol=1e-9)
    # the momentum of all steps
    np.testing.assert_allclose(sol.v[-1] - sol.v[0], sol.impulse.sum(axis=0) - 3.0 * G, atol=2e-2)


def test_a_ball_that_rides_on_a_gentle_table():
    """0.1 · 5² < g: it never leaves, and the force is g − 2.5 sin 5t."""
    system = ball(e=0.0, gap=lambda t, q: np.array([q[0] - 0.1 * np.sin(5.0 * t)]), gap_t=None, gap_bias=None)
    error = []
    for h in (4e-3, 2e-3):
        sol = solve(system, [0.0], [0.5], t_end=1.0, h=h, rho_inf=0.8)
        assert sol.contact_intervals == ([(0.0, 1.0)],)
        np.testing.assert_allclose(sol.q[:, 0], 0.1 * np.sin(5.0 * sol.t), atol=1e-12)
        np.testing.assert_allclose(sol.v[:, 0], 0.5 * np.cos(5.0 * sol.t), atol=1e-9)
        np.testing.assert_allclose(sol.lam_n[:, 0], G - 2.5 * np.sin(5.0 * sol.t), atol=1e-6)
        error.append(np.abs(sol.contact_force[5:, 0] - (G - 2.5 * np.sin(5.0 * sol.t[5:]))).max())
    assert error[1] < 0.6 * error[0]


# ---------------------------------------------------------------- together with bilateral constraints


def test_a_skate_hits_a_wall():
    """Nonholonomic: it slides along its blade only; k = 0 and k̇ = 0 hold through the impacts."""
    skate = ga.System(
        M=np.diag([2.0, 2.0, 0.5]), f=lambda t, q, v: np.array([6.0, 0.0, 0.1]),
        k=lambda t, q, v: np.array([v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])]),
        gap=lambda t, q: np.array([1.0 - q[0] - 0.2 * np.cos(q[2])]), e=0.7,
        names={"k": ["blade"], "gap": ["wall"]},
    )  # fmt: skip
    sol = solve(skate, [0.0, 0.0, 0.3], [0.0, 0.0, 0.5], t_end=3.0, h=2e-3)
    assert len(sol.impacts.time) > 3
    assert sol.stats.max_k < 1e-10
    assert sol.stats.penetration < 1e-11
    q, v, vdot = sol.q.T, sol.v.T, sol.vdot.T
    kdot = vdot[0] * np.sin(q[2]) - vdot[1] * np.cos(q[2]) + v[2] * (v[0] * np.cos(q[2]) + v[1] * np.sin(q[2]))
    assert np.abs(kdot).max() < 1e-7
    np.testing.assert_allclose(sol.impacts.departure, -0.7 * sol.impacts.approach, atol=1e-8)


def cart(**given):
    """Holonomic, nonholonomic and unilateral: a bead on a circle that drives a wheel, between two stops."""
    system = {
        "M": np.diag([1.0, 1.0, 0.4]), "f": lambda t, q, v: np.array([0.0, -G, -0.1 * v[2]]),
        "g": lambda t, q: np.array([q[0] ** 2 + q[1] ** 2 - 1.0]),
        "k": lambda t, q, v: np.array([v[2] - (1.0 + 0.2 * q[2]) * (q[0] * v[1] - q[1] * v[0])]),
        "gap": lambda t, q: np.array([q[0] + 0.3, 0.4 - q[0]]), "e": [0.3, 0.9],
        "names": {"g": ["circle"], "k": ["wheel"], "gap": ["left", "right"]},
    }  # fmt: skip
    return ga.System(**(system | given))


CART_START = [0.0, -1.0, 0.0], [2.0, 0.0, 2.0]


@pytest.mark.parametrize(
    "options", [{}, {"strategy": 2}, {"strategy": 1}, {"formulation": "PVV"}, {"newton": "coupled"}]
)
def test_all_kinds_of_constraints_at_the_same_time(options):
    sol = solve(cart(), *CART_START, t_end=2.0, h=1e-3, **options)
    assert set(sol.impacts.contact.tolist()) == {0, 1}
    e = np.array([0.3, 0.9])[sol.impacts.contact]
    np.testing.assert_allclose(sol.impacts.departure, -e * sol.impacts.approach, atol=1e-8)
    stats = sol.stats
    assert stats.penetration < 1e-11
    assert max(stats.max_g, stats.max_gdot, stats.max_k) < 1e-10
    if not options.keys() & {"formulation"} and options.get("strategy") != 1:
        assert stats.max_gddot < 1e-7
    default = solve(cart(), *CART_START, t_end=2.0, h=1e-3)
    np.testing.assert_allclose(sol.impacts.time[:4], default.impacts.time[:4], atol=0.006)


def test_a_contact_parallel_to_a_constraint_that_agrees():
    """The contact adds nothing to a bilateral row: they share the force, and the run goes on."""
    system = ball(
        M=np.eye(2), f=lambda t, q, v: np.array([-1.0, 0.0]), g=lambda t, q: q[:1], gap_q=[[1.0, 0.0]], energy=None
    )
    with pytest.warns(ga.RedundantConstraintsWarning):
        sol = solve(system, [0.0, 0.0], [0.0, 1.0], t_end=0.3)
    np.testing.assert_allclose(sol.lam[:, 0] + sol.lam_n[:, 0], 1.0, rtol=1e-6)
    np.testing.assert_allclose(sol.q[-1], [0.0, 0.3], atol=1e-9)


# ---------------------------------------------------------------- restitution, several contacts


def test_energy_between_two_walls_is_kept():
    """e = 1 and no force: hundreds of impacts, not a digit lost."""
    walls = ball(f=np.zeros(1), gap=lambda t, q: np.array([q[0], 1.0 - q[0]]), gap_q=[[1.0], [-1.0]], e=1.0, names=None)
    sol = solve(walls, [0.5], [1.3], t_end=100.0, h=0.02)
    assert len(sol.impacts.time) > 120
    np.testing.assert_allclose(np.abs(sol.v), 1.3, rtol=1e-12)
    assert sol.impacts.contact[:4].tolist() == [1, 0, 1, 0]


def test_restitution_by_contact():
    walls = ball(
        f=np.zeros(1), gap=lambda t, q: np.array([q[0], 1.0 - q[0]]), gap_q=[[1.0], [-1.0]], e=[0.5, 0.0], names=None
    )
    sol = solve(walls, [0.5], [-1.0], t_end=4.0)
    np.testing.assert_allclose(sol.impacts.departure, [0.5, 0.0], atol=1e-12)
    assert sol.contact_intervals[1] == [(pytest.approx(2.5, abs=0.03), 4.0)]


# ---------------------------------------------------------------- derivatives, sizes, steps


def radius(q):
    return np.sqrt(q[0] ** 2 + q[1] ** 2)


def inside_a_circle(**given):
    """A particle inside a circle; the gradient of the gap turns."""
    system = {"M": np.eye(2), "f": lambda t, q, v: np.array([0.0, -G]), "gap": lambda t, q: [1.0 - radius(q)], "e": 0.9}
    return ga.System(**(system | given))


def unit(q):
    return q / radius(q)


BY_HAND = {
    "gap_q": lambda t, q: -unit(q)[None], "gap_t": 0,
    "gap_bias": lambda t, q, v: np.array([-(v @ v - (v @ unit(q)) ** 2) / radius(q)]), "f_q": 0, "f_v": 0,
}  # fmt: skip


def test_derivatives_by_hand_and_by_complex_step():
    sol, by_hand = (solve(inside_a_circle(**d), [0.3, 0.0], [0.0, 0.0], 2.0, 1e-3) for d in ({}, BY_HAND))
    assert len(sol.impacts.time) > 3
    np.testing.assert_allclose(by_hand.q, sol.q, atol=1e-8)
    assert sol.stats.penetration < 1e-11


def test_derivatives_by_differences():
    real = inside_a_circle(gap=lambda t, q: np.array([1.0 - float(np.hypot(q[0], q[1]))]))
    with pytest.warns(ga.DerivativeWarning, match="gap"):
        sol = solve(real, [0.3, 0.0], [0.0, 0.0], 1.0, 1e-3)
    by_hand = solve(inside_a_circle(**BY_HAND), [0.3, 0.0], [0.0, 0.0], 1.0, 1e-3)
    np.testing.assert_allclose(by_hand.q, sol.q, atol=1e-5)
    assert sol.stats.penetration < 1e-10


@pytest.mark.parametrize("h", [np.tile([2e-3, 1e-3, 3e-3], 500), lambda t: 2e-3 + 1e-3 * np.sin(9.0 * t)])
def test_varying_steps_through_impacts(h):
    sol = solve(inside_a_circle(), [0.3, 0.0], [0.0, 0.0], 3.0, h)
    fine = solve(inside_a_circle(), [0.3, 0.0], [0.0, 0.0], 1.2, 2.5e-4)
    n = len(fine.impacts.time)
    assert n >= 2
    np.testing.assert_allclose(sol.impacts.time[:n], fine.impacts.time, atol=0.02)
    np.testing.assert_allclose(sol.impacts.departure, -0.9 * sol.impacts.approach, atol=1e-8)
    assert sol.stats.penetration < 1e-11


def falling_chain(n, **given):
    """n masses on springs in a row that fall onto the floor, each above its neighbour."""
    K = 400.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    K[0, 0] = K[-1, -1] = 400.0
    rest = K @ np.arange(n)
    system = {
        "M": sp.eye_array(n, format="csc"), "f": lambda t, q, v: rest - K @ q - G, "f_q": sp.csc_array(-K), "f_v": 0,
        "gap": lambda t, q: q - np.linspace(0.0, 0.9, n) * np.arange(n), "gap_q": sp.eye_array(n, format="csc"),
        "gap_t": 0, "gap_bias": 0, "e": 0.2,
        "energy": lambda t, q, v: (0.5 * v @ v, 0.5 * q @ K @ q - rest @ q + G * q.sum()),
    }  # fmt: skip
    return ga.System(**(system | given))


@pytest.mark.parametrize("n", [45, 120])
@pytest.mark.parametrize("options", [{}, {"newton": "coupled"}, {"formulation": "PVV"}])
def test_large_systems(n, options):
    """Static sparse elimination, scipy.sparse matrices, a contact for every coordinate."""
    sol = solve(falling_chain(n), np.arange(n) + 0.1, np.zeros(n), t_end=0.3, h=5e-3, **options)
    assert len(sol.impacts.time) > 1
    assert sol.stats.penetration < 1e-11
    assert np.diff(sol.energy.sum(axis=1)).max() < 1e-3 * n
    np.testing.assert_allclose(sol.impacts.departure, -0.2 * sol.impacts.approach, atol=1e-8)


def test_dense_and_sparse_matrices_agree():
    one = solve(falling_chain(12), np.arange(12) + 0.1, np.zeros(12), t_end=0.3, h=5e-3)
    dense = falling_chain(12, M=np.eye(12), gap_q=np.eye(12), f_q=None)
    two = solve(dense, np.arange(12) + 0.1, np.zeros(12), t_end=0.3, h=5e-3)
    np.testing.assert_allclose(one.q, two.q, atol=1e-9)


def test_thousands_of_contacts():
    """More events in a step than the log has rows."""
    n = 2500
    masses = ga.System(
        M=sp.eye_array(n, format="csc"), f=lambda t, q, v: np.full(n, -G), f_q=0, f_v=0, gap=lambda t, q: q.copy(),
        gap_q=sp.eye_array(n, format="csc"), gap_t=0, gap_bias=0, e=0.5,
    )  # fmt: skip
    sol = solve(masses, np.full(n, 0.001), np.zeros(n), t_end=0.02, h=4e-3)
    assert len(sol.impacts.time) >= n
    assert sol.stats.penetration < 1e-11


# ---------------------------------------------------------------- projection


def test_projection_moves_a_penetrating_contact_to_the_surface():
    sol = solve(ball(), [-0.1], [0.0], project=True)
    assert sol.q[0, 0] == pytest.approx(0.0, abs=1e-12)
    both = solve(cart(), [-0.35, -0.9, 0.0], [0.0, 0.0, 0.0], t_end=0.1, project=True)
    assert both.gap[0].min() > -1e-11
    assert abs(both.q[0, :2] @ both.q[0, :2] - 1.0) < 1e-11


def test_a_tiny_violation_is_corrected_by_the_first_step():
    sol = solve(ball(), [-5e-9], [0.0])
    assert sol.gap[1:].min() > -1e-15
    assert sol.stats.penetration == pytest.approx(5e-9)


# ---------------------------------------------------------------- steps that fail


def failing(advance):
    """The scheme with active sets, with another step."""

    class Failing(Impact):
        @classmethod
        def steps(cls):
            return advance, impact.complete

    return Failing(ga.GeneralizedAlpha())


def test_a_step_that_fails_is_divided():
    """Algorithm 1 refuses long steps here; half of a step is short enough. Rows and counts are those of one step."""

    def advance(system, linear, data, sizes, scheme, arrays, t1, h):
        if h > 6e-3 and 0.195 < t1 < 0.205:
            return NOT_CONVERGED
        return impact.advance(system, linear, data, sizes, scheme, arrays, t1, h)

    plain = solve(ball(), [0.1], [0.0], t_end=0.5)
    sol = ga.solve(ball(), (0.0, 0.5), [0.1], [0.0], failing(advance), h=1e-2)
    assert sol.stats.retries == 1
    assert sol.stats.steps == 50
    np.testing.assert_allclose(sol.t, plain.t, atol=1e-15)
    np.testing.assert_allclose(sol.q, plain.q, atol=5e-3)
    assert sol.impulse.sum() == pytest.approx(sol.v[-1, 0] + 0.5 * G, abs=1e-9)


def fails_at(t_bad):
    def advance(system, linear, data, sizes, scheme, arrays, t1, h):
        status = impact.advance(system, linear, data, sizes, scheme, arrays, t1, h)
        return NOT_CONVERGED if t1 > t_bad else status

    return failing(advance)


@pytest.mark.parametrize("save_every", [1, 7])
def test_the_last_row_of_a_failed_run_is_its_last_state(save_every):
    """Parts of the failed step had succeeded; nothing of them is left."""
    plain = solve(ball(), [0.1], [0.0], t_end=0.25)
    with pytest.raises(
        ga.ConvergenceError, match=r"step 26 to t = 0.26 .* contact 'floor': gap .*, velocity"
    ) as caught:
        ga.solve(ball(), (0.0, 0.5), [0.1], [0.0], fails_at(0.2555), h=1e-2, save_every=save_every)
    sol = caught.value.solution
    assert sol.t[-1] == pytest.approx(0.25)
    for name in ("q", "v", "gap", "contact_force"):
        np.testing.assert_array_equal(getattr(sol, name)[-1], getattr(plain, name)[-1])
    assert sol.impulse.sum() == pytest.approx(plain.impulse.sum(), rel=1e-13)
    np.testing.assert_array_equal(sol.impacts.time, plain.impacts.time)


def test_two_iterations_are_too_few():
    """max_iter=2: impacts need more; steps are divided in vain, and the message names the contact."""
    with pytest.raises(ga.ConvergenceError) as caught:
        solve(box(e=0.5), [0.0, 0.9, 0.2], np.zeros(3), t_end=2.0, h=1e-2, max_iter=2)
    text = str(caught.value)
    for part in ("did not converge in 2 iterations", "contact '", "gap ", "velocity ", "smaller h;"):
        assert part in text
    with pytest.raises(ga.ConvergenceError, match="smaller h or a smaller tol;"):
        solve(box(e=0.5), [0.0, 0.9, 0.2], np.zeros(3), t_end=2.0, h=1e-2, max_iter=2, tol=1e-7)


# ---------------------------------------------------------------- order


def test_smooth_motion_with_a_closed_contact_is_second_order():
    """A bead slides down inside a circle, pressed onto it: q, v and the contact force against a fine run."""
    system = inside_a_circle(**BY_HAND, e=0.0)
    q0 = np.array([np.cos(-0.3), np.sin(-0.3)])
    v0 = 1.0 * np.array([np.sin(-0.3), -np.cos(-0.3)])
    runs = [solve(system, q0, v0, t_end=0.4, h=h, rho_inf=0.8) for h in (4e-3, 2e-3, 1.25e-4)]
    assert all(sol.contact_intervals == ([(0.0, 0.4)],) for sol in runs)
    for name in ("q", "v", "lam_n"):
        exact = getattr(runs[2], name)
        error = [np.abs(getattr(sol, name)[len(sol) // 2 :] - exact[:: round(s)][len(sol) // 2 :]).max()
                 for sol, s in ((runs[0], 32), (runs[1], 16))]  # fmt: skip
        assert np.log2(error[0] / error[1]) == pytest.approx(2.0, abs=0.15)
