"""The nonsmooth generalized-α method of paper 002: formulations PVA (strategies 1-3) and PVV, with active sets.

The discrete equations at t1 are those of `alpha`, each level with its set of active rows: (65b) with C, (65e) with A,
(65h) with B; bilateral rows are always in A and B, and in C unless strategy 1 leaves them out. New are

    N v1 + gap_t = u1 as the law of impact says, `law`, in B              (65h)
    multipliers of rows outside of their set are zero                   (65c, f, i)
    Λ* = Λ + h ((1 − γ) η0 + γ η1)                                      (65m)
    (1 − α_m) η1 + α_m η0 = (1 − α_f) λ1 + α_f λ0                       (65o)
    A: ν* − r gap ≥ 0,  B: in A and Λ* − r (ġap1 − u1) ≥ 0,  C: in B and λ − r g̈ap ≥ 0    (55)-(57)

with h²(½ − β) for the misprinted h²(1 − β) in ν*. PVV takes the bilateral rows of (65b) at the velocity level of the
smooth motion, G (v1 − W) + g_t = 0, and no contacts. Nonholonomic rows belong to B and C.

The sets are evaluated once per iteration, at its beginning. A step is accepted when the iteration has settled and the
sets at its result are those it was made with. Sets that come back (cycles) are resolved in this order: r times ten, up
to three times, and gaps of round-off stay open if they are; no contacts in C for the rest of the step, which any choice
of C allows; one contact at a time.
"""

from __future__ import annotations

from genalpha.jit import step
from genalpha.math.linear import factorise_with, mean_diagonal, substitute_with
from genalpha.step.accepted import accept_contacts
from genalpha.step.alpha import (
    EPSILON,
    begin,
    choose_matrices,
    evaluate_dynamics,
    evaluate_tangent,
    judge,
    level_factor,
    move,
    start_slope,
    weights,
)
from genalpha.step.contacts import (
    bar_contacts,
    choose_sets,
    effective_mass,
    largest_push,
    move_acceleration,
    put_gradient,
    release,
    same_rows,
    seen_before,
    smooth_multipliers,
    total_impulses,
)
from genalpha.step.coupled import add_coupled, put_compliances, put_coupled, scatter_coupled
from genalpha.step.kernels import (
    accept,
    accept_corrections,
    add_correction,
    add_dynamics,
    add_step,
    copy_rows,
    displace,
    largest_of,
    largest_of_two,
    largest_product,
    rates_of_terms,
    rows_are_below,
)
from genalpha.step.newton import RELAXATION_OF_CONTACTS, build_correction, build_dynamics, solve
from genalpha.step.piles import pile_iteration
from genalpha.step.residuals import (
    evaluate_all_rows,
    evaluate_gaps,
    residual_of_dynamics,
    residual_of_position,
    residual_of_velocity,
    slacks,
)
from genalpha.step.slots import nest_sets
from genalpha.step.state import (
    ACCELERATION,
    BIG_LAM,
    CONTRACTION,
    COUPLED,
    COUPLED_WANTED,
    CYCLES,
    DELTA,
    DYNAMICS,
    FACTORISATIONS,
    GAP,
    HISTORY,
    LARGEST_EXTENT,
    LARGEST_SPEED,
    LAST_B,
    LOG_FULL,
    LOGGED,
    MU1,
    N_SEEN,
    NEWTON,
    NOT_CONVERGED,
    NOT_FINITE,
    NU,
    OK,
    POSITION_MATRIX,
    Q0,
    Q1,
    Q_UNIT,
    REGULARISED,
    RHS,
    ROW_SCALE,
    ROWS,
    SCRATCH,
    SET_A,
    SET_B,
    SET_C,
    SHARED,
    SOLUTION,
    STEP_SIZE,
    STEPS,
    TANGENT_AGE,
    V0,
    V1,
    V_UNIT,
    VDOT0,
    VDOT1,
    VELOCITY_MATRIX,
    U,
    W,
)
from genalpha.step.tails import cut_tails

MOST_POLISH = 3
"""Iterations at most in a step with an impact, after it has settled, until velocities hold to round-off."""


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    V, L, S, X, memory, counts = arrays.V, arrays.L, arrays.S, arrays.X, arrays.memory, arrays.counts
    if counts[LOGGED] + 2 * (sizes.m - sizes.nb) > arrays.log.shape[0]:
        return LOG_FULL
    slope, c7, c8, c9, to_velocity = weights(scheme, counts, h)
    speed, acceleration = largest_of_two(V, V0, V_UNIT, V, VDOT0, V_UNIT)
    extent = largest_product(arrays.Q[Q0], arrays.Q[Q_UNIT], arrays.Q.shape[1])
    speed = max(speed, h * acceleration)
    memory[LARGEST_EXTENT] = max(memory[LARGEST_EXTENT], extent + h * speed)  # of states, not of wild iterates
    contraction, scale, before, error, way = 1.1 * memory[CONTRACTION], 0.0, 0.0, 0.0, 0.0
    r, r_row, shared = 1.0, 1.0, False
    v_matrix, p_matrix = VELOCITY_MATRIX, POSITION_MATRIX
    factor, stage, settled, unsteady, polished, coupled = 1.0, 0, False, False, 0, scheme.coupled == 1
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    barred = scheme.strategy < 3
    waking, keys = 0, (0, 0, 0)  # of pairs that come and go: changes of their sets, and sets that were factorised

    lag = h / memory[STEP_SIZE] if counts[STEPS] > 0 else 0.0
    ratio = 0.0 if scheme.by_residual or counts[HISTORY] == 0 else lag
    begin(sizes, scheme, arrays, slope, ratio)
    if ratio == 0.0 and lag > 0.0 and slope == 0.0 and (scheme.by_residual or lag != 1.0):
        move_acceleration(V, lag)
    move(system, data, sizes, scheme, arrays, slope, h)
    evaluate_all_rows(system, data, sizes, arrays, t1)
    counts[N_SEEN] = 0
    for iteration in range(scheme.max_iter + 1):
        # everything at this iterate, and the sets
        evaluate_dynamics(system, data, sizes, scheme, arrays, t1)
        evaluate_gaps(system, data, sizes, scheme, arrays, t1, slope, lag)
        if iteration == 0:
            if weigh_contacts(linear, sizes, arrays):
                system.f(t1, arrays.Q[Q1], V[V1], data, X[SOLUTION, : sizes.nv])  # X was used for something else
            # a contact that rests has no velocity to measure by, only the one that its force takes away
            speed = max(speed, h * largest_push(L, sizes.nb))
            memory[LARGEST_SPEED] = max(memory[LARGEST_SPEED], speed)
            scale = max(speed, 1e-3 * memory[LARGEST_SPEED])
        changes = find_sets(sizes, scheme, arrays, h, factor, stage)
        if sizes.slots > 0 and changes >= 0:
            nested = nest_sets(L, S, sizes.m - sizes.slots, barred or stage >= 5)
            changes = nested if nested < 0 else changes + nested + waking
        if changes < 0:
            return NOT_FINITE
        changed = changes > 0
        if changed or iteration == 0:
            stage = resolve_cycle(sizes, arrays, iteration, stage)
            factor = 10.0 ** min(stage, 3)
        released = release(L, S, h)
        build = iteration == 0 or refresh or changed
        if refresh:
            evaluate_tangent(system, data, sizes, arrays, t1, VDOT1)
        if refresh or (build and ratio != 1.0):
            choose_matrices(sizes, scheme, arrays, c7, c8)
        if refresh:
            keys = (0, 0, 0)
        refresh = False
        r, shared = memory[ROW_SCALE], memory[SHARED] > 0.0
        r_row = r if scheme.scaling else level_factor(scheme, c7, c8)
        rows = residual_of_dynamics(system, data, sizes, scheme, arrays, t1, c7, r_row)
        if scheme.by_residual:
            force = max(released, largest_of(X, SOLUTION, 0, sizes.nv))
            settled = residuals_pass(system, data, sizes, scheme, arrays, t1, h, force, rows)
        if settled and not changed and not scheme.by_residual and sizes.slots == 0 and iteration < scheme.max_iter:
            # velocities are left with what the last correction changed in the rows: an impact must not gain by it
            if polished < (MOST_POLISH if unsteady else int(coupled and sizes.nb > 0)):
                polished += 1
                settled = velocities_hold(system, data, sizes, scheme, arrays, t1, 1e-14 if unsteady else 1e-13)
        if settled and (scheme.by_residual or not changed):
            if counts[REGULARISED] and not rows_hold(system, data, sizes, scheme, arrays, t1, h):
                return NOT_CONVERGED
            # other sets have another contraction, which the next step has to find
            memory[CONTRACTION] = 1.0 if unsteady else min(max(contraction, 0.1 * memory[CONTRACTION]), 1.0)
            status = finish(linear, sizes, scheme, arrays, c7, c8, c9, r, r_row, coupled)
            smooth_multipliers(scheme.alpha_m, scheme.alpha_f, slope, lag, L, sizes.nb)
            total_impulses(scheme.gamma, h, L, sizes.nb)
            if status == OK and scheme.closing:
                status = cut_tails(linear, sizes, arrays)
            return status
        if iteration == scheme.max_iter:
            return NOT_CONVERGED
        if coupled and arrays.Y.shape[1] == 0:
            return COUPLED_WANTED
        counts[NEWTON] += 1

        if coupled:
            counts[COUPLED] += 1
            status, change, way, jump = coupled_step(system, linear, data, sizes, scheme, arrays, t1, c7, c8, r, r_row)
            if status != OK:
                return status
            error = max(c7 * change, to_velocity * way, jump)
            move(system, data, sizes, scheme, arrays, slope, h)
            evaluate_all_rows(system, data, sizes, arrays, t1)
        elif sizes.slots > 0:
            status, change, way, jump, waking, keys = pile_iteration(
                system, linear, data, sizes, scheme, arrays, t1, h, slope, c7, c8, r, r_row, shared, barred, iteration,
                keys,
            )  # fmt: skip
            if status != OK:
                return status
            error = max(c7 * change, to_velocity * way, jump)
        else:
            # Algorithm 1: (65a, b) for v̇ and μ, (65d, e) for U and ν, (65g, h) for W and Λ
            if build:
                v_matrix = DYNAMICS if shared and same_rows(S, SET_C, SET_B) else VELOCITY_MATRIX
                p_matrix = v_matrix if same_rows(S, SET_B, SET_A) else POSITION_MATRIX
                status = build_matrices(linear, sizes, scheme, arrays, c7, c8, r, r_row, v_matrix, p_matrix)
                if status != OK:
                    return status
            status = solve(linear, sizes, arrays, DYNAMICS, build)
            if status != OK:
                return status
            error = c7 * add_step(X, r, V, VDOT1, L, MU1)
            move(system, data, sizes, scheme, arrays, slope, h)
            way = correct_position(system, linear, data, sizes, arrays, t1, r, p_matrix)
            error = max(error, to_velocity * way)
            evaluate_all_rows(system, data, sizes, arrays, t1)
            error = max(error, correct_velocity(system, linear, data, sizes, scheme, arrays, t1, r, v_matrix))

        if not error < 1e300:
            return NOT_FINITE
        # a contraction is measured between iterations with the same sets only, and not trusted in steps with impacts,
        # but for piles, which have impacts all the time; their first iteration leaves out the forces
        unsteady = unsteady or changed or (coupled and not scheme.coupled)
        first = 1 if sizes.slots > 0 else 0
        comparable = not changed and iteration > first
        settled, contraction, refresh = judge(
            sizes, scheme, arrays, iteration if comparable else 0, error, before, 1.0 if unsteady else contraction,
            EPSILON if sizes.slots > 0 or not unsteady else 1.0, way, scale, to_velocity,
        )  # fmt: skip
        settled = settled and iteration >= first
        if scheme.hand_over and comparable and error > 0.1 * before and not settled:
            coupled = True  # Algorithm 1 stalls
        before = error
    return NOT_CONVERGED


@step
def complete(sizes, scheme, arrays, t1, h):
    """The new point becomes the old one."""
    slope = start_slope(scheme, arrays.counts)
    kept = accept_contacts(arrays.L, arrays.S, t1, h, arrays.log, sizes.nb, arrays.memory, arrays.counts)
    accept(arrays.Q, arrays.V, arrays.L, slope, t1, h, arrays.memory, arrays.counts)
    accept_corrections(arrays.V, arrays.L)
    if not kept:
        arrays.counts[HISTORY] = 0  # nothing is extrapolated over a change of the active sets


@step
def resolve_cycle(sizes, arrays, iteration, stage):
    """The stage that follows if the sets were there before in this step; see the module's docstring."""
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
def find_sets(sizes, scheme, arrays, h, factor, stage):
    """`choose_sets`, with what counts as round-off; gives the number of contacts that changed.

    Pairs that come and go are left to `piles`.
    """
    slack_q, slack_v = slacks(arrays.memory)
    last = sizes.m - sizes.slots
    strategy = 2 if stage >= 4 else scheme.strategy
    return choose_sets(scheme.beta, scheme.gamma, h, factor, scheme.r, strategy, scheme.closing, stage >= 1, stage >= 5,
                       slack_q, slack_v, arrays.L, arrays.S, sizes.nb, last)  # fmt: skip


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
def build_matrices(linear, sizes, scheme, arrays, c7, c8, r, r_row, v_matrix, p_matrix):
    """Factorise the matrix of the dynamics and those of the corrections that are not the same."""
    status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, c7, c8, r, r_row)
    if status == OK and v_matrix == VELOCITY_MATRIX:
        status = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, r)
    if status == OK and p_matrix == POSITION_MATRIX:
        status = build_correction(linear, sizes, arrays, POSITION_MATRIX, r)
    return status


@step
def correct_position(system, linear, data, sizes, arrays, t1, r, matrix):
    """One Newton step of (65d, e) for U and ν; gives the largest change of U."""
    Q, V, L = arrays.Q, arrays.V, arrays.L
    if sizes.m > sizes.nb:
        system.gap(t1, Q[Q1], data, L[GAP, sizes.nb :])
    residual_of_position(system, data, sizes, arrays, t1, r)
    solve(linear, sizes, arrays, matrix, False)
    if not sizes.flat:
        system.untwist(V[DELTA], data, arrays.X[SOLUTION, : sizes.nv])
    way = add_correction(arrays.X, r, V, U, DELTA, L, NU)
    if sizes.flat:
        displace(Q, V)
    else:
        system.update(Q[Q0], V[DELTA], data, Q[Q1])
    return way


@step
def correct_velocity(system, linear, data, sizes, scheme, arrays, t1, r, matrix):
    """One Newton step of (65g, h) for W and Λ; gives the largest change of W."""
    residual_of_velocity(system, data, sizes, scheme, arrays, t1, r)
    solve(linear, sizes, arrays, matrix, False)
    return add_correction(arrays.X, r, arrays.V, W, V1, arrays.L, BIG_LAM)


@step
def coupled_step(system, linear, data, sizes, scheme, arrays, t1, c7, c8, r, r_row):
    """One Newton step for all unknowns at once; gives (status, sizes of Δv̇, ΔU, ΔW). X has the residual of (65a, b)."""
    X, A3, X3, plan3, pivots3 = arrays.X, arrays.A3, arrays.X3, arrays.plan3, arrays.pivots3
    put_coupled(X, X3, sizes.nv, sizes.m, 0)
    residual_of_position(system, data, sizes, arrays, t1, r)
    put_coupled(X, X3, sizes.nv, sizes.m, 1)
    residual_of_velocity(system, data, sizes, scheme, arrays, t1, r)
    put_coupled(X, X3, sizes.nv, sizes.m, 2)
    relax = 0.0
    if arrays.counts[REGULARISED]:
        put_compliances(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, X, sizes.nv)
        relax = RELAXATION_OF_CONTACTS * r * r_row
    scatter_coupled(arrays.Y, arrays.J, arrays.S, arrays.L, c7, c8, r, r_row, relax, X[SCRATCH, sizes.nv :], A3)
    arrays.counts[FACTORISATIONS] += 1
    status = factorise_with(linear, plan3, A3, 0, pivots3)
    if status != OK:
        return status, 0.0, 0.0, 0.0
    substitute_with(linear, plan3, A3, 0, pivots3, X3, 0)
    change, way, jump = add_coupled(X3, r, arrays.V, arrays.L)
    return OK, change, way, jump


@step
def velocities_hold(system, data, sizes, scheme, arrays, t1, limit):
    """Do the active rows hold at the velocity level to ``limit`` times the largest speed? X is kept."""
    copy_rows(arrays.X, SOLUTION, RHS, arrays.X.shape[1])
    velocity = residual_of_velocity(system, data, sizes, scheme, arrays, t1, 1.0)
    copy_rows(arrays.X, RHS, SOLUTION, arrays.X.shape[1])
    return velocity <= limit * arrays.memory[LARGEST_SPEED]


@step
def rows_hold(system, data, sizes, scheme, arrays, t1, h):
    """Do the active rows hold at the position and the velocity level? Regularised rows that contradict do not.

    The iteration ends for them in a compromise. X keeps the residual of the dynamics.
    """
    L, X, n, ng, last = arrays.L, arrays.X, sizes.nv, sizes.ng, arrays.X.shape[1]
    extent, speed = arrays.memory[LARGEST_EXTENT], arrays.memory[LARGEST_SPEED]
    copy_rows(X, SOLUTION, RHS, last)
    rates_of_terms(arrays.T, arrays.J, sizes.end_C, sizes.end_G, h, arrays.V, L, ng, X, n)
    residual_of_position(system, data, sizes, arrays, t1, 1.0)
    hold = rows_are_below(L, ROWS, ng, 1e-9, 1e-9 * h, X, n)
    hold = hold and largest_of(X, SOLUTION, n + ng, last) <= 1e-9 * max(extent, h * speed)
    residual_of_velocity(system, data, sizes, scheme, arrays, t1, 1.0)
    hold = hold and rows_are_below(L, ROWS, ng, 1e-12 / h, 1e-6, X, n)
    hold = hold and largest_of(X, SOLUTION, n + ng, last) <= 1e-6 * max(speed, 1e-6 * extent / h)
    copy_rows(X, RHS, SOLUTION, last)
    return hold


@step
def residuals_pass(system, data, sizes, scheme, arrays, t1, h, force, rows):
    """Are all residuals of (65a-i) below the given numbers? X keeps the residual of the dynamics."""
    row_tolerance = scheme.tol_velocity / h if scheme.level == ACCELERATION else scheme.tol_velocity
    if not (force <= scheme.tol_force and rows <= row_tolerance):
        return False
    copy_rows(arrays.X, SOLUTION, RHS, arrays.X.shape[1])
    position = residual_of_position(system, data, sizes, arrays, t1, 1.0)
    passed = position <= scheme.tol_position and largest_of(arrays.X, SOLUTION, 0, sizes.nv) <= h * h * scheme.tol_force
    velocity = residual_of_velocity(system, data, sizes, scheme, arrays, t1, 1.0)
    passed = passed and velocity <= scheme.tol_velocity
    passed = passed and largest_of(arrays.X, SOLUTION, 0, sizes.nv) <= h * scheme.tol_force
    copy_rows(arrays.X, RHS, SOLUTION, arrays.X.shape[1])
    return passed


@step
def finish(linear, sizes, scheme, arrays, c7, c8, c9, r, r_row, coupled):
    """(65a, b) once more at the accepted q1, v1, so that g̈ = 0 (PVA) holds to round-off."""
    status = OK
    if scheme.level == ACCELERATION and not scheme.by_residual and sizes.m > 0:
        if coupled:
            status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, c7, c8, r, r_row)
        if status == OK:
            status = solve(linear, sizes, arrays, DYNAMICS, False)
            add_dynamics(arrays.X, r, c9, 0.0, arrays.V, arrays.L)
    return status
