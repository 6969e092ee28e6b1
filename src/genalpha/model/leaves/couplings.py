"""The family of rows that are sums of joint coordinates: lengths, couplings, prescribed motions.

    Σ factor · coordinate = c

The terms of a row are TERM, its value c is LEVEL.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import COORDINATE, LEVEL, TERM
from genalpha.model.leaves.coordinates import coordinate, coordinate_rates
from genalpha.model.leaves.screws import clear_end, pose, put_screw, screw_bias, twist


@leaf
def term_rows(q, data, out):
    """g of TERM."""
    bits = data.view(np.int64)
    i = bits[LEVEL.begin]
    for _ in range(bits[LEVEL.count]):
        out[bits[i + LEVEL.row]] = -data[i + LEVEL.value]
        i += LEVEL.width
    i = bits[TERM.begin]
    for _ in range(bits[TERM.count]):
        k = i + TERM.coordinate
        R, X = pose(q, data, k + COORDINATE.a)
        S, Y = pose(q, data, k + COORDINATE.b)
        value, _, _, _ = coordinate(q, data, k, R, X, S, Y)
        out[bits[i + TERM.row]] += data[i + TERM.factor] * value
        i += TERM.width


@leaf
def term_gradient(q, data, out):
    """G of TERM: the screws of the coordinates. Terms of a row may share a body."""
    bits = data.view(np.int64)
    i = bits[TERM.begin]
    for _ in range(bits[TERM.count]):
        k = i + TERM.coordinate
        clear_end(data, k + COORDINATE.a, out, bits[i + TERM.G_a])
        clear_end(data, k + COORDINATE.b, out, bits[i + TERM.G_b])
        i += TERM.width
    i = bits[TERM.begin]
    for _ in range(bits[TERM.count]):
        k, factor = i + TERM.coordinate, data[i + TERM.factor]
        a, b = k + COORDINATE.a, k + COORDINATE.b
        R, X = pose(q, data, a)
        S, Y = pose(q, data, b)
        _, p, n, d = coordinate(q, data, k, R, X, S, Y)
        put_screw(data, a, R, X, p, n, d, -factor, out, bits[i + TERM.G_a])
        put_screw(data, b, S, Y, p, n, d, factor, out, bits[i + TERM.G_b])
        i += TERM.width


@leaf
def term_bias(q, v, data, out):
    """Ġ v of TERM."""
    bits = data.view(np.int64)
    i = bits[LEVEL.begin]
    for _ in range(bits[LEVEL.count]):
        out[bits[i + LEVEL.row]] = 0.0
        i += LEVEL.width
    i = bits[TERM.begin]
    for _ in range(bits[TERM.count]):
        k = i + TERM.coordinate
        a, b = k + COORDINATE.a, k + COORDINATE.b
        R, X = pose(q, data, a)
        S, Y = pose(q, data, b)
        one, two = twist(v, data, a, R), twist(v, data, b, S)
        _, p, n, _ = coordinate(q, data, k, R, X, S, Y)
        p1, n1, d1 = coordinate_rates(data, k, R, X, S, Y, one, two)
        out[bits[i + TERM.row]] += data[i + TERM.factor] * screw_bias(one, two, X, Y, p, n, p1, n1, d1)
        i += TERM.width


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
