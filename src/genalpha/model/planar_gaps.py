"""Leaves of planar contacts: points and discs on lines, discs on discs; see `gaps`.

The columns of both tables are row, mu, and for both sides q, v, turns; u, s_a, s_b, c, N, S_a, S_b. What does not turn,
or touches with its centre, has ``turns`` = 0 and no entry for its angle.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import DISCS, LINE

ROW, MU, A, B, DIRECTION, ON_A, ON_B, DISTANCE, VALUES, S_A, S_B, WIDTH = 0, 1, 2, 5, 8, 10, 12, 14, 15, 16, 17, 18
TINY = 1e-12


@leaf
def lever(q, data, i, side, on):
    """R s of one side of the row at i."""
    bits = data.view(np.int64)
    x, y = data[i + on], data[i + on + 1]
    if bits[i + side + 2] == 0:
        return x + 0.0 * q[0], y + 0.0 * q[0]
    angle = q[bits[i + side] + 2]
    c, s = np.cos(angle), np.sin(angle)
    return c * x - s * y, s * x + c * y


@leaf
def between(q, data, i):
    """p_b − p_a of the row at i."""
    bits = data.view(np.int64)
    x, y = lever(q, data, i, B, ON_B)
    u, v = lever(q, data, i, A, ON_A)
    x, y = x - u, y - v
    a, b = bits[i + A], bits[i + B]
    if a >= 0:
        x, y = x - q[a], y - q[a + 1]
    if b >= 0:
        x, y = x + q[b], y + q[b + 1]
    return x, y


@leaf
def normal(q, data, i):
    """The normal of a line."""
    bits = data.view(np.int64)
    x, y = data[i + DIRECTION], data[i + DIRECTION + 1]
    if bits[i + A + 2] == 0:
        return x + 0.0 * q[0], y + 0.0 * q[0]
    angle = q[bits[i + A] + 2]
    c, s = np.cos(angle), np.sin(angle)
    return c * x - s * y, s * x + c * y


@leaf
def relative(q, v, data, i):
    """ṙ, and of r̈ what is quadratic in velocities, of r = p_b − p_a."""
    bits = data.view(np.int64)
    rate_x, rate_y, bend_x, bend_y = 0.0 * v[0], 0.0 * v[0], 0.0 * v[0], 0.0 * v[0]
    for side, on, sign in ((A, ON_A, -1.0), (B, ON_B, 1.0)):
        w = bits[i + side + 1]
        if w < 0:
            continue
        rate_x, rate_y = rate_x + sign * v[w], rate_y + sign * v[w + 1]
        if bits[i + side + 2] == 1:
            x, y = lever(q, data, i, side, on)
            spin = v[w + 2]
            rate_x, rate_y = rate_x - sign * spin * y, rate_y + sign * spin * x
            bend_x, bend_y = bend_x - sign * spin * spin * x, bend_y - sign * spin * spin * y
    return rate_x, rate_y, bend_x, bend_y


@leaf
def put_pushes(q, data, i, x, y, turn_a, out):
    """The gradient: −n and ``turn_a`` for a, n and n · (R s)' for b."""
    bits = data.view(np.int64)
    k = bits[i + VALUES]
    if bits[i + A] >= 0:
        out[k] = -x
        out[k + 1] = -y
        k += 2
        if bits[i + A + 2] == 1:
            out[k] = turn_a
            k += 1
    if bits[i + B] >= 0:
        out[k] = x
        out[k + 1] = y
        if bits[i + B + 2] == 1:
            a, b = lever(q, data, i, B, ON_B)
            out[k + 2] = y * a - x * b


@leaf
def line_gaps(q, data, out):
    """Gaps of LINE."""
    bits = data.view(np.int64)
    i = bits[2 * LINE]
    for _ in range(bits[2 * LINE + 1]):
        x, y = between(q, data, i)
        a, b = normal(q, data, i)
        out[bits[i]] = a * x + b * y - data[i + DISTANCE]
        i += WIDTH


@leaf
def line_gradient(q, data, out):
    """N of LINE; that of the angle of a is d' · (r + R_a s_a)."""
    bits = data.view(np.int64)
    i = bits[2 * LINE]
    for _ in range(bits[2 * LINE + 1]):
        a, b = normal(q, data, i)
        x, y = between(q, data, i)
        c, d = lever(q, data, i, A, ON_A)
        put_pushes(q, data, i, a, b, a * (y + d) - b * (x + c), out)
        i += WIDTH


@leaf
def line_bias(q, v, data, out):
    """Ṅ v of LINE: d̈ · r + 2 ḋ · ṙ + d · r̈, of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[2 * LINE]
    for _ in range(bits[2 * LINE + 1]):
        a, b = normal(q, data, i)
        x, y = between(q, data, i)
        rate_x, rate_y, bend_x, bend_y = relative(q, v, data, i)
        spin = v[bits[i + A + 1] + 2] if bits[i + A + 2] == 1 else 0.0 * v[0]
        turning = 2.0 * spin * (a * rate_y - b * rate_x) - spin * spin * (a * x + b * y)
        out[bits[i]] = turning + a * bend_x + b * bend_y
        i += WIDTH


@leaf
def line_stiffness(q, mu, data, out):
    """λ d · (r + R_a s_a) and λ d · R_b s_b of LINE."""
    bits = data.view(np.int64)
    i = bits[2 * LINE]
    for _ in range(bits[2 * LINE + 1]):
        force = mu[bits[i + MU]]
        a, b = normal(q, data, i)
        if bits[i + S_A] >= 0:
            x, y = between(q, data, i)
            c, d = lever(q, data, i, A, ON_A)
            out[bits[i + S_A]] += force * (a * (x + c) + b * (y + d))
        if bits[i + S_B] >= 0:
            c, d = lever(q, data, i, B, ON_B)
            out[bits[i + S_B]] += force * (a * c + b * d)
        i += WIDTH


@leaf
def disc_gaps(q, data, out):
    """Gaps of DISCS."""
    bits = data.view(np.int64)
    i = bits[2 * DISCS]
    for _ in range(bits[2 * DISCS + 1]):
        x, y = between(q, data, i)
        out[bits[i]] = data[i + DIRECTION] * (np.sqrt(x * x + y * y) - data[i + DISTANCE])
        i += WIDTH


@leaf
def push(q, data, i):
    """Distance and ±n of the discs at i; no direction if they are concentric."""
    x, y = between(q, data, i)
    length, sign = np.sqrt(x * x + y * y), data[i + DIRECTION]
    if not abs(length) > TINY:
        return length, 0.0 * x, 0.0 * y
    return length, sign * x / length, sign * y / length


@leaf
def disc_gradient(q, data, out):
    """N of DISCS."""
    bits = data.view(np.int64)
    i = bits[2 * DISCS]
    for _ in range(bits[2 * DISCS + 1]):
        _, x, y = push(q, data, i)
        a, b = lever(q, data, i, A, ON_A)
        put_pushes(q, data, i, x, y, x * b - y * a, out)
        i += WIDTH


@leaf
def disc_bias(q, v, data, out):
    """Ṅ v of DISCS: ±(n · r̈ + (ṙ² − (n · ṙ)²)/|r|), of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[2 * DISCS]
    for _ in range(bits[2 * DISCS + 1]):
        length, x, y = push(q, data, i)
        rate_x, rate_y, bend_x, bend_y = relative(q, v, data, i)
        total = x * bend_x + y * bend_y
        if abs(length) > TINY:
            across = x * rate_y - y * rate_x
            total += data[i + DIRECTION] * across * across / length
        out[bits[i]] = total
        i += WIDTH


@leaf
def disc_stiffness(q, mu, data, out):
    """∓λ n · R_a s_a and ±λ n · R_b s_b of DISCS."""
    bits = data.view(np.int64)
    i = bits[2 * DISCS]
    for _ in range(bits[2 * DISCS + 1]):
        force = mu[bits[i + MU]]
        _, x, y = push(q, data, i)
        if bits[i + S_A] >= 0:
            c, d = lever(q, data, i, A, ON_A)
            out[bits[i + S_A]] -= force * (x * c + y * d)
        if bits[i + S_B] >= 0:
            c, d = lever(q, data, i, B, ON_B)
            out[bits[i + S_B]] += force * (x * c + y * d)
        i += WIDTH
