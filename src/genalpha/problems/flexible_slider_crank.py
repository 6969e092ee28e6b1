"""A slider-crank with a flexible rod, whose piston runs into a stop."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.beams import Beam
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.joints import Prismatic, Revolute
from genalpha.model.parts.sections import Material, Section
from genalpha.problems.problem import Problem, no_reference

CRANK, ROD, SPEED = 0.15, 0.3, 60.0


def model(elements: int, thickness: float, stop: float | None, restitution: float) -> Model:
    """``crank``, ``rod`` and ``piston``; at t0 the crank points up and the piston moves outwards."""
    engine = Model("flexible slider-crank", planar=True)
    reach, v = np.sqrt(ROD**2 - CRANK**2), (SPEED * CRANK, 0.0)
    engine.add(
        RigidBody("crank", mass=0.5, inertia=0.5 * CRANK**2 / 3.0, orientation=0.5 * np.pi, angular_velocity=-SPEED)
    )
    rod = engine.add(
        Beam(
            "rod", (0.0, CRANK), (reach, 0.0), elements=elements, velocity=v, rayleigh=(0.0, 2e-5),
            section=Section.rectangle(height=thickness, width=0.01), material=Material(E=7e10, density=2700.0),
        )
    )  # fmt: skip
    engine.add(RigidBody("piston", mass=0.2, inertia=1e-4, position=(reach, 0.0), velocity=v))
    engine.add(Revolute("main", engine.ground, "crank", at=(0.0, 0.0)))
    engine.add(Revolute("big_end", "crank", rod.nodes[0], at=(0.0, CRANK)))
    engine.add(Revolute("small_end", rod.nodes[-1], "piston", at=(reach, 0.0)))
    engine.add(Prismatic("cylinder", engine.ground, "piston", at=(reach, 0.0), axis=(1.0, 0.0)))
    if stop is not None:
        wall = Plane((stop, 0.0), (-1.0, 0.0), name="stop")
        engine.add(Contact("stop", "piston", wall, restitution=restitution, radius_a=0.0))
    return engine


def make(elements: int = 6, thickness: float = 0.006, stop: float | None = 0.4, restitution: float = 0.3) -> Problem:
    """A crank of 0.15 m at 60 rad/s and a rod of 0.3 m; the piston would reach 0.45 m, but is stopped at 0.4 m.

    The rod bends in its own vibration when the piston is hit back. ``stop=None``: nothing is in the way.
    """
    system = model(elements, thickness, stop, restitution).assemble()
    return Problem(
        name="flexible_slider_crank",
        title=f"Slider-crank with a flexible rod of {elements} elements",
        summary="A piston at the end of a flexible rod runs into a stop; the impact makes the rod vibrate.",
        source="numbers of ours; the mechanism is that of E. J. Haug, Computer Aided Kinematics and Dynamics of "
        "Mechanical Systems, 1989",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.04),
        h=2e-5,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none; with a stiff rod and without the stop it is that of a rigid slider-crank",
        conserves_energy=False,
    )
