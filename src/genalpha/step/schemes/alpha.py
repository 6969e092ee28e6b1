"""The generalized-α family, one source: P, V, PV, PVA and Baumgarte's form (paper 002, scaled as in 004).

The discrete equations at t1, numbered as in 002, with nonholonomic rows added to the velocity and acceleration levels:

    M v̇ − Bᵀμ = f                                               (65a)
    g = 0 (P),  ġ = 0 (V, PV)  or  g̈ = 0 (PVA)                   (65b)
    g̈ + 2 α ġ + β² g = 0 (Baumgarte)                            (71c)
    M U − Gᵀν = 0,  g(q1) = 0                                   (65d, e)   PV, PVA
    M W − BᵀΛ = 0,  ġ(q1, v1) = 0,  k(q1, v1) = 0               (65g, h)   PVA
    q1 = q0 ∘ exp(h v0 + h²(½ − β) a0 + h² β a1 + U)            (65j)
    v1 = v0 + h (1 − γ) a0 + h γ a1 + W                         (65k)
    (1 − α_m) a1 + α_m a0 = (1 − α_f) v̇1 + α_f v̇0               (65l)

Algorithm 1 of 002 solves them: a Newton step for (v̇, μ), then for (U, ν), then for (W, Λ), until all is settled.
"""

from __future__ import annotations

from genalpha.compiled.jit import step
from genalpha.compiled.reference import by_reference
from genalpha.math.linear import transposed_multiply_add
from genalpha.step.kernels import (
    acceleration_rows,
    accept,
    accept_corrections,
    add_correction,
    add_dynamics,
    add_rows,
    add_step,
    correction_residual,
    displace,
    force_residual,
    integrate,
    is_small,
    largest_forces,
    largest_of_two,
    predict,
    predict_corrections,
    put_masses,
    put_rows,
    rates_of_terms,
    rows_are_below,
    velocity_rows,
    zero_first,
)
from genalpha.step.newton import build_correction, build_dynamics, judge, row_scale, shorten_multipliers, solve
from genalpha.step.state import (
    ACCELERATION,
    BIAS,
    BIG_LAM,
    CONTRACTION,
    DELTA,
    DYNAMICS,
    EVALUATIONS,
    FORCE_PER_CHANGE,
    G_T,
    HISTORY,
    JACOBIANS,
    MU1,
    NEWTON,
    NOT_CONVERGED,
    NOT_FINITE,
    NU,
    OK,
    POSITION,
    POSITION_MATRIX,
    Q0,
    Q1,
    Q_LARGEST,
    Q_UNIT,
    REGULARISED,
    ROW_SCALE,
    ROWS,
    SHARED,
    SOLUTION,
    STEPS,
    TANGENT_AGE,
    V0,
    V1,
    V_LARGEST,
    V_UNIT,
    VDOT0,
    VDOT1,
    VELOCITY,
    VELOCITY_MATRIX,
    U,
    W,
)
from genalpha.step.values import EPSILON, Newton, Progress, scaling_of, start_slope, stride_of

FORCES, OVER_TOL = 1e-8, 1e3
"""What Newton's iteration may leave of constraint forces over the largest; and over what it may leave of velocities."""

POLISH = 12
"""Corrections to constraints at most, in a step whose tolerance is far above round-off."""


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    memory, counts = arrays.memory, arrays.counts
    stride = by_reference(stride_of(scheme, memory, counts, t1, h, True))
    scale = prepare(system, data, sizes, scheme, arrays, stride)
    before, last, contraction = 0.0, False, 1.03 * memory[CONTRACTION]  # what was not measured lately is trusted less
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    for iteration in range(scheme.max_iter):
        counts[NEWTON] += 1
        evaluate_dynamics(system, data, sizes, scheme, arrays, t1)
        build = iteration == 0 or refresh or last
        status = renew(system, linear, data, sizes, scheme, arrays, stride, iteration, refresh) if build else OK
        if status != OK:
            return NOT_CONVERGED if before > 1e3 * scale > 0.0 else status  # the iterates have run away
        scaling = scaling_of(scheme, memory, stride)
        newton = solve_levels(system, linear, data, sizes, scheme, arrays, stride, scaling, build)
        if newton.status != OK:
            return newton.status
        progress = Progress(iteration, scale, before, contraction, EPSILON)
        settled, contraction, refresh = judge(sizes, scheme, arrays, stride, progress, newton)
        if scheme.level == POSITION and sizes.nb > 0:
            right = forces_settle(sizes, scheme, arrays, stride, scaling, progress, newton.error)
            settled = settled and (right or contraction == 0.0 or iteration + 1 == scheme.max_iter)
        if settled and counts[REGULARISED] and scheme.level == POSITION and not last:
            # what exerts no force is known with the rows of this point only, and near a fold so are the multipliers
            settled, last = False, True
        if settled:
            # one lucky step does not make the next ones careless
            memory[CONTRACTION] = min(max(contraction, 0.1 * memory[CONTRACTION]), 1.0)
            return conclude(system, linear, data, sizes, scheme, arrays, stride, scaling, scale)
        before = newton.error
        if scheme.level == POSITION:
            evaluate_rows(system, data, sizes, arrays, t1)
    return NOT_CONVERGED


@step
def forces_settle(sizes, scheme, arrays, stride, scaling, progress, error):
    """Are the multipliers of formulation P as good as the velocities? `finish` makes them anew for the others.

    What the tangent lacks may lie in directions that constraints hold: it leaves the velocities right and the forces
    wrong, in proportion to the change of velocities. How much that is, is measured wherever there is a second
    iteration.
    """
    memory, iteration = arrays.memory, progress.iteration
    change, force = largest_forces(arrays.X, scaling.r, arrays.L, sizes.nv, sizes.nb)
    known = 1.03 * memory[FORCE_PER_CHANGE]
    if iteration > 0:
        measured = change / progress.before if progress.before > 0.0 else 0.0
        known = max(measured, 0.1 * memory[FORCE_PER_CHANGE] if memory[FORCE_PER_CHANGE] < 1e300 else 0.0)
    memory[FORCE_PER_CHANGE] = known
    extent, speed = largest_of_two(arrays.Q, Q1, Q_UNIT, arrays.V, V1, V_UNIT)
    floor = 8.0 * EPSILON * (stride.to_velocity * extent + speed)
    missing = known * error
    enough = max(max(FORCES, OVER_TOL * scheme.tol) * force, scaling.r / stride.c7 * scheme.tol * progress.scale)
    return error <= floor or missing <= enough


@step
def prepare(system, data, sizes, scheme, arrays, stride):
    """The first iterate, and what is evaluated there; gives the speed that errors are relative to."""
    speed, acceleration = largest_of_two(arrays.V, V0, V_UNIT, arrays.V, VDOT0, V_UNIT)
    begin(sizes, scheme, arrays, stride)
    move(system, data, sizes, scheme, arrays, stride)
    evaluate_rows(system, data, sizes, arrays, stride.t1)
    evaluate_positions(system, data, sizes, scheme, arrays, stride.t1)
    return max(speed, stride.h * acceleration)


@step
def renew(system, linear, data, sizes, scheme, arrays, stride, iteration, refresh):
    """Factorise the matrices, with a new tangent if ``refresh``; gives a status."""
    if refresh:
        evaluate_tangent(system, data, sizes, arrays, stride.t1, VDOT1)
        if scheme.level == POSITION and not sizes.flat:
            # the unknowns are T(Δ) δv̇, see `untwist` in `solve_levels`: their mass is M T⁻¹
            factor = 0.5 * stride.h / stride.c7
            system.twist(arrays.V[V1], factor, data, arrays.J[sizes.end_S : sizes.end_C])
    due = refresh and (scheme.reuse or iteration > 0 or arrays.counts[STEPS] % 16 == 0)
    if due or stride.ratio != 1.0:
        choose_matrices(sizes, scheme, arrays, stride)  # the scales of matrices hardly change from step to step
    return build_matrices(linear, sizes, scheme, arrays, stride, scaling_of(scheme, arrays.memory, stride))


@step
def solve_levels(system, linear, data, sizes, scheme, arrays, stride, scaling, check):
    """Algorithm 1 of 002, level by level; ``check``: the factors are new."""
    V, X, t1 = arrays.V, arrays.X, stride.t1
    # (65a, b): the dynamics, for v̇ and μ
    residual_of_dynamics(sizes, scheme, arrays, stride, scaling)
    status = solve(linear, sizes, arrays, DYNAMICS, check)
    if status != OK:
        return Newton(status, 0.0, 0.0)
    if scheme.level == POSITION and not sizes.flat:
        system.untwist(V[DELTA], data, X[SOLUTION, : sizes.nv])
    change = add_step(X, scaling.r, V, VDOT1, arrays.L, MU1)
    error, way = stride.c7 * change, (stride.c8 * change if scheme.level == POSITION else 0.0)
    move(system, data, sizes, scheme, arrays, stride)
    evaluate_positions(system, data, sizes, scheme, arrays, t1)

    # (65d, e): positions onto g = 0, by U
    if scheme.correct_position:
        way = correct_position(system, linear, data, sizes, arrays, t1, scaling)
        error = max(error, stride.to_velocity * way)
        put_position(system, data, sizes, arrays)
    if scheme.level != POSITION:
        evaluate_rows(system, data, sizes, arrays, t1)

    # (65g, h): velocities onto ġ = 0 and k = 0, by W
    if scheme.correct_velocity:
        error = max(error, correct_velocity(system, linear, data, sizes, arrays, t1, scaling))
    return Newton(OK if error < 1e300 else NOT_FINITE, error, way)


@step
def conclude(system, linear, data, sizes, scheme, arrays, stride, scaling, scale):
    """What an iteration that has settled leaves to do; gives a status."""
    if arrays.counts[REGULARISED]:
        shorten_multipliers(linear, sizes, arrays, DYNAMICS, MU1)
    if scheme.polish:
        status = polish(system, linear, data, sizes, scheme, arrays, stride, scaling, scale)
    else:
        status = finish(system, linear, data, sizes, scheme, arrays, stride, scaling)
    if arrays.counts[REGULARISED] and status == OK:
        if scheme.level != POSITION:
            shorten_multipliers(linear, sizes, arrays, DYNAMICS, MU1)  # what round-off in the rows has brought back
        return OK if rows_hold(system, data, sizes, scheme, arrays, stride.t1, stride.h) else NOT_CONVERGED
    return status


@step
def begin(sizes, scheme, arrays, stride):
    """Starting values of a step."""
    counts = arrays.counts
    trend = 1.0 if counts[HISTORY] > 1 else 0.0
    memory = 0.0 if counts[REGULARISED] else 1.0
    predict(arrays.V, arrays.L, stride.slope, stride.ratio, trend, memory if sizes.m > sizes.nb else 1.0)
    if scheme.correct_position or scheme.correct_velocity:
        predict_corrections(arrays.V, arrays.L, stride.ratio, trend, memory)


@step
def rows_hold(system, data, sizes, scheme, arrays, t1, h):
    """Do regularised rows hold? For rows that contradict one another the iteration ends in a compromise.

    Each is measured by its own terms, so that its unit does not matter.
    """
    L, X, n, ng = arrays.L, arrays.X, sizes.nv, sizes.ng
    rates_of_terms(arrays.T, arrays.J, sizes.end_C, sizes.end_G, h, arrays.V, L, ng, X, n)
    if ng > 0 and (scheme.level == POSITION or scheme.correct_position):
        system.g(t1, arrays.Q[Q1], data, L[ROWS, :ng])
        if not rows_are_below(L, ROWS, ng, 1e-9, 1e-9 * h, X, n):
            return False
    if ng > 0 and (scheme.level == VELOCITY or scheme.correct_velocity):
        velocity_rows(arrays.T, arrays.J, sizes.end_C, sizes.end_G, arrays.V, L, ng)
        return rows_are_below(L, ROWS, ng, 1e-12 / h, 1e-6, X, n)
    return True


@step
def row_slopes(scheme, c7, c8):
    """Derivatives of the rows at the acceleration level with respect to v̇, over B: for g, and for k."""
    if scheme.baumgarte:
        rate, spring = scheme.rate_velocity * c7, scheme.rate_position * scheme.rate_position * c8
        return 1.0 + 2.0 * rate + spring, 1.0 + rate
    return 1.0, 1.0


@step
def move(system, data, sizes, scheme, arrays, stride):
    """(65j)-(65l): a1, v1 and q1 from v̇1, U and W."""
    corrected = scheme.correct_position or scheme.correct_velocity
    integrate(scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma, stride.h, stride.slope, corrected, arrays.V)
    put_position(system, data, sizes, arrays)


@step
def put_position(system, data, sizes, arrays):
    """q1 = q0 ∘ exp(Δ)."""
    Q, V = arrays.Q, arrays.V
    if sizes.flat:
        displace(Q, V)
    else:
        system.update(Q[Q0], V[DELTA], data, Q[Q1])


@step
def evaluate_rows(system, data, sizes, arrays, t1):
    """B = (G, K) and g_t at the new point."""
    if sizes.ng > 0:
        system.G(t1, arrays.Q[Q1], data, arrays.J[sizes.end_C : sizes.end_G])
        if not sizes.scleronomic:
            system.g_t(t1, arrays.Q[Q1], data, arrays.L[G_T, : sizes.ng])
    if sizes.nb > sizes.ng:
        system.K(t1, arrays.Q[Q1], arrays.V[V1], data, arrays.J[sizes.end_G : sizes.end_K])


@step
def evaluate_positions(system, data, sizes, scheme, arrays, t1):
    """g in L[ROWS] at the new point, for a formulation that needs it there."""
    if scheme.level == POSITION and sizes.ng > 0:
        system.g(t1, arrays.Q[Q1], data, arrays.L[ROWS, : sizes.ng])


@step
def evaluate_dynamics(system, data, sizes, scheme, arrays, t1):
    """M and f, and what (65b) needs besides g: k in L[ROWS], or the bias of g̈ and k̇ in L[BIAS]."""
    q, v = arrays.Q[Q1], arrays.V[V1]
    arrays.counts[EVALUATIONS] += 1
    if not sizes.constant_M:
        system.M(t1, q, data, arrays.J[: sizes.end_M])
    system.f(t1, q, v, data, arrays.X[SOLUTION, : sizes.nv])
    rows = arrays.L[BIAS if scheme.level == ACCELERATION else ROWS]
    if sizes.ng > 0 and scheme.level == ACCELERATION:
        system.g_bias(t1, q, v, data, rows[: sizes.ng])
    if sizes.nb > sizes.ng:
        if scheme.level == ACCELERATION:
            system.k_bias(t1, q, v, data, rows[sizes.ng : sizes.nb])
        else:
            system.k(t1, q, v, data, rows[sizes.ng : sizes.nb])
    if scheme.baumgarte:
        stabilise(system, data, sizes, scheme, arrays, t1)


@step
def stabilise(system, data, sizes, scheme, arrays, t1):
    """Baumgarte's sums 002 (71c): 2 α ġ + β² g is added to the bias of g̈, α k to that of k̇."""
    L, q, v, ng = arrays.L, arrays.Q[Q1], arrays.V[V1], sizes.ng
    if sizes.nb > sizes.ng:
        system.k(t1, q, v, data, L[ROWS, ng : sizes.nb])
    velocity_rows(arrays.T, arrays.J, sizes.end_C, sizes.end_G, arrays.V, L, ng)
    add_rows(L, 0, ng, 2.0 * scheme.rate_velocity)
    add_rows(L, ng, sizes.nb, scheme.rate_velocity)
    if ng > 0:
        system.g(t1, q, data, L[ROWS, :ng])
        add_rows(L, 0, ng, scheme.rate_position * scheme.rate_position)


@step
def evaluate_tangent(system, data, sizes, arrays, t1, row):
    """Stiffness and damping at the new point, with the accelerations V[row]."""
    q, v, vdot, mu, J = arrays.Q[Q1], arrays.V[V1], arrays.V[row], arrays.L[MU1], arrays.J
    system.stiffness(t1, q, v, vdot, mu, data, J[sizes.end_M : sizes.end_S])
    system.damping(t1, q, v, vdot, mu, data, J[sizes.end_S : sizes.end_C])
    arrays.counts[JACOBIANS] += 1
    arrays.counts[TANGENT_AGE] = 0


@step
def choose_matrices(sizes, scheme, arrays, stride):
    """The scale of the constraint rows, and whether one matrix serves for the dynamics and the corrections.

    It does where damping and stiffness are small against the masses of their own coordinates, as in rigid systems: it
    steers the iteration only. They need not be as small where corrections are, for PVA without contacts.
    """
    memory, c7, c8 = arrays.memory, stride.c7, stride.c8
    memory[ROW_SCALE] = row_scale(sizes, scheme, arrays, c7, c8)
    enough = 5e-2 if scheme.level == ACCELERATION and sizes.m == sizes.nb else 5e-3
    put_masses(arrays.Z, arrays.T, arrays.J, sizes.diagonal, sizes.diagonal_M, enough, arrays.X, sizes.nv)
    small = is_small(arrays.T, arrays.J, sizes.end_M, sizes.end_S, c8, arrays.X)
    small = small and is_small(arrays.T, arrays.J, sizes.end_S, sizes.end_C, c7, arrays.X)
    same_rows = scheme.scaling or scheme.level == ACCELERATION
    memory[SHARED] = 1.0 if small and same_rows else 0.0


@step
def build_matrices(linear, sizes, scheme, arrays, stride, scaling):
    """Factorise the matrix of the dynamics and those of the corrections."""
    status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, scaling)
    if (
        status == OK
        and not scaling.shared
        and (scheme.correct_velocity or (scheme.correct_position and sizes.nb == sizes.ng))
    ):
        status = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, scaling.r)
    if status == OK and scheme.correct_position and sizes.nb > sizes.ng:
        status = build_correction(linear, sizes, arrays, POSITION_MATRIX, scaling.r)
    return status


@step
def residual_of_dynamics(sizes, scheme, arrays, stride, scaling):
    """Right-hand side of the Newton step of (65a, b) in X; f is already there."""
    T, J, V, L, X, n, ng = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X, sizes.nv, sizes.ng
    m, c7, c8, r, r_row = sizes.nb, stride.c7, stride.c8, scaling.r, scaling.r_row
    force_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, V, L, X)
    if scheme.level == ACCELERATION:
        acceleration_rows(T, J, sizes.end_C, sizes.end_B, V, L, ng)
        slope, slope_k = row_slopes(scheme, c7, c8)
        put_rows(L, 0, ng, -r_row / slope, X, n)
        put_rows(L, ng, m, -r_row / slope_k, X, n)
    elif scheme.level == POSITION:
        if scheme.augmented:
            transposed_multiply_add(T, J, sizes.end_C, sizes.end_G, -r / c8, L, ROWS, X, SOLUTION)
        put_rows(L, 0, ng, -r_row / c8, X, n)
        put_rows(L, ng, m, -r_row / c7, X, n)
    else:
        velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, ng)
        put_rows(L, 0, m, -r_row / c7, X, n)


@step
def correct_position(system, linear, data, sizes, arrays, t1, scaling):
    """One Newton step of (65d, e) for U and ν; gives the largest change of U. It is also added to Δ."""
    T, J, V, L, X, r = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X, scaling.r
    system.g(t1, arrays.Q[Q1], data, L[ROWS, : sizes.ng])
    correction_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_G, V, U, L, NU, X)
    put_rows(L, 0, sizes.ng, -r, X, sizes.nv)
    matrix = POSITION_MATRIX if sizes.nb > sizes.ng else (DYNAMICS if scaling.shared else VELOCITY_MATRIX)
    solve(linear, sizes, arrays, matrix, False)
    if not sizes.flat:
        system.untwist(V[DELTA], data, X[SOLUTION, : sizes.nv])
    return add_correction(X, r, V, U, DELTA, L, NU)


@step
def correct_velocity(system, linear, data, sizes, arrays, t1, scaling):
    """One Newton step of (65g, h) for W and Λ; gives the largest change of W. It is also added to v1."""
    T, J, V, L, X, r = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X, scaling.r
    if sizes.nb > sizes.ng:
        system.k(t1, arrays.Q[Q1], V[V1], data, L[ROWS, sizes.ng : sizes.nb])
    velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, sizes.ng)
    correction_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, V, W, L, BIG_LAM, X)
    put_rows(L, 0, sizes.nb, -r, X, sizes.nv)
    solve(linear, sizes, arrays, DYNAMICS if scaling.shared else VELOCITY_MATRIX, False)
    return add_correction(X, r, V, W, V1, L, BIG_LAM)


@step
def finish(system, linear, data, sizes, scheme, arrays, stride, scaling):
    """(65a, b) once more at the accepted q1, so that ġ = 0 (V, PV) or g̈ = 0 (PVA) holds to round-off.

    PVA: for v̇1 and μ1 at the accepted v1. V, PV: for v̇1, μ1 and v1.
    """
    if scheme.level == POSITION or sizes.nb == 0:
        return OK
    X, V = arrays.X, arrays.V
    evaluate_dynamics(system, data, sizes, scheme, arrays, stride.t1)
    residual_of_dynamics(sizes, scheme, arrays, stride, scaling)
    status = solve(linear, sizes, arrays, DYNAMICS, False)
    add_dynamics(X, scaling.r, stride.c9, 0.0 if scheme.level == ACCELERATION else stride.c7, V, arrays.L)
    return status


@step
def polish(system, linear, data, sizes, scheme, arrays, stride, scaling, scale):
    """`finish` for a tolerance that is far above round-off: all levels hold to round-off, the forces stay as they are.

    The constraints alone are evaluated again, as often as it takes; the forces are those of the last iteration.
    """
    Q, V, t1, c7 = arrays.Q, arrays.V, stride.t1, stride.c7
    extent, speed = largest_of_two(Q, Q1, Q_UNIT, V, V1, V_UNIT)
    # of the whole motion: where all coordinates pass through zero, round-off is that of their way there
    before, fastest = largest_of_two(V, Q_LARGEST, V_UNIT, V, V_LARGEST, V_UNIT)
    extent, speed = max(extent, before, 1e-300), max(speed, fastest, scale, 1e-300)
    way, jump, change = 0.0, 0.0, 0.0
    for _ in range(POLISH if scheme.correct_position else 0):
        way = correct_position(system, linear, data, sizes, arrays, t1, scaling) / extent
        put_position(system, data, sizes, arrays)
        if way <= 1e-12:
            break
    evaluate_rows(system, data, sizes, arrays, t1)
    for _ in range(POLISH if scheme.correct_velocity else 0):
        jump = correct_velocity(system, linear, data, sizes, arrays, t1, scaling) / speed
        if jump <= 1e-13:
            break
    for _ in range(POLISH if sizes.nb > 0 else 0):
        evaluate_bias(system, data, sizes, scheme, arrays, t1)
        residual_of_dynamics(sizes, scheme, arrays, stride, scaling)
        zero_first(arrays.X, sizes.nv)
        status = solve(linear, sizes, arrays, DYNAMICS, False)
        if status != OK:
            return status
        to_v = 0.0 if scheme.level == ACCELERATION else c7
        change = c7 * add_dynamics(arrays.X, scaling.r, stride.c9, to_v, V, arrays.L) / speed
        if change <= 1e-13:
            break
    # what falls slowly belongs to a step that is too long
    return OK if max(way, jump, change) <= 1e-11 else NOT_CONVERGED


@step
def evaluate_bias(system, data, sizes, scheme, arrays, t1):
    """What (65b) needs of the constraints: the bias of g̈ and k̇, or k; ġ is made of the gradient."""
    q, v, L, ng = arrays.Q[Q1], arrays.V[V1], arrays.L, sizes.ng
    if scheme.level == ACCELERATION:
        if ng > 0:
            system.g_bias(t1, q, v, data, L[BIAS, :ng])
        if sizes.nb > ng:
            system.k_bias(t1, q, v, data, L[BIAS, ng : sizes.nb])
    elif sizes.nb > ng:
        system.k(t1, q, v, data, L[ROWS, ng : sizes.nb])


@step
def complete(sizes, scheme, arrays, t1, h):
    """The new point becomes the old one."""
    slope = start_slope(scheme, arrays.counts)
    accept(arrays.Q, arrays.V, arrays.L, slope, t1, h, arrays.memory, arrays.counts)
    if scheme.correct_position or scheme.correct_velocity:
        accept_corrections(arrays.V, arrays.L)
