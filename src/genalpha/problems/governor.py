"""The stiff flyball governor: a mechanism with springs so stiff that they stand for rods."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.forces import SpringDamper
from genalpha.model.parts.joints import Prismatic, Revolute
from genalpha.model.parts.shapes import Box
from genalpha.problems.minimal import integrate, reactions
from genalpha.problems.problem import Problem, Reference

DENSITY, BALL, GRAVITY = 3000.0, 5.0, 9.81
STIFFNESS, DAMPING, REST = 8e5, 4e4, 0.5
ARM, ANGLE, HEIGHT, SPEED = 0.05, np.pi / 6.0, 0.5, 2.0 * np.pi
"""Hinges of the rods beside the axis, their angle below the horizontal, height of the slider, and speed at t0."""

ROD = DENSITY * 1e-4
MASS = ROD + BALL
CENTRE = (0.5 * ROD + BALL) / MASS  # of rod and ball, from the hinge
AXIAL = ROD * 2e-4 / 12.0
ACROSS = ROD * (1.0 + 1e-4) / 12.0 + ROD * (CENTRE - 0.5) ** 2 + BALL * (1.0 - CENTRE) ** 2


def model() -> Model:
    """Bodies ``shaft``, ``slider``, ``right`` and ``left``; springs between the slider and the middles of the rods."""
    governor = Model("governor", gravity=(0.0, 0.0, -GRAVITY))
    spin = (0.0, 0.0, SPEED)
    shaft = RigidBody(
        "shaft", shape=Box((0.01, 0.01, 1.0)), density=DENSITY, position=(0, 0, 0.5), angular_velocity=spin
    )
    slider = RigidBody(
        "slider", shape=Box((0.1, 0.1, 0.1)), density=DENSITY, position=(0, 0, HEIGHT), angular_velocity=spin
    )
    governor.add(shaft)
    governor.add(slider)
    governor.add(Revolute("bearing", governor.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1)))
    governor.add(Prismatic("sleeve", shaft, slider, at=(0, 0, HEIGHT), axis=(0, 0, 1)))
    for name, side in (("right", 1.0), ("left", -1.0)):
        x, z = side * (ARM + CENTRE * np.cos(ANGLE)), 1.0 - CENTRE * np.sin(ANGLE)
        half = 0.5 * side * ANGLE
        rod = RigidBody(
            name, mass=MASS, inertia=(AXIAL, ACROSS, ACROSS), position=(x, 0, z),
            orientation=(np.cos(half), 0.0, np.sin(half), 0.0), velocity=(0, SPEED * x, 0), angular_velocity=spin,
        )  # fmt: skip
        governor.add(rod)
        governor.add(Revolute(f"{name} hinge", shaft, rod, at=(side * ARM, 0, 1), axis=(0, 1, 0)))
        middle = (side * (ARM + 0.5 * np.cos(ANGLE)), 0.0, 1.0 - 0.5 * np.sin(ANGLE))
        governor.add(
            SpringDamper(
                f"{name} spring", slider, rod, stiffness=STIFFNESS, damping=DAMPING, length=REST,
                at_a=(side * ARM, 0.0, HEIGHT), at_b=middle,
            )
        )  # fmt: skip
    return governor


def about_the_axis(beta):
    """(I, dI/dβ): moment of inertia about the axis of the shaft for the angle β of the rods."""
    c, s = np.cos(beta), np.sin(beta)
    fixed = ROD * 2e-4 / 12.0 + 3.0 * 0.02 / 12.0
    rods = MASS * (ARM + CENTRE * c) ** 2 + AXIAL * s**2 + ACROSS * c**2
    slope = -2.0 * MASS * (ARM + CENTRE * c) * CENTRE * s + 2.0 * (AXIAL - ACROSS) * s * c
    return fixed + 2.0 * rods, 2.0 * slope


def accelerations(beta, s, beta1, s1):
    """(φ̇, β̈, s̈): the rods alike, the angular momentum about the axis as at t0."""
    momentum = about_the_axis(ANGLE)[0] * SPEED
    inertia, slope = about_the_axis(beta)
    phi1 = momentum / inertia
    x, z = 0.5 * np.cos(beta), 1.0 - 0.5 * np.sin(beta) - s
    length = np.sqrt(x**2 + z**2)
    along_beta = (-0.5 * np.sin(beta) * x - 0.5 * np.cos(beta) * z) / length  # ∂l/∂β
    along_s = -z / length
    tension = STIFFNESS * (length - REST) + DAMPING * (along_beta * beta1 + along_s * s1)
    hinge = ACROSS + MASS * CENTRE**2
    beta2 = (0.25 * slope * phi1**2 + MASS * GRAVITY * CENTRE * np.cos(beta) - tension * along_beta) / hinge
    return phi1, beta2, -GRAVITY - 2.0 * tension * along_s / 3.0


def make() -> Problem:
    """The shaft turns freely at one turn per second; the balls rise and fall, and the slider with them.

    The benchmark prints a curve. The reference here has three coordinates, φ, β and s, by DOP853 at 1e-13.
    """
    system = model().assemble()

    def rhs(_, y):
        phi1, beta2, s2 = accelerations(*y[1:])
        return np.array([phi1, y[3], y[4], beta2, s2])

    def reference(t):
        y = integrate(rhs, 0.0, [0.0, ANGLE, HEIGHT, 0.0, 0.0], t)
        rows = [_motion(row, accelerations(*row[1:])) for row in y]
        q, v, vdot = (np.array([row[i] for row in rows]) for i in range(3))
        return Reference(q, v, reactions(system, q, v, vdot), np.zeros((len(q), 0)), vdot)

    return Problem(
        name="governor",
        title="Flyball governor",
        summary="Balls, a shaft and a slider, with spring-dampers instead of two rods: a stiff mechanism in space.",
        source="IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems, A05; "
        "M. González et al., Multibody System Dynamics 16 (2006)",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 0.5),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="angle of the shaft, angle of the rods and height of the slider, DOP853 at 1e-13",
        conserves_energy=False,
    )


def _motion(state, rates):
    """(q, v, v̇) of all bodies in the order in which they were added."""
    from genalpha.math.so3 import exp, multiply

    phi, beta, s, beta1, s1 = state
    phi1, beta2, s2 = rates
    inertia, slope = about_the_axis(beta)
    phi2 = -slope * beta1 * phi1 / inertia
    turn, o = exp([0, 0, phi]), [0.0, 0.0]
    q, v = [0, 0, 0.5, *turn, 0, 0, s, *turn], [0, 0, 0, *o, phi1, 0, 0, s1, *o, phi1]
    vdot = [0, 0, 0, *o, phi2, 0, 0, s2, *o, phi2]
    c, b = np.cos(beta), np.sin(beta)
    for side in (1.0, -1.0):
        e = side * np.array([np.cos(phi), np.sin(phi), 0.0])
        n, up = np.array([-e[1], e[0], 0.0]), np.array([0.0, 0.0, 1.0])
        r, r1 = ARM + CENTRE * c, -CENTRE * b * beta1
        r2 = -CENTRE * (c * beta1**2 + b * beta2)
        q += [*(r * e + (1.0 - CENTRE * b) * up), *multiply(turn, exp([0, side * beta, 0]))]
        # spin of the rod in its own axes: φ̇ about the vertical, ±β̇ about the hinge
        v += [*(r1 * e + r * phi1 * n - CENTRE * c * beta1 * up), -side * b * phi1, side * beta1, c * phi1]
        vdot += [*((r2 - r * phi1**2) * e + (2 * r1 * phi1 + r * phi2) * n + CENTRE * (b * beta1**2 - c * beta2) * up),
                 -side * (b * phi2 + c * beta1 * phi1), side * beta2, c * phi2 - b * beta1 * phi1]  # fmt: skip
    return np.array(q, dtype=float), np.array(v, dtype=float), np.array(vdot, dtype=float)
