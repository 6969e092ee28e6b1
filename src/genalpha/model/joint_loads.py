"""The family of forces on joint coordinates: torsion springs, motors; and bushings.

A force Q on a coordinate is Q times its screw. COIL: k, c, rest, S, C, coordinate; MOTOR: S, C, size of the coordinate,
size of its rate, coordinate. S and C are the places of the blocks (a, a), (a, b), (b, a), (b, b), one after the other,
of the stiffness and the damping.
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.model.bushings import bushing_force, bushing_matrix
from genalpha.model.coordinates import SIZE, A, B, coordinate
from genalpha.model.layout import BUSHING, COIL, MOTOR
from genalpha.model.screws import pose, put_screw, screw_rate, twist, width

COIL_HEAD, MOTOR_HEAD = 5, 4


@leaf
def motion_of(q, v, data, i):
    """The coordinate at i, and its rate."""
    R, X = pose(q, data, i + A)
    S, Y = pose(q, data, i + B)
    value, p, n, d = coordinate(q, data, i, R, X, S, Y)
    return value, screw_rate(twist(v, data, i + A, R), twist(v, data, i + B, S), X, Y, p, n, d)


@leaf
def push_coordinate(q, data, i, force, out):
    """Add a force on the coordinate at i to the generalised forces."""
    bits = data.view(np.int64)
    R, X = pose(q, data, i + A)
    S, Y = pose(q, data, i + B)
    _, p, n, d = coordinate(q, data, i, R, X, S, Y)
    put_screw(data, i + A, R, X, p, n, d, -force, out, bits[i + A + 2])
    put_screw(data, i + B, S, Y, p, n, d, force, out, bits[i + B + 2])


@leaf
def coordinate_matrix(q, data, i, factor, out, place):
    """Add factor s sᵀ to the blocks at ``place``, s the screw of the coordinate at i."""
    R, X = pose(q, data, i + A)
    S, Y = pose(q, data, i + B)
    _, p, n, d = coordinate(q, data, i, R, X, S, Y)
    one, two = np.zeros(6), np.zeros(6)
    put_screw(data, i + A, R, X, p, n, d, -1.0, one, 0)
    put_screw(data, i + B, S, Y, p, n, d, 1.0, two, 0)
    n_a, n_b = width(data, i + A), width(data, i + B)
    put_outer(one, n_a, one, n_a, factor, out, place)
    put_outer(one, n_a, two, n_b, factor, out, place + n_a * n_a)
    put_outer(two, n_b, one, n_a, factor, out, place + n_a * (n_a + n_b))
    put_outer(two, n_b, two, n_b, factor, out, place + n_a * (n_a + 2 * n_b))


@leaf
def put_outer(x, n_x, y, n_y, factor, out, place):
    """out[place:] += factor x yᵀ, row by row."""
    for j in range(n_x):
        for k in range(n_y):
            out[place + j * n_y + k] += factor * x[j] * y[k]


@leaf
def coil_force(q, v, data, out):
    """−k (angle − rest) − c rate of COIL."""
    bits = data.view(np.int64)
    i = bits[2 * COIL]
    for _ in range(bits[2 * COIL + 1]):
        value, rate = motion_of(q, v, data, i + COIL_HEAD)
        push_coordinate(q, data, i + COIL_HEAD, -data[i] * (value - data[i + 2]) - data[i + 1] * rate, out)
        i += COIL_HEAD + SIZE


@leaf
def coil_matrix(q, data, damping, out):
    """Stiffness or damping of COIL."""
    bits = data.view(np.int64)
    i = bits[2 * COIL]
    for _ in range(bits[2 * COIL + 1]):
        which = 1 if damping else 0
        coordinate_matrix(q, data, i + COIL_HEAD, data[i + which], out, bits[i + 3 + which])
        i += COIL_HEAD + SIZE


@leaf
def motor_at(data, number):
    """Where the coordinate of a MOTOR is in the data."""
    return data.view(np.int64)[2 * MOTOR] + number * (MOTOR_HEAD + SIZE) + MOTOR_HEAD


def f(t, q, v, data, out):
    """Torsion springs and bushings; motors are functions of the user's."""
    bits = data.view(np.int64)
    if bits[2 * COIL + 1]:
        coil_force(q, v, data, out)
    if bits[2 * BUSHING + 1]:
        bushing_force(q, v, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Of torsion springs and bushings."""
    bits = data.view(np.int64)
    if bits[2 * COIL + 1]:
        coil_matrix(q, data, False, out)
    if bits[2 * BUSHING + 1]:
        bushing_matrix(q, data, False, out)


def damping(t, q, v, vdot, mu, data, out):
    """Of torsion springs and bushings."""
    bits = data.view(np.int64)
    if bits[2 * COIL + 1]:
        coil_matrix(q, data, True, out)
    if bits[2 * BUSHING + 1]:
        bushing_matrix(q, data, True, out)


FAMILY = {"f": f, "stiffness": stiffness, "damping": damping}
