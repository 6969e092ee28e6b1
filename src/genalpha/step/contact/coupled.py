"""The coupled semismooth Newton step of paper 002 sec. 3.8: all six unknowns of (65a)-(65i) at once.

Unknowns (Δv̇, ΔU, ΔW, −Δλ/r, −Δν/r, −ΔΛ/r), with S and C the stiffness and the damping, and the rows of B in their sets:

    [ M + c7 C + c8 S   S     C    r Bᵀ              ]   (65a)
    [                   M               r Bᵀ         ]   (65d)
    [                         M               r Bᵀ   ]   (65g)
    [ r B                                            ]   (65b)   set C
    [ r c8 B            r B                          ]   (65e)   set A
    [ r c7 (1 + y) B          r B                    ]   (65h)   set B, y = −∂u1/∂ũ of the law of impact

The table ``Y`` says for every entry: place in J, storage, kind of block, row of B.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf, step
from genalpha.math.linear import factorise_with, larger, substitute_with
from genalpha.math.plan import TooMuchFill, static_elimination
from genalpha.math.rescue import sparse_elimination
from genalpha.step.contact.residuals import evaluate_all_rows, residual_of_position, residual_of_velocity
from genalpha.step.newton import RELAXATION_OF_CONTACTS
from genalpha.step.schemes.alpha import move
from genalpha.step.state import (
    BIG_LAM,
    COUPLED,
    FACTORISATIONS,
    MU1,
    N_X,
    NU,
    OK,
    REGULARISED,
    SCRATCH,
    SET_A,
    SET_B,
    SET_C,
    SOLUTION,
    V_UNIT,
    VDOT1,
    YIELD,
    U,
    W,
)
from genalpha.step.values import Solved

# kinds of blocks: plain ones, those with active rows, and the diagonals of inactive rows
MASS, STIFFNESS, DAMPING, MASS_U, MASS_W, STIFFNESS_U, DAMPING_W = range(7)
FORCE, FORCE_U, FORCE_W, ROW, ROW_U_BY_A, ROW_U, ROW_W_BY_A, ROW_W = range(7, 15)
REST, REST_U, REST_W = range(15, 18)


def coupled_system(sizes, arrays) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """(arrays of the coupled system; row, column and storage of all its entries)."""
    n, m = sizes.nv, sizes.m
    T, N = arrays.T.astype(np.int64), 3 * (n + m)
    v, u, w, a, b, c = 0, n, 2 * n, 3 * n, 3 * n + m, 3 * n + 2 * m
    ends = {"M": (0, sizes.end_M), "S": (sizes.end_M, sizes.end_S), "C": (sizes.end_S, sizes.end_C)}
    parts = []
    for kind, which, row, col in (
        (MASS, "M", v, v), (STIFFNESS, "S", v, v), (DAMPING, "C", v, v), (MASS_U, "M", u, u), (MASS_W, "M", w, w),
        (STIFFNESS_U, "S", v, u), (DAMPING_W, "C", v, w),
    ):  # fmt: skip
        places = np.arange(*ends[which])
        parts.append((places, T[0, places] + row, T[1, places] + col, kind, 0 * places))
    places = np.arange(sizes.end_C, sizes.end_B)
    rows, cols = T[:2, places]
    for kind, col, row in ((FORCE, v, a), (FORCE_U, u, b), (FORCE_W, w, c)):
        parts.append((places, cols + col, rows + row, kind, rows))
    for kind, row, col in (
        (ROW, a, v), (ROW_U_BY_A, b, v), (ROW_U, b, u), (ROW_W_BY_A, c, v), (ROW_W, c, w),
    ):  # fmt: skip
        parts.append((places, rows + row, cols + col, kind, rows))
    every = np.arange(m)
    for kind, at in ((REST, a), (REST_U, b), (REST_W, c)):
        parts.append((0 * every, every + at, every + at, kind, every))
    place, row, col, kind, of = (
        np.concatenate([np.broadcast_to(part[i], part[0].shape) for part in parts]) for i in range(5)
    )
    keys = np.unique(row * N + col)
    elimination = _eliminate(N, 3 * n, keys)
    Y = np.array([place, elimination.position(row, col), kind, of])
    tables = {
        "Y": np.ascontiguousarray(Y, dtype=np.uint32),
        "A3": np.zeros((1, elimination.size + 1)),
        "X3": np.zeros((N_X, N)),
        "pivots3": np.zeros((1, N), dtype=np.int64),
        "plan3": elimination.plan,
    }
    rows, cols = np.divmod(keys, N)
    return tables, np.array([rows, cols, elimination.position(rows, cols)])


def _eliminate(N, n_first, keys):
    try:
        return static_elimination(N, *np.divmod(keys, N), n_first)
    except TooMuchFill:
        return sparse_elimination(N, keys)


@step
def solve_coupled(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets):
    """One Newton step for all unknowns at once; X holds the residual of (65a, b)."""
    X, A3, X3, plan3, pivots3, r = arrays.X, arrays.A3, arrays.X3, arrays.plan3, arrays.pivots3, scaling.r
    arrays.counts[COUPLED] += 1
    put_coupled(X, X3, sizes.nv, sizes.m, 0)
    residual_of_position(system, data, sizes, arrays, stride.t1, r)
    put_coupled(X, X3, sizes.nv, sizes.m, 1)
    residual_of_velocity(system, data, sizes, scheme, arrays, stride.t1, r)
    put_coupled(X, X3, sizes.nv, sizes.m, 2)
    relax = 0.0
    if arrays.counts[REGULARISED]:
        put_compliances(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, X, sizes.nv)
        relax = RELAXATION_OF_CONTACTS * r * scaling.r_row
    weights = weights_of(stride, scaling)
    scatter_coupled(arrays.Y, arrays.J, arrays.S, arrays.L, weights, relax, X[SCRATCH, sizes.nv :], A3)
    arrays.counts[FACTORISATIONS] += 1
    status = factorise_with(linear, plan3, A3, 0, pivots3)
    if status != OK:
        return Solved(status, 0.0, 0.0, 0, course.keys)
    substitute_with(linear, plan3, A3, 0, pivots3, X3, 0)
    change, way, jump = add_coupled(X3, r, arrays.V, arrays.L)
    move(system, data, sizes, scheme, arrays, stride)
    evaluate_all_rows(system, data, sizes, arrays, stride.t1)
    return Solved(OK, max(stride.c7 * change, stride.to_velocity * way, jump), way, 0, course.keys)


@leaf
def put_compliances(T, J, end_M, first, last, X, n):
    """X[SCRATCH, n + i] = (B diag(M)⁻¹ Bᵀ)_ii, 1 if it is zero: what regularised rows are measured by."""
    for e in range(end_M):
        if T[0, e] == T[1, e]:
            X[SCRATCH, T[0, e]] = abs(J[e])
    for i in range(n, X.shape[1]):
        X[SCRATCH, i] = 0.0
    for e in range(first, last):
        mass = X[SCRATCH, T[1, e]]
        if mass > 0.0:
            X[SCRATCH, n + np.int64(T[0, e])] += J[e] * J[e] / mass
    for i in range(n, X.shape[1]):
        if X[SCRATCH, i] == 0.0:
            X[SCRATCH, i] = 1.0


@step
def weights_of(stride, scaling):
    """By what the blocks of each kind are multiplied."""
    c7, c8, r = stride.c7, stride.c8, scaling.r
    weights = np.ones(15)
    weights[STIFFNESS], weights[DAMPING] = c8, c7
    weights[FORCE], weights[FORCE_U], weights[FORCE_W] = r, r, r
    weights[ROW], weights[ROW_U], weights[ROW_W] = scaling.r_row, r, r
    weights[ROW_U_BY_A], weights[ROW_W_BY_A] = r * c8, r * c7
    return weights


@leaf
def scatter_coupled(Y, J, S, L, weights, relax, compliances, A3):
    """The matrix of the module's docstring; ``relax`` times its compliance is subtracted on the diagonal of an
    active row."""
    sets = np.zeros(18, dtype=np.int64)
    for kind in (FORCE, ROW, REST):
        sets[kind] = SET_C
    for kind in (FORCE_U, ROW_U, ROW_U_BY_A, REST_U):
        sets[kind] = SET_A
    for kind in (FORCE_W, ROW_W, ROW_W_BY_A, REST_W):
        sets[kind] = SET_B
    for e in range(A3.shape[1]):
        A3[0, e] = 0.0
    for e in range(Y.shape[1]):
        kind = np.int64(Y[2, e])
        if kind < FORCE:
            A3[0, Y[1, e]] += weights[kind] * J[Y[0, e]]
        elif kind >= REST:
            A3[0, Y[1, e]] += -relax * compliances[Y[3, e]] if S[sets[kind], Y[3, e]] else 1.0
        elif S[sets[kind], Y[3, e]]:
            bend = 1.0 + L[YIELD, Y[3, e]] if kind == ROW_W_BY_A else 1.0
            A3[0, Y[1, e]] += bend * weights[kind] * J[Y[0, e]]


@leaf
def put_coupled(X, X3, n, m, part):
    """Block ``part`` (0 for (65a, b), 1 for (65d, e), 2 for (65g, h)) of the right-hand side."""
    for i in range(n):
        X3[SOLUTION, part * n + i] = X[SOLUTION, i]
    for i in range(m):
        X3[SOLUTION, 3 * n + part * m + i] = X[SOLUTION, n + i]


@leaf
def add_coupled(X3, r, V, L):
    """Add the Newton step; gives the sizes of Δv̇, ΔU, ΔW in lengths, nan if one is."""
    n, m = V.shape[1], L.shape[1]
    a, u, w = 0.0, 0.0, 0.0
    for i in range(n):
        V[VDOT1, i] += X3[SOLUTION, i]
        V[U, i] += X3[SOLUTION, n + i]
        V[W, i] += X3[SOLUTION, 2 * n + i]
        a = larger(a, abs(X3[SOLUTION, i]) * V[V_UNIT, i])
        u = larger(u, abs(X3[SOLUTION, n + i]) * V[V_UNIT, i])
        w = larger(w, abs(X3[SOLUTION, 2 * n + i]) * V[V_UNIT, i])
    for i in range(m):
        L[MU1, i] -= r * X3[SOLUTION, 3 * n + i]
        L[NU, i] -= r * X3[SOLUTION, 3 * n + m + i]
        L[BIG_LAM, i] -= r * X3[SOLUTION, 3 * n + 2 * m + i]
    return a, u, w
