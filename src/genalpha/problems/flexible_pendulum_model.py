"""The flexible pendulum of paper 002, section 6.2, as a model: a planar beam on a pin, and an obstacle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from genalpha.model.model import Model
from genalpha.model.parts.beams import Beam
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.joints import Revolute
from genalpha.model.parts.sections import Rigidity
from genalpha.problems import flexible_pendulum
from genalpha.problems.problem import Problem


def model(elements: int, L: float, e: float, gravity: float, rigidity: Rigidity) -> Model:
    """A ``beam`` on a ``pin`` at the origin, horizontal; its tip may hit the ``obstacle`` at x = L √½."""
    pendulum = Model("flexible pendulum", planar=True, gravity=(0.0, -gravity))
    beam = pendulum.add(Beam("beam", (0.0, 0.0), (L, 0.0), elements=elements, section=rigidity, mass="consistent"))
    pendulum.add(Revolute("pin", pendulum.ground, beam.nodes[0], at=(0.0, 0.0)))
    wall = Plane((L * np.sqrt(0.5), 0.0), (1.0, 0.0), name="wall")
    pendulum.add(Contact("obstacle", beam.nodes[-1], wall, restitution=e, radius_a=0.0))
    return pendulum


def make(
    elements: int = flexible_pendulum.ELEMENTS,
    L: float = flexible_pendulum.LENGTH,
    A: float = flexible_pendulum.AREA,
    inertia: float = flexible_pendulum.INERTIA,
    E: float = flexible_pendulum.MODULUS,
    rho: float = flexible_pendulum.DENSITY,
    poisson: float = flexible_pendulum.POISSON,
    gravity: float = flexible_pendulum.GRAVITY,
    e: float = 0.0,
) -> Problem:
    """The same numbers, elements and masses as in ``flexible_pendulum``; the pin is a joint."""
    functions = flexible_pendulum.make(elements, L, A, inertia, E, rho, poisson, gravity, e)
    shear = flexible_pendulum.shear_stiffness(A, E, poisson)
    rigidity = Rigidity(EA=E * A, GA=shear, EI=E * inertia, mass=rho * A, inertia=rho * inertia)
    system = model(elements, L, e, gravity, rigidity).assemble()
    return replace(
        functions,
        name="flexible_pendulum_model",
        title=f"Flexible pendulum as a model, {elements} elements",
        summary="The flexible pendulum of Brüls, Acary and Cardona made of a beam, a pin and a contact.",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
    )
