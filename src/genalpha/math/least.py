"""The shortest solution of square systems that may be singular, by a complete orthogonal decomposition.

Householder's reflections with exchange of columns give Q R; where R is of smaller rank, reflections from the right
clear what stands beside its triangle (Golub and Van Loan, Matrix Computations, sections 5.4 and 5.5).
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf, step

RANK = 1e-10
"""Diagonal entries of R that count as zero, over the largest."""


@leaf
def least_norm(n, A, b, rest):
    """Solve A x = b; x replaces b. Gives the rank. Where there is no solution, x is that of least squares.

    Parameters
    ----------
    n : int
    A : ndarray (n², or more)
        By columns; overwritten. Rows and columns should be equilibrated.
    b : ndarray (n,)
    rest : ndarray (3 n,)
        Work space: factors of the reflections, exchanged columns, diagonal of R.
    """
    rank = reflect_columns(n, A, b, rest)
    if rank < n:
        reflect_rows(n, rank, A, rest)
    for k in range(rank - 1, -1, -1):
        value = b[k]
        for j in range(k + 1, rank):
            value -= A[j * n + k] * b[j]
        b[k] = value / rest[2 * n + k]
    if rank < n:
        turn_back(n, rank, A, b, rest)
    for k in range(min(rank, n - 1), -1, -1):  # the last exchange found nothing
        other = np.int64(rest[n + k])
        b[k], b[other] = b[other], b[k]
    return rank


@step
def reflect_columns(n, A, b, rest):
    """Q and R in the place of A, Qᵀ b in that of b; gives the rank."""
    first = 0.0
    for k in range(n):
        best = exchange(n, k, A, rest)
        if k == 0:
            first = best
        if not best > RANK * first:
            return k
        pivot = A[k * n + k]
        diagonal = -best if pivot > 0.0 else best
        rest[2 * n + k] = diagonal
        A[k * n + k] = pivot - diagonal
        factor = 1.0 / (diagonal * (pivot - diagonal))  # negative
        for j in range(k + 1, n):
            reflect(n, k, A, A[j * n : j * n + n], factor)
        reflect(n, k, A, b, factor)
    return n


@step
def exchange(n, k, A, rest):
    """Bring the column with the longest rest to k; gives its length."""
    best, found = -1.0, k
    for j in range(k, n):
        square = 0.0
        for i in range(j * n + k, j * n + n):
            square += A[i] * A[i]
        if square > best:
            best, found = square, j
    rest[n + k] = found
    if found != k:
        for i in range(n):
            A[k * n + i], A[found * n + i] = A[found * n + i], A[k * n + i]
    return np.sqrt(best)


@step
def reflect(n, k, A, x, factor):
    """Apply the reflection k to x."""
    value = 0.0
    for i in range(k, n):
        value += A[k * n + i] * x[i]
    value *= factor
    for i in range(k, n):
        x[i] += value * A[k * n + i]


@step
def reflect_rows(n, rank, A, rest):
    """Clear what stands beside the triangle; the reflections take its place, their first entries the diagonal's."""
    for k in range(rank - 1, -1, -1):
        pivot = rest[2 * n + k]
        square = pivot * pivot
        for j in range(rank, n):
            square += A[j * n + k] * A[j * n + k]
        diagonal = -np.sqrt(square) if pivot > 0.0 else np.sqrt(square)
        rest[2 * n + k] = diagonal
        head = pivot - diagonal
        rest[k] = 1.0 / (diagonal * head)
        A[k * n + k] = head
        for i in range(k):
            value = A[k * n + i] * head
            for j in range(rank, n):
                value += A[j * n + i] * A[j * n + k]
            value *= rest[k]
            A[k * n + i] += value * head
            for j in range(rank, n):
                A[j * n + i] += value * A[j * n + k]


@step
def turn_back(n, rank, A, b, rest):
    """The shortest solution from that of the triangle."""
    for j in range(rank, n):
        b[j] = 0.0
    for k in range(rank):
        value = A[k * n + k] * b[k]
        for j in range(rank, n):
            value += A[j * n + k] * b[j]
        value *= rest[k]
        b[k] += value * A[k * n + k]
        for j in range(rank, n):
            b[j] += value * A[j * n + k]
