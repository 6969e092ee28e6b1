"""Prescribed motions: functions of t that users write, compiled into the rows of a model.

A driven row is its coordinate minus motion(t), so that g_t is −ṁ and g_bias gets −m̈. Derivatives that are not given are
central differences of fourth order.
"""

from __future__ import annotations

import numpy as np

from genalpha.contract import Evaluators
from genalpha.errors import NonFiniteError, ShapeError
from genalpha.functions import is_compilable
from genalpha.math.differences import store
from genalpha.model.evaluators import clear
from genalpha.model.families import wrapped

SPAN = 2.0**-10
"""Between the times of differences: about a millisecond, and t ± SPAN is exact."""


def require_motions(tables, t: float):
    """Call functions of the user's once and refuse what they give if it is not as it must be."""
    for part, _, n in tables.drives:
        for name in ("motion", "rate", "acceleration"):
            function = getattr(part, name)
            if function is None:
                continue
            value = np.asarray(function(t), dtype=float)
            if value.shape != (n,) and not (n == 1 and value.shape == ()):
                what = f"({n},)" if n > 1 else "a number"
                raise ShapeError(f"{part.title}: {name} gave the shape {value.shape} at t0 = {t:.9g}, not {what}")
            if not np.all(np.isfinite(value)):
                raise NonFiniteError(f"{part.title}: {name} gave NaN or inf at t0 = {t:.9g}")


def rows_with(evaluators: Evaluators, drives, jit: bool) -> Evaluators:
    """The evaluators with the motions of these drives, ready to be compiled; not so without ``jit``."""
    g, g_t, g_bias = evaluators.g, _nothing, evaluators.g_bias
    for part, first, n in drives:
        motion = wrapped(_filling(part.motion, n, jit), jit)
        rate = _filling(part.rate, n, jit) if part.rate else _first_difference(motion, n)
        second = _filling(part.acceleration, n, jit) if part.acceleration else _second_difference(motion, n)
        g = _minus(wrapped(g, jit), motion, first, n)
        g_t = _minus(wrapped(g_t, jit), wrapped(rate, jit), first, n)
        g_bias = _minus_of_velocity(wrapped(g_bias, jit), wrapped(second, jit), first, n)
    return evaluators._replace(g=g, g_t=g_t, g_bias=g_bias)


def _nothing(t, q, data, out):
    clear(out, out.size)


def _filling(function, n, jit):
    """``call(t, out)`` for a function of the user's, which compiled code may call by way of the interpreter."""
    if not jit:

        def call(t, out):
            out[:] = function(t)

    elif is_compilable(function):
        inner = wrapped(getattr(function, "py_func", function), jit)

        def call(t, out):
            store(inner(t), out)

    else:
        from numba import objmode

        def call(t, out):
            with objmode(values="float64[::1]"):
                values = np.full(n, function(t), dtype=np.float64)
            for i in range(n):
                out[i] = values[i]

    return call


def _first_difference(motion, n):
    def call(t, out):
        x = np.empty(n)
        for i in range(n):
            out[i] = 0.0
        for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            motion(t + k * SPAN, x)
            for i in range(n):
                out[i] += weight / (12.0 * SPAN) * x[i]

    return call


def _second_difference(motion, n):
    def call(t, out):
        x = np.empty(n)
        for i in range(n):
            out[i] = 0.0
        for k, weight in ((-2, -1.0), (-1, 16.0), (0, -30.0), (1, 16.0), (2, -1.0)):
            motion(t + k * SPAN, x)
            for i in range(n):
                out[i] += weight / (12.0 * SPAN * SPAN) * x[i]

    return call


def _minus(others, values, first, n):
    def rows(t, q, data, out):
        others(t, q, data, out)
        x = np.empty(n)
        values(t, x)
        for i in range(n):
            out[first + i] -= x[i]

    return rows


def _minus_of_velocity(others, values, first, n):
    def rows(t, q, v, data, out):
        others(t, q, v, data, out)
        x = np.empty(n)
        values(t, x)
        for i in range(n):
            out[first + i] -= x[i]

    return rows
