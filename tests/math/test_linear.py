"""The linear algebra against NumPy's: dense and static sparse LU, products, regularised redundant rows."""

import numpy as np
import pytest

from genalpha.math import linear, plan
from genalpha.math.rescue import SuperLU, sparse_elimination
from genalpha.step.tables import blocks_ahead
from genalpha.system.contract import Pattern

RANDOM = np.random.default_rng(5)


def saddle(n, m, density):
    """A random saddle-point matrix: a diagonally dominant block, a sparse border of full rank."""
    M = np.where(RANDOM.random((n, n)) < density, RANDOM.standard_normal((n, n)), 0.0)
    M = M + np.diag(n * density + 1.0 + RANDOM.random(n))
    B = np.where(RANDOM.random((m, n)) < density, RANDOM.standard_normal((m, n)), 0.0)
    B[np.arange(m), np.arange(m)] += 2.0
    return np.block([[M, B.T], [B, np.zeros((m, m))]])


def factorised(A, elimination, solver=linear):
    n = len(A)
    rows, cols = np.nonzero((A != 0.0) | np.eye(n, dtype=bool))
    values = np.zeros((6, elimination.size + 1))
    values[0, elimination.position(rows, cols)] = A[rows, cols]
    pivots = np.zeros((3, n), dtype=np.int64)
    status = solver.factorise(elimination.plan, values, 0, pivots)
    return status, values, pivots


def solved(A, elimination, b, solver=linear):
    status, values, pivots = factorised(A, elimination, solver)
    X = np.zeros((4, len(A)))
    X[0] = b
    solver.substitute(elimination.plan, values, 0, pivots, X, 0)
    return status, X[0]


def pattern(A):
    return np.nonzero((A != 0.0) | np.eye(len(A), dtype=bool))


@pytest.mark.agreement
@pytest.mark.parametrize(("n", "m"), [(1, 0), (3, 2), (6, 4), (20, 11), (60, 30)])
def test_dense_static_and_superlu_solve_the_same_system(n, m):
    A, b = saddle(n, m, 0.2), RANDOM.standard_normal(n + m)
    rows, cols = pattern(A)
    keys = np.unique(rows * (n + m) + cols)
    exact = np.linalg.solve(A, b)
    sparse = sparse_elimination(n + m, keys)
    rescue = SuperLU(np.array([*np.divmod(keys, n + m), np.arange(keys.size)]), n + m)
    for elimination, solver in (
        (plan.dense_elimination(n + m), linear),
        (plan.static_elimination(n + m, rows, cols, n), linear),
        (sparse, rescue),
    ):
        status, x = solved(A, elimination, b, solver)
        assert status == linear.OK
        np.testing.assert_allclose(x, exact, rtol=1e-9, atol=1e-11)


def test_dense_lu_pivots():
    A = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    _, x = solved(A, plan.dense_elimination(3), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(A @ x, [1.0, 2.0, 3.0], atol=1e-14)


def test_singular_matrices_are_noticed():
    A = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert factorised(A, plan.dense_elimination(2))[0] == linear.SINGULAR
    assert factorised(np.diag([1.0, 0.0]), plan.static_elimination(2, *pattern(np.eye(2)), 2))[0] == linear.SINGULAR


def test_static_elimination_fills_only_where_it_must():
    """A chain: bodies first, then joints, leaves a tridiagonal Schur complement, and the operations grow linearly."""
    operations = []
    for n in (50, 100, 200):
        M, B = np.eye(n), np.eye(n) - np.eye(n, k=-1)
        A = np.block([[M, B.T], [B, np.zeros((n, n))]])
        operations.append(plan.static_elimination(2 * n, *pattern(A), n).operations)
    growth = np.diff(np.log(operations)) / np.log(2.0)
    np.testing.assert_allclose(growth, 1.0, atol=0.05)


def test_entries_outside_the_pattern_have_a_place_nobody_reads():
    elimination = plan.static_elimination(3, [0, 1, 2], [0, 1, 2], 3)
    assert elimination.position([0], [2]) == [elimination.size]


def test_a_plan_that_would_be_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(plan, "OPERATION_LIMIT", 10)
    with pytest.raises(plan.TooMuchFill):
        plan.static_elimination(6, *pattern(np.ones((6, 6))), 6)


@pytest.mark.agreement
def test_products_on_a_pattern():
    """Entries one by one and blocks of nine, which may overlap in the table."""
    A = np.zeros((9, 8))
    single = RANDOM.random((3, 8)) < 0.5
    A[:3] = np.where(single, RANDOM.standard_normal((3, 8)), 0.0)
    A[3:, 2:5] = RANDOM.standard_normal((6, 3))  # row by row: every third entry begins a block
    rows, cols = np.nonzero(A)
    T = np.array([rows, cols, blocks_ahead(Pattern(rows, cols))], dtype=np.uint32)
    assert np.sum(T[2] == 9) >= 4
    x, y, J = RANDOM.standard_normal((2, 8)), RANDOM.standard_normal((2, 9)), A[rows, cols]
    out, turned = np.ones((2, 9)), np.ones((2, 8))
    linear.multiply_add(T, J, 0, rows.size, 0.5, x, 1, out, 0)
    linear.transposed_multiply_add(T, J, 0, rows.size, -1.0, y, 1, turned, 0)
    np.testing.assert_allclose(out[0], 1.0 + 0.5 * A @ x[1], atol=1e-14)
    np.testing.assert_allclose(turned[0], 1.0 - A.T @ y[1], atol=1e-14)
    assert np.all(out[1] == 1.0)
    assert np.all(turned[1] == 1.0)
