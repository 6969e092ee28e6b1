"""A coin that rolls in a circle, leaning inwards: rolling as a joint of a model, with an exact solution."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.rolling import RollingDisk
from genalpha.model.parts.shapes import Cylinder
from genalpha.problems.problem import Problem, Reference

MASS, RADIUS, GRAVITY = 0.5, 0.5, 9.81
ACROSS, AXIAL = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2


def rate(lean: float, circle: float) -> float:
    """Ω, at which a coin that leans by ``lean`` rolls round a circle of this radius.

    Its centre goes round at ρ = R − r sin β, it spins at −Ω R/r about its axle, and the moment of the contact force
    about its centre turns its angular momentum:

        Ω² cos β (C R/r + (A − C) sin β + m r ρ) = m g r sin β
    """
    s, c = np.sin(lean), np.cos(lean)
    moment = AXIAL * circle / RADIUS + (ACROSS - AXIAL) * s + MASS * RADIUS * (circle - RADIUS * s)
    return float(np.sqrt(MASS * GRAVITY * RADIUS * s / (c * moment)))


def model(lean: float, circle: float) -> Model:
    """A thin disk ``coin`` on the ground, at (R, 0) of its circle and moving towards y."""
    from genalpha.math.so3 import quaternion

    omega, s, c = rate(lean, circle), np.sin(lean), np.cos(lean)
    way = circle - RADIUS * s
    spin = omega * np.array([0.0, 0.0, 1.0]) - omega * circle / RADIUS * np.array([c, 0.0, s])
    table = Model("coin", gravity=(0.0, 0.0, -GRAVITY))
    coin = RigidBody(
        "coin", mass=MASS, inertia=(ACROSS, ACROSS, AXIAL), shape=Cylinder(RADIUS, 0.06 * RADIUS),
        position=(way, 0.0, RADIUS * c), orientation=quaternion(axes(lean)), velocity=(0.0, omega * way, 0.0),
        angular_velocity=spin,
    )  # fmt: skip
    table.add(coin)
    table.add(RollingDisk("rim", table.ground, coin, radius=RADIUS, axis=(c, 0.0, s)))
    return table


def axes(lean: float):
    """The axes of the coin at the start: along its way, up within it, along its axle."""
    s, c = np.sin(lean), np.cos(lean)
    return np.array([[0.0, -s, c], [1.0, 0.0, 0.0], [0.0, c, s]])


def make(lean: float = 0.35, circle: float = 2.0) -> Problem:
    """A coin of radius 0.5 m that leans by 20 degrees and rolls round a circle of 2 m."""
    if not (0.0 < lean < 0.5 * np.pi and circle > RADIUS):
        raise InputError(f"a coin leans by 0 < lean < π/2 round a circle > {RADIUS}, not {lean!r} and {circle!r}")
    system = model(lean, circle).assemble()
    omega, s, c = rate(lean, circle), np.sin(lean), np.cos(lean)
    way, spin = circle - RADIUS * s, -omega * circle / RADIUS

    def reference(t):
        from genalpha.math.so3 import exp, multiply, quaternion

        t = np.atleast_1d(np.asarray(t, dtype=float))
        o, cos, sin = np.zeros_like(t), np.cos(omega * t), np.sin(omega * t)
        start = quaternion(axes(lean))
        turns = np.array([multiply(multiply(exp([0, 0, omega * x]), start), exp([0, 0, spin * x])) for x in t])
        q = np.column_stack([way * cos, way * sin, o + RADIUS * c, turns])
        u, w, axial = np.cos(spin * t), np.sin(spin * t), spin + omega * s
        v = np.column_stack([-omega * way * sin, omega * way * cos, o, omega * c * w, omega * c * u, o + axial])
        vdot = np.column_stack(
            [-(omega**2) * way * cos, -(omega**2) * way * sin, o, spin * omega * c * u, -spin * omega * c * w, o]
        )
        # the tangents of the plane are y and −x
        return Reference(q, v, np.column_stack([o + MASS * GRAVITY]), MASS * vdot[:, [1, 0]] * [1.0, -1.0], vdot)

    return Problem(
        name="rolling_coin",
        title="Coin in a circle",
        summary="A disk rolls without slipping: one row for its height, two for its velocity; an exact circle.",
        source="E. J. Routh, Dynamics of a System of Rigid Bodies, Advanced Part (1905); derived in the problem",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 4.0),
        h=2e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="steady rolling, exact",
    )
