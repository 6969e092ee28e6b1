"""From a contract and a method to the arrays of a run: scheme numbers, patterns, storage, symbolic factorisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genalpha.contract import Contract
from genalpha.math.rescue import sparse_elimination
from genalpha.math.symbolic import DENSE_LIMIT, Elimination, TooMuchFill, dense_elimination, static_elimination
from genalpha.method import GeneralizedAlpha
from genalpha.step.state import (
    ACCELERATION,
    CONTRACTION,
    N_COUNTS,
    N_L,
    N_MATRICES,
    N_MEMORY,
    N_Q,
    N_V,
    N_X,
    POSITION,
    TANGENT_AGE,
    VELOCITY,
    Arrays,
    Scheme,
    Sizes,
)

# formulation: (level of the multipliers, positions corrected by U, velocities corrected by W)
FORMULATIONS = {
    "P": (POSITION, 0, 0),
    "V": (VELOCITY, 0, 0),
    "PV": (VELOCITY, 1, 0),
    "PVA": (ACCELERATION, 1, 1),
}


@dataclass(frozen=True)
class Setup:
    """What a run is made of, besides the evaluators."""

    sizes: Sizes
    scheme: Scheme
    arrays: Arrays
    elimination: Elimination


def make_setup(contract: Contract, method: GeneralizedAlpha) -> Setup:
    """Allocate everything; no evaluator is called."""
    elimination, T, ends, pairs = _tables(contract, method.augmented)
    n, m = contract.nv, contract.ng + contract.nk
    sizes = Sizes(n, contract.ng, contract.nk, *ends, int(contract.constant_M is not None))
    arrays = Arrays(
        Q=np.zeros((N_Q, contract.nq)),
        V=np.zeros((N_V, n)),
        L=np.zeros((N_L, m)),
        X=np.zeros((N_X, n + m)),
        J=np.zeros(sizes.end_B),
        A=np.zeros((2 * N_MATRICES, elimination.size)),
        memory=np.zeros(N_MEMORY),
        counts=np.zeros(N_COUNTS, dtype=np.int64),
        pivots=np.zeros((N_MATRICES, n + m), dtype=np.int64),
        T=T,
        plan=elimination.plan,
        pairs=pairs,
    )
    if contract.constant_M is not None:
        arrays.J[: sizes.end_M] = contract.constant_M
    arrays.counts[TANGENT_AGE] = -1
    arrays.memory[CONTRACTION] = 1.0
    return Setup(sizes, make_scheme(contract, method), arrays, elimination)


def make_scheme(contract: Contract, method: GeneralizedAlpha) -> Scheme:
    """The numbers and switches of a method."""
    c = method.coefficients_used
    level, correct_position, correct_velocity = FORMULATIONS[method.formulation]
    reuse = method.jacobian == "reuse" or (method.jacobian == "auto" and contract.numerical_tangent)
    return Scheme(
        alpha_m=c.alpha_m,
        alpha_f=c.alpha_f,
        beta=c.beta,
        gamma=c.gamma,
        tol=float(method.tol),
        max_iter=int(method.max_iter),
        level=level,
        correct_position=correct_position if contract.ng else 0,
        correct_velocity=correct_velocity if contract.ng + contract.nk else 0,
        scaling=int(method.scaling),
        augmented=int(method.augmented),
        reuse=int(reuse),
        lunk_simeon=int(method.start == "lunk-simeon"),
    )


def _tables(contract, augmented):
    """The table T of all matrix entries, the ends of its sections, and the products of the augmented Lagrangian."""
    n, m = contract.nv, contract.ng + contract.nk
    M, S, C, G, K = (contract.patterns[name] for name in ("M", "stiffness", "damping", "G", "K"))
    b_rows, b_cols = np.concatenate([G.rows, K.rows + contract.ng]), np.concatenate([G.cols, K.cols])
    square = [(p.rows, p.cols) for p in (M, S, C)]
    first, second = _pairs(G) if augmented else (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    square.append((G.cols[first], G.cols[second]))
    diagonal = np.arange(n + m)
    rows = np.concatenate([*(r for r, _ in square), b_rows + n, b_cols, diagonal])
    cols = np.concatenate([*(c for _, c in square), b_cols, b_rows + n, diagonal])
    keys = np.unique(rows * (n + m) + cols)
    elimination = _eliminate(n, m, keys)
    at = elimination.position
    sections = [(r, c, at(r, c), 0 * r) for r, c in square[:3]]
    sections.append((b_rows, b_cols, at(b_rows + n, b_cols), at(b_cols, b_rows + n)))
    all_rows, all_cols = np.divmod(keys, n + m)
    sections.append((all_rows, all_cols, at(all_rows, all_cols), 0 * keys))
    T = np.ascontiguousarray(np.concatenate([np.array(section) for section in sections], axis=1), dtype=np.int64)
    end_M, end_S, end_C = np.cumsum([M.size, S.size, C.size]).tolist()
    ends = (end_M, end_S, end_C, end_C + G.size, end_C + G.size + K.size)
    pairs = np.array([first + end_C, second + end_C, at(G.cols[first], G.cols[second])], dtype=np.int64)
    return elimination, T, ends, np.ascontiguousarray(pairs)


def _eliminate(n, m, keys) -> Elimination:
    """Small systems dense, others static sparse, and SuperLU where the fill is too large for an operation list."""
    size = n + m
    if size <= DENSE_LIMIT:
        return dense_elimination(size)
    rows, cols = np.divmod(keys, size)
    try:
        return static_elimination(size, rows, cols, n)
    except TooMuchFill:
        return sparse_elimination(size, keys)


def _pairs(G):
    """All pairs of entries of G in the same row."""
    first, second = [], []
    for row in np.unique(G.rows):
        entries = np.nonzero(G.rows == row)[0]
        first.append(np.repeat(entries, entries.size))
        second.append(np.tile(entries, entries.size))
    if not first:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate(first), np.concatenate(second)
