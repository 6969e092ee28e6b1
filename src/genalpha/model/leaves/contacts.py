"""Leaves of contacts, and the family of evaluators that they are.

    PLANE   gap = d_a · (p_b − p_a) − c            the row SLIDE of `joints`
    BALLS   gap = ± (|p_b − p_a| − c)              + from outside, − from inside

and the same in the plane, LINE and DISCS, in `planar_contacts`. Here a is what is hit, b what hits it, which a
`Contact` names the other way round. Blocks of the
stiffness are those of what turns with a body; the curvature of spheres is left out, it steers only and is small where h
is.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import BALLS, DISCS, LINE, PLANE
from genalpha.model.leaves.joints import (
    add_slide_stiffness,
    arm,
    cross,
    frame,
    put_slide,
    slide_bend,
    slide_value,
    three,
    to_body,
    travel,
)
from genalpha.model.leaves.matrices import add_stiffness, put3
from genalpha.model.leaves.planar_contacts import (
    TINY,
    disc_bias,
    disc_gaps,
    disc_gradient,
    disc_stiffness,
    line_bias,
    line_gaps,
    line_gradient,
    line_stiffness,
)


@leaf
def plane_gaps(q, data, out):
    """Gaps of PLANE."""
    bits = data.view(np.int64)
    i = bits[PLANE.begin]
    for _ in range(bits[PLANE.count]):
        out[bits[i + PLANE.row]] = slide_value(q, data, i)
        i += PLANE.width


@leaf
def plane_gradient(q, data, out):
    """N of PLANE."""
    bits = data.view(np.int64)
    i = bits[PLANE.begin]
    for _ in range(bits[PLANE.count]):
        put_slide(q, data, i, out)
        i += PLANE.width


@leaf
def plane_bias(q, v, data, out):
    """Ṅ v of PLANE."""
    bits = data.view(np.int64)
    i = bits[PLANE.begin]
    for _ in range(bits[PLANE.count]):
        out[bits[i + PLANE.row]] = slide_bend(q, v, data, i)
        i += PLANE.width


@leaf
def plane_stiffness(q, mu, data, out):
    """The stiffness of PLANE."""
    bits = data.view(np.int64)
    i = bits[PLANE.begin]
    for _ in range(bits[PLANE.count]):
        add_slide_stiffness(q, mu[bits[i + PLANE.mu]], data, i, out)
        i += PLANE.width


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
    i = bits[BALLS.begin]
    for _ in range(bits[BALLS.count]):
        x, y, z = arm(q, data, i)
        out[bits[i + BALLS.row]] = data[i + BALLS.axis] * (np.sqrt(x * x + y * y + z * z) - data[i + BALLS.value])
        i += BALLS.width


@leaf
def put_push(q, x, r, T, k, s, a, b, c, out):
    """The gradient of n · p, p the point s of a body and n = (a, b, c): n (on SE(3) Rᵀ n) and s × Rᵀ n."""
    if T < 0:
        return
    d, e, f = to_body(frame(q, r), a, b, c)
    if x >= 0:
        put3(out, T, a, b, c)
    else:
        put3(out, T, d, e, f)
    if k >= 0:
        d, e, f = cross(s[0], s[1], s[2], d, e, f)
        put3(out, k, d, e, f)


@leaf
def ball_gradient(q, data, out):
    """N of BALLS: ∓n for a, ±n for b."""
    bits = data.view(np.int64)
    i = bits[BALLS.begin]
    for _ in range(bits[BALLS.count]):
        x, y, z = arm(q, data, i)
        _, x, y, z = along(x, y, z)
        sign = data[i + BALLS.axis]
        x, y, z = sign * x, sign * y, sign * z
        s_a, s_b = three(data, i + BALLS.lever_a), three(data, i + BALLS.lever_b)
        put_push(q, bits[i + BALLS.x_a], bits[i + BALLS.r_a], bits[i + BALLS.move_a], bits[i + BALLS.turn_a], s_a,
                 -x, -y, -z, out)  # fmt: skip
        put_push(q, bits[i + BALLS.x_b], bits[i + BALLS.r_b], bits[i + BALLS.move_b], bits[i + BALLS.turn_b], s_b,
                 x, y, z, out)  # fmt: skip
        i += BALLS.width


@leaf
def ball_bias(q, v, data, out):
    """Ṅ v of BALLS: ±(n · r̈ + (ṙ² − (n · ṙ)²)/|r|), of what is quadratic in velocities."""
    bits = data.view(np.int64)
    i = bits[BALLS.begin]
    for _ in range(bits[BALLS.count]):
        s_a, s_b = three(data, i + BALLS.lever_a), three(data, i + BALLS.lever_b)
        rate_a, bend_a = travel(q, v, bits[i + BALLS.x_a], bits[i + BALLS.r_a], bits[i + BALLS.v_a], s_a)
        rate_b, bend_b = travel(q, v, bits[i + BALLS.x_b], bits[i + BALLS.r_b], bits[i + BALLS.v_b], s_b)
        x, y, z = arm(q, data, i)
        length, x, y, z = along(x, y, z)
        a, b, c = rate_b[0] - rate_a[0], rate_b[1] - rate_a[1], rate_b[2] - rate_a[2]
        rate = x * a + y * b + z * c
        total = x * (bend_b[0] - bend_a[0]) + y * (bend_b[1] - bend_a[1]) + z * (bend_b[2] - bend_a[2])
        if abs(length) > TINY:
            total += (a * a + b * b + c * c - rate * rate) / length
        out[bits[i + BALLS.row]] = data[i + BALLS.axis] * total
        i += BALLS.width


@leaf
def ball_stiffness(q, mu, data, out):
    """±λ s_a~ (R_aᵀ n)~ and ∓λ s_b~ (R_bᵀ n)~ of BALLS."""
    bits = data.view(np.int64)
    i = bits[BALLS.begin]
    for _ in range(bits[BALLS.count]):
        if bits[i + BALLS.S_a] >= 0 or bits[i + BALLS.S_b] >= 0:
            force = mu[bits[i + BALLS.mu]] * data[i + BALLS.axis]
            x, y, z = arm(q, data, i)
            _, x, y, z = along(x, y, z)
            if bits[i + BALLS.S_a] >= 0:
                a, b, c = to_body(frame(q, bits[i + BALLS.r_a]), x, y, z)
                d, e, f = three(data, i + BALLS.lever_a)
                add_stiffness(out, bits[i + BALLS.S_a], force, d, e, f, a, b, c)
            if bits[i + BALLS.S_b] >= 0:
                a, b, c = to_body(frame(q, bits[i + BALLS.r_b]), x, y, z)
                d, e, f = three(data, i + BALLS.lever_b)
                add_stiffness(out, bits[i + BALLS.S_b], -force, d, e, f, a, b, c)
        i += BALLS.width


def gap(t, q, data, out):
    """All gaps."""
    bits = data.view(np.int64)
    if bits[PLANE.count]:
        plane_gaps(q, data, out)
    if bits[BALLS.count]:
        ball_gaps(q, data, out)
    if bits[LINE.count]:
        line_gaps(q, data, out)
    if bits[DISCS.count]:
        disc_gaps(q, data, out)


def N(t, q, data, out):
    """Their gradient."""
    bits = data.view(np.int64)
    if bits[PLANE.count]:
        plane_gradient(q, data, out)
    if bits[BALLS.count]:
        ball_gradient(q, data, out)
    if bits[LINE.count]:
        line_gradient(q, data, out)
    if bits[DISCS.count]:
        disc_gradient(q, data, out)


def gap_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    bits = data.view(np.int64)
    if bits[PLANE.count]:
        plane_bias(q, v, data, out)
    if bits[BALLS.count]:
        ball_bias(q, v, data, out)
    if bits[LINE.count]:
        line_bias(q, v, data, out)
    if bits[DISCS.count]:
        disc_bias(q, v, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Of contact forces."""
    bits = data.view(np.int64)
    if bits[PLANE.count]:
        plane_stiffness(q, mu, data, out)
    if bits[BALLS.count]:
        ball_stiffness(q, mu, data, out)
    if bits[LINE.count]:
        line_stiffness(q, mu, data, out)
    if bits[DISCS.count]:
        disc_stiffness(q, mu, data, out)


FAMILY = {"gap": gap, "N": N, "gap_bias": gap_bias, "stiffness": stiffness}
