"""The slider-crank mechanism: the planar loop of every engine."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Prismatic, Revolute
from genalpha.problems.minimal import integrate, reactions
from genalpha.problems.problem import Problem, Reference

# crank, rod and piston; lengths, masses, inertias about the centres of mass
CRANK, ROD = 0.3, 0.6
MASSES = np.array([1.0, 2.0, 2.0])
INERTIAS = np.array([MASSES[0] * CRANK**2 / 12.0, MASSES[1] * ROD**2 / 12.0, 0.01])
GRAVITY, SPEED = 9.81, 15.0
MASS = np.array([[m, m, J] for m, J in zip(MASSES, INERTIAS, strict=True)]).ravel()


def positions(phi):
    """q (9,) and its first two derivatives with respect to the angle of the crank.

    The rod is at −ψ with ROD sin ψ = CRANK sin φ, from which ψ' = CRANK cos φ/(ROD cos ψ).
    """
    c, s = np.cos(phi), np.sin(phi)
    psi = np.arcsin(CRANK / ROD * s)
    C, S = np.cos(psi), np.sin(psi)
    d = CRANK * c / (ROD * C)
    dd = (-CRANK * s + ROD * S * d * d) / (ROD * C)
    x, y = CRANK * np.array([c, -s, -c]), CRANK * np.array([s, c, -s])
    u, w = ROD * np.array([C, -S * d, -C * d * d - S * dd]), ROD * np.array([-S, -C * d, S * d * d - C * dd])
    turn, swing, zero = np.array([phi, 1.0, 0.0]), -np.array([psi, d, dd]), np.zeros(3)
    return np.array([0.5 * x, 0.5 * y, turn, x + 0.5 * u, y + 0.5 * w, swing, x + u, zero, zero]).T


def rhs(_, y):
    """Lagrange's equation of the crank: m(φ) φ̈ + ½ m'(φ) φ̇² = −Σ m_i g y_i'."""
    _, slope, bend = positions(y[0])
    weight = GRAVITY * MASSES @ slope[1::3]
    return np.array([y[1], -(slope * MASS @ bend * y[1] ** 2 + weight) / (slope * MASS @ slope)])


def engine_without_small_end(name: str) -> Model:
    """``crank``, ``rod`` and ``piston``, in line at t0; nothing holds the rod and the piston together."""
    q, slope, _ = positions(0.0)
    v = SPEED * slope
    engine = Model(name, gravity=(0.0, -GRAVITY), planar=True)
    for i, name in enumerate(("crank", "rod", "piston")):
        x, y, angle = q[3 * i : 3 * i + 3]
        u, w, spin = v[3 * i : 3 * i + 3]
        engine.add(
            RigidBody(
                name, mass=MASSES[i], inertia=INERTIAS[i], position=(x, y), orientation=angle, velocity=(u, w),
                angular_velocity=spin,
            )
        )  # fmt: skip
    engine.add(Revolute("main", engine.ground, "crank", at=(0.0, 0.0)))
    engine.add(Revolute("big_end", "crank", "rod", at=(CRANK, 0.0)))
    engine.add(Prismatic("cylinder", engine.ground, "piston", at=(CRANK + ROD, 0.0), axis=(1.0, 0.0)))
    return engine


def model() -> Model:
    """``crank``, ``rod`` and ``piston``, in line at t0."""
    engine = engine_without_small_end("slider-crank")
    engine.add(Revolute("small_end", "rod", "piston", at=(CRANK + ROD, 0.0)))
    return engine


def make() -> Problem:
    """The crank turns at 15 rad/s when it points at the piston; nothing drives it.

    The reference is Lagrange's equation of the crank's angle, by DOP853 at 1e-13.
    """
    system = model().assemble()

    def reference(t):
        phi, omega = integrate(rhs, 0.0, [0.0, SPEED], t).T
        q, slope, bend = (x.copy() for x in np.stack([positions(angle) for angle in phi], axis=1))
        alpha = np.array([rhs(0.0, state)[1] for state in zip(phi, omega, strict=True)])
        v, vdot = slope * omega[:, None], bend * omega[:, None] ** 2 + slope * alpha[:, None]
        return Reference(q, v, reactions(system, q, v, vdot), np.zeros((len(q), 0)), vdot)

    return Problem(
        name="slider_crank",
        title="Slider-crank",
        summary="Crank, rod and piston in a cylinder: the planar loop of every engine, with a sliding joint.",
        source="E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989; numbers of ours",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 1.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="Lagrange's equation of the crank, DOP853 at 1e-13; multipliers from the exact accelerations",
    )
