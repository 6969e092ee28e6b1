"""A disk that rolls without slipping, (7.2) of paper 003: two nonholonomic constraints and a tight solution."""

from __future__ import annotations

import numpy as np

from genalpha.method import SOI2
from genalpha.model.parts.shapes import Cylinder
from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Drawing, Line, Point

# q = (x, y, θ, φ, χ): point of contact, tilt from the vertical, heading, spin; p = (m, r, I1, I2, gravity)
# 3 and 4 in c3, s3, c4, s4 count as in the paper: c3 = cosθ, s4 = sinφ


@evaluator
def M(t, q, p, out):
    """Mass matrix."""
    m, r, I1, I2 = p[0], p[1], p[2], p[3]
    c3, s3, c4, s4 = np.cos(q[2]), np.sin(q[2]), np.cos(q[3]), np.sin(q[3])
    out[0, 0] = m
    out[1, 1] = m
    out[0, 2] = out[2, 0] = -m * r * c3 * s4
    out[0, 3] = out[3, 0] = -m * r * s3 * c4
    out[1, 2] = out[2, 1] = m * r * c3 * c4
    out[1, 3] = out[3, 1] = -m * r * s3 * s4
    out[2, 2] = m * r**2 + I1
    out[3, 3] = (m * r**2 + I2) * s3**2 + I1 * c3**2
    out[3, 4] = out[4, 3] = I2 * s3
    out[4, 4] = I2


@evaluator
def f(t, q, v, p, out):
    """Weight and gyroscopic forces: f of (7.2) without ψ, what cancels in f3 and f4 left out, f4 corrected."""
    m, r, I1, I2, gravity = p[0], p[1], p[2], p[3], p[4]
    c3, s3, c4, s4 = np.cos(q[2]), np.sin(q[2]), np.cos(q[3]), np.sin(q[3])
    z3, z4, z5 = v[2], v[3], v[4]
    J = m * r**2 - I1 + I2
    out[0] = m * r * (2.0 * z3 * z4 * c3 * c4 - (z3**2 + z4**2) * s3 * s4)
    out[1] = m * r * (2.0 * z3 * z4 * c3 * s4 + (z3**2 + z4**2) * s3 * c4)
    out[2] = J * z4**2 * s3 * c3 + I2 * z4 * z5 * c3 + m * r * gravity * s3
    out[3] = -z3 * c3 * (2.0 * J * z4 * s3 + I2 * z5)
    out[4] = -I2 * z3 * z4 * c3


@evaluator
def f_q(t, q, v, p, out):
    """∂f/∂q."""
    m, r, I1, I2, gravity = p[0], p[1], p[2], p[3], p[4]
    c3, s3, c4, s4 = np.cos(q[2]), np.sin(q[2]), np.cos(q[3]), np.sin(q[3])
    z3, z4, z5 = v[2], v[3], v[4]
    J, square, twice = m * r**2 - I1 + I2, z3**2 + z4**2, 2.0 * z3 * z4
    out[0, 2] = m * r * (-twice * s3 * c4 - square * c3 * s4)
    out[0, 3] = m * r * (-twice * c3 * s4 - square * s3 * c4)
    out[1, 2] = m * r * (-twice * s3 * s4 + square * c3 * c4)
    out[1, 3] = m * r * (twice * c3 * c4 - square * s3 * s4)
    out[2, 2] = J * z4**2 * (c3**2 - s3**2) - I2 * z4 * z5 * s3 + m * r * gravity * c3
    out[3, 2] = z3 * s3 * I2 * z5 - 2.0 * J * z3 * z4 * (c3**2 - s3**2)
    out[4, 2] = I2 * z3 * z4 * s3


@evaluator
def f_v(t, q, v, p, out):
    """∂f/∂v."""
    m, r, I1, I2 = p[0], p[1], p[2], p[3]
    c3, s3, c4, s4 = np.cos(q[2]), np.sin(q[2]), np.cos(q[3]), np.sin(q[3])
    z3, z4, z5 = v[2], v[3], v[4]
    J = m * r**2 - I1 + I2
    out[0, 2] = 2.0 * m * r * (z4 * c3 * c4 - z3 * s3 * s4)
    out[0, 3] = 2.0 * m * r * (z3 * c3 * c4 - z4 * s3 * s4)
    out[1, 2] = 2.0 * m * r * (z4 * c3 * s4 + z3 * s3 * c4)
    out[1, 3] = 2.0 * m * r * (z3 * c3 * s4 + z4 * s3 * c4)
    out[2, 3] = 2.0 * J * z4 * s3 * c3 + I2 * z5 * c3
    out[2, 4] = I2 * z4 * c3
    out[3, 2] = -c3 * (2.0 * J * z4 * s3 + I2 * z5)
    out[3, 3] = -2.0 * J * z3 * s3 * c3
    out[3, 4] = -I2 * z3 * c3
    out[4, 2] = -I2 * z4 * c3
    out[4, 3] = -I2 * z3 * c3


@evaluator
def k(t, q, v, p, out):
    """The point of contact moves as fast as the rim turns, along the heading."""
    out[0] = v[0] - p[1] * np.cos(q[3]) * v[4]
    out[1] = v[1] - p[1] * np.sin(q[3]) * v[4]


@evaluator
def k_v(t, q, v, p, out):
    """K = ∂k/∂v."""
    out[0, 0] = 1.0
    out[1, 1] = 1.0
    out[0, 4] = -p[1] * np.cos(q[3])
    out[1, 4] = -p[1] * np.sin(q[3])


@evaluator
def k_q(t, q, v, p, out):
    """∂k/∂q."""
    out[0, 3] = p[1] * np.sin(q[3]) * v[4]
    out[1, 3] = -p[1] * np.cos(q[3]) * v[4]


def energy(t, q, v, p):
    """T and U of the paper."""
    m, r, I1, I2, gravity = p
    c3, s3, c4, s4 = np.cos(q[2]), np.sin(q[2]), np.cos(q[3]), np.sin(q[3])
    z1, z2, z3, z4, z5 = v
    centre = z1**2 + z2**2 + r**2 * (z3**2 + z4**2 * s3**2)
    mixed = z3 * c3 * (z1 * s4 - z2 * c4) + z4 * s3 * (z1 * c4 + z2 * s4)
    spin = I1 * (z3**2 + z4**2 * c3**2) + I2 * (z5 + z4 * s3) ** 2
    return 0.5 * m * centre - m * r * mixed + 0.5 * spin, m * gravity * r * c3


def drawing(r: float) -> Drawing:
    """A disk with a mark on it, and the path of the point of contact."""

    def frame(q):
        """Columns: along the heading, up within the disk, along its axle."""
        c3, s3, c4, s4 = np.cos(q[2]), np.sin(q[2]), np.cos(q[3]), np.sin(q[3])
        return np.array([[c4, -s3 * s4, s4 * c3], [s4, s3 * c4, -c4 * c3], [0.0, c3, s3]])

    def center(t, q):
        return np.array([q[0], q[1], 0.0]) + r * frame(q)[:, 1]

    def orientation(t, q):
        c, s = np.cos(q[4]), np.sin(q[4])
        return frame(q) @ [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]  # it turns by −χ about its axle

    def spoke(t, q):
        return center(t, q) + 0.9 * r * np.outer([-1.0, 1.0], orientation(t, q)[:, 0])

    return Drawing(
        Body("disk", Cylinder(radius=r, length=0.06 * r), center, orientation),
        Line("spoke", spoke, radius=0.045 * r, color="#d09a4e"),
        Point("contact", lambda t, q: (q[0], q[1], 0.0), radius=0.03 * r, trace=True),
        up=(0.0, 0.0, 1.0),
        look_from=(1.0, -1.4, 0.8),
    )


def eliminated(q, w, p):
    """(v, vdot, psi) (12,) of a state by its free velocities w = (z3, z4, z5), v = S(q) w."""
    mass, force = np.zeros((5, 5)), np.zeros(5)
    heading = p[1] * np.array([np.cos(q[3]), np.sin(q[3])])
    S = np.vstack([np.zeros((2, 3)), np.eye(3)])
    S[:2, 2] = heading
    v = S @ w
    M(0.0, q, p, mass)
    f(0.0, q, v, p, force)
    S_dot_w = np.zeros(5)
    S_dot_w[:2] = w[1] * w[2] * np.array([-heading[1], heading[0]])
    vdot = S @ np.linalg.solve(S.T @ mass @ S, S.T @ (force - mass @ S_dot_w)) + S_dot_w
    return np.concatenate([v, vdot, (mass @ vdot - force)[:2]])


def make(m: float = 2.0, r: float = 1.0, I1: float = 2.0, I2: float = 2.0, gravity: float = 10.0) -> Problem:
    """The disk with the numbers of 003, section 7.

    It is slow, falls over and swings up again on the other side, through the floor: a mathematical test.

    Two things differ from the paper. In f4 the term −I2 z3 z5 cos(y3) is added, which is missing in print: without it
    the energy is not conserved. The paper subtracts the constraint forces and this package adds them, so that psi here
    is −ψ there.

    The reference is the motion in (q, z3, z4, z5) with the constraints eliminated, v = S(q) w with w = (z3, z4, z5) and
    Sᵀ M S ẇ = Sᵀ (f − M Ṡ w), by DOP853 at 1e-13; vdot = S ẇ + Ṡ w, and psi is the first two rows of M vdot − f.
    """
    p = np.array([m, r, I1, I2, gravity])
    q0, v0 = np.array([0.1, 0.0, 0.3, 0.0, 1.0]), np.array([0.1 * r, 0.0, 0.02, -0.02, 0.1])

    def system():
        return System(
            M=M, f=f, f_q=f_q, f_v=f_v, k=k, nk=2, k_v=k_v, k_q=k_q, k_t=0, energy=energy, params=p,
            drawing=drawing(r), names={"q": ["x", "y", "θ", "φ", "χ"], "k": ["roll.x", "roll.y"]},
        )  # fmt: skip

    def rhs(_, y):
        v, vdot, _ = np.split(eliminated(y[:5], y[5:], p), [5, 10])
        return np.concatenate([v, vdot[2:]])

    def reference(t):
        y = integrate(rhs, 0.0, np.concatenate([q0, v0[2:]]), t)
        v, vdot, psi = np.split(np.array([eliminated(row[:5], row[5:], p) for row in y]), [5, 10], axis=1)
        return Reference(y[:, :5], v, np.zeros((len(y), 0)), psi, vdot)

    return Problem(
        name="rolling_disk",
        title="Rolling disk",
        summary="A disk that rolls without slipping: five coordinates, two nonholonomic constraints, M(q).",
        source="L. O. Jay, Convergence of the generalized-α method for constrained systems in mechanics with "
        "nonholonomic constraints (2011), (7.2) with f4 corrected",
        system=system,
        q0=q0,
        v0=v0,
        t_span=(0.0, 10.0),
        h=0.01,
        method=SOI2(rho_inf=0.9),
        reference=reference,
        reference_is="tilt, heading and spin, DOP853 at 1e-13; multipliers from the exact accelerations",
    )
