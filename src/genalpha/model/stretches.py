"""Rows of data that stand for a stretch of alike parts; see `layout`."""

from __future__ import annotations

from genalpha.jit import leaf


@leaf
def place(bits, i, j, n, k):
    """Of part j in the stretch at i: its place k, of n."""
    return bits[i + 1 + k] + j * bits[i + 1 + n + k]
