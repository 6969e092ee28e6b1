"""The N-loop four-bar linkage: closed loops, one degree of freedom however many loops there are."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Revolute
from genalpha.problems.minimal import angle_pendulum, reactions
from genalpha.problems.problem import Problem, Reference

LENGTH, MASS, GRAVITY, SPEED = 1.0, 1.0, 9.81, 1.0
HALF, INERTIA = 0.5 * LENGTH, MASS * LENGTH**2 / 12.0


def model(loops: int) -> Model:
    """Rods ``post0``, ... on pins in the ground, one more than couplers ``bar0``, ... between their ends."""
    linkage = Model("four-bar", gravity=(0.0, -GRAVITY), planar=True)
    spin = -SPEED / LENGTH
    for i in range(loops + 1):
        post = RigidBody(
            f"post{i}", mass=MASS, inertia=INERTIA, position=(i * LENGTH, HALF), orientation=0.5 * np.pi,
            velocity=(0.5 * SPEED, 0.0), angular_velocity=spin,
        )  # fmt: skip
        linkage.add(post)
        linkage.add(Revolute(f"A{i}", linkage.ground, post, at=(i * LENGTH, 0.0)))
    for i in range(loops):
        centre = ((i + 0.5) * LENGTH, LENGTH)
        bar = RigidBody(f"bar{i}", mass=MASS, inertia=INERTIA, position=centre, orientation=0.0, velocity=(SPEED, 0.0))
        linkage.add(bar)
        linkage.add(Revolute(f"B{i}", f"post{i}", bar, at=(i * LENGTH, LENGTH)))
        linkage.add(Revolute(f"C{i}", bar, f"post{i + 1}", at=((i + 1) * LENGTH, LENGTH)))
    return linkage


def acceleration(loops: int):
    """θ̈ of the posts as a function of their angle θ: couplers translate, posts turn about their pins."""
    inertia = (loops + 1) * MASS * LENGTH**2 / 3.0 + loops * MASS * LENGTH**2
    moment = (0.5 * (loops + 1) + loops) * MASS * GRAVITY * LENGTH
    return lambda theta: -moment / inertia * np.cos(theta)


def make(loops: int = 1, t_end: float = 0.5) -> Problem:
    """Posts stand upright and their ends move to the right at 1 m/s.

    The linkage is a row of parallelograms: a pendulum with the angle of the posts, by DOP853 at 1e-13. Multipliers are
    the least ones that the exact accelerations ask for. After 0.6 s the posts lie in line with the couplers: there are
    N + 1 degrees of freedom for an instant, and a parallelogram may turn into an antiparallelogram. By default the
    problem ends before. With ``t_end=10`` the linkage falls through this position, swings through below, and comes
    back; steps of 1 ms pass the instant, and the solution stays on its branch.
    """
    if not (isinstance(loops, int) and loops >= 1):
        raise InputError(f"a linkage has at least one loop, not {loops!r}")
    system = model(loops).assemble()

    def reference(t):
        theta, omega = angle_pendulum(t, 0.5 * np.pi, -SPEED / LENGTH, acceleration(loops))
        q, v, vdot = _motion(loops, theta, omega, acceleration(loops)(theta))
        return Reference(q, v, reactions(system, q, v, vdot), np.zeros((len(q), 0)), vdot)

    return Problem(
        name="four_bar",
        title=f"Four-bar linkage, {loops} loop{'s' if loops > 1 else ''}",
        summary="Rows of parallelograms: closed loops with one degree of freedom, near a singular position at the end.",
        source="IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems, A02; "
        "M. González et al., Multibody System Dynamics 16 (2006)",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, float(t_end)),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="pendulum with the angle of the posts, DOP853 at 1e-13; multipliers from the exact accelerations",
    )


def _motion(loops, theta, omega, alpha):
    """(q, v, v̇) of all bodies in the order in which they were added."""
    c, s, o = np.cos(theta), np.sin(theta), np.zeros_like(theta)
    turn = (np.stack([-s * omega, c * omega]), np.stack([-s * alpha - c * omega**2, c * alpha - s * omega**2]))
    bodies = []
    for i in range(loops + 1):  # posts
        place = [i * LENGTH + HALF * c, HALF * s, theta]
        bodies.append([place, [*(HALF * turn[0]), omega], [*(HALF * turn[1]), alpha]])
    for i in range(loops):  # couplers
        place = [(i + 0.5) * LENGTH + LENGTH * c, LENGTH * s, o]
        bodies.append([place, [*(LENGTH * turn[0]), o], [*(LENGTH * turn[1]), o]])
    return tuple(np.concatenate([body[level] for body in bodies]).T.copy() for level in range(3))
