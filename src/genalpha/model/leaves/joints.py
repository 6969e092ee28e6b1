"""Leaves of spatial joints: three kinds of rows that all of them are made of.

    POINT   p_b − p_a = 0, p = x + R s            three rows
    DOT     d_a · d_b = c, d = R u                one row
    SLIDE   d_a · (p_b − p_a) = c                 one row

A point row is a sum over its ends. For every row: g, its gradient G, the bias Ġ v, and the stiffness −∂(Gᵀ λ)/∂q, of
which the blocks on the diagonal are kept: it steers the iteration. Variations are δx (on SE(3) R δu) and δR = R δθ~.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.se3 import position
from genalpha.math.so3 import rotation
from genalpha.model.columns import ANCHOR, DOT, POINT, SLIDE
from genalpha.model.leaves.matrices import add_stiffness, put3


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
def three(data, p):
    """The vector that begins at p."""
    return data[p], data[p + 1], data[p + 2]


@leaf
def turned_by(R, data, p):
    """R times the vector that begins at p."""
    return to_space(R, data[p], data[p + 1], data[p + 2])


@leaf
def cross(a, b, c, x, y, z):
    """(a, b, c) × (x, y, z)."""
    return b * z - c * y, c * x - a * z, a * y - b * x


@leaf
def point_rows(q, data, out):
    """g of POINT."""
    bits = data.view(np.int64)
    i = bits[ANCHOR.begin]
    for _ in range(bits[ANCHOR.count]):
        x, y, z = three(data, i + ANCHOR.point)
        put3(out, bits[i + ANCHOR.row], x, y, z)
        i += ANCHOR.width
    i = bits[POINT.begin]
    for _ in range(bits[POINT.count]):
        row, r, sign = bits[i + POINT.row], bits[i + POINT.r], data[i + POINT.sign]
        x, y, z = origin(q, bits[i + POINT.x], r)
        a, b, c = turned_by(frame(q, r), data, i + POINT.lever)
        out[row] += sign * (x + a)
        out[row + 1] += sign * (y + b)
        out[row + 2] += sign * (z + c)
        i += POINT.width


@leaf
def point_gradient(q, data, out):
    """G of POINT: ±(1, −R s~), on SE(3) ±(R, −R s~)."""
    bits = data.view(np.int64)
    i = bits[POINT.begin]
    for _ in range(bits[POINT.count]):
        sign, T, k = data[i + POINT.sign], bits[i + POINT.G_move], bits[i + POINT.G_turn]
        if bits[i + POINT.r] < 0:  # a point mass
            put3(out, T, sign, sign, sign)
            i += POINT.width
            continue
        R = frame(q, bits[i + POINT.r])
        if bits[i + POINT.x] >= 0:
            put3(out, T, sign, sign, sign)
        else:
            for j in range(9):
                out[T + j] = sign * R[j]
        x, y, z = three(data, i + POINT.lever)
        x, y, z = sign * x, sign * y, sign * z
        put3(out, k, R[2] * y - R[1] * z, R[0] * z - R[2] * x, R[1] * x - R[0] * y)
        put3(out, k + 3, R[5] * y - R[4] * z, R[3] * z - R[5] * x, R[4] * x - R[3] * y)
        put3(out, k + 6, R[8] * y - R[7] * z, R[6] * z - R[8] * x, R[7] * x - R[6] * y)
        i += POINT.width


@leaf
def point_bias(q, v, data, out):
    """Ġ v of POINT: ±R (Ω × (Ω × s)), on SE(3) also ±R (Ω × U). Rows are set to zero first."""
    bits = data.view(np.int64)
    i = bits[ANCHOR.begin]
    for _ in range(bits[ANCHOR.count]):
        put3(out, bits[i + ANCHOR.row], 0.0, 0.0, 0.0)
        i += ANCHOR.width
    i = bits[POINT.begin]
    for _ in range(bits[POINT.count]):
        row, r, w, sign = bits[i + POINT.row], bits[i + POINT.r], bits[i + POINT.v], data[i + POINT.sign]
        if r >= 0:
            a, b, c = v[w + 3], v[w + 4], v[w + 5]
            x, y, z = three(data, i + POINT.lever)
            x, y, z = cross(a, b, c, x, y, z)
            if bits[i + POINT.x] < 0:
                x, y, z = x + v[w], y + v[w + 1], z + v[w + 2]
            x, y, z = cross(a, b, c, x, y, z)
            x, y, z = to_space(frame(q, r), x, y, z)
            out[row] += sign * x
            out[row + 1] += sign * y
            out[row + 2] += sign * z
        i += POINT.width


@leaf
def point_stiffness(q, mu, data, out):
    """∓s~ (Rᵀ λ)~ of POINT; on SE(3) ∓(Rᵀ λ)~ for the translation, too."""
    bits = data.view(np.int64)
    i = bits[POINT.begin]
    for _ in range(bits[POINT.count]):
        row, r, k = bits[i + POINT.row], bits[i + POINT.r], bits[i + POINT.S]
        if k >= 0:
            x, y, z = to_body(frame(q, r), mu[row], mu[row + 1], mu[row + 2])
            a, b, c = three(data, i + POINT.lever)
            add_stiffness(out, k, -data[i + POINT.sign], a, b, c, x, y, z)
        i += POINT.width


@leaf
def dot_rows(q, data, out):
    """g of DOT."""
    bits = data.view(np.int64)
    i = bits[DOT.begin]
    for _ in range(bits[DOT.count]):
        a, b, c = turned_by(frame(q, bits[i + DOT.r_a]), data, i + DOT.axis_a)
        x, y, z = turned_by(frame(q, bits[i + DOT.r_b]), data, i + DOT.axis_b)
        out[bits[i + DOT.row]] = a * x + b * y + c * z - data[i + DOT.value]
        i += DOT.width


@leaf
def dot_gradient(q, data, out):
    """G of DOT: (u_a × R_aᵀ d_b) and (u_b × R_bᵀ d_a)."""
    bits = data.view(np.int64)
    i = bits[DOT.begin]
    for _ in range(bits[DOT.count]):
        A, B = frame(q, bits[i + DOT.r_a]), frame(q, bits[i + DOT.r_b])
        (ua, va, wa), (ub, vb, wb) = three(data, i + DOT.axis_a), three(data, i + DOT.axis_b)
        if bits[i + DOT.G_a] >= 0:
            x, y, z = to_space(B, ub, vb, wb)
            x, y, z = to_body(A, x, y, z)
            x, y, z = cross(ua, va, wa, x, y, z)
            put3(out, bits[i + DOT.G_a], x, y, z)
        if bits[i + DOT.G_b] >= 0:
            x, y, z = to_space(A, ua, va, wa)
            x, y, z = to_body(B, x, y, z)
            x, y, z = cross(ub, vb, wb, x, y, z)
            put3(out, bits[i + DOT.G_b], x, y, z)
        i += DOT.width


@leaf
def dot_bias(q, v, data, out):
    """Ġ v of DOT: d̈_a · d_b + 2 ḋ_a · ḋ_b + d_a · d̈_b, of what is quadratic in Ω."""
    bits = data.view(np.int64)
    i = bits[DOT.begin]
    for _ in range(bits[DOT.count]):
        A, B = frame(q, bits[i + DOT.r_a]), frame(q, bits[i + DOT.r_b])
        a, b, c = spin(v, bits[i + DOT.v_a])
        x, y, z = three(data, i + DOT.axis_a)
        d1 = to_space(A, x, y, z)
        x, y, z = cross(a, b, c, x, y, z)
        rate1 = to_space(A, x, y, z)
        x, y, z = cross(a, b, c, x, y, z)
        bend1 = to_space(A, x, y, z)
        a, b, c = spin(v, bits[i + DOT.v_b])
        x, y, z = three(data, i + DOT.axis_b)
        d2 = to_space(B, x, y, z)
        x, y, z = cross(a, b, c, x, y, z)
        rate2 = to_space(B, x, y, z)
        x, y, z = cross(a, b, c, x, y, z)
        bend2 = to_space(B, x, y, z)
        total = 0.0
        for j in range(3):
            total += bend1[j] * d2[j] + 2.0 * rate1[j] * rate2[j] + d1[j] * bend2[j]
        out[bits[i + DOT.row]] = total
        i += DOT.width


@leaf
def dot_stiffness(q, mu, data, out):
    """−λ u_a~ (R_aᵀ d_b)~ and −λ u_b~ (R_bᵀ d_a)~ of DOT."""
    bits = data.view(np.int64)
    i = bits[DOT.begin]
    for _ in range(bits[DOT.count]):
        A, B, force = frame(q, bits[i + DOT.r_a]), frame(q, bits[i + DOT.r_b]), mu[bits[i + DOT.row]]
        (ua, va, wa), (ub, vb, wb) = three(data, i + DOT.axis_a), three(data, i + DOT.axis_b)
        if bits[i + DOT.S_a] >= 0:
            x, y, z = to_space(B, ub, vb, wb)
            x, y, z = to_body(A, x, y, z)
            add_stiffness(out, bits[i + DOT.S_a], -force, ua, va, wa, x, y, z)
        if bits[i + DOT.S_b] >= 0:
            x, y, z = to_space(A, ua, va, wa)
            x, y, z = to_body(B, x, y, z)
            add_stiffness(out, bits[i + DOT.S_b], -force, ub, vb, wb, x, y, z)
        i += DOT.width


@leaf
def arm(q, data, i):
    """p_b − p_a of the SLIDE at i."""
    bits = data.view(np.int64)
    x, y, z = origin(q, bits[i + SLIDE.x_b], bits[i + SLIDE.r_b])
    a, b, c = turned_by(frame(q, bits[i + SLIDE.r_b]), data, i + SLIDE.lever_b)
    x, y, z = x + a, y + b, z + c
    a, b, c = origin(q, bits[i + SLIDE.x_a], bits[i + SLIDE.r_a])
    x, y, z = x - a, y - b, z - c
    a, b, c = turned_by(frame(q, bits[i + SLIDE.r_a]), data, i + SLIDE.lever_a)
    return x - a, y - b, z - c


@leaf
def arm_seen(q, data, i, A):
    """R_aᵀ (p_b − p_a) + s_a of the SLIDE at i."""
    x, y, z = arm(q, data, i)
    x, y, z = to_body(A, x, y, z)
    a, b, c = three(data, i + SLIDE.lever_a)
    return x + a, y + b, z + c


@leaf
def slide_value(q, data, i):
    """d_a · (p_b − p_a) − c of the row at i."""
    bits = data.view(np.int64)
    x, y, z = arm(q, data, i)
    a, b, c = turned_by(frame(q, bits[i + SLIDE.r_a]), data, i + SLIDE.axis)
    return a * x + b * y + c * z - data[i + SLIDE.value]


@leaf
def slide_rows(q, data, out):
    """g of SLIDE."""
    bits = data.view(np.int64)
    i = bits[SLIDE.begin]
    for _ in range(bits[SLIDE.count]):
        out[bits[i + SLIDE.row]] = slide_value(q, data, i)
        i += SLIDE.width


@leaf
def put_slide(q, data, i, out):
    """The gradient of the row at i; see `slide_gradient`."""
    bits = data.view(np.int64)
    A, B = frame(q, bits[i + SLIDE.r_a]), frame(q, bits[i + SLIDE.r_b])
    u, v, w = three(data, i + SLIDE.axis)
    a, b, c = to_space(A, u, v, w)
    if bits[i + SLIDE.move_a] >= 0:
        if bits[i + SLIDE.x_a] >= 0:
            put3(out, bits[i + SLIDE.move_a], -a, -b, -c)
        else:
            put3(out, bits[i + SLIDE.move_a], -u, -v, -w)
    if bits[i + SLIDE.turn_a] >= 0:
        x, y, z = arm_seen(q, data, i, A)
        x, y, z = cross(u, v, w, x, y, z)
        put3(out, bits[i + SLIDE.turn_a], x, y, z)
    x, y, z = to_body(B, a, b, c)
    if bits[i + SLIDE.move_b] >= 0:
        if bits[i + SLIDE.x_b] >= 0:
            put3(out, bits[i + SLIDE.move_b], a, b, c)
        else:
            put3(out, bits[i + SLIDE.move_b], x, y, z)
    if bits[i + SLIDE.turn_b] >= 0:
        a, b, c = three(data, i + SLIDE.lever_b)
        x, y, z = cross(a, b, c, x, y, z)
        put3(out, bits[i + SLIDE.turn_b], x, y, z)


@leaf
def slide_gradient(q, data, out):
    """G of SLIDE: −d_a and u × (R_aᵀ r + s_a) for a, d_a and s_b × R_bᵀ d_a for b; translations by R on SE(3)."""
    bits = data.view(np.int64)
    i = bits[SLIDE.begin]
    for _ in range(bits[SLIDE.count]):
        put_slide(q, data, i, out)
        i += SLIDE.width


@leaf
def travel(q, v, x, r, w, s):
    """Velocity of a point s of a body, and what is quadratic in velocities of its acceleration."""
    if w < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if r < 0:  # a point mass
        return (v[w], v[w + 1], v[w + 2]), (0.0, 0.0, 0.0)
    R = frame(q, r)
    a, b, c = v[w + 3], v[w + 4], v[w + 5]
    e, f, g = cross(a, b, c, s[0], s[1], s[2])
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
    A = frame(q, bits[i + SLIDE.r_a])
    s_a, s_b = three(data, i + SLIDE.lever_a), three(data, i + SLIDE.lever_b)
    rate_a, bend_a = travel(q, v, bits[i + SLIDE.x_a], bits[i + SLIDE.r_a], bits[i + SLIDE.v_a], s_a)
    rate_b, bend_b = travel(q, v, bits[i + SLIDE.x_b], bits[i + SLIDE.r_b], bits[i + SLIDE.v_b], s_b)
    r = arm(q, data, i)
    a, b, c = spin(v, bits[i + SLIDE.v_a])
    x, y, z = three(data, i + SLIDE.axis)
    d = to_space(A, x, y, z)
    x, y, z = cross(a, b, c, x, y, z)
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
    i = bits[SLIDE.begin]
    for _ in range(bits[SLIDE.count]):
        out[bits[i + SLIDE.row]] = slide_bend(q, v, data, i)
        i += SLIDE.width


@leaf
def add_slide_stiffness(q, force, data, i, out):
    """−λ u~ (R_aᵀ r + s_a)~ and −λ s_b~ (R_bᵀ d_a)~ of the row at i."""
    bits = data.view(np.int64)
    A = frame(q, bits[i + SLIDE.r_a])
    if bits[i + SLIDE.S_a] >= 0:
        x, y, z = arm_seen(q, data, i, A)
        a, b, c = three(data, i + SLIDE.axis)
        add_stiffness(out, bits[i + SLIDE.S_a], -force, a, b, c, x, y, z)
    if bits[i + SLIDE.S_b] >= 0:
        x, y, z = turned_by(A, data, i + SLIDE.axis)
        x, y, z = to_body(frame(q, bits[i + SLIDE.r_b]), x, y, z)
        a, b, c = three(data, i + SLIDE.lever_b)
        add_stiffness(out, bits[i + SLIDE.S_b], -force, a, b, c, x, y, z)


@leaf
def slide_stiffness(q, mu, data, out):
    """The stiffness of SLIDE."""
    bits = data.view(np.int64)
    i = bits[SLIDE.begin]
    for _ in range(bits[SLIDE.count]):
        add_slide_stiffness(q, mu[bits[i + SLIDE.row]], data, i, out)
        i += SLIDE.width
