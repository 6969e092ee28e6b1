"""The woodpecker toy: a bird on a spring on a sleeve that slides down a pole, in jerks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box, Cylinder
from genalpha.problems.friction.rods import BY_EVENTS, event_driven
from genalpha.problems.problem import Problem
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing, Line


class Toy(NamedTuple):
    """Lengths in m, masses in kg, inertias in kg m², the spring in N m/rad; the letters are Glocker's."""

    r0: float = 0.0025
    rM: float = 0.0031
    hM: float = 0.0058
    lM: float = 0.010
    lG: float = 0.015
    hS: float = 0.02
    lS: float = 0.0201
    mM: float = 0.0003
    mS: float = 0.0045
    JM: float = 5e-9
    JS: float = 7e-7
    spring: float = 0.0056
    gravity: float = 9.81


PERIOD, DROP = 0.14597607, 0.01944538
"""Of the limit cycle: seconds, and how far the sleeve comes down in each, m."""

# q = (y, φM, φS): height of the sleeve, angles of sleeve and bird; p = Toy()


@evaluator
def f(t, q, v, p, out):
    """Weight, and the spring between sleeve and bird."""
    weight, moment = p[8] * p[12], p[11] * (q[1] - q[2])
    out[0] = -(p[7] + p[8]) * p[12]
    out[1] = -moment - weight * p[3]
    out[2] = moment - weight * p[4]


@evaluator
def gap(t, q, p, out):
    """Of the beak, and of the lower and the upper edge of the sleeve."""
    out[0] = p[3] + p[4] - p[6] - p[0] - p[5] * q[2]
    out[1] = p[1] - p[0] + p[2] * q[1]
    out[2] = p[1] - p[0] - p[2] * q[1]


@evaluator
def slip(t, q, v, p, out):
    """Velocities along the pole."""
    out[0] = v[0] + p[3] * v[1] + (p[4] - p[6]) * v[2]
    out[1] = v[0] + p[1] * v[1]
    out[2] = v[0] + p[1] * v[1]


def mass(toy: Toy) -> np.ndarray:
    """The constant mass matrix."""
    m, lM, lG = toy.mS, toy.lM, toy.lG
    return np.array(
        [
            [toy.mM + m, m * lM, m * lG],
            [m * lM, toy.JM + m * lM**2, m * lM * lG],
            [m * lG, m * lM * lG, toy.JS + m * lG**2],
        ]
    )


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    m, lM, lG = p[8], p[3], p[4]
    kinetic = (
        0.5 * (p[7] + m) * v[0] ** 2 + 0.5 * (p[9] + m * lM**2) * v[1] ** 2 + 0.5 * (p[10] + m * lG**2) * v[2] ** 2
    )
    kinetic = kinetic + m * (lM * v[0] * v[1] + lG * v[0] * v[2] + lM * lG * v[1] * v[2])
    height = (p[7] + m) * q[0] + m * (lM * q[1] + lG * q[2])
    return kinetic, p[12] * height + 0.5 * p[11] * (q[1] - q[2]) ** 2


def drawing(toy: Toy) -> Drawing:
    """Pole, sleeve, spring and bird, seen from the side; angles are small."""

    def along(t, q, x, y=0.0):
        """A point of the bird: x from the hinge of the spring, y above it."""
        hinge = np.array([toy.lM, q[0] + toy.lM * q[1]])
        c, s = np.cos(q[2]), np.sin(q[2])
        return hinge + np.array([x * c - y * s, x * s + y * c])

    def edge(sign):
        return lambda t, q: (toy.r0, q[0] + sign * toy.hM)

    length, wide = 0.25, 2.0 * toy.rM
    return Drawing(
        Body("pole", Cylinder(toy.r0, length), (0.0, -0.35 * length), _UPRIGHT, fixed=True),
        Body("sleeve", Box((wide, 2 * toy.hM, wide)), lambda t, q: (0.0, q[0]), lambda t, q: q[1]),
        Body("bird", Box((0.012, 0.035, 0.008)), lambda t, q: along(t, q, toy.lG), lambda t, q: q[2], trace=True),
        Line("spring", lambda t, q: [(0.0, q[0]), along(t, q, 0.0), along(t, q, toy.lG)], radius=5e-4),
        Line("beak", lambda t, q: [along(t, q, toy.lG, toy.hS), along(t, q, toy.lG - toy.lS, toy.hS)], radius=8e-4),
        Contact("beak", lambda t, q: (toy.r0, along(t, q, 0.0, toy.hS)[1]), (1.0, 0.0), (0.0, 1.0)),
        Contact("lower", edge(-1.0), (1.0, 0.0), (0.0, 1.0)),
        Contact("upper", edge(1.0), (-1.0, 0.0), (0.0, 1.0)),
    )


_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def woodpecker(mu: float = 0.3, e_beak: float = 0.5) -> Problem:
    """The toy of Glocker: the sleeve jams on the pole and comes free again as the bird swings and pecks.

    The motion runs into a limit cycle of 0.146 s, in which the toy comes down by 19 mm.
    """
    toy = Toy()
    q0, v0, t_span = np.array([0.0, -3.0 / 29.0, -0.2788]), np.array([-0.3411, 0.0, -7.4583]), (0.0, 1.0)
    rows = np.array([[1.0, toy.lM, toy.lG - toy.lS], [1.0, toy.rM, 0.0], [1.0, toy.rM, 0.0]])
    stiffness = np.array([[0.0, 0.0, 0.0], [0.0, -toy.spring, toy.spring], [0.0, toy.spring, -toy.spring]])

    def system():
        return System(
            M=mass(toy), f=f, f_q=stiffness, f_v=0, gap=gap, nc=3, gap_t=0, gap_bias=0, e=[e_beak, 0.0, 0.0],
            gap_q=np.array([[0.0, 0.0, -toy.hS], [0.0, toy.hM, 0.0], [0.0, -toy.hM, 0.0]]),
            slip=slip, nt=3, slip_v=rows, slip_q=0, slip_t=0, mu=mu, energy=energy, params=toy, drawing=drawing(toy),
            names={"q": ["y", "φM", "φS"], "gap": ["beak", "lower", "upper"]},
        )  # fmt: skip

    motion, reference = event_driven(system, q0, v0, t_span[1])
    return Problem(
        name="woodpecker",
        title="Woodpecker toy",
        summary="A bird on a spring swings and pecks; its sleeve jams on the pole, comes free, drops, and jams again.",
        source="F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley (1996); parameters of "
        "C. Glocker, Set-Valued Force Laws, Springer (2001)",
        system=system, q0=q0, v0=v0, t_span=t_span, h=1e-4, method=GeneralizedAlpha(rho_inf=0.8), reference=reference,
        reference_is=BY_EVENTS, conserves_energy=False,
        impact_times=lambda: np.array([time for time, *_ in motion().impacts]),
    )  # fmt: skip


def cycle(sol, n: int = 4) -> tuple[float, float]:
    """(seconds, drop of the sleeve) of a cycle, from one fall of the bird's angle through −0.2 rad to the next.

    The mean of the last n: cycles are longer and shorter in turn for a while.
    """
    angle, level = sol.q[:, 2], -0.2
    k = np.flatnonzero((angle[:-1] > level) & (angle[1:] <= level))[[-1 - n, -1]]
    part = (angle[k] - level) / (angle[k] - angle[k + 1])
    t = sol.t[k] + part * (sol.t[k + 1] - sol.t[k])
    y = sol.q[k, 0] + part * (sol.q[k + 1, 0] - sol.q[k, 0])
    return float(t[1] - t[0]) / n, float(y[0] - y[1]) / n
