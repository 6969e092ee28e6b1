"""The contact problem of an iteration level by level: Algorithm 1 of paper 002, each level with its own set."""

from __future__ import annotations

from genalpha.compiled.jit import step
from genalpha.step.contact.kernels import same_rows
from genalpha.step.contact.residuals import evaluate_all_rows, residual_of_position, residual_of_velocity
from genalpha.step.contact.sets import wants_matrices
from genalpha.step.kernels import add_correction, add_step
from genalpha.step.newton import build_correction, build_dynamics, solve
from genalpha.step.schemes.alpha import move, put_position
from genalpha.step.state import (
    BIG_LAM,
    DELTA,
    DYNAMICS,
    GAP,
    MU1,
    NU,
    OK,
    POSITION_MATRIX,
    Q1,
    SET_A,
    SET_B,
    SET_C,
    SOLUTION,
    V1,
    VDOT1,
    VELOCITY_MATRIX,
    U,
    W,
)
from genalpha.step.values import Solved


@step
def solve_decoupled(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets):
    """One iteration of Algorithm 1: (65a, b) for v̇ and μ, (65d, e) for U and ν, (65g, h) for W and Λ.

    X holds the residual of (65a, b).
    """
    S, t1, r = arrays.S, stride.t1, scaling.r
    v_matrix = DYNAMICS if scaling.shared and same_rows(S, SET_C, SET_B) else VELOCITY_MATRIX
    p_matrix = v_matrix if same_rows(S, SET_B, SET_A) else POSITION_MATRIX
    build, status = wants_matrices(course, sets), OK
    if build:
        status = build_matrices(linear, sizes, scheme, arrays, stride, scaling, v_matrix, p_matrix)
    if status == OK:
        status = solve(linear, sizes, arrays, DYNAMICS, build)
    if status != OK:
        return Solved(status, 0.0, 0.0, 0, course.keys)
    error = stride.c7 * add_step(arrays.X, r, arrays.V, VDOT1, arrays.L, MU1)
    move(system, data, sizes, scheme, arrays, stride)
    way = correct_position(system, linear, data, sizes, arrays, t1, r, p_matrix)
    error = max(error, stride.to_velocity * way)
    evaluate_all_rows(system, data, sizes, arrays, t1)
    error = max(error, correct_velocity(system, linear, data, sizes, scheme, arrays, t1, r, v_matrix))
    return Solved(OK, error, way, 0, course.keys)


@step
def build_matrices(linear, sizes, scheme, arrays, stride, scaling, v_matrix, p_matrix):
    """Factorise the matrix of the dynamics and those of the corrections that are not the same."""
    status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, scaling)
    if status == OK and v_matrix == VELOCITY_MATRIX:
        status = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, scaling.r)
    if status == OK and p_matrix == POSITION_MATRIX:
        status = build_correction(linear, sizes, arrays, POSITION_MATRIX, scaling.r)
    return status


@step
def correct_position(system, linear, data, sizes, arrays, t1, r, matrix):
    """One Newton step of (65d, e) for U and ν; gives the largest change of U."""
    V, L = arrays.V, arrays.L
    if sizes.m > sizes.nb:
        system.gap(t1, arrays.Q[Q1], data, L[GAP, sizes.nb :])
    residual_of_position(system, data, sizes, arrays, t1, r)
    solve(linear, sizes, arrays, matrix, False)
    if not sizes.flat:
        system.untwist(V[DELTA], data, arrays.X[SOLUTION, : sizes.nv])
    way = add_correction(arrays.X, r, V, U, DELTA, L, NU)
    put_position(system, data, sizes, arrays)
    return way


@step
def correct_velocity(system, linear, data, sizes, scheme, arrays, t1, r, matrix):
    """One Newton step of (65g, h) for W and Λ; gives the largest change of W."""
    residual_of_velocity(system, data, sizes, scheme, arrays, t1, r)
    solve(linear, sizes, arrays, matrix, False)
    return add_correction(arrays.X, r, arrays.V, W, V1, arrays.L, BIG_LAM)
