"""A knife edge (Chaplygin's skate) on a slope: a nonholonomic constraint with an exact solution."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Drawing

# q = (x, y, θ), x down the slope; p = (m, J, gravity sin α)


@evaluator
def M(t, q, p, out):
    """Mass matrix diag(m, m, J)."""
    out[0, 0] = p[0]
    out[1, 1] = p[0]
    out[2, 2] = p[1]


@evaluator
def f(t, q, v, p, out):
    """Weight, down the slope."""
    out[0] = p[0] * p[2]


@evaluator
def k(t, q, v, p, out):
    """The edge does not slip sideways."""
    out[0] = v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])


@evaluator
def k_v(t, q, v, p, out):
    """K = ∂k/∂v."""
    out[0, 0] = np.sin(q[2])
    out[0, 1] = -np.cos(q[2])


@evaluator
def k_q(t, q, v, p, out):
    """∂k/∂q."""
    out[0, 2] = v[0] * np.cos(q[2]) + v[1] * np.sin(q[2])


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    m, J, slope = p
    return 0.5 * m * (v[0] ** 2 + v[1] ** 2) + 0.5 * J * v[2] ** 2, -m * slope * q[0]


def drawing(alpha: float, width: float, length: float) -> Drawing:
    """A blade on a plate that is inclined by alpha; x goes down the plate, y across it."""
    down = np.array([np.cos(alpha), 0.0, -np.sin(alpha)])
    across = np.array([0.0, 1.0, 0.0])
    normal = np.cross(down, across)
    plate = np.stack([down, across, normal], axis=1)
    size = 0.5 * length

    def position(t, q):
        return q[0] * down + q[1] * across + 0.15 * size * normal

    def orientation(t, q):
        c, s = np.cos(q[2]), np.sin(q[2])
        return plate @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]

    middle = 0.5 * length * down + 0.5 * width * across - 0.04 * length * normal
    return Drawing(
        Body("skate", Box(size=(size, 0.08 * size, 0.3 * size)), position, orientation, trace=True),
        Body("slope", Box(size=(1.6 * length, 1.15 * width, 0.08 * length)), middle, plate, fixed=True),
        up=(0.0, 0.0, 1.0),
        look_from=(1.6, -0.5, 1.3),
    )


def make(
    m: float = 1.0, J: float = 0.1, gravity: float = 9.81, alpha: float = np.pi / 6, omega: float = 2.0
) -> Problem:
    """The edge spins with omega and has no other velocity at first; alpha is the angle of the slope.

    It does not slide down: it draws a cycloid across the slope. The reference is exact: θ = ωt,
    x = c sin²ωt, y = c (ωt − ½ sin 2ωt) with c = gravity sin α / 2ω², and psi = −2 m gravity sin α sin ωt.
    """
    if omega == 0.0:
        raise InputError("omega = 0: the exact solution is that of a spinning edge; take omega != 0")
    slope = gravity * np.sin(alpha)
    c, t_span = slope / (2.0 * omega**2), (0.0, 6.0)

    def system():
        return System(
            M=M, f=f, k=k, nk=1, k_v=k_v, k_q=k_q, k_t=0, f_q=0, f_v=0, energy=energy, params=(m, J, slope),
            drawing=drawing(alpha, abs(c * omega) * t_span[1], abs(c)), names={"q": ["x", "y", "θ"], "k": ["edge"]},
        )  # fmt: skip

    def reference(t):
        angle = omega * np.atleast_1d(np.asarray(t, dtype=float))
        q = np.stack([c * np.sin(angle) ** 2, c * (angle - 0.5 * np.sin(2 * angle)), angle], axis=1)
        v = omega * np.stack([c * np.sin(2 * angle), c * (1 - np.cos(2 * angle)), np.ones_like(angle)], axis=1)
        vdot = 2.0 * omega**2 * c * np.stack([np.cos(2 * angle), np.sin(2 * angle), np.zeros_like(angle)], axis=1)
        return Reference(q, v, np.zeros((angle.size, 0)), -2.0 * m * slope * np.sin(angle)[:, None], vdot)

    return Problem(
        name="skate",
        title="Skate on a slope",
        summary="A spinning knife edge that cannot slip sideways: it draws a cycloid instead of sliding down.",
        source="A. M. Bloch, Nonholonomic Mechanics and Control, Springer (2003), sec. 1.6",
        system=system,
        q0=np.zeros(3),
        v0=np.array([0.0, 0.0, omega]),
        t_span=t_span,
        h=5e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="exact",
    )
