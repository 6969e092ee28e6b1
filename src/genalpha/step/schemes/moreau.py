"""The Moreau-Jean θ-scheme, one source: the baseline of nonsmooth dynamics, for comparison.

    v_θ = (1 − θ) v0 + θ v1,    q_θ = q0 ∘ exp(θ h v_θ),    q1 = q0 ∘ exp(h v_θ)
    M(q_θ) (v1 − v0) − Bᵀ P = h f(t_θ, q_θ, v_θ)
    G v1 + g_t = 0,   k(q1, v1) = 0
    0 ≤ N v1 + gap_t − u1  ⊥  P ≥ 0     for contacts that are forecast to close, gap + h/2 ġap ≤ 0; u1 as in `residuals`

All constraints hold at the velocity level only: positions drift, and contacts penetrate by O(h).

References: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The non-smooth
contact dynamics method, 1999; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, 2008, ch. 10.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.compiled.reference import by_reference
from genalpha.step.contact.coupled import put_compliances
from genalpha.step.contact.kernels import contact_rates, put_active_rows
from genalpha.step.contact.residuals import accept_contacts, apply_law, evaluate_all_rows, put_impact_rows, slacks
from genalpha.step.kernels import accept, accept_corrections, add_step, copy_rows, largest_of_two, velocity_rows
from genalpha.step.newton import build_dynamics, judge, shorten_multipliers, solve
from genalpha.step.schemes.alpha import choose_matrices, evaluate_tangent
from genalpha.step.state import (
    A_1,
    BIG_LAM,
    CONTRACTION,
    DELTA,
    DYNAMICS,
    EVALUATIONS,
    GAP,
    KNOWN,
    LARGEST_SPEED,
    LOG_FULL,
    LOGGED,
    MASS,
    MU1,
    NEWTON,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    Q0,
    Q1,
    RATE0,
    REBOUND,
    REGULARISED,
    ROW_SCALE,
    ROWS,
    SCRATCH,
    SET_A,
    SET_B,
    SET_C,
    SOLUTION,
    STAR,
    TANGENT_AGE,
    V0,
    V1,
    V_TILDE,
    V_UNIT,
    VDOT0,
    VDOT1,
)
from genalpha.step.values import EPSILON, Newton, Progress, Scaling, Stride

MOST_POLISH = 8
"""Iterations at most, after it has settled, until the law of impact holds to round-off."""


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    memory, counts = arrays.memory, arrays.counts
    if counts[LOGGED] + 2 * (sizes.m - sizes.nb) > arrays.log.shape[0]:
        return LOG_FULL
    stride, scale = by_reference(stride_of(scheme, t1, h)), prepare(sizes, arrays, h)
    before, contraction, settled, polished = 0.0, memory[CONTRACTION], False, 0
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    for iteration in range(scheme.max_iter + 1):
        evaluate(system, data, sizes, scheme, arrays, stride, refresh, iteration == 0)
        changed = find_active(sizes, arrays, iteration) > 0
        last = polished == MOST_POLISH or iteration == scheme.max_iter
        if settled and not changed and (last or impacts_hold(arrays.L, arrays.S, memory[LARGEST_SPEED], sizes.nb)):
            return finish(system, linear, data, sizes, scheme, arrays, stride)
        polished += int(settled and not changed)
        if iteration == scheme.max_iter:
            return NOT_CONVERGED
        counts[NEWTON] += 1
        if refresh:
            choose_matrices(sizes, scheme, arrays, stride)
        build = iteration == 0 or refresh or changed
        newton = solve_all(system, linear, data, sizes, scheme, arrays, stride, build, iteration == 0)
        if newton.status != OK:
            return newton.status
        progress = Progress(0 if changed else iteration, scale, before, 1.0 if changed else contraction, EPSILON)
        settled, contraction, refresh = judge(sizes, scheme, arrays, stride, progress, newton)
        before = newton.error
    return NOT_CONVERGED


@step
def stride_of(scheme, t1, h):
    """The numbers of a step; nothing is extrapolated."""
    c7, c8 = h * scheme.theta, h * h * scheme.theta * scheme.theta
    return Stride(t1, h, slope=0.0, lag=0.0, ratio=0.0, c7=c7, c8=c8, c9=1.0, to_velocity=1.0 / h)


@step
def prepare(sizes, arrays, h):
    """The first iterate, and contacts that may close; gives the speed that errors are relative to."""
    V, L, memory = arrays.V, arrays.L, arrays.memory
    speed, acceleration = largest_of_two(V, V0, V_UNIT, V, VDOT0, V_UNIT)
    memory[LARGEST_SPEED] = max(memory[LARGEST_SPEED], speed, h * acceleration)
    begin(V, L)
    if sizes.m > sizes.nb:
        forecast(L, arrays.S, h, 0.0, sizes.nb)
    return max(speed, h * acceleration, 1e-3 * memory[LARGEST_SPEED])


@step
def evaluate(system, data, sizes, scheme, arrays, stride, refresh, first):
    """Forces at the θ-point, in V[KNOWN], with a new tangent if ``refresh``; constraints at the end of the step.

    In the ``first`` iteration contacts are weighed.
    """
    Q, V, theta, h = arrays.Q, arrays.V, scheme.theta, stride.h
    t_theta = stride.t1 - (1.0 - theta) * h
    blend(theta, h, theta, V)
    system.update(Q[Q0], V[DELTA], data, Q[Q1])
    if not sizes.constant_M:
        system.M(t_theta, Q[Q1], data, arrays.J[: sizes.end_M])
    system.f(t_theta, Q[Q1], V[V_TILDE], data, V[KNOWN])
    arrays.counts[EVALUATIONS] += 1
    if refresh:
        # the tangent belongs to the θ-point: it gets there by way of v1
        swap(V)
        evaluate_tangent(system, data, sizes, arrays, t_theta, A_1)
        swap(V)
    blend(theta, h, 1.0, V)
    system.update(Q[Q0], V[DELTA], data, Q[Q1])
    evaluate_all_rows(system, data, sizes, arrays, stride.t1)
    if first and sizes.m > sizes.nb:
        put_compliances(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, arrays.X, sizes.nv)
        weigh(arrays.X, sizes.nv, arrays.L, arrays.S, sizes.nb)
    apply_law(sizes, scheme, arrays)


@step
def find_active(sizes, arrays, iteration):
    """`choose_active` of the contacts."""
    slack = slacks(arrays.memory)[1]
    firm = slack if iteration > 0 else -slack
    return choose_active(
        arrays.T, arrays.J, sizes.end_K, sizes.end_B, slack, firm, arrays.V, arrays.L, arrays.S, sizes.nb
    )


@step
def solve_all(system, linear, data, sizes, scheme, arrays, stride, build, check):
    """One Newton step for v1 and P, with a new matrix if ``build``."""
    r, status = arrays.memory[ROW_SCALE], OK
    if build:
        status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, Scaling(r, r, False))
    if status == OK:
        residual(system, data, sizes, arrays, stride.t1, stride.h, r)
        status = solve(linear, sizes, arrays, DYNAMICS, check)
    if status != OK:
        return Newton(status, 0.0, 0.0)
    error = add_step(arrays.X, r, arrays.V, V1, arrays.L, BIG_LAM)
    return Newton(OK if error < 1e300 else NOT_FINITE, error, 0.0)


@step
def complete(sizes, scheme, arrays, t1, h):
    """The new point becomes the old one."""
    accept_contacts(arrays.L, arrays.S, t1, h, arrays.log, sizes.nb, arrays.memory, arrays.counts)
    accept(arrays.Q, arrays.V, arrays.L, 0.0, t1, h, arrays.memory, arrays.counts)
    accept_corrections(arrays.V, arrays.L)


@leaf
def weigh(X, n, L, S, nb):
    """Masses that contacts meet, 1/(N diag(M)⁻¹ Nᵀ): what compares an impulse with a velocity, in any units."""
    for i in range(nb, L.shape[1]):
        if S[SET_A, i]:
            L[MASS, i] = 1.0 / X[SCRATCH, n + i]


@step
def share_impulses(linear, sizes, arrays):
    """`shorten_multipliers`, as far as no contact pulls: between two walls the shortest impulses have either sign."""
    L = arrays.L
    copy_rows(L, BIG_LAM, STAR, sizes.m)
    shorten_multipliers(linear, sizes, arrays, DYNAMICS, BIG_LAM)
    keep_pushing(L, slacks(arrays.memory)[1], sizes.nb)


@leaf
def keep_pushing(L, slack, nb):
    """Λ ← STAR + s (Λ − STAR) with the largest s ≤ 1 that lets no contact pull but for round-off."""
    s = 1.0
    for i in range(nb, L.shape[1]):
        room = max(L[STAR, i], 0.0) + slack * L[MASS, i]
        if L[STAR, i] - L[BIG_LAM, i] > room:
            s = min(s, room / (L[STAR, i] - L[BIG_LAM, i]))
    if s < 1.0:
        for i in range(L.shape[1]):
            L[BIG_LAM, i] = L[STAR, i] + s * (L[BIG_LAM, i] - L[STAR, i])


@leaf
def impacts_hold(L, S, speed, nb):
    """Do closed contacts depart as the law says, to round-off? An impact must not gain by what the iteration left."""
    largest = 0.0
    for i in range(nb, L.shape[1]):
        if S[SET_B, i] and L[REBOUND, i] != 0.0:
            largest = max(largest, abs(L[ROWS, i]))
    return largest <= 1e-14 * speed


@step
def residual(system, data, sizes, arrays, t1, h, r):
    """Right-hand side of the Newton step in X; the force is in V[KNOWN]."""
    T, J, V, L, X = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X
    if sizes.nb > sizes.ng:
        system.k(t1, arrays.Q[Q1], V[V1], data, L[ROWS, sizes.ng : sizes.nb])
    velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, sizes.ng)
    put_impact_rows(T, J, sizes.end_K, sizes.end_B, V, L, sizes.nb)
    momentum_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, h, V, L, X)
    put_active_rows(L, arrays.S, SET_C, -r, X, sizes.nv)


@step
def finish(system, linear, data, sizes, scheme, arrays, stride):
    """Mean accelerations and multipliers of the step; gaps and impulses."""
    L, V, r = arrays.L, arrays.V, arrays.memory[ROW_SCALE]
    if arrays.counts[REGULARISED]:
        # with the rows of this point: what exerts no force there is taken away
        status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, Scaling(r, r, False))
        if status != OK:
            return status
        share_impulses(linear, sizes, arrays)
    means(stride.h, V, L, sizes.nb)
    if sizes.m > sizes.nb:
        system.gap(stride.t1, arrays.Q[Q1], data, L[GAP, sizes.nb :])
    contact_rates(arrays.T, arrays.J, sizes.end_K, sizes.end_B, V, L, sizes.nb)
    return OK


@leaf
def begin(V, L):
    """Starting values: v1 extrapolated with the last acceleration is not better after an impact, so v1 = v0, P = 0."""
    for i in range(V.shape[1]):
        V[V1, i] = V[V0, i]
        V[A_1, i] = 0.0
    for i in range(L.shape[1]):
        L[BIG_LAM, i] = 0.0


@leaf
def forecast(L, S, h, slack, nb):
    """S[SET_A]: contacts that may close in this step, gap + h/2 ġap ≤ 0 within ``slack``."""
    for i in range(nb, L.shape[1]):
        S[SET_A, i] = 1 if L[GAP, i] + 0.5 * h * L[RATE0, i] <= slack else 0


@leaf
def choose_active(T, J, first, last, slack, firm, V, L, S, nb):
    """Complementarity by augmented impulses, P − r (N v1 + gap_t − u1) ≥ 0; gives the number of changes.

    What is within ``slack``, round-off, stays closed. An open contact closes beyond ``firm``: of two walls that hold a
    ball only one presses, and the other would come and go with the round-off of its velocity.
    """
    changes = 0
    put_impact_rows(T, J, first, last, V, L, nb)
    for i in range(nb, L.shape[1]):
        limit = -slack if S[SET_C, i] else firm
        active = 1 if S[SET_A, i] and L[BIG_LAM, i] / L[MASS, i] - L[ROWS, i] >= limit else 0
        if active != S[SET_C, i]:
            S[SET_C, i] = active
            S[SET_B, i] = active
            changes += 1
        if not active:
            L[BIG_LAM, i] = 0.0
    return changes


@leaf
def blend(theta, h, part, V):
    """V_TILDE = v_θ and Δ = part h v_θ."""
    for i in range(V.shape[1]):
        V[V_TILDE, i] = (1.0 - theta) * V[V0, i] + theta * V[V1, i]
        V[DELTA, i] = part * h * V[V_TILDE, i]


@leaf
def swap(V):
    """v1 and v_θ change places."""
    for i in range(V.shape[1]):
        V[V1, i], V[V_TILDE, i] = V[V_TILDE, i], V[V1, i]


@leaf
def momentum_residual(T, J, end_M, first, last, h, V, L, X):
    """X[SOLUTION] = h f + BᵀP − M (v1 − v0)."""
    for i in range(V.shape[1]):
        X[SOLUTION, i] = h * V[KNOWN, i]
    for e in range(first, last):
        X[SOLUTION, T[1, e]] += J[e] * L[BIG_LAM, T[0, e]]
    for e in range(end_M):
        X[SOLUTION, T[0, e]] -= J[e] * (V[V1, T[1, e]] - V[V0, T[1, e]])


@leaf
def means(h, V, L, nb):
    """v̇1 = (v1 − v0)/h and μ1 = P/h, impacts included; Λ* = P."""
    for i in range(V.shape[1]):
        V[VDOT1, i] = (V[V1, i] - V[V0, i]) / h
        V[A_1, i] = V[VDOT1, i]
    for i in range(L.shape[1]):
        L[MU1, i] = L[BIG_LAM, i] / h
        L[STAR, i] = L[BIG_LAM, i]
