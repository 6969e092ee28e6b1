"""The family of rows that are sums of joint coordinates: lengths, couplings, prescribed motions.

    Σ factor · coordinate = c

TERM: row, factor, G of a, G of b, coordinate; LEVEL: row, c.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.coordinates import SIZE, A, B, coordinate, coordinate_rates
from genalpha.model.layout import LEVEL, TERM
from genalpha.model.screws import clear_end, pose, put_screw, screw_bias, twist

HEAD = 4


@leaf
def term_rows(q, data, out):
    """g of TERM."""
    bits = data.view(np.int64)
    i = bits[2 * LEVEL]
    for _ in range(bits[2 * LEVEL + 1]):
        out[bits[i]] = -data[i + 1]
        i += 2
    i = bits[2 * TERM]
    for _ in range(bits[2 * TERM + 1]):
        R, X = pose(q, data, i + HEAD + A)
        S, Y = pose(q, data, i + HEAD + B)
        value, _, _, _ = coordinate(q, data, i + HEAD, R, X, S, Y)
        out[bits[i]] += data[i + 1] * value
        i += HEAD + SIZE


@leaf
def term_gradient(q, data, out):
    """G of TERM: the screws of the coordinates. Terms of a row may share a body."""
    bits = data.view(np.int64)
    i = bits[2 * TERM]
    for _ in range(bits[2 * TERM + 1]):
        clear_end(data, i + HEAD + A, out, bits[i + 2])
        clear_end(data, i + HEAD + B, out, bits[i + 3])
        i += HEAD + SIZE
    i = bits[2 * TERM]
    for _ in range(bits[2 * TERM + 1]):
        a, b, factor = i + HEAD + A, i + HEAD + B, data[i + 1]
        R, X = pose(q, data, a)
        S, Y = pose(q, data, b)
        _, p, n, d = coordinate(q, data, i + HEAD, R, X, S, Y)
        put_screw(data, a, R, X, p, n, d, -factor, out, bits[i + 2])
        put_screw(data, b, S, Y, p, n, d, factor, out, bits[i + 3])
        i += HEAD + SIZE


@leaf
def term_bias(q, v, data, out):
    """Ġ v of TERM."""
    bits = data.view(np.int64)
    i = bits[2 * LEVEL]
    for _ in range(bits[2 * LEVEL + 1]):
        out[bits[i]] = 0.0
        i += 2
    i = bits[2 * TERM]
    for _ in range(bits[2 * TERM + 1]):
        a, b = i + HEAD + A, i + HEAD + B
        R, X = pose(q, data, a)
        S, Y = pose(q, data, b)
        one, two = twist(v, data, a, R), twist(v, data, b, S)
        _, p, n, _ = coordinate(q, data, i + HEAD, R, X, S, Y)
        p1, n1, d1 = coordinate_rates(data, i + HEAD, R, X, S, Y, one, two)
        out[bits[i]] += data[i + 1] * screw_bias(one, two, X, Y, p, n, p1, n1, d1)
        i += HEAD + SIZE


def g(t, q, data, out):
    """Sums of coordinates."""
    term_rows(q, data, out)


def G(t, q, data, out):
    """Their gradient."""
    term_gradient(q, data, out)


def g_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    term_bias(q, v, data, out)


FAMILY = {"g": g, "G": G, "g_bias": g_bias}
