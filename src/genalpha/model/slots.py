"""Leaves of contacts whose pairs change while a run goes on: spheres and discs among each other and on fixed planes.

A slot holds a pair of bodies, a body and a plane, or nothing; `candidates` fills it. Bodies touch around their origins,
so that nothing turns. Where a body has moved further than its limit from where it was when the pairs were found, pairs
may be missing, and no gap is a number.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import MEMBER, PAIR

# columns of PAIR and of MEMBER; the position of a body in q and in v, −1: there is none
ROW, ONE, TWO, DISTANCE, NORMAL, VALUES, AXES, PAIR_WIDTH = 0, 1, 3, 5, 6, 9, 10, 11
POSITION, DIMENSION, REFERENCE, LIMIT, MEMBER_WIDTH = 0, 1, 2, 5, 6

NOTHING = 1e3
"""The gap of a slot that holds nothing."""


@leaf
def is_stale(q, data):
    """Has a body moved further than its limit?"""
    bits = data.view(np.int64)
    i = bits[2 * MEMBER]
    for _ in range(bits[2 * MEMBER + 1]):
        x, way = bits[i], 0.0
        for j in range(bits[i + DIMENSION]):
            way += (q[x + j] - data[i + REFERENCE + j]) ** 2
        if not way <= data[i + LIMIT]:
            return True
        i += MEMBER_WIDTH
    return False


@leaf
def direction(q, data, i):
    """Distance and unit vector to the first body of a slot, from the second one or along the normal of the plane."""
    bits = data.view(np.int64)
    one, two, total = bits[i + ONE], bits[i + TWO], 0.0
    x, y, z = 0.0, 0.0, 0.0
    if two < 0:
        x, y, z = data[i + NORMAL], data[i + NORMAL + 1], data[i + NORMAL + 2]
        total = x * q[one] + y * q[one + 1]
        if bits[i + AXES] == 3:
            total += z * q[one + 2]
        return total, x, y, z
    x, y = q[one] - q[two], q[one + 1] - q[two + 1]
    if bits[i + AXES] == 3:
        z = q[one + 2] - q[two + 2]
    total = np.sqrt(x * x + y * y + z * z)
    return total, x / total, y / total, z / total


@leaf
def pair_gaps(q, data, out):
    """Gaps of PAIR."""
    bits = data.view(np.int64)
    i, stale = bits[2 * PAIR], is_stale(q, data)
    for _ in range(bits[2 * PAIR + 1]):
        if stale:
            out[bits[i]] = np.nan
        elif bits[i + ONE] < 0:
            out[bits[i]] = NOTHING
        else:
            out[bits[i]] = direction(q, data, i)[0] - data[i + DISTANCE]
        i += PAIR_WIDTH


@leaf
def pair_gradient(q, data, out):
    """N of PAIR: n and −n."""
    bits = data.view(np.int64)
    i = bits[2 * PAIR]
    for _ in range(bits[2 * PAIR + 1]):
        k, axes = bits[i + VALUES], bits[i + AXES]
        if bits[i + ONE] < 0:
            for j in range(2 * axes):
                out[k + j] = 0.0
        else:
            _, x, y, z = direction(q, data, i)
            sign = 1.0 if bits[i + TWO] >= 0 else 0.0
            out[k], out[k + 1] = x, y
            out[k + axes], out[k + axes + 1] = -sign * x, -sign * y
            if axes == 3:
                out[k + 2], out[k + 5] = z, -sign * z
        i += PAIR_WIDTH


@leaf
def pair_bias(q, v, data, out):
    """Ṅ v of PAIR: (ṙ² − (n · ṙ)²)/|r|; 0 of planes."""
    bits = data.view(np.int64)
    i = bits[2 * PAIR]
    for _ in range(bits[2 * PAIR + 1]):
        out[bits[i]] = 0.0
        if bits[i + TWO] >= 0:
            one, two = bits[i + ONE + 1], bits[i + TWO + 1]
            distance, x, y, z = direction(q, data, i)
            a, b, c = v[one] - v[two], v[one + 1] - v[two + 1], 0.0
            if bits[i + AXES] == 3:
                c = v[one + 2] - v[two + 2]
            rate = x * a + y * b + z * c
            out[bits[i]] = (a * a + b * b + c * c - rate * rate) / distance
        i += PAIR_WIDTH


def gap(t, q, data, out):
    """The gaps of all slots."""
    pair_gaps(q, data, out)


def N(t, q, data, out):
    """Their gradient."""
    pair_gradient(q, data, out)


def gap_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    pair_bias(q, v, data, out)


FAMILY = {"gap": gap, "N": N, "gap_bias": gap_bias}
