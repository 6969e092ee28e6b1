"""Leaves of contacts whose pairs change while a run goes on: spheres and discs among each other and on fixed planes.

A slot holds a pair of bodies, a body and a plane, or nothing; `tables` fill it. Bodies touch around their origins,
so that nothing turns; but bodies on SE(3) see their velocities from themselves. Where a body has moved further than its
limit from where it was when the pairs were found, pairs may be missing, and no gap is a number.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.se3 import position
from genalpha.math.so3 import rotation
from genalpha.model.columns import CENTRE, MEMBER, PAIR, SPATIAL
from genalpha.model.leaves.joints import cross, three, to_body, to_space

NOTHING = 1e3
"""The gap of a slot that holds nothing."""


@leaf
def centre(q, x, r, axes):
    """The origin of a body; the third number is 0 in a plane."""
    if x < 0:
        return position(q, r)
    return q[x], q[x + 1], q[x + 2] if axes == SPATIAL else 0.0 * q[x]


@leaf
def is_stale(q, data):
    """Has a body moved further than its limit?"""
    bits = data.view(np.int64)
    i = bits[MEMBER.begin]
    for _ in range(bits[MEMBER.count]):
        x, y, z = centre(q, bits[i + MEMBER.x], bits[i + MEMBER.r], bits[i + MEMBER.dimension])
        a, b, c = three(data, i + MEMBER.reference)
        x, y, z = x - a, y - b, z - c
        if not x * x + y * y + z * z <= data[i + MEMBER.limit]:
            return True
        i += MEMBER.width
    return False


@leaf
def direction(q, data, i):
    """Distance and unit vector to the first body of a slot, from the second one or along the normal of the plane."""
    bits = data.view(np.int64)
    x, y, z = centre(q, bits[i + PAIR.one + CENTRE.x], bits[i + PAIR.one + CENTRE.r], bits[i + PAIR.dimension])
    if bits[i + PAIR.two + CENTRE.v] < 0:
        a, b, c = three(data, i + PAIR.normal)
        return a * x + b * y + c * z, a, b, c
    a, b, c = centre(q, bits[i + PAIR.two + CENTRE.x], bits[i + PAIR.two + CENTRE.r], bits[i + PAIR.dimension])
    x, y, z = x - a, y - b, z - c
    total = np.sqrt(x * x + y * y + z * z)
    return total, x / total, y / total, z / total


@leaf
def pair_gaps(q, data, out):
    """Gaps of PAIR."""
    bits = data.view(np.int64)
    i, stale = bits[PAIR.begin], is_stale(q, data)
    for _ in range(bits[PAIR.count]):
        if stale:
            out[bits[i + PAIR.row]] = np.nan
        elif bits[i + PAIR.one + CENTRE.v] < 0:
            out[bits[i + PAIR.row]] = NOTHING
        else:
            out[bits[i + PAIR.row]] = direction(q, data, i)[0] - data[i + PAIR.distance]
        i += PAIR.width


@leaf
def put_direction(q, data, end, axes, x, y, z, out, k):
    """The gradient of n · x for the body at ``end`` of a slot: n, on SE(3) Rᵀ n."""
    bits = data.view(np.int64)
    if bits[end + CENTRE.x] < 0:
        r = bits[end + CENTRE.r]
        x, y, z = to_body(rotation(q[r], q[r + 1], q[r + 2], q[r + 3]), x, y, z)
    out[k], out[k + 1] = x, y
    if axes == SPATIAL:
        out[k + 2] = z


@leaf
def pair_gradient(q, data, out):
    """N of PAIR: n and −n, on SE(3) as seen from the bodies."""
    bits = data.view(np.int64)
    i = bits[PAIR.begin]
    for _ in range(bits[PAIR.count]):
        k, axes = bits[i + PAIR.N], bits[i + PAIR.dimension]
        for j in range(2 * axes):
            out[k + j] = 0.0
        if bits[i + PAIR.one + CENTRE.v] >= 0:
            _, x, y, z = direction(q, data, i)
            put_direction(q, data, i + PAIR.one, axes, x, y, z, out, k)
            if bits[i + PAIR.two + CENTRE.v] >= 0:
                put_direction(q, data, i + PAIR.two, axes, -x, -y, -z, out, k + axes)
        i += PAIR.width


@leaf
def motion_of(q, v, data, end, axes):
    """ẋ of the body at ``end`` of a slot, and of ẍ what is quadratic in velocities: on SE(3) R (Ω × U)."""
    bits = data.view(np.int64)
    w, none = bits[end + CENTRE.v], 0.0 * v[0]
    if w < 0:
        return none, none, none, none, none, none
    if bits[end + CENTRE.x] >= 0:
        return v[w], v[w + 1], v[w + 2] if axes == SPATIAL else none, none, none, none
    r = bits[end + CENTRE.r]
    A = rotation(q[r], q[r + 1], q[r + 2], q[r + 3])
    a, b, c = cross(v[w + 3], v[w + 4], v[w + 5], v[w], v[w + 1], v[w + 2])
    x, y, z = to_space(A, v[w], v[w + 1], v[w + 2])
    a, b, c = to_space(A, a, b, c)
    return x, y, z, a, b, c


@leaf
def pair_bias(q, v, data, out):
    """Ṅ v of PAIR: (ṙ² − (n · ṙ)²)/|r|, 0 of planes; and n · r̈ of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[PAIR.begin]
    for _ in range(bits[PAIR.count]):
        out[bits[i + PAIR.row]] = 0.0
        if bits[i + PAIR.one + CENTRE.v] >= 0:
            distance, x, y, z = direction(q, data, i)
            a, b, c, d, e, f = motion_of(q, v, data, i + PAIR.one, bits[i + PAIR.dimension])
            k, l, m, n, o, p = motion_of(q, v, data, i + PAIR.two, bits[i + PAIR.dimension])
            a, b, c = a - k, b - l, c - m
            out[bits[i + PAIR.row]] = x * (d - n) + y * (e - o) + z * (f - p)
            if bits[i + PAIR.two + CENTRE.v] >= 0:
                rate = x * a + y * b + z * c
                out[bits[i + PAIR.row]] += (a * a + b * b + c * c - rate * rate) / distance
        i += PAIR.width


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
