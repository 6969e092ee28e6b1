"""Measurements on solutions with contacts, and what figures of them share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.problems import Problem
from genalpha.solution.solution import Solution

PAIR = ("PVV", "PVA")


def exact_impacts(problem: Problem) -> NDArray[np.float64]:
    """The times of all impacts of a problem in which they are known."""
    if problem.impact_times is None:
        raise InputError(f"the impacts of problem {problem.name!r} are not known")
    return problem.impact_times()


def total_energy(sol: Solution) -> NDArray[np.float64]:
    """Kinetic plus potential energy (nt,), all states at once: the energy function must take columns, (n, nt)."""
    kinetic, potential = sol.system.energy(sol.t, sol.q.T, sol.v.T, *sol.system.arguments())
    return kinetic + potential


def mean_push(sol: Solution) -> NDArray[np.float64]:
    """Λ*/h of the first contact (nt,), impacts included, of a solution with all its steps."""
    return np.concatenate([[0.0], sol.impulse[1:, 0] / np.diff(sol.t)])


def alternating_part(x: NDArray[np.float64], k: int) -> float:
    """Size of what changes its sign from step to step, around row k."""
    return float(0.25 * abs(x[k - 1] - 2.0 * x[k] + x[k + 1]))


def unconverged(sol: Solution) -> int:
    """Steps that did not reach the tolerance: accepted at round-off, or divided; all if the run failed."""
    return sol.stats.stagnated + sol.stats.retries if sol.success else sol.stats.steps


def first_phase(sol: Solution, apart: float) -> tuple[float, float]:
    """Begin and end of the first phase of contact: closures less than ``apart`` seconds from one another."""
    edges = np.sort(np.concatenate([np.ravel(sol.contact_intervals[0]), sol.impacts.time]))
    breaks = np.flatnonzero(np.diff(edges) > apart)
    return float(edges[0]), float(edges[breaks[0] if breaks.size else -1])


def lines(panel, t, values, zoom=None, broad=False, **options) -> None:
    """A line for PVV, and for PVA on top of it; with ``zoom`` from one time to another.

    ``t`` and ``values`` have an array for each of them. A broad line of PVV is seen where both agree.
    """
    from genalpha.style import COLOR

    for name in PAIR:
        time, value = t[name], values[name]
        if zoom is not None:
            inside = (time >= zoom[0]) & (time <= zoom[1])
            time, value = time[inside], value[inside]
        width = (2.6 if name == "PVV" else 1.0) if broad else (1.0 if name == "PVV" else 1.4)
        panel.plot(time, value, color=COLOR[name], label=name, lw=width, **options)
    panel.set_xlim(*(zoom or (0.0, max(t[name][-1] for name in PAIR))))


def label_time(axes) -> None:
    """The time axis of the lowest row of panels."""
    for panel in axes[-1]:
        panel.set_xlabel("t  (s)")
