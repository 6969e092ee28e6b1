"""Tight solutions in minimal coordinates: the constraints eliminated by hand, the rest by DOP853 at round-off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

RTOL, ATOL = 1e-13, 1e-13


def integrate(rhs: Callable, t0: float, y0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
    """y(t) of ẏ = rhs(t, y), y(t0) = y0, at times t (nt,) not before t0, in any order: shape (nt, n)."""
    from scipy.integrate import solve_ivp

    t = np.atleast_1d(np.asarray(t, dtype=float))
    y0 = np.asarray(y0, dtype=float)
    order = np.unique(t)
    if order[-1] <= t0:
        return np.tile(y0, (t.size, 1))
    result = solve_ivp(rhs, (t0, order[-1]), y0, method="DOP853", t_eval=order, rtol=RTOL, atol=ATOL)
    return result.y.T[np.searchsorted(order, t)]


def angle_pendulum(t, theta0, omega0, acceleration) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(θ, ω) (nt,) of θ̈ = acceleration(θ) from t = 0."""

    def rhs(_, y):
        return np.array([y[1], acceleration(y[0])])

    theta, omega = integrate(rhs, 0.0, [theta0, omega0], t).T
    return theta, omega


def reactions(system, q, v, vdot) -> NDArray[np.float64]:
    """The least λ (nt, ng) of M v̇ = f + Gᵀλ for the accelerations of a model's motion (nt, n)."""
    contract = system.contract(0.0, system.q0, system.v0)
    M, rows = contract.matrix("M", 0.0, system.q0), []
    for i in range(len(q)):
        G, f = contract.matrix("G", 0.0, q[i]), contract.evaluate("f", 0.0, q[i], v[i])
        rows.append(np.linalg.lstsq(G.T, M @ vdot[i] - f, rcond=None)[0])
    return np.array(rows)
