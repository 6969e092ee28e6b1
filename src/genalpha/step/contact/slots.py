"""Leaves of `piles`: sets of slots, guessed and looked over.

Slots are the last rows of all arrays, from ``first`` on. Each has ``width`` entries in J from ``begin`` on, one half
for each of its two bodies, side by side; a plane has zeros.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.step.state import (
    CALM,
    ETA1,
    ETA_HERE,
    GAP,
    MASS,
    MU1,
    NU,
    NU0,
    REBOUND,
    RESIDUAL,
    RHS,
    ROWS,
    SCRATCH,
    SET_A,
    SET_B,
    SET_C,
    SOLUTION,
    STAR,
)

CALM_STEPS = 3
"""Contacts of a pile enter C after so many steps."""

SWEEPS = 32
"""Of Gauss-Seidel at most, for the first guess of a set."""

CALM_SWEEPS = 3
"""They end when so many have changed nothing."""

REACH = 4.0
"""What is further away than so many times the largest motion or violation is not reached (two unit vectors: 2 √3)."""


@leaf
def nest_sets(L, S, first, barred):
    """C ⊂ B ⊂ A, and no C if it is barred; gives the number of changes, −1 if a gap is no number."""
    changes = 0
    for i in range(first, L.shape[1]):
        if not abs(L[GAP, i]) < 1e300:
            return -1
        if S[SET_B, i] and not S[SET_A, i]:
            S[SET_B, i] = 0
            changes += 1
        if S[SET_C, i] and (barred or not S[SET_B, i]):
            S[SET_C, i] = 0
            changes += 1
    return changes


@leaf
def key_of(S, level):
    """A number for an active set; never 0."""
    key = 1469598103
    for i in range(S.shape[1]):
        key = (key * 31 + S[level, i]) & 0x3FFFFFFFFFFFFFF
    return key + 1


@leaf
def copy_set(S, one, two, first):
    """The set ``two`` becomes ``one``; gives the number of changes."""
    changes = 0
    for i in range(first, S.shape[1]):
        if S[two, i] != S[one, i]:
            S[two, i] = S[one, i]
            changes += 1
    return changes


@leaf
def smooth_share(L, S, i, level, beta, gamma, h):
    """What η contributes to ν* and Λ*; its pull counts only where λ makes it."""
    share = 0.0
    if level == SET_A:
        share = h * h * ((0.5 - beta) * L[ETA_HERE, i] + beta * L[ETA1, i])
    elif level == SET_B:
        share = h * ((1.0 - gamma) * L[ETA_HERE, i] + gamma * L[ETA1, i])
    return share if S[SET_C, i] else max(share, 0.0)


@leaf
def review(T, J, begin, width, X, n, L, S, first, level, multiplier, r, share, slack, open_rate, single):
    """Let contacts go that would pull, and take those in that would be violated; gives the number of wrong ones.

    X holds the solution, L[ROWS] the rows before it. ``share`` holds (β, γ, h); ``open_rate``: what opens faster than
    this stays out of C; ``single``: only one changes.
    """
    fastest = 0.0
    for c in range(n):
        fastest = max(fastest, abs(X[SOLUTION, c]))
    reach, wrong = REACH * fastest, 0
    for i in range(L.shape[1] - 1, first - 1, -1):
        if S[level, i]:
            total = L[multiplier, i] - r * X[SOLUTION, n + i] + smooth_share(L, S, i, level, *share)
            wanted = total >= -L[MASS, i] * slack
        elif L[ROWS, i] >= reach:
            continue
        else:
            row = L[ROWS, i] + motion(T, J, begin + (i - first) * width, width, X, SOLUTION)
            wanted = row < -slack and may_enter(L, S, i, level, open_rate)
        if wanted != (S[level, i] == 1):
            if not (single and wrong > 0):
                S[level, i] = 1 - S[level, i]
                if not wanted:
                    S[SET_C, i] = 0  # a force that pulls would let it in and out for ever
            wrong += 1
    return wrong


@leaf
def drop_pulls(X, n, L, S, first, r, slack):
    """Let contacts go from C whose forces would pull; X holds the solution. Gives their number."""
    dropped = 0
    for i in range(first, L.shape[1]):
        if S[SET_C, i] and L[MU1, i] - r * X[SOLUTION, n + i] < -L[MASS, i] * slack:
            S[SET_C, i] = 0
            dropped += 1
    return dropped


@leaf
def forecast(T, J, end_M, begin, width, X, n, L, S, first, share):
    """A guess of the set A before anything is solved, by some sweeps of projected Gauss-Seidel.

    They begin with the multipliers of the step before. L[STAR] holds multipliers, rows of X the slots within reach, the
    masses and the motions. Gives the number of changes.
    """
    for e in range(end_M):
        if T[0, e] == T[1, e]:
            X[RESIDUAL, T[0, e]] = 1.0 / J[e]
    for c in range(n):
        X[SCRATCH, c] = 0.0
    worst = 0.0
    for i in range(first, L.shape[1]):
        worst = min(worst, L[ROWS, i])
        L[STAR, i] = L[NU, i] + smooth_share(L, S, i, SET_A, *share)
        if S[SET_A, i] and L[NU0, i] > 0.0:
            push_bodies(T, J, begin + (i - first) * width, width, L[NU0, i] - L[STAR, i], X)
            L[STAR, i] = L[NU0, i]
    near = 0
    for i in range(first, L.shape[1]):
        if L[STAR, i] != 0.0 or L[ROWS, i] <= -REACH * worst:
            X[RHS, near] = i
            near += 1
    idle = 0  # sweeps in which no contact opened or closed
    for sweep in range(SWEEPS):
        idle += 1
        for k in range(near):
            i = np.int64(X[RHS, k if sweep % 2 == 0 else near - 1 - k])
            pressed = relax(T, J, begin + (i - first) * width, width, L[ROWS, i], L[MASS, i], L[STAR, i], X)
            if (pressed > 0.0) != (L[STAR, i] > 0.0):
                idle = 0
            L[STAR, i] = pressed
        if idle > CALM_SWEEPS:
            break
    changes = 0
    for i in range(first, L.shape[1]):
        wanted = 1 if L[STAR, i] > 0.0 else 0
        if S[SET_A, i] != wanted:
            S[SET_A, i] = wanted
            changes += 1
    return changes


@leaf
def relax(T, J, e, width, row, mass, force, X):
    """The force with which a slot, whose entries begin at e, is closed or open; its bodies are moved."""
    half = width // 2
    one, two = np.int64(T[1, e]), np.int64(T[1, e + half])
    for j in range(half):
        row += J[e + j] * X[SCRATCH, one + j] + J[e + half + j] * X[SCRATCH, two + j]
    pressed = max(force - mass * row, 0.0)
    change = pressed - force
    if change != 0.0:
        for j in range(half):
            X[SCRATCH, one + j] += X[RESIDUAL, one + j] * J[e + j] * change
            X[SCRATCH, two + j] += X[RESIDUAL, two + j] * J[e + half + j] * change
    return pressed


@leaf
def motion(T, J, e, width, X, x):
    """How fast a slot opens, whose entries begin at e; those of a body lie side by side."""
    half = width // 2
    one, two, total = np.int64(T[1, e]), np.int64(T[1, e + half]), 0.0
    for j in range(half):
        total += J[e + j] * X[x, one + j] + J[e + half + j] * X[x, two + j]
    return total


@leaf
def push_bodies(T, J, e, width, force, X):
    """Move the bodies of a slot, whose entries begin at e."""
    half = width // 2
    one, two = np.int64(T[1, e]), np.int64(T[1, e + half])
    for j in range(half):
        X[SCRATCH, one + j] += X[RESIDUAL, one + j] * J[e + j] * force
        X[SCRATCH, two + j] += X[RESIDUAL, two + j] * J[e + half + j] * force


@leaf
def add_slot_forces(T, J, begin, width, L, first, multiplier, X):
    """X[SOLUTION] += Bᵀ multiplier, of the slots that have one."""
    half = width // 2
    for i in range(first, L.shape[1]):
        force = L[multiplier, i]
        if force != 0.0:
            e = begin + (i - first) * width
            one, two = np.int64(T[1, e]), np.int64(T[1, e + half])
            for j in range(half):
                X[SOLUTION, one + j] += J[e + j] * force
                X[SOLUTION, two + j] += J[e + half + j] * force


@leaf
def may_enter(L, S, i, level, open_rate):
    """B lies within A, and C within B; a contact enters C when it is calm and does not open."""
    if level == SET_B:
        return S[SET_A, i] == 1
    if level == SET_C:
        return S[SET_B, i] == 1 and L[REBOUND, i] <= open_rate and L[CALM, i] >= CALM_STEPS
    return True
