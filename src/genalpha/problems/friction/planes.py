"""Points that slide on a plane in space: the direction of friction turns with the motion."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model.parts.shapes import Cylinder, Sphere
from genalpha.problems.friction.blocks import GRAVITY, METHOD
from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing

# q = (x, y, z), z above the plane; p = (m, force along x, along y, rate of the turntable)


@evaluator
def f(t, q, v, p, out):
    """Weight, and a constant force in the plane."""
    out[0] = p[1]
    out[1] = p[2]
    out[2] = -9.81 * p[0]


@evaluator
def gap(t, q, p, out):
    """The plane lies at z = 0."""
    out[0] = q[2]


@evaluator
def slip(t, q, v, p, out):
    """Velocity in the plane, seen from a table that turns about the origin."""
    out[0, 0] = v[0] + p[3] * q[1]
    out[0, 1] = v[1] - p[3] * q[0]


def energy(t, q, v, p):
    """Kinetic and potential energy; the force in the plane belongs to the potential."""
    return 0.5 * p[0] * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2), 9.81 * p[0] * q[2] - p[1] * q[0] - p[2] * q[1]


def drawing(reach: float) -> Drawing:
    """A puck on a round table."""
    r = 0.08 * reach
    return Drawing(
        Body("puck", Sphere(r), position=lambda t, q: (q[0], q[1], q[2] + r), trace=True),
        Body("table", Cylinder(1.3 * reach, 0.04 * reach), (0.0, 0.0, -0.02 * reach), fixed=True),
        Contact("table", position=lambda t, q: q, direction=(0.0, 0.0, 1.0), slip=np.eye(3)[:2]),
        up=(0.0, 0.0, 1.0),
        look_from=(1.0, -1.0, 1.2),
    )


def puck(m, mu, force=(0.0, 0.0), rate=0.0, reach=1.0) -> System:
    """The system of this module."""
    turn = np.array([[0.0, rate, 0.0], [-rate, 0.0, 0.0]])
    return System(
        M=m * np.eye(3), f=f, f_q=0, f_v=0, gap=gap, nc=1, gap_q=np.array([[0.0, 0.0, 1.0]]), gap_t=0, gap_bias=0,
        slip=slip, nt=2, slip_v=np.eye(2, 3), slip_q=turn, slip_t=0, mu=mu, energy=energy,
        params=(m, *force, rate), drawing=drawing(reach), names={"q": ["x", "y", "z"], "gap": ["table"]},
    )  # fmt: skip


def _motion(m, y, friction, force) -> Reference:
    """From states y = (x, y, ẋ, ẏ) (nt, 4) and the force of friction (nt, 2)."""
    zero, empty = np.zeros((len(y), 1)), np.zeros((len(y), 0))
    q, v = np.hstack([y[:, :2], zero]), np.hstack([y[:, 2:], zero])
    vdot = np.hstack([(friction + force) / m, zero])
    return Reference(q, v, empty, empty, vdot, zero + m * GRAVITY, friction)


def _sliding(m, mu, force, rate, y0):
    """The reference of a puck that slides all the time."""
    force, limit = np.asarray(force, dtype=float), mu * m * GRAVITY

    def friction(y):
        s = y[..., 2:] - rate * np.stack([-y[..., 1], y[..., 0]], axis=-1)
        return -limit * s / np.linalg.norm(s, axis=-1, keepdims=True)

    def reference(t):
        y = integrate(lambda _, y: np.concatenate([y[2:], (friction(y) + force) / m]), 0.0, y0, t)
        return _motion(m, y, friction(y), force)

    return reference


def curved_sliding(mu: float = 0.3, m: float = 1.0, speed=(3.0, -1.0), force=(2.0, 4.0)) -> Problem:
    """A puck slides on a plane under a constant force across its way.

    The reference is DOP853 at 1e-13. Methods whose friction has the direction at the end of a step are of order 1 here.
    """
    return Problem(
        name="curved_sliding",
        title="Curved sliding",
        summary="A puck slides while a force turns its way: the direction of friction changes within every step.",
        source="numbers of ours",
        system=lambda: puck(m, mu, force, reach=2.0),
        q0=np.zeros(3),
        v0=np.array([*speed, 0.0]),
        t_span=(0.0, 0.8),
        h=5e-3,
        method=METHOD,
        reference=_sliding(m, mu, force, 0.0, [0.0, 0.0, *speed]),
        reference_is="DOP853 at 1e-13",
        conserves_energy=False,
    )


def turntable(rate: float = 2.0, mu: float = 0.3, m: float = 1.0, r: float = 1.0, turning: bool = False) -> Problem:
    """A puck put on a turning table at a distance r from its centre, at rest, or already turning with it.

    The reference is DOP853 at 1e-13 while it slides; what turns with the table stays there if rate² r <= μ g.
    """
    holds = turning and rate**2 * r <= mu * GRAVITY
    if not (r > 0.0 and mu > 0.0 and (holds or not turning)):
        raise InputError(f"r = {r!r}, mu = {mu!r}, rate = {rate!r}: a puck that turns along needs rate² r <= μ g")

    def circle(t):
        angle = rate * np.atleast_1d(np.asarray(t, dtype=float))
        out = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        along = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
        return _motion(m, np.hstack([r * out, rate * r * along]), -m * rate**2 * r * out, np.zeros(2))

    start = np.array([r, 0.0, 0.0, rate * r if turning else 0.0])
    return Problem(
        name="turntable",
        title="Puck on a turntable",
        summary="A puck put on a turning table: it is dragged along, slides outwards, and its friction turns.",
        source="numbers of ours; closed form where it sticks",
        system=lambda: puck(m, mu, rate=rate, reach=2.0 * r),
        q0=np.array([r, 0.0, 0.0]),
        v0=np.array([0.0, start[3], 0.0]),
        t_span=(0.0, 1.0),
        h=5e-3,
        method=METHOD,
        reference=circle if turning else _sliding(m, mu, (0.0, 0.0), rate, start),
        reference_is="exact" if turning else "DOP853 at 1e-13",
        conserves_energy=False,
    )
