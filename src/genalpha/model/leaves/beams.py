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

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.so3 import inverse_slope
from genalpha.model.columns import BEAM
from genalpha.model.leaves.beam_matrices import beam_matrix
from genalpha.model.leaves.beam_strains import ends, strain, stresses, untwisted
from genalpha.model.leaves.joints import frame, to_body, to_space


@leaf
def beam_force(q, v, data, out):
    """Minus the gradient of the strain energy, and what damps."""
    bits = data.view(np.int64)
    i = bits[BEAM.begin]
    for _ in range(bits[BEAM.count]):
        for j in range(bits[i + BEAM.parts]):
            xa, ra, va, xb, rb, vb = ends(data, i, j)
            R, (x, y, z), (a, b, c), (g, h, k) = strain(q, data, i, xa, ra, xb, rb)
            (n1, n2, n3), (m1, m2, m3) = stresses(q, v, data, i, j, R, (x, y, z), (a, b, c), (g, h, k))
            d, e, f = to_space(R, n1, n2, n3)
            add_end(q, v, xa, ra, va, d, e, f, out)
            add_end(q, v, xb, rb, vb, -d, -e, -f, out)
            # m = ½ L N × g; its lever r × m; the moment with T⁻¹
            half = 0.5 * data[i + BEAM.length]
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
            if data[i + BEAM.drag_same] > 0.0:
                drag(v, data, i, va, vb, out)
        i += BEAM.width


@leaf
def add_end(q, v, x, r, w, d, e, f, out):
    """Add a force in space to the node at w."""
    if x < 0:
        d, e, f = to_body(frame(q, r), d, e, f)
    out[w] += d
    out[w + 1] += e
    out[w + 2] += f


@leaf
def drag(v, data, i, va, vb, out):
    """Damping in proportion to the mass: α M v."""
    same, other, turn = data[i + BEAM.drag_same], data[i + BEAM.drag_other], i + BEAM.drag_turn
    for j in range(3):
        out[va + j] -= same * v[va + j] + other * v[vb + j]
        out[vb + j] -= same * v[vb + j] + other * v[va + j]
        out[va + 3 + j] -= data[turn + j] * v[va + 3 + j]
        out[vb + 3 + j] -= data[turn + j] * v[vb + 3 + j]


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
