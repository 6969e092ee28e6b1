"""Rows of data that stand for a stretch of alike parts; see `columns`."""

from __future__ import annotations

from genalpha.compiled.jit import leaf


@leaf
def place(bits, p, step, j):
    """A place of part j in a stretch: p is where that of the first part is, p + step where it grows by is."""
    return bits[p] + j * bits[p + step]
