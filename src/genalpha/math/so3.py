"""Rotations: unit quaternions (w, x, y, z), the exponential and the Cayley map, and their tangent operators.

The leaves take and give numbers, so that compiled code keeps them in registers. A rotation R(p) turns components in the
body into components in space, and increments are left-trivialised: p ∘ exp(θ) first turns by θ, seen from the body.

For a map R(θ), the tangent operator T is defined by  Rᵀ δR = (T(θ) δθ)~. The maps are

    exponential   p = (cos |θ|/2, sin(|θ|/2) θ/|θ|)            T⁻¹ = 1 + ½ θ~ + c(θ²) θ~²
    Cayley        p = (1, ½ θ)/√(1 + θ²/4),  Dymore (29)       T⁻¹ = 1 + ½ θ~ + ¼ θ θᵀ
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.compiled.jit import leaf, plain

EXPONENTIAL, CAYLEY = 0, 1

NEAR = 0.25
"""Below this θ² the functions of the angle are taken from their series, which are exact to round-off there."""


@leaf
def half_angle(square):
    """(cos ½θ, sin(½θ)/θ) as functions of θ²."""
    if square < NEAR:
        u = 0.25 * square
        # (−u)ᵏ/(2k)! and (−u)ᵏ/(2k + 1)!
        cosine = 1.0 - u * (0.5 - u * (1 / 24 - u * (1 / 720 - u * (1 / 40320 - u * (1 / 3628800)))))
        sine = 0.5 - u * (1 / 12 - u * (1 / 240 - u * (1 / 10080 - u * (1 / 725760 - u * (1 / 79833600)))))
        return cosine, sine
    angle = math.sqrt(square)
    return math.cos(0.5 * angle), math.sin(0.5 * angle) / angle


@leaf
def inverse_slope(square):
    """c(θ²) = (1 − ½θ cot ½θ)/θ² of T⁻¹, and its derivative with respect to θ²."""
    if square < NEAR:
        # |B_2k| θ^(2k−2)/(2k)!, k = 1, 2, ...
        x = square
        value = 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x * (1.0 / 1209600.0 + x * (
            1.0 / 47900160.0 + x * (5.284190138687493e-10 + x * (1.3382536530684679e-11 + x * 3.3896802963225827e-13))
        ))))  # fmt: skip
        slope = 1.0 / 720.0 + x * (2.0 / 30240.0 + x * (3.0 / 1209600.0 + x * (4.0 / 47900160.0 + x * (
            5.0 * 5.284190138687493e-10 + x * (6.0 * 1.3382536530684679e-11 + x * 7.0 * 3.3896802963225827e-13)
        ))))  # fmt: skip
        return value, slope
    half = 0.5 * math.sqrt(square)
    cotangent = half / math.tan(half)
    value = (1.0 - cotangent) / square
    # d(½θ cot ½θ)/dθ² = (½θ cot ½θ − (½θ)²(1 + cot²))/(2θ²)
    slope = -(0.5 * (cotangent - half * half - cotangent * cotangent) / square + value) / square
    return value, slope


@leaf
def rotation(a, b, c, d):
    """The rotation matrix of a unit quaternion, row by row."""
    return (
        1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c),
        2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b),
        2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c),
    )  # fmt: skip


@leaf
def product(a, b, c, d, e, f, g, h):
    """(a, b, c, d) ∘ (e, f, g, h) of quaternions."""
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


@leaf
def increment(kind, x, y, z):
    """The quaternion of a rotation vector, by the exponential or the Cayley map."""
    square = x * x + y * y + z * z
    if kind == CAYLEY:
        w = 1.0 / math.sqrt(1.0 + 0.25 * square)
        return w, 0.5 * w * x, 0.5 * w * y, 0.5 * w * z
    w, s = half_angle(square)
    return w, s * x, s * y, s * z


@leaf
def turn(kind, p, i, x, y, z, out, j):
    """out[j:j+4] = p[i:i+4] ∘ exp(x, y, z), normalised by one Newton correction."""
    e, f, g, h = increment(kind, x, y, z)
    a, b, c, d = product(p[i], p[i + 1], p[i + 2], p[i + 3], e, f, g, h)
    scale = 1.5 - 0.5 * (a * a + b * b + c * c + d * d)
    out[j] = scale * a
    out[j + 1] = scale * b
    out[j + 2] = scale * c
    out[j + 3] = scale * d


@leaf
def untwist(kind, a, b, c, x, y, z):
    """T(θ)⁻¹ applied to (x, y, z), θ = (a, b, c)."""
    u, v, w = b * z - c * y, c * x - a * z, a * y - b * x
    if kind == CAYLEY:
        dot = 0.25 * (a * x + b * y + c * z)
        return x + 0.5 * u + dot * a, y + 0.5 * v + dot * b, z + 0.5 * w + dot * c
    square = a * a + b * b + c * c
    k = 1 / 12 + square * (1 / 720)  # what follows is below round-off for such small steps
    if square > 1e-5:
        k, _ = inverse_slope(square)
    return (
        x + 0.5 * u + k * (b * w - c * v),
        y + 0.5 * v + k * (c * u - a * w),
        z + 0.5 * w + k * (a * v - b * u),
    )


# the same for people: arrays in, arrays out


def exp(theta: Sequence[float] | NDArray[np.float64], kind: int = EXPONENTIAL) -> NDArray[np.float64]:
    """Unit quaternion (4,) of a rotation vector (3,)."""
    return np.array(increment(kind, *(float(x) for x in theta)))


def log(p: ArrayLike) -> NDArray[np.float64]:
    """Rotation vector (3,) of a unit quaternion, of the shorter way round: |θ| ≤ π."""
    p = np.asarray(p, dtype=float)
    w, vector = (p[0], p[1:]) if p[0] >= 0.0 else (-p[0], -p[1:])
    sine = float(np.linalg.norm(vector))
    return vector * (2.0 / w if sine < 1e-12 else 2.0 * math.atan2(sine, w) / sine)


def matrix(p: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    p = np.asarray(p)
    parts = np.ascontiguousarray(np.moveaxis(p, -1, 0))  # each is read many times
    return np.stack(plain(rotation)(*parts), axis=-1).reshape(*p.shape[:-1], 3, 3)


def quaternion(R: ArrayLike) -> NDArray[np.float64]:
    """Unit quaternion (4,) of a rotation matrix, w ≥ 0."""
    R = np.asarray(R, dtype=float)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    # four times the outer product of the quaternion with itself; its largest column is the safest
    K = np.array([
        [1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], 1.0 + 2.0 * R[0, 0] - trace, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1.0 + 2.0 * R[1, 1] - trace, R[1, 2] + R[2, 1]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1.0 + 2.0 * R[2, 2] - trace],
    ])  # fmt: skip
    p = K[:, np.argmax(np.diag(K))]
    p = p / np.linalg.norm(p)
    return p if p[0] >= 0.0 else -p


def multiply(p: ArrayLike, r: ArrayLike) -> NDArray[np.float64]:
    """p ∘ r of quaternions (..., 4)."""
    p, r = np.moveaxis(np.asarray(p), -1, 0), np.moveaxis(np.asarray(r), -1, 0)
    return np.stack(plain(product)(*p, *r), axis=-1)


def tangent(theta: Sequence[float] | NDArray[np.float64], kind: int = EXPONENTIAL) -> NDArray[np.float64]:
    """T(θ) (3, 3)."""
    return np.linalg.inv(tangent_inverse(theta, kind))


def tangent_inverse(theta: Sequence[float] | NDArray[np.float64], kind: int = EXPONENTIAL) -> NDArray[np.float64]:
    """T(θ)⁻¹ (3, 3)."""
    theta = [float(x) for x in theta]
    return np.array([untwist(kind, *theta, *column) for column in np.eye(3)]).T
