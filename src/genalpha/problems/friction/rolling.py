"""Balls that slide until they roll: in a plane, in space, and spinning on the spot."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model.parts.shapes import Box, Sphere
from genalpha.problems.friction.blocks import GRAVITY, METHOD
from genalpha.problems.friction.exact import slide
from genalpha.problems.problem import Problem, Reference, no_reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing

RATIO = 3.5
"""A force at the rim of a full ball changes the slip by so much more than the velocity: 1 + m r²/J."""

# in a plane: q = (x, y, φ), y above the floor, φ forwards; p = (m, r, pull along the floor, pull into it)


@evaluator
def f(t, q, v, p, out):
    """Weight."""
    out[0] = p[0] * p[2]
    out[1] = -p[0] * p[3]
    out[2] = 0.0


@evaluator
def gap(t, q, p, out):
    """The lowest point of the ball."""
    out[0] = q[1] - p[1]


@evaluator
def slip(t, q, v, p, out):
    """Velocity of the lowest point along the floor."""
    out[0] = v[0] - p[1] * v[2]


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    kinetic = 0.5 * p[0] * (v[0] ** 2 + v[1] ** 2 + 0.4 * p[1] ** 2 * v[2] ** 2)
    return kinetic, p[0] * (p[3] * q[1] - p[2] * q[0])


def drawing(r: float, theta: float, reach: float) -> Drawing:
    """A ball on a plate that is inclined by theta."""
    along, up = np.array([np.cos(theta), -np.sin(theta)]), np.array([np.sin(theta), np.cos(theta)])
    return Drawing(
        Body("ball", Sphere(r), lambda t, q: q[0] * along + q[1] * up, lambda t, q: -theta - q[2], trace=True),
        Body("floor", Box((reach + 4 * r, 0.2 * r, 4 * r)), 0.5 * reach * along - 0.1 * r * up, -theta, fixed=True),
        Contact("floor", position=lambda t, q: q[0] * along + (q[1] - r) * up, direction=up, slip=along),
    )


def ball(m, r, theta, mu, gravity=GRAVITY, e=0.0, e_t=0.0, reach=1.5) -> System:
    """A full ball above a slope, in a plane."""
    return System(
        M=m * np.diag([1.0, 1.0, 0.4 * r**2]), f=f, f_q=0, f_v=0, gap=gap, nc=1, gap_q=np.array([[0.0, 1.0, 0.0]]),
        gap_t=0, gap_bias=0, e=e, slip=slip, nt=1, slip_v=np.array([[1.0, 0.0, -r]]), slip_q=0, slip_t=0, mu=mu,
        e_t=e_t, energy=energy, params=(m, r, gravity * np.sin(theta), gravity * np.cos(theta)),
        drawing=drawing(r, theta, reach), names={"q": ["x", "y", "φ"], "gap": ["floor"]},
    )  # fmt: skip


def rolling_motion(t, v0, spin, down, into, mu):
    """(x, rφ, v, rω, friction over m) of a ball on a slope, with v0 and rω = spin at first."""
    way, s, r = slide(t, v0 - spin, down, RATIO * mu * into)
    t = np.atleast_1d(np.asarray(t, dtype=float))
    force = r / RATIO
    push = (s - (v0 - spin) - down * t) / RATIO
    pushed = (way - (v0 - spin) * t - 0.5 * down * t**2) / RATIO
    x, v = v0 * t + 0.5 * down * t**2 + pushed, v0 + down * t + push
    return x, x - way, v, v - s, force


def backspin(
    mu: float = 0.2, speed: float = 2.0, spin: float = -1.0, theta: float = 0.0, r: float = 0.1, m: float = 1.0
) -> Problem:
    """A full ball with the given speed and a spin r ω against it; theta is the angle of a slope.

    The reference is exact: it slides until its lowest point rests, and rolls from then on where tan θ <= 3.5 μ.
    """
    if not (mu >= 0.0 and r > 0.0 and m > 0.0 and 0.0 <= theta < 0.5 * np.pi):
        raise InputError(
            f"mu = {mu!r}, r = {r!r}, m = {m!r}, theta = {theta!r}: mu >= 0, r > 0, m > 0, 0 <= theta < π/2"
        )
    down, into = GRAVITY * np.sin(theta), GRAVITY * np.cos(theta)

    def reference(t):
        x, turned, v, rate, force = rolling_motion(t, speed, spin, down, into, mu)
        still, empty = np.zeros_like(x), np.zeros((x.size, 0))
        q, v = np.stack([x, still + r, turned / r], axis=1), np.stack([v, still, rate / r], axis=1)
        vdot = np.stack([down + force, still, -2.5 * force / r], axis=1)
        return Reference(q, v, empty, empty, vdot, still[:, None] + m * into, m * force[:, None])

    return Problem(
        name="backspin",
        title="Ball with backspin",
        summary="A ball slides with a spin against its motion until it rolls, with 5/7 of its speed less 2/7 r ω.",
        source="G.-G. Coriolis, Théorie mathématique des effets du jeu de billard (1835); closed form",
        system=lambda: ball(m, r, theta, mu),
        q0=np.array([0.0, r, 0.0]),
        v0=np.array([speed, 0.0, spin / r]),
        t_span=(0.0, 1.0),
        h=5e-3,
        method=METHOD,
        reference=reference,
        reference_is="exact",
        conserves_energy=False,
    )


# in space: q = (x, y, z, three angles whose rates are ω), z above the table; p = (m, r, drilling radius)


@evaluator
def f_space(t, q, v, p, out):
    """Weight."""
    for i in range(6):
        out[i] = 0.0
    out[2] = -9.81 * p[0]


@evaluator
def gap_space(t, q, p, out):
    """The lowest point of the ball."""
    out[0] = q[2] - p[1]


@evaluator
def slip_space(t, q, v, p, out):
    """Velocity of the lowest point, ṙ − r ω × e_z."""
    out[0, 0] = v[0] - p[1] * v[4]
    out[0, 1] = v[1] + p[1] * v[3]


@evaluator
def slip_drilling(t, q, v, p, out):
    """The same, and the velocity at which a patch of contact turns on the table."""
    out[0, 0] = v[0] - p[1] * v[4]
    out[0, 1] = v[1] + p[1] * v[3]
    out[0, 2] = p[2] * v[5]


def energy_space(t, q, v, p):
    """Kinetic and potential energy."""
    turning = 0.4 * p[1] ** 2 * (v[3] ** 2 + v[4] ** 2 + v[5] ** 2)
    return 0.5 * p[0] * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2 + turning), 9.81 * p[0] * q[2]


def table(r: float) -> Drawing:
    """A ball on a table."""
    return Drawing(
        Body("ball", Sphere(r), position=lambda t, q: q[:3], trace=True),
        Body("table", Box((2.4, 1.2, 0.04)), (0.7, 0.0, -0.02), fixed=True),
        Contact("table", position=lambda t, q: (q[0], q[1], q[2] - r), direction=(0.0, 0.0, 1.0), slip=np.eye(3)[:2]),
        up=(0.0, 0.0, 1.0),
        look_from=(0.3, -1.0, 0.8),
    )


def billiard(
    mu: float = 0.2, speed=(2.0, 0.5), omega=(20.0, -10.0, 5.0), r: float = 0.1, m: float = 1.0, drilling: float = 0.0
) -> Problem:
    """A full ball on a table, with any velocity and spin; ``drilling``: radius of the patch that resists its spin.

    The reference is exact without drilling, and for spinning on the spot, which stops at J ω/(μ drilling m g).
    """
    speed, omega = np.array(speed, dtype=float), np.array(omega, dtype=float)
    spinning = _spins(mu, float(omega[2]), r, m, drilling)
    spins = bool(drilling > 0.0 and not np.any(speed) and not np.any(omega[:2]))
    rows = np.zeros((3 if drilling > 0.0 else 2, 6))
    rows[0, 0] = rows[1, 1] = 1.0
    rows[0, 4], rows[1, 3] = -r, r
    if drilling > 0.0:
        rows[2, 5] = drilling

    def system():
        return System(
            M=m * np.diag([1.0, 1.0, 1.0, *[0.4 * r**2] * 3]), f=f_space, f_q=0, f_v=0, gap=gap_space, nc=1,
            gap_q=np.eye(6)[2:3], gap_t=0, gap_bias=0, slip=slip_drilling if drilling > 0.0 else slip_space,
            nt=len(rows), slip_v=rows, slip_q=0, slip_t=0, mu=mu, energy=energy_space, params=(m, r, drilling),
            drawing=table(r), names={"q": ["x", "y", "z", "φx", "φy", "φz"], "gap": ["table"]},
        )  # fmt: skip

    return Problem(
        name="billiard",
        title="Billiard ball",
        summary="A ball slides along a parabola until it rolls straight on: friction keeps its direction.",
        source="G.-G. Coriolis, Théorie mathématique des effets du jeu de billard (1835); closed form",
        system=system,
        q0=np.array([0.0, 0.0, r, 0.0, 0.0, 0.0]),
        v0=np.array([*speed, 0.0, *omega]),
        t_span=(0.0, 1.0),
        h=5e-3,
        method=METHOD,
        reference=_rolls(mu, speed, omega, r, m) if drilling == 0.0 else spinning if spins else no_reference,
        reference_is="exact" if drilling == 0.0 or spins else "none",
        conserves_energy=False,
    )


def _rolls(mu, speed, omega, r, m):
    """The reference of a ball without drilling: friction keeps its direction until it rolls."""
    s0 = speed + r * np.array([-omega[1], omega[0]])
    size = float(np.linalg.norm(s0))
    d = s0 / size if size > 0.0 else np.zeros(2)
    turn = 2.5 / r * np.array([d[1], -d[0]])  # of the spin, by a push along d

    def reference(t):
        way, s, force = slide(t, size, 0.0, RATIO * mu * GRAVITY)
        t = np.atleast_1d(np.asarray(t, dtype=float))
        push, pushed = (s - size) / RATIO, (way - size * t) / RATIO
        q, v = np.zeros((t.size, 6)), np.zeros((t.size, 6))
        q[:, :2], v[:, :2] = np.outer(t, speed) + np.outer(pushed, d), speed + np.outer(push, d)
        q[:, 2], q[:, 5], v[:, 5] = r, omega[2] * t, omega[2]
        q[:, 3:5], v[:, 3:5] = np.outer(t, omega[:2]) + np.outer(pushed, turn), omega[:2] + np.outer(push, turn)
        return _forces(q, v, m, np.outer(m * force / RATIO, d))

    return reference


def _spins(mu, rate, r, m, drilling):
    """The reference of a ball that spins on the spot."""
    J = 0.4 * m * r**2

    def reference(t):
        way, s, force = slide(t, drilling * rate, 0.0, mu * m * GRAVITY * drilling**2 / J)
        q, v = np.zeros((way.size, 6)), np.zeros((way.size, 6))
        q[:, 2], q[:, 5], v[:, 5] = r, way / drilling, s / drilling
        third = J * force / drilling**2
        return _forces(q, v, m, np.stack([0.0 * third, 0.0 * third, third], axis=1))

    return reference


def _forces(q, v, m, friction) -> Reference:
    empty = np.zeros((len(q), 0))
    return Reference(q, v, empty, empty, None, np.full((len(q), 1), m * GRAVITY), friction)
