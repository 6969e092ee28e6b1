"""Rows and residuals of the three levels of paper 002 at an iterate."""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.step.contact.kernels import (
    contact_rates,
    put_active_rows,
    put_gap_rows,
    smooth_multipliers,
    smooth_rows,
    smooth_velocity,
)
from genalpha.step.contact.law import any_closed, apply_law, foresee_law, put_impact_rows
from genalpha.step.kernels import acceleration_rows, correction_residual, force_residual, velocity_rows
from genalpha.step.schemes.alpha import evaluate_rows
from genalpha.step.state import (
    ACCELERATION,
    BIAS,
    BIG_LAM,
    G_T,
    GAP,
    LARGEST_EXTENT,
    LARGEST_SPEED,
    NU,
    Q1,
    ROWS,
    SET_A,
    SET_B,
    SET_C,
    V1,
    V_TILDE,
    U,
    W,
)
from genalpha.step.values import EPSILON


@leaf
def slacks(memory):
    """What counts as round-off, of positions and of velocities."""
    return 16.0 * EPSILON * memory[LARGEST_EXTENT], 64.0 * EPSILON * memory[LARGEST_SPEED]


@step
def evaluate_all_rows(system, data, sizes, arrays, t1):
    """B = (G, K, N), g_t and gap_t at the new point."""
    evaluate_rows(system, data, sizes, arrays, t1)
    if sizes.m > sizes.nb:
        system.N(t1, arrays.Q[Q1], data, arrays.J[sizes.end_K : sizes.end_B])
        if not sizes.scleronomic:
            system.gap_t(t1, arrays.Q[Q1], data, arrays.L[G_T, sizes.nb :])


@step
def evaluate_gaps(system, data, sizes, scheme, arrays, t1, slope, lag):
    """Gaps, their velocities and accelerations, and η."""
    L, q = arrays.L, arrays.Q[Q1]
    if sizes.m > sizes.nb:
        system.gap(t1, q, data, L[GAP, sizes.nb :])
        system.gap_bias(t1, q, arrays.V[V1], data, L[BIAS, sizes.nb :])
    contact_rates(arrays.T, arrays.J, sizes.end_K, sizes.end_B, arrays.V, L, sizes.nb)
    smooth_multipliers(scheme.alpha_m, scheme.alpha_f, slope, lag, L, sizes.nb)
    foresee_law(sizes, scheme, arrays, slacks(arrays.memory)[0])


@step
def residual_of_dynamics(system, data, sizes, scheme, arrays, t1, c7, r_row):
    """Right-hand side of the Newton step of (65a, b) in X, where f is already; gives the largest active row."""
    T, J, V, L, X, ng = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X, sizes.ng
    force_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, V, L, X)
    if scheme.level == ACCELERATION:
        acceleration_rows(T, J, sizes.end_C, sizes.end_B, V, L, ng)
        return put_active_rows(L, arrays.S, SET_C, -r_row, X, sizes.nv)
    smooth_velocity(V)
    if sizes.nb > ng:
        system.k(t1, arrays.Q[Q1], V[V_TILDE], data, L[ROWS, ng : sizes.nb])
    smooth_rows(T, J, sizes.end_C, sizes.end_G, V, L, ng)
    return put_active_rows(L, arrays.S, SET_C, -r_row / c7, X, sizes.nv)


@step
def rows_of_position(system, data, sizes, arrays, t1):
    """L[ROWS] of (65e); the gaps are in L[GAP]."""
    if sizes.ng > 0:
        system.g(t1, arrays.Q[Q1], data, arrays.L[ROWS, : sizes.ng])
    put_gap_rows(arrays.L, sizes.ng, sizes.nb)


@step
def rows_of_velocity(system, data, sizes, scheme, arrays, t1):
    """L[ROWS] of (65h)."""
    T, J, V, L = arrays.T, arrays.J, arrays.V, arrays.L
    if sizes.nb > sizes.ng:
        system.k(t1, arrays.Q[Q1], V[V1], data, L[ROWS, sizes.ng : sizes.nb])
    velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, sizes.ng)
    if any_closed(arrays.S, sizes.nb):
        apply_law(sizes, scheme, arrays)
    put_impact_rows(T, J, sizes.end_K, sizes.end_B, V, L, sizes.nb)


@step
def residual_of_position(system, data, sizes, arrays, t1, r):
    """Right-hand side of the Newton step of (65d, e) in X; gives the largest active row. The gaps are in L[GAP]."""
    L, X = arrays.L, arrays.X
    rows_of_position(system, data, sizes, arrays, t1)
    correction_residual(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, arrays.V, U, L, NU, X)
    return put_active_rows(L, arrays.S, SET_A, -r, X, sizes.nv)


@step
def residual_of_velocity(system, data, sizes, scheme, arrays, t1, r):
    """Right-hand side of the Newton step of (65g, h) in X; gives the largest active row."""
    L, X = arrays.L, arrays.X
    rows_of_velocity(system, data, sizes, scheme, arrays, t1)
    correction_residual(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, arrays.V, W, L, BIG_LAM, X)
    return put_active_rows(L, arrays.S, SET_B, -r, X, sizes.nv)
