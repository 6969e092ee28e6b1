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


class Flights:
    """A ball that bounces: impacts, and states (x, y, r φ, v, u, r ω) at the start and after each of them."""

    def __init__(self, state, end: float, gravity: float, mu: float, e: float, e_t: float):
        self.gravity, self.mu, self.times, self.states, t = gravity, mu, [], [np.array(state)], 0.0
        while True:
            x, y, turned, v, u, spin = self.states[-1]
            hits_with = -np.sqrt(u**2 + 2.0 * gravity * y)
            span = (u - hits_with) / gravity if gravity > 0.0 else -y / u if u < 0.0 else np.inf
            if t + span > end or self.stays(len(self.times)):
                return
            t += span
            u, v1, spin1, _, _ = struck(hits_with, v, spin, mu, e, e_t)
            self.times.append(t)
            self.states.append(np.array([x + v * span, 0.0, turned + spin * span, v1, u, spin1]))

    def stays(self, n: int) -> bool:
        """Does the ball stay on the floor after n impacts?"""
        return n > 0 and self.gravity > 0.0 and self.states[n][4] <= SHORTEST

    def __call__(self, t: float) -> tuple[float, ...]:
        """(x, y, r φ, v, u, r ω, λn/m, λt/m) at a time, after the impact at that time."""
        n, g = int(np.searchsorted(self.times, t, side="right")), self.gravity
        tau = t - (self.times[n - 1] if n else 0.0)
        x, y, turned, v, u, spin = self.states[n]
        if self.stays(n):
            way, rolled, v, spin, force = (float(z[0]) for z in rolling_motion(tau, v, spin, 0.0, g, self.mu))
            return x + way, 0.0, turned + rolled, v, 0.0, spin, g, force
        return x + v * tau, y + u * tau - 0.5 * g * tau**2, turned + spin * tau, v, u - g * tau, spin, 0.0, 0.0


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
        return Flights((0.0, height, 0.0, speed, -fall, spin), t_span[1], gravity, mu, e, e_t)

    def reference(t):
        x, y, turned, v, u, w, normal, friction = np.array([flights()(ti) for ti in np.atleast_1d(t)]).T
        q, rates = np.stack([x, y + r, turned / r], axis=1), np.stack([v, u, w / r], axis=1)
        empty = np.zeros((len(q), 0))
        return Reference(q, rates, empty, empty, None, m * normal[:, None], m * friction[:, None])

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
        impact_times=lambda: np.array(flights().times),
        conserves_energy=e == 1.0 and e_t == 1.0,
    )
