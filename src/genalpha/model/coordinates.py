"""Leaves of joint coordinates: how far two bodies have turned, slid or moved apart, and the screw of it.

A coordinate at i of the data: kind, end a (4), end b (4), s_a, s_b, u_a, w_a, u_b (3 each), c

    TURN      angle of u_b against u_a, from u_a to w_a, about u_a × w_a
    SLIDE     u_a · (p_b − p_a)
    LENGTH    |p_b − p_a|

Angles count turns. In a plane they are differences of coordinates. In space an entry of q, the counter at c, holds the
angle: `update` puts it there, next to the angle before, so that it is a function of the configuration like all others
and nothing is remembered elsewhere. It has no velocity of its own. What is measured here needs it only to tell turns
apart, so that gradients are those of the rotations.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import COUNTER
from genalpha.model.screws import crossed, dot, plus, point_rate, pose, turned_by

TURN, SLIDE, LENGTH = range(3)
SIZE = 25
"""Entries of a coordinate."""

A, B, S_A, S_B, U_A, W_A, U_B, C = 1, 5, 9, 12, 15, 18, 21, 24


@leaf
def tangent_of(data, i, R, S):
    """(cos, sin) of the angle of the TURN at i, of bodies with the rotations R and S."""
    u = turned_by(S, data, i + U_B)
    return dot(turned_by(R, data, i + U_A), u), dot(turned_by(R, data, i + W_A), u)


@leaf
def coordinate(q, data, i, R, X, S, Y):
    """The value, and its screw p, n, d, of the coordinate at i; R, X and S, Y are the poses of a and b."""
    bits = data.view(np.int64)
    zero = 0.0 * q[0]
    none = (zero, zero, zero)
    if bits[i] == TURN and bits[i + A + 3]:
        angle = -data[i + S_A]  # what it is at zero
        if bits[i + A + 2] >= 0:
            angle = angle - q[bits[i + A + 1]]
        if bits[i + B + 2] >= 0:
            angle = angle + q[bits[i + B + 1]]
        return angle + zero, X, none, (zero, zero, 1.0 + zero)
    if bits[i] == TURN:
        c, s = tangent_of(data, i, R, S)
        turns = q[bits[i + C]]
        cosine, sine = np.cos(turns), np.sin(turns)
        angle = turns + np.arctan((s * cosine - c * sine) / (c * cosine + s * sine))
        across = plus(turned_by(R, data, i + W_A), turned_by(R, data, i + U_A), -s / c if c != 0.0 else 0.0)
        if c == 0.0:
            across = plus(none, turned_by(R, data, i + U_A), -s)
            c = 1.0 + zero
        d = crossed(turned_by(S, data, i + U_B), across)
        return angle, X, none, plus(none, d, c / (c * c + s * s))
    p = plus(Y, turned_by(S, data, i + S_B), 1.0)
    r = plus(plus(p, X, -1.0), turned_by(R, data, i + S_A), -1.0)
    if bits[i] == SLIDE:
        n = turned_by(R, data, i + U_A)
        return dot(n, r), p, n, none
    length = np.sqrt(dot(r, r))
    return length, p, plus(none, r, 1.0 / length), none
