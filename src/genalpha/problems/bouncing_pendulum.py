"""The bouncing pendulum of paper 002, section 6.1: the pendulum of section 5 swings against a wall."""

from __future__ import annotations

import functools

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.bounces import bounce
from genalpha.problems.pendulum import M, absolute, drawing, energy, f, g, g_bias, g_q
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact

# as the pendulum: q = (x, y, θ); p = (L, m, J, gravity, x_min), gravity counted along +y


@evaluator
def gap(t, q, p, out):
    """The centre of mass stays on the right of the wall, 002 (77)."""
    out[0] = q[0] - p[4]


def wall_and_contact(L: float, x_min: float) -> tuple[Body, Contact]:
    """The wall, a radius of the bob on the left of its centre, and where it pushes."""
    radius = 0.1 * L
    thick = Box(size=(0.06 * L, 0.6 * L, 0.2 * L))
    wall = Body("wall", thick, position=(x_min - radius - 0.03 * L, np.sqrt(L**2 - x_min**2)), fixed=True)
    return wall, Contact("wall", position=lambda t, q: (q[0] - radius, q[1]), direction=(1.0, 0.0))


def make(
    L: float = 1.0,
    m: float = 1.0,
    J: float = 0.1,
    gravity: float = 10.0,
    theta0: float = np.pi / 12,
    x_min: float = np.sqrt(0.5),
    e: float = 0.8,
) -> Problem:
    """The pendulum with the numbers of 002, section 6.1, let go from rest.

    Paper 002 prints neither e nor the sign of gravity; e = 0.8 and gravity along +y fit Fig. 5. The impacts accumulate
    at 3.6302 s, and the pendulum leans on the wall from then on, with lam = (−10, −10) N and a contact force of 10 N.

    The reference is the minimal-coordinate equation (m L² + J) θ̈ = m L gravity cosθ by DOP853 at 1e-13 from impact to
    impact. Its multipliers are those of the smooth forces.
    """
    wall = np.arccos(x_min / L) if 0.0 < x_min < L else np.nan
    if not (theta0 < wall and np.sin(theta0) > -1.0 and gravity > 0.0 and 0.0 <= e < 1.0):
        raise InputError(
            f"x_min = {x_min!r}, theta0 = {theta0!r}, gravity = {gravity!r}, e = {e!r}: the pendulum must begin in "
            f"front of the wall and fall towards it: x_min between 0 and L, theta0 < arccos(x_min/L), 0 <= e < 1"
        )
    t_span = (0.0, 4.0)
    motion, reference = _exact(L, m, J, gravity, theta0, wall, e, t_span[1])

    def system():
        return System(
            M=M, f=f, g=g, ng=2, g_q=g_q, g_t=0, g_bias=g_bias, f_q=0, f_v=0,
            gap=gap, nc=1, gap_q=np.array([[1.0, 0.0, 0.0]]), gap_t=0, gap_bias=0, e=e,
            energy=pendulum_energy, params=(L, m, J, gravity, x_min),
            drawing=drawing(L, gravity, *wall_and_contact(L, x_min)),
            names={"q": ["x", "y", "θ"], "g": ["pin.x", "pin.y"], "gap": ["wall"]},
        )  # fmt: skip

    return Problem(
        name="bouncing_pendulum",
        title="Bouncing pendulum",
        summary="A rigid pendulum in absolute coordinates bounces against a wall until it leans on it.",
        source="O. Brüls, V. Acary, A. Cardona, On the constraints formulation in the nonsmooth generalized-α method "
        "(2018), sec. 6.1, (77)",
        system=system,
        q0=np.array([L * np.cos(theta0), L * np.sin(theta0), theta0]),
        v0=np.zeros(3),
        t_span=t_span,
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="minimal coordinate θ, DOP853 at 1e-13 from impact to impact; multipliers of the smooth forces",
        impact_times=lambda: motion().times,
        conserves_energy=False,
    )


def _exact(L, m, J, gravity, theta0, wall, e, end):
    """The motion in θ from impact to impact, and the reference that follows from it; both as functions."""

    def acceleration(theta):
        return m * L * gravity * np.cos(theta) / (m * L**2 + J)

    def flight(y):
        # thrown back from the wall against the acceleration; never slower than in a field of this strength
        return 2.0 * abs(y[1]) / acceleration(wall) if y[0] > wall - 1e-9 else 0.25

    @functools.cache
    def motion():
        return bounce(
            lambda _, y: np.array([y[1], acceleration(y[0])]), [theta0, 0.0], end, [lambda y: wall - y[0]],
            lambda y, _: np.array([wall, -e * y[1]]), flight,
        )  # fmt: skip

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))
        theta, omega = motion()(t).T
        rests = t >= motion().closed
        theta = np.where(rests, wall, theta)
        q, v, vdot = absolute(L, theta, omega, np.where(rests, 0.0, acceleration(theta)))
        lam = m * (vdot[:, :2] - [0.0, gravity])
        lam[rests, 0] -= m * gravity / np.tan(wall)
        return Reference(q, v, lam, np.zeros((theta.size, 0)))

    return motion, reference


def pendulum_energy(t, q, v, p):
    """Kinetic and potential energy."""
    return energy(t, q, v, p[:4])
