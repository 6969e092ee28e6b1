"""Leaves of functions of the user's: states of bodies in space, forces on them, and their derivatives.

Functions see space; the unknowns of the iteration are seen from the bodies. A body is displaced by δx (on SE(3) R δu)
and turned by δφ = R δθ while its velocities as the body sees them stay: Ω, and on SE(3) the velocity too. So turning a
body turns its angular velocity in space along.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import BODY, PLANAR_BODY, PLANAR_POINT_MASS, POINT_MASS, STATE
from genalpha.model.leaves.angles import turned
from genalpha.model.leaves.joints import frame, origin, to_body, to_space

KIND, ON_SE3, LENGTH, SPEED, TRAITS = range(5)
"""What `read_traits` gives of a body, and how much it is."""

DIFFERENCE = 6e-6
"""Over the size of what is varied: the cube root of the machine epsilon, for central differences."""


@leaf
def state_at(data, number):
    """Where a row of STATE begins."""
    return data.view(np.int64)[STATE.begin] + STATE.width * number


@leaf
def read_states(q, v, data, first, position, rotation, velocity, spin):
    """The states of bodies, from row ``first`` of STATE on, in space."""
    bits = data.view(np.int64)
    for k in range(position.shape[0]):
        i = state_at(data, first + k)
        x, r, w = bits[i + STATE.x], bits[i + STATE.r], bits[i + STATE.v]
        kind = bits[i + STATE.kind]
        R = frame(q, r)
        if kind == PLANAR_BODY or kind == PLANAR_POINT_MASS:
            c, s = turned(q, x if kind == PLANAR_BODY else -1, data, 1.0, 0.0)
            R = (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
            position[k, 0], position[k, 1], position[k, 2] = q[x], q[x + 1], 0.0
            velocity[k, 0], velocity[k, 1], velocity[k, 2] = v[w], v[w + 1], 0.0
            spin[k, 0], spin[k, 1], spin[k, 2] = 0.0, 0.0, v[w + 2] if kind == PLANAR_BODY else 0.0
        else:
            position[k, 0], position[k, 1], position[k, 2] = origin(q, x, r)
            a, b, c = v[w], v[w + 1], v[w + 2]
            if x < 0:
                a, b, c = to_space(R, a, b, c)
            velocity[k, 0], velocity[k, 1], velocity[k, 2] = a, b, c
            if r >= 0:
                spin[k, 0], spin[k, 1], spin[k, 2] = to_space(R, v[w + 3], v[w + 4], v[w + 5])
            else:
                spin[k, 0], spin[k, 1], spin[k, 2] = 0.0, 0.0, 0.0
        for j in range(9):
            rotation[k, j // 3, j % 3] = R[j]


@leaf
def put_forces(q, data, first, forces, out):
    """Add forces and torques in space to the generalised forces."""
    bits = data.view(np.int64)
    for k in range(forces.shape[0]):
        i = state_at(data, first + k)
        x, r, w, kind = bits[i + STATE.x], bits[i + STATE.r], bits[i + STATE.v], bits[i + STATE.kind]
        a, b, c = forces[k, 0], forces[k, 1], forces[k, 2]
        if kind == PLANAR_BODY or kind == PLANAR_POINT_MASS:
            out[w] += a
            out[w + 1] += b
            if kind == PLANAR_BODY:
                out[w + 2] += forces[k, 5]
            continue
        R = frame(q, r)
        if x < 0:
            a, b, c = to_body(R, a, b, c)
        out[w] += a
        out[w + 1] += b
        out[w + 2] += c
        if r >= 0:
            a, b, c = to_body(R, forces[k, 3], forces[k, 4], forces[k, 5])
            out[w + 3] += a
            out[w + 4] += b
            out[w + 5] += c


@leaf
def moves(kind, j):
    """Can a body of this kind move along (j < 3) or about an axis of space?"""
    if kind == BODY:
        return True
    if kind == POINT_MASS:
        return j < 3
    return j < 2 or (j == 5 and kind == PLANAR_BODY)


@leaf
def width(kind):
    """How many velocities a body of this kind has."""
    return 6 if kind == BODY else 2 if kind == PLANAR_POINT_MASS else 3


@leaf
def read_traits(data, first, traits):
    """(kind, is it on SE(3), length, speed) of bodies, from row ``first`` of STATE on."""
    bits = data.view(np.int64)
    for k in range(traits.shape[0]):
        i = state_at(data, first + k)
        traits[k, KIND] = bits[i + STATE.kind]
        traits[k, ON_SE3] = 1.0 if bits[i + STATE.x] < 0 else 0.0
        traits[k, LENGTH], traits[k, SPEED] = data[i + STATE.length], data[i + STATE.speed]


@leaf
def way_of(values, k, length):
    """The step of a difference: round-off of the value over it is its own error over the length, squared."""
    size = max(length, abs(values[k, 0]), abs(values[k, 1]), abs(values[k, 2]))
    return DIFFERENCE * length * (size / length) ** (1.0 / 3.0)


@leaf
def step_of(position, velocity, spin, traits, k, j, of_velocity):
    """The step of a difference for body k, along or about axis j."""
    length, speed = traits[k, LENGTH], traits[k, SPEED]
    if of_velocity:
        return way_of(velocity, k, speed) if j < 3 else way_of(spin, k, speed / length)
    return way_of(position, k, length) if j < 3 else DIFFERENCE


@leaf
def shift(states, traits, k, j, of_velocity, step, moved):
    """Write the state of body k, moved by ``step``, or faster by it, along or about axis j of space.

    ``states`` and ``moved`` are positions, rotations, velocities and spins.
    """
    (position, rotation, velocity, spin), (P, R, V, W) = states, moved
    for i in range(3):
        P[k, i], V[k, i], W[k, i] = position[k, i], velocity[k, i], spin[k, i]
        for l in range(3):
            R[k, i, l] = rotation[k, i, l]
    if j < 3:
        (V if of_velocity else P)[k, j] += step
    elif of_velocity:
        W[k, j - 3] += step
    else:
        a, b, c, s = (j + 1) % 3, (j + 2) % 3, np.cos(step), np.sin(step)
        for l in range(3):
            R[k, a, l], R[k, b, l] = c * R[k, a, l] - s * R[k, b, l], s * R[k, a, l] + c * R[k, b, l]
        W[k, a], W[k, b] = c * W[k, a] - s * W[k, b], s * W[k, a] + c * W[k, b]
        if traits[k, ON_SE3] > 0.0:
            V[k, a], V[k, b] = c * V[k, a] - s * V[k, b], s * V[k, a] + c * V[k, b]


@leaf
def put_slope(plus, minus, factor, k, j, D):
    """Column (k, j) of D: a difference of forces."""
    for i in range(plus.shape[0]):
        for l in range(6):
            D[i, l, k, j] = factor * (plus[i, l] - minus[i, l])


@leaf
def turn_along(by_velocity, velocity, spin, traits, D):
    """Add to the derivatives by displacements in space what velocities do that turn with their bodies."""
    for k in range(traits.shape[0]):
        if traits[k, KIND] == BODY:
            for j in range(3):
                a, b = (j + 1) % 3, (j + 2) % 3  # e_j × ω = ω_a e_b − ω_b e_a
                for i in range(traits.shape[0]):
                    for l in range(6):
                        D[i, l, k, 3 + j] += by_velocity[i, l, k, 3 + b] * spin[k, a]
                        D[i, l, k, 3 + j] -= by_velocity[i, l, k, 3 + a] * spin[k, b]
                        if traits[k, ON_SE3] > 0.0:
                            D[i, l, k, 3 + j] += by_velocity[i, l, k, b] * velocity[k, a]
                            D[i, l, k, 3 + j] -= by_velocity[i, l, k, a] * velocity[k, b]


@leaf
def turn_forces(forces, traits, D):
    """Add that forces in space turn against a body that turns: δ(Rᵀ τ) = Rᵀ (δτ + τ × δφ)."""
    for k in range(traits.shape[0]):
        if traits[k, KIND] == BODY:
            for first in range(0 if traits[k, ON_SE3] > 0.0 else 3, 6, 3):
                x, y, z = forces[k, first], forces[k, first + 1], forces[k, first + 2]
                D[k, first, k, 4] -= z
                D[k, first, k, 5] += y
                D[k, first + 1, k, 3] += z
                D[k, first + 1, k, 5] -= x
                D[k, first + 2, k, 3] -= y
                D[k, first + 2, k, 4] += x


@leaf
def to_bodies(rotation, traits, D):
    """D as the bodies see it: Rᵀ from the left for what it pushes, R from the right for what moves; both in place."""
    n = traits.shape[0]
    for k in range(n):
        if traits[k, KIND] != BODY:
            continue
        for first in range(0 if traits[k, ON_SE3] > 0.0 else 3, 6, 3):
            for i in range(n):
                for j in range(6):
                    x, y, z = D[k, first, i, j], D[k, first + 1, i, j], D[k, first + 2, i, j]
                    for l in range(3):
                        D[k, first + l, i, j] = rotation[k, 0, l] * x + rotation[k, 1, l] * y + rotation[k, 2, l] * z
            for i in range(n):
                for j in range(6):
                    x, y, z = D[i, j, k, first], D[i, j, k, first + 1], D[i, j, k, first + 2]
                    for l in range(3):
                        D[i, j, k, first + l] = x * rotation[k, 0, l] + y * rotation[k, 1, l] + z * rotation[k, 2, l]


@leaf
def put_tangent(D, traits, out, place):
    """Subtract D from the values at ``place``: all velocities of the bodies by all, row by row."""
    n = traits.shape[0]
    for i in range(n):
        for l in range(6):
            if not moves(traits[i, KIND], l):
                continue
            for k in range(n):
                for j in range(6):
                    if moves(traits[k, KIND], j):
                        out[place] -= D[i, l, k, j]
                        place += 1
