"""Prescribed motions: functions of t that users write, compiled into the rows of a model.

A driven row is its coordinate minus motion(t), so that g_t is −ṁ and g_bias gets −m̈. Derivatives that are not given are
central differences of fourth order, over fractions of the time in which the motion changes. Complex steps are not
tried: these derivatives are part of the solution, and a branch with an absolute value would falsify them in silence.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.errors import NonFiniteError, ShapeError
from genalpha.math.differences import store
from genalpha.model.leaves.evaluators import clear, wrapped
from genalpha.system.contract import Evaluators
from genalpha.system.functions import is_compilable, returned

FIRST, SECOND = 2.0**-11, 2.0**-8
"""Steps of first and second differences over the time scale of a motion: round-off and truncation are alike there."""

ROUGH = 0.05
"""A fourth difference of nine values over their range: at steps above the time scale it is larger than that."""


def require_motions(tables, t: float):
    """Call functions of the user's once and refuse what they give if it is not as it must be."""
    for part, _, n in tables.drives:
        for name in ("motion", "rate", "acceleration"):
            function = getattr(part, name)
            if function is None:
                continue
            value = returned(f"{part.title}: {name}", function(t), (n,), t, "t0")
            if not np.all(np.isfinite(value)):
                raise NonFiniteError(f"{part.title}: {name} gave NaN or inf at t0 = {t:.9g}")


def time_scale(motion, t: float) -> float:
    """The shortest time, a power of 4, over which a motion is not smooth any more, looking ahead from t.

    Nine values at equal distances s are smooth if their fourth differences are small against their range. Round-off is
    not smooth either: so it counts what follows smooth values, if there are such, as there are not where a motion rests
    for a while. A polynomial of third order is smooth at all s, its differences are exact with any: 1 is as good.
    """
    smooth, first, found = 0, np.inf, np.inf
    for s in 4.0 ** np.arange(-36, 37):
        try:
            values = np.array([np.ravel(motion(t + i * s)) for i in range(9)], dtype=float)
        except Exception:  # beyond what the function knows
            break
        if not np.all(np.isfinite(values)):
            break
        size = np.ptp(values, axis=0)
        rough = np.abs(np.diff(values, n=4, axis=0)).max(axis=0) > ROUGH * size
        found = np.where(rough & (smooth >= 2), np.minimum(found, s), found)
        first = np.where(rough & (size > 1e-9 * np.abs(values).max(axis=0)), np.minimum(first, s), first)
        smooth = np.where(rough, 0, smooth + (size > 0.0))
    scale = np.min(np.where(np.isfinite(found) | (smooth >= 2), found, first))
    return float(scale) if np.isfinite(scale) else 1.0


def rows_with(evaluators: Evaluators, drives, t: float, jit: bool) -> Evaluators:
    """The evaluators with the motions of these drives, ready to be compiled; not so without ``jit``."""
    g, g_t, g_bias = evaluators.g, _nothing, evaluators.g_bias
    for part, first, n in drives:
        motion, scale = wrapped(_filling(part, "motion", n, jit), jit), time_scale(part.motion, t)
        rate = _filling(part, "rate", n, jit) if part.rate else _first_difference(motion, n, scale)
        second = _filling(part, "acceleration", n, jit) if part.acceleration else _second_difference(motion, n, scale)
        g = _minus(wrapped(g, jit), motion, first, n)
        g_t = _minus(wrapped(g_t, jit), wrapped(rate, jit), first, n)
        g_bias = _minus_of_velocity(wrapped(g_bias, jit), wrapped(second, jit), first, n)
    return evaluators._replace(g=g, g_t=g_t, g_bias=g_bias)


def _nothing(t, q, data, out):
    clear(out, out.size)


def _filling(part, name, n, jit):
    """``call(t, out)`` for a function of the user's, which compiled code may call by way of the interpreter."""
    function, title = getattr(part, name), f"{part.title}: {name}"
    if jit and is_compilable(function):
        inner = wrapped(function, jit)
        message = f"{title} gave another number of numbers than {n}"

        def call(t, out):
            if not store(inner(t), out):
                raise ShapeError(message, t)

        return call

    def checked(t):
        return returned(title, function(t), (n,), t)

    if not jit:

        def call(t, out):
            out[:] = checked(t)

        return call
    from numba import objmode

    def visit(t, out):
        with objmode(values="float64[::1]"):
            values = checked(t)
        for i in range(n):
            out[i] = values[i]

    return visit


@leaf
def step_of(t, scale, fraction):
    """The step of a difference at t; longer far from t = 0, where round-off of t is larger."""
    return fraction * scale * max(1.0, abs(t) / scale) ** 0.2


def _first_difference(motion, n, scale):
    def call(t, out):
        x, h = np.empty(n), step_of(t, scale, FIRST)
        for i in range(n):
            out[i] = 0.0
        for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            motion(t + k * h, x)
            for i in range(n):
                out[i] += weight / (12.0 * h) * x[i]

    return call


def _second_difference(motion, n, scale):
    def call(t, out):
        x, h = np.empty(n), step_of(t, scale, SECOND)
        for i in range(n):
            out[i] = 0.0
        for k, weight in ((-2, -1.0), (-1, 16.0), (0, -30.0), (1, 16.0), (2, -1.0)):
            motion(t + k * h, x)
            for i in range(n):
                out[i] += weight / (12.0 * h * h) * x[i]

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
