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


def levels(sol) -> Levels:
    """Evaluate the constraints at every saved state."""
    contract = sol.system.contract(sol.t[0], sol.q[0], sol.v[0])
    G, rows = contract.patterns["G"], []
    for t, q, v, vdot in zip(sol.t, sol.q, sol.v, sol.vdot, strict=True):
        values = contract.evaluate("G", t, q)
        rows.append(
            (
                contract.evaluate("g", t, q),
                G.times(values, v, contract.ng) + contract.evaluate("g_t", t, q),
                G.times(values, vdot, contract.ng) + contract.evaluate("g_bias", t, q, v),
                contract.evaluate("k", t, q, v),
            )
        )
    return Levels(*(np.array(column) for column in zip(*rows, strict=True)))
