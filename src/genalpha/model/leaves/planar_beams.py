"""Leaves of the planar beam and of bars.

The planar beam is that of `beams` in the plane: with the angle θ in the middle, half way between those of its nodes,

    Γ = R(θ)ᵀ (x_b − x_a)/L − Γ₀,      κ = (θ_b − θ_a)/L − κ₀,      energy ½ L (EA Γ1² + GA Γ2² + EI κ²).

A bar holds two points: its strain is |x_b − x_a|/L − 1, or that along its first direction where it is linear.
"""

from __future__ import annotations

import math

import numpy as np

from genalpha.compiled.cosines import cosine_and_sine
from genalpha.compiled.jit import leaf
from genalpha.model.columns import BAR, PLANAR_BEAM, PLANAR_SECTION, SPATIAL
from genalpha.model.leaves.joints import three


@leaf
def planar_strain(q, data, i, k):
    """Of the element at i with the section at k: cos θ, sin θ and g = Rᵀ(x_b − x_a)/L."""
    bits = data.view(np.int64)
    a, b, over = bits[i + PLANAR_BEAM.q_a], bits[i + PLANAR_BEAM.q_b], data[k + PLANAR_SECTION.over]
    c, s = cosine_and_sine(0.5 * (q[a + 2] + q[b + 2]), data, i + PLANAR_BEAM.memory)
    x, y = over * (q[b] - q[a]), over * (q[b + 1] - q[a + 1])
    return c, s, c * x + s * y, c * y - s * x


@leaf
def planar_stresses(q, v, data, i, k, c, s, g, h):
    """Normal force, shear force and moment of the section."""
    bits = data.view(np.int64)
    a, b = bits[i + PLANAR_BEAM.q_a], bits[i + PLANAR_BEAM.q_b]
    over, tau = data[k + PLANAR_SECTION.over], data[k + PLANAR_SECTION.tau]
    d, e = g - data[k + PLANAR_SECTION.gamma], h - data[k + PLANAR_SECTION.gamma + 1]
    bend = over * (q[b + 2] - q[a + 2]) - data[k + PLANAR_SECTION.kappa]
    if tau > 0.0:
        a, b = bits[i + PLANAR_BEAM.v_a], bits[i + PLANAR_BEAM.v_b]
        x, y, w = over * (v[b] - v[a]), over * (v[b + 1] - v[a + 1]), 0.5 * (v[a + 2] + v[b + 2])
        d += tau * (c * x + s * y + w * h)
        e += tau * (c * y - s * x - w * g)
        bend += tau * over * (v[b + 2] - v[a + 2])
    return data[k + PLANAR_SECTION.EA] * d, data[k + PLANAR_SECTION.GA] * e, data[k + PLANAR_SECTION.EI] * bend


@leaf
def planar_beam_force(q, v, data, out):
    """Minus the gradient of the strain energy, and what damps."""
    bits = data.view(np.int64)
    i, sections = bits[PLANAR_BEAM.begin], bits[PLANAR_SECTION.begin]
    for _ in range(bits[PLANAR_BEAM.count]):
        a, b, k = bits[i + PLANAR_BEAM.v_a], bits[i + PLANAR_BEAM.v_b], sections + bits[i + PLANAR_BEAM.section]
        c, s, g, h = planar_strain(q, data, i, k)
        n1, n2, m = planar_stresses(q, v, data, i, k, c, s, g, h)
        x, y, turn = c * n1 - s * n2, s * n1 + c * n2, 0.5 * data[k + PLANAR_SECTION.length] * (n1 * h - n2 * g)
        out[a] += x
        out[a + 1] += y
        out[a + 2] -= turn - m
        out[b] -= x
        out[b + 1] -= y
        out[b + 2] -= turn + m
        if data[k + PLANAR_SECTION.drag_move] > 0.0:
            for j in range(3):
                p = k + (PLANAR_SECTION.drag_move if j < 2 else PLANAR_SECTION.drag_turn)
                out[a + j] -= data[p] * v[a + j] + data[p + 1] * v[b + j]
                out[b + j] -= data[p] * v[b + j] + data[p + 1] * v[a + j]
        i += PLANAR_BEAM.width


@leaf
def planar_beam_matrix(q, v, data, rate, out):
    """−∂f/∂q, but for how the rate of strain depends on q; or −∂f/∂v where ``rate``.

    The matrix of an element is symmetric: blocks (a, a) at A, (b, b) at B, (a, b) and (b, a) at O, of x, y, θ.
    """
    bits = data.view(np.int64)
    i, sections = bits[PLANAR_BEAM.begin], bits[PLANAR_SECTION.begin]
    for _ in range(bits[PLANAR_BEAM.count]):
        k, p = sections + bits[i + PLANAR_BEAM.section], i + (PLANAR_BEAM.C if rate else PLANAR_BEAM.S)
        A, B, O = three(bits, p)
        if A >= 0:
            c, s, g, h = planar_strain(q, data, i, k)
            n1, n2, factor = 0.0, 0.0, data[k + PLANAR_SECTION.tau]
            if not rate:
                n1, n2, _ = planar_stresses(q, v, data, i, k, c, s, g, h)
                factor = 1.0
            along, across = factor * data[k + PLANAR_SECTION.EA], factor * data[k + PLANAR_SECTION.GA]
            over = data[k + PLANAR_SECTION.over]
            xx = over * (along * c * c + across * s * s)
            xy = over * (along - across) * c * s
            yy = over * (along * s * s + across * c * c)
            u, w = 0.5 * (along * h - n2), 0.5 * (n1 - across * g)
            xt, yt = c * u - s * w, s * u + c * w
            turn = 0.25 * data[k + PLANAR_SECTION.length] * (along * h * h + across * g * g - n1 * g - n2 * h)
            bend = factor * over * data[k + PLANAR_SECTION.EI]
            if B == A + 9:  # the first node of a beam: no element before has filled its block
                for j in range(A, B):
                    out[j] = 0.0
            out[A] += xx
            out[A + 1] += xy
            out[A + 2] -= xt
            out[A + 3] += xy
            out[A + 4] += yy
            out[A + 5] -= yt
            out[A + 6] -= xt
            out[A + 7] -= yt
            out[A + 8] += turn + bend
            # what no element before has filled is written, not added to
            out[B], out[B + 4], out[B + 8] = xx, yy, turn + bend
            out[B + 1] = out[B + 3] = xy
            out[B + 2] = out[B + 6] = xt
            out[B + 5] = out[B + 7] = yt
            out[O] = out[O + 9] = -xx
            out[O + 1] = out[O + 3] = out[O + 10] = out[O + 12] = -xy
            out[O + 4] = out[O + 13] = -yy
            out[O + 2] = out[O + 15] = -xt
            out[O + 5] = out[O + 16] = -yt
            out[O + 6] = out[O + 11] = xt
            out[O + 7] = out[O + 14] = yt
            out[O + 8] = out[O + 17] = turn - bend
            if rate:
                for j in range(3):
                    p = k + (PLANAR_SECTION.drag_move if j < 2 else PLANAR_SECTION.drag_turn)
                    out[A + 4 * j] += data[p]
                    out[B + 4 * j] += data[p]
                    out[O + 4 * j] += data[p + 1]
                    out[O + 9 + 4 * j] += data[p + 1]
        i += PLANAR_BEAM.width


@leaf
def bar_line(q, data, i):
    """Of the bar at i: its direction (three numbers) and its elongation."""
    bits = data.view(np.int64)
    a, b, n = bits[i + BAR.x_a], bits[i + BAR.x_b], bits[i + BAR.dimension]
    x, y, z = q[b] - q[a], q[b + 1] - q[a + 1], 0.0
    if n == SPATIAL:
        z = q[b + 2] - q[a + 2]
    if bits[i + BAR.linear]:
        d, e, f = three(data, i + BAR.direction)
        return d, e, f, d * x + e * y + f * z - data[i + BAR.length], 1.0
    length = math.sqrt(x * x + y * y + z * z)
    over = 1.0 / length if length > 0.0 else 0.0
    return over * x, over * y, over * z, length - data[i + BAR.length], length


@leaf
def bar_tension(v, data, i, d, e, f, elongation):
    """k Δ + c Δ̇ of the bar at i."""
    bits = data.view(np.int64)
    a, b = bits[i + BAR.v_a], bits[i + BAR.v_b]
    rate = d * (v[b] - v[a]) + e * (v[b + 1] - v[a + 1])
    if bits[i + BAR.dimension] == SPATIAL:
        rate += f * (v[b + 2] - v[a + 2])
    return data[i + BAR.stiffness] * elongation + data[i + BAR.damping] * rate


@leaf
def bar_force(q, v, data, out):
    """The tension of bars on their ends, and what damps in proportion to the mass."""
    bits = data.view(np.int64)
    i = bits[BAR.begin]
    for _ in range(bits[BAR.count]):
        a, b = bits[i + BAR.v_a], bits[i + BAR.v_b]
        d, e, f, elongation, _ = bar_line(q, data, i)
        force, direction = bar_tension(v, data, i, d, e, f, elongation), (d, e, f)
        same, other = data[i + BAR.drag_same], data[i + BAR.drag_other]
        for j in range(bits[i + BAR.dimension]):
            out[a + j] += force * direction[j] - same * v[a + j] - other * v[b + j]
            out[b + j] -= force * direction[j] + same * v[b + j] + other * v[a + j]
        i += BAR.width


@leaf
def bar_matrix(q, v, data, rate, out):
    """Stiffness of bars, or their damping where ``rate``: blocks (a, a), (b, b), then (a, b) and (b, a)."""
    bits = data.view(np.int64)
    i = bits[BAR.begin]
    for _ in range(bits[BAR.count]):
        n, p = bits[i + BAR.dimension], i + (BAR.C if rate else BAR.S)
        A, B, O = three(bits, p)
        if A >= 0:
            d, e, f, elongation, length = bar_line(q, data, i)
            side, direction = 0.0, (d, e, f)
            if not rate and not bits[i + BAR.linear] and length > 0.0:
                side = bar_tension(v, data, i, d, e, f, elongation) / length
            along = (data[i + BAR.damping] if rate else data[i + BAR.stiffness]) - side
            same, other = (data[i + BAR.drag_same], data[i + BAR.drag_other]) if rate else (0.0, 0.0)
            for j in range(n):
                for m in range(n):
                    value = along * direction[j] * direction[m]
                    if j == m:
                        value += side
                    place = n * j + m
                    out[A + place] += value + (same if j == m else 0.0)
                    out[B + place] += value + (same if j == m else 0.0)
                    out[O + place] -= value - (other if j == m else 0.0)
                    out[O + n * n + place] -= value - (other if j == m else 0.0)
        i += BAR.width


# a model without, say, bars does not pay for a call


def f(t, q, v, data, out):
    """Forces of planar beams and of bars."""
    bits = data.view(np.int64)
    if bits[PLANAR_BEAM.count]:
        planar_beam_force(q, v, data, out)
    if bits[BAR.count]:
        bar_force(q, v, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Their stiffness."""
    bits = data.view(np.int64)
    if bits[PLANAR_BEAM.count]:
        planar_beam_matrix(q, v, data, False, out)
    if bits[BAR.count]:
        bar_matrix(q, v, data, False, out)


def damping(t, q, v, vdot, mu, data, out):
    """Their damping."""
    bits = data.view(np.int64)
    if bits[PLANAR_BEAM.count]:
        planar_beam_matrix(q, v, data, True, out)
    if bits[BAR.count]:
        bar_matrix(q, v, data, True, out)


FAMILY = {"f": f, "stiffness": stiffness, "damping": damping}
