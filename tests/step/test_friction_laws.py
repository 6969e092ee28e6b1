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
