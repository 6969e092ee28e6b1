"""Cosine and sine of the angles of planar bodies, which many rows want at the same configuration.

Compiled code remembers them in the data, in three numbers for each body: the angle, its cosine, its sine. They are used
if the angle is the same to the last bit, so nothing depends on what was evaluated before. Without this memory a
four-bar linkage spends half of its time on them.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.cosines import cosine_and_sine
from genalpha.compiled.jit import leaf
from genalpha.model.columns import TURN


@leaf
def turned(q, i, data, x, y):
    """R(θ) (x, y) of the planar body at i of q; i < 0: what does not turn."""
    if i < 0:
        return x, y
    c, s = cosine_and_sine(q[i + 2], data, data.view(np.int64)[TURN.begin] + i)
    return c * x - s * y, s * x + c * y


@leaf
def turned_at(q, i, data, p):
    """The same of the vector that begins at p of the data."""
    return turned(q, i, data, data[p], data[p + 1])
