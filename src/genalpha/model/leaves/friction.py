"""The family of friction: slip velocities at contacts and in joints.

    RUB     s = t · (V_b(p) − V_a(p)) − belt, for each tangent t;  R̄ n · (ω_b − ω_a) about the normal n
    BRAKE   s = the rate of a joint coordinate

and RUB in the plane, PLANAR_RUB, in `planar_friction`. p is the point of the surface of b that is next to a, and moves
over both bodies. All rows are `screws`: the forces on both bodies are opposite, and have one line of action.

Tangents turn smoothly with the configuration, because forces are averaged over a step by their components:

    FLAT    they are fixed in a, the body of the plane
    ROUND   t = τ − (τ · n)/(1 + m · n) (m + n): the least turn that takes the direction m into n takes τ into t; m is n
            at t0, so that n is far from −m, next to which tangents whirl: there is no smooth field on a sphere
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import BRAKE, COORDINATE, FLAT, PLANAR_RUB, RUB
from genalpha.model.leaves.coordinates import coordinate, coordinate_rates
from genalpha.model.leaves.joints import three, turned_by
from genalpha.model.leaves.planar_contacts import TINY
from genalpha.model.leaves.planar_friction import planar_rub_bias, planar_rub_gradient, planar_rub_rows
from genalpha.model.leaves.screws import (
    bent,
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
def gap_line(data, i, R, X, S, Y):
    """Centre of the surface of b, unit vector to it from that of a, and their distance; 0 if they are concentric."""
    centre = plus(Y, turned_by(S, data, i + RUB.lever_b), 1.0)
    r = plus(centre, plus(X, turned_by(R, data, i + RUB.lever_a), 1.0), -1.0)
    length = np.sqrt(dot(r, r))
    return centre, times(r, 1.0 / length if abs(length) > TINY else 0.0 * length), length


@leaf
def carried(x, m, n):
    """A vector x across m, turned as the least turn from m to n does."""
    return plus(x, plus(m, n, 1.0), -dot(x, n) / upright(m, n))


@leaf
def upright(m, n):
    """1 + m · n; where it is 0, any turn by 180° will do."""
    total = 1.0 + dot(m, n)
    return total if abs(total) > TINY * TINY else total + TINY * TINY


@leaf
def carried_rate(x, m, n, n1):
    """The rate of `carried`; n1 is that of n."""
    over = 1.0 / upright(m, n)
    along, rate = dot(x, n) * over, dot(x, n1) * over
    return plus(times(plus(m, n, 1.0), along * dot(m, n1) * over - rate), n1, -along)


@leaf
def touch(data, i, R, X, S, Y):
    """Point of contact, normal towards b, and both tangents, of the RUB at i."""
    bits = data.view(np.int64)
    centre, n, _ = gap_line(data, i, R, X, S, Y)
    if bits[i + RUB.kind] == FLAT:
        n = turned_by(R, data, i + RUB.normal)
        one, two = turned_by(R, data, i + RUB.tangents), turned_by(R, data, i + RUB.tangents + 3)
    else:
        m, n = three(data, i + RUB.normal), times(n, data[i + RUB.side])
        one = carried(three(data, i + RUB.tangents), m, n)
        two = carried(three(data, i + RUB.tangents + 3), m, n)
    return plus(centre, n, -data[i + RUB.radius]), n, one, two


@leaf
def touch_rate(data, i, R, X, S, Y, a, b):
    """The rates of what `touch` gives; a and b are the twists of the bodies."""
    bits = data.view(np.int64)
    centre, n, length = gap_line(data, i, R, X, S, Y)
    centre1 = point_rate(b, Y, centre)
    if bits[i + RUB.kind] == FLAT:
        n1 = crossed(a[1], turned_by(R, data, i + RUB.normal))
        one = crossed(a[1], turned_by(R, data, i + RUB.tangents))
        two = crossed(a[1], turned_by(R, data, i + RUB.tangents + 3))
    else:
        start = plus(X, turned_by(R, data, i + RUB.lever_a), 1.0)
        r1, side = plus(centre1, point_rate(a, X, start), -1.0), data[i + RUB.side]
        n1 = plus(r1, n, -dot(n, r1))
        n1 = times(n1, side / length if abs(length) > TINY else 0.0 * length)
        m, n = three(data, i + RUB.normal), times(n, side)
        one = carried_rate(three(data, i + RUB.tangents), m, n, n1)
        two = carried_rate(three(data, i + RUB.tangents + 3), m, n, n1)
    return plus(centre1, n1, -data[i + RUB.radius]), n1, one, two


@leaf
def rub_rows(q, v, data, out):
    """Slip of RUB."""
    bits = data.view(np.int64)
    i = bits[RUB.begin]
    for _ in range(bits[RUB.count]):
        R, X = pose(q, data, i + RUB.a)
        S, Y = pose(q, data, i + RUB.b)
        a, b = twist(v, data, i + RUB.a, R), twist(v, data, i + RUB.b, S)
        p, n, one, two = touch(data, i, R, X, S, Y)
        apart, row = plus(point_rate(b, Y, p), point_rate(a, X, p), -1.0), bits[i + RUB.row]
        out[row] = dot(one, apart) - data[i + RUB.belt]
        out[row + 1] = dot(two, apart) - data[i + RUB.belt + 1]
        if bits[i + RUB.rows] > 2:
            out[row + 2] = data[i + RUB.drilling] * dot(n, plus(b[1], a[1], -1.0))
        i += RUB.width


@leaf
def rub_bias(q, v, data, out):
    """The rate of slip of RUB where v̇ = 0."""
    bits = data.view(np.int64)
    i = bits[RUB.begin]
    for _ in range(bits[RUB.count]):
        R, X = pose(q, data, i + RUB.a)
        S, Y = pose(q, data, i + RUB.b)
        a, b = twist(v, data, i + RUB.a, R), twist(v, data, i + RUB.b, S)
        p, _, one, two = touch(data, i, R, X, S, Y)
        p1, n1, one1, two1 = touch_rate(data, i, R, X, S, Y, a, b)
        apart = plus(point_rate(b, Y, p), point_rate(a, X, p), -1.0)
        bend, row = plus(bent(b, p1), bent(a, p1), -1.0), bits[i + RUB.row]
        out[row] = dot(one1, apart) + dot(one, bend)
        out[row + 1] = dot(two1, apart) + dot(two, bend)
        if bits[i + RUB.rows] > 2:
            out[row + 2] = data[i + RUB.drilling] * dot(n1, plus(b[1], a[1], -1.0))
        i += RUB.width


@leaf
def put_row(data, a, b, one, two, screw, out, place_a, place_b):
    """The gradient of a row: its screw (p, n, d) on b, and the opposite on a; one and two are the poses."""
    (R, X), (S, Y), (p, n, d) = one, two, screw
    clear_end(data, a, out, place_a)
    clear_end(data, b, out, place_b)
    put_screw(data, a, R, X, p, n, d, -1.0, out, place_a)
    put_screw(data, b, S, Y, p, n, d, 1.0, out, place_b)


@leaf
def rub_gradient(q, data, out):
    """T of RUB."""
    bits = data.view(np.int64)
    i = bits[RUB.begin]
    for _ in range(bits[RUB.count]):
        a, b, T, rows = i + RUB.a, i + RUB.b, i + RUB.T, bits[i + RUB.rows]
        R, X = pose(q, data, a)
        S, Y = pose(q, data, b)
        p, n, one, two = touch(data, i, R, X, S, Y)
        none = times(n, 0.0)
        put_row(data, a, b, (R, X), (S, Y), (p, one, none), out, bits[T], bits[T + 1])
        put_row(data, a, b, (R, X), (S, Y), (p, two, none), out, bits[T + 2], bits[T + 3])
        if rows > 2:
            d = times(n, data[i + RUB.drilling])
            put_row(data, a, b, (R, X), (S, Y), (p, none, d), out, bits[T + 4], bits[T + 5])
        i += RUB.width


@leaf
def brake_rows(q, v, data, bias, out):
    """Slip of BRAKE, or its rate where v̇ = 0."""
    bits = data.view(np.int64)
    i = bits[BRAKE.begin]
    for _ in range(bits[BRAKE.count]):
        k = i + BRAKE.coordinate
        R, X = pose(q, data, k + COORDINATE.a)
        S, Y = pose(q, data, k + COORDINATE.b)
        one, two = twist(v, data, k + COORDINATE.a, R), twist(v, data, k + COORDINATE.b, S)
        _, p, n, d = coordinate(q, data, k, R, X, S, Y)
        if bias:
            p1, n1, d1 = coordinate_rates(data, k, R, X, S, Y, one, two)
            out[bits[i + BRAKE.row]] = screw_bias(one, two, X, Y, p, n, p1, n1, d1)
        else:
            out[bits[i + BRAKE.row]] = screw_rate(one, two, X, Y, p, n, d)
        i += BRAKE.width


@leaf
def brake_gradient(q, data, out):
    """T of BRAKE."""
    bits = data.view(np.int64)
    i = bits[BRAKE.begin]
    for _ in range(bits[BRAKE.count]):
        k = i + BRAKE.coordinate
        a, b = k + COORDINATE.a, k + COORDINATE.b
        R, X = pose(q, data, a)
        S, Y = pose(q, data, b)
        _, p, n, d = coordinate(q, data, k, R, X, S, Y)
        put_row(data, a, b, (R, X), (S, Y), (p, n, d), out, bits[i + BRAKE.T_a], bits[i + BRAKE.T_b])
        i += BRAKE.width


def slip(t, q, v, data, out):
    """All slip velocities."""
    bits = data.view(np.int64)
    if bits[RUB.count]:
        rub_rows(q, v, data, out)
    if bits[PLANAR_RUB.count]:
        planar_rub_rows(q, v, data, out)
    if bits[BRAKE.count]:
        brake_rows(q, v, data, False, out)


def T(t, q, v, data, out):
    """Their gradient."""
    bits = data.view(np.int64)
    if bits[RUB.count]:
        rub_gradient(q, data, out)
    if bits[PLANAR_RUB.count]:
        planar_rub_gradient(q, data, out)
    if bits[BRAKE.count]:
        brake_gradient(q, data, out)


def slip_bias(t, q, v, data, out):
    """What is quadratic in velocities of their derivative."""
    bits = data.view(np.int64)
    if bits[RUB.count]:
        rub_bias(q, v, data, out)
    if bits[PLANAR_RUB.count]:
        planar_rub_bias(q, v, data, out)
    if bits[BRAKE.count]:
        brake_rows(q, v, data, True, out)


FAMILY = {"slip": slip, "T": T, "slip_bias": slip_bias}
