"""The linear oscillator  q̈ + 2ζω q̇ + ω² q = 0."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Drawing, Line

# p = (ω, ζ)


@evaluator
def f(t, q, v, p):
    """Spring and damper, per mass."""
    return -(p[0] ** 2) * q - 2.0 * p[1] * p[0] * v


@evaluator
def f_q(t, q, v, p):
    """∂f/∂q."""
    return np.array([[-(p[0] ** 2)]])


@evaluator
def f_v(t, q, v, p):
    """∂f/∂v."""
    return np.array([[-2.0 * p[1] * p[0]]])


def energy(t, q, v, p):
    """Kinetic and potential energy, per mass."""
    return 0.5 * v @ v, 0.5 * p[0] ** 2 * q @ q


def drawing(reach: float) -> Drawing:
    """A block on a coil spring."""
    turn = np.linspace(0.0, 16.0 * np.pi, 120)
    coil = 0.16 * reach * np.stack([np.zeros_like(turn), np.cos(turn), np.sin(turn)], axis=1)
    along = np.linspace(0.0, 1.0, turn.size)[:, None] * [1.0, 0.0, 0.0]
    wall, half = -2.4 * reach, 0.25 * reach

    def spring(t, q):
        return coil + [wall, 0.0, 0.0] + along * (q[0] - half - wall)

    return Drawing(
        Body("mass", Box(size=(2.0 * half,) * 3), position=lambda t, q: (q[0], 0.0)),
        Line("spring", spring, radius=0.025 * reach),
        Body("wall", Box(size=(0.1 * reach, reach, reach)), position=(wall - 0.05 * reach, 0.0), fixed=True),
    )


def make(omega: float = 2.0 * np.pi, zeta: float = 0.0, q0: float = 1.0, v0: float = 0.0) -> Problem:
    """The oscillator of angular frequency omega and damping ratio 0 ≤ zeta < 1.

    The reference is exact: q = Re(A e^{zt}) with z = −ζω + iω√(1 − ζ²).
    """
    if not (omega > 0.0 and 0.0 <= zeta < 1.0):
        raise InputError(f"omega = {omega!r}, zeta = {zeta!r}: the oscillator needs omega > 0 and 0 <= zeta < 1")

    def system():
        return System(
            M=np.eye(1), f=f, f_q=f_q, f_v=f_v, energy=energy, names={"q": ["x"]}, params=(omega, zeta),
            drawing=drawing(abs(q0) + abs(v0) / omega),
        )  # fmt: skip

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))[:, None]
        damped = omega * np.sqrt(1.0 - zeta**2)
        z = complex(-zeta * omega, damped)
        motion = complex(q0, -(v0 + zeta * omega * q0) / damped) * np.exp(z * t)
        empty = np.zeros((t.size, 0))
        return Reference(motion.real, (z * motion).real, empty, empty, (z * z * motion).real)

    return Problem(
        name="oscillator",
        title="Linear oscillator",
        summary="One mass on a spring, with a damper if zeta > 0; it defines spectral radius and period error.",
        source="J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375",
        system=system,
        q0=np.array([q0]),
        v0=np.array([v0]),
        t_span=(0.0, 5.0),
        h=0.01,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="exact",
        conserves_energy=zeta == 0.0,
    )
