"""Leaves of the generalized-α family: index loops over the packed arrays of `state`."""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.linear import larger, multiply_add, transposed_multiply_add
from genalpha.step.state import (
    A_0,
    A_1,
    A_BEFORE,
    A_HERE,
    BIAS,
    BIG_LAM,
    BIG_LAM0,
    BIG_LAM_BEFORE,
    DELTA,
    G_T,
    G_UNIT,
    HISTORY,
    LINE,
    MISS,
    MU0,
    MU1,
    NU,
    NU0,
    NU_BEFORE,
    Q0,
    Q1,
    ROWS,
    SCRATCH,
    SOLUTION,
    STEP_SIZE,
    STEPS,
    TANGENT_AGE,
    TERMS,
    TIME,
    U0,
    U_BEFORE,
    V0,
    V1,
    V_UNIT,
    VDOT0,
    VDOT1,
    W0,
    W_BEFORE,
    U,
    W,
)


@leaf
def predict(V, L, slope, ratio, trend, memory):
    """Starting values of a step: v̇1 extrapolated, a0 moved to this step size.

    v̇1 = v̇0 + ratio (a0 − a_before), ratio = h/h_before, is second order because a lags v̇ by the same time in every
    step; what it missed in the step before makes it third order. a0 ← v̇0 + ratio (a0 − v̇0) moves the time that a0
    belongs to, as 001 (15) does. In a first step started by 001 (10), a0 = (1 − D) v̇0 + D v̇1 with D = slope, and A_HERE
    holds the known part. ``trend`` is 1 where two steps before are known, else 0.
    ``memory`` is 0 if rows of contacts are redundant: then the multipliers start from zero, so that Newton's increments
    add up to multipliers of minimum norm.
    """
    curve = trend * ratio * ratio
    for i in range(V.shape[1]):
        line = V[VDOT0, i] + ratio * (V[A_0, i] - V[A_BEFORE, i])
        V[LINE, i] = line
        V[VDOT1, i] = line + curve * V[MISS, i]
    if slope != 0.0:
        for i in range(V.shape[1]):
            V[A_HERE, i] = (1.0 - slope) * V[VDOT0, i]
    elif ratio > 0.0 and ratio != 1.0:
        for i in range(V.shape[1]):
            V[A_HERE, i] = V[VDOT0, i] + ratio * (V[A_0, i] - V[VDOT0, i])
    else:
        for i in range(V.shape[1]):
            V[A_HERE, i] = V[A_0, i]
    for i in range(L.shape[1]):
        L[MU1, i] = memory * L[MU0, i]


@leaf
def predict_corrections(V, L, ratio, trend, memory):
    """Starting values of U, ν, W and Λ, which are of third order in h."""
    cube = ratio * ratio * ratio
    for i in range(V.shape[1]):
        V[U, i] = cube * (V[U0, i] + trend * (V[U0, i] - V[U_BEFORE, i]))
        V[W, i] = cube * (V[W0, i] + trend * (V[W0, i] - V[W_BEFORE, i]))
    for i in range(L.shape[1]):
        L[NU, i] = memory * cube * (L[NU0, i] + trend * (L[NU0, i] - L[NU_BEFORE, i]))
        L[BIG_LAM, i] = memory * cube * (L[BIG_LAM0, i] + trend * (L[BIG_LAM0, i] - L[BIG_LAM_BEFORE, i]))


@leaf
def integrate(alpha_m, alpha_f, beta, gamma, h, slope, corrected, V):
    """The integration formulas (65j)-(65l), with h²(½ − β) for the misprinted h²(1 − β); U and W if ``corrected``."""
    over = 1.0 / (1.0 - alpha_m)
    for i in range(V.shape[1]):
        a0 = V[A_HERE, i] + slope * V[VDOT1, i]
        a1 = ((1.0 - alpha_f) * V[VDOT1, i] + alpha_f * V[VDOT0, i] - alpha_m * a0) * over
        V[A_1, i] = a1
        V[DELTA, i] = h * V[V0, i] + h * h * ((0.5 - beta) * a0 + beta * a1)
        V[V1, i] = V[V0, i] + h * ((1.0 - gamma) * a0 + gamma * a1)
        if corrected:
            V[DELTA, i] += V[U, i]
            V[V1, i] += V[W, i]


@leaf
def displace(Q, V):
    """q1 = q0 + Δ."""
    for i in range(Q.shape[1]):
        Q[Q1, i] = Q[Q0, i] + V[DELTA, i]


@leaf
def largest_of_two(Y, y, unit_y, Z, z, unit_z):
    """Largest |Y[y]| and largest |Z[z]|, each entry in its unit, Y[unit_y] and Z[unit_z]; nan if one is."""
    return largest_product(Y[y], Y[unit_y], Y.shape[1]), largest_product(Z[z], Z[unit_z], Z.shape[1])


@leaf
def accept(Q, V, L, slope, t1, h, memory, counts):
    """The new point becomes the old one."""
    for i in range(Q.shape[1]):
        Q[Q0, i] = Q[Q1, i]
    for i in range(V.shape[1]):
        V[A_BEFORE, i] = V[A_HERE, i] + slope * V[VDOT1, i]
        V[MISS, i] = V[VDOT1, i] - V[LINE, i]
        V[V0, i] = V[V1, i]
        V[VDOT0, i] = V[VDOT1, i]
        V[A_0, i] = V[A_1, i]
    for i in range(L.shape[1]):
        L[MU0, i] = L[MU1, i]
    memory[TIME] = t1
    memory[STEP_SIZE] = h
    counts[STEPS] += 1
    counts[HISTORY] += 1
    counts[TANGENT_AGE] += 1


@leaf
def accept_corrections(V, L):
    """The same for U, ν, W and Λ."""
    for i in range(V.shape[1]):
        V[U_BEFORE, i] = V[U0, i]
        V[U0, i] = V[U, i]
        V[W_BEFORE, i] = V[W0, i]
        V[W0, i] = V[W, i]
    for i in range(L.shape[1]):
        L[NU_BEFORE, i] = L[NU0, i]
        L[NU0, i] = L[NU, i]
        L[BIG_LAM_BEFORE, i] = L[BIG_LAM0, i]
        L[BIG_LAM0, i] = L[BIG_LAM, i]


@leaf
def force_residual(T, J, end_M, first, last, V, L, X):
    """X[SOLUTION] += Bᵀμ1 − M v̇1; the force is already there."""
    transposed_multiply_add(T, J, first, last, 1.0, L, MU1, X, SOLUTION)
    multiply_add(T, J, 0, end_M, -1.0, V, VDOT1, X, SOLUTION)


@leaf
def velocity_rows(T, J, first, last, V, L, n_g):
    """ġ = G v1 + g_t in the first n_g entries of L[ROWS], the others hold k already; gives the largest |ġ|."""
    for i in range(n_g):
        L[ROWS, i] = L[G_T, i]
    multiply_add(T, J, first, last, 1.0, V, V1, L, ROWS)
    return largest_of(L, ROWS, 0, n_g)


@leaf
def acceleration_rows(T, J, first, last, V, L, n_g):
    """g̈ = G v̇1 + g_bias and k̇ = K v̇1 + k_bias in L[ROWS]; gives the largest |g̈|."""
    for i in range(L.shape[1]):
        L[ROWS, i] = L[BIAS, i]
    multiply_add(T, J, first, last, 1.0, V, VDOT1, L, ROWS)
    return largest_of(L, ROWS, 0, n_g)


@leaf
def rates_of_terms(T, J, first, last, h, V, L, n_g, X, offset):
    """X[SCRATCH, offset + i] = |g_t| + |G| (|v1| + h |v̇1|): how fast the terms of g change."""
    for i in range(n_g):
        X[SCRATCH, offset + i] = abs(L[G_T, i])
    for e in range(first, last):
        i, j = offset + np.int64(T[0, e]), np.int64(T[1, e])
        X[SCRATCH, i] += abs(J[e]) * (abs(V[V1, j]) + h * abs(V[VDOT1, j]))


@leaf
def rows_are_below(L, row, n, of_terms, of_rates, X, offset):
    """Is each of the first n entries of L[row] below these parts of the terms of g, and of their rates?"""
    for i in range(n):
        if not abs(L[row, i]) <= of_terms * X[TERMS, offset + i] + of_rates * X[SCRATCH, offset + i]:
            return False
    return True


@leaf
def largest_rates(T, J, first, last, V, L, n_g):
    """Largest |ġ| and |g̈|; L[BIAS] becomes g̈."""
    for i in range(n_g):
        L[ROWS, i] = L[G_T, i]
    multiply_add(T, J, first, last, 1.0, V, V1, L, ROWS)
    multiply_add(T, J, first, last, 1.0, V, VDOT1, L, BIAS)
    return largest_of(L, ROWS, 0, n_g), largest_of(L, BIAS, 0, n_g)


@leaf
def add_rows(L, first, last, factor):
    """L[BIAS] += factor L[ROWS] for the constraint rows first..last."""
    for i in range(first, last):
        L[BIAS, i] += factor * L[ROWS, i]


@leaf
def put_rows(L, first, last, factor, X, offset):
    """X[SOLUTION, offset + i] = factor L[ROWS, i] for the constraint rows first..last."""
    for i in range(first, last):
        X[SOLUTION, offset + i] = factor * L[ROWS, i]


@leaf
def correction_residual(T, J, end_M, first, last, V, total, L, multiplier, X):
    """Right-hand side for a correction: X[SOLUTION] = (Bᵀ multiplier − M total, 0)."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    transposed_multiply_add(T, J, first, last, 1.0, L, multiplier, X, SOLUTION)
    multiply_add(T, J, 0, end_M, -1.0, V, total, X, SOLUTION)


@leaf
def add_correction(X, factor, V, total, target, L, multiplier):
    """Add a correction to its total, to what it corrects, and to its multiplier; gives its length, nan if it is."""
    n = V.shape[1]
    for i in range(n):
        V[total, i] += X[SOLUTION, i]
        V[target, i] += X[SOLUTION, i]
    for i in range(L.shape[1]):
        L[multiplier, i] -= factor * X[SOLUTION, n + i]
    return largest_product(X[SOLUTION], V[V_UNIT], n)


@leaf
def add_step(X, factor, V, target, L, multiplier):
    """Add a Newton step to V[target] and L[multiplier]; gives its size in lengths, nan if it is."""
    n = V.shape[1]
    for i in range(n):
        V[target, i] += X[SOLUTION, i]
    for i in range(L.shape[1]):
        L[multiplier, i] -= factor * X[SOLUTION, n + i]
    return largest_product(X[SOLUTION], V[V_UNIT], n)


@leaf
def largest_forces(X, factor, L, n, m):
    """The largest change of a constraint force by a Newton step, and the largest of all: those along lengths."""
    change, force = 0.0, 0.0
    for i in range(m):
        change = max(change, abs(factor * X[SOLUTION, n + i]) / L[G_UNIT, i])
        force = max(force, abs(L[MU1, i]) / L[G_UNIT, i])
    return change, force


@leaf
def add_dynamics(X, factor, to_a, to_v, V, L):
    """Add a Newton step to v̇1 and μ1, and its multiples to a1 and v1; gives its size in lengths, nan if it is."""
    n = V.shape[1]
    for i in range(n):
        V[VDOT1, i] += X[SOLUTION, i]
        V[A_1, i] += to_a * X[SOLUTION, i]
        V[V1, i] += to_v * X[SOLUTION, i]
    for i in range(L.shape[1]):
        L[MU1, i] -= factor * X[SOLUTION, n + i]
    return largest_product(X[SOLUTION], V[V_UNIT], n)


@leaf
def put_multipliers(L, multiplier, sizes, X, offset):
    """X[SOLUTION, offset + i] = L[multiplier, i] over its size."""
    for i in range(L.shape[1]):
        X[SOLUTION, offset + i] = L[multiplier, i] / sizes[offset + i]


@leaf
def multiply_rows(X, offset, factor):
    """X[SOLUTION, offset + i] *= factor."""
    for i in range(offset, X.shape[1]):
        X[SOLUTION, i] *= factor


@leaf
def subtract_multipliers(X, x, factor, offset, sizes, L, multiplier):
    """L[multiplier, i] −= factor X[x, offset + i] times its size."""
    for i in range(L.shape[1]):
        L[multiplier, i] -= factor * X[x, offset + i] * sizes[offset + i]


@leaf
def largest_of(Y, row, first, last):
    """Largest |Y[row, first:last]|; 0 if there is none, nan if one is."""
    return largest_entry(Y[row], first, last)


@leaf
def copy_rows(Y, source, target, n):
    """Y[target, :n] = Y[source, :n]."""
    for i in range(n):
        Y[target, i] = Y[source, i]


@leaf
def put_masses(Z, T, J, first, last, factor, X, n):
    """X[SCRATCH, i] = factor |M_ii|; the columns first..last of Z name the diagonal entries."""
    for i in range(n):
        X[SCRATCH, i] = 0.0
    for e in range(first, last):
        X[SCRATCH, T[0, Z[0, e]]] = factor * abs(J[Z[0, e]])


@leaf
def is_small(T, J, first, last, factor, X):
    """Is every entry factor |J[e]|, first <= e < last, at most √(m_i m_j), with m in X[SCRATCH]? This has no units."""
    square = factor * factor
    for e in range(first, last):
        if not square * J[e] * J[e] <= X[SCRATCH, T[0, e]] * X[SCRATCH, T[1, e]]:
            return False
    return True


@leaf
def largest_entry(J, first, last):
    """Largest |J[first:last]|; 0 if there is none, nan if one is."""
    # four at a time, so that comparisons need not wait for one another
    a, b, c, d, i = 0.0, 0.0, 0.0, 0.0, first
    while i + 3 < last:
        a, b = larger(a, abs(J[i])), larger(b, abs(J[i + 1]))
        c, d = larger(c, abs(J[i + 2])), larger(d, abs(J[i + 3]))
        i += 4
    while i < last:
        a = larger(a, abs(J[i]))
        i += 1
    return larger(larger(a, b), larger(c, d))


@leaf
def largest_product(x, unit, n):
    """Largest |x[:n]| unit[:n], the unit > 0; 0 if there is none, nan if one is."""
    # four at a time, as above
    a, b, c, d, i = 0.0, 0.0, 0.0, 0.0, 0
    while i + 3 < n:
        a, b = larger(a, abs(x[i]) * unit[i]), larger(b, abs(x[i + 1]) * unit[i + 1])
        c, d = larger(c, abs(x[i + 2]) * unit[i + 2]), larger(d, abs(x[i + 3]) * unit[i + 3])
        i += 4
    while i < n:
        a = larger(a, abs(x[i]) * unit[i])
        i += 1
    return larger(larger(a, b), larger(c, d))


@leaf
def add_row(Y, source, target):
    """Y[target] += Y[source]."""
    for i in range(Y.shape[1]):
        Y[target, i] += Y[source, i]


@leaf
def zero(Y, row, n):
    """Y[row, :n] = 0."""
    for i in range(n):
        Y[row, i] = 0.0


@leaf
def zero_first(X, n):
    """X[SOLUTION, :n] = 0."""
    for i in range(n):
        X[SOLUTION, i] = 0.0
