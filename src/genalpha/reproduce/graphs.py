"""The distance between two functions of time that jump.

A velocity that jumps a step too late is wrong by the whole jump for that step: its largest error does not tend to zero.
The graphs do come closer. A graph is completed with vertical segments at the jumps, which makes it a curve in the plane
of time and value, and the distance of two such curves is

    max( ∫ dist(x, B) dℓ  over x in A,   ∫ dist(x, A) dℓ  over x in B ),

an L1 form of Hausdorff's distance: the area between the curves, about. Moreau studied the convergence of completed
graphs [1]; for the order of time-stepping schemes with impacts see [2].

References
----------
.. [1] J. J. Moreau, Approximation en graphe d'une évolution discontinue, RAIRO Analyse numérique 12 (1978) 75-84.
.. [2] V. Acary, Higher order event capturing time-stepping schemes for nonsmooth multibody systems with unilateral
   constraints and impacts, Applied Numerical Mathematics 62 (2012) 1259-1275.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.problems import Problem
from genalpha.reproduce.contacts import exact_impacts

POINTS = 4000
JUST_BEFORE = 1e-12  # seconds
BETWEEN = 200  # points between two jumps


def graph_distance(one: ArrayLike, other: ArrayLike, points: int = POINTS) -> float:
    """L1 distance of two curves (n, 2), given by their corners; both axes should be scaled to the same size.

    Curves are divided into about so many points; between them they are straight.

    Examples
    --------
    A jump from 0 to 1 that comes 0.01 too late: the area between the graphs is 0.01.

    >>> early, late = ([(0, 0), (t, 0), (t, 1), (1, 1)] for t in (0.5, 0.51))
    >>> round(graph_distance(early, late), 3)
    0.01
    """
    first, second = divide(one, points), divide(other, points)
    return max(_directed(first, second), _directed(second, first))


def divide(curve: ArrayLike, points: int) -> NDArray[np.float64]:
    """The same curve with more corners, at equal distances along it."""
    curve = np.asarray(curve, dtype=float)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    at = np.union1d(length, np.linspace(0.0, length[-1], points))
    return np.stack([np.interp(at, length, column) for column in curve.T], axis=1)


def _directed(curve, other):
    """∫ dist(x, other) dℓ over x in the curve, by midpoints; the nearest point lies next to the nearest corner."""
    from scipy.spatial import KDTree

    middle, length = 0.5 * (curve[1:] + curve[:-1]), np.linalg.norm(np.diff(curve, axis=0), axis=1)
    _, nearest = KDTree(other).query(middle)
    sides = [np.clip(nearest + side, 0, len(other) - 2) for side in (-1, 0)]
    return float(length @ np.minimum(*(_to_segments(middle, other[i], other[i + 1]) for i in sides)))


def _to_segments(x, begin, end):
    """Distances of points from segments."""
    along, to_x = end - begin, x - begin
    square = np.maximum(np.sum(along**2, axis=1), 1e-300)
    part = np.clip(np.sum(along * to_x, axis=1) / square, 0.0, 1.0)
    return np.linalg.norm(to_x - part[:, None] * along, axis=1)


def exact_graph(problem: Problem, quantity: str, column: int, t1: float) -> NDArray[np.float64]:
    """The completed graph of one entry of q or v of a problem with known impacts, from its beginning to t1."""
    hits = exact_impacts(problem)
    edges = np.concatenate([[problem.t_span[0]], hits[hits < t1], [t1]])
    pieces = []
    for begin, end in pairwise(edges):
        t = np.linspace(begin, end, BETWEEN)
        before_the_jump = np.append(t[:-1], end - JUST_BEFORE)
        pieces.append(np.stack([t, getattr(problem.reference(before_the_jump), quantity)[:, column]], axis=1))
    return np.concatenate(pieces)
