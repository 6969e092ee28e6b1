"""The shortest solution of square systems that may be singular, by a complete orthogonal decomposition.

Householder's reflections with exchange of columns make A Π = Q R. Where R is of smaller rank, the rows that are left
are decomposed once more, Rᵀ = Z T (Golub and Van Loan, Matrix Computations, sections 5.4 and 5.5).
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
        Work space: factors of the reflections, diagonal of R, exchanged columns.
    """
    rank = triangle(n, n, A, b, rest, True)
    if rank == n:
        for k in range(n - 1, -1, -1):
            b[k] /= rest[n + k]
            for i in range(k):
                b[i] -= A[k * n + i] * b[k]
    else:
        shortest(n, rank, A, b, rest)
    for k in range(rank - 1, -1, -1):
        other = np.int64(rest[2 * n + k])
        b[k], b[other] = b[other], b[k]
    return rank


@step
def triangle(n, columns, A, b, rest, first):
    """Reflections in the place of A, R above them, and, the ``first`` time, Qᵀ b in that of b; gives the rank."""
    largest = 0.0
    for k in range(columns):
        square, found = -1.0, k
        for j in range(k, columns if first else k + 1):
            length = 0.0
            for i in range(j * n + k, j * n + n):
                length += A[i] * A[i]
            if length > square:
                square, found = length, j
        if first:
            rest[2 * n + k] = found
            largest = max(largest, square)
            if not square > RANK * RANK * largest:
                return k
            for i in range(n):
                A[k * n + i], A[found * n + i] = A[found * n + i], A[k * n + i]
        pivot = A[k * n + k]
        diagonal = -np.sqrt(square) if pivot > 0.0 else np.sqrt(square)
        A[k * n + k] = pivot - diagonal
        rest[k], rest[n + k] = 1.0 / (diagonal * (pivot - diagonal)), diagonal
        for j in range(k + 1, columns + (1 if first else 0)):
            reflect(n, k, A, rest[k], b if j == columns else A[j * n : j * n + n])
    return columns


@step
def reflect(n, k, A, factor, x):
    """Apply the reflection k to x."""
    value = 0.0
    for i in range(k, n):
        value += A[k * n + i] * x[i]
    value *= factor
    for i in range(k, n):
        x[i] += value * A[k * n + i]


@step
def shortest(n, rank, A, b, rest):
    """The shortest solution of the rows of R."""
    for k in range(rank):
        A[k * n + k] = rest[n + k]
        for j in range(k):
            A[j * n + k], A[k * n + j] = A[k * n + j], 0.0
        for j in range(rank, n):
            A[k * n + j] = A[j * n + k]
    triangle(n, rank, A, b, rest, False)
    for k in range(n):
        for i in range(min(k, rank)):
            b[k] -= A[k * n + i] * b[i] if k < rank else 0.0
        b[k] = b[k] / rest[n + k] if k < rank else 0.0
    for k in range(rank - 1, -1, -1):
        reflect(n, k, A, rest[k], b)
