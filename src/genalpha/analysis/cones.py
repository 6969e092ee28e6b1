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
"""A solution may leave a cone by this part of its radius."""

CUTS = 60
"""Programmes solved for one factor at most."""

FACTOR = 1e-9
"""Relative accuracy of the least factor."""

LARGEST = 1e9
"""Factors beyond this count as infinite."""


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

    def solve(self, factor: float) -> Array | None:
        """The forces of the least total push within cones of this factor; None if there are none."""
        for _ in range(CUTS):
            x = self._within_cuts(factor)
            if x is None or not self._cut(x, factor):
                return x
        return None

    def least_factor(self) -> float:
        """The least factor for which there are forces, to a relative accuracy of `FACTOR`; inf if there is none."""
        if self.solve(0.0) is not None:
            return 0.0
        high = 1.0
        while self.solve(high) is None:
            high *= 8.0
            if high > LARGEST:
                return np.inf
        low = 0.0 if high == 1.0 else high / 8.0
        while high - low > FACTOR * high and high > 1e-12:
            middle = 0.5 * (low + high)
            if self.solve(middle) is None:
                low = middle
            else:
                high = middle
        return high

    def _within_cuts(self, factor: float) -> Array | None:
        from scipy.optimize import linprog

        n = self.J.shape[1]
        scale = self.force
        A, b = self._inequalities(factor, scale)
        found: Any = linprog(
            np.where(self.pushes, 1.0, 0.0), A_ub=A, b_ub=b, A_eq=self.J / self.row[:, None],
            b_eq=-self.f / (self.row * scale), bounds=[(0.0 if push else None, None) for push in self.pushes],
            method="highs", options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        ) if n else None  # fmt: skip
        if found is None:
            return np.zeros(0) if np.all(np.abs(self.f) <= 1e-12 * scale) else None
        if found.status == 0:
            return found.x * scale
        if found.status == 2:
            return None
        raise ConvergenceError(f"the linear programme of forces in equilibrium has no answer: {found.message}")

    def _inequalities(self, factor: float, scale: float):
        """A x ≤ b of all cuts, for x measured by ``scale``."""
        from scipy.sparse import coo_array

        rows, cols, values, b = [], [], [], []
        for cone in self.cones:
            for d in cone.cuts:
                k = len(b)
                rows += [k] * len(d)
                cols += cone.columns.tolist()
                values += d.tolist()
                if cone.press >= 0:
                    rows.append(k)
                    cols.append(cone.press)
                    values.append(-factor * cone.radius)
                b.append(0.0 if cone.press >= 0 else factor * cone.radius / scale)
        if not b:
            return None, None
        return coo_array((values, (rows, cols)), shape=(len(b), self.J.shape[1])).tocsr(), np.array(b)

    def _cut(self, x: Array, factor: float) -> bool:
        """Add tangent planes where x leaves cones; does it leave any?"""
        outside = False
        for cone in self.cones:
            p, radius = x[cone.columns], factor * max(cone.size(x), 0.0)
            length = float(np.linalg.norm(p))
            if len(p) > 1 and length > radius + MISS * max(radius, 1e-3 * self.force):
                cone.cuts.append(p / length)
                outside = True
        return outside
