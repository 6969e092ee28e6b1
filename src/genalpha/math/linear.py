"""Leaves of the linear algebra: products on patterns, dense LU with pivoting, static sparse LU.

A matrix is a section first..last of a vector of values ``J``; the same columns of the integer table ``T`` say row and
column of its entries, and whether nine of them begin there that are a block of three rows and columns, row by row. The
table ``Z`` says which of them go where in an iteration matrix: place in J, storage, storage of the transposed entry,
row; a block has one column of Z, and the last columns of Z list the diagonal entries. ``E`` lists all entries of the
iteration matrix: row, column, storage; the diagonal ones of the constraint rows come last.
"""

from __future__ import annotations

import numpy as np
from numba import types

from genalpha.compiled.jit import leaf, overload, plain, stored_leaf
from genalpha.compiled.lanes import put_alone, put_block, put_both
from genalpha.compiled.views import viewed
from genalpha.math.blocks import factorise_blocks, substitute_blocks
from genalpha.math.delassus import factorise_slots, substitute_slots
from genalpha.math.interface import OK, RESIDUAL, RHS, SCRATCH, SINGULAR, SOLUTION
from genalpha.math.plan import (  # fmt: skip
    BLOCK,
    CONTACTS,
    DENSE,
    KIND,
    LCOL,
    LOWER,
    LROW,
    N_LOWER,
    N_UPPER,
    OPA,
    OPB,
    OPC,
    OPS,
    ORDER,
    PERM,
    UCOL,
    UROW,
)

BLOCK_ENTRIES = 9

GROWTH = 1e4
"""Multipliers of this size in a factorisation without pivoting call for a look at the residual."""


@leaf
def multiply_add(T, J, first, last, factor, X, x, Y, y):
    """Y[y] += factor A X[x]."""
    e = first
    while e < last:
        i, j = np.int64(T[0, e]), np.int64(T[1, e])
        if T[2, e] == BLOCK_ENTRIES:
            u, v, w = factor * X[x, j], factor * X[x, j + 1], factor * X[x, j + 2]
            Y[y, i] += J[e] * u + J[e + 1] * v + J[e + 2] * w
            Y[y, i + 1] += J[e + 3] * u + J[e + 4] * v + J[e + 5] * w
            Y[y, i + 2] += J[e + 6] * u + J[e + 7] * v + J[e + 8] * w
            e += BLOCK_ENTRIES
        else:
            Y[y, i] += factor * J[e] * X[x, j]
            e += 1


@leaf
def transposed_multiply_add(T, J, first, last, factor, X, x, Y, y):
    """Y[y] += factor Aᵀ X[x]."""
    e = first
    while e < last:
        i, j = np.int64(T[0, e]), np.int64(T[1, e])
        if T[2, e] == BLOCK_ENTRIES:
            u, v, w = factor * X[x, i], factor * X[x, i + 1], factor * X[x, i + 2]
            Y[y, j] += J[e] * u + J[e + 3] * v + J[e + 6] * w
            Y[y, j + 1] += J[e + 1] * u + J[e + 4] * v + J[e + 7] * w
            Y[y, j + 2] += J[e + 2] * u + J[e + 5] * v + J[e + 8] * w
            e += BLOCK_ENTRIES
        else:
            Y[y, j] += factor * J[e] * X[x, i]
            e += 1


@leaf
def scatter(Z, J, first, last, factor, A, matrix):
    """A[matrix] += factor times the matrix in the columns first..last of Z."""
    for e in range(first, last):
        A[matrix, Z[1, e]] += factor * J[Z[0, e]]


@leaf
def scatter_blocks(Z, J, first, last, factor, A, matrix):
    """The same where every column of Z stands for a block of three rows and columns: its first entry, its place."""
    values, target = viewed(J), viewed(A[matrix])
    for e in range(first, last):
        put_block(target, Z[1, e], target, Z[1, e], values, Z[0, e], factor)


@leaf
def put_onto(Z, J, first, last, factor, A, matrix, source):
    """The same, but the sums are made with the blocks of A[source] at the places that come third in Z."""
    values, target, added = viewed(J), viewed(A[matrix]), viewed(A[source])
    for e in range(first, last):
        put_block(target, Z[1, e], added, Z[2, e], values, Z[0, e], factor)


@leaf
def put_blocks(Z, J, first, last, factor, A, matrix):
    """Blocks of A[matrix] that have no other part."""
    values, target = viewed(J), viewed(A[matrix])
    for e in range(first, last):
        put_alone(target, Z[1, e], values, Z[0, e], factor)


@leaf
def zero_stretches(Z, first, last, A, matrix):
    """Zeros in A[matrix], where the columns first..last of Z say: how many, from where."""
    for e in range(first, last):
        place = np.int64(Z[1, e])
        for n in range(place, place + np.int64(Z[0, e])):
            A[matrix, n] = 0.0


@leaf
def copy_stretches(Z, first, last, A, matrix, source):
    """The same with the values of A[source]."""
    for e in range(first, last):
        place = np.int64(Z[1, e])
        for n in range(place, place + np.int64(Z[0, e])):
            A[matrix, n] = A[source, n]


@leaf
def put_row_blocks(Z, J, first, last, factor, factor_transposed, A, matrix):
    """Blocks of a constraint gradient, and their transpose, in a saddle-point matrix."""
    values, target = viewed(J), viewed(A[matrix])
    for e in range(first, last):
        put_both(target, Z[1, e], Z[2, e], values, Z[0, e], factor, factor_transposed)


@leaf
def put_row_entries(Z, J, first, last, factor, factor_transposed, A, matrix):
    """Single entries of it."""
    for e in range(first, last):
        value = J[Z[0, e]]
        A[matrix, Z[1, e]] = factor * value
        A[matrix, Z[2, e]] = factor_transposed * value


@leaf
def scatter_rows(Z, J, first, last, S, factor, factor_transposed, A, matrix):
    """Add the active rows of a constraint gradient, and their transpose, to a saddle-point matrix."""
    for e in range(first, last):
        if S[matrix, Z[3, e]]:
            A[matrix, Z[1, e]] += factor * J[Z[0, e]]
            A[matrix, Z[2, e]] += factor_transposed * J[Z[0, e]]


@leaf
def mean_diagonal(Z, J, first, last, n):
    """Mean of the |diagonal entries| of an n x n matrix, which the columns first..last of Z name."""
    total = 0.0
    for e in range(first, last):
        total += abs(J[Z[0, e]])
    return total / n


@leaf
def add_products(pairs, J, factor, A, matrix):
    """A[matrix] += factor GᵀG. pairs: (3, n), two entries of G in the same row and the storage of their product."""
    for e in range(pairs.shape[1]):
        A[matrix, pairs[2, e]] += factor * J[pairs[0, e]] * J[pairs[1, e]]


@leaf
def equilibrate(T, J, E, end_M, n, left, right, A, matrix):
    """Divide the rows and columns of A[matrix] by their own sizes: entry (i, j) gets the factor left[i] right[j].

    A motion is measured by its mass, a row of constraints by the root of its compliance, B diag(M)⁻¹ Bᵀ, and so is its
    multiplier. What is left has no units: diagonals of M and of B M⁻¹ Bᵀ are about one.
    """
    put_sizes(T, J, E, end_M, n, left, right, A, matrix)
    for i in range(left.size):
        left[i] = 1.0 / np.sqrt(left[i]) if left[i] > 0.0 else 1.0
        right[i] = 1.0 / np.sqrt(right[i]) if right[i] > 0.0 else 1.0
    for e in range(E.shape[1]):
        A[matrix, E[2, e]] *= left[E[0, e]] * right[E[1, e]]


@leaf
def put_sizes(T, J, E, end_M, n, left, right, A, matrix):
    """The squares of what `equilibrate` divides rows and columns by."""
    for i in range(left.size):
        left[i] = 0.0
        right[i] = 0.0
    for e in range(end_M):
        if T[0, e] == T[1, e]:
            left[T[0, e]] += J[e]
    for e in range(E.shape[1]):
        i = np.int64(E[0, e])
        if i < n and E[1, e] == i:
            # a coordinate without mass is measured by its stiffness
            left[i] = abs(left[i] if left[i] != 0.0 else A[matrix, E[2, e]])
            right[i] = left[i]
    for e in range(E.shape[1]):
        i, j, value = np.int64(E[0, e]), np.int64(E[1, e]), A[matrix, E[2, e]]
        if i >= n and j < n and left[j] > 0.0:
            left[i] += value * value / left[j]
        elif i < n and j >= n and left[i] > 0.0:
            right[j] += value * value / left[i]


@leaf
def relax(E, m, epsilon, A, matrix):
    """Subtract ε from the diagonal of the m constraint rows of an equilibrated matrix."""
    for e in range(E.shape[1] - m, E.shape[1]):
        A[matrix, E[2, e]] -= epsilon


@leaf
def scale(factors, X, x):
    """X[x] times factors, one by one."""
    for i in range(factors.size):
        X[x, i] *= factors[i]


@leaf
def settle_rows(E, S, A, matrix):
    """Make the inactive constraint rows of an iteration matrix trivial: their unknowns are zero."""
    first = E.shape[1] - S.shape[1]
    for row in range(S.shape[1]):
        if not S[matrix, row]:
            A[matrix, E[2, first + row]] = 1.0


@leaf
def larger(a, b):
    """The larger of two numbers; nan if one is."""
    return b if b > a or b != b else a


@leaf
def residual(E, A, matrix, left, X):
    """X[RESIDUAL] = X[RHS] − A[matrix] X[SOLUTION].

    Gives (largest residual, largest right-hand side), row by row times ``left``.
    """
    n = X.shape[1]
    for i in range(n):
        X[RESIDUAL, i] = X[RHS, i]
    for e in range(E.shape[1]):
        X[RESIDUAL, E[0, e]] -= A[matrix, E[2, e]] * X[SOLUTION, E[1, e]]
    largest, size = 0.0, 0.0
    for i in range(n):
        largest = larger(largest, abs(left[i] * X[RESIDUAL, i]))
        size = max(size, abs(left[i] * X[RHS, i]))
    return largest, size


@stored_leaf
def factorise(plan, A, matrix, pivots):
    """LU of A[matrix] in place. Gives OK, or SINGULAR if a pivot is negligible."""
    if plan[KIND] == DENSE:
        return _factorise_dense(A[matrix], pivots[matrix])
    if plan[KIND] == BLOCK:
        return factorise_blocks(plan, A[matrix], pivots[matrix])
    return _factorise_static(plan, A[matrix], pivots[matrix])


@stored_leaf
def substitute(plan, A, matrix, pivots, X, x):
    """Solve A[matrix] y = X[x] with the factors of `factorise`; y replaces X[x]. X[SCRATCH] is work space."""
    if plan[KIND] == DENSE:
        _substitute_dense(A[matrix], pivots[matrix], X[x])
    elif plan[KIND] == BLOCK:
        substitute_blocks(plan, A[matrix], X[x])
    else:
        _substitute_static(plan, A[matrix], X[x], X[SCRATCH])


@leaf
def factorise_any(plan, A, matrix, pivots):
    """`factorise`, also with rows of contacts whose pairs come and go."""
    if plan[KIND] == CONTACTS:
        return factorise_slots(plan, A[matrix], pivots[matrix])
    return factorise(plan, A, matrix, pivots)


@leaf
def substitute_any(plan, A, matrix, pivots, X, x):
    """`substitute` with the factors of `factorise_any`."""
    if plan[KIND] == CONTACTS:
        substitute_slots(plan, A[matrix], pivots[matrix], X[x])
    else:
        substitute(plan, A, matrix, pivots, X, x)


def factorise_with(linear, plan, A, matrix, pivots):
    """`factorise_any`, or what an interpreted run puts in its place: ``linear`` is `Leaves` or a `rescue.SuperLU`.

    In compiled code the type of ``linear`` says what there is: integers stand for `factorise`, which schemes without
    contacts get along with, other numbers for `factorise_any`.
    """
    return linear.factorise(plan, A, matrix, pivots)


def substitute_with(linear, plan, A, matrix, pivots, X, x):
    """`substitute_any`, or what an interpreted run puts in its place."""
    linear.substitute(plan, A, matrix, pivots, X, x)


@overload(factorise_with)
def _factorise_with(linear, plan, A, matrix, pivots):
    if isinstance(linear, types.Integer):
        return lambda linear, plan, A, matrix, pivots: factorise(plan, A, matrix, pivots)
    return lambda linear, plan, A, matrix, pivots: factorise_any(plan, A, matrix, pivots)


@overload(substitute_with)
def _substitute_with(linear, plan, A, matrix, pivots, X, x):
    if isinstance(linear, types.Integer):
        return lambda linear, plan, A, matrix, pivots, X, x: substitute(plan, A, matrix, pivots, X, x)
    return lambda linear, plan, A, matrix, pivots, X, x: substitute_any(plan, A, matrix, pivots, X, x)


class Leaves:
    """The linear algebra of an interpreted run: of the leaves of compiled runs those that a plan calls for."""

    @staticmethod
    def factorise(plan, A, matrix, pivots):
        """As `factorise_any`."""
        leaves = factorise_any if plan[KIND] == CONTACTS else factorise
        return plain(leaves)(plan, A, matrix, pivots)

    @staticmethod
    def substitute(plan, A, matrix, pivots, X, x):
        """As `substitute_any`."""
        leaves = substitute_any if plan[KIND] == CONTACTS else substitute
        plain(leaves)(plan, A, matrix, pivots, X, x)


@leaf
def _factorise_dense(A, pivots):
    """Row pivoting; a pivot below 1e-14 of the largest entry counts as zero."""
    n = pivots.size
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
def _substitute_dense(A, pivots, b):
    """Column by column: the updates of a column do not wait for one another."""
    n = pivots.size
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
def _factorise_static(plan, A, pivots):
    """L D U without pivoting, D⁻¹ in the place of D. pivots[0] = 1 if the factors have grown suspiciously."""
    # the plan is unsigned, and numba makes a float of signed + unsigned
    n, n_lower, n_upper = np.int64(plan[ORDER]), np.int64(plan[N_LOWER]), np.int64(plan[N_UPPER])
    lower, ops, urow = np.int64(plan[LOWER]), np.int64(plan[OPS]), np.int64(plan[UROW])
    opa, opb, opc = np.int64(plan[OPA]), np.int64(plan[OPB]), np.int64(plan[OPC])
    diag, growth = n_lower + n_upper, 0.0
    for p in range(n):
        pivot = A[diag + p]
        if not abs(pivot) > 1e-200:
            return SINGULAR
        inverse = 1.0 / pivot
        A[diag + p] = inverse
        for e in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
            A[e] *= inverse
            growth = max(growth, abs(A[e]))
        for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
            A[plan[opc + o]] -= A[plan[opa + o]] * A[plan[opb + o]]
    for e in range(n_upper):
        A[n_lower + e] *= A[diag + np.int64(plan[urow + e])]
    pivots[0] = 0 if growth < GROWTH else 1
    return OK


@leaf
def _substitute_static(plan, A, b, work):
    """Three flat loops, L, D and U; neighbouring entries of a column do not wait for one another."""
    n, n_lower, n_upper = np.int64(plan[ORDER]), np.int64(plan[N_LOWER]), np.int64(plan[N_UPPER])
    perm, lrow, lcol = np.int64(plan[PERM]), np.int64(plan[LROW]), np.int64(plan[LCOL])
    urow, ucol = np.int64(plan[UROW]), np.int64(plan[UCOL])
    for i in range(n):
        work[plan[perm + i]] = b[i]
    for e in range(n_lower):
        work[plan[lrow + e]] -= A[e] * work[plan[lcol + e]]
    for p in range(n):
        work[p] *= A[n_lower + n_upper + p]
    for e in range(n_upper):
        work[plan[urow + e]] -= A[n_lower + e] * work[plan[ucol + e]]
    for i in range(n):
        b[i] = work[plan[perm + i]]
