"""The test problem of paper 001, section 8: everything at once, with an exact solution."""

from __future__ import annotations

import numpy as np

from genalpha.method import SOI2
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Drawing, Line, Point

# q = (y1, y2) and v = (z1, z2) of the paper; the multipliers have its signs, since f contains them


@evaluator
def M(t, q, out):
    """A mass matrix that depends on time and configuration and is not symmetric."""
    out[0, 0] = q[0]
    out[0, 1] = q[1] - np.exp(-2.0 * t)
    out[1, 0] = np.sin(q[0] - np.exp(t))
    out[1, 1] = q[0] * q[1]


@evaluator
def f(t, q, v, lam, psi, out):
    """The force, quadratic in λ and cubic in ψ."""
    y1, y2, z1, z2 = q[0], q[1], v[0], v[1]
    inner = 0.5 * y2 * z2 - 2.0 * y1 * z1 * y2 * z2 + y2 * lam[0] ** 2
    out[0] = np.exp(t) * (y1 * z2 + 2.0 * y2 * z1) + np.exp(2.0 * t) * y1 * lam[0] - y1 * z2 * psi[0] - 2.0
    out[1] = np.exp(-t) * inner - y1 * y2 * z1 * psi[0] ** 3 + np.exp(3.0 * t)


@evaluator
def f_q(t, q, v, lam, psi, out):
    """∂f/∂q."""
    y1, y2, z1, z2 = q[0], q[1], v[0], v[1]
    out[0, 0] = np.exp(t) * z2 + np.exp(2.0 * t) * lam[0] - z2 * psi[0]
    out[0, 1] = 2.0 * np.exp(t) * z1
    out[1, 0] = -2.0 * np.exp(-t) * z1 * y2 * z2 - y2 * z1 * psi[0] ** 3
    out[1, 1] = np.exp(-t) * (0.5 * z2 - 2.0 * y1 * z1 * z2 + lam[0] ** 2) - y1 * z1 * psi[0] ** 3


@evaluator
def f_v(t, q, v, lam, psi, out):
    """∂f/∂v."""
    y1, y2, z1, z2 = q[0], q[1], v[0], v[1]
    out[0, 0] = 2.0 * np.exp(t) * y2
    out[0, 1] = np.exp(t) * y1 - y1 * psi[0]
    out[1, 0] = -2.0 * np.exp(-t) * y1 * y2 * z2 - y1 * y2 * psi[0] ** 3
    out[1, 1] = np.exp(-t) * (0.5 * y2 - 2.0 * y1 * z1 * y2)


@evaluator
def f_lam(t, q, v, lam, psi, out):
    """∂f/∂λ."""
    out[0, 0] = np.exp(2.0 * t) * q[0]
    out[1, 0] = 2.0 * np.exp(-t) * q[1] * lam[0]


@evaluator
def f_psi(t, q, v, lam, psi, out):
    """∂f/∂ψ."""
    out[0, 0] = -q[0] * v[1]
    out[1, 0] = -3.0 * q[0] * q[1] * v[0] * psi[0] ** 2


@evaluator
def g(t, q, out):
    """The holonomic constraint."""
    out[0] = q[0] ** 2 * q[1] - 1.0


@evaluator
def g_q(t, q, out):
    """G = ∂g/∂q."""
    out[0, 0] = 2.0 * q[0] * q[1]
    out[0, 1] = q[0] ** 2


@evaluator
def g_bias(t, q, v, out):
    """g̈ − G v̇."""
    out[0] = 2.0 * q[1] * v[0] ** 2 + 4.0 * q[0] * v[0] * v[1]


@evaluator
def k(t, q, v, out):
    """The nonholonomic constraint, nonlinear in the velocities."""
    out[0] = q[0] * v[0] * v[1] + 2.0


@evaluator
def k_v(t, q, v, out):
    """K = ∂k/∂v."""
    out[0, 0] = q[0] * v[1]
    out[0, 1] = q[0] * v[0]


@evaluator
def k_q(t, q, v, out):
    """∂k/∂q."""
    out[0, 0] = v[0] * v[1]


def drawing(*curves: Line) -> Drawing:
    """The point (y1, y2) in a plane: there is nothing mechanical to see."""
    axes = [Line("axis y1", [(0.0, 0.0), (3.0, 0.0)], radius=0.008, color="#9aa3ab"),
            Line("axis y2", [(0.0, 0.0), (0.0, 1.3)], radius=0.008, color="#9aa3ab")]  # fmt: skip
    return Drawing(*axes, *curves, Point("(y1, y2)", lambda t, q: q, radius=0.05, trace=True))


def constraint() -> Line:
    """The curve y1² y2 = 1."""
    y1 = np.linspace(0.9, 3.0, 60)
    return Line("y1² y2 = 1", np.stack([y1, y1**-2], axis=1), radius=0.012, color="#6c9a8b")


def make() -> Problem:
    """The problem with the initial values of its exact solution.

    y = (eᵗ, e⁻²ᵗ), λ = e⁻ᵗ, ψ = eᵗ: the two constraints alone fix the motion, and the two equations of motion fix the
    multipliers. Nothing in it is mechanical, so there is no energy.
    """

    def system():
        return System(
            M=M, f=f, f_q=f_q, f_v=f_v, f_lam=f_lam, f_psi=f_psi, multipliers_in_f=True,
            g=g, ng=1, g_q=g_q, g_t=0, g_bias=g_bias, k=k, nk=1, k_v=k_v, k_q=k_q, k_t=0,
            names={"q": ["y1", "y2"], "g": ["g"], "k": ["k"]}, drawing=drawing(constraint()),
        )  # fmt: skip

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))[:, None]
        up, down = np.exp(t), np.exp(-2.0 * t)
        return Reference(
            np.hstack([up, down]), np.hstack([up, -2.0 * down]), np.exp(-t), up, np.hstack([up, 4.0 * down])
        )

    return Problem(
        name="jay_negrut",
        title="Test problem of Jay and Negrut",
        summary="A mathematical test: both kinds of constraints, M(t, q) not symmetric, f nonlinear in λ and ψ.",
        source="L. O. Jay, D. Negrut, A second order extension of the generalized-α method for constrained systems in "
        "mechanics (2007), sec. 8",
        system=system,
        q0=np.array([1.0, 1.0]),
        v0=np.array([1.0, -2.0]),
        t_span=(0.0, 1.0),
        h=1 / 160,
        method=SOI2(rho_inf=0.2),
        reference=reference,
        reference_is="exact",
        conserves_energy=False,
    )
