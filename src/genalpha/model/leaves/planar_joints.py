"""Leaves of planar joints, for bodies (x, y, θ): the rows of `joints` in the plane.

PIN     p_b − p_a = 0, p = x + R s            two rows
ANGLE   θ_b − θ_a = c                         one row
SLOT    d_a · (p_b − p_a) = c, d = R u        one row
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import ANGLE, NONE, PIN, SLOT
from genalpha.model.leaves.angles import turned_at


@leaf
def pin_rows(q, data, out):
    """g of PIN. The first end of a joint sets its rows; the ground has q < 0."""
    bits = data.view(np.int64)
    i = bits[PIN.begin]
    for _ in range(bits[PIN.count]):
        row, k, sign = bits[i + PIN.row], bits[i + PIN.q], data[i + PIN.sign]
        x, y = turned_at(q, k if bits[i + PIN.S] >= 0 else NONE, data, i + PIN.lever)
        if k >= 0:
            x, y = x + q[k], y + q[k + 1]
        if sign < 0.0:
            out[row] = -x
            out[row + 1] = -y
        else:
            out[row] += x
            out[row + 1] += y
        i += PIN.width


@leaf
def pin_gradient(q, data, out):
    """G of PIN: ±1, ±1, and ±R' s for the angle, four values; two of a point mass."""
    bits = data.view(np.int64)
    i = bits[PIN.begin]
    for _ in range(bits[PIN.count]):
        k, sign, G = bits[i + PIN.q], data[i + PIN.sign], bits[i + PIN.G]
        if k >= 0:
            out[G] = sign
            out[G + 1] = sign
        if bits[i + PIN.S] >= 0:
            x, y = turned_at(q, k, data, i + PIN.lever)
            out[G + 2] = -sign * y
            out[G + 3] = sign * x
        i += PIN.width


@leaf
def pin_bias(q, v, data, out):
    """Ġ v of PIN: ∓ω² R s."""
    bits = data.view(np.int64)
    i = bits[PIN.begin]
    for _ in range(bits[PIN.count]):
        row, k, w, sign = bits[i + PIN.row], bits[i + PIN.q], bits[i + PIN.v], data[i + PIN.sign]
        x, y = 0.0, 0.0
        if bits[i + PIN.S] >= 0:
            x, y = turned_at(q, k, data, i + PIN.lever)
            square = v[w + 2] * v[w + 2]
            x, y = square * x, square * y
        if sign < 0.0:
            out[row] = x
            out[row + 1] = y
        else:
            out[row] -= x
            out[row + 1] -= y
        i += PIN.width


@leaf
def pin_stiffness(q, mu, data, out):
    """±λ · R s of PIN."""
    bits = data.view(np.int64)
    i = bits[PIN.begin]
    for _ in range(bits[PIN.count]):
        row, k = bits[i + PIN.row], bits[i + PIN.q]
        if bits[i + PIN.S] >= 0:
            x, y = turned_at(q, k, data, i + PIN.lever)
            out[bits[i + PIN.S]] += data[i + PIN.sign] * (mu[row] * x + mu[row + 1] * y)
        i += PIN.width


@leaf
def angle_rows(q, data, out):
    """g of ANGLE."""
    bits = data.view(np.int64)
    i = bits[ANGLE.begin]
    for _ in range(bits[ANGLE.count]):
        a, b = bits[i + ANGLE.q_a], bits[i + ANGLE.q_b]
        value = -data[i + ANGLE.value]
        if a >= 0:
            value -= q[a + 2]
        if b >= 0:
            value += q[b + 2]
        out[bits[i + ANGLE.row]] = value
        i += ANGLE.width


@leaf
def angle_gradient(data, out):
    """G of ANGLE: −1 and 1."""
    bits = data.view(np.int64)
    i = bits[ANGLE.begin]
    for _ in range(bits[ANGLE.count]):
        k = bits[i + ANGLE.G]
        if bits[i + ANGLE.q_a] >= 0:
            out[k] = -1.0
            k += 1
        if bits[i + ANGLE.q_b] >= 0:
            out[k] = 1.0
        i += ANGLE.width


@leaf
def angle_bias(data, out):
    """Ġ v of ANGLE: 0."""
    bits = data.view(np.int64)
    i = bits[ANGLE.begin]
    for _ in range(bits[ANGLE.count]):
        out[bits[i + ANGLE.row]] = 0.0
        i += ANGLE.width


@leaf
def planar_arm(q, data, i):
    """p_b − p_a of the SLOT at i."""
    bits = data.view(np.int64)
    a, b = bits[i + SLOT.q_a], bits[i + SLOT.q_b]
    x, y = turned_at(q, b if bits[i + SLOT.S_b] >= 0 else NONE, data, i + SLOT.lever_b)
    if b >= 0:
        x, y = x + q[b], y + q[b + 1]
    c, d = turned_at(q, a, data, i + SLOT.lever_a)
    x, y = x - c, y - d
    if a >= 0:
        x, y = x - q[a], y - q[a + 1]
    return x, y


@leaf
def slot_rows(q, data, out):
    """g of SLOT."""
    bits = data.view(np.int64)
    i = bits[SLOT.begin]
    for _ in range(bits[SLOT.count]):
        x, y = planar_arm(q, data, i)
        u, v = turned_at(q, bits[i + SLOT.q_a], data, i + SLOT.axis)
        out[bits[i + SLOT.row]] = u * x + v * y - data[i + SLOT.value]
        i += SLOT.width


@leaf
def slot_gradient(q, data, out):
    """G of SLOT: (−d, d' · r − d · R_a' s_a) and (d, d · R_b' s_b), three values for each body, two of a point mass."""
    bits = data.view(np.int64)
    i = bits[SLOT.begin]
    for _ in range(bits[SLOT.count]):
        a, b, k = bits[i + SLOT.q_a], bits[i + SLOT.q_b], bits[i + SLOT.G]
        u, v = turned_at(q, a, data, i + SLOT.axis)
        if a >= 0:
            x, y = planar_arm(q, data, i)
            c, d = turned_at(q, a, data, i + SLOT.lever_a)
            out[k] = -u
            out[k + 1] = -v
            out[k + 2] = -v * (x + c) + u * (y + d)
            k += 3
        if b >= 0:
            out[k] = u
            out[k + 1] = v
        if bits[i + SLOT.S_b] >= 0:
            c, d = turned_at(q, b, data, i + SLOT.lever_b)
            out[k + 2] = -u * d + v * c
        i += SLOT.width


@leaf
def slot_bias(q, v, data, out):
    """Ġ v of SLOT: d̈ · r + 2 ḋ · ṙ + d · r̈, of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[SLOT.begin]
    for _ in range(bits[SLOT.count]):
        a, wa, b, wb = bits[i + SLOT.q_a], bits[i + SLOT.v_a], bits[i + SLOT.q_b], bits[i + SLOT.v_b]
        d, e = turned_at(q, a, data, i + SLOT.axis)
        rate_x, rate_y, bend_x, bend_y, turn = 0.0, 0.0, 0.0, 0.0, 0.0
        if b >= 0:
            rate_x, rate_y = v[wb], v[wb + 1]
        if bits[i + SLOT.S_b] >= 0:
            x, y = turned_at(q, b, data, i + SLOT.lever_b)
            w = v[wb + 2]
            rate_x, rate_y = rate_x - w * y, rate_y + w * x
            bend_x, bend_y = -w * w * x, -w * w * y
        if a >= 0:
            x, y = turned_at(q, a, data, i + SLOT.lever_a)
            turn = v[wa + 2]
            rate_x, rate_y = rate_x - v[wa] + turn * y, rate_y - v[wa + 1] - turn * x
            bend_x, bend_y = bend_x + turn * turn * x, bend_y + turn * turn * y
        x, y = planar_arm(q, data, i)
        out[bits[i + SLOT.row]] = (
            -turn * turn * (d * x + e * y) + 2.0 * turn * (-e * rate_x + d * rate_y) + d * bend_x + e * bend_y
        )
        i += SLOT.width


@leaf
def slot_stiffness(q, mu, data, out):
    """λ d · (r + R_a s_a) and λ d · R_b s_b of SLOT."""
    bits = data.view(np.int64)
    i = bits[SLOT.begin]
    for _ in range(bits[SLOT.count]):
        a, b, force = bits[i + SLOT.q_a], bits[i + SLOT.q_b], mu[bits[i + SLOT.row]]
        u, v = turned_at(q, a, data, i + SLOT.axis)
        if a >= 0:
            x, y = planar_arm(q, data, i)
            c, d = turned_at(q, a, data, i + SLOT.lever_a)
            out[bits[i + SLOT.S_a]] += force * (u * (x + c) + v * (y + d))
        if bits[i + SLOT.S_b] >= 0:
            c, d = turned_at(q, b, data, i + SLOT.lever_b)
            out[bits[i + SLOT.S_b]] += force * (u * c + v * d)
        i += SLOT.width
