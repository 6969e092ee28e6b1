"""Bricard's six-bar loop: every count of constraints says that it is rigid, and it moves."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.bodies import RigidBody
from genalpha.model.joints import Revolute
from genalpha.model.model import Model
from genalpha.model.shapes import Box
from genalpha.problems.problem import Problem, no_reference

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
"""Of a cube, along its edges; the last edge, back to the first corner, is the ground."""

AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]
"""Of the hinges in the corners: each one is perpendicular to both edges."""


def model() -> Model:
    """Rods ``rod0``, ... ``rod4`` of 1 m and 1 kg between hinges ``hinge0``, ... ``hinge5``."""
    loop = Model("bricard", gravity=(0.0, -9.81, 0.0))
    for i in range(5):
        along = np.abs(CORNERS[i + 1] - CORNERS[i])
        box = Box(tuple(np.where(along > 0.5, 1.0, 0.1)))
        loop.add(RigidBody(f"rod{i}", shape=box, density=100.0, position=0.5 * (CORNERS[i] + CORNERS[i + 1])))
    bodies = [loop.ground, *loop.bodies, loop.ground]
    for i in range(6):
        loop.add(Revolute(f"hinge{i}", bodies[i], bodies[i + 1], at=CORNERS[i], axis=AXES[i]))
    return loop


def closure(angles):
    """cos θ + cos φ + cos θ cos φ of the angles θ and φ of neighbouring hinges, which is zero in this loop."""
    x, y = np.sin(angles[0]), np.sin(angles[1])
    return x + y + x * y


def make() -> Problem:
    """The rods lie along edges of a cube and fall.

    The angles of its hinges are θ and φ by turns, with cos θ + cos φ + cos θ cos φ = 0 (Y. Chen, Z. You, T. Tarnai,
    International Journal of Solids and Structures 42 (2005)); at the start both are right angles. The thirty rows of
    the hinges have rank 29 all the time.
    """
    system = model().assemble()
    return Problem(
        name="bricard",
        title="Bricard's loop",
        summary="Six bars and six hinges in space: one constraint is redundant, and what should be rigid moves.",
        source="IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems, A04; "
        "M. González et al., Multibody System Dynamics 16 (2006)",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 10.0),
        h=2e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=no_reference,
        reference_is="the relation between the angles of its hinges, and the energy",
    )
