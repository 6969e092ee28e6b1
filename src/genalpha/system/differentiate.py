"""Derivatives that the user did not give.

First derivatives by complex step, exact to round-off: Im f(x + iεd)/ε. Second derivatives along a line by the complex
step at 45 degrees, Im[f(x + εωd) + f(x − εωd)]/ε², ω = e^{iπ/4}: with ε = 1e-3 the relative error is about 3e-12, where
the real part of a plain complex step leaves 4e-8. Functions that are not complex-safe get central differences.

Each factory takes functions of the normal form ``call(t, q, v, p, out)`` and gives one more function. They run
interpreted as they stand; for a compiled system ``wrap`` is numba's njit.
"""

from __future__ import annotations

import numpy as np

from genalpha.math.differences import (
    add_mass_column,
    difference,
    imaginary,
    imaginary_sum,
    largest,
    negate,
    second_difference,
    set_column,
    set_imaginary_column,
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


def first_derivative(call, complex_safe, wrap, step=DIFFERENCE):
    """``along(t, q, v, dq, dv, p, out)``: derivative along (dq, dv) at fixed t; ``step`` is that of differences."""
    if complex_safe:

        def along(t, q, v, dq, dv, p, out):
            z = np.empty(out.size, dtype=np.complex128)
            call(t, shift_complex(q, STEP * 1j, dq), shift_complex(v, STEP * 1j, dv), p, z)
            imaginary(z, STEP, out)

    else:

        def along(t, q, v, dq, dv, p, out):
            h = step * largest(v, largest(q, 1.0))
            minus = np.empty(out.size)
            call(t, shift_real(q, h, dq), shift_real(v, h, dv), p, out)
            call(t, shift_real(q, -h, dq), shift_real(v, -h, dv), p, minus)
            difference(minus, 2.0 * h, out)

    return wrap(along)


def time_derivative(call, complex_safe, wrap, step=DIFFERENCE):
    """``along(t, q, v, dq, p, out)``: derivative along (1, dq) in (t, q) at fixed v."""
    if complex_safe:

        def along(t, q, v, dq, p, out):
            z = np.empty(out.size, dtype=np.complex128)
            call(t + STEP * 1j, shift_complex(q, STEP * 1j, dq), shift_complex(v, 0j, v), p, z)
            imaginary(z, STEP, out)

    else:

        def along(t, q, v, dq, p, out):
            h = step * max(1.0, abs(t)) ** (1.0 / 3.0) / largest(dq, 1.0)
            minus = np.empty(out.size)
            call(t + h, shift_real(q, h, dq), v, p, out)
            call(t - h, shift_real(q, -h, dq), v, p, minus)
            difference(minus, 2.0 * h, out)

    return wrap(along)


def second_derivative(call, complex_safe, wrap, step=STEP_45):
    """``along(t, q, v, p, out)``: second derivative along (1, v) in (t, q), which is g_bias for call = g.

    The truncation error is O((step κ)⁴) for a function that varies at the rate κ, the round-off is 1e-16/step; the
    default is for rates around 1, see `choose_step`.
    """
    # the step is a way, not a time: fast systems are not differentiated over long ways
    if complex_safe:

        def along(t, q, v, p, out):
            h = step / largest(v, 1.0)
            way, still = h * OMEGA, shift_complex(v, 0j, v)
            plus, minus = np.empty(out.size, dtype=np.complex128), np.empty(out.size, dtype=np.complex128)
            call(t + way, shift_complex(q, way, v), still, p, plus)
            call(t - way, shift_complex(q, -way, v), still, p, minus)
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


def choose_step(call, states, size):
    """The step of `second_derivative` whose result changes least when the step is divided by ten.

    ``states`` are tuples (t, q, v, p); ``size`` is the length of the result.
    """
    steps = [STEP_45 / 10**i for i in range(5)]
    errors = np.zeros(len(steps) - 1)
    for t, q, v, p in states:
        values, slope = np.zeros((len(steps), size)), np.zeros(size)
        for step, out in zip(steps, values, strict=True):
            second_derivative(call, True, same, step)(t, q, v, p, out)
        time_derivative(call, True, same)(t, q, v, v, p, slope)
        if np.all(np.isfinite(values)):
            # a second derivative far below the first one is zero for our purposes
            scale = max(np.max(np.abs(values), initial=1e-300), 1e-2 * np.max(np.abs(slope), initial=0.0))
            errors = np.maximum(errors, np.max(np.abs(np.diff(values, axis=0)), axis=1, initial=0.0) / scale)
    # the usual one if it is good: systems that differ little share their compiled code
    return steps[0] if errors[0] <= 1e-10 else steps[int(np.argmin(errors))]


def same(function):
    """In place of numba's njit, for interpreted runs."""
    return function


def gradient(call, complex_safe, wrap, in_velocity, first, count):
    """``matrix(t, q, v, p, out)``: derivatives with respect to ``count`` entries of q, or of v, row by row."""
    if complex_safe:

        def matrix(t, q, v, p, out):
            n = count
            zq, zv, column = shift_complex(q, 0j, q), shift_complex(v, 0j, v), np.empty(out.size // n, np.complex128)
            x, z = (v, zv) if in_velocity else (q, zq)
            for j in range(n):
                z[first + j] = complex(x[first + j], STEP)
                call(t, zq, zv, p, column)
                z[first + j] = x[first + j]
                set_imaginary_column(out, n, j, column, STEP)

    else:
        along = first_derivative(call, False, wrap)

        def matrix(t, q, v, p, out):
            n = count
            dq, dv, column = np.zeros(q.size), np.zeros(v.size), np.empty(out.size // n)
            d = dv if in_velocity else dq
            for j in range(n):
                d[first + j] = 1.0
                along(t, q, v, dq, dv, p, column)
                d[first + j] = 0.0
                set_column(out, n, j, column)

    return wrap(matrix)


def forward_derivative(call, wrap):
    """``along(t, q, v, dq, dv, p, out)`` by a forward difference; good enough for an iteration matrix."""

    def along(t, q, v, dq, dv, p, out):
        h = FORWARD * largest(q, 1.0)
        base = np.empty(out.size)
        call(t, shift_real(q, h, dq), shift_real(v, h, dv), p, out)
        call(t, q, v, p, base)
        difference(base, h, out)

    return wrap(along)


def negative(call):
    """``tangent(t, q, v, v̇, mu, p, out)``: stiffness or damping −∂f/∂x alone, on the given derivative's pattern."""

    def tangent(t, q, v, vdot, mu, p, out):
        call(t, q, v, mu, p, out)
        negate(out)

    return tangent


# parts of stiffness and damping: each adds to the n x n matrix in ``out``, row by row


def both_parts(one, two, wrap):
    """Two parts after one another."""

    def part(t, q, v, vdot, mu, p, out):
        one(t, q, v, vdot, mu, p, out)
        two(t, q, v, vdot, mu, p, out)

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
    """−∂f/∂q or −∂f/∂v, given as a function of (t, q, v, mu, p, out) that fills a matrix."""

    def part(t, q, v, vdot, mu, p, out):
        F = np.empty(out.size)
        call_f_x(t, q, v, mu, p, F)
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


def chained(calls, sizes, wrap):
    """One call that fills ``out`` by several, one behind the other; what a call that is None fills stays as it is."""
    if len(calls) == 1:
        return calls[0]
    chain, first = None, 0
    for call, size in zip(calls, sizes, strict=True):
        if call is not None:
            chain = _behind(chain, call, first, first + size, wrap)
        first += size
    return chain


def _behind(before, call, first, last, wrap):
    """``before``, if there is one, and a call that fills out[first:last]."""
    if before is None:

        def chain(t, q, v, p, out):
            call(t, q, v, p, out[first:last])

    else:

        def chain(t, q, v, p, out):
            before(t, q, v, p, out)
            call(t, q, v, p, out[first:last])

    return wrap(chain)


def plus(q0, delta, data, q1):
    """q1 = q0 + Δ: the update of a vector space."""
    np.add(q0, delta, q1)


def nothing_to_twist(v, factor, data, out):
    """The tangent operator of a vector space is 1."""


def nothing_to_untwist(delta, data, x):
    """T = 1 in a vector space."""


def nothing_of_position(t, q, data, out):
    """An absent block."""


def nothing_of_velocity(t, q, v, data, out):
    """An absent block."""


def nothing_of_multipliers(t, q, v, mu, data, out):
    """An absent block."""


def nothing_of_everything(t, q, v, vdot, mu, data, out):
    """An absent block."""


def of_position(call):
    if call is None:
        return nothing_of_position

    def evaluator(t, q, data, out):
        call(t, q, q, data, out)

    return evaluator


def of_velocity(call):
    if call is None:
        return nothing_of_velocity

    def evaluator(t, q, v, data, out):
        call(t, q, v, data, out)

    return evaluator
