"""A chain of rods on ball joints: what the speed of linear algebra on the graph of joints is measured with."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Spherical
from genalpha.model.parts.shapes import Box
from genalpha.problems.ball_links import BallLinks
from genalpha.problems.problem import Problem

ROD, DENSITY = Box((0.2, 0.04, 0.04)), 1000.0
GRAVITY, SPIN = np.array([0.0, 0.0, -9.81]), np.array([0.0, 0.0, 1.0])
HALF = np.array([0.1, 0.0, 0.0])


def model(bodies: int, group: str = "R3xSO3", name: str = "chain") -> Model:
    """Rods ``rod0``, ``rod1``, ... in a row along x, on ball joints ``ball0``, ..., the first one on the ground."""
    chain = Model(name, gravity=GRAVITY)
    before = chain.ground
    for i in range(bodies):
        centre = (2 * i + 1) * HALF
        rod = RigidBody(
            f"rod{i}", shape=ROD, density=DENSITY, position=centre, velocity=np.cross(SPIN, centre),
            angular_velocity=SPIN, group=group,
        )  # fmt: skip
        chain.add(rod)
        chain.add(Spherical(f"ball{i}", before, rod, at=2 * i * HALF))
        before = rod
    return chain


def links(bodies: int) -> BallLinks:
    """The same chain in its rotations."""
    return BallLinks(bodies, DENSITY * ROD.volume, DENSITY * np.diag(ROD.inertia), -HALF, HALF, GRAVITY)


def make(bodies: int = 4, group: str = "R3xSO3") -> Problem:
    """The chain is straight along x, turns about z at 1 rad/s, and begins to fall.

    The reference is the motion of the rotations, by DOP853 at 1e-13; multipliers from the exact accelerations.
    """
    if not (isinstance(bodies, int) and bodies >= 1):
        raise InputError(f"a chain has at least one body, not {bodies!r}")
    system = model(bodies, group).assemble()
    upright, spins = np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1)), np.tile(SPIN, (bodies, 1))
    return Problem(
        name="chain",
        title=f"Chain of {bodies} rods",
        summary="Rods on ball joints that turn and fall: the bodies and joints of any large open chain.",
        source="rods of 0.2 x 0.04 x 0.04 m as in the chains that Exudyn's examples and benchmarks are made of",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.5),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=lambda t: links(bodies).reference(upright, spins, t, group),
        reference_is="rotations of the rods, DOP853 at 1e-13; multipliers from the exact accelerations",
    )
