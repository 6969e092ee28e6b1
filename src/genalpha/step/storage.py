"""Where the entries of matrices go: blocks at once, and rows that begin where cache lines do."""

from __future__ import annotations

import numpy as np

from genalpha.math.blocks import NODES
from genalpha.math.symbolic import BLOCK, CONTACTS, KIND, SIZE

BY_BLOCKS = (BLOCK, CONTACTS)
"""Kinds of plans whose values are stored by blocks."""


def by_blocks(Z, ends, plan):
    """Z with one column for each full block of S and of C, before their other entries; and the ends of its sections.

    The blocks of S come in two parts: those that are the first to reach a block of the matrix, before which all blocks
    that are reached by none are listed, and the others.
    """
    M, S, C, B, F = np.split(Z, ends, axis=1)
    pieces = [M]
    for section in (S, C):
        first = _blocks(section) if plan[KIND] in BY_BLOCKS else np.zeros(0, dtype=np.int64)
        inside = (first[:, None] + np.arange(9)).ravel()
        pieces += [section[:, first], np.delete(section, inside, axis=1)]
    targets, ahead = np.unique(pieces[1][1], return_index=True)
    bare = np.zeros(0, dtype=np.int64)
    if plan[KIND] == BLOCK and targets.size:
        bare = np.setdiff1d(12 * np.arange((int(plan[SIZE]) - 4 * int(plan[NODES])) // 12), targets)
    else:
        ahead = ahead[:0]
    bare = np.array([0 * bare, bare, 0 * bare, 0 * bare])
    pieces[1:2] = [bare, pieces[1][:, np.sort(ahead)], np.delete(pieces[1], ahead, axis=1)]
    pieces += [B, F]
    return np.concatenate(pieces, axis=1), np.cumsum([piece.shape[1] for piece in pieces]).tolist()


def _blocks(section):
    """Columns of Z at which nine entries begin that are a block of `math.blocks`, row by row."""
    n = section.shape[1] - 8
    if n <= 0:
        return np.zeros(0, dtype=np.int64)
    found = np.ones(n, dtype=bool)
    for k in range(1, 9):
        r, c = divmod(k, 3)
        found &= section[0, k : k + n] == section[0, :n] + k
        found &= section[1, k : k + n] == section[1, :n] + 4 * c + r
    return np.nonzero(found)[0]


def aligned(n, m):
    """Zeros whose rows begin where cache lines do, with at least m columns."""
    m = -(-m // 8) * 8
    memory = np.zeros(n * m + 8)
    first = -(memory.ctypes.data // 8) % 8
    return memory[first : first + n * m].reshape(n, m)
