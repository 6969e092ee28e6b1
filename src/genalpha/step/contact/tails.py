"""What a contact force leaves behind in the algorithmic acceleration when it ends.

η is to λ what a is to v̇, 002 (64). After a release η decays as (−α_m/(1 − α_m))ⁿ, with alternating sign if ρ∞ > 0.5:
an open contact would pull and push. No force is there any more, so a is freed of it: a ← a − P Nᵀ(η − λ), η ← λ, with
P the inverse of the mass on the bilateral constraints.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.math.linear import mean_diagonal
from genalpha.step.newton import build_correction, solve
from genalpha.step.state import (
    A_1,
    ETA1,
    MU1,
    OK,
    ROWS,
    SCRATCH,
    SET_B,
    SET_C,
    SOLUTION,
    VELOCITY_MATRIX,
)


@step
def cut_tails(linear, sizes, arrays):
    """Free a1 of the tails of contacts that have left C; X and the matrix of the velocities are used."""
    T, J, L, S, X = arrays.T, arrays.J, arrays.L, arrays.S, arrays.X
    if not has_tail(L, S, sizes.nb):
        return OK
    put_tails(T, J, sizes.end_K, sizes.end_B, L, S, X)
    if sizes.nb == 0 and divide_by_mass(T, J, sizes.end_M, X):
        take_away(X, arrays.V, L, S, sizes.nb)
        return OK
    for i in range(sizes.nb, sizes.m):
        L[ROWS, i] = S[SET_B, i]
        S[SET_B, i] = 0
    scale = mean_diagonal(arrays.Z, J, sizes.diagonal, sizes.diagonal_M, sizes.nv)
    status = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, scale)
    if status == OK:
        put_tails(T, J, sizes.end_K, sizes.end_B, L, S, X)
        status = solve(linear, sizes, arrays, VELOCITY_MATRIX, False)
    for i in range(sizes.nb, sizes.m):
        S[SET_B, i] = int(L[ROWS, i])
    if status == OK:
        take_away(X, arrays.V, L, S, sizes.nb)
    return status


@leaf
def ends(L, S, i):
    """Has the force of a contact ended, or does its mean pull?"""
    return (S[SET_C, i] == 0 and L[ETA1, i] != 0.0) or L[ETA1, i] < 0.0


@leaf
def has_tail(L, S, nb):
    """Is there a contact whose η is to end?"""
    for i in range(nb, L.shape[1]):
        if ends(L, S, i):
            return True
    return False


@leaf
def put_tails(T, J, first, last, L, S, X):
    """X[SOLUTION] = (Nᵀ(η1 − λ1), 0) of the contacts that end."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    for e in range(first, last):
        i = T[0, e]
        if ends(L, S, i):
            X[SOLUTION, T[1, e]] += J[e] * (L[ETA1, i] - L[MU1, i])


@leaf
def divide_by_mass(T, J, end_M, X):
    """X[SOLUTION] ← M⁻¹ X[SOLUTION] if M is diagonal; else it is False, and X is as it was."""
    for e in range(end_M):
        if T[0, e] != T[1, e] and J[e] != 0.0:
            return False
    for e in range(end_M):
        X[SCRATCH, T[0, e]] = 0.0
    for e in range(end_M):
        X[SCRATCH, T[0, e]] += J[e]
    for e in range(end_M):
        if X[SCRATCH, T[0, e]] != 0.0:
            X[SOLUTION, T[0, e]] /= X[SCRATCH, T[0, e]]
            X[SCRATCH, T[0, e]] = 0.0
    return True


@leaf
def take_away(X, V, L, S, nb):
    """a1 ← a1 − X, η1 ← λ1."""
    for i in range(V.shape[1]):
        V[A_1, i] -= X[SOLUTION, i]
    for i in range(nb, L.shape[1]):
        if ends(L, S, i):
            L[ETA1, i] = L[MU1, i]
