"""Forces in equilibrium whose friction stays within its cones: linear programmes with cutting planes.

    J x = −f,      |p_e| ≤ factor (a_e x)      for every element e of friction

Rows of an element are scaled by their coefficients, so that its cone has radius 1; a_e x is the force that presses, or
the bound of dry friction. A line segment is two inequalities; a disc or a ball begins with a polygon around it, and
wherever a solution leaves the cone its tangent plane there is added. A programme without a solution proves that the
cones have none either, and what is found misses them by `MISS` at most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import ConvergenceError

Array = NDArray[np.float64]

MISS = 1e-9
"""A solution may leave a cone by this part of its radius, or of the largest load."""

CUTS = 400
"""Programmes solved for one factor at most."""

FACTOR = 1e-8
"""Relative accuracy of the least factor."""

LARGEST = 1e9
"""Factors beyond this count as infinite."""

BEYOND = 1e-10
"""A solution that is so far beyond its cuts, over the largest load, is none."""

SIDES = 16
"""Of the first polygon around a disc."""


@dataclass
class Cone:
    """The cone of one element.

    Attributes
    ----------
    columns : ndarray of int (w,)
        Its unknowns p, scaled by their coefficients.
    press : int
        The unknown that presses; -1 where the radius is a number.
    radius : float
        Factor of the unknown that presses (μ_static/μ), or the radius itself.
    cuts : list of ndarray (w,)
        Unit vectors d with d·p ≤ factor radius (press).
    """

    columns: NDArray[np.int64]
    press: int
    radius: float
    cuts: list[Array] = field(default_factory=list[Array])

    def __post_init__(self):
        w = len(self.columns)
        if w == 2:
            angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
            self.cuts += list(np.stack([np.cos(angle), np.sin(angle)], axis=1))
            return
        grid = [np.array(d, dtype=float) for d in product((-1.0, 0.0, 1.0), repeat=w) if any(d)]
        self.cuts += [d / np.linalg.norm(d) for d in grid]

    def size(self, x: Array) -> float:
        """The radius at a solution, for the factor 1."""
        return self.radius * (x[self.press] if self.press >= 0 else 1.0)

    def usage(self, x: Array) -> float:
        """|p| over the radius."""
        length, size = float(np.linalg.norm(x[self.columns])), self.size(x)
        return length / size if size > 0.0 else np.inf if length > 0.0 else 0.0


@dataclass
class Programme:
    """Unknown forces x with J x = −f, x ≥ 0 where ``pushes``, and cones."""

    J: Array
    f: Array
    pushes: NDArray[np.bool_]
    cones: list[Cone]

    def __post_init__(self):
        self.force = float(np.max(np.abs(self.f), initial=0.0)) or 1.0
        size = np.max(np.abs(self.J), axis=1, initial=0.0)
        self.row = np.where(size > 0.0, size, 1.0)

    def solve(self, factor: float, room: float = 0.0) -> Array | None:
        """The forces of the least total push within cones of this factor, or of ``room`` more; None if there are none.

        Some rounds of tangent planes are enough where there is room.
        """
        x = None
        for _ in range(CUTS):
            x = self._optimum(factor, deep=False)
            if x is None or not self._cut(x, factor, room):
                return x
        return x

    def feasible(self, factor: float) -> bool:
        """Are there forces within cones of this factor?"""
        for _ in range(CUTS):
            x = self._optimum(factor, deep=True)
            if x is None:
                return False
            if not self._cut(x, factor):
                return True
        raise ConvergenceError(f"forces in equilibrium were not found within their cones in {CUTS} linear programmes")

    def least_factor(self) -> float:
        """The least factor for which there are forces, to a relative accuracy of `FACTOR`; inf if there is none."""
        if self.feasible(0.0):
            return 0.0
        high = 1.0
        while not self.feasible(high):
            high *= 8.0
            if high > LARGEST:
                return np.inf
        low = 0.0 if high == 1.0 else high / 8.0
        while high - low > FACTOR * high and high > 1e-12:
            middle = 0.5 * (low + high)
            if self.feasible(middle):
                high = middle
            else:
                low = middle
        return high

    def _optimum(self, factor: float, deep: bool) -> Array | None:
        """Forces within all cuts: as deep within them as a force allows, or with the least total push."""
        from scipy.optimize import linprog

        n, scale = self.J.shape[1], self.force
        if not n:
            return np.zeros(0) if not np.any(self.f) else None
        A, b = self._inequalities(factor, scale)
        bounds: list[Any] = [(0.0 if push else None, None) for push in self.pushes]
        cost, J = np.where(self.pushes, 1.0, 0.0), self.J / self.row[:, None]
        if deep and A is not None:  # one more unknown: how far beyond its cuts the solution is
            A, J = np.hstack([A, np.full((len(b), 1), -1.0)]), np.hstack([J, np.zeros((len(J), 1))])
            cost, bounds = np.append(np.zeros(n), 1.0), [*bounds, (-1.0, None)]
        found: Any = linprog(
            cost, A_ub=A, b_ub=b, A_eq=J, b_eq=-self.f / (self.row * scale), bounds=bounds, method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )  # fmt: skip
        if found.status == 2 or (found.status == 0 and found.x.size > n and found.x[n] > BEYOND):
            return None
        if found.status == 0:
            return found.x[:n] * scale
        raise ConvergenceError(f"the linear programme of forces in equilibrium has no answer: {found.message}")

    def _inequalities(self, factor: float, scale: float) -> tuple[Array | None, Array | None]:
        """A x ≤ b of all cuts, for x measured by ``scale``."""
        A = np.zeros((sum(len(cone.cuts) for cone in self.cones), self.J.shape[1]))
        b, first = np.zeros(len(A)), 0
        for cone in self.cones:
            rows = slice(first, first + len(cone.cuts))
            A[rows, cone.columns], first = cone.cuts, rows.stop
            if cone.press >= 0:
                A[rows, cone.press] = -factor * cone.radius
            else:
                b[rows] = factor * cone.radius / scale
        return (A, b) if len(A) else (None, None)

    def _cut(self, x: Array, factor: float, room: float = 0.0) -> bool:
        """Add tangent planes where x leaves cones; does it leave any?"""
        outside = False
        for cone in self.cones:
            p, size = x[cone.columns], max(cone.size(x), 0.0)
            length, radius = float(np.linalg.norm(p)), (factor + room) * size
            if len(p) > 1 and length > radius + MISS * max(radius, self.force):
                cone.cuts.append(p / length)
                outside = True
        return outside
