"""A point mass on a massless rod, in Cartesian coordinates."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Sphere
from genalpha.problems.minimal import angle_pendulum
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Drawing, Joint, Line

# q = (x, y); p = (L, m, gravity), gravity counted along −y


@evaluator
def M(t, q, p, out):
    """Mass matrix m 1."""
    out[0, 0] = p[1]
    out[1, 1] = p[1]


@evaluator
def f(t, q, v, p, out):
    """Weight."""
    out[1] = -p[1] * p[2]


@evaluator
def g(t, q, p, out):
    """(x² + y² − L²)/2 = 0."""
    out[0] = 0.5 * (q[0] ** 2 + q[1] ** 2 - p[0] ** 2)


@evaluator
def g_q(t, q, p, out):
    """G = (x, y)."""
    out[0, 0] = q[0]
    out[0, 1] = q[1]


@evaluator
def g_bias(t, q, v, p, out):
    """g̈ − G v̇."""
    out[0] = v[0] ** 2 + v[1] ** 2


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    return 0.5 * p[1] * v @ v, p[1] * p[2] * q[1]


def drawing(L: float) -> Drawing:
    """A ball on a thin rod."""
    return Drawing(
        Line("rod", lambda t, q: [(0.0, 0.0), q]),
        Body("mass", Sphere(radius=0.07 * L), position=lambda t, q: q, trace=True),
        Joint("pin", (0.0, 0.0)),
    )


def make(L: float = 1.0, m: float = 1.0, gravity: float = 9.81, theta0: float = 0.0, omega0: float = 0.0) -> Problem:
    """The pendulum at angle theta0 from the horizontal.

    The reference is the minimal-coordinate equation L θ̈ = −gravity cosθ, by DOP853 at 1e-13, and the multiplier that
    follows from it: lam = m (gravity sinθ / L − θ̇²).
    """

    def system():
        return System(
            M=M, f=f, g=g, ng=1, g_q=g_q, g_t=0, g_bias=g_bias, f_q=0, f_v=0, energy=energy, params=(L, m, gravity),
            names={"q": ["x", "y"], "g": ["rod"]}, drawing=drawing(L),
        )  # fmt: skip

    def acceleration(theta):
        return -gravity / L * np.cos(theta)

    def reference(t):
        theta, omega = angle_pendulum(t, theta0, omega0, acceleration)
        c, s, alpha = L * np.cos(theta), L * np.sin(theta), acceleration(theta)
        return Reference(
            np.stack([c, s], axis=1),
            np.stack([-s * omega, c * omega], axis=1),
            m * (gravity * np.sin(theta) / L - omega**2)[:, None],
            np.zeros((theta.size, 0)),
            np.stack([-s * alpha - c * omega**2, c * alpha - s * omega**2], axis=1),
        )

    return Problem(
        name="cartesian_pendulum",
        title="Pendulum in Cartesian coordinates",
        summary="A point mass on a rod with one quadratic constraint, let go from the horizontal.",
        source="E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sec. VII.1",
        system=system,
        q0=L * np.array([np.cos(theta0), np.sin(theta0)]),
        v0=L * omega0 * np.array([-np.sin(theta0), np.cos(theta0)]),
        t_span=(0.0, 2.0),
        h=2e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="minimal coordinate θ, DOP853 at 1e-13; multiplier from the exact acceleration",
    )
