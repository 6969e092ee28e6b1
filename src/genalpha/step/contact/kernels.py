"""Leaves of the nonsmooth method: active sets (55)-(57) of paper 002, residuals with rows switched off.

The contacts are the last rows, nb..m, of the matrices ``L`` and ``S`` of `state`.
"""

from __future__ import annotations

from genalpha.compiled.jit import leaf
from genalpha.math.linear import larger
from genalpha.step.state import (
    A_0,
    A_HERE,
    BIAS,
    BIG_LAM,
    ETA0,
    ETA1,
    ETA_HERE,
    G_T,
    GAP,
    MASS,
    MAX_SEEN,
    MU0,
    MU1,
    N_SEEN,
    N_SETS,
    NU,
    RATE,
    RATE0,
    RATE_DOT,
    REBOUND,
    ROWS,
    SEEN,
    SET_A,
    SET_B,
    SET_C,
    SOLUTION,
    STAR,
    V1,
    V_TILDE,
    VDOT0,
    VDOT1,
    W,
)


@leaf
def contact_rates(T, J, first, last, V, L, nb):
    """RATE = N v1 + gap_t and RATE_DOT = N v̇1 + gap_bias."""
    for i in range(nb, L.shape[1]):
        L[RATE, i] = L[G_T, i]
        L[RATE_DOT, i] = L[BIAS, i]
    for e in range(first, last):
        L[RATE, T[0, e]] += J[e] * V[V1, T[1, e]]
        L[RATE_DOT, T[0, e]] += J[e] * V[VDOT1, T[1, e]]


@leaf
def smooth_multipliers(alpha_m, alpha_f, slope, lag, L, nb):
    """(64): η1, and η0 moved to this step size or made by 001 (10), as `kernels.predict` does with a0."""
    for i in range(nb, L.shape[1]):
        eta = L[ETA0, i]
        if slope != 0.0:
            eta = (1.0 - slope) * L[MU0, i] + slope * L[MU1, i]
        elif lag > 0.0 and lag != 1.0:
            eta = L[MU0, i] + lag * (eta - L[MU0, i])
        L[ETA_HERE, i] = eta
        L[ETA1, i] = ((1.0 - alpha_f) * L[MU1, i] + alpha_f * L[MU0, i] - alpha_m * eta) / (1.0 - alpha_m)


@leaf
def move_acceleration(V, lag):
    """a0 moved to this step size, `kernels.predict`, where nothing is extrapolated."""
    for i in range(V.shape[1]):
        V[A_HERE, i] = V[VDOT0, i] + lag * (V[A_0, i] - V[VDOT0, i])


@leaf
def choose_sets(beta, gamma, h, factor, r, strategy, closing, firm, single, slack_q, slack_v, L, S, nb, last):
    """The active sets A ⊇ B ⊇ C of (55)-(57), from augmented multipliers; gives the number of contacts that changed.

    It is −1 if a gap, its velocity or its acceleration is not a number: that would count as open.

    The smooth part of ν* and Λ* counts only where it presses, or where λ makes it pull: after a release η alternates in
    sign while it decays, and a negative part would let a contact penetrate. ``closing`` keeps a contact out of C that
    opens by the law: what an iterate opens with is the error of the iteration, and a set that hangs on it comes and
    goes. What lies within ``slack_q`` and ``slack_v`` of a limit, round-off, counts as closed; with ``firm`` a gap of
    round-off that does not close stays open if it is: two walls may contradict each other by that much about where a
    ball between them is, and closed they would pull. With ``single`` only one contact may change. Rows from ``last`` on
    are left as they are.
    """
    changes = 0
    slack_a = slack_v / h
    for i in range(nb, last):
        mass = r if r > 0.0 else factor * L[MASS, i]
        twice = h * h * ((0.5 - beta) * L[ETA_HERE, i] + beta * L[ETA1, i])
        once = h * ((1.0 - gamma) * L[ETA_HERE, i] + gamma * L[ETA1, i])
        if not abs(L[GAP, i]) + abs(L[RATE, i]) + abs(L[RATE_DOT, i]) < 1e300:
            return -1
        if not S[SET_C, i]:
            twice, once = max(twice, 0.0), max(once, 0.0)
        rate = L[RATE, i] - L[REBOUND, i]
        still = firm and not S[SET_A, i] and L[RATE0, i] >= -1e5 * slack_v
        slack = -slack_q if still else slack_q
        a = 1 if L[NU, i] + twice - mass * L[GAP, i] >= -mass * slack else 0
        b = 1 if a and L[BIG_LAM, i] + once - mass * rate >= -mass * slack_v else 0
        c = 1 if strategy == 3 and b and L[MU1, i] - mass * L[RATE_DOT, i] >= -mass * slack_a else 0
        if closing and L[REBOUND, i] > 1e5 * slack_v:
            c = 0
        changed = S[SET_A, i] != a or S[SET_B, i] != b or S[SET_C, i] != c
        if changed and not (single and changes > 0):
            S[SET_A, i], S[SET_B, i], S[SET_C, i] = a, b, c
            changes += 1
    return changes


@leaf
def seen_before(S, counts, nb):
    """Was this pattern of active sets there before in this step? It is remembered."""
    pattern = 1469598103
    for k in range(N_SETS):
        for i in range(nb, S.shape[1]):
            pattern = (pattern * 31 + 2 * S[k, i] + 1) & 0x3FFFFFFFFFFFFFF
    n = counts[N_SEEN]
    for i in range(n):
        if counts[SEEN + i] == pattern:
            return True
    counts[SEEN + n % MAX_SEEN] = pattern
    counts[N_SEEN] = min(n + 1, MAX_SEEN)
    return False


@leaf
def bar_contacts(S, nb, last):
    """No contact before ``last`` in C."""
    for i in range(nb, last):
        S[SET_C, i] = 0


@leaf
def same_rows(S, one, two):
    """Are two active sets the same?"""
    for i in range(S.shape[1]):
        if S[one, i] != S[two, i]:
            return False
    return True


@leaf
def release(L, S, h):
    """Multipliers of inactive rows become zero; gives the largest that was not, as a force."""
    largest = 0.0
    for i in range(L.shape[1]):
        if not S[SET_C, i]:
            largest = max(largest, abs(L[MU1, i]))
            L[MU1, i] = 0.0
        if not S[SET_A, i]:
            largest = max(largest, abs(L[NU, i]) / (h * h))
            L[NU, i] = 0.0
        if not S[SET_B, i]:
            largest = max(largest, abs(L[BIG_LAM, i]) / h)
            L[BIG_LAM, i] = 0.0
    return largest


@leaf
def smooth_velocity(V):
    """V_TILDE = v1 − W: the velocity without jumps."""
    for i in range(V.shape[1]):
        V[V_TILDE, i] = V[V1, i] - V[W, i]


@leaf
def smooth_rows(T, J, first, last, V, L, n_g):
    """G ṽ + g_t in the first n_g entries of L[ROWS]."""
    for i in range(n_g):
        L[ROWS, i] = L[G_T, i]
    for e in range(first, last):
        L[ROWS, T[0, e]] += J[e] * V[V_TILDE, T[1, e]]


@leaf
def put_active_rows(L, S, level, factor, X, n):
    """X[SOLUTION, n + i] = factor L[ROWS, i] in the set S[level], else 0; gives the largest |L[ROWS, i]| in it."""
    largest = 0.0
    for i in range(L.shape[1]):
        X[SOLUTION, n + i] = factor * L[ROWS, i] if S[level, i] else 0.0
        if S[level, i]:
            largest = larger(largest, abs(L[ROWS, i]))
    return largest


@leaf
def put_gap_rows(L, ng, nb):
    """L[ROWS] of the position level: g is there already; nothing for nonholonomic rows; the gaps."""
    for i in range(ng, nb):
        L[ROWS, i] = 0.0
    for i in range(nb, L.shape[1]):
        L[ROWS, i] = L[GAP, i]


@leaf
def put_gradient(T, J, first, last, row, X):
    """X[SOLUTION] = (row of B, 0)."""
    for i in range(X.shape[1]):
        X[SOLUTION, i] = 0.0
    for e in range(first, last):
        if T[0, e] == row:
            X[SOLUTION, T[1, e]] = J[e]


@leaf
def effective_mass(T, J, end_M, first, last, row, X, L):
    """L[MASS, row] = 1/(N P Nᵀ), X[SOLUTION] = P Nᵀ; without the bilateral rows if they leave no motion along N."""
    along, alone = 0.0, 0.0
    for e in range(first, last):
        if T[0, e] == row:
            along += J[e] * X[SOLUTION, T[1, e]]
            for d in range(end_M):
                if T[0, d] == T[1, d] and T[0, d] == T[1, e] and J[d] > 0.0:
                    alone += J[e] * J[e] / J[d]
    if along <= 1e-10 * alone:
        along = alone
    L[MASS, row] = 1.0 / along if along > 0.0 else 1.0


@leaf
def largest_push(L, nb):
    """The largest acceleration that a contact force of the step before gives or takes away."""
    largest = 0.0
    for i in range(nb, L.shape[1]):
        largest = max(largest, abs(L[MU0, i]) / L[MASS, i])
    return largest


@leaf
def total_impulses(gamma, h, L, nb):
    """(65m): Λ*."""
    for i in range(nb, L.shape[1]):
        L[STAR, i] = L[BIG_LAM, i] + h * ((1.0 - gamma) * L[ETA_HERE, i] + gamma * L[ETA1, i])
