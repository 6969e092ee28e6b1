"""Leaves of forces: spring-dampers between points, forces at points, torques.

An end is (x, r, v, s): place of the position in q, of the quaternion (in planar models of the angle), of the
velocities, and the point of the body. r < 0 is a point mass, v < 0 the ground.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import LOAD, SPRING, TORQUE
from genalpha.model.rows import cross, frame, origin, to_body, to_space, travel
from genalpha.model.turns import turned

SPATIAL, PLANAR = 3, 2


@leaf
def end_point(q, data, i, dimension):
    """The point of the end at i."""
    bits = data.view(np.int64)
    x, r, v = bits[i], bits[i + 1], bits[i + 2]
    if dimension == PLANAR:
        a, b = turned(q, x if r >= 0 else -1, data, data[i + 3], data[i + 4])
        if v >= 0:
            a, b = a + q[x], b + q[x + 1]
        return a, b, 0.0
    a, b, c = to_space(frame(q, r), data[i + 3], data[i + 4], data[i + 5])
    x0, x1, x2 = origin(q, x, r)
    return a + x0, b + x1, c + x2


@leaf
def end_velocity(q, v, data, i, dimension):
    """Its velocity."""
    bits = data.view(np.int64)
    x, r, w = bits[i], bits[i + 1], bits[i + 2]
    if w < 0:
        return 0.0, 0.0, 0.0
    if dimension == PLANAR:
        if r < 0:
            return v[w], v[w + 1], 0.0
        a, b = turned(q, x, data, data[i + 3], data[i + 4])
        return v[w] - v[w + 2] * b, v[w + 1] + v[w + 2] * a, 0.0
    rate, _ = travel(q, v, x, r, w, data[i + 3], data[i + 4], data[i + 5])
    return rate


@leaf
def push(q, data, i, dimension, a, b, c, out):
    """Add the force (a, b, c) at the end at i to the generalised forces."""
    bits = data.view(np.int64)
    x, r, w = bits[i], bits[i + 1], bits[i + 2]
    if w < 0:
        return
    if dimension == PLANAR:
        out[w] += a
        out[w + 1] += b
        if r >= 0:
            d, e = turned(q, x, data, data[i + 3], data[i + 4])
            out[w + 2] += d * b - e * a
        return
    if r < 0:
        out[w] += a
        out[w + 1] += b
        out[w + 2] += c
        return
    d, e, f = to_body(frame(q, r), a, b, c)
    if x >= 0:
        out[w] += a
        out[w + 1] += b
        out[w + 2] += c
    else:
        out[w] += d
        out[w + 1] += e
        out[w + 2] += f
    d, e, f = cross(data[i + 3], data[i + 4], data[i + 5], d, e, f)
    out[w + 3] += d
    out[w + 4] += e
    out[w + 5] += f


@leaf
def stretch(q, v, data, i, dimension):
    """Of the spring at i: its direction (a to b), length, and rate of length."""
    a, b, c = end_point(q, data, i + 4, dimension)
    x, y, z = end_point(q, data, i + 10, dimension)
    x, y, z = x - a, y - b, z - c
    length = np.sqrt(x * x + y * y + z * z)
    inverse = 1.0 / length if length != 0.0 else 0.0
    x, y, z = inverse * x, inverse * y, inverse * z
    a, b, c = end_velocity(q, v, data, i + 4, dimension)
    d, e, f = end_velocity(q, v, data, i + 10, dimension)
    return x, y, z, length, x * (d - a) + y * (e - b) + z * (f - c)


@leaf
def spring_force(q, v, data, out):
    """k (l − l0) + c l̇ along the line between the ends of SPRING."""
    bits = data.view(np.int64)
    i = bits[2 * SPRING]
    for _ in range(bits[2 * SPRING + 1]):
        dimension = bits[i + 3]
        x, y, z, length, rate = stretch(q, v, data, i, dimension)
        force = data[i] * (length - data[i + 2]) + data[i + 1] * rate
        push(q, data, i + 4, dimension, force * x, force * y, force * z, out)
        push(q, data, i + 10, dimension, -force * x, -force * y, -force * z, out)
        i += 18


@leaf
def end_gradient(q, data, i, dimension, B):
    """B (6, 3): transposed velocity gradient of the point of the end at i; rows past its coordinates are zero."""
    bits = data.view(np.int64)
    x, r, w = bits[i], bits[i + 1], bits[i + 2]
    for j in range(6):
        for k in range(3):
            B[j, k] = 0.0
    if w < 0:
        return
    if dimension == PLANAR:
        B[0, 0], B[1, 1] = 1.0, 1.0
        if r >= 0:
            d, e = turned(q, x, data, data[i + 3], data[i + 4])
            B[2, 0], B[2, 1] = -e, d
        return
    R = frame(q, r)
    for j in range(3):
        for k in range(3):
            B[j, k] = R[3 * k + j] if x < 0 else (1.0 if j == k else 0.0)
    if r >= 0:
        # rows of (−R s~)ᵀ = s~ Rᵀ
        for k in range(3):
            B[3, k], B[4, k], B[5, k] = cross(
                data[i + 3], data[i + 4], data[i + 5], R[3 * k], R[3 * k + 1], R[3 * k + 2]
            )


@leaf
def put_products(P, A, n_a, B, n_b, factor, out, place):
    """Add factor A P Bᵀ (n_a, n_b) to the values at ``place``, row by row."""
    for j in range(n_a):
        for k in range(n_b):
            total = 0.0
            for l in range(3):
                for m in range(3):
                    total += A[j, l] * P[l, m] * B[k, m]
            out[place + j * n_b + k] += factor * total


@leaf
def spring_matrix(q, v, data, damping, out):
    """Stiffness or damping of SPRING: blocks (a, a), (a, b), (b, a), (b, b) of what ends have coordinates."""
    bits = data.view(np.int64)
    count = bits[2 * SPRING + 1]
    if count == 0:
        return
    P, A, B = np.empty((3, 3)), np.empty((6, 3)), np.empty((6, 3))
    i = bits[2 * SPRING]
    for _ in range(count):
        dimension = bits[i + 3]
        x, y, z, length, rate = stretch(q, v, data, i, dimension)
        n = (x, y, z)
        force = data[i] * (length - data[i + 2]) + data[i + 1] * rate
        side = force / length if length > 0.0 and not damping else 0.0
        along = (data[i + 1] if damping else data[i]) - side
        for j in range(3):
            for k in range(3):
                P[j, k] = along * n[j] * n[k]
            P[j, j] += side
        end_gradient(q, data, i + 4, dimension, A)
        end_gradient(q, data, i + 10, dimension, B)
        place = bits[i + 17] if damping else bits[i + 16]
        n_a, n_b = coordinates(bits, i + 4, dimension), coordinates(bits, i + 10, dimension)
        put_products(P, A, n_a, A, n_a, 1.0, out, place)
        put_products(P, A, n_a, B, n_b, -1.0, out, place + n_a * n_a)
        put_products(P, B, n_b, A, n_a, -1.0, out, place + n_a * (n_a + n_b))
        put_products(P, B, n_b, B, n_b, 1.0, out, place + n_a * (n_a + 2 * n_b))
        i += 18


@leaf
def coordinates(bits, i, dimension):
    """Number of coordinates that move the end at i."""
    if bits[i + 2] < 0:
        return 0
    if dimension == PLANAR:
        return 3 if bits[i + 1] >= 0 else 2
    return 6 if bits[i + 1] >= 0 else 3


@leaf
def load_force(q, data, out):
    """Constant forces at points, LOAD, and constant torques, TORQUE; in space, or following the body."""
    bits = data.view(np.int64)
    i = bits[2 * LOAD]
    for _ in range(bits[2 * LOAD + 1]):
        dimension = bits[i + 10]
        a, b, c = data[i + 6], data[i + 7], data[i + 8]
        if bits[i + 9]:
            if dimension == PLANAR:
                a, b = turned(q, bits[i] if bits[i + 1] >= 0 else -1, data, a, b)
            else:
                a, b, c = to_space(frame(q, bits[i + 1]), a, b, c)
        push(q, data, i, dimension, a, b, c, out)
        i += 11
    i = bits[2 * TORQUE]
    for _ in range(bits[2 * TORQUE + 1]):
        w, a, b, c = bits[i + 1], data[i + 2], data[i + 3], data[i + 4]
        if not bits[i + 5]:
            a, b, c = to_body(frame(q, bits[i]), a, b, c)
        out[w + 3] += a
        out[w + 4] += b
        out[w + 5] += c
        i += 6
