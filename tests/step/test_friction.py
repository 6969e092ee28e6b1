"""Coulomb friction in the nonsmooth generalized-α method: exact motions, orders, laws at every step, units."""

from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga

G = 9.81
METHOD = ga.GeneralizedAlpha(rho_inf=0.8)


def block(angle=0.0, mu=0.3, length=1.0, mass=1.0, time=1.0, **options):
    """A block on an incline, in any units of length, mass and time."""
    g = G * length / time**2
    return ga.System(
        M=mass * np.eye(2), f=lambda t, q, v: mass * g * np.array([np.sin(angle), -np.cos(angle)]),
        gap=lambda t, q: q[1:], slip=lambda t, q, v: v[:1], mu=mu, compile=False,
        energy=lambda t, q, v: (0.5 * mass * (v @ v), mass * g * (q[1] * np.cos(angle) - q[0] * np.sin(angle))),
        **options,
    )  # fmt: skip


def plane(f=lambda t, q, v: np.array([2.0, 4.0, -G]), slip=lambda t, q, v: v[:2], mu=0.3, **options):
    """A point on a plane in space."""
    return ga.System(M=np.eye(3), f=f, gap=lambda t, q: q[2:], slip=slip, mu=mu, compile=False, **options)


def disc(e=0.0, e_t=0.0, mu=0.3, g=0.0, r=0.1):
    """A ball in a plane above a floor; the slip is that of its lowest point."""
    return ga.System(
        M=np.diag([1.0, 1.0, 0.4 * r * r]), f=lambda t, q, v: np.array([0.0, -g, 0.0]), gap=lambda t, q: q[1:2],
        slip=lambda t, q, v: v[:1] + r * v[2:], mu=mu, e=e, e_t=e_t, compile=False,
    )  # fmt: skip


def run(system, end, q0, v0, h, **options):
    return ga.solve(system, (0.0, end), q0, v0, method=options.pop("method", METHOD), h=h, **options)


def order(errors):
    """From steps that are halved."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


# ---------------------------------------------------------------- blocks


def test_what_sticks_does_not_move():
    sol = run(block(0.4, mu=0.5), 1.0, [0.0, 0.0], [0.0, 0.0], 1e-2)
    assert np.all(sol.q == 0.0)
    assert np.all(sol.sticks)
    assert sol.friction_force[1:, 0] == pytest.approx(-3.820193938, abs=1e-9)


def test_what_slides_has_the_exact_acceleration():
    sol = run(block(0.6, mu=0.5), 1.0, [0.0, 0.0], [0.0, 0.0], 1e-2)
    assert sol.v[-1, 0] == pytest.approx(1.490871473, abs=1e-9)
    assert not np.any(sol.sticks[1:])
    assert sol.lam_t[1:, 0] == pytest.approx(-0.5 * G * np.cos(0.6), rel=1e-13)


@pytest.mark.parametrize("h", [1e-2, 3e-3])
def test_a_block_stops_and_stays(h):
    sol = run(block(), 1.5, [0.0, 0.0], [3.0, 0.0], h)
    assert abs(sol.q[-1, 0] - 1.529051988) < 0.3 * G * h * h / 8.0
    rests = sol.t > 1.02 + h
    assert np.ptp(sol.q[rests, 0]) <= 1e-15
    assert np.all(sol.sticks[rests])
    assert sol.ledger.friction[-1] == pytest.approx(4.5, rel=1e-13)


@pytest.mark.parametrize("strategy", [2, 3])
def test_creep_on_a_shaken_incline(strategy):
    """Neither where friction acts at the level of accelerations nor where it acts as impulses alone."""
    shaken = replace(
        block(0.4, mu=0.6), f=lambda t, q, v: G * np.array([np.sin(0.4), -np.cos(0.4)]) * (1.0 + 0.2 * np.sin(50.0 * t))
    )
    sol = run(shaken, 1.0, [0.0, 0.0], [0.0, 0.0], 1e-3, method=ga.GeneralizedAlpha(rho_inf=0.8, strategy=strategy))
    assert np.abs(sol.q[:, 0]).max() <= (1e-15 if strategy == 3 else 5e-9)
    assert abs(np.mean(sol.q[-126:, 0]) - np.mean(sol.q[-252:-126, 0])) <= 1e-11  # two periods: it does not creep


@pytest.mark.parametrize(("length", "mass", "time"), [(1e3, 1.0, 1.0), (1e-3, 1e-6, 1e-3), (1e6, 1e9, 1e4)])
def test_units(length, mass, time):
    """The same motion in other units, step by step."""
    one = run(block(0.1, mu=0.3), 1.0, [0.0, 0.0], [1.0, 0.0], 1e-2)
    speed = length / time
    other = run(block(0.1, 0.3, length, mass, time), time, [0.0, 0.0], [speed, 0.0], 1e-2 * time)
    assert other.q / length == pytest.approx(one.q, abs=1e-13)
    assert other.v / speed == pytest.approx(one.v, abs=1e-12)
    assert np.array_equal(one.sticks, other.sticks)
    assert other.stats.newton == pytest.approx(one.stats.newton, abs=3)


def test_static_friction_holds_more():
    """μ_static counts where the block stuck before, and not where it comes to rest."""
    angle = 0.4  # tan = .423
    for mu, mu_static, moves in ((0.35, 0.43, False), (0.35, 0.41, True)):
        sol = run(block(angle, mu=mu, mu_static=mu_static), 0.5, [0.0, 0.0], [0.0, 0.0], 1e-2)
        assert (abs(sol.q[-1, 0]) > 1e-3) == moves
    assert run(block(angle, mu=0.35, mu_static=0.43), 0.5, [0.0, 0.0], [0.1, 0.0], 1e-2).v[-1, 0] > 0.3


# ---------------------------------------------------------------- space


def test_curved_sliding_is_of_second_order():
    exact = np.array([2.127429654205, 0.438950369449, 2.387011715913, 1.731324500698])
    errors = []
    for h in (0.02, 0.01, 0.005):
        sol = run(plane(), 0.8, [0.0, 0.0, 0.0], [3.0, -1.0, 0.0], h)
        errors.append(np.abs(np.concatenate([sol.q[-1, :2], sol.v[-1, :2]]) - exact).max())
        force, slip = sol.lam_t[1:], sol.slip[1:]
        assert np.linalg.norm(force.reshape(-1, 2), axis=1) == pytest.approx(0.3 * G, rel=1e-12)
        (fx, fy), (sx, sy) = force.reshape(-1, 2).T, slip.reshape(-1, 2).T
        assert np.abs(fx * sy - fy * sx).max() < 1e-10
    assert order(errors) == pytest.approx(2.0, abs=0.05)


def test_an_ellipse_drags_with_the_largest_dissipation():
    """The force is −E² s/|E s| N with E = diag(mu)."""
    sol = run(plane(mu=[[0.2, 0.4]]), 0.2, [0.0, 0.0, 0.0], [3.0, -1.0, 0.0], 0.01)
    slip, E = sol.slip.reshape(-1, 2)[1:], np.array([0.2, 0.4])
    exact = -G * E**2 * slip / np.linalg.norm(E * slip, axis=1)[:, None]
    assert sol.lam_t.reshape(-1, 2)[1:] == pytest.approx(exact, rel=1e-10)


def test_a_turntable_carries_what_sticks():
    def slip(t, q, v):
        return np.array([v[0] + 2.0 * q[1], v[1] - 2.0 * q[0]])

    table = plane(f=lambda t, q, v: np.array([0.0, 0.0, -G]), slip=slip)
    sol = run(table, 1.0, [0.7, 0.0, 0.0], [0.0, 1.4, 0.0], 0.01)
    assert np.all(sol.sticks)
    assert np.abs(sol.slip).max() < 1e-13
    assert np.hypot(*sol.q[-1, :2]) == pytest.approx(0.7, abs=1e-7)
    errors = []
    for h in (0.02, 0.01, 0.005):
        sol = run(table, 1.0, [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], h)
        errors.append(np.abs(sol.v[-1, :2] - [-1.626905894785, 1.432087279897]).max())
    assert order(errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("h", [1e-2, 1e-3])
@pytest.mark.parametrize("r", [0.736, 0.75, 0.8])
def test_sliding_begins_in_space(r, h):
    """A turntable cannot carry what lies further out than μ g/Ω² = .73575: its slip begins at zero, and turns."""
    table = plane(
        f=lambda t, q, v: np.array([0.0, 0.0, -G]),
        slip=lambda t, q, v: np.array([v[0] + 2.0 * q[1], v[1] - 2.0 * q[0]]),
    )
    sol = run(table, 0.3, [r, 0.0, 0.0], [0.0, 2.0 * r, 0.0], h)
    assert not np.any(sol.sticks[2:])
    assert np.linalg.norm(sol.lam_t.reshape(-1, 2), axis=1)[2:] == pytest.approx(0.3 * G, rel=1e-12)


# ---------------------------------------------------------------- impacts


@pytest.mark.parametrize(
    ("e_t", "before", "after"), [(0.0, 2.0, 0.0), (0.0, 8.0, 2.645), (0.6, 2.0, -1.2), (0.6, 8.0, 2.645)]
)
def test_impact_of_a_ball_with_spin(e_t, before, after):
    sol = run(disc(0.7, e_t), 0.2, [0.0, 0.3, 0.0], [before, -3.0, 0.0], 1e-2)
    assert sol.slip[-1, 0] == pytest.approx(after, abs=1e-9)
    impact = sol.impacts
    assert impact.impulse == pytest.approx(5.1, abs=1e-12)
    assert np.ravel(impact.tangential_impulse)[0] == pytest.approx(2.0 / 7.0 * (after - before), abs=1e-9)


def test_an_impact_that_makes_energy_is_told():
    """Kane: friction drives the normal velocity, which Newton's law then reverses."""
    rod = ga.System(
        M=np.diag([1.0, 1.0, 1.0 / 3.0]), f=lambda t, q, v: np.zeros(3), gap=lambda t, q: q[1:2] - np.sin(q[2:]),
        slip=lambda t, q, v: v[:1] + np.sin(q[2:]) * v[2:], mu=0.6, e=0.9, compile=False,
    )  # fmt: skip
    with pytest.warns(ga.EnergyWarning, match=r"'gap\[0\]', t = 0.001: 0.0477"):
        sol = run(rod, 0.01, [0.0, np.sin(0.9), 0.9], [0.5, -1.0, 0.0], 1e-3)
    assert sol.v[-1] == pytest.approx([0.923966830, 0.166785062, -1.179541796], abs=2e-3)


def test_a_superball_comes_back():
    sol = run(disc(1.0, 1.0, mu=5.0), 0.3, [0.0, 0.3, 0.0], [1.0, -3.0, 0.0], 1e-2)
    assert sol.v[-1] * [1.0, 1.0, 0.1] == pytest.approx([3.0 / 7.0, 3.0, -10.0 / 7.0], abs=1e-12)
    energy = 0.5 * sol.v**2 @ [1.0, 1.0, 0.004]
    assert np.ptp(energy) < 1e-12


def test_restitution_along_the_contact_counts_in_impacts_only():
    """A ball that slides on a floor comes to roll, whatever e_t is."""
    sol = run(disc(0.0, 0.8, mu=0.2, g=G), 1.0, [0.0, 0.0, 0.0], [2.0, 0.0, -10.0], 5e-3)
    assert sol.v[-1, 0] == pytest.approx(12.0 / 7.0, abs=1e-12)
    assert abs(sol.slip[-1, 0]) < 1e-13


# ---------------------------------------------------------------- several contacts


def ladder(mu=(0.2, 0.1), order=(0, 1)):
    """A rod of length 2 on a floor and against a wall; q = (x, y, φ) of its centre."""
    order = list(order)
    return ga.System(
        M=np.diag([1.0, 1.0, 1.0 / 3.0]), f=lambda t, q, v: np.array([0.0, -G, 0.0]),
        gap=lambda t, q: np.array([q[1] - np.sin(q[2]), q[0] - np.cos(q[2])])[order],
        slip=lambda t, q, v: np.array([v[0] - np.sin(q[2]) * v[2], v[1] + np.cos(q[2]) * v[2]])[order],
        mu=np.array(mu)[order], compile=False,
    )  # fmt: skip


LEANING = [np.cos(1.0), np.sin(1.0), 1.0]


def test_a_ladder_slides_with_second_order():
    exact, errors = np.array([0.766888538106, -1.109042456039]), []
    for h in (1e-2, 5e-3, 2.5e-3):
        sol = run(ladder(), 0.5, LEANING, [0.0, 0.0, 0.0], h)
        errors.append(np.abs([sol.q[-1, 2], sol.v[-1, 2]] - exact).max())
        assert np.abs(sol.gap).max() < 1e-14
        assert np.all(np.abs(sol.lam_t) <= sol.lam_n * [0.2, 0.1] * (1.0 + 1e-12))
    assert order(errors) == pytest.approx(2.0, abs=0.1)


def test_order_of_contacts():
    one, other = (run(ladder(order=o), 0.8, LEANING, [0.0, 0.0, 0.0], 2e-3) for o in ((0, 1), (1, 0)))
    assert other.q == pytest.approx(one.q, abs=1e-12)
    assert other.lam_t[:, ::-1] == pytest.approx(one.lam_t, abs=1e-9)


def test_a_paradox_is_resolved_by_an_impulse():
    """Painlevé: no accelerations obey Coulomb's law at t0; the rod jams at once."""
    rod = ga.System(
        M=np.diag([1.0, 1.0, 1.0 / 3.0]), f=lambda t, q, v: np.array([0.0, -G, 0.0]),
        gap=lambda t, q: q[1:2] - np.sin(q[2:]), slip=lambda t, q, v: v[:1] + np.sin(q[2:]) * v[2:], mu=1.5,
        compile=False,
    )  # fmt: skip
    sol = run(rod, 0.3, [0.0, np.sin(1.0), 1.0], [-3.0, 0.0, 0.0], 5e-4)
    assert sol.q[-1, 2] == pytest.approx(1.437882085, abs=1e-3)
    assert sol.v[1] == pytest.approx([-1.593165191, 1.022959605, 1.893309716], abs=2e-2)


# ---------------------------------------------------------------- dry friction


def test_dry_friction_without_contacts():
    """A mass with a bound of 2 N stops, and holds as long as the pull stays below the bound."""
    pulled = ga.System(
        M=np.eye(1), f=lambda t, q, v: np.array([3.0 * t]), dry=lambda t, q, v: v, dry_bound=2.0, compile=False
    )
    sol = run(pulled, 1.0, [0.0], [0.0], 1e-3)
    moves = np.argmax(sol.v[:, 0] > 0.0)
    assert sol.t[moves] == pytest.approx(2.0 / 3.0, abs=2e-3)
    assert sol.v[-1, 0] == pytest.approx(1.5 * (1.0 - 4.0 / 9.0) - 2.0 / 3.0, abs=1e-5)
    held = slice(1, moves - 1)
    assert sol.dry_force[held, 0] == pytest.approx(-3.0 * sol.t[held], abs=4e-3)
    assert np.all(np.abs(sol.dry_force) <= 2.0 + 1e-12)


# ---------------------------------------------------------------- error control, files


def belt(**options):
    """A mass on a belt and a spring, which sticks and slides in turns."""
    return ga.System(
        M=np.eye(2), f=lambda t, q, v: np.array([-100.0 * q[0], -G]), gap=lambda t, q: q[1:],
        slip=lambda t, q, v: v[:1] - 0.2, mu=0.25, mu_static=0.4, compile=False, **options,
    )  # fmt: skip


def test_error_control_finds_stops():
    """What comes to rest is left within rtol^(2/3) of the size of the motion."""
    for rtol in (1e-3, 1e-5, 1e-7):
        sol = ga.solve(block(), (0.0, 1.5), [0.0, 0.0], [3.0, 0.0], rtol=rtol)
        assert abs(sol.q[-1, 0] - 1.529051988) <= 1.6 * rtol ** (2.0 / 3.0)
        assert abs(sol.v[-1, 0]) < 1e-15


def test_error_control_through_stick_and_slip():
    errors = []
    for rtol in (1e-3, 1e-5):
        sol = ga.solve(belt(), (0.0, 4.0), [0.0, 0.0], [0.2, 0.0], rtol=rtol)
        errors.append(abs(sol.q[sol.t > 2.0, 0].max() - 0.049355046818))
    assert errors[0] < 5e-4
    assert errors[1] < 5e-5


def test_stick_and_slip_in_turns():
    sol = run(belt(), 3.0, [0.0, 0.0], [0.2, 0.0], 1e-3)
    late = sol.t > 1.5
    assert sol.q[late, 0].min() == pytest.approx(-0.000305046818, abs=1.2e-4)
    assert sol.q[late, 0].max() == pytest.approx(0.049355046818, abs=1.2e-4)
    begins = sol.t[1:][np.diff(sol.sticks[:, 0].astype(int)) > 0]
    assert np.diff(begins) == pytest.approx(0.648604819424, abs=2e-3)


@pytest.mark.parametrize("middle", [0.1, 0.6, 1.0])
def test_a_run_goes_on_to_the_same_bits(middle, tmp_path):
    """In slip as well as in stick."""
    whole = run(belt(), 1.2, [0.0, 0.0], [0.2, 0.0], 1e-3)
    run(belt(), middle, [0.0, 0.0], [0.2, 0.0], 1e-3, out=tmp_path / "run.h5")
    both = ga.resume(tmp_path / "run.h5", belt(), t_end=1.2)
    for name in ("q", "v", "lam_n", "lam_t", "sticks", "friction_force"):
        assert np.array_equal(getattr(both, name), getattr(whole, name)), name


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (ga.GeneralizedAlpha(formulation="V"), "PVA"),
        (ga.GeneralizedAlpha(newton="coupled"), "level by level"),
        (ga.GeneralizedAlpha(criterion="printed"), "printed"),
        (ga.GeneralizedAlpha(strategy=1), "strategy 2 or 3"),
        (ga.SOI2(), "PVA"),
    ],
)
def test_methods_that_take_no_friction(method, words):
    with pytest.raises(ga.InputError, match=words):
        run(block(), 0.1, [0.0, 0.0], [1.0, 0.0], 1e-2, method=method)
