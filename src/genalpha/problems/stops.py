"""The double pendulum between two stops: bilateral constraints and two gaps."""

from __future__ import annotations

import functools

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.bounces import bounce
from genalpha.problems.double_pendulum import GRAVITY, HALF, INERTIA, LENGTH, MASS, NAMES, M
from genalpha.problems.double_pendulum import energy as rods_energy
from genalpha.problems.double_pendulum import f as weight
from genalpha.problems.double_pendulum import g as joints
from genalpha.problems.double_pendulum import g_bias as joints_bias
from genalpha.problems.double_pendulum import g_q as joints_q
from genalpha.problems.links import Links
from genalpha.problems.problem import Problem
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Part

# q as the double pendulum; p = (width,): the tip stays between x = −width and x = width


@evaluator
def f(t, q, v, p, out):
    """Weight."""
    weight(t, q, v, out)


@evaluator
def g(t, q, p, out):
    """The joints of the double pendulum."""
    joints(t, q, out)


@evaluator
def g_q(t, q, p, out):
    """G = ∂g/∂q."""
    joints_q(t, q, out)


@evaluator
def g_bias(t, q, v, p, out):
    """g̈ − G v̇."""
    joints_bias(t, q, v, out)


@evaluator
def gap(t, q, p, out):
    """Distances of the tip from the left and the right stop."""
    tip = q[3] + HALF * np.cos(q[5])
    out[0] = p[0] + tip
    out[1] = p[0] - tip


@evaluator
def gap_q(t, q, p, out):
    """N = ∂gap/∂q."""
    turn = -HALF * np.sin(q[5])
    out[0, 3], out[0, 5] = 1.0, turn
    out[1, 3], out[1, 5] = -1.0, -turn


@evaluator
def gap_bias(t, q, v, p, out):
    """The rest of the second time derivative of the gaps."""
    bias = -HALF * np.cos(q[5]) * v[5] ** 2
    out[0] = bias
    out[1] = -bias


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    return rods_energy(t, q, v)


def walls(width: float) -> list[Part]:
    """The two stops, and where they push the tip."""

    def tip(t, q):
        return q[3] + HALF * np.cos(q[5]), q[4] + HALF * np.sin(q[5])

    parts: list[Part] = []
    for name, side in (("left", -1.0), ("right", 1.0)):
        plate = Box(size=(0.04, 0.7, 0.24))
        parts.append(Body(f"{name} stop", plate, position=(side * (width + 0.02), -1.75 * LENGTH), fixed=True))
        parts.append(Contact(name, tip, direction=(-side, 0.0)))
    return parts


def _between_stops(rods: Links, start, end: float, width: float, e: float):
    """The motion of the two angles from impact to impact."""

    def impact(y, _):
        return np.concatenate([y[:2], rods.hit(y[:2], y[2:], -LENGTH * np.sin(y[:2]), e)])

    gaps = [lambda y: width + LENGTH * np.sum(np.cos(y[:2])), lambda y: width - LENGTH * np.sum(np.cos(y[:2]))]
    return bounce(rods.rhs(), start, end, gaps, impact, lambda y: 0.02)


def make(
    width: float = 0.3, e: float = 0.8, theta1: float = -np.pi / 2 - 0.8, theta2: float = -np.pi / 2 + 0.9
) -> Problem:
    """Two rods that hang between two stops, let go from rest; angles are counted from the x axis.

    The reference is the motion in the two angles, by DOP853 at 1e-13 from impact to impact, with Newton's law along the
    gradient of the gap in the metric of the mass matrix. The motion is
    chaotic: it is of use for a second or two.
    """
    rods, start, rest = Links(2, LENGTH, MASS, INERTIA, GRAVITY), np.array([theta1, theta2]), np.zeros(2)
    tip = LENGTH * np.sum(np.cos(start))
    if not (abs(tip) < width and 0.0 <= e <= 1.0):
        raise InputError(
            f"width = {width!r}, e = {e!r}: the tip begins at x = {tip:.3g}, between the stops; 0 <= e <= 1"
        )
    t_span = (0.0, 2.0)

    def system():
        return System(
            M=M, f=f, g=g, ng=4, g_q=g_q, g_t=0, g_bias=g_bias, f_q=0, f_v=0,
            gap=gap, nc=2, gap_q=gap_q, gap_t=0, gap_bias=gap_bias, e=[e, e], energy=energy, params=[width],
            names={**NAMES, "gap": ["left", "right"]}, drawing=rods.drawing(*walls(width)),
        )  # fmt: skip

    @functools.cache
    def motion():
        return _between_stops(rods, np.concatenate([start, rest]), t_span[1], width, e)

    def reference(t):
        return rods.multipliers(motion()(t))

    return Problem(
        name="stops",
        title="Double pendulum between two stops",
        summary="A double pendulum whose tip bounces between two stops: four bilateral constraints and two gaps.",
        source="the double pendulum of L. D. Landau, E. M. Lifshitz, Mechanics, §5, problem 1, between stops",
        system=system,
        q0=rods.state(start, rest)[0],
        v0=rods.state(start, rest)[1],
        t_span=t_span,
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="angles of the rods, DOP853 at 1e-13 from impact to impact; multipliers of the smooth forces",
        impact_times=lambda: motion().times,
        conserves_energy=e == 1.0,
    )
