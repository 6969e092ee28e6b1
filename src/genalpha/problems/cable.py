"""A swinging cable that falls on a floor."""

from __future__ import annotations

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.beams import Beam
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.joints import Revolute
from genalpha.model.parts.sections import Material, Section
from genalpha.problems.problem import Problem, no_reference


def make(elements: int = 12, height: float = 0.7, restitution: float = 0.0) -> Problem:
    """A rubber cable of 1 m on an eye above a floor, horizontal and at rest at t0; its outer half may touch it."""
    model = Model("cable", planar=True, gravity=(0.0, -9.81))
    rubber = Material(E=5e6, density=1100.0, poisson=0.45)
    cable = model.add(
        Beam(
            "cable", (0.0, height), (1.0, height), elements=elements, section=Section.circle(0.008), material=rubber,
            viscosity=2e-3,
        )
    )  # fmt: skip
    model.add(Revolute("eye", model.ground, cable.nodes[0], at=(0.0, height)))
    floor = Plane((0.0, 0.0), (0.0, 1.0), name="floor")
    for node in cable.nodes[(elements + 1) // 2 :]:
        model.add(Contact(f"{node.name} on floor", node, floor, restitution=restitution, radius_a=0.008))
    system = model.assemble()
    return Problem(
        name="cable",
        title=f"Cable above a floor, {elements} elements",
        summary="A cable swings down from an eye and falls on a floor with many nodes, some of which stay there.",
        source="numbers of ours",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.8),
        h=5e-4,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none; the first touch lies between the times of free fall to the floor and of a rigid rod",
        conserves_energy=False,
    )
