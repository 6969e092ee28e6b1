"""The test problem (7.1) of paper 003: a nonholonomic constraint and a force quadratic in its multiplier."""

from __future__ import annotations

import numpy as np

from genalpha.method import SOI2
from genalpha.problems.jay_negrut import M, drawing
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System

# q = (y1, y2) and v = (z1, z2) of the paper; ψ has its sign, since f contains it; M is that of 001, section 8


@evaluator
def f(t, q, v, lam, psi, out):
    """The force (7.1b)."""
    y1, y2, z1, z2 = q[0], q[1], v[0], v[1]
    out[0] = np.exp(t) * (y1 * z2 + 2.0 * y2 * z1) + np.exp(2.0 * t) * y1 * psi[0]
    out[1] = np.exp(-t) * (0.5 * y2 * z2 - 2.0 * y1 * z1 * y2 * z2 + y2 * psi[0] ** 2)


@evaluator
def f_q(t, q, v, lam, psi, out):
    """∂f/∂q."""
    y1, y2, z1, z2 = q[0], q[1], v[0], v[1]
    out[0, 0] = np.exp(t) * z2 + np.exp(2.0 * t) * psi[0]
    out[0, 1] = 2.0 * np.exp(t) * z1
    out[1, 0] = -2.0 * np.exp(-t) * z1 * y2 * z2
    out[1, 1] = np.exp(-t) * (0.5 * z2 - 2.0 * y1 * z1 * z2 + psi[0] ** 2)


@evaluator
def f_v(t, q, v, lam, psi, out):
    """∂f/∂v."""
    y1, y2, z1, z2 = q[0], q[1], v[0], v[1]
    out[0, 0] = 2.0 * np.exp(t) * y2
    out[0, 1] = np.exp(t) * y1
    out[1, 0] = -2.0 * np.exp(-t) * y1 * y2 * z2
    out[1, 1] = np.exp(-t) * (0.5 * y2 - 2.0 * y1 * z1 * y2)


@evaluator
def f_psi(t, q, v, lam, psi, out):
    """∂f/∂ψ."""
    out[0, 0] = np.exp(2.0 * t) * q[0]
    out[1, 0] = 2.0 * np.exp(-t) * q[1] * psi[0]


@evaluator
def k(t, q, v, out):
    """The nonholonomic constraint (7.1c), nonlinear in the velocities."""
    out[0] = v[0] ** 2 * v[1] + 6.0 * q[0] * q[1] * v[0] - 4.0


@evaluator
def k_v(t, q, v, out):
    """K = ∂k/∂v."""
    out[0, 0] = 2.0 * v[0] * v[1] + 6.0 * q[0] * q[1]
    out[0, 1] = v[0] ** 2


@evaluator
def k_q(t, q, v, out):
    """∂k/∂q."""
    out[0, 0] = 6.0 * q[1] * v[0]
    out[0, 1] = 6.0 * q[0] * v[0]


def make() -> Problem:
    """The problem with the initial values of its exact solution y = (eᵗ, e⁻²ᵗ), ψ = e⁻ᵗ."""

    def system():
        return System(
            M=M, f=f, f_q=f_q, f_v=f_v, f_psi=f_psi, multipliers_in_f=True, k=k, nk=1, k_v=k_v, k_q=k_q, k_t=0,
            names={"q": ["y1", "y2"], "k": ["k"]}, drawing=drawing(),
        )  # fmt: skip

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))[:, None]
        up, down = np.exp(t), np.exp(-2.0 * t)
        return Reference(
            np.hstack([up, down]),
            np.hstack([up, -2.0 * down]),
            np.zeros((t.size, 0)),
            np.exp(-t),
            np.hstack([up, 4.0 * down]),
        )

    return Problem(
        name="jay",
        title="Test problem of Jay",
        summary="A mathematical test: a nonholonomic constraint, M(t, q) not symmetric, f nonlinear in ψ.",
        source="L. O. Jay, Convergence of the generalized-α method for constrained systems in mechanics with "
        "nonholonomic constraints (2011), (7.1)",
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
