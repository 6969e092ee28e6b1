"""The integer tables of a step: where the values of matrices come from, and where they go.

``T`` has the row and the column of every value in J, ``Z`` the places of values in the factorised matrices, ``E`` the
rows, columns and places of all entries of these, ``pairs`` those of the augmented Lagrangian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.math.blocks import block_elimination
from genalpha.math.delassus import slot_elimination, slot_places
from genalpha.math.plan import (
    DENSE_LIMIT,
    DENSE_SHARE,
    Elimination,
    TooMuchFill,
    dense_elimination,
    static_elimination,
)
from genalpha.math.rescue import sparse_elimination
from genalpha.step.storage import blocks_ahead, by_blocks
from genalpha.system.block import KINDS
from genalpha.system.contract import Contract, stacked_pattern

# the sections of J
SECTIONS = ("M", "stiffness", "damping", *(kind.gradient for kind in KINDS), "force_mu")

Index = NDArray[np.int64]


class Entries(NamedTuple):
    """Of the contract's patterns what is kept, row by row."""

    keep: dict[str, NDArray[np.bool_]]  # by the name of a pattern
    b_rows: Index  # of B = (G, K, N)
    b_cols: Index
    first: Index  # pairs of entries of G in the same row, for the augmented Lagrangian
    second: Index


def make_tables(contract: Contract, augmented, found):
    """(elimination, integer tables of `Arrays`, ends of their sections); ``found``: see `setup.occupied`."""
    n, sections = contract.nv, [contract.patterns[name] for name in SECTIONS]
    M, S, C, G, *_, F = sections
    entries = _entries(contract, augmented, found)
    slots = contract.candidates
    n_base = n + contract.m - (slots.count if slots else 0)  # rows of slots have places of their own
    keys = _keys(contract, entries, n_base)
    elimination = _eliminate(n, n_base - n, keys, contract.nodes)
    T = np.concatenate(
        [*((p.rows, p.cols) for p in (M, S, C)), (entries.b_rows, entries.b_cols), (F.rows, F.cols)], axis=1
    )
    places = np.nonzero(np.concatenate([entries.keep[name] for name in SECTIONS]))[0]
    ends = np.cumsum([p.size for p in sections]).tolist()
    end_M, end_S, end_C, _, _, end_B, _ = ends
    first, second = entries.first, entries.second
    pairs = np.array([first + end_C, second + end_C, elimination.position(G.cols[first], G.cols[second])])
    elimination, Z, E = _put(contract, elimination, T, places, (end_C, end_B), keys, n_base)
    Z, put = by_blocks(
        Z, np.searchsorted(places, [end_M, end_S, end_C, end_B]), elimination.plan, contract.constant_M is not None
    )
    on_diagonal = np.nonzero(T[0, :end_C] == T[1, :end_C])[0]
    put += (Z.shape[1] + np.searchsorted(on_diagonal, [0, end_M, end_S, end_C])).tolist()
    Z = np.concatenate([Z, [on_diagonal, *np.zeros((3, on_diagonal.size), dtype=np.int64)]], axis=1)
    T = np.concatenate([T, blocks_ahead(*sections)[None]])
    tables = {"T": T, "Z": Z, "E": E, "pairs": pairs}
    tables = {name: np.ascontiguousarray(table, dtype=np.uint32) for name, table in tables.items()}
    return elimination, tables, (*ends, *put)


def _entries(contract, augmented, found) -> Entries:
    keep = {name: found.get(name, np.ones(p.size, dtype=bool)) for name, p in contract.patterns.items()}
    rows, cols = stacked_pattern([(contract.patterns[kind.gradient], contract.size(kind)) for kind in KINDS])
    none = np.zeros(0, dtype=np.int64)
    return Entries(keep, rows, cols, *(_pairs(contract.patterns["G"]) if augmented else (none, none)))


def _keys(contract, entries: Entries, n_base) -> Index:
    """The entries of the matrices that are factorised, row · n_base + column, each once; those of slots apart."""
    n, m, keep = contract.nv, contract.m, entries.keep
    G, F, f_keep = contract.patterns["G"], contract.patterns["force_mu"], keep["force_mu"]
    b_keep = np.concatenate([keep[kind.gradient] for kind in KINDS])
    b_rows, b_cols = entries.b_rows[b_keep] + n, entries.b_cols[b_keep]
    square = [(contract.patterns[name], keep[name]) for name in ("M", "stiffness", "damping")]
    kept = [
        *((p.rows[k], p.cols[k]) for p, k in square),
        (G.cols[entries.first], G.cols[entries.second]),
        (b_rows, b_cols),
        (b_cols, b_rows),
        (F.rows[f_keep], F.cols[f_keep] + n),
        (np.arange(n + m), np.arange(n + m)),
    ]
    rows, cols = (np.concatenate(index) for index in zip(*kept, strict=True))
    inner = (rows < n_base) & (cols < n_base)
    return np.unique(rows[inner] * n_base + cols[inner])


def _put(contract, elimination, T, places, ends, keys, n_base):
    """(elimination, Z, E): with the slots, if there are any; diagonal entries of constraint rows come last in E."""
    n, m, slots, (end_C, end_B) = contract.nv, contract.m, contract.candidates, ends
    r, c = T[:, places]
    below, right = np.where((places >= end_C) & (places < end_B), n, 0), np.where(places >= end_B, n, 0)
    at, inside = elimination.position, r + below < n_base
    i, j = (r + below)[inside], (c + right)[inside]
    Z = np.array([places, 0 * places, 0 * places, r])
    Z[1, inside], Z[2, inside] = at(i, j), at(j, i)
    i, j = np.divmod(keys, n_base)
    E, own_rows = np.array([i, j, at(i, j)]), (i == j) & (i >= n)
    E, diagonals = E[:, ~own_rows], E[:, own_rows]
    if slots:
        elimination = slot_elimination(
            elimination, n_base, slots.count, slots.width, slots.columns(n_base), slots.order
        )
        own, transposed, diagonal = slot_places(elimination.plan)
        Z[1, ~inside], Z[2, ~inside] = own, transposed
        i, j = r[~inside] + n, c[~inside]
        every = np.arange(n_base, n + m)
        E = np.concatenate([E, [i, j, own], [j, i, transposed]], axis=1)
        diagonals = np.concatenate([diagonals, [every, every, diagonal]], axis=1)
    return elimination, Z, np.concatenate([E, diagonals], axis=1)


def _eliminate(n, m, keys, nodes) -> Elimination:
    """By blocks where unknowns come in nodes; dense where that is quicker, else static sparse.

    SuperLU where the fill is too large for a plan.
    """
    size = n + m
    rows, cols = np.divmod(keys, size)
    try:
        if nodes is not None:
            return block_elimination(size, rows, cols, n, nodes[:size])
        sparse = static_elimination(size, rows, cols, n)
    except TooMuchFill:
        return sparse_elimination(size, keys)
    if size <= DENSE_LIMIT and sparse.operations > DENSE_SHARE * size**3 / 3:
        return dense_elimination(size)
    return sparse


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
