"""Strains and stresses of the spatial beam; see `beams`."""

from __future__ import annotations

import math

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.so3 import inverse_slope, product
from genalpha.model.columns import BEAM
from genalpha.model.leaves.joints import frame, origin, three, to_body, to_space
from genalpha.model.leaves.stretches import place


@leaf
def ends(data, i, j):
    """xa, ra, va, xb, rb, vb of element j in the stretch at i."""
    bits = data.view(np.int64)
    return (
        place(bits, i + BEAM.x_a, BEAM.step, j), place(bits, i + BEAM.r_a, BEAM.step, j),
        place(bits, i + BEAM.v_a, BEAM.step, j), place(bits, i + BEAM.x_b, BEAM.step, j),
        place(bits, i + BEAM.r_b, BEAM.step, j), place(bits, i + BEAM.v_b, BEAM.step, j),
    )  # fmt: skip


@leaf
def arc(square):
    """atan(t)/t as a function of t²."""
    if square < 0.01:
        x = square
        return 1.0 - x * (1 / 3 - x * (1 / 5 - x * (1 / 7 - x * (1 / 9 - x * (1 / 11 - x * (1 / 13 - x / 15))))))
    t = math.sqrt(square)
    return math.atan(t) / t


OVERTURNED = math.cos(math.radians(80.0))
"""Half of the angle by which an element may turn from node to node. At twice 90° the frame half way and all strains
jump: a run that came to the other side would go on with energy from nowhere. There is room for iterates before."""


@leaf
def middle(q, ra, rb):
    """The frame half way between two rotations (nine numbers), and r (three); nan if they are too far apart."""
    a, b, c, d = q[ra], q[ra + 1], q[ra + 2], q[ra + 3]
    e, f, g, h = q[rb], q[rb + 1], q[rb + 2], q[rb + 3]
    w, x, y, z = product(a, -b, -c, -d, e, f, g, h)
    if w < 0.0:  # the same rotation; the shorter way round
        w, x, y, z, e, f, g, h = -w, -x, -y, -z, -e, -f, -g, -h
    over = 1.0 / (1.0 + w) if w >= OVERTURNED else math.nan
    a, b, c, d = a + e, b + f, c + g, d + h  # its square is 2 (1 + w)
    R = (
        1.0 - over * (c * c + d * d), over * (b * c - a * d), over * (b * d + a * c),
        over * (b * c + a * d), 1.0 - over * (b * b + d * d), over * (c * d - a * b),
        over * (b * d - a * c), over * (c * d + a * b), 1.0 - over * (b * b + c * c),
    )  # fmt: skip
    return R, over * x, over * y, over * z


@leaf
def strain(q, data, i, xa, ra, xb, rb):
    """Of an element in the stretch at i: its frame R, r, θ, g = Rᵀ(x_b − x_a)/L."""
    R, x, y, z = middle(q, ra, rb)
    four = 4.0 * arc(x * x + y * y + z * z)
    a, b, c = origin(q, xb, rb)
    d, e, f = origin(q, xa, ra)
    over = data[i + BEAM.over]
    g, h, k = to_body(R, over * (a - d), over * (b - e), over * (c - f))
    return R, (x, y, z), (four * x, four * y, four * z), (g, h, k)


@leaf
def untwisted(k, a, b, c, x, y, z):
    """M + k θ × (θ × M), and ½ θ × M, of θ = (a, b, c) and M = (x, y, z)."""
    u, v, w = b * z - c * y, c * x - a * z, a * y - b * x
    return (
        x + k * (b * w - c * v), y + k * (c * u - a * w), z + k * (a * v - b * u),
        0.5 * u, 0.5 * v, 0.5 * w,
    )  # fmt: skip


@leaf
def rates(q, v, data, i, j, R, r, theta, strains):
    """Γ̇ and κ̇ of the element; the last four as `strain` gives them."""
    (x, y, z), (a, b, c), (g, h, k) = r, theta, strains
    xa, ra, va, xb, rb, vb = ends(data, i, j)
    o, p, s = v[va], v[va + 1], v[va + 2]
    if xa < 0:
        o, p, s = to_space(frame(q, ra), o, p, s)
    t, u, w = v[vb], v[vb + 1], v[vb + 2]
    if xb < 0:
        t, u, w = to_space(frame(q, rb), t, u, w)
    over = data[i + BEAM.over]
    o, p, s = to_body(R, over * (t - o), over * (u - p), over * (w - s))
    d, e, f = v[va + 3], v[va + 4], v[va + 5]
    t, u, w = v[vb + 3], v[vb + 4], v[vb + 5]
    # ω of the frame: the mean, and ½ r × the difference
    dx, dy, dz = t - d, u - e, w - f
    mx = 0.5 * (t + d + y * dz - z * dy)
    my = 0.5 * (u + e + z * dx - x * dz)
    mz = 0.5 * (w + f + x * dy - y * dx)
    slope, _ = inverse_slope(a * a + b * b + c * c)
    # θ̇ = difference + ½ θ × sum + c θ × (θ × difference)
    tx, ty, tz, _, _, _ = untwisted(slope, a, b, c, dx, dy, dz)
    sx, sy, sz = 0.5 * (t + d), 0.5 * (u + e), 0.5 * (w + f)
    return (
        o + h * mz - k * my, p + k * mx - g * mz, s + g * my - h * mx,
        over * (tx + b * sz - c * sy), over * (ty + c * sx - a * sz), over * (tz + a * sy - b * sx),
    )  # fmt: skip


@leaf
def stresses(q, v, data, i, j, R, r, theta, strains):
    """Force N and moment M of the section, in the frame of the element."""
    (a, b, c), (g, h, k) = theta, strains
    over = data[i + BEAM.over]
    (d, e, f), (o, p, s) = three(data, i + BEAM.gamma), three(data, i + BEAM.kappa)
    d, e, f = g - d, h - e, k - f
    o, p, s = over * a - o, over * b - p, over * c - s
    tau = data[i + BEAM.tau]
    if tau > 0.0:
        u = rates(q, v, data, i, j, R, r, theta, strains)
        d, e, f = d + tau * u[0], e + tau * u[1], f + tau * u[2]
        o, p, s = o + tau * u[3], p + tau * u[4], s + tau * u[5]
    (c1, c2, c3), (d1, d2, d3) = three(data, i + BEAM.C_N), three(data, i + BEAM.C_M)
    return (c1 * d, c2 * e, c3 * f), (d1 * o, d2 * p, d3 * s)
