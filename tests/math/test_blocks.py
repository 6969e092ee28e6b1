"""The block LU of nodes against numpy.linalg.solve."""

import numpy as np
import pytest

from genalpha.math.blocks import (
    GROUP,
    N_PADS,
    NODES,
    OK,
    SINGULAR,
    SIZE,
    block_elimination,
    factorise_blocks,
    substitute_blocks,
)


def random_matrix(random, sizes, diagonal_nodes=(), density=0.4):
    """(A, nodes): a diagonally dominant matrix of nodes; those named have diagonal blocks only."""
    nodes = np.repeat(np.arange(len(sizes)), sizes)
    n = len(nodes)
    local = np.arange(n) - np.searchsorted(nodes, nodes)
    pattern = np.zeros((n, n), dtype=bool)
    for i in range(len(sizes)):
        for j in range(len(sizes)):
            if i == j or random.random() < density:
                block = np.ix_(nodes == i, nodes == j)
                light = i in diagonal_nodes or j in diagonal_nodes
                pattern[block] |= np.equal.outer(local[nodes == i], local[nodes == j]) if light else True
    pattern |= pattern.T
    A = np.where(pattern, random.uniform(-1.0, 1.0, (n, n)), 0.0)
    return A + np.diag(3.0 + np.abs(A).sum(axis=1)), nodes


def solve(A, nodes, b, n_first=0):
    """The solution by blocks, and the plan."""
    rows, cols = np.nonzero(A)
    elimination = block_elimination(len(A), rows, cols, n_first, nodes)
    plan = elimination.plan
    values, pivots = np.zeros(int(plan[SIZE])), np.zeros(1, dtype=np.int64)
    values[elimination.position(rows, cols)] = A[rows, cols]
    status = factorise_blocks(plan, values, pivots)
    x = b.copy()
    if status == OK:
        substitute_blocks(plan, values, x)
    return x, plan, status


@pytest.mark.parametrize("seed", range(12))
def test_against_numpy(seed):
    """Random patterns, nodes of one to three unknowns: padding is never seen."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 4, random.integers(1, 14))
    A, nodes = random_matrix(random, sizes)
    b = random.uniform(-1.0, 1.0, len(A))
    first = int(sizes[: len(sizes) // 2].sum())
    x, plan, status = solve(A, nodes, b, first)
    assert status == OK
    assert int(plan[NODES]) == len(sizes)
    assert int(plan[N_PADS]) == 3 * len(sizes) - len(A)
    assert x == pytest.approx(np.linalg.solve(A, b), abs=1e-13)


@pytest.mark.parametrize("seed", range(8))
def test_light_nodes(seed):
    """Nodes with diagonal blocks take a shorter way to the same result."""
    random = np.random.default_rng(100 + seed)
    sizes = np.full(9, 3)
    A, nodes = random_matrix(random, sizes, diagonal_nodes=(0, 1, 2, 3), density=0.25)
    b = random.uniform(-1.0, 1.0, len(A))
    x, plan, status = solve(A, nodes, b, n_first=12)
    groups = plan[int(plan[GROUP]) : int(plan[GROUP]) + 9]
    assert status == OK
    assert np.any(groups == 0)
    assert x == pytest.approx(np.linalg.solve(A, b), abs=1e-13)


def test_twice_with_the_same_plan():
    """Factors are made anew from new values; the work space holds nothing over."""
    random = np.random.default_rng(5)
    A, nodes = random_matrix(random, np.array([3, 2, 1, 3]))
    rows, cols = np.nonzero(A)
    elimination = block_elimination(len(A), rows, cols, 0, nodes)
    values, pivots = np.zeros(int(elimination.plan[SIZE])), np.zeros(1, dtype=np.int64)
    for factor in (1.0, -2.5):
        values[:] = 0.0
        values[elimination.position(rows, cols)] = factor * A[rows, cols]
        assert factorise_blocks(elimination.plan, values, pivots) == OK
        for _ in range(2):
            x = np.arange(len(A), dtype=float)
            substitute_blocks(elimination.plan, values, x)
            assert factor * A @ x == pytest.approx(np.arange(len(A)), abs=1e-12)


def test_singular_blocks_are_told():
    A = np.eye(6)
    A[3:, 3:] = 1.0
    assert solve(A, np.array([0, 0, 0, 1, 1, 1]), np.ones(6))[2] == SINGULAR
