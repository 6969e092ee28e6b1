"""Words for a step that failed: the residual of every block at the last iterate."""

from __future__ import annotations

import numpy as np

from genalpha.contract import Contract
from genalpha.step.state import DYNAMICS, LAM, MU1, N_MATRICES, NU, Q1, REGULARISED, STEP_SIZE, V1, VDOT1, U, W


def residuals(contract: Contract, setup, t1: float) -> dict[str, tuple[float, str]]:
    """Largest residual of each block of equations, and the name of the row where it is."""
    arrays = setup.arrays
    q, v, vdot, mu = arrays.Q[Q1], arrays.V[V1], arrays.V[VDOT1], arrays.L[MU1]
    M, G, K = contract.matrix("M", t1, q), contract.matrix("G", t1, q), contract.matrix("K", t1, q, v)
    B = np.vstack([G, K])
    ng, names = contract.ng, contract.names
    rows = {"dynamics": (M @ vdot - B.T @ mu - contract.evaluate("f", t1, q, v), names["q"])}
    if ng:
        rows["g"] = (contract.evaluate("g", t1, q), names["g"])
        rows["ġ"] = (G @ v + contract.evaluate("g_t", t1, q), names["g"])
        if setup.scheme.correct_position:
            rows["M U - Gᵀν"] = (M @ arrays.V[U] - G.T @ arrays.L[NU, :ng], names["q"])
    if contract.nk:
        rows["k"] = (contract.evaluate("k", t1, q, v), names["k"])
    if setup.scheme.correct_velocity:
        rows["M W - BᵀΛ"] = (M @ arrays.V[W] - B.T @ arrays.L[LAM], names["q"])
    return {block: _worst(value, labels) for block, (value, labels) in rows.items()}


def _worst(value, labels):
    size = np.where(np.isfinite(value), np.abs(value), np.inf)
    worst = int(np.argmax(size))
    return float(size[worst]), labels[worst]


def describe_failure(contract: Contract, setup, t1: float, h: float) -> str:
    """One sentence: residuals by block, and what else is known."""
    parts = [f"{block} {size:.2e} ({name!r})" for block, (size, name) in residuals(contract, setup, t1).items()]
    text = "residuals " + ", ".join(parts)
    if setup.arrays.counts[REGULARISED]:
        text += "; constraints are regularised because rows depend on one another"
    if setup.arrays.memory[STEP_SIZE] and h > 1.5 * setup.arrays.memory[STEP_SIZE]:
        text += f"; the step before was {setup.arrays.memory[STEP_SIZE]:.3g}"
    return text


def iteration_matrix(setup) -> np.ndarray:
    """The matrix of the dynamics of the last step, 004 (24), as a dense array (n + m, n + m)."""
    arrays = setup.arrays
    size = arrays.X.shape[1]
    matrix = np.zeros((size, size))
    rows, cols, storage = arrays.E
    matrix[rows, cols] = arrays.A[N_MATRICES + DYNAMICS, storage]
    return matrix
