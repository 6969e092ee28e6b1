"""Leaves of forces: spring-dampers between points, forces at points, torques.

Their ends are points of bodies, GRIP; r < 0 is a point mass, v < 0 the ground.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import GRIP, LOAD, NONE, PLANAR, SPRING, TORQUE
from genalpha.model.leaves.angles import turned, turned_at
from genalpha.model.leaves.joints import cross, frame, origin, three, to_body, to_space, travel, turned_by


@leaf
def end_point(q, data, i, dimension):
    """The point of the end at i."""
    bits = data.view(np.int64)
    x, r, v = bits[i + GRIP.x], bits[i + GRIP.r], bits[i + GRIP.v]
    if dimension == PLANAR:
        a, b = turned_at(q, x if r >= 0 else NONE, data, i + GRIP.lever)
        if v >= 0:
            a, b = a + q[x], b + q[x + 1]
        return a, b, 0.0
    a, b, c = turned_by(frame(q, r), data, i + GRIP.lever)
    x0, x1, x2 = origin(q, x, r)
    return a + x0, b + x1, c + x2


@leaf
def end_velocity(q, v, data, i, dimension):
    """Its velocity."""
    bits = data.view(np.int64)
    x, r, w = bits[i + GRIP.x], bits[i + GRIP.r], bits[i + GRIP.v]
    if w < 0:
        return 0.0, 0.0, 0.0
    if dimension == PLANAR:
        if r < 0:
            return v[w], v[w + 1], 0.0
        a, b = turned_at(q, x, data, i + GRIP.lever)
        return v[w] - v[w + 2] * b, v[w + 1] + v[w + 2] * a, 0.0
    rate, _ = travel(q, v, x, r, w, three(data, i + GRIP.lever))
    return rate


@leaf
def push(q, data, i, dimension, a, b, c, out):
    """Add the force (a, b, c) at the end at i to the generalised forces."""
    bits = data.view(np.int64)
    x, r, w = bits[i + GRIP.x], bits[i + GRIP.r], bits[i + GRIP.v]
    if w < 0:
        return
    if dimension == PLANAR:
        out[w] += a
        out[w + 1] += b
        if r >= 0:
            d, e = turned_at(q, x, data, i + GRIP.lever)
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
    a, b, c = three(data, i + GRIP.lever)
    d, e, f = cross(a, b, c, d, e, f)
    out[w + 3] += d
    out[w + 4] += e
    out[w + 5] += f


@leaf
def stretch(q, v, data, i, dimension):
    """Of the spring at i: its direction (a to b), length, and rate of length."""
    a, b, c = end_point(q, data, i + SPRING.a, dimension)
    x, y, z = end_point(q, data, i + SPRING.b, dimension)
    x, y, z = x - a, y - b, z - c
    length = np.sqrt(x * x + y * y + z * z)
    inverse = 1.0 / length if length != 0.0 else 0.0
    x, y, z = inverse * x, inverse * y, inverse * z
    a, b, c = end_velocity(q, v, data, i + SPRING.a, dimension)
    d, e, f = end_velocity(q, v, data, i + SPRING.b, dimension)
    return x, y, z, length, x * (d - a) + y * (e - b) + z * (f - c)


@leaf
def spring_force(q, v, data, out):
    """k (l − l0) + c l̇ along the line between the ends of SPRING."""
    bits = data.view(np.int64)
    i = bits[SPRING.begin]
    for _ in range(bits[SPRING.count]):
        dimension = bits[i + SPRING.dimension]
        x, y, z, length, rate = stretch(q, v, data, i, dimension)
        force = data[i + SPRING.stiffness] * (length - data[i + SPRING.length]) + data[i + SPRING.damping] * rate
        push(q, data, i + SPRING.a, dimension, force * x, force * y, force * z, out)
        push(q, data, i + SPRING.b, dimension, -force * x, -force * y, -force * z, out)
        i += SPRING.width


@leaf
def end_gradient(q, data, i, dimension, B):
    """B (6, 3): transposed velocity gradient of the point of the end at i; rows past its coordinates are zero."""
    bits = data.view(np.int64)
    x, r, w = bits[i + GRIP.x], bits[i + GRIP.r], bits[i + GRIP.v]
    for j in range(6):
        for k in range(3):
            B[j, k] = 0.0
    if w < 0:
        return
    if dimension == PLANAR:
        B[0, 0], B[1, 1] = 1.0, 1.0
        if r >= 0:
            d, e = turned_at(q, x, data, i + GRIP.lever)
            B[2, 0], B[2, 1] = -e, d
        return
    R = frame(q, r)
    for j in range(3):
        for k in range(3):
            B[j, k] = R[3 * k + j] if x < 0 else (1.0 if j == k else 0.0)
    if r >= 0:
        # rows of (−R s~)ᵀ = s~ Rᵀ
        a, b, c = three(data, i + GRIP.lever)
        for k in range(3):
            B[3, k], B[4, k], B[5, k] = cross(a, b, c, R[3 * k], R[3 * k + 1], R[3 * k + 2])


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
    count = bits[SPRING.count]
    if count == 0:
        return
    P, A, B = np.empty((3, 3)), np.empty((6, 3)), np.empty((6, 3))
    i = bits[SPRING.begin]
    for _ in range(count):
        dimension = bits[i + SPRING.dimension]
        x, y, z, length, rate = stretch(q, v, data, i, dimension)
        n = (x, y, z)
        force = data[i + SPRING.stiffness] * (length - data[i + SPRING.length]) + data[i + SPRING.damping] * rate
        side = force / length if length > 0.0 and not damping else 0.0
        along = (data[i + SPRING.damping] if damping else data[i + SPRING.stiffness]) - side
        for j in range(3):
            for k in range(3):
                P[j, k] = along * n[j] * n[k]
            P[j, j] += side
        end_gradient(q, data, i + SPRING.a, dimension, A)
        end_gradient(q, data, i + SPRING.b, dimension, B)
        place = bits[i + SPRING.C] if damping else bits[i + SPRING.S]
        n_a, n_b = coordinates(bits, i + SPRING.a, dimension), coordinates(bits, i + SPRING.b, dimension)
        put_products(P, A, n_a, A, n_a, 1.0, out, place)
        put_products(P, A, n_a, B, n_b, -1.0, out, place + n_a * n_a)
        put_products(P, B, n_b, A, n_a, -1.0, out, place + n_a * (n_a + n_b))
        put_products(P, B, n_b, B, n_b, 1.0, out, place + n_a * (n_a + 2 * n_b))
        i += SPRING.width


@leaf
def coordinates(bits, i, dimension):
    """Number of coordinates that move the end at i."""
    if bits[i + GRIP.v] < 0:
        return 0
    if dimension == PLANAR:
        return 3 if bits[i + GRIP.r] >= 0 else 2
    return 6 if bits[i + GRIP.r] >= 0 else 3


@leaf
def load_force(q, data, out):
    """Constant forces at points, LOAD, and constant torques, TORQUE; in space, or following the body."""
    bits = data.view(np.int64)
    i = bits[LOAD.begin]
    for _ in range(bits[LOAD.count]):
        dimension, grip = bits[i + LOAD.dimension], i + LOAD.grip
        a, b, c = three(data, i + LOAD.force)
        if bits[i + LOAD.follows]:
            r = bits[grip + GRIP.r]
            if dimension == PLANAR:
                a, b = turned(q, bits[grip + GRIP.x] if r >= 0 else NONE, data, a, b)
            else:
                a, b, c = to_space(frame(q, r), a, b, c)
        push(q, data, grip, dimension, a, b, c, out)
        i += LOAD.width
    i = bits[TORQUE.begin]
    for _ in range(bits[TORQUE.count]):
        w, (a, b, c) = bits[i + TORQUE.v], three(data, i + TORQUE.torque)
        if not bits[i + TORQUE.follows]:
            a, b, c = to_body(frame(q, bits[i + TORQUE.r]), a, b, c)
        out[w + 3] += a
        out[w + 4] += b
        out[w + 5] += c
        i += TORQUE.width
