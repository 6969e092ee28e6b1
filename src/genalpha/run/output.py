"""Where the rows of a run go: sampled or thinned, watched for events, into memory or into a file.

Events are functions of (t, q, v, lam) whose zeros are looked for between steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError, NonFiniteError
from genalpha.solution.dense import interpolate, updater
from genalpha.solution.rows import NAMES, Block, Columns
from genalpha.system.functions import returned


class Output:
    """Takes rows block by block.

    Parameters
    ----------
    columns : Columns
    store : Rows or RunFile
        Takes the rows that are saved.
    save_every : int
        Save every so many steps.
    t_eval : ndarray, optional
        Save at these times instead.
    events : sequence of Event
    contract : Contract
    """

    def __init__(self, columns: Columns, store, save_every: int, t_eval, events: tuple[Event, ...], contract):
        self.columns, self.store, self.t_eval, self.save_every = columns, store, t_eval, save_every
        self.update = updater(contract)
        self.watch = Watch(events, self.update)
        # whoever looks between rows needs all of them
        self.looks = bool(events) or t_eval is not None
        self.loop_every = 1 if self.looks else save_every
        self.loop_names = NAMES if self.looks else columns.chosen
        self.last: Block = {}
        self.sampled, self.owed = 0, np.zeros(contract.nc)

    def start(self, row: Block):
        """The first row."""
        self.last = row
        if self.t_eval is None:
            self.store.append(row)
        elif len(self.t_eval) and self.t_eval[0] == row["t"][0]:
            self.store.append(row)
            self.sampled = 1

    def restart(self, row: Block, sampled: int, found, owed):
        """Go on behind a row that was the last one when a run was stored."""
        self.last, self.sampled, self.watch.found = row, sampled, list(found)
        self.owed = owed

    def owing(self, row: Block) -> Block:
        """A row of the present state, with the impulses that no saved row has."""
        return {**row, "impulse": row["impulse"] + self.owed}

    def take(self, block: Block, first_step: int, jumps) -> float | None:
        """Rows of the steps from ``first_step`` on, with the times of impacts; gives the time of a terminal event."""
        if not self.looks:
            if len(block["t"]):
                self.store.append(block)
            return None
        rows = {name: np.concatenate([self.last[name], column]) for name, column in block.items()}
        stop = self.watch.look(rows, jumps) if self.watch.events else None
        if stop is not None:
            rows = self._cut(rows, stop, jumps)
        self._save(rows, first_step, stop is not None, jumps)
        self.last = {name: column[-1:].copy() for name, column in rows.items()}
        return stop

    def _cut(self, rows, stop, jumps):
        """Rows up to an event, its own state the last one."""
        n = int(np.searchsorted(rows["t"], stop, side="left"))
        final = interpolate(rows, tuple(rows), np.array([stop]), jumps, self.update)
        return {name: np.concatenate([column[:n], final[name]]) for name, column in rows.items()}

    def _save(self, rows, first_step, ended, jumps):
        """Thin the rows out, or sample between them; the first one is saved already."""
        total = self.owed + np.cumsum(rows["impulse"][1:], axis=0)
        total = np.concatenate([np.zeros((1, total.shape[1])) + self.owed, total])
        if self.t_eval is None:
            steps = np.arange(first_step, first_step + len(rows["t"]) - 1)
            keep = (
                1 + np.nonzero((steps % self.save_every == 0) | (ended & (np.arange(len(steps)) == len(steps) - 1)))[0]
            )
            saved = {name: rows[name][keep] for name in rows}
        else:
            behind = self.sampled + int(np.searchsorted(self.t_eval[self.sampled :], rows["t"][-1], side="right"))
            times = self.t_eval[self.sampled : behind]
            self.sampled = behind
            saved = interpolate(rows, tuple(rows), times, jumps, self.update)
            keep = np.searchsorted(rows["t"], times, side="right") - 1
        # impulses are sums since the row before
        if len(keep):
            saved["impulse"] = np.diff(total[keep], axis=0, prepend=np.zeros((1, total.shape[1])))
            self.owed = total[-1] - total[keep[-1]]
            self.store.append(saved)
        else:
            self.owed = total[-1]


def read_t_eval(t_eval, t0: float, t1: float):
    """The argument ``t_eval`` of `solve`: increasing times within the span."""
    if t_eval is None:
        return None
    try:
        times = np.array(t_eval, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"t_eval = {t_eval!r:.60} must be a vector of times") from None
    if times.ndim != 1 or not np.all(np.isfinite(times)):
        raise InputError(f"t_eval must be a vector of finite times, not an array of shape {times.shape}")
    if np.any(np.diff(times) <= 0.0):
        i = int(np.argmax(np.diff(times) <= 0.0))
        raise InputError(
            f"t_eval must increase, but t_eval[{i}] = {times[i]:.9g}, t_eval[{i + 1}] = {times[i + 1]:.9g}"
        )
    if len(times) and (times[0] < t0 or times[-1] > t1):
        wrong = times[0] if times[0] < t0 else times[-1]
        raise InputError(f"t_eval has t = {wrong:.9g}, outside of t_span = ({t0:.9g}, {t1:.9g})")
    return times


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
