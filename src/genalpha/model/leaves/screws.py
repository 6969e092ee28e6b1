"""Leaves of screws: rates of two bodies against one another, along a force n at a point p and about a torque d.

    ρ = n · (V_b(p) − V_a(p)) + d · (ω_b − ω_a),      V(p) = ẋ + ω × (p − x)

Where ρ is the rate of a joint coordinate or of a distance, (n at p, d) on b and its opposite on a are its gradient:
action is reaction, and nothing depends on the frame, whatever n, p and d are. All that is left to say of a new kind of
row is its screw, and the rates of n, p and d. Planar bodies are in the plane z = 0.

The bodies are those of ends in the data, END; r < 0 is a point mass, v < 0 the ground, x < 0 a body on SE(3).
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.model.columns import END
from genalpha.model.leaves.angles import turned
from genalpha.model.leaves.joints import cross, frame, origin, to_body, to_space


@leaf
def pose(q, data, e):
    """Rotation matrix and position of the body of the end at e."""
    bits = data.view(np.int64)
    x, r = bits[e + END.x], bits[e + END.r]
    if bits[e + END.v] < 0 or not bits[e + END.planar]:
        return frame(q, r), origin(q, x, r)
    if r < 0:
        return frame(q, r), (q[x], q[x + 1], 0.0)
    c, s = turned(q, x, data, 1.0, 0.0)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), (q[x], q[x + 1], 0.0)


@leaf
def twist(v, data, e, R):
    """ẋ and ω of the body of the end at e, and ẍ where v̇ = 0; ω̇ is zero there."""
    bits = data.view(np.int64)
    x, r, w = bits[e + END.x], bits[e + END.r], bits[e + END.v]
    zero = 0.0 * v[0]
    none = (zero, zero, zero)
    if w < 0:
        return none, none, none
    if bits[e + END.planar]:
        return (v[w], v[w + 1], zero), (zero, zero, v[w + 2] if r >= 0 else zero), none
    rate = (v[w], v[w + 1], v[w + 2])
    if r < 0:
        return rate, none, none
    spin = to_space(R, v[w + 3], v[w + 4], v[w + 5])
    if x >= 0:
        return rate, spin, none
    rate = to_space(R, v[w], v[w + 1], v[w + 2])
    return rate, spin, crossed(spin, rate)


@leaf
def crossed(a, b):
    """a × b."""
    return cross(a[0], a[1], a[2], b[0], b[1], b[2])


@leaf
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@leaf
def plus(a, b, factor):
    """a + factor b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@leaf
def times(a, factor):
    """factor a."""
    return factor * a[0], factor * a[1], factor * a[2]


@leaf
def put_screw(data, e, R, X, p, n, d, factor, out, place):
    """out[place:] += factor times the generalised force of n at p and d on the body of the end at e."""
    bits = data.view(np.int64)
    x, r = bits[e + END.x], bits[e + END.r]
    if bits[e + END.v] < 0:
        return
    torque = plus(d, crossed(plus(p, X, -1.0), n), 1.0)
    if bits[e + END.planar]:
        out[place] += factor * n[0]
        out[place + 1] += factor * n[1]
        if r >= 0:
            out[place + 2] += factor * torque[2]
        return
    if r >= 0 and x < 0:
        n = to_body(R, n[0], n[1], n[2])
    for j in range(3):
        out[place + j] += factor * n[j]
    if r >= 0:
        torque = to_body(R, torque[0], torque[1], torque[2])
        for j in range(3):
            out[place + 3 + j] += factor * torque[j]


@leaf
def clear_end(data, e, out, place):
    """out[place:] = 0, of the end at e."""
    for j in range(width(data, e)):
        out[place + j] = 0.0


@leaf
def width(data, e):
    """Number of velocities of the end at e."""
    bits = data.view(np.int64)
    if bits[e + END.v] < 0:
        return 0
    if bits[e + END.planar]:
        return 3 if bits[e + END.r] >= 0 else 2
    return 6 if bits[e + END.r] >= 0 else 3


@leaf
def point_rate(motion, X, p):
    """V(p) of a body with this `twist` at X."""
    return plus(motion[0], crossed(motion[1], plus(p, X, -1.0)), 1.0)


@leaf
def screw_rate(one, two, X, Y, p, n, d):
    """ρ, of bodies a and b with the twists one and two at X and Y."""
    apart = plus(point_rate(two, Y, p), point_rate(one, X, p), -1.0)
    return dot(n, apart) + dot(d, plus(two[1], one[1], -1.0))


@leaf
def screw_bias(one, two, X, Y, p, n, p1, n1, d1):
    """ρ̇ where v̇ = 0; p1, n1 and d1 are the rates of p, n and d."""
    apart = plus(point_rate(two, Y, p), point_rate(one, X, p), -1.0)
    bend = plus(bent(two, p1), bent(one, p1), -1.0)
    return dot(n1, apart) + dot(n, bend) + dot(d1, plus(two[1], one[1], -1.0))


@leaf
def bent(motion, p1):
    """Rate of V(p) where v̇ = 0: ẍ + ω × (ṗ − ẋ)."""
    return plus(motion[2], crossed(motion[1], plus(p1, motion[0], -1.0)), 1.0)
