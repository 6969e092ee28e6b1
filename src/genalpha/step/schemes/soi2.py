"""The generalized-α-SOI2 scheme, one source: paper 001 (14); without holonomic rows it is 003 (2.3).

The discrete equations, with the letters of this package (y, z, a_α, a_{1+α} of the papers are q, v, a0, a1),
α = α_m − α_f, μ = (lam, psi), and M1 = M(t0 + (1 + α) h, q0 + h (1 + α) v0):

    q1 = q0 + h v0 + h² ((½ − β) a0 + β ã)                              (14a)
    ṽ1 = v0 + h ((1 − γ) a0 + γ ã)                                      (14b)
    v1 = v0 + h ((1 − γ) a0 + γ a1)                                     (14c)
    (1 − α_m) M1 ã + α_m (M a)0 = (1 − α_f) f(q1, v1, μ̃) + α_f f0       (14d)
    (1 − α_m) M1 a1 + α_m (M a)0 = (1 − α_f) f(q1, v1, μ1) + α_f f0     (14e)
    g(q1) = 0,  ġ(q1, v1) = 0,  k(q1, ṽ1) = 0,  k(q1, v1) = 0           (14f-i)

f contains the multipliers: f + Bᵀμ in the additive form. Then (14d) is replaced by its difference from (14e), which
needs no force: M1 d = κ Bᵀ(μ̃ − μ1) with d = ã − a1, κ = (1 − α_f)/(1 − α_m).

As Algorithm 1 of 002 does, an iteration makes a Newton step for (a1, μ1) from (14e, g, i), then one for (d, μ̃ − μ1)
from (14d, f, h). The papers' M_α a_α is carried as a vector.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.compiled.reference import by_reference
from genalpha.math.linear import multiply_add, transposed_multiply_add
from genalpha.step.kernels import add_step, displace, largest_of_two, put_rows, velocity_rows
from genalpha.step.newton import judge, shorten_multipliers, solve
from genalpha.step.schemes.alpha import build_matrices, choose_matrices, evaluate_rows, evaluate_tangent
from genalpha.step.state import (
    A_0,
    A_1,
    A_BEFORE,
    A_HERE,
    CONTRACTION,
    D0,
    D_BEFORE,
    DELTA,
    DYNAMICS,
    EVALUATIONS,
    F0,
    F1,
    HISTORY,
    KNOWN,
    MA_0,
    MA_1,
    MA_BEFORE,
    MA_HERE,
    MU0,
    MU1,
    MU_BEFORE,
    NEWTON,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    Q0,
    Q1,
    REGULARISED,
    ROW_SCALE,
    ROWS,
    SHARED,
    SOLUTION,
    STEP_SIZE,
    STEPS,
    TANGENT_AGE,
    TILDE,
    TILDE0,
    TIME,
    V0,
    V1,
    V_TILDE,
    V_UNIT,
    VDOT0,
    VDOT1,
    VELOCITY_MATRIX,
    D,
)
from genalpha.step.values import EPSILON, Newton, Progress, Scaling, Stride


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    memory, counts = arrays.memory, arrays.counts
    stride = by_reference(stride_of(scheme, memory, counts, t1, h))
    scale = prepare(system, data, sizes, scheme, arrays, stride)
    before, contraction = 0.0, 1.1 * memory[CONTRACTION]
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    for iteration in range(scheme.max_iter):
        counts[NEWTON] += 1
        evaluate_rows(system, data, sizes, arrays, t1)
        evaluate_force(system, data, sizes, arrays, t1, 0.0)
        build = iteration == 0 or refresh
        status = renew(system, linear, data, sizes, scheme, arrays, stride, refresh) if build else OK
        if status != OK:
            return status
        scaling = scaling_of(memory)
        newton = solve_levels(system, linear, data, sizes, scheme, arrays, stride, scaling, build)
        if newton.status != OK:
            return newton.status
        progress = Progress(iteration, scale, before, contraction, EPSILON)
        settled, contraction, refresh = judge(sizes, scheme, arrays, stride, progress, newton)
        if settled:
            memory[CONTRACTION] = min(max(contraction, 0.1 * memory[CONTRACTION]), 1.0)
            if counts[REGULARISED]:
                shorten_multipliers(linear, sizes, arrays, DYNAMICS, MU1)
            status = finish(system, linear, data, sizes, scheme, arrays, stride, scaling.r)
            if counts[REGULARISED]:
                shorten_multipliers(linear, sizes, arrays, DYNAMICS, MU1)  # what round-off has brought back
            return status
        before = newton.error
    return NOT_CONVERGED


@step
def stride_of(scheme, memory, counts, t1, h):
    """The numbers of a step; c7 and c8 are the weights of damping and stiffness in (14e), c9 is κ."""
    kappa = (1.0 - scheme.alpha_f) / (1.0 - scheme.alpha_m)
    c7, c8 = kappa * h * scheme.gamma, kappa * h * h * scheme.beta
    ratio = h / memory[STEP_SIZE] if counts[HISTORY] > 0 else 0.0
    to_velocity = scheme.gamma / (scheme.beta * h)
    return Stride(t1, h, slope=0.0, lag=ratio, ratio=ratio, c7=c7, c8=c8, c9=kappa, to_velocity=to_velocity)


@step
def scaling_of(memory):
    """How matrices are made, as `choose_matrices` has left it."""
    return Scaling(memory[ROW_SCALE], memory[ROW_SCALE], memory[SHARED] > 0.0)


@step
def prepare(system, data, sizes, scheme, arrays, stride):
    """The first iterate, and the mass matrix; gives the speed that errors are relative to."""
    V, memory = arrays.V, 0.0 if arrays.counts[REGULARISED] else 1.0
    speed, acceleration = largest_of_two(V, V0, V_UNIT, V, A_0, V_UNIT)
    begin(V, arrays.L, scheme.alpha_m, scheme.alpha_f, stride.ratio, scheme.adjust, memory)
    evaluate_mass(system, data, sizes, scheme, arrays, stride.t1, stride.h)
    move(system, data, sizes, scheme, arrays, stride.h)
    return max(speed, stride.h * acceleration)


@step
def renew(system, linear, data, sizes, scheme, arrays, stride, refresh):
    """Factorise the matrices, with a new tangent if ``refresh``; gives a status."""
    if refresh:
        evaluate_tangent(system, data, sizes, arrays, stride.t1, VDOT1)
    if refresh or stride.ratio != 1.0:
        choose_matrices(sizes, scheme, arrays, stride)
    if sizes.multipliers_in_f:
        q, v, mu = arrays.Q[Q1], arrays.V[V1], arrays.L[MU1]
        system.force_mu(stride.t1, q, v, mu, data, arrays.J[sizes.end_B : sizes.end_F])
    return build_matrices(linear, sizes, scheme, arrays, stride, scaling_of(arrays.memory))


@step
def solve_levels(system, linear, data, sizes, scheme, arrays, stride, scaling, check):
    """One iteration, level by level; the force is in V[F1]. ``check``: the factors are new."""
    V, L, X, h, kappa, r = arrays.V, arrays.L, arrays.X, stride.h, stride.c9, scaling.r
    # (14e, g, i): for a1 and μ1
    residual(system, data, sizes, scheme, arrays, stride, r)
    status = solve(linear, sizes, arrays, DYNAMICS, check)
    if status != OK:
        return Newton(status, 0.0, 0.0)
    error, way = h * scheme.gamma * add_step(X, r / kappa, V, A_1, L, MU1), 0.0
    move(system, data, sizes, scheme, arrays, h)

    # (14d, f, h): for d = ã − a1 and μ̃ − μ1
    if sizes.ng > 0:
        residual_tilde(system, data, sizes, scheme, arrays, stride, r)
        solve(linear, sizes, arrays, DYNAMICS if scaling.shared else VELOCITY_MATRIX, False)
        if not sizes.flat:
            system.untwist(V[DELTA], data, X[SOLUTION, : sizes.nv])
        way = h * h * scheme.beta * add_step(X, r / kappa, V, D, L, TILDE)
        error = max(error, stride.to_velocity * way)
        move(system, data, sizes, scheme, arrays, h)
    return Newton(OK if error < 1e300 else NOT_FINITE, error, way)


@step
def complete(sizes, scheme, arrays, t1, h):
    """The new point becomes the old one."""
    accept(arrays.Q, arrays.V, arrays.L, t1, h, arrays.memory, arrays.counts)


@leaf
def begin(V, L, alpha_m, alpha_f, ratio, adjust, memory):
    """(15), (16): a0 and (M a)0 moved to this step size; the known part of (14d, e); starting values of a1, d and μ.

    a1 is extrapolated along the line through the last two values of a; ``ratio`` is h/h_before, 0 in a first step.
    ``memory`` is 0 if rows are redundant: then the multipliers start from zero, so that Newton's increments add up to
    multipliers of minimum norm.
    """
    change = (alpha_m - alpha_f) * (ratio - 1.0) if ratio > 0.0 and adjust else 0.0
    for i in range(V.shape[1]):
        V[A_HERE, i] = V[A_0, i] + change * (V[A_0, i] - V[A_BEFORE, i])
        V[MA_HERE, i] = V[MA_0, i] + change * (V[MA_0, i] - V[MA_BEFORE, i])
        V[KNOWN, i] = (alpha_f * V[F0, i] - alpha_m * V[MA_HERE, i]) / (1.0 - alpha_m)
        V[A_1, i] = V[A_HERE, i] + ratio * (V[A_0, i] - V[A_BEFORE, i])
        V[D, i] = ratio * (2.0 * V[D0, i] - V[D_BEFORE, i])
        V[VDOT1, i] = 0.0  # the mass matrix does not vary within a step: no ∂(M v̇)/∂q in the stiffness
    for i in range(L.shape[1]):
        L[MU1, i] = memory * (L[MU0, i] + ratio * (L[MU0, i] - L[MU_BEFORE, i]))
        L[TILDE, i] = memory * ratio * L[TILDE0, i]


@step
def evaluate_mass(system, data, sizes, scheme, arrays, t1, h):
    """M1 = M(t_{1+α}, q0 ∘ exp(h (1 + α) v0))."""
    if sizes.constant_M:
        return
    shift = scheme.alpha_m - scheme.alpha_f
    Q, V = arrays.Q, arrays.V
    scaled(V, V0, (1.0 + shift) * h, DELTA)
    system.update(Q[Q0], V[DELTA], data, Q[Q1])
    system.M(t1 + shift * h, Q[Q1], data, arrays.J[: sizes.end_M])


@step
def move(system, data, sizes, scheme, arrays, h):
    """(14a)-(14c): q1, ṽ1 and v1 from a1 and d."""
    Q, V = arrays.Q, arrays.V
    integrate(scheme.beta, scheme.gamma, h, V)
    if sizes.flat:
        displace(Q, V)
    else:
        system.update(Q[Q0], V[DELTA], data, Q[Q1])


@leaf
def integrate(beta, gamma, h, V):
    """(14a)-(14c)."""
    for i in range(V.shape[1]):
        a, a1, d = V[A_HERE, i], V[A_1, i], V[D, i]
        V[DELTA, i] = h * V[V0, i] + h * h * ((0.5 - beta) * a + beta * (a1 + d))
        V[V1, i] = V[V0, i] + h * ((1.0 - gamma) * a + gamma * a1)
        V[V_TILDE, i] = V[V1, i] + h * gamma * d


@step
def evaluate_force(system, data, sizes, arrays, t1, tilde):
    """V[F1] = f(q1, v1, μ) with μ = μ1 + tilde (μ̃ − μ1), constraint forces included."""
    Q, V, L = arrays.Q, arrays.V, arrays.L
    arrays.counts[EVALUATIONS] += 1
    if sizes.multipliers_in_f:
        mixed(L, tilde)
        system.force(t1, Q[Q1], V[V1], L[ROWS], data, V[F1])
    else:
        system.f(t1, Q[Q1], V[V1], data, V[F1])
        add_constraint_forces(arrays.T, arrays.J, sizes.end_C, sizes.end_B, V, L)


@step
def residual(system, data, sizes, scheme, arrays, stride, r):
    """Right-hand side of the Newton step of (14e, g, i) in X; the force is in V[F1]."""
    t1, h, kappa = stride.t1, stride.h, stride.c9
    T, J, V, L, X, ng = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X, sizes.ng
    force_residual(T, J, sizes.end_M, kappa, 0.0, V, X)
    if sizes.nb > ng:
        system.k(t1, arrays.Q[Q1], V[V1], data, L[ROWS, ng:])
    velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, ng)
    put_rows(L, 0, sizes.nb, -r / (h * scheme.gamma), X, sizes.nv)


@step
def residual_tilde(system, data, sizes, scheme, arrays, stride, r):
    """Right-hand side of the Newton step of (14d, f, h) in X."""
    t1, h, kappa = stride.t1, stride.h, stride.c9
    T, J, Q, V, L, X, ng = arrays.T, arrays.J, arrays.Q, arrays.V, arrays.L, arrays.X, sizes.ng
    if sizes.multipliers_in_f:
        evaluate_force(system, data, sizes, arrays, t1, 1.0)
        force_residual(T, J, sizes.end_M, kappa, 1.0, V, X)
    else:
        difference_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, kappa, V, L, X)
    system.g(t1, Q[Q1], data, L[ROWS, :ng])
    if sizes.nb > ng:
        system.k(t1, Q[Q1], V[V_TILDE], data, L[ROWS, ng:])
    put_rows(L, 0, ng, -r / (h * h * scheme.beta), X, sizes.nv)
    put_rows(L, ng, sizes.nb, -r / (h * scheme.gamma), X, sizes.nv)


@step
def finish(system, linear, data, sizes, scheme, arrays, stride, r):
    """(14e, g, i) once more at the accepted q1, so that ġ = 0 and k = 0 hold to round-off; M a and f of this step."""
    V, L, X, t1 = arrays.V, arrays.L, arrays.X, stride.t1
    status = OK
    evaluate_rows(system, data, sizes, arrays, t1)
    if sizes.nb > 0:
        evaluate_force(system, data, sizes, arrays, t1, 0.0)
        residual(system, data, sizes, scheme, arrays, stride, r)
        status = solve(linear, sizes, arrays, DYNAMICS, False)
        add_step(X, r / stride.c9, V, A_1, L, MU1)
        # q1 stays, and so does ã; without holonomic rows there is no ã, and a1 changes within the tolerance only
        add_velocity(X, stride.h * scheme.gamma, 1.0 if sizes.ng > 0 else 0.0, V)
    evaluate_force(system, data, sizes, arrays, t1, 0.0)
    weigh(arrays.T, arrays.J, sizes.end_M, V, A_1, MA_1)
    acceleration_between(scheme.alpha_m - scheme.alpha_f, V)
    return status


@leaf
def scaled(V, source, factor, target):
    """V[target] = factor V[source]."""
    for i in range(V.shape[1]):
        V[target, i] = factor * V[source, i]


@leaf
def mixed(L, tilde):
    """L[ROWS] = μ1 + tilde (μ̃ − μ1)."""
    for i in range(L.shape[1]):
        L[ROWS, i] = L[MU1, i] + tilde * L[TILDE, i]


@leaf
def add_constraint_forces(T, J, first, last, V, L):
    """V[F1] += Bᵀμ1."""
    transposed_multiply_add(T, J, first, last, 1.0, L, MU1, V, F1)


@leaf
def force_residual(T, J, end_M, kappa, tilde, V, X):
    """X[SOLUTION] = κ f + known − M1 (a1 + tilde d)."""
    for i in range(V.shape[1]):
        X[SOLUTION, i] = kappa * V[F1, i] + V[KNOWN, i]
    multiply_add(T, J, 0, end_M, -1.0, V, A_1, X, SOLUTION)
    if tilde != 0.0:
        multiply_add(T, J, 0, end_M, -tilde, V, D, X, SOLUTION)


@leaf
def difference_residual(T, J, end_M, first, last, kappa, V, L, X):
    """X[SOLUTION] = κ Bᵀ(μ̃ − μ1) − M1 d: (14d) without (14e), for additive forces."""
    for i in range(V.shape[1]):
        X[SOLUTION, i] = 0.0
    transposed_multiply_add(T, J, first, last, kappa, L, TILDE, X, SOLUTION)
    multiply_add(T, J, 0, end_M, -1.0, V, D, X, SOLUTION)


@leaf
def add_velocity(X, factor, tilde, V):
    """v1 += factor times the change of a1; d −= tilde times it."""
    for i in range(V.shape[1]):
        V[V1, i] += factor * X[SOLUTION, i]
        V[D, i] -= tilde * X[SOLUTION, i]


@leaf
def acceleration_between(shift, V):
    """v̇1, which is no variable of the scheme: on the line through a0 and a1, α h before the time of a1."""
    for i in range(V.shape[1]):
        V[VDOT1, i] = V[A_1, i] - shift * (V[A_1, i] - V[A_HERE, i])


@leaf
def weigh(T, J, end_M, V, source, target):
    """V[target] = M V[source]."""
    for i in range(V.shape[1]):
        V[target, i] = 0.0
    for e in range(end_M):
        V[target, T[0, e]] += J[e] * V[source, T[1, e]]


@leaf
def accept(Q, V, L, t1, h, memory, counts):
    """The new point becomes the old one."""
    for i in range(Q.shape[1]):
        Q[Q0, i] = Q[Q1, i]
    for i in range(V.shape[1]):
        V[A_BEFORE, i] = V[A_HERE, i]
        V[A_0, i] = V[A_1, i]
        V[MA_BEFORE, i] = V[MA_HERE, i]
        V[MA_0, i] = V[MA_1, i]
        V[F0, i] = V[F1, i]
        V[V0, i] = V[V1, i]
        V[VDOT0, i] = V[VDOT1, i]
        V[D_BEFORE, i] = V[D0, i]
        V[D0, i] = V[D, i]
    for i in range(L.shape[1]):
        L[MU_BEFORE, i] = L[MU0, i]
        L[MU0, i] = L[MU1, i]
        L[TILDE0, i] = L[TILDE, i]
    memory[TIME] = t1
    memory[STEP_SIZE] = h
    counts[STEPS] += 1
    counts[HISTORY] += 1
    counts[TANGENT_AGE] += 1
