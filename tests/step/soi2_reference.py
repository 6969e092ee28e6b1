"""(14) of paper 001 in plain NumPy: slow, short, and independent of the package; tests compare with it.

All equations of a step are solved together by Newton's method with a dense complex-step Jacobian, without a thought for
speed. What the package does in one way only can be chosen here, the ways that lose an order included.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

# how M_α a_α of a step is made: the vector M a of the step before moved by (16); M(t_α, y0 + hα z0) a_α; the matrix of
# the step before times a_α, which loses an order when steps vary; (15) and (16) left out, which loses an order too
Carry = Literal["vector", "evaluate", "matrix", "nothing"]
EPS = 1e-30


class Equations(NamedTuple):
    """M(t, y) z' = f(t, y, z, λ, ψ) with g(t, y) = 0, its derivative gdot(t, y, z) = 0, and k(t, y, z) = 0."""

    M: Callable
    f: Callable
    g: Callable
    gdot: Callable
    k: Callable
    n: int
    ng: int
    nk: int


class States(NamedTuple):
    """The state after every step, time first; ``a`` before (15), at t_n + α h of the step that ends at t_n."""

    t: np.ndarray
    y: np.ndarray
    z: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    psi: np.ndarray


def no_constraint(*_):
    """Instead of g, gdot or k."""
    return np.zeros(0)


def newton(residual, x, iterations=30):
    """A zero of residual, to round-off: until corrections no longer shrink.

    A singular Jacobian gets the shortest correction.
    """
    size = np.inf
    for _ in range(iterations):
        columns = [residual(x + 1j * EPS * unit).imag / EPS for unit in np.eye(x.size)]
        dx = np.linalg.lstsq(np.stack(columns, axis=1), -residual(x), rcond=1e-14)[0]
        x = x + dx
        last, size = size, np.abs(dx).max() / (1.0 + np.abs(x).max())
        if size < 1e-15 or (size < 1e-6 and size >= 0.1 * last):  # quadratic until round-off
            return x
    raise ArithmeticError(f"Newton's method did not converge, last relative correction {size:.1e}")


def consistent(eq, t, y, z):
    """(a0, λ0, ψ0) of sec. 6: the equations of motion and the derivatives of both velocity constraints."""

    def rate(function, a):
        # derivative along (1, z, a)
        return function(t + 1j * EPS, y + 1j * EPS * z, z + 1j * EPS * a).imag / EPS

    def constraints(a):
        return np.concatenate([rate(eq.gdot, a), rate(eq.k, a)])

    bias = constraints(np.zeros(eq.n))
    B = np.stack([constraints(unit) - bias for unit in np.eye(eq.n)], axis=1)

    def residual(x):
        a, lam, psi = np.split(x, [eq.n, eq.n + eq.ng])
        return np.concatenate([eq.M(t, y) @ a - eq.f(t, y, z, lam, psi), B @ a + bias])

    return np.split(newton(residual, np.zeros(eq.n + eq.ng + eq.nk)), [eq.n, eq.n + eq.ng])


def one_step(eq, c, t0, h, y0, z0, a, Ma, lam0, psi0):
    """(14): (y1, z1, a_{1+α}, M_{1+α} a_{1+α}, λ1, ψ1, a_α, M_α a_α); a = None makes a_α implicitly by (10)."""
    n, ng, nk = eq.n, eq.ng, eq.nk
    alpha_m, alpha_f, beta, gamma = c.alpha_m, c.alpha_f, c.beta, c.gamma
    alpha = alpha_m - alpha_f
    t1 = t0 + h
    M1 = eq.M(t0 + (1 + alpha) * h, y0 + h * (1 + alpha) * z0)
    M0 = eq.M(t0 + alpha * h, y0 + h * alpha * z0)
    f0 = eq.f(t0, y0, z0, lam0, psi0)
    implicit = a is None
    sizes = np.cumsum([n, n, ng, nk, ng, nk])

    def unpack(x):
        a1, a1_, lam1, psi1, lam1_, psi1_, a_alpha = np.split(x, sizes)  # a trailing _ is the paper's tilde
        a_alpha, Ma_alpha = (a_alpha, M0 @ a_alpha) if implicit else (a, Ma)
        y1 = y0 + h * z0 + 0.5 * h * h * ((1 - 2 * beta) * a_alpha + 2 * beta * a1_)
        z1_ = z0 + h * ((1 - gamma) * a_alpha + gamma * a1_)
        z1 = z0 + h * ((1 - gamma) * a_alpha + gamma * a1)
        return a1, a1_, lam1, psi1, lam1_, psi1_, a_alpha, Ma_alpha, y1, z1, z1_

    def residual(x):
        a1, a1_, lam1, psi1, lam1_, psi1_, _, Ma_alpha, y1, z1, z1_ = unpack(x)
        f1, f1_ = eq.f(t1, y1, z1, lam1, psi1), eq.f(t1, y1, z1, lam1_, psi1_)
        rows = [
            (1 - alpha_m) * M1 @ a1_ + alpha_m * Ma_alpha - (1 - alpha_f) * f1_ - alpha_f * f0,
            (1 - alpha_m) * M1 @ a1 + alpha_m * Ma_alpha - (1 - alpha_f) * f1 - alpha_f * f0,
            eq.g(t1, y1) / h**2,
            eq.gdot(t1, y1, z1) / h,
            eq.k(t1, y1, z1_) / h,
            eq.k(t1, y1, z1) / h,
        ]
        if implicit:
            rows.append(Ma_alpha - (1 - alpha) * f0 - alpha * f1)
        return np.concatenate(rows)

    guess = np.linalg.solve(M0, f0) if implicit else a
    x = newton(residual, np.concatenate([guess, guess, lam0, psi0, lam0, psi0, guess if implicit else []]))
    a1, _, lam1, psi1, _, _, a_alpha, Ma_alpha, y1, z1, _ = unpack(x)
    return y1, z1, a1, M1 @ a1, lam1, psi1, a_alpha, Ma_alpha


class Carried(NamedTuple):
    """What a step leaves to the next: a_{1+α} and M a, both as they were at its beginning, its matrix, its size."""

    a: np.ndarray
    Ma: np.ndarray
    a_before: np.ndarray
    Ma_before: np.ndarray
    M: np.ndarray
    h: float


def next_acceleration(eq, alpha, carry, last, t, h, y, z):
    """(a_α, M_α a_α) of a step from t with size h."""
    shift = 0.0 if carry == "nothing" else alpha * (h / last.h - 1)
    a = last.a + shift * (last.a - last.a_before)  # (15)
    if carry == "evaluate":
        return a, eq.M(t + alpha * h, y + h * alpha * z) @ a
    if carry == "matrix":
        return a, last.M @ a
    return a, last.Ma + shift * (last.Ma - last.Ma_before)  # (16)


def integrate(eq, c, t0, steps, y0, z0, carry: Carry = "vector", start="lunk-simeon", a_first=None) -> States:
    """The states after all steps, the first one included.

    ``start`` is "a0" or "lunk-simeon", which is (10) with M_α a_α on its left side; ``a_first`` is a value of a_α for
    the first step instead.
    """
    alpha = c.alpha_m - c.alpha_f
    t, y, z = float(t0), np.array(y0, dtype=float), np.array(z0, dtype=float)
    a0, lam, psi = consistent(eq, t, y, z)
    first = a0 if a_first is None else np.asarray(a_first, dtype=float)
    implicit = start == "lunk-simeon" and a_first is None
    rows, last = [(t, y, z, first, lam, psi)], None
    for h in steps:
        if last is not None:
            a, Ma = next_acceleration(eq, alpha, carry, last, t, h, y, z)
        else:
            a, Ma = (None, None) if implicit else (first, eq.M(t + alpha * h, y + h * alpha * z) @ first)
        M = eq.M(t + (1 + alpha) * h, y + h * (1 + alpha) * z)
        y, z, a1, Ma1, lam, psi, a, Ma = one_step(eq, c, t, h, y, z, a, Ma, lam, psi)
        last = Carried(a1, Ma1, a, Ma, M, h)
        t += h
        rows.append((t, y, z, a1, lam, psi))
    return States(*(np.array(column) for column in zip(*rows, strict=True)))
