"""Leaves of joint coordinates: how far two bodies have turned, slid or moved apart, and the screw of it.

A coordinate at i of the data is a COORDINATE, of the kind

    TURNED    angle of axis_b against axis_a, from axis_a to side_a; in a plane θ_b − θ_a − zero
    SLID      axis_a · (p_b − p_a)
    LENGTH    |p_b − p_a|

Angles count turns. In a plane they are differences of coordinates. In space an entry of q, the counter, holds the
angle: `update` puts it there, next to the angle before, so that it is a function of the configuration like all others
and nothing is remembered elsewhere; it has no velocity of its own. What is measured here needs it only to tell turns
apart, and gradients are those of the rotations.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import COORDINATE, COUNTER, END, SLID, TURNED
from genalpha.model.leaves.joints import turned_by
from genalpha.model.leaves.screws import crossed, dot, plus, point_rate, pose, times


@leaf
def circle(data, i, R, S):
    """axis_a, side_a, axis_b of the TURNED at i, of bodies with the rotations R and S, and (cos, sin) of its angle."""
    a, w, b = (
        turned_by(R, data, i + COORDINATE.axis_a),
        turned_by(R, data, i + COORDINATE.side_a),
        turned_by(S, data, i + COORDINATE.axis_b),
    )
    return a, w, b, dot(a, b), dot(w, b)


@leaf
def coordinate(q, data, i, R, X, S, Y):
    """The coordinate at i and its screw p, n, d; R, X and S, Y are the poses of a and b."""
    bits = data.view(np.int64)
    zero = 0.0 * q[0]
    none = (zero, zero, zero)
    if bits[i + COORDINATE.kind] == TURNED and bits[i + COORDINATE.a + END.planar]:
        angle = zero - data[i + COORDINATE.zero]
        if bits[i + COORDINATE.a + END.v] >= 0:
            angle = angle - q[bits[i + COORDINATE.a + END.r]]
        if bits[i + COORDINATE.b + END.v] >= 0:
            angle = angle + q[bits[i + COORDINATE.b + END.r]]
        return angle, none, none, (zero, zero, zero + 1.0)
    if bits[i + COORDINATE.kind] == TURNED:
        a, w, b, c, s = circle(data, i, R, S)
        turns = q[bits[i + COORDINATE.zero]]
        cosine, sine = np.cos(turns), np.sin(turns)
        angle = turns + np.arctan((s * cosine - c * sine) / (c * cosine + s * sine))
        d = crossed(b, plus(times(w, c), a, -s))
        return angle, none, none, times(d, 1.0 / (c * c + s * s))
    p = plus(Y, turned_by(S, data, i + COORDINATE.lever_b), 1.0)
    r = plus(p, plus(X, turned_by(R, data, i + COORDINATE.lever_a), 1.0), -1.0)
    if bits[i + COORDINATE.kind] == SLID:
        n = turned_by(R, data, i + COORDINATE.axis_a)
        return dot(n, r), p, n, none
    length = np.sqrt(dot(r, r))
    return length, p, times(r, 1.0 / length), none


@leaf
def coordinate_rates(data, i, R, X, S, Y, one, two):
    """The rates of p, n, d of the coordinate at i; one and two are the twists of a and b."""
    bits = data.view(np.int64)
    zero = 0.0 * one[0][0]
    none = (zero, zero, zero)
    if bits[i + COORDINATE.kind] == TURNED and bits[i + COORDINATE.a + END.planar]:
        return none, none, none
    if bits[i + COORDINATE.kind] == TURNED:
        a, w, b, c, s = circle(data, i, R, S)
        a1, w1, b1 = crossed(one[1], a), crossed(one[1], w), crossed(two[1], b)
        c1, s1 = dot(a1, b) + dot(a, b1), dot(w1, b) + dot(w, b1)
        across = plus(times(w, c), a, -s)
        rate = plus(plus(times(w, c1), w1, c), plus(times(a, s1), a1, s), -1.0)
        d1 = plus(crossed(b1, across), crossed(b, rate), 1.0)
        size = c * c + s * s
        d1 = plus(d1, crossed(b, across), -2.0 * (c * c1 + s * s1) / size)
        return none, none, times(d1, 1.0 / size)
    p = plus(Y, turned_by(S, data, i + COORDINATE.lever_b), 1.0)
    p1 = point_rate(two, Y, p)
    if bits[i + COORDINATE.kind] == SLID:
        return p1, crossed(one[1], turned_by(R, data, i + COORDINATE.axis_a)), none
    start = plus(X, turned_by(R, data, i + COORDINATE.lever_a), 1.0)
    r, r1 = plus(p, start, -1.0), plus(p1, point_rate(one, X, start), -1.0)
    inverse = 1.0 / np.sqrt(dot(r, r))
    n = times(r, inverse)
    return p1, times(plus(r1, n, -dot(n, r1)), inverse), none


@leaf
def count_turns(q0, delta, data, q1):
    """The angles of COUNTER, next to those before."""
    bits = data.view(np.int64)
    i = bits[COUNTER.begin]
    for _ in range(bits[COUNTER.count]):
        k = i + COUNTER.coordinate
        c = bits[k + COORDINATE.zero]
        R, _ = pose(q1, data, k + COORDINATE.a)
        S, _ = pose(q1, data, k + COORDINATE.b)
        _, _, _, cosine, sine = circle(data, k, R, S)
        c0, s0 = np.cos(q0[c]), np.sin(q0[c])
        q1[c] = q0[c] + np.arctan2(sine * c0 - cosine * s0, cosine * c0 + sine * s0)
        i += COUNTER.width
