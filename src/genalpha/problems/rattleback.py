"""The rattleback: a stone that spins one way only. Spun the other way, it begins to rattle and turns back."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.rolling import RollingEllipsoid
from genalpha.model.parts.shapes import Box
from genalpha.problems.problem import Problem, no_reference

MASS, GRAVITY = 1.0, 9.81
RADII, DEPTH = np.array([0.2, 0.03, 0.02]), 0.01
"""Semi-axes of the ellipsoid, and how far the centre of mass lies below its centre."""
ACROSS, ALONG, VERTICAL, TWIST = 2e-4, 1.6e-3, 1.7e-3, -2e-5
"""Inertia about x, y and z, and the product of inertia that turns its principal axes against those of the ellipsoid."""


def model(spin: float, tilt: float, twist: float = TWIST) -> Model:
    """A body ``stone`` that spins about the vertical through its point of contact, tilted about its long axis."""
    c, s = np.cos(tilt), np.sin(tilt)
    up = np.array([0.0, s, c])  # the vertical, seen from the stone
    R = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    height = float(np.sqrt(up @ (RADII**2 * up)))
    lever = R @ (np.array([0.0, 0.0, DEPTH]) - RADII**2 * up / height)  # from the centre of mass to the contact
    omega = np.array([0.0, 0.0, spin])
    table = Model("rattleback", gravity=(0.0, 0.0, -GRAVITY))
    stone = RigidBody(
        "stone", mass=MASS, inertia=[[ACROSS, twist, 0.0], [twist, ALONG, 0.0], [0.0, 0.0, VERTICAL]],
        shape=Box(tuple(1.6 * RADII)), position=(0.0, 0.0, -lever[2]),
        orientation=(np.cos(0.5 * tilt), np.sin(0.5 * tilt), 0.0, 0.0),
        velocity=-np.cross(omega, lever), angular_velocity=omega,
    )  # fmt: skip
    table.add(stone)
    centre = np.array([0.0, 0.0, -lever[2]]) + R @ [0.0, 0.0, DEPTH]
    table.add(RollingEllipsoid("belly", table.ground, stone, radii=RADII, centre=centre))
    return table


def small_frequency() -> float:
    """ω of small rocking about the long axis, without spin and twist: ω² = m g (b²/c − d)/(J + m d²), d the height."""
    d = RADII[2] - DEPTH
    return float(np.sqrt(MASS * GRAVITY * (RADII[1] ** 2 / RADII[2] - d) / (ACROSS + MASS * d**2)))


def make(spin: float = 5.0, tilt: float = 0.01) -> Problem:
    """A stone with the numbers of Kane and Levinson, spun in the direction that it does not like."""
    system = model(spin, tilt).assemble()
    return Problem(
        name="rattleback",
        title="Rattleback",
        summary="An ellipsoid rolls without slipping; its principal axes are twisted, and it reverses its spin.",
        source="T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, International Journal "
        "of Non-Linear Mechanics 17 (1982)",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 8.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.95),
        reference=no_reference,
        reference_is="the frequency of small rocking, the energy, and the direction in which it ends",
    )
