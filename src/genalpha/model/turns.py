"""Cosine and sine of the angles of planar bodies, which many rows want at the same configuration.

Compiled code remembers them in the data, in three numbers for each body: the angle, its cosine, its sine. They are used
if the angle is the same to the last bit, so nothing depends on what was evaluated before. Without this memory a
four-bar linkage spends half of its time on them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import overload

from genalpha.jit import leaf
from genalpha.model.layout import TURN

HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""π/2 in parts; the first two have 33 bits each, so that small multiples of them are exact."""


@leaf
def circular(x):
    """(cos x, sin x) by one reduction to |r| ≤ π/4 and the series of both, within two units of round-off.

    It takes a third of the time of the library's two functions. What is far away is left to them.
    """
    n = math.floor(x * (2.0 / math.pi) + 0.5)
    if not abs(n) < 1e5:
        return math.cos(x), math.sin(x)
    r = ((x - n * HALF_PI[0]) - n * HALF_PI[1]) - n * HALF_PI[2]
    y = r * r
    s = 1 / 6227020800 - y * (1 / 1307674368000)
    s = r - r * y * (1 / 6 - y * (1 / 120 - y * (1 / 5040 - y * (1 / 362880 - y * (1 / 39916800 - y * s)))))
    c = 1 / 479001600 - y * (1 / 87178291200 - y * (1 / 20922789888000))
    c = 1.0 - y * (0.5 - y * (1 / 24 - y * (1 / 720 - y * (1 / 40320 - y * (1 / 3628800 - y * c)))))
    quarter = int(n) & 3
    if quarter == 0:
        return c, s
    if quarter == 1:
        return -s, c
    return (-c, -s) if quarter == 2 else (s, -c)


def cosine_and_sine(angle, memory, k):
    """(cos, sin) of an angle; ``memory[k:k+3]`` is for it."""
    return np.cos(angle), np.sin(angle)


@overload(cosine_and_sine)
def _cosine_and_sine(angle, memory, k):
    if not isinstance(angle, types.Float):  # a complex step
        return lambda angle, memory, k: (np.cos(angle), np.sin(angle))

    def remember(angle, memory, k):
        if memory[k] != angle:
            memory[k] = angle
            memory[k + 1], memory[k + 2] = circular(angle)
        return memory[k + 1], memory[k + 2]

    return remember


@leaf
def turned(q, i, data, x, y):
    """R(θ) (x, y) of the planar body at i of q; i < 0: what does not turn."""
    if i < 0:
        return x, y
    c, s = cosine_and_sine(q[i + 2], data, data.view(np.int64)[2 * TURN] + i)
    return c * x - s * y, s * x + c * y
