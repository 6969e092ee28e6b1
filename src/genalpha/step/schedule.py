"""The sequence of steps: from a number, a sequence or a callable; or by error control."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from genalpha.errors import InputError
from genalpha.inputs import real

MAX_STEPS = 1_000_000
"""Steps that error control makes unless told otherwise."""


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

    def first(self) -> float:
        """Size of the first step."""
        return float(self.chunk(0, 1)[1][0])

    def until(self, t1: float) -> Schedule:
        """The same steps to another end."""
        if t1 == self.t1:
            return self
        if isinstance(self.h, np.ndarray):
            raise InputError(
                f"the steps of this run were given one by one and end at t = {self.t1:.9g}; "
                f"it can be completed, but not continued to t_end = {t1:.9g}"
            )
        return make_schedule((self.t0, t1), self.h)

    @functools.cached_property
    def _times(self):
        times = self.t0 + np.concatenate([[0.0], np.cumsum(self.h)])
        times[-1] = self.t1
        return times


@dataclass(frozen=True)
class Control:
    """Steps from t0 to t1 whose sizes follow from estimated errors; see `genalpha.step.control`.

    Attributes
    ----------
    rtol, atol : float
        An error of a step may be atol + rtol times the size of what it is an error of. With atol = 0 that size is
        nowhere less than a share of the whole motion, see `genalpha.step.sizes`.
    h_min, h_max : float
        Limits of the step size.
    impact_tol : float
        How far a contact may travel in the step in which it closes; a negative number is relative to the extent.
    max_steps : int
        After so many steps the run is given up.
    pace : float
        A time in which the motion is expected to change, from the initial state; 0: not known yet.
    timed : bool
        Do forces or constraints depend on time?
    """

    t0: float
    t1: float
    rtol: float
    atol: float
    h_min: float
    h_max: float
    impact_tol: float
    max_steps: int = MAX_STEPS
    pace: float = 0.0
    timed: bool = False

    def chunk(self, count: int, finishing: bool):
        """What the loop takes for end times and sizes: the end of the run, and whether it may be reached."""
        return np.full(count, self.t1), np.full(count, float(finishing))

    def numbers(self, polish: bool) -> dict:
        """What the scheme has to know; ``polish``: it holds constraints to round-off, whatever Newton's tolerance."""
        names = ("rtol", "atol", "h_min", "h_max", "impact_tol", "pace")
        share = NEWTON_SHARE * self.rtol
        tol = max(share if polish else min(1e-3 * share, CONSTRAINT_TOL), 1e-12)
        numbers = {name: getattr(self, name) for name in names}
        return {**numbers, "tol": tol, "controlled": 1, "polish": int(polish), "timed": int(self.timed)}

    def until(self, t1: float) -> Control:
        """The same control to another end."""
        return replace(self, t1=t1)

    def first(self) -> float:
        """A first step, rather too small: a tenth of what the pace of the motion lets expect."""
        h = 0.1 * self.rtol ** (1.0 / 3.0) * self.pace
        return float(min(max(h, self.h_min), self.h_max))

    def settled(self, pace: float, timed: bool) -> Control:
        """With the pace, and a smallest step, if none was given: a millionth of the first one.

        It may be shorter where the travel of contacts is given, and h_min is not.
        """
        known = replace(self, pace=pace, timed=timed)
        if self.h_min > 0.0:
            return known
        share = 1e-6 if self.impact_tol < 0.0 else 1e-9
        return replace(known, h_min=max(share * known.first(), 16.0 * float(np.spacing(abs(self.t0)))))


NEWTON_SHARE = 0.1
"""Tolerance of Newton's iteration, at the velocity level, over rtol."""
CONSTRAINT_TOL = 1e-10
"""Its largest value where constraints hold no better than the iteration: then |g| and |ġ| stay below this too."""


def make_control(t_span, rtol, atol, h_min, h_max, impact_tol, max_steps=None) -> Control:
    """Read the arguments of `solve` for error control."""
    t0, t1 = read_span(t_span)
    rtol = _positive("rtol", rtol)
    if not 1e-12 <= rtol < 1.0:
        raise InputError(f"rtol = {rtol:.3g} must lie between 1e-12 and 1; 1e-4 is the default")
    atol = 0.0 if atol is None else _positive("atol", atol)
    h_max = np.inf if h_max is None else _positive("h_max", h_max, np.inf)
    h_min = 0.0 if h_min is None else _positive("h_min", h_min)
    if h_min > h_max:
        raise InputError(f"h_min = {h_min:.3g} is larger than h_max = {h_max:.3g}")
    impact_tol = -(rtol ** (2.0 / 3.0)) if impact_tol is None else _positive("impact_tol", impact_tol, np.inf)
    max_steps = MAX_STEPS if max_steps is None else read_max_steps(max_steps)
    return Control(t0, t1, rtol, atol, h_min, h_max, impact_tol, max_steps)


def read_max_steps(value) -> int:
    """The argument ``max_steps``."""
    if isinstance(value, bool) or not (isinstance(value, int | np.integer) and value >= 1):
        raise InputError(f"max_steps = {value!r} must be a positive integer")
    return int(value)


def _positive(name, value, largest=1e300) -> float:
    number = real(value)
    if not 0.0 < number <= largest:
        raise InputError(f"{name} = {value!r} must be a positive number")
    return number


def read_span(t_span) -> tuple[float, float]:
    """The argument ``t_span`` of `solve`."""
    try:
        t0, t1 = (real(t) for t in t_span)
    except (TypeError, ValueError):
        t0 = t1 = np.nan
    if np.isnan(t0) or np.isnan(t1):
        raise InputError(f"t_span = {t_span!r:.80} must be two numbers (t0, t1), both finite")
    if not t1 > t0 or not np.isfinite(t1 - t0):
        raise InputError(f"t_span = ({t0:.9g}, {t1:.9g}): t1 must be larger than t0, and both finite")
    return t0, t1


def make_schedule(t_span, h) -> Schedule:
    """Read the arguments ``t_span`` and ``h`` of `solve`."""
    t0, t1 = read_span(t_span)
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
    value = real(h)
    if not 0.0 < value < np.inf:
        raise InputError(f"{name} = {h!r} must be a positive number")
    if value <= 4.0 * np.spacing(t):
        raise InputError(f"{name} = {value:.3g} is too small to advance t = {t:.9g}; shift or scale the time")
    return value
