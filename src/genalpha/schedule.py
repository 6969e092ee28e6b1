"""The sequence of steps: from a number, a sequence, or a callable."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from genalpha.errors import InputError


@dataclass(frozen=True)
class Schedule:
    """Steps from t0 to t1.

    ``h`` is a number or the array of all step sizes. With a number the times are t0 + i h, so that nothing accumulates.
    """

    t0: float
    t1: float
    h: float | np.ndarray
    n: int

    def chunk(self, first: int, count: int):
        """(end times, sizes) of the steps first .. first + count."""
        last = min(first + count, self.n)
        index = np.arange(first, last)
        if isinstance(self.h, np.ndarray):
            return self._times[first + 1 : last + 1], self.h[first:last]
        times, steps = self.t0 + (index + 1) * self.h, np.full(index.size, self.h)
        if last == self.n and index.size:
            before = self.t0 + (self.n - 1) * self.h
            if abs(self.t1 - before - self.h) > 1e-9 * self.h:
                steps[-1] = self.t1 - before
            times[-1] = self.t1
        return times, steps

    @property
    def first(self) -> float:
        """Size of the first step."""
        return float(self.chunk(0, 1)[1][0])

    @functools.cached_property
    def _times(self):
        times = self.t0 + np.concatenate([[0.0], np.cumsum(self.h)])
        times[-1] = self.t1
        return times


def make_schedule(t_span, h) -> Schedule:
    """Read the arguments ``t_span`` and ``h`` of `solve`."""
    try:
        t0, t1 = (float(t) for t in t_span)
    except (TypeError, ValueError):
        raise InputError(f"t_span = {t_span!r} must be two numbers (t0, t1)") from None
    if not t1 > t0 or not np.isfinite(t1 - t0):
        raise InputError(f"t_span = ({t0:.9g}, {t1:.9g}): t1 must be larger than t0, and both finite")
    if h is None:
        raise InputError("give a step size h=...: a number, a sequence of steps, or a function of t")
    if callable(h):
        return _from_function(t0, t1, h)
    if np.ndim(h) == 0:
        return _from_number(t0, t1, h)
    return _from_sequence(t0, t1, h)


def _from_number(t0, t1, h) -> Schedule:
    h = _step("h", h, max(abs(t0), abs(t1)))
    n = max(int(np.ceil((t1 - t0) / h - 1e-9)), 1)
    return Schedule(t0, t1, h, n)


def _from_sequence(t0, t1, h) -> Schedule:
    if np.ndim(h) != 1:
        raise InputError(f"the steps in h must be a vector, not an array of shape {np.shape(h)}")
    steps = np.array([_step(f"h[{i}]", step, max(abs(t0), abs(t1))) for i, step in enumerate(h)])
    if abs(steps.sum() - (t1 - t0)) > 1e-9 * (t1 - t0):
        raise InputError(
            f"the {steps.size} steps in h add up to {steps.sum():.9g}, but t1 - t0 = {t1 - t0:.9g}; "
            f"change a step or t_span by {abs(steps.sum() - (t1 - t0)):.3g}"
        )
    return Schedule(t0, t1, steps, steps.size)


def _from_function(t0, t1, h) -> Schedule:
    steps, t = [], t0
    while t < t1:
        try:
            step = h(t)
        except Exception as error:
            error.add_note(f"raised by h at t = {t:.9g}")
            raise
        step = _step(f"h({t:.9g})", step, max(abs(t0), abs(t1)))
        # the last step ends at t1, and no sliver is left behind
        if t + step * (1.0 + 1e-9) >= t1:
            step = t1 - t
        steps.append(step)
        t += step
    return Schedule(t0, t1, np.array(steps), len(steps))


def _step(name, h, t) -> float:
    """A positive number that is large enough to advance the time."""
    try:
        value = float(h)
    except (TypeError, ValueError):
        value = np.nan
    if not 0.0 < value < np.inf:
        raise InputError(f"{name} = {h!r} must be a positive number")
    if value <= 4.0 * np.spacing(t):
        raise InputError(f"{name} = {value:.3g} is too small to advance t = {t:.9g}; shift or scale the time")
    return value
