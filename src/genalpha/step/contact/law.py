"""The law of impact: how fast a gap is to open after the step, (65h) of paper 002 with one normal.

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
from genalpha.step.state import (
    APPROACH,
    ETA1,
    ETA_HERE,
    G_T,
    GAP,
    LARGEST_SPEED,
    LAST_C,
    NU,
    RATE0,
    REBOUND,
    REGULARISED,
    RESTITUTION,
    ROWS,
    SET_A,
    SET_C,
    V0,
    V1,
    YIELD,
    W,
)

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
