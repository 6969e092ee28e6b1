"""A cam and its follower: prescribed motion, a pin in a slot, and forces that are known exactly."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.couplings import Drive
from genalpha.model.parts.forces import SpringDamper
from genalpha.model.parts.joints import PointOnLine, Prismatic, Revolute
from genalpha.model.parts.shapes import Box, Cylinder
from genalpha.problems.minimal import reactions
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator

OFFSET, RADIUS, MASS, INERTIA, FOLLOWER = 0.02, 0.05, 0.8, 1.2e-3, 0.5
STIFFNESS, LENGTH, REST, GRAVITY = 400.0, 0.15, 0.2, 9.81
SPEED = 20.0


@evaluator
def motion(t):
    """The angle of the cam: it starts from rest and runs at a speed of 20 rad/s that swells and fades."""
    return SPEED * t - np.sin(SPEED * t)


@evaluator
def rate(t):
    return SPEED * (1.0 - np.cos(SPEED * t))


@evaluator
def acceleration(t):
    return SPEED**2 * np.sin(SPEED * t)


def model() -> Model:
    """A round ``cam`` on an eccentric axle, and a ``follower`` with a flat face that a spring holds down."""
    train = Model("cam", gravity=(0.0, -GRAVITY), planar=True)
    cam = train.add(RigidBody("cam", mass=MASS, inertia=INERTIA, position=(OFFSET, 0.0), shape=Cylinder(RADIUS, 0.02)))
    follower = train.add(
        RigidBody("follower", mass=FOLLOWER, inertia=1e-3, position=(0.0, RADIUS + 0.01), shape=Box((0.16, 0.02, 0.02)))
    )
    train.add(Revolute("axle", train.ground, cam, at=(0.0, 0.0)))
    train.add(Prismatic("guide", train.ground, follower, at=(0.0, RADIUS), axis=(0.0, 1.0)))
    # a flat face on a round cam: the centre of the cam stays in a slot of the follower, one radius below the face
    train.add(PointOnLine("face", follower, cam, at=(OFFSET, 0.0), axis=(1.0, 0.0)))
    top = (0.0, RADIUS + 0.01 + LENGTH)
    train.add(SpringDamper("spring", train.ground, follower, stiffness=STIFFNESS, length=REST, at_a=top))
    train.add(Drive("motor", "axle", motion, rate, acceleration))
    return train


def contact_force(t):
    """Of the cam on the follower: what its weight, its spring and its acceleration want."""
    phi, w, a = motion(t), rate(t), acceleration(t)
    lift, second = OFFSET * np.sin(phi), OFFSET * (a * np.cos(phi) - w**2 * np.sin(phi))
    return FOLLOWER * (second + GRAVITY) + STIFFNESS * (REST - LENGTH + lift)


def torque(t):
    """Of the motor: for the cam and its weight, and for the contact force at its arm."""
    phi = motion(t)
    inertia = INERTIA + MASS * OFFSET**2
    return inertia * acceleration(t) + (MASS * GRAVITY + contact_force(t)) * OFFSET * np.cos(phi)


def make() -> Problem:
    """The follower rises and falls with e sin φ(t); the face does not lift off."""
    system = model().assemble()

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))
        phi, w, a = motion(t), rate(t), acceleration(t)
        c, s, o = OFFSET * np.cos(phi), OFFSET * np.sin(phi), np.zeros_like(t)
        q = np.column_stack([c, s, phi, o, RADIUS + 0.01 + s, o])
        v = np.column_stack([-s * w, c * w, w, o, c * w, o])
        vdot = np.column_stack([-s * a - c * w**2, c * a - s * w**2, a, o, c * a - s * w**2, o])
        return Reference(q, v, reactions(system, q, v, vdot), np.zeros((t.size, 0)), vdot)

    return Problem(
        name="cam",
        title="Cam and follower",
        summary="The angle of a cam is a function of time; its follower, its spring, and the torque of its motor.",
        source="R. L. Norton, Design of Machinery, chapter 8; forces derived in the problem",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 1.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="exact: the motion is given",
        conserves_energy=False,
    )
