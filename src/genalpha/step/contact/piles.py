"""Many contacts that come and go among free bodies: every level of Algorithm 1 finds its own active set.

Where a few contacts settle their sets (55)-(57) together, one choice per iteration, the sets of a pile wake each other
up: a contact that one level lets go is missed by the next. Here the sets are nested as they are defined. Given B of the
iteration before, C is the set with which (65a, b) is complementary, λ ≥ 0 and g̈ap ≥ 0; then A that of (65d, e), and
within A the set B of (65g, h). Each is found by a primal-dual active set iteration on one linear problem, the
complementarity problem of the Delassus matrix, with the forces as they are.

A contact enters C when it has been closed without an impact for some steps. Until then impulses carry the weight, as in
strategy 2: forces that switch on and off with every impact would only wake the other levels. For the same reason C is
looked for once in a step, in the second iteration, when B is known, and in a few attempts: any C that does not pull is
legitimate, because what it gets wrong the impulses make up for. The first iteration takes the forces of the step before
as they are. As A depends on C alone, and B on A, the sets come to rest.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import step
from genalpha.math.delassus import WIDTH
from genalpha.step.contact.kernels import put_active_rows, release
from genalpha.step.contact.residuals import (
    evaluate_all_rows,
    residual_of_dynamics,
    rows_of_position,
    rows_of_velocity,
    slacks,
)
from genalpha.step.contact.slots import add_slot_forces, copy_set, drop_pulls, forecast, key_of, nest_sets, review
from genalpha.step.kernels import add_correction, add_step, correction_residual
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
from genalpha.step.values import Keys, Solved

PATIENCE = 3
"""After so many attempts that leave no fewer contacts wrong only one changes at a time, until fewer are: that comes to
an end (Júdice and Pires, Computers & Operations Research 21, 1994)."""

MOST = 40
"""Attempts of a level."""

HASTE = 2
"""Attempts of A and of B in the first iteration; the second one, with other forces, settles them."""

TRIES = 3
"""Attempts of C."""

ROUND_Q, ROUND_V = 64.0, 1e3
"""Round-off of what a pile holds together, over that of one contact: 2e-13 of the extent, 1e-11 of the speed."""


@step
def limits(scheme, arrays, h, level):
    """What counts as round-off at a level, and the speed of a gap that keeps a contact out of C."""
    slack_q, slack_v = slacks(arrays.memory)
    open_rate = 1e5 * slack_v if scheme.closing else 1e300
    slack = ROUND_Q * slack_q if level == SET_A else ROUND_V * slack_v
    return (slack / h if level == SET_C else slack), open_rate


@step
def entries_of(sizes, arrays):
    """Where the entries of the slots begin in J, and how many each has."""
    width = np.int64(arrays.plan[WIDTH])
    return sizes.end_B - sizes.slots * width, width


@step
def review_level(sizes, scheme, arrays, h, level, multiplier, r, single):
    """`review` of the slots."""
    begin, width = entries_of(sizes, arrays)
    slack, open_rate = limits(scheme, arrays, h, level)
    return review(arrays.T, arrays.J, begin, width, arrays.X, sizes.nv, arrays.L, arrays.S, sizes.m - sizes.slots,
                  level, multiplier, r, (scheme.beta, scheme.gamma, h), slack, open_rate,
                  single)  # fmt: skip


@step
def solve_piles(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets):
    """One iteration of Algorithm 1 in which every level finds its set; X holds the residual of (65a, b)."""
    V, L, X, r, t1 = arrays.V, arrays.L, arrays.X, scaling.r, stride.t1
    keys = Keys(0, 0, 0) if course.refresh else course.keys  # another tangent makes other matrices
    fresh, change, changes = course.iteration == 0, 0.0, 0
    if not fresh:
        attempts = TRIES if course.iteration == 1 and scheme.strategy == 3 else 1
        status, changes, key = settle_dynamics(
            system, linear, data, sizes, scheme, arrays, stride, scaling, attempts, keys.dynamics
        )
        keys = Keys(key, keys.velocity, keys.position)
        if status != OK:
            return Solved(status, 0.0, 0.0, changes, keys)
        change = add_step(X, r, V, VDOT1, L, MU1)
    move(system, data, sizes, scheme, arrays, stride)
    system.gap(t1, arrays.Q[Q1], data, L[GAP, sizes.nb :])
    rows_of_position(system, data, sizes, arrays, t1)
    changes += guess_touching(sizes, scheme, arrays, stride.h) if fresh else 0
    status, found, keys = settle_correction(linear, sizes, scheme, arrays, stride, scaling, SET_A, fresh, keys)
    changes += found
    if status != OK:
        return Solved(status, 0.0, 0.0, changes, keys)
    if not sizes.flat:
        system.untwist(V[DELTA], data, X[SOLUTION, : sizes.nv])
    way = add_correction(X, r, V, U, DELTA, L, NU)
    put_position(system, data, sizes, arrays)
    evaluate_all_rows(system, data, sizes, arrays, t1)
    changes += nest_sets(L, arrays.S, sizes.m - sizes.slots, False)
    release(L, arrays.S, stride.h)
    rows_of_velocity(system, data, sizes, scheme, arrays, t1)
    changes += copy_set(arrays.S, SET_A, SET_B, sizes.m - sizes.slots) if fresh else 0
    status, found, keys = settle_correction(linear, sizes, scheme, arrays, stride, scaling, SET_B, fresh, keys)
    jump = add_correction(X, r, V, W, V1, L, BIG_LAM)
    return Solved(status, max(stride.c7 * change, stride.to_velocity * way, jump), way, changes + found, keys)


@step
def guess_touching(sizes, scheme, arrays, h):
    """A guess of A before anything is solved, from the gaps in L[ROWS]; gives the number of changes."""
    L, S, (begin, width) = arrays.L, arrays.S, entries_of(sizes, arrays)
    changes = forecast(arrays.T, arrays.J, sizes.end_M, begin, width, arrays.X, sizes.nv, L, S, sizes.m - sizes.slots,
                       (scheme.beta, scheme.gamma, h))  # fmt: skip
    release(L, S, h)
    return changes


@step
def settle_dynamics(system, linear, data, sizes, scheme, arrays, stride, scaling, attempts, key):
    """(65a, b) with the set C; X holds its residual. Gives (status, changes, key of the factorised set).

    From the last attempt on no contact enters, and those that pull leave: η would carry the pull into the next steps,
    where no impulse makes up for it.
    """
    changes, t1, r = 0, stride.t1, scaling.r
    for attempt in range(attempts + sizes.slots):
        wanted = key_of(arrays.S, SET_C)
        if wanted != key:
            status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, scaling)
            if status != OK:
                return status, changes, key
            key = wanted
        status = solve(linear, sizes, arrays, DYNAMICS, False)
        if status != OK:
            return status, changes, key
        if attempt < attempts - 1:
            wrong = review_level(sizes, scheme, arrays, stride.h, SET_C, MU1, r, False)
        else:
            slack, _ = limits(scheme, arrays, stride.h, SET_C)
            wrong = drop_pulls(arrays.X, sizes.nv, arrays.L, arrays.S, sizes.m - sizes.slots, r, slack)
        if wrong == 0:
            break
        changes += wrong
        release(arrays.L, arrays.S, stride.h)
        system.f(t1, arrays.Q[Q1], arrays.V[V1], data, arrays.X[SOLUTION, : sizes.nv])
        residual_of_dynamics(system, data, sizes, scheme, arrays, t1, stride.c7, scaling.r_row)
    return OK, changes, key


@step
def settle_correction(linear, sizes, scheme, arrays, stride, scaling, level, fresh, keys):
    """(65d, e) with the set A, or (65g, h) with B; the rows are in L[ROWS].

    Gives (status, changes, keys of the factorised sets). ``fresh``: the first of a step, of which the set is a guess.
    """
    changes, fewest, waits = 0, sizes.m, 0
    total, multiplier = (U, NU) if level == SET_A else (W, BIG_LAM)
    for _ in range(HASTE if fresh else MOST):
        put_correction(sizes, arrays, total, multiplier, level, scaling.r)
        status, matrix, keys = matrix_of_set(linear, sizes, arrays, scaling, level, keys)
        if status != OK:
            return status, changes, keys
        status = solve(linear, sizes, arrays, matrix, False)
        wrong = review_level(sizes, scheme, arrays, stride.h, level, multiplier, scaling.r, waits >= PATIENCE)
        if status != OK or wrong == 0:
            return status, changes, keys
        changes += wrong
        fewest, waits = (wrong, 0) if wrong < fewest else (fewest, waits + 1)
        release(arrays.L, arrays.S, stride.h)
    return OK, changes, keys


@step
def matrix_of_set(linear, sizes, arrays, scaling, level, keys):
    """A matrix that is factorised with the set of this level; gives (status, matrix, keys of the factorised sets).

    The two corrections have the same matrix, and so have the dynamics, if it is shared.
    """
    wanted = key_of(arrays.S, level)
    if scaling.shared and wanted == keys.dynamics:
        return OK, DYNAMICS, keys
    if wanted == keys.velocity:
        return OK, VELOCITY_MATRIX, keys
    if wanted == keys.position:
        return OK, POSITION_MATRIX, keys
    status = build_correction(linear, sizes, arrays, level, scaling.r)
    if status == OK and level == SET_A:
        keys = Keys(keys.dynamics, keys.velocity, wanted)
    elif status == OK:
        keys = Keys(keys.dynamics, wanted, keys.position)
    return status, level, keys


@step
def put_correction(sizes, arrays, total, multiplier, level, r):
    """Right-hand side of a correction in X; its rows are in L[ROWS]."""
    L, X, (begin, width) = arrays.L, arrays.X, entries_of(sizes, arrays)
    correction_residual(arrays.T, arrays.J, sizes.end_M, sizes.end_C, begin, arrays.V, total, L, multiplier, X)
    add_slot_forces(arrays.T, arrays.J, begin, width, L, sizes.m - sizes.slots, multiplier, X)
    put_active_rows(L, arrays.S, level, -r, X, sizes.nv)
