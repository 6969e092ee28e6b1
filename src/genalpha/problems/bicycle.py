"""Whipple's bicycle with the numbers of a benchmark: two wheels that roll, a frame with its rider, a fork.

Axes: x forward, y to the left, z up; those of the source have y to the right and z down, which changes the signs of the
products of inertia. The wheels touch the ground at x = 0 and x = w at the start.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Revolute
from genalpha.model.parts.rolling import RollingDisk
from genalpha.model.parts.shapes import Box, Cylinder
from genalpha.problems.problem import Problem, no_reference

SOURCE = (
    "J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, Linearized dynamics equations for the balance and "
    "steer of a bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007) 1955-1982, table 1, (5.4) and table 2"
)
GRAVITY, WHEELBASE, TRAIL, TILT = 9.81, 1.02, 0.08, np.pi / 10.0
REAR, FRONT = 0.3, 0.35
"""Radii of the wheels."""
ON_EDGE = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
"""Orientation of a wheel, its third axis across."""

# table 1: mass, centre of mass (x, z), inertia; the axles are the third axes of the wheels
BODIES = {
    "rear": (2.0, (0.0, REAR), np.diag([0.0603, 0.0603, 0.12])),
    "frame": (85.0, (0.3, 0.9), np.array([[9.2, 0.0, -2.4], [0.0, 11.0, 0.0], [-2.4, 0.0, 2.8]])),
    "fork": (4.0, (0.9, 0.7), np.array([[0.05892, 0.0, 0.00756], [0.0, 0.06, 0.0], [0.00756, 0.0, 0.00708]])),
    "front": (3.0, (WHEELBASE, FRONT), np.diag([0.1405, 0.1405, 0.28])),
}

# (5.4): M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0 of lean and steer
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


def eigenvalues(speed: float) -> NDArray[np.complex128]:
    """Roots (4,) of lean and steer at a speed in m/s, by the matrices that the source prints, by their real parts."""
    C, K = speed * C1, GRAVITY * K0 + speed**2 * K2
    first = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return np.sort_complex(np.linalg.eigvals(first).astype(complex))


def model(speed: float, lean_rate: float = 0.0, group: str = "R3xSO3") -> Model:
    """``rear`` and ``front`` wheel, ``frame`` with its rider and ``fork``, upright and rolling straight ahead.

    Parameters
    ----------
    speed : float
        In m/s.
    lean_rate : float
        All of it turns about the line through the points that touch, in rad/s.
    group : {"R3xSO3", "SE3"}
    """
    bicycle, lean = Model("bicycle", gravity=(0.0, 0.0, -GRAVITY)), np.array([lean_rate, 0.0, 0.0])
    radii = {"rear": REAR, "front": FRONT}
    shapes = {name: Cylinder(radius, 0.03) for name, radius in radii.items()}
    shapes |= {"frame": Box((0.8, 0.1, 0.5)), "fork": Box((0.06, 0.06, 0.7))}
    for name, (mass, (x, z), inertia) in BODIES.items():
        place = np.array([x, 0.0, z])
        spin = np.array([0.0, speed / radii[name], 0.0]) if name in radii else np.zeros(3)
        bicycle.add(
            RigidBody(
                name, mass=mass, inertia=inertia, shape=shapes[name], position=place, group=group,
                orientation=ON_EDGE if name in radii else (1.0, 0.0, 0.0, 0.0),
                velocity=np.array([speed, 0.0, 0.0]) + np.cross(lean, place), angular_velocity=lean + spin,
            )
        )  # fmt: skip
    across, steer = (0.0, 1.0, 0.0), np.array([-np.sin(TILT), 0.0, np.cos(TILT)])
    head = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) + 0.8 / np.cos(TILT) * steer
    bicycle.add(Revolute("rear axle", "frame", "rear", at=(0.0, 0.0, REAR), axis=across))
    bicycle.add(Revolute("steering", "frame", "fork", at=head, axis=steer))
    bicycle.add(Revolute("front axle", "fork", "front", at=(WHEELBASE, 0.0, FRONT), axis=across))
    for wheel, radius in radii.items():
        x = BODIES[wheel][1][0]
        bicycle.add(
            RollingDisk(f"{wheel} tyre", bicycle.ground, wheel, centre=(x, 0.0, radius), radius=radius, axis=across)
        )
    return bicycle


def make(speed: float = 4.6, lean_rate: float = 0.5) -> Problem:
    """A bicycle without hands at 4.6 m/s that is pushed to the side, as in fig. 4 of the source: it stays upright."""
    system = model(speed, lean_rate).assemble()
    return Problem(
        name="bicycle",
        title="Whipple's bicycle",
        summary="Rolls without slipping on two wheels, is pushed to the side and steers itself upright again.",
        source=SOURCE,
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 5.0),
        h=2e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=no_reference,
        reference_is="none; small motions have the eigenvalues of the printed matrices",
    )
