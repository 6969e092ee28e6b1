"""Many contacts that come and go among free bodies: every level of Algorithm 1 finds its own active set.

Where a few contacts settle their sets (55)-(57) together, one choice per iteration, the sets of a pile wake each other
up: a contact that one level lets go is missed by the next. Here the sets are nested as they are defined. Given B of the
iteration before, C is the set with which (65a, b) is complementary, λ ≥ 0 and g̈ap ≥ 0; then A that of (65d, e), and
within A the set B of (65g, h). Each is found by a primal-dual active set iteration on one linear problem, the
complementarity problem of the Delassus matrix, with the forces as they are: it takes one to seven factorisations.

A contact enters C when it has been closed without an impact for some steps. Until then impulses carry the weight, as in
strategy 2: forces that switch on and off with every impact would only wake the other levels. For the same reason none
enters C after the second iteration; as A depends on C alone, and B on A, the sets then come to rest.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf, step
from genalpha.math.delassus import WIDTH
from genalpha.step.alpha import move
from genalpha.step.contacts import release
from genalpha.step.kernels import add_correction, add_step, displace
from genalpha.step.newton import build_correction, build_dynamics, solve
from genalpha.step.residuals import (
    evaluate_all_rows,
    residual_of_dynamics,
    residual_of_position,
    residual_of_velocity,
    slacks,
)
from genalpha.step.state import (
    CALM,
    DELTA,
    DYNAMICS,
    ETA1,
    ETA_HERE,
    GAP,
    LAM,
    LAM0,
    MASS,
    MU1,
    NU,
    NU0,
    OK,
    POSITION_MATRIX,
    Q0,
    Q1,
    RATE,
    RESIDUAL,
    ROWS,
    SCRATCH,
    SOLUTION,
    STAR,
    V1,
    VDOT1,
    VELOCITY_MATRIX,
    U,
    W,
)

CALM_STEPS = 3
"""Contacts of a pile enter C after so many steps."""

AT_ONCE = 12
"""After so many attempts only one contact changes at a time."""

MOST = 40
"""Attempts of a level."""

SWEEPS = 16
"""Of Gauss-Seidel, for the first guess of a set."""

REACH = 4.0
"""What is further away than so many times the largest violation is not reached."""

ENTRIES = 2
"""Iterations of a step in which contacts may enter C."""

ROUND_Q, ROUND_V = 64.0, 1e3
"""Round-off of what a pile holds together, over that of one contact: 2e-13 of the extent, 1e-11 of the speed."""


@leaf
def nest_sets(L, S, first, barred):
    """C ⊂ B ⊂ A, and no C if it is barred; gives the number of changes, −1 if a gap is no number."""
    changes = 0
    for i in range(first, L.shape[1]):
        if not abs(L[GAP, i]) < 1e300:
            return -1
        if S[VELOCITY_MATRIX, i] and not S[POSITION_MATRIX, i]:
            S[VELOCITY_MATRIX, i] = 0
            changes += 1
        if S[DYNAMICS, i] and (barred or not S[VELOCITY_MATRIX, i]):
            S[DYNAMICS, i] = 0
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
def smooth_share(L, S, i, level, beta, gamma, h):
    """What η contributes to ν* and Λ*; its pull counts only where λ makes it."""
    share = 0.0
    if level == POSITION_MATRIX:
        share = h * h * ((0.5 - beta) * L[ETA_HERE, i] + beta * L[ETA1, i])
    elif level == VELOCITY_MATRIX:
        share = h * ((1.0 - gamma) * L[ETA_HERE, i] + gamma * L[ETA1, i])
    return share if S[DYNAMICS, i] else max(share, 0.0)


@leaf
def review(T, J, begin, end, X, n, L, S, first, level, multiplier, r, share, slack, open_rate, single):
    """Let contacts go that would pull, and take those in that would be violated; gives the number of changes.

    X holds the solution, L[ROWS] the rows before it; L[STAR] is scratch. ``share`` holds (β, γ, h); ``open_rate``: what
    opens faster than this stays out of C, negative: nothing is taken into C.
    """
    for i in range(first, L.shape[1]):
        L[STAR, i] = L[ROWS, i]
    for e in range(begin, end):
        L[STAR, T[0, e]] += J[e] * X[SOLUTION, T[1, e]]
    changes = 0
    for i in range(L.shape[1] - 1, first - 1, -1):
        if S[level, i]:
            total = (
                L[multiplier, i] - r * X[SOLUTION, n + i] + smooth_share(L, S, i, level, share[0], share[1], share[2])
            )
            wanted = total >= -L[MASS, i] * slack
        else:
            wanted = L[STAR, i] < -slack and may_enter(L, S, i, level, open_rate)
        if wanted != (S[level, i] == 1):
            S[level, i] = 1 - S[level, i]
            changes += 1
            if single:
                break
    return changes


@leaf
def forecast(T, J, end_M, end_B, width, X, n, L, S, first, level, multiplier, before, share):
    """A guess of the set A or B before anything is solved, by some sweeps of projected Gauss-Seidel.

    They begin with the multipliers of the step before. L[STAR] holds multipliers, two rows of X the masses and motions.
    """
    for e in range(end_M):
        if T[0, e] == T[1, e]:
            X[RESIDUAL, T[0, e]] = 1.0 / J[e]
    for c in range(n):
        X[SCRATCH, c] = 0.0
    begin, worst = end_B - (L.shape[1] - first) * width, 0.0
    for i in range(first, L.shape[1]):
        worst = min(worst, L[ROWS, i])
        L[STAR, i] = L[multiplier, i] + smooth_share(L, S, i, level, *share)
        if S[level, i] and L[before, i] > 0.0:
            push_bodies(T, J, begin + (i - first) * width, width, L[before, i] - L[STAR, i], X)
            L[STAR, i] = L[before, i]
    for sweep in range(SWEEPS):
        for k in range(first, L.shape[1]):
            i = k if sweep % 2 == 0 else L.shape[1] - 1 - k + first
            if (L[STAR, i] == 0.0 and L[ROWS, i] > -REACH * worst) or not may_enter(L, S, i, level, 0.0):
                continue
            e = begin + (i - first) * width
            row = L[ROWS, i]
            for j in range(width):
                row += J[e + j] * X[SCRATCH, T[1, e + j]]
            change = max(L[STAR, i] - L[MASS, i] * row, 0.0) - L[STAR, i]
            if change != 0.0:
                L[STAR, i] += change
                push_bodies(T, J, e, width, change, X)
    changes = 0
    for i in range(first, L.shape[1]):
        wanted = 1 if L[STAR, i] > 0.0 and may_enter(L, S, i, level, 0.0) else 0
        if S[level, i] != wanted:
            S[level, i] = wanted
            changes += 1
    return changes


@leaf
def push_bodies(T, J, e, width, force, X):
    """Move the bodies of a slot, whose entries begin at e."""
    for j in range(width):
        X[SCRATCH, T[1, e + j]] += X[RESIDUAL, T[1, e + j]] * J[e + j] * force


@leaf
def may_enter(L, S, i, level, open_rate):
    """B lies within A, and C within B; a contact enters C when it is calm and does not open."""
    if level == VELOCITY_MATRIX:
        return S[POSITION_MATRIX, i] == 1
    if level == DYNAMICS:
        return S[VELOCITY_MATRIX, i] == 1 and L[RATE, i] <= open_rate and L[CALM, i] >= CALM_STEPS
    return True


@step
def limits(scheme, arrays, h, level, barred):
    """What counts as round-off at a level, and the speed of a gap that keeps a contact out of C."""
    slack_q, slack_v = slacks(arrays.memory)
    open_rate = -1e300 if barred else 1e5 * slack_v if scheme.closing else 1e300
    slack = ROUND_Q * slack_q if level == POSITION_MATRIX else ROUND_V * slack_v
    return (slack / h if level == DYNAMICS else slack), open_rate


@step
def review_level(sizes, scheme, arrays, h, level, multiplier, r, barred, attempt):
    """`review` of the slots."""
    slack, open_rate = limits(scheme, arrays, h, level, barred)
    share = (scheme.beta, scheme.gamma, h)
    return review(arrays.T, arrays.J, sizes.end_K, sizes.end_B, arrays.X, sizes.nv, arrays.L, arrays.S,
                  sizes.m - sizes.slots, level, multiplier, r, share, slack, open_rate, attempt >= AT_ONCE)  # fmt: skip


@step
def settle_dynamics(system, linear, data, sizes, scheme, arrays, t1, h, c7, c8, r, r_row, barred, key):
    """(65a, b) with the set C; X holds its residual. Gives (status, changes, key of the factorised set)."""
    changes = 0
    for attempt in range(MOST):
        wanted = key_of(arrays.S, DYNAMICS)
        if wanted != key:
            status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, c7, c8, r, r_row)
            if status != OK:
                return status, changes, key
            key = wanted
        status = solve(linear, sizes, arrays, DYNAMICS, False)
        found = review_level(sizes, scheme, arrays, h, DYNAMICS, MU1, r, barred, attempt)
        if status != OK or found == 0:
            return status, changes, key
        changes += found
        release(arrays.L, arrays.S, h)
        system.f(t1, arrays.Q[Q1], arrays.V[V1], data, arrays.X[SOLUTION, : sizes.nv])
        residual_of_dynamics(system, data, sizes, scheme, arrays, t1, c7, r_row)
    return OK, changes, key


@step
def settle_correction(system, linear, data, sizes, scheme, arrays, t1, h, r, level, shared, fresh, keys):
    """(65d, e) with the set A, or (65g, h) with B; gives (status, changes, keys of the factorised sets).

    ``fresh``: the first of a step, which begins with a guess.
    """
    S, changes = arrays.S, 0
    key_d, key_v, key_p = keys
    multiplier, before = (NU, NU0) if level == POSITION_MATRIX else (LAM, LAM0)
    for attempt in range(MOST):
        if level == POSITION_MATRIX:
            residual_of_position(system, data, sizes, arrays, t1, r)
        else:
            residual_of_velocity(system, data, sizes, arrays, t1, r)
        if attempt == 0 and fresh:
            changes += forecast(arrays.T, arrays.J, sizes.end_M, sizes.end_B, np.int64(arrays.plan[WIDTH]), arrays.X,
                                sizes.nv, arrays.L, S, sizes.m - sizes.slots, level, multiplier, before,
                                (scheme.beta, scheme.gamma, h))  # fmt: skip
            release(arrays.L, S, h)
            if level == POSITION_MATRIX:
                residual_of_position(system, data, sizes, arrays, t1, r)
            else:
                residual_of_velocity(system, data, sizes, arrays, t1, r)
        wanted = key_of(S, level)
        slot = DYNAMICS if shared and wanted == key_d else level
        if slot == level:
            # the two corrections have the same matrix
            slot = VELOCITY_MATRIX if wanted == key_v else POSITION_MATRIX if wanted == key_p else level
            if wanted != key_v and wanted != key_p:
                status = build_correction(linear, sizes, arrays, level, r)
                if status != OK:
                    return status, changes, (key_d, key_v, key_p)
                if level == POSITION_MATRIX:
                    key_p = wanted
                else:
                    key_v = wanted
        status = solve(linear, sizes, arrays, slot, False)
        found = review_level(sizes, scheme, arrays, h, level, multiplier, r, False, attempt)
        if status != OK or found == 0:
            return status, changes, (key_d, key_v, key_p)
        changes += found
        release(arrays.L, S, h)
    return OK, changes, (key_d, key_v, key_p)


@step
def pile_iteration(
    system, linear, data, sizes, scheme, arrays, t1, h, slope, c7, c8, r, r_row, shared, barred, iteration, keys
):
    """One iteration of Algorithm 1; X holds the residual of (65a, b).

    Gives (status, sizes of Δv̇, ΔU and ΔW, changes of the sets, keys of the factorised sets).
    """
    Q, V, L, X = arrays.Q, arrays.V, arrays.L, arrays.X
    (key_d, key_v, key_p), fresh = keys, iteration == 0
    status, changes, key_d = settle_dynamics(
        system, linear, data, sizes, scheme, arrays, t1, h, c7, c8, r, r_row, barred or iteration >= ENTRIES, key_d
    )
    if status != OK:
        return status, 0.0, 0.0, 0.0, changes, (key_d, key_v, key_p)
    change = add_step(X, r, V, VDOT1, L, MU1)
    move(system, data, sizes, scheme, arrays, slope, h)
    system.gap(t1, Q[Q1], data, L[GAP, sizes.nb :])
    status, found, keys = settle_correction(
        system, linear, data, sizes, scheme, arrays, t1, h, r, POSITION_MATRIX, shared, fresh, (key_d, key_v, key_p)
    )
    changes += found
    if status != OK:
        return status, change, 0.0, 0.0, changes, keys
    if not sizes.flat:
        system.untwist(V[DELTA], data, X[SOLUTION, : sizes.nv])
    way = add_correction(X, r, V, U, DELTA, L, NU)
    if sizes.flat:
        displace(Q, V)
    else:
        system.update(Q[Q0], V[DELTA], data, Q[Q1])
    evaluate_all_rows(system, data, sizes, arrays, t1)
    changes += nest_sets(L, arrays.S, sizes.m - sizes.slots, False)
    release(L, arrays.S, h)
    status, found, keys = settle_correction(
        system, linear, data, sizes, scheme, arrays, t1, h, r, VELOCITY_MATRIX, shared, fresh, keys
    )
    jump = add_correction(X, r, V, W, V1, L, LAM)
    return status, change, way, jump, changes + found, keys
