"""Contacts of a step that is accepted: events, impulses and forces apart."""

from __future__ import annotations

from genalpha.jit import leaf
from genalpha.step.law import SLOW
from genalpha.step.residuals import slacks
from genalpha.step.state import (
    APPROACH,
    CALM,
    CLOSED,
    ETA0,
    ETA1,
    FORCE0,
    GAP,
    IMPACT,
    IMPULSE,
    LAM,
    LARGEST_SPEED,
    LAST_STEP,
    LOG_AFTER,
    LOG_BEFORE,
    LOG_CONTACT,
    LOG_IMPULSE,
    LOG_KIND,
    LOG_TIME,
    LOGGED,
    MASS,
    N_MATRICES,
    OPENED,
    RATE,
    RATE0,
    STAR,
    TIME,
    VELOCITY_MATRIX,
    WORST_GAP,
    WORST_PRODUCT,
)

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
        closed, before = S[VELOCITY_MATRIX, i], S[LAST_STEP + VELOCITY_MATRIX, i]
        approach, departure = L[APPROACH, i], L[RATE, i]
        closes = closed and approach < -slow
        if closed != before:
            put_event(log, n, t1 if closed else memory[TIME], i - nb, CLOSED if closed else OPENED, approach, departure,
                      L[STAR, i])  # fmt: skip
            n += 1
        jump = 0.0
        if closed and hit:
            jump = min(max(L[LAM, i], 0.0), L[STAR, i])
            if not closes and jump <= max(SUDDEN * h * L[FORCE0, i], L[MASS, i] * slow):
                jump = 0.0
        if jump > 0.0:
            put_event(log, n, t1, i - nb, IMPACT, approach, departure, jump)
            n += 1
        kept = kept and not closes
        for k in range(N_MATRICES):
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
        if S[VELOCITY_MATRIX, i] and L[APPROACH, i] < -slow:
            return True
    return False


@leaf
def put_event(log, n, t, contact, kind, approach, departure, impulse):
    """One row of the log."""
    log[n, LOG_TIME] = t
    log[n, LOG_CONTACT] = contact
    log[n, LOG_KIND] = kind
    log[n, LOG_BEFORE] = approach
    log[n, LOG_AFTER] = departure
    log[n, LOG_IMPULSE] = impulse
