"""The heavy top: a fast spin with gravity about a fixed point, the standard test of integrators on Lie groups."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Spherical
from genalpha.problems.ball_links import BallLinks
from genalpha.problems.problem import Problem

MASS, INERTIA = 15.0, np.array([0.234375, 0.46875, 0.234375])
POSITION, SPIN = np.array([0.0, 1.0, 0.0]), np.array([0.0, 150.0, -4.61538])
GRAVITY = np.array([0.0, 0.0, -9.81])

AFTER_TWO_SECONDS = np.array([-0.150416822747, -0.724165591637, -0.673022269560])
"""Position of the centre of mass at t = 2: the rotation alone, by DOP853 at 1e-13."""

KYNEMA = {
    1.0: (0.1733440435723, 0.6400887012666, -0.7484906793466),
    2.0: (-0.1504168894609, -0.7241654846853, -0.6730223697288),
}
"""Positions at t = 1 and 2 by another program, Kynema: its verification test ``dynamic_heavy_top``, h = 2e-6."""


def model(group: str = "R3xSO3", map: str = "exponential") -> Model:
    """The top on its tip; by default position and rotation apart."""
    top = Model("heavy top", gravity=GRAVITY, map=map)
    top.add(
        RigidBody(
            "top", mass=MASS, inertia=INERTIA, position=POSITION, velocity=np.cross(SPIN, POSITION),
            angular_velocity=SPIN, group=group,
        )
    )  # fmt: skip
    top.add(Spherical("tip", top.ground, "top", at=(0.0, 0.0, 0.0)))
    return top


def make(group: str = "R3xSO3", map: str = "exponential") -> Problem:
    """The top spins at 150 rad/s; its centre of mass is 1 m away from the tip.

    The reference is the motion of the rotation alone, by DOP853 at 1e-13, with the force in the tip from the exact
    accelerations. Another program, Kynema, has the same positions at t = 1 and t = 2 to 1e-7.
    """
    top = BallLinks(1, MASS, INERTIA, -POSITION, 0.0 * POSITION, GRAVITY)
    system = model(group, map).assemble()
    return Problem(
        name="heavy_top",
        title="Heavy top",
        summary="A top that spins at 150 rad/s on its tip: one body, one ball joint, the test of Lie group methods.",
        source="M. Géradin, A. Cardona, Flexible Multibody Dynamics, 2001; O. Brüls, A. Cardona, M. Arnold, Lie group "
        "generalized-α time integration of constrained flexible multibody systems, 2012, sec. 5; 004 sec. 5",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.2),
        h=1e-4,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=lambda t: top.reference([1.0, 0.0, 0.0, 0.0], SPIN, t, group),
        reference_is="rotation alone, DOP853 at 1e-13",
    )
