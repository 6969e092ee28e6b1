"""Leaves of friction in planar contacts; see `friction`.

With the normal n towards b and its turn by −90°, the tangent t = (n₂, −n₁), the velocity of the point of contact is

    s = t · (ẋ_b − ẋ_a) − ω_b n · d_b + ω_a n · d_a − belt,     d = p − x
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import FLAT, PLANAR_RUB, SIDE
from genalpha.model.leaves.planar_contacts import TINY


@leaf
def turned_lever(q, data, i, side, on):
    """R s of one side of the PLANAR_RUB at i; ``on`` is the column of s."""
    bits = data.view(np.int64)
    x, y = data[i + on], data[i + on + 1]
    if bits[i + side + SIDE.turns] == 0:
        return x + 0.0 * q[0], y + 0.0 * q[0]
    angle = q[bits[i + side + SIDE.q] + 2]
    c, s = np.cos(angle), np.sin(angle)
    return c * x - s * y, s * x + c * y


@leaf
def centres(q, data, i):
    """The centre of the surface of b, seen from x_b and from x_a, along the axes of space."""
    bits = data.view(np.int64)
    x, y = turned_lever(q, data, i, PLANAR_RUB.b, PLANAR_RUB.lever_b)
    u, w = x, y
    a, b = bits[i + PLANAR_RUB.a + SIDE.q], bits[i + PLANAR_RUB.b + SIDE.q]
    if a >= 0:
        u, w = u - q[a], w - q[a + 1]
    if b >= 0:
        u, w = u + q[b], w + q[b + 1]
    return x, y, u, w


@leaf
def facing(q, data, i, u, w):
    """The normal, and the distance of the centres; 0, and no normal, if they are the same."""
    bits = data.view(np.int64)
    if bits[i + PLANAR_RUB.kind] == FLAT:
        x, y = turned_lever(q, data, i, PLANAR_RUB.a, PLANAR_RUB.normal)
        return x, y, 0.0 * x
    a, b = turned_lever(q, data, i, PLANAR_RUB.a, PLANAR_RUB.lever_a)
    u, w = u - a, w - b
    length = np.sqrt(u * u + w * w)
    if not abs(length) > TINY:
        return 0.0 * u, 0.0 * w, length
    factor = data[i + PLANAR_RUB.side] / length
    return factor * u, factor * w, length


@leaf
def rates(v, data, i):
    """ẋ_b − ẋ_a, ω_a and ω_b."""
    bits = data.view(np.int64)
    x, y, spin_a, spin_b = 0.0 * v[0], 0.0 * v[0], 0.0 * v[0], 0.0 * v[0]
    a, b = bits[i + PLANAR_RUB.a + SIDE.v], bits[i + PLANAR_RUB.b + SIDE.v]
    if a >= 0:
        x, y = x - v[a], y - v[a + 1]
    if b >= 0:
        x, y = x + v[b], y + v[b + 1]
    if bits[i + PLANAR_RUB.spin_a] >= 0:
        spin_a = spin_a + v[bits[i + PLANAR_RUB.spin_a]]
    if bits[i + PLANAR_RUB.spin_b] >= 0:
        spin_b = spin_b + v[bits[i + PLANAR_RUB.spin_b]]
    return x, y, spin_a, spin_b


@leaf
def planar_rub_rows(q, v, data, out):
    """Slip of PLANAR_RUB."""
    bits = data.view(np.int64)
    i = bits[PLANAR_RUB.begin]
    for _ in range(bits[PLANAR_RUB.count]):
        x, y, u, w = centres(q, data, i)
        a, b, _ = facing(q, data, i, u, w)
        x1, y1, spin_a, spin_b = rates(v, data, i)
        radius = data[i + PLANAR_RUB.radius]
        slip = b * x1 - a * y1 - spin_b * (a * x + b * y - radius) + spin_a * (a * u + b * w - radius)
        out[bits[i + PLANAR_RUB.row]] = slip - data[i + PLANAR_RUB.belt]
        i += PLANAR_RUB.width


@leaf
def planar_rub_gradient(q, data, out):
    """T of PLANAR_RUB."""
    bits = data.view(np.int64)
    i = bits[PLANAR_RUB.begin]
    for _ in range(bits[PLANAR_RUB.count]):
        x, y, u, w = centres(q, data, i)
        a, b, _ = facing(q, data, i, u, w)
        radius, k = data[i + PLANAR_RUB.radius], bits[i + PLANAR_RUB.T]
        if bits[i + PLANAR_RUB.a + SIDE.v] >= 0:
            out[k], out[k + 1] = -b, a
            k += 2
            if bits[i + PLANAR_RUB.spin_a] >= 0:
                out[k] = a * u + b * w - radius
                k += 1
        if bits[i + PLANAR_RUB.b + SIDE.v] >= 0:
            out[k], out[k + 1] = b, -a
            if bits[i + PLANAR_RUB.spin_b] >= 0:
                out[k + 2] = radius - a * x - b * y
        i += PLANAR_RUB.width


@leaf
def facing_rate(q, data, i, a, b, length, u1, w1, spin_a):
    """ṅ of the normal (a, b); (u1, w1) is the rate of the centre of b against x_a."""
    bits = data.view(np.int64)
    if bits[i + PLANAR_RUB.kind] == FLAT:
        return -spin_a * b, spin_a * a
    if not abs(length) > TINY:
        return 0.0 * a, 0.0 * b
    x, y = turned_lever(q, data, i, PLANAR_RUB.a, PLANAR_RUB.lever_a)
    u1, w1 = u1 + spin_a * y, w1 - spin_a * x
    turn = data[i + PLANAR_RUB.side] * (a * w1 - b * u1) / length
    return -turn * b, turn * a


@leaf
def planar_rub_bias(q, v, data, out):
    """The rate of slip of PLANAR_RUB where v̇ = 0."""
    bits = data.view(np.int64)
    i = bits[PLANAR_RUB.begin]
    for _ in range(bits[PLANAR_RUB.count]):
        x, y, u, w = centres(q, data, i)
        a, b, length = facing(q, data, i, u, w)
        x1, y1, spin_a, spin_b = rates(v, data, i)
        u1, w1 = x1 - spin_b * y, y1 + spin_b * x
        a1, b1 = facing_rate(q, data, i, a, b, length, u1, w1, spin_a)
        bias = b1 * x1 - a1 * y1 - spin_b * (a1 * x + b1 * y + spin_b * (b * x - a * y))
        out[bits[i + PLANAR_RUB.row]] = bias + spin_a * (a1 * u + b1 * w + a * u1 + b * w1)
        i += PLANAR_RUB.width
