"""The elastic bar of paper 002, section 6.3, as a model: a linear bar, and an obstacle."""

from __future__ import annotations

from dataclasses import replace

from genalpha.model.model import Model
from genalpha.model.parts.beams import Bar
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.sections import Rigidity
from genalpha.problems import bar
from genalpha.problems.problem import Problem


def make(
    elements: int = bar.ELEMENTS,
    E: float = bar.MODULUS,
    rho: float = bar.DENSITY,
    L: float = bar.LENGTH,
    distance: float = bar.DISTANCE,
    speed: float = bar.SPEED,
    e: float = 0.0,
) -> Problem:
    """The same numbers and elements as in ``bar``, from x = −L to 0 in a plane; the obstacle is at x = distance."""
    functions = bar.make(elements, E, rho, L, distance, speed, e)
    flight = Model("bar", planar=True)
    section = Rigidity(EA=E, mass=rho)
    part = flight.add(
        Bar("bar", (-L, 0.0), (0.0, 0.0), elements=elements, section=section, linear=True, velocity=(speed, 0.0))
    )
    wall = Plane((distance, 0.0), (-1.0, 0.0), name="wall")
    flight.add(Contact("obstacle", part.nodes[-1], wall, restitution=e))
    system = flight.assemble()
    return replace(
        functions,
        name="bar_model",
        title=f"Elastic bar as a model, {elements} elements",
        summary="The bar of Brüls, Acary and Cardona made of linear elements between point masses, and a contact.",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
    )
