"""Leaves of joint coordinates: how far two bodies have turned, slid or moved apart, and the screw of it.

A coordinate at i of the data: kind, end a (4), end b (4), s_a, s_b, u_a, w_a, u_b (3 each), c

    TURN      angle of u_b against u_a, from u_a to w_a; in a plane θ_b − θ_a − c
    SLIDE     u_a · (p_b − p_a)
    LENGTH    |p_b − p_a|

Angles count turns. In a plane they are differences of coordinates. In space an entry of q, the counter at c, holds the
angle: `update` puts it there, next to the angle before, so that it is a function of the configuration like all others
and nothing is remembered elsewhere; it has no velocity of its own. What is measured here needs it only to tell turns
apart, and gradients are those of the rotations.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import COUNTER
from genalpha.model.screws import crossed, dot, plus, point_rate, pose, times, turned_by

TURN, SLIDE, LENGTH = range(3)

A, B, S_A, S_B, U_A, W_A, U_B, C, SIZE = 1, 5, 9, 12, 15, 18, 21, 24, 25
"""Where the parts of a coordinate are, and how many entries it has."""


@leaf
def circle(data, i, R, S):
    """u_a, w_a, u_b of the TURN at i, of bodies with the rotations R and S, and (cos, sin) of its angle."""
    a, w, b = turned_by(R, data, i + U_A), turned_by(R, data, i + W_A), turned_by(S, data, i + U_B)
    return a, w, b, dot(a, b), dot(w, b)


@leaf
def coordinate(q, data, i, R, X, S, Y):
    """The coordinate at i and its screw p, n, d; R, X and S, Y are the poses of a and b."""
    bits = data.view(np.int64)
    zero = 0.0 * q[0]
    none = (zero, zero, zero)
    if bits[i] == TURN and bits[i + A + 3]:
        angle = zero - data[i + C]
        if bits[i + A + 2] >= 0:
            angle = angle - q[bits[i + A + 1]]
        if bits[i + B + 2] >= 0:
            angle = angle + q[bits[i + B + 1]]
        return angle, none, none, (zero, zero, zero + 1.0)
    if bits[i] == TURN:
        a, w, b, c, s = circle(data, i, R, S)
        turns = q[bits[i + C]]
        cosine, sine = np.cos(turns), np.sin(turns)
        angle = turns + np.arctan((s * cosine - c * sine) / (c * cosine + s * sine))
        d = crossed(b, plus(times(w, c), a, -s))
        return angle, none, none, times(d, 1.0 / (c * c + s * s))
    p = plus(Y, turned_by(S, data, i + S_B), 1.0)
    r = plus(p, plus(X, turned_by(R, data, i + S_A), 1.0), -1.0)
    if bits[i] == SLIDE:
        n = turned_by(R, data, i + U_A)
        return dot(n, r), p, n, none
    length = np.sqrt(dot(r, r))
    return length, p, times(r, 1.0 / length), none


@leaf
def coordinate_rates(data, i, R, X, S, Y, one, two):
    """The rates of p, n, d of the coordinate at i; one and two are the twists of a and b."""
    bits = data.view(np.int64)
    zero = 0.0 * one[0][0]
    none = (zero, zero, zero)
    if bits[i] == TURN and bits[i + A + 3]:
        return none, none, none
    if bits[i] == TURN:
        a, w, b, c, s = circle(data, i, R, S)
        a1, w1, b1 = crossed(one[1], a), crossed(one[1], w), crossed(two[1], b)
        c1, s1 = dot(a1, b) + dot(a, b1), dot(w1, b) + dot(w, b1)
        across = plus(times(w, c), a, -s)
        rate = plus(plus(times(w, c1), w1, c), plus(times(a, s1), a1, s), -1.0)
        d1 = plus(crossed(b1, across), crossed(b, rate), 1.0)
        size = c * c + s * s
        d1 = plus(d1, crossed(b, across), -2.0 * (c * c1 + s * s1) / size)
        return none, none, times(d1, 1.0 / size)
    p = plus(Y, turned_by(S, data, i + S_B), 1.0)
    p1 = point_rate(two, Y, p)
    if bits[i] == SLIDE:
        return p1, crossed(one[1], turned_by(R, data, i + U_A)), none
    start = plus(X, turned_by(R, data, i + S_A), 1.0)
    r, r1 = plus(p, start, -1.0), plus(p1, point_rate(one, X, start), -1.0)
    inverse = 1.0 / np.sqrt(dot(r, r))
    n = times(r, inverse)
    return p1, times(plus(r1, n, -dot(n, r1)), inverse), none


@leaf
def count_turns(q0, delta, data, q1):
    """The angles of COUNTER, next to those before."""
    bits = data.view(np.int64)
    i = bits[2 * COUNTER]
    for _ in range(bits[2 * COUNTER + 1]):
        c = bits[i + C]
        R, _ = pose(q1, data, i + A)
        S, _ = pose(q1, data, i + B)
        _, _, _, cosine, sine = circle(data, i, R, S)
        c0, s0 = np.cos(q0[c]), np.sin(q0[c])
        q1[c] = q0[c] + np.arctan2(sine * c0 - cosine * s0, cosine * c0 + sine * s0)
        i += SIZE
