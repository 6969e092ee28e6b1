"""Leaves that measure errors: sizes of positions and velocities, norms, what constraint rows count relative to.

Weights compare coordinates of different kind, see `scales`; the mean size of positions is √(Σ w q²/n). A coordinate is
as large as its own values, or as the mean, if that is not too far above the largest value it ever had (``spread``). The
floor, by which errors of what stands still are measured, is a thousandth of the largest mean so far, or of what
velocities and accelerations make of it in the time ``pace``.
"""

from __future__ import annotations

from math import sqrt

from genalpha.compiled.jit import leaf
from genalpha.step.state import (
    A_1,
    LARGEST_MEAN,
    Q0,
    Q1,
    Q_LARGEST,
    Q_WEIGHT,
    REACH,
    SOLUTION,
    TURNS,
    V0,
    V1,
    V_LARGEST,
    V_WEIGHT,
)

SHARE = 1e-3
"""The floor over the largest mean."""
TINY = 1e-300


@leaf
def mean_extent(Q, row, n, memory):
    """The mean size of the positions Q[row]."""
    total = memory[TURNS]
    for i in range(Q.shape[1]):
        total += Q[Q_WEIGHT, i] * Q[row, i] * Q[row, i]
    return sqrt(total / n)


@leaf
def mean_rates(V):
    """Mean sizes of the largest velocities so far and of a1."""
    speed, rise, n = 0.0, 0.0, V.shape[1]
    for i in range(n):
        own = max(V[V_LARGEST, i], abs(V[V1, i]))
        speed += V[V_WEIGHT, i] * own * own
        rise += V[V_WEIGHT, i] * V[A_1, i] * V[A_1, i]
    return sqrt(speed / n), sqrt(rise / n)


@leaf
def position_floor(Q, V, pace, memory):
    """What errors of positions are relative to at least."""
    speed, rise = mean_rates(V)
    extent = max(memory[LARGEST_MEAN], mean_extent(Q, Q1, V.shape[1], memory))
    return SHARE * max(extent, pace * speed, pace * pace * rise)


@leaf
def position_norm(Q, V, X, flat, spread, rtol, atol, floor, memory):
    """(norm, worst coordinate) of the error X[SOLUTION] of positions; 1 is what is allowed.

    In a vector space every coordinate has its own size; angles (their weight in Q is 0) and increments of rotations are
    measured by the mean.
    """
    n = V.shape[1]
    mean = mean_extent(Q, Q1, n, memory)
    total, largest, place = 0.0, 0.0, 0
    for i in range(n):
        root = sqrt(V[V_WEIGHT, i])
        size = mean / root
        if flat and Q[Q_WEIGHT, i] > 0.0:
            own = max(abs(Q[Q0, i]), abs(Q[Q1, i]))
            size = max(own, min(size, spread * max(own, V[Q_LARGEST, i])))
        error = abs(X[SOLUTION, i]) / (atol + rtol * max(size, floor / root) + TINY)
        total += error * error
        if not error <= largest:
            largest, place = error, i
    return sqrt(total / n), place


@leaf
def unfelt(Q, epsilon, pace, n, memory):
    """A velocity that moves nothing by more than the round-off ``epsilon`` of positions within the pace of the motion.

    Of a structure that cannot move nothing else says what is small: forces and reactions cancel but for round-off.
    """
    return epsilon * max(memory[LARGEST_MEAN], mean_extent(Q, Q1, n, memory)) / pace if pace > 0.0 else 0.0


@leaf
def velocity_norm(V, X, pace, spread, rtol, atol, noise):
    """(norm, worst coordinate) of the error X[SOLUTION] of velocities; their sizes are the largest so far.

    ``noise`` counts as no error, see `unfelt`.
    """
    n = V.shape[1]
    mean, rise = mean_rates(V)
    total, largest, place = 0.0, 0.0, 0
    for i in range(n):
        root = sqrt(V[V_WEIGHT, i])
        own = max(V[V_LARGEST, i], abs(V[V1, i]))
        size = max(own, min(mean / root, spread * own))
        if atol == 0.0:
            size = max(size, SHARE * max(mean, pace * rise) / root)
        error = abs(X[SOLUTION, i]) / (atol + rtol * size + noise / root + TINY)
        total += error * error
        if not error <= largest:
            largest, place = error, i
    return sqrt(total / n), place


@leaf
def keep_largest(Q, V, flat, memory):
    """The largest speeds and positions so far."""
    for i in range(V.shape[1]):
        V[V_LARGEST, i] = max(V[V_LARGEST, i], abs(V[V0, i]))
        if flat:
            V[Q_LARGEST, i] = max(V[Q_LARGEST, i], abs(Q[Q0, i]))
    memory[LARGEST_MEAN] = max(memory[LARGEST_MEAN], mean_extent(Q, Q0, V.shape[1], memory))


@leaf
def put_reach(T, J, first, last, Q, V, flat, spread, floor, memory, L):
    """L[REACH]: the largest |B_ij| s_j of each row, s_j the size of the coordinate j so far."""
    n = V.shape[1]
    mean = max(memory[LARGEST_MEAN], mean_extent(Q, Q1, n, memory))
    for i in range(L.shape[1]):
        L[REACH, i] = 0.0
    for e in range(first, last):
        i, j = T[0, e], T[1, e]
        root = sqrt(V[V_WEIGHT, j])
        size = mean / root
        if flat and Q[Q_WEIGHT, j] > 0.0:
            own = max(V[Q_LARGEST, j], abs(Q[Q1, j]))
            size = max(own, min(size, spread * own))
        L[REACH, i] = max(L[REACH, i], abs(J[e]) * max(size, floor / root))
