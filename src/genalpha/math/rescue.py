"""SciPy's SuperLU behind the interface of the leaves: with pivoting, for interpreted steps.

It takes over a step in which a factorisation without pivoting fails its residual check, and it runs systems whose fill
is too large for an operation list.
"""

from __future__ import annotations

import numpy as np

from genalpha.math.interface import OK, SINGULAR
from genalpha.math.plan import HEADER, ORDER, PERM, SPARSE, Elimination


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
        self.patterns = {}
        self.factors = {}
        self.add_pattern(table, n)

    def add_pattern(self, table, n: int):
        """Another pattern, told apart by its order."""
        self.patterns[n] = tuple(table[i].astype(np.int64) for i in range(3))

    def factorise(self, plan, A, which, pivots):
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        n = int(plan[ORDER])
        rows, cols, storage = self.patterns[n]
        matrix = csc_array((A[which, storage], (rows, cols)), shape=(n, n))
        if not np.all(np.isfinite(matrix.data)):
            return SINGULAR
        try:
            self.factors[n, which] = splu(matrix)
        except RuntimeError:  # exactly singular
            return SINGULAR
        return OK

    def substitute(self, plan, A, which, pivots, X, x):
        X[x] = self.factors[int(plan[ORDER]), which].solve(X[x])
