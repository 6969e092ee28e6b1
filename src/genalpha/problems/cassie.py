"""The legs of the robot Cassie: planar loops that ball joints close, slender rods, springs of leaf.

The numbers are those of ``cassie.xml`` in google-deepmind/mujoco_menagerie (agility_cassie): Copyright (c) 2022 Agility
Robotics, MIT licence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.forces import TorsionSpring
from genalpha.model.parts.joints import Fixed, PointOnLine, Revolute, Spherical
from genalpha.problems.problem import Problem, no_reference

GRAVITY = 9.81
ALONG = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


class Link(NamedTuple):
    """A body of the left leg in the frame of the one that carries it.

    Attributes
    ----------
    name, parent : str
    place : tuple (3,)
        Origin of its frame, where its joint is, m.
    axes : tuple (2, 3)
        The first two axes of its frame. It turns about the third one, if it has a hinge.
    mass : float
        kg.
    centre : tuple (3,)
        Centre of mass in its frame, m.
    inertia : tuple (6,)
        J_xx, J_yy, J_zz, J_xy, J_xz, J_yz about the centre of mass, kg m².
    joint : str
        "hinge", "ball" or "fixed".
    stiffness : float
        Of a spring about the hinge, N m/rad.
    """

    name: str
    parent: str
    place: tuple[float, ...]
    axes: tuple[tuple[float, ...], tuple[float, ...]]
    mass: float
    centre: tuple[float, ...]
    inertia: tuple[float, ...]
    joint: str = "hinge"
    stiffness: float = 0.0


LINKS = (
    Link("hip-roll", "pelvis", (0.021, 0.135, 0), ((0, 0, -1), (0, 1, 0)), 1.82, (-0.01793, 0.0001, -0.04428),
         (0.003431, 0.003793, 0.002135, -6.65e-07, -0.00084, 3.99e-06)),
    Link("hip-yaw", "hip-roll", (0, 0, -0.07), ((0, 0, 1), (0, 1, 0)), 1.171, (0, -1e-05, -0.034277),
         (0.002443, 0.002803, 0.000842, -4e-08, 2.462e-07, -2.71e-08)),
    Link("hip-pitch", "hip-yaw", (0, 0, -0.09), ((0, 0, -1), (1, 0, 0)), 5.52, (0.05946, 5e-05, -0.03581),
         (0.010898, 0.029714, 0.030257, -0.0002669, -5.721e-05, 9.17e-06)),
    Link("achilles-rod", "hip-pitch", (0, 0, 0.045),
         ((0.7922, -0.60599, -0.072096), (0.60349, 0.79547, -0.054922)), 0.1567, (0.24719, 0, 0),
         (3.754e-06, 0.004487, 0.004488, -3.74e-08, -1.61e-08, 0), "ball"),
    Link("knee", "hip-pitch", (0.12, 0, 0.0045), ((0.70711, -0.70711, 0), (0.70711, 0.70711, 0)), 0.7578,
         (0.023, 0.03207, -0.002181), (0.001376, 0.0010335, 0.0021637, -0.00039744, -4.085e-05, -5.374e-05)),
    Link("knee-spring", "knee", (0.06068, 0.08241, 0), ALONG, 0.186, (0.0836, 0.0034, 0),
         (5.215e-05, 0.00041205, 0.0003669, 6.87e-06, 0, 0), "fixed"),
    Link("shin", "knee", (0.06068, 0.04741, 0), ALONG, 0.577, (0.18338, 0.001169, 0.0002123),
         (0.00035939, 0.014728, 0.014707, -0.00020981, 2.266e-05, -1.2e-07), stiffness=1500.0),
    Link("tarsus", "shin", (0.43476, 0.02, 0), ((0.52992, 0.84805, 0), (-0.84805, 0.52992, 0)), 0.782,
         (0.11046, -0.03058, -0.00131), (0.00039238, 0.013595, 0.013674, 0.00023651, -4.987e-05, -4.82e-06)),
    Link("heel-spring", "tarsus", (-0.01269, -0.03059, 0.00092),
         ((-0.91211, 0.40829, 0.036948), (-0.40992, -0.90952, -0.068841)), 0.126, (0.081, 0.0022, 0),
         (2.959e-05, 0.00022231, 0.0002007, 7.15e-06, -6e-07, 1e-07), stiffness=1250.0),
    Link("foot-crank", "tarsus", (0.058, -0.034, 0.02275), ALONG, 0.1261, (0.00493, 2e-05, -0.00215),
         (2.6941e-05, 4.9621e-05, 6.3362e-05, -2.1e-09, -3.9623e-06, -1.09e-08)),
    Link("plantar-rod", "foot-crank", (0.055, 0, -0.00791), ALONG, 0.1186, (0.17792, 0, 0),
         (2.779e-06, 0.001774, 0.001775, -2.34e-08, -8.1e-09, 0)),
    Link("foot", "tarsus", (0.408, -0.04, 0), ALONG, 0.1498, (0.00474, 0.02748, -0.00014),
         (0.00017388, 0.00016793, 0.00033261, 0.00011814, 1.36e-06, -4e-07)),
)  # fmt: skip

ROD_ENDS = {"plantar-rod": (0.35012, "foot"), "achilles-rod": (0.5012, "heel-spring")}
"""Length along a rod to the ball joint at its end, and what it holds there."""

SIDEWAYS, ACROSS = np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0])
"""What a mirror does to frames of the hip, and of all bodies below it."""


def model(ball: bool = True) -> Model:
    """Two legs on a pelvis that is held. Bodies are called ``left-knee``, ``right-foot``, ...

    Parameters
    ----------
    ball : bool
        The plantar rod turns about a hinge that is parallel to those of foot and crank: of the three rows of the ball
        joint at its other end one is redundant. Without ``ball`` its end stays on a line, which takes two rows.
    """
    robot = Model("cassie", gravity=(0.0, 0.0, -GRAVITY))
    for side in ("left", "right"):
        _add_leg(robot, side, ball)
    return robot


def _add_leg(robot, side, ball):
    frames = {"pelvis": (np.zeros(3), np.eye(3), np.eye(3) if side == "left" else SIDEWAYS)}
    bodies = {"pelvis": robot.ground}
    for link in LINKS:
        origin, R, mirror = frames[link.parent]
        own = mirror if side == "left" else SIDEWAYS if link.name in ("hip-roll", "hip-yaw") else ACROSS
        place, turn = origin + R @ mirror @ link.place, R @ mirror @ _axes(link.axes) @ own
        frames[link.name] = place, turn, own
        name = f"{side}-{link.name}"
        body = RigidBody(
            name, mass=link.mass, inertia=own @ _matrix(link.inertia) @ own,
            position=place + turn @ own @ link.centre, orientation=_quaternion(turn),
        )  # fmt: skip
        bodies[link.name] = robot.add(body)
        _hang(robot, link, bodies[link.parent], body, place, turn[:, 2])
    for rod, (length, end) in ROD_ENDS.items():
        (origin, R, _), axis = frames[rod], frames["tarsus"][1][:, 2]
        at, pair = origin + length * R[:, 0], (bodies[rod], bodies[end])
        joint = PointOnLine(f"{side}-{rod} end", *pair, at=at, axis=axis)
        robot.add(Spherical(f"{side}-{rod} end", *pair, at=at) if ball or end != "foot" else joint)


def _hang(robot, link, parent, body, place, axis):
    """The joint that carries a body, and its spring."""
    if link.joint == "fixed":
        robot.add(Fixed(f"{body.name} joint", parent, body, at=place))
    elif link.joint == "ball":
        robot.add(Spherical(f"{body.name} joint", parent, body, at=place))
    else:
        hinge = robot.add(Revolute(f"{body.name} joint", parent, body, at=place, axis=axis))
        if link.stiffness:
            robot.add(TorsionSpring(f"{body.name} leaf", hinge, stiffness=link.stiffness))


def _axes(axes):
    """The rotation with these first two axes, which are rounded."""
    x = np.array(axes[0]) / np.linalg.norm(axes[0])
    y = axes[1] - (x @ axes[1]) * x
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _matrix(inertia):
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _quaternion(R):
    """(w, x, y, z) of a rotation: the eigenvector of the largest eigenvalue of Bar-Itzhack's matrix."""
    K = np.zeros((4, 4))
    K[0, 0], K[0, 1:] = np.trace(R), [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    K[1:, 0], K[1:, 1:] = K[0, 1:], R + R.T - np.trace(R) * np.eye(3)
    return np.linalg.eigh(K)[1][:, -1]


def make() -> Problem:
    """The legs start at rest in the position of the drawing, with the springs relaxed, and fall.

    Left out of the file: motors and their rotor inertias, dampers, limits of joints, the inertia of the pelvis, which
    is held. So the energy is kept. Two rows are redundant all the time, one in each leg. The plantar rod has an inertia
    about its axis that is 1.6e-3 of the one across it, the achilles rod 8e-4.
    """
    system = model().assemble()
    return Problem(
        name="cassie",
        title="The legs of Cassie",
        summary="Loops of hinges that ball joints close, so that a row in each leg is redundant; slender rods.",
        source="Agility Robotics, cassie.xml in google-deepmind/mujoco_menagerie (agility_cassie), 2022, MIT licence",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.3),
        h=5e-4,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=no_reference,
        reference_is="the same legs without redundant rows, and the energy",
    )
