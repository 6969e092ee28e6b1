"""Tight solutions with impacts: smooth flights by DOP853 at round-off, each ended by an event, and Newton's law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.problems.minimal import ATOL, RTOL

SHORTEST = 1e-9
"""A flight shorter than this ends the bouncing: the contact has closed."""


@dataclass(frozen=True)
class Bounces:
    """A motion of flights and impacts.

    Attributes
    ----------
    times : ndarray (n,)
        The times of the impacts.
    flights : list of OdeSolution
        The motion from the beginning, and after each impact.
    closed : float
        From here on the last state stays as it is: the impacts have accumulated. Infinite if they do not.
    """

    times: NDArray[np.float64]
    flights: list
    closed: float

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """The state (nt, n) at times t (nt,); after an impact at the time of the impact."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        flight = np.searchsorted(self.times, t, side="right")
        states = []
        for ti, i in zip(t, flight, strict=True):
            if ti >= self.closed:
                states.append(self._rest())
            else:
                solution = self.flights[min(i, len(self.flights) - 1)]
                states.append(solution(min(ti, solution.t_max)))
        return np.array(states)

    def _rest(self):
        last = self.flights[-1](self.flights[-1].t_max)
        half = last.size // 2
        return np.concatenate([last[:half], np.zeros(last.size - half)])


def bounce(rhs: Callable, y0: ArrayLike, t1: float, gaps, impact: Callable, shortest_flight: Callable) -> Bounces:
    """Integrate ẏ = rhs(t, y), y = (coordinates, velocities), from t = 0 to t1 through all impacts.

    Parameters
    ----------
    rhs : callable (t, y) -> ẏ
    y0 : array_like
    t1 : float
    gaps : sequence of callable y -> float
        Distances; an impact happens where one falls through zero.
    impact : callable (y, i) -> y
        The state after an impact on gap i.
    shortest_flight : callable y -> float
        An estimate of the time to the next impact, from below; steps are a fraction of it.
    """
    from scipy.integrate import solve_ivp

    events = [_event(gap) for gap in gaps]
    t, y, times, flights = 0.0, np.asarray(y0, dtype=float), [], []
    while t < t1:
        step = min(0.2 * shortest_flight(y), 0.05)
        if 5.0 * step < SHORTEST:
            return Bounces(np.array(times), flights, t)
        result = solve_ivp(
            rhs, (t, t1), y, method="DOP853", rtol=RTOL, atol=ATOL, max_step=step, events=events, dense_output=True
        )
        if not result.success:
            raise InputError(f"no reference solution: {result.message}")
        flights.append(result.sol)
        if result.status == 0:
            break
        hit = next(i for i, found in enumerate(result.t_events) if found.size)
        t, y = float(result.t_events[hit][0]), impact(result.y_events[hit][0], hit)
        times.append(t)
    return Bounces(np.array(times), flights, np.inf)


def _event(gap):
    def event(_, y):
        return gap(y)

    event.terminal, event.direction = True, -1.0
    return event
