"""The planar double pendulum in absolute coordinates: six coordinates, four constraints, the same functions twice.

`make` gives functions that fill ``out`` and are compiled; `plain_system` gives plain NumPy functions that return
arrays, without derivatives, as a user would first write them. Both are the same system.
"""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.problems.links import Links
from genalpha.problems.problem import Problem
from genalpha.system.functions import evaluator
from genalpha.system.system import System

# two slender rods; q = (x, y, θ) of each
LENGTH = 1.0
MASS = 1.0
INERTIA = MASS * LENGTH**2 / 12.0
GRAVITY = 9.81
HALF = 0.5 * LENGTH
M = np.diag([MASS, MASS, INERTIA, MASS, MASS, INERTIA])
NAMES = {
    "q": ["x1", "y1", "θ1", "x2", "y2", "θ2"],
    "g": ["pin.x", "pin.y", "elbow.x", "elbow.y"],
}


@evaluator
def f(t, q, v, out):
    """Weight."""
    out[1] = -MASS * GRAVITY
    out[4] = -MASS * GRAVITY


@evaluator
def g(t, q, out):
    """The start of the first rod lies on the pin, that of the second on the end of the first."""
    c1, s1 = HALF * np.cos(q[2]), HALF * np.sin(q[2])
    c2, s2 = HALF * np.cos(q[5]), HALF * np.sin(q[5])
    out[0] = q[0] - c1
    out[1] = q[1] - s1
    out[2] = q[3] - c2 - q[0] - c1
    out[3] = q[4] - s2 - q[1] - s1


@evaluator
def g_q(t, q, out):
    """G = ∂g/∂q."""
    c1, s1 = HALF * np.cos(q[2]), HALF * np.sin(q[2])
    c2, s2 = HALF * np.cos(q[5]), HALF * np.sin(q[5])
    out[0, 0], out[0, 2] = 1.0, s1
    out[1, 1], out[1, 2] = 1.0, -c1
    out[2, 0], out[2, 2], out[2, 3], out[2, 5] = -1.0, s1, 1.0, s2
    out[3, 1], out[3, 2], out[3, 4], out[3, 5] = -1.0, -c1, 1.0, -c2


@evaluator
def g_bias(t, q, v, out):
    """g̈ − G v̇."""
    w1, w2 = HALF * v[2] ** 2, HALF * v[5] ** 2
    out[0] = np.cos(q[2]) * w1
    out[1] = np.sin(q[2]) * w1
    out[2] = np.cos(q[2]) * w1 + np.cos(q[5]) * w2
    out[3] = np.sin(q[2]) * w1 + np.sin(q[5]) * w2


def energy(t, q, v):
    """Kinetic and potential energy."""
    return 0.5 * v @ M @ v, MASS * GRAVITY * (q[1] + q[4])


def plain_system() -> System:
    """The same system from plain NumPy functions without derivatives; it runs interpreted."""

    def force(t, q, v):
        return np.array([0.0, -MASS * GRAVITY, 0.0, 0.0, -MASS * GRAVITY, 0.0])

    def constraints(t, q):
        x1, y1, th1, x2, y2, th2 = q
        end1 = np.array([x1 + HALF * np.cos(th1), y1 + HALF * np.sin(th1)])
        start1 = np.array([x1 - HALF * np.cos(th1), y1 - HALF * np.sin(th1)])
        start2 = np.array([x2 - HALF * np.cos(th2), y2 - HALF * np.sin(th2)])
        return np.concatenate([start1, start2 - end1])

    return System(M=M, f=force, g=constraints, energy=energy, names=NAMES)


def make() -> Problem:
    """Both rods horizontal, let go from rest.

    The reference is the motion in the two angles, by DOP853 at 1e-13, with multipliers from the exact accelerations.
    """
    rods, rest = Links(2, LENGTH, MASS, INERTIA, GRAVITY), np.zeros(2)

    def system():
        return System(M=M, f=f, g=g, ng=4, g_q=g_q, g_t=0, g_bias=g_bias, f_q=0, f_v=0, energy=energy, names=NAMES,
                      drawing=rods.drawing())  # fmt: skip

    return Problem(
        name="double_pendulum",
        title="Double pendulum",
        summary="Two rods in absolute coordinates: six coordinates and four constraints, let go from the horizontal.",
        source="L. D. Landau, E. M. Lifshitz, Mechanics, §5, problem 1; here with rods instead of point masses",
        system=system,
        q0=rods.state(rest, rest)[0],
        v0=rods.state(rest, rest)[1],
        t_span=(0.0, 2.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=lambda t: rods.reference(rest, rest, t),
        reference_is="angles of the rods, DOP853 at 1e-13; multipliers from the exact accelerations",
    )
