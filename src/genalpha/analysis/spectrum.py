"""Roots and shapes of small motions: M z̈ + C ż + K z = Bᵀμ with G z = 0, k_v ż + k_q z = 0.

Constraints are eliminated. z = Z y with G Z = 0 and Zᵀ M Z = 1; then ẏ = Q y + U s, where U spans what nonholonomic
rows leave of the velocities and Q y is what they ask for. So the state (y, s) has

    ẏ = Q y + U s,      ṡ = −Uᵀ (k + (c + Q) Q) y − Uᵀ (c + Q) U s,      c = Zᵀ C Z,  k = Zᵀ K Z.

Roots that are zero (where a system is, or how fast it goes, and nothing depends on it) come in chains, which round-off
would spread over a disk of √ε. They are taken out first, by orthogonal steps, and the others are those of what is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.analysis.variation import SmallMotion, Variation
from genalpha.errors import SingularMassError
from genalpha.math.saddle import RANK, SINGULAR

Array = NDArray[np.float64]

ROUND_OFF = 1e-16
"""Of one entry, relative to the largest: what a singular value of zero may be."""


class Reduced(NamedTuple):
    """Bases Z (nv, p) and U (p, n) of the state: z = Z y, ẏ = Q y + U s."""

    Z: Array
    U: Array


class Roots(NamedTuple):
    """Roots λ of the state, and their shapes.

    Attributes
    ----------
    values : ndarray (n,) of complex
        By size; of conjugate ones that with positive imaginary part first.
    shapes : ndarray (nv, n) of complex
        z of each of them; of zeros, what they move.
    zeros : int
        How many are zero; they come first.
    """

    values: NDArray[np.complex128]
    shapes: NDArray[np.complex128]
    zeros: int


def null_space(rows) -> Array:
    """Motions (nv, n) that rows allow, orthonormal; rows that depend on others count once."""
    dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
    n = dense.shape[1]
    if dense.shape[0] == 0:
        return np.eye(n)
    from scipy.linalg import qr

    norms = np.linalg.norm(dense, axis=1)
    factors: Any = qr((dense / np.where(norms > 0.0, norms, 1.0)[:, None]).T, pivoting=True)
    Q, R, _ = factors
    rank = int(np.sum(np.abs(np.diag(R)) > RANK))
    return Q[:, rank:]


def with_unit_mass(M, Z, names) -> Array:
    """The basis Z of motions, changed so that Zᵀ M Z = 1."""
    m = Z.T @ (M @ Z)
    sizes, axes = np.linalg.eigh(0.5 * (m + m.T))
    if len(sizes) and not sizes[0] > SINGULAR * sizes[-1]:
        name = names[int(np.argmax(np.abs(Z @ axes[:, 0])))]
        raise SingularMassError(
            f"linearize: a motion of {name!r} that the constraints allow has no inertia; give it a mass or hold it"
        )
    return Z @ (axes / np.sqrt(sizes))


def reduced(motion: SmallMotion, names) -> Reduced:
    """Bases of the motions that all rows allow; coordinates are brought to one scale first, as masses have."""
    from scipy.sparse import diags_array

    diagonal = np.abs(motion.M.diagonal())
    d = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, diagonal.max(initial=0.0) or 1.0))
    unit = diags_array(d)
    Z = d[:, None] * with_unit_mass(unit @ motion.M @ unit, null_space(motion.G @ unit), names)
    return Reduced(Z, null_space(motion.k_v @ Z))


def state_matrix(motion: SmallMotion, bases: Reduced) -> Array:
    """The matrix of (y, s)."""
    Z, U = bases
    c, k, H, L = Z.T @ (motion.C @ Z), Z.T @ (motion.K @ Z), motion.k_v @ Z, motion.k_q @ Z
    Q = -np.linalg.lstsq(H, L, rcond=RANK)[0] if len(H) else np.zeros_like(k)
    return np.block([[Q, U], [-U.T @ (k + (c + Q) @ Q), -U.T @ (c + Q) @ U]])


def _scaled(matrix, p) -> tuple[Array, Array, float]:
    """(S A S⁻¹, diagonal of S, rate) in a unit of time, 1/rate, in which positions and velocities have one size."""
    y, s = np.abs(matrix[:, :p]), np.abs(matrix[p:, p:])
    rate = max(np.sqrt(np.max(y[p:], initial=0.0)), np.max(s, initial=0.0), np.max(y[:p], initial=0.0)) or 1.0
    scale = np.concatenate([np.full(p, rate), np.ones(len(matrix) - p)])
    return scale[:, None] * matrix / scale, scale, float(rate)


def all_roots(motion: SmallMotion, bases: Reduced) -> Roots:
    """All roots of the state matrix."""
    p = bases.Z.shape[1]
    matrix, scale, rate = _scaled(state_matrix(motion, bases), p)
    C_noise, K_noise = (np.max(abs(bases.Z).T @ (noise @ abs(bases.Z)), initial=0.0) for noise in motion.noise)
    tolerance = ROUND_OFF * np.max(np.abs(matrix), initial=0.0) + C_noise + K_noise / rate
    T, zeros = _without_zeros(matrix, tolerance)
    values, vectors = _eigen(T.T @ matrix @ T, zeros)
    shapes = bases.Z @ ((T @ vectors) / scale[:, None])[:p]
    order = np.concatenate([np.arange(zeros), zeros + by_size(values[zeros:])])
    return Roots(values[order], shapes[:, order], zeros)


def drift(variation: Variation, motion: SmallMotion, bases: Reduced) -> float:
    """How much the matrices change, relatively, in the time in which small motions change by their own size."""
    p = bases.Z.shape[1]
    now, scale, rate = _scaled(state_matrix(motion, bases), p)
    rate = max(rate, float(np.max(np.abs(variation.W.data), initial=0.0)))
    ahead, behind = (variation.later(sign * 5e-4 / rate) for sign in (1.0, -1.0))
    one, two = (scale[:, None] * state_matrix(then, bases) / scale for then in (ahead, behind))
    changes = [np.max(np.abs(one - two), initial=0.0) / (np.max(np.abs(now), initial=0.0) or 1.0)]
    for rows, first, second in zip((motion.G, motion.k_v), (ahead.G, ahead.k_v), (behind.G, behind.k_v), strict=True):
        free = bases.Z if rows is motion.G else bases.Z @ bases.U
        sizes = np.outer(*(np.sqrt(np.sum(np.square(x), axis=1)) for x in (rows.toarray(), free.T)))
        changes.append(np.max(np.abs((first - second) @ free) / np.where(sizes > 0.0, sizes, 1.0), initial=0.0))
    return float(max(changes) / 1e-3)


def _without_zeros(matrix, tolerance) -> tuple[Array, int]:
    """Orthogonal T and n with Tᵀ A T = [[N, B], [0, A']], where N (n, n) has no root but zero and A' none."""
    size, zeros = len(matrix), 0
    T = np.eye(size)
    while zeros < size:
        rest = T[:, zeros:]
        _, values, rows = np.linalg.svd(rest.T @ matrix @ rest)
        found = int(np.sum(values <= tolerance))
        if not found:
            break
        T[:, zeros:] = rest @ rows[::-1].T
        zeros += found
    return T, zeros


def _eigen(matrix, zeros):
    """Roots and vectors of [[N, B], [0, A']]: first the zeros, with unit vectors, then those of A'."""
    values, inner = np.linalg.eig(matrix[zeros:, zeros:])
    n = len(matrix)
    vectors = np.zeros((n, n), dtype=complex)
    vectors[:zeros, :zeros] = np.eye(zeros)
    vectors[zeros:, zeros:] = inner
    N, B = matrix[:zeros, :zeros], matrix[:zeros, zeros:]
    for j, root in enumerate(values if zeros else []):
        vectors[:zeros, zeros + j] = np.linalg.solve(root * np.eye(zeros) - N, B @ inner[:, j])
    return np.concatenate([np.zeros(zeros), values.astype(complex)]), vectors


def by_size(values) -> NDArray[np.int64]:
    """The order of roots by size; conjugate ones stay together, that with positive imaginary part first."""
    upper = np.nonzero(values.imag >= 0.0)[0]
    upper = upper[np.lexsort((values[upper].real, np.abs(values[upper])))]
    lower = list(np.nonzero(values.imag < 0.0)[0])
    order = []
    for i in upper:
        order.append(int(i))
        if values[i].imag > 0.0 and lower:
            j = min(lower, key=lambda j: abs(values[j] - np.conj(values[i])))
            lower.remove(j)
            order.append(int(j))
    return np.array(order + [int(j) for j in lower], dtype=np.int64)


def lowest_roots(motion: SmallMotion, n: int) -> Roots:
    """The n roots nearest to zero, or one more where they are conjugate, by Arnoldi's iteration.

    (σ − λ)⁻¹ are the eigenvalues of  (b, d) → (z, σz − b),  where  (σ²M + σC + K) z − Bᵀμ = M d + (σM + C) b,
    G z = 0  and  (σ k_v + k_q) z = k_v b.
    """
    from scipy.sparse.linalg import LinearOperator, eigs

    M, C, size = motion.M, motion.C, motion.M.shape[0]
    shift = float(np.sqrt(-_shift(motion.M, motion.K)))
    solve = _solver(shift**2 * M + shift * C + motion.K, motion.G, motion.k_v, shift * motion.k_v + motion.k_q)

    def inverse(x):
        b, d = x[:size], x[size:]
        z = solve(M @ (d + shift * b) + C @ b, motion.k_v @ b)
        return np.concatenate([z, shift * z - b])

    operator: Any = LinearOperator
    start = inverse(inverse(np.random.default_rng(3).standard_normal(2 * size)))
    found: Any = eigs(operator((2 * size, 2 * size), dtype=float, matvec=inverse), k=n + 1, v0=start)
    values, shapes = shift - 1.0 / found[0], found[1][:size]
    order = by_size(values)
    split = len(order) > n and values[order[n - 1]].imag > 0.0 > values[order[n]].imag
    order = order[: n + split]
    return Roots(values[order], shapes[:, order], 0)


def lowest_modes(motion: SmallMotion, modes: int):
    """The lowest ω² and shapes of M and K, by Lanczos' iteration with the inverse of [K − σM, Bᵀ; B, 0]."""
    from scipy.sparse import vstack
    from scipy.sparse.linalg import LinearOperator, eigsh

    M, K, n = motion.M, (0.5 * (motion.K + motion.K.T)).tocsc(), motion.M.shape[0]
    rows: Any = vstack([motion.G, motion.k_v]).tocsc()
    shift, none = _shift(M, K), np.zeros(0)
    solve = _solver(K - shift * M, rows, rows[:0], rows[:0])
    inverse: Any = LinearOperator((n, n), matvec=lambda x: solve(x, none))  # pyright: ignore
    start = inverse @ (M @ np.random.default_rng(3).standard_normal(n))
    found: Any = eigsh(K, k=min(modes, n - rows.shape[0] - 1), M=M, sigma=shift, OPinv=inverse, v0=start)
    order = np.argsort(found[0])
    return found[0][order], found[1][:, order]


def _shift(M, K) -> float:
    """Below the lowest ω², but not by so much that modes crowd together."""
    return -1e-9 * (float(np.median(np.abs(K.diagonal()) / M.diagonal())) or 1.0)


def _solver(matrix, G, left, right):
    """solve(f, b) = z of  matrix z − Gᵀλ − leftᵀψ = f,  G z = 0,  right z = b; rows may depend on others."""
    from scipy.sparse import block_array, diags_array
    from scipy.sparse.linalg import splu

    n, none = matrix.shape[0], np.zeros(G.shape[0])
    size = float(np.mean(np.abs(matrix.diagonal()))) or 1.0
    blocks = [[matrix, size * G.T, size * left.T], [size * G, None, None], [size * right, None, None]]
    soft = np.concatenate([np.zeros(n), np.full(len(none) + left.shape[0], -1e-12 * size)])
    lu = splu((block_array(blocks) + diags_array(soft)).tocsc())
    return lambda f, b: lu.solve(np.concatenate([f, none, size * b]))[:n]
