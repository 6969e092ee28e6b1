"""Leaves of bushings: springs and dampers for all six motions of a frame of b against one of a.

z = (E_aᵀ (p_b − p_a), ψ) with the rotation vector ψ of b against a. The force on z is −K z − C ż, and what it does to
the bodies follows from its power: a symmetric K has the potential zᵀ K z/2, however far the frames have turned (less
than half a turn).
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.so3 import EXPONENTIAL, untwist
from genalpha.model.columns import BUSHING, END
from genalpha.model.leaves.joints import turned_by
from genalpha.model.leaves.screws import plus, pose, put_screw, screw_rate, twist, width


@leaf
def axes(R, data, p):
    """The columns R e of three axes that begin at p, one after the other."""
    return turned_by(R, data, p), turned_by(R, data, p + 3), turned_by(R, data, p + 6)


@leaf
def turned_vector(a, b):
    """The rotation vector of axes b against axes a, |ψ| < π."""
    Q = np.empty((3, 3))
    for j in range(3):
        for k in range(3):
            Q[j, k] = a[j][0] * b[k][0] + a[j][1] * b[k][1] + a[j][2] * b[k][2]
    x, y, z = 0.5 * (Q[2, 1] - Q[1, 2]), 0.5 * (Q[0, 2] - Q[2, 0]), 0.5 * (Q[1, 0] - Q[0, 1])
    sine = np.sqrt(x * x + y * y + z * z)
    angle = np.arctan2(sine, 0.5 * (Q[0, 0] + Q[1, 1] + Q[2, 2] - 1.0))
    factor = angle / sine if sine > 1e-9 else 1.0
    return factor * x, factor * y, factor * z


@leaf
def deformation(q, data, i, z, N, D):
    """z (6,) of the bushing at i, its point p, and the screws of the six coordinates: rows of N and D (6, 3)."""
    R, X = pose(q, data, i + BUSHING.a)
    S, Y = pose(q, data, i + BUSHING.b)
    a, b = axes(R, data, i + BUSHING.axes_a), axes(S, data, i + BUSHING.axes_b)
    p = plus(Y, turned_by(S, data, i + BUSHING.lever_b), 1.0)
    r = plus(p, plus(X, turned_by(R, data, i + BUSHING.lever_a), 1.0), -1.0)
    u, v, w = turned_vector(a, b)
    z[3], z[4], z[5] = u, v, w
    for j in range(3):
        z[j] = a[j][0] * r[0] + a[j][1] * r[1] + a[j][2] * r[2]
        # ψ̇ = T(ψ)⁻¹ of the relative spin seen from b, and T(ψ)ᵀ = T(−ψ)
        x, y = 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0
        c, d, e = untwist(EXPONENTIAL, -u, -v, -w, x, y, 1.0 - x - y)
        for k in range(3):
            N[j, k], D[j, k], N[3 + j, k] = a[j][k], 0.0, 0.0
            D[3 + j, k] = c * b[0][k] + d * b[1][k] + e * b[2][k]
    return p


@leaf
def row(M, j):
    """A row of a matrix (n, 3) as a triple."""
    return M[j, 0], M[j, 1], M[j, 2]


@leaf
def bushing_force(q, v, data, out):
    """−K z − C ż on z, of BUSHING."""
    bits = data.view(np.int64)
    z, rate, N, D = np.empty(6), np.empty(6), np.empty((6, 3)), np.empty((6, 3))
    i = bits[BUSHING.begin]
    for _ in range(bits[BUSHING.count]):
        p = deformation(q, data, i, z, N, D)
        R, X = pose(q, data, i + BUSHING.a)
        S, Y = pose(q, data, i + BUSHING.b)
        one, two = twist(v, data, i + BUSHING.a, R), twist(v, data, i + BUSHING.b, S)
        for j in range(6):
            rate[j] = screw_rate(one, two, X, Y, p, row(N, j), row(D, j))
        for j in range(6):
            force = 0.0
            for k in range(6):
                force -= (
                    data[i + BUSHING.stiffness + 6 * j + k] * z[k] + data[i + BUSHING.damping + 6 * j + k] * rate[k]
                )
            put_screw(data, i + BUSHING.a, R, X, p, row(N, j), row(D, j), -force, out, bits[i + BUSHING.a + END.v])
            put_screw(data, i + BUSHING.b, S, Y, p, row(N, j), row(D, j), force, out, bits[i + BUSHING.b + END.v])
        i += BUSHING.width


@leaf
def bushing_matrix(q, data, damping, out):
    """Bᵀ K B or Bᵀ C B of BUSHING, B the screws of z; without the turning of B itself."""
    bits = data.view(np.int64)
    z, N, D, screws, scaled = np.empty(6), np.empty((6, 3)), np.empty((6, 3)), np.zeros((6, 12)), np.zeros((6, 12))
    i = bits[BUSHING.begin]
    for _ in range(bits[BUSHING.count]):
        p = deformation(q, data, i, z, N, D)
        R, X = pose(q, data, i + BUSHING.a)
        S, Y = pose(q, data, i + BUSHING.b)
        for j in range(6):
            for k in range(12):
                screws[j, k], scaled[j, k] = 0.0, 0.0
            put_screw(data, i + BUSHING.a, R, X, p, row(N, j), row(D, j), -1.0, screws[j], 0)
            put_screw(data, i + BUSHING.b, S, Y, p, row(N, j), row(D, j), 1.0, screws[j], 6)
        first = i + (BUSHING.damping if damping else BUSHING.stiffness)
        for j in range(6):
            for k in range(6):
                for m in range(12):
                    scaled[j, m] += data[first + 6 * j + k] * screws[k, m]
        n_a, n_b = width(data, i + BUSHING.a), width(data, i + BUSHING.b)
        place = bits[i + BUSHING.C] if damping else bits[i + BUSHING.S]
        put_block(screws, 0, n_a, scaled, 0, n_a, out, place)
        put_block(screws, 0, n_a, scaled, 6, n_b, out, place + n_a * n_a)
        put_block(screws, 6, n_b, scaled, 0, n_a, out, place + n_a * (n_a + n_b))
        put_block(screws, 6, n_b, scaled, 6, n_b, out, place + n_a * (n_a + 2 * n_b))
        i += BUSHING.width


@leaf
def put_block(one, first, n, two, second, m, out, place):
    """out[place:] += the block of oneᵀ two with these columns, row by row."""
    for j in range(n):
        for k in range(m):
            for l in range(6):
                out[place + j * m + k] += one[l, first + j] * two[l, second + k]
