"""What friction keeps when runs get into difficulties: divided steps, impossible states, messages."""

import numpy as np
import pytest

import genalpha as ga

G = 9.81


def sliding():
    """A point on a floor, in the well of a spring that hardens, and pressed by a force that varies."""
    return ga.System(
        M=np.eye(2), f=lambda t, q, v: np.array([-300.0 * np.sinh(10.0 * q[0]), -G * (1.0 + 0.5 * np.sin(60.0 * t))]),
        gap=lambda t, q: q[1:], slip=lambda t, q, v: v[:1], mu=0.3, compile=False,
    )  # fmt: skip


# ---------------------------------------------------------------- steps that are divided


@pytest.mark.parametrize(("q0", "v0", "h", "max_iter"), [(0.0, 0.0, 1e-2, 5), (0.05, -1.0, 5e-3, 6)])
def test_a_divided_step_keeps_friction(q0, v0, h, max_iter):
    """Modes, impulses and the work of friction go on where a step fails as a whole, also where it has impacts."""
    sol, whole = (
        ga.solve(sliding(), (0.0, 0.3), [0.0, q0], [1.0, v0], ga.GeneralizedAlpha(rho_inf=0.8, max_iter=n), h=h)
        for n in (max_iter, 20)
    )
    assert sol.stats.retries > 0
    assert sol.friction_work[-1, 0] == pytest.approx(whole.friction_work[-1, 0], rel=0.02)
    impulses = h * sol.friction_force[1:, 0]
    np.add.at(impulses, np.searchsorted(sol.t, sol.impacts.time - 1e-9) - 1, sol.impacts.tangential_impulse)
    assert sol.friction_impulse[1:, 0] == pytest.approx(impulses, abs=1e-14)


# ---------------------------------------------------------------- start


@pytest.mark.parametrize("start", ["a0", "shifted"])
def test_strategy_2_starts_without_friction(start):
    """Its smooth motion knows of neither contacts nor friction, so reactions at t0 do not hold them either."""
    method = ga.GeneralizedAlpha(strategy=2, start=start)
    braked = ga.System(
        M=np.eye(2), f=lambda t, q, v: np.array([3.0, 1.0 + 10.0 * t]), g=lambda t, q: q[:1] - q[1:],
        dry=lambda t, q, v: v[:1], dry_bound=10.0, compile=False,
    )  # fmt: skip
    sol = ga.solve(braked, (0.0, 0.1), [0.0, 0.0], [0.0, 0.0], method, h=1e-2)
    assert sol.vdot[0] == pytest.approx([2.0, 2.0], rel=1e-12)
    assert sol.lam[0] == pytest.approx([-1.0], rel=1e-12)
    assert sol.q == pytest.approx(0.0, abs=1e-4)


def boxes(mu):
    """Two flat boxes on each other, on a floor that is nearly smooth; q = (x, y, φ) of each."""

    def points(q):
        for i, below, x in ((0, None, -0.5), (0, None, 0.5), (1, 0, -0.4), (1, 0, 0.4)):
            c, s = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2])
            yield i, below, np.array([c * x + 0.2 * s, s * x - 0.2 * c])

    def rows(q, v):
        for i, below, arm in points(q):
            at, u = q[3 * i : 3 * i + 2] + arm, v[3 * i : 3 * i + 2] + v[3 * i + 2] * np.array([-arm[1], arm[0]])
            if below is None:
                yield at[1], u[0]
                continue
            c, s = np.cos(q[2]), np.sin(q[2])
            r = at - q[:2]
            u = u - v[:2] - v[2] * np.array([-r[1], r[0]])
            yield r[1] * c - r[0] * s - 0.2, u[0] * c + u[1] * s

    masses = np.array([1.0, 1.0, 0.09666666666666668, 1.0, 1.0, 0.06666666666666668])
    return ga.System(
        M=np.diag(masses), f=lambda t, q, v: -G * np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
        gap=lambda t, q: np.array([gap for gap, _ in rows(q, 0.0 * q)]),
        slip=lambda t, q, v: np.array([slip for _, slip in rows(q, v)]), mu=mu, e=1.0, compile=False,
        energy=lambda t, q, v: (0.5 * v @ (masses * v), G * (q[1] + q[4])),
    )  # fmt: skip


@pytest.mark.parametrize("mu", [0.3, 3.0])
def test_boxes_on_each_other_gain_no_energy(mu):
    """With mu = 3 no forces keep the upper box sliding at first (Painlevé); huge ones nearly did, and made energy."""
    speed = 2.35e-4
    sol = ga.solve(
        boxes([1e-3, 1e-3, mu, mu]),
        (0.0, 0.005),
        [0.0, 0.2, 0.0, 0.0, 0.6, 0.0],
        [speed, 0.0, 0.0, 0.0, 0.0, 0.0],
        h=1e-3,
    )
    assert np.abs(sol.lam_n).max() < 3.0 * G
    assert np.all(np.diff(sol.energy.sum(axis=1)) <= 1e-14)
    assert sol.v[-1] == pytest.approx((0.5 * speed - 1e-3 * G * sol.t[-1]) * np.array([1, 0, 0, 1, 0, 0]), abs=1e-8)


# ---------------------------------------------------------------- iterations


def test_contacts_without_forces_may_take_turns():
    """Three discs that touch in the air: which of the redundant contacts is closed is a matter of round-off."""
    at = np.array([[0.0, 0.0], [0.2, 0.0], [0.1, 0.1 * np.sqrt(3.0)]])
    pairs = ((1, 0), (2, 0), (2, 1))

    def normals(q):
        r = [q[3 * i : 3 * i + 2] - q[3 * j : 3 * j + 2] for i, j in pairs]
        return [(x, np.sqrt(x @ x)) for x in r]

    def slip(t, q, v):
        found = []
        for (i, j), (x, length) in zip(pairs, normals(q), strict=True):
            n, u = x / length, v[3 * i : 3 * i + 2] - v[3 * j : 3 * j + 2]
            found.append(u @ np.array([n[1], -n[0]]) + 0.1 * (v[3 * i + 2] + v[3 * j + 2]))
        return np.array(found)

    masses = np.repeat([0.1, 0.1, 1.0], 3) * np.tile([1.0, 1.0, 0.005], 3)
    discs = ga.System(
        M=np.diag(masses), f=lambda t, q, v: masses * np.tile([2.9, -9.4, 0.0], 3),
        gap=lambda t, q: np.array([length - 0.2 for _, length in normals(q)]), slip=slip,
        mu=[1e-3, 1e-3, 0.1], mu_static=[1.3e-3, 1e-3, 0.1], e=[0.0, 0.8, 0.3], compile=False,
    )  # fmt: skip
    q0 = np.column_stack([at, np.zeros(3)]).ravel()
    sol = ga.solve(discs, (0.0, 0.2), q0, np.zeros(9), ga.GeneralizedAlpha(rho_inf=0.9), h=1e-2)
    assert sol.stats.retries == 0
    assert sol.v[-1] == pytest.approx(0.2 * np.tile([2.9, -9.4, 0.0], 3), abs=1e-12)


def test_a_step_that_fails_says_what_friction_does():
    method = ga.GeneralizedAlpha(rho_inf=0.8, max_iter=2)
    with pytest.raises(ga.ConvergenceError, match=r"friction: 'gap\[0\]' slides at 0\.") as failed:
        ga.solve(sliding(), (0.0, 0.3), [0.0, 0.0], [1.0, 0.0], method, h=1e-2)
    assert "t = 0.01" in str(failed.value)


def test_what_rebounds_along_the_contact_does_not_stick():
    """Its slip is -e_t of that before, though friction has held it in the impact."""
    point = ga.System(
        M=np.eye(2), f=lambda t, q, v: np.array([0.0, -G]), gap=lambda t, q: q[1:], slip=lambda t, q, v: v[:1], mu=0.9,
        mu_static=1.5, e_t=0.5, compile=False,
    )  # fmt: skip
    sol = ga.solve(point, (0.0, 0.1), [0.0, 0.02], [0.4, -1.0], h=1e-2)
    hit = int(np.argmin(np.abs(sol.t - sol.impacts.time[0])))
    assert sol.slip[hit, 0] == pytest.approx(-0.2, rel=1e-12)
    assert not np.any(sol.sticks[np.abs(sol.slip) > 1e-9])
    assert sol.sticks[-1, 0]
