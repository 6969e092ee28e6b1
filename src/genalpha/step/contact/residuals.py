"""Rows and residuals of the three levels of paper 002 at an iterate, the law of impact, and what an accepted step logs.

The law says how fast a gap is to open after the step, (65h) of paper 002 with one normal.

The paper writes Newton's law with N(q0) v0 and N(q1) v1. Where the normal turns within the step, or forces turn the
velocity, the two belong to different directions, and e = 1 creates energy. With the normal of the end of the step,

    ũ = N1 ṽ1 + gap_t1    before the impact, ṽ1 = v1 − W      u1 = N1 v1 + gap_t1    after it

the work of an impact is ½ Λᵀ(u1 + ũ), and that of all the contact does in the step, seen from v0, ½ Λ*ᵀ(u1 + u0) with
u0 = N1 v0 + gap_t1. With forces the two differ by O(h). No contact contributes a positive part if

    u1 = −e max(N0 v0 + gap_t0, u0, ũ)    for a contact that closes: all three are negative
    u1 = −max(u0, ũ)                      for one that opens, u0 > 0 and ũ > 0, and is hit through others: it is on its
                                          way out, and has its own impact in the next step
    u1 = 0                                for one at rest, between the two, or held by a force, in C before and after

The smallest approach counts: a contact at rest on a curved surface has N0 v0 + gap_t0 = 0, but u0 = O(h), and would
bounce. Contacts that depend on one another share one law, `common_rebounds`.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf, step
from genalpha.step.contact.kernels import (
    contact_rates,
    put_active_rows,
    put_gap_rows,
    smooth_multipliers,
    smooth_rows,
    smooth_velocity,
)
from genalpha.step.kernels import acceleration_rows, correction_residual, force_residual, velocity_rows
from genalpha.step.schemes.alpha import evaluate_rows
from genalpha.step.state import (
    ACCELERATION,
    APPROACH,
    BIAS,
    BIG_LAM,
    CALM,
    ETA0,
    ETA1,
    ETA_HERE,
    FORCE0,
    G_T,
    GAP,
    IMPULSE,
    LARGEST_EXTENT,
    LARGEST_SPEED,
    LAST_B,
    LAST_C,
    LAST_STEP,
    LOGGED,
    MASS,
    N_SETS,
    NU,
    Q1,
    RATE,
    RATE0,
    REBOUND,
    REGULARISED,
    RESTITUTION,
    ROWS,
    SET_A,
    SET_B,
    SET_C,
    STAR,
    TIME,
    V0,
    V1,
    V_TILDE,
    WORST_GAP,
    WORST_PRODUCT,
    YIELD,
    U,
    W,
)
from genalpha.step.values import EPSILON
from genalpha.system import contact_log
from genalpha.system.contact_log import CLOSED, IMPACT, OPENED


@leaf
def slacks(memory):
    """What counts as round-off, of positions and of velocities."""
    return 16.0 * EPSILON * memory[LARGEST_EXTENT], 64.0 * EPSILON * memory[LARGEST_SPEED]


@step
def evaluate_all_rows(system, data, sizes, arrays, t1):
    """B = (G, K, N), g_t and gap_t at the new point."""
    evaluate_rows(system, data, sizes, arrays, t1)
    if sizes.m > sizes.nb:
        system.N(t1, arrays.Q[Q1], data, arrays.J[sizes.end_K : sizes.end_B])
        if not sizes.scleronomic:
            system.gap_t(t1, arrays.Q[Q1], data, arrays.L[G_T, sizes.nb :])


@step
def evaluate_gaps(system, data, sizes, scheme, arrays, t1, slope, lag):
    """Gaps, their velocities and accelerations, and η."""
    L, q = arrays.L, arrays.Q[Q1]
    if sizes.m > sizes.nb:
        system.gap(t1, q, data, L[GAP, sizes.nb :])
        system.gap_bias(t1, q, arrays.V[V1], data, L[BIAS, sizes.nb :])
    contact_rates(arrays.T, arrays.J, sizes.end_K, sizes.end_B, arrays.V, L, sizes.nb)
    smooth_multipliers(scheme.alpha_m, scheme.alpha_f, slope, lag, L, sizes.nb)
    foresee_law(sizes, scheme, arrays, slacks(arrays.memory)[0])


@step
def residual_of_dynamics(system, data, sizes, scheme, arrays, t1, c7, r_row):
    """Right-hand side of the Newton step of (65a, b) in X, where f is already; gives the largest active row."""
    T, J, V, L, X, ng = arrays.T, arrays.J, arrays.V, arrays.L, arrays.X, sizes.ng
    force_residual(T, J, sizes.end_M, sizes.end_C, sizes.end_B, V, L, X)
    if scheme.level == ACCELERATION:
        acceleration_rows(T, J, sizes.end_C, sizes.end_B, V, L, ng)
        return put_active_rows(L, arrays.S, SET_C, -r_row, X, sizes.nv)
    smooth_velocity(V)
    if sizes.nb > ng:
        system.k(t1, arrays.Q[Q1], V[V_TILDE], data, L[ROWS, ng : sizes.nb])
    smooth_rows(T, J, sizes.end_C, sizes.end_G, V, L, ng)
    return put_active_rows(L, arrays.S, SET_C, -r_row / c7, X, sizes.nv)


@step
def rows_of_position(system, data, sizes, arrays, t1):
    """L[ROWS] of (65e); the gaps are in L[GAP]."""
    if sizes.ng > 0:
        system.g(t1, arrays.Q[Q1], data, arrays.L[ROWS, : sizes.ng])
    put_gap_rows(arrays.L, sizes.ng, sizes.nb)


@step
def rows_of_velocity(system, data, sizes, scheme, arrays, t1):
    """L[ROWS] of (65h)."""
    T, J, V, L = arrays.T, arrays.J, arrays.V, arrays.L
    if sizes.nb > sizes.ng:
        system.k(t1, arrays.Q[Q1], V[V1], data, L[ROWS, sizes.ng : sizes.nb])
    velocity_rows(T, J, sizes.end_C, sizes.end_G, V, L, sizes.ng)
    if any_closed(arrays.S, sizes.nb):
        apply_law(sizes, scheme, arrays)
    put_impact_rows(T, J, sizes.end_K, sizes.end_B, V, L, sizes.nb)


@step
def residual_of_position(system, data, sizes, arrays, t1, r):
    """Right-hand side of the Newton step of (65d, e) in X; gives the largest active row. The gaps are in L[GAP]."""
    L, X = arrays.L, arrays.X
    rows_of_position(system, data, sizes, arrays, t1)
    correction_residual(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, arrays.V, U, L, NU, X)
    return put_active_rows(L, arrays.S, SET_A, -r, X, sizes.nv)


@step
def residual_of_velocity(system, data, sizes, scheme, arrays, t1, r):
    """Right-hand side of the Newton step of (65g, h) in X; gives the largest active row."""
    L, X = arrays.L, arrays.X
    rows_of_velocity(system, data, sizes, scheme, arrays, t1)
    correction_residual(arrays.T, arrays.J, sizes.end_M, sizes.end_C, sizes.end_B, arrays.V, W, L, BIG_LAM, X)
    return put_active_rows(L, arrays.S, SET_B, -r, X, sizes.nv)


SLOW = 1e-7
"""Gaps that close or open with less than this part of the largest speed are at rest."""


@step
def foresee_law(sizes, scheme, arrays, slack):
    """The law for contacts that may close; those of `piles` are not asked about before they have."""
    if sizes.slots < sizes.m - sizes.nb and any_near(arrays.L, slack, sizes.nb):
        apply_law(sizes, scheme, arrays)


@step
def apply_law(sizes, scheme, arrays):
    """APPROACH, REBOUND and YIELD of the contacts at this iterate; `moreau` has no W, and its ṽ1 is v0."""
    T, J, V, L = arrays.T, arrays.J, arrays.V, arrays.L
    if not scheme.closing:
        newton_as_printed(L, sizes.nb)
        return
    whole = scheme.theta > 0.0 or scheme.strategy < 2
    begin = 0 if sizes.slots > 0 else sizes.m  # of many contacts only those in A are looked at
    approaches(T, J, sizes.end_K, sizes.end_B, whole, sizes.body_frames, begin, V, L, arrays.S, sizes.nb)
    slow = SLOW * arrays.memory[LARGEST_SPEED]
    if arrays.counts[REGULARISED]:
        common_rebounds(slow, L, arrays.S, sizes.nb)
    else:
        rebounds(slow, L, arrays.S, sizes.nb)


@leaf
def any_near(L, slack, nb):
    """Is there a contact that the sets may take in?"""
    for i in range(nb, L.shape[1]):
        if L[GAP, i] <= slack or L[NU, i] != 0.0 or L[ETA_HERE, i] != 0.0 or L[ETA1, i] != 0.0:
            return True
    return False


@leaf
def any_closed(S, nb):
    """Is there a contact in A?"""
    for i in range(nb, S.shape[1]):
        if S[SET_A, i]:
            return True
    return False


@leaf
def newton_as_printed(L, nb):
    """(65h) to the letter: u1 = −e (N0 v0 + gap_t0)."""
    for i in range(nb, L.shape[1]):
        L[APPROACH, i] = L[RATE0, i]
        L[REBOUND, i] = -L[RESTITUTION, i] * L[RATE0, i]
        L[YIELD, i] = 0.0


@leaf
def approaches(T, J, first, last, whole, body_frames, begin, V, L, S, nb):
    """u0 in APPROACH and ũ in REBOUND.

    ``whole``: the step does not split its velocity, and u0 stands for both. ``body_frames``: v0 and N1 belong to
    different frames, and ũ stands for both. From ``begin`` on only contacts in A count.
    """
    for i in range(nb, L.shape[1]):
        L[APPROACH, i] = L[G_T, i]
        L[REBOUND, i] = L[G_T, i]
    for e in range(first, last):
        if T[0, e] >= begin and not S[SET_A, T[0, e]]:
            continue
        L[APPROACH, T[0, e]] += J[e] * V[V0, T[1, e]]
        L[REBOUND, T[0, e]] += J[e] * (V[V1, T[1, e]] - V[W, T[1, e]])
    for i in range(nb, L.shape[1]):
        if whole:
            L[REBOUND, i] = L[APPROACH, i]
        elif body_frames:
            L[APPROACH, i] = L[REBOUND, i]


@leaf
def rebounds(slow, L, S, nb):
    """The law of the module's docstring; YIELD = −∂u1/∂ũ.

    What opens slower than ``slow`` does so by the smaller of its velocities: that may be round-off at rest.
    """
    for i in range(nb, L.shape[1]):
        smooth, low = L[REBOUND, i], min(L[APPROACH, i], L[REBOUND, i])
        high, share = max(L[APPROACH, i], smooth), 1.0
        if high < 0.0:
            high, share = min(max(high, L[RATE0, i]), 0.0), L[RESTITUTION, i]
        elif low <= slow:
            high = max(low, 0.0)
        if high > 0.0 and L[RATE0, i] <= slow and S[SET_C, i] and S[LAST_C, i]:
            high = 0.0
        L[APPROACH, i] = high
        L[REBOUND, i] = -share * high
        L[YIELD, i] = share if high == smooth and high != 0.0 else 0.0


@leaf
def common_rebounds(slow, L, S, nb):
    """u1 = −s e (N0 v0 + gap_t0) with one s ≤ 1 for all, so that no contact that closes departs faster than it may.

    Contacts that depend on one another, as the four corners of a box do, can only obey a law that is linear in v.
    """
    s = 1.0
    for i in range(nb, L.shape[1]):
        if S[SET_A, i] and L[RATE0, i] < -slow:
            s = min(s, max(max(L[APPROACH, i], L[REBOUND, i]) / L[RATE0, i], 0.0))
    for i in range(nb, L.shape[1]):
        L[APPROACH, i] = s * L[RATE0, i] if L[RATE0, i] < 0.0 else L[RATE0, i]
        L[REBOUND, i] = -s * L[RESTITUTION, i] * L[RATE0, i]
        L[YIELD, i] = 0.0


@leaf
def put_impact_rows(T, J, first, last, V, L, nb):
    """L[ROWS] of the velocity level for contacts, (65h): N v1 + gap_t − REBOUND."""
    for i in range(nb, L.shape[1]):
        L[ROWS, i] = L[G_T, i] - L[REBOUND, i]
    for e in range(first, last):
        L[ROWS, T[0, e]] += J[e] * V[V1, T[1, e]]


put_event = leaf(contact_log.put_event)

SUDDEN = 2.0
"""A contact at rest is hit through others if its impulse is more than so many times that of its force."""
FIRMEST = 1e3
"""Sets count a pull as round-off below the slack of velocities times r, the mass of a contact times at most this."""


@leaf
def accept_contacts(L, S, t1, h, log, nb, memory, counts):
    """The new contact state becomes the old one; events are logged."""
    slow, n, kept = SLOW * memory[LARGEST_SPEED], counts[LOGGED], True
    hit = any_impact(L, S, slow, nb)
    forget_pulls(FIRMEST * slacks(memory)[1], L, nb)
    for i in range(nb, L.shape[1]):
        closed, before = S[SET_B, i], S[LAST_B, i]
        approach, departure = L[APPROACH, i], L[RATE, i]
        closes = closed and approach < -slow
        if closed != before:
            put_event(log, n, t1 if closed else memory[TIME], i - nb, CLOSED if closed else OPENED, approach, departure,
                      L[STAR, i])  # fmt: skip
            n += 1
        jump = 0.0
        if closed and hit:
            jump = min(max(L[BIG_LAM, i], 0.0), L[STAR, i])
            if not closes and jump <= max(SUDDEN * h * L[FORCE0, i], L[MASS, i] * slow):
                jump = 0.0
        if jump > 0.0:
            put_event(log, n, t1, i - nb, IMPACT, approach, departure, jump)
            n += 1
        kept = kept and not closes
        for k in range(N_SETS):
            if S[LAST_STEP + k, i] != S[k, i]:
                kept = False
                S[LAST_STEP + k, i] = S[k, i]
        L[CALM, i] = L[CALM, i] + 1.0 if closed and not closes else 0.0
        L[ETA0, i] = L[ETA1, i]
        L[RATE0, i] = departure
        L[IMPULSE, i] += L[STAR, i]
        L[FORCE0, i] = (L[STAR, i] - jump) / h
        memory[WORST_GAP] = min(memory[WORST_GAP], L[GAP, i])
        if closed:
            memory[WORST_PRODUCT] = max(memory[WORST_PRODUCT], abs(L[GAP, i] * L[STAR, i]))
    counts[LOGGED] = n
    return kept


@leaf
def forget_pulls(slack, L, nb):
    """Impulses that pull by round-off are none."""
    for i in range(nb, L.shape[1]):
        if -slack * L[MASS, i] <= L[STAR, i] < 0.0:
            L[STAR, i] = 0.0


@leaf
def any_impact(L, S, slow, nb):
    """Does a contact close in this step?"""
    for i in range(nb, L.shape[1]):
        if S[SET_B, i] and L[APPROACH, i] < -slow:
            return True
    return False
