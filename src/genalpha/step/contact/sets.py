"""The active sets of an iteration: found by (55)-(57) of paper 002, resolved where they come back.

Sets that come back (cycles) are resolved in this order: r times ten, up to three times, and gaps of round-off stay open
if they are; no contacts in C for the rest of the step, which any choice of C allows; one contact at a time. The *stage*
counts how far that has come: 1 to 3 the powers of ten, 4 no contacts in C, 5 one at a time.

Tails are what a contact force leaves behind in the algorithmic acceleration when it ends. η is to λ what a is to v̇,
002 (64). After a release η decays as (−α_m/(1 − α_m))ⁿ, with alternating sign if ρ∞ > 0.5: an open contact would pull
and push. No force is there any more, so a is freed of it: a ← a − P Nᵀ(η − λ), η ← λ, with P the inverse of the mass on
the bilateral constraints.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.math.linear import mean_diagonal
from genalpha.step.contact.kernels import bar_contacts, choose_sets, effective_mass, put_gradient, release, seen_before
from genalpha.step.contact.residuals import slacks
from genalpha.step.contact.slots import nest_sets
from genalpha.step.newton import build_correction, solve
from genalpha.step.state import (
    A_1,
    CYCLES,
    ETA1,
    GAP,
    LAST_B,
    MU1,
    N_SEEN,
    OK,
    ROWS,
    SCRATCH,
    SET_B,
    SET_C,
    SOLUTION,
    STEPS,
    VELOCITY_MATRIX,
)
from genalpha.step.values import Sets


@step
def find_sets(sizes, scheme, arrays, stride, course):
    """The sets at this iterate; multipliers of contacts that are out become zero."""
    changes, stage = choose_contacts(sizes, scheme, arrays, stride.h, course.stage), course.stage
    if sizes.slots > 0 and changes >= 0:
        barred = scheme.strategy < 3 or stage >= 5
        nested = nest_sets(arrays.L, arrays.S, sizes.m - sizes.slots, barred)
        changes = nested if nested < 0 else changes + nested + course.waking
    if changes < 0:
        return Sets(changes, stage, 0.0)
    if changes > 0 or course.iteration == 0:
        stage = resolve_cycle(sizes, arrays, course.iteration, stage)
    return Sets(changes, stage, release(arrays.L, arrays.S, stride.h))


@step
def choose_contacts(sizes, scheme, arrays, h, stage):
    """`choose_sets`, with what counts as round-off; gives the number of contacts that changed.

    Pairs that come and go are left to `piles`.
    """
    slack_q, slack_v = slacks(arrays.memory)
    last = sizes.m - sizes.slots
    strategy, factor = 2 if stage >= 4 else scheme.strategy, 10.0 ** min(stage, 3) if stage > 0 else 1.0
    return choose_sets(scheme.beta, scheme.gamma, h, factor, scheme.r, strategy, scheme.closing, stage >= 1, stage >= 5,
                       slack_q, slack_v, arrays.L, arrays.S, sizes.nb, last)  # fmt: skip


@step
def resolve_cycle(sizes, arrays, iteration, stage):
    """The stage that follows if the sets were there before in this step."""
    S, counts = arrays.S, arrays.counts
    if not seen_before(S, counts, sizes.nb) or iteration == 0:
        return stage
    counts[CYCLES] += 1
    counts[N_SEEN] = 0
    if stage < 3 and sizes.slots > 0:
        stage = 3  # pairs that come and go have no r
    if stage == 3:
        bar_contacts(S, sizes.nb, sizes.m - sizes.slots)
    return stage + 1


@step
def wants_matrices(course, sets):
    """Are matrices to be made in this iteration? Those of the first iterate know nothing of the impact in its sets."""
    struck = course.iteration == 1 and course.unsteady
    return course.iteration == 0 or course.refresh or sets.changes > 0 or struck


@step
def weigh_contacts(linear, sizes, arrays):
    """Effective masses 1/(N P Nᵀ) of contacts that are about to close, in the first step of all contacts.

    P is M⁻¹ on the bilateral constraints. Those that close later in an iteration keep the mass they had, and so do
    pairs that come and go, of free bodies: theirs is constant. Gives True if there were any; then X, where the force
    was, holds something else.
    """
    L, S, T, J = arrays.L, arrays.S, arrays.T, arrays.J
    built = False
    for i in range(sizes.nb, sizes.m - sizes.slots):
        if arrays.counts[STEPS] == 0 or (L[GAP, i] <= 0.0 and not S[LAST_B, i]):
            if not built:
                for j in range(sizes.nb, sizes.m):
                    S[SET_B, j] = 0
                scale = mean_diagonal(arrays.Z, J, sizes.diagonal, sizes.diagonal_M, sizes.nv)
                built = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, scale) == OK
                for j in range(sizes.nb, sizes.m):
                    S[SET_B, j] = S[LAST_B, j]
            if built:
                put_gradient(T, J, sizes.end_K, sizes.end_B, i, arrays.X)
                solve(linear, sizes, arrays, VELOCITY_MATRIX, False)
                effective_mass(T, J, sizes.end_M, sizes.end_K, sizes.end_B, i, arrays.X, L)
    return built


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
