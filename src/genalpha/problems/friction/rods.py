"""A rod on the floor or against a wall, and a block on two corners: slipping, jamming, rocking."""

from __future__ import annotations

import functools

import numpy as np

from genalpha.errors import InputError
from genalpha.model.parts.shapes import Box
from genalpha.problems.friction.blocks import GRAVITY, METHOD
from genalpha.problems.friction.events import follow, interpreted
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing

# the ladder: q = (x, y, φ), its centre and its angle to the floor; the foot is away from the wall; p = (m, L/2)


@evaluator
def f_rod(t, q, v, p, out):
    """Weight."""
    out[0] = 0.0
    out[1] = -9.81 * p[0]
    out[2] = 0.0


@evaluator
def gap_ladder(t, q, p, out):
    """The foot on the floor, and the top at the wall."""
    out[0] = q[1] - p[1] * np.sin(q[2])
    out[1] = q[0] - p[1] * np.cos(q[2])


@evaluator
def slip_ladder(t, q, v, p, out):
    """Velocity of the foot along the floor, and of the top along the wall."""
    out[0] = v[0] - p[1] * np.sin(q[2]) * v[2]
    out[1] = v[1] + p[1] * np.cos(q[2]) * v[2]


@evaluator
def gap_rod(t, q, p, out):
    """The lower end."""
    out[0] = q[1] - p[1] * np.sin(q[2])


@evaluator
def slip_rod(t, q, v, p, out):
    """Velocity of the lower end along the floor."""
    out[0] = v[0] + p[1] * np.sin(q[2]) * v[2]


def energy_rod(t, q, v, p):
    """Kinetic and potential energy."""
    return 0.5 * p[0] * (v[0] ** 2 + v[1] ** 2 + p[1] ** 2 / 3.0 * v[2] ** 2), 9.81 * p[0] * q[1]


def event_driven(system, q0, v0, t1, max_step=np.inf):
    """(motion, reference) by `events.follow`, made when they are needed."""

    @functools.cache
    def motion():
        return follow(interpreted(system(), q0, v0), q0, v0, t1, max_step)

    def reference(t):
        y = motion()(t)
        q, v = np.split(y, 2, axis=1)
        vdot, lam_n, lam_t = motion().forces(t)
        empty = np.zeros((len(q), 0))
        return Reference(q, v, empty, empty, vdot, lam_n, lam_t)

    return motion, reference


BY_EVENTS = "DOP853 at 1e-13 from event to event, all modes of the contacts tried at each"


def ladder(
    phi: float = 1.0, mu_floor: float = 0.2, mu_wall: float = 0.1, length: float = 2.0, m: float = 1.0
) -> Problem:
    """A ladder leans on a wall, phi from the floor, at rest at first.

    It stays if tan φ >= (1 − μf μw)/(2 μf). Otherwise it slides down, and its top leaves the wall before it lies.
    """
    if not (0.0 < phi < 0.5 * np.pi and mu_floor >= 0.0 and mu_wall >= 0.0 and length > 0.0):
        raise InputError(f"phi = {phi!r}, mu_floor = {mu_floor!r}, mu_wall = {mu_wall!r}, length = {length!r}")
    a = 0.5 * length

    def system():
        return System(
            M=m * np.diag([1.0, 1.0, a**2 / 3.0]), f=f_rod, f_q=0, f_v=0, gap=gap_ladder, nc=2, slip=slip_ladder, nt=2,
            mu=[mu_floor, mu_wall], energy=energy_rod, params=(m, a), drawing=_leaning(length),
            names={"q": ["x", "y", "φ"], "gap": ["floor", "wall"]},
        )  # fmt: skip

    q0, v0, t_span = np.array([a * np.cos(phi), a * np.sin(phi), phi]), np.zeros(3), (0.0, 0.75)
    _, reference = event_driven(system, q0, v0, t_span[1])
    return Problem(
        name="ladder",
        title="Sliding ladder",
        summary="A ladder slides down a wall, both ends with friction, and leaves the wall before it lies.",
        source="textbook; limit of holding: A. P. Boresi, R. J. Schmidt, Engineering Mechanics: Statics (2001)",
        system=system, q0=q0, v0=v0, t_span=t_span, h=5e-3, method=METHOD, reference=reference,
        reference_is=BY_EVENTS, conserves_energy=mu_floor == mu_wall == 0.0,
    )  # fmt: skip


def _leaning(length: float) -> Drawing:
    thin = 0.02 * length
    return Drawing(
        Body("ladder", Box((length, thin, 6 * thin)), lambda t, q: q[:2], lambda t, q: -q[2]),
        Body("floor", Box((1.2 * length, thin, 0.5 * length)), (0.6 * length, -0.5 * thin), fixed=True),
        Body("wall", Box((thin, 1.2 * length, 0.5 * length)), (-0.5 * thin, 0.6 * length), fixed=True),
        Contact("floor", lambda t, q: (q[0] + 0.5 * length * np.cos(q[2]), 0.0), (0.0, 1.0), (1.0, 0.0)),
        Contact("wall", lambda t, q: (0.0, q[1] + 0.5 * length * np.sin(q[2])), (1.0, 0.0), (0.0, 1.0)),
    )


def painleve(
    phi: float = 1.0, mu: float = 1.5, velocity=(-3.0, 0.0, 0.0), e: float = 0.0, length: float = 2.0, m: float = 1.0
) -> Problem:
    """A rod that slides with one end on the floor, away from its upper end: Painlevé's paradox.

    Where 1 + 3 cos²φ < 3 μ sin φ cos φ no acceleration obeys the laws. The end jams at once: an impulse without a
    collision stops it, and the rod goes on about it. With e > 0 and a velocity downwards it is Kane's example of an
    impact that gains energy.
    """
    a = 0.5 * length

    def system():
        return System(
            M=m * np.diag([1.0, 1.0, a**2 / 3.0]), f=f_rod, f_q=0, f_v=0, gap=gap_rod, nc=1, e=e, slip=slip_rod, nt=1,
            mu=mu, energy=energy_rod, params=(m, a), names={"q": ["x", "y", "φ"], "gap": ["floor"]},
            drawing=_standing(length),
        )  # fmt: skip

    q0, v0 = np.array([a * np.cos(phi), a * np.sin(phi), phi]), np.array(velocity, dtype=float)
    _, reference = event_driven(system, q0, v0, 0.3)
    return Problem(
        name="painleve",
        title="Painlevé's rod",
        summary="A rod slides on its end and is pushed into the floor: friction stops it by an impulse at once.",
        source="P. Painlevé, C. R. Acad. Sci. 121 (1895) 112-115; F. Génot, B. Brogliato, Eur. J. Mech. A 18 (1999)",
        system=system, q0=q0, v0=v0, t_span=(0.0, 0.3), h=1e-3, method=METHOD, reference=reference,
        reference_is=BY_EVENTS, conserves_energy=False,
    )  # fmt: skip


def _standing(length: float) -> Drawing:
    thin = 0.02 * length

    def lower(t, q):
        return q[:2] - 0.5 * length * np.array([np.cos(q[2]), np.sin(q[2])])

    return Drawing(
        Body("rod", Box((length, thin, thin)), lambda t, q: q[:2], lambda t, q: q[2]),
        Body("floor", Box((2.0 * length, thin, 0.5 * length)), (0.0, -0.5 * thin), fixed=True),
        Contact("floor", lower, (0.0, 1.0), (1.0, 0.0)),
    )


# a block on two corners: q = (x, y, φ), x down the slope; p = (m, b, h, pull along, pull into), b and h half sizes


@evaluator
def f_block(t, q, v, p, out):
    """Weight."""
    out[0] = p[0] * p[3]
    out[1] = -p[0] * p[4]
    out[2] = 0.0


@evaluator
def gap_block(t, q, p, out):
    """The corners below, the one behind first."""
    c, s = np.cos(q[2]), np.sin(q[2])
    out[0] = q[1] - p[2] * c - p[1] * s
    out[1] = q[1] - p[2] * c + p[1] * s


@evaluator
def slip_block(t, q, v, p, out):
    """Velocities of the corners along the slope."""
    c, s = np.cos(q[2]), np.sin(q[2])
    out[0] = v[0] + (p[2] * c + p[1] * s) * v[2]
    out[1] = v[0] + (p[2] * c - p[1] * s) * v[2]


def energy_block(t, q, v, p):
    """Kinetic and potential energy."""
    turning = (p[1] ** 2 + p[2] ** 2) / 3.0 * v[2] ** 2
    return 0.5 * p[0] * (v[0] ** 2 + v[1] ** 2 + turning), p[0] * (p[4] * q[1] - p[3] * q[0])


def rocking_block(
    width: float = 0.2, height: float = 0.6, mu: float = 0.6, phi: float = 0.15, theta: float = 0.0, m: float = 1.0
) -> Problem:
    """A block on a slope, tilted by phi about a corner at first, at rest: it rocks from corner to corner.

    Each impact leaves 1 − 1.5 sin²α of the rate, tan α = width/height, as long as the corners do not slip. With
    phi = 0 on a slope it stays, slides, or tips.
    """
    if not (width > 0.0 and height > 0.0 and mu >= 0.0 and abs(phi) < 0.5 and 0.0 <= theta < 1.5):
        raise InputError(f"width = {width!r}, height = {height!r}, mu = {mu!r}, phi = {phi!r}, theta = {theta!r}")
    b, a = 0.5 * width, 0.5 * height
    down, into = GRAVITY * np.sin(theta), GRAVITY * np.cos(theta)

    def system():
        return System(
            M=m * np.diag([1.0, 1.0, (a**2 + b**2) / 3.0]), f=f_block, f_q=0, f_v=0, gap=gap_block, nc=2,
            slip=slip_block, nt=2, mu=mu, energy=energy_block, params=(m, b, a, down, into),
            names={"q": ["x", "y", "φ"], "gap": ["rear", "front"]}, drawing=_block(width, height, theta),
        )  # fmt: skip

    q0 = np.array([0.0, a * np.cos(phi) + b * abs(np.sin(phi)), phi])
    motion, reference = event_driven(system, q0, np.zeros(3), 1.0 if phi else 0.5)
    return Problem(
        name="rocking_block",
        title="Rocking block",
        summary="A tilted block rocks from corner to corner without bouncing, slower after each impact.",
        source="G. W. Housner, Bull. Seismol. Soc. Am. 53 (1963) 403-417",
        system=system, q0=q0, v0=np.zeros(3), t_span=(0.0, 1.0 if phi else 0.5), h=1e-3, method=METHOD,
        reference=reference, reference_is=BY_EVENTS, conserves_energy=False,
        impact_times=lambda: np.array([time for time, *_ in motion().impacts]),
    )  # fmt: skip


def _block(width: float, height: float, theta: float) -> Drawing:
    along, up = np.array([np.cos(theta), -np.sin(theta)]), np.array([np.sin(theta), np.cos(theta)])

    def corner(side):
        def place(t, q):
            c, s = np.cos(q[2]), np.sin(q[2])
            x, y = 0.5 * side * width * c + 0.5 * height * s, 0.5 * side * width * s - 0.5 * height * c
            return (q[0] + x) * along + (q[1] + y) * up

        return place

    depth = 0.8 * width
    return Drawing(
        Body("block", Box((width, height, depth)), lambda t, q: q[0] * along + q[1] * up, lambda t, q: q[2] - theta),
        Body("floor", Box((6 * width, 0.1 * width, 2 * depth)), -0.05 * width * up, -theta, fixed=True),
        Contact("rear", corner(-1.0), up, along),
        Contact("front", corner(1.0), up, along),
    )
