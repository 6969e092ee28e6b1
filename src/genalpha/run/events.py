"""Events: functions of (t, q, v, lam) whose zeros are looked for between steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError, NonFiniteError
from genalpha.solution.dense import interpolate
from genalpha.solution.rows import Block
from genalpha.system.functions import returned

STATE = ("t", "q", "v", "lam", "psi", "lam_n")


class Event(NamedTuple):
    """An event function with the attributes that SciPy's have."""

    name: str
    function: Callable[..., float]
    direction: float
    stops_after: int  # 0: it never stops the run

    def __call__(self, t, q, v, lam) -> float:
        value = float(returned(self.name, self.function(t, q, v, lam), (1,), t)[0])
        if value != value:
            raise NonFiniteError(
                f"{self.name} gave NaN at t = {t:.9g}, which has no sign; let it be a number everywhere"
            )
        return value


def read_events(events) -> tuple[Event, ...]:
    """The argument ``events`` of `solve`: a function or several, with the attributes ``terminal`` and ``direction``."""
    if events is None:
        return ()
    if not callable(events) and not isinstance(events, Sequence):
        raise InputError(f"events must be a function of (t, q, v, lam), or a list of them, not {events!r:.40}")
    found = []
    for i, function in enumerate((events,) if callable(events) else events):
        if not callable(function):
            raise InputError(f"events[{i}] must be a function of (t, q, v, lam), not a {type(function).__name__}")
        terminal, direction = getattr(function, "terminal", False), getattr(function, "direction", 0)
        if not isinstance(terminal, int | np.integer) or terminal < 0:
            raise InputError(f"events[{i}].terminal = {terminal!r} must be True, False, or after how many to stop")
        if not np.isscalar(direction) or not np.isreal(direction):
            raise InputError(f"events[{i}].direction = {direction!r} must be a number: its sign counts, 0 is both")
        found.append(Event(f"events[{i}]", function, float(direction), int(terminal)))  # pyright: ignore
    return tuple(found)


class Watch:
    """Looks for the zeros of events in rows that come block by block.

    Parameters
    ----------
    events : sequence of Event
    update : callable or None
        See `dense.interpolate`.
    """

    def __init__(self, events: Sequence[Event], update):
        self.events, self.update = events, update
        self.found: list[NDArray[np.float64]] = []  # rows: which event, then a state
        self.values: NDArray[np.float64] | None = None  # of the events, at the last row

    def look(self, rows: Block, jumps) -> float | None:
        """Find events in rows whose first was seen before; gives the time at which a terminal one ends the run."""
        values = np.array([[event(*state) for event in self.events] for state in _states(rows)])
        hits = []
        for k, event in enumerate(self.events):
            before, after = np.sign(values[:-1, k]), np.sign(values[1:, k])
            # a zero belongs to the step that ends with it
            up, down = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
            wanted = (up & (event.direction >= 0)) | (down & (event.direction <= 0))
            hits += [(self._locate(rows, jumps, k, i), k) for i in np.nonzero(wanted)[0]]
        for t, k in sorted(hits):
            state = interpolate(rows, STATE, np.array([t]), jumps, self.update)
            self.found.append(np.concatenate([[k], *(state[name].ravel() for name in STATE)]))
            stops_after = self.events[k].stops_after
            if stops_after and sum(row[0] == k for row in self.found) >= stops_after:
                return t
        return None

    def _locate(self, rows, jumps, k, i):
        """The zero of an event in a step, to round-off: of its values before an impact if there is one."""
        from scipy.optimize import brentq

        t0, t1 = float(rows["t"][i]), float(rows["t"][i + 1])
        pair = {name: column[i : i + 2] for name, column in rows.items()}

        def value(t):
            state = interpolate(pair, STATE[1:4], np.array([t]), jumps, self.update, "left" if t == t1 else "right")
            return self.events[k](t, *(state[name][0] for name in STATE[1:4]))

        left, right = value(t0), value(t1)
        if left * right > 0.0:  # only the jump at the end of the step crosses zero
            return t1
        return float(brentq(value, t0, t1, xtol=4.0 * np.spacing(max(abs(t0), abs(t1)))))


def _states(rows):
    return zip(rows["t"].tolist(), rows["q"], rows["v"], rows["lam"], strict=True)
