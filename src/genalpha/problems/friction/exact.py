"""Motions with dry friction that have closed forms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def slide(t: ArrayLike, s0: float, drive: float, bound: float) -> tuple[Array, Array, Array]:
    """(∫s dt, s, r) at times t (nt,) of  ṡ = drive + r,  r = −bound sign s,  |r| ≤ bound where s = 0;  s(0) = s0.

    Examples
    --------
    >>> from genalpha.problems.friction.exact import slide
    >>> way, speed, force = slide([0.5, 2.0], 1.0, 0.0, 1.0)
    >>> way.tolist(), speed.tolist(), force.tolist()
    ([0.375, 0.5], [0.5, 0.0], [-1.0, 0.0])
    """
    t = np.atleast_1d(np.asarray(t, dtype=float))
    first = drive - bound * np.sign(s0)
    after = np.sign(drive) * max(abs(drive) - bound, 0.0)
    stop = 0.0 if s0 == 0.0 else -s0 / first if first * s0 < 0.0 else np.inf
    early, late = np.minimum(t, stop), np.maximum(t - stop, 0.0)
    way = s0 * early + 0.5 * first * early**2 + 0.5 * after * late**2
    s = np.where(t < stop, s0 + first * early, after * late)
    return way, s, np.where(t < stop, first, after) - drive
