"""A round disk at the free end of an elastic shaft without mass, whose whirl is known in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.forces import Bushing
from genalpha.model.parts.joints import Revolute
from genalpha.model.parts.shapes import Cylinder

MASS, ACROSS, AXIAL = 5.0, 0.03, 0.056
"""Of the disk."""
HUB, HUB_ACROSS, HUB_AXIAL = 0.5, 1e-3, 5e-4
"""Of the bearing that carries it and does not turn."""
EI, EA, GJ, LENGTH = 900.0, 2e7, 700.0, 0.4
"""Of the shaft, which is clamped at the other end."""


def model(speed: float, group: str = "R3xSO3", length: float = 1.0, mass: float = 1.0) -> Model:
    """The ``disk`` turns about z on the ``hub``, which the ``shaft`` holds.

    Parameters
    ----------
    speed : float
        In rad/s.
    group : {"R3xSO3", "SE3"}
    length, mass : float
        One metre and one kilogram in the units of the model; seconds stay seconds.
    """
    rotor, bending = Model("overhung rotor"), EI / LENGTH
    sizes = {"group": group, "position": (0.0, 0.0, LENGTH * length)}
    disk = RigidBody(
        "disk", mass=MASS * mass, inertia=np.array([ACROSS, ACROSS, AXIAL]) * mass * length**2,
        shape=Cylinder(0.15 * length, 0.02 * length), angular_velocity=(0.0, 0.0, speed), **sizes,
    )  # fmt: skip
    inertia = np.array([HUB_ACROSS, HUB_ACROSS, HUB_AXIAL]) * mass * length**2
    rotor.add(disk)
    hub = rotor.add(RigidBody("hub", mass=HUB * mass, inertia=inertia, **sizes))
    rotor.add(Revolute("bearing", hub, disk, at=sizes["position"], axis=(0.0, 0.0, 1.0)))
    K = np.diag([12.0 * bending / LENGTH**2] * 2 + [EA / LENGTH] + [4.0 * bending] * 2 + [GJ / LENGTH])
    K[0, 4] = K[4, 0] = -6.0 * bending / LENGTH
    K[1, 3] = K[3, 1] = 6.0 * bending / LENGTH
    unit = np.array([1.0] * 3 + [length] * 3)
    rotor.add(Bushing("shaft", rotor.ground, hub, stiffness=mass * np.outer(unit, unit) * K))
    return rotor


def whirl(speed: float) -> NDArray[np.float64]:
    """Angular velocities (4,) of whirl in space, rad/s, lowest first; negative ones go against the disk.

    With x + iy and θ_y − iθ_x in the place of deflection and slope, those of e^{iωt} are the roots of

        (k₁₁ − m ω²) (k₂₂ − A ω² + C Ω ω) − k₁₂² = 0
    """
    bending = EI / LENGTH
    k11, k12, k22 = 12.0 * bending / LENGTH**2, 6.0 * bending / LENGTH, 4.0 * bending
    m, A, C = MASS + HUB, ACROSS + HUB_ACROSS, AXIAL * speed
    roots = np.roots(np.polysub(np.polymul([-m, 0.0, k11], [-A, C, k22]), [k12**2]))
    return np.sort(roots.real)


def others() -> NDArray[np.float64]:
    """Angular frequencies along and about the shaft, rad/s, which do not depend on the speed."""
    return np.sqrt([EA / LENGTH / (MASS + HUB), GJ / LENGTH / HUB_AXIAL])
