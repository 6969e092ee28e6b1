"""Bricard's six-bar loop: every count of constraints says that it is rigid, and it moves."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.joints import Revolute
from genalpha.model.parts.shapes import Box
from genalpha.problems.problem import Problem, no_reference

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
"""Of a cube, along its edges; the last edge, back to the first corner, is the ground."""

AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]
"""Of the hinges in the corners: each one is perpendicular to both edges."""


def model() -> Model:
    """Rods ``rod0``, ... ``rod4`` of 1 m and 1 kg between hinges ``hinge0``, ... ``hinge5``."""
    loop = Model("bricard", gravity=(0.0, -9.81, 0.0))
    for i in range(5):
        along = np.abs(CORNERS[i + 1] - CORNERS[i])
        box = Box(tuple(np.where(along > 0.5, 1.0, 0.1)))
        loop.add(RigidBody(f"rod{i}", shape=box, density=100.0, position=0.5 * (CORNERS[i] + CORNERS[i + 1])))
    bodies = [loop.ground, *loop.bodies, loop.ground]
    for i in range(6):
        loop.add(Revolute(f"hinge{i}", bodies[i], bodies[i + 1], at=CORNERS[i], axis=AXES[i]))
    return loop


def closure(angles):
    """cos θ + cos φ + cos θ cos φ of the angles θ and φ of neighbouring hinges, which is zero in this loop."""
    x, y = np.sin(angles[0]), np.sin(angles[1])
    return x + y + x * y


def angles_at(tau):
    """Angles of the even and of the odd hinges, from the start, for the parameter τ of the way of the loop.

    The closure is cos ½θ cos ½φ = ½, an oval about the origin: ½θ = r cos τ, ½φ = r sin τ, r by Newton's iteration.
    """
    c, s = np.cos(tau), np.sin(tau)
    r = np.full_like(c, np.pi / 3.0)
    for _ in range(30):
        x, y = r * c, r * s
        r += (np.cos(x) * np.cos(y) - 0.5) / (c * np.sin(x) * np.cos(y) + s * np.cos(x) * np.sin(y))
    return 0.5 * np.pi - 2.0 * r * c, 0.5 * np.pi - 2.0 * r * s


def shape(tau):
    """Corners (n, 6, 3) and rotations (n, 5, 3, 3) of the rods for parameters τ (n,), one hinge after the other."""
    from genalpha.math.so3 import exp, matrix

    angles = angles_at(tau)
    points, turns = np.zeros((len(tau), 6, 3)), np.zeros((len(tau), 5, 3, 3))
    for k in range(len(tau)):
        R = np.eye(3)
        for i in range(5):
            R = R @ matrix(exp(angles[i % 2][k] * AXES[i]))
            turns[k, i] = R
            points[k, i + 1] = points[k, i] + R @ (CORNERS[i + 1] - CORNERS[i])
    return points, turns


def corners(t, nodes: int = 192):
    """Corners (nt, 6, 3) of the loop at times t: its one coordinate τ by DOP853 at 1e-13.

    The loop comes back to itself when τ has gone round, so all that depends on τ is a Fourier series: its potential
    energy, and its inertia Σ m x'² + tr(R' S R'ᵀ), with S the second moments of a rod about its centre.
    """
    from genalpha.problems.minimal import integrate

    tau = 2.0 * np.pi * np.arange(nodes) / nodes
    points, turns = shape(tau)
    middles = 0.5 * (points[:, :-1] + points[:, 1:])
    along = np.abs(np.diff(CORNERS, axis=0)) > 0.5
    moments = np.where(along, 1.0, 0.01) / 12.0  # of a box, 1 kg
    wave = np.fft.fftfreq(nodes, 1.0 / nodes)
    slope = [np.fft.ifft(1j * wave.reshape(-1, *[1] * (x.ndim - 1)) * np.fft.fft(x, axis=0), axis=0).real
             for x in (middles, turns)]  # fmt: skip
    inertia = np.sum(slope[0] ** 2, axis=(1, 2)) + np.einsum("kiab,ib->k", slope[1] ** 2, moments)
    series = [np.fft.fft(x) / nodes for x in (inertia, 9.81 * middles[:, :, 1].sum(axis=1))]

    def rhs(_, y):
        e = np.exp(1j * wave * y[0])
        m, m1 = (series[0] @ e).real, (series[0] @ (1j * wave * e)).real
        return np.array([y[1], -(0.5 * m1 * y[1] ** 2 + (series[1] @ (1j * wave * e)).real) / m])

    return shape(integrate(rhs, 0.0, [0.25 * np.pi, 0.0], t)[:, 0])[0]


def make() -> Problem:
    """The rods lie along edges of a cube and fall.

    The angles of its hinges are θ and φ by turns, with cos θ + cos φ + cos θ cos φ = 0 (Y. Chen, Z. You, T. Tarnai,
    International Journal of Solids and Structures 42 (2005)); at the start both are right angles. The thirty rows of
    the hinges have rank 29 all the time.
    """
    system = model().assemble()
    return Problem(
        name="bricard",
        title="Bricard's loop",
        summary="Six bars and six hinges in space: one constraint is redundant, and what should be rigid moves.",
        source="IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems, A04; "
        "M. González et al., Multibody System Dynamics 16 (2006)",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 10.0),
        h=2e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=no_reference,
        reference_is="the relation between the angles of its hinges, and the energy",
    )
