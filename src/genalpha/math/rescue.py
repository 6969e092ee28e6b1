"""SciPy's SuperLU behind the interface of the leaves: with pivoting, for interpreted steps.

It takes over a step in which a factorisation without pivoting fails its residual check, and it runs systems whose fill
is too large for an operation list.
"""

from __future__ import annotations

import numpy as np

from genalpha.math.symbolic import HEADER, PERM, Elimination

SPARSE = 2
OK, SINGULAR = 0, 1


def sparse_elimination(n: int, keys) -> Elimination:
    """Storage entry by entry; keys: (nnz,), sorted row * n + column."""
    plan = np.array([SPARSE, n, keys.size, 0, 0] + [HEADER] * (HEADER - PERM), dtype=np.uint32)

    def position(rows, cols):
        wanted = np.asarray(rows) * n + np.asarray(cols)
        place = np.searchsorted(keys, wanted)
        found = keys[np.minimum(place, keys.size - 1)] == wanted
        return np.where(found, place, keys.size)

    return Elimination(plan, position)


class SuperLU:
    """Factorise and solve the matrices of one pattern.

    Parameters
    ----------
    table : ndarray (3 or more, nnz)
        Row, column and storage of every entry.
    n : int
    """

    def __init__(self, table, n: int):
        self.rows, self.cols, self.storage = (table[i].astype(np.int64) for i in range(3))
        self.n = n
        self.factors = {}

    def factorise(self, plan, A, slot, pivots):
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        matrix = csc_array((A[slot, self.storage], (self.rows, self.cols)), shape=(self.n, self.n))
        if not np.all(np.isfinite(matrix.data)):
            return SINGULAR
        try:
            self.factors[slot] = splu(matrix)
        except RuntimeError:  # exactly singular
            return SINGULAR
        return OK

    def substitute(self, plan, A, slot, pivots, X, x):
        X[x] = self.factors[slot].solve(X[x])
