"""The nonsmooth generalized-α method with Coulomb friction: formulations PVA (strategies 2 and 3) and PVV.

The equations are those of `impact`, with the forces of friction,

    M v̇1 − Bᵀμ − T̂ᵀ λ̂t = f                                      (65a)
    M U − Gᵀν − Nᵀνn − (h/2) T̂ᵀ Λ̂t = 0                           (65d)
    M W − BᵀΛ − T̂ᵀ Λ̂t = 0                                        (65g)

and their laws at the levels of velocities and accelerations, see `contact.levels`. η̂t belongs to λ̂t as η does to
λ, (64), and Λ̂t* = Λ̂t + h ((1 − γ) η̂t0 + γ η̂t1) is all the impulse of a step. Nothing holds the positions of what
sticks: s1 = 0 and ṡ1 = 0 do not creep.

Sets and modes come with the solution of each level, `contact.problem`: matrices have no rows of contacts. A step is
accepted when the iteration has settled, and no contact has changed in the last one. After `PATIENCE` changes no
contact is at the acceleration level for the rest of the step, which any choice of C allows.

References: paper 002; G. Capobianco, J. Harsch, S. R. Eugster, R. I. Leine, A nonsmooth generalized-alpha method for
mechanical systems with frictional contact, Int. J. Numer. Meth. Engng. 122 (2021): their λ and Λ with the sets of
each level. The jump rule, the gate of e_t and modes that come from sets are not theirs.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.compiled.reference import by_reference
from genalpha.math.coulomb_tables import OPEN
from genalpha.math.coulomb_tables import SLIP as SLIPS
from genalpha.math.linear import mean_diagonal
from genalpha.step.contact.friction import (
    accept_friction,
    begin_friction,
    evaluate_slip,
    evaluate_slip_bias,
    evaluate_slip_gradient,
    has_changed,
    log_gain,
    smooth_friction,
    total_friction,
)
from genalpha.step.contact.kernels import (
    move_acceleration,
    smooth_multipliers,
    total_impulses,
)
from genalpha.step.contact.levels import put_forces, solve_accelerations, solve_levels, solve_velocities
from genalpha.step.contact.problem import hide_sets, show_sets
from genalpha.step.contact.residuals import accept_contacts, evaluate_all_rows, evaluate_gaps
from genalpha.step.contact.sets import divide_by_mass, ends, has_tail, put_tails, take_away, weigh_contacts
from genalpha.step.kernels import (
    accept,
    accept_corrections,
    add_dynamics,
)
from genalpha.step.newton import build_correction, judge, solve
from genalpha.step.schemes.alpha import (
    begin,
    build_matrices,
    choose_matrices,
    evaluate_dynamics,
    evaluate_tangent,
    move,
)
from genalpha.step.schemes.impact import measure_contacts, measure_motion, rows_hold
from genalpha.step.state import (
    ACCELERATION,
    COLUMNS,
    CONTRACTION,
    DYNAMICS,
    ETA1,
    ETA_T1,
    FIRST_T,
    HISTORY,
    LAM_T1,
    LOG_FULL,
    LOGGED,
    MODE_C,
    MU1,
    NEWTON,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    Q1,
    REGULARISED,
    SOLUTION,
    STEPS,
    TANGENT_AGE,
    V1,
    VDOT1,
    VELOCITY_MATRIX,
    WIDTH_T,
)
from genalpha.step.values import EPSILON, Newton, Progress, Turn, scaling_of, start_slope, stride_of

PATIENCE = 8
"""Changes of contacts in a step, before none is at the acceleration level."""

IDLE = 1e-14
"""A change of velocities, over the largest, that is none."""


@step
def advance(system, linear, data, sizes, scheme, arrays, t1, h):
    """One step from the old to the new rows of ``arrays``; gives a status."""
    if sizes.m > sizes.nb and arrays.counts[LOGGED] + 2 * (sizes.m - sizes.nb) + 1 > arrays.log.shape[0]:
        return LOG_FULL
    stride = by_reference(stride_of(scheme, arrays.memory, arrays.counts, t1, h, True))
    turn = by_reference(prepare(system, linear, data, sizes, scheme, arrays, stride))
    while True:
        if turn.settled:
            return conclude(system, linear, data, sizes, scheme, arrays, stride, turn)
        if turn.iteration == scheme.max_iter:
            return NOT_CONVERGED
        status = renew(system, linear, data, sizes, scheme, arrays, stride, turn)
        if status != OK:
            return status
        scaling = scaling_of(scheme, arrays.memory, stride)
        arrays.counts[NEWTON] += 1
        levels = solve_levels(system, linear, data, sizes, scheme, arrays, stride, scaling, turn.barred)
        if levels.status != OK:
            return levels.status
        if not levels.error < 1e300:
            return NOT_FINITE
        turn = by_reference(judge_iteration(sizes, scheme, arrays, stride, turn, levels))
        evaluate(system, data, sizes, scheme, arrays, stride)


@step
def complete(sizes, scheme, arrays, t1, h):
    """The new point becomes the old one."""
    slope, before = start_slope(scheme, arrays.counts), arrays.counts[LOGGED]
    kept = accept_contacts(arrays.L, arrays.S, t1, h, arrays.log, sizes.nb, arrays.memory, arrays.counts)
    now, ends_of = arrays.counts[LOGGED], (sizes.end_K, sizes.end_B, sizes.end_F, sizes.nb)
    arrays.counts[LOGGED] = log_gain(
        arrays.T, arrays.J, ends_of, t1, (before, now), arrays.log, arrays.V, arrays.L, arrays.F, arrays.K
    )
    same = accept_friction(h, before, now, arrays.log, arrays.S, sizes.nb, arrays.F, arrays.R, arrays.K)
    accept(arrays.Q, arrays.V, arrays.L, slope, t1, h, arrays.memory, arrays.counts)
    accept_corrections(arrays.V, arrays.L)
    if not (kept and same):
        arrays.counts[HISTORY] = 0  # nothing is extrapolated over a change


@step
def prepare(system, linear, data, sizes, scheme, arrays, stride):
    """The first iterate, all that is evaluated there, and by what its errors are measured."""
    V, memory, counts, h, lag = arrays.V, arrays.memory, arrays.counts, stride.h, stride.lag
    speed = measure_motion(arrays, h)
    begin(sizes, scheme, arrays, stride)
    first = counts[STEPS] == 0
    begin_friction(first, arrays.L, arrays.F, arrays.S, arrays.K, sizes.nb)
    if stride.ratio == 0.0 and lag > 0.0 and stride.slope == 0.0 and lag != 1.0:
        move_acceleration(V, lag)
    move(system, data, sizes, scheme, arrays, stride)
    evaluate_all_rows(system, data, sizes, arrays, stride.t1)
    evaluate_slip_gradient(system, data, sizes, arrays, stride.t1)
    evaluate_slip(system, data, sizes, arrays, stride.t1)
    evaluate(system, data, sizes, scheme, arrays, stride)
    if weigh_contacts(linear, sizes, arrays):
        # X was used for something else
        system.f(stride.t1, arrays.Q[Q1], V[V1], data, arrays.X[SOLUTION, : sizes.nv])
    scale = measure_contacts(sizes, arrays, h, speed)
    refresh = not scheme.reuse or counts[TANGENT_AGE] < 0
    return Turn(
        iteration=0, scale=scale, before=0.0, contraction=1.1 * memory[CONTRACTION], refresh=refresh, settled=False,
        unsteady=False, changes=0, barred=False,
    )  # fmt: skip


@step
def evaluate(system, data, sizes, scheme, arrays, stride):
    """Everything at an iterate but its gradients and slips, which the iteration has left there."""
    evaluate_dynamics(system, data, sizes, scheme, arrays, stride.t1)
    evaluate_gaps(system, data, sizes, scheme, arrays, stride.t1, stride.slope, stride.lag)
    evaluate_slip_bias(system, data, sizes, arrays, stride.t1)
    smooth_friction(scheme.alpha_m, scheme.alpha_f, stride.slope, stride.lag, arrays.F)


@step
def renew(system, linear, data, sizes, scheme, arrays, stride, turn):
    """A new tangent and new matrices, without contacts, where they are wanted; gives a status."""
    struck = turn.iteration == 1 and turn.unsteady  # those of the first iterate know nothing of an impact
    if turn.iteration > 0 and not turn.refresh and not struck:
        return OK
    if turn.refresh:
        evaluate_tangent(system, data, sizes, arrays, stride.t1, VDOT1)
    if turn.refresh or stride.ratio != 1.0:
        choose_matrices(sizes, scheme, arrays, stride)
    arrays.counts[COLUMNS] = 0
    hide_sets(arrays.S, arrays.K, sizes.nb)
    scaling = scaling_of(scheme, arrays.memory, stride)
    status = build_matrices(linear, sizes, scheme, arrays, stride, scaling)
    show_sets(arrays.S, arrays.K, sizes.nb)
    return status


@step
def judge_iteration(sizes, scheme, arrays, stride, turn, levels):
    """Has the iteration settled, and how does it go on? See `impact.judge_iteration`.

    Contacts without forces, of which one could do what another does, may take turns by round-off, in every iteration:
    after `PATIENCE` changes those that leave the motion as it is do not count.
    """
    iteration, changed = turn.iteration, levels.changes > 0
    unsteady = turn.unsteady or changed
    progress = Progress(
        iteration if not changed else 0, turn.scale, turn.before, 1.0 if unsteady else turn.contraction,
        1.0 if unsteady else EPSILON,
    )  # fmt: skip
    newton = Newton(OK, levels.error, levels.way)
    settled, contraction, refresh = judge(sizes, scheme, arrays, stride, progress, newton)
    changes = turn.changes + int(changed)
    idle = changes > PATIENCE and levels.error <= IDLE * turn.scale
    return Turn(
        iteration=iteration + 1, scale=turn.scale, before=levels.error, contraction=contraction, refresh=refresh,
        settled=settled and (idle or not changed), unsteady=unsteady, changes=changes,
        barred=levels.barred or changes > PATIENCE,
    )  # fmt: skip


@step
def conclude(system, linear, data, sizes, scheme, arrays, stride, turn):
    """What an iteration that has settled leaves to do; gives a status."""
    L, memory, nb, scaling = arrays.L, arrays.memory, sizes.nb, scaling_of(scheme, arrays.memory, stride)
    if arrays.counts[REGULARISED] and not rows_hold(system, data, sizes, scheme, arrays, stride.t1, stride.h):
        return NOT_CONVERGED
    known = min(max(turn.contraction, 0.1 * memory[CONTRACTION]), 1.0)
    memory[CONTRACTION] = 1.0 if turn.unsteady else known
    status = OK
    if turn.unsteady:
        # velocities are left with what the last correction changed in the rows: an impact must not gain by it
        matrix = DYNAMICS if scaling.shared else VELOCITY_MATRIX
        status = solve_velocities(system, linear, data, sizes, scheme, arrays, stride, scaling.r, matrix).status
        evaluate(system, data, sizes, scheme, arrays, stride)
    if status == OK and scheme.level == ACCELERATION:
        smooth = solve_accelerations(system, linear, data, sizes, scheme, arrays, stride, scaling, turn.barred, True)
        add_dynamics(arrays.X, scaling.r, stride.c9, 0.0, arrays.V, L)
        put_forces(sizes, scheme, arrays, stride)
        status = smooth.status
    smooth_multipliers(scheme.alpha_m, scheme.alpha_f, stride.slope, stride.lag, L, nb)
    smooth_friction(scheme.alpha_m, scheme.alpha_f, stride.slope, stride.lag, arrays.F)
    total_impulses(scheme.gamma, stride.h, L, nb)
    total_friction(scheme.gamma, stride.h, arrays.F)
    return cut_tails(linear, sizes, arrays) if status == OK else status


@step
def cut_tails(linear, sizes, arrays):
    """Free a1 of the tails of forces that have ended, see `contact.sets`; X and the matrix of velocities are used."""
    T, J, L, S, X, F, K, nb = arrays.T, arrays.J, arrays.L, arrays.S, arrays.X, arrays.F, arrays.K, sizes.nb
    if not has_tail(L, S, nb) and not any_ends(L, S, nb, F, K):
        return OK
    put_tails(T, J, sizes.end_K, sizes.end_B, L, S, X)
    add_tails(T, J, sizes.end_F, sizes.end_T, L, S, nb, F, K, X)
    if nb > 0 or not divide_by_mass(T, J, sizes.end_M, X):
        arrays.counts[COLUMNS] = 0
        hide_sets(S, K, nb)
        scale = mean_diagonal(arrays.Z, J, sizes.diagonal, sizes.diagonal_M, sizes.nv)
        status = build_correction(linear, sizes, arrays, VELOCITY_MATRIX, scale)
        show_sets(S, K, nb)
        if status == OK:
            put_tails(T, J, sizes.end_K, sizes.end_B, L, S, X)
            add_tails(T, J, sizes.end_F, sizes.end_T, L, S, nb, F, K, X)
            status = solve(linear, sizes, arrays, VELOCITY_MATRIX, False)
        if status != OK:
            return status
    forget_tails(L, S, nb, F, K)
    take_away(X, arrays.V, L, S, nb)
    return OK


@leaf
def friction_ends(e, L, S, nb, F, K):
    """Has the force of an element ended, or its law changed: has it come to rest, begun to slide, or turned back?"""
    if (e < S.shape[1] - nb and ends(L, S, nb + e)) or K[MODE_C, e] == OPEN:
        return True
    return has_changed(e, F, K)


@leaf
def goes_on_with(e, i, L, nb, F, K):
    """What η̂t1 is to be from now on: λ̂t1; where it slides, in the ratio of η to λ of the force that presses."""
    presses = nb + e < L.shape[1] and K[MODE_C, e] == SLIPS and L[MU1, nb + e] > 0.0
    return F[LAM_T1, i] * (L[ETA1, nb + e] / L[MU1, nb + e] if presses else 1.0)


@leaf
def any_ends(L, S, nb, F, K):
    """Is there an element of friction whose η̂t is another from now on?"""
    for e in range(K.shape[1]):
        if friction_ends(e, L, S, nb, F, K):
            for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
                if F[ETA_T1, i] != goes_on_with(e, i, L, nb, F, K):
                    return True
    return False


@leaf
def add_tails(T, J, first, last, L, S, nb, F, K, X):
    """X[SOLUTION] += T̂ᵀ times what is taken from the η̂t1 of the elements that end."""
    for e in range(K.shape[1]):
        if not friction_ends(e, L, S, nb, F, K):
            continue
        begin, end = K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]
        for j in range(first, last):
            if begin <= T[0, j] < end:
                X[SOLUTION, T[1, j]] += J[j] * (F[ETA_T1, T[0, j]] - goes_on_with(e, T[0, j], L, nb, F, K))


@leaf
def forget_tails(L, S, nb, F, K):
    """η̂t1 without what was taken."""
    for e in range(K.shape[1]):
        if friction_ends(e, L, S, nb, F, K):
            for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
                F[ETA_T1, i] = goes_on_with(e, i, L, nb, F, K)
