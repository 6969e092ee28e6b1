"""Leaves of numerical differentiation: shifted arguments in, differences out."""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf


@leaf
def shift_complex(x, step, d):
    """x + step d for a complex step; a new array."""
    z = np.empty(x.size, dtype=np.complex128)
    for i in range(x.size):
        z[i] = x[i] + step * d[i]
    return z


@leaf
def shift_real(x, step, d):
    """x + step d; a new array."""
    z = np.empty(x.size)
    for i in range(x.size):
        z[i] = x[i] + step * d[i]
    return z


@leaf
def imaginary(z, step, out):
    """out = Im z / step."""
    for i in range(out.size):
        out[i] = z[i].imag / step


@leaf
def imaginary_sum(plus, minus, step, out):
    """out = Im (plus + minus) / step²."""
    for i in range(out.size):
        out[i] = (plus[i].imag + minus[i].imag) / (step * step)


@leaf
def difference(minus, step, out):
    """out = (out − minus) / step."""
    for i in range(out.size):
        out[i] = (out[i] - minus[i]) / step


@leaf
def second_difference(plus, minus, step, out):
    """out = (plus − 2 out + minus) / step²."""
    for i in range(out.size):
        out[i] = (plus[i] - 2.0 * out[i] + minus[i]) / (step * step)


@leaf
def largest(x, floor):
    """max(floor, |x_i|)."""
    for i in range(x.size):
        floor = max(floor, abs(x[i]))
    return floor


@leaf
def set_column(out, n, j, column):
    """Column j of the matrix with n columns that ``out`` holds row by row."""
    for i in range(column.size):
        out[i * n + j] = column[i]


@leaf
def add_mass_column(dM, vdot, n, j, out):
    """out[:, j] += dM v̇."""
    for i in range(n):
        total = 0.0
        for k in range(n):
            total += dM[i * n + k] * vdot[k]
        out[i * n + j] += total


@leaf
def subtract_rows_column(dB, mu, first, n_rows, n, j, out):
    """out[:, j] −= dBᵀ mu[first : first + n_rows]."""
    for r in range(n_rows):
        for i in range(n):
            out[i * n + j] -= dB[r * n + i] * mu[first + r]


@leaf
def subtract(F, out):
    """out −= F."""
    for i in range(out.size):
        out[i] -= F[i]


@leaf
def add_product(matrix, v, out):
    """out += matrix v; the matrix is stored row by row."""
    for i in range(out.size):
        for k in range(v.size):
            out[i] += matrix[i * v.size + k] * v[k]


@leaf
def put_values(rows, cols, values, n, out):
    """The dense matrix with these entries, row by row."""
    for i in range(out.size):
        out[i] = 0.0
    for e in range(values.size):
        out[rows[e] * n + cols[e]] = values[e]


@leaf
def negate(out):
    """out = −out."""
    for i in range(out.size):
        out[i] = -out[i]


@leaf
def clear(out):
    """out = 0."""
    for i in range(out.size):
        out[i] = 0.0


@leaf
def copy_to(values, out):
    """out = values."""
    for i in range(out.size):
        out[i] = values[i]


@leaf
def copy_matrix(values, out):
    """out = values, a matrix row by row."""
    n = values.shape[1]
    for i in range(values.shape[0]):
        for j in range(n):
            out[i * n + j] = values[i, j]
