"""Leaves of contacts, and the family of evaluators that they are.

    PLANE   gap = d_a · (p_b − p_a) − c            the row SLIDE of `rows`
    BALLS   gap = ± (|p_b − p_a| − c)              + from outside, − from inside

and the same in the plane, LINE and DISCS, in `planar_gaps`. Here a is what is hit, b what hits it. Blocks of the
stiffness are those of what turns with a body; the curvature of spheres is left out, it steers only and is small where h
is.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.layout import BALLS, DISCS, LINE, PLANE
from genalpha.model.planar_gaps import (
    disc_bias,
    disc_gaps,
    disc_gradient,
    disc_stiffness,
    line_bias,
    line_gaps,
    line_gradient,
    line_stiffness,
)
from genalpha.model.rows import (
    add_slide_stiffness,
    add_stiffness,
    arm,
    cross,
    frame,
    put3,
    put_slide,
    slide_bend,
    slide_value,
    to_body,
    travel,
)

WIDTH = 24
"""Entries of a row of PLANE and BALLS."""

TINY = 1e-12
"""Concentric spheres, nearer than this, have no direction between them."""


@leaf
def plane_gaps(q, data, out):
    """Gaps of PLANE."""
    bits = data.view(np.int64)
    i = bits[2 * PLANE]
    for _ in range(bits[2 * PLANE + 1]):
        out[bits[i]] = slide_value(q, data, i)
        i += WIDTH


@leaf
def plane_gradient(q, data, out):
    """N of PLANE."""
    bits = data.view(np.int64)
    i = bits[2 * PLANE]
    for _ in range(bits[2 * PLANE + 1]):
        put_slide(q, data, i, out)
        i += WIDTH


@leaf
def plane_bias(q, v, data, out):
    """Ṅ v of PLANE."""
    bits = data.view(np.int64)
    i = bits[2 * PLANE]
    for _ in range(bits[2 * PLANE + 1]):
        out[bits[i]] = slide_bend(q, v, data, i)
        i += WIDTH


@leaf
def plane_stiffness(q, mu, data, out):
    """The stiffness of PLANE."""
    bits = data.view(np.int64)
    i = bits[2 * PLANE]
    for _ in range(bits[2 * PLANE + 1]):
        add_slide_stiffness(q, mu[bits[i + 23]], data, i, out)
        i += WIDTH


@leaf
def along(x, y, z):
    """Length and direction of a vector; no direction if it is zero."""
    length = np.sqrt(x * x + y * y + z * z)
    if not abs(length) > TINY:
        return length, 0.0 * x, 0.0 * y, 0.0 * z
    return length, x / length, y / length, z / length


@leaf
def ball_gaps(q, data, out):
    """Gaps of BALLS."""
    bits = data.view(np.int64)
    i = bits[2 * BALLS]
    for _ in range(bits[2 * BALLS + 1]):
        x, y, z = arm(q, data, i)
        out[bits[i]] = data[i + 7] * (np.sqrt(x * x + y * y + z * z) - data[i + 16])
        i += WIDTH


@leaf
def put_push(q, x, r, T, k, s0, s1, s2, a, b, c, out):
    """The gradient of n · p, p a point of a body and n = (a, b, c): n (on SE(3) Rᵀ n) and s × Rᵀ n."""
    if T < 0:
        return
    d, e, f = to_body(frame(q, r), a, b, c)
    if x >= 0:
        put3(out, T, a, b, c)
    else:
        put3(out, T, d, e, f)
    if k >= 0:
        d, e, f = cross(s0, s1, s2, d, e, f)
        put3(out, k, d, e, f)


@leaf
def ball_gradient(q, data, out):
    """N of BALLS: ∓n for a, ±n for b."""
    bits = data.view(np.int64)
    i = bits[2 * BALLS]
    for _ in range(bits[2 * BALLS + 1]):
        x, y, z = arm(q, data, i)
        _, x, y, z = along(x, y, z)
        sign = data[i + 7]
        x, y, z = sign * x, sign * y, sign * z
        put_push(q, bits[i + 1], bits[i + 2], bits[i + 17], bits[i + 18], data[i + 10], data[i + 11], data[i + 12],
                 -x, -y, -z, out)  # fmt: skip
        put_push(q, bits[i + 4], bits[i + 5], bits[i + 19], bits[i + 20], data[i + 13], data[i + 14], data[i + 15],
                 x, y, z, out)  # fmt: skip
        i += WIDTH


@leaf
def ball_bias(q, v, data, out):
    """Ṅ v of BALLS: ±(n · r̈ + (ṙ² − (n · ṙ)²)/|r|), of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[2 * BALLS]
    for _ in range(bits[2 * BALLS + 1]):
        rate_a, bend_a = travel(q, v, bits[i + 1], bits[i + 2], bits[i + 3], data[i + 10], data[i + 11], data[i + 12])
        rate_b, bend_b = travel(q, v, bits[i + 4], bits[i + 5], bits[i + 6], data[i + 13], data[i + 14], data[i + 15])
        x, y, z = arm(q, data, i)
        length, x, y, z = along(x, y, z)
        a, b, c = rate_b[0] - rate_a[0], rate_b[1] - rate_a[1], rate_b[2] - rate_a[2]
        rate = x * a + y * b + z * c
        total = x * (bend_b[0] - bend_a[0]) + y * (bend_b[1] - bend_a[1]) + z * (bend_b[2] - bend_a[2])
        if abs(length) > TINY:
            total += (a * a + b * b + c * c - rate * rate) / length
        out[bits[i]] = data[i + 7] * total
        i += WIDTH


@leaf
def ball_stiffness(q, mu, data, out):
    """±λ s_a~ (R_aᵀ n)~ and ∓λ s_b~ (R_bᵀ n)~ of BALLS."""
    bits = data.view(np.int64)
    i = bits[2 * BALLS]
    for _ in range(bits[2 * BALLS + 1]):
        if bits[i + 21] >= 0 or bits[i + 22] >= 0:
            force = mu[bits[i + 23]] * data[i + 7]
            x, y, z = arm(q, data, i)
            _, x, y, z = along(x, y, z)
            if bits[i + 21] >= 0:
                a, b, c = to_body(frame(q, bits[i + 2]), x, y, z)
                add_stiffness(out, bits[i + 21], force, data[i + 10], data[i + 11], data[i + 12], a, b, c)
            if bits[i + 22] >= 0:
                a, b, c = to_body(frame(q, bits[i + 5]), x, y, z)
                add_stiffness(out, bits[i + 22], -force, data[i + 13], data[i + 14], data[i + 15], a, b, c)
        i += WIDTH


def gap(t, q, data, out):
    """All gaps."""
    bits = data.view(np.int64)
    if bits[2 * PLANE + 1]:
        plane_gaps(q, data, out)
    if bits[2 * BALLS + 1]:
        ball_gaps(q, data, out)
    if bits[2 * LINE + 1]:
        line_gaps(q, data, out)
    if bits[2 * DISCS + 1]:
        disc_gaps(q, data, out)


def N(t, q, data, out):
    """Their gradient."""
    bits = data.view(np.int64)
    if bits[2 * PLANE + 1]:
        plane_gradient(q, data, out)
    if bits[2 * BALLS + 1]:
        ball_gradient(q, data, out)
    if bits[2 * LINE + 1]:
        line_gradient(q, data, out)
    if bits[2 * DISCS + 1]:
        disc_gradient(q, data, out)


def gap_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    bits = data.view(np.int64)
    if bits[2 * PLANE + 1]:
        plane_bias(q, v, data, out)
    if bits[2 * BALLS + 1]:
        ball_bias(q, v, data, out)
    if bits[2 * LINE + 1]:
        line_bias(q, v, data, out)
    if bits[2 * DISCS + 1]:
        disc_bias(q, v, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Of contact forces."""
    bits = data.view(np.int64)
    if bits[2 * PLANE + 1]:
        plane_stiffness(q, mu, data, out)
    if bits[2 * BALLS + 1]:
        ball_stiffness(q, mu, data, out)
    if bits[2 * LINE + 1]:
        line_stiffness(q, mu, data, out)
    if bits[2 * DISCS + 1]:
        disc_stiffness(q, mu, data, out)


FAMILY = {"gap": gap, "N": N, "gap_bias": gap_bias, "stiffness": stiffness}
