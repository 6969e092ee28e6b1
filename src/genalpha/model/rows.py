"""Leaves of spatial joints: three kinds of rows that all of them are made of.

    POINT   p_b − p_a = 0, p = x + R s            three rows
    DOT     d_a · d_b = c, d = R u                one row
    SLIDE   d_a · (p_b − p_a) = c                 one row

A point row is a sum over its ends. For every row: g, its gradient G, the bias Ġ v, and the stiffness −∂(Gᵀ λ)/∂q, of
which the blocks on the diagonal are kept: it steers the iteration. Variations are δx (on SE(3) R δu) and δR = R δθ~.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.math.se3 import position
from genalpha.math.so3 import rotation
from genalpha.model.layout import ANCHOR, DOT, POINT, SLIDE


@leaf
def frame(q, r):
    """The rotation matrix of a body; that of the ground where r < 0."""
    if r < 0:
        return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    return rotation(q[r], q[r + 1], q[r + 2], q[r + 3])


@leaf
def origin(q, x, r):
    """The position of a body; that of the ground where r < 0."""
    if x >= 0:
        return q[x], q[x + 1], q[x + 2]
    if r < 0:
        return 0.0, 0.0, 0.0
    return position(q, r)


@leaf
def spin(v, w):
    """The angular velocity of a body; 0 for the ground."""
    if w < 0:
        return 0.0, 0.0, 0.0
    return v[w + 3], v[w + 4], v[w + 5]


@leaf
def to_space(R, x, y, z):
    """R (x, y, z)."""
    return R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z


@leaf
def to_body(R, x, y, z):
    """Rᵀ (x, y, z)."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@leaf
def cross(a, b, c, x, y, z):
    """(a, b, c) × (x, y, z)."""
    return b * z - c * y, c * x - a * z, a * y - b * x


@leaf
def put3(out, i, x, y, z):
    """out[i:i+3] = (x, y, z)."""
    out[i] = x
    out[i + 1] = y
    out[i + 2] = z


@leaf
def add_stiffness(out, i, factor, a, b, c, x, y, z):
    """out[i:i+9] += factor (a, b, c)~ (x, y, z)~, the block of what turns with a body."""
    dot = a * x + b * y + c * z
    out[i] += factor * (x * a - dot)
    out[i + 1] += factor * x * b
    out[i + 2] += factor * x * c
    out[i + 3] += factor * y * a
    out[i + 4] += factor * (y * b - dot)
    out[i + 5] += factor * y * c
    out[i + 6] += factor * z * a
    out[i + 7] += factor * z * b
    out[i + 8] += factor * (z * c - dot)


@leaf
def point_rows(q, data, out):
    """g of POINT."""
    bits = data.view(np.int64)
    i = bits[2 * ANCHOR]
    for _ in range(bits[2 * ANCHOR + 1]):
        put3(out, bits[i], data[i + 1], data[i + 2], data[i + 3])
        i += 4
    i = bits[2 * POINT]
    for _ in range(bits[2 * POINT + 1]):
        row, r, sign = bits[i], bits[i + 2], data[i + 4]
        x, y, z = origin(q, bits[i + 1], r)
        a, b, c = to_space(frame(q, r), data[i + 5], data[i + 6], data[i + 7])
        out[row] += sign * (x + a)
        out[row + 1] += sign * (y + b)
        out[row + 2] += sign * (z + c)
        i += 11


@leaf
def point_gradient(q, data, out):
    """G of POINT: ±(1, −R s~), on SE(3) ±(R, −R s~)."""
    bits = data.view(np.int64)
    i = bits[2 * POINT]
    for _ in range(bits[2 * POINT + 1]):
        sign, T, k = data[i + 4], bits[i + 8], bits[i + 9]
        if bits[i + 2] < 0:  # a point mass
            put3(out, T, sign, sign, sign)
            i += 11
            continue
        R = frame(q, bits[i + 2])
        if bits[i + 1] >= 0:
            put3(out, T, sign, sign, sign)
        else:
            for j in range(9):
                out[T + j] = sign * R[j]
        x, y, z = sign * data[i + 5], sign * data[i + 6], sign * data[i + 7]
        put3(out, k, R[2] * y - R[1] * z, R[0] * z - R[2] * x, R[1] * x - R[0] * y)
        put3(out, k + 3, R[5] * y - R[4] * z, R[3] * z - R[5] * x, R[4] * x - R[3] * y)
        put3(out, k + 6, R[8] * y - R[7] * z, R[6] * z - R[8] * x, R[7] * x - R[6] * y)
        i += 11


@leaf
def point_bias(q, v, data, out):
    """Ġ v of POINT: ±R (Ω × (Ω × s)), on SE(3) also ±R (Ω × U). Rows are set to zero first."""
    bits = data.view(np.int64)
    i = bits[2 * ANCHOR]
    for _ in range(bits[2 * ANCHOR + 1]):
        put3(out, bits[i], 0.0, 0.0, 0.0)
        i += 4
    i = bits[2 * POINT]
    for _ in range(bits[2 * POINT + 1]):
        row, r, w, sign = bits[i], bits[i + 2], bits[i + 3], data[i + 4]
        if r >= 0:
            a, b, c = v[w + 3], v[w + 4], v[w + 5]
            x, y, z = cross(a, b, c, data[i + 5], data[i + 6], data[i + 7])
            if bits[i + 1] < 0:
                x, y, z = x + v[w], y + v[w + 1], z + v[w + 2]
            x, y, z = cross(a, b, c, x, y, z)
            x, y, z = to_space(frame(q, r), x, y, z)
            out[row] += sign * x
            out[row + 1] += sign * y
            out[row + 2] += sign * z
        i += 11


@leaf
def point_stiffness(q, mu, data, out):
    """∓s~ (Rᵀ λ)~ of POINT; on SE(3) ∓(Rᵀ λ)~ for the translation, too."""
    bits = data.view(np.int64)
    i = bits[2 * POINT]
    for _ in range(bits[2 * POINT + 1]):
        row, r, k = bits[i], bits[i + 2], bits[i + 10]
        if k >= 0:
            x, y, z = to_body(frame(q, r), mu[row], mu[row + 1], mu[row + 2])
            add_stiffness(out, k, -data[i + 4], data[i + 5], data[i + 6], data[i + 7], x, y, z)
        i += 11


@leaf
def dot_rows(q, data, out):
    """g of DOT."""
    bits = data.view(np.int64)
    i = bits[2 * DOT]
    for _ in range(bits[2 * DOT + 1]):
        a, b, c = to_space(frame(q, bits[i + 1]), data[i + 5], data[i + 6], data[i + 7])
        x, y, z = to_space(frame(q, bits[i + 3]), data[i + 8], data[i + 9], data[i + 10])
        out[bits[i]] = a * x + b * y + c * z - data[i + 11]
        i += 16


@leaf
def dot_gradient(q, data, out):
    """G of DOT: (u_a × R_aᵀ d_b) and (u_b × R_bᵀ d_a)."""
    bits = data.view(np.int64)
    i = bits[2 * DOT]
    for _ in range(bits[2 * DOT + 1]):
        A, B = frame(q, bits[i + 1]), frame(q, bits[i + 3])
        ua, va, wa, ub, vb, wb = data[i + 5], data[i + 6], data[i + 7], data[i + 8], data[i + 9], data[i + 10]
        if bits[i + 12] >= 0:
            x, y, z = to_space(B, ub, vb, wb)
            x, y, z = to_body(A, x, y, z)
            x, y, z = cross(ua, va, wa, x, y, z)
            put3(out, bits[i + 12], x, y, z)
        if bits[i + 13] >= 0:
            x, y, z = to_space(A, ua, va, wa)
            x, y, z = to_body(B, x, y, z)
            x, y, z = cross(ub, vb, wb, x, y, z)
            put3(out, bits[i + 13], x, y, z)
        i += 16


@leaf
def dot_bias(q, v, data, out):
    """Ġ v of DOT: d̈_a · d_b + 2 ḋ_a · ḋ_b + d_a · d̈_b, of what is quadratic in Ω."""
    bits = data.view(np.int64)
    i = bits[2 * DOT]
    for _ in range(bits[2 * DOT + 1]):
        A, B = frame(q, bits[i + 1]), frame(q, bits[i + 3])
        a, b, c = spin(v, bits[i + 2])
        x, y, z = cross(a, b, c, data[i + 5], data[i + 6], data[i + 7])
        d1 = to_space(A, data[i + 5], data[i + 6], data[i + 7])
        rate1 = to_space(A, x, y, z)
        x, y, z = cross(a, b, c, x, y, z)
        bend1 = to_space(A, x, y, z)
        a, b, c = spin(v, bits[i + 4])
        x, y, z = cross(a, b, c, data[i + 8], data[i + 9], data[i + 10])
        d2 = to_space(B, data[i + 8], data[i + 9], data[i + 10])
        rate2 = to_space(B, x, y, z)
        x, y, z = cross(a, b, c, x, y, z)
        bend2 = to_space(B, x, y, z)
        total = 0.0
        for j in range(3):
            total += bend1[j] * d2[j] + 2.0 * rate1[j] * rate2[j] + d1[j] * bend2[j]
        out[bits[i]] = total
        i += 16


@leaf
def dot_stiffness(q, mu, data, out):
    """−λ u_a~ (R_aᵀ d_b)~ and −λ u_b~ (R_bᵀ d_a)~ of DOT."""
    bits = data.view(np.int64)
    i = bits[2 * DOT]
    for _ in range(bits[2 * DOT + 1]):
        A, B, force = frame(q, bits[i + 1]), frame(q, bits[i + 3]), mu[bits[i]]
        ua, va, wa, ub, vb, wb = data[i + 5], data[i + 6], data[i + 7], data[i + 8], data[i + 9], data[i + 10]
        if bits[i + 14] >= 0:
            x, y, z = to_space(B, ub, vb, wb)
            x, y, z = to_body(A, x, y, z)
            add_stiffness(out, bits[i + 14], -force, ua, va, wa, x, y, z)
        if bits[i + 15] >= 0:
            x, y, z = to_space(A, ua, va, wa)
            x, y, z = to_body(B, x, y, z)
            add_stiffness(out, bits[i + 15], -force, ub, vb, wb, x, y, z)
        i += 16


@leaf
def arm(q, data, i):
    """p_b − p_a of the SLIDE at i."""
    x, y, z = origin(q, bits_at(data, i + 4), bits_at(data, i + 5))
    a, b, c = to_space(frame(q, bits_at(data, i + 5)), data[i + 13], data[i + 14], data[i + 15])
    x, y, z = x + a, y + b, z + c
    a, b, c = origin(q, bits_at(data, i + 1), bits_at(data, i + 2))
    x, y, z = x - a, y - b, z - c
    a, b, c = to_space(frame(q, bits_at(data, i + 2)), data[i + 10], data[i + 11], data[i + 12])
    return x - a, y - b, z - c


@leaf
def bits_at(data, i):
    """An index in the data."""
    return data.view(np.int64)[i]


@leaf
def slide_value(q, data, i):
    """d_a · (p_b − p_a) − c of the row at i."""
    x, y, z = arm(q, data, i)
    a, b, c = to_space(frame(q, bits_at(data, i + 2)), data[i + 7], data[i + 8], data[i + 9])
    return a * x + b * y + c * z - data[i + 16]


@leaf
def slide_rows(q, data, out):
    """g of SLIDE."""
    bits = data.view(np.int64)
    i = bits[2 * SLIDE]
    for _ in range(bits[2 * SLIDE + 1]):
        out[bits[i]] = slide_value(q, data, i)
        i += 23


@leaf
def put_slide(q, data, i, out):
    """The gradient of the row at i; see `slide_gradient`."""
    bits = data.view(np.int64)
    A, B = frame(q, bits[i + 2]), frame(q, bits[i + 5])
    u, v, w = data[i + 7], data[i + 8], data[i + 9]
    a, b, c = to_space(A, u, v, w)
    if bits[i + 17] >= 0:
        if bits[i + 1] >= 0:
            put3(out, bits[i + 17], -a, -b, -c)
        else:
            put3(out, bits[i + 17], -u, -v, -w)
    if bits[i + 18] >= 0:
        x, y, z = arm(q, data, i)
        x, y, z = to_body(A, x, y, z)
        x, y, z = cross(u, v, w, x + data[i + 10], y + data[i + 11], z + data[i + 12])
        put3(out, bits[i + 18], x, y, z)
    x, y, z = to_body(B, a, b, c)
    if bits[i + 19] >= 0:
        if bits[i + 4] >= 0:
            put3(out, bits[i + 19], a, b, c)
        else:
            put3(out, bits[i + 19], x, y, z)
    if bits[i + 20] >= 0:
        x, y, z = cross(data[i + 13], data[i + 14], data[i + 15], x, y, z)
        put3(out, bits[i + 20], x, y, z)


@leaf
def slide_gradient(q, data, out):
    """G of SLIDE: −d_a and u × (R_aᵀ r + s_a) for a, d_a and s_b × R_bᵀ d_a for b; translations by R on SE(3)."""
    bits = data.view(np.int64)
    i = bits[2 * SLIDE]
    for _ in range(bits[2 * SLIDE + 1]):
        put_slide(q, data, i, out)
        i += 23


@leaf
def travel(q, v, x, r, w, s0, s1, s2):
    """Velocity of a point of a body, and what is quadratic in velocities of its acceleration."""
    if w < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if r < 0:  # a point mass
        return (v[w], v[w + 1], v[w + 2]), (0.0, 0.0, 0.0)
    R = frame(q, r)
    a, b, c = v[w + 3], v[w + 4], v[w + 5]
    e, f, g = cross(a, b, c, s0, s1, s2)
    if x < 0:
        e, f, g = e + v[w], f + v[w + 1], g + v[w + 2]
    rate = to_space(R, e, f, g)
    e, f, g = cross(a, b, c, e, f, g)
    bend = to_space(R, e, f, g)
    if x >= 0:
        rate = (rate[0] + v[w], rate[1] + v[w + 1], rate[2] + v[w + 2])
    return rate, bend


@leaf
def slide_bend(q, v, data, i):
    """Ġ v of the row at i: d̈_a · r + 2 ḋ_a · ṙ + d_a · r̈, of what is quadratic in velocities."""
    bits = data.view(np.int64)
    A = frame(q, bits[i + 2])
    rate_a, bend_a = travel(q, v, bits[i + 1], bits[i + 2], bits[i + 3], data[i + 10], data[i + 11], data[i + 12])
    rate_b, bend_b = travel(q, v, bits[i + 4], bits[i + 5], bits[i + 6], data[i + 13], data[i + 14], data[i + 15])
    r = arm(q, data, i)
    a, b, c = spin(v, bits[i + 3])
    d = to_space(A, data[i + 7], data[i + 8], data[i + 9])
    x, y, z = cross(a, b, c, data[i + 7], data[i + 8], data[i + 9])
    rate = to_space(A, x, y, z)
    x, y, z = cross(a, b, c, x, y, z)
    bend = to_space(A, x, y, z)
    total = 0.0
    for j in range(3):
        total += bend[j] * r[j] + 2.0 * rate[j] * (rate_b[j] - rate_a[j]) + d[j] * (bend_b[j] - bend_a[j])
    return total


@leaf
def slide_bias(q, v, data, out):
    """Ġ v of SLIDE."""
    bits = data.view(np.int64)
    i = bits[2 * SLIDE]
    for _ in range(bits[2 * SLIDE + 1]):
        out[bits[i]] = slide_bend(q, v, data, i)
        i += 23


@leaf
def add_slide_stiffness(q, force, data, i, out):
    """−λ u~ (R_aᵀ r + s_a)~ and −λ s_b~ (R_bᵀ d_a)~ of the row at i."""
    bits = data.view(np.int64)
    A = frame(q, bits[i + 2])
    if bits[i + 21] >= 0:
        x, y, z = arm(q, data, i)
        x, y, z = to_body(A, x, y, z)
        add_stiffness(out, bits[i + 21], -force, data[i + 7], data[i + 8], data[i + 9],
                      x + data[i + 10], y + data[i + 11], z + data[i + 12])  # fmt: skip
    if bits[i + 22] >= 0:
        x, y, z = to_space(A, data[i + 7], data[i + 8], data[i + 9])
        x, y, z = to_body(frame(q, bits[i + 5]), x, y, z)
        add_stiffness(out, bits[i + 22], -force, data[i + 13], data[i + 14], data[i + 15], x, y, z)


@leaf
def slide_stiffness(q, mu, data, out):
    """The stiffness of SLIDE."""
    bits = data.view(np.int64)
    i = bits[2 * SLIDE]
    for _ in range(bits[2 * SLIDE + 1]):
        add_slide_stiffness(q, mu[bits[i]], data, i, out)
        i += 23
