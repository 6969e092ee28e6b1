"""The constraints of a solution at all levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Levels(NamedTuple):
    """The constraints along a solution: g, ġ and g̈ (nt, ng), k (nt, nk)."""

    g: NDArray[np.float64]
    gdot: NDArray[np.float64]
    gddot: NDArray[np.float64]
    k: NDArray[np.float64]


def levels(sol, rows=slice(None)) -> Levels:
    """Evaluate the constraints at the saved states, or at some rows of them."""
    contract = sol.system.contract(sol.t[0], sol.q[0], sol.v[0])
    found = []
    for t, q, v, vdot in zip(sol.t[rows], sol.q[rows], sol.v[rows], sol.vdot[rows], strict=True):
        G = contract.matrix("G", t, q)
        found.append(
            (
                contract.evaluate("g", t, q),
                G @ v + contract.evaluate("g_t", t, q),
                G @ vdot + contract.evaluate("g_bias", t, q, v),
                contract.evaluate("k", t, q, v),
            )
        )
    return Levels(*(np.array(column) for column in zip(*found, strict=True)))
