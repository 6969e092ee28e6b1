"""A slider-crank whose slider has play in its guide: four corners between two walls, with friction."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.friction.rods import BY_EVENTS, event_driven
from genalpha.problems.problem import Problem
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing

CRANK, ROD, HALF_LENGTH, HALF_HEIGHT = 0.153, 0.306, 0.05, 0.025

# q: absolute angles of crank, rod and slider; p = (l1, l2, a, b, m1, m2, m3, J1, J2, J3, half width of the guide)
NUMBERS = (CRANK, ROD, HALF_LENGTH, HALF_HEIGHT, 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6)


@evaluator
def M(t, q, p, out):
    """Mass matrix; the mass of the slider acts at its hinge, which is its centre."""
    couple = (0.5 * p[5] + p[6]) * p[0] * p[1] * np.cos(q[1] - q[0])
    out[0, 0] = p[7] + (0.25 * p[4] + p[5] + p[6]) * p[0] ** 2
    out[0, 1] = out[1, 0] = couple
    out[1, 1] = p[8] + (0.25 * p[5] + p[6]) * p[1] ** 2
    out[2, 2] = p[9]


@evaluator
def f(t, q, v, p, out):
    """Centrifugal forces and weight."""
    couple = (0.5 * p[5] + p[6]) * p[0] * p[1] * np.sin(q[1] - q[0])
    out[0] = couple * v[1] ** 2 - (0.5 * p[4] + p[5] + p[6]) * 9.81 * p[0] * np.cos(q[0])
    out[1] = -couple * v[0] ** 2 - (0.5 * p[5] + p[6]) * 9.81 * p[1] * np.cos(q[1])
    out[2] = 0.0


@evaluator
def gap(t, q, p, out):
    """Upper corners from the upper wall, lower ones from the lower; rear, front each."""
    y, s, c = p[0] * np.sin(q[0]) + p[1] * np.sin(q[1]), p[2] * np.sin(q[2]), p[3] * np.cos(q[2])
    out[0] = p[10] - (y - s + c)
    out[1] = p[10] - (y + s + c)
    out[2] = p[10] + (y - s - c)
    out[3] = p[10] + (y + s - c)


@evaluator
def slip(t, q, v, p, out):
    """Velocities of the corners along the walls."""
    x = -p[0] * np.sin(q[0]) * v[0] - p[1] * np.sin(q[1]) * v[1]
    s, c = p[2] * np.sin(q[2]) * v[2], p[3] * np.cos(q[2]) * v[2]
    out[0] = x + s - c
    out[1] = x - s - c
    out[2] = x + s + c
    out[3] = x - s + c


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    l1, l2, _, _, m1, m2, m3, J1, J2, J3, _ = p
    couple = (0.5 * m2 + m3) * l1 * l2 * np.cos(q[1] - q[0]) * v[0] * v[1]
    one, two = J1 + (0.25 * m1 + m2 + m3) * l1**2, J2 + (0.25 * m2 + m3) * l2**2
    kinetic = 0.5 * (one * v[0] ** 2 + two * v[1] ** 2 + J3 * v[2] ** 2) + couple
    height = (0.5 * m1 + m2 + m3) * l1 * np.sin(q[0]) + (0.5 * m2 + m3) * l2 * np.sin(q[1])
    return kinetic, 9.81 * height


def drawing(half: float) -> Drawing:
    """Crank, rod, slider and the walls of its guide."""

    def pin(q):
        return CRANK * np.array([np.cos(q[0]), np.sin(q[0])])

    def rod(q, part):
        return pin(q) + part * ROD * np.array([np.cos(q[1]), np.sin(q[1])])

    def corner(x, y):
        def place(t, q):
            c, s = np.cos(q[2]), np.sin(q[2])
            return rod(q, 1.0) + np.array([x * c - y * s, x * s + y * c])

        return place

    thin, walls = 0.012, Box((0.45, 0.01, 0.06))
    slider = Box((2 * HALF_LENGTH, 2 * HALF_HEIGHT, 0.05))
    corners = [(name, x, y) for name, y in (("upper", 1.0), ("lower", -1.0)) for x in (-1.0, 1.0)]
    return Drawing(
        Body("crank", Box((CRANK, thin, thin)), lambda t, q: 0.5 * pin(q), lambda t, q: q[0]),
        Body("rod", Box((ROD, thin, thin)), lambda t, q: rod(q, 0.5), lambda t, q: q[1]),
        Body("slider", slider, lambda t, q: rod(q, 1.0), lambda t, q: q[2]),
        Body("upper wall", walls, (ROD, half + 0.005), fixed=True),
        Body("lower wall", walls, (ROD, -half - 0.005), fixed=True),
        *(
            Contact(
                f"{name} {'rear' if x < 0 else 'front'}",
                corner(x * HALF_LENGTH, y * HALF_HEIGHT),
                (0.0, -y),
                (1.0, 0.0),
            )
            for name, x, y in corners
        ),
    )


def slider_with_play(mu: float = 0.01, e: float = 0.4, clearance: float = 1e-3) -> Problem:
    """A slider-crank at 150 rad/s whose slider can tilt and hop in its guide, by ``clearance`` on each side.

    The first impacts hit two corners at once; they accumulate, and the slider slides along the wall.
    """
    q0, v0, t_span = np.zeros(3), np.array([150.0, -75.0, 0.0]), (0.0, 0.01)
    half = HALF_HEIGHT + clearance

    def system():
        return System(
            M=M, f=f, gap=gap, nc=4, e=e, slip=slip, nt=4, mu=mu, energy=energy, params=(*NUMBERS, half),
            drawing=drawing(half),
            names={
                "q": ["crank", "rod", "slider"],
                "gap": ["upper rear", "upper front", "lower rear", "lower front"],
            },
        )  # fmt: skip

    motion, reference = event_driven(system, q0, v0, t_span[1])
    return Problem(
        name="slider_with_play",
        title="Slider-crank with play in the guide",
        summary="A slider hops between the walls of its guide: double impacts, accumulation, sliding contact.",
        source="P. Flores, R. Leine, C. Glocker, Multibody Syst. Dyn. 23 (2010) 165-190",
        system=system, q0=q0, v0=v0, t_span=t_span, h=1e-5, method=GeneralizedAlpha(rho_inf=0.8), reference=reference,
        reference_is=BY_EVENTS, conserves_energy=False,
        impact_times=lambda: np.array([time for time, *_ in motion().impacts]),
    )  # fmt: skip
