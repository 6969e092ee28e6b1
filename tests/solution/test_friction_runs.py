"""Runs with friction as users see them: rows that are thinned out, events, files, the ledger of a belt."""

import numpy as np
import pytest
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols

import genalpha as ga
from genalpha.symbolic import lagrange

G, STIFFNESS, BELT = 9.81, 100.0, 0.2


def floor(t, q):
    return q[1:]


def sliding(t, q, v):
    return v[:1] - BELT


def pull(t, q, v):
    return np.array([-STIFFNESS * q[0], -G])


def energy(t, q, v):
    return 0.5 * v @ v, 0.5 * STIFFNESS * q[0] ** 2 + G * q[1]


def belt(**given):
    """A block on a belt and a spring, with stick-slip: it sticks, slides back, sticks again."""
    options = dict(
        M=np.eye(2), f=pull, gap=floor, slip=sliding, mu=0.25, mu_static=0.4, names={"gap": ["floor"]}, energy=energy,
        compile=False,
    )  # fmt: skip
    return ga.System(**(options | given))


def run(system=None, end=1.4, **options):
    return ga.solve(system or belt(), (0.0, end), [0.0, 0.0], [BELT, 0.0], **({"h": 2e-3} | options))


@pytest.fixture(scope="module")
def sol():
    return run()


def test_stick_and_slip(sol):
    """Sticking ends where the spring pulls with mu_static, and comes back: t = μs g/(k v), and T_slip."""
    sticks = sol.sticks[:, 0].astype(int)
    leaves, returns = sol.t[np.nonzero(np.diff(sticks) < 0)[0]], sol.t[np.nonzero(np.diff(sticks) > 0)[0]]
    assert leaves[0] == pytest.approx(0.4 * G / STIFFNESS / BELT, abs=4e-3)
    assert returns[0] - leaves[0] == pytest.approx(0.501454819424, abs=6e-3)
    assert np.abs(sol.slip[sol.sticks]).max() < 1e-15
    margin = sol.friction_margin[1:, 0]
    assert margin.min() > -1e-12
    assert np.abs(margin[~sol.sticks[1:, 0] & ~sol.sticks[:-1, 0]]).max() < 1e-12


def test_ledger_of_a_belt(sol):
    """Nothing is left over but the error of the method: the belt does work, friction takes it."""
    ledger = sol.ledger
    assert ledger.friction[-1] > 0.5
    assert np.all(np.diff(ledger.friction) > -1e-15)
    assert -ledger.drives[-1] > 0.5
    assert np.abs(ledger.numerical).max() < 1e-5
    np.testing.assert_allclose(sum(ledger), ledger.kinetic[0] + ledger.potential[0], atol=1e-14)


@pytest.mark.parametrize("options", [{"save_every": 7}, {"t_eval": np.linspace(0.0, 1.4, 37)}], ids=str)
def test_impulses_of_rows_that_are_thinned_out(sol, options):
    """They add up to the same."""
    thin = run(**options)
    assert len(thin) < len(sol) / 4
    assert thin.friction_impulse.sum() == pytest.approx(sol.friction_impulse.sum(), rel=1e-13)
    assert thin.friction_work[-1] == pytest.approx(sol.friction_work[-1], rel=1e-13)
    assert thin.impulse.sum() == pytest.approx(sol.impulse.sum(), rel=1e-13)


def test_events_watch_slip(sol):
    """Where slip ends, and the forces there; before, it was not zero for long."""

    def ends(t, q, v, lam):
        return sliding(t, q, v)[0]

    found = run(events=ends)
    (times,) = found.t_events
    returns = sol.t[1 + np.nonzero(np.diff(sol.sticks[:, 0].astype(int)) > 0)[0]]
    np.testing.assert_allclose(times, returns, atol=2.1e-3)
    assert found.events[0].lam_t.shape == (len(times), 1)
    ends.terminal = True
    stopped = run(events=ends, t_eval=None)
    assert stopped.status == "event"
    assert stopped.t[-1] == times[0]
    assert len(stopped.friction) == len(stopped.t)


def test_states_between_rows(sol):
    """The forces lie on straight lines."""
    middle = 0.5 * (sol.t[10] + sol.t[11])
    np.testing.assert_allclose(sol(middle).lam_t, 0.5 * (sol.lam_t[10] + sol.lam_t[11]))
    np.testing.assert_array_equal(sol(sol.t[:5]).lam_t, sol.lam_t[:5])


@pytest.mark.parametrize("end", [0.1, 0.6])
def test_files_and_restart(sol, tmp_path, end):
    """Written while it runs, and gone on with in stick and in slip, to the same bits."""
    path = tmp_path / "run.h5"
    first = run(end=end, out=path)
    assert bool(first.sticks[-1, 0]) is (end == 0.1)
    ga.resume(path, belt(), t_end=1.4)
    loaded = ga.load(path, belt())
    for name in ("t", "q", "v", "friction", "contact_force"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(sol, name), err_msg=name)


def test_a_file_does_not_go_on_with_another_coefficient(tmp_path):
    path = tmp_path / "run.h5"
    run(end=0.1, out=path)
    with pytest.raises(ga.FileError, match="not those of this one"):
        ga.resume(path, belt(mu=0.3), t_end=0.2)


def test_only_some_columns(sol):
    """What was not saved is named."""
    few = run(save=("q", "v"))
    with pytest.raises(ga.InputError, match="friction was not saved"):
        _ = few.slip
    np.testing.assert_array_equal(few.q, sol.q)
    assert np.all(np.isnan(few.ledger.friction))
    some = run(save="friction")
    np.testing.assert_array_equal(some.slip, sol.slip)


def test_a_lagrangian_runs_as_functions_do(sol):
    """Slips of SymPy, the same motion."""
    t, (x, y), (mu, mu_s) = dynamicsymbols._t, dynamicsymbols("x y"), symbols("mu mu_s")
    L = (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - STIFFNESS * x**2 / 2 - G * y
    equations = lagrange(L, [x, y], gaps={"floor": y}, slips={"floor": x.diff(t) - BELT}, mu=mu, mu_static=mu_s)
    system = equations.system({mu: 0.25, mu_s: 0.4}, compile=False)
    found = run(system)
    np.testing.assert_allclose(found.q, sol.q, atol=1e-12)
    np.testing.assert_array_equal(found.sticks, sol.sticks)
    np.testing.assert_allclose(found.friction_force, sol.friction_force, atol=1e-9)
    slippery = run(system.with_params({mu: 0.0, mu_s: 0.0}))
    np.testing.assert_allclose(slippery.q[:, 0], BELT / 10.0 * np.sin(10.0 * slippery.t), atol=2e-5)


def test_dry_friction_by_name():
    """An oscillator with a brake: its amplitude falls by 4 bound/k in each period, until the brake holds it."""
    system = ga.System(
        M=[[1.0]], f=lambda t, q, v: -STIFFNESS * q, dry=lambda t, q, v: v, dry_bound=1.0, names={"dry": ["brake"]},
        compile=False,
    )  # fmt: skip
    sol = ga.solve(system, (0.0, 2.0), [0.1], [0.0], h=1e-3)
    turns = 2.0 * np.pi / 10.0
    assert sol(turns).q[0] == pytest.approx(0.1 - 4.0 / STIFFNESS, abs=1e-4)
    assert bool(sol.dry_sticks[-1, 0])
    assert np.abs(sol["brake"]).max() <= 1.0 + 1e-12
    assert abs(sol.dry_slip[-1, 0]) < 1e-30
    with pytest.raises(ga.InputError, match="no contact of this system has friction"):
        _ = sol.slip


def test_an_impact_has_a_tangential_impulse():
    """A ball that falls with spin: the friction impulse is that which stops the slip, 2/7 of its momentum."""
    system = ga.System(
        M=np.diag([1.0, 1.0, 0.4 * 0.01]), f=np.array([0.0, -G, 0.0]), gap=lambda t, q: q[1:2],
        slip=lambda t, q, v: v[0] + 0.1 * v[2], mu=0.3, e=0.7, compile=False,
    )  # fmt: skip
    sol = ga.solve(system, (0.0, 0.5), [0.0, 0.5, 0.0], [1.0, 0.0, 0.0], h=1e-3)
    assert sol.impacts.tangential_impulse[0] == pytest.approx(-2.0 / 7.0, rel=1e-6)
    assert sol.friction_impulse[:, 0].sum() == pytest.approx(-2.0 / 7.0, rel=1e-6)


@ga.evaluator
def compiled_pull(t, q, v):
    return np.array([-100.0 * q[0], -9.81])


@ga.evaluator
def compiled_floor(t, q):
    return q[1:2].copy()


@ga.evaluator
def compiled_sliding(t, q, v):
    return np.array([v[0] - 0.2])


@ga.evaluator
def guide(t, q, v):
    return np.array([v[0]])


@pytest.mark.slow
@pytest.mark.agreement
@pytest.mark.parametrize("save", [None, ("q", "v")])
def test_compiled_as_interpreted(save):
    """Derivatives by complex step; contacts and dry friction; also where friction is not saved."""
    given = dict(f=compiled_pull, gap=compiled_floor, slip=compiled_sliding, dry=guide, dry_bound=0.5, energy=None)
    one, two = (run(belt(**given, compile=compile), save=save) for compile in (True, False))
    np.testing.assert_allclose(one.q, two.q, atol=1e-12)
    if save is None:
        np.testing.assert_array_equal(one.sticks, two.sticks)
        np.testing.assert_allclose(one.friction, two.friction, atol=1e-9)
