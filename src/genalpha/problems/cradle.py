"""Newton's cradle: equal balls on a line. Touching balls show what Newton's law of restitution says about them."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Sphere
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing, Line, Part

# q: positions of the centres along the line; p = (m, diameter)


@evaluator
def f(t, q, v, p, out):
    """No force: the strings are long."""
    out[0] = 0.0


@evaluator
def gap(t, q, p, out):
    """Distances between neighbours."""
    for i in range(q.size - 1):
        out[i] = q[i + 1] - q[i] - p[1]


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    return 0.5 * p[0] * np.sum(v**2, axis=0), 0.0 * v[0]


def drawing(balls: int, diameter: float) -> Drawing:
    """Balls on long strings; the contact between two of them pushes the second one."""
    r = 0.5 * diameter
    parts: list[Part] = []
    for i in range(balls):
        parts.append(Body(f"ball {i + 1}", Sphere(radius=r), _at(i)))
        parts.append(Line(f"string {i + 1}", _string(i, r), radius=0.02 * diameter, color="#9aa3ab"))
    for i in range(1, balls):
        parts.append(Contact(f"pair{i}", _at(i, -r), direction=(1.0, 0.0)))
    return Drawing(*parts)


def _at(i: int, shift: float = 0.0):
    return lambda t, q: (q[i] + shift, 0.0)


def _string(i: int, r: float):
    return lambda t, q: [(q[i], r), (q[i], 9.0 * r)]


def make(
    balls: int = 3,
    apart: float = 0.0,
    m: float = 1.0,
    diameter: float = 0.1,
    speed: float = 1.0,
    distance: float = 0.305,
) -> Problem:
    """The first ball runs into the others, that rest at a distance `apart` from one another; e = 1.

    Balls that touch are hit all at once, and Newton's law reverses the first relative velocity and keeps the others at
    zero: three balls leave with (−1/3, 2/3, 2/3) speed. Energy and momentum are kept, but it is not what is seen on a
    desk. Balls that are ever so little apart pass the velocity on, and the last one leaves alone.

    The reference is exact.
    """
    q0, v0 = _initial(balls, apart, diameter, speed, distance)
    gap_q = np.eye(balls - 1, balls, 1) - np.eye(balls - 1, balls)
    t_span = (0.0, 1.0 + (balls - 1) * apart / speed)
    first = distance / speed

    def times():
        return first + apart / speed * np.arange(balls - 1) if apart > 0.0 else np.array([first])

    def system():
        return System(
            M=m * np.eye(balls), f=f, f_q=0, f_v=0, gap=gap, nc=balls - 1, gap_q=gap_q, gap_t=0, gap_bias=0, e=1.0,
            energy=energy, params=(m, diameter), drawing=drawing(balls, diameter),
            names={"q": [f"x{i}" for i in range(1, balls + 1)], "gap": [f"pair{i}" for i in range(1, balls)]},
        )  # fmt: skip

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))
        q, v = np.tile(q0, (t.size, 1)), np.zeros((t.size, balls))
        if apart > 0.0:
            _pass_on(t, np.concatenate([[0.0], times(), [np.inf]]), speed, q, v)
        else:
            _share(t, first, v0, q, v)
        empty = np.zeros((t.size, 0))
        return Reference(q, v, empty, empty)

    return Problem(
        name="cradle",
        title=f"Newton's cradle, {balls} balls",
        summary="A ball runs into a row of balls: touching ones share its momentum, separate ones pass it on.",
        source="V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer (2008); "
        "J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988)",
        system=system,
        q0=q0,
        v0=v0,
        t_span=t_span,
        h=1e-2,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="exact",
        impact_times=times,
    )


def _initial(balls, apart, diameter, speed, distance):
    """(q0, v0): the first ball moves, the others rest."""
    if not (balls >= 2 and apart >= 0.0 and distance > 0.0 and speed > 0.0):
        raise InputError(
            f"balls = {balls!r}, apart = {apart!r}, distance = {distance!r}, speed = {speed!r}: "
            f"a cradle needs at least two balls, no overlap, and a first ball that moves towards the others"
        )
    q0, v0 = (diameter + apart) * np.arange(balls), np.zeros(balls)
    q0[0] -= distance - apart
    v0[0] = speed
    return q0, v0


def _share(t, hit, v0, q, v):
    """All balls are hit at once."""
    after = np.full(v0.size, 2.0 * v0[0] / v0.size)
    after[0] -= v0[0]
    v[:] = np.where((t < hit)[:, None], v0, after)
    q += np.minimum(t, hit)[:, None] * v0 + np.maximum(t - hit, 0.0)[:, None] * after


def _pass_on(t, hits, speed, q, v):
    """Ball i moves between hits i and i + 1."""
    for i in range(v.shape[1]):
        q[:, i] += speed * np.clip(t - hits[i], 0.0, hits[i + 1] - hits[i])
        v[:, i] = np.where((t >= hits[i]) & (t < hits[i + 1]), speed, 0.0)
