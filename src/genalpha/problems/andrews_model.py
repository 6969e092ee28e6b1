"""Andrews' squeezing mechanism as a model: seven planar bodies, ten pins, a spring and a torque."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.bodies import RigidBody
from genalpha.model.forces import SpringDamper, Torque
from genalpha.model.joints import Revolute
from genalpha.model.model import Model
from genalpha.problems.problem import Problem, no_reference

# the letters of the source, in m, kg, N
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
D, DA, E, EA, RR, RA, L0 = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.07785
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
ZT, TA, TB, U, UA, UB, ZF, FA = 0.04, 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.01421
SPRING, TORQUE = 4530.0, 0.033

BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON = START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
    -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip

PUBLISHED = np.array([
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263,
])  # fmt: skip
"""The published angles (β, Θ, γ, Φ, δ, Ω, ε) at t = 0.03 s."""


def angles(q):
    """(β, Θ, γ, Φ, δ, Ω, ε) (..., 7) of the configuration (..., 21)."""
    K1, K2, K3, K4, K5, K6, K7 = np.moveaxis(np.asarray(q)[..., 2::3], -1, 0)
    return np.stack([K1, K2 - K1, K3, K4 - K5, K5, K6 - K7, K7], axis=-1)


def model() -> Model:
    """Bodies ``K1`` to ``K7`` at rest; joints have the letters of their points."""
    mechanism = Model("Andrews", planar=True)
    # the angle of each body, and its centre of mass as seen along and across this angle from a point of it
    crank, knee = _from(np.zeros(2), BETA, RR, 0.0), _from(A, DELTA, ZT, 0.0)
    elbow, end = _from(A, EPSILON, 0.0, -U), _from(B, GAMMA, 0.0, -SS)
    bodies = (
        (BETA, np.zeros(2), RA, 0.0), (BETA + THETA, crank, -DA, 0.0), (GAMMA, B, SB, -SA),
        (PHI + DELTA, knee, 0.0, EA - E), (DELTA, A, TA, TB), (OMEGA + EPSILON, elbow, ZF - FA, 0.0),
        (EPSILON, A, -UB, -UA),
    )  # fmt: skip
    for i, (angle, *where) in enumerate(bodies):
        centre = _from(where[0], angle, *where[1:])
        mechanism.add(RigidBody(f"K{i + 1}", mass=MASSES[i], inertia=INERTIAS[i], position=centre, orientation=angle))
    pins = (
        ("O", "ground", "K1", (0.0, 0.0)), ("F", "K1", "K2", crank), ("B", "ground", "K3", B),
        ("A5", "ground", "K5", A), ("A7", "ground", "K7", A), ("G", "K5", "K4", knee), ("H", "K7", "K6", elbow),
        ("E3", "K2", "K3", end),
        ("E4", "K2", "K4", end), ("E6", "K2", "K6", end),
    )  # fmt: skip
    for name, a, b, point in pins:
        mechanism.add(Revolute(name, a, b, at=point))
    mechanism.add(
        SpringDamper("spring", "ground", "K3", stiffness=SPRING, length=L0, at_a=C, at_b=_from(B, GAMMA, SD, -SC))
    )
    mechanism.add(Torque("motor", "K1", TORQUE))
    return mechanism


def _from(point, angle, along, across):
    """A point as seen from another one along and across an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return point + np.array([c * along - s * across, s * along + c * across])


def make() -> Problem:
    """The mechanism at rest; the crank turns two and a half times in 0.03 s."""
    system = model().assemble()
    return Problem(
        name="andrews_model",
        title="Andrews' mechanism, a model",
        summary="Seven planar bodies, ten pins, a spring and a torque: several loops, and accelerations of 1e6 rad/s².",
        source="E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sec. VII.7; F. Mazzia, C. Magherini, "
        "Test Set for Initial Value Problem Solvers, 2008, problem andrews",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.03),
        h=1e-5,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=no_reference,
        reference_is="the published angles at 0.03 s",
        conserves_energy=False,
    )
