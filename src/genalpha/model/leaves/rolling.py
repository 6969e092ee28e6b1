"""The family of rolling and of skates: rows of g for heights, rows of k for velocities at points of contact.

A row of k is n · (V_b(p) − V_a(p)) at the point of contact p, which moves over both bodies.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import EDGE, ROLL
from genalpha.model.leaves.joints import to_body, to_space, turned_by
from genalpha.model.leaves.screws import (
    clear_end,
    crossed,
    dot,
    plus,
    point_rate,
    pose,
    put_screw,
    screw_bias,
    screw_rate,
    times,
    twist,
)


@leaf
def shaped(data, i, m):
    """S m of the ROLL at i."""
    p = i + ROLL.shape
    xx, yy, zz, xy, xz, yz = data[p], data[p + 1], data[p + 2], data[p + 3], data[p + 4], data[p + 5]
    return (
        xx * m[0] + xy * m[1] + xz * m[2],
        xy * m[0] + yy * m[1] + yz * m[2],
        xz * m[0] + yz * m[1] + zz * m[2],
    )


@leaf
def touch(data, i, R, S, Y):
    """Normal, centre, height of the centre above the lowest point, and this point, of the ROLL at i."""
    n = turned_by(R, data, i + ROLL.normal)
    m = to_body(S, n[0], n[1], n[2])
    lowest = shaped(data, i, m)
    height = np.sqrt(dot(m, lowest))
    lowest = times(lowest, 1.0 / height)
    centre = plus(Y, turned_by(S, data, i + ROLL.lever_b), 1.0)
    return n, centre, height, plus(centre, to_space(S, lowest[0], lowest[1], lowest[2]), -1.0)


@leaf
def touch_rate(data, i, R, S, Y, one, two):
    """The velocity of the point of contact of the ROLL at i, as it moves over both bodies."""
    n, centre, height, _ = touch(data, i, R, S, Y)
    m = to_body(S, n[0], n[1], n[2])
    turning = plus(crossed(one[1], n), crossed(two[1], n), -1.0)
    m1 = to_body(S, turning[0], turning[1], turning[2])
    lowest, change = shaped(data, i, m), shaped(data, i, m1)
    change = plus(times(change, 1.0 / height), lowest, -dot(lowest, m1) / (height * height * height))
    lowest = times(lowest, 1.0 / height)
    lowest = to_space(S, lowest[0], lowest[1], lowest[2])
    change = to_space(S, change[0], change[1], change[2])
    return plus(plus(point_rate(two, Y, centre), crossed(two[1], lowest), -1.0), change, -1.0)


@leaf
def roll_rows(q, data, out):
    """g of ROLL: the height of the lowest point above the plane."""
    bits = data.view(np.int64)
    i = bits[ROLL.begin]
    for _ in range(bits[ROLL.count]):
        R, X = pose(q, data, i + ROLL.a)
        S, Y = pose(q, data, i + ROLL.b)
        n, centre, height, _ = touch(data, i, R, S, Y)
        start = plus(X, turned_by(R, data, i + ROLL.lever_a), 1.0)
        out[bits[i + ROLL.row]] = dot(n, plus(centre, start, -1.0)) - height
        i += ROLL.width


@leaf
def put_pair(data, a, b, one, two, p, n, out, places):
    """The gradient of a row n · (V_b(p) − V_a(p)); ``one`` and ``two`` are the poses of the bodies."""
    (R, X), (S, Y), (place_a, place_b), none = one, two, places, times(n, 0.0)
    clear_end(data, a, out, place_a)
    clear_end(data, b, out, place_b)
    put_screw(data, a, R, X, p, n, none, -1.0, out, place_a)
    put_screw(data, b, S, Y, p, n, none, 1.0, out, place_b)


@leaf
def roll_gradient(q, data, out):
    """G of ROLL."""
    bits = data.view(np.int64)
    i = bits[ROLL.begin]
    for _ in range(bits[ROLL.count]):
        R, X = pose(q, data, i + ROLL.a)
        S, Y = pose(q, data, i + ROLL.b)
        n, _, _, p = touch(data, i, R, S, Y)
        put_pair(data, i + ROLL.a, i + ROLL.b, (R, X), (S, Y), p, n, out, (bits[i + ROLL.G_a], bits[i + ROLL.G_b]))
        i += ROLL.width


@leaf
def roll_bias(q, v, data, out):
    """Ġ v of ROLL."""
    bits = data.view(np.int64)
    i = bits[ROLL.begin]
    for _ in range(bits[ROLL.count]):
        R, X = pose(q, data, i + ROLL.a)
        S, Y = pose(q, data, i + ROLL.b)
        one, two = twist(v, data, i + ROLL.a, R), twist(v, data, i + ROLL.b, S)
        n, _, _, p = touch(data, i, R, S, Y)
        p1 = touch_rate(data, i, R, S, Y, one, two)
        out[bits[i + ROLL.row]] = screw_bias(one, two, X, Y, p, n, p1, crossed(one[1], n), times(n, 0.0))
        i += ROLL.width


@leaf
def slip(q, v, data, bias, out):
    """k of ROLL, or k̇ where v̇ = 0: the velocity at the point of contact, along the tangents."""
    bits = data.view(np.int64)
    i = bits[ROLL.begin]
    for _ in range(bits[ROLL.count]):
        R, X = pose(q, data, i + ROLL.a)
        S, Y = pose(q, data, i + ROLL.b)
        one, two = twist(v, data, i + ROLL.a, R), twist(v, data, i + ROLL.b, S)
        _, _, _, p = touch(data, i, R, S, Y)
        p1 = touch_rate(data, i, R, S, Y, one, two)
        for j in range(bits[i + ROLL.rows_k]):
            n = turned_by(R, data, i + ROLL.tangents + 3 * j)
            none = times(n, 0.0)
            if bias:
                out[bits[i + ROLL.row_k] + j] = screw_bias(one, two, X, Y, p, n, p1, crossed(one[1], n), none)
            else:
                out[bits[i + ROLL.row_k] + j] = screw_rate(one, two, X, Y, p, n, none)
        i += ROLL.width


@leaf
def slip_gradient(q, data, out):
    """K of ROLL."""
    bits = data.view(np.int64)
    i = bits[ROLL.begin]
    for _ in range(bits[ROLL.count]):
        R, X = pose(q, data, i + ROLL.a)
        S, Y = pose(q, data, i + ROLL.b)
        _, _, _, p = touch(data, i, R, S, Y)
        for j in range(bits[i + ROLL.rows_k]):
            n, k = turned_by(R, data, i + ROLL.tangents + 3 * j), i + 2 * j
            places = bits[k + ROLL.K], bits[k + ROLL.K + 1]
            put_pair(data, i + ROLL.a, i + ROLL.b, (R, X), (S, Y), p, n, out, places)
        i += ROLL.width


@leaf
def edge(q, v, data, bias, out):
    """k of EDGE, or k̇ where v̇ = 0: the velocity across the blade."""
    bits = data.view(np.int64)
    i = bits[EDGE.begin]
    for _ in range(bits[EDGE.count]):
        R, X = pose(q, data, i + EDGE.a)
        S, Y = pose(q, data, i + EDGE.b)
        one, two = twist(v, data, i + EDGE.a, R), twist(v, data, i + EDGE.b, S)
        p, n = plus(Y, turned_by(S, data, i + EDGE.lever), 1.0), turned_by(S, data, i + EDGE.axis)
        none = times(n, 0.0)
        if bias:
            p1 = point_rate(two, Y, p)
            out[bits[i + EDGE.row]] = screw_bias(one, two, X, Y, p, n, p1, crossed(two[1], n), none)
        else:
            out[bits[i + EDGE.row]] = screw_rate(one, two, X, Y, p, n, none)
        i += EDGE.width


@leaf
def edge_gradient(q, data, out):
    """K of EDGE."""
    bits = data.view(np.int64)
    i = bits[EDGE.begin]
    for _ in range(bits[EDGE.count]):
        R, X = pose(q, data, i + EDGE.a)
        S, Y = pose(q, data, i + EDGE.b)
        p, n = plus(Y, turned_by(S, data, i + EDGE.lever), 1.0), turned_by(S, data, i + EDGE.axis)
        a, b = i + EDGE.a, i + EDGE.b
        put_pair(data, a, b, (R, X), (S, Y), p, n, out, (bits[i + EDGE.K_a], bits[i + EDGE.K_b]))
        i += EDGE.width


def g(t, q, data, out):
    """Heights."""
    roll_rows(q, data, out)


def G(t, q, data, out):
    """Their gradient."""
    roll_gradient(q, data, out)


def g_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    roll_bias(q, v, data, out)


def k(t, q, v, data, out):
    """Velocities at points of contact, and across blades."""
    slip(q, v, data, False, out)
    edge(q, v, data, False, out)


def K(t, q, v, data, out):
    """Their gradient."""
    slip_gradient(q, data, out)
    edge_gradient(q, data, out)


def k_bias(t, q, v, data, out):
    """What is quadratic in velocities of their derivative."""
    slip(q, v, data, True, out)
    edge(q, v, data, True, out)


FAMILY = {"g": g, "G": G, "g_bias": g_bias, "k": k, "K": K, "k_bias": k_bias}
