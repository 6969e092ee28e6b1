"""The family of forces on joint coordinates: torsion springs, motors; and bushings.

A force Q on a coordinate is Q times its screw.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import BUSHING, COIL, COORDINATE, END, MOTOR
from genalpha.model.leaves.bushings import bushing_force, bushing_matrix
from genalpha.model.leaves.coordinates import coordinate
from genalpha.model.leaves.screws import pose, put_screw, screw_rate, twist, width


@leaf
def motion_of(q, v, data, i):
    """The coordinate at i, and its rate."""
    R, X = pose(q, data, i + COORDINATE.a)
    S, Y = pose(q, data, i + COORDINATE.b)
    value, p, n, d = coordinate(q, data, i, R, X, S, Y)
    return value, screw_rate(twist(v, data, i + COORDINATE.a, R), twist(v, data, i + COORDINATE.b, S), X, Y, p, n, d)


@leaf
def push_coordinate(q, data, i, force, out):
    """Add a force on the coordinate at i to the generalised forces."""
    bits = data.view(np.int64)
    R, X = pose(q, data, i + COORDINATE.a)
    S, Y = pose(q, data, i + COORDINATE.b)
    _, p, n, d = coordinate(q, data, i, R, X, S, Y)
    put_screw(data, i + COORDINATE.a, R, X, p, n, d, -force, out, bits[i + COORDINATE.a + END.v])
    put_screw(data, i + COORDINATE.b, S, Y, p, n, d, force, out, bits[i + COORDINATE.b + END.v])


@leaf
def coordinate_matrix(q, data, i, factor, out, place):
    """Add factor s sᵀ to the blocks at ``place``, s the screw of the coordinate at i."""
    R, X = pose(q, data, i + COORDINATE.a)
    S, Y = pose(q, data, i + COORDINATE.b)
    _, p, n, d = coordinate(q, data, i, R, X, S, Y)
    one, two = np.zeros(6), np.zeros(6)
    put_screw(data, i + COORDINATE.a, R, X, p, n, d, -1.0, one, 0)
    put_screw(data, i + COORDINATE.b, S, Y, p, n, d, 1.0, two, 0)
    n_a, n_b = width(data, i + COORDINATE.a), width(data, i + COORDINATE.b)
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
    i = bits[COIL.begin]
    for _ in range(bits[COIL.count]):
        value, rate = motion_of(q, v, data, i + COIL.coordinate)
        force = -data[i + COIL.stiffness] * (value - data[i + COIL.rest]) - data[i + COIL.damping] * rate
        push_coordinate(q, data, i + COIL.coordinate, force, out)
        i += COIL.width


@leaf
def coil_matrix(q, data, damping, out):
    """Stiffness or damping of COIL."""
    bits = data.view(np.int64)
    i = bits[COIL.begin]
    for _ in range(bits[COIL.count]):
        factor = data[i + COIL.damping] if damping else data[i + COIL.stiffness]
        place = bits[i + COIL.C] if damping else bits[i + COIL.S]
        coordinate_matrix(q, data, i + COIL.coordinate, factor, out, place)
        i += COIL.width


@leaf
def motor_at(data, number):
    """Where a row of MOTOR begins."""
    return data.view(np.int64)[MOTOR.begin] + number * MOTOR.width


def f(t, q, v, data, out):
    """Torsion springs and bushings; motors are functions of the user's."""
    bits = data.view(np.int64)
    if bits[COIL.count]:
        coil_force(q, v, data, out)
    if bits[BUSHING.count]:
        bushing_force(q, v, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Of torsion springs and bushings."""
    bits = data.view(np.int64)
    if bits[COIL.count]:
        coil_matrix(q, data, False, out)
    if bits[BUSHING.count]:
        bushing_matrix(q, data, False, out)


def damping(t, q, v, vdot, mu, data, out):
    """Of torsion springs and bushings."""
    bits = data.view(np.int64)
    if bits[COIL.count]:
        coil_matrix(q, data, True, out)
    if bits[BUSHING.count]:
        bushing_matrix(q, data, True, out)


FAMILY = {"f": f, "stiffness": stiffness, "damping": damping}
