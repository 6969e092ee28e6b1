"""The double pendulum between two stops as a model: joints of the library, and a tip that hits planes."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.joints import Revolute
from genalpha.problems import stops
from genalpha.problems.double_pendulum import GRAVITY, HALF, INERTIA, LENGTH, MASS
from genalpha.problems.problem import Problem


def model(width: float, e: float, q0) -> Model:
    """``upper`` and ``lower``, with the contacts ``left`` and ``right`` of the tip."""
    rods = Model("stops", gravity=(0.0, -GRAVITY), planar=True)
    for i, name in enumerate(("upper", "lower")):
        x, y, angle = q0[3 * i : 3 * i + 3]
        rods.add(RigidBody(name, mass=MASS, inertia=INERTIA, position=(x, y), orientation=angle))
    elbow = LENGTH * np.array([np.cos(q0[2]), np.sin(q0[2])])
    rods.add(Revolute("shoulder", rods.ground, "upper", at=(0.0, 0.0)))
    rods.add(Revolute("elbow", "upper", "lower", at=elbow))
    for name, side in (("left", -1.0), ("right", 1.0)):
        wall = Plane((side * width, 0.0), (-side, 0.0))
        rods.add(Contact(name, "lower", wall, restitution=e, on_a=(HALF, 0.0)))
    return rods


def make(width: float = 0.3, e: float = 0.8) -> Problem:
    """Problem "stops" through the door of models; the coordinates are the same, and so is the reference."""
    functions = stops.make(width, e)
    system = model(width, e, functions.q0).assemble()
    return Problem(
        name="stops_model",
        title="Double pendulum between two stops, as a model",
        summary="Contacts of a jointed mechanism: a point of a rod against planes; the same motion as from functions.",
        source=functions.source,
        system=lambda: system,
        q0=functions.q0,
        v0=functions.v0,
        t_span=functions.t_span,
        h=functions.h,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=functions.reference,
        reference_is=functions.reference_is,
        impact_times=functions.impact_times,
        conserves_energy=e == 1.0,
    )
