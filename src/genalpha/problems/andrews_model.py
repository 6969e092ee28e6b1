"""Andrews' squeezing mechanism as a model, with the numbers of `andrews`: bodies, pins, a spring, a torque."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.forces import SpringDamper, Torque
from genalpha.model.parts.joints import Revolute
from genalpha.problems import andrews
from genalpha.problems.andrews import (
    DA,
    EA,
    FA,
    L0,
    RA,
    RR,
    SA,
    SB,
    SC,
    SD,
    SPRING,
    SS,
    START,
    TA,
    TB,
    TORQUE,
    UA,
    UB,
    XA,
    XB,
    XC,
    YA,
    YB,
    YC,
    ZF,
    ZT,
    E,
    U,
)  # fmt: skip
from genalpha.problems.problem import Problem, no_reference

A, B, C = np.array([XA, YA]), np.array([XB, YB]), np.array([XC, YC])
BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON = START


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
    masses = (andrews.M1, andrews.M2, andrews.M3, andrews.M4, andrews.M5, andrews.M6, andrews.M7)
    inertias = (andrews.I1, andrews.I2, andrews.I3, andrews.I4, andrews.I5, andrews.I6, andrews.I7)
    for i, (angle, *where) in enumerate(bodies):
        centre = _from(where[0], angle, *where[1:])
        mechanism.add(RigidBody(f"K{i + 1}", mass=masses[i], inertia=inertias[i], position=centre, orientation=angle))
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
        source=andrews.make().source,
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
