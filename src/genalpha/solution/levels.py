"""The constraints of a solution at all levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.system.block import HOLONOMIC, NONHOLONOMIC


class Levels(NamedTuple):
    """The constraints along a solution: g, ġ and g̈ (nt, ng), k (nt, nk)."""

    g: NDArray[np.float64]
    gdot: NDArray[np.float64]
    gddot: NDArray[np.float64]
    k: NDArray[np.float64]


def levels(sol) -> Levels:
    """Evaluate the constraints at every saved state."""
    contract, rows = sol.system.contract(sol.t[0], sol.q[0], sol.v[0]), []
    for t, q, v, vdot in zip(sol.t, sol.q, sol.v, sol.vdot, strict=True):
        g, k = contract.levels(HOLONOMIC, t, q, v, vdot), contract.levels(NONHOLONOMIC, t, q, v)
        rows.append((*g.values(), *k.values()))
    return Levels(*(np.array(column) for column in zip(*rows, strict=True)))
