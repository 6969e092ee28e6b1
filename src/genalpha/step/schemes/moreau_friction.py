"""The Moreau-Jean θ-scheme with Coulomb friction: the baseline of nonsmooth dynamics, for comparison.

The equations are those of `moreau`, with the impulses of friction,

    M(q_θ) (v1 − v0) − BᵀP − T̂ᵀ P̂t = h f(t_θ, q_θ, v_θ)

and Coulomb's law for all the impulse of a step. With s0, s1 the slip, ē = e_t where the contact hits in this step and
else 0, and ξ = s1 + ē s0,

    it sticks, ξ = 0, if |P̂t| ≤ Pn;    else P̂t = −Pn ξ/|ξ|

In the test of stick Pn counts times μ_static/μ where it stuck at the old point. Dry friction has h times its bound in
place of Pn. The direction is that of the end of the step: where the slip turns, the scheme is of first order.

Contacts that are forecast to close and dry friction make one problem, `contact.problem`, so that matrices have no rows
of contacts. It gives impulses and modes at once; a step is accepted when none changes any more.

References: those of `moreau`; M. Jean, J. J. Moreau, Unilaterality and dry friction in the dynamics of rigid body
collections, Contact Mechanics International Symposium, 1992: the total rule. The gate of e_t is that of `friction`.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.compiled.reference import by_reference
from genalpha.math.coulomb_tables import DISK, FREE, OPEN, STICK, WIDTH
from genalpha.math.linear import transposed_multiply_add
from genalpha.step.contact.friction import accept_friction, begin_friction, evaluate_slip, evaluate_slip_gradient
from genalpha.step.contact.kernels import contact_rates, largest_push, put_active_rows
from genalpha.step.contact.levels import (
    IMPULSES,
    drop_others,
    enter_velocities,
    keep_modes,
    open_gates,
    status_of,
)
from genalpha.step.contact.problem import (
    hide_sets,
    put_found,
    put_known,
    set_direction,
    set_law,
    show_sets,
    solve_problem,
)
from genalpha.step.contact.residuals import SLOW, accept_contacts, any_impact, put_impact_rows, slacks
from genalpha.step.kernels import accept, accept_corrections, add_step, largest_product, velocity_rows
from genalpha.step.newton import build_dynamics, judge, shorten_multipliers
from genalpha.step.schemes import moreau
from genalpha.step.schemes.alpha import choose_matrices
from genalpha.step.schemes.moreau import MOST_POLISH, forecast, means, momentum_residual, stride_of
from genalpha.step.state import (
    BIG_LAM,
    BIG_LAM_T,
    BOUND,
    COLUMNS,
    CONTRACTION,
    DIRECTION_B,
    DYNAMICS,
    ELEMENT,
    ETA_T1,
    FIRST_T,
    GAP,
    LAM_T1,
    LARGEST_EXTENT,
    LARGEST_SPEED,
    LOG_FULL,
    LOGGED,
    MODE_B,
    MODE_C,
    NEWTON,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    Q0,
    Q1,
    Q_UNIT,
    REGULARISED,
    ROW_SCALE,
    ROWS,
    SET_B,
    SET_C,
    SOLUTION,
    STAR_T,
    STATIC,
    STEPS,
    STUCK,
    TANGENT_AGE,
    V1,
)
from genalpha.step.values import EPSILON, Levels, Newton, Progress, Scaling


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    memory, counts, nb = arrays.memory, arrays.counts, sizes.nb
    if counts[LOGGED] + 2 * (sizes.m - nb) > arrays.log.shape[0]:
        return LOG_FULL
    stride = by_reference(stride_of(scheme, t1, h))
    error, contraction, settled, polished = 0.0, memory[CONTRACTION], False, 0
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    scale = prepare(system, data, sizes, scheme, arrays, stride, refresh)
    for iteration in range(scheme.max_iter):
        if settled and (polished == MOST_POLISH or not wants_polish(arrays, nb, error)):
            return finish(system, linear, data, sizes, scheme, arrays, stride)
        polished += int(settled)
        status = renew(linear, sizes, scheme, arrays, stride, refresh) if iteration == 0 or refresh else OK
        if status != OK:
            return status
        counts[NEWTON] += 1
        before, solved = error, solve_all(system, linear, data, sizes, arrays, stride)
        error, changed = solved.error, solved.changes > 0
        if solved.status != OK:
            return solved.status
        progress = Progress(0 if changed else iteration, scale, before, 1.0 if changed else contraction, EPSILON)
        settled, contraction, refresh = judge(sizes, scheme, arrays, stride, progress, Newton(OK, error, 0.0))
        settled = settled and not changed
        evaluate(system, data, sizes, scheme, arrays, stride, refresh, False)
    return NOT_CONVERGED


@step
def complete(sizes, scheme, arrays, t1, h):
    """The new point becomes the old one."""
    L, S, log, counts, nb = arrays.L, arrays.S, arrays.log, arrays.counts, sizes.nb
    before = counts[LOGGED]
    accept_contacts(L, S, t1, h, log, nb, arrays.memory, counts)
    accept_friction(h, before, counts[LOGGED], log, S, nb, arrays.F, arrays.R, arrays.K)
    accept(arrays.Q, arrays.V, L, 0.0, t1, h, arrays.memory, counts)
    accept_corrections(arrays.V, L)


@step
def prepare(system, data, sizes, scheme, arrays, stride, refresh):
    """The first iterate, and all that is evaluated there; gives the speed that errors are relative to.

    A contact at rest whose gap is round-off stays closed: without its force it would slide, fall, and hit.
    """
    L, S, memory, nb, h = arrays.L, arrays.S, arrays.memory, sizes.nb, stride.h
    begin_friction(arrays.counts[STEPS] == 0, L, arrays.F, S, arrays.K, nb)
    scale = moreau.prepare(sizes, arrays, h)
    extent = largest_product(arrays.Q[Q0], arrays.Q[Q_UNIT], arrays.Q.shape[1])
    memory[LARGEST_EXTENT] = max(memory[LARGEST_EXTENT], extent + h * scale)
    forecast(L, S, h, slacks(memory)[0], nb)
    evaluate(system, data, sizes, scheme, arrays, stride, refresh, True)
    # what rests has no velocity to measure by, only the one that its force takes away
    scale = max(scale, h * largest_push(L, nb))
    memory[LARGEST_SPEED] = max(memory[LARGEST_SPEED], scale)
    return scale


@step
def evaluate(system, data, sizes, scheme, arrays, stride, refresh, first):
    """What `moreau.evaluate` does, and slips with their gradients at the end of the step."""
    moreau.evaluate(system, data, sizes, scheme, arrays, stride, refresh, first)
    evaluate_slip_gradient(system, data, sizes, arrays, stride.t1)
    evaluate_slip(system, data, sizes, arrays, stride.t1)


@step
def wants_polish(arrays, nb, error):
    """Must an iteration that has settled go on to round-off? An impact must not gain by what it leaves."""
    speed = arrays.memory[LARGEST_SPEED]
    return error > 1e-14 * speed and any_impact(arrays.L, arrays.S, SLOW * speed, nb)


@step
def renew(linear, sizes, scheme, arrays, stride, refresh):
    """The matrix of the dynamics, without contacts; gives a status."""
    if refresh:
        choose_matrices(sizes, scheme, arrays, stride)
    r = arrays.memory[ROW_SCALE]
    arrays.counts[COLUMNS] = 0
    hide_sets(arrays.S, arrays.K, sizes.nb)
    status = build_dynamics(linear, sizes, scheme, arrays, DYNAMICS, stride, Scaling(r, r, False))
    show_sets(arrays.S, arrays.K, sizes.nb)
    return status


@step
def solve_all(system, linear, data, sizes, arrays, stride):
    """One Newton step for v1, with all impulses and modes."""
    L, F, R, K, S, places, nb, h = arrays.L, arrays.F, arrays.R, arrays.K, arrays.S, arrays.places, sizes.nb, stride.h
    r = arrays.memory[ROW_SCALE]
    n, n_el = enter_velocities(nb, S, K, places, arrays.elements, arrays.numbers)
    drop_others(BIG_LAM, BIG_LAM_T, nb, L, F, places)
    residual(system, data, sizes, arrays, stride.t1, h, r)
    open_gates(SLOW * arrays.memory[LARGEST_SPEED], nb, L, F, R, K)
    put_known(L, F, nb, BIG_LAM, BIG_LAM_T, n, places, arrays.P)
    put_laws(h, n_el, F, R, K, places, arrays.elements, arrays.numbers)
    problem = solve_problem(linear, sizes, arrays, DYNAMICS, n, n_el)
    error = add_step(arrays.X, r, arrays.V, V1, L, BIG_LAM)
    put_found(BIG_LAM, BIG_LAM_T, nb, places, arrays.P, L, F)
    changes = keep_modes(IMPULSES, n_el, nb, S, K, F, places, arrays.elements, arrays.numbers)
    share_modes(S, K, nb)
    status = status_of(problem)
    return Levels(NOT_FINITE if status == OK and not error < 1e300 else status, error, 0.0, changes, False)


@step
def residual(system, data, sizes, arrays, t1, h, r):
    """Right-hand side of the Newton step in X, and the rows of contacts; the force is in V[KNOWN]."""
    T, J, V, L, X = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X
    if sizes.nb > sizes.ng:
        system.k(t1, arrays.Q[Q1], V[V1], data, L[ROWS, sizes.ng : sizes.nb])
    velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, sizes.ng)
    put_impact_rows(T, J, sizes.end_K, sizes.end_B, V, L, sizes.nb)
    momentum_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, h, V, L, X)
    transposed_multiply_add(T, J, sizes.end_F, sizes.end_T, 1.0, arrays.F, BIG_LAM_T, X, SOLUTION)
    put_active_rows(L, arrays.S, SET_C, -r, X, sizes.nv)


@leaf
def put_laws(h, n_el, F, R, K, places, elements, numbers):
    """The total rule for all that has friction."""
    for k in range(n_el):
        e = places[ELEMENT, k]
        if elements[k, WIDTH] == 0:
            set_law(k, FREE, STICK, 0.0, 1.0, elements, numbers)
            continue
        guess, kappa = K[MODE_B, e] if K[MODE_B, e] != OPEN else STICK, R[STATIC, e] if K[STUCK, e] else 1.0
        set_law(k, DISK, guess, h * R[BOUND, e], kappa, elements, numbers)
        set_direction(k, DIRECTION_B, K[FIRST_T, e], F, elements, numbers)


@leaf
def share_modes(S, K, nb):
    """There is one level: what is closed presses, and what sticks has no slip to begin with."""
    for i in range(nb, S.shape[1]):
        S[SET_C, i] = S[SET_B, i]
    for e in range(K.shape[1]):
        K[MODE_C, e] = K[MODE_B, e]


@step
def finish(system, linear, data, sizes, scheme, arrays, stride):
    """Mean accelerations and multipliers of the step; gaps and impulses."""
    L, V, F, nb = arrays.L, arrays.V, arrays.F, sizes.nb
    if arrays.counts[REGULARISED]:
        # with the rows of this point: what exerts no force there is taken away, of bilateral rows
        status = renew(linear, sizes, scheme, arrays, stride, False)
        if status != OK:
            return status
        shorten_multipliers(linear, sizes, arrays, DYNAMICS, BIG_LAM)
        put_found(BIG_LAM, BIG_LAM_T, nb, arrays.places, arrays.P, L, F)
    means(stride.h, V, L, nb)
    means_of_friction(stride.h, F)
    if sizes.m > nb:
        system.gap(stride.t1, arrays.Q[Q1], data, L[GAP, nb:])
    contact_rates(arrays.T, arrays.J, sizes.end_K, sizes.end_B, V, L, nb)
    return OK


@leaf
def means_of_friction(h, F):
    """λ̂t1 = P̂t/h, impacts included, and no other η̂t; all the impulse is P̂t."""
    for i in range(F.shape[1]):
        F[LAM_T1, i] = F[BIG_LAM_T, i] / h
        F[ETA_T1, i] = F[LAM_T1, i]
        F[STAR_T, i] = F[BIG_LAM_T, i]
