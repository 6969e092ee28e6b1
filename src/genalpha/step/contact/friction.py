"""Rows of slip and their forces: what is evaluated at an iterate, the impulses of a step, and what it leaves behind.

All rows are scaled, ŝ = μ s and T̂ = μ T, see `F` in `state`: then |λ̂t| ≤ λn is Coulomb's cone, and the work of
friction is λ̂tᵀ ŝ as well.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb_tables import OPEN, STICK
from genalpha.math.coulomb_tables import SLIP as SLIPS
from genalpha.step.state import (
    APPROACH,
    BIAS_T,
    BIG_LAM,
    BIG_LAM_T,
    COLUMNS,
    ETA_T0,
    ETA_T1,
    ETA_T_HERE,
    FIRST_T,
    FORCE_T0,
    GATE,
    IMPULSE_T,
    LAM_T0,
    LAM_T1,
    LAST_MODE_B,
    LAST_MODE_C,
    LAST_STEP,
    MODE_B,
    MODE_C,
    MU0,
    MU_T,
    N_SETS,
    OF_FRICTION,
    PLAIN_SLIP,
    PLAIN_SLIP0,
    Q1,
    RATE,
    ROWS_T,
    SET_C,
    SLIP,
    SLIP0,
    SOLUTION,
    STAR_T,
    STUCK,
    TOTAL,
    V1,
    VDOT0,
    VDOT1,
    WIDTH_T,
    WORK,
    W,
)
from genalpha.system import contact_log
from genalpha.system.contact_log import GAINED, IMPACT, LOG_CONTACT, LOG_KIND


@step
def evaluate_slip_gradient(system, data, sizes, arrays, t1):
    """T̂ at the new point; columns of contact problems belong to rows that were."""
    arrays.counts[COLUMNS] = 0
    if sizes.nt > 0:
        system.T(t1, arrays.Q[Q1], arrays.V[V1], data, arrays.J[sizes.end_F : sizes.end_T])
        scale_gradient(arrays.T, arrays.J, sizes.end_F, sizes.end_T, arrays.F)


@step
def evaluate_slip(system, data, sizes, arrays, t1):
    """ŝ at the new point."""
    if sizes.nt > 0:
        system.slip(t1, arrays.Q[Q1], arrays.V[V1], data, arrays.F[PLAIN_SLIP])
        scale_rows(arrays.F, PLAIN_SLIP, SLIP)


@step
def evaluate_slip_bias(system, data, sizes, arrays, t1):
    """What the derivative of ŝ is without v̇1."""
    if sizes.nt > 0:
        system.slip_bias(t1, arrays.Q[Q1], arrays.V[V1], data, arrays.F[BIAS_T])
        scale_rows(arrays.F, BIAS_T, BIAS_T)


@leaf
def scale_gradient(T, J, first, last, F):
    """J *= μ of its row."""
    for e in range(first, last):
        J[e] *= F[MU_T, T[0, e]]


@leaf
def scale_rows(F, source, target):
    """F[target] = μ F[source]."""
    for i in range(F.shape[1]):
        F[target, i] = F[MU_T, i] * F[source, i]


@leaf
def slip_accelerations(T, J, first, last, V, F):
    """ROWS_T = T̂ v̇1 + bias."""
    for i in range(F.shape[1]):
        F[ROWS_T, i] = F[BIAS_T, i]
    for e in range(first, last):
        F[ROWS_T, T[0, e]] += J[e] * V[VDOT1, T[1, e]]


@leaf
def begin_friction(first_step, L, F, S, K, nb):
    """Starting values of a step: forces, modes and sets are those of the last one, impulses none.

    In a ``first_step`` contacts that have a force are closed.
    """
    for i in range(F.shape[1]):
        F[LAM_T1, i] = F[LAM_T0, i]
        F[BIG_LAM_T, i] = 0.0
    for e in range(K.shape[1]):
        K[MODE_B, e], K[MODE_C, e], K[TOTAL, e] = K[LAST_MODE_B, e], K[LAST_MODE_C, e], 0
    for k in range(N_SETS):
        for i in range(nb, S.shape[1]):
            S[k, i] = 1 if S[LAST_STEP + k, i] == 1 or (first_step and L[MU0, i] > 0.0) else 0


@leaf
def smooth_friction(alpha_m, alpha_f, slope, lag, F):
    """(64) for rows of slip, see `kernels.smooth_multipliers`."""
    for i in range(F.shape[1]):
        eta = F[ETA_T0, i]
        if slope != 0.0:
            eta = (1.0 - slope) * F[LAM_T0, i] + slope * F[LAM_T1, i]
        elif lag > 0.0 and lag != 1.0:
            eta = F[LAM_T0, i] + lag * (eta - F[LAM_T0, i])
        F[ETA_T_HERE, i] = eta
        F[ETA_T1, i] = ((1.0 - alpha_f) * F[LAM_T1, i] + alpha_f * F[LAM_T0, i] - alpha_m * eta) / (1.0 - alpha_m)


@leaf
def total_friction(gamma, h, F):
    """(65m) for rows of slip: all the impulse of the step."""
    for i in range(F.shape[1]):
        F[STAR_T, i] = F[BIG_LAM_T, i] + h * ((1.0 - gamma) * F[ETA_T_HERE, i] + gamma * F[ETA_T1, i])


@leaf
def turns_back(e, F, K):
    """Does an element slide against the way in which it slid before?"""
    along = 0.0
    for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
        along += F[SLIP0, i] * F[SLIP, i]
    return along <= 0.0


@leaf
def has_changed(e, F, K):
    """Has an element begun to stick, to slide, or to slide the other way?"""
    if K[WIDTH_T, e] == 0:
        return False
    if K[MODE_B, e] != K[LAST_MODE_B, e] or K[MODE_C, e] != K[LAST_MODE_C, e]:
        return True
    return K[MODE_B, e] == SLIPS and turns_back(e, F, K)


@leaf
def any_changed(F, K):
    """Has any?"""
    for e in range(K.shape[1]):
        if has_changed(e, F, K):
            return True
    return False


NONE, STOPS, JUMPS = range(3)
"""What happens to friction in a step: nothing; something comes to rest; something begins to slide, or turns back."""


@leaf
def event_of(F, K):
    """What has happened to elements that were closed and are: the most of it."""
    found = NONE
    for e in range(K.shape[1]):
        before, now = K[LAST_MODE_B, e], K[MODE_B, e]
        if not has_changed(e, F, K) or before == OPEN or now == OPEN:
            continue
        found = max(found, STOPS if before == SLIPS and now == STICK else JUMPS)
    return found


@leaf
def put_jump(factor, V, X):
    """X[SOLUTION] = (factor (v̇1 − v̇0), 0)."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    for i in range(V.shape[1]):
        X[SOLUTION, i] = factor * (V[VDOT1, i] - V[VDOT0, i])


@leaf
def accept_friction(h, n_before, n_log, log, S, nb, F, R, K):
    """The new state of friction becomes the old one; rows of the log since ``n_before`` get their tangential impulses.

    Gives False if an element has changed.
    """
    kept, nc = not any_changed(F, K), S.shape[1] - nb
    for e in range(K.shape[1]):
        smooth = e >= nc or S[SET_C, nb + e] == 1
        K[LAST_MODE_B, e], K[LAST_MODE_C, e] = K[MODE_B, e], K[MODE_C, e]
        stays = R[GATE, e] == 0.0 and (not smooth or K[MODE_C, e] != SLIPS)  # what rebounds along the contact slides
        K[STUCK, e] = 1 if K[MODE_B, e] == STICK and K[WIDTH_T, e] > 0 and stays else 0
        for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
            R[WORK, e] += 0.5 * F[STAR_T, i] * (F[SLIP0, i] + F[SLIP, i])
    for i in range(F.shape[1]):
        F[FORCE_T0, i] = F[STAR_T, i] / h
        F[IMPULSE_T, i] += F[STAR_T, i]
        F[LAM_T0, i], F[ETA_T0, i] = F[LAM_T1, i], F[ETA_T1, i]
        F[SLIP0, i], F[PLAIN_SLIP0, i] = F[SLIP, i], F[PLAIN_SLIP, i]
    for row in range(n_before, n_log):
        if log[row, LOG_KIND] == IMPACT:
            log_friction(h, row, log, F, K)
    return kept


put_event, put_tangent = leaf(contact_log.put_event), leaf(contact_log.put_tangent)

GAIN = 1e-7
"""What impacts may gain over what their impulses do and undo, before it is told: more than round-off."""


@leaf
def jump_along(T, J, first, last, row, V):
    """The jump of the velocity of a row, J W."""
    jump = 0.0
    for e in range(first, last):
        if T[0, e] == row:
            jump += J[e] * V[W, T[1, e]]
    return jump


@leaf
def work_of_impact(T, J, ends, e, V, L, F, K):
    """(work of the impulses Λ of a contact, the sizes of its terms): ½ Λᵀ times the velocities before and after."""
    end_K, end_B, end_F, nb = ends
    i = nb + e
    after, impulse = L[RATE, i], L[BIG_LAM, i]
    work = 0.5 * impulse * (2.0 * after - jump_along(T, J, end_K, end_B, i, V))
    size = abs(impulse) * (abs(after) + abs(L[APPROACH, i]))
    for k in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
        work += 0.5 * F[BIG_LAM_T, k] * (2.0 * F[SLIP, k] - jump_along(T, J, end_F, T.shape[1], k, V))
        size += abs(F[BIG_LAM_T, k]) * (abs(F[SLIP, k]) + abs(F[SLIP0, k]))
    return work, size


@leaf
def log_gain(T, J, ends, t1, rows, log, V, L, F, K):
    """Log what the impacts of a step have gained, if they have; gives the number of rows of the log.

    ``rows``: the first row of the log that belongs to this step, and the first that is free; ``ends``: where N begins
    and ends in J, where T̂ begins, and the first contact in L.

    Newton's law with friction can make energy (Kane): an impulse along the normal that friction feeds.
    """
    total, sizes, most, worst = 0.0, 0.0, -1, 0.0
    (n_before, n_log), nb = rows, ends[3]
    for row in range(n_before, n_log):
        if log[row, LOG_KIND] == IMPACT:
            e = int(log[row, LOG_CONTACT])
            work, size = work_of_impact(T, J, ends, e, V, L, F, K)
            total, sizes = total + work, sizes + size
            if most < 0 or work > worst:
                most, worst = e, work
    if most < 0 or not total > GAIN * sizes:
        return n_log
    put_event(log, n_log, t1, most, GAINED, L[APPROACH, nb + most], L[RATE, nb + most], total)
    put_tangent(log, n_log, 0.0, 0.0, 0.0)
    return n_log + 1


@leaf
def log_friction(h, row, log, F, K):
    """The tangential impulse of an impact is its jump; the mean force is what the step has besides."""
    e = int(log[row, LOG_CONTACT])
    put_tangent(log, row, jump_of(e, 0, F, K), jump_of(e, 1, F, K), jump_of(e, 2, F, K))
    for i in range(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e]):
        F[FORCE_T0, i] -= F[BIG_LAM_T, i] / h


@leaf
def jump_of(e, k, F, K):
    """The k-th row of the impulse Λt of an element, 0 if it has no such row."""
    i = K[FIRST_T, e] + k
    return F[MU_T, i] * F[BIG_LAM_T, i] if k < K[WIDTH_T, e] else 0.0


@leaf
def write_friction(record, row, F, R, K, places):
    """Friction as one row of the solution, see `genalpha.system.friction.FrictionColumns`; nobody may want it."""
    friction, nt = record.friction, F.shape[1]
    if friction.shape[1] == 0:
        return
    ne = (friction.shape[1] - 4 * nt) // 2
    for i in range(nt):
        mu = F[MU_T, i]
        friction[row, i] = F[PLAIN_SLIP0, i]
        friction[row, nt + i] = mu * F[LAM_T0, i]
        friction[row, 2 * nt + i] = mu * F[FORCE_T0, i]
        friction[row, 3 * nt + i] = mu * F[IMPULSE_T, i]
        F[IMPULSE_T, i] = 0.0
    for k in range(ne):
        e = places[OF_FRICTION, k]
        friction[row, 4 * nt + k] = K[STUCK, e]
        friction[row, 4 * nt + ne + k] = R[WORK, e]
