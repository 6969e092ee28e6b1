"""Rigid motions as unit dual quaternions p + ε d, the Euler motion parameters of the Dymore manual, sec. 5.

p is the rotation and d = ½ x ∘ p holds the position x. Increments are left-trivialised, (u, θ) as seen from the body;
every formula is that of `so3` with the dual vector θ + ε u in the place of θ. Eight numbers are stored, p and then d.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.compiled.jit import leaf, plain
from genalpha.math.so3 import CAYLEY, EXPONENTIAL, half_angle, inverse_slope, product, rotation


@leaf
def half_angle_slopes(square):
    """Derivatives of (cos ½θ, sin(½θ)/θ) with respect to θ²."""
    cosine, sine = half_angle(square)
    if square < 0.25:
        # d(sin ½θ/θ)/dθ² from its series
        u = 0.25 * square
        slope = -1 / 48 + u * (1 / 480 - u * (1 / 13440 - u * (1 / 725760 - u * (1 / 63866880))))
    else:
        slope = 0.5 * (0.5 * cosine - sine) / square
    return -0.25 * sine, slope


@leaf
def motion_increment(kind, u, v, w, x, y, z):
    """The dual quaternion of a motion (u, θ), by the exponential or the Cayley map."""
    square, dot = x * x + y * y + z * z, x * u + y * v + z * w
    if kind == CAYLEY:
        c = 1.0 / math.sqrt(1.0 + 0.25 * square)
        slope = -0.25 * dot * c * c * c
        s, s_slope = 0.5 * c, 0.5 * slope
    else:
        c, s = half_angle(square)
        slope, s_slope = half_angle_slopes(square)
        slope, s_slope = 2.0 * dot * slope, 2.0 * dot * s_slope
    return (
        c, s * x, s * y, s * z,
        slope, s_slope * x + s * u, s_slope * y + s * v, s_slope * z + s * w,
    )  # fmt: skip


@leaf
def carry(kind, p, i, delta, out, j):
    """out[j:j+8] = p[i:i+8] ∘ exp(Δ), Δ = (u, θ), brought back to |p| = 1, p·d = 0 by one Newton correction."""
    u, v, w, x, y, z = delta
    e, f, g, h, k, m, n, o = motion_increment(kind, u, v, w, x, y, z)
    a, b, c, d = product(p[i], p[i + 1], p[i + 2], p[i + 3], e, f, g, h)
    q, r, s, t = product(p[i], p[i + 1], p[i + 2], p[i + 3], k, m, n, o)
    q1, r1, s1, t1 = product(p[i + 4], p[i + 5], p[i + 6], p[i + 7], e, f, g, h)
    q, r, s, t = q + q1, r + r1, s + s1, t + t1
    scale = 1.5 - 0.5 * (a * a + b * b + c * c + d * d)
    a, b, c, d = scale * a, scale * b, scale * c, scale * d
    slip = a * q + b * r + c * s + d * t
    out[j], out[j + 1], out[j + 2], out[j + 3] = a, b, c, d
    out[j + 4] = scale * (q - slip * a)
    out[j + 5] = scale * (r - slip * b)
    out[j + 6] = scale * (s - slip * c)
    out[j + 7] = scale * (t - slip * d)


@leaf
def position(p, i):
    """x = 2 d ∘ p̄ of the dual quaternion p[i:i+8]."""
    _, x, y, z = product(p[i + 4], p[i + 5], p[i + 6], p[i + 7], p[i], -p[i + 1], -p[i + 2], -p[i + 3])
    return 2.0 * x, 2.0 * y, 2.0 * z


@leaf
def untwist_motion(kind, delta, motion):
    """T(Δ)⁻¹ applied to a motion, Δ = (u, θ): six numbers each."""
    u, v, w, a, b, c = delta
    o, p, q, x, y, z = motion
    # θ^ × x^ and θ^ × (θ^ × x^) of dual vectors
    r, s, t = b * z - c * y, c * x - a * z, a * y - b * x
    r1 = v * z - w * y + b * q - c * p
    s1 = w * x - u * z + c * o - a * q
    t1 = u * y - v * x + a * p - b * o
    if kind == CAYLEY:
        dot = 0.25 * (a * x + b * y + c * z)
        dot1 = 0.25 * (a * o + b * p + c * q + u * x + v * y + w * z)
        return (
            o + 0.5 * r1 + dot1 * a + dot * u, p + 0.5 * s1 + dot1 * b + dot * v, q + 0.5 * t1 + dot1 * c + dot * w,
            x + 0.5 * r + dot * a, y + 0.5 * s + dot * b, z + 0.5 * t + dot * c,
        )  # fmt: skip
    k, slope = inverse_slope(a * a + b * b + c * c)
    k1 = 2.0 * slope * (a * u + b * v + c * w)
    e, f, g = b * t - c * s, c * r - a * t, a * s - b * r
    e1 = v * t - w * s + b * t1 - c * s1
    f1 = w * r - u * t + c * r1 - a * t1
    g1 = u * s - v * r + a * s1 - b * r1
    return (
        o + 0.5 * r1 + k1 * e + k * e1, p + 0.5 * s1 + k1 * f + k * f1, q + 0.5 * t1 + k1 * g + k * g1,
        x + 0.5 * r + k * e, y + 0.5 * s + k * f, z + 0.5 * t + k * g,
    )  # fmt: skip


# the same for people: arrays in, arrays out


def pack(x, p):
    """The dual quaternion (..., 8) of positions (..., 3) and unit quaternions (..., 4)."""
    x, p = np.asarray(x, dtype=float), np.asarray(p, dtype=float)
    w, i, j, k = np.moveaxis(p, -1, 0)
    d = plain(product)(0.0, x[..., 0], x[..., 1], x[..., 2], w, i, j, k)
    return np.concatenate([p, 0.5 * np.stack(d, axis=-1)], axis=-1)


def unpack(pd: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions (..., 3) and unit quaternions (..., 4) of dual quaternions (..., 8)."""
    pd = np.asarray(pd)
    w, i, j, k, *d = np.moveaxis(pd, -1, 0)
    x = 2.0 * np.stack(plain(product)(*d, w, -i, -j, -k)[1:], axis=-1)
    return x, pd[..., :4]


def exp(delta, kind: int = EXPONENTIAL):
    """Dual quaternion (8,) of a motion (u, θ) (6,)."""
    return np.array(motion_increment(kind, *(float(x) for x in delta)))


def log(pd):
    """The motion (u, θ) (6,) of a unit dual quaternion, of the shorter way round."""
    from genalpha.math import so3

    x, p = unpack(pd)
    theta = so3.log(p)
    R = np.array(plain(rotation)(*p)).reshape(3, 3)
    # exp(u, θ) has the position T(θ)ᵀ u = R T(θ) u
    return np.concatenate([so3.tangent_inverse(theta) @ R.T @ x, theta])


def tangent_inverse(delta, kind: int = EXPONENTIAL):
    """T(u, θ)⁻¹ (6, 6)."""
    delta = tuple(float(x) for x in delta)
    return np.array([untwist_motion(kind, delta, tuple(column)) for column in np.eye(6)]).T


def tangent(delta, kind: int = EXPONENTIAL):
    """T(u, θ) (6, 6)."""
    return np.linalg.inv(tangent_inverse(delta, kind))
