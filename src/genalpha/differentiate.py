"""Derivatives that the user did not give.

First derivatives by complex step, exact to round-off: Im f(x + iεd)/ε. Second derivatives along a line by the complex step at
45 degrees, Im[f(x + εωd) + f(x − εωd)]/ε², ω = e^{iπ/4}: with ε = 1e-3 the relative error is about 3e-12, where
the real part of a plain complex step leaves 4e-8. Functions that are not complex-safe get central differences.

Each factory takes functions of the normal form ``call(t, q, v, p, out)`` and gives one more function. They run interpreted
as they stand; for a compiled system ``wrap`` is numba's njit.
"""

from __future__ import annotations

import numpy as np

from genalpha.math.differences import (
    add_mass_column,
    difference,
    imaginary,
    imaginary_sum,
    largest,
    second_difference,
    set_column,
    shift_complex,
    shift_real,
    subtract,
    subtract_rows_column,
)

STEP = 1e-30
STEP_45 = 1e-3
OMEGA = complex(np.sqrt(0.5), np.sqrt(0.5))
DIFFERENCE = 6e-6  # cube root of the machine epsilon
DIFFERENCE_2 = 1e-4  # fourth root
FORWARD = 1e-7


def first_derivative(call, complex_safe, wrap):
    """``along(t, q, v, dq, dv, p, out)``: derivative along (dq, dv) at fixed t."""
    if complex_safe:

        def along(t, q, v, dq, dv, p, out):
            z = np.empty(out.size, dtype=np.complex128)
            call(t, shift_complex(q, STEP * 1j, dq), shift_complex(v, STEP * 1j, dv), p, z)
            imaginary(z, STEP, out)

    else:

        def along(t, q, v, dq, dv, p, out):
            h = DIFFERENCE * largest(v, largest(q, 1.0))
            minus = np.empty(out.size)
            call(t, shift_real(q, h, dq), shift_real(v, h, dv), p, out)
            call(t, shift_real(q, -h, dq), shift_real(v, -h, dv), p, minus)
            difference(minus, 2.0 * h, out)

    return wrap(along)


def time_derivative(call, complex_safe, wrap):
    """``along(t, q, v, dq, p, out)``: derivative along (1, dq) in (t, q) at fixed v."""
    if complex_safe:

        def along(t, q, v, dq, p, out):
            z = np.empty(out.size, dtype=np.complex128)
            call(t + STEP * 1j, shift_complex(q, STEP * 1j, dq), shift_complex(v, 0j, v), p, z)
            imaginary(z, STEP, out)

    else:

        def along(t, q, v, dq, p, out):
            h = DIFFERENCE * max(1.0, abs(t))
            minus = np.empty(out.size)
            call(t + h, shift_real(q, h, dq), v, p, out)
            call(t - h, shift_real(q, -h, dq), v, p, minus)
            difference(minus, 2.0 * h, out)

    return wrap(along)


def second_derivative(call, complex_safe, wrap):
    """``along(t, q, v, p, out)``: second derivative along (1, v) in (t, q), which is g_bias for call = g."""
    # the step is a way, not a time: fast systems are not differentiated over long ways
    if complex_safe:

        def along(t, q, v, p, out):
            h = STEP_45 / largest(v, 1.0)
            step, still = h * OMEGA, shift_complex(v, 0j, v)
            plus, minus = np.empty(out.size, dtype=np.complex128), np.empty(out.size, dtype=np.complex128)
            call(t + step, shift_complex(q, step, v), still, p, plus)
            call(t - step, shift_complex(q, -step, v), still, p, minus)
            imaginary_sum(plus, minus, h, out)

    else:

        def along(t, q, v, p, out):
            h = DIFFERENCE_2 / largest(v, 1.0)
            plus, minus = np.empty(out.size), np.empty(out.size)
            call(t, q, v, p, out)
            call(t + h, shift_real(q, h, v), v, p, plus)
            call(t - h, shift_real(q, -h, v), v, p, minus)
            second_difference(plus, minus, h, out)

    return wrap(along)


def gradient(along, wrap, in_velocity=False):
    """``call(t, q, v, p, out)``: the dense matrix of derivatives with respect to q, or to v, row by row."""

    def call(t, q, v, p, out):
        n = q.size
        zero, d, column = np.zeros(n), np.zeros(n), np.empty(out.size // n)
        dq, dv = (zero, d) if in_velocity else (d, zero)
        for j in range(n):
            d[j] = 1.0
            along(t, q, v, dq, dv, p, column)
            d[j] = 0.0
            set_column(out, n, j, column)

    return wrap(call)


def forward_derivative(call, wrap):
    """``along(t, q, v, dq, dv, p, out)`` by a forward difference; good enough for an iteration matrix."""

    def along(t, q, v, dq, dv, p, out):
        h = FORWARD * largest(q, 1.0)
        base = np.empty(out.size)
        call(t, shift_real(q, h, dq), shift_real(v, h, dv), p, out)
        call(t, q, v, p, base)
        difference(base, h, out)

    return wrap(along)


# parts of stiffness and damping: each adds to the n x n matrix in ``out``, row by row


def no_part(wrap):
    """Nothing to add."""

    def part(t, q, v, vdot, mu, p, out):
        return

    return wrap(part)


def mass_part(along_M, wrap):
    """∂(M v̇)/∂q, column by column."""

    def part(t, q, v, vdot, mu, p, out):
        n = q.size
        zero, d, dM = np.zeros(n), np.zeros(n), np.empty(n * n)
        for j in range(n):
            d[j] = 1.0
            along_M(t, q, v, d, zero, p, dM)
            d[j] = 0.0
            add_mass_column(dM, vdot, n, j, out)

    return wrap(part)


def force_part(call_f_x, wrap):
    """−∂f/∂q or −∂f/∂v, given as a matrix."""

    def part(t, q, v, vdot, mu, p, out):
        F = np.empty(out.size)
        call_f_x(t, q, v, p, F)
        subtract(F, out)

    return wrap(part)


def constraint_part(along_B, first, n_rows, in_velocity, wrap):
    """−∂(Bᵀ mu)/∂q or ∂v for the constraint rows first .. first + n_rows, column by column."""

    def part(t, q, v, vdot, mu, p, out):
        n = q.size
        zero, d, dB = np.zeros(n), np.zeros(n), np.empty(n_rows * n)
        dq, dv = (zero, d) if in_velocity else (d, zero)
        for j in range(n):
            d[j] = 1.0
            along_B(t, q, v, dq, dv, p, dB)
            d[j] = 0.0
            subtract_rows_column(dB, mu, first, n_rows, n, j, out)

    return wrap(part)
