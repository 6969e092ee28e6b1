"""Where the entries of matrices go: blocks at once, and rows that begin where cache lines do."""

from __future__ import annotations

import numpy as np

from genalpha.math.blocks import N_COLUMNS, light_columns
from genalpha.math.linear import BLOCK_ENTRIES
from genalpha.math.plan import BLOCK, CONTACTS, KIND

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
