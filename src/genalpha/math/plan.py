"""The symbolic phase of the linear algebra: decided once per system, in plain Python.

A step solves with matrices of one fixed pattern. Here the pattern gets an elimination order, the fill-in, and a *plan*:
one packed integer array from which the leaves of `linear` factorise and solve without looking at the pattern again.

The plan is ``[kind, n, size, entries of L, entries of U, section offsets ..., sections ...]``; dense plans have no
sections. A static plan factorises the permuted matrix as L D U without pivoting, L and U with unit diagonals. The
values are stored in the order L (column by column), U (column by column, last column first), D, which is the order in
which they are used. The sections are

======== ==========================================================================
perm     new index of each row (= column) of the original matrix
lower    per pivot p: pointer to the entries L[i, p]
lrow     rows of the entries of L
lcol     their columns
urow     rows of the entries of U
ucol     their columns
ops      per pivot p: pointer to its updates  L[i, p] U[p, j]  of entry (i, j)
opa      storage of L[i, p]
opb      storage of U[p, j]
opc      storage of entry (i, j)
======== ==========================================================================
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

DENSE, STATIC, SPARSE, BLOCK, CONTACTS = range(5)
KIND, ORDER, SIZE, N_LOWER, N_UPPER, PERM, LOWER, LROW, LCOL, UROW, UCOL, OPS, OPA, OPB, OPC, HEADER = range(16)

DENSE_LIMIT = 40
"""Above this many unknowns nothing is factorised densely."""

DENSE_SHARE = 0.3
"""Below it, the sparse factorisation must save this much: its operations cost more than twice as much each."""

OPERATION_LIMIT = 4_000_000
"""Above this many multiply-adds per factorisation the operation list no longer pays; SuperLU takes over."""


class TooMuchFill(Exception):
    """The static factorisation would be larger than `OPERATION_LIMIT`."""


@dataclass(frozen=True)
class Elimination:
    """How matrices of one pattern are stored, factorised and solved.

    Attributes
    ----------
    plan : ndarray of uint32 (numba need not look for negative indices)
        What the leaves of `linear` read.
    position : callable
        ``position(rows, cols)`` gives the storage of matrix entries; entries outside the pattern get ``size``, a place
        behind all others that nobody reads.
    """

    plan: np.ndarray
    position: Callable[..., np.ndarray]

    @property
    def size(self) -> int:
        """Number of stored values."""
        return int(self.plan[SIZE])

    @property
    def operations(self) -> int:
        """Multiply-adds of a factorisation."""
        n = int(self.plan[ORDER])
        return n**3 // 3 if self.plan[KIND] == DENSE else int(self.plan[self.plan[OPS] + n])


def dense_elimination(n: int) -> Elimination:
    """Dense storage, row by row."""
    plan = np.array([DENSE, n, n * n, 0, 0] + [HEADER] * (HEADER - PERM), dtype=np.uint32)
    return Elimination(plan, lambda rows, cols: np.asarray(rows) * n + np.asarray(cols))


def static_elimination(n: int, rows, cols, n_first: int) -> Elimination:
    """Static sparse LU of a pattern: the first ``n_first`` unknowns before the others, each group by minimum degree.

    No pivoting: the unknowns of the first group (accelerations) have nonzero pivots because the mass matrix has, and
    the others (multipliers) after them because their Schur complement -G M⁻¹ Gᵀ has.
    """
    perm = minimum_degree(n, rows, cols, [0] * n_first + [1] * (n - n_first))
    below, right = fill(n, perm[np.asarray(rows)], perm[np.asarray(cols)])
    where, counts, sections = _storage(n, below, right)
    plan = pack([STATIC, n, *counts], [perm, *sections, *operations_of(n, below, right, where)])

    def position(rows, cols):
        pairs = zip(perm[np.asarray(rows)].tolist(), perm[np.asarray(cols)].tolist(), strict=True)
        return np.array([where.get(pair, len(where)) for pair in pairs], dtype=np.int64)

    return Elimination(plan, position)


def minimum_degree(n, rows, cols, group):
    """New index of each unknown; those of a lower group are eliminated before those of a higher one."""
    neighbours = [set() for _ in range(n)]
    for i, j in zip(np.asarray(rows).tolist(), np.asarray(cols).tolist(), strict=True):
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    heap = [(group[i], len(neighbours[i]), i) for i in range(n)]
    heapq.heapify(heap)
    perm = np.full(n, -1, dtype=np.int64)
    for index in range(n):
        while True:
            _, degree, pivot = heapq.heappop(heap)
            if perm[pivot] < 0 and degree == len(neighbours[pivot]):
                break
        perm[pivot] = index
        clique = neighbours[pivot]
        for i in clique:
            neighbours[i] |= clique
            neighbours[i] -= {i, pivot}
            heapq.heappush(heap, (group[i], len(neighbours[i]), i))
    return perm


def from_all_ends(n, rows, cols, group):
    """New index of each node: the light ones (group 0), then bodies (1) and constraints (2) by minimum degree.

    A constraint may follow as soon as all that it holds is eliminated: it has a pivot then, whatever comes later. So a
    chain is eliminated from both of its ends at once, also from one that is held, and what neither end waits for
    overlaps in the processor. Of equal degrees the one comes first that has waited longest.
    """

    def key(i, neighbours, holds):
        # constraints that hold nothing else go right after it
        return min(group[i], 1), len(neighbours[i]) - sum(holds[j] == {i} for j in neighbours[i])

    return _by_key(n, rows, cols, group, key)


def in_their_order(n, rows, cols, group):
    """The same, but bodies in the order in which they are numbered, and constraints as soon as they may."""
    return _by_key(n, rows, cols, group, lambda i, neighbours, holds: (min(group[i], 1), -1 if group[i] == 2 else i))


def _by_key(n, rows, cols, group, key):
    """New index of each node: the one with the lowest key comes next; key(node, neighbours, held nodes) may change."""
    neighbours = [set() for _ in range(n)]
    for i, j in zip(np.asarray(rows).tolist(), np.asarray(cols).tolist(), strict=True):
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    holds = [{j for j in neighbours[i] if group[j] < 2} if group[i] == 2 else set() for i in range(n)]
    ticket = itertools.count()
    heap = [(*key(i, neighbours, holds), next(ticket), i) for i in range(n) if group[i] < 2 or not holds[i]]
    heapq.heapify(heap)
    perm = np.full(n, -1, dtype=np.int64)
    for index in range(n):
        while True:
            *order, _, pivot = heapq.heappop(heap)
            if perm[pivot] < 0 and tuple(order) == key(pivot, neighbours, holds):
                break
        perm[pivot] = index
        touched = clique = neighbours[pivot]
        for i in clique:
            neighbours[i] |= clique
            neighbours[i] -= {i, pivot}
            if pivot in holds[i]:
                holds[i].discard(pivot)
                touched = touched | holds[i]
        for i in touched:
            if not holds[i]:
                heapq.heappush(heap, (*key(i, neighbours, holds), next(ticket), i))
    return perm


def fill(n, rows, cols):
    """Rows below and columns right of each pivot, fill-in included."""
    below, right = [set() for _ in range(n)], [set() for _ in range(n)]
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        if i > j:
            below[j].add(i)
        elif i < j:
            right[i].add(j)
    operations = 0
    for p in range(n):
        operations += len(below[p]) * len(right[p])
        if operations > OPERATION_LIMIT:
            raise TooMuchFill
        for i in below[p]:
            right[i].update(j for j in right[p] if j > i)
        for j in right[p]:
            below[j].update(i for i in below[p] if i > j)
    return below, right


def _storage(n, below, right):
    """Storage of all entries, its counts, and the sections that the substitutions read."""
    where, above = {}, [[] for _ in range(n)]
    lower, lrow, lcol, urow, ucol = [0], [], [], [], []
    for p in range(n):
        for i in sorted(below[p]):
            where[i, p] = len(where)
            lrow.append(i)
            lcol.append(p)
        lower.append(len(lrow))
        for j in right[p]:
            above[j].append(p)
    for j in reversed(range(n)):
        for i in above[j]:
            where[i, j] = len(where)
            urow.append(i)
            ucol.append(j)
    for p in range(n):
        where[p, p] = len(where)
    return where, (len(where), len(lrow), len(urow)), [lower, lrow, lcol, urow, ucol]


def operations_of(n, below, right, where):
    """The updates of a right-looking LU, pivot by pivot."""
    ops, opa, opb, opc = [0], [], [], []
    for p in range(n):
        for i in sorted(below[p]):
            for j in sorted(right[p]):
                opa.append(where[i, p])
                opb.append(where[p, j])
                opc.append(where[i, j])
        ops.append(len(opa))
    return [ops, opa, opb, opc]


def pack(head, sections):
    """One array: head, offsets of the sections, sections."""
    offsets, end = [], len(head) + len(sections)
    for section in sections:
        offsets.append(end)
        end += len(section)
    return np.concatenate([[*head, *offsets], *(np.asarray(s) for s in sections)]).astype(np.uint32)
