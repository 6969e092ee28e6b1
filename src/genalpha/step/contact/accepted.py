"""Contacts of a step that is accepted: events, impulses and forces apart."""

from __future__ import annotations

from genalpha.compiled.jit import leaf
from genalpha.step.contact.law import SLOW
from genalpha.step.contact.residuals import slacks
from genalpha.step.state import (
    APPROACH,
    BIG_LAM,
    CALM,
    ETA0,
    ETA1,
    FORCE0,
    GAP,
    IMPULSE,
    LARGEST_SPEED,
    LAST_B,
    LAST_STEP,
    LOGGED,
    MASS,
    N_SETS,
    RATE,
    RATE0,
    SET_B,
    STAR,
    TIME,
    WORST_GAP,
    WORST_PRODUCT,
)
from genalpha.system import contact_log
from genalpha.system.contact_log import CLOSED, IMPACT, OPENED

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
