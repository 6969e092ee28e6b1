"""Steps in which a contact closes: how far the gap went, and with which velocity it arrived.

The velocity that the gap would have at t1 without its contact is u1 = N v1 + gap_t − Λ*/m, with the effective mass m.
With the velocity u0 at t0 the gap had the acceleration b = (u1 − u0)/h, so

    it arrived with      u = √(u0² − 2 b gap0)
    it came from         gap0, or from gap0 − u0²/(2 b) if it opened at first

An impact is logged with u0 at t1. Both are right up to the tolerance if the gap came from no further than that, and if
u h is no more than that. The slower a contact arrives, the longer the step may be.
"""

from __future__ import annotations

from math import sqrt

from genalpha.compiled.jit import leaf
from genalpha.step.state import (
    GAP,
    GAP0,
    LARGEST_SPEED,
    LAST_A,
    MASS,
    RATE,
    RATE0,
    REACH,
    SET_A,
    SET_B,
    STAR,
)


@leaf
def may_close(h, L, S, nb):
    """Is there a contact to look at: one that closed in this step, one that hit, one that may have passed?"""
    for i in range(nb, L.shape[1]):
        if S[SET_A, i] or (L[RATE0, i] < 0.0 and L[GAP0, i] + h * L[RATE0, i] < 0.0):
            return True
    return False


@leaf
def impact_step(tolerance, h, L, S, nb, memory):
    """The longest step in which impacts may happen as they did in this one; h if all is well.

    No contact travels further than ``tolerance`` in it; a negative one is relative to L[REACH].
    """
    allowed = h
    for i in range(nb, L.shape[1]):
        limit = tolerance if tolerance >= 0.0 else -tolerance * L[REACH, i]
        rate = L[RATE0, i]
        if not S[SET_A, i]:
            allowed = min(allowed, passing_step(limit, h, L[GAP0, i], rate, L[GAP, i], L[RATE, i]))
        elif not S[LAST_A, i]:
            arrival = L[RATE, i] - L[STAR, i] / L[MASS, i]
            allowed = min(allowed, closing_step(limit, h, max(L[GAP0, i], 0.0), rate, arrival))
        elif S[SET_B, i] and rate < -1e-7 * memory[LARGEST_SPEED] and -rate * h > limit:
            allowed = min(allowed, -0.9 * limit / rate)
    return allowed


@leaf
def closing_step(limit, h, gap, rate, arrival):
    """A contact closed from a gap ≥ 0: the longest step, which ends in its middle if the gap came from too far."""
    b = (arrival - rate) / h
    came_from = gap
    if rate > 0.0 and b < 0.0:
        came_from = gap - 0.5 * rate * rate / b
    if came_from <= limit:
        speed = sqrt(max(rate * rate - 2.0 * b * gap, 0.0))
        return h if speed * h <= limit else 0.9 * limit / speed
    # the time at which half of the limit is left
    way = gap - 0.5 * limit
    root = sqrt(max(rate * rate - 2.0 * b * way, 0.0))
    if rate > 0.0:
        time = -(rate + root) / b
    else:
        time = 2.0 * way / (root - rate) if root > rate else h
    return time if time < 0.95 * h else 0.5 * h


@leaf
def passing_step(limit, h, gap0, rate0, gap1, rate1):
    """A contact is open before and after the step: h, or less if it may have gone through in between.

    It came nearer at first and went away at last, and each of the two velocities would have closed it.
    """
    if rate0 < 0.0 < rate1 and gap0 + h * rate0 < 0.0 and gap1 - h * rate1 < 0.0 and -h * rate0 > limit:
        return max(-0.9 * gap0 / rate0, -0.9 * limit / rate0)
    return h
