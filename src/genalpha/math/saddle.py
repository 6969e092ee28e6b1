"""Saddle-point problems at one instant, with redundant rows and singular mass matrices where they are harmless.

    M x − Bᵀμ = f,      B x + b = 0

M may be singular as long as it is regular on the motions B x = 0. Where rows of B depend on others, the multipliers
are not unique; those of minimum norm are taken, where each counts by the force that its row exerts, measured by the
masses that it acts on: Σ μᵢ² (B diag(M)⁻¹ Bᵀ)ᵢᵢ.
Coordinates and rows are brought to one scale first: grams next to tonnes look no more singular than they are, and
neither rank nor multipliers depend on units.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RANK = 1e-6
"""A row whose part that is independent of other rows is smaller than this, relatively, is redundant."""

DOUBTFUL = 1e-6
"""Pivots of B Bᵀ above this one are those of rows that depend on no others."""

SINGULAR = 1e-14
"""Reciprocal condition number below which the mass matrix is singular."""

TERM, NAMED = 0.05, 6
"""A row depends on others that make up so much of it; so many are named."""


class Saddle(NamedTuple):
    """Solution of a saddle-point problem.

    Attributes
    ----------
    x : ndarray (n,)
    mu : ndarray (m,)
    redundant, partners : ndarray of int
        Rows that depend on others, and for each of them the row that it depends on most (itself, if it is zero).
    on : tuple of ndarray of int
        For each of them the rows that it depends on.
    miss : ndarray (m,)
        B x + b: zero to round-off unless the rows contradict one another.
    scale : ndarray (m,)
        Size of the terms of B x + b, and a thousandth of what those of other rows and the forces would be in its units.
    idle : ndarray (n,) or None
        If M is singular on B x = 0: a motion without inertia. Then x and mu are meaningless.
    """

    x: NDArray[np.float64]
    mu: NDArray[np.float64]
    redundant: NDArray[np.int64]
    partners: NDArray[np.int64]
    on: tuple[NDArray[np.int64], ...]
    miss: NDArray[np.float64]
    scale: NDArray[np.float64]
    idle: NDArray[np.float64] | None = None


def solve_saddle(M, B, f, b) -> Saddle:
    """Dense or scipy.sparse M and B; see the module's docstring."""
    dense = isinstance(M, np.ndarray)
    m = B.shape[0]
    d = scales(M)
    M1 = M * d[:, None] * d if dense else (_diagonal(d) @ M @ _diagonal(d)).tocsc()
    B1 = B * d if dense else (B @ _diagonal(d)).tocsc()
    weights = _norms(B1)
    r = 1.0 / np.where(weights > 0.0, weights, 1.0)
    B1 = B1 * r[:, None] if dense else (_diagonal(r) @ B1).tocsc()
    keep, redundant = (independent_rows if dense else _independent_rows_sparse)(B1)
    solve: Any = _solve_dense if dense else _solve_sparse
    x, nu, dependence, idle = solve(M1, B1, keep, redundant, f * d, b * r)
    x, partners, on = x * d, redundant, (redundant[:0],) * redundant.size
    if redundant.size and keep.size and idle is None:
        partners = keep[np.argmax(np.abs(dependence), axis=0)]
        on = terms(keep, dependence)
        slack = np.zeros((m, redundant.size))
        slack[keep] = -dependence
        slack[redundant, np.arange(redundant.size)] = 1.0
        slack /= np.sqrt(np.sum(slack**2, axis=0))
        nu -= slack @ np.linalg.lstsq(slack, nu, rcond=None)[0]
    scale = np.abs(b) + abs(B) @ np.abs(x)
    scale = scale + 1e-3 * max(np.max(scale * r, initial=0.0), np.max(np.abs(f * d), initial=0.0)) * weights
    return Saddle(x, nu * r, redundant, partners, on, B @ x + b, scale, None if idle is None else idle * d)


def scales(M):
    """Units of the coordinates in which the diagonal of M is one; where it is zero, as of the largest one."""
    diagonal = np.abs(M.diagonal())
    return 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, diagonal.max(initial=0.0) or 1.0))


def dependence(B, keep, redundant):
    """For each redundant row of a dense matrix the rows that it depends on."""
    weights = np.linalg.lstsq(B[keep].T, B[redundant].T, rcond=None)[0] if keep.size else np.zeros((0, redundant.size))
    return terms(keep, _norms(B)[keep, None] * weights)


def terms(rows, shares):
    """Of each column of ``shares`` the rows that matter."""
    sizes = np.abs(shares)
    return tuple(rows[size > TERM * size.max(initial=0.0)] for size in sizes.T)


def dependence_in_words(names, redundant, on, most: int) -> list[str]:
    """One sentence for each redundant row, without a full stop; at most so many."""
    sentences = []
    for i, rows in list(zip(redundant, on, strict=True))[:most]:
        listed = ", ".join(names[k] for k in rows[:NAMED]) + (
            f", ... ({len(rows)} in all)" if len(rows) > NAMED else ""
        )
        sentences.append(f"{names[i]} depends on {listed}" if len(rows) else f"{names[i]} is zero")
    return sentences + ["..."] * (len(redundant) > most)


def independent_rows(B):
    """(rows that are kept, rows that depend on them) of a dense matrix, by a pivoted QR factorisation."""
    none = np.zeros(0, dtype=np.int64)
    norms = _norms(B)
    if not norms.max(initial=0.0) > 0.0:
        return none, np.arange(B.shape[0])
    scaled = B / np.where(norms > 0.0, norms, 1.0)[:, None]
    if np.linalg.eigvalsh(scaled @ scaled.T)[0] > 4.0 * RANK**2:  # no pivot can be smaller than RANK
        return np.arange(B.shape[0]), none
    from scipy.linalg import qr  # 0.15 s to import

    factors: Any = qr(scaled.T, pivoting=True, mode="r")
    R, order = factors
    rank = int(np.sum(np.abs(np.diag(R)) > RANK))
    return np.sort(order[:rank]), np.sort(order[rank:])


def _independent_rows_sparse(B):
    """The same for a scipy.sparse matrix, by the pivots of B Bᵀ, which is factorised without pivoting.

    A row that has little to do with what depends on one another may be the last of them: its pivot ε/z² is not small
    where its share z of the dependence is. Such pivots are doubtful, and the dependence itself is looked for.
    """
    m = B.shape[0]
    if m == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    norms = _norms(B)
    scaled = _diagonal(1.0 / np.where(norms > 0.0, norms, 1.0)) @ B
    S = (scaled @ scaled.T + _diagonal(np.full(m, 1e-3 * RANK**2))).tocsc()
    pivots, _ = _pivots(S)
    dependent = pivots <= RANK**2
    if np.any(~dependent & (pivots <= DOUBTFUL)):
        rest = np.nonzero(~dependent)[0]
        dependent[rest[_rows_of_null_space(S[rest][:, rest].tocsc())]] = True
    return np.nonzero(~dependent)[0], np.nonzero(dependent)[0]


def _pivots(S):
    """Pivots of a symmetric sparse matrix by its rows, and its factors."""
    from scipy.sparse.linalg import splu

    lu = splu(S, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.abs(lu.U.diagonal())[lu.perm_c], lu


def _rows_of_null_space(S):
    """As many rows as S has eigenvalues below RANK²: those that have the most to do with them. By inverse iteration."""
    from scipy.linalg import qr

    pivots, lu = _pivots(S)
    doubtful = np.nonzero(pivots <= DOUBTFUL)[0]
    Z = np.zeros((S.shape[0], doubtful.size))
    Z[doubtful, np.arange(doubtful.size)] = 1.0
    for _ in range(2):
        Z = np.linalg.qr(lu.solve(Z))[0]
    values, vectors = np.linalg.eigh(Z.T @ (S @ Z))
    null = Z @ vectors[:, values <= 2.0 * RANK**2]
    factors: Any = qr(null.T, pivoting=True, mode="r")
    return factors[1][: null.shape[1]]


def _norms(B):
    return np.sqrt(np.asarray((B * B).sum(axis=1)).ravel()) if B.shape[0] else np.zeros(0)


def _solve_dense(M, B, keep, redundant, f, b):
    """(x, μ, redundant rows in terms of the others, idle motion), by the null space of the independent rows."""
    n, rank, mu = len(f), keep.size, np.zeros(len(b))
    if rank == 0:
        x, idle = _solve_mass(M, f)
        return x, mu, np.zeros((0, redundant.size)), idle
    Q, R = np.linalg.qr(B[keep].T, mode="complete")
    image, null, R = Q[:, :rank], Q[:, rank:], R[:rank]
    x = image @ np.linalg.solve(R.T, -b[keep])
    if rank < n:
        y, idle = _solve_mass(null.T @ M @ null, null.T @ (f - M @ x))
        if idle is not None:
            return x, mu, None, null @ idle
        x = x + null @ y
    mu[keep] = np.linalg.solve(R, image.T @ (M @ x - f))
    return x, mu, np.linalg.solve(R, image.T @ B[redundant].T), None


def _solve_mass(M, f):
    """(M⁻¹ f, None), or (0, a null vector of M)."""
    if np.linalg.cond(M, 1) * SINGULAR < 1.0:  # infinite if M is exactly singular
        return np.linalg.solve(M, f), None
    return np.zeros(len(f)), np.linalg.svd(M)[2][-1]


def _solve_sparse(M, B, keep, redundant, f, b):
    """The same by SuperLU, with trivial equations for the multipliers of redundant rows."""
    from scipy.sparse import block_array
    from scipy.sparse.linalg import splu

    n, m = len(f), len(b)
    switch, trivial = np.zeros(m), np.zeros(m)
    switch[keep], trivial[redundant] = 1.0, 1.0
    kept = _diagonal(switch) @ B
    matrix = block_array([[M, kept.T], [kept, _diagonal(trivial)]]).tocsc() if m else M.tocsc()
    try:
        lu = splu(matrix)
    except RuntimeError:  # exactly singular
        lu = None
    if lu is None or _is_nearly_singular(lu):
        return np.zeros(n), np.zeros(m), None, _idle_motion(matrix, n)
    # one column for x and μ, then one for each redundant row
    right = np.zeros((n + m, 1 + redundant.size))
    right[:, 0] = np.concatenate([f, -b * switch])
    right[:n, 1:] = B[redundant].T.toarray()
    y = lu.solve(right)
    for _ in range(2):
        y += lu.solve(right - matrix @ y)
    return y[:n, 0], -y[n:, 0], y[n:, 1:][keep], None


def _is_nearly_singular(lu) -> bool:
    pivots = np.abs(lu.U.diagonal())
    return not pivots.min() > SINGULAR * pivots.max()


def _idle_motion(matrix, n):
    """A null vector of a sparse matrix, by inverse iteration."""
    from scipy.sparse.linalg import splu

    lu = splu((matrix + _diagonal(np.full(matrix.shape[0], 1e-12))).tocsc())
    x = np.cos(1.0 + np.arange(matrix.shape[0]))
    for _ in range(3):
        x = lu.solve(x)
        x /= np.max(np.abs(x))
    return x[:n]


def _diagonal(values):
    from scipy.sparse import dia_array

    return dia_array((values[None, :], [0]), shape=(values.size, values.size))


def condition_number(M) -> float:
    """Of a dense matrix in the 2-norm, of a scipy.sparse one an estimate in the 1-norm; inf if it is singular."""
    if isinstance(M, np.ndarray):
        return float(np.linalg.cond(M)) if M.size else 1.0
    from scipy.sparse.linalg import LinearOperator, norm, onenormest, splu

    try:
        lu = splu(M.tocsc())
    except RuntimeError:  # exactly singular
        return np.inf
    operator: Any = LinearOperator
    inverse = operator(M.shape, dtype=float, matvec=lu.solve, rmatvec=lambda x: lu.solve(x, "T"), matmat=lu.solve)
    return float(norm(M, 1) * onenormest(inverse))
