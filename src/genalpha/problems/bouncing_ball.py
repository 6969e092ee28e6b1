"""The bouncing ball: infinitely many impacts in finite time, all of them known."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box, Sphere
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing

# q = (y): height of the lowest point of the ball; p = (m, gravity), gravity counted along −y


@evaluator
def M(t, q, p, out):
    """Mass."""
    out[0, 0] = p[0]


@evaluator
def f(t, q, v, p, out):
    """Weight."""
    out[0] = -p[0] * p[1]


@evaluator
def gap(t, q, p, out):
    """The floor lies at y = 0."""
    out[0] = q[0]


def energy(t, q, v, p):
    """Kinetic and potential energy."""
    return 0.5 * p[0] * v[0] ** 2, p[0] * p[1] * q[0]


def impact_times(height: float, e: float, gravity: float, t1: float) -> np.ndarray:
    """The impacts before t1, as far as flights between them can be told from nothing.

    Flight k lasts  2 e^k t_f,  with the time t_f of the first fall.
    """
    fall = np.sqrt(2.0 * height / gravity)
    times, flight = [fall], 2.0 * e * fall
    while flight > 1e-15 * fall and times[-1] + flight <= t1:
        times.append(times[-1] + flight)
        flight *= e
    return np.array([t for t in times if t <= t1])


def accumulation(height: float, e: float, gravity: float) -> float:
    """When the ball comes to rest:  t_f (1 + e)/(1 − e)."""
    return np.sqrt(2.0 * height / gravity) * (1.0 + e) / (1.0 - e) if e < 1.0 else np.inf


def drawing(height: float) -> Drawing:
    """A ball above a plate."""
    r = 0.08 * height
    plate = Box(size=(1.2 * height, 0.05 * height, 0.8 * height))
    return Drawing(
        Body("ball", Sphere(radius=r), position=lambda t, q: (0.0, q[0] + r), trace=True),
        Body("plate", plate, position=(0.0, -0.025 * height), fixed=True),
        Contact("floor", position=lambda t, q: (0.0, q[0]), direction=(0.0, 1.0)),
    )


def make(height: float = 1.0, e: float = 0.8, m: float = 1.0, gravity: float = 9.81) -> Problem:
    """A ball let go from a height above the floor; by default it comes to rest at 4.0637 s.

    The reference is exact: parabolas between the impacts, and rest from the accumulation on. After impact n the energy
    is e^(2n) of what it was.
    """
    if not (height > 0.0 and gravity > 0.0 and m > 0.0 and 0.0 <= e <= 1.0):
        raise InputError(f"height = {height!r}, gravity = {gravity!r}, m = {m!r} must be positive, e = {e!r} in [0, 1]")
    fall, rest = np.sqrt(2.0 * height / gravity), accumulation(height, e, gravity)
    t_span = (0.0, 5.0)

    def system():
        return System(
            M=M, f=f, f_q=0, f_v=0, gap=gap, nc=1, gap_q=np.eye(1), gap_t=0, gap_bias=0, e=e, energy=energy,
            params=(m, gravity), names={"q": ["y"], "gap": ["floor"]}, drawing=drawing(height),
        )  # fmt: skip

    def times():
        return impact_times(height, e, gravity, t_span[1])

    def reference(t):
        t = np.atleast_1d(np.asarray(t, dtype=float))
        hits = impact_times(height, e, gravity, max(t.max(), fall))
        n = np.searchsorted(hits, t, side="right")
        since = t - np.concatenate([[0.0], hits])[n]
        start = np.where(n > 0, gravity * fall * e**n, 0.0)
        y = np.where(n > 0, 0.0, height) + start * since - 0.5 * gravity * since**2
        moves = t < rest
        empty = np.zeros((t.size, 0))
        q, v = np.where(moves, np.maximum(y, 0.0), 0.0), np.where(moves, start - gravity * since, 0.0)
        return Reference(q[:, None], v[:, None], empty, empty)

    return Problem(
        name="bouncing_ball",
        title="Bouncing ball",
        summary="A ball falls on the floor and bounces; infinitely many impacts accumulate, and it stays at rest.",
        source="V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer (2008)",
        system=system,
        q0=np.array([height]),
        v0=np.array([0.0]),
        t_span=t_span,
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="exact",
        impact_times=times,
        contact_intervals=(((rest, np.inf),),),
        conserves_energy=e == 1.0,
    )
