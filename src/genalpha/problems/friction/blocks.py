"""A block on a slope, on a spring, on a belt: dry friction along a line, with exact solutions."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.friction.exact import slide
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing

GRAVITY = 9.81
METHOD = GeneralizedAlpha(rho_inf=0.8)

# q = (x, y) along and above the surface; p = (m, pull along it, pull into it, stiffness of a spring, speed of a belt)


@evaluator
def f(t, q, v, p, out):
    """Weight, and a spring to x = 0."""
    out[0] = p[0] * p[1] - p[3] * q[0]
    out[1] = -p[0] * p[2]


@evaluator
def gap(t, q, p, out):
    """The surface lies at y = 0."""
    out[0] = q[1]


@evaluator
def slip(t, q, v, p, out):
    """Velocity along the surface, seen from it."""
    out[0] = v[0] - p[4]


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    return 0.5 * p[0] * (v[0] ** 2 + v[1] ** 2), p[0] * (p[2] * q[1] - p[1] * q[0]) + 0.5 * p[3] * q[0] ** 2


def drawing(theta: float, reach: float) -> Drawing:
    """A block on a plate that is inclined by theta."""
    along, up = np.array([np.cos(theta), -np.sin(theta)]), np.array([np.sin(theta), np.cos(theta)])
    size = 0.2 * reach
    plate = Box(size=(2.6 * reach, 0.05 * reach, 1.5 * size))
    return Drawing(
        Body("block", Box(size=(size, 0.6 * size, size)), lambda t, q: q[0] * along + (q[1] + 0.3 * size) * up, -theta),
        Body("surface", plate, 0.5 * reach * along - 0.025 * reach * up, -theta, fixed=True),
        Contact("floor", position=lambda t, q: q[0] * along + q[1] * up, direction=up, slip=along),
    )


def block(m, theta, mu, mu_static=None, stiffness=0.0, belt=0.0, reach=1.0) -> System:
    """The system of this module."""
    pull = GRAVITY * np.array([np.sin(theta), np.cos(theta)])
    return System(
        M=m * np.eye(2), f=f, f_q=np.diag([-stiffness, 0.0]), f_v=0, gap=gap, nc=1, gap_q=np.array([[0.0, 1.0]]),
        gap_t=0, gap_bias=0, slip=slip, nt=1, slip_v=np.array([[1.0, 0.0]]), slip_q=0, slip_t=0, mu=mu,
        mu_static=mu_static, energy=energy, params=(m, *pull, stiffness, belt), drawing=drawing(theta, reach),
        names={"q": ["x", "y"], "gap": ["floor"]},
    )  # fmt: skip


def motion(t, x, v, friction, weight, a=None) -> Reference:
    """A motion along the surface with its forces."""
    still, empty = np.zeros_like(x), np.zeros((x.size, 0))
    vdot = None if a is None else np.stack([a, still], axis=1)
    return Reference(
        np.stack([x, still], axis=1), np.stack([v, still], axis=1), empty, empty, vdot,
        np.full((x.size, 1), weight), friction[:, None],
    )  # fmt: skip


def sliding_block(mu: float = 0.3, theta: float = 0.0, speed: float = 3.0, m: float = 1.0) -> Problem:
    """A block on a slope, theta below the horizontal, that has the given speed down the slope at first.

    The reference is exact. It stops where tan θ < μ, and then stays where it is.
    """
    if not (m > 0.0 and mu >= 0.0 and 0.0 <= theta < 0.5 * np.pi):
        raise InputError(f"mu = {mu!r}, theta = {theta!r}, m = {m!r}: mu >= 0, 0 <= theta < π/2, m > 0")
    down, into = GRAVITY * np.sin(theta), GRAVITY * np.cos(theta)

    def reference(t):
        x, v, r = slide(t, speed, down, mu * into)
        return motion(t, x, v, m * r, m * into, down + r)

    return Problem(
        name="sliding_block",
        title="Block on a slope",
        summary="A block slides with dry friction until it stops, and stays: the first test of a law of friction.",
        source="C.-A. de Coulomb, Théorie des machines simples (1781); closed form",
        system=lambda: block(m, theta, mu, reach=max(1.0, abs(speed) / 2.0)),
        q0=np.zeros(2),
        v0=np.array([speed, 0.0]),
        t_span=(0.0, 1.5),
        h=1e-2,
        method=METHOD,
        reference=reference,
        reference_is="exact",
        conserves_energy=False,
    )


def friction_oscillator(mu: float = 0.1, x0: float = 0.1, stiffness: float = 100.0, m: float = 1.0) -> Problem:
    """A block on a spring, let go at x0: every half period the swing loses the same length.

    The reference is exact: half waves about ±d, d = μ m g/k, until a turning point lies between them.
    """
    if not (mu > 0.0 and stiffness > 0.0 and m > 0.0):
        raise InputError(f"mu = {mu!r}, stiffness = {stiffness!r}, m = {m!r} must be positive")
    d, omega = mu * m * GRAVITY / stiffness, np.sqrt(stiffness / m)
    turns = int(max(np.ceil(0.5 * (abs(x0) / d - 1.0)), 0.0))

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))
        n = np.minimum(omega * t // np.pi, turns)
        side = np.sign(x0) * (-1.0) ** n
        swing = np.where(n < turns, abs(x0) - (2.0 * n + 1.0) * d, 0.0)
        phase = omega * t - n * np.pi
        x = side * np.where(n < turns, d + swing * np.cos(phase), abs(x0) - 2.0 * turns * d)
        force = np.where(n < turns, side * mu * m * GRAVITY, stiffness * x)
        v = -side * omega * swing * np.sin(phase)
        return motion(t, x, v, force, m * GRAVITY, (force - stiffness * x) / m)

    return Problem(
        name="friction_oscillator",
        title="Oscillator with dry friction",
        summary="A block on a spring: its swing falls by the same length every half period, and it stops off centre.",
        source="J. P. Den Hartog, Mechanical Vibrations (1956), sec. 8.2; closed form",
        system=lambda: block(m, 0.0, mu, stiffness=stiffness, reach=4.0 * abs(x0)),
        q0=np.array([x0, 0.0]),
        v0=np.zeros(2),
        t_span=(0.0, 2.0),
        h=2e-3,
        method=METHOD,
        reference=reference,
        reference_is="exact",
        conserves_energy=False,
    )


def stick_slip(
    mu: float = 0.25, mu_static: float = 0.4, belt: float = 0.2, stiffness: float = 100.0, m: float = 1.0
) -> Problem:
    """A block on a spring and on a belt that moves on: it sticks, tears itself off, slides back, and sticks again.

    The reference is exact: the limit cycle, from the moment when the block begins to stick.
    """
    if not (mu_static > mu >= 0.0 and belt > 0.0 and stiffness > 0.0 and m > 0.0):
        raise InputError(f"mu = {mu!r}, mu_static = {mu_static!r}, belt = {belt!r}: mu_static > mu >= 0, belt > 0")
    omega, load = np.sqrt(stiffness / m), m * GRAVITY
    middle, end = mu * load / stiffness, mu_static * load / stiffness
    begin, swing = 2.0 * middle - end, np.hypot(end - middle, belt / omega)
    ahead = np.arctan2(belt / omega, end - middle)
    sticks, slips = (end - begin) / belt, (np.pi + 2.0 * ahead) / omega

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float)) % (sticks + slips)
        stuck, phase = t < sticks, omega * (t - sticks) - ahead
        x = np.where(stuck, begin + belt * t, middle + swing * np.cos(phase))
        v = np.where(stuck, belt, -omega * swing * np.sin(phase))
        force = np.where(stuck, stiffness * x, mu * load)
        return motion(t, x, v, force, load, (force - stiffness * x) / m)

    return Problem(
        name="stick_slip",
        title="Block on a belt: stick and slip",
        summary="A block on a spring is carried along by a belt, tears itself off, slides back: a violin in one line.",
        source="R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen, Nonlinear Dynamics 16 (1998) 41-54; "
        "closed form",
        system=lambda: block(m, 0.0, mu, mu_static, stiffness, belt, reach=4.0 * end),
        q0=np.array([begin, 0.0]),
        v0=np.array([belt, 0.0]),
        t_span=(0.0, 2.0),
        h=2e-3,
        method=METHOD,
        reference=reference,
        reference_is="exact",
        conserves_energy=False,
    )


def period(sol) -> tuple[float, float]:
    """(time of sticking, time between two beginnings of it) of the block on the belt: means of all whole cycles."""
    stuck = sol.sticks[:, 0]
    begins = sol.t[1:][stuck[1:] & ~stuck[:-1]]
    ends = sol.t[1:][stuck[:-1] & ~stuck[1:]]
    ends = ends[ends > begins[0]][: len(begins) - 1]
    return float(np.mean(ends - begins[:-1])), float(np.mean(np.diff(begins)))
