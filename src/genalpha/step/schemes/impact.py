"""The nonsmooth generalized-α method of paper 002: formulations PVA (strategies 1-3) and PVV, with active sets.

The discrete equations at t1 are those of `alpha`, each level with its set of active rows: (65b) with C, (65e) with A,
(65h) with B; bilateral rows are always in A and B, and in C unless strategy 1 leaves them out. New are

    N v1 + gap_t = u1 as the law of impact says, `residuals`, in B        (65h)
    multipliers of rows outside of their set are zero                   (65c, f, i)
    Λ* = Λ + h ((1 − γ) η0 + γ η1)                                      (65m)
    (1 − α_m) η1 + α_m η0 = (1 − α_f) λ1 + α_f λ0                       (65o)
    A: ν* − r gap ≥ 0,  B: in A and Λ* − r (ġap1 − u1) ≥ 0,  C: in B and λ − r g̈ap ≥ 0    (55)-(57)

with h²(½ − β) for the misprinted h²(1 − β) in ν*. PVV takes the bilateral rows of (65b) at the velocity level of the
smooth motion, G (v1 − W) + g_t = 0, and no contacts. Nonholonomic rows belong to B and C.

The phases of a step are those of `advance`: prepare; then, in every iteration, find the sets (`sets`), solve the
contact problem by one of three ways (`solve_decoupled` below, `coupled`, `piles`), judge. A step is accepted when the
iteration has settled and the sets at its result are those it was made with.
"""

from __future__ import annotations

from genalpha.compiled.jit import step
from genalpha.compiled.reference import by_reference
from genalpha.step.contact.coupled import solve_coupled
from genalpha.step.contact.kernels import largest_push, move_acceleration, same_rows, smooth_multipliers, total_impulses
from genalpha.step.contact.piles import solve_piles
from genalpha.step.contact.residuals import (
    accept_contacts,
    evaluate_all_rows,
    evaluate_gaps,
    residual_of_dynamics,
    residual_of_position,
    residual_of_velocity,
)
from genalpha.step.contact.sets import cut_tails, find_sets, wants_matrices, weigh_contacts
from genalpha.step.kernels import (
    accept,
    accept_corrections,
    add_correction,
    add_dynamics,
    add_step,
    copy_rows,
    largest_of,
    largest_of_two,
    largest_product,
    rates_of_terms,
    rows_are_below,
)
from genalpha.step.newton import build_correction, build_dynamics, judge, solve
from genalpha.step.schemes.alpha import begin, choose_matrices, evaluate_dynamics, evaluate_tangent, move, put_position
from genalpha.step.state import (
    ACCELERATION,
    BIG_LAM,
    CONTRACTION,
    COUPLED_WANTED,
    DELTA,
    DYNAMICS,
    GAP,
    HISTORY,
    LARGEST_EXTENT,
    LARGEST_SPEED,
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
    ROWS,
    SET_A,
    SET_B,
    SET_C,
    SOLUTION,
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
from genalpha.step.values import EPSILON, Course, Keys, Progress, Solved, scaling_of, start_slope, stride_of

MOST_POLISH = 3
"""Iterations at most in a step with an impact, after it has settled, until velocities hold to round-off."""


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    if arrays.counts[LOGGED] + 2 * (sizes.m - sizes.nb) > arrays.log.shape[0]:
        return LOG_FULL
    stride = by_reference(stride_of(scheme, arrays.memory, arrays.counts, t1, h, not scheme.by_residual))
    course = by_reference(prepare(system, linear, data, sizes, scheme, arrays, stride))
    while True:
        sets = find_sets(sizes, scheme, arrays, stride, course)
        if sets.changes < 0:
            return NOT_FINITE
        scaling = renew(system, data, sizes, scheme, arrays, stride, course, sets)
        rows = residual_of_dynamics(system, data, sizes, scheme, arrays, t1, stride.c7, scaling.r_row)
        if has_settled(system, data, sizes, scheme, arrays, stride, course, sets, rows):
            return conclude(system, linear, data, sizes, scheme, arrays, stride, scaling, course)
        if course.iteration == scheme.max_iter:
            return NOT_CONVERGED
        solved = solve_contacts(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets)
        if solved.status != OK:
            return solved.status
        course = by_reference(judge_iteration(sizes, scheme, arrays, stride, course, sets, solved))
        evaluate(system, data, sizes, scheme, arrays, stride)


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
def prepare(system, linear, data, sizes, scheme, arrays, stride):
    """The first iterate, all that is evaluated there, and by what its errors are measured."""
    V, memory, counts, h, lag = arrays.V, arrays.memory, arrays.counts, stride.h, stride.lag
    speed = measure_motion(arrays, h)
    begin(sizes, scheme, arrays, stride)
    if stride.ratio == 0.0 and lag > 0.0 and stride.slope == 0.0 and (scheme.by_residual or lag != 1.0):
        move_acceleration(V, lag)
    move(system, data, sizes, scheme, arrays, stride)
    evaluate_all_rows(system, data, sizes, arrays, stride.t1)
    evaluate(system, data, sizes, scheme, arrays, stride)
    if weigh_contacts(linear, sizes, arrays):
        # X was used for something else
        system.f(stride.t1, arrays.Q[Q1], V[V1], data, arrays.X[SOLUTION, : sizes.nv])
    scale = measure_contacts(sizes, arrays, h, speed)
    counts[N_SEEN] = 0
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    return Course(
        iteration=0, scale=scale, before=0.0, contraction=1.1 * memory[CONTRACTION], refresh=refresh, settled=False,
        unsteady=False, coupled=scheme.coupled == 1, polished=0, stage=0, waking=0, keys=Keys(0, 0, 0),
    )  # fmt: skip


@step
def measure_motion(arrays, h):
    """The speed at the old point, and the largest extent so far: of states, not of wild iterates."""
    V, memory = arrays.V, arrays.memory
    speed, acceleration = largest_of_two(V, V0, V_UNIT, V, VDOT0, V_UNIT)
    extent = largest_product(arrays.Q[Q0], arrays.Q[Q_UNIT], arrays.Q.shape[1])
    speed = max(speed, h * acceleration)
    memory[LARGEST_EXTENT] = max(memory[LARGEST_EXTENT], extent + h * speed)
    return speed


@step
def measure_contacts(sizes, arrays, h, speed):
    """The speed that errors are relative to, and the largest so far.

    A contact that rests has no velocity to measure by, only the one that its force takes away.
    """
    memory = arrays.memory
    speed = max(speed, h * largest_push(arrays.L, sizes.nb))
    memory[LARGEST_SPEED] = max(memory[LARGEST_SPEED], speed)
    return max(speed, 1e-3 * memory[LARGEST_SPEED])


@step
def evaluate(system, data, sizes, scheme, arrays, stride):
    """Everything at an iterate but its gradients, which the iteration has left there."""
    evaluate_dynamics(system, data, sizes, scheme, arrays, stride.t1)
    evaluate_gaps(system, data, sizes, scheme, arrays, stride.t1, stride.slope, stride.lag)


@step
def renew(system, data, sizes, scheme, arrays, stride, course, sets):
    """A new tangent, if it is wanted; gives the scales of the matrices."""
    if course.refresh:
        evaluate_tangent(system, data, sizes, arrays, stride.t1, VDOT1)
    if course.refresh or (stride.ratio != 1.0 and wants_matrices(course, sets)):
        choose_matrices(sizes, scheme, arrays, stride)
    return scaling_of(scheme, arrays.memory, stride)


@step
def solve_contacts(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets):
    """One iteration on the contact problem, by one of three ways."""
    if course.coupled and arrays.Y.shape[1] == 0:
        return Solved(COUPLED_WANTED, 0.0, 0.0, 0, course.keys)
    arrays.counts[NEWTON] += 1
    if course.coupled:
        solved = solve_coupled(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets)
    elif sizes.slots > 0:
        solved = solve_piles(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets)
    else:
        solved = solve_decoupled(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets)
    if solved.status == OK and not solved.error < 1e300:
        return Solved(NOT_FINITE, 0.0, 0.0, 0, course.keys)
    return solved


@step
def judge_iteration(sizes, scheme, arrays, stride, course, sets, solved):
    """Has the iteration settled, and how does it go on?

    A contraction is measured between iterations with the same sets only, and not trusted in steps with impacts, but for
    piles, which have impacts all the time; their first iteration leaves out the forces.
    """
    iteration, changed, piles = course.iteration, sets.changes > 0, sizes.slots > 0
    unsteady = course.unsteady or changed or (course.coupled and not scheme.coupled)
    first = 1 if piles else 0
    comparable = not changed and iteration > first
    floor = EPSILON if piles or not unsteady else 1.0
    trusted = 1.0 if unsteady else course.contraction
    progress = Progress(iteration if comparable else 0, course.scale, course.before, trusted, floor)
    settled, contraction, refresh = judge(sizes, scheme, arrays, stride, progress, solved)
    settled = settled and iteration >= first
    stalls = comparable and solved.error > 0.1 * course.before and not settled
    coupled = course.coupled or (scheme.hand_over == 1 and stalls)
    polished = course.polished + int(course.settled and not changed)
    return Course(
        iteration=iteration + 1, scale=course.scale, before=solved.error, contraction=contraction, refresh=refresh,
        settled=settled, unsteady=unsteady, coupled=coupled, polished=polished, stage=sets.stage, waking=solved.waking,
        keys=solved.keys,
    )  # fmt: skip


@step
def has_settled(system, data, sizes, scheme, arrays, stride, course, sets, rows):
    """Is this iterate the new point? X holds the residual of the dynamics, and keeps it; ``rows``: its largest row."""
    if scheme.by_residual:
        force = max(sets.released, largest_of(arrays.X, SOLUTION, 0, sizes.nv))
        return residuals_pass(system, data, sizes, scheme, arrays, stride, force, rows)
    if not course.settled or sets.changes > 0:
        return False
    # velocities are left with what the last correction changed in the rows: an impact must not gain by it
    most = MOST_POLISH if course.unsteady else int(course.coupled and sizes.nb > 0)
    if sizes.slots == 0 and course.iteration < scheme.max_iter and course.polished < most:
        limit = 1e-14 if course.unsteady else 1e-13
        return velocities_hold(system, data, sizes, scheme, arrays, stride.t1, limit)
    return True


@step
def conclude(system, linear, data, sizes, scheme, arrays, stride, scaling, course):
    """What an iteration that has settled leaves to do; gives a status."""
    L, memory, nb = arrays.L, arrays.memory, sizes.nb
    if arrays.counts[REGULARISED] and not rows_hold(system, data, sizes, scheme, arrays, stride.t1, stride.h):
        return NOT_CONVERGED
    # other sets have another contraction, which the next step has to find
    known = min(max(course.contraction, 0.1 * memory[CONTRACTION]), 1.0)
    memory[CONTRACTION] = 1.0 if course.unsteady else known
    status = finish(linear, sizes, scheme, arrays, stride, scaling, course.coupled)
    smooth_multipliers(scheme.alpha_m, scheme.alpha_f, stride.slope, stride.lag, L, nb)
    total_impulses(scheme.gamma, stride.h, L, nb)
    if status == OK and scheme.closing:
        status = cut_tails(linear, sizes, arrays)
    return status


@step
def finish(linear, sizes, scheme, arrays, stride, scaling, coupled):
    """(65a, b) once more at the accepted q1, v1, so that g̈ = 0 (PVA) holds to round-off."""
    status = OK
    if scheme.level == ACCELERATION and not scheme.by_residual and sizes.m > 0:
        if coupled:
            status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, scaling)
        if status == OK:
            status = solve(linear, sizes, arrays, DYNAMICS, False)
            add_dynamics(arrays.X, scaling.r, stride.c9, 0.0, arrays.V, arrays.L)
    return status


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
def residuals_pass(system, data, sizes, scheme, arrays, stride, force, rows):
    """Are all residuals of (65a-i) below the given numbers? X keeps the residual of the dynamics."""
    t1, h = stride.t1, stride.h
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
def solve_decoupled(system, linear, data, sizes, scheme, arrays, stride, scaling, course, sets):
    """One iteration of Algorithm 1: (65a, b) for v̇ and μ, (65d, e) for U and ν, (65g, h) for W and Λ.

    X holds the residual of (65a, b).
    """
    S, t1, r = arrays.S, stride.t1, scaling.r
    v_matrix = DYNAMICS if scaling.shared and same_rows(S, SET_C, SET_B) else VELOCITY_MATRIX
    p_matrix = v_matrix if same_rows(S, SET_B, SET_A) else POSITION_MATRIX
    build, status = wants_matrices(course, sets), OK
    if build:
        status = build_matrices(linear, sizes, scheme, arrays, stride, scaling, v_matrix, p_matrix)
    if status == OK:
        status = solve(linear, sizes, arrays, DYNAMICS, build)
    if status != OK:
        return Solved(status, 0.0, 0.0, 0, course.keys)
    error = stride.c7 * add_step(arrays.X, r, arrays.V, VDOT1, arrays.L, MU1)
    move(system, data, sizes, scheme, arrays, stride)
    way = correct_position(system, linear, data, sizes, arrays, t1, r, p_matrix)
    error = max(error, stride.to_velocity * way)
    evaluate_all_rows(system, data, sizes, arrays, t1)
    error = max(error, correct_velocity(system, linear, data, sizes, scheme, arrays, t1, r, v_matrix))
    return Solved(OK, error, way, 0, course.keys)


@step
def build_matrices(linear, sizes, scheme, arrays, stride, scaling, v_matrix, p_matrix):
    """Factorise the matrix of the dynamics and those of the corrections that are not the same."""
    status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, scaling)
    if status == OK and v_matrix == VELOCITY_MATRIX:
        status = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, scaling.r)
    if status == OK and p_matrix == POSITION_MATRIX:
        status = build_correction(linear, sizes, arrays, POSITION_MATRIX, scaling.r)
    return status


@step
def correct_position(system, linear, data, sizes, arrays, t1, r, matrix):
    """One Newton step of (65d, e) for U and ν; gives the largest change of U."""
    V, L = arrays.V, arrays.L
    if sizes.m > sizes.nb:
        system.gap(t1, arrays.Q[Q1], data, L[GAP, sizes.nb :])
    residual_of_position(system, data, sizes, arrays, t1, r)
    solve(linear, sizes, arrays, matrix, False)
    if not sizes.flat:
        system.untwist(V[DELTA], data, arrays.X[SOLUTION, : sizes.nv])
    way = add_correction(arrays.X, r, V, U, DELTA, L, NU)
    put_position(system, data, sizes, arrays)
    return way


@step
def correct_velocity(system, linear, data, sizes, scheme, arrays, t1, r, matrix):
    """One Newton step of (65g, h) for W and Λ; gives the largest change of W."""
    residual_of_velocity(system, data, sizes, scheme, arrays, t1, r)
    solve(linear, sizes, arrays, matrix, False)
    return add_correction(arrays.X, r, arrays.V, W, V1, arrays.L, BIG_LAM)
