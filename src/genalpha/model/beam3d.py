"""Leaves of the spatial beam: a geometrically exact element of two nodes, objective and independent of the path.

Between the rotations R_a and R_b of its nodes the element turns about one axis, R_b = R_a exp(θ~), and its frame is the
one half way, R = R_a exp(½ θ~). Its strains are constant,

    Γ = Rᵀ (x_b − x_a)/L − Γ₀,      κ = θ/L − κ₀,      energy ½ L (Γ · C_N Γ + κ · C_M κ),

which is Reissner's and Simo's theory with one point of integration: no locking, and a beam under a constant moment
is a regular polygon, whose corners lie on a circle. Rigid motions change neither Γ nor κ. Variations of θ and of the
frame are linear in those of the nodes (δφ, seen from the nodes):

    δθ = T⁻¹(θ) δφ_b − T⁻¹(−θ) δφ_a,      δφ = ½ (1 − r~) δφ_a + ½ (1 + r~) δφ_b,      r = tan(¼ |θ|) θ/|θ|.

Forces and stiffness follow from the energy without further approximation. With Kelvin-Voigt damping, stresses are
C (strain + τ strain rate).
"""

from __future__ import annotations

import math

import numpy as np

from genalpha.jit import leaf
from genalpha.math.so3 import inverse_slope, product
from genalpha.model.layout import BEAM
from genalpha.model.rows import frame, origin, to_body, to_space
from genalpha.model.threes import before_cross, crossed, dot, plus, put, put_transposed, transposed

# places in a row of BEAM, see layout
OVER, LENGTH, C_N, C_M, GAMMA, KAPPA, TAU, DRAG, S_PLACE, C_PLACE, WIDTH = 6, 7, 8, 11, 14, 17, 20, 21, 26, 29, 32


@leaf
def arc(square):
    """atan(t)/t as a function of t²."""
    if square < 0.01:
        x = square
        return 1.0 - x * (1 / 3 - x * (1 / 5 - x * (1 / 7 - x * (1 / 9 - x * (1 / 11 - x * (1 / 13 - x / 15))))))
    t = math.sqrt(square)
    return math.atan(t) / t


@leaf
def middle(q, ra, rb):
    """The frame half way between two rotations (nine numbers), and r (three)."""
    a, b, c, d = q[ra], q[ra + 1], q[ra + 2], q[ra + 3]
    e, f, g, h = q[rb], q[rb + 1], q[rb + 2], q[rb + 3]
    w, x, y, z = product(a, -b, -c, -d, e, f, g, h)
    if w < 0.0:  # the same rotation; the shorter way round
        w, x, y, z, e, f, g, h = -w, -x, -y, -z, -e, -f, -g, -h
    over = 1.0 / (1.0 + w)
    a, b, c, d = a + e, b + f, c + g, d + h  # its square is 2 (1 + w)
    R = (
        1.0 - over * (c * c + d * d), over * (b * c - a * d), over * (b * d + a * c),
        over * (b * c + a * d), 1.0 - over * (b * b + d * d), over * (c * d - a * b),
        over * (b * d - a * c), over * (c * d + a * b), 1.0 - over * (b * b + c * c),
    )  # fmt: skip
    return R, over * x, over * y, over * z


@leaf
def strain(q, data, i):
    """Of the element at i: its frame, r, θ, g = Rᵀ(x_b − x_a)/L."""
    bits = data.view(np.int64)
    R, x, y, z = middle(q, bits[i + 1], bits[i + 4])
    four = 4.0 * arc(x * x + y * y + z * z)
    a, b, c = origin(q, bits[i + 3], bits[i + 4])
    d, e, f = origin(q, bits[i], bits[i + 1])
    over = data[i + OVER]
    g, h, k = to_body(R, over * (a - d), over * (b - e), over * (c - f))
    return R, x, y, z, four * x, four * y, four * z, g, h, k


@leaf
def untwisted(k, a, b, c, x, y, z):
    """M + k θ × (θ × M), and ½ θ × M, of θ = (a, b, c) and M = (x, y, z)."""
    u, v, w = b * z - c * y, c * x - a * z, a * y - b * x
    return (
        x + k * (b * w - c * v), y + k * (c * u - a * w), z + k * (a * v - b * u),
        0.5 * u, 0.5 * v, 0.5 * w,
    )  # fmt: skip


@leaf
def rates(q, v, data, i, R, x, y, z, a, b, c, g, h, k):
    """Γ̇ and κ̇ of the element at i."""
    bits = data.view(np.int64)
    va, vb = bits[i + 2], bits[i + 5]
    o, p, s = v[va], v[va + 1], v[va + 2]
    if bits[i] < 0:
        o, p, s = to_space(frame(q, bits[i + 1]), o, p, s)
    t, u, w = v[vb], v[vb + 1], v[vb + 2]
    if bits[i + 3] < 0:
        t, u, w = to_space(frame(q, bits[i + 4]), t, u, w)
    over = data[i + OVER]
    o, p, s = to_body(R, over * (t - o), over * (u - p), over * (w - s))
    d, e, f = v[va + 3], v[va + 4], v[va + 5]
    t, u, w = v[vb + 3], v[vb + 4], v[vb + 5]
    # ω of the frame: the mean, and ½ r × the difference
    dx, dy, dz = t - d, u - e, w - f
    mx = 0.5 * (t + d + y * dz - z * dy)
    my = 0.5 * (u + e + z * dx - x * dz)
    mz = 0.5 * (w + f + x * dy - y * dx)
    slope, _ = inverse_slope(a * a + b * b + c * c)
    # θ̇ = difference + ½ θ × sum + c θ × (θ × difference)
    tx, ty, tz, _, _, _ = untwisted(slope, a, b, c, dx, dy, dz)
    sx, sy, sz = 0.5 * (t + d), 0.5 * (u + e), 0.5 * (w + f)
    return (
        o + h * mz - k * my, p + k * mx - g * mz, s + g * my - h * mx,
        over * (tx + b * sz - c * sy), over * (ty + c * sx - a * sz), over * (tz + a * sy - b * sx),
    )  # fmt: skip


@leaf
def stresses(q, v, data, i, R, x, y, z, a, b, c, g, h, k):
    """Force N and moment M of the section, in the frame of the element."""
    over = data[i + OVER]
    d, e, f = g - data[i + GAMMA], h - data[i + GAMMA + 1], k - data[i + GAMMA + 2]
    o, p, s = over * a - data[i + KAPPA], over * b - data[i + KAPPA + 1], over * c - data[i + KAPPA + 2]
    tau = data[i + TAU]
    if tau > 0.0:
        u = rates(q, v, data, i, R, x, y, z, a, b, c, g, h, k)
        d, e, f = d + tau * u[0], e + tau * u[1], f + tau * u[2]
        o, p, s = o + tau * u[3], p + tau * u[4], s + tau * u[5]
    return (
        data[i + C_N] * d, data[i + C_N + 1] * e, data[i + C_N + 2] * f,
        data[i + C_M] * o, data[i + C_M + 1] * p, data[i + C_M + 2] * s,
    )  # fmt: skip


@leaf
def beam_force(q, v, data, out):
    """Minus the gradient of the strain energy, and what damps."""
    bits = data.view(np.int64)
    i = bits[2 * BEAM]
    for _ in range(bits[2 * BEAM + 1]):
        va, vb, L = bits[i + 2], bits[i + 5], data[i + LENGTH]
        R, x, y, z, a, b, c, g, h, k = strain(q, data, i)
        n1, n2, n3, m1, m2, m3 = stresses(q, v, data, i, R, x, y, z, a, b, c, g, h, k)
        d, e, f = to_space(R, n1, n2, n3)
        add_end(q, v, bits[i], bits[i + 1], va, d, e, f, out)
        add_end(q, v, bits[i + 3], bits[i + 4], vb, -d, -e, -f, out)
        # m = ½ L N × g; its lever r × m; the moment with T⁻¹
        half = 0.5 * L
        d, e, f = half * (n2 * k - n3 * h), half * (n3 * g - n1 * k), half * (n1 * h - n2 * g)
        o, p, s = y * f - z * e, z * d - x * f, x * e - y * d
        slope, _ = inverse_slope(a * a + b * b + c * c)
        m1, m2, m3, t1, t2, t3 = untwisted(slope, a, b, c, m1, m2, m3)
        out[va + 3] += m1 + t1 - d - o
        out[va + 4] += m2 + t2 - e - p
        out[va + 5] += m3 + t3 - f - s
        out[vb + 3] -= m1 - t1 + d - o
        out[vb + 4] -= m2 - t2 + e - p
        out[vb + 5] -= m3 - t3 + f - s
        if data[i + DRAG] > 0.0:
            drag(q, v, data, i, out)
        i += WIDTH


@leaf
def add_end(q, v, x, r, w, d, e, f, out):
    """Add a force in space to the node at w."""
    if x < 0:
        d, e, f = to_body(frame(q, r), d, e, f)
    out[w] += d
    out[w + 1] += e
    out[w + 2] += f


@leaf
def drag(q, v, data, i, out):
    """Damping in proportion to the mass: α M v."""
    bits = data.view(np.int64)
    va, vb, same, other = bits[i + 2], bits[i + 5], data[i + DRAG], data[i + DRAG + 1]
    for j in range(3):
        out[va + j] -= same * v[va + j] + other * v[vb + j]
        out[vb + j] -= same * v[vb + j] + other * v[va + j]
        out[va + 3 + j] -= data[i + DRAG + 2 + j] * v[va + 3 + j]
        out[vb + 3 + j] -= data[i + DRAG + 2 + j] * v[vb + 3 + j]


@leaf
def beam_matrix(q, v, data, rate, out):
    """The stiffness −∂f/∂q; or the damping −∂f/∂v where ``rate``.

    How the rate of strain depends on q is left out: it steers the iteration only, and is zero at rest.
    """
    bits = data.view(np.int64)
    i = bits[2 * BEAM]
    for _ in range(bits[2 * BEAM + 1]):
        factor = data[i + TAU] if rate else 1.0
        place = bits[i + C_PLACE] if rate else bits[i + S_PLACE]
        if place >= 0:
            R, x, y, z, a, b, c, g, h, k = strain(q, data, i)
            n1, n2, n3, m1, m2, m3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if not rate:
                n1, n2, n3, m1, m2, m3 = stresses(q, v, data, i, R, x, y, z, a, b, c, g, h, k)
            stretch_blocks(q, data, i, rate, factor, R, x, y, z, g, h, k, n1, n2, n3, out)
            bend_blocks(data, i, rate, factor, x, y, z, a, b, c, g, h, k, n1, n2, n3, m1, m2, m3, out)
            if rate and data[i + DRAG] > 0.0:
                drag_matrix(data, i, out)
        i += WIDTH


@leaf
def places(data, i, rate):
    """Where the blocks of both nodes, and those between them, begin."""
    bits, k = data.view(np.int64), C_PLACE if rate else S_PLACE
    return bits[i + k], bits[i + k + 1], bits[i + k + 2]


@leaf
def stretch_blocks(q, data, i, rate, factor, R, x, y, z, g, h, k, n1, n2, n3, out):
    """Blocks with translations: P = R C_N Rᵀ/L between them, R X ½(1 ∓ r~) with rotations, X = C_N g~ − N~."""
    bits = data.view(np.int64)
    A, B, O = places(data, i, rate)
    c1, c2, c3 = factor * data[i + C_N], factor * data[i + C_N + 1], factor * data[i + C_N + 2]
    over = data[i + OVER]
    CR = (
        over * c1 * R[0], over * c1 * R[3], over * c1 * R[6], over * c2 * R[1], over * c2 * R[4], over * c2 * R[7],
        over * c3 * R[2], over * c3 * R[5], over * c3 * R[8],
    )  # fmt: skip
    P = dot(R, CR)
    X = (0.0, n3 - c1 * k, c1 * h - n2, c2 * k - n3, 0.0, n1 - c2 * g, n2 - c3 * h, c3 * g - n1, 0.0)
    Y = dot(R, X)
    Yr = before_cross(Y, x, y, z)
    Ya, Yb = plus(Y, Yr, -1.0), plus(Y, Yr, 1.0)
    if bits[i] >= 0 and bits[i + 3] >= 0:
        put(out, A, P, 1.0)
        put(out, B, P, 1.0)
        put(out, O, P, -1.0)
        put(out, O + 36, P, -1.0)
        put(out, A + 9, Ya, -0.5)
        put_transposed(out, A + 18, Ya, -0.5)
        put(out, O + 9, Yb, -0.5)
        put_transposed(out, O + 54, Yb, -0.5)
        put(out, O + 45, Ya, 0.5)
        put_transposed(out, O + 18, Ya, 0.5)
        put(out, B + 9, Yb, 0.5)
        put_transposed(out, B + 18, Yb, 0.5)
        return
    force = to_space(R, n1, n2, n3)
    moving_blocks(q, bits[i], bits[i + 1], 1.0, force, P, Ya, Yb, A, O + 9, O + 54, out)
    moving_blocks(q, bits[i + 3], bits[i + 4], -1.0, force, P, Yb, Ya, B, O + 45, O + 18, out)
    D = dot(transposed(frame_of(q, bits[i], bits[i + 1])), dot(P, frame_of(q, bits[i + 3], bits[i + 4])))
    put(out, O, D, -1.0)
    put_transposed(out, O + 36, D, -1.0)


@leaf
def frame_of(q, x, r):
    """What translations of a node are seen from: the node itself on SE(3), else space."""
    return frame(q, r if x < 0 else -1)


@leaf
def moving_blocks(q, x, r, sign, force, P, own, other, D, beside, mirrored, out):
    """Blocks of the translations of one node, with themselves and with the rotations of both nodes."""
    R = frame_of(q, x, r)
    Rt = transposed(R)
    put(out, D, dot(Rt, dot(P, R)), 1.0)
    Z = dot(Rt, own)
    put(out, D + 9, Z, -0.5 * sign)
    put_transposed(out, D + 18, Z, -0.5 * sign)
    if x < 0:
        a, b, c = to_body(R, force[0], force[1], force[2])
        put(out, D + 9, (0.0, -c, b, c, 0.0, -a, -b, a, 0.0), -sign)
    Z = dot(Rt, other)
    put(out, beside, Z, -0.5 * sign)
    put_transposed(out, mirrored, Z, -0.5 * sign)


@leaf
def bend_blocks(data, i, rate, factor, x, y, z, a, b, c, g, h, k, n1, n2, n3, m1, m2, m3, out):
    """Blocks between rotations.

    From the force, Zᵢᵀ H Zⱼ with H = L Xᵀ g~ and Z = ½(1 ∓ r~); from m = L N × g and the change of r, ∓½ m~ ∂r/∂φ, with
    ∂r/∂φ_b = ¼ ((1 − r²) 1 + 2 r~ + 2 r rᵀ); from the moment, ± (T⁻ᵀ C_M/L + ∂(T⁻ᵀ M)/∂θ) T⁻¹.
    """
    A, B, O = places(data, i, rate)
    A, B, AB, BA = A + 27, B + 27, O + 27, O + 63
    L = data[i + LENGTH]
    c1, c2, c3 = factor * data[i + C_N], factor * data[i + C_N + 1], factor * data[i + C_N + 2]
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
    over, (k0, k1) = factor * data[i + OVER], inverse_slope(a * a + b * b + c * c)
    Tb, Ta = twists(k0, a, b, c)
    d1, d2, d3 = over * data[i + C_M], over * data[i + C_M + 1], over * data[i + C_M + 2]
    Va, Vb = bent(k0, k1, a, b, c, m1, m2, m3)
    Va, Vb = plus(Va, scaled(Tb, d1, d2, d3), 1.0), plus(Vb, scaled(Ta, d1, d2, d3), 1.0)
    q = 0.25 * L
    put(out, A, plus(plus(H, rHr, -1.0), plus(rH, Hr, -1.0), 1.0), q)
    put(out, AB, plus(plus(H, rHr, 1.0), plus(rH, Hr, 1.0), 1.0), q)
    put(out, BA, plus(plus(H, rHr, 1.0), plus(rH, Hr, 1.0), -1.0), q)
    put(out, B, plus(plus(H, rHr, -1.0), plus(rH, Hr, -1.0), -1.0), q)
    put(out, A, plus(dot(Va, Ta), plus(even, odd, -1.0), 1.0), 1.0)
    put(out, AB, plus(dot(Va, Tb), plus(even, odd, 1.0), 1.0), -1.0)
    put(out, BA, plus(dot(Vb, Ta), plus(even, odd, -1.0), 1.0), -1.0)
    put(out, B, plus(dot(Vb, Tb), plus(even, odd, 1.0), 1.0), 1.0)


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
def drag_matrix(data, i, out):
    """α M on the diagonals of the blocks."""
    A, B, O = places(data, i, True)
    for j in range(3):
        k = 4 * j
        out[A + k] += data[i + DRAG]
        out[B + k] += data[i + DRAG]
        out[O + k] += data[i + DRAG + 1]
        out[O + 36 + k] += data[i + DRAG + 1]
        out[A + 27 + k] += data[i + DRAG + 2 + j]
        out[B + 27 + k] += data[i + DRAG + 2 + j]


def f(t, q, v, data, out):
    """Forces of beams."""
    beam_force(q, v, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Their stiffness."""
    beam_matrix(q, v, data, False, out)


def damping(t, q, v, vdot, mu, data, out):
    """Their damping."""
    beam_matrix(q, v, data, True, out)


FAMILY = {"f": f, "stiffness": stiffness, "damping": damping}
