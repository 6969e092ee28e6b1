"""The three levels of a step with contacts and friction, each solved for its sets, its modes and all its unknowns.

Position     gap = 0 in A, by ν; friction moves positions by (h/2) T̂ᵀ Λ̂t
Velocity     in B (closed, within A) N v1 + gap_t = u1, by Λ. With s0, s1 the slip, ē = e_t where the contact hits in
             this step and else 0, ξ = s1 + ē s0, and y = Λn* with a smooth part that presses:
             it sticks, ξ = 0, if |Λ̂t*| ≤ y; else Λ̂t* = −y ξ/|ξ| (total), or Λ̂t = −Λn ξ/|ξ| (jump) in a contact that
             goes on sliding. A mean over the step has the direction of its middle: the jump rule is of second order
             where the direction of slip turns, and the total rule is what stops and starts
Acceleration in C (within B) g̈ap = 0 by λ. What slides has λ̂t = −λn s1/|s1|; what sticks has ṡ = 0 if |λ̂t| ≤ λn, else it
             begins to slide, λ̂t = −λn ṡ/|ṡ|. Which of them it is follows from the velocity level, not from |s1|

In tests of stick λn counts times μ_static/μ where it stuck at the old point. Dry friction has a bound in place of λn.
"""

from __future__ import annotations

from math import sqrt

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb_tables import DIRECTION, DISK, FIRST, FREE, GIVEN, JUMP, LAW, MODE, OPEN, STICK, WIDTH
from genalpha.math.coulomb_tables import SLIP as SLIPS
from genalpha.math.linear import transposed_multiply_add
from genalpha.step.contact.friction import (
    evaluate_slip,
    evaluate_slip_gradient,
    slip_accelerations,
    smooth_friction,
    turns_back,
)
from genalpha.step.contact.kernels import smooth_multipliers
from genalpha.step.contact.problem import (
    add_element,
    begin_problem,
    keep_direction,
    put_found,
    put_known,
    set_direction,
    set_law,
    solve_problem,
)
from genalpha.step.contact.residuals import (
    SLOW,
    evaluate_all_rows,
    residual_of_dynamics,
    residual_of_position,
    residual_of_velocity,
    slacks,
)
from genalpha.step.kernels import add_correction, add_step
from genalpha.step.schemes.alpha import move, put_position
from genalpha.step.state import (
    APPROACH,
    BASE,
    BIG_LAM,
    BIG_LAM_T,
    BOUND,
    DELTA,
    DIRECTION_B,
    DIRECTION_C,
    DRAG,
    DYNAMICS,
    ELEMENT,
    ETA1,
    ETA_HERE,
    ETA_T1,
    ETA_T_HERE,
    FIRST_T,
    GAP,
    GATE,
    LAM_T1,
    LARGEST_SPEED,
    LAST_B,
    LAST_MODE_B,
    MODE_B,
    MODE_C,
    MU1,
    NOT_CONVERGED,
    NU,
    OK,
    PLACE,
    POSITION_MATRIX,
    Q1,
    REBOUND,
    ROW,
    ROWS_T,
    SET_A,
    SET_B,
    SET_C,
    SLIP,
    SLIP0,
    SOLUTION,
    STATIC,
    STUCK,
    TANGENTIAL_E,
    TOTAL,
    UNKNOWN,
    V1,
    VDOT1,
    VELOCITY_MATRIX,
    WIDTH_T,
    Y0,
    U,
    W,
)
from genalpha.step.values import Levels


@step
def solve_levels(system, linear, data, sizes, scheme, arrays, stride, scaling, barred):
    """One iteration of Algorithm 1 of 002 on all levels; X holds the force."""
    r = scaling.r
    v_matrix = DYNAMICS if scaling.shared else VELOCITY_MATRIX
    p_matrix = v_matrix if sizes.nb == sizes.ng else POSITION_MATRIX
    smooth = solve_accelerations(system, linear, data, sizes, scheme, arrays, stride, scaling, barred, False)
    if smooth.status != OK:
        return smooth
    error = stride.c7 * add_step(arrays.X, r, arrays.V, VDOT1, arrays.L, MU1)
    put_forces(sizes, scheme, arrays, stride)
    move(system, data, sizes, scheme, arrays, stride)
    place = solve_positions(system, linear, data, sizes, scheme, arrays, stride, r, p_matrix)
    evaluate_all_rows(system, data, sizes, arrays, stride.t1)
    evaluate_slip_gradient(system, data, sizes, arrays, stride.t1)
    speed = solve_velocities(system, linear, data, sizes, scheme, arrays, stride, r, v_matrix)
    status = place.status if place.status != OK else speed.status
    error = max(error, stride.to_velocity * place.way, speed.error)
    changes = smooth.changes + place.changes + speed.changes
    return Levels(status, error, place.way, changes, smooth.barred)


@step
def solve_accelerations(system, linear, data, sizes, scheme, arrays, stride, scaling, barred, last):
    """(65a, b) with C; the motion is left in X, and the forces in P.

    A level without a solution is barred from the iterations that follow; behind the ``last`` one its step has failed.
    """
    L, F, S, K, places = arrays.L, arrays.F, arrays.S, arrays.K, arrays.places
    nb = sizes.nb
    out = barred or scheme.strategy < 3
    slack = 1e5 * slacks(arrays.memory)[1]
    n, n_el = enter_accelerations(out, slack, nb, L, S, K, places, arrays.elements, arrays.numbers)
    drop_others(MU1, LAM_T1, nb, L, F, places)
    residual_of_dynamics(system, data, sizes, scheme, arrays, stride.t1, stride.c7, scaling.r_row)
    transposed_multiply_add(arrays.T, arrays.J, sizes.end_F, sizes.end_T, 1.0, F, LAM_T1, arrays.X, SOLUTION)
    slip_accelerations(arrays.T, arrays.J, sizes.end_F, sizes.end_T, arrays.V, F)
    put_slides(stride.h, stride.c7, nb, L, S, F, arrays.R, K)
    put_known(L, F, nb, MU1, LAM_T1, n, places, arrays.P)
    laws_of_accelerations(stride.h, n_el, nb, L, S, F, arrays.R, K, (places, arrays.elements, arrays.numbers))
    problem = solve_problem(linear, sizes, arrays, DYNAMICS, n, n_el)
    changes = keep_modes(FORCES, n_el, nb, S, K, F, places, arrays.elements, arrays.numbers)
    status = status_of(problem) if last else problem.status
    if problem.failed:
        return Levels(status, 0.0, 0.0, changes + 1, True)
    return Levels(status, 0.0, 0.0, changes, barred)


@step
def put_forces(sizes, scheme, arrays, stride):
    """The forces that `solve_accelerations` has found, and their η."""
    L, F, places = arrays.L, arrays.F, arrays.places
    put_found(MU1, LAM_T1, sizes.nb, places, arrays.P, L, F)
    smooth_multipliers(scheme.alpha_m, scheme.alpha_f, stride.slope, stride.lag, L, sizes.nb)
    smooth_friction(scheme.alpha_m, scheme.alpha_f, stride.slope, stride.lag, F)


@step
def solve_positions(system, linear, data, sizes, scheme, arrays, stride, r, matrix):
    """(65d, e) with A: U and ν."""
    V, L, F, X, nb, h = arrays.V, arrays.L, arrays.F, arrays.X, sizes.nb, stride.h
    if sizes.m > nb:
        system.gap(stride.t1, arrays.Q[Q1], data, L[GAP, nb:])
    slack, before, after = slacks(arrays.memory)[0], h * h * (0.5 - scheme.beta), h * h * scheme.beta
    n, n_el = enter_positions(
        slack, before, after, nb, L, arrays.S, arrays.K, arrays.places, arrays.elements, arrays.numbers
    )  # fmt: skip
    drop_contacts(NU, nb, L, arrays.places)
    residual_of_position(system, data, sizes, arrays, stride.t1, r)
    transposed_multiply_add(arrays.T, arrays.J, sizes.end_F, sizes.end_T, 0.5 * h, F, BIG_LAM_T, X, SOLUTION)
    put_known(L, F, nb, NU, LAM_T1, n, arrays.places, arrays.P)
    put_pressing(before, after, n, nb, L, arrays.S, arrays.places, arrays.P)
    laws_of_positions(n_el, nb, arrays.S, arrays.places, arrays.elements)
    problem = solve_problem(linear, sizes, arrays, matrix, n, n_el)
    if not sizes.flat:
        system.untwist(V[DELTA], data, X[SOLUTION, : sizes.nv])
    way = add_correction(X, r, V, U, DELTA, L, NU)
    put_found(NU, LAM_T1, nb, arrays.places, arrays.P, L, F)
    changes = keep_touching(slack, n_el, nb, arrays.S, arrays.K, arrays.places, arrays.D, arrays.P, arrays.elements)
    put_position(system, data, sizes, arrays)
    return Levels(status_of(problem), 0.0, way, changes, False)


@step
def solve_velocities(system, linear, data, sizes, scheme, arrays, stride, r, matrix):
    """(65g, h) with B and D: W and Λ."""
    L, F, R, K, S, places, nb, h = arrays.L, arrays.F, arrays.R, arrays.K, arrays.S, arrays.places, sizes.nb, stride.h
    n, n_el = enter_velocities(nb, S, K, places, arrays.elements, arrays.numbers)
    drop_others(BIG_LAM, BIG_LAM_T, nb, L, F, places)
    evaluate_slip(system, data, sizes, arrays, stride.t1)
    residual_of_velocity(system, data, sizes, scheme, arrays, stride.t1, r)
    transposed_multiply_add(arrays.T, arrays.J, sizes.end_F, sizes.end_T, 1.0, F, BIG_LAM_T, arrays.X, SOLUTION)
    open_gates(SLOW * arrays.memory[LARGEST_SPEED], nb, L, F, R, K)
    put_known(L, F, nb, BIG_LAM, BIG_LAM_T, n, places, arrays.P)
    before, after = h * (1.0 - scheme.gamma), h * scheme.gamma
    put_pressing(before, after, n, nb, L, S, places, arrays.P)
    put_dragging(before, after, n, L.shape[1] - nb, F, places, arrays.P)
    laws_of_velocities(h, n_el, nb, L, S, F, R, K, (places, arrays.elements, arrays.numbers))
    problem = solve_problem(linear, sizes, arrays, matrix, n, n_el)
    keep_drag(n_el, arrays.D, R, places, arrays.elements)
    error = add_correction(arrays.X, r, arrays.V, W, V1, L, BIG_LAM)
    put_found(BIG_LAM, BIG_LAM_T, nb, places, arrays.P, L, F)
    evaluate_slip(system, data, sizes, arrays, stride.t1)
    changes = keep_modes(IMPULSES, n_el, nb, S, K, F, places, arrays.elements, arrays.numbers)
    changes += watch_reversals(n_el, F, K, places, arrays.elements)
    return Levels(status_of(problem), error, 0.0, changes, False)


@leaf
def status_of(problem):
    """The levels of positions and velocities must have a solution; within their iteration a near one does."""
    if problem.status == OK and problem.failed and not problem.misfit <= ROUGH:
        return NOT_CONVERGED
    return problem.status


IMPULSES, FORCES = (SET_B, MODE_B, DIRECTION_B), (SET_C, MODE_C, DIRECTION_C)
"""Of a level: the set, the row of its modes in K, that of its directions in F."""
ROUGH = 1e-6
"""What the laws may be missed by, relatively, before a step fails."""


@leaf
def enter_accelerations(out, slack, nb, L, S, K, places, elements, numbers):
    """Closed contacts that do not open by the law of impact, and dry friction; none if they are ``out``."""
    nc = S.shape[1] - nb
    n, n_el = begin_problem(places)
    for e in range(0 if out else K.shape[1]):
        if e >= nc or (S[SET_B, nb + e] == 1 and L[REBOUND, nb + e] <= slack):
            n, n_el = add_element(e, nc, True, n, n_el, K, places, elements, numbers)
    return n, n_el


@leaf
def enter_positions(slack, before, after, nb, L, S, K, places, elements, numbers):
    """Contacts that touch, that did, or that a force presses together."""
    n, n_el = begin_problem(places)
    for e in range(S.shape[1] - nb):
        i = nb + e
        presses = before * L[ETA_HERE, i] + after * L[ETA1, i] > 0.0 or L[NU, i] != 0.0
        if L[GAP, i] <= slack or presses or S[SET_A, i] == 1:
            n, n_el = add_element(e, S.shape[1] - nb, False, n, n_el, K, places, elements, numbers)
    return n, n_el


@leaf
def enter_velocities(nb, S, K, places, elements, numbers):
    """Contacts in A, and dry friction."""
    nc = S.shape[1] - nb
    n, n_el = begin_problem(places)
    for e in range(K.shape[1]):
        if e >= nc or S[SET_A, nb + e] == 1:
            n, n_el = add_element(e, nc, True, n, n_el, K, places, elements, numbers)
    return n, n_el


@leaf
def drop_others(normal, tangential, nb, L, F, places):
    """Multipliers of rows that take no part are zero."""
    drop_contacts(normal, nb, L, places)
    nc = L.shape[1] - nb
    for i in range(F.shape[1]):
        if places[PLACE, nc + i] < 0:
            F[tangential, i] = 0.0


@leaf
def drop_contacts(normal, nb, L, places):
    """The same for contacts alone."""
    for i in range(nb, L.shape[1]):
        if places[PLACE, i - nb] < 0:
            L[normal, i] = 0.0


@leaf
def put_pressing(before, after, n, nb, L, S, places, P):
    """BASE of contacts: what their forces do in the step. After a release η alternates, and does not pull."""
    nc = L.shape[1] - nb
    for j in range(n):
        if places[ROW, j] < nc:
            i = nb + places[ROW, j]
            base = before * L[ETA_HERE, i] + after * L[ETA1, i]
            P[BASE, j] = base if S[SET_C, i] == 1 else max(base, 0.0)


@leaf
def put_dragging(before, after, n, nc, F, places, P):
    """BASE of rows of slip."""
    for j in range(n):
        if places[ROW, j] >= nc:
            i = places[ROW, j] - nc
            P[BASE, j] = before * F[ETA_T_HERE, i] + after * F[ETA_T1, i]


@leaf
def open_gates(slow, nb, L, F, R, K):
    """Restitution along the contact counts in a step in which it hits; ROWS_T = s1 + ē s0."""
    nc = L.shape[1] - nb
    for e in range(K.shape[1]):
        hits = e < nc and L[APPROACH, nb + e] < -slow
        R[GATE, e] = R[TANGENTIAL_E, e] if hits else 0.0
        if hits:
            K[TOTAL, e] = 1
        for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
            F[ROWS_T, i] = F[SLIP, i] + R[GATE, e] * F[SLIP0, i]


@leaf
def speed_of_slip(e, F, K):
    """|ŝ1| of an element."""
    square = 0.0
    for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
        square += F[SLIP, i] * F[SLIP, i]
    return sqrt(square)


FAST = 2.0
"""In space the jump rule holds for what slides faster than this, in changes of slip that friction makes in a step."""


@leaf
def goes_on_sliding(e, h, nb, L, S, F, R, K):
    """Is the jump rule the one for this element? Its direction must be smooth on the scale of the step."""
    contact = nb + e < S.shape[1]
    lasts = not contact or S[LAST_B, nb + e] == 1
    if not lasts or K[LAST_MODE_B, e] != SLIPS or K[TOTAL, e] == 1 or turns_back(e, F, K):
        return False
    bound = L[MU1, nb + e] if contact else R[BOUND, e]
    return K[WIDTH_T, e] == 1 or speed_of_slip(e, F, K) > FAST * h * bound * R[DRAG, e]


@leaf
def keep_drag(n_el, D, R, places, elements):
    """R[DRAG] of the elements of the problem: the largest of their rows."""
    for k in range(n_el):
        largest = 0.0
        for j in range(elements[k, FIRST], elements[k, FIRST] + elements[k, WIDTH]):
            largest = max(largest, D[j, j])
        R[DRAG, places[ELEMENT, k]] = largest


@leaf
def put_slides(h, c7, nb, L, S, F, R, K):
    """ROWS_T = s1/c7 of what goes on sliding in space: with the change of T̂ v̇1 that follows, a slip over c7.

    So the direction of a force comes with the force: that of the iterate before would contract slowly. Where the total
    rule holds, the impulse alone makes the slip, and its direction is known.
    """
    for e in range(K.shape[1]):
        if K[WIDTH_T, e] > 1 and K[MODE_B, e] == SLIPS and goes_on_sliding(e, h, nb, L, S, F, R, K):
            for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
                F[ROWS_T, i] = F[SLIP, i] / c7


@leaf
def laws_of_accelerations(h, n_el, nb, L, S, F, R, K, problem):
    """What slides has its direction, or one near it, see `put_slides`; the others stick or begin to slide.

    ``problem``: its rows, elements and numbers.
    """
    places, elements, numbers = problem
    for k in range(n_el):
        e = places[ELEMENT, k]
        first, width, speed = K[FIRST_T, e], elements[k, WIDTH], speed_of_slip(e, F, K)
        if width == 0:
            set_law(k, FREE, STICK, 0.0, 1.0, elements, numbers)
        elif speed > 0.0 and (K[MODE_B, e] == SLIPS or R[GATE, e] != 0.0):
            turns = width > 1 and K[MODE_B, e] == SLIPS and goes_on_sliding(e, h, nb, L, S, F, R, K)
            set_law(k, DISK if turns else GIVEN, SLIPS, R[BOUND, e], 1.0, elements, numbers)
            for i in range(width):
                numbers[k, DIRECTION + i] = F[SLIP, first + i] / speed
        else:
            guess = K[MODE_C, e] if K[MODE_C, e] != OPEN else STICK
            set_law(k, DISK, guess, R[BOUND, e], R[STATIC, e] if K[STUCK, e] else 1.0, elements, numbers)
            set_direction(k, DIRECTION_C, first, F, elements, numbers)


@leaf
def laws_of_positions(n_el, nb, S, places, elements):
    """Contacts alone; those in A stay there if they press."""
    for k in range(n_el):
        elements[k, MODE] = STICK if S[SET_A, nb + places[ELEMENT, k]] == 1 else OPEN


@leaf
def laws_of_velocities(h, n_el, nb, L, S, F, R, K, problem):
    """The jump rule for what goes on sliding, the total rule for all else; ``problem`` as above."""
    places, elements, numbers = problem
    for k in range(n_el):
        e = places[ELEMENT, k]
        guess, kappa = K[MODE_B, e] if K[MODE_B, e] != OPEN else STICK, R[STATIC, e] if K[STUCK, e] else 1.0
        if elements[k, WIDTH] == 0:
            set_law(k, FREE, STICK, 0.0, 1.0, elements, numbers)
            continue
        on = goes_on_sliding(e, h, nb, L, S, F, R, K)
        set_law(k, JUMP if on else DISK, guess, h * R[BOUND, e], kappa, elements, numbers)
        set_direction(k, DIRECTION_B, K[FIRST_T, e], F, elements, numbers)


@leaf
def watch_reversals(n_el, F, K, places, elements):
    """What turns back under the jump rule has the total one for the rest of the step; gives how many do."""
    changes = 0
    for k in range(n_el):
        e = places[ELEMENT, k]
        if elements[k, LAW] == JUMP and elements[k, MODE] == SLIPS and turns_back(e, F, K):
            K[TOTAL, e] = 1
            changes += 1
    return changes


@leaf
def keep_modes(level, n_el, nb, S, K, F, places, elements, numbers):
    """The set and the modes of a level, as the problem has found them; gives how many have changed."""
    changes, k, nc, (which, mode, direction) = 0, 0, S.shape[1] - nb, level
    for e in range(K.shape[1]):
        found = OPEN
        if k < n_el and places[ELEMENT, k] == e:
            found = elements[k, MODE]
            keep_direction(k, direction, K[FIRST_T, e], elements, numbers, F)
            k += 1
        closed = 0 if found == OPEN else 1
        changed = K[WIDTH_T, e] > 0 and K[mode, e] != found
        K[mode, e] = found
        if e < nc:
            changed = changed or S[which, nb + e] != closed
            S[which, nb + e] = closed
        changes += int(changed)
    return changes


@leaf
def keep_touching(slack, n_el, nb, S, K, places, D, P, elements):
    """The set A; a gap of round-off touches. Gives how many have changed."""
    changes, k = 0, 0
    for e in range(S.shape[1] - nb):
        touches = 0
        if k < n_el and places[ELEMENT, k] == e:
            gap = P[Y0, k]
            for j in range(n_el):
                gap += D[k, j] * P[UNKNOWN, j]
            touches = 1 if elements[k, MODE] != OPEN or gap <= slack else 0
            k += 1
        changes += int(S[SET_A, nb + e] != touches)
        S[SET_A, nb + e] = touches
    return changes
