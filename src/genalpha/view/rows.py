"""Which rows of a solution are shown: frames of the motion, and points of the curves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

PER_ROW = ("t", "q", "v", "vdot", "a", "lam", "psi", "lam_n", "Lam", "gap", "contact_force", "impulse")


def frame_rows(sol, most: int) -> np.ndarray:
    """Rows for frames: all, or some evenly spaced in time; and those of the strongest impacts."""
    n = len(sol.t)
    if n <= most:
        return np.arange(n)
    even = np.searchsorted(sol.t, np.linspace(sol.t[0], sol.t[-1], most))
    return np.unique(np.concatenate([np.minimum(even, n - 1), [0, n - 1], impact_rows(sol, most // 4)]))


def curve_rows(sol, most: int) -> np.ndarray:
    """Rows for curves: all, or evenly spaced pairs of neighbours, and those of impacts.

    Neighbours show what changes its sign from step to step, which evenly spaced rows would hide.
    """
    n = len(sol.t)
    if n <= most:
        return np.arange(n)
    first = np.linspace(0, n - 2, most // 2).astype(int)
    return np.unique(np.concatenate([first, first + 1, impact_rows(sol, most // 4)]))


def impact_rows(sol, most: int) -> np.ndarray:
    """The rows in which impacts happened, and those before them; of too many impacts the strongest."""
    strongest = np.argsort(-np.abs(sol.impacts.impulse), kind="stable")[:most]
    after = rows_at(sol, sol.impacts.time[strongest])
    return np.unique(np.concatenate([after, np.maximum(after - 1, 0)]))


def rows_at(sol, times) -> np.ndarray:
    """The first rows that are not before these times."""
    round_off = 1e-12 * max(1.0, abs(float(sol.t[-1])))
    return np.minimum(np.searchsorted(sol.t, times - round_off), len(sol.t) - 1)


def thinned(sol, rows: np.ndarray):
    """The solution with these rows only; impacts and statistics are still those of the whole run."""
    if len(rows) == len(sol.t):
        return sol
    return replace(sol, **{name: getattr(sol, name)[rows] for name in PER_ROW})
