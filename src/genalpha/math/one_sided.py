"""Forces that push and do not pull: the complementarity problem of contacts at one instant.

    λ ≥ 0,      D λ + d ≥ 0,      λᵀ(D λ + d) = 0

D = N P Nᵀ is positive semidefinite, and singular where contacts depend on one another; d are the accelerations of the
gaps without forces. A = D^½ makes it the search for the shortest y with A y ≥ −d, whose multipliers are λ. That is a
problem of nonnegative least squares (Lawson and Hanson, Solving Least Squares Problems, 1974, ch. 23, LDP): it has an
answer or a proof that there is none, whatever the rank of D is.
"""

from __future__ import annotations

import numpy as np

from genalpha.math.saddle import RANK

IMPOSSIBLE = 1e-10
"""What is left of the unit vector, in the problem of least squares, if no forces do."""

PENETRATES = 1e-6
"""Accelerations into one another that are more than round-off, over the largest."""


def forces_that_push(D, d):
    """λ, or None if there is none: where walls close in.

    Parameters
    ----------
    D : ndarray (n, n)
    d : ndarray (n,)
    """
    from scipy.optimize import nnls  # 0.2 s to import

    size = np.sqrt(np.maximum(np.diag(D), 1e-14 * np.max(np.diag(D), initial=0.0)))
    size = np.where(size > 0.0, size, 1.0)
    if not np.any(d < 0.0):
        return np.zeros(len(d))
    largest = np.max(np.abs(d) / size)
    values, vectors = np.linalg.eigh(D / size[:, None] / size)
    A = vectors * np.sqrt(np.where(values > RANK**2 * values[-1], values, 0.0))
    E = np.vstack([A.T, -d / size / largest])
    unit = np.zeros(len(E))
    unit[-1] = 1.0
    weights = nnls(E, unit, maxiter=100 * len(d))[0]
    left = (unit - E @ weights)[-1]
    force, active = largest * weights / max(left, IMPOSSIBLE) / size, weights > 0.0
    # once more with the rows that are closed, to round-off
    exact = np.linalg.lstsq(D[np.ix_(active, active)], -d[active], rcond=None)[0]
    if np.all(exact >= 0.0):
        force[active] = exact
    if left <= IMPOSSIBLE or np.any(D @ force + d < -PENETRATES * largest * size):
        return None
    return force
