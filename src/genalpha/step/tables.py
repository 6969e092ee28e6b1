"""The integer tables of a step: where the values of matrices come from, and where they go.

``T`` has the row and the column of every value in J, rows of slip last, ``Z`` the places of values in the factorised
matrices, ``E`` the rows, columns and places of all entries of these, ``pairs`` those of the augmented Lagrangian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.math.blocks import N_COLUMNS, block_elimination, light_columns
from genalpha.math.delassus import slot_elimination, slot_places
from genalpha.math.linear import BLOCK_ENTRIES
from genalpha.math.plan import (
    BLOCK,
    CONTACTS,
    DENSE_LIMIT,
    DENSE_SHARE,
    KIND,
    Elimination,
    TooMuchFill,
    dense_elimination,
    static_elimination,
)
from genalpha.math.rescue import sparse_elimination
from genalpha.system.block import KINDS, TANGENTIAL
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
    slip = contract.patterns[TANGENTIAL.gradient]
    T = np.concatenate(
        [
            *((p.rows, p.cols) for p in (M, S, C)),
            (entries.b_rows, entries.b_cols),
            *((p.rows, p.cols) for p in (F, slip)),
        ],
        axis=1,
    )
    places = np.nonzero(np.concatenate([entries.keep[name] for name in SECTIONS]))[0]
    ends = np.cumsum([p.size for p in (*sections, slip)]).tolist()
    end_M, end_S, end_C, _, _, end_B, *_ = ends
    first, second = entries.first, entries.second
    pairs = np.array([first + end_C, second + end_C, elimination.position(G.cols[first], G.cols[second])])
    elimination, Z, E = _put(contract, elimination, T, places, (end_C, end_B), keys, n_base)
    Z, put = by_blocks(
        Z, np.searchsorted(places, [end_M, end_S, end_C, end_B]), elimination.plan, contract.constant_M is not None
    )
    on_diagonal = np.nonzero(T[0, :end_C] == T[1, :end_C])[0]
    put += (Z.shape[1] + np.searchsorted(on_diagonal, [0, end_M, end_S, end_C])).tolist()
    Z = np.concatenate([Z, [on_diagonal, *np.zeros((3, on_diagonal.size), dtype=np.int64)]], axis=1)
    T = np.concatenate([T, blocks_ahead(*sections, slip)[None]])
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


BY_BLOCKS = (BLOCK, CONTACTS)
"""Kinds of plans whose values are stored by blocks."""


def by_blocks(Z, ends, plan, mass_is_constant):
    """Z with one column for each full block of S and of C, before their other entries; and the ends of its sections.

    The blocks of S come in three parts: those that are the first to reach a block of the matrix, where there is no mass
    and where there is, and the others. A matrix can be *made* instead of added up, a constant mass given. For that, the
    last sections are stretches of zeros, of masses, and of blocks that S begins; blocks of B, and its other entries.
    They are empty where a matrix cannot be made.

    The first blocks go from the last to the first: those of the stiffness that were evaluated last are in the cache,
    and those of the matrix that will be eliminated first.
    """
    M, S, C, B, F = np.split(Z, ends, axis=1)
    pieces = [M]
    for section in (S, C):
        first = np.nonzero(_blocks(section))[0] if plan[KIND] in BY_BLOCKS else np.zeros(0, dtype=np.int64)
        inside = (first[:, None] + np.arange(9)).ravel()
        pieces += [section[:, first], np.delete(section, inside, axis=1)]
    targets, ahead = np.unique(pieces[1][1], return_index=True)
    masses, stiffness = np.sort(M[1]), pieces[1]
    with_mass = np.searchsorted(masses, targets + 12) > np.searchsorted(masses, targets)
    pieces[1:2] = [
        stiffness[:, np.sort(ahead[~with_mass])[::-1]],
        stiffness[:, np.sort(ahead[with_mass])[::-1]],
        np.delete(stiffness, ahead, axis=1),
    ]
    pieces += [B, F]
    none = Z[:, :0]
    made = [none] * 5
    places = np.concatenate([B[1], B[2]])
    if plan[KIND] == BLOCK and mass_is_constant and F.size == 0 and np.unique(places).size == places.size:
        made = _made(plan, M, np.concatenate([S[1], C[1]]), B, targets)
    pieces += made
    return np.concatenate(pieces, axis=1), np.cumsum([piece.shape[1] for piece in pieces]).tolist()


def alike_masses(places, masses):
    """For each place of a block, the first of them at which the masses have the same values: long beams read few."""
    _, first, which = np.unique(masses[places[:, None] + np.arange(12)], axis=0, return_index=True, return_inverse=True)
    return places[first[which.ravel()]]


def _made(plan, M, added, B, first):
    """Sections of Z: three kinds of stretches, (length, place), then blocks of B and its other entries.

    Parameters
    ----------
    added : array of int
        Places of stiffness and damping.
    first : array of int
        Places of the blocks that the stiffness begins.
    """
    blocks = np.nonzero(_blocks(B))[0]
    inside = (blocks[:, None] + np.arange(9)).ravel()
    wanted = np.ones(int(plan[N_COLUMNS]), dtype=bool)
    # light blocks have no entries but those that are put into them, nor do they get any
    wanted[light_columns(plan)] = False
    wanted[added[added < 4 * wanted.size] // 4] = True
    stiff, masses = np.zeros(wanted.size, dtype=bool), np.zeros(wanted.size, dtype=bool)
    stiff[(first[:, None] // 4 + np.arange(3)).ravel()] = True
    masses[M[1] // 4] = True
    for place in (B[1, blocks], B[2, blocks]):
        wanted[(place[:, None] // 4 + np.arange(3)).ravel()] = False
    stretches = [_stretches(columns) for columns in (wanted & ~masses & ~stiff, masses & ~stiff, stiff)]
    return [*stretches, B[:, blocks], np.delete(B, inside, axis=1)]


def _stretches(chosen):
    """Columns of Z, (length, place) in numbers, of the stretches of columns that are chosen."""
    edges = np.diff(np.concatenate([[0], chosen.astype(np.int64), [0]]))
    begin, end = np.nonzero(edges == 1)[0], np.nonzero(edges == -1)[0]
    return np.array([4 * (end - begin), 4 * begin, 0 * begin, 0 * begin])


def _blocks(section):
    """Columns of Z at which nine entries begin that are a block of `math.blocks`, row by row."""
    return _nine(section[0], 3, 1) & _nine(section[1], 1, 4)


def blocks_ahead(*patterns):
    """9 for each entry at which a block of three rows and columns begins, row by row, else 0.

    Which of those that overlap are taken is decided by whoever goes through them.
    """
    found = [BLOCK_ENTRIES * (_nine(p.rows, 1, 0) & _nine(p.cols, 0, 1)) for p in patterns]
    return np.concatenate(
        [np.concatenate([begin, np.zeros(p.size - begin.size)]) for p, begin in zip(patterns, found, strict=True)]
    )


def _nine(values, by_row, by_col):
    """At which of the values do nine begin that grow by so much from row to row and from column to column?"""
    n = max(len(values) - BLOCK_ENTRIES + 1, 0)
    found = np.ones(n, dtype=bool)
    for k in range(1, BLOCK_ENTRIES):
        row, col = divmod(k, 3)
        found &= values[k : k + n] == values[:n] + by_row * row + by_col * col
    return found


def aligned(n, m):
    """Zeros whose rows begin where cache lines do, with at least m columns."""
    m = -(-m // 8) * 8
    memory = np.zeros(n * m + 8)
    first = -(memory.ctypes.data // 8) % 8
    return memory[first : first + n * m].reshape(n, m)
