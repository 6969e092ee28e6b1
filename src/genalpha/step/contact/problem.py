"""The contact problem of one level: contacts and friction alone, all other unknowns eliminated.

The rows J of a level, N of contacts and T̂ = μ T of slip, have the unknowns p, their multipliers. With P the inverse of
the matrix of the level on the bilateral constraints,

    y = y0 + D p,    D = J P Jᵀ

and `math.coulomb` finds p. The rows that take part are numbered: `places` of `state` says which they are. Matrices are
factorised without contacts, so that their sets may change in every iteration.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb import solve_coulomb
from genalpha.math.coulomb_one import solve_one
from genalpha.math.coulomb_tables import DIRECTION, FIRST, FREE, KAPPA, LAW, MODE, NORMAL, RADIUS, WIDTH
from genalpha.step.newton import solve
from genalpha.step.state import (
    BASE,
    BEFORE,
    COLUMNS,
    COLUMNS_OF,
    ELEMENT,
    FIRST_T,
    HIDDEN,
    MADE,
    N_SETS,
    PLACE,
    ROW,
    ROWS,
    ROWS_T,
    SOLUTION,
    UNKNOWN,
    WIDTH_T,
    Y0,
)
from genalpha.step.values import Problem, Span

TOLERANCE = 1e-14
"""Of the laws of contact and friction, relative to the velocities and impulses of the problem."""
SWEEPS = 400
"""Over all contacts, at most, where Newton's method does not find the modes."""


@leaf
def begin_problem(places):
    """No row takes part; gives (rows, elements)."""
    for g in range(places.shape[1]):
        places[PLACE, g] = -1
    return 0, 0


@leaf
def add_element(e, nc, slides, n, n_el, K, places, elements, numbers):
    """Element e takes part, with its rows of slip if it ``slides``; gives (rows, elements).

    The law, the mode and the bound are left to the level.
    """
    places[ELEMENT, n_el] = e
    elements[n_el, NORMAL] = -1
    if e < nc:
        elements[n_el, NORMAL] = n
        places[PLACE, e], places[ROW, n] = n, e
        n += 1
    width = K[WIDTH_T, e] if slides else 0
    elements[n_el, FIRST], elements[n_el, WIDTH], elements[n_el, LAW] = n, width, FREE
    numbers[n_el, RADIUS], numbers[n_el, KAPPA] = 0.0, 1.0
    for k in range(width):
        g = nc + K[FIRST_T, e] + k
        places[PLACE, g], places[ROW, n] = n, g
        n += 1
    return n, n_el + 1


@leaf
def put_known(L, F, nb, normal, tangential, n, places, P):
    """Y0 and BEFORE: rows, in L[ROWS] and F[ROWS_T], and multipliers, in L[normal] and F[tangential], as they are."""
    nc = L.shape[1] - nb
    for j in range(n):
        g = places[ROW, j]
        if g < nc:
            P[Y0, j], P[BEFORE, j] = L[ROWS, nb + g], L[normal, nb + g]
        else:
            P[Y0, j], P[BEFORE, j] = F[ROWS_T, g - nc], F[tangential, g - nc]
        P[UNKNOWN, j], P[BASE, j] = P[BEFORE, j], 0.0


@leaf
def put_found(normal, tangential, nb, places, P, L, F):
    """The multipliers that were found, of all rows that take part."""
    nc = L.shape[1] - nb
    for g in range(places.shape[1]):
        j = places[PLACE, g]
        if j < 0:
            continue
        if g < nc:
            L[normal, nb + g] = P[UNKNOWN, j]
        else:
            F[tangential, g - nc] = P[UNKNOWN, j]


@leaf
def put_column(T, J, span, g, X):
    """X[SOLUTION] = (row g of all, 0)."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    end_K, end_B, end_F, nb, nc = span
    first, last, row = (end_K, end_B, nb + g) if g < nc else (end_F, T.shape[1], g - nc)
    for e in range(first, last):
        if T[0, e] == row:
            X[SOLUTION, T[1, e]] += J[e]


@leaf
def put_products(T, J, span, k, C, places, D):
    """Column k of D from that of C."""
    end_K, end_B, end_F, nb, nc = span
    for j in range(D.shape[0]):
        D[j, k] = 0.0
    for e in range(end_K, end_B):
        j = places[PLACE, T[0, e] - nb]
        if j >= 0:
            D[j, k] += J[e] * C[k, T[1, e]]
    for e in range(end_F, T.shape[1]):
        j = places[PLACE, nc + T[0, e]]
        if j >= 0:
            D[j, k] += J[e] * C[k, T[1, e]]


@leaf
def put_free(T, J, span, n, C, D, places, P):
    """Y0: the rows after the motion C[-1], and without the multipliers as they were."""
    last, (end_K, end_B, end_F, nb, nc) = C.shape[0] - 1, span
    for e in range(end_K, end_B):
        j = places[PLACE, T[0, e] - nb]
        if j >= 0:
            P[Y0, j] += J[e] * C[last, T[1, e]]
    for e in range(end_F, T.shape[1]):
        j = places[PLACE, nc + T[0, e]]
        if j >= 0:
            P[Y0, j] += J[e] * C[last, T[1, e]]
    for j in range(n):
        for k in range(n):
            P[Y0, j] -= D[j, k] * P[BEFORE, k]


@leaf
def put_motion(n, C, P, X):
    """X[SOLUTION] = the motion C[-1] with what the change of the multipliers adds."""
    last = C.shape[0] - 1
    for i in range(X.shape[1]):
        X[SOLUTION, i] = C[last, i]
    for k in range(n):
        change = P[UNKNOWN, k] - P[BEFORE, k]
        if change != 0.0:
            for i in range(X.shape[1]):
                X[SOLUTION, i] += C[k, i] * change


@leaf
def copy_solution(X, C, k):
    """C[k] = X[SOLUTION]."""
    for i in range(X.shape[1]):
        C[k, i] = X[SOLUTION, i]


@leaf
def drop_contact_rows(nv, nb, X):
    """The rows of contacts in X[SOLUTION] are not those of its matrix."""
    for i in range(nv + nb, X.shape[1]):
        X[SOLUTION, i] = 0.0


@leaf
def are_there(matrix, n, counts, places):
    """Are the columns of these rows and this matrix there from the problem before?"""
    if n > counts[COLUMNS] or counts[COLUMNS_OF] != matrix:
        return False
    for k in range(n):
        if places[MADE, k] != places[ROW, k]:
            return False
    return True


@leaf
def remember(matrix, n, counts, places):
    """The columns of these rows and this matrix are there, until rows or matrices change."""
    counts[COLUMNS], counts[COLUMNS_OF] = n, matrix
    for k in range(n):
        places[MADE, k] = places[ROW, k]


@step
def solve_problem(linear, sizes, arrays, matrix, n, n_el):
    """From the right-hand side in X, the problem's rows and multipliers: the motion in X and P[UNKNOWN].

    `add_element`, `put_known` and the laws of a level come before.
    """
    T, J, X, C, D, P = arrays.T, arrays.J, arrays.X, arrays.C, arrays.D, arrays.P
    span = Span(sizes.end_K, sizes.end_B, sizes.end_F, sizes.nb, sizes.m - sizes.nb)
    drop_contact_rows(sizes.nv, sizes.nb, X)
    status = solve(linear, sizes, arrays, matrix, False)
    if n == 0:
        return Problem(status, 0, 0.0)
    copy_solution(X, C, C.shape[0] - 1)
    if not are_there(matrix, n, arrays.counts, arrays.places):
        for k in range(n):
            put_column(T, J, span, arrays.places[ROW, k], X)
            solve(linear, sizes, arrays, matrix, False)
            copy_solution(X, C, k)
            put_products(T, J, span, k, C, arrays.places, D)
        remember(matrix, n, arrays.counts, arrays.places)
    put_free(T, J, span, n, C, D, arrays.places, P)
    failed, misfit = 0, 0.0
    if n_el > 1 or not solve_one(n, D, P[Y0], P[BASE], P[UNKNOWN], arrays.elements, arrays.numbers):
        failed, misfit, _, _ = solve_coulomb(
            n, n_el, D, P[Y0], P[BASE], P[UNKNOWN], arrays.elements, arrays.numbers, arrays.work, TOLERANCE, SWEEPS
        )
    put_motion(n, C, P, X)
    return Problem(status, failed, misfit)


@leaf
def set_law(k, law, mode, radius, kappa, elements, numbers):
    """Law, guessed mode and bounds of element k of the problem."""
    elements[k, LAW], elements[k, MODE] = law, mode
    numbers[k, RADIUS], numbers[k, KAPPA] = radius, kappa


@leaf
def set_direction(k, row, first, F, elements, numbers):
    """The direction of slip of element k of the problem, F[row]."""
    for i in range(elements[k, WIDTH]):
        numbers[k, DIRECTION + i] = F[row, first + i]


@leaf
def keep_direction(k, row, first, elements, numbers, F):
    """F[row] = the direction of slip of element k of the problem."""
    for i in range(elements[k, WIDTH]):
        F[row, first + i] = numbers[k, DIRECTION + i]


@leaf
def hide_sets(S, K, nb):
    """No contact is in a set, as long as matrices are made."""
    for k in range(N_SETS):
        for i in range(nb, S.shape[1]):
            K[HIDDEN + k, i - nb] = S[k, i]
            S[k, i] = 0


@leaf
def show_sets(S, K, nb):
    """The sets as they were."""
    for k in range(N_SETS):
        for i in range(nb, S.shape[1]):
            S[k, i] = K[HIDDEN + k, i - nb]
