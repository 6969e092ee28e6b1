"""Quaternions of what is given as angles, matrices or axes."""

from __future__ import annotations

import numpy as np

from genalpha.view.tracks import Array


def steady(rows: Array) -> Array:
    """Of q and −q, the same rotation, the one that is nearer to the row before."""
    sign = np.sign(np.einsum("ij,ij->i", rows[1:], rows[:-1]))
    factor = np.concatenate([[1.0], np.cumprod(np.where(sign == 0.0, 1.0, sign))])
    return rows * factor[:, None]


def from_matrices(R: Array) -> Array:
    """Quaternions (n, 4), not normalised, of rotation matrices (n, 3, 3).

    Each of the four columns of 4 x xᵀ is a multiple of x; the one with the largest diagonal is taken (Shepperd 1978).
    """
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(R, 0, -1)
    outer = np.array([
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ])  # fmt: skip
    best = np.argmax(np.einsum("iin->in", outer), axis=0)
    return outer[best, :, np.arange(len(R))]
