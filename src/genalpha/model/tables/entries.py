"""Matrices under construction."""

from __future__ import annotations

import numpy as np

from genalpha.system.contract import EMPTY, Pattern


class Entries:
    """Values of a matrix under construction: their rows and columns."""

    def __init__(self):
        self.rows, self.cols, self.blocks, self.shared = [], [], {}, set()

    def add(self, rows, cols) -> int:
        """Entries, one by one; gives the place of the first."""
        place = len(self.rows)
        self.rows += rows
        self.cols += cols
        return place

    def block(self, row: int, col: int, n_rows: int, n_cols: int) -> int:
        """A full block, row by row; gives the place of its first value. The same block is made only once."""
        key = (row, col, n_rows, n_cols)
        if key not in self.blocks:
            rows = [row + i for i in range(n_rows) for _ in range(n_cols)]
            self.blocks[key] = self.add(rows, [col + j for _ in range(n_rows) for j in range(n_cols)])
        else:
            self.shared.add(key)
        return self.blocks[key]

    def coupled(self, first: int) -> set[int]:
        """Unknowns that have entries from the place ``first`` on, or in blocks that were asked for again."""
        found = {*self.rows[first:], *self.cols[first:]}
        for row, col, n_rows, n_cols in self.shared:
            found.update(range(row, row + n_rows), range(col, col + n_cols))
        return found

    def pattern(self) -> Pattern:
        if not self.rows:
            return EMPTY
        return Pattern(np.array(self.rows, dtype=np.int64), np.array(self.cols, dtype=np.int64))
