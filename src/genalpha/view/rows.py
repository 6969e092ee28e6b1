"""Which rows of a solution are shown: frames of the motion, and points of the curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from genalpha.solution.ledger import Ledger
from genalpha.view.tracks import Array


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


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Some rows of a solution, under the same names; impacts are those of the whole run."""

    solution: Any
    rows: np.ndarray

    def _column(self, name: str) -> Array:
        rows = self.solution.rows
        return rows[name] if len(self.rows) == rows.n else rows.take(name, self.rows)

    def width(self, name: str) -> int:
        """Numbers in a row of a column, saved or not."""
        return self.solution.origin.columns.widths[name]

    def is_saved(self, name: str) -> bool:
        """Is there such a column?"""
        return name in self.solution.origin.columns.chosen

    @cached_property
    def t(self) -> Array:
        return self._column("t")

    @cached_property
    def q(self) -> Array:
        return self._column("q")

    @cached_property
    def v(self) -> Array:
        return self._column("v")

    @cached_property
    def vdot(self) -> Array:
        return self._column("vdot")

    @cached_property
    def lam(self) -> Array:
        return self._column("lam")

    @cached_property
    def psi(self) -> Array:
        return self._column("psi")

    @cached_property
    def gap(self) -> Array:
        return self._column("gap")

    @cached_property
    def contact_force(self) -> Array:
        return self._column("contact_force")

    @cached_property
    def impulse(self) -> Array:
        return self._column("impulse")

    @cached_property
    def friction(self) -> Array:
        return self._column("friction")

    @property
    def system(self) -> Any:
        """The system of the solution."""
        return self.solution.system

    @property
    def blocks(self) -> Any:
        """The blocks of constraint rows of its system."""
        return self.solution.blocks

    @property
    def origin(self) -> Any:
        """Where the solution comes from."""
        return self.solution.origin

    def __getitem__(self, key):
        """Results by name, at these rows."""
        return self.system.quantity(self, key)

    @property
    def ledger(self) -> Ledger:
        """Where the energy is, at these rows."""
        return Ledger(*(values[self.rows] for values in self.solution.ledger))
