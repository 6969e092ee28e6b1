"""A rotor of three flexible blades on a flexible tower, with the proportions of a wind turbine."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.beams import Beam
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Fixed, Revolute
from genalpha.model.parts.sections import Material, Section
from genalpha.model.parts.shapes import Box, Sphere
from genalpha.problems.problem import Problem, no_reference

HEIGHT, RADIUS, OVERHANG, HUB = 2.0, 1.0, 0.1, 0.04
TOWER, STEEL = Section.tube(0.025, 0.023), Material(E=2.1e11, density=8000.0)
BLADE, GLASS = Section.tube(0.01, 0.009), Material(E=3e10, density=1900.0)
NACELLE, CENTRE = 4.0, 0.8
"""Masses of the nacelle and of the hub."""


def model(elements: int, speed: float, gravity: float) -> Model:
    """``tower``, ``nacelle``, ``hub`` and ``blade0`` ... ``blade2``; the rotor turns about x on the ``shaft``."""
    turbine = Model("rotor", gravity=(0.0, 0.0, -gravity))
    tower = turbine.add(
        Beam("tower", (0.0, 0.0, 0.0), (0.0, 0.0, HEIGHT), elements=elements, section=TOWER, material=STEEL)
    )  # fmt: skip
    turbine.add(
        RigidBody(
            "nacelle", mass=NACELLE, inertia=(0.01, 0.02, 0.02), position=(0.0, 0.0, HEIGHT), shape=Box((0.2, 0.1, 0.1))
        )
    )
    centre, spin = np.array([OVERHANG, 0.0, HEIGHT]), np.array([speed, 0.0, 0.0])
    turbine.add(
        RigidBody(
            "hub", mass=CENTRE, inertia=(8e-4, 6e-4, 6e-4), position=centre, angular_velocity=spin, shape=Sphere(HUB)
        )
    )
    turbine.add(Fixed("foundation", turbine.ground, tower.nodes[0], at=(0.0, 0.0, 0.0)))
    turbine.add(Fixed("flange", tower.nodes[-1], "nacelle", at=(0.0, 0.0, HEIGHT)))
    turbine.add(Revolute("shaft", "nacelle", "hub", at=centre, axis=(1.0, 0.0, 0.0)))
    for i in range(3):
        turn = 2.0 * np.pi * i / 3.0
        out = np.array([0.0, np.sin(turn), np.cos(turn)])
        root, tip = centre + HUB * out, centre + RADIUS * out
        blade = turbine.add(
            Beam(
                f"blade{i}", root, tip, elements=elements, section=BLADE, material=GLASS, across=(1.0, 0.0, 0.0),
                velocity=np.cross(spin, HUB * out), angular_velocity=spin, viscosity=1e-4,
            )
        )  # fmt: skip
        turbine.add(Fixed(f"root{i}", "hub", blade.nodes[0], at=root))
    return turbine


def make(elements: int = 4, speed: float = 15.0, gravity: float = 9.81) -> Problem:
    """A tower of 2 m, blades of 0.96 m, at 15 rad/s; tower and blades are straight at t0 and begin to vibrate."""
    system = model(elements, speed, gravity).assemble()
    return Problem(
        name="rotor",
        title=f"Rotor on a tower, {4 * elements} elements",
        summary="Three flexible blades turn on a flexible tower; weight and centrifugal forces bend and stretch them.",
        source="numbers of ours, a turbine of 1.5 MW on a scale of 1:40",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 1.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none; the tower's frequency and the tension of the blades can be estimated by hand",
        conserves_energy=False,
    )
