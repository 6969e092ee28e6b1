"""Factors of matrices with rows that depend on others: what is left of them by ε is solved for without loss."""

import numpy as np
import pytest

from genalpha.math import linear, plan
from genalpha.math.blocks import OK, SIZE, block_elimination, factorise_blocks, substitute_blocks

pytestmark = pytest.mark.agreement
N, EPSILON = 12, 1e-10


def saddle(random, copies):
    """[M Bᵀ; B −ε] with nodes of three rows; of each but the first a mixture of two depends on those before."""
    L = np.kron(np.eye(N // 3), np.ones((3, 3))) * random.uniform(-1.0, 1.0, (N, N))
    M = L @ L.T + np.eye(N)
    B = random.uniform(-1.0, 1.0, (3, N))
    for _ in range(copies):
        rows = np.concatenate([random.uniform(-1.0, 1.0, (2, len(B))) @ B, random.uniform(-1.0, 1.0, (1, N))])
        B = np.concatenate([B, random.uniform(-1.0, 1.0, (3, 3)) @ rows])
    B /= np.sqrt(np.sum(B**2, axis=1))[:, None]
    return np.block([[M, B.T], [B, -EPSILON * np.eye(len(B))]])


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_solutions_solve_the_matrix(seed, copies):
    """Residuals are round-off of the terms: no error is 1/ε times larger. So they can be refined to round-off."""
    random = np.random.default_rng(seed)
    A = saddle(random, copies)
    n = len(A)
    rows, cols = np.nonzero(np.ones((n, n)))
    elimination = block_elimination(n, rows, cols, N, np.arange(n) // 3)
    values, pivots = np.zeros(int(elimination.plan[SIZE])), np.zeros(1, dtype=np.int64)
    values[elimination.position(rows, cols)] = A.ravel()
    assert factorise_blocks(elimination.plan, values, pivots) == OK
    x = random.uniform(-1.0, 1.0, n)
    b = A @ x  # its rows contradict one another by ε only
    y = b.copy()
    substitute_blocks(elimination.plan, values, y)
    assert np.abs(A @ y - b).max() <= 1e-13 * (np.abs(A) @ np.abs(y) + np.abs(b)).max()
    np.testing.assert_allclose(y[:N], x[:N], atol=1e-12)


@pytest.mark.parametrize("units", [1.0, 1e9])
def test_equilibrated_matrices_have_no_units(units):
    """Diagonals of M and of B diag(M)⁻¹ Bᵀ become one; so does a coordinate without mass, by its stiffness."""
    random = np.random.default_rng(3)
    d, s = units ** random.uniform(-1.0, 1.0, N), units ** random.uniform(-1.0, 1.0, 3)
    M, B = np.diag(random.uniform(1.0, 2.0, N)), random.uniform(-1.0, 1.0, (3, N))
    M[0, 0] = 0.0
    K = np.zeros((N, N))
    K[0, 0] = 3.0
    M, K, B = d[:, None] * M * d, d[:, None] * K * d, s[:, None] * B * d
    A = np.block([[M + K, B.T], [B, np.zeros((3, 3))]])
    n = len(A)
    rows, cols = np.nonzero(np.ones((n, n)))
    elimination = plan.dense_elimination(n)
    values = np.zeros((1, elimination.size + 1))
    places = elimination.position(rows, cols)
    values[0, places] = A.ravel()
    T = np.array([np.arange(N), np.arange(N), np.zeros(N)], dtype=np.uint32)
    E = np.array([rows, cols, places], dtype=np.uint32)
    left, right = np.zeros(n), np.zeros(n)
    linear.equilibrate(T, M.diagonal().copy(), E, N, N, left, right, values, 0)
    scaled = values[0, places].reshape(n, n)
    np.testing.assert_allclose(scaled, left[:, None] * A * right, rtol=1e-14)
    np.testing.assert_allclose(scaled.diagonal()[:N], 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.sum(scaled[N:, :N] ** 2, axis=1), 1.0, rtol=1e-14)
