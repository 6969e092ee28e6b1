"""Leaves of numerical differentiation: shifted arguments in, differences out."""

from __future__ import annotations

import numpy as np
from numba import types

from genalpha.compiled.jit import leaf, overload
from genalpha.compiled.powers import register

register()  # complex steps pass through powers


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
def set_imaginary_column(out, n, j, column, step):
    """Column j of the matrix with n columns that ``out`` holds row by row: Im column / step."""
    for i in range(column.size):
        out[i * n + j] = column[i].imag / step


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
def add_product(rows, cols, values, x, out):
    """out += A x for the matrix A with these entries."""
    for e in range(values.size):
        out[rows[e]] += values[e] * x[cols[e]]


@leaf
def put_values(rows, cols, values, n, out):
    """The dense matrix with these entries, row by row."""
    for i in range(out.size):
        out[i] = 0.0
    for e in range(values.size):
        out[rows[e] * n + cols[e]] = values[e]


@leaf
def put_block(block, n_rows, n_cols, first, width, out):
    """The columns first .. first + n_cols of the matrix with ``width`` columns that ``out`` holds row by row."""
    for i in range(n_rows):
        for j in range(n_cols):
            out[i * width + first + j] = block[i * n_cols + j]


@leaf
def join(x, y):
    """(x, y) in one new vector."""
    z = np.empty(x.size + y.size)
    for i in range(x.size):
        z[i] = x[i]
    for i in range(y.size):
        z[x.size + i] = y[i]
    return z


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


# what user functions return: arrays of any layout, numbers, tuples, lists


def store(values, out):
    """out = values, row by row; False if their number is another one."""
    return put(values, out, 0) == out.size


def put(values, out, at):
    """Write values from out[at] on, if there is room; gives the place behind them."""
    flat = np.ravel(values)
    if at + flat.size <= out.size:
        out[at : at + flat.size] = flat
    return at + flat.size


@overload(store)
def _store(values, out):
    return lambda values, out: put(values, out, 0) == out.size


@overload(put)
def _put(values, out, at):
    if isinstance(values, types.Array):
        return {0: _put_array0, 1: _put_vector, 2: _put_matrix}.get(values.ndim)
    if isinstance(values, types.Number | types.Boolean):
        return _put_number
    if isinstance(values, types.List | types.ListType | types.UniTuple):
        return _put_items
    if isinstance(values, types.BaseTuple):
        return _put_tuple if len(values) else _put_nothing
    return None


def _put_array0(values, out, at):
    return put(values[()], out, at)


def _put_vector(values, out, at):
    n = values.size
    if at + n <= out.size:
        for i in range(n):
            out[at + i] = values[i]
    return at + n


def _put_matrix(values, out, at):
    n_rows, n_cols = values.shape
    if at + n_rows * n_cols <= out.size:
        for i in range(n_rows):
            for j in range(n_cols):
                out[at + i * n_cols + j] = values[i, j]
    return at + n_rows * n_cols


def _put_number(values, out, at):
    if at < out.size:
        out[at] = values
    return at + 1


def _put_items(values, out, at):
    for item in values:
        at = put(item, out, at)
    return at


def _put_tuple(values, out, at):
    return put(values[1:], out, put(values[0], out, at))


def _put_nothing(values, out, at):
    return at
