"""A ball with spin that falls on a floor: impacts with friction, with exact solutions."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from genalpha.errors import InputError
from genalpha.problems.friction.blocks import GRAVITY
from genalpha.problems.friction.rolling import RATIO, backspin, ball, rolling_motion
from genalpha.problems.problem import Problem, Reference

SHORTEST = 1e-6
"""Below this velocity of departure the ball stays on the floor."""


def struck(
    u: float, v: float, spin: float, mu: float, e: float, e_t: float
) -> tuple[float, float, float, float, float]:
    """(u, v, r ω, Λn/m, Λt/m) after an impact of a full ball: Newton's law along both directions, within the cone."""
    push = -(1.0 + e) * u
    wanted = -(1.0 + e_t) * (v - spin) / RATIO
    drag = float(np.clip(wanted, -mu * push, mu * push))
    return u + push, v + drag, spin - 2.5 * drag, push, drag


def superball(
    mu: float = 0.5,
    e: float = 1.0,
    e_t: float = 1.0,
    speed: float = 1.0,
    spin: float = 0.0,
    height: float = 0.5,
    fall: float = 0.0,
    gravity: float = GRAVITY,
    r: float = 0.1,
    m: float = 1.0,
) -> Problem:
    """A full ball thrown with a velocity and a spin r ω; its lowest point begins at a height above the floor.

    With e = e_t = 1 and enough friction it is the superball: it takes its spin from its speed, gives it back at the
    next bounce, and loses nothing. With e = 0 it stays on the floor, slides, and rolls. ``fall`` is its velocity
    downwards at first. The reference is exact.
    """
    if not (mu >= 0.0 and 0.0 <= e <= 1.0 and -1.0 <= e_t <= 1.0 and height >= 0.0 and r > 0.0 and m > 0.0):
        raise InputError(f"mu = {mu!r}, e = {e!r}, e_t = {e_t!r}, height = {height!r}, r = {r!r}, m = {m!r}")
    if gravity == 0.0 and not fall > 0.0:
        raise InputError("without gravity the ball needs a velocity downwards, fall > 0")
    t_span = (0.0, 2.0)

    @functools.cache
    def flights():
        """Times of impacts, and states (x, y, rφ, v, u, rω) at the start and after each of them."""
        t, state, times, states = 0.0, np.array([0.0, height, 0.0, speed, -fall, spin]), [], []
        while True:
            states.append(state)
            _, y, _, v, u, w = state
            u_hit = -np.sqrt(u**2 + 2.0 * gravity * y)
            span = (u - u_hit) / gravity if gravity > 0.0 else y / fall if u < 0.0 else np.inf
            if t + span > t_span[1] or (times and u <= SHORTEST):
                return np.array(times), states
            u, v1, w1, _, _ = struck(u_hit, v, w, mu, e, e_t)
            state = np.array([state[0] + v * span, 0.0, state[2] + w * span, v1, u, w1])
            t += span
            times.append(t)

    def at(t):
        times, states = flights()
        n = int(np.searchsorted(times, t, side="right"))
        tau = t - (times[n - 1] if n else 0.0)
        x, y, turned, v, u, w = states[n]
        if n and u <= SHORTEST and gravity > 0.0:
            way, way_spin, v1, w1, force = (float(z[0]) for z in rolling_motion(tau, v, w, 0.0, gravity, mu))
            return x + way, 0.0, turned + way_spin, v1, 0.0, w1, m * gravity, m * force
        return x + v * tau, y + u * tau - 0.5 * gravity * tau**2, turned + w * tau, v, u - gravity * tau, w, 0.0, 0.0

    def reference(t):
        x, y, turned, v, u, w, normal, friction = np.array([at(ti) for ti in np.atleast_1d(t)]).T
        q, rates = np.stack([x, y + r, turned / r], axis=1), np.stack([v, u, w / r], axis=1)
        empty = np.zeros((len(q), 0))
        return Reference(q, rates, empty, empty, None, normal[:, None], friction[:, None])

    return replace(
        backspin(r=r, m=m),
        name="superball",
        title="Superball",
        summary="A ball bounces with friction: it changes speed into spin, and at the next bounce spin into speed.",
        source="R. L. Garwin, Kinematics of an ultraelastic rough ball, Am. J. Phys. 37 (1969) 88-92; G. Capobianco, "
        "J. Harsch, S. R. Eugster, R. I. Leine, Int. J. Numer. Meth. Eng. 122 (2021), sec. 10.1",
        system=lambda: ball(m, r, 0.0, mu, gravity, e, e_t, reach=max(1.5, 2.0 * abs(speed))),
        q0=np.array([0.0, height + r, 0.0]),
        v0=np.array([speed, -fall, spin / r]),
        t_span=t_span,
        h=2e-3,
        reference=reference,
        impact_times=lambda: flights()[0],
        conserves_energy=e == 1.0 and e_t == 1.0,
    )
