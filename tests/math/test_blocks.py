"""The block LU of nodes against numpy.linalg.solve, its order, and how blocks are put into matrices."""

import numpy as np
import pytest

from genalpha.math.blocks import (
    N_LIGHT,
    N_PADS,
    NODES,
    OK,
    SINGULAR,
    SIZE,
    block_elimination,
    factorise_blocks,
    substitute_blocks,
)
from genalpha.math.linear import put_blocks, put_onto, scatter_blocks
from genalpha.math.plan import fill, from_all_ends, minimum_degree

pytestmark = pytest.mark.agreement


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
    assert status == OK
    assert plan[N_LIGHT] > 0
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


def chain(n):
    """Rows, columns and groups of n bodies in a row, the first of which is held by a constraint, the last node."""
    pairs = [(i, i + 1) for i in range(n - 1)] + [(0, n)]
    rows, cols = np.array(pairs + [pair[::-1] for pair in pairs]).T
    return rows, cols, [1] * n + [2]


def test_a_held_chain_is_eliminated_from_both_ends():
    """In turns, the constraint as soon as it can be; with one block more than from the free end alone."""
    rows, cols, group = chain(8)
    order = np.argsort(from_all_ends(9, rows, cols, group))
    assert order.tolist() == [0, 7, 8, 6, 1, 5, 2, 4, 3]
    orders = (minimum_degree(9, rows, cols, group), from_all_ends(9, rows, cols, group))
    blocks = [sum(map(len, fill(9, perm[rows], perm[cols])[0])) for perm in orders]
    assert blocks == [8, 9]


def test_a_held_beam_is_eliminated_in_its_order():
    """Two nodes per station, all of them coupled to the next station, three rows that hold the first one."""
    stations = 100
    n, random = 6 * stations, np.random.default_rng(8)
    station = np.append(np.arange(n) // 6, [-1, -1, -1])
    A = np.where(np.abs(np.subtract.outer(station, station)) < 2, random.uniform(-1.0, 1.0, (n + 3, n + 3)), 0.0)
    A[:n, :n] += 12.0 * np.eye(n)
    A[n:, n:] = 0.0
    nodes = np.arange(n + 3) // 3
    rows, cols = np.nonzero(A)
    elimination = block_elimination(n + 3, rows, cols, n, nodes)
    first = np.arange(0, n, 3)
    assert np.all(np.diff(elimination.position(first, first)) > 0)
    b = random.uniform(-1.0, 1.0, n + 3)
    x, _, status = solve(A, nodes, b, n_first=n)
    assert status == OK
    assert A @ x == pytest.approx(b, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_constraints_follow_what_they_hold(seed):
    """Bodies and constraints at random: the order is right, and there are pivots for saddle points."""
    random = np.random.default_rng(200 + seed)
    n, m = int(random.integers(2, 9)), int(random.integers(1, 4))
    held = [random.choice(n, min(2, n), replace=False) for _ in range(m)]
    sizes = np.concatenate([np.full(n, 3), random.integers(1, 3, m)])
    nodes = np.repeat(np.arange(n + m), sizes)
    A = np.zeros((len(nodes), len(nodes)))
    for i in range(n):
        root = random.uniform(-1.0, 1.0, (3, 3))
        A[np.ix_(nodes == i, nodes == i)] = root @ root.T + np.eye(3)
    for j, bodies in enumerate(held):
        for i in bodies:
            block = np.ix_(nodes == n + j, nodes == i)
            A[block] = random.uniform(-1.0, 1.0, A[block].shape)
    A = np.where(A == 0.0, A.T, A)
    pairs = np.array([(n + j, i) for j, bodies in enumerate(held) for i in bodies])
    perm = from_all_ends(n + m, *pairs.T, [1] * n + [2] * m)
    assert sorted(perm) == list(range(n + m))
    assert all(perm[n + j] > max(perm[bodies]) for j, bodies in enumerate(held))
    b = random.uniform(-1.0, 1.0, len(A))
    x, _, status = solve(A + 0.0, nodes, b, n_first=3 * n)
    assert status == OK
    assert A @ x == pytest.approx(b, abs=1e-8)


@pytest.mark.parametrize("source", [0, 1, None])
def test_blocks_are_put_row_by_row(source):
    """Onto the same values, those of another matrix, or none."""
    random = np.random.default_rng(9)
    A, J = random.uniform(-1.0, 1.0, (2, 36)), random.uniform(-1.0, 1.0, 20)
    A[:, 3::4] = 0.0  # between columns
    Z = np.array([[11, 1], [12, 24], [24, 24]], dtype=np.uint32)
    before = A.copy()
    expected = before[0].copy()
    for k, place, other in Z.T.astype(int):
        added = {None: np.zeros(12), 0: before[0, place : place + 12], 1: before[1, other : other + 12]}
        expected[place : place + 12] = added[source]
        for r in range(3):
            for c in range(3):
                expected[place + 4 * c + r] += 0.5 * J[k + 3 * r + c]
    if source is None:
        put_blocks(Z, J, 0, 2, 0.5, A, 0)
    elif source == 0:
        scatter_blocks(Z, J, 0, 2, 0.5, A, 0)
    else:
        put_onto(Z, J, 0, 2, 0.5, A, 0, source)
    assert np.array_equal(A[0], expected)
