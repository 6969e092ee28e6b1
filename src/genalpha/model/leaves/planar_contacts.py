"""Leaves of planar contacts: points and discs on lines, discs on discs; see `contacts`.

LINE and DISCS have the same columns. What does not turn, or touches with its centre, has no entry for its angle.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import DISCS, LINE, SIDE

TINY = 1e-12
"""Concentric discs or spheres, nearer than this, have no direction between them."""


@leaf
def lever(q, data, i, side, on):
    """R s of one side of the row at i; ``on`` is the column of s."""
    bits = data.view(np.int64)
    p = i + on
    x, y = data[p], data[p + 1]
    if bits[i + side + SIDE.turns] == 0:
        return x + 0.0 * q[0], y + 0.0 * q[0]
    angle = q[bits[i + side + SIDE.q] + 2]
    c, s = np.cos(angle), np.sin(angle)
    return c * x - s * y, s * x + c * y


@leaf
def between(q, data, i):
    """p_b − p_a of the row at i."""
    bits = data.view(np.int64)
    x, y = lever(q, data, i, LINE.b, LINE.lever_b)
    u, v = lever(q, data, i, LINE.a, LINE.lever_a)
    x, y = x - u, y - v
    a, b = bits[i + LINE.a + SIDE.q], bits[i + LINE.b + SIDE.q]
    if a >= 0:
        x, y = x - q[a], y - q[a + 1]
    if b >= 0:
        x, y = x + q[b], y + q[b + 1]
    return x, y


@leaf
def normal(q, data, i):
    """The normal of a line."""
    return lever(q, data, i, LINE.a, LINE.axis)


@leaf
def relative(q, v, data, i):
    """ṙ, and of r̈ what is quadratic in velocities, of r = p_b − p_a."""
    bits = data.view(np.int64)
    rate_x, rate_y, bend_x, bend_y = 0.0 * v[0], 0.0 * v[0], 0.0 * v[0], 0.0 * v[0]
    for side, on, sign in ((LINE.a, LINE.lever_a, -1.0), (LINE.b, LINE.lever_b, 1.0)):
        w = bits[i + side + SIDE.v]
        if w < 0:
            continue
        rate_x, rate_y = rate_x + sign * v[w], rate_y + sign * v[w + 1]
        if bits[i + side + SIDE.turns] == 1:
            x, y = lever(q, data, i, side, on)
            spin = v[w + 2]
            rate_x, rate_y = rate_x - sign * spin * y, rate_y + sign * spin * x
            bend_x, bend_y = bend_x - sign * spin * spin * x, bend_y - sign * spin * spin * y
    return rate_x, rate_y, bend_x, bend_y


@leaf
def put_pushes(q, data, i, x, y, turn_a, out):
    """The gradient: −n and ``turn_a`` for a, n and n · (R s)' for b."""
    bits = data.view(np.int64)
    k = bits[i + LINE.N]
    if bits[i + LINE.a + SIDE.q] >= 0:
        out[k] = -x
        out[k + 1] = -y
        k += 2
        if bits[i + LINE.a + SIDE.turns] == 1:
            out[k] = turn_a
            k += 1
    if bits[i + LINE.b + SIDE.q] >= 0:
        out[k] = x
        out[k + 1] = y
        if bits[i + LINE.b + SIDE.turns] == 1:
            a, b = lever(q, data, i, LINE.b, LINE.lever_b)
            out[k + 2] = y * a - x * b


@leaf
def line_gaps(q, data, out):
    """Gaps of LINE."""
    bits = data.view(np.int64)
    i = bits[LINE.begin]
    for _ in range(bits[LINE.count]):
        x, y = between(q, data, i)
        a, b = normal(q, data, i)
        out[bits[i + LINE.row]] = a * x + b * y - data[i + LINE.value]
        i += LINE.width


@leaf
def line_gradient(q, data, out):
    """N of LINE; that of the angle of a is d' · (r + R_a s_a)."""
    bits = data.view(np.int64)
    i = bits[LINE.begin]
    for _ in range(bits[LINE.count]):
        a, b = normal(q, data, i)
        x, y = between(q, data, i)
        c, d = lever(q, data, i, LINE.a, LINE.lever_a)
        put_pushes(q, data, i, a, b, a * (y + d) - b * (x + c), out)
        i += LINE.width


@leaf
def line_bias(q, v, data, out):
    """Ṅ v of LINE: d̈ · r + 2 ḋ · ṙ + d · r̈, of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[LINE.begin]
    for _ in range(bits[LINE.count]):
        a, b = normal(q, data, i)
        x, y = between(q, data, i)
        rate_x, rate_y, bend_x, bend_y = relative(q, v, data, i)
        spin = v[bits[i + LINE.a + SIDE.v] + 2] if bits[i + LINE.a + SIDE.turns] == 1 else 0.0 * v[0]
        turning = 2.0 * spin * (a * rate_y - b * rate_x) - spin * spin * (a * x + b * y)
        out[bits[i + LINE.row]] = turning + a * bend_x + b * bend_y
        i += LINE.width


@leaf
def line_stiffness(q, mu, data, out):
    """λ d · (r + R_a s_a) and λ d · R_b s_b of LINE."""
    bits = data.view(np.int64)
    i = bits[LINE.begin]
    for _ in range(bits[LINE.count]):
        force = mu[bits[i + LINE.mu]]
        a, b = normal(q, data, i)
        if bits[i + LINE.S_a] >= 0:
            x, y = between(q, data, i)
            c, d = lever(q, data, i, LINE.a, LINE.lever_a)
            out[bits[i + LINE.S_a]] += force * (a * (x + c) + b * (y + d))
        if bits[i + LINE.S_b] >= 0:
            c, d = lever(q, data, i, LINE.b, LINE.lever_b)
            out[bits[i + LINE.S_b]] += force * (a * c + b * d)
        i += LINE.width


@leaf
def disc_gaps(q, data, out):
    """Gaps of DISCS."""
    bits = data.view(np.int64)
    i = bits[DISCS.begin]
    for _ in range(bits[DISCS.count]):
        x, y = between(q, data, i)
        out[bits[i + DISCS.row]] = data[i + DISCS.axis] * (np.sqrt(x * x + y * y) - data[i + DISCS.value])
        i += DISCS.width


@leaf
def push(q, data, i):
    """Distance and ±n of the discs at i; no direction if they are concentric."""
    x, y = between(q, data, i)
    length, sign = np.sqrt(x * x + y * y), data[i + DISCS.axis]
    if not abs(length) > TINY:
        return length, 0.0 * x, 0.0 * y
    return length, sign * x / length, sign * y / length


@leaf
def disc_gradient(q, data, out):
    """N of DISCS."""
    bits = data.view(np.int64)
    i = bits[DISCS.begin]
    for _ in range(bits[DISCS.count]):
        _, x, y = push(q, data, i)
        a, b = lever(q, data, i, DISCS.a, DISCS.lever_a)
        put_pushes(q, data, i, x, y, x * b - y * a, out)
        i += DISCS.width


@leaf
def disc_bias(q, v, data, out):
    """Ṅ v of DISCS: ±(n · r̈ + (ṙ² − (n · ṙ)²)/|r|), of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[DISCS.begin]
    for _ in range(bits[DISCS.count]):
        length, x, y = push(q, data, i)
        rate_x, rate_y, bend_x, bend_y = relative(q, v, data, i)
        total = x * bend_x + y * bend_y
        if abs(length) > TINY:
            across = x * rate_y - y * rate_x
            total += data[i + DISCS.axis] * across * across / length
        out[bits[i + DISCS.row]] = total
        i += DISCS.width


@leaf
def disc_stiffness(q, mu, data, out):
    """∓λ n · R_a s_a and ±λ n · R_b s_b of DISCS."""
    bits = data.view(np.int64)
    i = bits[DISCS.begin]
    for _ in range(bits[DISCS.count]):
        force = mu[bits[i + DISCS.mu]]
        _, x, y = push(q, data, i)
        if bits[i + DISCS.S_a] >= 0:
            c, d = lever(q, data, i, DISCS.a, DISCS.lever_a)
            out[bits[i + DISCS.S_a]] -= force * (x * c + y * d)
        if bits[i + DISCS.S_b] >= 0:
            c, d = lever(q, data, i, DISCS.b, DISCS.lever_b)
            out[bits[i + DISCS.S_b]] += force * (x * c + y * d)
        i += DISCS.width
