"""Error control: estimates of the local errors, and the size of the next step.

With D = α_m − α_f, a_p and h_p those of the step before, the errors that one step leaves in q and v are

    e_q = (β + D/2 − 1/6) h² (a1 − a0)
    e_v = c h · 2 [(a1 − a0) − (h/h_p) (a0 − a_p)] / (1 + h_p/h)
    c = (1 − γ) D²/2 + γ (1 + D)²/2 + κ − 1/6,   κ = (1 − α_f)/2 − (1 − α_m)(1 + D)²/2 − α_m D²/2

They are divided by the factorised matrix of the dynamics, (M̂, Bᵀ; B, 0)⁻¹ (M e, 0): this takes out what the
constraints do not allow, and what a stiff system damps. Multipliers are not controlled. The step sizes follow
Söderlind's filter H211b with b = 4 for an error of order 3, and aim at one half of what is allowed. The global error is
of the order of the tolerance to the power 2/3.

The estimate leaves jumps alone: it says nothing in a step in which the active sets change, and nothing of v in the
two steps that follow.

Reference: G. Söderlind, Digital filters in adaptive time-stepping, ACM Trans. Math. Software 29 (2003) 1-26.
"""

from __future__ import annotations

from math import sqrt

from genalpha.jit import leaf, step
from genalpha.step.alpha import start_slope
from genalpha.step.newton import solve
from genalpha.step.state import (
    A_0,
    A_1,
    A_BEFORE,
    A_HERE,
    DYNAMICS,
    ERROR,
    ERROR_BEFORE,
    HISTORY,
    LARGEST_EXTENT,
    LARGEST_SPEED,
    LAST_STEP,
    N_MATRICES,
    NEXT_STEP,
    OK,
    Q0,
    Q1,
    RATE0,
    REJECTED,
    REJECTED_ERROR,
    REJECTED_IMPACT,
    RESTART,
    SOLUTION,
    STEP_SIZE,
    STEPS,
    TIME,
    TOO_SMALL,
    V0,
    V1,
    V_LARGEST,
    VDOT1,
    VELOCITY_MATRIX,
    WORST_LEVEL,
    WORST_PLACE,
)

AIM = 0.5
SMALLEST_ERROR = 1e-8
STRETCH = 1.1
"""The last step may be longer than planned by this factor, so that no sliver is left behind."""


@step
def next_step(scheme, memory, t_end):
    """(end, size) of the next step; the last one ends at ``t_end``."""
    t, h = memory[TIME], min(memory[NEXT_STEP], scheme.h_max)
    if t + STRETCH * h >= t_end:
        return t_end, t_end - t
    return t + h, h


@step
def control(linear, sizes, scheme, arrays, h):
    """Accept or reject a step that was made, and choose the size of the next; gives a status."""
    memory, counts = arrays.memory, arrays.counts
    allowed = impact_step(scheme.impact_tol, h, arrays.L, arrays.S, sizes.nb, memory) if sizes.m > sizes.nb else h
    if allowed < h and h > scheme.h_min:
        counts[REJECTED_IMPACT] += 1
        memory[NEXT_STEP] = max(allowed, 0.2 * h, scheme.h_min)
        return RESTART if counts[STEPS] == 0 else REJECTED
    if sizes.m > sizes.nb and sets_changed(arrays.S, sizes.nb):
        memory[NEXT_STEP] = max(h, scheme.h_min)
        return OK
    error = estimate(linear, sizes, scheme, arrays, h)
    memory[ERROR] = error
    if not error <= 1.0:
        if h <= scheme.h_min:
            return TOO_SMALL
        counts[REJECTED_ERROR] += 1
        shrink = max(0.2, 0.85 * error ** (-1.0 / 3.0)) if error < 1e300 else 0.2
        memory[NEXT_STEP] = max(shrink * h, scheme.h_min)
        return RESTART if counts[STEPS] == 0 else REJECTED
    error = max(error, SMALLEST_ERROR)
    lag = h / memory[STEP_SIZE] if counts[STEPS] > 0 else 1.0
    factor = (error / AIM * memory[ERROR_BEFORE] / AIM) ** (-1.0 / 12.0) * lag**-0.25
    memory[NEXT_STEP] = max(h * min(max(factor, 0.4), 2.0), scheme.h_min)
    memory[ERROR_BEFORE] = error
    return OK


@step
def estimate(linear, sizes, scheme, arrays, h):
    """The larger of the scaled errors of q and v; 1 is what the tolerances allow."""
    T, J, Q, V, X, counts = arrays.T, arrays.J, arrays.Q, arrays.V, arrays.X, arrays.counts
    shift = scheme.alpha_m - scheme.alpha_f
    slope = start_slope(scheme, counts)
    put_error(T, J, sizes.end_M, (scheme.beta + 0.5 * shift - 1.0 / 6.0) * h * h, slope, 0.0, V, X)
    solve(linear, sizes, arrays, DYNAMICS, False)
    error, place = position_norm(Q, X, sizes.nv, sizes.flat, scheme.rtol, scheme.atol)
    counts[WORST_PLACE], counts[WORST_LEVEL] = place, 0
    if counts[HISTORY] > 1:
        ratio = h / arrays.memory[STEP_SIZE]
        put_error(T, J, sizes.end_M, velocity_weight(scheme) * h * 2.0 / (1.0 + 1.0 / ratio), slope, ratio, V, X)
        solve(linear, sizes, arrays, DYNAMICS, False)
        other, place = velocity_norm(V, X, scheme.rtol, scheme.atol)
        if not other <= error:
            error = other
            counts[WORST_PLACE], counts[WORST_LEVEL] = place, 1
    return error


@step
def velocity_weight(scheme):
    """The number c of e_v."""
    m, f, gamma = scheme.alpha_m, scheme.alpha_f, scheme.gamma
    d = m - f
    late, early = 0.5 * (1.0 + d) * (1.0 + d), 0.5 * d * d
    kappa = 0.5 * (1.0 - f) - (1.0 - m) * late - m * early
    return (1.0 - gamma) * early + gamma * late + kappa - 1.0 / 6.0


@leaf
def put_error(T, J, end_M, factor, slope, ratio, V, X):
    """X[0] = (M e, 0) with e = factor ((a1 − a0) − ratio (a0 − a_p))."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    for e in range(end_M):
        j = T[1, e]
        change = V[A_1, j] - V[A_HERE, j] - slope * V[VDOT1, j]
        if ratio > 0.0:
            change -= ratio * (V[A_0, j] - V[A_BEFORE, j])
        X[SOLUTION, T[0, e]] += factor * J[e] * change


@leaf
def position_norm(Q, X, n, flat, rtol, atol):
    """(norm, worst coordinate) of the error X[0] of positions, over atol + rtol times what is there.

    In a vector space every coordinate has its own size, and none less than the mean of all; increments of rotations
    are measured by the largest coordinate.
    """
    total, largest = 0.0, 0.0
    for i in range(Q.shape[1]):
        total += Q[Q1, i] * Q[Q1, i]
        largest = max(largest, abs(Q[Q1, i]))
    mean = sqrt(total / Q.shape[1]) if flat else largest
    total, largest, place = 0.0, 0.0, 0
    for i in range(n):
        size = max(mean, abs(Q[Q0, i]), abs(Q[Q1, i])) if flat else mean
        error = abs(X[SOLUTION, i]) / (atol + rtol * size)
        total += error * error
        if not error <= largest:
            largest, place = error, i
    return sqrt(total / n), place


@leaf
def velocity_norm(V, X, rtol, atol):
    """(norm, worst coordinate) of the error X[0] of velocities; their sizes are the largest so far."""
    n = V.shape[1]
    total = 0.0
    for i in range(n):
        size = max(V[V_LARGEST, i], abs(V[V1, i]))
        total += size * size
    mean = sqrt(total / n)
    total, largest, place = 0.0, 0.0, 0
    for i in range(n):
        size = max(mean, V[V_LARGEST, i], abs(V[V1, i]))
        error = abs(X[SOLUTION, i]) / (atol + rtol * size)
        total += error * error
        if not error <= largest:
            largest, place = error, i
    return sqrt(total / n), place


@leaf
def keep_largest(V):
    """The largest speeds so far."""
    for i in range(V.shape[1]):
        V[V_LARGEST, i] = max(V[V_LARGEST, i], abs(V[V0, i]))


@leaf
def sets_changed(S, nb):
    """Are the active sets others than in the step before?"""
    for k in range(N_MATRICES):
        for i in range(nb, S.shape[1]):
            if S[k, i] != S[LAST_STEP + k, i]:
                return True
    return False


@leaf
def impact_step(tolerance, h, L, S, nb, memory):
    """The longest step in which an impact may happen: no contact travels further than ``tolerance`` in it.

    A negative tolerance is relative to the largest extent. Weaker impacts allow longer steps, so that accumulating
    ones do not stall the run. It is h if all is well.
    """
    allowed = h
    limit = tolerance if tolerance >= 0.0 else -tolerance * memory[LARGEST_EXTENT]
    for i in range(nb, L.shape[1]):
        speed = -L[RATE0, i]
        if S[VELOCITY_MATRIX, i] and speed > 1e-7 * memory[LARGEST_SPEED] and speed * h > limit:
            allowed = min(allowed, 0.9 * limit / speed)
    return allowed
