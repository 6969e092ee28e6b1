"""Consistent initial values: v̇0, lam0, psi0, and q0, v0 projected onto the constraints if wanted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.contract import Contract
from genalpha.errors import (
    ContradictoryConstraints,
    InconsistentInitialState,
    NonFiniteError,
    RedundantConstraintsWarning,
    SingularMassError,
)

TOLERANCE = 1e-8
"""Largest |g|, |ġ| and |k| that an initial state may have, in the units of the constraint, relative to 1 + |q0| or |v0|."""

DENSE_LIMIT = 3000


@dataclass(frozen=True)
class InitialState:
    """A state that satisfies the constraints at all levels.

    Attributes
    ----------
    t : float
    q, v, vdot : ndarray (n,)
    lam : ndarray (ng,)
    psi : ndarray (nk,)
    redundant : tuple of str
        Names of constraint rows that depend on others.
    """

    t: float
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    vdot: NDArray[np.float64]
    lam: NDArray[np.float64]
    psi: NDArray[np.float64]
    redundant: tuple[str, ...] = ()


def initial_state(contract: Contract, t0: float, q0, v0, project: bool = False) -> InitialState:
    """Solve M v̇ − Bᵀμ = f, B v̇ + bias = 0 at t0, with multipliers of minimum norm where rows are redundant."""
    q, v = np.array(q0, dtype=float), np.array(v0, dtype=float)
    if project:
        q = _project_position(contract, t0, q)
        v = _project_velocity(contract, t0, q, v)
    _check_levels(contract, t0, q, v)
    vdot, mu, redundant = accelerations(contract, t0, q, v)
    if redundant:
        warnings.warn(
            f"{len(redundant)} of {contract.ng + contract.nk} constraint rows depend on the others "
            f"({', '.join(redundant[:5])}{', ...' if len(redundant) > 5 else ''}); "
            f"the run goes on with multipliers of minimum norm",
            RedundantConstraintsWarning,
            stacklevel=3,
        )
    return InitialState(t0, q, v, vdot, mu[: contract.ng], mu[contract.ng :], tuple(redundant))


def accelerations(contract: Contract, t, q, v):
    """(v̇, μ, names of redundant rows) at a state that satisfies g = 0, ġ = 0 and k = 0; 002 (38)."""
    M = contract.matrix("M", t, q)
    f = contract.evaluate("f", t, q, v)
    B, bias = rows_of(contract, t, q, v)
    _require_finite(contract, t, q, v, M, f, B, bias)
    free = _solve_mass(contract, M, np.column_stack([f, B.T]), t)
    if not len(bias):
        return free[:, 0], np.zeros(0), []
    W = B @ free[:, 1:]  # B M⁻¹ Bᵀ
    mu, redundant = _solve_rows(contract, W, -(bias + B @ free[:, 0]), t)
    return free[:, 0] + free[:, 1:] @ mu, mu, redundant


def rows_of(contract: Contract, t, q, v):
    """B = (G, K) as a dense matrix, and the bias of (g̈, k̇)."""
    B = np.vstack([contract.matrix("G", t, q), contract.matrix("K", t, q, v)])
    return B, np.concatenate([contract.evaluate("g_bias", t, q, v), contract.evaluate("k_bias", t, q, v)])


def row_names(contract: Contract) -> list[str]:
    """Names of all constraint rows."""
    return [*contract.names["g"], *contract.names["k"]]


def _solve_mass(contract, M, right, t):
    """M⁻¹ right; a singular M is refused with the coordinates that have no mass."""
    scale = np.abs(M).max(axis=1, initial=0.0)
    if not np.all(scale > 0.0):
        name = contract.names["q"][int(np.argmin(scale))]
        raise SingularMassError(
            f"the mass matrix is singular at t = {t:.9g}: the row of {name!r} is zero; give it a mass"
        )
    # rows brought to one scale, so that grams next to tonnes do not look singular
    U, s, Vt = np.linalg.svd(M / scale[:, None])
    if s[-1] <= 1e-14 * s[0]:
        heavy = np.argsort(-np.abs(Vt[-1]))[:3]
        names = ", ".join(repr(contract.names["q"][i]) for i in heavy if abs(Vt[-1, i]) > 0.1)
        raise SingularMassError(
            f"the mass matrix is singular at t = {t:.9g} (smallest over largest singular value {s[-1] / s[0]:.1e}): "
            f"a motion of {names} has no inertia; give it a mass or remove the coordinate"
        )
    return Vt.T @ ((U.T @ (right / scale[:, None])) / s[:, None])


def _solve_rows(contract, W, right, t):
    """W μ = right, by least squares of minimum norm; names of dependent rows; refuses contradictions."""
    size = np.sqrt(np.maximum(np.diag(W), 0.0))
    names = row_names(contract)
    zero = [name for name, s in zip(names, size, strict=True) if not s > 1e-12 * max(size.max(), 1e-300)]
    scale = np.where(size > 0.0, size, 1.0)
    scaled = W / scale[:, None] / scale[None, :]
    U, s, Vt = np.linalg.svd(scaled)
    rank = int(np.sum(s > 1e-10 * s[0])) if s[0] > 0.0 else 0
    b = right / scale
    if rank == len(s):
        return np.linalg.solve(W, right), []
    y = Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank])
    miss = scaled @ y - b
    limit = 1e-7 * (1.0 + np.abs(b).max())
    if np.abs(miss).max() > limit:
        worst = np.argsort(-np.abs(miss))[:2]
        rows = " and ".join(f"{names[i]!r}" for i in sorted(worst) if abs(miss[i]) > 0.1 * np.abs(miss).max())
        raise ContradictoryConstraints(
            f"the constraints contradict one another at t = {t:.9g}: rows {rows} depend on others but demand "
            f"accelerations that differ by {np.abs(miss * scale).max():.3g}; remove one of them or correct it"
        )
    # minimum norm of μ itself, not of the scaled unknowns
    mu = y / scale
    null = Vt[rank:].T / scale[:, None]
    mu = mu - null @ np.linalg.lstsq(null, mu, rcond=None)[0]
    return mu, _dependent_rows(scaled, names, rank, zero)


def _dependent_rows(W, names, rank, zero):
    """Names of rows that a pivoted factorisation leaves over."""
    from scipy.linalg import qr

    _, _, order = qr(W, pivoting=True, mode="economic")
    left = {names[i] for i in order[rank:]} | set(zero)
    return [name for name in names if name in left]


def _check_levels(contract, t, q, v):
    """Refuse a state that violates g = 0, ġ = 0 or k = 0."""
    limit_q, limit_v = TOLERANCE * (1.0 + _largest(q)), TOLERANCE * (1.0 + _largest(v))
    g = contract.evaluate("g", t, q)
    gdot = contract.matrix("G", t, q) @ v + contract.evaluate("g_t", t, q)
    k = contract.evaluate("k", t, q, v)
    checks = (("g", "g", g, limit_q, "q0"), ("g", "ġ", gdot, limit_v, "v0"), ("k", "k", k, limit_v, "v0"))
    for kind, symbol, value, limit, what in checks:
        if not value.size:
            continue
        worst = int(np.argmax(np.where(np.isfinite(value), np.abs(value), np.inf)))
        if not abs(value[worst]) <= limit:
            raise InconsistentInitialState(
                f"constraint {contract.names[kind][worst]!r}: |{symbol}| = {abs(value[worst]):.3g} exceeds {limit:.1g} "
                f"at t0 = {t:.9g}; correct {what} or pass project=True"
            )


def _project_position(contract, t, q, max_iter=50):
    """The nearest q with g = 0, in the metric of the mass matrix."""
    if not contract.ng:
        return q
    q_new = np.empty_like(q)
    for _ in range(max_iter):
        g = contract.evaluate("g", t, q)
        if _largest(g) <= 1e-14 * (1.0 + _largest(q)):
            return q
        delta = _project(contract, contract.matrix("M", t, q), contract.matrix("G", t, q), g, t)
        contract.evaluators.update(q, delta, contract.data, q_new)
        if _largest(delta) <= 1e-15 * (1.0 + _largest(q)):
            break
        q, q_new = q_new.copy(), np.empty_like(q)
    g = np.abs(contract.evaluate("g", t, q))
    if _largest(g) > TOLERANCE * (1.0 + _largest(q)):
        name = contract.names["g"][int(np.argmax(g))]
        raise ContradictoryConstraints(
            f"no position near q0 satisfies all constraints at t0 = {t:.9g}: |g| = {g.max():.3g} is left in {name!r} "
            f"after {max_iter} projections; the constraints contradict one another, or q0 is too far away"
        )
    return q


def _project_velocity(contract, t, q, v, max_iter=20):
    """The nearest v with ġ = 0 and k = 0, in the metric of the mass matrix."""
    if not contract.ng + contract.nk:
        return v
    M, G, g_t = contract.matrix("M", t, q), contract.matrix("G", t, q), contract.evaluate("g_t", t, q)
    for _ in range(max_iter):
        rows = np.concatenate([G @ v + g_t, contract.evaluate("k", t, q, v)])
        if _largest(rows) <= 1e-14 * (1.0 + _largest(v)):
            break
        v = v + _project(contract, M, np.vstack([G, contract.matrix("K", t, q, v)]), rows, t)
    return v


def _project(contract, M, B, rows, t):
    """−M⁻¹Bᵀ(B M⁻¹ Bᵀ)⁺ rows."""
    X = _solve_mass(contract, M, B.T, t)
    return -X @ np.linalg.lstsq(B @ X, rows, rcond=1e-12)[0]


def _require_finite(contract, t, q, v, *values):
    if all(np.all(np.isfinite(value)) for value in values):
        return
    name = contract.locate(t, q, v) if contract.locate else None
    raise NonFiniteError(f"{name or 'a derivative'} gives NaN or inf at t = {t:.9g}")


def _largest(x) -> float:
    return float(np.max(np.abs(x), initial=0.0))
