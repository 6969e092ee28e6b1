"""Leaves of planar joints, for bodies (x, y, θ): the rows of `rows` in the plane.

PIN     p_b − p_a = 0, p = x + R s            two rows
ANGLE   θ_b − θ_a = c                         one row
SLOT    d_a · (p_b − p_a) = c, d = R u        one row
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import ANGLE, PIN, SLOT
from genalpha.model.turns import turned


@leaf
def pin_rows(q, data, out):
    """g of PIN. The first end of a joint sets its rows; the ground has q < 0."""
    bits = data.view(np.int64)
    i = bits[2 * PIN]
    for _ in range(bits[2 * PIN + 1]):
        row, k, sign = bits[i], bits[i + 1], data[i + 3]
        x, y = turned(q, k if bits[i + 7] >= 0 else -1, data, data[i + 4], data[i + 5])
        if k >= 0:
            x, y = x + q[k], y + q[k + 1]
        if sign < 0.0:
            out[row] = -x
            out[row + 1] = -y
        else:
            out[row] += x
            out[row + 1] += y
        i += 8


@leaf
def pin_gradient(q, data, out):
    """G of PIN: ±1, ±1, and ±R' s for the angle, four values; two of a point mass."""
    bits = data.view(np.int64)
    i = bits[2 * PIN]
    for _ in range(bits[2 * PIN + 1]):
        k, sign, G = bits[i + 1], data[i + 3], bits[i + 6]
        if k >= 0:
            out[G] = sign
            out[G + 1] = sign
        if bits[i + 7] >= 0:
            x, y = turned(q, k, data, data[i + 4], data[i + 5])
            out[G + 2] = -sign * y
            out[G + 3] = sign * x
        i += 8


@leaf
def pin_bias(q, v, data, out):
    """Ġ v of PIN: ∓ω² R s."""
    bits = data.view(np.int64)
    i = bits[2 * PIN]
    for _ in range(bits[2 * PIN + 1]):
        row, k, w, sign = bits[i], bits[i + 1], bits[i + 2], data[i + 3]
        x, y = 0.0, 0.0
        if bits[i + 7] >= 0:
            x, y = turned(q, k, data, data[i + 4], data[i + 5])
            square = v[w + 2] * v[w + 2]
            x, y = square * x, square * y
        if sign < 0.0:
            out[row] = x
            out[row + 1] = y
        else:
            out[row] -= x
            out[row + 1] -= y
        i += 8


@leaf
def pin_stiffness(q, mu, data, out):
    """±λ · R s of PIN."""
    bits = data.view(np.int64)
    i = bits[2 * PIN]
    for _ in range(bits[2 * PIN + 1]):
        row, k = bits[i], bits[i + 1]
        if bits[i + 7] >= 0:
            x, y = turned(q, k, data, data[i + 4], data[i + 5])
            out[bits[i + 7]] += data[i + 3] * (mu[row] * x + mu[row + 1] * y)
        i += 8


@leaf
def angle_rows(q, data, out):
    """g of ANGLE."""
    bits = data.view(np.int64)
    i = bits[2 * ANGLE]
    for _ in range(bits[2 * ANGLE + 1]):
        a, b = bits[i + 1], bits[i + 2]
        value = -data[i + 5]
        if a >= 0:
            value -= q[a + 2]
        if b >= 0:
            value += q[b + 2]
        out[bits[i]] = value
        i += 7


@leaf
def angle_gradient(data, out):
    """G of ANGLE: −1 and 1."""
    bits = data.view(np.int64)
    i = bits[2 * ANGLE]
    for _ in range(bits[2 * ANGLE + 1]):
        k = bits[i + 6]
        if bits[i + 1] >= 0:
            out[k] = -1.0
            k += 1
        if bits[i + 2] >= 0:
            out[k] = 1.0
        i += 7


@leaf
def angle_bias(data, out):
    """Ġ v of ANGLE: 0."""
    bits = data.view(np.int64)
    i = bits[2 * ANGLE]
    for _ in range(bits[2 * ANGLE + 1]):
        out[bits[i]] = 0.0
        i += 7


@leaf
def planar_arm(q, data, i):
    """p_b − p_a of the SLOT at i."""
    bits = data.view(np.int64)
    a, b = bits[i + 1], bits[i + 3]
    x, y = turned(q, b if bits[i + 14] >= 0 else -1, data, data[i + 9], data[i + 10])
    if b >= 0:
        x, y = x + q[b], y + q[b + 1]
    c, d = turned(q, a, data, data[i + 7], data[i + 8])
    x, y = x - c, y - d
    if a >= 0:
        x, y = x - q[a], y - q[a + 1]
    return x, y


@leaf
def slot_rows(q, data, out):
    """g of SLOT."""
    bits = data.view(np.int64)
    i = bits[2 * SLOT]
    for _ in range(bits[2 * SLOT + 1]):
        x, y = planar_arm(q, data, i)
        u, v = turned(q, bits[i + 1], data, data[i + 5], data[i + 6])
        out[bits[i]] = u * x + v * y - data[i + 11]
        i += 15


@leaf
def slot_gradient(q, data, out):
    """G of SLOT: (−d, d' · r − d · R_a' s_a) and (d, d · R_b' s_b), three values for each body, two of a point mass."""
    bits = data.view(np.int64)
    i = bits[2 * SLOT]
    for _ in range(bits[2 * SLOT + 1]):
        a, b, k = bits[i + 1], bits[i + 3], bits[i + 12]
        u, v = turned(q, a, data, data[i + 5], data[i + 6])
        if a >= 0:
            x, y = planar_arm(q, data, i)
            c, d = turned(q, a, data, data[i + 7], data[i + 8])
            out[k] = -u
            out[k + 1] = -v
            out[k + 2] = -v * (x + c) + u * (y + d)
            k += 3
        if b >= 0:
            out[k] = u
            out[k + 1] = v
        if bits[i + 14] >= 0:
            c, d = turned(q, b, data, data[i + 9], data[i + 10])
            out[k + 2] = -u * d + v * c
        i += 15


@leaf
def slot_bias(q, v, data, out):
    """Ġ v of SLOT: d̈ · r + 2 ḋ · ṙ + d · r̈, of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[2 * SLOT]
    for _ in range(bits[2 * SLOT + 1]):
        a, wa, b, wb = bits[i + 1], bits[i + 2], bits[i + 3], bits[i + 4]
        d, e = turned(q, a, data, data[i + 5], data[i + 6])
        rate_x, rate_y, bend_x, bend_y, turn = 0.0, 0.0, 0.0, 0.0, 0.0
        if b >= 0:
            rate_x, rate_y = v[wb], v[wb + 1]
        if bits[i + 14] >= 0:
            x, y = turned(q, b, data, data[i + 9], data[i + 10])
            w = v[wb + 2]
            rate_x, rate_y = rate_x - w * y, rate_y + w * x
            bend_x, bend_y = -w * w * x, -w * w * y
        if a >= 0:
            x, y = turned(q, a, data, data[i + 7], data[i + 8])
            turn = v[wa + 2]
            rate_x, rate_y = rate_x - v[wa] + turn * y, rate_y - v[wa + 1] - turn * x
            bend_x, bend_y = bend_x + turn * turn * x, bend_y + turn * turn * y
        x, y = planar_arm(q, data, i)
        out[bits[i]] = (
            -turn * turn * (d * x + e * y) + 2.0 * turn * (-e * rate_x + d * rate_y) + d * bend_x + e * bend_y
        )
        i += 15


@leaf
def slot_stiffness(q, mu, data, out):
    """λ d · (r + R_a s_a) and λ d · R_b s_b of SLOT."""
    bits = data.view(np.int64)
    i = bits[2 * SLOT]
    for _ in range(bits[2 * SLOT + 1]):
        a, b, force = bits[i + 1], bits[i + 3], mu[bits[i]]
        u, v = turned(q, a, data, data[i + 5], data[i + 6])
        if a >= 0:
            x, y = planar_arm(q, data, i)
            c, d = turned(q, a, data, data[i + 7], data[i + 8])
            out[bits[i + 13]] += force * (u * (x + c) + v * (y + d))
        if bits[i + 14] >= 0:
            c, d = turned(q, b, data, data[i + 9], data[i + 10])
            out[bits[i + 14]] += force * (u * c + v * d)
        i += 15
