"""Leaves of bodies: updates on the groups, inertia forces. See `columns` for the sections they read."""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.se3 import carry, untwist_motion
from genalpha.math.so3 import rotation, turn, untwist
from genalpha.model.columns import GYROSCOPE, MAP, MOVING, PLAIN, TURNING, WEIGHT
from genalpha.model.leaves.stretches import place


@leaf
def six(x, v):
    """The numbers of a motion at v."""
    return x[v], x[v + 1], x[v + 2], x[v + 3], x[v + 4], x[v + 5]


@leaf
def update(q0, delta, data, q1):
    """q1 = q0 ∘ exp(Δ), body by body."""
    bits = data.view(np.int64)
    kind = bits[MAP]
    i = bits[PLAIN.begin]
    for _ in range(bits[PLAIN.count]):
        q, v = bits[i + PLAIN.q], bits[i + PLAIN.v]
        for j in range(bits[i + PLAIN.n]):
            q1[q + j] = q0[q + j] + delta[v + j]
        i += PLAIN.width
    i = bits[TURNING.begin]
    for _ in range(bits[TURNING.count]):
        for j in range(bits[i + TURNING.parts]):
            x, r = place(bits, i + TURNING.x, TURNING.step, j), place(bits, i + TURNING.r, TURNING.step, j)
            v = place(bits, i + TURNING.v, TURNING.step, j)
            q1[x] = q0[x] + delta[v]
            q1[x + 1] = q0[x + 1] + delta[v + 1]
            q1[x + 2] = q0[x + 2] + delta[v + 2]
            turn(kind, q0, r, delta[v + 3], delta[v + 4], delta[v + 5], q1, r)
        i += TURNING.width
    i = bits[MOVING.begin]
    for _ in range(bits[MOVING.count]):
        for j in range(bits[i + MOVING.parts]):
            r, v = place(bits, i + MOVING.r, MOVING.step, j), place(bits, i + MOVING.v, MOVING.step, j)
            carry(kind, q0, r, six(delta, v), q1, r)
        i += MOVING.width


@leaf
def untwist_all(delta, data, x):
    """x ← T(Δ)⁻¹ x, body by body."""
    bits = data.view(np.int64)
    kind = bits[MAP]
    i = bits[TURNING.begin]
    for _ in range(bits[TURNING.count]):
        for j in range(bits[i + TURNING.parts]):
            v = place(bits, i + TURNING.v, TURNING.step, j) + 3
            x[v], x[v + 1], x[v + 2] = untwist(kind, delta[v], delta[v + 1], delta[v + 2], x[v], x[v + 1], x[v + 2])
        i += TURNING.width
    i = bits[MOVING.begin]
    for _ in range(bits[MOVING.count]):
        for j in range(bits[i + MOVING.parts]):
            v = place(bits, i + MOVING.v, MOVING.step, j)
            x[v], x[v + 1], x[v + 2], x[v + 3], x[v + 4], x[v + 5] = untwist_motion(kind, six(delta, v), six(x, v))
        i += MOVING.width


@leaf
def momentum(data, i, a, b, c):
    """J Ω of the gyroscopes at i."""
    J11, J22, J33, J12, J13, J23 = inertia(data, i)
    return J11 * a + J12 * b + J13 * c, J12 * a + J22 * b + J23 * c, J13 * a + J23 * b + J33 * c


@leaf
def inertia(data, i):
    """J11, J22, J33, J12, J13, J23 of the gyroscopes at i."""
    p = i + GYROSCOPE.inertia
    return data[p], data[p + 1], data[p + 2], data[p + 3], data[p + 4], data[p + 5]


@leaf
def weight_seen(q, r, data, i):
    """Rᵀ g, gravity as seen from the body at r."""
    A, p = rotation(q[r], q[r + 1], q[r + 2], q[r + 3]), i + GYROSCOPE.gravity
    x, y, z = data[p], data[p + 1], data[p + 2]
    return A[0] * x + A[3] * y + A[6] * z, A[1] * x + A[4] * y + A[7] * z, A[2] * x + A[5] * y + A[8] * z


@leaf
def inertia_force(q, v, data, out):
    """Constant forces, and −Ω × J Ω; on SE(3) also −m Ω × U and the weight, seen from the body."""
    bits = data.view(np.int64)
    first = bits[WEIGHT.begin]
    for j in range(out.size):
        out[j] = data[first + j]
    i = bits[GYROSCOPE.begin]
    for _ in range(bits[GYROSCOPE.count]):
        for j in range(bits[i + GYROSCOPE.parts]):
            w = place(bits, i + GYROSCOPE.v, GYROSCOPE.step, j)
            a, b, c = v[w + 3], v[w + 4], v[w + 5]
            x, y, z = momentum(data, i, a, b, c)
            out[w + 3] -= b * z - c * y
            out[w + 4] -= c * x - a * z
            out[w + 5] -= a * y - b * x
            if bits[i + GYROSCOPE.C_move] >= 0:  # on SE(3), as all in the stretch
                m, r = data[i + GYROSCOPE.mass], place(bits, i + GYROSCOPE.r, GYROSCOPE.step, j)
                d, e, f = weight_seen(q, r, data, i)
                x, y, z = v[w], v[w + 1], v[w + 2]
                out[w] += m * (d - (b * z - c * y))
                out[w + 1] += m * (e - (c * x - a * z))
                out[w + 2] += m * (f - (a * y - b * x))
        i += GYROSCOPE.width


@leaf
def put_skew(out, i, factor, x, y, z):
    """out[i:i+9] += factor (x, y, z)~."""
    out[i + 1] -= factor * z
    out[i + 2] += factor * y
    out[i + 3] += factor * z
    out[i + 5] -= factor * x
    out[i + 6] -= factor * y
    out[i + 7] += factor * x


@leaf
def inertia_damping(v, data, out):
    """∂(Ω × J Ω)/∂Ω = Ω~ J − (J Ω)~; on SE(3) also ∂(m Ω × U)."""
    bits = data.view(np.int64)
    i = bits[GYROSCOPE.begin]
    for _ in range(bits[GYROSCOPE.count]):
        J11, J22, J33, J12, J13, J23 = inertia(data, i)
        for j in range(bits[i + GYROSCOPE.parts]):
            w = place(bits, i + GYROSCOPE.v, GYROSCOPE.step, j)
            k = place(bits, i + GYROSCOPE.C_turn, GYROSCOPE.step, j)
            a, b, c = v[w + 3], v[w + 4], v[w + 5]
            x, y, z = momentum(data, i, a, b, c)
            out[k] += b * J13 - c * J12
            out[k + 1] += b * J23 - c * J22 + z
            out[k + 2] += b * J33 - c * J23 - y
            out[k + 3] += c * J11 - a * J13 - z
            out[k + 4] += c * J12 - a * J23
            out[k + 5] += c * J13 - a * J33 + x
            out[k + 6] += a * J12 - b * J11 + y
            out[k + 7] += a * J22 - b * J12 - x
            out[k + 8] += a * J23 - b * J13
            if bits[i + GYROSCOPE.C_move] >= 0:
                k = place(bits, i + GYROSCOPE.C_move, GYROSCOPE.step, j)
                put_skew(out, k, data[i + GYROSCOPE.mass], a, b, c)
                put_skew(out, k + 9, -data[i + GYROSCOPE.mass], v[w], v[w + 1], v[w + 2])
        i += GYROSCOPE.width


@leaf
def inertia_twist(v, factor, data, out):
    """factor J Ω~, and on SE(3) factor m (Ω~, U~) for the translation."""
    bits = data.view(np.int64)
    i = bits[GYROSCOPE.begin]
    for _ in range(bits[GYROSCOPE.count]):
        J11, J22, J33, J12, J13, J23 = inertia(data, i)
        for j in range(bits[i + GYROSCOPE.parts]):
            w = place(bits, i + GYROSCOPE.v, GYROSCOPE.step, j)
            k = place(bits, i + GYROSCOPE.C_turn, GYROSCOPE.step, j)
            a, b, c = factor * v[w + 3], factor * v[w + 4], factor * v[w + 5]
            out[k] += J12 * c - J13 * b
            out[k + 1] += J13 * a - J11 * c
            out[k + 2] += J11 * b - J12 * a
            out[k + 3] += J22 * c - J23 * b
            out[k + 4] += J23 * a - J12 * c
            out[k + 5] += J12 * b - J22 * a
            out[k + 6] += J23 * c - J33 * b
            out[k + 7] += J33 * a - J13 * c
            out[k + 8] += J13 * b - J23 * a
            if bits[i + GYROSCOPE.C_move] >= 0:
                k = place(bits, i + GYROSCOPE.C_move, GYROSCOPE.step, j)
                put_skew(out, k, data[i + GYROSCOPE.mass], a, b, c)
                put_skew(out, k + 9, factor * data[i + GYROSCOPE.mass], v[w], v[w + 1], v[w + 2])
        i += GYROSCOPE.width


@leaf
def weight_stiffness(q, data, out):
    """−∂(m Rᵀ g)/∂θ = −m (Rᵀ g)~ of bodies on SE(3)."""
    bits = data.view(np.int64)
    i = bits[GYROSCOPE.begin]
    for _ in range(bits[GYROSCOPE.count]):
        for j in range(bits[i + GYROSCOPE.parts] if bits[i + GYROSCOPE.S] >= 0 else 0):
            x, y, z = weight_seen(q, place(bits, i + GYROSCOPE.r, GYROSCOPE.step, j), data, i)
            put_skew(out, place(bits, i + GYROSCOPE.S, GYROSCOPE.step, j), -data[i + GYROSCOPE.mass], x, y, z)
        i += GYROSCOPE.width
