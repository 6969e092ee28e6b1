"""Leaves of the linear algebra: products on patterns, dense LU with pivoting, static sparse LU.

A matrix is a section first..last of a vector of values ``J``; the columns first..last of the integer table ``T`` say
where its entries belong: row, column, storage in the factorised matrix, storage of the transposed entry.
"""

from __future__ import annotations

from numba.extending import overload

from genalpha.jit import leaf
from genalpha.math.symbolic import DENSE, DIAG, KIND, LOWER, LROW, OPA, OPB, OPC, OPS, ORDER, PERM, UCOL, UPOS, UPPER

OK, SINGULAR = 0, 1


@leaf
def multiply_add(T, J, first, last, factor, X, x, Y, y):
    """Y[y] += factor A X[x]."""
    for e in range(first, last):
        Y[y, T[0, e]] += factor * J[e] * X[x, T[1, e]]


@leaf
def transposed_multiply_add(T, J, first, last, factor, X, x, Y, y):
    """Y[y] += factor Aᵀ X[x]."""
    for e in range(first, last):
        Y[y, T[1, e]] += factor * J[e] * X[x, T[0, e]]


@leaf
def scatter(T, J, first, last, factor, A, slot):
    """A[slot] += factor times the matrix."""
    for e in range(first, last):
        A[slot, T[2, e]] += factor * J[e]


@leaf
def scatter_rows(T, J, first, last, n_rows, factor, factor_transposed, A, slot):
    """Add the rows below ``n_rows`` of a constraint gradient, and their transpose, to a saddle-point matrix."""
    for e in range(first, last):
        if T[0, e] < n_rows:
            A[slot, T[2, e]] += factor * J[e]
            A[slot, T[3, e]] += factor_transposed * J[e]


@leaf
def mean_diagonal(T, J, first, last, n):
    """Mean of the |diagonal entries| of an n x n matrix."""
    total = 0.0
    for e in range(first, last):
        if T[0, e] == T[1, e]:
            total += abs(J[e])
    return total / n


@leaf
def add_products(pairs, J, factor, A, slot):
    """A[slot] += factor GᵀG. pairs: (3, n), two entries of G in the same row and the storage of their product."""
    for e in range(pairs.shape[1]):
        A[slot, pairs[2, e]] += factor * J[pairs[0, e]] * J[pairs[1, e]]


@leaf
def regularise(T, J, end_M, first, last, factor, n, X, A, slot):
    """Subtract factor² ε_i from the constraint block, ε_i = 1e-6 (B diag(M)⁻¹ Bᵀ)_ii: redundant rows become solvable."""
    for e in range(end_M):
        if T[0, e] == T[1, e]:
            X[3, T[0, e]] = abs(J[e])
    size = X.shape[1]
    for i in range(n, size):
        X[3, i] = 0.0
    for e in range(first, last):
        mass = X[3, T[1, e]]
        if mass > 0.0:
            X[3, n + T[0, e]] += 1e-6 * factor * factor * J[e] * J[e] / mass
    for e in range(last, T.shape[1]):
        if T[0, e] == T[1, e] and T[0, e] >= n:
            A[slot, T[2, e]] -= X[3, T[0, e]]


@leaf
def settle_rows(T, first_entry, first, last, A, slot):
    """Make the rows first..last of a factorised matrix trivial: their unknowns are zero."""
    for e in range(first_entry, T.shape[1]):
        if T[0, e] == T[1, e] and first <= T[0, e] < last:
            A[slot, T[2, e]] = 1.0


@leaf
def residual(T, first, A, slot, X):
    """X[2] = X[1] − A[slot] X[0]; gives (largest |residual|, largest |right-hand side|)."""
    n = X.shape[1]
    for i in range(n):
        X[2, i] = X[1, i]
    for e in range(first, T.shape[1]):
        X[2, T[0, e]] -= A[slot, T[2, e]] * X[0, T[1, e]]
    largest, scale = 0.0, 0.0
    for i in range(n):
        if not abs(X[2, i]) <= largest:
            largest = abs(X[2, i])
        scale = max(scale, abs(X[1, i]))
    return largest, scale


@leaf
def factorise(plan, A, slot, pivots):
    """LU of A[slot] in place. Gives OK, or SINGULAR if a pivot is negligible."""
    if plan[KIND] == DENSE:
        return _factorise_dense(plan[ORDER], A[slot], pivots[slot])
    return _factorise_static(plan, A[slot])


@leaf
def substitute(plan, A, slot, pivots, X, x):
    """Solve A[slot] y = X[x] with the factors of `factorise`; y replaces X[x]. X[3] is scratch."""
    if plan[KIND] == DENSE:
        _substitute_dense(plan[ORDER], A[slot], pivots[slot], X[x])
    else:
        _substitute_static(plan, A[slot], X[x], X[3])


def factorise_with(linear, plan, A, slot, pivots):
    """`factorise`, or what an interpreted run puts in its place: ``linear`` is `Leaves` or a `rescue.SuperLU`."""
    return linear.factorise(plan, A, slot, pivots)


def substitute_with(linear, plan, A, slot, pivots, X, x):
    """`substitute`, or what an interpreted run puts in its place."""
    linear.substitute(plan, A, slot, pivots, X, x)


@overload(factorise_with)
def _factorise_with(linear, plan, A, slot, pivots):
    return lambda linear, plan, A, slot, pivots: factorise(plan, A, slot, pivots)


@overload(substitute_with)
def _substitute_with(linear, plan, A, slot, pivots, X, x):
    return lambda linear, plan, A, slot, pivots, X, x: substitute(plan, A, slot, pivots, X, x)


class Leaves:
    """The linear algebra of an interpreted run: the same leaves that compiled runs use."""

    factorise = staticmethod(factorise)
    substitute = staticmethod(substitute)


@leaf
def _factorise_dense(n, A, pivots):
    """Row pivoting; a pivot below 1e-14 of the largest entry counts as zero."""
    largest = 0.0
    for e in range(n * n):
        largest = max(largest, abs(A[e]))
    for p in range(n):
        best, row = abs(A[p * n + p]), p
        for i in range(p + 1, n):
            if abs(A[i * n + p]) > best:
                best, row = abs(A[i * n + p]), i
        if not best > 1e-14 * largest:
            return SINGULAR
        pivots[p] = row
        if row != p:
            for j in range(n):
                A[p * n + j], A[row * n + j] = A[row * n + j], A[p * n + j]
        inverse = 1.0 / A[p * n + p]
        A[p * n + p] = inverse
        for i in range(p + 1, n):
            factor = A[i * n + p]
            if factor != 0.0:
                factor *= inverse
                A[i * n + p] = factor
                for j in range(p + 1, n):
                    A[i * n + j] -= factor * A[p * n + j]
    return OK


@leaf
def _substitute_dense(n, A, pivots, b):
    """Column by column: the updates of a column do not wait for one another."""
    for p in range(n):
        row = pivots[p]
        b[p], b[row] = b[row], b[p]
    for p in range(n):
        y = b[p]
        for i in range(p + 1, n):
            b[i] -= A[i * n + p] * y
    for p in range(n - 1, -1, -1):
        y = b[p] * A[p * n + p]
        b[p] = y
        for i in range(p):
            b[i] -= A[i * n + p] * y


@leaf
def _factorise_static(plan, A):
    """No pivoting; the inverses of the pivots replace the pivots."""
    n = plan[ORDER]
    diag, lower, ops = plan[DIAG], plan[LOWER], plan[OPS]
    opa, opb, opc = plan[OPA], plan[OPB], plan[OPC]
    for p in range(n):
        pivot = A[plan[diag + p]]
        if not abs(pivot) > 1e-200:
            return SINGULAR
        inverse = 1.0 / pivot
        A[plan[diag + p]] = inverse
        for e in range(plan[lower + p], plan[lower + p + 1]):
            A[e] *= inverse
        for o in range(plan[ops + p], plan[ops + p + 1]):
            A[plan[opc + o]] -= A[plan[opa + o]] * A[plan[opb + o]]
    return OK


@leaf
def _substitute_static(plan, A, b, work):
    n = plan[ORDER]
    perm, diag, lower, lrow = plan[PERM], plan[DIAG], plan[LOWER], plan[LROW]
    upper, ucol, upos = plan[UPPER], plan[UCOL], plan[UPOS]
    for i in range(n):
        work[plan[perm + i]] = b[i]
    for p in range(n):
        y = work[p]
        if y != 0.0:
            for e in range(plan[lower + p], plan[lower + p + 1]):
                work[plan[lrow + e]] -= A[e] * y
    for p in range(n - 1, -1, -1):
        y = work[p]
        for e in range(plan[upper + p], plan[upper + p + 1]):
            y -= A[plan[upos + e]] * work[plan[ucol + e]]
        work[p] = y * A[plan[diag + p]]
    for i in range(n):
        b[i] = work[plan[perm + i]]
