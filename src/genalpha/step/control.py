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
two steps that follow. Such a step is judged by how far the gap went, see `approach`, or by how much an acceleration
jumps where something comes to rest, begins to slide or turns back, see `error_of_friction`. Constraints whose motion is
prescribed leave no error at the ends of a step; what they and the forces do in between is looked at where they depend
on time, see `unseen`.

Reference: G. Söderlind, Digital filters in adaptive time-stepping, ACM Trans. Math. Software 29 (2003) 1-26.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.step.contact.approach import impact_step, may_close
from genalpha.step.contact.friction import JUMPS, NONE, any_changed, event_of, put_jump
from genalpha.step.newton import solve
from genalpha.step.sizes import TINY, position_floor, position_norm, put_reach, unfelt, velocity_norm
from genalpha.step.state import (
    A_0,
    A_1,
    A_BEFORE,
    A_HERE,
    DYNAMICS,
    ERROR,
    ERROR_BEFORE,
    GAP,
    GAP0,
    HISTORY,
    LAST_STEP,
    MU1,
    N_SETS,
    NEXT_STEP,
    OF_POSITION,
    OF_ROW,
    OF_VELOCITY,
    OK,
    PROBE,
    Q1,
    REACH,
    REJECTED,
    REJECTED_ERROR,
    REJECTED_IMPACT,
    RESTART,
    RHS,
    SET_A,
    SOLUTION,
    STEP_SIZE,
    STEPS,
    TIME,
    TOO_SMALL,
    UNSEEN,
    V1,
    VDOT1,
    WORST_LEVEL,
    WORST_PLACE,
)
from genalpha.step.values import EPSILON, start_slope

AIM = 0.5
SMALLEST_ERROR = 1e-8
BETWEEN = 0.6180339887498949
"""Where in a step prescribed motions and forces are looked at."""
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
def control(system, linear, data, sizes, scheme, arrays, t1, h):
    """Accept or reject a step that was made, and choose the size of the next; gives a status."""
    memory, counts = arrays.memory, arrays.counts
    contacts = sizes.m > sizes.nb
    if contacts and scheme.impact_tol < 1e300 and may_close(h, arrays.L, arrays.S, sizes.nb):
        measure_rows(sizes, scheme, arrays)
        allowed = impact_step(scheme.impact_tol, h, arrays.L, arrays.S, sizes.nb, memory)
        if allowed < h and h > scheme.h_min:
            counts[REJECTED_IMPACT] += 1
            # the last step may be stretched, but not to what was rejected
            memory[NEXT_STEP] = max(min(allowed, h / (1.01 * STRETCH)), 0.1 * h, scheme.h_min)
            return RESTART if counts[STEPS] == 0 else REJECTED
    error = unseen(system, linear, data, sizes, scheme, arrays, t1, h) if scheme.timed else 0.0
    changed = contacts and sets_changed(arrays.S, sizes.nb)
    if sizes.nt > 0:
        changed = changed or any_changed(arrays.F, arrays.K)
        error = max(error, error_of_friction(sizes, scheme, arrays, h))
    if not changed:
        error = max(error, estimate(linear, sizes, scheme, arrays, h, error))
    memory[ERROR] = error
    if not error <= 1.0:
        if h <= scheme.h_min:
            return TOO_SMALL
        counts[REJECTED_ERROR] += 1
        shrink = max(0.2, 0.85 * error ** (-1.0 / 3.0)) if error < 1e300 else 0.2
        memory[NEXT_STEP] = max(shrink * h, scheme.h_min)
        return RESTART if counts[STEPS] == 0 else REJECTED
    if changed:
        memory[NEXT_STEP] = max(h, scheme.h_min)
        return OK
    error = max(error, SMALLEST_ERROR)
    lag = h / memory[STEP_SIZE] if counts[STEPS] > 0 else 1.0
    factor = (error / AIM * memory[ERROR_BEFORE] / AIM) ** (-1.0 / 12.0) * lag**-0.25
    memory[NEXT_STEP] = max(h * min(max(factor, 0.4), 2.0), scheme.h_min)
    memory[ERROR_BEFORE] = error
    return OK


@step
def estimate(linear, sizes, scheme, arrays, h, known):
    """The larger of the scaled errors of q and v; 1 is what is allowed. Its place is kept if it is above ``known``."""
    T, J, Q, V, X, counts = arrays.T, arrays.J, arrays.Q, arrays.V, arrays.X, arrays.counts
    shift = scheme.alpha_m - scheme.alpha_f
    slope = start_slope(scheme, counts)
    put_error(T, J, sizes.end_M, (scheme.beta + 0.5 * shift - 1.0 / 6.0) * h * h, slope, 0.0, V, X)
    solve(linear, sizes, arrays, DYNAMICS, False)
    floor = position_floor(Q, V, scheme.pace, arrays.memory) if scheme.atol == 0.0 else 0.0
    error, place = position_norm(Q, V, X, sizes.flat, scheme.spread, scheme.rtol, scheme.atol, floor, arrays.memory)
    if not error <= known:
        counts[WORST_PLACE], counts[WORST_LEVEL] = place, OF_POSITION
    if counts[HISTORY] > 1:
        ratio = h / arrays.memory[STEP_SIZE]
        put_error(T, J, sizes.end_M, velocity_weight(scheme) * h * 2.0 / (1.0 + 1.0 / ratio), slope, ratio, V, X)
        solve(linear, sizes, arrays, DYNAMICS, False)
        noise = unfelt(Q, EPSILON, scheme.pace, sizes.nv, arrays.memory)
        other, place = velocity_norm(V, X, scheme.pace, scheme.spread, scheme.rtol, scheme.atol, noise)
        if not other <= error:
            error = other
            if not error <= known:
                counts[WORST_PLACE], counts[WORST_LEVEL] = place, OF_VELOCITY
    return error


@step
def error_of_friction(sizes, scheme, arrays, h):
    """The scaled error of a step in which something comes to rest, begins to slide or turns back; 1 is allowed.

    A step does not know when in it the acceleration jumps by Δ. What comes to rest is left at a wrong place, by h² Δ/8;
    what slides afterwards has a wrong velocity, up to h Δ/2. These are errors of the trajectory, not of one step:
    rtol^(2/3) times the sizes is allowed. The powers make the rule for an error of order 3 right for them.
    """
    Q, V, X, memory, event = arrays.Q, arrays.V, arrays.X, arrays.memory, event_of(arrays.F, arrays.K)
    if event == NONE:
        return 0.0
    rtol, floor = scheme.rtol ** (2.0 / 3.0), 0.0
    if scheme.atol == 0.0:
        floor = position_floor(Q, V, scheme.pace, memory)
    put_jump(0.125 * h * h, V, X)
    error, place = position_norm(Q, V, X, sizes.flat, scheme.spread, rtol, scheme.atol, floor, memory)
    arrays.counts[WORST_PLACE], arrays.counts[WORST_LEVEL] = place, OF_POSITION
    error = error**1.5
    if event == JUMPS:
        put_jump(0.5 * h, V, X)
        noise = unfelt(Q, EPSILON, scheme.pace, sizes.nv, memory)
        other, place = velocity_norm(V, X, scheme.pace, scheme.spread, rtol, scheme.atol, noise)
        if not other**3 <= error:
            error = other**3
            arrays.counts[WORST_PLACE], arrays.counts[WORST_LEVEL] = place, OF_VELOCITY
    return error


@step
def measure_rows(sizes, scheme, arrays):
    """L[REACH]: what the values of constraint rows and gaps are relative to."""
    floor = position_floor(arrays.Q, arrays.V, scheme.pace, arrays.memory)
    put_reach(arrays.T, arrays.J, sizes.end_C, sizes.end_B, arrays.Q, arrays.V, sizes.flat, scheme.spread, floor,
              arrays.memory, arrays.L)  # fmt: skip


@step
def unseen(system, linear, data, sizes, scheme, arrays, t1, h):
    """The scaled error of what depends on time alone, and is seen at the ends of a step only.

    A motion that is prescribed has no error there, however long the step. So forces, g_t, k and gap_t at (q1, v1) are
    looked at between t0 and t1: what differs there from a line, over θ(1 − θ)/2, is h² r̈, and h³ r̈/12 the error of the
    trapezoidal rule. θ is irrational, lest a period go unnoticed.
    """
    L, X, nv, counts = arrays.L, arrays.X, sizes.nv, arrays.counts
    t0, way = arrays.memory[TIME], h / (6.0 * BETWEEN * (1.0 - BETWEEN))
    clear(L, X)
    evaluate_prescribed(system, data, sizes, arrays, t0)
    add_prescribed(BETWEEN - 1.0, L, X, nv)
    evaluate_prescribed(system, data, sizes, arrays, t0 + BETWEEN * h)
    add_prescribed(1.0, L, X, nv)
    evaluate_prescribed(system, data, sizes, arrays, t1)
    add_prescribed(-BETWEEN, L, X, nv)
    scale_first(X, way)
    solve(linear, sizes, arrays, DYNAMICS, False)
    noise = unfelt(arrays.Q, EPSILON, scheme.pace, nv, arrays.memory)
    error, place = velocity_norm(arrays.V, X, scheme.pace, scheme.spread, scheme.rtol, scheme.atol, noise)
    counts[WORST_PLACE], counts[WORST_LEVEL] = place, OF_VELOCITY
    measure_rows(sizes, scheme, arrays)
    other, place = unseen_rows(way, scheme.rtol, scheme.atol, L, arrays.S, sizes.nb)
    if not other <= error:
        error = other
        counts[WORST_PLACE], counts[WORST_LEVEL] = place, OF_ROW
    return error


@step
def evaluate_prescribed(system, data, sizes, arrays, t):
    """The force in X[RHS], and g_t, k and gap_t in L[PROBE], at the new point and another time."""
    q, v, row, nv, ng, nb = arrays.Q[Q1], arrays.V[V1], arrays.L[PROBE], sizes.nv, sizes.ng, sizes.nb
    if sizes.multipliers_in_f:
        system.force(t, q, v, arrays.L[MU1], data, arrays.X[RHS, :nv])
    else:
        system.f(t, q, v, data, arrays.X[RHS, :nv])
    if ng > 0 and not sizes.scleronomic:
        system.g_t(t, q, data, row[:ng])
    if nb > ng:
        system.k(t, q, v, data, row[ng:nb])
    if sizes.m > nb and not sizes.scleronomic:
        system.gap_t(t, q, data, row[nb:])


@leaf
def clear(L, X):
    """Nothing yet in L[UNSEEN], L[PROBE] and X[SOLUTION]."""
    for i in range(L.shape[1]):
        L[UNSEEN, i] = 0.0
        L[PROBE, i] = 0.0
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0


@leaf
def add_prescribed(factor, L, X, nv):
    """L[UNSEEN] += factor L[PROBE], X[SOLUTION] += factor X[RHS]."""
    for i in range(L.shape[1]):
        L[UNSEEN, i] += factor * L[PROBE, i]
    for i in range(nv):
        X[SOLUTION, i] += factor * X[RHS, i]


@leaf
def scale_first(X, factor):
    """X[SOLUTION] *= factor."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] *= factor


@leaf
def unseen_rows(way, rtol, atol, L, S, nb):
    """(largest, its row) of the motions of rows that a step does not see, over what is allowed.

    Of an open contact that is what cannot close it.
    """
    largest, place = 0.0, 0
    for i in range(L.shape[1]):
        allowed = atol + rtol * L[REACH, i] + TINY
        if i >= nb and not S[SET_A, i]:
            allowed = max(allowed, 0.5 * min(L[GAP0, i], L[GAP, i]))
        error = way * abs(L[UNSEEN, i]) / allowed
        if not error <= largest:
            largest, place = error, i
    return largest, place


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
    """X[SOLUTION] = (M e, 0) with e = factor ((a1 − a0) − ratio (a0 − a_p))."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    for e in range(end_M):
        j = T[1, e]
        change = V[A_1, j] - V[A_HERE, j] - slope * V[VDOT1, j]
        if ratio > 0.0:
            change -= ratio * (V[A_0, j] - V[A_BEFORE, j])
        X[SOLUTION, T[0, e]] += factor * J[e] * change


@leaf
def sets_changed(S, nb):
    """Are the active sets others than in the step before?"""
    for k in range(N_SETS):
        for i in range(nb, S.shape[1]):
            if S[k, i] != S[LAST_STEP + k, i]:
                return True
    return False


@leaf
def keep_gaps(L, nb):
    """The gaps of the new point become those of the old one."""
    for i in range(nb, L.shape[1]):
        L[GAP0, i] = L[GAP, i]
