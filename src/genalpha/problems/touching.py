"""Spheres that touch: impacts and forces that are known exactly.

>>> from genalpha.problems import touching
>>> [round(force / touching.WEIGHT, 4) for force in touching.PILE.values()]
[1.3333, 0.2357, 0.4082]
"""

from __future__ import annotations

import numpy as np

from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.contacts import Contact, ContactGroup, Plane
from genalpha.model.parts.shapes import Sphere

RADIUS, MASS, GRAVITY = 0.1, 2.0, 9.81
WEIGHT = MASS * GRAVITY

PILE = {"floor": 4.0 / 3.0 * WEIGHT, "wall": WEIGHT / np.sqrt(18.0), "ball": WEIGHT / np.sqrt(6.0)}
"""Forces in the pile: under each lower ball, from its wall, and between it and the ball on top."""

OFFSET, SPEED, HEAVY, BOUNCE = 0.6, 2.0, 3.0, 0.7
"""Of the glancing collision: offset of the centres over 2 r, speed, mass ratio, coefficient of restitution."""


def ball(name: str, position, mass: float = MASS, **options) -> RigidBody:
    """A ball of radius `RADIUS`."""
    inertia = 0.4 * mass * RADIUS**2
    return RigidBody(name, mass=mass, inertia=(inertia,) * 3, shape=Sphere(RADIUS), position=position, **options)


def pile() -> Model:
    """Three balls that touch each other on a floor, each before a wall, and one on top of them: at rest.

    The top is held up by three forces N at √(2/3) to the vertical, 3 N √(2/3) = m g; their horizontal parts go to the
    walls, and the floor carries four balls with three.
    """
    model = Model("pile", gravity=(0.0, 0.0, -GRAVITY))
    out, planes = 2.0 * RADIUS / np.sqrt(3.0), [Plane(name="floor")]
    for i in range(3):
        angle = 2.0 * np.pi * i / 3.0
        direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        model.add(ball(f"ball{i}", out * direction + (0.0, 0.0, RADIUS)))
        planes.append(Plane((out + RADIUS) * direction, -direction, name=f"wall{i}"))
    top = model.add(ball("top", (0.0, 0.0, RADIUS + 2.0 * RADIUS * np.sqrt(2.0 / 3.0))))
    for i in range(3):
        model.add(Contact(f"floor{i}", f"ball{i}", planes[0]))
        model.add(Contact(f"wall{i}", f"ball{i}", planes[i + 1]))
        model.add(Contact(f"top{i}", top, f"ball{i}"))
    return model


def column(n: int) -> Model:
    """n balls on top of each other, at rest on a floor, in the group ``column``."""
    model = Model("column", gravity=(0.0, 0.0, -GRAVITY))
    names = [model.add(ball(f"ball{i}", (0.0, 0.0, RADIUS * (2 * i + 1)))).name for i in range(n)]
    model.add(ContactGroup("column", names, [Plane(name="floor")]))
    return model


def glancing() -> Model:
    """A ball flies past a heavier one at rest, too close: they meet at an angle."""
    model = Model("glancing")
    moving = model.add(ball("moving", (-3.0 * RADIUS, 2.0 * RADIUS * OFFSET, 0.0), velocity=(SPEED, 0.0, 0.0)))
    resting = model.add(ball("resting", (0.0, 0.0, 0.0), mass=HEAVY * MASS))
    model.add(Contact("contact", moving, resting, restitution=BOUNCE))
    return model


def velocities_after() -> np.ndarray:
    """Of both balls after the glancing collision (2, 3): Newton's law along the line of their centres."""
    line = np.array([-np.sqrt(1.0 - OFFSET**2), OFFSET, 0.0])
    before = np.array([SPEED, 0.0, 0.0])
    impulse = -(1.0 + BOUNCE) * (before @ line) / (1.0 + 1.0 / HEAVY)  # over the mass of the first
    return np.array([before + impulse * line, -impulse / HEAVY * line])
