"""Evaluators as the contract has them: of calls ``(t, q, v, p, out)``, of several in a chain, or of nothing."""

from __future__ import annotations

import numpy as np


def chained(calls, sizes, wrap):
    """One call that fills ``out`` by several, one behind the other; what a call that is None fills stays as it is."""
    if len(calls) == 1:
        return calls[0]
    chain, first = None, 0
    for call, size in zip(calls, sizes, strict=True):
        if call is not None:
            chain = _behind(chain, call, first, first + size, wrap)
        first += size
    return chain


def _behind(before, call, first, last, wrap):
    """``before``, if there is one, and a call that fills out[first:last]."""
    if before is None:

        def chain(t, q, v, p, out):
            call(t, q, v, p, out[first:last])

    else:

        def chain(t, q, v, p, out):
            before(t, q, v, p, out)
            call(t, q, v, p, out[first:last])

    return wrap(chain)


def plus(q0, delta, data, q1):
    """q1 = q0 + Δ: the update of a vector space."""
    np.add(q0, delta, q1)


def nothing_to_twist(v, factor, data, out):
    """The tangent operator of a vector space is 1."""


def nothing_to_untwist(delta, data, x):
    """T = 1 in a vector space."""


def nothing_of_position(t, q, data, out):
    """An absent block."""


def nothing_of_velocity(t, q, v, data, out):
    """An absent block."""


def nothing_of_multipliers(t, q, v, mu, data, out):
    """An absent block."""


def nothing_of_everything(t, q, v, vdot, mu, data, out):
    """An absent block."""


def of_position(call):
    if call is None:
        return nothing_of_position

    def evaluator(t, q, data, out):
        call(t, q, q, data, out)

    return evaluator


def of_velocity(call):
    if call is None:
        return nothing_of_velocity

    def evaluator(t, q, v, data, out):
        call(t, q, v, data, out)

    return evaluator
