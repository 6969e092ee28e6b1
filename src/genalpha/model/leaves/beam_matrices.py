"""Stiffness and damping of the spatial beam; see `beams`."""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.so3 import inverse_slope
from genalpha.model.columns import BEAM
from genalpha.model.leaves.beam_strains import ends, strain, stresses
from genalpha.model.leaves.joints import frame, three, to_body, to_space
from genalpha.model.leaves.matrices import before_cross, crossed, dot, plus, put, transposed, write
from genalpha.model.leaves.stretches import place

MIXED, MIRRORED, TURNS, NODE = 9, 18, 27, 36
"""Of two nodes, or of one with itself: blocks of translations, then with rotations, these mirrored, those of rotations;
and how many values they are. Those of a with b are followed by those of b with a."""


@leaf
def beam_matrix(q, v, data, rate, out):
    """The stiffness −∂f/∂q; or the damping −∂f/∂v where ``rate``.

    How the rate of strain depends on q is left out: it steers the iteration only, and is zero at rest.
    """
    bits, first = data.view(np.int64), BEAM.C if rate else BEAM.S
    i = bits[BEAM.begin]
    for _ in range(bits[BEAM.count]):
        level = first, data[i + BEAM.tau] if rate else 1.0
        for j in range(bits[i + BEAM.parts] if bits[i + first] >= 0 else 0):
            xa, ra, _, xb, rb, _ = ends(data, i, j)
            R, r, theta, strains = strain(q, data, i, xa, ra, xb, rb)
            N, M = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if not rate:
                clear_blocks(data, i, j, out)
                N, M = stresses(q, v, data, i, j, R, r, theta, strains)
            stretch_blocks(q, data, i, j, level, R, r, strains, N, out)
            bend_blocks(data, i, j, level, r, theta, strains, N, M, out)
            if rate and data[i + BEAM.drag_same] > 0.0:
                drag_matrix(data, i, j, out)
        i += BEAM.width


@leaf
def blocks(data, i, j, first):
    """Where the blocks of both nodes of element j, and those between them, begin; ``first``: BEAM.S or BEAM.C."""
    bits, p = data.view(np.int64), i + first
    return place(bits, p, BEAM.step, j), place(bits, p + 1, BEAM.step, j), place(bits, p + 2, BEAM.step, j)


@leaf
def clear_blocks(data, i, j, out):
    """Those of nodes to which no element before this one has added; the first node of a beam is right before the next.

    Blocks between nodes are written, not added to.
    """
    A, B, _ = blocks(data, i, j, BEAM.S)
    for k in range(A if B == A + NODE else B, B + NODE):
        out[k] = 0.0


@leaf
def stretch_blocks(q, data, i, j, level, R, r, strains, N, out):
    """Blocks with translations: P = R C_N Rᵀ/L between them, R X ½(1 ∓ r~) with rotations, X = C_N g~ − N~.

    ``level`` is BEAM.S or BEAM.C, and the factor of C_N and C_M.
    """
    (first, factor), (x, y, z), (g, h, k), (n1, n2, n3) = level, r, strains, N
    xa, ra, _, xb, rb, _ = ends(data, i, j)
    A, B, O = blocks(data, i, j, first)
    c1, c2, c3 = three(data, i + BEAM.C_N)
    c1, c2, c3 = factor * c1, factor * c2, factor * c3
    over = data[i + BEAM.over]
    CR = (
        over * c1 * R[0], over * c1 * R[3], over * c1 * R[6], over * c2 * R[1], over * c2 * R[4], over * c2 * R[7],
        over * c3 * R[2], over * c3 * R[5], over * c3 * R[8],
    )  # fmt: skip
    P = dot(R, CR)
    X = (0.0, n3 - c1 * k, c1 * h - n2, c2 * k - n3, 0.0, n1 - c2 * g, n2 - c3 * h, c3 * g - n1, 0.0)
    Y = dot(R, X)
    Yr = before_cross(Y, x, y, z)
    Ya, Yb = plus(Y, Yr, -1.0), plus(Y, Yr, 1.0)
    if xa >= 0 and xb >= 0:
        put(out, A, P, 1.0)
        put(out, B, P, 1.0)
        write(out, O, P, -1.0)
        write(out, O + NODE, P, -1.0)
        put(out, A + MIXED, Ya, -0.5)
        put(out, A + MIRRORED, transposed(Ya), -0.5)
        write(out, O + MIXED, Yb, -0.5)
        write(out, O + NODE + MIRRORED, transposed(Yb), -0.5)
        write(out, O + NODE + MIXED, Ya, 0.5)
        write(out, O + MIRRORED, transposed(Ya), 0.5)
        put(out, B + MIXED, Yb, 0.5)
        put(out, B + MIRRORED, transposed(Yb), 0.5)
        return
    force = to_space(R, n1, n2, n3)
    moving_blocks(q, xa, ra, 1.0, force, P, Ya, Yb, (A, O + MIXED, O + NODE + MIRRORED), out)
    moving_blocks(q, xb, rb, -1.0, force, P, Yb, Ya, (B, O + NODE + MIXED, O + MIRRORED), out)
    D = dot(transposed(frame_of(q, xa, ra)), dot(P, frame_of(q, xb, rb)))
    write(out, O, D, -1.0)
    write(out, O + NODE, transposed(D), -1.0)


@leaf
def frame_of(q, x, r):
    """What translations of a node are seen from: the node itself on SE(3), else space."""
    return frame(q, r if x < 0 else -1)


@leaf
def moving_blocks(q, x, r, sign, force, P, own, other, places, out):
    """Blocks of the translations of one node, with themselves and with the rotations of both nodes."""
    (D, beside, mirrored), R = places, frame_of(q, x, r)
    Rt = transposed(R)
    put(out, D, dot(Rt, dot(P, R)), 1.0)
    Z = dot(Rt, own)
    put(out, D + MIXED, Z, -0.5 * sign)
    put(out, D + MIRRORED, transposed(Z), -0.5 * sign)
    if x < 0:
        a, b, c = to_body(R, force[0], force[1], force[2])
        put(out, D + MIXED, (0.0, -c, b, c, 0.0, -a, -b, a, 0.0), -sign)
    Z = dot(Rt, other)
    write(out, beside, Z, -0.5 * sign)
    write(out, mirrored, transposed(Z), -0.5 * sign)


@leaf
def bend_blocks(data, i, j, level, r, theta, strains, N, M, out):
    """Blocks between rotations.

    From the force, Zᵢᵀ H Zⱼ with H = L Xᵀ g~ and Z = ½(1 ∓ r~); from m = L N × g and the change of r, ∓½ m~ ∂r/∂φ, with
    ∂r/∂φ_b = ¼ ((1 − r²) 1 + 2 r~ + 2 r rᵀ); from the moment, ± (T⁻ᵀ C_M/L + ∂(T⁻ᵀ M)/∂θ) T⁻¹. Of two different
    nodes the order of differentiation does not matter: their blocks are transposed to each other.
    """
    (first, factor), (x, y, z), (a, b, c), (g, h, k) = level, r, theta, strains
    (n1, n2, n3), (m1, m2, m3) = N, M
    A, B, O = blocks(data, i, j, first)
    A, B, AB, BA = A + TURNS, B + TURNS, O + TURNS, O + NODE + TURNS
    L = data[i + BEAM.length]
    c1, c2, c3 = three(data, i + BEAM.C_N)
    c1, c2, c3 = factor * c1, factor * c2, factor * c3
    X = (0.0, c2 * k - n3, n2 - c3 * h, n3 - c1 * k, 0.0, c3 * g - n1, c1 * h - n2, n1 - c2 * g, 0.0)  # transposed
    H = before_cross(X, g, h, k)
    rH, Hr = crossed(x, y, z, H), before_cross(H, x, y, z)
    rHr = crossed(x, y, z, Hr)
    # E = ½ m~ ¼(1 + r²) and what turns it
    scale = 0.125 * L
    m, n, o = scale * (n2 * k - n3 * h), scale * (n3 * g - n1 * k), scale * (n1 * h - n2 * g)
    less, mr = 1.0 - x * x - y * y - z * z, m * x + n * y + o * z
    u, v, w = n * z - o * y, o * x - m * z, m * y - n * x  # m × r
    # m~ ((1 − r²) 1 ± 2 r~ + 2 r rᵀ): even and odd part in r; m~ r~ = r mᵀ − (m · r) 1
    even = (
        2.0 * u * x, -less * o + 2.0 * u * y, less * n + 2.0 * u * z,
        less * o + 2.0 * v * x, 2.0 * v * y, -less * m + 2.0 * v * z,
        -less * n + 2.0 * w * x, less * m + 2.0 * w * y, 2.0 * w * z,
    )  # fmt: skip
    odd = (
        2.0 * (x * m - mr), 2.0 * x * n, 2.0 * x * o,
        2.0 * y * m, 2.0 * (y * n - mr), 2.0 * y * o,
        2.0 * z * m, 2.0 * z * n, 2.0 * (z * o - mr),
    )  # fmt: skip
    over, (k0, k1) = factor * data[i + BEAM.over], inverse_slope(a * a + b * b + c * c)
    Tb, Ta = twists(k0, a, b, c)
    d1, d2, d3 = three(data, i + BEAM.C_M)
    d1, d2, d3 = over * d1, over * d2, over * d3
    Va, Vb = bent(k0, k1, a, b, c, m1, m2, m3)
    Va, Vb = plus(Va, scaled(Tb, d1, d2, d3), 1.0), plus(Vb, scaled(Ta, d1, d2, d3), 1.0)
    q = 0.25 * L
    Ea, Eb, own, turn = plus(even, odd, -1.0), plus(even, odd, 1.0), plus(H, rHr, -1.0), plus(rH, Hr, -1.0)
    put(out, A, plus(plus(dot(Va, Ta), Ea, 1.0), plus(own, turn, 1.0), q), 1.0)
    put(out, B, plus(plus(dot(Vb, Tb), Eb, 1.0), plus(own, turn, -1.0), q), 1.0)
    mixed = plus(plus(dot(Va, Tb), Eb, 1.0), plus(plus(H, rHr, 1.0), plus(rH, Hr, 1.0), 1.0), -q)
    write(out, AB, mixed, -1.0)
    write(out, BA, transposed(mixed), -1.0)


@leaf
def twists(k, a, b, c):
    """T⁻¹(θ) and T⁻¹(−θ), its transpose."""
    square = a * a + b * b + c * c
    d, e, f = 1.0 + k * (a * a - square), 1.0 + k * (b * b - square), 1.0 + k * (c * c - square)
    o, p, s = k * a * b, k * a * c, k * b * c
    a, b, c = 0.5 * a, 0.5 * b, 0.5 * c
    return (
        (d, o - c, p + b, o + c, e, s - a, p - b, s + a, f),
        (d, o + c, p - b, o - c, e, s + a, p + b, s - a, f),
    )


@leaf
def scaled(A, x, y, z):
    """A diag(x, y, z)."""
    return A[0] * x, A[1] * y, A[2] * z, A[3] * x, A[4] * y, A[5] * z, A[6] * x, A[7] * y, A[8] * z


@leaf
def bent(k, slope, a, b, c, x, y, z):
    """∂(T⁻ᵀ(−θ) M)/∂θ and ∂(T⁻ᵀ(θ) M)/∂θ, M = (x, y, z): ∓½ M~ + k ((θ·M) 1 + θ Mᵀ − 2 M θᵀ) + 2 k' θ×(θ×M) θᵀ."""
    dot_, (u, v, w) = k * (a * x + b * y + c * z), (b * z - c * y, c * x - a * z, a * y - b * x)
    u, v, w = 2.0 * slope * (b * w - c * v), 2.0 * slope * (c * u - a * w), 2.0 * slope * (a * v - b * u)
    even = (
        dot_ + k * (a * x - 2.0 * x * a) + u * a, k * (a * y - 2.0 * x * b) + u * b, k * (a * z - 2.0 * x * c) + u * c,
        k * (b * x - 2.0 * y * a) + v * a, dot_ + k * (b * y - 2.0 * y * b) + v * b, k * (b * z - 2.0 * y * c) + v * c,
        k * (c * x - 2.0 * z * a) + w * a, k * (c * y - 2.0 * z * b) + w * b, dot_ + k * (c * z - 2.0 * z * c) + w * c,
    )  # fmt: skip
    odd = (0.0, -0.5 * z, 0.5 * y, 0.5 * z, 0.0, -0.5 * x, -0.5 * y, 0.5 * x, 0.0)
    return plus(even, odd, -1.0), plus(even, odd, 1.0)


@leaf
def drag_matrix(data, i, j, out):
    """α M on the diagonals of the blocks."""
    A, B, O = blocks(data, i, j, BEAM.C)
    same, other, turn = data[i + BEAM.drag_same], data[i + BEAM.drag_other], i + BEAM.drag_turn
    for j in range(3):
        k = 4 * j
        out[A + k] += same
        out[B + k] += same
        out[O + k] += other
        out[O + NODE + k] += other
        out[A + TURNS + k] += data[turn + j]
        out[B + TURNS + k] += data[turn + j]
